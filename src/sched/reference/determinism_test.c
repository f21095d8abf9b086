/* The same events and the same seed give the same decisions, whatever the address space looks like; another seed breaks ties another way. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/reference/duel.h"

struct outcome {
    uint64_t digest;
    uint32_t placed;
};

static void mix(uint64_t *digest, uint64_t v)
{
    *digest = (*digest ^ v) * 0x9e3779b97f4a7c15ull;
    *digest ^= *digest >> 29;
}

/* One life of an engine: nodes, pods, decisions, deaths. */
static struct outcome live(uint64_t world, uint64_t seed, uint32_t features, bool noise)
{
    struct outcome o = {0};
    struct worldgen g;
    struct err err = ERR_NONE;
    struct naive_conf conf = naive_conf_default();
    conf.preempt = true;
    uint16_t foo;
    /* memory in another order must not matter */
    void *junk[64] = {NULL};
    for (size_t i = 0; i < ARRAY_LEN(junk) && noise; i++)
        junk[i] = xmalloc(100 + 1000 * i);
    for (size_t i = 0; i < ARRAY_LEN(junk); i += 2) {
        free(junk[i]);
        junk[i] = NULL;
    }
    struct sched *s = sched_new(duel_profile(&conf), seed);
    BUG_ON(sched_resource_id(s, S("example.com/foo"), &foo, &err) < 0);
    worldgen_init(&g, world, features);
    g.nodes = 15;
    for (uint32_t i = 0; i < g.nodes; i++) {
        struct node_spec n = worldgen_node(&g, i);
        BUG_ON(sched_node_put(s, &n, NULL, &err) < 0);
    }
    for (uint32_t i = 0; i < 120; i++) {
        struct pod_spec p = worldgen_pod(&g, i);
        struct unit_decision d = UNIT_DECISION_INIT;
        pod_id id;
        BUG_ON(sched_pod_put(s, &p, &id, &err) < 0);
        sched_place(s, sched_unit_of(s, id), (nsec_t)i * NSEC_PER_SEC, &d);
        mix(&o.digest, d.result);
        mix(&o.digest, d.rejected_by);
        mix(&o.digest, d.helped_by);
        for (size_t k = 0; k < d.placements.len; k++) {
            mix(&o.digest, str_hash(sched_node_name(s, d.placements.p[k].node)));
            mix(&o.digest, (uint64_t)d.placements.p[k].score << 16 | d.placements.p[k].gpu_mask);
        }
        for (size_t k = 0; k < d.victims.len; k++)
            mix(&o.digest, str_hash(sched_pod_name(s, d.victims.p[k])));
        o.placed += d.result == UNIT_PLACED;
        unit_decision_fini(&d);
        if (i % 7 == 6) {
            STRBUF_AUTO name = STRBUF_HEAP;
            strbuf_addf(&name, "p-%u", worldgen_below(&g, i));
            for (size_t k = 0; k < ARRAY_LEN(worldgen_namespaces); k++)
                sched_pod_delete(s, worldgen_namespaces[k], strbuf_str(&name));
        }
        if (i == 60)
            sched_node_delete(s, S("n-3"));
    }
    sched_free(s);
    worldgen_fini(&g);
    for (size_t i = 0; i < ARRAY_LEN(junk); i++)
        free(junk[i]);
    return o;
}

TEST(same_seed_same_decisions)
{
    uint32_t placed = 0;
    for (uint64_t world = 1; world <= 40; world++) {
        struct outcome a = live(world, 42, GEN_ALL & ~(uint32_t)GEN_VOLUMES, false), b = live(world, 42, GEN_ALL & ~(uint32_t)GEN_VOLUMES, true);
        if (a.digest != b.digest)
            T_FAIL_("world %llu: two lives differ", (unsigned long long)world);
        placed += a.placed;
    }
    T_OK(placed > 400);
}

TEST(another_seed_breaks_ties_another_way)
{
    uint32_t different = 0;
    for (uint64_t world = 1; world <= 20; world++)
        different += live(world, 42, GEN_TAINTS, false).digest != live(world, 43, GEN_TAINTS, false).digest;
    T_OK(different > 15);
}

TEST_MAIN(same_seed_same_decisions, another_seed_breaks_ties_another_way)
