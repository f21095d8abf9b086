/* line.c - whose turn it is.
 *
 *   queues:   winner trees, one for the children of each queue            root ─ a ─ (a1 a2)      a unit starts in a1: the ways a1-a-root are played again,
 *   leaf:     a heap of kinds, by priority, minimum, age of the oldest         └ b                 log(children) comparisons a level
 *   kind:     a heap of units, the oldest first
 * Kinds keep what was answered last (parked, with the events that can help), so a unit that joins a parked kind costs nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"
#include "sched/engine/unit.h"

#define POOL_EVENTS (EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_NODE_LABEL | EVENT_NODE_TAINT | EVENT_POLICY)

/* --- order of units ---------------------------------------------------------------------------------------------------------------------- */
static str uid_of(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    if (unit->is_group)
        return unit->key;
    str uid = sched_pod_uid(p->s, unit->pods.p[0]);
    return uid.len ? uid : sched_pod_name(p->s, unit->pods.p[0]);
}

int line_unit_cmp(const struct policy *p, unit_id a, unit_id b)
{
    const struct unit *x = &p->s->units[a], *y = &p->s->units[b];
    if (x->created_ns != y->created_ns)
        return x->created_ns < y->created_ns ? -1 : 1;
    if (a == b)
        return 0;
    int c = str_cmp(uid_of(p, a), uid_of(p, b));
    return c ? c : a < b ? -1 : 1;
}

/* --- units of a kind --------------------------------------------------------------------------------------------------------------------- */
static void unit_set(struct policy *p, struct kind *k, size_t i, unit_id u)
{
    k->units.p[i] = u;
    p->units[u].kind_pos = (uint32_t)i;
}

static void unit_up(struct policy *p, struct kind *k, size_t i)
{
    unit_id u = k->units.p[i];
    for (; i > 0 && line_unit_cmp(p, u, k->units.p[(i - 1) / 2]) < 0; i = (i - 1) / 2)
        unit_set(p, k, i, k->units.p[(i - 1) / 2]);
    unit_set(p, k, i, u);
}

static void unit_down(struct policy *p, struct kind *k, size_t i)
{
    unit_id u = k->units.p[i];
    for (size_t c; (c = 2 * i + 1) < k->units.len; i = c) {
        if (c + 1 < k->units.len && line_unit_cmp(p, k->units.p[c + 1], k->units.p[c]) < 0)
            c++;
        if (line_unit_cmp(p, u, k->units.p[c]) <= 0)
            break;
        unit_set(p, k, i, k->units.p[c]);
    }
    unit_set(p, k, i, u);
}

/* --- kinds of a leaf ----------------------------------------------------------------------------------------------------------------------- */
static int kind_cmp(const struct policy *p, uint32_t a, uint32_t b)
{
    const struct kind *x = &p->kinds.p[a], *y = &p->kinds.p[b];
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->min_state != y->min_state)
        return x->min_state < y->min_state ? -1 : 1;
    return line_unit_cmp(p, x->units.p[0], y->units.p[0]);
}

static void turn_set(struct policy *p, struct branch_queue *leaf, size_t i, uint32_t kind)
{
    leaf->turn.p[i] = kind;
    p->kinds.p[kind].walk_pos = (uint32_t)i + 1;
}

static void turn_up(struct policy *p, struct branch_queue *leaf, size_t i)
{
    uint32_t k = leaf->turn.p[i];
    for (; i > 0 && kind_cmp(p, k, leaf->turn.p[(i - 1) / 2]) < 0; i = (i - 1) / 2)
        turn_set(p, leaf, i, leaf->turn.p[(i - 1) / 2]);
    turn_set(p, leaf, i, k);
}

static void turn_down(struct policy *p, struct branch_queue *leaf, size_t i)
{
    uint32_t k = leaf->turn.p[i];
    for (size_t c; (c = 2 * i + 1) < leaf->turn.len; i = c) {
        if (c + 1 < leaf->turn.len && kind_cmp(p, leaf->turn.p[c + 1], leaf->turn.p[c]) < 0)
            c++;
        if (kind_cmp(p, k, leaf->turn.p[c]) <= 0)
            break;
        turn_set(p, leaf, i, leaf->turn.p[c]);
    }
    turn_set(p, leaf, i, k);
}

void walk_drop(struct policy *p, uint32_t kind)
{
    struct kind *k = &p->kinds.p[kind];
    if (!k->walk_pos)
        return;
    struct branch_queue *leaf = &p->tree[k->leaf];
    size_t i = k->walk_pos - 1;
    k->walk_pos = 0;
    uint32_t last = vec_pop(&leaf->turn);
    if (i == leaf->turn.len)
        return;
    turn_set(p, leaf, i, last);
    turn_down(p, leaf, i);
    turn_up(p, leaf, p->kinds.p[last].walk_pos - 1);
}

/* The head of a kind in the walk changed. */
static void turn_again(struct policy *p, uint32_t kind)
{
    struct kind *k = &p->kinds.p[kind];
    if (!k->walk_pos)
        return;
    struct branch_queue *leaf = &p->tree[k->leaf];
    turn_down(p, leaf, k->walk_pos - 1);
    turn_up(p, leaf, k->walk_pos - 1);
}

/* --- which kind --------------------------------------------------------------------------------------------------------------------------- */
static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* All of a group that decides where its members may go, but for sub-groups and members of other orders: those are other shapes.  Groups with members on nodes are like nobody else:
 * their domains are chosen.  64 bits: should two shapes ever share them, one waits for the other's next event. */
static uint64_t group_shape(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    uint64_t h = mix(mix(0x1234567, (uint64_t)unit->min_member), (uint64_t)unit->min_subgroup << 1 | unit->declared), members = 0;
    for (uint32_t i = 0; i < unit->nsubgroups; i++) {
        const struct subgroup *g = &unit->subgroups[i];
        h = mix(mix(mix(mix(h, g->name), g->parent), (uint64_t)g->min_member << 32 | (uint32_t)g->min_subgroup), g->required_key);
        h = mix(h, g->npreferred_keys ? g->preferred_keys[g->npreferred_keys - 1] : 0); /* the narrowest names the others */
    }
    for (uint32_t i = 0; i < unit->nrequired_keys; i++)
        h = mix(h, unit->required_keys[i]);
    for (uint32_t i = 0; i < unit->npreferred_keys; i++)
        h = mix(h + 1, unit->preferred_keys[i]);
    for (uint32_t i = 0; i < unit->nsort_rules; i++)
        h = mix(h + 2, (uint64_t)unit->sort_rules[i].resource << 2 | (uint64_t)unit->sort_rules[i].by_available << 1 | unit->sort_rules[i].descending);
    for (uint32_t i = 0; i < unit->nnode_selector; i++)
        h = mix(mix(h + 3, unit->node_selector[i].key), unit->node_selector[i].value);
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *pod = &p->s->pods[unit->pods.p[i]];
        if (pod->state != PS_PENDING)
            return mix(mix(h, u), ~(uint64_t)p->units[u].nplaced);
        members += mix(mix(0x77, pod->class_), pod->subgroup); /* in any order */
    }
    return mix(mix(h, members), unit->pods.len);
}

struct kind_key {
    queue_id leaf;
    int32_t priority;
    uint32_t flags;
    uint32_t class_;
    uint64_t shape;
    nsec_t ready_ns; /* those that wait before others go for them are like nobody else, too */
    uint32_t runtime; /* seconds, rounded up: who ends sooner may start where others may not */
    uint32_t unit;    /* of those that are tried so many times: each for itself */
};

static uint32_t steps_of(const struct policy *p, const struct unit *unit)
{
    nsec_t waits = p->now - unit->created_ns;
    return p->opts.age_every_ns <= 0 || waits <= 0 ? 0 : (uint32_t)MIN(waits / p->opts.age_every_ns, (nsec_t)p->opts.age_steps);
}

/* Its place in the line of its queue; what it may evict goes by its own priority. */
static int32_t aged_priority(const struct policy *p, const struct unit *unit)
{
    int64_t most = unit->priority < PREEMPTIBLE_BELOW ? PREEMPTIBLE_BELOW - 1 : INT32_MAX;
    int64_t aged = unit->priority + (int64_t)steps_of(p, unit) * p->opts.age_step;
    return p->opts.age_every_ns ? (int32_t)MAX(MIN(aged, most), (int64_t)unit->priority) : unit->priority;
}

/* Three digits of two: a difference of an eighth makes no other kind. */
static uint32_t round_runtime(nsec_t ns)
{
    uint64_t s = (uint64_t)((ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
    uint32_t shift = s < 8 ? 0 : 61u - (uint32_t)__builtin_clzll(s);
    s = (s + (1ull << shift) - 1) >> shift << shift;
    return (uint32_t)MIN(s, (uint64_t)UINT32_MAX);
}

static struct kind_key key_of(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    const struct batch_unit *b = &p->units[u];
    struct kind_key k;
    memset(&k, 0, sizeof k);
    k.leaf = b->leaf;
    k.flags = policy_asks_fixed(b) | (uint32_t)b->min_state << 1 | (uint32_t)unit->is_group << 3 | (uint32_t)b->semi << 4;
    k.ready_ns = b->ready_ns;
    k.priority = aged_priority(p, unit);
    k.runtime = round_runtime(unit->runtime_ns);
    k.unit = unit->max_tries > 0 ? u : 0;
    if (unit->is_group)
        k.shape = group_shape(p, u);
    else
        k.class_ = p->s->pods[unit->pods.p[0]].class_;
    return k;
}

static uint32_t kind_get(struct policy *p, const struct kind_key *key, uint8_t min_state)
{
    str text = {(const char *)key, sizeof *key};
    void *found = map_get(&p->kind_by_key, text);
    if (found)
        return (uint32_t)(uintptr_t)found;
    uint32_t id;
    if (p->free_kinds.len) {
        id = vec_pop(&p->free_kinds);
    } else {
        id = (uint32_t)p->kinds.len;
        vec_push(&p->kinds, (struct kind){0});
    }
    char *own = xmalloc(sizeof *key);
    memcpy(own, key, sizeof *key);
    struct kind *k = &p->kinds.p[id];
    *k = (struct kind){.used = true, .leaf = key->leaf, .priority = key->priority, .min_state = min_state, .key = {own, sizeof *key}};
    map_put(&p->kind_by_key, k->key, (void *)(uintptr_t)id);
    struct branch_queue *leaf = &p->tree[key->leaf];
    k->leaf_pos = (uint32_t)leaf->kinds.len;
    vec_push(&leaf->kinds, id);
    return id;
}

static void kind_drop(struct policy *p, uint32_t id)
{
    struct kind *k = &p->kinds.p[id];
    struct branch_queue *leaf = &p->tree[k->leaf];
    uint32_t at = k->leaf_pos;
    vec_remove_swap(&leaf->kinds, at);
    if (at < leaf->kinds.len)
        p->kinds.p[leaf->kinds.p[at]].leaf_pos = at;
    map_del(&p->kind_by_key, k->key);
    free((char *)k->key.p);
    vec_fini(&k->units);
    *k = (struct kind){0};
    vec_push(&p->free_kinds, id);
}

void line_leave(struct policy *p, unit_id u)
{
    struct batch_unit *b = &p->units[u];
    if (!b->kind)
        return;
    uint32_t id = b->kind;
    struct kind *k = &p->kinds.p[id];
    size_t i = b->kind_pos;
    b->kind = 0;
    if (k->units.len == 1) {
        walk_drop(p, id);
        kind_drop(p, id);
        return;
    }
    unit_id last = vec_pop(&k->units);
    if (i < k->units.len) {
        unit_set(p, k, i, last);
        unit_down(p, k, i);
        unit_up(p, k, p->units[last].kind_pos);
    }
    turn_again(p, id);
}

static void walk_join(struct policy *p, uint32_t kind);

void line_enter(struct policy *p, unit_id u)
{
    struct batch_unit *b = &p->units[u];
    struct kind_key key = key_of(p, u);
    if (b->kind && memcmp(p->kinds.p[b->kind].key.p, &key, sizeof key) == 0)
        return;
    line_leave(p, u);
    uint32_t id = kind_get(p, &key, b->min_state);
    struct kind *k = &p->kinds.p[id];
    b->kind = id;
    vec_push(&k->units, u);
    unit_up(p, k, k->units.len - 1);
    turn_again(p, id);
    if (p->opts.age_every_ns > 0)
        p->aged_ns = MIN(p->aged_ns, p->s->units[u].created_ns + (steps_of(p, &p->s->units[u]) + 1) * p->opts.age_every_ns);
    if (p->takes)
        walk_join(p, id);
}

void line_wake(struct policy *p, uint64_t events)
{
    for (size_t i = 1; events && i < p->kinds.len; i++)
        if (p->kinds.p[i].parked && p->kinds.p[i].helped_by & (p->kinds.p[i].gave_up ? events & POOL_EVENTS : events))
            p->kinds.p[i].parked = p->kinds.p[i].gave_up = false;
}

void line_age(struct policy *p)
{
    if (p->opts.age_every_ns <= 0 || p->now < p->aged_ns)
        return;
    p->aged_ns = INT64_MAX;
    for (size_t i = 1; i < p->kinds.len; i++) {
        /* the oldest of a kind rises first; those that came later follow */
        while (p->kinds.p[i].used && aged_priority(p, &p->s->units[p->kinds.p[i].units.p[0]]) != p->kinds.p[i].priority) {
            unit_id u = p->kinds.p[i].units.p[0];
            line_leave(p, u);
            line_enter(p, u);
        }
        const struct unit *oldest = p->kinds.p[i].used ? &p->s->units[p->kinds.p[i].units.p[0]] : NULL;
        if (oldest && steps_of(p, oldest) < p->opts.age_steps)
            p->aged_ns = MIN(p->aged_ns, oldest->created_ns + (steps_of(p, oldest) + 1) * p->opts.age_every_ns);
    }
}

uint32_t line_position(const struct policy *p, unit_id u)
{
    const struct batch_unit *b = &p->units[u];
    if (!b->kind)
        return 0;
    const struct branch_queue *leaf = &p->tree[b->leaf];
    const struct kind *mine = &p->kinds.p[b->kind];
    uint32_t before = 1;
    for (size_t i = 0; i < leaf->kinds.len; i++) {
        const struct kind *k = &p->kinds.p[leaf->kinds.p[i]];
        if (k->priority < mine->priority || (k->priority == mine->priority && k->min_state > mine->min_state))
            continue;
        bool all = k->priority > mine->priority || k->min_state < mine->min_state;
        for (size_t j = 0; j < k->units.len; j++)
            before += all || line_unit_cmp(p, k->units.p[j], u) < 0;
    }
    return before;
}

/* Of two in line of a leaf. */
static int place_cmp(const struct policy *p, unit_id a, unit_id b)
{
    const struct kind *x = &p->kinds.p[p->units[a].kind], *y = &p->kinds.p[p->units[b].kind];
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->min_state != y->min_state)
        return x->min_state < y->min_state ? -1 : 1;
    return line_unit_cmp(p, a, b);
}

/* ret[0 .. n - 1] is a heap, the last in line on top: one that is before it takes its place. */
static void front_down(const struct policy *p, unit_id *ret, size_t n, size_t i)
{
    unit_id u = ret[i];
    for (size_t c; (c = 2 * i + 1) < n; i = c) {
        if (c + 1 < n && place_cmp(p, ret[c + 1], ret[c]) > 0)
            c++;
        if (place_cmp(p, u, ret[c]) >= 0)
            break;
        ret[i] = ret[c];
    }
    ret[i] = u;
}

static void front_add(const struct policy *p, unit_id *ret, size_t *n, size_t max, unit_id u)
{
    if (*n == max) {
        if (place_cmp(p, u, ret[0]) > 0)
            return;
        ret[0] = u;
        front_down(p, ret, *n, 0);
        return;
    }
    size_t i = (*n)++;
    for (; i > 0 && place_cmp(p, u, ret[(i - 1) / 2]) > 0; i = (i - 1) / 2)
        ret[i] = ret[(i - 1) / 2];
    ret[i] = u;
}

size_t policy_line(const struct policy *p, queue_id leaf, unit_id *ret, size_t max)
{
    size_t n = 0;
    if (leaf >= p->ntree || !p->tree[leaf].leaf || max == 0)
        return 0;
    for (size_t i = 0; i < p->tree[leaf].kinds.len; i++) {
        const struct kind *k = &p->kinds.p[p->tree[leaf].kinds.p[i]];
        for (size_t j = 0; j < k->units.len; j++)
            front_add(p, ret, &n, max, k->units.p[j]);
    }
    for (size_t left = n; left > 1; left--) {
        unit_id last = ret[0];
        ret[0] = ret[left - 1];
        front_down(p, ret, left - 1, 0);
        ret[left - 1] = last;
    }
    return n;
}

bool policy_is_in_line(const struct policy *p, unit_id u)
{
    return u < p->nunits && p->units[u].known && p->units[u].kind;
}

/* --- the tree of queues ----------------------------------------------------------------------------------------------------------------------- */
static const struct policy_amounts nothing;

/* Of two siblings, who goes first; either may be nobody. */
static queue_id play(const struct policy *p, queue_id a, queue_id b, enum walk_side side)
{
    if (!a || !b)
        return a ? a : b;
    int c = side == SIDE_VICTIMS ? -queues_compare(p->q, a, &nothing, b, &nothing) : queues_compare(p->q, a, &p->tree[a].ask, b, &p->tree[b].ask);
    return c <= 0 ? a : b;
}

/* What b's children decided among themselves. */
static void played(struct policy *p, struct branch_queue *b, enum walk_side side)
{
    queue_id first = b->side[side].win[1];
    b->side[side].has = first != QUEUE_NONE;
    if (first && side == SIDE_LINE)
        b->ask = p->tree[first].ask;
}

static void play_all(struct policy *p, queue_id id, enum walk_side side)
{
    struct branch_queue *b = &p->tree[id];
    if (b->below.len == 0)
        return;
    queue_id *win = b->side[side].win;
    for (uint32_t i = 0; i < b->width; i++) {
        queue_id child = i < b->below.len ? b->below.p[i] : QUEUE_NONE;
        if (child)
            play_all(p, child, side);
        win[b->width + i] = child && p->tree[child].side[side].has ? child : QUEUE_NONE;
    }
    for (uint32_t i = b->width - 1; i >= 1; i--)
        win[i] = play(p, win[2 * i], win[2 * i + 1], side);
    played(p, b, side);
}

static void play_up(struct policy *p, queue_id leaf, enum walk_side side)
{
    for (queue_id at = leaf; at; at = p->tree[at].parent) {
        struct branch_queue *up = &p->tree[p->tree[at].parent];
        queue_id *win = up->side[side].win;
        uint32_t i = up->width + p->tree[at].slot;
        win[i] = p->tree[at].side[side].has ? at : QUEUE_NONE;
        for (i /= 2; i >= 1; i /= 2)
            win[i] = play(p, win[2 * i], win[2 * i + 1], side);
        played(p, up, side);
    }
}

static queue_id play_first(const struct policy *p, enum walk_side side)
{
    queue_id at = 0;
    while (p->tree[at].below.len && p->tree[at].side[side].has)
        at = p->tree[at].side[side].win[1];
    return at;
}

static void leaf_ask(struct policy *p, queue_id id)
{
    struct branch_queue *leaf = &p->tree[id];
    leaf->side[SIDE_LINE].has = leaf->turn.len > 0;
    if (leaf->turn.len)
        policy_ask(p, p->kinds.p[leaf->turn.p[0]].units.p[0], &leaf->ask);
}

/* Into the walk, if it is one of those that the walk is about. */
static void walk_join(struct policy *p, uint32_t kind)
{
    struct kind *k = &p->kinds.p[kind];
    struct branch_queue *leaf = &p->tree[k->leaf];
    if (k->walk_pos || !p->takes(p, k, p->takes_arg))
        return;
    vec_push(&leaf->turn, kind);
    turn_up(p, leaf, leaf->turn.len - 1);
}

void walk_begin(struct policy *p, bool (*takes)(const struct policy *p, const struct kind *k, int arg), int arg)
{
    p->takes = takes;
    p->takes_arg = arg;
    for (queue_id id = 1; id < p->ntree; id++) {
        struct branch_queue *leaf = &p->tree[id];
        for (size_t i = 0; leaf->leaf && i < leaf->kinds.len; i++)
            walk_join(p, leaf->kinds.p[i]);
        if (leaf->leaf)
            leaf_ask(p, id);
    }
    play_all(p, 0, SIDE_LINE);
}

uint32_t walk_next(struct policy *p)
{
    queue_id leaf = play_first(p, SIDE_LINE);
    return leaf ? p->tree[leaf].turn.p[0] : 0;
}

void walk_touch(struct policy *p, queue_id leaf)
{
    leaf_ask(p, leaf);
    play_up(p, leaf, SIDE_LINE);
}

void walk_end(struct policy *p)
{
    p->takes = NULL;
    for (queue_id id = 1; id < p->ntree; id++) {
        struct branch_queue *leaf = &p->tree[id];
        for (size_t i = 0; i < leaf->turn.len; i++)
            p->kinds.p[leaf->turn.p[i]].walk_pos = 0;
        vec_clear(&leaf->turn);
    }
}

void victims_walk_begin(struct policy *p)
{
    play_all(p, 0, SIDE_VICTIMS);
}
queue_id victims_walk_next(struct policy *p)
{
    return play_first(p, SIDE_VICTIMS);
}
void victims_walk_touch(struct policy *p, queue_id leaf)
{
    play_up(p, leaf, SIDE_VICTIMS);
}
