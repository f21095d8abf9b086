/* kuscia_stages.h - the commands that a KusciaJob is given, and in which of its phases each has an effect: what controllers/kuscia_job_plan.h does, for those who tell people beforehand.
 *
 *   stage (label job-stage)   command   has an effect on
 *   Stop                      stop      what has not ended
 *   Suspend                   suspend   Running; of one that is about to run, when it does
 *   Restart                   restart   Failed, Suspended, what is being stopped or suspended; not what never passed validation
 *   Cancel                    cancel    what has not ended for good
 *   -                         approve, reject   AwaitingApproval
 * Threads: any.  Ownership: texts are on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

/* "Stop" for "stop"; NULL: it is none, or no stage. */
const char *kuscia_stage_of(str command);
/* "stop" for "Stop"; NULL: it is none, or one that asks for nothing. */
const char *kuscia_stage_command(str stage);
/* Why the command has no effect on a job in this state; "": it has one. */
str kuscia_stage_refusal(struct arena *a, str command, const struct json *job);
