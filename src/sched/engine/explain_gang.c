/* explain_gang.c - see explain_gang.h.
 *
 * A rejected gang is rolled back, so its first member finds room when it is asked alone, and nothing is explained by that.  Here the members are put
 * down one after the other until one finds nothing:
 *   2 GPUs, a gang of 3  ->  room 2, need 3, failed: the third, which sees the world with the first two in it
 * With a required topology that is done in every domain, and the one that holds most is told.  The whole group is asked first, then each sub-group. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_gang.h"

#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit.h"
#include "sched/engine/unit_attempt.h"

struct scope { /* the group, or a sub-group */
    uint32_t first, count; /* of the attempt's members */
    uint32_t need;
    uint16_t subgroup;
    const sym_t *keys;
    uint32_t nkeys;
};

/* How many find room on these nodes, one after the other.  The rest of a class that found nothing is not asked again. */
static uint32_t put_down(struct sched *s, const struct attempt *x, const struct scope *c, const uint64_t *within, pod_id *ret_failed)
{
    uint32_t room = 0;
    class_id failed = 0;
    *ret_failed = POD_NONE;
    for (uint32_t i = c->first; i < c->first + c->count && room < c->need; i++) {
        pod_id p = x->pods[i];
        struct place_result r = {.node = NODE_NONE};
        if (*ret_failed != POD_NONE && s->pods[p].class_ == failed)
            continue;
        if (s->pods[p].state == PS_NOMINATED)
            model_unassign(s, p);
        bool lacks = x->rules->bandwidth >= 0 && links_lack(s, p, NULL);
        if (!lacks && place_find(s, s->pods[p].class_, &(struct place_opts){.within = within}, &r)) {
            model_assign(s, p, r.node, PS_ASSUMED, 0);
            room++;
            continue;
        }
        if (*ret_failed == POD_NONE)
            *ret_failed = p;
        failed = s->pods[p].class_;
    }
    return room;
}

/* Of a level of a tree, "zone,rack", the rack. */
static str last_level(str key)
{
    ptrdiff_t at = str_rfind_char(key, ',');
    return at < 0 ? key : str_from(key, (size_t)at + 1);
}

/* "r2", of a tree with what is above it: "z1/r2". */
static void add_values(const struct sched *s, struct strbuf *b, node_id n, str key)
{
    str level;
    bool has;
    for (bool more = true, first = true; more; first = false) {
        more = str_cut(&key, ',', &level);
        sym_t sym = symbol_find(&s->sym, level);
        strbuf_addf(b, "%s" STR_FMT, first ? "" : "/", STR_ARG(sym ? symbol_text(&s->sym, labelset_get(s->nodes[n].labels, sym, &has)) : S("")));
    }
}

/* " in one rack (best: r2)" */
static str where_text(const struct sched *s, struct arena *a, const struct scope *c, const uint64_t *best)
{
    struct strbuf b = strbuf_on(a);
    node_id first = NODE_NONE;
    for (uint32_t w = 0; best && w < s->view.words && first == NODE_NONE; w++)
        if (best[w])
            first = w * 64 + (uint32_t)__builtin_ctzll(best[w]);
    for (uint32_t k = 0; k < c->nkeys; k++)
        strbuf_addf(&b, "%s" STR_FMT, k ? " and " : " in one ", STR_ARG(last_level(symbol_text(&s->sym, c->keys[k]))));
    for (uint32_t k = 0; first != NODE_NONE && k < c->nkeys; k++) {
        strbuf_add_str(&b, k ? S(", ") : S(" (best: "));
        add_values(s, &b, first, symbol_text(&s->sym, c->keys[k]));
        strbuf_add_str(&b, k + 1 == c->nkeys ? S(")") : S(""));
    }
    if (first == NODE_NONE)
        strbuf_add_str(&b, S(" (no node has this label)"));
    return strbuf_str(&b);
}

/* Is this one short?  Then ret is filled and its members stay in the best of its domains. */
static bool is_short(struct sched *s, struct arena *a, const struct attempt *x, const struct scope *c, const uint64_t *located, struct gang_try *ret)
{
    uint32_t words = s->view.words, most = 0;
    uint64_t *nodes = arena_array(a, words, uint64_t), *best = NULL;
    struct node_sets sets = {0};
    memcpy(nodes, located, words * sizeof *nodes);
    if (c->nkeys) {
        unit_keep_running_domains(s, x->u, c->subgroup, c->keys, c->nkeys, nodes);
        unit_domains(s, x->u, c->keys, c->nkeys, nodes, &sets);
    }
    for (size_t i = 0; c->nkeys && i < sets.sets.len; i++) {
        uint32_t mark = statement_begin(s), room = put_down(s, x, c, sets.sets.p[i], &ret->failed);
        statement_rollback(s, mark);
        if (!best || room > most) {
            best = arena_array(a, words, uint64_t);
            memcpy(best, sets.sets.p[i], words * sizeof *best);
            most = room;
        }
    }
    node_sets_fini(&sets);
    if (c->nkeys && !best)
        memset(nodes, 0, words * sizeof *nodes); /* no domain at all */
    ret->within = best ? best : nodes;
    uint32_t mark = statement_begin(s);
    ret->room = put_down(s, x, c, ret->within, &ret->failed);
    ret->need = c->need;
    if (ret->room >= c->need) {
        statement_rollback(s, mark);
        return false;
    }
    statement_commit(s, mark);
    if (c->subgroup != SUBGROUP_NONE)
        ret->whose = arena_fmt(a, " of sub-group " STR_FMT, STR_ARG(symbol_text(&s->sym, x->unit->subgroups[c->subgroup].name)));
    if (c->nkeys)
        ret->where = where_text(s, a, c, best);
    return true;
}

/* Where some sub-groups are enough, and none has a topology: how many of those that are still needed find room, one after the other, and the first that does not.
 * false: enough do (more than a rejection knew of: room came since), and nothing is placed. */
static bool too_few_parts(struct sched *s, const struct attempt *x, const uint64_t *located, struct gang_try *ret)
{
    const struct branch *root = &x->tree[x->root];
    struct scope first = {0};
    uint32_t need = root->need - MIN(root->nwell, root->need), room = 0, all = statement_begin(s);
    for (uint32_t k = 0; k < x->root && room < need; k++) {
        const struct branch *br = &x->tree[x->order[k]];
        struct scope part = {.first = br->first, .count = br->count, .need = (uint32_t)MAX(br->target - br->placed, 0), .subgroup = (uint16_t)x->order[k]};
        pod_id failed;
        if (br->well || !part.count)
            continue;
        uint32_t mark = statement_begin(s);
        bool good = put_down(s, x, &part, located, &failed) >= part.need;
        if (good)
            statement_commit(s, mark);
        else
            statement_rollback(s, mark);
        room += good;
        first = good || first.count ? first : part;
    }
    if (room >= need || !first.count) {
        statement_rollback(s, all);
        return false;
    }
    statement_commit(s, all);
    put_down(s, x, &first, located, &ret->failed);
    ret->room = room;
    ret->need = need;
    ret->within = located;
    return true;
}

static bool has_topology(const struct unit *unit)
{
    bool any = unit->nrequired_keys > 0;
    for (uint32_t i = 0; i < unit->nsubgroups; i++)
        any |= unit->subgroups[i].required_key || unit->subgroups[i].parent < unit->nsubgroups;
    return any;
}

void explain_gang_try(struct sched *s, struct arena *a, unit_id u, const uint64_t *located, struct gang_try *ret)
{
    struct attempt x;
    *ret = (struct gang_try){.whose = S(""), .where = S("")};
    attempt_init(&x, s, u);
    const struct unit *unit = x.unit;
    const struct branch *root = &x.tree[x.root];
    if (root->need < root->nchildren && !has_topology(unit) && too_few_parts(s, &x, located, ret)) {
        attempt_fini(&x);
        return;
    }
    struct scope whole = {0, x.npods, (uint32_t)MAX(root->target - root->placed, 1), SUBGROUP_NONE, unit->required_keys, unit->nrequired_keys};
    bool found = is_short(s, a, &x, &whole, located, ret);
    const uint64_t *within = ret->within;
    for (uint32_t b = 0; !found && b < x.root; b++) {
        const struct branch *br = &x.tree[b];
        struct scope part = {br->first, br->count, (uint32_t)MAX(br->target - br->placed, 0), (uint16_t)b, &unit->subgroups[b].required_key, unit->subgroups[b].required_key != 0};
        if (!br->nchildren && part.need)
            found = is_short(s, a, &x, &part, within, ret);
    }
    if (!found) {
        ret->failed = POD_NONE;
        ret->room = ret->need = whole.need;
    }
    attempt_fini(&x);
}
