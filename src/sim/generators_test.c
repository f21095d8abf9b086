/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/generators.h"

#include "base/test.h"

struct seen {
    uint32_t nodes, nodes_now, init, measured, groups, namespaces, pvs, pvcs, settles, terminated, resources;
    uint32_t clones; /* GEN_LIKE_LAST */
    uint64_t hash;   /* of all names and amounts */
    bool measured_before_settle, clone_differs;
    struct pod_spec last;
};

static void mix(struct seen *x, str s, uint64_t v)
{
    x->hash = (x->hash ^ str_hash(s) ^ v) * 0x9e3779b97f4a7c15u;
}
static int on_resource(void *arg, str name, uint16_t *ret_id, struct err *err UNUSED)
{
    struct seen *x = arg;
    x->resources += name.len > 0;
    *ret_id = RES_FIRST_EXTENDED;
    return 0;
}
static int on_node(void *arg, const struct node_spec *n, struct err *err UNUSED)
{
    struct seen *x = arg;
    x->nodes++;
    x->nodes_now++;
    mix(x, n->name, n->allocatable.n);
    for (size_t i = 0; i < n->allocatable.n; i++)
        mix(x, n->name, (uint64_t)n->allocatable.p[i].amount);
    return 0;
}
static int on_pod(void *arg, const struct pod_spec *p, unsigned flags, struct err *err UNUSED)
{
    struct seen *x = arg;
    if (flags & GEN_MEASURED)
        x->measured++;
    else
        x->init++;
    x->measured_before_settle |= (flags & GEN_MEASURED) && !x->settles;
    if (flags & GEN_LIKE_LAST) {
        x->clones++;
        x->clone_differs |= p->requests.n != x->last.requests.n || p->priority != x->last.priority || p->naffinity != x->last.naffinity || !str_eq(p->ns, x->last.ns) || p->node.len || p->group.len;
    }
    x->last = *p;
    mix(x, p->name, p->requests.n);
    return 0;
}
static int on_group(void *arg, const struct group_spec *g, struct err *err UNUSED)
{
    struct seen *x = arg;
    x->groups++;
    T_OK(g->min_member > 0);
    return 0;
}
static int on_ns(void *arg, str name UNUSED, struct spec_labels labels, struct err *err UNUSED)
{
    ((struct seen *)arg)->namespaces++;
    T_EQ_INT(labels.n, 1);
    return 0;
}
static int on_pv(void *arg, const struct pv_spec *pv UNUSED, struct err *err UNUSED)
{
    ((struct seen *)arg)->pvs++;
    return 0;
}
static int on_pvc(void *arg, const struct pvc_spec *pvc, struct err *err UNUSED)
{
    ((struct seen *)arg)->pvcs++;
    T_OK(pvc->volume.len > 0);
    return 0;
}
static int on_node_delete(void *arg, str name UNUSED, struct err *err UNUSED)
{
    ((struct seen *)arg)->nodes_now--;
    return 0;
}
static int on_terminate(void *arg, str ns UNUSED, str name UNUSED, struct err *err UNUSED)
{
    ((struct seen *)arg)->terminated++;
    return 0;
}
static int on_settle(void *arg, struct err *err UNUSED)
{
    ((struct seen *)arg)->settles++;
    return 0;
}

static struct seen run(const struct gen_workload *w, struct gen_scale scale)
{
    struct seen x = {0};
    struct err err = ERR_NONE;
    struct gen_sink sink = {.arg = &x, .resource = on_resource, .node = on_node, .pod = on_pod, .group = on_group, .ns = on_ns, .pv = on_pv, .pvc = on_pvc,
                            .node_delete = on_node_delete, .pod_terminate = on_terminate, .settle = on_settle};
    T_NO_ERR(gen_run(w, &scale, &sink, &err), &err);
    return x;
}

TEST(every_workload_gives_what_its_row_says)
{
    for (const struct gen_workload *w = gen_workloads; w->name; w++) {
        struct gen_scale scale = {60, 120, 200, 1};
        struct seen x = run(w, scale), again = run(w, scale);
        bool churns = str_is(str_of(w->name), "SchedulingWithMixedChurn"), mixed = str_is(str_of(w->name), "MixedSchedulingBasePod");
        T_EQ_INT(x.nodes, 60);
        T_EQ_INT(x.measured, 200);
        T_EQ_INT(x.init, mixed ? 600 : 120);
        T_OK(x.settles >= 2 || churns);
        T_OK(!x.measured_before_settle);
        T_OK(!x.clone_differs);
        T_OK(x.hash == again.hash);
        T_EQ_INT(x.pvs, x.pvcs);
        T_OK(w->nodes > 0 && w->measured > 0 && w->summary[0]);
        if (test_failures_)
            T_FAIL_("in %s", w->name);
    }
}

TEST(special_workloads)
{
    struct gen_scale scale = {20, 40, 1500, 1};
    struct seen x = run(gen_find(S("SchedulingWithMixedChurn")), scale);
    T_EQ_INT(x.nodes, 21); /* the churn node came once and went once */
    T_EQ_INT(x.nodes_now, 20);
    T_EQ_INT(x.settles, 4);
    T_OK(!x.clone_differs);
    x = run(gen_find(S("SchedulingCSIPVs")), scale);
    T_EQ_INT(x.pvs, 1540);
    T_EQ_INT(x.clones, 0);
    x = run(gen_find(S("gangs3")), (struct gen_scale){20, 0, 10, 1});
    T_EQ_INT(x.groups, 4); /* the last has one member */
    x = run(gen_find(S("SchedulingDeletedPodsWithFinalizers")), scale);
    T_EQ_INT(x.terminated, 40);
    x = run(gen_find(S("RequiredPodAffinityWithNSSelector")), scale);
    T_EQ_INT(x.namespaces, 51);
    x = run(gen_find(S("SchedulingBasic")), scale);
    T_EQ_INT(x.clones, 39 + 1499);
    T_OK(!gen_find(S("Nonsense")));
}

static int refuse(void *arg UNUSED, const struct node_spec *n UNUSED, struct err *err)
{
    return err_set(err, E_BUSY, "no");
}

TEST(a_sink_can_refuse)
{
    struct seen x = {0};
    struct err err = ERR_NONE;
    struct gen_sink sink = {.arg = &x, .resource = on_resource, .node = refuse, .pod = on_pod};
    struct gen_scale scale = {5, 5, 5, 1}, huge = {2000000, 0, 1, 1};
    T_ERR(gen_run(gen_find(S("SchedulingBasic")), &scale, &sink, &err), E_BUSY);
    T_EQ_INT(x.init, 0);
    T_ERR(gen_run(gen_find(S("SchedulingBasic")), &huge, &sink, &err), E_TOO_LARGE);
}

TEST_MAIN(every_workload_gives_what_its_row_says, special_workloads, a_sink_can_refuse)
