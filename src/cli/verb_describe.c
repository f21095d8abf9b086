/* verb_describe.c - cox describe. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/describe.h"
#include "cli/verbs.h"

static void show(struct describe *d, const struct target *t, const char *before, const char *after)
{
    strbuf_add_str(&d->out, str_of(before));
    describe_object(d, t);
    strbuf_add_str(&d->out, str_of(after));
    print_flush(&d->out);
}

/* `describe pod web` also means every pod whose name begins with web, when there is none of that name. */
static int show_matching(struct describe *d, struct session *s, struct resource_query q, struct failure *f)
{
    struct targets all;
    str prefix = str_of(q.words[1]);
    size_t shown = 0;
    struct failure not_found = s->failures.p[0];
    vec_clear(&s->failures);
    q.nwords = 1;
    int r = resources_find(s, &q, &all, f);
    for (size_t i = 0; r == 0 && i < all.len; i++) {
        if (!str_has_prefix(all.p[i].name, prefix))
            continue;
        show(d, &all.p[i], "", "\n");
        shown++;
    }
    if (r == 0 && !shown) {
        *f = not_found;
        return -f->err.code;
    }
    return r;
}

static int describe(struct session *s, struct failure *f)
{
    struct describe d = {
        .s = s, .arena = &s->arena, .shows_events = !cli_given(s->args, "show-events") || cli_flag(s->args, "show-events")};
    struct resource_query q = resource_query_of(s->args, 0);
    struct targets found;
    q.lists_alone = true;
    if (!q.nwords && !cli_list(s->args, "filename", 0))
        return failure_set(
            f, E_INVALID_ARG,
            "You must specify the type of resource to describe. Use \"cox api-resources\" for a complete list of supported resources.");
    int r = resources_find(s, &q, &found, f);
    if (r == 0 && !found.len && q.nwords == 2 && s->failures.len == 1 && s->failures.p[0].err.code == E_NOT_FOUND)
        r = show_matching(&d, s, q, f);
    for (size_t i = 0; r == 0 && i < found.len; i++)
        show(&d, &found.p[i], i ? "\n\n" : "", "");
    if (r == 0 && !found.len && !s->failures.len && q.nwords != 2) {
        if (q.all_namespaces)
            fprintf(stderr, "No resources found\n");
        else
            fprintf(stderr, "No resources found in " STR_FMT " namespace.\n", STR_ARG(s->namespace_));
    }
    strbuf_fini(&d.out);
    return r;
}

static int run_describe(struct cli_args *a)
{
    return session_run(a, describe);
}

static const struct cli_option options[] = {
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "Look into every namespace.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    {"show-events", 0, CLI_FLAG, NULL, "true", "With the events about the objects.", NULL},
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_describe = {
    .name = "describe",
    .summary = "Show objects in detail, with their events.",
    .usage = "(TYPE [NAME | PREFIX] | TYPE/NAME ... | -f FILE) [OPTIONS]",
    .examples = "  cox describe node worker-1\n  cox describe pods -l app=web\n  cox describe deploy/web",
    .options = options,
    .run = run_describe,
    .is_client = true,
};
