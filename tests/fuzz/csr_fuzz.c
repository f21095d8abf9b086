/* Requests for certificates from anybody: what parses has texts without NUL bytes and within the bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const str *list, size_t n, size_t max)
{
    BUG_ON(n > max);
    for (size_t i = 0; i < n; i++)
        BUG_ON(memchr(list[i].p, 0, list[i].len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    struct tls_csr got;
    struct err err = ERR_NONE;
    if (tls_csr_parse(&a, arena_cstr(&a, str_n((const char *)data, size)), &got, &err) < 0) {
        BUG_ON(!err.msg[0]);
        return 0;
    }
    check(&got.common_name, 1, 1);
    check(got.organizations, got.norganizations, TLS_MAX_GROUPS);
    check(got.dns_names, got.ndns_names, TLS_CSR_NAMES);
    check(got.ip_addresses, got.nip_addresses, TLS_CSR_NAMES);
    return 0;
}
