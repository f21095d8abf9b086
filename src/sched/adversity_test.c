/* adversity_test.c - tasks of several domains, single pods and loans on nodes and links that change under them: after every step every sum is counted again from the specs, by one worker and by several.
 *
 *   a step: some of  tasks come, end, lose a pod, have a pod that leaves slowly │ a node has more, less or nothing, another overcommit factor, is cordoned, is lost, comes back │ a link is made, narrowed,
 *   widened, moved, deleted │ a bind fails, is never answered, is confirmed │ time passes
 * What is asked for after it:
 *   - no node has more of anything than it can hold, but for what was there before it became less; that never grows.  The same for links
 *   - what the engine keeps (columns, links, lines of the dispatcher, replicas of workers) is what the pods say
 *   - a task that was placed in this step has what it needs; in the end nothing is left of anybody */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "sched/engine/keep.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
#define BIND_TIMEOUT_NS (30 * NSEC_PER_SEC)
enum { DOMAINS = 4, NODES = 3, TASKS = 64, PARTIES = 3, ROUTES = 10, MEMBERS = PARTIES * 2, LENT = RES_MAX, KINDS = 4 };

struct member { /* a pod of a task; a pod alone is a task with one */
    char name[24];
    uint8_t domain;
    int64_t mbit, lent;
    pod_id pod; /* POD_NONE: it is gone */
};
struct task {
    char name[16];
    bool used, crosses, started;
    uint32_t n, parties, enough;
    struct member m[MEMBERS];
};
struct machine {
    bool there, cordoned;
    int64_t mbit, lendable;
    double factor;
};
struct way {
    bool there;
    uint8_t source, destination;
    int64_t mbit;
};
struct world {
    struct sched *s;
    struct pipeline *p;
    struct rng rng;
    nsec_t now;
    uint16_t lent;
    struct task tasks[TASKS];
    struct machine nodes[DOMAINS][NODES];
    struct way routes[ROUTES];
    VEC(pod_id) binds;
    uint64_t seed, trace;
    uint32_t made, placed, failed, kept, over;
    struct err err;
};
struct use {
    int64_t mbit[DOMAINS][NODES], lent[DOMAINS][NODES], link[DOMAINS][DOMAINS];
};

static uint64_t below(struct world *w, uint64_t n)
{
    return rng_below(&w->rng, n);
}

static str domain_name(size_t d)
{
    static const str names[DOMAINS] = {STR_INIT("d0"), STR_INIT("d1"), STR_INIT("d2"), STR_INIT("d3")};
    return names[d];
}

/* --- nodes and links ---------------------------------------------------------------------------------------------------------------------------- */
static int64_t room_of(const struct machine *n)
{
    return n->there ? (int64_t)((double)(n->mbit * MBIT) * n->factor) : 0;
}

static void put_node(struct world *w, size_t d, size_t k)
{
    struct machine *n = &w->nodes[d][k];
    char name[16];
    snprintf(name, sizeof name, "d%zu-%zu", d, k);
    if (!n->there) {
        sched_node_delete(w->s, str_of(name));
        return;
    }
    struct spec_label label = {S("domain"), domain_name(d)};
    struct res_amount res[] = {{RES_CPU, 64000},           {RES_MEMORY, 64 * GIB}, {RES_INGRESS, n->mbit * MBIT}, {RES_EGRESS, n->mbit * MBIT}, {RES_PODS, 110},
                               {w->lent, n->lendable * MBIT}};
    struct node_spec spec = {.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, ARRAY_LEN(res)}, .unschedulable = n->cordoned, .bandwidth_overcommit = n->factor};
    T_NO_ERR(sched_node_put(w->s, &spec, NULL, &w->err), &w->err);
}

static void change_node(struct world *w)
{
    static const double factors[] = {0.5, 1, 1, 1.5, 2};
    size_t d = below(w, DOMAINS), k = below(w, NODES);
    struct machine *n = &w->nodes[d][k];
    switch (below(w, 6)) {
    case 0:
        n->factor = factors[below(w, ARRAY_LEN(factors))];
        break;
    case 1:
        n->mbit = 50 + (int64_t)below(w, 8) * 50;
        break;
    case 2:
        n->lendable = (int64_t)below(w, 5) * 50;
        break;
    case 3:
        n->cordoned = !n->cordoned; /* as a node that is not ready */
        break;
    default:
        n->there = !n->there || below(w, 2);
        n->cordoned = false;
        n->mbit = MAX(n->mbit, 300);
    }
    put_node(w, d, k);
}

static void change_route(struct world *w)
{
    size_t i = below(w, ROUTES);
    struct way *r = &w->routes[i];
    char name[16];
    snprintf(name, sizeof name, "r%zu", i);
    if (r->there && below(w, 4) == 0) {
        sched_route_delete(w->s, S(""), str_of(name));
        r->there = false;
        return;
    }
    if (!r->there || below(w, 4) == 0) { /* new, or between others now */
        r->source = (uint8_t)below(w, DOMAINS);
        r->destination = (uint8_t)((r->source + 1 + below(w, DOMAINS - 1)) % DOMAINS);
    }
    r->there = true;
    r->mbit = 50 + (int64_t)below(w, 10) * 50;
    struct route_spec spec = {.ns = S(""), .name = str_of(name), .source = domain_name(r->source), .destination = domain_name(r->destination), .bits = r->mbit * MBIT};
    T_NO_ERR(sched_route_put(w->s, &spec, &w->err), &w->err);
}

/* -1: it has no end. */
static int64_t width(const struct world *w, size_t a, size_t b)
{
    int64_t least = -1;
    for (size_t i = 0; i < ROUTES; i++)
        if (w->routes[i].there && w->routes[i].source == a && w->routes[i].destination == b)
            least = least < 0 ? w->routes[i].mbit : MIN(least, w->routes[i].mbit);
    return least < 0 ? -1 : least * MBIT;
}

/* --- tasks --------------------------------------------------------------------------------------------------------------------------------------- */
static void put_pod(struct world *w, struct task *t, struct member *m, const char *on, bool leaves)
{
    struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, m->mbit * MBIT}, {RES_EGRESS, m->mbit * MBIT}, {w->lent, m->lent * MBIT}};
    struct spec_label label = {S("domain"), domain_name(m->domain)};
    struct pod_spec p = {.ns = domain_name(m->domain), .name = str_of(m->name), .group = t->crosses ? str_of(t->name) : S(""), .group_is_cluster = t->crosses,
                         .subgroup = t->crosses ? domain_name(m->domain) : S(""), .requests = {req, 4}, .node = world_str(on), .created_ns = w->now,
                         .phase = leaves ? POD_TERMINATING : on ? POD_BOUND : POD_PENDING, .node_selector = {&label, 1}};
    T_NO_ERR(sched_pod_put(w->s, &p, &m->pod, &w->err), &w->err);
}

static void begin_task(struct world *w, struct task *t)
{
    uint8_t order[DOMAINS] = {0, 1, 2, 3};
    struct spec_subgroup sub[PARTIES] = {0};
    *t = (struct task){.used = true, .crosses = below(w, 4) > 0};
    uint32_t number = w->made++;
    snprintf(t->name, sizeof t->name, "t%u", number);
    t->parties = t->crosses ? 2 + (uint32_t)below(w, 2) : 1;
    t->enough = t->crosses && t->parties == 3 && below(w, 3) == 0 ? 2 : 0; /* minReservedMembers below the parties */
    int64_t mbit = 20 + (int64_t)below(w, 8) * 40, need = 0;
    for (size_t k = 0; k < t->parties; k++) {
        size_t other = k + below(w, DOMAINS - k);
        uint8_t d = order[other];
        order[other] = order[k];
        uint32_t pods = t->crosses && below(w, 4) == 0 ? 2 : 1;
        sub[k] = (struct spec_subgroup){.name = domain_name(d), .min_member = 1 + (pods == 2 && below(w, 2))};
        need += sub[k].min_member;
        for (uint32_t i = 0; i < pods; i++) {
            struct member *m = &t->m[t->n++];
            bool loan = below(w, 6) == 0;
            *m = (struct member){.domain = d, .mbit = loan ? 0 : mbit, .lent = loan || below(w, 8) == 0 ? 20 : 0};
            snprintf(m->name, sizeof m->name, "t%u-%zu-%u", number, k, i);
        }
    }
    unit_id u = UNIT_NONE;
    struct group_spec g = {.ns = S(""), .name = str_of(t->name), .subgroups = sub, .nsubgroups = t->parties, .min_member = t->enough ? 0 : (int32_t)need, .min_subgroup = (int32_t)t->enough,
                           .created_ns = w->now};
    if (t->crosses)
        T_NO_ERR(sched_group_put(w->s, &g, &u, &w->err), &w->err);
    for (uint32_t i = 0; i < t->n; i++) {
        put_pod(w, t, &t->m[i], NULL, false);
        T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), sched_unit_of(w->s, t->m[i].pod), w->now, &w->err), &w->err);
    }
}

static void drop_pod(struct world *w, struct member *m)
{
    if (!m->pod)
        return;
    binder_pod_gone(pipeline_binder(w->p), m->pod);
    sched_pod_delete(w->s, domain_name(m->domain), str_of(m->name));
    m->pod = POD_NONE;
}

static void end_task(struct world *w, struct task *t)
{
    unit_id u = t->crosses ? sched_group_find(w->s, S(""), str_of(t->name)) : t->m[0].pod ? sched_unit_of(w->s, t->m[0].pod) : UNIT_NONE;
    for (uint32_t i = 0; i < t->n; i++)
        drop_pod(w, &t->m[i]);
    dispatcher_remove(pipeline_dispatcher(w->p), u);
    if (t->crosses)
        sched_group_delete(w->s, S(""), str_of(t->name));
    t->used = false;
}

static const struct pod *pod_of(const struct world *w, const struct member *m)
{
    return &w->s->pods[m->pod];
}

/* A pod alone goes, or begins to leave; the rest of its task stays. */
static void hurt_task(struct world *w, struct task *t)
{
    struct member *m = &t->m[below(w, t->n)];
    if (!m->pod)
        return;
    unit_id u = sched_unit_of(w->s, m->pod);
    if (pod_of(w, m)->state == PS_BOUND && below(w, 2)) {
        STRBUF_AUTO node = STRBUF_HEAP;
        strbuf_add_str(&node, sched_node_name(w->s, pod_of(w, m)->node));
        put_pod(w, t, m, strbuf_cstr(&node), true);
    } else if (t->crosses) {
        drop_pod(w, m);
        T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), u, w->now, &w->err), &w->err);
    }
}

/* --- the world's answers -------------------------------------------------------------------------------------------------------------------------- */
static void on_bind(void *arg, pod_id p, node_id n)
{
    struct world *w = arg;
    vec_push(&w->binds, p);
    w->trace = w->trace * 1000003 + p * 31 + n;
    w->placed++;
}

static void answer_binds(struct world *w)
{
    for (size_t i = 0; i < w->binds.len; i++) {
        pod_id p = w->binds.p[i];
        if (w->s->pods[p].state != PS_ASSUMED)
            continue;
        switch (below(w, 8)) {
        case 0: /* somebody else was faster: a conflict */
            binder_failed(pipeline_binder(w->p), p, w->now);
            w->failed++;
            break;
        case 1: /* never */
            break;
        default:
            binder_confirmed(pipeline_binder(w->p), p);
            sched_pod_confirm(w->s, p);
        }
    }
    vec_clear(&w->binds);
}

/* --- counting again ---------------------------------------------------------------------------------------------------------------------------------- */
static struct use count(const struct world *w)
{
    struct use u = {0};
    for (size_t i = 0; i < TASKS; i++) {
        const struct task *t = &w->tasks[i];
        int64_t sum[DOMAINS] = {0};
        uint32_t pods[DOMAINS] = {0};
        for (uint32_t k = 0; t->used && k < t->n; k++) {
            const struct member *m = &t->m[k];
            if (!m->pod || pod_of(w, m)->state < PS_ASSUMED)
                continue;
            str node = sched_node_name(w->s, pod_of(w, m)->node);
            T_EQ_INT(node.p[1] - '0', m->domain);
            u.mbit[m->domain][node.p[3] - '0'] += m->mbit * MBIT;
            u.lent[m->domain][node.p[3] - '0'] += m->lent * MBIT;
            sum[m->domain] += m->mbit * MBIT;
            pods[m->domain]++;
        }
        for (size_t a = 0; a < DOMAINS; a++)
            for (size_t b = 0; b < DOMAINS; b++)
                if (a != b && pods[a] && pods[b])
                    u.link[a][b] += MAX(sum[a], sum[b]);
    }
    return u;
}

/* Never more than there is, unless it was more before. */
static void compare(struct world *w, const struct use *before, const struct use *now)
{
    for (size_t a = 0; a < DOMAINS && !test_failures_; a++) {
        for (size_t k = 0; k < NODES; k++) {
            const struct machine *n = &w->nodes[a][k];
            w->over += now->mbit[a][k] > room_of(n);
            if (now->mbit[a][k] > MAX(room_of(n), before->mbit[a][k]) || now->lent[a][k] > MAX(n->lendable * MBIT, before->lent[a][k]))
                T_FAIL_("seed %llu: node d%zu-%zu has %lld of %lld (%lld before), lent %lld of %lld", (unsigned long long)w->seed, a, k, (long long)now->mbit[a][k], (long long)room_of(n),
                        (long long)before->mbit[a][k], (long long)now->lent[a][k], (long long)(n->lendable * MBIT));
        }
        for (size_t b = 0; b < DOMAINS; b++) {
            const struct link *l = links_find(w->s, symbol_find(&w->s->sym, domain_name(a)), symbol_find(&w->s->sym, domain_name(b)));
            if (width(w, a, b) >= 0 && now->link[a][b] > MAX(width(w, a, b), before->link[a][b]))
                T_FAIL_("seed %llu: link d%zu->d%zu carries %lld of %lld (%lld before)", (unsigned long long)w->seed, a, b, (long long)now->link[a][b], (long long)width(w, a, b), (long long)before->link[a][b]);
            if ((l ? l->taken : 0) != now->link[a][b] || (l ? l->capacity : LINK_ENDLESS) != width(w, a, b))
                T_FAIL_("seed %llu: the engine has %lld of %lld for link d%zu->d%zu, it is %lld of %lld", (unsigned long long)w->seed, (long long)(l ? l->taken : 0), (long long)(l ? l->capacity : -1), a, b,
                        (long long)now->link[a][b], (long long)width(w, a, b));
        }
    }
}

/* A task that was placed now has all that it needs. */
static void look_at_tasks(struct world *w)
{
    for (size_t i = 0; i < TASKS && !test_failures_; i++) {
        struct task *t = &w->tasks[i];
        uint32_t parties = 0, last = DOMAINS, placed = 0, alive = 0;
        for (uint32_t k = 0; t->used && k < t->n; k++) {
            bool is = t->m[k].pod && pod_of(w, &t->m[k])->state >= PS_ASSUMED;
            alive += t->m[k].pod != POD_NONE;
            placed += is;
            parties += is && t->m[k].domain != last;
            last = is ? t->m[k].domain : last;
        }
        if (!t->used || t->started || !placed)
            continue;
        t->started = true;
        if (alive == t->n && parties < (t->enough ? t->enough : t->parties))
            T_FAIL_("seed %llu: task %s begins with %u of its %u parties", (unsigned long long)w->seed, t->name, parties, t->parties);
    }
}

static void check(struct world *w)
{
    T_NO_ERR(model_check(w->s, &w->err), &w->err);
    T_NO_ERR(dispatcher_check(pipeline_dispatcher(w->p), &w->err), &w->err);
    T_NO_ERR(pipeline_check(w->p, &w->err), &w->err);
    w->kept += w->s->keeps->list.len > 0;
}

/* --- a step ------------------------------------------------------------------------------------------------------------------------------------------- */
static void disturb(struct world *w)
{
    struct task *t = &w->tasks[below(w, TASKS)];
    switch (below(w, 12)) {
    case 0:
    case 1:
        change_node(w);
        break;
    case 2:
        change_route(w);
        break;
    case 3:
        if (t->used)
            hurt_task(w, t);
        break;
    case 4:
    case 5:
        if (t->used && (t->started || below(w, 4) == 0))
            end_task(w, t);
        break;
    case 6:
        w->now += (nsec_t)below(w, 60) * NSEC_PER_SEC; /* binds that nobody answered are over, somebody has waited for long */
        break;
    default:
        if (!t->used)
            begin_task(w, t);
    }
}

static void step(struct world *w)
{
    for (uint64_t n = 1 + below(w, 5); n; n--)
        disturb(w);
    struct use before = count(w);
    w->now += NSEC_PER_SEC;
    pipeline_run(w->p, w->now, 0);
    struct use now = count(w);
    compare(w, &before, &now);
    look_at_tasks(w);
    check(w);
    answer_binds(w);
    check(w);
}

static uint64_t live(uint64_t seed, uint32_t workers, bool fast)
{
    struct world *w = xnew(struct world);
    struct sched_profile *profile = profile_builtin(S("default"));
    profile->keep_after_ns = 40 * NSEC_PER_SEC;
    *w = (struct world){.s = sched_new(profile, seed), .now = NSEC_PER_SEC, .seed = seed};
    rng_seed(&w->rng, seed);
    struct binder_calls calls = {.arg = w, .bind = on_bind};
    struct pipeline_opts opts = {.workers = workers, .fast = fast, .dispatch = DISPATCHER_OPTS_DEFAULT, .always_parallel = workers > 1, .bind_timeout_ns = BIND_TIMEOUT_NS};
    w->p = pipeline_new(w->s, &opts, &calls, &w->err);
    T_OK(w->p);
    T_NO_ERR(sched_resource_id(w->s, S("cox.io/lent-egress-bandwidth"), &w->lent, &w->err), &w->err);
    for (size_t d = 0; d < DOMAINS; d++)
        for (size_t k = 0; k < NODES; k++) {
            w->nodes[d][k] = (struct machine){.there = true, .mbit = 300, .lendable = 100, .factor = 1};
            put_node(w, d, k);
        }
    for (int i = 0; i < 500 && !test_failures_; i++)
        step(w);
    for (size_t i = 0; i < TASKS; i++)
        if (w->tasks[i].used)
            end_task(w, &w->tasks[i]);
    pipeline_run(w->p, w->now, 0);
    check(w);
    for (node_id n = 0; n < w->s->view.nnodes; n++)
        for (uint32_t r = 0; r < w->s->nres; r++)
            T_EQ_INT(w->s->view.used[r][n], 0);
    for (size_t a = 0; a < DOMAINS; a++)
        for (size_t b = 0; b < DOMAINS; b++) {
            const struct link *l = links_find(w->s, symbol_find(&w->s->sym, domain_name(a)), symbol_find(&w->s->sym, domain_name(b)));
            T_OK(!l || l->taken == 0);
        }
    T_EQ_INT(w->s->keeps->list.len, 0);
    struct dispatcher_counts c = dispatcher_count(pipeline_dispatcher(w->p));
    T_EQ_INT(c.ready + c.flying + c.backoff + c.parked + c.held, 0);
    T_OK(w->placed > 50 && w->over > 0 && w->kept > 0);
    uint64_t trace = w->trace;
    printf("# seed %llu: %u tasks, %u pods placed, %u binds failed, %u times more than there is, room was kept at %u looks\n", (unsigned long long)seed, w->made, w->placed, w->failed, w->over, w->kept);
    pipeline_free(w->p);
    sched_free(w->s);
    vec_fini(&w->binds);
    free(w);
    return trace;
}

TEST(one_worker)
{
    for (uint64_t seed = 1; seed <= 20 && !test_failures_; seed++)
        live(seed, 1, false);
}

TEST(workers_decide_the_same)
{
    for (uint64_t seed = 1; seed <= 12 && !test_failures_; seed++)
        T_OK(live(seed, 3, false) == live(seed, 1, false));
}

TEST(fast_workers)
{
    for (uint64_t seed = 21; seed <= 24 && !test_failures_; seed++)
        live(seed, 3, true);
}

TEST_MAIN(one_worker, workers_decide_the_same, fast_workers)
