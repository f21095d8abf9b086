/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/deployment_plan.h"

#include "controllers/workload_testing.h"

/* A set per image: "img replicas pods available [desired most]"; the first image is the Deployment's. */
static struct json set_of(struct arena *a, const char *image, int replicas, int available, int desired, int most)
{
    struct json s = tree(a, arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'s-%s','uid':'u-%s','generation':1,'annotations':{'deployment.kubernetes.io/revision':'%d',"
                                                       "'deployment.kubernetes.io/desired-replicas':'%d','deployment.kubernetes.io/max-replicas':'%d'}},"
                                                       "'spec':{'replicas':%d,'template':{'metadata':{'labels':{'app':'w','pod-template-hash':'%s'}},'spec':{'image':'%s'}}},"
                                                       "'status':{'observedGeneration':1,'replicas':%d,'readyReplicas':%d,'availableReplicas':%d}}",
                                                    image, image, image[0] - '0', desired, most, replicas, image, image, replicas, available, available)));
    return s;
}

static struct json deployment(struct arena *a, const char *image, int replicas, const char *surge, const char *unavailable, const char *more)
{
    return tree(a, arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'w','generation':1},'spec':{'replicas':%d,'progressDeadlineSeconds':600,'strategy':{'type':'RollingUpdate','rollingUpdate':"
                                              "{'maxSurge':%s,'maxUnavailable':%s}},'template':{'metadata':{'labels':{'app':'w'}},'spec':{'image':'%s'}}%s}}",
                                           replicas, surge, unavailable, image, more)));
}

static void read_sets(struct arena *a, struct dep *d, const struct json *obj, struct json *trees, size_t n)
{
    struct dep_set *sets = arena_array(a, n + 1, struct dep_set);
    for (size_t i = 0; i < n; i++)
        deployment_read_set(&sets[i], &trees[i]);
    deployment_read(a, d, obj, sets, n, 1000 * NSEC_PER_SEC);
}

static int64_t size_of(const struct dep *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (str_is(d->sets[i].name, name))
            return d->sets[i].replicas;
    return -1;
}

TEST(finds_its_set_by_template)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "2", 3, "'25%'", "'25%'", ""), sets[] = {set_of(&a, "1", 3, 3, 3, 4), set_of(&a, "2", 0, 0, 3, 4)};
    struct dep d;
    read_sets(&a, &d, &obj, sets, 2);
    T_OK(d.new >= 0 && str_is(d.sets[d.new].name, "s-2"));
    T_EQ_INT(d.surge, 1);
    T_EQ_INT(d.unavailable, 0);
    T_EQ_INT(deployment_next_revision(&d), 2);
}

TEST(both_bounds_zero_still_moves)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "1", 1, "0", "'25%'", "");
    struct dep d;
    read_sets(&a, &d, &obj, NULL, 0);
    T_EQ_INT(d.unavailable, 1);
    T_OK(deployment_wants_new(&d));
    T_EQ_INT(deployment_new_replicas(&d), 1);
}

/* Plays a roll-out: every step the new pods get available; bounds hold at each step. */
TEST(rolls_within_bounds)
{
    static const struct {
        int replicas, surge, unavailable;
    } cases[] = {{10, 3, 2}, {10, 0, 1}, {10, 10, 0}, {1, 1, 0}, {4, 1, 4}, {7, 2, 3}};
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        int old = cases[c].replicas, new = 0, steps = 0;
        int old_available = old, new_available = 0;
        for (; (old || new < cases[c].replicas || new_available < new) && steps < 200; steps++) {
            ARENA_AUTO a = ARENA_INIT;
            char surge[8], unavailable[8];
            snprintf(surge, sizeof surge, "%d", cases[c].surge);
            snprintf(unavailable, sizeof unavailable, "%d", cases[c].unavailable);
            struct json obj = deployment(&a, "2", cases[c].replicas, surge, unavailable, "");
            struct json sets[] = {set_of(&a, "1", old, old_available, cases[c].replicas, cases[c].replicas + cases[c].surge),
                                  set_of(&a, "2", new, new_available, cases[c].replicas, cases[c].replicas + cases[c].surge)};
            struct dep d;
            read_sets(&a, &d, &obj, sets, 2);
            deployment_plan(&d);
            bool moved = size_of(&d, "s-1") != old || size_of(&d, "s-2") != new;
            old = (int)size_of(&d, "s-1");
            new = (int)size_of(&d, "s-2");
            old_available = MIN(old_available, old);
            T_OK(old + new <= cases[c].replicas + cases[c].surge);
            T_OK(old_available + new_available >= cases[c].replicas - cases[c].unavailable);
            if (!moved && new_available < new)
                new_available++;
        }
        T_EQ_INT(old, 0);
        T_EQ_INT(new_available, cases[c].replicas);
    }
}

TEST(unhealthy_old_pods_go_first)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "3", 10, "2", "2", ""), sets[] = {set_of(&a, "1", 4, 0, 10, 12), set_of(&a, "2", 6, 6, 10, 12), set_of(&a, "3", 2, 0, 10, 12)};
    struct dep d;
    read_sets(&a, &d, &obj, sets, 3);
    deployment_plan(&d); /* 12 pods, 8 must stay available, 2 new ones are not: 2 may go, and the broken ones do */
    T_EQ_INT(size_of(&d, "s-1"), 2);
    T_EQ_INT(size_of(&d, "s-2"), 6);
}

TEST(scales_in_proportion)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "2", 20, "0", "1", ""), sets[] = {set_of(&a, "1", 6, 6, 10, 10), set_of(&a, "2", 4, 0, 10, 10)};
    struct dep d;
    read_sets(&a, &d, &obj, sets, 2);
    T_OK(!deployment_wants_new(&d));
    deployment_plan(&d);
    T_EQ_INT(size_of(&d, "s-1"), 12);
    T_EQ_INT(size_of(&d, "s-2"), 8);
    obj = deployment(&a, "2", 5, "0", "1", "");
    read_sets(&a, &d, &obj, sets, 2);
    deployment_plan(&d);
    T_EQ_INT(size_of(&d, "s-1") + size_of(&d, "s-2"), 5);
    obj = deployment(&a, "2", 0, "0", "1", "");
    read_sets(&a, &d, &obj, sets, 2);
    deployment_plan(&d);
    T_EQ_INT(size_of(&d, "s-1") + size_of(&d, "s-2"), 0);
}

TEST(paused_makes_no_set)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "2", 5, "1", "0", ",'paused':true"), sets[] = {set_of(&a, "1", 3, 3, 3, 4)};
    struct dep d;
    read_sets(&a, &d, &obj, sets, 1);
    T_OK(!deployment_wants_new(&d));
    deployment_plan(&d);
    T_EQ_INT(size_of(&d, "s-1"), 5);
}

TEST(recreate_waits_for_the_last_pod)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = tree(&a, "{'spec':{'replicas':3,'strategy':{'type':'Recreate'},'template':{'metadata':{'labels':{'app':'w'}},'spec':{'image':'2'}}}}");
    struct json sets[] = {set_of(&a, "1", 0, 0, 3, 3)};
    struct dep d;
    read_sets(&a, &d, &obj, sets, 1);
    T_OK(deployment_wants_new(&d));
    d.sets[0].running = true;
    T_OK(!deployment_wants_new(&d));
}

static str reason_of(const struct json *status, const char *type)
{
    const struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return json_get_str(&list->items[i], S("reason"));
    return S("");
}

TEST(status_tells_progress)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "1", 3, "1", "0", ""), sets[] = {set_of(&a, "1", 3, 1, 3, 4)};
    struct dep d;
    nsec_t after;
    read_sets(&a, &d, &obj, sets, 1);
    struct json st = deployment_status(&a, &d, S(""), &after);
    T_EQ_STR(reason_of(&st, "Progressing"), "ReplicaSetUpdated");
    T_EQ_STR(reason_of(&st, "Available"), "MinimumReplicasUnavailable");
    T_EQ_INT(json_get_int(&st, S("unavailableReplicas"), 0), 2);
    T_EQ_INT(after, 601 * NSEC_PER_SEC);
    json_set(&a, &obj, S("status"), st);
    d.now += 700 * NSEC_PER_SEC;
    st = deployment_status(&a, &d, S(""), &after);
    T_EQ_STR(reason_of(&st, "Progressing"), "ProgressDeadlineExceeded");
    T_EQ_INT(after, 0);
    sets[0] = set_of(&a, "1", 3, 3, 3, 4);
    read_sets(&a, &d, &obj, sets, 1);
    st = deployment_status(&a, &d, S(""), &after);
    T_EQ_STR(reason_of(&st, "Progressing"), "NewReplicaSetAvailable");
    T_EQ_STR(reason_of(&st, "Available"), "MinimumReplicasAvailable");
    T_OK(deployment_is_complete(&d, &st));
}

TEST(history_keeps_the_newest)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = deployment(&a, "4", 1, "1", "0", ",'revisionHistoryLimit':1");
    struct json sets[] = {set_of(&a, "1", 0, 0, 1, 2), set_of(&a, "2", 0, 0, 1, 2), set_of(&a, "3", 0, 0, 1, 2), set_of(&a, "4", 1, 1, 1, 2)};
    struct dep d;
    size_t old[5];
    read_sets(&a, &d, &obj, sets, 4);
    T_EQ_INT(deployment_history(&d, old), 2);
    T_EQ_STR(d.sets[old[0]].name, "s-1");
    T_EQ_STR(d.sets[old[1]].name, "s-2");
    sets[0] = set_of(&a, "1", 1, 1, 1, 2); /* one with pods is not history */
    read_sets(&a, &d, &obj, sets, 4);
    T_EQ_INT(deployment_history(&d, old), 0);
}

TEST_MAIN(finds_its_set_by_template, both_bounds_zero_still_moves, rolls_within_bounds, unhealthy_old_pods_go_first, scales_in_proportion, paused_makes_no_set,
          recreate_waits_for_the_last_pod, status_tells_progress, history_keeps_the_newest)
