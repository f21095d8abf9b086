/* verb_top.c - cox top: what nodes and pods use, from metrics.k8s.io. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "base/bandwidth.h"
#include "cli/print.h"
#include "cli/resources.h"
#include "cli/verbs.h"

#define METRICS "/apis/metrics.k8s.io/v1beta1"

struct use {
    str ns, name, container;
    int64_t cpu_milli, memory_bytes;
    bool known;
};
struct uses {
    struct use *list;
    size_t len, cap;
};

static void add_use(struct session *s, struct uses *u, struct use one)
{
    if (u->len == u->cap) {
        size_t cap = u->cap ? u->cap * 2 : 64;
        u->list = arena_grow(&s->arena, u->list, u->cap * sizeof *u->list, cap * sizeof *u->list);
        u->cap = cap;
    }
    u->list[u->len++] = one;
}

/* --- asking ----------------------------------------------------------------------------------------------------------------------- */

static int check_api(struct session *s, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(s, &d, f);
    for (size_t i = 0; r == 0 && i < d->len; i++) {
        if (str_is(d->list[i].group, "metrics.k8s.io"))
            return 0;
    }
    return r < 0 ? r : failure_set(f, E_NOT_FOUND, "Metrics API not available");
}

static str selectors(struct session *s)
{
    struct strbuf b = strbuf_on(&s->arena);
    if (cli_str(s->args, "selector"))
        client_query_add(&b, "labelSelector", str_of(cli_str(s->args, "selector")));
    if (cli_str(s->args, "field-selector"))
        client_query_add(&b, "fieldSelector", str_of(cli_str(s->args, "field-selector")));
    return strbuf_str(&b);
}

/* One object as a list of one, or all that the selectors match. */
static int ask(struct session *s, str path, const char *name, struct json *ret_items, struct failure *f)
{
    struct json answer;
    if (name) {
        struct strbuf one = strbuf_on(&s->arena);
        strbuf_add_str(&one, path);
        client_path_add(&one, str_of(name));
        int r = session_get(s, strbuf_str(&one), S(""), &answer, f);
        *ret_items = json_array();
        if (r == 0)
            json_push(&s->arena, ret_items, answer);
        return r;
    }
    int r = resources_list(s, path, selectors(s), S(""), 500, &answer, f);
    const struct json *items = json_get(&answer, S("items"));
    if (r == 0)
        *ret_items = json_is(items, JSON_ARRAY) ? *items : json_array();
    return r;
}

static int check_words(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    if (a->npositional > 1)
        return session_usage(s, f, "%s [NAME | -l label]", a->verb->name);
    if (a->npositional && (cli_str(a, "selector") || cli_str(a, "field-selector")))
        return failure_set(f, E_INVALID_ARG, "only one of NAME or selector can be provided");
    const char *by = cli_str_or(a, "sort-by", "");
    if (by[0] && strcmp(by, "cpu") != 0 && strcmp(by, "memory") != 0)
        return failure_set(f, E_INVALID_ARG, "--sort-by accepts only cpu or memory");
    return 0;
}

static void read_use(const struct json *usage, struct use *u)
{
    struct quantity q;
    if (quantity_parse(json_get_str(usage, S("cpu")), &q))
        u->cpu_milli += quantity_to_milli(&q);
    if (quantity_parse(json_get_str(usage, S("memory")), &q))
        u->memory_bytes += quantity_to_i64(&q);
    u->known = true;
}

/* --- order ------------------------------------------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
    const struct use *a = x, *b = y;
    int r = str_cmp(a->ns, b->ns);
    if (r == 0)
        r = str_cmp(a->name, b->name);
    return r ? r : str_cmp(a->container, b->container);
}

static int by_cpu(const void *x, const void *y)
{
    int64_t a = ((const struct use *)x)->cpu_milli, b = ((const struct use *)y)->cpu_milli;
    return a > b ? -1 : a < b ? 1 : by_name(x, y);
}

static int by_memory(const void *x, const void *y)
{
    int64_t a = ((const struct use *)x)->memory_bytes, b = ((const struct use *)y)->memory_bytes;
    return a > b ? -1 : a < b ? 1 : by_name(x, y);
}

static void sort(const struct cli_args *a, struct uses *u)
{
    const char *by = cli_str_or(a, "sort-by", "");
    if (u->len)
        qsort(u->list, u->len, sizeof *u->list, strcmp(by, "cpu") == 0 ? by_cpu : strcmp(by, "memory") == 0 ? by_memory : by_name);
}

/* --- nodes --------------------------------------------------------------------------------------------------------------------------- */

static void percent(struct strbuf *b, int64_t part, str whole, bool is_cpu)
{
    struct quantity q;
    double all = quantity_parse(whole, &q) ? is_cpu ? (double)quantity_to_milli(&q) : (double)quantity_to_i64(&q) : 0;
    if (all > 0)
        strbuf_addf(b, "%lld%%\t", (long long)((double)part / all * 100));
    else
        strbuf_addf(b, "<unknown>\t");
}

static const struct json *find_node(const struct json *nodes, str name)
{
    for (size_t i = 0; i < nodes->len; i++) {
        if (str_eq(json_str(json_path(&nodes->items[i], "metadata", "name", NULL)), name))
            return &nodes->items[i];
    }
    return NULL;
}

static void node_rows(struct session *s, const struct uses *u, const struct json *nodes)
{
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    const char *share = cli_flag(s->args, "show-capacity") ? "capacity" : "allocatable";
    if (!cli_flag(s->args, "no-headers"))
        strbuf_addf(&tabs.text, "NAME\tCPU(cores)\tCPU(%%)\tMEMORY(bytes)\tMEMORY(%%)\t\n");
    for (size_t i = 0; i < u->len; i++) {
        const struct use *n = &u->list[i];
        const struct json *size = json_path(find_node(nodes, n->name), "status", share, NULL);
        strbuf_addf(&tabs.text, STR_FMT "\t%lldm\t", STR_ARG(n->name), (long long)n->cpu_milli);
        percent(&tabs.text, n->cpu_milli, json_get_str(size, S("cpu")), true);
        strbuf_addf(&tabs.text, "%lldMi\t", (long long)(n->memory_bytes >> 20));
        percent(&tabs.text, n->memory_bytes, json_get_str(size, S("memory")), false);
        strbuf_add_char(&tabs.text, '\n');
    }
    /* nodes that nobody measures */
    for (size_t i = 0; i < nodes->len; i++) {
        str name = json_str(json_path(&nodes->items[i], "metadata", "name", NULL));
        bool known = false;
        for (size_t k = 0; k < u->len; k++)
            known |= str_eq(u->list[k].name, name);
        if (!known)
            strbuf_addf(&tabs.text, STR_FMT "\t<unknown>\t<unknown>\t<unknown>\t<unknown>\t\n", STR_ARG(name));
    }
    tabs_flush(&tabs, &out);
    print_flush(&out);
}

/* --- bandwidth of nodes ---------------------------------------------------------------------------------------------------------------- */

/* "200 Mbit/s", and "<unknown>" for what is not there. */
static void add_bits(struct strbuf *b, const struct json *of, const char *key)
{
    char text[BANDWIDTH_TEXT];
    strbuf_addf(b, "%s\t", json_get(of, str_of(key)) ? bandwidth_print(json_get_int(of, str_of(key), 0), text) : "<unknown>");
}

/* "60 Mbit/s of 400 Mbit/s", and "-" of a node that lends nothing. */
static void add_lent(struct strbuf *b, const struct json *of)
{
    char lent[BANDWIDTH_TEXT], lendable[BANDWIDTH_TEXT];
    if (json_get(of, S("lendableBits")))
        strbuf_addf(b, "%s of %s\t", bandwidth_print(json_get_int(of, S("lentBits"), 0), lent), bandwidth_print(json_get_int(of, S("lendableBits"), 0), lendable));
    else
        strbuf_add_str(b, S("-\t"));
}

/* The node itself knows: what it has, what is promised of it, what passes just now.  One question for each node. */
static int top_bandwidth(struct session *s, const char *name, struct failure *f)
{
    static const char *const ends[] = {"egress", "ingress"};
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json nodes;
    int r = ask(s, S("/api/v1/nodes"), name, &nodes, f);
    if (r < 0)
        return r;
    if (!cli_flag(s->args, "no-headers"))
        strbuf_addf(&tabs.text, "NAME\tEGRESS\tRESERVED\tUSED\tLENT\tINGRESS\tRESERVED\tUSED\tLENT\t\n");
    for (size_t i = 0; i < nodes.len; i++) {
        str node = json_str(json_path(&nodes.items[i], "metadata", "name", NULL));
        struct strbuf path = strbuf_on(&s->arena);
        struct json summary = json_object();
        struct failure unheard = {0};
        strbuf_add_str(&path, S("/api/v1/nodes"));
        client_path_add(&path, node);
        strbuf_add_str(&path, S("/proxy/stats/summary"));
        if (session_get(s, strbuf_str(&path), S(""), &summary, &unheard) < 0) /* it does not answer: the row says so */
            summary = json_object();
        strbuf_addf(&tabs.text, STR_FMT "\t", STR_ARG(node));
        for (size_t e = 0; e < ARRAY_LEN(ends); e++) {
            const struct json *b = json_get(json_path(&summary, "node", "bandwidth", NULL), str_of(ends[e]));
            add_bits(&tabs.text, b, "totalBits");
            add_bits(&tabs.text, b, "requestedBits");
            add_bits(&tabs.text, b, "usedBits");
            add_lent(&tabs.text, b);
        }
        strbuf_add_char(&tabs.text, '\n');
    }
    tabs_flush(&tabs, &out);
    print_flush(&out);
    return 0;
}

static int top_nodes(struct session *s, struct failure *f)
{
    const char *name = s->args->npositional ? s->args->positional[0] : NULL;
    struct json metrics, nodes;
    struct uses u = {0};
    int r = check_words(s, f);
    if (r == 0 && cli_flag(s->args, "bandwidth"))
        return top_bandwidth(s, name, f);
    if (r == 0)
        r = check_api(s, f);
    if (r == 0)
        r = ask(s, S(METRICS "/nodes"), name, &metrics, f);
    if (r == 0 && !metrics.len)
        r = failure_set(f, E_NOT_FOUND, "metrics not available yet");
    if (r == 0)
        r = ask(s, S("/api/v1/nodes"), name, &nodes, f);
    for (size_t i = 0; r == 0 && i < metrics.len; i++) {
        struct use one = {.name = json_str(json_path(&metrics.items[i], "metadata", "name", NULL))};
        read_use(json_get(&metrics.items[i], S("usage")), &one);
        add_use(s, &u, one);
    }
    if (r == 0) {
        sort(s->args, &u);
        node_rows(s, &u, &nodes);
    }
    return r;
}

/* --- pods ----------------------------------------------------------------------------------------------------------------------------- */

static void add_pod(struct session *s, struct uses *u, const struct json *pod, bool each)
{
    struct use sum = {.ns = json_str(json_path(pod, "metadata", "namespace", NULL)), .name = json_str(json_path(pod, "metadata", "name", NULL))};
    const struct json *containers = json_get(pod, S("containers"));
    for (size_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        struct use one = {.ns = sum.ns, .name = sum.name, .container = json_get_str(&containers->items[i], S("name"))};
        read_use(json_get(&containers->items[i], S("usage")), &one);
        sum.cpu_milli += one.cpu_milli;
        sum.memory_bytes += one.memory_bytes;
        if (each)
            add_use(s, u, one);
    }
    if (!each)
        add_use(s, u, sum);
}

static void pod_rows(struct session *s, const struct uses *u, bool each)
{
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    bool with_ns = cli_flag(s->args, "all-namespaces");
    long long cpu = 0, memory = 0;
    if (!cli_flag(s->args, "no-headers"))
        strbuf_addf(&tabs.text, "%s%sNAME\tCPU(cores)\tMEMORY(bytes)\t\n", with_ns ? "NAMESPACE\t" : "", each ? "POD\t" : "");
    for (size_t i = 0; i < u->len; i++) {
        const struct use *p = &u->list[i];
        if (with_ns)
            strbuf_addf(&tabs.text, STR_FMT "\t", STR_ARG(p->ns));
        if (each)
            strbuf_addf(&tabs.text, STR_FMT "\t", STR_ARG(p->name));
        strbuf_addf(&tabs.text, STR_FMT "\t%lldm\t%lldMi\t\n", STR_ARG(each ? p->container : p->name), (long long)p->cpu_milli, (long long)(p->memory_bytes >> 20));
        cpu += p->cpu_milli;
        memory += p->memory_bytes;
    }
    if (cli_flag(s->args, "sum")) {
        const char *blanks = with_ns && each ? "\t\t" : with_ns || each ? "\t" : "";
        strbuf_addf(&tabs.text, "%s\t________\t________\t\n%s\t%lldm\t%lldMi\t\n", blanks, blanks, cpu, memory >> 20);
    }
    tabs_flush(&tabs, &out);
    print_flush(&out);
}

/* No figures: because there are no pods, or because nobody has measured them yet? */
static int explain_nothing(struct session *s, str ns, struct failure *f)
{
    struct json list;
    str path = ns.len ? arena_fmt(&s->arena, "/api/v1/namespaces/" STR_FMT "/pods", STR_ARG(ns)) : S("/api/v1/pods");
    int r = resources_list(s, path, selectors(s), S(""), 500, &list, f);
    const struct json *items = json_get(&list, S("items"));
    if (r < 0)
        return r;
    if (json_is(items, JSON_ARRAY) && items->len)
        return failure_set(f, E_NOT_FOUND, "metrics not available yet");
    if (ns.len)
        fprintf(stderr, "No resources found in " STR_FMT " namespace.\n", STR_ARG(ns));
    else
        fprintf(stderr, "No resources found\n");
    return 0;
}

static int top_pods(struct session *s, struct failure *f)
{
    const char *name = s->args->npositional ? s->args->positional[0] : NULL;
    bool each = cli_flag(s->args, "containers");
    str ns = cli_flag(s->args, "all-namespaces") ? S("") : s->namespace_;
    struct json metrics;
    struct uses u = {0};
    int r = check_words(s, f);
    if (r == 0)
        r = check_api(s, f);
    if (r == 0)
        r = ask(s, ns.len ? arena_fmt(&s->arena, METRICS "/namespaces/" STR_FMT "/pods", STR_ARG(ns)) : S(METRICS "/pods"), name, &metrics, f);
    if (r < 0)
        return r;
    if (!metrics.len)
        return explain_nothing(s, ns, f);
    for (size_t i = 0; i < metrics.len; i++)
        add_pod(s, &u, &metrics.items[i], each);
    sort(s->args, &u);
    pod_rows(s, &u, each);
    return 0;
}

/* --- the verbs -------------------------------------------------------------------------------------------------------------------------- */

static int run_nodes(struct cli_args *a)
{
    return session_run(a, top_nodes);
}
static int run_pods(struct cli_args *a)
{
    return session_run(a, top_pods);
}

#define TOP_OPTIONS                                                                             \
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only those with these labels.", NULL},         \
        {"sort-by", 0, CLI_STRING, "cpu|memory", "", "The largest first.", NULL},               \
        {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of column names.", NULL}
static const struct cli_option node_options[] = {
    TOP_OPTIONS,
    {"show-capacity", 0, CLI_FLAG, NULL, "", "Shares of the capacity, not of what pods may use.", NULL},
    {"bandwidth", 0, CLI_FLAG, NULL, "", "What each node has of the network, what pods were promised of it, and what passes now.", NULL},
    {0},
};
static const struct cli_option pod_options[] = {
    TOP_OPTIONS,
    {"field-selector", 0, CLI_STRING, "FIELDS", "", "Only those with these fields.", NULL},
    {"containers", 0, CLI_FLAG, NULL, "", "A line for each container.", NULL},
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "In every namespace.", NULL},
    {"sum", 0, CLI_FLAG, NULL, "", "A last line with the sums.", NULL},
    {0},
};
static const struct cli_verb top_node_verb = {.name = "node",
                                              .aliases = "nodes,no",
                                              .summary = "What nodes use.",
                                              .usage = "[NAME | -l LABELS] [OPTIONS]",
                                              .examples = "  cox top nodes\n  cox top nodes --sort-by=memory\n  cox top nodes --bandwidth",
                                              .options = node_options,
                                              .run = run_nodes,
                                              .is_client = true};
static const struct cli_verb top_pod_verb = {.name = "pod",
                                             .aliases = "pods,po",
                                             .summary = "What pods use.",
                                             .usage = "[NAME | -l LABELS] [OPTIONS]",
                                             .examples = "  cox top pods -A --sort-by=cpu\n  cox top pod web-0 --containers",
                                             .options = pod_options,
                                             .run = run_pods,
                                             .is_client = true};
static const struct cli_verb *const subs[] = {&top_node_verb, &top_pod_verb, NULL};
const struct cli_verb verb_top = {
    .name = "top",
    .summary = "Show what nodes or pods use.",
    .usage = "(node | pod) [NAME] [OPTIONS]",
    .examples = "  cox top nodes\n  cox top pods -A --sort-by=cpu",
    .subs = subs,
};
