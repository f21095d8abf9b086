/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/live/live_internal.h"
#include "sched/live/test_api.h"

static pod_id id_of(struct api *f, const char *name)
{
    return sched_pod_find(live_sched(f->l), S("default"), str_of(name));
}

static class_id class_of_pod(struct api *f, const char *name)
{
    return live_sched(f->l)->pods[id_of(f, name)].class_;
}

static enum pod_state state_of(struct api *f, const char *name)
{
    pod_id p = id_of(f, name);
    return p ? (enum pod_state)live_sched(f->l)->pods[p].state : PS_FREE;
}

/* A pod with further members of its metadata. */
static struct api_object *labelled(struct api *f, const char *name, int cpu, const char *meta, const char *more)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct api_object *o = api_put(f, "pods", "default", name, "");
    o->spec = xstrdup(api_spec(&b, cpu, more));
    snprintf(o->meta, sizeof o->meta, "%s", meta);
    api_tell(f, o, "ADDED");
    return o;
}

TEST(replicas_are_read_once)
{
    struct api f;
    char name[16];
    api_init(&f);
    api_node(&f, "n1", 10);
    api_live(&f, NULL);
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "p%d", i);
        labelled(&f, name, 1, ",\"labels\":{\"app\":\"web\"}", "");
    }
    api_run(&f);
    T_EQ_INT(f.l->m.twins, 11);
    T_EQ_INT(f.l->m.echoes, 10);
    T_EQ_INT(api_count(&f, "bind"), 10);
    T_EQ_INT(class_of_pod(&f, "p0"), class_of_pod(&f, "p11"));
    T_EQ_STR(sched_pod_uid(live_sched(f.l), id_of(&f, "p11")), api_find(&f, "pods", S("default"), S("p11"))->uid);
    T_EQ_INT(f.l->m.incoming, 12);
    /* one goes, the next takes its place */
    api_remove(&f, "pods", "default", "p0");
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "bind"), 11);
    api_fini(&f);
}

TEST(those_that_differ_are_read)
{
    static const struct {
        const char *meta, *more;
        int cpu;
        bool is_twin;
    } rows[] = {
        {",\"labels\":{\"app\":\"web\"}", "", 1, false}, /* the first */
        {",\"labels\":{\"app\":\"web\"}", "", 1, true},
        {",\"labels\":{\"app\":\"db\"}", "", 1, false},
        {",\"annotations\":{\"app\":\"web\"}", "", 1, false},
        {",\"labels\":{\"app\":\"web\"},\"ownerReferences\":[{\"kind\":\"DaemonSet\",\"controller\":true}]", "", 1, false},
        {",\"labels\":{\"app\":\"web\"}", "", 2, false},
        {",\"labels\":{\"app\":\"web\"}", ",\"priority\":3", 1, false},
        {"", ",\"volumes\":[{\"name\":\"kube-api-access-abcde\",\"projected\":{}}]", 1, false},
        {"", ",\"volumes\":[{\"name\":\"kube-api-access-fghij\",\"projected\":{}}]", 1, true}, /* drawn for each pod */
        {"", ",\"volumes\":[{\"name\":\"kube-api-access-fghijk\",\"projected\":{}}]", 1, false},
        {"", ",\"volumes\":[{\"name\":\"kube-api-axxess-fghij\",\"projected\":{}}]", 1, false},
    };
    struct api f;
    char name[16];
    api_init(&f);
    api_live(&f, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t before = f.l->m.twins;
        snprintf(name, sizeof name, "p%zu", i);
        labelled(&f, name, rows[i].cpu, rows[i].meta, rows[i].more);
        api_run(&f);
        T_EQ_INT(f.l->m.twins - before, rows[i].is_twin);
        T_OK(id_of(&f, name) != POD_NONE);
    }
    api_fini(&f);
}

TEST(ephemeral_volumes_have_no_twins)
{
    struct api f;
    api_init(&f);
    api_live(&f, NULL);
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        labelled(&f, name, 1, "", ",\"volumes\":[{\"name\":\"v\",\"ephemeral\":{\"volumeClaimTemplate\":{\"spec\":{}}}}]");
    }
    api_run(&f);
    T_EQ_INT(f.l->m.twins, 0);
    api_fini(&f);
}

/* The pod that taught the template changes: those that come are like it was, not like it is. */
TEST(a_template_does_not_follow_its_pod)
{
    struct api f;
    api_init(&f);
    api_live(&f, NULL);
    struct api_object *o = labelled(&f, "a", 1, ",\"labels\":{\"app\":\"web\"}", "");
    api_run(&f);
    class_id first = class_of_pod(&f, "a");
    snprintf(o->meta, sizeof o->meta, ",\"labels\":{\"app\":\"db\"}");
    o->rv = ++f.rv;
    api_tell(&f, o, "MODIFIED");
    api_run(&f);
    T_OK(class_of_pod(&f, "a") != first);
    labelled(&f, "b", 1, ",\"labels\":{\"app\":\"web\"}", "");
    labelled(&f, "c", 1, ",\"labels\":{\"app\":\"db\"}", "");
    api_run(&f);
    T_OK(class_of_pod(&f, "b") != class_of_pod(&f, "a"));
    T_EQ_INT(class_of_pod(&f, "c"), class_of_pod(&f, "a"));
    /* and when all of them are gone, another one teaches */
    class_id was = class_of_pod(&f, "c");
    labelled(&f, "keep", 1, ",\"labels\":{\"app\":\"db\"}", ",\"hostNetwork\":true");
    api_remove(&f, "pods", "default", "a");
    api_remove(&f, "pods", "default", "c");
    uint64_t before = f.l->m.twins;
    labelled(&f, "d", 1, ",\"labels\":{\"app\":\"db\"}", "");
    labelled(&f, "e", 1, ",\"labels\":{\"app\":\"db\"}", "");
    T_EQ_INT(f.l->m.twins - before, 1);
    T_EQ_INT(class_of_pod(&f, "d"), was);
    T_EQ_INT(class_of_pod(&f, "e"), was);
    api_fini(&f);
}

/* Something else than the node has changed when the bind comes back: it is read. */
TEST(only_a_plain_echo_is_one)
{
    static const struct {
        const char *meta, *spec, *rest;
        bool is_echo;
    } rows[] = {
        {",\"labels\":{\"app\":\"web\"}", "", "", true},
        {",\"labels\":{\"app\":\"db\"}", "", "", false},
        {",\"labels\":{\"app\":\"web\"}", ",\"priority\":4", "", false},
        {",\"labels\":{\"app\":\"web\"}", "", ",\"startTime\":\"2026-01-01T00:00:09Z\"", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct api f;
        STRBUF_AUTO b = STRBUF_HEAP;
        api_init(&f);
        api_node(&f, "n1", 4);
        api_live(&f, NULL);
        struct api_object *o = labelled(&f, "p", 1, ",\"labels\":{\"app\":\"web\"}", "");
        /* until the bind is answered, this is what the server has */
        snprintf(o->meta, sizeof o->meta, "%s", rows[i].meta);
        free(o->spec);
        o->spec = xstrdup(api_spec(&b, 1, rows[i].spec));
        free(o->rest);
        o->rest = xstrdup(rows[i].rest);
        api_run(&f);
        T_EQ_STR(api_node_of(&f, "p"), "n1");
        T_EQ_INT(f.l->m.echoes, rows[i].is_echo);
        T_EQ_INT(state_of(&f, "p"), PS_BOUND);
        api_fini(&f);
    }
}

TEST(another_node_is_no_echo)
{
    struct api f;
    api_init(&f);
    api_node(&f, "n1", 4);
    api_node(&f, "n2", 4);
    api_live(&f, NULL);
    api_pod(&f, "p", 1, "", "");
    api_tell(&f, api_assign(&f, "p", "n2"), "MODIFIED"); /* somebody else was faster */
    api_run(&f);
    T_EQ_INT(f.l->m.echoes, 0);
    T_EQ_STR(sched_node_name(live_sched(f.l), live_sched(f.l)->pods[id_of(&f, "p")].node), "n2");
    T_EQ_INT(state_of(&f, "p"), PS_BOUND);
    api_fini(&f);
}

TEST_MAIN(replicas_are_read_once, those_that_differ_are_read, ephemeral_volumes_have_no_twins, a_template_does_not_follow_its_pod, only_a_plain_echo_is_one, another_node_is_no_echo)
