/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/inputs.h"

#include "base/civil.h"
#include "sched/engine/object.h"
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

/* --- Philly ------------------------------------------------------------------------------------------------------------------------------------------------ */

#define PHILLY_CPU_A_GPU 4000ll
#define PHILLY_MEMORY_A_GPU (32ll << 30)
#define PHILLY_GPUS_MAX 4096

struct philly_job {
    nsec_t at, duration;
    uint32_t gpus, line;
};

static int fail_line(str file, size_t line, const char *what, str value, struct err *err)
{
    return err_set(err, E_INVALID, STR_FMT ":%zu: %s: \"" STR_FMT "\"", STR_ARG(file), line, what, STR_ARG(str_sub(value, 0, 60)));
}

static int read_philly_line(str line, str file, size_t number, struct philly_job *j, struct err *err)
{
    str part[3];
    double seconds, gpus;
    char when[32];
    for (size_t i = 0; i < ARRAY_LEN(part); i++)
        str_cut(&line, ',', &part[i]);
    if (part[0].len != 19 || part[0].p[10] != ' ')
        return fail_line(file, number, "timestamp: not a time such as 2017-10-09 07:01:55", part[0], err);
    snprintf(when, sizeof when, STR_FMT "Z", STR_ARG(part[0]));
    when[10] = 'T';
    if (!civil_parse(str_of(when), &j->at) || j->at < 0)
        return fail_line(file, number, "timestamp: not a time such as 2017-10-09 07:01:55", part[0], err);
    if (!str_to_double(part[1], &seconds) || !(seconds >= 0) || seconds > 1e9)
        return fail_line(file, number, "duration: not a number of seconds", part[1], err);
    if (!str_to_double(part[2], &gpus) || !(gpus >= 1) || gpus > PHILLY_GPUS_MAX || gpus != (double)(uint32_t)gpus)
        return fail_line(file, number, "num_gpus: not a whole number from 1 to 4096", part[2], err);
    j->duration = (nsec_t)(seconds * 1e9);
    j->gpus = (uint32_t)gpus;
    j->line = (uint32_t)number;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct philly_job *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->line < y->line ? -1 : 1;
}

static struct scenario_job *philly_kind(struct arena *a, uint32_t gpus, uint32_t per_node)
{
    struct scenario_job *j = arena_new(a, struct scenario_job);
    uint32_t pods = (gpus + per_node - 1) / per_node, each = (gpus + pods - 1) / pods;
    *j = (struct scenario_job){.name = arena_fmt(a, "gpus-%u", gpus), .ns = S("default"), .count = 1, .replicas = pods, .min_member = -1};
    j->requests = (struct scenario_requests){.cpu_milli = each * PHILLY_CPU_A_GPU, .memory = each * PHILLY_MEMORY_A_GPU, .gpus = each};
    return j;
}

static int add_philly_jobs(struct sim *sim, struct arena *a, const struct philly_job *jobs, size_t n, uint32_t per_node, struct err *err)
{
    uint32_t *kinds = arena_array(a, PHILLY_GPUS_MAX + 1, uint32_t);
    int r = 0;
    for (size_t i = 0; r >= 0 && i < n; i++) {
        uint32_t *kind = &kinds[jobs[i].gpus];
        if (!*kind) {
            r = sim_add_kind(sim, philly_kind(a, jobs[i].gpus, per_node), kind, err);
            ++*kind;
        }
        if (r >= 0)
            sim_add_job(sim, *kind - 1, arena_fmt(a, "job-%zu", i), jobs[i].at - jobs[0].at, jobs[i].duration, 0);
    }
    return r;
}

int input_philly(struct sim *sim, struct arena *a, str text, str file, const struct input_philly_opts *opts, struct err *err)
{
    struct scenario_template *t = arena_new(a, struct scenario_template);
    VEC(struct philly_job) jobs = {0};
    str line;
    int r = 0;
    *t = (struct scenario_template){.name = S("node"), .count = opts->nodes, .gpus = opts->gpus_per_node, .pods = 110};
    t->cpu_milli = (opts->gpus_per_node + 2) * PHILLY_CPU_A_GPU;
    t->memory = (opts->gpus_per_node + 2) * PHILLY_MEMORY_A_GPU;
    str_cut(&text, '\n', &line);
    if (!str_has_prefix(line, S("timestamp,duration,num_gpus")))
        return err_set(err, E_INVALID, STR_FMT ":1: the columns must be timestamp,duration,num_gpus,...", STR_ARG(file));
    for (size_t number = 2; r >= 0 && text.len; number++) {
        struct philly_job j;
        str_cut(&text, '\n', &line);
        line = str_trim(line);
        if (line.len)
            r = read_philly_line(line, file, number, &j, err);
        if (r >= 0 && line.len)
            vec_push(&jobs, j);
    }
    if (r >= 0 && jobs.len)
        qsort(jobs.p, jobs.len, sizeof *jobs.p, by_time);
    if (r >= 0)
        r = sim_add_nodes(sim, t, opts->nodes, err);
    if (r >= 0)
        r = add_philly_jobs(sim, a, jobs.p, opts->jobs ? MIN(jobs.len, opts->jobs) : jobs.len, opts->gpus_per_node, err);
    vec_fini(&jobs);
    return r;
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

static int put_document(struct sim *sim, struct shapes *x, const struct json *doc, bool *known, struct err *err)
{
    bool one = false;
    int r = object_put(sim_sched(sim), doc, &one, err);
    *known |= one;
    const struct json *items = json_get(doc, S("items"));
    if (r >= 0)
        r = note_shape(sim_sched(sim), x, doc, err);
    for (uint32_t i = 0; r >= 0 && json_is(items, JSON_ARRAY) && i < items->len; i++)
        r = note_shape(sim_sched(sim), x, &items->items[i], err);
    return r;
}

int input_dump(struct sim *sim, struct arena *a, str text, str file, struct input_shapes *ret, struct err *err)
{
    struct shapes x = {.a = a};
    struct json *doc = arena_new(a, struct json);
    bool known = false, is_json = text.len && (text.p[0] == '{' || text.p[0] == '[');
    int r;
    if (is_json) {
        r = json_parse(a, text, NULL, doc, err);
        if (r >= 0)
            r = put_document(sim, &x, doc, &known, err);
    } else {
        struct yaml_stream *s = yaml_stream_new(text);
        while ((r = yaml_stream_next(s, a, NULL, doc, err)) > 0 && (r = put_document(sim, &x, doc, &known, err)) >= 0)
            doc = arena_new(a, struct json);
        yaml_stream_free(s);
    }
    if (r >= 0 && !known)
        r = err_set(err, E_INVALID, "holds no nodes or pods; make it with: cox get nodes,pods -A -o json");
    if (r >= 0)
        r = sim_adopt(sim, S("pods"), false, err);
    map_fini(&x.by_key);
    if (r < 0) {
        vec_fini(&x.list);
        return err_wrap(err, STR_FMT ": ", STR_ARG(file));
    }
    ret->p = arena_array(a, x.list.len + 1, struct input_shape);
    ret->n = x.list.len;
    if (x.list.len)
        memcpy(ret->p, x.list.p, x.list.len * sizeof *ret->p);
    vec_fini(&x.list);
    return 0;
}
