/* pods.c - pod events.
 *
 *   put: pending ──► (engine places: ASSUMED) ──► put with its node: BOUND ──► put terminating: TERMINATING ──► delete
 * The table finds a pod by namespace symbol and name; names stand behind the pod ("name\0uid\0"), one allocation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pods.h"

#include "base/limits.h"
#include "sched/engine/classes.h"
#include "sched/engine/engine.h"
#include "sched/engine/select.h"
#include "sched/engine/statement.h"

struct pod_slot {
    pod_id pod; /* POD_NONE: free */
    uint32_t hash;
};
struct pod_table {
    struct pod_slot *slots;
    uint32_t nslots, len;
};

void pods_init(struct sched *s)
{
    s->pod_table = xnew(struct pod_table);
    s->pod_table->nslots = 1024;
    s->pod_table->slots = xarray(1024, struct pod_slot);
    s->cappods = 256;
    s->pods = xarray(s->cappods, struct pod);
    s->npods_slots = 1;
}

void pods_fini(struct sched *s)
{
    for (pod_id p = 1; p < s->npods_slots; p++)
        if (s->pods[p].state != PS_FREE)
            free((char *)s->pods[p].name);
    free(s->pods);
    free(s->pod_table->slots);
    free(s->pod_table);
    vec_fini(&s->free_pods);
    vec_fini(&s->losses);
    vec_fini(&s->free_losses);
    elsewhere_fini(s);
}

/* --- the table --------------------------------------------------------------------------------------------------------------------- */
static uint32_t hash_of(sym_t ns, str name)
{
    uint64_t h = str_hash(name) ^ ns * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h ^ h >> 32);
}

/* The slot that holds the pod, or the free one where it belongs.  The hash is compared first: another pod's name is not in the cache. */
static uint32_t slot_of(const struct sched *s, uint32_t hash, sym_t ns, str name)
{
    const struct pod_table *t = s->pod_table;
    uint32_t mask = t->nslots - 1, i = hash & mask;
    for (; t->slots[i].pod; i = (i + 1) & mask) {
        if (t->slots[i].hash != hash)
            continue;
        const struct pod *p = &s->pods[t->slots[i].pod];
        if (p->ns == ns && strncmp(p->name, name.p, name.len) == 0 && p->name[name.len] == 0)
            break;
    }
    return i;
}

static uint32_t free_slot(const struct pod_table *t, uint32_t hash)
{
    uint32_t mask = t->nslots - 1, i = hash & mask;
    while (t->slots[i].pod)
        i = (i + 1) & mask;
    return i;
}

/* The pod is not in the table. */
static void table_add(struct sched *s, pod_id p)
{
    struct pod_table *t = s->pod_table;
    if (++t->len * 2 > t->nslots) {
        struct pod_slot *old = t->slots;
        uint32_t n = t->nslots;
        t->nslots *= 2;
        t->slots = xarray(t->nslots, struct pod_slot);
        for (uint32_t i = 0; i < n; i++)
            if (old[i].pod)
                t->slots[free_slot(t, old[i].hash)] = old[i];
        free(old);
    }
    uint32_t hash = hash_of(s->pods[p].ns, str_of(s->pods[p].name));
    t->slots[free_slot(t, hash)] = (struct pod_slot){p, hash};
}

static void table_remove(struct sched *s, pod_id p)
{
    struct pod_table *t = s->pod_table;
    str name = str_of(s->pods[p].name);
    uint32_t mask = t->nslots - 1, hole = slot_of(s, hash_of(s->pods[p].ns, name), s->pods[p].ns, name);
    t->slots[hole] = (struct pod_slot){0};
    t->len--;
    for (uint32_t i = (hole + 1) & mask; t->slots[i].pod; i = (i + 1) & mask) {
        if (((i - t->slots[i].hash) & mask) >= ((i - hole) & mask)) {
            t->slots[hole] = t->slots[i];
            t->slots[i] = (struct pod_slot){0};
            hole = i;
        }
    }
}

pod_id sched_pod_find(const struct sched *s, str ns, str name)
{
    sym_t sym = symbol_find(&s->sym, ns);
    return sym || str_empty(ns) ? s->pod_table->slots[slot_of(s, hash_of(sym, name), sym, name)].pod : POD_NONE;
}

str sched_pod_name(const struct sched *s, pod_id p)
{
    return str_of(s->pods[p].name);
}
str sched_pod_ns(const struct sched *s, pod_id p)
{
    return symbol_text(&s->sym, s->pods[p].ns);
}
str sched_pod_uid(const struct sched *s, pod_id p)
{
    const char *name = s->pods[p].name;
    return str_of(name + strlen(name) + 1);
}
unit_id sched_unit_of(const struct sched *s, pod_id p)
{
    return s->pods[p].unit;
}

/* --- making and ending -------------------------------------------------------------------------------------------------------------- */
static char *names(str name, str uid)
{
    char *p = xmalloc(name.len + uid.len + 2);
    memcpy(p, name.p, name.len);
    p[name.len] = 0;
    if (uid.len)
        memcpy(p + name.len + 1, uid.p, uid.len);
    p[name.len + uid.len + 1] = 0;
    return p;
}

static pod_id new_slot(struct sched *s)
{
    pod_id id;
    if (s->free_pods.len) {
        id = vec_pop(&s->free_pods);
    } else {
        if (s->npods_slots == s->cappods) {
            s->cappods *= 2;
            s->pods = xrealloc(s->pods, s->cappods * sizeof *s->pods);
        }
        id = s->npods_slots++;
    }
    s->pods[id] = (struct pod){.node = NODE_NONE, .state = PS_PENDING, .subgroup = 0xffff};
    s->npods++;
    return id;
}

/* What it says of its losses; most pods say nothing and have no entry. */
static void set_loss(struct sched *s, pod_id id, const struct spec_loss *say)
{
    struct pod *p = &s->pods[id];
    bool says = say && (say->restart_cost_s || say->checkpoint_ns || say->delay_ns || say->leave_by_ns);
    if (!says && p->loss) {
        vec_push(&s->free_losses, p->loss);
        p->loss = 0;
    }
    if (!says)
        return;
    if (!p->loss && s->free_losses.len) {
        p->loss = vec_pop(&s->free_losses);
    } else if (!p->loss && s->losses.len <= LIMIT_SCHED_LOSSES) {
        if (s->losses.len == 0)
            vec_push(&s->losses, (struct spec_loss){0});
        p->loss = (uint16_t)s->losses.len;
        vec_push(&s->losses, (struct spec_loss){0});
    }
    if (p->loss)
        s->losses.p[p->loss] = *say;
}

/* Off its node, or out of the list of those elsewhere: pending. */
static void detach(struct sched *s, pod_id p)
{
    if (pod_on_node(&s->pods[p]))
        model_unassign(s, p);
    else if (s->pods[p].state == PS_ELSEWHERE)
        elsewhere_remove(s, p);
    s->pods[p].gpu_mask = 0;
}

static uint16_t mask_of(const struct pod_spec *spec)
{
    uint16_t mask = 0;
    for (uint32_t i = 0; spec->gpu_ids && i < spec->gpu.count && i < GPU_MAX; i++)
        if (spec->gpu_ids[i] < GPU_MAX)
            mask |= (uint16_t)(1u << spec->gpu_ids[i]);
    return mask;
}

/* Where the spec says the pod is. */
static void attach(struct sched *s, pod_id id, const struct pod_spec *spec)
{
    enum pod_state state = spec->phase == POD_TERMINATING ? PS_TERMINATING : PS_BOUND;
    node_id n = sched_node_find(s, spec->node);
    struct pod *p = &s->pods[id];
    if (n == NODE_NONE) {
        detach(s, id);
        p->gpu_mask = mask_of(spec);
        elsewhere_add(s, id, symbol(&s->sym, spec->node), (uint8_t)state);
    } else if (pod_on_node(p) && p->node == n && (mask_of(spec) == 0 || mask_of(spec) == p->gpu_mask)) {
        model_set_state(s, id, state);
    } else {
        detach(s, id);
        model_assign(s, id, n, state, mask_of(spec));
    }
}

static void place_as_told(struct sched *s, pod_id id, const struct pod_spec *spec)
{
    struct pod *p = &s->pods[id];
    if (!str_empty(spec->node)) {
        attach(s, id, spec);
        return;
    }
    if (p->state == PS_BOUND || p->state == PS_TERMINATING || p->state == PS_ELSEWHERE)
        detach(s, id);
    node_id n = sched_node_find(s, spec->nominated);
    if (n != NODE_NONE && p->state == PS_PENDING && spec->phase == POD_PENDING)
        model_assign(s, id, n, PS_NOMINATED, 0);
}

static int check(const struct sched *s, const struct pod_spec *spec, struct err *err)
{
    if (str_empty(spec->name))
        return err_set(err, E_INVALID_ARG, "a pod needs a name");
    if (memchr(spec->name.p, 0, spec->name.len))
        return err_set(err, E_INVALID_ARG, "a pod's name holds a zero byte");
    if (s->npods >= LIMIT_SCHED_PODS)
        return err_set(err, E_TOO_LARGE, "pod " STR_FMT "/" STR_FMT " is one too many: the scheduler holds at most %u", STR_ARG(spec->ns), STR_ARG(spec->name), LIMIT_SCHED_PODS);
    return 0;
}

static uint16_t subgroup_of(const struct sched *s, unit_id u, str name)
{
    const struct unit *unit = &s->units[u];
    sym_t sym = symbol_find(&s->sym, name);
    for (uint32_t i = 0; sym && i < unit->nsubgroups; i++)
        if (unit->subgroups[i].name == sym)
            return (uint16_t)i;
    return 0xffff;
}

/* Where its group is found. */
static str group_ns(const struct pod_spec *spec)
{
    return spec->group_is_cluster ? S("") : spec->ns;
}

static pod_id add(struct sched *s, const struct pod_spec *spec, class_id class_)
{
    pod_id id = new_slot(s);
    struct pod *p = &s->pods[id];
    p->class_ = class_;
    p->ns = s->classes[class_]->ns;
    p->name = names(spec->name, spec->uid);
    p->created_ns = spec->created_ns;
    p->started_ns = spec->started_ns;
    p->subgroup_name = symbol(&s->sym, spec->subgroup);
    set_loss(s, id, &spec->loss);
    table_add(s, id);
    unit_id u = units_of_pod(s, group_ns(spec), spec->group, id);
    p = &s->pods[id];
    p->unit = u;
    p->subgroup = subgroup_of(s, u, spec->subgroup);
    if (spec->queue.len && !spec->group_is_cluster) /* a member of a group of several namespaces speaks for nobody else */
        units_policy(s, u, spec->queue, spec->pool, spec->preemptibility);
    units_times(s, u, spec->runtime_ns, spec->protect_ns);
    statement_event(s, EVENT_GROUP);
    place_as_told(s, id, spec);
    units_changed(s, u);
    return id;
}

static void update(struct sched *s, pod_id id, const struct pod_spec *spec, class_id class_)
{
    struct pod *p = &s->pods[id];
    if (class_ != p->class_) {
        const struct pod_class *old = s->classes[p->class_], *now = s->classes[class_];
        statement_event(s, EVENT_POD_UPDATED | (labelset_equal(old->labels, now->labels) ? 0 : EVENT_POD_LABEL));
        uint8_t state = p->state;
        node_id n = p->node;
        uint16_t mask = p->gpu_mask;
        bool same_gpus = old->gpu.kind == now->gpu.kind && old->gpu.count == now->gpu.count;
        if (pod_on_node(p))
            model_unassign(s, id);
        class_id former = p->class_;
        p->class_ = class_;
        if (n != NODE_NONE)
            model_assign(s, id, n, state, same_gpus ? mask : 0);
        units_priority_changed(s, id);
        classes_unref(s, former);
    } else {
        classes_unref(s, class_);
    }
    if (symbol(&s->sym, spec->subgroup) != p->subgroup_name) {
        p->subgroup_name = symbol(&s->sym, spec->subgroup);
        p->subgroup = subgroup_of(s, p->unit, spec->subgroup);
        statement_event(s, EVENT_GROUP);
    }
    if (p->started_ns != spec->started_ns && pod_on_node(p))
        model_touch(s, p->node, false); /* preemption prefers pods that started late */
    p->started_ns = spec->started_ns;
    set_loss(s, id, &spec->loss);
    if (!str_eq(sched_pod_uid(s, id), spec->uid)) {
        /* table entries compare the name only, which stays */
        char *fresh = names(spec->name, spec->uid);
        free((char *)p->name);
        p->name = fresh;
    }
    if ((spec->queue.len || s->units[p->unit].queue) && !spec->group_is_cluster)
        units_policy(s, p->unit, spec->queue, spec->pool, spec->preemptibility);
    units_times(s, p->unit, spec->runtime_ns, spec->protect_ns);
    place_as_told(s, id, spec);
    units_changed(s, p->unit);
}

static bool is_of_group(const struct sched *s, pod_id p, const struct pod_spec *spec)
{
    const struct unit *u = &s->units[s->pods[p].unit];
    return str_eq(u->is_group ? symbol_text(&s->sym, u->name) : S(""), spec->group) && (!u->is_group || str_eq(symbol_text(&s->sym, u->ns), group_ns(spec)));
}

int sched_pod_put(struct sched *s, const struct pod_spec *spec, pod_id *ret_id, struct err *err)
{
    pod_id id = sched_pod_find(s, spec->ns, spec->name);
    class_id class_;
    int r = id == POD_NONE ? check(s, spec, err) : 0;
    if (r == 0)
        r = classes_ref(s, spec, &class_, err);
    if (r < 0)
        return r;
    if (id != POD_NONE && !is_of_group(s, id, spec)) {
        /* another group is another unit: as if it went and came again */
        sched_pod_delete(s, spec->ns, spec->name);
        id = POD_NONE;
    }
    if (id == POD_NONE)
        id = add(s, spec, class_);
    else
        update(s, id, spec, class_);
    if (ret_id)
        *ret_id = id;
    return 0;
}

static pod_id clone(struct sched *s, pod_id like, str name, str uid, nsec_t created_ns)
{
    pod_id id = new_slot(s);
    struct pod *p = &s->pods[id], *from = &s->pods[like];
    p->class_ = from->class_;
    p->ns = from->ns;
    p->created_ns = created_ns;
    p->subgroup = from->subgroup;
    p->subgroup_name = from->subgroup_name;
    p->name = names(name, uid);
    if (from->loss) {
        struct spec_loss same = s->losses.p[from->loss];
        set_loss(s, id, &same);
    }
    classes_ref_again(s, p->class_);
    table_add(s, id);
    const struct unit *u = &s->units[from->unit];
    unit_id unit = units_of_pod(s, symbol_text(&s->sym, u->is_group ? u->ns : from->ns), u->is_group ? symbol_text(&s->sym, u->name) : S(""), id);
    s->pods[id].unit = unit;
    u = &s->units[from->unit];
    if (u->queue)
        units_policy(s, unit, symbol_text(&s->sym, u->queue), symbol_text(&s->sym, u->pool), u->preemptibility);
    units_times(s, unit, u->runtime_ns, u->protect_ns);
    units_changed(s, unit);
    statement_event(s, EVENT_GROUP);
    return id;
}

pod_id sched_pod_clone(struct sched *s, pod_id like, str name, nsec_t created_ns)
{
    return clone(s, like, name, S(""), created_ns);
}

pod_id sched_pod_twin(struct sched *s, pod_id like, str name, str uid, nsec_t created_ns)
{
    if (s->npods >= LIMIT_SCHED_PODS || sched_pod_find(s, sched_pod_ns(s, like), name))
        return POD_NONE;
    return clone(s, like, name, uid, created_ns);
}

void sched_pod_confirm(struct sched *s, pod_id p)
{
    BUG_ON(s->pods[p].state != PS_ASSUMED);
    model_set_state(s, p, PS_BOUND);
}

void sched_pod_delete(struct sched *s, str ns, str name)
{
    pod_id id = sched_pod_find(s, ns, name);
    if (id == POD_NONE)
        return;
    detach(s, id);
    table_remove(s, id);
    units_leave(s, id);
    set_loss(s, id, NULL);
    classes_unref(s, s->pods[id].class_);
    free((char *)s->pods[id].name);
    s->pods[id] = (struct pod){.state = PS_FREE, .node = NODE_NONE};
    vec_push(&s->free_pods, id);
    s->npods--;
}

/* --- nodes come and go -------------------------------------------------------------------------------------------------------------- */
void pods_node_came(struct sched *s, node_id n)
{
    uint8_t state;
    for (pod_id p; (p = elsewhere_take(s, s->nodes[n].name, &state)) != POD_NONE;) {
        uint16_t mask = s->pods[p].gpu_mask;
        s->pods[p].gpu_mask = 0;
        model_assign(s, p, n, state, mask);
    }
}

void pods_node_went(struct sched *s, node_id n)
{
    while (s->nodes[n].first_pod) {
        pod_id p = s->nodes[n].first_pod;
        uint8_t state = s->pods[p].state;
        bool was_bound = state >= PS_BOUND;
        uint16_t mask = s->pods[p].gpu_mask;
        model_unassign(s, p);
        if (!was_bound)
            continue;
        s->pods[p].gpu_mask = mask;
        elsewhere_add(s, p, s->nodes[n].name, state);
    }
}

void pods_park(struct sched *s, node_id n, struct pods_parked *ret)
{
    while (s->nodes[n].first_pod) {
        pod_id p = s->nodes[n].first_pod;
        vec_push(&ret->list, (struct parked_pod){p, s->pods[p].state, s->pods[p].gpu_mask});
        model_unassign(s, p);
    }
}

void pods_unpark(struct sched *s, node_id n, struct pods_parked *parked)
{
    for (size_t i = parked->list.len; i-- > 0;)
        model_assign(s, parked->list.p[i].pod, n, parked->list.p[i].state, parked->list.p[i].gpu_mask);
    vec_fini(&parked->list);
}
