/* get_watch.c - cox get --watch: what is there, then changes until somebody interrupts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/get.h"

struct watching {
    struct get *g;
    bool is_table;
    bool skip; /* the first event repeats the object that was just printed */
    bool tells_events;
    struct print_table table;
    struct tabs tabs;
    struct strbuf out;
    struct failure *f;
    int result;
};

static int show(struct watching *w, str event, const struct json *object, struct failure *f)
{
    int r = 0;
    if (w->is_table) {
        w->table.event = w->tells_events ? event : S("");
        print_table(&w->table, &w->tabs, object);
        tabs_flush(&w->tabs, &w->out);
    } else {
        struct json wrapped = *object;
        if (w->tells_events) {
            wrapped = json_object();
            json_set(w->g->printer->arena, &wrapped, S("type"), json_string(event));
            json_set(w->g->printer->arena, &wrapped, S("object"), *object);
        }
        r = printer_object(w->g->printer, &w->out, &wrapped, f);
        tabs_flush(&w->g->printer->tabs_, &w->out);
    }
    print_flush(&w->out);
    return r;
}

static bool on_event(void *arg, str type, struct json *object, struct arena *a)
{
    struct watching *w = arg;
    if (str_is(type, "BOOKMARK"))
        return true;
    if (w->skip) {
        w->skip = false;
        return true;
    }
    w->table.scratch = w->g->printer->arena = a; /* a watch may run for days */
    w->result = show(w, type, object, w->f);
    return w->result == 0 && !ferror(stdout);
}

/* Events come in the form of the list: Tables of one row, or objects. */
static int run_watch(struct watching *w, const struct target *t, str version, struct failure *f)
{
    struct session *s = w->g->s;
    struct strbuf q = strbuf_on(&s->arena);
    client_query_add(&q, "watch", S("true"));
    client_query_add(&q, "resourceVersion", version);
    if (w->g->query.labels && w->g->query.labels[0])
        client_query_add(&q, "labelSelector", str_of(w->g->query.labels));
    if (t->name.len)
        client_query_add(&q, "fieldSelector", arena_fmt(&s->arena, "metadata.name=" STR_FMT, STR_ARG(t->name)));
    else if (w->g->query.fields && w->g->query.fields[0])
        client_query_add(&q, "fieldSelector", str_of(w->g->query.fields));
    struct target all = *t;
    all.name = S("");
    struct client_request request = {.method = S("GET"), .path = target_path(s, &all, S("")), .query = strbuf_str(&q)};
    if (w->is_table)
        request.accept = S("application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
    int r = client_watch_run(s->client, &request, on_event, w, &f->err);
    return w->result < 0 ? w->result : r;
}

static int show_items(struct watching *w, struct json *answer, const struct target *t, struct failure *f)
{
    struct arena *a = &w->g->s->arena;
    struct json *items = json_get(answer, S("items"));
    if (w->is_table || t->name.len || !json_is(items, JSON_ARRAY))
        return show(w, S("ADDED"), answer, f);
    for (size_t i = 0; i < items->len; i++) {
        if (!json_get(&items->items[i], S("kind"))) {
            json_set(a, &items->items[i], S("apiVersion"), json_string(discovery_group_version(a, t->res)));
            json_set(a, &items->items[i], S("kind"), json_string(t->res->kind));
        }
        int r = show(w, S("ADDED"), &items->items[i], f);
        if (r < 0)
            return r;
    }
    return 0;
}

int get_watch(struct get *g, const struct targets *sel, bool is_table, struct failure *f)
{
    struct json answer;
    if (sel->len != 1)
        return failure_set(
            f, E_INVALID_ARG,
            sel->is_lists
                ? "you may only specify a single resource type"
                : "watch is only supported on individual resources and resource collections - more than 1 resource was found");
    if (g->sort_by)
        fprintf(stderr, "warning: --watch requested, --sort-by will be ignored for watch events received\n");
    const struct target *t = &sel->p[0];
    struct watching w = {.g = g,
                         .is_table = is_table,
                         .skip = t->name.len != 0,
                         .tabs = TABS_TABLE,
                         .f = f,
                         .tells_events = cli_flag(g->s->args, "output-watch-events")};
    get_table_options(g, t, cli_flag(g->s->args, "show-kind"), &w.table);
    int r = get_target(g, t, is_table, &answer, f);
    if (r == 0 && !cli_flag(g->s->args, "watch-only"))
        r = show_items(&w, &answer, t, f);
    if (r == 0)
        r = run_watch(&w, t, t->name.len ? S("0") : json_str(json_path(&answer, "metadata", "resourceVersion", NULL)), f);
    tabs_fini(&w.tabs);
    tabs_fini(&g->printer->tabs_);
    strbuf_fini(&w.out);
    return r;
}
