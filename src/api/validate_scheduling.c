/* validate_scheduling.c - queues, pod groups and topologies of KAI, Gödel and co-scheduling, and parts of GPUs that pods ask for by annotation.
 *
 * Refused is what can never work, with the same rules everywhere: what a gang of another project can say and this scheduler can read passes.  What needs other objects (does the queue exist? do its
 * ancestors come back to it?) is the API server's to see (apiserver/queue_admission.c). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/gen/gen.h"
#include "api/shard_options.h"
#include "api/validate_internal.h"
#include "base/limits.h"

/* --- queues ---------------------------------------------------------------------------------------------------------------------- */

static void check_duration(struct vctx *c, const struct vpath *p, const struct json *spec, str key, bool may_be_negative)
{
    str text = json_get_str(spec, key), canonical;
    struct err why = ERR_NONE;
    if (!v_get(spec, key))
        return;
    if (codec_duration_canonical(c->e->arena, text, &canonical, &why) < 0)
        v_invalid_str(c, V_MEMBER(p, key), text, "must be a duration such as 30s, 10m or 24h: %s", why.msg);
    else if (str_has_prefix(canonical, S("-")) && !may_be_negative)
        v_invalid_str(c, V_MEMBER(p, key), text, "must not be negative");
}

enum { GPU_MODEL_LEN = 63, GPU_MODELS_MAX = 16, QUEUE_RESOURCES_MAX = 16 };
#define GPU_MODELS "scheduling.cox/gpu-models"

/* A model as nodes' labels have it, or words of it: A100, NVIDIA-A100-SXM4-80GB. */
static bool is_gpu_model(str name)
{
    return name.len >= 1 && name.len <= GPU_MODEL_LEN && !validate_label_value(name);
}

/* Of "gpu:A100" and "nvidia.com/gpu:A100" the model; false: another resource. */
static bool cut_model(str name, str *ret)
{
    static const str prefixes[] = {STR_INIT("gpu:"), STR_INIT("nvidia.com/gpu:")};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_has_prefix(name, prefixes[i])) {
            *ret = str_from(name, prefixes[i].len);
            return true;
        }
    return false;
}

/* Names of nodes' resources, and KAI's short word for GPUs, alone or with a model. */
static bool is_queue_resource(str name)
{
    str model;
    if (cut_model(name, &model))
        return is_gpu_model(model);
    if (str_find_char(name, '/') >= 0)
        return !validate_qualified_name(name);
    return v_in(name, "gpu|cpu|memory|ephemeral-storage|pods") || str_has_prefix(name, S("hugepages-"));
}

static void check_amount(struct vctx *c, const struct vpath *p, const struct json *share, str key, bool may_be_unlimited)
{
    const struct json *v = v_get(share, key);
    double d;
    if (!v || !json_to_double(v, &d) || d >= 0 || (may_be_unlimited && d == -1))
        return;
    v_invalid(c, V_MEMBER(p, key), v, "%s", may_be_unlimited ? "must not be negative, except -1 for unlimited" : "must not be negative");
}

void v_queue_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str durations[] = {STR_INIT("preemptMinRuntime"), STR_INIT("reclaimMinRuntime"), STR_INIT("maxRuntime")};
    str parent = V_STR(spec, "parentQueue");
    const struct json *resources = V_GET(spec, "resources");
    const struct vpath *at = V_FIELD(p, "resources");
    if (parent.len && str_eq(parent, V_STR(V_GET(c->obj, "metadata"), "name")))
        v_invalid_str(c, V_FIELD(p, "parentQueue"), parent, "a queue cannot be its own parent");
    else
        v_check_member(c, p, spec, S("parentQueue"), validate_dns1123_subdomain);
    for (size_t i = 0; i < ARRAY_LEN(durations); i++)
        check_duration(c, p, spec, durations[i], false);
    if (!resources)
        v_required(c, at, "a queue says what it is owed: gpu, cpu, memory or other resources, each with quota, overQuotaWeight and limit");
    if (resources && resources->len > QUEUE_RESOURCES_MAX)
        v_error(c, FIELD_TOO_MANY, at, NULL, "%u resources are given, all queues together speak of at most %d", resources->len, QUEUE_RESOURCES_MAX);
    if (v_get(resources, S("gpu")) && v_get(resources, S("nvidia.com/gpu")))
        v_forbidden(c, V_KEY(at, S("nvidia.com/gpu")), "gpu is the same resource: give one of them");
    v_foreach_member (m, resources) {
        const struct vpath *here = V_KEY(at, m->key);
        if (!is_queue_resource(m->key))
            v_invalid_str(c, here, m->key, "must be gpu, gpu:<model>, cpu, memory, ephemeral-storage, pods, hugepages-<size>, or a resource name with its domain, such as example.com/fpga");
        if (str_has_prefix(m->key, S("gpu")) && v_get(resources, arena_cat(c->e->arena, S("nvidia.com/"), m->key)))
            v_forbidden(c, here, "is the same as nvidia.com/" STR_FMT ", which is given, too", STR_ARG(m->key));
        check_amount(c, here, &m->value, S("quota"), true);
        check_amount(c, here, &m->value, S("overQuotaWeight"), false);
        check_amount(c, here, &m->value, S("limit"), true);
    }
}

/* Without a spec there are no resources. */
void v_queue(struct vctx *c, const struct vpath *p, const struct json *queue)
{
    static const char annotation[] = "scheduling.cox/placement";
    const struct json *meta = V_GET(queue, "metadata");
    str placement = json_get_str(V_GET(meta, "annotations"), str_of(annotation));
    if (!V_GET(queue, "spec"))
        v_required(c, V_FIELD(p, "spec"), V_NO_DETAIL);
    if (placement.len && !v_in(placement, "binpack|spread"))
        v_invalid_str(c, V_KEY(V_FIELD(V_FIELD(p, "metadata"), "annotations"), str_of(annotation)), placement, "must be binpack or spread");
}

void v_queue_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    size_t n = v_len(V_GET(status, "units"));
    if (n > LIMIT_QUEUE_STATUS_UNITS)
        v_error(c, FIELD_TOO_MANY, V_FIELD(p, "units"), NULL, "%zu units are listed, %u fit", n, LIMIT_QUEUE_STATUS_UNITS);
}

/* --- pod groups of KAI --------------------------------------------------------------------------------------------------------------- */

struct subgroup {
    const struct json *json;
    size_t parent;   /* index + 1, 0: none */
    size_t children;
    enum { UNSEEN, ON_WAY, FINE } walk;
};

/* The tree by names; what is wrong with names is said on the way. */
static struct subgroup *read_subgroups(struct vctx *c, const struct vpath *at, const struct json *list, size_t *ret_roots)
{
    struct v_map names;
    struct subgroup *g = arena_array(c->e->arena, v_len(list) + 1, struct subgroup);
    v_map_init(&names, c->e->arena);
    *ret_roots = 0;
    v_foreach (sub, i, list) {
        const struct vpath *name_at = V_FIELD(V_INDEX(at, i), "name");
        str name = V_STR(sub, "name");
        g[i] = (struct subgroup){.json = sub};
        if (!name.len) /* which the schema requires */
            continue;
        if (!v_map_put(&names, name, &g[i]))
            v_duplicate(c, name_at, name);
        else
            v_check(c, name_at, name, validate_label_value);
    }
    v_foreach (sub, i, list) {
        str parent = V_STR(sub, "parent");
        const struct subgroup *up = parent.len ? v_map_get(&names, parent) : NULL;
        if (parent.len && !up)
            v_invalid_str(c, V_FIELD(V_INDEX(at, i), "parent"), parent, "no sub-group has this name");
        g[i].parent = up ? (size_t)(up - g) + 1 : 0;
        if (up)
            g[up - g].children++;
        else
            (*ret_roots)++;
    }
    return g;
}

/* Walks up from each; each is walked once.  The first one found on a circle stands for all of it. */
static void check_circles(struct vctx *c, const struct vpath *at, struct subgroup *g, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = i;
        while (g[k].walk == UNSEEN) {
            g[k].walk = ON_WAY;
            if (!g[k].parent)
                break;
            k = g[k].parent - 1;
        }
        if (g[k].walk == ON_WAY && g[k].parent) {
            v_invalid_str(c, V_FIELD(V_INDEX(at, k), "parent"), V_STR(g[k].json, "parent"), "the parents of this sub-group lead back to itself");
            return;
        }
        for (k = i; g[k].walk == ON_WAY; k = g[k].parent ? g[k].parent - 1 : k)
            g[k].walk = FINE;
    }
}

/* minMember and minSubGroup of the group itself or of a sub-group. */
static void check_min(struct vctx *c, const struct vpath *p, const struct json *of, int64_t least, size_t children)
{
    const struct json *member = V_GET(of, "minMember"), *sub = V_GET(of, "minSubGroup");
    int64_t n = V_INT(of, "minMember"), m = V_INT(of, "minSubGroup");
    if (member && n < least)
        v_invalid_int(c, V_FIELD(p, "minMember"), n, "must be at least %lld", (long long)least);
    if (n > LIMIT_SCHED_GROUP)
        v_invalid_int(c, V_FIELD(p, "minMember"), n, "must be at most %u", LIMIT_SCHED_GROUP);
    if (!sub)
        return;
    if (n > 0)
        v_forbidden(c, V_FIELD(p, "minSubGroup"), "may not be given together with minMember: a gang is counted in pods or in sub-groups");
    if (m < 0)
        v_invalid_int(c, V_FIELD(p, "minSubGroup"), m, "must be at least 0");
    else if (!children)
        v_forbidden(c, V_FIELD(p, "minSubGroup"), "there are no sub-groups to be counted");
    else if ((size_t)m > children)
        v_invalid_int(c, V_FIELD(p, "minSubGroup"), m, "there are only %zu sub-groups to be counted", children);
}

void v_kai_group_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *list = V_GET(spec, "subGroups");
    const struct vpath *at = V_FIELD(p, "subGroups");
    size_t roots = 0, n = v_len(list);
    v_check_member(c, p, spec, S("queue"), validate_dns1123_subdomain);
    if (n > LIMIT_SCHED_SUBGROUPS) {
        v_error(c, FIELD_TOO_MANY, at, NULL, "%zu sub-groups are given, a group has at most %u", n, LIMIT_SCHED_SUBGROUPS);
        return;
    }
    struct subgroup *g = read_subgroups(c, at, list, &roots);
    check_circles(c, at, g, n);
    check_duration(c, p, spec, S("preemptionDelay"), false);
    check_duration(c, p, spec, S("stalenessGracePeriod"), true);
    check_min(c, p, spec, 0, roots);
    for (size_t i = 0; i < n; i++)
        check_min(c, V_INDEX(at, i), g[i].json, 0, g[i].children);
}

/* --- pod groups of others -------------------------------------------------------------------------------------------------------------- */

void v_coscheduling_group_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_min(c, p, spec, 1, 0);
    v_nonnegative(c, p, spec, S("scheduleTimeoutSeconds"));
}

void v_godel_group_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_min(c, p, spec, 0, 0);
    v_nonnegative(c, p, spec, S("scheduleTimeoutSeconds"));
}

void v_godel_affinity_term(struct vctx *c, const struct vpath *p, const struct json *term)
{
    if (!V_STR(term, "topologyKey").len)
        v_required(c, V_FIELD(p, "topologyKey"), "the node label whose values are the parts of the topology");
    else
        v_check_member(c, p, term, S("topologyKey"), validate_qualified_name);
}

void v_godel_reservation_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    v_nonnegative(c, p, spec, S("ttl"));
}

/* --- Kubernetes' own gangs ---------------------------------------------------------------------------------------------------------------- */

enum { WORKLOAD_GROUPS_MAX = 8 };

static void check_workload_policy(struct vctx *c, const struct vpath *p, const struct json *policy)
{
    const struct json *basic = V_GET(policy, "basic"), *gang = V_GET(policy, "gang");
    int64_t n = V_INT(gang, "minCount");
    if (basic && gang)
        v_forbidden(c, V_FIELD(p, "gang"), "may not be given together with basic: pods of a group start together or one by one");
    else if (!basic && !gang)
        v_required(c, p, "must have one of: basic, gang");
    if (gang && n < 1)
        v_invalid_int(c, V_FIELD(V_FIELD(p, "gang"), "minCount"), n, "must be greater than zero");
    else if (n > LIMIT_SCHED_GROUP)
        v_invalid_int(c, V_FIELD(V_FIELD(p, "gang"), "minCount"), n, "must be at most %u", LIMIT_SCHED_GROUP);
}

void v_workload_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *list = V_GET(spec, "podGroups"), *owner = V_GET(spec, "controllerRef");
    const struct vpath *at = V_FIELD(p, "podGroups");
    if (v_len(list) > WORKLOAD_GROUPS_MAX) {
        v_error(c, FIELD_TOO_MANY, at, NULL, "%zu groups are given, a workload has at most %d", v_len(list), WORKLOAD_GROUPS_MAX);
        return;
    }
    v_foreach (group, i, list) {
        str name = V_STR(group, "name");
        if (name.len && v_seen_before(list, i, S("name")))
            v_duplicate(c, V_FIELD(V_INDEX(at, i), "name"), name);
        else if (name.len)
            v_check(c, V_FIELD(V_INDEX(at, i), "name"), name, validate_dns1123_label);
        check_workload_policy(c, V_FIELD(V_INDEX(at, i), "policy"), V_GET(group, "policy"));
    }
    if (owner && !V_STR(owner, "name").len)
        v_required(c, V_FIELD(V_FIELD(p, "controllerRef"), "name"), V_NO_DETAIL);
}

void v_workload_reference(struct vctx *c, const struct vpath *p, const struct json *ref)
{
    v_check_member(c, p, ref, S("name"), validate_dns1123_subdomain);
    v_check_member(c, p, ref, S("podGroup"), validate_dns1123_label);
    v_check_member(c, p, ref, S("podGroupReplicaKey"), validate_dns1123_label);
}

/* --- shards --------------------------------------------------------------------------------------------------------------------------- */

/* What is of no effect is a warning, and the API server's to say (apiserver/queue_admission.c). */
void v_shard_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    struct shard_options options;
    struct shard_notes notes;
    shard_options_read(c->e->arena, spec, &options, &notes);
    for (size_t i = 0; i < notes.n; i++) /* words of the schema have been looked at */
        if (notes.list[i].is_error && !str_has_prefix(notes.list[i].path, S("placementStrategy")))
            v_invalid_str(c, V_MEMBER(p, notes.list[i].path), notes.list[i].value, STR_FMT, STR_ARG(notes.list[i].text));
    if (options.pool.len && validate_label_value(options.pool))
        v_invalid_str(c, V_FIELD(p, "partitionLabelValue"), options.pool, "%s", validate_label_value(options.pool));
}

/* --- topologies ------------------------------------------------------------------------------------------------------------------------- */

enum { TOPOLOGY_LEVELS_MAX = 16 };

/* Of a level a second name, that no other label or alias has. */
static void check_alias(struct vctx *c, const struct vpath *here, const struct json *levels, size_t at)
{
    const struct json *level = &levels->items[at];
    str alias = V_STR(level, "alias");
    if (!alias.len || !v_check(c, here, alias, validate_qualified_name))
        return;
    v_foreach (other, i, levels)
        if (str_eq(V_STR(other, "nodeLabel"), alias))
            v_invalid_str(c, here, alias, "is the label of a level");
    if (v_seen_before(levels, at, S("alias")))
        v_duplicate(c, here, alias);
}

/* Labels stay: what is in place was placed by them. */
static void check_labels_stay(struct vctx *c, const struct vpath *at, const struct json *levels)
{
    const struct json *old = V_GET(V_GET(c->old, "spec"), "levels");
    bool same = v_len(old) == v_len(levels);
    v_foreach (level, i, levels)
        same = same && str_eq(V_STR(level, "nodeLabel"), V_STR(&old->items[i], "nodeLabel"));
    if (c->old && !same)
        v_invalid(c, at, levels, "field is immutable, but for aliases");
}

void v_topology_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *levels = V_GET(spec, "levels");
    const struct vpath *at = V_FIELD(p, "levels");
    size_t n = v_len(levels);
    if (n > TOPOLOGY_LEVELS_MAX) {
        v_error(c, FIELD_TOO_MANY, at, NULL, "%zu levels are given, a topology has at most %d", n, TOPOLOGY_LEVELS_MAX);
        return;
    }
    v_foreach (level, i, levels) {
        const struct vpath *here = V_FIELD(V_INDEX(at, i), "nodeLabel");
        str label = V_STR(level, "nodeLabel");
        if (!label.len)
            continue;
        if (v_seen_before(levels, i, S("nodeLabel")))
            v_duplicate(c, here, label);
        else if (v_check(c, here, label, validate_qualified_name) && str_is(label, "kubernetes.io/hostname") && i + 1 < n)
            v_invalid_str(c, here, label, "a host is the narrowest level: it can only be the last one");
        check_alias(c, V_FIELD(V_INDEX(at, i), "alias"), levels, i);
    }
    check_labels_stay(c, at, levels);
}

/* --- parts of GPUs ------------------------------------------------------------------------------------------------------------------------ */

enum { GPU_DEVICES_MAX = 16, GPU_MEMORY_MIB_MAX = INT32_MAX }; /* as the scheduler reads them: sched/engine/object_resources.c */

static bool asks_whole(const struct json *containers)
{
    static const str lists[] = {STR_INIT("requests"), STR_INIT("limits")};
    v_foreach (one, i, containers)
        for (size_t k = 0; k < ARRAY_LEN(lists); k++)
            if (V_GET(v_get(V_GET(one, "resources"), lists[k]), "nvidia.com/gpu"))
                return true; /* none of them, too: it was written for a reason, and one of the two is a mistake */
    return false;
}

static bool has_container(const struct json *containers, str name)
{
    v_foreach (one, i, containers)
        if (str_eq(V_STR(one, "name"), name))
            return true;
    return false;
}

static void check_gpu_numbers(struct vctx *c, const struct vpath *p, const struct json *annotations)
{
    const struct json *f = V_GET(annotations, "gpu-fraction"), *m = V_GET(annotations, "gpu-memory"), *n = V_GET(annotations, "gpu-fraction-num-devices");
    double part;
    int64_t i;
    if (f && (!str_to_double(json_str(f), &part) || !(part > 0 && part < 1)))
        v_invalid_str(c, V_KEY(p, S("gpu-fraction")), json_str(f), "must be a part of a GPU: more than 0 and less than 1");
    if (m && (!str_to_i64(json_str(m), &i) || i < 1 || i > GPU_MEMORY_MIB_MAX))
        v_invalid_str(c, V_KEY(p, S("gpu-memory")), json_str(m), "must be a number of MiB from 1 to %d", GPU_MEMORY_MIB_MAX);
    if (n && (!str_to_i64(json_str(n), &i) || i < 1 || i > GPU_DEVICES_MAX))
        v_invalid_str(c, V_KEY(p, S("gpu-fraction-num-devices")), json_str(n), "must be a number of devices from 1 to %d", GPU_DEVICES_MAX);
}

static void check_gpu_models(struct vctx *c, const struct vpath *p, const struct json *annotations, bool any_gpu)
{
    const struct json *v = V_GET(annotations, GPU_MODELS);
    const struct vpath *at = V_KEY(p, S(GPU_MODELS));
    str rest = json_str(v), part;
    size_t n = 0;
    bool good = true;
    if (!v)
        return;
    for (bool more = true; more; n++) {
        more = str_cut(&rest, ',', &part);
        good &= is_gpu_model(str_trim(part));
    }
    if (!good || n > GPU_MODELS_MAX)
        v_invalid_str(c, at, json_str(v), "must be 1 to %d models of GPUs with commas between them, each as in the label nvidia.com/gpu.product of nodes or whole words of it, such as A100,H100", GPU_MODELS_MAX);
    else if (!any_gpu)
        v_forbidden(c, at, "says of which model the GPUs are to be, but none are asked for (nvidia.com/gpu, gpu-fraction or gpu-memory); for others use a nodeSelector");
}

void v_gpu_annotations(struct vctx *c, const struct vpath *p, const struct json *annotations, const struct json *spec)
{
    bool fraction = V_GET(annotations, "gpu-fraction"), memory = V_GET(annotations, "gpu-memory");
    const struct json *containers = V_GET(spec, "containers"), *init = V_GET(spec, "initContainers");
    const struct vpath *at = V_KEY(p, fraction ? S("gpu-fraction") : S("gpu-memory"));
    check_gpu_numbers(c, p, annotations);
    check_gpu_models(c, p, annotations, fraction || memory || asks_whole(containers) || asks_whole(init));
    if (!fraction && !memory) {
        if (V_GET(annotations, "gpu-fraction-num-devices"))
            v_forbidden(c, V_KEY(p, S("gpu-fraction-num-devices")), "needs gpu-fraction or gpu-memory: how much of each device");
        if (str_is(V_STR(annotations, "mps"), "true"))
            v_forbidden(c, V_KEY(p, S("mps")), "needs gpu-fraction or gpu-memory: only a device that is shared has processes of several pods");
        return;
    }
    if (fraction && memory)
        v_forbidden(c, at, "may not be given together with gpu-memory: one says how much of the other");
    if (asks_whole(containers) || asks_whole(init))
        v_forbidden(c, at, "a part of a GPU cannot be asked for together with whole ones (nvidia.com/gpu)");
    str name = V_STR(annotations, "gpu-fraction-container-name");
    if (name.len && !has_container(containers, name) && !has_container(init, name))
        v_invalid_str(c, V_KEY(p, S("gpu-fraction-container-name")), name, "no container of the pod has this name");
}
