/* live_pools.c - the policies of a live scheduler, one for each node pool: which there are, with what options.  Who asks for them is live_shards.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/live/live_internal.h"

#define TRIES 128u

static struct live_pool *pool_new(struct live *l, const struct live_policy *x, str name)
{
    struct live_pool *pool = xnew(struct live_pool);
    struct policy_opts opts = POLICY_OPTS_DEFAULT;
    opts.max_tries = TRIES; /* the loop has others to serve; what is left is done in the next turn */
    opts.has_pool = x->is_split;
    opts.pool = symbol(&l->s->sym, name);
    pool->name = str_dup(name);
    pool->p = policy_new(l->s, &opts);
    pool->d = POLICY_DECISIONS_INIT;
    pool->again_ns = INT64_MAX;
    pool->usage = live_usage_new(l, pool);
    if (!x->has_units)
        policy_listen(pool->p, false);
    return pool;
}

static void pool_free(struct live_pool *pool)
{
    policy_decisions_fini(&pool->d);
    live_usage_free(pool->usage);
    policy_free(pool->p);
    free(pool->notes);
    free(pool->name);
    free(pool);
}

struct live_policy *live_policy_new(struct live *l)
{
    struct live_policy *x = xnew(struct live_policy);
    x->pools = xarray(LIVE_POOLS, struct live_pool *);
    x->pools[x->npools++] = pool_new(l, x, S(""));
    return x;
}

void live_policy_free(struct live_policy *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->npools; i++)
        pool_free(x->pools[i]);
    free(x->pools);
    free(x);
}

size_t live_policy_pools(const struct live *l, struct live_pool *const **ret)
{
    *ret = l->policy->pools;
    return l->policy->npools;
}

struct live_pool *live_policy_pool(const struct live *l, str name)
{
    const struct live_policy *x = l->policy;
    for (size_t i = 0; i < x->npools; i++)
        if (!x->is_split || str_is(name, x->pools[i]->name))
            return x->pools[i];
    return NULL;
}

static bool is_named(const str *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(names[i], name))
            return true;
    return false;
}

void live_policy_set_pools(struct live *l, const str *names, size_t n, bool is_split)
{
    struct live_policy *x = l->policy;
    size_t keep = 0;
    x->is_split = is_split;
    for (size_t i = 0; i < x->npools; i++) {
        if (is_named(names, n, x->pools[i]->name)) {
            x->pools[keep++] = x->pools[i];
        } else {
            policy_let_go(x->pools[i]->p);
            pool_free(x->pools[i]);
        }
    }
    x->npools = keep;
    for (size_t i = 0; i < n && x->npools < LIVE_POOLS; i++) {
        bool known = false;
        for (size_t k = 0; k < x->npools; k++)
            known |= str_is(names[i], x->pools[k]->name);
        if (!known)
            x->pools[x->npools++] = pool_new(l, x, names[i]);
    }
}

void live_policy_set_opts(struct live *l, struct live_pool *pool, const struct policy_opts *opts)
{
    struct policy_opts o = *opts;
    o.max_tries = TRIES;
    o.has_pool = l->policy->is_split;
    o.pool = symbol(&l->s->sym, str_of(pool->name));
    policy_set_opts(pool->p, &o);
    pool->again_ns = 0;
    live_policy_stale(l);
}

void live_policy_charge(struct live *l)
{
    struct live_policy *x = l->policy;
    for (size_t i = 0; x->has_units && i < x->npools; i++)
        if (policy_get_opts(x->pools[i]->p)->window_ns)
            policy_usage_advance(x->pools[i]->p, live_now(l));
}
