/* pod_resources.c - requests and limits: QoS class, cgroup limits of containers and pods, who is killed first when memory is out.
 *
 *   shares = milli * 1024 / 1000 of the request, 2 at least;  quota = milli * 100 us of the limit, 1,000 us at least
 *
 * A pod asks for the sum of its main containers and sidecars, or for the largest init container with the sidecars before it if that is more; overhead comes on top. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#include "api/quantity.h"

#define SHARES_MIN 2
#define SHARES_MAX 262144
#define QUOTA_MIN_US 1000
#define OOM_GUARANTEED -997
#define OOM_BEST_EFFORT 1000
#define PIDS_DEFAULT 4096 /* processes and threads of a pod: what large programs need, an eighth of the usual pid_max */
#define NODE_CRITICAL 2000001000 /* priority of system-node-critical */

enum res { RES_CPU, RES_MEMORY, RES_HUGE_2M, RES_HUGE_1G, RES_COUNT };
static const str res_names[RES_COUNT] = {STR_INIT("cpu"), STR_INIT("memory"), STR_INIT("hugepages-2Mi"), STR_INIT("hugepages-1Gi")};

struct amounts {
    int64_t v[RES_COUNT]; /* cpu in milli, others in bytes */
    bool has[RES_COUNT];  /* named, and not 0 */
};

static int64_t clamp_add(int64_t x, int64_t y)
{
    int64_t sum;
    return __builtin_add_overflow(x, y, &sum) ? INT64_MAX : sum;
}

static struct amounts read_amounts(const struct json *list)
{
    struct amounts a = {0};
    for (size_t i = 0; i < RES_COUNT; i++) {
        struct quantity q;
        if (!quantity_parse(json_str(json_get(list, res_names[i])), &q) || quantity_sign(&q) <= 0)
            continue;
        a.v[i] = i == RES_CPU ? quantity_to_milli(&q) : quantity_to_i64(&q);
        a.has[i] = true;
    }
    return a;
}

static struct amounts requests_of(const struct json *container)
{
    const struct json *r = json_get(container, S("resources"));
    struct amounts req = read_amounts(json_get(r, S("requests"))), lim = read_amounts(json_get(r, S("limits")));
    for (size_t i = 0; i < RES_COUNT; i++)
        if (!json_get(json_get(r, S("requests")), res_names[i]) && lim.has[i]) {
            req.v[i] = lim.v[i];
            req.has[i] = true;
        }
    return req;
}

static struct amounts limits_of(const struct json *container)
{
    return read_amounts(json_get(json_get(container, S("resources")), S("limits")));
}

/* --- the pod as a whole ----------------------------------------------------------------------------------- */
static bool is_sidecar(const struct json *container)
{
    return str_is(json_get_str(container, S("restartPolicy")), "Always");
}

static void add_to(struct amounts *sum, const struct amounts *x)
{
    for (size_t i = 0; i < RES_COUNT; i++) {
        sum->v[i] = clamp_add(sum->v[i], x->v[i]);
        sum->has[i] |= x->has[i];
    }
}

/* *ret_all[i]: every container names it. */
static struct amounts pod_sum(const struct json *pod, struct amounts (*of)(const struct json *container), bool *ret_all)
{
    const struct json *spec = json_get(pod, S("spec")), *main = json_get(spec, S("containers")), *init = json_get(spec, S("initContainers"));
    struct amounts sum = {0}, sidecars = {0}, peak = {0};
    for (size_t i = 0; i < RES_COUNT; i++)
        ret_all[i] = true;
    for (uint32_t i = 0; json_is(init, JSON_ARRAY) && i < init->len; i++) {
        struct amounts x = of(&init->items[i]);
        for (size_t k = 0; k < RES_COUNT; k++)
            ret_all[k] &= x.has[k];
        add_to(&x, &sidecars);
        for (size_t k = 0; k < RES_COUNT; k++)
            peak.v[k] = MAX(peak.v[k], x.v[k]);
        if (is_sidecar(&init->items[i]))
            sidecars = x;
    }
    for (uint32_t i = 0; json_is(main, JSON_ARRAY) && i < main->len; i++) {
        struct amounts x = of(&main->items[i]);
        add_to(&sum, &x);
        for (size_t k = 0; k < RES_COUNT; k++)
            ret_all[k] &= x.has[k];
    }
    add_to(&sum, &sidecars);
    for (size_t k = 0; k < RES_COUNT; k++)
        sum.v[k] = MAX(sum.v[k], peak.v[k]);
    return sum;
}

const char *pod_qos(const struct json *pod)
{
    static const char *const classes[] = {"Guaranteed", "Burstable", "BestEffort"};
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    str known = json_get_str(json_get(pod, S("status")), S("qosClass")); /* set for good when the pod was created */
    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        if (str_is(known, classes[i]))
            return classes[i];
    bool guaranteed = true, any = false;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(json_get(pod, S("spec")), lists[l]);
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
            struct amounts req = requests_of(&all->items[i]), lim = limits_of(&all->items[i]);
            for (size_t k = RES_CPU; k <= RES_MEMORY; k++) {
                any |= req.has[k] || lim.has[k];
                guaranteed &= lim.has[k] && req.v[k] == lim.v[k];
            }
        }
    }
    return classes[!any ? 2 : guaranteed ? 0 : 1];
}

static uint64_t shares_of(int64_t milli)
{
    int64_t shares = milli > INT64_MAX / 1024 ? SHARES_MAX : milli * 1024 / 1000;
    return (uint64_t)MIN(MAX(shares, (int64_t)SHARES_MIN), (int64_t)SHARES_MAX);
}

static uint64_t quota_of(int64_t milli)
{
    return milli <= 0 ? 0 : milli > INT64_MAX / 100 ? 0 : (uint64_t)MAX(milli * 100, (int64_t)QUOTA_MIN_US);
}

static void to_limits(const struct amounts *req, const struct amounts *lim, struct cgroup_limits *ret)
{
    *ret = (struct cgroup_limits){.cpu_shares = shares_of(req->v[RES_CPU]),
                                  .cpu_quota_us = quota_of(lim->v[RES_CPU]),
                                  .memory_bytes = (uint64_t)lim->v[RES_MEMORY],
                                  .hugepages_2mi = (uint64_t)lim->v[RES_HUGE_2M],
                                  .hugepages_1gi = (uint64_t)lim->v[RES_HUGE_1G]};
}

void container_limits(const struct json *container, struct cgroup_limits *ret)
{
    struct amounts req = requests_of(container), lim = limits_of(container);
    to_limits(&req, &lim, ret);
    ret->oom_group = true;
}

/* spec.resources, where a pod has limits as a whole, goes before the sums. */
static void pod_level(const struct json *pod, struct amounts *req, struct amounts *lim, bool *all)
{
    const struct json *spec = json_get(pod, S("spec"));
    struct amounts r = requests_of(spec), l = limits_of(spec);
    for (size_t i = 0; i < RES_COUNT; i++) {
        req->v[i] = r.has[i] ? r.v[i] : req->v[i];
        lim->v[i] = l.has[i] ? l.v[i] : lim->v[i];
        all[i] |= l.has[i];
    }
}

void pod_limits(const struct json *pod, const struct build_node *node, struct cgroup_limits *ret)
{
    bool all_req[RES_COUNT], all[RES_COUNT];
    struct amounts req = pod_sum(pod, requests_of, all_req), lim = pod_sum(pod, limits_of, all);
    struct amounts overhead = read_amounts(json_get(json_get(pod, S("spec")), S("overhead")));
    pod_level(pod, &req, &lim, all);
    add_to(&req, &overhead);
    for (size_t i = 0; i < RES_COUNT; i++) /* a pod with one container without a limit has none itself */
        lim.v[i] = all[i] && lim.v[i] ? clamp_add(lim.v[i], overhead.v[i]) : i >= RES_HUGE_2M ? lim.v[i] : 0;
    to_limits(&req, &lim, ret);
    ret->pids = node->pids_limit < 0 ? 0 : (uint64_t)(node->pids_limit ? node->pids_limit : PIDS_DEFAULT);
}

/* --- out of memory ---------------------------------------------------------------------------------------- */
static int64_t score(int64_t request, int64_t memory)
{
    return memory <= 0 ? 999 : 1000 - (int64_t)((__int128)1000 * request / memory);
}

int container_oom_score(const struct json *pod, const struct json *container, const struct build_node *node)
{
    const struct json *spec = json_get(pod, S("spec")), *main = json_get(spec, S("containers"));
    const char *qos = pod_qos(pod);
    if (json_get_int(spec, S("priority"), 0) >= NODE_CRITICAL || strcmp(qos, "Guaranteed") == 0)
        return OOM_GUARANTEED;
    if (strcmp(qos, "BestEffort") == 0)
        return OOM_BEST_EFFORT;
    int64_t s = score(requests_of(container).v[RES_MEMORY], node->memory_bytes);
    if (is_sidecar(container)) { /* not before all of those that need it */
        int64_t first = 0;
        for (uint32_t i = 0; json_is(main, JSON_ARRAY) && i < main->len; i++)
            first = MAX(first, score(requests_of(&main->items[i]).v[RES_MEMORY], node->memory_bytes));
        s = MIN(s, first);
    }
    return (int)MIN(MAX(s, (int64_t)(1000 + OOM_GUARANTEED)), (int64_t)999);
}
