/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/crc32c.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

/* table[k][b]: the effect of byte b that stands k bytes before the end of an 8-byte step. */
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_make(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int i = 0; i < 8; i++)
            crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
        table[0][b] = crc;
    }
    for (uint32_t b = 0; b < 256; b++) {
        for (int k = 1; k < 8; k++)
            table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 0xff];
    }
}

static uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

uint32_t crc32c_tables(uint32_t crc, const void *data, size_t len)
{
    pthread_once(&table_once, table_make);
    const uint8_t *p = data;
    crc = ~crc;
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t v = load64(p) ^ crc;
        crc = 0;
        for (int k = 0; k < 8; k++)
            crc ^= table[7 - k][(v >> (8 * k)) & 0xff];
    }
    for (; len > 0; p++, len--)
        crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xff];
    return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t start, const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t crc = ~start;
    for (; len >= 8; p += 8, len -= 8)
        crc = __builtin_ia32_crc32di(crc, load64(p));
    for (; len > 0; p++, len--)
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *p);
    return ~(uint32_t)crc;
}
#endif

uint32_t crc32c(uint32_t crc, const void *p, size_t len)
{
#ifdef __x86_64__
    if (likely(__builtin_cpu_supports("sse4.2")))
        return crc32c_sse42(crc, p, len);
#endif
    return crc32c_tables(crc, p, len);
}
