/* statement.c - see statement.h.  One log for all nested statements; a mark is a position in it.
 *
 *   begin(0) assign a, evict b, begin(2) assign c, rollback(2): c is off again ... commit(0): the log is forgotten */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/statement.h"

#include "base/err.h"
#include "sched/engine/engine.h"
#include "sched/engine/pods.h"

struct undo {
    nsec_t started_ns;
    pod_id pod;
    node_id node;
    uint16_t gpu_mask;
    uint8_t op, state, numa_zones;
};
struct undo_log {
    VEC(struct undo) list;
    uint32_t depth;
    uint64_t events; /* of the open statement */
};

static struct undo_log *log_of(struct sched *s)
{
    if (!s->undo)
        s->undo = xnew(struct undo_log);
    return s->undo;
}

bool statement_is_open(const struct sched *s)
{
    return s->undo && s->undo->depth > 0;
}

uint32_t statement_begin(struct sched *s)
{
    struct undo_log *l = log_of(s);
    l->depth++;
    return (uint32_t)l->list.len;
}

void statement_log(struct sched *s, enum undo_op op, pod_id p, node_id n, enum pod_state state, uint16_t gpu_mask, uint8_t numa_zones, nsec_t started_ns)
{
    vec_push(&s->undo->list, (struct undo){.op = (uint8_t)op, .pod = p, .node = n, .state = (uint8_t)state, .gpu_mask = gpu_mask, .numa_zones = numa_zones, .started_ns = started_ns});
}

void statement_event(struct sched *s, uint64_t events)
{
    if (statement_is_open(s))
        s->undo->events |= events;
    else
        s->events |= events;
}

static void take_back(struct sched *s, const struct undo *u)
{
    switch ((enum undo_op)u->op) {
    case UNDO_ASSIGN:
        model_undo_assign(s, u->pod);
        s->nassigned--;
        break;
    case UNDO_UNASSIGN:
        model_redo_assign(s, u->pod, u->node, u->state, u->gpu_mask, u->numa_zones);
        s->pods[u->pod].started_ns = u->started_ns;
        break;
    case UNDO_STATE:
        model_set_state(s, u->pod, u->state);
        break;
    case UNDO_NODE_ADD:
        model_node_hide(s, u->node);
        nodes_drop(s, u->node);
        break;
    case UNDO_NODE_REMOVE:
        map_put(&s->node_by_name, symbol_text(&s->sym, s->nodes[u->node].name), (void *)(uintptr_t)(u->node + 1));
        model_node_show(s, u->node);
        s->tie_stale = true;
        break;
    }
}

void statement_rollback(struct sched *s, uint32_t mark)
{
    struct undo_log *l = s->undo;
    BUG_ON(!l || l->depth == 0 || mark > l->list.len);
    uint64_t events = l->events;
    /* what the undoing itself logs is cut off again */
    for (size_t i = l->list.len; i-- > mark;) {
        struct undo u = l->list.p[i];
        take_back(s, &u);
        l->list.len = i;
    }
    l->events = events;
    if (--l->depth == 0)
        l->events = 0;
}

void statement_commit(struct sched *s, uint32_t mark)
{
    struct undo_log *l = s->undo;
    BUG_ON(!l || l->depth == 0 || mark > l->list.len);
    if (--l->depth > 0)
        return;
    s->events |= l->events;
    l->events = 0;
    vec_clear(&l->list);
    for (uint32_t i = 0; i < s->nhooks; i++) {
        const struct sched_plugin *plugin = s->table->plugins[s->hooks[i]].plugin;
        if (plugin->committed)
            plugin->committed(s, s->plugin_state[s->hooks[i]]);
    }
}

int statement_add_nodes(struct sched *s, const struct node_spec *like, uint32_t count, struct err *err)
{
    BUG_ON(!statement_is_open(s));
    STRBUF_AUTO name = STRBUF_HEAP;
    struct node_spec spec = *like;
    for (uint32_t i = 0, number = 0; i < count; i++) {
        do {
            strbuf_clear(&name);
            strbuf_add_str(&name, like->name);
            strbuf_addf(&name, "-%u", number++);
        } while (sched_node_find(s, strbuf_str(&name)) != NODE_NONE || elsewhere_waits(s, strbuf_str(&name)));
        spec.name = strbuf_str(&name);
        node_id n;
        int r = sched_node_put(s, &spec, &n, err);
        if (r < 0)
            return r;
        statement_log(s, UNDO_NODE_ADD, POD_NONE, n, PS_FREE, 0, 0, 0);
    }
    return 0;
}

void statement_remove_node(struct sched *s, node_id n)
{
    BUG_ON(!statement_is_open(s));
    while (s->nodes[n].first_pod)
        model_unassign(s, s->nodes[n].first_pod);
    map_del(&s->node_by_name, symbol_text(&s->sym, s->nodes[n].name)); /* who asks for it by name must not find it either */
    model_node_hide(s, n);
    s->tie_stale = true;
    statement_log(s, UNDO_NODE_REMOVE, POD_NONE, n, PS_FREE, 0, 0, 0);
    statement_event(s, EVENT_NODE_DELETE);
}

bool statement_departure(const struct sched *s, uint32_t *ret_place)
{
    if (!statement_is_open(s) || s->undo->list.len == 0 || s->undo->list.p[s->undo->list.len - 1].op != UNDO_UNASSIGN)
        return false;
    *ret_place = (uint32_t)s->undo->list.len;
    return true;
}

void statement_fini(struct sched *s)
{
    if (!s->undo)
        return;
    vec_fini(&s->undo->list);
    free(s->undo);
}
