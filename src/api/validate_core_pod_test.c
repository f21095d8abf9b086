/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_testing.h"

#define POD(spec) "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},'spec':{" spec "}}"
#define CTR(more) "{'name':'a','image':'i'" more "}"
#define ONE(more) POD("'containers':[" CTR(more) "]")
#define WITH(more) POD("'containers':[" CTR() "]," more)
#define BAD(text, message) {text, NULL, message, NULL}
#define GOOD(text) {text, NULL, "", NULL}

TEST(containers)
{
    static const struct testing_case cases[] = {
        GOOD(ONE()),
        BAD(POD(), "spec.containers: Required value"),
        BAD(POD("'containers':[{'name':'a'}]"), "spec.containers[0].image: Required value"),
        BAD(POD("'containers':[{'image':'i'}]"), "spec.containers[0].name: Required value"),
        BAD(POD("'containers':[{'name':'a','image':' i'}]"), "spec.containers[0].image: Invalid value: ' i': must not have leading or trailing whitespace"),
        BAD(POD("'containers':[" CTR() "," CTR() "]"), "spec.containers[1].name: Duplicate value: 'a'"),
        BAD(POD("'containers':[{'name':'A','image':'i'}]"),
            "spec.containers[0].name: Invalid value: 'A': a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
            "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"),
        BAD(ONE(",'imagePullPolicy':'Sometimes'"),
            "spec.containers[0].imagePullPolicy: Unsupported value: 'Sometimes': supported values: 'Always', 'IfNotPresent', 'Never'"),
        BAD(ONE(",'restartPolicy':'Always'"), "spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers"),
        BAD(WITH("'initContainers':[" CTR() "]"), "spec.initContainers[0].name: Duplicate value: 'a'"),
        BAD(WITH("'initContainers':[{'name':'b','image':'i','lifecycle':{'preStop':{'sleep':{'seconds':1}}}}]"),
            "spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always"),
        GOOD(WITH("'initContainers':[{'name':'b','image':'i','restartPolicy':'Always','lifecycle':{'preStop':{'sleep':{'seconds':1}}}}]")),
        BAD(WITH("'ephemeralContainers':[{'name':'e','image':'i','targetContainerName':'x'}]"),
            "[spec.ephemeralContainers: Forbidden: cannot be set on create, spec.ephemeralContainers[0].targetContainerName: Not found: 'x']"),
    };
    TESTING_RUN(cases);
}

TEST(ports_and_environment)
{
    static const struct testing_case cases[] = {
        GOOD(ONE(",'ports':[{'containerPort':80,'name':'http'},{'containerPort':80,'protocol':'UDP'}]")),
        BAD(ONE(",'ports':[{'containerPort':0}]"), "spec.containers[0].ports[0].containerPort: Required value"),
        BAD(ONE(",'ports':[{'containerPort':70000}]"), "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"),
        BAD(ONE(",'ports':[{'containerPort':80,'name':'a'},{'containerPort':81,'name':'a'}]"), "spec.containers[0].ports[1].name: Duplicate value: 'a'"),
        BAD(ONE(",'ports':[{'containerPort':80,'name':'12'}]"),
            "spec.containers[0].ports[0].name: Invalid value: '12': must contain at least one letter (a-z)"),
        BAD(ONE(",'ports':[{'containerPort':80,'hostPort':80},{'containerPort':81,'hostPort':80}]"),
            "spec.containers[0].ports[1].hostPort: Duplicate value: 'TCP//80'"),
        BAD(ONE(",'ports':[{'containerPort':80,'protocol':'X'}]"),
            "spec.containers[0].ports[0].protocol: Unsupported value: 'X': supported values: 'SCTP', 'TCP', 'UDP'"),
        BAD(WITH("'hostNetwork':true,'containers':[" CTR(",'ports':[{'containerPort':80,'hostPort':81}]") "]"),
            "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"),
        GOOD(ONE(",'env':[{'name':'A','value':'b'},{'name':'B','valueFrom':{'fieldRef':{'fieldPath':'metadata.labels[\\u0027a/b\\u0027]'}}}]")),
        BAD(ONE(",'env':[{'value':'b'}]"), "spec.containers[0].env[0].name: Required value"),
        BAD(ONE(",'env':[{'name':'a=b'}]"), "spec.containers[0].env[0].name: Invalid value: 'a=b': a valid environment variable name must consist only of "
                                           "printable ASCII characters other than '='"),
        BAD(ONE(",'env':[{'name':'a','value':'b','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]"),
            "spec.containers[0].env[0].valueFrom: Invalid value: '': may not be specified when `value` is not empty"),
        BAD(ONE(",'env':[{'name':'a','valueFrom':{}}]"),
            "spec.containers[0].env[0].valueFrom: Invalid value: '': must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"),
        BAD(ONE(",'env':[{'name':'a','valueFrom':{'fieldRef':{'fieldPath':'spec.foo'}}}]"),
            "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: 'spec.foo': error converting fieldPath: field label not supported: spec.foo"),
        BAD(ONE(",'env':[{'name':'a','valueFrom':{'fieldRef':{'fieldPath':'status.phase'}}}]"),
            "spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: 'status.phase': supported values: 'metadata.name', 'metadata.namespace', "
            "'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName', 'status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'"),
        BAD(ONE(",'env':[{'name':'a','valueFrom':{'resourceFieldRef':{'resource':'limits.cpu','divisor':'1k'}}}]"),
            "spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: 'limits.cpu': only divisor's values 1m and 1 are supported with the cpu resource"),
        BAD(ONE(",'envFrom':[{}]"), "spec.containers[0].envFrom: Invalid value: '': must specify one of: `configMapRef` or `secretRef`"),
    };
    TESTING_RUN(cases);
}

TEST(resources)
{
    static const struct testing_case cases[] = {
        GOOD(ONE(",'resources':{'requests':{'cpu':'1','example.com/gpu':'1'},'limits':{'cpu':'2','memory':'1Gi','example.com/gpu':'1'}}")),
        BAD(ONE(",'resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}"),
            "spec.containers[0].resources.requests: Invalid value: '2': must be less than or equal to cpu limit of 1"),
        BAD(ONE(",'resources':{'limits':{'memory':'-1'}}"), "[spec.containers[0].resources.limits[memory]: Invalid value: '-1': must be greater than or equal to 0, "
                                                           "spec.containers[0].resources.requests[memory]: Invalid value: '-1': must be greater than or equal to 0]"),
        BAD(ONE(",'resources':{'requests':{'gpu':'1'}}"), "spec.containers[0].resources.requests[gpu]: Invalid value: 'gpu': must be a standard resource for containers"),
        BAD(ONE(",'resources':{'requests':{'example.com/gpu':'1'}}"),
            "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"),
        BAD(ONE(",'resources':{'requests':{'example.com/gpu':'500m'},'limits':{'example.com/gpu':'500m'}}"),
            "[spec.containers[0].resources.limits[example.com/gpu]: Invalid value: '500m': must be an integer, "
            "spec.containers[0].resources.requests[example.com/gpu]: Invalid value: '500m': must be an integer]"),
        BAD(ONE(",'resources':{'claims':[{'name':'c'}]}"),
            "spec.containers[0].resources.claims[0]: Not found: 'c': must be one of the names in pod.spec.resourceClaims which is empty"),
    };
    TESTING_RUN(cases);
}

#define VOLUMES(list, mounts) POD("'volumes':[" list "],'containers':[" CTR(",'volumeMounts':[" mounts "]") "]")
TEST(volumes)
{
    static const struct testing_case cases[] = {
        GOOD(VOLUMES("{'name':'v','emptyDir':{}}", "{'name':'v','mountPath':'/v','subPath':'x/y'}")),
        BAD(VOLUMES("{'name':'v','emptyDir':{}}", "{'name':'w','mountPath':'/v'}"), "spec.containers[0].volumeMounts[0].name: Not found: 'w'"),
        BAD(VOLUMES("{'name':'v','emptyDir':{}}", "{'name':'v','mountPath':'/v'},{'name':'v','mountPath':'/v'}"),
            "spec.containers[0].volumeMounts[1].mountPath: Invalid value: '/v': must be unique"),
        BAD(VOLUMES("{'name':'v','emptyDir':{}}", "{'name':'v','mountPath':'/v','subPath':'../x'}"),
            "spec.containers[0].volumeMounts.subPath: Invalid value: '../x': must not contain '..'"),
        BAD(VOLUMES("{'name':'v','emptyDir':{}}", "{'name':'v','mountPath':'/v','mountPropagation':'Bidirectional'}"),
            "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers"),
        BAD(VOLUMES("{'name':'v','emptyDir':{},'hostPath':{'path':'/x'}}", ""), "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"),
        BAD(VOLUMES("{'name':'v','emptyDir':{}},{'name':'v','emptyDir':{}}", ""), "spec.volumes[1].name: Duplicate value: 'v'"),
        BAD(VOLUMES("{'name':'v','hostPath':{'path':'/a/../b'}}", ""), "spec.volumes[0].hostPath.path: Invalid value: '/a/../b': must not contain '..'"),
        BAD(VOLUMES("{'name':'v','hostPath':{'path':'/a','type':'Dir'}}", ""),
            "spec.volumes[0].hostPath.type: Unsupported value: 'Dir': supported values: '', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', "
            "'File', 'FileOrCreate', 'Socket'"),
        BAD(VOLUMES("{'name':'v','secret':{}}", ""), "spec.volumes[0].secret.secretName: Required value"),
        BAD(VOLUMES("{'name':'v','configMap':{'name':'c','defaultMode':512}}", ""),
            "spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive"),
        BAD(VOLUMES("{'name':'v','configMap':{'name':'c','items':[{'key':'k','path':'..x'}]}}", ""),
            "spec.volumes[0].configMap.items[0].path: Invalid value: '..x': must not start with '..'"),
        BAD(VOLUMES("{'name':'v','persistentVolumeClaim':{}}", ""), "spec.volumes[0].persistentVolumeClaim.claimName: Required value"),
        BAD(VOLUMES("{'name':'v','projected':{'sources':[{'configMap':{'name':'c','items':[{'key':'k','path':'p'},{'key':'l','path':'p'}]}}]}}", ""),
            "spec.volumes[0].projected: Invalid value: 'c': conflicting duplicate paths"),
        BAD(VOLUMES("{'name':'v','downwardAPI':{'items':[{'path':'p'}]}}", ""),
            "spec.volumes[0].downwardAPI.items[0]: Required value: one of fieldRef and resourceFieldRef is required"),
    };
    TESTING_RUN(cases);
}

TEST(probes_and_hooks)
{
    static const struct testing_case cases[] = {
        GOOD(ONE(",'livenessProbe':{'httpGet':{'port':80}},'readinessProbe':{'exec':{'command':['x']},'successThreshold':3}")),
        BAD(ONE(",'livenessProbe':{}"), "spec.containers[0].livenessProbe: Required value: must specify a handler type"),
        BAD(ONE(",'livenessProbe':{'tcpSocket':{'port':80},'exec':{'command':['x']}}"),
            "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"),
        BAD(ONE(",'livenessProbe':{'tcpSocket':{'port':80},'successThreshold':2}"), "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"),
        BAD(ONE(",'readinessProbe':{'tcpSocket':{'port':'a--b'},'periodSeconds':-1}"),
            "[spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0, "
            "spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: 'a--b': must not contain consecutive hyphens]"),
        BAD(ONE(",'startupProbe':{'exec':{}}"), "spec.containers[0].startupProbe.exec.command: Required value"),
        BAD(ONE(",'startupProbe':{'grpc':{'port':0}}"), "spec.containers[0].startupProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive"),
        BAD(ONE(",'lifecycle':{'preStop':{}}"), "spec.containers[0].lifecycle.preStop: Required value: must specify a handler type"),
        BAD(ONE(",'lifecycle':{'preStop':{'sleep':{'seconds':60}}}"),
            "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 60: must be non-negative and less than terminationGracePeriodSeconds (30)"),
    };
    TESTING_RUN(cases);
}

TEST(spec_fields)
{
    static const struct testing_case cases[] = {
        BAD(WITH("'restartPolicy':'Maybe'"), "spec.restartPolicy: Unsupported value: 'Maybe': supported values: 'Always', 'OnFailure', 'Never'"),
        BAD(WITH("'dnsPolicy':'None'"), "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"),
        BAD(WITH("'dnsConfig':{'nameservers':['1.2.3']}"), "spec.dnsConfig.nameservers[0]: Invalid value: '1.2.3': must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        BAD(WITH("'activeDeadlineSeconds':0"), "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
        BAD(WITH("'hostname':'a.b'"), "spec.hostname: Invalid value: 'a.b': must not contain dots"),
        BAD(WITH("'hostAliases':[{'ip':'x'}]"), "spec.hostAliases[0].ip: Invalid value: 'x': must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        BAD(WITH("'schedulingGates':[{'name':'a'},{'name':'a'}]"), "spec.schedulingGates[1]: Duplicate value: 'a'"),
        BAD(WITH("'nodeName':'n','schedulingGates':[{'name':'a'}]"), "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"),
        BAD(WITH("'securityContext':{'runAsUser':-1}"), "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"),
        BAD(WITH("'securityContext':{'seccompProfile':{'type':'Localhost'}}"),
            "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"),
        BAD(WITH("'securityContext':{'sysctls':[{'name':'A','value':'1'}]}"),
            "spec.securityContext.sysctls[0].name: Invalid value: 'A': must have at most 253 characters and match regex "
            "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"),
        BAD(ONE(",'securityContext':{'allowPrivilegeEscalation':false,'privileged':true}"),
            "spec.containers[0].securityContext: Invalid value: {'allowPrivilegeEscalation':false,'privileged':true}: cannot set `allowPrivilegeEscalation` to false "
            "and `privileged` to true"),
        BAD(WITH("'os':{'name':'beos'}"), "spec.os.name: Unsupported value: 'beos': supported values: 'linux', 'windows'"),
    };
    TESTING_RUN(cases);
}

TEST(scheduling)
{
    static const struct testing_case cases[] = {
        GOOD(WITH("'tolerations':[{'operator':'Exists'},{'key':'a','value':'b','effect':'NoExecute','tolerationSeconds':5}]")),
        BAD(WITH("'tolerations':[{'value':'b'}]"),
            "spec.tolerations[0].operator: Invalid value: '': operator must be Exists when `key` is empty, which means 'match all values and all keys'"),
        BAD(WITH("'tolerations':[{'key':'a','operator':'Exists','value':'b'}]"),
            "spec.tolerations[0].operator: Invalid value: 'b': value must be empty when `operator` is 'Exists'"),
        BAD(WITH("'tolerations':[{'key':'a','operator':'In'}]"), "spec.tolerations[0].operator: Unsupported value: 'In': supported values: 'Equal', 'Exists'"),
        BAD(WITH("'tolerations':[{'key':'a','effect':'NoSchedule','tolerationSeconds':5}]"),
            "spec.tolerations[0].effect: Invalid value: 'NoSchedule': effect must be 'NoExecute' when `tolerationSeconds` is set"),
        BAD(WITH("'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[]}}}"),
            "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term"),
        BAD(WITH("'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':0,'preference':{'matchExpressions':[{'key':'a','operator':'Is'}]}}]}}"),
            "[spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100, "
            "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator: Invalid value: 'Is': not a valid "
            "selector operator]"),
        BAD(WITH("'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'labelSelector':{'matchExpressions':[{'key':'a','operator':'In'}]}}]}}"),
            "[spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty, "
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values: Required value: must be specified when "
            "`operator` is 'In' or 'NotIn']"),
        BAD(WITH("'topologySpreadConstraints':[{'maxSkew':0,'topologyKey':'z','whenUnsatisfiable':'x'}]"),
            "[spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero, spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "
            "'x': supported values: 'DoNotSchedule', 'ScheduleAnyway']"),
        BAD(WITH("'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'},{'maxSkew':2,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'}]"),
            "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: '{z, DoNotSchedule}'"),
    };
    TESTING_RUN(cases);
}

#define UPDATABLE                                                                                                                 \
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"  \
    "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
#define GATED "'schedulingGates':[{'name':'g'}]"
#define NOTED(annotations) "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n','annotations':{" annotations "}},'spec':{'containers':[" CTR() "]}}"
#define NOTE "metadata.annotations["

TEST(bandwidth_annotations)
{
    static const struct testing_case cases[] = {
        GOOD(NOTED("'kubernetes.io/egress-bandwidth':'10M','kubernetes.io/ingress-bandwidth':'1Gbps','cox.io/bandwidth-limits':'bob=20Mbps,10.9.0.0/16=1G','kuscia.secretflow/bandwidth-limit-bob':'100'")),
        BAD(NOTED("'kubernetes.io/egress-bandwidth':'10MBps'"), NOTE "kubernetes.io/egress-bandwidth]: Invalid value: '10MBps': '10MBps' is no bandwidth: B are bytes, and bandwidth is counted in bits: eight times as many, written with bps or bit/s"),
        BAD(NOTED("'kubernetes.io/ingress-bandwidth':''"), NOTE "kubernetes.io/ingress-bandwidth]: Invalid value: '': '' is no bandwidth: it starts with no number"),
        BAD(NOTED("'kubernetes.io/ingress-bandwidth':'0'"), NOTE "kubernetes.io/ingress-bandwidth]: Invalid value: '0': '0' is no bandwidth: it is zero; leave it out where nothing is wanted"),
        GOOD(NOTED("'cox.io/bandwidth-limits':'10.9.0.1=1G,1a=1M'")),
        BAD(NOTED("'cox.io/bandwidth-limits':'bob=1M,10.0.0.0/33=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: 'bob=1M,10.0.0.0/33=1M': '10.0.0.0/33' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        GOOD(NOTED("'cox.io/bandwidth-limits':'0.0.0.0/0=1G,10.9.0.1/32=1M,10.9.128.0/17=1M'")),
        BAD(NOTED("'cox.io/bandwidth-limits':'10.9.0.1/16=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: '10.9.0.1/16=1M': '10.9.0.1/16' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        BAD(NOTED("'cox.io/bandwidth-limits':'10.009.0.1=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: '10.009.0.1=1M': '10.009.0.1' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        BAD(NOTED("'cox.io/bandwidth-limits':'10.9.0.0/016=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: '10.9.0.0/016=1M': '10.9.0.0/016' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        BAD(NOTED("'cox.io/bandwidth-limits':'fd00::/64=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: 'fd00::/64=1M': 'fd00::/64' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        BAD(NOTED("'cox.io/bandwidth-limits':'Bob=1M'"), NOTE "cox.io/bandwidth-limits]: Invalid value: 'Bob=1M': 'Bob' is neither a domain nor a range of addresses as 10.9.0.0/16"),
        BAD(NOTED("'cox.io/bandwidth-limits':'a=1M,b=1M,c=1M,d=1M,e=1M,f=1M,g=1M,h=1M,i=1M,j=1M,k=1M,l=1M,m=1M,n=1M','kuscia.secretflow/bandwidth-limit-bob':'1'"),
            NOTE "cox.io/bandwidth-limits]: Too many: 15 destinations are given, a pod has limits to at most 14"),
        BAD(NOTED("'kubernetes.io/egress-bandwidth':'%s%n%999d'"), NOTE "kubernetes.io/egress-bandwidth]: Invalid value: '%s%n%999d': '%s%n%999d' is no bandwidth: it starts with no number"),
        BAD(NOTED("'cox.io/bandwidth-limits':'bob'"), NOTE "cox.io/bandwidth-limits]: Invalid value: 'bob': 'bob' is not of the form DESTINATION=BANDWIDTH, as bob=20Mbps"),
        BAD(NOTED("'kuscia.secretflow/bandwidth-limit-bob':'-1'"), NOTE "kuscia.secretflow/bandwidth-limit-bob]: Invalid value: '-1': '-1' is no number of KiB/s above 0"),
        BAD(NOTED("'kuscia.secretflow/bandwidth-limit-bob':'9223372036854775807'"),
            NOTE "kuscia.secretflow/bandwidth-limit-bob]: Invalid value: '9223372036854775807': '9223372036854775807' is no number of KiB/s above 0"),
        {NOTED("'kubernetes.io/egress-bandwidth':'much','a':'b'"), NOTED("'kubernetes.io/egress-bandwidth':'much'"), "", NULL},
        {NOTED("'kubernetes.io/egress-bandwidth':'-1'"), NOTED("'kubernetes.io/egress-bandwidth':'1M'"),
         NOTE "kubernetes.io/egress-bandwidth]: Invalid value: '-1': '-1' is no bandwidth: it is negative", NULL},
    };
    TESTING_RUN(cases);
}

TEST(updates)
{
    static const struct testing_case cases[] = {
        {POD("'containers':[{'name':'a','image':'j'}]"), ONE(), "", NULL},
        {WITH("'tolerations':[{'operator':'Exists'}]"), ONE(), "", NULL},
        {WITH("'nodeSelector':{'a':'b'}"), ONE(), "spec: Forbidden: " UPDATABLE "\n  nodeSelector: changed", NULL},
        {POD("'containers':[" CTR(",'command':['x']") "]"), ONE(), "spec: Forbidden: " UPDATABLE "\n  containers: changed", NULL},
        {POD("'containers':[" CTR() ",{'name':'b','image':'i'}]"), ONE(), "spec.containers: Forbidden: pod updates may not add or remove containers", NULL},
        {ONE(), WITH("'activeDeadlineSeconds':5"), "spec.activeDeadlineSeconds: Invalid value: 'null': must not update from a positive integer to nil value", NULL},
        {WITH("'activeDeadlineSeconds':6"), WITH("'activeDeadlineSeconds':5"), "spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value", NULL},
        {ONE(), WITH("'tolerations':[{'operator':'Exists'}]"), "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds", NULL},
        {WITH(GATED), ONE(), "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'", NULL},
        {WITH("'nodeSelector':{'a':'b'}"), WITH(GATED), "", NULL},
        {WITH(GATED ",'nodeSelector':{'a':'c'}"), WITH(GATED ",'nodeSelector':{'a':'b'}"),
         "spec.nodeSelector: Invalid value: {'a':'c'}: only additions to spec.nodeSelector are allowed (no mutations or deletions)", NULL},
        {WITH("'ephemeralContainers':[{'name':'e','image':'i'}]"), ONE(), "", "ephemeralcontainers"},
        {ONE(), WITH("'ephemeralContainers':[{'name':'e','image':'i'}]"), "spec.ephemeralContainers: Forbidden: existing ephemeral containers 'e' may not be removed\n",
         "ephemeralcontainers"},
        {WITH("'nodeName':'n'"), ONE(), "", "binding"},
        {ONE(",'resources':{'requests':{'cpu':'2'}}"), ONE(",'resources':{'requests':{'cpu':'1'}}"), "", "resize"},
        {ONE(",'command':['x'],'resources':{'requests':{'cpu':'2'}}"), ONE(",'resources':{'requests':{'cpu':'1'}}"),
         "spec: Forbidden: only cpu and memory resources are mutable", "resize"},
        {ONE(), ONE(",'resources':{'requests':{'cpu':'1'}}"), "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed", "resize"},
    };
    TESTING_RUN(cases);
}

TEST(status)
{
    static const struct testing_case cases[] = {
        {"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},'status':{'podIPs':[{'ip':'x'}]}}", ONE(),
         "status.podIPs[0]: Invalid value: 'x': must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", "status"},
        {"{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},'spec':{'restartPolicy':'Never'},'status':{'containerStatuses':[{'name':'a'}]}}",
         "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n'},'spec':{'restartPolicy':'Never'},'status':{'containerStatuses':[{'name':'a','state':"
         "{'terminated':{'exitCode':1}}}]}}",
         "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state", "status"},
    };
    TESTING_RUN(cases);
}

TEST_MAIN(containers, ports_and_environment, resources, volumes, probes_and_hooks, spec_fields, scheduling, bandwidth_annotations, updates, status)
