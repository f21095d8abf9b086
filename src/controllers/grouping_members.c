/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_members.h"

#define ROLE_LABEL "training.kubeflow.org/replica-type"
#define ROLE_INDEX "training.kubeflow.org/replica-index"
#define LWS_INDEX "leaderworkerset.sigs.k8s.io/worker-index"
#define LWS_SIZE "leaderworkerset.sigs.k8s.io/size"
#define RAY_TYPE "ray.io/node-type"
#define RAY_GROUP "ray.io/group"
#define RAY_HEAD "headgroup"
#define JOBSET_PART "jobset.sigs.k8s.io/replicatedjob-name"
#define GROVE_CLIQUE "grove.io/podclique"

static str label_of(const struct json *obj, const char *key)
{
    return json_get_str(json_path(obj, "metadata", "labels", NULL), str_of(key));
}

static str note_of(const struct json *obj, const char *key)
{
    return json_get_str(json_path(obj, "metadata", "annotations", NULL), str_of(key));
}

static int64_t clamp(int64_t n)
{
    return n < 0 ? 0 : MIN(n, GROUPING_MEMBERS_MAX);
}

/* What a text says, when it is a sensible number. */
static bool number(str text, int64_t least, int64_t *ret)
{
    int64_t n;
    if (!str_to_i64(text, &n) || n < least)
        return false;
    *ret = clamp(n);
    return true;
}

static bool noted_min(const struct json *obj, int64_t *ret)
{
    return number(note_of(obj, GROUPING_MIN_NOTE), 1, ret);
}

static struct grouping_sub *add_sub(struct grouping_members *m, struct grouping_sub sub)
{
    m->subs[m->nsubs] = sub;
    return &m->subs[m->nsubs++];
}

static uint32_t array_len(const struct json *v)
{
    return json_is(v, JSON_ARRAY) ? v->len : 0;
}

/* --- parts by label ------------------------------------------------------------------------------------------------------------------- */

static const struct grouping_part *part_of(const struct grouping_rule *rule, const struct json *pod)
{
    const struct json *labels = json_path(pod, "metadata", "labels", NULL);
    for (size_t i = 0; i < rule->nparts; i++)
        if (rule->parts[i].label.len && json_get(labels, rule->parts[i].label) && str_eq(json_get_str(labels, rule->parts[i].label), rule->parts[i].value))
            return &rule->parts[i];
    return NULL;
}

static void count_amount(struct arena *a, const struct grouping_rule *rule, const struct json *holder, const struct json *pod, struct grouping_members *m)
{
    const struct grouping_part *mine = part_of(rule, pod);
    int64_t sum = 0;
    m->subs = arena_array(a, rule->nparts, struct grouping_sub);
    for (size_t i = 0; i < rule->nparts; i++) {
        int64_t min = 1;
        grouping_amount_read(a, &rule->parts[i].min, holder, &min);
        add_sub(m, (struct grouping_sub){.name = rule->parts[i].name, .min = min});
        sum += min;
    }
    m->sub = mine ? mine->name : S("");
    if (grouping_amount_read(a, &rule->min, holder, &m->min))
        return;
    m->one = noted_min(holder, &m->min);
    if (!m->one && rule->nparts)
        m->min = clamp(sum);
}

/* --- roles of Kubeflow ------------------------------------------------------------------------------------------------------------------- */

static int64_t role_replicas(const struct json *role)
{
    return role ? clamp(json_get_int(role, S("replicas"), 1)) : 0;
}

/* "worker" of {"Worker": {...}}. */
static const struct json *role_find(const struct json *roles, str name)
{
    for (uint32_t i = 0; json_is(roles, JSON_OBJECT) && i < roles->len; i++)
        if (str_ieq(roles->members[i].key, name))
            return &roles->members[i].value;
    return NULL;
}

/* Workers in runs of so many, each of which may have a place of its own in the topology: "worker" with worker-0, worker-1, ... below it. */
static void add_segments(struct arena *a, struct grouping_members *m, int64_t count, int64_t size, const struct json *notes, str index)
{
    size_t n = (size_t)((count + size - 1) / size);
    int64_t at;
    if (m->nsubs + n > GROUPING_PARTS_MAX)
        return;
    m->subs = arena_grow(a, m->subs, m->nsubs * sizeof *m->subs, (m->nsubs + n) * sizeof *m->subs);
    for (size_t i = 0; i < n; i++)
        add_sub(m, (struct grouping_sub){.name = arena_fmt(a, "worker-%zu", i), .parent = S("worker"), .min = MIN(size, count - (int64_t)i * size), .notes = notes, .segment = true});
    if (str_is(m->sub, "worker"))
        m->sub = str_to_i64(index, &at) && at >= 0 && at < count ? arena_fmt(a, "worker-%lld", (long long)(at / size)) : S("");
}

static void count_roles(struct arena *a, const struct grouping_rule *rule, const struct json *holder, const struct json *pod, struct grouping_members *m)
{
    const struct json *spec = json_get(holder, S("spec")), *roles = json_get(spec, rule->roles);
    bool late_launcher = str_is(json_get_str(spec, S("launcherCreationPolicy")), "WaitForWorkersReady");
    int64_t sum = 0, left, size;
    for (uint32_t i = 0; json_is(roles, JSON_OBJECT) && i < roles->len; i++) {
        /* a launcher that waits until all workers run cannot be something that they wait for */
        if (!(late_launcher && str_is(roles->members[i].key, "Launcher")))
            sum += role_replicas(&roles->members[i].value);
    }
    m->min = clamp(MAX(sum, 1));
    grouping_amount_read(a, &rule->min, holder, &m->min);
    left = m->min;
    m->subs = arena_array(a, rule->nparts, struct grouping_sub);
    for (size_t i = 0; i < rule->nparts; i++) {
        const struct json *role = role_find(roles, rule->parts[i].name);
        bool last = i + 1 == rule->nparts; /* the one that may be elastic */
        if (!role || !role_replicas(role))
            continue;
        int64_t min = last ? left : MIN(role_replicas(role), left);
        add_sub(m, (struct grouping_sub){.name = rule->parts[i].name, .min = min});
        left = left - min;
        if (str_eq(label_of(pod, ROLE_LABEL), rule->parts[i].value))
            m->sub = rule->parts[i].name;
        const struct json *notes = json_path(role, "template", "metadata", "annotations", NULL);
        if (str_is(rule->parts[i].name, "worker") && number(json_get_str(notes, S(GROUPING_SEGMENT_NOTE)), 1, &size))
            add_segments(a, m, role_replicas(role), size, notes, label_of(pod, ROLE_INDEX));
    }
}

/* --- Ray ------------------------------------------------------------------------------------------------------------------------------------- */

/* The spec of the cluster: of a RayCluster its own, of the others what they make one from. */
static const struct json *ray_cluster(const struct json *holder)
{
    const struct json *spec = json_get(holder, S("spec")), *of_job = json_get(spec, S("rayClusterSpec")), *of_service = json_get(spec, S("rayClusterConfig"));
    return of_job ? of_job : of_service ? of_service : spec;
}

static int64_t ray_workers(const struct json *cluster, const struct json *group)
{
    int64_t least = clamp(json_get_int(group, S("minReplicas"), 0)), wanted = clamp(json_get_int(group, S("replicas"), 0)), hosts = clamp(json_get_int(group, S("numOfHosts"), 1));
    if (json_get_bool(group, S("suspend"), false))
        return 0;
    /* definitions write a 0 for those who said nothing; with an autoscaler it is what they want */
    if (!json_get_bool(cluster, S("enableInTreeAutoscaling"), false) && !least)
        least = wanted;
    return clamp(least * MAX(hosts, 1));
}

static void count_ray(struct arena *a, const struct json *holder, const struct json *pod, struct grouping_members *m)
{
    const struct json *cluster = ray_cluster(holder), *groups = json_get(cluster, S("workerGroupSpecs"));
    str type = label_of(pod, RAY_TYPE), mine = str_is(type, "head") ? S(RAY_HEAD) : label_of(pod, RAY_GROUP);
    m->alone = !type.len && !mine.len; /* the pod that hands in a RayJob's work waits for the cluster */
    m->min = 1;
    if (array_len(groups) >= GROUPING_PARTS_MAX)
        return;
    m->subs = arena_array(a, array_len(groups) + 1, struct grouping_sub);
    add_sub(m, (struct grouping_sub){.name = S(RAY_HEAD), .min = 1, .notes = json_path(cluster, "headGroupSpec", "template", "metadata", "annotations", NULL)});
    for (uint32_t i = 0; i < array_len(groups); i++) {
        const struct json *g = &groups->items[i];
        str name = json_get_str(g, S("groupName"));
        int64_t min = ray_workers(cluster, g);
        name = name.len ? name : arena_fmt(a, "worker-group-%u", i);
        add_sub(m, (struct grouping_sub){.name = name, .min = min, .notes = json_path(g, "template", "metadata", "annotations", NULL)});
        m->min = clamp(m->min + min);
    }
    for (size_t i = 0; i < m->nsubs; i++)
        if (str_eq(m->subs[i].name, mine))
            m->sub = m->subs[i].name;
}

/* --- LeaderWorkerSet ------------------------------------------------------------------------------------------------------------------------- */

/* Runs of so many workers, each of which may have a place of its own; the leader is in the first, or on its own. */
struct segments {
    int64_t size, pods; /* of a run, of the replica */
    bool excluded;
    const struct json *notes; /* of the workers' template */
};

static bool read_segments(const struct json *holder, int64_t pods, struct segments *ret)
{
    const struct json *template = json_path(holder, "spec", "leaderWorkerTemplate", NULL), *policy = json_get(template, S("subGroupPolicy"));
    const struct json *notes = json_path(template, "workerTemplate", "metadata", "annotations", NULL);
    int64_t size = 0;
    if (!number(json_str(json_get(policy, S("subGroupSize"))), 2, &size) && !number(note_of(holder, GROUPING_SEGMENT_NOTE), 2, &size) &&
        !number(json_get_str(notes, S(GROUPING_SEGMENT_NOTE)), 2, &size))
        return false;
    *ret = (struct segments){size, pods, str_is(json_get_str(policy, S("subGroupPolicyType")), "LeaderExcluded"), notes};
    bool even = (pods - 1) % size == 0;
    return size <= pods && (even || !ret->excluded) && pods / size + 3 <= GROUPING_PARTS_MAX;
}

/* When the workers alone fill the runs, the leader is one more in the first. */
static int64_t segment_of(const struct segments *s, int64_t worker)
{
    if (worker == 0)
        return 0;
    return (s->pods - 1) % s->size == 0 ? (worker - 1) / s->size : worker / s->size;
}

static void add_leader_segments(struct arena *a, const struct segments *s, int64_t worker, struct grouping_members *m)
{
    int64_t n = segment_of(s, s->pods - 1) + 1, *count = arena_array(a, (size_t)n, int64_t), mine = segment_of(s, worker);
    for (int64_t i = s->excluded; i < s->pods; i++)
        count[segment_of(s, i)]++;
    m->subs = arena_array(a, (size_t)n + 2, struct grouping_sub);
    if (s->excluded)
        add_sub(m, (struct grouping_sub){.name = S("leader"), .min = 1});
    for (int64_t i = 0; i < n; i++)
        add_sub(m, (struct grouping_sub){.name = arena_fmt(a, "segment-%lld", (long long)i), .min = count[i], .notes = s->notes, .segment = true});
    if (!s->excluded) {
        add_sub(m, (struct grouping_sub){.name = S("leader"), .parent = S("segment-0"), .min = 1});
        add_sub(m, (struct grouping_sub){.name = S("workers"), .parent = S("segment-0"), .min = count[0] - 1});
    }
    m->sub = worker == 0 ? S("leader") : mine == 0 && !s->excluded ? S("workers") : arena_fmt(a, "segment-%lld", (long long)mine);
}

static void count_leader(struct arena *a, const struct json *holder, const struct json *pod, struct grouping_members *m)
{
    const struct json *spec = json_get(holder, S("spec"));
    bool leader = str_is(label_of(pod, LWS_INDEX), "0"), bound = json_get_str(json_get(pod, S("spec")), S("nodeName")).len;
    int64_t size = json_get_int(json_get(spec, S("leaderWorkerTemplate")), S("size"), 1);
    number(note_of(pod, LWS_SIZE), 1, &size); /* of this group: it may be older than the set's last change */
    if (str_is(json_get_str(spec, S("startupPolicy")), "LeaderReady") && leader && !bound)
        size = 1; /* its workers do not exist before it is ready */
    m->min = clamp(MAX(size, 1));
    struct segments segments;
    int64_t worker;
    if (number(label_of(pod, LWS_INDEX), 0, &worker) && worker < m->min && read_segments(holder, m->min, &segments)) {
        add_leader_segments(a, &segments, worker, m);
        return;
    }
    m->subs = arena_array(a, 2, struct grouping_sub);
    add_sub(m, (struct grouping_sub){.name = S("leader"), .min = 1});
    if (m->min > 1)
        add_sub(m, (struct grouping_sub){.name = S("workers"), .min = m->min - 1});
    m->sub = leader ? S("leader") : m->min > 1 ? S("workers") : S("");
}

/* --- JobSet ------------------------------------------------------------------------------------------------------------------------------------- */

/* Does one of its jobs wait for another?  Then they cannot start together. */
static bool is_ordered(const struct json *spec)
{
    const struct json *jobs = json_get(spec, S("replicatedJobs"));
    if (str_is(json_get_str(json_get(spec, S("startupPolicy")), S("startupPolicyOrder")), "InOrder"))
        return true;
    for (uint32_t i = 0; i < array_len(jobs); i++)
        if (array_len(json_get(&jobs->items[i], S("dependsOn"))))
            return true;
    return false;
}

/* How many run at once says nothing about how many must: the last of 5 completions, 4 at once, would wait for ever.  Whoever wants a gang says so, on the set or on a job's template. */
static void count_jobset(struct arena *a, const struct json *holder, const struct json *pod, struct grouping_members *m)
{
    const struct json *spec = json_get(holder, S("spec")), *jobs = json_get(spec, S("replicatedJobs"));
    str mine = label_of(pod, JOBSET_PART);
    bool ordered = is_ordered(spec) && mine.len, whole = noted_min(holder, &m->min);
    int64_t sum = 0;
    if (ordered) {
        m->label = S(JOBSET_PART);
        m->tag = S("-");
    }
    m->subs = arena_array(a, array_len(jobs), struct grouping_sub);
    for (uint32_t i = 0; i < array_len(jobs) && array_len(jobs) <= GROUPING_PARTS_MAX; i++) {
        const struct json *job = &jobs->items[i];
        str name = json_get_str(job, S("name"));
        int64_t min = 0;
        if (!noted_min(json_get(job, S("template")), &min))
            continue;
        min = clamp(min * clamp(json_get_int(job, S("replicas"), 1)));
        if (ordered && !whole && str_eq(name, mine))
            m->min = MAX(min, 1);
        if (ordered)
            continue;
        add_sub(m, (struct grouping_sub){.name = name, .min = min});
        m->sub = str_eq(name, mine) ? name : m->sub;
        sum += min;
    }
    if (!whole && sum)
        m->min = clamp(sum);
}

/* --- Grove ------------------------------------------------------------------------------------------------------------------------------------------ */

static bool refers_to(const struct json *refs, const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    for (uint32_t i = 0; i < array_len(refs); i++)
        if (str_eq(json_get_str(&refs->items[i], S("name")), json_get_str(meta, S("name"))) &&
            str_eq(json_get_str(&refs->items[i], S("namespace")), json_get_str(meta, S("namespace"))))
            return true;
    return false;
}

static void count_gang(struct arena *a, const struct json *gang, const struct json *pod, struct grouping_members *m)
{
    const struct json *groups = json_path(gang, "spec", "podgroups", NULL);
    int64_t sum = 0;
    if (array_len(groups) > GROUPING_PARTS_MAX)
        return;
    m->subs = arena_array(a, array_len(groups), struct grouping_sub);
    for (uint32_t i = 0; i < array_len(groups); i++) {
        const struct json *g = &groups->items[i];
        str name = json_get_str(g, S("name"));
        int64_t min = clamp(MAX(json_get_int(g, S("minReplicas"), 1), 1));
        add_sub(m, (struct grouping_sub){.name = name, .min = min});
        if (str_eq(name, label_of(pod, GROVE_CLIQUE)) || refers_to(json_get(g, S("podReferences")), pod))
            m->sub = name;
        sum += min;
    }
    m->min = clamp(MAX(sum, 1));
}

/* --- the whole --------------------------------------------------------------------------------------------------------------------------------------- */

struct grouping_members grouping_members_count(struct arena *a, const struct grouping_rule *rule, const struct json *holder, const struct json *pod)
{
    struct grouping_members m = {.min = 1};
    switch (rule->formula) {
    case GROUPING_AMOUNT:
        count_amount(a, rule, holder, pod, &m);
        break;
    case GROUPING_ROLES:
        count_roles(a, rule, holder, pod, &m);
        break;
    case GROUPING_RAY:
        count_ray(a, holder, pod, &m);
        break;
    case GROUPING_LEADER:
        count_leader(a, holder, pod, &m);
        break;
    case GROUPING_JOBSET:
        count_jobset(a, holder, pod, &m);
        break;
    case GROUPING_GANG:
        count_gang(a, holder, pod, &m);
        break;
    }
    m.min = MAX(m.min, 1);
    return m;
}
