/* verb_job.c - cox job: what is placed as a whole, with its queue, its members and why it waits.
 *
 *   NAME    KIND   QUEUE    PRIORITY   MEMBERS   STATE     POSITION   WAITS   WHY
 *   train   Job    vision   train      0/4/4     Pending   2          5m      queue "vision" would pass its limit of 2 GPUs: it has 1 GPU, and 4 GPUs more ...
 * Members are: on nodes / needed together / there at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_watch.h"
#include "cli/print.h"
#include "cli/units.h"
#include "cli/verbs.h"

#define ALL_ABOUT_MAX 3u   /* units of one owner that are shown with everything; more are a table */
#define WHY_MAX 500u       /* bytes of a table's last column */
#define WHY_MIN 40u        /* characters of it that are shown on a terminal, however narrow it is */

static str or_dash(str s)
{
    return s.len ? s : S("-");
}

/* Not too long, and not cut within a character. */
static str short_why(struct arena *a, str why)
{
    size_t n = WHY_MAX;
    if (why.len <= n)
        return why;
    while (n > 0 && ((unsigned char)why.p[n] & 0xc0) == 0x80)
        n--;
    return arena_fmt(a, STR_FMT "...", STR_ARG(str_sub(why, 0, n)));
}

static str position_text(struct arena *a, const struct unit_view *u)
{
    return u->position > 0 ? arena_fmt(a, "%lld", (long long)u->position) : S("-");
}

static str priority_of(const struct unit_view *u)
{
    return or_dash(json_get_str(json_get(u->group, S("spec")), S("priorityClassName")));
}

static void add_row(struct session *s, struct tabs *t, const struct unit_view *u, bool with_ns)
{
    struct arena *a = &s->arena;
    const struct json *since = units_waits_since(u);
    if (with_ns)
        strbuf_addf(&t->text, STR_FMT "\t", STR_ARG(u->ns));
    strbuf_addf(&t->text, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\t%u/%lld/%u\t%s\t" STR_FMT "\t" STR_FMT "\t", STR_ARG(u->owner), STR_ARG(u->kind), STR_ARG(or_dash(u->queue)),
                STR_ARG(priority_of(u)), u->n.placed, (long long)u->min, u->n.total, u->state, STR_ARG(position_text(a, u)), STR_ARG(since ? print_age(a, since) : S("-")));
    print_cell(&t->text, or_dash(short_why(a, u->why)));
    strbuf_add_char(&t->text, '\n');
}

static int by_name(const void *x, const void *y)
{
    const struct unit_view *a = x, *b = y;
    int c = str_cmp(a->ns, b->ns);
    if (!c)
        c = str_cmp(a->owner, b->owner);
    return c ? c : str_cmp(a->name, b->name);
}

/* --- one ------------------------------------------------------------------------------------------------------------------------------------ */
static str amounts_text(struct arena *a, const struct json *map)
{
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++)
        strbuf_addf(&b, "%s" STR_FMT " " STR_FMT, i ? ", " : "", STR_ARG(json_str(&map->members[i].value)), STR_ARG(map->members[i].key));
    return strbuf_str(&b);
}

static void add_line(struct tabs *t, const char *label, str text)
{
    if (!text.len)
        return;
    strbuf_addf(&t->text, "%s:\t", label);
    print_escaped(&t->text, text);
    strbuf_add_char(&t->text, '\n');
}

static void write_one(struct session *s, const struct unit_view *u, struct strbuf *out)
{
    TABS_AUTO t = TABS_TEXT;
    struct arena *a = &s->arena;
    const struct json *since = units_waits_since(u), *have = json_path(u->group, "status", "resourcesStatus", NULL);
    add_line(&t, "Name", arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(u->ns), STR_ARG(u->owner)));
    add_line(&t, "Kind", u->kind);
    add_line(&t, "PodGroup", u->name);
    add_line(&t, "Queue", u->position > 0 ? arena_fmt(a, STR_FMT ", number %lld", STR_ARG(u->queue), (long long)u->position) : u->queue);
    add_line(&t, "Priority", priority_of(u));
    add_line(&t, "State", str_of(u->state));
    add_line(&t, "Members", units_members_text(a, u));
    add_line(&t, "Waits for", since ? print_age(a, since) : S(""));
    add_line(&t, "Has", amounts_text(a, json_get(have, S("allocated"))));
    add_line(&t, "Wants", amounts_text(a, json_get(have, S("requested"))));
    add_line(&t, "Reason", u->reason);
    add_line(&t, "Why", u->why);
    tabs_flush(&t, out);
    units_write_pods(s, u, out);
}

/* --- the verb --------------------------------------------------------------------------------------------------------------------------------- */
/* The first n characters. */
static str first_of(str s, size_t n)
{
    size_t i = 0;
    for (; i < s.len; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80 && n-- == 0)
            break;
    return str_sub(s, 0, i);
}

/* Lines end where the terminal does: the last column has sentences. */
static void cut_lines(str table, uint32_t width, struct strbuf *out)
{
    str line;
    ptrdiff_t last = str_find(table, S("WHY\n"));
    size_t room = MAX((size_t)width, (size_t)last + WHY_MIN);
    while (table.len) {
        str_cut(&table, '\n', &line);
        bool fits = first_of(line, room).len == line.len;
        str shown = fits ? line : first_of(line, room - 3);
        strbuf_addf(out, STR_FMT "%s\n", STR_ARG(shown), fits ? "" : "...");
    }
}

/* Work of another kind is listed elsewhere: told to who finds none here. */
static bool has_kuscia_jobs(struct session *s)
{
    struct failure ignored = FAILURE_NONE;
    struct json list;
    if (session_get(s, S("/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciajobs"), S("limit=1"), &list, &ignored) < 0)
        return false;
    const struct json *items = json_get(&list, S("items"));
    return json_is(items, JSON_ARRAY) && items->len > 0;
}

static void write_table(struct session *s, const struct units_view *v, bool everywhere, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    if (!v->len) {
        if (everywhere)
            strbuf_add_str(out, S("No work found.\n"));
        else
            strbuf_addf(out, "No work found in " STR_FMT " namespace.\n", STR_ARG(s->namespace_));
        if (has_kuscia_jobs(s))
            strbuf_add_str(out, S("KusciaJobs are listed by: cox get kj -n cross-domain\n"));
        return;
    }
    strbuf_addf(&t.text, "%sNAME\tKIND\tQUEUE\tPRIORITY\tMEMBERS\tSTATE\tPOSITION\tWAITS\tWHY\n", everywhere ? "NAMESPACE\t" : "");
    for (size_t i = 0; i < v->len; i++)
        add_row(s, &t, &v->p[i], everywhere);
    STRBUF_AUTO table = STRBUF_HEAP;
    uint32_t width = print_terminal_width();
    tabs_flush(&t, width ? &table : out);
    if (width)
        cut_lines(strbuf_str(&table), width, out);
}

/* By an owner's name, or its own. */
static void keep_named(struct units_view *v, str name)
{
    size_t n = 0;
    for (size_t i = 0; i < v->len; i++)
        if (units_belongs_to(&v->p[i], S(""), name) || str_eq(v->p[i].name, name))
            v->p[n++] = v->p[i];
    v->len = n;
}

static int write_objects(struct session *s, const struct units_view *v, bool one, struct printer *p, struct strbuf *out, struct failure *f)
{
    struct json list = v->list, items = json_array();
    if (one && v->len == 1)
        return printer_object(p, out, v->p[0].group, f);
    for (size_t i = 0; i < v->len; i++)
        json_push(&s->arena, &items, *v->p[i].group);
    json_set(&s->arena, &list, S("items"), items);
    return printer_object(p, out, &list, f);
}

static int show(struct session *s, struct printer *p, bool everywhere, struct units_view *v, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    const char *name = s->args->npositional ? s->args->positional[0] : NULL;
    int r = 0;
    if (v->len)
        qsort(v->p, v->len, sizeof *v->p, by_name);
    if (name)
        keep_named(v, str_of(name));
    if (name && !v->len && kuscia_show(s, p, S("cross-domain"), str_of(name), f) == 0)
        return 0;
    if (name && !v->len)
        return failure_set(f, E_NOT_FOUND, "no PodGroup is called \"%s\" or belongs to something that is, and no KusciaJob has that name", name);
    if (p->format != PRINT_DEFAULT)
        r = write_objects(s, v, name != NULL, p, &out, f);
    else if (!name || v->len > ALL_ABOUT_MAX)
        write_table(s, v, everywhere, &out);
    for (size_t i = 0; name && p->format == PRINT_DEFAULT && v->len <= ALL_ABOUT_MAX && i < v->len; i++) {
        if (i)
            strbuf_add_str(&out, S("\n\n"));
        write_one(s, &v->p[i], &out);
    }
    print_flush(&out);
    return r;
}

static int job(struct session *s, struct failure *f)
{
    struct printer *p;
    struct units_view v;
    bool everywhere = cli_flag(s->args, "all-namespaces");
    if (s->args->npositional > 1)
        return session_usage(s, f, "there is no `cox job %s`: name one, or none for all; of a KusciaJob: cox job watch NAME, stop, suspend, restart, cancel, approve or reject NAME",
                             s->args->positional[0]);
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r >= 0)
        r = units_load(s, everywhere ? S("") : s->namespace_, &v, f);
    if (r < 0 && s->args->npositional && str_is(failure_reason(f), "Forbidden")) { /* of a KusciaJob it takes part in a domain may read this much */
        struct failure ignored = FAILURE_NONE;
        if (kuscia_show(s, p, S("cross-domain"), str_of(s->args->positional[0]), &ignored) == 0)
            return 0;
    }
    return r < 0 ? r : show(s, p, everywhere, &v, f);
}

static int run_job(struct cli_args *a)
{
    return session_run(a, job);
}

static const struct cli_option job_options[] = {
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "Look into every namespace.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_job = {
    .name = "job",
    .summary = "Show the work of queues: members, state, place in line, why it waits; and follow and command KusciaJobs.",
    .usage = "[NAME] [-n NAMESPACE | -A] [-o FORMAT]",
    .help = "A row is what starts as a whole: the pods of a Job, a RayCluster, a Deployment's pod ..., by the PodGroup that stands for it.  MEMBERS are the pods that have\n"
            "a node, those that are needed together, and all.  With a name, of the owner or of the PodGroup: all about it, and its pods with their nodes;\n"
            "of an owner with more than three units, such as a Job whose pods start one by one: their rows.  With the name of a KusciaJob: its tasks.\n"
            "KusciaJobs are listed by `cox get kj -n cross-domain`.",
    .examples = "  cox job\n  cox job -A\n  cox job train -n research\n  cox job watch meeting\n  cox job stop meeting --domain alice",
    .options = job_options,
    .subs = verb_job_kuscia,
    .run = run_job,
    .is_client = true,
};
