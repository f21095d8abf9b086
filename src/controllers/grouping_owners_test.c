/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_owners.h"

#include "base/arena.h"
#include "base/test.h"

TEST(pods_and_their_groups)
{
    struct grouping_owners o;
    grouping_owners_init(&o);
    struct grouping_pod *a = grouping_pod_get(&o, S("ns/a")), *b = grouping_pod_get(&o, S("ns/b"));
    T_OK(grouping_pod_get(&o, S("ns/a")) == a && grouping_pod_find(&o, S("ns/c")) == NULL);
    grouping_pod_hold(&o, a, S("u1"), S("pg-1"));
    grouping_pod_hold(&o, b, S("u1"), S("pg-1"));
    T_OK(a->holder == b->holder);
    T_OK(grouping_pod_in(&o, S("ns/pg-1")) == a && grouping_pod_in(&o, S("other/pg-1")) == NULL);
    grouping_pod_hold(&o, a, S("u1"), S("pg-2")); /* another group of the same owner */
    T_OK(grouping_pod_in(&o, S("ns/pg-1")) == b && grouping_pod_in(&o, S("ns/pg-2")) == a);
    grouping_pod_hold(&o, b, S("u2"), S("pg-3"));
    T_EQ_INT(o.owners.len, 2);
    grouping_pod_drop(&o, b);
    T_EQ_INT(o.owners.len, 1); /* nobody asks for u2 any more */
    T_OK(grouping_pod_in(&o, S("ns/pg-3")) == NULL);
    grouping_pod_drop(&o, NULL);
    grouping_owners_fini(&o);
}

TEST(owners_change)
{
    struct grouping_owners o;
    grouping_owners_init(&o);
    struct grouping_pod *p = grouping_pod_get(&o, S("ns/a"));
    T_OK(grouping_owner_saw(&o, S("u1"), 5) == NULL); /* nobody's */
    grouping_pod_hold(&o, p, S("u1"), S("pg-1"));
    T_OK(grouping_owner_saw(&o, S("u1"), 5) == p->holder);
    T_OK(grouping_owner_saw(&o, S("u1"), 5) == NULL); /* the same again */
    T_OK(grouping_owner_saw(&o, S("u1"), 6) == p->holder);
    T_OK(grouping_owner_saw(&o, S("u1"), 0) == NULL); /* gone: its pods go, too */
    grouping_pod_drop(&o, p);
    T_EQ_INT(o.owners.len, 0);
    grouping_owners_fini(&o);
}

TEST(texts_are_kept_a_while)
{
    struct grouping_owners o;
    str text;
    grouping_owners_init(&o);
    grouping_owner_keep(&o, S("u1"), S("{1}"), 100);
    T_OK(grouping_owner_text(&o, S("u1"), 100 + GROUPING_TEXT_NS, &text));
    T_EQ_STR(text, "{1}");
    T_OK(!grouping_owner_text(&o, S("u1"), 101 + GROUPING_TEXT_NS, &text));
    grouping_owner_keep(&o, S("u1"), S("{2}"), 200);
    T_OK(grouping_owner_text(&o, S("u1"), 200, &text));
    T_EQ_STR(text, "{2}");
    grouping_owner_saw(&o, S("u1"), 9); /* it has changed: read it again */
    T_OK(!grouping_owner_text(&o, S("u1"), 200, &text));
    T_EQ_INT(o.owners.len, 0);
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_pod *p = grouping_pod_get(&o, S("ns/a"));
    grouping_pod_hold(&o, p, S("u-0"), S("pg"));
    for (int i = 0; i < GROUPING_TEXTS + 10; i++)
        grouping_owner_keep(&o, arena_fmt(&a, "u-%d", i), S("x"), i);
    T_EQ_INT(o.owners.len, GROUPING_TEXTS + 1); /* the one with a pod stays, its text does not */
    T_OK(!grouping_owner_text(&o, S("u-0"), 0, &text) && !grouping_owner_text(&o, S("u-9"), 0, &text) && grouping_owner_text(&o, S("u-10"), 10, &text));
    grouping_owners_fini(&o);
}

TEST_MAIN(pods_and_their_groups, owners_change, texts_are_kept_a_while)
