/* role_aggregation.c - the rules of a ClusterRole with an aggregationRule are those of all ClusterRoles that its selectors match.
 *
 * The API server decides with the selectors themselves; the stored rules are what people and clients read.  There are few roles, so one key stands for all of them: any change
 * makes one list, and a write for each role that differs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"
#include "client/raw.h"
#include "controllers/controller.h"

#define KEY "*"
#define QUIET_NS (50 * NSEC_PER_MSEC)
#define ROLES_PATH "/apis/rbac.authorization.k8s.io/v1/clusterroles"

struct run {
    struct json *roles; /* by name, as the server lists them */
    uint32_t nroles, at;
};

static const struct json *selectors_of(const struct json *role)
{
    const struct json *list = json_path(role, "aggregationRule", "clusterRoleSelectors", NULL);
    return json_is(list, JSON_ARRAY) ? list : NULL;
}

static bool has_item(const struct json *list, const struct json *item)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (json_equal(&list->items[i], item))
            return true;
    return false;
}

/* Adds the rules of every role that the selectors reach; each role counts once, so cycles end. */
static void collect(struct arena *a, const struct run *r, const struct json *role, bool *seen, struct json *rules)
{
    const struct json *list = selectors_of(role);
    for (uint32_t s = 0; list && s < list->len; s++) {
        struct selector sel;
        if (selector_from_label_selector(a, &list->items[s], &sel, NULL) < 0)
            continue;
        for (uint32_t i = 0; i < r->nroles; i++) {
            const struct json *other = &r->roles[i], *own = json_get(other, S("rules"));
            if (seen[i] || !selector_match_labels(&sel, json_path(other, "metadata", "labels", NULL)))
                continue;
            seen[i] = true;
            if (json_get(other, S("aggregationRule"))) {
                collect(a, r, other, seen, rules);
                continue;
            }
            for (uint32_t k = 0; json_is(own, JSON_ARRAY) && k < own->len; k++)
                if (!has_item(rules, &own->items[k]))
                    json_push(a, rules, own->items[k]);
        }
    }
}

static bool same_rules(const struct json *have, const struct json *want)
{
    uint32_t n = json_is(have, JSON_ARRAY) ? have->len : 0;
    if (n != want->len)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!has_item(want, &have->items[i]))
            return false;
    return true;
}

static void next_role(struct job *j);

static void written(struct job *j)
{
    if (job_ok(j) || job_not_found(j))
        next_role(j);
    else
        job_end(j, WORK_RETRY);
}

static void next_role(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    while (r->at < r->nroles) {
        uint32_t i = r->at++;
        const struct json *role = &r->roles[i];
        struct json rules = json_array();
        if (!json_get(role, S("aggregationRule")))
            continue;
        bool *seen = arena_array(a, r->nroles, bool);
        seen[i] = true;
        collect(a, r, role, seen, &rules);
        if (same_rules(json_get(role, S("rules")), &rules))
            continue;
        struct json patch = patch_of(a, role);
        json_set(a, &patch, S("rules"), rules);
        struct strbuf path = strbuf_on(a);
        strbuf_add_str(&path, S(ROLES_PATH "/"));
        resource_path_segment(&path, json_get_str(json_get(role, S("metadata")), S("name")));
        job_call(j, S("PATCH"), strbuf_str(&path), &patch, written);
        return;
    }
    job_end(j, WORK_OK);
}

static void listed(struct job *j)
{
    struct json *items = json_get(&j->answer, S("items"));
    if (!job_ok(j) || !json_is(items, JSON_ARRAY)) {
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->roles = items->items;
    r->nroles = items->len;
    next_role(j);
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), S(ROLES_PATH), NULL, listed);
}

/* Roles that take no part: without labels nothing selects them. */
static void on_role(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str v;
    bool labels = ev->change == INFORMER_MODIFIED || json_get(informer_event_meta(ev), S("labels"));
    if (labels || raw_member_from(ev->object, S("aggregationRule"), &v))
        workqueue_add_after(c->queue, S(KEY), QUIET_NS);
}

const struct controller_type controller_role_aggregation = {
    .name = "role-aggregation",
    .parallel = 1,
    .watches = {{.group = "rbac.authorization.k8s.io", .plural = "clusterroles", .event = on_role}},
    .reconcile = reconcile,
};
