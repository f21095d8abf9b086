/* kuscia_stage.h - cox job stop, suspend, restart, cancel, approve, reject NAME: what people tell a KusciaJob.
 *
 * The first four are its label job-stage, as Kuscia has it, with the domain that said so in job-stage-trigger; the other two are a domain's answer in status.approveStatus.
 * What cannot have an effect now (api/kuscia_stages.h) is refused with the job's phase, and nothing is written.
 * Threads: the program's.  Ownership: nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

/* Whether cox job has such a command. */
bool kuscia_stage_is(const char *command);
/* domain: who says so; NULL: nobody in particular, which approve and reject refuse. */
int kuscia_stage(struct session *s, const char *command, const char *name, const char *domain, struct failure *f);
/* Why that domain has no say in it, or is not asked; "": it has. */
str kuscia_stage_stranger(struct arena *a, const char *command, const struct json *job, str domain);
