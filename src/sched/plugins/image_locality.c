/* image_locality.c - ImageLocality: prefers nodes that hold the pod's images already.
 *
 * sum over the images on the node of bytes * (nodes that have it / all nodes), between 23 MiB and 1000 MiB a container, as a percentage of that range.
 * The factor keeps a rare image from pulling every pod onto its one node.  How many nodes have an image is counted as nodes change. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

#define MIB (1024ll * 1024)
#define LEAST (23 * MIB)
#define MOST_OF_ONE (1000 * MIB)

struct images {
    struct map nodes; /* name -> how many nodes have it */
};

/* Of the first entry: profiles that give it other weights count the same images. */
static const struct images *images_of(const struct sched *s)
{
    for (uint32_t i = 0; i < s->table->nplugins; i++)
        if (s->table->plugins[i].plugin == &plugin_image_locality)
            return s->plugin_state[i];
    return NULL;
}

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->nimages > 0;
}

static const struct node_image *image_on(const struct node *n, sym_t name)
{
    uint32_t lo = 0, hi = n->nimages;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (n->images[mid].name < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n->nimages && n->images[lo].name == name ? &n->images[lo] : NULL;
}

static int64_t score_with(const struct sched *s, const struct images *x, const struct pod_class *c, node_id n)
{
    int64_t sum = 0, most = MOST_OF_ONE * c->nimages;
    for (uint32_t i = 0; i < c->nimages; i++) {
        const struct node_image *here = image_on(&s->nodes[n], c->images[i]);
        if (!here)
            continue;
        double nodes = (double)(uintptr_t)map_get(&x->nodes, symbol_text(&s->sym, here->name));
        sum += (int64_t)((double)here->bytes * (nodes / (double)s->nalive));
    }
    sum = MIN(MAX(sum, LEAST), most);
    return SCORE_MAX * (sum - LEAST) / (most - LEAST);
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return score_with(v->s, images_of(v->s), c, n);
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    (void)args;
    const struct images *x = images_of(v->s);
    bits_foreach(n, fits, v->words)
        raw[n] = score_with(v->s, x, c, n);
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)is_score;
    strbuf_add(key, c->images, c->nimages * sizeof *c->images);
}

static void *state_new(struct sched *s, const void *args)
{
    (void)s;
    (void)args;
    return xnew(struct images);
}

static void state_free(void *state)
{
    struct images *x = state;
    map_fini(&x->nodes);
    free(x);
}

static void node_changed(struct sched *s, void *state, node_id n, int sign)
{
    struct images *x = state;
    const struct node *node = &s->nodes[n];
    for (uint32_t i = 0; i < node->nimages; i++) {
        str name = symbol_text(&s->sym, node->images[i].name);
        if (i && node->images[i].name == node->images[i - 1].name)
            continue; /* listed twice */
        uintptr_t count = (uintptr_t)map_get(&x->nodes, name) + (uintptr_t)(intptr_t)sign;
        if (count)
            map_put(&x->nodes, name, (void *)count);
        else
            map_del(&x->nodes, name);
    }
}

const struct sched_plugin plugin_image_locality = {
    .name = "ImageLocality",
    .score_scope = PLUG_STATIC,
    .static_score_is_global = true,
    .default_weight = 1,
    .norm = NORM_NONE,
    .uses_score = uses_score,
    .score = score,
    .score_one = score_one,
    .static_key = static_key,
    .state_new = state_new,
    .state_free = state_free,
    .node_changed = node_changed,
};
