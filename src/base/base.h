/* base.h - the handful of macros everything uses: attributes, scope cleanup, invariants.
 *
 * Threads: none.  Ownership: none.  Every source file includes this first, directly or through str.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt_arg, first_arg) __attribute__((format(printf, fmt_arg, first_arg)))
#define NORETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))
#define COLD __attribute__((cold))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* CLEANUP(fn): calls fn_cleanup(&variable) when the variable leaves its scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn##_cleanup)))
/* Defines the function that CLEANUP(fn) calls for a pointer type. */
#define DEFINE_CLEANUP(type, fn)                                                                   \
    static inline void fn##_cleanup(type *p)                                                       \
    {                                                                                              \
        if (*p)                                                                                    \
            fn(*p);                                                                                \
    }
/* TAKE(p): hands the pointer on and leaves NULL behind, so that CLEANUP does not free it. */
#define TAKE(p)                                                                                    \
    ({                                                                                             \
        typeof(p) *take_from_ = &(p);                                                              \
        typeof(p) taken_ = *take_from_;                                                            \
        *take_from_ = NULL;                                                                        \
        taken_;                                                                                    \
    })

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)                                                                                  \
    ({                                                                                             \
        typeof(a) min_a_ = (a);                                                                    \
        typeof(b) min_b_ = (b);                                                                    \
        min_a_ < min_b_ ? min_a_ : min_b_;                                                         \
    })
#define MAX(a, b)                                                                                  \
    ({                                                                                             \
        typeof(a) max_a_ = (a);                                                                    \
        typeof(b) max_b_ = (b);                                                                    \
        max_a_ > max_b_ ? max_a_ : max_b_;                                                         \
    })
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* An invariant that must hold in every build; prints where and aborts. */
#define BUG_ON(cond)                                                                               \
    do {                                                                                           \
        if (unlikely(cond))                                                                        \
            base_bug(__FILE__, __LINE__, __func__, #cond);                                         \
    } while (0)
#ifdef COX_DEBUG
#define DEBUG_ON(cond) BUG_ON(cond)
#else
#define DEBUG_ON(cond) ((void)sizeof(cond))
#endif

/* Says in the code why the result of a MUST_CHECK call does not matter here. */
#define err_ignore(call, reason)                                                                   \
    do {                                                                                           \
        __auto_type ignored_ UNUSED = (call);                                                      \
        (void)sizeof(reason);                                                                      \
    } while (0)

void base_bug(const char *file, int line, const char *func, const char *what) NORETURN COLD;

/* The only allocator: aborts with a sentence when memory is out.  Sizes that a client chooses are
 * bounded by base/limits.h before they reach it. */
void *xmalloc(size_t size) MUST_CHECK __attribute__((malloc, alloc_size(1)));
void *xcalloc(size_t count, size_t size) MUST_CHECK __attribute__((malloc, alloc_size(1, 2)));
void *xrealloc(void *p, size_t size) MUST_CHECK __attribute__((alloc_size(2)));
char *xstrdup(const char *s) MUST_CHECK __attribute__((malloc));
#define xnew(type) ((type *)xcalloc(1, sizeof(type)))
#define xarray(n, type) ((type *)xcalloc((n), sizeof(type)))

static inline void free_cleanup(void *pp)
{
    free(*(void **)pp);
}

