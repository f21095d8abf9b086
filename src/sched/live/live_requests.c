/* live_requests.c - BindRequests (scheduling.run.ai/v1alpha2): a record of each bind of a unit in a queue, as users of KAI look for it.
 *
 *   decided ─► PATCH bindrequests/POD (apply: made, or made anew)      spec: pod, node, how it gets its GPUs; its owner is the pod
 *   bound, refused ─► PATCH .../status                                 Succeeded, or Failed with the reason and the number of tries; before that it has none
 * Nobody acts by them: the bind itself is one request, as ever.  They are written behind it, and only with opts.bind_requests: two writes more for each pod.  When more is
 * waiting to be written than WORDS_QUEUE, records are left out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"
#include "sched/engine/devices.h"
#include "sched/live/live_internal.h"
#include "wire/json.h"

#define WORDS_QUEUE 1024u
#define API "scheduling.run.ai/v1alpha2"

static bool is_due(const struct live *l, pod_id p)
{
    return unlikely(l->opts.bind_requests) && live_policy_takes(l, l->s->pods[p].unit) && outbox_len(l->words) < WORDS_QUEUE;
}

static void add_path(struct strbuf *b, const struct live *l, pod_id p, const char *more)
{
    strbuf_add_str(b, S("/apis/" API "/namespaces"));
    client_path_add(b, sched_pod_ns(l->s, p));
    strbuf_add_str(b, S("/bindrequests"));
    client_path_add(b, sched_pod_name(l->s, p));
    strbuf_add_str(b, str_of(more));
}

static bool has_partitions(const struct sched *s, const struct pod_class *c)
{
    for (uint32_t i = 0; i < c->nreq; i++)
        if (str_has_prefix(sched_resource_name(s, c->req[i].id), S("nvidia.com/mig-")))
            return true;
    return false;
}

/* Parts of shared devices are named by node and number: there are no reservation pods here whose names KAI would give. */
static void add_gpus(struct live *l, struct strbuf *b, pod_id p, node_id n)
{
    const struct pod_class *c = class_of(l->s, p);
    bool shared = c->gpu.kind == GPU_FRACTION || c->gpu.kind == GPU_MEMORY;
    int64_t milli = c->gpu.kind == GPU_NONE ? 0 : MAX(devices_milli(l->s, c, n), 0);
    const char *comma = "";
    strbuf_addf(b, ",\"receivedResourceType\":\"%s\"", shared ? "Fraction" : has_partitions(l->s, c) ? "MigInstance" : "Regular");
    if (c->gpu.kind != GPU_NONE)
        strbuf_addf(b, ",\"receivedGPU\":{\"count\":%u,\"portion\":\"%lld.%02lld\"}", c->gpu.count, (long long)milli / GPU_MILLI, (long long)(milli % GPU_MILLI / 10));
    if (!shared)
        return;
    strbuf_add_str(b, S(",\"selectedGPUGroups\":["));
    for (unsigned i = 0; i < GPU_MAX; i++)
        if (l->s->pods[p].gpu_mask >> i & 1) {
            strbuf_add_str(b, str_of(comma));
            ARENA_AUTO a = ARENA_INIT;
            json_write_string(b, arena_fmt(&a, STR_FMT "/%u", STR_ARG(sched_node_name(l->s, n)), i));
            comma = ",";
        }
    strbuf_add_char(b, ']');
}

void live_request_made(struct live *l, pod_id p, node_id n)
{
    if (likely(!is_due(l, p)))
        return;
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    str name = sched_pod_name(l->s, p);
    add_path(&path, l, p, "?fieldManager=cox-scheduler&force=true");
    strbuf_add_str(&b, S("{\"apiVersion\":\"" API "\",\"kind\":\"BindRequest\",\"metadata\":{\"name\":"));
    json_write_string(&b, name);
    strbuf_add_str(&b, S(",\"labels\":{\"selected-node\":"));
    json_write_string(&b, sched_node_name(l->s, n));
    strbuf_add_str(&b, S("},\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":"));
    json_write_string(&b, name);
    strbuf_add_str(&b, S(",\"uid\":"));
    json_write_string(&b, sched_pod_uid(l->s, p));
    strbuf_add_str(&b, S("}]},\"spec\":{\"podName\":"));
    json_write_string(&b, name);
    strbuf_add_str(&b, S(",\"selectedNode\":"));
    json_write_string(&b, sched_node_name(l->s, n));
    add_gpus(l, &b, p, n);
    strbuf_add_str(&b, S("}}"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/apply-patch+yaml", strbuf_str(&b));
}

void live_request_done(struct live *l, pod_id p, const char *failure, uint32_t failures)
{
    if (likely(!is_due(l, p)))
        return;
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    add_path(&path, l, p, "/status");
    strbuf_addf(&b, "{\"status\":{\"phase\":\"%s\",\"failedAttempts\":%u,\"reason\":", failure ? "Failed" : "Succeeded", failures);
    if (failure)
        json_write_string(&b, str_of(failure));
    else
        strbuf_add_str(&b, S("null"));
    strbuf_add_str(&b, S("}}"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}
