/* dump.c - an engine's whole state as text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/dump.h"

#include "sched/engine/devices.h"

static int line_cmp(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static void add_sorted(struct strbuf *b, str *lines, size_t n, const char *sep)
{
    if (n)
        qsort(lines, n, sizeof *lines, line_cmp);
    for (size_t i = 0; i < n; i++)
        strbuf_addf(b, STR_FMT "%s", STR_ARG(lines[i]), sep);
}

static str port_text(const struct sched *s, struct arena *a, const struct port_use *u)
{
    return arena_fmt(a, "%c%u@" STR_FMT "x%u", u->protocol, u->port, STR_ARG(symbol_text(&s->sym, u->ip)), u->count);
}

static void node_line(struct strbuf *b, const struct sched *s, struct arena *a, node_id n, int flags)
{
    const struct view *v = &s->view;
    const struct node *node = &s->nodes[n];
    strbuf_addf(b, "node " STR_FMT, STR_ARG(sched_node_name(s, n)));
    if (flags & DUMP_SLOTS)
        strbuf_addf(b, " slot %u", n);
    for (uint32_t r = 0; r < s->nres; r++)
        if (s->alloc[r][n] || v->used[r][n])
            strbuf_addf(b, " " STR_FMT " %lld/%lld", STR_ARG(s->res_name[r]), (long long)v->used[r][n], (long long)s->alloc[r][n]);
    strbuf_addf(b, " nonzero %lld %lld", (long long)v->nonzero_cpu[n], (long long)v->nonzero_memory[n]);
    for (int i = 0; i < 2; i++)
        strbuf_addf(b, " f %.17g %.17g %.17g %.17g", v->f_used[i][n], v->f_nonzero[i][n], s->f_alloc[i][n], s->f_inv[i][n]);
    for (uint32_t i = 0; i < node->ngpus; i++)
        strbuf_addf(b, " gpu%u %u %u", i, v->gpu[n].used_milli[i], v->gpu[n].used_mib[i]);
    for (uint32_t i = 0; i < node->nnuma && !(flags & DUMP_NO_ZONES); i++)
        strbuf_addf(b, " zone%u %lld %lld %d", i, (long long)v->numa[n].used_cpu[i], (long long)v->numa[n].used_memory[i],
                    v->numa[n].exclusive >> i & 1);
    str *ports = arena_array(a, v->ports[n].n + 1, str);
    for (uint32_t i = 0; i < v->ports[n].n; i++)
        ports[i] = port_text(s, a, &v->ports[n].p[i]);
    strbuf_addf(b, " ports ");
    add_sorted(b, ports, v->ports[n].n, " ");
    strbuf_addf(b, "labels %u taints %u cordoned %d images %u pods %u", node->labels.n, node->ntaints, node->unschedulable, node->nimages,
                node->npods);
}

static void pod_line(struct strbuf *b, const struct sched *s, pod_id p, int flags)
{
    static const char states[] = "FEPNABT";
    const struct pod *pod = &s->pods[p];
    char state = states[pod->state];
    if (flags & DUMP_ASSUMED_IS_BOUND && state == 'A')
        state = 'B';
    strbuf_addf(b, "pod " STR_FMT "/" STR_FMT " %c " STR_FMT " devices %x", STR_ARG(sched_pod_ns(s, p)), STR_ARG(sched_pod_name(s, p)),
                state, STR_ARG(sched_node_name(s, pod->node)), pod->gpu_mask);
    if (!(flags & DUMP_NO_ZONES))
        strbuf_addf(b, " zones %x", pod->numa_zones);
    if (flags & DUMP_SLOTS)
        strbuf_addf(b, " slot %u class %u unit %u started %lld", p, pod->class_, pod->unit, (long long)pod->started_ns);
}

void dump_state(struct strbuf *b, const struct sched *s, int flags)
{
    ARENA_AUTO a = ARENA_INIT;
    str *lines = arena_array(&a, (size_t)s->nalive + s->npods + 1, str);
    size_t n = 0;
    bits_foreach(i, s->alive, s->view.words)
    {
        struct strbuf line = strbuf_on(&a);
        node_line(&line, s, &a, i, flags);
        lines[n++] = strbuf_str(&line);
    }
    for (pod_id p = 1; p < s->npods_slots; p++) {
        if (s->pods[p].state == PS_FREE)
            continue;
        struct strbuf line = strbuf_on(&a);
        pod_line(&line, s, p, flags);
        lines[n++] = strbuf_str(&line);
    }
    add_sorted(b, lines, n, "\n");
}

int dump_check(const struct sched *s, struct err *err)
{
    int r = model_check(s, err);
    return r < 0 ? r : devices_check(s, err);
}

str dump_difference(str a, str b, str *ret_other)
{
    while (a.len || b.len) {
        str x, y;
        str_cut(&a, '\n', &x);
        str_cut(&b, '\n', &y);
        if (!str_eq(x, y)) {
            *ret_other = y;
            return x.len ? x : S("(nothing)");
        }
    }
    return S("");
}
