/* live_defrag.c - the rescheduler: pods are moved so that more GPUs and nodes are whole, within a budget.  Off unless a SchedulingShard asks for it (defragment-every).
 *
 *   every so often, nothing of ours on its way ─► policy_defragment ─► GET each pod: who makes it again? ─► POST Movement ─► its status: where to ─► evict, one after the other
 *                                                                          │ nobody, or those of its owner did not go where they were sent: it is left alone from now on
 * The Movement is Gödel's, and obeyed by live_move.c as one of anybody else.  It is also our memory: those of the last hour say what has been spent of the hour, also after a restart, and the next plan waits until
 * the pods of the last one have come again (or for SETTLE_NS).  Evictions go through pods/eviction: the server has the last word about disruption budgets.
 * Threads: the loop's.  Limits: one plan at a time; ALONE pods that are left alone are remembered. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"
#include "sched/live/live_internal.h"
#include "wire/json.h"

#define API "scheduling.godel.kubewharf.io/v1alpha1"
#define SETTLE_NS (600 * NSEC_PER_SEC)
#define LOOK_NS (2 * NSEC_PER_SEC) /* while something is on its way */
#define SEEN_NS (10 * NSEC_PER_SEC) /* by then the watch has shown what was made, or somebody has deleted it */
#define ALONE 4096u
#define AGAIN 64u /* plans in a row that end at a pod which is left alone: then the next one waits for its time */

struct task {
    pod_id pod;
    uint32_t stamp;
    char *to; /* node */
    str ns, name, uid;                     /* of the pod, which may be gone when the answer comes; on the arena */
    str owner_kind, owner_name, owner_uid; /* the same */
};
struct live_defrag {
    struct live *l;
    struct outbox_item item;
    bool busy, again; /* again: the last plan ended at a pod that is left alone, there may be one without it */
    uint32_t agains;
    size_t pool; /* of the last plan */
    enum { STEP_READ, STEP_MAKE, STEP_SAY, STEP_EVICT } step;
    size_t at; /* task */
    VEC(struct task) tasks;
    struct policy_whole before, after;
    struct arena arena; /* of one plan */
    char name[40];      /* of the last Movement; "": none yet */
    nsec_t made_ns;
    struct strbuf path, body;
    VEC(uint64_t) alone; /* hashes of uids of pods that nobody would make again */
    uint64_t plans, moved, refused;
};

struct live_defrag *live_defrag_new(struct live *l)
{
    struct live_defrag *x = xnew(struct live_defrag);
    x->l = l;
    x->arena = ARENA_INIT;
    return x;
}

static void tasks_clear(struct live_defrag *x)
{
    for (size_t i = 0; i < x->tasks.len; i++)
        free(x->tasks.p[i].to);
    vec_clear(&x->tasks);
    arena_reset(&x->arena);
}

void live_defrag_free(struct live_defrag *x)
{
    if (!x)
        return;
    tasks_clear(x);
    vec_fini(&x->tasks);
    vec_fini(&x->alone);
    arena_fini(&x->arena);
    strbuf_fini(&x->path);
    strbuf_fini(&x->body);
    free(x);
}

/* --- one request after the other --------------------------------------------------------------------------------------------------------------- */
static void send(struct live_defrag *x, const char *method, const char *content_type)
{
    x->item.call.method = str_of(method);
    x->item.call.content_type = str_of(content_type);
    x->item.call.path = strbuf_str(&x->path);
    x->item.call.body = strbuf_str(&x->body);
    x->item.max_tries = 3;
    outbox_add(x->l->binds, &x->item);
}

static void end(struct live_defrag *x)
{
    x->busy = false;
    tasks_clear(x);
    live_wake(x->l);
}

static bool is_there(const struct live_defrag *x, const struct task *t)
{
    return live_is_same(x->l, t->pod, t->stamp) && x->l->s->pods[t->pod].state == PS_BOUND;
}

static void pod_request(struct live_defrag *x, const char *more)
{
    pod_id p = x->tasks.p[x->at].pod;
    strbuf_clear(&x->path);
    strbuf_clear(&x->body);
    live_pod_path(&x->path, sched_pod_ns(x->l->s, p), sched_pod_name(x->l->s, p), more);
}

static void read_next(struct live_defrag *x)
{
    if (!is_there(x, &x->tasks.p[x->at])) {
        end(x);
        return;
    }
    x->step = STEP_READ;
    pod_request(x, "");
    send(x, "GET", "");
}

static void evict_next(struct live_defrag *x)
{
    while (x->at < x->tasks.len && !is_there(x, &x->tasks.p[x->at]))
        x->at++;
    if (x->at == x->tasks.len) {
        end(x);
        return;
    }
    pod_id p = x->tasks.p[x->at].pod;
    x->step = STEP_EVICT;
    pod_request(x, "/eviction");
    strbuf_add_str(&x->body, S("{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":"));
    json_write_string(&x->body, sched_pod_name(x->l->s, p));
    strbuf_add_str(&x->body, S(",\"namespace\":"));
    json_write_string(&x->body, sched_pod_ns(x->l->s, p));
    strbuf_add_str(&x->body, S("},\"deleteOptions\":{\"preconditions\":{\"uid\":"));
    json_write_string(&x->body, sched_pod_uid(x->l->s, p));
    strbuf_add_str(&x->body, S("}}}"));
    send(x, "POST", "application/json");
}

/* --- the Movement ------------------------------------------------------------------------------------------------------------------------------------- */
static void movement_path(struct live_defrag *x, const char *more)
{
    strbuf_clear(&x->path);
    strbuf_clear(&x->body);
    strbuf_add_str(&x->path, S("/apis/" API "/movements"));
    if (*more)
        client_path_add(&x->path, str_of(x->name));
    strbuf_add_str(&x->path, str_of(*more == '/' ? more : ""));
}

static void add_member(struct strbuf *b, const char *key, str value)
{
    strbuf_addf(b, "%s\"%s\":", b->p[b->len - 1] == '{' ? "" : ",", key);
    json_write_string(b, value);
}

static void make(struct live_defrag *x)
{
    struct live *l = x->l;
    x->agains = 0;
    x->made_ns = live_now(l);
    snprintf(x->name, sizeof x->name, LIVE_DEFRAG_CREATOR "-%llx", (unsigned long long)x->made_ns);
    x->step = STEP_MAKE;
    movement_path(x, "");
    struct strbuf *b = &x->body;
    strbuf_addf(b, "{\"apiVersion\":\"" API "\",\"kind\":\"Movement\",\"metadata\":{\"name\":\"%s\"},\"spec\":{\"creator\":\"" LIVE_DEFRAG_CREATOR "\",\"deletedTasks\":[", x->name);
    for (size_t i = 0; i < x->tasks.len; i++) {
        pod_id p = x->tasks.p[i].pod;
        strbuf_add_str(b, i ? S(",{") : S("{"));
        add_member(b, "name", sched_pod_name(l->s, p));
        add_member(b, "namespace", sched_pod_ns(l->s, p));
        add_member(b, "uid", sched_pod_uid(l->s, p));
        add_member(b, "node", sched_node_name(l->s, l->s->pods[p].node));
        strbuf_add_char(b, '}');
    }
    strbuf_add_str(b, S("]}}"));
    send(x, "POST", "application/json");
}

/* How many of the owner's pods go to the node; 0: the task before it said so already. */
static uint32_t count_at(const struct live_defrag *x, size_t at, bool same_node)
{
    const struct task *t = &x->tasks.p[at];
    uint32_t n = 0;
    for (size_t i = 0; i < x->tasks.len; i++) {
        const struct task *o = &x->tasks.p[i];
        if (!str_eq(o->owner_uid, t->owner_uid) || (same_node && strcmp(o->to, t->to)))
            continue;
        if (i < at)
            return 0;
        n++;
    }
    return n;
}

static void say_where_to(struct live_defrag *x)
{
    const char *comma = "";
    x->step = STEP_SAY;
    movement_path(x, "/status");
    struct strbuf *b = &x->body;
    strbuf_add_str(b, S("{\"status\":{\"owners\":["));
    for (size_t i = 0; i < x->tasks.len; i++) {
        const struct task *t = &x->tasks.p[i];
        const char *inner = "";
        if (!count_at(x, i, false))
            continue;
        strbuf_addf(b, "%s{\"owner\":{", comma);
        add_member(b, "type", t->owner_kind);
        add_member(b, "name", t->owner_name);
        add_member(b, "namespace", sched_pod_ns(x->l->s, t->pod));
        add_member(b, "uid", t->owner_uid);
        strbuf_add_str(b, S("},\"recommendedNodes\":["));
        for (size_t k = i; k < x->tasks.len; k++) {
            uint32_t n = str_eq(x->tasks.p[k].owner_uid, t->owner_uid) ? count_at(x, k, true) : 0;
            if (!n)
                continue;
            strbuf_addf(b, "%s{", inner);
            add_member(b, "node", str_of(x->tasks.p[k].to));
            strbuf_addf(b, ",\"desiredPodCount\":%u}", n);
            inner = ",";
        }
        strbuf_add_str(b, S("]}"));
        comma = ",";
    }
    strbuf_add_str(b, S("]}}"));
    send(x, "PATCH", "application/merge-patch+json");
}

/* --- answers ---------------------------------------------------------------------------------------------------------------------------------------------- */
static void leave_alone(struct live_defrag *x, pod_id p)
{
    if (x->alone.len >= ALONE)
        vec_clear(&x->alone); /* those that are still there are asked about again */
    vec_push(&x->alone, str_hash(sched_pod_uid(x->l->s, p)));
}

static void on_read(struct live_defrag *x, int status, str text)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json obj;
    struct task *t = &x->tasks.p[x->at];
    if (status != 200 || json_parse(&a, text, NULL, &obj, &err) < 0 || !is_there(x, t)) {
        end(x);
        return;
    }
    const struct json *refs = json_path(&obj, "metadata", "ownerReferences", NULL), *owner = NULL;
    for (uint32_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++)
        if (json_get_bool(&refs->items[i], S("controller"), false))
            owner = &refs->items[i];
    if (!owner || !json_get_str(owner, S("uid")).len || live_moves_missed(x->l, json_get_str(owner, S("uid")))) { /* evicted, it would be gone; or back where it was */
        leave_alone(x, t->pod);
        x->again = ++x->agains <= AGAIN;
        end(x);
        return;
    }
    t->owner_kind = arena_str(&x->arena, json_get_str(owner, S("kind")));
    t->owner_name = arena_str(&x->arena, json_get_str(owner, S("name")));
    t->owner_uid = arena_str(&x->arena, json_get_str(owner, S("uid")));
    if (++x->at < x->tasks.len)
        read_next(x);
    else
        make(x);
}

static void tell(struct live_defrag *x, const struct task *t)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live *l = x->l;
    str note = arena_fmt(&a, "Moves to node %s: %u whole GPUs and %u whole nodes become %u and %u (Movement %s)", t->to, x->before.gpus, x->before.nodes, x->after.gpus, x->after.nodes, x->name);
    live_event_send(l, &(struct live_event){.type = "Normal", .reason = "Rescheduled", .action = "Defragmenting", .controller = str_of(l->names[0]), .ns = t->ns, .name = t->name, .uid = t->uid,
                                            .note = note});
}

static void on_evicted(struct live_defrag *x, int status)
{
    struct task *t = &x->tasks.p[x->at];
    if (status / 100 == 2) {
        x->moved++;
        tell(x, t);
    } else if (status != 404 && status != 409) {
        x->refused++;
        log_info("a pod is not moved", KV("path", STR_FMT, STR_ARG(x->item.call.path)), KV("status", "%d", status));
    }
    x->at++;
    evict_next(x);
}

static void on_done(struct outbox_item *it)
{
    struct live_defrag *x = container_of(it, struct live_defrag, item);
    int status = it->call.status;
    if (status == OUTBOX_DROPPED || x->l->stopping) {
        x->busy = false;
    } else if (x->step == STEP_READ) {
        on_read(x, status, it->call.response);
    } else if (x->step == STEP_EVICT) {
        on_evicted(x, status);
    } else if (status / 100 != 2) {
        log_warn("a Movement is not taken, nobody is moved", KV("path", STR_FMT, STR_ARG(it->call.path)), KV("status", "%d", status));
        end(x);
    } else if (x->step == STEP_MAKE) {
        say_where_to(x);
    } else {
        x->plans++;
        x->at = 0;
        evict_next(x);
    }
}

/* --- plans ------------------------------------------------------------------------------------------------------------------------------------------------- */
static bool may_move(void *arg, unit_id u)
{
    struct live_defrag *x = arg;
    const struct live *l = x->l;
    const struct unit *unit = &l->s->units[u];
    for (size_t i = 0; x->alone.len && i < unit->pods.len; i++) {
        uint64_t hash = str_hash(sched_pod_uid(l->s, unit->pods.p[i]));
        for (size_t k = 0; k < x->alone.len; k++)
            if (x->alone.p[k] == hash)
                return false;
    }
    return true;
}

/* False: there is no plan. */
static bool begin(struct live_defrag *x, struct policy *p, nsec_t now, uint32_t left)
{
    struct live *l = x->l;
    struct policy_moves m = {0};
    bool found = policy_defragment(p, now, left, may_move, x, &m);
    tasks_clear(x);
    for (size_t i = 0; found && i < m.list.len; i++) {
        pod_id pod = m.list.p[i].pod;
        vec_push(&x->tasks, (struct task){.pod = pod, .stamp = live_note(l, pod)->stamp, .to = str_dup(sched_node_name(l->s, m.list.p[i].to)), .ns = arena_str(&x->arena, sched_pod_ns(l->s, pod)),
                                          .name = arena_str(&x->arena, sched_pod_name(l->s, pod)), .uid = arena_str(&x->arena, sched_pod_uid(l->s, pod))});
    }
    vec_fini(&m.list);
    if (!found)
        return false;
    x->before = m.before;
    x->after = m.after;
    x->busy = true;
    x->at = 0;
    x->item = (struct outbox_item){.done = on_done};
    read_next(x);
    return true;
}

nsec_t live_defrag_turn(struct live *l, nsec_t now)
{
    struct live_defrag *x = l->defrag;
    struct live_pool *const *pools;
    size_t n = live_policy_pools(l, &pools);
    nsec_t next = INT64_MAX;
    if (!live_policy_is_on(l))
        return next;
    for (size_t i = 0; i < n; i++) {
        const struct policy_defrag_opts *o = &policy_get_opts(pools[i]->p)->defrag;
        if (o->every_ns <= 0)
            continue;
        if (pools[i]->defrag_ns == 0 || pools[i]->defrag_ns > now + o->every_ns)
            pools[i]->defrag_ns = now + o->every_ns;
        if (x->again && !x->busy && x->pool == i) {
            x->again = false;
            pools[i]->defrag_ns = now;
        }
        if (now < pools[i]->defrag_ns || x->busy) {
            next = MIN(next, x->busy ? INT64_MAX : pools[i]->defrag_ns); /* its end wakes us */
            continue;
        }
        struct live_moves_spent spent;
        live_moves_spent(l, now, SETTLE_NS, x->name, &spent);
        if (spent.unsettled || (*x->name && !spent.seen_last && now < x->made_ns + SEEN_NS)) {
            next = MIN(next, now + LOOK_NS);
            continue;
        }
        uint32_t left = o->hourly > spent.pods ? o->hourly - spent.pods : 0;
        x->pool = i;
        x->agains = x->agains > AGAIN ? 0 : x->agains;
        if (!left || !begin(x, pools[i]->p, now, left))
            x->agains = 0;
        pools[i]->defrag_ns = now + o->every_ns;
        next = MIN(next, pools[i]->defrag_ns);
    }
    return next;
}

void live_defrag_metrics(const struct live *l, struct strbuf *out)
{
    const struct live_defrag *x = l->defrag;
    strbuf_addf(out, "# HELP cox_scheduler_movements_total Plans of defragmentation that were carried out.\n# TYPE cox_scheduler_movements_total counter\ncox_scheduler_movements_total %llu\n", (unsigned long long)x->plans);
    strbuf_addf(out, "# HELP cox_scheduler_moved_pods_total Pods that were evicted to go to another node.\n# TYPE cox_scheduler_moved_pods_total counter\ncox_scheduler_moved_pods_total %llu\n",
                (unsigned long long)x->moved);
}
