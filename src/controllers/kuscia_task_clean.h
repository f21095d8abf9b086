/* kuscia_task_clean.h - what goes when a KusciaTask ends, when it is deleted, and when it is gone without having said so.
 *
 *   ended     pods that still run, files, services; a group that waits stops waiting; then completionTime.  Pods that have ended stay, for their logs
 *   deleted   the group with all it owns, then the finalizer
 *   gone      the finalizer was taken away by somebody: the group of a task that is not there any more
 * Threads: the controllers' loop.  Ownership: nothing; the job's run (kuscia_task_run.h) has what was read. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"

/* Each ends the job. */
void task_clean_ended(struct job *j);   /* the look for the group was the last answer: its pods are looked at, then all of it goes */
void task_clean_up(struct job *j);      /* the same of one whose pods are known */
void task_clean_deleted(struct job *j); /* the group, or that there is none, was the last answer */
void task_clean_gone(struct job *j);    /* there is no task of that name */
