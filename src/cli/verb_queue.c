/* verb_queue.c - cox queue: the tree of queues with what each is owed, comes to, has and waits for.
 *
 *   QUEUE           RESOURCE   SHARE OF 8             USED   WAITING   QUOTA   SHARE   LIMIT   UNITS
 *   research        gpu        [##########++......]   6      4         4       8       -       3 run, 2 wait
 *   └─ vision       gpu        [####..............]   2      0         2       4       4       1 run
 * A bar is as long as the share of its row: # within the quota, + beyond it, ! beyond the share (others may take that back), . not used. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "cli/print.h"
#include "cli/resources.h"
#include "cli/verbs.h"

#define QUEUES "/apis/scheduling.run.ai/v2/queues"
#define BAR 20
#define DEPTH_MAX 32u

struct view {
    struct session *s;
    const struct json *items;
    const char *resource; /* NULL: all that say something */
    struct tabs *tabs;
};

/* --- numbers: GPUs, cores, bytes ---------------------------------------------------------------------------------------------------- */

/* What users call it; queues write gpu where pods write nvidia.com/gpu. */
static str short_name(str resource)
{
    return str_is(resource, "nvidia.com/gpu") ? S("gpu") : resource;
}

static const struct json *of_resource(const struct json *map, str resource)
{
    const struct json *v = json_get(map, resource);
    return v || !str_is(resource, "gpu") ? v : json_get(map, S("nvidia.com/gpu"));
}

/* A quantity of the status, in base units. */
static double amount_of(const struct json *map, str resource)
{
    struct quantity q;
    const struct json *v = of_resource(map, resource);
    if (!v || !quantity_parse(json_str(v), &q))
        return 0;
    return (double)quantity_to_milli(&q) / 1000;
}

/* A number of the spec: cpu in thousandths, memory in 10^6 bytes; -1 is without end. */
static double spec_amount(const struct json *spec, str resource, const char *field, double absent)
{
    const struct json *v = json_get(of_resource(json_get(spec, S("resources")), resource), str_of(field));
    double n = absent;
    if (v && !json_to_double(v, &n))
        n = absent;
    if (n < 0)
        return -1;
    return str_is(resource, "cpu") ? n / 1000 : str_is(resource, "memory") ? n * 1e6 : n;
}

static str amount_text(struct arena *a, str resource, double n)
{
    static const char *const units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
    size_t u = 0;
    if (n < 0)
        return S("-");
    if (str_is(resource, "memory"))
        for (; n >= 1024 && u + 1 < ARRAY_LEN(units); u++)
            n /= 1024;
    return n == (double)(int64_t)n ? arena_fmt(a, "%lld%s", (long long)n, units[u]) : arena_fmt(a, "%.*f%s", u ? 1 : 2, n, units[u]);
}

static void add_bar(struct strbuf *b, double used, double quota, double share)
{
    double whole = MAX(share, used);
    strbuf_add_char(b, '[');
    for (int i = 0; i < BAR; i++) {
        double at = whole * (i + 0.5) / BAR;
        strbuf_add_char(b, whole <= 0 || at >= used ? '.' : at >= share ? '!' : quota >= 0 && at >= quota ? '+' : '#');
    }
    strbuf_add_char(b, ']');
}

/* --- rows ------------------------------------------------------------------------------------------------------------------------------ */

static str parent_of(const struct json *queue)
{
    return json_get_str(json_get(queue, S("spec")), S("parentQueue"));
}
static str name_of(const struct json *queue)
{
    return json_str(json_path(queue, "metadata", "name", NULL));
}

static const struct json *find(const struct view *v, str name)
{
    for (size_t i = 0; i < v->items->len; i++)
        if (str_eq(name_of(&v->items->items[i]), name))
            return &v->items->items[i];
    return NULL;
}

static str units_text(struct arena *a, const struct json *status)
{
    long long run = json_get_int(status, S("runningUnits"), 0), wait = json_get_int(status, S("pendingUnits"), 0);
    return run && wait ? arena_fmt(a, "%lld run, %lld wait", run, wait) : run ? arena_fmt(a, "%lld run", run) : wait ? arena_fmt(a, "%lld wait", wait) : S("-");
}

/* false: the queue has nothing to do with it, and nobody asked for it. */
static bool resource_row(const struct view *v, const struct json *queue, str resource, str label, bool first)
{
    struct arena *a = &v->s->arena;
    const struct json *spec = json_get(queue, S("spec")), *status = json_get(queue, S("status"));
    double used = amount_of(json_get(status, S("allocated")), resource), asked = amount_of(json_get(status, S("requested")), resource);
    double quota = spec_amount(spec, resource, "quota", 0), limit = spec_amount(spec, resource, "limit", -1);
    double share = amount_of(json_get(status, S("fairShare")), resource);
    bool says = used > 0 || asked > 0 || quota > 0 || limit >= 0;
    if (v->resource ? !str_is(resource, v->resource) : !says)
        return false;
    struct strbuf *b = &v->tabs->text;
    strbuf_addf(b, STR_FMT "\t" STR_FMT "\t", STR_ARG(first ? label : S("")), STR_ARG(resource));
    add_bar(b, used, quota, share);
    const double columns[] = {used, MAX(asked - used, 0), quota, share, limit};
    for (size_t i = 0; i < ARRAY_LEN(columns); i++)
        strbuf_addf(b, "\t" STR_FMT, STR_ARG(amount_text(a, resource, columns[i])));
    strbuf_addf(b, "\t" STR_FMT "\n", STR_ARG(first ? units_text(a, status) : S("")));
    return true;
}

/* The names that spec and status mention: gpu, cpu, memory, then the others as they come. */
static size_t resource_names(const struct json *queue, str names[], size_t max)
{
    static const char *const maps[] = {"deserved", "allocated", "requested"};
    size_t n = 0;
    names[n++] = S("gpu");
    names[n++] = S("cpu");
    names[n++] = S("memory");
    for (size_t m = 0; m <= ARRAY_LEN(maps); m++) {
        const struct json *map = m < ARRAY_LEN(maps) ? json_path(queue, "status", maps[m], NULL) : json_path(queue, "spec", "resources", NULL);
        for (uint32_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++) {
            str name = short_name(map->members[i].key);
            size_t at = 0;
            while (at < n && !str_eq(names[at], name))
                at++;
            if (at == n && n < max)
                names[n++] = name;
        }
    }
    return n;
}

static void queue_rows(const struct view *v, const struct json *queue, str label)
{
    str names[64];
    size_t n = resource_names(queue, names, ARRAY_LEN(names));
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= resource_row(v, queue, names[i], label, !any);
    if (!any)
        strbuf_addf(&v->tabs->text, STR_FMT "\t-\t-\t-\t-\t-\t-\t-\t" STR_FMT "\n", STR_ARG(label), STR_ARG(units_text(&v->s->arena, json_get(queue, S("status")))));
}

static bool speak_of(const struct json *items, str resource)
{
    str names[64];
    bool found = false;
    for (uint32_t i = 0; i < items->len && !found; i++)
        for (size_t k = 0, n = resource_names(&items->items[i], names, ARRAY_LEN(names)); k < n && !found; k++)
            found = str_eq(names[k], resource);
    return found || str_is(resource, "gpu") || str_is(resource, "cpu") || str_is(resource, "memory");
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(name_of(*(const struct json *const *)x), name_of(*(const struct json *const *)y));
}

/* A queue whose parent is not there stands at the top, and says so. */
static bool is_child(const struct view *v, const struct json *queue, str parent)
{
    str of = parent_of(queue);
    return parent.len ? str_eq(of, parent) : !of.len || !find(v, of);
}

static void tree(const struct view *v, str parent, str indent, uint32_t depth)
{
    struct arena *a = &v->s->arena;
    const struct json **children = arena_array(a, v->items->len, const struct json *);
    size_t n = 0;
    for (size_t i = 0; i < v->items->len; i++)
        if (is_child(v, &v->items->items[i], parent))
            children[n++] = &v->items->items[i];
    if (n)
        qsort(children, n, sizeof *children, by_name);
    for (size_t i = 0; i < n && depth < DEPTH_MAX; i++) {
        bool last = i + 1 == n, lost = !parent.len && parent_of(children[i]).len;
        str name = name_of(children[i]), branch = parent.len ? last ? S("└─ ") : S("├─ ") : S("");
        str note = lost ? arena_fmt(a, " (no queue \"" STR_FMT "\")", STR_ARG(parent_of(children[i]))) : S("");
        queue_rows(v, children[i], arena_fmt(a, STR_FMT STR_FMT STR_FMT STR_FMT, STR_ARG(indent), STR_ARG(branch), STR_ARG(name), STR_ARG(note)));
        tree(v, name, arena_fmt(a, STR_FMT "%s", STR_ARG(indent), !parent.len ? "" : last ? "   " : "│  "), depth + 1);
    }
}

/* --- one queue: its units ------------------------------------------------------------------------------------------------------------------- */

static void unit_rows(struct session *s, const struct json *queue, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    const struct json *units = json_path(queue, "status", "units", NULL);
    if (!json_is(units, JSON_ARRAY) || !units->len)
        return;
    strbuf_add_str(&t.text, S("\nUNIT\tSTATE\tPOSITION\n"));
    for (uint32_t i = 0; i < units->len; i++) {
        const struct json *u = &units->items[i];
        int64_t place = json_get_int(u, S("position"), 0);
        strbuf_addf(&t.text, STR_FMT "/" STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(json_get_str(u, S("namespace"))), STR_ARG(json_get_str(u, S("name"))),
                    STR_ARG(json_get_str(u, S("state"))), STR_ARG(place > 0 ? arena_fmt(&s->arena, "%lld", (long long)place) : S("-")));
    }
    tabs_flush(&t, out);
}

/* --- the verb --------------------------------------------------------------------------------------------------------------------------------- */

static int show(struct session *s, struct json *list, struct printer *p, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO tabs = TABS_TABLE;
    struct json *items = json_get(list, S("items"));
    struct json none = json_array();
    for (size_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) { /* items of a list need not say what they are */
        json_set(&s->arena, &items->items[i], S("apiVersion"), json_string(S("scheduling.run.ai/v2")));
        json_set(&s->arena, &items->items[i], S("kind"), json_string(S("Queue")));
    }
    struct view v = {.s = s, .items = json_is(items, JSON_ARRAY) ? items : &none, .resource = cli_str(s->args, "resource"), .tabs = &tabs};
    const struct json *one = s->args->npositional ? find(&v, str_of(s->args->positional[0])) : NULL;
    int r = 0;
    if (s->args->npositional && !one)
        return failure_set(f, E_NOT_FOUND, "queues.scheduling.run.ai \"%s\" not found", s->args->positional[0]);
    if (v.resource && strcmp(v.resource, "nvidia.com/gpu") == 0)
        v.resource = "gpu";
    if (v.resource && !speak_of(v.items, str_of(v.resource)))
        return failure_set(f, E_NOT_FOUND, "no queue speaks of \"%s\": there are gpu, cpu, memory, and what spec.resources of queues name", v.resource);
    if (p->format != PRINT_DEFAULT) {
        r = printer_object(p, &out, one ? one : list, f);
    } else if (!v.items->len) {
        strbuf_add_str(&out, S("No queues found: see docs/batch.md for how to make some.\n"));
    } else {
        strbuf_add_str(&tabs.text, S("QUEUE\tRESOURCE\tOF ITS SHARE\tUSED\tWAITING\tQUOTA\tSHARE\tLIMIT\tUNITS\n"));
        if (one)
            queue_rows(&v, one, name_of(one));
        tree(&v, one ? name_of(one) : S(""), S(""), 0);
        tabs_flush(&tabs, &out);
        if (one)
            unit_rows(s, one, &out);
    }
    print_flush(&out);
    return r;
}

static int queue(struct session *s, struct failure *f)
{
    struct printer *p;
    struct json list;
    if (s->args->npositional > 1)
        return session_usage(s, f, "name one queue, or none for all");
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r >= 0)
        r = resources_list(s, S(QUEUES), S(""), S(""), 500, &list, f);
    return r < 0 ? r : show(s, &list, p, f);
}

static int run_queue(struct cli_args *a)
{
    return session_run(a, queue);
}

static const struct cli_option queue_options[] = {
    {"resource", 'r', CLI_STRING, "NAME", "", "Only this resource: gpu, cpu, memory, or another that queues speak of.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};

static const struct cli_verb *const subs[] = {&verb_queue_simulate, NULL};

const struct cli_verb verb_queue = {
    .name = "queue",
    .summary = "Show the tree of queues: quota, share, use and who waits.",
    .usage = "[NAME] [-r RESOURCE] [-o FORMAT]",
    .subs = subs,
    .help = "Bars are as long as the queue's fair share: # is used within the quota, + beyond it, ! beyond the share (other queues may take that back), . is not used.\n"
            "With a name: that queue, what is below it, and its units with their place in the line.",
    .examples = "  cox queue\n  cox queue research -r gpu",
    .options = queue_options,
    .run = run_queue,
    .is_client = true,
};
