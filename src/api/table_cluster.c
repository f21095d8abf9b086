/* Cells of nodes, events, bindings, quotas and the cluster's own settings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"
#include "api/table_cells.h"
#include "base/civil.h"

void table_node_status(struct table_cell *c)
{
    const struct json *ready = table_condition(table_walk(c->obj, S("status.conditions")), S("Ready"));
    bool is_ready = str_is(json_get_str(ready, S("status")), "True");
    str status = !ready ? S("Unknown") : is_ready ? S("Ready") : S("NotReady");
    const struct json *closed = table_walk(c->obj, S("spec.unschedulable"));
    table_put_text(c, json_is(closed, JSON_BOOL) && closed->b ? arena_cat(c->arena, status, S(",SchedulingDisabled")) : status);
}

/* Labels node-role.kubernetes.io/ROLE and kubernetes.io/role=ROLE. */
void table_node_roles(struct table_cell *c)
{
    const str prefix = S("node-role.kubernetes.io/");
    const struct json *labels = table_walk(c->obj, S("metadata.labels"));
    size_t n = 0, max = json_is(labels, JSON_OBJECT) ? labels->len : 0;
    str *roles = arena_array(c->arena, max, str);
    for (size_t i = 0; i < max; i++) {
        str key = labels->members[i].key, role = S("");
        if (str_has_prefix(key, prefix))
            role = str_from(key, prefix.len);
        else if (str_is(key, "kubernetes.io/role"))
            role = json_str(&labels->members[i].value);
        if (role.len)
            roles[n++] = role;
    }
    str text = table_join_sorted(c->arena, roles, n);
    table_put_text(c, text.len ? text : S("<none>"));
}

void table_node_address(struct table_cell *c)
{
    const struct json *address = table_condition(table_walk(c->obj, S("status.addresses")), c->def->arg);
    table_put_text(c, address ? json_get_str(address, S("address")) : S("<none>"));
}

/* --- events, in their core and their events.k8s.io form ------------------------------------------------- */

/* The first of two members that is there: the core name and the newer one. */
static const struct json *either(const struct json *event, str core, str newer)
{
    const struct json *v = json_get(event, core);
    return v && v->type != JSON_NULL ? v : json_get(event, newer);
}

static nsec_t event_first(const struct json *e)
{
    nsec_t t = table_time(either(e, S("firstTimestamp"), S("deprecatedFirstTimestamp")));
    return t ? t : table_time(json_get(e, S("eventTime")));
}

void table_event_first_seen(struct table_cell *c)
{
    table_put_text(c, table_since(c, event_first(c->obj), S("<unknown>")));
}

void table_event_last_seen(struct table_cell *c)
{
    const struct json *series = json_get(c->obj, S("series"));
    nsec_t last = table_time(either(c->obj, S("lastTimestamp"), S("deprecatedLastTimestamp")));
    if (!last)
        last = event_first(c->obj);
    if (json_is(series, JSON_OBJECT))
        last = table_time(json_get(series, S("lastObservedTime")));
    table_put_text(c, table_since(c, last, S("<unknown>")));
}

void table_event_count(struct table_cell *c)
{
    const struct json *series = json_get(c->obj, S("series"));
    int64_t count = 0;
    if (json_is(series, JSON_OBJECT))
        count = json_get_int(series, S("count"), 0);
    else if (!json_to_i64(either(c->obj, S("count"), S("deprecatedCount")), &count) || !count)
        count = 1; /* the newer API leaves it out for an event that was seen once */
    table_put_int(c, count);
}

void table_event_message(struct table_cell *c)
{
    table_put_text(c, str_trim(json_str(either(c->obj, S("message"), S("note")))));
}

void table_event_object(struct table_cell *c)
{
    const struct json *target = either(c->obj, S("involvedObject"), S("regarding"));
    struct strbuf b = strbuf_on(c->arena);
    str name = json_get_str(target, S("name"));
    strbuf_add_str(&b, table_lower(c->arena, json_get_str(target, S("kind"))));
    if (name.len) {
        strbuf_add_char(&b, '/');
        strbuf_add_str(&b, name);
    }
    table_put_text(c, strbuf_str(&b));
}

void table_event_source(struct table_cell *c)
{
    const struct json *source = either(c->obj, S("source"), S("deprecatedSource"));
    str component = json_get_str(source, S("component")), host = json_get_str(source, S("host"));
    if (!component.len)
        component = json_str(either(c->obj, S("reportingComponent"), S("reportingController")));
    if (!host.len)
        host = json_get_str(c->obj, S("reportingInstance"));
    table_put_text(c, host.len ? arena_fmt(c->arena, STR_FMT ", " STR_FMT, STR_ARG(component), STR_ARG(host)) : component);
}

/* --- small kinds ------------------------------------------------------------------------------------------ */

void table_component_status(struct table_cell *c)
{
    const struct json *healthy = table_condition(json_get(c->obj, S("conditions")), S("Healthy"));
    str text = json_get_str(healthy, c->def->path);
    if (str_is(c->def->path, "status"))
        text = !healthy ? S("Unknown") : str_is(text, "True") ? S("Healthy") : S("Unhealthy");
    table_put_text(c, text);
}

void table_config_map_data(struct table_cell *c)
{
    const struct json *data = json_get(c->obj, S("data")), *binary = json_get(c->obj, S("binaryData"));
    table_put_int(c, (int64_t)(json_is(data, JSON_OBJECT) ? data->len : 0) + (json_is(binary, JSON_OBJECT) ? binary->len : 0));
}

/* "cpu: 1/2, pods: 3/10": arg "limits" shows resources named limits.*, "" the others. */
void table_quota(struct table_cell *c)
{
    const struct json *hard = table_walk(c->obj, S("status.hard")), *used = table_walk(c->obj, S("status.used"));
    size_t n = json_is(hard, JSON_OBJECT) ? hard->len : 0;
    const struct json_member **order = n ? jsonpath_sorted_members(c->arena, hard) : NULL;
    struct strbuf b = strbuf_on(c->arena);
    for (size_t i = 0; i < n; i++) {
        str name = order[i]->key, usage = json_get_str(used, name);
        if (str_has_prefix(name, S("limits.")) != (c->def->arg.len > 0))
            continue;
        table_add_item(&b, ", ", name);
        strbuf_addf(&b, ": " STR_FMT "/" STR_FMT, STR_ARG(usage.len ? usage : S("0")), STR_ARG(json_str(&order[i]->value)));
    }
    table_put_text(c, strbuf_str(&b));
}

/* Names of a binding's subjects of the kind in arg. */
void table_subjects(struct table_cell *c)
{
    const struct json *list = table_list_at(c->obj, S("subjects"));
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *s = &list->items[i];
        str name = json_get_str(s, S("name")), namespace = json_get_str(s, S("namespace"));
        if (!str_eq(json_get_str(s, S("kind")), c->def->arg))
            continue;
        bool account = str_is(c->def->arg, "ServiceAccount");
        table_add_item(&b, ", ", account ? arena_fmt(c->arena, STR_FMT "/" STR_FMT, STR_ARG(namespace), STR_ARG(name)) : name);
    }
    table_put_text(c, strbuf_str(&b));
}

void table_csr_duration(struct table_cell *c)
{
    int64_t seconds;
    char text[24];
    if (!json_to_i64(table_walk(c->obj, c->def->path), &seconds)) {
        table_put_text(c, c->def->arg);
        return;
    }
    civil_human_duration(seconds * NSEC_PER_SEC, text);
    table_put_text(c, str_of(text));
}

void table_csr_condition(struct table_cell *c)
{
    const struct json *conditions = table_walk(c->obj, S("status.conditions"));
    struct strbuf b = strbuf_on(c->arena);
    bool denied = table_condition(conditions, S("Denied")), approved = table_condition(conditions, S("Approved"));
    table_add_item(&b, ",", denied ? S("Denied") : approved ? S("Approved") : S("Pending"));
    if (table_condition(conditions, S("Failed")))
        table_add_item(&b, ",", S("Failed"));
    if (table_text_at(c->obj, S("status.certificate")).len)
        table_add_item(&b, ",", S("Issued"));
    table_put_text(c, strbuf_str(&b));
}

void table_param_kind(struct table_cell *c)
{
    const struct json *p = table_walk(c->obj, S("spec.paramKind"));
    str version = json_get_str(p, S("apiVersion")), kind = json_get_str(p, S("kind"));
    table_put_text(c, p ? arena_fmt(c->arena, STR_FMT "/" STR_FMT, STR_ARG(version), STR_ARG(kind)) : S("<unset>"));
}

/* "namespace/name"; "*" stands for a namespace that is not said. */
void table_param_ref(struct table_cell *c)
{
    const struct json *p = table_walk(c->obj, S("spec.paramRef"));
    str namespace = json_get_str(p, S("namespace")), name = json_get_str(p, S("name"));
    str where = namespace.len ? namespace : S("*");
    table_put_text(c, name.len ? arena_fmt(c->arena, STR_FMT "/" STR_FMT, STR_ARG(where), STR_ARG(name)) : S("<unset>"));
}

void table_missing_priority_level(struct table_cell *c)
{
    const struct json *dangling = table_condition(table_walk(c->obj, S("status.conditions")), S("Dangling"));
    table_put_text(c, dangling ? json_get_str(dangling, S("status")) : S("?"));
}
