/* validate_regex_prog.h - compiled regular expressions, shared by compiling (validate_regex.c) and matching only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/validate_regex.h"

enum op { OP_RUNE, OP_CLASS, OP_ANY, OP_ANY_NOT_NL, OP_SPLIT, OP_JUMP, OP_ASSERT, OP_MATCH };
enum assertion { AT_TEXT_START, AT_TEXT_END, AT_LINE_START, AT_LINE_END, AT_WORD, AT_NOT_WORD };

struct range {
    uint32_t lo, hi;
};
struct class
{
    struct range *ranges;
    size_t n, cap;
    bool negated;
};
struct inst {
    uint8_t op;
    bool fold;    /* RUNE: letters without case */
    int32_t x, y; /* RUNE: code point; SPLIT, JUMP: relative targets; CLASS: index; ASSERT: which */
};
struct regex {
    struct inst *prog;
    uint32_t len;
    const struct class *classes;
    /* matching */
    uint32_t *mark, *stack, *lists[2];
    uint32_t step; /* never goes back, so that mark needs no clearing */
};

/* The code point at *at, which moves behind it; bytes that are no UTF-8 stand for themselves. */
static inline uint32_t regex_next_rune(str s, size_t *at)
{
    const unsigned char *p = (const unsigned char *)s.p + *at;
    size_t left = s.len - *at;
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 1;
    if (n == 1 || n > left) {
        *at += 1;
        return p[0];
    }
    uint32_t r = p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        r = r << 6 | (p[i] & 0x3f);
    *at += n;
    return r;
}

static inline uint32_t regex_lower(uint32_t r)
{
    return r >= 'A' && r <= 'Z' ? r + 32 : r;
}

static inline bool regex_is_word(uint32_t r)
{
    return (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '_';
}
