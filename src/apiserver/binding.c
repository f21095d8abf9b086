/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/binding.h"

#include "api/gen/gen.h"
#include "api/validate.h"
#include "base/civil.h"
#include "client/raw.h"

/* --- on the tree -------------------------------------------------------------------------------------------------------- */

static void set_condition(struct write_run *r, struct json *obj, const char *type, const char *status)
{
    struct arena *a = r->q->arena;
    struct json *st = json_ensure_object(a, obj, S("status"));
    struct json *list = json_get(st, S("conditions"));
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, st, S("conditions"), json_array());
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(r->q->srv->clock), now);
    struct json c = json_object();
    json_set(a, &c, S("type"), json_string(str_of(type)));
    json_set(a, &c, S("status"), json_string(str_of(status)));
    json_set(a, &c, S("lastProbeTime"), json_null());
    json_set(a, &c, S("lastTransitionTime"), json_string(arena_str(a, str_of(now))));
    for (uint32_t i = 0; i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), type)) {
            list->items[i] = c;
            return;
        }
    }
    json_push(a, list, c);
}

/* Kubernetes stores them unseen, and a pod with a bad one cannot be changed any more. */
int binding_annotate(struct arena *a, struct json *pod, const struct json *notes, struct err *err)
{
    const char *what = "Binding \"" STR_FMT "\" is invalid: metadata.annotations: ", *why;
    size_t total = 0;
    if (!json_is(notes, JSON_OBJECT) || !notes->len)
        return 0;
    struct json *all = json_ensure_object(a, object_meta(pod), S("annotations"));
    for (uint32_t i = 0; i < notes->len; i++) {
        str key = notes->members[i].key;
        why = json_is(&notes->members[i].value, JSON_STRING) ? validate_annotation_key(key) : "the value must be a string";
        if (why) {
            err_set(err, E_INVALID, "Invalid value: \"" STR_FMT "\": %s", STR_ARG(key), why);
            return err_wrap(err, what, STR_ARG(object_name(pod)));
        }
        json_set(a, all, key, notes->members[i].value);
    }
    for (uint32_t i = 0; i < all->len; i++)
        total += all->members[i].key.len + json_str(&all->members[i].value).len;
    if (total > ANNOTATIONS_MAX_BYTES) {
        err_set(err, E_INVALID, "Too long: may not be more than %d bytes", ANNOTATIONS_MAX_BYTES);
        return err_wrap(err, what, STR_ARG(object_name(pod)));
    }
    return 0;
}

static int build_binding(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    struct arena *a = r->q->arena;
    const struct json *target = json_get(&r->body, S("target"));
    str node = json_get_str(target, S("name")), kind = json_get_str(target, S("kind"));
    str bound = json_get_str(json_get(live, S("spec")), S("nodeName"));
    const char *refused = "Operation cannot be fulfilled on pods/binding \"" STR_FMT "\": ";
    if (!node.len || (kind.len && !str_is(kind, "Node")))
        return err_set(err, E_INVALID, "Binding \"" STR_FMT "\" is invalid: target.name: Required value", STR_ARG(r->name));
    if (object_is_deleting(live)) {
        err_set(err, E_CONFLICT, "pod " STR_FMT " is being deleted, cannot be assigned to a host", STR_ARG(r->name));
        return err_wrap(err, refused, STR_ARG(r->name));
    }
    if (bound.len) {
        err_set(err, E_CONFLICT, "pod " STR_FMT " is already assigned to node \"" STR_FMT "\"", STR_ARG(r->name), STR_ARG(bound));
        return err_wrap(err, refused, STR_ARG(r->name));
    }
    const struct json *gates = json_path(live, "spec", "schedulingGates", NULL);
    if (json_is(gates, JSON_ARRAY) && gates->len) {
        err_set(err, E_CONFLICT, "pod " STR_FMT " has non-empty .spec.schedulingGates", STR_ARG(r->name));
        return err_wrap(err, refused, STR_ARG(r->name));
    }
    str uid = object_uid(&r->body);
    if (uid.len && !str_eq(uid, object_uid(live)))
        return err_set(err, E_CONFLICT, "Operation cannot be fulfilled on pods \"" STR_FMT "\": Precondition failed: UID in precondition: " STR_FMT ", UID in object meta: " STR_FMT,
                       STR_ARG(r->name), STR_ARG(uid), STR_ARG(object_uid(live)));
    *ret = json_copy(a, live);
    json_set(a, json_ensure_object(a, ret, S("spec")), S("nodeName"), json_string(node));
    set_condition(r, ret, "PodScheduled", "True");
    return binding_annotate(a, ret, json_get(object_meta(&r->body), S("annotations")), err);
}

/* --- on the bytes --------------------------------------------------------------------------------------------------------- */

/* Stored bytes are our own writing: the text of a member is all of it. */
struct spots {
    str spec, status;
    bool is_plain;  /* it has no node, gates, conditions, and is not being deleted */
    bool same_uid;
};

static void read_member(struct spots *s, str of, str key, str value, str uid)
{
    if (str_is(of, "metadata")) {
        s->is_plain &= !str_is(key, "deletionTimestamp");
        if (str_is(key, "uid"))
            s->same_uid = value.len == uid.len + 2 && memcmp(value.p + 1, uid.p, uid.len) == 0;
    } else if (str_is(of, "spec")) {
        s->is_plain &= !str_is(key, "nodeName") && !str_is(key, "schedulingGates");
    } else if (str_is(of, "status")) {
        s->is_plain &= !str_is(key, "conditions");
    }
}

/* In one walk. */
static bool find_spots(str value, str uid, struct spots *ret)
{
    struct raw_members it, child;
    str key, inner, v;
    *ret = (struct spots){.is_plain = true};
    if (!raw_members_begin(value, &it))
        return false;
    while (raw_members_key(&it, &key)) {
        bool is_read = str_is(key, "metadata") || str_is(key, "spec") || str_is(key, "status");
        if (!is_read || !raw_members_enter(&it, &child)) {
            raw_members_value(&it);
            continue;
        }
        while (raw_members_next(&child, &inner, &v))
            read_member(ret, key, inner, v, uid);
        v = raw_members_leave(&it, &child);
        if (str_is(key, "spec"))
            ret->spec = v;
        else if (str_is(key, "status"))
            ret->status = v;
    }
    return ret->spec.len > 2 && ret->status.len > 2 && ret->is_plain && (ret->same_uid || !uid.len);
}

bool binding_splice(struct arena *a, const struct store_kv *live, str uid, str node, str now, str *ret, uint32_t *ret_rev_at)
{
    str value = store_kv_value(live);
    struct spots s;
    size_t rev_end = live->rev_at;
    if (!live->rev_at || !find_spots(value, uid, &s) || s.spec.p > s.status.p)
        return false;
    while (rev_end < value.len && value.p[rev_end] != '"')
        rev_end++;
    size_t spec_end = (size_t)(s.spec.p + s.spec.len - 1 - value.p), status_end = (size_t)(s.status.p + s.status.len - 1 - value.p);
    struct strbuf b = strbuf_on(a);
    strbuf_grow(&b, value.len + node.len + 256);
    strbuf_add_str(&b, str_sub(value, 0, live->rev_at));
    strbuf_add_str(&b, str_sub(value, rev_end, spec_end));
    strbuf_add_str(&b, S(",\"nodeName\":"));
    json_write_string(&b, node);
    strbuf_add_str(&b, str_sub(value, spec_end, status_end));
    strbuf_add_str(&b, S(",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastProbeTime\":null,\"lastTransitionTime\":\""));
    strbuf_add_str(&b, now);
    strbuf_add_str(&b, S("\"}]"));
    strbuf_add_str(&b, str_from(value, status_end));
    *ret = strbuf_str(&b);
    *ret_rev_at = live->rev_at;
    return true;
}

static bool splice(struct write_run *r, const struct store_kv *live, str *ret, uint32_t *ret_rev_at)
{
    const struct json *target = json_get(&r->body, S("target")), *notes = json_get(object_meta(&r->body), S("annotations"));
    str node = json_get_str(target, S("name")), kind = json_get_str(target, S("kind"));
    char now[CIVIL_TIME_LEN + 1];
    if (!node.len || (kind.len && !str_is(kind, "Node")) || (json_is(notes, JSON_OBJECT) && notes->len))
        return false;
    civil_format(clock_wall(r->q->srv->clock), now);
    return binding_splice(r->q->arena, live, object_uid(&r->body), node, str_of(now), ret, ret_rev_at);
}

/* --- the request ----------------------------------------------------------------------------------------------------------- */

void binding_answer_created(struct write_run *r, enum write_outcome outcome UNUSED, str stored UNUSED)
{
    struct api_req *q = r->q;
    api_answer(q, 201, S("application/json"), S("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}"));
}

void binding_serve(struct api_req *q)
{
    struct err err;
    struct json body;
    /* a component of this process knows how a Binding looks */
    if (!q->http ? json_parse(q->arena, q->body, NULL, &body, &err) < 0 : rest_read_body(q, &schema_core_v1_Binding, S("Binding"), S("v1"), &body, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    str name = q->target.name.len ? q->target.name : object_name(&body);
    const struct api_resource *pods = object_builtin(S(""), S("pods"));
    q->res = pods;
    q->target.name = name;
    struct write_run *r = write_new(q, pods, q->target.ns, name);
    r->subresource = S("binding");
    r->body = body;
    r->raw = true;
    r->splice = splice;
    r->build = build_binding;
    r->answer = binding_answer_created;
    write_start(r);
}
