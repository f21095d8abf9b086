/* simulate_bandwidth.c - what people say of a simulated node's network: its status says so, too, as a real node's agent reports it.
 *
 *   event of a Node ─► has the annotation, or had it: does its status say the same? ─► no: PATCH of the status
 * What is compared is the object; whether an annotation counts at the moment is remembered, so that nodes without one are left as they are. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/simulate/simulate_internal.h"
#include "api/quantity.h"

#define AGAIN_NS NSEC_PER_SEC

struct sim_bandwidth sim_bandwidth_of(const struct simulate *s, str note)
{
    struct sim_bandwidth x = {.has = note.len > 0};
    struct node_bandwidth n;
    for (const char *const *p = s->opts.capacity; p && *p; p++) {
        str value = str_of(*p), name;
        x.has |= str_cut(&value, '=', &name) && node_bandwidth_is_name(name);
    }
    if (x.has && node_bandwidth_noted(s->opts.capacity, NULL, 0, note, &n, NULL) < 0) /* simulate_new has looked at the one, see_node at the other */
        x.has = false;
    for (int e = 0; x.has && e < BANDWIDTH_ENDS; e++) /* on paper nothing is kept for the system */
        x.bits[e] = n.total[e];
    return x;
}

/* Under the names and in the units of a real node. */
void sim_bandwidth_add(struct strbuf *b, const struct sim_bandwidth *x)
{
    for (int e = 0; x->has && e < BANDWIDTH_ENDS; e++)
        strbuf_addf(b, ",\"%s\":\"%lld\"", bandwidth_resource[e], (long long)x->bits[e]);
    if (x->has)
        strbuf_addf(b, ",\"" BANDWIDTH_KUSCIA "\":\"%lld\"", (long long)(MIN(x->bits[BANDWIDTH_OUT], x->bits[BANDWIDTH_IN]) / BANDWIDTH_MBIT));
}

void sim_bandwidth_add_nothing(struct strbuf *b)
{
    strbuf_addf(b, ",\"%s\":null,\"%s\":null,\"" BANDWIDTH_KUSCIA "\":null", bandwidth_resource[BANDWIDTH_OUT], bandwidth_resource[BANDWIDTH_IN]);
}

static bool says(const struct json *node, const struct sim_bandwidth *x)
{
    const struct json *capacity = json_path(node, "status", "capacity", NULL);
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        struct quantity q;
        str text = json_get_str(capacity, str_of(bandwidth_resource[e]));
        if (text.len ? !x->has || !quantity_parse(text, &q) || quantity_to_i64(&q) != x->bits[e] : x->has)
            return false;
    }
    return true;
}

static void see_node(struct simulate *s, uint32_t node, const struct json *obj)
{
    str note = json_get_str(json_path(obj, "metadata", "annotations", NULL), S(BANDWIDTH_CAPACITY));
    int64_t bits[BANDWIDTH_ENDS];
    if (note.len && bandwidth_parse_ends(note, bits, NULL) < 0) /* what was in force stays */
        return;
    struct sim_bandwidth x = sim_bandwidth_of(s, note);
    x.node = node;
    if ((!note.len && !s->noted[node]) || s->nodes[node] == SIM_NODE_GONE)
        return;
    s->noted[node] = note.len > 0;
    for (size_t i = 0; i < s->bandwidths.len; i++)
        if (s->bandwidths.p[i].node == node)
            vec_remove(&s->bandwidths, i--);
    if (says(obj, &x))
        return;
    vec_push(&s->bandwidths, x);
    sim_pump(s);
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct simulate *s = informer_owner(inf);
    uint32_t node;
    if (s->stopped || ev->change == INFORMER_DELETED || !sim_find_node(s, informer_event_name(ev), &node) || (!s->noted[node] && str_find(ev->object, S(BANDWIDTH_CAPACITY)) < 0))
        return;
    const struct json *obj = informer_event_object(ev);
    if (obj)
        see_node(s, node, obj);
}

static void on_answer(struct sim_call *c, int status, str response UNUSED)
{
    struct simulate *s = c->sim;
    if ((status >= 200 && status < 300) || status == 404)
        return;
    s->stats.failures++;
    if (!s->bandwidth_timer.slot_)
        loop_timer_set(s->opts.loop, &s->bandwidth_timer, loop_now(s->opts.loop) + AGAIN_NS);
}

static void on_timer(struct loop_timer *t)
{
    informer_list_again(container_of(t, struct simulate, bandwidth_timer)->node_informer);
}

static void add_amounts(struct strbuf *b, const char *list, const struct sim_bandwidth *x)
{
    size_t from;
    strbuf_addf(b, "\"%s\":", list);
    from = b->len;
    sim_bandwidth_add(b, x);
    if (!x->has)
        sim_bandwidth_add_nothing(b);
    b->p[from] = '{'; /* in place of the first comma */
    strbuf_add_char(b, '}');
}

bool sim_bandwidth_pump(struct simulate *s)
{
    if (!s->bandwidths.len)
        return false;
    struct sim_bandwidth x = s->bandwidths.p[0];
    struct sim_call *c = sim_call_for_node(s, x.node, "/api/v1/nodes");
    if (!c)
        return false;
    vec_remove(&s->bandwidths, 0);
    c->who = x.node;
    strbuf_add_str(&c->path, S("/status"));
    strbuf_add_str(&c->body, S("{\"status\":{"));
    add_amounts(&c->body, "capacity", &x);
    strbuf_add_char(&c->body, ',');
    add_amounts(&c->body, "allocatable", &x);
    strbuf_add_str(&c->body, S("}}"));
    sim_call_start(c, "PATCH", "application/merge-patch+json", on_answer);
    return true;
}

int sim_bandwidth_start(struct simulate *s, struct err *err)
{
    s->bandwidth_timer.fire = on_timer;
    s->node_informer = informer_new(&(struct informer_opts){.transport = s->opts.transport, .loop = s->opts.loop, .path = S("/api/v1/nodes"), .query = S("labelSelector=coxswain.dev%2Fsimulated%3Dtrue"),
                                                            .event = on_event, .owner = s});
    return s->node_informer ? 0 : err_set(err, E_INTERNAL, "nodes cannot be followed");
}

void sim_bandwidth_free(struct simulate *s)
{
    if (s->node_informer)
        informer_free(s->node_informer);
    vec_fini(&s->bandwidths);
}
