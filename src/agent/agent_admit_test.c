/* The node's own checks, and what it keeps of pods: on an agent without a runtime, a server or a network. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"

#include "base/test.h"

/* Events go nowhere. */
static void no_call(struct client_transport *t UNUSED, struct client_call *c UNUSED)
{
}

struct world {
    struct client_transport transport;
    struct agent *g;
};

static void begin(struct world *w)
{
    struct err err = ERR_NONE;
    *w = (struct world){.transport.call = no_call};
    struct agent *g = w->g = xcalloc(1, sizeof *g);
    g->opts.node_name = "n";
    g->opts.dir = "/nowhere";
    g->opts.max_pods = 3;
    g->clock = &clock_real;
    g->loop = loop_new("agent", &clock_real, &err);
    g->transport = &w->transport;
    g->info.cpu_milli = 4000;
    g->info.memory_bytes = 1ll << 30;
    list_init(&g->pods);
    list_init(&g->call_list);
    g->events = events_new(&(struct events_opts){.transport = &w->transport, .loop = g->loop, .clock = g->clock, .component = "kubelet"});
}

static void end(struct world *w)
{
    struct agent *g = w->g;
    list_foreach_safe(p, &g->pods, struct agent_pod, link)
        agent_pod_free(p);
    events_free(g->events);
    map_fini(&g->by_uid);
    map_fini(&g->by_container);
    loop_free(g->loop);
    free(g);
}

/* ' for ". */
static str quoted(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return str_of(copy);
}

static struct agent_pod *put(struct world *w, const char *name, const char *spec, const char *status)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = arena_fmt(&a, "{'metadata':{'name':'%s','namespace':'ns','uid':'uid-%s'},'spec':%s,'status':%s}", name, name, spec, status);
    struct agent_pod *p = agent_put(w->g, quoted(&a, text.p), false);
    if (p)
        agent_admit(p);
    return p;
}

#define CPU(n) "{'containers':[{'name':'c','resources':{'requests':{'cpu':'" n "'}}}]}"
#define PORT(p) "{'containers':[{'name':'c','ports':[" p "]}]}"

TEST(requests_are_summed_as_the_scheduler_does)
{
    static const struct {
        const char *spec;
        int64_t milli;
    } rows[] = {
        {CPU("500m"), 500},
        {"{'containers':[{'name':'a','resources':{'limits':{'cpu':'2'}}},{'name':'b','resources':{'requests':{'cpu':'1'},'limits':{'cpu':'9'}}}]}", 3000},
        {"{'initContainers':[{'name':'i','resources':{'requests':{'cpu':'5'}}}],'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}", 5000},
        {"{'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'requests':{'cpu':'1'}}},{'name':'i','resources':{'requests':{'cpu':'5'}}}],'containers':[{'name':'c'}]}", 6000},
        {"{'initContainers':[{'name':'i','resources':{'requests':{'cpu':'5'}}},{'name':'s','restartPolicy':'Always','resources':{'requests':{'cpu':'1'}}}],'containers':[{'name':'c','resources':{'requests':{'cpu':'7'}}}]}",
         8000},
        {"{'overhead':{'cpu':'250m'},'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}", 1250},
        {"{'containers':[{'name':'c'}]}", 0},
        {"{'containers':[{'name':'c','resources':{'requests':{'cpu':'nonsense'}}}]}", 0},
        {"{}", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json pod;
        T_EQ_INT(json_parse(&a, quoted(&a, arena_fmt(&a, "{'spec':%s}", rows[i].spec).p), NULL, &pod, NULL), 0);
        T_EQ_INT(agent_pod_request(&pod, S("cpu")), rows[i].milli);
    }
}

TEST(sysctls_of_the_machine_are_refused_for_good)
{
    struct world w;
    begin(&w);
    struct agent_pod *a = put(&w, "a", "{'securityContext':{'sysctls':[{'name':'net.ipv4.tcp_syncookies','value':'1'}]},'containers':[{'name':'c'}]}", "{}");
    struct agent_pod *b = put(&w, "b", "{'securityContext':{'sysctls':[{'name':'kernel.msgmax','value':'1'}]},'containers':[{'name':'c'}]}", "{}");
    T_OK(a->checked && !a->seen.fail_reason.len);
    T_EQ_STR(b->seen.fail_reason, "SysctlForbidden");
    T_EQ_STR(b->seen.fail_message, "forbidden sysctl: \"kernel.msgmax\" not allowlisted");
    T_OK(b->seen.torn_down && !b->checked);
    end(&w);
}

TEST(isolation_that_is_not_there_is_refused)
{
    static const struct {
        const char *spec, *reason;
    } rows[] = {
        {"{'hostUsers':false,'containers':[{'name':'c'}]}", "UserNamespacesNotSupported"},
        {"{'hostUsers':true,'containers':[{'name':'c'}]}", ""},
        {"{'securityContext':{'appArmorProfile':{'type':'Localhost','localhostProfile':'x'}},'containers':[{'name':'c'}]}", "AppArmor"},
        {"{'containers':[{'name':'c'}],'initContainers':[{'name':'i','securityContext':{'appArmorProfile':{'type':'Localhost','localhostProfile':'x'}}}]}", "AppArmor"},
        {"{'containers':[{'name':'c','securityContext':{'appArmorProfile':{'type':'RuntimeDefault'}}}]}", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct world w;
        begin(&w);
        struct agent_pod *p = put(&w, "a", rows[i].spec, "{}");
        T_EQ_STR(p->seen.fail_reason, rows[i].reason);
        T_EQ_INT(p->checked, !rows[i].reason[0]);
        end(&w);
    }
}

TEST(storage_has_limits)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod;
    struct container_usage all[] = {{.name = S("a"), .disk_bytes = 1 << 20}, {.name = S("b"), .disk_bytes = 5 << 20}};
    T_EQ_INT(json_parse(&a, quoted(&a, "{'spec':{'containers':[{'name':'a','resources':{'limits':{'ephemeral-storage':'1Mi'}}},{'name':'b','resources':{'limits':{'ephemeral-storage':'6Mi'}}}]}}"), NULL, &pod, NULL), 0);
    T_EQ_STR(agent_storage_over(&a, &pod, all, 2, 7 << 20), "");
    T_EQ_STR(agent_storage_over(&a, &pod, all, 2, (7 << 20) + 1), "Pod ephemeral local storage usage exceeds the total limit of containers 7340032. ");
    all[0].disk_bytes++;
    T_EQ_STR(agent_storage_over(&a, &pod, all, 2, 1), "Container a exceeded its local ephemeral storage limit \"1Mi\". ");
    T_EQ_INT(json_parse(&a, quoted(&a, "{'spec':{'containers':[{'name':'a'},{'name':'b'}]}}"), NULL, &pod, NULL), 0);
    T_EQ_STR(agent_storage_over(&a, &pod, all, 2, 1ull << 40), "");
}

TEST(what_does_not_fit_ends)
{
    struct world w;
    begin(&w);
    struct agent_pod *a = put(&w, "a", CPU("3"), "{}"), *b = put(&w, "b", CPU("1500m"), "{}"), *c = put(&w, "c", CPU("1"), "{}");
    T_OK(a->checked && !a->seen.fail_reason.len);
    T_EQ_STR(b->seen.fail_reason, "OutOfcpu");
    T_EQ_STR(b->seen.fail_message, "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000");
    T_OK(b->seen.torn_down && !b->checked); /* nothing was made */
    T_OK(c->checked);                       /* one that was turned away holds nothing */
    struct agent_pod *d = put(&w, "d", "{'containers':[{'name':'c'}]}", "{}"), *e = put(&w, "e", "{'containers':[{'name':'c'}]}", "{}");
    T_OK(d->checked); /* asks for nothing */
    T_EQ_STR(e->seen.fail_reason, "OutOfpods");
    a->seen.torn_down = true; /* ended: its share is free */
    struct agent_pod *f = put(&w, "f", CPU("3"), "{}");
    T_OK(f->checked && !f->seen.fail_reason.len);
    f->has_ended = true; /* and already before it is torn down: the scheduler has given it away */
    T_OK(!agent_pod_holds(f));
    struct agent_pod *g = put(&w, "g", CPU("3"), "{}");
    T_OK(g->checked && !g->seen.fail_reason.len);
    end(&w);
}

TEST(what_ran_before_is_not_asked_again)
{
    struct world w;
    begin(&w);
    struct agent_pod *p = put(&w, "a", CPU("64"), "{'phase':'Running','containerStatuses':[{'name':'c','restartCount':2,'state':{'running':{'startedAt':'2026-01-01T00:00:00Z'}}}]}");
    T_OK(p->checked && !p->seen.fail_reason.len);
    /* its container is not here: it ended in a way that nobody saw, in a sandbox that is gone */
    struct agent_container *c = p->containers.p[0];
    T_EQ_INT(c->seen.phase, CONTAINER_PHASE_EXITED);
    T_EQ_INT(c->seen.starts, 3);
    T_EQ_INT(c->seen.end.exit_code, 137);
    T_OK(c->seen.is_stale);
    end(&w);
}

TEST(host_ports)
{
    static const struct {
        const char *first, *second;
        bool fits;
    } rows[] = {
        {"{'hostPort':80}", "{'hostPort':80}", false},
        {"{'hostPort':80}", "{'hostPort':80,'protocol':'TCP'}", false},
        {"{'hostPort':80}", "{'hostPort':80,'protocol':'UDP'}", true},
        {"{'hostPort':80}", "{'hostPort':81}", true},
        {"{'containerPort':80}", "{'containerPort':80}", true},
        {"{'hostPort':80,'hostIP':'10.0.0.1'}", "{'hostPort':80,'hostIP':'10.0.0.2'}", true},
        {"{'hostPort':80,'hostIP':'10.0.0.1'}", "{'hostPort':80,'hostIP':'10.0.0.1'}", false},
        {"{'hostPort':80,'hostIP':'10.0.0.1'}", "{'hostPort':80}", false},
        {"{'hostPort':80,'hostIP':'0.0.0.0'}", "{'hostPort':80,'hostIP':'10.0.0.1'}", false},
        {"{'containerPort':1},{'hostPort':80}", "{'hostPort':9},{'hostPort':80}", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct world w;
        begin(&w);
        put(&w, "a", arena_fmt(&a, PORT("%s"), rows[i].first).p, "{}");
        struct agent_pod *p = put(&w, "b", arena_fmt(&a, PORT("%s"), rows[i].second).p, "{}");
        if (rows[i].fits != (p->seen.fail_reason.len == 0))
            T_FAIL_("row %zu", i);
        if (!rows[i].fits)
            T_EQ_STR(p->seen.fail_reason, "NodePorts");
        end(&w);
    }
}

TEST(names_become_no_paths)
{
    struct world w;
    begin(&w);
    static const char *const bad[] = {"", "../x", "a/b", ".", "..", ".hidden", "a b", "a\\nb"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_OK(put(&w, bad[i], "{'containers':[{'name':'c'}]}", "{}") == NULL);
    static const char *const good[] = {"a", "web-7d9c.x_1"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        T_OK(agent_is_name(str_of(good[i])));
    T_EQ_INT(w.g->by_uid.len, 0);
    end(&w);
}

TEST(a_pod_that_ended_elsewhere_is_not_run)
{
    struct world w;
    begin(&w);
    struct agent_pod *p = put(&w, "a", CPU("64"), "{'phase':'Succeeded'}");
    T_OK(p->checked && p->seen.torn_down && !p->seen.fail_reason.len);
    end(&w);
}

TEST(newer_versions_replace_older_ones)
{
    struct world w;
    begin(&w);
    struct agent_pod *p = put(&w, "a", "{'containers':[{'name':'c','image':'one'}]}", "{}");
    T_EQ_INT(p->containers.len, 1);
    struct agent_pod *again = put(&w, "a", "{'containers':[{'name':'c','image':'two'}],'ephemeralContainers':[{'name':'debug'}]}", "{}");
    T_OK(p == again);
    T_EQ_INT(p->containers.len, 2);
    T_EQ_STR(p->containers.p[1]->name, "debug");
    T_EQ_STR(json_get_str(pod_container_spec(&p->tree, S("c")), S("image")), "two");
    T_OK(agent_find_name(w.g, S("ns"), S("a")) == p && agent_find_name(w.g, S("other"), S("a")) == NULL);
    end(&w);
}

/* What stands in --runtime and --eviction-hard. */
TEST(options_are_checked)
{
    static const struct {
        const char *runtime, *hard, *want; /* want NULL: fine */
    } rows[] = {
        {NULL, NULL, NULL},
        {"process", AGENT_EVICTION_HARD, NULL},
        {"cri", "", NULL},
        {"oci", " memory.available < 1Gi , pid.available<0%", NULL},
        {"nonsense", NULL, "there is no runtime \"nonsense\": process, oci and cri are known"},
        {NULL, "foo<bar", "there is no signal \"foo\": memory.available, nodefs.available, nodefs.inodesFree and pid.available are known"},
        {NULL, "memory.available<bar", "the threshold \"bar\" of memory.available is neither an amount nor a percentage"},
        {NULL, "memory.available<", "the threshold \"\" of memory.available is neither an amount nor a percentage"},
        {NULL, "nodefs.available<101%", "the threshold \"101%\" of nodefs.available is neither an amount nor a percentage"},
        {NULL, "memory.available<-1", "the threshold \"-1\" of memory.available is neither an amount nor a percentage"},
        {NULL, "memory.available<1Gi,", "\"\" is no threshold: one is like memory.available<100Mi or nodefs.available<10%"},
        {NULL, "memory.available", "\"memory.available\" is no threshold: one is like memory.available<100Mi or nodefs.available<10%"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_NONE;
        int r = agent_opts_check(&(struct agent_opts){.runtime = rows[i].runtime, .eviction_hard = rows[i].hard}, &err);
        T_EQ_INT(r, rows[i].want ? -E_INVALID_ARG : 0);
        T_EQ_STR(str_of(rows[i].want ? err.msg : ""), rows[i].want ? rows[i].want : "");
    }
}

TEST_MAIN(options_are_checked, requests_are_summed_as_the_scheduler_does, sysctls_of_the_machine_are_refused_for_good, isolation_that_is_not_there_is_refused, storage_has_limits, what_does_not_fit_ends, what_ran_before_is_not_asked_again, host_ports, names_become_no_paths, a_pod_that_ended_elsewhere_is_not_run,
          newer_versions_replace_older_ones)
