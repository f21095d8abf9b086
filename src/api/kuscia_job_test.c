/* SPDX-License-Identifier: Apache-2.0 */
#include "api/kuscia_job.h"

#include "base/test.h"

TEST(initiators_and_parties_take_part)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = json_literal(&a, "{\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"parties\":[{\"domainID\":\"bob\"}]},{\"parties\":[{\"domainID\":\"bob\"},{\"domainID\":\"carol\"}]}]}}");
    T_EQ_STR(kuscia_job_initiator(&job), "alice");
    T_OK(kuscia_job_takes_part(&job, S("alice")) && !kuscia_job_is_party(&job, S("alice")));
    T_OK(kuscia_job_is_party(&job, S("carol")) && kuscia_job_takes_part(&job, S("bob")));
    T_OK(!kuscia_job_takes_part(&job, S("dave")) && !kuscia_job_takes_part(&job, S("car")));
}

TEST(nobody_takes_part_in_what_is_no_job)
{
    static const char *const texts[] = {"{}", "null", "{\"spec\":[]}", "{\"spec\":{\"initiator\":\"\",\"tasks\":{}}}", "{\"spec\":{\"tasks\":[null,{\"parties\":\"alice\"},{\"parties\":[{},7,{\"domainID\":\"\"}]}]}}"};
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct json job = json_literal(&a, texts[i]);
        T_OK(!kuscia_job_takes_part(&job, S("alice")) && !kuscia_job_takes_part(&job, S("")));
    }
}

TEST_MAIN(initiators_and_parties_take_part, nobody_takes_part_in_what_is_no_job)
