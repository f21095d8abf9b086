/* verb_delete.c - cox delete. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "cli/deletion.h"
#include "cli/verbs.h"

static const struct cli_option options[] = {
    MANIFEST_OPTIONS,
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    {"field-selector", 0, CLI_STRING, "FIELDS", "", "Only objects with these fields.", NULL},
    {"all", 0, CLI_FLAG, NULL, "", "All objects of the types in the namespace.", NULL},
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "With a selector or --all: in every namespace.", NULL},
    {"grace-period", 0, CLI_INT, "SECONDS", "-1", "Time to end in; negative: what the object says, 0 only with --force.", NULL},
    {"force", 0, CLI_FLAG, NULL, "", "Do not wait for the object to end in good order.", NULL},
    {"now", 0, CLI_FLAG, NULL, "", "A grace period of one second.", NULL},
    {"cascade", 0, CLI_STRING, "background|foreground|orphan", "background", "What becomes of the objects it owns.",
     "background"},
    {"wait", 0, CLI_FLAG, NULL, "true", "Return when the objects are gone.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "0", "How long to wait; 0 waits on.", NULL},
    {"ignore-not-found", 0, CLI_FLAG, NULL, "", "An object that does not exist is no error.", NULL},
    {"output", 'o', CLI_STRING, "name", "", "name: print TYPE/NAME.", NULL},
    CHANGE_OPTION_DRY_RUN,
    {0},
};

struct deleting {
    struct session *s;
    struct change c;
    struct deletion d;
    bool ignore_not_found;
    VEC(str) uids;
};

static int read_cascade(const struct cli_args *a, const char **ret, struct failure *f)
{
    static const struct {
        const char *word, *policy;
    } words[] = {{"background", "Background"},
                 {"true", "Background"},
                 {"foreground", "Foreground"},
                 {"orphan", "Orphan"},
                 {"false", "Orphan"}};
    const char *given = cli_str_or(a, "cascade", "background");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcmp(given, words[i].word) == 0) {
            *ret = words[i].policy;
            return 0;
        }
    }
    return failure_set(f, E_INVALID_ARG, "invalid cascade value (%s). Must be \"background\", \"foreground\", or \"orphan\"",
                       given);
}

static int read_options(struct deleting *d, struct failure *f)
{
    const struct cli_args *a = d->s->args;
    bool force = cli_flag(a, "force"), now = cli_flag(a, "now");
    int64_t grace = cli_int(a, "grace-period", -1);
    const char *output = cli_str_or(a, "output", "");
    if (output[0] && strcmp(output, "name") != 0)
        return failure_set(f, E_INVALID_ARG, "unexpected -o output mode: %s. We only support '-o name'", output);
    if (now && grace != -1)
        return failure_set(f, E_INVALID_ARG, "--now and --grace-period cannot be specified together");
    if (cli_flag(a, "all") && (cli_str(a, "selector") || cli_str(a, "field-selector")))
        return failure_set(f, E_INVALID_ARG, "setting 'all' parameter but found a non empty selector. ");
    if (now || (grace == 0 && !force))
        grace = 1;
    if (force && grace < 0)
        grace = 0;
    if (force && grace > 0)
        return failure_set(f, E_INVALID_ARG, "--force and --grace-period greater than 0 cannot be specified together");
    if (force)
        fputs(
            "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on "
            "the cluster indefinitely.\n",
            stderr);
    d->d = (struct deletion){
        .grace_s = grace, .timeout_ns = cli_duration_ns(a, "timeout", 0), .is_dry_run = d->c.dry_run == DRY_RUN_SERVER};
    d->d.waits = (!cli_given(a, "wait") || cli_flag(a, "wait")) && d->c.dry_run == DRY_RUN_NONE;
    bool selects = cli_flag(a, "all") || cli_str(a, "selector") || cli_str(a, "field-selector");
    d->ignore_not_found = cli_given(a, "ignore-not-found") ? cli_flag(a, "ignore-not-found") : selects;
    return read_cascade(a, &d->d.propagation, f);
}

static void report(struct deleting *d, const struct target *t)
{
    static const char *const behind[] = {"", " (dry run)", " (server dry run)"};
    str type = discovery_type_name(&d->s->arena, t->res);
    if (d->c.printer->format == PRINT_NAME)
        printf(STR_FMT "/" STR_FMT "\n", STR_ARG(type), STR_ARG(t->name));
    else
        printf(STR_FMT " \"" STR_FMT "\" %s%s\n", STR_ARG(type), STR_ARG(t->name),
               d->d.grace_s == 0 ? "force deleted" : "deleted", behind[d->c.dry_run]);
    fflush(stdout);
}

static int delete_one(struct deleting *d, const struct target *t, struct failure *f)
{
    str uid = S("");
    int r = d->c.dry_run == DRY_RUN_CLIENT ? 0 : deletion_send(d->s, t, &d->d, &uid, f);
    if (r < 0 && t->source.len)
        failure_wrap(f, &d->s->arena, "error when deleting \"" STR_FMT "\": ", STR_ARG(t->source));
    if (r == 0) {
        report(d, t);
        vec_push(&d->uids, uid);
    }
    return r;
}

/* What a selector or --all means is read first; named objects are deleted unseen. */
static int find_targets(struct deleting *d, struct targets *ret, struct failure *f)
{
    struct resource_query q = resource_query_of(d->s->args, 0);
    struct targets sel;
    int r = resources_select(d->s, &q, &sel, f);
    if (r == 0 && sel.is_lists)
        return resources_fetch(d->s, &q, &sel, ret, f);
    *ret = sel;
    return r;
}

static int delete_all(struct deleting *d, struct failure *f)
{
    struct targets found, gone = {0};
    bool warned = !d->s->namespace_given || cli_flag(d->s->args, "all-namespaces");
    int r = find_targets(d, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (!warned && !found.p[i].res->is_namespaced) {
            fputs("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n", stderr);
            warned = true;
        }
        if (delete_one(d, &found.p[i], f) == 0)
            targets_add(d->s, &gone, found.p[i]);
        else if (!(d->ignore_not_found && f->err.code == E_NOT_FOUND))
            session_note(d->s, f);
    }
    if (r == 0 && !found.len && !d->s->failures.len)
        printf("No resources found\n");
    for (size_t i = 0; r == 0 && d->d.waits && i < gone.len; i++)
        r = deletion_wait(d->s, &gone.p[i], &d->d, d->uids.p[i], f);
    return r;
}

static int delete_objects(struct session *s, struct failure *f)
{
    struct deleting d = {.s = s};
    int r = change_init(&d.c, s, "kubectl", f);
    if (r == 0)
        r = read_options(&d, f);
    if (r == 0)
        r = delete_all(&d, f);
    vec_fini(&d.uids);
    return r;
}

static int run_delete(struct cli_args *a)
{
    return session_run(a, delete_objects);
}

const struct cli_verb verb_delete = {
    .name = "delete",
    .summary = "Delete objects by name, by label or as files list them.",
    .usage = "(TYPE NAME ... | TYPE/NAME ... | TYPE (-l LABELS | --all) | -f FILE) [OPTIONS]",
    .examples =
        "  cox delete pod web\n  cox delete -f web.yaml\n  cox delete pods -l app=web --now\n  cox delete job/sum --cascade=orphan",
    .options = options,
    .run = run_delete,
    .is_client = true,
};
