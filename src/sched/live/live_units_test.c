/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/live/outbox.h"
#include "sched/live/test_api.h"

/* --- preemption ------------------------------------------------------------------------------------------------------------------------------------ */
static enum pod_state state_of(struct api *f, const char *name)
{
    pod_id p = sched_pod_find(live_sched(f->l), S("default"), str_of(name));
    return p ? (enum pod_state)live_sched(f->l)->pods[p].state : PS_FREE;
}

TEST(victims_are_marked_and_deleted)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_pod(&f, "low", 3, "n1", ",\"priority\":1");
    api_pod(&f, "high", 3, "", ",\"priority\":10");
    api_live(&f, NULL);
    T_EQ_INT(api_count(&f, "condition low DisruptionTarget PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod"), 1);
    T_EQ_INT(api_count(&f, "delete low"), 1);
    T_EQ_INT(api_count(&f, "event low Preempted"), 1);
    T_EQ_INT(api_count(&f, "nominate high n1"), 1);
    T_EQ_INT(api_count(&f, "condition high PodScheduled Unschedulable: 0/1 nodes fit"), 1);
    T_EQ_INT(api_count(&f, "evicts 1 pod on n1"), 1);
    api_pass(&f, 5 * NSEC_PER_SEC); /* it takes its time */
    T_EQ_STR(api_node_of(&f, "high"), "");
    T_EQ_INT(state_of(&f, "low"), PS_TERMINATING);
    T_EQ_INT(state_of(&f, "high"), PS_NOMINATED);
    api_pod(&f, "sly", 3, "", ",\"priority\":2"); /* the room is not for others */
    api_remove(&f, "pods", "default", "low");
    api_pass(&f, 2 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "high"), "n1");
    T_EQ_STR(api_node_of(&f, "sly"), "");
    T_EQ_INT(api_count(&f, "delete"), 1);
    api_fini(&f);
}

static int keep_pods(struct api *f UNUSED, const struct client_call *c)
{
    return str_is(c->method, "DELETE") ? 403 : 0;
}

TEST(a_victim_that_may_not_be_deleted_stays)
{
    struct api f;
    api_init(&f);
    f.refuse = keep_pods;
    api_node(&f, "n1", 4);
    api_pod(&f, "low", 3, "n1", ",\"priority\":1");
    api_pod(&f, "high", 3, "", ",\"priority\":10");
    api_live(&f, NULL);
    T_EQ_INT(f.refused, 1);
    T_EQ_INT(state_of(&f, "low"), PS_TERMINATING);
    api_pass(&f, 9 * NSEC_PER_SEC);
    T_EQ_INT(f.refused, 1); /* no second try meanwhile */
    for (int i = 0; i < 100 && f.refused < 2; i++)
        api_pass(&f, NSEC_PER_SEC);
    T_EQ_INT(f.refused, 2);
    T_EQ_STR(api_node_of(&f, "high"), "");
    f.refuse = NULL;
    api_pass(&f, 60 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "delete low"), 1);
    api_remove(&f, "pods", "default", "low");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "high"), "n1");
    api_fini(&f);
}

TEST(a_nomination_outlives_a_restart)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    struct api_object *low = api_pod(&f, "low", 3, "n1", ",\"priority\":1");
    low->deleting = true;
    snprintf(api_pod(&f, "high", 3, "", ",\"priority\":10")->nominated, 32, "n1");
    api_pod(&f, "sly", 3, "", ",\"priority\":5");
    api_live(&f, NULL);
    T_EQ_INT(api_count(&f, "delete"), 0);
    T_EQ_INT(state_of(&f, "high"), PS_NOMINATED);
    api_remove(&f, "pods", "default", "low");
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "high"), "n1");
    T_EQ_STR(api_node_of(&f, "sly"), "");
    api_fini(&f);
}

/* --- gangs ---------------------------------------------------------------------------------------------------------------------------------------- */
#define POD_GROUPS "apis/scheduling.x-k8s.io/v1alpha1/podgroups"
#define GROUP_API ",{\"name\":\"scheduling.x-k8s.io\",\"versions\":[{\"version\":\"v1alpha1\"}],\"preferredVersion\":{\"version\":\"v1alpha1\"}}"

static void member(struct api *f, const char *name, int cpu)
{
    char more[100];
    snprintf(more, sizeof more, ",\"schedulingGroup\":{\"podGroupName\":\"gang\"}");
    api_pod(f, name, cpu, "", more);
}

TEST(gangs_wait_for_members_and_their_kind)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_node(&f, "n2", 4);
    member(&f, "m1", 3);
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "waiting for the group itself to be declared"), 1);
    /* the kind is new to the server, and found by and by */
    f.groups = GROUP_API;
    api_put(&f, POD_GROUPS, "default", "gang", "\"spec\":{\"minMember\":3}");
    api_pass(&f, 12 * NSEC_PER_SEC);
    member(&f, "m2", 3);
    api_pass(&f, 40 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_EQ_INT(api_count(&f, "condition m2 PodScheduled Unschedulable: 2 of at least 3 members created"), 1);
    /* complete, but one too many for the nodes: all or none */
    member(&f, "m3", 3);
    api_pass(&f, 40 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_EQ_INT(api_count(&f, "condition m3 PodScheduled Unschedulable: "), 1);
    api_node(&f, "n3", 4);
    api_pass(&f, 40 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind m"), 3);
    api_fini(&f);
}

/* One on each node: neither has both. */
TEST(victims_of_a_gang)
{
    struct api f;
    api_init(&f);
    f.groups = GROUP_API;
    api_put(&f, POD_GROUPS, "default", "gang", "\"spec\":{\"minMember\":2}");
    for (int i = 1; i <= 2; i++) {
        char node[8], low[8], high[8];
        snprintf(node, sizeof node, "n%d", i);
        snprintf(low, sizeof low, "low%d", i);
        snprintf(high, sizeof high, "m%d", i);
        api_node(&f, node, 4);
        api_pod(&f, low, 3, node, ",\"priority\":1");
        api_pod(&f, high, 3, "", ",\"priority\":10,\"schedulingGroup\":{\"podGroupName\":\"gang\"}");
    }
    api_live(&f, NULL);
    T_EQ_INT(api_count(&f, "delete low"), 2);
    T_EQ_INT(api_count(&f, "preemption evicts 2 pods; waiting for its victims to go"), 2);
    api_fini(&f);
}

TEST(a_kind_that_goes_is_dropped)
{
    struct api f;
    api_init(&f);
    f.groups = GROUP_API;
    api_node(&f, "n1", 16);
    api_put(&f, POD_GROUPS, "default", "gang", "\"spec\":{\"minMember\":2,\"priorityClassName\":\"urgent\"}");
    api_put(&f, "apis/scheduling.k8s.io/v1/priorityclasses", "", "urgent", "\"value\":1000");
    api_live(&f, NULL);
    struct sched *s = live_sched(f.l);
    unit_id u = sched_group_find(s, S("default"), S("gang"));
    T_OK(u && s->units[u].declared);
    T_EQ_INT(s->units[u].priority, 1000);
    member(&f, "m1", 1);
    api_run(&f);
    f.groups = NULL;
    api_pass(&f, 12 * NSEC_PER_SEC);
    u = sched_group_find(s, S("default"), S("gang"));
    T_OK(u && !s->units[u].declared);
    member(&f, "m2", 1);
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 0);
    f.groups = GROUP_API;
    api_pass(&f, 12 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 2);
    api_remove(&f, "pods", "default", "m1");
    api_remove(&f, "pods", "default", "m2");
    api_remove(&f, POD_GROUPS, "default", "gang");
    api_run(&f);
    T_EQ_INT(sched_group_find(s, S("default"), S("gang")), UNIT_NONE);
    api_fini(&f);
}

/* --- claims -------------------------------------------------------------------------------------------------------------------------------------------- */
#define CLAIM "\"spec\":{\"storageClassName\":\"local\",\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}%s}"

static void put_claim(struct api *f, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, CLAIM, more);
    api_put(f, "persistentvolumeclaims", "default", "data", text);
}

static void storage(struct api *f, const char *provisioner)
{
    char text[200];
    api_init(f);
    api_node(f, "n1", 4);
    snprintf(text, sizeof text, "\"provisioner\":\"%s\",\"volumeBindingMode\":\"WaitForFirstConsumer\"", provisioner);
    api_put(f, "apis/storage.k8s.io/v1/storageclasses", "", "local", text);
    put_claim(f, "");
    api_pod(f, "p", 1, "", ",\"volumes\":[{\"name\":\"d\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]");
}

TEST(a_claim_gets_its_volume_first)
{
    struct api f;
    storage(&f, "kubernetes.io/no-provisioner");
    api_put(&f, "persistentvolumes", "", "pv1",
            "\"spec\":{\"capacity\":{\"storage\":\"2Gi\"},\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"local\"},\"status\":{\"phase\":\"Available\"}");
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "patch persistentvolumes pv1"), 1);
    T_EQ_INT(api_count(&f, "\"claimRef\":{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"default\",\"name\":\"data\",\"uid\":\"u3\"}"), 1);
    T_EQ_INT(api_count(&f, "bind"), 0);
    put_claim(&f, ",\"volumeName\":\"pv1\"},\"status\":{\"phase\":\"Bound\"");
    api_pass(&f, NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    api_fini(&f);
}

TEST(a_volume_is_made_on_the_node)
{
    struct api f;
    storage(&f, "example.com/disk");
    api_live(&f, NULL);
    api_pass(&f, 3 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "patch persistentvolumeclaims data"), 1);
    T_EQ_INT(api_count(&f, "\"volume.kubernetes.io/selected-node\":\"n1\""), 1);
    T_EQ_INT(api_count(&f, "bind"), 0);
    T_EQ_INT(api_count(&f, "condition p PodScheduled"), 0);
    api_pass(&f, 20 * NSEC_PER_SEC); /* somebody takes his time: the pod is told, once */
    T_EQ_INT(api_count(&f, "condition p PodScheduled WaitingForClaims: its place on n1 is kept; waiting for PersistentVolumeClaim data to be bound"), 1);
    T_EQ_INT(api_count(&f, "bind"), 0);
    put_claim(&f, ",\"volumeName\":\"new\"},\"status\":{\"phase\":\"Bound\"");
    api_pass(&f, NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    api_fini(&f);
}

TEST(a_claim_that_goes_takes_the_bind_back)
{
    struct api f;
    storage(&f, "example.com/disk");
    api_live(&f, NULL);
    T_EQ_INT(state_of(&f, "p"), PS_ASSUMED);
    api_remove(&f, "persistentvolumeclaims", "default", "data");
    api_pass(&f, 5 * NSEC_PER_SEC);
    T_EQ_INT(state_of(&f, "p"), PS_PENDING);
    T_EQ_INT(api_count(&f, "bind"), 0);
    api_fini(&f);
}

/* --- the outbox ------------------------------------------------------------------------------------------------------------------------------------------ */
struct boxed {
    struct outbox_item item;
    struct strbuf *seen;
    bool unwanted;
    char path[16];
};

static void box_done(struct outbox_item *it)
{
    struct boxed *b = container_of(it, struct boxed, item);
    strbuf_addf(b->seen, "%s=%d ", b->path, it->call.status);
}

static bool box_wanted(struct outbox_item *it)
{
    return !container_of(it, struct boxed, item)->unwanted;
}

static void box_add(struct outbox *o, struct boxed *list, size_t n, struct strbuf *seen)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(list[i].path, sizeof list[i].path, "%zu", i);
        list[i].seen = seen;
        list[i].item.call.method = S("GET");
        list[i].item.call.path = str_of(list[i].path);
        list[i].item.wanted = box_wanted;
        list[i].item.done = box_done;
        outbox_add(o, &list[i].item);
    }
}

static void box_answer(struct api *f, size_t i, int status)
{
    struct client_call *c = f->calls.p[i];
    vec_remove(&f->calls, i);
    api_answer(c, status, S(""));
}

TEST(the_outbox_keeps_order_and_window)
{
    struct api f;
    struct boxed list[6] = {0};
    STRBUF_AUTO seen = STRBUF_HEAP;
    api_init(&f);
    struct outbox *o = outbox_new(&(struct outbox_opts){.transport = &f.t, .loop = f.loop, .window = 2});
    list[5].unwanted = true;
    box_add(o, list, 6, &seen);
    T_EQ_INT(f.calls.len, 2);
    T_EQ_INT(outbox_len(o), 6);
    box_answer(&f, 1, 0); /* lost: both come back, in their order */
    T_OK(outbox_is_paused(o));
    T_EQ_INT(f.calls.len, 1);
    box_answer(&f, 0, 503);
    T_EQ_INT(f.calls.len, 0);
    clock_fake_advance(&f.clock, 60 * NSEC_PER_MSEC);
    api_turn(&f);
    T_EQ_INT(f.calls.len, 1); /* one to see */
    T_EQ_STR(f.calls.p[0]->path, "0");
    box_answer(&f, 0, 200);
    T_EQ_INT(f.calls.len, 2);
    T_EQ_STR(f.calls.p[0]->path, "1");
    T_EQ_STR(f.calls.p[1]->path, "2");
    box_answer(&f, 0, 409);
    box_answer(&f, 0, 200);
    box_answer(&f, 0, 200);
    box_answer(&f, 0, 200);
    T_EQ_STR(strbuf_str(&seen), "0=200 1=409 2=200 3=200 5=-1 4=200 ");
    T_EQ_INT(outbox_len(o), 0);
    outbox_free(o, NULL);
    api_fini(&f);
}

TEST(the_outbox_sends_words_of_one_object_one_by_one)
{
    struct api f;
    struct boxed list[4] = {0};
    STRBUF_AUTO seen = STRBUF_HEAP;
    api_init(&f);
    struct outbox *o = outbox_new(&(struct outbox_opts){.transport = &f.t, .loop = f.loop, .window = 4});
    list[1].item.order = list[2].item.order = S("pods/a");
    list[3].item.order = S("pods/b");
    box_add(o, list, 4, &seen);
    T_EQ_INT(f.calls.len, 2); /* 2 waits for 1, and 3 stays behind it */
    box_answer(&f, 0, 200);
    T_EQ_INT(f.calls.len, 1);
    box_answer(&f, 0, 404); /* any answer will do */
    T_EQ_INT(f.calls.len, 2);
    box_answer(&f, 1, 200);
    box_answer(&f, 0, 200);
    T_EQ_STR(strbuf_str(&seen), "0=200 1=404 3=200 2=200 ");
    outbox_free(o, NULL);
    api_fini(&f);
}

TEST(the_outbox_gives_up_when_told)
{
    struct api f;
    struct boxed list[2] = {0};
    STRBUF_AUTO seen = STRBUF_HEAP;
    api_init(&f);
    struct outbox *o = outbox_new(&(struct outbox_opts){.transport = &f.t, .loop = f.loop, .window = 1});
    list[0].item.max_tries = 2;
    box_add(o, list, 2, &seen);
    for (int i = 0; i < 2; i++) {
        T_EQ_STR(f.calls.p[0]->path, "0");
        box_answer(&f, 0, 0);
        clock_fake_advance(&f.clock, NSEC_PER_SEC);
        api_turn(&f);
    }
    T_EQ_STR(strbuf_str(&seen), "0=0 ");
    T_EQ_STR(f.calls.p[0]->path, "1");
    outbox_stop(o, api_on_stopped, &f);
    T_OK(!f.stopped);
    box_answer(&f, 0, 0);
    T_OK(f.stopped);
    T_EQ_STR(strbuf_str(&seen), "0=0 1=0 ");
    outbox_free(o, NULL);
    api_fini(&f);
}

TEST_MAIN(victims_are_marked_and_deleted, a_victim_that_may_not_be_deleted_stays, a_nomination_outlives_a_restart, gangs_wait_for_members_and_their_kind, victims_of_a_gang, a_kind_that_goes_is_dropped,
          a_claim_gets_its_volume_first, a_volume_is_made_on_the_node, a_claim_that_goes_takes_the_bind_back, the_outbox_keeps_order_and_window, the_outbox_sends_words_of_one_object_one_by_one, the_outbox_gives_up_when_told)
