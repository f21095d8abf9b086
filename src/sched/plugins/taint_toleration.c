/* taint_toleration.c - TaintToleration: nodes with a taint that the pod does not tolerate take it not at all (NoSchedule, NoExecute) or unwillingly
 * (PreferNoSchedule: the fewer of those, the better). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"
#include "sched/plugins/plugins.h"

static const char *const reasons[] = {"node(s) had untolerated taint {%s: %s}"};

static const struct node_taint *untolerated(const struct sched *s, const struct pod_class *c, node_id n)
{
    const struct node *node = &s->nodes[n];
    for (uint32_t i = 0; i < node->ntaints; i++)
        if (node->taints[i].effect != TAINT_PREFER_NO_SCHEDULE && !class_tolerates(c, &node->taints[i]))
            return &node->taints[i];
    return NULL;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return !untolerated(v->s, c, n);
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    bits_foreach(n, fits, v->words)
        if (!fits_one(v, c, args, n))
            bit_clear(fits, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    const struct node_taint *t = untolerated(v->s, c, n);
    if (max == 0 || !t)
        return 0;
    ret[0] = (struct plug_reason){.unresolvable = true, .resource = RES_MAX, .what = {t->key, t->value}};
    return 1;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    const struct node *node = &v->s->nodes[n];
    int64_t count = 0;
    for (uint32_t i = 0; i < node->ntaints; i++)
        count += node->taints[i].effect == TAINT_PREFER_NO_SCHEDULE && !class_tolerates(c, &node->taints[i]);
    return count;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)is_score;
    for (uint32_t i = 0; i < c->ntolerations; i++) {
        const struct spec_toleration_sym *t = &c->tolerations[i];
        uint32_t words[] = {t->key, t->value, t->op, (uint32_t)t->effect};
        strbuf_add(key, words, sizeof words);
    }
}

const struct sched_plugin plugin_taint_toleration = {
    .name = "TaintToleration",
    .filter_scope = PLUG_STATIC,
    .score_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_TAINT | EVENT_POD_UPDATED,
    .default_weight = 3,
    .norm = NORM_REVERSE_MAX,
    .reasons = reasons,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .static_key = static_key,
};
