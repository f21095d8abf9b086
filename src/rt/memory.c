/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include "base/str.h"
#include "rt/file.h"

#define MAPS_BYTES (4u << 20)

static bool parse_hex(str s, uintptr_t *ret)
{
    uintptr_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
        if (digit == 16)
            return false;
        v = v * 16 + digit;
    }
    *ret = v;
    return s.len > 0;
}

/* "55d0-55f0 r-xp 00002000 08:01 1234 /usr/lib/...": code of a file.  Anything that may have been written, relocations among it, must stay. */
static void drop_code(str line)
{
    str range, rights, skipped, from, to;
    uintptr_t begin, end;
    str_cut(&line, ' ', &range);
    str_cut(&line, ' ', &rights);
    for (int i = 0; i < 3; i++)
        str_cut(&line, ' ', &skipped);
    bool is_file = str_find_char(line, '/') >= 0;
    to = range;
    if (!is_file || !str_is(rights, "r-xp") || !str_cut(&to, '-', &from) || !parse_hex(from, &begin) || !parse_hex(to, &end) || end <= begin)
        return;
    (void)!madvise((void *)begin, end - begin, MADV_DONTNEED); /* of no consequence when it fails */
}

void memory_give_back(void)
{
    char *text;
    size_t len;
    malloc_trim(0);
    if (file_read("/proc/self/maps", MAPS_BYTES, &text, &len, NULL) < 0)
        return;
    str rest = str_n(text, len), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        drop_code(line);
    }
    free(text);
}
