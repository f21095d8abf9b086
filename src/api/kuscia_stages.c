/* SPDX-License-Identifier: Apache-2.0 */
#include "api/kuscia_stages.h"

static const struct command {
    const char *name, *stage;
    const char *only;  /* phases in which it has an effect; NULL: in all others */
    const char *never; /* phases in which it has none */
} commands[] = {
    {.name = "stop", .stage = "Stop", .never = "|Succeeded|Failed|Cancelled|ApprovalReject|"},
    {.name = "suspend", .stage = "Suspend", .only = "|Running|"},
    {.name = "restart", .stage = "Restart", .only = "|Failed|Suspended|"},
    {.name = "cancel", .stage = "Cancel", .never = "|Succeeded|Cancelled|ApprovalReject|"},
    {.name = "approve", .only = "|AwaitingApproval|"},
    {.name = "reject", .only = "|AwaitingApproval|"},
};

static const struct command *find(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (str_is(name, commands[i].name))
            return &commands[i];
    return NULL;
}

const char *kuscia_stage_of(str command)
{
    const struct command *c = find(command);
    return c ? c->stage : NULL;
}

const char *kuscia_stage_command(str stage)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (commands[i].stage && str_is(stage, commands[i].stage))
            return commands[i].name;
    return NULL;
}

static bool is_among(struct arena *a, const char *phases, str phase)
{
    return str_find(str_of(phases), arena_fmt(a, "|" STR_FMT "|", STR_ARG(phase))) >= 0;
}

/* "|Failed|Suspended|" as "Failed or Suspended". */
static str as_words(struct arena *a, const char *phases)
{
    struct strbuf b = strbuf_on(a);
    str rest = str_of(phases), one;
    while (rest.len) {
        str_cut(&rest, '|', &one);
        if (one.len)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? " or " : "", STR_ARG(one));
    }
    return strbuf_str(&b);
}

str kuscia_stage_refusal(struct arena *a, str command, const struct json *job)
{
    const struct command *c = find(command);
    const struct json *status = json_get(job, S("status"));
    str phase = json_get_str(status, S("phase")), shown = phase.len ? phase : S("new");
    if (!c)
        return S("");
    str given = json_get_str(json_path(job, "metadata", "labels", NULL), S("kuscia.secretflow/job-stage"));
    if (strcmp(c->name, "restart") == 0 && str_is(phase, "Running") && (str_is(given, "Stop") || str_is(given, "Suspend"))) /* which is being carried out, or is taken back */
        return S("");
    if (c->only && !is_among(a, c->only, phase))
        return arena_fmt(a, "the job is " STR_FMT "; %s has an effect on one that is " STR_FMT, STR_ARG(shown), c->name, STR_ARG(as_words(a, c->only)));
    if (c->never && phase.len && is_among(a, c->never, phase))
        return arena_fmt(a, "the job is " STR_FMT " already; %s has no effect on it", STR_ARG(shown), c->name);
    if (strcmp(c->name, "restart") == 0 && str_is(json_get_str(status, S("reason")), "ValidateFailed"))
        return arena_fmt(a, "the job never started: " STR_FMT "; delete it and apply it again", STR_ARG(json_get_str(status, S("message"))));
    return S("");
}
