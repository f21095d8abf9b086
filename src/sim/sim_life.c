/* sim_life.c - the lives of jobs and pods.
 *
 *   arrive ─► WAITING ──bind──► RUNNING ──end──► DONE            (in a setting where nobody overtakes, jobs that wait are told to the engine one by one)
 *                ▲                 │ evicted, its node removed, its gang below the minimum
 *                └── gone ◄── LEAVING (grace: it still holds its room)
 * A pod that comes again is a new pod to the engine, with the same name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sim/sim_internal.h"

uint32_t sim_pod_of(const struct sim *sim, pod_id id)
{
    return id < sim->npod_of ? sim->pod_of[id] - 1 : SIM_NONE;
}

static void grow(uint32_t **p, size_t *n, size_t need)
{
    if (need <= *n)
        return;
    size_t now = MAX(need, *n * 2);
    *p = xrealloc(*p, now * sizeof **p);
    memset(*p + *n, 0, (now - *n) * sizeof **p);
    *n = now;
}

void sim_map_pod(struct sim *sim, pod_id id, uint32_t pod)
{
    grow(&sim->pod_of, &sim->npod_of, (size_t)id + 1);
    sim->pod_of[id] = pod + 1;
}

uint32_t sim_node_index(const struct sim *sim, node_id id)
{
    return id < sim->nnode_of ? sim->node_of[id] - 1 : SIM_NONE;
}

/* So long from now; INT64_MAX is never. */
static nsec_t after(const struct sim *sim, nsec_t duration)
{
    return duration > INT64_MAX - sim->now ? INT64_MAX : sim->now + duration;
}

static struct dispatcher *line_of(struct sim *sim)
{
    return pipeline_dispatcher(sim->p);
}

/* --- coming ------------------------------------------------------------------------------------------------------------------------------------ */

static bool is_gang(const struct sim *sim, const struct sim_job *j)
{
    return sim->kinds.p[j->kind].min_member > 0 && sim->kinds.p[j->kind].job;
}

/* As many as the kind wants, but a smaller instance has a smaller minimum. */
static int32_t minimum(const struct sim *sim, const struct sim_job *j)
{
    int32_t min = sim->kinds.p[j->kind].min_member;
    return MIN(min, (int32_t)j->npods);
}

static void waits_again(struct sim *sim, uint32_t pod)
{
    struct sim_pod *p = &sim->pods.p[pod];
    p->state = SIM_WAITING;
    sim->waiting++;
    sim->kinds.p[sim->jobs.p[p->job].kind].waiting++;
    sim_queues_waits(sim, pod, 1);
}

/* It is the policy's, or else goes into the dispatcher's line. */
static int into_line(struct sim *sim, pod_id id, struct err *err)
{
    unit_id u = sched_unit_of(sim->s, id);
    return sim->policy && policy_has(sim->policy, u) ? 0 : dispatcher_add(line_of(sim), u, sim->now, err);
}

/* A pod that waits as a new one to the engine. */
static int put_pod(struct sim *sim, uint32_t pod, struct err *err)
{
    struct sim_pod *p = &sim->pods.p[pod];
    struct sim_job *j = &sim->jobs.p[p->job];
    struct sim_kind *k = &sim->kinds.p[j->kind];
    struct pod_spec spec = k->like;
    pod_id id;
    spec.name = spec.uid = p->name;
    /* in the one line of all, one that lost its place takes it again */
    spec.created_ns = sim->policy && sim->opts.setting->one_line ? p->arrival : sim->epoch + sim->now;
    spec.group = is_gang(sim, j) ? j->name : S("");
    sim_moves_pod(k, pod - j->first_pod, &spec);
    int r = sched_pod_put(sim->s, &spec, &id, err);
    if (r < 0)
        return err_wrap(err, "job " STR_FMT ": ", STR_ARG(j->name));
    p->id = id;
    sim_map_pod(sim, id, pod);
    return into_line(sim, id, err);
}

static int come_again(struct sim *sim, uint32_t pod, struct err *err)
{
    waits_again(sim, pod);
    return put_pod(sim, pod, err);
}

static int put_group(struct sim *sim, const struct sim_job *j, struct err *err)
{
    const struct sim_kind *k = &sim->kinds.p[j->kind];
    struct group_spec g = {.ns = k->like.ns, .name = j->name, .min_member = minimum(sim, j), .priority = k->like.priority, .has_priority = true, .created_ns = sim->epoch + sim->now};
    g.required_keys = &k->job->required_key;
    g.nrequired_keys = k->job->required_key.len > 0;
    g.preferred_keys = &k->job->preferred_key;
    g.npreferred_keys = k->job->preferred_key.len > 0;
    g.queue = k->like.queue;
    struct spec_subgroup *parts = arena_array(&sim->arena, k->job->parties.n + 1, struct spec_subgroup);
    for (size_t i = 0; i < k->job->parties.n; i++)
        parts[i] = (struct spec_subgroup){.name = k->job->parties.p[i], .min_member = (int32_t)k->job->replicas};
    g.subgroups = parts;
    g.nsubgroups = k->job->parties.n;
    g.preemptibility = k->like.preemptibility;
    return sched_group_put(sim->s, &g, NULL, err);
}

/* The job's pods that wait become known to the engine. */
static int put_job(struct sim *sim, uint32_t job, struct err *err)
{
    const struct sim_job *j = &sim->jobs.p[job];
    int r = is_gang(sim, j) ? put_group(sim, j, err) : 0;
    for (uint32_t i = j->first_pod; r >= 0 && i < j->first_pod + j->npods; i++)
        if (sim->pods.p[i].state == SIM_WAITING)
            r = put_pod(sim, i, err);
    return r;
}

int sim_arrive(struct sim *sim, uint32_t job, struct err *err)
{
    struct sim_job *j = &sim->jobs.p[job];
    j->first_pod = (uint32_t)sim->pods.len;
    sim->kinds.p[j->kind].jobs++;
    sim->kinds.p[j->kind].pods += j->npods;
    sim->kinds.p[j->kind].waiting_gangs += is_gang(sim, j);
    for (uint32_t i = 0; i < j->npods; i++) {
        str name = j->npods > 1 ? arena_fmt(&sim->arena, STR_FMT "-%u", STR_ARG(j->name), i) : j->name;
        vec_push(&sim->pods, (struct sim_pod){.job = job, .name = name, .arrival = sim->now, .first_start = -1, .run = SIM_NONE});
        vec_push(&sim->leaving_as, 0);
        sim_queues_pod(sim, (uint32_t)sim->pods.len - 1);
        waits_again(sim, (uint32_t)sim->pods.len - 1);
    }
    if (sim->policy && sim->opts.setting->in_order && sim->kinds.p[j->kind].queue) {
        vec_push(&sim->line, job);
        return 0;
    }
    return put_job(sim, job, err);
}

int sim_line_admit(struct sim *sim, bool *ret_any, struct err *err)
{
    *ret_any = false;
    if (sim->line_at == sim->line.len)
        return 0;
    if (sim->line_at) {
        const struct sim_job *before = &sim->jobs.p[sim->line.p[sim->line_at - 1]];
        bool runs = is_gang(sim, before) ? before->start >= 0 : before->nstarted == before->npods;
        if (!runs && !before->is_over)
            return 0;
    }
    uint32_t next = sim->line.p[sim->line_at++];
    *ret_any = true;
    return sim->jobs.p[next].is_over ? 0 : put_job(sim, next, err);
}

/* --- starting ----------------------------------------------------------------------------------------------------------------------------------- */

static void gang_started(struct sim *sim, uint32_t job)
{
    struct sim_job *j = &sim->jobs.p[job];
    j->started = true;
    j->since = sim->now;
    sim->kinds.p[j->kind].waiting_gangs--;
    if (j->start < 0)
        j->start = sim->now;
    if (j->duration >= 0)
        sim_push(sim, after(sim, MAX(j->duration - j->saved, (nsec_t)0)), EV_JOB_END, job, j->serial);
}

/* Until when the work since then is kept: the last checkpoint. */
static nsec_t checkpoint(const struct sim *sim, const struct sim_job *j, nsec_t since)
{
    const struct scenario_job *of = sim->kinds.p[j->kind].job;
    nsec_t every = of ? of->checkpoint : 0, until = j->moving_since >= 0 ? MAX(j->moving_since, since) : sim->now; /* what has been sent is sent again */
    return every > 0 ? since + (until - since) / every * every : since;
}

static int64_t amount_of(const struct pod_class *c, uint16_t id)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        if (c->req[i].id == id)
            return c->req[i].amount;
    return 0;
}

void sim_started(struct sim *sim, uint32_t pod, node_id n)
{
    struct sim_pod *p = &sim->pods.p[pod];
    struct sim_job *j = &sim->jobs.p[p->job];
    const struct pod_class *c = class_of(sim->s, p->id);
    struct sim_run run = {.pod = pod, .node = sim_node_index(sim, n), .from = sim->now, .to = -1, .gpu_mask = sim->s->pods[p->id].gpu_mask};
    run.cpu_milli = amount_of(c, RES_CPU);
    run.memory = amount_of(c, RES_MEMORY);
    if (c->gpu.kind != GPU_NONE)
        run.gpu_milli = (int32_t)c->gpu.count * devices_milli(sim->s, c, n);
    p->run = (uint32_t)sim->runs.len;
    vec_push(&sim->runs, run);
    sim_queues_waits(sim, pod, -1);
    sim_queues_holds(sim, pod, &run, 1);
    p->state = SIM_RUNNING;
    sim->waiting--;
    sim->kinds.p[j->kind].waiting--;
    sim->running++;
    j->running++;
    if (p->first_start < 0) {
        p->first_start = sim->now;
        j->nstarted++;
        vec_push(&sim->waits, (double)(sim->now - p->arrival) / 1e9);
        sim->kinds.p[j->kind].placed++;
    }
    sim_books_run(sim, &run, 1);
    /* the world says yes at once; a bound pod's start decides between victims */
    binder_confirmed(pipeline_binder(sim->p), p->id);
    if (sim->s->pods[p->id].state == PS_ASSUMED)
        model_set_state(sim->s, p->id, PS_BOUND);
    sim->s->pods[p->id].started_ns = sim->epoch + sim->now;
    if (is_gang(sim, j)) {
        if (!j->started && (int32_t)j->running >= minimum(sim, j))
            gang_started(sim, p->job);
        return;
    }
    if (j->start < 0)
        j->start = sim->now;
    if (j->duration >= 0)
        sim_push(sim, after(sim, j->duration - p->saved), EV_POD_END, pod, p->serial);
}

/* --- leaving --------------------------------------------------------------------------------------------------------------------------------------- */

/* Takes the pod out of the engine; its unit, if it was alone, out of the line. */
static void take_out(struct sim *sim, struct sim_pod *p)
{
    if (p->id == POD_NONE)
        return;
    unit_id u = sched_unit_of(sim->s, p->id);
    binder_pod_gone(pipeline_binder(sim->p), p->id);
    if (!sim->s->units[u].is_group)
        dispatcher_remove(line_of(sim), u);
    sim->pod_of[p->id] = 0;
    sched_pod_delete(sim->s, sched_pod_ns(sim->s, p->id), p->name);
    p->id = POD_NONE;
}

/* When a pod stops before its time: what it did until its last checkpoint is kept.  A gang's work is the gang's. */
static void save_work(struct sim *sim, uint32_t pod)
{
    struct sim_pod *p = &sim->pods.p[pod];
    const struct sim_job *j = &sim->jobs.p[p->job];
    nsec_t from = sim->runs.p[p->run].from;
    if (!is_gang(sim, j)) {
        p->kept_until = checkpoint(sim, j, from);
        p->saved += p->kept_until - from;
    } else {
        p->kept_until = j->started ? MAX(checkpoint(sim, j, j->since), from) : from;
    }
}

static void note_loss(struct sim *sim, uint32_t pod, const struct sim_run *run)
{
    struct sim_pod *p = &sim->pods.p[pod];
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    if (p->state == SIM_RUNNING)
        save_work(sim, pod);
    double lost = (double)(run->to - p->kept_until) / 1e9;
    sim->lost_s += lost;
    sim->lost_gpu_s += lost * run->gpu_milli / GPU_MILLI;
    if (q) {
        q->lost_s += lost;
        q->lost_gpu_s += lost * run->gpu_milli / GPU_MILLI;
    }
}

/* What its run left behind, and then the pod itself. */
static void end_run(struct sim *sim, uint32_t pod, enum sim_end why)
{
    struct sim_pod *p = &sim->pods.p[pod];
    struct sim_run *run = &sim->runs.p[p->run];
    run->to = sim->now;
    run->end = (uint8_t)why;
    sim_books_run(sim, run, -1);
    sim_queues_holds(sim, pod, run, -1);
    if (why != SIM_ENDED && why != SIM_DELETED)
        note_loss(sim, pod, run);
    sim->running--;
    if (p->state == SIM_RUNNING)
        sim->jobs.p[p->job].running--;
    p->run = SIM_NONE;
    p->state = SIM_ABSENT;
    p->serial++;
    take_out(sim, p);
}

static void drop_waiting(struct sim *sim, struct sim_pod *p)
{
    sim_queues_waits(sim, (uint32_t)(p - sim->pods.p), -1);
    take_out(sim, p);
    sim->waiting--;
    sim->kinds.p[sim->jobs.p[p->job].kind].waiting--;
    p->state = SIM_DROPPED;
    p->serial++;
}

static void done(struct sim *sim, uint32_t pod)
{
    struct sim_pod *p = &sim->pods.p[pod];
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    p->state = SIM_DONE;
    sim->kinds.p[sim->jobs.p[p->job].kind].done++;
    sim->turnaround_s += (double)(sim->now - p->arrival) / 1e9;
    sim->ended++;
    if (q)
        q->done++;
}

void sim_pod_end(struct sim *sim, uint32_t pod)
{
    end_run(sim, pod, SIM_ENDED);
    done(sim, pod);
}

void sim_job_end(struct sim *sim, uint32_t job, enum sim_end why)
{
    struct sim_job *j = &sim->jobs.p[job];
    unit_id u = UNIT_NONE;
    sim_moves_stop(sim, job);
    j->serial++;
    for (uint32_t i = j->first_pod; i < j->first_pod + j->npods; i++) {
        struct sim_pod *p = &sim->pods.p[i];
        if (p->id != POD_NONE)
            u = sched_unit_of(sim->s, p->id);
        if (p->state == SIM_RUNNING || p->state == SIM_LEAVING) {
            end_run(sim, i, why);
            if (why == SIM_ENDED)
                done(sim, i);
            else
                p->state = SIM_DROPPED;
        } else if (p->state == SIM_WAITING) {
            drop_waiting(sim, p);
        }
    }
    if (is_gang(sim, j) && u != UNIT_NONE) {
        dispatcher_remove(line_of(sim), u);
        sched_group_delete(sim->s, sim->kinds.p[j->kind].like.ns, j->name);
    }
    sim->kinds.p[j->kind].waiting_gangs -= is_gang(sim, j) && !j->started && !j->is_over;
    j->started = false;
    j->is_over = true;
}

/* It holds its room for the grace time. */
static void leave(struct sim *sim, uint32_t pod, enum sim_end as)
{
    struct sim_pod *p = &sim->pods.p[pod];
    save_work(sim, pod);
    p->state = SIM_LEAVING;
    sim->leaving_as.p[pod] = (uint8_t)as;
    sim->jobs.p[p->job].running--;
    p->serial++;
    if (sim->s->pods[p->id].state != PS_TERMINATING)
        model_set_state(sim->s, p->id, PS_TERMINATING);
    sim_push(sim, after(sim, sim->opts.grace), EV_GONE, pod, p->serial);
}

void sim_deleted(struct sim *sim, uint32_t pod)
{
    leave(sim, pod, SIM_DELETED);
}

/* Its other members stop when it fell below its minimum. */
static void check_gang(struct sim *sim, uint32_t job)
{
    struct sim_job *j = &sim->jobs.p[job];
    if (!is_gang(sim, j) || !j->started || (int32_t)j->running >= minimum(sim, j))
        return;
    for (uint32_t i = j->first_pod; i < j->first_pod + j->npods; i++)
        if (sim->pods.p[i].state == SIM_RUNNING)
            leave(sim, i, SIM_STOPPED);
    j->saved += checkpoint(sim, j, j->since) - j->since;
    sim_moves_stop(sim, job);
    j->started = false;
    j->serial++;
    sim->kinds.p[j->kind].waiting_gangs++;
}

void sim_evicted(struct sim *sim, uint32_t pod)
{
    struct sim_pod *p = &sim->pods.p[pod];
    if (p->state == SIM_LEAVING) {
        if (sim->leaving_as.p[pod] != SIM_DELETED)
            sim->leaving_as.p[pod] = SIM_EVICTED;
    } else if (p->state == SIM_RUNNING) {
        leave(sim, pod, SIM_EVICTED);
        check_gang(sim, p->job);
    }
    p->evictions++;
    sim->evictions++;
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    if (q)
        q->preemptions++;
}

/* Nobody has the specs of pods that were there before: a likeness is made of the one that goes, under another name as a workload would make it. */
static int replace_adopted(struct sim *sim, uint32_t pod, struct err *err)
{
    struct sim_pod *p = &sim->pods.p[pod];
    str name = arena_fmt(&sim->arena, STR_FMT "~%u", STR_ARG(p->name), p->evictions);
    pod_id again = sched_pod_clone(sim->s, p->id, name, sim->epoch + sim->now);
    end_run(sim, pod, (enum sim_end)sim->leaving_as.p[pod]);
    p->name = name;
    p->id = again;
    sim_map_pod(sim, again, pod);
    waits_again(sim, pod);
    return into_line(sim, again, err);
}

int sim_pod_gone(struct sim *sim, uint32_t pod, struct err *err)
{
    const struct sim_kind *k = &sim->kinds.p[sim->jobs.p[sim->pods.p[pod].job].kind];
    bool is_final = k->gone_is_gone || sim->leaving_as.p[pod] == SIM_DELETED;
    if (!k->job && !is_final)
        return replace_adopted(sim, pod, err);
    end_run(sim, pod, (enum sim_end)sim->leaving_as.p[pod]);
    if (!is_final)
        return come_again(sim, pod, err);
    sim->pods.p[pod].state = SIM_DROPPED;
    return 0;
}

/* --- what the scenario lets happen -------------------------------------------------------------------------------------------------------------------- */

static bool name_matches(str pattern, str name)
{
    if (pattern.len && pattern.p[pattern.len - 1] == '*')
        return str_has_prefix(name, str_sub(pattern, 0, pattern.len - 1));
    return str_eq(pattern, name);
}

static int cordon(struct sim *sim, const struct sim_node *n, bool on, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct node_spec spec;
    int r = scenario_node(n->template, n->number, sim->s, &a, &spec, err);
    if (r < 0)
        return r;
    spec.unschedulable = on;
    sim->fragmentation_stale = true;
    return sched_node_put(sim->s, &spec, NULL, err);
}

/* Pods that run there wait again; those that were promised room there are tried again by the binder. */
static int remove_node(struct sim *sim, uint32_t node, struct err *err)
{
    struct sim_node *n = &sim->nodes.p[node];
    VEC(uint32_t) lost = {0};
    for (pod_id p = sim->s->nodes[n->id].first_pod; p; p = sim->s->pods[p].next_on_node) {
        uint32_t pod = sim_pod_of(sim, p);
        if (pod != SIM_NONE && sim->pods.p[pod].run != SIM_NONE)
            vec_push(&lost, pod);
    }
    for (size_t i = 0; i < lost.len; i++)
        end_run(sim, lost.p[i], SIM_NODE_GONE);
    sched_node_delete(sim->s, n->name);
    sim->node_of[n->id] = 0;
    n->id = NODE_NONE;
    n->removed = sim->now;
    sim->cap_stale = sim->fragmentation_stale = true;
    int r = 0;
    for (size_t i = 0; r >= 0 && i < lost.len; i++) {
        uint32_t job = sim->pods.p[lost.p[i]].job;
        if (sim->kinds.p[sim->jobs.p[job].kind].gone_is_gone)
            sim->pods.p[lost.p[i]].state = SIM_DROPPED;
        else
            r = come_again(sim, lost.p[i], err);
    }
    for (size_t i = 0; r >= 0 && i < lost.len; i++)
        check_gang(sim, sim->pods.p[lost.p[i]].job);
    vec_fini(&lost);
    return r;
}

static int happen_to_nodes(struct sim *sim, const struct scenario_event *e, str pattern, struct err *err)
{
    bool any = false;
    int r = 0;
    for (uint32_t i = 0; r >= 0 && i < sim->nodes.len; i++) {
        const struct sim_node *n = &sim->nodes.p[i];
        if (n->id == NODE_NONE || !name_matches(pattern, n->name))
            continue;
        any = true;
        if (e->kind == HAPPEN_REMOVE)
            r = remove_node(sim, i, err);
        else if (n->template)
            r = cordon(sim, n, e->kind == HAPPEN_CORDON, err);
    }
    if (r >= 0 && !any)
        return err_set(err, E_INVALID, STR_FMT "at %llds there is no node \"" STR_FMT "\"",
                       STR_ARG(e->of ? scenario_where(e->of, &sim->arena, arena_fmt(&sim->arena, "events[%u]", e->number)) : S("")), (long long)(e->at / NSEC_PER_SEC),
                       STR_ARG(pattern));
    return r;
}

static void delete_job(struct sim *sim, str name)
{
    for (uint32_t i = 0; i < sim->jobs.len; i++) {
        struct sim_job *j = &sim->jobs.p[i];
        if (!str_eq(j->name, name) && !str_eq(sim->kinds.p[j->kind].name, name))
            continue;
        if (j->first_pod != SIM_NONE)
            sim_job_end(sim, i, SIM_DELETED);
        else
            j->serial++; /* it never comes */
    }
}

int sim_happen(struct sim *sim, const struct scenario_event *e, struct err *err)
{
    int r = 0;
    switch (e->kind) {
    case HAPPEN_NONE:
        break;
    case HAPPEN_ADD:
        r = sim_add_nodes(sim, e->add, e->count, err);
        break;
    case HAPPEN_DELETE:
        for (size_t i = 0; i < e->names.n; i++)
            delete_job(sim, e->names.p[i]);
        break;
    case HAPPEN_CORDON:
    case HAPPEN_UNCORDON:
    case HAPPEN_REMOVE:
        for (size_t i = 0; r >= 0 && i < e->names.n; i++)
            r = happen_to_nodes(sim, e, e->names.p[i], err);
        break;
    }
    return r;
}

bool sim_set_runtime(struct sim *sim, str ns, str name, nsec_t started, nsec_t most)
{
    pod_id id = sched_pod_find(sim->s, ns, name);
    uint32_t pod = id == POD_NONE ? SIM_NONE : sim_pod_of(sim, id);
    if (pod == SIM_NONE)
        return false;
    sim->jobs.p[sim->pods.p[pod].job].duration = most;
    nsec_t ran = started && started < sim->epoch ? sim->epoch - started : 0;
    if (sim->pods.p[pod].state == SIM_RUNNING)
        sim_push(sim, after(sim, ran < most ? most - ran : 0), EV_POD_END, pod, sim->pods.p[pod].serial);
    return true;
}

/* --- what others let happen ----------------------------------------------------------------------------------------------------------------------------- */

void sim_delete_pod(struct sim *sim, str ns, str name)
{
    pod_id id = sched_pod_find(sim->s, ns, name);
    uint32_t pod = id == POD_NONE ? SIM_NONE : sim_pod_of(sim, id);
    if (pod == SIM_NONE)
        return;
    struct sim_pod *p = &sim->pods.p[pod];
    if (p->state == SIM_WAITING) {
        drop_waiting(sim, p);
    } else if (p->run != SIM_NONE) {
        end_run(sim, pod, SIM_DELETED);
        p->state = SIM_DROPPED;
    }
}

void sim_terminate_pod(struct sim *sim, str ns, str name)
{
    pod_id id = sched_pod_find(sim->s, ns, name);
    if (id != POD_NONE && (sim->s->pods[id].state == PS_BOUND || sim->s->pods[id].state == PS_ASSUMED))
        model_set_state(sim->s, id, PS_TERMINATING);
}

int sim_delete_node(struct sim *sim, str name, struct err *err)
{
    node_id id = sched_node_find(sim->s, name);
    uint32_t node = id == NODE_NONE ? SIM_NONE : sim_node_index(sim, id);
    return node == SIM_NONE ? 0 : remove_node(sim, node, err);
}
