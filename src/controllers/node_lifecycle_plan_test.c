/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_lifecycle_plan.h"

#include "base/civil.h"
#include "base/test.h"
#include "controllers/node_match.h"

#define NOW "2026-01-02T03:04:05Z"

static struct json parse(struct arena *a, const char *text)
{
    char *copy = arena_alloc(a, strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    return json_literal(a, copy);
}

/* "key:effect" of all taints, in order, shortened. */
static str taints_text(struct arena *a, const struct json *list)
{
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str key = json_get_str(&list->items[i], S("key")), effect = json_get_str(&list->items[i], S("effect"));
        if (str_has_prefix(key, S("node.kubernetes.io/")))
            key = str_from(key, 19);
        strbuf_addf(&b, "%s" STR_FMT ":" STR_FMT, i ? " " : "", STR_ARG(key), STR_ARG(effect));
    }
    return strbuf_str(&b);
}

#define NODE(taints, spec, conditions) "{'metadata':{'name':'n','creationTimestamp':'2026-01-01T00:00:00Z'},'spec':{'taints':[" taints "]" spec "},'status':{'conditions':[" conditions "]}}"
#define READY(status) "{'type':'Ready','status':'" status "','lastTransitionTime':'x'}"
#define TAINT(key, effect) "{'key':'node.kubernetes.io/" key "','effect':'" effect "','timeAdded':'2026-01-01T00:00:00Z'}"

TEST(taints_follow_conditions)
{
    static const struct {
        const char *node;
        bool silent;
        enum node_drive drive;
        const char *taints; /* NULL: nothing is written */
        bool status, wants, drives;
    } cases[] = {
        /* a new node, before and after its first word */
        {NODE(TAINT("not-ready", "NoSchedule"), "", ""), false, NODE_DRIVE_YES, NULL, false, false, false},
        {NODE("", "", ""), false, NODE_DRIVE_YES, NULL, false, false, false},
        {NODE(TAINT("not-ready", "NoSchedule"), "", READY("True")), false, NODE_DRIVE_YES, "", false, false, false},
        {NODE("", "", READY("True")), false, NODE_DRIVE_YES, NULL, false, false, false},
        /* not ready, with and without leave */
        {NODE("", "", READY("False")), false, NODE_DRIVE_YES, "not-ready:NoSchedule not-ready:NoExecute", false, false, true},
        {NODE("", "", READY("False")), false, NODE_DRIVE_LATER, "not-ready:NoSchedule", false, true, false},
        {NODE("", "", READY("False")), false, NODE_DRIVE_NEVER, "not-ready:NoSchedule", false, true, false},
        {NODE(TAINT("not-ready", "NoSchedule") "," TAINT("not-ready", "NoExecute"), "", READY("False")), false, NODE_DRIVE_LATER, NULL, false, false, false},
        {NODE(TAINT("not-ready", "NoSchedule") "," TAINT("not-ready", "NoExecute"), "", READY("False")), false, NODE_DRIVE_NEVER, "not-ready:NoSchedule", false, true, false},
        {NODE(TAINT("not-ready", "NoSchedule") "," TAINT("not-ready", "NoExecute"), "", READY("True")), false, NODE_DRIVE_YES, "", false, false, false},
        /* silent */
        {NODE("", "", READY("True")), true, NODE_DRIVE_YES, "unreachable:NoSchedule unreachable:NoExecute", true, false, true},
        {NODE("", "", READY("True")), true, NODE_DRIVE_NEVER, "unreachable:NoSchedule", true, true, false},
        {NODE(TAINT("not-ready", "NoSchedule") "," TAINT("not-ready", "NoExecute"), "", READY("False")), true, NODE_DRIVE_LATER, "unreachable:NoSchedule unreachable:NoExecute", true, false, false},
        {NODE(TAINT("unreachable", "NoSchedule") "," TAINT("unreachable", "NoExecute"), "", READY("Unknown")), false, NODE_DRIVE_LATER, NULL, false, false, false},
        /* the others, and what is somebody else's */
        {NODE("", "", READY("True") ",{'type':'MemoryPressure','status':'True'},{'type':'DiskPressure','status':'False'}"), false, NODE_DRIVE_YES, "memory-pressure:NoSchedule", false, false, false},
        {NODE("", "", READY("True") ",{'type':'DiskPressure','status':'True'},{'type':'PIDPressure','status':'True'}"), false, NODE_DRIVE_YES, "disk-pressure:NoSchedule pid-pressure:NoSchedule", false,
         false, false},
        {NODE("{'key':'own','effect':'NoSchedule'}," TAINT("disk-pressure", "NoSchedule"), "", READY("True")), false, NODE_DRIVE_YES, "own:NoSchedule", false, false, false},
        {NODE("", ",'unschedulable':true", READY("True")), false, NODE_DRIVE_YES, "unschedulable:NoSchedule", false, false, false},
        {NODE(TAINT("unschedulable", "NoSchedule"), "", READY("True")), false, NODE_DRIVE_YES, "", false, false, false},
        {NODE("{'key':'own','effect':'NoExecute'}", "", READY("True")), false, NODE_DRIVE_YES, "own:NoExecute", false, false, false}, /* gets its time */
        {NODE("{'key':'own','effect':'NoExecute','timeAdded':'2026-01-01T00:00:00Z'}", "", READY("True")), false, NODE_DRIVE_YES, NULL, false, false, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json node = parse(&a, cases[i].node);
        struct node_plan p = node_plan_make(&a, &node, cases[i].silent, cases[i].drive, S(NOW));
        str have = p.write_taints ? taints_text(&a, &p.taints) : S("(nothing)");
        if (!str_is(have, cases[i].taints ? cases[i].taints : "(nothing)") || p.write_status != cases[i].status || p.wants_drive != cases[i].wants || p.drives != cases[i].drives)
            T_FAIL_("case %zu: taints '" STR_FMT "', status %d, wants %d, drives %d", i, STR_ARG(have), p.write_status, p.wants_drive, p.drives);
    }
}

TEST(a_silent_node_is_unknown)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json node = parse(&a, NODE("", "", READY("True") ",{'type':'MemoryPressure','status':'False'},{'type':'Own','status':'True'}"));
    struct node_plan p = node_plan_make(&a, &node, true, NODE_DRIVE_YES, S(NOW));
    T_EQ_INT(p.conditions.len, 5);
    T_EQ_STR(json_get_str(&p.conditions.items[0], S("status")), "Unknown");
    T_EQ_STR(json_get_str(&p.conditions.items[0], S("reason")), "NodeStatusUnknown");
    T_EQ_STR(json_get_str(&p.conditions.items[0], S("lastTransitionTime")), NOW);
    T_EQ_STR(json_get_str(&p.conditions.items[2], S("status")), "True"); /* not the agent's */
    T_EQ_STR(json_get_str(&p.conditions.items[3], S("reason")), "NodeStatusNeverUpdated");
    T_EQ_STR(json_get_str(&p.conditions.items[3], S("lastHeartbeatTime")), "2026-01-01T00:00:00Z");
    T_EQ_INT(node_ready_of(&node), NODE_READY_TRUE); /* what was read stays */
}

TEST(zones_slow_down_and_stop)
{
    static const struct {
        struct zone_count z;
        bool all_full;
        enum zone_state state;
        int64_t seconds;
    } cases[] = {
        {{10, 10}, false, ZONE_NORMAL, 10}, {{10, 9}, false, ZONE_NORMAL, 10},      {{10, 5}, false, ZONE_NORMAL, 10},  {{10, 4}, false, ZONE_PARTIAL, 0},
        {{3, 1}, false, ZONE_NORMAL, 10},   {{100, 45}, false, ZONE_PARTIAL, 100},  {{100, 46}, false, ZONE_NORMAL, 10}, {{2, 1}, false, ZONE_NORMAL, 10},
        {{10, 0}, false, ZONE_FULL, 10},    {{10, 0}, true, ZONE_FULL, 0},          {{1, 0}, true, ZONE_FULL, 0},        {{20000, 19000}, false, ZONE_NORMAL, 10},
        {{20000, 1000}, false, ZONE_PARTIAL, 100},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (zone_state_of(&cases[i].z) != cases[i].state || zone_interval(&cases[i].z, cases[i].all_full) != cases[i].seconds * NSEC_PER_SEC)
            T_FAIL_("case %zu: state %d, %lld s", i, zone_state_of(&cases[i].z), (long long)(zone_interval(&cases[i].z, cases[i].all_full) / NSEC_PER_SEC));
}

TEST(when_pods_have_to_go)
{
    static const struct {
        const char *tolerations, *taints;
        int64_t at; /* seconds after NOW; -1 never, 0 now */
    } cases[] = {
        {"[]", "[]", -1},
        {"[]", "[{'key':'a','effect':'NoSchedule'}]", -1},
        {"[]", "[{'key':'a','effect':'NoExecute'}]", 0},
        {"[{'key':'a','operator':'Exists'}]", "[{'key':'a','effect':'NoExecute'}]", -1},
        {"[{'key':'a','operator':'Exists','effect':'NoSchedule'}]", "[{'key':'a','effect':'NoExecute'}]", 0},
        {"[{'operator':'Exists'}]", "[{'key':'a','effect':'NoExecute'},{'key':'b','effect':'NoExecute'}]", -1},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300}]", "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T03:04:05Z'}]", 300},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300}]", "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T03:02:05Z'}]", 180},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300}]", "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T02:02:05Z'}]", 0},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300}]", "[{'key':'a','effect':'NoExecute'}]", 300},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':0}]", "[{'key':'a','effect':'NoExecute'}]", 0},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':-5}]", "[{'key':'a','effect':'NoExecute'}]", 0},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300},{'key':'a','operator':'Exists'}]", "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T03:04:05Z'}]", 300},
        {"[{'key':'a','operator':'Exists','tolerationSeconds':300},{'key':'b','operator':'Exists','tolerationSeconds':20}]",
         "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T03:04:05Z'},{'key':'b','effect':'NoExecute','timeAdded':'2026-01-02T03:04:05Z'}]", 20},
        {"[{'key':'a','value':'x','tolerationSeconds':300}]", "[{'key':'a','value':'y','effect':'NoExecute'}]", 0},
        {"[{'operator':'Exists','tolerationSeconds':9223372036854775807}]", "[{'key':'a','effect':'NoExecute','timeAdded':'2026-01-02T03:04:05Z'}]", 3155760000},
    };
    nsec_t now;
    civil_parse(S(NOW), &now);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json tolerations = parse(&a, cases[i].tolerations), taints = parse(&a, cases[i].taints);
        nsec_t at = node_evict_at(&tolerations, &taints, now), want = cases[i].at <= 0 ? cases[i].at : now + cases[i].at * NSEC_PER_SEC;
        if (at != want)
            T_FAIL_("case %zu: %lld instead of %lld", i, (long long)at, (long long)want);
    }
}

TEST_MAIN(taints_follow_conditions, a_silent_node_is_unknown, zones_slow_down_and_stop, when_pods_have_to_go)
