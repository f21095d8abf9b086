/* live_bind.c - binds: from the decision to the server's answer.
 *
 *   decided ─► (claims get their volumes) ─► POST pods/NAME/binding ──2xx──► told; the watch confirms
 *                                                 │ refused
 *                                                 ▼
 *                                             GET the pod ─► fed to the engine: somebody else bound or deleted it, or
 *                                                 │ it still waits
 *                                                 ▼
 *                                             its room is kept for a while, longer each time; then the decision is taken back and made anew
 * Whether the first of two binds that were sent got through is not our question: the server binds once, and what it says by GET or watch is fed as it is.  A bind
 * whose pod lost its place meanwhile (the node went, the pod was deleted) is not sent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/failpoint.h"
#include "sched/live/live_internal.h"
#include "wire/json.h"

#define COOL_FIRST_NS NSEC_PER_SEC
#define CLAIMS_SAY_NS (5 * NSEC_PER_SEC)
#define COOL_MAX_NS (30 * NSEC_PER_SEC)

struct live_bind {
    struct outbox_item item;
    struct list link;
    struct live *l;
    enum { BIND_CLAIMS, BIND_POST, BIND_CHECK, BIND_COOL } step;
    pod_id pod;
    uint32_t stamp;
    node_id node;
    uint16_t name; /* of live.names */
    nsec_t started; /* monotonic */
    struct live_claims *claims;
    struct loop_timer timer;
    struct loop_timer say; /* while claims are waited for */
    struct strbuf path, body;
    size_t pod_path_len; /* of path, without the subresource */
};

static void bind_free(struct live_bind *b)
{
    loop_timer_stop(b->l->opts.loop, &b->timer);
    loop_timer_stop(b->l->opts.loop, &b->say);
    list_del(&b->link);
    live_claims_free(b->claims);
    strbuf_fini(&b->path);
    strbuf_fini(&b->body);
    free(b);
}

void live_binds_free(struct live *l)
{
    list_foreach_safe(b, &l->all_binds, struct live_bind, link)
        bind_free(b);
}

/* Is this still the pod's bind, and the pod where it was put? */
static bool is_current(const struct live_bind *b)
{
    struct live *l = b->l;
    if (!live_is_same(l, b->pod, b->stamp))
        return false;
    const struct live_wait *w = l->notes[b->pod].wait;
    return w && w->bind == b && l->s->pods[b->pod].state == PS_ASSUMED && l->s->pods[b->pod].node == b->node;
}

/* It came to nothing: the pod is tried again, unless it has gone or has a node. */
static void give_up(struct live_bind *b)
{
    struct live *l = b->l;
    if (!l->stopping && live_is_same(l, b->pod, b->stamp)) {
        struct live_wait *w = l->notes[b->pod].wait;
        if (is_current(b)) {
            l->m.bind_failed++;
            l->m.attempts[class_of(l->s, b->pod)->profile].count[LIVE_ERROR]++;
            w->bind = NULL;
            binder_failed(l->b, b->pod, live_now(l));
        } else if (w && (!w->bind || w->bind == b) && l->s->pods[b->pod].state == PS_PENDING) {
            w->bind = NULL;
            dispatcher_retry(l->d, sched_unit_of(l->s, b->pod), live_now(l));
        }
        live_wake(l);
    }
    bind_free(b);
}

/* --- after a refusal ------------------------------------------------------------------------------------------------------------------------------ */
static void cooled(struct loop_timer *t)
{
    give_up(container_of(t, struct live_bind, timer));
}

/* A bind that is refused for good (no rights, a webhook) must not spin. */
static void cool(struct live_bind *b)
{
    struct live *l = b->l;
    if (l->stopping || !is_current(b)) {
        give_up(b);
        return;
    }
    uint32_t failures = l->notes[b->pod].wait->bind_failures++;
    live_request_done(l, b->pod, b->step == BIND_CLAIMS ? "its claims were not bound" : "the server did not take the bind", failures + 1);
    nsec_t delay = COOL_FIRST_NS << MIN(failures, 10u);
    b->step = BIND_COOL;
    loop_timer_set(l->opts.loop, &b->timer, loop_now(l->opts.loop) + MIN(delay, COOL_MAX_NS));
}

static void check(struct live_bind *b)
{
    b->step = BIND_CHECK;
    b->item.call.method = S("GET");
    b->item.call.path = str_sub(strbuf_str(&b->path), 0, b->pod_path_len);
    b->item.call.body = S("");
    outbox_add(b->l->binds, &b->item);
}

static void checked(struct live_bind *b)
{
    struct live *l = b->l;
    if (b->item.call.status == 200) {
        live_feed_answer(l, b->item.call.response);
        live_wake(l);
    }
    cool(b);
}

/* --- the answer ----------------------------------------------------------------------------------------------------------------------------------- */
static void tell(struct live_bind *b)
{
    struct live *l = b->l;
    struct sched *s = l->s;
    str ns = sched_pod_ns(s, b->pod), name = sched_pod_name(s, b->pod);
    ARENA_AUTO a = ARENA_INIT;
    str node = node_is_alive(s, b->node) ? sched_node_name(s, b->node) : S("its node");
    live_event_send(l, &(struct live_event){.type = "Normal", .reason = "Scheduled", .action = "Binding", .controller = str_of(l->names[b->name]), .ns = ns, .name = name,
                                            .uid = sched_pod_uid(s, b->pod),
                                            .note = arena_fmt(&a, "Successfully assigned " STR_FMT "/" STR_FMT " to " STR_FMT, STR_ARG(ns), STR_ARG(name), STR_ARG(node))});
}

static void accepted(struct live_bind *b)
{
    struct live *l = b->l;
    l->m.bind_ok++;
    if (live_is_same(l, b->pod, b->stamp))
        live_request_done(l, b->pod, NULL, l->notes[b->pod].wait ? l->notes[b->pod].wait->bind_failures : 0);
    live_observe_seconds(&l->m.binding, (double)(clock_mono(l->opts.clock) - b->started) / 1e9);
    if (live_is_same(l, b->pod, b->stamp)) {
        tell(b);
        if (is_current(b)) {
            /* the server has it: no time-out any more, the watch will say so */
            binder_confirmed(l->b, b->pod);
            l->notes[b->pod].wait->bind = NULL;
        }
    }
    bind_free(b);
}

static void on_done(struct outbox_item *it)
{
    struct live_bind *b = container_of(it, struct live_bind, item);
    int status = it->call.status;
    if (status == OUTBOX_DROPPED || b->l->stopping) {
        give_up(b);
    } else if (b->step == BIND_CHECK) {
        checked(b);
    } else if (status / 100 == 2) {
        FAILPOINT("sched.bind.after_post"); /* the pod is bound, and the scheduler has not taken note */
        accepted(b);
    } else {
        b->l->m.bind_refused++;
        log_debug("bind refused", KV("path", "%s", strbuf_cstr(&b->path)), KV("status", "%d", status));
        check(b);
    }
}

static bool is_wanted(struct outbox_item *it)
{
    return is_current(container_of(it, struct live_bind, item));
}

/* --- the request ------------------------------------------------------------------------------------------------------------------------------------ */
/* Devices that the engine chose, for the node and for our own next start; and KAI's word for how they were given. */
static void add_devices(struct strbuf *b, uint16_t mask, bool whole)
{
    const char *comma = "";
    strbuf_addf(b, ",\"annotations\":{\"cox.io/gpu-ids\":\"");
    for (unsigned i = 0; i < GPU_MAX; i++)
        if (mask >> i & 1) {
            strbuf_addf(b, "%s%u", comma, i);
            comma = ",";
        }
    strbuf_addf(b, "\",\"received-resource-type\":\"%s\"}", whole ? "Regular" : "Fraction");
}

static void write_body(struct live_bind *b)
{
    struct sched *s = b->l->s;
    struct strbuf *t = &b->body;
    uint16_t mask = s->pods[b->pod].gpu_mask;
    strbuf_add_str(t, S("{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":"));
    json_write_string(t, sched_pod_name(s, b->pod));
    strbuf_add_str(t, S(",\"namespace\":"));
    json_write_string(t, sched_pod_ns(s, b->pod));
    if (sched_pod_uid(s, b->pod).len) {
        strbuf_add_str(t, S(",\"uid\":"));
        json_write_string(t, sched_pod_uid(s, b->pod));
    }
    if (mask && class_of(s, b->pod)->gpu.kind != GPU_NONE)
        add_devices(t, mask, class_of(s, b->pod)->gpu.kind == GPU_WHOLE);
    strbuf_add_str(t, S("},\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":"));
    json_write_string(t, sched_node_name(s, b->node));
    strbuf_add_str(t, S("}}"));
}

static void post(struct live_bind *b)
{
    b->step = BIND_POST;
    b->item.call.method = S("POST");
    b->item.call.path = strbuf_str(&b->path);
    b->item.call.content_type = S("application/json");
    b->item.call.body = strbuf_str(&b->body);
    FAILPOINT("sched.bind.before_post"); /* decided and told to nobody */
    outbox_add(b->l->binds, &b->item);
}

static void claims_done(void *arg, bool ok)
{
    struct live_bind *b = arg;
    if (ok && is_current(b))
        post(b);
    else
        cool(b);
}

/* Most claims are bound in a moment; who waits for longer is told, and again when others are waited for. */
static void say_claims(struct loop_timer *t)
{
    struct live_bind *b = container_of(t, struct live_bind, say);
    ARENA_AUTO a = ARENA_INIT;
    if (b->step != BIND_CLAIMS || !is_current(b))
        return;
    live_say_claims(b->l, b->pod, live_claims_text(b->claims, &a));
    loop_timer_set(b->l->opts.loop, &b->say, loop_now(b->l->opts.loop) + CLAIMS_SAY_NS);
}

void live_bind_start(struct live *l, pod_id p, node_id n)
{
    struct live_note *note = live_note(l, p);
    if (!note->wait)
        return; /* its group placed it, but it is not ours: cannot be, as such pods are not put */
    struct live_bind *b = xnew(struct live_bind);
    *b = (struct live_bind){.l = l, .pod = p, .stamp = note->stamp, .node = n, .name = note->wait->name, .started = clock_mono(l->opts.clock)};
    b->timer.fire = cooled;
    b->item.wanted = is_wanted;
    b->item.done = on_done;
    list_add_tail(&l->all_binds, &b->link);
    note->wait->bind = b;
    live_pod_path(&b->path, sched_pod_ns(l->s, p), sched_pod_name(l->s, p), "");
    b->pod_path_len = b->path.len;
    strbuf_add_str(&b->path, S("/binding"));
    write_body(b);
    live_request_made(l, p, n);
    b->claims = live_claims_new(l, p);
    b->step = BIND_CLAIMS;
    if (!b->claims) {
        post(b);
        return;
    }
    b->say.fire = say_claims;
    loop_timer_set(l->opts.loop, &b->say, loop_now(l->opts.loop) + CLAIMS_SAY_NS);
    live_claims_start(b->claims, claims_done, b);
}

void live_binds_claims_changed(struct live *l, str ns, str name)
{
    list_foreach_safe(b, &l->all_binds, struct live_bind, link)
    {
        if (b->claims && b->step == BIND_CLAIMS && live_claims_has(b->claims, ns, name))
            live_claims_look(b->claims);
    }
}
