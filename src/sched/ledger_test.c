/* ledger_test.c - tasks of several domains in random worlds, beside a ledger of their own: what is taken of nodes and links is added up from the specs after every event, and whether a task that waits
 * could be placed is found out by trying everything.
 *
 *   nodes    whose ends differ, change, are 0, are overcommitted; that are cordoned, lost, and come back in another domain         links    that come, go, lead elsewhere, from a domain to itself
 *   tasks    of 2 or 3 parties, two of them of one domain, with more parties or pods than must be, of two priorities, with amounts of odd bits and beyond 64 bits; pods whose node somebody named by hand
 *   the rest binds that fail, victims that take their time, members that are deleted, schedulers that begin anew and know what the API knows
 * What is asked for: sums as in the ledger; nothing over what there is but for what was before; no task with a part of what it needs; none that fits and waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "base/limits.h"
#include "sched/engine/links.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
enum { DOMAINS = 3, NODES = 7, TASKS = 28, PARTIES = 3, MEMBERS = 4, ROUTES = 6 };

struct member {
    char name[24];
    uint8_t domain, party;
    int64_t cpu, out, in;
    pod_id pod;
};
struct task {
    char name[16];
    bool used, crosses, hand;
    bool torn; /* something happened to a part of it */
    int32_t priority;
    uint32_t n, parties, enough, number;
    int32_t min[PARTIES];
    nsec_t created;
    struct member m[MEMBERS];
};
struct machine {
    bool there, cordoned;
    uint8_t domain;
    int64_t cpu, out, in;
    double factor;
};
struct way {
    bool there;
    uint8_t source, destination;
    int64_t bits;
};
struct world {
    struct sched *s;
    struct pipeline *p;
    struct rng rng;
    nsec_t now;
    uint64_t seed;
    uint32_t made, placed, evicted, waits, restarts, workers;
    bool simple; /* one priority, and bandwidth alone is scarce */
    struct task t[TASKS];
    struct machine n[NODES];
    struct way r[ROUTES];
    VEC(pod_id) binds, victims;
    struct err err;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return rng_below(&w->rng, n);
}

static const str dn[DOMAINS] = {STR_INIT("d0"), STR_INIT("d1"), STR_INIT("d2")};
static const str pn[PARTIES] = {STR_INIT("p0"), STR_INIT("p1"), STR_INIT("p2")};

static int64_t cap(int64_t bits, double f)
{
    double x = (double)bits * f;
    return x >= (double)LIMIT_SCHED_AMOUNT ? LIMIT_SCHED_AMOUNT - 1 : MIN((int64_t)x, LIMIT_SCHED_AMOUNT - 1);
}

static int64_t ask(int64_t bits)
{
    return MIN(bits, LIMIT_SCHED_AMOUNT);
}

static void put_node(struct world *w, size_t k)
{
    struct machine *n = &w->n[k];
    char name[8];
    snprintf(name, sizeof name, "n%zu", k);
    if (!n->there) {
        sched_node_delete(w->s, str_of(name));
        return;
    }
    struct spec_label label = {S("domain"), dn[n->domain]};
    struct res_amount res[] = {{RES_CPU, n->cpu}, {RES_INGRESS, n->in}, {RES_EGRESS, n->out}, {RES_PODS, 110}};
    struct node_spec spec = {.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, ARRAY_LEN(res)}, .unschedulable = n->cordoned, .bandwidth_overcommit = n->factor};
    T_NO_ERR(sched_node_put(w->s, &spec, NULL, &w->err), &w->err);
}

static int64_t some(struct world *w)
{
    switch (below(w, 12)) {
    case 0:
        return 0;
    case 1:
        return (int64_t)below(w, 3) + 1;
    default:
        return (int64_t)(1 + below(w, 10)) * 40 * MBIT;
    }
}

static uint8_t state(const struct world *w, const struct member *m)
{
    return m->pod ? w->s->pods[m->pod].state : PS_FREE;
}

static size_t node_of(const struct world *w, const struct member *m)
{
    return (size_t)(sched_node_name(w->s, w->s->pods[m->pod].node).p[1] - '0');
}

/* A node that goes takes its part of a task along. */
static void tear_those_on(struct world *w, size_t n)
{
    for (size_t i = 0; i < TASKS; i++)
        for (uint32_t k = 0; w->t[i].used && k < w->t[i].n; k++)
            w->t[i].torn |= state(w, &w->t[i].m[k]) >= PS_NOMINATED && node_of(w, &w->t[i].m[k]) == n;
}

static void change_node(struct world *w)
{
    static const double f[] = {0, 0.5, 1, 1.5, 3};
    size_t k = below(w, NODES);
    struct machine *n = &w->n[k];
    tear_those_on(w, k);
    switch (below(w, 8)) {
    case 0:
        n->factor = f[below(w, 5)];
        break;
    case 1:
        n->out = some(w);
        break;
    case 2:
        n->in = some(w);
        break;
    case 3:
        n->cordoned = !n->cordoned;
        break;
    case 4:
        n->domain = (uint8_t)below(w, DOMAINS);
        break;
    case 5:
        n->cpu = 1000 + (int64_t)below(w, 8) * 1000;
        break;
    default:
        n->there = !n->there || below(w, 3) == 0;
        n->cordoned = false;
        n->out = MAX(n->out, 200 * MBIT);
        n->in = MAX(n->in, 200 * MBIT);
    }
    put_node(w, k);
}

static void put_route(struct world *w, size_t i)
{
    char name[8];
    struct way *r = &w->r[i];
    snprintf(name, sizeof name, "r%zu", i);
    if (!r->there) {
        sched_route_delete(w->s, S(""), str_of(name));
        return;
    }
    T_NO_ERR(sched_route_put(w->s, &(struct route_spec){.ns = S(""), .name = str_of(name), .source = dn[r->source], .destination = dn[r->destination], .bits = r->bits}, &w->err), &w->err);
}

static void change_route(struct world *w)
{
    size_t i = below(w, ROUTES);
    struct way *r = &w->r[i];
    if (below(w, 3) == 0) {
        r->there = false;
    } else {
        r->there = true;
        if (below(w, 2)) {
            r->source = (uint8_t)below(w, DOMAINS);
            r->destination = (uint8_t)((r->source + 1 + below(w, DOMAINS - 1)) % DOMAINS);
        }
        r->bits = (int64_t)(1 + below(w, 12)) * 50 * MBIT;
    }
    put_route(w, i);
}

static int64_t width(const struct world *w, size_t a, size_t b)
{
    int64_t least = -1;
    if (a == b)
        return -1; /* nobody has to go that way */
    for (size_t i = 0; i < ROUTES; i++)
        if (w->r[i].there && w->r[i].source == a && w->r[i].destination == b)
            least = least < 0 ? w->r[i].bits : MIN(least, w->r[i].bits);
    return least;
}

static void put_pod(struct world *w, struct task *t, struct member *m, str on, bool leaves)
{
    struct res_amount req[] = {{RES_CPU, m->cpu}, {RES_INGRESS, m->in}, {RES_EGRESS, m->out}};
    struct spec_label label = {S("domain"), dn[m->domain]};
    struct pod_spec p = {.ns = dn[m->domain], .name = str_of(m->name), .uid = str_of(m->name), .group = t->crosses ? str_of(t->name) : S(""), .group_is_cluster = t->crosses, .subgroup = t->crosses ? pn[m->party] : S(""),
                         .requests = {req, 3}, .node = on, .created_ns = t->created, .started_ns = t->created, .priority = t->priority, .phase = leaves ? POD_TERMINATING : on.len ? POD_BOUND : POD_PENDING, .node_selector = {&label, 1}};
    T_NO_ERR(sched_pod_put(w->s, &p, &m->pod, &w->err), &w->err);
}

static void put_task(struct world *w, struct task *t)
{
    struct spec_subgroup sub[PARTIES] = {0};
    int32_t need = 0;
    for (uint32_t k = 0; k < t->parties; k++) {
        sub[k] = (struct spec_subgroup){.name = pn[k], .min_member = t->min[k]};
        need += t->min[k];
    }
    struct group_spec g = {.ns = S(""), .name = str_of(t->name), .subgroups = sub, .nsubgroups = t->parties, .min_member = t->enough ? 0 : need, .min_subgroup = (int32_t)t->enough, .created_ns = t->created};
    unit_id u;
    if (t->crosses)
        T_NO_ERR(sched_group_put(w->s, &g, &u, &w->err), &w->err);
}

static void into_line(struct world *w, struct task *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->m[i].pod && w->s->pods[t->m[i].pod].state == PS_PENDING)
            T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), sched_unit_of(w->s, t->m[i].pod), w->now, &w->err), &w->err);
}

static void begin_task(struct world *w, struct task *t)
{
    *t = (struct task){.used = true, .crosses = below(w, 5) > 0, .number = w->made++, .created = w->now};
    snprintf(t->name, sizeof t->name, "t%u", t->number);
    t->hand = !t->crosses && below(w, 3) == 0;
    t->priority = w->simple ? 0 : below(w, 5) ? 0 : 100;
    t->parties = t->crosses ? 2 + (uint32_t)below(w, 2) : 1;
    t->enough = t->crosses && t->parties == 3 && below(w, 3) == 0 ? 2 : 0;
    for (uint32_t k = 0; k < t->parties; k++) {
        uint8_t d = (uint8_t)below(w, DOMAINS); /* two may be of one domain */
        uint32_t pods = t->crosses && t->n + t->parties - k < MEMBERS && below(w, 3) == 0 ? 2 : 1;
        t->min[k] = pods == 2 ? 1 + (int32_t)below(w, 2) : 1;
        int64_t out = below(w, 20) ? (int64_t)(1 + below(w, 6)) * 30 * MBIT + (int64_t)below(w, 2) : below(w, 2) ? INT64_MAX - (int64_t)below(w, 3) : 0, in = below(w, 3) ? MIN(out, 1ll << 50) : (int64_t)below(w, 7) * 30 * MBIT;
        for (uint32_t i = 0; i < pods; i++) {
            struct member *m = &t->m[t->n++];
            *m = (struct member){.domain = d, .party = (uint8_t)k, .cpu = w->simple ? 100 : 100 * (1 + (int64_t)below(w, 20)), .out = out, .in = in};
            snprintf(m->name, sizeof m->name, "t%u-%u-%u", t->number, k, i);
        }
    }
    put_task(w, t);
    for (uint32_t i = 0; i < t->n; i++) {
        char on[8] = "";
        if (t->hand)
            snprintf(on, sizeof on, "n%u", (unsigned)below(w, NODES + 1));
        put_pod(w, t, &t->m[i], str_of(on), false);
    }
    into_line(w, t);
}

static void drop_pod(struct world *w, struct member *m)
{
    if (!m->pod)
        return;
    binder_pod_gone(pipeline_binder(w->p), m->pod);
    sched_pod_delete(w->s, dn[m->domain], str_of(m->name));
    m->pod = POD_NONE;
}

static void end_task(struct world *w, struct task *t)
{
    unit_id u = t->crosses ? sched_group_find(w->s, S(""), str_of(t->name)) : t->m[0].pod ? sched_unit_of(w->s, t->m[0].pod) : UNIT_NONE;
    for (uint32_t i = 0; i < t->n; i++)
        drop_pod(w, &t->m[i]);
    if (u)
        dispatcher_remove(pipeline_dispatcher(w->p), u);
    if (t->crosses)
        sched_group_delete(w->s, S(""), str_of(t->name));
    t->used = false;
}

/* --- the ledger ---------------------------------------------------------------------------------------------------------------------------------------- */
struct use {
    int64_t cpu[NODES], out[NODES], in[NODES], link[DOMAINS][DOMAINS];
};
static void count(const struct world *w, uint8_t least, struct use *u)
{
    memset(u, 0, sizeof *u);
    for (size_t i = 0; i < TASKS; i++) {
        const struct task *t = &w->t[i];
        int64_t out[DOMAINS] = {0}, in[DOMAINS] = {0};
        uint32_t pods[DOMAINS] = {0};
        for (uint32_t k = 0; t->used && k < t->n; k++) {
            const struct member *m = &t->m[k];
            if (state(w, m) < least)
                continue;
            size_t n = node_of(w, m);
            u->cpu[n] += m->cpu;
            u->out[n] += ask(m->out);
            u->in[n] += ask(m->in);
            if (state(w, m) >= PS_ASSUMED && t->crosses) {
                out[m->domain] += ask(m->out);
                in[m->domain] += ask(m->in);
                pods[m->domain]++;
            }
        }
        for (size_t a = 0; a < DOMAINS; a++)
            for (size_t b = 0; b < DOMAINS; b++)
                if (a != b && pods[a] && pods[b])
                    u->link[a][b] += MAX(out[a], in[b]);
    }
}

#define SEED (unsigned long long)w->seed
static void same_as_engine(struct world *w)
{
    struct use u;
    count(w, PS_NOMINATED, &u);
    for (size_t k = 0; k < NODES; k++) {
        char name[8];
        snprintf(name, sizeof name, "n%zu", k);
        node_id n = sched_node_find(w->s, str_of(name));
        if ((n != NODE_NONE) != w->n[k].there)
            T_FAIL_("seed %llu: node %zu", SEED, k);
        if (n == NODE_NONE)
            continue;
        const struct view *v = &w->s->view;
        if (v->used[RES_CPU][n] != u.cpu[k] || v->used[RES_EGRESS][n] != u.out[k] || v->used[RES_INGRESS][n] != u.in[k])
            T_FAIL_("seed %llu node %zu: engine %lld %lld %lld, ledger %lld %lld %lld", SEED, k, (long long)v->used[RES_CPU][n], (long long)v->used[RES_EGRESS][n], (long long)v->used[RES_INGRESS][n], (long long)u.cpu[k], (long long)u.out[k], (long long)u.in[k]);
        double f = w->n[k].factor > 0 ? w->n[k].factor : 1;
        if (w->s->alloc[RES_EGRESS][n] != cap(w->n[k].out, f) || w->s->alloc[RES_INGRESS][n] != cap(w->n[k].in, f))
            T_FAIL_("seed %llu node %zu: alloc", SEED, k);
    }
    for (size_t a = 0; a < DOMAINS; a++)
        for (size_t b = 0; b < DOMAINS; b++) {
            const struct link *l = links_find(w->s, symbol_find(&w->s->sym, dn[a]), symbol_find(&w->s->sym, dn[b]));
            if ((l ? l->taken : 0) != u.link[a][b] || (l ? l->capacity : LINK_ENDLESS) != width(w, a, b))
                T_FAIL_("seed %llu link %zu %zu: engine %lld of %lld, ledger %lld of %lld", SEED, a, b, (long long)(l ? l->taken : 0), (long long)(l ? l->capacity : -1), (long long)u.link[a][b], (long long)width(w, a, b));
        }
}

static void compare(struct world *w, const struct use *was, const struct use *is)
{
    for (size_t k = 0; k < NODES; k++) {
        double f = w->n[k].factor > 0 ? w->n[k].factor : 1;
        if (!w->n[k].there)
            continue;
        if (is->cpu[k] > MAX(was->cpu[k], w->n[k].cpu) || is->out[k] > MAX(was->out[k], cap(w->n[k].out, f)) || is->in[k] > MAX(was->in[k], cap(w->n[k].in, f)))
            T_FAIL_("seed %llu: node %zu over", SEED, k);
    }
    for (size_t a = 0; a < DOMAINS; a++)
        for (size_t b = 0; b < DOMAINS; b++)
            if (width(w, a, b) >= 0 && is->link[a][b] > MAX(was->link[a][b], width(w, a, b)))
                T_FAIL_("seed %llu: link %zu->%zu over: %lld was %lld of %lld", SEED, a, b, (long long)is->link[a][b], (long long)was->link[a][b], (long long)width(w, a, b));
}

/* Can these members be put somewhere, all of them? */
static bool search(const struct world *w, struct use *u, const struct task *t, const uint8_t *who, uint32_t n, uint32_t i)
{
    if (i == n) {
        int64_t out[DOMAINS] = {0}, in[DOMAINS] = {0};
        uint32_t pods[DOMAINS] = {0};
        for (uint32_t k = 0; k < t->n; k++) {
            bool takes = state(w, &t->m[k]) >= PS_ASSUMED;
            for (uint32_t j = 0; j < n; j++)
                takes |= who[j] == k;
            if (takes) {
                out[t->m[k].domain] += ask(t->m[k].out);
                in[t->m[k].domain] += ask(t->m[k].in);
                pods[t->m[k].domain]++;
            }
        }
        for (size_t a = 0; a < DOMAINS && t->crosses; a++)
            for (size_t b = 0; b < DOMAINS; b++)
                if (a != b && pods[a] && pods[b] && MAX(out[a], in[b]) > 0 && width(w, a, b) >= 0 && u->link[a][b] + MAX(out[a], in[b]) > width(w, a, b))
                    return false;
        return true;
    }
    const struct member *m = &t->m[who[i]];
    for (size_t k = 0; k < NODES; k++) {
        const struct machine *x = &w->n[k];
        double f = x->factor > 0 ? x->factor : 1;
        if (!x->there || x->cordoned || x->domain != m->domain || u->cpu[k] + m->cpu > x->cpu || (m->out && u->out[k] + ask(m->out) > cap(x->out, f)) || (m->in && u->in[k] + ask(m->in) > cap(x->in, f)))
            continue;
        u->cpu[k] += m->cpu;
        u->out[k] += ask(m->out);
        u->in[k] += ask(m->in);
        bool ok = search(w, u, t, who, n, i + 1);
        u->cpu[k] -= m->cpu;
        u->out[k] -= ask(m->out);
        u->in[k] -= ask(m->in);
        if (ok)
            return true;
    }
    return false;
}

/* With any of the parties that are enough, and any of their pods. */
static bool fits(const struct world *w, struct use *u, const struct task *t)
{
    for (uint32_t mask = 1; mask < 1u << t->n; mask++) {
        uint8_t who[MEMBERS];
        uint32_t n = 0, well = 0;
        int32_t have[PARTIES] = {0};
        for (uint32_t k = 0; k < t->n; k++)
            if (mask >> k & 1) {
                who[n++] = (uint8_t)k;
                have[t->m[k].party]++;
            }
        bool exact = true;
        for (uint32_t k = 0; k < t->parties; k++) {
            well += have[k] >= t->min[k];
            exact &= have[k] == 0 || have[k] == t->min[k];
        }
        if (exact && well >= (t->enough ? t->enough : t->parties) && search(w, u, t, who, n, 0))
            return true;
    }
    return false;
}

static void check_settled(struct world *w)
{
    struct use u;
    bool nominated = false;
    count(w, PS_NOMINATED, &u);
    for (size_t i = 0; i < TASKS; i++)
        for (uint32_t k = 0; w->t[i].used && k < w->t[i].n; k++)
            nominated |= state(w, &w->t[i].m[k]) == PS_NOMINATED;
    for (size_t i = 0; i < TASKS && !test_failures_; i++) {
        struct task *t = &w->t[i];
        uint32_t on = 0, gone = 0, here[PARTIES] = {0}, well = 0;
        for (uint32_t k = 0; t->used && k < t->n; k++) {
            bool is = state(w, &t->m[k]) >= PS_ASSUMED || state(w, &t->m[k]) == PS_ELSEWHERE;
            on += is;
            here[t->m[k].party] += is;
            gone += !t->m[k].pod;
        }
        if (!t->used || gone || t->torn || t->hand)
            continue;
        for (uint32_t k = 0; k < t->parties; k++)
            well += (int32_t)here[k] >= t->min[k];
        if (on && well < (t->enough ? t->enough : t->parties))
            T_FAIL_("seed %llu: task %s holds %u of %u pods", SEED, t->name, on, t->n);
        w->waits += !on;
        if (!on && !nominated && fits(w, &u, t))
            T_FAIL_("seed %llu: task %s fits and waits", SEED, t->name);
    }
}

static void check(struct world *w)
{
    T_NO_ERR(model_check(w->s, &w->err), &w->err);
    T_NO_ERR(dispatcher_check(pipeline_dispatcher(w->p), &w->err), &w->err);
    T_NO_ERR(pipeline_check(w->p, &w->err), &w->err);
    same_as_engine(w);
}

/* --- the world's answers ------------------------------------------------------------------------------------------------------------------------------- */
static void on_bind(void *arg, pod_id p, node_id n UNUSED)
{
    vec_push(&((struct world *)arg)->binds, p);
    ((struct world *)arg)->placed++;
}

static void on_evict(void *arg, pod_id p, unit_id u UNUSED)
{
    vec_push(&((struct world *)arg)->victims, p);
    ((struct world *)arg)->evicted++;
}

static struct task *task_of(struct world *w, pod_id p)
{
    for (size_t i = 0; i < TASKS; i++)
        for (uint32_t k = 0; w->t[i].used && k < w->t[i].n; k++)
            if (w->t[i].m[k].pod == p)
                return &w->t[i];
    return NULL;
}

static void answer(struct world *w, bool all)
{
    for (size_t i = 0; i < w->binds.len; i++) {
        pod_id p = w->binds.p[i];
        if (w->s->pods[p].state != PS_ASSUMED)
            continue;
        if (!all && below(w, 8) == 0) {
            binder_failed(pipeline_binder(w->p), p, w->now);
            task_of(w, p)->torn = true;
        } else {
            binder_confirmed(pipeline_binder(w->p), p);
            sched_pod_confirm(w->s, p);
        }
    }
    vec_clear(&w->binds);
    size_t keep = 0;
    for (size_t i = 0; i < w->victims.len; i++) {
        struct task *t = task_of(w, w->victims.p[i]);
        if (t && (all || below(w, 2)))
            end_task(w, t);
        else if (t)
            w->victims.p[keep++] = w->victims.p[i];
    }
    w->victims.len = keep;
}

static void new_engine(struct world *w)
{
    struct sched_profile *profile = profile_builtin(S("default"));
    profile->keep_after_ns = 0;
    w->s = sched_new(profile, w->seed);
    struct binder_calls calls = {.arg = w, .bind = on_bind, .evict = on_evict};
    struct pipeline_opts opts = {.workers = w->workers, .dispatch = DISPATCHER_OPTS_DEFAULT, .always_parallel = w->workers > 1, .bind_timeout_ns = 30 * NSEC_PER_SEC};
    w->p = pipeline_new(w->s, &opts, &calls, &w->err);
}

/* All is forgotten but what the API has. */
static void restart(struct world *w)
{
    static char on[TASKS][MEMBERS][8];
    uint8_t st[TASKS][MEMBERS];
    for (size_t i = 0; i < TASKS; i++)
        for (uint32_t k = 0; k < w->t[i].n; k++) {
            struct member *m = &w->t[i].m[k];
            st[i][k] = w->t[i].used ? state(w, m) : PS_FREE;
            on[i][k][0] = 0;
            if (st[i][k] == PS_ASSUMED && below(w, 2))
                st[i][k] = PS_PENDING; /* its bind never arrived */
            w->t[i].torn |= st[i][k] == PS_PENDING && state(w, m) == PS_ASSUMED;
            if (st[i][k] == PS_ELSEWHERE)
                snprintf(on[i][k], 8, "n%u", NODES);
            else if (st[i][k] >= PS_ASSUMED) {
                str name = sched_node_name(w->s, w->s->pods[m->pod].node);
                snprintf(on[i][k], 8, STR_FMT, STR_ARG(name));
            }
        }
    pipeline_free(w->p);
    sched_free(w->s);
    vec_clear(&w->binds);
    vec_clear(&w->victims);
    new_engine(w);
    bool nodes_last = below(w, 2);
    for (size_t k = 0; k < NODES && !nodes_last; k++)
        if (w->n[k].there)
            put_node(w, k);
    for (size_t i = 0; i < ROUTES; i++)
        if (w->r[i].there)
            put_route(w, i);
    for (size_t i = 0; i < TASKS; i++)
        if (w->t[i].used) {
            bool late = below(w, 2);
            if (!late)
                put_task(w, &w->t[i]);
            for (uint32_t k = 0; k < w->t[i].n; k++)
                if (w->t[i].m[k].pod)
                    put_pod(w, &w->t[i], &w->t[i].m[k], str_of(on[i][k]), st[i][k] == PS_TERMINATING);
            if (late)
                put_task(w, &w->t[i]);
        }
    for (size_t k = 0; k < NODES && nodes_last; k++)
        if (w->n[k].there)
            put_node(w, k);
    for (size_t i = 0; i < TASKS; i++)
        if (w->t[i].used) {
            into_line(w, &w->t[i]);
            for (uint32_t k = 0; k < w->t[i].n; k++)
                if (w->t[i].m[k].pod && st[i][k] == PS_TERMINATING)
                    vec_push(&w->victims, w->t[i].m[k].pod);
        }
    w->restarts++;
    check(w);
}

static void run(struct world *w)
{
    struct use was, is;
    count(w, PS_ASSUMED, &was);
    dispatcher_events(pipeline_dispatcher(w->p), sched_take_events(w->s), w->now);
    dispatcher_tick(pipeline_dispatcher(w->p), w->now);
    binder_tick(pipeline_binder(w->p), w->now);
    pipeline_run(w->p, w->now, 0);
    count(w, PS_ASSUMED, &is);
    compare(w, &was, &is);
    check(w);
}

static void disturb(struct world *w)
{
    struct task *t = &w->t[below(w, TASKS)];
    switch (below(w, 14)) {
    case 0:
    case 1:
        change_node(w);
        break;
    case 2:
    case 3:
        change_route(w);
        break;
    case 4:
        if (t->used && below(w, 2)) {
            struct member *m = &t->m[below(w, t->n)];
            if (m->pod) {
                unit_id u = sched_unit_of(w->s, m->pod);
                t->torn = true;
                if (t->crosses) {
                    drop_pod(w, m);
                    T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), u, w->now, &w->err), &w->err);
                } else
                    end_task(w, t);
            }
        }
        break;
    case 5:
    case 6:
    case 7:
        if (t->used)
            end_task(w, t);
        break;
    case 8:
        if (below(w, 6) == 0)
            restart(w);
        break;
    default:
        if (!t->used)
            begin_task(w, t);
    }
    same_as_engine(w);
}

static void settle(struct world *w)
{
    for (int i = 0; i < 8 && !test_failures_; i++) {
        run(w);
        answer(w, true);
        check(w);
        w->now += 20 * NSEC_PER_SEC;
    }
}

static void live(uint64_t seed, uint32_t workers, bool simple)
{
    struct world *w = xnew(struct world);
    *w = (struct world){.now = NSEC_PER_SEC, .seed = seed, .workers = workers, .simple = simple};
    rng_seed(&w->rng, seed);
    new_engine(w);
    for (size_t k = 0; k < NODES; k++) {
        w->n[k] = (struct machine){.there = true, .domain = (uint8_t)(k % DOMAINS), .cpu = 8000, .out = 300 * MBIT, .in = 300 * MBIT, .factor = 1};
        put_node(w, k);
    }
    for (int i = 0; i < 150 && !test_failures_; i++) {
        for (uint64_t n = 1 + below(w, 6); n && !test_failures_; n--)
            disturb(w);
        run(w);
        answer(w, false);
        check(w);
        w->now += (nsec_t)below(w, 3) * NSEC_PER_SEC;
        if (below(w, 3) == 0) {
            settle(w);
            check_settled(w);
        }
    }
    for (size_t i = 0; i < TASKS; i++)
        if (w->t[i].used)
            end_task(w, &w->t[i]);
    check(w);
    printf("# seed %llu: %u tasks, %u pods placed, %u evicted, %u waits were looked at, %u restarts\n", SEED, w->made, w->placed, w->evicted, w->waits, w->restarts);
    pipeline_free(w->p);
    sched_free(w->s);
    vec_fini(&w->binds);
    vec_fini(&w->victims);
    free(w);
}

TEST(one_worker)
{
    for (uint64_t seed = 1; seed <= 100 && !test_failures_; seed++)
        live(seed, 1, seed % 2);
}

TEST(several_workers)
{
    for (uint64_t seed = 101; seed <= 120 && !test_failures_; seed++)
        live(seed, 3, seed % 2);
}

TEST_MAIN(one_worker, several_workers)
