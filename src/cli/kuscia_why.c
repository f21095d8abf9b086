/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_why.h"

#include "base/bandwidth.h"
#include "cli/kuscia_watch.h"
#include "cli/tabs.h"

static void add_line(struct tabs *t, const char *label, str text)
{
    if (text.len)
        strbuf_addf(&t->text, "%s:\t" STR_FMT "\n", label, STR_ARG(text));
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

static bool is_job_type(str type)
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

static void write_task(struct arena *a, str name, const struct json *x)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    TABS_AUTO t = TABS_TEXT;
    TABS_AUTO pods = TABS_TABLE;
    TABS_AUTO nodes = TABS_TABLE;
    TABS_AUTO links = TABS_TABLE;
    const struct json *parties = json_get(x, S("parties")), *list = json_get(x, S("links"));
    add_line(&t, "Task", name);
    add_line(&t, "Status", str_is(json_get_str(x, S("result")), "Placed") ? S("placed") : S("waits"));
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

/* The first task of a job that waits for room; "": none does. */
static int find_task(struct session *s, str job, str *ret, struct failure *f)
{
    *ret = S("");
    struct json x;
    int r = get_kuscia(s, S("/kusciajobs"), job, S(""), &x, f);
    if (r < 0)
        return r;
    const struct json *tasks = json_path(&x, "status", "taskStatus", NULL);
    for (uint32_t i = 0; json_is(tasks, JSON_OBJECT) && i < tasks->len; i++) {
        if (!str_is(json_str(&tasks->members[i].value), "Pending"))
            continue;
        *ret = tasks->members[i].key;
        return 0;
    }
    return 0;
}

/* kind: a task's group has its name, and says the same; one that somebody made by hand has no task. */
static int why_task(struct session *s, struct printer *p, str kind, str name, struct failure *f)
{
    struct json x;
    int r = get_kuscia(s, kind, name, S("/explain"), &x, f);
    if (r < 0)
        return r;
    if (p->format == PRINT_DEFAULT) {
        write_task(&s->arena, name, &x);
        return 0;
    }
    STRBUF_AUTO out = STRBUF_HEAP;
    r = printer_object(p, &out, &x, f);
    print_flush(&out);
    return r;
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
    return is_task_type(type) || is_group_type(type) || is_job_type(type) || is_service_type(type);
}

int kuscia_why(struct session *s, struct printer *p, str type, str name, struct failure *f)
{
    str task;
    if (is_service_type(type))
        return why_service(s, p, name, f);
    if (is_task_type(type) || is_group_type(type))
        return why_task(s, p, is_task_type(type) ? S("/kusciatasks") : S(GROUPS), name, f);
    int r = find_task(s, name, &task, f);
    if (r < 0)
        return r;
    return task.len ? why_task(s, p, S("/kusciatasks"), task, f) : kuscia_show(s, p, kuscia_namespace(s), name, f); /* what holds it up is no lack of room */
}
