/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "base/test.h"
#include "sched/live/live_internal.h"
#include "sched/live/test_api.h"

static void movement(struct live *l, struct arena *a, const char *creator, int i)
{
    struct err err = ERR_NONE;
    struct json obj;
    char when[CIVIL_TIME_LEN + 1];
    civil_format(live_now(l), when);
    str text = arena_fmt(a, "{\"metadata\":{\"name\":\"%s-%d\",\"creationTimestamp\":\"%s\"},\"spec\":{\"creator\":\"%s\",\"deletedTasks\":[{},{}]}}", creator, i, when, creator);
    T_NO_ERR(json_parse(a, text, NULL, &obj, &err), &err);
    live_move_put(l, &obj);
}

/* The memory of what was spent is not pushed out by others' objects: without it there would be no budget. */
TEST(our_own_count_beside_any_number_of_others)
{
    struct api f;
    ARENA_AUTO a = ARENA_INIT;
    struct live_moves_spent spent;
    api_init(&f);
    api_node(&f, "n1", 8);
    api_live(&f, NULL);
    for (int i = 0; i < 300; i++)
        movement(f.l, &a, "somebody", i);
    live_moves_spent(f.l, live_now(f.l), NSEC_PER_SEC, "", &spent);
    T_EQ_INT(spent.pods, 0);
    movement(f.l, &a, LIVE_DEFRAG_CREATOR, 1);
    movement(f.l, &a, LIVE_DEFRAG_CREATOR, 2);
    live_moves_spent(f.l, live_now(f.l), NSEC_PER_SEC, LIVE_DEFRAG_CREATOR "-2", &spent);
    T_EQ_INT(spent.pods, 4);
    T_OK(spent.seen_last);
    api_fini(&f);
}

TEST_MAIN(our_own_count_beside_any_number_of_others)
