/* SPDX-License-Identifier: Apache-2.0 */
#include "api/kuscia_stages.h"

#include "base/test.h"
#include "wire/json_make.h"

TEST(what_has_an_effect)
{
    static const struct {
        const char *command, *job, *refusal;
    } cases[] = {
        {"stop", "{}", ""},
        {"stop", "{\"status\":{\"phase\":\"Running\"}}", ""},
        {"stop", "{\"status\":{\"phase\":\"Failed\"}}", "the job is Failed already; stop has no effect on it"},
        {"suspend", "{}", "the job is new; suspend has an effect on one that is Running"},
        {"suspend", "{\"status\":{\"phase\":\"Running\"}}", ""},
        {"restart", "{\"status\":{\"phase\":\"Running\"}}", "the job is Running; restart has an effect on one that is Failed or Suspended"},
        {"restart", "{\"status\":{\"phase\":\"Suspended\"}}", ""},
        {"restart", "{\"metadata\":{\"labels\":{\"kuscia.secretflow/job-stage\":\"Stop\"}},\"status\":{\"phase\":\"Running\"}}", ""}, /* stopped a moment ago */
        {"restart", "{\"status\":{\"phase\":\"Failed\",\"reason\":\"ValidateFailed\",\"message\":\"there is no Domain \\\"x\\\"\"}}",
         "the job never started: there is no Domain \"x\"; delete it and apply it again"},
        {"cancel", "{\"status\":{\"phase\":\"Failed\"}}", ""},
        {"cancel", "{\"status\":{\"phase\":\"Cancelled\"}}", "the job is Cancelled already; cancel has no effect on it"},
        {"approve", "{\"status\":{\"phase\":\"AwaitingApproval\"}}", ""},
        {"reject", "{\"status\":{\"phase\":\"Pending\"}}", "the job is Pending; reject has an effect on one that is AwaitingApproval"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json job = json_literal(&a, cases[i].job);
        T_EQ_STR(kuscia_stage_refusal(&a, str_of(cases[i].command), &job), cases[i].refusal);
    }
}

TEST(words)
{
    T_EQ_STR(str_of(kuscia_stage_of(S("stop"))), "Stop");
    T_OK(!kuscia_stage_of(S("approve")) && !kuscia_stage_of(S("start")));
    T_EQ_STR(str_of(kuscia_stage_command(S("Restart"))), "restart");
    T_OK(!kuscia_stage_command(S("Start")) && !kuscia_stage_command(S("restart")));
}

TEST_MAIN(what_has_an_effect, words)
