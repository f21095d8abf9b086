/* object_node.c - a Node as the engine wants it: allocatable amounts, taints, images, GPUs by label.  See object.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bandwidth.h"
#include "sched/engine/devices.h"
#include "sched/engine/object.h"
#include "sched/engine/object_read.h"

static void read_taints(struct reader *r, const struct json *spec, struct node_spec *ret)
{
    static const char *const effects[] = {[TAINT_NO_SCHEDULE] = "NoSchedule", [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule", [TAINT_NO_EXECUTE] = "NoExecute"};
    const struct spot *at = SPOT(SPOT(NULL, "spec"), "taints");
    const struct json *list = read_array(r, spec, SPOT(NULL, "spec"), "taints");
    ret->ntaints = list ? list->len : 0;
    struct spec_taint *p = arena_array(r->a, ret->ntaints, struct spec_taint);
    for (size_t i = 0; i < ret->ntaints; i++) {
        const struct json *v = read_item(r, list, at, i);
        p[i].key = read_str(r, v, SPOT_AT(at, i), "key");
        p[i].value = read_str(r, v, SPOT_AT(at, i), "value");
        int effect = read_word(r, v, SPOT_AT(at, i), "effect", effects, ARRAY_LEN(effects), -1);
        if (effect < 0)
            read_bad(r, SPOT(SPOT_AT(at, i), "effect"), "is missing");
        p[i].effect = (enum taint_effect)MAX(effect, 0);
    }
    ret->taints = p;
}

/* An image has several names; each is one that pods may ask for. */
static void read_images(struct reader *r, const struct json *status, struct node_spec *ret)
{
    const struct spot *at = SPOT(SPOT(NULL, "status"), "images");
    const struct json *list = read_array(r, status, SPOT(NULL, "status"), "images");
    size_t most = 0, n = 0;
    for (size_t i = 0; list && i < list->len; i++) {
        const struct json *names = json_get(&list->items[i], S("names"));
        most += json_is(names, JSON_ARRAY) ? names->len : 0;
    }
    struct spec_image *p = arena_array(r->a, most, struct spec_image);
    for (size_t i = 0; list && i < list->len; i++) {
        const struct json *v = read_item(r, list, at, i);
        int64_t bytes = amount_add(0, read_int(r, v, SPOT_AT(at, i), "sizeBytes", 0, INT64_MAX, 0));
        size_t k;
        const str *names = read_strs(r, v, SPOT_AT(at, i), "names", &k);
        for (size_t j = 0; j < k; j++)
            p[n++] = (struct spec_image){names[j], bytes};
    }
    ret->images = p;
    ret->nimages = n;
}

/* A label that is a number; -1: absent. */
static int64_t label_number(struct reader *r, struct spec_labels labels, const char *key)
{
    bool has;
    int64_t n;
    str text = labels_get(labels, str_of(key), &has);
    if (!has)
        return -1;
    if (!str_to_i64(text, &n) || n < 0) {
        read_bad(r, SPOT(SPOT(SPOT(NULL, "metadata"), "labels"), key), "\"" STR_FMT "\" is not a number", STR_ARG(text));
        return -1;
    }
    return n;
}

/* Memory labels are in MiB, but some node agents have written bytes; no device has a hundred million MiB. */
#define LEAST_BYTES 100000000

static void read_gpus(struct reader *r, const struct object_meta *meta, struct amounts *a, struct node_spec *ret)
{
    bool has = false;
    int64_t count = label_number(r, meta->labels, "nvidia.com/gpu.count"), memory = label_number(r, meta->labels, "nvidia.com/gpu.memory");
    /* where all are cut into partitions with names of their own, the label still counts what they were cut from */
    str strategy = labels_get(meta->labels, S("nvidia.com/mig.strategy"), &has);
    if (!a->has[RES_GPU] && count > 0 && !str_is(strategy, "mixed"))
        a->v[RES_GPU] = count;
    ret->gpus_are_cut = str_is(strategy, "single") && str_is(labels_get(meta->labels, S("node-role.kubernetes.io/mig-enabled"), &has), "true");
    /* more than can be told apart (devices cut into many time slices): as many as can */
    has = false;
    a->v[RES_GPU] = MIN(a->v[RES_GPU], (int64_t)GPU_MAX);
    ret->ngpus = (uint32_t)a->v[RES_GPU];
    if (!ret->ngpus)
        return;
    for (size_t i = 0; i < devices_nmodel_labels && !has; i++)
        ret->gpu_model = labels_get(meta->labels, devices_model_labels[i], &has);
    ret->gpu_memory_mib = MIN(memory < 0 ? 0 : memory >= LEAST_BYTES ? memory >> 20 : memory, (int64_t)LEAST_BYTES);
}

/* The annotation says what the node has; what it keeps for the system goes off.  Less counts at once, more only when the node itself says so: it would refuse the pods.  A node that says
 * nothing of bandwidth has what the annotation says. */
static void read_capacity_note(struct reader *r, const struct object_meta *meta, const struct json *status, struct amounts *a)
{
    static const uint16_t of[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = RES_EGRESS, [BANDWIDTH_IN] = RES_INGRESS};
    bool has;
    int64_t bits[BANDWIDTH_ENDS];
    struct err why = ERR_NONE;
    struct amounts all = {0};
    str note = labels_get(meta->annotations, S(BANDWIDTH_CAPACITY), &has);
    if (!has)
        return;
    if (bandwidth_parse_ends(note, bits, &why) < 0) {
        read_bad(r, SPOT(SPOT(SPOT(NULL, "metadata"), "annotations"), BANDWIDTH_CAPACITY), "%s", why.msg);
        return;
    }
    read_amounts(r, status, SPOT(NULL, "status"), "capacity", &all);
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        uint16_t id = of[e];
        if (!bits[e])
            continue;
        int64_t kept = all.has[id] && a->has[id] ? MAX(all.v[id] - a->v[id], (int64_t)0) : 0, left = MAX(bits[e] - kept, (int64_t)0);
        a->v[id] = a->has[id] ? MIN(a->v[id], left) : left;
    }
}

/* Who runs the node says how it is made: [{"cpu": "32", "memory": "128Gi", "gpus": [0, 1]}, ...], a zone each. */
static void read_numa(struct reader *r, const struct object_meta *meta, struct node_spec *n)
{
    const struct spot *at = SPOT(SPOT(SPOT(NULL, "metadata"), "annotations"), NUMA_ZONES);
    struct err why = ERR_NONE;
    struct json v;
    bool has;
    str text = labels_get(meta->annotations, S(NUMA_ZONES), &has);
    n->numa_single = str_is(labels_get(meta->annotations, S("scheduling.cox/numa-policy"), &(bool){false}), "single-numa-node");
    if (!has)
        return;
    if (json_parse(r->a, text, NULL, &v, &why) < 0 || !json_is(&v, JSON_ARRAY) || v.len == 0 || v.len > NUMA_MAX) {
        read_bad(r, at, "must be a list of 1 to %u zones such as {\"cpu\": \"32\", \"memory\": \"128Gi\", \"gpus\": [0, 1]}", NUMA_MAX);
        return;
    }
    struct spec_numa *zones = arena_array(r->a, v.len, struct spec_numa);
    for (uint32_t i = 0; i < v.len; i++) {
        const struct json *gpus = json_get(&v.items[i], S("gpus"));
        struct quantity q;
        const struct json *cpu = json_get(&v.items[i], S("cpu")), *memory = json_get(&v.items[i], S("memory"));
        if (cpu && read_quantity(r, cpu, SPOT(SPOT_AT(at, i), "cpu"), &q))
            zones[i].cpu_milli = quantity_to_milli(&q);
        if (memory && read_quantity(r, memory, SPOT(SPOT_AT(at, i), "memory"), &q))
            zones[i].memory_bytes = quantity_to_i64(&q);
        for (uint32_t k = 0; json_is(gpus, JSON_ARRAY) && k < gpus->len; k++) {
            int64_t g = -1;
            if (!json_to_i64(&gpus->items[k], &g) || g < 0 || g >= GPU_MAX)
                read_bad(r, SPOT(SPOT_AT(at, i), "gpus"), "must be numbers of devices from 0 to %d", GPU_MAX - 1);
            else
                zones[i].gpus |= 1u << g;
        }
    }
    n->numa = zones;
    n->nnuma = v.len;
}

int object_node(struct sched *s, struct arena *a, const struct json *obj, struct node_spec *ret, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    struct node_spec n = {0};
    struct amounts amounts = {0};
    bool has;
    read_meta(&r, obj, &meta);
    const struct json *spec = read_object(&r, obj, NULL, "spec"), *status = read_object(&r, obj, NULL, "status");
    n.name = meta.name;
    n.labels = meta.labels;
    n.unschedulable = read_bool(&r, spec, SPOT(NULL, "spec"), "unschedulable", false);
    read_taints(&r, spec, &n);
    if (!read_amounts(&r, status, SPOT(NULL, "status"), "allocatable", &amounts))
        read_amounts(&r, status, SPOT(NULL, "status"), "capacity", &amounts);
    read_gpus(&r, &meta, &amounts, &n);
    read_capacity_note(&r, &meta, status, &amounts);
    n.allocatable = amounts_list(&r, &amounts);
    read_images(&r, status, &n);
    read_numa(&r, &meta, &n);
    str overcommit = labels_get(meta.annotations, S("cox.io/bandwidth-overcommit"), &has);
    if (has && (!str_to_double(overcommit, &n.bandwidth_overcommit) || !(n.bandwidth_overcommit > 0 && n.bandwidth_overcommit <= 1000)))
        read_bad(&r, SPOT(SPOT(SPOT(NULL, "metadata"), "annotations"), "cox.io/bandwidth-overcommit"),
                 "\"" STR_FMT "\" is not a factor above 0 and up to 1000", STR_ARG(overcommit));
    if (r.code == 0)
        *ret = n;
    return r.code;
}
