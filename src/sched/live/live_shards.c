/* live_shards.c - SchedulingShards: node pools, and the options of each one's policy.
 *
 *   SchedulingShard objects ─► by pool, the first by name counts ─► a policy for each (live_policy.c), with its options, at once
 *   a pod of a queue ─► live_shards_dress: the class of its pod gets the pool (plugins/node_pool.c) and the profile that packs or spreads
 * Nobody keeps pods' objects, so when they are to be read differently (a shard comes or goes, packs where it spread) they are listed once more, as after a gap in the watch; the same for queues.
 * How nodes are compared, the first that says something counts:
 *   1. the annotation of the queue, or of the nearest one above it        scheduling.cox/placement: binpack | spread
 *   2. placementStrategy of the shard
 *   3. the profile that the operator chose (anything but "default")
 *   4. a shard, or schedulerName kai-scheduler: binpack, as with KAI
 *   5. the default profile */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/shard_options.h"
#include "base/civil.h"
#include "client/client.h"
#include "sched/live/live_internal.h"

#define API "kai.scheduler/v1"
#define ANNOTATION "scheduling.cox/placement"
#define AGAIN_EVERY_NS (5 * NSEC_PER_SEC) /* between two lists of pods */

enum place_how { PLACE_UNSAID, PLACE_BINPACK, PLACE_SPREAD };
struct shard {
    char *name, *uid;
    struct shard_options o; /* pool is ours */
    uint64_t looks;  /* hash of its spec */
    bool is_first;   /* of its pool */
    char *wrong;     /* what could not be used; NULL: nothing */
    uint64_t said;   /* hash of the condition that was written; 0: none */
    char since[CIVIL_TIME_LEN + 1];
    int ready;       /* -1: nothing said yet */
};
struct live_shards {
    VEC(struct shard *) list; /* by name */
    struct map places;        /* queue -> enum place_how; keys are ours */
    bool again_queues, again_pods, again_groups;
    nsec_t again_at;
};

struct live_shards *live_shards_new(void)
{
    struct live_shards *x = xnew(struct live_shards);
    x->places = MAP_INIT;
    return x;
}

static void shard_free(struct shard *s)
{
    free(s->name);
    free(s->uid);
    free((char *)s->o.pool.p);
    free(s->wrong);
    free(s);
}

void live_shards_free(struct live_shards *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->list.len; i++)
        shard_free(x->list.p[i]);
    vec_fini(&x->list);
    map_foreach(e, &x->places)
        free((char *)e->key.p);
    map_fini(&x->places);
    free(x);
}

/* The one that counts for the pool; NULL: nobody made one. */
static struct shard *shard_of(const struct live *l, str pool)
{
    const struct live_shards *x = l->shards;
    for (size_t i = 0; i < x->list.len; i++)
        if (x->list.p[i]->is_first && str_eq(x->list.p[i]->o.pool, pool))
            return x->list.p[i];
    return NULL;
}

/* --- what they say of themselves ---------------------------------------------------------------------------------------------------------------- */
static void say(struct live *l, struct shard *s)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    bool ready = s->is_first && !s->wrong;
    str message = !s->is_first ? S("another SchedulingShard is for the same node pool: the first by name counts") : s->wrong ? str_of(s->wrong) : S("in force");
    if (l->opts.no_queue_status)
        return;
    if (s->ready != (int)ready)
        civil_format(clock_wall(l->opts.clock), s->since);
    s->ready = (int)ready;
    strbuf_addf(&b, "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\",\"lastTransitionTime\":\"%s\",\"message\":", ready ? "True" : "False",
                !s->is_first ? "SamePool" : s->wrong ? "InvalidOption" : "InForce", s->since);
    json_write_string(&b, message);
    strbuf_add_str(&b, S("}]}}"));
    uint64_t hash = str_hash(strbuf_str(&b)) | 1;
    if (s->said == hash)
        return;
    s->said = hash;
    strbuf_add_str(&path, S("/apis/" API "/schedulingshards"));
    client_path_add(&path, str_of(s->name));
    strbuf_add_str(&path, S("/status"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

/* What a server that does not check let through. */
static char *errors_text(struct arena *a, const struct shard_notes *notes)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < notes->n; i++)
        if (notes->list[i].is_error)
            strbuf_addf(&b, "%sspec." STR_FMT ": \"" STR_FMT "\": " STR_FMT, b.len ? "; " : "", STR_ARG(notes->list[i].path), STR_ARG(str_sub(notes->list[i].value, 0, 100)),
                        STR_ARG(notes->list[i].text));
    return b.len ? str_dup(strbuf_str(&b)) : NULL;
}

/* --- pools and options ------------------------------------------------------------------------------------------------------------------------------ */
static struct policy_opts opts_of(const struct shard *s)
{
    static const enum policy_action actions[SHARD_ACTIONS] = {POLICY_ALLOCATE, POLICY_CONSOLIDATE, POLICY_RECLAIM, POLICY_PREEMPT, POLICY_STALE};
    const struct shard_options *o = s ? &s->o : &shard_options_default;
    struct policy_opts p = POLICY_OPTS_DEFAULT;
    p.past = o->past;
    p.saturation = o->saturation;
    p.stale_grace_ns = o->stale_grace_ns;
    p.max_moves = o->max_moves;
    p.still_reclaim = o->still_reclaim;
    p.max_reservations = o->max_reservations;
    p.hold_after_ns = o->reserve_after_ns;
    p.age_every_ns = o->age_every_ns;
    p.age_step = (int32_t)o->age_step;
    p.age_steps = o->age_steps;
    p.defrag = (struct policy_defrag_opts){.every_ns = o->defrag_every_ns, .units = o->defrag_units, .pods = o->defrag_pods, .hourly = o->defrag_hourly, .min_runtime_ns = o->defrag_min_runtime_ns};
    p.half_life_ns = o->has_history ? o->half_life_ns : 0;
    p.window_ns = o->has_history ? o->window_ns : 0;
    p.tumbles = o->tumbles;
    p.window_from_ns = o->window_from_ns;
    p.preempt_min_runtime_ns = o->preempt_min_runtime_ns;
    p.reclaim_min_runtime_ns = o->reclaim_min_runtime_ns;
    p.reclaim_by_leaf = o->reclaim_by_leaf;
    for (size_t i = 0; i < SHARD_ACTIONS; i++) {
        p.depth[actions[i]] = o->depth[i];
        if (o->off >> i & 1)
            p.actions &= ~(1u << actions[i]);
    }
    return p;
}

static bool same_reading(const struct shard_options *a, const struct shard_options *b)
{
    return str_eq(a->pool, b->pool) && a->places == b->places && a->says_placement == b->says_placement && a->gpu_spread == b->gpu_spread && a->cpu_spread == b->cpu_spread;
}

/* The list has changed: which pools there are, who counts for each, with what options. */
static void apply(struct live *l)
{
    struct live_shards *x = l->shards;
    str names[LIVE_POOLS] = {S("")};
    size_t n = 1;
    for (size_t i = 0; i < x->list.len; i++) {
        struct shard *s = x->list.p[i];
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= str_eq(x->list.p[k]->o.pool, s->o.pool);
        s->is_first = !seen;
        if (!seen && s->o.pool.len && n < LIVE_POOLS)
            names[n++] = s->o.pool;
    }
    live_policy_set_pools(l, names, n, x->list.len > 0);
    struct live_pool *const *pools;
    size_t npools = live_policy_pools(l, &pools);
    for (size_t i = 0; i < npools; i++) {
        struct policy_opts p = opts_of(shard_of(l, str_of(pools[i]->name)));
        live_policy_set_opts(l, pools[i], &p);
    }
    for (size_t i = 0; i < x->list.len; i++)
        say(l, x->list.p[i]);
    live_wake(l);
}

static void read_again(struct live *l, bool pods)
{
    l->shards->again_queues = true;
    l->shards->again_pods |= pods && l->pod_listing; /* those that come from here on are read as it is now */
}

void live_shards_again(struct live *l)
{
    read_again(l, true);
}

void live_shards_topology(struct live *l)
{
    l->shards->again_groups = true;
    live_wake(l);
}

nsec_t live_shards_turn(struct live *l, nsec_t now)
{
    struct live_shards *x = l->shards;
    if (x->again_groups)
        live_sources_again(l, KIND_GROUP);
    x->again_groups = false;
    if (x->again_queues)
        live_sources_again(l, KIND_QUEUE);
    x->again_queues = false;
    if (!x->again_pods)
        return INT64_MAX;
    if (now < x->again_at)
        return x->again_at;
    x->again_at = now + AGAIN_EVERY_NS;
    x->again_pods = false;
    live_twins_clear(l);
    live_sources_again(l, KIND_POD);
    return INT64_MAX;
}

static size_t place_of(const struct live_shards *x, str name, bool *ret_found)
{
    size_t i = 0;
    while (i < x->list.len && str_cmp(str_of(x->list.p[i]->name), name) < 0)
        i++;
    *ret_found = i < x->list.len && str_is(name, x->list.p[i]->name);
    return i;
}

int live_shards_put(struct live *l, struct arena *a, const struct json *obj, struct err *err)
{
    struct live_shards *x = l->shards;
    const struct json *meta = json_get(obj, S("metadata")), *spec = json_get(obj, S("spec"));
    str name = json_get_str(meta, S("name"));
    uint64_t looks = spec ? str_hash(json_text(a, spec)) : 0;
    struct shard_notes notes;
    struct shard_options o;
    bool found;
    size_t at = place_of(x, name, &found);
    if (found && x->list.p[at]->looks == looks)
        return 0; /* a status, our own */
    if (!found && x->list.len >= LIVE_POOLS - 1)
        return err_set(err, E_TOO_LARGE, "SchedulingShard " STR_FMT " is one too many: at most %u are looked at", STR_ARG(name), LIVE_POOLS - 1);
    shard_options_read(a, spec, &o, &notes);
    if (!found) {
        struct shard *s = xnew(struct shard);
        s->name = str_dup(name);
        s->ready = -1;
        vec_push(&x->list, s);
        memmove(&x->list.p[at + 1], &x->list.p[at], (x->list.len - 1 - at) * sizeof *x->list.p);
        x->list.p[at] = s;
    }
    struct shard *s = x->list.p[at];
    read_again(l, !found || !same_reading(&s->o, &o));
    free((char *)s->o.pool.p);
    o.pool = str_of(str_dup(o.pool));
    s->o = o;
    s->looks = looks;
    free(s->wrong);
    s->wrong = errors_text(a, &notes);
    apply(l);
    return 0;
}

void live_shards_delete(struct live *l, str name)
{
    struct live_shards *x = l->shards;
    bool found;
    size_t at = place_of(x, name, &found);
    if (!found)
        return;
    struct shard *s = x->list.p[at];
    vec_remove(&x->list, at);
    read_again(l, true);
    apply(l);
    shard_free(s);
}

bool live_shards_is_flat(const struct live *l, const struct live_pool *pool)
{
    const struct shard *s = shard_of(l, str_of(pool->name));
    return s && s->o.flat;
}

/* --- how nodes are compared ---------------------------------------------------------------------------------------------------------------------------- */
void live_shards_queue(struct live *l, str name, const struct json *obj)
{
    struct live_shards *x = l->shards;
    str said = json_get_str(json_path(obj, "metadata", "annotations", NULL), S(ANNOTATION));
    enum place_how now = str_is(said, "binpack") ? PLACE_BINPACK : str_is(said, "spread") ? PLACE_SPREAD : PLACE_UNSAID;
    struct map_entry *e = map_find(&x->places, name);
    enum place_how was = e ? (enum place_how)(uintptr_t)e->value : PLACE_UNSAID;
    if (now == was)
        return;
    if (now == PLACE_UNSAID) {
        char *key = (char *)e->key.p;
        map_del(&x->places, name);
        free(key);
    } else if (e) {
        e->value = (void *)(uintptr_t)now;
    } else {
        map_put(&x->places, str_n(str_dup(name), name.len), (void *)(uintptr_t)now);
    }
    x->again_pods = l->pod_listing > 0;
    live_wake(l);
}

static enum place_how queue_placement(const struct live *l, const struct live_pool *pool, str queue)
{
    if (!l->shards->places.len || !pool)
        return PLACE_UNSAID;
    const struct queues *q = policy_queues(pool->p);
    for (queue_id id = queues_find(q, queue); id; id = queues_get(q, id)->parent) {
        void *said = map_get(&l->shards->places, queues_get(q, id)->name);
        if (said)
            return (enum place_how)(uintptr_t)said;
    }
    return PLACE_UNSAID;
}

static bool has_chosen(const struct live *l)
{
    return l->nprofiles > 1 || !str_is(l->s->table->profiles[0]->name, "default");
}

static enum place_how placement_of(const struct live *l, str queue, str pool, str scheduler, bool gpus)
{
    const struct live_pool *p = live_policy_pool(l, pool);
    const struct shard *s = p ? shard_of(l, str_of(p->name)) : NULL;
    enum place_how said = queue_placement(l, p, queue);
    if (said != PLACE_UNSAID)
        return said;
    enum place_how by_shard = !s || !s->o.places ? PLACE_UNSAID : (gpus ? s->o.gpu_spread : s->o.cpu_spread) ? PLACE_SPREAD : PLACE_BINPACK;
    if (s && s->o.says_placement)
        return by_shard;
    if (has_chosen(l))
        return PLACE_UNSAID;
    return s ? by_shard : str_is(scheduler, "kai-scheduler") ? PLACE_BINPACK : PLACE_UNSAID;
}

static str profile_named(const struct live *l, enum place_how p)
{
    static const char *const names[] = {[PLACE_UNSAID] = NULL, [PLACE_BINPACK] = "kai-binpack", [PLACE_SPREAD] = "kai-spread"};
    return p == PLACE_UNSAID || l->s->table->nprofiles == l->nprofiles ? S("") : str_of(names[p]);
}

static bool asks_for_gpus(const struct pod_spec *spec)
{
    bool gpus = spec->gpu.kind != GPU_NONE;
    for (size_t i = 0; i < spec->requests.n; i++)
        gpus |= spec->requests.p[i].id == RES_GPU && spec->requests.p[i].amount > 0;
    return gpus;
}

static bool is_split(const struct live *l)
{
    return l->shards->list.len > 0;
}

void live_shards_dress(struct live *l, struct pod_spec *spec)
{
    unit_id u = spec->group.len ? sched_group_find(l->s, spec->ns, spec->group) : UNIT_NONE;
    const struct unit *unit = u ? &l->s->units[u] : NULL;
    str queue = unit && unit->has_queue ? symbol_text(&l->s->sym, unit->queue) : spec->queue;
    str pool = unit && unit->pool ? symbol_text(&l->s->sym, unit->pool) : spec->pool;
    if (!live_policy_is_on(l) || !queue.len)
        return;
    spec->in_pool = is_split(l);
    spec->place_pool = pool;
    str profile = profile_named(l, placement_of(l, queue, pool, spec->scheduler, asks_for_gpus(spec)));
    if (profile.len)
        spec->scheduler = profile;
}

/* What depends on the pod's schedulerName alone is as it was. */
void live_shards_look(struct live *l, unit_id u)
{
    const struct unit *unit = &l->s->units[u];
    bool split = is_split(l);
    if (!live_policy_is_on(l) || !unit->queue || l->shards->again_pods || (!split && !l->shards->places.len))
        return;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod_class *c = class_of(l->s, unit->pods.p[i]);
        str scheduler = profile_of(l->s, c)->name;
        bool gpus = c->gpu.kind != GPU_NONE || c->amount[RES_GPU] > 0;
        str profile = profile_named(l, placement_of(l, symbol_text(&l->s->sym, unit->queue), symbol_text(&l->s->sym, unit->pool), S(""), gpus));
        if (l->s->pods[unit->pods.p[i]].state <= PS_PENDING && (c->in_pool != split || (split && c->pool != unit->pool) || (profile.len && !str_eq(profile, scheduler)))) {
            l->shards->again_pods = true;
            live_wake(l);
            return;
        }
    }
}
