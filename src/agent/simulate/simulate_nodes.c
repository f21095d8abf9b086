/* simulate_nodes.c - simulated nodes: registered once, kept alive by leases that are renewed in turn.
 *
 *   POST node ─► (409: PATCH it) ─► POST lease ─► (409: PATCH it) ─► renewed every quarter of its duration
 *                                                        404: the node itself is looked for; without it the machine counts as switched off
 *
 * With N nodes and 100 renewals a second a lease is renewed every N/100 seconds and lasts four times as long. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/simulate/simulate_internal.h"
#include "base/civil.h"
#include "base/log.h"

#define LEASE_MIN_NS (40 * NSEC_PER_SEC)
#define TICK_NS (20 * NSEC_PER_MSEC)
#define AGAIN_NS NSEC_PER_SEC
#define MERGE_PATCH "application/merge-patch+json"

uint32_t sim_node_address(uint32_t node)
{
    return 0x0a000000u + (node + 1) % 0x400000u;
}

str sim_address_text(struct arena *a, uint32_t x)
{
    return arena_fmt(a, "%u.%u.%u.%u", x >> 24, x >> 16 & 255, x >> 8 & 255, x & 255);
}

static void add_name(struct simulate *s, struct strbuf *b, uint32_t node)
{
    strbuf_addf(b, "%s%u", s->prefix, node + s->opts.first);
}

bool sim_find_node(const struct simulate *s, str name, uint32_t *ret)
{
    uint64_t n;
    str prefix = str_of(s->prefix), digits = str_from(name, prefix.len);
    if (!str_has_prefix(name, prefix) || !digits.len || (digits.len > 1 && digits.p[0] == '0') || !str_to_u64(digits, &n) || n < s->opts.first || n - s->opts.first >= s->opts.nodes)
        return false;
    *ret = (uint32_t)(n - s->opts.first);
    return true;
}

/* --- texts ------------------------------------------------------------------------------------------------ */
/* "d{50}" on node 120: d20 */
static void add_value(struct strbuf *b, str value, uint32_t node)
{
    ptrdiff_t from = str_find(value, S("{")), to = str_find(value, S("}"));
    uint64_t n;
    STRBUF_AUTO text = STRBUF_HEAP;
    if (from < 0 || to < from || !str_to_u64(str_sub(value, (size_t)from + 1, (size_t)to), &n) || !n)
        strbuf_add_str(&text, value);
    else
        strbuf_addf(&text, STR_FMT "%llu" STR_FMT, STR_ARG(str_sub(value, 0, (size_t)from)), (unsigned long long)(node % n), STR_ARG(str_from(value, (size_t)to + 1)));
    json_write_string(b, strbuf_str(&text));
}

static void add_pairs(struct strbuf *b, const char *const *pairs, uint32_t node)
{
    for (const char *const *p = pairs; p && *p; p++) {
        str value = str_of(*p), key;
        str_cut(&value, '=', &key);
        strbuf_add_char(b, ',');
        json_write_string(b, key);
        strbuf_add_char(b, ':');
        add_value(b, value, node);
    }
}

static void add_taints(struct strbuf *b, const char *const *taints)
{
    for (const char *const *p = taints; p && *p; p++) {
        str text = str_of(*p), key;
        ptrdiff_t colon = str_rfind_char(text, ':');
        str effect = colon < 0 ? S("NoSchedule") : str_from(text, (size_t)colon + 1), value = colon < 0 ? text : str_sub(text, 0, (size_t)colon);
        str_cut(&value, '=', &key);
        strbuf_addf(b, "%s{\"key\":\"" STR_FMT "\",\"value\":\"" STR_FMT "\",\"effect\":\"" STR_FMT "\"}", p == taints ? "" : ",", STR_ARG(key), STR_ARG(value), STR_ARG(effect));
    }
}

static bool is_given(const char *const *pairs, const char *key)
{
    for (const char *const *p = pairs; p && *p; p++) {
        str value = str_of(*p), name;
        str_cut(&value, '=', &name);
        if (str_is(name, key))
            return true;
    }
    return false;
}

/* over: what is there already; what an annotation had given it goes when nobody says it any more. */
static void add_resources(struct simulate *s, struct strbuf *b, bool over)
{
    static const struct {
        const char *name, *amount;
    } usual[] = {{"cpu", "32"}, {"memory", "256Gi"}, {"pods", "110"}, {"ephemeral-storage", "1Ti"}};
    size_t from = b->len;
    for (size_t i = 0; i < ARRAY_LEN(usual); i++)
        if (!is_given(s->opts.capacity, usual[i].name))
            strbuf_addf(b, ",\"%s\":\"%s\"", usual[i].name, usual[i].amount);
    for (const char *const *p = s->opts.capacity; p && *p; p++) {
        str value = str_of(*p), key;
        if (str_cut(&value, '=', &key) && !node_bandwidth_is_name(key))
            add_pairs(b, (const char *const[]){*p, NULL}, 0);
    }
    struct sim_bandwidth network = sim_bandwidth_of(s, S(""));
    if (over && !network.has)
        sim_bandwidth_add_nothing(b);
    sim_bandwidth_add(b, &network);
    b->p[from] = '{'; /* in place of the first comma */
    strbuf_add_char(b, '}');
}

static void add_condition(struct strbuf *b, const char *type, bool good, const char *reason, const char *now)
{
    strbuf_addf(b, "{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"on paper\",\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\"}", type, good ? "True" : "False", reason, now, now);
}

static void add_status(struct simulate *s, struct strbuf *b, uint32_t node, bool over)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(s->opts.clock), now);
    str ip = sim_address_text(&s->arena, sim_node_address(node + s->opts.first));
    strbuf_addf(b, "{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"" STR_FMT "\"},{\"type\":\"Hostname\",\"address\":\"", STR_ARG(ip));
    add_name(s, b, node);
    strbuf_addf(b, "\"}],\"capacity\":");
    add_resources(s, b, over);
    strbuf_addf(b, ",\"allocatable\":");
    add_resources(s, b, over);
    strbuf_addf(b, ",\"conditions\":[");
    add_condition(b, "MemoryPressure", false, "KubeletHasSufficientMemory", now);
    strbuf_add_char(b, ',');
    add_condition(b, "DiskPressure", false, "KubeletHasNoDiskPressure", now);
    strbuf_add_char(b, ',');
    add_condition(b, "PIDPressure", false, "KubeletHasSufficientPID", now);
    strbuf_add_char(b, ',');
    add_condition(b, "Ready", true, "KubeletReady", now);
    strbuf_addf(b, "],\"nodeInfo\":{\"architecture\":\"amd64\",\"bootID\":\"\",\"containerRuntimeVersion\":\"paper://1\",\"kernelVersion\":\"\",\"kubeProxyVersion\":\"\",\"kubeletVersion\":\"v1.33.0\","
                   "\"machineID\":\"\",\"operatingSystem\":\"linux\",\"osImage\":\"\",\"systemUUID\":\"\"}}");
}

static void add_node(struct simulate *s, struct strbuf *b, uint32_t node)
{
    strbuf_addf(b, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"");
    add_name(s, b, node);
    strbuf_addf(b, "\",\"labels\":{\"coxswain.dev/simulated\":\"true\",\"kubernetes.io/os\":\"linux\",\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/hostname\":\"");
    add_name(s, b, node);
    strbuf_add_char(b, '"');
    if (s->opts.zones)
        strbuf_addf(b, ",\"topology.kubernetes.io/region\":\"paper\",\"topology.kubernetes.io/zone\":\"zone-%u\"", (node + s->opts.first) % s->opts.zones);
    add_pairs(b, s->opts.labels, node + s->opts.first);
    strbuf_addf(b, "}},\"spec\":{");
    if (s->opts.taints && s->opts.taints[0]) {
        strbuf_addf(b, "\"taints\":[");
        add_taints(b, s->opts.taints);
        strbuf_add_char(b, ']');
    }
    strbuf_addf(b, "},\"status\":");
    add_status(s, b, node, false);
    strbuf_add_char(b, '}');
}

static void add_lease(struct simulate *s, struct strbuf *b, uint32_t node, str node_uid)
{
    char now[CIVIL_MICRO_LEN + 1];
    civil_format_micro(clock_wall(s->opts.clock), now);
    strbuf_addf(b, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"");
    add_name(s, b, node);
    strbuf_addf(b, "\",\"namespace\":\"kube-node-lease\"");
    if (node_uid.len) {
        strbuf_addf(b, ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"uid\":\"" STR_FMT "\",\"name\":\"", STR_ARG(node_uid));
        add_name(s, b, node);
        strbuf_addf(b, "\"}]");
    }
    strbuf_addf(b, "},\"spec\":{\"holderIdentity\":\"");
    add_name(s, b, node);
    strbuf_addf(b, "\",\"leaseDurationSeconds\":%lld,\"renewTime\":\"%s\"}}", (long long)s->lease_s, now);
}

/* --- registration -------------------------------------------------------------------------------------------- */
static bool is_good(int status)
{
    return status >= 200 && status < 300;
}

static void ask_again(struct simulate *s, uint32_t node)
{
    s->stats.failures++;
    s->nodes[node] = SIM_NODE_NEW;
    vec_push(&s->again, node);
    if (!s->node_timer.slot_)
        loop_timer_set(s->opts.loop, &s->node_timer, loop_now(s->opts.loop) + AGAIN_NS);
}

static void node_is_ready(struct simulate *s, uint32_t node)
{
    s->nodes[node] = SIM_NODE_READY;
    if (++s->stats.nodes == s->opts.nodes)
        log_info("simulated nodes are registered", KV("nodes", "%u", s->stats.nodes), KV("lease_seconds", "%lld", (long long)s->lease_s));
}

static void on_lease_patched(struct sim_call *c, int status, str response UNUSED)
{
    if (is_good(status))
        node_is_ready(c->sim, c->who);
    else
        ask_again(c->sim, c->who);
}

struct sim_call *sim_call_for_node(struct simulate *s, uint32_t node, const char *folder)
{
    struct sim_call *c = sim_call_take(s);
    if (!c)
        return NULL;
    c->who = node;
    strbuf_add_str(&c->path, str_of(folder));
    strbuf_add_char(&c->path, '/');
    add_name(s, &c->path, node);
    return c;
}
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"

static void on_lease_made(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    struct sim_call *next;
    if (is_good(status)) {
        node_is_ready(s, c->who);
    } else if (status == 409 && (next = sim_call_for_node(s, c->who, LEASES))) {
        char now[CIVIL_MICRO_LEN + 1];
        civil_format_micro(clock_wall(s->opts.clock), now);
        strbuf_addf(&next->body, "{\"spec\":{\"leaseDurationSeconds\":%lld,\"renewTime\":\"%s\"}}", (long long)s->lease_s, now);
        sim_call_start(next, "PATCH", MERGE_PATCH, on_lease_patched);
    } else {
        ask_again(s, c->who);
    }
}

static void make_lease(struct simulate *s, uint32_t node, str response)
{
    struct sim_call *c = sim_call_take(s);
    struct json answer;
    str uid = json_parse(&s->arena, response, NULL, &answer, NULL) == 0 ? json_get_str(json_get(&answer, S("metadata")), S("uid")) : S("");
    if (!c) {
        ask_again(s, node);
        return;
    }
    s->nodes[node] = SIM_NODE_LEASE;
    c->who = node;
    strbuf_add_str(&c->path, S(LEASES));
    add_lease(s, &c->body, node, uid);
    sim_call_start(c, "POST", "application/json", on_lease_made);
}

static void on_node_patched(struct sim_call *c, int status, str response)
{
    if (is_good(status))
        make_lease(c->sim, c->who, response);
    else
        ask_again(c->sim, c->who);
}

static void on_node_made(struct sim_call *c, int status, str response)
{
    struct simulate *s = c->sim;
    struct sim_call *next;
    if (is_good(status)) {
        make_lease(s, c->who, response);
    } else if (status == 409 && (next = sim_call_for_node(s, c->who, "/api/v1/nodes"))) {
        strbuf_add_str(&next->path, S("/status"));
        strbuf_add_str(&next->body, S("{\"status\":"));
        add_status(s, &next->body, c->who, true);
        strbuf_add_char(&next->body, '}');
        sim_call_start(next, "PATCH", MERGE_PATCH, on_node_patched);
    } else {
        if (status && status != 409 && status != 429 && status < 500)
            log_warn("a simulated node is refused", KV("status", "%d", status), KV("answer", STR_FMT, STR_ARG(str_sub(response, 0, 300))));
        ask_again(s, c->who);
    }
}

bool sim_nodes_pump(struct simulate *s)
{
    uint32_t node;
    if (s->next_node < s->opts.nodes)
        node = s->next_node++;
    else if (s->again.len && !s->node_timer.slot_)
        node = vec_pop(&s->again);
    else
        return false;
    struct sim_call *c = sim_call_take(s);
    if (!c) {
        ask_again(s, node);
        return false;
    }
    s->nodes[node] = SIM_NODE_ASKED;
    c->who = node;
    strbuf_add_str(&c->path, S("/api/v1/nodes"));
    add_node(s, &c->body, node);
    sim_call_start(c, "POST", "application/json", on_node_made);
    return true;
}

static void on_node_timer(struct loop_timer *t)
{
    sim_pump(container_of(t, struct simulate, node_timer));
}

/* --- leases -------------------------------------------------------------------------------------------------- */
static void on_node_looked_for(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    if (status == 404 && s->nodes[c->who] == SIM_NODE_READY) {
        s->nodes[c->who] = SIM_NODE_GONE;
        s->stats.nodes--;
        s->stats.gone++;
        log_info("a simulated node was deleted", KV("node", "%s%u", s->prefix, c->who + s->opts.first));
    } else if (is_good(status) && s->nodes[c->who] == SIM_NODE_READY) { /* only the lease is missing */
        s->stats.nodes--;
        make_lease(s, c->who, response);
    }
}

static void on_renewed(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    struct sim_call *look;
    s->stats.leases += is_good(status);
    s->stats.failures += !is_good(status) && status != 404;
    if (status == 404 && s->nodes[c->who] == SIM_NODE_READY && (look = sim_call_for_node(s, c->who, "/api/v1/nodes")))
        sim_call_start(look, "GET", "", on_node_looked_for);
}

bool sim_leases_pump(struct simulate *s)
{
    for (uint32_t turns = 0; s->lease_due <= loop_now(s->opts.loop) && turns < s->opts.nodes; turns++) {
        uint32_t node = s->lease_node;
        bool is_ready = s->nodes[node] == SIM_NODE_READY;
        struct sim_call *c = is_ready ? sim_call_for_node(s, node, LEASES) : NULL;
        if (is_ready && !c)
            return false;
        s->lease_node = (node + 1) % s->opts.nodes;
        s->lease_due += s->lease_spacing;
        if (!c)
            continue;
        char now[CIVIL_MICRO_LEN + 1];
        civil_format_micro(clock_wall(s->opts.clock), now);
        strbuf_addf(&c->body, "{\"spec\":{\"renewTime\":\"%s\"}}", now);
        sim_call_start(c, "PATCH", MERGE_PATCH, on_renewed);
        return true;
    }
    if (s->lease_due + 10 * NSEC_PER_SEC < loop_now(s->opts.loop)) /* nobody is ready yet, or we slept */
        s->lease_due = loop_now(s->opts.loop);
    return false;
}

static void on_lease_timer(struct loop_timer *t)
{
    struct simulate *s = container_of(t, struct simulate, lease_timer);
    loop_timer_set(s->opts.loop, t, MAX(loop_now(s->opts.loop) + TICK_NS, s->lease_due));
    if (s->lease_due <= loop_now(s->opts.loop))
        sim_pump(s);
}

void sim_nodes_start(struct simulate *s)
{
    nsec_t least = (nsec_t)s->opts.nodes * NSEC_PER_SEC / SIMULATE_LEASES_PER_S * 4, wanted = s->opts.lease_ns ? s->opts.lease_ns : LEASE_MIN_NS;
    nsec_t lease = MAX(least, wanted);
    s->lease_s = (lease + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
    s->lease_spacing = MAX(lease / 4 / s->opts.nodes, (nsec_t)1);
    s->lease_due = loop_now(s->opts.loop) + lease / 4;
    s->node_timer.fire = on_node_timer;
    s->lease_timer.fire = on_lease_timer;
    loop_timer_set(s->opts.loop, &s->lease_timer, s->lease_due);
    sim_pump(s);
}
