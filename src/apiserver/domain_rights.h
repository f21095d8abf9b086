/* domain_rights.h - what the people of an institution (group kuscia:domain:NAME) may do with jobs that their domain takes part in, and who speaks for which domain.
 *
 *   read     one job by its name, in the namespace cross-domain, when the domain is its initiator or one of its parties.  Lists are not theirs: they would show the jobs of others
 *   answer   status.approveStatus.NAME                      the verb `approve` on kusciajobs in the namespace NAME
 *   command  labels job-stage and job-stage-trigger=NAME     the verb `command` there; the domain takes part
 * The Role `domain` that every domain has (controllers/domains.c) gives its people the two verbs; whoever has them may say so, whoever has not may not, also with a right to write all jobs: as `approve` of signers is for certificates.
 * Who has no other right to write the job changes nothing else of it.
 * Where a domain wants to be asked (annotation ASK_ANNOTATION), what it agreed to stays what it is: tasks of its jobs change, jobs are made in its name, and the phase of a job that it has not
 * answered becomes one that runs, only by who may answer for it.
 * Members of system:masters, as the controllers are, are asked nothing.
 * Threads: any (the first), the request's loop (the second).  Ownership: results on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"
#include "apiserver/authz.h"

#define DOMAIN_JOBS_NS "cross-domain"
#define DOMAIN_ASK_ANNOTATION "kuscia.secretflow/job-approval" /* of a Domain: "manual" */

/* "alice" for the group kuscia:domain:alice, else "". */
str domain_of_group(str group);
/* One of the user's domains takes part in the job that is asked about, and the verb is one of those above; nodes are not people. */
bool domain_rights_allow(struct store *store, struct arena *a, const struct authz_attrs *attrs);
/* For the table of admission. */
int domain_rights_validate(struct admission_attrs *at, struct err *err);
