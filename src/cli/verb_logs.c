/* verb_logs.c - cox logs: what containers print, one after another or, with -f, all at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/civil.h"
#include "cli/pod_target.h"
#include "cli/remote.h"
#include "cli/remote_exec.h"
#include "cli/verbs.h"

#define PREFIX_BYTES 600
#define SELECTOR_TAIL "10" /* lines of each pod when many are asked for at once, as kubectl */

/* One container's log. */
struct source {
    struct logs *logs;
    str path, pod, container;
    struct tunnel *tunnel;
    int status;
    struct strbuf error;
    struct strbuf line; /* begun and not ended, while lines get prefixes or come from several */
    bool is_done;
};

struct logs {
    struct session *s;
    struct loop *loop;
    struct https_conf *conf;
    VEC(struct source *) sources;
    size_t next, running;
    bool prefix, by_line, ignore_errors;
    struct failure failure;
    bool failed;
};

/* --- output ------------------------------------------------------------------------------------------------------------------ */

static void put(struct logs *l, str bytes)
{
    struct err err = ERR_NONE;
    if (remote_exec_write_std(NULL, STDOUT_FILENO, bytes, &err) == 0 || l->failed)
        return;
    l->failed = true;
    failure_set(&l->failure, E_IO, "%s", err.msg);
    loop_stop(l->loop);
}

static void put_line(struct source *x, str line)
{
    if (x->logs->prefix) {
        char prefix[PREFIX_BYTES];
        int n = snprintf(prefix, sizeof prefix, "[pod/" STR_FMT "/" STR_FMT "] ", STR_ARG(x->pod), STR_ARG(x->container));
        put(x->logs, str_n(prefix, (size_t)MIN(n, PREFIX_BYTES - 1)));
    }
    put(x->logs, line);
}

static void put_bytes(struct source *x, str bytes)
{
    if (!x->logs->by_line) {
        put(x->logs, bytes);
        return;
    }
    for (ptrdiff_t end; (end = str_find_char(bytes, '\n')) >= 0; bytes = str_from(bytes, (size_t)end + 1)) {
        strbuf_add_str(&x->line, str_sub(bytes, 0, (size_t)end + 1));
        put_line(x, strbuf_str(&x->line));
        strbuf_clear(&x->line);
    }
    strbuf_add_str(&x->line, bytes);
    if (x->line.len > (1u << 20)) { /* a line without end */
        put_line(x, strbuf_str(&x->line));
        strbuf_clear(&x->line);
    }
}

/* --- requests ------------------------------------------------------------------------------------------------------------------ */

static void start_next(struct logs *l);

static void source_end(struct source *x, const struct err *err)
{
    struct logs *l = x->logs;
    if (x->line.len)
        put_line(x, strbuf_str(&x->line));
    tunnel_free(TAKE(x->tunnel));
    x->is_done = true;
    l->running--;
    struct failure f = FAILURE_NONE;
    if (err)
        f.err = *err;
    else if (x->status != 200)
        remote_answer_failed(l->s, x->status, strbuf_str(&x->error), &f);
    if (f.err.code && l->ignore_errors) {
        fprintf(stderr, "error: %s\n", f.err.msg);
    } else if (f.err.code && !l->failed) {
        l->failed = true;
        l->failure = f;
    }
    if (l->failed && !l->ignore_errors)
        loop_stop(l->loop);
    else
        start_next(l);
}

static void on_head(void *owner, const struct h1_answer *a)
{
    struct source *x = owner;
    x->status = a->status;
}

static void on_data(void *owner, str bytes)
{
    struct source *x = owner;
    if (x->status == 200)
        put_bytes(x, bytes);
    else
        strbuf_add_str(&x->error, str_sub(bytes, 0, (64u << 10) - MIN(x->error.len, (size_t)(64u << 10))));
}

static void on_end(void *owner, const struct err *err)
{
    source_end(owner, err);
}

static const struct tunnel_ops ops = {.head = on_head, .data = on_data, .end = on_end};

/* All at once with -f, else one after another, so that each is whole. */
static void start_next(struct logs *l)
{
    bool follow = cli_flag(l->s->args, "follow");
    while (l->next < l->sources.len && (follow || !l->running)) {
        struct source *x = l->sources.p[l->next++];
        str request = remote_request(&l->s->arena, l->conf, "GET", x->path, "Accept: */*\r\nConnection: close\r\n");
        l->running++;
        x->tunnel = tunnel_start(&(struct tunnel_opts){.loop = l->loop, .target = &l->conf->target, .request = request, .ops = &ops, .owner = x});
    }
    if (!l->running)
        loop_stop(l->loop);
}

/* --- what was asked for ---------------------------------------------------------------------------------------------------------- */

static int query_of(struct session *s, struct strbuf *q, struct failure *f)
{
    const struct cli_args *a = s->args;
    static const struct {
        const char *option, *name;
    } flags[] = {{"follow", "follow"}, {"previous", "previous"}, {"timestamps", "timestamps"}};
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (cli_flag(a, flags[i].option))
            client_query_add(q, flags[i].name, S("true"));
    const char *tail = cli_str(a, "tail"), *since_time = cli_str(a, "since-time"), *limit = cli_str(a, "limit-bytes");
    int64_t since = cli_duration_ns(a, "since", 0);
    nsec_t at;
    if (since > 0 && since_time)
        return failure_set(f, E_INVALID_ARG, "at most one of `sinceTime` or `sinceSeconds` may be specified");
    if (since < 0)
        return failure_set(f, E_INVALID_ARG, "--since must be greater than 0");
    if (since_time && !civil_parse(str_of(since_time), &at))
        return failure_set(f, E_INVALID_ARG, "--since-time wants a time such as 2026-01-02T03:04:05Z, not \"%s\"", since_time);
    if (since > 0)
        client_query_add(q, "sinceSeconds", arena_fmt(&s->arena, "%lld", (long long)((since + NSEC_PER_SEC - 1) / NSEC_PER_SEC)));
    if (since_time)
        client_query_add(q, "sinceTime", str_of(since_time));
    if (!tail && cli_str(a, "selector"))
        tail = SELECTOR_TAIL;
    if (tail && cli_int(a, "tail", -1) < -1)
        return failure_set(f, E_INVALID_ARG, "--tail must be greater than or equal to -1");
    if (tail && strcmp(tail, "-1") != 0)
        client_query_add(q, "tailLines", str_of(tail));
    if (cli_int(a, "limit-bytes", 0) < 0)
        return failure_set(f, E_INVALID_ARG, "--limit-bytes must be greater than 0");
    if (limit && cli_int(a, "limit-bytes", 0) > 0)
        client_query_add(q, "limitBytes", str_of(limit));
    return 0;
}

static int add_source(struct logs *l, const struct json *pod, str container, struct failure *f)
{
    struct session *s = l->s;
    struct strbuf query = strbuf_on(&s->arena);
    client_query_add(&query, "container", container);
    int r = query_of(s, &query, f);
    if (r < 0)
        return r;
    struct source *x = arena_new(&s->arena, struct source);
    str path = pod_target_path(s, pod, "log");
    x->logs = l;
    x->path = arena_fmt(&s->arena, STR_FMT "?" STR_FMT, STR_ARG(path), STR_ARG(strbuf_str(&query)));
    x->pod = json_get_str(json_get(pod, S("metadata")), S("name"));
    x->container = container;
    vec_push(&l->sources, x);
    return 0;
}

static int add_pod(struct logs *l, const struct json *pod, struct failure *f)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};
    str container;
    int r = 0;
    if (!cli_flag(l->s->args, "all-containers")) {
        const struct cli_args *a = l->s->args;
        r = pod_target_container(l->s, pod, a->npositional > 1 ? a->positional[1] : cli_str(a, "container"), cli_str(l->s->args, "selector") != NULL, &container, f);
        return r ? r : add_source(l, pod, container, f);
    }
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_get(json_get(pod, S("spec")), str_of(lists[k]));
        for (uint32_t i = 0; r == 0 && json_is(list, JSON_ARRAY) && i < list->len; i++)
            r = add_source(l, pod, json_get_str(&list->items[i], S("name")), f);
    }
    return r;
}

static int check_words(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    const char *selector = cli_str(a, "selector");
    struct strbuf query = strbuf_on(&s->arena);
    if (selector && a->npositional)
        return session_usage(s, f, "only a selector (-l) or a POD name is allowed");
    if (!selector && (a->npositional < 1 || a->npositional > 2))
        return session_usage(s, f, "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command");
    if (a->npositional == 2 && cli_str(a, "container"))
        return failure_set(f, E_INVALID_ARG, "only one of -c or an inline [CONTAINER] arg is allowed");
    if (cli_flag(a, "all-containers") && (a->npositional == 2 || cli_str(a, "container")))
        return failure_set(f, E_INVALID_ARG, "--all-containers=true should not be specified with container name %s", a->npositional == 2 ? a->positional[1] : cli_str(a, "container"));
    return query_of(s, &query, f);
}

/* What is not there is told with the namespace that was looked in: it is the usual mistake. */
static int say_where(struct session *s, int r, struct failure *f)
{
    const struct failure *first = s->failures.len ? &s->failures.p[0] : f;
    if (!str_is(failure_reason(first), "NotFound"))
        return r;
    str what = arena_str(&s->arena, first->message);
    s->failures.len = 0;
    return failure_set(f, E_NOT_FOUND, "error from server (NotFound): " STR_FMT " in namespace \"" STR_FMT "\"", STR_ARG(what), STR_ARG(s->namespace_));
}

static int add_pods(struct logs *l, struct failure *f)
{
    const struct cli_args *a = l->s->args;
    const char *selector = cli_str(a, "selector");
    struct json pods;
    int r = check_words(l->s, f);
    if (r < 0)
        return r;
    r = selector ? pod_target_list(l->s, selector, &pods, f) : pod_target_all(l->s, a->positional[0], &pods, f);
    if (r)
        return say_where(l->s, r, f);
    if (!selector && pods.len > 1 && !cli_flag(a, "all-pods")) {
        fprintf(stderr, "Found %u pods, using pod/" STR_FMT "\n", pods.len, STR_ARG(json_get_str(json_get(&pods.items[0], S("metadata")), S("name"))));
        pods.len = 1;
    }
    if (!pods.len) {
        fprintf(stderr, "No resources found in " STR_FMT " namespace.\n", STR_ARG(l->s->namespace_));
        return 0;
    }
    for (uint32_t i = 0; r == 0 && i < pods.len; i++)
        r = add_pod(l, &pods.items[i], f);
    int64_t most = cli_int(a, "max-log-requests", 5);
    if (r == 0 && cli_flag(a, "follow") && (int64_t)l->sources.len > most)
        return failure_set(f, E_INVALID_ARG, "you are attempting to follow %zu log streams, but maximum allowed concurrency is %lld, use --max-log-requests to increase the limit", l->sources.len,
                           (long long)most);
    return r;
}

static int logs(struct session *s, struct failure *f)
{
    struct logs l = {.s = s, .prefix = cli_flag(s->args, "prefix") || cli_flag(s->args, "all-pods"), .ignore_errors = cli_flag(s->args, "ignore-errors")};
    int r = add_pods(&l, f);
    if (r == 0 && l.sources.len && (r = remote_conf(s, &l.conf, f)) == 0) {
        signal(SIGPIPE, SIG_IGN);
        l.by_line = l.prefix || (cli_flag(s->args, "follow") && l.sources.len > 1);
        l.loop = loop_new("logs", &clock_real, &f->err);
        BUG_ON(!l.loop);
        start_next(&l);
        loop_run(l.loop);
        for (size_t i = 0; i < l.sources.len; i++) {
            tunnel_free(l.sources.p[i]->tunnel);
            strbuf_fini(&l.sources.p[i]->line);
            strbuf_fini(&l.sources.p[i]->error);
        }
        https_conf_unref(l.conf);
        loop_free(l.loop);
        if (l.failed) {
            *f = l.failure;
            r = -f->err.code;
        }
    }
    vec_fini(&l.sources);
    return r;
}

static int run_logs(struct cli_args *a)
{
    return session_run(a, logs);
}

static const struct cli_option options[] = {
    {"follow", 'f', CLI_FLAG, NULL, "", "Go on with what is printed from now on.", NULL},
    {"previous", 'p', CLI_FLAG, NULL, "", "Of the container's run before this one.", NULL},
    {"container", 'c', CLI_STRING, "NAME", "", "Container of the pod; otherwise its default one.", NULL},
    {"all-containers", 0, CLI_FLAG, NULL, "", "All containers of the pod.", NULL},
    {"all-pods", 0, CLI_FLAG, NULL, "", "All pods of the object, with prefixes.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Pods by their labels.", NULL},
    {"since", 0, CLI_DURATION, "DURATION", "", "Only what is newer than 5s, 2m or 3h.", NULL},
    {"since-time", 0, CLI_STRING, "TIME", "", "Only what came after this time (RFC 3339).", NULL},
    {"tail", 0, CLI_INT, "LINES", "-1", "So many of the newest lines; with a selector 10.", NULL},
    {"limit-bytes", 0, CLI_INT, "N", "", "At most so many bytes of each.", NULL},
    {"timestamps", 0, CLI_FLAG, NULL, "", "With the time of each line.", NULL},
    {"prefix", 0, CLI_FLAG, NULL, "", "With the names of pod and container before each line.", NULL},
    {"ignore-errors", 0, CLI_FLAG, NULL, "", "Go on with the others when one cannot be read.", NULL},
    POD_TARGET_OPTION_TIMEOUT,
    {"max-log-requests", 0, CLI_INT, "N", "5", "How many logs may be followed at once.", NULL},
    {0},
};

const struct cli_verb verb_logs = {
    .name = "logs",
    .aliases = "log",
    .summary = "Show what a container prints.",
    .usage = "[-f] [-p] (POD | TYPE/NAME | -l LABELS) [[-c] CONTAINER]",
    .examples = "  cox logs web-1\n  cox logs -f deploy/web --since=5m\n  cox logs -l app=web --all-containers --prefix",
    .options = options,
    .run = run_logs,
    .is_client = true,
};
