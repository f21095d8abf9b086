/* describe.c - rows, lines, events: what every description is made of. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/describe.h"

#include "api/jsonpath.h"
#include "api/selector.h"
#include "base/civil.h"
#include "cli/change.h"

#define ANNOTATION_MAX 140 /* longer values get lines of their own and are cut */

/* --- values ------------------------------------------------------------------------------------------------------------------- */

const struct json *describe_value(const struct json *v, const char *path)
{
    return table_walk(v, str_of(path));
}

const struct json *describe_list(const struct json *v, const char *path)
{
    return table_list_at(v, str_of(path));
}

/* Anything that is one word. */
static str scalar_text(const struct json *v)
{
    if (v && v->type == JSON_BOOL)
        return v->b ? S("true") : S("false");
    return json_str(v);
}

str describe_text(struct describe *d, const char *path)
{
    return scalar_text(describe_value(&d->object, path));
}

str describe_or(str s, const char *otherwise)
{
    return s.len ? s : str_of(otherwise);
}

str describe_time(struct arena *a, const struct json *time)
{
    static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"}; /* 1970-01-01 was a Thursday */
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    nsec_t ns;
    if (!civil_parse(json_str(time), &ns))
        return S("<unset>");
    struct civil c = civil_from_ns(ns);
    int64_t day = ns / (86400 * NSEC_PER_SEC);
    return arena_fmt(a, "%s, %02d %s %04d %02d:%02d:%02d +0000", days[((day % 7) + 7) % 7], c.day, months[c.month - 1], c.year,
                     c.hour, c.minute, c.second);
}

str describe_selector(struct arena *a, const struct json *label_selector)
{
    struct selector sel;
    struct strbuf b = strbuf_on(a);
    if (!label_selector)
        return S("");
    if (selector_from_label_selector(a, label_selector, &sel, NULL) < 0)
        return S("<error>");
    selector_write(&b, &sel);
    return strbuf_str(&b);
}

str describe_join(struct arena *a, const struct json *list, const char *separator)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? separator : "", STR_ARG(json_str(&list->items[i])));
    return strbuf_str(&b);
}

void describe_go_list(struct strbuf *b, const struct json *list)
{
    strbuf_add_char(b, '[');
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        strbuf_addf(b, "%s" STR_FMT, i ? " " : "", STR_ARG(json_str(&list->items[i])));
    strbuf_add_char(b, ']');
}

struct json describe_sorted(struct describe *d, const struct json *list, const char *path)
{
    struct json copy = json_array();
    for (size_t i = 0; i < list->len; i++) {
        size_t at = copy.len;
        str key = table_text_at(&list->items[i], str_of(path));
        while (at > 0 && str_cmp(table_text_at(&copy.items[at - 1], str_of(path)), key) > 0)
            at--;
        json_insert(d->arena, &copy, at, list->items[i]);
    }
    return copy;
}

/* --- lines --------------------------------------------------------------------------------------------------------------------- */

void describe_line(struct describe *d, int level, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    for (int i = 0; i < level; i++)
        strbuf_add_str(&d->tabs.text, S("  "));
    strbuf_vaddf(&d->tabs.text, fmt, ap);
    va_end(ap);
}

void describe_map(struct describe *d, const char *indent, const char *title, const struct json *map)
{
    describe_line(d, 0, "%s%s:\t", indent, title);
    if (!json_is(map, JSON_OBJECT) || !map->len) {
        describe_line(d, 0, "<none>\n");
        return;
    }
    const struct json_member **m = jsonpath_sorted_members(d->arena, map);
    for (size_t i = 0; i < map->len; i++)
        describe_line(d, 0, "%s%s" STR_FMT "=" STR_FMT "\n", i ? indent : "", i ? "\t" : "", STR_ARG(m[i]->key),
                      STR_ARG(json_str(&m[i]->value)));
}

static void long_annotation(struct describe *d, str key, str value)
{
    describe_line(d, 0, STR_FMT ":\n", STR_ARG(key));
    while (value.len) {
        str line;
        str_cut(&value, '\n', &line);
        bool is_cut = line.len > ANNOTATION_MAX - 2;
        describe_line(d, 0, "\t  %.*s%s\n", (int)MIN(line.len, (size_t)ANNOTATION_MAX - 2), line.p, is_cut ? "..." : "");
    }
}

/* What apply keeps for itself is not shown. */
static void annotations(struct describe *d, const char *title, const struct json *map)
{
    size_t shown = 0;
    const struct json_member **m = json_is(map, JSON_OBJECT) ? jsonpath_sorted_members(d->arena, map) : NULL;
    describe_line(d, 0, "%s:\t", title);
    for (size_t i = 0; m && i < map->len; i++) {
        str value = json_str(&m[i]->value);
        if (str_eq(m[i]->key, LAST_APPLIED))
            continue;
        if (str_has_suffix(value, S("\n")))
            value = str_sub(value, 0, value.len - 1);
        if (shown++)
            describe_line(d, 0, "\t");
        if (value.len + m[i]->key.len + 2 > ANNOTATION_MAX || str_find_char(value, '\n') >= 0)
            long_annotation(d, m[i]->key, value);
        else
            describe_line(d, 0, STR_FMT ": " STR_FMT "\n", STR_ARG(m[i]->key), STR_ARG(value));
    }
    if (!shown)
        describe_line(d, 0, "<none>\n");
}

/* --- rows ------------------------------------------------------------------------------------------------------------------------ */

static str row_text(struct describe *d, const struct describe_row *r, const struct json *v)
{
    struct strbuf b = strbuf_on(d->arena);
    switch (r->kind) {
    case ROW_TEXT_OR_NONE:
        return describe_or(scalar_text(v), "<none>");
    case ROW_TEXT_OR_UNSET:
        return describe_or(scalar_text(v), "<unset>");
    case ROW_NUMBER:
        return describe_or(scalar_text(v), "0");
    case ROW_FLAG:
        return describe_or(scalar_text(v), "false");
    case ROW_FLAG_TITLE:
        return !v ? S("<unset>") : v->b ? S("True") : S("False");
    case ROW_TIME:
    case ROW_TIME_OPTIONAL:
    case ROW_TIME_OR_UNSET:
        return describe_time(d->arena, v);
    case ROW_MAP_LINE:
        print_labels(d->arena, &b, v);
        return strbuf_str(&b);
    case ROW_SELECTOR:
        return describe_selector(d->arena, v);
    case ROW_SELECTOR_OR_NONE:
        return describe_or(describe_selector(d->arena, v), "<none>");
    case ROW_LIST:
    case ROW_LIST_OPTIONAL:
        return describe_join(d->arena, v, r->arg ? r->arg : ",");
    case ROW_LIST_GO:
        describe_go_list(&b, v);
        return strbuf_str(&b);
    default:
        return scalar_text(v);
    }
}

static bool needs_value(enum row_kind kind)
{
    return kind == ROW_OPTIONAL || kind == ROW_TIME_OPTIONAL || kind == ROW_LIST_OPTIONAL;
}

static void show_row(struct describe *d, const struct describe_row *r)
{
    const struct json *v = r->path ? describe_value(&d->object, r->path) : NULL;
    char indent[16];
    snprintf(indent, sizeof indent, "%*s", r->level * 2, "");
    if (r->kind == ROW_MAP) {
        describe_map(d, indent, r->label, v);
    } else if (r->kind == ROW_ANNOTATIONS) {
        annotations(d, r->label, v);
    } else if (r->kind == ROW_HEAD) {
        describe_line(d, r->level, "%s:\n", r->label);
    } else {
        str text = row_text(d, r, v);
        bool has_suffix = r->arg && (r->kind == ROW_OPTIONAL || r->kind == ROW_NUMBER);
        if (!needs_value(r->kind) || (v && text.len))
            describe_line(d, r->level, "%s:\t" STR_FMT "%s\n", r->label, STR_ARG(text), has_suffix ? r->arg : "");
    }
}

void describe_rows(struct describe *d, const struct describe_row *rows)
{
    for (; rows->label || rows->fn; rows++) {
        if (rows->fn)
            rows->fn(d);
        else
            show_row(d, rows);
    }
}

void describe_table(struct describe *d, int level, const struct json *list, const struct describe_column *columns, size_t n)
{
    describe_line(d, level, "%s", "");
    for (size_t c = 0; c < n; c++)
        describe_line(d, 0, "%s%s", columns[c].title, c + 1 < n ? "\t" : "\n");
    describe_line(d, level, "%s", "");
    for (size_t c = 0; c < n; c++)
        describe_line(d, 0, "%.*s%s", (int)strlen(columns[c].title), "--------------------------------", c + 1 < n ? "\t" : "\n");
    for (size_t i = 0; i < list->len; i++) {
        describe_line(d, level, "%s", "");
        for (size_t c = 0; c < n; c++) {
            const struct json *v = describe_value(&list->items[i], columns[c].path);
            str text = columns[c].is_time ? describe_time(d->arena, v) : scalar_text(v);
            describe_line(d, 0, STR_FMT "%s%s", STR_ARG(text), columns[c].padding ? columns[c].padding : "",
                          c + 1 < n ? "\t" : "\n");
        }
    }
}

/* --- from the server --------------------------------------------------------------------------------------------------------------- */

const struct json *describe_fetch(struct describe *d, const char *path, const char *name, const char *value)
{
    static const struct json none = {.type = JSON_ARRAY};
    struct strbuf q = strbuf_on(d->arena);
    struct failure ignored = FAILURE_NONE;
    struct json *answer = arena_new(d->arena, struct json);
    if (name)
        client_query_add(&q, name, str_of(value));
    if (!d->s || resources_list(d->s, str_of(path), strbuf_str(&q), S(""), 500, answer, &ignored) < 0)
        return &none;
    return describe_list(answer, "items");
}

static str since(struct describe *d, const struct json *time)
{
    return print_age(d->arena, time);
}

static void event_line(struct describe *d, const struct json *e)
{
    const struct json *when = describe_value(e, "eventTime"), *series = describe_value(e, "series");
    int64_t count = table_int_at(e, S("count"));
    str first = since(d, when ? when : describe_value(e, "firstTimestamp")), age = first;
    if (series) {
        str last = since(d, describe_value(series, "lastObservedTime"));
        age = arena_fmt(d->arena, STR_FMT " (x%lld over " STR_FMT ")", STR_ARG(last), (long long)table_int_at(series, S("count")),
                        STR_ARG(first));
    } else if (count > 1) {
        str last = since(d, describe_value(e, "lastTimestamp"));
        age = arena_fmt(d->arena, STR_FMT " (x%lld over " STR_FMT ")", STR_ARG(last), (long long)count, STR_ARG(first));
    }
    str source = table_text_at(e, S("source.component"));
    if (!source.len)
        source = table_text_at(e, S("reportingComponent"));
    str message = str_trim(table_text_at(e, S("message")));
    describe_line(d, 1, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(table_text_at(e, S("type"))),
                  STR_ARG(table_text_at(e, S("reason"))), STR_ARG(age), STR_ARG(source), STR_ARG(message));
}

static const struct json *events_of(struct describe *d, str uid)
{
    str kind = describe_text(d, "kind");
    str selector = arena_fmt(d->arena, "involvedObject.name=" STR_FMT ",involvedObject.namespace=" STR_FMT, STR_ARG(d->name),
                             STR_ARG(d->ns));
    if (!str_is(kind, "Pod")) /* events about a pod may come under other kinds */
        selector = arena_fmt(d->arena, STR_FMT ",involvedObject.kind=" STR_FMT, STR_ARG(selector), STR_ARG(kind));
    if (uid.len)
        selector = arena_fmt(d->arena, STR_FMT ",involvedObject.uid=" STR_FMT, STR_ARG(selector), STR_ARG(uid));
    str path = d->ns.len ? arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/events", STR_ARG(d->ns)) : S("/api/v1/events");
    return describe_fetch(d, path.p, "fieldSelector", selector.p);
}

void describe_events(struct describe *d)
{
    if (!d->shows_events)
        return;
    const struct json *found = events_of(d, describe_text(d, "metadata.uid")), *more = NULL;
    struct json all = describe_sorted(d, found, "lastTimestamp");
    if (str_is(describe_text(d, "kind"), "Node")) /* kubelets take the name for the uid */
        more = events_of(d, d->name);
    for (size_t i = 0; more && i < more->len; i++)
        json_push(d->arena, &all, more->items[i]);
    if (!all.len) {
        describe_line(d, 0, "Events:\t<none>\n");
        return;
    }
    tabs_flush(&d->tabs, &d->out);
    describe_line(d, 0, "Events:\n  Type\tReason\t" "Age\tFrom\tMessage\n");
    describe_line(d, 1, "----\t------\t----\t----\t-------\n");
    for (size_t i = 0; i < all.len; i++)
        event_line(d, &all.items[i]);
}

/* --- one object ----------------------------------------------------------------------------------------------------------------------- */

const struct describe_row *describe_find(str group, str kind)
{
    static const struct describe_kind *const tables[] = {describe_core_kinds, describe_workload_kinds, describe_network_kinds,
                                                         describe_storage_kinds, describe_policy_kinds};
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        for (const struct describe_kind *k = tables[i]; k->kind; k++) {
            if (str_is(group, k->group) && str_is(kind, k->kind))
                return k->rows;
        }
    }
    return NULL;
}

void describe_object(struct describe *d, const struct target *t)
{
    const struct describe_row *rows = describe_find(t->res->group, t->res->kind);
    d->object = t->object;
    d->ns = t->ns;
    d->name = t->name;
    d->tabs = TABS_TEXT;
    if (rows)
        describe_rows(d, rows);
    else
        describe_generic(d);
    tabs_flush(&d->tabs, &d->out);
    tabs_fini(&d->tabs);
}
