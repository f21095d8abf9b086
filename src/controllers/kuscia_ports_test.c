/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_ports.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/test.h"
#include "wire/json_make.h"

/* Tasks come and go, two at a time in each domain have never the same number; when all have gone everything is free. */
TEST(no_number_is_given_twice)
{
    enum { TASKS = 60, DOMAINS = 3, EACH = 3 };
    static bool used[DOMAINS][65536];
    struct kuscia_ports p;
    struct rng rng;
    uint32_t has[TASKS][EACH] = {0};
    kuscia_ports_init(&p);
    rng_seed(&rng, 8);
    for (int round = 0; round < 4000; round++) {
        ARENA_AUTO a = ARENA_INIT;
        size_t t = rng_below(&rng, TASKS), d = t % DOMAINS;
        str key = arena_fmt(&a, "cross-domain/t%zu", t), domain = arena_fmt(&a, "d%zu", d);
        if (has[t][0]) {
            for (int i = 0; i < EACH; i++)
                used[d][has[t][i]] = false;
            has[t][0] = 0;
            kuscia_ports_note(&p, key, NULL);
            continue;
        }
        struct json named = json_object();
        uint64_t seed = rng_below(&rng, 50); /* crowded */
        for (int i = 0; i < EACH; i++) {
            has[t][i] = kuscia_ports_find(&p, domain, seed, has[t], (size_t)i);
            T_OK(has[t][i] >= PORTS_FIRST && has[t][i] < PORTS_FIRST + PORTS_COUNT && !used[d][has[t][i]]);
            used[d][has[t][i]] = true;
            json_set(&a, &named, arena_fmt(&a, "p-0/%d", i), json_int(&a, has[t][i]));
        }
        struct json list = json_array(), party = json_make(&a, "{\"domainID\":%S,\"namedPort\":%j}", domain, &named);
        json_push(&a, &list, party);
        kuscia_ports_note(&p, key, &list);
        kuscia_ports_note(&p, key, &list); /* the watch shows it again */
    }
    for (size_t t = 0; t < TASKS; t++) {
        ARENA_AUTO a = ARENA_INIT;
        kuscia_ports_note(&p, arena_fmt(&a, "cross-domain/t%zu", t), NULL);
    }
    T_EQ_INT(kuscia_ports_find(&p, S("d0"), 0, NULL, 0), PORTS_FIRST);
    kuscia_ports_fini(&p);
}

/* The watch lags: it shows the task as it was before the numbers were chosen, which must not free them. */
TEST(a_late_event_frees_nothing)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_ports p;
    kuscia_ports_init(&p);
    struct json before = json_literal(&a, "{\"phase\":\"Pending\"}");
    struct json after = json_literal(&a, "{\"phase\":\"Pending\",\"allocatedPorts\":[{\"domainID\":\"alice\",\"namedPort\":{\"x\":20005}}]}");
    struct json ended = json_literal(&a, "{\"completionTime\":\"2026-01-01T00:00:00Z\",\"allocatedPorts\":[{\"domainID\":\"alice\",\"namedPort\":{\"x\":20005}}]}");
    kuscia_ports_note(&p, S("ns/t"), json_get(&after, S("allocatedPorts")));
    kuscia_ports_see(&p, S("ns/t"), &before, NULL);
    T_EQ_INT(kuscia_ports_find(&p, S("alice"), 5, NULL, 0), 20006);
    kuscia_ports_see(&p, S("ns/t"), &after, NULL);
    T_EQ_INT(kuscia_ports_find(&p, S("alice"), 5, NULL, 0), 20006);
    kuscia_ports_see(&p, S("ns/t"), &ended, json_get(&after, S("allocatedPorts")));
    T_EQ_INT(kuscia_ports_find(&p, S("alice"), 5, NULL, 0), 20005);
    kuscia_ports_fini(&p);
}

TEST(a_full_domain_says_so)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_ports p;
    struct json named = json_object(), list = json_array();
    kuscia_ports_init(&p);
    for (uint32_t i = 0; i < PORTS_COUNT; i++)
        json_set(&a, &named, arena_fmt(&a, "p/%u", i), json_int(&a, PORTS_FIRST + i));
    json_push(&a, &list, json_make(&a, "{\"domainID\":\"a\",\"namedPort\":%j}", &named));
    kuscia_ports_note(&p, S("k"), &list);
    T_EQ_INT(kuscia_ports_find(&p, S("a"), 5, NULL, 0), 0);
    T_OK(kuscia_ports_find(&p, S("b"), 5, NULL, 0) > 0);
    kuscia_ports_note(&p, S("k"), NULL);
    T_EQ_INT(kuscia_ports_find(&p, S("a"), 5, NULL, 0), PORTS_FIRST + 5);
    kuscia_ports_fini(&p);
}

/* Somebody's words in a status are no other domain's numbers. */
TEST(names_of_any_bytes)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_ports p;
    kuscia_ports_init(&p);
    struct json mine = json_literal(&a, "[{\"domainID\":\"a\",\"namedPort\":{\"x\":20005}}]"), odd = json_literal(&a, "[{\"domainID\":\"a\\u0000b\",\"namedPort\":{\"x\":20006}}]");
    kuscia_ports_note(&p, S("k"), &mine);
    kuscia_ports_note(&p, S("l"), &odd);
    T_EQ_INT(kuscia_ports_find(&p, S("a"), 5, NULL, 0), PORTS_FIRST + 6);
    T_EQ_INT(kuscia_ports_find(&p, str_n("a\0b", 3), 6, NULL, 0), PORTS_FIRST + 7);
    kuscia_ports_fini(&p);
}

TEST_MAIN(no_number_is_given_twice, a_late_event_frees_nothing, a_full_domain_says_so, names_of_any_bytes)
