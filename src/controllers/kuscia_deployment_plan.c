/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_deployment_plan.h"

#include "controllers/kuscia.h"

/* --- the Deployment ---------------------------------------------------------------------------------------------------------------------------- */

/* Terms that say nothing else are about the party's own pods. */
static void aim_terms(struct arena *a, struct json *terms, const struct json *selector)
{
    for (uint32_t i = 0; json_is(terms, JSON_ARRAY) && i < terms->len; i++) {
        struct json *term = json_get(&terms->items[i], S("podAffinityTerm"));
        term = term ? term : &terms->items[i];
        if (!json_get(term, S("labelSelector")))
            json_set(a, term, S("labelSelector"), *selector);
    }
}

/* What the party says, else its AppImage, else by the mode: pods keep away from each other unless they are told otherwise. */
static struct json affinity_of(struct arena *a, const struct layout *l, const struct layout_party *p)
{
    static const str sides[] = {STR_INIT("podAffinity"), STR_INIT("podAntiAffinity")};
    static const str kinds[] = {STR_INIT("requiredDuringSchedulingIgnoredDuringExecution"), STR_INIT("preferredDuringSchedulingIgnoredDuringExecution")};
    const struct json *given = json_path(p->party, "template", "spec", "affinity", NULL), *of_image = json_path(p->template_, "spec", "affinity", NULL);
    struct json selector = json_make(a, "{\"matchLabels\":{\"" KUSCIA("deployment-name") "\":%S}}", p->pods->name);
    str mode = json_get_str(json_path(l->task, "metadata", "annotations", NULL), S(KUSCIA("affinity-mode")));
    given = given ? given : of_image;
    if (json_is(given, JSON_OBJECT) && given->len) {
        struct json made = json_copy(a, given);
        for (size_t i = 0; i < ARRAY_LEN(sides); i++)
            for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
                aim_terms(a, json_get(json_get(&made, sides[i]), kinds[k]), &selector);
        return made;
    }
    if (str_is(mode, "none"))
        return json_null();
    return json_make(a, "{%S:{\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":100,\"podAffinityTerm\":{\"topologyKey\":\"kubernetes.io/hostname\",\"labelSelector\":%j}}]}}",
                     sides[!str_is(mode, "affinity")], &selector);
}

static str number_of(struct arena *a, const struct json *v)
{
    return arena_fmt(a, "%016llx", (unsigned long long)str_hash(json_text(a, v)));
}

struct json kuscia_deployment(struct arena *a, const struct layout *l, const struct layout_party *p, const struct json *files)
{
    struct json meta = kuscia_meta(a, l, p, p->pods->name, NULL), pod_meta = json_copy(a, &meta), spec = kuscia_pod_spec(a, l, p, p->pods, &pod_meta), affinity = affinity_of(a, l, p);
    struct json strategy = json_literal(a, "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":\"25%\",\"maxUnavailable\":\"25%\"}}");
    const struct json *own = json_path(p->party, "template", "strategy", NULL);
    json_del(&pod_meta, S("name"));
    json_del(&spec, S("affinity"));
    if (affinity.type != JSON_NULL)
        json_set(a, &spec, S("affinity"), affinity);
    if (files)
        json_set(a, json_get(&pod_meta, S("annotations")), S("coxswain.dev/files"), json_string(number_of(a, json_get(files, S("data")))));
    return json_make(a,
                     "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":%j,\"spec\":{\"replicas\":%d,\"strategy\":%j,\"selector\":{\"matchLabels\":{\"" KUSCIA("kd-uid") "\":%S,"
                     "\"" KUSCIA("deployment-name") "\":%S}},\"template\":{\"metadata\":%j,\"spec\":%j}}}",
                     &meta, p->replicas, json_is(own, JSON_OBJECT) && own->len ? own : &strategy, l->uid, p->pods->name, &pod_meta, &spec);
}

/* --- what is there already ------------------------------------------------------------------------------------------------------------------------ */

void kuscia_mark(struct arena *a, struct json *obj)
{
    str n = number_of(a, obj);
    json_set(a, json_ensure_object(a, json_get(obj, S("metadata")), S("annotations")), S(KUSCIA_MADE_FROM), json_string(n));
}

/* What the API server leaves out when it writes the object. */
static bool is_nothing(const struct json *v)
{
    return v->type == JSON_NULL || (v->type == JSON_BOOL ? !v->b : v->type != JSON_NUMBER && !v->len);
}

/* Everything of `want` is in `have`, which may have more: the API server fills in defaults. */
static bool is_within(const struct json *want, const struct json *have)
{
    if (!have)
        return is_nothing(want);
    if (want->type != have->type)
        return false;
    if (json_is(want, JSON_OBJECT)) {
        for (uint32_t i = 0; i < want->len; i++)
            if (!is_within(&want->members[i].value, json_get(have, want->members[i].key)))
                return false;
        return true;
    }
    if (!json_is(want, JSON_ARRAY))
        return json_equal(want, have);
    for (uint32_t i = 0; want->len == have->len && i < want->len; i++)
        if (!is_within(&want->items[i], &have->items[i]))
            return false;
    return want->len == have->len;
}

bool kuscia_is_as_made(const struct json *want, const struct json *have)
{
    for (uint32_t i = 0; i < want->len; i++) {
        str key = want->members[i].key; /* lists leave out what all their items are */
        if (!str_is(key, "apiVersion") && !str_is(key, "kind") && !is_within(&want->members[i].value, json_get(have, key)))
            return false;
    }
    return true; /* which its mark is part of */
}

struct json kuscia_replacement(struct arena *a, const struct json *want, const struct json *have)
{
    static const str noted[] = {STR_INIT("labels"), STR_INIT("annotations")};
    struct json out = json_copy(a, want), meta = json_copy(a, json_get(have, S("metadata"))), spec = json_get(have, S("spec")) ? json_copy(a, json_get(have, S("spec"))) : json_null();
    for (size_t i = 0; i < ARRAY_LEN(noted); i++) {
        const struct json *from = json_path(want, "metadata", NULL);
        from = json_get(from, noted[i]);
        for (uint32_t k = 0; json_is(from, JSON_OBJECT) && k < from->len; k++)
            json_set(a, json_ensure_object(a, &meta, noted[i]), from->members[k].key, from->members[k].value);
    }
    json_set(a, &out, S("metadata"), meta);
    if (str_is(json_get_str(want, S("kind")), "Service")) { /* addresses are given for life */
        const struct json *mine = json_get(want, S("spec"));
        for (uint32_t k = 0; k < mine->len; k++)
            json_set(a, &spec, mine->members[k].key, mine->members[k].value);
        json_set(a, &out, S("spec"), spec);
    }
    return out;
}

/* --- how far it is ---------------------------------------------------------------------------------------------------------------------------------- */

struct counts {
    int64_t want, have, updated, available, unavailable;
    bool seen; /* the Deployment's controller has seen what is wanted now */
};

static struct counts counts_of(const struct layout_party *p, const struct json *d)
{
    const struct json *st = json_get(d, S("status"));
    return (struct counts){.want = p->replicas,
                           .have = json_get_int(st, S("replicas"), 0),
                           .updated = json_get_int(st, S("updatedReplicas"), 0),
                           .available = json_get_int(st, S("availableReplicas"), 0),
                           .unavailable = json_get_int(st, S("unavailableReplicas"), 0),
                           .seen = d && json_get_int(st, S("observedGeneration"), 0) >= json_get_int(json_get(d, S("metadata")), S("generation"), 1)};
}

static const char *phase_of(const struct counts *c)
{
    if (c->seen && c->available >= c->want && c->updated >= c->want && c->have <= c->want)
        return "Available";
    return c->available > 0 ? "PartialAvailable" : "Progressing";
}

bool kuscia_party_is_short(const struct layout_party *p, const struct json *deployment)
{
    struct counts c = counts_of(p, deployment);
    return strcmp(phase_of(&c), "Available") != 0;
}

static const struct json *condition_of(const struct json *obj, const char *type)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

/* How a container ended that is waited for to start again. */
static str last_end(struct arena *a, const struct json *pod)
{
    const struct json *list = json_path(pod, "status", "containerStatuses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *end = json_path(&list->items[i], "lastState", "terminated", NULL);
        str said = str_trim(json_get_str(end, S("message")));
        if (end && json_path(&list->items[i], "state", "waiting", NULL))
            return arena_fmt(a, "; it ended with %lld%s" STR_FMT, (long long)json_get_int(end, S("exitCode"), 0), said.len ? ": " : "", STR_ARG(said));
    }
    return S("");
}

/* The first pod that is not ready, in its words; "" none. */
static str pod_lacks(struct arena *a, const struct json *pods, str *ret_reason)
{
    for (uint32_t i = 0; json_is(pods, JSON_ARRAY) && i < pods->len; i++) {
        const struct json *pod = &pods->items[i], *meta = json_get(pod, S("metadata"));
        str log, reason, said = kuscia_pod_message(pod, &reason, &log), name = json_get_str(meta, S("name"));
        if (str_is(json_get_str(condition_of(pod, "Ready"), S("status")), "True") || json_get_str(meta, S("deletionTimestamp")).len)
            continue;
        *ret_reason = reason.len ? reason : S("PodNotReady");
        said = said.len ? said : log.len ? log : reason.len ? reason : S("it is not ready");
        return arena_fmt(a, "pod " STR_FMT ": " STR_FMT STR_FMT, STR_ARG(name), STR_ARG(said), STR_ARG(last_end(a, pod)));
    }
    return S("");
}

/* What a party lacks, as a sentence's end. */
static str lacks(struct arena *a, const struct counts *c, const struct json *d, const struct json *pods, str *ret_reason)
{
    const struct json *refused = condition_of(d, "ReplicaFailure");
    str why = pod_lacks(a, pods, ret_reason), amount = arena_fmt(a, "%lld of %lld pods are available", (long long)MIN(c->available, c->want), (long long)c->want);
    if (!d) {
        *ret_reason = S("DeploymentMissing");
        return S("its Deployment is not there yet");
    }
    if (str_is(json_get_str(refused, S("status")), "True")) {
        *ret_reason = json_get_str(refused, S("reason"));
        why = json_get_str(refused, S("message"));
    }
    if (why.len)
        return arena_fmt(a, STR_FMT ": " STR_FMT, STR_ARG(amount), STR_ARG(why));
    *ret_reason = S("RollingUpdate");
    return c->available < c->want ? amount : arena_fmt(a, "%lld of %lld pods are new", (long long)MIN(c->updated, c->want), (long long)c->want);
}

static struct json party_status(struct arena *a, const struct layout_party *p, const struct json *d)
{
    const struct json *conditions = json_path(d, "status", "conditions", NULL);
    struct counts c = counts_of(p, d);
    struct json st = json_make(a, "{\"phase\":%s,\"replicas\":%d,\"updatedReplicas\":%d,\"availableReplicas\":%d,\"unavailableReplicas\":%d}", phase_of(&c), c.have, c.updated, c.available, c.unavailable);
    if (p->role.len)
        json_set(a, &st, S("role"), json_string(p->role));
    if (conditions)
        json_set(a, &st, S("conditions"), *conditions);
    if (d)
        json_set(a, &st, S("creationTimestamp"), json_string(json_get_str(json_get(d, S("metadata")), S("creationTimestamp"))));
    return st;
}

static void set_or_del(struct arena *a, struct json *st, str key, str text)
{
    if (text.len)
        json_set(a, st, key, json_string(text));
    else
        json_del(st, key);
}

void kuscia_deployment_phase(struct arena *a, struct json *status, str phase, str reason, str message)
{
    json_set(a, status, S("phase"), json_string(phase));
    set_or_del(a, status, S("reason"), reason);
    set_or_del(a, status, S("message"), message);
}

struct json kuscia_deployment_status(struct arena *a, const struct deployment_view *v)
{
    const struct layout *l = v->layout;
    struct json st = json_get(l->task, S("status")) ? json_copy(a, json_get(l->task, S("status"))) : json_object(), by_domain = json_object();
    struct strbuf message = strbuf_on(a);
    str reason = S(""), phase = S("Available");
    size_t available = 0;
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[i];
        struct json party = party_status(a, p, v->deployments[i]);
        str its = json_get_str(&party, S("phase")), why = S("");
        json_set(a, json_ensure_object(a, &by_domain, p->domain), p->pods->name, party);
        available += !str_is(its, "Progressing");
        if (str_is(its, "Available"))
            continue;
        struct counts c = counts_of(p, v->deployments[i]);
        str lacking = lacks(a, &c, v->deployments[i], v->pods[i], &why);
        strbuf_addf(&message, "%s" STR_FMT "%s" STR_FMT " (" STR_FMT ")", message.len ? "; " : "", STR_ARG(p->domain), p->role.len ? "-" : "", STR_ARG(p->role), STR_ARG(lacking));
        reason = reason.len ? reason : why;
        phase = str_is(phase, "Progressing") ? phase : its;
    }
    json_set(a, &st, S("totalParties"), json_int(a, (int64_t)l->nparties));
    json_set(a, &st, S("availableParties"), json_int(a, (int64_t)available));
    json_set(a, &st, S("partyDeploymentStatuses"), by_domain);
    kuscia_deployment_phase(a, &st, phase, reason, message.len ? arena_fmt(a, "waiting: " STR_FMT, STR_ARG(strbuf_str(&message))) : S(""));
    return st;
}
