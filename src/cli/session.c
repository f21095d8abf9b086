/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include <unistd.h>

#include "base/version.h"
#include "wire/json_make.h"
#include "cli/verbs.h"
#include "rt/file.h"

int session_kubeconfig(const struct cli_args *a, bool may_be_new, struct kubeconfig **ret, struct err *err)
{
    struct kubeconfig_paths paths = {
        .file = cli_str(a, "kubeconfig"), .may_be_new = may_be_new, .env = getenv("KUBECONFIG"), .home = getenv("HOME")};
    return kubeconfig_load(&paths, ret, err);
}

static const char *user_agent(struct arena *a)
{
    return arena_fmt(a, "cox/%s (linux/%s)", cox_version(), COX_ARCH).p;
}

/* A server on this machine, when nobody says which and ~/.kube/config leads nowhere.  Who names a file means the cluster in it, also while it is not there yet: another
 * one must not get what was meant for it. */
static bool connect_to_socket(struct session *s)
{
    const char *env = getenv("KUBECONFIG");
    if (cli_str(s->args, "kubeconfig") || (env && *env))
        return false;
    str path = arena_fmt(&s->arena, "%s/cox.sock", verb_data_dir(s->args));
    str url = arena_fmt(&s->arena, "unix:" STR_FMT, STR_ARG(path));
    return file_exists(path.p) && client_new_url(url.p, user_agent(&s->arena), &s->client, NULL) == 0;
}

/* --user of `create rolebinding` is not the --user of the connection. */
static const char *connection_option(const struct cli_args *a, const char *name)
{
    for (const struct cli_option *o = a->verb->options; o && o->name; o++) {
        if (strcmp(o->name, name) == 0)
            return NULL;
    }
    return cli_str(a, name);
}

static struct kubeconfig_overrides overrides_of(const struct cli_args *a)
{
    return (struct kubeconfig_overrides){
        .context = connection_option(a, "context"),
        .cluster = connection_option(a, "cluster"),
        .user = connection_option(a, "user"),
        .namespace_ = connection_option(a, "namespace"),
        .server = connection_option(a, "server"),
        .tls_server_name = connection_option(a, "tls-server-name"),
        .ca_file = connection_option(a, "certificate-authority"),
        .cert_file = connection_option(a, "client-certificate"),
        .key_file = connection_option(a, "client-key"),
        .token = connection_option(a, "token"),
        .username = connection_option(a, "username"),
        .password = connection_option(a, "password"),
        .as = connection_option(a, "as"),
        .insecure = cli_flag(a, "insecure-skip-tls-verify"),
    };
}

int session_connect(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    struct kubeconfig_overrides o = overrides_of(a);
    int r = session_kubeconfig(a, false, &s->kubeconfig, &f->err);
    if (r == 0)
        r = kubeconfig_resolve(s->kubeconfig, &o, &s->resolved, &f->err);
    if (r == 0) {
        r = client_new(&s->resolved, user_agent(&s->arena), &s->client, &f->err);
    } else if (r == -E_NOT_FOUND && !o.context && !o.cluster && connect_to_socket(s)) {
        s->resolved.namespace_ = o.namespace_ ? o.namespace_ : "default";
        r = 0;
    }
    if (r < 0)
        return r;
    s->namespace_ = str_of(s->resolved.namespace_);
    s->namespace_given = cli_given(a, "namespace");
    s->timeout_ns = cli_duration_ns(a, "request-timeout", 0);
    return 0;
}

static int report_all(struct session *s)
{
    if (s->failures.len == 1)
        failure_report(&s->failures.p[0]);
    for (size_t i = 0; s->failures.len > 1 && i < s->failures.len; i++)
        failure_report_line(&s->failures.p[i]);
    return s->failures.len != 0;
}

static int run(const struct cli_args *a, bool connects, int (*body)(struct session *s, struct failure *f))
{
    struct session s = {.args = a};
    struct failure f = FAILURE_NONE;
    int r = connects ? session_connect(&s, &f) : 0;
    if (r == 0)
        r = body(&s, &f);
    fflush(stdout);
    if (r < 0)
        session_note(&s, &f);
    int failed = report_all(&s);
    client_free(s.client);
    kubeconfig_free(s.kubeconfig);
    vec_fini(&s.failures);
    arena_fini(&s.arena);
    return failed ? 1 : r;
}

int session_run(const struct cli_args *a, int (*body)(struct session *s, struct failure *f))
{
    return run(a, true, body);
}

int session_run_local(const struct cli_args *a, int (*body)(struct session *s, struct failure *f))
{
    return run(a, false, body);
}

int session_usage_(struct session *s, int code, struct failure *f)
{
    size_t len = strlen(f->err.msg);
    snprintf(f->err.msg + len, sizeof f->err.msg - len, "\nSee 'cox %s -h' for help and examples", cli_verb_path(s->args->verb));
    return code;
}

int session_note(struct session *s, const struct failure *f)
{
    vec_push(&s->failures, *f);
    return -f->err.code;
}

/* --- calls ----------------------------------------------------------------------------------------------------- */

/* Proxies and paths that are no API answer in plain text. */
static const struct {
    int status;
    const char *text;
} plain_answers[] = {
    {401, "the server has asked for the client to provide credentials"},
    {403, "the server does not allow access to the requested resource"},
    {404, "the server could not find the requested resource"},
    {405, "the server does not allow this method on the requested resource"},
    {429, "the server has received too many requests and has asked us to try again later"},
    {503, "the server is currently unable to handle the request"},
    {504, "the server was unable to return a response in the time allotted, but may still be processing the request"},
};

static int server_failed(struct session *s, int r, const struct client_response *res, struct failure *f)
{
    bool is_status = json_is(&res->json, JSON_OBJECT) && str_is(json_get_str(&res->json, S("kind")), "Status");
    f->from_server = res->status >= 400;
    if (!f->from_server)
        return r;
    f->status = is_status ? res->json : json_null();
    f->message = is_status ? json_get_str(&res->json, S("message")) : str_of(f->err.msg);
    for (size_t i = 0; !is_status && i < ARRAY_LEN(plain_answers); i++) {
        if (plain_answers[i].status == res->status) {
            f->status = json_make(&s->arena, "{\"kind\":\"Status\",\"reason\":%s}", err_reason(f->err.code));
            f->message = str_of(plain_answers[i].text);
        }
    }
    return r;
}

int session_do(struct session *s, const struct client_request *q, struct client_response *ret, struct failure *f)
{
    struct client_response res = {0};
    struct client_request request = *q;
    if (!request.timeout_ns)
        request.timeout_ns = s->timeout_ns;
    int r = client_do(s->client, &request, &s->arena, &res, &f->err);
    for (size_t i = 0; i < res.nwarnings; i++)
        fprintf(stderr, "Warning: " STR_FMT "\n", STR_ARG(res.warnings[i]));
    *ret = res; /* of a failure too: Status.details */
    return r < 0 ? server_failed(s, r, &res, f) : 0;
}

int session_get(struct session *s, str path, str query, struct json *ret, struct failure *f)
{
    return session_send(s, S("GET"), path, query, NULL, ret, f);
}

int session_send(struct session *s, str method, str path, str query, const struct json *body, struct json *ret, struct failure *f)
{
    struct client_response res;
    struct client_request q = {.method = method, .path = path, .query = query};
    if (body)
        q.body = json_text(&s->arena, body);
    int r = session_do(s, &q, &res, f);
    if (r == 0 && ret)
        *ret = res.json;
    return r;
}

int session_discovery(struct session *s, const struct discovery **ret, struct failure *f)
{
    static const char *const paths[] = {"/api", "/apis"};
    if (!s->discovery_) {
        struct discovery *d = arena_new(&s->arena, struct discovery);
        for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
            struct client_response res;
            struct client_request q = {.method = S("GET"),
                                       .path = str_of(paths[i]),
                                       .accept = S("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")};
            int r = session_do(s, &q, &res, f);
            if (r < 0)
                return r;
            if (!str_is(json_get_str(&res.json, S("kind")), "APIGroupDiscoveryList"))
                return failure_set(f, E_UNAVAILABLE, "%s has no aggregated discovery (Kubernetes 1.27 and later have it)",
                                   client_server(s->client));
            discovery_add(d, &s->arena, &res.json);
        }
        s->discovery_ = d;
    }
    *ret = s->discovery_;
    return 0;
}
