/* pod_gc_plan.h - which pods nobody else ends: pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

/* Sorts pods by age and says how many of the first are to go. */
size_t pod_gc_excess(struct pod_record **pods, size_t n, size_t keep);
/* A pod that was never bound and only waits for its end: nobody else will end it. */
bool pod_gc_is_stranded(const struct pod_record *p);
/* Somebody said that the node is switched off (the taint out-of-service), and nobody hears of it: pods that wait for it to end them need not wait. */
bool pod_gc_is_switched_off(const struct json *node);
