/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_stage.h"

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
        T_OK(kuscia_stage_is(cases[i].command));
        T_EQ_STR(kuscia_stage_refusal(&a, cases[i].command, &job), cases[i].refusal);
    }
    T_OK(!kuscia_stage_is("start") && !kuscia_stage_is("watch"));
}

TEST(who_has_a_say)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = json_literal(&a, "{\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"parties\":[{\"domainID\":\"alice\"}]},{\"parties\":[{\"domainID\":\"bob\"}]}]}}");
    T_EQ_STR(kuscia_stage_stranger(&a, "stop", &job, S("")), "");
    T_EQ_STR(kuscia_stage_stranger(&a, "stop", &job, S("alice")), "");
    T_EQ_STR(kuscia_stage_stranger(&a, "cancel", &job, S("bob")), "");
    T_EQ_STR(kuscia_stage_stranger(&a, "approve", &job, S("bob")), "");
    T_EQ_STR(kuscia_stage_stranger(&a, "stop", &job, S("boob")), "domain \"boob\" does not take part in the job");
    T_EQ_STR(kuscia_stage_stranger(&a, "reject", &job, S("boob")), "domain \"boob\" does not take part in the job");
    T_EQ_STR(kuscia_stage_stranger(&a, "approve", &job, S("alice")), "the job is alice's own: it is not asked");
}

TEST_MAIN(what_has_an_effect, who_has_a_say)
