/* line.c - sorted runs with a 4-ary heap for what fits nowhere.
 *
 * A push goes behind the largest tail that is not larger than it (patience sorting: the number of runs stays the number of interleaved ascending
 * sequences, for a priority order the number of priorities in use). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/line.h"

#define ARITY 4u

void line_fini(struct line *l)
{
    for (uint32_t r = 0; r < LINE_RUNS; r++)
        free(l->runs_[r].p);
    vec_fini(&l->heap_);
    *l = LINE_INIT;
}

/* --- runs ------------------------------------------------------------------------------------------------------------------------- */
static void run_append(struct line_run *r, const struct line_entry *e)
{
    if (r->len == r->cap) {
        /* popped entries leave room at the front: move down when that is at least half, so that each entry moves O(1) times */
        if (r->cap && r->head >= r->cap / 2) {
            r->len -= r->head;
            memmove(r->p, r->p + r->head, r->len * sizeof *r->p);
            r->head = 0;
        } else {
            r->cap = MAX(64u, r->cap * 2);
            r->p = xrealloc(r->p, r->cap * sizeof *r->p);
        }
    }
    r->p[r->len++] = *e;
}

/* The run to append to; LINE_RUNS: none. */
static uint32_t run_for(const struct line *l, const struct line_entry *e)
{
    uint32_t found = LINE_RUNS;
    const struct line_entry *found_tail = NULL;
    for (uint32_t bits = l->nonempty_; bits; bits &= bits - 1) {
        uint32_t r = (uint32_t)__builtin_ctz(bits);
        const struct line_entry *tail = &l->runs_[r].p[l->runs_[r].len - 1];
        if (!line_less(e, tail) && (!found_tail || line_less(found_tail, tail))) {
            found = r;
            found_tail = tail;
        }
    }
    if (found == LINE_RUNS && l->nonempty_ != (1u << LINE_RUNS) - 1)
        found = (uint32_t)__builtin_ctz(~l->nonempty_);
    return found;
}

/* --- heap ------------------------------------------------------------------------------------------------------------------------- */
static void heap_up(struct line *l, size_t i)
{
    struct line_entry e = l->heap_.p[i];
    while (i && line_less(&e, &l->heap_.p[(i - 1) / ARITY])) {
        l->heap_.p[i] = l->heap_.p[(i - 1) / ARITY];
        i = (i - 1) / ARITY;
    }
    l->heap_.p[i] = e;
}

static void heap_down(struct line *l, size_t i)
{
    struct line_entry e = l->heap_.p[i];
    size_t n = l->heap_.len;
    for (;;) {
        size_t child = i * ARITY + 1, least = child;
        if (child >= n)
            break;
        for (size_t c = child + 1; c < n && c < child + ARITY; c++)
            if (line_less(&l->heap_.p[c], &l->heap_.p[least]))
                least = c;
        if (!line_less(&l->heap_.p[least], &e))
            break;
        l->heap_.p[i] = l->heap_.p[least];
        i = least;
    }
    l->heap_.p[i] = e;
}

/* --- the line --------------------------------------------------------------------------------------------------------------------- */
static const struct line_entry *head_of(const struct line *l, uint32_t r)
{
    return r == LINE_RUNS ? &l->heap_.p[0] : &l->runs_[r].p[l->runs_[r].head];
}

void line_push(struct line *l, const struct line_entry *e)
{
    uint32_t r = run_for(l, e);
    if (r == LINE_RUNS) {
        vec_push(&l->heap_, *e);
        heap_up(l, l->heap_.len - 1);
    } else {
        run_append(&l->runs_[r], e);
        l->nonempty_ |= 1u << r;
    }
    l->len++;
    /* an append behind others changes the first only when the line was empty; a new head may be the new first */
    if (l->best_ != LINE_UNKNOWN_ && line_less(e, head_of(l, l->best_)))
        l->best_ = r;
}

const struct line_entry *line_first_any_(struct line *l)
{
    if (l->best_ != LINE_UNKNOWN_)
        return head_of(l, l->best_);
    const struct line_entry *first = l->heap_.len ? &l->heap_.p[0] : NULL;
    uint32_t best = LINE_RUNS;
    for (uint32_t bits = l->nonempty_; bits; bits &= bits - 1) {
        uint32_t r = (uint32_t)__builtin_ctz(bits);
        if (!first || line_less(head_of(l, r), first)) {
            first = head_of(l, r);
            best = r;
        }
    }
    if (first)
        l->best_ = best;
    return first;
}

void line_pop(struct line *l)
{
    BUG_ON(!line_first_any_(l));
    uint32_t r = l->best_;
    l->len--;
    if (r == LINE_RUNS) {
        l->heap_.p[0] = l->heap_.p[--l->heap_.len];
        if (l->heap_.len)
            heap_down(l, 0);
    } else if (++l->runs_[r].head == l->runs_[r].len) {
        l->runs_[r].head = l->runs_[r].len = 0;
        l->nonempty_ &= ~(1u << r);
    } else if (l->nonempty_ == 1u << r && !l->heap_.len) {
        return; /* the only run: its next is the first */
    }
    l->best_ = LINE_UNKNOWN_;
}

const struct line_entry *line_first(struct line *l, line_alive_fn *alive, const void *arg)
{
    const struct line_entry *e;
    while ((e = line_first_any_(l)) && !alive(arg, e))
        line_pop(l);
    return e;
}

void line_sweep(struct line *l, size_t live, line_alive_fn *alive, const void *arg)
{
    if (l->len <= live * 2 + 1024)
        return;
    l->len = 0;
    for (uint32_t i = 0; i < LINE_RUNS; i++) {
        struct line_run *r = &l->runs_[i];
        uint32_t n = 0;
        for (uint32_t k = r->head; k < r->len; k++)
            if (alive(arg, &r->p[k]))
                r->p[n++] = r->p[k];
        r->head = 0;
        r->len = n;
        l->len += n;
        if (!n)
            l->nonempty_ &= ~(1u << i);
    }
    size_t n = 0;
    for (size_t k = 0; k < l->heap_.len; k++)
        if (alive(arg, &l->heap_.p[k]))
            l->heap_.p[n++] = l->heap_.p[k];
    l->heap_.len = n;
    l->len += n;
    for (size_t i = n / ARITY + 1; i-- > 0;)
        if (i < n)
            heap_down(l, i);
    l->best_ = LINE_UNKNOWN_;
}

size_t line_before(const struct line *l, const struct line_entry *e, line_alive_fn *alive, const void *arg)
{
    size_t n = 0;
    for (uint32_t i = 0; i < LINE_RUNS; i++) {
        const struct line_run *r = &l->runs_[i];
        for (uint32_t k = r->head; k < r->len && line_less(&r->p[k], e); k++)
            n += alive(arg, &r->p[k]);
    }
    for (size_t k = 0; k < l->heap_.len; k++)
        n += line_less(&l->heap_.p[k], e) && alive(arg, &l->heap_.p[k]);
    return n;
}

uint32_t line_hint(const struct line *l, uint32_t k)
{
    if (l->best_ >= LINE_RUNS)
        return 0;
    const struct line_run *r = &l->runs_[l->best_];
    return r->head + k < r->len ? r->p[r->head + k].id : 0;
}
