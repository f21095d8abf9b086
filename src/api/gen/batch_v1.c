/* batch_v1.c: written by tools/gen_api.py from api/batch_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_In_NotIn[] = {STR_INIT("In"), STR_INIT("NotIn")};
static const struct schema_rules rules_enums_In_NotIn = {.enums = enum_In_NotIn, .nenums = 2};
static const struct schema_type list_int32_set = {.kind = SCHEMA_LIST, .elem = &schema_int32, .list_type = SCHEMA_LIST_SET};
static const str enum_Count_FailIndex_FailJob_Ignore[] = {STR_INIT("Count"), STR_INIT("FailIndex"), STR_INIT("FailJob"), STR_INIT("Ignore")};
static const struct schema_rules rules_enums_Count_FailIndex_FailJob_Ignore = {.enums = enum_Count_FailIndex_FailJob_Ignore, .nenums = 4};
static const struct schema_type list_PodFailurePolicyOnPodConditionsPattern = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_PodFailurePolicyOnPodConditionsPattern};
static const struct schema_type list_PodFailurePolicyRule = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_PodFailurePolicyRule};
static const struct schema_type list_SuccessPolicyRule = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_SuccessPolicyRule};
static const str enum_NonIndexed_Indexed[] = {STR_INIT("NonIndexed"), STR_INIT("Indexed")};
static const struct schema_rules rules_enums_NonIndexed_Indexed = {.enums = enum_NonIndexed_Indexed, .nenums = 2};
static const str enum_Failed_TerminatingOrFailed[] = {STR_INIT("Failed"), STR_INIT("TerminatingOrFailed")};
static const struct schema_rules rules_enums_Failed_TerminatingOrFailed = {.enums = enum_Failed_TerminatingOrFailed, .nenums = 2};
static const struct schema_type list_JobCondition = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_JobCondition};
static const struct schema_type list_string_set = {.kind = SCHEMA_LIST, .elem = &schema_string, .list_type = SCHEMA_LIST_SET};
static const str enum_Allow_Forbid_Replace[] = {STR_INIT("Allow"), STR_INIT("Forbid"), STR_INIT("Replace")};
static const struct schema_rules rules_enums_Allow_Forbid_Replace = {.enums = enum_Allow_Forbid_Replace, .nenums = 3};
static const struct schema_type list_core_v1_ObjectReference = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ObjectReference};
static const struct schema_type list_CronJob = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_CronJob};
static const struct schema_type list_Job = {.kind = SCHEMA_LIST, .elem = &schema_batch_v1_Job};
static const str short_names_cj[] = {STR_INIT("cj")};
static const str categories_all[] = {STR_INIT("all")};
static const str field_labels_status_successful[] = {STR_INIT("status.successful")};
static const struct schema_field fields_Job[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_batch_v1_JobSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_batch_v1_JobStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Job[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_batch_v1_Job = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Job"), .openapi = STR_INIT("io.k8s.api.batch.v1.Job"), .doc = STR_INIT("Runs pods until enough of them succeed."), .fields = fields_Job, .nfields = 5, .index8 = index_Job, .index_mask = 15};

static const struct schema_field fields_PodFailurePolicyOnExitCodesRequirement[3] = {
    {.name = STR_INIT("containerName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Container to look at; absent means any.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("In matches codes that are listed, NotIn those that are not."), .rules = &rules_enums_In_NotIn},
    {.name = STR_INIT("values"), .type = &list_int32_set, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Exit codes, up to 255 of them; 0 is not allowed with In.")}};
const struct schema_type schema_batch_v1_PodFailurePolicyOnExitCodesRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodFailurePolicyOnExitCodesRequirement"), .openapi = STR_INIT("io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement"), .doc = STR_INIT("Matches failed pods by the exit codes of containers."), .fields = fields_PodFailurePolicyOnExitCodesRequirement, .nfields = 3};

static const struct schema_field fields_PodFailurePolicyOnPodConditionsPattern[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Type of the pod condition, such as DisruptionTarget.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .dflt = STR_INIT("\"True\""), .doc = STR_INIT("Status that the condition must have; True when absent.")}};
const struct schema_type schema_batch_v1_PodFailurePolicyOnPodConditionsPattern = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodFailurePolicyOnPodConditionsPattern"), .openapi = STR_INIT("io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern"), .doc = STR_INIT("Matches failed pods by a condition."), .fields = fields_PodFailurePolicyOnPodConditionsPattern, .nfields = 2};

static const struct schema_field fields_PodFailurePolicyRule[3] = {
    {.name = STR_INIT("action"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("FailJob, FailIndex, Ignore (do not count), or Count as usual."), .rules = &rules_enums_Count_FailIndex_FailJob_Ignore},
    {.name = STR_INIT("onExitCodes"), .type = &schema_batch_v1_PodFailurePolicyOnExitCodesRequirement, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Matches by exit code; excludes onPodConditions.")},
    {.name = STR_INIT("onPodConditions"), .type = &list_PodFailurePolicyOnPodConditionsPattern, .pb = 3, .doc = STR_INIT("Matches if one of these pod conditions holds; excludes onExitCodes.")}};
const struct schema_type schema_batch_v1_PodFailurePolicyRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodFailurePolicyRule"), .openapi = STR_INIT("io.k8s.api.batch.v1.PodFailurePolicyRule"), .doc = STR_INIT("What to do with failed pods that match."), .fields = fields_PodFailurePolicyRule, .nfields = 3};

static const struct schema_field fields_PodFailurePolicy[1] = {
    {.name = STR_INIT("rules"), .type = &list_PodFailurePolicyRule, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The rules, tried in order; at most 20.")}};
const struct schema_type schema_batch_v1_PodFailurePolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodFailurePolicy"), .openapi = STR_INIT("io.k8s.api.batch.v1.PodFailurePolicy"), .doc = STR_INIT("Rules for failed pods; the first that matches counts."), .fields = fields_PodFailurePolicy, .nfields = 1};

static const struct schema_field fields_SuccessPolicy[1] = {
    {.name = STR_INIT("rules"), .type = &list_SuccessPolicyRule, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Alternatives; the job succeeds once one is met. At most 20.")}};
const struct schema_type schema_batch_v1_SuccessPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SuccessPolicy"), .openapi = STR_INIT("io.k8s.api.batch.v1.SuccessPolicy"), .doc = STR_INIT("When a job counts as done before all pods are."), .fields = fields_SuccessPolicy, .nfields = 1};

static const struct schema_field fields_SuccessPolicyRule[2] = {
    {.name = STR_INIT("succeededIndexes"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Indexes that count, such as 1,3-5; absent means all.")},
    {.name = STR_INIT("succeededCount"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("How many indexes must succeed; absent means all that count.")}};
const struct schema_type schema_batch_v1_SuccessPolicyRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SuccessPolicyRule"), .openapi = STR_INIT("io.k8s.api.batch.v1.SuccessPolicyRule"), .doc = STR_INIT("Indexes that must succeed, and how many of them."), .fields = fields_SuccessPolicyRule, .nfields = 2};

static const struct schema_field fields_JobSpec[16] = {
    {.name = STR_INIT("parallelism"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most pods to run at a time; 1 when absent, 0 pauses.")},
    {.name = STR_INIT("completions"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must succeed; absent: one success ends the job.")},
    {.name = STR_INIT("activeDeadlineSeconds"), .type = &schema_int64, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds after which a job still running fails; absent: no limit.")},
    {.name = STR_INIT("podFailurePolicy"), .type = &schema_batch_v1_PodFailurePolicy, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Rules for failed pods; absent means every failure counts.")},
    {.name = STR_INIT("successPolicy"), .type = &schema_batch_v1_SuccessPolicy, .pb = 16, .flags = SCHEMA_POINTER, .doc = STR_INIT("When an indexed job is done early; absent: all indexes must succeed.")},
    {.name = STR_INIT("backoffLimit"), .type = &schema_int32, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Failed pods to put up with before the job fails; 6 when absent.")},
    {.name = STR_INIT("backoffLimitPerIndex"), .type = &schema_int32, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Failed pods to put up with per index; needs completionMode Indexed.")},
    {.name = STR_INIT("maxFailedIndexes"), .type = &schema_int32, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("Failed indexes at which the job is given up; absent: no limit.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods of the job; normally made by the server.")},
    {.name = STR_INIT("manualSelector"), .type = &schema_bool, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("True uses your own selector and labels; risky, may catch other pods.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the pods; restartPolicy must be OnFailure or Never.")},
    {.name = STR_INIT("ttlSecondsAfterFinished"), .type = &schema_int32, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds until the finished job is deleted; absent keeps it.")},
    {.name = STR_INIT("completionMode"), .type = &schema_string, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("NonIndexed counts successes; Indexed wants one per index from 0 on."), .rules = &rules_enums_NonIndexed_Indexed},
    {.name = STR_INIT("suspend"), .type = &schema_bool, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("True stops its pods and makes no more; false when absent.")},
    {.name = STR_INIT("podReplacementPolicy"), .type = &schema_string, .pb = 14, .flags = SCHEMA_POINTER, .doc = STR_INIT("When a pod is replaced: once it is Failed, or already TerminatingOrFailed."), .rules = &rules_enums_Failed_TerminatingOrFailed},
    {.name = STR_INIT("managedBy"), .type = &schema_string, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Controller in charge; absent means the built-in one. Cannot change.")}};
static const uint8_t index_JobSpec[32] = {13, 1, 0, 14, 0, 0, 0, 0, 3, 4, 6, 11, 0, 0, 0, 7, 8, 0, 10, 15, 0, 0, 0, 0, 0, 0, 5, 0, 2, 9, 12, 16};
const struct schema_type schema_batch_v1_JobSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobSpec"), .openapi = STR_INIT("io.k8s.api.batch.v1.JobSpec"), .doc = STR_INIT("What a job runs, how often, and when it gives up."), .fields = fields_JobSpec, .nfields = 16, .index8 = index_JobSpec, .index_mask = 31};

static const struct schema_field fields_JobStatus[11] = {
    {.name = STR_INIT("conditions"), .type = &list_JobCondition, .pb = 1, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Complete, Failed, Suspended and other aspects of the state.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .pb = 2, .doc = STR_INIT("When the job was first taken up; reset after a suspension.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .pb = 3, .doc = STR_INIT("When the job succeeded; absent until then.")},
    {.name = STR_INIT("active"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Pods that run or wait to run.")},
    {.name = STR_INIT("succeeded"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Pods that ended well.")},
    {.name = STR_INIT("failed"), .type = &schema_int32, .pb = 6, .doc = STR_INIT("Pods that ended with a failure.")},
    {.name = STR_INIT("terminating"), .type = &schema_int32, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods being stopped that are not gone yet.")},
    {.name = STR_INIT("completedIndexes"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Indexes that succeeded, such as 0,2-4.")},
    {.name = STR_INIT("failedIndexes"), .type = &schema_string, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Indexes given up, such as 1,5; with backoffLimitPerIndex only.")},
    {.name = STR_INIT("uncountedTerminatedPods"), .type = &schema_batch_v1_UncountedTerminatedPods, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Ended pods that are about to be counted.")},
    {.name = STR_INIT("ready"), .type = &schema_int32, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Active pods that are ready.")}};
static const uint8_t index_JobStatus[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 0, 10, 5, 0, 6, 9, 3, 1, 7, 11, 0, 0, 0, 0, 8, 0};
const struct schema_type schema_batch_v1_JobStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobStatus"), .openapi = STR_INIT("io.k8s.api.batch.v1.JobStatus"), .doc = STR_INIT("How far the job is."), .fields = fields_JobStatus, .nfields = 11, .index8 = index_JobStatus, .index_mask = 31};

static const struct schema_field fields_UncountedTerminatedPods[2] = {
    {.name = STR_INIT("succeeded"), .type = &list_string_set, .pb = 1, .doc = STR_INIT("Uids of pods that succeeded.")},
    {.name = STR_INIT("failed"), .type = &list_string_set, .pb = 2, .doc = STR_INIT("Uids of pods that failed.")}};
const struct schema_type schema_batch_v1_UncountedTerminatedPods = {.kind = SCHEMA_OBJECT, .name = STR_INIT("UncountedTerminatedPods"), .openapi = STR_INIT("io.k8s.api.batch.v1.UncountedTerminatedPods"), .doc = STR_INIT("Pods that ended but are not in the counters yet."), .fields = fields_UncountedTerminatedPods, .nfields = 2};

static const struct schema_field fields_JobCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as Complete, Failed or Suspended.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastProbeTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the condition was last checked.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_JobCondition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 0, 3, 1, 0, 2};
const struct schema_type schema_batch_v1_JobCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobCondition"), .openapi = STR_INIT("io.k8s.api.batch.v1.JobCondition"), .doc = STR_INIT("One aspect of a job's state."), .fields = fields_JobCondition, .nfields = 6, .index8 = index_JobCondition, .index_mask = 15};

static const struct schema_field fields_JobTemplateSpec[2] = {
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Labels and annotations that the jobs get.")},
    {.name = STR_INIT("spec"), .type = &schema_batch_v1_JobSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the jobs run.")}};
const struct schema_type schema_batch_v1_JobTemplateSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobTemplateSpec"), .openapi = STR_INIT("io.k8s.api.batch.v1.JobTemplateSpec"), .doc = STR_INIT("Blueprint from which jobs are made."), .fields = fields_JobTemplateSpec, .nfields = 2};

static const struct schema_field fields_CronJob[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_batch_v1_CronJobSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_batch_v1_CronJobStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_CronJob[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_batch_v1_CronJob = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CronJob"), .openapi = STR_INIT("io.k8s.api.batch.v1.CronJob"), .doc = STR_INIT("Starts jobs on a schedule."), .fields = fields_CronJob, .nfields = 5, .index8 = index_CronJob, .index_mask = 15};

static const struct schema_field fields_CronJobSpec[8] = {
    {.name = STR_INIT("schedule"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When to start, in cron form, such as */5 * * * *.")},
    {.name = STR_INIT("timeZone"), .type = &schema_string, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Time zone of the schedule, such as Europe/Berlin; absent: that of the cluster.")},
    {.name = STR_INIT("startingDeadlineSeconds"), .type = &schema_int64, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds a start may be late before it is skipped; absent: no limit.")},
    {.name = STR_INIT("concurrencyPolicy"), .type = &schema_string, .pb = 3, .dflt = STR_INIT("\"Allow\""), .doc = STR_INIT("If the last job still runs: Allow both, Forbid the new, or Replace it."), .rules = &rules_enums_Allow_Forbid_Replace},
    {.name = STR_INIT("suspend"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("True starts no more jobs; running ones go on.")},
    {.name = STR_INIT("jobTemplate"), .type = &schema_batch_v1_JobTemplateSpec, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the jobs that are started.")},
    {.name = STR_INIT("successfulJobsHistoryLimit"), .type = &schema_int32, .pb = 6, .flags = SCHEMA_POINTER, .dflt = STR_INIT("3"), .doc = STR_INIT("Finished jobs to keep that succeeded; 3 when absent.")},
    {.name = STR_INIT("failedJobsHistoryLimit"), .type = &schema_int32, .pb = 7, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Finished jobs to keep that failed; 1 when absent.")}};
static const uint8_t index_CronJobSpec[16] = {0, 0, 2, 4, 5, 0, 3, 6, 0, 0, 0, 0, 1, 7, 0, 8};
const struct schema_type schema_batch_v1_CronJobSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CronJobSpec"), .openapi = STR_INIT("io.k8s.api.batch.v1.CronJobSpec"), .doc = STR_INIT("When jobs start, and what they run."), .fields = fields_CronJobSpec, .nfields = 8, .index8 = index_CronJobSpec, .index_mask = 15};

static const struct schema_field fields_CronJobStatus[3] = {
    {.name = STR_INIT("active"), .type = &list_core_v1_ObjectReference, .pb = 1, .doc = STR_INIT("Jobs that run now.")},
    {.name = STR_INIT("lastScheduleTime"), .type = &schema_time, .pb = 4, .doc = STR_INIT("When a job was last started.")},
    {.name = STR_INIT("lastSuccessfulTime"), .type = &schema_time, .pb = 5, .doc = STR_INIT("When a job last succeeded.")}};
const struct schema_type schema_batch_v1_CronJobStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CronJobStatus"), .openapi = STR_INIT("io.k8s.api.batch.v1.CronJobStatus"), .doc = STR_INIT("Which jobs run, and when one last started."), .fields = fields_CronJobStatus, .nfields = 3};

static const struct schema_field fields_CronJobList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CronJob, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_batch_v1_CronJobList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CronJobList"), .openapi = STR_INIT("io.k8s.api.batch.v1.CronJobList"), .doc = STR_INIT("A list of cronjobs."), .fields = fields_CronJobList, .nfields = 4};

static const struct schema_field fields_JobList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Job, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_batch_v1_JobList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobList"), .openapi = STR_INIT("io.k8s.api.batch.v1.JobList"), .doc = STR_INIT("A list of jobs."), .fields = fields_JobList, .nfields = 4};

static const struct api_subresource subs_CronJob[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("CronJob"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_batch_v1_CronJob}};
static const struct api_column columns_CronJob[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Schedule"), .type = STR_INIT("string"), .doc = STR_INIT("When jobs start, in cron notation."), .json_path = STR_INIT(".spec.schedule")},
    {.name = STR_INIT("Timezone"), .type = STR_INIT("string"), .doc = STR_INIT("Time zone of the schedule."), .cell = STR_INIT("cron_job_timezone")},
    {.name = STR_INIT("Suspend"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether new jobs are held back."), .cell = STR_INIT("cron_job_suspend")},
    {.name = STR_INIT("Active"), .type = STR_INIT("integer"), .doc = STR_INIT("Jobs that run now."), .cell = STR_INIT("cron_job_active")},
    {.name = STR_INIT("Last Schedule"), .type = STR_INIT("string"), .doc = STR_INIT("Time since a job was last started."), .cell = STR_INIT("cron_job_last_schedule")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("cron_job_containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("cron_job_images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("cron_job_selector"), .priority = 1}};
const struct api_resource api_batch_v1_cronjobs = {
    .group = STR_INIT("batch"), .version = STR_INIT("v1"), .kind = STR_INIT("CronJob"),
    .list_kind = STR_INIT("CronJobList"), .plural = STR_INIT("cronjobs"), .singular = STR_INIT("cronjob"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_batch_v1_CronJob,
    .short_names = short_names_cj, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_CronJob, .nsubs = 1,
    .columns = columns_CronJob, .ncolumns = 10,
    .storage_group = STR_INIT("batch"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Job[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Job"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_batch_v1_Job}};
static const struct api_column columns_Job[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Complete, Failed, Suspended, Running and the like."), .cell = STR_INIT("job_status")},
    {.name = STR_INIT("Completions"), .type = STR_INIT("string"), .doc = STR_INIT("Pods that succeeded, of those wanted."), .cell = STR_INIT("job_completions")},
    {.name = STR_INIT("Duration"), .type = STR_INIT("string"), .doc = STR_INIT("How long it ran, or has run so far."), .cell = STR_INIT("job_duration")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("selector"), .priority = 1}};
const struct api_resource api_batch_v1_jobs = {
    .group = STR_INIT("batch"), .version = STR_INIT("v1"), .kind = STR_INIT("Job"),
    .list_kind = STR_INIT("JobList"), .plural = STR_INIT("jobs"), .singular = STR_INIT("job"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_ORPHAN_DEFAULT,
    .verbs = API_VERBS_ALL, .type = &schema_batch_v1_Job,
    .categories = categories_all, .ncategories = 1,
    .field_labels = field_labels_status_successful, .nfield_labels = 1,
    .subs = subs_Job, .nsubs = 1,
    .columns = columns_Job, .ncolumns = 8,
    .storage_group = STR_INIT("batch"), .storage_version = STR_INIT("v1")};

