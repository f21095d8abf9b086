/* verb_run.c - cox run, cox expose. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch.h"
#include "cli/generate.h"
#include "cli/run_attached.h"
#include "cli/threeway.h"
#include "cli/verbs.h"

/* --- run --------------------------------------------------------------------------------------------------------------------------- */

/* "a=1,b=2" */
static int labels_of(struct session *s, const char *text, struct json *ret, struct failure *f)
{
    str rest = str_of(text), one;
    *ret = json_object();
    while (rest.len) {
        str key;
        str_cut(&rest, ',', &one);
        str value = one;
        if (!str_cut(&value, '=', &key))
            return failure_set(f, E_INVALID_ARG, "unexpected label spec: " STR_FMT, STR_ARG(one));
        json_set(&s->arena, ret, key, json_string(value));
    }
    return 0;
}

static int env_of(struct session *s, struct json *container, struct failure *f)
{
    struct json env = json_array();
    str *list;
    size_t n = generate_list(s, "env", false, &list);
    for (size_t i = 0; i < n; i++) {
        str value = list[i], key;
        if (!str_cut(&value, '=', &key) || !key.len)
            return failure_set(f, E_INVALID_ARG, "invalid env: " STR_FMT, STR_ARG(list[i]));
        json_push(&s->arena, &env, json_make(&s->arena, "{\"name\":%S,\"value\":%S}", key, value));
    }
    if (n)
        json_set(&s->arena, container, S("env"), env);
    return 0;
}

static int container_of_run(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *image = cli_str(s->args, "image"), *policy = cli_str(s->args, "image-pull-policy");
    if (!image[0])
        return failure_set(f, E_INVALID_ARG, "--image is required");
    if (policy && strcmp(policy, "Always") != 0 && strcmp(policy, "IfNotPresent") != 0 && strcmp(policy, "Never") != 0)
        return session_usage(s, f, "invalid image pull policy: %s", policy);
    *ret = json_make(a, "{\"image\":%s,\"name\":%s,\"resources\":{}}", image, name);
    if (policy)
        json_set(a, ret, S("imagePullPolicy"), json_string(str_of(policy)));
    if (cli_given(s->args, "port"))
        json_set(a, ret, S("ports"), json_make(a, "[{\"containerPort\":%d}]", cli_int(s->args, "port", 0)));
    if (cli_flag(s->args, "privileged"))
        json_set(a, ret, S("securityContext"), json_make(a, "{\"privileged\":true}"));
    if (cli_flag(s->args, "stdin")) {
        json_set(a, ret, S("stdin"), json_bool(true));
        if (!cli_flag(s->args, "leave-stdin-open"))
            json_set(a, ret, S("stdinOnce"), json_bool(true));
    }
    if (cli_flag(s->args, "tty"))
        json_set(a, ret, S("tty"), json_bool(true));
    generate_command(s, ret, cli_flag(s->args, "command") ? "command" : "args");
    return env_of(s, ret, f);
}

static int annotations_of(struct session *s, struct json *meta, struct failure *f)
{
    str *list;
    size_t n = generate_list(s, "annotations", false, &list);
    for (size_t i = 0; i < n; i++) {
        str value = list[i], key;
        if (!str_cut(&value, '=', &key))
            return failure_set(f, E_INVALID_ARG, "invalid annotation: " STR_FMT, STR_ARG(list[i]));
        json_set(&s->arena, json_ensure_object(&s->arena, meta, S("annotations")), key, json_string(value));
    }
    return 0;
}

static int make_pod(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *restart = cli_str_or(s->args, "restart", "Always");
    struct json meta = generate_meta(s, name), labels = json_make(a, "{\"run\":%s}", name), container;
    int r = container_of_run(s, name, &container, f);
    if (r == 0 && cli_str(s->args, "labels"))
        r = labels_of(s, cli_str(s->args, "labels"), &labels, f);
    if (r == 0)
        r = annotations_of(s, &meta, f);
    if (r < 0)
        return r;
    if (strcmp(restart, "Always") != 0 && strcmp(restart, "OnFailure") != 0 && strcmp(restart, "Never") != 0)
        return session_usage(s, f, "invalid restart policy: %s", restart);
    json_set(a, &meta, S("labels"), labels);
    *ret = json_make(
        a,
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":%j,\"spec\":{\"containers\":[%j],\"dnsPolicy\":\"ClusterFirst\",\"restartPolicy\":%s},\"status\":{}}",
        &meta, &container, restart);
    return 0;
}

/* What --overrides says, over what the other options made. */
static int override(struct session *s, const char *type, struct json *object, struct failure *f)
{
    const char *text = cli_str(s->args, "overrides"), *kind = cli_str_or(s->args, "override-type", "merge");
    struct arena *a = &s->arena;
    struct json patch, changed;
    if (!text)
        return 0;
    struct err err = ERR_NONE;
    if (json_parse(a, str_of(text), NULL, &patch, &err) < 0)
        return failure_set(f, E_INVALID_ARG, "--overrides is no JSON: %s", err.msg);
    int r;
    if (strcmp(kind, "merge") == 0)
        r = patch_merge(a, object, &patch, &changed, &f->err);
    else if (strcmp(kind, "json") == 0)
        r = patch_json(a, object, &patch, &changed, &f->err);
    else if (strcmp(kind, "strategic") == 0)
        r = patch_strategic(a, threeway_type(S("v1"), str_of(type)), object, &patch, &changed, &f->err);
    else
        return failure_set(f, E_INVALID_ARG, "invalid override type: %s", kind);
    if (r == 0)
        *object = changed;
    return r;
}

/* done NULL: nothing is said.  *ret_made: as the server has it; may be NULL. */
static int create_and_report(struct session *s, struct json *obj, const char *manager, const char *done, struct json *ret_made, struct failure *f)
{
    struct change c;
    struct target t;
    struct json made;
    bool had_namespace = json_path(obj, "metadata", "namespace", NULL) != NULL;
    int r = change_init(&c, s, manager, f);
    if (r == 0)
        r = target_of_object(s, obj, S(""), &t, f);
    if (r < 0)
        return r;
    if (!had_namespace)
        json_del(json_get(obj, S("metadata")), S("namespace"));
    r = change_create(&c, &t, obj, &made, f);
    if (r == 0 && ret_made)
        *ret_made = made;
    return r < 0 || !done ? r : change_report(&c, t.res, &made, done, f);
}

/* --expose: a service of the pod's name in front of it. */
static int expose_pod(struct session *s, const struct json *pod, struct failure *f)
{
    struct arena *a = &s->arena;
    int64_t port = cli_int(s->args, "port", 0);
    const char *name = s->args->positional[0];
    struct json meta = generate_meta(s, name);
    struct json service = json_make(a,
                                    "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":%j,\"spec\":{\"ports\":[{\"port\":%d,\"protocol\":\"TCP\",\"targetPort\":%d}],"
                                    "\"selector\":%j},\"status\":{\"loadBalancer\":{}}}",
                                    &meta, port, port, json_path(pod, "metadata", "labels", NULL));
    int r = create_and_report(s, &service, "kubectl-run", "created", NULL, f);
    if (r == 0 && strcmp(cli_str_or(s->args, "output", ""), "yaml") == 0)
        printf("---\n");
    return r;
}

static int run_pod(struct session *s, struct failure *f)
{
    struct json pod, made;
    if (!cli_str(s->args, "image"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"image\" not set");
    if (!s->args->npositional)
        return session_usage(s, f, "NAME is required for run");
    if (cli_flag(s->args, "expose") && !cli_given(s->args, "port"))
        return session_usage(s, f, "--port must be set when exposing a service");
    bool attached;
    int r = run_attached_wanted(s, &attached, f);
    if (r == 0)
        r = make_pod(s, s->args->positional[0], &pod, f);
    if (r == 0)
        r = override(s, "Pod", &pod, f);
    if (r == 0 && cli_flag(s->args, "expose"))
        r = expose_pod(s, &pod, f);
    if (r == 0) /* with somebody who looks on, only the container speaks */
        r = create_and_report(s, &pod, "kubectl-run", attached ? NULL : "created", &made, f);
    return r < 0 || !attached ? r : run_attached(s, &made, f);
}

static int run_run(struct cli_args *a)
{
    return session_run(a, run_pod);
}

static const struct cli_option run_options[] = {
    {"image", 0, CLI_STRING, "IMAGE", "", "Image to run.", NULL},
    {"env", 0, CLI_LIST, "NAME=VALUE", "", "Environment variable; may be given several times.", NULL},
    {"port", 0, CLI_INT, "PORT", "", "Port that the container serves on.", NULL},
    {"expose", 0, CLI_FLAG, NULL, "", "Make a service of the same name for --port, too.", NULL},
    {"labels", 'l', CLI_STRING, "KEY=VALUE,...", "run=NAME", "Labels of the pod.", NULL},
    {"annotations", 0, CLI_LIST, "KEY=VALUE", "", "Annotation; may be given several times.", NULL},
    {"restart", 0, CLI_STRING, "POLICY", "Always", "Always, OnFailure or Never.", NULL},
    {"command", 0, CLI_FLAG, NULL, "", "The words behind -- are the command, not its arguments.", NULL},
    {"image-pull-policy", 0, CLI_STRING, "POLICY", "", "Always, IfNotPresent or Never.", NULL},
    {"privileged", 0, CLI_FLAG, NULL, "", "With all rights of the node.", NULL},
    {"overrides", 0, CLI_STRING, "JSON", "", "Fields of the pod that have no option.", NULL},
    {"override-type", 0, CLI_STRING, "TYPE", "merge", "How they are put in: merge, strategic or json.", NULL},
    RUN_ATTACHED_OPTIONS,
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-run"),
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_run = {
    .name = "run",
    .summary = "Run an image in a pod.",
    .usage = "NAME --image=IMAGE [OPTIONS] [-- ARGS...]",
    .examples = "  cox run web --image=nginx --port=80\n  cox run once --image=busybox --restart=Never -- echo hello\n"
                "  cox run shell --image=cox/host --rm -it -- /bin/sh",
    .options = run_options,
    .run = run_run,
    .is_client = true,
};

/* --- expose --------------------------------------------------------------------------------------------------------------------------- */

/* The labels by which the pods of an object are found. */
static const struct json *selector_of(const struct json *obj)
{
    str kind = json_get_str(obj, S("kind"));
    if (str_is(kind, "Pod"))
        return json_path(obj, "metadata", "labels", NULL);
    const struct json *s = json_path(obj, "spec", "selector", NULL), *match = json_get(s, S("matchLabels"));
    return match ? match : s;
}

static const struct json *containers_of(const struct json *obj)
{
    const struct json *c = json_path(obj, "spec", "template", "spec", "containers", NULL);
    return c ? c : json_path(obj, "spec", "containers", NULL);
}

static struct json one_port(struct session *s, int64_t port, const char *protocol, size_t index, bool several)
{
    struct arena *a = &s->arena;
    const char *target = cli_str(s->args, "target-port");
    struct json to = target ? generate_int_or_string(a, str_of(target)) : json_int(a, port);
    struct json one = json_make(a, "{\"port\":%d,\"protocol\":%s,\"targetPort\":%j}", port, protocol, &to);
    if (several)
        json_set(a, &one, S("name"), json_string(arena_fmt(a, "port-%zu", index + 1)));
    return one;
}

/* --port, or the ports that the containers name. */
static int expose_ports(struct session *s, const struct json *obj, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *protocol = cli_str_or(s->args, "protocol", "TCP");
    *ret = json_array();
    if (cli_str(s->args, "port")) {
        str rest = str_of(cli_str(s->args, "port")), one;
        bool several = str_find_char(rest, ',') >= 0;
        while (rest.len) {
            int64_t port;
            str_cut(&rest, ',', &one);
            if (!str_to_i64(one, &port))
                return failure_set(f, E_INVALID_ARG, "port \"" STR_FMT "\" is no number", STR_ARG(one));
            json_push(a, ret, one_port(s, port, protocol, ret->len, several));
        }
        return 0;
    }
    const struct json *containers = containers_of(obj), *own = json_path(obj, "spec", "ports", NULL);
    size_t total = 0;
    for (int pass = 0; pass < 2; pass++) { /* names are given only when there are several */
        for (size_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            const struct json *ports = json_get(&containers->items[i], S("ports"));
            for (size_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++) {
                if (pass)
                    json_push(a, ret,
                              one_port(s, json_get_int(&ports->items[k], S("containerPort"), 0),
                                       json_get_str(&ports->items[k], S("protocol")).len
                                           ? arena_cstr(a, json_get_str(&ports->items[k], S("protocol")))
                                           : protocol,
                                       ret->len, total > 1));
                else
                    total++;
            }
        }
    }
    for (size_t k = 0; !ret->len && json_is(own, JSON_ARRAY) && k < own->len; k++)
        json_push(a, ret, one_port(s, json_get_int(&own->items[k], S("port"), 0), protocol, k, own->len > 1));
    return ret->len
               ? 0
               : failure_set(f, E_INVALID_ARG, "couldn't find port via --port flag or introspection");
}

static int make_service(struct session *s, const struct target *t, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *type = cli_str(s->args, "type"), *ip = cli_str(s->args, "cluster-ip"),
               *external = cli_str(s->args, "external-ip"), *given = cli_str(s->args, "selector"), *affinity = cli_str(s->args, "session-affinity"),
               *balancer = cli_str(s->args, "load-balancer-ip");
    const char *name = cli_str_or(s->args, "name", arena_cstr(a, t->name));
    struct json meta = generate_meta(s, name), ports, labels = json_object(), selector = json_object();
    const struct json *found = selector_of(&t->object), *old = json_path(&t->object, "metadata", "labels", NULL);
    if (affinity && strcmp(affinity, "None") != 0 && strcmp(affinity, "ClientIP") != 0)
        return failure_set(f, E_INVALID_ARG, "unknown session affinity: %s", affinity);
    int r = given ? labels_of(s, given, &selector, f) : 0;
    if (r == 0 && !given) {
        if (json_path(&t->object, "spec", "selector", "matchExpressions", NULL))
            return failure_set(
                f, E_INVALID_ARG,
                "couldn't retrieve selectors via --selector flag or introspection: a service selects by labels alone, not by expressions");
        if (!json_is(found, JSON_OBJECT) || !found->len)
            return failure_set(f, E_INVALID_ARG, "cannot expose a " STR_FMT ": it selects no pods by labels", STR_ARG(t->res->kind));
        selector = *found;
    }
    if (r == 0 && cli_str(s->args, "labels"))
        r = labels_of(s, cli_str(s->args, "labels"), &labels, f);
    else if (json_is(old, JSON_OBJECT))
        labels = *old;
    if (r == 0)
        r = expose_ports(s, &t->object, &ports, f);
    if (r < 0)
        return r;
    if (labels.len)
        json_set(a, &meta, S("labels"), labels);
    *ret = json_make(
        a,
        "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":%j,\"spec\":{\"ports\":%j,\"selector\":%j},\"status\":{\"loadBalancer\":{}}}",
        &meta, &ports, &selector);
    struct json *spec = json_get(ret, S("spec"));
    if (type)
        json_set(a, spec, S("type"), json_string(str_of(type)));
    if (ip)
        json_set(a, spec, S("clusterIP"), json_string(str_of(ip)));
    if (external)
        json_set(a, spec, S("externalIPs"), json_make(a, "[%s]", external));
    if (affinity)
        json_set(a, spec, S("sessionAffinity"), json_string(str_of(affinity)));
    if (balancer)
        json_set(a, spec, S("loadBalancerIP"), json_string(str_of(balancer)));
    return override(s, "Service", ret, f);
}

static int expose(struct session *s, struct failure *f)
{
    struct resource_query q = {.words = s->args->positional, .nwords = s->args->npositional};
    struct targets found;
    int r = resources_find(s, &q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        struct json service;
        r = make_service(s, &found.p[i], &service, f);
        if (r == 0)
            r = create_and_report(s, &service, "kubectl-expose", "exposed", NULL, f);
    }
    return r;
}

static int run_expose(struct cli_args *a)
{
    return session_run(a, expose);
}

static const struct cli_option expose_options[] = {
    {"port", 0, CLI_STRING, "PORT,...", "", "Port of the service; otherwise those of the containers.", NULL},
    {"target-port", 0, CLI_STRING, "PORT|NAME", "", "Port of the pods, when it is another.", NULL},
    {"name", 0, CLI_STRING, "NAME", "", "Name of the service; otherwise that of the object.", NULL},
    {"type", 0, CLI_STRING, "TYPE", "", "ClusterIP, NodePort or LoadBalancer.", NULL},
    {"protocol", 0, CLI_STRING, "TCP|UDP|SCTP", "TCP", "Of the ports.", NULL},
    {"selector", 0, CLI_STRING, "KEY=VALUE,...", "", "Labels of the pods; otherwise what the object selects.", NULL},
    {"labels", 'l', CLI_STRING, "KEY=VALUE,...", "", "Labels of the service.", NULL},
    {"cluster-ip", 0, CLI_STRING, "ADDRESS", "", "The address; None for a headless service.", NULL},
    {"external-ip", 0, CLI_STRING, "ADDRESS", "", "An address outside that leads to it.", NULL},
    {"load-balancer-ip", 0, CLI_STRING, "ADDRESS", "", "The address that a load balancer shall have.", NULL},
    {"session-affinity", 0, CLI_STRING, "None|ClientIP", "", "ClientIP: a client always reaches the same pod.", NULL},
    {"overrides", 0, CLI_STRING, "JSON", "", "Fields of the service that have no option.", NULL},
    {"override-type", 0, CLI_STRING, "TYPE", "merge", "How they are put in: merge, strategic or json.", NULL},
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-expose"),
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_expose = {
    .name = "expose",
    .summary = "Make a service for a deployment, pod, replica set or service.",
    .usage = "(TYPE NAME | TYPE/NAME | -f FILE) [--port=PORT] [--target-port=PORT]",
    .examples = "  cox expose deploy web --port=80 --target-port=8080",
    .options = expose_options,
    .run = run_expose,
    .is_client = true,
};
