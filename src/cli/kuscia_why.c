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

/* As people write it, and as `get -o name` does: with the group behind it. */
static bool is_one_of(str type, const char *const *names)
{
    str rest = type, name;
    str_cut(&rest, '.', &name);
    if (rest.len && !str_is(rest, "kuscia.secretflow") && !str_is(rest, "v1alpha1.kuscia.secretflow"))
        return false;
    for (; *names; names++)
        if (str_is(name, *names))
            return true;
    return false;
}

static bool is_task_type(str type)
{
    static const char *const names[] = {"kt", "kusciatask", "kusciatasks", "task", NULL};
    return is_one_of(type, names);
}

static bool is_group_type(str type)
{
    static const char *const names[] = {"trg", "taskresourcegroup", "taskresourcegroups", NULL};
    return is_one_of(type, names);
}

bool kuscia_is_job(str type)
{
    static const char *const names[] = {"kj", "kusciajob", "kusciajobs", NULL};
    return is_one_of(type, names);
}

static bool is_service_type(str type)
{
    static const char *const names[] = {"kd", "kusciadeployment", "kusciadeployments", NULL};
    return is_one_of(type, names);
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
        strbuf_addf(&rows.text, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t", STR_ARG(json_get_str(&parties->items[i], S("domainID"))), STR_ARG(role.len ? role : S("-")),
                    STR_ARG(json_get_str(&parties->items[i], S("phase"))));
        print_escaped(&rows.text, line.len ? line : S("-"));
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

bool kuscia_why_is(str type)
{
    return is_task_type(type) || is_group_type(type) || kuscia_is_job(type) || is_service_type(type);
}

static int why(struct session *s, struct printer *p, str type, str name, struct failure *f)
{
    if (is_service_type(type))
        return why_service(s, p, name, f);
    if (is_group_type(type))
        return why_task(s, p, S(GROUPS), name, f);
    return is_task_type(type) ? why_task(s, p, S("/kusciatasks"), name, f) : why_job(s, p, name, f);
}

int kuscia_why(struct session *s, struct printer *p, str type, str name, struct failure *f)
{
    int r = why(s, p, type, name, f);
    if (r < 0 && !is_group_type(type))
        kuscia_hint_of_namespace(kuscia_namespace(s), f);
    return r;
}
