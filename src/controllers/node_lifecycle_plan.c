/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_lifecycle_plan.h"

#define PARTIAL_PERCENT 55
#define LARGE_ZONE 50
#define NORMAL_NS (10 * NSEC_PER_SEC)
#define SLOW_NS (100 * NSEC_PER_SEC)

static const struct json *find_condition(const struct json *list, str type)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

static enum node_ready ready_in(const struct json *conditions)
{
    const struct json *c = find_condition(conditions, S("Ready"));
    str status = json_get_str(c, S("status"));
    if (!c)
        return NODE_READY_NONE;
    return str_is(status, "True") ? NODE_READY_TRUE : str_is(status, "False") ? NODE_READY_FALSE : NODE_READY_UNKNOWN;
}

enum node_ready node_ready_of(const struct json *node)
{
    return ready_in(json_path(node, "status", "conditions", NULL));
}

/* --- conditions ------------------------------------------------------------------------------------------------------------ */

static void set(struct arena *a, struct json *obj, const char *key, str value)
{
    json_set(a, obj, str_of(key), json_string(value));
}

/* All that an agent says becomes Unknown; true when something changed. */
static bool conditions_unknown(struct arena *a, const struct json *node, struct json *ret, str now)
{
    static const str types[] = {STR_INIT("Ready"), STR_INIT("MemoryPressure"), STR_INIT("DiskPressure"), STR_INIT("PIDPressure")};
    const struct json *have = json_path(node, "status", "conditions", NULL);
    bool changed = false;
    *ret = json_is(have, JSON_ARRAY) ? json_copy(a, have) : json_array();
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct json *c = (struct json *)find_condition(ret, types[i]), fresh = json_object();
        if (c && str_is(json_get_str(c, S("status")), "Unknown"))
            continue;
        changed = true;
        if (!c) {
            set(a, &fresh, "type", types[i]);
            set(a, &fresh, "lastHeartbeatTime", json_get_str(json_get(node, S("metadata")), S("creationTimestamp")));
            c = json_push(a, ret, fresh);
        }
        bool never = fresh.len > 0;
        set(a, c, "status", S("Unknown"));
        set(a, c, "reason", never ? S("NodeStatusNeverUpdated") : S("NodeStatusUnknown"));
        set(a, c, "message", never ? S("The node's agent never reported.") : S("The node's agent stopped reporting."));
        set(a, c, "lastTransitionTime", now);
    }
    return changed;
}

/* --- taints ------------------------------------------------------------------------------------------------------------------- */

struct wanted {
    const char *key, *effect;
    bool is;
};

static bool is_taint(const struct json *t, const char *key, const char *effect)
{
    return str_is(json_get_str(t, S("key")), key) && str_is(json_get_str(t, S("effect")), effect);
}

static bool has_taint(const struct json *list, const char *key, const char *effect)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (is_taint(&list->items[i], key, effect))
            return true;
    return false;
}

static bool condition_true(const struct json *conditions, const char *type)
{
    return str_is(json_get_str(find_condition(conditions, str_of(type)), S("status")), "True");
}

/* Taints that are ours and not wanted go, wanted ones come, NoExecute ones get the time that evictions count from. */
static bool taints_apply(struct arena *a, const struct json *have, const struct wanted *w, size_t n, struct json *ret, str now)
{
    bool changed = false;
    *ret = json_array();
    for (uint32_t i = 0; json_is(have, JSON_ARRAY) && i < have->len; i++) {
        struct json t = json_copy(a, &have->items[i]);
        bool keep = true;
        for (size_t k = 0; k < n; k++)
            keep &= w[k].is || !is_taint(&t, w[k].key, w[k].effect);
        changed |= !keep;
        if (!keep)
            continue;
        if (str_is(json_get_str(&t, S("effect")), "NoExecute") && !json_get_str(&t, S("timeAdded")).len) {
            set(a, &t, "timeAdded", now);
            changed = true;
        }
        json_push(a, ret, t);
    }
    for (size_t k = 0; k < n; k++) {
        if (!w[k].is || has_taint(ret, w[k].key, w[k].effect))
            continue;
        struct json t = json_object();
        set(a, &t, "key", str_of(w[k].key));
        set(a, &t, "effect", str_of(w[k].effect));
        set(a, &t, "timeAdded", now);
        json_push(a, ret, t);
        changed = true;
    }
    return changed;
}

struct node_plan node_plan_make(struct arena *a, const struct json *node, bool silent, enum node_drive drive, str now)
{
    struct node_plan p = {.conditions = json_null()};
    const struct json *conditions = json_path(node, "status", "conditions", NULL), *have = json_path(node, "spec", "taints", NULL);
    p.write_status = silent && conditions_unknown(a, node, &p.conditions, now);
    conditions = p.write_status ? &p.conditions : conditions;
    enum node_ready ready = ready_in(conditions);
    bool not_ready = ready == NODE_READY_FALSE, unreachable = ready == NODE_READY_UNKNOWN, out = not_ready || unreachable;
    bool driven = has_taint(have, NODE_TAINT_NOT_READY, "NoExecute") || has_taint(have, NODE_TAINT_UNREACHABLE, "NoExecute");
    /* a node that is driven out already changes the reason at once */
    bool drives = out && (drive == NODE_DRIVE_YES || (driven && drive == NODE_DRIVE_LATER));
    p.wants_drive = out && !drives;
    p.drives = drives && !driven;
    p.lost = out && !has_taint(have, NODE_TAINT_NOT_READY, "NoSchedule") && !has_taint(have, NODE_TAINT_UNREACHABLE, "NoSchedule");
    const struct wanted wanted[] = {
        {NODE_TAINT_NOT_READY, "NoSchedule", ready == NODE_READY_NONE ? has_taint(have, NODE_TAINT_NOT_READY, "NoSchedule") : not_ready},
        {NODE_TAINT_UNREACHABLE, "NoSchedule", unreachable},
        {"node.kubernetes.io/memory-pressure", "NoSchedule", condition_true(conditions, "MemoryPressure")},
        {"node.kubernetes.io/disk-pressure", "NoSchedule", condition_true(conditions, "DiskPressure")},
        {"node.kubernetes.io/pid-pressure", "NoSchedule", condition_true(conditions, "PIDPressure")},
        {"node.kubernetes.io/network-unavailable", "NoSchedule", condition_true(conditions, "NetworkUnavailable")},
        {"node.kubernetes.io/unschedulable", "NoSchedule", json_get_bool(json_get(node, S("spec")), S("unschedulable"), false)},
        {NODE_TAINT_NOT_READY, "NoExecute", drives && not_ready},
        {NODE_TAINT_UNREACHABLE, "NoExecute", drives && unreachable},
    };
    p.write_taints = taints_apply(a, have, wanted, ARRAY_LEN(wanted), &p.taints, now);
    return p;
}

/* --- zones --------------------------------------------------------------------------------------------------------------------- */

enum zone_state zone_state_of(const struct zone_count *z)
{
    size_t lost = z->total - z->ready;
    if (lost && !z->ready)
        return ZONE_FULL;
    return lost > 2 && lost * 100 >= z->total * PARTIAL_PERCENT ? ZONE_PARTIAL : ZONE_NORMAL;
}

nsec_t zone_interval(const struct zone_count *z, bool all_full)
{
    enum zone_state s = zone_state_of(z);
    if (all_full)
        return 0;
    if (s == ZONE_PARTIAL)
        return z->total > LARGE_ZONE ? SLOW_NS : 0;
    return NORMAL_NS;
}

str zone_key_of(struct arena *a, const struct json *node)
{
    const struct json *labels = json_path(node, "metadata", "labels", NULL);
    return arena_fmt(a, STR_FMT ":" STR_FMT, STR_ARG(json_get_str(labels, S("topology.kubernetes.io/region"))), STR_ARG(json_get_str(labels, S("topology.kubernetes.io/zone"))));
}
