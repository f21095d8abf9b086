/* token_secret.c - Secrets of type kubernetes.io/service-account-token: filled for their ServiceAccount, and deleted with it.
 *
 * The token is one of the API server's own, bound to the Secret: it ends with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/controller.h"
#include "wire/base64.h"

#define TYPE "kubernetes.io/service-account-token"
#define NAME_NOTE "kubernetes.io/service-account.name"
#define UID_NOTE "kubernetes.io/service-account.uid"
#define TOKEN_SECONDS "4294967296" /* the longest that the API server gives */

struct run {
    str ns, name, account;
    str account_uid;
    struct json secret;
};

static void ended(struct job *j)
{
    job_end_status(j);
}

static str secret_path(struct job *j)
{
    struct run *r = j->state;
    return arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/secrets/" STR_FMT, STR_ARG(r->ns), STR_ARG(r->name));
}

static void remove_secret(struct job *j)
{
    struct run *r = j->state;
    struct json options = delete_options(&j->arena, json_get_str(json_get(&r->secret, S("metadata")), S("uid")), S("Background"));
    job_call(j, S("DELETE"), secret_path(j), &options, ended);
}

/* What data and annotations lack; token is "" when there is one already. */
static void write_secret(struct job *j, str token)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *data = json_get(&r->secret, S("data"));
    const char *ca = j->c->opts->root_ca_pem;
    struct json patch = patch_of(a, &r->secret), *meta = json_get(&patch, S("metadata"));
    const struct {
        const char *key;
        str value;
    } wanted[] = {{"token", token}, {"namespace", r->ns}, {"ca.crt", str_of(ca)}};
    bool changed = false;
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
        str value = base64_encode(a, BASE64_STD, wanted[i].value);
        if (!wanted[i].value.len || str_eq(json_get_str(data, str_of(wanted[i].key)), value))
            continue;
        json_set(a, json_ensure_object(a, &patch, S("data")), str_of(wanted[i].key), json_string(value));
        changed = true;
    }
    if (!str_eq(json_get_str(json_path(&r->secret, "metadata", "annotations", NULL), S(UID_NOTE)), r->account_uid)) {
        json_set(a, json_ensure_object(a, meta, S("annotations")), S(UID_NOTE), json_string(r->account_uid));
        changed = true;
    }
    if (changed)
        job_call(j, S("PATCH"), secret_path(j), &patch, ended);
    else
        job_end(j, WORK_OK);
}

static void got_token(struct job *j)
{
    str token = json_get_str(json_get(&j->answer, S("status")), S("token"));
    if (job_ok(j) && token.len)
        write_secret(j, token);
    else
        job_end(j, WORK_RETRY);
}

static void got_account(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    str uid_wanted = json_get_str(json_path(&r->secret, "metadata", "annotations", NULL), S(UID_NOTE));
    r->account_uid = json_get_str(json_get(&j->answer, S("metadata")), S("uid"));
    if (job_not_found(j) || (job_ok(j) && uid_wanted.len && !str_eq(uid_wanted, r->account_uid))) {
        remove_secret(j);
        return;
    }
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (json_get_str(json_get(&r->secret, S("data")), S("token")).len) {
        write_secret(j, S(""));
        return;
    }
    struct json request = json_literal(a, "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\"}"), ref = json_literal(a, "{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}");
    json_set(a, &ref, S("name"), json_string(r->name));
    json_set(a, &ref, S("uid"), json_string(json_get_str(json_get(&r->secret, S("metadata")), S("uid"))));
    struct json *spec = json_ensure_object(a, &request, S("spec"));
    json_set(a, spec, S("boundObjectRef"), ref);
    json_set(a, spec, S("expirationSeconds"), json_number_text(S(TOKEN_SECONDS)));
    job_call(j, S("POST"), arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/serviceaccounts/" STR_FMT "/token", STR_ARG(r->ns), STR_ARG(r->account)), &request, got_token);
}

static void got_secret(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) || object_deleting(&j->answer) || !str_is(json_get_str(&j->answer, S("type")), TYPE)) {
        job_end_status(j);
        return;
    }
    r->secret = j->answer;
    r->account = json_get_str(json_path(&j->answer, "metadata", "annotations", NULL), S(NAME_NOTE));
    if (!r->account.len) {
        job_end(j, WORK_OK);
        return;
    }
    struct resource accounts = {.group = S(""), .version = S("v1"), .plural = S("serviceaccounts"), .namespaced = true};
    job_call(j, S("GET"), resource_path(&j->arena, &accounts, r->ns, r->account), NULL, got_account);
}

/* A ServiceAccount went: its Secrets, which are few, are looked at. */
static void got_secrets(struct job *j)
{
    struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        const struct json *meta = json_get(&items->items[i], S("metadata"));
        if (str_eq(json_get_str(json_get(meta, S("annotations")), S(NAME_NOTE)), r->account))
            workqueue_add(j->c->queue, arena_fmt(&j->arena, STR_FMT "/" STR_FMT, STR_ARG(r->ns), STR_ARG(json_get_str(meta, S("name")))));
    }
    job_end_status(j);
}

/* Keys: "ns/secret", or "sa:ns/name" for a ServiceAccount that went (names have no colon). */
static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    bool account_went = str_has_prefix(j->key, S("sa:"));
    controller_key_split(account_went ? str_from(j->key, 3) : j->key, &r->ns, account_went ? &r->account : &r->name);
    if (account_went)
        job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/secrets?fieldSelector=type%%3D" TYPE, STR_ARG(r->ns)), NULL, got_secrets);
    else
        job_call(j, S("GET"), secret_path(j), NULL, got_secret);
}

static void on_secret(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED && memmem(ev->object.p, ev->object.len, TYPE, sizeof TYPE - 1))
        controller_enqueue(c, ev);
}

static void on_account(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change == INFORMER_DELETED)
        workqueue_add(c->queue, arena_fmt(ev->arena_, "sa:" STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(informer_event_name(ev))));
}

const struct controller_type controller_token_secret = {
    .name = "token-secret",
    .parallel = 4,
    .watches = {{.group = "", .plural = "secrets", .event = on_secret}, {.group = "", .plural = "serviceaccounts", .event = on_account}},
    .reconcile = reconcile,
};
