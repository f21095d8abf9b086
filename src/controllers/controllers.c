/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of controllers, and the order of their life:
 *
 *   new ─► discovery ─► informers for what is watched ─► events ─► queues ─► jobs
 *   stop ─► informers end ─► running jobs end with their next answer ─► done()
 *
 * A change of a CustomResourceDefinition makes discovery run again a moment later, so that a burst of them is one run. */
#include "controllers/controllers.h"

#include "base/log.h"
#include "controllers/events.h"
#include "controllers/job.h"
#include "controllers/kuscia.h"
#include "controllers/node_lifecycle.h"
#include "controllers/services.h"
#include "controllers/sources.h"
#include "controllers/volumes.h"
#include "controllers/workloads.h"

static const struct controller_type *const types[] = {
    &controller_namespace,
    &controller_namespace_content,
    &controller_gc,
    &controller_crd_cleanup,
    &controller_token_secret,
    &controller_event_ttl,
    &controller_role_aggregation,
    &controller_volume_protection,
    &controller_certificates,
    &controller_token_cleaner,
    &controller_event_recorder,
    &controller_workload_caches, /* before those that use it */
    &controller_replicaset,
    &controller_rc,
    &controller_deployment,
    &controller_batch_job,
    &controller_ttl_after_finished,
    &controller_daemonset,
    &controller_statefulset,
    &controller_cronjob,
    &controller_node_lifecycle,
    &controller_taint_eviction,
    &controller_node_ipam,
    &controller_volumes,
    &controller_ephemeral_volumes,
    &controller_service_caches, /* before those that use it */
    &controller_endpoints,
    &controller_endpoint_slice,
    &controller_endpoint_slice_mirror,
    &controller_disruption,
    &controller_pod_gc,
    &controller_resource_quota,
    &controller_hpa,
    &controller_domains,
    &controller_kuscia_job,
    &controller_kuscia_task,
    &controller_task_resources,
    &controller_kuscia_deployment,
    &controller_kuscia_data,
    &controller_grouping, /* behind the workload caches, whose trees of pods it looks at */
};

#define EVENT_TTL_NS (3600 * NSEC_PER_SEC)
#define REDISCOVER_NS (30 * NSEC_PER_MSEC)
#define DISCOVERY_RETRY_NS NSEC_PER_SEC

struct controllers {
    struct controllers_opts opts;
    struct controller list[ARRAY_LEN(types)];
    struct resources *resources;
    struct sources *sources;
    struct list jobs;
    struct loop_timer discover;
    struct resources_wait discovered;
    bool discovering;
    bool stopping;
    bool sources_ended;
    size_t queues_left;
    void (*done)(void *arg);
    void *done_arg;
};

bool controllers_synced(const struct controllers *all)
{
    return sources_synced(all->sources);
}

bool controllers_stopping(const struct controllers *all)
{
    return all->stopping;
}

struct resources *controllers_resources(struct controllers *all)
{
    return all->resources;
}

struct controller *controllers_find(struct controllers *all, const struct controller_type *type)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (types[i] == type)
            return &all->list[i];
    BUG_ON("a controller that is not in the registry");
    return NULL;
}

/* --- discovery ---------------------------------------------------------------------------------------------------------------- */

static void check_stopped(struct controllers *all);

static void on_discovered(struct resources_wait *w, struct resource_set *set)
{
    struct controllers *all = container_of(w, struct controllers, discovered);
    all->discovering = false;
    if (all->stopping) {
        check_stopped(all);
        return;
    }
    if (!set || set->failed.len)
        loop_timer_set(all->opts.loop, &all->discover, loop_now(all->opts.loop) + DISCOVERY_RETRY_NS);
    if (!set)
        return;
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (types[i]->resources_changed)
            types[i]->resources_changed(&all->list[i], set);
    sources_update(all->sources, set);
}

static void discover(struct loop_timer *t)
{
    struct controllers *all = container_of(t, struct controllers, discover);
    if (all->discovering) {
        loop_timer_set(all->opts.loop, t, loop_now(all->opts.loop) + REDISCOVER_NS);
        return;
    }
    all->discovering = true;
    resources_refresh(all->resources, &all->discovered);
}

void controllers_rediscover(struct controllers *all)
{
    if (!all->stopping && !all->discover.slot_)
        loop_timer_set(all->opts.loop, &all->discover, loop_now(all->opts.loop) + REDISCOVER_NS);
}

/* --- life ------------------------------------------------------------------------------------------------------------------------ */

static void run(struct workqueue *q, struct work *w)
{
    struct controller *c = workqueue_owner(q);
    job_start(c, w, &c->all->jobs);
}

struct controllers *controllers_new(const struct controllers_opts *opts)
{
    struct controllers *all = xnew(struct controllers);
    all->opts = *opts;
    all->opts.event_ttl_ns = opts->event_ttl_ns ? opts->event_ttl_ns : EVENT_TTL_NS;
    list_init(&all->jobs);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct controller *c = &all->list[i];
        *c = (struct controller){.type = types[i], .all = all, .opts = &all->opts};
        c->queue = workqueue_new(&(struct workqueue_opts){.loop = opts->loop, .parallel = types[i]->parallel, .run = run, .owner = c, .max_delay_ns = types[i]->max_delay_ns});
        if (types[i]->init)
            types[i]->init(c);
    }
    all->resources = resources_new(opts->transport, opts->loop);
    all->sources = sources_new(&all->opts, all->list, ARRAY_LEN(types));
    all->discover.fire = discover;
    all->discovered.done = on_discovered;
    discover(&all->discover);
    return all;
}

static void check_stopped(struct controllers *all)
{
    if (all->sources_ended && !all->queues_left && !all->discovering && all->done) {
        void (*done)(void *arg) = TAKE(all->done);
        done(all->done_arg);
    }
}

static void on_queue_stopped(struct workqueue *q)
{
    struct controller *c = workqueue_owner(q);
    c->all->queues_left--;
    check_stopped(c->all);
}

static void on_sources_stopped(void *arg)
{
    struct controllers *all = arg;
    all->sources_ended = true;
    check_stopped(all);
}

void controllers_stop(struct controllers *all, void (*done)(void *arg), void *arg)
{
    all->stopping = true;
    all->done = done;
    all->done_arg = arg;
    all->queues_left = ARRAY_LEN(types);
    loop_timer_stop(all->opts.loop, &all->discover);
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        workqueue_stop(all->list[i].queue, on_queue_stopped);
    sources_stop(all->sources, on_sources_stopped, all);
}

void controllers_free(struct controllers *all)
{
    if (!all)
        return;
    loop_timer_stop(all->opts.loop, &all->discover);
    job_abandon_all(&all->jobs);
    sources_free(all->sources);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i]->fini)
            types[i]->fini(&all->list[i]);
        workqueue_free(all->list[i].queue);
    }
    resources_free(all->resources);
    free(all);
}
