/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_watch.h"

#include "base/test.h"
#include "wire/json_make.h"

TEST(a_picture)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"d\",\"dependencies\":[\"b\",\"c\"],\"parties\":[{\"domainID\":\"bob\"}]},"
                                       "{\"alias\":\"a\",\"parties\":[{\"domainID\":\"alice\",\"role\":\"host\"},{\"domainID\":\"bob\"}]},{\"alias\":\"b\",\"dependencies\":[\"a\"]},{\"alias\":\"c\",\"dependencies\":[\"a\"]}]},"
                                       "\"status\":{\"phase\":\"Running\"}}");
    struct json tasks = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"a\"}},\"status\":{\"phase\":\"Succeeded\",\"partyTaskStatus\":[{\"domainID\":\"alice\",\"role\":\"host\","
                                         "\"phase\":\"Succeeded\"},{\"domainID\":\"bob\",\"phase\":\"Failed\"}]}},{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"b\"}},\"status\":{\"phase\":\"Pending\","
                                         "\"message\":\"waiting: bob (no room)\"}}]");
    kuscia_picture(&a, &job, &tasks, &out);
    T_EQ_STR(strbuf_str(&out), "KusciaJob j of alice: Running, 1 of 4 tasks done\n"
                               "  TASK    AFTER   PHASE       PARTIES                     WHY\n"
                               "  a       -       Succeeded   alice-host ok, bob failed   -\n"
                               "    b     a       Pending                                 waiting: bob (no room)\n"
                               "    c     a       -                                       -\n"
                               "      d   b,c     -           bob                         -\n");
}

TEST(a_circle_ends)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json job = json_literal(&a, "{\"spec\":{\"tasks\":[{\"alias\":\"a\",\"dependencies\":[\"b\"]},{\"alias\":\"b\",\"dependencies\":[\"a\"]}]}}"), none = json_array();
    kuscia_picture(&a, &job, &none, &out);
    T_OK(str_find(strbuf_str(&out), S("a ")) > 0);
}

TEST_MAIN(a_picture, a_circle_ends)
