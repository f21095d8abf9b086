/* verb_why.c - cox why: why a pod waits, or why it is where it is; the same of what is placed as a whole.
 *
 *   GET pods/NAME/explain: what the scheduler in the server says, with the pod's place in its queue ─┐
 *   else, or with --profile: an engine here                                                        ─┴─► a record (explain_json) ─► text, or the record itself
 *   kt/NAME, kj/NAME, kd/NAME, domain/NAME: kuscia_why.h
 *   podgroup/NAME, job/NAME: one of its pods that waits stands for it; when none does, there is only to say where they are
 * The engine here asks no scheduler: nodes, pods and the rest are read through the API and loaded into it, and it decides about this one pod as the scheduler would.  So it
 * works against any Kubernetes API server, and for pods of any scheduler that follows the usual rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "cli/kuscia_why.h"
#include "cli/print.h"
#include "cli/scheduler_profile.h"
#include "cli/session.h"
#include "cli/units.h"
#include "cli/verbs.h"
#include "sched/engine/explain.h"
#include "sched/engine/object.h"

#define PAGE 500

struct why {
    struct session *s;
    str asked;       /* "kind/name" or a pod's name; "" nothing */
    struct sched *e;
    struct json pod; /* as the API has it */
    str ns, name, scheduler;
    str path; /* of the pod */
    const struct unit_view *unit; /* that was asked about; NULL: the pod alone */
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
    struct json record;
    str status;
    str node; /* where it is */
    bool by_scheduler; /* the record is its own */
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
    if (ret->node.len) {
        ret->record = explain_json(a, w->e, explain_choice(w->e, a, p));
        return 0;
    }
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(w->e, u, clock_wall(&clock_real), &d);
    bool fits = w->e->pods[p].state == PS_ASSUMED;
    if (fits)
        ret->status = arena_fmt(a, "waits, and fits now: its scheduler (" STR_FMT ") has not placed it yet, or does not run", STR_ARG(w->scheduler));
    ret->record = explain_json(a, w->e, fits ? explain_choice(w->e, a, p) : explain_waiting(w->e, a, u, 0, &d));
    unit_decision_fini(&d);
    return 0;
}

static int decide_here(struct why *w, struct answer *ret, struct failure *f)
{
    struct sched_profile *profile;
    int r = scheduler_profile_read(cli_str(w->s->args, "profile"), &profile, &f->err);
    if (r < 0)
        return r;
    bool is_theirs = !profile->next;
    for (const struct sched_profile *p = profile; p; p = p->next)
        is_theirs |= str_eq(p->name, w->scheduler);
    if (!is_theirs) {
        profile_free(profile);
        return failure_set(f, E_INVALID_ARG, "pod \"" STR_FMT "\" waits for the scheduler \"" STR_FMT "\", and no profile in %s has that name", STR_ARG(w->name), STR_ARG(w->scheduler),
                           cli_str(w->s->args, "profile"));
    }
    w->e = sched_new(profile, 0);
    r = load_all(w, f);
    if (r >= 0)
        r = decide(w, ret, f);
    sched_free(w->e);
    return r;
}

/* Whatever goes wrong with it: the engine here can answer, too. */
static bool ask_scheduler(struct why *w, struct answer *ret)
{
    struct session *s = w->s;
    struct strbuf path = strbuf_on(&s->arena);
    struct client_response res;
    struct err err;
    strbuf_add_str(&path, w->path);
    strbuf_add_str(&path, S("/explain"));
    struct client_request q = {.method = S("GET"), .path = strbuf_str(&path), .timeout_ns = s->timeout_ns};
    if (cli_given(s->args, "profile") || client_do(s->client, &q, &s->arena, &res, &err) < 0 || res.status != 200 || !json_is(&res.json, JSON_OBJECT))
        return false;
    ret->record = res.json;
    ret->by_scheduler = true;
    return true;
}

static str said_by_scheduler(const struct why *w)
{
    const struct json *list = json_path(&w->pod, "status", "conditions", NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "PodScheduled") && str_is(json_get_str(&list->items[i], S("status")), "False"))
            return json_get_str(&list->items[i], S("message"));
    return S("");
}

/* --- claims that hold it up ---------------------------------------------------------------------------------------------------------------------------------- */
/* What was said last about a claim; "" nothing. */
static str last_word(struct why *w, str claim)
{
    struct session *s = w->s;
    struct strbuf path = strbuf_on(&s->arena), query = strbuf_on(&s->arena);
    struct client_response res;
    struct err err;
    str newest = S(""), text = S("");
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, w->ns);
    strbuf_add_str(&path, S("/events"));
    client_query_add(&query, "fieldSelector", arena_fmt(&s->arena, "involvedObject.kind=PersistentVolumeClaim,involvedObject.name=" STR_FMT, STR_ARG(claim)));
    struct client_request q = {.method = S("GET"), .path = strbuf_str(&path), .query = strbuf_str(&query), .timeout_ns = s->timeout_ns};
    if (client_do(s->client, &q, &s->arena, &res, &err) < 0 || res.status != 200)
        return S("");
    const struct json *items = json_get(&res.json, S("items"));
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        str at = json_get_str(&items->items[i], S("lastTimestamp"));
        bool is_better = str_is(json_get_str(&items->items[i], S("type")), "Warning"); /* of one second: the trouble */
        int order = str_cmp(at, newest);
        if (!text.len || order > 0 || (order == 0 && is_better)) {
            newest = at;
            text = json_get_str(&items->items[i], S("message"));
        }
    }
    return text;
}

/* A pod that has been given a node waits there for its claims: they are bound before it is. */
static str claim_trouble(struct why *w)
{
    struct session *s = w->s;
    struct arena *a = &s->arena;
    const struct json *list = json_path(&w->pod, "spec", "volumes", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *v = &list->items[i];
        str claim = json_get_str(json_get(v, S("persistentVolumeClaim")), S("claimName"));
        if (json_get(v, S("ephemeral")))
            claim = arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(w->name), STR_ARG(json_get_str(v, S("name"))));
        struct strbuf path = strbuf_on(a);
        struct client_response res;
        struct err err;
        strbuf_add_str(&path, S("/api/v1/namespaces"));
        client_path_add(&path, w->ns);
        strbuf_add_str(&path, S("/persistentvolumeclaims"));
        client_path_add(&path, claim);
        if (!claim.len || client_do(s->client, &(struct client_request){.method = S("GET"), .path = strbuf_str(&path), .timeout_ns = s->timeout_ns}, a, &res, &err) < 0 || res.status != 200)
            continue;
        str phase = json_get_str(json_get(&res.json, S("status")), S("phase")), word = str_is(phase, "Bound") ? S("") : last_word(w, claim);
        if (!str_is(phase, "Bound"))
            return arena_fmt(a, "waits for the claim " STR_FMT ": " STR_FMT, STR_ARG(claim), STR_ARG(word.len ? word : S("it is not bound yet")));
    }
    return S("");
}

/* --- as text --------------------------------------------------------------------------------------------------------------------------------------------- */
static void write_reasons(const struct json *record, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    const struct json *rows = json_get(record, S("reasons"));
    if (!json_is(rows, JSON_ARRAY) || !rows->len)
        return;
    strbuf_add_str(&t.text, S("\nNODES\tPLUGIN\tREASON\tNEEDS\tBEST FREE\n"));
    for (uint32_t i = 0; i < rows->len; i++) {
        const struct json *r = &rows->items[i];
        str need = json_get_str(r, S("needText"));
        strbuf_addf(&t.text, "%lld\t" STR_FMT "\t" STR_FMT "\t", (long long)json_get_int(r, S("nodes"), 0), STR_ARG(json_get_str(r, S("plugin"))),
                    STR_ARG(json_get_str(r, S("reason"))));
        if (need.len)
            strbuf_addf(&t.text, STR_FMT "\t" STR_FMT " on " STR_FMT "\n", STR_ARG(need), STR_ARG(json_get_str(r, S("bestText"))), STR_ARG(json_get_str(r, S("bestNode"))));
        else
            strbuf_add_str(&t.text, S("-\t-\n"));
    }
    tabs_flush(&t, out);
}

static void write_score(struct strbuf *b, str plugin, int64_t chosen, const struct json *of, str key)
{
    strbuf_addf(b, STR_FMT "\t%lld\t", STR_ARG(plugin), (long long)chosen);
    if (json_get(of, key))
        strbuf_addf(b, "%lld", (long long)json_get_int(of, key, 0));
    strbuf_add_char(b, '\n');
}

static void write_scores(const struct json *record, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    const struct json *rows = json_get(record, S("scores"));
    if (!json_is(rows, JSON_ARRAY) || !rows->len)
        return;
    strbuf_addf(&t.text, "\nPLUGIN\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(json_get_str(record, S("node"))), STR_ARG(json_get_str(record, S("runnerUp"))));
    for (uint32_t i = 0; i < rows->len; i++)
        write_score(&t.text, json_get_str(&rows->items[i], S("plugin")), json_get_int(&rows->items[i], S("chosen"), 0), &rows->items[i], S("runnerUp"));
    write_score(&t.text, S("sum"), json_get_int(record, S("score"), 0), record, S("runnerUpScore"));
    tabs_flush(&t, out);
}

static void add_line(struct tabs *t, const char *label, str text)
{
    if (text.len)
        strbuf_addf(&t->text, "%s:\t" STR_FMT "\n", label, STR_ARG(text));
}

static str place_in_queue(struct arena *a, const struct answer *n)
{
    int64_t place = json_get_int(&n->record, S("queuePosition"), 0);
    str queue = json_get_str(json_get(&n->record, S("queue")), S("name"));
    if (queue.len && place > 0)
        return arena_fmt(a, STR_FMT ", number %lld", STR_ARG(queue), (long long)place);
    if (n->node.len || queue.len)
        return queue;
    if (!n->by_scheduler)
        return S("its scheduler alone knows the place");
    return place > 0 ? arena_fmt(a, "number %lld", (long long)place) : S("tried again when something changes that can help");
}

/* "2 nvidia.com/gpu, 500m cpu" */
static str amounts_text(struct arena *a, const struct json *map)
{
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++)
        strbuf_addf(&b, "%s" STR_FMT " " STR_FMT, i ? ", " : "", STR_ARG(json_str(&map->members[i].value)), STR_ARG(map->members[i].key));
    return strbuf_str(&b);
}

static void add_unit(struct tabs *t, struct arena *a, const struct unit_view *u)
{
    if (!u)
        return;
    add_line(t, "PodGroup", arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(u->ns), STR_ARG(u->name)));
    if (!str_eq(u->owner, u->name))
        add_line(t, "Owner", arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(u->kind), STR_ARG(u->owner)));
    add_line(t, "State", str_of(u->state));
    add_line(t, "Members", units_members_text(a, u));
}

static struct json unit_json(struct arena *a, const struct unit_view *u)
{
    const struct {
        const char *name;
        int64_t n;
    } numbers[] = {{"created", u->n.total}, {"placed", u->n.placed}, {"waiting", u->n.waiting}, {"minMember", u->min}};
    struct json members = json_object(), pods = json_object(), o = json_object();
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        json_set(a, &members, str_of(numbers[i].name), json_int(a, numbers[i].n));
    for (size_t i = 0; i < u->npods; i++)
        json_set(a, &pods, json_str(json_path(u->pods[i], "metadata", "name", NULL)), json_string(json_get_str(json_get(u->pods[i], S("spec")), S("nodeName"))));
    json_set(a, &o, S("name"), json_string(arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(u->ns), STR_ARG(u->name))));
    json_set(a, &o, S("owner"), json_string(arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(u->kind), STR_ARG(u->owner))));
    json_set(a, &o, S("state"), json_string(str_of(u->state)));
    json_set(a, &o, S("queue"), json_string(u->queue));
    json_set(a, &o, S("members"), members);
    json_set(a, &o, S("nodes"), pods);
    return o;
}

/* Nothing of it waits: where it is. */
static int write_settled(struct why *w, struct printer *p, struct failure *f)
{
    struct arena *a = &w->s->arena;
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    struct json o = json_object();
    int r = 0;
    if (p->format != PRINT_DEFAULT) {
        json_set(a, &o, S("podGroup"), unit_json(a, w->unit));
        r = printer_object(p, &out, &o, f);
    } else {
        add_unit(&t, a, w->unit);
        add_line(&t, "Queue", w->unit->queue);
        tabs_flush(&t, &out);
        units_write_pods(w->s, w->unit, &out);
    }
    print_flush(&out);
    return r;
}

static void write_text(struct why *w, const struct answer *n)
{
    const struct json *x = &n->record;
    struct arena *a = &w->s->arena;
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    str chosen = json_get_str(x, S("node"));
    bool moved = n->node.len && chosen.len && !str_eq(n->node, chosen);
    add_unit(&t, a, w->unit);
    add_line(&t, w->unit ? "One of them" : "Pod", arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(w->ns), STR_ARG(w->name)));
    add_line(&t, "Scheduler", w->scheduler);
    add_line(&t, "Status", n->status);
    add_line(&t, moved ? "Today" : "Why", json_get_str(x, S("message")));
    add_line(&t, "Nearest", json_get_str(json_get(x, S("nearest")), S("text")));
    add_line(&t, "Preemption", json_get_str(x, S("preemption")));
    const struct json *queue = json_get(x, S("queue"));
    add_line(&t, "Queue", place_in_queue(a, n));
    add_line(&t, "Asks for", n->node.len ? S("") : amounts_text(a, json_get(queue, S("asks"))));
    add_line(&t, "Queue has", amounts_text(a, json_get(queue, S("allocated"))));
    add_line(&t, "Fair share", amounts_text(a, json_get(queue, S("fairShare"))));
    if (!str_eq(said_by_scheduler(w), json_get_str(x, S("message"))))
        add_line(&t, "Last said", said_by_scheduler(w)); /* the world has changed since */
    tabs_flush(&t, &out);
    write_reasons(x, &out);
    write_scores(x, &out);
    print_flush(&out);
}

static int write_object(struct why *w, struct answer *n, struct printer *p, struct failure *f)
{
    struct arena *a = &w->s->arena;
    struct json *o = &n->record;
    STRBUF_AUTO out = STRBUF_HEAP;
    json_set(a, o, S("pod"), json_string(arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(w->ns), STR_ARG(w->name))));
    json_set(a, o, S("scheduler"), json_string(w->scheduler));
    json_set(a, o, S("status"), json_string(n->status));
    if (n->node.len)
        json_set(a, o, S("boundTo"), json_string(n->node));
    if (w->unit)
        json_set(a, o, S("podGroup"), unit_json(a, w->unit));
    if (said_by_scheduler(w).len)
        json_set(a, o, S("lastSaid"), json_string(said_by_scheduler(w)));
    int r = printer_object(p, &out, o, f);
    print_flush(&out);
    return r;
}

/* --- the verb --------------------------------------------------------------------------------------------------------------------------------------------- */
static int read_pod(struct why *w, str name, struct failure *f)
{
    struct session *s = w->s;
    struct strbuf path = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, s->namespace_);
    strbuf_add_str(&path, S("/pods"));
    client_path_add(&path, name);
    w->path = strbuf_str(&path);
    int r = session_get(s, w->path, S(""), &w->pod, f);
    if (r < 0)
        return r;
    w->ns = s->namespace_;
    w->name = name;
    w->scheduler = json_get_str(json_get(&w->pod, S("spec")), S("schedulerName"));
    return 0;
}

static bool is_group_type(str type)
{
    return str_is(type, "podgroup") || str_is(type, "podgroups") || str_is(type, "pg") || str_is(type, "podgroups.scheduling.run.ai");
}

/* A PodGroup, or the owner of one; the first of its pods that waits, if any does, becomes the pod to ask about. */
static int read_unit(struct why *w, str type, str name, struct failure *f)
{
    struct session *s = w->s;
    struct units_view v;
    int r = units_load(s, s->namespace_, &v, f);
    if (r < 0 && is_group_type(type))
        return r;
    for (size_t i = 0; r >= 0 && i < v.len; i++)
        if ((is_group_type(type) ? str_eq(v.p[i].name, name) : units_belongs_to(&v.p[i], type, name)) && (!w->unit || (!w->unit->n.waiting && v.p[i].n.waiting)))
            w->unit = &v.p[i]; /* of several the first that waits */
    if (!w->unit && is_group_type(type))
        return failure_set(f, E_NOT_FOUND, "podgroups.scheduling.run.ai \"" STR_FMT "\" not found", STR_ARG(name));
    if (!w->unit)
        return failure_set(f, E_INVALID_ARG, "no PodGroup belongs to " STR_FMT "/" STR_FMT "; what is placed are pods, PodGroups and KusciaTasks: cox why pod/NAME, podgroup/NAME, kt/NAME, or kj/NAME for a KusciaJob, domain/NAME for a Domain", STR_ARG(type), STR_ARG(name));
    for (size_t i = 0; i < w->unit->npods; i++) {
        struct unit_counts_view n = {0};
        unit_count_pod(&n, w->unit->pods[i]);
        if (n.waiting)
            return read_pod(w, json_str(json_path(w->unit->pods[i], "metadata", "name", NULL)), f);
    }
    return 0;
}

static int read_asked(struct why *w, struct failure *f)
{
    str name = w->asked, type;
    if (!name.len)
        return failure_set(f, E_INVALID_ARG, "name one: cox why pod/NAME, podgroup/NAME, kt/NAME or kj/NAME");
    if (!str_cut(&name, '/', &type))
        return read_pod(w, type, f);
    if (str_is(type, "pod") || str_is(type, "pods") || str_is(type, "po"))
        return read_pod(w, name, f);
    return read_unit(w, type, name, f);
}

/* "kj/meeting", or as two words; "" neither. */
static str asked_of(struct session *s)
{
    const char *const *words = s->args->positional;
    if (s->args->npositional == 1)
        return str_of(words[0]);
    return s->args->npositional == 2 && !strchr(words[0], '/') && !strchr(words[1], '/') ? arena_fmt(&s->arena, "%s/%s", words[0], words[1]) : S("");
}

static int why(struct session *s, struct failure *f)
{
    struct why w = {.s = s, .asked = asked_of(s)};
    struct printer *p;
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    str name = w.asked, type;
    if (r >= 0 && str_cut(&name, '/', &type) && kuscia_why_is(type))
        return kuscia_why(s, p, type, name, f);
    if (r >= 0)
        r = read_asked(&w, f);
    if (r < 0)
        return r;
    if (!w.path.len)
        return write_settled(&w, p, f);
    str node = json_get_str(json_get(&w.pod, S("spec")), S("nodeName"));
    struct answer answer = {.node = node, .status = node.len ? arena_fmt(&s->arena, "on " STR_FMT, STR_ARG(node)) : S("waits")};
    if (!ask_scheduler(&w, &answer))
        r = decide_here(&w, &answer, f);
    str trouble = r >= 0 && !node.len && json_get_str(&answer.record, S("node")).len ? claim_trouble(&w) : S("");
    if (trouble.len)
        answer.status = trouble;
    if (r >= 0 && p->format == PRINT_DEFAULT)
        write_text(&w, &answer);
    else if (r >= 0)
        r = write_object(&w, &answer, p, f);
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
    .summary = "Explain why a pod, a PodGroup or a KusciaTask waits, or why it is where it is.",
    .usage = "pod/NAME | podgroup/NAME | kt/NAME | trg/NAME | kj/NAME | kd/NAME | domain/NAME | KIND/NAME [-n NAMESPACE] [-o FORMAT]",
    .help = "Asks the scheduler of the server.  Where there is none, or with --profile, reads the cluster and decides about this pod as the scheduler would: how many\n"
            "nodes each rule excludes and what is missing there, the nearest miss, what eviction could do; for a pod that has a node the scores.  Changes nothing.\n"
            "Of a PodGroup, also named by what owns it (job/train), a pod that waits is explained, with the members of the group; when none waits, where they are.\n"
            "Of a KusciaTask (kt/NAME, its TaskResourceGroup trg/NAME or a part tr/NAME of it), or the first of a KusciaJob (kj/NAME) that waits: all its parties, the nodes that were considered for each\n"
            "with their free bandwidth, and the links between them.  Of a KusciaJob of which no task waits for room: how its tasks are.  Of a KusciaDeployment (kd/NAME): what its\n"
            "status says.  Of a Domain (domain/NAME): how its nodes and its quota are, and which tasks wait that it takes part in.",
    .examples = "  cox why pod/web-0 -n shop\n  cox why pod/web-0 -o json\n  cox why podgroup/pg-train\n  cox why job/train\n  cox why kt/meeting-1\n  cox why kj/meeting",
    .options = why_options,
    .run = run_why,
    .is_client = true,
};
