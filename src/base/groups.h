/* groups.h - lists by key: a list exists as long as something is in it.
 *
 * Threads: one at a time.  Ownership: the lists; not what is linked into them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "base/map.h"

struct list *groups_get(struct map *groups, str key);  /* makes an empty one */
struct list *groups_find(const struct map *groups, str key);
void groups_prune(struct map *groups, str key);        /* when it is empty */
void groups_fini(struct map *groups);
