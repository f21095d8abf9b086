/* verb_job_kuscia.c - cox job watch, and the words with which a KusciaJob is commanded and answered: kuscia_watch.h, kuscia_stage.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_stage.h"
#include "cli/kuscia_watch.h"
#include "cli/kuscia_why.h"
#include "cli/verbs.h"

/* The one word behind the verb, without its kind: kj/NAME is what `cox why` takes and `get -o name` prints.  NULL: there is none, or too many. */
static const char *only_name(struct session *s)
{
    const char *word = s->args->npositional == 1 ? s->args->positional[0] : NULL, *slash = word ? strchr(word, '/') : NULL;
    return slash && kuscia_is_job_type(str_sub(str_of(word), 0, (size_t)(slash - word))) ? slash + 1 : word;
}

static int watch(struct session *s, struct failure *f)
{
    struct printer *p;
    const char *name = only_name(s);
    if (!name)
        return session_usage(s, f, "name one KusciaJob: cox job watch NAME");
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    return r < 0 ? r : kuscia_watch(s, p, name, cli_flag(s->args, "once"), f);
}

static int run_watch(struct cli_args *a)
{
    return session_run(a, watch);
}

static int command(struct session *s, struct failure *f)
{
    const char *name = only_name(s), *word = s->args->verb->name;
    if (!name)
        return session_usage(s, f, "name one KusciaJob: cox job %s NAME", word);
    return kuscia_stage(s, word, name, cli_str(s->args, "domain"), f);
}

static int run_command(struct cli_args *a)
{
    return session_run(a, command);
}

static const struct cli_option watch_options[] = {
    {"once", 0, CLI_FLAG, NULL, "", "One look: show how it is now, and end with 0.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};
static const struct cli_option command_options[] = {
    {"domain", 0, CLI_STRING, "NAME", "", "The domain that says so.", NULL},
    {0},
};

#define COMMAND(word, text, example) \
    static const struct cli_verb job_##word = {.name = #word, .summary = text, .usage = "KUSCIAJOB [--domain NAME]", .examples = "  cox job " #word " meeting" example, \
                                               .options = command_options, .run = run_command, .is_client = true}

COMMAND(stop, "End the tasks of a KusciaJob that run; it has failed then, and can be restarted.", "");
COMMAND(suspend, "End the tasks of a KusciaJob that run; it is suspended then, and can be restarted.", " --domain alice");
COMMAND(restart, "Let a KusciaJob go on that failed or is suspended: what succeeded stays.", "");
COMMAND(cancel, "End a KusciaJob for good.", "");
COMMAND(approve, "Say for a domain that a KusciaJob of others may run.", " --domain bob");
COMMAND(reject, "Say for a domain that a KusciaJob of others may not run.", " --domain bob");

static const struct cli_verb job_watch = {
    .name = "watch",
    .summary = "Follow a KusciaJob until it ends: its tasks in their order, and which party lacks what.",
    .usage = "KUSCIAJOB [--once] [-o FORMAT]",
    .help = "Shows all tasks, each below those that it depends on, then the rows that change, and all of them once more at the end.  A reason that is too long for\n"
            "its row stands below it, party by party.  While the server does not answer, tries again until it does.\n"
            "With -o nothing but the job and its tasks as a List, when the job has ended.\n"
            "The exit status is 0 when the job succeeded, and 1 when it ended otherwise, is not there or is deleted.",
    .examples = "  cox job watch meeting\n  cox job watch meeting --once\n  cox job watch meeting -o json",
    .options = watch_options,
    .run = run_watch,
    .is_client = true,
};

const struct cli_verb *const verb_job_kuscia[] = {&job_watch, &job_stop, &job_suspend, &job_restart, &job_cancel, &job_approve, &job_reject, NULL};
