/* links.c - see links.h.
 *
 *   by_ends: (alice, bob) -> link ── route "/alice-bob" 100M ── route "alice/alice-bob" 80M      capacity 80M
 *   unit.ends: alice: 1 pod, sends 60M │ bob: 1 pod, receives 40M                                 alice->bob takes max(60M, 40M)
 * A link is there while it has a route or somebody takes of it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/links.h"

#include "base/bandwidth.h"
#include "base/limits.h"
#include "sched/engine/engine.h"
#include "sched/engine/keep.h"
#include "sched/engine/statement.h"

struct route {
    struct link *link;
    struct route *next; /* of the link */
    int64_t bits;
    str key; /* "ns/name", ours */
};
struct links {
    struct map by_ends;  /* the bytes of link.ends -> link */
    struct map by_route; /* "ns/name" -> route */
    sym_t freed[LINKS_JOURNAL][2];
    uint64_t nfreed;
};

struct links *links_new(void)
{
    return xnew(struct links);
}

void links_free(struct links *x)
{
    if (!x)
        return;
    map_foreach(e, &x->by_route) {
        struct route *r = e->value;
        free((char *)r->key.p);
        free(r);
    }
    map_foreach(e, &x->by_ends)
        free(e->value);
    map_fini(&x->by_route);
    map_fini(&x->by_ends);
    free(x);
}

static str key_of(const sym_t ends[2])
{
    return str_n((const char *)ends, 2 * sizeof *ends);
}

const struct link *links_find(const struct sched *s, sym_t source, sym_t destination)
{
    const sym_t ends[2] = {source, destination};
    return map_get(&s->links->by_ends, key_of(ends));
}

static struct link *get(struct sched *s, sym_t source, sym_t destination)
{
    struct link *l = (struct link *)links_find(s, source, destination);
    if (l)
        return l;
    l = xnew(struct link);
    *l = (struct link){.ends = {source, destination}, .capacity = LINK_ENDLESS};
    map_put(&s->links->by_ends, key_of(l->ends), l);
    return l;
}

static void drop_if_unused(struct sched *s, struct link *l)
{
    if (l->routes || l->taken)
        return;
    map_del(&s->links->by_ends, key_of(l->ends));
    free(l);
}

uint64_t links_freed_count(const struct sched *s)
{
    return s->links->nfreed;
}

void links_freed_at(const struct sched *s, uint64_t i, sym_t ret[2])
{
    memcpy(ret, s->links->freed[i % LINKS_JOURNAL], sizeof s->links->freed[0]);
}

void links_freed(struct sched *s, sym_t source, sym_t destination)
{
    sym_t *to = s->links->freed[s->links->nfreed++ % LINKS_JOURNAL];
    to[0] = source;
    to[1] = destination;
    statement_event(s, EVENT_LINK);
}

/* --- routes ---------------------------------------------------------------------------------------------------------------------------------- */
/* The narrowest counts.  True: it became wider. */
static bool measure(struct link *l)
{
    int64_t before = l->capacity;
    l->capacity = LINK_ENDLESS;
    for (const struct route *r = l->routes; r; r = r->next)
        l->capacity = l->capacity == LINK_ENDLESS ? r->bits : MIN(l->capacity, r->bits);
    return before != LINK_ENDLESS && (l->capacity == LINK_ENDLESS || l->capacity > before);
}

static void take_out(struct sched *s, struct route *r)
{
    struct link *l = r->link;
    struct route **at = &l->routes;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (measure(l))
        links_freed(s, l->ends[0], l->ends[1]);
    drop_if_unused(s, l);
}

static str route_key(struct strbuf *b, str ns, str name)
{
    strbuf_addf(b, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    return strbuf_str(b);
}

int sched_route_put(struct sched *s, const struct route_spec *spec, struct err *err)
{
    STRBUF_AUTO buf = STRBUF_HEAP;
    str key = route_key(&buf, spec->ns, spec->name);
    if (spec->bits <= 0 || str_eq(spec->source, spec->destination)) { /* it says nothing of bandwidth, or of a way that nobody has to go */
        sched_route_delete(s, spec->ns, spec->name);
        return 0;
    }
    struct route *r = map_get(&s->links->by_route, key);
    if (!r && s->links->by_route.len >= LIMIT_SCHED_ROUTES)
        return err_set(err, E_TOO_LARGE, "route " STR_FMT " is one too many: the scheduler holds at most %u with a bandwidth", STR_ARG(key), LIMIT_SCHED_ROUTES);
    struct link *l = get(s, symbol(&s->sym, spec->source), symbol(&s->sym, spec->destination));
    if (r && r->link != l) {
        take_out(s, r);
    } else if (!r) {
        r = xnew(struct route);
        r->key = str_n(str_dup(key), key.len);
        map_put(&s->links->by_route, r->key, r);
    }
    r->bits = MIN(spec->bits, (int64_t)BANDWIDTH_MAX);
    if (r->link != l) {
        r->link = l;
        r->next = l->routes;
        l->routes = r;
    }
    if (measure(l))
        links_freed(s, l->ends[0], l->ends[1]);
    return 0;
}

void sched_route_delete(struct sched *s, str ns, str name)
{
    STRBUF_AUTO buf = STRBUF_HEAP;
    struct route *r = map_del(&s->links->by_route, route_key(&buf, ns, name));
    if (!r)
        return;
    take_out(s, r);
    free((char *)r->key.p);
    free(r);
}

/* --- what groups take -------------------------------------------------------------------------------------------------------------------------- */
static void take(struct sched *s, sym_t source, sym_t destination, int64_t bits)
{
    if (bits == 0)
        return;
    struct link *l = get(s, source, destination);
    l->taken += bits;
    if (bits < 0 && l->capacity != LINK_ENDLESS && !s->imagining)
        links_freed(s, source, destination);
    drop_if_unused(s, l);
}

static struct link_end with(struct link_end e, const struct pod_class *c, int sign)
{
    e.pods += (uint32_t)sign;
    e.egress += sign * c->amount[RES_EGRESS];
    e.ingress += sign * c->amount[RES_INGRESS];
    return e;
}

void links_end_add(struct link_ends *x, const struct link_end *e)
{
    uint32_t i = 0;
    while (i < x->n && x->p[i].ns != e->ns)
        i++;
    if (i == x->n) {
        if (x->n == x->cap) {
            x->cap = MAX(2u, x->cap * 2);
            x->p = xrealloc(x->p, x->cap * sizeof *x->p);
        }
        x->p[x->n++] = (struct link_end){.ns = e->ns};
    }
    x->p[i].pods += e->pods;
    x->p[i].egress += e->egress;
    x->p[i].ingress += e->ingress;
}

static const struct link_end *end_of(const struct link_ends *x, sym_t ns)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->p[i].ns == ns)
            return &x->p[i];
    return NULL;
}

void links_pod(struct sched *s, pod_id p, int sign)
{
    struct link_ends *x = &s->units[s->pods[p].unit].ends;
    const struct link_end *found = end_of(x, s->pods[p].ns);
    if (!found) {
        links_end_add(x, &(struct link_end){.ns = s->pods[p].ns});
        found = &x->p[x->n - 1];
    }
    struct link_end *own = &x->p[found - x->p], before = *own, after = with(before, class_of(s, p), sign);
    for (uint32_t i = 0; i < x->n; i++) {
        const struct link_end *other = &x->p[i];
        if (other == own || !other->pods)
            continue;
        take(s, own->ns, other->ns, links_takes(&after, other) - links_takes(&before, other));
        take(s, other->ns, own->ns, links_takes(other, &after) - links_takes(other, &before));
    }
    *own = after;
    if (own->pods == 0)
        *own = x->p[--x->n];
}

/* Does it lack what is asked for besides, and more than the worst so far? */
static bool weigh(const struct sched *s, unit_id u, sym_t source, sym_t destination, int64_t asked, struct link_lack *worst)
{
    const struct link *l = asked > 0 ? links_find(s, source, destination) : NULL;
    if (!l || l->capacity == LINK_ENDLESS)
        return false;
    int64_t kept = keep_link_bits(s, u, source, destination), over = l->taken + kept + asked - l->capacity;
    if (over <= 0 || over <= worst->taken + worst->kept + worst->asked - worst->capacity)
        return false;
    *worst = (struct link_lack){symbol_text(&s->sym, source), symbol_text(&s->sym, destination), l->capacity, l->taken, kept, asked};
    return true;
}

bool links_lack(const struct sched *s, pod_id p, struct link_lack *ret)
{
    unit_id id = s->pods[p].unit;
    const struct unit *u = &s->units[id];
    struct link_lack worst = {0};
    if (!unit_crosses(u) || u->ends.n == 0 || s->links->by_route.len == 0)
        return false;
    const struct link_end none = {.ns = s->pods[p].ns}, *own = end_of(&u->ends, s->pods[p].ns), before = own ? *own : none, after = with(before, class_of(s, p), 1);
    for (uint32_t i = 0; i < u->ends.n; i++) {
        const struct link_end *other = &u->ends.p[i];
        if (other == own)
            continue;
        weigh(s, id, after.ns, other->ns, links_takes(&after, other) - links_takes(&before, other), &worst);
        weigh(s, id, other->ns, after.ns, links_takes(other, &after) - links_takes(other, &before), &worst);
    }
    if (worst.asked && ret)
        *ret = worst;
    return worst.asked > 0;
}

bool links_lack_whole(const struct sched *s, unit_id u, sym_t ret[2])
{
    const struct unit *unit = &s->units[u];
    struct link_lack worst = {0};
    struct link_ends all = {0};
    if (s->links->by_route.len == 0)
        return false;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod_class *c = class_of(s, unit->pods.p[i]);
        links_end_add(&all, &(struct link_end){s->pods[unit->pods.p[i]].ns, 1, c->amount[RES_EGRESS], c->amount[RES_INGRESS]});
    }
    for (uint32_t i = 0; i < all.n; i++)
        for (uint32_t k = 0; k < all.n; k++) {
            const struct link_end *a = &all.p[i], *b = &all.p[k], *now_a = end_of(&unit->ends, a->ns), *now_b = end_of(&unit->ends, b->ns);
            if (i == k || !weigh(s, u, a->ns, b->ns, links_takes(a, b) - (now_a && now_b ? links_takes(now_a, now_b) : 0), &worst))
                continue;
            ret[0] = a->ns;
            ret[1] = b->ns;
        }
    free(all.p);
    return worst.asked > 0;
}

/* When what is left reads as what is asked for, the last bits are the reason. */
static const char *bits_text(int64_t bits, bool exact, char ret[BANDWIDTH_TEXT])
{
    if (!exact)
        return bandwidth_print(bits, ret);
    snprintf(ret, BANDWIDTH_TEXT, "%lld bit/s", (long long)bits);
    return ret;
}

str link_lack_text(struct arena *a, const struct link_lack *l)
{
    char asked[BANDWIDTH_TEXT], taken[BANDWIDTH_TEXT], capacity[BANDWIDTH_TEXT], kept[BANDWIDTH_TEXT];
    bool exact = strcmp(bandwidth_print(l->asked, asked), bandwidth_print(l->capacity - l->taken - l->kept, taken)) == 0;
    str text = arena_fmt(a, "link " STR_FMT "->" STR_FMT " lacks bandwidth (needs %s; %s of %s taken", STR_ARG(l->source), STR_ARG(l->destination), bits_text(l->asked, exact, asked),
                         bits_text(l->taken, exact, taken), bits_text(l->capacity, exact, capacity));
    return l->kept ? arena_fmt(a, STR_FMT ", %s kept)", STR_ARG(text), bits_text(l->kept, exact, kept)) : arena_fmt(a, STR_FMT ")", STR_ARG(text));
}

/* --- looking ------------------------------------------------------------------------------------------------------------------------------------- */
static int by_name(const void *pa, const void *pb, void *arg)
{
    const struct link *const *a = pa, *const *b = pb;
    const struct sched *s = arg;
    int c = str_cmp(symbol_text(&s->sym, (*a)->ends[0]), symbol_text(&s->sym, (*b)->ends[0]));
    return c ? c : str_cmp(symbol_text(&s->sym, (*a)->ends[1]), symbol_text(&s->sym, (*b)->ends[1]));
}

void links_list(const struct sched *s, struct link_list *ret)
{
    vec_clear(&ret->list);
    map_foreach(e, &s->links->by_ends) {
        const struct link *l = e->value;
        if (l->capacity != LINK_ENDLESS)
            vec_push(&ret->list, l);
    }
    if (ret->list.len)
        qsort_r(ret->list.p, ret->list.len, sizeof *ret->list.p, by_name, (void *)s);
}

/* --- for tests ------------------------------------------------------------------------------------------------------------------------------------ */
/* What the unit's pods in one namespace have in place, counted again. */
static struct link_end count_end(const struct sched *s, const struct unit *u, sym_t ns)
{
    struct link_end e = {.ns = ns};
    for (size_t i = 0; i < u->pods.len; i++)
        if (s->pods[u->pods.p[i]].state >= PS_ASSUMED && s->pods[u->pods.p[i]].ns == ns)
            e = with(e, class_of(s, u->pods.p[i]), 1);
    return e;
}

static int64_t count_taken(const struct sched *s, const struct link *l)
{
    int64_t sum = 0;
    for (unit_id u = 1; u < s->nunits_slots; u++) {
        if (!s->units[u].used || !unit_crosses(&s->units[u]))
            continue;
        struct link_end a = count_end(s, &s->units[u], l->ends[0]), b = count_end(s, &s->units[u], l->ends[1]);
        sum += links_takes(&a, &b);
    }
    return sum;
}

int links_check(const struct sched *s, struct err *err)
{
    for (unit_id u = 1; u < s->nunits_slots; u++)
        for (uint32_t i = 0; s->units[u].used && i < s->units[u].ends.n; i++)
            for (uint32_t k = 0; k < s->units[u].ends.n; k++) {
                const struct link_end *a = &s->units[u].ends.p[i], *b = &s->units[u].ends.p[k];
                const struct link_end now = count_end(s, &s->units[u], a->ns);
                if (now.pods != a->pods || now.egress != a->egress || now.ingress != a->ingress)
                    return err_set(err, E_INTERNAL, "group " STR_FMT ": what it has in " STR_FMT " differs from its pods", STR_ARG(s->units[u].key), STR_ARG(symbol_text(&s->sym, a->ns)));
                if (i != k && links_takes(a, b) && !links_find(s, a->ns, b->ns))
                    return err_set(err, E_INTERNAL, "group " STR_FMT " takes of a link that is not there", STR_ARG(s->units[u].key));
            }
    map_foreach(e, &s->links->by_ends) {
        const struct link *l = e->value;
        int64_t taken = count_taken(s, l);
        if (taken != l->taken)
            return err_set(err, E_INTERNAL, "link " STR_FMT "->" STR_FMT " counts %lld as taken, groups take %lld", STR_ARG(symbol_text(&s->sym, l->ends[0])),
                           STR_ARG(symbol_text(&s->sym, l->ends[1])), (long long)l->taken, (long long)taken);
    }
    return 0;
}
