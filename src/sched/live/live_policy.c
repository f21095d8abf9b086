/* live_policy.c - the batch policy as a part of the live scheduler.
 *
 *   Queue objects ─► policy ◄─ the engine's own changes         units that name a queue are the policy's, all others the dispatcher's
 *   a turn: a round of each pool's policy ─► binds, evictions, nominations ─► status of the queues, at most once a second
 * The policy is at work once the server has Queue objects at all (discovery says so); before that a label that names a queue means nothing, and every unit is the dispatcher's.  Should the
 * kind go away again, work of queues waits: all of it at once, past every limit, is not what anybody wants of a server that answers badly for a moment.
 * There is a policy for each node pool (live_pools.c, live_shards.c), one when there are none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"
#include "sched/engine/explain.h"
#include "sched/engine/unit.h"
#include "sched/live/live_internal.h"
#include "sched/policy/object_queue.h"
#include "sched/policy/simulate.h"

#define STATUS_EVERY_NS NSEC_PER_SEC
#define STATUS_SHARE 50 /* of the scheduler's time one part in so many goes into it at most */
#define STATUS_UNITS 100u
#define STATUS_REFUSED_NS (9 * NSEC_PER_SEC)
/* A unit is told why it waits after a moment: most start within it. */
#define SAY_AFTER_NS (500 * NSEC_PER_MSEC)

static struct live_pool *pool_of(const struct live *l, unit_id u)
{
    return live_policy_pool(l, symbol_text(&l->s->sym, l->s->units[u].pool));
}

/* --- whose is it? ------------------------------------------------------------------------------------------------------------------------------- */
const struct policy *live_policy_of(const struct live *l, unit_id u)
{
    const struct live_pool *pool = pool_of(l, u);
    return pool ? pool->p : l->policy->pools[0]->p;
}

void live_policy_why(const struct live *l, unit_id u, struct policy_why *ret)
{
    policy_why_brief(live_policy_of(l, u), u, ret);
    if (!pool_of(l, u)) /* nobody schedules there */
        *ret = (struct policy_why){.verdict = POLICY_QUEUE, .queue = QUEUE_MISSING};
}

bool live_policy_is_on(const struct live *l)
{
    return l->policy->is_on;
}

bool live_policy_takes(const struct live *l, unit_id u)
{
    return l->policy->is_on && l->s->units[u].queue;
}

void live_policy_wake(struct live *l)
{
    if (l->policy->has_units)
        return;
    l->policy->has_units = l->policy->status_stale = true;
    for (size_t i = 0; i < l->policy->npools; i++)
        policy_listen(l->policy->pools[i]->p, true);
}

void live_policy_unit(struct live *l, unit_id u)
{
    live_policy_wake(l);
    l->policy->status_stale = true;
    live_say_later(l, u, UNIT_REJECTED, POD_NONE, 0, live_now(l) + SAY_AFTER_NS);
}

void live_policy_start(struct live *l)
{
    struct live_policy *x = l->policy;
    if (x->is_on)
        return;
    x->is_on = true;
    live_twins_clear(l);
    if (l->pod_listing)
        live_shards_again(l);
    dispatcher_leave_batch(l->d);
    for (unit_id u = 1; u < l->s->nunits_slots; u++)
        if (l->s->units[u].used && l->s->units[u].queue)
            live_queue_unit(l, u);
    live_wake(l);
}

/* --- queues --------------------------------------------------------------------------------------------------------------------------------------- */
static void notes_grow(struct live_pool *x)
{
    size_t room = queues_capacity(policy_queues(x->p));
    if (room <= x->nnotes)
        return;
    x->notes = xrealloc(x->notes, room * sizeof *x->notes);
    memset(x->notes + x->nnotes, 0, (room - x->nnotes) * sizeof *x->notes);
    x->nnotes = room;
}

void live_policy_stale(struct live *l)
{
    l->policy->status_stale = true;
    live_groups_stale(l);
}

static void queue_delete(struct live_pool *x, str name)
{
    queue_id id = queues_find(policy_queues(x->p), name);
    if (!id)
        return;
    if (id < x->nnotes)
        x->notes[id] = (struct queue_note){0};
    policy_queue_delete(x->p, name);
}

/* The pool that a queue belongs to, and no other one any more; NULL: no shard is for it. */
static struct live_pool *queue_pool(struct live *l, const struct json *obj, str name)
{
    struct live_pool *mine = live_policy_pool(l, json_get_str(json_path(obj, "metadata", "labels", NULL), S(POOL_LABEL)));
    for (size_t i = 0; i < l->policy->npools; i++)
        if (l->policy->pools[i] != mine)
            queue_delete(l->policy->pools[i], name);
    return mine;
}

int live_policy_put(struct live *l, struct arena *a, const struct json *obj, struct err *err)
{
    struct queue_spec q;
    int r = object_queue(l->s, a, obj, &q, err);
    if (r < 0)
        return r;
    live_shards_queue(l, q.name, obj);
    struct live_pool *x = queue_pool(l, obj, q.name);
    if (!x)
        return 0;
    if (live_shards_is_flat(l, x))
        q.parent = S("");
    /* most changes are of a status, our own: a put makes all accounts anew */
    const struct json *spec = json_get(obj, S("spec"));
    uint64_t hash = (spec ? str_hash(json_text(a, spec)) : 0) ^ str_hash(q.uid) * 31 ^ str_hash(q.parent) * 37 ^ 1;
    queue_id id = queues_find(policy_queues(x->p), q.name);
    if (id && id < x->nnotes && x->notes[id].put == hash)
        return 0;
    r = policy_queue_put(x->p, &q, err);
    id = queues_find(policy_queues(x->p), q.name);
    notes_grow(x);
    if (r == 0 && id)
        x->notes[id].put = hash;
    live_policy_stale(l);
    return r;
}

void live_policy_delete(struct live *l, str name)
{
    for (size_t i = 0; i < l->policy->npools; i++)
        queue_delete(l->policy->pools[i], name);
    live_shards_queue(l, name, NULL);
    live_policy_stale(l);
}

/* --- decisions -------------------------------------------------------------------------------------------------------------------------------------- */
void live_policy_events(struct live *l, uint64_t events)
{
    if (!l->policy->is_on)
        return;
    for (size_t i = 0; i < l->policy->npools; i++)
        policy_events(l->policy->pools[i]->p, events);
    if (events && l->policy->has_units)
        live_policy_stale(l);
}

/* Decides and hands on to the binder; true: there is more to do at once. */
static bool pool_decide(struct live *l, struct live_pool *pool, nsec_t now)
{
    struct live_policy *x = l->policy;
    if (!live_usage_is_ready(pool->usage))
        return false;
    policy_round(pool->p, now, &pool->d);
    pool->again_ns = pool->d.again_ns;
    for (size_t i = 0; i < pool->d.list.len; i++) {
        const struct policy_decision *d = &pool->d.list.p[i];
        x->taken[d->action]++;
        x->evicted[d->action] += d->d.victims.len;
        live_groups_evicted(l, d);
        size_t first = l->actions.len;
        binder_carry_out(l->b, d->unit, &d->d, now);
        for (size_t k = first; k < l->actions.len; k++)
            l->actions.p[k].policy = (uint8_t)(d->action + 1);
    }
    if (pool->d.list.len)
        live_policy_stale(l);
    return pool->d.more;
}

bool live_policy_decide(struct live *l, nsec_t now)
{
    struct live_policy *x = l->policy;
    bool more = false;
    if (!x->is_on || !x->has_units)
        return false;
    for (size_t i = 0; i < x->npools; i++)
        more |= pool_decide(l, x->pools[i], now);
    return more;
}

/* It looks at every unit, so with many of them it is made less often. */
static nsec_t status_due(const struct live_policy *x)
{
    return x->status_at + MAX(STATUS_EVERY_NS, x->status_took * STATUS_SHARE);
}

nsec_t live_policy_due(const struct live *l)
{
    const struct live_policy *x = l->policy;
    nsec_t due = x->status_stale ? status_due(x) : INT64_MAX;
    for (size_t i = 0; i < x->npools; i++)
        if (x->has_units && live_usage_is_ready(x->pools[i]->usage)) /* who waits for an answer is woken by it */
            due = MIN(due, x->pools[i]->again_ns);
    return x->is_on ? due : INT64_MAX;
}

/* --- status of queues ----------------------------------------------------------------------------------------------------------------------------------- */
struct tally { /* of a queue */
    uint32_t running, pending;
    queue_id first_child, next_sibling; /* in the order of names */
    VEC(unit_id) others; /* that are not in line: those that run, then those that are held or kept; STATUS_UNITS of each at most */
    size_t nrun;
};

static void note_other(const struct live_pool *pool, struct tally *t, unit_id u, bool runs)
{
    size_t held = t->others.len - t->nrun;
    if ((runs ? t->nrun : held) >= STATUS_UNITS || (!runs && policy_is_in_line(pool->p, u)))
        return;
    vec_push(&t->others, u);
    if (!runs || !held) {
        t->nrun += runs;
        return;
    }
    t->others.p[t->others.len - 1] = t->others.p[t->nrun]; /* the first of those behind it goes to the end */
    t->others.p[t->nrun++] = u;
}

/* Every unit once, to its leaf and those above. */
static void count_units(struct live *l, const struct live_pool *pool, struct tally *t, size_t n)
{
    const struct queues *q = policy_queues(pool->p);
    struct sched *s = l->s;
    for (unit_id u = 1; u < s->nunits_slots; u++) {
        if (!policy_has(pool->p, u) || !s->units[u].pods.len)
            continue;
        queue_id leaf = queues_find(q, symbol_text(&s->sym, s->units[u].queue));
        struct unit_counts c = unit_count(s, u);
        bool runs = c.placed > 0;
        if (!leaf || leaf >= n || (!runs && !c.waiting && !c.gated))
            continue;
        note_other(pool, &t[leaf], u, runs);
        for (queue_id id = leaf; id; id = queues_get(q, id)->parent) {
            t[id].running += runs;
            t[id].pending += !runs;
        }
    }
}

void live_amounts_add(struct live *l, const struct queues *q, struct strbuf *b, const char *key, const struct policy_amounts *v, enum live_zeros zeros)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *comma = "";
    strbuf_addf(b, ",\"%s\":{", key);
    for (uint32_t i = 0; i < queues_nslots(q); i++) {
        uint16_t r = queues_slot_resource(q, i);
        if ((!v->v[i] && zeros == ZEROS_LEFT_OUT) || v->v[i] == POLICY_UNLIMITED)
            continue;
        strbuf_add_str(b, str_of(comma));
        json_write_string(b, sched_resource_name(l->s, r));
        if (v->v[i] || zeros == ZEROS_WRITTEN)
            strbuf_addf(b, ":\"" STR_FMT "\"", STR_ARG(queue_quantity(&a, q, i, v->v[i])));
        else
            strbuf_add_str(b, S(":null"));
        comma = ",";
    }
    strbuf_add_char(b, '}');
}

static void add_numbers(struct live *l, const struct queues *q, struct strbuf *b, const char *key, const double *v, bool is_part)
{
    bool first = true;
    strbuf_addf(b, ",\"%s\":{", key);
    for (uint32_t i = 0; i < queues_nslots(q); i++) {
        if (v[i] == 0 || (is_part && v[i] < 0.0005))
            continue;
        strbuf_addf(b, "%s", first ? "" : ",");
        json_write_string(b, sched_resource_name(l->s, queues_slot_resource(q, i)));
        strbuf_addf(b, is_part ? ":%.3f" : ":%.4g", v[i]); /* parts move all the time: not a write for each step */
        first = false;
    }
    strbuf_add_char(b, '}');
}

static str unit_name(struct live *l, unit_id u, str *ret_ns)
{
    const struct unit *x = &l->s->units[u];
    if (x->is_group) {
        *ret_ns = symbol_text(&l->s->sym, x->ns);
        return symbol_text(&l->s->sym, x->name);
    }
    *ret_ns = sched_pod_ns(l->s, x->pods.p[0]);
    return sched_pod_name(l->s, x->pods.p[0]);
}

static void add_unit(struct live *l, struct strbuf *b, unit_id u, uint32_t position, bool runs)
{
    str ns, name = unit_name(l, u, &ns);
    strbuf_add_str(b, S("{\"name\":"));
    json_write_string(b, name);
    strbuf_add_str(b, S(",\"namespace\":"));
    json_write_string(b, ns);
    if (position)
        strbuf_addf(b, ",\"position\":%u", position);
    strbuf_addf(b, ",\"state\":\"%s\"},", runs ? "Running" : "Pending");
}

/* Those that run, then the line from its front, then those that are held; of too many, the line has its place first. */
static void add_units(struct live *l, const struct live_pool *pool, struct strbuf *b, queue_id id, const struct tally *t)
{
    unit_id line[STATUS_UNITS];
    size_t n = policy_line(pool->p, id, line, STATUS_UNITS), nrun = MIN(t->nrun, STATUS_UNITS - n), nheld = MIN(t->others.len - t->nrun, STATUS_UNITS - n - nrun);
    strbuf_add_str(b, S(",\"units\":["));
    for (size_t i = 0; i < nrun; i++)
        add_unit(l, b, t->others.p[i], 0, true);
    for (size_t i = 0; i < n; i++)
        if (!unit_count(l->s, line[i]).placed) /* else it runs, and waits for more members */
            add_unit(l, b, line[i], (uint32_t)i + 1, false);
    for (size_t i = 0; i < nheld; i++)
        add_unit(l, b, t->others.p[t->nrun + i], 0, false);
    if (b->p[b->len - 1] == ',')
        b->len--;
    strbuf_add_char(b, ']');
}

/* Each queue below its parent, in the order of the list. */
static void link_children(const struct queues *q, struct tally *t, const queue_id *all, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        const struct queue_state *c = queues_get(q, all[i]);
        if (!c->parent || c->is_lost)
            continue;
        t[all[i]].next_sibling = t[c->parent].first_child;
        t[c->parent].first_child = all[i];
    }
}

static void add_children(const struct queues *q, struct strbuf *b, const struct tally *t, queue_id parent)
{
    strbuf_add_str(b, S("\"childQueues\":["));
    for (queue_id id = t[parent].first_child; id; id = t[id].next_sibling) {
        if (id != t[parent].first_child)
            strbuf_add_char(b, ',');
        json_write_string(b, queues_get(q, id)->name);
    }
    strbuf_add_char(b, ']');
}

static void write_status(struct live *l, struct live_pool *x, queue_id id, const struct tally *all)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct queues *qs = policy_queues(x->p);
    const struct queue_state *q = queues_get(qs, id);
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    strbuf_add_str(&b, S("{\"status\":{"));
    add_children(qs, &b, all, id);
    live_amounts_add(l, qs, &b, "allocated", &q->allocated, ZEROS_WRITTEN);
    live_amounts_add(l, qs, &b, "allocatedNonPreemptible", &q->allocated_fixed, ZEROS_WRITTEN);
    live_amounts_add(l, qs, &b, "requested", &q->requested, ZEROS_WRITTEN);
    live_amounts_add(l, qs, &b, "deserved", &q->quota, ZEROS_WRITTEN);
    live_amounts_add(l, qs, &b, "fairShare", &q->fair, ZEROS_WRITTEN);
    add_numbers(l, qs, &b, "overQuotaWeight", q->weight, false);
    add_numbers(l, qs, &b, "usage", q->usage, true);
    strbuf_addf(&b, ",\"runningUnits\":%u,\"pendingUnits\":%u", all[id].running, all[id].pending);
    add_units(l, x, &b, id, &all[id]);
    strbuf_add_str(&b, S("}}"));
    uint64_t hash = str_hash(strbuf_str(&b));
    if (x->notes[id].said == hash)
        return;
    x->notes[id].said = hash;
    strbuf_add_str(&path, S("/apis/scheduling.run.ai/v2/queues"));
    client_path_add(&path, q->name);
    strbuf_add_str(&path, S("/status"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

/* What was refused was not said: all is said again, after a while. */
void live_policy_refused(struct live *l)
{
    struct live_policy *x = l->policy;
    for (size_t k = 0; k < x->npools; k++)
        for (size_t i = 0; i < x->pools[k]->nnotes; i++)
            x->pools[k]->notes[i].said = 0;
    x->status_stale = true;
    x->status_at = live_now(l) + STATUS_REFUSED_NS;
}

static void pool_status(struct live *l, struct live_pool *pool)
{
    size_t room = queues_capacity(policy_queues(pool->p));
    queue_id *all = xarray(room + 1, queue_id);
    struct tally *t = xarray(room + 1, struct tally);
    size_t n = queues_list(policy_queues(pool->p), all, room);
    notes_grow(pool);
    link_children(policy_queues(pool->p), t, all, n);
    if (l->policy->has_units)
        count_units(l, pool, t, room);
    for (size_t i = 0; i < n; i++)
        write_status(l, pool, all[i], t);
    for (size_t i = 0; i < room; i++)
        vec_fini(&t[i].others);
    free(t);
    free(all);
}

void live_policy_status(struct live *l, nsec_t now)
{
    struct live_policy *x = l->policy;
    if (!x->is_on || !x->status_stale || now < status_due(x))
        return;
    nsec_t start = clock_mono(l->opts.clock);
    x->status_stale = false;
    x->status_at = now;
    for (size_t i = 0; !l->opts.no_queue_status && i < x->npools; i++)
        pool_status(l, x->pools[i]);
    x->status_took = clock_mono(l->opts.clock) - start;
}

/* --- why -------------------------------------------------------------------------------------------------------------------------------------------------- */
/* Queues that a unit does not find because of its pool; "": it is not that. */
static str pool_sentence(struct live *l, struct arena *a, unit_id u, const struct policy_why *why)
{
    str asked = symbol_text(&l->s->sym, l->s->units[u].queue), pool = symbol_text(&l->s->sym, l->s->units[u].pool);
    if (why->verdict != POLICY_QUEUE || why->queue != QUEUE_MISSING)
        return S("");
    if (!pool_of(l, u))
        return arena_fmt(a, "no SchedulingShard is for node pool \"" STR_FMT "\" (label " POOL_LABEL ")", STR_ARG(pool));
    if (l->policy->is_split && pool.len)
        return arena_fmt(a, "queue \"" STR_FMT "\" does not exist in node pool \"" STR_FMT "\": queues of a pool have its label " POOL_LABEL, STR_ARG(asked), STR_ARG(pool));
    if (l->policy->is_split)
        return arena_fmt(a, "queue \"" STR_FMT "\" does not exist among those without the label " POOL_LABEL, STR_ARG(asked));
    return S("");
}

str live_policy_sentence(struct live *l, struct arena *a, unit_id u)
{
    struct policy_why why;
    live_policy_why(l, u, &why);
    str of_pool = pool_sentence(l, a, u, &why);
    return of_pool.len ? of_pool : policy_sentence(live_policy_of(l, u), a, u, &why);
}

bool live_policy_waits(struct live *l, unit_id u)
{
    struct policy_why why;
    live_policy_why(l, u, &why);
    return why.verdict != POLICY_RUNNING && why.verdict != POLICY_GATED;
}

void live_policy_explain(struct live *l, struct arena *a, unit_id u, pod_id p, struct json *record)
{
    static const char *const of_nodes[] = {"nearest", "reasons"};
    struct policy_why why;
    const struct queues *q = policy_queues(live_policy_of(l, u));
    if (pool_of(l, u))
        policy_why(live_policy_of(l, u), u, &why);
    else
        live_policy_why(l, u, &why);
    struct json obj = json_object();
    json_set(a, &obj, S("name"), json_string(symbol_text(&l->s->sym, l->s->units[u].queue)));
    if (why.position)
        json_set(a, &obj, S("position"), json_int(a, why.position));
    json_set(a, &obj, S("preemptible"), json_bool(!why.fixed));
    json_set(a, &obj, S("asks"), queue_amounts(a, l->s, q, &why.ask));
    json_set(a, &obj, S("fairShare"), queue_amounts(a, l->s, q, &why.fair));
    json_set(a, &obj, S("allocated"), queue_amounts(a, l->s, q, &why.allocated));
    json_set(a, record, S("queue"), obj);
    if (l->s->pods[p].state < PS_ASSUMED) {
        json_set(a, record, S("message"), json_string(live_policy_sentence(l, a, u)));
        json_del(record, S("preemption")); /* those are the rules of Kubernetes, and do not count here */
        for (size_t i = 0; why.verdict != POLICY_NO_FIT && i < ARRAY_LEN(of_nodes); i++)
            json_del(record, str_of(of_nodes[i]));
    }
    if (why.position)
        json_set(a, record, S("queuePosition"), json_int(a, why.position));
}

/* For the length of a question the engine knows the priority classes that work may name; pods of the API bring their numbers along. */
static void classes_known(struct live *l, bool on)
{
    map_foreach(e, &l->classes)
    {
        if (on)
            sched_priority_class_put(l->s, e->key, (int32_t)((int64_t)(intptr_t)e->value - LIVE_CLASS_BIAS), false, false);
        else
            sched_priority_class_delete(l->s, e->key);
    }
}

static void dress(void *arg, struct pod_spec *spec)
{
    live_shards_dress(arg, spec);
}

int live_simulate(struct live *l, struct arena *a, str queue, const struct json *question, struct json *ret, struct err *err)
{
    struct live_pool *x = NULL;
    if (!l->synced)
        return err_set(err, E_UNAVAILABLE, "the scheduler is still reading the cluster; try again");
    for (size_t i = 0; l->policy->is_on && i < l->policy->npools && !x; i++)
        x = queues_find(policy_queues(l->policy->pools[i]->p), queue) ? l->policy->pools[i] : NULL;
    if (!x)
        return err_set(err, E_UNAVAILABLE, "the scheduler has not seen queue \"" STR_FMT "\" yet; try again", STR_ARG(queue));
    policy_listen(x->p, true);
    classes_known(l, true);
    int r = simulate_ask(x->p, a, queue, question, live_now(l), &(struct simulate_dress){dress, l}, ret, err);
    classes_known(l, false);
    policy_listen(x->p, l->policy->has_units);
    return r;
}

struct gauge {
    const char *name, *help;
    uint16_t resource;
    double unit; /* 0: it is a part, as a double */
    size_t at;   /* in struct queue_state */
};

static void write_gauge(const struct queues *q, const struct gauge *g, struct strbuf *out)
{
    size_t room = queues_capacity(q);
    queue_id *all = xarray(room + 1, queue_id);
    size_t n = queues_list(q, all, room);
    int slot = queues_slot(q, g->resource);
    for (size_t i = 0; slot >= 0 && i < n; i++) {
        const struct queue_state *s = queues_get(q, all[i]);
        const char *at = (const char *)s + g->at;
        int64_t v = g->unit > 0 ? ((const struct policy_amounts *)at)->v[slot] : 0;
        strbuf_addf(out, "%s{queue_name=\"" STR_FMT "\"} %.10g\n", g->name, STR_ARG(s->name),
                    g->unit <= 0 ? ((const double *)(const void *)at)[slot] : v == POLICY_UNLIMITED ? -1 : (double)v / g->unit);
    }
    free(all);
}

void live_policy_metrics(const struct live *l, struct strbuf *out)
{
    static const char *const labels[POLICY_ACTIONS] = {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction", "runtimelimit"};
    const struct live_policy *x = l->policy;
    if (!x->is_on)
        return;
    strbuf_add_str(out, S("# HELP kai_podgroups_scheduled_by_action Units that an action of the batch policy started or made room for.\n# TYPE kai_podgroups_scheduled_by_action counter\n"));
    for (size_t i = 0; i < POLICY_ACTIONS; i++)
        strbuf_addf(out, "kai_podgroups_scheduled_by_action{action=\"%s\"} %llu\n", labels[i], (unsigned long long)x->taken[i]);
    strbuf_add_str(out, S("# HELP kai_pod_group_evicted_pods_total Pods that had to give way, by action.\n# TYPE kai_pod_group_evicted_pods_total counter\n"));
    for (size_t i = 0; i < POLICY_ACTIONS; i++)
        strbuf_addf(out, "kai_pod_group_evicted_pods_total{action=\"%s\"} %llu\n", labels[i], (unsigned long long)x->evicted[i]);
    static const struct gauge gauges[] = {
        {"kai_queue_fair_share_gpu", "GPUs that the queue comes to.", RES_GPU, 1000, offsetof(struct queue_state, fair)},
        {"kai_queue_fair_share_cpu_cores", "Cores that the queue comes to.", RES_CPU, 1000, offsetof(struct queue_state, fair)},
        {"kai_queue_fair_share_memory_gb", "Memory that the queue comes to, in 10^9 bytes.", RES_MEMORY, 1e9, offsetof(struct queue_state, fair)},
        {"kai_queue_deserved_gpus", "GPUs that the queue is owed.", RES_GPU, 1000, offsetof(struct queue_state, quota)},
        {"kai_queue_allocated_gpus", "GPUs that the queue has.", RES_GPU, 1000, offsetof(struct queue_state, allocated)},
        {"kai_queue_allocated_cpu_cores", "Cores that the queue has.", RES_CPU, 1000, offsetof(struct queue_state, allocated)},
        {"kai_queue_allocated_memory_bytes", "Bytes of memory that the queue has.", RES_MEMORY, 1, offsetof(struct queue_state, allocated)},
        {"kai_queue_gpu_usage", "Part of all GPUs of the past that the queue held, the recent past counting more.", RES_GPU, 0, offsetof(struct queue_state, usage)},
        {"kai_queue_cpu_usage", "The same of cores.", RES_CPU, 0, offsetof(struct queue_state, usage)},
        {"kai_queue_memory_usage", "The same of memory.", RES_MEMORY, 0, offsetof(struct queue_state, usage)},
    };
    for (size_t g = 0; g < ARRAY_LEN(gauges); g++) {
        strbuf_addf(out, "# HELP %s %s\n# TYPE %s gauge\n", gauges[g].name, gauges[g].help, gauges[g].name);
        for (size_t i = 0; i < x->npools; i++)
            write_gauge(policy_queues(x->pools[i]->p), &gauges[g], out);
    }
    live_backfill_metrics(l, out);
    live_defrag_metrics(l, out);
}
