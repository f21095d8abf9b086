/* kuscia_task_run.h - one look at a KusciaTask, as the parts of its controller hand it on: what was read of it, how its status is written, and how it waits for what other tasks have.
 *
 *   kuscia_task.c        reads: the task, its programs or its group, its pods; decides which way
 *   kuscia_task_make.h   numbers ─► group ─► files and services ─► pods
 *   kuscia_task_clean.h  what goes at the end, with a task that is deleted, and after one that is gone
 * A run is the state of its job (j->state) from the first answer on; each part ends the job, or calls the next.
 * Threads: the controllers' loop.  Ownership: a run and all it points to are on the job's arena; struct task_state is the controller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/kuscia.h"
#include "controllers/kuscia_room.h"

#define TASK_FINALIZER KUSCIA("task-resources")
#define TASK_PORTS_NOTE KUSCIA("allocated-ports") /* the numbers as the status will have them: chosen before anything is made, and written with the finalizer */

struct task_state {
    struct kuscia_ports ports;
    struct kuscia_room room;
};

struct task_run {
    struct json task;
    const struct json *meta;
    str ns, name;
    struct gather *images;
    size_t nparties;
    struct layout layout;
    struct gather group, *pods; /* pods: in the order of the layout, at the end of the group */
    struct task_place {
        str ns, name;
    } *places; /* of pods, same order */
    size_t npods;
    struct ensure *made_first, *made_then; /* files and services; pods, by domain */
    size_t nfirst, nthen;
    struct json allocated; /* port numbers: of the status, else of the note; null: none yet */
    struct json status;    /* to be written */
};

/* --- what was read ------------------------------------------------------------------------------------------------------------------------- */
struct task_state *task_run_state(struct controller *c);
const struct json *task_run_status(const struct task_run *r);          /* as it is */
const struct json *task_run_parties(const struct json *obj);           /* of a task or its group */
bool task_run_owns(const struct task_run *r, const struct json *obj);  /* it is of this task, and not of one that had its name before */
bool task_run_has(const struct task_run *r, const char *type);         /* a condition that is true */
bool task_run_is_end(str phase);                                       /* of a task or a pod */
str task_run_objects(struct arena *a, const char *plural, str ns, str uid); /* path of all objects of the kind in the namespace that were made for the task */
void task_run_group(struct job *j, void (*next)(struct job *j));       /* looks for it: r->group */
void task_run_want_pods(struct arena *a, struct task_run *r, size_t most);
void task_run_want_pod(struct arena *a, struct task_run *r, str ns, str name);

/* --- its status ----------------------------------------------------------------------------------------------------------------------------- */
str task_run_now(struct job *j);
void task_run_ended(struct job *j);
void task_run_look_again(struct job *j);                               /* in a second */
void task_run_write(struct job *j, void (*next)(struct job *j));       /* r->status, where it differs */
struct json task_run_begun(struct job *j);                             /* the status of a task of which something is made, from the first word on */
void task_run_fail(struct job *j, const char *reason, str message);    /* for good */
void task_run_refused(struct job *j);                                  /* the answer was: of an object that is refused for good the task is told, the rest is tried again */

/* --- what other tasks have ------------------------------------------------------------------------------------------------------------------ */
bool task_run_quota_is_full(struct job *j);                            /* looked at before anything is made: else the pods of other parties would come and go with each try.  True: it waits */
void task_run_wait_for_ports(struct job *j, str why);
