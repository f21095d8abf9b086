/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/object_queue.h"

#include "api/codec_scalar.h"
#include "base/limits.h"
#include "sched/engine/object_read.h"

#define QUEUE_PRIORITY 100
#define WEIGHT_MOST 1e9
#define DURATION_MOST (LIMIT_SCHED_DURATION_S * NSEC_PER_SEC)

/* KAI's word for GPUs, alone or with a model, is short for the resource's. */
static str long_name(struct reader *r, str name)
{
    if (str_is(name, "gpu"))
        return S("nvidia.com/gpu");
    return str_has_prefix(name, S("gpu:")) ? arena_cat(r->a, S("nvidia.com/"), name) : name;
}

/* What one unit of the object is in units of the tree. */
static double scale_of(const struct reader *r, uint16_t resource)
{
    bool is_model = str_has_prefix(sched_resource_name(r->s, resource), S(QUEUE_MODEL_PREFIX));
    return resource == RES_GPU || is_model ? GPU_MILLI : resource == RES_MEMORY ? 1e6 : 1;
}

/* -1: without end. */
static int64_t read_amount(struct reader *r, const struct json *of, const struct spot *at, const char *key, uint16_t resource, int64_t otherwise)
{
    const struct json *v = json_get(of, str_of(key));
    double n;
    if (!v || json_is(v, JSON_NULL))
        return otherwise;
    if (!json_to_double(v, &n) || (n < 0 && n != -1)) {
        read_bad(r, SPOT(at, key), "must be a number that is not negative, or -1 for no end");
        return otherwise;
    }
    if (n < 0)
        return POLICY_UNLIMITED;
    n *= scale_of(r, resource);
    return n >= (double)AMOUNT_MOST ? AMOUNT_MOST : (int64_t)(n + 0.5);
}

static double read_weight(struct reader *r, const struct json *of, const struct spot *at)
{
    const struct json *v = json_get(of, S("overQuotaWeight"));
    double n = 1;
    if (!v || json_is(v, JSON_NULL))
        return 1;
    if (!json_to_double(v, &n) || n < 0)
        read_bad(r, SPOT(at, "overQuotaWeight"), "must be a number that is not negative");
    return MIN(n, WEIGHT_MOST);
}

static void read_resources(struct reader *r, const struct json *spec, const struct spot *at, struct queue_spec *ret)
{
    const struct json *map = read_object(r, spec, at, "resources");
    static const uint16_t usual[] = {RES_CPU, RES_MEMORY};
    struct queue_resource *list = arena_array(r->a, (map ? map->len : 0) + ARRAY_LEN(usual), struct queue_resource);
    size_t n = 0;
    for (uint32_t i = 0; map && i < map->len; i++) {
        str name = long_name(r, map->members[i].key);
        const struct json *of = &map->members[i].value;
        const struct spot *here = SPOT_STR(SPOT(at, "resources"), map->members[i].key);
        struct queue_resource *q = &list[n];
        struct err why = ERR_NONE;
        if (json_is(of, JSON_NULL))
            continue;
        if (!json_is(of, JSON_OBJECT)) {
            read_bad(r, here, "must be an object with quota, overQuotaWeight and limit");
        } else if (sched_resource_id(r->s, name, &q->id, &why) < 0) {
            read_bad(r, here, "%s", why.msg);
        } else {
            q->quota = read_amount(r, of, here, "quota", q->id, 0);
            q->limit = read_amount(r, of, here, "limit", q->id, POLICY_UNLIMITED);
            q->weight = read_weight(r, of, here);
            q->name = name;
            n++;
        }
    }
    /* who shares GPUs alone means the rest to be free: without a quota, work that cannot be preempted would never start for want of cpu */
    for (size_t u = 0; u < ARRAY_LEN(usual); u++) {
        bool named = false;
        for (size_t i = 0; i < n; i++)
            named |= list[i].id == usual[u];
        if (!named)
            list[n++] = (struct queue_resource){.id = usual[u], .quota = POLICY_UNLIMITED, .weight = 1, .limit = POLICY_UNLIMITED, .name = sched_resource_name(r->s, usual[u])};
    }
    ret->res = list;
    ret->nres = n;
}

static nsec_t read_duration(struct reader *r, const struct json *of, const struct spot *at, const char *key, nsec_t otherwise)
{
    str text = read_str(r, of, at, key);
    struct err why = ERR_NONE;
    int64_t ns = 0;
    if (!text.len)
        return otherwise;
    if (codec_duration_parse(r->a, text, &ns, &why) < 0 || ns < 0)
        read_bad(r, SPOT(at, key), "must be a duration such as 30s, 10m or 24h");
    return MIN(ns, DURATION_MOST); /* sums with times stay in range */
}

int object_queue(struct sched *s, struct arena *a, const struct json *obj, struct queue_spec *ret, struct err *err)
{
    struct reader r = READER(s, a, err);
    const struct json *meta = read_object(&r, obj, NULL, "metadata"), *spec = read_object(&r, obj, NULL, "spec");
    const struct spot *at = SPOT(NULL, "spec");
    *ret = (struct queue_spec){.name = read_str(&r, meta, SPOT(NULL, "metadata"), "name"),
                               .uid = read_str(&r, meta, SPOT(NULL, "metadata"), "uid"),
                               .created_ns = read_time(&r, meta, SPOT(NULL, "metadata"), "creationTimestamp"),
                               .parent = read_str(&r, spec, at, "parentQueue"),
                               .priority = (int32_t)read_int(&r, spec, at, "priority", INT32_MIN, INT32_MAX, QUEUE_PRIORITY)};
    read_resources(&r, spec, at, ret);
    ret->preempt_min_runtime_ns = read_duration(&r, spec, at, "preemptMinRuntime", -1);
    ret->reclaim_min_runtime_ns = read_duration(&r, spec, at, "reclaimMinRuntime", -1);
    ret->max_runtime_ns = read_duration(&r, spec, at, "maxRuntime", 0);
    return r.code;
}

str queue_quantity(struct arena *a, const struct queues *q, uint32_t slot, int64_t amount)
{
    long long n = (long long)amount;
    bool thousandths = queues_slot_resource(q, slot) == RES_CPU || queues_slot_is_gpu(q, slot);
    if (!thousandths || n % 1000 == 0)
        return arena_fmt(a, "%lld", thousandths ? n / 1000 : n);
    return arena_fmt(a, "%lldm", n);
}

struct json queue_amounts(struct arena *a, const struct sched *s, const struct queues *q, const struct policy_amounts *v)
{
    struct json obj = json_object();
    for (uint32_t i = 0; i < queues_nslots(q); i++)
        if (v->v[i] && v->v[i] != POLICY_UNLIMITED)
            json_set(a, &obj, arena_str(a, sched_resource_name(s, queues_slot_resource(q, i))), json_string(queue_quantity(a, q, i, v->v[i])));
    return obj;
}
