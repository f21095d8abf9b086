/* dump.h - an engine's whole state as text, a line a node and a pod, in the order of names: two engines that went different ways to the same state
 * give the same text, and the first line that differs says where they do not.  For tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"

enum dump_flags {
    DUMP_ASSUMED_IS_BOUND = 1, /* one letter for both */
    DUMP_NO_ZONES = 2,         /* without NUMA zones: they depend on the order in which pods came */
    DUMP_SLOTS = 4,            /* with the numbers of slots: the same engine before and after */
};
void dump_state(struct strbuf *b, const struct sched *s, int flags);
/* model_check, and the books of devices. */
int dump_check(const struct sched *s, struct err *err) MUST_CHECK;
/* The first line of a that differs from b's, for messages; "" when all are equal. */
str dump_difference(str a, str b, str *ret_other);
