/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_stage.h"

#include "base/test.h"
#include "wire/json_make.h"

TEST(words)
{
    T_OK(kuscia_stage_is("stop") && kuscia_stage_is("reject"));
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

TEST_MAIN(words, who_has_a_say)
