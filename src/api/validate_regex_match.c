/* validate_regex_match.c - all states of the automaton at once, one code point after the other.
 *
 * A state is an instruction that reads; those that only lead on (SPLIT, JUMP, ASSERT) are followed when a state is added, and
 * mark keeps each from being added twice, so that a step costs no more than the program is long. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_regex_prog.h"

#define NO_RUNE UINT32_MAX

/* The states that are alive, each once; mark[pc] is the step at which it was added. */
struct states {
    uint32_t *list, n;
};
struct run {
    struct regex *re;
    uint32_t before, after; /* runes around the place, NO_RUNE at the ends */
    bool matched;
};

static bool holds(const struct run *m, enum assertion what)
{
    bool word = (m->before != NO_RUNE && regex_is_word(m->before)) != (m->after != NO_RUNE && regex_is_word(m->after));
    switch (what) {
    case AT_TEXT_START:
        return m->before == NO_RUNE;
    case AT_TEXT_END:
        return m->after == NO_RUNE;
    case AT_LINE_START:
        return m->before == NO_RUNE || m->before == '\n';
    case AT_LINE_END:
        return m->after == NO_RUNE || m->after == '\n';
    case AT_WORD:
        return word;
    case AT_NOT_WORD:
        return !word;
    }
    return false;
}

/* Adds pc and all it reaches without reading. */
static void add_state(struct run *m, struct states *s, uint32_t pc)
{
    uint32_t top = 0;
    m->re->stack[top++] = pc;
    while (top) {
        pc = m->re->stack[--top];
        if (m->re->mark[pc] == m->re->step)
            continue;
        m->re->mark[pc] = m->re->step;
        const struct inst *in = &m->re->prog[pc];
        switch (in->op) {
        case OP_SPLIT:
            m->re->stack[top++] = (uint32_t)((int32_t)pc + in->y);
            m->re->stack[top++] = (uint32_t)((int32_t)pc + in->x);
            break;
        case OP_JUMP:
            m->re->stack[top++] = (uint32_t)((int32_t)pc + in->x);
            break;
        case OP_ASSERT:
            if (holds(m, (enum assertion)in->x))
                m->re->stack[top++] = pc + 1;
            break;
        case OP_MATCH:
            m->matched = true;
            break;
        default:
            s->list[s->n++] = pc;
        }
    }
}

static bool class_has(const struct class *c, uint32_t r)
{
    for (size_t i = 0; i < c->n; i++) {
        if (r >= c->ranges[i].lo && r <= c->ranges[i].hi)
            return true;
    }
    return false;
}

static bool class_matches(const struct class *c, uint32_t r, bool fold)
{
    bool has = class_has(c, r);
    if (fold && !has && r < 0x80)
        has = class_has(c, regex_lower(r)) || (r >= 'a' && r <= 'z' && class_has(c, r - 32));
    return has != c->negated;
}

static bool takes(const struct regex *re, const struct inst *in, uint32_t r)
{
    switch (in->op) {
    case OP_RUNE:
        return (uint32_t)in->x == (in->fold ? regex_lower(r) : r);
    case OP_CLASS:
        return class_matches(&re->classes[in->x], r, in->fold);
    case OP_ANY_NOT_NL:
        return r != '\n';
    default:
        return true;
    }
}

bool regex_match(struct regex *re, str text)
{
    if ((uint64_t)text.len * re->len > REGEX_STEPS_MAX)
        return false;
    if (re->step > UINT32_MAX - 2 - text.len) {
        memset(re->mark, 0, re->len * sizeof *re->mark);
        re->step = 0;
    }
    struct run m = {.re = re, .before = NO_RUNE};
    struct states now = {.list = re->lists[0]}, next = {.list = re->lists[1]};
    size_t at = 0;
    m.after = text.len ? regex_next_rune(text, &at) : NO_RUNE;
    re->step++;
    for (;;) {
        add_state(&m, &now, 0); /* a match may start anywhere */
        if (m.matched || m.after == NO_RUNE)
            return m.matched;
        uint32_t rune = m.before = m.after;
        m.after = at < text.len ? regex_next_rune(text, &at) : NO_RUNE;
        re->step++;
        next.n = 0;
        for (uint32_t i = 0; i < now.n; i++) {
            if (takes(re, &re->prog[now.list[i]], rune))
                add_state(&m, &next, now.list[i] + 1);
        }
        struct states swap = now;
        now = next;
        next = swap;
    }
}
