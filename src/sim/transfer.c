/* transfer.c - see transfer.h.
 *
 * Filling: every pipe has a level at which it would be full if all that goes through it grew alike: (what is left) / (weights that still grow).  The pipe with the lowest level is full first; what
 * goes through it stays at that level and is taken out of all its other pipes, whose levels rise by that.  Levels only rise, so a heap whose keys may be too low will do: a pipe is looked at again when it
 * comes to the top. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/transfer.h"

#include <math.h>

#include "base/vec.h"

#define FULL_EPS 1e-9

struct transfer {
    uint32_t id;
    double left, rate; /* bits, bit/s */
    uint32_t first, n; /* of uses */
};
struct pipe {
    double capacity;
    double left, weight; /* while rates are made */
    uint32_t first, n;   /* of through */
};
struct level {
    double at;
    uint32_t pipe;
};
struct transfers {
    VEC(struct pipe) pipes;
    VEC(struct transfer) all; /* in order of their start */
    VEC(struct transfer_use) uses;
    size_t nuses;              /* of those that are there; the others are dead */
    VEC(uint32_t) through;    /* transfers by pipe */
    VEC(struct level) heap;
    nsec_t now;
    bool stale; /* rates */
};

struct transfers *transfers_new(void)
{
    return xnew(struct transfers);
}

void transfers_free(struct transfers *x)
{
    if (!x)
        return;
    vec_fini(&x->pipes);
    vec_fini(&x->all);
    vec_fini(&x->uses);
    vec_fini(&x->through);
    vec_fini(&x->heap);
    free(x);
}

uint32_t transfers_add_pipe(struct transfers *x, double bits_per_s)
{
    vec_push(&x->pipes, (struct pipe){.capacity = MAX(bits_per_s, 1.0)});
    return (uint32_t)x->pipes.len - 1;
}

size_t transfers_count(const struct transfers *x)
{
    return x->all.len;
}

/* --- rates ---------------------------------------------------------------------------------------------------------------------------------------- */

static void heap_push(struct transfers *x, struct level l)
{
    vec_push(&x->heap, l);
    size_t i = x->heap.len - 1;
    for (; i && l.at < x->heap.p[(i - 1) / 2].at; i = (i - 1) / 2)
        x->heap.p[i] = x->heap.p[(i - 1) / 2];
    x->heap.p[i] = l;
}

static struct level heap_pop(struct transfers *x)
{
    struct level first = x->heap.p[0], last = vec_pop(&x->heap);
    size_t i = 0, n = x->heap.len;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && x->heap.p[child + 1].at < x->heap.p[child].at;
        if (x->heap.p[child].at >= last.at)
            break;
        x->heap.p[i] = x->heap.p[child];
    }
    if (n)
        x->heap.p[i] = last;
    return first;
}

/* Who goes through which pipe, by pipe. */
static void sort_by_pipe(struct transfers *x)
{
    uint32_t at = 0;
    for (size_t i = 0; i < x->pipes.len; i++)
        x->pipes.p[i].n = 0;
    for (size_t i = 0; i < x->all.len; i++)
        for (uint32_t k = 0; k < x->all.p[i].n; k++)
            x->pipes.p[x->uses.p[x->all.p[i].first + k].pipe].n++;
    for (size_t i = 0; i < x->pipes.len; i++) {
        struct pipe *p = &x->pipes.p[i];
        p->first = at;
        at += p->n;
        p->n = 0;
        p->left = p->capacity;
        p->weight = 0;
    }
    vec_reserve(&x->through, at + 1);
    for (uint32_t i = 0; i < x->all.len; i++)
        for (uint32_t k = 0; k < x->all.p[i].n; k++) {
            struct transfer_use u = x->uses.p[x->all.p[i].first + k];
            struct pipe *p = &x->pipes.p[u.pipe];
            x->through.p[p->first + p->n++] = i;
            p->weight += u.weight;
        }
}

static double level_of(const struct pipe *p)
{
    return MAX(p->left, 0.0) / p->weight;
}

static void settle_at(struct transfers *x, struct transfer *t, double rate)
{
    t->rate = rate;
    for (uint32_t k = 0; k < t->n; k++) {
        struct transfer_use u = x->uses.p[t->first + k];
        struct pipe *p = &x->pipes.p[u.pipe];
        p->left -= rate * u.weight;
        p->weight -= u.weight;
    }
}

static void make_rates(struct transfers *x)
{
    if (!x->stale)
        return;
    x->stale = false;
    sort_by_pipe(x);
    size_t open = x->all.len;
    for (size_t i = 0; i < x->all.len; i++) {
        x->all.p[i].rate = x->all.p[i].n ? -1 : INFINITY;
        open -= x->all.p[i].n == 0;
    }
    vec_clear(&x->heap);
    for (uint32_t i = 0; i < x->pipes.len; i++)
        if (x->pipes.p[i].n)
            heap_push(x, (struct level){level_of(&x->pipes.p[i]), i});
    while (open && x->heap.len) {
        struct level l = heap_pop(x);
        struct pipe *p = &x->pipes.p[l.pipe];
        if (p->weight <= FULL_EPS)
            continue;
        double at = level_of(p);
        if (x->heap.len && at > x->heap.p[0].at && at > l.at * (1 + FULL_EPS)) {
            heap_push(x, (struct level){at, l.pipe});
            continue;
        }
        for (uint32_t k = 0; k < p->n; k++) {
            struct transfer *t = &x->all.p[x->through.p[p->first + k]];
            if (t->rate >= 0)
                continue;
            settle_at(x, t, at);
            open--;
        }
    }
}

/* --- time ------------------------------------------------------------------------------------------------------------------------------------------- */

static void advance(struct transfers *x, nsec_t now)
{
    if (now <= x->now)
        return;
    make_rates(x);
    double s = (double)(now - x->now) / 1e9;
    for (size_t i = 0; i < x->all.len; i++)
        x->all.p[i].left = isinf(x->all.p[i].rate) ? 0 : MAX(x->all.p[i].left - x->all.p[i].rate * s, 0.0);
    x->now = now;
}

/* Uses of those that have gone are thrown away when they are most. */
static void sweep(struct transfers *x)
{
    if (x->uses.len <= 2 * x->nuses + 64)
        return;
    uint32_t at = 0;
    for (size_t i = 0; i < x->all.len; i++) { /* in order of their start, so what is moved to has been read */
        struct transfer *t = &x->all.p[i];
        memmove(&x->uses.p[at], &x->uses.p[t->first], t->n * sizeof *x->uses.p);
        t->first = at;
        at += t->n;
    }
    x->uses.len = at;
}

static void take_out(struct transfers *x, size_t i)
{
    x->nuses -= x->all.p[i].n;
    vec_remove(&x->all, i);
    x->stale = true;
    sweep(x);
}

void transfers_start(struct transfers *x, nsec_t now, uint32_t id, double bits, const struct transfer_use *uses, size_t n)
{
    advance(x, now);
    struct transfer t = {.id = id, .left = MAX(bits, 0.0), .first = (uint32_t)x->uses.len};
    for (size_t i = 0; i < n; i++) {
        BUG_ON(uses[i].pipe >= x->pipes.len || !(uses[i].weight > 0));
        uint32_t k = 0;
        while (k < t.n && x->uses.p[t.first + k].pipe != uses[i].pipe)
            k++;
        if (k < t.n) {
            x->uses.p[t.first + k].weight += uses[i].weight;
            continue;
        }
        vec_push(&x->uses, uses[i]);
        t.n++;
    }
    t.rate = t.n ? 0 : INFINITY; /* until rates are made */
    x->nuses += t.n;
    vec_push(&x->all, t);
    x->stale = true;
}

void transfers_stop(struct transfers *x, nsec_t now, uint32_t id)
{
    for (size_t i = 0; i < x->all.len; i++)
        if (x->all.p[i].id == id) {
            advance(x, now);
            take_out(x, i);
            return;
        }
}

/* Less than a nanosecond's worth is nothing; what takes longer than a hundred years is never through at that rate (INT64_MAX). */
static nsec_t time_left(const struct transfer *t)
{
    double ns = isinf(t->rate) || t->left <= 0 ? 0 : t->rate > 0 ? t->left / t->rate * 1e9 : INFINITY;
    return ns < 1 ? 0 : ns < 4e18 ? (nsec_t)ceil(ns) : INT64_MAX;
}

nsec_t transfers_next(struct transfers *x)
{
    nsec_t least = INT64_MAX;
    make_rates(x);
    for (size_t i = 0; i < x->all.len; i++)
        least = MIN(least, time_left(&x->all.p[i]));
    return least > INT64_MAX - x->now ? INT64_MAX : x->now + least;
}

bool transfers_take(struct transfers *x, nsec_t now, uint32_t *ret_id)
{
    advance(x, now); /* rates as they were until now say who is through */
    for (size_t i = 0; i < x->all.len; i++)
        if (time_left(&x->all.p[i]) == 0) {
            *ret_id = x->all.p[i].id;
            take_out(x, i);
            return true;
        }
    return false;
}

double transfers_rate(struct transfers *x, uint32_t id)
{
    make_rates(x);
    for (size_t i = 0; i < x->all.len; i++)
        if (x->all.p[i].id == id)
            return x->all.p[i].rate;
    return 0;
}
