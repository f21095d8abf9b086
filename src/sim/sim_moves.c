/* sim_moves.c - jobs of several parties: a gang with a part in each domain, and the data that its parties send each other.
 *
 *   start ─► duration ─► every party sends `transfer` bytes, as much to each of the others, and gets as many ─► end
 * Through the egress and the ingress of each pod's node goes its replica's part of the party's rate, through the link between two domains what one sends the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_internal.h"

/* What is there, of what can be promised. */
static int64_t really(const struct sched *s, node_id n, uint16_t r)
{
    double factor = s->nodes[n].bandwidth_overcommit;
    int64_t promised = s->alloc[r] ? s->alloc[r][n] : 0;
    return factor > 0 ? (int64_t)((double)promised / factor) : promised;
}

void sim_moves_node(struct sim *sim, struct sim_node *n)
{
    const struct sched *s = sim->s;
    int64_t egress = n->template ? n->template->bandwidth.egress : really(s, n->id, RES_EGRESS);
    int64_t ingress = n->template ? n->template->bandwidth.ingress : really(s, n->id, RES_INGRESS);
    if (egress > 0)
        n->egress = transfers_add_pipe(sim->moves, (double)egress) + 1;
    if (ingress > 0)
        n->ingress = transfers_add_pipe(sim->moves, (double)ingress) + 1;
}

int sim_moves_link(struct sim *sim, const struct scenario_link *l, struct err *err)
{
    vec_push(&sim->links, (struct sim_link){l->from, l->to, l->bits, transfers_add_pipe(sim->moves, (double)l->bits)});
    if (sim->opts.ignores_bandwidth)
        return 0;
    str name = arena_fmt(&sim->arena, STR_FMT "-" STR_FMT "-%zu", STR_ARG(l->from), STR_ARG(l->to), sim->links.len);
    return sched_route_put(sim->s, &(struct route_spec){.ns = S(""), .name = name, .source = l->from, .destination = l->to, .bits = l->bits}, err);
}

void sim_moves_kind(struct sim *sim, struct sim_kind *k)
{
    const struct scenario_job *j = k->job;
    if (sim->opts.ignores_bandwidth) {
        struct res_amount *req = arena_array(&sim->arena, k->like.requests.n + 1, struct res_amount);
        size_t n = 0;
        for (size_t i = 0; i < k->like.requests.n; i++)
            if (k->like.requests.p[i].id != RES_INGRESS && k->like.requests.p[i].id != RES_EGRESS)
                req[n++] = k->like.requests.p[i];
        k->like.requests.p = req;
        k->like.requests.n = n;
    }
    if (!j->parties.n)
        return;
    k->like.ns = S(""); /* the group's; pods are in their parties' */
    k->of_party = arena_array(&sim->arena, j->parties.n, struct spec_labels);
    for (size_t p = 0; p < j->parties.n; p++) {
        size_t n = k->like.node_selector.n;
        struct spec_label *labels = arena_array(&sim->arena, n + 1, struct spec_label);
        for (size_t i = 0; i < n; i++)
            labels[i] = k->like.node_selector.p[i];
        labels[n] = (struct spec_label){S(SCENARIO_DOMAIN), j->parties.p[p]};
        k->of_party[p] = (struct spec_labels){labels, n + 1};
    }
}

static uint32_t party_of(const struct scenario_job *j, uint32_t number)
{
    return number % (uint32_t)j->parties.n;
}

void sim_moves_pod(const struct sim_kind *k, uint32_t number, struct pod_spec *spec)
{
    if (!k->of_party)
        return;
    uint32_t p = party_of(k->job, number);
    spec->ns = spec->subgroup = k->job->parties.p[p];
    spec->group_is_cluster = true;
    spec->node_selector = k->of_party[p];
}

static const struct sim_link *link_between(const struct sim *sim, str from, str to)
{
    const struct sim_link *narrowest = NULL; /* which counts, as in the engine */
    for (size_t i = 0; i < sim->links.len; i++) {
        const struct sim_link *l = &sim->links.p[i];
        if (str_eq(l->from, from) && str_eq(l->to, to) && (!narrowest || l->bits < narrowest->bits))
            narrowest = l;
    }
    return narrowest;
}

bool sim_moves_begin(struct sim *sim, uint32_t job)
{
    struct sim_job *j = &sim->jobs.p[job];
    const struct scenario_job *of = sim->kinds.p[j->kind].job;
    if (!of || !of->transfer || j->moving_since >= 0)
        return false;
    VEC(struct transfer_use) uses = {0};
    for (uint32_t i = j->first_pod; i < j->first_pod + j->npods; i++) {
        if (sim->pods.p[i].run == SIM_NONE)
            continue;
        const struct sim_node *n = &sim->nodes.p[sim->runs.p[sim->pods.p[i].run].node];
        if (n->egress)
            vec_push(&uses, (struct transfer_use){n->egress - 1, 1.0 / of->replicas});
        if (n->ingress)
            vec_push(&uses, (struct transfer_use){n->ingress - 1, 1.0 / of->replicas});
    }
    for (size_t a = 0; sim->links.len && a < of->parties.n; a++)
        for (size_t b = 0; b < of->parties.n; b++) {
            const struct sim_link *l = a == b ? NULL : link_between(sim, of->parties.p[a], of->parties.p[b]);
            if (l)
                vec_push(&uses, (struct transfer_use){l->pipe, 1.0 / (double)(of->parties.n - 1)});
        }
    transfers_start(sim->moves, sim->now, job, 8.0 * (double)of->transfer, uses.p, uses.len);
    vec_fini(&uses);
    j->moving_since = sim->now;
    sim->moves_stale = true;
    return true;
}

void sim_moves_stop(struct sim *sim, uint32_t job)
{
    if (sim->jobs.p[job].moving_since < 0)
        return;
    transfers_stop(sim->moves, sim->now, job);
    sim->jobs.p[job].moving_since = -1;
    sim->moves_stale = true;
}

void sim_moves_through(struct sim *sim)
{
    uint32_t job;
    sim->moves_stale = true;
    while (transfers_take(sim->moves, sim->now, &job)) {
        sim->moved++;
        sim->moved_s += (double)(sim->now - sim->jobs.p[job].moving_since) / 1e9;
        sim->jobs.p[job].moving_since = -1;
        sim_job_end(sim, job, SIM_ENDED);
    }
}

void sim_moves_plan(struct sim *sim)
{
    if (!sim->moves_stale)
        return;
    nsec_t next = transfers_next(sim->moves);
    sim->moves_stale = false;
    sim->moves_serial++;
    if (next != INT64_MAX)
        sim_push(sim, MAX(next, sim->now), EV_MOVED, 0, sim->moves_serial);
}
