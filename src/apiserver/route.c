/* route.c - URL and method to what is asked of which resource.
 *
 *   /api/v1/namespaces/NS/pods/NAME/status          /apis/apps/v1/deployments?watch=true
 *    └ core │  └ ns     └ resource └ subresource      └ group └ version └ resource */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/internal.h"

struct path_parts {
    str items[16];
    size_t len;
    bool too_many;
};

static void split(struct api_req *q, str path, struct path_parts *ret)
{
    ret->len = 0;
    ret->too_many = false;
    while (path.len) {
        str part;
        str_cut(&path, '/', &part);
        if (!part.len)
            continue;
        if (ret->len == ARRAY_LEN(ret->items)) {
            ret->too_many = true;
            for (size_t i = 4; i < 7; i++) /* what stands behind a proxy is not ours to count */
                ret->too_many = ret->too_many && !str_is(ret->items[i], "proxy");
            return;
        }
        str plain;
        ret->items[ret->len++] = http_unescape(q->arena, part, false, &plain) ? plain : part;
    }
}

static void take_names(struct api_target *t, const struct path_parts *p, size_t i)
{
    /* /namespaces/NS/<resource>...  but /namespaces/NS, /namespaces/NS/status and /namespaces/NS/finalize are the namespace itself */
    if (i + 1 < p->len && str_is(p->items[i], "namespaces")) {
        t->ns = p->items[i + 1];
        bool own = i + 2 == p->len || (i + 3 == p->len && (str_is(p->items[i + 2], "status") || str_is(p->items[i + 2], "finalize")));
        if (!own)
            i += 2;
    }
    if (i < p->len)
        t->resource = p->items[i++];
    if (i < p->len)
        t->name = p->items[i++];
    if (i < p->len)
        t->subresource = p->items[i];
}

static str verb_of(struct api_req *q, const struct api_target *t, bool watch_prefix)
{
    static const struct {
        const char *method, *with_name, *without;
    } verbs[] = {
        {"GET", "get", "list"}, {"HEAD", "get", "list"}, {"POST", "create", "create"}, {"PUT", "update", "update"}, {"PATCH", "patch", "patch"},
        {"DELETE", "delete", "deletecollection"},
    };
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        if (!str_is(q->method, verbs[i].method))
            continue;
        str verb = str_of(t->name.len ? verbs[i].with_name : verbs[i].without);
        /* ?watch=true asks for a watch of a list; of one object only the old prefix does */
        bool watches = q->is_watch && (str_is(verb, "list") || (str_is(verb, "get") && watch_prefix));
        return watches ? S("watch") : verb;
    }
    return S("");
}

/* Fills the group version and returns the index of the first part behind it, 0: no resource path. */
static size_t take_group_version(struct api_target *t, const struct path_parts *p)
{
    if (p->len >= 3 && str_is(p->items[0], "api")) {
        t->version = p->items[1];
        return 2;
    }
    if (p->len >= 4 && str_is(p->items[0], "apis")) {
        t->group = p->items[1];
        t->version = p->items[2];
        return 3;
    }
    return 0;
}

static bool find_resource(struct api_req *q)
{
    struct api_target *t = &q->target;
    q->res = registry_find(q->reg, t->group, t->version, t->resource);
    if (!q->res) {
        if (!registry_has_group_version(q->reg, t->group, t->version))
            api_answer(q, 404, S("text/plain; charset=utf-8"), S("404 page not found\n"));
        else
            api_answer_unknown_resource(q);
        return false;
    }
    if (t->subresource.len) {
        q->sub = api_subresource_find(q->res, t->subresource);
        if (!q->sub) {
            api_answer_unknown_resource(q);
            return false;
        }
    }
    /* What was authorized inside a namespace must stay there.  A namespace itself counts as inside of it, as in Kubernetes: rules for a namespace hold for its own object; but no path
     * leads from one namespace to another's object. */
    bool is_namespace = str_is(t->resource, "namespaces") && !t->group.len;
    bool misplaced = is_namespace ? !str_eq(t->ns, t->name) : api_is_namespaced(q->res) ? !t->ns.len && t->name.len : t->ns.len > 0;
    if (misplaced)
        api_answer_unknown_resource(q);
    return !misplaced;
}

bool route_parse(struct api_req *q)
{
    struct api_target *t = &q->target;
    struct path_parts p;
    split(q, q->path, &p);
    t->path = q->path;
    if (p.too_many) {
        api_answer_unknown_resource(q);
        return false;
    }
    size_t first = take_group_version(t, &p);
    if (!first) {
        t->is_resource = false;
        char *lower = (char *)arena_cstr(q->arena, q->method);
        for (char *c = lower; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
        t->verb = str_of(lower);
        return true;
    }
    t->is_resource = true;
    /* the old prefix /api/v1/watch/... */
    bool watch_prefix = first < p.len && str_is(p.items[first], "watch") && !registry_find(q->reg, t->group, t->version, S("watch"));
    if (watch_prefix) {
        q->is_watch = true;
        first++;
    }
    take_names(t, &p, first);
    t->verb = verb_of(q, t, watch_prefix);
    if (!t->verb.len) {
        api_answer_method_not_allowed(q);
        return false;
    }
    return true;
}

bool route_resolve(struct api_req *q)
{
    return find_resource(q);
}
