/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/simulate.h"

#include "base/limits.h"
#include "sched/engine/object.h"
#include "sched/engine/statement.h"
#include "sched/policy/object_queue.h"
#include "sched/policy/policy_state.h"

#define OWN_NAME "~simulate" /* no object of the API is called so */

struct asker {
    struct policy *p;
    struct sched *s;
    struct arena *a;
    str queue, ns;
    nsec_t now;
    const struct simulate_dress *dress;
    bool is_group, has_priority;
    int32_t min_member, priority;
    VEC(str) names; /* pods that were put */
    uint32_t npods; /* that are asked about */
    unit_id unit;
};

/* --- the unit ------------------------------------------------------------------------------------------------------------------------------- */

static int put_pod(struct asker *x, const struct json *manifest, struct err *err)
{
    struct json obj = json_copy(x->a, manifest);
    struct pod_spec spec;
    bool gone = false;
    pod_id id;
    str name = arena_fmt(x->a, OWN_NAME "-%zu", x->names.len);
    struct json *meta = json_ensure_object(x->a, &obj, S("metadata"));
    json_set(x->a, meta, S("name"), json_string(name));
    json_set(x->a, meta, S("namespace"), json_string(x->ns));
    json_del(meta, S("deletionTimestamp"));
    json_del(&obj, S("status"));
    json_del(json_get(&obj, S("spec")), S("nodeName"));
    int r = object_pod(x->s, x->a, &obj, &spec, &gone, err);
    if (r < 0)
        return r;
    spec.uid = name;
    spec.queue = x->queue;
    spec.group = x->is_group ? S(OWN_NAME) : S("");
    if (spec.group_is_cluster) /* its group is the question's now, and the party no part of that */
        spec.subgroup = S("");
    spec.group_is_cluster = false;
    if (x->has_priority)
        spec.priority = x->priority;
    spec.created_ns = x->now;
    spec.node = spec.nominated = S("");
    if (x->p->opts.has_pool) {
        spec.in_pool = true;
        spec.pool = spec.place_pool = symbol_text(&x->s->sym, x->p->opts.pool);
    }
    if (x->dress)
        x->dress->dress(x->dress->arg, &spec);
    r = sched_pod_put(x->s, &spec, &id, err);
    if (r < 0)
        return r;
    vec_push(&x->names, name);
    x->unit = sched_unit_of(x->s, id);
    return 0;
}

static int put_group(struct asker *x, const struct json *manifest, struct err *err)
{
    struct group_spec g = {0};
    int r = 0;
    if (manifest) {
        struct json obj = json_copy(x->a, manifest);
        if (!json_get(&obj, S("apiVersion")))
            json_set(x->a, &obj, S("apiVersion"), json_string(S("scheduling.run.ai/v2alpha2")));
        struct json *meta = json_ensure_object(x->a, &obj, S("metadata"));
        json_set(x->a, meta, S("name"), json_string(S(OWN_NAME)));
        r = object_group(x->s, x->a, &obj, &g, err);
        if (r < 0)
            return err_wrap(err, "podGroup: ");
        if (x->min_member)
            g.min_member = x->min_member;
    } else {
        g.min_member = x->min_member ? x->min_member : (int32_t)x->npods;
    }
    g.ns = x->ns;
    g.name = S(OWN_NAME);
    g.queue = x->queue;
    if (x->p->opts.has_pool)
        g.pool = symbol_text(&x->s->sym, x->p->opts.pool);
    g.created_ns = x->now;
    g.has_priority = x->has_priority;
    g.priority = x->priority;
    x->min_member = g.min_member;
    if ((uint32_t)MAX(g.min_member, 0) > x->npods)
        return err_set(err, E_INVALID_ARG, "minMember: %d pods have to start together, but %u are asked about", g.min_member, x->npods);
    return sched_group_put(x->s, &g, NULL, err);
}

static void take_away(struct asker *x)
{
    for (size_t i = 0; i < x->names.len; i++)
        sched_pod_delete(x->s, x->ns, x->names.p[i]);
    if (x->is_group)
        sched_group_delete(x->s, x->ns, S(OWN_NAME));
    vec_fini(&x->names);
}

/* --- the question ----------------------------------------------------------------------------------------------------------------------------- */

static int replicas_of(const struct json *t, uint32_t i, int64_t *ret, struct err *err)
{
    const struct json *n = json_get(t, S("replicas"));
    if (!json_is(t, JSON_OBJECT) || !json_is(json_path(t, "template", "spec", NULL), JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, "templates[%u].template.spec: is missing; it is the spec of a pod", i);
    *ret = 1;
    if (n && (!json_to_i64(n, ret) || *ret < 1 || *ret > LIMIT_SIMULATE_PODS))
        return err_set(err, E_INVALID_ARG, "templates[%u].replicas: must be a whole number from 1 to %u", i, LIMIT_SIMULATE_PODS);
    return 0;
}

static int read_question(struct asker *x, const struct json *q, struct err *err)
{
    static const char *const members[] = {"podGroup", "pods", "templates", "minMember", "namespace", "kind", "apiVersion"};
    const struct json *pods = json_get(q, S("pods")), *templates = json_get(q, S("templates")), *min = json_get(q, S("minMember")), *group = json_get(q, S("podGroup"));
    int64_t n = 0;
    if (!json_is(q, JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, "the body must be an object such as {\"pods\": [...]} or {\"templates\": [{\"replicas\": 4, \"template\": {...}}]}");
    for (uint32_t i = 0; i < q->len; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(members) && !str_is(q->members[i].key, members[k]))
            k++;
        if (k == ARRAY_LEN(members))
            return err_set(err, E_INVALID_ARG, STR_FMT ": is not known; podGroup, pods, templates, minMember and namespace are", STR_ARG(str_sub(q->members[i].key, 0, 60)));
    }
    if ((pods && !json_is(pods, JSON_ARRAY)) || (templates && !json_is(templates, JSON_ARRAY)))
        return err_set(err, E_INVALID_ARG, "pods and templates must be lists");
    if (group && !json_is(group, JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, "podGroup: must be the manifest of a PodGroup");
    uint64_t all = pods ? pods->len : 0;
    for (uint32_t i = 0; pods && i < pods->len; i++)
        if (!json_is(json_get(&pods->items[i], S("spec")), JSON_OBJECT))
            return err_set(err, E_INVALID_ARG, "pods[%u].spec: is missing", i);
    for (uint32_t i = 0; templates && i < templates->len; i++) {
        int r = replicas_of(&templates->items[i], i, &n, err);
        if (r < 0)
            return r;
        all += (uint64_t)n;
    }
    if (all == 0 || all > LIMIT_SIMULATE_PODS)
        return err_set(err, E_INVALID_ARG, "%llu pods are asked about; it must be from 1 to %u", (unsigned long long)all, LIMIT_SIMULATE_PODS);
    if (min && (!json_to_i64(min, &n) || n < 1 || n > (int64_t)all))
        return err_set(err, E_INVALID_ARG, "minMember: must be a whole number from 1 to the number of pods, %llu", (unsigned long long)all);
    x->npods = (uint32_t)all;
    x->min_member = min ? (int32_t)n : 0;
    x->is_group = all > 1 || group || min;
    x->ns = json_get_str(q, S("namespace"));
    if (!x->ns.len && group)
        x->ns = json_str(json_path(group, "metadata", "namespace", NULL));
    if (!x->ns.len && pods && pods->len)
        x->ns = json_str(json_path(&pods->items[0], "metadata", "namespace", NULL));
    if (!x->ns.len)
        x->ns = S("default");
    return 0;
}

/* As grouping would choose it: the group's class, the label or class of the first pod, or "train"; a number in the pod goes before that. */
static int read_priority(struct asker *x, const struct json *q, struct err *err)
{
    const struct json *pods = json_get(q, S("pods")), *templates = json_get(q, S("templates"));
    const struct json *first = pods && pods->len ? &pods->items[0] : json_get(&templates->items[0], S("template"));
    const str names[] = {json_str(json_path(q, "podGroup", "spec", "priorityClassName", NULL)), json_str(json_path(first, "metadata", "labels", "priorityClassName", NULL)),
                         json_str(json_path(first, "spec", "priorityClassName", NULL)), S("train")};
    size_t i = 0;
    while (!names[i].len)
        i++;
    if (i > 0 && json_path(first, "spec", "priority", NULL))
        return 0;
    const struct priority_class *c = sched_priority_class_find(x->s, names[i]);
    if (!c && i + 1 < ARRAY_LEN(names))
        return err_set(err, E_INVALID_ARG, "there is no priority class \"" STR_FMT "\"", STR_ARG(names[i]));
    x->has_priority = c != NULL;
    x->priority = c ? c->value : 0;
    return 0;
}

static int put_unit(struct asker *x, const struct json *q, struct err *err)
{
    const struct json *pods = json_get(q, S("pods")), *templates = json_get(q, S("templates"));
    int r = x->is_group ? put_group(x, json_get(q, S("podGroup")), err) : 0;
    for (uint32_t i = 0; r >= 0 && pods && i < pods->len; i++) {
        r = put_pod(x, &pods->items[i], err);
        if (r < 0)
            return err_wrap(err, "pods[%u]: ", i);
    }
    for (uint32_t i = 0; r >= 0 && templates && i < templates->len; i++) {
        int64_t n = 1;
        r = replicas_of(&templates->items[i], i, &n, err);
        for (int64_t k = 0; r >= 0 && k < n; k++)
            r = put_pod(x, json_get(&templates->items[i], S("template")), err);
        if (r < 0)
            return err_wrap(err, "templates[%u]: ", i);
    }
    return r;
}

/* --- the answer ---------------------------------------------------------------------------------------------------------------------------------- */

static const char *const starts[] = {[POLICY_STARTS_NOW] = "Now", [POLICY_STARTS_AFTER_EVICTION] = "AfterEviction", [POLICY_STARTS_LATER] = "Waits", [POLICY_STARTS_NEVER] = "Never"};
static const char *const actions[POLICY_ACTIONS] = {[POLICY_CONSOLIDATE] = "consolidation", [POLICY_RECLAIM] = "reclaim", [POLICY_PREEMPT] = "preemption"};

static struct json nodes_json(struct asker *x, const struct policy_trial *t)
{
    struct json list = json_array();
    for (size_t i = 0; i < t->placements.len; i++) {
        str name = sched_node_name(x->s, t->placements.p[i].node);
        struct json *at = NULL;
        for (uint32_t k = 0; k < list.len && !at; k++)
            at = str_eq(json_get_str(&list.items[k], S("name")), name) ? &list.items[k] : NULL;
        if (!at) {
            at = json_push(x->a, &list, json_object());
            json_set(x->a, at, S("name"), json_string(arena_str(x->a, name)));
        }
        json_set(x->a, at, S("pods"), json_int(x->a, json_get_int(at, S("pods"), 0) + 1));
    }
    return list;
}

static struct json victims_json(struct asker *x, const struct policy_trial *t)
{
    struct json list = json_array();
    for (size_t i = 0; i < t->victims.len && i < SIMULATE_VICTIMS; i++) {
        pod_id id = t->victims.p[i];
        const struct unit *u = &x->s->units[x->s->pods[id].unit];
        struct json *one = json_push(x->a, &list, json_object());
        json_set(x->a, one, S("namespace"), json_string(arena_str(x->a, sched_pod_ns(x->s, id))));
        json_set(x->a, one, S("name"), json_string(arena_str(x->a, sched_pod_name(x->s, id))));
        json_set(x->a, one, S("queue"), json_string(arena_str(x->a, symbol_text(&x->s->sym, u->queue))));
        json_set(x->a, one, S("node"), json_string(arena_str(x->a, sched_node_name(x->s, x->s->pods[id].node))));
        json_set(x->a, one, S("priority"), json_int(x->a, u->priority));
        if (u->is_group)
            json_set(x->a, one, S("podGroup"), json_string(arena_str(x->a, symbol_text(&x->s->sym, u->name))));
    }
    return list;
}

/* Pods have names of ours in the engine: "default/~simulate-3" is told as "pod 3". */
static void add_told(struct asker *x, struct strbuf *b, str text)
{
    str own = arena_fmt(x->a, STR_FMT "/" OWN_NAME "-", STR_ARG(x->ns));
    for (ptrdiff_t at; (at = str_find(text, own)) >= 0; text = str_sub(text, (size_t)at + own.len, text.len)) {
        strbuf_add_str(b, str_sub(text, 0, (size_t)at));
        strbuf_add_str(b, S("pod "));
    }
    strbuf_add_str(b, text);
}

static str reason_of(struct asker *x, const struct policy_trial *t, uint32_t nodes)
{
    struct strbuf b = strbuf_on(x->a);
    size_t pods = t->placements.len, victims = t->victims.len;
    switch (t->start) {
    case POLICY_STARTS_NOW:
        strbuf_addf(&b, "there is room for %zu %s on %u %s", pods, pods == 1 ? "pod" : "pods", nodes, nodes == 1 ? "node" : "nodes");
        break;
    case POLICY_STARTS_AFTER_EVICTION:
        if (t->action == POLICY_ALLOCATE)
            strbuf_add_str(&b, S("there is room when the pods have gone that are leaving"));
        else
            strbuf_addf(&b, "%zu %s would have to give way (%s) for %zu %s on %u %s", victims, victims == 1 ? "pod" : "pods", actions[t->action], pods, pods == 1 ? "pod" : "pods", nodes,
                        nodes == 1 ? "node" : "nodes");
        break;
    case POLICY_STARTS_LATER:
    case POLICY_STARTS_NEVER:
        add_told(x, &b, policy_sentence(x->p, x->a, x->unit, &t->why));
        if (t->start == POLICY_STARTS_NEVER && t->why.verdict == POLICY_NO_FIT)
            strbuf_add_str(&b, S("; it would not fit if it were alone in the cluster either"));
        if (!t->proven)
            strbuf_add_str(&b, S("; whether it would fit alone in the cluster was not looked at, there are too many pods"));
        break;
    }
    return strbuf_str(&b);
}

static void answer(struct asker *x, const struct policy_trial *t, struct json *ret)
{
    struct arena *a = x->a;
    struct json nodes = nodes_json(x, t);
    *ret = json_object();
    json_set(a, ret, S("apiVersion"), json_string(S("scheduling.run.ai/v2")));
    json_set(a, ret, S("kind"), json_string(S("QueueSimulation")));
    json_set(a, ret, S("queue"), json_string(arena_str(a, x->queue)));
    json_set(a, ret, S("starts"), json_string(str_of(starts[t->start])));
    json_set(a, ret, S("reason"), json_string(reason_of(x, t, nodes.len)));
    if (t->start == POLICY_STARTS_AFTER_EVICTION && actions[t->action])
        json_set(a, ret, S("action"), json_string(str_of(actions[t->action])));
    json_set(a, ret, S("nodes"), nodes);
    json_set(a, ret, S("victims"), victims_json(x, t));
    if (t->victims.len > SIMULATE_VICTIMS)
        json_set(a, ret, S("victimsLeftOff"), json_int(a, (int64_t)(t->victims.len - SIMULATE_VICTIMS)));
    if (t->why.position)
        json_set(a, ret, S("position"), json_int(a, t->why.position));
    json_set(a, ret, S("pods"), json_int(a, x->npods));
    json_set(a, ret, S("minMember"), json_int(a, x->is_group ? x->min_member : 1));
    json_set(a, ret, S("asks"), queue_amounts(x->a, x->s, policy_queues(x->p), &t->why.ask));
    json_set(a, ret, S("allocated"), queue_amounts(x->a, x->s, policy_queues(x->p), &t->why.allocated));
    json_set(a, ret, S("fairShare"), queue_amounts(x->a, x->s, policy_queues(x->p), &t->why.fair));
}

int simulate_ask(struct policy *p, struct arena *a, str queue, const struct json *question, nsec_t now, const struct simulate_dress *dress, struct json *ret, struct err *err)
{
    struct asker x = {.p = p, .s = p->s, .a = a, .queue = queue, .now = now, .dress = dress};
    int r = read_question(&x, question, err);
    if (r >= 0)
        r = read_priority(&x, question, err);
    if (r < 0)
        return r;
    uint64_t events = sched_take_events(x.s);
    r = put_unit(&x, question, err);
    if (r >= 0) {
        struct policy_trial t = POLICY_TRIAL_INIT;
        policy_try(p, x.unit, now, &t);
        answer(&x, &t, ret);
        policy_trial_fini(&t);
    }
    take_away(&x);
    sched_take_events(x.s); /* of pods that never were */
    statement_event(x.s, events);
    return r < 0 ? -E_INVALID_ARG : 0;
}
