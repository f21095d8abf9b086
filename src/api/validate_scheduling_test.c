/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_testing.h"
#include "base/clock.h"
#include "base/limits.h"

#define BAD(text, message) {text, NULL, message, NULL}
#define GOOD(text) {text, NULL, "", NULL}
#define OBJ(version, kind, rest) "{'apiVersion':'" version "','kind':'" kind "','metadata':{'name':'x','namespace':'n'}," rest "}"
#define GLOBAL_OBJ(version, kind, rest) "{'apiVersion':'" version "','kind':'" kind "','metadata':{'name':'x'}," rest "}"

#define QUEUE(spec) GLOBAL_OBJ("scheduling.run.ai/v2", "Queue", "'spec':{" spec "}")
#define R "'resources':{'gpu':{'quota':8,'overQuotaWeight':1,'limit':-1}}"
#define BAD_RESOURCE(name) "spec.resources[" name "]: Invalid value: '" name "': must be gpu, gpu:<model>, cpu, memory, ephemeral-storage, pods, hugepages-<size>, or a resource name with its domain, " \
                           "such as example.com/fpga"
TEST(queues)
{
    static const struct testing_case cases[] = {
        GOOD(QUEUE(R)),
        GOOD(QUEUE("'displayName':'','parentQueue':'p','priority':0,'preemptMinRuntime':'1h30m','reclaimMinRuntime':'0','maxRuntime':'24h'," R)),
        GOOD(QUEUE("'resources':{'cpu':{'quota':-1,'limit':0.5},'memory':{},'nvidia.com/gpu-h100':{'quota':1},'network.cox/egress':{'limit':10},'hugepages-2Mi':{},'pods':{'limit':10}}")),
        BAD(GLOBAL_OBJ("scheduling.run.ai/v2", "Queue", "'status':{}"), "spec: Required value"),
        BAD(QUEUE("'priority':1"), "spec.resources: Required value: a queue says what it is owed: gpu, cpu, memory or other resources, each with quota, overQuotaWeight and limit"),
        BAD(QUEUE("'parentQueue':'x'," R), "spec.parentQueue: Invalid value: 'x': a queue cannot be its own parent"),
        BAD(QUEUE("'maxRuntime':'day'," R), "spec.maxRuntime: Invalid value: 'day': must be a duration such as 30s, 10m or 24h: time: invalid duration 'day'"),
        BAD(QUEUE("'preemptMinRuntime':'-1s'," R), "spec.preemptMinRuntime: Invalid value: '-1s': must not be negative"),
        GOOD(QUEUE("'resources':{'gpu':{'quota':4},'gpu:A100':{'quota':2,'limit':3},'nvidia.com/gpu:NVIDIA-H100-80GB-HBM3':{'quota':-1}}")),
        BAD(QUEUE("'resources':{'gpus':{}}"), BAD_RESOURCE("gpus")),
        BAD(QUEUE("'resources':{'gpu:':{}}"), BAD_RESOURCE("gpu:")),
        BAD(QUEUE("'resources':{'gpu:a b':{}}"), BAD_RESOURCE("gpu:a b")),
        BAD(QUEUE("'resources':{'gpu:A100':{},'nvidia.com/gpu:A100':{}}"), "spec.resources[gpu:A100]: Forbidden: is the same as nvidia.com/gpu:A100, which is given, too"),
        BAD(QUEUE("'resources':{'gpu':{'quota':-2,'overQuotaWeight':-1,'limit':-0.5}}"),
            "[spec.resources[gpu].quota: Invalid value: -2: must not be negative, except -1 for unlimited, spec.resources[gpu].overQuotaWeight: Invalid value: -1: must not be negative, "
            "spec.resources[gpu].limit: Invalid value: -0.5: must not be negative, except -1 for unlimited]"),
        {GLOBAL_OBJ("scheduling.run.ai/v2", "Queue", "'status':{'units':[{'name':'a','namespace':'n'}],'usage':{'gpu':0.5},'fairShare':{'gpu':'2500m'}}"), QUEUE(R), "", "status"},
    };
    TESTING_RUN(cases);
}

TEST(the_status_of_a_queue_is_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json status = json_object(), units = json_array(), obj = json_object();
    for (size_t i = 0; i < LIMIT_QUEUE_STATUS_UNITS + 1; i++)
        json_push(&a, &units, json_object());
    json_set(&a, &status, S("units"), units);
    json_set(&a, &obj, S("status"), status);
    struct field_errors e = {.arena = &a};
    api_validate(&api_runai_v2_queues, S("status"), &obj, &obj, &e);
    bool said = false;
    for (size_t i = 0; i < e.len; i++)
        said |= e.items[i].type == FIELD_TOO_MANY && str_is(e.items[i].field, "status.units");
    T_OK(said);
}

#define KAI(spec) OBJ("scheduling.run.ai/v2alpha2", "PodGroup", "'spec':{" spec "}")
#define SUBS(list) KAI("'subGroups':[" list "]")
#define SUB(name, rest) "{'name':'" name "'" rest "}"
#define UNDER(parent) ",'parent':'" parent "'"
TEST(pod_groups_of_kai)
{
    static const struct testing_case cases[] = {
        GOOD(KAI("'minMember':4,'queue':'q','preemptibility':'semi-preemptible','markUnschedulable':false,'schedulingBackoff':-1")),
        GOOD(OBJ("scheduling.run.ai/v2alpha2", "PodGroup", "'status':{}")),
        GOOD(KAI("'minMember':null,'minSubGroup':1,'subGroups':[" SUB("a", ",'minMember':0") "," SUB("b", ",'minMember':2") "]")),
        GOOD(SUBS(SUB("top", ",'minSubGroup':2") "," SUB("a", UNDER("top")) "," SUB("b", UNDER("top") ",'topologyConstraint':{'topology':'t','requiredTopologyLevel':'rack'}"))),
        GOOD(SUBS(SUB("top", ",'minMember':2") "," SUB("a", UNDER("top")))), /* of no effect, as KAI had it */
        GOOD(KAI("'minMember':0")),
        BAD(KAI("'minMember':-1"), "spec.minMember: Invalid value: -1: must be at least 0"),
        GOOD(KAI("'preemptionDelay':'5m','stalenessGracePeriod':'-1s'")),
        BAD(KAI("'preemptionDelay':'-5m'"), "spec.preemptionDelay: Invalid value: '-5m': must not be negative"),
        BAD(KAI("'minMember':200000"), "spec.minMember: Invalid value: 200000: must be at most 100000"),
        BAD(KAI("'preemptibility':'never'"), "spec.preemptibility: Unsupported value: 'never': supported values: 'preemptible', 'non-preemptible', 'semi-preemptible'"),
        BAD(KAI("'queue':'A queue'"), "spec.queue: Invalid value: 'A queue': a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
                                      "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"),
        BAD(KAI("'minMember':2,'minSubGroup':1,'subGroups':[" SUB("a", "") "]"),
            "spec.minSubGroup: Forbidden: may not be given together with minMember: a gang is counted in pods or in sub-groups"),
        BAD(KAI("'minSubGroup':1"), "spec.minSubGroup: Forbidden: there are no sub-groups to be counted"),
        GOOD(KAI("'minSubGroup':0,'subGroups':[" SUB("a", "") "]")),
        BAD(KAI("'minSubGroup':-1,'subGroups':[" SUB("a", "") "]"), "spec.minSubGroup: Invalid value: -1: must be at least 0"),
        BAD(KAI("'minSubGroup':3,'subGroups':[" SUB("a", "") "," SUB("b", "") "," SUB("c", UNDER("b")) "]"), "spec.minSubGroup: Invalid value: 3: there are only 2 sub-groups to be counted"),
        BAD(SUBS(SUB("a", ",'minMember':-1")), "spec.subGroups[0].minMember: Invalid value: -1: must be at least 0"),
        BAD(SUBS(SUB("a", ",'minSubGroup':1")), "spec.subGroups[0].minSubGroup: Forbidden: there are no sub-groups to be counted"),
        BAD(SUBS(SUB("a", ",'minSubGroup':2") "," SUB("b", UNDER("a"))), "spec.subGroups[0].minSubGroup: Invalid value: 2: there are only 1 sub-groups to be counted"),
        BAD(SUBS("{}"), "spec.subGroups[0].name: Required value"),
        BAD(SUBS(SUB("a", "") "," SUB("a", "")), "spec.subGroups[1].name: Duplicate value: 'a'"),
        BAD(SUBS(SUB("a", UNDER("z"))), "spec.subGroups[0].parent: Invalid value: 'z': no sub-group has this name"),
        BAD(SUBS(SUB("a", UNDER("a"))), "spec.subGroups[0].parent: Invalid value: 'a': the parents of this sub-group lead back to itself"),
        BAD(SUBS(SUB("a", "") "," SUB("b", UNDER("d")) "," SUB("c", UNDER("b")) "," SUB("d", UNDER("c")) "," SUB("e", UNDER("a"))),
            "spec.subGroups[1].parent: Invalid value: 'd': the parents of this sub-group lead back to itself"),
    };
    TESTING_RUN(cases);
}

/* A circle is found exactly when following parents from some sub-group never ends. */
TEST(circles_agree_with_a_naive_walk)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 300; round++) {
        ARENA_AUTO a = ARENA_INIT;
        enum { N = 8 };
        int parent[N];
        struct json list = json_array(), spec = json_object(), obj = json_literal(&a, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"n\"}}");
        bool circle = false;
        for (int i = 0; i < N; i++) {
            parent[i] = (int)rng_below(&rng, N + 6) - 6;
            struct json sub = json_object();
            json_set(&a, &sub, S("name"), json_string(arena_fmt(&a, "s%d", i)));
            if (parent[i] >= 0)
                json_set(&a, &sub, S("parent"), json_string(arena_fmt(&a, "s%d", parent[i])));
            json_push(&a, &list, sub);
        }
        for (int i = 0; i < N; i++) {
            int k = i, steps = 0;
            while (k >= 0 && steps++ <= N)
                k = parent[k];
            circle |= k >= 0;
        }
        json_set(&a, &spec, S("subGroups"), list);
        json_set(&a, &obj, S("spec"), spec);
        struct field_errors e = {.arena = &a};
        api_validate(&api_runai_v2alpha2_podgroups, S(""), &obj, NULL, &e);
        T_EQ_INT(e.len, circle ? 1 : 0);
    }
}

#define PLAIN(spec) OBJ("scheduling.x-k8s.io/v1alpha1", "PodGroup", "'spec':{" spec "}")
#define GODEL(spec) OBJ("scheduling.godel.kubewharf.io/v1alpha1", "PodGroup", "'spec':{" spec "}")
#define NEAR(rest) GODEL("'minMember':3,'affinity':{'podGroupAffinity':{" rest "}}")
TEST(pod_groups_of_others)
{
    static const struct testing_case cases[] = {
        GOOD(PLAIN("'minMember':3,'scheduleTimeoutSeconds':10,'minResources':{'cpu':'3'}")),
        BAD(PLAIN("'minMember':0"), "spec.minMember: Invalid value: 0: must be at least 1"),
        BAD(PLAIN("'scheduleTimeoutSeconds':-1"), "spec.scheduleTimeoutSeconds: Invalid value: -1: must be greater than or equal to 0"),
        GOOD(GODEL("'minMember':0")),
        GOOD(NEAR("'required':[{'topologyKey':'rack'}],'preferred':[{'topologyKey':'micro'}],'sortRules':[{'resource':'GPU','dimension':'Available','order':'Descending'}],"
                  "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a','operator':'In','values':['b']}]}]}")),
        BAD(GODEL("'minMember':-1"), "spec.minMember: Invalid value: -1: must be at least 0"),
        BAD(NEAR("'required':[{}]"), "spec.affinity.podGroupAffinity.required[0].topologyKey: Required value: the node label whose values are the parts of the topology"),
        BAD(NEAR("'sortRules':[{'resource':'Disk','order':'Ascending'}]"),
            "spec.affinity.podGroupAffinity.sortRules[0].resource: Unsupported value: 'Disk': supported values: 'GPU', 'CPU', 'Memory'"),
        GOOD(OBJ("scheduling.godel.kubewharf.io/v1alpha1", "Reservation", "'spec':{'ttl':60,'nodename':'n','template':{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}}")),
        BAD(OBJ("scheduling.godel.kubewharf.io/v1alpha1", "Reservation", "'spec':{'ttl':-1}"), "spec.ttl: Invalid value: -1: must be greater than or equal to 0"),
    };
    TESTING_RUN(cases);
}

#define WORKLOAD(groups) OBJ("scheduling.k8s.io/v1alpha1", "Workload", "'spec':{'podGroups':[" groups "]}")
#define GROUP(name, policy) "{'name':'" name "','policy':{" policy "}}"
#define IN_WORKLOAD(ref) OBJ("v1", "Pod", "'spec':{'containers':[{'name':'c','image':'i'}],'workloadRef':{" ref "}}")
TEST(workloads_of_kubernetes)
{
    static const struct testing_case cases[] = {
        GOOD(WORKLOAD(GROUP("driver", "'basic':{}") "," GROUP("workers", "'gang':{'minCount':4}"))),
        BAD(WORKLOAD(""), "spec.podGroups: Required value"),
        BAD(WORKLOAD(GROUP("a", "")), "spec.podGroups[0].policy: Required value: must have one of: basic, gang"),
        BAD(WORKLOAD(GROUP("a", "'basic':{},'gang':{'minCount':1}")), "spec.podGroups[0].policy.gang: Forbidden: may not be given together with basic: pods of a group start together or one by one"),
        BAD(WORKLOAD(GROUP("a", "'gang':{'minCount':0}")), "spec.podGroups[0].policy.gang.minCount: Invalid value: 0: must be greater than zero"),
        BAD(WORKLOAD(GROUP("a", "'gang':{'minCount':1}") "," GROUP("a", "'basic':{}")), "spec.podGroups[1].name: Duplicate value: 'a'"),
        {WORKLOAD(GROUP("a", "'gang':{'minCount':2}")), WORKLOAD(GROUP("a", "'gang':{'minCount':1}")), "spec.podGroups: Invalid value: [{'name':'a','policy':{'gang':{'minCount':2}}}]: field is immutable", NULL},
        GOOD(IN_WORKLOAD("'name':'w','podGroup':'workers','podGroupReplicaKey':'0'")),
        BAD(IN_WORKLOAD("'name':'w'"), "spec.workloadRef.podGroup: Required value"),
    };
    TESTING_RUN(cases);
}

#define TOPOLOGY(levels) GLOBAL_OBJ("kai.scheduler/v1alpha1", "Topology", "'spec':{'levels':[" levels "]}")
#define LEVEL(label) "{'nodeLabel':'" label "'}"
#define FOUR(p) LEVEL(p "1") "," LEVEL(p "2") "," LEVEL(p "3") "," LEVEL(p "4")
TEST(topologies)
{
    static const struct testing_case cases[] = {
        GOOD(TOPOLOGY(LEVEL("example.com/block") "," LEVEL("rack") "," LEVEL("kubernetes.io/hostname"))),
        GOOD(TOPOLOGY(FOUR("a") "," FOUR("b") "," FOUR("c") "," FOUR("d"))),
        BAD(TOPOLOGY(""), "spec.levels: Required value"),
        BAD(TOPOLOGY(FOUR("a") "," FOUR("b") "," FOUR("c") "," FOUR("d") "," LEVEL("e")), "spec.levels: Too many: 17 levels are given, a topology has at most 16"),
        BAD(TOPOLOGY(LEVEL("rack") "," LEVEL("rack")), "spec.levels[1].nodeLabel: Duplicate value: 'rack'"),
        BAD(TOPOLOGY(LEVEL("kubernetes.io/hostname") "," LEVEL("rack")),
            "spec.levels[0].nodeLabel: Invalid value: 'kubernetes.io/hostname': a host is the narrowest level: it can only be the last one"),
        BAD(TOPOLOGY("{}"), "spec.levels[0].nodeLabel: Required value"),
        {TOPOLOGY(LEVEL("rack")), TOPOLOGY(LEVEL("block")), "spec.levels: Invalid value: [{'nodeLabel':'rack'}]: field is immutable, but for aliases", NULL},
        {TOPOLOGY(LEVEL("rack") "," LEVEL("host")), TOPOLOGY(LEVEL("rack")), "spec.levels: Invalid value: [{'nodeLabel':'rack'},{'nodeLabel':'host'}]: field is immutable, but for aliases", NULL},
        {TOPOLOGY("{'nodeLabel':'rack','alias':'row'}"), TOPOLOGY(LEVEL("rack")), NULL, NULL},
        GOOD(TOPOLOGY("{'nodeLabel':'example.com/rack','alias':'rack'}," LEVEL("kubernetes.io/hostname"))),
        BAD(TOPOLOGY("{'nodeLabel':'a','alias':'x'},{'nodeLabel':'b','alias':'x'}"), "spec.levels[1].alias: Duplicate value: 'x'"),
        BAD(TOPOLOGY("{'nodeLabel':'a','alias':'b'},{'nodeLabel':'b'}"), "spec.levels[0].alias: Invalid value: 'b': is the label of a level"),
    };
    TESTING_RUN(cases);
}

#define POD(annotations, rest) "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x','namespace':'n','annotations':{" annotations "}},'spec':{'containers':[{'name':'c','image':'i'" rest "}]}}"
#define WHOLE ",'resources':{'limits':{'nvidia.com/gpu':'1'},'requests':{'nvidia.com/gpu':'1'}}"
#define A "metadata.annotations"
#define JOB(annotations)                                                                                                                                                                          \
    OBJ("apps/v1", "Deployment", "'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'},'annotations':{" annotations "}},'spec':{'containers':[{'name':'c','image':'i'}]}}}")
TEST(parts_of_gpus)
{
    static const struct testing_case cases[] = {
        GOOD(POD("'gpu-fraction':'0.5','gpu-fraction-num-devices':'2','gpu-fraction-container-name':'c'", "")),
        GOOD(POD("'gpu-memory':'4096'", "")),
        GOOD(POD("'other':'1'", WHOLE)),
        GOOD(POD("'cox.io/bandwidth-lend':'accept'", "")),
        BAD(POD("'cox.io/bandwidth-lend':'yes'", ""), A "[cox.io/bandwidth-lend]: Invalid value: 'yes': means nothing, only accept does"),
        /* a loan stays a loan: as a promise it was never given room */
        {POD("'a':'b'", ""), POD("'cox.io/bandwidth-lend':'accept'", ""), A "[cox.io/bandwidth-lend]: Forbidden: cannot be added to or taken from a pod: make it again", NULL},
        {POD("'cox.io/bandwidth-lend':'accept'", ""), POD("'a':'b'", ""), A "[cox.io/bandwidth-lend]: Forbidden: cannot be added to or taken from a pod: make it again", NULL},
        {POD("'cox.io/bandwidth-lend':'accept','a':'b'", ""), POD("'cox.io/bandwidth-lend':'accept'", ""), NULL, NULL},
        BAD(POD("'gpu-fraction':'1'", ""), A "[gpu-fraction]: Invalid value: '1': must be a part of a GPU: more than 0 and less than 1"),
        BAD(POD("'gpu-fraction':'0'", ""), A "[gpu-fraction]: Invalid value: '0': must be a part of a GPU: more than 0 and less than 1"),
        BAD(POD("'gpu-fraction':'half'", ""), A "[gpu-fraction]: Invalid value: 'half': must be a part of a GPU: more than 0 and less than 1"),
        BAD(POD("'gpu-fraction':'nan'", ""), A "[gpu-fraction]: Invalid value: 'nan': must be a part of a GPU: more than 0 and less than 1"),
        BAD(POD("'gpu-memory':'0'", ""), A "[gpu-memory]: Invalid value: '0': must be a number of MiB from 1 to 2147483647"),
        BAD(POD("'gpu-memory':'4Gi'", ""), A "[gpu-memory]: Invalid value: '4Gi': must be a number of MiB from 1 to 2147483647"),
        BAD(POD("'gpu-fraction':'0.5','gpu-memory':'1'", ""), A "[gpu-fraction]: Forbidden: may not be given together with gpu-memory: one says how much of the other"),
        BAD(POD("'gpu-fraction':'0.5'", WHOLE), A "[gpu-fraction]: Forbidden: a part of a GPU cannot be asked for together with whole ones (nvidia.com/gpu)"),
        BAD(POD("'mps':'true'", ""), A "[mps]: Forbidden: needs gpu-fraction or gpu-memory: only a device that is shared has processes of several pods"),
        GOOD(POD("'mps':'false'", "")),
        GOOD(POD("'mps':'true','gpu-memory':'100'", "")),
        GOOD(POD("'scheduling.cox/gpu-models':'A100, NVIDIA-H100-PCIe'", WHOLE)),
        GOOD(POD("'scheduling.cox/gpu-models':'A100','gpu-memory':'100'", "")),
        BAD(POD("'scheduling.cox/gpu-models':'A100'", ""), A "[scheduling.cox/gpu-models]: Forbidden: says of which model the GPUs are to be, but none are asked for (nvidia.com/gpu, gpu-fraction or gpu-memory); "
                                                            "for others use a nodeSelector"),
        BAD(POD("'scheduling.cox/gpu-models':'A100,'", WHOLE), A "[scheduling.cox/gpu-models]: Invalid value: 'A100,': must be 1 to 16 models of GPUs with commas between them, each as in the label "
                                                                 "nvidia.com/gpu.product of nodes or whole words of it, such as A100,H100"),
        BAD(POD("'gpu-fraction-num-devices':'2'", ""), A "[gpu-fraction-num-devices]: Forbidden: needs gpu-fraction or gpu-memory: how much of each device"),
        BAD(POD("'gpu-fraction':'0.5','gpu-fraction-num-devices':'17'", ""), A "[gpu-fraction-num-devices]: Invalid value: '17': must be a number of devices from 1 to 16"),
        BAD(POD("'gpu-fraction':'0.5','gpu-fraction-container-name':'d'", ""), A "[gpu-fraction-container-name]: Invalid value: 'd': no container of the pod has this name"),
        BAD(JOB("'gpu-fraction':'2'"), "spec.template.annotations[gpu-fraction]: Invalid value: '2': must be a part of a GPU: more than 0 and less than 1"),
        {JOB("'gpu-fraction':'2'"), JOB("'gpu-fraction':'2'"), "", NULL}, /* from before there was the rule */
    };
    TESTING_RUN(cases);
}

#define SHARD(spec) GLOBAL_OBJ("kai.scheduler/v1", "SchedulingShard", "'spec':{" spec "}")
TEST(shards)
{
    static const struct testing_case cases[] = {
        GOOD(SHARD("")),
        GOOD(SHARD("'partitionLabelValue':'a100','kValue':0.5,'minRuntime':{'preemptMinRuntime':'10m','reclaimMinRuntime':'1h'},'queueDepthPerAction':{'reclaim':5}")),
        GOOD(SHARD("'args':{'default-staleness-grace-period':'-1s','max-consolidation-preemptees':'4','verbosity':'4'}")),
        GOOD(SHARD("'usageDBConfig':{'clientType':'prometheus','usageParams':{'halfLifePeriod':'10m','windowSize':'1w','windowType':'tumbling','tumblingWindowStartTime':'2026-01-05T00:00:00Z'}}")),
        BAD(SHARD("'kValue':-0.5"), "spec.kValue: Invalid value: '-0.5': must be a number that is not negative"),
        BAD(SHARD("'args':{'max-consolidation-preemptees':'many'}"), "spec.args[max-consolidation-preemptees]: Invalid value: 'many': must be a whole number from 0 to 1000"),
        BAD(SHARD("'usageDBConfig':{'usageParams':{'windowSize':'10ms'}}"), "spec.usageDBConfig.usageParams.windowSize: Invalid value: '10ms': must be at least a second"),
        BAD(SHARD("'plugins':{'minruntime':{'arguments':{'reclaimResolveMethod':'best'}}}"),
            "spec.plugins[minruntime].arguments[reclaimResolveMethod]: Invalid value: 'best': must be lca or queue"),
    };
    TESTING_RUN(cases);
}

/* What KAI's files say and this program does not know is kept. */
TEST(open_types_keep_what_they_do_not_know)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r;
    struct json obj = testing_object(&a, GLOBAL_OBJ("kai.scheduler/v1", "Config", "'spec':{'namespace':'kai','binder':{'replicas':2},'global':{'schedulerName':'s','openshift':true}}"), &r);
    T_EQ_STR(testing_message(&a, r, NULL, &obj, NULL), "");
    T_EQ_STR(json_text(&a, json_get(&obj, S("spec"))), "{\"namespace\":\"kai\",\"binder\":{\"replicas\":2},\"global\":{\"schedulerName\":\"s\",\"openshift\":true}}");
    struct json shard = testing_object(&a, GLOBAL_OBJ("kai.scheduler/v1", "SchedulingShard", "'spec':{'placementStrategy':{'gpu':'heap'},'scenarioSearchBudgets':{'a':1}}"), &r);
    T_EQ_STR(testing_message(&a, r, NULL, &shard, NULL), "spec.placementStrategy.gpu: Unsupported value: \"heap\": supported values: \"binpack\", \"spread\"");
}

TEST_MAIN(workloads_of_kubernetes, queues, the_status_of_a_queue_is_bounded, pod_groups_of_kai, circles_agree_with_a_naive_walk, pod_groups_of_others, topologies, parts_of_gpus, shards, open_types_keep_what_they_do_not_know)
