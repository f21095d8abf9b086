/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/world.h"

#include "base/civil.h"
#include "base/limits.h"
#include "sim/report.h"

#define EXPLAINED 1000u
#define QUEUE_LABEL "kai.scheduler/queue"

/* --- the changed cluster ------------------------------------------------------------------------------------------------------------------------------ */

struct merge {
    struct arena *a;
    VEC(struct json) items;
    VEC(str) notes;
    VEC(str) work, drained; /* "ns/name" of pods that come, and of those of drained nodes */
    str now; /* creationTimestamp of what comes: behind all that is there */
};

static str name_of(const struct json *obj)
{
    return json_str(json_path(obj, "metadata", "name", NULL));
}
static str ns_of(const struct json *obj)
{
    str ns = json_str(json_path(obj, "metadata", "namespace", NULL));
    return ns.len ? ns : S("default");
}
static bool is_kind(const struct json *obj, const char *kind)
{
    return str_is(json_get_str(obj, S("kind")), kind);
}

/* By the rules of merge patches. */
static void merge_into(struct arena *a, struct json *to, const struct json *from)
{
    for (uint32_t i = 0; i < from->len; i++) {
        str key = from->members[i].key;
        const struct json *v = &from->members[i].value;
        struct json *at = json_get(to, key);
        if (v->type == JSON_NULL)
            json_del(to, key);
        else if (v->type == JSON_OBJECT && json_is(at, JSON_OBJECT))
            merge_into(a, at, v);
        else
            json_set(a, to, key, json_copy(a, v));
    }
}

static struct json *find(struct merge *m, const struct json *like, bool by_ns)
{
    for (size_t i = 0; i < m->items.len; i++) {
        struct json *x = &m->items.p[i];
        if (str_eq(json_get_str(x, S("kind")), json_get_str(like, S("kind"))) && str_eq(name_of(x), name_of(like)) && (!by_ns || str_eq(ns_of(x), ns_of(like))))
            return x;
    }
    return NULL;
}

/* Its pods, but a DaemonSet's, come again as if they were new. */
static void drain(struct merge *m, str node)
{
    for (size_t i = 0; i < m->items.len; i++) {
        struct json *pod = &m->items.p[i], *spec = json_get(pod, S("spec"));
        const struct json *owners = json_path(pod, "metadata", "ownerReferences", NULL);
        if (!is_kind(pod, "Pod") || !str_eq(json_get_str(spec, S("nodeName")), node))
            continue;
        if (json_is(owners, JSON_ARRAY) && owners->len && is_kind(&owners->items[0], "DaemonSet"))
            continue;
        vec_push(&m->drained, arena_fmt(m->a, STR_FMT "/" STR_FMT, STR_ARG(ns_of(pod)), STR_ARG(name_of(pod))));
        json_del(spec, S("nodeName"));
        struct json status = json_object();
        json_set(m->a, &status, S("phase"), json_string(S("Pending")));
        json_set(m->a, pod, S("status"), status);
    }
}

static void change(struct merge *m, const struct json *obj)
{
    struct json *there = find(m, obj, false);
    const char *what = there ? "changed" : "added";
    if (there) {
        bool was = json_get_bool(json_get(there, S("spec")), S("unschedulable"), false);
        merge_into(m->a, there, obj);
        if (is_kind(obj, "Node") && !was && json_get_bool(json_get(there, S("spec")), S("unschedulable"), false)) {
            drain(m, name_of(obj));
            what = "drained";
        }
    } else {
        vec_push(&m->items, json_copy(m->a, obj));
    }
    vec_push(&m->notes, arena_fmt(m->a, STR_FMT " " STR_FMT " %s", STR_ARG(json_get_str(obj, S("kind"))), STR_ARG(name_of(obj)), what));
}

static void come(struct merge *m, const struct json *pod, str ns, str name)
{
    struct json one = json_copy(m->a, pod);
    json_set(m->a, &one, S("apiVersion"), json_string(S("v1")));
    json_set(m->a, &one, S("kind"), json_string(S("Pod")));
    struct json *meta = json_ensure_object(m->a, &one, S("metadata"));
    json_set(m->a, meta, S("name"), json_string(name));
    json_set(m->a, meta, S("namespace"), json_string(ns));
    json_set(m->a, meta, S("creationTimestamp"), json_string(m->now));
    json_del(&one, S("status"));
    json_del(json_get(&one, S("spec")), S("nodeName"));
    struct json *there = find(m, &one, true);
    if (there)
        *there = one;
    else
        vec_push(&m->items, one);
    vec_push(&m->work, arena_fmt(m->a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)));
}

static void come_group(struct merge *m, str ns, str name, str queue, int64_t members)
{
    struct arena *a = m->a;
    struct json g = json_object(), meta = json_object(), spec = json_object();
    json_set(a, &meta, S("name"), json_string(name));
    json_set(a, &meta, S("namespace"), json_string(ns));
    json_set(a, &meta, S("creationTimestamp"), json_string(m->now));
    json_set(a, &spec, S("minMember"), json_int(a, members));
    if (queue.len)
        json_set(a, &spec, S("queue"), json_string(queue));
    json_set(a, &g, S("apiVersion"), json_string(S("scheduling.run.ai/v2alpha2")));
    json_set(a, &g, S("kind"), json_string(S("PodGroup")));
    json_set(a, &g, S("metadata"), meta);
    json_set(a, &g, S("spec"), spec);
    vec_push(&m->items, g);
}

/* Manifests that stand for pods: their number. */
static const struct {
    const char *kind, *count;
} workloads[] = {{"Job", "parallelism"}, {"Deployment", "replicas"}, {"ReplicaSet", "replicas"}, {"StatefulSet", "replicas"}};

static int expand(struct merge *m, const struct json *obj, const char *count, struct err *err)
{
    struct arena *a = m->a;
    const struct json *template = json_path(obj, "spec", "template", NULL);
    int64_t n = json_get_int(json_get(obj, S("spec")), str_of(count), 1);
    str name = name_of(obj), ns = ns_of(obj), queue = json_str(json_path(obj, "metadata", "labels", QUEUE_LABEL, NULL));
    if (!name.len || !json_is(json_get(template, S("spec")), JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, STR_FMT " " STR_FMT ": needs a name and spec.template.spec", STR_ARG(json_get_str(obj, S("kind"))), STR_ARG(name));
    if (n < 1 || n > LIMIT_SIMULATE_PODS)
        return err_set(err, E_INVALID_ARG, STR_FMT " " STR_FMT ": spec.%s must be from 1 to %u", STR_ARG(json_get_str(obj, S("kind"))), STR_ARG(name), count, LIMIT_SIMULATE_PODS);
    struct json pod = json_copy(a, template);
    struct json *meta = json_ensure_object(a, &pod, S("metadata")), *labels = json_ensure_object(a, meta, S("labels"));
    if (queue.len && !json_get(labels, S(QUEUE_LABEL)))
        json_set(a, labels, S(QUEUE_LABEL), json_string(queue));
    if (is_kind(obj, "Job") && n > 1) {
        json_set(a, json_ensure_object(a, meta, S("annotations")), S("pod-group-name"), json_string(name));
        come_group(m, ns, name, json_get_str(labels, S(QUEUE_LABEL)), n);
    }
    for (int64_t i = 0; i < n; i++)
        come(m, &pod, ns, n > 1 ? arena_fmt(a, STR_FMT "-%lld", STR_ARG(name), (long long)i) : name);
    return 0;
}

static int apply(struct merge *m, const struct json *obj, struct err *err)
{
    str kind = json_get_str(obj, S("kind"));
    if (!name_of(obj).len)
        return err_set(err, E_INVALID_ARG, STR_FMT ": metadata.name: is missing", STR_ARG(kind));
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
        if (str_is(kind, workloads[i].kind))
            return expand(m, obj, workloads[i].count, err);
    if (str_is(kind, "Queue") || str_is(kind, "Node")) {
        change(m, obj);
    } else if (str_is(kind, "Pod")) {
        come(m, obj, ns_of(obj), name_of(obj));
    } else if (str_is(kind, "PodGroup")) {
        struct json g = json_copy(m->a, obj);
        json_set(m->a, json_ensure_object(m->a, &g, S("metadata")), S("creationTimestamp"), json_string(m->now));
        vec_push(&m->items, g);
    } else {
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is none of Queue, Node, Pod, PodGroup, Job, Deployment, ReplicaSet and StatefulSet", STR_ARG(kind));
    }
    return 0;
}

/* --- two simulations --------------------------------------------------------------------------------------------------------------------------------------- */

static struct sim *run(struct arena *a, const struct world_opts *opts, const struct input_items *items, bool *ret_ends, struct err *err)
{
    struct input_shapes shapes;
    struct sim *sim = sim_new(opts->make_profile(opts->arg), &opts->sim, err);
    if (sim && (input_objects(sim, a, items, &shapes, err) < 0 || sim_run(sim, INT64_MAX, err) < 0)) {
        sim_free(sim);
        return NULL;
    }
    if (sim)
        *ret_ends = shapes.has_ends;
    return sim;
}

static str key_of(struct arena *a, const struct sim_pod *p)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->origin));
}

/* The first run of each pod: what is there is asked about. */
static const struct sim_run **first_runs(struct arena *a, const struct sim_result *r)
{
    const struct sim_run **first = arena_array(a, r->npods + 1, const struct sim_run *);
    for (size_t i = r->nruns; i-- > 0;)
        first[r->runs[i].pod] = &r->runs[i];
    return first;
}

static struct world_pod pod_of(struct arena *a, const struct sim_result *r, const struct sim_run **first, const struct sim_pod *p)
{
    struct world_pod x = {.ns = arena_str(a, p->ns), .name = arena_str(a, p->origin), .at = p->first_start};
    for (size_t i = 0; i < r->nqueues; i++)
        if (r->queues[i].id == p->queue)
            x.queue = arena_str(a, r->queues[i].name);
    const struct sim_run *run = first[p - r->pods];
    x.node = run ? arena_str(a, r->nodes[run->node].name) : S("");
    return x;
}

static void add(struct arena *a, struct world_pods *to, struct world_pod p)
{
    if ((to->n & (to->n + 1)) == 0 || !to->p) { /* full at 0, 1, 3, 7 ... */
        struct world_pod *more = arena_array(a, 2 * to->n + 2, struct world_pod);
        if (to->n)
            memcpy(more, to->p, to->n * sizeof *more);
        to->p = more;
    }
    to->p[to->n++] = p;
}

static bool runs_in_the_end(const struct sim_pod *p)
{
    return p->state == SIM_RUNNING || p->state == SIM_DONE;
}

static char is_work, is_drained; /* what a name stands for */

static void compare(struct arena *a, struct sim *before, struct sim *after, const struct map *named, struct world_answer *ret)
{
    const struct sim_result *ra = sim_result(before), *rb = sim_result(after);
    const struct sim_run **first_a = first_runs(a, ra), **first_b = first_runs(a, rb);
    struct report_run why = {0};
    struct map old = MAP_INIT;
    bool evicts = false;
    report_explain(after, a, EXPLAINED, &why);
    for (size_t i = 0; i < ra->npods; i++)
        map_put(&old, key_of(a, &ra->pods[i]), &ra->pods[i]);
    for (size_t i = 0; i < rb->npods; i++) {
        const struct sim_pod *p = &rb->pods[i], *was = map_get(&old, key_of(a, p));
        const char *is = map_get(named, key_of(a, p));
        bool goes = is == &is_drained, evicted = p->evictions > (was ? was->evictions : 0);
        struct world_pod x = goes && was ? pod_of(a, ra, first_a, was) : pod_of(a, rb, first_b, p);
        x.again = runs_in_the_end(p);
        evicts |= evicted;
        if (is == &is_work)
            continue;
        if (evicted || goes) {
            add(a, &ret->evicted, x);
        } else if (was && p->first_start >= 0 && was->first_start < 0) {
            add(a, &ret->start, x);
        } else if (was && p->first_start < 0 && was->first_start >= 0) {
            add(a, &ret->stay, pod_of(a, ra, first_a, was));
        }
    }
    for (size_t i = 0; i < rb->npods; i++) {
        const struct sim_pod *p = &rb->pods[i];
        if (map_get(named, key_of(a, p)) != &is_work)
            continue;
        struct world_pod x = pod_of(a, rb, first_b, p);
        x.start = p->first_start < 0 ? WORLD_WAITS : p->first_start == 0 ? WORLD_NOW : evicts ? WORLD_AFTER_EVICTION : WORLD_AFTER_RUN_TIMES;
        x.why = S("it waits");
        for (size_t k = 0; x.start == WORLD_WAITS && k < why.npending; k++)
            if (str_eq(why.pending[k].name, p->name))
                x.why = arena_str(a, why.pending[k].why->sentence);
        add(a, &ret->work, x);
    }
    map_fini(&old);
}

bool world_is_question(const struct input_items *changes)
{
    return changes->n > 1 || (changes->n == 1 && (is_kind(changes->p, "Queue") || is_kind(changes->p, "Node") || is_kind(changes->p, "PodGroup")));
}

static str latest(struct arena *a, const struct input_items *items)
{
    str t = S("1970-01-01T00:00:00Z");
    for (size_t i = 0; i < items->n; i++) {
        str one = json_str(json_path(&items->p[i], "metadata", "creationTimestamp", NULL));
        nsec_t ns;
        if (one.len == t.len && civil_parse(one, &ns) && str_cmp(one, t) > 0)
            t = one;
    }
    return arena_str(a, t);
}

int world_ask(struct arena *a, const struct input_items *cluster, const struct input_items *changes, const struct world_opts *opts, struct world_answer *ret, struct err *err)
{
    struct merge m = {.a = a, .now = latest(a, cluster)};
    struct map named = MAP_INIT;
    bool ends = false;
    int r = 0;
    *ret = (struct world_answer){0};
    for (size_t i = 0; i < cluster->n; i++)
        vec_push(&m.items, json_copy(a, &cluster->p[i]));
    for (size_t i = 0; r >= 0 && i < changes->n; i++)
        r = apply(&m, &changes->p[i], err);
    for (size_t i = 0; i < m.drained.len; i++)
        map_put(&named, m.drained.p[i], &is_drained);
    for (size_t i = 0; i < m.work.len; i++)
        map_put(&named, m.work.p[i], &is_work);
    struct input_items changed = {m.items.p, m.items.len};
    struct sim *before = r >= 0 ? run(a, opts, cluster, &ends, err) : NULL;
    struct sim *after = before ? run(a, opts, &changed, &ret->has_ends, err) : NULL;
    if (r >= 0 && !after)
        r = -(err->code ? err->code : E_INTERNAL);
    if (r >= 0) {
        compare(a, before, after, &named, ret);
        ret->nchanges = m.notes.len;
        ret->changes = arena_array(a, m.notes.len + 1, str);
        if (m.notes.len)
            memcpy(ret->changes, m.notes.p, m.notes.len * sizeof *ret->changes);
    }
    sim_free(before);
    sim_free(after);
    map_fini(&named);
    vec_fini(&m.items);
    vec_fini(&m.notes);
    vec_fini(&m.work);
    vec_fini(&m.drained);
    return r;
}

/* --- the answer -------------------------------------------------------------------------------------------------------------------------------------------------- */

#define SHOWN 20u
static const char *const starts[WORLD_STARTS] = {"Now", "AfterEviction", "AfterRunTimes", "Waits"};

static void text_work(struct strbuf *b, const struct world_answer *x, const struct world_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    strbuf_addf(b, "  " STR_FMT "/" STR_FMT ": ", STR_ARG(p->ns), STR_ARG(p->name));
    if (p->start == WORLD_NOW)
        strbuf_addf(b, "starts at once on " STR_FMT "\n", STR_ARG(p->node));
    else if (p->start != WORLD_WAITS)
        strbuf_addf(b, "starts after " STR_FMT " on " STR_FMT ", when %s\n", STR_ARG(report_duration(&a, (double)p->at / 1e9)), STR_ARG(p->node),
                    p->start == WORLD_AFTER_EVICTION ? "those have gone that give way" : "others have ended");
    else
        strbuf_addf(b, "%s: " STR_FMT "\n", x->has_ends ? "does not start, though all end that say when" : "waits, and nobody says when what runs will end", STR_ARG(p->why));
}

static void text_list(struct strbuf *b, const char *title, const struct world_pods *list, bool evicted)
{
    if (!list->n)
        return;
    strbuf_addf(b, "%s\n", title);
    for (size_t i = 0; i < list->n && i < SHOWN; i++) {
        const struct world_pod *p = &list->p[i];
        strbuf_addf(b, "  " STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name));
        if (p->queue.len)
            strbuf_addf(b, " of queue " STR_FMT, STR_ARG(p->queue));
        if (p->node.len)
            strbuf_addf(b, " on " STR_FMT, STR_ARG(p->node));
        strbuf_add_str(b, evicted ? p->again ? S(", and runs again\n") : S(", and waits\n") : S("\n"));
    }
    if (list->n > SHOWN)
        strbuf_addf(b, "  and %zu more\n", list->n - SHOWN);
}

void world_text(struct strbuf *b, const struct world_answer *x)
{
    for (size_t i = 0; i < x->nchanges; i++)
        strbuf_addf(b, "%s" STR_FMT, i ? ", " : "what if: ", STR_ARG(x->changes[i]));
    strbuf_add_str(b, x->nchanges ? S("\n") : S(""));
    if (x->work.n)
        strbuf_add_str(b, S("work that comes:\n"));
    for (size_t i = 0; i < x->work.n && i < SHOWN; i++)
        text_work(b, x, &x->work.p[i]);
    if (x->work.n > SHOWN)
        strbuf_addf(b, "  and %zu more\n", x->work.n - SHOWN);
    text_list(b, "gives way because of it:", &x->evicted, true);
    text_list(b, "starts because of it:", &x->start, false);
    text_list(b, "waits because of it, and would run:", &x->stay, false);
    if (!x->evicted.n && !x->start.n && !x->stay.n)
        strbuf_add_str(b, S("for all others nothing changes\n"));
}

static struct json list_json(struct arena *a, const struct world_pods *list, int of)
{
    struct json out = json_array();
    for (size_t i = 0; i < list->n; i++) {
        const struct world_pod *p = &list->p[i];
        struct json *one = json_push(a, &out, json_object());
        json_set(a, one, S("namespace"), json_string(p->ns));
        json_set(a, one, S("name"), json_string(p->name));
        if (p->queue.len)
            json_set(a, one, S("queue"), json_string(p->queue));
        if (p->node.len)
            json_set(a, one, S("node"), json_string(p->node));
        if (of == 1)
            json_set(a, one, S("runsAgain"), json_bool(p->again));
        if (of != 0)
            continue;
        json_set(a, one, S("starts"), json_string(str_of(starts[p->start])));
        if (p->start != WORLD_WAITS)
            json_set(a, one, S("at"), json_double(a, (double)p->at / 1e9));
        else
            json_set(a, one, S("reason"), json_string(p->why));
    }
    return out;
}

void world_json(struct strbuf *b, const struct world_answer *x)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_object(), changes = json_array(), outer = json_object();
    for (size_t i = 0; i < x->nchanges; i++)
        json_push(&a, &changes, json_string(x->changes[i]));
    json_set(&a, &v, S("changes"), changes);
    json_set(&a, &v, S("work"), list_json(&a, &x->work, 0));
    json_set(&a, &v, S("evicted"), list_json(&a, &x->evicted, 1));
    json_set(&a, &v, S("start"), list_json(&a, &x->start, 2));
    json_set(&a, &v, S("wait"), list_json(&a, &x->stay, 2));
    json_set(&a, &v, S("endsKnown"), json_bool(x->has_ends));
    json_set(&a, &outer, S("whatIf"), v);
    json_write(b, &outer);
    strbuf_add_char(b, '\n');
}
