/* verb_why.c - cox why: why a pod waits, or why it is where it is.
 *
 * Asks no scheduler: nodes, pods and the rest are read through the API and loaded into an engine here, which then decides about this one pod as the scheduler would.  So it works
 * against any Kubernetes API server, and for pods of any scheduler that follows the usual rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "cli/print.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "rt/file.h"
#include "sched/engine/explain.h"
#include "sched/engine/object.h"

#define PAGE 500
#define PROFILE_BYTES (1u << 20)

struct why {
    struct session *s;
    struct sched *e;
    struct json pod; /* as the API has it */
    str ns, name, scheduler;
    size_t unread;   /* objects that were not understood */
    char unread_why[200];
};

/* --- the cluster into the engine ------------------------------------------------------------------------------------------------------------------ */
/* Pods without a node take no room; those of other schedulers are not even in a group that this one places. */
static bool is_of_use(const struct why *w, const struct json *obj)
{
    const struct json *spec = json_get(obj, S("spec"));
    return json_get_str(spec, S("nodeName")).len || str_eq(json_get_str(spec, S("schedulerName")), w->scheduler);
}

static void put(struct why *w, struct json *obj, str kind, str version, struct arena *a)
{
    struct err err = ERR_NONE;
    if (!json_get(obj, S("kind")))
        json_set(a, obj, S("kind"), json_string(kind));
    if (!json_get(obj, S("apiVersion")))
        json_set(a, obj, S("apiVersion"), json_string(version));
    if (str_is(kind, "Pod") && !is_of_use(w, obj))
        return;
    if (object_put(w->e, obj, NULL, &err) < 0 && w->unread++ == 0)
        snprintf(w->unread_why, sizeof w->unread_why, "%s", err.msg);
}

/* All pages, one in memory at a time. */
static int load(struct why *w, const struct discovery_resource *r, struct err *err)
{
    struct session *s = w->s;
    ARENA_AUTO keep = ARENA_INIT;
    str version = discovery_group_version(&keep, r), path = discovery_path(&keep, r, S(""), S(""), S("")), token = S("");
    do {
        ARENA_AUTO page = ARENA_INIT;
        struct strbuf query = strbuf_on(&page);
        struct client_response res;
        strbuf_addf(&query, "limit=%d", PAGE);
        if (token.len)
            client_query_add(&query, "continue", token);
        int code = client_do(s->client, &(struct client_request){.method = S("GET"), .path = path, .query = strbuf_str(&query), .timeout_ns = s->timeout_ns}, &page, &res, err);
        if (code < 0)
            return code;
        struct json *items = json_get(&res.json, S("items"));
        for (size_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++)
            put(w, &items->items[i], r->kind, version, &page);
        token = arena_str(&keep, json_get_str(json_get(&res.json, S("metadata")), S("continue")));
    } while (token.len);
    return 0;
}

/* In this order: pods want to find their nodes, groups and claims. */
static const struct {
    const char *group, *plural;
    bool is_needed;
} wanted[] = {
    {"", "nodes", true},
    {"", "namespaces", false},
    {"storage.k8s.io", "storageclasses", false},
    {"storage.k8s.io", "csinodes", false},
    {"", "persistentvolumes", false},
    {"", "persistentvolumeclaims", false},
    {"policy", "poddisruptionbudgets", false},
    {"scheduling.run.ai", "podgroups", false},
    {"scheduling.godel.kubewharf.io", "podgroups", false},
    {"scheduling.x-k8s.io", "podgroups", false},
    {"scheduling.sigs.k8s.io", "podgroups", false},
    {"scheduling.volcano.sh", "podgroups", false},
    {"", "pods", true},
};

static int load_all(struct why *w, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(w->s, &d, f);
    for (size_t k = 0; r >= 0 && k < ARRAY_LEN(wanted); k++)
        for (size_t i = 0; r >= 0 && i < d->len; i++) {
            const struct discovery_resource *res = &d->list[i];
            struct err err = ERR_NONE;
            if (!res->is_preferred || !str_is(res->plural, wanted[k].plural) || !str_is(res->group, wanted[k].group))
                continue;
            if ((r = load(w, res, &err)) >= 0)
                continue;
            if (wanted[k].is_needed)
                return failure_set(f, -r, "cannot list %s: %s", wanted[k].plural, err.msg);
            fprintf(stderr, "Warning: cannot list %s, so they are not considered: %s\n", wanted[k].plural, err.msg);
            r = 0;
        }
    if (w->unread)
        fprintf(stderr, "Warning: %zu object%s could not be understood and %s not considered: %s\n", w->unread, w->unread == 1 ? "" : "s", w->unread == 1 ? "is" : "are", w->unread_why);
    return r;
}

/* --- the answer ----------------------------------------------------------------------------------------------------------------------------------------- */
struct answer {
    struct explanation *x;
    str status;
    str node; /* where it is */
};

static int decide(struct why *w, struct answer *ret, struct failure *f)
{
    struct arena *a = &w->s->arena;
    pod_id p = sched_pod_find(w->e, w->ns, w->name);
    if (!p) {
        str phase = json_get_str(json_get(&w->pod, S("status")), S("phase"));
        bool has_ended = str_is(phase, "Succeeded") || str_is(phase, "Failed");
        return failure_set(f, E_NOT_FOUND, has_ended ? "pod \"" STR_FMT "\" has ended (" STR_FMT "); there is nothing left to explain"
                                                     : "pod \"" STR_FMT "\" is leaving or cannot be understood (" STR_FMT ")",
                           STR_ARG(w->name), STR_ARG(phase));
    }
    unit_id u = sched_unit_of(w->e, p);
    ret->node = json_get_str(json_get(&w->pod, S("spec")), S("nodeName"));
    if (ret->node.len) {
        ret->status = arena_fmt(a, "on " STR_FMT, STR_ARG(ret->node));
        ret->x = explain_choice(w->e, a, p);
        return 0;
    }
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(w->e, u, clock_wall(&clock_real), &d);
    bool fits = w->e->pods[p].state == PS_ASSUMED;
    ret->status = fits ? arena_fmt(a, "waits, and fits now: its scheduler (" STR_FMT ") has not placed it yet, or does not run", STR_ARG(w->scheduler)) : S("waits");
    ret->x = fits ? explain_choice(w->e, a, p) : explain_waiting(w->e, a, u, 0, &d);
    unit_decision_fini(&d);
    return 0;
}

static str said_by_scheduler(const struct why *w)
{
    const struct json *list = json_path(&w->pod, "status", "conditions", NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "PodScheduled") && str_is(json_get_str(&list->items[i], S("status")), "False"))
            return json_get_str(&list->items[i], S("message"));
    return S("");
}

/* --- as text --------------------------------------------------------------------------------------------------------------------------------------------- */
static void write_reasons(struct why *w, const struct explanation *x, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    struct arena *a = &w->s->arena;
    if (!x->nrows)
        return;
    strbuf_add_str(&t.text, S("\nNODES\tPLUGIN\tREASON\tNEEDS\tBEST FREE\n"));
    for (uint32_t i = 0; i < x->nrows; i++) {
        const struct explain_row *r = &x->rows[i];
        bool has_amount = r->resource < RES_MAX;
        strbuf_addf(&t.text, "%u\t%s\t" STR_FMT "\t", r->nodes, r->plugin, STR_ARG(r->text));
        if (has_amount)
            strbuf_addf(&t.text, STR_FMT "\t" STR_FMT " on " STR_FMT "\n", STR_ARG(explain_amount(a, w->e, r->resource, r->need)), STR_ARG(explain_amount(a, w->e, r->resource, r->best)),
                        STR_ARG(r->best_node));
        else
            strbuf_add_str(&t.text, S("-\t-\n"));
    }
    tabs_flush(&t, out);
}

static void write_scores(const struct explanation *x, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    bool has_other = x->runner_up.len > 0;
    if (!x->nscores)
        return;
    strbuf_addf(&t.text, "\nPLUGIN\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(x->node), STR_ARG(x->runner_up));
    for (uint32_t i = 0; i < x->nscores; i++) {
        strbuf_addf(&t.text, "%s\t%d\t", x->scores[i].plugin, x->scores[i].chosen);
        if (has_other)
            strbuf_addf(&t.text, "%d", x->scores[i].runner_up);
        strbuf_add_char(&t.text, '\n');
    }
    strbuf_addf(&t.text, "sum\t%d\t", x->score);
    if (has_other)
        strbuf_addf(&t.text, "%d", x->runner_up_score);
    strbuf_add_char(&t.text, '\n');
    tabs_flush(&t, out);
}

static void add_line(struct tabs *t, const char *label, str text)
{
    if (text.len)
        strbuf_addf(&t->text, "%s:\t" STR_FMT "\n", label, STR_ARG(text));
}

static void write_text(struct why *w, const struct answer *n)
{
    const struct explanation *x = n->x;
    struct arena *a = &w->s->arena;
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    bool moved = n->node.len && x->node.len && !str_eq(n->node, x->node);
    add_line(&t, "Pod", arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(w->ns), STR_ARG(w->name)));
    add_line(&t, "Scheduler", w->scheduler);
    add_line(&t, "Status", n->status);
    add_line(&t, moved ? "Today" : "Why", x->sentence);
    if (x->has_nearest)
        add_line(&t, "Nearest", x->nearest.text);
    add_line(&t, "Preemption", x->preemption);
    if (!n->node.len)
        add_line(&t, "Queue", S("its scheduler alone knows the place"));
    add_line(&t, "Last said", said_by_scheduler(w));
    tabs_flush(&t, &out);
    write_reasons(w, x, &out);
    write_scores(x, &out);
    print_flush(&out);
}

static int write_object(struct why *w, const struct answer *n, struct printer *p, struct failure *f)
{
    struct arena *a = &w->s->arena;
    struct json o = explain_json(a, w->e, n->x);
    STRBUF_AUTO out = STRBUF_HEAP;
    json_set(a, &o, S("pod"), json_string(arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(w->ns), STR_ARG(w->name))));
    json_set(a, &o, S("scheduler"), json_string(w->scheduler));
    json_set(a, &o, S("status"), json_string(n->status));
    if (n->node.len)
        json_set(a, &o, S("boundTo"), json_string(n->node));
    if (said_by_scheduler(w).len)
        json_set(a, &o, S("lastSaid"), json_string(said_by_scheduler(w)));
    int r = printer_object(p, &out, &o, f);
    print_flush(&out);
    return r;
}

/* --- the verb --------------------------------------------------------------------------------------------------------------------------------------------- */
static int read_profile(struct session *s, struct sched_profile **ret, struct err *err)
{
    const char *name = cli_str_or(s->args, "profile", "default");
    char *text;
    size_t len;
    *ret = profile_builtin(str_of(name));
    if (*ret)
        return 0;
    int r = file_read(name, PROFILE_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    r = profile_parse(str_n(text, len), str_of(name), ret, err);
    free(text);
    return r;
}

static int read_pod(struct why *w, struct failure *f)
{
    struct session *s = w->s;
    const struct cli_args *args = s->args;
    if (args->npositional != 1)
        return failure_set(f, E_INVALID_ARG, "name one pod: cox why pod/NAME");
    str name = str_of(args->positional[0]), type;
    if (str_cut(&name, '/', &type)) {
        if (!str_is(type, "pod") && !str_is(type, "pods") && !str_is(type, "po"))
            return failure_set(f, E_INVALID_ARG, "only pods are placed: cox why pod/NAME, not " STR_FMT "/...", STR_ARG(type));
    } else {
        name = type;
    }
    struct strbuf path = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, s->namespace_);
    strbuf_add_str(&path, S("/pods"));
    client_path_add(&path, name);
    int r = session_get(s, strbuf_str(&path), S(""), &w->pod, f);
    if (r < 0)
        return r;
    w->ns = s->namespace_;
    w->name = name;
    w->scheduler = json_get_str(json_get(&w->pod, S("spec")), S("schedulerName"));
    return 0;
}

static int why(struct session *s, struct failure *f)
{
    struct why w = {.s = s};
    struct answer answer = {0};
    struct sched_profile *profile;
    struct printer *p;
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r >= 0)
        r = read_pod(&w, f);
    if (r >= 0)
        r = read_profile(s, &profile, &f->err);
    if (r < 0)
        return r;
    w.e = sched_new(profile, 0);
    r = load_all(&w, f);
    if (r >= 0)
        r = decide(&w, &answer, f);
    if (r >= 0 && p->format == PRINT_DEFAULT)
        write_text(&w, &answer);
    else if (r >= 0)
        r = write_object(&w, &answer, p, f);
    sched_free(w.e);
    return r;
}

static int run_why(struct cli_args *a)
{
    return session_run(a, why);
}

static const struct cli_option why_options[] = {
    {"profile", 'p', CLI_STRING, "NAME|FILE", "default", "Rules to explain by: default, binpack, spread, gpu-packing, or a file.", NULL},
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_why = {
    .name = "why",
    .summary = "Explain why a pod waits, or why it is where it is.",
    .usage = "pod/NAME [-n NAMESPACE] [-o FORMAT]",
    .help = "Reads the cluster and decides about this pod as the scheduler would: how many nodes each rule excludes and what is missing there, the nearest\n"
            "miss, what eviction could do; for a pod that has a node the scores.  Changes nothing.",
    .examples = "  cox why pod/web-0 -n shop\n  cox why pod/web-0 -o json",
    .options = why_options,
    .run = run_why,
    .is_client = true,
};
