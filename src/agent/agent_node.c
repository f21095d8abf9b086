/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_node.h"

#include "agent/agent_node_status.h"
#include "agent/agent_nodes.h"
#include "base/civil.h"
#include "base/log.h"
#include "client/client.h"

#define LEASE_NS (40 * NSEC_PER_SEC)
#define REGISTER_RETRY_NS NSEC_PER_SEC
#define CERT_PATIENCE_NS (10 * NSEC_PER_SEC) /* elsewhere a person may have to approve it: then the node is Ready without */

str agent_node_path(const struct agent *g, struct arena *a, const char *more)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("/api/v1/nodes"));
    client_path_add(&b, str_of(g->opts.node_name));
    strbuf_add_str(&b, str_of(more));
    return strbuf_str(&b);
}

/* --- registration ------------------------------------------------------------------------------------------------------------------ */
static void add_pairs(struct arena *a, struct json *o, const char *const *pairs)
{
    for (const char *const *p = pairs; p && *p; p++) {
        str text = str_of(*p), key;
        str_cut(&text, '=', &key);
        json_set(a, o, key, json_string(text));
    }
}

static struct json labels_of(struct agent *g, struct arena *a)
{
    const struct node_info *i = &g->info;
    struct json l = json_object();
    json_set(a, &l, S("kubernetes.io/hostname"), json_string(str_of(g->opts.node_name)));
    json_set(a, &l, S("kubernetes.io/os"), json_string(S("linux")));
    json_set(a, &l, S("kubernetes.io/arch"), json_string(i->architecture));
    json_set(a, &l, S("beta.kubernetes.io/os"), json_string(S("linux")));
    json_set(a, &l, S("beta.kubernetes.io/arch"), json_string(i->architecture));
    if (i->ngpus) {
        char *product = str_dup(i->gpus[0].product); /* a label has no blanks */
        for (char *c = product; *c; c++)
            *c = *c == ' ' ? '-' : *c;
        json_set(a, &l, S("nvidia.com/gpu.product"), json_string(arena_str(a, str_of(product))));
        free(product);
        json_set(a, &l, S("nvidia.com/gpu.count"), json_string(arena_fmt(a, "%zu", i->ngpus)));
        json_set(a, &l, S("nvidia.com/gpu.memory"), json_string(arena_fmt(a, "%llu", (unsigned long long)(i->gpus[0].memory_bytes >> 20))));
    }
    if (i->numa_nodes > 1)
        json_set(a, &l, S("coxswain.dev/numa-nodes"), json_string(arena_fmt(a, "%u", i->numa_nodes)));
    add_pairs(a, &l, g->opts.labels);
    return l;
}

/* "key=value:NoSchedule" */
static void add_taints(struct agent *g, struct arena *a, struct json *spec)
{
    struct json list = json_array();
    for (const char *const *p = g->opts.taints; p && *p; p++) {
        str text = str_of(*p);
        ptrdiff_t at = str_rfind_char(text, ':');
        if (at < 0)
            continue;
        str pair = str_sub(text, 0, (size_t)at), key;
        str_cut(&pair, '=', &key);
        struct json t = json_object();
        json_set(a, &t, S("key"), json_string(key));
        if (pair.len)
            json_set(a, &t, S("value"), json_string(pair));
        json_set(a, &t, S("effect"), json_string(str_from(text, (size_t)at + 1)));
        json_push(a, &list, t);
    }
    if (list.len)
        json_set(a, spec, S("taints"), list);
}

static void registered(struct agent *g)
{
    g->registered = true;
    loop_timer_set(g->loop, &g->lease_timer, loop_now(g->loop));
    agent_node_status_soon(g);
}

void agent_node_register_later(struct agent *g)
{
    loop_timer_set(g->loop, &g->register_timer, loop_now(g->loop) + REGISTER_RETRY_NS);
}

/* The Lease that comes next names the Node as its owner. */
static void learn_uid(struct agent *g, str node)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v;
    if (json_parse(&a, node, NULL, &v, NULL) < 0)
        return;
    str uid = json_get_str(json_get(&v, S("metadata")), S("uid"));
    if (uid.len && !str_eq(uid, g->node_uid))
        g->node_uid = arena_str(&g->node_arena, uid);
}

static void on_node_patched(struct agent_call *c)
{
    if (c->call.status >= 200 && c->call.status < 300) {
        learn_uid(c->agent, c->call.response);
        registered(c->agent);
    } else {
        agent_node_register_later(c->agent);
    }
}

static void patch_node(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json patch = json_object();
    struct json *meta = json_ensure_object(&a, &patch, S("metadata"));
    json_set(&a, meta, S("labels"), labels_of(g, &a));
    struct json *notes = json_ensure_object(&a, meta, S("annotations"));
    json_set(&a, notes, S("coxswain.dev/volumes-dir"), json_string(str_of(g->opts.volumes_dir)));
    agent_call(g, "PATCH", agent_node_path(g, &a, ""), "application/strategic-merge-patch+json", json_text(&a, &patch), on_node_patched, NULL);
}

static void on_node_posted(struct agent_call *c)
{
    struct agent *g = c->agent;
    if (c->call.status >= 200 && c->call.status < 300) {
        log_info("registered", KV("node", "%s", g->opts.node_name));
        learn_uid(g, c->call.response);
        registered(g);
    } else if (c->call.status == 409) {
        free(TAKE(g->status_reported)); /* the API has that of an agent before */
        patch_node(g);
    } else {
        if (c->call.status)
            log_warn("cannot register the node", KV("status", "%d", c->call.status), KV("answer", STR_FMT, STR_ARG(str_sub(c->call.response, 0, 200))));
        agent_node_register_later(g);
    }
}

static void on_register_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, register_timer);
    ARENA_AUTO a = ARENA_INIT;
    struct json node = json_literal(&a, "{\"apiVersion\":\"v1\",\"kind\":\"Node\"}");
    struct json *meta = json_ensure_object(&a, &node, S("metadata"));
    json_set(&a, meta, S("name"), json_string(str_of(g->opts.node_name)));
    json_set(&a, meta, S("labels"), labels_of(g, &a));
    json_set(&a, json_ensure_object(&a, meta, S("annotations")), S("coxswain.dev/volumes-dir"), json_string(str_of(g->opts.volumes_dir)));
    struct json *spec = json_ensure_object(&a, &node, S("spec"));
    add_taints(g, &a, spec);
    if (g->opts.pod_cidr)
        json_set(&a, spec, S("podCIDR"), json_string(str_of(g->opts.pod_cidr)));
    struct json status = agent_node_status(g, &a);
    json_set(&a, &node, S("status"), status);
    free(g->status_reported);
    g->status_reported = str_dup(json_text(&a, &status));
    g->status_at = loop_now(g->loop);
    agent_call(g, "POST", S("/api/v1/nodes"), "application/json", json_text(&a, &node), on_node_posted, NULL);
}

/* --- the lease --------------------------------------------------------------------------------------------------------------------------- */
static nsec_t lease_ns(const struct agent *g)
{
    return g->opts.lease_ns ? g->opts.lease_ns : LEASE_NS;
}

static void on_lease(struct agent_call *c);

static str lease_body(struct agent *g, struct arena *a, bool whole)
{
    char now[CIVIL_MICRO_LEN + 1];
    civil_format_micro(clock_wall(g->clock), now);
    struct json o = json_object(), *spec;
    if (whole) {
        o = json_literal(a, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"namespace\":\"kube-node-lease\"}}");
        struct json *meta = json_get(&o, S("metadata"));
        json_set(a, meta, S("name"), json_string(str_of(g->opts.node_name)));
        if (g->node_uid.len) {
            struct json owner = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Node\"}"), owners = json_array();
            json_set(a, &owner, S("name"), json_string(str_of(g->opts.node_name)));
            json_set(a, &owner, S("uid"), json_string(g->node_uid));
            json_push(a, &owners, owner);
            json_set(a, meta, S("ownerReferences"), owners);
        }
    }
    spec = json_ensure_object(a, &o, S("spec"));
    json_set(a, spec, S("holderIdentity"), json_string(str_of(g->opts.node_name)));
    json_set(a, spec, S("leaseDurationSeconds"), json_int(a, lease_ns(g) / NSEC_PER_SEC));
    json_set(a, spec, S("renewTime"), json_string(arena_str(a, str_of(now))));
    return json_text(a, &o);
}

static void send_lease(struct agent *g, bool create)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a);
    strbuf_add_str(&path, S("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"));
    if (!create)
        client_path_add(&path, str_of(g->opts.node_name));
    g->lease_busy = true;
    agent_call(g, create ? "POST" : "PATCH", strbuf_str(&path), create ? "application/json" : "application/merge-patch+json", lease_body(g, &a, create), on_lease, NULL);
}

static void on_lease(struct agent_call *c)
{
    struct agent *g = c->agent;
    g->lease_busy = false;
    if (c->call.status == 404 && str_is(c->call.method, "PATCH"))
        send_lease(g, true);
    else if (c->call.status < 200 || c->call.status >= 300)
        loop_timer_set(g->loop, &g->lease_timer, loop_now(g->loop) + NSEC_PER_SEC);
}

static void on_lease_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, lease_timer);
    loop_timer_set(g->loop, t, loop_now(g->loop) + lease_ns(g) / 4);
    if (!g->lease_busy && g->registered)
        send_lease(g, false);
}

/* --- all of it -------------------------------------------------------------------------------------------------------------------------- */
void agent_node_start(struct agent *g)
{
    if (g->opts.cert_is_stopgap && g->streams)
        g->cert_wanted_until = clock_mono(g->clock) + CERT_PATIENCE_NS;
    g->lease_timer.fire = on_lease_timer;
    g->register_timer.fire = on_register_timer;
    loop_timer_set(g->loop, &g->register_timer, loop_now(g->loop));
    agent_node_status_start(g);
    agent_nodes_start(g);
}

void agent_node_stop(struct agent *g)
{
    struct loop_timer *timers[] = {&g->lease_timer, &g->status_timer, &g->register_timer, &g->network_timer, &g->static_timer, &g->usage_timer, &g->evict_timer, &g->bandwidth_timer};
    for (size_t i = 0; i < ARRAY_LEN(timers); i++)
        loop_timer_stop(g->loop, timers[i]);
}

void agent_node_free(struct agent *g)
{
    agent_node_stop(g);
    agent_nodes_free(g);
    free(TAKE(g->status_reported));
    free(TAKE(g->images_text));
}
