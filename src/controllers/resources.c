/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/resources.h"

#include "base/vec.h"
#include "wire/json.h"

struct document {
    struct client_call call;
    struct resources *owner;
    str group, version;
    bool answered;
};

struct resources {
    struct client_transport *transport;
    struct loop *loop;
    struct resource_set *current;
    struct list waiting; /* for the run that is under way */
    struct list next;    /* came after it began */
    bool busy;
    /* one run */
    struct client_call groups;
    struct resource_set *set;
    struct document *docs;
    size_t ndocs, left;
    VEC(struct resource) found;
};

/* --- sets ------------------------------------------------------------------------------------------------------------------ */

struct resource_set *resource_set_ref(struct resource_set *s)
{
    s->refs++;
    return s;
}

void resource_set_unref(struct resource_set *s)
{
    if (!s || --s->refs)
        return;
    arena_fini(&s->arena);
    free(s);
}

const struct resource *resource_find(const struct resource_set *s, str group, str plural)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->items[i].preferred && str_eq(s->items[i].plural, plural) && str_eq(s->items[i].group, group))
            return &s->items[i];
    return NULL;
}

const struct resource *resource_find_kind(const struct resource_set *s, str group, str kind)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->items[i].preferred && str_eq(s->items[i].kind, kind) && str_eq(s->items[i].group, group))
            return &s->items[i];
    return NULL;
}

bool resource_has(const struct resource *r, unsigned verbs)
{
    return (r->verbs & verbs) == verbs;
}

void resource_path_segment(struct strbuf *b, str text)
{
    static const char plain[] = "-._~:@!$&'()*+,;=";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (alnum || (c && strchr(plain, c)))
            strbuf_add_char(b, (char)c);
        else
            strbuf_addf(b, "%%%02X", c);
    }
}

str resource_path(struct arena *a, const struct resource *r, str ns, str name)
{
    struct strbuf b = strbuf_on(a);
    if (r->group.len)
        strbuf_addf(&b, "/apis/" STR_FMT "/" STR_FMT, STR_ARG(r->group), STR_ARG(r->version));
    else
        strbuf_addf(&b, "/api/" STR_FMT, STR_ARG(r->version));
    if (ns.len && r->namespaced) {
        strbuf_add_str(&b, S("/namespaces/"));
        resource_path_segment(&b, ns);
    }
    strbuf_addf(&b, "/" STR_FMT, STR_ARG(r->plural));
    if (name.len) {
        strbuf_add_char(&b, '/');
        resource_path_segment(&b, name);
    }
    return strbuf_str(&b);
}

/* --- one run: the groups, then all their versions at once ------------------------------------------------------------------ */

static void run_begin(struct resources *r);

static void run_end(struct resources *r, struct resource_set *set)
{
    struct list done;
    list_init(&done);
    list_add_head(&r->waiting, &done);
    list_del(&r->waiting);
    if (set) {
        resource_set_unref(r->current);
        r->current = resource_set_ref(set);
    }
    free(TAKE(r->docs));
    r->busy = false;
    if (!list_empty(&r->next)) {
        list_add_head(&r->next, &r->waiting);
        list_del(&r->next);
        run_begin(r);
    }
    while (!list_empty(&done)) {
        struct resources_wait *w = list_first(&done, struct resources_wait, link_);
        list_del(&w->link_);
        w->done(w, set);
    }
    resource_set_unref(set);
}

static unsigned verbs_of(const struct json *list)
{
    static const struct {
        const char *name;
        enum resource_verb verb;
    } verbs[] = {{"get", RESOURCE_GET}, {"list", RESOURCE_LIST}, {"watch", RESOURCE_WATCH}, {"delete", RESOURCE_DELETE}, {"deletecollection", RESOURCE_DELETECOLLECTION},
                 {"patch", RESOURCE_PATCH}};
    unsigned out = 0;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        for (size_t v = 0; v < ARRAY_LEN(verbs); v++)
            if (str_is(json_str(&list->items[i]), verbs[v].name))
                out |= verbs[v].verb;
    return out;
}

/* Versions are asked for in the order of preference, so the first that has the resource is the preferred one; answers come in any order, hence the search afterwards. */
static void document_take(struct resources *r, struct document *d)
{
    ARENA_AUTO scratch = ARENA_INIT;
    struct json v;
    struct arena *a = &r->set->arena;
    if (d->call.status != 200 || json_parse(&scratch, d->call.response, NULL, &v, NULL) < 0)
        return;
    d->answered = true;
    const struct json *list = json_get(&v, S("resources"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *item = &list->items[i];
        str name = json_get_str(item, S("name"));
        if (str_find_char(name, '/') >= 0)
            continue;
        vec_push(&r->found, (struct resource){.group = d->group, .version = d->version, .kind = arena_str(a, json_get_str(item, S("kind"))), .plural = arena_str(a, name),
                                              .namespaced = json_get_bool(item, S("namespaced"), false), .verbs = verbs_of(json_get(item, S("verbs")))});
    }
}

static void mark_preferred(struct resource_set *s, const struct document *docs, size_t ndocs)
{
    for (size_t i = 0; i < s->len; i++) {
        struct resource *r = &s->items[i];
        bool first = true, reached = false;
        for (size_t d = 0; d < ndocs && !reached; d++) {
            reached = str_eq(docs[d].group, r->group) && str_eq(docs[d].version, r->version);
            for (size_t k = 0; k < s->len && !reached && first && str_eq(docs[d].group, r->group); k++)
                first = !(str_eq(s->items[k].plural, r->plural) && str_eq(s->items[k].group, r->group) && str_eq(s->items[k].version, docs[d].version));
        }
        r->preferred = first;
    }
}

static void run_complete(struct resources *r)
{
    struct resource_set *s = TAKE(r->set);
    struct strbuf failed = strbuf_on(&s->arena);
    for (size_t i = 0; i < r->ndocs; i++)
        if (!r->docs[i].answered)
            strbuf_addf(&failed, "%s" STR_FMT "/" STR_FMT, failed.len ? ", " : "", STR_ARG(r->docs[i].group), STR_ARG(r->docs[i].version));
    s->failed = strbuf_str(&failed);
    s->len = r->found.len;
    s->items = arena_array(&s->arena, s->len, struct resource);
    if (s->len)
        memcpy(s->items, r->found.p, s->len * sizeof *s->items);
    vec_fini(&r->found);
    mark_preferred(s, r->docs, r->ndocs);
    run_end(r, s);
}

static void document_done(struct client_call *c)
{
    struct document *d = container_of(c, struct document, call);
    struct resources *r = d->owner;
    document_take(r, d);
    if (--r->left == 0)
        run_complete(r);
}

static void document_ask(struct resources *r, struct document *d)
{
    struct arena *a = &r->set->arena;
    d->owner = r;
    d->call = (struct client_call){.loop = r->loop, .method = S("GET"), .done = document_done};
    d->call.path = d->group.len ? arena_fmt(a, "/apis/" STR_FMT "/" STR_FMT, STR_ARG(d->group), STR_ARG(d->version)) : arena_fmt(a, "/api/" STR_FMT, STR_ARG(d->version));
    r->transport->call(r->transport, &d->call);
}

static void groups_done(struct client_call *c)
{
    struct resources *r = container_of(c, struct resources, groups);
    ARENA_AUTO scratch = ARENA_INIT;
    struct json v;
    VEC(struct document) docs = {0};
    if (c->status != 200 || json_parse(&scratch, c->response, NULL, &v, NULL) < 0) {
        run_end(r, NULL);
        return;
    }
    r->set = xnew(struct resource_set);
    r->set->refs = 1;
    struct arena *a = &r->set->arena;
    vec_push(&docs, (struct document){.group = S(""), .version = S("v1")});
    const struct json *groups = json_get(&v, S("groups"));
    for (uint32_t g = 0; json_is(groups, JSON_ARRAY) && g < groups->len; g++) {
        const struct json *versions = json_get(&groups->items[g], S("versions"));
        str group = arena_str(a, json_get_str(&groups->items[g], S("name")));
        for (uint32_t i = 0; json_is(versions, JSON_ARRAY) && i < versions->len; i++)
            vec_push(&docs, (struct document){.group = group, .version = arena_str(a, json_get_str(&versions->items[i], S("version")))});
    }
    r->docs = docs.p;
    r->ndocs = r->left = docs.len;
    for (size_t i = 0; i < r->ndocs; i++)
        document_ask(r, &r->docs[i]);
}

static void run_begin(struct resources *r)
{
    r->busy = true;
    r->groups = (struct client_call){.loop = r->loop, .method = S("GET"), .path = S("/apis"), .done = groups_done};
    r->transport->call(r->transport, &r->groups);
}

void resources_refresh(struct resources *r, struct resources_wait *w)
{
    if (r->busy) {
        list_add_tail(&r->next, &w->link_);
        return;
    }
    list_add_tail(&r->waiting, &w->link_);
    run_begin(r);
}

struct resource_set *resources_current(struct resources *r)
{
    return r->current;
}

struct resources *resources_new(struct client_transport *transport, struct loop *loop)
{
    struct resources *r = xnew(struct resources);
    r->transport = transport;
    r->loop = loop;
    list_init(&r->waiting);
    list_init(&r->next);
    return r;
}

void resources_free(struct resources *r)
{
    if (!r)
        return;
    resource_set_unref(r->current);
    resource_set_unref(r->set);
    free(r->docs);
    vec_fini(&r->found);
    free(r);
}
