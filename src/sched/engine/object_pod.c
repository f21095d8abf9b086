/* object_pod.c - a Pod as the engine wants it.  See object.h; requests are in object_resources.c, constraints in object_constraints.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/pod_group.h"
#include "base/civil.h"
#include "sched/engine/object.h"
#include "sched/engine/object_pod.h"

/* --- images and ports ------------------------------------------------------------------------------------------------------------- */
/* Without a tag or digest it is the latest. */
static str image_name(struct reader *r, str name)
{
    return str_rfind_char(name, ':') <= str_rfind_char(name, '/') ? arena_cat(r->a, name, S(":latest")) : name;
}

static void read_images(struct reader *r, const struct json *spec, struct pod_spec *ret)
{
    const struct spot *at = SPOT(NULL, "spec");
    const struct json *lists[] = {read_array(r, spec, at, "containers"), read_array(r, spec, at, "initContainers"), read_array(r, spec, at, "volumes")};
    str *p = arena_array(r->a, list_len(lists[0]) + list_len(lists[1]) + list_len(lists[2]), str);
    size_t n = 0;
    for (size_t k = 0; k < ARRAY_LEN(lists); k++)
        for (size_t i = 0; i < list_len(lists[k]); i++) {
            const struct json *v = &lists[k]->items[i];
            str name = k < 2 ? json_get_str(v, S("image")) : json_get_str(json_get(v, S("image")), S("reference"));
            if (name.len)
                p[n++] = image_name(r, name);
        }
    ret->images = p;
    ret->nimages = n;
}

/* A container's host ports; on the host's network every port is one. */
static size_t read_ports(struct reader *r, const struct json *container, const struct spot *at, bool host_network, struct spec_port *p)
{
    static const char *const protocols[] = {"TCP", "UDP", "SCTP"};
    const struct json *list = read_array(r, container, at, "ports");
    const struct spot *list_at = SPOT(at, "ports");
    size_t n = 0;
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        int64_t port = read_int(r, v, here, "hostPort", 0, UINT16_MAX, 0), inside = read_int(r, v, here, "containerPort", 0, UINT16_MAX, 0);
        str ip = read_str(r, v, here, "hostIP");
        int protocol = read_word(r, v, here, "protocol", protocols, ARRAY_LEN(protocols), 0);
        if (!port && host_network)
            port = inside;
        if (port)
            p[n++] = (struct spec_port){ip, (uint8_t)protocols[protocol][0], (uint16_t)port};
    }
    return n;
}

static void read_host_ports(struct reader *r, const struct json *spec, struct pod_spec *ret)
{
    static const char *const lists[] = {"containers", "initContainers"};
    const struct spot *at = SPOT(NULL, "spec");
    bool host_network = read_bool(r, spec, at, "hostNetwork", false);
    size_t most = 0;
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = read_array(r, spec, at, lists[k]);
        for (size_t i = 0; i < list_len(list); i++) {
            const struct json *ports = json_get(&list->items[i], S("ports"));
            most += json_is(ports, JSON_ARRAY) ? ports->len : 0;
        }
    }
    struct spec_port *p = arena_array(r->a, most, struct spec_port);
    for (size_t k = 0; k < ARRAY_LEN(lists) && most; k++) {
        const struct json *list = read_array(r, spec, at, lists[k]);
        for (size_t i = 0; i < list_len(list); i++)
            if (k == 0 || object_is_sidecar(&list->items[i]))
                ret->nports += read_ports(r, &list->items[i], SPOT_AT(SPOT(at, lists[k]), i), host_network, p + ret->nports);
    }
    ret->ports = p;
}

/* --- who owns it, which group ------------------------------------------------------------------------------------------------------------ */
/* A group of a Workload: no PodGroup has a name with "/". */
static str read_workload(struct reader *r, const struct json *spec, const struct spot *at)
{
    const struct json *ref = read_object(r, spec, at, "workloadRef");
    const struct spot *here = SPOT(at, "workloadRef");
    str name = read_str(r, ref, here, "name"), group = read_str(r, ref, here, "podGroup"), key = read_str(r, ref, here, "podGroupReplicaKey");
    if (!name.len || !group.len)
        return S("");
    return arena_fmt(r->a, STR_FMT "/" STR_FMT "%s" STR_FMT, STR_ARG(name), STR_ARG(group), key.len ? "/" : "", STR_ARG(key));
}

static void read_group(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT(NULL, "spec");
    bool has;
    ret->group = read_str(r, read_object(r, spec, at, "schedulingGroup"), SPOT(at, "schedulingGroup"), "podGroupName");
    if (str_empty(ret->group))
        ret->group = read_workload(r, spec, at);
    for (size_t i = 0; i < POD_GROUP_KEYS && str_empty(ret->group); i++)
        ret->group = labels_get(pod_group_keys[i].is_label ? meta->labels : meta->annotations, pod_group_keys[i].key, &has);
    if (ret->group.len) {
        ret->subgroup = labels_get(meta->labels, S("kai.scheduler/subgroup-name"), &has);
        return;
    }
    /* a task of several institutions: the group is of no namespace, and the sub-group is the party, so that a pod can stand for its own namespace only */
    ret->group = labels_get(meta->annotations, S("kuscia.secretflow/task-resource-group"), &has);
    ret->group_is_cluster = ret->group.len > 0;
    if (ret->group_is_cluster)
        ret->subgroup = object_party_name(r->a, meta->ns, labels_get(meta->labels, S("kuscia.secretflow/pod-role"), &has));
}

/* Labels that tell one replica from the next: the owner's selector cannot name them. */
static bool is_replica_label(str key)
{
    return str_is(key, "statefulset.kubernetes.io/pod-name") || str_is(key, "apps.kubernetes.io/pod-index") || str_is(key, "controller-revision-hash");
}

/* Services and workloads are not at hand here: a replica's own labels stand for the selector of its owner. */
static void read_default_spread(struct reader *r, const struct object_meta *meta, struct pod_spec *ret)
{
    struct spec_requirement *p = arena_array(r->a, meta->labels.n, struct spec_requirement);
    size_t n = 0;
    for (size_t i = 0; i < meta->labels.n; i++)
        if (!is_replica_label(meta->labels.p[i].key))
            p[n++] = (struct spec_requirement){meta->labels.p[i].key, OP_IN, &meta->labels.p[i].value, 1};
    ret->default_spread_owned = n > 0;
    ret->default_spread_selector = (struct spec_selector){.p = p, .n = n};
}

/* Our own word, or those of Katalyst, as people who come from Gödel write them. */
static void read_numa(struct reader *r, const struct object_meta *meta, struct pod_spec *ret)
{
    static const char *const words[] = {[NUMA_NONE] = "none", [NUMA_PREFER_ONE] = "prefer", [NUMA_REQUIRE_ONE] = "require", [NUMA_EXCLUSIVE] = "exclusive"};
    bool has;
    str katalyst = labels_get(meta->annotations, S("katalyst.kubewharf.io/memory_enhancement"), &has);
    if (has) {
        struct err why = ERR_NONE;
        struct json v;
        if (json_parse(r->a, katalyst, NULL, &v, &why) == 0 && str_is(json_get_str(&v, S("numa_binding")), "true"))
            ret->numa = str_is(json_get_str(&v, S("numa_exclusive")), "true") ? NUMA_EXCLUSIVE : NUMA_REQUIRE_ONE;
    }
    str own = labels_get(meta->annotations, S(NUMA_WISH), &has);
    for (size_t i = 0; has && i < ARRAY_LEN(words); i++)
        if (str_is(own, words[i])) {
            ret->numa = (enum numa_policy)i;
            return;
        }
    if (has)
        read_bad(r, SPOT(SPOT(SPOT(NULL, "metadata"), "annotations"), NUMA_WISH), "\"" STR_FMT "\" is none of none, prefer, require and exclusive", STR_ARG(str_sub(own, 0, 40)));
}

static void read_owner(struct reader *r, const struct json *obj, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT(NULL, "metadata"), *list_at = SPOT(at, "ownerReferences");
    const struct json *list = read_array(r, json_get(obj, S("metadata")), at, "ownerReferences");
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *v = read_item(r, list, list_at, i);
        str kind = read_str(r, v, SPOT_AT(list_at, i), "kind");
        if (!read_bool(r, v, SPOT_AT(list_at, i), "controller", false))
            continue;
        ret->daemon |= str_is(kind, "DaemonSet");
        if (str_is(kind, "ReplicaSet") || str_is(kind, "StatefulSet") || str_is(kind, "ReplicationController"))
            read_default_spread(r, meta, ret);
    }
}

static void read_victim(const struct object_meta *meta, struct pod_spec *ret)
{
    bool has;
    ret->can_be_victim_never = str_is(labels_get(meta->annotations, S("godel.bytedance.com/can-be-preempted"), &has), "false") ||
                               str_is(labels_get(meta->labels, S("kai.scheduler/preemptibility"), &has), "non-preemptible");
}

/* What KAI's labels say.  Pods of its scheduler always have a queue, of others those that name one.  The label `project` counts for groups that are made of owners (controllers/grouping.c): who may
 * use a queue is asked for its own label alone. */
static void read_policy(const struct object_meta *meta, struct pod_spec *ret)
{
    bool has;
    ret->queue = labels_get(meta->labels, S("kai.scheduler/queue"), &has);
    if (!ret->queue.len && str_is(ret->scheduler, "kai-scheduler"))
        ret->queue = S("default-queue");
    ret->pool = labels_get(meta->labels, S(POOL_LABEL), &has);
    str p = labels_get(meta->labels, S("kai.scheduler/preemptibility"), &has);
    ret->preemptibility = str_is(p, "preemptible") ? PREEMPTIBLE_YES : str_is(p, "non-preemptible") ? PREEMPTIBLE_NO : str_is(p, "semi-preemptible") ? PREEMPTIBLE_SEMI : PREEMPTIBLE_UNSET;
}

/* Order inside the group.  Masters and heads, which the others look for, come before all; labelled pods before those that are not. */
static int32_t read_rank(const struct object_meta *meta)
{
    static const struct {
        str label, value;
    } firsts[] = {
        {STR_INIT("training.kubeflow.org/job-role"), STR_INIT("master")},
        {STR_INIT("training.kubeflow.org/job-role"), STR_INIT("launcher")},
        {STR_INIT("ray.io/node-type"), STR_INIT("head")},
    };
    const int64_t most = 1 << 28;
    bool has, first = false;
    int64_t n;
    for (size_t i = 0; i < ARRAY_LEN(firsts); i++)
        first |= str_eq(labels_get(meta->labels, firsts[i].label, &has), firsts[i].value);
    int32_t rank = first ? 1 << 30 : 0;
    if (str_to_i64(labels_get(meta->labels, S("kai.scheduler/task-priority"), &has), &n))
        rank += (int32_t)(MIN(MAX(n, -most), most) + most + 1);
    return rank;
}

/* What cannot be read is as if it were not there: a pod is not kept from starting by it. */
static void read_loss(struct reader *r, const struct object_meta *meta, struct pod_spec *ret)
{
    bool has;
    int64_t n;
    struct err why = ERR_NONE;
    if (str_to_i64(labels_get(meta->annotations, S("scheduling.cox/restart-cost"), &has), &n))
        ret->loss.restart_cost_s = (int32_t)MIN(MAX(n, (int64_t)0), (int64_t)INT32_MAX);
    nsec_t at;
    if (civil_parse(labels_get(meta->annotations, S("scheduling.cox/last-checkpoint"), &has), &at))
        ret->loss.checkpoint_ns = MAX(at, (nsec_t)0);
    ret->loss.leave_by_ns = meta->delete_ns;
    str delay = labels_get(meta->annotations, S("kai.scheduler/preemption-delay"), &has);
    if (has && codec_duration_parse(r->a, delay, &n, &why) == 0)
        ret->loss.delay_ns = MAX(n, (int64_t)0);
    else if (str_to_i64(labels_get(meta->annotations, S("kai.scheduler/preemption-delay-seconds"), &has), &n))
        ret->loss.delay_ns = MIN(MAX(n, (int64_t)0), (int64_t)INT32_MAX) * NSEC_PER_SEC;
}

/* Times that a pod says of itself.  activeDeadlineSeconds is kept to by the agent; the others are promises. */
static void read_times(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    nsec_t deadline = read_int(r, spec, SPOT(NULL, "spec"), "activeDeadlineSeconds", 0, INT32_MAX, 0) * NSEC_PER_SEC;
    nsec_t expected = annotation_duration(r, meta->annotations, EXPECTED_RUNTIME);
    ret->runtime_ns = deadline && expected ? MIN(deadline, expected) : MAX(deadline, expected);
    ret->protect_ns = annotation_duration(r, meta->annotations, S("godel.bytedance.com/protection-duration-from-preemption"));
}

/* --- the whole --------------------------------------------------------------------------------------------------------------------------------- */
/* Where it is in its life; true: it is over, or was never to be. */
static bool read_phase(struct reader *r, const struct json *obj, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct json *status = read_object(r, obj, NULL, "status");
    const struct spot *at = SPOT(NULL, "status");
    str phase = read_str(r, status, at, "phase");
    ret->node = read_str(r, spec, SPOT(NULL, "spec"), "nodeName");
    ret->nominated = read_str(r, status, at, "nominatedNodeName");
    ret->started_ns = read_time(r, status, at, "startTime");
    ret->created_ns = meta->created_ns;
    ret->phase = str_empty(ret->node) ? POD_PENDING : meta->deleting ? POD_TERMINATING : POD_BOUND;
    return str_is(phase, "Succeeded") || str_is(phase, "Failed") || (meta->deleting && str_empty(ret->node));
}

/* Admission fills the number in; manifests that it never saw have only the class's name. */
static void read_priority(struct reader *r, struct sched *s, const struct json *spec, struct pod_spec *p)
{
    const struct spot *at = SPOT(NULL, "spec");
    const struct priority_class *class_ = json_get(spec, S("priority")) ? NULL : sched_priority_class_find(s, read_str(r, spec, at, "priorityClassName"));
    str policy = read_str(r, spec, at, "preemptionPolicy");
    p->priority = (int32_t)read_int(r, spec, at, "priority", INT32_MIN, INT32_MAX, class_ ? class_->value : 0);
    p->preempt_never = str_is(policy, "Never") || (str_empty(policy) && class_ && class_->never);
}

int object_pod(struct sched *s, struct arena *a, const struct json *obj, struct pod_spec *ret, bool *ret_gone, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    struct pod_spec p = {0};
    const struct spot *at = SPOT(NULL, "spec");
    read_meta(&r, obj, &meta);
    const struct json *spec = read_object(&r, obj, NULL, "spec");
    p.ns = meta.ns;
    p.name = meta.name;
    p.uid = meta.uid;
    p.labels = meta.labels;
    p.scheduler = read_str(&r, spec, at, "schedulerName");
    bool gone = read_phase(&r, obj, spec, &meta, &p);
    read_priority(&r, s, spec, &p);
    const struct json *gates = read_array(&r, spec, at, "schedulingGates");
    p.gates = (uint32_t)list_len(gates);
    read_group(&r, spec, &meta, &p);
    read_owner(&r, obj, &meta, &p);
    read_numa(&r, &meta, &p);
    read_victim(&meta, &p);
    read_policy(&meta, &p);
    p.rank = read_rank(&meta);
    read_loss(&r, &meta, &p);
    read_times(&r, spec, &meta, &p);
    object_pod_resources(&r, spec, &meta, &p);
    object_pod_constraints(&r, spec, &meta, &p);
    object_pod_volumes(&r, spec, &meta, &p);
    read_images(&r, spec, &p);
    read_host_ports(&r, spec, &p);
    if (r.code < 0)
        return r.code;
    *ret = p;
    *ret_gone = gone;
    return 0;
}
