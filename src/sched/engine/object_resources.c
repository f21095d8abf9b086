/* object_resources.c - what a pod asks for, as kube-scheduler adds it up; and GPUs by annotation, as KAI has them.
 *
 *   requests = max(containers + sidecars, each init container + the sidecars started before it), pod-level cpu, memory and huge pages in their place,
 *              + overhead
 * Scoring counts cpu and memory once more with 100m and 200 MiB for each container that names none ("nonzero").  The API server has copied limits
 * to missing requests; files that never went through one get the same here.  A resize in progress is not looked at. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bandwidth.h"
#include "sched/engine/object_pod.h"

#define GPU_MEMORY_MOST (1 << 24) /* MiB; more fits nowhere, and counts as this, so that sums stay small */
#define GPU_MODELS "scheduling.cox/gpu-models"
#define GPU_MODELS_MOST 16
#define NONZERO_CPU_MILLI 100
#define NONZERO_MEMORY_BYTES (200ll << 20)

struct totals {
    struct amounts sum;      /* containers and sidecars */
    struct amounts sidecars; /* so far */
    struct amounts peak;     /* of init steps */
    int64_t defaults[2];     /* cpu and memory for containers that name none, 0: none */
};

struct qos {
    bool any;   /* a request or limit of cpu or memory */
    bool equal; /* every container: limits of cpu and memory, equal to the requests */
    bool whole; /* every container: whole cpus */
};

bool object_is_sidecar(const struct json *container)
{
    return str_is(json_get_str(container, S("restartPolicy")), "Always");
}

static void amounts_add(struct amounts *to, const struct amounts *from)
{
    for (size_t i = 0; i < RES_MAX; i++) {
        to->v[i] = amount_add(to->v[i], from->v[i]);
        to->has[i] |= from->has[i];
    }
}

static void amounts_max(struct amounts *to, const struct amounts *from)
{
    for (size_t i = 0; i < RES_MAX; i++) {
        to->v[i] = MAX(to->v[i], from->v[i]);
        to->has[i] |= from->has[i];
    }
}

/* Requests with limits in place of missing ones. */
static void read_container(struct reader *r, const struct json *c, const struct spot *at, struct amounts *requests, struct amounts *limits)
{
    const struct json *resources = read_object(r, c, at, "resources");
    const struct spot *here = SPOT(at, "resources");
    *requests = (struct amounts){0};
    *limits = (struct amounts){0};
    read_amounts(r, resources, here, "requests", requests);
    read_amounts(r, resources, here, "limits", limits);
    for (size_t i = 0; i < RES_MAX; i++)
        if (limits->has[i] && !requests->has[i]) {
            requests->has[i] = true;
            requests->v[i] = limits->v[i];
        }
}

static void note_qos(struct qos *q, const struct amounts *requests, const struct amounts *limits)
{
    for (uint16_t id = RES_CPU; id <= RES_MEMORY; id++) {
        q->any |= requests->v[id] || limits->v[id];
        q->equal &= limits->v[id] && limits->v[id] == requests->v[id];
    }
    q->whole &= requests->v[RES_CPU] % 1000 == 0;
}

static void fill_defaults(const struct totals *t, struct amounts *a)
{
    for (uint16_t id = RES_CPU; id <= RES_MEMORY; id++)
        if (!a->has[id] && t->defaults[id]) {
            a->has[id] = true;
            a->v[id] = t->defaults[id];
        }
}

static void add_init(struct totals *t, const struct json *container, const struct amounts *a)
{
    struct amounts step = *a;
    if (object_is_sidecar(container)) {
        amounts_add(&t->sum, a);
        amounts_add(&t->sidecars, a);
        step = t->sidecars;
    } else {
        amounts_add(&step, &t->sidecars);
    }
    amounts_max(&t->peak, &step);
}

static void add_containers(struct reader *r, const struct json *spec, struct totals *t, struct qos *q)
{
    static const char *const lists[] = {"containers", "initContainers"};
    const struct spot *at = SPOT(NULL, "spec");
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = read_array(r, spec, at, lists[k]);
        for (size_t i = 0; list && i < list->len; i++) {
            const struct json *c = read_item(r, list, SPOT(at, lists[k]), i);
            struct amounts requests, limits;
            read_container(r, c, SPOT_AT(SPOT(at, lists[k]), i), &requests, &limits);
            if (q)
                note_qos(q, &requests, &limits);
            fill_defaults(t, &requests);
            if (k == 0)
                amounts_add(&t->sum, &requests);
            else
                add_init(t, c, &requests);
        }
    }
    amounts_max(&t->sum, &t->peak);
}

/* Only cpu, memory and huge pages can be given for the whole pod. */
static bool is_pod_level(const struct reader *r, uint16_t id)
{
    return id == RES_CPU || id == RES_MEMORY || str_has_prefix(sched_resource_name(r->s, id), S("hugepages-"));
}

/* Puts the pod-level amounts in place; true when there are any requests among them. */
static bool apply_pod_level(const struct reader *r, const struct amounts *requests, const struct amounts *limits, struct amounts *sum)
{
    bool any = false;
    for (uint16_t id = 0; id < RES_MAX; id++) {
        if ((!requests->has[id] && !limits->has[id]) || !is_pod_level(r, id))
            continue;
        any = true;
        if (requests->has[id])
            sum->v[id] = requests->v[id];
        else if (!sum->v[id]) /* a limit alone: the containers' sum stays, if they have one */
            sum->v[id] = limits->v[id];
        sum->has[id] = true;
    }
    return any;
}

/* --- GPUs --------------------------------------------------------------------------------------------------------------------------- */
static void read_gpu_fraction(struct reader *r, str text, const struct spot *at, struct gpu_request *g)
{
    double f;
    if (!str_to_double(text, &f) || !(f > 0 && f < 1)) {
        read_bad(r, at, "\"" STR_FMT "\" is not a fraction between 0 and 1", STR_ARG(text));
        return;
    }
    g->kind = GPU_FRACTION;
    g->milli = MAX(1, (int32_t)(f * GPU_MILLI + 0.5));
}

static void read_gpu(struct reader *r, const struct object_meta *meta, struct pod_spec *ret, const struct amounts *sum)
{
    const struct spot *at = SPOT(SPOT(NULL, "metadata"), "annotations");
    struct gpu_request *g = &ret->gpu;
    bool fraction, memory, devices;
    str f = labels_get(meta->annotations, S("gpu-fraction"), &fraction), m = labels_get(meta->annotations, S("gpu-memory"), &memory);
    str n = labels_get(meta->annotations, S("gpu-fraction-num-devices"), &devices);
    int64_t count = 1;
    if (sum->v[RES_GPU]) {
        g->kind = GPU_WHOLE;
        g->count = (uint32_t)MIN(sum->v[RES_GPU], (int64_t)UINT32_MAX);
    }
    if (!fraction && !memory) {
        if (devices)
            read_bad(r, SPOT(at, "gpu-fraction-num-devices"), "needs gpu-fraction or gpu-memory");
        return;
    }
    const struct spot *here = SPOT(at, fraction ? "gpu-fraction" : "gpu-memory");
    if (g->kind == GPU_WHOLE)
        read_bad(r, here, "a part of a GPU cannot be asked for together with whole ones (nvidia.com/gpu)");
    if (fraction && memory)
        read_bad(r, here, "cannot be asked for together with gpu-memory");
    if (devices && (!str_to_i64(n, &count) || count < 1 || count > GPU_MAX))
        read_bad(r, SPOT(at, "gpu-fraction-num-devices"), "\"" STR_FMT "\" is not a number from 1 to %d", STR_ARG(n), GPU_MAX);
    g->count = (uint32_t)count;
    if (fraction)
        read_gpu_fraction(r, f, here, g);
    else if (!str_to_i64(m, &g->memory_mib) || g->memory_mib < 1 || g->memory_mib > INT32_MAX)
        read_bad(r, here, "\"" STR_FMT "\" is not a number of MiB, 1 to %d", STR_ARG(m), INT32_MAX);
    else
        g->kind = GPU_MEMORY;
    g->memory_mib = MIN(g->memory_mib, (int64_t)GPU_MEMORY_MOST);
}

/* "A100,H100": any of these will do. */
static void read_gpu_models(struct reader *r, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT_STR(SPOT(SPOT(NULL, "metadata"), "annotations"), S(GPU_MODELS));
    bool has, more = true;
    str rest = labels_get(meta->annotations, S(GPU_MODELS), &has), part;
    if (!has || ret->gpu.kind == GPU_NONE)
        return;
    str *models = arena_array(r->a, GPU_MODELS_MOST, str);
    size_t n = 0;
    while (more) {
        more = str_cut(&rest, ',', &part);
        part = str_trim(part);
        if (part.len && n < GPU_MODELS_MOST)
            models[n++] = part;
        else
            read_bad(r, at, "must be 1 to %d models of GPUs with commas between them, such as A100,H100", GPU_MODELS_MOST);
    }
    ret->gpu.models = models;
    ret->gpu.nmodels = n;
}

/* The devices of a bound pod: "0,1".  What cannot be is as if it were not there: the pod counts, and the engine guesses which devices it has. */
static void read_gpu_ids(struct reader *r, const struct object_meta *meta, struct pod_spec *ret)
{
    bool has;
    str rest = labels_get(meta->annotations, S("cox.io/gpu-ids"), &has), part;
    if (!has || ret->gpu.kind == GPU_NONE || str_empty(ret->node)) /* without a node: a copy of a pod that had one */
        return;
    uint8_t *ids = arena_array(r->a, GPU_MAX, uint8_t);
    uint32_t n = 0, seen = 0;
    for (bool more = true; more; n++) {
        uint64_t id;
        more = str_cut(&rest, ',', &part);
        if (n == GPU_MAX || !str_to_u64(str_trim(part), &id) || id >= GPU_MAX || seen >> id & 1)
            return;
        seen |= 1u << id;
        ids[n] = (uint8_t)id;
    }
    if (n == ret->gpu.count)
        ret->gpu_ids = ids;
}

/* --- bandwidth that is lent ------------------------------------------------------------------------------------------------------------- */
/* A pod that accepts it asks nobody for a promise: the same amounts of what nodes lend. */
static void borrow(struct reader *r, const struct object_meta *meta, struct amounts *sum)
{
    static const struct {
        uint16_t promised;
        const char *lent;
    } ends[] = {{RES_INGRESS, BANDWIDTH_LENT_INGRESS}, {RES_EGRESS, BANDWIDTH_LENT_EGRESS}};
    const struct spot *at = SPOT_STR(SPOT(SPOT(NULL, "metadata"), "annotations"), S(BANDWIDTH_LEND_NOTE));
    bool has;
    str text = labels_get(meta->annotations, S(BANDWIDTH_LEND_NOTE), &has);
    if (!has)
        return;
    if (!str_is(text, BANDWIDTH_LEND_ACCEPT)) {
        read_bad(r, at, "\"" STR_FMT "\" means nothing, only " BANDWIDTH_LEND_ACCEPT " does", STR_ARG(text));
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        uint16_t id;
        struct err err = ERR_NONE;
        if (!sum->v[ends[i].promised])
            continue;
        if (sched_resource_id(r->s, str_of(ends[i].lent), &id, &err) < 0) {
            read_bad(r, at, "%s", err.msg);
            return;
        }
        sum->v[id] = amount_add(sum->v[id], sum->v[ends[i].promised]);
        sum->v[ends[i].promised] = 0;
    }
}

/* --- the whole --------------------------------------------------------------------------------------------------------------------------- */
struct pod_amounts { /* what the pod says besides its containers */
    struct amounts requests, limits, overhead;
};

static void fill_nonzero(struct reader *r, const struct json *spec, const struct pod_amounts *pod, bool pod_level, const struct amounts *sum, struct pod_spec *ret)
{
    /* With pod-level amounts only what nobody names is made up. */
    struct totals t = {0};
    t.defaults[RES_CPU] = !pod_level || !sum->v[RES_CPU] ? NONZERO_CPU_MILLI : 0;
    t.defaults[RES_MEMORY] = !pod_level || !sum->v[RES_MEMORY] ? NONZERO_MEMORY_BYTES : 0;
    add_containers(r, spec, &t, NULL);
    apply_pod_level(r, &pod->requests, &pod->limits, &t.sum);
    amounts_add(&t.sum, &pod->overhead);
    ret->nonzero_cpu = t.sum.v[RES_CPU];
    ret->nonzero_memory = t.sum.v[RES_MEMORY];
}

void object_pod_resources(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT(NULL, "spec");
    struct totals t = {0};
    struct qos q = {.equal = true, .whole = true};
    struct pod_amounts pod = {0};
    add_containers(r, spec, &t, &q);
    const struct json *resources = read_object(r, spec, at, "resources");
    read_amounts(r, resources, SPOT(at, "resources"), "requests", &pod.requests);
    read_amounts(r, resources, SPOT(at, "resources"), "limits", &pod.limits);
    read_amounts(r, spec, at, "overhead", &pod.overhead);
    bool pod_level = apply_pod_level(r, &pod.requests, &pod.limits, &t.sum);
    if (pod_level) {
        q = (struct qos){.equal = true, .whole = true};
        note_qos(&q, &t.sum, &pod.limits);
    }
    amounts_add(&t.sum, &pod.overhead);
    borrow(r, meta, &t.sum);
    fill_nonzero(r, spec, &pod, pod_level, &t.sum, ret);
    ret->best_effort = !q.any;
    ret->guaranteed = q.any && q.equal && q.whole;
    read_gpu(r, meta, ret, &t.sum);
    read_gpu_models(r, meta, ret);
    read_gpu_ids(r, meta, ret);
    t.sum.v[RES_PODS] = 0; /* implied */
    ret->requests = amounts_list(r, &t.sum);
}
