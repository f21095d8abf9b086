/* namespace_content.c - what every active namespace has: the ServiceAccount "default" and the ConfigMap "kube-root-ca.crt" with the cluster's CA.
 *
 * The API server puts both into a new namespace itself; this brings them back when somebody removes or changes them, and into namespaces that were there before. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/raw.h"
#include "controllers/controller.h"

#define CA_NAME "kube-root-ca.crt"
#define ALL_KEY "*" /* every namespace: something may have gone while nobody watched */

static const struct {
    const char *plural, *kind, *name;
    bool has_ca;
} wanted[] = {
    {"serviceaccounts", "ServiceAccount", "default", false},
    {"configmaps", "ConfigMap", CA_NAME, true},
};

struct run {
    size_t at;
};

static void check_next(struct job *j);

static struct json make(struct job *j, size_t i)
{
    struct arena *a = &j->arena;
    struct json obj = json_object(), *meta;
    json_set(a, &obj, S("apiVersion"), json_string(S("v1")));
    json_set(a, &obj, S("kind"), json_string(str_of(wanted[i].kind)));
    meta = json_ensure_object(a, &obj, S("metadata"));
    json_set(a, meta, S("name"), json_string(str_of(wanted[i].name)));
    json_set(a, meta, S("namespace"), json_string(j->key));
    if (wanted[i].has_ca) {
        json_set(a, json_ensure_object(a, meta, S("annotations")), S("kubernetes.io/description"),
                 json_string(S("Certificate authority that signed the certificate of the API server; clients inside the cluster verify it with this.")));
        json_set(a, json_ensure_object(a, &obj, S("data")), S("ca.crt"), json_string(str_of(j->c->opts->root_ca_pem)));
    }
    return obj;
}

static str path_of(struct job *j, size_t i, bool with_name)
{
    return arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/%s%s%s", STR_ARG(j->key), wanted[i].plural, with_name ? "/" : "", with_name ? wanted[i].name : "");
}

/* 409: somebody else was faster; 403: the namespace has begun to go. */
static void written(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && j->status != 409 && j->status != 403 && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->at++;
    check_next(j);
}

static void looked(struct job *j)
{
    struct run *r = j->state;
    struct json obj = make(j, r->at);
    if (job_not_found(j)) {
        job_call(j, S("POST"), path_of(j, r->at, false), &obj, written);
        return;
    }
    const struct json *data = json_get(&obj, S("data"));
    if (job_ok(j) && data && !json_equal(data, json_get(&j->answer, S("data")))) {
        struct json fixed = j->answer;
        json_set(&j->arena, &fixed, S("data"), *data);
        job_call(j, S("PUT"), path_of(j, r->at, true), &fixed, written);
        return;
    }
    written(j);
}

static void check_next(struct job *j)
{
    struct run *r = j->state;
    if (r->at < ARRAY_LEN(wanted) && wanted[r->at].has_ca && !j->c->opts->root_ca_pem)
        r->at++;
    if (r->at == ARRAY_LEN(wanted))
        job_end(j, WORK_OK);
    else
        job_call(j, S("GET"), path_of(j, r->at, true), NULL, looked);
}

static void got_namespace(struct job *j)
{
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    j->state = arena_new(&j->arena, struct run);
    check_next(j);
}

static void got_all(struct job *j)
{
    const struct json *items = json_get(&j->answer, S("items"));
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++)
        workqueue_add(j->c->queue, json_get_str(json_get(&items->items[i], S("metadata")), S("name")));
    job_end_status(j);
}

static void reconcile(struct job *j)
{
    if (str_is(j->key, ALL_KEY))
        job_call(j, S("GET"), S("/api/v1/namespaces"), NULL, got_all);
    else
        job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT, STR_ARG(j->key)), NULL, got_namespace);
}

/* Namespaces come with their content in the same transaction; only those of before are looked at. */
static void on_namespace(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change == INFORMER_LISTED || ev->change == INFORMER_ADDED)
        controller_enqueue(c, ev);
}

static void on_service_account(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change == INFORMER_DELETED && str_is(informer_event_name(ev), "default"))
        workqueue_add(c->queue, informer_event_ns(ev));
}

static void on_config_map(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    bool changed = ev->change == INFORMER_MODIFIED || ev->change == INFORMER_DELETED;
    if (changed && str_is(informer_event_name(ev), CA_NAME))
        workqueue_add(c->queue, informer_event_ns(ev));
}

/* After a gap deletions were missed; at the start the namespaces are listed anyway. */
static void on_relist(struct controller *c, const struct resource *r UNUSED)
{
    if (controllers_synced(c->all))
        workqueue_add(c->queue, S(ALL_KEY));
}

const struct controller_type controller_namespace_content = {
    .name = "namespace-content",
    .parallel = 8,
    .watches = {{.group = "", .plural = "namespaces", .event = on_namespace},
                {.group = "", .plural = "serviceaccounts", .event = on_service_account, .synced = on_relist},
                {.group = "", .plural = "configmaps", .event = on_config_map, .synced = on_relist}},
    .reconcile = reconcile,
};
