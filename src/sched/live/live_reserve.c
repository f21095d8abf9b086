/* live_reserve.c - Gödel's Reservations: room on a node that is kept for a pod to come back.
 *
 *   pod with reservation: "true" is deleted ─► Reservation made of it (its spec, its node, a time to live)     or somebody writes one
 *   Reservation ─► a placeholder in the engine, on the node it names or on one that is found           Pending ─► Reserved ─► Matched when the pod is bound
 *   a pod with its reservation-index comes ─► the placeholder goes, the pod is nominated there                        └─► TimeOut after its ttl
 * A placeholder is a pod of the engine that nobody else can see, evict or name: its name has a colon.  A pod that was promised the room and goes before it is bound gives it back.
 * Threads: the loop's.  Limits: RESERVES objects, those beyond are left as they are; as many tries of those without a node a turn as TRIES. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/client.h"
#include "sched/engine/object.h"
#include "sched/live/live_internal.h"

#define API "scheduling.godel.kubewharf.io/v1alpha1"
#define PREFIX "reservation:"
#define KEY(name) S("godel.bytedance.com/" name)
#define RESERVES 4096u
#define TRIES 64u
#define TTL_USUAL_S 60
#define TTL_MOST_S 3600 /* of those that a pod leaves behind */

enum phase { PHASE_NONE, PHASE_PENDING, PHASE_RESERVED, PHASE_MATCHED, PHASE_TIMEOUT };
static const char *const phases[] = {[PHASE_PENDING] = "Pending", [PHASE_RESERVED] = "Reserved", [PHASE_MATCHED] = "Matched", [PHASE_TIMEOUT] = "TimeOut"};

struct reserve {
    str key; /* "ns/name", owned */
    char *uid, *index, *template_, *node; /* template_: JSON; node "": none yet */
    uint64_t looks;
    nsec_t expires_ns; /* INT64_MAX: never */
    enum phase phase;
    char *taker, *taker_uid; /* pod that was promised the room, or has it; NULL: none */
};
struct live_reserves {
    struct map by_key;
    size_t npending;
    nsec_t next_ns; /* the first that expires */
};
#define HELPFUL (EVENT_POD_FREED | EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_NODE_LABEL | EVENT_NODE_TAINT)

struct live_reserves *live_reserves_new(void)
{
    struct live_reserves *x = xnew(struct live_reserves);
    x->by_key = MAP_INIT;
    x->next_ns = INT64_MAX;
    return x;
}

static void reserve_free(struct reserve *r)
{
    free((char *)r->key.p);
    free(r->uid);
    free(r->index);
    free(r->template_);
    free(r->node);
    free(r->taker);
    free(r->taker_uid);
    free(r);
}

void live_reserves_free(struct live_reserves *x)
{
    if (!x)
        return;
    map_foreach(e, &x->by_key)
        reserve_free(e->value);
    map_fini(&x->by_key);
    free(x);
}

static str name_of(const struct reserve *r, str *ret_ns)
{
    str name = r->key;
    str_cut(&name, '/', ret_ns);
    return name;
}

bool live_reserve_is_placeholder(const struct live *l, pod_id p)
{
    return str_has_prefix(sched_pod_name(l->s, p), S(PREFIX));
}

bool live_reserves_any(const struct live *l)
{
    return l->reserves->by_key.len > 0;
}

/* --- what is written ------------------------------------------------------------------------------------------------------------------------------------- */
static void path_of(struct strbuf *path, const struct reserve *r, const char *more)
{
    str ns, name = name_of(r, &ns);
    strbuf_add_str(path, S("/apis/" API "/namespaces"));
    client_path_add(path, ns);
    strbuf_add_str(path, S("/reservations"));
    client_path_add(path, name);
    strbuf_add_str(path, str_of(more));
}

static void say(struct live *l, struct reserve *r, enum phase phase, str message)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    char now[CIVIL_TIME_LEN + 1];
    if (r->phase == phase)
        return;
    l->reserves->npending += (phase == PHASE_PENDING) - (size_t)(r->phase == PHASE_PENDING);
    r->phase = phase;
    civil_format(clock_wall(l->opts.clock), now);
    path_of(&path, r, "/status");
    strbuf_addf(&b, "{\"status\":{\"phase\":\"%s\",\"conditions\":[{\"phase\":\"%s\",\"status\":\"True\",\"lastTransitionTime\":\"%s\",\"reason\":\"%s\",\"message\":", phases[phase], phases[phase], now,
                phases[phase]);
    json_write_string(&b, message);
    strbuf_add_str(&b, S("}]"));
    if (phase == PHASE_MATCHED && r->taker) {
        str name = str_of(r->taker), ns;
        str_cut(&name, '/', &ns);
        strbuf_add_str(&b, S(",\"currentOwners\":{\"name\":"));
        json_write_string(&b, name);
        strbuf_add_str(&b, S(",\"namespace\":"));
        json_write_string(&b, ns);
        strbuf_add_str(&b, S(",\"uid\":"));
        json_write_string(&b, str_of(r->taker_uid));
        strbuf_add_char(&b, '}');
    }
    strbuf_add_str(&b, S("}}"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

static void say_node(struct live *l, const struct reserve *r)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    path_of(&path, r, "");
    strbuf_add_str(&b, S("{\"spec\":{\"nodename\":"));
    json_write_string(&b, str_of(r->node));
    strbuf_add_str(&b, S("}}"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

/* --- the placeholder ------------------------------------------------------------------------------------------------------------------------------------- */
static pod_id placeholder_of(struct live *l, const struct reserve *r)
{
    ARENA_AUTO a = ARENA_INIT;
    str ns, name = name_of(r, &ns);
    return sched_pod_find(l->s, ns, arena_fmt(&a, PREFIX STR_FMT, STR_ARG(name)));
}

static void placeholder_drop(struct live *l, const struct reserve *r)
{
    pod_id p = placeholder_of(l, r);
    if (p)
        live_pod_remove(l, p);
}

/* A pod as the template says, on the node; POD_NONE: it cannot be read. */
static pod_id placeholder_put(struct live *l, struct reserve *r)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json spec, obj = json_object();
    struct pod_spec p;
    bool gone;
    pod_id id = POD_NONE;
    str ns, name = name_of(r, &ns);
    if (json_parse(&a, str_of(r->template_), NULL, &spec, &err) < 0 || !json_is(&spec, JSON_OBJECT))
        return POD_NONE;
    struct json *meta = json_ensure_object(&a, &obj, S("metadata"));
    json_set(&a, meta, S("name"), json_string(arena_fmt(&a, PREFIX STR_FMT, STR_ARG(name))));
    json_set(&a, meta, S("namespace"), json_string(ns));
    json_set(&a, meta, S("uid"), json_string(str_of(r->uid)));
    json_set(&a, &spec, S("nodeName"), json_string(str_of(r->node)));
    json_set(&a, &spec, S("preemptionPolicy"), json_string(S("Never")));
    json_set(&a, &obj, S("spec"), spec);
    if (object_pod(l->s, &a, &obj, &p, &gone, &err) < 0)
        goto bad;
    p.can_be_victim_never = true;
    p.queue = S("");
    if (sched_pod_put(l->s, &p, &id, &err) == 0)
        return id;
bad:
    log_warn("cannot use a reservation", KV("name", STR_FMT, STR_ARG(r->key)), KV("why", "%s", err.msg));
    return POD_NONE;
}

/* Room, where it is named or where there is some. */
static void reserve_room(struct live *l, struct reserve *r)
{
    pod_id p = placeholder_of(l, r);
    p = p ? p : placeholder_put(l, r);
    if (p && !*r->node) {
        struct unit_decision d = UNIT_DECISION_INIT;
        sched_place(l->s, sched_unit_of(l->s, p), live_now(l), &d);
        if (d.result == UNIT_PLACED) {
            sched_pod_confirm(l->s, p);
            free(r->node);
            r->node = str_dup(sched_node_name(l->s, d.placements.p[0].node));
            say_node(l, r);
        }
        unit_decision_fini(&d);
    }
    if (!p)
        say(l, r, PHASE_TIMEOUT, S("its template is no pod that could be placed"));
    else if (*r->node)
        say(l, r, PHASE_RESERVED, S("the room is kept"));
    else
        say(l, r, PHASE_PENDING, S("no node has the room"));
}

/* --- objects ------------------------------------------------------------------------------------------------------------------------------------------------ */
static enum phase phase_read(str text)
{
    for (size_t i = PHASE_PENDING; i < ARRAY_LEN(phases); i++)
        if (str_is(text, phases[i]))
            return (enum phase)i;
    return PHASE_NONE;
}

static char *text_at(const struct json *meta, str key)
{
    str v = json_get_str(json_get(meta, S("annotations")), key);
    return str_dup(v.len ? v : json_get_str(json_get(meta, S("labels")), key));
}

static void reserve_read(struct live *l, struct reserve *r, const struct json *obj)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    const struct json *meta = json_get(obj, S("metadata")), *spec = json_get(obj, S("spec")), *of = json_path(spec, "template", "spec", NULL);
    int64_t ttl = json_get_int(spec, S("ttl"), -1), created = 0;
    free(r->template_);
    free(r->index);
    free(r->node);
    if (of)
        json_write(&b, of);
    r->template_ = str_dup(b.len ? strbuf_str(&b) : S("{}"));
    r->index = text_at(meta, KEY("reservation-index"));
    r->node = str_dup(json_get_str(spec, S("nodename")));
    if (!civil_parse(json_get_str(meta, S("creationTimestamp")), &created))
        created = live_now(l);
    r->expires_ns = ttl >= 0 ? created + MIN(ttl, (int64_t)INT32_MAX) * NSEC_PER_SEC : INT64_MAX;
}

void live_reserve_put(struct live *l, const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live_reserves *x = l->reserves;
    const struct json *meta = json_get(obj, S("metadata")), *spec = json_get(obj, S("spec"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name")), uid = json_get_str(meta, S("uid"));
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    uint64_t looks = (spec ? str_hash(json_text(&a, spec)) : 0) ^ str_hash(uid) * 31;
    struct reserve *r = map_get(&x->by_key, key);
    if (r && r->looks == looks)
        return;
    bool chosen = r && str_is(uid, r->uid) && *r->node && str_is(json_get_str(spec, S("nodename")), r->node);
    if (r && !chosen) {
        live_reserve_delete(l, ns, name);
        r = NULL;
    }
    if (!r && x->by_key.len >= RESERVES)
        return;
    if (!r) {
        r = xnew(struct reserve);
        r->key = str_n(str_dup(key), key.len);
        r->uid = str_dup(uid);
        map_put(&x->by_key, r->key, r);
        enum phase was = phase_read(json_get_str(json_get(obj, S("status")), S("phase")));
        r->phase = was == PHASE_MATCHED || was == PHASE_TIMEOUT ? was : PHASE_NONE;
    }
    r->looks = looks;
    reserve_read(l, r, obj);
    x->next_ns = MIN(x->next_ns, r->expires_ns);
    if (r->phase == PHASE_NONE)
        reserve_room(l, r);
}

void live_reserve_delete(struct live *l, str ns, str name)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    struct reserve *r = map_get(&l->reserves->by_key, key);
    if (!r)
        return;
    placeholder_drop(l, r);
    l->reserves->npending -= r->phase == PHASE_PENDING;
    map_del(&l->reserves->by_key, key);
    reserve_free(r);
}

nsec_t live_reserves_tick(struct live *l, nsec_t now, uint64_t events)
{
    struct live_reserves *x = l->reserves;
    nsec_t next = INT64_MAX;
    unsigned tries = 0;
    if (now < x->next_ns && !(x->npending && events & HELPFUL))
        return x->next_ns;
    map_foreach(e, &x->by_key) {
        struct reserve *r = e->value;
        if (r->phase == PHASE_MATCHED || r->phase == PHASE_TIMEOUT)
            continue;
        if (r->expires_ns <= now) {
            placeholder_drop(l, r);
            say(l, r, PHASE_TIMEOUT, S("nobody came for the room in time"));
            continue;
        }
        next = MIN(next, r->expires_ns);
        if (r->phase == PHASE_PENDING && events & HELPFUL && tries++ < TRIES)
            reserve_room(l, r);
    }
    return x->next_ns = next;
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------------------------------ */
str live_reserve_for(struct live *l, const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    str index = json_get_str(json_get(meta, S("annotations")), KEY("reservation-index")), ns = json_get_str(meta, S("namespace")), of;
    if (!index.len)
        index = json_get_str(json_get(meta, S("labels")), KEY("reservation-index"));
    struct reserve *best = NULL;
    map_foreach(e, &l->reserves->by_key) {
        struct reserve *r = e->value;
        name_of(r, &of);
        bool fits = index.len && r->phase == PHASE_RESERVED && !r->taker && str_eq(of, ns) && str_is(index, r->index);
        if (fits && (!best || str_cmp(r->key, best->key) < 0))
            best = r;
    }
    if (!best)
        return S("");
    placeholder_drop(l, best);
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(json_get_str(meta, S("name"))));
    best->taker = str_dup(strbuf_str(&b));
    best->taker_uid = str_dup(json_get_str(meta, S("uid")));
    return str_of(best->node);
}

static struct reserve *taken_by(struct live *l, str ns, str name)
{
    ARENA_AUTO a = ARENA_INIT;
    if (!l->reserves->by_key.len)
        return NULL;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    map_foreach(e, &l->reserves->by_key) {
        struct reserve *r = e->value;
        if (r->phase == PHASE_RESERVED && r->taker && str_is(key, r->taker))
            return r;
    }
    return NULL;
}

void live_reserve_bound(struct live *l, str ns, str name)
{
    struct reserve *r = taken_by(l, ns, name);
    if (r)
        say(l, r, PHASE_MATCHED, S("the pod that it was kept for has been bound"));
}

void live_reserve_gone(struct live *l, str ns, str name)
{
    struct reserve *r = taken_by(l, ns, name);
    if (!r)
        return;
    free(r->taker);
    free(r->taker_uid);
    r->taker = r->taker_uid = NULL;
    reserve_room(l, r);
}

/* Parts of a pod's spec that a template has. */
static const str template_parts[] = {STR_INIT("schedulerName"), STR_INIT("priority"), STR_INIT("priorityClassName"), STR_INIT("nodeSelector"), STR_INIT("hostNetwork"), STR_INIT("affinity"),
                                     STR_INIT("tolerations"), STR_INIT("initContainers"), STR_INIT("containers")};

static bool is_evicted(struct live *l, const struct json *pod, str ns, str name)
{
    pod_id p = sched_pod_find(l->s, ns, name);
    const struct json *list = json_path(pod, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "DisruptionTarget") && str_is(json_get_str(&list->items[i], S("status")), "True"))
            return true;
    return p && live_note(l, p)->evicting;
}

void live_reserve_leaving(struct live *l, const struct json *pod)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json *meta = json_get(pod, S("metadata")), *notes = json_get(meta, S("annotations")), *spec = json_get(pod, S("spec"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name")), uid = json_get_str(meta, S("uid")), node = json_get_str(spec, S("nodeName"));
    str index = json_get_str(notes, KEY("reservation-index"));
    uint64_t ttl = TTL_USUAL_S;
    if (!str_is(json_get_str(notes, KEY("reservation")), "true") || !node.len || !index.len || uid.len < 8)
        return;
    if (is_evicted(l, pod, ns, name)) /* its room is somebody else's */
        return;
    str_to_u64(json_get_str(notes, KEY("reservation-ttl")), &ttl);
    struct json obj = json_literal(&a, "{\"apiVersion\":\"" API "\",\"kind\":\"Reservation\",\"metadata\":{\"annotations\":{}},\"spec\":{\"template\":{\"spec\":{}}}}");
    struct json *m = json_get(&obj, S("metadata")), *s = json_get(&obj, S("spec"));
    /* the pod's uid in the name: seen again, it is made once */
    json_set(&a, m, S("name"), json_string(arena_fmt(&a, STR_FMT "-" STR_FMT, STR_ARG(str_sub(name, 0, 200)), STR_ARG(str_sub(uid, 0, 8)))));
    json_set(&a, json_get(m, S("annotations")), KEY("reservation-index"), json_string(index));
    json_set(&a, s, S("nodename"), json_string(node));
    json_set(&a, s, S("ttl"), json_int(&a, (int64_t)MIN(ttl, (uint64_t)TTL_MOST_S)));
    struct json *to = json_path(s, "template", "spec", NULL);
    for (size_t i = 0; i < ARRAY_LEN(template_parts); i++) {
        const struct json *v = json_get(spec, template_parts[i]);
        if (v)
            json_set(&a, to, template_parts[i], *v);
    }
    struct strbuf path = strbuf_on(&a);
    strbuf_add_str(&path, S("/apis/" API "/namespaces"));
    client_path_add(&path, ns);
    strbuf_add_str(&path, S("/reservations"));
    live_words_send(l, "POST", strbuf_str(&path), "application/json", json_text(&a, &obj));
}
