/* slice_plan.c - endpoints laid out in slices of at most SLICE_MAX, with as few writes as the change needs.
 *
 *   1. an endpoint stays in the slice where it is; what is not wanted any more goes out of its slice
 *   2. new ones go into slices that are written anyway, then into the fullest that have room, then into new ones
 *   3. slices without endpoints go, but each address family of a service keeps one, so that "nothing there" can be told from "nobody looked yet" */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/endpoint_plan.h"

struct slice {
    const struct json *live; /* NULL: new */
    const char *type;
    str ports;
    struct json endpoints;
    bool changed, broken; /* broken: cannot be mended by a write, such as another owner's */
};

struct layout {
    struct arena *a;
    const struct slice_owner *owner;
    const struct slice_wants *wants;
    bool *placed;
    struct slice *slices;
    size_t len, cap;
    struct map by_key; /* type, ports and key -> index + 1 of the want */
};

static struct slice *slice_add(struct layout *l, struct slice s)
{
    if (l->len == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 8;
        l->slices = arena_grow(l->a, l->slices, l->cap * sizeof *l->slices, cap * sizeof *l->slices);
        l->cap = cap;
    }
    l->slices[l->len] = s;
    return &l->slices[l->len++];
}

static str want_key(struct arena *a, const char *type, str ports, str key)
{
    return arena_fmt(a, "%s " STR_FMT " " STR_FMT, type, STR_ARG(ports), STR_ARG(key));
}

static str endpoint_key(struct arena *a, const struct json *e)
{
    const struct json *addresses = json_get(e, S("addresses"));
    str ip = json_is(addresses, JSON_ARRAY) && addresses->len ? json_str(&addresses->items[0]) : S("");
    return arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(ip), STR_ARG(json_get_str(json_get(e, S("targetRef")), S("uid"))));
}

/* Ports as stored in the form of our own text, so that equal lists have equal texts. */
static str ports_text(struct arena *a, const struct json *slice)
{
    static const char *const order[] = {"name", "protocol", "port", "appProtocol"};
    const struct json *list = json_get(slice, S("ports"));
    struct json out = json_array();
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        struct json o = json_object();
        for (size_t k = 0; k < ARRAY_LEN(order); k++)
            if (json_get(&list->items[i], str_of(order[k])))
                json_set(a, &o, str_of(order[k]), *json_get(&list->items[i], str_of(order[k])));
        json_push(a, &out, o);
    }
    return json_text(a, &out);
}

static str owner_uid(const struct json *obj)
{
    const struct json *refs = json_path(obj, "metadata", "ownerReferences", NULL);
    return json_is(refs, JSON_ARRAY) && refs->len ? json_get_str(&refs->items[0], S("uid")) : S("");
}

/* --- 1: what is there ------------------------------------------------------------------------------------------------------------ */

static bool type_is_wanted(const struct slice_wants *w, str type)
{
    for (size_t i = 0; i < w->len; i++)
        if (str_is(type, w->p[i].type))
            return true;
    for (size_t i = 0; i < w->ntypes; i++)
        if (str_is(type, w->types[i]))
            return true;
    return false;
}

static void take_slice(struct layout *l, const struct json *live)
{
    struct arena *a = l->a;
    str type = json_get_str(live, S("addressType"));
    struct slice s = {.live = live, .type = str_is(type, "IPv6") ? "IPv6" : "IPv4", .ports = ports_text(a, live), .endpoints = json_array()};
    const struct json *list = json_get(live, S("endpoints"));
    s.broken = !str_eq(owner_uid(live), json_get_str(&l->owner->ref, S("uid"))) || !type_is_wanted(l->wants, type) || !str_is(type, s.type) ||
               json_get_str(json_get(live, S("metadata")), S("deletionTimestamp")).len;
    for (uint32_t i = 0; !s.broken && json_is(list, JSON_ARRAY) && i < list->len; i++) {
        size_t at = (size_t)(uintptr_t)map_get(&l->by_key, want_key(a, s.type, s.ports, endpoint_key(a, &list->items[i])));
        if (!at || l->placed[at - 1] || s.endpoints.len == SLICE_MAX) {
            s.changed = true;
            continue;
        }
        const struct json *want = &l->wants->p[at - 1].endpoint;
        l->placed[at - 1] = true;
        s.changed |= !json_equal(want, &list->items[i]);
        json_push(a, &s.endpoints, *want);
    }
    slice_add(l, s);
}

/* --- 2: what is new ---------------------------------------------------------------------------------------------------------------- */

static bool has_room(const struct slice *s, const struct slice_want *w)
{
    return !s->broken && s->endpoints.len < SLICE_MAX && s->type[3] == w->type[3] && str_eq(s->ports, w->ports);
}

static struct slice *slice_for(struct layout *l, const struct slice_want *w)
{
    struct slice *best = NULL;
    for (size_t i = 0; i < l->len; i++) {
        struct slice *s = &l->slices[i];
        if (!has_room(s, w))
            continue;
        if (!best || s->changed > best->changed || (s->changed == best->changed && s->endpoints.len > best->endpoints.len))
            best = s;
    }
    /* an empty one of other ports is written over rather than deleted */
    for (size_t i = 0; !best && i < l->len; i++) {
        struct slice *s = &l->slices[i];
        if (!s->broken && !s->endpoints.len && s->type[3] == w->type[3]) {
            s->ports = w->ports;
            best = s;
        }
    }
    return best ? best : slice_add(l, (struct slice){.type = w->type, .ports = w->ports, .endpoints = json_array()});
}

/* --- 3: what is left over ------------------------------------------------------------------------------------------------------------ */

static void keep_placeholders(struct layout *l)
{
    for (size_t t = 0; t < l->wants->ntypes; t++) {
        const char *type = l->wants->types[t];
        struct slice *empty = NULL;
        bool has = false;
        for (size_t i = 0; i < l->len; i++) {
            struct slice *s = &l->slices[i];
            if (s->broken || s->type[3] != type[3])
                continue;
            has |= s->endpoints.len > 0;
            empty = empty ? empty : s;
        }
        if (!has && !empty)
            slice_add(l, (struct slice){.type = type, .ports = S("[]"), .endpoints = json_array(), .changed = true});
    }
}

static bool is_placeholder(const struct layout *l, const struct slice *s)
{
    bool kept = false;
    for (size_t t = 0; t < l->wants->ntypes; t++)
        kept |= l->wants->types[t][3] == s->type[3];
    for (size_t i = 0; kept && i < l->len; i++) {
        const struct slice *o = &l->slices[i];
        if (o != s && !o->broken && o->type[3] == s->type[3] && (o->endpoints.len || o < s))
            return false;
    }
    return kept;
}

/* --- the objects ------------------------------------------------------------------------------------------------------------------------ */

static struct json labels_of(struct arena *a, const struct slice_owner *o)
{
    struct json labels = json_copy(a, &o->labels);
    json_set(a, &labels, S(LABEL_SERVICE_NAME), json_string(o->name));
    json_set(a, &labels, S(LABEL_SLICE_MANAGER), json_string(str_of(o->manager)));
    return labels;
}

/* The first endpoint of the slice that became ready after what was noted; for a new slice the owner's birth will do. */
static nsec_t trigger_time(const struct layout *l, const struct slice *s)
{
    nsec_t noted = 0, found = 0;
    civil_parse(json_get_str(json_path(s->live, "metadata", "annotations", NULL), S(NOTE_TRIGGER_TIME)), &noted);
    for (size_t i = 0; i < l->wants->len; i++) {
        nsec_t at = l->wants->p[i].ready_since;
        if (at > noted && (!found || at < found) && str_eq(l->wants->p[i].ports, s->ports))
            found = at;
    }
    return found ? found : s->live ? 0 : l->owner->created;
}

static struct json slice_object(struct layout *l, const struct slice *s, struct json labels)
{
    struct arena *a = l->a;
    struct json obj = s->live ? json_copy(a, s->live) : json_literal(a, "{\"apiVersion\":\"discovery.k8s.io/v1\",\"kind\":\"EndpointSlice\"}"), refs = json_array(), ports;
    struct json *meta = json_ensure_object(a, &obj, S("metadata"));
    if (!s->live)
        json_set(a, meta, S("generateName"), json_string(arena_cat(a, l->owner->name, S("-"))));
    json_set(a, meta, S("namespace"), json_string(l->owner->ns));
    json_set(a, meta, S("labels"), labels);
    json_push(a, &refs, l->owner->ref);
    json_set(a, meta, S("ownerReferences"), refs);
    nsec_t at = trigger_time(l, s);
    if (at) {
        char text[CIVIL_TIME_LEN + 1];
        civil_format(at, text);
        json_set(a, json_ensure_object(a, meta, S("annotations")), S(NOTE_TRIGGER_TIME), json_string(arena_str(a, str_of(text))));
    } else if (json_get(meta, S("annotations"))) {
        json_del(json_get(meta, S("annotations")), S(NOTE_TRIGGER_TIME));
    }
    json_set(a, &obj, S("addressType"), json_string(str_of(s->type)));
    json_set(a, &obj, S("endpoints"), s->endpoints);
    if (json_parse(a, s->ports, NULL, &ports, NULL) == 0)
        json_set(a, &obj, S("ports"), ports.len ? ports : json_null());
    return obj;
}

static void step_add(struct arena *a, struct slice_steps *out, enum slice_change change, struct json obj)
{
    if (out->len == out->cap) {
        size_t cap = out->cap ? out->cap * 2 : 8;
        out->p = arena_grow(a, out->p, out->cap * sizeof *out->p, cap * sizeof *out->p);
        out->cap = cap;
    }
    out->p[out->len++] = (struct slice_step){change, obj};
}

static struct slice_steps steps_of(struct layout *l)
{
    struct slice_steps out = {0};
    struct json labels = labels_of(l->a, l->owner);
    for (size_t i = 0; i < l->len; i++) {
        struct slice *s = &l->slices[i];
        bool gone = s->broken || (!s->endpoints.len && !is_placeholder(l, s));
        if (gone && s->live)
            step_add(l->a, &out, SLICE_DELETE, *s->live);
        if (gone)
            continue;
        bool relabel = s->live && !json_equal(json_path(s->live, "metadata", "labels", NULL), &labels);
        if (!s->live)
            step_add(l->a, &out, SLICE_CREATE, slice_object(l, s, labels));
        else if (s->changed || relabel)
            step_add(l->a, &out, SLICE_UPDATE, slice_object(l, s, labels));
    }
    return out;
}

struct slice_steps slice_plan_make(struct arena *a, const struct slice_owner *owner, const struct slice_wants *wants, const struct json *slices, size_t nslices)
{
    struct layout l = {.a = a, .owner = owner, .wants = wants, .placed = arena_array(a, wants->len + 1, bool), .by_key = MAP_INIT};
    for (size_t i = 0; i < wants->len; i++) {
        const struct slice_want *w = &wants->p[i];
        str key = want_key(a, w->type, w->ports, w->key);
        if (map_has(&l.by_key, key))
            l.placed[i] = true; /* the same twice */
        else
            map_put(&l.by_key, key, (void *)(uintptr_t)(i + 1));
    }
    for (size_t i = 0; i < nslices; i++)
        take_slice(&l, &slices[i]);
    for (size_t i = 0; i < wants->len; i++) {
        if (l.placed[i])
            continue;
        struct slice *s = slice_for(&l, &wants->p[i]);
        json_push(a, &s->endpoints, wants->p[i].endpoint);
        s->changed = true;
    }
    keep_placeholders(&l);
    map_fini(&l.by_key);
    return steps_of(&l);
}

struct slice_owner slice_owner_of(struct arena *a, const struct json *obj, const char *kind, const char *manager, bool headless)
{
    static const char *const reserved[] = {LABEL_SERVICE_NAME, LABEL_SLICE_MANAGER, LABEL_ENDPOINTS_MANAGER, LABEL_HEADLESS};
    const struct json *meta = json_get(obj, S("metadata")), *labels = json_get(meta, S("labels"));
    struct slice_owner o = {.manager = manager, .ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name"))};
    o.ref = json_literal(a, "{\"apiVersion\":\"v1\"}");
    json_set(a, &o.ref, S("kind"), json_string(str_of(kind)));
    json_set(a, &o.ref, S("name"), json_string(o.name));
    json_set(a, &o.ref, S("uid"), json_string(json_get_str(meta, S("uid"))));
    json_set(a, &o.ref, S("controller"), json_bool(true));
    json_set(a, &o.ref, S("blockOwnerDeletion"), json_bool(true));
    o.labels = json_is(labels, JSON_OBJECT) ? json_copy(a, labels) : json_object();
    for (size_t i = 0; i < ARRAY_LEN(reserved); i++)
        json_del(&o.labels, str_of(reserved[i]));
    if (headless)
        json_set(a, &o.labels, S(LABEL_HEADLESS), json_string(S("")));
    civil_parse(json_get_str(meta, S("creationTimestamp")), &o.created);
    return o;
}
