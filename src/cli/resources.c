/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/resources.h"

struct resource_query resource_query_of(const struct cli_args *a, size_t first_word)
{
    size_t skip = MIN(first_word, a->npositional);
    return (struct resource_query){
        .words = a->positional + skip,
        .nwords = a->npositional - skip,
        .select_all = cli_flag(a, "all"),
        .all_namespaces = cli_flag(a, "all-namespaces"),
        .labels = cli_str(a, "selector"),
        .fields = cli_str(a, "field-selector"),
    };
}

void targets_add(struct session *s, struct targets *t, struct target one)
{
    if (t->len == t->cap_) {
        size_t cap = t->cap_ ? t->cap_ * 2 : 16;
        t->p = arena_grow(&s->arena, t->p, t->cap_ * sizeof *t->p, cap * sizeof *t->p);
        t->cap_ = cap;
    }
    t->p[t->len++] = one;
}

str target_path(struct session *s, const struct target *t, str sub)
{
    return discovery_path(&s->arena, t->res, t->ns, t->name, sub);
}

/* --- types --------------------------------------------------------------------------------------------------------- */

static int unknown_type(str word, struct failure *f)
{
    str rest = word, head;
    str_cut(&rest, '.', &head);
    return failure_set(f, E_NOT_FOUND, "the server doesn't have a resource type \"" STR_FMT "\"", STR_ARG(head));
}

int resource_type_find(struct session *s, str word, const struct discovery_resource **ret, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    *ret = discovery_find(d, word);
    return *ret ? 0 : unknown_type(word, f);
}

struct types {
    const struct discovery_resource **p;
    size_t len;
};

static void types_add(struct types *t, const struct discovery_resource *res)
{
    for (size_t i = 0; i < t->len; i++) {
        if (t->p[i] == res)
            return;
    }
    t->p[t->len++] = res;
}

/* "pods,svc,all": the types, each once, categories as their members. */
static int types_of(struct session *s, str words, struct types *ret, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    ret->p = arena_array(&s->arena, d->len + 1, const struct discovery_resource *);
    while (words.len) {
        str word;
        size_t before = ret->len;
        str_cut(&words, ',', &word);
        for (size_t i = 0; i < d->len; i++) {
            if (d->list[i].is_preferred && discovery_has_category(&d->list[i], word))
                types_add(ret, &d->list[i]);
        }
        if (ret->len > before || !word.len)
            continue;
        const struct discovery_resource *res = discovery_find(d, word);
        if (!res)
            return unknown_type(word, f);
        types_add(ret, res);
    }
    return 0;
}

/* --- words to targets ----------------------------------------------------------------------------------------------- */

static int add_named(struct session *s, const struct resource_query *q, const struct discovery_resource *res, str name,
                     struct targets *ret, struct failure *f)
{
    if (res->is_namespaced && q->all_namespaces)
        return failure_set(f, E_INVALID_ARG, "a resource cannot be retrieved by name across all namespaces");
    targets_add(s, ret, (struct target){.res = res, .ns = res->is_namespaced ? s->namespace_ : S(""), .name = name});
    return 0;
}

static int add_pair(struct session *s, const struct resource_query *q, str word, struct targets *ret, struct failure *f)
{
    str name = word, type;
    const struct discovery_resource *res;
    str_cut(&name, '/', &type);
    if (str_find_char(name, '/') >= 0)
        return failure_set(f, E_INVALID_ARG, "arguments in resource/name form may not have more than one slash");
    if (!type.len || !name.len || str_find_char(type, ',') >= 0)
        return failure_set(f, E_INVALID_ARG, "arguments in resource/name form must have a single resource and name");
    int r = resource_type_find(s, type, &res, f);
    return r < 0 ? r : add_named(s, q, res, name, ret, f);
}

static size_t count_slashes(const struct resource_query *q)
{
    size_t n = 0;
    for (size_t i = 0; i < q->nwords; i++)
        n += strchr(q->words[i], '/') != NULL;
    return n;
}

static int select_pairs(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f)
{
    if (count_slashes(q) != q->nwords)
        return failure_set(
            f, E_INVALID_ARG,
            "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. "
            "'cox get resource/<resource_name>' instead of 'cox get resource resource/<resource_name>'");
    if (q->labels || q->fields || q->select_all)
        return failure_set(f, E_INVALID_ARG, "selectors and the all flag cannot be used when passing resource/name arguments");
    for (size_t i = 0; i < q->nwords; i++) {
        int r = add_pair(s, q, str_of(q->words[i]), ret, f);
        if (r < 0)
            return r;
    }
    ret->is_single = q->nwords == 1;
    return 0;
}

static int select_names(struct session *s, const struct resource_query *q, const struct types *types, struct targets *ret,
                        struct failure *f)
{
    if (q->labels || q->fields || q->select_all)
        return failure_set(f, E_INVALID_ARG, "name cannot be provided when a selector is specified");
    for (size_t t = 0; t < types->len; t++) {
        for (size_t i = 1; i < q->nwords; i++) {
            int r = add_named(s, q, types->p[t], str_of(q->words[i]), ret, f);
            if (r < 0)
                return r;
        }
    }
    ret->is_single = q->nwords == 2 && types->len == 1;
    return 0;
}

static int select_words(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f)
{
    struct types types = {0};
    if (!q->nwords && (q->labels || q->fields || q->select_all))
        return failure_set(f, E_INVALID_ARG, "at least one resource must be specified to use a selector");
    if (!q->nwords)
        return failure_set(
            f, E_INVALID_ARG,
            "You must provide one or more resources by argument or filename.\n"
            "Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'");
    if (count_slashes(q))
        return select_pairs(s, q, ret, f);
    int r = types_of(s, str_of(q->words[0]), &types, f);
    if (r < 0)
        return r;
    if (q->nwords > 1)
        return select_names(s, q, &types, ret, f);
    if (!q->lists_alone && !q->labels && !q->fields && !q->select_all)
        return failure_set(f, E_INVALID_ARG, "resource(s) were provided, but no name was specified");
    ret->is_lists = true;
    for (size_t i = 0; i < types.len; i++)
        targets_add(
            s, ret,
            (struct target){.res = types.p[i], .ns = types.p[i]->is_namespaced && !q->all_namespaces ? s->namespace_ : S("")});
    return 0;
}

/* --- files -------------------------------------------------------------------------------------------------------------- */

static int unknown_kind(struct json *object, str source, struct failure *f)
{
    const struct json *meta = json_get(object, S("metadata"));
    str name = json_get_str(meta, S("name")), ns = json_get_str(meta, S("namespace"));
    str kind = json_get_str(object, S("kind")), version = json_get_str(object, S("apiVersion"));
    return failure_set(f, E_NOT_FOUND,
                       "resource mapping not found for name: \"" STR_FMT "\" namespace: \"" STR_FMT "\" from \"" STR_FMT
                       "\": no matches for kind \"" STR_FMT "\" in version \"" STR_FMT "\"\nensure CRDs are installed first",
                       STR_ARG(name), STR_ARG(ns), STR_ARG(source), STR_ARG(kind), STR_ARG(version));
}

int target_of_object(struct session *s, struct json *object, str source, struct target *ret, struct failure *f)
{
    const struct discovery *d;
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    const struct discovery_resource *res =
        discovery_find_kind(d, json_get_str(object, S("apiVersion")), json_get_str(object, S("kind")));
    if (!res)
        return unknown_kind(object, source, f);
    struct json *meta = json_ensure_object(&s->arena, object, S("metadata"));
    str ns = json_get_str(meta, S("namespace"));
    if (!res->is_namespaced) {
        ns = S("");
    } else if (!ns.len) {
        ns = s->namespace_;
        json_set(&s->arena, meta, S("namespace"), json_string(ns));
    } else if (s->namespace_given && !str_eq(ns, s->namespace_)) {
        return failure_set(f, E_INVALID_ARG,
                           "the namespace from the provided object \"" STR_FMT "\" does not match the namespace \"" STR_FMT
                           "\". You must pass '--namespace=" STR_FMT "' to perform this operation.",
                           STR_ARG(ns), STR_ARG(s->namespace_), STR_ARG(ns));
    }
    *ret = (struct target){.res = res, .ns = ns, .name = json_get_str(meta, S("name")), .object = *object, .source = source};
    return 0;
}

static int select_files(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f)
{
    struct manifests m = {0};
    if (q->nwords)
        return failure_set(f, E_INVALID_ARG,
                           "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well");
    int r = manifests_read(&s->arena, s->args, &m, f);
    for (size_t i = 0; r == 0 && i < m.len; i++) {
        struct target t;
        r = target_of_object(s, &m.p[i].object, m.p[i].source, &t, f);
        if (r == 0)
            targets_add(s, ret, t);
    }
    ret->is_single = ret->len == 1;
    return r;
}

int resources_select(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f)
{
    *ret = (struct targets){0};
    return cli_list(s->args, "filename", 0) ? select_files(s, q, ret, f) : select_words(s, q, ret, f);
}

/* --- fetching -------------------------------------------------------------------------------------------------------------- */

/* Further pages are appended to the first one's items or, of a Table, rows. */
static void append_page(struct session *s, struct json *all, const struct json *page)
{
    static const str names[] = {STR_INIT("items"), STR_INIT("rows")};
    for (size_t k = 0; k < ARRAY_LEN(names); k++) {
        struct json *into = json_get(all, names[k]), *more = json_get(page, names[k]);
        for (size_t i = 0; json_is(into, JSON_ARRAY) && json_is(more, JSON_ARRAY) && i < more->len; i++)
            json_push(&s->arena, into, more->items[i]);
    }
}

int resources_list(struct session *s, str path, str query, str accept, int64_t chunk, struct json *ret, struct failure *f)
{
    str token = S("");
    do {
        struct strbuf b = strbuf_on(&s->arena);
        strbuf_add_str(&b, query);
        if (chunk > 0)
            client_query_add(&b, "limit", arena_fmt(&s->arena, "%lld", (long long)chunk));
        if (token.len)
            client_query_add(&b, "continue", token);
        struct client_response res;
        int r = session_do(
            s, &(struct client_request){.method = S("GET"), .path = path, .query = strbuf_str(&b), .accept = accept}, &res, f);
        if (r < 0)
            return r;
        if (token.len)
            append_page(s, ret, &res.json);
        else
            *ret = res.json;
        token = json_str(json_path(&res.json, "metadata", "continue", NULL));
    } while (token.len);
    return 0;
}

int resources_list_failed(struct session *s, const struct resource_query *q, const struct target *t, struct failure *f)
{
    const char *labels = q->labels ? q->labels : "", *fields = q->fields ? q->fields : "";
    const struct discovery_resource *r = t->res;
    str what = arena_fmt(&s->arena, STR_FMT "/" STR_FMT ", Resource=" STR_FMT, STR_ARG(r->group), STR_ARG(r->version),
                         STR_ARG(r->plural));
    bool is_query = f->err.code == E_INVALID_ARG || f->err.code == E_PARSE || f->err.code == E_NOT_FOUND;
    if (!f->from_server || !is_query)
        return -f->err.code;
    if (labels[0] || fields[0])
        return failure_wrap(f, &s->arena,
                            "Unable to find \"" STR_FMT "\" that match label selector \"%s\", field selector \"%s\": ",
                            STR_ARG(what), labels, fields);
    return failure_wrap(f, &s->arena, "Unable to list \"" STR_FMT "\": ", STR_ARG(what));
}

static str selector_query(struct session *s, const struct resource_query *q)
{
    struct strbuf b = strbuf_on(&s->arena);
    if (q->labels && q->labels[0])
        client_query_add(&b, "labelSelector", str_of(q->labels));
    if (q->fields && q->fields[0])
        client_query_add(&b, "fieldSelector", str_of(q->fields));
    return strbuf_str(&b);
}

static int fetch_list(struct session *s, const struct resource_query *q, const struct target *t, struct targets *ret,
                      struct failure *f)
{
    struct json list;
    int r = resources_list(s, target_path(s, t, S("")), selector_query(s, q), S(""), 500, &list, f);
    if (r < 0)
        return resources_list_failed(s, q, t, f);
    struct json *items = json_get(&list, S("items"));
    for (size_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        struct json *item = &items->items[i];
        const struct json *meta = json_get(item, S("metadata"));
        if (!json_get(item, S("kind"))) { /* a list says once what its items are */
            json_set(&s->arena, item, S("apiVersion"), json_string(discovery_group_version(&s->arena, t->res)));
            json_set(&s->arena, item, S("kind"), json_string(t->res->kind));
        }
        targets_add(
            s, ret,
            (struct target){
                .res = t->res, .ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name")), .object = *item});
    }
    return 0;
}

int resources_fetch(struct session *s, const struct resource_query *q, const struct targets *sel, struct targets *ret,
                    struct failure *f)
{
    *ret = (struct targets){.is_single = sel->is_single};
    for (size_t i = 0; i < sel->len; i++) {
        struct target t = sel->p[i];
        int r;
        if (sel->is_lists) {
            r = fetch_list(s, q, &t, ret, f);
        } else {
            r = session_get(s, target_path(s, &t, S("")), S(""), &t.object, f);
            if (r == 0)
                targets_add(s, ret, t);
        }
        if (r < 0)
            session_note(s, f);
    }
    return 0;
}

int resources_find(struct session *s, const struct resource_query *q, struct targets *ret, struct failure *f)
{
    struct targets sel;
    int r = resources_select(s, q, &sel, f);
    return r < 0 ? r : resources_fetch(s, q, &sel, ret, f);
}
