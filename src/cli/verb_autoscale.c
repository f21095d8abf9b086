/* verb_autoscale.c - cox autoscale: a HorizontalPodAutoscaler for a workload. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "wire/json_make.h"
#include "cli/verbs.h"

static int check_sizes(const struct cli_args *a, struct failure *f)
{
    long long min = cli_int(a, "min", -1), max = cli_int(a, "max", -1);
    if (!cli_given(a, "max"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"max\" not set");
    if (max < 1)
        return failure_set(f, E_INVALID_ARG, "--max=MAXPODS is required and must be at least 1, max: %lld", max);
    if (max < min)
        return failure_set(f, E_INVALID_ARG, "--max=MAXPODS must be larger or equal to --min=MINPODS, max: %lld, min: %lld", max, min);
    return 0;
}

/* Only what has a scale subresource can be scaled; the server knows. */
static int check_scalable(struct session *s, const struct target *t, struct failure *f)
{
    struct json scale;
    int r = session_get(s, target_path(s, t, S("scale")), S(""), &scale, f);
    if (r != -E_NOT_FOUND && r != -E_METHOD)
        return r;
    return failure_set(f, E_INVALID_ARG, "cannot autoscale a " STR_FMT ": could not find scale subresource for " STR_FMT "/" STR_FMT ", Resource=" STR_FMT " in discovery information",
                       STR_ARG(t->res->kind), STR_ARG(t->res->group), STR_ARG(t->res->version), STR_ARG(t->res->plural));
}

static struct json make_hpa(struct session *s, const struct target *t)
{
    struct arena *a = &s->arena;
    const struct cli_args *args = s->args;
    const char *name = cli_str(args, "name");
    struct json hpa = json_make(a,
                                "{\"apiVersion\":\"autoscaling/v2\",\"kind\":\"HorizontalPodAutoscaler\",\"metadata\":{\"creationTimestamp\":null,\"name\":%S},"
                                "\"spec\":{\"maxReplicas\":%d,\"scaleTargetRef\":{\"apiVersion\":%S,\"kind\":%S,\"name\":%S}},"
                                "\"status\":{\"currentMetrics\":null,\"desiredReplicas\":0}}",
                                name ? str_of(name) : t->name, cli_int(args, "max", 0), discovery_group_version(a, t->res), t->res->kind, t->name);
    struct json *spec = json_get(&hpa, S("spec"));
    int64_t min = cli_int(args, "min", -1), cpu = cli_int(args, "cpu-percent", -1);
    if (min > 0)
        json_set(a, spec, S("minReplicas"), json_int(a, min));
    if (cpu >= 0)
        json_set(a, spec, S("metrics"),
                 json_make(a, "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":\"Utilization\",\"averageUtilization\":%d}}}]", cpu));
    return hpa;
}

static int autoscale_one(struct change *c, const struct target *t, struct failure *f)
{
    struct target hpa = {.ns = t->ns};
    struct json object, done;
    int r = check_scalable(c->s, t, f);
    if (r == 0)
        r = resource_type_find(c->s, S("horizontalpodautoscalers.autoscaling"), &hpa.res, f);
    if (r < 0)
        return r;
    object = make_hpa(c->s, t);
    r = change_create(c, &hpa, &object, &done, f);
    return r < 0 ? r : change_report(c, hpa.res, &done, "autoscaled", f);
}

static int autoscale(struct session *s, struct failure *f)
{
    struct change c;
    struct targets found;
    struct resource_query q = resource_query_of(s->args, 0);
    int r = check_sizes(s->args, f);
    if (r == 0)
        r = change_init(&c, s, "kubectl-autoscale", f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++)
        r = autoscale_one(&c, &found.p[i], f);
    return r;
}

static int run_autoscale(struct cli_args *a)
{
    return session_run(a, autoscale);
}

static const struct cli_option options[] = {
    {"max", 0, CLI_INT, "N", "", "The most pods.", NULL},
    {"min", 0, CLI_INT, "N", "-1", "The fewest pods; left out: the server's choice, 1.", NULL},
    {"cpu-percent", 0, CLI_INT, "PERCENT", "-1", "CPU use to aim at, in percent of the request; left out: the server's choice, 80.", NULL},
    {"name", 0, CLI_STRING, "NAME", "", "Of the new object; left out: that of the workload.", NULL},
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-autoscale"),
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_autoscale = {
    .name = "autoscale",
    .summary = "Let the size of a workload follow its load.",
    .usage = "(TYPE NAME | TYPE/NAME | -f FILE) --max=N [--min=N] [--cpu-percent=PERCENT] [OPTIONS]",
    .examples = "  cox autoscale deploy/web --min=2 --max=10 --cpu-percent=70",
    .options = options,
    .run = run_autoscale,
    .is_client = true,
};
