/* default_preemption.c - DefaultPreemption: a unit that fits nowhere may evict pods of lower priority.
 *
 * The work is in engine/preempt.c; this entry in the profile turns it on.  kube-scheduler's arguments bound how many candidates it looks at.  Here every node is
 * looked at, so they are checked and mean nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

static int check_number(const struct json *args, const char *field, int64_t max, struct err *err)
{
    const struct json *v = json_get(args, str_of(field));
    int64_t number;
    if (!v || (json_to_i64(v, &number) && number >= 0 && number <= max))
        return 0;
    return args_refuse(err, field, "must be a whole number from 0 to %lld", (long long)max);
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"minCandidateNodesPercentage", "minCandidateNodesAbsolute", NULL};
    (void)a;
    int r = args_check(args, known, err);
    if (r == 0)
        r = check_number(args, known[0], 100, err);
    if (r == 0)
        r = check_number(args, known[1], INT32_MAX, err);
    if (r == 0)
        *ret_args = NULL;
    return r;
}

const struct sched_plugin plugin_default_preemption = {
    .name = "DefaultPreemption",
    .helped_by = EVENT_POD_FREED | EVENT_PDB,
    .configure = configure,
};
