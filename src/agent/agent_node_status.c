/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_node_status.h"

#include "agent/agent_node.h"
#include "api/quantity.h"
#include "base/civil.h"
#include "base/log.h"
#include "base/version.h"

#define STATUS_NS (10 * NSEC_PER_SEC)
#define STATUS_MAX_AGE_NS (300 * NSEC_PER_SEC)
#define IMAGES_REPORTED 50

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

bool agent_is_ready(const struct agent *g)
{
    return has_network(g) && clock_mono(g->clock) >= g->cert_wanted_until;
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

struct json agent_node_status(struct agent *g, struct arena *a)
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
    struct json status = agent_node_status(g, &a), patch = json_object();
    if (is_same_status(g->status_reported, &status) && now - g->status_at < STATUS_MAX_AGE_NS)
        return;
    free(g->status_reported);
    g->status_reported = str_dup(json_text(&a, &status));
    g->status_at = now;
    g->status_busy = true;
    json_set(&a, &patch, S("status"), status);
    agent_call(g, "PATCH", agent_node_path(g, &a, "/status"), "application/strategic-merge-patch+json", json_text(&a, &patch), on_status_sent, NULL);
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

void agent_node_status_start(struct agent *g)
{
    g->status_timer.fire = on_status_timer;
}
