/* words.c - why a unit waits, as a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "sched/engine/explain.h"
#include "sched/policy/policy_state.h"

#define NODES_NAMED 4u

static str amount_text(const struct policy *p, struct arena *a, uint32_t slot, int64_t n)
{
    const struct queues *q = p->q;
    if (n == POLICY_UNLIMITED)
        return S("no end");
    if (!queues_slot_is_gpu(q, slot))
        return explain_amount(a, p->s, queues_slot_resource(q, slot), n);
    str model = queues_slot_model(q, slot);
    return arena_fmt(a, STR_FMT " GPU%s%s" STR_FMT, STR_ARG(n % 1000 ? arena_fmt(a, "%.2f", (double)n / 1000) : arena_fmt(a, "%lld", (long long)(n / 1000))), n == 1000 ? "" : "s",
                     model.len ? " of model " : "", STR_ARG(model));
}

/* "; nodes with GPU model A100 are not for it: queue "a" would pass its limit or quota of 4 GPUs of model A100" */
static void add_bar(const struct policy *p, struct strbuf *b, const struct queue_blame *bar)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct queues *q = p->q;
    const struct queue_state *of = bar->queue ? queues_get(q, bar->queue) : NULL;
    if (of)
        strbuf_addf(b, "; nodes with GPU model " STR_FMT " are left out: queue \"" STR_FMT "\" may have " STR_FMT " and has " STR_FMT, STR_ARG(queues_slot_model(q, bar->slot)), STR_ARG(of->name),
                    STR_ARG(amount_text(p, &a, bar->slot, bar->may)), STR_ARG(amount_text(p, &a, bar->slot, bar->have)));
}

static str queue_sentence(const struct policy *p, struct arena *a, unit_id u, const struct policy_why *why)
{
    const struct queues *q = p->q;
    str asked = symbol_text(&p->s->sym, p->s->units[u].queue);
    const struct queue_state *blamed = why->blame.queue ? queues_get(q, why->blame.queue) : NULL;
    str name = blamed ? blamed->name : asked;
    uint32_t r = why->blame.slot;
    switch (why->queue) {
    case QUEUE_MISSING:
        return arena_fmt(a, "queue \"" STR_FMT "\" does not exist", STR_ARG(asked));
    case QUEUE_NOT_LEAF:
        return arena_fmt(a, "queue \"" STR_FMT "\" is made of other queues; only those without any take work", STR_ARG(asked));
    case QUEUE_LOST:
        return arena_fmt(a, "queue \"" STR_FMT "\" is a part of one that does not exist", STR_ARG(asked));
    case QUEUE_OVER_LIMIT:
        return arena_fmt(a, "queue \"" STR_FMT "\" would pass its limit of " STR_FMT ": it has " STR_FMT ", and " STR_FMT " more are asked for", STR_ARG(name),
                         STR_ARG(amount_text(p, a, r, why->blame.may)), STR_ARG(amount_text(p, a, r, why->blame.have)), STR_ARG(amount_text(p, a, r, why->blame.ask)));
    case QUEUE_FIXED_OVER_QUOTA:
        return arena_fmt(a, "work that cannot be preempted has to stay within the quota of queue \"" STR_FMT "\", " STR_FMT ": " STR_FMT " are taken by such work, and " STR_FMT
                            " more are asked for", STR_ARG(name), STR_ARG(amount_text(p, a, r, why->blame.may)), STR_ARG(amount_text(p, a, r, why->blame.have)),
                         STR_ARG(amount_text(p, a, r, why->blame.ask)));
    case QUEUE_OK:
        break;
    }
    return S("");
}

static const char *const tried_words[] = {
    [TRIED_NOT] = "",
    [TRIED_NO_CLAIM] = "it would go beyond its queue's fair share",
    [TRIED_NOBODY] = "there is nobody who would have to give way",
    [TRIED_NO_ROOM] = "it would not fit even if all gave way who would have to",
    [TRIED_UNFAIR] = "others would be left with less of their share than it has",
    [TRIED_TOO_SOON] = "its like were evicted again and again, so it waits before it evicts others",
    [TRIED_DELAYED] = "it asked to wait for a while before others are evicted for it",
};
_Static_assert(ARRAY_LEN(tried_words) == TRIED_DELAYED + 1, "a word for each");
static const char *const action_names[POLICY_ACTIONS] = {"allocate", "consolidation", "reclaim", "preemption", "stale gangs", "run-time limits"};

static void add_tried(struct strbuf *b, const struct policy_why *why)
{
    for (size_t i = POLICY_CONSOLIDATE; i <= POLICY_PREEMPT; i++)
        if (why->tried[i] != TRIED_NOT)
            strbuf_addf(b, "; %s does not help: %s", action_names[i], tried_words[why->tried[i]]);
}

static str time_text(struct arena *a, nsec_t at)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    return arena_str(a, str_of(text));
}

static str unit_text(const struct policy *p, struct arena *a, unit_id u)
{
    const struct unit *x = &p->s->units[u];
    if (x->is_group)
        return arena_fmt(a, "group " STR_FMT, STR_ARG(x->key));
    return arena_fmt(a, "pod " STR_FMT "/" STR_FMT, STR_ARG(sched_pod_ns(p->s, x->pods.p[0])), STR_ARG(sched_pod_name(p->s, x->pods.p[0])));
}

static void add_reserved(const struct policy *p, struct arena *a, struct strbuf *b, unit_id u, nsec_t start_ns)
{
    node_id nodes[NODES_NAMED];
    size_t n = policy_reserved(p, u, nodes, NODES_NAMED);
    strbuf_add_str(b, S("; room is reserved for it on "));
    for (size_t i = 0; i < MIN(n, (size_t)NODES_NAMED); i++)
        strbuf_addf(b, "%s" STR_FMT, i ? ", " : "", STR_ARG(sched_node_name(p->s, nodes[i])));
    if (n > NODES_NAMED)
        strbuf_addf(b, " and %zu more", n - NODES_NAMED);
    if (start_ns == INT64_MAX)
        strbuf_add_str(b, S(", where it starts when what runs there has ended; nobody said when that is"));
    else
        strbuf_addf(b, ", expected start " STR_FMT, STR_ARG(time_text(a, start_ns)));
}

static void add_room(const struct policy *p, struct arena *a, struct strbuf *b, unit_id u, const struct policy_why *why)
{
    if (why->reserved)
        add_reserved(p, a, b, u, why->start_ns);
    if (why->kept_for && p->s->units[why->kept_for].used && p->s->units[why->kept_for].pods.len) {
        strbuf_addf(b, "; room that would do is kept free for " STR_FMT, STR_ARG(unit_text(p, a, why->kept_for)));
        if (why->kept_until_ns == INT64_MAX)
            strbuf_add_str(b, S(" until that starts"));
        else
            strbuf_addf(b, " until " STR_FMT, STR_ARG(time_text(a, why->kept_until_ns)));
    }
    if (why->delayed_ns)
        strbuf_addf(b, "; nobody is evicted for it before " STR_FMT ", as it asked", STR_ARG(time_text(a, why->delayed_ns)));
    if (why->gave_up)
        strbuf_add_str(b, S("; it is not tried again until nodes change (schedulingBackoff)"));
}

str policy_sentence(const struct policy *p, struct arena *a, unit_id u, const struct policy_why *why)
{
    struct strbuf b = strbuf_on(a);
    str queue = symbol_text(&p->s->sym, p->s->units[u].queue);
    switch (why->verdict) {
    case POLICY_QUEUE:
        strbuf_add_str(&b, queue_sentence(p, a, u, why));
        add_room(p, a, &b, u, why);
        return strbuf_str(&b);
    case POLICY_INCOMPLETE:
        return explain_waiting(p->s, a, u, 0, &(struct unit_decision){.result = UNIT_INCOMPLETE})->sentence;
    case POLICY_GATED:
        return explain_waiting(p->s, a, u, 0, &(struct unit_decision){.result = UNIT_GATED})->sentence;
    case POLICY_KEPT:
        return arena_fmt(a, "room is kept for it in queue \"" STR_FMT "\"; it starts when those who give way have gone", STR_ARG(queue));
    case POLICY_NO_FIT:
        strbuf_add_str(&b, explain_waiting(p->s, a, u, 0, &(struct unit_decision){.result = UNIT_REJECTED, .rejected_by = why->rejected_by})->sentence);
        add_bar(p, &b, &why->bar);
        break;
    default:
        strbuf_add_str(&b, S("waits for its turn"));
    }
    add_tried(&b, why);
    add_room(p, a, &b, u, why);
    return strbuf_str(&b);
}
