/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_testing.h"

#define META "'metadata':{'name':'x','namespace':'n'}"
#define GLOBAL "'metadata':{'name':'x'}"
#define V1(kind, rest) "{'apiVersion':'v1','kind':'" kind "'," META "," rest "}"
#define BAD(text, message) {text, NULL, message, NULL}
#define GOOD(text) {text, NULL, "", NULL}

#define SVC(spec) V1("Service", "'spec':{" spec "}")
TEST(services)
{
    static const struct testing_case cases[] = {
        GOOD(SVC("'ports':[{'port':80}],'selector':{'a':'b'}")),
        GOOD(SVC("'clusterIP':'None'")),
        GOOD(SVC("'type':'ExternalName','externalName':'example.com.'")),
        BAD(SVC("'selector':{'a':'b'}"), "spec.ports: Required value"),
        BAD(SVC("'ports':[{'port':0}]"),
            "[spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive]"),
        BAD(SVC("'ports':[{'port':80},{'port':81}]"), "[spec.ports[0].name: Required value, spec.ports[1].name: Required value]"),
        BAD(SVC("'ports':[{'name':'a','port':80},{'name':'a','port':81}]"), "spec.ports[1].name: Duplicate value: 'a'"),
        BAD(SVC("'ports':[{'name':'a','port':80},{'name':'b','port':80}]"), "spec.ports[1]: Duplicate value: {'port':80,'protocol':'TCP'}"),
        BAD(SVC("'ports':[{'port':80,'nodePort':30000}]"), "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"),
        BAD(SVC("'type':'Weird','ports':[{'port':80}]"),
            "spec.type: Unsupported value: 'Weird': supported values: 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'"),
        BAD(SVC("'type':'ExternalName'"), "spec.externalName: Required value"),
        BAD(SVC("'type':'NodePort','clusterIP':'None','ports':[{'port':80}]"), "spec.clusterIPs[0]: Invalid value: 'None': may not be set to 'None' for NodePort services"),
        BAD(SVC("'ports':[{'port':80}],'externalTrafficPolicy':'Local'"),
            "spec.externalTrafficPolicy: Invalid value: 'Local': may only be set for externally-accessible services"),
        BAD(SVC("'ports':[{'port':80}],'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':86401}}"),
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400"),
        BAD(SVC("'ports':[{'port':80}],'externalIPs':['127.0.0.1']"),
            "spec.externalIPs[0]: Invalid value: '127.0.0.1': may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        BAD(SVC("'ports':[{'port':80}],'loadBalancerClass':'a/b'"), "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"),
        BAD(SVC("'ports':[{'port':80}],'clusterIP':'10.0.0.1','clusterIPs':['10.0.0.2']"),
            "spec.clusterIPs: Invalid value: ['10.0.0.2']: first value must match `clusterIP`"),
        {SVC("'ports':[{'port':80}],'clusterIP':'10.0.0.2','clusterIPs':['10.0.0.2']"), SVC("'ports':[{'port':80}],'clusterIP':'10.0.0.1','clusterIPs':['10.0.0.1']"),
         "spec.clusterIPs[0]: Invalid value: ['10.0.0.2']: may not change once set", NULL},
    };
    TESTING_RUN(cases);
}

TEST(config_maps_and_secrets)
{
    static const struct testing_case cases[] = {
        GOOD(V1("ConfigMap", "'data':{'a.b_c-D':'x'},'binaryData':{'b':'AAA='}")),
        BAD(V1("ConfigMap", "'data':{'a/b':'x'}"), "data[a/b]: Invalid value: 'a/b': a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                                                  "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"),
        BAD(V1("ConfigMap", "'data':{'..':'x'}"), "data[..]: Invalid value: '..': must not be '..'"),
        BAD(V1("ConfigMap", "'data':{'a':'x'},'binaryData':{'a':'AAA='}"), "data[a]: Invalid value: 'a': duplicate of key present in binaryData"),
        {V1("ConfigMap", "'immutable':true,'data':{'a':'y'}"), V1("ConfigMap", "'immutable':true,'data':{'a':'x'}"),
         "data: Forbidden: field is immutable when `immutable` is set", NULL},
        {V1("ConfigMap", "'data':{'a':'x'}"), V1("ConfigMap", "'immutable':true,'data':{'a':'x'}"), "immutable: Forbidden: field is immutable when `immutable` is set", NULL},
        GOOD(V1("Secret", "'data':{'a':'AAA='}")),
        BAD(V1("Secret", "'type':'kubernetes.io/tls','data':{'tls.crt':'AAA='}"), "data[tls.key]: Required value"),
        BAD(V1("Secret", "'type':'kubernetes.io/dockerconfigjson'"), "data[.dockerconfigjson]: Required value"),
        BAD(V1("Secret", "'type':'kubernetes.io/service-account-token'"), "metadata.annotations[kubernetes.io/service-account.name]: Required value"),
        {V1("Secret", "'type':'b'"), V1("Secret", "'type':'a'"), "type: Invalid value: 'b': field is immutable", NULL},
    };
    TESTING_RUN(cases);
}

#define NODE(rest) "{'apiVersion':'v1','kind':'Node'," GLOBAL "," rest "}"
TEST(namespaces_and_nodes)
{
    static const struct testing_case cases[] = {
        BAD("{'apiVersion':'v1','kind':'Namespace'," GLOBAL ",'spec':{'finalizers':['x']}}",
            "spec.finalizers: Invalid value: 'x': name is neither a standard finalizer name nor is it fully qualified"),
        GOOD(NODE("'spec':{'taints':[{'key':'a','effect':'NoSchedule'},{'key':'a','effect':'NoExecute'}]}")),
        BAD(NODE("'status':{'allocatable':{'cpu':'-1'}}"), "status.allocatable.cpu: Invalid value: '-1': must be greater than or equal to 0"),
        BAD(NODE("'spec':{'taints':[{'key':'a'}]}"), "spec.taints[0].effect: Required value"),
        BAD(NODE("'spec':{'taints':[{'key':'a','effect':'NoSchedule'},{'key':'a','effect':'NoSchedule'}]}"),
            "metadata.taints[1]: Duplicate value: {'key':'a','effect':'NoSchedule'}: taints must be unique by key and effect pair"),
        BAD(NODE("'spec':{'podCIDR':'x','podCIDRs':['x']}"), "spec.podCIDRs[0]: Invalid value: 'x': must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        {NODE("'spec':{'providerID':'b'}"), NODE("'spec':{'providerID':'a'}"),
         "spec.providerID: Forbidden: node updates may not change providerID except from '' to valid", NULL},
    };
    TESTING_RUN(cases);
}

TEST(quotas_and_limits)
{
    static const struct testing_case cases[] = {
        GOOD(V1("ResourceQuota", "'spec':{'hard':{'pods':'10','requests.cpu':'1','count/deployments.apps':'2','requests.example.com/gpu':'1'}}")),
        BAD(V1("ResourceQuota", "'spec':{'hard':{'widgets':'10'}}"), "spec.hard[widgets]: Invalid value: 'widgets': must be a standard resource for quota"),
        BAD(V1("ResourceQuota", "'spec':{'hard':{'pods':'-1'}}"), "spec.hard[pods]: Invalid value: '-1': must be greater than or equal to 0"),
        BAD(V1("ResourceQuota", "'spec':{'hard':{'pods':'1.5'}}"), "spec.hard[pods]: Invalid value: '1500m': must be an integer"),
        BAD(V1("ResourceQuota", "'spec':{'scopes':['Some']}"), "spec.scopes: Invalid value: ['Some']: unsupported scope"),
        BAD(V1("ResourceQuota", "'spec':{'hard':{'services':'1'},'scopes':['BestEffort']}"), "spec.scopes: Invalid value: ['BestEffort']: unsupported scope applied to resource"),
        BAD(V1("ResourceQuota", "'spec':{'scopes':['BestEffort','NotBestEffort']}"), "spec.scopes: Invalid value: ['BestEffort','NotBestEffort']: conflicting scopes"),
        BAD(V1("ResourceQuota", "'spec':{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass','operator':'In'}]}}"),
            "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
        {V1("ResourceQuota", "'spec':{'scopes':['BestEffort']}"), V1("ResourceQuota", "'spec':{}"), "spec.scopes: Invalid value: ['BestEffort']: field is immutable", NULL},
        GOOD(V1("LimitRange", "'spec':{'limits':[{'type':'Container','max':{'cpu':'2'},'min':{'cpu':'1'}}]}")),
        BAD(V1("LimitRange", "'spec':{'limits':[{'type':'Box'}]}"), "spec.limits[0].type: Invalid value: 'Box': must be a standard limit type or fully qualified"),
        BAD(V1("LimitRange", "'spec':{'limits':[{'type':'Pod','max':{'cpu':'1'},'min':{'cpu':'2'}}]}"),
            "spec.limits[0].min[cpu]: Invalid value: '2': min value 2 is greater than max value 1"),
        BAD(V1("LimitRange", "'spec':{'limits':[{'type':'Pod','default':{'cpu':'1'}}]}"), "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"),
        BAD(V1("LimitRange", "'spec':{'limits':[{'type':'PersistentVolumeClaim'}]}"),
            "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided"),
    };
    TESTING_RUN(cases);
}

TEST(endpoints_and_events)
{
    static const struct testing_case cases[] = {
        GOOD(V1("Endpoints", "'subsets':[{'addresses':[{'ip':'10.0.0.1'}],'ports':[{'port':80}]}]")),
        BAD(V1("Endpoints", "'subsets':[{'ports':[{'port':80}]}]"), "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
        BAD(V1("Endpoints", "'subsets':[{'addresses':[{'ip':'169.254.1.1'}]}]"),
            "subsets[0].addresses[0].ip: Invalid value: '169.254.1.1': may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        GOOD(V1("Event", "'involvedObject':{'namespace':'n','kind':'Pod','name':'p'}")),
        BAD(V1("Event", "'involvedObject':{'namespace':'m','kind':'Pod','name':'p'}"), "involvedObject.namespace: Invalid value: 'm': does not match event.namespace"),
        BAD("{'apiVersion':'events.k8s.io/v1','kind':'Event'," META ",'regarding':{'namespace':'n'},'type':'Normal'}", "eventTime: Required value"),
        BAD("{'apiVersion':'events.k8s.io/v1','kind':'Event'," META ",'regarding':{'namespace':'n'},'type':'Odd','eventTime':'2020-01-01T00:00:00.000000Z',"
            "'reportingController':'a/b','reportingInstance':'i','reason':'r'}",
            "[action: Required value, type: Invalid value: '': has invalid value: Odd]"),
    };
    TESTING_RUN(cases);
}

#define PV(spec) "{'apiVersion':'v1','kind':'PersistentVolume'," GLOBAL ",'spec':{" spec "}}"
#define PVC(spec) V1("PersistentVolumeClaim", "'spec':{" spec "}")
#define BOUND(spec) V1("PersistentVolumeClaim", "'spec':{" spec "},'status':{'phase':'Bound','capacity':{'storage':'2Gi'}}")
#define RWO "'accessModes':['ReadWriteOnce']"
#define SIZE(n) "'resources':{'requests':{'storage':'" n "'}}"
TEST(volumes_and_claims)
{
    static const struct testing_case cases[] = {
        GOOD(PV(RWO ",'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}")),
        BAD(PV("'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}"), "spec.accessModes: Required value"),
        BAD(PV(RWO ",'capacity':{'storage':'1Gi'}"), "spec: Required value: must specify a volume type"),
        BAD(PV(RWO ",'hostPath':{'path':'/x'}"), "spec.capacity: Required value"),
        BAD(PV(RWO ",'capacity':{'storage':'1Gi'},'local':{'path':'/x'}"), "spec.nodeAffinity: Required value: Local volume requires node affinity"),
        BAD(PV(RWO ",'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'},'nfs':{'server':'s','path':'/'}"), "spec.nfs: Forbidden: may not specify more than 1 volume type"),
        {PV(RWO ",'capacity':{'storage':'1Gi'},'hostPath':{'path':'/y'}"), PV(RWO ",'capacity':{'storage':'1Gi'},'hostPath':{'path':'/x'}"),
         "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n", NULL},
        GOOD(PVC(RWO "," SIZE("1Gi"))),
        BAD(PVC(SIZE("1Gi")), "spec.accessModes: Required value: at least 1 access mode is required"),
        BAD(PVC(RWO), "spec.resources[storage]: Required value"),
        BAD(PVC(RWO "," SIZE("0")), "spec.resources[storage]: Invalid value: '0': must be greater than zero"),
        BAD(PVC("'accessModes':['ReadWriteOncePod','ReadWriteMany']," SIZE("1Gi")), "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"),
        {PVC(RWO "," SIZE("2Gi")), PVC(RWO "," SIZE("1Gi")),
         "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n", NULL},
        {BOUND(RWO "," SIZE("3Gi")), BOUND(RWO "," SIZE("2Gi")), "", NULL},
        {BOUND(RWO "," SIZE("1Gi")), BOUND(RWO "," SIZE("2Gi")), "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity", NULL},
        {PVC(RWO "," SIZE("1Gi") ",'storageClassName':'a','volumeName':'v'"), PVC(RWO "," SIZE("1Gi")), "", NULL},
        {PVC(RWO "," SIZE("1Gi") ",'storageClassName':'b'"), PVC(RWO "," SIZE("1Gi") ",'storageClassName':'a'"),
         "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n", NULL},
    };
    TESTING_RUN(cases);
}

#define STORAGE(kind, rest) "{'apiVersion':'storage.k8s.io/v1','kind':'" kind "'," GLOBAL "," rest "}"
TEST(storage)
{
    static const struct testing_case cases[] = {
        GOOD(STORAGE("StorageClass", "'provisioner':'example.com/x'")),
        BAD("{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass'," GLOBAL "}", "provisioner: Required value"),
        BAD(STORAGE("StorageClass", "'provisioner':'a','reclaimPolicy':'Recycle'"), "reclaimPolicy: Unsupported value: 'Recycle': supported values: 'Delete', 'Retain'"),
        {STORAGE("StorageClass", "'provisioner':'b'"), STORAGE("StorageClass", "'provisioner':'a'"), "provisioner: Forbidden: updates to provisioner are forbidden.", NULL},
        {STORAGE("StorageClass", "'provisioner':'a','parameters':{'x':'y'}"), STORAGE("StorageClass", "'provisioner':'a'"),
         "parameters: Forbidden: updates to parameters are forbidden.", NULL},
        BAD(STORAGE("CSIDriver", "'spec':{'nodeAllocatableUpdatePeriodSeconds':5}"),
            "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds"),
        BAD(STORAGE("CSINode", "'spec':{'drivers':[{'name':'a','nodeID':'n','topologyKeys':['k','k']}]}"), "spec.drivers[0]: Duplicate value: 'k'"),
        BAD(STORAGE("VolumeAttachment", "'spec':{'attacher':'a','nodeName':'n','source':{}}"),
            "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"),
    };
    TESTING_RUN(cases);
}

TEST_MAIN(services, config_maps_and_secrets, namespaces_and_nodes, quotas_and_limits, endpoints_and_events, volumes_and_claims, storage)
