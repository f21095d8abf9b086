/* live_backfill.c - how long the work of each queue has waited, and for what (policy/backfill.c). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

/* --- metrics ------------------------------------------------------------------------------------------------------------------------------------------- */
static const struct {
    const char *name, *help;
    size_t at; /* a time in struct policy_waiting */
} ages[] = {
    {"cox_queue_starvation_seconds", "For how long the first unit has found no room that its queue is within its share with; 0: none.", offsetof(struct policy_waiting, starved_ns)},
    {"cox_queue_oldest_pending_seconds", "Age of the oldest unit that waits; 0: none.", offsetof(struct policy_waiting, oldest_ns)},
};
static const char *const verdicts[POLICY_NO_FIT + 1] = {[POLICY_NEW] = "new", [POLICY_KEPT] = "kept", [POLICY_QUEUE] = "queue", [POLICY_INCOMPLETE] = "incomplete", [POLICY_GATED] = "gated", [POLICY_NO_FIT] = "no_room"};

static void add_up(struct policy_waiting *to, const struct policy_waiting *of)
{
    to->oldest_ns = !to->oldest_ns ? of->oldest_ns : !of->oldest_ns ? to->oldest_ns : MIN(to->oldest_ns, of->oldest_ns);
    to->starved_ns = !to->starved_ns ? of->starved_ns : !of->starved_ns ? to->starved_ns : MIN(to->starved_ns, of->starved_ns);
    for (size_t i = 0; i < ARRAY_LEN(to->units); i++)
        to->units[i] += of->units[i];
}

/* Lines of one pool's queues, each to its metric: the ages, then what is waited for. */
static void add_pool(nsec_t now, struct policy *p, struct strbuf *to)
{
    const struct queues *q = policy_queues(p);
    size_t room = queues_capacity(q);
    queue_id *all = xarray(room + 1, queue_id);
    size_t n = queues_list(q, all, room);
    struct policy_waiting *of = xarray(room + 1, struct policy_waiting);
    for (size_t i = 0; i < n; i++) {
        struct policy_waiting one;
        policy_waiting(p, all[i], &one);
        for (queue_id id = all[i]; id; id = queues_get(q, id)->parent)
            add_up(&of[id], &one);
    }
    for (size_t i = 0; i < n; i++) {
        str name = queues_get(q, all[i])->name;
        for (size_t g = 0; g < ARRAY_LEN(ages); g++) {
            nsec_t since = *(const nsec_t *)((const char *)&of[all[i]] + ages[g].at);
            strbuf_addf(&to[g], "%s{queue_name=\"" STR_FMT "\"} %.3f\n", ages[g].name, STR_ARG(name), since ? (double)MAX(now - since, (nsec_t)0) / 1e9 : 0);
        }
        for (size_t v = 0; v < ARRAY_LEN(verdicts); v++)
            if (verdicts[v])
                strbuf_addf(&to[ARRAY_LEN(ages)], "cox_queue_pending_units{queue_name=\"" STR_FMT "\",reason=\"%s\"} %u\n", STR_ARG(name), verdicts[v], of[all[i]].units[v]);
    }
    free(of);
    free(all);
}

void live_backfill_metrics(const struct live *l, struct strbuf *out)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf to[ARRAY_LEN(ages) + 1];
    size_t reservations = 0;
    for (size_t g = 0; g < ARRAY_LEN(to); g++)
        to[g] = strbuf_on(&a);
    for (size_t g = 0; g < ARRAY_LEN(ages); g++)
        strbuf_addf(&to[g], "# HELP %s %s\n# TYPE %s gauge\n", ages[g].name, ages[g].help, ages[g].name);
    strbuf_add_str(&to[ARRAY_LEN(ages)], S("# HELP cox_queue_pending_units Units that wait, by what for.\n# TYPE cox_queue_pending_units gauge\n"));
    for (size_t i = 0; i < l->policy->npools; i++) {
        add_pool(live_now(l), l->policy->pools[i]->p, to);
        reservations += policy_reservations(l->policy->pools[i]->p);
    }
    for (size_t g = 0; g < ARRAY_LEN(to); g++)
        strbuf_add_str(out, strbuf_str(&to[g]));
    strbuf_addf(out, "# HELP cox_scheduler_reservations Units that room is reserved for while others end.\n# TYPE cox_scheduler_reservations gauge\ncox_scheduler_reservations %zu\n", reservations);
}
