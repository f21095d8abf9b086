/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "cli/access.h"
#include "cli/describe_node.h"
#include "wire/yaml.h"

/* Describes an object without a server: lists that would be asked for are empty. */
static void check(const char *group, const char *yaml, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct describe d = {.arena = &a};
    struct json obj = json_null();
    T_NO_ERR(yaml_parse(&a, str_of(yaml), NULL, &obj, &err), &err);
    struct discovery_resource res = {.group = str_of(group), .kind = json_get_str(&obj, S("kind"))};
    const struct json *meta = json_get(&obj, S("metadata"));
    describe_object(
        &d, &(struct target){
                .res = &res, .ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name")), .object = obj});
    T_EQ_STR(strbuf_str(&d.out), want);
    strbuf_fini(&d.out);
}

TEST(describe_a_pod)
{
    check(
        "",
        "kind: Pod\nmetadata: {name: web, namespace: ns, labels: {b: '2', a: '1'}, ownerReferences: [{kind: ReplicaSet, name: rs, controller: true}]}\n"
        "spec:\n  priority: 0\n  nodeName: n1\n  serviceAccountName: sa\n  containers:\n  - name: c\n    image: img:1\n    command: [sh, \"a\\nb\"]\n"
        "    ports: [{containerPort: 80, protocol: TCP}]\n    resources: {limits: {memory: 1Gi, cpu: '1'}}\n"
        "    env: [{name: A, value: '1'}, {name: LONGER, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n"
        "    volumeMounts: [{name: v, mountPath: /v, readOnly: true}]\n  volumes: [{name: v, emptyDir: {}}]\n"
        "  tolerations: [{key: x, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]\n"
        "status:\n  phase: Running\n  startTime: '2026-01-02T03:04:05Z'\n  podIP: 10.0.0.1\n  hostIP: 10.1.1.1\n  podIPs: [{ip: 10.0.0.1}]\n  qosClass: Burstable\n"
        "  conditions: [{type: Ready, status: 'True'}]\n  containerStatuses: [{name: c, containerID: x, imageID: id, ready: true, restartCount: 1, state: {running: {startedAt: '2026-01-02T03:04:05Z'}}}]\n",
        "Name:             web\nNamespace:        ns\nPriority:         0\nService Account:  sa\nNode:             n1/10.1.1.1\nStart Time:       Fri, 02 Jan 2026 03:04:05 +0000\n"
        "Labels:           a=1\n                  b=2\nAnnotations:      <none>\nStatus:           Running\nIP:               10.0.0.1\nIPs:\n  IP:           10.0.0.1\n"
        "Controlled By:  ReplicaSet/rs\nContainers:\n  c:\n    Container ID:  x\n    Image:         img:1\n    Image ID:      id\n    Port:          80/TCP\n    Host Port:     0/TCP\n"
        "    Command:\n      sh\n      a\n      b\n    State:          Running\n      Started:      Fri, 02 Jan 2026 03:04:05 +0000\n    Ready:          True\n    Restart Count:  1\n"
        "    Limits:\n      cpu:     1\n      memory:  1Gi\n    Environment:\n      A:       1\n      LONGER:  <set to the key 'k' in secret 's'>  Optional: false\n"
        "    Mounts:\n      /v from v (ro)\nConditions:\n  Type    Status\n  Ready   True \nVolumes:\n  v:\n    Type:        EmptyDir (a temporary directory that shares a pod's lifetime)\n"
        "    Medium:      \n    SizeLimit:   <unset>\nQoS Class:       Burstable\nNode-Selectors:  <none>\nTolerations:     x:NoExecute op=Exists for 300s\n");
}

TEST(describe_a_config_map)
{
    check(
        "", "kind: ConfigMap\nmetadata: {name: c, namespace: n1}\ndata: {b: '2', a: \"1\\n1\"}\nbinaryData: {x: AAEC}\n",
        "Name:         c\nNamespace:    n1\nLabels:       <none>\nAnnotations:  <none>\n\nData\n====\na:\n----\n1\n1\n\nb:\n----\n2\n\n\nBinaryData\n====\nx: 3 bytes\n\n");
}

TEST(describe_annotations)
{
    check(
        "",
        "kind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{}'\n    multi: \"l1\\nl2\\n\"\n    short: x\ntype: Opaque\ndata: {k: YWJj}\n",
        "Name:         s\nNamespace:    \nLabels:       <none>\nAnnotations:  multi:\n                l1\n                l2\n              short: x\n\nType:  Opaque\n\nData\n====\nk:  3 bytes\n");
}

TEST(describe_anything)
{
    check(
        "example.io",
        "apiVersion: example.io/v1\nkind: Foo\nmetadata: {name: f, namespace: x, creationTimestamp: t, uid: u, managedFields: [1]}\n"
        "spec: {someURL: a, podIPs: [1, {deepAPIThing: true}], with-dash: 1.5, n1: 2, none: null}\n",
        "Name:         f\nNamespace:    x\nLabels:       <none>\nAnnotations:  <none>\nAPI Version:  example.io/v1\nKind:         Foo\nMetadata:\n  Creation Timestamp:  t\n  UID:                 u\n"
        "Spec:\n  n1:    2\n  None:  <nil>\n  Pod I Ps:\n    1\n    Deep API Thing:  true\n  Some URL:          a\n  With - Dash:       1.5\n");
}

TEST(describe_rules_are_gathered)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    struct json rules = json_literal(
        &a,
        "[{\"apiGroups\":[\"apps\"],\"resources\":[\"deployments/scale\"],\"verbs\":[\"get\"]},{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"list\",\"get\"]},"
        "{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"get\",\"watch\"]},{\"nonResourceURLs\":[\"/x\"],\"verbs\":[\"get\"]}]");
    struct access_list l = {.arena = &a};
    access_add_rules(&l, &rules);
    access_write(&l, &b, " ");
    access_fini(&l);
    T_EQ_STR(strbuf_str(&b), " \t[/x]\t[]\t[get]\n deployments.apps/scale\t[]\t[]\t[get]\n pods\t[]\t[]\t[list get watch]\n");
}

TEST(describe_sums_of_a_pod)
{
    ARENA_AUTO a = ARENA_INIT;
    struct amounts s;
    struct json pod = json_literal(
        &a,
        "{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"}}},{\"resources\":{\"requests\":{\"cpu\":\"200m\"}}}],"
        "\"initContainers\":[{\"restartPolicy\":\"Always\",\"resources\":{\"requests\":{\"cpu\":\"50m\"}}},{\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],"
        "\"overhead\":{\"cpu\":\"10m\"}}}");
    node_pod_amounts(&a, &pod, "requests", &s);
    T_EQ_INT(s.len, 2);
    T_EQ_STR(quantity_format(&a, &s.list[0].value), "1060m"); /* the init container beside the sidecar, and the overhead */
    T_EQ_STR(quantity_format(&a, &s.list[1].value), "1Gi");
}

TEST(describe_times)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json t = json_string(S("1999-12-31T23:59:59Z")), none = json_null();
    T_EQ_STR(describe_time(&a, &t), "Fri, 31 Dec 1999 23:59:59 +0000");
    T_EQ_STR(describe_time(&a, &none), "<unset>");
}

TEST_MAIN(describe_a_pod, describe_a_config_map, describe_annotations, describe_anything, describe_rules_are_gathered,
          describe_sums_of_a_pod, describe_times)
