/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_picture.h"

#include "base/test.h"
#include "wire/json_make.h"

TEST(a_picture)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"d\",\"dependencies\":[\"b\",\"c\"],\"parties\":[{\"domainID\":\"bob\"}]},"
                                       "{\"alias\":\"a\",\"parties\":[{\"domainID\":\"alice\",\"role\":\"host\"},{\"domainID\":\"bob\"},{\"domainID\":\"carol\"}]},{\"alias\":\"b\",\"dependencies\":[\"a\"]},{\"alias\":\"c\",\"dependencies\":[\"a\"]}]},"
                                       "\"status\":{\"phase\":\"Running\"}}");
    struct json tasks = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"a\"}},\"status\":{\"phase\":\"Succeeded\",\"partyTaskStatus\":[{\"domainID\":\"alice\",\"role\":\"host\","
                                         "\"phase\":\"Succeeded\"},{\"domainID\":\"bob\",\"phase\":\"Failed\"},{\"domainID\":\"carol\",\"phase\":\"Failed\",\"message\":\"ended with the task: enough other parties had succeeded\"}]}},"
                                         "{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"b\"}},\"status\":{\"phase\":\"Pending\","
                                         "\"message\":\"waiting: bob (no room)\"}}]");
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    kuscia_picture(&v, &a, &job, &tasks, true, &out);
    T_EQ_STR(strbuf_str(&out), "KusciaJob j of alice: Running, 1 of 4 tasks done\n"
                               "  TASK    AFTER   PHASE       PARTIES                                    WHY\n"
                               "  a       -       Succeeded   alice-host ok, bob failed, carol stopped   -\n"
                               "    b     a       Pending                                                waiting: bob (no room)\n"
                               "    c     a       -                                                      waits for a place: maxParallelism is 1\n"
                               "      d   b, c    -           bob                                        waits for b, c\n");
    strbuf_clear(&out);
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_EQ_STR(strbuf_str(&out), "");
    json_set(&a, json_get(&tasks.items[1], S("status")), S("phase"), json_string(S("Running")));
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_EQ_STR(strbuf_str(&out), "    b     a       Running                                                waiting: bob (no room)\n");
    json_set(&a, json_get(&job, S("status")), S("phase"), json_string(S("Failed")));
    strbuf_clear(&out);
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_OK(str_has_prefix(strbuf_str(&out), S("KusciaJob j of alice: Failed")));
    T_OK(str_find(strbuf_str(&out), S("never started")) > 0 && str_find(strbuf_str(&out), S(" b ")) < 0);
}

TEST(many_and_hostile)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"a\\u001b[2J\"},{\"alias\":\"b\"},{\"alias\":\"c\"},{\"alias\":\"d\"},{\"alias\":\"e\"},"
                                       "{\"alias\":\"z\",\"dependencies\":[\"a\\u001b[2J\",\"b\",\"c\",\"d\",\"e\"]}]},\"status\":{\"phase\":\"Running\",\"message\":\"\\u001b[31m\"}}"), none = json_array();
    kuscia_picture(&v, &a, &job, &none, true, &out);
    T_OK(str_find_char(strbuf_str(&out), '\x1b') < 0);
    T_OK(str_find(strbuf_str(&out), S(", b, c and 2 more")) > 0);
    struct json failed = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"d\"}},\"status\":{\"phase\":\"Failed\"}}]");
    kuscia_picture(&v, &a, &job, &failed, false, &out);
    T_OK(str_find(strbuf_str(&out), S("cannot start: d failed")) > 0);
}

/* A row is a line, whatever an alias or a status holds. */
TEST(words_that_end_lines)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"a\\n\\nb\\tc\"},{\"alias\":\"z\",\"dependencies\":[\"a\\n\\nb\\tc\"],\"parties\":"
                                       "[{\"domainID\":\"x\\ny\"}]}]},\"status\":{\"phase\":\"Running\",\"message\":\"one\\ntwo\\u0007\"}}");
    struct json tasks = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"a\\n\\nb\\tc\"}},\"status\":{\"phase\":\"Run\\nning\"}}]");
    kuscia_picture(&v, &a, &job, &tasks, true, &out);
    T_EQ_STR(strbuf_str(&out), "KusciaJob j of alice: Running, 0 of 2 tasks done; one\\ntwo^G\n"
                               "  TASK        AFTER       PHASE       PARTIES   WHY\n"
                               "  a\\n\\nb\\tc   -           Run\\nning             -\n"
                               "    z         a\\n\\nb\\tc   -           x\\ny      see below\n"
                               "        waits for a\n"
                               "          \n"
                               "          b\tc\n");
}

/* What is too long for a row stands below it, once for all who are told the same; on a terminal in lines of its width. */
TEST(long_reasons)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"a\",\"parties\":[{\"domainID\":\"alice\",\"role\":\"host\"},{\"domainID\":\"bob\"}]}]},"
                                       "\"status\":{\"phase\":\"Running\"}}");
    struct json tasks = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"a\"}},\"status\":{\"phase\":\"Pending\",\"reason\":\"BandwidthInsufficient\","
                                         "\"message\":\"waiting: alice-host (it lacks bandwidth on each of its many nodes); bob, carol (waits for alice)\",\"partyTaskStatus\":["
                                         "{\"domainID\":\"alice\",\"role\":\"host\",\"phase\":\"Pending\",\"message\":\"it lacks bandwidth on each of its many nodes\"},"
                                         "{\"domainID\":\"bob\",\"phase\":\"Pending\",\"message\":\"waits for alice\"},{\"domainID\":\"carol\",\"phase\":\"Pending\",\"message\":\"waits for alice\"}]}}]");
    kuscia_picture(&v, &a, &job, &tasks, true, &out);
    T_EQ_STR(strbuf_str(&out), "KusciaJob j of alice: Running, 0 of 1 tasks done\n"
                               "  TASK   AFTER   PHASE     PARTIES                       WHY\n"
                               "  a      -       Pending   alice-host waits, bob waits   BandwidthInsufficient\n"
                               "      alice-host: it lacks bandwidth on each of its many nodes\n"
                               "      bob, carol: waits for alice\n");
    strbuf_clear(&out);
    v.width = 50;
    v.has_colours = true;
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_EQ_STR(strbuf_str(&out), "\x1b[33m  a      -       Pending   alice-host waits, bob waits   BandwidthInsufficient\x1b[0m\n"
                               "      alice-host: it lacks bandwidth on each of\n"
                               "        its many nodes\n"
                               "      bob, carol: waits for alice\n");
    strbuf_clear(&out);
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_EQ_STR(strbuf_str(&out), "");
    json_set(&a, json_get(&tasks.items[0], S("status")), S("message"), json_string(S("party bob: a pod needs 100 Gbit/s, and the largest node, bob-1, has 990 Mbit/s")));
    json_set(&a, json_get(&tasks.items[0], S("status")), S("phase"), json_string(S("Failed")));
    v.width = 0;
    v.has_colours = false;
    kuscia_picture(&v, &a, &job, &tasks, false, &out);
    T_OK(str_has_suffix(strbuf_str(&out), S("\n      party bob: a pod needs 100 Gbit/s, and the largest node, bob-1, has 990 Mbit/s\n")));
}

/* A program's last words are lines of their own; who was ended with the task did not fail. */
TEST(last_words)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    struct json job = json_literal(&a, "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"a\",\"parties\":[{\"domainID\":\"alice\"},{\"domainID\":\"bob\"}]}]},"
                                       "\"status\":{\"phase\":\"Failed\"}}");
    struct json tasks = json_literal(&a, "[{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":\"a\"}},\"status\":{\"phase\":\"Failed\",\"reason\":\"PartyFailed\","
                                         "\"message\":\"failed: bob (pod b-0: Traceback:\\n  no table\\u001b)\\n\",\"partyTaskStatus\":["
                                         "{\"domainID\":\"alice\",\"phase\":\"Failed\",\"message\":\"ended with the task\"},{\"domainID\":\"bob\",\"phase\":\"Failed\"}]}}]");
    kuscia_picture(&v, &a, &job, &tasks, true, &out);
    T_EQ_STR(strbuf_str(&out), "KusciaJob j of alice: Failed, 0 of 1 tasks done\n"
                               "  TASK   AFTER   PHASE    PARTIES                     WHY\n"
                               "  a      -       Failed   alice stopped, bob failed   PartyFailed\n"
                               "      failed: bob (pod b-0: Traceback:\n"
                               "          no table^[)\n");
}

TEST(a_circle_ends)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json job = json_literal(&a, "{\"spec\":{\"tasks\":[{\"alias\":\"a\",\"dependencies\":[\"b\"]},{\"alias\":\"b\",\"dependencies\":[\"a\"]}]}}"), none = json_array();
    KUSCIA_VIEW_AUTO v = KUSCIA_VIEW;
    kuscia_picture(&v, &a, &job, &none, true, &out);
    T_OK(str_find(strbuf_str(&out), S("a ")) > 0);
}

TEST_MAIN(a_picture, many_and_hostile, words_that_end_lines, long_reasons, last_words, a_circle_ends)
