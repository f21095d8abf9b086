/* node_ipam.c - every node has a range of its own for its pods' addresses: spec.podCIDR, given once and given back when the node goes.
 *
 * What is taken is what the nodes say: nothing else is stored.  Before all nodes have been listed nothing is given out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_ipam_plan.h"

#include "base/log.h"
#include "base/map.h"
#include "base/vec.h"
#include "controllers/node_lifecycle.h"

#define NODE_BITS 24

struct owner {
    char *name;
    uint32_t part;
    bool has;      /* else it waits for one */
    bool promised; /* the part is kept for it, and perhaps written already: an answer was lost */
    bool foreign;  /* what it has is of another range: not ours to give or take */
    unsigned round;
};

struct node_ipam {
    struct controller *c;
    struct node_cidrs ipam;
    bool works, synced, said_full;
    struct map owners; /* name -> struct owner */
    unsigned round;
};

static struct owner *owner_get(struct node_ipam *m, str name)
{
    struct owner *o = map_get(&m->owners, name);
    if (!o) {
        o = xnew(struct owner);
        o->name = str_dup(name);
        map_put(&m->owners, str_of(o->name), o);
    }
    return o;
}

static void queue_waiting(struct node_ipam *m)
{
    map_foreach(e, &m->owners)
    {
        struct owner *o = e->value;
        if (!o->has)
            workqueue_add(m->c->queue, e->key);
    }
}

static void owner_drop(struct node_ipam *m, struct owner *o)
{
    bool was_full = m->ipam.used == m->ipam.parts;
    if ((o->has || o->promised) && !o->foreign)
        node_cidrs_give_back(&m->ipam, o->part);
    map_del(&m->owners, str_of(o->name));
    free(o->name);
    free(o);
    if (was_full && m->ipam.used < m->ipam.parts && m->synced) {
        m->said_full = false;
        queue_waiting(m);
    }
}

/* What the node says is so, even when it says it of a part that we have promised to another: that promise then fails with a conflict of its own. */
static void own(struct node_ipam *m, struct owner *o, str cidr)
{
    uint32_t part;
    if (!node_cidrs_find(&m->ipam, cidr, &part)) {
        if (o->promised)
            node_cidrs_give_back(&m->ipam, o->part);
        o->has = o->foreign = true;
        o->promised = false;
        return;
    }
    bool kept = (o->has || o->promised) && !o->foreign;
    if (kept && o->part != part)
        node_cidrs_give_back(&m->ipam, o->part);
    if (!(kept && o->part == part) && !node_cidrs_take(&m->ipam, part))
        log_warn("two nodes have the same range of pod addresses", KV("node", "%s", o->name), KV("range", STR_FMT, STR_ARG(cidr)));
    o->has = true;
    o->promised = o->foreign = false;
    o->part = part;
}

static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct node_ipam *m = c->state;
    if (!m->works)
        return;
    struct owner *o = map_get(&m->owners, informer_event_name(ev));
    if (ev->change == INFORMER_DELETED) {
        if (o)
            owner_drop(m, o);
        return;
    }
    if (o && o->has && o->round == m->round && ev->change == INFORMER_MODIFIED)
        return; /* heartbeats: a range never changes */
    const struct json *obj = informer_event_object(ev);
    o = o ? o : owner_get(m, informer_event_name(ev));
    o->round = m->round;
    str cidr = json_get_str(json_get(obj, S("spec")), S("podCIDR"));
    if (cidr.len)
        own(m, o, cidr);
    else if (m->synced && !o->has)
        workqueue_add(c->queue, str_of(o->name));
}

static void on_begin(struct controller *c, const struct resource *r UNUSED)
{
    struct node_ipam *m = c->state;
    m->round++;
}

static void on_synced(struct controller *c, const struct resource *r UNUSED)
{
    struct node_ipam *m = c->state;
    VEC(struct owner *) gone = {0};
    map_foreach(e, &m->owners)
    {
        struct owner *o = e->value;
        if (o->round != m->round)
            vec_push(&gone, o);
    }
    for (size_t i = 0; i < gone.len; i++)
        owner_drop(m, gone.p[i]);
    vec_fini(&gone);
    m->synced = true;
    if (m->works)
        queue_waiting(m);
}

/* --- one node ------------------------------------------------------------------------------------------------------------------- */

static str path_of(struct job *j)
{
    return resource_path(&j->arena, &(struct resource){.group = S(""), .version = S("v1"), .plural = S("nodes")}, S(""), j->key);
}

/* The part is kept for the node in either case: it may have been written, and only the answer lost. */
static void wrote(struct job *j)
{
    struct node_ipam *m = j->c->state;
    struct owner *o = map_get(&m->owners, j->key);
    str cidr = json_get_str(json_get(&j->answer, S("spec")), S("podCIDR"));
    if (job_ok(j) && o)
        own(m, o, cidr);
    job_end_status(j);
}

static void got_node(struct job *j)
{
    struct node_ipam *m = j->c->state;
    struct owner *o = map_get(&m->owners, j->key);
    str cidr = json_get_str(json_get(&j->answer, S("spec")), S("podCIDR"));
    if (!job_ok(j) || !o || o->has) {
        job_end_status(j);
        return;
    }
    uint32_t part = o->part;
    if (cidr.len) {
        own(m, o, cidr);
        job_end(j, WORK_OK);
        return;
    }
    if (!o->promised && !node_cidrs_next(&m->ipam, &part)) {
        job_end(j, WORK_OK); /* others were faster; looked at again when a node goes */
        return;
    }
    char text[20];
    o->promised = true;
    o->part = part;
    node_cidrs_text(&m->ipam, part, text);
    struct arena *a = &j->arena;
    struct json patch = patch_of(a, &j->answer), *spec = json_ensure_object(a, &patch, S("spec")), list = json_array();
    json_push(a, &list, json_string(arena_str(a, str_of(text))));
    json_set(a, spec, S("podCIDR"), list.items[0]);
    json_set(a, spec, S("podCIDRs"), list);
    job_call(j, S("PATCH"), path_of(j), &patch, wrote);
}

static bool is_full(struct node_ipam *m)
{
    if (m->ipam.used < m->ipam.parts)
        return false;
    if (!m->said_full)
        log_warn("the range of pod addresses is used up: further nodes get none", KV("nodes", "%u", m->ipam.parts), KV("range", "%s", m->c->opts->cluster_cidr));
    m->said_full = true;
    return true;
}

static void reconcile(struct job *j)
{
    struct node_ipam *m = j->c->state;
    const struct owner *o = map_get(&m->owners, j->key);
    if (!o || o->has || (!o->promised && is_full(m))) /* nothing to ask the server for; when a node goes they are all looked at again */
        job_end(j, WORK_OK);
    else
        job_call(j, S("GET"), path_of(j), NULL, got_node);
}

static void init(struct controller *c)
{
    struct node_ipam *m = c->state = xnew(struct node_ipam);
    struct err err = ERR_NONE;
    m->c = c;
    if (!c->opts->cluster_cidr || !c->opts->cluster_cidr[0])
        return;
    m->works = node_cidrs_init(&m->ipam, str_of(c->opts->cluster_cidr), c->opts->node_cidr_bits ? c->opts->node_cidr_bits : NODE_BITS, &err) == 0;
    if (!m->works)
        log_error("nodes get no pod addresses", KV("reason", "%s", err.msg));
}

static void fini(struct controller *c)
{
    struct node_ipam *m = c->state;
    map_foreach(e, &m->owners)
    {
        struct owner *o = e->value;
        free(o->name);
        free(o);
    }
    map_fini(&m->owners);
    node_cidrs_fini(&m->ipam);
    free(m);
}

const struct controller_type controller_node_ipam = {
    .name = "node-ipam",
    .parallel = 4,
    .watches = {{.group = "", .plural = "nodes", .event = on_node, .begin = on_begin, .synced = on_synced}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
