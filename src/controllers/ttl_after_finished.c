/* ttl_after_finished.c - Jobs go spec.ttlSecondsAfterFinished after they have ended. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/batch_job_plan.h"
#include "controllers/workloads.h"

static void ended(struct job *j)
{
    job_end(j, job_ok(j) || job_not_found(j) || j->status == 409 ? WORK_OK : WORK_RETRY); /* 409: written meanwhile, its event brings it back */
}

static void reconcile(struct job *j)
{
    struct workload *w = arena_new(&j->arena, struct workload);
    struct arena *a = &j->arena;
    nsec_t at;
    if (!workload_begin(j, w, WORKLOAD_JOB))
        return;
    const struct json *ttl = json_get(w->spec, S("ttlSecondsAfterFinished"));
    if (!ttl || object_deleting(&w->obj) || !batch_job_is_finished(&w->obj, &at)) {
        job_end(j, WORK_OK);
        return;
    }
    nsec_t left = at + workload_seconds(w->spec, S("ttlSecondsAfterFinished")) - w->now;
    if (left > 0) {
        job_end_after(j, left);
        return;
    }
    struct json options = delete_options(a, w->uid, S("Foreground"));
    json_set(a, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(w->meta, S("resourceVersion"))));
    job_call(j, S("DELETE"), workload_path(a, w, ""), &options, ended);
}

static void init(struct controller *c)
{
    workloads_join(c, WORKLOAD_JOB);
}

const struct controller_type controller_ttl_after_finished = {.name = "ttl-after-finished", .parallel = 4, .init = init, .reconcile = reconcile};
