/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_stage.h"

#include "api/kuscia_job.h"
#include "api/kuscia_stages.h"
#include "cli/print.h"
#include "wire/json_make.h"

#define NAMESPACE "cross-domain"
#define JOBS "/apis/kuscia.secretflow/v1alpha1/namespaces/" NAMESPACE "/kusciajobs"

struct command {
    const char *name, *done;
    const char *answer; /* in status.approveStatus; NULL: the command is a stage */
};

static const struct command commands[] = {
    {.name = "stop", .done = "is told to stop"},
    {.name = "suspend", .done = "is told to suspend"},
    {.name = "restart", .done = "is told to restart"},
    {.name = "cancel", .done = "is told to cancel"},
    {.name = "approve", .done = "is approved", .answer = "JobAccepted"},
    {.name = "reject", .done = "is rejected", .answer = "JobRejected"},
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

bool kuscia_stage_is(const char *command)
{
    return find(command) != NULL;
}

str kuscia_stage_stranger(struct arena *a, const char *command, const struct json *job, str domain)
{
    bool is_initiator = str_eq(kuscia_job_initiator(job), domain);
    if (!domain.len)
        return S("");
    if (find(command)->answer && is_initiator)
        return arena_fmt(a, "the job is " STR_FMT "'s own: it is not asked", STR_ARG(domain));
    return kuscia_job_takes_part(job, domain) ? S("") : arena_fmt(a, "domain \"" STR_FMT "\" does not take part in the job", STR_ARG(domain));
}

static struct json patch_of(struct arena *a, const struct command *c, str domain)
{
    struct json map = json_object();
    if (c->answer) {
        json_set(a, &map, domain, json_string(str_of(c->answer)));
        return json_make(a, "{\"status\":{\"approveStatus\":%j}}", &map);
    }
    json_set(a, &map, S("kuscia.secretflow/job-stage"), json_string(str_of(kuscia_stage_of(str_of(c->name)))));
    json_set(a, &map, S("kuscia.secretflow/job-stage-trigger"), domain.len ? json_string(domain) : json_null());
    return json_make(a, "{\"metadata\":{\"labels\":%j}}", &map);
}

static str path_of(struct arena *a, const struct command *c, const char *name)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S(JOBS));
    client_path_add(&b, str_of(name));
    strbuf_add_str(&b, c && c->answer ? S("/status") : S(""));
    return strbuf_str(&b);
}

int kuscia_stage(struct session *s, const char *command, const char *name, const char *domain, struct failure *f)
{
    const struct command *c = find(command);
    struct arena *a = &s->arena;
    struct json job;
    struct client_response res;
    if (c->answer && !(domain && *domain))
        return session_usage(s, f, "%s is a domain's answer: say whose with --domain NAME", c->name);
    if (s->namespace_given && !str_is(s->namespace_, NAMESPACE)) /* another job may have the name there */
        return session_usage(s, f, "only KusciaJobs in namespace " NAMESPACE " run: one in " STR_FMT " can be told nothing", STR_ARG(s->namespace_));
    int r = session_get(s, path_of(a, NULL, name), S(""), &job, f);
    if (r < 0)
        return r;
    str why = kuscia_stage_refusal(a, str_of(command), &job);
    if (!why.len)
        why = kuscia_stage_stranger(a, command, &job, str_of(domain ? domain : ""));
    if (why.len)
        return failure_set(f, E_CONFLICT, STR_FMT, STR_ARG(why));
    struct json patch = patch_of(a, c, str_of(domain ? domain : ""));
    struct client_request q = {.method = S("PATCH"), .path = path_of(a, c, name), .content_type = S("application/merge-patch+json"), .body = json_text(a, &patch)};
    r = session_do(s, &q, &res, f);
    if (r < 0)
        return r;
    STRBUF_AUTO out = STRBUF_HEAP;
    strbuf_addf(&out, "kusciajob.kuscia.secretflow/%s %s\n", name, c->done);
    print_flush(&out);
    return 0;
}
