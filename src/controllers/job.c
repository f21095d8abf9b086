/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/job.h"

#include "base/civil.h"
#include "client/raw.h"
#include "rt/failpoint.h"

/* --- life ----------------------------------------------------------------------------------------------------------------- */

void job_start(struct controller *c, struct work *w, struct list *jobs)
{
    struct job *j = xnew(struct job);
    j->c = c;
    j->work = w;
    j->key = w->key;
    list_add_tail(jobs, &j->link_);
    c->type->reconcile(j);
}

static void job_free(struct job *j)
{
    list_del(&j->link_);
    resource_set_unref(j->set_);
    arena_fini(&j->arena);
    free(j);
}

void job_abandon_all(struct list *jobs)
{
    list_foreach_safe(j, jobs, struct job, link_) job_free(j);
}

void job_end(struct job *j, enum work_result result)
{
    struct workqueue *q = j->c->queue;
    struct work *w = j->work;
    job_free(j);
    workqueue_done(q, w, result);
}

void job_end_after(struct job *j, nsec_t delay)
{
    struct workqueue *q = j->c->queue;
    struct work *w = j->work;
    job_free(j);
    workqueue_done_after(q, w, delay);
}

bool job_ok(const struct job *j)
{
    return j->status >= 200 && j->status < 300;
}

bool job_not_found(const struct job *j)
{
    return j->status == 404 && json_get_str(json_get(&j->answer, S("details")), S("name")).len > 0;
}

void job_end_status(struct job *j)
{
    job_end(j, job_ok(j) || job_not_found(j) ? WORK_OK : WORK_RETRY);
}

/* --- calls ------------------------------------------------------------------------------------------------------------------- */

/* The tree points into the text, which goes with the callback: it is copied.  managedFields are often half of it. */
struct json job_answer_tree(struct job *j, str response)
{
    struct strbuf room = strbuf_on(&j->arena);
    str text = j->c->type->reads_managed_fields ? response : raw_without_managed_fields(response, &room);
    struct json tree;
    if (text.p == response.p)
        text = arena_str(&j->arena, text);
    return text.len && json_parse(&j->arena, text, NULL, &tree, NULL) == 0 ? tree : json_null();
}

static void call_done(struct client_call *call)
{
    struct job *j = container_of(call, struct job, call_);
    j->status = call->status;
    if (job_ok(j) && !str_is(call->method, "GET"))
        FAILPOINT("controllers.write.after"); /* it is done, and the controller does not know */
    /* a deleted collection is sent back whole, and nobody looks at it */
    bool unread = str_is(call->method, "DELETE") && job_ok(j);
    j->answer = unread ? json_null() : job_answer_tree(j, call->response); /* the answers of one job stay, so that steps can use what earlier ones read */
    if (controllers_stopping(j->c->all))
        job_end(j, WORK_OK);
    else
        j->next_(j);
}

void job_call(struct job *j, str method, str path, const struct json *body, void (*next)(struct job *j))
{
    struct client_transport *t = j->c->opts->transport;
    j->next_ = next;
    j->call_ = (struct client_call){.loop = j->c->opts->loop, .method = method, .path = path, .done = call_done};
    if (body) {
        j->call_.body = json_text(&j->arena, body);
        j->call_.content_type = str_is(method, "PATCH") ? S("application/merge-patch+json") : S("application/json");
    }
    if (!str_is(method, "GET"))
        FAILPOINT("controllers.write.before"); /* decided and told to nobody */
    t->call(t, &j->call_);
}

static void discovered(struct resources_wait *w, struct resource_set *set)
{
    struct job *j = container_of(w, struct job, wait_);
    resource_set_unref(j->set_);
    j->set_ = set ? resource_set_ref(set) : NULL;
    if (controllers_stopping(j->c->all))
        job_end(j, WORK_OK);
    else
        j->next_(j);
}

void job_discover(struct job *j, void (*next)(struct job *j))
{
    j->next_ = next;
    j->wait_.done = discovered;
    resources_refresh(controllers_resources(j->c->all), &j->wait_);
}

struct resource_set *job_resources(struct job *j)
{
    return j->set_;
}

/* --- keys and objects --------------------------------------------------------------------------------------------------------- */

void controller_key_split(str key, str *ret_ns, str *ret_name)
{
    *ret_ns = S("");
    if (str_find_char(key, '/') >= 0)
        str_cut(&key, '/', ret_ns);
    *ret_name = key;
}

void controller_enqueue(struct controller *c, struct informer_event *ev)
{
    str ns = informer_event_ns(ev), name = informer_event_name(ev);
    workqueue_add(c->queue, ns.len ? arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)) : name);
}

static const struct json *meta_of(const struct json *obj)
{
    return json_get(obj, S("metadata"));
}

bool object_deleting(const struct json *obj)
{
    return json_get_str(meta_of(obj), S("deletionTimestamp")).len > 0;
}

bool object_has_finalizer(const struct json *obj, str finalizer)
{
    const struct json *list = json_get(meta_of(obj), S("finalizers"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), finalizer))
            return true;
    return false;
}

struct json patch_of(struct arena *a, const struct json *obj)
{
    struct json patch = json_object(), *meta = json_ensure_object(a, &patch, S("metadata"));
    json_set(a, meta, S("uid"), json_string(json_get_str(meta_of(obj), S("uid"))));
    json_set(a, meta, S("resourceVersion"), json_string(json_get_str(meta_of(obj), S("resourceVersion"))));
    return patch;
}

struct json finalizer_addition(struct arena *a, const struct json *obj, str finalizer)
{
    const struct json *list = json_get(meta_of(obj), S("finalizers"));
    struct json patch = patch_of(a, obj), more = list ? json_copy(a, list) : json_array();
    json_push(a, &more, json_string(finalizer));
    json_set(a, json_get(&patch, S("metadata")), S("finalizers"), more);
    return patch;
}

struct json finalizer_removal(struct arena *a, const struct json *obj, str finalizer)
{
    struct json patch = patch_of(a, obj), kept = json_array();
    const struct json *list = json_get(meta_of(obj), S("finalizers"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (!str_eq(json_str(&list->items[i]), finalizer))
            json_push(a, &kept, list->items[i]);
    json_set(a, json_get(&patch, S("metadata")), S("finalizers"), kept.len ? kept : json_null());
    return patch;
}

struct json delete_options(struct arena *a, str uid, str policy)
{
    struct json o = json_literal(a, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}");
    if (uid.len)
        json_set(a, json_ensure_object(a, &o, S("preconditions")), S("uid"), json_string(uid));
    if (policy.len)
        json_set(a, &o, S("propagationPolicy"), json_string(policy));
    return o;
}

str now_text(struct arena *a, const struct clock *clock)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(clock), now);
    return arena_str(a, str_of(now));
}

bool condition_set(struct arena *a, const struct clock *clock, struct json *obj, const char *type, bool status, str reason, str message)
{
    struct json *st = json_ensure_object(a, obj, S("status")), *list = json_get(st, S("conditions")), *place = NULL;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, st, S("conditions"), json_array());
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            place = &list->items[i];
    str text = status ? S("True") : S("False");
    bool same_status = place && str_eq(json_get_str(place, S("status")), text);
    if (same_status && str_eq(json_get_str(place, S("reason")), reason) && str_eq(json_get_str(place, S("message")), message))
        return false;
    struct json c = json_object();
    json_set(a, &c, S("type"), json_string(str_of(type)));
    json_set(a, &c, S("status"), json_string(text));
    json_set(a, &c, S("lastTransitionTime"), json_string(same_status ? json_get_str(place, S("lastTransitionTime")) : now_text(a, clock)));
    json_set(a, &c, S("reason"), json_string(reason));
    json_set(a, &c, S("message"), json_string(message));
    if (place)
        *place = c;
    else
        json_push(a, list, c);
    return true;
}
