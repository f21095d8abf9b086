/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"

#include "api/table_cells.h"
#include "base/civil.h"
#include "base/test.h"

#define META(more) "\"metadata\":{\"name\":\"x\",\"namespace\":\"ns\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"" more "}"

/* Ten days after the objects were made. */
static nsec_t now_ns(void)
{
    nsec_t t = 0;
    T_OK(civil_parse(S("2026-01-11T00:00:00Z"), &t));
    return t;
}

static const struct api_resource *resource(const char *group, const char *kind)
{
    for (size_t i = 0; i < api_builtin_count; i++)
        if (str_is(api_builtin_resources[i]->group, group) && str_is(api_builtin_resources[i]->kind, kind))
            return api_builtin_resources[i];
    T_FAIL_("no resource %s in '%s'", kind, group);
    return NULL;
}

/* The cells array of a row. */
static str cells_of(struct arena *a, const struct api_resource *r, const char *object)
{
    struct json obj = json_literal(a, object);
    struct strbuf b = strbuf_on(a);
    table_write_row(a, &b, r, &obj, S(""), TABLE_INCLUDE_NONE, now_ns());
    struct json row;
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(a, strbuf_str(&b), NULL, &row, &err), &err);
    return json_text(a, json_get(&row, S("cells")));
}

TEST(registry_is_sorted)
{
    for (size_t i = 1; i < table_cell_def_count; i++)
        if (str_cmp(table_cell_defs[i - 1].name, table_cell_defs[i].name) >= 0)
            T_FAIL_(STR_FMT " stands in the wrong place", STR_ARG(table_cell_defs[i].name));
    T_OK(table_has_cell(S("age")) && !table_has_cell(S("nonsense")) && !table_has_cell(S("")));
}

TEST(every_builtin_column_has_a_source)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        for (size_t k = 0; k < r->ncolumns; k++) {
            const struct api_column *c = &r->columns[k];
            if (c->cell.len ? !table_has_cell(c->cell) : !c->json_path.len)
                T_FAIL_(STR_FMT " column " STR_FMT ": no function " STR_FMT, STR_ARG(r->kind), STR_ARG(c->name), STR_ARG(c->cell));
        }
    }
}

/* An empty object must be printable as every kind. */
TEST(every_builtin_prints_an_empty_object)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < api_builtin_count; i++) {
        struct json cells = json_literal(&a, arena_cstr(&a, cells_of(&a, api_builtin_resources[i], "{}")));
        T_OK(cells.len >= 2);
    }
}

struct cells_case {
    const char *group, *kind, *object, *cells;
};

/* What kubectl shows in angle brackets. */
#define NONE "\\u003cnone\\u003e"
#define UNSET "\\u003cunset\\u003e"
#define UNKNOWN "\\u003cunknown\\u003e"

static void check_cells(const struct cells_case *cases, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < n; i++) {
        str got = cells_of(&a, resource(cases[i].group, cases[i].kind), cases[i].object);
        if (!str_is(got, cases[i].cells))
            T_FAIL_("%s case %zu is\n#   " STR_FMT ", expected\n#   %s", cases[i].kind, i, STR_ARG(got), cases[i].cells);
    }
}

TEST(pod_rows)
{
#define SPEC "\"spec\":{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}"
#define INIT "\"spec\":{\"initContainers\":[{\"name\":\"i\"},{\"name\":\"s\",\"restartPolicy\":\"Always\"}],\"containers\":[{\"name\":\"a\"}]}"
#define RUN(name) "{\"name\":\"" name "\",\"ready\":true,\"restartCount\":0,\"state\":{\"running\":{}}}"
#define REST ",\"10d\",\"" NONE "\",\"" NONE "\",\"" NONE "\",\"" NONE "\"]"
#define RESTN ",\"10d\",\"" NONE "\",\"n1\",\"" NONE "\",\"" NONE "\"]"
    static const struct cells_case cases[] = {
        {"", "Pod", "{" META("") "," SPEC ",\"status\":{\"phase\":\"Pending\"}}", "[\"x\",\"0/2\",\"Pending\",\"0\"" RESTN},
        {"", "Pod",
         "{" META("") "," SPEC ",\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}],\"containerStatuses\":["
         RUN("a") "," RUN("b") "]}}",
         "[\"x\",\"2/2\",\"Running\",\"0\",\"10d\",\"10.0.0.1\",\"n1\",\"" NONE "\",\"" NONE "\"]"},
        {"", "Pod",
         "{" META("") "," SPEC ",\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"ready\":false,\"restartCount\":3,"
         "\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}},\"lastState\":{\"terminated\":{\"exitCode\":1,\"finishedAt\":\"2026-01-10T23:55:00Z\"}}},"
         RUN("b") "]}}",
         "[\"x\",\"1/2\",\"CrashLoopBackOff\",\"3 (5m ago)\"" RESTN},
        {"", "Pod",
         "{" META("") "," SPEC ",\"status\":{\"phase\":\"Succeeded\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{\"exitCode\":0,"
         "\"reason\":\"Completed\"}}}]}}",
         "[\"x\",\"0/2\",\"Completed\",\"0\"" RESTN},
        {"", "Pod",
         "{" META("") "," SPEC ",\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}],\"containerStatuses\":["
         "{\"name\":\"a\",\"state\":{\"terminated\":{\"exitCode\":0,\"reason\":\"Completed\"}}}," RUN("b") "]}}",
         "[\"x\",\"1/2\",\"NotReady\",\"0\"" RESTN},
        {"", "Pod", "{" META("") "," SPEC ",\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{\"exitCode\":137,"
         "\"signal\":9}}}]}}", "[\"x\",\"0/2\",\"Signal:9\",\"0\"" RESTN},
        {"", "Pod", "{" META("") "," SPEC ",\"status\":{\"phase\":\"Failed\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{\"exitCode\":2}}}]}}",
         "[\"x\",\"0/2\",\"ExitCode:2\",\"0\"" RESTN},
        {"", "Pod", "{" META("") "," SPEC ",\"status\":{\"phase\":\"Failed\",\"reason\":\"Evicted\"}}", "[\"x\",\"0/2\",\"Evicted\",\"0\"" RESTN},
        {"", "Pod", "{" META(",\"deletionTimestamp\":\"2026-01-10T00:00:00Z\"") "," SPEC ",\"status\":{\"phase\":\"Running\",\"containerStatuses\":[" RUN("a") "]}}",
         "[\"x\",\"1/2\",\"Terminating\",\"0\"" RESTN},
        {"", "Pod", "{" META(",\"deletionTimestamp\":\"2026-01-10T00:00:00Z\"") "," SPEC ",\"status\":{\"phase\":\"Succeeded\"}}",
         "[\"x\",\"0/2\",\"Succeeded\",\"0\"" RESTN},
        {"", "Pod", "{" META(",\"deletionTimestamp\":\"2026-01-10T00:00:00Z\"") "," SPEC ",\"status\":{\"phase\":\"Running\",\"reason\":\"NodeLost\"}}",
         "[\"x\",\"0/2\",\"Unknown\",\"0\"" RESTN},
        {"", "Pod", "{" META("") "," SPEC ",\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
         "\"reason\":\"SchedulingGated\"}]}}", "[\"x\",\"0/2\",\"SchedulingGated\",\"0\"" RESTN},
        {"", "Pod", "{" META("") "," INIT ",\"status\":{\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"running\":{}}}]}}",
         "[\"x\",\"0/2\",\"Init:0/2\",\"0\"" REST},
        {"", "Pod", "{" META("") "," INIT ",\"status\":{\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":2,"
         "\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}}]}}", "[\"x\",\"0/2\",\"Init:CrashLoopBackOff\",\"2\"" REST},
        {"", "Pod", "{" META("") "," INIT ",\"status\":{\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"terminated\":{\"exitCode\":3}}}]}}",
         "[\"x\",\"0/2\",\"Init:ExitCode:3\",\"0\"" REST},
        {"", "Pod", "{" META("") "," INIT ",\"status\":{\"phase\":\"Running\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"terminated\":{\"exitCode\":0}}},"
         "{\"name\":\"s\",\"started\":true,\"ready\":true,\"restartCount\":1,\"state\":{\"running\":{}}}],\"containerStatuses\":[" RUN("a") "]}}",
         "[\"x\",\"2/2\",\"Running\",\"1\"" REST},
        {"", "Pod", "{" META("") ",\"spec\":{\"readinessGates\":[{\"conditionType\":\"a\"},{\"conditionType\":\"b\"}]},\"status\":{\"nominatedNodeName\":\"n2\","
         "\"conditions\":[{\"type\":\"a\",\"status\":\"True\"}]}}", "[\"x\",\"0/0\",\"\",\"0\",\"10d\",\"" NONE "\",\"" NONE "\",\"n2\",\"1/2\"]"},
    };
    check_cells(cases, ARRAY_LEN(cases));
}

TEST(workload_rows)
{
#define TEMPLATE "\"template\":{\"spec\":{\"nodeSelector\":{\"b\":\"2\",\"a\":\"1\"},\"containers\":[{\"name\":\"c1\",\"image\":\"i1\"},{\"name\":\"c2\",\"image\":\"i2\"}]}}"
#define SELECTOR "\"selector\":{\"matchLabels\":{\"app\":\"web\"},\"matchExpressions\":[{\"key\":\"t\",\"operator\":\"In\",\"values\":[\"b\",\"a\"]}]}"
#define WIDE ",\"c1,c2\",\"i1,i2\""
    static const struct cells_case cases[] = {
        {"apps", "Deployment", "{" META("") ",\"spec\":{\"replicas\":3," SELECTOR "," TEMPLATE "},\"status\":{\"readyReplicas\":2,\"updatedReplicas\":1}}",
         "[\"x\",\"2/3\",1,0,\"10d\"" WIDE ",\"app=web,t in (a,b)\"]"},
        {"apps", "ReplicaSet", "{" META("") ",\"spec\":{\"replicas\":3,\"selector\":{}," TEMPLATE "},\"status\":{\"replicas\":2}}",
         "[\"x\",3,2,0,\"10d\"" WIDE ",\"" NONE "\"]"},
        {"", "ReplicationController", "{" META("") ",\"spec\":{\"replicas\":1,\"selector\":{\"b\":\"2\",\"a\":\"1\"}," TEMPLATE "}}",
         "[\"x\",1,0,0,\"10d\"" WIDE ",\"a=1,b=2\"]"},
        {"apps", "DaemonSet", "{" META("") ",\"spec\":{" SELECTOR "," TEMPLATE "},\"status\":{\"desiredNumberScheduled\":5,\"currentNumberScheduled\":4,"
         "\"numberReady\":3,\"updatedNumberScheduled\":2,\"numberAvailable\":1}}",
         "[\"x\",5,4,3,2,1,\"a=1,b=2\",\"10d\"" WIDE ",\"app=web,t in (a,b)\"]"},
        {"apps", "StatefulSet", "{" META("") ",\"spec\":{\"replicas\":3," TEMPLATE "}}", "[\"x\",\"0/3\",\"10d\"" WIDE "]"},
        {"apps", "ControllerRevision", "{" META(",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"name\":\"web\",\"controller\":true}]")
         ",\"revision\":4}", "[\"x\",\"statefulset.apps/web\",4,\"10d\"]"},
        {"batch", "Job", "{" META("") ",\"spec\":{\"completions\":3,\"parallelism\":2," TEMPLATE "},\"status\":{\"succeeded\":3,\"startTime\":\"2026-01-01T00:00:00Z\","
         "\"completionTime\":\"2026-01-01T00:05:30Z\",\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}",
         "[\"x\",\"Complete\",\"3/3\",\"5m30s\",\"10d\"" WIDE ",\"" NONE "\"]"},
        {"batch", "Job", "{" META("") ",\"spec\":{\"parallelism\":4},\"status\":{\"startTime\":\"2026-01-10T23:00:00Z\"}}",
         "[\"x\",\"Running\",\"0/1 of 4\",\"60m\",\"10d\",\"\",\"\",\"" NONE "\"]"},
        {"batch", "Job", "{" META("") ",\"spec\":{\"suspend\":true},\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\"}]}}",
         "[\"x\",\"Suspended\",\"0/1\",\"\",\"10d\",\"\",\"\",\"" NONE "\"]"},
        {"autoscaling", "HorizontalPodAutoscaler",
         "{" META("") ",\"spec\":{\"scaleTargetRef\":{\"kind\":\"Deployment\",\"name\":\"d\"},\"minReplicas\":2,\"maxReplicas\":9,\"metrics\":["
         "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":{\"type\":\"Utilization\",\"averageUtilization\":80}}},"
         "{\"type\":\"External\",\"external\":{\"target\":{\"averageValue\":\"100m\"}}},{\"type\":\"Pods\"}]},"
         "\"status\":{\"currentReplicas\":4,\"currentMetrics\":[{\"resource\":{\"current\":{\"averageUtilization\":10}}}]}}",
         "[\"x\",\"Deployment/d\",\"cpu: 10%/80%, " UNKNOWN "/100m (avg) + 1 more...\",\"2\",9,4,\"10d\"]"},
        {"policy", "PodDisruptionBudget", "{" META("") ",\"spec\":{\"minAvailable\":2},\"status\":{\"disruptionsAllowed\":1}}", "[\"x\",\"2\",\"N/A\",1,\"10d\"]"},
        {"policy", "PodDisruptionBudget", "{" META("") ",\"spec\":{\"maxUnavailable\":\"30%\"}}", "[\"x\",\"N/A\",\"30%\",0,\"10d\"]"},
        {"", "PodTemplate", "{" META("") "," TEMPLATE "}", "[\"x\"" WIDE ",\"" NONE "\"]"},
    };
    check_cells(cases, ARRAY_LEN(cases));
}

/* The cell that the CronJob's Suspend column names, and its neighbours. */
TEST(cron_job_cells)
{
    static const struct api_column columns[] = {
        {.name = STR_INIT("Suspend"), .cell = STR_INIT("cron_job_suspend")}, {.name = STR_INIT("Active"), .cell = STR_INIT("cron_job_active")},
        {.name = STR_INIT("Last"), .cell = STR_INIT("cron_job_last_schedule")}, {.name = STR_INIT("Zone"), .cell = STR_INIT("cron_job_timezone")}};
    static const struct api_resource r = {.kind = STR_INIT("CronJob"), .columns = columns, .ncolumns = 4};
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(cells_of(&a, &r, "{\"spec\":{\"suspend\":true,\"timeZone\":\"Etc/UTC\"},\"status\":{\"active\":[{},{}],\"lastScheduleTime\":\"2026-01-10T23:59:00Z\"}}"),
             "[\"True\",2,\"60s\",\"Etc/UTC\"]");
    T_EQ_STR(cells_of(&a, &r, "{\"spec\":{\"suspend\":false}}"), "[\"False\",0,\"" NONE "\",\"" NONE "\"]");
    T_EQ_STR(cells_of(&a, &r, "{}"), "[\"" UNSET "\",0,\"" NONE "\",\"" NONE "\"]");
}

TEST(network_rows)
{
#define PORTS "\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":53,\"nodePort\":30053,\"protocol\":\"UDP\"}]"
    static const struct cells_case cases[] = {
        {"", "Service", "{" META("") ",\"spec\":{\"type\":\"ClusterIP\",\"clusterIP\":\"10.1.1.1\",\"clusterIPs\":[\"10.1.1.1\"]," PORTS ",\"selector\":{\"a\":\"1\"}}}",
         "[\"x\",\"ClusterIP\",\"10.1.1.1\",\"" NONE "\",\"80/TCP,53:30053/UDP\",\"10d\",\"a=1\"]"},
        {"", "Service", "{" META("") ",\"spec\":{\"type\":\"LoadBalancer\",\"clusterIPs\":[\"10.1.1.1\"]}}",
         "[\"x\",\"LoadBalancer\",\"10.1.1.1\",\"\\u003cpending\\u003e\",\"" NONE "\",\"10d\",\"" NONE "\"]"},
        {"", "Service", "{" META("") ",\"spec\":{\"type\":\"LoadBalancer\",\"clusterIPs\":[\"10.1.1.1\"],\"externalIPs\":[\"1.1.1.1\"]},\"status\":{\"loadBalancer\":"
         "{\"ingress\":[{\"hostname\":\"lb.example.com\"},{\"ip\":\"9.9.9.9\"},{\"ip\":\"9.9.9.9\"}]}}}",
         "[\"x\",\"LoadBalancer\",\"10.1.1.1\",\"9.9.9.9,lb.example.com,1.1.1.1\",\"" NONE "\",\"10d\",\"" NONE "\"]"},
        {"", "Service", "{" META("") ",\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"e.com\"}}",
         "[\"x\",\"ExternalName\",\"" NONE "\",\"e.com\",\"" NONE "\",\"10d\",\"" NONE "\"]"},
        {"", "Endpoints", "{" META("") "}", "[\"x\",\"" NONE "\",\"10d\"]"},
        {"", "Endpoints", "{" META("") ",\"subsets\":[{\"addresses\":[{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"}],\"ports\":[{\"port\":80},{\"port\":443}]}]}",
         "[\"x\",\"10.0.0.1:80,[fd00::1]:80,10.0.0.1:443 + 1 more...\",\"10d\"]"},
        {"discovery.k8s.io", "EndpointSlice", "{" META("") ",\"addressType\":\"IPv4\",\"ports\":[{\"port\":80},{\"name\":\"a\"},{}],\"endpoints\":[{\"addresses\":"
         "[\"10.0.0.1\"]},{\"addresses\":[\"10.0.0.2\",\"10.0.0.3\"]},{\"addresses\":[\"10.0.0.4\"]}]}",
         "[\"x\",\"IPv4\",\"80,a,*\",\"10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...\",\"10d\"]"},
        {"discovery.k8s.io", "EndpointSlice", "{" META("") ",\"addressType\":\"IPv4\"}", "[\"x\",\"IPv4\",\"" UNSET "\",\"" UNSET "\",\"10d\"]"},
        {"networking.k8s.io", "Ingress", "{" META("") ",\"spec\":{\"ingressClassName\":\"nginx\",\"tls\":[{}],\"rules\":[{\"host\":\"a\"},{\"host\":\"b\"},{\"host\":\"c\"},"
         "{\"host\":\"d\"}]},\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"1.2.3.4\"}]}}}",
         "[\"x\",\"nginx\",\"a,b,c + 1 more...\",\"1.2.3.4\",\"80, 443\",\"10d\"]"},
        {"networking.k8s.io", "Ingress", "{" META("") ",\"spec\":{\"rules\":[{}]}}", "[\"x\",\"" NONE "\",\"*\",\"\",\"80\",\"10d\"]"},
        {"networking.k8s.io", "IngressClass", "{" META("") ",\"spec\":{\"controller\":\"a/b\",\"parameters\":{\"apiGroup\":\"g\",\"kind\":\"K\",\"name\":\"n\"}}}",
         "[\"x\",\"a/b\",\"K.g/n\",\"10d\"]"},
        {"networking.k8s.io", "NetworkPolicy", "{" META("") ",\"spec\":{\"podSelector\":{\"matchLabels\":{\"a\":\"1\"}}}}", "[\"x\",\"a=1\",\"10d\"]"},
        {"networking.k8s.io", "IPAddress", "{" META("") ",\"spec\":{\"parentRef\":{\"resource\":\"services\",\"namespace\":\"ns\",\"name\":\"s\"}}}",
         "[\"x\",\"services/ns/s\"]"},
    };
    check_cells(cases, ARRAY_LEN(cases));
}

TEST(storage_rows)
{
    static const struct cells_case cases[] = {
        {"", "PersistentVolume", "{" META("") ",\"spec\":{\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteMany\",\"ReadWriteOnce\"],"
         "\"persistentVolumeReclaimPolicy\":\"Retain\",\"claimRef\":{\"namespace\":\"ns\",\"name\":\"c\"},\"storageClassName\":\"fast\"},\"status\":{\"phase\":\"Bound\"}}",
         "[\"x\",\"1Gi\",\"RWO,RWX\",\"Retain\",\"Bound\",\"ns/c\",\"fast\",\"" UNSET "\",\"\",\"10d\",\"" UNSET "\"]"},
        {"", "PersistentVolumeClaim", "{" META("") ",\"spec\":{\"volumeMode\":\"Filesystem\"},\"status\":{\"phase\":\"Pending\"}}",
         "[\"x\",\"Pending\",\"\",\"\",\"\",\"\",\"" UNSET "\",\"10d\",\"Filesystem\"]"},
        {"", "PersistentVolumeClaim", "{" META(",\"deletionTimestamp\":\"2026-01-10T00:00:00Z\"") ",\"spec\":{\"volumeName\":\"v\",\"storageClassName\":\"fast\"},"
         "\"status\":{\"phase\":\"Bound\",\"capacity\":{\"storage\":\"2Gi\"},\"accessModes\":[\"ReadOnlyMany\",\"ReadWriteOncePod\"]}}",
         "[\"x\",\"Terminating\",\"v\",\"2Gi\",\"ROX,RWOP\",\"fast\",\"" UNSET "\",\"10d\",\"" UNSET "\"]"},
        {"storage.k8s.io", "StorageClass", "{" META(",\"annotations\":{\"storageclass.kubernetes.io/is-default-class\":\"true\"}") ",\"provisioner\":\"p\"}",
         "[\"x (default)\",\"p\",\"Delete\",\"Immediate\",false,\"10d\"]"},
        {"storage.k8s.io", "CSINode", "{" META("") ",\"spec\":{\"drivers\":[{\"name\":\"a\"}]}}", "[\"x\",1,\"10d\"]"},
        {"storage.k8s.io", "CSIDriver", "{" META("") ",\"spec\":{\"tokenRequests\":[{\"audience\":\"a\"},{\"audience\":\"b\"}],\"volumeLifecycleModes\":[\"Persistent\"]}}",
         "[\"x\",true,false,false,\"a,b\",false,\"Persistent\",\"10d\"]"},
        {"storage.k8s.io", "VolumeAttachment", "{" META("") ",\"spec\":{\"attacher\":\"at\",\"nodeName\":\"n\",\"source\":{\"persistentVolumeName\":\"v\"}},"
         "\"status\":{\"attached\":true}}", "[\"x\",\"at\",\"v\",\"n\",true,\"10d\"]"},
    };
    check_cells(cases, ARRAY_LEN(cases));
}

TEST(cluster_rows)
{
#define SUBJECTS "\"subjects\":[{\"kind\":\"User\",\"name\":\"u\"},{\"kind\":\"Group\",\"name\":\"g\"},{\"kind\":\"ServiceAccount\",\"name\":\"s\",\"namespace\":\"n\"}," \
                 "{\"kind\":\"User\",\"name\":\"v\"}]"
    static const struct cells_case cases[] = {
        {"", "Node", "{" META(",\"labels\":{\"node-role.kubernetes.io/worker\":\"\",\"kubernetes.io/role\":\"edge\"}") ",\"spec\":{\"unschedulable\":true},"
         "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"1.1.1.1\"}],"
         "\"nodeInfo\":{\"kubeletVersion\":\"v1.33.0\",\"osImage\":\"Debian\"}}}",
         "[\"x\",\"Ready,SchedulingDisabled\",\"edge,worker\",\"10d\",\"v1.33.0\",\"1.1.1.1\",\"" NONE "\",\"Debian\",\"" UNKNOWN "\",\"" UNKNOWN "\"]"},
        {"", "Node", "{" META("") ",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\"}]}}",
         "[\"x\",\"NotReady\",\"" NONE "\",\"10d\",\"\",\"" NONE "\",\"" NONE "\",\"" UNKNOWN "\",\"" UNKNOWN "\",\"" UNKNOWN "\"]"},
        {"", "Event", "{" META("") ",\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\",\"fieldPath\":\"spec\"},\"type\":\"Normal\",\"reason\":\"Pulled\",\"message\":\" hi\\n\","
         "\"source\":{\"component\":\"kubelet\",\"host\":\"n1\"},\"firstTimestamp\":\"2026-01-10T20:00:00Z\",\"lastTimestamp\":\"2026-01-10T23:50:00Z\",\"count\":7}",
         "[\"10m\",\"Normal\",\"Pulled\",\"pod/p\",\"spec\",\"kubelet, n1\",\"hi\",\"4h\",7,\"x\"]"},
        {"events.k8s.io", "Event", "{" META("") ",\"regarding\":{\"kind\":\"Node\"},\"note\":\"hi\",\"type\":\"Warning\",\"reason\":\"R\",\"reportingController\":\"c\","
         "\"eventTime\":\"2026-01-10T23:00:00.000000Z\",\"series\":{\"count\":3,\"lastObservedTime\":\"2026-01-10T23:59:00.000000Z\"}}",
         "[\"60s\",\"Warning\",\"R\",\"node\",\"\",\"c\",\"hi\",\"60m\",3,\"x\"]"},
        {"", "Namespace", "{" META("") ",\"status\":{\"phase\":\"Active\"}}", "[\"x\",\"Active\",\"10d\"]"},
        {"", "Secret", "{" META("") ",\"type\":\"Opaque\",\"data\":{\"a\":\"\",\"b\":\"\"}}", "[\"x\",\"Opaque\",2,\"10d\"]"},
        {"", "ConfigMap", "{" META("") ",\"data\":{\"a\":\"\"},\"binaryData\":{\"b\":\"\"}}", "[\"x\",2,\"10d\"]"},
        {"", "ServiceAccount", "{" META("") "}", "[\"x\",0,\"10d\"]"},
        {"", "ResourceQuota", "{" META("") ",\"status\":{\"hard\":{\"pods\":\"10\",\"limits.cpu\":\"4\",\"cpu\":\"2\"},\"used\":{\"pods\":\"3\"}}}",
         "[\"x\",\"cpu: 0/2, pods: 3/10\",\"limits.cpu: 0/4\",\"10d\"]"},
        {"rbac.authorization.k8s.io", "RoleBinding", "{" META("") ",\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"}," SUBJECTS "}",
         "[\"x\",\"Role/r\",\"10d\",\"u, v\",\"g\",\"n/s\"]"},
        {"rbac.authorization.k8s.io", "ClusterRoleBinding", "{" META("") ",\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"r\"}}",
         "[\"x\",\"ClusterRole/r\",\"10d\",\"\",\"\",\"\"]"},
        {"rbac.authorization.k8s.io", "ClusterRole", "{" META("") "}", "[\"x\",\"2026-01-01T00:00:00Z\"]"},
        {"scheduling.k8s.io", "PriorityClass", "{" META("") ",\"value\":10,\"preemptionPolicy\":\"Never\"}", "[\"x\",10,false,\"10d\",\"Never\"]"},
        {"coordination.k8s.io", "Lease", "{" META("") ",\"spec\":{\"holderIdentity\":\"me\"}}", "[\"x\",\"me\",\"10d\"]"},
    };
    check_cells(cases, ARRAY_LEN(cases));
}

/* --- custom resources ------------------------------------------------------------------------------------- */

TEST(custom_columns)
{
    struct api_column columns[] = {
        {.name = STR_INIT("Size"), .type = STR_INIT("integer"), .json_path = STR_INIT(".spec.size")},
        {.name = STR_INIT("Load"), .type = STR_INIT("number"), .json_path = STR_INIT(".spec.load")},
        {.name = STR_INIT("On"), .type = STR_INIT("boolean"), .json_path = STR_INIT(".spec.on")},
        {.name = STR_INIT("Text"), .type = STR_INIT("string"), .json_path = STR_INIT(".spec.text")},
        {.name = STR_INIT("When"), .type = STR_INIT("date"), .json_path = STR_INIT(".spec.when")},
        {.name = STR_INIT("Ready"), .type = STR_INIT("string"), .json_path = STR_INIT(".status.conditions[?(@.type==\"Ready\")].status"), .priority = 1},
    };
    struct api_resource r = {.kind = STR_INIT("Shirt"), .flags = API_CUSTOM, .columns = columns, .ncolumns = ARRAY_LEN(columns)};
    static const struct {
        const char *object, *cells;
    } cases[] = {
        {"{" META("") ",\"spec\":{\"size\":3,\"load\":1.5,\"on\":true,\"text\":\"t\",\"when\":\"2026-01-10T00:00:00Z\"},\"status\":{\"conditions\":"
         "[{\"type\":\"A\",\"status\":\"False\"},{\"type\":\"Ready\",\"status\":\"True\"}]}}", "[\"x\",3,1.5,true,\"t\",\"24h\",\"True\"]"},
        {"{" META("") "}", "[\"x\",null,null,null,null,null,null]"},
        {"{" META("") ",\"spec\":{\"size\":\"3\",\"load\":\"x\",\"on\":\"yes\",\"text\":{\"b\":1,\"a\":[2]},\"when\":\"soon\"}}",
         "[\"x\",null,null,null,\"{\\\"a\\\":[2],\\\"b\\\":1}\",\"\\u003cinvalid\\u003e\",null]"},
        {"{" META("") ",\"spec\":{\"size\":3.7,\"load\":2,\"text\":7}}", "[\"x\",3,2,null,\"7\",null,null]"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (int compiled = 0; compiled < 2; compiled++) {
        for (size_t i = 0; i < ARRAY_LEN(cases); i++)
            T_EQ_STR(cells_of(&a, &r, cases[i].object), cases[i].cells);
        struct err err = ERR_NONE;
        T_NO_ERR(table_compile_columns(&a, columns, ARRAY_LEN(columns), &err), &err);
        T_OK(columns[5].compiled && !columns[0].compiled);
    }
    struct api_column bad = {.json_path = STR_INIT(".a[")};
    T_ERR(table_compile_columns(&a, &bad, 1, NULL), E_INVALID_ARG);
}

TEST(default_columns)
{
    static const struct api_resource builtin = {.kind = STR_INIT("Thing")}, custom = {.kind = STR_INIT("Thing"), .flags = API_CUSTOM};
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(cells_of(&a, &builtin, "{" META("") "}"), "[\"x\",\"2026-01-01T00:00:00Z\"]");
    T_EQ_STR(cells_of(&a, &custom, "{" META("") "}"), "[\"x\",\"10d\"]");
    struct strbuf b = strbuf_on(&a);
    table_write_columns(&b, &builtin);
    T_EQ_STR(strbuf_str(&b), "\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\",\"description\":\"Name of the object.\","
                             "\"priority\":0},{\"name\":\"Created At\",\"type\":\"date\",\"format\":\"\",\"description\":\"When the object was created.\",\"priority\":0}]");
}

TEST(rows_carry_what_was_asked_for)
{
    static const struct api_resource r = {.kind = STR_INIT("Thing")};
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = json_literal(&a, "{\"kind\":\"Thing\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"a\":1}}");
    static const struct {
        enum table_include include;
        const char *bytes, *object;
    } cases[] = {
        {TABLE_INCLUDE_NONE, "", "null"},
        {TABLE_INCLUDE_METADATA, "", "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"x\"}}"},
        {TABLE_INCLUDE_OBJECT, "", "{\"kind\":\"Thing\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"a\":1}}"},
        {TABLE_INCLUDE_OBJECT, "{\"stored\":1}", "{\"stored\":1}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct strbuf b = strbuf_on(&a);
        table_write_row(&a, &b, &r, &obj, str_of(cases[i].bytes), cases[i].include, now_ns());
        T_EQ_STR(strbuf_str(&b), arena_cstr(&a, arena_fmt(&a, "{\"cells\":[\"x\",\"\"],\"object\":%s}", cases[i].object)));
    }
    struct json pod = json_literal(&a, "{\"status\":{\"phase\":\"Succeeded\"}}");
    struct strbuf b = strbuf_on(&a);
    table_write_row(&a, &b, resource("", "Pod"), &pod, S(""), TABLE_INCLUDE_NONE, now_ns());
    T_OK(str_find(strbuf_str(&b), S(",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"Succeeded\","
                                    "\"message\":\"The pod has completed successfully.\"}],\"object\":null}")) > 0);
}

TEST_MAIN(registry_is_sorted, every_builtin_column_has_a_source, every_builtin_prints_an_empty_object, pod_rows, workload_rows,
          cron_job_cells, network_rows, storage_rows, cluster_rows, custom_columns, default_columns, rows_carry_what_was_asked_for)
