/* agent_links.c - what passes between this node's pods and the nodes of other domains: who they are, and the gauges.
 *
 *   a node comes, goes, gets another address or domain ─► links_stale ─► with the next round of agent_bandwidth.c: ranges of each other domain to the network
 *   every round                                           ─► its counters, as those of pods
 *
 * A node without a domain, or that knows no node of another one, counts nothing.  Of a node its pods' range and its own address count. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/agent_nodes.h"
#include "base/log.h"

#define RETRY_NS (60 * NSEC_PER_SEC) /* a run of nft each time */

static bool can_count(const struct agent *g)
{
    return g->opts.network && g->opts.network->links;
}

void agent_links_begin(struct agent *g, struct agent_links *l, struct arena *a)
{
    if (!can_count(g))
        return;
    l->set = g->links_stale && loop_now(g->loop) >= g->links_not_before;
    g->links_stale &= !l->set;
    if (l->set)
        l->n = agent_domain_links(g, a, &l->all);
    g->links_counted = l->set ? l->n > 0 : g->links_counted;
    l->read = g->links_counted;
}

void agent_links_run(const struct agent *g, struct agent_links *l, struct arena *a)
{
    const struct agent_network *net = g->opts.network;
    int r = l->set ? net->links(net->arg, l->all, l->n, &l->err) : 0;
    if (r == 0 && l->read)
        r = net->link_counters(net->arg, a, &l->counters, &l->ncounters, &l->err);
    for (size_t i = 0; r == 0 && i < l->ncounters; i++)
        l->counters[i].uid = arena_fmt(a, AGENT_LINK_READING STR_FMT, STR_ARG(l->counters[i].uid));
}

void agent_links_end(struct agent *g, const struct agent_links *l)
{
    if (l->err.code && !g->links_told)
        log_warn("what passes between domains is not counted", KV("why", "%s", l->err.msg));
    g->links_stale |= l->err.code != 0; /* the next round makes it again */
    g->links_told = l->err.code || (g->links_told && g->links_stale);
    if (l->err.code && l->set) /* it was refused, and will be */
        g->links_not_before = loop_now(g->loop) + RETRY_NS;
}

/* source and destination as the route between them has them; direction is this node's. */
void agent_links_metrics(const struct agent *g, struct strbuf *out, bool (*used)(const struct agent *g, str reading, int64_t ret[BANDWIDTH_ENDS]), const struct map *readings)
{
    static const char *const end_name[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = "egress", [BANDWIDTH_IN] = "ingress"};
    if (!g->links_counted)
        return;
    strbuf_add_str(out, S("# HELP link_bandwidth_used_bits Traffic of the node's pods with the nodes of another domain in the last seconds, bit/s.\n# TYPE link_bandwidth_used_bits gauge\n"));
    map_foreach(e, readings) {
        str domain = e->key;
        int64_t bits[BANDWIDTH_ENDS];
        if (!str_has_prefix(domain, S(AGENT_LINK_READING)) || !used(g, domain, bits))
            continue;
        domain = str_from(domain, sizeof AGENT_LINK_READING - 1);
        for (int i = 0; i < BANDWIDTH_ENDS; i++) {
            str own = str_of(g->domain), source = i == BANDWIDTH_OUT ? own : domain, destination = i == BANDWIDTH_OUT ? domain : own;
            strbuf_addf(out, "link_bandwidth_used_bits{source=\"" STR_FMT "\",destination=\"" STR_FMT "\",node=\"%s\",direction=\"%s\"} %lld\n", STR_ARG(source), STR_ARG(destination), g->opts.node_name, end_name[i],
                        (long long)bits[i]);
        }
    }
}
