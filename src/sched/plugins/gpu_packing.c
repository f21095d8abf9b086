/* gpu_packing.c - GpuPacking: the score, which device of a node, and what is kept so that a decision over a thousand nodes takes microseconds.
 *
 *   spoilt(node, pod) = waste after - waste before + worth of rooms lost + price of the model * share taken              (gpu_frag.h, gpu_demand.h)
 *   score             = 50 - 50 * spoilt / (500 + |spoilt|)        fine around nothing spoilt, coarse far from it
 * A pod without GPUs spoils by the cpu it takes from devices; nodes without devices are best for it.
 * A pod with a fraction gets the device of the node that spoils least.
 *
 * Kept:   per node   what it adds to the demand's sums                        by assigned, unassigned, node_changed
 *                    its waste and worth as it is                             as of the node's version
 *         per shape  (cpu, devices, share) and node: the score                as of the node's version
 * What changes all scores (another mix, a price that doubled) touches the nodes, so that versions tell.  It is learned from placements that stand, never from
 * what a rollback takes back.
 * Scores are kept for the engine's own view only, which one thread asks; on a replica they are computed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/gpu_packing.h"

#include "sched/engine/devices.h"
#include "sched/engine/statement.h"
#include "sched/plugins/gpu_demand.h"
#include "sched/plugins/gpu_mix.h"
#include "sched/plugins/plugins.h"

#define HALF_SCORE 500.0f        /* milli spoilt that halve the way to the end of the scale */
#define SHAPES_MAX 256u
#define SHAPES_BYTES (32u << 20) /* of kept scores; fewer shapes on large clusters, 16 at least */
#define FIRST_RENEWAL 16u        /* pods placed before the mix is learned for the first time */
#define RENEWAL_MAX 10000u       /* and at least after so many from then on */
#define REPRICE_EVERY 16u        /* placements */
#define NO_NODE NODE_NONE

struct shape {
    uint64_t key;
    uint64_t used; /* clock */
    uint32_t *version; /* by node; 0: not known */
    uint8_t *score;
};
struct base {
    uint32_t version;
    float cost;
};
struct packing {
    struct gpu_packing_args *args;
    struct gpu_models models;
    uint32_t devices; /* the most a node has */
    struct gpu_mix mix;
    struct gpu_frag *frag; /* NULL: no node with devices yet */
    struct gpu_demand demand;
    uint32_t nslots; /* of the arrays by node */
    struct gpu_node *nodes;
    struct base *bases;
    struct shape shapes[SHAPES_MAX];
    uint32_t nshapes;
    uint64_t clock;
    uint64_t seen, seen_then; /* s->nassigned: so far; at the last renewal */
    uint64_t events; /* placements that renewed nothing */
    node_id unsettled; /* a pod is about to leave it */
};

/* --- cost of a state --------------------------------------------------------------------------------------------------------------------- */
static void read_left(const struct view *v, node_id n, uint32_t ngpus, uint16_t left[GPU_MAX])
{
    const struct gpu_state *g = &v->gpu[n];
    for (uint32_t i = 0; i < ngpus; i++)
        left[i] = (uint16_t)devices_left(g, i);
}

/* What is lost on a node like this, less what it is worth to pods with many devices. */
static float cost_of(const struct packing *x, uint32_t model, int64_t cpu, const uint16_t *left, uint32_t ngpus)
{
    uint32_t nfree = 0;
    for (uint32_t i = 0; i < ngpus; i++)
        nfree += left[i] == GPU_MILLI;
    return gpu_frag_waste(x->frag, model, cpu, left, ngpus) - gpu_demand_rooms(&x->demand, model, (float)cpu, nfree);
}

/* The device of `allowed` that costs least to take milli of; equal ones are tried once, the lowest number wins. */
static uint32_t best_device(const struct packing *x, uint32_t model, int64_t cpu, uint16_t *left, uint32_t ngpus, uint16_t allowed, uint16_t milli, float *ret_cost)
{
    uint32_t best = GPU_MAX;
    float best_cost = 0;
    for (uint32_t i = 0; i < ngpus; i++) {
        bool again = !(allowed >> i & 1);
        for (uint32_t k = 0; k < i && !again; k++)
            again = (allowed >> k & 1) && left[k] == left[i];
        if (again)
            continue;
        left[i] = (uint16_t)(left[i] - milli);
        float cost = cost_of(x, model, cpu, left, ngpus);
        left[i] = (uint16_t)(left[i] + milli);
        if (best == GPU_MAX || cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    *ret_cost = best_cost;
    return best;
}

/* Takes `count` devices of `allowed`; their mask, and the cost then.  left is changed. */
static uint16_t take_devices(const struct packing *x, uint32_t model, int64_t cpu, uint16_t *left, uint32_t ngpus, uint16_t allowed, uint32_t count, uint16_t milli, float *ret_cost)
{
    uint16_t mask = 0;
    if (milli == GPU_MILLI) { /* entirely free ones are all alike */
        for (uint32_t i = 0; i < ngpus && count; i++)
            if (allowed >> i & 1) {
                left[i] = 0;
                mask |= (uint16_t)(1u << i);
                count--;
            }
        *ret_cost = cost_of(x, model, cpu, left, ngpus);
        return mask;
    }
    for (; count; count--) {
        uint32_t i = best_device(x, model, cpu, left, ngpus, (uint16_t)(allowed & ~mask), milli, ret_cost);
        if (i == GPU_MAX)
            break;
        left[i] = (uint16_t)(left[i] - milli);
        mask |= (uint16_t)(1u << i);
    }
    return mask;
}

/* --- the score of one node ------------------------------------------------------------------------------------------------------------------- */
static float cost_before(const struct packing *x, const struct view *v, node_id n, int64_t cpu, const uint16_t *left)
{
    const struct gpu_node *g = &x->nodes[n];
    if (v != &v->s->view)
        return cost_of(x, g->model, cpu, left, g->ngpus);
    struct base *b = &x->bases[n];
    if (b->version != v->version[n]) {
        b->cost = cost_of(x, g->model, cpu, left, g->ngpus);
        b->version = v->version[n];
    }
    return b->cost;
}

/* -1: the pod does not fit there, nobody should have asked. */
static int compute(const struct packing *x, const struct view *v, const struct pod_class *c, node_id n)
{
    const struct gpu_node *g = &x->nodes[n];
    if (!g->ngpus || !x->frag)
        return c->gpu.kind == GPU_NONE ? SCORE_MAX : -1;
    uint16_t left[GPU_MAX];
    int64_t cpu = view_free(v, n, RES_CPU);
    read_left(v, n, g->ngpus, left);
    float before = cost_before(x, v, n, cpu, left), after, taken = 0;
    cpu -= c->amount[RES_CPU];
    if (c->gpu.kind == GPU_NONE) {
        after = cost_of(x, g->model, cpu, left, g->ngpus);
    } else {
        int32_t milli = devices_milli(v->s, c, n);
        uint16_t room = milli > 0 ? devices_room(v, n, milli) : 0;
        if ((uint32_t)__builtin_popcount(room) < c->gpu.count)
            return -1;
        take_devices(x, g->model, cpu, left, g->ngpus, room, c->gpu.count, (uint16_t)milli, &after);
        taken = x->demand.price[g->model] * (float)(c->gpu.count * (uint32_t)milli);
    }
    float spoilt = after - before + taken, size = spoilt < 0 ? -spoilt : spoilt;
    return (int)(50.0f - 50.0f * spoilt / (HALF_SCORE + size) + 0.5f);
}

/* --- kept scores ------------------------------------------------------------------------------------------------------------------------------ */
static uint64_t shape_key(const struct pod_class *c)
{
    uint64_t h = (uint64_t)c->amount[RES_CPU] * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29 ^ (uint64_t)c->gpu.kind << 60 ^ (uint64_t)c->gpu.count << 32 ^ (uint32_t)c->gpu.milli) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 32 ^ (uint64_t)c->gpu.memory_mib) * 0x94d049bb133111ebull;
    return h ^ h >> 31;
}

static uint32_t shapes_allowed(const struct packing *x)
{
    return MAX(MIN(SHAPES_BYTES / (x->nslots * 5 + 1), SHAPES_MAX), 16u);
}

static struct shape *shape_of(struct packing *x, const struct pod_class *c)
{
    uint64_t key = shape_key(c);
    struct shape *oldest = &x->shapes[0];
    for (uint32_t i = 0; i < x->nshapes; i++) {
        struct shape *p = &x->shapes[i];
        if (p->key == key) {
            p->used = ++x->clock;
            return p;
        }
        if (p->used < oldest->used)
            oldest = p;
    }
    if (x->nshapes < shapes_allowed(x)) {
        oldest = &x->shapes[x->nshapes++];
        oldest->version = xarray(x->nslots, uint32_t);
        oldest->score = xarray(x->nslots, uint8_t);
    } else {
        memset(oldest->version, 0, x->nslots * sizeof *oldest->version);
    }
    oldest->key = key;
    oldest->used = ++x->clock;
    return oldest;
}

static void shapes_drop(struct packing *x)
{
    for (uint32_t i = 0; i < x->nshapes; i++) {
        free(x->shapes[i].version);
        free(x->shapes[i].score);
    }
    x->nshapes = 0;
}

static inline int64_t kept(const struct packing *x, struct shape *p, const struct view *v, const struct pod_class *c, node_id n)
{
    if (likely(p->version[n] == v->version[n]))
        return p->score[n];
    int score = compute(x, v, c, n);
    if (score < 0)
        return 0; /* another class of this shape may fit: models are not part of it */
    p->score[n] = (uint8_t)score;
    p->version[n] = v->version[n];
    return score;
}

static struct packing *state_of(const void *args)
{
    return ((const struct gpu_packing_args *)args)->state;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    struct packing *x = state_of(args);
    if (v != &v->s->view || !x->nslots) {
        bits_foreach(n, fits, v->words)
            raw[n] = MAX(compute(x, v, c, n), 0);
        return;
    }
    struct shape *p = shape_of(x, c);
    bits_foreach(n, fits, v->words)
        raw[n] = kept(x, p, v, c, n);
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    struct packing *x = state_of(args);
    return v != &v->s->view || !x->nslots ? MAX(compute(x, v, c, n), 0) : kept(x, shape_of(x, c), v, c, n);
}

/* --- keeping current ---------------------------------------------------------------------------------------------------------------------------- */
static void touch(struct sched *s, const struct packing *x, uint64_t models)
{
    bits_foreach(n, s->alive, s->view.words)
        if (n < x->nslots && x->nodes[n].ngpus && models >> x->nodes[n].model & 1)
            model_touch(s, n, false);
}

static void settle(struct sched *s, struct packing *x, node_id n, bool gone)
{
    const struct node *node = &s->nodes[n];
    uint16_t left[GPU_MAX];
    uint32_t ngpus = gone || !node_is_alive(s, n) ? 0 : node->ngpus;
    read_left(&s->view, n, ngpus, left);
    gpu_demand_node(&x->demand, &x->nodes[n], ngpus ? gpu_models_index(&x->models, node->gpu_model) : 0, ngpus, view_free(&s->view, n, RES_CPU), left);
}

static void settle_last(struct sched *s, struct packing *x)
{
    if (x->unsettled == NO_NODE)
        return;
    settle(s, x, x->unsettled, false);
    x->unsettled = NO_NODE;
}

static void reprice(struct sched *s, struct packing *x, bool force)
{
    bool rooms;
    uint64_t models = gpu_demand_reprice(&x->demand, x->models.n, force, &rooms);
    if (rooms)
        models = UINT64_MAX;
    if (models)
        touch(s, x, models);
}

/* Tables and prices anew, for another mix or other devices. */
static void rebuild(struct sched *s, struct packing *x)
{
    gpu_mix_renew(&x->mix, s, x->args, &x->models);
    gpu_frag_free(x->frag);
    x->frag = gpu_frag_new(x->mix.pods, x->mix.n, x->models.n, x->devices);
    gpu_demand_init(&x->demand, x->mix.pods, x->mix.n, x->models.n);
    memset(x->nodes, 0, x->nslots * sizeof *x->nodes);
    bits_foreach(n, s->alive, s->view.words)
        if (s->nodes[n].ngpus)
            settle(s, x, n, false);
    reprice(s, x, true);
}

static bool is_due(const struct packing *x)
{
    uint64_t since = x->seen - x->seen_then;
    return !x->args->given && x->frag && since >= MAX(MIN(x->seen_then / 2, (uint64_t)RENEWAL_MAX), (uint64_t)FIRST_RENEWAL);
}

/* What stands changes the mix and the prices; what is only tried does not, or asking would change the answers. */
static void learn(struct sched *s, struct packing *x)
{
    if (s->imagining || statement_is_open(s) || s->nassigned <= x->seen)
        return;
    uint64_t news = s->nassigned - x->seen, before = x->events;
    x->seen = s->nassigned;
    if (is_due(x)) {
        x->seen_then = x->seen;
        rebuild(s, x);
        return;
    }
    x->events += news;
    if (x->events / REPRICE_EVERY != before / REPRICE_EVERY)
        reprice(s, x, false);
}

static void assigned(struct sched *s, void *state, pod_id p, node_id n)
{
    struct packing *x = state;
    (void)p;
    settle_last(s, x);
    if (x->nodes[n].ngpus)
        settle(s, x, n, false);
    learn(s, x);
}

static void committed(struct sched *s, void *state)
{
    settle_last(s, state);
    learn(s, state);
}

static void unassigned(struct sched *s, void *state, pod_id p, node_id n)
{
    struct packing *x = state;
    (void)p;
    settle_last(s, x);
    if (x->nodes[n].ngpus)
        x->unsettled = n; /* its books are closed after this */
}

static void grow(struct sched *s, struct packing *x)
{
    uint32_t now = s->view.words * 64;
    if (now <= x->nslots)
        return;
    x->nodes = xrealloc(x->nodes, now * sizeof *x->nodes);
    x->bases = xrealloc(x->bases, now * sizeof *x->bases);
    memset(x->nodes + x->nslots, 0, (now - x->nslots) * sizeof *x->nodes);
    memset(x->bases + x->nslots, 0, (now - x->nslots) * sizeof *x->bases);
    x->nslots = now;
    shapes_drop(x);
}

static void node_changed(struct sched *s, void *state, node_id n, int sign)
{
    struct packing *x = state;
    const struct node *node = &s->nodes[n];
    grow(s, x);
    settle_last(s, x);
    if (!node->ngpus)
        return;
    x->models.devices += sign * (int64_t)node->ngpus;
    x->models.memory_mib += sign * (int64_t)node->ngpus * node->gpu_memory_mib;
    uint32_t known = x->models.n;
    gpu_models_index(&x->models, node->gpu_model);
    if (x->frag && known == x->models.n && node->ngpus <= x->devices) {
        settle(s, x, n, sign < 0);
        return;
    }
    x->devices = MAX(x->devices, node->ngpus);
    rebuild(s, x);
}

/* --- choice of devices ------------------------------------------------------------------------------------------------------------------------------ */
uint16_t gpu_packing_choose(const struct sched *s, const struct pod_class *c, node_id n, uint16_t allowed, uint32_t count, int32_t milli)
{
    int i = profile_table_index(s->table, c->profile, &plugin_gpu_packing);
    const struct packing *x = i >= 0 ? s->plugin_state[i] : NULL;
    if (!x || s->table->plugins[i].weight <= 0 || !x->frag || n >= x->nslots || !x->nodes[n].ngpus)
        return 0;
    uint16_t left[GPU_MAX];
    float cost;
    read_left(&s->view, n, x->nodes[n].ngpus, left);
    return take_devices(x, x->nodes[n].model, view_free(&s->view, n, RES_CPU), left, x->nodes[n].ngpus, allowed, count, (uint16_t)milli, &cost);
}

/* --- lifetime -------------------------------------------------------------------------------------------------------------------------------------- */
static void *state_new(struct sched *s, const void *args)
{
    (void)s;
    struct packing *x = xnew(struct packing);
    x->args = (struct gpu_packing_args *)args; /* the engine owns its profile: a place for its state */
    x->args->state = x;
    x->unsettled = NO_NODE;
    return x;
}

static void state_free(void *state)
{
    struct packing *x = state;
    if (!x)
        return;
    shapes_drop(x);
    gpu_frag_free(x->frag);
    gpu_mix_fini(&x->mix);
    free(x->nodes);
    free(x->bases);
    free(x);
}

const struct sched_plugin plugin_gpu_packing = {
    .name = "GpuPacking",
    .score_scope = PLUG_LOCAL,
    .default_weight = 0,
    .norm = NORM_NONE,
    .score = score,
    .score_one = score_one,
    .state_new = state_new,
    .state_free = state_free,
    .assigned = assigned,
    .unassigned = unassigned,
    .committed = committed,
    .node_changed = node_changed,
    .configure = gpu_packing_configure,
};
