/* Any text as a scheduling profile: it is refused with a sentence, or gives a profile whose parts hang together. */
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
    int64_t sum = 0;
    BUG_ON(p->nplugins > PLUG_MAX);
    for (uint32_t i = 0; i < p->nplugins; i++) {
        BUG_ON(profile_index(p, p->plugins[i].plugin->name) != (int)i); /* no plugin twice */
        BUG_ON(p->plugins[i].weight < 0);
        sum += (int64_t)p->plugins[i].weight * SCORE_MAX;
    }
    BUG_ON(sum > INT32_MAX);
    profile_free(p);
    return 0;
}
