/* queues.c - the tree: queues come, change and go; who hangs where.  queues_state.h draws it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/policy/queues_state.h"

#include <math.h>

#define WEIGHT_MIN 1e-9 /* smaller and larger ones count as these: their sums and quotients stay ordinary numbers */
#define WEIGHT_MAX 1e12

struct queues *queues_new(void)
{
    static const struct {
        uint16_t res;
        const char *name;
    } always[] = {{RES_CPU, "cpu"}, {RES_MEMORY, "memory"}, {RES_GPU, "gpu"}};
    struct queues *q = xnew(struct queues);
    vec_push(&q->list, (struct queue){0});
    for (size_t i = 0; i < ARRAY_LEN(always); i++) {
        q->slot_res[i] = always[i].res;
        q->slot_name[i] = xstrdup(always[i].name);
    }
    q->nslots = ARRAY_LEN(always);
    q->k = 1;
    return q;
}

static void queue_fini(struct queue *x)
{
    free(x->name);
    free(x->parent);
    free(x->uid);
    *x = (struct queue){0};
}

void queues_free(struct queues *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->list.len; i++)
        queue_fini(&q->list.p[i]);
    for (size_t i = 0; i < POLICY_RES; i++)
        free(q->slot_name[i]);
    vec_fini(&q->list);
    vec_fini(&q->free);
    vec_fini(&q->order);
    vec_fini(&q->claims);
    vec_fini(&q->scratch);
    vec_fini(&q->walk);
    free(q->children);
    map_fini(&q->names);
    free(q);
}

queue_id queues_find(const struct queues *q, str name)
{
    return (queue_id)(uintptr_t)map_get(&q->names, name);
}

const struct queue_state *queues_get(const struct queues *q, queue_id id)
{
    return id && id < q->list.len && q->list.p[id].is_live ? &q->list.p[id].pub : NULL;
}

size_t queues_capacity(const struct queues *q)
{
    return q->list.len;
}

int queues_slot(const struct queues *q, uint16_t resource)
{
    for (uint32_t s = 0; s < q->nslots; s++)
        if (q->slot_res[s] == resource)
            return (int)s;
    return -1;
}

uint16_t queues_slot_resource(const struct queues *q, uint32_t slot)
{
    BUG_ON(slot >= q->nslots);
    return q->slot_res[slot];
}

str queues_slot_model(const struct queues *q, uint32_t slot)
{
    str name = str_of(q->slot_name[slot]);
    return str_has_prefix(name, S(QUEUE_MODEL_PREFIX)) ? str_from(name, sizeof QUEUE_MODEL_PREFIX - 1) : S("");
}

bool queues_slot_is_gpu(const struct queues *q, uint32_t slot)
{
    return q->slot_res[slot] == RES_GPU || queues_slot_model(q, slot).len;
}

uint32_t queues_nslots(const struct queues *q)
{
    return q->nslots;
}

/* --- order of siblings ---------------------------------------------------------------------------------------------------------------- */

static int order_cmp(const struct queue *a, const struct queue *b)
{
    if (a->pub.priority != b->pub.priority)
        return a->pub.priority > b->pub.priority ? -1 : 1;
    if (a->pub.created_ns != b->pub.created_ns)
        return a->pub.created_ns < b->pub.created_ns ? -1 : 1;
    return str_cmp(a->pub.name, b->pub.name);
}

/* Where it stands among them, or would. */
static size_t order_place(const struct queues *q, const queue_id *ids, size_t n, const struct queue *x)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (order_cmp(queue_at(q, ids[mid]), x) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void order_add(struct queues *q, queue_id id)
{
    size_t at = order_place(q, q->order.p, q->order.len, queue_at(q, id));
    vec_push(&q->order, id);
    memmove(&q->order.p[at + 1], &q->order.p[at], (q->order.len - 1 - at) * sizeof *q->order.p);
    q->order.p[at] = id;
}

static void order_remove(struct queues *q, queue_id id)
{
    size_t at = order_place(q, q->order.p, q->order.len, queue_at(q, id));
    BUG_ON(at >= q->order.len || q->order.p[at] != id);
    vec_remove(&q->order, at);
}

/* --- who hangs where -------------------------------------------------------------------------------------------------------------------- */

static bool hangs_somewhere(const struct queue *x)
{
    return x->parent_id || !x->parent[0];
}

static void reserve_children(struct queues *q)
{
    if (q->children_cap >= q->order.len)
        return;
    q->children_cap = MAX(q->order.len, q->children_cap * 2);
    q->children = xrealloc(q->children, q->children_cap * sizeof *q->children);
}

static void link_children(struct queues *q)
{
    reserve_children(q);
    for (size_t id = 0; id < q->list.len; id++)
        queue_at(q, (queue_id)id)->nchildren = 0;
    q->nhomeless = 0;
    for (size_t i = 0; i < q->order.len; i++) {
        const struct queue *x = queue_at(q, q->order.p[i]);
        if (hangs_somewhere(x))
            queue_at(q, x->parent_id)->nchildren++;
        else
            q->nhomeless++;
    }
    uint32_t at = 0;
    q->children_len = q->order.len - q->nhomeless;
    for (size_t id = 0; id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        x->first_child = at;
        at += x->nchildren;
        x->nchildren = 0;
        x->is_reached = false;
    }
    for (size_t i = 0; i < q->order.len; i++) {
        const struct queue *x = queue_at(q, q->order.p[i]);
        struct queue *parent = queue_at(q, x->parent_id);
        if (hangs_somewhere(x))
            q->children[parent->first_child + parent->nchildren++] = q->order.p[i];
    }
}

/* From the roots down: who is not met is lost, be it for a missing parent, a circle or the depth. */
static void reach_from_roots(struct queues *q)
{
    vec_clear(&q->walk);
    vec_push(&q->walk, QUEUE_NONE);
    for (size_t at = 0; at < q->walk.len; at++) {
        struct queue *p = queue_at(q, q->walk.p[at]);
        uint32_t depth = q->walk.p[at] ? p->pub.depth + 1 : 0;
        if (depth >= POLICY_DEPTH)
            p->nchildren = 0; /* those hang at nobody, so it is a leaf */
        for (uint32_t i = 0; i < p->nchildren; i++) {
            queue_id id = queue_child(q, p, i);
            queue_at(q, id)->is_reached = true;
            queue_at(q, id)->pub.depth = depth;
            vec_push(&q->walk, id);
        }
    }
}

static bool holds_anything(const struct queue *x)
{
    for (size_t i = 0; i < POLICY_RES; i++)
        if (x->sums.allocated[i] || x->sums.fixed[i] || x->sums.requested[i])
            return true;
    return false;
}

void queue_release(struct queues *q, queue_id id)
{
    while (id && queue_at(q, id)->is_gone && !holds_anything(queue_at(q, id))) {
        for (size_t i = 1; i < q->list.len; i++)
            if (queue_at(q, (queue_id)i)->up == id)
                return;
        queue_id up = queue_at(q, id)->up;
        queue_fini(queue_at(q, id));
        vec_push(&q->free, id);
        q->ngone--;
        id = up;
    }
}

void queue_release_all(struct queues *q)
{
    for (size_t id = 1; id < q->list.len && q->ngone; id++)
        queue_release(q, (queue_id)id);
}

/* After anything that changes the tree: links, depths, and the accounts of those that hang elsewhere now. */
static void relink(struct queues *q)
{
    link_children(q);
    reach_from_roots(q);
    for (size_t i = 0; i < q->order.len; i++) {
        struct queue *x = queue_at(q, q->order.p[i]);
        queue_id up = x->is_reached ? x->parent_id : QUEUE_NONE;
        if (x->up != up)
            queue_detach(q, q->order.p[i]);
    }
    for (size_t i = 0; i < q->order.len; i++) {
        struct queue *x = queue_at(q, q->order.p[i]);
        queue_id up = x->is_reached ? x->parent_id : QUEUE_NONE;
        if (x->up != up)
            queue_attach(q, q->order.p[i], up);
        x->pub.parent = up;
        x->pub.is_lost = !x->is_reached;
        x->pub.is_leaf = x->nchildren == 0;
        if (x->pub.is_lost) {
            x->pub.depth = 0;
            x->pub.fair = (struct policy_amounts){0};
        }
    }
    queue_release_all(q);
    queue_mark_all(q);
}

/* A new queue that nobody waits for, under a parent that hangs somewhere: nothing else moves.  False: relink. */
static bool hang_leaf(struct queues *q, queue_id id)
{
    struct queue *x = queue_at(q, id), *p = queue_at(q, x->parent_id);
    uint32_t depth = x->parent_id ? p->pub.depth + 1 : 0;
    if (!hangs_somewhere(x) || p == x || (x->parent_id && p->pub.is_lost) || depth >= POLICY_DEPTH)
        return false;
    reserve_children(q);
    if (!p->nchildren) /* until now its place meant nothing */
        p->first_child = (uint32_t)q->children_len;
    size_t at = p->first_child + order_place(q, q->children + p->first_child, p->nchildren, x);
    for (size_t i = 0; i < q->list.len; i++) { /* those behind move up by one */
        struct queue *y = queue_at(q, (queue_id)i);
        y->first_child += y != p && y->first_child >= at;
    }
    memmove(&q->children[at + 1], &q->children[at], (q->children_len++ - at) * sizeof *q->children);
    q->children[at] = id;
    p->nchildren++;
    p->pub.is_leaf = false;
    x->up = x->pub.parent = x->parent_id;
    x->is_reached = x->pub.is_leaf = true;
    x->pub.depth = depth;
    queue_mark(q, x->up, queue_all_slots(q));
    return true;
}

/* --- put --------------------------------------------------------------------------------------------------------------------------------- */

static int check_resource(const struct queue_spec *spec, size_t i, struct err *err)
{
    const struct queue_resource *r = &spec->res[i];
    if (r->id >= RES_MAX)
        return err_set(err, E_INVALID_ARG, "queue \"" STR_FMT "\": there is no resource %u", STR_ARG(spec->name), r->id);
    if (r->quota < 0 || r->limit < 0)
        return err_set(err, E_INVALID_ARG, "queue \"" STR_FMT "\": a quota or limit is below zero", STR_ARG(spec->name));
    if (!(r->weight >= 0))
        return err_set(err, E_INVALID_ARG, "queue \"" STR_FMT "\": a weight is not a number from zero up", STR_ARG(spec->name));
    for (size_t j = 0; j < i; j++)
        if (spec->res[j].id == r->id)
            return err_set(err, E_INVALID_ARG, "queue \"" STR_FMT "\": a resource is named twice", STR_ARG(spec->name));
    return 0;
}

static bool spec_names(const struct queue_spec *spec, uint16_t resource)
{
    for (size_t i = 0; i < spec->nres; i++)
        if (spec->res[i].id == resource)
            return true;
    return false;
}

/* Nothing that would break a line of the saved history. */
static bool is_word(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] <= ' ')
            return false;
    return true;
}

/* A slot that no queue names any more and in which nobody holds anything; below the first three, which are always there.  POLICY_RES: none. */
#define SLOTS_ALWAYS 3u
static uint32_t slot_idle(const struct queues *q, uint32_t after)
{
    for (uint32_t slot = MAX(after, SLOTS_ALWAYS); slot < q->nslots; slot++) {
        bool idle = true;
        for (size_t id = 1; id < q->list.len && idle; id++) {
            const struct queue *x = queue_at(q, (queue_id)id);
            idle = !(x->is_live && x->named >> slot & 1) && !x->sums.allocated[slot] && !x->sums.fixed[slot] && !x->sums.requested[slot];
        }
        if (idle)
            return slot;
    }
    return POLICY_RES;
}

static int check_spec(const struct queues *q, const struct queue_spec *spec, struct err *err)
{
    if (!spec->name.len || spec->name.len > LIMIT_POLICY_QUEUE_NAME || spec->parent.len > LIMIT_POLICY_QUEUE_NAME)
        return err_set(err, E_INVALID_ARG, "the name of a queue and of its parent have 1 to %u bytes", LIMIT_POLICY_QUEUE_NAME);
    if (!is_word(spec->name) || !is_word(spec->parent))
        return err_set(err, E_INVALID_ARG, "the name of a queue or of its parent has a blank or a control character");
    if (spec->nres > POLICY_RES)
        return err_set(err, E_TOO_LARGE, "queue \"" STR_FMT "\" names more than %u resources", STR_ARG(spec->name), POLICY_RES);
    uint32_t fresh = 0;
    for (size_t i = 0; i < spec->nres; i++) {
        int r = check_resource(spec, i, err);
        if (r < 0)
            return r;
        fresh += queues_slot(q, spec->res[i].id) < 0;
    }
    uint32_t idle = 0;
    for (uint32_t slot = 0; q->nslots + fresh > POLICY_RES && (slot = slot_idle(q, slot)) < POLICY_RES; slot++)
        idle += spec_names(spec, q->slot_res[slot]) ? 0 : 1;
    if (q->nslots + fresh > POLICY_RES + idle)
        return err_set(err, E_TOO_LARGE, "queue \"" STR_FMT "\": queues speak of more than %u resources", STR_ARG(spec->name), POLICY_RES);
    if (!queues_find(q, spec->name) && q->order.len >= LIMIT_POLICY_QUEUES)
        return err_set(err, E_TOO_LARGE, "there are %u queues already", LIMIT_POLICY_QUEUES);
    return 0;
}

static void no_rules(struct queue *x, uint32_t slot)
{
    x->pub.quota.v[slot] = 0;
    x->pub.limit.v[slot] = POLICY_UNLIMITED;
    x->pub.weight[slot] = 1;
}

/* An own slot, or one that nobody needs; check_spec counted them. */
static uint32_t slot_new(struct queues *q, const struct queue_spec *spec)
{
    if (q->nslots < POLICY_RES)
        return q->nslots++;
    uint32_t slot = slot_idle(q, 0);
    while (slot < POLICY_RES && spec_names(spec, q->slot_res[slot]))
        slot = slot_idle(q, slot + 1);
    BUG_ON(slot >= POLICY_RES);
    free(q->slot_name[slot]);
    q->capacity[slot] = 0;
    q->total.v[slot] = 0;
    for (size_t id = 0; id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        x->used[slot] = x->pub.usage[slot] = 0;
        x->pub.fair.v[slot] = x->below_want[slot] = 0;
    }
    return slot;
}

static uint32_t slot_make(struct queues *q, const struct queue_spec *spec, const struct queue_resource *r)
{
    int have = queues_slot(q, r->id);
    if (have >= 0)
        return (uint32_t)have;
    uint32_t slot = slot_new(q, spec);
    q->slot_res[slot] = r->id;
    STRBUF_AUTO name = STRBUF_HEAP;
    if (r->name.len && is_word(r->name))
        strbuf_add_str(&name, r->name);
    else
        strbuf_addf(&name, "resource-%u", r->id);
    q->slot_name[slot] = xstrdup(strbuf_cstr(&name));
    for (size_t id = 0; id < q->list.len; id++)
        no_rules(queue_at(q, (queue_id)id), slot);
    return slot;
}

static int64_t within(int64_t amount)
{
    return amount == POLICY_UNLIMITED ? amount : MIN(amount, (int64_t)SHARE_AMOUNT_MAX);
}

/* Quotas, weights, limits; returns whether one changed. */
static bool set_rules(struct queues *q, struct queue *x, const struct queue_spec *spec)
{
    struct policy_amounts quota = x->pub.quota, limit = x->pub.limit;
    double weight[POLICY_RES];
    memcpy(weight, x->pub.weight, sizeof weight);
    for (uint32_t s = 0; s < POLICY_RES; s++)
        no_rules(x, s);
    x->named = 0;
    for (size_t i = 0; i < spec->nres; i++) {
        const struct queue_resource *r = &spec->res[i];
        uint32_t slot = slot_make(q, spec, r);
        x->named |= 1u << slot;
        x->pub.quota.v[slot] = within(r->quota);
        x->pub.limit.v[slot] = within(r->limit);
        x->pub.weight[slot] = r->weight > 0 ? fmin(fmax(r->weight, WEIGHT_MIN), WEIGHT_MAX) : 0;
    }
    return memcmp(&quota, &x->pub.quota, sizeof quota) || memcmp(&limit, &x->pub.limit, sizeof limit) ||
           memcmp(weight, x->pub.weight, sizeof weight);
}

/* An id for a new name: that of a deleted queue of the same name whose units are still there, one that is free, or another. */
static queue_id id_take(struct queues *q, str name)
{
    for (size_t id = 1; q->ngone && id < q->list.len; id++)
        if (queue_at(q, (queue_id)id)->is_gone && str_is(name, queue_at(q, (queue_id)id)->name)) {
            q->ngone--;
            return (queue_id)id;
        }
    if (q->free.len)
        return vec_pop(&q->free);
    vec_push(&q->list, (struct queue){0});
    return (queue_id)(q->list.len - 1);
}

/* *ret_alone: it has no children and no accounts yet. */
static queue_id queue_create(struct queues *q, str name, bool *ret_alone)
{
    queue_id id = id_take(q, name);
    struct queue *x = queue_at(q, id);
    *ret_alone = !x->is_gone;
    if (!x->is_gone) {
        x->name = str_dup(name);
        x->used_at = q->now;
        for (uint32_t s = 0; s < POLICY_RES; s++)
            no_rules(x, s);
    }
    x->is_live = true;
    x->is_gone = false;
    x->pub.id = id;
    x->pub.name = str_of(x->name);
    map_put(&q->names, x->pub.name, (void *)(uintptr_t)id);
    uint64_t hash = str_hash(x->pub.name);
    for (size_t i = 0; q->nhomeless && i < q->order.len; i++) { /* children that came before it */
        struct queue *y = queue_at(q, q->order.p[i]);
        if (y->parent_hash == hash && str_is(x->pub.name, y->parent)) {
            y->parent_id = id;
            *ret_alone = false;
        }
    }
    return id;
}

static void set_string(char **at, str to)
{
    free(*at);
    *at = str_dup(to);
}

int queues_put(struct queues *q, const struct queue_spec *spec, queue_id *ret_id, struct err *err)
{
    int r = check_spec(q, spec, err);
    if (r < 0)
        return r;
    queue_id id = queues_find(q, spec->name);
    bool is_new = !id, moved = is_new, alone = false;
    if (is_new)
        id = queue_create(q, spec->name, &alone);
    struct queue *x = queue_at(q, id);
    if (is_new || !str_is(spec->parent, x->parent)) {
        set_string(&x->parent, spec->parent);
        x->parent_hash = str_hash(spec->parent);
        x->parent_id = spec->parent.len ? queues_find(q, spec->parent) : QUEUE_NONE;
        moved = true;
    }
    if (is_new || x->pub.priority != spec->priority || x->pub.created_ns != spec->created_ns) {
        if (!is_new)
            order_remove(q, id);
        x->pub.priority = spec->priority;
        x->pub.created_ns = spec->created_ns;
        order_add(q, id);
        moved = true;
    }
    if (!x->uid || !str_is(spec->uid, x->uid)) { /* another queue of the same name: the past is not its own */
        if (x->uid)
            memset(x->used, 0, sizeof x->used);
        set_string(&x->uid, spec->uid);
    }
    x->preempt_min_runtime_ns = spec->preempt_min_runtime_ns;
    x->reclaim_min_runtime_ns = spec->reclaim_min_runtime_ns;
    x->max_runtime_ns = spec->max_runtime_ns;
    bool changed = set_rules(q, x, spec);
    if (moved && !(alone && hang_leaf(q, id)))
        relink(q);
    else if (changed && !x->pub.is_lost)
        queue_mark(q, x->up, queue_all_slots(q));
    if (ret_id)
        *ret_id = id;
    return 0;
}

/* --- delete -------------------------------------------------------------------------------------------------------------------------------- */

void queues_delete(struct queues *q, str name)
{
    queue_id id = queues_find(q, name);
    if (!id)
        return;
    struct queue *x = queue_at(q, id);
    map_del(&q->names, name);
    order_remove(q, id);
    x->is_live = false;
    x->is_gone = true;
    x->pub.fair = (struct policy_amounts){0};
    q->ngone++;
    for (size_t i = 0; i < q->order.len; i++)
        if (queue_at(q, q->order.p[i])->parent_id == id)
            queue_at(q, q->order.p[i])->parent_id = QUEUE_NONE;
    relink(q);
}

/* --- list ---------------------------------------------------------------------------------------------------------------------------------- */

struct listing {
    const struct queues *q;
    queue_id *ret;
    size_t n, max;
};

static int by_name(const void *a, const void *b, void *arg)
{
    const struct queues *q = arg;
    return str_cmp(queue_at(q, *(const queue_id *)a)->pub.name, queue_at(q, *(const queue_id *)b)->pub.name);
}

static void list_one(struct listing *l, queue_id id)
{
    if (l->n < l->max)
        l->ret[l->n] = id;
    l->n++;
}

/* At most POLICY_DEPTH deep. */
static void list_below(struct listing *l, queue_id parent)
{
    const struct queue *p = queue_at(l->q, parent);
    if (!p->nchildren)
        return;
    CLEANUP(free) queue_id *sorted = xarray(p->nchildren, queue_id);
    memcpy(sorted, l->q->children + p->first_child, p->nchildren * sizeof *sorted);
    qsort_r(sorted, p->nchildren, sizeof *sorted, by_name, (void *)l->q);
    for (uint32_t i = 0; i < p->nchildren; i++) {
        list_one(l, sorted[i]);
        list_below(l, sorted[i]);
    }
}

size_t queues_list(const struct queues *q, queue_id *ret, size_t max)
{
    struct listing l = {.q = q, .ret = ret, .max = max};
    list_below(&l, QUEUE_NONE);
    if (l.n == q->order.len)
        return l.n;
    size_t nlost = 0;
    CLEANUP(free) queue_id *lost = xarray(q->order.len, queue_id);
    for (size_t i = 0; i < q->order.len; i++)
        if (!queue_at(q, q->order.p[i])->is_reached)
            lost[nlost++] = q->order.p[i];
    qsort_r(lost, nlost, sizeof *lost, by_name, (void *)q);
    for (size_t i = 0; i < nlost; i++)
        list_one(&l, lost[i]);
    return l.n;
}
