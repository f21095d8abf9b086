/* queue_simulate.c - cox queue simulate: asks the scheduler in the server what would become of work in a queue. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"
#include "cli/resources.h"
#include "cli/verbs.h"
#include "cli/what_if_file.h"
#include "client/client.h"

#define VICTIMS_SHOWN 20u

static const struct {
    const char *starts, *words;
} words[] = {{"Now", "now"}, {"AfterEviction", "after evictions"}, {"Waits", "later: it waits"}, {"Never", "never, as things are"}};

static void add_amounts(struct strbuf *b, const char *label, const struct json *map)
{
    if (!json_is(map, JSON_OBJECT) || !map->len)
        return;
    strbuf_addf(b, "%s\t", label);
    for (uint32_t i = 0; i < map->len; i++)
        strbuf_addf(b, "%s" STR_FMT " " STR_FMT, i ? ", " : "", STR_ARG(json_str(&map->members[i].value)), STR_ARG(map->members[i].key));
    strbuf_add_char(b, '\n');
}

static void show(const struct json *x, struct strbuf *out)
{
    TABS_AUTO t = TABS_TEXT;
    str starts = json_get_str(x, S("starts"));
    const struct json *nodes = json_get(x, S("nodes")), *victims = json_get(x, S("victims"));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(starts, words[i].starts))
            strbuf_addf(&t.text, "Starts:\t%s\n", words[i].words);
    strbuf_addf(&t.text, "Reason:\t" STR_FMT "\n", STR_ARG(json_get_str(x, S("reason"))));
    if (json_get(x, S("position")))
        strbuf_addf(&t.text, "Position:\t%lld in queue " STR_FMT "\n", (long long)json_get_int(x, S("position"), 0), STR_ARG(json_get_str(x, S("queue"))));
    add_amounts(&t.text, "Asks:", json_get(x, S("asks")));
    add_amounts(&t.text, "Queue has:", json_get(x, S("allocated")));
    add_amounts(&t.text, "Fair share:", json_get(x, S("fairShare")));
    for (uint32_t i = 0; nodes && i < nodes->len; i++)
        strbuf_addf(&t.text, "%s\t" STR_FMT ", %lld %s\n", i ? "" : "Nodes:", STR_ARG(json_get_str(&nodes->items[i], S("name"))), (long long)json_get_int(&nodes->items[i], S("pods"), 0),
                    json_get_int(&nodes->items[i], S("pods"), 0) == 1 ? "pod" : "pods");
    for (uint32_t i = 0; victims && i < victims->len && i < VICTIMS_SHOWN; i++) {
        const struct json *v = &victims->items[i];
        strbuf_addf(&t.text, "%s\t" STR_FMT "/" STR_FMT " of queue " STR_FMT " on " STR_FMT "\n", i ? "" : "Victims:", STR_ARG(json_get_str(v, S("namespace"))),
                    STR_ARG(json_get_str(v, S("name"))), STR_ARG(json_get_str(v, S("queue"))), STR_ARG(json_get_str(v, S("node"))));
    }
    if (victims && victims->len > VICTIMS_SHOWN)
        strbuf_addf(&t.text, "\tand %lld more\n", (long long)(victims->len - VICTIMS_SHOWN) + (long long)json_get_int(x, S("victimsLeftOff"), 0));
    tabs_flush(&t, out);
}

static int simulate(struct session *s, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct manifests m = {0};
    struct printer *p;
    struct json question, answer;
    if (s->args->npositional != 1)
        return session_usage(s, f, "name one queue");
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r >= 0)
        r = manifests_read(&s->arena, s->args, &m, f);
    if (r >= 0)
        r = what_if_question(&s->arena, &m, &question, f);
    if (r < 0)
        return r;
    if (cli_given(s->args, "min"))
        json_set(&s->arena, &question, S("minMember"), json_int(&s->arena, cli_int(s->args, "min", 0)));
    struct strbuf path = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/apis/scheduling.run.ai/v2/queues"));
    client_path_add(&path, str_of(s->args->positional[0]));
    strbuf_add_str(&path, S("/simulate"));
    r = session_send(s, S("POST"), strbuf_str(&path), S(""), &question, &answer, f);
    if (r < 0)
        return r;
    if (p->format != PRINT_DEFAULT)
        r = printer_object(p, &out, &answer, f);
    else
        show(&answer, &out);
    print_flush(&out);
    return r;
}

static int run_simulate(struct cli_args *a)
{
    return session_run(a, simulate);
}

static const struct cli_option simulate_options[] = {
    MANIFEST_OPTIONS,
    {"min", 0, CLI_INT, "N", "all", "How many of the pods have to start together.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_queue_simulate = {
    .name = "simulate",
    .summary = "Would this work start in the queue, when, where and at whose cost? Nothing is changed.",
    .usage = "QUEUE -f FILE [--min N] [-o FORMAT]",
    .help = "FILE holds Pods, or a Job, Deployment, ReplicaSet or StatefulSet, and maybe a PodGroup; all of it is one unit.\n"
            "The scheduler in the server answers; the right to create queues/simulate is needed.",
    .examples = "  cox queue simulate research -f train.yaml\n  cox queue simulate research -f train.yaml -o json",
    .options = simulate_options,
    .run = run_simulate,
    .is_client = true,
};
