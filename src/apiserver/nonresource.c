/* nonresource.c - paths that are no API objects: version, health, metrics, OpenID keys; discovery and OpenAPI are in docs.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/docs.h"
#include "apiserver/internal.h"
#include "base/version.h"

static void serve_version(struct api_req *q)
{
    struct strbuf b = strbuf_on(q->arena);
    strbuf_addf(&b,
                "{\"major\":\"%d\",\"minor\":\"%d\",\"gitVersion\":\"v%d.%d.0+cox\",\"gitCommit\":\"%s\",\"gitTreeState\":\"clean\",\"buildDate\":\"%s\","
                "\"goVersion\":\"none\",\"compiler\":\"" COX_COMPILER "\",\"platform\":\"linux/" COX_ARCH "\"}",
                COX_KUBE_MAJOR, COX_KUBE_MINOR, COX_KUBE_MAJOR, COX_KUBE_MINOR, cox_version(), cox_build_time());
    struct json v = object_parse(q->arena, strbuf_str(&b));
    q->pretty = true; /* as Kubernetes always does here */
    api_answer_json(q, 200, &v);
}

/* --- health ----------------------------------------------------------------------------------------------------------------- */

static bool check_ping(struct apiserver *s UNUSED)
{
    return true;
}

static bool check_log(struct apiserver *s)
{
    struct store_stats st;
    store_stats(s->store, &st);
    return !st.failed;
}

/* A full disk is no reason to be restarted, only to be left alone with writes. */
static bool check_room(struct apiserver *s)
{
    struct store_stats st;
    store_stats(s->store, &st);
    return !st.no_space;
}

static bool check_started(struct apiserver *s)
{
    return atomic_load(&s->ready);
}

static bool check_not_draining(struct apiserver *s)
{
    return !atomic_load(&s->draining);
}

static const struct {
    const char *name;
    bool ready_only;
    bool (*ok)(struct apiserver *s);
} checks[] = {
    {"ping", false, check_ping},
    {"log", false, check_ping},
    {"etcd", false, check_log}, /* the store, under the name that probes know */
    {"disk-space", true, check_room},
    {"poststarthook/bootstrap", true, check_started},
    {"shutdown", true, check_not_draining},
};

static bool is_excluded(struct api_req *q, const char *name)
{
    str v;
    struct http_request view = {.arena = q->arena, .query = q->query};
    for (size_t i = 0; http_query_get_nth(&view, S("exclude"), i, &v); i++)
        if (str_is(v, name))
            return true;
    return false;
}

static void serve_health(struct api_req *q, str kind, str only)
{
    bool ready = str_is(kind, "readyz"), all_ok = true, found = !only.len;
    struct strbuf b = strbuf_on(q->arena);
    for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
        if (checks[i].ready_only && !ready)
            continue;
        if (only.len && !str_is(only, checks[i].name))
            continue;
        found = true;
        if (is_excluded(q, checks[i].name)) {
            strbuf_addf(&b, "[+]%s excluded: ok\n", checks[i].name);
            continue;
        }
        bool ok = checks[i].ok(q->srv);
        strbuf_addf(&b, ok ? "[+]%s ok\n" : "[-]%s failed: reason withheld\n", checks[i].name);
        all_ok &= ok;
    }
    str type = S("text/plain; charset=utf-8");
    if (!found) {
        api_answer(q, 404, type, S("404 page not found\n"));
        return;
    }
    strbuf_addf(&b, STR_FMT " check %s\n", STR_ARG(kind), all_ok ? "passed" : "failed");
    str v;
    if (!all_ok)
        api_answer(q, 500, type, strbuf_str(&b));
    else
        api_answer(q, 200, type, api_query(q, S("verbose"), &v) ? strbuf_str(&b) : S("ok"));
}

static bool health(struct api_req *q)
{
    static const str kinds[] = {STR_INIT("healthz"), STR_INIT("livez"), STR_INIT("readyz")};
    str path = str_from(q->path, 1);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!str_has_prefix(path, kinds[i]))
            continue;
        str rest = str_from(path, kinds[i].len);
        if (rest.len && rest.p[0] != '/')
            continue;
        serve_health(q, kinds[i], rest.len ? str_from(rest, 1) : S(""));
        return true;
    }
    return false;
}

/* --- the rest --------------------------------------------------------------------------------------------------------------- */

static void serve_jwks(struct api_req *q)
{
    api_answer(q, 200, S("application/jwk-set+json"), authn_jwks(q->srv->authn, q->arena));
}

static void serve_openid(struct api_req *q)
{
    api_answer(q, 200, S("application/json"), authn_openid_config(q->srv->authn, q->arena));
}

static const struct {
    const char *path;
    void (*serve)(struct api_req *q);
} paths[] = {
    {"/version", serve_version},
    {"/metrics", extension_metrics},
    {"/openid/v1/jwks", serve_jwks},
    {"/.well-known/openid-configuration", serve_openid},
};

static void serve_index(struct api_req *q)
{
    struct json list = json_array();
    for (size_t i = 0; i < ARRAY_LEN(paths); i++)
        json_push(q->arena, &list, json_string(str_of(paths[i].path)));
    static const char *const more[] = {"/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/openapi/v2", "/openapi/v3"};
    for (size_t i = 0; i < ARRAY_LEN(more); i++)
        json_push(q->arena, &list, json_string(str_of(more[i])));
    struct json v = json_object();
    json_set(q->arena, &v, S("paths"), list);
    api_answer_json(q, 200, &v);
}

bool nonresource_serve(struct api_req *q)
{
    str path = q->path;
    if (!str_is(q->method, "GET") && !str_is(q->method, "HEAD"))
        return false;
    if (str_is(path, "/")) {
        serve_index(q);
        return true;
    }
    while (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    q->path = path;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        if (str_is(path, paths[i].path)) {
            paths[i].serve(q);
            return true;
        }
    }
    return health(q) || docs_serve(q);
}
