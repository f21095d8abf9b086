/* verb_exec.c - cox exec, cox attach. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "cli/pod_target.h"
#include "cli/remote_exec.h"
#include "cli/verbs.h"

int verb_exec_check_runs(const struct json *pod, const char *what, struct failure *f)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    if (str_is(phase, "Succeeded") || str_is(phase, "Failed"))
        return failure_set(f, E_INVALID_ARG, "cannot %s a container in a completed pod; current phase is " STR_FMT, what, STR_ARG(phase));
    return 0;
}

static int finish(int code)
{
    if (code)
        fprintf(stderr, "command terminated with exit code %d\n", code);
    return code;
}

static int write_and_count(void *arg, int stream, str bytes, struct err *err)
{
    uint64_t *count = arg;
    *count += bytes.len;
    return remote_exec_write_std(NULL, stream, bytes, err);
}

int verb_exec_streams(struct session *s, const struct json *pod, const char *sub, str container, const char *const *command, bool in, bool tty, uint64_t *ret_bytes, struct failure *f)
{
    int code = 0;
    uint64_t bytes = 0;
    if (tty && in && !isatty(STDIN_FILENO) && !cli_flag(s->args, "quiet"))
        fprintf(stderr, "Unable to use a TTY - input is not a terminal or the right kind of file\n");
    tty = tty && in && isatty(STDIN_FILENO);
    str query = remote_exec_query(s, container, command, in, true, !tty, tty), path = pod_target_path(s, pod, sub);
    struct remote_exec x = {.path = arena_fmt(&s->arena, STR_FMT "?" STR_FMT, STR_ARG(path), STR_ARG(query)), .tty = tty, .in_fd = in ? STDIN_FILENO : -1, .write = write_and_count, .arg = &bytes};
    int r = remote_exec_run(s, &x, &code, f);
    if (ret_bytes)
        *ret_bytes = bytes;
    return r < 0 ? r : finish(code);
}

static int exec(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    struct json pod;
    str container;
    if (a->nbefore > 1 && !a->has_dashes)
        return session_usage(s, f, "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead");
    if (a->nbefore < 1)
        return failure_set(f, E_INVALID_ARG, "pod, type/name or --filename must be specified");
    if (a->npositional == a->nbefore)
        return failure_set(f, E_INVALID_ARG, "you must specify at least one command for the container");
    int r = pod_target_find(s, a->positional[0], &pod, f);
    if (r == 0)
        r = verb_exec_check_runs(&pod, "exec into", f);
    if (r == 0)
        r = pod_target_container(s, &pod, cli_str(a, "container"), cli_flag(a, "quiet"), &container, f);
    if (r)
        return r;
    const char **command = arena_array(&s->arena, a->npositional, const char *);
    memcpy(command, a->positional + a->nbefore, (a->npositional - a->nbefore) * sizeof *command);
    return verb_exec_streams(s, &pod, "exec", container, command, cli_flag(a, "stdin"), cli_flag(a, "tty"), NULL, f);
}

static int run_exec(struct cli_args *a)
{
    return session_run(a, exec);
}

static const struct cli_option exec_options[] = {
    {"container", 'c', CLI_STRING, "NAME", "", "Container of the pod; otherwise its default one.", NULL},
    {"stdin", 'i', CLI_FLAG, NULL, "", "Hand standard input to the command.", NULL},
    {"tty", 't', CLI_FLAG, NULL, "", "Give it a terminal.", NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "", "Only the output of the command.", NULL},
    POD_TARGET_OPTION_TIMEOUT,
    {0},
};

const struct cli_verb verb_exec = {
    .name = "exec",
    .summary = "Run a command in a container.",
    .usage = "(POD | TYPE/NAME) [-c CONTAINER] [-i] [-t] -- COMMAND [ARGS...]",
    .help = "The exit status is that of the command.",
    .examples = "  cox exec web-1 -- date\n  cox exec -it deploy/web -- sh\n  tar cf - . | cox exec -i web-1 -- tar xf - -C /srv",
    .options = exec_options,
    .run = run_exec,
    .is_client = true,
};

/* --- attach ---------------------------------------------------------------------------------------------------------------------- */

static const struct json *container_of_pod(const struct json *pod, str name)
{
    static const char *const lists[] = {"containers", "initContainers", "ephemeralContainers"};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_get(json_get(pod, S("spec")), str_of(lists[k]));
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            if (str_eq(json_get_str(&list->items[i], S("name")), name))
                return &list->items[i];
    }
    return NULL;
}

static int attach(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    struct json pod;
    str container;
    if (!a->npositional)
        return failure_set(f, E_INVALID_ARG, "at least 1 argument is required for attach");
    if (a->npositional > 2)
        return failure_set(f, E_INVALID_ARG, "expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw %zu", a->npositional);
    const char *word = a->npositional == 1 ? a->positional[0] : arena_fmt(&s->arena, "%s/%s", a->positional[0], a->positional[1]).p;
    int r = pod_target_find(s, word, &pod, f);
    if (r == 0)
        r = verb_exec_check_runs(&pod, "attach", f);
    if (r == 0)
        r = pod_target_container(s, &pod, cli_str(a, "container"), cli_flag(a, "quiet"), &container, f);
    if (r)
        return r;
    bool tty = cli_flag(a, "tty"), has_tty = json_get_bool(container_of_pod(&pod, container), S("tty"), false);
    if (tty && !has_tty)
        fprintf(stderr, "Unable to use a TTY - container " STR_FMT " did not allocate one\n", STR_ARG(container));
    if (!cli_flag(a, "quiet"))
        fprintf(stderr, "If you don't see a command prompt, try pressing enter.\n");
    return verb_exec_streams(s, &pod, "attach", container, NULL, cli_flag(a, "stdin"), tty && has_tty, NULL, f);
}

static int run_attach(struct cli_args *a)
{
    return session_run(a, attach);
}

const struct cli_verb verb_attach = {
    .name = "attach",
    .summary = "Join the process that runs in a container.",
    .usage = "(POD | TYPE/NAME) [-c CONTAINER] [-i] [-t]",
    .examples = "  cox attach web-1\n  cox attach -it shell",
    .options = exec_options,
    .run = run_attach,
    .is_client = true,
};
