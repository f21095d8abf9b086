/* policy.c - see policy.h: the policy's life, its queues and totals; why a unit waits; the check. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

/* --- the whole: queues, totals --------------------------------------------------------------------------------------------------------------- */
static void tree_free(struct policy *p)
{
    for (size_t i = 0; i < p->ntree; i++) {
        vec_fini(&p->tree[i].below);
        free(p->tree[i].side[0].win);
        free(p->tree[i].side[1].win);
        vec_fini(&p->tree[i].kinds);
        vec_fini(&p->tree[i].turn);
        vec_fini(&p->tree[i].running);
        vec_fini(&p->tree[i].lumps.list);
        vec_fini(&p->tree[i].lumps.pods);
    }
    free(p->tree);
    p->tree = NULL;
    p->ntree = 0;
}

/* Before queues change: nobody is charged to anybody, so that ids, parents and slots may change freely. */
static void tear_down(struct policy *p)
{
    if (p->rebuild)
        return;
    p->rebuild = true;
    for (unit_id u = 0; u < p->nunits; u++)
        if (p->units[u].known) {
            nsec_t start = p->units[u].start_ns, stale = p->units[u].stale_since_ns, blocked = p->units[u].blocked_ns;
            account_forget(p, u);
            p->units[u].known = true;
            p->units[u].start_ns = start;
            p->units[u].stale_since_ns = stale;
            p->units[u].blocked_ns = blocked;
        }
}

static void tree_build(struct policy *p)
{
    tree_free(p);
    p->ntree = queues_capacity(p->q) + 1;
    p->tree = xarray(p->ntree, struct branch_queue);
    p->tree[0].used = true;
    queue_id *ids = xarray(p->ntree, queue_id);
    size_t n = queues_list(p->q, ids, p->ntree);
    p->any_max_runtime = false;
    for (size_t i = 0; i < n; i++) {
        const struct queue_state *q = queues_get(p->q, ids[i]);
        struct branch_queue *b = &p->tree[ids[i]];
        *b = (struct branch_queue){.used = true, .leaf = q->is_leaf, .parent = q->parent};
        if (q->is_lost)
            continue;
        struct branch_queue *up = &p->tree[q->parent];
        b->slot = (uint32_t)up->below.len;
        vec_push(&up->below, ids[i]);
        p->any_max_runtime |= queues_max_runtime(p->q, ids[i]) > 0;
    }
    free(ids);
    for (size_t i = 0; i < p->ntree; i++) {
        struct branch_queue *b = &p->tree[i];
        for (b->width = 1; b->width < b->below.len;)
            b->width *= 2;
        for (int k = 0; k < 2 && b->below.len; k++)
            b->side[k].win = xarray(2 * (size_t)b->width, queue_id);
    }
    free(p->taken);
    p->taken = xarray(p->ntree, struct policy_amounts);
}

static void stride_set(struct policy *p, uint32_t stride)
{
    p->stride = stride;
    free(p->held);
    free(p->waiting);
    free(p->core);
    p->core = xarray((size_t)MAX(p->nunits, 1u) * stride, int64_t);
    p->held = xarray((size_t)MAX(p->nunits, 1u) * stride, int64_t);
    p->waiting = xarray((size_t)MAX(p->nunits, 1u) * stride, int64_t);
}

static void build_up(struct policy *p)
{
    p->rebuild = false;
    stride_set(p, queues_nslots(p->q));
    gpus_rebuild(p);
    tree_build(p);
    memset(p->foreign, 0, sizeof p->foreign);
    account_grow(p, MAX(p->s->nunits_slots, 1u));
    for (unit_id u = 1; u < p->s->nunits_slots; u++) {
        const struct unit *unit = &p->s->units[u];
        if (!unit->used)
            continue;
        if (policy_is_mine(p, unit)) {
            p->units[u].known = true;
            policy_refresh(p, u);
        } else {
            p->units[u].known = false;
            account_foreign(p, u, 1);
        }
    }
    p->totals_stale = true;
}

/* What there is to divide: schedulable nodes, without what pods hold that are not under the policy. */
static void totals(struct policy *p)
{
    const struct sched *s = p->s;
    sum_t t[POLICY_RES] = {0}, beyond[POLICY_RES] = {0};
    struct policy_amounts total = {{0}};
    int64_t least = 0;
    p->totals_stale = false;
    bits_foreach(n, s->alive, s->view.words)
    {
        const struct node *node = &s->nodes[n];
        if (!policy_has_node(p, n))
            continue;
        if (node->ngpus && node->gpu_memory_mib && (!least || node->gpu_memory_mib < least))
            least = node->gpu_memory_mib;
        for (uint32_t k = 0; k < p->stride; k++) {
            uint16_t r = queues_slot_resource(p->q, k);
            int64_t used = s->view.used[r] ? s->view.used[r][n] * (r == RES_GPU ? GPU_MILLI : 1) : 0;
            int64_t amount = r == RES_GPU ? (int64_t)MAX((int64_t)node->ngpus, s->alloc[r] ? s->alloc[r][n] : 0) * GPU_MILLI : s->alloc[r] ? s->alloc[r][n] : 0;
            /* of a node that takes nobody any more what is there counts: its pods are in the accounts, and in what others hold */
            beyond[k] += MAX(used - amount, (int64_t)0);
            if (node->unschedulable)
                amount = MIN(amount, used);
            if (r == RES_GPU) {
                amount += gpus_mig_capacity(p, n, node->unschedulable);
                gpus_add_capacity(p, n, amount, t);
            }
            t[k] += amount;
        }
    }
    /* what somebody put on a node beyond what that has is nobody's loss elsewhere */
    for (uint32_t k = 0; k < p->stride; k++) {
        sum_t others = MAX(p->foreign[k] - beyond[k], (sum_t)0);
        total.v[k] = (int64_t)MIN(MAX(t[k] - others, (sum_t)0), (sum_t)INT64_MAX);
    }
    queues_set_total(p->q, &total);
    if (least != p->least_gpu_mib) {
        p->least_gpu_mib = least;
        for (unit_id u = 1; u < p->nunits; u++)
            if (p->units[u].known)
                policy_refresh(p, u);
    }
}

#define STUCK_NS (120 * NSEC_PER_SEC) /* as KAI has it */

/* Those who should have gone long ago are not counted on any more: the room they are in is nobody's to keep. */
static void look_who_leaves(struct policy *p)
{
    size_t keep = 0;
    for (size_t i = 0; i < p->leaving.len; i++) {
        const struct pod *pod = &p->s->pods[p->leaving.p[i]];
        nsec_t by = pod->loss ? p->s->losses.p[pod->loss].leave_by_ns : 0;
        if (pod->state != PS_TERMINATING)
            continue;
        if (by && p->now - by >= STUCK_NS) {
            p->epoch++;
            continue;
        }
        if (by)
            policy_later(p, by + STUCK_NS);
        p->leaving.p[keep++] = p->leaving.p[i];
    }
    p->leaving.len = keep;
}

void policy_catch_up(struct policy *p)
{
    if (p->rebuild) {
        build_up(p);
        p->woken = EVENT_ALL;
        p->epoch++;
    }
    for (size_t i = 0; i < p->dirty.len; i++) {
        if (p->units[p->dirty.p[i]].dirty)
            policy_refresh(p, p->dirty.p[i]);
    }
    vec_clear(&p->dirty);
    look_who_leaves(p);
    if (p->totals_stale)
        totals(p);
}

/* --- who listens --------------------------------------------------------------------------------------------------------------------------------- */
/* The place in the engine's list that points to it; NULL: it does not listen. */
static struct sched_watch **watch_find(struct policy *p)
{
    struct sched_watch **at = &p->s->watch;
    while (*at && *at != &p->watch)
        at = &(*at)->next;
    return *at ? at : NULL;
}

static void watch_add(struct policy *p)
{
    p->watch.next = p->s->watch;
    p->s->watch = &p->watch;
}

static void watch_remove(struct policy *p)
{
    struct sched_watch **at = watch_find(p);
    if (at)
        *at = p->watch.next;
}

/* --- birth, options, end ------------------------------------------------------------------------------------------------------------------------- */
static void opts_apply(struct policy *p)
{
    queues_set_min_runtimes(p->q, p->opts.preempt_min_runtime_ns, p->opts.reclaim_min_runtime_ns, p->opts.reclaim_by_leaf);
}

void policy_set_opts(struct policy *p, const struct policy_opts *opts)
{
    tear_down(p); /* whose units and nodes it counts may be others from now on */
    if (p->opts.window_ns && !opts->window_ns)
        queues_usage_advance(p->q, p->now, 0, 0);
    p->opts = *opts;
    opts_apply(p);
    p->epoch++;
    p->woken = EVENT_ALL;
}

const struct policy_opts *policy_get_opts(const struct policy *p)
{
    return &p->opts;
}

struct policy *policy_new(struct sched *s, const struct policy_opts *opts)
{
    struct policy *p = xnew(struct policy);
    p->s = s;
    p->opts = opts ? *opts : POLICY_OPTS_DEFAULT;
    p->q = queues_new();
    p->gpus = gpus_new();
    p->watch = account_watch(p);
    p->kind_by_key = MAP_INIT;
    p->losses = MAP_INIT;
    p->probe = UNIT_DECISION_INIT;
    vec_push(&p->kinds, (struct kind){0});
    p->epoch = 1;
    p->expiry_ns = p->plans_due_ns = INT64_MAX;
    p->opts.max_reservations = MIN(p->opts.max_reservations, POLICY_RESERVATIONS_MAX);
    p->rebuild = true;
    stride_set(p, queues_nslots(p->q));
    account_grow(p, MAX(s->nunits_slots, 1u));
    tree_build(p);
    opts_apply(p);
    watch_add(p);
    return p;
}

void policy_listen(struct policy *p, bool on)
{
    if (watch_find(p) != NULL ? on : !on)
        return;
    if (on)
        watch_add(p);
    else
        watch_remove(p);
    p->rebuild = true;
    vec_clear(&p->leaving);
    for (pod_id id = 1; on && id < p->s->npods_slots; id++)
        if (p->s->pods[id].state == PS_TERMINATING)
            vec_push(&p->leaving, id);
}

void policy_let_go(struct policy *p)
{
    for (size_t i = 0; i < p->kept.len; i++) {
        const struct unit *unit = &p->s->units[p->kept.p[i]];
        for (size_t k = 0; k < unit->pods.len; k++)
            if (p->s->pods[unit->pods.p[k]].state == PS_NOMINATED)
                model_unassign(p->s, unit->pods.p[k]);
    }
}

void policy_free(struct policy *p)
{
    if (!p)
        return;
    watch_remove(p);
    for (size_t i = 1; i < p->kinds.len; i++)
        if (p->kinds.p[i].used) {
            free((char *)p->kinds.p[i].key.p);
            vec_fini(&p->kinds.p[i].units);
        }
    vec_fini(&p->kinds);
    vec_fini(&p->free_kinds);
    map_fini(&p->kind_by_key);
    tree_free(p);
    queues_free(p->q);
    vec_fini(&p->dirty);
    vec_fini(&p->kept);
    vec_fini(&p->stale);
    vec_fini(&p->leaving);
    vec_fini(&p->taken_list);
    vec_fini(&p->taken_pods);
    vec_fini(&p->was);
    vec_fini(&p->members.pods);
    vec_fini(&p->parts);
    unit_decision_fini(&p->probe);
    losses_fini(p);
    backfill_fini(p);
    gpus_free(p->gpus);
    free(p->room.cpu);
    free(p->room.memory);
    free(p->room.gpu_milli);
    free(p->room.gpus);
    free(p->taken);
    free(p->answers);
    free(p->units);
    free(p->held);
    free(p->waiting);
    free(p->core);
    free(p);
}

int policy_queue_put(struct policy *p, const struct queue_spec *spec, struct err *err)
{
    tear_down(p);
    p->epoch++;
    p->woken = EVENT_ALL;
    return queues_put(p->q, spec, NULL, err);
}

void policy_queue_delete(struct policy *p, str name)
{
    tear_down(p);
    p->epoch++;
    p->woken = EVENT_ALL;
    queues_delete(p->q, name);
}

const struct queues *policy_queues(const struct policy *p)
{
    return p->q;
}

void policy_usage_save(struct policy *p, nsec_t now, struct strbuf *out)
{
    if (!p->opts.window_ns)
        return;
    policy_catch_up(p);
    policy_usage_advance(p, now);
    queues_usage_save(p->q, out);
}

void policy_usage_load(struct policy *p, str text)
{
    queues_usage_load(p->q, text);
}

void policy_events(struct policy *p, uint64_t events)
{
    /* these make no room, and nobody a victim who was none: what the policy does itself it notes by itself */
    const uint64_t idle = EVENT_POD_ASSIGNED | EVENT_POD_LABEL | EVENT_NODE_IMAGES | EVENT_NAMESPACE;
    p->woken |= events;
    p->epoch += (events & ~idle) != 0;
}

bool policy_has(const struct policy *p, unit_id u)
{
    return u < p->s->nunits_slots && p->s->units[u].used && policy_is_mine(p, &p->s->units[u]);
}

void policy_decisions_fini(struct policy_decisions *d)
{
    for (size_t i = 0; i < d->list.cap && d->list.p; i++)
        unit_decision_fini(&d->list.p[i].d);
    vec_fini(&d->list);
}

/* --- why, and the check ------------------------------------------------------------------------------------------------------------------------- */
void policy_why_brief(const struct policy *p, unit_id u, struct policy_why *ret)
{
    *ret = (struct policy_why){.verdict = POLICY_NOT_BATCH};
    if (!policy_has(p, u) || u >= p->nunits || !p->units[u].known)
        return;
    const struct batch_unit *b = &p->units[u];
    const struct kind *k = b->kind ? &p->kinds.p[b->kind] : NULL;
    ret->leaf = b->leaf;
    ret->fixed = policy_asks_fixed(b);
    ret->queue = b->leaf_verdict;
    ret->verdict = b->nnominated ? POLICY_KEPT : !b->npending ? POLICY_RUNNING : !b->leaf ? POLICY_QUEUE : k && k->parked ? k->verdict : POLICY_NEW;
    if (b->leaf) {
        const struct queue_state *q = queues_get(p->q, b->leaf);
        ret->fair = q->fair;
        ret->allocated = q->allocated;
    }
    for (uint32_t i = 0; i < p->stride; i++) {
        ret->ask.v[i] = p->waiting[(size_t)u * p->stride + i];
        ret->held.v[i] = p->held[(size_t)u * p->stride + i];
        ret->held_fixed.v[i] = b->fixed ? ret->held.v[i] : p->core[(size_t)u * p->stride + i];
    }
    if (!k || !k->parked)
        return;
    if (ret->verdict == POLICY_QUEUE) {
        ret->queue = k->queue;
        ret->blame = k->blame;
    }
    ret->bar = k->bar;
    ret->rejected_by = k->rejected_by;
    ret->gave_up = k->gave_up;
    ret->delayed_ns = p->units[u].ready_ns > p->now ? p->units[u].ready_ns : 0;
    ret->kept_for = ret->verdict == POLICY_NO_FIT || ret->verdict == POLICY_QUEUE ? k->kept_for : UNIT_NONE;
    ret->kept_until_ns = k->kept_until_ns;
    for (size_t i = 0; i < p->reservations.len; i++)
        if (p->reservations.p[i].unit == u) {
            ret->reserved = true;
            ret->start_ns = p->reservations.p[i].start_ns;
        }
    for (int i = 0; i < POLICY_ACTIONS; i++)
        ret->tried[i] = k->tried[i];
}

void policy_why(const struct policy *p, unit_id u, struct policy_why *ret)
{
    policy_why_brief(p, u, ret);
    const struct batch_unit *b = ret->verdict != POLICY_NOT_BATCH ? &p->units[u] : NULL;
    if (b && b->kind && p->kinds.p[b->kind].parked)
        ret->position = line_position(p, u);
}

static int check_unit(const struct policy *p, unit_id u, struct policy_amounts *held, struct policy_amounts *fixed, struct policy_amounts *waiting, struct err *err)
{
    const struct batch_unit *b = &p->units[u];
    struct counted n;
    account_count(p, u, &n);
    for (uint32_t k = 0; k < p->stride; k++) {
        if (n.held.v[k] != p->held[(size_t)u * p->stride + k] || n.waiting.v[k] != p->waiting[(size_t)u * p->stride + k])
            return err_set(err, E_INTERNAL, "unit %u holds %lld and waits for %lld of slot %u, but its account says %lld and %lld", u, (long long)n.held.v[k], (long long)n.waiting.v[k], k,
                           (long long)p->held[(size_t)u * p->stride + k], (long long)p->waiting[(size_t)u * p->stride + k]);
        for (queue_id q = b->charged; q; q = p->tree[q].parent) {
            held[q].v[k] += n.held.v[k];
            waiting[q].v[k] += n.held.v[k] + (b->leaf ? n.waiting.v[k] : 0);
            fixed[q].v[k] += b->fixed ? n.held.v[k] : n.core.v[k];
        }
    }
    if ((b->kind != 0) != (b->leaf && n.npending && !n.nnominated))
        return err_set(err, E_INTERNAL, "unit %u: in line is %d, pending %u, nominated %u", u, b->kind != 0, n.npending, n.nnominated);
    if ((b->run_pos != 0) != policy_may_lose(b))
        return err_set(err, E_INTERNAL, "unit %u: among the running is %d, placed %u", u, b->run_pos != 0, n.nplaced);
    return 0;
}

/* What nobody is charged for. */
static int check_foreign(const struct policy *p, struct err *err)
{
    sum_t sum[POLICY_RES] = {0};
    for (unit_id u = 1; u < p->s->nunits_slots; u++) {
        const struct unit *unit = &p->s->units[u];
        struct policy_amounts one;
        if (!unit->used || (u < p->nunits && p->units[u].known && p->units[u].charged))
            continue;
        for (size_t i = 0; i < unit->pods.len; i++) {
            const struct pod *pod = &p->s->pods[unit->pods.p[i]];
            if (!policy_counts(pod->state) || !policy_has_node(p, pod->node))
                continue;
            policy_class_amounts(p, p->s->classes[pod->class_], pod->node, &one);
            for (uint32_t k = 0; k < p->stride; k++)
                sum[k] += one.v[k];
        }
    }
    for (uint32_t k = 0; k < p->stride; k++)
        if (sum[k] != p->foreign[k])
            return err_set(err, E_INTERNAL, "slot %u: pods of nobody hold %lld, the account says %lld", k, (long long)sum[k], (long long)p->foreign[k]);
    return 0;
}

int policy_check(struct policy *p, struct err *err)
{
    policy_catch_up(p);
    struct policy_amounts *held = xarray(p->ntree, struct policy_amounts), *fixed = xarray(p->ntree, struct policy_amounts), *waiting = xarray(p->ntree, struct policy_amounts);
    int r = 0;
    for (unit_id u = 1; r == 0 && u < p->s->nunits_slots; u++) {
        bool batch = p->s->units[u].used && policy_is_mine(p, &p->s->units[u]) && p->s->units[u].pods.len;
        if (batch != (u < p->nunits && p->units[u].known))
            r = err_set(err, E_INTERNAL, "unit %u: under the policy is %d, known %d", u, batch, !batch);
        else if (batch)
            r = check_unit(p, u, held, fixed, waiting, err);
    }
    for (queue_id id = 1; r == 0 && id < p->ntree; id++) {
        if (!p->tree[id].used)
            continue;
        const struct queue_state *q = queues_get(p->q, id);
        for (uint32_t k = 0; r == 0 && k < p->stride; k++)
            if (q->allocated.v[k] != held[id].v[k] || q->allocated_fixed.v[k] != fixed[id].v[k] || q->requested.v[k] != waiting[id].v[k])
                r = err_set(err, E_INTERNAL, "queue " STR_FMT " slot %u: allocated %lld fixed %lld requested %lld, its units say %lld, %lld, %lld", STR_ARG(q->name), k, (long long)q->allocated.v[k],
                            (long long)q->allocated_fixed.v[k], (long long)q->requested.v[k], (long long)held[id].v[k], (long long)fixed[id].v[k], (long long)waiting[id].v[k]);
    }
    free(held);
    free(fixed);
    free(waiting);
    return r < 0 ? r : check_foreign(p, err);
}
