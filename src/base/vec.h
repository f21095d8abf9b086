/* vec.h - a typed growing array on the heap.
 *
 *     VEC(struct node *) nodes = {0};
 *     vec_push(&nodes, n);
 *     for (size_t i = 0; i < nodes.len; i++) use(nodes.p[i]);
 *     vec_fini(&nodes);
 * Threads: one at a time.  Ownership: the array; not what its elements point to. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *p;                                                                                   \
        size_t len;                                                                                \
        size_t cap;                                                                                \
    }

#define vec_reserve(v, n)                                                                          \
    do {                                                                                           \
        if ((v)->cap < (n)) {                                                                      \
            size_t vec_cap_ = MAX((size_t)(n), (v)->cap * 2);                                      \
            (v)->p = xrealloc((v)->p, vec_cap_ * sizeof *(v)->p);                                  \
            (v)->cap = vec_cap_;                                                                   \
        }                                                                                          \
    } while (0)
#define vec_push(v, ...)                                                                           \
    do {                                                                                           \
        vec_reserve(v, (v)->len + 1);                                                              \
        (v)->p[(v)->len++] = (__VA_ARGS__);                                                        \
    } while (0)
#define vec_pop(v) ((v)->p[--(v)->len])
#define vec_clear(v) ((v)->len = 0)
/* Removes element i by moving the last one into its place. */
#define vec_remove_swap(v, i) ((v)->p[i] = (v)->p[--(v)->len])
/* Removes element i and keeps the order. */
#define vec_remove(v, i)                                                                           \
    do {                                                                                           \
        size_t vec_i_ = (i);                                                                       \
        memmove(&(v)->p[vec_i_], &(v)->p[vec_i_ + 1], ((v)->len - vec_i_ - 1) * sizeof *(v)->p);   \
        (v)->len--;                                                                                \
    } while (0)
#define vec_fini(v)                                                                                \
    do {                                                                                           \
        free((v)->p);                                                                              \
        (v)->p = NULL;                                                                             \
        (v)->len = (v)->cap = 0;                                                                   \
    } while (0)
