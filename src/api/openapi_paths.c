/* openapi_paths.c - the operations of each resource: which paths and methods there are, what they take and answer.
 *
 * Clients look for the operation of a kind (x-kubernetes-group-version-kind) and its query parameters: kubectl sends
 * dryRun and fieldValidation only where PATCH lists them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/openapi_internal.h"

/* --- query parameters --------------------------------------------------------------------------------------------- */

enum param_set {
    PARAMS_LIST = 1,
    PARAMS_WATCH = 2,
    PARAMS_WRITE = 4,
    PARAMS_APPLY = 8,
    PARAMS_DELETE = 16,
    PARAMS_LOG = 32,
};

static const struct {
    str name, type, doc;
    uint8_t sets; /* enum param_set */
} params[] = {
    {STR_INIT("allowWatchBookmarks"), STR_INIT("boolean"), STR_INIT("Send events that carry only a resource version."),
     PARAMS_WATCH},
    {STR_INIT("continue"), STR_INIT("string"), STR_INIT("Token of the chunk before."), PARAMS_LIST},
    {STR_INIT("dryRun"), STR_INIT("string"), STR_INIT("All: do everything but store the result."), PARAMS_WRITE | PARAMS_DELETE},
    {STR_INIT("fieldManager"), STR_INIT("string"), STR_INIT("Who makes the change."), PARAMS_WRITE},
    {STR_INIT("fieldSelector"), STR_INIT("string"), STR_INIT("Only objects whose fields match."), PARAMS_LIST},
    {STR_INIT("fieldValidation"), STR_INIT("string"),
     STR_INIT("What to do about unknown and duplicate fields: Ignore, Warn or Strict."), PARAMS_WRITE},
    {STR_INIT("follow"), STR_INIT("boolean"), STR_INIT("Go on as lines are written."), PARAMS_LOG},
    {STR_INIT("force"), STR_INIT("boolean"), STR_INIT("Apply: take fields over from other managers."), PARAMS_APPLY},
    {STR_INIT("gracePeriodSeconds"), STR_INIT("integer"), STR_INIT("Seconds before the object is removed."), PARAMS_DELETE},
    {STR_INIT("labelSelector"), STR_INIT("string"), STR_INIT("Only objects whose labels match."), PARAMS_LIST},
    {STR_INIT("limit"), STR_INIT("integer"), STR_INIT("How many objects a chunk has at most."), PARAMS_LIST},
    {STR_INIT("orphanDependents"), STR_INIT("boolean"), STR_INIT("Deprecated: use propagationPolicy."), PARAMS_DELETE},
    {STR_INIT("propagationPolicy"), STR_INIT("string"), STR_INIT("What happens to dependents: Orphan, Background or Foreground."),
     PARAMS_DELETE},
    {STR_INIT("resourceVersion"), STR_INIT("string"), STR_INIT("How old the answer may be, or where a watch starts."),
     PARAMS_LIST},
    {STR_INIT("resourceVersionMatch"), STR_INIT("string"), STR_INIT("How resourceVersion is meant: Exact or NotOlderThan."),
     PARAMS_LIST},
    {STR_INIT("sendInitialEvents"), STR_INIT("boolean"), STR_INIT("A watch begins with the objects there are."), PARAMS_LIST},
    {STR_INIT("tailLines"), STR_INIT("integer"), STR_INIT("Only that many lines from the end."), PARAMS_LOG},
    {STR_INIT("timeoutSeconds"), STR_INIT("integer"), STR_INIT("When a list or watch ends."), PARAMS_LIST},
    {STR_INIT("watch"), STR_INIT("boolean"), STR_INIT("Send changes instead of a list."), PARAMS_WATCH},
};

static void write_param(struct openapi_doc *d, enum openapi_param in, str name, str type, str doc)
{
    openapi_param(d->e, in);
    openapi_text(d->e, S("name"), name);
    openapi_text(d->e, S("in"), in == OPENAPI_PARAM_PATH ? S("path") : S("query"));
    openapi_text(d->e, S("description"), doc);
    if (in == OPENAPI_PARAM_PATH)
        openapi_bool(d->e, S("required"), true);
    if (!d->v2)
        openapi_object(d->e, S("schema"));
    openapi_text(d->e, S("type"), type);
    openapi_bool(d->e, S("uniqueItems"), true);
    if (!d->v2)
        openapi_end(d->e);
    openapi_end(d->e);
}

/* --- operations --------------------------------------------------------------------------------------------------- */

enum body { BODY_NONE, BODY_OBJECT, BODY_PATCH, BODY_DELETE };
enum reply { REPLY_OBJECT, REPLY_LIST, REPLY_STATUS, REPLY_TEXT };

struct verb {
    uint16_t verb; /* enum api_verb */
    const char *method, *action, *id, *description;
    uint8_t params;    /* enum param_set */
    uint8_t body;      /* enum body */
    uint8_t reply;     /* enum reply */
    const char *codes; /* besides 200 and 401: "201 202" */
};

/* In the order of their methods, so that the two that share one in different paths never meet. */
static const struct verb collection_verbs[] = {
    {API_VERB_LIST, "get", "list", "list", "list objects of kind ", PARAMS_LIST | PARAMS_WATCH, BODY_NONE, REPLY_LIST, ""},
    {API_VERB_CREATE, "post", "post", "create", "create a ", PARAMS_WRITE, BODY_OBJECT, REPLY_OBJECT, "201 202"},
    {API_VERB_DELETECOLLECTION, "delete", "deletecollection", "delete", "delete collection of ", PARAMS_LIST | PARAMS_DELETE,
     BODY_DELETE, REPLY_STATUS, ""},
};
static const struct verb item_verbs[] = {
    {API_VERB_GET, "get", "get", "read", "read the specified ", 0, BODY_NONE, REPLY_OBJECT, ""},
    {API_VERB_CREATE, "post", "post", "create", "create a ", PARAMS_WRITE, BODY_OBJECT, REPLY_OBJECT, "201 202"},
    {API_VERB_UPDATE, "put", "put", "replace", "replace the specified ", PARAMS_WRITE, BODY_OBJECT, REPLY_OBJECT, "201"},
    {API_VERB_PATCH, "patch", "patch", "patch", "partially update the specified ", PARAMS_WRITE | PARAMS_APPLY, BODY_PATCH,
     REPLY_OBJECT, "201"},
    {API_VERB_DELETE, "delete", "delete", "delete", "delete a ", PARAMS_DELETE, BODY_DELETE, REPLY_STATUS, "202"},
};

/* What the operations of one path have in common. */
struct place {
    const struct api_resource *r;
    const struct api_subresource *sub; /* NULL: the resource itself */
    struct openapi_gvk gvk;
    str object, list; /* names of definitions */
    str id_group;     /* "AppsV1" */
    bool namespaced, has_name, all_namespaces;
};

static void add_title(struct strbuf *b, str s)
{
    if (!s.len)
        return;
    strbuf_add_char(b, s.p[0] >= 'a' && s.p[0] <= 'z' ? (char)(s.p[0] - 32) : s.p[0]);
    strbuf_add_str(b, str_from(s, 1));
}

/* apps/v1 -> AppsV1, rbac.authorization.k8s.io/v1 -> RbacAuthorizationV1, stable.example.com/v1 -> ComExampleStableV1 */
static str group_id(struct openapi_doc *d, const struct api_resource *r)
{
    struct strbuf b = strbuf_on(d->arena);
    str rest = r->group, part;
    if (str_has_suffix(rest, S(".k8s.io")))
        rest.len -= sizeof ".k8s.io" - 1;
    if (!rest.len)
        strbuf_add_str(&b, S("Core"));
    while (rest.len && r->flags & API_CUSTOM) {
        ptrdiff_t dot = str_rfind_char(rest, '.');
        add_title(&b, str_from(rest, (size_t)(dot + 1)));
        rest.len = dot < 0 ? 0 : (size_t)dot;
    }
    while (rest.len) {
        str_cut(&rest, '.', &part);
        add_title(&b, part);
    }
    add_title(&b, r->version);
    return strbuf_str(&b);
}

/* Streams (exec, attach, portforward, proxy) carry bytes, whatever the method. */
static bool is_connect(const struct place *p)
{
    return p->sub && str_has_suffix(p->sub->kind, S("Options"));
}

static str operation_id(struct openapi_doc *d, const struct place *p, const struct verb *v)
{
    struct strbuf b = strbuf_on(d->arena);
    strbuf_addf(&b, "%s" STR_FMT, is_connect(p) ? "connect" : v->id, STR_ARG(p->id_group));
    if (is_connect(p))
        add_title(&b, str_of(v->method));
    if (v->verb == API_VERB_DELETECOLLECTION)
        strbuf_add_str(&b, S("Collection"));
    if (p->namespaced && !p->all_namespaces)
        strbuf_add_str(&b, S("Namespaced"));
    strbuf_add_str(&b, p->r->kind);
    if (p->sub)
        add_title(&b, p->sub->name);
    if (p->all_namespaces)
        strbuf_add_str(&b, S("ForAllNamespaces"));
    return strbuf_str(&b);
}

static void write_texts(struct openapi_doc *d, str key, const char *list)
{
    str rest = str_of(list), one;
    openapi_array(d->e, key);
    while (rest.len) {
        str_cut(&rest, ' ', &one);
        openapi_text(d->e, STR_NONE, one);
    }
    openapi_end(d->e);
}

static const char *patch_types(const struct api_resource *r)
{
    return r->flags & API_CUSTOM ? "application/json-patch+json application/merge-patch+json application/apply-patch+yaml"
                                 : "application/json-patch+json application/merge-patch+json "
                                   "application/strategic-merge-patch+json application/apply-patch+yaml";
}

static str body_name(const struct place *p, const struct verb *v)
{
    static const struct schema_type *const shared[] = {
        [BODY_PATCH] = &schema_meta_v1_Patch,
        [BODY_DELETE] = &schema_meta_v1_DeleteOptions,
    };
    return v->body == BODY_OBJECT ? p->object : shared[v->body]->openapi;
}

/* Version 3: a schema for each media type. */
static void write_content(struct openapi_doc *d, const char *media, str schema)
{
    str rest = str_of(media), one;
    openapi_object(d->e, S("content"));
    while (rest.len) {
        str_cut(&rest, ' ', &one);
        openapi_object(d->e, one);
        if (schema.len) {
            openapi_ref_object(d, S("schema"), schema);
        } else {
            openapi_object(d->e, S("schema"));
            openapi_text(d->e, S("type"), S("string"));
            openapi_end(d->e);
        }
        openapi_end(d->e);
    }
    openapi_end(d->e);
}

static void write_body_v2(struct openapi_doc *d, const struct place *p, const struct verb *v)
{
    openapi_param(d->e, OPENAPI_PARAM_BODY);
    openapi_text(d->e, S("name"), S("body"));
    openapi_text(d->e, S("in"), S("body"));
    if (v->body != BODY_DELETE)
        openapi_bool(d->e, S("required"), true);
    openapi_ref_object(d, S("schema"), body_name(p, v));
    openapi_end(d->e);
}

static void write_body_v3(struct openapi_doc *d, const struct place *p, const struct verb *v)
{
    openapi_object(d->e, S("requestBody"));
    write_content(d, v->body == BODY_PATCH ? patch_types(p->r) : "*/*", body_name(p, v));
    if (v->body != BODY_DELETE)
        openapi_bool(d->e, S("required"), true);
    openapi_end(d->e);
}

static void write_parameters(struct openapi_doc *d, const struct place *p, const struct verb *v, uint8_t sets)
{
    bool body = d->v2 && v->body != BODY_NONE;
    if (!sets && !body)
        return;
    openapi_array(d->e, S("parameters"));
    for (size_t i = 0; i < ARRAY_LEN(params); i++)
        if (params[i].sets & sets)
            write_param(d, OPENAPI_PARAM_QUERY, params[i].name, params[i].type, params[i].doc);
    if (body)
        write_body_v2(d, p, v);
    openapi_end(d->e);
}

static void write_response(struct openapi_doc *d, str code, str schema, bool text)
{
    static const char *const names[][2] = {{"200", "OK"}, {"201", "Created"}, {"202", "Accepted"}, {"401", "Unauthorized"}};
    openapi_object(d->e, code);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(code, names[i][0]))
            openapi_text(d->e, S("description"), str_of(names[i][1]));
    if (schema.len && d->v2) {
        openapi_ref_object(d, S("schema"), schema);
    } else if (text && d->v2) {
        openapi_object(d->e, S("schema"));
        openapi_text(d->e, S("type"), S("string"));
        openapi_end(d->e);
    } else if (schema.len || text) {
        write_content(d, text ? "*/*" : "application/json application/yaml", schema);
    }
    openapi_end(d->e);
}

static void write_responses(struct openapi_doc *d, const struct place *p, const struct verb *v, enum reply reply)
{
    str schema = reply == REPLY_OBJECT   ? p->object
                 : reply == REPLY_LIST   ? p->list
                 : reply == REPLY_STATUS ? schema_meta_v1_Status.openapi
                                         : S("");
    str rest = str_of(v->codes), code;
    bool text = reply == REPLY_TEXT;
    openapi_object(d->e, S("responses"));
    write_response(d, S("200"), schema, text);
    while (rest.len && !text) {
        str_cut(&rest, ' ', &code);
        write_response(d, code, schema, text);
    }
    write_response(d, S("401"), S(""), false);
    openapi_end(d->e);
}

static void write_operation(struct openapi_doc *d, const struct place *p, const struct verb *v)
{
    bool connect = is_connect(p), log = p->sub && str_is(p->sub->name, "log");
    struct verb plain = *v;
    if (connect) {
        plain.body = BODY_NONE;
        plain.params = 0;
    }
    if (log)
        plain.params = PARAMS_LOG;
    openapi_object(d->e, str_of(v->method));
    openapi_text(d->e, S("description"),
                 arena_fmt(d->arena, "%s" STR_FMT, connect ? "connect to " : v->description, STR_ARG(p->r->kind)));
    openapi_text(d->e, S("operationId"), operation_id(d, p, v));
    if (d->v2) {
        write_texts(d, S("consumes"), v->body == BODY_PATCH ? patch_types(p->r) : "*/*");
        write_texts(d, S("produces"), connect ? "*/*" : log ? "text/plain" : "application/json application/yaml");
        write_texts(d, S("schemes"), "https");
    }
    write_parameters(d, p, &plain, plain.params);
    if (!d->v2 && plain.body != BODY_NONE)
        write_body_v3(d, p, &plain);
    write_responses(d, p, &plain, connect || log ? REPLY_TEXT : (enum reply)v->reply);
    openapi_text(d->e, S("x-kubernetes-action"), connect ? S("connect") : str_of(v->action));
    openapi_gvk_write(d, S("x-kubernetes-group-version-kind"), &p->gvk);
    openapi_end(d->e);
}

/* --- paths -------------------------------------------------------------------------------------------------------- */

static void write_place_parameters(struct openapi_doc *d, const struct place *p)
{
    openapi_array(d->e, S("parameters"));
    if (p->has_name)
        write_param(d, OPENAPI_PARAM_PATH, S("name"), S("string"),
                    arena_fmt(d->arena, "name of the " STR_FMT, STR_ARG(p->gvk.kind)));
    if (p->namespaced && !p->all_namespaces)
        write_param(d, OPENAPI_PARAM_PATH, S("namespace"), S("string"), S("namespace of the object"));
    write_param(d, OPENAPI_PARAM_QUERY, S("pretty"), S("string"), S("true: with line breaks and indentation."));
    openapi_end(d->e);
}

static void write_path(struct openapi_doc *d, str path, const struct place *p, const struct verb *list, size_t n, uint16_t verbs)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= (list[i].verb & verbs) != 0;
    if (!any)
        return;
    openapi_object(d->e, path);
    write_place_parameters(d, p);
    for (size_t i = 0; i < n; i++)
        if (list[i].verb & verbs)
            write_operation(d, p, &list[i]);
    openapi_end(d->e);
}

static void write_sub(struct openapi_doc *d, str item, struct place p, const struct api_subresource *sub)
{
    p.sub = sub;
    bool own = !sub->group.len && !sub->version.len;
    p.gvk = (struct openapi_gvk){
        .group = own ? p.r->group : sub->group, .version = own ? p.r->version : sub->version, .kind = sub->kind};
    if (sub->type && sub->type != p.r->type)
        p.object = sub->type->openapi;
    write_path(d, arena_fmt(d->arena, STR_FMT "/" STR_FMT, STR_ARG(item), STR_ARG(sub->name)), &p, item_verbs,
               ARRAY_LEN(item_verbs), sub->verbs);
}

static void write_resource(struct openapi_doc *d, str base, const struct api_resource *r)
{
    struct place p = {.r = r,
                      .gvk = {.group = r->group, .version = r->version, .kind = r->kind},
                      .namespaced = api_is_namespaced(r),
                      .object = openapi_name_of_object(d, r),
                      .list = openapi_name_of_list(d, r),
                      .id_group = group_id(d, r)};
    str collection = arena_fmt(d->arena, STR_FMT "/%s" STR_FMT, STR_ARG(base), p.namespaced ? "namespaces/{namespace}/" : "",
                               STR_ARG(r->plural));
    str item = arena_cat(d->arena, collection, S("/{name}"));
    if (p.namespaced) {
        struct place all = p;
        all.all_namespaces = true;
        write_path(d, arena_fmt(d->arena, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(r->plural)), &all, collection_verbs,
                   ARRAY_LEN(collection_verbs), r->verbs & API_VERB_LIST);
    }
    write_path(d, collection, &p, collection_verbs, ARRAY_LEN(collection_verbs), r->verbs);
    p.has_name = true;
    write_path(d, item, &p, item_verbs, ARRAY_LEN(item_verbs), r->verbs & (uint16_t)~API_VERB_CREATE);
    for (size_t i = 0; i < r->nsubs; i++)
        write_sub(d, item, p, &r->subs[i]);
}

void openapi_paths_write(struct openapi_doc *d, const struct openapi_group *g)
{
    str base = g->group.len ? arena_fmt(d->arena, "/apis/" STR_FMT "/" STR_FMT, STR_ARG(g->group), STR_ARG(g->version))
                            : arena_fmt(d->arena, "/api/" STR_FMT, STR_ARG(g->version));
    for (size_t i = 0; i < g->nresources; i++)
        write_resource(d, base, g->resources[i]);
}
