/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_attached.h"

#include "cli/deletion.h"
#include "cli/pod_target.h"
#include "cli/remote_exec.h"
#include "cli/verbs.h"
#include "cli/waiting.h"

#define START_NS (60 * NSEC_PER_SEC)
#define END_NS (7 * 24 * 3600 * NSEC_PER_SEC)

struct watched {
    struct session *s;
    struct json pod; /* as it was seen last */
    str uid;
};

int run_attached_wanted(struct session *s, bool *ret, struct failure *f)
{
    const struct cli_args *a = s->args;
    *ret = cli_given(a, "attach") ? cli_flag(a, "attach") : cli_flag(a, "stdin");
    if (cli_flag(a, "tty") && !cli_flag(a, "stdin"))
        return session_usage(s, f, "-i/--stdin is required for containers with -t/--tty=true");
    if (cli_flag(a, "rm") && !*ret)
        return session_usage(s, f, "--rm should only be used for attached containers");
    if (*ret && cli_str(a, "dry-run") && strcmp(cli_str(a, "dry-run"), "none") != 0)
        return session_usage(s, f, "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)");
    return 0;
}

static bool has_ended(const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

/* Keeps what was seen; gone, or another of the same name, is the end of waiting. */
static int look(struct watched *w, const struct json *obj, struct failure *f)
{
    if (!obj || !str_eq(json_get_str(json_get(obj, S("metadata")), S("uid")), w->uid))
        return failure_set(f, E_NOT_FOUND, "the pod was deleted before its end");
    w->pod = json_copy(&w->s->arena, obj);
    return 0;
}

static int runs(void *arg, const struct json *obj, struct failure *f)
{
    int r = look(arg, obj, f);
    return r < 0 ? r : has_ended(obj) || str_is(json_get_str(json_get(obj, S("status")), S("phase")), "Running");
}

static int ended(void *arg, const struct json *obj, struct failure *f)
{
    int r = look(arg, obj, f);
    return r < 0 ? r : has_ended(obj);
}

static bool print(void *arg, str bytes)
{
    struct failure *f = arg;
    return remote_exec_write_std(NULL, 1, bytes, &f->err) == 0;
}

/* From its first line to its last: who only reads misses nothing that was printed before we came. */
static int follow_log(struct session *s, const struct json *pod, str container, struct failure *f)
{
    struct strbuf query = strbuf_on(&s->arena);
    client_query_add(&query, "container", container);
    client_query_add(&query, "follow", S("true"));
    struct client_request q = {.method = S("GET"), .path = pod_target_path(s, pod, "log"), .query = strbuf_str(&query)};
    int r = client_stream(s->client, &q, print, f, &f->err);
    return r < 0 ? r : -f->err.code;
}

/* Of the container that was watched; said as kubectl says it. */
static int exit_status(const struct json *pod, str container)
{
    const struct json *list = json_path(pod, "status", "containerStatuses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *end = json_path(&list->items[i], "state", "terminated", NULL);
        int64_t code = json_get_int(end, S("exitCode"), 0);
        if (!str_eq(json_get_str(&list->items[i], S("name")), container) || !code)
            continue;
        const struct json *meta = json_get(pod, S("metadata"));
        str reason = json_get_str(end, S("reason"));
        fprintf(stderr, "pod " STR_FMT "/" STR_FMT " terminated (" STR_FMT ")\n", STR_ARG(json_get_str(meta, S("namespace"))), STR_ARG(json_get_str(meta, S("name"))), STR_ARG(reason));
        return (int)code;
    }
    return 0;
}

static int attach(struct watched *w, const struct target *t, struct failure *f)
{
    struct session *s = w->s;
    const struct cli_args *a = s->args;
    str container, policy;
    int r = waiting_run(s, t, cli_duration_ns(a, "pod-running-timeout", START_NS), runs, w, f);
    if (r == 0)
        r = pod_target_container(s, &w->pod, NULL, true, &container, f);
    if (r)
        return r;
    uint64_t came = 1;
    bool in = cli_flag(a, "stdin"), tty = cli_flag(a, "tty");
    if (!in || has_ended(&w->pod)) {
        r = follow_log(s, &w->pod, container, f);
    } else {
        if (!cli_flag(a, "quiet"))
            fprintf(stderr, "If you don't see a command prompt, try pressing enter.\n");
        r = verb_exec_streams(s, &w->pod, "attach", container, NULL, in, tty, &came, f);
        if (r < 0) { /* it may have ended just now */
            fprintf(stderr, "warning: couldn't attach to pod/" STR_FMT ", falling back to streaming logs: %s\n", STR_ARG(t->name), f->err.msg);
            *f = FAILURE_NONE;
            came = 1;
            r = follow_log(s, &w->pod, container, f);
        }
    }
    policy = json_get_str(json_get(&w->pod, S("spec")), S("restartPolicy"));
    if (r || str_is(policy, "Always")) /* restarted: there is no end to wait for */
        return r;
    r = waiting_run(s, t, END_NS, ended, w, f);
    if (r == 0 && !came) /* all that it printed, it printed before we were attached: a short command */
        r = follow_log(s, &w->pod, container, f);
    return r ? r : exit_status(&w->pod, container);
}

int run_attached(struct session *s, const struct json *pod, struct failure *f)
{
    struct watched w = {.s = s, .pod = json_copy(&s->arena, pod), .uid = json_get_str(json_get(pod, S("metadata")), S("uid"))};
    struct target t;
    int r = target_of_object(s, &w.pod, S(""), &t, f);
    if (r < 0)
        return r;
    int status = attach(&w, &t, f);
    if (!cli_flag(s->args, "rm"))
        return status;
    struct failure late = FAILURE_NONE;
    r = deletion_run(s, &t, &(struct deletion){.grace_s = -1, .propagation = "Background", .waits = true}, &late);
    if (r < 0 && status >= 0)
        *f = late;
    else if (r == 0 && !cli_flag(s->args, "quiet"))
        printf("pod \"" STR_FMT "\" deleted\n", STR_ARG(t.name));
    return status ? status : r;
}
