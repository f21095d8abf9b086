/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_why.h"

#include "base/bandwidth.h"
#include "cli/kuscia_watch.h"
#include "cli/print.h"
#include "cli/tabs.h"

static void add_line(struct tabs *t, const char *label, str text)
{
    if (!text.len)
        return;
    strbuf_addf(&t->text, "%s:\t", label);
    print_escaped(&t->text, text); /* there may be what a program said in it */
    strbuf_add_char(&t->text, '\n');
}

static const char *bits(struct arena *a, const struct json *of, const char *key)
{
    return bandwidth_print(json_get_int(of, str_of(key), 0), arena_alloc(a, BANDWIDTH_TEXT));
}

static void write_considered(struct arena *a, const struct json *x, str domain, struct strbuf *out)
{
    const struct json *list = json_get(x, S("considered"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *n = &list->items[i];
        bool chosen = json_get_bool(n, S("chosen"), false), kept = json_get_bool(n, S("kept"), false), fits = json_get_bool(n, S("fits"), false);
        strbuf_addf(out, STR_FMT "\t" STR_FMT "\t%s of %s\t%s of %s\t%s%s", STR_ARG(domain), STR_ARG(json_get_str(n, S("node"))), bits(a, n, "egressFreeBits"), bits(a, n, "egressBits"),
                    bits(a, n, "ingressFreeBits"), bits(a, n, "ingressBits"), chosen ? "chosen" : kept ? "kept for it, " : "", chosen ? "" : fits ? "fits" : "lacks ");
        if (!chosen && !fits)
            strbuf_add_str(out, json_get_str(n, S("lacks")));
        strbuf_add_char(out, '\n');
    }
}

static bool is_placed(const struct json *explained)
{
    return str_is(json_get_str(explained, S("result")), "Placed");
}

static void write_task(struct arena *a, str name, const struct json *x)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    TABS_AUTO pods = TABS_TABLE;
    TABS_AUTO nodes = TABS_TABLE;
    TABS_AUTO links = TABS_TABLE;
    const struct json *parties = json_get(x, S("parties")), *list = json_get(x, S("links"));
    add_line(&t, "Task", name);
    add_line(&t, "Status", is_placed(x) ? S("placed") : S("waits"));
    add_line(&t, "Reason", json_get_str(x, S("reason")));
    add_line(&t, "Why", json_get_str(x, S("message")));
    add_line(&t, "Held", json_get_str(x, S("holders")));
    add_line(&t, "Nearest", json_get_str(json_get(x, S("nearest")), S("text")));
    tabs_flush(&t, &out);
    strbuf_add_str(&pods.text, S("\nPARTY\tPOD\tNODE\tEGRESS\tINGRESS\n"));
    strbuf_add_str(&nodes.text, S("\nPARTY\tCONSIDERED\tEGRESS FREE\tINGRESS FREE\tRESULT\n"));
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        str domain = json_get_str(&parties->items[i], S("domain"));
        const struct json *own = json_get(&parties->items[i], S("pods"));
        for (uint32_t k = 0; json_is(own, JSON_ARRAY) && k < own->len; k++) {
            str node = json_get_str(&own->items[k], S("node"));
            strbuf_addf(&pods.text, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t%s\t%s\n", STR_ARG(domain), STR_ARG(json_get_str(&own->items[k], S("pod"))), STR_ARG(node.len ? node : S("-")),
                        bits(a, &own->items[k], "egressRequestBits"), bits(a, &own->items[k], "ingressRequestBits"));
        }
        write_considered(a, &parties->items[i], domain, &nodes.text);
    }
    tabs_flush(&pods, &out);
    tabs_flush(&nodes, &out);
    if (json_is(list, JSON_ARRAY) && list->len)
        strbuf_add_str(&links.text, S("\nLINK\tFREE\n"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        strbuf_addf(&links.text, STR_FMT "->" STR_FMT "\t%s of %s\n", STR_ARG(json_get_str(&list->items[i], S("source"))), STR_ARG(json_get_str(&list->items[i], S("destination"))),
                    bits(a, &list->items[i], "freeBits"), bits(a, &list->items[i], "bits"));
    tabs_flush(&links, &out);
    print_flush(&out);
}

#define GROUPS "/taskresourcegroups" /* of no namespace */
#define WAITING_SHOWN 8u

/* Jobs and tasks are in one namespace; whoever names none means that. */
static str kuscia_namespace(const struct session *s)
{
    return s->namespace_given ? s->namespace_ : S("cross-domain");
}

static int get_kuscia(struct session *s, str kind, str name, str rest, struct json *ret, struct failure *f)
{
    struct strbuf path = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/apis/kuscia.secretflow/v1alpha1"));
    if (!str_eq(kind, S(GROUPS))) {
        strbuf_add_str(&path, S("/namespaces"));
        client_path_add(&path, kuscia_namespace(s));
    }
    strbuf_add_str(&path, kind);
    client_path_add(&path, name);
    strbuf_add_str(&path, rest);
    return session_get(s, strbuf_str(&path), S(""), ret, f);
}

static int write_object(struct printer *p, const struct json *x, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    int r = printer_object(p, &out, x, f);
    print_flush(&out);
    return r;
}

/* A task of which the scheduler has no pods: it has ended, or none are made yet.  Its status says why. */
static int why_status(struct session *s, struct printer *p, str name, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    TABS_AUTO rows = TABS_TABLE;
    struct json x;
    int r = get_kuscia(s, S("/kusciatasks"), name, S(""), &x, f);
    if (r < 0)
        return r;
    if (p->format != PRINT_DEFAULT)
        return write_object(p, &x, f);
    const struct json *status = json_get(&x, S("status")), *parties = json_get(status, S("partyTaskStatus"));
    str phase = json_get_str(status, S("phase"));
    add_line(&t, "Task", name);
    add_line(&t, "Status", phase.len ? phase : S("new"));
    add_line(&t, "Reason", json_get_str(status, S("reason")));
    add_line(&t, "Why", str_trim(json_get_str(status, S("message"))));
    tabs_flush(&t, &out);
    if (json_is(parties, JSON_ARRAY) && parties->len)
        strbuf_add_str(&rows.text, S("\nPARTY\tROLE\tPHASE\tWHY\n"));
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        str role = json_get_str(&parties->items[i], S("role")), said = str_trim(json_get_str(&parties->items[i], S("message"))), line;
        str_cut(&said, '\n', &line); /* all of it stands above */
        const str cells[] = {json_get_str(&parties->items[i], S("domainID")), role.len ? role : S("-"), json_get_str(&parties->items[i], S("phase")), line.len ? line : S("-")};
        for (size_t k = 0; k < ARRAY_LEN(cells); k++) {
            strbuf_add_str(&rows.text, k ? S("\t") : S(""));
            print_cell(&rows.text, cells[k]);
        }
        strbuf_add_char(&rows.text, '\n');
    }
    tabs_flush(&rows, &out);
    print_flush(&out);
    return 0;
}

static int write_explained(struct session *s, struct printer *p, str name, const struct json *x, struct failure *f)
{
    if (p->format != PRINT_DEFAULT)
        return write_object(p, x, f);
    write_task(&s->arena, name, x);
    return 0;
}

/* kind: a task's group has its name, and says the same; one that somebody made by hand has no task. */
static int why_task(struct session *s, struct printer *p, str kind, str name, struct failure *f)
{
    struct json x, task;
    struct failure ignored = FAILURE_NONE;
    int r = get_kuscia(s, kind, name, S("/explain"), &x, f);
    if (r < 0 && str_eq(kind, S("/kusciatasks")) && str_is(failure_reason(f), "NotFound")) {
        *f = FAILURE_NONE;
        return why_status(s, p, name, f);
    }
    if (r < 0 || p->format != PRINT_DEFAULT || !is_placed(&x) || get_kuscia(s, S("/kusciatasks"), name, S(""), &task, &ignored) < 0)
        return r < 0 ? r : write_explained(s, p, name, &x, f);
    /* It has its nodes, and yet it may wait (for an image), or have failed while its pods still go. */
    const struct json *status = json_get(&task, S("status"));
    str phase = json_get_str(status, S("phase")), said = str_trim(json_get_str(status, S("message")));
    if (str_is(phase, "Failed") || str_is(phase, "Succeeded"))
        return why_status(s, p, name, f);
    if (said.len)
        json_set(&s->arena, &x, S("message"), json_string(said));
    return write_explained(s, p, name, &x, f);
}

/* The first of its tasks that waits for room.  When none does, what holds the job up is something else: an image, a program, an answer; the tasks say it. */
static int why_job(struct session *s, struct printer *p, str name, struct failure *f)
{
    struct json job, x;
    int r = get_kuscia(s, S("/kusciajobs"), name, S(""), &job, f);
    const struct json *tasks = r < 0 ? NULL : json_path(&job, "status", "taskStatus", NULL);
    for (uint32_t i = 0; json_is(tasks, JSON_OBJECT) && i < tasks->len; i++) {
        struct failure ignored = FAILURE_NONE;
        str task = tasks->members[i].key;
        if (!str_is(json_str(&tasks->members[i].value), "Pending") || get_kuscia(s, S("/kusciatasks"), task, S("/explain"), &x, &ignored) < 0 ||
            is_placed(&x))
            continue;
        return write_explained(s, p, task, &x, f);
    }
    return r < 0 ? r : kuscia_show(s, p, kuscia_namespace(s), name, f);
}

/* A service says itself who lacks what. */
static int why_service(struct session *s, struct printer *p, str name, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    struct json x;
    int r = get_kuscia(s, S("/kusciadeployments"), name, S(""), &x, f);
    if (r < 0)
        return r;
    const struct json *status = json_get(&x, S("status"));
    str phase = json_get_str(status, S("phase"));
    if (p->format == PRINT_DEFAULT) {
        add_line(&t, "Service", name);
        add_line(&t, "Status", phase.len ? phase : S("new"));
        add_line(&t, "Parties", arena_fmt(&s->arena, "%lld of %lld available", (long long)json_get_int(status, S("availableParties"), 0), (long long)json_get_int(status, S("totalParties"), 0)));
        add_line(&t, "Why", json_get_str(status, S("message")));
        tabs_flush(&t, &out);
    } else {
        r = printer_object(p, &out, &x, f);
    }
    print_flush(&out);
    return r;
}

/* --- domains ----------------------------------------------------------------------------------------------------------------------------- */

static uint32_t count_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->len : 0;
}

static str domain_nodes(struct arena *a, const struct json *domain)
{
    const struct json *nodes = json_path(domain, "status", "nodeStatuses", NULL);
    struct strbuf lost = strbuf_on(a);
    uint32_t ready = 0;
    if (str_is(json_get_str(json_get(domain, S("spec")), S("role")), "partner"))
        return S("a partner of another control plane: nothing of it runs here");
    for (uint32_t i = 0; i < count_of(nodes); i++) {
        bool is_ready = str_is(json_get_str(&nodes->items[i], S("status")), "Ready");
        ready += is_ready;
        if (!is_ready)
            strbuf_addf(&lost, "%s" STR_FMT, lost.len ? ", " : "; not ready: ", STR_ARG(json_get_str(&nodes->items[i], S("name"))));
    }
    if (!count_of(nodes))
        return S("none: no machine has joined");
    return arena_fmt(a, "%u of %u ready" STR_FMT, ready, nodes->len, STR_ARG(strbuf_str(&lost)));
}

static str domain_quota(struct session *s, str name)
{
    struct arena *a = &s->arena;
    struct json quota;
    struct failure ignored = FAILURE_NONE;
    struct strbuf path = strbuf_on(a);
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, name);
    strbuf_add_str(&path, S("/resourcequotas/resource-limitation"));
    if (session_get(s, strbuf_str(&path), S(""), &quota, &ignored) < 0)
        return S("");
    str used = json_str(json_path(&quota, "status", "used", "pods", NULL)), hard = json_str(json_path(&quota, "spec", "hard", "pods", NULL));
    return hard.len ? arena_fmt(a, STR_FMT " of " STR_FMT " pods", STR_ARG(used.len ? used : S("0")), STR_ARG(hard)) : S("");
}

static bool takes_part(const struct json *task, str domain)
{
    const struct json *parties = json_path(task, "spec", "parties", NULL);
    for (uint32_t i = 0; i < count_of(parties); i++)
        if (str_eq(json_get_str(&parties->items[i], S("domainID")), domain))
            return true;
    return false;
}

/* "2 tasks: kt/a (Unschedulable), kt/b (QuotaExceeded)": whether it is this domain's part that lacks something, each of them says. */
static str domain_waits(struct session *s, str name)
{
    struct arena *a = &s->arena;
    struct json list;
    struct failure ignored = FAILURE_NONE;
    struct strbuf out = strbuf_on(a);
    size_t n = 0;
    if (session_get(s, S("/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciatasks"), S(""), &list, &ignored) < 0)
        return S("");
    const struct json *items = json_get(&list, S("items"));
    for (uint32_t i = 0; i < count_of(items); i++) {
        const struct json *status = json_get(&items->items[i], S("status"));
        str phase = json_get_str(status, S("phase")), reason = json_get_str(status, S("reason"));
        if ((phase.len && !str_is(phase, "Pending")) || !takes_part(&items->items[i], name))
            continue;
        if (n++ < WAITING_SHOWN)
            strbuf_addf(&out, "%skt/" STR_FMT "%s" STR_FMT "%s", out.len ? ", " : "", STR_ARG(json_get_str(json_get(&items->items[i], S("metadata")), S("name"))), reason.len ? " (" : "", STR_ARG(reason),
                        reason.len ? ")" : "");
    }
    if (n > WAITING_SHOWN)
        strbuf_addf(&out, " and %zu more", n - WAITING_SHOWN);
    return n ? arena_fmt(a, "%zu task%s: " STR_FMT, n, n > 1 ? "s" : "", STR_ARG(strbuf_str(&out))) : S("none of its tasks");
}

static int why_domain(struct session *s, struct printer *p, str name, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    struct json x;
    struct strbuf path = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/apis/kuscia.secretflow/v1alpha1/domains"));
    client_path_add(&path, name);
    int r = session_get(s, strbuf_str(&path), S(""), &x, f);
    if (r < 0)
        return r;
    if (p->format != PRINT_DEFAULT)
        return write_object(p, &x, f);
    add_line(&t, "Domain", name);
    add_line(&t, "Nodes", domain_nodes(&s->arena, &x));
    add_line(&t, "Quota", domain_quota(s, name));
    add_line(&t, "Waiting", domain_waits(s, name));
    tabs_flush(&t, &out);
    print_flush(&out);
    return 0;
}

/* A party's part says the same as the whole.  Whoever does not say whose it is means the one that has the name. */
static int why_resource(struct session *s, struct printer *p, str name, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json x;
    struct strbuf path = strbuf_on(a);
    strbuf_add_str(&path, S("/apis/kuscia.secretflow/v1alpha1"));
    if (s->namespace_given) {
        strbuf_add_str(&path, S("/namespaces"));
        client_path_add(&path, s->namespace_);
    }
    strbuf_add_str(&path, S("/taskresources"));
    int r = session_get(s, strbuf_str(&path), S(""), &x, f);
    const struct json *items = r < 0 ? NULL : json_get(&x, S("items"));
    for (uint32_t i = 0; i < count_of(items); i++) {
        const struct json *meta = json_get(&items->items[i], S("metadata"));
        str group = json_get_str(json_get(meta, S("labels")), S("kuscia.secretflow/task-resource-group"));
        if (str_eq(json_get_str(meta, S("name")), name) && group.len)
            return why_task(s, p, S(GROUPS), group, f);
    }
    return r < 0 ? r : failure_set(f, E_NOT_FOUND, "taskresources.kuscia.secretflow \"" STR_FMT "\" not found", STR_ARG(name));
}

/* --- which is asked about ------------------------------------------------------------------------------------------------------------------- */

typedef int why_fn(struct session *s, struct printer *p, str name, struct failure *f);

static int why_kuscia_task(struct session *s, struct printer *p, str name, struct failure *f)
{
    return why_task(s, p, S("/kusciatasks"), name, f);
}

static int why_group(struct session *s, struct printer *p, str name, struct failure *f)
{
    return why_task(s, p, S(GROUPS), name, f);
}

static const struct kind {
    const char *names[5];
    why_fn *why;
    bool in_jobs_namespace; /* a look into another one is worth a hint */
} kinds[] = {
    {{"kt", "kusciatask", "kusciatasks", "task"}, why_kuscia_task, true},
    {{"kj", "kusciajob", "kusciajobs"}, why_job, true},
    {{"kd", "kusciadeployment", "kusciadeployments"}, why_service, true},
    {{"trg", "taskresourcegroup", "taskresourcegroups"}, why_group, false},
    {{"tr", "taskresource", "taskresources"}, why_resource, false},
    {{"domain", "domains"}, why_domain, false},
};

/* As people write it, and as `get -o name` does: with the group behind it. */
static const struct kind *find(str type)
{
    str rest = type, name;
    str_cut(&rest, '.', &name);
    if (rest.len && !str_is(rest, "kuscia.secretflow") && !str_is(rest, "v1alpha1.kuscia.secretflow"))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        for (const char *const *n = kinds[i].names; *n; n++)
            if (str_is(name, *n))
                return &kinds[i];
    return NULL;
}

bool kuscia_is_job_type(str type)
{
    const struct kind *k = find(type);
    return k && k->why == why_job;
}

bool kuscia_why_is(str type)
{
    return find(type) != NULL;
}

int kuscia_why(struct session *s, struct printer *p, str type, str name, struct failure *f)
{
    const struct kind *k = find(type);
    int r = k->why(s, p, name, f);
    if (r < 0 && k->in_jobs_namespace)
        kuscia_hint_of_namespace(kuscia_namespace(s), f);
    return r;
}
