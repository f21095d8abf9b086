/* chain.c - the way of every request: inputs → route → who → may they → verb; and the two sinks, HTTP and in-process. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"
#include "apiserver/audit.h"
#include "apiserver/internal.h"
#include "apiserver/usage_serve.h"
#include "apiserver/node_authz.h"
#include "apiserver/node_proxy.h"
#include "wire/gzip.h"

/* --- finishing ------------------------------------------------------------------------------------------------ */

static void finished(struct api_req *q)
{
    struct apiserver *s = q->srv;
    metrics_request(s->metrics, q, clock_mono(s->clock) - q->received_ns);
    if (s->audit)
        audit_request(s->audit, q, clock_wall(s->clock));
    if (q->counts_as_write) {
        atomic_fetch_sub(&s->writes_in_flight, 1);
        atomic_fetch_sub(&s->writes_by_user[q->user_slot], 1);
        metrics_inflight(s->metrics, true, -1);
    }
    registry_unref(q->reg);
    q->reg = NULL;
}

static void http_sink_respond(struct api_req *q, const struct http_response *res)
{
    finished(q);
    http_respond(q->http, res); /* frees the arena, and q with it */
}

static void http_sink_stream_start(struct api_req *q, const struct http_response *head)
{
    q->answered_status = head->status;
    http_stream_start(q->http, head);
}

static bool http_sink_stream_write(struct api_req *q, struct http_buf *buf, size_t limit)
{
    q->answered_bytes += buf->len;
    return http_stream_write(q->http, buf, limit);
}

static void http_sink_stream_end(struct api_req *q)
{
    finished(q);
    http_stream_end(q->http);
}

static void http_sink_abort(struct api_req *q)
{
    finished(q);
    http_abort(q->http);
}

static const struct api_sink http_sink = {http_sink_respond, http_sink_stream_start, http_sink_stream_write, http_sink_stream_end, http_sink_abort};

void chain_finish_local(struct api_req *q)
{
    finished(q);
}

/* --- authorization ------------------------------------------------------------------------------------------------ */

/* A list or watch of one name is a question about that name, so that rules with resourceNames can grant it. */
static str name_asked(struct api_req *q)
{
    const struct api_target *t = &q->target;
    str text, name = S("");
    struct selector fields;
    bool lists = str_is(t->verb, "list") || str_is(t->verb, "watch");
    const struct api_resource *res = t->name.len || !lists ? NULL : registry_find(q->reg, t->group, t->version, t->resource);
    if (!res || !api_query(q, S("fieldSelector"), &text) || !text.len || selector_parse_fields(q->arena, res, text, &fields, NULL) < 0)
        return t->name;
    return selector_pins(&fields, S("metadata.name"), &name) ? name : S("");
}

/* What a node's agent says of the node whose objects it wants; others are not asked. */
static void selectors_asked(struct api_req *q, struct authz_attrs *attrs)
{
    const struct api_target *t = &q->target;
    bool lists = str_is(t->verb, "list") || str_is(t->verb, "watch");
    const struct api_resource *res = lists && node_authz_name(&q->user).len ? registry_find(q->reg, t->group, t->version, t->resource) : NULL;
    struct selector s;
    str text;
    if (res && api_query(q, S("fieldSelector"), &text) && text.len && selector_parse_fields(q->arena, res, text, &s, NULL) == 0 &&
        !selector_pins(&s, S("spec.nodeName"), &attrs->field_node))
        attrs->field_node = S("");
    if (res && api_query(q, S("labelSelector"), &text) && text.len && selector_parse_labels(q->arena, text, &s, NULL) == 0 &&
        !selector_pins(&s, S(NODE_LABEL), &attrs->label_node))
        attrs->label_node = S("");
}

struct authz_attrs chain_attrs(struct api_req *q)
{
    const struct api_target *t = &q->target;
    return (struct authz_attrs){.user = &q->user, .is_resource = t->is_resource, .verb = t->verb, .group = t->group, .version = t->version,
                                .resource = t->resource, .subresource = t->subresource, .ns = t->ns, .name = t->name, .path = t->path};
}

static bool authorized(struct api_req *q)
{
    const struct api_target *t = &q->target;
    struct authz_attrs attrs = chain_attrs(q);
    if (t->is_resource)
        attrs.name = name_asked(q);
    selectors_asked(q, &attrs);
    str reason = S("");
    if (authz_check(q->srv->authz, q->arena, &attrs, &reason))
        return true;
    struct api_status_details d = {.name = attrs.name, .group = t->group, .kind = t->resource};
    api_answer_status(q, 403, S("Forbidden"), authz_forbidden_message(q->arena, &attrs, reason), &d);
    return false;
}

/* --- dispatch --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *verb;
    uint16_t bit;
    void (*run)(struct api_req *q);
} verbs[] = {
    {"get", API_VERB_GET, rest_get},          {"list", API_VERB_LIST, rest_list},
    {"watch", API_VERB_WATCH, rest_watch},    {"create", API_VERB_CREATE, rest_create},
    {"update", API_VERB_UPDATE, rest_update}, {"patch", API_VERB_PATCH, rest_patch},
    {"delete", API_VERB_DELETE, rest_delete}, {"deletecollection", API_VERB_DELETECOLLECTION, rest_delete_collection},
};

static bool verb_is_mutating(str verb)
{
    return !str_is(verb, "get") && !str_is(verb, "list") && !str_is(verb, "watch");
}

void api_answer_overloaded(struct api_req *q)
{
    metrics_rejected(q->srv->metrics);
    api_answer_status(q, 429, S("TooManyRequests"), S("the server has received too many requests and has asked us to try again later"),
                      &(struct api_status_details){.retry_after_s = 1});
}

bool writes_enter(struct api_req *q)
{
    struct apiserver *s = q->srv;
    q->user_slot = (uint8_t)str_hash(q->user.name);
    int all = atomic_fetch_add(&s->writes_in_flight, 1), own = atomic_fetch_add(&s->writes_by_user[q->user_slot], 1);
    q->counts_as_write = true; /* given back with the answer, also with a refusal */
    metrics_inflight(s->metrics, true, 1);
    bool trusted = api_user_in_group(&q->user, S("system:masters"));
    if (all < LIMIT_WRITES_IN_FLIGHT && (trusted || own < LIMIT_WRITES_PER_USER))
        return true;
    api_answer_overloaded(q);
    return false;
}

static bool verb_fits(const struct api_req *q, uint16_t bit)
{
    bool named = q->target.name.len > 0;
    if (bit == API_VERB_CREATE && named && !q->sub)
        return false;
    if ((bit & (API_VERB_UPDATE | API_VERB_PATCH)) && !named)
        return false;
    return (q->sub ? q->sub->verbs : q->res->verbs) & bit;
}

static void run_resource(struct api_req *q)
{
    const struct api_target *t = &q->target;
    if (usage_serve_values(q) || !route_resolve(q))
        return;
    bool is_passed_on = node_proxy_serves(q);
    if (!is_passed_on && !negotiate(q))
        return;
    if (q->res->deprecation_warning.len)
        api_req_warn(q, q->res->deprecation_warning);
    size_t i = 0;
    while (i < ARRAY_LEN(verbs) && !str_is(t->verb, verbs[i].verb))
        i++;
    /* before anything is served: who was allowed a verb that a subresource does not have must not get at what another verb does there */
    bool is_head = str_is(q->method, "HEAD") && !is_passed_on; /* counts as a read for authorization, and is served for no resource, as in Kubernetes */
    if (i == ARRAY_LEN(verbs) || is_head || !verb_fits(q, verbs[i].bit)) {
        api_answer_method_not_allowed(q);
        return;
    }
    if (verb_is_mutating(t->verb) && !is_passed_on && !writes_enter(q))
        return;
    if (!usage_serve(q) && !subresource_serve(q))
        verbs[i].run(q);
}

void chain_run(struct api_req *q)
{
    q->reg = registry_current(&q->srv->registry);
    q->is_watch = api_query_bool(q, S("watch"));
    if (!q->user.name.len) {
        struct err err;
        if (authn_request(q->srv->authn, q, &err) < 0) {
            if (err.code == E_UNAUTHORIZED)
                api_answer_status(q, 401, S("Unauthorized"), S("Unauthorized"), NULL);
            else
                api_answer_err(q, &err);
            return;
        }
    }
    if (!route_parse(q) || !authorized(q) || (!str_is(q->target.subresource, "proxy") && !negotiate_timeout(q)))
        return;
    if (q->target.is_resource)
        run_resource(q);
    else if (!nonresource_serve(q))
        api_answer(q, 404, S("text/plain; charset=utf-8"), S("404 page not found\n"));
}

void apiserver_handle(void *apiserver, struct http_request *http)
{
    struct api_req *q = arena_new(http->arena, struct api_req);
    *q = (struct api_req){
        .srv = apiserver,
        .arena = http->arena,
        .loop = http->loop,
        .http = http,
        .sink = &http_sink,
        .received_ns = http->received_ns,
        .method = http->method,
        .path = http->path,
        .query = http->query,
        .content_type = http_header_get(http, S("content-type")),
        .accept = http_header_get(http, S("accept")),
        .user_agent = http_header_get(http, S("user-agent")),
        .body = http->body,
    };
    q->gzip = str_is(q->method, "GET") && gzip_is_accepted(http_header_get(http, S("accept-encoding")));
    http->user = q;
    if (q->srv->audit) {
        char uid[37];
        object_new_uid(uid);
        q->audit_id = arena_str(q->arena, str_of(uid));
    }
    chain_run(q);
}
