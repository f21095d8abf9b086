/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/endpoint_plan.h"

#include "controllers/workload_testing.h"

static const char service_text[] = "{'metadata':{'name':'web','namespace':'default','uid':'u1','labels':{'team':'a'},'creationTimestamp':'2026-01-02T03:04:05Z'},"
                                   "'spec':{'selector':{'app':'web'},'clusterIP':'10.96.0.1','ipFamilies':['IPv4'],'ports':[{'port':80,'targetPort':8080,'protocol':'TCP'}]}}";

struct fix {
    struct arena a;
    struct json service;
    struct endpoint_pod pods[300];
    size_t n;
    struct json slices[16];
    size_t nslices;
    int made;
    struct slice_steps steps;
};

static struct fix fix_new(const char *service)
{
    struct fix f = {.a = ARENA_INIT};
    f.service = tree(&f.a, service);
    return f;
}

static struct pod_record *add(struct fix *f, const char *text, const char *addresses)
{
    struct pod_record *p = pod(&f->a, text);
    p->addresses = str_of(addresses);
    p->labels = S("{\"app\":\"web\"}");
    f->pods[f->n++] = (struct endpoint_pod){p, S("")};
    return p;
}

/* Plans, then does to f->slices what the plan says. */
static void run(struct fix *f)
{
    struct slice_wants w;
    bool headless = str_is(json_get_str(json_get(&f->service, S("spec")), S("clusterIP")), "None");
    slice_wants_of_service(&f->a, &f->service, f->pods, f->n, &w);
    struct slice_owner o = slice_owner_of(&f->a, &f->service, "Service", SLICE_MANAGER, headless);
    f->steps = slice_plan_make(&f->a, &o, &w, f->slices, f->nslices);
    for (size_t i = 0; i < f->steps.len; i++) {
        struct slice_step *s = &f->steps.p[i];
        struct json *meta = json_get(&s->obj, S("metadata"));
        if (s->change == SLICE_CREATE) {
            json_set(&f->a, meta, S("name"), json_string(arena_fmt(&f->a, "s%d", f->made++)));
            f->slices[f->nslices++] = json_copy(&f->a, &s->obj);
            continue;
        }
        for (size_t k = 0; k < f->nslices; k++) {
            if (!str_eq(json_get_str(json_get(&f->slices[k], S("metadata")), S("name")), json_get_str(meta, S("name"))))
                continue;
            if (s->change == SLICE_UPDATE)
                f->slices[k] = json_copy(&f->a, &s->obj);
            else
                f->slices[k] = f->slices[--f->nslices];
        }
    }
}

static size_t count(const struct fix *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nslices; i++)
        n += json_get(&f->slices[i], S("endpoints"))->len;
    return n;
}

static size_t changes(const struct fix *f, enum slice_change change)
{
    size_t n = 0;
    for (size_t i = 0; i < f->steps.len; i++)
        n += f->steps.p[i].change == change;
    return n;
}

TEST(selectors)
{
    struct fix f = fix_new(service_text);
    T_OK(service_selects(&f.service, S("{\"app\":\"web\",\"x\":\"y\"}")));
    T_OK(!service_selects(&f.service, S("{\"app\":\"web2\"}")));
    T_OK(!service_selects(&f.service, S("{\"my/app\":\"web\"}")));
    T_OK(!service_selects(&f.service, S("")));
    struct json none = tree(&f.a, "{'spec':{}}"), external = tree(&f.a, "{'spec':{'type':'ExternalName','selector':{'a':'b'}}}");
    T_OK(!service_selects_pods(&none));
    T_OK(!service_selects(&none, S("{\"app\":\"web\"}")));
    T_OK(!service_selects_pods(&external));
    arena_fini(&f.a);
}

TEST(one_pod)
{
    struct fix f = fix_new(service_text);
    struct pod_record *p = add(&f, "p1 Running ready=1767322800 node=n1", "10.0.0.1,fd00::1");
    f.pods[0].zone = S("z1");
    run(&f);
    T_EQ_INT(f.nslices, 1);
    struct json *s = &f.slices[0], *e = &json_get(s, S("endpoints"))->items[0];
    T_EQ_STR(json_text(&f.a, json_get(e, S("addresses"))), "[\"10.0.0.1\"]");
    T_EQ_STR(json_text(&f.a, json_get(e, S("conditions"))), "{\"ready\":true,\"serving\":true,\"terminating\":false}");
    T_EQ_STR(json_get_str(e, S("zone")), "z1");
    T_EQ_STR(json_get_str(e, S("nodeName")), "n1");
    T_EQ_STR(json_get_str(json_get(e, S("targetRef")), S("name")), "p1");
    T_EQ_STR(json_text(&f.a, json_get(s, S("ports"))), "[{\"name\":\"\",\"protocol\":\"TCP\",\"port\":8080}]");
    T_EQ_STR(json_get_str(json_path(s, "metadata", "labels", NULL), S(LABEL_SERVICE_NAME)), "web");
    T_EQ_STR(json_get_str(json_path(s, "metadata", "labels", NULL), S(LABEL_SLICE_MANAGER)), SLICE_MANAGER);
    T_EQ_STR(json_get_str(json_path(s, "metadata", "labels", NULL), S("team")), "a");
    T_EQ_STR(json_get_str(json_get(s, S("metadata")), S("generateName")), "web-");
    T_EQ_STR(json_get_str(json_path(s, "metadata", "annotations", NULL), S(NOTE_TRIGGER_TIME)), "2026-01-02T03:00:00Z");
    run(&f);
    T_EQ_INT(f.steps.len, 0);
    p->ready = false;
    run(&f);
    T_EQ_INT(changes(&f, SLICE_UPDATE), 1);
    T_EQ_STR(json_text(&f.a, json_path(&json_get(&f.slices[0], S("endpoints"))->items[0], "conditions", NULL)), "{\"ready\":false,\"serving\":false,\"terminating\":false}");
    arena_fini(&f.a);
}

TEST(conditions)
{
    struct fix f = fix_new("{'metadata':{'name':'db','namespace':'default','uid':'u1'},"
                           "'spec':{'selector':{'app':'web'},'clusterIP':'None','publishNotReadyAddresses':true,'ports':[{'name':'sql','port':5432}]}}");
    add(&f, "a Running", "10.0.0.1");
    add(&f, "b Running ready=1 deleting", "10.0.0.2")->host = S("b-0.db");
    add(&f, "c Failed", "10.0.0.3");
    add(&f, "d Pending", "");
    run(&f);
    T_EQ_INT(f.nslices, 1);
    struct json *list = json_get(&f.slices[0], S("endpoints"));
    T_EQ_INT(list->len, 2);
    T_EQ_STR(json_text(&f.a, json_get(&list->items[0], S("conditions"))), "{\"ready\":true,\"serving\":false,\"terminating\":false}");
    T_EQ_STR(json_text(&f.a, json_get(&list->items[1], S("conditions"))), "{\"ready\":true,\"serving\":true,\"terminating\":true}");
    T_EQ_STR(json_get_str(&list->items[1], S("hostname")), "b-0");
    T_OK(json_get(json_path(&f.slices[0], "metadata", "labels", NULL), S(LABEL_HEADLESS)) != NULL);
    arena_fini(&f.a);
}

TEST(dual_stack_has_a_slice_each)
{
    struct fix f = fix_new("{'metadata':{'name':'web','namespace':'default','uid':'u1'},'spec':{'selector':{'app':'web'},'ipFamilies':['IPv6','IPv4'],'ports':[{'port':80}]}}");
    add(&f, "a Running ready=1", "10.0.0.1,fd00::1");
    add(&f, "b Running ready=1", "10.0.0.2");
    run(&f);
    T_EQ_INT(f.nslices, 2);
    for (size_t i = 0; i < 2; i++)
        T_EQ_INT(json_get(&f.slices[i], S("endpoints"))->len, str_is(json_get_str(&f.slices[i], S("addressType")), "IPv6") ? 1 : 2);
    arena_fini(&f.a);
}

TEST(named_ports_make_groups)
{
    struct fix f = fix_new("{'metadata':{'name':'web','namespace':'default','uid':'u1'},"
                           "'spec':{'selector':{'app':'web'},'ports':[{'name':'http','port':80,'targetPort':'web'},{'name':'m','port':9,'targetPort':'metrics'}]}}");
    add(&f, "a Running ready=1", "10.0.0.1")->ports = S("web/TCP=8080,metrics/TCP=1,");
    add(&f, "b Running ready=1", "10.0.0.2")->ports = S("web/TCP=9090,metrics/TCP=1,");
    add(&f, "c Running ready=1", "10.0.0.3")->ports = S("web/TCP=8080,metrics/TCP=1,");
    add(&f, "d Running ready=1", "10.0.0.4")->ports = S("web/UDP=8080,");
    run(&f);
    T_EQ_INT(f.nslices, 2);
    T_EQ_INT(count(&f), 3);
    f.pods[1].pod = f.pods[0].pod; /* b is gone */
    run(&f);
    T_EQ_INT(f.nslices, 1);
    T_EQ_INT(count(&f), 2);
    arena_fini(&f.a);
}

TEST(slices_are_bounded_and_stable)
{
    struct fix f = fix_new(service_text);
    for (int i = 0; i < 250; i++)
        add(&f, arena_cstr(&f.a, arena_fmt(&f.a, "p%d Running ready=1", i)), arena_cstr(&f.a, arena_fmt(&f.a, "10.0.1.%d", i)));
    run(&f);
    T_EQ_INT(f.nslices, 3);
    T_EQ_INT(count(&f), 250);
    for (size_t i = 0; i < f.nslices; i++)
        T_OK(json_get(&f.slices[i], S("endpoints"))->len <= SLICE_MAX);
    /* one goes and one comes: one slice is written */
    struct endpoint_pod last = f.pods[--f.n];
    struct endpoint_pod gone = f.pods[3];
    f.pods[3] = last;
    add(&f, "new Running ready=1", "10.0.2.1");
    run(&f);
    T_EQ_INT(f.steps.len, 1);
    T_EQ_INT(count(&f), 250);
    T_OK(gone.pod != last.pod);
    /* nothing is left: one empty slice stays */
    f.n = 0;
    run(&f);
    T_EQ_INT(f.nslices, 1);
    T_EQ_INT(count(&f), 0);
    run(&f);
    T_EQ_INT(f.steps.len, 0);
    /* and is used again */
    add(&f, "again Running ready=1", "10.0.2.2");
    run(&f);
    T_EQ_INT(f.steps.len, 1);
    T_EQ_INT(changes(&f, SLICE_UPDATE), 1);
    arena_fini(&f.a);
}

TEST(doubles_and_strangers_go)
{
    struct fix f = fix_new(service_text);
    add(&f, "a Running ready=1", "10.0.0.1");
    run(&f);
    f.slices[1] = json_copy(&f.a, &f.slices[0]);
    json_set(&f.a, json_get(&f.slices[1], S("metadata")), S("name"), json_string(S("double")));
    f.slices[2] = json_copy(&f.a, &f.slices[1]);
    json_set(&f.a, json_get(&f.slices[2], S("metadata")), S("name"), json_string(S("former")));
    json_set(&f.a, &json_path(&f.slices[2], "metadata", "ownerReferences", NULL)->items[0], S("uid"), json_string(S("u0")));
    f.nslices = 3;
    run(&f);
    T_EQ_INT(changes(&f, SLICE_DELETE), 2);
    T_EQ_INT(f.nslices, 1);
    T_EQ_STR(json_get_str(json_get(&f.slices[0], S("metadata")), S("name")), "s0");
    arena_fini(&f.a);
}

/* The layout against a naive model: whatever comes and goes, all that is wanted is there once. */
TEST(random_changes)
{
    uint64_t seed = 7;
    struct fix f = fix_new(service_text);
    for (int round = 0; round < 60; round++) {
        bool want[280] = {false};
        f.n = 0;
        for (int i = 0; i < 280; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            want[i] = (seed >> 40) % 100 < (unsigned)(round * 37 % 100);
            if (want[i])
                add(&f, arena_cstr(&f.a, arena_fmt(&f.a, "p%d Running ready=1", i)), arena_cstr(&f.a, arena_fmt(&f.a, "10.1.%d.%d", i / 200, i % 200)));
        }
        run(&f);
        T_EQ_INT(count(&f), f.n);
        T_OK(f.nslices >= 1 && f.nslices <= 3);
        run(&f);
        T_EQ_INT(f.steps.len, 0);
    }
    arena_fini(&f.a);
}

TEST(endpoints_objects)
{
    struct fix f = fix_new(service_text);
    add(&f, "b Running ready=1767322800", "10.0.0.2");
    add(&f, "a Running", "10.0.0.1");
    add(&f, "c Running ready=1 deleting", "10.0.0.3");
    struct json e = endpoints_make(&f.a, &f.service, f.pods, f.n, NULL), *subset = &json_get(&e, S("subsets"))->items[0];
    T_EQ_INT(json_get(&e, S("subsets"))->len, 1);
    T_EQ_INT(json_get(subset, S("addresses"))->len, 1);
    T_EQ_STR(json_get_str(&json_get(subset, S("addresses"))->items[0], S("ip")), "10.0.0.2");
    T_EQ_STR(json_get_str(&json_get(subset, S("notReadyAddresses"))->items[0], S("ip")), "10.0.0.1");
    T_EQ_STR(json_text(&f.a, json_get(subset, S("ports"))), "[{\"protocol\":\"TCP\",\"port\":8080}]");
    T_EQ_STR(json_get_str(json_path(&e, "metadata", "annotations", NULL), S(NOTE_TRIGGER_TIME)), "2026-01-02T03:00:00Z");
    struct json same = endpoints_make(&f.a, &f.service, f.pods, f.n, &e);
    T_OK(json_is(&same, JSON_NULL));
    f.n = 0;
    struct json none = endpoints_make(&f.a, &f.service, f.pods, f.n, &e);
    T_EQ_INT(json_get(&none, S("subsets"))->len, 0);
    arena_fini(&f.a);
}

TEST(endpoints_over_capacity)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json service = tree(&a, service_text);
    struct endpoint_pod *pods = arena_array(&a, 1200, struct endpoint_pod);
    for (int i = 0; i < 1200; i++) {
        struct pod_record *p = pod(&a, i < 300 ? "x Running" : "x Running ready=1");
        p->uid = arena_fmt(&a, "u%d", i);
        p->addresses = arena_fmt(&a, "10.0.%d.%d", i / 200, i % 200);
        pods[i].pod = p;
    }
    struct json e = endpoints_make(&a, &service, pods, 1200, NULL), *subset = &json_get(&e, S("subsets"))->items[0];
    T_EQ_INT(json_get(subset, S("addresses"))->len, 900);
    T_EQ_INT(json_get(subset, S("notReadyAddresses"))->len, 100);
    T_EQ_STR(json_get_str(json_path(&e, "metadata", "annotations", NULL), S(NOTE_OVER_CAPACITY)), "truncated");
    struct json few = endpoints_make(&a, &service, pods, 10, &e);
    T_OK(!json_get(json_path(&few, "metadata", "annotations", NULL), S(NOTE_OVER_CAPACITY)));
}

TEST(mirrors)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json e = tree(&a, "{'metadata':{'name':'ext','namespace':'default','uid':'e1'},'subsets':[{'addresses':[{'ip':'1.2.3.4'},{'ip':'fd00::9'}],'notReadyAddresses':[{'ip':'1.2.3.5'}],"
                             "'ports':[{'port':80}]}]}");
    struct slice_wants w;
    T_OK(endpoints_want_mirror(&e));
    slice_wants_of_endpoints(&a, &e, &w);
    T_EQ_INT(w.len, 3);
    struct slice_owner o = slice_owner_of(&a, &e, "Endpoints", SLICE_MIRROR_MANAGER, false);
    struct slice_steps steps = slice_plan_make(&a, &o, &w, NULL, 0);
    T_EQ_INT(steps.len, 2);
    T_EQ_STR(json_get_str(&json_path(&steps.p[0].obj, "metadata", "ownerReferences", NULL)->items[0], S("kind")), "Endpoints");
    struct slice_wants none = {0};
    steps = slice_plan_make(&a, &o, &none, &steps.p[0].obj, 1);
    T_EQ_INT(steps.len, 1);
    T_EQ_INT(steps.p[0].change, SLICE_DELETE);
    struct json skip = tree(&a, "{'metadata':{'labels':{'endpointslice.kubernetes.io/skip-mirror':'true'}}}");
    T_OK(!endpoints_want_mirror(&skip));
}

TEST_MAIN(selectors, one_pod, conditions, dual_stack_has_a_slice_each, named_ports_make_groups, slices_are_bounded_and_stable, doubles_and_strangers_go, random_changes, endpoints_objects,
          endpoints_over_capacity, mirrors)
