/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_config.h"

#include "controllers/workload_testing.h"

static struct grouping_config read_config(struct arena *a, const char *rules, const char *schedulers)
{
    struct grouping_config c;
    struct json map = json_object(), *data = json_ensure_object(a, &map, S("data"));
    if (rules)
        json_set(a, data, S("rules.yaml"), json_string(str_of(rules)));
    if (schedulers)
        json_set(a, data, S("schedulerNames"), json_string(str_of(schedulers)));
    grouping_config_read(a, &map, &c);
    return c;
}

TEST(nothing_said)
{
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_config c;
    grouping_config_read(&a, NULL, &c);
    T_EQ_INT(c.rules.len + c.ncomplaints, 0);
    T_EQ_INT(c.nschedulers, 1);
    T_EQ_STR(c.schedulers[0], "kai-scheduler");
    c = read_config(&a, "", " , ");
    T_EQ_INT(c.rules.len + c.ncomplaints, 0);
    T_EQ_STR(c.schedulers[0], "kai-scheduler");
}

TEST(schedulers)
{
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_config c = read_config(&a, NULL, "one,\n two , Bad_Name");
    T_EQ_INT(c.nschedulers, 2);
    T_EQ_STR(c.schedulers[0], "one");
    T_EQ_STR(c.schedulers[1], "two");
    T_EQ_INT(c.ncomplaints, 1);
    T_OK(str_has_prefix(c.complaints[0], S("schedulerNames: \"Bad_Name\": ")));
    c = read_config(&a, NULL, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,aa,ab,ac,ad,ae,af,ag");
    T_EQ_INT(c.nschedulers, 32);
    T_EQ_INT(c.ncomplaints, 1);
}

TEST(switched_off)
{
    static const struct {
        const char *text;
        bool off, odd;
    } rows[] = {{"true", false, false}, {"false", true, false}, {"", false, false}, {"perhaps", false, true}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct grouping_config c;
        struct json map = tree(&a, arena_cstr(&a, arena_fmt(&a, "{'data':{'enabled':'%s'}}", rows[i].text)));
        grouping_config_read(&a, &map, &c);
        T_EQ_INT(c.off, rows[i].off);
        T_EQ_INT(c.ncomplaints, rows[i].odd);
    }
}

TEST(a_whole_rule)
{
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_config c = read_config(&a, "- apiVersion: example.com/*\n  kind: Trainer\n  minMember: [spec.min, spec.workers]\n  perLabel: example.com/replica\n  priorityClass: fast\n"
                                               "  subGroups:\n  - {name: chief}\n  - {name: hands, minMember: 4, podLabel: {key: role, value: hand}}\n"
                                               "- {apiVersion: v1, kind: ReplicationController, perPod: true}\n- {apiVersion: example.com/v1, kind: Folder, skip: true}\n", NULL);
    T_EQ_INT(c.ncomplaints, 0);
    T_EQ_INT(c.rules.len, 3);
    const struct grouping_rule *r = grouping_rule_find(&c.rules, S("example.com/v9"), S("Trainer"));
    T_OK(r == &c.rules.own[0]);
    T_EQ_STR(r->min.paths[1], "spec.workers");
    T_EQ_INT(r->by, GROUPING_BY_LABEL);
    T_EQ_STR(r->label, "example.com/replica");
    T_EQ_STR(r->priority, "fast");
    T_EQ_INT(r->nparts, 2);
    T_EQ_INT(r->parts[1].min.fixed, 4);
    T_EQ_STR(r->parts[1].value, "hand");
    T_EQ_INT(grouping_rule_find(&c.rules, S("v1"), S("ReplicationController"))->by, GROUPING_BY_POD);
    T_OK(grouping_rule_find(&c.rules, S("example.com/v1"), S("Folder"))->skip);
    T_OK(!grouping_rule_find(&c.rules, S("example.com/v2"), S("Folder"))->skip);
}

TEST(bad_rules_are_left_out)
{
    static const struct {
        const char *rule, *complaint;
    } rows[] = {
        {"{apiVersion: a/v1}", "rules.yaml[0]: kind is missing"},
        {"{kind: K}", "rules.yaml[0] (K): apiVersion is missing"},
        {"{apiVersion: a, kind: K}", "rules.yaml[0] (K): apiVersion \"a\" needs a version, as in example.com/v1 or example.com/*"},
        {"{apiVersion: 1, kind: K}", "rules.yaml[0] (K): apiVersion must be a text"},
        {"text", "rules.yaml[0]: must be an object"},
        {"{apiVersion: a/v1, kind: K, minMembers: 3}", "rules.yaml[0] (K): there is no field \"minMembers\""},
        {"{apiVersion: a/v1, kind: K, minMember: 0}", "rules.yaml[0] (K): minMember must be from 1 to 100000"},
        {"{apiVersion: a/v1, kind: K, minMember: 1.5}", "rules.yaml[0] (K): minMember must be from 1 to 100000"},
        {"{apiVersion: a/v1, kind: K, minMember: {}}", "rules.yaml[0] (K): minMember must be a number, a path, or a list of paths"},
        {"{apiVersion: a/v1, kind: K, minMember: [a, b, c, d]}", "rules.yaml[0] (K): minMember has 4 paths, at most 3 are looked at"},
        {"{apiVersion: a/v1, kind: K, perPod: maybe}", "rules.yaml[0] (K): perPod must be true or false"},
        {"{apiVersion: a/v1, kind: K, perPod: true, minMember: 2}", "rules.yaml[0] (K): with a group for each pod there is nothing to count, divide or label"},
        {"{apiVersion: a/v1, kind: K, skip: true, perPod: true}", "rules.yaml[0] (K): an owner that is skipped has no group, so nothing else can be said about it"},
        {"{apiVersion: a/v1, kind: K, subGroups: {}}", "rules.yaml[0] (K): subGroups must be a list of at most 64"},
        {"{apiVersion: a/v1, kind: K, subGroups: [a]}", "rules.yaml[0] (K): a sub-group must be an object"},
        {"{apiVersion: a/v1, kind: K, subGroups: [{name: a}, {name: a}]}", "rules.yaml[0] (K): two sub-groups are called \"a\""},
        {"{apiVersion: a/v1, kind: K, subGroups: [{name: a, podLabel: x}]}", "rules.yaml[0] (K): podLabel of sub-group \"a\" must have a key and a value"},
        {"{apiVersion: a/v1, kind: K, subGroups: [{name: a, podLabel: {value: x}}]}", "rules.yaml[0] (K): key is missing"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct grouping_config c = read_config(&a, arena_cstr(&a, arena_fmt(&a, "- %s\n- {apiVersion: good/v1, kind: Good}\n", rows[i].rule)), NULL);
        T_EQ_INT(c.ncomplaints, 1);
        T_EQ_STR(c.complaints[0], rows[i].complaint);
        T_EQ_INT(c.rules.len, 1);
        T_EQ_STR(c.rules.own[0].kind, "Good");
    }
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_config c = read_config(&a, "- {apiVersion: a/v1, kind: K, minMember: 'spec.list['}", NULL);
    T_OK(c.ncomplaints == 1 && str_has_prefix(c.complaints[0], S("rules.yaml[0] (K): minMember \"spec.list[\" is not a path: ")));
    c = read_config(&a, "a: b", NULL);
    T_EQ_STR(c.complaints[0], "rules.yaml must be a list of rules");
    c = read_config(&a, "- [", NULL);
    T_OK(c.ncomplaints == 1 && !c.rules.len);
}

TEST(very_many_rules)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    for (int i = 0; i < 300; i++)
        strbuf_addf(&b, "- {apiVersion: a/v1, kind: K%d}\n", i);
    struct grouping_config c = read_config(&a, strbuf_cstr(&b), NULL);
    T_EQ_INT(c.rules.len, 256);
    T_EQ_STR(c.complaints[0], "rules.yaml has 300 rules, only the first 256 count");
    strbuf_clear(&b);
    for (int i = 0; i < 200; i++)
        strbuf_add_str(&b, S("- nothing\n"));
    c = read_config(&a, strbuf_cstr(&b), NULL);
    T_EQ_INT(c.ncomplaints, 64);
}

TEST_MAIN(nothing_said, schedulers, switched_off, a_whole_rule, bad_rules_are_left_out, very_many_rules)
