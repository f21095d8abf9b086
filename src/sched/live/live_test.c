/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/keep.h"
#include "sched/live/test_api.h"

#define POST_ONLY(c) str_is((c)->method, "POST")

TEST(places_its_own_pods_and_counts_all)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_node(&f, "n2", 4);
    api_pod(&f, "there", 3, "n1", "");
    api_pod(&f, "mine", 2, "", ",\"schedulerName\":\"default-scheduler\"");
    api_pod(&f, "theirs", 1, "", ",\"schedulerName\":\"other\"");
    api_live(&f, NULL);
    T_OK(live_is_synced(f.l));
    T_EQ_STR(api_node_of(&f, "mine"), "n2");
    T_EQ_STR(api_node_of(&f, "theirs"), "");
    /* later ones come by the watch; 1 and 2 are free */
    api_pod(&f, "late", 2, "", "");
    api_run(&f);
    T_EQ_STR(api_node_of(&f, "late"), "n2");
    T_EQ_INT(api_count(&f, "event late Scheduled"), 1);
    T_EQ_INT(live_sched(f.l)->pods[sched_pod_find(live_sched(f.l), S("default"), S("late"))].state, PS_BOUND);
    T_EQ_INT(sched_pod_find(live_sched(f.l), S("default"), S("theirs")), POD_NONE);
    /* somebody else places one: it takes room here */
    api_tell(&f, api_assign(&f, "theirs", "n1"), "MODIFIED");
    api_pod(&f, "no-room", 1, "", "");
    api_run(&f);
    T_EQ_STR(api_node_of(&f, "no-room"), "");
    T_EQ_INT(api_count(&f, "bind"), 2);
    api_fini(&f);
}

TEST(other_names_may_be_ours)
{
    struct api f;
    static const char *const names[] = {"a", "b", NULL};
    api_init(&f);
    api_node(&f, "n1", 4);
    api_pod(&f, "pa", 1, "", ",\"schedulerName\":\"a\"");
    api_pod(&f, "pb", 1, "", ",\"schedulerName\":\"b\"");
    api_pod(&f, "pd", 1, "", "");
    api_live(&f, &(struct live_opts){.names = names, .no_events = true});
    T_EQ_STR(api_node_of(&f, "pa"), "n1");
    T_EQ_STR(api_node_of(&f, "pb"), "n1");
    T_EQ_STR(api_node_of(&f, "pd"), "");
    T_EQ_INT(api_count(&f, "event"), 0);
    api_fini(&f);
}

/* Packing and spreading on the same nodes; pods that differ in nothing but the name they wait for are no twins. */
TEST(profiles_have_their_own_pods)
{
    struct api f;
    STRBUF_AUTO b = STRBUF_HEAP;
    static const char *const names[] = {"tight", "wide", NULL};
    struct sched_profile *profile = profile_builtin(S("binpack"));
    profile->name = S("tight");
    profile->next = profile_builtin(S("spread"));
    profile->next->name = S("wide");
    api_init(&f);
    api_node(&f, "n1", 8);
    api_node(&f, "n2", 8);
    api_node(&f, "n3", 8);
    api_pod(&f, "there", 2, "n2", "");
    api_live(&f, &(struct live_opts){.names = names, .profile = profile});
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        api_pod(&f, name, 1, "", i % 2 ? ",\"schedulerName\":\"wide\"" : ",\"schedulerName\":\"tight\"");
        api_run(&f);
        T_EQ_STR(api_node_of(&f, name), i == 1 ? "n1" : i == 3 ? "n3" : "n2");
    }
    api_pod(&f, "nobodys", 1, "", ",\"schedulerName\":\"other\"");
    api_pod(&f, "usual", 1, "", "");
    api_pod(&f, "large", 9, "", ",\"schedulerName\":\"wide\"");
    api_run(&f);
    T_EQ_STR(api_node_of(&f, "nobodys"), "");
    T_EQ_STR(api_node_of(&f, "usual"), "");
    T_EQ_INT(api_count(&f, "bind"), 4);
    live_metrics_write(f.l, &b);
    static const char *const lines[] = {
        "scheduler_schedule_attempts_total{profile=\"tight\",result=\"scheduled\"} 2\n",
        "scheduler_schedule_attempts_total{profile=\"tight\",result=\"unschedulable\"} 0\n",
        "scheduler_schedule_attempts_total{profile=\"wide\",result=\"scheduled\"} 2\n",
        "scheduler_schedule_attempts_total{profile=\"wide\",result=\"unschedulable\"} 1\n",
        "scheduler_scheduling_attempt_duration_seconds_count{profile=\"wide\",result=\"scheduled\"} 2\n",
        "scheduler_scheduling_algorithm_duration_seconds_count 5\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (!strstr(strbuf_cstr(&b), lines[i]))
            T_FAIL_("no line %s in\n%s", lines[i], strbuf_cstr(&b));
    api_fini(&f);
}

TEST(gates_hold_until_they_go)
{
    struct api f;
    STRBUF_AUTO b = STRBUF_HEAP;
    api_init(&f);
    api_node(&f, "n1", 4);
    struct api_object *o = api_pod(&f, "p", 1, "", ",\"schedulingGates\":[{\"name\":\"g\"}]");
    api_live(&f, NULL);
    api_pass(&f, 400 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "");
    T_EQ_INT(api_count(&f, "condition"), 0);
    free(o->spec);
    o->spec = xstrdup(api_spec(&b, 1, ""));
    o->rv = ++f.rv;
    api_tell(&f, o, "MODIFIED");
    api_run(&f);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    api_fini(&f);
}

/* --- binds that go wrong ---------------------------------------------------------------------------------------------------------------------- */
static int bind_elsewhere(struct api *f, const struct client_call *c)
{
    if (POST_ONLY(c) && str_has_suffix(c->path, S("/p/binding")) && !f->refused) {
        api_assign(f, "p", "n2"); /* its event comes later than our GET */
        return 409;
    }
    return 0;
}

TEST(a_conflict_is_looked_up)
{
    struct api f;
    api_init(&f);
    f.refuse = bind_elsewhere;
    api_node(&f, "n1", 8);
    api_node(&f, "n2", 4);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, NULL);
    struct sched *s = live_sched(f.l);
    pod_id p = sched_pod_find(s, S("default"), S("p"));
    T_EQ_INT(f.refused, 1);
    T_EQ_INT(s->pods[p].state, PS_BOUND);
    T_EQ_STR(sched_node_name(s, s->pods[p].node), "n2");
    /* the watch has an older state first */
    struct api_object *o = api_find(&f, "pods", S("default"), S("p"));
    struct api_object was = *o;
    was.node[0] = 0;
    was.rv = o->rv - 1;
    api_tell(&f, &was, "MODIFIED");
    T_EQ_INT(s->pods[p].state, PS_BOUND);
    api_tell(&f, o, "MODIFIED");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_EQ_INT(api_count(&f, "conflict"), 0);
    api_fini(&f);
}

static int forbid_binds(struct api *f UNUSED, const struct client_call *c)
{
    return POST_ONLY(c) && str_has_suffix(c->path, S("/binding")) ? 403 : 0;
}

TEST(refused_binds_do_not_spin)
{
    struct api f;
    api_init(&f);
    f.refuse = forbid_binds;
    api_node(&f, "n1", 8);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, NULL);
    T_EQ_INT(f.refused, 1);
    api_pass(&f, 60 * NSEC_PER_SEC);
    T_OK(f.refused >= 4 && f.refused <= 8);
    f.refuse = NULL;
    api_pass(&f, 60 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    T_EQ_INT(api_count(&f, "bind p"), 1);
    api_fini(&f);
}

static int no_answer(struct api *f UNUSED, const struct client_call *c)
{
    return POST_ONLY(c) ? -1 : 0;
}

TEST(a_server_that_is_away_is_waited_for)
{
    struct api f;
    char name[16];
    api_init(&f);
    f.refuse = no_answer;
    api_node(&f, "n1", 100);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "p%02d", i);
        api_pod(&f, name, 1, "", "");
    }
    api_live(&f, &(struct live_opts){.binds = 8, .no_events = true});
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_OK(f.refused >= 8 && f.refused < 30); /* the first window, then one at a time */
    f.refuse = NULL;
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 40);
    T_EQ_INT(api_count(&f, "conflict"), 0);
    T_OK(f.most_calls <= 8 + 10); /* the window; lists and discovery besides */
    /* in the order of decisions, although the first ones came back */
    str log = strbuf_str(&f.log);
    for (int i = 0; i < 39; i++) {
        char line[40], next[40];
        snprintf(line, sizeof line, "bind p%02d", i);
        snprintf(next, sizeof next, "bind p%02d", i + 1);
        T_OK(str_find(log, str_of(line)) < str_find(log, str_of(next)));
    }
    api_fini(&f);
}

/* The answer is lost, the bind is not. */
static int lose_answer(struct api *f, const struct client_call *c)
{
    if (!POST_ONLY(c) || !str_has_suffix(c->path, S("/binding")) || f->refused)
        return 0;
    strbuf_addf(&f->log, "bind p n1\n");
    api_tell(f, api_assign(f, "p", "n1"), "MODIFIED");
    return -1;
}

TEST(a_lost_answer_binds_once)
{
    struct api f;
    api_init(&f);
    f.refuse = lose_answer;
    api_node(&f, "n1", 8);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, NULL);
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind p"), 1);
    T_EQ_INT(f.refused, 1);
    T_EQ_INT(api_count(&f, "conflict"), 0); /* the watch was faster than the second try */
    api_fini(&f);
}

static int hold_binds(struct api *f UNUSED, const struct client_call *c)
{
    return POST_ONLY(c) && str_has_suffix(c->path, S("/binding")) ? 503 : 0;
}

TEST(a_node_that_goes_takes_its_binds_along)
{
    struct api f;
    api_init(&f);
    f.refuse = hold_binds;
    api_node(&f, "big", 16);
    api_pod(&f, "p", 8, "", "");
    api_live(&f, NULL);
    api_remove(&f, "nodes", "", "big");
    api_node(&f, "other", 16);
    f.refuse = NULL;
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "other");
    T_EQ_INT(api_count(&f, "bind"), 1);
    api_fini(&f);
}

TEST(a_pod_that_comes_again_is_another)
{
    struct api f;
    api_init(&f);
    f.refuse = hold_binds;
    api_node(&f, "n1", 16);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, NULL);
    api_remove(&f, "pods", "default", "p");
    api_pod(&f, "p", 2, "", "");
    api_run(&f);
    f.refuse = NULL;
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    T_EQ_INT(api_count(&f, "bind p"), 1);
    T_EQ_INT(api_count(&f, "conflict"), 0);
    api_fini(&f);
}

/* --- words ------------------------------------------------------------------------------------------------------------------------------------------ */
TEST(waiting_is_explained_once)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 2);
    api_pod(&f, "p", 4, "", "");
    api_live(&f, NULL);
    api_pass(&f, 200 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition p PodScheduled Unschedulable: 0/1 nodes fit: 1 lacks cpu (needs 4; best free: 2 on n1)"), 1);
    T_EQ_INT(api_count(&f, "condition"), 1);
    T_EQ_INT(api_count(&f, "event p FailedScheduling"), 1);
    /* the echo of our own patch is no reason to try again: one attempt, and none before the flush */
    T_EQ_INT(dispatcher_attempts(pipeline_dispatcher(live_pipeline(f.l)), sched_unit_of(live_sched(f.l), sched_pod_find(live_sched(f.l), S("default"), S("p")))), 1);
    api_node(&f, "n2", 3); /* another sentence, and soon enough */
    api_pass(&f, 2 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition p PodScheduled Unschedulable: 0/2 nodes fit"), 1);
    api_node(&f, "n3", 1); /* within half a minute: later */
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition"), 2);
    api_pass(&f, 25 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition p PodScheduled Unschedulable: 0/3 nodes fit"), 1);
    api_node(&f, "n4", 4);
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n4");
    api_fini(&f);
}

/* Of pods that are alike one is tried for all; what the others were told is kept true all the same. */
TEST(old_news_are_renewed)
{
    struct api f;
    char name[16];
    api_init(&f);
    api_node(&f, "n1", 2);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "p%d", i);
        api_pod(&f, name, 4, "", "");
    }
    api_live(&f, NULL);
    T_EQ_INT(api_count(&f, "0/1 nodes fit"), 5);
    api_node(&f, "n2", 3);
    api_pass(&f, 400 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "0/2 nodes fit"), 5);
    api_pass(&f, 400 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition"), 10);
    api_fini(&f);
}

TEST(a_restart_does_not_say_it_again)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 2);
    api_pod(&f, "p", 4, "", "");
    api_live(&f, NULL);
    T_EQ_INT(api_count(&f, "condition"), 1);
    live_stop(f.l, api_on_stopped, &f);
    api_run(&f);
    T_OK(f.stopped);
    live_free(f.l);
    api_live(&f, NULL);
    api_pass(&f, 100 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition"), 1);
    api_fini(&f);
}

TEST(what_cannot_be_read_is_said)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 2);
    api_pod(&f, "p", 1, "", ",\"nodeSelector\":7");
    api_live(&f, NULL);
    api_pass(&f, 10 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition p PodScheduled SchedulerError: spec.nodeSelector"), 1);
    T_EQ_INT(api_count(&f, "condition"), 1);
    api_fini(&f);
}

/* --- gaps -------------------------------------------------------------------------------------------------------------------------------------------- */
static void forget(struct api *f, const char *resource, const char *ns, const char *name)
{
    /* nobody watches now */
    T_EQ_INT(f->watches.len, 0);
    api_remove(f, resource, ns, name);
}

TEST(a_gap_in_the_watch_is_closed)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_node(&f, "n2", 4);
    api_pod(&f, "a", 4, "n1", "");
    api_pod(&f, "b", 4, "n2", "");
    api_pod(&f, "c", 4, "", "");
    api_put(&f, "namespaces", "", "gone", "");
    api_put(&f, "apis/policy/v1/poddisruptionbudgets", "default", "pdb", "\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}}");
    api_live(&f, NULL);
    T_EQ_STR(api_node_of(&f, "c"), "");
    T_OK(map_has(&live_sched(f.l)->namespaces, S("gone")));
    api_pass(&f, 2 * NSEC_PER_SEC); /* its back-off is over */
    api_end_watches(&f, NULL, 410);
    forget(&f, "pods", "default", "a");
    forget(&f, "nodes", "", "n2");
    forget(&f, "namespaces", "", "gone");
    api_pod(&f, "d", 1, "", "");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "c"), "n1");
    T_EQ_STR(api_node_of(&f, "d"), "");
    T_EQ_INT(sched_node_count(live_sched(f.l)), 1);
    T_EQ_INT(sched_pod_find(live_sched(f.l), S("default"), S("a")), POD_NONE);
    T_OK(!map_has(&live_sched(f.l)->namespaces, S("gone")));
    api_fini(&f);
}

static int lists_are_forbidden(struct api *f UNUSED, const struct client_call *c)
{
    return api_is_for(c->path, "apis/policy/v1/poddisruptionbudgets") ? 403 : 0;
}

TEST(a_list_that_never_comes_is_not_waited_for)
{
    struct api f;
    api_init(&f);
    f.refuse = lists_are_forbidden;
    api_node(&f, "n1", 4);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, NULL);
    T_OK(!live_is_synced(f.l));
    T_EQ_STR(api_node_of(&f, "p"), "");
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_OK(live_is_synced(f.l));
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    api_fini(&f);
}

TEST(a_standby_follows_and_waits)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_pod(&f, "p", 1, "", "");
    api_live(&f, &(struct live_opts){.standby = true});
    api_pass(&f, NSEC_PER_SEC);
    T_OK(live_is_synced(f.l));
    T_EQ_STR(api_node_of(&f, "p"), "");
    live_lead(f.l);
    api_run(&f);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    api_fini(&f);
}

TEST(stops_with_requests_in_flight)
{
    struct api f;
    char name[16];
    api_init(&f);
    api_node(&f, "n1", 100);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "p%d", i);
        api_pod(&f, name, 1, "", "");
    }
    struct live_opts o = {.binds = 4};
    struct err err = ERR_NONE;
    o.transport = &f.t;
    o.loop = f.loop;
    o.clock = &f.clock.clock;
    o.profile = profile_builtin(S("default"));
    f.l = live_new(&o, &err);
    /* answered until the first binds are on their way */
    for (int i = 0; i < 1000 && !api_count(&f, "bind"); i++) {
        if (f.calls.len) {
            struct client_call *c = f.calls.p[0];
            vec_remove(&f.calls, 0);
            api_serve(&f, c);
        }
        api_turn(&f);
    }
    T_OK(f.calls.len > 0);
    live_stop(f.l, api_on_stopped, &f);
    T_OK(!f.stopped);
    api_run(&f);
    T_OK(f.stopped);
    size_t bound = api_count(&f, "bind");
    T_OK(bound >= 1 && bound <= 6);
    live_free(TAKE(f.l));
    /* and without waiting for the answers, when loop and transport are gone */
    f.l = live_new(&(struct live_opts){.transport = &f.t, .loop = f.loop, .clock = &f.clock.clock, .profile = profile_builtin(S("default"))}, &err);
    api_turn(&f);
    live_free(TAKE(f.l));
    vec_clear(&f.calls);
    vec_clear(&f.watches);
    api_fini(&f);
}

TEST(metrics_have_their_names)
{
    struct api f;
    STRBUF_AUTO b = STRBUF_HEAP;
    api_init(&f);
    api_node(&f, "n1", 2);
    api_pod(&f, "a", 1, "", "");
    api_pod(&f, "b", 4, "", "");
    api_live(&f, NULL);
    live_metrics_write(f.l, &b);
    static const char *const lines[] = {
        "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1\n",
        "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"unschedulable\"} 1\n",
        "scheduler_pending_pods{queue=\"unschedulable\"} 1\n",
        "scheduler_pending_pods{queue=\"active\"} 0\n",
        "scheduler_scheduling_attempt_duration_seconds_count{profile=\"default-scheduler\",result=\"scheduled\"} 1\n",
        "scheduler_scheduling_algorithm_duration_seconds_count 2\n",
        "scheduler_pod_scheduling_attempts_sum 1\n",
        "scheduler_pod_scheduling_sli_duration_seconds_count 1\n",
        "scheduler_preemption_victims_count 0\n",
        "scheduler_cache_size{type=\"nodes\"} 1\n",
        "cox_scheduler_binds_total{answer=\"ok\"} 1\n",
        "cox_scheduler_protected_tasks 0\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        if (str_find(strbuf_str(&b), str_of(lines[i])) < 0)
            T_FAIL_("no %s", lines[i]);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct json x;
    struct err err = ERR_NONE;
    T_NO_ERR(live_explain(f.l, &a, S("default"), S("b"), &x, &err), &err);
    T_EQ_STR(json_get_str(&x, S("result")), "Rejected");
    T_NO_ERR(live_explain(f.l, &a, S("default"), S("a"), &x, &err), &err);
    T_EQ_STR(json_get_str(&x, S("node")), "n1");
    T_ERR(live_explain(f.l, &a, S("default"), S("c"), &x, &err), E_NOT_FOUND);
    api_fini(&f);
}

static void part(struct sched *s, const char *ns, const char *task, const char *on, int64_t mbit)
{
    struct err err = ERR_NONE;
    struct spec_label label = {S("domain"), str_of(ns)};
    struct res_amount req[] = {{RES_CPU, 10}, {RES_EGRESS, mbit * 1000000}};
    struct pod_spec p = {.ns = str_of(ns), .name = str_of(task), .group = on ? S("") : str_of(task), .group_is_cluster = !on, .subgroup = on ? S("") : str_of(ns), .requests = {req, 2}, .node = on ? str_of(on) : S(""),
                         .phase = on ? POD_BOUND : POD_PENDING, .node_selector = {&label, 1}};
    T_NO_ERR(sched_pod_put(s, &p, NULL, &err), &err);
}

/* Of a task of alice and bob, for which room is kept: alice lacks something, and bob is not told of her nodes. */
TEST(another_partys_nodes_are_not_told)
{
    static const char *const nodes[][2] = {{"alice", "a0"}, {"bob", "b0"}};
    struct api f;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json x;
    api_init(&f);
    api_live(&f, NULL);
    struct sched *s = live_sched(f.l);
    struct spec_subgroup sub[] = {{.name = S("alice"), .min_member = 1}, {.name = S("bob"), .min_member = 1}};
    for (size_t i = 0; i < 2; i++) {
        struct spec_label label = {S("domain"), str_of(nodes[i][0])};
        struct res_amount res[] = {{RES_CPU, 8000}, {RES_MEMORY, 1ll << 40}, {RES_PODS, 100}, {RES_EGRESS, 1000000000}};
        T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = str_of(nodes[i][1]), .labels = {&label, 1}, .allocatable = {res, 4}}, NULL, &err), &err);
    }
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(s, &(struct group_spec){.ns = S(""), .name = S("large"), .subgroups = sub, .nsubgroups = 2, .min_member = 2}, &u, &err), &err);
    part(s, "alice", "old", "a0", 300);
    part(s, "alice", "large", NULL, 1000);
    part(s, "bob", "large", NULL, 1000);
    T_OK(keep_make(s, u, 0, NSEC_PER_SEC, 0));
    T_NO_ERR(live_explain(f.l, &a, S("alice"), S("large"), &x, &err), &err);
    T_EQ_STR(json_get_str(&x, S("keptOn")), "a0");
    T_NO_ERR(live_explain(f.l, &a, S("bob"), S("large"), &x, &err), &err);
    T_EQ_STR(json_get_str(&x, S("message")), "waits for party alice, which lacks egress bandwidth (needs 1,000 Mbit/s)");
    T_OK(str_find(json_text(&a, &x), S("a0")) < 0);
    keep_drop(s, u);
    api_fini(&f);
}

TEST_MAIN(places_its_own_pods_and_counts_all, other_names_may_be_ours, profiles_have_their_own_pods, gates_hold_until_they_go, a_conflict_is_looked_up, refused_binds_do_not_spin, a_server_that_is_away_is_waited_for,
          a_lost_answer_binds_once, a_node_that_goes_takes_its_binds_along, a_pod_that_comes_again_is_another, waiting_is_explained_once, old_news_are_renewed, a_restart_does_not_say_it_again,
          what_cannot_be_read_is_said, a_gap_in_the_watch_is_closed, a_list_that_never_comes_is_not_waited_for, a_standby_follows_and_waits, stops_with_requests_in_flight,
          metrics_have_their_names, another_partys_nodes_are_not_told)
