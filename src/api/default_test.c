/* Golden objects: small manifests and what Kubernetes 1.33 makes of them before admission. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_testing.h"

struct golden {
    const char *name, *given, *want;
};
static const struct golden goldens[] = {
    {"a pod gets what its template would not",
     "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'a'},'spec':{'serviceAccount':'sa','containers':[{'name':'c',"
     "'image':'nginx','resources':{'limits':{'cpu':'0.5','memory':'1Gi'},'requests':{'cpu':'100m'}},"
     "'ports':[{'containerPort':80}]}]}}",
     "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'a','creationTimestamp':null},'spec':{'containers':[{'name':'c',"
     "'image':'nginx','ports':[{'containerPort':80,'protocol':'TCP'}],'resources':{'limits':{'cpu':'500m','memory':'1Gi'},"
     "'requests':{'cpu':'100m','memory':'1Gi'}},'terminationMessagePath':'/dev/termination-log',"
     "'terminationMessagePolicy':'File','imagePullPolicy':'Always'}],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','serviceAccountName':'sa','serviceAccount':'sa',"
     "'securityContext':{},'schedulerName':'default-scheduler','enableServiceLinks':true},'status':{}}"},
    {"host network, probes, volumes, environment",
     "{'kind':'Pod','apiVersion':'v1','spec':{'hostNetwork':true,'terminationGracePeriodSeconds':-5,'volumes':[{'name':'v'},"
     "{'name':'s','secret':{'secretName':'a'}},{'name':'p','projected':{'sources':[{'serviceAccountToken':{'path':'t'}},"
     "{'downwardAPI':{'items':[{'path':'x','fieldRef':{'fieldPath':'metadata.name'}}]}}]}},{'name':'h',"
     "'hostPath':{'path':'/'}}],'containers':[{'name':'c','image':'host:5000/a:v1','livenessProbe':{'httpGet':{'port':80}},"
     "'readinessProbe':{'grpc':{'port':5}},'env':[{'name':'A','valueFrom':{'fieldRef':{'fieldPath':'x'}}}],"
     "'ports':[{'containerPort':80},{'containerPort':81,'hostPort':7}]}]}}",
     "{'kind':'Pod','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'volumes':[{'name':'v','emptyDir':{}},"
     "{'name':'s','secret':{'secretName':'a','defaultMode':420}},{'name':'p',"
     "'projected':{'sources':[{'serviceAccountToken':{'expirationSeconds':3600,'path':'t'}},"
     "{'downwardAPI':{'items':[{'path':'x','fieldRef':{'apiVersion':'v1','fieldPath':'metadata.name'}}]}}],"
     "'defaultMode':420}},{'name':'h','hostPath':{'path':'/','type':''}}],'containers':[{'name':'c',"
     "'image':'host:5000/a:v1','ports':[{'hostPort':80,'containerPort':80,'protocol':'TCP'},{'hostPort':7,"
     "'containerPort':81,'protocol':'TCP'}],'env':[{'name':'A','valueFrom':{'fieldRef':{'apiVersion':'v1',"
     "'fieldPath':'x'}}}],'resources':{},'livenessProbe':{'httpGet':{'path':'/','port':80,'scheme':'HTTP'},"
     "'timeoutSeconds':1,'periodSeconds':10,'successThreshold':1,'failureThreshold':3},'readinessProbe':{'grpc':{'port':5,"
     "'service':''},'timeoutSeconds':1,'periodSeconds':10,'successThreshold':1,'failureThreshold':3},"
     "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File','imagePullPolicy':'IfNotPresent'}],"
     "'restartPolicy':'Always','terminationGracePeriodSeconds':1,'dnsPolicy':'ClusterFirst','hostNetwork':true,"
     "'securityContext':{},'schedulerName':'default-scheduler','enableServiceLinks':true},'status':{}}"},
    {"Deployment",
     "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
     "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'nginx:1.2'}]}}}}",
     "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'d','creationTimestamp':null},'spec':{'replicas':1,"
     "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'creationTimestamp':null,'labels':{'a':'b'}},"
     "'spec':{'containers':[{'name':'c','image':'nginx:1.2','resources':{},'terminationMessagePath':'/dev/termination-log',"
     "'terminationMessagePolicy':'File','imagePullPolicy':'IfNotPresent'}],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'25%',"
     "'maxSurge':'25%'}},'revisionHistoryLimit':10,'progressDeadlineSeconds':600},'status':{}}"},
    {"Deployment that recreates",
     "{'kind':'Deployment','apiVersion':'apps/v1','spec':{'replicas':0,'strategy':{'type':'Recreate'},'selector':{},"
     "'template':{'spec':{'containers':[]}}}}",
     "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'creationTimestamp':null},'spec':{'replicas':0,'selector':{},"
     "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'strategy':{'type':'Recreate'},'revisionHistoryLimit':10,"
     "'progressDeadlineSeconds':600},'status':{}}"},
    {"ReplicaSet",
     "{'kind':'ReplicaSet','apiVersion':'apps/v1','spec':{'selector':{},'template':{'metadata':{'labels':{'x':'y'}},"
     "'spec':{'containers':[]}}}}",
     "{'kind':'ReplicaSet','apiVersion':'apps/v1','metadata':{'creationTimestamp':null},'spec':{'replicas':1,'selector':{},"
     "'template':{'metadata':{'creationTimestamp':null,'labels':{'x':'y'}},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}}},'status':{'replicas':0}}"},
    {"ReplicationController",
     "{'kind':'ReplicationController','apiVersion':'v1','spec':{'template':{'metadata':{'labels':{'x':'y'}},"
     "'spec':{'containers':[]}}}}",
     "{'kind':'ReplicationController','apiVersion':'v1','metadata':{'creationTimestamp':null,'labels':{'x':'y'}},"
     "'spec':{'replicas':1,'selector':{'x':'y'},'template':{'metadata':{'creationTimestamp':null,'labels':{'x':'y'}},"
     "'spec':{'containers':[],'restartPolicy':'Always','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
     "'securityContext':{},'schedulerName':'default-scheduler'}}},'status':{'replicas':0}}"},
    {"StatefulSet",
     "{'kind':'StatefulSet','apiVersion':'apps/v1','spec':{'selector':{},'serviceName':'s',"
     "'template':{'spec':{'containers':[]}},'volumeClaimTemplates':[{'metadata':{'name':'x'},"
     "'spec':{'resources':{'requests':{'storage':'1Gi'}}}}]}}",
     "{'kind':'StatefulSet','apiVersion':'apps/v1','metadata':{'creationTimestamp':null},'spec':{'replicas':1,'selector':{},"
     "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'volumeClaimTemplates':[{'kind':'PersistentVolumeClaim','apiVersion':'v1',"
     "'metadata':{'name':'x','creationTimestamp':null},'spec':{'resources':{'requests':{'storage':'1Gi'}},"
     "'volumeMode':'Filesystem'},'status':{'phase':'Pending'}}],'serviceName':'s','podManagementPolicy':'OrderedReady',"
     "'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'partition':0}},'revisionHistoryLimit':10,"
     "'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','whenScaled':'Retain'}},'status':{'replicas':0,"
     "'availableReplicas':0}}"},
    {"StatefulSet with a strategy",
     "{'kind':'StatefulSet','apiVersion':'apps/v1','spec':{'selector':{},'serviceName':'s',"
     "'template':{'spec':{'containers':[]}},'updateStrategy':{'type':'RollingUpdate'}}}",
     "{'kind':'StatefulSet','apiVersion':'apps/v1','metadata':{'creationTimestamp':null},'spec':{'replicas':1,'selector':{},"
     "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'serviceName':'s','podManagementPolicy':'OrderedReady',"
     "'updateStrategy':{'type':'RollingUpdate'},'revisionHistoryLimit':10,"
     "'persistentVolumeClaimRetentionPolicy':{'whenDeleted':'Retain','whenScaled':'Retain'}},'status':{'replicas':0,"
     "'availableReplicas':0}}"},
    {"DaemonSet",
     "{'kind':'DaemonSet','apiVersion':'apps/v1',"
     "'metadata':{'annotations':{'deprecated.daemonset.template.generation':'1'}},'spec':{'selector':{},"
     "'template':{'spec':{'containers':[]}}}}",
     "{'kind':'DaemonSet','apiVersion':'apps/v1','metadata':{'creationTimestamp':null,"
     "'annotations':{'deprecated.daemonset.template.generation':'1'}},'spec':{'selector':{},"
     "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':1,"
     "'maxSurge':0}},'revisionHistoryLimit':10},'status':{'currentNumberScheduled':0,'numberMisscheduled':0,"
     "'desiredNumberScheduled':0,'numberReady':0}}"},
    {"Job",
     "{'kind':'Job','apiVersion':'batch/v1','spec':{'template':{'metadata':{'labels':{'a':'b'}},"
     "'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]}}}}",
     "{'kind':'Job','apiVersion':'batch/v1','metadata':{'creationTimestamp':null,'labels':{'a':'b'}},"
     "'spec':{'parallelism':1,'completions':1,'backoffLimit':6,'manualSelector':false,"
     "'template':{'metadata':{'creationTimestamp':null,'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'x',"
     "'resources':{},'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
     "'imagePullPolicy':'Always'}],'restartPolicy':'Never','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
     "'securityContext':{},'schedulerName':'default-scheduler'}},'completionMode':'NonIndexed','suspend':false,"
     "'podReplacementPolicy':'TerminatingOrFailed'},'status':{}}"},
    {"Job with completions and policies",
     "{'kind':'Job','apiVersion':'batch/v1','spec':{'completions':3,'backoffLimitPerIndex':1,"
     "'podFailurePolicy':{'rules':[{'action':'Ignore','onPodConditions':[{'type':'X'}]}]},"
     "'template':{'spec':{'containers':[]}}}}",
     "{'kind':'Job','apiVersion':'batch/v1','metadata':{'creationTimestamp':null},'spec':{'parallelism':1,'completions':3,"
     "'podFailurePolicy':{'rules':[{'action':'Ignore','onPodConditions':[{'type':'X','status':'True'}]}]},"
     "'backoffLimit':2147483647,'backoffLimitPerIndex':1,'manualSelector':false,"
     "'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],'restartPolicy':'Always',"
     "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'completionMode':'NonIndexed','suspend':false,'podReplacementPolicy':'Failed'},"
     "'status':{}}"},
    {"Job with parallelism",
     "{'kind':'Job','apiVersion':'batch/v1','spec':{'parallelism':3,'template':{'spec':{'containers':[]}}}}",
     "{'kind':'Job','apiVersion':'batch/v1','metadata':{'creationTimestamp':null},'spec':{'parallelism':3,'backoffLimit':6,"
     "'manualSelector':false,'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[],"
     "'restartPolicy':'Always','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
     "'schedulerName':'default-scheduler'}},'completionMode':'NonIndexed','suspend':false,"
     "'podReplacementPolicy':'TerminatingOrFailed'},'status':{}}"},
    {"CronJob: the job in it is left alone",
     "{'kind':'CronJob','apiVersion':'batch/v1','spec':{'schedule':'* * * * *',"
     "'jobTemplate':{'spec':{'template':{'spec':{'containers':[{'name':'a','image':'b:latest'}]}}}}}}",
     "{'kind':'CronJob','apiVersion':'batch/v1','metadata':{'creationTimestamp':null},'spec':{'schedule':'* * * * *',"
     "'concurrencyPolicy':'Allow','suspend':false,'jobTemplate':{'metadata':{'creationTimestamp':null},"
     "'spec':{'template':{'metadata':{'creationTimestamp':null},'spec':{'containers':[{'name':'a','image':'b:latest',"
     "'resources':{},'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
     "'imagePullPolicy':'Always'}],'restartPolicy':'Always','terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
     "'securityContext':{},'schedulerName':'default-scheduler'}}}},'successfulJobsHistoryLimit':3,"
     "'failedJobsHistoryLimit':1},'status':{}}"},
    {"Service",
     "{'kind':'Service','apiVersion':'v1','spec':{'ports':[{'port':80},{'port':81,'targetPort':'web'},{'port':82,"
     "'targetPort':0}],'sessionAffinityConfig':{}}}",
     "{'kind':'Service','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'ports':[{'protocol':'TCP',"
     "'port':80,'targetPort':80},{'protocol':'TCP','port':81,'targetPort':'web'},{'protocol':'TCP','port':82,"
     "'targetPort':82}],'type':'ClusterIP','sessionAffinity':'None','internalTrafficPolicy':'Cluster'},"
     "'status':{'loadBalancer':{}}}"},
    {"Service for the outside",
     "{'kind':'Service','apiVersion':'v1','spec':{'type':'LoadBalancer','sessionAffinity':'ClientIP','ports':[{'port':80}]},"
     "'status':{'loadBalancer':{'ingress':[{'ip':'1.2.3.4'},{'hostname':'x'}]}}}",
     "{'kind':'Service','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'ports':[{'protocol':'TCP',"
     "'port':80,'targetPort':80}],'type':'LoadBalancer','sessionAffinity':'ClientIP','externalTrafficPolicy':'Cluster',"
     "'sessionAffinityConfig':{'clientIP':{'timeoutSeconds':10800}},'allocateLoadBalancerNodePorts':true,"
     "'internalTrafficPolicy':'Cluster'},'status':{'loadBalancer':{'ingress':[{'ip':'1.2.3.4','ipMode':'VIP'},"
     "{'hostname':'x'}]}}}"},
    {"Service with external addresses",
     "{'kind':'Service','apiVersion':'v1','spec':{'externalIPs':['1.1.1.1']}}",
     "{'kind':'Service','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'type':'ClusterIP',"
     "'externalIPs':['1.1.1.1'],'sessionAffinity':'None','externalTrafficPolicy':'Cluster',"
     "'internalTrafficPolicy':'Cluster'},'status':{'loadBalancer':{}}}"},
    {"Service that is a name",
     "{'kind':'Service','apiVersion':'v1','spec':{'type':'ExternalName','externalName':'x'}}",
     "{'kind':'Service','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'type':'ExternalName',"
     "'sessionAffinity':'None','externalName':'x'},'status':{'loadBalancer':{}}}"},
    {"Secret",
     "{'kind':'Secret','apiVersion':'v1','data':{'a':'eHh4','z':''},'stringData':{'a':'b','c':'d'}}",
     "{'kind':'Secret','apiVersion':'v1','metadata':{'creationTimestamp':null},'data':{'a':'Yg==','c':'ZA==','z':''},"
     "'type':'Opaque'}"},
    {"Namespace",
     "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'d'}}",
     "{'kind':'Namespace','apiVersion':'v1','metadata':{'name':'d','creationTimestamp':null,"
     "'labels':{'kubernetes.io/metadata.name':'d'}},'spec':{},'status':{'phase':'Active'}}"},
    {"Node",
     "{'kind':'Node','apiVersion':'v1','spec':{'podCIDR':'1.2.3.0/24'},'status':{'capacity':{'cpu':'1.5','memory':'1024Ki',"
     "'x':'1u'}}}",
     "{'kind':'Node','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'podCIDR':'1.2.3.0/24',"
     "'podCIDRs':['1.2.3.0/24']},'status':{'capacity':{'cpu':'1500m','memory':'1Mi','x':'1m'},'allocatable':{'cpu':'1500m',"
     "'memory':'1Mi','x':'1m'},'daemonEndpoints':{'kubeletEndpoint':{'Port':0}},'nodeInfo':{'machineID':'','systemUUID':'',"
     "'bootID':'','kernelVersion':'','osImage':'','containerRuntimeVersion':'','kubeletVersion':'','kubeProxyVersion':'',"
     "'operatingSystem':'','architecture':''}}}"},
    {"LimitRange",
     "{'kind':'LimitRange','apiVersion':'v1','spec':{'limits':[{'type':'Container','max':{'cpu':'2'},'min':{'memory':'1Mi'},"
     "'default':{'x':'1'}},{'type':'Pod','max':{'cpu':1}}]}}",
     "{'kind':'LimitRange','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'limits':[{'type':'Container',"
     "'max':{'cpu':'2'},'min':{'memory':'1Mi'},'default':{'cpu':'2','x':'1'},'defaultRequest':{'cpu':'2','memory':'1Mi',"
     "'x':'1'}},{'type':'Pod','max':{'cpu':'1'}}]}}"},
    {"PersistentVolume",
     "{'kind':'PersistentVolume','apiVersion':'v1','spec':{'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}}}",
     "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'creationTimestamp':null},"
     "'spec':{'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x','type':''},'persistentVolumeReclaimPolicy':'Retain',"
     "'volumeMode':'Filesystem'},'status':{'phase':'Pending'}}"},
    {"PersistentVolumeClaim",
     "{'kind':'PersistentVolumeClaim','apiVersion':'v1','spec':{'storageClassName':''}}",
     "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'creationTimestamp':null},'spec':{'resources':{},"
     "'storageClassName':'','volumeMode':'Filesystem'},'status':{'phase':'Pending'}}"},
    {"Endpoints",
     "{'kind':'Endpoints','apiVersion':'v1','subsets':[{'addresses':[{'ip':'1.1.1.1'}],'ports':[{'port':1}]}]}",
     "{'kind':'Endpoints','apiVersion':'v1','metadata':{'creationTimestamp':null},"
     "'subsets':[{'addresses':[{'ip':'1.1.1.1'}],'ports':[{'port':1,'protocol':'TCP'}]}]}"},
    {"EndpointSlice",
     "{'kind':'EndpointSlice','apiVersion':'discovery.k8s.io/v1','addressType':'IPv4','endpoints':[],'ports':[{'port':1}]}",
     "{'kind':'EndpointSlice','apiVersion':'discovery.k8s.io/v1','metadata':{'creationTimestamp':null},'addressType':'IPv4',"
     "'endpoints':[],'ports':[{'name':'','protocol':'TCP','port':1}]}"},
    {"HorizontalPodAutoscaler v2",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','spec':{'maxReplicas':3,"
     "'scaleTargetRef':{'kind':'Deployment','name':'x'}}}",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','metadata':{'creationTimestamp':null},"
     "'spec':{'scaleTargetRef':{'kind':'Deployment','name':'x'},'minReplicas':1,'maxReplicas':3,"
     "'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':80}}}]},"
     "'status':{'desiredReplicas':0,'currentMetrics':null}}"},
    {"HorizontalPodAutoscaler v2 with behavior",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','spec':{'maxReplicas':3,"
     "'scaleTargetRef':{'kind':'Deployment','name':'x'},'behavior':{'scaleDown':{'policies':[{'type':'Pods','value':1,"
     "'periodSeconds':5}]}},'metrics':[{'type':'Pods','pods':{'metric':{'name':'x'},'target':{'type':'AverageValue',"
     "'averageValue':'1k'}}}]}}",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','metadata':{'creationTimestamp':null},"
     "'spec':{'scaleTargetRef':{'kind':'Deployment','name':'x'},'minReplicas':1,'maxReplicas':3,'metrics':[{'type':'Pods',"
     "'pods':{'metric':{'name':'x'},'target':{'type':'AverageValue','averageValue':'1k'}}}],"
     "'behavior':{'scaleUp':{'stabilizationWindowSeconds':0,'selectPolicy':'Max','policies':[{'type':'Pods','value':4,"
     "'periodSeconds':15},{'type':'Percent','value':100,'periodSeconds':15}]},'scaleDown':{'selectPolicy':'Max',"
     "'policies':[{'type':'Pods','value':1,'periodSeconds':5}]}}},'status':{'desiredReplicas':0,'currentMetrics':null}}"},
    {"HorizontalPodAutoscaler v1",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v1','spec':{'maxReplicas':3,"
     "'scaleTargetRef':{'kind':'Deployment','name':'x'}}}",
     "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v1','metadata':{'creationTimestamp':null},"
     "'spec':{'scaleTargetRef':{'kind':'Deployment','name':'x'},'minReplicas':1,'maxReplicas':3,"
     "'targetCPUUtilizationPercentage':80},'status':{'currentReplicas':0,'desiredReplicas':0}}"},
    {"NetworkPolicy",
     "{'kind':'NetworkPolicy','apiVersion':'networking.k8s.io/v1','spec':{'egress':[{'ports':[{'port':53}]}]}}",
     "{'kind':'NetworkPolicy','apiVersion':'networking.k8s.io/v1','metadata':{'creationTimestamp':null},"
     "'spec':{'podSelector':{},'egress':[{'ports':[{'protocol':'TCP','port':53}]}],'policyTypes':['Ingress','Egress']}}"},
    {"IngressClass",
     "{'kind':'IngressClass','apiVersion':'networking.k8s.io/v1','spec':{'controller':'a','parameters':{'kind':'a',"
     "'name':'b'}}}",
     "{'kind':'IngressClass','apiVersion':'networking.k8s.io/v1','metadata':{'creationTimestamp':null},"
     "'spec':{'controller':'a','parameters':{'kind':'a','name':'b','scope':'Cluster'}}}"},
    {"RoleBinding",
     "{'kind':'RoleBinding','apiVersion':'rbac.authorization.k8s.io/v1','subjects':[{'kind':'User','name':'x'},"
     "{'kind':'ServiceAccount','name':'y','namespace':'n'},{'kind':'Group','name':'g'}],'roleRef':{'kind':'Role',"
     "'name':'r'}}",
     "{'kind':'RoleBinding','apiVersion':'rbac.authorization.k8s.io/v1','metadata':{'creationTimestamp':null},"
     "'subjects':[{'kind':'User','apiGroup':'rbac.authorization.k8s.io','name':'x'},{'kind':'ServiceAccount','name':'y',"
     "'namespace':'n'},{'kind':'Group','apiGroup':'rbac.authorization.k8s.io','name':'g'}],"
     "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'r'}}"},
    {"PriorityClass",
     "{'kind':'PriorityClass','apiVersion':'scheduling.k8s.io/v1','value':0}",
     "{'kind':'PriorityClass','apiVersion':'scheduling.k8s.io/v1','metadata':{'creationTimestamp':null},'value':0,"
     "'preemptionPolicy':'PreemptLowerPriority'}"},
    {"StorageClass",
     "{'kind':'StorageClass','apiVersion':'storage.k8s.io/v1','provisioner':'x'}",
     "{'kind':'StorageClass','apiVersion':'storage.k8s.io/v1','metadata':{'creationTimestamp':null},'provisioner':'x',"
     "'reclaimPolicy':'Delete','volumeBindingMode':'Immediate'}"},
    {"CustomResourceDefinition",
     "{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1','spec':{'group':'g',"
     "'names':{'plural':'foos','kind':'Foo'},'scope':'Namespaced','versions':[{'name':'v1','served':true,'storage':true,"
     "'schema':{'openAPIV3Schema':{'type':'object'}}}]}}",
     "{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1','metadata':{'creationTimestamp':null},"
     "'spec':{'group':'g','names':{'plural':'foos','singular':'foo','kind':'Foo','listKind':'FooList'},'scope':'Namespaced',"
     "'versions':[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object'}}}],"
     "'conversion':{'strategy':'None'}},'status':{'conditions':null,'acceptedNames':{'plural':'','kind':''},"
     "'storedVersions':['v1']}}"},
};

static struct json conformed(struct arena *a, const struct golden *g, const struct api_resource **ret_r)
{
    struct json v = testing_json(a, g->given);
    struct err err = ERR_NONE;
    *ret_r = testing_resource_of(a, &v);
    T_NO_ERR(api_conform(a, (*ret_r)->type, &v, NULL, &err), &err);
    return v;
}

TEST(minimal_objects_become_what_kubernetes_makes_of_them)
{
    for (size_t i = 0; i < ARRAY_LEN(goldens); i++) {
        ARENA_AUTO a = ARENA_INIT;
        const struct api_resource *r;
        int before = test_failures_;
        struct json v = conformed(&a, &goldens[i], &r);
        api_default(&a, r, &v);
        api_complete(&a, r->type, &v);
        T_EQ_JSON(&a, &v, goldens[i].want);
        if (test_failures_ != before)
            printf("# in: %s\n", goldens[i].name);
    }
}

TEST(defaults_change_nothing_the_second_time)
{
    for (size_t i = 0; i < ARRAY_LEN(goldens); i++) {
        ARENA_AUTO a = ARENA_INIT;
        const struct api_resource *r;
        struct json once = conformed(&a, &goldens[i], &r);
        api_default(&a, r, &once);
        struct json twice = json_copy(&a, &once);
        api_default(&a, r, &twice);
        T_OK(json_equal(&once, &twice));
        api_complete(&a, r->type, &once);
        twice = json_copy(&a, &once);
        struct err err = ERR_NONE;
        T_NO_ERR(api_conform(&a, r->type, &twice, NULL, &err), &err);
        api_default(&a, r, &twice);
        api_complete(&a, r->type, &twice);
        T_OK(json_equal(&once, &twice));
    }
}

TEST(image_tags_decide_the_pull_policy)
{
    static const struct {
        const char *image, *want;
    } cases[] = {
        {"nginx", "Always"},
        {"nginx:latest", "Always"},
        {"nginx:1", "IfNotPresent"},
        {"host:5000/nginx", "Always"},
        {"host:5000/nginx:2", "IfNotPresent"},
        {"Host/nginx", "Always"},
        {"nginx@sha256:0123", "IfNotPresent"},
        {"nginx:latest@sha256:0123", "Always"},
        {"Nginx", "IfNotPresent"}, /* no image name at all */
        {"", "IfNotPresent"},
    };
    ARENA_AUTO a = ARENA_INIT;
    const struct api_resource *r = testing_resource(&a, S("v1"), S("Pod"));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = testing_json(&a, "{'spec':{'containers':[{'name':'c'}]}}");
        struct json *container = &json_path(&v, "spec", "containers", NULL)->items[0];
        json_set(&a, container, S("image"), json_string(str_of(cases[i].image)));
        api_default(&a, r, &v);
        T_EQ_STR(json_get_str(&json_path(&v, "spec", "containers", NULL)->items[0], S("imagePullPolicy")), cases[i].want);
    }
}

/* Many keys from a client must not cost their square. */
TEST(large_secrets_merge_in_linear_time)
{
    ARENA_AUTO a = ARENA_INIT;
    enum { KEYS = 50000 };
    struct json texts = {.type = JSON_OBJECT, .len = KEYS, .cap = KEYS, .members = arena_array(&a, KEYS, struct json_member)};
    struct json data = {.type = JSON_OBJECT, .len = KEYS, .cap = KEYS, .members = arena_array(&a, KEYS, struct json_member)};
    for (int i = 0; i < KEYS; i++) {
        texts.members[i] = (struct json_member){arena_fmt(&a, "k%d", i), json_string(S("a"))};
        data.members[i] = (struct json_member){arena_fmt(&a, "k%d", i + KEYS / 2), json_string(S("YQ=="))};
    }
    struct json v = testing_json(&a, "{'kind':'Secret','apiVersion':'v1'}");
    json_set(&a, &v, S("data"), data);
    json_set(&a, &v, S("stringData"), texts);
    api_default(&a, testing_resource_of(&a, &v), &v);
    T_EQ_INT(json_get(&v, S("data"))->len, KEYS + KEYS / 2);
    T_OK(!json_get(&v, S("stringData")));
}

TEST_MAIN(minimal_objects_become_what_kubernetes_makes_of_them, defaults_change_nothing_the_second_time,
          image_tags_decide_the_pull_policy, large_secrets_merge_in_linear_time)
