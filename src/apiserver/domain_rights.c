/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/domain_rights.h"

#include "api/kuscia_job.h"
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"
#include "apiserver/node_authz.h"

#define GROUP "kuscia.secretflow"
#define JOBS "kusciajobs"
#define STAGE GROUP "/job-stage"
#define TRIGGER GROUP "/job-stage-trigger"
#define VERSION GROUP "/job-stage-version"

str domain_of_group(str group)
{
    static const str prefix = STR_INIT("kuscia:domain:");
    return str_has_prefix(group, prefix) ? str_from(group, prefix.len) : S("");
}

/* --- who takes part ---------------------------------------------------------------------------------------------------------------- */

bool domain_rights_allow(struct store *store, struct arena *a, const struct authz_attrs *at)
{
    static const char *const reads[] = {"get", "list", "watch"}, *const writes[] = {"patch", "update"};
    const struct api_user *u = at->user;
    struct json job;
    bool any = false, fits = false;
    for (size_t i = 0; i < u->ngroups; i++)
        any |= domain_of_group(u->groups[i]).len > 0;
    if (!any || !at->is_resource || node_authz_name(u).len || !at->name.len || !str_is(at->ns, DOMAIN_JOBS_NS) || !str_is(at->group, GROUP) || !str_is(at->resource, JOBS) ||
        (at->subresource.len && !str_is(at->subresource, "status")))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(reads); i++)
        fits |= str_is(at->verb, reads[i]);
    for (size_t i = 0; i < ARRAY_LEN(writes); i++)
        fits |= str_is(at->verb, writes[i]);
    if (!fits || !object_get_builtin(store, a, S(GROUP), S(JOBS), at->ns, at->name, &job, NULL))
        return false;
    for (size_t i = 0; i < u->ngroups; i++)
        if (kuscia_job_takes_part(&job, domain_of_group(u->groups[i])))
            return true;
    return false;
}

/* --- who speaks for a domain ---------------------------------------------------------------------------------------------------------- */

static bool may(const struct admission_attrs *at, str verb, str domain)
{
    struct authz_attrs attrs = {.user = &at->req->user, .is_resource = true, .verb = verb, .group = S(GROUP), .version = S("v1alpha1"), .resource = S(JOBS), .ns = domain, .name = at->name};
    return authz_check(at->srv->authz, at->arena, &attrs, NULL);
}

static int check_may(struct admission_attrs *at, str verb, str domain, const char *what, struct err *err)
{
    if (may(at, verb, domain))
        return 0;
    return admission_forbid(at, err, "user \"" STR_FMT "\" may not %s domain \"" STR_FMT "\": that takes the verb \"" STR_FMT "\" on " JOBS "." GROUP " in the namespace \"" STR_FMT "\"", STR_ARG(at->req->user.name), what,
                            STR_ARG(domain), STR_ARG(verb), STR_ARG(domain));
}

static const struct json *answers_of(const struct json *job)
{
    return json_path(job, "status", "approveStatus", NULL);
}

static int check_answers(struct admission_attrs *at, struct err *err)
{
    const struct json *sides[] = {answers_of(at->obj), answers_of(at->old)};
    for (size_t s = 0; s < ARRAY_LEN(sides); s++)
        for (uint32_t i = 0; json_is(sides[s], JSON_OBJECT) && i < sides[s]->len; i++) {
            str domain = sides[s]->members[i].key, answer = json_str(&sides[s]->members[i].value);
            if (str_eq(answer, json_get_str(sides[1 - s], domain)))
                continue;
            int r = check_may(at, S("approve"), domain, "answer for", err);
            if (r < 0)
                return r;
        }
    return 0;
}

static str label(const struct json *job, const char *key)
{
    return json_get_str(json_get(object_meta(job), S("labels")), str_of(key));
}

/* Without a name it is nobody's in particular: who may write the job anyway may say so. */
static int check_command(struct admission_attrs *at, bool is_guest, struct err *err)
{
    str by = label(at->obj, TRIGGER);
    if (str_eq(label(at->obj, STAGE), label(at->old, STAGE)) && str_eq(by, label(at->old, TRIGGER)))
        return 0;
    if (!by.len)
        return is_guest ? admission_forbid(at, err, "a command has the name of the domain that gives it, in the label " TRIGGER) : 0;
    if (!kuscia_job_takes_part(at->obj, by))
        return admission_forbid(at, err, "domain \"" STR_FMT "\" does not take part in the job, and commands nothing in it", STR_ARG(by));
    return check_may(at, S("command"), by, "command jobs for", err);
}

/* --- what nobody else may change ---------------------------------------------------------------------------------------------------------- */

static struct json rest_of(const struct admission_attrs *at, const struct json *job)
{
    static const str kept[] = {STR_INIT("managedFields"), STR_INIT("resourceVersion"), STR_INIT("generation")}, commands[] = {STR_INIT(STAGE), STR_INIT(TRIGGER), STR_INIT(VERSION)};
    struct json copy = json_copy(at->arena, job), *meta = json_get(&copy, S("metadata")), *labels = json_get(meta, S("labels")), *status = json_get(&copy, S("status"));
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        json_del(meta, kept[i]);
    for (size_t i = 0; json_is(labels, JSON_OBJECT) && i < ARRAY_LEN(commands); i++)
        json_del(labels, commands[i]);
    if (json_is(labels, JSON_OBJECT) && !labels->len)
        json_del(meta, S("labels"));
    if (json_is(status, JSON_OBJECT))
        json_del(status, S("approveStatus"));
    return copy;
}

/* One who writes it only because a domain takes part. */
static bool is_guest(const struct admission_attrs *at)
{
    struct authz_attrs attrs = chain_attrs(at->req);
    attrs.by_role_only = true;
    return !authz_check(at->srv->authz, at->arena, &attrs, NULL);
}

static int check_guest(struct admission_attrs *at, struct err *err)
{
    struct json was = rest_of(at, at->old), is = rest_of(at, at->obj);
    if (json_equal(&was, &is))
        return 0;
    return admission_forbid(at, err, "a domain that takes part may answer (status.approveStatus) and give commands (labels " STAGE " and " TRIGGER "), and change nothing else");
}

/* --- what was agreed to ---------------------------------------------------------------------------------------------------------------------- */

static bool wants_to_be_asked(const struct admission_attrs *at, str domain)
{
    struct json obj;
    return domain.len && object_get_builtin(at->store, at->arena, S(GROUP), S("domains"), S(""), domain, &obj, NULL) &&
           str_is(json_get_str(json_get(object_meta(&obj), S("annotations")), S(DOMAIN_ASK_ANNOTATION)), "manual");
}

/* The initiator is not asked: whoever names one must be allowed to agree for it. */
static int check_initiator(struct admission_attrs *at, struct err *err)
{
    str is = kuscia_job_initiator(at->obj);
    if ((at->old && str_eq(is, kuscia_job_initiator(at->old))) || !wants_to_be_asked(at, is))
        return 0;
    return check_may(at, S("approve"), is, "make jobs in the name of", err);
}

static str phase_of(const struct json *job)
{
    return json_get_str(json_get(job, S("status")), S("phase"));
}

static bool asks(str phase)
{
    return !phase.len || str_is(phase, "initialized") || str_is(phase, "AwaitingApproval");
}

static bool is_end(str phase)
{
    static const char *const ends[] = {"Succeeded", "Failed", "Cancelled", "ApprovalReject"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (str_is(phase, ends[i]))
            return true;
    return false;
}

/* Whoever writes the phase of one that runs answers for all that were not asked yet. */
static int check_phase(struct admission_attrs *at, struct err *err)
{
    const struct json *tasks = json_path(at->obj, "spec", "tasks", NULL);
    str phase = phase_of(at->obj);
    if (str_eq(phase, phase_of(at->old)) || asks(phase) || is_end(phase))
        return 0;
    for (uint32_t i = 0; json_is(tasks, JSON_ARRAY) && i < tasks->len; i++) {
        const struct json *parties = json_get(&tasks->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++) {
            str domain = json_get_str(&parties->items[k], S("domainID"));
            if (str_eq(domain, kuscia_job_initiator(at->obj)) || str_is(json_get_str(answers_of(at->obj), domain), "JobAccepted") || !wants_to_be_asked(at, domain))
                continue;
            int r = check_may(at, S("approve"), domain, "start what was not agreed to by", err);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

/* Domains of the new tasks that will not be asked any more. */
static int check_agreed(struct admission_attrs *at, struct err *err)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *is = json_path(at->obj, "spec", "tasks", NULL), *was = json_path(at->old, "spec", "tasks", NULL);
    bool is_asking = asks(phase_of(at->old));
    struct json seen = json_object();
    if (json_equal(is ? is : &none, was ? was : &none))
        return 0;
    for (uint32_t i = 0; json_is(is, JSON_ARRAY) && i < is->len; i++) {
        const struct json *parties = json_get(&is->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++) {
            str domain = json_get_str(&parties->items[k], S("domainID"));
            if (!domain.len || json_get(&seen, domain))
                continue;
            json_set(at->arena, &seen, domain, json_null());
            if (str_eq(domain, kuscia_job_initiator(at->obj)) || (is_asking && !str_is(json_get_str(answers_of(at->old), domain), "JobAccepted")) || !wants_to_be_asked(at, domain))
                continue;
            int r = check_may(at, S("approve"), domain, "change what was agreed to by", err);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

int domain_rights_validate(struct admission_attrs *at, struct err *err)
{
    if (at->op == ADMIT_DELETE || !str_is(at->ns, DOMAIN_JOBS_NS) || !admission_is_kind(at, GROUP, JOBS) || api_user_in_group(&at->req->user, S("system:masters")))
        return 0;
    int r = check_initiator(at, err);
    if (r < 0 || !at->old)
        return r;
    bool guest = is_guest(at);
    if (guest && (r = check_guest(at, err)) < 0)
        return r;
    if ((r = check_answers(at, err)) < 0 || (r = check_command(at, guest, err)) < 0 || (r = check_phase(at, err)) < 0)
        return r;
    return check_agreed(at, err);
}
