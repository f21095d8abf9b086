/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/live/live_internal.h"
#include "sched/live/test_api.h"

#define KAI ",{\"name\":\"scheduling.run.ai\",\"versions\":[{\"version\":\"v2\"},{\"version\":\"v2alpha2\"}],\"preferredVersion\":{\"version\":\"v2\"}}"
#define OTHER ",{\"name\":\"scheduling.x-k8s.io\",\"versions\":[{\"version\":\"v1alpha1\"}],\"preferredVersion\":{\"version\":\"v1alpha1\"}}"
#define QUEUES "apis/scheduling.run.ai/v2/queues"
#define GROUPS "apis/scheduling.run.ai/v2alpha2/podgroups"
#define STATUS "patch " GROUPS " gang "

static void queue(struct api *f, const char *name, int cpu_limit_milli)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "\"spec\":{\"resources\":{\"cpu\":{\"quota\":-1,\"overQuotaWeight\":1,\"limit\":%d}}}", cpu_limit_milli);
    api_put(f, QUEUES, "", name, strbuf_cstr(&b));
}

static void member_with(struct api *f, const char *name, int cpu, const char *more)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct api_object *o = api_put(f, "pods", "default", name, "");
    snprintf(o->meta, sizeof o->meta, ",\"annotations\":{\"pod-group-name\":\"gang\"}");
    o->spec = xstrdup(api_spec(&b, cpu, more));
    api_tell(f, o, "ADDED");
}

static void member(struct api *f, const char *name, int cpu)
{
    member_with(f, name, cpu, "");
}

static void begin(struct api *f)
{
    api_init(f);
    f->groups = KAI OTHER;
    api_node(f, "n1", 8);
    queue(f, "q", 4000);
}

TEST(the_status_follows_the_pods_and_is_written_once)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"}");
    member(&f, "m1", 1);
    api_live(&f, NULL);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"reason\":\"NotReady\",\"message\":\"1 of at least 2 members created; waiting for 1 more\",\"reasons\":[{"), 1);
    T_EQ_INT(api_count(&f, "event gang NotReady"), 1);
    T_EQ_INT(api_count(&f, STATUS), 1); /* its own writing came back, and was no news */
    member(&f, "m2", 1);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind m"), 2);
    T_EQ_INT(api_count(&f, "\"phase\":\"Running\",\"running\":2,\"pending\":0"), 1);
    T_EQ_INT(api_count(&f, "\"resourcesStatus\":{\"allocated\":{\"cpu\":\"2\""), 1);
    T_EQ_INT(api_count(&f, "\"status\":\"False\",\"transitionID\":\"2\""), 1);
    size_t n = api_count(&f, STATUS);
    api_pass(&f, 60 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, STATUS), n);
    api_remove(&f, "pods", "default", "m1");
    api_remove(&f, "pods", "default", "m2");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"phase\":null,\"running\":0,\"pending\":0,\"succeeded\":0,\"failed\":0,\"resourcesStatus\":{\"allocated\":{\"cpu\":null"), 1);
    api_fini(&f);
}

TEST(a_status_of_our_own_is_no_work)
{
    struct api f;
    begin(&f);
    struct api_object *o = api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"}");
    member(&f, "m1", 1);
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    struct sched *s = live_sched(f.l);
    unit_id u = sched_group_find(s, S("default"), S("gang"));
    T_EQ_INT(s->events, 0);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"},\"status\":{\"running\":7}");
    T_EQ_INT(s->events, 0);
    T_OK(o->rv == f.rv);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":1,\"queue\":\"q\"},\"status\":{\"running\":7}");
    T_OK(s->events != 0);
    T_EQ_INT(s->units[u].min_member, 1);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind m1"), 1);
    api_fini(&f);
}

TEST(a_refusal_has_its_numbers)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"}");
    member(&f, "m1", 3);
    member(&f, "m2", 3);
    api_live(&f, NULL);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"status\":\"True\",\"transitionID\":\"1\""), 1);
    T_EQ_INT(api_count(&f, "\"reasons\":[{\"reason\":\"OverLimit\""), 1);
    T_EQ_INT(api_count(&f, "\"queueDetails\":{\"name\":\"q\""), 1);
    T_EQ_INT(api_count(&f, "\"queueResourceLimits\":{\"cpu\":\"4\""), 1);
    T_EQ_INT(api_count(&f, "\"podGroupRequestedResources\":{\"cpu\":\"6\""), 1);
    T_EQ_INT(api_count(&f, "event gang Unschedulable"), 1);
    queue(&f, "q", 6000);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind m"), 2);
    T_EQ_INT(api_count(&f, "\"status\":\"False\",\"transitionID\":\"2\""), 1);
    api_fini(&f);
}

TEST(what_a_former_run_said_is_known)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang",
            "\"spec\":{\"minMember\":2,\"queue\":\"q\"},\"status\":{\"schedulingConditions\":[{\"type\":\"UnschedulableOnNodePool\",\"nodePool\":\"default\",\"status\":\"True\","
            "\"transitionID\":\"5\",\"lastTransitionTime\":\"2025-12-31T23:00:00Z\",\"reason\":\"OverLimit\",\"message\":\"old\",\"reasons\":[]}]}");
    member(&f, "m1", 3);
    member(&f, "m2", 3);
    api_live(&f, NULL);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"transitionID\":\"5\",\"lastTransitionTime\":\"2025-12-31T23:00:00Z\",\"reason\":\"OverLimit\""), 1);
    T_EQ_INT(api_count(&f, "event gang Unschedulable"), 0);
    api_fini(&f);
}

TEST(a_gang_that_fell_below_its_minimum_is_told_so)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"}");
    member(&f, "m1", 1);
    member(&f, "m2", 1);
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind m"), 2);
    api_remove(&f, "pods", "default", "m1");
    api_pass(&f, 50 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "event gang StaleJob"), 0);
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "event gang StaleJob"), 1);
    T_EQ_INT(api_count(&f, "condition m2 DisruptionTarget PreemptionByScheduler: default-scheduler: its group has had fewer pods than it needs for too long"), 1);
    T_EQ_INT(api_count(&f, "delete m2"), 1);
    api_fini(&f);
}

TEST(gates_make_it_not_ready)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"queue\":\"q\"}");
    member(&f, "m1", 1);
    member_with(&f, "m2", 1, ",\"schedulingGates\":[{\"name\":\"g\"}]");
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_EQ_INT(api_count(&f, "\"running\":0,\"pending\":2"), 1);
    T_EQ_INT(api_count(&f, "event gang NotReady"), 1);
    api_fini(&f);
}

TEST(groups_of_other_apis_have_no_such_status)
{
    struct api f;
    begin(&f);
    api_put(&f, "apis/scheduling.x-k8s.io/v1alpha1/podgroups", "default", "gang", "\"spec\":{\"minMember\":2}");
    member(&f, "m1", 1);
    api_live(&f, NULL);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "podgroups gang"), 0);
    api_fini(&f);
}

TEST(those_that_ended_are_counted_while_they_are_there)
{
    struct api f;
    begin(&f);
    api_put(&f, GROUPS, "default", "gang", "\"spec\":{\"minMember\":1,\"queue\":\"q\"}");
    member(&f, "m1", 1);
    member(&f, "m2", 1);
    api_live(&f, NULL);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"phase\":\"Running\",\"running\":2,\"pending\":0,\"succeeded\":0,\"failed\":0"), 1);
    live_ended_pod(f.l, S("default"), S("m3"), S("gang"), true);
    live_ended_pod(f.l, S("default"), S("m4"), S("gang"), false);
    live_ended_pod(f.l, S("default"), S("m4"), S("gang"), false); /* the same again */
    live_wake(f.l);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"phase\":\"Running\",\"running\":2,\"pending\":0,\"succeeded\":1,\"failed\":1"), 1);
    live_ended_gone(f.l, S("default"), S("m3"));
    api_remove(&f, "pods", "default", "m1");
    api_remove(&f, "pods", "default", "m2");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "\"phase\":\"Succeeded\",\"running\":0,\"pending\":0,\"succeeded\":1,\"failed\":0"), 1);
    T_EQ_INT(live_ended_of(f.l, S("default/gang")).succeeded, 1);
    live_ended_gone(f.l, S("default"), S("m4"));
    T_EQ_INT(live_ended_of(f.l, S("default/gang")).succeeded, 0);
    api_fini(&f);
}

TEST_MAIN(those_that_ended_are_counted_while_they_are_there, the_status_follows_the_pods_and_is_written_once, a_status_of_our_own_is_no_work, a_refusal_has_its_numbers, what_a_former_run_said_is_known,
          a_gang_that_fell_below_its_minimum_is_told_so, gates_make_it_not_ready, groups_of_other_apis_have_no_such_status)
