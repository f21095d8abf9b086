/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_plan.h"

#include "controllers/workload_testing.h"

#define POD_UID "11111111-0000-0000-0000-000000000000"
#define UID1 "22222222-0000-0000-0000-000000000000" /* the owner */
#define UID2 "33333333-0000-0000-0000-000000000000" /* its owner */

/* Kind, then what metadata and the object have besides; uids are those above. */
struct owner {
    const char *api, *kind, *meta, *rest;
};

static struct json object(struct arena *a, const struct owner *o, size_t depth)
{
    static const char *const names[] = {"p", "o1", "o2", "o3", "o4"}, *const uids[] = {POD_UID, UID1, UID2, "44444444-0000-0000-0000-000000000000", "55555555-0000-0000-0000-000000000000"};
    return tree(a, arena_cstr(a, arena_fmt(a, "{'apiVersion':'%s','kind':'%s','metadata':{'name':'%s','namespace':'ns','uid':'%s'%s}%s}", o->api, o->kind, names[depth], uids[depth],
                                           o->meta ? o->meta : "", o->rest ? o->rest : "")));
}

/* owners: nearest first */
static struct grouping_chain chain_of(struct arena *a, const char *pod_meta, const char *pod_rest, const struct owner *owners, size_t n)
{
    struct grouping_chain c = {.len = n + 1, .companion = json_null()};
    c.objs[0] = object(a, &(struct owner){"v1", "Pod", pod_meta, pod_rest}, 0);
    for (size_t i = 0; i < n; i++)
        c.objs[i + 1] = object(a, &owners[i], i + 1);
    return c;
}

/* "5: master=1 worker=4, worker/worker-0=2" */
static str shape(struct arena *a, const struct grouping_plan *p)
{
    struct strbuf b = strbuf_on(a);
    const struct json *spec = json_get(&p->group, S("spec")), *subs = json_get(spec, S("subGroups"));
    strbuf_add_i64(&b, json_get_int(spec, S("minMember"), -1));
    for (uint32_t i = 0; json_is(subs, JSON_ARRAY) && i < subs->len; i++) {
        str parent = json_get_str(&subs->items[i], S("parent"));
        strbuf_addf(&b, " " STR_FMT "%s" STR_FMT "=%lld", STR_ARG(parent), parent.len ? "/" : "", STR_ARG(json_get_str(&subs->items[i], S("name"))),
                    (long long)json_get_int(&subs->items[i], S("minMember"), -1));
    }
    return strbuf_str(&b);
}

static str spec_text(const struct grouping_plan *p, const char *key)
{
    return json_get_str(json_get(&p->group, S("spec")), str_of(key));
}

static str owner_of(const struct grouping_plan *p)
{
    const struct json *refs = json_path(&p->group, "metadata", "ownerReferences", NULL);
    return json_get_str(&refs->items[0], S("uid"));
}

#define TORCH(more) ",'spec':{'pytorchReplicaSpecs':{'Master':{'replicas':1},'Worker':{'replicas':4}}" more "}"
#define ROLE(r) ",'labels':{'training.kubeflow.org/replica-type':'" r "'}"
#define RAY_SPEC "'headGroupSpec':{},'workerGroupSpecs':[{'groupName':'a','replicas':3},{'groupName':'b','replicas':5,'minReplicas':2,'numOfHosts':4},{'groupName':'c','replicas':7,'suspend':true}]"
#define RAY(type, group) ",'labels':{'ray.io/node-type':'" type "','ray.io/group':'" group "'}"
#define LWS(policy) ",'spec':{'startupPolicy':'" policy "','leaderWorkerTemplate':{'size':4}}"
#define LWS_POD(i) ",'labels':{'leaderworkerset.sigs.k8s.io/group-index':'2','leaderworkerset.sigs.k8s.io/worker-index':'" i "'}"
#define LWS_CUT(size, segment, type) ",'spec':{'leaderWorkerTemplate':{'size':" #size ",'subGroupPolicy':{'subGroupSize':" #segment ",'subGroupPolicyType':'" type "'}}}"
#define JOBSET_POD(job) ",'labels':{'jobset.sigs.k8s.io/replicatedjob-name':'" job "'}"
#define GANG_NOTE(n) ",'annotations':{'kai.scheduler/batch-min-member':'" n "'}"
#define OF_OWNER "pg-o1-" UID1
#define OF_TOP "pg-o2-" UID2
#define OF_POD "pg-p-" POD_UID

TEST(every_kind)
{
    static const struct {
        const char *what, *pod_meta, *pod_rest;
        struct owner owners[4];
        const char *name, *owner, *shape, *sub, *priority;
    } rows[] = {
        {"bare pod", NULL, NULL, {{0}}, OF_POD, POD_UID, "1", "", "train"},
        {"spark pod", ",'labels':{'spark-app-name':'x','spark-app-selector':'spark-77'}", NULL, {{0}}, "spark-77", POD_UID, "1", "", "train"},
        {"spark executor", ",'labels':{'spark-app-name':'x','spark-app-selector':'spark-77'}", NULL, {{"v1", "Pod", NULL, NULL}}, "spark-77", UID1, "1", "", "train"},
        {"spark pod with an odd label", ",'labels':{'spark-app-name':'x','spark-app-selector':'Spark_77'}", NULL, {{0}}, OF_POD, POD_UID, "1", "", "train"},
        {"pod of a pod", NULL, NULL, {{"v1", "Pod", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
        {"Deployment", NULL, NULL, {{"apps/v1", "ReplicaSet", NULL, NULL}, {"apps/v1", "Deployment", NULL, NULL}}, OF_POD, POD_UID, "1", "", "inference"},
        {"Deployment as a gang", NULL, NULL, {{"apps/v1", "ReplicaSet", NULL, NULL}, {"apps/v1", "Deployment", GANG_NOTE("3"), NULL}}, OF_TOP, UID2, "3", "", "inference"},
        {"ReplicaSet", NULL, NULL, {{"apps/v1", "ReplicaSet", NULL, ",'spec':{'replicas':5}"}}, OF_OWNER, UID1, "1", "", "train"},
        {"StatefulSet", NULL, NULL, {{"apps/v1", "StatefulSet", NULL, ",'spec':{'replicas':5}"}}, OF_OWNER, UID1, "1", "", "train"},
        {"StatefulSet as a gang", NULL, NULL, {{"apps/v1", "StatefulSet", GANG_NOTE("5"), ",'spec':{'replicas':5}"}}, OF_OWNER, UID1, "5", "", "train"},
        {"Job", NULL, NULL, {{"batch/v1", "Job", NULL, ",'spec':{'parallelism':4}"}}, "pg-p-" UID1, POD_UID, "1", "", "train"},
        {"Job as a gang", NULL, NULL, {{"batch/v1", "Job", GANG_NOTE("4"), ",'spec':{'parallelism':4}"}}, OF_OWNER, UID1, "4", "", "train"},
        {"Job with a bad note", NULL, NULL, {{"batch/v1", "Job", GANG_NOTE("many"), NULL}}, "pg-p-" UID1, POD_UID, "1", "", "train"},
        {"CronJob", NULL, NULL, {{"batch/v1", "Job", NULL, NULL}, {"batch/v1", "CronJob", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
        {"CronJob as a gang", NULL, NULL, {{"batch/v1", "Job", GANG_NOTE("2"), NULL}, {"batch/v1", "CronJob", NULL, NULL}}, OF_OWNER, UID1, "2", "", "train"},
        {"JobSet", JOBSET_POD("w"), NULL, {{"batch/v1", "Job", NULL, NULL}, {"jobset.x-k8s.io/v1alpha2", "JobSet", NULL, ",'spec':{'replicatedJobs':[{'name':'w','replicas':2}]}"}}, OF_TOP, UID2, "1", "", "train"},
        {"JobSet as a gang", JOBSET_POD("w"), NULL, {{"batch/v1", "Job", NULL, NULL}, {"jobset.x-k8s.io/v1alpha2", "JobSet", GANG_NOTE("6"), NULL}}, OF_TOP, UID2, "6", "", "train"},
        {"JobSet with gangs", JOBSET_POD("w"), NULL, {{"batch/v1", "Job", NULL, NULL},
            {"jobset.x-k8s.io/v1alpha2", "JobSet", NULL, ",'spec':{'replicatedJobs':[{'name':'d','template':{'metadata':{'annotations':{'kai.scheduler/batch-min-member':'1'}}}},"
             "{'name':'w','replicas':2,'template':{'metadata':{'annotations':{'kai.scheduler/batch-min-member':'3'}}}}]}"}}, OF_TOP, UID2, "7 d=1 w=6", "w", "train"},
        {"JobSet in order", JOBSET_POD("w"), NULL, {{"batch/v1", "Job", NULL, NULL},
            {"jobset.x-k8s.io/v1alpha2", "JobSet", NULL, ",'spec':{'startupPolicy':{'startupPolicyOrder':'InOrder'},'replicatedJobs':[{'name':'d'},"
             "{'name':'w','replicas':2,'template':{'metadata':{'annotations':{'kai.scheduler/batch-min-member':'3'}}}}]}"}}, OF_TOP "-w", UID2, "6", "", "train"},
        {"JobSet with dependencies", JOBSET_POD("d"), NULL, {{"batch/v1", "Job", NULL, NULL},
            {"jobset.x-k8s.io/v1alpha2", "JobSet", NULL, ",'spec':{'replicatedJobs':[{'name':'d'},{'name':'w','dependsOn':[{'name':'d','status':'Ready'}]}]}"}}, OF_TOP "-d", UID2, "1", "", "train"},
        {"TrainJob", JOBSET_POD("node"), NULL, {{"batch/v1", "Job", NULL, NULL}, {"jobset.x-k8s.io/v1alpha2", "JobSet", GANG_NOTE("6"), NULL}, {"trainer.kubeflow.org/v1alpha1", "TrainJob", NULL, NULL}}, OF_TOP, UID2, "6", "", "train"},
        {"LeaderWorkerSet, leader", LWS_POD("0"), NULL, {{"apps/v1", "StatefulSet", NULL, NULL}, {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS("LeaderCreated")}}, OF_TOP "-group-2", UID2, "4 leader=1 workers=3", "leader", "train"},
        {"LeaderWorkerSet, worker", LWS_POD("3"), NULL, {{"apps/v1", "StatefulSet", NULL, NULL}, {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS("LeaderCreated")}}, OF_TOP "-group-2", UID2, "4 leader=1 workers=3", "workers", "train"},
        {"LeaderWorkerSet, leader first", LWS_POD("0"), NULL, {{"apps/v1", "StatefulSet", NULL, NULL}, {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS("LeaderReady")}}, OF_TOP "-group-2", UID2, "1 leader=1", "leader", "train"},
        {"LeaderWorkerSet, leader there", LWS_POD("0"), ",'spec':{'nodeName':'n'}", {{"apps/v1", "StatefulSet", NULL, NULL}, {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS("LeaderReady")}}, OF_TOP "-group-2", UID2, "4 leader=1 workers=3", "leader", "train"},
        {"LeaderWorkerSet, segments", LWS_POD("0"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(5, 2, "LeaderWorker")}}, OF_OWNER "-group-2", UID1,
            "5 segment-0=3 segment-1=2 segment-0/leader=1 segment-0/workers=2", "leader", "train"},
        {"LeaderWorkerSet, first segment", LWS_POD("2"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(5, 2, "LeaderWorker")}}, OF_OWNER "-group-2", UID1,
            "5 segment-0=3 segment-1=2 segment-0/leader=1 segment-0/workers=2", "workers", "train"},
        {"LeaderWorkerSet, second segment", LWS_POD("3"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(5, 2, "LeaderWorker")}}, OF_OWNER "-group-2", UID1,
            "5 segment-0=3 segment-1=2 segment-0/leader=1 segment-0/workers=2", "segment-1", "train"},
        {"LeaderWorkerSet, uneven segments", LWS_POD("4"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(6, 2, "LeaderWorker")}}, OF_OWNER "-group-2", UID1,
            "6 segment-0=2 segment-1=2 segment-2=2 segment-0/leader=1 segment-0/workers=1", "segment-2", "train"},
        {"LeaderWorkerSet, leader apart", LWS_POD("1"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(5, 2, "LeaderExcluded")}}, OF_OWNER "-group-2", UID1,
            "5 leader=1 segment-0=2 segment-1=2", "segment-0", "train"},
        {"LeaderWorkerSet, segments that do not fit", LWS_POD("1"), NULL, {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", NULL, LWS_CUT(4, 2, "LeaderExcluded")}}, OF_OWNER "-group-2", UID1,
            "4 leader=1 workers=3", "workers", "train"},
        {"TFJob", ROLE("ps"), NULL, {{"kubeflow.org/v1", "TFJob", NULL, ",'spec':{'tfReplicaSpecs':{'PS':{'replicas':2},'Worker':{'replicas':4},'Chief':{}}}"}}, OF_OWNER, UID1, "7", "", "train"},
        {"TFJob with a minimum", ROLE("ps"), NULL, {{"kubeflow.org/v1", "TFJob", NULL, ",'spec':{'runPolicy':{'schedulingPolicy':{'minAvailable':3}},'tfReplicaSpecs':{'PS':{'replicas':2},'Worker':{'replicas':4}}}"}}, OF_OWNER, UID1, "3", "", "train"},
        {"PyTorchJob, master", ROLE("master"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH("")}}, OF_OWNER, UID1, "5 master=1 worker=4", "master", "train"},
        {"PyTorchJob, worker", ROLE("worker"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH("")}}, OF_OWNER, UID1, "5 master=1 worker=4", "worker", "train"},
        {"PyTorchJob, elastic", ROLE("worker"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH(",'elasticPolicy':{'minReplicas':2}")}}, OF_OWNER, UID1, "2 master=1 worker=1", "worker", "train"},
        {"PyTorchJob, minimum first", ROLE("worker"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH(",'elasticPolicy':{'minReplicas':2},'runPolicy':{'schedulingPolicy':{'minAvailable':3}}")}}, OF_OWNER, UID1, "3 master=1 worker=2", "worker", "train"},
        {"PyTorchJob, workers only", ROLE("worker"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, ",'spec':{'pytorchReplicaSpecs':{'Worker':{'replicas':3}}}"}}, OF_OWNER, UID1, "3 worker=3", "worker", "train"},
        {"PyTorchJob, segments", ",'labels':{'training.kubeflow.org/replica-type':'worker','training.kubeflow.org/replica-index':'3'}", NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL,
            ",'spec':{'pytorchReplicaSpecs':{'Worker':{'replicas':5,'template':{'metadata':{'annotations':{'kai.scheduler/segment-size':'2'}}}}}}"}}, OF_OWNER, UID1,
            "5 worker=5 worker/worker-0=2 worker/worker-1=2 worker/worker-2=1", "worker-1", "train"},
        {"MPIJob", ROLE("worker"), NULL, {{"kubeflow.org/v2beta1", "MPIJob", NULL, ",'spec':{'mpiReplicaSpecs':{'Launcher':{'replicas':1},'Worker':{'replicas':2}}}"}}, OF_OWNER, UID1, "3", "", "train"},
        {"MPIJob, launcher waits", ROLE("worker"), NULL, {{"kubeflow.org/v2beta1", "MPIJob", NULL, ",'spec':{'launcherCreationPolicy':'WaitForWorkersReady','mpiReplicaSpecs':{'Launcher':{'replicas':1},'Worker':{'replicas':2}}}"}}, OF_OWNER, UID1, "2", "", "train"},
        {"XGBoostJob", NULL, NULL, {{"kubeflow.org/v1", "XGBoostJob", NULL, ",'spec':{'xgbReplicaSpecs':{'Master':{'replicas':1},'Worker':{'replicas':2}}}"}}, OF_OWNER, UID1, "3", "", "train"},
        {"JAXJob", NULL, NULL, {{"kubeflow.org/v1", "JAXJob", NULL, ",'spec':{'jaxReplicaSpecs':{'Worker':{'replicas':8}}}"}}, OF_OWNER, UID1, "8", "", "train"},
        {"PaddleJob", NULL, NULL, {{"kubeflow.org/v1", "PaddleJob", NULL, ",'spec':{'elasticPolicy':{'minReplicas':2},'paddleReplicaSpecs':{'Worker':{'replicas':8}}}"}}, OF_OWNER, UID1, "2", "", "train"},
        {"Notebook", NULL, NULL, {{"apps/v1", "StatefulSet", NULL, NULL}, {"kubeflow.org/v1beta1", "Notebook", NULL, NULL}}, OF_TOP, UID2, "1", "", "build"},
        {"RayCluster, head", RAY("head", "headgroup"), NULL, {{"ray.io/v1", "RayCluster", NULL, ",'spec':{" RAY_SPEC "}"}}, OF_OWNER, UID1, "12 headgroup=1 a=3 b=8 c=0", "headgroup", "train"},
        {"RayCluster, worker", RAY("worker", "b"), NULL, {{"ray.io/v1", "RayCluster", NULL, ",'spec':{" RAY_SPEC "}"}}, OF_OWNER, UID1, "12 headgroup=1 a=3 b=8 c=0", "b", "train"},
        {"RayCluster with an autoscaler", RAY("worker", "b"), NULL, {{"ray.io/v1", "RayCluster", NULL, ",'spec':{'enableInTreeAutoscaling':true," RAY_SPEC "}"}}, OF_OWNER, UID1, "9 headgroup=1 a=0 b=8 c=0", "b", "train"},
        {"RayJob", RAY("worker", "a"), NULL, {{"ray.io/v1", "RayCluster", NULL, NULL}, {"ray.io/v1", "RayJob", NULL, ",'spec':{'rayClusterSpec':{" RAY_SPEC "}}"}}, OF_TOP, UID2, "12 headgroup=1 a=3 b=8 c=0", "a", "train"},
        {"RayJob, who hands it in", NULL, NULL, {{"batch/v1", "Job", NULL, NULL}, {"ray.io/v1", "RayJob", NULL, ",'spec':{'rayClusterSpec':{" RAY_SPEC "}}"}}, OF_POD, POD_UID, "1", "", "train"},
        {"RayService", RAY("worker", "a"), NULL, {{"ray.io/v1", "RayCluster", NULL, ",'spec':{" RAY_SPEC "}"}, {"ray.io/v1", "RayService", NULL, NULL}}, OF_OWNER, UID1, "12 headgroup=1 a=3 b=8 c=0", "a", "train"},
        {"Ray's own class", RAY("worker", "a"), NULL, {{"ray.io/v1", "RayCluster", ",'labels':{'ray.io/priority-class-name':'fast'}", NULL}}, OF_OWNER, UID1, "1 headgroup=1", "", "fast"},
        {"SparkApplication", ",'labels':{'spark-app-name':'x','spark-app-selector':'spark-77'}", NULL, {{"v1", "Pod", NULL, NULL}, {"sparkoperator.k8s.io/v1beta2", "SparkApplication", NULL, NULL}}, OF_TOP, UID2, "1", "", "train"},
        {"Argo Workflow", NULL, NULL, {{"argoproj.io/v1alpha1", "Workflow", NULL, NULL}}, OF_POD, POD_UID, "1", "", "train"},
        {"Workflow over a PyTorchJob", ROLE("worker"), NULL, {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH("")}, {"argoproj.io/v1alpha1", "Workflow", NULL, NULL}}, OF_OWNER, UID1, "5 master=1 worker=4", "worker", "train"},
        {"Knative Service", NULL, NULL, {{"apps/v1", "ReplicaSet", NULL, NULL}, {"serving.knative.dev/v1", "Revision", ",'annotations':{'autoscaling.knative.dev/min-scale':'3'}", NULL}, {"serving.knative.dev/v1", "Service", NULL, NULL}}, OF_TOP, UID2, "3", "", "inference"},
        {"Knative Service that may be empty", NULL, NULL, {{"serving.knative.dev/v1", "Revision", ",'annotations':{'autoscaling.knative.dev/min-scale':'0'}", NULL}, {"serving.knative.dev/v1", "Service", NULL, NULL}}, OF_OWNER, UID1, "1", "", "inference"},
        {"SeldonDeployment", NULL, NULL, {{"apps/v1", "Deployment", NULL, NULL}, {"machinelearning.seldon.io/v1", "SeldonDeployment", NULL, NULL}}, OF_TOP, UID2, "1", "", "train"},
        {"VirtualMachineInstance", NULL, NULL, {{"kubevirt.io/v1", "VirtualMachineInstance", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
        {"VirtualMachine", NULL, NULL, {{"kubevirt.io/v1", "VirtualMachineInstance", NULL, NULL}, {"kubevirt.io/v1", "VirtualMachine", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
        {"TaskRun", NULL, NULL, {{"tekton.dev/v1", "TaskRun", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
        {"PipelineRun", NULL, NULL, {{"tekton.dev/v1", "TaskRun", NULL, NULL}, {"tekton.dev/v1", "PipelineRun", NULL, NULL}}, OF_TOP, UID2, "1", "", "train"},
        {"PodCliqueSet without its gang", NULL, NULL, {{"grove.io/v1alpha1", "PodClique", NULL, NULL}, {"grove.io/v1alpha1", "PodCliqueSet", NULL, NULL}}, OF_TOP, UID2, "1", "", "train"},
        {"a kind that nobody knows", NULL, NULL, {{"example.com/v3", "Thing", NULL, ",'spec':{'replicas':9}"}}, OF_OWNER, UID1, "1", "", "train"},
        {"the same as a gang", NULL, NULL, {{"example.com/v3", "Thing", GANG_NOTE("9"), NULL}}, OF_OWNER, UID1, "9", "", "train"},
        {"another group's Deployment", NULL, NULL, {{"example.com/v1", "Deployment", NULL, NULL}}, OF_OWNER, UID1, "1", "", "train"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        size_t n = 0;
        int before = test_failures_;
        while (n < 4 && rows[i].owners[n].kind)
            n++;
        struct grouping_chain c = chain_of(&a, rows[i].pod_meta, rows[i].pod_rest, rows[i].owners, n);
        struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
        T_EQ_STR(p.name, rows[i].name);
        T_EQ_STR(owner_of(&p), rows[i].owner);
        T_EQ_STR(shape(&a, &p), rows[i].shape);
        T_EQ_STR(p.sub, rows[i].sub);
        T_EQ_STR(spec_text(&p, "priorityClassName"), rows[i].priority);
        T_EQ_STR(spec_text(&p, "queue"), "default-queue");
        if (test_failures_ != before)
            printf("# row %s\n", rows[i].what);
    }
}

TEST(pods_that_are_left_alone)
{
    static const struct {
        const char *meta, *rest;
        bool leave;
    } rows[] = {
        {NULL, NULL, false},
        {",'deletionTimestamp':'2026-01-02T03:04:05Z'", NULL, true},
        {NULL, ",'status':{'phase':'Succeeded'}", true},
        {NULL, ",'status':{'phase':'Failed'}", true},
        {NULL, ",'status':{'phase':'Running'}", false},
        {",'annotations':{'kubernetes.io/config.mirror':'x'}", NULL, true},
        {",'annotations':{'pod-group-name':'mine'}", NULL, true},
        {",'annotations':{'pod-group-name':'pg-mine'}", NULL, true},
        {",'annotations':{'pod-group-name':'" OF_POD "'}", NULL, false},
        {",'annotations':{'pod-group-name':'pg-other-" UID1 "'}", NULL, true}, /* a bare pod that joins another's group */
        {",'annotations':{'pod-group-name':'pg-o1-" UID1 "'},'ownerReferences':[{'kind':'Job','uid':'" UID1 "'}]", NULL, false},
        {",'annotations':{'pod-group-name':'mine'},'ownerReferences':[{'kind':'Job','uid':'" UID1 "'}]", NULL, true},
        {",'labels':{'spark-app-name':'x','spark-app-selector':'spark-77'},'annotations':{'pod-group-name':'spark-77'}", NULL, false},
        {",'labels':{'scheduling.x-k8s.io/pod-group':'g'}", NULL, true}, /* gangs of other schedulers stay whole */
        {",'labels':{'godel.bytedance.com/pod-group-name':'g'}", NULL, true},
        {",'annotations':{'godel.bytedance.com/pod-group-name':'g'}", NULL, true},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct grouping_chain c = chain_of(&a, rows[i].meta, rows[i].rest, NULL, 0);
        if (grouping_leaves(&c.objs[0]) != rows[i].leave)
            T_FAIL_("row %zu", i);
    }
    static const struct owner daemons = {"apps/v1", "DaemonSet", NULL, NULL}, node = {"v1", "Node", NULL, NULL};
    struct grouping_chain c = chain_of(&a, NULL, NULL, &daemons, 1), d = chain_of(&a, NULL, NULL, &node, 1);
    T_EQ_STR(grouping_plan_make(&a, NULL, &c).name, "");
    T_EQ_STR(grouping_plan_make(&a, NULL, &d).name, "");
}

TEST(the_owner_that_controls)
{
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_ref ref;
    struct json none = tree(&a, "{'metadata':{}}"), two = tree(&a, "{'metadata':{'ownerReferences':[{'kind':'A','uid':'1'},{'apiVersion':'x/v1','kind':'B','name':'b','uid':'2','controller':true}]}}"),
                plain = tree(&a, "{'metadata':{'ownerReferences':[{'kind':'A','uid':'1'},{'kind':'B','uid':'2'}]}}");
    T_OK(!grouping_owner_ref(&none, &ref));
    T_OK(grouping_owner_ref(&two, &ref));
    T_EQ_STR(ref.kind, "B");
    T_EQ_STR(ref.api_version, "x/v1");
    T_OK(grouping_owner_ref(&plain, &ref));
    T_EQ_STR(ref.kind, "A");
}

TEST(queue_and_priority)
{
    static const struct {
        const char *pod, *owner, *rest, *queue, *priority;
    } rows[] = {
        {NULL, NULL, NULL, "default-queue", "inference"},
        {",'labels':{'kai.scheduler/queue':'a'}", NULL, NULL, "a", "inference"},
        {",'labels':{'kai.scheduler/queue':'a'}", ",'labels':{'kai.scheduler/queue':'b'}", NULL, "b", "inference"},
        {",'labels':{'project':'p'}", NULL, NULL, "p", "inference"},
        {",'labels':{'project':'p','kai.scheduler/node-pool':'x'}", NULL, NULL, "p-x", "inference"},
        {",'labels':{'project':'p','kai.scheduler/queue':'q'}", NULL, NULL, "q", "inference"},
        {NULL, NULL, ",'spec':{'priorityClassName':'own'}", "default-queue", "own"},
        {",'labels':{'priorityClassName':'l'}", NULL, ",'spec':{'priorityClassName':'own'}", "default-queue", "l"},
        {",'labels':{'priorityClassName':'l'}", ",'labels':{'priorityClassName':'o'}", ",'spec':{'priorityClassName':'own'}", "default-queue", "o"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct owner owners[] = {{"apps/v1", "ReplicaSet", NULL, NULL}, {"apps/v1", "Deployment", rows[i].owner, NULL}};
        struct grouping_chain c = chain_of(&a, rows[i].pod, rows[i].rest, owners, 2);
        struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
        T_EQ_STR(spec_text(&p, "queue"), rows[i].queue);
        T_EQ_STR(spec_text(&p, "priorityClassName"), rows[i].priority);
        T_EQ_INT(grouping_has_queue(&c), i == 1 || i == 2 || i == 5);
    }
}

/* Labels and annotations of an owner that is skipped count all the same. */
TEST(what_owners_ask_for)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct owner owners[] = {{"argoproj.io/v1alpha1", "Workflow",
                                           ",'labels':{'kai.scheduler/queue':'q','kai.scheduler/preemptibility':'non-preemptible','kai.scheduler/node-pool':'big'},"
                                           "'annotations':{'kai.scheduler/topology':'t','kai.scheduler/topology-required-placement':'rack',"
                                           "'kai.scheduler/preemption-delay':'5m','kai.scheduler/staleness-grace-period':'-1s'}", NULL}};
    struct grouping_chain c = chain_of(&a, NULL, NULL, owners, 1);
    struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
    T_EQ_STR(spec_text(&p, "queue"), "q");
    T_EQ_STR(spec_text(&p, "preemptibility"), "non-preemptible");
    T_EQ_STR(spec_text(&p, "preemptionDelay"), "5m");
    T_EQ_STR(spec_text(&p, "stalenessGracePeriod"), "-1s");
    T_EQ_STR(json_text(&a, json_path(&p.group, "spec", "topologyConstraint", NULL)), "{\"topology\":\"t\",\"requiredTopologyLevel\":\"rack\"}");
    T_EQ_STR(json_text(&a, json_path(&p.group, "metadata", "labels", NULL)), "{\"kai.scheduler/node-pool\":\"big\"}");
    static const struct owner odd[] = {{"x/v1", "Y", ",'labels':{'kai.scheduler/preemptibility':'perhaps'},'annotations':{'kai.scheduler/topology':'t','kai.scheduler/preemption-delay':'300',"
                                                     "'kai.scheduler/staleness-grace-period':'soon'}", NULL}};
    c = chain_of(&a, NULL, NULL, odd, 1);
    p = grouping_plan_make(&a, NULL, &c);
    T_OK(!json_path(&p.group, "spec", "preemptionDelay", NULL) && !json_path(&p.group, "spec", "stalenessGracePeriod", NULL));
    T_OK(!json_path(&p.group, "spec", "preemptibility", NULL) && !json_path(&p.group, "spec", "topologyConstraint", NULL));
    static const struct owner alone[] = {{"batch/v1", "Job", ",'annotations':{'kai.scheduler/skip-podgrouper':'true'}", NULL}};
    c = chain_of(&a, NULL, NULL, alone, 1);
    T_OK(grouping_plan_make(&a, NULL, &c).group.type == JSON_NULL);
    /* each group of Ray's workers may have a topology of its own */
    static const struct owner ray[] = {{"ray.io/v1", "RayCluster", ",'annotations':{'kai.scheduler/topology':'t'}",
                                        ",'spec':{'workerGroupSpecs':[{'groupName':'a','replicas':1,'template':{'metadata':{'annotations':{'kai.scheduler/topology-preferred-placement':'row'}}}}]}"}};
    c = chain_of(&a, RAY("worker", "a"), NULL, ray, 1);
    p = grouping_plan_make(&a, NULL, &c);
    const struct json *subs = json_path(&p.group, "spec", "subGroups", NULL);
    T_EQ_STR(json_text(&a, &subs->items[1]), "{\"name\":\"a\",\"minMember\":1,\"topologyConstraint\":{\"topology\":\"t\",\"preferredTopologyLevel\":\"row\"}}");
}

TEST(gangs_of_grove)
{
    ARENA_AUTO a = ARENA_INIT;
    struct grouping_ref ref;
    static const struct owner owners[] = {{"grove.io/v1alpha1", "PodClique", NULL, NULL}, {"grove.io/v1alpha1", "PodCliqueSet", ",'labels':{'kai.scheduler/queue':'q'}", NULL}};
    struct grouping_chain c = chain_of(&a, ",'labels':{'grove.io/podgang':'g-0','grove.io/podclique':'g-0-decode'}", NULL, owners, 2);
    T_OK(grouping_companion(NULL, &c, &ref));
    T_EQ_STR(ref.kind, "PodGang");
    T_EQ_STR(ref.name, "g-0");
    c.companion = tree(&a, "{'apiVersion':'scheduler.grove.io/v1alpha1','kind':'PodGang','metadata':{'name':'g-0','uid':'" UID1 "'},'spec':{'priorityClassName':'high',"
                           "'podgroups':[{'name':'g-0-prefill','minReplicas':2,'podReferences':[]},{'name':'g-0-decode','minReplicas':3}]}}");
    struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
    T_EQ_STR(p.name, "pg-g-0-" UID1);
    T_EQ_STR(owner_of(&p), UID1);
    T_EQ_STR(shape(&a, &p), "5 g-0-prefill=2 g-0-decode=3");
    T_EQ_STR(p.sub, "g-0-decode");
    T_EQ_STR(spec_text(&p, "priorityClassName"), "high");
    T_EQ_STR(spec_text(&p, "queue"), "q");
    struct grouping_chain other = chain_of(&a, NULL, NULL, NULL, 0);
    T_OK(!grouping_companion(NULL, &other, &ref));
}

TEST(what_is_written_again)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct owner owners[] = {{"kubeflow.org/v1", "PyTorchJob", ",'labels':{'kai.scheduler/queue':'q'}", TORCH("")}};
    struct grouping_chain c = chain_of(&a, ROLE("worker"), NULL, owners, 1);
    struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
    struct json patch = grouping_group_patch(&a, &p, &p.group);
    T_OK(json_is(&patch, JSON_NULL));
    /* what people and others changed stays theirs */
    struct json have = json_copy(&a, &p.group), *spec = json_get(&have, S("spec"));
    json_set(&a, spec, S("queue"), json_string(S("other")));
    json_set(&a, spec, S("markUnschedulable"), json_bool(false));
    json_set(&a, spec, S("schedulingBackoff"), json_int(&a, 1));
    json_set(&a, spec, S("preemptibility"), json_string(S("preemptible")));
    json_set(&a, spec, S("topologyConstraint"), json_object());
    json_set(&a, json_ensure_object(&a, json_get(&have, S("metadata")), S("labels")), S("kai.scheduler/node-pool"), json_string(S("x")));
    patch = grouping_group_patch(&a, &p, &have);
    T_OK(json_is(&patch, JSON_NULL));
    /* ... also when the label changes; but a queue that only the label has chosen follows it, while nothing runs */
    json_set(&a, json_ensure_object(&a, json_get(&have, S("metadata")), S("annotations")), S(GROUPING_ASKED_NOTE), json_string(S("old")));
    json_set(&a, json_get(&have, S("metadata")), S("resourceVersion"), json_string(S("7")));
    json_set(&a, &have, S("status"), json_object());
    patch = grouping_group_patch(&a, &p, &have);
    T_OK(json_is(&patch, JSON_NULL));
    json_set(&a, spec, S("queue"), json_string(S("old")));
    json_set(&a, json_get(&have, S("metadata")), S("uid"), json_string(S("g")));
    patch = grouping_group_patch(&a, &p, &have);
    T_EQ_STR(json_text(&a, &patch), "{\"metadata\":{\"annotations\":{\"scheduling.cox/asked-queue\":\"q\"},\"uid\":\"g\"},\"spec\":{\"queue\":\"q\"}}");
    json_set(&a, json_get(&have, S("status")), S("running"), json_int(&a, 1));
    patch = grouping_group_patch(&a, &p, &have);
    T_OK(json_is(&patch, JSON_NULL));
    json_del(&have, S("status"));
    json_del(json_get(&have, S("metadata")), S("resourceVersion")); /* not known whether it runs */
    patch = grouping_group_patch(&a, &p, &have);
    T_OK(json_is(&patch, JSON_NULL));
    json_set(&a, spec, S("queue"), json_string(S("other")));
    /* the owner's numbers do not */
    json_set(&a, spec, S("minMember"), json_int(&a, 2));
    json_set(&a, json_get(&have, S("metadata")), S("uid"), json_string(S("g")));
    patch = grouping_group_patch(&a, &p, &have);
    T_EQ_STR(json_text(&a, &patch), "{\"metadata\":{\"uid\":\"g\"},\"spec\":{\"minMember\":5}}");
    /* parts that are no more */
    static const struct owner plain[] = {{"kubeflow.org/v1", "TFJob", NULL, NULL}};
    c = chain_of(&a, NULL, NULL, plain, 1);
    p = grouping_plan_make(&a, NULL, &c);
    patch = grouping_group_patch(&a, &p, &have);
    T_EQ_STR(json_text(&a, &patch), "{\"metadata\":{\"uid\":\"g\"},\"spec\":{\"minMember\":1,\"subGroups\":null}}");
}

TEST(what_a_pod_gets)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct owner owners[] = {{"kubeflow.org/v1", "PyTorchJob", NULL, TORCH("")}};
    struct grouping_chain c = chain_of(&a, ROLE("worker"), NULL, owners, 1);
    struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
    struct json patch = grouping_pod_patch(&a, &p, &c.objs[0]);
    T_EQ_STR(json_text(&a, &patch), "{\"metadata\":{\"annotations\":{\"pod-group-name\":\"" OF_OWNER "\"},\"labels\":{\"kai.scheduler/subgroup-name\":\"worker\"},\"uid\":\"" POD_UID "\"}}");
    struct json done = tree(&a, "{'metadata':{'annotations':{'pod-group-name':'" OF_OWNER "'},'labels':{'kai.scheduler/subgroup-name':'worker'}}}");
    patch = grouping_pod_patch(&a, &p, &done);
    T_OK(json_is(&patch, JSON_NULL));
    /* its own choice among the parts that there are */
    struct json chosen = tree(&a, "{'metadata':{'annotations':{'pod-group-name':'" OF_OWNER "'},'labels':{'kai.scheduler/subgroup-name':'master'}}}");
    patch = grouping_pod_patch(&a, &p, &chosen);
    T_OK(json_is(&patch, JSON_NULL));
    /* bound with another group */
    struct json bound = tree(&a, "{'metadata':{'annotations':{'pod-group-name':'" OF_POD "'}},'spec':{'nodeName':'n'}}");
    patch = grouping_pod_patch(&a, &p, &bound);
    T_OK(json_is(&patch, JSON_NULL));
}

TEST(long_names_fit)
{
    ARENA_AUTO a = ARENA_INIT;
    char name[251];
    memset(name, 'x', 250);
    name[250] = 0;
    struct grouping_chain c = {.len = 1, .companion = json_null()};
    c.objs[0] = tree(&a, arena_cstr(&a, arena_fmt(&a, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','uid':'" POD_UID "'}}", name)));
    struct grouping_plan p = grouping_plan_make(&a, NULL, &c);
    T_EQ_INT(p.name.len, 253);
    T_OK(str_has_suffix(p.name, S("-" POD_UID)));
}

TEST_MAIN(every_kind, pods_that_are_left_alone, the_owner_that_controls, queue_and_priority, what_owners_ask_for, gangs_of_grove, what_is_written_again, what_a_pod_gets, long_names_fit)
