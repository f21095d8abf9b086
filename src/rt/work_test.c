/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/work.h"

#include <stdatomic.h>

#include "base/test.h"

#define ITEMS 200

struct sum {
    struct work_item item;
    atomic_int *running, *most;
    int n, answer;
};

static struct loop *loop;
static int done_count, total;

static void add_up(struct work_item *w)
{
    struct sum *s = container_of(w, struct sum, item);
    int now = atomic_fetch_add(s->running, 1) + 1, most = atomic_load(s->most);
    while (now > most && !atomic_compare_exchange_weak(s->most, &most, now)) {
    }
    for (int i = 1; i <= s->n; i++)
        s->answer += i;
    atomic_fetch_sub(s->running, 1);
}

static void note(struct work_item *w)
{
    struct sum *s = container_of(w, struct sum, item);
    T_OK(loop_is_current(loop));
    total += s->answer;
    if (++done_count == ITEMS)
        loop_stop(loop);
}

TEST(items_run_apart_and_end_on_the_loop)
{
    struct err err;
    atomic_int running = 0, most = 0;
    static struct sum sums[ITEMS];
    loop = loop_new("main", &clock_real, &err);
    struct work_pool *p = work_pool_new("work", 3);
    for (int i = 0; i < ITEMS; i++) {
        sums[i] = (struct sum){.item = {.loop = loop, .run = add_up, .done = note}, .running = &running, .most = &most, .n = 10};
        work_submit(p, &sums[i].item);
    }
    loop_run(loop);
    T_EQ_INT(done_count, ITEMS);
    T_EQ_INT(total, ITEMS * 55);
    T_OK(atomic_load(&most) >= 1 && atomic_load(&most) <= 3);
    work_pool_free(p);
    loop_free(loop);
}

TEST(a_pool_without_work_ends)
{
    work_pool_free(work_pool_new("none", 2));
    work_pool_free(NULL);
}

TEST_MAIN(items_run_apart_and_end_on_the_loop, a_pool_without_work_ends)
