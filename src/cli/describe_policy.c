/* describe_policy.c - namespaces, quotas, limits, config maps, secrets, accounts, roles, priorities, budgets, autoscalers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/access.h"
#include "cli/describe.h"
#include "wire/base64.h"

/* --- quotas, limits ------------------------------------------------------------------------------------------------------------------------- */

static const char *scope_help(str scope)
{
    static const struct {
        const char *scope, *help;
    } texts[] = {
        {"Terminating",
         "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."},
        {"NotTerminating",
         "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."},
        {"BestEffort",
         "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."},
        {"NotBestEffort",
         "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (str_is(scope, texts[i].scope))
            return texts[i].help;
    }
    return NULL;
}

static void quota_body(struct describe *d, const struct json *quota, int level, const char *bullet, const char *rule)
{
    const struct json *scopes = describe_list(quota, "spec.scopes"), *hard = describe_value(quota, "status.hard"),
                      *used = describe_value(quota, "status.used");
    if (scopes->len) {
        str *names = arena_array(d->arena, scopes->len, str);
        for (size_t i = 0; i < scopes->len; i++)
            names[i] = json_str(&scopes->items[i]);
        qsort(names, scopes->len, sizeof *names, str_cmp_void);
        describe_line(d, level, "Scopes:\t");
        for (size_t i = 0; i < scopes->len; i++)
            describe_line(d, 0, "%s" STR_FMT, i ? ", " : "", STR_ARG(names[i]));
        describe_line(d, 0, "\n");
        for (size_t i = 0; i < scopes->len; i++) {
            if (scope_help(names[i]))
                describe_line(d, level, "%s %s\n", bullet, scope_help(names[i]));
        }
    }
    describe_line(d, level, "Resource\tUsed\tHard\n");
    describe_line(d, level, "--------\t%s\t%s\n", rule, rule);
    const struct json_member **m = json_is(hard, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, hard) : NULL;
    for (size_t i = 0; m && i < hard->len; i++)
        describe_line(d, level, STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(m[i]->key),
                      STR_ARG(describe_or(json_get_str(used, m[i]->key), "0")), STR_ARG(json_str(&m[i]->value)));
}

static void quota_section(struct describe *d)
{
    struct json object = d->object;
    quota_body(d, &object, 0, " *", "----");
}

void describe_quotas(struct describe *d, const struct json *list)
{
    struct json sorted = describe_sorted(d, list, "metadata.name");
    if (!sorted.len) {
        describe_line(d, 0, "No resource quota.\n");
        return;
    }
    describe_line(d, 0, "Resource Quotas\n");
    for (size_t i = 0; i < sorted.len; i++) {
        describe_line(d, 1, "Name:\t" STR_FMT "\n", STR_ARG(table_text_at(&sorted.items[i], S("metadata.name"))));
        quota_body(d, &sorted.items[i], 1, "*", "---");
    }
}

/* One line for each resource that any of the five maps names. */
void describe_limits(struct describe *d, const struct json *spec, const char *prefix)
{
    static const char *const maps[] = {"min", "max", "defaultRequest", "default", "maxLimitRequestRatio"};
    const struct json *limits = describe_list(spec, "limits");
    for (size_t i = 0; i < limits->len; i++) {
        const struct json *item = &limits->items[i];
        struct json all = json_object();
        for (size_t k = 0; k < ARRAY_LEN(maps); k++) {
            const struct json *map = json_get(item, str_of(maps[k]));
            for (size_t n = 0; json_is(map, JSON_OBJECT) && n < map->len; n++)
                json_set(d->arena, &all, map->members[n].key, json_null());
        }
        const struct json_member **m = jsonpath_sorted_members(d->arena, &all);
        for (size_t n = 0; n < all.len; n++) {
            describe_line(d, 0, "%s" STR_FMT "\t" STR_FMT, prefix, STR_ARG(json_get_str(item, S("type"))), STR_ARG(m[n]->key));
            for (size_t k = 0; k < ARRAY_LEN(maps); k++)
                describe_line(d, 0, "\t" STR_FMT,
                              STR_ARG(describe_or(json_get_str(json_get(item, str_of(maps[k])), m[n]->key), "-")));
            describe_line(d, 0, "\n");
        }
    }
}

static void limits_section(struct describe *d)
{
    describe_line(d, 0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n");
    describe_line(d, 0, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n");
    describe_limits(d, json_get(&d->object, S("spec")), "");
}

static const struct describe_row quota_rows[] = {ROWS_NAME, ROWS_NAMESPACE, {.fn = quota_section}, {0}};
static const struct describe_row limits_rows[] = {ROWS_NAME, ROWS_NAMESPACE, {.fn = limits_section}, {0}};

/* --- namespaces --------------------------------------------------------------------------------------------------------------------------------- */

static void namespace_conditions(struct describe *d)
{
    static const struct describe_column columns[] = {{"Type", "type", false, ""},
                                                     {"Status", "status", false, ""},
                                                     {"LastTransitionTime", "lastTransitionTime", true, ""},
                                                     {"Reason", "reason", false, ""},
                                                     {"Message", "message", false, ""}};
    const struct json *list = describe_list(&d->object, "status.conditions");
    if (!list->len)
        return;
    describe_line(d, 0, "Conditions:\n");
    describe_table(d, 1, list, columns, ARRAY_LEN(columns));
}

static void namespace_limits(struct describe *d)
{
    str quotas = arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/resourcequotas", STR_ARG(d->name)),
        path = arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/limitranges", STR_ARG(d->name));
    describe_line(d, 0, "\n");
    describe_quotas(d, describe_fetch(d, quotas.p, NULL, NULL));
    const struct json *limits = describe_fetch(d, path.p, NULL, NULL);
    describe_line(d, 0, "\n");
    if (!limits->len) {
        describe_line(d, 0, "No LimitRange resource.\n");
        return;
    }
    describe_line(d, 0, "Resource Limits\n Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n");
    describe_line(d, 0, " ----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n");
    for (size_t i = 0; i < limits->len; i++)
        describe_limits(d, json_get(&limits->items[i], S("spec")), " ");
}

static const struct describe_row namespace_rows[] = {
    ROWS_NAME, ROWS_MARKS, {.label = "Status", .path = "status.phase"}, {.fn = namespace_conditions}, {.fn = namespace_limits},
    {0}};

/* --- config maps, secrets ------------------------------------------------------------------------------------------------------------------------- */

static size_t decoded_length(struct describe *d, const struct json *v)
{
    str bytes;
    return base64_decode(d->arena, BASE64_STD, json_str(v), &bytes, NULL) < 0 ? 0 : bytes.len;
}

static void config_map_data(struct describe *d)
{
    const struct json *data = describe_value(&d->object, "data"), *binary = describe_value(&d->object, "binaryData");
    const struct json_member **m = json_is(data, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, data) : NULL;
    describe_line(d, 0, "\nData\n====\n");
    for (size_t i = 0; m && i < data->len; i++)
        describe_line(d, 0, STR_FMT ":\n----\n" STR_FMT "\n\n", STR_ARG(m[i]->key), STR_ARG(json_str(&m[i]->value)));
    describe_line(d, 0, "\nBinaryData\n====\n");
    m = json_is(binary, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, binary) : NULL;
    for (size_t i = 0; m && i < binary->len; i++)
        describe_line(d, 0, STR_FMT ": %zu bytes\n", STR_ARG(m[i]->key), decoded_length(d, &m[i]->value));
    describe_line(d, 0, "\n");
}

static void secret_data(struct describe *d)
{
    const struct json *data = describe_value(&d->object, "data");
    const struct json_member **m = json_is(data, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, data) : NULL;
    bool is_token = str_is(describe_text(d, "type"), "kubernetes.io/service-account-token");
    describe_line(d, 0, "\nType:\t" STR_FMT "\n", STR_ARG(describe_text(d, "type")));
    describe_line(d, 0, "\nData\n====\n");
    for (size_t i = 0; m && i < data->len; i++) {
        str bytes = S("");
        if (is_token && str_is(m[i]->key, "token") &&
            base64_decode(d->arena, BASE64_STD, json_str(&m[i]->value), &bytes, NULL) == 0)
            describe_line(d, 0, STR_FMT ":\t" STR_FMT "\n", STR_ARG(m[i]->key), STR_ARG(bytes));
        else
            describe_line(d, 0, STR_FMT ":\t%zu bytes\n", STR_ARG(m[i]->key), decoded_length(d, &m[i]->value));
    }
}

static const struct describe_row config_map_rows[] = {ROWS_HEAD, {.fn = config_map_data}, ROWS_EVENTS, {0}};
static const struct describe_row secret_rows[] = {ROWS_HEAD, {.fn = secret_data}, {0}};

/* --- service accounts -------------------------------------------------------------------------------------------------------------------------------- */

static bool has_name(const struct json *list, str name)
{
    for (size_t i = 0; i < list->len; i++) {
        if (str_eq(table_text_at(&list->items[i], S("metadata.name")), name))
            return true;
    }
    return false;
}

static void account_secrets(struct describe *d, const char *header, const struct json *names, const char *path,
                            const struct json *existing)
{
    if (!names->len)
        describe_line(d, 0, "%s\t<none>\n", header);
    for (size_t i = 0; i < names->len; i++) {
        str name = table_text_at(&names->items[i], str_of(path));
        describe_line(d, 0, "%s\t" STR_FMT "%s\n", i ? "                   " : header, STR_ARG(name),
                      has_name(existing, name) ? "" : " (not found)");
    }
}

static void account_body(struct describe *d)
{
    str path = arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/secrets", STR_ARG(d->ns));
    const struct json *secrets = describe_fetch(d, path.p, NULL, NULL);
    struct json tokens = json_array();
    for (size_t i = 0; i < secrets->len; i++) {
        const struct json *s = &secrets->items[i], *a = describe_value(s, "metadata.annotations");
        if (str_is(table_text_at(s, S("type")), "kubernetes.io/service-account-token") &&
            str_eq(json_get_str(a, S("kubernetes.io/service-account.name")), d->name) &&
            str_eq(json_get_str(a, S("kubernetes.io/service-account.uid")), describe_text(d, "metadata.uid")))
            json_push(d->arena, &tokens, *s);
    }
    account_secrets(d, "Image pull secrets:", describe_list(&d->object, "imagePullSecrets"), "name", secrets);
    account_secrets(d, "Mountable secrets: ", describe_list(&d->object, "secrets"), "name", secrets);
    account_secrets(d, "Tokens:            ", &tokens, "metadata.name", secrets);
}

static const struct describe_row account_rows[] = {ROWS_HEAD, {.fn = account_body}, ROWS_EVENTS, {0}};

/* --- RBAC --------------------------------------------------------------------------------------------------------------------------------------------- */

static void role_rules(struct describe *d)
{
    struct access_list l = {.arena = d->arena};
    access_add_rules(&l, describe_value(&d->object, "rules"));
    describe_line(d, 0, "PolicyRule:\n");
    describe_line(d, 1, "Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
    describe_line(d, 1, "---------\t-----------------\t--------------\t-----\n");
    access_write(&l, &d->tabs.text, "  ");
    access_fini(&l);
}

static void binding_body(struct describe *d)
{
    static const struct describe_column columns[] = {
        {"Kind", "kind", false, ""}, {"Name", "name", false, ""}, {"Namespace", "namespace", false, ""}};
    describe_line(d, 0, "Role:\n");
    describe_line(d, 1, "Kind:\t" STR_FMT "\n", STR_ARG(describe_text(d, "roleRef.kind")));
    describe_line(d, 1, "Name:\t" STR_FMT "\n", STR_ARG(describe_text(d, "roleRef.name")));
    describe_line(d, 0, "Subjects:\n");
    describe_table(d, 1, describe_list(&d->object, "subjects"), columns, ARRAY_LEN(columns));
}

static const struct describe_row role_rows[] = {ROWS_NAME, ROWS_MARKS, {.fn = role_rules}, {0}};
static const struct describe_row binding_rows[] = {ROWS_NAME, ROWS_MARKS, {.fn = binding_body}, {0}};

/* --- priorities, budgets ------------------------------------------------------------------------------------------------------------------------------- */

static const struct describe_row priority_rows[] = {
    ROWS_NAME,
    {.label = "Value", .path = "value", .kind = ROW_NUMBER},
    {.label = "GlobalDefault", .path = "globalDefault", .kind = ROW_FLAG},
    {.label = "PreemptionPolicy", .path = "preemptionPolicy"},
    {.label = "Description", .path = "description"},
    {.label = "Annotations", .path = "metadata.annotations", .kind = ROW_MAP_LINE},
    ROWS_EVENTS,
    {0},
};

static void budget_limits(struct describe *d)
{
    str least = describe_text(d, "spec.minAvailable"), most = describe_text(d, "spec.maxUnavailable");
    const struct json *selector = describe_value(&d->object, "spec.selector");
    if (least.len)
        describe_line(d, 0, "Min available:\t" STR_FMT "\n", STR_ARG(least));
    else if (most.len)
        describe_line(d, 0, "Max unavailable:\t" STR_FMT "\n", STR_ARG(most));
    describe_line(d, 0, "Selector:\t" STR_FMT "\n",
                  STR_ARG(selector ? describe_or(describe_selector(d->arena, selector), "<none>") : S("<unset>")));
}

static const struct describe_row budget_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.fn = budget_limits},
    {.label = "Status", .kind = ROW_HEAD},
    {.label = "Allowed disruptions", .path = "status.disruptionsAllowed", .kind = ROW_NUMBER, .level = 2},
    {.label = "Current", .path = "status.currentHealthy", .kind = ROW_NUMBER, .level = 2},
    {.label = "Desired", .path = "status.desiredHealthy", .kind = ROW_NUMBER, .level = 2},
    {.label = "Total", .path = "status.expectedPods", .kind = ROW_NUMBER, .level = 2},
    ROWS_EVENTS,
    {0},
};

/* --- autoscalers ----------------------------------------------------------------------------------------------------------------------------------------- */

/* What a kind of metric is called, and where its numbers are. */
static const char *const metric_fields[] = {"resource", "containerResource", "pods", "object", "external"};

static const struct json *metric_part(const struct json *metric, const char **ret_field)
{
    for (size_t i = 0; i < ARRAY_LEN(metric_fields); i++) {
        const struct json *v = json_get(metric, str_of(metric_fields[i]));
        if (v) {
            *ret_field = metric_fields[i];
            return v;
        }
    }
    return NULL;
}

static void metric_title(struct describe *d, const char *field, const struct json *part)
{
    str name = strstr(field, "esource") ? json_get_str(part, S("name")) : table_text_at(part, S("metric.name"));
    if (strcmp(field, "resource") == 0)
        describe_line(d, 1, "resource " STR_FMT " on pods", STR_ARG(name));
    else if (strcmp(field, "containerResource") == 0)
        describe_line(d, 1, "resource " STR_FMT " of container \"" STR_FMT "\" on pods", STR_ARG(name),
                      STR_ARG(json_get_str(part, S("container"))));
    else if (strcmp(field, "pods") == 0)
        describe_line(d, 1, "\"" STR_FMT "\" on pods", STR_ARG(name));
    else if (strcmp(field, "object") == 0)
        describe_line(d, 1, "\"" STR_FMT "\" on " STR_FMT "/" STR_FMT " ", STR_ARG(name),
                      STR_ARG(table_text_at(part, S("describedObject.kind"))),
                      STR_ARG(table_text_at(part, S("describedObject.name"))));
    else
        describe_line(d, 1, "\"" STR_FMT "\" ", STR_ARG(name));
}

static void metric_line(struct describe *d, const struct json *metric, const struct json *now)
{
    const char *field = "";
    const struct json *part = metric_part(metric, &field), *current = json_get(json_get(now, str_of(field)), S("current")),
                      *target = json_get(part, S("target"));
    if (!part) {
        describe_line(d, 1, "<unknown metric type \"" STR_FMT "\">\n", STR_ARG(json_get_str(metric, S("type"))));
        return;
    }
    bool is_resource = strstr(field, "esource") != NULL, by_average = json_get(target, S("averageValue")) != NULL;
    metric_title(d, field, part);
    if (is_resource && !by_average) {
        str percent = json_str(json_get(target, S("averageUtilization"))),
            seen = json_str(json_get(current, S("averageUtilization")));
        describe_line(d, 1, "(as a percentage of request):\t");
        if (seen.len)
            describe_line(d, 0, STR_FMT "%% (" STR_FMT ")", STR_ARG(seen), STR_ARG(json_get_str(current, S("averageValue"))));
        else
            describe_line(d, 0, "<unknown>");
        describe_line(d, 0, " / " STR_FMT "%s\n", STR_ARG(describe_or(percent, "<auto>")), percent.len ? "%" : "");
        return;
    }
    bool is_plain = is_resource || strcmp(field, "pods") == 0;
    str value = by_average ? S("averageValue") : S("value");
    describe_line(d, 0, "%s:\t" STR_FMT " / " STR_FMT "\n",
                  is_plain     ? ""
                  : by_average ? "(target average value)"
                               : "(target value)",
                  STR_ARG(describe_or(json_get_str(current, value), "<unknown>")), STR_ARG(json_get_str(target, value)));
}

static void scaler_metrics(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "spec.metrics"),
                      *now = describe_list(&d->object, "status.currentMetrics");
    describe_line(d, 0, "Reference:\t" STR_FMT "/" STR_FMT "\n", STR_ARG(describe_text(d, "spec.scaleTargetRef.kind")),
                  STR_ARG(describe_text(d, "spec.scaleTargetRef.name")));
    describe_line(d, 0, "Metrics:\t( current / target )\n");
    for (size_t i = 0; i < list->len; i++)
        metric_line(d, &list->items[i], i < now->len ? &now->items[i] : NULL);
}

static void scaling_rules(struct describe *d, const char *title, const struct json *rules)
{
    const struct json *window = json_get(rules, S("stabilizationWindowSeconds")), *policies = describe_list(rules, "policies");
    if (!rules)
        return;
    describe_line(d, 1, "%s:\n", title);
    if (window)
        describe_line(d, 2, "Stabilization Window: " STR_FMT " seconds\n", STR_ARG(json_str(window)));
    if (!policies->len)
        return;
    describe_line(d, 2, "Select Policy: " STR_FMT "\n", STR_ARG(describe_or(json_get_str(rules, S("selectPolicy")), "Max")));
    describe_line(d, 2, "Policies:\n");
    for (size_t i = 0; i < policies->len; i++)
        describe_line(d, 3, "- Type: " STR_FMT "\tValue: " STR_FMT "\tPeriod: " STR_FMT " seconds\n",
                      STR_ARG(json_get_str(&policies->items[i], S("type"))),
                      STR_ARG(json_str(json_get(&policies->items[i], S("value")))),
                      STR_ARG(json_str(json_get(&policies->items[i], S("periodSeconds")))));
}

static void scaler_state(struct describe *d)
{
    static const struct describe_column columns[] = {{"Type", "type", false, ""},
                                                     {"Status", "status", false, ""},
                                                     {"Reason", "reason", false, ""},
                                                     {"Message", "message", false, ""}};
    const struct json *behavior = describe_value(&d->object, "spec.behavior"),
                      *conditions = describe_list(&d->object, "status.conditions");
    if (behavior) {
        describe_line(d, 0, "Behavior:\n");
        scaling_rules(d, "Scale Up", json_get(behavior, S("scaleUp")));
        scaling_rules(d, "Scale Down", json_get(behavior, S("scaleDown")));
    }
    describe_line(d, 0, STR_FMT " pods:\t" STR_FMT " current / " STR_FMT " desired\n",
                  STR_ARG(describe_text(d, "spec.scaleTargetRef.kind")),
                  STR_ARG(describe_or(describe_text(d, "status.currentReplicas"), "0")),
                  STR_ARG(describe_or(describe_text(d, "status.desiredReplicas"), "0")));
    if (!conditions->len)
        return;
    describe_line(d, 0, "Conditions:\n");
    describe_table(d, 1, conditions, columns, ARRAY_LEN(columns));
}

static const struct describe_row scaler_rows[] = {
    ROWS_HEAD,
    ROWS_CREATED,
    {.fn = scaler_metrics},
    {.label = "Min replicas", .path = "spec.minReplicas", .kind = ROW_TEXT_OR_UNSET},
    {.label = "Max replicas", .path = "spec.maxReplicas", .kind = ROW_NUMBER},
    {.fn = scaler_state},
    ROWS_EVENTS,
    {0},
};

const struct describe_kind describe_policy_kinds[] = {
    {"", "Namespace", namespace_rows},
    {"", "ResourceQuota", quota_rows},
    {"", "LimitRange", limits_rows},
    {"", "ConfigMap", config_map_rows},
    {"", "Secret", secret_rows},
    {"", "ServiceAccount", account_rows},
    {"rbac.authorization.k8s.io", "Role", role_rows},
    {"rbac.authorization.k8s.io", "ClusterRole", role_rows},
    {"rbac.authorization.k8s.io", "RoleBinding", binding_rows},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", binding_rows},
    {"scheduling.k8s.io", "PriorityClass", priority_rows},
    {"policy", "PodDisruptionBudget", budget_rows},
    {"autoscaling", "HorizontalPodAutoscaler", scaler_rows},
    {0},
};
