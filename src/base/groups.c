/* SPDX-License-Identifier: Apache-2.0 */
#include "base/groups.h"

struct group {
    struct list list;
    char *key;
};

struct list *groups_get(struct map *groups, str key)
{
    struct group *g = map_get(groups, key);
    if (!g) {
        g = xnew(struct group);
        g->key = str_dup(key);
        list_init(&g->list);
        map_put(groups, str_n(g->key, key.len), g);
    }
    return &g->list;
}

struct list *groups_find(const struct map *groups, str key)
{
    struct group *g = map_get(groups, key);
    return g ? &g->list : NULL;
}

void groups_prune(struct map *groups, str key)
{
    struct group *g = map_get(groups, key);
    if (!g || !list_empty(&g->list))
        return;
    map_del(groups, key);
    free(g->key);
    free(g);
}

void groups_fini(struct map *groups)
{
    map_foreach(e, groups)
    {
        struct group *g = e->value;
        free(g->key);
        free(g);
    }
    map_fini(groups);
}
