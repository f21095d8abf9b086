/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/kuscia_words.h"

#include "api/kuscia_stages.h"
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

static void warn_of_words(struct admission_attrs *at)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!str_is(at->res->plural, rows[i].plural))
            continue;
        str is = admission_noted(at->obj, rows[i].map, rows[i].key), was = admission_noted(at->old, rows[i].map, rows[i].key);
        struct json words = json_literal(at->arena, rows[i].words);
        if (is.len && !str_eq(is, was) && !is_among(&words, is))
            api_req_warn(at->req, arena_fmt(at->arena, "%s %s: \"" STR_FMT "\" has no effect: there %s " STR_FMT, rows[i].what, rows[i].key, STR_ARG(is), words.len > 1 ? "are" : "is", STR_ARG(admission_list(at->arena, &words))));
    }
}

/* A command that the job is in no phase for is kept, and nothing happens: Kuscia says nothing of it, either. */
static void warn_of_stage(struct admission_attrs *at)
{
    str stage = admission_noted(at->obj, "labels", STAGE_LABEL);
    const char *command = kuscia_stage_command(stage);
    if (!at->old || !str_is(at->res->plural, "kusciajobs") || !str_is(at->ns, DOMAIN_JOBS_NS) || !command || str_eq(stage, admission_noted(at->old, "labels", STAGE_LABEL)))
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

int kuscia_words_validate(struct admission_attrs *at, struct err *err)
{
    if (at->op == ADMIT_DELETE || !at->obj || !str_is(at->res->group, GROUP))
        return 0;
    if (str_is(at->res->plural, "kusciajobs") && at->op == ADMIT_UPDATE) {
        int r = check_answers(at, err);
        if (r < 0)
            return r;
    }
    warn_of_words(at);
    warn_of_stage(at);
    warn_of_namespace(at);
    warn_of_destinations(at);
    if (str_is(at->res->plural, "appimages"))
        warn_of_program(at);
    return 0;
}
