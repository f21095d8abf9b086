/* sim.c - making a simulation: the pipeline, nodes, kinds of jobs, and what an engine holds already. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_internal.h"

#include "base/limits.h"
#include "sched/engine/object.h"
#include "sched/policy/object_queue.h"

/* --- calls of the pipeline: noted, done afterwards, because they change the engine ---------------------------------------------------------------- */

static void on_bind(void *arg, pod_id p, node_id n)
{
    struct sim *sim = arg;
    vec_push(&sim->actions, (struct sim_action){.pod = p, .node = n});
}
static void on_evict(void *arg, pod_id victim, unit_id by UNUSED)
{
    struct sim *sim = arg;
    vec_push(&sim->actions, (struct sim_action){.pod = victim, .node = NODE_NONE, .policy = POLICY_ALLOCATE});
}

struct sim *sim_new(struct sched_profile *profile, const struct sim_opts *opts, struct err *err)
{
    struct sim *sim = xnew(struct sim);
    struct binder_calls calls = {.arg = sim, .bind = on_bind, .evict = on_evict};
    struct pipeline_opts how = {.workers = 1, .dispatch = DISPATCHER_OPTS_DEFAULT};
    sim->opts = *opts;
    sim->opts.setting = opts->setting ? opts->setting : sim_setting_default;
    sim->opts.owed_after = opts->owed_after ? opts->owed_after : SIM_OWED_AFTER;
    sim->policy_again = INT64_MAX;
    sim->decisions = POLICY_DECISIONS_INIT;
    sim->s = sched_new(profile, opts->seed);
    sim->moves = transfers_new();
    sim->interval = opts->sample ? opts->sample : opts->until ? MAX(opts->until / (SIM_SAMPLES / 2), NSEC_PER_MSEC) : NSEC_PER_SEC;
    sim->cap_stale = sim->shapes_stale = sim->fragmentation_stale = true;
    sim->p = pipeline_new(sim->s, &how, &calls, err);
    if (!sim->p) {
        sim_free(sim);
        return NULL;
    }
    return sim;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    pipeline_free(sim->p);
    sim_queues_fini(sim);
    sched_free(sim->s);
    transfers_free(sim->moves);
    vec_fini(&sim->links);
    vec_fini(&sim->heap);
    vec_fini(&sim->actions);
    vec_fini(&sim->kinds);
    vec_fini(&sim->jobs);
    vec_fini(&sim->pods);
    vec_fini(&sim->leaving_as);
    vec_fini(&sim->runs);
    vec_fini(&sim->nodes);
    vec_fini(&sim->events);
    vec_fini(&sim->waits);
    vec_fini(&sim->line);
    vec_fini(&sim->samples);
    map_fini(&sim->template_numbers);
    free(sim->pod_of);
    free(sim->node_of);
    arena_fini(&sim->arena);
    free(sim);
}

struct sched *sim_sched(struct sim *sim)
{
    return sim->s;
}
struct pipeline *sim_pipeline(struct sim *sim)
{
    return sim->p;
}
nsec_t sim_now(const struct sim *sim)
{
    return sim->now;
}
nsec_t sim_engine_now(const struct sim *sim)
{
    return sim->epoch + sim->now;
}
void sim_set_epoch(struct sim *sim, nsec_t epoch)
{
    sim->epoch = epoch;
}
nsec_t sim_last_arrival(const struct sim *sim)
{
    return sim->last_arrival;
}
uint32_t sim_waiting(const struct sim *sim)
{
    return sim->waiting;
}
uint32_t sim_running(const struct sim *sim)
{
    return sim->running;
}

/* --- nodes -------------------------------------------------------------------------------------------------------------------------------------------- */

static void note_node(struct sim *sim, node_id id, const struct scenario_template *t, uint32_t number)
{
    const struct sched *s = sim->s;
    struct sim_node n = {.name = arena_str(&sim->arena, sched_node_name(s, id)), .id = id, .template = t, .number = number, .added = sim->now, .removed = -1};
    n.capacity[SIM_CPU] = s->alloc[RES_CPU] ? s->alloc[RES_CPU][id] : 0;
    n.capacity[SIM_MEMORY] = s->alloc[RES_MEMORY] ? s->alloc[RES_MEMORY][id] : 0;
    n.capacity[SIM_GPU] = (int64_t)s->nodes[id].ngpus * GPU_MILLI;
    sim->has_gpus |= n.capacity[SIM_GPU] > 0;
    if (id >= sim->nnode_of) {
        size_t more = MAX((size_t)id + 1, sim->nnode_of * 2);
        sim->node_of = xrealloc(sim->node_of, more * sizeof *sim->node_of);
        memset(sim->node_of + sim->nnode_of, 0, (more - sim->nnode_of) * sizeof *sim->node_of);
        sim->nnode_of = more;
    }
    sim->node_of[id] = (uint32_t)sim->nodes.len + 1;
    sim_moves_node(sim, &n);
    vec_push(&sim->nodes, n);
    sim->cap_stale = sim->fragmentation_stale = true;
}

int sim_add_nodes(struct sim *sim, const struct scenario_template *t, uint32_t count, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    uint32_t next = (uint32_t)(uintptr_t)map_get(&sim->template_numbers, t->name);
    for (uint32_t i = 0; i < count; i++, next++) {
        struct node_spec spec;
        node_id id;
        int r = scenario_node(t, next, sim->s, &a, &spec, err);
        if (r >= 0)
            r = sched_node_put(sim->s, &spec, &id, err);
        if (r < 0)
            return r;
        note_node(sim, id, t, next);
        arena_reset(&a);
    }
    map_put(&sim->template_numbers, t->name, (void *)(uintptr_t)next);
    return 0;
}

/* --- jobs ---------------------------------------------------------------------------------------------------------------------------------------------- */

int sim_add_kind(struct sim *sim, const struct scenario_job *job, uint32_t *ret_kind, struct err *err)
{
    struct sim_kind k = {.name = job->name, .job = job};
    int r = scenario_pod(job, sim->s, &sim->arena, &k.like, err);
    if (r < 0)
        return r;
    if (scenario_is_gang(job))
        k.min_member = job->min_member > 0 ? job->min_member : INT32_MAX;
    sim_moves_kind(sim, &k);
    r = sim_queues_kind(sim, &k, err);
    if (r < 0)
        return r;
    *ret_kind = (uint32_t)sim->kinds.len;
    vec_push(&sim->kinds, k);
    sim->shapes_stale = true;
    return 0;
}

uint32_t sim_add_job(struct sim *sim, uint32_t kind, str name, nsec_t arrival, nsec_t duration, uint32_t replicas)
{
    struct sim_job j = {.kind = kind, .arrival = MAX(arrival, sim->now), .duration = duration, .start = -1, .moving_since = -1, .first_pod = SIM_NONE};
    j.name = arena_str(&sim->arena, name);
    j.npods = replicas ? replicas : scenario_pods(sim->kinds.p[kind].job);
    vec_push(&sim->jobs, j);
    sim->last_arrival = MAX(sim->last_arrival, j.arrival);
    sim_push(sim, j.arrival, EV_ARRIVE, (uint32_t)sim->jobs.len - 1, 0);
    return (uint32_t)sim->jobs.len - 1;
}

void sim_add_event(struct sim *sim, const struct scenario_event *e)
{
    vec_push(&sim->events, *e);
    sim_push(sim, e->at, EV_HAPPEN, (uint32_t)sim->events.len - 1, 0);
}

static int load_job(struct sim *sim, const struct scenario_job *j, struct rng *rng, struct err *err)
{
    uint32_t kind;
    nsec_t at = 0;
    int r = sim_add_kind(sim, j, &kind, err);
    for (uint32_t k = 0; r >= 0 && k < j->count; k++) {
        char name[32] = "";
        if (j->count > 1)
            snprintf(name, sizeof name, "-%u", k);
        at = scenario_arrival_next(&j->arrival, k, at, rng);
        sim_add_job(sim, kind, arena_cat(&sim->arena, j->name, str_of(name)), at, scenario_duration_draw(&j->duration, rng), 0);
    }
    return r;
}

/* Queues, and what stands in the cluster at the beginning. */
static int load_objects(struct sim *sim, const struct scenario *sc, struct err *err)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < sc->nqueues; i++) {
        struct queue_spec q;
        r = object_queue(sim->s, &sim->arena, &sc->queues[i], &q, err);
        if (r >= 0)
            r = sim_add_queue(sim, &q, err);
        if (r < 0)
            return err_wrap(err, STR_FMT, STR_ARG(scenario_where(sc, &sim->arena, arena_fmt(&sim->arena, "queues[%zu]", i))));
    }
    for (size_t i = 0; r >= 0 && i < sc->nobjects; i++) {
        bool known = false;
        r = object_put(sim->s, &sc->objects[i], &known, err);
        if (r >= 0 && !known)
            r = err_set(err, E_INVALID, "a %s means nothing here", arena_cstr(&sim->arena, json_get_str(&sc->objects[i], S("kind"))));
        if (r < 0)
            return err_wrap(err, STR_FMT, STR_ARG(scenario_where(sc, &sim->arena, arena_fmt(&sim->arena, "objects[%zu]", i))));
    }
    return r;
}

int sim_load(struct sim *sim, const struct scenario *sc, struct err *err)
{
    int r = load_objects(sim, sc, err);
    for (size_t i = 0; r >= 0 && i < sc->nlinks; i++)
        r = sim_moves_link(sim, &sc->links[i], err);
    for (size_t i = 0; r >= 0 && i < sc->ntemplates; i++)
        r = sim_add_nodes(sim, &sc->templates[i], sc->templates[i].count, err);
    if (r >= 0 && sc->nobjects)
        r = sim_adopt(sim, S("objects"), false, err);
    for (size_t i = 0; r >= 0 && i < sc->njobs; i++) {
        /* a stream of its own for each job: another job more or less changes nothing for the others */
        struct rng rng;
        rng_seed(&rng, sim->opts.seed * 0x9e3779b97f4a7c15u + str_hash(sc->jobs[i].name));
        r = load_job(sim, &sc->jobs[i], &rng, err);
    }
    for (size_t i = 0; r >= 0 && i < sc->nevents; i++)
        sim_add_event(sim, &sc->events[i]);
    return r;
}

/* --- what is there already ------------------------------------------------------------------------------------------------------------------------------ */

static void adopt_nodes(struct sim *sim)
{
    bits_foreach(n, sim->s->alive, sim->s->view.words) if (sim_node_index(sim, n) == SIM_NONE) note_node(sim, n, NULL, 0);
}

static int adopt_pod(struct sim *sim, uint32_t kind, pod_id id, struct err *err)
{
    const struct pod *p = &sim->s->pods[id];
    str name = arena_str(&sim->arena, sched_pod_name(sim->s, id));
    uint32_t pod = (uint32_t)sim->pods.len;
    vec_push(&sim->jobs, (struct sim_job){.kind = kind, .name = name, .arrival = sim->now, .duration = -1, .start = -1, .moving_since = -1, .first_pod = pod, .npods = 1});
    vec_push(&sim->pods, (struct sim_pod){.job = (uint32_t)sim->jobs.len - 1, .name = name, .arrival = sim->now, .first_start = -1, .id = id, .run = SIM_NONE, .state = SIM_WAITING});
    sim->pods.p[pod].origin = name;
    sim->pods.p[pod].ns = arena_str(&sim->arena, sched_pod_ns(sim->s, id));
    vec_push(&sim->leaving_as, 0);
    sim_map_pod(sim, id, pod);
    sim->kinds.p[kind].jobs++;
    sim->kinds.p[kind].pods++;
    sim->kinds.p[kind].waiting++;
    sim->waiting++;
    sim_queues_pod(sim, pod);
    sim_queues_waits(sim, pod, 1);
    if (p->state == PS_BOUND || p->state == PS_TERMINATING) {
        bool leaving = p->state == PS_TERMINATING;
        nsec_t since = p->started_ns; /* decides between victims */
        sim_started(sim, pod, p->node);
        sim->waits.len--; /* it did not wait here */
        sim_queues_adopted(sim, pod);
        sim->s->pods[id].started_ns = since;
        if (leaving && sim->kinds.p[kind].gone_is_gone)
            model_set_state(sim->s, id, PS_TERMINATING);
        else if (leaving)
            sim_deleted(sim, pod);
        return 0;
    }
    unit_id u = sched_unit_of(sim->s, id);
    return sim->policy && policy_has(sim->policy, u) ? 0 : dispatcher_add(pipeline_dispatcher(sim->p), u, sim->now, err);
}

static int by_creation(const void *pa, const void *pb, void *arg)
{
    const struct sched *s = arg;
    pod_id a = *(const pod_id *)pa, b = *(const pod_id *)pb;
    if (s->pods[a].created_ns != s->pods[b].created_ns)
        return s->pods[a].created_ns < s->pods[b].created_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

int sim_adopt(struct sim *sim, str kind, bool gone_is_gone, struct err *err)
{
    uint32_t k = 0;
    int r = 0;
    adopt_nodes(sim);
    while (k < sim->kinds.len && !str_eq(sim->kinds.p[k].name, kind))
        k++;
    if (k == sim->kinds.len)
        vec_push(&sim->kinds, (struct sim_kind){.name = arena_str(&sim->arena, kind), .gone_is_gone = gone_is_gone});
    VEC(pod_id) found = {0};
    for (pod_id p = 1; p < sim->s->npods_slots; p++)
        if (sim->s->pods[p].state != PS_FREE && sim->s->pods[p].state != PS_ELSEWHERE && sim_pod_of(sim, p) == SIM_NONE)
            vec_push(&found, p); /* of those on nodes that nobody knows nothing can be told */
    /* a dump is in the order of names; those that were created first wait first */
    if (found.len)
        qsort_r(found.p, found.len, sizeof *found.p, by_creation, sim->s);
    for (size_t i = 0; r >= 0 && i < found.len; i++)
        r = adopt_pod(sim, k, found.p[i], err);
    vec_fini(&found);
    sim->shapes_stale = true;
    return r;
}
