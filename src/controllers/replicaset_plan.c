/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/replicaset_plan.h"

struct rank {
    struct pod_record *pod;
    size_t crowd; /* pods of the set on the same node */
    size_t at;    /* keeps the order of equals */
};

/* a ? a goes first : b goes first */
static int first(bool a, bool b)
{
    return (int)b - (int)a;
}

static int less(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int phase_rank(enum pod_phase p)
{
    return p == POD_PENDING ? 0 : p == POD_UNKNOWN ? 1 : 2;
}

static int compare(const void *va, const void *vb)
{
    const struct rank *ra = va, *rb = vb;
    const struct pod_record *a = ra->pod, *b = rb->pod;
    const int steps[] = {
        first(!a->node.len, !b->node.len),
        less(phase_rank(a->phase), phase_rank(b->phase)),
        first(!a->ready, !b->ready),
        less(a->deletion_cost, b->deletion_cost),
        less((int64_t)rb->crowd, (int64_t)ra->crowd),
        a->ready && b->ready ? less(b->ready_since, a->ready_since) : 0,
        less(b->restarts, a->restarts),
        less(b->created, a->created),
        less((int64_t)ra->at, (int64_t)rb->at),
    };
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (steps[i])
            return steps[i];
    return 0;
}

struct replica_plan replica_plan_make(struct arena *a, struct pod_record **pods, size_t n, int64_t wanted)
{
    wanted = MAX(wanted, (int64_t)0);
    if ((int64_t)n <= wanted)
        return (struct replica_plan){.create = wanted - (int64_t)n};
    struct rank *ranks = arena_array(a, n, struct rank);
    struct map nodes = MAP_INIT; /* name -> size_t, how many */
    for (size_t i = 0; i < n; i++) {
        size_t *count = map_get(&nodes, pods[i]->node);
        if (!count && pods[i]->node.len)
            map_put(&nodes, pods[i]->node, count = arena_new(a, size_t));
        if (count)
            ++*count;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t *count = map_get(&nodes, pods[i]->node);
        ranks[i] = (struct rank){pods[i], count ? *count : 0, i};
    }
    map_fini(&nodes);
    qsort(ranks, n, sizeof *ranks, compare);
    for (size_t i = 0; i < n; i++)
        pods[i] = ranks[i].pod;
    return (struct replica_plan){.delete = n - (size_t)wanted};
}

static bool has_labels(const struct pod_record *p, const struct json *labels)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json have = pod_labels(p, &a);
    for (uint32_t i = 0; json_is(labels, JSON_OBJECT) && i < labels->len; i++)
        if (!str_eq(json_get_str(&have, labels->members[i].key), json_str(&labels->members[i].value)))
            return false;
    return true;
}

struct replica_counts replica_count(struct pod_record *const *pods, size_t n, const struct json *labels, nsec_t min_ready, nsec_t now)
{
    struct replica_counts c = {.replicas = (int64_t)n};
    for (size_t i = 0; i < n; i++) {
        nsec_t left;
        c.labeled += has_labels(pods[i], labels);
        c.ready += pods[i]->ready;
        c.available += pod_is_available(pods[i], min_ready, now, &left);
        if (left && (!c.next || left < c.next))
            c.next = left;
    }
    return c;
}

nsec_t replica_wait(struct pod_record *const *pods, size_t n, int64_t wanted, nsec_t now)
{
    int64_t failures = 0;
    nsec_t last = 0, delay = NSEC_PER_SEC;
    for (size_t i = 0; i < n; i++) {
        nsec_t at = MAX(pods[i]->finished_at, pods[i]->created);
        if (pods[i]->phase != POD_FAILED || at <= now - REPLICA_FAILURE_WINDOW_NS)
            continue;
        failures++;
        last = MAX(last, at);
    }
    int64_t rounds = failures ? (failures - 1) / MAX(wanted, (int64_t)1) : 0;
    for (int64_t i = 1; i < rounds && delay < REPLICA_DELAY_MAX_NS; i++)
        delay *= 2;
    delay = MIN(delay, (nsec_t)REPLICA_DELAY_MAX_NS);
    return rounds ? MAX(MIN(last + delay - now, delay), (nsec_t)0) : 0;
}
