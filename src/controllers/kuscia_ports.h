/* kuscia_ports.h - port numbers of tasks: each is of one task of a domain at a time.
 *
 *   task as the watch shows it ─► ports_note(key, its numbers, none when it has ended)
 *   new task ─► ports_find ─► in a note on it, then in its status ─► the watch shows them
 * Nothing is kept elsewhere: after a restart the list of tasks says what is taken, so numbers are given out once that is complete.
 * Threads: one.  Ownership: keys are copied.
 * Limits: PORTS_COUNT numbers a domain. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "wire/json.h"

#define PORTS_FIRST 20000u
#define PORTS_COUNT 12767u

struct kuscia_ports {
    struct map domains_; /* name to bits */
    struct map tasks_;   /* key to what it holds */
};
void kuscia_ports_init(struct kuscia_ports *p);
void kuscia_ports_fini(struct kuscia_ports *p);
/* What a task holds from now on: status.allocatedPorts; NULL: nothing. */
void kuscia_ports_note(struct kuscia_ports *p, str key, const struct json *allocated);
/* The same from a task as a watch shows it: its status, and, while that has no numbers yet, those that were noted with the finalizer (null: none).  One that has ended holds nothing; one without
 * numbers may be of before they were chosen, and what was noted here stays. */
void kuscia_ports_see(struct kuscia_ports *p, str key, const struct json *status, const struct json *noted);
/* A number that no task of the domain holds; 0: there is none.  `seed` chooses where to look first.  It is taken only with ports_note: within one task give what was given as `not_these`. */
uint32_t kuscia_ports_find(const struct kuscia_ports *p, str domain, uint64_t seed, const uint32_t *not_these, size_t n);
