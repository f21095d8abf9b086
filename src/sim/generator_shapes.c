/* generator_shapes.c - the pods of the workloads: what each asks for beyond being a plain pod of 100m and 500 MiB. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/generators_internal.h"

#define MIB (1024ll * 1024)

static void request(struct gen *g, struct pod_spec *p, int64_t cpu_milli, int64_t memory)
{
    struct res_amount *r = arena_array(&g->scratch, 4, struct res_amount);
    size_t n = 0;
    if (cpu_milli)
        r[n++] = (struct res_amount){RES_CPU, cpu_milli};
    if (memory)
        r[n++] = (struct res_amount){RES_MEMORY, memory};
    p->requests = (struct res_list){r, n};
    p->nonzero_cpu = cpu_milli ? cpu_milli : 100;
    p->nonzero_memory = memory ? memory : 200 * MIB;
    p->best_effort = n == 0;
}

/* request() leaves room for it. */
static void request_also(struct pod_spec *p, uint16_t id, int64_t amount)
{
    ((struct res_amount *)p->requests.p)[p->requests.n++] = (struct res_amount){id, amount};
}

void gen_pod_default(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 100, 500 * MIB);
}
void gen_pod_large_cpu(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 9000, 500 * MIB);
}
void gen_pod_low(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 900, 500 * MIB);
}
void gen_pod_high(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 3000, 500 * MIB);
    p->priority = 10;
}
void gen_pod_tiny(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 0, 0);
}
void gen_pod_gated(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 0, 0);
    p->gates = 1;
}
void gen_pod_whole_node(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 4000, 500 * MIB);
}
void gen_pod_extended(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    request(g, p, 100, 500 * MIB);
    request_also(p, g->extended, 1);
}

/* Nodes of 4 cores hold one pod of priority 20 with 3,400m and one of 0 with 500m: who needs 3 cores at priority 10 can evict only the small one. */
void gen_pod_hopeless_base(struct gen *g, uint32_t i, struct pod_spec *p)
{
    request(g, p, i % 2 ? 500 : 3400, 500 * MIB);
    p->priority = i % 2 ? 0 : 20;
}

void gen_pod_classes20(struct gen *g, uint32_t i, struct pod_spec *p)
{
    request(g, p, 100 + 20 * (i % 20), (100 + 10 * (int64_t)(i % 20)) * MIB);
}

/* Four pods a gang; the gangs of every fourth want a GPU for each pod. */
void gen_pod_gpu_job(struct gen *g, uint32_t i, struct pod_spec *p)
{
    request(g, p, 1000, 2048 * MIB);
    if (i / 4 % 4 == 0) {
        request_also(p, RES_GPU, 1);
        p->gpu = (struct gpu_request){.kind = GPU_WHOLE, .count = 1, .milli = GPU_MILLI};
    }
}

/* --- labels, selectors, terms: constant ------------------------------------------------------------------------------------------------ */

static const struct spec_label color[] = {
    {STR_INIT("color"), STR_INIT("blue")},  {STR_INIT("color"), STR_INIT("green")}, {STR_INIT("color"), STR_INIT("red")},
    {STR_INIT("color"), STR_INIT("yellow")}, {STR_INIT("app"), STR_INIT("service")},  {STR_INIT("foo"), STR_INIT("")},
};
enum { BLUE, GREEN, RED, YELLOW, SERVICE, FOO };
static const struct spec_requirement is_color[] = {
    [BLUE] = {STR_INIT("color"), OP_IN, &color[BLUE].value, 1},       [GREEN] = {STR_INIT("color"), OP_IN, &color[GREEN].value, 1},
    [RED] = {STR_INIT("color"), OP_IN, &color[RED].value, 1},         [YELLOW] = {STR_INIT("color"), OP_IN, &color[YELLOW].value, 1},
    [SERVICE] = {STR_INIT("app"), OP_IN, &color[SERVICE].value, 1},   [FOO] = {STR_INIT("foo"), OP_EXISTS, NULL, 0},
};
static const str team[] = {STR_INIT("devops")};
static const struct spec_requirement is_team = {STR_INIT("team"), OP_IN, team, 1};
static const str both_namespaces[] = {STR_INIT("sched-0"), STR_INIT("sched-1")};

static void wear(struct pod_spec *p, int which)
{
    p->labels = (struct spec_labels){&color[which], 1};
}

/* A term towards pods of a colour, in both namespaces or in those of the team. */
static struct spec_pod_term *term(struct gen *g, int which, str key, int32_t weight, bool by_team)
{
    struct spec_pod_term *t = arena_new(&g->scratch, struct spec_pod_term);
    t->selector = (struct spec_selector){&is_color[which], 1, false};
    t->topology_key = key;
    t->weight = weight;
    if (by_team) {
        t->has_namespace_selector = true;
        t->namespace_selector = (struct spec_selector){&is_team, 1, false};
    } else {
        t->namespaces = both_namespaces;
        t->nnamespaces = 2;
    }
    return t;
}

static void affinity(struct gen *g, struct pod_spec *p, bool by_team)
{
    gen_pod_default(g, 0, p);
    wear(p, BLUE);
    p->affinity = term(g, BLUE, GEN_ZONE_KEY, 0, by_team);
    p->naffinity = 1;
}
static void anti_affinity(struct gen *g, struct pod_spec *p, bool by_team)
{
    gen_pod_default(g, 0, p);
    wear(p, GREEN);
    p->anti_affinity = term(g, GREEN, GEN_HOST_KEY, 0, by_team);
    p->nanti_affinity = 1;
}
static void preferred_affinity(struct gen *g, struct pod_spec *p, bool by_team)
{
    gen_pod_default(g, 0, p);
    wear(p, RED);
    p->preferred_affinity = term(g, RED, GEN_HOST_KEY, 1, by_team);
    p->npreferred_affinity = 1;
}
static void preferred_anti_affinity(struct gen *g, struct pod_spec *p, bool by_team)
{
    gen_pod_default(g, 0, p);
    wear(p, YELLOW);
    p->preferred_anti_affinity = term(g, YELLOW, GEN_HOST_KEY, 1, by_team);
    p->npreferred_anti_affinity = 1;
}
void gen_pod_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    affinity(g, p, false);
}
void gen_pod_anti_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    anti_affinity(g, p, false);
}
void gen_pod_preferred_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    preferred_affinity(g, p, false);
}
void gen_pod_preferred_anti_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    preferred_anti_affinity(g, p, false);
}
void gen_pod_ns_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    affinity(g, p, true);
}
void gen_pod_ns_anti_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    anti_affinity(g, p, true);
}
void gen_pod_ns_preferred_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    preferred_affinity(g, p, true);
}
void gen_pod_ns_preferred_anti_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    preferred_anti_affinity(g, p, true);
}

/* Has no constraint of its own, but others refuse to stand beside it. */
void gen_pod_matching(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    gen_pod_default(g, 0, p);
    wear(p, GREEN);
}

void gen_pod_gated_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    affinity(g, p, false);
    request(g, p, 0, 0);
    p->gates = 1;
}

/* --- nodes --------------------------------------------------------------------------------------------------------------------------------- */

void gen_pod_node_affinity(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    static const str zones[] = {STR_INIT("zone-0"), STR_INIT("zone-1")};
    static const struct spec_requirement in_zone = {STR_INIT("topology.kubernetes.io/zone"), OP_IN, zones, 2};
    static const struct spec_node_term node_term = {.labels = {&in_zone, 1, false}};
    gen_pod_default(g, 0, p);
    p->has_required = true;
    p->required_terms = &node_term;
    p->nrequired_terms = 1;
}

/* As a DaemonSet's pods, all for the wide node. */
void gen_pod_pinned(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    static const str name = STR_INIT("node-0");
    static const struct spec_requirement field = {STR_INIT("metadata.name"), OP_IN, &name, 1};
    static const struct spec_node_term node_term = {.fields = &field, .nfields = 1};
    request(g, p, 0, 0);
    p->has_required = true;
    p->required_terms = &node_term;
    p->nrequired_terms = 1;
    p->daemon = true;
}

void gen_pod_host_port(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    static const struct spec_port port = {.protocol = 'T', .port = 8080};
    gen_pod_default(g, 0, p);
    p->ports = &port;
    p->nports = 1;
}

/* --- spread ---------------------------------------------------------------------------------------------------------------------------------- */

static void spread(struct gen *g, struct pod_spec *p, struct spec_spread s)
{
    struct spec_spread *own = arena_new(&g->scratch, struct spec_spread);
    *own = s;
    p->spread = own;
    p->nspread = 1;
}
void gen_pod_spread_hard(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    gen_pod_default(g, 0, p);
    wear(p, BLUE);
    spread(g, p, (struct spec_spread){.topology_key = GEN_ZONE_KEY, .max_skew = 5, .hard = true, .taints_policy = SPREAD_IGNORE, .selector = {&is_color[BLUE], 1, false}});
}
void gen_pod_spread_soft(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    gen_pod_default(g, 0, p);
    wear(p, BLUE);
    spread(g, p, (struct spec_spread){.topology_key = GEN_ZONE_KEY, .max_skew = 5, .taints_policy = SPREAD_IGNORE, .selector = {&is_color[BLUE], 1, false}});
}
void gen_pod_spread_taints(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    gen_pod_default(g, 0, p);
    wear(p, FOO);
    spread(g, p, (struct spec_spread){.topology_key = GEN_HOST_KEY, .max_skew = 1, .hard = true, .taints_policy = SPREAD_HONOR, .selector = {&is_color[FOO], 1, false}});
}
void gen_pod_service(struct gen *g, uint32_t i UNUSED, struct pod_spec *p)
{
    gen_pod_default(g, 0, p);
    wear(p, SERVICE);
    p->default_spread_owned = true;
    p->default_spread_selector = (struct spec_selector){&is_color[SERVICE], 1, false};
}

/* --- no two alike ------------------------------------------------------------------------------------------------------------------------------ */

/* Amounts from the number, so that no two pods are equal; a third wants a disk, a tenth may go to the dedicated nodes. */
void gen_pod_different(struct gen *g, uint32_t i, struct pod_spec *p)
{
    static const struct spec_label disks[] = {{STR_INIT("disk"), STR_INIT("ssd")}, {STR_INIT("disk"), STR_INIT("hdd")}};
    static const struct spec_toleration dedicated = {STR_INIT("dedicated"), TOLERATE_EXISTS, STR_INIT(""), -1};
    request(g, p, 50 + i % 211, 64 * MIB + (int64_t)i * 4096);
    if (i % 3 == 0)
        p->node_selector = (struct spec_labels){&disks[i / 3 % 2], 1};
    if (i % 10 == 0) {
        p->tolerations = &dedicated;
        p->ntolerations = 1;
    }
}
