/* duel.c - the engine and the naive scheduler side by side. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/duel.h"

#include "sched/engine/place.h"

/* --- the profile ------------------------------------------------------------------------------------------------------------ */
static void write_terms(struct strbuf *b, const struct spec_node_term *t, size_t n, bool preferred)
{
    static const char *const ops[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    strbuf_addf(b, "[");
    for (size_t i = 0; i < n; i++) {
        strbuf_addf(b, "%s{", i ? ", " : "");
        if (preferred)
            strbuf_addf(b, "\"weight\": %d, \"preference\": {", t[i].weight);
        for (int fields = 0; fields < 2; fields++) {
            size_t nr = fields ? t[i].nfields : t[i].labels.n;
            const struct spec_requirement *r = fields ? t[i].fields : t[i].labels.p;
            strbuf_addf(b, "%s\"%s\": [", fields ? ", " : "", fields ? "matchFields" : "matchExpressions");
            for (size_t k = 0; k < nr; k++) {
                strbuf_addf(b, "%s{\"key\": \"" STR_FMT "\", \"operator\": \"%s\", \"values\": [", k ? ", " : "", STR_ARG(r[k].key), ops[r[k].op]);
                for (size_t v = 0; v < r[k].nvalues; v++)
                    strbuf_addf(b, "%s\"" STR_FMT "\"", v ? ", " : "", STR_ARG(r[k].values[v]));
                strbuf_addf(b, "]}");
            }
            strbuf_addf(b, "]");
        }
        strbuf_addf(b, preferred ? "}}" : "}");
    }
    strbuf_addf(b, "]");
}

static void write_resources(struct strbuf *b, const struct naive_resource *r, size_t n)
{
    static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "pods", "cox.io/ingress-bandwidth",
                                        "cox.io/egress-bandwidth", "nvidia.com/gpu", "example.com/foo"};
    strbuf_addf(b, "\"resources\": [");
    for (size_t i = 0; i < n; i++)
        strbuf_addf(b, "%s{\"name\": \"%s\", \"weight\": %d}", i ? ", " : "", names[r[i].id], r[i].weight);
    strbuf_addf(b, "]");
}

static void write_args(struct strbuf *b, const struct naive_conf *c, enum naive_rule rule)
{
    static const char *const types[] = {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"};
    if (rule == NAIVE_FIT) {
        strbuf_addf(b, ", args: {\"scoringStrategy\": {\"type\": \"%s\", ", types[c->strategy]);
        write_resources(b, c->fit, c->nfit);
        if (c->strategy == FIT_RATIO) {
            strbuf_addf(b, ", \"requestedToCapacityRatio\": {\"shape\": [");
            for (size_t i = 0; i < c->nshape; i++)
                strbuf_addf(b, "%s{\"utilization\": %d, \"score\": %d}", i ? ", " : "", c->shape[i].utilization, c->shape[i].score / 10);
            strbuf_addf(b, "]}");
        }
        strbuf_addf(b, "}}");
    } else if (rule == NAIVE_BALANCED) {
        strbuf_addf(b, ", args: {\"formula\": \"%s\", ", c->formula == BALANCED_WITH ? "with" : "gain");
        write_resources(b, c->balanced, c->nbalanced);
        strbuf_addf(b, "}");
    } else if (rule == NAIVE_NODE_AFFINITY && c->nadded_required + c->nadded_preferred) {
        strbuf_addf(b, ", args: {\"addedAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\": ");
        write_terms(b, c->added_preferred, c->nadded_preferred, true);
        if (c->nadded_required) {
            strbuf_addf(b, ", \"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": ");
            write_terms(b, c->added_required, c->nadded_required, false);
            strbuf_addf(b, "}");
        }
        strbuf_addf(b, "}}");
    } else if (rule == NAIVE_POD_AFFINITY) {
        strbuf_addf(b, ", args: {hardPodAffinityWeight: %d}", c->hard_affinity_weight);
    } else if (rule == NAIVE_SPREAD) {
        strbuf_addf(b, ", args: {defaultingType: %s}", c->default_spread ? "System" : "List");
    }
}

void duel_profile_text(struct strbuf *b, const struct naive_conf *c)
{
    strbuf_addf(b, "name: duel\nties: %s\nplugins:\n", c->best_fit ? "best-fit" : "seed");
    for (int r = 0; r < NAIVE_RULES; r++) {
        if (!c->filter[r] && !c->weight[r]) {
            strbuf_addf(b, "  %s: off\n", naive_rule_names[r]);
            continue;
        }
        strbuf_addf(b, "  %s: {", naive_rule_names[r]);
        if (r < NAIVE_BALANCED)
            strbuf_addf(b, "filter: %s, ", c->filter[r] ? "true" : "false");
        strbuf_addf(b, "weight: %d", c->weight[r]);
        write_args(b, c, (enum naive_rule)r);
        strbuf_addf(b, "}\n");
    }
    strbuf_addf(b, "  DefaultPreemption: %s\n", c->preempt ? "on" : "off");
}

struct sched_profile *duel_profile(const struct naive_conf *conf)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    duel_profile_text(&b, conf);
    if (profile_parse(strbuf_str(&b), S("duel.yaml"), &p, &err) < 0)
        base_bug(__FILE__, __LINE__, __func__, err.msg);
    return p;
}

/* --- telling both ----------------------------------------------------------------------------------------------------------- */
static void must(int r, const struct err *err)
{
    if (r < 0)
        base_bug(__FILE__, __LINE__, __func__, err->msg);
}

void duel_node_put(struct duel *d, const struct node_spec *n)
{
    struct err err = ERR_NONE;
    naive_node_put(&d->naive, n);
    must(sched_node_put(d->sched, n, NULL, &err), &err);
}

void duel_node_delete(struct duel *d, str name)
{
    naive_node_delete(&d->naive, name);
    sched_node_delete(d->sched, name);
}

static void storage_init(struct duel *d)
{
    struct worldgen *g = &d->gen;
    struct err err = ERR_NONE;
    g->nvolumes = 12;
    g->nclaims = 20;
    for (uint32_t i = 0; i < GEN_CLASSES; i++) {
        struct storage_class_spec c = worldgen_class(g, i);
        naive_class_put(&d->naive, &c);
        must(sched_storage_class_put(d->sched, &c, &err), &err);
    }
    for (uint32_t i = 0; i < g->nvolumes + 8; i++) {
        struct pv_spec v = worldgen_pv(g, i);
        if (i < g->nclaims / 2) { /* bound to the claim of its number */
            v.claim_ns = worldgen_namespaces[i % 3];
            v.claim_name = arena_fmt(&g->arena, "c-%u", i);
        }
        naive_pv_put(&d->naive, &v);
        must(sched_pv_put(d->sched, &v, &err), &err);
    }
    for (uint32_t i = 0; i < g->nclaims; i++) {
        struct pvc_spec c = worldgen_pvc(g, i);
        naive_pvc_put(&d->naive, &c);
        must(sched_pvc_put(d->sched, &c, &err), &err);
    }
}

void duel_init(struct duel *d, const struct duel_opts *o)
{
    struct err err = ERR_NONE;
    uint16_t foo;
    *d = (struct duel){.now = NSEC_PER_SEC};
    worldgen_init(&d->gen, o->seed, o->features);
    d->gen.nodes = o->nodes;
    naive_init(&d->naive, &o->conf, o->tie_seed);
    struct sched_profile *profile = duel_profile(&o->conf);
    d->confs[d->nconfs++] = o->conf;
    if (o->second) {
        profile->next = duel_profile(o->second);
        profile->next->name = S("second");
        d->confs[d->nconfs++] = *o->second;
    }
    d->sched = sched_new(profile, o->tie_seed);
    must(sched_resource_id(d->sched, S("example.com/foo"), &foo, &err), &err);
    BUG_ON(foo != GEN_FOO);
    for (size_t i = 0; i < ARRAY_LEN(worldgen_namespaces); i++) {
        struct spec_labels l = worldgen_namespace_labels(&d->gen);
        naive_namespace_put(&d->naive, worldgen_namespaces[i], l);
        sched_namespace_put(d->sched, worldgen_namespaces[i], l);
    }
    if (o->features & GEN_VOLUMES)
        storage_init(d);
    for (uint32_t i = 0; o->features & GEN_PRIORITY && i < 2; i++) {
        struct pdb_spec b = worldgen_pdb(&d->gen, i);
        naive_pdb_put(&d->naive, &b);
        must(sched_pdb_put(d->sched, &b, &err), &err);
    }
    for (uint32_t i = 0; i < o->nodes; i++) {
        struct node_spec n = worldgen_node(&d->gen, i);
        duel_node_put(d, &n);
    }
}

void duel_fini(struct duel *d)
{
    sched_free(d->sched);
    naive_fini(&d->naive);
    worldgen_fini(&d->gen);
}

size_t duel_pod_new(struct duel *d)
{
    struct err err = ERR_NONE;
    struct pod_spec p = worldgen_pod(&d->gen, d->npods++);
    if (d->nconfs > 1)
        p.scheduler = worldgen_chance(&d->gen, 50) ? S("second") : S("duel");
    must(sched_pod_put(d->sched, &p, NULL, &err), &err);
    return naive_pod_put(&d->naive, &p);
}

void duel_pod_delete(struct duel *d, size_t pod)
{
    const struct pod_spec *p = &d->naive.pods.p[pod].spec;
    sched_pod_delete(d->sched, p->ns, p->name);
    naive_pod_delete(&d->naive, pod);
}

static pod_id id_of(const struct duel *d, size_t pod)
{
    return sched_pod_find(d->sched, d->naive.pods.p[pod].spec.ns, d->naive.pods.p[pod].spec.name);
}

void duel_confirm(struct duel *d, size_t pod)
{
    struct naive_pod *p = &d->naive.pods.p[pod];
    struct err err = ERR_NONE;
    uint8_t ids[GPU_MAX];
    uint32_t n = 0;
    p->spec.node = d->naive.nodes.p[p->node].spec.name;
    p->spec.phase = POD_BOUND;
    p->spec.started_ns = d->now;
    for (uint32_t i = 0; i < GPU_MAX; i++)
        if (p->gpu_mask >> i & 1)
            ids[n++] = (uint8_t)i;
    struct pod_spec told = p->spec;
    told.gpu_ids = n ? ids : NULL;
    must(sched_pod_put(d->sched, &told, NULL, &err), &err);
}

/* --- deciding --------------------------------------------------------------------------------------------------------------- */
void duel_describe_pod(struct strbuf *b, const struct pod_spec *p)
{
    strbuf_addf(b, STR_FMT "/" STR_FMT " prio %d, %zu requests, cpu %lld, selector %zu, required %d/%zu, preferred %zu, tolerations %zu, "
                "affinity %zu/%zu/%zu/%zu, spread %zu, ports %zu, images %zu, volumes %zu, gpu %d x%u, numa %d",
                STR_ARG(p->ns), STR_ARG(p->name), p->priority, p->requests.n, (long long)naive_request(p, RES_CPU), p->node_selector.n,
                p->has_required, p->nrequired_terms,
                p->npreferred_terms, p->ntolerations, p->naffinity, p->nanti_affinity, p->npreferred_affinity, p->npreferred_anti_affinity,
                p->nspread, p->nports, p->nimages,
                p->nvolumes, p->gpu.kind, p->gpu.count, p->numa);
}

static void mix(struct duel *d, str text)
{
    d->digest = (d->digest ^ str_hash(text)) * 0x9e3779b97f4a7c15ull + 1;
}

static str result_name(enum unit_result r)
{
    static const str names[] = {STR_INIT("placed"), STR_INIT("preempting"), STR_INIT("incomplete"), STR_INIT("gated"),
                                STR_INIT("rejected"), STR_INIT("nothing")};
    return names[r];
}

static uint32_t profile_at(const struct duel *d, size_t pod)
{
    return class_of(d->sched, id_of(d, pod))->profile;
}

/* Where the pod's profile has the rule; -1. */
static int rule_at(const struct duel *d, size_t pod, int rule)
{
    return profile_table_index(d->sched->table, profile_at(d, pod), plugin_find(str_of(naive_rule_names[rule])));
}

/* Plugins that rejected nodes, as rules; all of them when one is not of the pod's profile. */
static uint32_t rules_of(const struct duel *d, size_t pod, uint64_t rejected_by)
{
    uint32_t rules = rejected_by & ~d->sched->table->of[profile_at(d, pod)] ? UINT32_MAX : 0;
    for (int r = 0; r < NAIVE_RULES; r++) {
        int at = rule_at(d, pod, r);
        if (at >= 0 && rejected_by >> at & 1)
            rules |= 1u << r;
    }
    return rules;
}

/* Such a pod is tried on that node alone: there is no score, and nobody else rejects it. */
static bool is_pinned(const struct pod_spec *p)
{
    return p->has_required && p->nrequired_terms == 1 && p->required_terms[0].nfields == 1 && p->required_terms[0].fields[0].op == OP_IN &&
            p->required_terms[0].fields[0].nvalues == 1;
}

static bool compare_rejection(struct duel *d, size_t pod, const struct unit_decision *got, const struct naive_choice *want, struct strbuf *why)
{
    uint32_t rules = 0;
    for (int r = 0; r < NAIVE_RULES; r++)
        rules |= (uint32_t)(want->rejected[r] > 0) << r;
    uint32_t have = rules_of(d, pod, got->rejected_by);
    bool pinned = is_pinned(&d->naive.pods.p[pod].spec);
    if (got->result == UNIT_REJECTED && (have == rules || pinned))
        return true;
    duel_describe_pod(why, &d->naive.pods.p[pod].spec);
    strbuf_addf(why, ": engine " STR_FMT " (rules %x), naive rejected (rules %x)", STR_ARG(result_name(got->result)), have, rules);
    return false;
}

static bool compare_placement(struct duel *d, size_t pod, const struct unit_decision *got, const struct naive_choice *want, struct strbuf *why)
{
    str name = d->naive.nodes.p[want->node].spec.name;
    if (got->result == UNIT_PLACED && got->placements.len == 1) {
        str chosen = sched_node_name(d->sched, got->placements.p[0].node);
        bool pinned = is_pinned(&d->naive.pods.p[pod].spec);
        if (str_eq(chosen, name) && (got->placements.p[0].score == want->total || pinned))
            return true;
        duel_describe_pod(why, &d->naive.pods.p[pod].spec);
        strbuf_addf(why, ": engine " STR_FMT " with %d, naive " STR_FMT " with %lld of", STR_ARG(chosen), got->placements.p[0].score,
                    STR_ARG(name), (long long)want->total);
        for (int r = 0; r < NAIVE_RULES; r++)
            if (d->naive.conf.weight[r])
                strbuf_addf(why, " %s %lld", naive_rule_names[r], (long long)want->parts[r]);
        return false;
    }
    duel_describe_pod(why, &d->naive.pods.p[pod].spec);
    strbuf_addf(why, ": engine " STR_FMT " (rules %x), naive " STR_FMT, STR_ARG(result_name(got->result)), rules_of(d, pod, got->rejected_by),
                STR_ARG(name));
    return false;
}

static bool compare_preemption(struct duel *d, size_t pod, const struct unit_decision *got, const struct naive_preemption *want, struct strbuf *why)
{
    str name = d->naive.nodes.p[want->node].spec.name;
    bool same = got->result == UNIT_PREEMPTING && got->placements.len == 1 && got->victims.len == want->nvictims &&
                str_eq(sched_node_name(d->sched, got->placements.p[0].node), name);
    for (size_t i = 0; same && i < want->nvictims; i++) {
        bool found = false;
        for (size_t k = 0; k < got->victims.len; k++)
            found |= got->victims.p[k] == id_of(d, want->victims[i]);
        same = found;
    }
    if (same)
        return true;
    duel_describe_pod(why, &d->naive.pods.p[pod].spec);
    strbuf_addf(why, ": engine " STR_FMT " on " STR_FMT " with %zu victims, naive " STR_FMT " with %zu:", STR_ARG(result_name(got->result)),
                STR_ARG(got->placements.len ? sched_node_name(d->sched, got->placements.p[0].node) : S("-")), got->victims.len,
                STR_ARG(name), want->nvictims);
    for (size_t i = 0; i < want->nvictims; i++)
        strbuf_addf(why, " " STR_FMT, STR_ARG(d->naive.pods.p[want->victims[i]].spec.name));
    return false;
}

/* One node that the choice does not depend on, score by score. */
static bool compare_parts(struct duel *d, size_t pod, struct strbuf *why)
{
    int64_t want[NAIVE_RULES];
    int32_t have[PLUG_MAX];
    int node = (int)worldgen_below(&d->gen, (uint32_t)d->naive.nodes.len);
    const struct pod_spec *p = &d->naive.pods.p[pod].spec;
    if (!d->naive.nodes.p[node].used || is_pinned(p))
        return true;
    node_id n = sched_node_find(d->sched, d->naive.nodes.p[node].spec.name);
    class_id c = d->sched->pods[id_of(d, pod)].class_;
    bool fits = naive_parts(&d->naive, pod, node, want);
    if (fits != place_fits(d->sched, c, n)) {
        duel_describe_pod(why, p);
        strbuf_addf(why, ": on " STR_FMT " it %s for the naive one only", STR_ARG(d->naive.nodes.p[node].spec.name), fits ? "fits" : "does not fit");
        return false;
    }
    if (!fits)
        return true;
    place_score_parts(d->sched, c, n, have);
    for (int r = 0; r < NAIVE_RULES; r++) {
        int at = rule_at(d, pod, r);
        if (at < 0 || have[at] == want[r])
            continue;
        duel_describe_pod(why, p);
        strbuf_addf(why, ": on " STR_FMT " %s gives %d, naive %lld", STR_ARG(d->naive.nodes.p[node].spec.name), naive_rule_names[r],
                    have[at], (long long)want[r]);
        return false;
    }
    return true;
}

/* Without zones there is one right choice of devices. */
static bool devices_allowed(struct duel *d, size_t pod, int node, uint16_t mask, uint8_t zones, struct strbuf *why)
{
    struct naive *w = &d->naive;
    uint16_t want = naive_devices(w, pod, node);
    if (!zones && w->conf.filter[NAIVE_GPU] && mask != want)
        strbuf_addf(why, "devices %x, naive %x", mask, want);
    else if (w->conf.filter[NAIVE_NUMA] && !naive_zones_allowed(w, pod, node, zones, mask))
        strbuf_addf(why, "zones %x and devices %x, which its rule does not allow", zones, mask);
    else
        return true;
    return false;
}

bool duel_decide(struct duel *d, size_t pod, struct strbuf *why)
{
    struct naive *w = &d->naive;
    w->conf = d->confs[d->nconfs > 1 && str_is(w->pods.p[pod].spec.scheduler, "second")];
    struct naive_choice want = naive_choose(w, pod);
    struct unit_decision got = UNIT_DECISION_INIT;
    pod_id id = id_of(d, pod);
    bool same;
    if (worldgen_chance(&d->gen, 50) && !compare_parts(d, pod, why))
        return false;
    d->now += NSEC_PER_SEC;
    sched_place(d->sched, sched_unit_of(d->sched, id), d->now, &got);
    mix(d, result_name(got.result));
    if (got.placements.len)
        mix(d, sched_node_name(d->sched, got.placements.p[0].node));
    struct naive_preemption evict = {.node = -1};
    if (want.node < 0)
        evict = naive_preempt(w, pod);
    if (want.node >= 0) {
        same = compare_placement(d, pod, &got, &want, why);
        if (same && (same = devices_allowed(d, pod, want.node, got.placements.p[0].gpu_mask, d->sched->pods[id].numa_zones, why))) {
            naive_place(w, pod, want.node, got.placements.p[0].gpu_mask);
            w->pods.p[pod].gpu_mask = got.placements.p[0].gpu_mask;
            w->pods.p[pod].zones = d->sched->pods[id].numa_zones;
            d->placed++;
        }
    } else if (evict.node >= 0) {
        same = compare_preemption(d, pod, &got, &evict, why);
        for (size_t i = 0; same && i < evict.nvictims; i++)
            duel_pod_delete(d, evict.victims[i]);
        if (same) {
            naive_place(w, pod, evict.node, d->sched->pods[id].gpu_mask);
            duel_confirm(d, pod);
            d->preempted++;
        }
    } else {
        same = compare_rejection(d, pod, &got, &want, why);
        d->rejected += same;
    }
    unit_decision_fini(&got);
    return same;
}
