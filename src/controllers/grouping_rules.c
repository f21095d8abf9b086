/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_rules.h"

#include "api/jsonpath.h"

#define TRAIN STR_INIT("train")
#define BUILD STR_INIT("build")
#define INFERENCE STR_INIT("inference")
#define KUBEFLOW STR_INIT("kubeflow.org")
#define RAY STR_INIT("ray.io")
/* A number that the user of a Kubeflow job gave for exactly this. */
#define MIN_AVAILABLE STR_INIT("spec.runPolicy.schedulingPolicy.minAvailable")
#define ELASTIC STR_INIT("spec.elasticPolicy.minReplicas")
#define ROLE_LABEL STR_INIT("training.kubeflow.org/replica-type")

static const struct grouping_part master_and_workers[] = {
    {.name = STR_INIT("master"), .label = ROLE_LABEL, .value = STR_INIT("master")},
    {.name = STR_INIT("worker"), .label = ROLE_LABEL, .value = STR_INIT("worker")},
};

const struct grouping_rule grouping_table[] = {
    /* Kubernetes */
    {.api = STR_INIT(""), .kind = STR_INIT("Pod"), .priority = TRAIN}, /* also pods that pods own */
    {.api = STR_INIT(""), .kind = STR_INIT("Node"), .leave = true},    /* static pods */
    {.api = STR_INIT("apps"), .kind = STR_INIT("DaemonSet"), .leave = true},
    {.api = STR_INIT("apps"), .kind = STR_INIT("Deployment"), .by = GROUPING_BY_POD, .priority = INFERENCE},
    {.api = STR_INIT("apps"), .kind = STR_INIT("ReplicaSet"), .priority = TRAIN},
    {.api = STR_INIT("apps"), .kind = STR_INIT("StatefulSet"), .priority = TRAIN},
    {.api = STR_INIT("batch"), .kind = STR_INIT("Job"), .by = GROUPING_BY_OWNED_POD, .priority = TRAIN},
    {.api = STR_INIT("batch"), .kind = STR_INIT("CronJob"), .child = STR_INIT("Job"), .priority = TRAIN},
    {.api = STR_INIT("jobset.x-k8s.io"), .kind = STR_INIT("JobSet"), .formula = GROUPING_JOBSET, .priority = TRAIN},
    {.api = STR_INIT("leaderworkerset.x-k8s.io"), .kind = STR_INIT("LeaderWorkerSet"), .by = GROUPING_BY_LABEL, .label = STR_INIT("leaderworkerset.sigs.k8s.io/group-index"),
     .tag = STR_INIT("-group-"), .formula = GROUPING_LEADER, .priority = TRAIN},
    /* Kubeflow */
    {.api = KUBEFLOW, .kind = STR_INIT("TFJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE}, .roles = STR_INIT("tfReplicaSpecs"), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("PyTorchJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE, ELASTIC}, .roles = STR_INIT("pytorchReplicaSpecs"),
     .parts = master_and_workers, .nparts = ARRAY_LEN(master_and_workers), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("MPIJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE}, .roles = STR_INIT("mpiReplicaSpecs"), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("XGBoostJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE}, .roles = STR_INIT("xgbReplicaSpecs"), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("JAXJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE}, .roles = STR_INIT("jaxReplicaSpecs"), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("PaddleJob"), .formula = GROUPING_ROLES, .min.paths = {MIN_AVAILABLE, ELASTIC}, .roles = STR_INIT("paddleReplicaSpecs"), .priority = TRAIN},
    {.api = KUBEFLOW, .kind = STR_INIT("Notebook"), .priority = BUILD},
    {.api = KUBEFLOW, .kind = STR_INIT("ScheduledWorkflow"), .priority = TRAIN},
    {.api = STR_INIT("trainer.kubeflow.org"), .kind = STR_INIT("TrainJob"), .skip = true}, /* a JobSet is below */
    /* Ray, Spark */
    {.api = RAY, .kind = STR_INIT("RayCluster"), .formula = GROUPING_RAY, .priority = TRAIN},
    {.api = RAY, .kind = STR_INIT("RayJob"), .formula = GROUPING_RAY, .priority = TRAIN},
    {.api = RAY, .kind = STR_INIT("RayService"), .child = STR_INIT("RayCluster"), .formula = GROUPING_RAY, .priority = TRAIN}, /* a new version has a cluster of its own */
    {.api = STR_INIT("sparkoperator.k8s.io"), .kind = STR_INIT("SparkApplication"), .priority = TRAIN}, /* the driver makes the executors: it must be able to start alone */
    {.api = STR_INIT("sparkoperator.k8s.io"), .kind = STR_INIT("ScheduledSparkApplication"), .child = STR_INIT("SparkApplication"), .priority = TRAIN},
    /* inference, machines, pipelines */
    {.api = STR_INIT("serving.knative.dev"), .kind = STR_INIT("Service"), .child = STR_INIT("Revision"), .priority = INFERENCE,
     .min.paths = {STR_INIT("metadata.annotations['autoscaling\\.knative\\.dev/min-scale']"), STR_INIT("metadata.annotations['autoscaling\\.knative\\.dev/minScale']")}},
    {.api = STR_INIT("machinelearning.seldon.io"), .kind = STR_INIT("SeldonDeployment"), .priority = TRAIN},
    {.api = STR_INIT("kubevirt.io"), .kind = STR_INIT("VirtualMachine"), .child = STR_INIT("VirtualMachineInstance"), .priority = TRAIN},
    {.api = STR_INIT("kubevirt.io"), .kind = STR_INIT("VirtualMachineInstance"), .priority = TRAIN},
    {.api = STR_INIT("workspace.devfile.io"), .kind = STR_INIT("DevWorkspace"), .priority = TRAIN},
    {.api = STR_INIT("tekton.dev"), .kind = STR_INIT("PipelineRun"), .priority = TRAIN},
    {.api = STR_INIT("tekton.dev"), .kind = STR_INIT("TaskRun"), .priority = TRAIN},
    {.api = STR_INIT("grove.io"), .kind = STR_INIT("PodCliqueSet"), .formula = GROUPING_GANG, .priority = TRAIN},
    {.api = STR_INIT("grove.io"), .kind = STR_INIT("PodGangSet"), .formula = GROUPING_GANG, .priority = TRAIN},
    /* those that only order other work */
    {.api = STR_INIT("argoproj.io"), .kind = STR_INIT("Workflow"), .skip = true},
    {.api = STR_INIT("nvidia.com"), .kind = STR_INIT("DynamoGraphDeployment"), .skip = true},
    {.api = STR_INIT("run.ai"), .kind = STR_INIT("TrainingWorkload"), .skip = true},
    {.api = STR_INIT("run.ai"), .kind = STR_INIT("InteractiveWorkload"), .skip = true},
    {.api = STR_INIT("run.ai"), .kind = STR_INIT("DistributedWorkload"), .skip = true},
    {.api = STR_INIT("run.ai"), .kind = STR_INIT("InferenceWorkload"), .skip = true},
    {.api = STR_INIT("run.ai"), .kind = STR_INIT("DistributedInferenceWorkload"), .skip = true},
};
const size_t grouping_table_len = ARRAY_LEN(grouping_table);

static const struct grouping_rule unknown = {.priority = TRAIN};

str grouping_api_group(str api_version)
{
    str group;
    return str_cut(&api_version, '/', &group) ? group : S("");
}

/* "v1" is the version of the group "". */
static bool matches(const struct grouping_rule *r, str api_version, str kind)
{
    return str_eq(r->kind, kind) && (str_eq(r->api, api_version) || str_eq(r->api, grouping_api_group(api_version)));
}

const struct grouping_rule *grouping_rule_find(const struct grouping_rules *rules, str api_version, str kind)
{
    for (size_t i = 0; rules && i < rules->len; i++)
        if (matches(&rules->own[i], api_version, kind))
            return &rules->own[i];
    for (size_t i = 0; i < grouping_table_len; i++)
        if (matches(&grouping_table[i], api_version, kind))
            return &grouping_table[i];
    return &unknown;
}

/* Numbers, and annotations that look like some. */
static bool sum_at(struct arena *a, str path, const struct json *obj, int64_t *ret)
{
    struct jsonpath *compiled;
    const struct json **found;
    size_t n;
    int64_t sum = 0, one;
    bool any = false;
    if (jsonpath_compile(a, path, true, &compiled, NULL) < 0 || jsonpath_find(a, compiled, obj, &found, &n, NULL) < 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!str_to_i64(json_str(found[i]), &one) || one < 0)
            continue;
        one = MIN(one, GROUPING_MEMBERS_MAX);
        sum = MIN(sum + one, GROUPING_MEMBERS_MAX);
        any = true;
    }
    if (any)
        *ret = sum;
    return any;
}

bool grouping_amount_read(struct arena *a, const struct grouping_amount *amount, const struct json *obj, int64_t *ret)
{
    if (amount->fixed) {
        *ret = MIN(amount->fixed, GROUPING_MEMBERS_MAX);
        return true;
    }
    for (size_t i = 0; i < GROUPING_PATHS && amount->paths[i].len; i++)
        if (sum_at(a, amount->paths[i], obj, ret))
            return true;
    return false;
}
