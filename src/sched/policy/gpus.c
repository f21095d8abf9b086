/* gpus.c - what counts as GPUs besides whole devices and parts of them: MIG partitions, and the GPUs of one model as a resource of its own.
 *
 *   nvidia.com/mig-2g.10gb: 3     counts as 6 GPUs, of a pod's request and of a node's capacity, as KAI counts it
 *   nvidia.com/gpu:A100           what is held on nodes of that model, and what waits for no other one:
 *       pod of 2 GPUs, anywhere      waits: gpu 2              on a node with A100: gpu 2, gpu:A100 2
 *       ... that must have an A100   waits: gpu 2, gpu:A100 2  the same
 * A unit that would take any model is kept off the nodes of those that its queue may not have more of, be it for a limit or, of work that cannot be preempted, for the quota; it counts against each of
 * them as a whole then, so no split of a gang can pass a limit.
 * Nothing of this costs anything while no queue speaks of a model. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/devices.h"
#include "sched/engine/statement.h"

#define MIG_PREFIX "nvidia.com/mig-"

struct class_models { /* cached, by class id */
    uint64_t hash; /* of the class that it was made for */
    uint32_t mask; /* of models[], which it waits for; bit 31: made */
};
struct node_models {
    sym_t product;
    uint32_t mask;
};
struct policy_gpus {
    uint32_t models[POLICY_RES]; /* slots */
    uint32_t nmodels;
    struct class_models *classes;
    uint32_t nclasses;
    VEC(struct node_models) nodes; /* by product, a cluster has few */
    uint64_t *within;
    uint32_t words;
    struct unit_members members; /* scratch */
    int64_t mig[RES_MAX]; /* GPUs that one of the resource counts for */
    uint32_t nmig;        /* resources that have been looked at */
};
#define MADE (1u << 31)

struct policy_gpus *gpus_new(void)
{
    return xnew(struct policy_gpus);
}

void gpus_free(struct policy_gpus *g)
{
    if (!g)
        return;
    free(g->classes);
    vec_fini(&g->nodes);
    free(g->within);
    vec_fini(&g->members.pods);
    free(g);
}

void gpus_rebuild(struct policy *p)
{
    struct policy_gpus *g = p->gpus;
    g->nmodels = 0;
    for (uint32_t k = 0; k < p->stride; k++)
        if (queues_slot_model(p->q, k).len)
            g->models[g->nmodels++] = k;
    vec_clear(&g->nodes);
    if (g->nclasses)
        memset(g->classes, 0, g->nclasses * sizeof *g->classes);
}

bool gpus_has_models(const struct policy *p)
{
    return p->gpus->nmodels > 0;
}

/* --- MIG --------------------------------------------------------------------------------------------------------------------------------- */
/* "nvidia.com/mig-2g.10gb" is 2; what is not of that form 0. */
int64_t gpus_mig_of(str resource)
{
    str rest = resource, head;
    uint64_t n;
    if (!str_has_prefix(resource, S(MIG_PREFIX)))
        return 0;
    rest = str_from(resource, sizeof MIG_PREFIX - 1);
    str_cut(&rest, 'g', &head);
    return str_to_u64(head, &n) && n >= 1 && n <= GPU_MAX ? (int64_t)n : 0;
}

static const int64_t *mig_of(const struct policy *p)
{
    struct policy_gpus *g = p->gpus;
    for (; unlikely(g->nmig < p->s->nres); g->nmig++)
        g->mig[g->nmig] = gpus_mig_of(sched_resource_name(p->s, (uint16_t)g->nmig));
    return g->mig;
}

int64_t gpus_mig_amount(const struct policy *p, const struct pod_class *c)
{
    const int64_t *mig = mig_of(p);
    int64_t sum = 0;
    for (uint32_t i = c->nreq; i-- > 0 && c->req[i].id >= RES_FIRST_EXTENDED;)
        sum += mig[c->req[i].id] * c->req[i].amount;
    return MIN(sum, GPUS_MOST) * GPU_MILLI;
}

int64_t gpus_mig_capacity(const struct policy *p, node_id n, bool only_used)
{
    const struct sched *s = p->s;
    const int64_t *mig = mig_of(p);
    int64_t sum = 0;
    for (uint16_t r = RES_FIRST_EXTENDED; r < s->nres; r++)
        if (mig[r] && s->alloc[r])
            sum += mig[r] * (only_used && s->view.used[r] ? MIN(s->alloc[r][n], s->view.used[r][n]) : s->alloc[r][n]);
    return MIN(sum, GPUS_MOST) * GPU_MILLI;
}

/* --- models -------------------------------------------------------------------------------------------------------------------------------- */
static bool is_model_label(const struct sched *s, sym_t key)
{
    str text = symbol_text(&s->sym, key);
    for (size_t i = 0; i < devices_nmodel_labels; i++)
        if (str_eq(text, devices_model_labels[i]))
            return true;
    return false;
}

static bool all_are(const struct sched *s, const sym_t *products, size_t n, str model)
{
    for (size_t i = 0; i < n; i++)
        if (!devices_model_is(symbol_text(&s->sym, products[i]), model))
            return false;
    return n > 0;
}

static bool term_wants(const struct sched *s, const struct node_term *t, str model)
{
    for (uint32_t i = 0; i < t->labels.n; i++) {
        const struct req *r = &t->labels.p[i];
        if (r->op == OP_IN && is_model_label(s, r->key) && all_are(s, r->values, r->nvalues, model))
            return true;
    }
    return false;
}

/* Will nothing else do? */
static bool class_wants(const struct sched *s, const struct pod_class *c, str model)
{
    if (all_are(s, c->gpu_models, c->gpu.nmodels, model))
        return true;
    for (uint32_t i = 0; i < c->nnode_selector; i++)
        if (is_model_label(s, c->node_selector[i].key) && all_are(s, &c->node_selector[i].value, 1, model))
            return true;
    bool all = c->has_required && c->nrequired;
    for (uint32_t i = 0; all && i < c->nrequired; i++)
        all = term_wants(s, &c->required[i], model);
    return all;
}

static uint32_t class_mask(const struct policy *p, const struct pod_class *c)
{
    struct policy_gpus *g = p->gpus;
    if (c->id >= g->nclasses) {
        uint32_t n = MAX(c->id + 64, g->nclasses * 2);
        g->classes = xrealloc(g->classes, n * sizeof *g->classes);
        memset(g->classes + g->nclasses, 0, (n - g->nclasses) * sizeof *g->classes);
        g->nclasses = n;
    }
    struct class_models *m = &g->classes[c->id];
    if (m->mask && m->hash == c->hash)
        return m->mask;
    *m = (struct class_models){c->hash, MADE};
    for (uint32_t i = 0; i < g->nmodels; i++)
        m->mask |= class_wants(p->s, c, queues_slot_model(p->q, g->models[i])) ? 1u << i : 0;
    return m->mask;
}

static uint32_t node_mask(const struct policy *p, node_id n)
{
    struct policy_gpus *g = p->gpus;
    sym_t product = p->s->nodes[n].gpu_model;
    for (size_t i = 0; i < g->nodes.len; i++)
        if (g->nodes.p[i].product == product)
            return g->nodes.p[i].mask;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < g->nmodels; i++)
        mask |= devices_model_is(symbol_text(&p->s->sym, product), queues_slot_model(p->q, g->models[i])) ? 1u << i : 0;
    vec_push(&g->nodes, (struct node_models){product, mask});
    return mask;
}

void gpus_add_models(const struct policy *p, const struct pod_class *c, node_id n, int64_t gpus, int64_t *v)
{
    const struct policy_gpus *g = p->gpus;
    if (!g->nmodels || !gpus)
        return;
    uint32_t mask = n == NODE_NONE ? class_mask(p, c) : node_mask(p, n);
    for (uint32_t i = 0; i < g->nmodels; i++)
        if (mask >> i & 1)
            v[g->models[i]] = gpus;
}

void gpus_add_capacity(const struct policy *p, node_id n, int64_t gpus, sum_t *v)
{
    const struct policy_gpus *g = p->gpus;
    uint32_t mask = g->nmodels && gpus ? node_mask(p, n) : 0;
    for (uint32_t i = 0; mask && i < g->nmodels; i++)
        v[g->models[i]] += mask >> i & 1 ? gpus : 0;
}

/* --- who may go where ------------------------------------------------------------------------------------------------------------------------- */
/* Whoever wants the nodes may be in the middle of the policy's own list of members. */
static void ask_of(struct policy *p, unit_id u, struct policy_amounts *ret)
{
    struct unit_members theirs = p->members;
    p->members = p->gpus->members;
    policy_ask(p, u, ret);
    p->gpus->members = p->members;
    p->members = theirs;
}

/* What room is kept for may yet come to stand elsewhere: it is asked for as well, and `kept` of each slot is in the accounts already. */
static void add_kept(const struct policy *p, unit_id u, struct policy_amounts *ask, struct policy_amounts *kept)
{
    const struct unit *unit = &p->s->units[u];
    struct policy_amounts one;
    memset(kept, 0, sizeof *kept);
    for (size_t i = 0; p->units[u].nnominated && i < unit->pods.len; i++) {
        const struct pod *pod = &p->s->pods[unit->pods.p[i]];
        if (pod->state != PS_NOMINATED)
            continue;
        policy_class_amounts(p, p->s->classes[pod->class_], NODE_NONE, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            ask->v[k] += one.v[k];
        policy_class_amounts(p, p->s->classes[pod->class_], pod->node, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            kept->v[k] += one.v[k];
    }
}

/* Models that the unit's queue may not have as many more of as it asks for GPUs.  Of those that it insists on that is asked before it is tried; but not of units that are to move for others. */
static uint32_t barred(const struct policy *p, unit_id u, struct queue_blame *ret)
{
    const struct policy_gpus *g = p->gpus;
    const struct batch_unit *b = u < p->nunits ? &p->units[u] : NULL;
    struct policy_amounts ask, kept, one = {{0}};
    uint32_t mask = 0;
    int gpu = queues_slot(p->q, RES_GPU);
    if (!g->nmodels || !b || !b->known || !b->leaf || gpu < 0)
        return 0;
    ask_of((struct policy *)p, u, &ask);
    add_kept(p, u, &ask, &kept);
    for (uint32_t i = 0; ask.v[gpu] && i < g->nmodels; i++) {
        uint32_t slot = g->models[i];
        one.v[slot] = MAX(ask.v[gpu] - kept.v[slot], (int64_t)0);
        if (queues_may_start(p->q, b->leaf, &one, policy_asks_fixed(b), mask ? NULL : ret) != QUEUE_OK)
            mask |= 1u << i;
        one.v[slot] = 0;
    }
    return mask;
}

bool gpus_are_barred(const struct policy *p, unit_id u, struct queue_blame *ret)
{
    struct queue_blame blame;
    return barred(p, u, ret ? ret : &blame) != 0;
}

const uint64_t *gpus_within(void *arg, unit_id u)
{
    struct policy *p = arg;
    struct policy_gpus *g = p->gpus;
    struct queue_blame blame;
    uint32_t mask = barred(p, u, &blame), words = p->s->view.words;
    if (!mask)
        return NULL;
    if (g->words != words)
        g->within = xrealloc(g->within, (g->words = words) * sizeof *g->within);
    memcpy(g->within, p->s->alive, words * sizeof *g->within);
    bits_foreach(n, p->s->alive, words)
        if (node_mask(p, n) & mask)
            bit_clear(g->within, n);
    const struct unit *unit = &p->s->units[u];
    for (size_t i = 0; p->units[u].nnominated && i < unit->pods.len; i++) /* where room is kept it may start */
        if (p->s->pods[unit->pods.p[i]].state == PS_NOMINATED && node_is_alive(p->s, p->s->pods[unit->pods.p[i]].node))
            bit_set(g->within, p->s->pods[unit->pods.p[i]].node);
    return g->within;
}

static bool passes_rules(const struct policy *p, unit_id u)
{
    const struct policy_gpus *g = p->gpus;
    const struct batch_unit *b = &p->units[u];
    const int64_t *held = p->held + (size_t)u * p->stride, *core = p->core + (size_t)u * p->stride; /* the minimum of a semi-preemptible unit is charged after the statement */
    for (queue_id id = b->leaf; id; id = p->tree[id].parent) {
        const struct queue_state *q = queues_get(p->q, id);
        for (uint32_t i = 0; q && i < g->nmodels; i++) {
            uint32_t k = g->models[i];
            int64_t fixed = q->allocated_fixed.v[k] + (b->fixed ? 0 : held[k] - core[k]);
            if (q->allocated.v[k] > q->limit.v[k] || (policy_asks_fixed(b) && fixed > q->quota.v[k]))
                return true;
        }
    }
    return false;
}

void gpus_place_kept(struct policy *p, unit_id u, struct unit_decision *d)
{
    if (likely(!p->gpus->nmodels)) {
        sched_place_next(p->s, u, p->now, false, d);
        return;
    }
    uint32_t at = statement_begin(p->s);
    sched_place_next(p->s, u, p->now, false, d);
    if (d->result != UNIT_PLACED || !passes_rules(p, u)) {
        statement_commit(p->s, at);
        return;
    }
    statement_rollback(p->s, at); /* members changed places, and more came to stand on one model than may */
    d->result = UNIT_REJECTED;
}
