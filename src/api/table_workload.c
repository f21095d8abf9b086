/* Cells of workloads: deployments, stateful sets, jobs, cron jobs, revisions, autoscalers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table_cells.h"
#include "base/civil.h"

void table_replicas_ready(struct table_cell *c)
{
    table_put_text(c, arena_fmt(c->arena, "%lld/%lld", (long long)table_int_at(c->obj, S("status.readyReplicas")),
                                (long long)table_int_at(c->obj, S("spec.replicas"))));
}

/* "statefulset.apps/web": the owner that controls the revision. */
void table_controller_revision_controller(struct table_cell *c)
{
    const struct json *owners = table_list_at(c->obj, S("metadata.ownerReferences"));
    for (uint32_t i = 0; i < owners->len; i++) {
        const struct json *o = &owners->items[i];
        if (!json_get_bool(o, S("controller"), false))
            continue;
        str version = json_get_str(o, S("apiVersion")), group, kind = table_lower(c->arena, json_get_str(o, S("kind")));
        bool grouped = str_cut(&version, '/', &group);
        table_put_text(c, arena_fmt(c->arena, STR_FMT "%s" STR_FMT "/" STR_FMT, STR_ARG(kind), grouped ? "." : "",
                                    STR_ARG(grouped ? group : S("")), STR_ARG(json_get_str(o, S("name")))));
        return;
    }
    table_put_text(c, S("<none>"));
}

void table_cron_job_suspend(struct table_cell *c)
{
    const struct json *v = table_walk(c->obj, S("spec.suspend"));
    table_put_text(c, !json_is(v, JSON_BOOL) ? S("<unset>") : v->b ? S("True") : S("False"));
}

static bool job_is(const struct json *job, str condition)
{
    const struct json *found = table_condition(table_walk(job, S("status.conditions")), condition);
    return str_is(json_get_str(found, S("status")), "True");
}

void table_job_status(struct table_cell *c)
{
    str status = job_is(c->obj, S("Complete"))        ? S("Complete")
                 : job_is(c->obj, S("Failed"))        ? S("Failed")
                 : table_is_deleted(c->obj)           ? S("Terminating")
                 : job_is(c->obj, S("Suspended"))     ? S("Suspended")
                 : job_is(c->obj, S("FailureTarget")) ? S("FailureTarget")
                                                      : S("Running");
    table_put_text(c, status);
}

void table_job_completions(struct table_cell *c)
{
    long long done = table_int_at(c->obj, S("status.succeeded")), parallel = table_int_at(c->obj, S("spec.parallelism"));
    if (table_walk(c->obj, S("spec.completions")))
        table_put_text(c, arena_fmt(c->arena, "%lld/%lld", done, (long long)table_int_at(c->obj, S("spec.completions"))));
    else if (parallel > 1)
        table_put_text(c, arena_fmt(c->arena, "%lld/1 of %lld", done, parallel));
    else
        table_put_text(c, arena_fmt(c->arena, "%lld/1", done));
}

void table_job_duration(struct table_cell *c)
{
    nsec_t start = table_time(table_walk(c->obj, S("status.startTime")));
    nsec_t end = table_time(table_walk(c->obj, S("status.completionTime")));
    char text[24] = "";
    if (start)
        civil_human_duration((end ? end : c->now) - start, text);
    table_put_text(c, str_of(text));
}

/* --- autoscalers ---------------------------------------------------------------------------------------- */

/* Where the numbers of a metric stand, by its type. */
static const struct metric_source {
    str type, member;
    bool named;   /* "cpu: " before the values */
    bool average; /* the target is always an average, and not marked "(avg)" */
} metric_sources[] = {
    {STR_INIT("External"), STR_INIT("external"), false, false},
    {STR_INIT("Pods"), STR_INIT("pods"), false, true},
    {STR_INIT("Object"), STR_INIT("object"), false, false},
    {STR_INIT("Resource"), STR_INIT("resource"), true, true},
    {STR_INIT("ContainerResource"), STR_INIT("containerResource"), true, true},
};

static str percent(struct arena *a, str number, str otherwise)
{
    return number.len ? arena_cat(a, number, S("%")) : otherwise;
}

static str or_unknown(str s)
{
    return s.len ? s : S("<unknown>");
}

static str metric_text(struct arena *a, const struct json *spec, const struct json *status)
{
    size_t i = 0;
    while (i < ARRAY_LEN(metric_sources) && !str_eq(metric_sources[i].type, json_get_str(spec, S("type"))))
        i++;
    if (i == ARRAY_LEN(metric_sources))
        return S("<unknown type>");
    const struct metric_source *m = &metric_sources[i];
    const struct json *source = json_get(spec, m->member), *now = json_get(json_get(status, m->member), S("current"));
    const struct json *target = json_get(source, S("target"));
    bool averages = json_get(target, S("averageValue")) != NULL;
    str current, wanted;
    if (m->named && !averages) {
        current = percent(a, json_str(json_get(now, S("averageUtilization"))), S("<unknown>"));
        wanted = percent(a, json_str(json_get(target, S("averageUtilization"))), S("<auto>"));
    } else {
        str key = averages || m->average ? S("averageValue") : S("value");
        current = or_unknown(json_str(json_get(now, key)));
        wanted = json_str(json_get(target, key));
    }
    str name = m->named ? arena_cat(a, json_get_str(source, S("name")), S(": ")) : S("");
    return arena_fmt(a, STR_FMT STR_FMT "/" STR_FMT "%s", STR_ARG(name), STR_ARG(current), STR_ARG(wanted),
                     averages && !m->average ? " (avg)" : "");
}

void table_hpa_targets(struct table_cell *c)
{
    enum { SHOWN = 2 };
    const struct json *specs = table_list_at(c->obj, S("spec.metrics"));
    const struct json *statuses = table_list_at(c->obj, S("status.currentMetrics"));
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < specs->len && i < SHOWN; i++)
        table_add_item(&b, ", ", metric_text(c->arena, &specs->items[i], i < statuses->len ? &statuses->items[i] : NULL));
    if (specs->len > SHOWN)
        table_add_more(&b, specs->len - SHOWN);
    /* autoscaling/v1 knows only the processor. */
    str cpu = table_text_at(c->obj, S("spec.targetCPUUtilizationPercentage"));
    if (!specs->len && cpu.len) {
        str now = percent(c->arena, table_text_at(c->obj, S("status.currentCPUUtilizationPercentage")), S("<unknown>"));
        strbuf_addf(&b, "cpu: " STR_FMT "/" STR_FMT "%%", STR_ARG(now), STR_ARG(cpu));
    }
    table_put_text(c, b.len ? strbuf_str(&b) : S("<none>"));
}
