/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_room.h"

#include "base/test.h"
#include "wire/json_make.h"

static void node(struct kuscia_room *r, struct arena *a, const char *name, const char *domain, const char *ready, const char *notes, const char *allocatable)
{
    struct json have = json_literal(a, allocatable), annotations = json_literal(a, notes);
    struct json n = json_make(a, "{\"metadata\":{\"labels\":{\"kuscia.secretflow/namespace\":%s},\"annotations\":%j},\"status\":{\"allocatable\":%j,\"conditions\":[{\"type\":\"Ready\",\"status\":%s}]}}", domain,
                              &annotations, &have, ready);
    kuscia_room_node(r, str_of(name), &n);
}

static struct layout lay(struct arena *a, const char *schedule, const char *alice, const char *bob, int replicas)
{
    struct json img = json_literal(a, "{\"spec\":{\"image\":{\"name\":\"i\",\"tag\":\"t\"},\"deployTemplates\":[{\"name\":\"x\",\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}]}}");
    struct json *image = arena_new(a, struct json), *task = arena_new(a, struct json), s = json_literal(a, schedule), p = json_literal(a, alice), q = json_literal(a, bob);
    struct err err = ERR_NONE;
    struct layout l;
    *image = img;
    *task = json_make(a,
                      "{\"metadata\":{\"name\":\"t\",\"uid\":\"u\"},\"spec\":{\"initiator\":\"alice\",\"scheduleConfig\":%j,\"parties\":["
                      "{\"domainID\":\"alice\",\"appImageRef\":\"x\",\"template\":{\"replicas\":%d,\"spec\":{\"containers\":[{\"resources\":{\"requests\":%j}}]}}},"
                      "{\"domainID\":\"bob\",\"appImageRef\":\"x\",\"template\":{\"replicas\":%d,\"spec\":{\"containers\":[{\"resources\":{\"requests\":%j}}]}}}]}}",
                      &s, (int64_t)replicas, &p, (int64_t)replicas, &q);
    T_NO_ERR(kuscia_layout(a, task, (const struct json *const[]){image, image}, &l, &err), &err);
    return l;
}

TEST(partners)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_room r;
    kuscia_room_init(&r);
    struct layout l = lay(&a, "{}", "{}", "{}", 1), one = lay(&a, "{\"minReservedMembers\":1}", "{}", "{}", 1);
    struct json partner = json_literal(&a, "{\"spec\":{\"role\":\"partner\"}}"), own = json_literal(&a, "{\"spec\":{}}");
    kuscia_room_domain(&r, S("bob"), &partner);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "party bob: the domain is a partner of another control plane, and tasks across control planes are not run yet");
    T_EQ_STR(kuscia_room_never(&r, &a, &one), "");
    kuscia_room_domain(&r, S("bob"), &own);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    kuscia_room_domain(&r, S("bob"), &partner);
    kuscia_room_domain(&r, S("bob"), NULL);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    kuscia_room_domain(&r, S("bob"), &partner);
    kuscia_room_fini(&r);
}

TEST(what_can_never_be)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_room r;
    kuscia_room_init(&r);
    node(&r, &a, "alice-0", "alice", "True", "{}", "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\",\"kuscia.io/bandwidth\":\"100\"}");
    node(&r, &a, "alice-1", "alice", "False", "{\"cox.io/bandwidth-overcommit\":\"2\"}", "{\"cpu\":\"2\",\"memory\":\"32Gi\",\"pods\":\"10\",\"nvidia.com/gpu\":\"2\",\"cox.io/egress-bandwidth\":\"100M\"}");
    node(&r, &a, "bob-0", "bob", "True", "{\"cox.io/bandwidth-capacity\":\"1G\"}", "{\"cpu\":\"64\",\"memory\":\"64Gi\",\"pods\":\"10\"}");
    struct json quota = json_literal(&a, "{\"spec\":{\"hard\":{\"pods\":\"8\",\"requests.memory\":\"40Gi\"}}}"), some = json_literal(&a, "{\"spec\":{\"hard\":{\"pods\":\"1\"},\"scopes\":[\"BestEffort\"]}}");
    kuscia_room_quota(&r, S("bob"), S("q"), &quota);
    kuscia_room_quota(&r, S("bob"), S("s"), &some);
    struct json route = json_literal(&a, "{\"spec\":{\"source\":\"alice\",\"destination\":\"bob\",\"bandwidth\":\"150Mbps\"}}");
    kuscia_room_route(&r, S("/alice-bob"), &route);
    static const struct {
        const char *schedule, *alice, *bob;
        int replicas;
        const char *why;
    } cases[] = {
        {"{}", "{}", "{}", 1, ""},
        {"{}", "{\"cpu\":\"4\"}", "{}", 1, ""},
        {"{}", "{\"cpu\":\"5\"}", "{}", 1, "party alice: a pod needs 5 cpu, and the largest node of the domain, alice-0, has 4 cpu"},
        {"{}", "{\"memory\":\"64Gi\"}", "{}", 1, "party alice: a pod needs 64Gi memory, and the largest node of the domain, alice-1, has 32Gi memory"},
        {"{}", "{\"nvidia.com/gpu\":\"3\"}", "{}", 1, "party alice: a pod needs 3 nvidia.com/gpu, and the largest node of the domain, alice-1, has 2 nvidia.com/gpu"},
        {"{}", "{}", "{\"nvidia.com/gpu\":\"1\"}", 1, "party bob: a pod needs 1 nvidia.com/gpu, and the largest node of the domain, bob-0, has 0 nvidia.com/gpu"},
        {"{}", "{\"cpu\":\"4\",\"memory\":\"16Gi\"}", "{}", 1, "party alice: a pod needs 4 cpu, 16Gi memory, and no node of the domain has all of it"},
        {"{}", "{\"cpu\":\"2\"}", "{}", 4, "party alice: 4 pods with 2 cpu each must run at the same time, and its nodes have room for 3 when they are empty"},
        {"{}", "{}", "{\"cpu\":\"70\"}", 1, "party bob: a pod needs 70 cpu, and the largest node of the domain, bob-0, has 64 cpu"},
        /* bandwidth: of both ends, with what may be promised besides, and as an annotation says */
        {"{}", "{\"cox.io/ingress-bandwidth\":\"101M\"}", "{}", 1, "party alice: a pod needs 101 Mbit/s ingress bandwidth, and the largest node of the domain, alice-0, has 100 Mbit/s ingress bandwidth"},
        {"{}", "{\"cox.io/egress-bandwidth\":\"140M\"}", "{}", 1, ""},
        {"{}", "{\"cox.io/lent-egress-bandwidth\":\"9G\"}", "{}", 1, ""}, /* nobody lends so much now */
        {"{}", "{}", "{\"cox.io/egress-bandwidth\":\"1G\"}", 1, ""},
        {"{}", "{}", "{\"cox.io/egress-bandwidth\":\"2G\"}", 1, "party bob: a pod needs 2 Gbit/s egress bandwidth, and the largest node of the domain, bob-0, has 1 Gbit/s egress bandwidth"},
        /* links: what is sent, or what is received */
        {"{}", "{\"cox.io/egress-bandwidth\":\"160M\"}", "{}", 1, "the link alice->bob carries 150 Mbit/s, and the task needs 160 Mbit/s"},
        {"{}", "{}", "{\"kuscia.io/bandwidth\":\"100\"}", 2, "the link alice->bob carries 150 Mbit/s, and the task needs 200 Mbit/s"},
        {"{\"minReservedMembers\":1}", "{}", "{\"kuscia.io/bandwidth\":\"100\"}", 2, ""},
        /* quotas that are for all pods */
        {"{}", "{}", "{}", 9, "party alice: 9 pods with 1 cpu each must run at the same time, and its nodes have room for 6 when they are empty; party bob: its pods need 9 pods, and its quota bob/q allows 8 pods"},
        {"{}", "{}", "{\"memory\":\"30Gi\"}", 2, "party bob: its pods need 60Gi memory, and its quota bob/q allows 40Gi memory"},
        /* one of the two is enough */
        {"{\"minReservedMembers\":1}", "{\"cpu\":\"5\"}", "{}", 1, ""},
        {"{\"minReservedMembers\":1}", "{\"cpu\":\"5\"}", "{\"cpu\":\"65\"}", 1,
         "party alice: a pod needs 5 cpu, and the largest node of the domain, alice-0, has 4 cpu; party bob: a pod needs 65 cpu, and the largest node of the domain, bob-0, has 64 cpu"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct layout l = lay(&a, cases[i].schedule, cases[i].alice, cases[i].bob, cases[i].replicas);
        T_EQ_STR(kuscia_room_never(&r, &a, &l), cases[i].why);
    }
    /* routes are listed again: those of domains say nothing of the cluster's, and one that is not among them is gone */
    struct layout wide = lay(&a, "{}", "{\"cox.io/egress-bandwidth\":\"160M\"}", "{}", 1);
    kuscia_room_forget_routes(&r, false);
    T_OK(str_has_prefix(kuscia_room_never(&r, &a, &wide), S("the link alice->bob")));
    kuscia_room_forget_routes(&r, true);
    T_EQ_STR(kuscia_room_never(&r, &a, &wide), "");
    kuscia_room_route(&r, S("/alice-bob"), &route);
    /* a node that lends shows less while the machine itself sends */
    struct json busy = json_literal(&a, "{\"metadata\":{\"labels\":{\"kuscia.secretflow/namespace\":\"alice\"},\"annotations\":{\"cox.io/bandwidth-lending\":\"true\"}},"
                                        "\"status\":{\"capacity\":{\"cox.io/egress-bandwidth\":\"149M\"},\"allocatable\":{\"cpu\":\"4\",\"pods\":\"10\",\"cox.io/egress-bandwidth\":\"20M\"}}}");
    kuscia_room_node(&r, S("alice-1"), NULL);
    kuscia_room_node(&r, S("alice-2"), &busy);
    struct layout l = lay(&a, "{}", "{\"cox.io/egress-bandwidth\":\"145M\"}", "{}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    /* a task that accepts what is lent */
    l = lay(&a, "{}", "{\"cox.io/egress-bandwidth\":\"900M\"}", "{}", 1);
    T_OK(kuscia_room_never(&r, &a, &l).len);
    json_set(&a, json_ensure_object(&a, json_get((struct json *)l.task, S("metadata")), S("annotations")), S("cox.io/bandwidth-lend"), json_string(S("accept")));
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    /* what others use of a quota */
    l = lay(&a, "{}", "{}", "{\"cpu\":\"1\"}", 1);
    static const struct {
        const char *used, *why;
    } uses[] = {{"0", ""}, {"3", ""}, {"3500m", "exceeded quota: q of domain bob: the task needs 1 cpu, and 3500m cpu of 4 cpu are in use"}, {"9", "exceeded quota: q of domain bob: the task needs 1 cpu, and 9 cpu of 4 cpu are in use"}};
    for (size_t i = 0; i < ARRAY_LEN(uses); i++) {
        struct json shared = json_make(&a, "{\"spec\":{\"hard\":{\"requests.cpu\":\"4\",\"secrets\":\"1\"}},\"status\":{\"used\":{\"requests.cpu\":%s,\"secrets\":\"1\"}}}", uses[i].used);
        kuscia_room_quota(&r, S("bob"), S("q"), &shared);
        T_EQ_STR(kuscia_room_full(&r, &a, &l), uses[i].why);
    }
    struct json four = json_literal(&a, "{\"spec\":{\"hard\":{\"requests.cpu\":\"4\"}}}");
    kuscia_room_quota(&r, S("bob"), S("q"), &four);
    l = lay(&a, "{\"minReservedMembers\":1}", "{}", "{\"cpu\":\"5\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "domain bob: all pods there need 5 cpu, and its quota bob/q allows 4 cpu"); /* the other one is enough, but none would ever be made */
    l = lay(&a, "{}", "{}", "{\"cpu\":\"3\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    l.parties[0].domain = S("bob");
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    l = lay(&a, "{}", "{\"cpu\":\"2\"}", "{\"cpu\":\"3\"}", 1);
    l.parties[0].domain = S("bob"); /* in two roles */
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "domain bob: all pods there need 5 cpu, and its quota bob/q allows 4 cpu");
    l = lay(&a, "{}", "{}", "{\"cpu\":\"1\"}", 1);
    kuscia_room_quota(&r, S("bob"), S("q"), NULL);
    T_EQ_STR(kuscia_room_full(&r, &a, &l), "");
    l = lay(&a, "{}", "{}", "{\"cpu\":\"70\"}", 1);
    T_EQ_STR(kuscia_room_lacks(&r, &a, S("bob")), "");
    kuscia_room_node(&r, S("bob-0"), NULL); /* nodes may be about to join */
    kuscia_room_quota(&r, S("bob"), S("q"), NULL);
    kuscia_room_route(&r, S("/alice-bob"), NULL);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    T_EQ_STR(kuscia_room_lacks(&r, &a, S("bob")), "domain bob has no nodes; a machine joins with cox join --domain bob");
    node(&r, &a, "alice-0", "alice", "Unknown", "{}", "{}");
    T_EQ_STR(kuscia_room_lacks(&r, &a, S("alice")), "none of the 2 nodes of domain alice is ready");
    kuscia_room_forget_nodes(&r);
    T_OK(kuscia_room_lacks(&r, &a, S("alice")).len);
    kuscia_room_fini(&r);
}

TEST(what_parties_of_one_domain_share)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_room r;
    kuscia_room_init(&r);
    node(&r, &a, "bob-0", "bob", "True", "{}", "{\"cpu\":\"64\",\"pods\":\"10\",\"kuscia.io/bandwidth\":\"100\"}");
    node(&r, &a, "bob-1", "bob", "False", "{}", "{\"cpu\":\"64\",\"pods\":\"10\",\"kuscia.io/bandwidth\":\"100\"}");
    struct layout l = lay(&a, "{}", "{\"kuscia.io/bandwidth\":\"50\"}", "{\"kuscia.io/bandwidth\":\"50\"}", 2);
    l.parties[0].domain = S("bob"); /* in two roles */
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    l = lay(&a, "{}", "{\"kuscia.io/bandwidth\":\"50\"}", "{\"kuscia.io/bandwidth\":\"51\",\"cox.io/egress-bandwidth\":\"50000001\"}", 2);
    l.parties[0].domain = S("bob");
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "domain bob: all pods there need 200000002 bit/s egress bandwidth, and its nodes have 200000000 bit/s egress bandwidth together");
    kuscia_room_fini(&r);
}

/* A route from a domain to itself is no link; what a node has beyond what is looked at is not said to be missing; two amounts never read alike when they are not. */
TEST(odd_ones)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_room r;
    struct strbuf many = strbuf_on(&a);
    kuscia_room_init(&r);
    struct json self = json_literal(&a, "{\"spec\":{\"source\":\"bob\",\"destination\":\"bob\",\"bandwidth\":\"1Mbps\"}}");
    kuscia_room_route(&r, S("/self"), &self);
    strbuf_add_str(&many, S("{\"cpu\":\"64\",\"pods\":\"10\""));
    for (int i = 0; i < 60; i++)
        strbuf_addf(&many, ",\"example.com/r%d\":\"1\"", i);
    strbuf_add_str(&many, S(",\"cox.io/egress-bandwidth\":\"33333332\"}"));
    node(&r, &a, "bob-0", "bob", "True", "{}", strbuf_cstr(&many));
    struct layout l = lay(&a, "{}", "{}", "{\"example.com/r59\":\"1\",\"cox.io/egress-bandwidth\":\"33333334\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    node(&r, &a, "bob-0", "bob", "True", "{}", "{\"cpu\":\"64\",\"pods\":\"10\",\"cox.io/egress-bandwidth\":\"33333332\"}");
    l = lay(&a, "{}", "{}", "{\"cox.io/egress-bandwidth\":\"33333334\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "party bob: a pod needs 33333334 bit/s egress bandwidth, and the largest node of the domain, bob-0, has 33333332 bit/s egress bandwidth");
    l = lay(&a, "{}", "{}", "{\"cox.io/egress-bandwidth\":\"2000000\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    struct json fresh = json_literal(&a, "{\"metadata\":{\"labels\":{\"kuscia.secretflow/namespace\":\"bob\"}}}"); /* its agent comes with the next request */
    kuscia_room_node(&r, S("bob-1"), &fresh);
    l = lay(&a, "{}", "{}", "{\"cox.io/egress-bandwidth\":\"33333334\"}", 1);
    T_EQ_STR(kuscia_room_never(&r, &a, &l), "");
    kuscia_room_fini(&r);
}

TEST_MAIN(partners, what_can_never_be, what_parties_of_one_domain_share, odd_ones)
