/* kuscia_job_plan.h - how far a KusciaJob is, and what is to be done next: from the job and its tasks as they are now (pure).
 *
 *   "" ─► AwaitingApproval ─► Pending ─► Running ─┬─► Succeeded
 *            └─► ApprovalReject         ▲  │      ├─► Failed ───┐
 *                             restart   └──┼──────┴─ Suspended ─┘   Cancelled (from everywhere but the ends)
 * Stages are commands in the label kuscia.secretflow/job-stage: Start, Stop, Suspend, Restart, Cancel.  Each is a look at the phase, so that one that was carried out is carried out no more.
 * A task may start when all that it depends on succeeded; of several the one with the higher priority does first.  Tasks that depend on one that failed never start: the job does not wait for them.
 * Names of tasks without an id follow from job and alias: whoever plans again finds the same.
 * Threads: pure.  Ownership: all of it on the arena, with parts of the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define KUSCIA_TASKS_MAX 128

struct kuscia_job_in {
    const struct json *job;
    const struct json *const *tasks; /* by place in spec.tasks; NULL: there is none */
    str now;
    str missing;                /* what the job names and is not there, a sentence; "" all is */
    bool give_up;               /* it was waited for long enough */
    const struct json *asked;   /* domains that want to be asked, array of names; NULL: none */
};

struct kuscia_job_plan {
    struct json status;
    bool restarted;                            /* the stage label becomes Start, so that a later restart is another one */
    uint8_t start[KUSCIA_TASKS_MAX], nstart;   /* places of tasks to make, in this order */
    uint8_t stop[KUSCIA_TASKS_MAX], nstop;     /* whose status becomes Failed: they end */
    uint8_t remove[KUSCIA_TASKS_MAX], nremove; /* that are deleted, and made again afterwards */
    str why;                                   /* they end */
};

void kuscia_job_plan(struct arena *a, const struct kuscia_job_in *in, struct kuscia_job_plan *ret);
/* Nothing happens to it any more, whatever it is told. */
bool kuscia_job_is_over(const struct json *job);
/* It was not looked at yet, or its phase is none of ours: somebody wrote it.  It begins (again) with what it names. */
bool kuscia_job_is_new(const struct json *job);
/* The name of the KusciaTask. */
str kuscia_task_id(struct arena *a, const struct json *job, const struct json *template_);
/* The KusciaTask of a place; image: its AppImage. */
struct json kuscia_job_task(struct arena *a, const struct json *job, const struct json *template_, const struct json *image);
/* The template of the AppImage for a role: its own, else the one without a role, else, for parties without role, the first.  NULL: none. */
const struct json *kuscia_template(const struct json *image, str role);
