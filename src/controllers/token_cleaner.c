/* token_cleaner.c - bootstrap tokens whose time is over are removed.  They let nobody in from that moment on anyway; this is tidiness. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/controller.h"
#include "wire/base64.h"

#define TYPE "bootstrap.kubernetes.io/token"

static str path_of(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    return resource_path(&j->arena, &(struct resource){.group = S(""), .version = S("v1"), .plural = S("secrets"), .namespaced = true}, ns, name);
}

static void ended(struct job *j)
{
    job_end_status(j);
}

static void looked(struct job *j)
{
    const struct json *meta = json_get(&j->answer, S("metadata"));
    str text;
    nsec_t at;
    if (!job_ok(j) || object_deleting(&j->answer) || !str_is(json_get_str(&j->answer, S("type")), TYPE)) {
        job_end_status(j);
        return;
    }
    str coded = json_get_str(json_get(&j->answer, S("data")), S("expiration"));
    if (!coded.len || base64_decode(&j->arena, BASE64_STD, coded, &text, NULL) < 0 || !civil_parse(text, &at)) {
        job_end(j, WORK_OK); /* for ever, or nothing that we could judge */
        return;
    }
    nsec_t left = at - clock_wall(j->c->opts->clock);
    if (left > 0) {
        job_end_after(j, left);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    json_set(&j->arena, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
    job_call(j, S("DELETE"), path_of(j), &options, ended);
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), path_of(j), NULL, looked);
}

static void on_secret(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED && str_is(informer_event_ns(ev), "kube-system") && str_has_prefix(informer_event_name(ev), S("bootstrap-token-")))
        controller_enqueue(c, ev);
}

const struct controller_type controller_token_cleaner = {
    .name = "token-cleaner",
    .parallel = 2,
    .watches = {{.group = "", .plural = "secrets", .event = on_secret}},
    .reconcile = reconcile,
};
