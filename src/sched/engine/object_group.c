/* object_group.c - PodGroups of KAI, Gödel, co-scheduling and Kubernetes as the engine wants them.  See object.h.
 *
 *   scheduling.run.ai               minMember or minSubGroup, subGroups[{name, minMember or minSubGroup, parent, topologyConstraint}], topologyConstraint
 *   scheduling.godel.kubewharf.io   minMember, scheduleTimeoutSeconds, affinity.podGroupAffinity{required, preferred, sortRules, nodeSelector}
 *   scheduling.x-k8s.io             minMember, scheduleTimeoutSeconds (also Volcano's group: minMember)
 *   scheduling.k8s.io               schedulingPolicy.gang.minCount, schedulingConstraints.topology[].key
 * Topology levels are node label keys in all of them; those of a declared Topology count from its root down. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "base/limits.h"
#include "sched/engine/object.h"
#include "sched/engine/object_read.h"

static int32_t read_min(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    return (int32_t)read_int(r, of, at, key, 0, INT32_MAX, 1);
}

/* Of a group or sub-group; the minimum in members is 0 where sub-groups are counted. */
static void read_minimums(struct reader *r, const struct json *of, const struct spot *at, int32_t *ret_members, int32_t *ret_subgroups)
{
    int64_t n = read_int(r, of, at, "minSubGroup", 0, INT32_MAX, -1);
    *ret_subgroups = n == 0 ? SUBGROUPS_NONE : (int32_t)MAX(n, (int64_t)0);
    *ret_members = n >= 0 ? 0 : read_min(r, of, at, "minMember");
}

/* One key as a list, "" as none. */
static const str *one_key(struct reader *r, str key, size_t *ret_n)
{
    str *p = arena_new(r->a, str);
    *p = key;
    *ret_n = key.len ? 1 : 0;
    return p;
}

/* --- KAI ------------------------------------------------------------------------------------------------------------------------------- */
static void read_levels(struct reader *r, const struct json *of, const struct spot *at, str *ret_required, str *ret_preferred)
{
    const struct json *v = read_object(r, of, at, "topologyConstraint");
    const struct spot *here = SPOT(at, "topologyConstraint");
    str tree = read_str(r, v, here, "topology");
    *ret_required = sched_topology_key(r->s, r->a, tree, read_str(r, v, here, "requiredTopologyLevel"));
    *ret_preferred = sched_topology_key(r->s, r->a, tree, read_str(r, v, here, "preferredTopologyLevel"));
}

static void read_subgroups(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    const struct json *list = read_array(r, spec, at, "subGroups");
    const struct spot *list_at = SPOT(at, "subGroups");
    if (list_len(list) > LIMIT_SCHED_SUBGROUPS)
        read_bad(r, list_at, "%zu sub-groups are more than %u", list_len(list), LIMIT_SCHED_SUBGROUPS);
    struct spec_subgroup *p = arena_array(r->a, list_len(list), struct spec_subgroup);
    for (size_t i = 0; i < list_len(list) && r->code == 0; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        p[i].name = read_str(r, v, here, "name");
        if (str_empty(p[i].name))
            read_bad(r, SPOT(here, "name"), "is missing");
        p[i].parent = read_str(r, v, here, "parent");
        read_minimums(r, v, here, &p[i].min_member, &p[i].min_subgroup);
        read_levels(r, v, here, &p[i].required_key, &p[i].preferred_key);
    }
    ret->subgroups = p;
    ret->nsubgroups = list_len(list);
}

/* What the sub-groups without others below need together; without sub-groups no bound. */
static int32_t sum_of_leaves(const struct group_spec *g)
{
    int64_t sum = 0;
    for (size_t i = 0; i < g->nsubgroups; i++) {
        bool inner = false;
        for (size_t k = 0; k < g->nsubgroups; k++)
            inner |= str_eq(g->subgroups[k].parent, g->subgroups[i].name);
        sum += inner ? 0 : g->subgroups[i].min_member;
    }
    return g->nsubgroups ? (int32_t)MIN(sum, (int64_t)INT32_MAX) : INT32_MAX;
}

/* What cannot be read is as if it were not there; *ret stays as it is then. */
static void read_duration(struct reader *r, const struct json *spec, const char *key, nsec_t *ret)
{
    str text = json_get_str(spec, str_of(key));
    struct err why = ERR_NONE;
    int64_t n;
    if (text.len && codec_duration_parse(r->a, text, &n, &why) == 0)
        *ret = MIN(n, LIMIT_SCHED_DURATION_S * NSEC_PER_SEC);
}

static void read_kai(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    str required, preferred;
    static const char *const words[] = {"", "preemptible", "non-preemptible", "semi-preemptible"};
    read_minimums(r, spec, at, &ret->min_member, &ret->min_subgroup);
    ret->queue = read_str(r, spec, at, "queue");
    ret->preemptibility = (enum preemptibility)read_word(r, spec, at, "preemptibility", words, ARRAY_LEN(words), PREEMPTIBLE_UNSET); /* in the order of the words */
    const struct priority_class *class_ = json_get(spec, S("priorityClassName")) ? sched_priority_class_find(r->s, read_str(r, spec, at, "priorityClassName")) : NULL;
    ret->has_priority = class_ != NULL;
    ret->priority = class_ ? class_->value : 0;
    ret->max_tries = (int32_t)MAX(read_int(r, spec, at, "schedulingBackoff", INT32_MIN, INT32_MAX, -1), 0);
    read_duration(r, spec, "preemptionDelay", &ret->delay_ns);
    ret->delay_ns = MAX(ret->delay_ns, (nsec_t)0);
    ret->stale_grace_ns = -2;
    read_duration(r, spec, "stalenessGracePeriod", &ret->stale_grace_ns);
    ret->stale_grace_ns = ret->stale_grace_ns == -2 ? 0 : ret->stale_grace_ns == 0 ? 1 : ret->stale_grace_ns; /* at once is as soon as can be */
    read_subgroups(r, spec, at, ret);
    ret->min_member = MIN(ret->min_member, sum_of_leaves(ret)); /* where there are sub-groups, theirs count */
    read_levels(r, spec, at, &required, &preferred);
    ret->required_keys = one_key(r, required, &ret->nrequired_keys);
    ret->preferred_keys = one_key(r, preferred, &ret->npreferred_keys);
}

/* --- Gödel -------------------------------------------------------------------------------------------------------------------------------- */
static const str *read_topology_keys(struct reader *r, const struct json *of, const struct spot *at, const char *list_key, const char *key, size_t *ret_n)
{
    const struct json *list = read_array(r, of, at, list_key);
    const struct spot *list_at = SPOT(at, list_key);
    *ret_n = list_len(list);
    str *p = arena_array(r->a, *ret_n, str);
    for (size_t i = 0; i < *ret_n; i++) {
        p[i] = read_str(r, read_item(r, list, list_at, i), SPOT_AT(list_at, i), key);
        if (str_empty(p[i]))
            read_bad(r, SPOT(SPOT_AT(list_at, i), key), "is missing");
    }
    return p;
}

static void read_sort_rules(struct reader *r, const struct json *of, const struct spot *at, struct group_spec *ret)
{
    static const char *const resources[] = {"GPU", "CPU", "Memory"}, *const dimensions[] = {"Capacity", "Available"}, *const orders[] = {"Ascending", "Descending"};
    static const uint16_t ids[] = {RES_GPU, RES_CPU, RES_MEMORY};
    const struct json *list = read_array(r, of, at, "sortRules");
    const struct spot *list_at = SPOT(at, "sortRules");
    struct spec_sort_rule *p = arena_array(r->a, list_len(list), struct spec_sort_rule);
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        p[i].resource = ids[read_word(r, v, here, "resource", resources, ARRAY_LEN(resources), 0)];
        p[i].by_available = read_word(r, v, here, "dimension", dimensions, ARRAY_LEN(dimensions), 0) == 1;
        p[i].descending = read_word(r, v, here, "order", orders, ARRAY_LEN(orders), 0) == 1;
    }
    ret->sort_rules = p;
    ret->nsort_rules = list_len(list);
}

/* The group's selector of nodes is one conjunction of labels: a map, or a NodeSelector that says no more than that. */
static void read_group_selector(struct reader *r, const struct json *of, const struct spot *at, struct group_spec *ret)
{
    const struct json *v = read_object(r, of, at, "nodeSelector");
    const struct spot *here = SPOT(at, "nodeSelector");
    size_t n;
    if (!json_get(v, S("nodeSelectorTerms"))) {
        ret->node_selector = read_labels(r, of, at, "nodeSelector");
        return;
    }
    const struct spec_node_term *t = read_node_terms(r, v, here, &n);
    bool simple = n == 1 && t->nfields == 0;
    for (size_t i = 0; simple && i < t->labels.n; i++)
        simple = t->labels.p[i].op == OP_IN && t->labels.p[i].nvalues == 1;
    if (!simple) {
        read_bad(r, SPOT(here, "nodeSelectorTerms"), "a group's nodes are selected by one term, In with one value for each label");
        return;
    }
    struct spec_label *p = arena_array(r->a, t->labels.n, struct spec_label);
    for (size_t i = 0; i < t->labels.n; i++)
        p[i] = (struct spec_label){t->labels.p[i].key, t->labels.p[i].values[0]};
    ret->node_selector = (struct spec_labels){p, t->labels.n};
}

static void read_plain(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    ret->min_member = read_min(r, spec, at, "minMember");
    ret->timeout_ns = read_int(r, spec, at, "scheduleTimeoutSeconds", 0, INT32_MAX, 0) * NSEC_PER_SEC;
}

static void read_godel(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    const struct spot *here = SPOT(SPOT(at, "affinity"), "podGroupAffinity");
    const struct json *v = read_object(r, read_object(r, spec, at, "affinity"), SPOT(at, "affinity"), "podGroupAffinity");
    read_plain(r, spec, at, ret);
    ret->required_keys = read_topology_keys(r, v, here, "required", "topologyKey", &ret->nrequired_keys);
    ret->preferred_keys = read_topology_keys(r, v, here, "preferred", "topologyKey", &ret->npreferred_keys);
    read_sort_rules(r, v, here, ret);
    read_group_selector(r, v, here, ret);
}

/* --- Kubernetes ------------------------------------------------------------------------------------------------------------------------------ */
static void read_core(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    const struct spot *policy_at = SPOT(at, "schedulingPolicy"), *limits_at = SPOT(at, "schedulingConstraints");
    const struct json *policy = read_object(r, spec, at, "schedulingPolicy"), *limits = read_object(r, spec, at, "schedulingConstraints");
    ret->min_member = read_min(r, read_object(r, policy, policy_at, "gang"), SPOT(policy_at, "gang"), "minCount");
    ret->required_keys = read_topology_keys(r, limits, limits_at, "topology", "key", &ret->nrequired_keys);
}

/* --- Kuscia --------------------------------------------------------------------------------------------------------------------------------------- */
str object_party_name(struct arena *a, str domain, str role)
{
    return role.len ? arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(domain), STR_ARG(role)) : domain;
}

/* A TaskResourceGroup: a sub-group for each party, of which so many must have their room. */
static void read_kuscia(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret)
{
    ret->ns = S(""); /* it has none */
    const struct json *list = read_array(r, spec, at, "parties");
    const struct spot *list_at = SPOT(at, "parties");
    size_t n = list_len(list);
    int64_t members = read_int(r, spec, at, "minReservedMembers", 0, INT32_MAX, (int64_t)n);
    if (n > LIMIT_SCHED_SUBGROUPS)
        read_bad(r, list_at, "%zu parties are more than %u", n, LIMIT_SCHED_SUBGROUPS);
    struct spec_subgroup *p = arena_array(r->a, n, struct spec_subgroup);
    for (size_t i = 0; i < n && r->code == 0; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        p[i].name = object_party_name(r->a, read_str(r, v, here, "domainID"), read_str(r, v, here, "role"));
        p[i].min_member = (int32_t)read_int(r, v, here, "minReservedPods", 0, LIMIT_SCHED_GROUP, 1);
        ret->min_member += p[i].min_member;
    }
    if (members > 0 && members < (int64_t)n) { /* so many of the parties are enough */
        ret->min_member = 0;
        ret->min_subgroup = (int32_t)members;
    }
    ret->subgroups = p;
    ret->nsubgroups = n;
}

/* --- the whole ---------------------------------------------------------------------------------------------------------------------------------- */
static const struct {
    str group; /* of the API */
    void (*read)(struct reader *r, const struct json *spec, const struct spot *at, struct group_spec *ret);
} group_apis[] = {
    {STR_INIT("scheduling.run.ai"), read_kai},
    {STR_INIT("scheduling.godel.kubewharf.io"), read_godel},
    {STR_INIT("scheduling.x-k8s.io"), read_plain},
    {STR_INIT("scheduling.sigs.k8s.io"), read_plain},
    {STR_INIT("scheduling.volcano.sh"), read_plain},
    {STR_INIT("scheduling.k8s.io"), read_core},
    {STR_INIT("kuscia.secretflow"), read_kuscia},
};

int object_group(struct sched *s, struct arena *a, const struct json *obj, struct group_spec *ret, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    read_meta(&r, obj, &meta);
    bool has;
    struct group_spec g = {.ns = meta.ns, .name = meta.name, .created_ns = meta.created_ns, .runtime_ns = annotation_duration(&r, meta.annotations, EXPECTED_RUNTIME), .pool = labels_get(meta.labels, S(POOL_LABEL), &has)};
    str version = read_str(&r, obj, NULL, "apiVersion"), group;
    str_cut(&version, '/', &group);
    const struct json *spec = read_object(&r, obj, NULL, "spec");
    size_t i = 0;
    while (i < ARRAY_LEN(group_apis) && !str_eq(group_apis[i].group, group))
        i++;
    if (i == ARRAY_LEN(group_apis))
        read_bad(&r, SPOT(NULL, "apiVersion"), "\"" STR_FMT "\" has no pod groups that are understood here", STR_ARG(group));
    else
        group_apis[i].read(&r, spec, SPOT(NULL, "spec"), &g);
    if (r.code == 0)
        *ret = g;
    return r.code;
}
