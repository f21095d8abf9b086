/* unit_pack.c - tasks of several domains that the short way (unit_gang.c) finds no room for although there is some: looked for with second thoughts.
 *
 *   pods of alice's: 60M, 50M, 50M          nodes a0: 100M, a1: 60M free      60M goes to a0, where most is free, and the second 50M fits nowhere:   60M to a1, the others to a0
 *   two of alice, bob, carol are enough     alice's links are full            alice goes first, then nobody else can:                                bob and carol
 * Parties are taken in their order, the hardest to place first, or left out as long as enough remain; pods go to the tightest of the nodes that take them.  What leads nowhere is taken back.
 * Exact for few nodes; of many the CANDIDATES tightest are looked at, and no pod is looked at beside a node more than LOOKS times.  It costs a look at every node for each class, so it is for those tasks alone for whom
 * the order can matter: with different pods in one domain, or with more parties than must be. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit_attempt.h"

#define CANDIDATES 24u
#define LOOKS 4096u
#define PODS_MAX 64u /* that wait */

struct candidates {
    class_id class_;
    node_id node[CANDIDATES]; /* the tightest first */
    double slack[CANDIDATES];
    uint32_t n;
};
struct pack {
    struct attempt *a;
    const uint64_t *within;
    struct candidates *of; /* by class */
    uint32_t nof, looks;
};

/* --- for whom ------------------------------------------------------------------------------------------------------------------------------------------- */
static bool has_topology(const struct unit *unit)
{
    bool any = unit->nrequired_keys + unit->npreferred_keys + unit->nnode_selector > 0;
    for (uint32_t i = 0; i < unit->nsubgroups; i++)
        any |= unit->subgroups[i].required_key || unit->subgroups[i].npreferred_keys || unit->subgroups[i].parent < unit->nsubgroups;
    return any;
}

/* Two that wait in one domain, and are not of one class: one may take the other's place. */
static bool has_rivals(const struct attempt *a)
{
    const struct pod *pods = a->s->pods;
    for (uint32_t i = 1; i < a->npods; i++)
        for (uint32_t k = 0; k < i; k++)
            if (pods[a->pods[i]].ns == pods[a->pods[k]].ns && pods[a->pods[i]].class_ != pods[a->pods[k]].class_)
                return true;
    return false;
}

static bool is_for(const struct attempt *a)
{
    const struct branch *root = &a->tree[a->root];
    return unit_crosses(a->unit) && !a->evict && !a->s->batch && a->npods <= PODS_MAX && !root->count && root->nwell < root->need && !has_topology(a->unit) &&
           (root->need < root->nchildren || has_rivals(a));
}

/* --- where ---------------------------------------------------------------------------------------------------------------------------------------------- */
/* What would be left of what it asks for, as parts of the node. */
static double slack_on(const struct sched *s, const struct pod_class *c, node_id n)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->nreq; i++) {
        int64_t all = s->alloc[c->req[i].id] ? s->alloc[c->req[i].id][n] : 0;
        sum += c->req[i].id != RES_PODS && all > 0 ? (double)view_free(&s->view, n, c->req[i].id) / (double)all : 0;
    }
    return sum;
}

static void offer(struct candidates *x, node_id n, double slack)
{
    if (x->n == CANDIDATES && slack >= x->slack[x->n - 1])
        return;
    uint32_t at = x->n < CANDIDATES ? x->n++ : x->n - 1;
    for (; at && x->slack[at - 1] > slack; at--) {
        x->node[at] = x->node[at - 1];
        x->slack[at] = x->slack[at - 1];
    }
    x->node[at] = n;
    x->slack[at] = slack;
}

static const struct candidates *candidates_of(const struct pack *x, class_id c)
{
    uint32_t i = 0;
    while (i < x->nof && x->of[i].class_ != c)
        i++;
    return i < x->nof ? &x->of[i] : NULL;
}

/* Of all that wait, as long as nothing of them is in place: with more of it there they only become fewer.  false: one that must be has none. */
static bool find_candidates(struct pack *x)
{
    struct sched *s = x->a->s;
    const struct branch *root = &x->a->tree[x->a->root];
    bool needs_all = root->waiting <= root->target - root->placed;
    uint64_t *fits = arena_array(&x->a->arena, s->view.words, uint64_t);
    for (uint32_t i = 0; i < x->a->npods; i++) {
        class_id c = s->pods[x->a->pods[i]].class_;
        if (candidates_of(x, c))
            continue;
        struct candidates *one = &x->of[x->nof++];
        *one = (struct candidates){.class_ = c};
        place_feasible(s, c, x->within, fits);
        bits_foreach(n, fits, s->view.words)
            offer(one, n, slack_on(s, s->classes[c], n));
        if (!one->n && needs_all)
            return false;
    }
    return true;
}

/* --- the search ------------------------------------------------------------------------------------------------------------------------------------------- */
static bool put_parties(struct pack *x, uint32_t k);

static bool put_one(struct pack *x, pod_id p, node_id n)
{
    struct attempt *a = x->a;
    struct sched *s = a->s;
    x->looks++;
    if (!place_fits(s, s->pods[p].class_, n) || (a->rules->bandwidth >= 0 && links_lack(s, p, NULL)))
        return false;
    model_assign(s, p, n, PS_ASSUMED, 0);
    vec_push(&a->done, (struct placement){p, n, s->pods[p].gpu_mask, 0});
    tree_place(a->tree, a->root, tree_branch_of(a->unit, &s->pods[p]), 1);
    return true;
}

/* Members of party number k from i on, as many as it must have, and then the parties after it.  from: equal ones go no further ahead than those before them. */
static bool put_members(struct pack *x, uint32_t k, uint32_t i, uint32_t from)
{
    struct attempt *a = x->a;
    const struct branch *br = &a->tree[a->order[k]];
    if (br->well)
        return put_parties(x, k + 1);
    if (i == br->count)
        return false;
    pod_id p = a->pods[br->first + i];
    class_id c = a->s->pods[p].class_;
    const struct candidates *at = candidates_of(x, c);
    bool next_is_equal = i + 1 < br->count && a->s->pods[a->pods[br->first + i + 1]].class_ == c;
    for (uint32_t n = from; n < at->n && x->looks < LOOKS; n++) {
        struct attempt_mark m = attempt_begin(a);
        if (put_one(x, p, at->node[n]) && put_members(x, k, i + 1, next_is_equal ? n : 0)) {
            statement_commit(a->s, m.statement);
            return true;
        }
        attempt_rollback(a, m);
    }
    return (int64_t)(br->count - i) > br->target - br->placed && put_members(x, k, i + 1, 0); /* without this one */
}

static bool put_parties(struct pack *x, uint32_t k)
{
    const struct attempt *a = x->a;
    const struct branch *root = &a->tree[a->root];
    uint32_t left = 0;
    if (root->nwell >= root->need && root->placed >= root->target)
        return true;
    for (uint32_t i = k; i < a->root; i++)
        left += !a->tree[a->order[i]].well;
    if (root->nwell + left < root->need || left == 0)
        return false;
    if (put_members(x, k, 0, 0))
        return true;
    return !a->tree[a->order[k]].well && root->nwell + left > root->need && put_parties(x, k + 1); /* without this one */
}

bool attempt_pack(struct attempt *a, const uint64_t *within)
{
    if (!is_for(a))
        return false;
    struct pack x = {.a = a, .within = within, .of = arena_array(&a->arena, a->npods, struct candidates)};
    for (uint32_t b = 0; b < a->ntree; b++) { /* whoever is beyond what must be goes anywhere there */
        a->tree[b].within = within;
        a->tree[b].nearby = NULL;
        a->tree[b].beyond = NULL;
    }
    return find_candidates(&x) && put_parties(&x, 0);
}
