/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_testing.h"

#define META "'metadata':{'name':'x','namespace':'n'}"
#define GLOBAL "'metadata':{'name':'x'}"
#define OBJ(version, kind, rest) "{'apiVersion':'" version "','kind':'" kind "'," META "," rest "}"
#define GLOBAL_OBJ(version, kind, rest) "{'apiVersion':'" version "','kind':'" kind "'," GLOBAL "," rest "}"
#define BAD(text, message) {text, NULL, message, NULL}
#define GOOD(text) {text, NULL, "", NULL}
#define POD "'containers':[{'name':'a','image':'i'}]"
#define LABELS "'metadata':{'labels':{'a':'b'}}"
#define TEMPLATE "'template':{" LABELS ",'spec':{" POD "}}"
#define SELECTOR "'selector':{'matchLabels':{'a':'b'}}"

#define DEPLOY(spec) OBJ("apps/v1", "Deployment", "'spec':{" spec "}")
#define RS(spec) OBJ("apps/v1", "ReplicaSet", "'spec':{" spec "}")
#define STS(spec) OBJ("apps/v1", "StatefulSet", "'spec':{" spec "}")
#define DS(spec) OBJ("apps/v1", "DaemonSet", "'spec':{" spec "}")
TEST(apps)
{
    static const struct testing_case cases[] = {
        GOOD(DEPLOY(SELECTOR "," TEMPLATE)),
        BAD(DEPLOY(TEMPLATE), "[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {'a':'b'}: `selector` does not match template `labels`]"),
        BAD(DEPLOY("'selector':{'matchLabels':{'a':'c'}}," TEMPLATE), "spec.template.metadata.labels: Invalid value: {'a':'b'}: `selector` does not match template `labels`"),
        BAD(DEPLOY("'selector':{}," TEMPLATE), "spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
        BAD(DEPLOY(SELECTOR ",'replicas':-1," TEMPLATE), "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        BAD(DEPLOY(SELECTOR ",'template':{" LABELS ",'spec':{'restartPolicy':'Never'," POD "}}"),
            "spec.template.spec.restartPolicy: Unsupported value: 'Never': supported values: 'Always'"),
        BAD(DEPLOY(SELECTOR ",'template':{" LABELS ",'spec':{'containers':[{'name':'a'}]}}"), "spec.template.spec.containers[0].image: Required value"),
        BAD(DEPLOY(SELECTOR "," TEMPLATE ",'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxSurge':0,'maxUnavailable':0}}"),
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"),
        BAD(DEPLOY(SELECTOR "," TEMPLATE ",'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'101%'}}"),
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: '101%': must not be greater than 100%"),
        BAD(DEPLOY(SELECTOR "," TEMPLATE ",'strategy':{'type':'Recreate','rollingUpdate':{}}"),
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"),
        BAD(DEPLOY(SELECTOR "," TEMPLATE ",'minReadySeconds':600"), "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"),
        {DEPLOY("'selector':{'matchLabels':{'a':'b'},'matchExpressions':[{'key':'a','operator':'Exists'}]}," TEMPLATE), DEPLOY(SELECTOR "," TEMPLATE),
         "spec.selector: Invalid value: {'matchLabels':{'a':'b'},'matchExpressions':[{'key':'a','operator':'Exists'}]}: field is immutable", NULL},
        {DEPLOY(SELECTOR ",'replicas':5," TEMPLATE), DEPLOY(SELECTOR "," TEMPLATE), "", NULL},
        BAD(RS(SELECTOR ",'replicas':-1," TEMPLATE), "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        GOOD(STS(SELECTOR "," TEMPLATE ",'serviceName':'s'")),
        BAD(STS(SELECTOR "," TEMPLATE ",'updateStrategy':{'type':'OnDelete','rollingUpdate':{'partition':1}}"),
            "spec.updateStrategy.rollingUpdate: Invalid value: {'partition':1}: only allowed for updateStrategy 'RollingUpdate'"),
        {STS(SELECTOR "," TEMPLATE ",'serviceName':'t'"), STS(SELECTOR "," TEMPLATE ",'serviceName':'s'"),
         "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
         "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden", NULL},
        {STS(SELECTOR "," TEMPLATE ",'serviceName':'s','replicas':3,'volumeClaimTemplates':[{'metadata':{'name':'d'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':"
             "{'storage':'1Gi'}}}}]"),
         STS(SELECTOR "," TEMPLATE ",'serviceName':'s','volumeClaimTemplates':[{'metadata':{'name':'d'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':"
             "{'storage':'1Gi'}}}}]"), "", NULL},
        GOOD(DS(SELECTOR "," TEMPLATE)),
        BAD(DS(SELECTOR "," TEMPLATE ",'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':0}}"),
            "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"),
        BAD(OBJ("v1", "ReplicationController", "'spec':{'selector':{'a':'c'}," TEMPLATE "}"),
            "spec.template.metadata.labels: Invalid value: {'a':'b'}: `selector` does not match template `labels`"),
        {OBJ("apps/v1", "Deployment", "'status':{'replicas':1,'readyReplicas':2}"), DEPLOY(SELECTOR "," TEMPLATE),
         "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas", "status"},
    };
    TESTING_RUN(cases);
}

#define JOB_POD "'template':{" LABELS ",'spec':{'restartPolicy':'Never'," POD "}}"
#define JOB(spec) OBJ("batch/v1", "Job", "'spec':{" spec "}")
#define CRON(spec) OBJ("batch/v1", "CronJob", "'spec':{" spec ",'jobTemplate':{'spec':{" JOB_POD "}}}")
TEST(batch)
{
    static const struct testing_case cases[] = {
        GOOD(JOB(SELECTOR "," JOB_POD)),
        BAD(JOB(SELECTOR "," TEMPLATE), "spec.template.spec.restartPolicy: Required value: valid values: 'OnFailure', 'Never'"),
        BAD(JOB(JOB_POD), "spec.selector: Required value"),
        BAD(JOB(SELECTOR ",'parallelism':-1," JOB_POD), "spec.parallelism: Invalid value: -1: must be greater than or equal to 0"),
        BAD(JOB(SELECTOR ",'completionMode':'Indexed','parallelism':1," JOB_POD), "spec.completions: Required value: when completion mode is Indexed"),
        BAD(JOB(SELECTOR ",'backoffLimitPerIndex':1," JOB_POD), "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
        BAD(JOB(SELECTOR ",'podFailurePolicy':{'rules':[{'action':'Ignore'}]}," JOB_POD),
            "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required"),
        BAD(JOB(SELECTOR ",'podFailurePolicy':{'rules':[{'action':'Ignore','onExitCodes':{'operator':'In','values':[0]}}]}," JOB_POD),
            "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"),
        BAD(JOB(SELECTOR ",'completionMode':'Indexed','completions':3,'successPolicy':{'rules':[{'succeededIndexes':'0-5'}]}," JOB_POD),
            "spec.successPolicy.rules[0].succeededIndexes: Invalid value: '0-5': error parsing succeededIndexes: too large index: '5'"),
        {JOB(SELECTOR ",'completions':3," JOB_POD), JOB(SELECTOR ",'completions':2," JOB_POD), "spec.completions: Invalid value: 3: field is immutable", NULL},
        {JOB(SELECTOR ",'template':{" LABELS ",'spec':{'restartPolicy':'Never','containers':[{'name':'a','image':'j'}]}}"), JOB(SELECTOR "," JOB_POD),
         "spec.template: Invalid value: {'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Never','containers':[{'name':'a','image':'j','imagePullPolicy':'Always',"
         "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File'}],'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst','securityContext':{},"
         "'schedulerName':'default-scheduler'}}: field is immutable", NULL},
        {JOB(SELECTOR ",'parallelism':3," JOB_POD), JOB(SELECTOR ",'parallelism':1," JOB_POD), "", NULL},
        GOOD(CRON("'schedule':'*/5 0-12/2 * jan-mar,12 mon','timeZone':'Europe/Berlin'")),
        GOOD(CRON("'schedule':'@hourly'")),
        GOOD(CRON("'schedule':'@every 1h30m'")),
        BAD(CRON("'schedule':'* * * *'"), "spec.schedule: Invalid value: '* * * *': expected exactly 5 fields, found 4: [* * * *]"),
        BAD(CRON("'schedule':'60 * * * *'"), "spec.schedule: Invalid value: '60 * * * *': end of range (60) above maximum (59): 60"),
        BAD(CRON("'schedule':'@often'"), "spec.schedule: Invalid value: '@often': unrecognized descriptor: @often"),
        BAD(CRON("'schedule':'TZ=UTC * * * * *'"), "spec.schedule: Invalid value: 'TZ=UTC * * * * *': cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
        BAD(CRON("'schedule':'* * * * *','timeZone':'Local'"),
            "spec.timeZone: Invalid value: 'Local': timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"),
        BAD(CRON("'schedule':'* * * * *','concurrencyPolicy':'Some'"), "spec.concurrencyPolicy: Unsupported value: 'Some': supported values: 'Allow', 'Forbid', 'Replace'"),
        BAD("{'apiVersion':'batch/v1','kind':'CronJob','metadata':{'namespace':'n','name':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'},'spec':{'schedule':'* * * * *','jobTemplate':{"
            "'spec':{" JOB_POD "}}}}",
            "metadata.name: Invalid value: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa': must be no more than 52 characters"),
    };
    TESTING_RUN(cases);
}

#define RBAC(kind, rest) OBJ("rbac.authorization.k8s.io/v1", kind, rest)
#define ROLE_REF(name) "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'" name "'}"
TEST(rbac)
{
    static const struct testing_case cases[] = {
        GOOD(RBAC("Role", "'rules':[{'verbs':['get'],'apiGroups':[''],'resources':['pods']}]")),
        BAD(RBAC("Role", "'rules':[{'apiGroups':[''],'resources':['pods']}]"), "rules[0].verbs: Required value: verbs must contain at least one value"),
        BAD(RBAC("Role", "'rules':[{'verbs':['get']}]"), "[rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: "
                                                        "resource rules must supply at least one resource]"),
        BAD(RBAC("Role", "'rules':[{'verbs':['get'],'nonResourceURLs':['/x']}]"),
            "rules[0].nonResourceURLs: Invalid value: ['/x']: namespaced rules cannot apply to non-resource URLs"),
        GOOD(RBAC("RoleBinding", ROLE_REF("r") ",'subjects':[{'kind':'User','apiGroup':'rbac.authorization.k8s.io','name':'u'}]")),
        BAD(RBAC("RoleBinding", ROLE_REF("r") ",'subjects':[{'kind':'Robot','name':'u'}]"),
            "subjects[0].kind: Unsupported value: 'Robot': supported values: 'ServiceAccount', 'User', 'Group'"),
        BAD(RBAC("RoleBinding", "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Pod','name':'r'}"),
            "roleRef.kind: Unsupported value: 'Pod': supported values: 'Role', 'ClusterRole'"),
        {RBAC("RoleBinding", ROLE_REF("s")), RBAC("RoleBinding", ROLE_REF("r")),
         "roleRef: Invalid value: {'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'s'}: cannot change roleRef", NULL},
    };
    TESTING_RUN(cases);
}

#define NET(kind, spec) OBJ("networking.k8s.io/v1", kind, "'spec':{" spec "}")
#define BACKEND "'backend':{'service':{'name':'s','port':{'number':80}}}"
TEST(network)
{
    static const struct testing_case cases[] = {
        GOOD(NET("Ingress", "'rules':[{'host':'*.example.com','http':{'paths':[{'path':'/','pathType':'Prefix'," BACKEND "}]}}]")),
        BAD(NET("Ingress", ""), "spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"),
        BAD(NET("Ingress", "'rules':[{'host':'1.2.3.4'}]"), "spec.rules[0].host: Invalid value: '1.2.3.4': must be a DNS name, not an IP address"),
        BAD(NET("Ingress", "'rules':[{'http':{'paths':[{'path':'/'," BACKEND "}]}}]"), "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"),
        BAD(NET("Ingress", "'rules':[{'http':{'paths':[{'path':'x','pathType':'Exact'," BACKEND "}]}}]"), "spec.rules[0].http.paths[0].path: Invalid value: 'x': must be an absolute path"),
        BAD(NET("Ingress", "'rules':[{'http':{'paths':[{'path':'/a//b','pathType':'Exact'," BACKEND "}]}}]"),
            "spec.rules[0].http.paths[0].path: Invalid value: '/a//b': must not contain '//'"),
        BAD(NET("Ingress", "'defaultBackend':{'service':{'name':'s'}}"), "spec.defaultBackend: Required value: port name or number is required"),
        BAD(GLOBAL_OBJ("networking.k8s.io/v1", "IngressClass", "'spec':{'controller':'x'}"),
            "spec.controller: Invalid value: 'x': must be a domain-prefixed path (such as 'acme.io/foo')"),
        GOOD(NET("NetworkPolicy", "'podSelector':{},'ingress':[{'from':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['10.1.0.0/16']}}],'ports':[{'port':80,'endPort':90}]}]")),
        BAD(NET("NetworkPolicy", "'podSelector':{},'ingress':[{'from':[{}]}]"), "spec.ingress[0].from[0]: Required value: must specify a peer"),
        BAD(NET("NetworkPolicy", "'podSelector':{},'ingress':[{'from':[{'ipBlock':{'cidr':'10.0.0.0/8','except':['11.0.0.0/16']}}]}]"),
            "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: '11.0.0.0/16': must be a strict subset of `cidr`"),
        BAD(NET("NetworkPolicy", "'podSelector':{},'policyTypes':['Sideways']"), "spec.policyTypes[0]: Unsupported value: 'Sideways': supported values: 'Ingress', 'Egress'"),
        GOOD(OBJ("discovery.k8s.io/v1", "EndpointSlice", "'addressType':'IPv4','endpoints':[{'addresses':['10.0.0.1']}]")),
        BAD(OBJ("discovery.k8s.io/v1", "EndpointSlice", "'addressType':'IPv6','endpoints':[{'addresses':['10.0.0.1']}]"),
            "endpoints[0].addresses: Invalid value: '10.0.0.1': must be an IPv6 address"),
        BAD(OBJ("discovery.k8s.io/v1", "EndpointSlice", "'addressType':'IPv4','endpoints':[{}]"), "endpoints[0].addresses: Required value: must contain at least 1 address"),
    };
    TESTING_RUN(cases);
}

#define HPA(spec) OBJ("autoscaling/v2", "HorizontalPodAutoscaler", "'spec':{'scaleTargetRef':{'kind':'Deployment','name':'d'}," spec "}")
#define CPU(target) "'metrics':[{'type':'Resource','resource':{'name':'cpu','target':{" target "}}}]"
TEST(misc)
{
    static const struct testing_case cases[] = {
        GOOD(HPA("'maxReplicas':3," CPU("'type':'Utilization','averageUtilization':80"))),
        BAD(HPA("'maxReplicas':0"), "[spec.maxReplicas: Invalid value: 0: must be greater than 0, spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]"),
        BAD(HPA("'maxReplicas':1," CPU("'type':'Utilization'")),
            "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization"),
        BAD(HPA("'maxReplicas':1,'metrics':[{'type':'Pods'}]"), "spec.metrics[0].pods: Required value: must populate information for the given metric source"),
        BAD(OBJ("policy/v1", "PodDisruptionBudget", "'spec':{'minAvailable':1,'maxUnavailable':1}"),
            "spec: Invalid value: {'minAvailable':1,'maxUnavailable':1}: minAvailable and maxUnavailable cannot be both set"),
        BAD(OBJ("policy/v1", "PodDisruptionBudget", "'spec':{'minAvailable':'x'}"),
            "spec.minAvailable: Invalid value: 'x': a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"),
        GOOD(GLOBAL_OBJ("scheduling.k8s.io/v1", "PriorityClass", "'value':1000000000")),
        BAD(GLOBAL_OBJ("scheduling.k8s.io/v1", "PriorityClass", "'value':1000000001"), "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"),
        {GLOBAL_OBJ("scheduling.k8s.io/v1", "PriorityClass", "'value':2"), GLOBAL_OBJ("scheduling.k8s.io/v1", "PriorityClass", "'value':1"),
         "value: Forbidden: may not be changed in an update.", NULL},
        BAD("{'apiVersion':'scheduling.k8s.io/v1','kind':'PriorityClass','metadata':{'name':'system-x'},'value':1}",
            "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class"),
        BAD(OBJ("coordination.k8s.io/v1", "Lease", "'spec':{'leaseDurationSeconds':0}"), "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"),
        BAD(GLOBAL_OBJ("certificates.k8s.io/v1", "CertificateSigningRequest", "'spec':{'request':'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0=','signerName':'example.com/own'}"),
            "spec.usages: Required value: usages must be specified"),
        GOOD(GLOBAL_OBJ("certificates.k8s.io/v1", "CertificateSigningRequest",
                        "'spec':{'request':'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0=','signerName':'example.com/own','usages':['client auth'],'expirationSeconds':600}")),
        BAD(GLOBAL_OBJ("certificates.k8s.io/v1", "CertificateSigningRequest",
                       "'spec':{'request':'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0=','signerName':'kubernetes.io/legacy-unknown','usages':['client auth']}"),
            "spec.signerName: Invalid value: 'kubernetes.io/legacy-unknown': the legacy signerName is not allowed via this API version"),
        BAD(GLOBAL_OBJ("node.k8s.io/v1", "RuntimeClass", "'handler':'A'"),
            "handler: Invalid value: 'A': a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
            "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"),
    };
    TESTING_RUN(cases);
}

TEST_MAIN(apps, batch, rbac, network, misc)
