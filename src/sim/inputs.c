/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/inputs.h"

#include "base/civil.h"
#include "sched/engine/object.h"
#include "sched/policy/object_queue.h"
#include "wire/yaml.h"

/* --- generators ----------------------------------------------------------------------------------------------------------------------------------------- */

struct stream {
    struct sim *sim;
    pod_id last;
    bool measured;
};

static int on_resource(void *arg, str name, uint16_t *ret_id, struct err *err)
{
    return sched_resource_id(sim_sched(((struct stream *)arg)->sim), name, ret_id, err);
}
static int on_node(void *arg, const struct node_spec *spec, struct err *err)
{
    return sched_node_put(sim_sched(((struct stream *)arg)->sim), spec, NULL, err);
}
static int on_group(void *arg, const struct group_spec *spec, struct err *err)
{
    return sched_group_put(sim_sched(((struct stream *)arg)->sim), spec, NULL, err);
}
static int on_ns(void *arg, str name, struct spec_labels labels, struct err *err UNUSED)
{
    sched_namespace_put(sim_sched(((struct stream *)arg)->sim), name, labels);
    return 0;
}
static int on_storage_class(void *arg, const struct storage_class_spec *spec, struct err *err)
{
    return sched_storage_class_put(sim_sched(((struct stream *)arg)->sim), spec, err);
}
static int on_pv(void *arg, const struct pv_spec *spec, struct err *err)
{
    return sched_pv_put(sim_sched(((struct stream *)arg)->sim), spec, err);
}
static int on_pvc(void *arg, const struct pvc_spec *spec, struct err *err)
{
    return sched_pvc_put(sim_sched(((struct stream *)arg)->sim), spec, err);
}
static int on_node_delete(void *arg, str name, struct err *err)
{
    return sim_delete_node(((struct stream *)arg)->sim, name, err);
}
static int on_pod_delete(void *arg, str ns, str name, struct err *err UNUSED)
{
    sim_delete_pod(((struct stream *)arg)->sim, ns, name);
    return 0;
}
static int on_pod_terminate(void *arg, str ns, str name, struct err *err UNUSED)
{
    sim_terminate_pod(((struct stream *)arg)->sim, ns, name);
    return 0;
}

/* What came since the last time is all of one kind. */
static int adopt(struct stream *x, struct err *err)
{
    return sim_adopt(x->sim, x->measured ? S("measured") : S("init"), true, err);
}

static int on_pod(void *arg, const struct pod_spec *spec, unsigned flags, struct err *err)
{
    struct stream *x = arg;
    bool measured = flags & GEN_MEASURED;
    int r = measured != x->measured ? adopt(x, err) : 0;
    if (r < 0)
        return r;
    x->measured = measured;
    if (flags & GEN_LIKE_LAST && x->last != POD_NONE) {
        x->last = sched_pod_clone(sim_sched(x->sim), x->last, spec->name, spec->created_ns);
        return 0;
    }
    return sched_pod_put(sim_sched(x->sim), spec, &x->last, err);
}

static int on_settle(void *arg, struct err *err)
{
    struct stream *x = arg;
    int r = adopt(x, err);
    x->last = POD_NONE; /* it may be gone when the next comes */
    return r < 0 ? r : sim_run(x->sim, INT64_MAX, err);
}

int input_generator(struct sim *sim, const struct gen_workload *w, const struct gen_scale *scale, struct err *err)
{
    struct stream x = {.sim = sim};
    const struct gen_sink sink = {.arg = &x,
                                  .resource = on_resource,
                                  .node = on_node,
                                  .pod = on_pod,
                                  .group = on_group,
                                  .ns = on_ns,
                                  .storage_class = on_storage_class,
                                  .pv = on_pv,
                                  .pvc = on_pvc,
                                  .node_delete = on_node_delete,
                                  .pod_delete = on_pod_delete,
                                  .pod_terminate = on_pod_terminate,
                                  .settle = on_settle};
    return gen_run(w, scale, &sink, err);
}

/* --- dumps ---------------------------------------------------------------------------------------------------------------------------------------------------- */

/* What makes nodes alike: amounts, devices, taints, and labels but the host's name. */
static str shape_key(struct arena *a, const struct node_spec *n)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < n->allocatable.n; i++)
        strbuf_addf(&b, "%u=%lld,", n->allocatable.p[i].id, (long long)n->allocatable.p[i].amount);
    strbuf_addf(&b, "gpu " STR_FMT " %lld", STR_ARG(n->gpu_model), (long long)n->gpu_memory_mib);
    for (size_t i = 0; i < n->ntaints; i++)
        strbuf_addf(&b, ",taint " STR_FMT "=" STR_FMT ":%d", STR_ARG(n->taints[i].key), STR_ARG(n->taints[i].value), (int)n->taints[i].effect);
    return strbuf_str(&b);
}

/* A new node of the kind would not be ill as this one may be just now. */
static void drop_conditions(struct arena *a, struct node_spec *n)
{
    struct spec_taint *keep = arena_array(a, n->ntaints + 1, struct spec_taint);
    size_t k = 0;
    for (size_t i = 0; i < n->ntaints; i++)
        if (!str_has_prefix(n->taints[i].key, S("node.kubernetes.io/")) && !str_has_prefix(n->taints[i].key, S("node.cloudprovider.kubernetes.io/")))
            keep[k++] = n->taints[i];
    n->taints = keep;
    n->ntaints = k;
}

static str shape_name(const struct node_spec *n)
{
    for (size_t i = 0; i < n->labels.n; i++)
        if (str_is(n->labels.p[i].key, "node.kubernetes.io/instance-type"))
            return n->labels.p[i].value;
    return n->name;
}

struct shapes {
    struct arena *a;
    struct map by_key;
    VEC(struct input_shape) list;
};

static int note_shape(struct sched *s, struct shapes *x, const struct json *obj, struct err *err)
{
    struct node_spec n;
    if (obj->type != JSON_OBJECT || !str_is(json_get_str(obj, S("kind")), "Node"))
        return 0;
    int r = object_node(s, x->a, obj, &n, err);
    if (r < 0)
        return r;
    drop_conditions(x->a, &n);
    str key = shape_key(x->a, &n);
    size_t at = (size_t)(uintptr_t)map_get(&x->by_key, key);
    if (at) {
        x->list.p[at - 1].count++;
        return 0;
    }
    n.unschedulable = false;
    vec_push(&x->list, (struct input_shape){shape_name(&n), n, 1});
    map_put(&x->by_key, key, (void *)(uintptr_t)x->list.len);
    return 0;
}

/* --- what a cluster is made of ------------------------------------------------------------------------------------------------------------------------ */

static int add_items(struct arena *a, const struct json *doc, struct input_items *to, struct err *err)
{
    str kind = json_get_str(doc, S("kind"));
    const struct json *items = json_get(doc, S("items"));
    if (!json_is(doc, JSON_OBJECT) || !kind.len)
        return err_set(err, E_INVALID_ARG, "kind: is missing");
    bool is_list = str_has_suffix(kind, S("List"));
    size_t n = !is_list ? 1 : json_is(items, JSON_ARRAY) ? items->len : 0;
    struct json *all = arena_array(a, to->n + n + 1, struct json);
    if (to->n)
        memcpy(all, to->p, to->n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        struct json *one = &all[to->n + i];
        *one = is_list ? items->items[i] : *doc;
        /* items of a PodList and its like need not repeat kind and version */
        if (json_is(one, JSON_OBJECT) && !json_get(one, S("kind"))) {
            json_set(a, one, S("kind"), json_string(str_sub(kind, 0, kind.len - 4)));
            json_set(a, one, S("apiVersion"), json_string(json_get_str(doc, S("apiVersion"))));
        }
    }
    to->p = all;
    to->n += n;
    return 0;
}

static int add_yaml(struct arena *a, str text, struct input_items *to, struct err *err)
{
    struct json *doc = arena_new(a, struct json);
    struct yaml_stream *s = yaml_stream_new(text);
    int r;
    while ((r = yaml_stream_next(s, a, NULL, doc, err)) > 0 && (r = doc->type == JSON_NULL ? 0 : add_items(a, doc, to, err)) >= 0)
        doc = arena_new(a, struct json);
    yaml_stream_free(s);
    return r;
}

int input_items(struct arena *a, str text, str file, struct input_items *ret, struct err *err)
{
    struct json *doc = arena_new(a, struct json);
    struct err other = ERR_NONE;
    bool is_json = text.len && (text.p[0] == '{' || text.p[0] == '[');
    *ret = (struct input_items){0};
    int r = is_json ? json_parse(a, text, NULL, doc, err) : 0;
    if (is_json && r >= 0)
        r = add_items(a, doc, ret, err);
    else if (!is_json)
        r = add_yaml(a, text, ret, err);
    else if (add_yaml(a, text, ret, &other) >= 0) /* documents of YAML may be written in braces, too */
        r = 0;
    return r < 0 ? err_wrap(err, STR_FMT ": ", STR_ARG(file)) : 0;
}

static bool is_queue(const struct json *obj)
{
    return str_is(json_get_str(obj, S("kind")), "Queue") && str_has_prefix(json_get_str(obj, S("apiVersion")), S("scheduling.run.ai/"));
}

static nsec_t time_of(const struct json *of, const char *key)
{
    nsec_t t = 0;
    str text = json_get_str(of, str_of(key));
    return text.len && civil_parse(text, &t) ? t : 0;
}

/* How long it may run at most: seconds, by its own words. */
static nsec_t declared(const struct json *pod)
{
    int64_t s = json_get_int(json_get(pod, S("spec")), S("activeDeadlineSeconds"), 0);
    return s > 0 && s < INT64_MAX / NSEC_PER_SEC / 2 ? s * NSEC_PER_SEC : 0;
}

/* The latest that the objects speak of: about when the dump was made. */
static nsec_t latest(const struct input_items *items)
{
    nsec_t t = 0;
    for (size_t i = 0; i < items->n; i++) {
        t = MAX(t, time_of(json_get(&items->p[i], S("metadata")), "creationTimestamp"));
        t = MAX(t, time_of(json_get(&items->p[i], S("status")), "startTime"));
    }
    return t;
}

static int put_items(struct sim *sim, const struct input_items *items, struct shapes *x, bool *known, struct err *err)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < items->n; i++) {
        struct queue_spec q;
        if (!is_queue(&items->p[i]))
            continue;
        r = object_queue(sim_sched(sim), x->a, &items->p[i], &q, err);
        if (r >= 0)
            r = sim_add_queue(sim, &q, err);
    }
    /* priority classes and topologies first: pods and groups may name them */
    for (size_t turn = 0; r >= 0 && turn < 2 * items->n; turn++) {
        const struct json *obj = &items->p[turn % items->n];
        str kind = json_get_str(obj, S("kind"));
        bool first = str_is(kind, "PriorityClass") || str_is(kind, "Topology"), one = false;
        if (first != (turn < items->n) || is_queue(obj))
            continue;
        r = object_put(sim_sched(sim), obj, &one, err);
        *known |= one;
        if (r >= 0)
            r = note_shape(sim_sched(sim), x, obj, err);
    }
    return r;
}

static bool set_ends(struct sim *sim, const struct input_items *items)
{
    bool any = false;
    for (size_t i = 0; i < items->n; i++) {
        const struct json *obj = &items->p[i], *meta = json_get(obj, S("metadata"));
        nsec_t most = str_is(json_get_str(obj, S("kind")), "Pod") ? declared(obj) : 0;
        str ns = json_get_str(meta, S("namespace"));
        if (most)
            any |= sim_set_runtime(sim, ns.len ? ns : S("default"), json_get_str(meta, S("name")), time_of(json_get(obj, S("status")), "startTime"), most);
    }
    return any;
}

int input_objects(struct sim *sim, struct arena *a, const struct input_items *items, struct input_shapes *ret, struct err *err)
{
    struct shapes x = {.a = a};
    bool known = false;
    sim_set_epoch(sim, latest(items));
    int r = put_items(sim, items, &x, &known, err);
    if (r >= 0 && !known)
        r = err_set(err, E_INVALID, "holds no nodes or pods; make it with: cox get nodes,pods -A -o json");
    if (r >= 0)
        r = sim_adopt(sim, S("pods"), false, err);
    ret->has_ends = r >= 0 && set_ends(sim, items);
    map_fini(&x.by_key);
    ret->p = arena_array(a, x.list.len + 1, struct input_shape);
    ret->n = x.list.len;
    if (x.list.len)
        memcpy(ret->p, x.list.p, x.list.len * sizeof *ret->p);
    vec_fini(&x.list);
    return r;
}

int input_dump(struct sim *sim, struct arena *a, str text, str file, struct input_shapes *ret, struct err *err)
{
    struct input_items items;
    int r = input_items(a, text, file, &items, err);
    if (r >= 0 && (r = input_objects(sim, a, &items, ret, err)) < 0)
        return err_wrap(err, STR_FMT ": ", STR_ARG(file));
    return r;
}
