/* Any text as scheduling profiles: it is refused with a sentence, or gives profiles whose parts hang together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    if (profile_parse(str_n((const char *)data, size), S("p.yaml"), &p, &err) < 0) {
        BUG_ON(p || !str_has_prefix(str_of(err.msg), S("p.yaml")));
        return 0;
    }
    struct profile_table t;
    BUG_ON(!profile_table_make(&t, p));
    uint32_t k = 0;
    for (const struct sched_profile *q = p; q; q = q->next, k++) {
        int64_t sum = 0;
        BUG_ON(q->nplugins > PLUG_MAX || (uint32_t)__builtin_popcountll(t.of[k]) != q->nplugins);
        BUG_ON(q->next && profile_table_find(&t, q->name) != k); /* no name twice */
        for (uint32_t i = 0; i < q->nplugins; i++) {
            BUG_ON(profile_index(q, q->plugins[i].plugin->name) != (int)i); /* no plugin twice */
            BUG_ON(q->plugins[i].weight < 0);
            sum += (int64_t)q->plugins[i].weight * SCORE_MAX;
        }
        BUG_ON(sum > INT32_MAX);
    }
    profile_free(p);
    return 0;
}
