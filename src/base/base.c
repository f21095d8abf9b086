/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

void base_bug(const char *file, int line, const char *func, const char *what)
{
    fprintf(stderr, "BUG: %s:%d: %s: %s\n", file, line, func, what);
    fflush(stderr);
    abort();
}

static void *checked(void *p, size_t size)
{
    if (unlikely(!p && size)) {
        fprintf(stderr, "out of memory: %zu bytes asked for\n", size);
        abort();
    }
    return p;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size), size);
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count, size), count * size);
}

void *xrealloc(void *p, size_t size)
{
    return checked(realloc(p, size), size);
}

char *xstrdup(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(xmalloc(size), s, size);
}
