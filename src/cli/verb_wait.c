/* verb_wait.c - cox wait: until a condition holds, a field has a value, an object is there or gone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"
#include "cli/change.h"
#include "cli/verbs.h"
#include "cli/waiting.h"

enum wait_kind { WAIT_CONDITION, WAIT_JSONPATH, WAIT_DELETE, WAIT_CREATE };

struct wait {
    struct session *s;
    enum wait_kind kind;
    str condition, value; /* value of a JSONPath "": any */
    struct jsonpath *path;
    nsec_t timeout_ns;
    const struct target *target;
};

/* --- conditions -------------------------------------------------------------------------------------------------------------- */

static bool condition_holds(const struct wait *w, const struct json *obj)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    int64_t generation = json_get_int(json_get(obj, S("metadata")), S("generation"), 0);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *c = &list->items[i];
        if (!str_ieq(json_get_str(c, S("type")), w->condition))
            continue;
        int64_t seen = json_get_int(c, S("observedGeneration"),
                                    json_get_int(json_get(obj, S("status")), S("observedGeneration"), generation));
        return seen >= generation && str_ieq(json_get_str(c, S("status")), w->value);
    }
    return false;
}

static int path_holds(struct wait *w, const struct json *obj, struct failure *f)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json **hits;
    size_t n;
    int r = jsonpath_find(&a, w->path, obj, &hits, &n, &f->err);
    if (r < 0 || !n)
        return r < 0 ? r : 0;
    if (n > 1)
        return failure_set(f, E_INVALID_ARG, "given jsonpath expression matches more than one value");
    if (!w->value.len)
        return 1;
    if (hits[0]->type == JSON_OBJECT || hits[0]->type == JSON_ARRAY)
        return failure_set(f, E_INVALID_ARG, "jsonpath leads to a nested object or list which is not supported");
    struct strbuf b = strbuf_on(&a);
    jsonpath_write_go(&a, &b, hits[0]);
    return str_eq(str_trim(strbuf_str(&b)), str_trim(w->value));
}

static int check(void *arg, const struct json *obj, struct failure *f)
{
    struct wait *w = arg;
    if (w->kind == WAIT_DELETE)
        return obj == NULL;
    if (w->kind == WAIT_CREATE)
        return obj != NULL;
    if (!obj) {
        str type = discovery_group_resource(&w->s->arena, w->target->res);
        f->from_server = true;
        f->status = json_literal(&w->s->arena, "{\"kind\":\"Status\",\"reason\":\"NotFound\"}");
        f->message = arena_fmt(&w->s->arena, STR_FMT " \"" STR_FMT "\" not found", STR_ARG(type), STR_ARG(w->target->name));
        return err_set(&f->err, E_NOT_FOUND, STR_FMT, STR_ARG(f->message));
    }
    return w->kind == WAIT_CONDITION ? condition_holds(w, obj) : path_holds(w, obj, f);
}

/* --- --for ---------------------------------------------------------------------------------------------------------------------- */

/* Cuts at the first single '=': "{.a[?(@.b=="c")].d}=x". */
static bool cut_at_equals(str *rest, str *head)
{
    for (size_t i = 0; i < rest->len; i++) {
        if (rest->p[i] != '=')
            continue;
        if (i + 1 < rest->len && rest->p[i + 1] == '=') {
            i++;
            continue;
        }
        *head = str_sub(*rest, 0, i);
        *rest = str_from(*rest, i + 1);
        return true;
    }
    *head = *rest;
    return false;
}

static str unquoted(str s)
{
    while (s.len && (s.p[0] == '"' || s.p[0] == '\''))
        s = str_from(s, 1);
    while (s.len && (s.p[s.len - 1] == '"' || s.p[s.len - 1] == '\''))
        s = str_sub(s, 0, s.len - 1);
    return s;
}

static int read_jsonpath(struct wait *w, str rest, struct failure *f)
{
    str path;
    if (cut_at_equals(&rest, &path)) {
        w->value = unquoted(rest);
        if (!w->value.len)
            return failure_set(
                f, E_INVALID_ARG,
                "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3");
    }
    if (!path.len)
        return failure_set(f, E_INVALID_ARG, "jsonpath expression cannot be empty");
    return jsonpath_compile(&w->s->arena, path, true, &w->path, &f->err);
}

static int read_for(struct wait *w, str given, struct failure *f)
{
    str rest = given, word;
    str_cut(&rest, '=', &word);
    if (str_ieq(given, S("delete")) || str_ieq(given, S("create"))) {
        w->kind = str_ieq(given, S("delete")) ? WAIT_DELETE : WAIT_CREATE;
        return 0;
    }
    if (str_is(word, "jsonpath")) {
        w->kind = WAIT_JSONPATH;
        return read_jsonpath(w, rest, f);
    }
    if (!str_is(word, "condition") || !rest.len)
        return failure_set(f, E_INVALID_ARG, "unrecognized condition: \"" STR_FMT "\"", STR_ARG(given));
    w->kind = WAIT_CONDITION;
    if (!str_cut(&rest, '=', &w->condition))
        rest = S("true");
    w->value = rest;
    return 0;
}

/* --- the verb ----------------------------------------------------------------------------------------------------------------------- */

static int wait_for_all(struct wait *w, struct printer *p, const struct targets *t, struct failure *f)
{
    for (size_t i = 0; i < t->len; i++) {
        w->target = &t->p[i];
        int r = waiting_run(w->s, w->target, w->timeout_ns, check, w, f);
        if (r < 0)
            return r;
        struct json obj = t->p[i].object;
        if (obj.type == JSON_NULL)
            obj = json_object();
        if (p->format != PRINT_DEFAULT)
            err_ignore(session_get(w->s, target_path(w->s, w->target, S("")), S(""), &obj, f),
                       "after a delete there is nothing left to read");
        json_set(&w->s->arena, json_ensure_object(&w->s->arena, &obj, S("metadata")), S("name"), json_string(w->target->name));
        r = printer_result(p, w->target->res, &obj, "condition met", f);
        if (r < 0)
            return r;
        fflush(stdout);
    }
    return 0;
}

static int find_targets(struct wait *w, struct targets *ret, struct failure *f)
{
    struct resource_query q = resource_query_of(w->s->args, 0);
    struct targets sel;
    int r = resources_select(w->s, &q, &sel, f);
    if (r < 0)
        return r;
    *ret = sel;
    if (w->kind == WAIT_CREATE && sel.is_lists)
        return failure_set(f, E_INVALID_ARG, "resource name must be provided");
    if (w->kind == WAIT_CREATE)
        return 0;
    r = resources_fetch(w->s, &q, &sel, ret, f);
    for (size_t i = 0; w->kind == WAIT_DELETE && i < w->s->failures.len; i++) {
        if (w->s->failures.p[i].err.code == E_NOT_FOUND) /* gone already */
            vec_remove(&w->s->failures, i--);
    }
    if (r == 0 && !ret->len && !w->s->failures.len && w->kind != WAIT_DELETE)
        return failure_set(f, E_NOT_FOUND, "no matching resources found");
    return r;
}

static int wait(struct session *s, struct failure *f)
{
    struct wait w = {.s = s, .timeout_ns = cli_duration_ns(s->args, "timeout", 30 * NSEC_PER_SEC)};
    struct printer *p;
    struct targets found;
    if (w.timeout_ns < 0)
        w.timeout_ns = 7 * 24 * 3600 * NSEC_PER_SEC;
    int r = read_for(&w, str_of(cli_str_or(s->args, "for", "")), f);
    if (r == 0)
        r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = find_targets(&w, &found, f);
    return r < 0 ? r : wait_for_all(&w, p, &found, f);
}

static int run_wait(struct cli_args *a)
{
    return session_run(a, wait);
}

static const struct cli_option options[] = {
    {"for", 0, CLI_STRING, "WHAT", "", "condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create or delete.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "30s", "How long to wait; 0 looks once, negative waits a week.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    {"field-selector", 0, CLI_STRING, "FIELDS", "", "Only objects with these fields.", NULL},
    {"all", 0, CLI_FLAG, NULL, "", "All objects of the type in the namespace.", NULL},
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "In every namespace.", NULL},
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_wait = {
    .name = "wait",
    .summary = "Wait until objects are as wanted.",
    .usage = "(TYPE NAME ... | TYPE/NAME ... | TYPE (-l LABELS | --all) | -f FILE) --for=WHAT [OPTIONS]",
    .examples =
        "  cox wait --for=condition=Ready pod/web\n  cox wait --for=jsonpath='{.status.phase}'=Running pod/web --timeout=1m\n  cox wait --for=delete pod -l app=web",
    .options = options,
    .run = run_wait,
    .is_client = true,
};
