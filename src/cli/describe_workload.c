/* describe_workload.c - deployments, replica sets, stateful sets, daemon sets, jobs, cron jobs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "cli/describe.h"

/* --- what they share -------------------------------------------------------------------------------------------------------------------- */

static void add_template(struct describe *d)
{
    struct json object = d->object;
    describe_pod_template(d, describe_value(&object, "spec.template"));
}

static bool is_controlled_by(const struct json *obj, str uid)
{
    const struct json *owners = describe_list(obj, "metadata.ownerReferences");
    for (size_t i = 0; i < owners->len; i++) {
        if (json_get_bool(&owners->items[i], S("controller"), false))
            return str_eq(json_get_str(&owners->items[i], S("uid")), uid);
    }
    return false;
}

/* Objects that the selector finds and that this one controls. */
static const struct json *selected(struct describe *d, const char *collection)
{
    const struct json *own = describe_value(&d->object, "spec.selector");
    struct strbuf plain = strbuf_on(d->arena);
    str selector = describe_selector(d->arena, own),
        path = arena_fmt(d->arena, "%s/namespaces/" STR_FMT "/%s", strcmp(collection, "pods") == 0 ? "/api/v1" : "/apis/apps/v1",
                         STR_ARG(d->ns), collection);
    if (str_is(describe_text(d, "kind"), "ReplicationController")) {
        print_labels(d->arena, &plain, own);
        selector = strbuf_str(&plain);
    }
    return describe_fetch(d, path.p, "labelSelector", selector.p);
}

static void pods_status(struct describe *d)
{
    static const char *const phases[] = {"Running", "Pending", "Succeeded", "Failed"};
    int64_t counts[ARRAY_LEN(phases)] = {0};
    const struct json *pods = selected(d, "pods");
    str uid = describe_text(d, "metadata.uid");
    for (size_t i = 0; i < pods->len; i++) {
        str phase = table_text_at(&pods->items[i], S("status.phase"));
        for (size_t k = 0; k < ARRAY_LEN(phases); k++)
            counts[k] += str_is(phase, phases[k]) && is_controlled_by(&pods->items[i], uid);
    }
    describe_line(d, 0, "Pods Status:\t%lld Running / %lld Waiting / %lld Succeeded / %lld Failed\n", (long long)counts[0],
                  (long long)counts[1], (long long)counts[2], (long long)counts[3]);
}

static void conditions(struct describe *d)
{
    static const struct describe_column columns[] = {
        {"Type", "type", false, " "}, {"Status", "status", false, ""}, {"Reason", "reason", false, ""}};
    const struct json *list = describe_list(&d->object, "status.conditions");
    if (!list->len)
        return;
    describe_line(d, 0, "Conditions:\n");
    describe_table(d, 1, list, columns, ARRAY_LEN(columns));
}

static long long number(struct describe *d, const char *path)
{
    return (long long)table_int_at(&d->object, str_of(path));
}

/* --- deployment ---------------------------------------------------------------------------------------------------------------------------- */

static void deployment_replicas(struct describe *d)
{
    describe_line(d, 0, "Replicas:\t%lld desired | %lld updated | %lld total | %lld available | %lld unavailable\n",
                  number(d, "spec.replicas"), number(d, "status.updatedReplicas"), number(d, "status.replicas"),
                  number(d, "status.availableReplicas"), number(d, "status.unavailableReplicas"));
}

static void deployment_rolling(struct describe *d)
{
    if (describe_value(&d->object, "spec.strategy.rollingUpdate"))
        describe_line(d, 0, "RollingUpdateStrategy:\t" STR_FMT " max unavailable, " STR_FMT " max surge\n",
                      STR_ARG(describe_text(d, "spec.strategy.rollingUpdate.maxUnavailable")),
                      STR_ARG(describe_text(d, "spec.strategy.rollingUpdate.maxSurge")));
}

/* A replica set is the newest when its template is the deployment's, but for the hash that tells sets apart. */
static bool has_template(struct describe *d, const struct json *rs, const struct json *template)
{
    struct json copy = json_copy(d->arena, describe_value(rs, "spec.template"));
    struct json *labels = json_get(json_get(&copy, S("metadata")), S("labels"));
    if (labels)
        json_del(labels, S("pod-template-hash"));
    return json_equal(&copy, template);
}

static void add_set(struct strbuf *b, const struct json *rs)
{
    strbuf_addf(b, "%s" STR_FMT " (%lld/%lld replicas created)", b->len ? ", " : "",
                STR_ARG(table_text_at(rs, S("metadata.name"))), (long long)table_int_at(rs, S("status.replicas")),
                (long long)table_int_at(rs, S("spec.replicas")));
}

static void deployment_sets(struct describe *d)
{
    const struct json *template = describe_value(&d->object, "spec.template");
    struct json sets = describe_sorted(d, selected(d, "replicasets"), "metadata.creationTimestamp");
    struct strbuf old = strbuf_on(d->arena), new = strbuf_on(d->arena);
    str uid = describe_text(d, "metadata.uid");
    for (size_t i = 0; i < sets.len; i++) {
        if (!is_controlled_by(&sets.items[i], uid))
            continue;
        if (!new.len && has_template(d, &sets.items[i], template))
            add_set(&new, &sets.items[i]);
        else
            add_set(&old, &sets.items[i]);
    }
    if (!old.len && !new.len)
        return;
    describe_line(d, 0, "OldReplicaSets:\t%s\n", old.len ? strbuf_cstr(&old) : "<none>");
    describe_line(d, 0, "NewReplicaSet:\t%s\n", new.len ? strbuf_cstr(&new) : "<none>");
}

static const struct describe_row deployment_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    ROWS_CREATED,
    ROWS_MARKS,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_SELECTOR},
    {.fn = deployment_replicas},
    {.label = "StrategyType", .path = "spec.strategy.type"},
    {.label = "MinReadySeconds", .path = "spec.minReadySeconds", .kind = ROW_NUMBER},
    {.fn = deployment_rolling},
    {.fn = add_template},
    {.fn = conditions},
    {.fn = deployment_sets},
    ROWS_EVENTS,
    {0},
};

/* --- sets ------------------------------------------------------------------------------------------------------------------------------------- */

static void set_replicas(struct describe *d)
{
    describe_line(d, 0, "Replicas:\t%lld current / %lld desired\n", number(d, "status.replicas"), number(d, "spec.replicas"));
}

static const struct describe_row replica_set_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_SELECTOR_OR_NONE},
    ROWS_MARKS,
    {.fn = describe_controlled_by},
    {.fn = set_replicas},
    {.fn = pods_status},
    {.fn = add_template},
    {.fn = conditions},
    ROWS_EVENTS,
    {0},
};
static const struct describe_row controller_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_MAP_LINE},
    ROWS_MARKS,
    {.fn = set_replicas},
    {.fn = pods_status},
    {.fn = add_template},
    {.fn = conditions},
    ROWS_EVENTS,
    {0},
};

static void stateful_replicas(struct describe *d)
{
    describe_line(d, 0, "Replicas:\t%lld desired | %lld total\n", number(d, "spec.replicas"), number(d, "status.replicas"));
}

static void stateful_rolling(struct describe *d)
{
    if (!describe_value(&d->object, "spec.updateStrategy.rollingUpdate.partition"))
        return;
    describe_line(d, 1, "Partition:\t" STR_FMT "\n", STR_ARG(describe_text(d, "spec.updateStrategy.rollingUpdate.partition")));
    if (describe_value(&d->object, "spec.updateStrategy.rollingUpdate.maxUnavailable"))
        describe_line(d, 1, "MaxUnavailable:\t" STR_FMT "\n",
                      STR_ARG(describe_text(d, "spec.updateStrategy.rollingUpdate.maxUnavailable")));
}

static void stateful_claims(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "spec.volumeClaimTemplates");
    describe_line(d, 0, "Volume Claims:%s\n", list->len ? "" : "\t<none>");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *c = &list->items[i];
        struct strbuf modes = strbuf_on(d->arena);
        describe_go_list(&modes, describe_list(c, "spec.accessModes"));
        describe_line(d, 1, "Name:\t" STR_FMT "\n", STR_ARG(table_text_at(c, S("metadata.name"))));
        describe_line(d, 1, "StorageClass:\t" STR_FMT "\n", STR_ARG(table_text_at(c, S("spec.storageClassName"))));
        describe_map(d, "  ", "Labels", describe_value(c, "metadata.labels"));
        describe_map(d, "  ", "Annotations", describe_value(c, "metadata.annotations"));
        describe_line(d, 1, "Capacity:\t" STR_FMT "\n",
                      STR_ARG(describe_or(table_text_at(c, S("spec.resources.requests.storage")), "<default>")));
        describe_line(d, 1, "Access Modes:\t%s\n", strbuf_cstr(&modes));
    }
}

static const struct describe_row stateful_set_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    ROWS_CREATED,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_SELECTOR},
    ROWS_MARKS,
    {.fn = stateful_replicas},
    {.label = "Update Strategy", .path = "spec.updateStrategy.type"},
    {.fn = stateful_rolling},
    {.fn = pods_status},
    {.fn = add_template},
    {.fn = stateful_claims},
    ROWS_EVENTS,
    {0},
};

static void daemon_counts(struct describe *d)
{
    static const struct {
        const char *label, *path;
    } lines[] = {{"Desired Number of Nodes Scheduled", "status.desiredNumberScheduled"},
                 {"Current Number of Nodes Scheduled", "status.currentNumberScheduled"},
                 {"Number of Nodes Scheduled with Up-to-date Pods", "status.updatedNumberScheduled"},
                 {"Number of Nodes Scheduled with Available Pods", "status.numberAvailable"},
                 {"Number of Nodes Misscheduled", "status.numberMisscheduled"}};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        describe_line(d, 0, "%s: %lld\n", lines[i].label, number(d, lines[i].path));
}

static const struct describe_row daemon_set_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_SELECTOR},
    {.label = "Node-Selector", .path = "spec.template.spec.nodeSelector", .kind = ROW_MAP_LINE},
    ROWS_MARKS,
    {.fn = daemon_counts},
    {.fn = pods_status},
    {.fn = add_template},
    ROWS_EVENTS,
    {0},
};

/* --- jobs ------------------------------------------------------------------------------------------------------------------------------------- */

static void job_duration(struct describe *d)
{
    nsec_t start, end;
    char text[24];
    if (!civil_parse(describe_text(d, "status.startTime"), &start) ||
        !civil_parse(describe_text(d, "status.completionTime"), &end))
        return;
    civil_human_duration(end - start, text);
    describe_line(d, 0, "Duration:\t%s\n", text);
}

static void job_statuses(struct describe *d)
{
    const struct json *ready = describe_value(&d->object, "status.ready");
    describe_line(d, 0, "Pods Statuses:\t%lld Active", number(d, "status.active"));
    if (ready)
        describe_line(d, 0, " (" STR_FMT " Ready)", STR_ARG(json_str(ready)));
    describe_line(d, 0, " / %lld Succeeded / %lld Failed\n", number(d, "status.succeeded"), number(d, "status.failed"));
}

/* "0-3,5,7-9...": cut behind the first comma after 50 bytes. */
static void job_indexes(struct describe *d)
{
    str list = describe_text(d, "status.completedIndexes");
    size_t end = MIN((size_t)50, list.len);
    if (!str_is(describe_text(d, "spec.completionMode"), "Indexed"))
        return;
    while (end < list.len && list.p[end] != ',')
        end++;
    describe_line(d, 0, "Completed Indexes:\t%.*s%s\n", (int)MIN(end + 1, list.len), list.len ? list.p : "",
                  end < list.len ? "..."
                  : list.len     ? ""
                                 : "<none>");
}

static const struct describe_row job_rows[] = {
    ROWS_NAME,
    ROWS_NAMESPACE,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_SELECTOR},
    ROWS_MARKS,
    {.fn = describe_controlled_by},
    {.label = "Parallelism", .path = "spec.parallelism", .kind = ROW_OPTIONAL},
    {.label = "Completions", .path = "spec.completions", .kind = ROW_TEXT_OR_UNSET},
    {.label = "Completion Mode", .path = "spec.completionMode", .kind = ROW_OPTIONAL},
    {.label = "Suspend", .path = "spec.suspend", .kind = ROW_OPTIONAL},
    {.label = "Backoff Limit", .path = "spec.backoffLimit", .kind = ROW_OPTIONAL},
    {.label = "TTL Seconds After Finished", .path = "spec.ttlSecondsAfterFinished", .kind = ROW_OPTIONAL},
    {.label = "Start Time", .path = "status.startTime", .kind = ROW_TIME_OPTIONAL},
    {.label = "Completed At", .path = "status.completionTime", .kind = ROW_TIME_OPTIONAL},
    {.fn = job_duration},
    {.label = "Active Deadline Seconds", .path = "spec.activeDeadlineSeconds", .kind = ROW_OPTIONAL, .arg = "s"},
    {.fn = job_statuses},
    {.fn = job_indexes},
    {.fn = add_template},
    ROWS_EVENTS,
    {0},
};

static void cron_template(struct describe *d)
{
    static const struct describe_row rows[] = {
        {.label = "Parallelism", .path = "spec.jobTemplate.spec.parallelism", .kind = ROW_TEXT_OR_UNSET},
        {.label = "Completions", .path = "spec.jobTemplate.spec.completions", .kind = ROW_TEXT_OR_UNSET},
        {.label = "Active Deadline Seconds",
         .path = "spec.jobTemplate.spec.activeDeadlineSeconds",
         .kind = ROW_OPTIONAL,
         .arg = "s"},
        {0},
    };
    const struct json *selector = describe_value(&d->object, "spec.jobTemplate.spec.selector");
    struct json object = d->object;
    describe_line(d, 0, "Selector:\t" STR_FMT "\n", STR_ARG(selector ? describe_selector(d->arena, selector) : S("<unset>")));
    describe_rows(d, rows);
    describe_pod_template(d, describe_value(&object, "spec.jobTemplate.spec.template"));
}

static void cron_deadline(struct describe *d)
{
    str seconds = describe_text(d, "spec.startingDeadlineSeconds");
    describe_line(d, 0, "Starting Deadline Seconds:\t" STR_FMT "%s\n", STR_ARG(describe_or(seconds, "<unset>")),
                  seconds.len ? "s" : "");
}

static void cron_active(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "status.active");
    describe_line(d, 0, "Active Jobs:\t%s", list->len ? "" : "<none>");
    for (size_t i = 0; i < list->len; i++)
        describe_line(d, 0, "%s" STR_FMT, i ? ", " : "", STR_ARG(json_get_str(&list->items[i], S("name"))));
    describe_line(d, 0, "\n");
}

static const struct describe_row cron_job_rows[] = {
    ROWS_HEAD,
    {.label = "Schedule", .path = "spec.schedule"},
    {.label = "Concurrency Policy", .path = "spec.concurrencyPolicy"},
    {.label = "Suspend", .path = "spec.suspend", .kind = ROW_FLAG_TITLE},
    {.label = "Successful Job History Limit", .path = "spec.successfulJobsHistoryLimit", .kind = ROW_TEXT_OR_UNSET},
    {.label = "Failed Job History Limit", .path = "spec.failedJobsHistoryLimit", .kind = ROW_TEXT_OR_UNSET},
    {.fn = cron_deadline},
    {.fn = cron_template},
    {.label = "Last Schedule Time", .path = "status.lastScheduleTime", .kind = ROW_TIME_OR_UNSET},
    {.fn = cron_active},
    ROWS_EVENTS,
    {0},
};

const struct describe_kind describe_workload_kinds[] = {
    {"apps", "Deployment", deployment_rows},
    {"apps", "ReplicaSet", replica_set_rows},
    {"apps", "StatefulSet", stateful_set_rows},
    {"apps", "DaemonSet", daemon_set_rows},
    {"", "ReplicationController", controller_rows},
    {"batch", "Job", job_rows},
    {"batch", "CronJob", cron_job_rows},
    {0},
};
