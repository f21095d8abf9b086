/* agent_report.c - what is seen of a pod, to the API: its status, and at the end its deletion.
 *
 * One call at a time for a pod; the newest status waits behind it, older ones are forgotten.  Failures are tried again with growing pauses, for ever: without a server the status waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "base/log.h"

#define RETRY_MIN_NS (200 * NSEC_PER_MSEC)
#define RETRY_MAX_NS (20 * NSEC_PER_SEC)

static void send_next(struct agent_pod *p);

static void retry_later(struct agent_pod *p)
{
    nsec_t wait = RETRY_MIN_NS << MIN(p->report_failures, 8u);
    p->report_failures++;
    loop_timer_set(p->agent->loop, &p->report_timer, loop_now(p->agent->loop) + MIN(wait, RETRY_MAX_NS));
}

void agent_report_fire(struct loop_timer *t)
{
    send_next(container_of(t, struct agent_pod, report_timer));
}

/* A pod is not let go of while a call about it is under way: see send_next. */
static void on_deleted(struct agent_call *c)
{
    struct agent_pod *p = c->owner;
    int status = c->call.status;
    p->reporting = false;
    if ((status >= 200 && status < 300) || status == 404 || (status == 409 && (p->gone || p->is_static))) {
        agent_pod_free(p);
        return;
    }
    retry_later(p); /* 409: another has this name by now, and the watch will say so; or many wrote at once */
}

static void note_revision(struct agent_pod *p, str pod)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    uint64_t rv;
    if (json_parse(&a, pod, NULL, &v, NULL) == 0 && str_to_u64(json_get_str(json_get(&v, S("metadata")), S("resourceVersion")), &rv))
        p->reported_rv = MAX(p->reported_rv, rv);
}

static void on_reported(struct agent_call *c)
{
    struct agent_pod *p = c->owner;
    int status = c->call.status;
    p->reporting = false;
    if ((status >= 200 && status < 300) || status == 404) { /* 404: gone, and the watch says so too */
        p->report_failures = 0;
        if (status != 404)
            note_revision(p, c->call.response);
        if (p->event_rv > p->reported_rv && p->reported_rv) { /* somebody wrote after this, and it was taken for old: say it again */
            free(TAKE(p->reported));
            agent_pod_kick(p);
        }
    } else {
        if (status == 422 || status == 400 || status == 403)
            log_warn("the API server refuses a pod's status", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), KV("status", "%d", status),
                     KV("answer", STR_FMT, STR_ARG(str_sub(c->call.response, 0, 200))));
        if (!p->unreported)
            p->unreported = TAKE(p->reported);
        free(TAKE(p->reported));
        retry_later(p);
        return;
    }
    send_next(p);
}

static str uid_in_api(const struct agent_pod *p)
{
    return p->is_static ? str_of(p->mirror_uid ? p->mirror_uid : "") : p->uid;
}

/* There is something in the API that this pod's words are about. */
static bool is_in_api(const struct agent_pod *p)
{
    return p->is_static ? p->in_api && p->mirror_uid : !p->gone;
}

static void send_status(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    free(p->reported);
    p->reported = TAKE(p->unreported);
    strbuf_add_str(&b, S("{\"metadata\":{\"uid\":"));
    json_write_string(&b, uid_in_api(p));
    strbuf_addf(&b, "},\"status\":%s}", p->reported);
    p->reporting = true;
    agent_call(p->agent, "PATCH", agent_pod_path(&a, p, "/status"), "application/strategic-merge-patch+json", strbuf_str(&b), on_reported, p);
}

static void send_delete(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    strbuf_add_str(&b, S("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":"));
    json_write_string(&b, uid_in_api(p));
    strbuf_add_str(&b, S("}}"));
    p->reporting = true;
    p->deleting_in_api = true;
    agent_call(p->agent, "DELETE", agent_pod_path(&a, p, ""), "application/json", strbuf_str(&b), on_deleted, p);
}

static void send_next(struct agent_pod *p)
{
    if (p->reporting || p->agent->stopping)
        return;
    if (p->unreported && is_in_api(p))
        send_status(p);
    else if (p->wants_delete && !is_in_api(p))
        agent_pod_free(p);
    else if (p->wants_delete)
        send_delete(p);
}

/* Keys of the API's status that the plan does not have any more must go. */
static void add_removals(struct agent_pod *p, struct arena *a, struct json *status)
{
    static const char *const keys[] = {"reason", "message"};
    const struct json *old = json_get(&p->tree, S("status"));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (json_get(old, str_of(keys[i])) && !json_get(status, str_of(keys[i])))
            json_set(a, status, str_of(keys[i]), json_null());
    }
}

static bool is_own_condition(const struct agent_pod *p, const struct json *c)
{
    static const char *const own[] = {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};
    str type = json_get_str(c, S("type"));
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        if (str_is(type, own[i]))
            return true;
    }
    return p->seen.disruption_target && str_is(type, "DisruptionTarget");
}

/* A merge keeps what is not named: why a condition did not hold must go when it holds. */
static struct json whole_condition(struct arena *a, const struct json *c)
{
    static const char *const keys[] = {"reason", "message"};
    struct json whole = json_copy(a, c);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (!json_get(&whole, str_of(keys[i])))
            json_set(a, &whole, str_of(keys[i]), json_null());
    }
    return whole;
}

/* Conditions of others (readiness gates, who evicts) are theirs: they may be newer than what is known here. */
static void drop_foreign_conditions(struct agent_pod *p, struct arena *a, struct json *status)
{
    const struct json *all = json_get(status, S("conditions"));
    struct json kept = json_array();
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
        if (is_own_condition(p, &all->items[i]))
            json_push(a, &kept, whole_condition(a, &all->items[i]));
    }
    json_set(a, status, S("conditions"), kept);
}

/* As a strategic merge patch: conditions are merged by type, lists of addresses would be, too, and must not. */
static str patch_of(struct agent_pod *p, struct arena *a, const struct json *status)
{
    static const char *const addresses[] = {"hostIPs", "podIPs"};
    struct json copy = json_copy(a, status);
    add_removals(p, a, &copy);
    drop_foreign_conditions(p, a, &copy);
    for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
        struct json *list = json_get(&copy, str_of(addresses[i]));
        if (list)
            json_push(a, list, json_literal(a, "{\"$patch\":\"replace\"}"));
    }
    return json_text(a, &copy);
}

void agent_report(struct agent_pod *p, const struct json *status)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = json_text(&a, status);
    if (!p->checkpoint || !str_eq(str_of(p->checkpoint), text)) {
        free(p->checkpoint);
        p->checkpoint = str_dup(text);
        p->says_new = true;
        if (p->seen.has_sandbox)
            agent_checkpoint_status(p, text);
    }
    if (!is_in_api(p))
        return;
    text = patch_of(p, &a, status);
    const char *newest = p->unreported ? p->unreported : p->reported;
    if (newest && str_eq(str_of(newest), text))
        return;
    free(p->unreported);
    p->unreported = str_dup(text);
    send_next(p);
}

/* Conditions of this agent as it said them last, the others as the API has them. */
static void settle_conditions(const struct agent_pod *p, struct arena *a, struct json *status, const struct json *said)
{
    const struct json *now = json_get(status, S("conditions")), *own = json_get(said, S("conditions"));
    struct json all = json_array();
    for (uint32_t i = 0; json_is(now, JSON_ARRAY) && i < now->len; i++) {
        if (!is_own_condition(p, &now->items[i]))
            json_push(a, &all, now->items[i]);
    }
    for (uint32_t i = 0; json_is(own, JSON_ARRAY) && i < own->len; i++) {
        if (is_own_condition(p, &own->items[i]))
            json_push(a, &all, own->items[i]);
    }
    json_set(a, status, S("conditions"), all);
}

void agent_report_settle(struct agent_pod *p)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json said;
    p->says_new = false;
    if (!p->checkpoint || json_parse(&a, str_of(p->checkpoint), NULL, &said, NULL) < 0)
        return;
    struct json tree = json_copy(&a, &p->tree);
    struct json *status = json_ensure_object(&a, &tree, S("status"));
    if (p->is_static)
        *status = said; /* its only status is this */
    else
        settle_conditions(p, &a, status, &said);
    agent_pod_set_text(p, json_text(&a, &tree));
}

void agent_report_delete(struct agent_pod *p)
{
    p->wants_delete = true;
    send_next(p);
}
