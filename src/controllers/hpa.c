/* hpa.c - HorizontalPodAutoscalers: every PERIOD, and when one changes.
 *
 *   scale of the target ─► its pods ─► each metric ─► hpa_plan ─► scale ─► status
 *
 * Nothing is kept but the history of advice and scales that behaviour rules need; after a start it begins with what is there, so a restart never scales down at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "base/civil.h"
#include "client/raw.h"
#include "controllers/events.h"
#include "controllers/hpa_read.h"

#define PERIOD_NS (15 * NSEC_PER_SEC)
#define COMPONENT "horizontal-pod-autoscaler"

struct scaler {
    char *key, *uid;
    struct hpa_history history;
    nsec_t last_scale;
};

struct hpas {
    struct object_cache cache;
    struct map scalers; /* key -> scaler; goes with the run that finds the object gone */
    nsec_t period;
};

struct run {
    struct json hpa; /* status is written into it */
    const struct json *spec, *metrics;
    struct json old_status;
    str ns, name, path, target_path;
    struct scaler *s;
    struct json scale, pods;
    struct selector selector;
    str selector_text;
    int64_t current, desired;
    uint32_t at; /* metric */
    struct hpa_proposal *proposals;
    struct json statuses;
    str reason; /* of the rescale */
    bool discovered;
    nsec_t now;
};

static void next_metric(struct job *j);
static void find_target(struct job *j);

/* --- status ----------------------------------------------------------------------------------------------------------------------------- */

static void set(struct job *j, const char *type, bool on, const char *reason, str message)
{
    struct run *r = j->state;
    condition_set(&j->arena, j->c->opts->clock, &r->hpa, type, on, str_of(reason), message);
}

static void tell(struct job *j, enum event_type type, const char *reason, str message)
{
    struct run *r = j->state;
    struct event_ref ref = event_ref_of(&r->hpa, "autoscaling/v2", "HorizontalPodAutoscaler");
    controller_event(j->c, COMPONENT, &ref, type, reason, STR_FMT, STR_ARG(message));
}

static nsec_t period(const struct job *j)
{
    return ((const struct hpas *)j->c->state)->period;
}

static void written(struct job *j)
{
    if (job_ok(j))
        job_end_after(j, period(j));
    else
        job_end_status(j);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json *st = json_ensure_object(a, &r->hpa, S("status"));
    int64_t generation = json_get_int(json_get(&r->hpa, S("metadata")), S("generation"), 0);
    json_set(a, st, S("currentReplicas"), json_int(a, r->current));
    json_set(a, st, S("desiredReplicas"), json_int(a, r->desired));
    if (generation)
        json_set(a, st, S("observedGeneration"), json_int(a, generation));
    if (json_is(&r->statuses, JSON_ARRAY))
        json_set(a, st, S("currentMetrics"), r->statuses.len ? r->statuses : json_null());
    if (r->s->last_scale) {
        char text[CIVIL_TIME_LEN + 1];
        civil_format(r->s->last_scale, text);
        json_set(a, st, S("lastScaleTime"), json_string(arena_str(a, str_of(text))));
    }
    if (!r->current)
        json_del(st, S("currentReplicas"));
    if (json_equal(&r->old_status, st)) {
        job_end_after(j, period(j));
        return;
    }
    job_call(j, S("PUT"), arena_cat(a, r->path, S("/status")), &r->hpa, written);
}

/* --- the scale ----------------------------------------------------------------------------------------------------------------------------- */

static void scaled(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j)) {
        str why = json_get_str(&j->answer, S("message"));
        str text = arena_fmt(a, "the HPA controller was unable to update the target scale: " STR_FMT, STR_ARG(why.len ? why : S("the API server did not answer")));
        set(j, "AbleToScale", false, "FailedUpdateScale", text);
        tell(j, EVENT_WARNING, "FailedRescale", arena_fmt(a, "New size: %lld; reason: " STR_FMT "; error: " STR_FMT, (long long)r->desired, STR_ARG(r->reason), STR_ARG(why)));
        r->desired = r->current;
        write_status(j);
        return;
    }
    set(j, "AbleToScale", true, "SucceededRescale", arena_fmt(a, "the HPA controller was able to update the target scale to %lld", (long long)r->desired));
    tell(j, EVENT_NORMAL, "SuccessfulRescale", arena_fmt(a, "New size: %lld; reason: " STR_FMT, (long long)r->desired, STR_ARG(r->reason)));
    hpa_scaled(&r->s->history, r->current, r->desired, r->now);
    r->s->last_scale = r->now;
    write_status(j);
}

/* With the revision of the scale that was read: whoever changed it meanwhile knows better. */
static void rescale(struct job *j)
{
    struct run *r = j->state;
    if (r->desired == r->current) {
        write_status(j);
        return;
    }
    json_set(&j->arena, json_ensure_object(&j->arena, &r->scale, S("spec")), S("replicas"), json_int(&j->arena, r->desired));
    job_call(j, S("PUT"), arena_cat(&j->arena, r->target_path, S("/scale")), &r->scale, scaled);
}

static int64_t least(const struct run *r)
{
    return json_get_int(r->spec, S("minReplicas"), 1);
}

static void decide(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct hpa_proposal *bad;
    ptrdiff_t best;
    int64_t wanted;
    bool known = hpa_combine(r->proposals, r->metrics->len, r->current, &wanted, &bad, &best);
    if (bad)
        tell(j, EVENT_WARNING, bad->reason, bad->message);
    if (!known) {
        str text = bad ? arena_fmt(a, "the HPA was unable to compute the replica count: " STR_FMT, STR_ARG(bad->message)) : S("the HPA has no metrics");
        set(j, "ScalingActive", false, bad ? bad->reason : "InvalidMetricSourceType", text);
        if (bad)
            tell(j, EVENT_WARNING, "FailedComputeMetricsReplicas", arena_fmt(a, "invalid metrics (of %u): " STR_FMT, r->metrics->len, STR_ARG(bad->message)));
        r->desired = r->current;
        write_status(j);
        return;
    }
    str name = hpa_metric_name(a, &r->metrics->items[best]);
    set(j, "ScalingActive", true, "ValidMetricFound", arena_fmt(a, "the HPA was able to successfully calculate a replica count from " STR_FMT, STR_ARG(name)));
    struct hpa_rules up = hpa_read_rules(json_get(r->spec, S("behavior")), true), down = hpa_read_rules(json_get(r->spec, S("behavior")), false);
    struct hpa_bounds bounds = {.min = least(r), .max = json_get_int(r->spec, S("maxReplicas"), 1), .current = r->current};
    struct hpa_outcome o = hpa_normalize(&r->s->history, &up, &down, &bounds, wanted, r->now);
    set(j, "AbleToScale", true, o.able_reason, str_of(o.able_message));
    set(j, "ScalingLimited", o.limited, o.limit_reason, str_of(o.limit_message));
    r->desired = o.replicas;
    r->reason = r->desired > r->current ? arena_cat(a, name, S(" above target")) : S("All metrics below target");
    rescale(j);
}

/* --- metrics --------------------------------------------------------------------------------------------------------------------------------- */

static const struct json *metric_now(const struct run *r)
{
    return &r->metrics->items[r->at];
}

static int64_t target_milli(const struct json *source, const char *member)
{
    struct quantity q;
    return quantity_parse(json_str(json_path(source, "target", member, NULL)), &q) ? quantity_to_milli(&q) : 0;
}

static struct hpa_tolerance tolerance_of(const struct run *r)
{
    const struct json *behavior = json_get(r->spec, S("behavior"));
    return (struct hpa_tolerance){hpa_read_rules(behavior, true).tolerance, hpa_read_rules(behavior, false).tolerance};
}

static struct hpa_proposal of_pods(struct job *j, const struct json *items, bool resource)
{
    struct run *r = j->state;
    const struct json *src = hpa_source(metric_now(r)), *percent = json_path(src, "target", "averageUtilization", NULL);
    str name = resource ? json_get_str(src, S("name")) : S(""), container = json_get_str(src, S("container"));
    struct hpa_pod *pods;
    struct hpa_sample *samples;
    struct hpa_pods_input in = {.current = r->current, .is_cpu = str_is(name, "cpu"), .resource = name, .tolerance = tolerance_of(r), .now = r->now};
    in.npods = hpa_read_pods(&j->arena, &r->pods, name, container, &pods);
    in.nsamples = resource ? hpa_read_usage(&j->arena, items, name, container, &samples) : hpa_read_values(&j->arena, items, &samples);
    in.pods = pods;
    in.samples = samples;
    json_to_i64(percent, &in.target_utilization);
    in.target_milli = target_milli(src, "averageValue");
    if (!in.target_utilization && in.target_milli <= 0)
        return (struct hpa_proposal){.message = S("its target is neither a utilization nor an average value above 0")};
    return hpa_pods_replicas(&j->arena, &in);
}

static struct hpa_proposal of_value(struct job *j, const struct json *items)
{
    struct run *r = j->state;
    const struct json *src = hpa_source(metric_now(r));
    struct hpa_pod *pods;
    size_t n = hpa_read_pods(&j->arena, &r->pods, S(""), S(""), &pods);
    int64_t value = hpa_read_sum(items), average = target_milli(src, "averageValue"), target = target_milli(src, "value");
    if (!json_is(items, JSON_ARRAY) || !items->len)
        return (struct hpa_proposal){.message = S("no value of it is known")};
    if (average > 0)
        return hpa_average_replicas(r->current, value, average, tolerance_of(r));
    return hpa_value_replicas(r->current, value, MAX(target, (int64_t)1), hpa_ready_pods(pods, n), tolerance_of(r));
}

static const struct {
    const char *type, *reason;
} kinds[] = {
    {"Resource", "FailedGetResourceMetric"}, {"ContainerResource", "FailedGetContainerResourceMetric"}, {"Pods", "FailedGetPodsMetric"},
    {"Object", "FailedGetObjectMetric"},     {"External", "FailedGetExternalMetric"},
};

static void conclude(struct job *j, struct hpa_proposal p)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    p.reason = "InvalidMetricSourceType";
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_is(json_get_str(metric_now(r), S("type")), kinds[i].type))
            p.reason = kinds[i].reason;
    if (p.ok)
        json_push(a, &r->statuses, hpa_metric_status(a, metric_now(r), &p));
    else
        p.message = arena_fmt(a, "failed to get " STR_FMT ": " STR_FMT, STR_ARG(hpa_metric_name(a, metric_now(r))), STR_ARG(p.message));
    r->proposals[r->at++] = p;
    next_metric(j);
}

static void got_metric(struct job *j)
{
    struct run *r = j->state;
    str type = json_get_str(metric_now(r), S("type")), why = json_get_str(&j->answer, S("message"));
    const struct json *items = json_get(&j->answer, S("items"));
    bool resource = str_is(type, "Resource") || str_is(type, "ContainerResource");
    if (!job_ok(j))
        conclude(j, (struct hpa_proposal){.message = why.len ? why : S("the API server did not answer")});
    else if (resource || str_is(type, "Pods"))
        conclude(j, of_pods(j, items, resource));
    else
        conclude(j, of_value(j, items));
}

static str query(struct arena *a, const char *option, str text)
{
    struct strbuf b = strbuf_on(a);
    if (text.len) {
        strbuf_addf(&b, "?%s=", option);
        resource_path_segment(&b, text);
    }
    return strbuf_str(&b);
}

static str series_text(struct arena *a, const struct json *metric)
{
    struct selector sel;
    struct strbuf b = strbuf_on(a);
    const struct json *from = json_get(metric, S("selector"));
    if (from && selector_from_label_selector(a, from, &sel, &(struct err){0}) == 0)
        selector_write(&b, &sel);
    return strbuf_str(&b);
}

static str segment(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    resource_path_segment(&b, text);
    return strbuf_str(&b);
}

/* "ingresses.networking.k8s.io/main", or "" when the kind is not known. */
static str described_path(struct job *j, const struct json *ref)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    str group = json_get_str(ref, S("apiVersion")), head, kind = json_get_str(ref, S("kind"));
    struct resource_set *resources = resources_current(controllers_resources(j->c->all));
    group = str_cut(&group, '/', &head) ? head : S("");
    const struct resource *res = resources ? resource_find_kind(resources, group, kind) : NULL;
    if (!res)
        return S("");
    str plural = res->group.len ? arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(res->plural), STR_ARG(res->group)) : res->plural;
    if (str_is(kind, "Namespace"))
        return arena_fmt(a, "/namespaces/" STR_FMT "/metrics", STR_ARG(segment(a, json_get_str(ref, S("name")))));
    str ns = res->namespaced ? arena_fmt(a, "/namespaces/" STR_FMT, STR_ARG(r->ns)) : S("");
    return arena_fmt(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(plural), STR_ARG(segment(a, json_get_str(ref, S("name")))));
}

static void next_metric(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (r->at == r->metrics->len) {
        decide(j);
        return;
    }
    const struct json *src = hpa_source(metric_now(r)), *metric = json_get(src, S("metric"));
    str type = json_get_str(metric_now(r), S("type")), name = segment(a, json_get_str(metric, S("name"))), series = series_text(a, metric), path;
    if (str_is(type, "Resource") || str_is(type, "ContainerResource")) {
        path = arena_fmt(a, "/apis/metrics.k8s.io/v1beta1/namespaces/" STR_FMT "/pods" STR_FMT, STR_ARG(r->ns), STR_ARG(query(a, "labelSelector", r->selector_text)));
    } else if (str_is(type, "Pods")) {
        path = arena_fmt(a, "/apis/custom.metrics.k8s.io/v1beta2/namespaces/" STR_FMT "/pods/*/" STR_FMT STR_FMT, STR_ARG(r->ns), STR_ARG(name),
                         STR_ARG(query(a, "labelSelector", r->selector_text)));
        if (series.len)
            path = arena_fmt(a, STR_FMT "&metricLabelSelector=" STR_FMT, STR_ARG(path), STR_ARG(segment(a, series)));
    } else if (str_is(type, "Object")) {
        str object = described_path(j, json_get(src, S("describedObject")));
        if (!object.len) {
            conclude(j, (struct hpa_proposal){.message = S("the kind of the described object is not known")});
            return;
        }
        path = arena_fmt(a, "/apis/custom.metrics.k8s.io/v1beta2" STR_FMT "/" STR_FMT STR_FMT, STR_ARG(object), STR_ARG(name), STR_ARG(query(a, "metricLabelSelector", series)));
    } else {
        path = arena_fmt(a, "/apis/external.metrics.k8s.io/v1beta1/namespaces/" STR_FMT "/" STR_FMT STR_FMT, STR_ARG(r->ns), STR_ARG(name), STR_ARG(query(a, "labelSelector", series)));
    }
    job_call(j, S("GET"), path, NULL, got_metric);
}

static void got_pods(struct job *j)
{
    struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->pods = json_is(items, JSON_ARRAY) ? *items : json_array();
    r->proposals = arena_array(&j->arena, r->metrics->len + 1, struct hpa_proposal);
    r->statuses = json_array();
    next_metric(j);
}

static void measure(struct job *j)
{
    struct run *r = j->state;
    static const struct json none = {.type = JSON_ARRAY};
    r->metrics = json_get(r->spec, S("metrics"));
    if (!json_is(r->metrics, JSON_ARRAY))
        r->metrics = &none;
    r->selector_text = json_get_str(json_get(&r->scale, S("status")), S("selector"));
    if (!r->selector_text.len) {
        set(j, "ScalingActive", false, "InvalidSelector", S("the HPA target's scale is missing a selector"));
        tell(j, EVENT_WARNING, "SelectorRequired", S("selector is required"));
        write_status(j);
        return;
    }
    job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods" STR_FMT, STR_ARG(r->ns), STR_ARG(query(&j->arena, "labelSelector", r->selector_text))), NULL, got_pods);
}

/* --- the target ---------------------------------------------------------------------------------------------------------------------------- */

static void no_target(struct job *j, str why)
{
    struct run *r = j->state;
    set(j, "AbleToScale", false, "FailedGetScale", arena_fmt(&j->arena, "the HPA controller was unable to get the target's current scale: " STR_FMT, STR_ARG(why)));
    tell(j, EVENT_WARNING, "FailedGetScale", why);
    r->current = json_get_int(&r->old_status, S("currentReplicas"), 0);
    r->desired = json_get_int(&r->old_status, S("desiredReplicas"), 0);
    write_status(j);
}

static void got_scale(struct job *j)
{
    struct run *r = j->state;
    str why = json_get_str(&j->answer, S("message"));
    int64_t max = json_get_int(r->spec, S("maxReplicas"), 1);
    if (!job_ok(j)) {
        no_target(j, why.len ? why : S("the API server did not answer"));
        return;
    }
    r->scale = json_copy(&j->arena, &j->answer);
    r->current = r->desired = json_get_int(json_get(&r->scale, S("spec")), S("replicas"), 0);
    set(j, "AbleToScale", true, "SucceededGetScale", S("the HPA controller was able to get the target's current scale"));
    if (r->current == 0 && least(r) != 0) {
        set(j, "ScalingActive", false, "ScalingDisabled", S("scaling is disabled since the replica count of the target is zero"));
        write_status(j);
        return;
    }
    if (r->current >= least(r) && r->current <= max) {
        measure(j);
        return;
    }
    r->desired = r->current > max ? max : least(r);
    r->reason = r->current > max ? S("Current number of replicas above Spec.MaxReplicas") : S("Current number of replicas below Spec.MinReplicas");
    rescale(j);
}

static void rediscovered(struct job *j)
{
    struct run *r = j->state;
    r->discovered = true;
    find_target(j);
}

static void find_target(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *ref = json_get(r->spec, S("scaleTargetRef"));
    str group = json_get_str(ref, S("apiVersion")), head, kind = json_get_str(ref, S("kind"));
    struct resource_set *resources = resources_current(controllers_resources(j->c->all));
    group = str_cut(&group, '/', &head) ? head : S("");
    const struct resource *res = resources ? resource_find_kind(resources, group, kind) : NULL;
    if (!res && !r->discovered) {
        job_discover(j, rediscovered);
        return;
    }
    if (!res) {
        no_target(j, arena_fmt(a, "no matches for kind \"" STR_FMT "\" in group \"" STR_FMT "\"", STR_ARG(kind), STR_ARG(group)));
        return;
    }
    r->target_path = resource_path(a, res, r->ns, json_get_str(ref, S("name")));
    job_call(j, S("GET"), arena_cat(a, r->target_path, S("/scale")), NULL, got_scale);
}

static void scaler_free(struct hpas *all, str key)
{
    struct scaler *s = map_del(&all->scalers, key);
    if (!s)
        return;
    hpa_history_fini(&s->history);
    free(s->uid);
    free(s->key);
    free(s);
}

static struct scaler *scaler_of(struct hpas *all, str key, str uid)
{
    struct scaler *s = map_get(&all->scalers, key);
    if (s && !str_is(uid, s->uid)) { /* another one of the same name */
        scaler_free(all, key);
        s = NULL;
    }
    if (!s) {
        s = xnew(struct scaler);
        s->key = str_dup(key);
        s->uid = str_dup(uid);
        map_put(&all->scalers, str_n(s->key, key.len), s);
    }
    return s;
}

static void reconcile(struct job *j)
{
    struct hpas *all = j->c->state;
    struct arena *a = &j->arena;
    struct object *o = object_cache_find(&all->cache, j->key);
    if (!o) {
        scaler_free(all, j->key);
        job_end(j, WORK_OK);
        return;
    }
    struct run *r = j->state = arena_new(a, struct run);
    r->hpa = object_read(a, o);
    if (object_deleting(&r->hpa)) {
        job_end(j, WORK_OK);
        return;
    }
    const struct json *status = json_get(&r->hpa, S("status")), *spec = json_get(&r->hpa, S("spec"));
    r->old_status = status ? json_copy(a, status) : json_object();
    struct json *own_spec = arena_new(a, struct json); /* members move when status is added */
    *own_spec = spec ? *spec : json_object();
    r->spec = own_spec;
    r->statuses = json_null();
    r->ns = arena_str(a, o->ns);
    r->name = arena_str(a, o->name);
    r->path = arena_fmt(a, "/apis/autoscaling/v2/namespaces/" STR_FMT "/horizontalpodautoscalers/" STR_FMT, STR_ARG(o->ns), STR_ARG(o->name));
    r->s = scaler_of(all, j->key, o->uid);
    r->now = clock_wall(j->c->opts->clock);
    find_target(j);
}

/* --- events ----------------------------------------------------------------------------------------------------------------------------------- */

/* Own writes of the status are no reason to look again. */
static void on_hpa(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    str before = S(""), after = S("");
    if (was && now && raw_member(was->text, S("spec"), &before) && raw_member(now->text, S("spec"), &after) && str_eq(before, after) && str_eq(was->uid, now->uid))
        return;
    workqueue_add(c->queue, now ? now->key : was->key);
}

static void on_begin(struct controller *c, const struct resource *r UNUSED)
{
    object_cache_list_begin(&((struct hpas *)c->state)->cache);
}

static void on_event(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *meta = informer_event_meta(ev);
    if (meta)
        object_cache_saw(&((struct hpas *)c->state)->cache, ev->object, meta, ev->change == INFORMER_DELETED);
}

static void on_listed(struct controller *c, const struct resource *r UNUSED)
{
    object_cache_list_end(&((struct hpas *)c->state)->cache);
}

static void init(struct controller *c)
{
    struct hpas *all = c->state = xnew(struct hpas);
    all->period = c->opts->hpa_period_ns ? c->opts->hpa_period_ns : PERIOD_NS;
    object_cache_init(&all->cache);
    object_cache_subscribe(&all->cache, on_hpa, c);
}

static void fini(struct controller *c)
{
    struct hpas *all = c->state;
    map_foreach(e, &all->scalers)
    {
        struct scaler *s = e->value;
        hpa_history_fini(&s->history);
        free(s->uid);
        free(s->key);
        free(s);
    }
    map_fini(&all->scalers);
    object_cache_fini(&all->cache);
    free(all);
}

const struct controller_type controller_hpa = {
    .name = "horizontal-pod-autoscaler",
    .parallel = 8,
    .watches = {{.group = "autoscaling", .plural = "horizontalpodautoscalers", .begin = on_begin, .event = on_event, .synced = on_listed}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
