/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/kuscia_words.h"

#include "api/kuscia_stages.h"
#include "api/quantity.h"
#include "apiserver/admission_steps.h"
#include "apiserver/domain_rights.h"
#include "apiserver/objects.h"
#include "base/bandwidth.h"

#define GROUP "kuscia.secretflow"
#define STAGE_LABEL GROUP "/job-stage"

static bool is_among(const struct json *words, str word)
{
    for (uint32_t i = 0; i < words->len; i++)
        if (str_eq(json_str(&words->items[i]), word))
            return true;
    return false;
}

/* --- labels, annotations, answers ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *plural, *map, *what, *key, *words;
} rows[] = {
    {"kusciajobs", "labels", "label", STAGE_LABEL, "[\"Create\",\"Start\",\"Stop\",\"Suspend\",\"Restart\",\"Cancel\"]"},
    {"kusciadeployments", "annotations", "annotation", GROUP "/affinity-mode", "[\"none\",\"affinity\",\"anti-affinity\"]"},
    {"domains", "annotations", "annotation", DOMAIN_ASK_ANNOTATION, "[\"manual\"]"},
    {"kusciajobs", "annotations", "annotation", BANDWIDTH_LEND_NOTE, "[\"" BANDWIDTH_LEND_ACCEPT "\"]"},
    {"kusciatasks", "annotations", "annotation", BANDWIDTH_LEND_NOTE, "[\"" BANDWIDTH_LEND_ACCEPT "\"]"},
    {"kusciadeployments", "annotations", "annotation", BANDWIDTH_LEND_NOTE, "[\"" BANDWIDTH_LEND_ACCEPT "\"]"},
};

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

static str list_text(struct arena *a, const struct json *words)
{
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; i < words->len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i == 0 ? "" : i + 1 == words->len ? " and " : ", ", STR_ARG(json_str(&words->items[i])));
    return strbuf_str(&b);
}

static str noted(const struct json *obj, const char *map, const char *key)
{
    return obj ? json_get_str(json_get(object_meta(obj), str_of(map)), str_of(key)) : S("");
}

static void warn_of_words(struct admission_attrs *at)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!str_is(at->res->plural, rows[i].plural))
            continue;
        str is = noted(at->obj, rows[i].map, rows[i].key), was = noted(at->old, rows[i].map, rows[i].key);
        struct json words = json_literal(at->arena, rows[i].words);
        if (is.len && !str_eq(is, was) && !is_among(&words, is))
            api_req_warn(at->req, arena_fmt(at->arena, "%s %s: \"" STR_FMT "\" has no effect: there %s " STR_FMT, rows[i].what, rows[i].key, STR_ARG(is), words.len > 1 ? "are" : "is", STR_ARG(list_text(at->arena, &words))));
    }
}

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
                api_req_warn(at->req, arena_fmt(at->arena, "annotation " STR_FMT " has no effect on %s: there %s " STR_FMT, STR_ARG(str_sub(key, 0, 80)), noted_keys[k].plural, keys.len > 1 ? "are" : "is", STR_ARG(list_text(at->arena, &keys))));
        }
    }
}

/* A command that the job is in no phase for is kept, and nothing happens: Kuscia says nothing of it, either. */
static void warn_of_stage(struct admission_attrs *at)
{
    str stage = noted(at->obj, "labels", STAGE_LABEL);
    const char *command = kuscia_stage_command(stage);
    if (!at->old || !str_is(at->res->plural, "kusciajobs") || !str_is(at->ns, DOMAIN_JOBS_NS) || !command || str_eq(stage, noted(at->old, "labels", STAGE_LABEL)))
        return;
    str why = kuscia_stage_refusal(at->arena, str_of(command), at->old);
    if (why.len)
        api_req_warn(at->req, arena_fmt(at->arena, "label " STAGE_LABEL ": \"" STR_FMT "\" does nothing now: " STR_FMT, STR_ARG(stage), STR_ARG(why)));
}

static int check_answers(const struct admission_attrs *at, struct err *err)
{
    const struct json *is = json_path(at->obj, "status", "approveStatus", NULL), *was = at->old ? json_path(at->old, "status", "approveStatus", NULL) : NULL;
    for (uint32_t i = 0; json_is(is, JSON_OBJECT) && i < is->len; i++) {
        str domain = is->members[i].key, answer = json_str(&is->members[i].value);
        if (!str_is(answer, "JobAccepted") && !str_is(answer, "JobRejected") && !str_eq(answer, json_get_str(was, domain)))
            return err_set(err, E_INVALID, "KusciaJob." GROUP " \"" STR_FMT "\" is invalid: status.approveStatus[" STR_FMT "]: Unsupported value: \"" STR_FMT "\": supported values: \"JobAccepted\", \"JobRejected\"",
                           STR_ARG(at->name), STR_ARG(str_sub(domain, 0, 63)), STR_ARG(str_sub(answer, 0, 80)));
    }
    return 0;
}

static void warn_of_namespace(struct admission_attrs *at)
{
    static const char *const plurals[] = {"kusciajobs", "kusciatasks", "kusciadeployments"};
    for (size_t i = 0; at->op == ADMIT_CREATE && !str_is(at->ns, DOMAIN_JOBS_NS) && i < ARRAY_LEN(plurals); i++)
        if (str_is(at->res->plural, plurals[i]))
            api_req_warn(at->req, arena_fmt(at->arena, "metadata.namespace: nothing will be done for it in the namespace \"" STR_FMT "\": %s are carried out in \"" DOMAIN_JOBS_NS "\"", STR_ARG(at->ns), plurals[i]));
}

/* --- limits to domains ------------------------------------------------------------------------------------------------------------------- */

static bool takes_part(const struct json *parties, str domain)
{
    for (uint32_t i = 0; i < parties->len; i++)
        if (str_eq(json_get_str(&parties->items[i], S("domainID")), domain))
            return true;
    return false;
}

/* Kept all the same: it holds for the nodes of that domain, whoever runs there. */
static void warn_of_limits(struct admission_attrs *at, str where, const struct json *parties)
{
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        const struct json *limits = json_get(&parties->items[i], S("bandwidthLimits"));
        for (uint32_t k = 0; json_is(limits, JSON_ARRAY) && k < limits->len; k++) {
            str to = json_get_str(&limits->items[k], S("destinationID"));
            if (!takes_part(parties, to))
                api_req_warn(at->req, arena_fmt(at->arena, STR_FMT "parties[%u].bandwidthLimits[%u].destinationID: domain \"" STR_FMT "\" takes no part in the task", STR_ARG(where), i, k, STR_ARG(str_sub(to, 0, 63))));
        }
    }
}

static void warn_of_destinations(struct admission_attrs *at)
{
    const struct json *is = json_get(at->obj, S("spec")), *was = at->old ? json_get(at->old, S("spec")) : NULL, *tasks = json_get(is, S("tasks"));
    if (is && was && json_equal(is, was))
        return;
    if (str_is(at->res->plural, "kusciatasks"))
        warn_of_limits(at, S("spec."), json_get(is, S("parties")));
    for (uint32_t i = 0; str_is(at->res->plural, "kusciajobs") && json_is(tasks, JSON_ARRAY) && i < tasks->len; i++)
        warn_of_limits(at, arena_fmt(at->arena, "spec.tasks[%u].", i), json_get(&tasks->items[i], S("parties")));
}

/* --- programs ---------------------------------------------------------------------------------------------------------------------------- */

static bool has_port(const struct json *template, str name)
{
    const struct json *containers = json_path(template, "spec", "containers", NULL);
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        const struct json *ports = json_get(&containers->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++)
            if (str_eq(json_get_str(&ports->items[k], S("name")), name))
                return true;
    }
    return false;
}

/* Who may call a port that is not there is said in vain, and the one that was meant is closed to all: a policy opens what it names, and nothing else. */
static void warn_of_policy(struct admission_attrs *at, const struct json *template, uint32_t n)
{
    const struct json *list = json_path(template, "networkPolicy", "ingresses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *ports = json_get(&list->items[i], S("ports"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++) {
            str name = json_get_str(&ports->items[k], S("port"));
            if (name.len && !has_port(template, name))
                api_req_warn(at->req, arena_fmt(at->arena, "spec.deployTemplates[%u].networkPolicy.ingresses[%u].ports[%u].port: \"" STR_FMT "\" has no effect: no container of the template has a port of this name", n, i, k,
                                                STR_ARG(str_sub(name, 0, 63))));
        }
    }
}

static void warn_of_program(struct admission_attrs *at)
{
    const struct json *is = json_path(at->obj, "spec", "deployTemplates", NULL), *was = at->old ? json_path(at->old, "spec", "deployTemplates", NULL) : NULL;
    if (is && was && json_equal(is, was))
        return;
    for (uint32_t i = 0; json_is(is, JSON_ARRAY) && i < is->len; i++)
        warn_of_policy(at, &is->items[i], i);
}

/* --- bandwidth ---------------------------------------------------------------------------------------------------------------------------- */

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
        str is = admission_is_kind(at, "", notes[i].plural) ? noted(at->obj, "annotations", notes[i].key) : S("");
        int64_t bits[BANDWIDTH_ENDS];
        if (!is.len || str_eq(is, noted(at->old, "annotations", notes[i].key)) || bandwidth_parse_ends(is, bits, NULL) < 0)
            continue;
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            warn_of_bits(at, arena_fmt(at->arena, "annotation %s", notes[i].key), is, bits[e], notes[i].least);
    }
}

static void warn_of_route(struct admission_attrs *at)
{
    int64_t bits;
    str is = json_str(json_path(at->obj, "spec", "bandwidth", NULL)), was = at->old ? json_str(json_path(at->old, "spec", "bandwidth", NULL)) : S("");
    bool is_route = str_is(at->res->plural, "clusterdomainroutes") || str_is(at->res->plural, "domainroutes");
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

int kuscia_words_validate(struct admission_attrs *at, struct err *err)
{
    bool is_ours = str_is(at->res->group, GROUP);
    if (at->op == ADMIT_DELETE || !at->obj)
        return 0;
    if (is_ours && str_is(at->res->plural, "kusciajobs") && at->op == ADMIT_UPDATE) {
        int r = check_answers(at, err);
        if (r < 0)
            return r;
    }
    if (is_ours) {
        warn_of_words(at);
        warn_of_stage(at);
        warn_of_namespace(at);
        warn_of_destinations(at);
        warn_of_route(at);
        if (str_is(at->res->plural, "appimages"))
            warn_of_program(at);
    }
    if (!at->subresource.len) {
        warn_of_keys(at);
        warn_of_bandwidth(at);
        warn_of_notes(at);
    }
    return 0;
}
