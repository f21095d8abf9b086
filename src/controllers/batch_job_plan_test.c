/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/batch_job_plan.h"

#include "controllers/workload_testing.h"

#define NOW (10000 * NSEC_PER_SEC)

static struct json job_of(struct arena *a, const char *spec, const char *status)
{
    return tree(a, arena_cstr(a, arena_fmt(a, "{'spec':{%s},'status':{'startTime':'1970-01-01T02:00:00Z'%s}}", spec, status)));
}

static str condition(const struct json *status, const char *type)
{
    const struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return json_get_str(&list->items[i], S("reason"));
    return S("");
}

TEST(makes_as_many_as_parallelism)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':5,'parallelism':3,'backoffLimit':6", ",'succeeded':3");
    struct job_plan p;
    batch_job_plan(&a, &job, NULL, 0, NOW, &p);
    T_EQ_INT(p.ncreates, 2); /* two are left */
    struct pod_record *pods[] = {pod(&a, "a Running"), pod(&a, "b Running"), pod(&a, "c Running")};
    batch_job_plan(&a, &job, pods, 3, NOW, &p);
    T_EQ_INT(p.ncreates, 0);
    T_EQ_INT(p.ndeletes, 1);
}

/* A finished pod is first named, then released, then a number. */
TEST(counts_each_pod_once)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':2,'parallelism':2,'backoffLimit':6", "");
    struct pod_record *pods[] = {pod(&a, "a Succeeded tracked"), pod(&a, "b Running tracked")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_INT(p.nreleases, 1);
    T_EQ_INT(json_get_int(&p.status, S("succeeded"), 0), 0);
    T_EQ_INT(json_path(&p.status, "uncountedTerminatedPods", "succeeded", NULL)->len, 1);
    T_EQ_INT(p.ncreates, 0);
    json_set(&a, &job, S("status"), p.status);
    batch_job_plan(&a, &job, pods, 2, NOW, &p); /* not released yet: nothing changes */
    T_EQ_INT(json_get_int(&p.status, S("succeeded"), 0), 0);
    T_EQ_INT(p.nreleases, 1);
    pods[0]->tracked = false;
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_INT(json_get_int(&p.status, S("succeeded"), 0), 1);
    T_OK(!json_path(&p.status, "uncountedTerminatedPods", "succeeded", NULL));
    json_set(&a, &job, S("status"), p.status);
    pods[1] = pod(&a, "b Succeeded tracked");
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_STR(condition(&p.status, "SuccessCriteriaMet"), "CompletionsReached");
    T_EQ_STR(condition(&p.status, "Complete"), ""); /* not before it is counted */
    json_set(&a, &job, S("status"), p.status);
    batch_job_plan(&a, &job, pods, 0, NOW, &p); /* both pods are gone, and b is still counted */
    T_EQ_INT(json_get_int(&p.status, S("succeeded"), 0), 2);
    T_EQ_STR(condition(&p.status, "Complete"), "CompletionsReached");
}

TEST(backs_off)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':1,'parallelism':1,'backoffLimit':6", ",'failed':2");
    struct pod_record *pods[] = {pod(&a, "a Failed finished=9980"), pod(&a, "b Failed finished=9990")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 2, NOW, &p); /* 20 s after the second */
    T_EQ_INT(p.ncreates, 0);
    T_EQ_INT(p.after, 10 * NSEC_PER_SEC);
    batch_job_plan(&a, &job, pods, 2, NOW + 10 * NSEC_PER_SEC, &p);
    T_EQ_INT(p.ncreates, 1);
    job = job_of(&a, "'completions':1,'parallelism':1,'backoffLimit':1", ",'failed':2");
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_STR(condition(&p.status, "Failed"), "BackoffLimitExceeded");
}

TEST(indexes)
{
    ARENA_AUTO a = ARENA_INIT;
    uint8_t marks[10] = {0};
    job_indexes_parse(S("1,3-5,9,20"), marks, 10);
    T_EQ_STR(job_indexes_write(&a, marks, 10), "1,3-5,9");
    T_EQ_STR(job_indexes_write(&a, marks, 0), "");
    struct json job = job_of(&a, "'completions':4,'parallelism':4,'backoffLimit':6,'completionMode':'Indexed'", ",'completedIndexes':'1'");
    struct pod_record *pods[] = {pod(&a, "a Running tracked index=0"), pod(&a, "b Succeeded tracked index=3")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_STR(json_get_str(&p.status, S("completedIndexes")), "1,3");
    T_EQ_INT(p.ncreates, 1);
    T_EQ_INT(p.creates[0].index, 2);
}

TEST(limit_for_each_index)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':2,'parallelism':2,'backoffLimit':100,'completionMode':'Indexed','backoffLimitPerIndex':1", "");
    struct pod_record *pods[] = {pod(&a, "a Failed tracked index=0 failures=1 finished=1"), pod(&a, "b Failed tracked index=1 finished=1")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_STR(json_get_str(&p.status, S("failedIndexes")), "0");
    T_EQ_INT(p.ncreates, 1);
    T_EQ_INT(p.creates[0].index, 1);
    T_EQ_INT(p.creates[0].failures, 1);
}

TEST(failure_policy)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json policy = tree(&a, "{'rules':[{'action':'Ignore','onExitCodes':{'operator':'In','values':[7]}},{'action':'FailJob','onExitCodes':{'operator':'NotIn','values':[1]}}]}");
    str why = S("");
    T_EQ_INT(job_failure_verdict(&a, &policy, pod(&a, "a Failed exit=7"), &why), JOB_IGNORE);
    T_EQ_INT(job_failure_verdict(&a, &policy, pod(&a, "a Failed exit=1"), &why), JOB_COUNT);
    T_EQ_INT(job_failure_verdict(&a, &policy, pod(&a, "a Failed exit=2"), &why), JOB_FAIL);
    T_EQ_STR(why, "Container c for pod default/a failed with exit code 2 matching FailJob rule at index 1");
}

TEST(suspended_and_late)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_record *pods[] = {pod(&a, "a Running tracked")};
    struct json job = job_of(&a, "'completions':1,'parallelism':1,'backoffLimit':6,'suspend':true", "");
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 1, NOW, &p);
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_STR(condition(&p.status, "Suspended"), "JobSuspended");
    T_OK(!json_get(&p.status, S("startTime")));
    job = job_of(&a, "'completions':1,'parallelism':1,'backoffLimit':6,'activeDeadlineSeconds':100", "");
    batch_job_plan(&a, &job, pods, 1, NOW, &p);
    T_EQ_STR(condition(&p.status, "FailureTarget"), "DeadlineExceeded");
    T_EQ_STR(condition(&p.status, "Failed"), ""); /* its pod is still there */
}

TEST(success_policy)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':3,'parallelism':3,'backoffLimit':6,'completionMode':'Indexed','successPolicy':{'rules':[{'succeededIndexes':'0-1','succeededCount':1}]}", "");
    struct pod_record *pods[] = {pod(&a, "a Succeeded tracked index=1"), pod(&a, "b Running tracked index=2")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 2, NOW, &p);
    T_EQ_STR(condition(&p.status, "SuccessCriteriaMet"), "SuccessPolicy");
    T_EQ_INT(p.ndeletes, 1);
}

/* Pods that a failed Job takes along are failures; those of a suspended one are not. */
TEST(fails_with_its_pods)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completions':3,'parallelism':3,'backoffLimit':6,'activeDeadlineSeconds':10,'podReplacementPolicy':'Failed'", "");
    struct pod_record *pods[] = {pod(&a, "a Running tracked"), pod(&a, "b Succeeded tracked"), pod(&a, "c Running tracked deleting")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 3, NOW, &p);
    T_EQ_STR(condition(&p.status, "FailureTarget"), "DeadlineExceeded");
    T_EQ_INT(p.ndeletes, 1);
    T_OK(p.deletes_count);
    T_EQ_INT(p.nreleases, 3);
    T_EQ_INT(json_path(&p.status, "uncountedTerminatedPods", "failed", NULL)->len, 2);
    json_set(&a, &job, S("status"), p.status);
    batch_job_plan(&a, &job, pods, 3, NOW, &p); /* killed before anything was carried out: the same again */
    T_EQ_INT(json_path(&p.status, "uncountedTerminatedPods", "failed", NULL)->len, 2);
    T_EQ_INT(p.nreleases, 3);
    batch_job_plan(&a, &job, NULL, 0, NOW, &p);
    T_EQ_INT(json_get_int(&p.status, S("failed"), 0), 2);
    T_EQ_INT(json_get_int(&p.status, S("succeeded"), 0), 1);
    T_EQ_STR(condition(&p.status, "Failed"), "DeadlineExceeded");
    job = job_of(&a, "'completions':3,'parallelism':3,'backoffLimit':6,'suspend':true", "");
    pods[0] = pod(&a, "a Running tracked");
    batch_job_plan(&a, &job, pods, 1, NOW, &p);
    T_EQ_INT(p.ndeletes, 1);
    T_OK(!p.deletes_count && !json_path(&p.status, "uncountedTerminatedPods", "failed", NULL));
}

/* completions and parallelism of an indexed Job may change together. */
TEST(indexes_that_are_not_wanted_any_more_go)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json job = job_of(&a, "'completionMode':'Indexed','completions':2,'parallelism':2,'backoffLimit':6", "");
    struct pod_record *pods[] = {pod(&a, "a Running tracked index=3"), pod(&a, "b Running tracked index=0"), pod(&a, "c Running tracked index=0"), pod(&a, "d Failed tracked index=4")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 4, NOW, &p);
    T_EQ_INT(p.ndeletes, 2);
    T_EQ_STR(p.deletes[0]->name, "a"); /* 3 is beyond */
    T_EQ_STR(p.deletes[1]->name, "c"); /* 0 has one */
    T_EQ_INT(p.ncreates, 1);
    T_EQ_INT(p.creates[0].index, 1);
    T_EQ_INT(p.nreleases, 1);
    T_OK(!json_path(&p.status, "uncountedTerminatedPods", "failed", NULL));
    job = job_of(&a, "'completions':9,'parallelism':1,'backoffLimit':6", "");
    struct pod_record *some[] = {pod(&a, "a node=n Running ready=1 tracked"), pod(&a, "b Pending tracked")};
    batch_job_plan(&a, &job, some, 2, NOW, &p);
    T_EQ_INT(p.ndeletes, 1);
    T_EQ_STR(p.deletes[0]->name, "b"); /* it has done nothing yet */
}

/* What a failure policy ignores is no reason to try again as fast as possible. */
TEST(ignored_failures_delay)
{
    ARENA_AUTO a = ARENA_INIT;
    static const char policy[] = "'podFailurePolicy':{'rules':[{'action':'Ignore','onExitCodes':{'operator':'In','values':[7]}}]},'podReplacementPolicy':'Failed'";
    struct json job = job_of(&a, arena_cstr(&a, arena_fmt(&a, "'completions':1,'parallelism':1,'backoffLimit':0,%s", policy)), "");
    struct pod_record *pods[] = {pod(&a, "a Failed tracked exit=7 finished=9999"), pod(&a, "b Failed exit=7 finished=9999 index=0")};
    struct job_plan p;
    batch_job_plan(&a, &job, pods, 1, NOW, &p);
    T_EQ_STR(condition(&p.status, "FailureTarget"), "");
    T_EQ_INT(p.ncreates, 0);
    T_EQ_INT(p.after, JOB_BACKOFF_NS - NSEC_PER_SEC);
    batch_job_plan(&a, &job, pods, 1, NOW + JOB_BACKOFF_NS, &p);
    T_EQ_INT(p.ncreates, 1);
    job = job_of(&a, arena_cstr(&a, arena_fmt(&a, "'completionMode':'Indexed','completions':1,'parallelism':1,'backoffLimit':99,'backoffLimitPerIndex':0,%s", policy)), "");
    batch_job_plan(&a, &job, pods + 1, 1, NOW, &p);
    T_EQ_INT(p.ncreates, 0);
    T_EQ_INT(p.after, JOB_BACKOFF_NS - NSEC_PER_SEC);
    batch_job_plan(&a, &job, pods + 1, 1, NOW + JOB_BACKOFF_NS, &p);
    T_EQ_INT(p.ncreates, 1);
    T_EQ_INT(p.creates[0].failures, 0);
}

TEST(job_of_another_controller)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json plain = tree(&a, "{'spec':{}}"), ours = tree(&a, "{'spec':{'managedBy':'kubernetes.io/job-controller'}}"), other = tree(&a, "{'spec':{'managedBy':'acme.example/queue'}}");
    T_OK(batch_job_is_ours(&plain));
    T_OK(batch_job_is_ours(&ours));
    T_OK(!batch_job_is_ours(&other));
}

TEST_MAIN(ignored_failures_delay, indexes_that_are_not_wanted_any_more_go, fails_with_its_pods, job_of_another_controller, makes_as_many_as_parallelism, counts_each_pod_once, backs_off, indexes, limit_for_each_index, failure_policy, suspended_and_late, success_policy)
