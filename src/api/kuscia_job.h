/* kuscia_job.h - who takes part in a KusciaJob.  One answer for all who ask: the server judges by it who may speak in a job, the command line whom a command is for.
 * Threads: any.  Ownership: what is returned is the object's.  A job that is written badly has fewer parties. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

str kuscia_job_initiator(const struct json *job);
/* Is the domain one of the parties of its tasks? */
bool kuscia_job_is_party(const struct json *job, str domain);
/* A party, or the initiator.  Nobody without a name does. */
bool kuscia_job_takes_part(const struct json *job, str domain);
