/* scenario_jobs.c - jobs: their fields. What becomes of them in the engine is in scenario_pods.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/limits.h"
#include "sim/scenario.h"

/* --- when and how long ------------------------------------------------------------------------------------------------------------------------- */

static int read_rate(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct {
        const char *unit;
        double s;
    } units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    str unit = json_str(v), number;
    double n;
    bool good = str_cut(&unit, '/', &number) && str_to_double(str_trim(number), &n) && isfinite(n) && n > 0;
    for (size_t i = 0; good && i < ARRAY_LEN(units); i++)
        if (str_is(str_trim(unit), units[i].unit)) {
            *(double *)into = n / units[i].s;
            return 0;
        }
    return fields_fail(f, path, "must be a rate such as 12/h, 0.5/s or 30/m");
}

struct arrival_fields {
    nsec_t at, every, from;
    double per_s;
    struct json burst;
};

static int keep_json(struct fields *f UNUSED, const struct json *v, str path UNUSED, void *into)
{
    *(struct json *)into = *v;
    return 0;
}

static int read_burst(struct fields *f, const struct json *v, str path, struct scenario_arrival *a)
{
    static const struct field table[] = {FIELD("size", COUNT, offsetof(struct scenario_arrival, size), .min = 1),
                                         FIELD("every", DURATION, offsetof(struct scenario_arrival, every), .min = 1),
                                         {0}};
    int r = fields_read(f, v, path, table, a);
    if (r >= 0 && (!a->size || !a->every))
        r = fields_fail(f, path, "needs size and every, such as {size: 10, every: 1h}");
    a->kind = ARRIVE_BURST;
    return r;
}

static int read_arrival(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("at", DURATION, offsetof(struct arrival_fields, at)),
                                         FIELD("every", DURATION, offsetof(struct arrival_fields, every), .min = 1),
                                         FIELD("poisson", OWN, offsetof(struct arrival_fields, per_s), .own = read_rate),
                                         FIELD("burst", OWN, offsetof(struct arrival_fields, burst), .own = keep_json),
                                         FIELD("from", DURATION, offsetof(struct arrival_fields, from)),
                                         {0}};
    struct scenario_arrival *a = into;
    struct arrival_fields x = {.at = -1};
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return fields_value(f, v, path, &table[0], &a->from);
    int r = fields_read(f, v, path, table, &x);
    if (r < 0)
        return r;
    bool burst = x.burst.type != JSON_NULL;
    if ((x.at >= 0) + (x.every > 0) + (x.per_s > 0) + burst != 1)
        return fields_fail(f, path, "needs one of at, every, poisson and burst");
    if (x.at >= 0 && x.from)
        return fields_fail(f, path, "has both at and from");
    a->kind = x.every ? ARRIVE_EVERY : x.per_s > 0 ? ARRIVE_POISSON : ARRIVE_AT;
    a->from = x.at >= 0 ? x.at : x.from;
    a->every = x.every;
    a->per_s = x.per_s;
    return burst ? read_burst(f, &x.burst, fields_at(f, path, "burst"), a) : 0;
}

static int read_uniform(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field one = FIELD("", DURATION, 0);
    struct scenario_duration *d = into;
    if (v->type != JSON_ARRAY || v->len != 2)
        return fields_fail(f, path, "must be two durations such as [10m, 2h]");
    int r = fields_value(f, &v->items[0], fields_nth(f, path, 0), &one, &d->a);
    if (r >= 0)
        r = fields_value(f, &v->items[1], fields_nth(f, path, 1), &one, &d->b);
    if (r >= 0 && d->b < d->a)
        r = fields_fail(f, path, "the second must not be shorter than the first");
    return r;
}

static int read_duration(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct {
        const char *name;
        enum scenario_duration_kind kind;
        struct field how;
    } kinds[] = {{"fixed", LAST_FIXED, FIELD("", DURATION, offsetof(struct scenario_duration, a))},
                 {"exponential", LAST_EXPONENTIAL, FIELD("", DURATION, offsetof(struct scenario_duration, a))},
                 {"uniform", LAST_UNIFORM, FIELD("", OWN, 0, .own = read_uniform)}};
    struct scenario_duration *d = into;
    if (v->type == JSON_STRING || v->type == JSON_NUMBER) {
        d->kind = LAST_FIXED;
        return fields_value(f, v, path, &kinds[0].how, &d->a);
    }
    if (v->type == JSON_OBJECT && v->len == 1)
        for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
            if (str_is(v->members[0].key, kinds[i].name)) {
                d->kind = kinds[i].kind;
                return fields_value(f, &v->members[0].value, fields_at(f, path, kinds[i].name), &kinds[i].how, (char *)d + kinds[i].how.offset);
            }
    return fields_fail(f, path, "must be a duration, or one of {fixed: 1h}, {uniform: [10m, 2h]} and {exponential: 1h}");
}

/* --- what it asks for ----------------------------------------------------------------------------------------------------------------------------- */

static int read_fraction(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field milli = FIELD("", MILLI, 0, .min = INT64_MIN);
    int64_t share = 0;
    int r = fields_value(f, v, path, &milli, &share);
    if (r < 0)
        return r;
    if (share < 1 || share > GPU_MILLI) /* its range in the words of the file, not in thousandths */
        return fields_fail(f, path, "must be above 0 and at most 1: a share of a device");
    *(int64_t *)into = share;
    return 0;
}

#define AT(member) offsetof(struct scenario_requests, member)
static const struct field request_fields[] = {
    FIELD("cpu", MILLI, AT(cpu_milli)),
    FIELD("memory", WHOLE, AT(memory)),
    FIELD("storage", WHOLE, AT(storage)),
    FIELD("gpu", COUNT, AT(gpus), .max = GPU_MAX),
    FIELD("gpuFraction", OWN, AT(gpu_milli), .own = read_fraction),
    FIELD("gpuMemory", WHOLE, AT(gpu_memory), .min = 1),
    FIELD("bandwidth", OWN, AT(bandwidth), .own = scenario_read_bandwidth),
    FIELD("resources", OWN, AT(resources), .own = scenario_read_amounts),
    {0},
};
#undef AT

static int read_requests(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario_requests *q = into;
    int r = fields_read(f, v, path, request_fields, q);
    if (r >= 0 && q->gpu_milli && q->gpu_memory)
        r = fields_fail(f, path, "has both gpuFraction and gpuMemory");
    return r;
}

/* "key=value:Effect", "key:Effect", "key=value", "key", "*". */
static int read_toleration(struct fields *f, const struct json *v, str path, struct spec_toleration *t)
{
    str rest = json_str(v), key;
    *t = (struct spec_toleration){.effect = -1};
    if (v->type != JSON_STRING || !rest.len)
        return fields_fail(f, path, "must be a text such as gpu=only:NoSchedule, gpu or *");
    ptrdiff_t colon = str_rfind_char(rest, ':');
    if (colon >= 0 && !scenario_effect(str_from(rest, (size_t)colon + 1), &t->effect))
        return fields_fail(f, path, "must end with :NoSchedule, :PreferNoSchedule or :NoExecute, or have no colon");
    rest = colon >= 0 ? str_sub(rest, 0, (size_t)colon) : rest;
    t->op = str_cut(&rest, '=', &key) ? TOLERATE_EQUAL : TOLERATE_EXISTS;
    t->key = str_is(key, "*") ? S("") : key;
    t->value = rest;
    if (t->op == TOLERATE_EQUAL && !t->key.len)
        return fields_fail(f, path, "needs a key");
    return 0;
}

static int read_tolerations(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario_job *j = into;
    if (v->type != JSON_ARRAY || v->len > LIMIT_SCHED_SPEC_ITEMS)
        return fields_fail(f, path, "must be a list of tolerations such as gpu=only:NoSchedule");
    j->tolerations = arena_array(f->arena, v->len + 1, struct spec_toleration);
    j->ntolerations = v->len;
    for (uint32_t i = 0; i < v->len; i++) {
        int r = read_toleration(f, &v->items[i], fields_nth(f, path, i), &j->tolerations[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- affinity and spread in short form ------------------------------------------------------------------------------------------------------------ */

#define AT(member) offsetof(struct scenario_term, member)
static const struct field affinity_fields[] = {
    FIELD("match", LABELS, AT(match)),
    FIELD("topology", STR, AT(topology), .min = 1),
    FIELD("weight", INT, AT(weight), .min = 1, .max = 100),
    {0},
};
static const struct field spread_fields[] = {
    FIELD("match", LABELS, AT(match)),
    FIELD("topology", STR, AT(topology), .min = 1),
    FIELD("maxSkew", INT, AT(max_skew), .min = 1),
    FIELD("minDomains", INT, AT(min_domains), .min = 1),
    FIELD("soft", BOOL, AT(soft)),
    {0},
};
#undef AT

static int read_terms(struct fields *f, const struct json *v, str path, const struct field *table, struct scenario_terms *ret)
{
    bool one = v->type != JSON_ARRAY;
    const struct json *items = one ? v : v->items;
    size_t n = one ? 1 : v->len;
    if (n > LIMIT_SCHED_SPEC_ITEMS)
        return fields_fail(f, path, "more than %u entries", LIMIT_SCHED_SPEC_ITEMS);
    ret->p = arena_array(f->arena, n + 1, struct scenario_term);
    ret->n = n;
    for (size_t i = 0; i < n; i++) {
        struct scenario_term *t = &ret->p[i];
        str at = one ? path : fields_nth(f, path, i);
        *t = (struct scenario_term){.max_skew = 1, .topology = S("host")};
        if (items[i].type == JSON_STRING && items[i].len) {
            t->topology = json_str(&items[i]);
        } else {
            int r = items[i].type == JSON_OBJECT ? fields_read(f, &items[i], at, table, t) : fields_fail(f, at, "must be a topology such as zone, or a map such as {match: {app: db}, topology: zone}");
            if (r < 0)
                return r;
        }
        t->topology = scenario_topology_key(t->topology);
    }
    return 0;
}
static int read_affinity(struct fields *f, const struct json *v, str path, void *into)
{
    return read_terms(f, v, path, affinity_fields, into);
}
static int read_spread(struct fields *f, const struct json *v, str path, void *into)
{
    return read_terms(f, v, path, spread_fields, into);
}

static int read_topology(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("required", STR, offsetof(struct scenario_job, required_key), .min = 1),
                                         FIELD("preferred", STR, offsetof(struct scenario_job, preferred_key), .min = 1),
                                         {0}};
    struct scenario_job *j = into;
    int r = fields_read(f, v, path, table, j);
    j->required_key = scenario_topology_key(j->required_key);
    j->preferred_key = scenario_topology_key(j->preferred_key);
    return r;
}

static int read_numa(struct fields *f, const struct json *v, str path, void *into)
{
    static const char *const words[] = {[NUMA_NONE] = "none", [NUMA_PREFER_ONE] = "prefer", [NUMA_REQUIRE_ONE] = "require", [NUMA_EXCLUSIVE] = "exclusive"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (v->type == JSON_STRING && str_is(json_str(v), words[i])) {
            *(enum numa_policy *)into = (enum numa_policy)i;
            return 0;
        }
    return fields_fail(f, path, "must be none, prefer, require or exclusive");
}

static int read_ports(struct fields *f, const struct json *v, str path, void *into)
{
    struct field_strs *ports = into;
    static const struct field list = FIELD("", STRS, 0);
    int r = fields_value(f, v, path, &list, ports);
    for (size_t i = 0; r >= 0 && i < ports->n; i++) {
        uint64_t n;
        if (!str_to_u64(ports->p[i], &n) || n < 1 || n > 65535)
            r = fields_fail(f, path, "\"" STR_FMT "\" is no port number", STR_ARG(ports->p[i]));
    }
    return r;
}

static int read_preemptible(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field word = FIELD("", BOOL, 0);
    bool yes = true;
    int r = fields_value(f, v, path, &word, &yes);
    *(enum preemptibility *)into = yes ? PREEMPTIBLE_YES : PREEMPTIBLE_NO;
    return r;
}

static int read_parties(struct fields *f, const struct json *v, str path, void *into)
{
    struct field_strs *p = into;
    static const struct field list = FIELD("", STRS, 0);
    int r = fields_value(f, v, path, &list, p);
    if (r >= 0 && (p->n < 2 || p->n > LIMIT_SCHED_SUBGROUPS))
        return fields_fail(f, path, "must name from 2 to %u domains", LIMIT_SCHED_SUBGROUPS);
    for (size_t i = 0; r >= 0 && i < p->n; i++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(p->p[i], p->p[k]))
                return fields_fail(f, path, "names \"" STR_FMT "\" twice", STR_ARG(p->p[i]));
    return r;
}

static int read_pod(struct fields *f, const struct json *v, str path, void *into)
{
    if (v->type != JSON_OBJECT || !json_is(json_get(v, S("spec")), JSON_OBJECT))
        return fields_fail(f, path, "must be a pod's manifest, with a spec");
    return keep_json(f, v, path, into);
}

#define AT(member) offsetof(struct scenario_job, member)
static const struct field job_fields[] = {
    FIELD("name", STR, AT(name), .min = 1),
    FIELD("namespace", STR, AT(ns), .min = 1),
    FIELD("count", COUNT, AT(count), .min = 1, .max = LIMIT_SCHED_PODS),
    FIELD("arrival", OWN, AT(arrival), .own = read_arrival),
    FIELD("duration", OWN, AT(duration), .own = read_duration),
    FIELD("replicas", COUNT, AT(replicas), .min = 1, .max = LIMIT_SCHED_GROUP),
    FIELD("minMember", INT, AT(min_member), .min = 0),
    FIELD("priority", INT, AT(priority), .min = INT32_MIN),
    FIELD("schedulerName", STR, AT(scheduler)),
    FIELD("neverPreempts", BOOL, AT(never_preempts)),
    FIELD("queue", STR, AT(queue), .min = 1),
    FIELD("preemptible", OWN, AT(preemptibility), .own = read_preemptible),
    FIELD("checkpoint", DURATION, AT(checkpoint)),
    FIELD("requests", OWN, AT(requests), .own = read_requests),
    FIELD("gpuModel", STRS, AT(gpu_models)),
    FIELD("labels", LABELS, AT(labels)),
    FIELD("nodeSelector", LABELS, AT(node_selector)),
    FIELD("tolerations", OWN, 0, .own = read_tolerations),
    FIELD("affinity", OWN, AT(affinity), .own = read_affinity),
    FIELD("antiAffinity", OWN, AT(anti_affinity), .own = read_affinity),
    FIELD("spread", OWN, AT(spread), .own = read_spread),
    FIELD("topology", OWN, 0, .own = read_topology),
    FIELD("numa", OWN, AT(numa), .own = read_numa),
    FIELD("ports", OWN, AT(ports), .own = read_ports),
    FIELD("parties", OWN, AT(parties), .own = read_parties),
    FIELD("transfer", WHOLE, AT(transfer), .min = 1),
    FIELD("pod", OWN, AT(pod), .own = read_pod),
    {0},
};
#undef AT

/* A pod's manifest says all that these would say. */
static int check_pod(struct fields *f, const struct json *v, str path)
{
    static const char *const beside[] = {"requests", "gpuModel", "labels", "nodeSelector", "tolerations", "affinity", "antiAffinity", "spread", "numa", "ports", "neverPreempts", "schedulerName", "parties"};
    for (size_t i = 0; i < ARRAY_LEN(beside); i++)
        if (json_get(v, str_of(beside[i])))
            return fields_fail(f, fields_at(f, path, beside[i]), "belongs into the pod's manifest, which this job has");
    return 0;
}

/* All its parties start together, and the batch policy knows nothing of domains. */
static int check_parties(struct fields *f, const struct json *v, str path, struct scenario_job *j)
{
    static const char *const beside[] = {"minMember", "queue", "topology", "namespace"};
    if (j->transfer && !j->parties.n)
        return fields_fail(f, fields_at(f, path, "transfer"), "needs parties, who send it");
    for (size_t i = 0; j->parties.n && i < ARRAY_LEN(beside); i++)
        if (json_get(v, str_of(beside[i])))
            return fields_fail(f, fields_at(f, path, beside[i]), "means nothing for a job with parties");
    if (j->parties.n && (uint64_t)j->parties.n * j->replicas > LIMIT_SCHED_GROUP)
        return fields_fail(f, fields_at(f, path, "parties"), "%llu pods are more than a gang may have (%u)", (unsigned long long)j->parties.n * j->replicas, LIMIT_SCHED_GROUP);
    if (j->transfer && j->duration.kind == LAST_FOREVER)
        j->duration = (struct scenario_duration){.kind = LAST_FIXED};
    return 0;
}

int scenario_read_job(struct fields *f, const struct json *v, str path, struct scenario_job *j)
{
    *j = (struct scenario_job){.ns = S("default"), .count = 1, .replicas = 1, .min_member = -1, .checkpoint = -1, .path = path};
    int r = fields_read(f, v, path, job_fields, j);
    if (r >= 0 && !j->name.len)
        r = fields_fail(f, path, "needs a name");
    if (r >= 0 && j->min_member > (int32_t)j->replicas)
        r = fields_fail(f, fields_at(f, path, "minMember"), "%d is more than the %u replicas", j->min_member, j->replicas);
    if (r >= 0 && (j->requests.gpu_milli || j->requests.gpu_memory || j->gpu_models.n) && !j->requests.gpus)
        j->requests.gpus = 1;
    if (r >= 0 && j->pod.type == JSON_OBJECT)
        r = check_pod(f, v, path);
    return r < 0 ? r : check_parties(f, v, path, j);
}

/* --- one job alone --------------------------------------------------------------------------------------------------------------------------------- */

/* Manifests that stand for pods: where the pods' template and their number are. */
static const struct {
    const char *kind, *count;
} workloads[] = {{"Deployment", "replicas"}, {"ReplicaSet", "replicas"}, {"StatefulSet", "replicas"}, {"Job", "parallelism"}};

static int job_of_manifest(struct fields *f, const struct json *v, struct scenario_job *j)
{
    str kind = json_get_str(v, S("kind"));
    *j = (struct scenario_job){.ns = S("default"), .count = 1, .replicas = 1, .min_member = -1, .path = S("")};
    j->name = json_str(json_path(v, "metadata", "name", NULL));
    if (!j->name.len)
        j->name = S("what-if");
    if (str_is(kind, "Pod")) {
        j->pod = *v;
        return json_is(json_get(v, S("spec")), JSON_OBJECT) ? 0 : fields_fail(f, S("spec"), "a pod needs one");
    }
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++) {
        const struct json *template = json_path(v, "spec", "template", NULL);
        int64_t n = json_get_int(json_get(v, S("spec")), str_of(workloads[i].count), 1);
        if (!str_is(kind, workloads[i].kind))
            continue;
        if (!json_is(json_get(template, S("spec")), JSON_OBJECT))
            return fields_fail(f, S("spec.template"), "needs the spec of a pod");
        if (n < 1 || n > LIMIT_SCHED_GROUP)
            return fields_fail(f, fields_at(f, S("spec"), workloads[i].count), "must be from 1 to %u", LIMIT_SCHED_GROUP);
        j->pod = *template;
        j->replicas = (uint32_t)n;
        j->min_member = str_is(kind, "Job") ? -1 : 0; /* a Job's pods work together, the others' each for itself */
        return 0;
    }
    return fields_fail(f, S("kind"), "\"" STR_FMT "\" is none of Pod, Job, Deployment, ReplicaSet and StatefulSet", STR_ARG(kind));
}

int scenario_job_parse(struct arena *a, str text, str file, struct scenario_job *ret, struct err *err)
{
    struct fields f = {a, file, text, err};
    struct json v;
    int r = fields_parse(&f, &v);
    if (r < 0)
        return r;
    if (json_get(&v, S("kind")))
        return job_of_manifest(&f, &v, ret);
    struct json *inner = v.type == JSON_OBJECT && v.len == 1 ? json_get(&v, S("gang")) : NULL;
    str path = S("gang");
    if (!inner && v.type == JSON_OBJECT && v.len == 1) {
        inner = json_get(&v, S("job"));
        path = S("job");
    }
    struct json *job = inner ? inner : &v;
    path = inner ? path : S("");
    if (job->type != JSON_OBJECT)
        return fields_fail(&f, path, "must be a job such as {replicas: 8, requests: {cpu: 4}}");
    if (!json_get(job, S("name")))
        json_set(a, job, S("name"), json_string(S("what-if")));
    r = scenario_read_job(&f, job, path, ret);
    if (r >= 0 && ret->parties.n)
        r = fields_fail(&f, fields_at(&f, path, "parties"), "jobs of several parties cannot be asked about");
    if (r >= 0 && ret->count != 1)
        r = fields_fail(&f, fields_at(&f, path, "count"), "one job is asked about");
    return r;
}
