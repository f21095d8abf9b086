/* validate_apps.c - workloads that keep pods from a template: selector and template, rollout settings, what may change. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/selector.h"
#include "api/validate_internal.h"

/* --- selector and template ------------------------------------------------------------------------------------------------ */

/* Without a selector nothing matches; an empty one matches all. */
static bool template_matches(struct vctx *c, const struct json *selector, const struct json *labels)
{
    struct selector s;
    if (!selector)
        return false;
    if (selector_from_label_selector(c->e->arena, selector, &s, NULL) < 0)
        return true; /* the selector's own errors say it */
    return selector_match_labels(&s, labels);
}

/* The usual selector, matchLabels alone, is compared without compiling it. */
static bool labels_cover(const struct json *wanted, const struct json *labels)
{
    if (v_len(wanted) > 32)
        return false;
    v_foreach_member (m, wanted) {
        const struct json *value = json_get(labels, m->key);
        if (!value || !str_eq(json_str(value), json_str(&m->value)))
            return false;
    }
    return true;
}

static void check_selector_matches(struct vctx *c, const struct vpath *p, const struct json *selector, const struct json *template)
{
    const struct json *labels = V_GET(V_GET(template, "metadata"), "labels");
    static const struct json empty = {.type = JSON_OBJECT};
    if (selector && !v_len(V_GET(selector, "matchExpressions")) && labels_cover(V_GET(selector, "matchLabels"), labels))
        return;
    if (!template_matches(c, selector, labels))
        v_invalid(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "metadata"), "labels"), labels ? labels : &empty,
                  "`selector` does not match template `labels`");
}

static void check_selector(struct vctx *c, const struct vpath *p, const struct json *spec, const char *kind)
{
    const struct json *selector = V_GET(spec, "selector");
    if (selector && v_len(V_GET(selector, "matchLabels")) + v_len(V_GET(selector, "matchExpressions")) == 0)
        v_invalid(c, V_FIELD(p, "selector"), selector, "empty selector is invalid for %s", kind);
}

static void check_template(struct vctx *c, const struct vpath *p, const struct json *spec, const char *kind)
{
    const struct json *pod = V_GET(V_GET(spec, "template"), "spec");
    const struct vpath *at = V_FIELD(V_FIELD(p, "template"), "spec");
    str policy = V_STR(pod, "restartPolicy");
    if (v_in(policy, "OnFailure|Never"))
        v_unsupported(c, V_FIELD(at, "restartPolicy"), policy, "Always");
    if (V_GET(pod, "activeDeadlineSeconds"))
        v_forbidden(c, V_FIELD(at, "activeDeadlineSeconds"), "activeDeadlineSeconds in %s is not Supported", kind);
    if (!V_GET(spec, "template"))
        v_required(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "spec"), "containers"), V_NO_DETAIL);
}

/* --- deployments, replica sets ------------------------------------------------------------------------------------------------ */

void v_deployment_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    v_nonnegative(c, p, spec, S("replicas"));
    check_selector(c, p, spec, "deployment");
    check_selector_matches(c, p, V_GET(spec, "selector"), V_GET(spec, "template"));
    check_template(c, p, spec, "ReplicaSet");
    v_nonnegative(c, p, spec, S("minReadySeconds"));
    v_nonnegative(c, p, spec, S("revisionHistoryLimit"));
    v_nonnegative(c, p, spec, S("progressDeadlineSeconds"));
    const struct json *deadline = V_GET(spec, "progressDeadlineSeconds");
    if (deadline && V_INT(spec, "progressDeadlineSeconds") <= V_INT(spec, "minReadySeconds"))
        v_invalid(c, V_FIELD(p, "progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds");
}

static void check_rolling_deployment(struct vctx *c, const struct vpath *p, const struct json *rolling)
{
    const struct json *unavailable = V_GET(rolling, "maxUnavailable"), *surge = V_GET(rolling, "maxSurge");
    bool percent;
    v_check_int_or_percent(c, V_FIELD(p, "maxUnavailable"), unavailable);
    v_check_int_or_percent(c, V_FIELD(p, "maxSurge"), surge);
    if (unavailable && surge && v_int_or_percent(unavailable, &percent) == 0 && v_int_or_percent(surge, &percent) == 0)
        v_invalid(c, V_FIELD(p, "maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0");
    v_at_most_100_percent(c, V_FIELD(p, "maxUnavailable"), unavailable);
}

void v_deployment_strategy(struct vctx *c, const struct vpath *p, const struct json *strategy)
{
    const struct json *rolling = V_GET(strategy, "rollingUpdate");
    str type = V_STR(strategy, "type");
    if (str_is(type, "Recreate") && rolling)
        v_forbidden(c, V_FIELD(p, "rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'");
    else if (rolling)
        check_rolling_deployment(c, V_FIELD(p, "rollingUpdate"), rolling);
}

void v_replica_set_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    v_nonnegative(c, p, spec, S("replicas"));
    v_nonnegative(c, p, spec, S("minReadySeconds"));
    check_selector(c, p, spec, "deployment");
    check_selector_matches(c, p, V_GET(spec, "selector"), V_GET(spec, "template"));
    check_template(c, p, spec, "ReplicaSet");
}

void v_replication_controller_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *selector = V_GET(spec, "selector"), *template = V_GET(spec, "template");
    v_nonnegative(c, p, spec, S("minReadySeconds"));
    v_nonnegative(c, p, spec, S("replicas"));
    if (v_len(selector) == 0)
        v_required(c, V_FIELD(p, "selector"), V_NO_DETAIL);
    if (!template) {
        v_required(c, V_FIELD(p, "template"), V_NO_DETAIL);
        return;
    }
    struct json wrapped = json_object();
    struct json_member member = {S("matchLabels"), selector ? *selector : json_object()};
    wrapped.members = &member;
    wrapped.len = 1;
    if (v_len(selector))
        check_selector_matches(c, p, &wrapped, template);
    check_template(c, p, spec, "ReplicationController");
}

/* --- stateful sets ---------------------------------------------------------------------------------------------------------------- */

void v_stateful_set_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *strategy = V_GET(spec, "updateStrategy"), *rolling = V_GET(strategy, "rollingUpdate");
    const struct vpath *at = V_FIELD(V_FIELD(p, "updateStrategy"), "rollingUpdate");
    const struct json *unavailable = V_GET(rolling, "maxUnavailable");
    bool percent;
    if (str_is(V_STR(strategy, "type"), "OnDelete") && rolling)
        v_invalid(c, at, rolling, "only allowed for updateStrategy 'RollingUpdate'");
    v_nonnegative(c, at, rolling, S("partition"));
    v_check_int_or_percent(c, V_FIELD(at, "maxUnavailable"), unavailable);
    if (unavailable && v_int_or_percent(unavailable, &percent) == 0)
        v_invalid(c, V_FIELD(at, "maxUnavailable"), unavailable, "cannot be 0");
    v_at_most_100_percent(c, V_FIELD(at, "maxUnavailable"), unavailable);
    v_nonnegative(c, p, spec, S("replicas"));
    v_nonnegative(c, p, spec, S("minReadySeconds"));
    v_nonnegative(c, V_FIELD(p, "ordinals"), V_GET(spec, "ordinals"), S("start"));
    if (!c->old)
        v_check_member(c, p, spec, S("serviceName"), validate_dns1123_label);
    check_selector(c, p, spec, "statefulset");
    check_selector_matches(c, p, V_GET(spec, "selector"), V_GET(spec, "template"));
    const struct json *meta = V_GET(V_GET(spec, "template"), "metadata");
    v_labels(c, V_FIELD(V_FIELD(p, "template"), "labels"), V_GET(meta, "labels"));
    v_annotations(c, V_FIELD(V_FIELD(p, "template"), "annotations"), V_GET(meta, "annotations"));
    check_template(c, p, spec, "StatefulSet");
}

#define STATEFUL_SET_UPDATABLE                                                                                                             \
    "replicas|ordinals|template|updateStrategy|revisionHistoryLimit|persistentVolumeClaimRetentionPolicy|minReadySeconds"

/* Claim templates get a status and defaults on the way in, and those are not the user's. */
static bool same_claims(const struct json *now, const struct json *before)
{
    if (v_len(now) != v_len(before))
        return false;
    for (size_t i = 0; i < v_len(now); i++) {
        if (!v_same_except(&schema_core_v1_PersistentVolumeClaim, &now->items[i], &before->items[i], "status|kind|apiVersion"))
            return false;
    }
    return true;
}

void v_stateful_set(struct vctx *c, const struct vpath *p UNUSED, const struct json *set)
{
    const struct json *spec = V_GET(set, "spec"), *old = V_GET(c->old, "spec");
    if (!c->old)
        return;
    if (!v_same_except(&schema_apps_v1_StatefulSetSpec, spec, old, STATEFUL_SET_UPDATABLE "|volumeClaimTemplates") ||
        !same_claims(V_GET(spec, "volumeClaimTemplates"), V_GET(old, "volumeClaimTemplates")))
        v_forbidden(
            c, V_FIELD(NULL, "spec"),
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
            "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

/* --- daemon sets -------------------------------------------------------------------------------------------------------------------- */

void v_daemon_set_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_selector_matches(c, p, V_GET(spec, "selector"), V_GET(spec, "template"));
    check_selector(c, p, spec, "daemonset");
    check_template(c, p, spec, "DaemonSet");
    v_nonnegative(c, p, spec, S("minReadySeconds"));
    v_nonnegative(c, p, spec, S("revisionHistoryLimit"));
}

void v_daemon_set_strategy(struct vctx *c, const struct vpath *p, const struct json *strategy)
{
    const struct json *rolling = V_GET(strategy, "rollingUpdate");
    const struct vpath *at = V_FIELD(p, "rollingUpdate");
    if (!str_is(V_STR(strategy, "type"), "RollingUpdate"))
        return;
    if (!rolling) {
        v_required(c, at, V_NO_DETAIL);
        return;
    }
    const struct json *unavailable = V_GET(rolling, "maxUnavailable"), *surge = V_GET(rolling, "maxSurge");
    bool percent, has_unavailable = v_int_or_percent(unavailable, &percent) != 0, has_surge = v_int_or_percent(surge, &percent) != 0;
    v_check_int_or_percent(c, V_FIELD(at, "maxUnavailable"), unavailable);
    v_check_int_or_percent(c, V_FIELD(at, "maxSurge"), surge);
    v_at_most_100_percent(c, V_FIELD(at, "maxUnavailable"), unavailable);
    v_at_most_100_percent(c, V_FIELD(at, "maxSurge"), surge);
    if (has_unavailable && has_surge)
        v_invalid(c, V_FIELD(at, "maxSurge"), surge, "may not be set when maxUnavailable is non-zero");
    else if (!has_unavailable && !has_surge)
        v_required(c, V_FIELD(at, "maxUnavailable"), "cannot be 0 when maxSurge is 0");
}

void v_controller_revision(struct vctx *c, const struct vpath *p, const struct json *revision)
{
    const struct json *data = V_GET(revision, "data");
    v_nonnegative(c, p, revision, S("revision"));
    if (!data)
        v_required(c, V_FIELD(p, "data"), "data is mandatory");
}

/* --- status --------------------------------------------------------------------------------------------------------------------------- */

void v_replicas_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    static const str counts[] = {STR_INIT("replicas"),
                                 STR_INIT("fullyLabeledReplicas"),
                                 STR_INIT("readyReplicas"),
                                 STR_INIT("currentReplicas"),
                                 STR_INIT("updatedReplicas"),
                                 STR_INIT("availableReplicas"),
                                 STR_INIT("unavailableReplicas"),
                                 STR_INIT("terminatingReplicas"),
                                 STR_INIT("observedGeneration"),
                                 STR_INIT("collisionCount"),
                                 STR_INIT("currentNumberScheduled"),
                                 STR_INIT("numberMisscheduled"),
                                 STR_INIT("desiredNumberScheduled"),
                                 STR_INIT("numberReady"),
                                 STR_INIT("updatedNumberScheduled"),
                                 STR_INIT("numberAvailable"),
                                 STR_INIT("numberUnavailable")};
    static const str within[] = {STR_INIT("fullyLabeledReplicas"), STR_INIT("readyReplicas"), STR_INIT("currentReplicas"),
                                 STR_INIT("updatedReplicas"), STR_INIT("availableReplicas")};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        v_nonnegative(c, p, status, counts[i]);
    for (size_t i = 0; i < ARRAY_LEN(within); i++) {
        int64_t n = json_get_int(status, within[i], 0);
        if (n > V_INT(status, "replicas"))
            v_invalid_int(c, V_MEMBER(p, within[i]), n, "cannot be greater than status.replicas");
    }
    if (V_INT(status, "availableReplicas") > V_INT(status, "readyReplicas"))
        v_invalid_int(c, V_FIELD(p, "availableReplicas"), V_INT(status, "availableReplicas"), "cannot be greater than readyReplicas");
}
