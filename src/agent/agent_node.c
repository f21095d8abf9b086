/* agent_node.c - the Node: registration, status and conditions, its Lease, its place in the pod network.
 *
 *   POST node (or PATCH what is there) ─► watch of all nodes: own podCIDR ─► network open ─► Ready
 *                                                             others ─► peers of the network
 *   Lease renewed every lease/4; status computed every status_ns, sent when it changed or is 5 minutes old */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>

#include "agent/agent_internal.h"
#include "api/quantity.h"
#include "api/validate.h"
#include "base/civil.h"
#include "base/log.h"
#include "base/version.h"
#include "client/client.h"
#include "rt/file.h"

#define STATUS_NS (10 * NSEC_PER_SEC)
#define STATUS_MAX_AGE_NS (300 * NSEC_PER_SEC)
#define LEASE_NS (40 * NSEC_PER_SEC)
#define RENEW_MIN_NS NSEC_PER_SEC /* between two reports when somebody else says another thing */
#define REGISTER_RETRY_NS NSEC_PER_SEC
#define NETWORK_RETRY_NS (2 * NSEC_PER_SEC)
#define CERT_PATIENCE_NS (10 * NSEC_PER_SEC) /* elsewhere a person may have to approve it: then the node is Ready without */
#define IMAGES_REPORTED 50
#define CIDR_BYTES 128

#define DOMAIN_LABEL "kuscia.secretflow/namespace"

struct peer {
    char *name, *ip, *cidr, *domain;
    unsigned round; /* of the list that showed it last */
};

static str path_of(struct arena *a, const struct agent *g, const char *more)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("/api/v1/nodes"));
    client_path_add(&b, str_of(g->opts.node_name));
    strbuf_add_str(&b, str_of(more));
    return strbuf_str(&b);
}

/* --- capacity ---------------------------------------------------------------------------------------------------------------- */
static void set_text(struct arena *a, struct json *o, const char *key, str value)
{
    json_set(a, o, arena_str(a, str_of(key)), json_string(value));
}

/* Both ends in bits, and the lesser of them in Mbit/s as Kuscia has it. */
static void add_bandwidth(struct arena *a, struct json *c, const int64_t bits[BANDWIDTH_ENDS])
{
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        set_text(a, c, bandwidth_resource[e], quantity_format(a, &(struct quantity){.mantissa = bits[e], .format = QUANTITY_DECIMAL_SI}));
    set_text(a, c, BANDWIDTH_KUSCIA, arena_fmt(a, "%lld", (long long)(MIN(bits[BANDWIDTH_OUT], bits[BANDWIDTH_IN]) / BANDWIDTH_MBIT)));
}

/* What was lent once is taken back by a zero: a patch leaves what it does not name. */
static void add_lent(const struct agent *g, struct arena *a, struct json *c, const int64_t bits[BANDWIDTH_ENDS])
{
    for (int e = 0; e < BANDWIDTH_ENDS && (g->bandwidth_lending || g->bandwidth_lent_shown); e++)
        set_text(a, c, bandwidth_lent_resource[e], quantity_format(a, &(struct quantity){.mantissa = g->bandwidth_lending ? bits[e] : 0, .format = QUANTITY_DECIMAL_SI}));
}

static struct json capacity_of(struct agent *g, struct arena *a)
{
    const struct node_info *i = &g->info;
    struct json c = json_object();
    set_text(a, &c, "cpu", i->cpu_milli % 1000 ? arena_fmt(a, "%lldm", (long long)i->cpu_milli) : arena_fmt(a, "%lld", (long long)i->cpu_milli / 1000));
    set_text(a, &c, "memory", arena_fmt(a, "%lldKi", (long long)i->memory_bytes / 1024));
    set_text(a, &c, "ephemeral-storage", arena_fmt(a, "%lldKi", (long long)i->disk_bytes / 1024));
    set_text(a, &c, "hugepages-2Mi", arena_fmt(a, "%lldMi", (long long)(i->hugepages_2mi >> 20)));
    set_text(a, &c, "hugepages-1Gi", arena_fmt(a, "%lldGi", (long long)(i->hugepages_1gi >> 30)));
    set_text(a, &c, "pods", arena_fmt(a, "%u", g->opts.max_pods ? g->opts.max_pods : 110));
    if (i->ngpus)
        set_text(a, &c, "nvidia.com/gpu", arena_fmt(a, "%zu", i->ngpus));
    agent_partitions_capacity(g, a, &c);
    for (const char *const *p = g->opts.capacity; p && *p; p++) {
        str text = str_of(*p), key;
        if (str_cut(&text, '=', &key) && !node_bandwidth_is_name(key) && !bandwidth_is_lent(key))
            json_set(a, &c, key, json_string(text));
    }
    add_bandwidth(a, &c, g->bandwidth_node.total);
    add_lent(g, a, &c, g->bandwidth_node.total);
    return c;
}

/* Milli-units of a quantity, 0 when it is none. */
static int64_t milli_of(str text)
{
    struct quantity q;
    return quantity_parse(text, &q) ? quantity_to_milli(&q) : 0;
}

/* Capacity less what is reserved, and less what eviction keeps free. */
struct json agent_allocatable(struct agent *g, struct arena *a)
{
    struct json c = capacity_of(g, a);
    for (const char *const *p = g->opts.reserved; p && *p; p++) {
        str text = str_of(*p), key;
        if (!str_cut(&text, '=', &key) || node_bandwidth_is_name(key) || !json_get(&c, key))
            continue;
        int64_t left = milli_of(json_get_str(&c, key)) - milli_of(text);
        left = MAX(left, 0);
        bool in_milli = str_is(key, "cpu");
        json_set(a, &c, key, json_string(in_milli ? arena_fmt(a, "%lldm", (long long)left) : arena_fmt(a, "%lld", (long long)left / 1000)));
    }
    int64_t bits[BANDWIDTH_ENDS], lend[BANDWIDTH_ENDS];
    agent_bandwidth_room(g, bits, lend);
    add_bandwidth(a, &c, bits);
    add_lent(g, a, &c, lend);
    return c;
}

/* --- status --------------------------------------------------------------------------------------------------------------------- */
/* old: the conditions that were reported last: a time of transition stays as long as the status does. */
static void add_condition(struct agent *g, struct arena *a, const struct json *old, struct json *list, const char *type, bool status, const char *reason, str message)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(g->clock), now);
    struct json c = json_object();
    set_text(a, &c, "type", str_of(type));
    set_text(a, &c, "status", status ? S("True") : S("False"));
    set_text(a, &c, "reason", str_of(reason));
    set_text(a, &c, "message", message);
    str time = arena_str(a, str_of(now)), since = time;
    for (uint32_t i = 0; json_is(old, JSON_ARRAY) && i < old->len; i++) {
        if (str_is(json_get_str(&old->items[i], S("type")), type) && str_eq(json_get_str(&old->items[i], S("status")), json_get_str(&c, S("status"))))
            since = json_get_str(&old->items[i], S("lastTransitionTime"));
    }
    set_text(a, &c, "lastHeartbeatTime", time);
    set_text(a, &c, "lastTransitionTime", since);
    json_push(a, list, c);
}

static bool has_network(const struct agent *g)
{
    return !g->opts.network || g->runtime->ops->has_network || g->network_ready;
}

static void add_conditions(struct agent *g, struct arena *a, struct json *status)
{
    bool memory, disk, pids;
    struct json list = json_array(), before;
    const struct json *old = NULL;
    if (g->status_reported && json_parse(a, arena_str(a, str_of(g->status_reported)), NULL, &before, NULL) == 0)
        old = json_get(&before, S("conditions"));
    agent_evict_conditions(g, &memory, &disk, &pids);
    add_condition(g, a, old, &list, "MemoryPressure", memory, memory ? "KubeletHasInsufficientMemory" : "KubeletHasSufficientMemory",
                  memory ? S("kubelet has insufficient memory available") : S("kubelet has sufficient memory available"));
    add_condition(g, a, old, &list, "DiskPressure", disk, disk ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure", disk ? S("kubelet has disk pressure") : S("kubelet has no disk pressure"));
    add_condition(g, a, old, &list, "PIDPressure", pids, pids ? "KubeletHasInsufficientPID" : "KubeletHasSufficientPID",
                  pids ? S("kubelet has insufficient PID available") : S("kubelet has sufficient PID available"));
    bool ready = agent_is_ready(g);
    str why = ready                  ? S("kubelet is posting ready status")
              : !has_network(g)      ? arena_fmt(a, "the pod network is not ready: %s", g->network_error[0] ? g->network_error : "the node has no pod CIDR yet")
                                     : S("the cluster has not signed the node's serving certificate yet: logs and exec would fail");
    add_condition(g, a, old, &list, "Ready", ready, ready ? "KubeletReady" : "KubeletNotReady", why);
    json_set(a, status, S("conditions"), list);
}

static void add_images(struct agent *g, struct arena *a, struct json *status)
{
    struct json list;
    if (g->images_text && json_parse(a, arena_str(a, str_of(g->images_text)), NULL, &list, NULL) == 0)
        json_set(a, status, S("images"), list);
}

/* The images are files behind a lock: they are listed on a pool thread, and the status shows the list before. */
struct image_op {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    str text; /* "" : they cannot be listed */
};

static void run_images(struct work_item *w)
{
    struct image_op *o = container_of(w, struct image_op, item);
    struct arena *a = &o->arena;
    struct image_info *all;
    size_t n;
    struct json list = json_array();
    if (images_list(o->agent->images, a, &all, &n, NULL) < 0)
        return;
    for (size_t i = 0; i < n && i < IMAGES_REPORTED; i++) {
        struct json image = json_object(), names = json_array();
        for (size_t k = 0; k < all[i].nnames && k < 5; k++)
            json_push(a, &names, json_string(all[i].names[k]));
        json_set(a, &image, S("names"), names);
        json_set(a, &image, S("sizeBytes"), json_int(a, (int64_t)all[i].bytes));
        json_push(a, &list, image);
    }
    o->text = json_text(a, &list);
}

static void end_images(struct work_item *w)
{
    struct image_op *o = container_of(w, struct image_op, item);
    struct agent *g = o->agent;
    g->ops--;
    g->images_busy = false;
    if (o->text.len && !(g->images_text && str_is(o->text, g->images_text))) {
        free(g->images_text);
        g->images_text = str_dup(o->text);
    }
    arena_fini(&o->arena);
    free(o);
    agent_waits_end(g);
}

static void list_images(struct agent *g)
{
    if (g->images_busy || g->stopping || g->runtime->ops->has_images)
        return;
    struct image_op *o = xcalloc(1, sizeof *o);
    o->item = (struct work_item){.loop = g->loop, .run = run_images, .done = end_images};
    o->agent = g;
    g->images_busy = true;
    g->ops++;
    work_submit(g->pool, &o->item);
}

static void add_addresses(struct agent *g, struct arena *a, struct json *status)
{
    struct json list = json_array(), ip = json_object(), host = json_object();
    set_text(a, &ip, "type", S("InternalIP"));
    set_text(a, &ip, "address", g->node_ip);
    set_text(a, &host, "type", S("Hostname"));
    set_text(a, &host, "address", str_of(g->opts.node_name));
    json_push(a, &list, ip);
    json_push(a, &list, host);
    json_set(a, status, S("addresses"), list);
}

static struct json status_of(struct agent *g, struct arena *a)
{
    const struct node_info *i = &g->info;
    struct json s = json_object();
    add_addresses(g, a, &s);
    json_set(a, &s, S("capacity"), capacity_of(g, a));
    json_set(a, &s, S("allocatable"), agent_allocatable(g, a));
    add_conditions(g, a, &s);
    if (g->port) {
        struct json *point = json_ensure_object(a, json_ensure_object(a, &s, S("daemonEndpoints")), S("kubeletEndpoint"));
        json_set(a, point, S("Port"), json_int(a, g->port));
    }
    struct json *info = json_ensure_object(a, &s, S("nodeInfo"));
    set_text(a, info, "machineID", i->machine_id);
    set_text(a, info, "systemUUID", i->system_uuid);
    set_text(a, info, "bootID", i->boot_id);
    set_text(a, info, "kernelVersion", i->kernel);
    set_text(a, info, "osImage", i->os_image);
    str runtime = str_of(g->runtime->ops->version(g->runtime)), version = runtime;
    str_cut(&version, ' ', &runtime);
    set_text(a, info, "containerRuntimeVersion", arena_fmt(a, "%s://" STR_FMT, g->runtime->ops->name, STR_ARG(version.len ? version : runtime)));
    set_text(a, info, "kubeletVersion", arena_fmt(a, "v1.33.0+cox-%s", cox_version()));
    set_text(a, info, "kubeProxyVersion", S(""));
    set_text(a, info, "operatingSystem", S("linux"));
    set_text(a, info, "architecture", i->architecture);
    add_images(g, a, &s);
    return s;
}

/* The same but for the times of the heartbeat? */
static bool is_same_status(const char *before, const struct json *now)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json old, copy = json_copy(&a, now);
    if (!before || json_parse(&a, str_of(before), NULL, &old, NULL) < 0)
        return false;
    struct json *lists[] = {json_get(&old, S("conditions")), json_get(&copy, S("conditions"))};
    for (size_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; json_is(lists[l], JSON_ARRAY) && i < lists[l]->len; i++)
            json_del(&lists[l]->items[i], S("lastHeartbeatTime"));
    }
    return json_equal(&old, &copy);
}

static void on_status_sent(struct agent_call *c)
{
    struct agent *g = c->agent;
    g->status_busy = false;
    if (c->call.status == 404) { /* somebody deleted the node: it registers anew */
        g->registered = false;
        loop_timer_set(g->loop, &g->register_timer, loop_now(g->loop));
    } else if (c->call.status < 200 || c->call.status >= 300) {
        g->status_void = true;
    }
    if (g->status_void)
        free(TAKE(g->status_reported));
    g->status_void = false;
    if (g->status_again)
        agent_node_status_soon(g);
}

static void send_status(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    nsec_t now = loop_now(g->loop);
    loop_timer_set(g->loop, &g->status_timer, now + (g->opts.status_ns ? g->opts.status_ns : STATUS_NS));
    if (g->status_busy || !g->registered) {
        g->status_again = g->status_busy;
        return;
    }
    g->status_again = false;
    list_images(g);
    node_info_refresh(g->opts.dir, &g->info);
    agent_bandwidth_card(g);
    struct json status = status_of(g, &a), patch = json_object();
    if (is_same_status(g->status_reported, &status) && now - g->status_at < STATUS_MAX_AGE_NS)
        return;
    free(g->status_reported);
    g->status_reported = str_dup(json_text(&a, &status));
    g->status_at = now;
    g->status_busy = true;
    json_set(&a, &patch, S("status"), status);
    agent_call(g, "PATCH", path_of(&a, g, "/status"), "application/strategic-merge-patch+json", json_text(&a, &patch), on_status_sent, NULL);
}

static void on_status_timer(struct loop_timer *t)
{
    send_status(container_of(t, struct agent, status_timer));
}

void agent_node_status_soon(struct agent *g)
{
    if (!g->stopping)
        loop_timer_set(g->loop, &g->status_timer, loop_now(g->loop));
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
    set_text(a, &l, "kubernetes.io/hostname", str_of(g->opts.node_name));
    set_text(a, &l, "kubernetes.io/os", S("linux"));
    set_text(a, &l, "kubernetes.io/arch", i->architecture);
    set_text(a, &l, "beta.kubernetes.io/os", S("linux"));
    set_text(a, &l, "beta.kubernetes.io/arch", i->architecture);
    if (i->ngpus) {
        char *product = str_dup(i->gpus[0].product); /* a label has no blanks */
        for (char *c = product; *c; c++)
            *c = *c == ' ' ? '-' : *c;
        set_text(a, &l, "nvidia.com/gpu.product", arena_str(a, str_of(product)));
        free(product);
        set_text(a, &l, "nvidia.com/gpu.count", arena_fmt(a, "%zu", i->ngpus));
        set_text(a, &l, "nvidia.com/gpu.memory", arena_fmt(a, "%llu", (unsigned long long)(i->gpus[0].memory_bytes >> 20)));
    }
    if (i->numa_nodes > 1)
        set_text(a, &l, "coxswain.dev/numa-nodes", arena_fmt(a, "%u", i->numa_nodes));
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

static void register_later(struct agent *g)
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
        register_later(c->agent);
    }
}

static void patch_node(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json patch = json_object();
    struct json *meta = json_ensure_object(&a, &patch, S("metadata"));
    json_set(&a, meta, S("labels"), labels_of(g, &a));
    struct json *notes = json_ensure_object(&a, meta, S("annotations"));
    set_text(&a, notes, "coxswain.dev/volumes-dir", str_of(g->opts.volumes_dir));
    agent_call(g, "PATCH", path_of(&a, g, ""), "application/strategic-merge-patch+json", json_text(&a, &patch), on_node_patched, NULL);
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
        register_later(g);
    }
}

static void on_register_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, register_timer);
    ARENA_AUTO a = ARENA_INIT;
    struct json node = json_literal(&a, "{\"apiVersion\":\"v1\",\"kind\":\"Node\"}");
    struct json *meta = json_ensure_object(&a, &node, S("metadata"));
    set_text(&a, meta, "name", str_of(g->opts.node_name));
    json_set(&a, meta, S("labels"), labels_of(g, &a));
    set_text(&a, json_ensure_object(&a, meta, S("annotations")), "coxswain.dev/volumes-dir", str_of(g->opts.volumes_dir));
    struct json *spec = json_ensure_object(&a, &node, S("spec"));
    add_taints(g, &a, spec);
    if (g->opts.pod_cidr)
        set_text(&a, spec, "podCIDR", str_of(g->opts.pod_cidr));
    struct json status = status_of(g, &a);
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
        set_text(a, meta, "name", str_of(g->opts.node_name));
        if (g->node_uid.len) {
            struct json owner = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Node\"}"), owners = json_array();
            set_text(a, &owner, "name", str_of(g->opts.node_name));
            set_text(a, &owner, "uid", g->node_uid);
            json_push(a, &owners, owner);
            json_set(a, meta, S("ownerReferences"), owners);
        }
    }
    spec = json_ensure_object(a, &o, S("spec"));
    set_text(a, spec, "holderIdentity", str_of(g->opts.node_name));
    json_set(a, spec, S("leaseDurationSeconds"), json_int(a, lease_ns(g) / NSEC_PER_SEC));
    set_text(a, spec, "renewTime", arena_str(a, str_of(now)));
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

/* --- the network: own CIDR, peers ------------------------------------------------------------------------------------------------------------- */
struct net_op {
    struct work_item item;
    struct agent *agent;
    struct arena arena;
    str cidr, ip;
    struct agent_peer *peers;
    size_t npeers;
    str *uids;
    size_t nuids;
    struct node_bandwidth bandwidth; /* the node's, when it began */
    int result;
    struct err err;
};

static struct net_op *net_op_new(struct agent *g, void (*run)(struct work_item *w), void (*done)(struct work_item *w))
{
    struct net_op *o = xcalloc(1, sizeof *o);
    *o = (struct net_op){.item = {.loop = g->loop, .run = run, .done = done}, .agent = g, .arena = ARENA_INIT};
    return o;
}

static void net_op_end(struct net_op *o)
{
    struct agent *g = o->agent;
    g->ops--;
    arena_fini(&o->arena);
    free(o);
    agent_waits_end(g);
}

static void run_peers(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    const struct agent_network *net = o->agent->opts.network;
    o->result = net->peers(net->arg, o->peers, o->npeers, &o->err);
}

static void send_peers(struct agent *g);

static void end_peers(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    struct agent *g = o->agent;
    g->peers_busy = false;
    if (o->result < 0) {
        log_warn("cannot connect to the pod networks of other nodes", KV("why", "%s", o->err.msg));
        g->peers_changed = true;
        loop_timer_set(g->loop, &g->network_timer, loop_now(g->loop) + NETWORK_RETRY_NS);
    } else if (g->peers_changed) {
        send_peers(g);
    }
    net_op_end(o);
}

static void send_peers(struct agent *g)
{
    if (g->peers_busy || !g->network_ready || g->stopping || !g->opts.network)
        return;
    struct net_op *o = net_op_new(g, run_peers, end_peers);
    o->peers = arena_array(&o->arena, g->peers.len, struct agent_peer);
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        o->peers[o->npeers++] = (struct agent_peer){arena_str(&o->arena, str_of(p->name)), arena_str(&o->arena, str_of(p->ip)), arena_str(&o->arena, str_of(p->cidr))};
    }
    g->peers_changed = false;
    g->peers_busy = true;
    g->ops++;
    work_submit(g->pool, &o->item);
}

static void run_open(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    const struct agent_network *net = o->agent->opts.network;
    const struct node_bandwidth *b = &o->bandwidth;
    bool mended;
    o->result = net->open(net->arg, o->cidr, o->ip, &o->err);
    if (o->result == 0 && net->capacity)
        o->result = net->capacity(net->arg, b->total[BANDWIDTH_OUT] - b->reserved[BANDWIDTH_OUT], b->total[BANDWIDTH_IN] - b->reserved[BANDWIDTH_IN], &mended, &o->err);
    if (o->result == 0)
        o->result = net->collect(net->arg, o->uids, o->nuids, &o->err);
}

static void open_network(struct agent *g);

static void end_open(struct work_item *w)
{
    struct net_op *o = container_of(w, struct net_op, item);
    struct agent *g = o->agent;
    bool is_current = str_eq(o->cidr, g->pod_cidr);
    g->network_busy = false;
    g->network_ready = o->result == 0 && is_current;
    if (o->result == 0 && !is_current) {
        open_network(g); /* the node has got another range meanwhile */
    } else if (o->result < 0) {
        snprintf(g->network_error, sizeof g->network_error, "%s", o->err.msg);
        log_warn("the pod network does not work yet", KV("why", "%s", o->err.msg));
        loop_timer_set(g->loop, &g->network_timer, loop_now(g->loop) + NETWORK_RETRY_NS);
    } else {
        g->network_error[0] = 0;
        send_peers(g);
        list_foreach(p, &g->pods, struct agent_pod, link)
            agent_pod_kick(p);
    }
    agent_node_status_soon(g);
    net_op_end(o);
}

static void open_network(struct agent *g)
{
    if (!g->opts.network || g->network_busy || g->network_ready || !g->pod_cidr.len || g->stopping)
        return;
    struct net_op *o = net_op_new(g, run_open, end_open);
    o->cidr = arena_str(&o->arena, g->pod_cidr);
    o->ip = arena_str(&o->arena, g->node_ip);
    o->bandwidth = g->bandwidth_node;
    o->uids = arena_array(&o->arena, g->by_uid.len, str);
    list_foreach(p, &g->pods, struct agent_pod, link)
        o->uids[o->nuids++] = arena_str(&o->arena, p->uid);
    g->network_busy = true;
    g->ops++;
    work_submit(g->pool, &o->item);
}

static void on_network_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, network_timer);
    open_network(g);
    if (g->peers_changed)
        send_peers(g);
}

/* Somebody else wrote Ready (the node was silent for too long): what was reported does not count any more. */
static void mind_ready(struct agent *g, const struct json *node)
{
    const struct json *list = json_path(node, "status", "conditions", NULL);
    str have = S("");
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            have = json_get_str(&list->items[i], S("status"));
    }
    if (str_is(have, agent_is_ready(g) ? "True" : "False"))
        return;
    if (g->status_busy) { /* whose words came first is not known: once more when the call has ended */
        g->status_again = g->status_void = true;
        return;
    }
    if (!g->status_reported)
        return;
    free(TAKE(g->status_reported));
    nsec_t now = loop_now(g->loop), at = g->status_at + RENEW_MIN_NS;
    loop_timer_set(g->loop, &g->lease_timer, now);
    loop_timer_set(g->loop, &g->status_timer, MAX(now, at));
}

/* DIR/pod-cidr: an agent that starts without a server still knows which addresses its pods may have. */
static void keep_cidr(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    err_ignore(file_write_atomic(arena_fmt(&a, "%s/pod-cidr", g->opts.dir).p, g->pod_cidr, 0644, NULL), "the server says it again");
}

static void recall_cidr(struct agent *g)
{
    ARENA_AUTO a = ARENA_INIT;
    char *text;
    size_t len;
    if (g->opts.pod_cidr) {
        g->pod_cidr = str_of(g->opts.pod_cidr);
    } else if (file_read(arena_fmt(&a, "%s/pod-cidr", g->opts.dir).p, CIDR_BYTES, &text, &len, NULL) == 0) {
        g->pod_cidr = arena_str(&g->node_arena, str_trim(str_n(text, len)));
        free(text);
    }
}

static void own_node(struct agent *g, const struct json *node)
{
    mind_ready(g, node);
    str uid = json_get_str(json_get(node, S("metadata")), S("uid")), cidr = json_get_str(json_get(node, S("spec")), S("podCIDR"));
    str overcommit = json_get_str(json_path(node, "metadata", "annotations", NULL), S("cox.io/bandwidth-overcommit"));
    agent_bandwidth_noted(g, json_get_str(json_path(node, "metadata", "annotations", NULL), S(BANDWIDTH_CAPACITY)));
    if (!str_to_double(overcommit, &g->bandwidth_overcommit)) /* the scheduler says what is wrong with it */
        g->bandwidth_overcommit = 0;
    bool lending = str_is(json_get_str(json_path(node, "metadata", "annotations", NULL), S(BANDWIDTH_LENDING)), "true");
    g->bandwidth_lent_shown = json_path(node, "status", "allocatable", BANDWIDTH_LENT_EGRESS, NULL) != NULL;
    if (lending != g->bandwidth_lending) {
        g->bandwidth_lending = lending;
        agent_node_status_soon(g);
    }
    str domain = json_get_str(json_path(node, "metadata", "labels", NULL), S(DOMAIN_LABEL));
    if (!str_eq(domain, str_of(g->domain ? g->domain : ""))) {
        free(g->domain);
        g->domain = domain.len ? str_dup(domain) : NULL;
        g->links_stale = true;
    }
    if (!str_eq(uid, g->node_uid))
        g->node_uid = arena_str(&g->node_arena, uid);
    if (cidr.len && !str_eq(cidr, g->pod_cidr)) {
        g->pod_cidr = arena_str(&g->node_arena, cidr);
        g->network_ready = false;
        keep_cidr(g);
    }
    open_network(g);
}

static void peer_free(struct peer *p)
{
    free(p->name);
    free(p->ip);
    free(p->cidr);
    free(p->domain);
    free(p);
}

static void drop_peer(struct agent *g, str name)
{
    struct peer *p = map_del(&g->peers, name);
    if (!p)
        return;
    peer_free(p);
    g->peers_changed = g->links_stale = true;
}

static str internal_ip(const struct json *node)
{
    const struct json *list = json_path(node, "status", "addresses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), "InternalIP"))
            return json_get_str(&list->items[i], S("address"));
    }
    return S("");
}

static void other_node(struct agent *g, const struct json *node, str name)
{
    str ip = internal_ip(node), cidr = json_get_str(json_get(node, S("spec")), S("podCIDR"));
    str domain = json_get_str(json_path(node, "metadata", "labels", NULL), S(DOMAIN_LABEL));
    struct peer *old = map_get(&g->peers, name);
    if (old && str_eq(str_of(old->ip), ip) && str_eq(str_of(old->cidr), cidr) && str_eq(str_of(old->domain), domain)) {
        old->round = g->peers_round;
        return;
    }
    drop_peer(g, name);
    if (!ip.len || !cidr.len || str_eq(ip, g->node_ip)) /* simulated nodes have no address, several agents of a machine share one */
        return;
    struct peer *p = xcalloc(1, sizeof *p);
    *p = (struct peer){str_dup(name), str_dup(ip), str_dup(cidr), str_dup(domain), g->peers_round};
    map_put(&g->peers, str_of(p->name), p);
    g->peers_changed = g->links_stale = true;
}

size_t agent_domain_nets(const struct agent *g, struct arena *a, str domain, bool of_nodes, str *ret, size_t max)
{
    size_t n = 0;
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        struct in_addr ip;
        bool usable = of_nodes ? inet_pton(AF_INET, p->ip, &ip) == 1 : !strchr(p->cidr, ':');
        if (usable && str_eq(str_of(p->domain), domain) && n < max)
            ret[n++] = of_nodes ? arena_fmt(a, "%s/32", p->ip) : arena_str(a, str_of(p->cidr));
    }
    if (n)
        qsort(ret, n, sizeof *ret, str_cmp_void); /* the same nodes are the same list */
    return n;
}

static int by_domain(const void *a, const void *b)
{
    const struct peer *const *x = a, *const *y = b;
    int r = strcmp((*x)->domain, (*y)->domain);
    return r ? r : strcmp((*x)->name, (*y)->name);
}

size_t agent_domain_links(const struct agent *g, struct arena *a, struct agent_link **ret)
{
    const struct peer **all = arena_array(a, g->peers.len, const struct peer *);
    size_t npeers = 0, n = 0;
    map_foreach(e, &g->peers) {
        const struct peer *p = e->value;
        /* whatever a label may hold: a domain is a namespace */
        if (g->domain && strcmp(p->domain, g->domain) != 0 && !validate_dns1123_label(str_of(p->domain)))
            all[npeers++] = p;
    }
    *ret = NULL;
    if (!npeers)
        return 0;
    qsort(all, npeers, sizeof *all, by_domain);
    struct agent_link *links = arena_array(a, g->peers.len, struct agent_link);
    str *nets = arena_array(a, 2 * g->peers.len, str);
    for (size_t i = 0; i < npeers; i++, nets += 2) {
        if (!i || strcmp(all[i]->domain, all[i - 1]->domain) != 0)
            links[n++] = (struct agent_link){.domain = arena_str(a, str_of(all[i]->domain)), .nets = nets};
        nets[0] = arena_str(a, str_of(all[i]->cidr));
        nets[1] = arena_fmt(a, "%s/32", all[i]->ip);
        links[n - 1].nnets += 2;
    }
    *ret = links;
    return n;
}

static void on_node_event(struct informer *inf, struct informer_event *ev)
{
    struct agent *g = informer_owner(inf);
    str name = informer_event_name(ev);
    bool is_own = str_is(name, g->opts.node_name);
    if (ev->change == INFORMER_DELETED) {
        if (is_own) {
            g->registered = false;
            loop_timer_set(g->loop, &g->register_timer, loop_now(g->loop) + REGISTER_RETRY_NS);
        } else {
            drop_peer(g, name);
        }
    } else {
        const struct json *node = informer_event_object(ev);
        if (node && is_own)
            own_node(g, node);
        else if (node && g->opts.network)
            other_node(g, node, name);
    }
    if (g->peers_changed && informer_is_synced(inf))
        send_peers(g);
}

static void on_nodes_begin(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    g->peers_round++;
}

/* Nodes that the list did not show went while nobody watched. */
static void on_nodes_synced(struct informer *inf)
{
    struct agent *g = informer_owner(inf);
    VEC(struct peer *) old = {0};
    map_foreach(e, &g->peers) {
        struct peer *p = e->value;
        if (p->round != g->peers_round)
            vec_push(&old, p);
    }
    for (size_t i = 0; i < old.len; i++) {
        map_del(&g->peers, str_of(old.p[i]->name));
        peer_free(old.p[i]);
        g->peers_changed = g->links_stale = true;
    }
    vec_fini(&old);
    if (g->peers_changed)
        send_peers(g);
}

bool agent_is_ready(const struct agent *g)
{
    return has_network(g) && clock_mono(g->clock) >= g->cert_wanted_until;
}

void agent_node_start(struct agent *g)
{
    if (g->opts.cert_is_stopgap && g->streams)
        g->cert_wanted_until = clock_mono(g->clock) + CERT_PATIENCE_NS;
    g->lease_timer.fire = on_lease_timer;
    g->status_timer.fire = on_status_timer;
    g->register_timer.fire = on_register_timer;
    g->network_timer.fire = on_network_timer;
    recall_cidr(g);
    open_network(g);
    loop_timer_set(g->loop, &g->register_timer, loop_now(g->loop));
    g->node_informer = informer_new(&(struct informer_opts){.transport = g->transport, .loop = g->loop, .path = S("/api/v1/nodes"), .begin = on_nodes_begin, .event = on_node_event, .synced = on_nodes_synced, .owner = g});
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
    map_foreach(e, &g->peers)
        peer_free(e->value);
    map_fini(&g->peers);
    free(TAKE(g->status_reported));
    free(TAKE(g->images_text));
    free(TAKE(g->domain));
}
