/* SPDX-License-Identifier: Apache-2.0 */
#include "client/leader.h"

#include "base/civil.h"
#include "wire/json.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/"

enum doing { DOING_NOTHING, DOING_READ, DOING_WRITE, DOING_RELEASE };

struct leader {
    struct leader_opts o;
    char *ns, *name, *identity;
    struct strbuf list_path, path;
    struct rng rng;
    enum doing doing;
    bool leading, stopping;
    nsec_t sent_at;    /* of the call under way */
    nsec_t renewed_at; /* sending time of the last renewal that succeeded */
    /* the lease as last seen */
    bool exists;
    struct strbuf object; /* JSON text */
    char *holder;
    char *mark;            /* holder, times and count: what changes with each renewal */
    nsec_t seen_at;        /* when the mark changed, on our clock */
    nsec_t seen_lease_ns;  /* its duration */
    struct client_call call;
    struct strbuf body;
    struct arena arena; /* of one answer or one body */
    struct loop_timer tick, expiry;
    void (*stopped)(struct leader *l);
};

static void act(struct leader *l);

/* --- what was seen -------------------------------------------------------------------------------------- */

static void set_text(char **to, str text)
{
    free(*to);
    *to = str_dup(text);
}

/* False: not a Lease. */
static bool observe(struct leader *l, str text)
{
    struct json lease;
    if (json_parse(&l->arena, text, NULL, &lease, NULL) < 0 ||
        !json_get_str(json_get(&lease, S("metadata")), S("resourceVersion")).len)
        return false;
    const struct json *spec = json_get(&lease, S("spec"));
    str holder = json_get_str(spec, S("holderIdentity")), count = json_str(json_get(spec, S("leaseTransitions")));
    str renewed = json_get_str(spec, S("renewTime")), acquired = json_get_str(spec, S("acquireTime"));
    str mark = arena_fmt(&l->arena, STR_FMT " " STR_FMT " " STR_FMT " " STR_FMT, STR_ARG(renewed), STR_ARG(acquired), STR_ARG(count),
                         STR_ARG(holder));
    if (!l->exists || !str_is(mark, l->mark)) {
        l->seen_at = loop_now(l->o.loop);
        set_text(&l->mark, mark);
    }
    set_text(&l->holder, holder);
    l->seen_lease_ns = json_get_int(spec, S("leaseDurationSeconds"), l->o.lease_ns / NSEC_PER_SEC) * NSEC_PER_SEC;
    l->exists = true;
    strbuf_clear(&l->object);
    strbuf_add_str(&l->object, text);
    return true;
}

static bool is_mine(const struct leader *l)
{
    return strcmp(l->holder, l->identity) == 0;
}

static bool is_free(const struct leader *l)
{
    return !l->holder[0] || loop_now(l->o.loop) - l->seen_at >= l->seen_lease_ns;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

static void send(struct leader *l, enum doing doing, str method, str path)
{
    l->doing = doing;
    l->sent_at = loop_now(l->o.loop);
    l->call.method = method;
    l->call.path = path;
    l->call.body = strbuf_str(&l->body);
    l->o.transport->call(l->o.transport, &l->call);
}

static void send_read(struct leader *l)
{
    strbuf_clear(&l->body);
    send(l, DOING_READ, S("GET"), strbuf_str(&l->path));
}

static struct json time_now(struct leader *l)
{
    char text[CIVIL_MICRO_LEN + 1];
    civil_format_micro(clock_wall(loop_clock(l->o.loop)), text);
    return json_string(arena_str(&l->arena, str_of(text)));
}

/* The lease as it was seen, in our name; taken over when it was not ours, let go when `release`. */
static void fill_spec(struct leader *l, struct json *spec, bool release)
{
    struct arena *a = &l->arena;
    struct json now = time_now(l);
    bool ours = l->exists && is_mine(l);
    if (!ours || release)
        json_set(a, spec, S("acquireTime"), now);
    if (!ours)
        json_set(a, spec, S("leaseTransitions"), json_int(a, l->exists ? json_get_int(spec, S("leaseTransitions"), 0) + 1 : 0));
    json_set(a, spec, S("renewTime"), now);
    json_set(a, spec, S("leaseDurationSeconds"), json_int(a, release ? 1 : l->o.lease_ns / NSEC_PER_SEC));
    if (release)
        json_del(spec, S("holderIdentity"));
    else
        json_set(a, spec, S("holderIdentity"), json_string(str_of(l->identity)));
}

static struct json new_lease(struct leader *l)
{
    struct json lease = json_literal(&l->arena, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\"}");
    struct json *meta = json_ensure_object(&l->arena, &lease, S("metadata"));
    json_set(&l->arena, meta, S("name"), json_string(str_of(l->name)));
    json_set(&l->arena, meta, S("namespace"), json_string(str_of(l->ns)));
    return lease;
}

static void send_write(struct leader *l, enum doing doing)
{
    struct json lease;
    if (l->exists)
        BUG_ON(json_parse(&l->arena, strbuf_str(&l->object), NULL, &lease, NULL) < 0); /* observe did it before */
    else
        lease = new_lease(l);
    json_del(json_get(&lease, S("metadata")), S("managedFields")); /* the server's */
    fill_spec(l, json_ensure_object(&l->arena, &lease, S("spec")), doing == DOING_RELEASE);
    strbuf_clear(&l->body);
    json_write(&l->body, &lease);
    arena_reset(&l->arena);
    send(l, doing, l->exists ? S("PUT") : S("POST"), strbuf_str(l->exists ? &l->path : &l->list_path));
}

/* --- leading -------------------------------------------------------------------------------------------- */

bool leader_is_leading(const struct leader *l)
{
    return l->leading && !l->stopping && clock_mono(loop_clock(l->o.loop)) < l->renewed_at + l->o.renew_ns; /* the loop's may be of before a long sleep */
}

static void give_up(struct leader *l)
{
    if (!l->leading)
        return;
    l->leading = false;
    loop_timer_stop(l->o.loop, &l->expiry);
    if (!l->stopping)
        l->o.lost(l);
}

static void expiry_fire(struct loop_timer *t)
{
    give_up(container_of(t, struct leader, expiry));
}

/* A write of ours succeeded. */
static void renewed(struct leader *l)
{
    nsec_t until = l->sent_at + l->o.renew_ns;
    if (loop_now(l->o.loop) >= until)
        return; /* so late that it does not count any more; the lease is ours, and the next one may be quicker */
    l->renewed_at = l->sent_at;
    loop_timer_set(l->o.loop, &l->expiry, until);
    if (!l->leading) {
        l->leading = true;
        l->o.acquired(l);
    }
}

/* --- steps ---------------------------------------------------------------------------------------------- */

static void wait_a_while(struct leader *l)
{
    nsec_t delay = l->o.retry_ns;
    if (!l->leading) /* followers of a leader that died should not come all at once */
        delay += (nsec_t)rng_below(&l->rng, (uint64_t)l->o.retry_ns);
    loop_timer_set(l->o.loop, &l->tick, loop_now(l->o.loop) + delay);
}

static void tick_fire(struct loop_timer *t)
{
    act(container_of(t, struct leader, tick));
}

/* Renews what it holds without looking; otherwise looks first. */
static void act(struct leader *l)
{
    if (l->leading)
        send_write(l, DOING_WRITE);
    else
        send_read(l);
}

static void read_done(struct leader *l)
{
    if (l->call.status == 404) {
        l->exists = false;
        set_text(&l->holder, S(""));
    } else if (l->call.status != 200 || !observe(l, l->call.response)) {
        wait_a_while(l);
        return;
    }
    if (l->exists && !is_mine(l))
        give_up(l);
    if (l->stopping)
        return;
    if (!l->exists || is_mine(l) || is_free(l))
        send_write(l, DOING_WRITE);
    else
        wait_a_while(l);
}

static void write_done(struct leader *l)
{
    int status = l->call.status;
    if (status / 100 == 2 && observe(l, l->call.response)) {
        if (is_mine(l))
            renewed(l);
    } else if (status == 409 || status == 404) { /* somebody was faster, or an answer of ours got lost */
        if (l->leading) {
            send_read(l);
            return;
        }
    }
    wait_a_while(l);
}

static void finish_stop(struct leader *l)
{
    loop_timer_stop(l->o.loop, &l->tick);
    loop_timer_stop(l->o.loop, &l->expiry);
    l->stopped(l);
}

/* Nothing is under way and stop was asked for. */
static void stop_now(struct leader *l)
{
    loop_timer_stop(l->o.loop, &l->tick);
    bool held = l->exists && is_mine(l);
    l->leading = false;
    if (held)
        send_write(l, DOING_RELEASE);
    else
        finish_stop(l);
}

static void call_done(struct client_call *c)
{
    struct leader *l = c->owner;
    enum doing did = l->doing;
    l->doing = DOING_NOTHING;
    if (l->stopping) {
        if (did == DOING_WRITE && c->status / 100 == 2)
            observe(l, c->response);
        arena_reset(&l->arena);
        if (did == DOING_RELEASE)
            finish_stop(l);
        else
            stop_now(l);
        return;
    }
    if (did == DOING_READ)
        read_done(l);
    else
        write_done(l);
    arena_reset(&l->arena);
    if (l->stopping && l->doing == DOING_NOTHING) /* asked for in a callback */
        stop_now(l);
}

/* --- life ----------------------------------------------------------------------------------------------- */

struct leader *leader_new(const struct leader_opts *opts)
{
    struct leader *l = xnew(struct leader);
    l->o = *opts;
    if (!l->o.lease_ns)
        l->o.lease_ns = 15 * NSEC_PER_SEC;
    if (!l->o.renew_ns)
        l->o.renew_ns = l->o.lease_ns * 2 / 3;
    if (!l->o.retry_ns)
        l->o.retry_ns = l->o.renew_ns / 5;
    BUG_ON(l->o.renew_ns >= l->o.lease_ns || l->o.retry_ns <= 0 || l->o.retry_ns >= l->o.renew_ns || l->o.lease_ns < NSEC_PER_SEC);
    l->ns = str_dup(opts->ns);
    l->name = str_dup(opts->name);
    l->identity = str_dup(opts->identity);
    l->holder = xstrdup("");
    strbuf_addf(&l->list_path, LEASES "%s/leases", l->ns);
    strbuf_addf(&l->path, LEASES "%s/leases/%s", l->ns, l->name);
    rng_seed(&l->rng, opts->seed ^ str_hash(opts->identity));
    l->tick.fire = tick_fire;
    l->expiry.fire = expiry_fire;
    l->call = (struct client_call){.loop = opts->loop, .done = call_done, .owner = l};
    loop_timer_set(l->o.loop, &l->tick, loop_now(l->o.loop));
    return l;
}

void *leader_owner(const struct leader *l)
{
    return l->o.owner;
}

str leader_holder(const struct leader *l)
{
    return str_of(l->holder);
}

void leader_stop(struct leader *l, void (*stopped)(struct leader *l))
{
    BUG_ON(l->stopping);
    l->stopping = true;
    l->stopped = stopped;
    if (l->doing == DOING_NOTHING && l->tick.slot_)
        stop_now(l);
}

void leader_free(struct leader *l)
{
    if (!l)
        return;
    loop_timer_stop(l->o.loop, &l->tick);
    loop_timer_stop(l->o.loop, &l->expiry);
    strbuf_fini(&l->list_path);
    strbuf_fini(&l->path);
    strbuf_fini(&l->object);
    strbuf_fini(&l->body);
    arena_fini(&l->arena);
    free(l->ns);
    free(l->name);
    free(l->identity);
    free(l->holder);
    free(l->mark);
    free(l);
}
