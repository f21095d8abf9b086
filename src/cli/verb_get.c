/* verb_get.c - cox get. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/get.h"
#include "cli/verbs.h"

#define TABLE_ACCEPT S("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")

/* --- what to ask ---------------------------------------------------------------------------------------------------------- */

static str list_query(struct get *g, bool as_table)
{
    struct strbuf b = strbuf_on(&g->s->arena);
    if (g->query.labels && g->query.labels[0])
        client_query_add(&b, "labelSelector", str_of(g->query.labels));
    if (g->query.fields && g->query.fields[0])
        client_query_add(&b, "fieldSelector", str_of(g->query.fields));
    if (as_table && g->sort_by)
        client_query_add(&b, "includeObject", S("Object"));
    return strbuf_str(&b);
}

int get_target(struct get *g, const struct target *t, bool as_table, struct json *ret, struct failure *f)
{
    str path = target_path(g->s, t, g->subresource), accept = as_table ? TABLE_ACCEPT : S("");
    if (!t->name.len) {
        int r = resources_list(g->s, path, list_query(g, as_table), accept, g->sort_by ? 0 : g->chunk, ret, f);
        return r < 0 ? resources_list_failed(g->s, &g->query, t, f) : 0;
    }
    struct client_response res;
    str query = as_table && g->sort_by ? S("includeObject=Object") : S("");
    int r =
        session_do(g->s, &(struct client_request){.method = S("GET"), .path = path, .query = query, .accept = accept}, &res, f);
    if (r == 0)
        *ret = res.json;
    return r;
}

/* A failure that is told at the end, unless it is a NotFound that may be ignored. */
static void note(struct get *g, const struct failure *f)
{
    if (!(g->ignore_not_found && f->err.code == E_NOT_FOUND && f->from_server))
        session_note(g->s, f);
}

/* --- tables ----------------------------------------------------------------------------------------------------------------- */

void get_table_options(struct get *g, const struct target *t, bool with_kind, struct print_table *ret)
{
    *ret = (struct print_table){
        .arena = &g->s->arena,
        .wide = g->printer->format == PRINT_WIDE,
        .no_headers = g->printer->no_headers,
        .show_labels = cli_flag(g->s->args, "show-labels"),
        .with_namespace = g->query.all_namespaces && t->res->is_namespaced,
        .kind_prefix = with_kind ? discovery_type_name(&g->s->arena, t->res) : S(""),
        .label_columns = g->label_columns,
        .nlabel_columns = g->nlabel_columns,
    };
}

/* The server may not know tables (an aggregated API): names and ages then. */
static struct json table_of(struct get *g, struct json *answer)
{
    struct arena *a = &g->s->arena;
    if (str_is(json_get_str(answer, S("kind")), "Table"))
        return *answer;
    struct json table = json_literal(
        a,
        "{\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\"},{\"name\":\"Age\",\"type\":\"string\"}],\"rows\":[]}");
    struct json *rows = json_get(&table, S("rows")), *items = json_get(answer, S("items"));
    bool is_list = json_is(items, JSON_ARRAY);
    for (size_t i = 0; i < (is_list ? items->len : 1); i++) {
        struct json *obj = is_list ? &items->items[i] : answer, row = json_object(), cells = json_array();
        const struct json *meta = json_get(obj, S("metadata"));
        json_push(a, &cells, json_string(json_get_str(meta, S("name"))));
        json_push(a, &cells, json_string(print_age(a, json_get(meta, S("creationTimestamp")))));
        json_set(a, &row, S("cells"), cells);
        json_set(a, &row, S("object"), *obj);
        json_push(a, rows, row);
    }
    return table;
}

struct table_run {
    struct tabs tabs;
    struct strbuf out;
    const struct discovery_resource *last;
    struct print_table table;
    size_t written;
};

static void start_group(struct get *g, struct table_run *run, const struct target *t, bool with_kind)
{
    tabs_flush(&run->tabs, &run->out);
    tabs_forget_widths(&run->tabs);
    run->written += run->out.len;
    print_flush(&run->out);
    get_table_options(g, t, with_kind, &run->table);
    run->last = t->res;
}

static int print_one_table(struct get *g, struct table_run *run, const struct target *t, struct json *answer, bool with_kind,
                           struct failure *f)
{
    struct json table = table_of(g, answer);
    struct json *rows = json_get(&table, S("rows"));
    int r = g->sort_by && json_is(rows, JSON_ARRAY) ? print_sort(&g->s->arena, rows, S("object"), g->sort_by, f) : 0;
    if (r < 0)
        return r;
    if (run->last != t->res) {
        start_group(g, run, t, with_kind);
        if (run->written && !run->table.no_headers && json_is(rows, JSON_ARRAY) && rows->len)
            strbuf_add_char(&run->out, '\n'); /* between groups */
    }
    print_table(&run->table, &run->tabs, &table);
    return 0;
}

/* Of what was found: with several kinds every name says of which it is. */
static bool several_types(const struct targets *t)
{
    for (size_t i = 1; i < t->len; i++) {
        if (t->p[i].res != t->p[0].res)
            return true;
    }
    return false;
}

static void say_nothing_found(struct get *g, const struct targets *sel)
{
    bool namespaced = !g->query.all_namespaces;
    for (size_t i = 0; i < sel->len; i++)
        namespaced = namespaced && sel->p[i].res->is_namespaced;
    if (namespaced)
        fprintf(stderr, "No resources found in " STR_FMT " namespace.\n", STR_ARG(g->s->namespace_));
    else
        fprintf(stderr, "No resources found\n");
}

static int get_tables(struct get *g, const struct targets *sel, struct failure *f)
{
    struct table_run run = {.tabs = TABS_TABLE};
    struct targets found = {0};
    for (size_t i = 0; i < sel->len; i++) {
        struct target t = sel->p[i];
        if (get_target(g, &t, true, &t.object, f) < 0)
            note(g, f);
        else
            targets_add(g->s, &found, t);
    }
    bool with_kind = several_types(&found) || cli_flag(g->s->args, "show-kind");
    int r = 0;
    for (size_t i = 0; r == 0 && i < found.len; i++)
        r = print_one_table(g, &run, &found.p[i], &found.p[i].object, with_kind, f);
    tabs_flush(&run.tabs, &run.out);
    run.written += run.out.len;
    print_flush(&run.out);
    tabs_fini(&run.tabs);
    strbuf_fini(&run.out);
    if (r == 0 && !run.written && !g->ignore_not_found && !g->s->failures.len)
        say_nothing_found(g, sel);
    return r;
}

/* --- other formats ------------------------------------------------------------------------------------------------------------- */

static struct json empty_list(struct get *g)
{
    return json_literal(&g->s->arena,
                        "{\"apiVersion\":\"v1\",\"items\":[],\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}");
}

static void add_items(struct get *g, const struct target *t, struct json *answer, struct json *items)
{
    struct arena *a = &g->s->arena;
    struct json *list = json_get(answer, S("items"));
    if (t->name.len || !json_is(list, JSON_ARRAY)) {
        json_push(a, items, *answer);
        return;
    }
    for (size_t i = 0; i < list->len; i++) {
        if (!json_get(&list->items[i], S("kind"))) {
            json_set(a, &list->items[i], S("apiVersion"), json_string(discovery_group_version(a, t->res)));
            json_set(a, &list->items[i], S("kind"), json_string(t->res->kind));
        }
        json_push(a, items, list->items[i]);
    }
}

static int get_objects(struct get *g, const struct targets *sel, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json list = empty_list(g), answer = json_null(), *items = json_get(&list, S("items"));
    for (size_t i = 0; i < sel->len; i++) {
        if (get_target(g, &sel->p[i], false, &answer, f) < 0)
            note(g, f);
        else
            add_items(g, &sel->p[i], &answer, items);
    }
    if (!items->len && (g->ignore_not_found || sel->is_single))
        return 0;
    int r = g->sort_by && items->len ? print_sort(&g->s->arena, items, S(""), g->sort_by, f) : 0;
    if (r == 0)
        r = printer_object(g->printer, &out, sel->is_single && items->len == 1 ? &items->items[0] : &list, f);
    printer_end(g->printer, &out);
    print_flush(&out);
    return r;
}

/* --- the verb ---------------------------------------------------------------------------------------------------------------------- */

static int get_raw(struct session *s, const char *uri, struct failure *f)
{
    struct client_response res;
    if (s->args->npositional)
        return failure_set(f, E_INVALID_ARG, "arguments may not be passed when --raw is specified");
    str query = str_of(uri), path;
    str_cut(&query, '?', &path);
    int r = session_do(s, &(struct client_request){.method = S("GET"), .path = path, .query = query}, &res, f);
    if (r == 0)
        fwrite(res.body.p, 1, res.body.len, stdout);
    return r;
}

static void read_label_columns(struct get *g)
{
    const char *given;
    VEC(str) columns = {0};
    for (size_t i = 0; (given = cli_list(g->s->args, "label-columns", i)); i++) {
        str rest = str_of(given), one;
        while (rest.len) {
            str_cut(&rest, ',', &one);
            vec_push(&columns, one);
        }
    }
    str *copy = arena_array(&g->s->arena, columns.len + 1, str);
    for (size_t i = 0; i < columns.len; i++)
        copy[i] = columns.p[i];
    g->label_columns = copy;
    g->nlabel_columns = columns.len;
    vec_fini(&columns);
}

static int prepare(struct get *g, struct session *s, struct failure *f)
{
    *g = (struct get){.s = s,
                      .query = resource_query_of(s->args, 0),
                      .chunk = cli_int(s->args, "chunk-size", 500),
                      .sort_by = cli_str(s->args, "sort-by")};
    g->query.lists_alone = true;
    g->ignore_not_found = cli_flag(s->args, "ignore-not-found");
    g->subresource = str_of(cli_str(s->args, "subresource"));
    read_label_columns(g);
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_GET, &g->printer, f);
    if (r < 0)
        return r;
    bool is_table = g->printer->format == PRINT_DEFAULT || g->printer->format == PRINT_WIDE;
    if (!is_table && cli_flag(s->args, "show-labels"))
        return failure_set(f, E_INVALID_ARG, "--show-labels option cannot be used with %s printer", cli_str(s->args, "output"));
    return is_table;
}

static int get(struct session *s, struct failure *f)
{
    struct get g;
    struct targets sel;
    if (cli_str(s->args, "raw"))
        return get_raw(s, cli_str(s->args, "raw"), f);
    int is_table = prepare(&g, s, f);
    if (is_table < 0)
        return is_table;
    int r = resources_select(s, &g.query, &sel, f);
    if (r < 0)
        return r;
    if (g.subresource.len && sel.is_lists)
        return failure_set(f, E_INVALID_ARG, "subresource cannot be used when bulk resources are specified");
    if (cli_flag(s->args, "watch") || cli_flag(s->args, "watch-only"))
        return get_watch(&g, &sel, is_table, f);
    return is_table ? get_tables(&g, &sel, f) : get_objects(&g, &sel, f);
}

static int run_get(struct cli_args *a)
{
    if (!a->npositional && !cli_list(a, "filename", 0) && !cli_str(a, "raw")) {
        fputs(
            "You must specify the type of resource to get. Use \"cox api-resources\" for a complete list of supported resources.\n\n",
            stderr);
        return cli_usage(
            a,
            "Required resource not specified.\nUse \"cox explain <resource>\" for a detailed description of that resource (e.g. cox explain pods).");
    }
    return session_run(a, get);
}

static const struct cli_option options[] = {
    {"output", 'o', CLI_STRING, "FORMAT", "",
     "wide, yaml, json, name, jsonpath=TEMPLATE, jsonpath-file=FILE, custom-columns=SPEC or custom-columns-file=FILE.", NULL},
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "Look into every namespace.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels: a=b,c!=d,e in (f,g),!h.", NULL},
    {"field-selector", 0, CLI_STRING, "FIELDS", "", "Only objects with these fields: metadata.name=x,status.phase!=Running.",
     NULL},
    {"watch", 'w', CLI_FLAG, NULL, "", "Then show changes as they come.", NULL},
    {"watch-only", 0, CLI_FLAG, NULL, "", "Show changes without what is there now.", NULL},
    {"output-watch-events", 0, CLI_FLAG, NULL, "", "Say of each change what it is: ADDED, MODIFIED, DELETED.", NULL},
    {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of headers.", NULL},
    {"show-labels", 0, CLI_FLAG, NULL, "", "All labels as the last column.", NULL},
    {"show-kind", 0, CLI_FLAG, NULL, "", "The kind before each name.", NULL},
    {"label-columns", 'L', CLI_LIST, "LABELS", "", "Labels to show as columns.", NULL},
    {"sort-by", 0, CLI_STRING, "JSONPATH", "", "Order by this field, as .metadata.creationTimestamp.", NULL},
    {"chunk-size", 0, CLI_INT, "N", "500", "Read large lists in parts of this size; 0 reads them whole.", NULL},
    {"ignore-not-found", 0, CLI_FLAG, NULL, "", "An object that does not exist is no error.", NULL},
    {"subresource", 0, CLI_STRING, "NAME", "", "The subresource to read: status or scale.", NULL},
    {"show-managed-fields", 0, CLI_FLAG, NULL, "", "Keep managedFields in JSON and YAML.", NULL},
    {"allow-missing-template-keys", 0, CLI_FLAG, NULL, "true", "Absent keys of a template are no error.", NULL},
    {"raw", 0, CLI_STRING, "PATH", "", "Print what the server answers to this path.", NULL},
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_get = {
    .name = "get",
    .summary = "Show one or many objects.",
    .usage = "(TYPE[.VERSION][.GROUP] [NAME ...] | TYPE/NAME ... | -f FILE) [OPTIONS]",
    .examples =
        "  cox get pods -A -o wide\n  cox get deploy/web -o yaml\n  cox get pods -l app=web -w\n"
        "  cox get nodes -o custom-columns=NAME:.metadata.name,CPU:.status.capacity.cpu\n  cox get pods -o jsonpath='{.items[*].metadata.name}'",
    .options = options,
    .run = run_get,
    .is_client = true,
};
