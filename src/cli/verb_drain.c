/* verb_drain.c - cox cordon, cox uncordon, cox drain: nodes out of and back into use. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"
#include "cli/drain.h"
#include "cli/verbs.h"

/* --- nodes ----------------------------------------------------------------------------------------------------------------------- */

static int find_nodes(struct session *s, struct targets *ret, struct failure *f)
{
    const struct cli_args *a = s->args;
    const char *labels = cli_str(a, "selector");
    const struct discovery_resource *res;
    struct resource_query q = {.labels = labels, .lists_alone = true};
    struct targets sel = {.is_lists = labels != NULL};
    if (!a->npositional && !labels)
        return session_usage(s, f, "USAGE: %s NODE [flags]", a->verb->name);
    if (a->npositional && labels)
        return session_usage(s, f, "error: cannot specify both a node name and a --selector option");
    int r = resource_type_find(s, S("nodes"), &res, f);
    if (r < 0)
        return r;
    if (labels)
        targets_add(s, &sel, (struct target){.res = res});
    for (size_t i = 0; i < a->npositional; i++) {
        str name = str_of(a->positional[i]);
        if (str_has_prefix(name, S("node/")) || str_has_prefix(name, S("nodes/")))
            name = str_from(name, (size_t)str_find_char(name, '/') + 1);
        targets_add(s, &sel, (struct target){.res = res, .name = name});
    }
    r = resources_fetch(s, &q, &sel, ret, f);
    return r == 0 && s->failures.len ? 1 : r; /* one that is not there may be a misspelt other: then none is touched */
}

static int cordon_one(struct change *c, const struct target *t, bool closes, struct failure *f)
{
    bool closed = json_get_bool(json_get(&t->object, S("spec")), S("unschedulable"), false);
    struct json after, patch = json_literal(&c->s->arena, closes ? "{\"spec\":{\"unschedulable\":true}}" : "{\"spec\":{\"unschedulable\":null}}");
    if (closed == closes)
        return change_report(c, t->res, &t->object, closes ? "already cordoned" : "already uncordoned", f);
    int r = change_patch(c, t, S(""), CHANGE_PATCH_STRATEGIC, &patch, &after, f);
    return r < 0 ? r : change_report(c, t->res, &t->object, closes ? "cordoned" : "uncordoned", f);
}

/* Nodes that could not be cordoned are noted and left out of *ret. */
static int cordon_all(struct change *c, bool closes, struct targets *ret, struct failure *f)
{
    struct targets found;
    int r = find_nodes(c->s, &found, f);
    *ret = (struct targets){0};
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (cordon_one(c, &found.p[i], closes, f) < 0)
            session_note(c->s, f);
        else
            targets_add(c->s, ret, found.p[i]);
    }
    fflush(stdout);
    return r;
}

static int cordon(struct session *s, struct failure *f)
{
    struct change c;
    struct targets done;
    int r = change_init(&c, s, "kubectl-cordon", f);
    return r < 0 ? r : cordon_all(&c, s->args->verb == &verb_cordon, &done, f);
}

static int run_cordon(struct cli_args *a)
{
    return session_run(a, cordon);
}

/* --- drain ------------------------------------------------------------------------------------------------------------------------- */

static struct drain drain_of(struct session *s, enum dry_run dry_run)
{
    const struct cli_args *a = s->args;
    nsec_t timeout = cli_duration_ns(a, "timeout", 0);
    return (struct drain){.s = s,
                          .dry_run = dry_run,
                          .force = cli_flag(a, "force"),
                          .ignore_daemonsets = cli_flag(a, "ignore-daemonsets"),
                          .delete_emptydir = cli_flag(a, "delete-emptydir-data"),
                          .disable_eviction = cli_flag(a, "disable-eviction"),
                          .grace_s = cli_int(a, "grace-period", -1),
                          .skip_deleted_s = cli_int(a, "skip-wait-for-delete-timeout", 0),
                          .pod_selector = cli_str(a, "pod-selector"),
                          .timeout_text = cli_str_or(a, "timeout", "0s"),
                          .end = timeout > 0 ? clock_mono(&clock_real) + timeout : 0};
}

/* "[a, b]", or the one alone. */
static void print_refusal(str node, const struct drain_why *why)
{
    fprintf(stderr, "error: unable to drain node \"" STR_FMT "\" due to error: %s", STR_ARG(node), why->len > 1 ? "[" : "");
    for (size_t i = 0; i < why->len; i++)
        fprintf(stderr, "%s" STR_FMT, i ? ", " : "", STR_ARG(why->list[i]));
    fprintf(stderr, "%s, continuing command...\n", why->len > 1 ? "]" : "");
}

static int drain_all(struct change *c, const struct targets *nodes, struct failure *f)
{
    struct drain d = drain_of(c->s, c->dry_run);
    struct arena *a = &c->s->arena;
    struct drain_why *why = arena_array(a, nodes->len + 1, struct drain_why);
    size_t nbad = 0;
    for (size_t i = 0; i < nodes->len; i++) {
        int r = drain_node(&d, nodes->p[i].name, &why[i], f);
        if (r < 0 && !why[i].len)
            return r;
        if (r == 0) {
            r = change_report(c, nodes->p[i].res, &nodes->p[i].object, "drained", f);
            if (r < 0)
                return r;
            continue;
        }
        nbad++;
        print_refusal(nodes->p[i].name, &why[i]);
    }
    if (!nbad)
        return 0;
    fprintf(stderr, "There are pending nodes to be drained:\n");
    for (size_t i = 0; i < nodes->len; i++) {
        if (why[i].len)
            fprintf(stderr, " " STR_FMT "\n", STR_ARG(nodes->p[i].name));
    }
    for (size_t i = 0; i < nodes->len; i++) {
        for (size_t k = 0; k < why[i].len; k++)
            fprintf(stderr, STR_FMT "\n", STR_ARG(why[i].list[k]));
    }
    return 1;
}

static int drain(struct session *s, struct failure *f)
{
    struct change c;
    struct targets nodes;
    struct selector sel;
    struct err err = ERR_NONE;
    const char *pods = cli_str_or(s->args, "pod-selector", "");
    int r = change_init(&c, s, "kubectl-drain", f);
    if (r == 0 && selector_parse_labels(&s->arena, str_of(pods), &sel, &err) < 0)
        r = failure_set(f, E_INVALID_ARG, "--pod-selector=%s must be a valid label selector: %s", pods, err.msg);
    if (r == 0)
        r = cordon_all(&c, true, &nodes, f);
    return r ? r : drain_all(&c, &nodes, f);
}

static int run_drain(struct cli_args *a)
{
    return session_run(a, drain);
}

/* --- the verbs ----------------------------------------------------------------------------------------------------------------------- */

#define NODE_SELECTOR {"selector", 'l', CLI_STRING, "LABELS", "", "Nodes with these labels.", NULL}
static const struct cli_option cordon_options[] = {NODE_SELECTOR, CHANGE_OPTION_DRY_RUN, {0}};
static const struct cli_option drain_options[] = {
    {"ignore-daemonsets", 0, CLI_FLAG, NULL, "", "Leave pods of daemon sets where they are.", NULL},
    {"delete-emptydir-data", 0, CLI_FLAG, NULL, "", "Go on with pods whose emptyDir volumes will be lost.", NULL},
    {"force", 0, CLI_FLAG, NULL, "", "Go on with pods that nobody will make again.", NULL},
    {"grace-period", 0, CLI_INT, "SECONDS", "-1", "Time for a pod to end; negative: the pod's own.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "0s", "Give up after this; 0: never.", NULL},
    {"disable-eviction", 0, CLI_FLAG, NULL, "", "Delete pods, without regard to disruption budgets.", NULL},
    {"pod-selector", 0, CLI_STRING, "LABELS", "", "Only pods with these labels.", NULL},
    {"skip-wait-for-delete-timeout", 0, CLI_INT, "SECONDS", "0", "Do not wait for pods that have been ending for longer.", NULL},
    {"chunk-size", 0, CLI_INT, "N", "500", "Pods are read in pages of so many.", NULL},
    NODE_SELECTOR,
    CHANGE_OPTION_DRY_RUN,
    {0},
};

const struct cli_verb verb_cordon = {
    .name = "cordon",
    .summary = "Keep new pods away from nodes.",
    .usage = "(NODE ... | -l LABELS) [OPTIONS]",
    .examples = "  cox cordon node-1",
    .options = cordon_options,
    .run = run_cordon,
    .is_client = true,
};
const struct cli_verb verb_uncordon = {
    .name = "uncordon",
    .summary = "Let new pods come to nodes again.",
    .usage = "(NODE ... | -l LABELS) [OPTIONS]",
    .examples = "  cox uncordon node-1",
    .options = cordon_options,
    .run = run_cordon,
    .is_client = true,
};
const struct cli_verb verb_drain = {
    .name = "drain",
    .summary = "Empty nodes, for maintenance.",
    .usage = "(NODE ... | -l LABELS) [OPTIONS]",
    .help = "The nodes are cordoned, then their pods are evicted: disruption budgets are respected, and an eviction that one refuses\n"
            "is asked for again every five seconds. `cox uncordon` puts the nodes back into use.",
    .examples = "  cox drain node-1 --ignore-daemonsets\n  cox drain node-1 --ignore-daemonsets --delete-emptydir-data --timeout=5m",
    .options = drain_options,
    .run = run_drain,
    .is_client = true,
};
