/* profile_table.c - the profiles of an engine in one table; see plugin.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/plugin.h"

static bool same(const struct profile_plugin *a, const struct profile_plugin *b)
{
    return a->plugin == b->plugin && a->weight == b->weight && a->filters == b->filters && str_eq(a->args_text, b->args_text);
}

/* A hole at `at`; what stands from there on moves by one, in everybody's mask. */
static bool make_room(struct profile_table *t, uint32_t at)
{
    if (t->nplugins == PLUG_MAX)
        return false;
    memmove(&t->plugins[at + 1], &t->plugins[at], (t->nplugins - at) * sizeof t->plugins[0]);
    t->nplugins++;
    uint64_t below = (1ull << at) - 1;
    for (uint32_t i = 0; i < t->nprofiles; i++)
        t->of[i] = (t->of[i] & below) | (t->of[i] & ~below) << 1;
    return true;
}

/* Each entry comes behind the one before it: shared when an equal one stands there, else new. */
static bool add(struct profile_table *t, const struct sched_profile *p)
{
    if (t->nprofiles == PROFILES_MAX)
        return false;
    uint32_t k = t->nprofiles++, at = 0;
    t->profiles[k] = p;
    for (uint32_t i = 0; i < p->nplugins; i++) {
        uint32_t found = at;
        while (found < t->nplugins && !same(&t->plugins[found], &p->plugins[i]))
            found++;
        if (found == t->nplugins) {
            found = at;
            if (!make_room(t, at))
                return false;
            t->plugins[at] = p->plugins[i];
        }
        t->of[k] |= 1ull << found;
        at = found + 1;
    }
    return true;
}

bool profile_table_make(struct profile_table *t, const struct sched_profile *first)
{
    *t = (struct profile_table){0};
    for (const struct sched_profile *p = first; p; p = p->next)
        if (!add(t, p))
            return false;
    return true;
}

uint32_t profile_table_find(const struct profile_table *t, str scheduler_name)
{
    str name = scheduler_name.len ? scheduler_name : S("default-scheduler");
    for (uint32_t i = 0; t->nprofiles > 1 && i < t->nprofiles; i++)
        if (str_eq(t->profiles[i]->name, name))
            return i;
    return 0;
}

int profile_table_index(const struct profile_table *t, uint32_t profile, const struct sched_plugin *plugin)
{
    for (uint64_t m = t->of[profile]; m; m &= m - 1) {
        int i = __builtin_ctzll(m);
        if (t->plugins[i].plugin == plugin)
            return i;
    }
    return -1;
}
