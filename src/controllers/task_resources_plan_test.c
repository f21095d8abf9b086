/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/task_resources_plan.h"

#include "base/test.h"

#define SEC NSEC_PER_SEC
static const struct reserve_limits limits = {300 * SEC, 30 * SEC, 20 * SEC};

static enum reserve_step at(struct reserve_pace *p, nsec_t mono, bool refused, bool failed, nsec_t *again)
{
    struct reserve_view v = {.mono = mono, .is_refused = refused, .is_failed = failed};
    return reserve_next(p, &limits, &v, again);
}

TEST(a_group_that_waits)
{
    nsec_t again, m = 1000 * SEC, wall = 1000000 * SEC;
    struct reserve_pace p = reserve_pace(m, wall, wall, wall, &limits);
    T_EQ_INT(at(&p, m, false, false, &again), RESERVE_WAIT);
    T_EQ_INT(again, m + 300 * SEC);
    T_EQ_INT(at(&p, m + 5 * SEC, true, false, &again), RESERVE_WAIT);
    T_EQ_INT(again, m + 35 * SEC);
    T_EQ_INT(at(&p, m + 35 * SEC, true, false, &again), RESERVE_REFUSED);
    p.changed = m + 35 * SEC;
    T_EQ_INT(at(&p, m + 54 * SEC, true, true, &again), RESERVE_WAIT);
    T_EQ_INT(again, m + 55 * SEC);
    T_EQ_INT(at(&p, m + 55 * SEC, true, true, &again), RESERVE_AGAIN);
    p.changed = m + 55 * SEC;
    T_EQ_INT(at(&p, m + 84 * SEC, true, false, &again), RESERVE_WAIT);
    T_EQ_INT(at(&p, m + 85 * SEC, true, false, &again), RESERVE_REFUSED);
    T_EQ_INT(at(&p, m + 299 * SEC, true, true, &again), RESERVE_AGAIN);
    T_EQ_INT(again, m + 300 * SEC); /* never later than its end */
    T_EQ_INT(at(&p, m + 300 * SEC, true, true, &again), RESERVE_EXPIRED);
    T_EQ_INT(again, 0);
    struct reserve_view room = {.mono = m + 301 * SEC, .has_room = true};
    T_EQ_INT(reserve_next(&p, &limits, &room, &again), RESERVE_DONE);
}

TEST(a_refusal_that_ends_counts_anew)
{
    nsec_t again, m = 1000 * SEC;
    struct reserve_pace p = reserve_pace(m, SEC, SEC, SEC, &limits);
    at(&p, m, true, false, &again);
    at(&p, m + 20 * SEC, false, false, &again);
    T_EQ_INT(at(&p, m + 40 * SEC, true, false, &again), RESERVE_WAIT);
    T_EQ_INT(at(&p, m + 69 * SEC, true, false, &again), RESERVE_WAIT);
    T_EQ_INT(at(&p, m + 70 * SEC, true, false, &again), RESERVE_REFUSED);
}

/* The controller starts again and the wall clock is somewhere: the group has between none and all of its time left, and never more. */
TEST(stamps_of_a_clock_that_jumped)
{
    nsec_t again, m = 7 * SEC, wall = 1000000 * SEC;
    struct reserve_pace later = reserve_pace(m, wall, wall + 3600 * SEC, wall + 3600 * SEC, &limits); /* made in the future: as if it were new */
    T_EQ_INT(at(&later, m, true, false, &again), RESERVE_WAIT);
    T_EQ_INT(again, m + 30 * SEC);
    T_EQ_INT(at(&later, m + 300 * SEC, true, false, &again), RESERVE_EXPIRED);
    struct reserve_pace half = reserve_pace(m, wall, wall - 200 * SEC, wall - 10 * SEC, &limits);
    T_EQ_INT(at(&half, m + 99 * SEC, false, false, &again), RESERVE_WAIT);
    T_EQ_INT(again, m + 100 * SEC);
    T_EQ_INT(at(&half, m + 100 * SEC, false, false, &again), RESERVE_EXPIRED);
    struct reserve_pace none = reserve_pace(m, wall, 0, 0, &limits);
    T_EQ_INT(none.born, m);
    T_EQ_INT(none.changed, m);
}

TEST_MAIN(a_group_that_waits, a_refusal_that_ends_counts_anew, stamps_of_a_clock_that_jumped)
