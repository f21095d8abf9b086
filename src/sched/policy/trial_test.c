/* What a trial says is what a round does afterwards, and asking changes nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/simulate.h"
#include "sched/policy/test_batch.h"

static const struct {
    const char *name, *nodes, *queues, *units; /* asked about: "j" */
    enum policy_start start;
    int victims;
    enum policy_action action;
} cases[] = {
    {"room", "n1 4", "a q=4", "j@a 2x2", POLICY_STARTS_NOW, 0, POLICY_ALLOCATE},
    {"behind others that fit as well", "n1 4", "a q=4", "k@a 1x2; j@a 1x2 created=5", POLICY_STARTS_NOW, 0, POLICY_ALLOCATE},
    {"its own back from another", "n1 4", "a q=2; b q=2", "k@b 1x2 on=n1; l@b 1x2 on=n1; j@a 1x2", POLICY_STARTS_AFTER_EVICTION, 1, POLICY_RECLAIM},
    {"more important in its queue", "n1 4", "a q=4", "k@a 1x4 on=n1 pri=50; j@a 1x4 pri=60", POLICY_STARTS_AFTER_EVICTION, 1, POLICY_PREEMPT},
    {"one has to move", "n1 4; n2 4", "a q=8", "k@a 1x1 on=n1; l@a 1x1 on=n2; j@a 1x4", POLICY_STARTS_AFTER_EVICTION, 1, POLICY_CONSOLIDATE},
    {"beyond its share", "n1 4", "a q=2; b q=2", "k@b 1x2 on=n1; l@b 1x2 on=n1; j@a 1x4", POLICY_STARTS_LATER, 0, POLICY_ALLOCATE},
    {"those cannot be preempted", "n1 4", "a q=4", "k@a 1x4 on=n1 fixed; j@a 1x4", POLICY_STARTS_LATER, 0, POLICY_ALLOCATE},
    {"the limit is reached", "n1 4", "a q=4 l=2", "k@a 1x2 on=n1; j@a 1x2", POLICY_STARTS_LATER, 0, POLICY_ALLOCATE},
    {"beyond the limit by itself", "n1 4", "a q=4 l=2", "j@a 1x4", POLICY_STARTS_NEVER, 0, POLICY_ALLOCATE},
    {"fixed and beyond the quota by itself", "n1 4", "a q=2", "j@a 1x4 fixed", POLICY_STARTS_NEVER, 0, POLICY_ALLOCATE},
    {"too large for any node", "n1 4; n2 4", "a q=8", "j@a 1x8", POLICY_STARTS_NEVER, 0, POLICY_ALLOCATE},
    {"a gang too large for all", "n1 4; n2 4", "a q=8", "j@a 3x4", POLICY_STARTS_NEVER, 0, POLICY_ALLOCATE},
    {"a queue that is not there", "n1 4", "a q=4", "j@nope 1x1", POLICY_STARTS_NEVER, 0, POLICY_ALLOCATE},
};

static unit_id unit_of(struct batch_world *w, const char *name)
{
    unit_id u = sched_group_find(w->s, S("x"), str_of(name));
    pod_id p = u ? POD_NONE : sched_pod_find(w->s, S("x"), str_of(name));
    if (!u && !p)
        p = sched_pod_find(w->s, S("x"), S("j-0"));
    return u ? u : sched_unit_of(w->s, p);
}

TEST(a_trial_says_what_a_round_does)
{
    static struct batch_world w;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct policy_trial t = POLICY_TRIAL_INIT;
        batch_new(&w, cases[i].nodes, cases[i].queues, cases[i].units, NULL);
        uint64_t before = batch_digest(&w);
        for (int again = 0; again < 2; again++) {
            policy_try(w.p, unit_of(&w, "j"), w.now, &t);
            if (t.start != cases[i].start || (int)t.victims.len != cases[i].victims || (t.start == POLICY_STARTS_AFTER_EVICTION && t.action != cases[i].action))
                T_FAIL_("%s: starts %d with %zu victims by %d", cases[i].name, (int)t.start, t.victims.len, (int)t.action);
            T_OK(batch_digest(&w) == before);
            T_OK(batch_check(&w));
        }
        bool now = t.start == POLICY_STARTS_NOW || t.start == POLICY_STARTS_AFTER_EVICTION;
        policy_trial_fini(&t);
        for (int turn = 0; turn < 3; turn++)
            batch_turn(&w);
        str node;
        if ((batch_running(&w, S("j"), &node) > 0) != now)
            T_FAIL_("%s: it was said to start: %d, and runs: %d", cases[i].name, now, !now);
        batch_free(&w);
    }
}

static struct json parse(struct arena *a, const char *text)
{
    struct json v;
    struct err err = ERR_NONE;
    str json = arena_str(a, str_of(text));
    for (size_t i = 0; i < json.len; i++)
        if (json.p[i] == '\'')
            ((char *)json.p)[i] = '"';
    T_NO_ERR(json_parse(a, json, NULL, &v, &err), &err);
    return v;
}

#define GPU(n) "{'spec':{'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'" n "'}}}]}}"

TEST(questions_leave_no_trace)
{
    static struct batch_world w;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json answer, q = parse(&a, "{'templates':[{'replicas':2,'template':" GPU("2") "}]}");
    batch_new(&w, "n1 4", "a q=4; b q=0", "k@b 1x2 on=n1; l@b 1x2 on=n1; m@b 1x1", NULL);
    uint64_t before = batch_digest(&w);
    uint32_t units = w.s->nunits_slots;
    sched_take_events(w.s);
    for (int i = 0; i < 100; i++)
        T_NO_ERR(simulate_ask(w.p, &a, S("a"), &q, w.now, NULL, &answer, &err), &err);
    T_EQ_STR(json_get_str(&answer, S("starts")), "AfterEviction");
    T_EQ_STR(json_get_str(&answer, S("action")), "reclaim");
    T_EQ_INT(json_get(&answer, S("victims"))->len, 2);
    T_EQ_STR(json_get_str(&json_get(&answer, S("victims"))->items[0], S("queue")), "b");
    T_EQ_INT(json_get_int(&json_get(&answer, S("nodes"))->items[0], S("pods"), 0), 2);
    T_OK(batch_digest(&w) == before && w.s->nunits_slots <= units + 2);
    T_EQ_INT(sched_take_events(w.s), 0);
    T_OK(batch_check(&w));
    q = parse(&a, "{'pods':[" GPU("1") "]}");
    T_NO_ERR(simulate_ask(w.p, &a, S("b"), &q, w.now, NULL, &answer, &err), &err);
    T_EQ_STR(json_get_str(&answer, S("starts")), "Waits");
    T_OK(json_get_int(&answer, S("position"), 0) >= 1);
    q = parse(&a, "{'templates':[{'replicas':2,'template':" GPU("4") "}]}");
    T_NO_ERR(simulate_ask(w.p, &a, S("a"), &q, w.now, NULL, &answer, &err), &err);
    T_EQ_STR(json_get_str(&answer, S("starts")), "Never");
    T_OK(str_find(json_get_str(&answer, S("reason")), S("~")) < 0);
    /* a pod of a task of several institutions is asked about like any other */
    static const char *const of_task[] = {"{'pods':[{'metadata':{'annotations':{'kuscia.secretflow/task-resource-group':'t'}},'spec':{}}]}",
                                          "{'pods':[{'metadata':{'annotations':{'kuscia.secretflow/task-resource-group':'t'}},'spec':{}},{'spec':{}}]}"};
    for (size_t i = 0; i < ARRAY_LEN(of_task); i++) {
        q = parse(&a, of_task[i]);
        T_NO_ERR(simulate_ask(w.p, &a, S("a"), &q, w.now, NULL, &answer, &err), &err);
        T_EQ_STR(json_get_str(&answer, S("starts")), "Now");
        T_OK(batch_digest(&w) == before && batch_check(&w));
    }
    batch_free(&w);
}

/* Reservations are of those who wait: a question makes none, honours those there are, and changes nothing about anybody. */
TEST(questions_beside_reservations)
{
    static struct batch_world w;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.hold_after_ns = 0;
    o.max_reservations = 1;
    struct json answer, four = parse(&a, "{'pods':[" GPU("4") "]}"), three = parse(&a, "{'pods':[" GPU("3") "]}"), two = parse(&a, "{'pods':[" GPU("2") "]}");
    batch_new(&w, "n1 4", "a q=4", "k@a 1x4 on=n1 run=100 fixed", &o);
    batch_turn(&w);
    uint64_t before = batch_digest(&w);
    T_NO_ERR(simulate_ask(w.p, &a, S("a"), &four, w.now, NULL, &answer, &err), &err);
    T_EQ_STR(json_get_str(&answer, S("starts")), "Waits");
    T_EQ_INT(policy_reservations(w.p), 0);
    T_OK(batch_digest(&w) == before && batch_check(&w));
    batch_free(&w);

    batch_new(&w, "n1 4; n2 1", "a q=4", "k@a 1x2 on=n1 run=100 fixed; h@a 1x4 created=1", &o);
    batch_turn(&w);
    batch_turn(&w);
    T_EQ_INT(policy_reservations(w.p), 1);
    before = batch_digest(&w);
    T_NO_ERR(simulate_ask(w.p, &a, S("a"), &three, w.now, NULL, &answer, &err), &err);
    T_NO_ERR(simulate_ask(w.p, &a, S("a"), &two, w.now, NULL, &answer, &err), &err);
    T_EQ_STR(json_get_str(&answer, S("starts")), "Waits"); /* the room is kept free for h */
    T_EQ_INT(policy_reservations(w.p), 1);
    T_OK(batch_digest(&w) == before && batch_check(&w));
    batch_unit(&w, S("j@a 1x2 created=7"), 300);
    batch_turn(&w);
    batch_turn(&w);
    T_OK(batch_expect(&w, "j 0; h 0", "as it was said"));
    batch_free(&w);

    batch_new(&w, "n1 4", "a q=4; b q=4", "k@a 1x4 on=n1 fixed", NULL);
    batch_turn(&w);
    struct json once = parse(&a, "{'podGroup':{'spec':{'minMember':1,'schedulingBackoff':1}},'pods':[" GPU("4") "]}");
    T_NO_ERR(simulate_ask(w.p, &a, S("a"), &once, w.now, NULL, &answer, &err), &err);
    batch_unit(&w, S("j@b 1x2 created=5"), 200);
    batch_turn(&w);
    struct policy_why why;
    policy_why(w.p, sched_unit_of(w.s, sched_pod_find(w.s, S("x"), S("j"))), &why);
    T_OK(!why.gave_up);
    batch_free(&w);
}

TEST(questions_that_cannot_be_answered_are_refused)
{
    static struct batch_world w;
    static const struct {
        const char *question, *words;
    } bad[] = {
        {"[]", "must be an object"},
        {"{}", "0 pods"},
        {"{'pods':{}}", "must be lists"},
        {"{'pods':[3]}", "pods[0].spec"},
        {"{'podGroup':1,'pods':[]}", "podGroup"},
        {"{'templates':[{'replicas':1e9,'template':{'spec':{}}}]}", "templates[0].replicas"},
        {"{'templates':[{'replicas':1025,'template':{'spec':{}}}]}", "templates[0].replicas"},
        {"{'templates':[{'replicas':1024,'template':{'spec':{}}},{'template':{'spec':{}}}]}", "1025 pods"},
        {"{'pods':[" GPU("1") "],'minMember':2}", "minMember"},
        {"{'pods':[" GPU("1") "],'podGroup':{'spec':{'minMember':2}}}", "minMember"},
        {"{'pods':[" GPU("x") "]}", "pods[0]"},
        {"{'pods':[" GPU("1") "," GPU("-1") "]}", "pods[1]"},
        {"{'pods':[{'spec':{'priorityClassName':'none'}}]}", "priority class"},
        {"{'more':1}", "more: is not known"},
    };
    batch_new(&w, "n1 4", "a q=4", "k@a 1x2 on=n1", NULL);
    uint64_t before = batch_digest(&w);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct err err = ERR_NONE;
        struct json answer, q = parse(&a, bad[i].question);
        int r = simulate_ask(w.p, &a, S("a"), &q, w.now, NULL, &answer, &err);
        if (r != -E_INVALID_ARG || str_find(str_of(err.msg), str_of(bad[i].words)) < 0)
            T_FAIL_("%s: %d %s", bad[i].question, r, err.msg);
        T_OK(batch_digest(&w) == before && batch_check(&w));
    }
    batch_free(&w);
}

TEST_MAIN(a_trial_says_what_a_round_does, questions_leave_no_trace, questions_beside_reservations, questions_that_cannot_be_answered_are_refused)
