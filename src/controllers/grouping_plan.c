/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_plan.h"

#include "api/codec_scalar.h"
#include "api/pod_group.h"
#include "api/validate.h"

#define NAME_MAX_BYTES 253u
#define UID_BYTES 36u
#define PREFIX "pg-"
#define PRIORITY_LABEL "priorityClassName"
#define RAY_PRIORITY_LABEL "ray.io/priority-class-name"
#define PREEMPTIBILITY_LABEL "kai.scheduler/preemptibility"
#define NODE_POOL_LABEL "kai.scheduler/node-pool"
#define PROJECT_LABEL "project"
#define MIRROR_NOTE "kubernetes.io/config.mirror"
#define SPARK_NAME "spark-app-name"
#define SPARK_SELECTOR "spark-app-selector"
#define GROVE_GANG_LABEL "grove.io/podgang"
#define GROVE_GANG_API "scheduler.grove.io/v1alpha1"
#define GROVE_GANG "PodGang"

static const struct json *meta_of(const struct json *obj)
{
    return json_get(obj, S("metadata"));
}

static str name_of(const struct json *obj)
{
    return json_get_str(meta_of(obj), S("name"));
}

static str uid_of(const struct json *obj)
{
    return json_get_str(meta_of(obj), S("uid"));
}

static str label_of(const struct json *obj, const char *key)
{
    return json_get_str(json_get(meta_of(obj), S("labels")), str_of(key));
}

static str note_of(const struct json *obj, const char *key)
{
    return json_get_str(json_get(meta_of(obj), S("annotations")), str_of(key));
}

/* The top owner's word counts first, the pod's last. */
static str label_in(const struct grouping_chain *c, const char *key)
{
    str v = S("");
    for (size_t i = c->len; i > 0 && !v.len; i--)
        v = label_of(&c->objs[i - 1], key);
    return v;
}

/* --- what a pod says ------------------------------------------------------------------------------------------------------------------- */

/* 8-4-4-4-12 */
static bool has_uid(str s)
{
    for (size_t i = 0; i + UID_BYTES <= s.len; i++)
        if (s.p[i + 8] == '-' && s.p[i + 13] == '-' && s.p[i + 18] == '-' && s.p[i + 23] == '-')
            return true;
    return false;
}

/* A name that we gave, or would: others' groups are others' business. */
static bool is_ours(str name)
{
    return str_has_prefix(name, S(PREFIX)) && has_uid(name);
}

static bool is_spark(const struct json *pod)
{
    return label_of(pod, SPARK_NAME).len && label_of(pod, SPARK_SELECTOR).len;
}

bool grouping_owner_ref(const struct json *obj, struct grouping_ref *ret)
{
    const struct json *list = json_get(meta_of(obj), S("ownerReferences")), *found = NULL;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (!found || (json_get_bool(&list->items[i], S("controller"), false) && !json_get_bool(found, S("controller"), false)))
            found = &list->items[i];
    if (!found)
        return false;
    *ret = (struct grouping_ref){json_get_str(found, S("apiVersion")), json_get_str(found, S("kind")), json_get_str(found, S("name")), json_get_str(found, S("uid"))};
    return true;
}

/* Groups of other schedulers, which people write themselves: a second group would tear the gang apart. */
static bool is_in_group(const struct json *pod)
{
    for (size_t i = 0; i < POD_GROUP_KEYS; i++) {
        const struct pod_group_key *k = &pod_group_keys[i];
        if (!str_is(k->key, GROUPING_NOTE) && json_get_str(json_get(meta_of(pod), k->is_label ? S("labels") : S("annotations")), k->key).len)
            return true;
    }
    return json_path(pod, "spec", "schedulingGroup", "podGroupName", NULL) || json_path(pod, "spec", "workloadRef", "podGroup", NULL);
}

bool grouping_leaves(const struct json *pod)
{
    if (is_in_group(pod))
        return true;
    const struct json *meta = meta_of(pod);
    str phase = json_get_str(json_get(pod, S("status")), S("phase")), group = note_of(pod, GROUPING_NOTE);
    struct grouping_ref ref;
    bool owned = grouping_owner_ref(pod, &ref);
    if (json_get(meta, S("deletionTimestamp")) || str_is(phase, "Succeeded") || str_is(phase, "Failed") || json_get(json_get(meta, S("annotations")), S(MIRROR_NOTE)))
        return true;
    if (!group.len || (is_spark(pod) && str_eq(group, label_of(pod, SPARK_SELECTOR))))
        return false;
    /* a bare pod's group named after the pod itself is ours; any other name its author wrote */
    return !is_ours(group) || (!owned && !str_has_suffix(group, uid_of(pod)));
}

bool grouping_has_queue(const struct grouping_chain *chain)
{
    return label_in(chain, GROUPING_QUEUE_LABEL).len;
}

/* --- whose group ------------------------------------------------------------------------------------------------------------------------ */

static const struct grouping_rule *rule_at(const struct grouping_rules *rules, const struct json *obj)
{
    return grouping_rule_find(rules, json_get_str(obj, S("apiVersion")), json_get_str(obj, S("kind")));
}

/* The place of the highest owner that counts. */
static size_t top_of(const struct grouping_rules *rules, const struct grouping_chain *c)
{
    size_t top = c->len - 1;
    while (top > 0 && rule_at(rules, &c->objs[top])->skip)
        top--;
    return top;
}

bool grouping_companion(const struct grouping_rules *rules, const struct grouping_chain *c, struct grouping_ref *ret)
{
    str name = label_of(&c->objs[0], GROVE_GANG_LABEL);
    if (rule_at(rules, &c->objs[top_of(rules, c)])->formula != GROUPING_GANG || !name.len)
        return false;
    *ret = (struct grouping_ref){S(GROVE_GANG_API), S(GROVE_GANG), name, S("")};
    return true;
}

static const struct json *holder_of(const struct grouping_rule *rule, const struct grouping_chain *c, size_t top)
{
    if (rule->formula == GROUPING_GANG && json_is(&c->companion, JSON_OBJECT))
        return &c->companion;
    for (size_t i = top; rule->child.len && i > 0; i--)
        if (str_eq(json_get_str(&c->objs[i], S("kind")), rule->child))
            return &c->objs[i];
    return &c->objs[top];
}

/* pg-NAME-UID and what comes behind; of a name that is too long the end goes, since the uid makes it unique. */
static str group_name(struct arena *a, str name, str uid, str tag, str value)
{
    size_t rest = sizeof PREFIX - 1 + 1 + MAX(uid.len, UID_BYTES) + tag.len + value.len;
    name = str_sub(name, 0, rest < NAME_MAX_BYTES ? NAME_MAX_BYTES - rest : 1);
    return arena_fmt(a, PREFIX STR_FMT "-" STR_FMT STR_FMT STR_FMT, STR_ARG(name), STR_ARG(uid), STR_ARG(tag), STR_ARG(value));
}

/* --- the PodGroup ------------------------------------------------------------------------------------------------------------------------- */

static str queue_of(struct arena *a, const struct grouping_chain *c)
{
    str queue = label_in(c, GROUPING_QUEUE_LABEL), project = label_in(c, PROJECT_LABEL), pool = label_of(&c->objs[0], NODE_POOL_LABEL);
    if (queue.len)
        return queue;
    if (project.len)
        return pool.len ? arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(project), STR_ARG(pool)) : project;
    return S(GROUPING_DEFAULT_QUEUE);
}

static str priority_of(const struct grouping_rule *rule, const struct grouping_chain *c)
{
    str ray = rule->formula == GROUPING_RAY ? label_in(c, RAY_PRIORITY_LABEL) : S(""), label = label_in(c, PRIORITY_LABEL);
    str gang = rule->formula == GROUPING_GANG ? json_get_str(json_get(&c->companion, S("spec")), S("priorityClassName")) : S("");
    str own = json_get_str(json_get(&c->objs[0], S("spec")), S("priorityClassName"));
    return ray.len ? ray : label.len ? label : gang.len ? gang : own.len ? own : rule->priority.len ? rule->priority : S("train");
}

static void set_text(struct arena *a, struct json *obj, const char *key, str value)
{
    if (value.len)
        json_set(a, obj, str_of(key), json_string(value));
}

/* Without a level there is nothing to ask of a topology. */
static bool topology_from(struct arena *a, const struct json *notes, bool segment, str tree, struct json *ret)
{
    str required = json_get_str(notes, segment ? S("kai.scheduler/segment-topology-required-placement") : S("kai.scheduler/topology-required-placement"));
    str preferred = json_get_str(notes, segment ? S("kai.scheduler/segment-topology-preferred-placement") : S("kai.scheduler/topology-preferred-placement"));
    str own = json_get_str(notes, S("kai.scheduler/topology"));
    if (!required.len && !preferred.len)
        return false;
    *ret = json_object();
    set_text(a, ret, "topology", own.len ? own : tree);
    set_text(a, ret, "requiredTopologyLevel", required);
    set_text(a, ret, "preferredTopologyLevel", preferred);
    return true;
}

static const struct json *notes_of(const struct json *obj)
{
    return json_get(meta_of(obj), S("annotations"));
}

static str tree_in(const struct grouping_chain *c)
{
    str v = S("");
    for (size_t i = c->len; i > 0 && !v.len; i--)
        v = note_of(&c->objs[i - 1], "kai.scheduler/topology");
    return v;
}

static struct json subs_json(struct arena *a, const struct grouping_members *m, str tree)
{
    struct json list = json_array();
    for (size_t i = 0; i < m->nsubs; i++) {
        struct json sub = json_object(), topology;
        json_set(a, &sub, S("name"), json_string(m->subs[i].name));
        set_text(a, &sub, "parent", m->subs[i].parent);
        json_set(a, &sub, S("minMember"), json_int(a, m->subs[i].min));
        if (topology_from(a, m->subs[i].notes, m->subs[i].segment, tree, &topology))
            json_set(a, &sub, S("topologyConstraint"), topology);
        json_push(a, &list, sub);
    }
    return list;
}

static struct json owner_refs(struct arena *a, const struct json *holder)
{
    struct json list = json_array(), ref = json_object();
    json_set(a, &ref, S("apiVersion"), json_string(json_get_str(holder, S("apiVersion"))));
    json_set(a, &ref, S("kind"), json_string(json_get_str(holder, S("kind"))));
    json_set(a, &ref, S("name"), json_string(name_of(holder)));
    json_set(a, &ref, S("uid"), json_string(uid_of(holder)));
    json_push(a, &list, ref);
    return list;
}

/* A duration that one of the chain says, owners before the pod; what cannot be read is passed over. */
static void set_duration(struct arena *a, struct json *spec, const char *key, const struct grouping_chain *c, const char *note, bool may_be_negative)
{
    struct err why = ERR_NONE;
    int64_t ns;
    for (size_t i = c->len; i > 0; i--) {
        str text = note_of(&c->objs[i - 1], note);
        if (!text.len || codec_duration_parse(a, text, &ns, &why) < 0 || (ns < 0 && !may_be_negative))
            continue;
        json_set(a, spec, str_of(key), json_string(text));
        return;
    }
}

static struct json group_spec(struct arena *a, const struct grouping_rule *rule, const struct grouping_chain *c, const struct grouping_members *m)
{
    struct json spec = json_object(), topology;
    str preemptibility = label_in(c, PREEMPTIBILITY_LABEL), tree = tree_in(c);
    json_set(a, &spec, S("minMember"), json_int(a, m->min));
    json_set(a, &spec, S("queue"), json_string(queue_of(a, c)));
    json_set(a, &spec, S("priorityClassName"), json_string(priority_of(rule, c)));
    if (str_is(preemptibility, "preemptible") || str_is(preemptibility, "non-preemptible") || str_is(preemptibility, "semi-preemptible"))
        json_set(a, &spec, S("preemptibility"), json_string(preemptibility));
    set_duration(a, &spec, "preemptionDelay", c, "kai.scheduler/preemption-delay", false);
    set_duration(a, &spec, "stalenessGracePeriod", c, "kai.scheduler/staleness-grace-period", true);
    for (size_t i = c->len; i > 0; i--) {
        if (!topology_from(a, notes_of(&c->objs[i - 1]), false, tree, &topology))
            continue;
        json_set(a, &spec, S("topologyConstraint"), topology);
        break;
    }
    if (m->nsubs)
        json_set(a, &spec, S("subGroups"), subs_json(a, m, tree));
    return spec;
}

/* --- the plan ----------------------------------------------------------------------------------------------------------------------------- */

/* How the group is called, and by whom it is owned: with one for each pod the pod takes it along. */
static str name_plan(struct arena *a, const struct grouping_rule *rule, const struct grouping_members *m, const struct json *holder, const struct json *pod, const struct json **ret_owner)
{
    str selector = label_of(pod, SPARK_SELECTOR), label = m->label.len ? m->label : rule->label, value = json_get_str(json_get(meta_of(pod), S("labels")), label);
    enum grouping_by by = m->alone ? GROUPING_BY_POD : m->label.len ? GROUPING_BY_LABEL : m->one && rule->by != GROUPING_BY_LABEL ? GROUPING_BY_OWNER : rule->by;
    *ret_owner = holder;
    if (str_is(json_get_str(holder, S("kind")), "Pod") && is_spark(pod) && !validate_dns1123_subdomain(selector))
        return selector;
    if (by == GROUPING_BY_POD || by == GROUPING_BY_OWNED_POD) {
        *ret_owner = pod;
        return group_name(a, name_of(pod), uid_of(by == GROUPING_BY_POD ? pod : holder), S(""), S(""));
    }
    if (by == GROUPING_BY_LABEL && value.len) {
        str tag = m->tag.len ? m->tag : rule->tag.len ? rule->tag : S("-"), name = group_name(a, name_of(holder), uid_of(holder), tag, value);
        if (!validate_dns1123_subdomain(name))
            return name;
    }
    return group_name(a, name_of(holder), uid_of(holder), S(""), S(""));
}

struct grouping_plan grouping_plan_make(struct arena *a, const struct grouping_rules *rules, const struct grouping_chain *c)
{
    const struct json *pod = &c->objs[0], *owner;
    size_t top = top_of(rules, c);
    const struct grouping_rule *rule = rule_at(rules, &c->objs[top]);
    struct grouping_plan plan = {.group = json_null()};
    for (size_t i = 0; i < c->len; i++)
        if (rule_at(rules, &c->objs[i])->leave || str_is(note_of(&c->objs[i], "kai.scheduler/skip-podgrouper"), "true"))
            return plan;
    const struct json *holder = holder_of(rule, c, top);
    struct grouping_members m = grouping_members_count(a, rule, holder, pod);
    if (m.alone)
        m = (struct grouping_members){.min = 1, .alone = true};
    plan.name = name_plan(a, rule, &m, holder, pod, &owner);
    plan.holder_uid = uid_of(holder);
    plan.sub = arena_str(a, m.sub);
    plan.project_queue = !grouping_has_queue(c) && label_in(c, PROJECT_LABEL).len ? queue_of(a, c) : S("");
    struct json group = json_object(), *meta;
    json_set(a, &group, S("apiVersion"), json_string(S(GROUPING_API "/" GROUPING_VERSION)));
    json_set(a, &group, S("kind"), json_string(S("PodGroup")));
    meta = json_ensure_object(a, &group, S("metadata"));
    json_set(a, meta, S("name"), json_string(plan.name));
    json_set(a, meta, S("namespace"), json_string(json_get_str(meta_of(pod), S("namespace"))));
    str pool = label_in(c, NODE_POOL_LABEL);
    if (pool.len)
        json_set(a, json_ensure_object(a, meta, S("labels")), S(NODE_POOL_LABEL), json_string(pool));
    json_set(a, json_ensure_object(a, meta, S("annotations")), S(GROUPING_ASKED_NOTE), json_string(queue_of(a, c)));
    json_set(a, meta, S("ownerReferences"), owner_refs(a, owner));
    json_set(a, &group, S("spec"), group_spec(a, rule, c, &m));
    plan.group = json_copy(a, &group); /* rules may change while it is being written */
    return plan;
}

/* --- what differs ------------------------------------------------------------------------------------------------------------------------- */

static bool is_empty(const struct json *v)
{
    return !v || v->type == JSON_NULL || (v->type != JSON_BOOL && v->len == 0);
}

bool grouping_asks_other_queue(const struct grouping_plan *plan, const struct json *have)
{
    str asked = note_of(have, GROUPING_ASKED_NOTE), now = note_of(&plan->group, GROUPING_ASKED_NOTE);
    return asked.len && now.len && !plan->project_queue.len && !str_eq(asked, now) && str_eq(json_get_str(json_get(have, S("spec")), S("queue")), asked);
}

struct json grouping_group_patch(struct arena *a, const struct grouping_plan *plan, const struct json *have)
{
    /* from preemptibility on they may have been written by people where the owner says nothing */
    static const struct {
        str key;
        bool remove;
    } ours[] = {{STR_INIT("minMember"), false}, {STR_INIT("priorityClassName"), false}, {STR_INIT("subGroups"), true}, {STR_INIT("preemptibility"), false}, {STR_INIT("topologyConstraint"), false},
                {STR_INIT("preemptionDelay"), false}, {STR_INIT("stalenessGracePeriod"), false}};
    const struct json *old = json_get(have, S("spec")), *new = json_get(&plan->group, S("spec"));
    struct json patch = json_object(), spec = json_object();
    for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
        const struct json *want = json_get(new, ours[i].key), *is = json_get(old, ours[i].key);
        if (is_empty(want) && is_empty(is))
            continue;
        if (want && !(is && json_equal(want, is)))
            json_set(a, &spec, ours[i].key, *want);
        else if (!want && ours[i].remove)
            json_set(a, &spec, ours[i].key, json_null());
    }
    bool is_whole = json_get(json_get(have, S("metadata")), S("resourceVersion")); /* as the server answered, not what is kept of it */
    if (grouping_asks_other_queue(plan, have) && is_whole && !json_get_int(json_get(have, S("status")), S("running"), 0)) {
        struct json *notes = json_ensure_object(a, json_ensure_object(a, &patch, S("metadata")), S("annotations"));
        json_set(a, notes, S(GROUPING_ASKED_NOTE), json_string(note_of(&plan->group, GROUPING_ASKED_NOTE)));
        json_set(a, &spec, S("queue"), *json_get(new, S("queue")));
    }
    if (!spec.len)
        return json_null();
    json_set(a, json_ensure_object(a, &patch, S("metadata")), S("uid"), json_string(uid_of(have)));
    json_set(a, &patch, S("spec"), spec);
    return patch;
}

static bool has_sub(const struct grouping_plan *plan, str name)
{
    const struct json *subs = json_path(&plan->group, "spec", "subGroups", NULL);
    for (uint32_t i = 0; json_is(subs, JSON_ARRAY) && i < subs->len; i++)
        if (str_eq(json_get_str(&subs->items[i], S("name")), name))
            return true;
    return false;
}

bool grouping_stays(const struct grouping_plan *plan, const struct json *pod)
{
    str group = note_of(pod, GROUPING_NOTE);
    return json_get_str(json_get(pod, S("spec")), S("nodeName")).len && group.len && !str_eq(group, plan->name);
}

struct json grouping_pod_patch(struct arena *a, const struct grouping_plan *plan, const struct json *pod)
{
    str group = note_of(pod, GROUPING_NOTE), sub = label_of(pod, GROUPING_SUB_LABEL);
    struct json patch = json_object(), *meta = json_ensure_object(a, &patch, S("metadata"));
    if (!plan->name.len || grouping_stays(plan, pod))
        return json_null();
    if (!str_eq(group, plan->name))
        json_set(a, json_ensure_object(a, meta, S("annotations")), S(GROUPING_NOTE), json_string(plan->name));
    if (plan->sub.len && !has_sub(plan, sub) && !validate_label_value(plan->sub))
        json_set(a, json_ensure_object(a, meta, S("labels")), S(GROUPING_SUB_LABEL), json_string(plan->sub));
    if (!meta->len)
        return json_null();
    json_set(a, meta, S("uid"), json_string(uid_of(pod)));
    return patch;
}
