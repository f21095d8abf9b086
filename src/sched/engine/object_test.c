/* object_test.c - API objects to specs: the sums, the merges, the annotations, and the path of whatever is wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/engine/object.h"

#include "base/test.h"
#include "sched/engine/model.h"
#include "sched/engine/storage.h"

struct world {
    struct sched *s;
    struct arena a;
};

static struct world make(void)
{
    return (struct world){sched_new(profile_builtin(S("default")), 0), ARENA_INIT};
}

static void done(struct world *w)
{
    sched_free(w->s);
    arena_fini(&w->a);
}

/* Texts are written with ' for ". */
static struct json parse(struct world *w, const char *text)
{
    str s = arena_str(&w->a, str_of(text));
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == '\'')
            ((char *)s.p)[i] = '"';
    struct json v;
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(&w->a, s, NULL, &v, &err), &err);
    return v;
}

static struct pod_spec pod(struct world *w, const char *text)
{
    struct json v = parse(w, text);
    struct pod_spec p = {0};
    struct err err = ERR_NONE;
    bool gone;
    T_NO_ERR(object_pod(w->s, &w->a, &v, &p, &gone, &err), &err);
    return p;
}

static struct pod_spec pod_with(struct world *w, const char *meta, const char *spec)
{
    return pod(w, arena_fmt(&w->a, "{'metadata':{'name':'p','namespace':'ns'%s},'spec':{%s}}", meta, spec).p);
}

static int64_t request(const struct pod_spec *p, uint16_t id)
{
    for (size_t i = 0; i < p->requests.n; i++)
        if (p->requests.p[i].id == id)
            return p->requests.p[i].amount;
    return 0;
}

#define C(cpu, mem) "{'name':'c','resources':{'requests':{'cpu':'" cpu "','memory':'" mem "'}}}"
#define SIDECAR(cpu, mem) "{'name':'c','restartPolicy':'Always','resources':{'requests':{'cpu':'" cpu "','memory':'" mem "'}}}"

TEST(requests_are_the_largest_step)
{
    struct world w = make();
    static const struct {
        const char *spec;
        int64_t cpu, memory;
    } cases[] = {
        {"'containers':[" C("100m", "1Ki") "," C("0.2", "1k") "]", 300, 2024},
        {"'containers':[" C("100m", "100") "],'initContainers':[" C("1", "50") "," C("500m", "200") "]", 1000, 200},
        /* a sidecar runs beside the containers and beside the init containers after it */
        {"'containers':[" C("100m", "100") "],'initContainers':[" SIDECAR("1", "10") "]", 1100, 110},
        {"'containers':[" C("100m", "100") "],'initContainers':[" SIDECAR("1", "10") "," C("300m", "500") "]", 1300, 510},
        {"'containers':[" C("100m", "100") "],'initContainers':[" C("300m", "500") "," SIDECAR("1", "10") "]", 1100, 500},
        {"'containers':[" C("100m", "100") "],'initContainers':[" SIDECAR("1", "10") "," SIDECAR("2", "10") "," C("100m", "0") "]", 3100, 120},
        {"'containers':[" C("100m", "100") "],'overhead':{'cpu':'50m','memory':'5'}", 150, 105},
        {"'containers':[" C("100m", "100") "],'resources':{'requests':{'cpu':'2'}},'overhead':{'cpu':'50m'}", 2050, 100},
        {"'containers':[" C("100m", "100") "],'resources':{'limits':{'cpu':'2','memory':'7'}}", 100, 100},
        {"'containers':[{'name':'c'}],'resources':{'limits':{'cpu':'2','memory':'7'}}", 2000, 7},
        {"'containers':[{'name':'c','resources':{'limits':{'cpu':3,'memory':'4'}}}]", 3000, 4},
        {"'containers':[{'name':'c','resources':{'limits':{'cpu':3},'requests':{'cpu':'1'}}}]", 1000, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct pod_spec p = pod_with(&w, "", cases[i].spec);
        T_EQ_INT(request(&p, RES_CPU), cases[i].cpu);
        T_EQ_INT(request(&p, RES_MEMORY), cases[i].memory);
        T_EQ_INT(request(&p, RES_PODS), 0);
    }
    done(&w);
}

TEST(nonzero_amounts_by_container)
{
    struct world w = make();
    const int64_t mib200 = 200ll << 20;
    struct pod_spec p = pod_with(&w, "", "'containers':[{'name':'a'},{'name':'b','resources':{'requests':{'cpu':'1'}}}]");
    T_EQ_INT(p.nonzero_cpu, 1100);
    T_EQ_INT(p.nonzero_memory, 2 * mib200);
    T_EQ_INT(request(&p, RES_CPU), 1000);
    T_OK(!p.best_effort);
    /* a container that asks for 0 asks; an init container without requests counts, too */
    p = pod_with(&w, "", "'containers':[" C("0", "0") "],'initContainers':[{'name':'i'}]");
    T_EQ_INT(p.nonzero_cpu, 100);
    T_EQ_INT(p.nonzero_memory, mib200);
    T_OK(p.best_effort);
    /* with pod-level amounts nothing is made up for what they name */
    p = pod_with(&w, "", "'containers':[{'name':'a'},{'name':'b'}],'resources':{'requests':{'cpu':'1'}}");
    T_EQ_INT(p.nonzero_cpu, 1000);
    T_EQ_INT(p.nonzero_memory, 2 * mib200);
    done(&w);
}

TEST(qos_and_whole_cpus)
{
    struct world w = make();
#define CL(cpu, lim, mem) "{'name':'c','resources':{'requests':{'cpu':'" cpu "','memory':'" mem "'},'limits':{'cpu':'" lim "','memory':'" mem "'}}}"
    T_OK(pod_with(&w, "", "'containers':[" CL("2", "2", "1Gi") "]").guaranteed);
    T_OK(!pod_with(&w, "", "'containers':[" CL("1500m", "1500m", "1Gi") "]").guaranteed);
    T_OK(!pod_with(&w, "", "'containers':[" CL("1", "2", "1Gi") "]").guaranteed);
    T_OK(!pod_with(&w, "", "'containers':[" CL("2", "2", "1Gi") "," C("1", "1Gi") "]").guaranteed);
    T_OK(pod_with(&w, "", "'containers':[{'name':'a','resources':{'limits':{'cpu':'4','memory':'1Gi'}}}]").guaranteed);
    T_OK(!pod_with(&w, "", "'containers':[{'name':'a'}]").guaranteed);
    done(&w);
}

TEST(extended_resources_and_bandwidth)
{
    struct world w = make();
    uint16_t fpga;
    struct err err = ERR_NONE;
    struct pod_spec p = pod_with(&w, ",'annotations':{'kubernetes.io/egress-bandwidth':'5M'}",
                                 "'containers':[{'name':'c','resources':{'limits':{'example.com/fpga':'2','ephemeral-storage':'1Ki','kuscia.io/bandwidth':'3'}}}]");
    T_NO_ERR(sched_resource_id(w.s, S("example.com/fpga"), &fpga, &err), &err);
    T_EQ_INT(request(&p, fpga), 2);
    T_EQ_INT(request(&p, RES_STORAGE), 1024);
    T_EQ_INT(request(&p, RES_INGRESS), 3000000);
    T_EQ_INT(request(&p, RES_EGRESS), 3000000); /* the annotation is a limit for the network plugin: it asks for nothing */
    p = pod_with(&w, "", "'containers':[{'name':'c','resources':{'requests':{'cox.io/ingress-bandwidth':'1G'}}}]");
    T_EQ_INT(request(&p, RES_INGRESS), 1000000000);
    T_EQ_INT(request(&p, RES_EGRESS), 0);
    /* one amount under two names: the end that is named by itself wins, in any order */
    p = pod_with(&w, "", "'containers':[{'name':'c','resources':{'requests':{'kuscia.io/bandwidth':'7','cox.io/ingress-bandwidth':'1M'}}},"
                         "{'name':'d','resources':{'requests':{'cox.io/egress-bandwidth':'2M','kuscia.io/bandwidth':'5'}}}]");
    T_EQ_INT(request(&p, RES_INGRESS), 6000000);
    T_EQ_INT(request(&p, RES_EGRESS), 9000000);
    done(&w);
}

TEST(bandwidth_that_is_borrowed)
{
    struct world w = make();
    uint16_t egress, ingress;
    struct err err = ERR_NONE;
    T_NO_ERR(sched_resource_id(w.s, S("cox.io/lent-egress-bandwidth"), &egress, &err), &err);
    T_NO_ERR(sched_resource_id(w.s, S("cox.io/lent-ingress-bandwidth"), &ingress, &err), &err);
    /* a part promised, a part lent */
    struct pod_spec p = pod_with(&w, "", "'containers':[{'name':'c','resources':{'limits':{'kuscia.io/bandwidth':'3','cox.io/lent-egress-bandwidth':'20M'}}}]");
    T_EQ_INT(request(&p, RES_EGRESS), 3000000);
    T_EQ_INT(request(&p, RES_INGRESS), 3000000);
    T_EQ_INT(request(&p, egress), 20000000);
    T_EQ_INT(request(&p, ingress), 0);
    /* all of it lent */
    p = pod_with(&w, ",'annotations':{'cox.io/bandwidth-lend':'accept'}", "'containers':[{'name':'c','resources':{'limits':{'kuscia.io/bandwidth':'3','cox.io/lent-egress-bandwidth':'20M','cpu':'1'}}}]");
    T_EQ_INT(request(&p, RES_EGRESS), 0);
    T_EQ_INT(request(&p, RES_INGRESS), 0);
    T_EQ_INT(request(&p, egress), 23000000);
    T_EQ_INT(request(&p, ingress), 3000000);
    T_EQ_INT(request(&p, RES_CPU), 1000);
    p = pod_with(&w, ",'annotations':{'cox.io/bandwidth-lend':'accept'}", "'containers':[{'name':'c'}]");
    T_EQ_INT(request(&p, egress), 0);
    done(&w);
}

TEST(gpus_whole_and_in_parts)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, ",'annotations':{'cox.io/gpu-ids':'1, 3'}", "'nodeName':'n','containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'2'}}}]");
    T_EQ_INT(p.gpu.kind, GPU_WHOLE);
    T_EQ_INT(p.gpu.count, 2);
    T_EQ_INT(request(&p, RES_GPU), 2);
    T_EQ_INT(p.gpu_ids[0], 1);
    T_EQ_INT(p.gpu_ids[1], 3);
    static const char *const odd[] = {"1", "1,3,5", "1,1", "1,16", "1,-2", "1,x", "", ",", "1,2,", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
        p = pod_with(&w, arena_fmt(&w.a, ",'annotations':{'cox.io/gpu-ids':'%s'}", odd[i]).p, "'nodeName':'n','containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'2'}}}]");
        T_OK(!p.gpu_ids && p.gpu.count == 2);
    }
    p = pod_with(&w, ",'annotations':{'cox.io/gpu-ids':'1,3'}", "'containers':[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'2'}}}]");
    T_OK(!p.gpu_ids);
    p = pod_with(&w, ",'annotations':{'gpu-fraction':'0.25','gpu-fraction-num-devices':'2'}", "'containers':[{'name':'c'}]");
    T_EQ_INT(p.gpu.kind, GPU_FRACTION);
    T_EQ_INT(p.gpu.milli, 250);
    T_EQ_INT(p.gpu.count, 2);
    T_EQ_INT(request(&p, RES_GPU), 0);
    p = pod_with(&w, ",'annotations':{'gpu-fraction':'0.25','scheduling.cox/gpu-models':'A100, H100'}", "'containers':[{'name':'c'}]");
    T_EQ_INT(p.gpu.nmodels, 2);
    T_EQ_STR(p.gpu.models[0], "A100");
    T_EQ_STR(p.gpu.models[1], "H100");
    p = pod_with(&w, ",'annotations':{'scheduling.cox/gpu-models':'A100'}", "'containers':[{'name':'c'}]");
    T_EQ_INT(p.gpu.nmodels, 0);
    p = pod_with(&w, ",'annotations':{'gpu-memory':'2000'}", "'containers':[{'name':'c'}]");
    T_EQ_INT(p.gpu.kind, GPU_MEMORY);
    T_EQ_INT(p.gpu.memory_mib, 2000);
    T_EQ_INT(p.gpu.count, 1);
    done(&w);
}

TEST(groups_of_workloads)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, "", "'workloadRef':{'name':'w','podGroup':'workers','podGroupReplicaKey':'0'},'containers':[{'name':'c'}]");
    T_EQ_STR(p.group, "w/workers/0");
    p = pod_with(&w, ",'annotations':{'pod-group-name':'other'}", "'workloadRef':{'name':'w','podGroup':'workers'},'containers':[{'name':'c'}]");
    T_EQ_STR(p.group, "w/workers");
    p = pod_with(&w, "", "'workloadRef':{'name':'w'},'containers':[{'name':'c'}]");
    T_EQ_STR(p.group, "");
    done(&w);
}

TEST(identity_phase_and_group)
{
    struct world w = make();
    struct json v = parse(&w, "{'metadata':{'name':'p','namespace':'ns','uid':'u','creationTimestamp':'1970-01-01T00:00:02Z','deletionTimestamp':'1970-01-01T00:00:09Z',"
                              "'labels':{'kai.scheduler/subgroup-name':'workers'},'annotations':{'pod-group-name':'g','godel.bytedance.com/can-be-preempted':'false'},"
                              "'ownerReferences':[{'kind':'DaemonSet','controller':true}]},"
                              "'spec':{'nodeName':'n','priority':-5,'preemptionPolicy':'Never','schedulingGates':[{'name':'a'},{'name':'b'}]},'status':{'startTime':'1970-01-01T00:00:03Z'}}");
    struct pod_spec p;
    bool gone;
    struct err err = ERR_NONE;
    T_NO_ERR(object_pod(w.s, &w.a, &v, &p, &gone, &err), &err);
    T_OK(!gone && p.phase == POD_TERMINATING && p.preempt_never && p.daemon && p.can_be_victim_never && !p.default_spread_owned);
    T_EQ_INT(p.created_ns, 2 * NSEC_PER_SEC);
    T_EQ_INT(p.started_ns, 3 * NSEC_PER_SEC);
    T_EQ_INT(p.priority, -5);
    T_EQ_INT(p.gates, 2);
    T_EQ_STR(p.group, "g");
    T_EQ_STR(p.subgroup, "workers");
    T_EQ_STR(p.uid, "u");
    v = parse(&w, "{'metadata':{'name':'p','namespace':'ns'},'spec':{'nodeName':'n'},'status':{'phase':'Succeeded'}}");
    T_NO_ERR(object_pod(w.s, &w.a, &v, &p, &gone, &err), &err);
    T_OK(gone);
    v = parse(&w, "{'metadata':{'name':'p'},'spec':{'priorityClassName':'system-node-critical'}}");
    T_NO_ERR(object_pod(w.s, &w.a, &v, &p, &gone, &err), &err);
    T_EQ_INT(p.priority, 2000001000);
    v = parse(&w, "{'metadata':{'name':'p','deletionTimestamp':'1970-01-01T00:00:09Z'},'spec':{}}");
    T_NO_ERR(object_pod(w.s, &w.a, &v, &p, &gone, &err), &err);
    T_OK(gone);
    T_EQ_STR(p.ns, "default");
    T_EQ_STR(pod_with(&w, ",'labels':{'scheduling.x-k8s.io/pod-group':'x'}", "").group, "x");
    T_EQ_STR(pod_with(&w, ",'labels':{'godel.bytedance.com/pod-group-name':'y'}", "").group, "y");
    T_EQ_STR(pod_with(&w, ",'labels':{'scheduling.x-k8s.io/pod-group':'x'}", "'schedulingGroup':{'podGroupName':'z'}").group, "z");
    done(&w);
}

TEST(default_spread_of_replicas)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w,
                                 ",'labels':{'app':'a','pod-template-hash':'h','apps.kubernetes.io/pod-index':'3','statefulset.kubernetes.io/pod-name':'p','controller-revision-hash':'r'},"
                                 "'ownerReferences':[{'kind':'ReplicaSet','controller':true}]",
                                 "");
    T_OK(p.default_spread_owned);
    T_EQ_INT(p.default_spread_selector.n, 2);
    T_EQ_STR(p.default_spread_selector.p[0].key, "app");
    T_EQ_STR(p.default_spread_selector.p[1].key, "pod-template-hash");
    T_EQ_STR(p.default_spread_selector.p[1].values[0], "h");
    T_OK(!pod_with(&w, ",'labels':{'app':'a'},'ownerReferences':[{'kind':'Job','controller':true}]", "").default_spread_owned);
    T_OK(!pod_with(&w, ",'labels':{'app':'a'},'ownerReferences':[{'kind':'ReplicaSet'}]", "").default_spread_owned);
    done(&w);
}

TEST(node_affinity)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, "",
                                 "'nodeSelector':{'disk':'ssd'},'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':["
                                 "{'matchExpressions':[{'key':'a','operator':'NotIn','values':['x','y']},{'key':'n','operator':'Gt','values':['5']}]},"
                                 "{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}]},"
                                 "'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':7,'preference':{'matchExpressions':[{'key':'b','operator':'Exists'}]}},{'weight':3,'preference':{}}]}}");
    T_EQ_INT(p.node_selector.n, 1);
    T_OK(p.has_required);
    T_EQ_INT(p.nrequired_terms, 2);
    T_EQ_INT(p.required_terms[0].labels.n, 2);
    T_EQ_INT(p.required_terms[0].labels.p[0].op, OP_NOT_IN);
    T_EQ_INT(p.required_terms[0].labels.p[0].nvalues, 2);
    T_EQ_INT(p.required_terms[0].labels.p[1].op, OP_GT);
    T_EQ_STR(p.required_terms[1].fields[0].values[0], "n1");
    T_EQ_INT(p.npreferred_terms, 1);
    T_EQ_INT(p.preferred_terms[0].weight, 7);
    p = pod_with(&w, "", "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[]}}}");
    T_OK(p.has_required && p.nrequired_terms == 0);
    done(&w);
}

TEST(label_keys_are_merged)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, ",'labels':{'app':'web','rev':'7','team':'t'}",
                                 "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'zone','labelSelector':{'matchLabels':{'app':'web'}},"
                                 "'matchLabelKeys':['rev','missing'],'mismatchLabelKeys':['team'],'namespaces':['x'],'namespaceSelector':{}}]},"
                                 "'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':9,'podAffinityTerm':{'topologyKey':'host'}}]}},"
                                 "'topologySpreadConstraints':[{'maxSkew':2,'topologyKey':'zone','whenUnsatisfiable':'ScheduleAnyway','labelSelector':{},'matchLabelKeys':['rev'],"
                                 "'minDomains':3,'nodeAffinityPolicy':'Ignore','nodeTaintsPolicy':'Honor'},{'maxSkew':1,'topologyKey':'h','whenUnsatisfiable':'DoNotSchedule'}]");
    const struct spec_pod_term *t = p.affinity;
    T_EQ_INT(p.naffinity, 1);
    T_EQ_INT(t->selector.n, 3);
    T_EQ_STR(t->selector.p[1].key, "rev");
    T_EQ_INT(t->selector.p[1].op, OP_IN);
    T_EQ_STR(t->selector.p[1].values[0], "7");
    T_EQ_STR(t->selector.p[2].key, "team");
    T_EQ_INT(t->selector.p[2].op, OP_NOT_IN);
    T_OK(t->has_namespace_selector && !t->namespace_selector.none && t->namespace_selector.n == 0);
    T_EQ_INT(t->nnamespaces, 1);
    T_EQ_INT(p.npreferred_anti_affinity, 1);
    T_EQ_INT(p.preferred_anti_affinity[0].weight, 9);
    T_OK(p.preferred_anti_affinity[0].selector.none && !p.preferred_anti_affinity[0].has_namespace_selector);
    T_EQ_INT(p.nspread, 2);
    T_OK(!p.spread[0].hard && p.spread[1].hard);
    T_EQ_INT(p.spread[0].selector.n, 1);
    T_OK(p.spread[1].selector.none);
    T_EQ_INT(p.spread[0].min_domains, 3);
    T_EQ_INT(p.spread[0].affinity_policy, SPREAD_IGNORE);
    T_EQ_INT(p.spread[0].taints_policy, SPREAD_HONOR);
    T_EQ_INT(p.spread[1].affinity_policy, SPREAD_HONOR);
    T_EQ_INT(p.spread[1].taints_policy, SPREAD_IGNORE);
    done(&w);
}

TEST(tolerations_ports_images)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, "",
                                 "'tolerations':[{'operator':'Exists'},{'key':'a','value':'b','effect':'NoExecute'}],"
                                 "'containers':[{'image':'nginx','ports':[{'containerPort':80},{'containerPort':81,'hostPort':8081,'hostIP':'10.0.0.1','protocol':'UDP'}]},{'image':'reg:5000/a/b'},"
                                 "{'image':'x@sha256:00'}],'initContainers':[{'image':'i:1','ports':[{'containerPort':1,'hostPort':1}]},{'image':'s','restartPolicy':'Always',"
                                 "'ports':[{'containerPort':2,'hostPort':2}]}],'volumes':[{'name':'v','image':{'reference':'data'}}]");
    T_EQ_INT(p.ntolerations, 2);
    T_EQ_INT(p.tolerations[0].op, TOLERATE_EXISTS);
    T_EQ_INT(p.tolerations[0].effect, -1);
    T_EQ_INT(p.tolerations[1].effect, TAINT_NO_EXECUTE);
    T_EQ_INT(p.tolerations[1].op, TOLERATE_EQUAL);
    T_EQ_INT(p.nports, 2);
    T_EQ_INT(p.ports[0].port, 8081);
    T_EQ_INT(p.ports[0].protocol, 'U');
    T_EQ_STR(p.ports[0].ip, "10.0.0.1");
    T_EQ_INT(p.ports[1].port, 2);
    T_EQ_INT(p.ports[1].protocol, 'T');
    static const char *const images[] = {"nginx:latest", "reg:5000/a/b:latest", "x@sha256:00", "i:1", "s:latest", "data:latest"};
    T_EQ_INT(p.nimages, ARRAY_LEN(images));
    for (size_t i = 0; i < p.nimages; i++)
        T_EQ_STR(p.images[i], images[i]);
    p = pod_with(&w, "", "'hostNetwork':true,'containers':[{'ports':[{'containerPort':80}]}]");
    T_EQ_INT(p.nports, 1);
    T_EQ_INT(p.ports[0].port, 80);
    done(&w);
}

TEST(volumes_of_a_pod)
{
    struct world w = make();
    struct pod_spec p = pod_with(&w, "",
                                 "'volumes':[{'name':'a','persistentVolumeClaim':{'claimName':'c'}},{'name':'tmp','ephemeral':{'volumeClaimTemplate':{}}},{'name':'x','emptyDir':{}},"
                                 "{'name':'g','gcePersistentDisk':{'pdName':'d','readOnly':true}},{'name':'r','rbd':{'monitors':['m1','m2'],'image':'i'}},{'name':'q','csi':{'driver':'d'}},"
                                 "{'name':'z','azureDisk':{'diskName':'n','diskURI':'u'}},{'name':'i','iscsi':{'iqn':'iqn.1'}},{'name':'e','awsElasticBlockStore':{'volumeID':'v'}}]");
    T_EQ_INT(p.nvolumes, 8);
    T_EQ_STR(p.volumes[0].claim, "c");
    T_EQ_STR(p.volumes[1].claim, "p-tmp");
    T_EQ_STR(p.volumes[2].disk, "gce-pd/d");
    T_EQ_STR(p.volumes[2].driver, "pd.csi.storage.gke.io");
    T_OK(p.volumes[2].read_only);
    T_EQ_STR(p.volumes[3].disk, "rbd/m1/rbd/i");
    T_EQ_STR(p.volumes[4].disk, "rbd/m2/rbd/i");
    T_EQ_STR(p.volumes[5].disk, "attach/u");
    T_EQ_STR(p.volumes[5].driver, "disk.csi.azure.com");
    T_EQ_STR(p.volumes[6].disk, "iscsi/iqn.1");
    T_EQ_STR(p.volumes[7].disk, "aws-ebs/v");
    done(&w);
}

TEST(nodes)
{
    struct world w = make();
    struct json v = parse(&w, "{'metadata':{'name':'n','labels':{'nvidia.com/gpu.product':'T4','nvidia.com/gpu.memory':'15360','nvidia.com/gpu.count':'4'},"
                              "'annotations':{'cox.io/bandwidth-overcommit':'1.5'}},'spec':{'unschedulable':true,'taints':[{'key':'k','effect':'PreferNoSchedule'}]},"
                              "'status':{'capacity':{'cpu':'99'},'allocatable':{'cpu':'3920m','memory':'1Ki','pods':'110','nvidia.com/gpu':'2','kuscia.io/bandwidth':'100'},"
                              "'images':[{'names':['a@sha256:1','a:1'],'sizeBytes':77}]}}");
    struct node_spec n;
    struct err err = ERR_NONE;
    T_NO_ERR(object_node(w.s, &w.a, &v, &n, &err), &err);
    T_OK(n.unschedulable);
    T_EQ_INT(n.ntaints, 1);
    T_EQ_INT(n.taints[0].effect, TAINT_PREFER_NO_SCHEDULE);
    T_EQ_INT(n.ngpus, 2);
    T_EQ_STR(n.gpu_model, "T4");
    T_EQ_INT(n.gpu_memory_mib, 15360);
    T_EQ_INT(n.nimages, 2);
    T_EQ_STR(n.images[1].name, "a:1");
    T_EQ_INT(n.images[1].bytes, 77);
    T_EQ_INT((int)(n.bandwidth_overcommit * 10), 15);
    T_NO_ERR(sched_node_put(w.s, &n, NULL, &err), &err);
    node_id id = sched_node_find(w.s, S("n"));
    T_EQ_INT(w.s->alloc[RES_CPU][id], 3920);
    T_EQ_INT(w.s->alloc[RES_PODS][id], 110);
    T_EQ_INT(w.s->alloc[RES_GPU][id], 2);
    T_EQ_INT(w.s->alloc[RES_INGRESS][id], 150000000);
    T_EQ_INT(w.s->alloc[RES_EGRESS][id], 150000000);
    /* an annotation says what it has: less counts at once, more when the node says so itself, what it keeps for the system goes off */
    static const struct {
        const char *note, *status;
        int64_t out, in;
    } notes[] = {
        {"50Mbps", "'allocatable':{'kuscia.io/bandwidth':'100'}", 50000000, 50000000},
        {"egress=50M", "'capacity':{'kuscia.io/bandwidth':'110'},'allocatable':{'kuscia.io/bandwidth':'100'}", 40000000, 100000000},
        {"1G", "'capacity':{'kuscia.io/bandwidth':'110'},'allocatable':{'kuscia.io/bandwidth':'100'}", 100000000, 100000000},
        {"5M", "'capacity':{'kuscia.io/bandwidth':'110'},'allocatable':{'kuscia.io/bandwidth':'100'}", 0, 0},
        {"1G", "'allocatable':{'cpu':'1'}", 1000000000, 1000000000},
    };
    for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
        v = parse(&w, arena_fmt(&w.a, "{'metadata':{'name':'n','annotations':{'cox.io/bandwidth-capacity':'%s'}},'status':{%s}}", notes[i].note, notes[i].status).p);
        T_NO_ERR(object_node(w.s, &w.a, &v, &n, &err), &err);
        T_NO_ERR(sched_node_put(w.s, &n, NULL, &err), &err);
        T_EQ_INT(w.s->alloc[RES_EGRESS][id], notes[i].out);
        T_EQ_INT(w.s->alloc[RES_INGRESS][id], notes[i].in);
    }
    v = parse(&w, "{'metadata':{'name':'n','annotations':{'cox.io/bandwidth-capacity':'10MBps'}},'status':{}}");
    T_ERR(object_node(w.s, &w.a, &v, &n, &err), E_INVALID_ARG);
    /* bytes instead of MiB; more slices than devices */
    static const struct {
        const char *labels, *model;
        uint32_t gpus;
        bool cut;
    } rows[] = {
        {"'nvidia.com/gpu.count':'4','nvidia.com/mig.strategy':'single','node-role.kubernetes.io/mig-enabled':'true'", "", 4, true},
        {"'nvidia.com/gpu.count':'4','nvidia.com/mig.strategy':'single','node-role.kubernetes.io/mig-enabled':'false'", "", 4, false},
        {"'nvidia.com/gpu.count':'4','amd.com/gpu.product-name':'MI300X'", "MI300X", 4, false},
        {"'nvidia.com/gpu.count':'4','nvidia.com/mig.strategy':'single','nvidia.com/gpu.product':'A100-MIG-1g.5gb'", "A100-MIG-1g.5gb", 4, false},
        {"'nvidia.com/gpu.count':'4','nvidia.com/mig.strategy':'mixed','nvidia.com/gpu.product':'A100'", "", 0, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        v = parse(&w, arena_fmt(&w.a, "{'metadata':{'name':'m','labels':{%s}},'status':{'allocatable':{'cpu':'1'}}}", rows[i].labels).p);
        T_NO_ERR(object_node(w.s, &w.a, &v, &n, &err), &err);
        T_EQ_INT(n.ngpus, rows[i].gpus);
        T_EQ_STR(n.gpu_model, rows[i].model);
        T_EQ_INT(n.gpus_are_cut, rows[i].cut);
    }
    v = parse(&w, "{'metadata':{'name':'m','labels':{'nvidia.com/gpu.memory':'16106127360'}},'status':{'allocatable':{'nvidia.com/gpu':'40'}}}");
    T_NO_ERR(object_node(w.s, &w.a, &v, &n, &err), &err);
    T_EQ_INT(n.gpu_memory_mib, 15360);
    T_EQ_INT(n.ngpus, GPU_MAX);
    done(&w);
}

TEST(storage_objects)
{
    struct world w = make();
    struct err err = ERR_NONE;
    struct json v = parse(&w, "{'metadata':{'name':'pv','labels':{'topology.kubernetes.io/zone':'a__b'}},'spec':{'storageClassName':'fast','capacity':{'storage':'10Gi'},"
                              "'accessModes':['ReadWriteOnce','ReadWriteOncePod'],'volumeMode':'Block','claimRef':{'namespace':'ns','name':'c'},'csi':{'driver':'d','volumeHandle':'h'},"
                              "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'z','operator':'In','values':['a']}]}]}}},'status':{'phase':'Bound'}}");
    struct pv_spec pv;
    T_NO_ERR(object_pv(&w.a, &v, &pv, &err), &err);
    T_EQ_INT(pv.bytes, 10ll << 30);
    T_EQ_INT(pv.access_modes, 9);
    T_OK(pv.block && pv.has_node_affinity && pv.unavailable && !pv.deleting);
    T_EQ_INT(pv.nnode_affinity, 1);
    T_EQ_STR(pv.claim_name, "c");
    T_EQ_STR(pv.driver, "d");
    T_EQ_STR(pv.handle, "h");
    v = parse(&w, "{'metadata':{'name':'c','namespace':'ns','annotations':{'volume.beta.kubernetes.io/storage-class':'old','volume.kubernetes.io/selected-node':'n1'}},"
                  "'spec':{'storageClassName':'new','volumeName':'pv','accessModes':['ReadWriteMany'],'resources':{'requests':{'storage':'1Gi'}},'selector':{'matchLabels':{'a':'b'}}}}");
    struct pvc_spec pvc;
    T_NO_ERR(object_pvc(&w.a, &v, &pvc, &err), &err);
    T_EQ_STR(pvc.storage_class, "old");
    T_EQ_STR(pvc.volume, "pv");
    T_EQ_STR(pvc.selected_node, "n1");
    T_OK(pvc.prebound && !pvc.lost && pvc.has_selector && !pvc.block);
    T_EQ_INT(pvc.bytes, 1ll << 30);
    T_EQ_INT(pvc.access_modes, 4);
    v = parse(&w, "{'metadata':{'name':'c','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{'volumeName':'pv'},'status':{'phase':'Lost'}}");
    T_NO_ERR(object_pvc(&w.a, &v, &pvc, &err), &err);
    T_OK(!pvc.prebound && pvc.lost && !pvc.has_selector);
    v = parse(&w, "{'metadata':{'name':'sc'},'provisioner':'kubernetes.io/aws-ebs','volumeBindingMode':'WaitForFirstConsumer','allowedTopologies':[{'matchLabelExpressions':[{'key':'z','values':['a','b']}]}]}");
    struct storage_class_spec sc;
    T_NO_ERR(object_storage_class(&w.a, &v, &sc, &err), &err);
    T_EQ_STR(sc.driver, "ebs.csi.aws.com");
    T_OK(sc.wait_for_first_consumer);
    T_EQ_INT(sc.nallowed_topologies, 1);
    T_EQ_INT(sc.allowed_topologies[0].labels.p[0].nvalues, 2);
    v = parse(&w, "{'metadata':{'name':'b'},'spec':{'selector':{'matchLabels':{'a':'b'}}},'status':{'disruptionsAllowed':2,'disruptedPods':{'x':'2026-01-01T00:00:00Z'}}}");
    struct pdb_spec pdb;
    T_NO_ERR(object_pdb(&w.a, &v, &pdb, &err), &err);
    T_EQ_INT(pdb.disruptions_allowed, 2);
    T_EQ_INT(pdb.ndisrupted, 1);
    T_EQ_STR(pdb.disrupted[0], "x");
    done(&w);
}

TEST(order_and_losses_of_a_pod)
{
    static const struct {
        const char *meta;
        int32_t rank, cost;
        nsec_t saved, delay;
    } cases[] = {
        {"'labels':{}", 0, 0, 0, 0},
        {"'labels':{'kai.scheduler/task-priority':'5'}", (1 << 28) + 6, 0, 0, 0},
        {"'labels':{'kai.scheduler/task-priority':'-99999999999'}", 1, 0, 0, 0},
        {"'labels':{'kai.scheduler/task-priority':'high'}", 0, 0, 0, 0},
        {"'labels':{'training.kubeflow.org/job-role':'master'}", 1 << 30, 0, 0, 0},
        {"'labels':{'training.kubeflow.org/job-role':'worker','ray.io/node-type':'head'}", 1 << 30, 0, 0, 0},
        {"'annotations':{'scheduling.cox/restart-cost':'600','scheduling.cox/last-checkpoint':'1970-01-01T00:01:00Z'}", 0, 600, 60 * NSEC_PER_SEC, 0},
        {"'annotations':{'scheduling.cox/restart-cost':'-1','scheduling.cox/last-checkpoint':'yesterday'}", 0, 0, 0, 0},
        {"'annotations':{'kai.scheduler/preemption-delay':'5m'}", 0, 0, 0, 300 * NSEC_PER_SEC},
        {"'annotations':{'kai.scheduler/preemption-delay-seconds':'30'}", 0, 0, 0, 30 * NSEC_PER_SEC},
        {"'annotations':{'kai.scheduler/preemption-delay':'soon'}", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w = make();
        struct err err = ERR_NONE;
        struct pod_spec p;
        bool gone;
        char text[400];
        snprintf(text, sizeof text, "{'metadata':{'name':'p','namespace':'ns',%s},'spec':{'containers':[{'name':'c'}]}}", cases[i].meta);
        struct json v = parse(&w, text);
        T_NO_ERR(object_pod(w.s, &w.a, &v, &p, &gone, &err), &err);
        T_EQ_INT(p.rank, cases[i].rank);
        T_EQ_INT(p.loss.restart_cost_s, cases[i].cost);
        T_EQ_INT(p.loss.checkpoint_ns, cases[i].saved);
        T_EQ_INT(p.loss.delay_ns, cases[i].delay);
        done(&w);
    }
}

TEST(groups_of_four_apis)
{
    struct world w = make();
    struct err err = ERR_NONE;
    struct group_spec g;
    struct json v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'ns'},'spec':{'minMember':4,'topologyConstraint':{'topology':'t',"
                              "'requiredTopologyLevel':'rack','preferredTopologyLevel':'host'},'subGroups':[{'name':'lead','minMember':1},{'name':'work','parent':'lead','minMember':3,"
                              "'topologyConstraint':{'requiredTopologyLevel':'host'}}]}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.min_member, 3); /* where there are sub-groups, those at the ends count */
    T_EQ_STR(g.required_keys[0], "rack");
    T_EQ_STR(g.preferred_keys[0], "host");
    T_EQ_INT(g.nsubgroups, 2);
    T_EQ_STR(g.subgroups[1].parent, "lead");
    T_EQ_INT(g.subgroups[1].min_member, 3);
    T_EQ_STR(g.subgroups[1].required_key, "host");
    v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g'},'spec':{'minSubGroup':1,'subGroups':[{'name':'a','minSubGroup':2},{'name':'b','parent':'a','minMember':0},{'name':'c','parent':'a'}]}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.min_member, 0);
    T_EQ_INT(g.min_subgroup, 1);
    T_OK(g.subgroups[0].min_subgroup == 2 && g.subgroups[0].min_member == 0 && g.subgroups[1].min_member == 0 && g.subgroups[2].min_member == 1);
    /* the longest that can be read, added to the time, is not long ago */
    v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g'},'spec':{'minMember':2,'stalenessGracePeriod':'2562047h','preemptionDelay':'2562047h'}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.stale_grace_ns, LIMIT_SCHED_DURATION_S * NSEC_PER_SEC);
    T_EQ_INT(g.delay_ns, LIMIT_SCHED_DURATION_S * NSEC_PER_SEC);
    v = parse(&w, "{'apiVersion':'scheduling.godel.kubewharf.io/v1alpha1','kind':'PodGroup','metadata':{'name':'g'},'spec':{'minMember':2,'scheduleTimeoutSeconds':60,'affinity':{'podGroupAffinity':{"
                  "'required':[{'topologyKey':'big'}],'preferred':[{'topologyKey':'mid'},{'topologyKey':'small'}],'sortRules':[{'resource':'Memory','dimension':'Available','order':'Descending'}],"
                  "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'level','operator':'In','values':['A']}]}]}}}}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.timeout_ns, 60 * NSEC_PER_SEC);
    T_EQ_INT(g.nrequired_keys, 1);
    T_EQ_INT(g.npreferred_keys, 2);
    T_EQ_INT(g.sort_rules[0].resource, RES_MEMORY);
    T_OK(g.sort_rules[0].by_available && g.sort_rules[0].descending);
    T_EQ_INT(g.node_selector.n, 1);
    T_EQ_STR(g.node_selector.p[0].value, "A");
    v = parse(&w, "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{'name':'g'},'spec':{'minMember':9}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.min_member, 9);
    v = parse(&w, "{'apiVersion':'scheduling.k8s.io/v1alpha2','kind':'PodGroup','metadata':{'name':'g'},'spec':{'schedulingPolicy':{'gang':{'minCount':5}},'schedulingConstraints':{'topology':[{'key':'rack'}]}}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_INT(g.min_member, 5);
    T_EQ_STR(g.required_keys[0], "rack");
    done(&w);
}

TEST(errors_have_paths)
{
    struct world w = make();
    static const struct {
        const char *object, *start;
    } cases[] = {
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'containers':[{},{'resources':{'requests':{'cpu':'1 core'}}}]}}", "Pod p: spec.containers[1].resources.requests.cpu: \"1 core\" is not a quantity"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'containers':[{'resources':{'requests':{'cpu':'-1'}}}]}}", "Pod p: spec.containers[0].resources.requests.cpu: \"-1\" is negative"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'containers':{}}}", "Pod p: spec.containers: must be an array"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'priority':1.5}}", "Pod p: spec.priority: must be a whole number"},
        {"{'kind':'Pod','metadata':{},'spec':{}}", "Pod : metadata.name: is missing"},
        {"{'kind':'Pod','metadata':{'name':'p','creationTimestamp':'yesterday'}}", "Pod p: metadata.creationTimestamp: \"yesterday\" is not a time"},
        {"{'kind':'Pod','metadata':{'name':'p','labels':{'a':1}}}", "Pod p: metadata.labels.a: must be a string"},
        {"{'kind':'Pod','metadata':{'name':'p','annotations':{'gpu-fraction':'1.5'}}}", "Pod p: metadata.annotations.gpu-fraction: \"1.5\" is not a fraction"},
        {"{'kind':'Pod','metadata':{'name':'p','annotations':{'cox.io/bandwidth-lend':'yes'}}}", "Pod p: metadata.annotations.cox.io/bandwidth-lend: \"yes\" means nothing, only accept does"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'tolerations':[{'key':'a','operator':'Sometimes'}]}}", "Pod p: spec.tolerations[0].operator: \"Sometimes\" is none of Equal, Exists"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{}]}}}}",
         "Pod p: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: is missing"},
        {"{'kind':'Pod','metadata':{'name':'p'},'spec':{'topologySpreadConstraints':[{'topologyKey':'z','labelSelector':{'matchExpressions':[{'key':'a','operator':'Gt'}]}}]}}",
         "Pod p: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator: labels are compared"},
        {"{'kind':'Node','metadata':{'name':'n'},'spec':{'taints':[{'key':'a'}]}}", "Node n: spec.taints[0].effect: is missing"},
        {"{'kind':'Pod','metadata':{'name':'p','annotations':{'gpu-memory':'1','scheduling.cox/gpu-models':','}}}", "Pod p: metadata.annotations.scheduling.cox/gpu-models: must be 1 to 16 models"},
        {"{'kind':'Node','metadata':{'name':'n','labels':{'nvidia.com/gpu.memory':'much'}}}", "Node n: metadata.labels.nvidia.com/gpu.memory: \"much\" is not a number"},
        {"{'kind':'PersistentVolume','metadata':{'name':'v'},'spec':{'accessModes':['RWO']}}", "PersistentVolume v: spec.accessModes[0]: \"RWO\" is not an access mode"},
        {"{'kind':'PodList','items':[{'metadata':{'name':'a'}},{'metadata':{'name':'b'},'spec':[]}]}", "items[1]: Pod b: spec: must be an object"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = parse(&w, cases[i].object);
        struct err err = ERR_NONE;
        T_ERR(object_put(w.s, &v, NULL, &err), E_INVALID_ARG);
        if (!str_has_prefix(str_of(err.msg), str_of(cases[i].start)))
            T_FAIL_("\"%s\", expected \"%s...\"", err.msg, cases[i].start);
    }
    done(&w);
}

TEST(put_goes_by_kind)
{
    struct world w = make();
    struct err err = ERR_NONE;
    bool known = false;
    struct json v = parse(&w, "{'kind':'List','apiVersion':'v1','items':["
                              "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n'},'status':{'allocatable':{'cpu':'4','memory':'8Gi','pods':'10'}}},"
                              "{'apiVersion':'storage.k8s.io/v1','kind':'CSINode','metadata':{'name':'n'},'spec':{'drivers':[{'name':'d','allocatable':{'count':1}}]}},"
                              "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'ns'},'spec':{'nodeName':'n','containers':[" C("1", "1Gi") "]}},"
                              "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'x'}},{'apiVersion':'other.io/v1','kind':'Node','metadata':{}},"
                              "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'ns','labels':{'a':'b'}}},"
                              "{'apiVersion':'policy/v1','kind':'PodDisruptionBudget','metadata':{'name':'b','namespace':'ns'},'spec':{'selector':{'matchLabels':{'a':'b'}}}},"
                              "{'apiVersion':'elsewhere.io/v1','kind':'PodGroup','metadata':{'name':'g'}}]}");
    T_NO_ERR(object_put(w.s, &v, &known, &err), &err);
    T_OK(known);
    node_id n = sched_node_find(w.s, S("n"));
    T_EQ_INT(sched_node_count(w.s), 1);
    T_EQ_INT(view_free(&w.s->view, n, RES_CPU), 3000);
    v = parse(&w, "{'apiVersion':'v1','kind':'PodList','items':[{'metadata':{'name':'p','namespace':'ns'},'spec':{'nodeName':'n'},'status':{'phase':'Failed'}}]}");
    T_NO_ERR(object_put(w.s, &v, &known, &err), &err);
    T_EQ_INT(view_free(&w.s->view, n, RES_CPU), 4000);
    T_EQ_INT(sched_pod_find(w.s, S("ns"), S("p")), POD_NONE);
    v = parse(&w, "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'x'}}");
    T_NO_ERR(object_put(w.s, &v, &known, &err), &err);
    T_OK(!known);
    done(&w);
}

TEST(priority_classes_are_looked_up)
{
    struct world w = make();
    struct err err = ERR_NONE;
    bool known;
    struct json list = parse(&w, "{'kind':'List','items':["
                                       "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a','namespace':'x'},'spec':{'priorityClassName':'high'}},"
                                       "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'b','namespace':'x'},'spec':{}},"
                                       "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'c','namespace':'x'},'spec':{'priorityClassName':'high','priority':3}},"
                                       "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'high'},'value':1000,'preemptionPolicy':'Never'},"
                                       "{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'usual'},'value':5,'globalDefault':true}]}");
    T_NO_ERR(object_put(w.s, &list, &known, &err), &err);
    const struct pod_class *a = class_of(w.s, sched_pod_find(w.s, S("x"), S("a")));
    T_EQ_INT(a->priority, 1000);
    T_OK(a->preempt_never);
    T_EQ_INT(class_of(w.s, sched_pod_find(w.s, S("x"), S("b")))->priority, 5);
    T_EQ_INT(class_of(w.s, sched_pod_find(w.s, S("x"), S("c")))->priority, 3);
    sched_priority_class_delete(w.s, S("usual"));
    T_OK(!sched_priority_class_find(w.s, S("")));
    done(&w);
}

/* Two zones have a rack of the same name: in a declared tree these are two, without one they are the same. */
TEST(declared_topologies)
{
    struct world w = make();
    struct err err = ERR_NONE;
    bool known;
    struct json list = parse(&w, "{'kind':'List','items':["
                                 "{'apiVersion':'v1','kind':'Node','metadata':{'name':'a','labels':{'zone':'z1','rack':'r1'}},'status':{'allocatable':{'cpu':'1','pods':'9'}}},"
                                 "{'apiVersion':'v1','kind':'Node','metadata':{'name':'b','labels':{'zone':'z2','rack':'r1'}},'status':{'allocatable':{'cpu':'1','pods':'9'}}},"
                                 "{'apiVersion':'v1','kind':'Node','metadata':{'name':'c','labels':{'rack':'r1'}},'status':{'allocatable':{'cpu':'1','pods':'9'}}},"
                                 "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'x'},'spec':{'minMember':2,"
                                 "'topologyConstraint':{'topology':'dc','requiredTopologyLevel':'rack'}}},"
                                 "{'apiVersion':'kai.scheduler/v1alpha1','kind':'Topology','metadata':{'name':'dc'},'spec':{'levels':[{'nodeLabel':'zone'},{'nodeLabel':'rack','alias':'shelves'}]}}]}");
    T_NO_ERR(object_put(w.s, &list, &known, &err), &err);
    T_EQ_STR(sched_topology_key(w.s, &w.a, S("dc"), S("shelves")), "zone,rack");
    T_EQ_STR(sched_topology_key(w.s, &w.a, S("dc"), S("")), "");
    const struct unit *u = &w.s->units[sched_group_find(w.s, S("x"), S("g"))];
    T_EQ_INT(u->nrequired_keys, 1);
    T_EQ_STR(symbol_text(&w.s->sym, u->required_keys[0]), "zone,rack");
    uint32_t i = model_topology(w.s, u->required_keys[0]);
    const struct topo *t = &w.s->topos[i];
    node_id a = sched_node_find(w.s, S("a")), b = sched_node_find(w.s, S("b")), c = sched_node_find(w.s, S("c"));
    T_OK(t->domain[a] && t->domain[b] && t->domain[a] != t->domain[b]);
    T_EQ_INT(t->domain[c], 0);
    T_EQ_STR(symbol_text(&w.s->sym, t->value[t->domain[b]]), "z2/r1");
    T_NO_ERR(model_check(w.s, &err), &err);
    T_EQ_STR(sched_topology_key(w.s, &w.a, S("dc"), S("shelf")), "shelf");
    T_ERR(sched_topology_put(w.s, S("none"), NULL, NULL, 0, &err), E_INVALID_ARG);
    done(&w);
}

TEST(queue_and_preemptibility)
{
    struct world w = make();
    struct err err = ERR_NONE;
    struct pod_spec p = pod_with(&w, ",'labels':{'project':'old','kai.scheduler/queue':'team','kai.scheduler/preemptibility':'preemptible'}", "'containers':[{'name':'c'}]");
    T_EQ_STR(p.queue, "team");
    T_EQ_INT(p.preemptibility, PREEMPTIBLE_YES);
    p = pod_with(&w, ",'labels':{'project':'old'}", "'containers':[{'name':'c'}]"); /* anybody's label */
    T_EQ_STR(p.queue, "");
    p = pod_with(&w, "", "'schedulerName':'kai-scheduler','containers':[{'name':'c'}]");
    T_EQ_STR(p.queue, "default-queue");
    p = pod_with(&w, ",'labels':{'project':'old','kai.scheduler/preemptibility':'non-preemptible'}", "'schedulerName':'kai-scheduler','containers':[{'name':'c'}]");
    T_EQ_STR(p.queue, "default-queue");
    T_EQ_INT(p.preemptibility, PREEMPTIBLE_NO);
    p = pod_with(&w, "", "'containers':[{'name':'c'}]");
    T_EQ_STR(p.queue, "");
    T_EQ_INT(p.preemptibility, PREEMPTIBLE_UNSET);
    sched_priority_class_put(w.s, S("inference"), 125, false, false);
    struct json v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'ns'},'spec':{'minMember':4,'queue':'team','preemptibility':'non-preemptible',"
                              "'priorityClassName':'inference'}}");
    struct group_spec g;
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_EQ_STR(g.queue, "team");
    T_EQ_INT(g.preemptibility, PREEMPTIBLE_NO);
    T_OK(g.has_priority);
    T_EQ_INT(g.priority, 125);
    v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'ns'},'spec':{'preemptibility':'perhaps'}}");
    T_ERR(object_group(w.s, &w.a, &v, &g, &err), E_INVALID_ARG);
    done(&w);
}

/* The shorter of what a pod says; what cannot be read is not said. */
TEST(how_long_a_pod_runs)
{
    static const struct {
        const char *notes, *spec;
        int64_t runtime, protect; /* s */
    } cases[] = {
        {"", "", 0, 0},
        {"", "'activeDeadlineSeconds':90,", 90, 0},
        {"'scheduling.cox/expected-runtime':'1h30m'", "", 5400, 0},
        {"'scheduling.cox/expected-runtime':'1h'", "'activeDeadlineSeconds':90,", 90, 0},
        {"'scheduling.cox/expected-runtime':'60'", "'activeDeadlineSeconds':90,", 60, 0},
        {"'scheduling.cox/expected-runtime':'soon'", "", 0, 0},
        {"'scheduling.cox/expected-runtime':'-1h'", "", 0, 0},
        {"'scheduling.cox/expected-runtime':'99999999999999999'", "", 10ll * 366 * 24 * 3600, 0},
        {"'godel.bytedance.com/protection-duration-from-preemption':'300'", "", 0, 300},
    };
    struct world w = make();
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct pod_spec p = pod_with(&w, arena_fmt(&w.a, ",'annotations':{%s}", cases[i].notes).p, arena_fmt(&w.a, "%s'containers':[{'name':'c'}]", cases[i].spec).p);
        T_EQ_INT(p.runtime_ns / NSEC_PER_SEC, cases[i].runtime);
        T_EQ_INT(p.protect_ns / NSEC_PER_SEC, cases[i].protect);
    }
    struct err err = ERR_NONE;
    struct group_spec g;
    struct json v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'ns','annotations':{'scheduling.cox/expected-runtime':'5m'}},"
                              "'spec':{'schedulingBackoff':2}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_OK(g.runtime_ns == 300 * NSEC_PER_SEC && g.max_tries == 2);
    v = parse(&w, "{'apiVersion':'scheduling.run.ai/v2alpha2','kind':'PodGroup','metadata':{'name':'g','namespace':'ns'},'spec':{'schedulingBackoff':-1}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_OK(g.runtime_ns == 0 && g.max_tries == 0);
    done(&w);
}

/* A group's own queue goes before its members', and theirs fills in when it says none. */
TEST(queue_of_a_unit)
{
    struct world w = make();
    struct err err = ERR_NONE;
    unit_id u;
    struct pod_spec p = {.ns = S("ns"), .name = S("a"), .group = S("g"), .queue = S("mine"), .preemptibility = PREEMPTIBLE_NO};
    struct group_spec g = {.ns = S("ns"), .name = S("g"), .min_member = 1};
    T_NO_ERR(sched_pod_put(w.s, &p, NULL, &err), &err);
    T_NO_ERR(sched_group_put(w.s, &g, &u, &err), &err);
    T_EQ_STR(symbol_text(&w.s->sym, w.s->units[u].queue), "mine");
    T_EQ_INT(w.s->units[u].preemptibility, PREEMPTIBLE_NO);
    g.queue = S("ours");
    g.preemptibility = PREEMPTIBLE_YES;
    T_NO_ERR(sched_group_put(w.s, &g, &u, &err), &err);
    T_EQ_STR(symbol_text(&w.s->sym, w.s->units[u].queue), "ours");
    T_EQ_INT(w.s->units[u].preemptibility, PREEMPTIBLE_YES);
    p.name = S("b");
    T_NO_ERR(sched_pod_put(w.s, &p, NULL, &err), &err);
    T_EQ_STR(symbol_text(&w.s->sym, w.s->units[u].queue), "ours");
    p.group = S("");
    p.name = S("c");
    pod_id id;
    T_NO_ERR(sched_pod_put(w.s, &p, &id, &err), &err);
    T_EQ_STR(symbol_text(&w.s->sym, w.s->units[sched_unit_of(w.s, id)].queue), "mine");
    unit_id clone = sched_unit_of(w.s, sched_pod_clone(w.s, id, S("d"), 1));
    T_EQ_STR(symbol_text(&w.s->sym, w.s->units[clone].queue), "mine");
    T_EQ_INT(w.s->units[clone].preemptibility, PREEMPTIBLE_NO);
    p.queue = S("");
    T_NO_ERR(sched_pod_put(w.s, &p, &id, &err), &err);
    T_EQ_INT(w.s->units[sched_unit_of(w.s, id)].queue, 0);
    done(&w);
}

static void put(struct world *w, const char *text)
{
    struct err err = ERR_NONE;
    struct json v = parse(w, text);
    T_NO_ERR(object_put(w->s, &v, NULL, &err), &err);
}

/* A task of two institutions: one unit with a sub-group for each, whose pods are of their namespaces; placed together or not at all. */
TEST(the_group_of_a_task_is_of_no_namespace)
{
#define PARTY_POD(ns, role, cpu)                                                                                                                                                          \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'t-0','namespace':'" ns "','labels':{'kuscia.secretflow/pod-role':'" role "'},'annotations':{'kuscia.secretflow/task-resource-group':'t'}}," \
    "'spec':{'nodeSelector':{'kuscia.secretflow/namespace':'" ns "'},'containers':[{'name':'c','resources':{'requests':{'cpu':'" cpu "'}}}]}}"
#define DOMAIN_NODE(ns, cpu) "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" ns "-0','labels':{'kuscia.secretflow/namespace':'" ns "'}},'status':{'allocatable':{'cpu':'" cpu "','memory':'8Gi','pods':'10'}}}"
    struct world w = make();
    put(&w, DOMAIN_NODE("alice", "4"));
    put(&w, DOMAIN_NODE("bob", "1"));
    put(&w, PARTY_POD("alice", "", "2"));
    put(&w, PARTY_POD("bob", "guest", "2"));
    put(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'TaskResourceGroup','metadata':{'name':'t'},'spec':{'minReservedMembers':2,'parties':["
            "{'domainID':'alice','minReservedPods':1},{'domainID':'bob','role':'guest','minReservedPods':1}]}}");
    pod_id a = sched_pod_find(w.s, S("alice"), S("t-0")), b = sched_pod_find(w.s, S("bob"), S("t-0"));
    unit_id u = sched_unit_of(w.s, a);
    T_OK(a && b && sched_unit_of(w.s, b) == u && sched_group_find(w.s, S(""), S("t")) == u);
    T_EQ_INT(w.s->units[u].min_member, 2);
    T_EQ_INT(w.s->units[u].nsubgroups, 2);
    T_OK(w.s->pods[a].subgroup == 0 && w.s->pods[b].subgroup == 1);
    struct unit_decision d = {0};
    sched_place(w.s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED); /* bob has no room, so alice's is not taken */
    T_OK(w.s->pods[a].state == PS_PENDING && w.s->pods[b].state == PS_PENDING);
    put(&w, DOMAIN_NODE("bob", "2"));
    sched_place(w.s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    unit_decision_fini(&d);
    /* two of three */
    struct err err = ERR_NONE;
    struct group_spec g;
    struct json v = parse(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'TaskResourceGroup','metadata':{'name':'x'},'spec':{'minReservedMembers':2,'parties':[{'domainID':'a','minReservedPods':1},"
                              "{'domainID':'b','minReservedPods':1},{'domainID':'c','minReservedPods':1}]}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_OK(g.min_member == 0 && g.min_subgroup == 2 && g.subgroups[0].min_member == 1 && g.ns.len == 0);
    v = parse(&w, "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'TaskResourceGroup','metadata':{'name':'x'},'spec':{'minReservedMembers':1,'parties':[{'domainID':'a','minReservedPods':2},"
                  "{'domainID':'b','minReservedPods':1}]}}");
    T_NO_ERR(object_group(w.s, &w.a, &v, &g, &err), &err);
    T_OK(g.min_member == 0 && g.min_subgroup == 1 && g.subgroups[0].min_member == 2);
    done(&w);
}

TEST(numa_zones_and_wishes)
{
    struct world w = make();
    struct err err = ERR_NONE;
    struct node_spec n;
    static const struct {
        const char *zones, *words;
    } bad[] = {{"3", "list of 1 to 8"}, {"[]", "list of 1 to 8"}, {"[{\\'cpu\\':\\'x\\'}]", "cpu"}, {"[{\\'gpus\\':[99]}]", "numbers of devices"}, {"[", "list of 1 to 8"}};
    struct json v = parse(&w, "{'kind':'Node','metadata':{'name':'n','annotations':{'scheduling.cox/numa-policy':'single-numa-node',"
                              "'scheduling.cox/numa-zones':'[{\\'cpu\\':\\'4\\',\\'memory\\':\\'1Gi\\',\\'gpus\\':[0,2]},{\\'cpu\\':\\'3500m\\'}]'}}}");
    T_NO_ERR(object_node(w.s, &w.a, &v, &n, &err), &err);
    T_OK(n.nnuma == 2 && n.numa_single && n.numa[0].cpu_milli == 4000 && n.numa[0].memory_bytes == 1 << 30 && n.numa[0].gpus == 5 && n.numa[1].cpu_milli == 3500 && n.numa[1].gpus == 0);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        err = ERR_NONE;
        strbuf_addf(&b, "{'kind':'Node','metadata':{'name':'n','annotations':{'scheduling.cox/numa-zones':'%s'}}}%c", bad[i].zones, 0);
        v = parse(&w, b.p);
        T_OK(object_node(w.s, &w.a, &v, &n, &err) < 0);
        if (str_find(str_of(err.msg), str_of(bad[i].words)) < 0)
            T_FAIL_("%s: %s", bad[i].zones, err.msg);
    }
    T_EQ_INT(pod_with(&w, ",'annotations':{'scheduling.cox/numa':'require'}", "'containers':[{'name':'a'}]").numa, NUMA_REQUIRE_ONE);
    T_EQ_INT(pod_with(&w, ",'annotations':{'scheduling.cox/numa':'prefer'}", "'containers':[{'name':'a'}]").numa, NUMA_PREFER_ONE);
    T_EQ_INT(pod_with(&w, ",'annotations':{'katalyst.kubewharf.io/memory_enhancement':'{\\'numa_binding\\':\\'true\\',\\'numa_exclusive\\':\\'true\\'}'}", "'containers':[{'name':'a'}]").numa, NUMA_EXCLUSIVE);
    T_EQ_INT(pod_with(&w, ",'annotations':{'katalyst.kubewharf.io/memory_enhancement':'nonsense'}", "'containers':[{'name':'a'}]").numa, NUMA_NONE);
    done(&w);
}

TEST_MAIN(numa_zones_and_wishes, bandwidth_that_is_borrowed, the_group_of_a_task_is_of_no_namespace, how_long_a_pod_runs, queue_and_preemptibility, queue_of_a_unit, declared_topologies, priority_classes_are_looked_up, requests_are_the_largest_step, nonzero_amounts_by_container, qos_and_whole_cpus, extended_resources_and_bandwidth, gpus_whole_and_in_parts, groups_of_workloads, identity_phase_and_group,
          default_spread_of_replicas, node_affinity, label_keys_are_merged, tolerations_ports_images, volumes_of_a_pod, nodes, storage_objects, order_and_losses_of_a_pod, groups_of_four_apis, errors_have_paths,
          put_goes_by_kind)
