/* batch_job_plan.h - what a Job does next: its status, the pods to make and to delete, and which finished pods have been counted.
 *
 * A pod that ended is counted exactly once, whoever deletes it and whenever the controller is killed: it holds a finalizer until the status knows it.
 *
 *   pod ends ─► its uid stands in status.uncountedTerminatedPods ─► the finalizer is removed ─► the uid becomes one more in succeeded or failed
 *
 * Threads: pure functions.  Ownership: everything on the caller's arena; pods stay the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

#define JOB_FINALIZER "batch.kubernetes.io/job-tracking"
#define JOB_MANAGER "kubernetes.io/job-controller"
#define JOB_INDEX_NOTE "batch.kubernetes.io/job-completion-index"
#define JOB_FAILURES_NOTE "batch.kubernetes.io/job-index-failure-count"
#define JOB_MAX_CREATES 500    /* of one run */
#define JOB_MAX_UNCOUNTED 500  /* uids in a status */
#define JOB_BACKOFF_NS (10 * NSEC_PER_SEC)
#define JOB_BACKOFF_MAX_NS (600 * NSEC_PER_SEC)

struct job_create {
    int64_t index;    /* -1: not indexed */
    int64_t failures; /* of this index so far; -1: not counted by index */
};

struct job_plan {
    struct json status;
    struct job_create *creates;
    size_t ncreates;
    struct pod_record **deletes; /* active ones that must go */
    size_t ndeletes;
    bool deletes_count; /* as failed: they are named in the status and released; else their finalizer goes before they do */
    struct pod_record **releases; /* their finalizer goes once the status is written */
    size_t nreleases;
    nsec_t after; /* look again; 0: when something happens */
};

void batch_job_plan(struct arena *a, const struct json *job, struct pod_record *const *pods, size_t npods, nsec_t now, struct job_plan *ret);
/* Is it ours to run?  spec.managedBy may name another controller. */
bool batch_job_is_ours(const struct json *job);
/* Complete or Failed; *ret_at: since when. */
bool batch_job_is_finished(const struct json *job, nsec_t *ret_at);

/* --- pieces, for their tests ------------------------------------------------------------------------------------------------- */
/* "1,3-5" into marks; numbers from n on are left out. */
void job_indexes_parse(str text, uint8_t *marks, int64_t n);
str job_indexes_write(struct arena *a, const uint8_t *marks, int64_t n);
enum job_verdict { JOB_COUNT, JOB_IGNORE, JOB_FAIL_INDEX, JOB_FAIL };
/* What spec.podFailurePolicy says of a failed pod's status; *ret_why for JOB_FAIL. */
enum job_verdict job_failure_verdict(struct arena *a, const struct json *policy, const struct pod_record *p, str *ret_why);
