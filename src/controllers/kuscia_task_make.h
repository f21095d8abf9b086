/* kuscia_task_make.h - what is made for a KusciaTask, in this order:
 *
 *   finalizer and port numbers, in one write ─► TaskResourceGroup ─► files and services ─► pods ─► status: ResourceCreated
 *
 * Everything is owned by the group.  Names follow from the task alone, so that every step can be taken again; what has one of them and is another task's is waited for.
 * Threads: the controllers' loop.  Ownership: nothing; the job's run (kuscia_task_run.h) has its layout. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"

/* From the start: fails what no node could ever hold, waits where a quota or the numbers are used up.  Ends the job. */
void task_make_numbers(struct job *j);
/* From the group on: the numbers are chosen.  Ends the job. */
void task_make_group(struct job *j);
