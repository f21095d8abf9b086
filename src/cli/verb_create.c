/* verb_create.c - cox create: from files; from flags by the generators; tokens. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "cli/generate.h"
#include "cli/verbs.h"

/* --- from files ------------------------------------------------------------------------------------------------------------------- */

static int create_one(struct change *c, struct manifest *m, struct failure *f)
{
    struct session *s = c->s;
    struct target t;
    struct json made;
    int r = target_of_object(s, &m->object, m->source, &t, f);
    if (r < 0)
        return r;
    if (cli_flag(s->args, "save-config"))
        change_set_last_applied(&s->arena, &m->object);
    r = change_create(c, &t, &m->object, &made, f);
    if (r < 0)
        return failure_wrap(f, &s->arena, "error when creating \"" STR_FMT "\": ", STR_ARG(t.source));
    return change_report(c, t.res, &made, "created", f);
}

static int create_raw(struct session *s, struct failure *f)
{
    struct manifests m = {0};
    struct client_response res;
    int r = manifests_read(&s->arena, s->args, &m, f);
    if (r == 0 && m.len != 1)
        return failure_set(f, E_INVALID_ARG, "--raw can only use a single local file or stdin");
    if (r < 0)
        return r;
    str query = str_of(cli_str(s->args, "raw")), path;
    str_cut(&query, '?', &path);
    r = session_do(
        s,
        &(struct client_request){.method = S("POST"), .path = path, .query = query, .body = json_text(&s->arena, &m.p[0].object)},
        &res, f);
    if (r == 0)
        fwrite(res.body.p, 1, res.body.len, stdout);
    return r;
}

static int create(struct session *s, struct failure *f)
{
    struct change c;
    struct manifests m = {0};
    if (s->args->npositional)
        return failure_set(f, E_INVALID_ARG, "Unexpected args: [%s]\nSee 'cox create -h' for help and examples",
                           s->args->positional[0]);
    if (!cli_list(s->args, "filename", 0))
        return failure_set(f, E_INVALID_ARG, "must specify one of -f and -k");
    if (cli_str(s->args, "raw"))
        return create_raw(s, f);
    int r = change_init(&c, s, "kubectl-create", f);
    if (r == 0 && manifests_read(&s->arena, s->args, &m, f) < 0)
        session_note(s, f);
    for (size_t i = 0; r == 0 && i < m.len; i++) {
        if (create_one(&c, &m.p[i], f) < 0)
            session_note(s, f);
    }
    if (r == 0 && !m.len && !s->failures.len)
        return failure_set(f, E_INVALID_ARG, "no objects passed to create");
    return r;
}

static int run_create(struct cli_args *a)
{
    return session_run(a, create);
}

/* --- token --------------------------------------------------------------------------------------------------------------------------- */

static int token_spec(struct session *s, struct json *spec, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *kind = cli_str(s->args, "bound-object-kind"), *name = cli_str(s->args, "bound-object-name"),
               *uid = cli_str(s->args, "bound-object-uid");
    int64_t duration = cli_duration_ns(s->args, "duration", 0);
    str *audiences;
    size_t n = generate_list(s, "audience", false, &audiences);
    *spec = json_object();
    json_set(a, spec, S("audiences"), n ? generate_strings(s, audiences, n) : json_null());
    if (duration < 0)
        return failure_set(f, E_INVALID_ARG, "--duration must be greater than or equal to 0");
    if (duration % NSEC_PER_SEC)
        return failure_set(f, E_INVALID_ARG, "--duration cannot be expressed in units less than seconds");
    json_set(a, spec, S("expirationSeconds"), duration ? json_int(a, duration / NSEC_PER_SEC) : json_null());
    if (!kind && (name || uid))
        return failure_set(f, E_INVALID_ARG, "--bound-object-%s can only be set if --bound-object-kind is provided",
                           name ? "name" : "uid");
    if (kind && strcmp(kind, "Pod") != 0 && strcmp(kind, "Secret") != 0 && strcmp(kind, "Node") != 0)
        return failure_set(f, E_INVALID_ARG, "supported --bound-object-kind values are Node, Pod, Secret");
    if (kind && !name)
        return failure_set(f, E_INVALID_ARG, "--bound-object-name is required if --bound-object-kind is provided");
    if (kind)
        json_set(a, spec, S("boundObjectRef"),
                 json_make(a, "{\"apiVersion\":\"v1\",\"kind\":%s,\"name\":%s,\"uid\":%s}", kind, name, uid ? uid : ""));
    return 0;
}

static int create_a_token(struct session *s, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json spec, answer;
    struct printer *p;
    struct strbuf path = strbuf_on(a);
    if (s->args->npositional != 1)
        return failure_set(f, E_INVALID_ARG,
                           "exactly one NAME is required, got %zu\nSee 'cox create token -h' for help and examples",
                           s->args->npositional);
    int r = printer_new(a, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = token_spec(s, &spec, f);
    if (r < 0)
        return r;
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, s->namespace_);
    strbuf_add_str(&path, S("/serviceaccounts"));
    client_path_add(&path, str_of(s->args->positional[0]));
    strbuf_add_str(&path, S("/token"));
    struct json body = json_make(
        a,
        "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\",\"metadata\":{\"creationTimestamp\":null},\"spec\":%j}",
        &spec);
    r = session_send(s, S("POST"), strbuf_str(&path), S(""), &body, &answer, f);
    if (r < 0 && f->from_server) {
        str message = f->message;
        return failure_set(f, -r, "failed to create token: " STR_FMT, STR_ARG(message));
    }
    if (r < 0)
        return r;
    STRBUF_AUTO out = STRBUF_HEAP;
    if (p->format != PRINT_DEFAULT)
        r = printer_object(p, &out, &answer, f);
    else
        strbuf_addf(&out, STR_FMT "%s", STR_ARG(json_str(json_path(&answer, "status", "token", NULL))),
                    isatty(STDOUT_FILENO) ? "\n" : "");
    print_flush(&out);
    return r;
}

static int run_token(struct cli_args *a)
{
    return session_run(a, create_a_token);
}

static const struct cli_option token_options[] = {
    {"audience", 0, CLI_LIST, "NAME", "", "Who shall accept the token; the API server when not given.", NULL},
    {"duration", 0, CLI_DURATION, "TIME", "", "How long it is good for; the server may choose otherwise.", NULL},
    {"bound-object-kind", 0, CLI_STRING, "KIND", "", "Pod, Secret or Node: the token ends with that object.", NULL},
    {"bound-object-name", 0, CLI_STRING, "NAME", "", "Its name.", NULL},
    {"bound-object-uid", 0, CLI_STRING, "UID", "", "Its uid.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};
const struct cli_verb create_token = {.name = "token",
                                      .summary = "Ask for a token of a service account.",
                                      .usage = "SERVICEACCOUNT [--duration=TIME]",
                                      .options = token_options,
                                      .run = run_token,
                                      .is_client = true};

/* --- the verb --------------------------------------------------------------------------------------------------------------------------- */

static const struct cli_verb *const subs[] = {
    &create_cluster_role, &create_cluster_role_binding,
    &create_config_map,   &create_cron_job,
    &create_deployment,   &create_ingress,
    &create_job,          &create_namespace,
    &create_pdb,          &create_priority,
    &create_quota,        &create_role,
    &create_role_binding, &create_secret,
    &create_service,      &create_service_account,
    &create_token,        NULL,
};

static const struct cli_option options[] = {
    MANIFEST_OPTIONS,
    {"raw", 0, CLI_STRING, "PATH", "", "POST the file to this path as it is.", NULL},
    GENERATE_OPTIONS,
    {0},
};

const struct cli_verb verb_create = {
    .name = "create",
    .summary = "Create objects from files or from flags.",
    .usage = "(-f FILE | TYPE NAME ...) [OPTIONS]",
    .examples =
        "  cox create -f web.yaml\n  cox create deployment web --image=nginx --replicas=3\n  cox create configmap settings --from-literal=a=1 --from-file=app.conf",
    .options = options,
    .subs = subs,
    .run = run_create,
    .is_client = true,
};
