/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/bandwidth_words.h"

#include "api/quantity.h"
#include "apiserver/admission_steps.h"
#include "apiserver/objects.h"
#include "base/bandwidth.h"

#define GROUP "kuscia.secretflow"

/* --- annotations that are none ------------------------------------------------------------------------------------------------------------ */

/* Annotations of bandwidth that a kind has; with a dash at the end all that begin so. */
static const struct {
    const char *group, *plural, *keys;
} noted_keys[] = {
    {"", "pods", "[\"" BANDWIDTH_EGRESS_LIMIT "\",\"" BANDWIDTH_INGRESS_LIMIT "\",\"" BANDWIDTH_LIMITS "\",\"" BANDWIDTH_LIMIT_TO "\",\"" BANDWIDTH_LEND_NOTE "\"]"},
    {"", "nodes", "[\"" BANDWIDTH_CAPACITY "\",\"cox.io/bandwidth-overcommit\",\"" BANDWIDTH_LENDING "\"]"},
    {GROUP, "kusciajobs", "[\"" BANDWIDTH_LEND_NOTE "\"]"},
    {GROUP, "kusciatasks", "[\"" BANDWIDTH_LEND_NOTE "\"]"},
    {GROUP, "kusciadeployments", "[\"" BANDWIDTH_LEND_NOTE "\"]"},
};

static bool is_about_bandwidth(str key)
{
    static const char *const begins[] = {"cox.io/band", "kuscia.io/band", "kubernetes.io/egress-band", "kubernetes.io/ingress-band", GROUP "/band"};
    for (size_t i = 0; i < ARRAY_LEN(begins); i++)
        if (str_has_prefix(key, str_of(begins[i])))
            return true;
    return false;
}

static bool is_key_of(const struct json *keys, str key)
{
    for (uint32_t i = 0; i < keys->len; i++) {
        str known = json_str(&keys->items[i]);
        if (str_eq(key, known) || (known.p[known.len - 1] == '-' && str_has_prefix(key, known)))
            return true;
    }
    return false;
}

/* "cox.io/bandwidth-capcity", or what a Node has at a Pod. */
static void warn_of_keys(struct admission_attrs *at)
{
    const struct json *notes = json_get(object_meta(at->obj), S("annotations")), *was = at->old ? json_get(object_meta(at->old), S("annotations")) : NULL;
    for (uint32_t i = 0; json_is(notes, JSON_OBJECT) && i < notes->len; i++) {
        str key = notes->members[i].key;
        for (size_t k = 0; is_about_bandwidth(key) && !json_get(was, key) && k < ARRAY_LEN(noted_keys); k++) {
            struct json keys = json_literal(at->arena, noted_keys[k].keys);
            if (str_is(at->res->group, noted_keys[k].group) && str_is(at->res->plural, noted_keys[k].plural) && !is_key_of(&keys, key))
                api_req_warn(at->req, arena_fmt(at->arena, "annotation " STR_FMT " has no effect on %s: there %s " STR_FMT, STR_ARG(str_sub(key, 0, 80)), noted_keys[k].plural, keys.len > 1 ? "are" : "is", STR_ARG(admission_list(at->arena, &keys))));
        }
    }
}

/* --- amounts that are surely not meant ----------------------------------------------------------------------------------------------------- */

struct walk {
    struct admission_attrs *at;
    struct strbuf path;
};

/* A number alone counts bits: nobody has a pod of 100 bit/s, or a node of 1000. */
static void warn_of_bits(struct admission_attrs *at, str where, str said, int64_t bits, int64_t least)
{
    char text[BANDWIDTH_TEXT];
    if (bits > 0 && bits < least)
        api_req_warn(at->req, arena_fmt(at->arena, STR_FMT ": \"" STR_FMT "\" is %s: say the unit, as in 100M", STR_ARG(where), STR_ARG(str_sub(said, 0, 40)), bandwidth_print(bits, text)));
}

static void warn_of_end(struct walk *w, const char *list, str name, const struct json *amount)
{
    struct quantity q;
    str said = json_str(amount);
    if (quantity_parse(said, &q))
        warn_of_bits(w->at, arena_fmt(w->at->arena, STR_FMT ".%s[" STR_FMT "]", STR_ARG(strbuf_str(&w->path)), list, STR_ARG(name)), said, quantity_to_i64(&q), WORDS_POD_BITS);
}

static void warn_of_notes(struct admission_attrs *at)
{
    static const struct {
        const char *plural, *key;
        int64_t least;
    } notes[] = {{"pods", BANDWIDTH_EGRESS_LIMIT, WORDS_POD_BITS}, {"pods", BANDWIDTH_INGRESS_LIMIT, WORDS_POD_BITS}, {"nodes", BANDWIDTH_CAPACITY, WORDS_NODE_BITS}};
    for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
        str is = admission_is_kind(at, "", notes[i].plural) ? admission_noted(at->obj, "annotations", notes[i].key) : S("");
        int64_t bits[BANDWIDTH_ENDS];
        if (!is.len || str_eq(is, admission_noted(at->old, "annotations", notes[i].key)) || bandwidth_parse_ends(is, bits, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            warn_of_bits(at, arena_fmt(at->arena, "annotation %s", notes[i].key), is, bits[e], notes[i].least);
    }
}

static void warn_of_route(struct admission_attrs *at)
{
    int64_t bits;
    str is = json_str(json_path(at->obj, "spec", "bandwidth", NULL)), was = at->old ? json_str(json_path(at->old, "spec", "bandwidth", NULL)) : S("");
    bool is_route = str_is(at->res->group, GROUP) && (str_is(at->res->plural, "clusterdomainroutes") || str_is(at->res->plural, "domainroutes"));
    if (is_route && is.len && !str_eq(is, was) && bandwidth_parse(is, &bits, NULL) >= 0)
        warn_of_bits(at, S("spec.bandwidth"), is, bits, WORDS_NODE_BITS);
}

static void warn_of_amount(struct walk *w, const char *list, const struct json *amount)
{
    char text[BANDWIDTH_TEXT] = "more than 1 Pbit/s";
    struct quantity q, most = quantity_from_i64(WORDS_BANDWIDTH), countable = quantity_from_i64(BANDWIDTH_MAX / BANDWIDTH_MBIT);
    str said = json_str(amount);
    if (!quantity_parse(said, &q) || quantity_cmp(&q, &most) < 0)
        return;
    if (quantity_cmp(&q, &countable) <= 0)
        bandwidth_print(quantity_to_i64(&q) * BANDWIDTH_MBIT, text);
    api_req_warn(w->at->req, arena_fmt(w->at->arena, STR_FMT ".%s[" BANDWIDTH_KUSCIA "]: \"" STR_FMT "\" is %s: the number counts Mbit/s, and 100 Mbit/s are \"100\"", STR_ARG(strbuf_str(&w->path)), list,
                                       STR_ARG(str_sub(said, 0, 40)), text));
}

/* "kuscia.io/bandwith": no node will ever have it. */
static bool is_slip(str name)
{
    return (str_has_prefix(name, S("kuscia.io/")) || str_has_prefix(name, S("cox.io/"))) && !bandwidth_is_resource(name) && !bandwidth_is_lent(name);
}

static void warn_of_slip(struct walk *w, const char *list, str name)
{
    api_req_warn(w->at->req, arena_fmt(w->at->arena, STR_FMT ".%s[" STR_FMT "]: there is no such resource: " BANDWIDTH_KUSCIA ", %s, %s, " BANDWIDTH_LENT_EGRESS " and " BANDWIDTH_LENT_INGRESS " are known",
                                       STR_ARG(strbuf_str(&w->path)), list, STR_ARG(str_sub(name, 0, 80)), bandwidth_resource[BANDWIDTH_OUT], bandwidth_resource[BANDWIDTH_IN]));
}

static void warn_of_list(struct walk *w, const char *name, const struct json *list, const struct json *was)
{
    for (uint32_t i = 0; json_is(list, JSON_OBJECT) && i < list->len; i++) {
        str key = list->members[i].key;
        const struct json *amount = &list->members[i].value, *before = json_get(was, key);
        if (is_slip(key) && !before)
            warn_of_slip(w, name, key);
        if (!bandwidth_is_resource(key) || (before && json_equal(amount, before)))
            continue;
        if (str_is(key, BANDWIDTH_KUSCIA))
            warn_of_amount(w, name, amount);
        else
            warn_of_end(w, name, key, amount);
    }
}

/* Most objects name none: the walk that notes where it is is not worth it. */
static bool names_bandwidth(const struct json *v)
{
    bool found = false;
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len && !found; i++)
        found = names_bandwidth(&v->items[i]);
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len && !found; i++)
        found = bandwidth_is_resource(v->members[i].key) || is_slip(v->members[i].key) || names_bandwidth(&v->members[i].value);
    return found;
}

/* Resources stand at many depths: of containers in pods and their templates, of parties. */
static void walk(struct walk *w, const struct json *v, const struct json *old)
{
    size_t len = w->path.len;
    for (uint32_t i = 0; json_is(v, JSON_ARRAY) && i < v->len; i++) {
        strbuf_addf(&w->path, "[%u]", i);
        walk(w, &v->items[i], json_is(old, JSON_ARRAY) && i < old->len ? &old->items[i] : NULL);
        w->path.len = len;
    }
    for (uint32_t i = 0; json_is(v, JSON_OBJECT) && i < v->len; i++) {
        const struct json *value = &v->members[i].value, *was = json_get(old, v->members[i].key);
        if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY))
            continue;
        strbuf_addf(&w->path, "%s" STR_FMT, len ? "." : "", STR_ARG(v->members[i].key));
        if (str_is(v->members[i].key, "resources")) {
            static const char *const lists[] = {"requests", "limits"};
            for (size_t k = 0; k < ARRAY_LEN(lists); k++)
                warn_of_list(w, lists[k], json_get(value, str_of(lists[k])), json_get(was, str_of(lists[k])));
        } else {
            walk(w, value, was);
        }
        w->path.len = len;
    }
}

static void warn_of_bandwidth(struct admission_attrs *at)
{
    static const char *const groups[] = {"", "apps", "batch", GROUP};
    bool fits = false;
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        fits |= str_is(at->res->group, groups[i]);
    if (!fits || (!at->res->group.len && !admission_is_kind(at, "", "pods") && !admission_is_kind(at, "", "replicationcontrollers")) || !names_bandwidth(json_get(at->obj, S("spec"))))
        return;
    struct walk w = {.at = at, .path = strbuf_on(at->arena)};
    strbuf_add_str(&w.path, S("spec"));
    walk(&w, json_get(at->obj, S("spec")), at->old ? json_get(at->old, S("spec")) : NULL);
}

int bandwidth_words_validate(struct admission_attrs *at, struct err *err UNUSED)
{
    if (at->op == ADMIT_DELETE || !at->obj)
        return 0;
    warn_of_route(at);
    if (!at->subresource.len) {
        warn_of_keys(at);
        warn_of_bandwidth(at);
        warn_of_notes(at);
    }
    return 0;
}
