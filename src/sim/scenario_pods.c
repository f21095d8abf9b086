/* scenario_pods.c - from a job to what the engine is told of each of its pods. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object.h"
#include "sim/scenario.h"

#define NONZERO_CPU 100ll
#define NONZERO_MEMORY (200ll << 20)

static int add_requests(const struct scenario_job *j, struct sched *s, struct arena *a, struct pod_spec *ret, struct err *err)
{
    const struct scenario_requests *q = &j->requests;
    const struct res_amount fixed[] = {{RES_CPU, q->cpu_milli}, {RES_MEMORY, q->memory}, {RES_STORAGE, q->storage}, {RES_INGRESS, q->bandwidth.ingress}, {RES_EGRESS, q->bandwidth.egress}};
    struct res_amount *p = arena_array(a, ARRAY_LEN(fixed) + 1 + q->resources.n, struct res_amount);
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (fixed[i].amount)
            p[n++] = fixed[i];
    for (size_t i = 0; i < q->resources.n; i++) {
        if (!q->resources.p[i].amount)
            continue;
        int r = sched_resource_id(s, q->resources.p[i].name, &p[n].id, err);
        if (r < 0)
            return err_wrap(err, "job " STR_FMT ": ", STR_ARG(j->name));
        p[n++].amount = q->resources.p[i].amount;
    }
    if (q->gpus) {
        bool whole = !q->gpu_milli && !q->gpu_memory;
        ret->gpu = (struct gpu_request){.kind = whole ? GPU_WHOLE : q->gpu_milli ? GPU_FRACTION : GPU_MEMORY,
                                        .count = q->gpus,
                                        .milli = q->gpu_milli ? (int32_t)q->gpu_milli : GPU_MILLI,
                                        .memory_mib = (q->gpu_memory + (1 << 20) - 1) >> 20,
                                        .models = j->gpu_models.p,
                                        .nmodels = j->gpu_models.n};
        if (whole)
            p[n++] = (struct res_amount){RES_GPU, q->gpus};
    }
    ret->requests = (struct res_list){p, n};
    ret->nonzero_cpu = q->cpu_milli ? q->cpu_milli : NONZERO_CPU;
    ret->nonzero_memory = q->memory ? q->memory : NONZERO_MEMORY;
    ret->best_effort = !q->cpu_milli && !q->memory;
    ret->guaranteed = q->cpu_milli && q->memory && q->cpu_milli % 1000 == 0;
    return 0;
}

/* The pods of the job itself, or those with the labels. */
static struct spec_selector selector_of(struct arena *a, struct spec_labels match, struct spec_labels own)
{
    struct spec_labels which = match.n ? match : (struct spec_labels){own.p, 1};
    struct spec_requirement *p = arena_array(a, which.n, struct spec_requirement);
    for (size_t i = 0; i < which.n; i++)
        p[i] = (struct spec_requirement){which.p[i].key, OP_IN, &which.p[i].value, 1};
    return (struct spec_selector){p, which.n, false};
}

/* Splits into required and preferred terms. */
static void add_terms(struct arena *a, const struct scenario_terms *from, struct spec_labels own, const struct spec_pod_term **required, size_t *nrequired,
                      const struct spec_pod_term **preferred, size_t *npreferred)
{
    struct spec_pod_term *hard = arena_array(a, from->n + 1, struct spec_pod_term), *soft = arena_array(a, from->n + 1, struct spec_pod_term);
    for (size_t i = 0; i < from->n; i++) {
        const struct scenario_term *t = &from->p[i];
        struct spec_pod_term term = {.selector = selector_of(a, t->match, own), .topology_key = t->topology, .weight = t->weight};
        if (t->weight)
            soft[(*npreferred)++] = term;
        else
            hard[(*nrequired)++] = term;
    }
    *required = hard;
    *preferred = soft;
}

static void add_constraints(const struct scenario_job *j, struct arena *a, struct pod_spec *ret)
{
    add_terms(a, &j->affinity, ret->labels, &ret->affinity, &ret->naffinity, &ret->preferred_affinity, &ret->npreferred_affinity);
    add_terms(a, &j->anti_affinity, ret->labels, &ret->anti_affinity, &ret->nanti_affinity, &ret->preferred_anti_affinity, &ret->npreferred_anti_affinity);
    struct spec_spread *spread = arena_array(a, j->spread.n + 1, struct spec_spread);
    for (size_t i = 0; i < j->spread.n; i++) {
        const struct scenario_term *t = &j->spread.p[i];
        spread[i] = (struct spec_spread){.topology_key = t->topology,
                                         .max_skew = t->max_skew,
                                         .min_domains = t->min_domains,
                                         .hard = !t->soft,
                                         .affinity_policy = SPREAD_HONOR,
                                         .taints_policy = SPREAD_IGNORE,
                                         .selector = selector_of(a, t->match, ret->labels)};
    }
    ret->spread = spread;
    ret->nspread = j->spread.n;
    struct spec_port *ports = arena_array(a, j->ports.n + 1, struct spec_port);
    for (size_t i = 0; i < j->ports.n; i++) {
        uint64_t n = 0;
        str_to_u64(j->ports.p[i], &n);
        ports[i] = (struct spec_port){.protocol = 'T', .port = (uint16_t)n};
    }
    ret->ports = ports;
    ret->nports = j->ports.n;
}

/* The manifest with a name, for the reader of API objects. */
static int pod_of_manifest(const struct scenario_job *j, struct sched *s, struct arena *a, struct pod_spec *ret, struct err *err)
{
    struct json *obj = arena_new(a, struct json);
    bool gone = false;
    *obj = json_copy(a, &j->pod);
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    json_set(a, meta, S("name"), json_string(j->name));
    if (!json_get(meta, S("namespace")))
        json_set(a, meta, S("namespace"), json_string(j->ns));
    json_del(obj, S("status"));
    json_del(json_get(obj, S("spec")), S("nodeName"));
    int r = object_pod(s, a, obj, ret, &gone, err);
    if (r < 0)
        return err_wrap(err, "job " STR_FMT ": pod: ", STR_ARG(j->name));
    if (j->priority)
        ret->priority = j->priority;
    return 0;
}

/* A cluster would leave such pods to others; here nobody else is. */
static int check_scheduler(const struct scenario_job *j, const struct sched *s, str name, struct err *err)
{
    const struct profile_table *t = s->table;
    if (!name.len || t->nprofiles == 1 || str_eq(t->profiles[profile_table_find(t, name)]->name, name))
        return 0;
    return err_set(err, E_INVALID_ARG, "job " STR_FMT ": no profile has the schedulerName \"" STR_FMT "\"", STR_ARG(j->name), STR_ARG(name));
}

int scenario_pod(const struct scenario_job *j, struct sched *s, struct arena *a, struct pod_spec *ret, struct err *err)
{
    *ret = (struct pod_spec){0};
    int r = 0;
    if (j->pod.type == JSON_OBJECT) {
        r = pod_of_manifest(j, s, a, ret, err);
    } else {
        struct spec_label *labels = arena_array(a, j->labels.n + 1, struct spec_label);
        labels[0] = (struct spec_label){S("job"), j->name};
        size_t n = 1;
        for (size_t i = 0; i < j->labels.n; i++)
            if (str_is(j->labels.p[i].key, "job"))
                labels[0].value = j->labels.p[i].value;
            else
                labels[n++] = j->labels.p[i];
        ret->ns = j->ns;
        ret->labels = (struct spec_labels){labels, n};
        ret->priority = j->priority;
        ret->scheduler = j->scheduler;
        ret->preempt_never = j->never_preempts;
        ret->node_selector = j->node_selector;
        ret->tolerations = j->tolerations;
        ret->ntolerations = j->ntolerations;
        ret->numa = j->numa;
        add_constraints(j, a, ret);
        r = add_requests(j, s, a, ret, err);
    }
    ret->node = ret->nominated = S("");
    ret->phase = POD_PENDING;
    if (j->queue.len)
        ret->queue = j->queue;
    if (j->preemptibility != PREEMPTIBLE_UNSET)
        ret->preemptibility = j->preemptibility;
    return r < 0 ? r : check_scheduler(j, s, ret->scheduler, err);
}
