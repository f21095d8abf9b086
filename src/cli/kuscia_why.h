/* kuscia_why.h - cox why of what Kuscia's kinds run: of a task (kt, or its group trg) all parties, nodes considered and links, as the scheduler says it; of a job (kj) the first
 * of its tasks that waits for room, or how its tasks are; of a service (kd) what its status says; of a domain how its nodes are and which tasks wait for room there.
 * Threads: main only.  Ownership: answers are in the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/print.h"
#include "cli/session.h"

/* "kt", "kusciatasks", "trg", "tr", "kj", "kd", "domain" ... */
bool kuscia_why_is(str type);
bool kuscia_is_job_type(str type);
int kuscia_why(struct session *s, struct printer *p, str type, str name, struct failure *f);
