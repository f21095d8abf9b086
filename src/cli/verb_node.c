/* verb_node.c - cox node: the nodes with what they have, what is promised and what presses them, in one table. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "cli/describe_node.h"
#include "wire/json_make.h"
#include "cli/verbs.h"

struct row {
    const struct json *node;
    str name;
    size_t pods;
    struct quantity cpu, memory; /* requested */
};

/* --- what pods ask for -------------------------------------------------------------------------------------------------------------- */

static void add_pod(struct session *s, const struct json *pod, const struct map *rows)
{
    struct row *row = map_get(rows, json_str(json_path(pod, "spec", "nodeName", NULL)));
    str phase = json_str(json_path(pod, "status", "phase", NULL));
    struct amounts all;
    if (!row || str_is(phase, "Succeeded") || str_is(phase, "Failed"))
        return;
    row->pods++;
    node_pod_amounts(&s->arena, pod, "requests", &all);
    for (size_t i = 0; i < all.len; i++) {
        if (str_is(all.list[i].name, "cpu"))
            quantity_add(&row->cpu, &all.list[i].value);
        else if (str_is(all.list[i].name, "memory"))
            quantity_add(&row->memory, &all.list[i].value);
    }
}

static int count_pods(struct session *s, const struct map *rows, struct failure *f)
{
    struct json list;
    int r = resources_list(s, S("/api/v1/pods"), S(""), S(""), 500, &list, f);
    const struct json *items = json_get(&list, S("items"));
    for (size_t i = 0; r == 0 && json_is(items, JSON_ARRAY) && i < items->len; i++)
        add_pod(s, &items->items[i], rows);
    return r;
}

/* --- words of a node ------------------------------------------------------------------------------------------------------------------ */

static str condition(const struct json *node, const char *type)
{
    const struct json *list = json_path(node, "status", "conditions", NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return json_get_str(&list->items[i], S("status"));
    }
    return S("");
}

static void write_status(struct strbuf *b, const struct json *node)
{
    str ready = condition(node, "Ready");
    strbuf_addf(b, "%s%s\t", str_is(ready, "True") ? "Ready" : ready.len ? "NotReady" : "Unknown",
                json_get_bool(json_get(node, S("spec")), S("unschedulable"), false) ? ",SchedulingDisabled" : "");
}

static void write_pressure(struct strbuf *b, const struct json *node)
{
    static const struct {
        const char *type, *word;
    } kinds[] = {{"MemoryPressure", "memory"}, {"DiskPressure", "disk"}, {"PIDPressure", "pids"}, {"NetworkUnavailable", "network"}};
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_is(condition(node, kinds[i].type), "True"))
            strbuf_addf(b, "%s%s", n++ ? "," : "", kinds[i].word);
    }
    strbuf_addf(b, "%s\t", n ? "" : "none");
}

/* "512Mi", "8Gi", "23.5Gi": bytes as people read them. */
static str memory_text(struct session *s, const struct quantity *q)
{
    int64_t bytes = quantity_to_i64(q), mi = 1 << 20, gi = 1 << 30;
    if (bytes < mi)
        return quantity_format(&s->arena, q);
    if (bytes < 10 * gi && bytes % gi)
        return arena_fmt(&s->arena, "%lldMi", (long long)(bytes / mi));
    return bytes % gi ? arena_fmt(&s->arena, "%.1fGi", (double)bytes / (double)gi) : arena_fmt(&s->arena, "%lldGi", (long long)(bytes / gi));
}

/* "1500m/4 (37%)" */
static void write_share(struct session *s, struct strbuf *b, const struct quantity *used, str whole, bool is_cpu)
{
    struct quantity all;
    str text = is_cpu ? quantity_format(&s->arena, used) : memory_text(s, used);
    double part = is_cpu ? (double)quantity_to_milli(used) : (double)quantity_to_i64(used);
    if (!quantity_parse(whole, &all) || quantity_sign(&all) <= 0) {
        strbuf_addf(b, STR_FMT "/?\t", STR_ARG(text));
        return;
    }
    double size = is_cpu ? (double)quantity_to_milli(&all) : (double)quantity_to_i64(&all);
    str of = is_cpu ? whole : memory_text(s, &all);
    strbuf_addf(b, STR_FMT "/" STR_FMT " (%lld%%)\t", STR_ARG(text), STR_ARG(of), (long long)(part / size * 100));
}

static void write_row(struct session *s, struct strbuf *b, const struct row *row)
{
    const struct json *size = json_path(row->node, "status", "allocatable", NULL);
    if (!json_is(size, JSON_OBJECT) || !size->len)
        size = json_path(row->node, "status", "capacity", NULL);
    str pods = json_get_str(size, S("pods"));
    strbuf_addf(b, STR_FMT "\t", STR_ARG(row->name));
    write_status(b, row->node);
    write_share(s, b, &row->cpu, json_get_str(size, S("cpu")), true);
    write_share(s, b, &row->memory, json_get_str(size, S("memory")), false);
    strbuf_addf(b, "%zu/" STR_FMT "\t", row->pods, STR_ARG(pods.len ? pods : S("?")));
    write_pressure(b, row->node);
    str age = print_age(&s->arena, json_path(row->node, "metadata", "creationTimestamp", NULL));
    strbuf_addf(b, STR_FMT "\n", STR_ARG(age));
}

/* --- the verbs -------------------------------------------------------------------------------------------------------------------------- */

static int find_nodes(struct session *s, bool lists_alone, struct targets *ret, struct failure *f)
{
    const char **words = arena_array(&s->arena, s->args->npositional + 2, const char *);
    words[0] = "nodes";
    for (size_t i = 0; i < s->args->npositional; i++)
        words[i + 1] = s->args->positional[i];
    struct resource_query q = {.words = words, .nwords = s->args->npositional + 1, .lists_alone = lists_alone, .labels = cli_str(s->args, "selector")};
    return resources_find(s, &q, ret, f);
}

/* -o: the nodes themselves, as `cox get nodes` prints them. */
static int print_nodes(struct session *s, struct printer *p, const struct targets *nodes, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json items = json_array();
    for (size_t i = 0; i < nodes->len; i++)
        json_push(&s->arena, &items, nodes->p[i].object);
    struct json all = json_make(&s->arena, "{\"apiVersion\":\"v1\",\"items\":%j,\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}", &items);
    int r = printer_object(p, &out, s->args->npositional == 1 && nodes->len == 1 ? &nodes->p[0].object : &all, f);
    printer_end(p, &out);
    print_flush(&out);
    return r;
}

static int list(struct session *s, struct failure *f)
{
    struct targets nodes;
    struct map by_name = MAP_INIT;
    struct printer *p;
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = find_nodes(s, true, &nodes, f);
    if (r < 0)
        return r;
    if (p->format != PRINT_DEFAULT)
        return nodes.len || !s->failures.len ? print_nodes(s, p, &nodes, f) : 0;
    struct row *rows = arena_array(&s->arena, nodes.len + 1, struct row);
    for (size_t i = 0; i < nodes.len; i++) {
        rows[i] = (struct row){.node = &nodes.p[i].object, .name = nodes.p[i].name, .cpu = quantity_from_i64(0), .memory = quantity_from_i64(0)};
        map_put(&by_name, rows[i].name, &rows[i]);
    }
    if (nodes.len)
        r = count_pods(s, &by_name, f);
    map_fini(&by_name);
    if (r < 0 || (!nodes.len && s->failures.len))
        return r;
    if (!nodes.len) {
        fprintf(stderr, "No resources found\n");
        return 0;
    }
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    if (!cli_flag(s->args, "no-headers"))
        strbuf_addf(&tabs.text, "NAME\tSTATUS\tCPU\tMEMORY\tPODS\tPRESSURE\tAGE\n");
    for (size_t i = 0; i < nodes.len; i++)
        write_row(s, &tabs.text, &rows[i]);
    tabs_flush(&tabs, &out);
    print_flush(&out);
    return 0;
}

static int describe(struct session *s, struct failure *f)
{
    struct targets nodes;
    struct describe d = {.s = s, .arena = &s->arena, .shows_events = true};
    int r = find_nodes(s, true, &nodes, f);
    for (size_t i = 0; r == 0 && i < nodes.len; i++) {
        strbuf_add_str(&d.out, i ? S("\n\n") : S(""));
        describe_object(&d, &nodes.p[i]);
        print_flush(&d.out);
    }
    strbuf_fini(&d.out);
    return r;
}

static int run_list(struct cli_args *a)
{
    return session_run(a, list);
}
static int run_describe(struct cli_args *a)
{
    return session_run(a, describe);
}

#define NODE_OPTION_SELECTOR {"selector", 'l', CLI_STRING, "LABELS", "", "Only nodes with these labels.", NULL}
static const struct cli_option list_options[] = {
    NODE_OPTION_SELECTOR, {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of column names.", NULL}, PRINT_OPTIONS_RESULT, {0}};
static const struct cli_option describe_options[] = {NODE_OPTION_SELECTOR, {0}};
static const struct cli_verb node_list = {.name = "list",
                                          .aliases = "ls",
                                          .summary = "Nodes, what is promised of them, and pressure.",
                                          .usage = "[NODE ...] [OPTIONS]",
                                          .help = "CPU and MEMORY are what the pods of a node request, of what it has for pods.",
                                          .examples = "  cox node list",
                                          .options = list_options,
                                          .run = run_list,
                                          .is_client = true};
static const struct cli_verb node_describe = {.name = "describe",
                                              .summary = "All about nodes, as `cox describe node`.",
                                              .usage = "[NODE ...] [OPTIONS]",
                                              .examples = "  cox node describe node-1",
                                              .options = describe_options,
                                              .run = run_describe,
                                              .is_client = true};
static const struct cli_verb *const subs[] = {&node_list, &node_describe, NULL};
const struct cli_verb verb_node = {
    .name = "node",
    .summary = "Show nodes: what they have, what is promised, what presses.",
    .usage = "(list | describe) [NODE ...] [OPTIONS]",
    .examples = "  cox node list\n  cox node describe node-1",
    .subs = subs,
};
