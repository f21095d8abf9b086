/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_testing.h"
#include "base/clock.h"

#define BAD(text, message) {text, NULL, message, NULL}
#define GOOD(text) {text, NULL, "", NULL}
#define OBJ(kind, rest) "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'" kind "','metadata':{'name':'x','namespace':'cross-domain'}," rest "}"
#define GLOBAL(kind, name, rest) "{'apiVersion':'kuscia.secretflow/v1alpha1','kind':'" kind "','metadata':{'name':'" name "'}," rest "}"
TEST(domains)
{
    static const struct testing_case cases[] = {
        GOOD(GLOBAL("Domain", "alice", "'spec':{'cert':'','resourceQuota':{'podMaxCount':0}}")),
        GOOD(GLOBAL("Domain", "bob", "'spec':{'role':'partner','master':'bob','interConnProtocols':['kuscia'],'authCenter':{'authenticationType':'Token','tokenGenMethod':'UID-RSA-GEN'}}")),
        BAD(GLOBAL("Domain", "master", "'spec':{}"), "metadata.name: Invalid value: 'master': a domain is a namespace of its own, and this name has another meaning"),
        BAD(GLOBAL("Domain", "kube-system", "'spec':{}"), "metadata.name: Invalid value: 'kube-system': a domain is a namespace of its own, and this name has another meaning"),
        BAD(GLOBAL("Domain", "a.b", "'spec':{}"), "metadata.name: Invalid value: 'a.b': must not contain dots"),
        BAD(GLOBAL("Domain", "alice", "'spec':{'role':'boss'}"), "spec.role: Unsupported value: 'boss': supported values: '', 'partner'"),
        {GLOBAL("Domain", "alice", "'spec':{'role':'boss'}"), GLOBAL("Domain", "alice", "'spec':{}"), "spec.role: Unsupported value: 'boss': supported values: '', 'partner'", NULL},
        {GLOBAL("Domain", "alice", "'spec':{'role':'partner'}"), GLOBAL("Domain", "alice", "'spec':{}"), "", NULL},
        BAD(GLOBAL("Domain", "alice", "'spec':{'resourceQuota':{'podMaxCount':-1}}"), "spec.resourceQuota.podMaxCount: Invalid value: -1: must be greater than or equal to 0"),
        BAD(GLOBAL("Domain", "alice", "'spec':{'authCenter':{'authenticationType':'Word'}}"),
            "spec.authCenter.authenticationType: Unsupported value: 'Word': supported values: 'Token', 'MTLS', 'None'"),
    };
    TESTING_RUN(cases);
}

#define IMAGE(templates) GLOBAL("AppImage", "psi", "'spec':{'image':{'name':'i','tag':'t'},'configTemplates':{'task.conf':'{{.TASK_ID}}'},'deployTemplates':[" templates "]}")
#define TEMPLATE(name, rest, containers) "{'name':'" name "'" rest ",'spec':{'containers':[" containers "]}}"
#define MAIN "{'name':'main','workingDir':'/w','command':['run'],'configVolumeMounts':[{'mountPath':'/w/task.conf','subPath':'task.conf'}],'ports':[{'name':'spu','protocol':'GRPC','scope':'Cluster'}]}"
TEST(app_images)
{
    static const struct testing_case cases[] = {
        GOOD(IMAGE(TEMPLATE("a", ",'replicas':1", MAIN))),
        GOOD(IMAGE(TEMPLATE("a", ",'role':'host, guest'", MAIN) "," TEMPLATE("b", ",'role':'third'", MAIN) "," TEMPLATE("c", "", MAIN))),
        BAD(GLOBAL("AppImage", "psi", "'spec':{'image':{'name':'i'},'deployTemplates':[" TEMPLATE("a", "", "{'name':'main'}") "]}"), "spec.image.tag: Required value"),
        BAD(IMAGE(""), "spec.deployTemplates: Required value: at least one template says what a role starts"),
        BAD(IMAGE(TEMPLATE("a", "", "")), "spec.deployTemplates[0].spec.containers: Required value: a pod has at least one container"),
        BAD(IMAGE(TEMPLATE("a", "", MAIN) "," TEMPLATE("b", "", MAIN)), "spec.deployTemplates[1].role: Invalid value: '': another template is already for parties without a template of their own"),
        BAD(IMAGE(TEMPLATE("a", ",'role':'host,guest'", MAIN) "," TEMPLATE("b", ",'role':'guest'", MAIN)),
            "spec.deployTemplates[1].role: Invalid value: 'guest': another template is already for this role"),
        BAD(IMAGE(TEMPLATE("a", "", "{'name':'main','configVolumeMounts':[{'mountPath':'w','subPath':'other.conf'}]}")),
            "[spec.deployTemplates[0].spec.containers[0].configVolumeMounts[0].subPath: Invalid value: 'other.conf': no file of spec.configTemplates has this name, "
            "spec.deployTemplates[0].spec.containers[0].configVolumeMounts[0].mountPath: Invalid value: 'w': must be an absolute path]"),
        BAD(IMAGE(TEMPLATE("a", "", "{'name':'main','imagePullPolicy':'Perhaps','configVolumeMounts':[{'mountPath':'/w','subPath':'task.conf'},{'mountPath':'/w','subPath':'task.conf'}]}")),
            "[spec.deployTemplates[0].spec.containers[0].configVolumeMounts[1].mountPath: Duplicate value: '/w', "
            "spec.deployTemplates[0].spec.containers[0].imagePullPolicy: Unsupported value: 'Perhaps': supported values: 'Always', 'IfNotPresent', 'Never']"),
        BAD(IMAGE(TEMPLATE("a", "", MAIN "," MAIN)), "[spec.deployTemplates[0].spec.containers[1].name: Duplicate value: 'main', "
                                                     "spec.deployTemplates[0].spec.containers[1].ports[0].name: Duplicate value: 'spu']"),
        BAD(IMAGE(TEMPLATE("a", "", "{'name':'main','ports':[{'name':'m','scope':'World'}],'metricProbe':{'path':'/m','port':'n'}}")),
            "[spec.deployTemplates[0].spec.containers[0].metricProbe.port: Invalid value: 'n': no port of the pod has this name, "
            "spec.deployTemplates[0].spec.containers[0].ports[0].scope: Unsupported value: 'World': supported values: 'Cluster', 'Domain', 'Local']"),
    };
    TESTING_RUN(cases);
}

#define JOB(rest, tasks) OBJ("KusciaJob", "'spec':{'initiator':'alice'" rest ",'tasks':[" tasks "]}")
#define PARTIES "'parties':[{'domainID':'alice'},{'domainID':'bob'}]"
#define TASK(alias, rest) "{'alias':'" alias "','appImage':'psi','taskInputConfig':'{}'," PARTIES rest "}"
#define AFTER(list) ",'dependencies':[" list "]"
#define FOUR(t) t "," t "," t "," t
TEST(jobs)
{
    static const struct testing_case cases[] = {
        BAD(JOB("", FOUR(FOUR(FOUR(TASK("a", "") "," TASK("b", "")))) "," TASK("c", "")), "spec.tasks: Too many: 129: must have at most 128 items"),
        GOOD(JOB("", TASK("a", ""))),
        GOOD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':''," PARTIES "}")),
        GOOD(JOB(",'scheduleMode':'BestEffort','maxParallelism':128,'flowID':'f'",
                 TASK("A", ",'taskID':'job-1','tolerable':true,'priority':100,'scheduleConfig':{'minReservedMembers':2,'lifecycleSeconds':10}") "," TASK("b", AFTER("'A'")) "," TASK("c", AFTER("'A','b'")))),
        BAD(OBJ("KusciaJob", "'spec':{'initiator':'alice','tasks':[]}"), "spec.tasks: Required value"),
        BAD(OBJ("KusciaJob", "'spec':{'tasks':[" TASK("a", "") "]}"), "spec.initiator: Required value"),
        BAD(JOB(",'maxParallelism':0,'scheduleMode':'Lazy'", TASK("a", "")), "[spec.maxParallelism: Invalid value: 0: must be greater than or equal to 1, "
                                                                            "spec.scheduleMode: Unsupported value: 'Lazy': supported values: 'Strict', 'BestEffort']"),
        BAD(JOB("", TASK("a", "") "," TASK("a", "")), "spec.tasks[1].alias: Duplicate value: 'a'"),
        BAD(JOB("", TASK("a", ",'taskID':'t'") "," TASK("b", ",'taskID':'t'")), "spec.tasks[1].taskID: Duplicate value: 't'"),
        BAD(JOB("", TASK("a", AFTER("'z'"))), "spec.tasks[0].dependencies[0]: Invalid value: 'z': no task of the job has this alias"),
        BAD(JOB("", TASK("a", "") "," TASK("b", AFTER("'a','a'"))), "spec.tasks[1].dependencies[1]: Duplicate value: 'a'"),
        BAD(JOB("", TASK("a", AFTER("'a'"))), "spec.tasks[0].dependencies: Invalid value: 'a': these tasks wait for each other, so that none of them could start: a > a"),
        BAD(JOB("", TASK("a", AFTER("'b'")) "," TASK("b", AFTER("'c'")) "," TASK("c", AFTER("'d'")) "," TASK("d", AFTER("'b'"))),
            "spec.tasks[0].dependencies: Invalid value: 'a': these tasks wait for each other, so that none of them could start: b > c > d > b"),
        BAD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'','parties':[]}"), "spec.tasks[0].parties: Required value: at least one domain takes part"),
        BAD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice'},{'domainID':'alice','role':'r'},{'domainID':'alice','role':'r'},{'domainID':'alice'}]}"),
            "[spec.tasks[0].parties[2].domainID: Invalid value: 'alice': the domain already takes part in the role 'r': give the second one another role, "
            "spec.tasks[0].parties[3].domainID: Invalid value: 'alice': the domain already takes part: give each of the two a role of its own]"),
        BAD(JOB("", TASK("a", ",'scheduleConfig':{'minReservedMembers':3,'lifecycleSeconds':-1}")),
            "[spec.tasks[0].scheduleConfig.lifecycleSeconds: Invalid value: -1: must be a number of seconds from 0 to 31536000, "
            "spec.tasks[0].scheduleConfig.minReservedMembers: Invalid value: 3: only 2 parties take part]"),
        BAD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice','bandwidthLimits':[{'destinationID':'bob','limitKBps':0}]}]}"),
            "spec.tasks[0].parties[0].bandwidthLimits[0].limitKBps: Invalid value: 0: must be at least 1 KiB a second; leave the entry out for no limit"),
        GOOD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice','resources':{'requests':{'cpu':'1','kuscia.io/bandwidth':'10'}}}]}")),
        BAD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice','resources':{'requests':{'cpu':'3'},'limits':{'cpu':'2','memory':'-1'}}}]}"),
            "[spec.tasks[0].parties[0].resources.limits[memory]: Invalid value: '-1': must be greater than or equal to 0, "
            "spec.tasks[0].parties[0].resources.requests[cpu]: Invalid value: '3': must be less than or equal to the limit of 2]"),
        BAD(JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice','resources':{'requests':{'kuscia.io/bandwidth':'1500m'}}}]}"),
            "spec.tasks[0].parties[0].resources.requests[kuscia.io/bandwidth]: Invalid value: '1500m': must be an integer"),
    };
    TESTING_RUN(cases);
}

/* A circle is found exactly when taking away, again and again, what depends on nothing leaves something over. */
TEST(circles_agree_with_a_naive_removal)
{
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 400; round++) {
        ARENA_AUTO a = ARENA_INIT;
        enum { N = 7 };
        bool dep[N][N] = {0}, gone[N] = {0};
        struct json tasks = json_array(), spec = json_object(), obj = json_literal(&a, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"n\"}}");
        for (int i = 0; i < N; i++) {
            struct json task = json_literal(&a, "{\"appImage\":\"p\",\"taskInputConfig\":\"c\",\"parties\":[{\"domainID\":\"a\"}]}"), deps = json_array();
            json_set(&a, &task, S("alias"), json_string(arena_fmt(&a, "t%d", i)));
            for (int k = 0; k < N; k++)
                if ((dep[i][k] = rng_below(&rng, 9) == 0))
                    json_push(&a, &deps, json_string(arena_fmt(&a, "t%d", k)));
            json_set(&a, &task, S("dependencies"), deps);
            json_push(&a, &tasks, task);
        }
        int left = N;
        for (bool more = true; more;) {
            more = false;
            for (int i = 0; i < N; i++) {
                bool waits = gone[i];
                for (int k = 0; k < N; k++)
                    waits |= dep[i][k] && !gone[k];
                if (!waits)
                    gone[i] = more = true, left--;
            }
        }
        json_set(&a, &spec, S("initiator"), json_string(S("a")));
        json_set(&a, &spec, S("tasks"), tasks);
        json_set(&a, &obj, S("spec"), spec);
        struct field_errors e = {.arena = &a};
        api_validate(&api_kuscia_v1alpha1_kusciajobs, S(""), &obj, NULL, &e);
        T_EQ_INT(e.len, left ? 1 : 0);
    }
}

#define KT(rest) OBJ("KusciaTask", "'spec':{'initiator':'alice','taskInputConfig':'{}'," rest "}")
TEST(tasks_and_groups)
{
    static const struct testing_case cases[] = {
        GOOD(KT("'parties':[{'domainID':'alice','appImageRef':'psi','role':'host','minReservedPods':1,'template':{'replicas':2,'spec':{'containers':[{'name':'c'}]}}}]")),
        BAD(KT("'parties':[{'domainID':'alice'}]"), "spec.parties[0].appImageRef: Required value"),
        BAD(KT("'parties':[{'domainID':'alice','appImageRef':'psi','minReservedPods':3,'template':{'replicas':2}}]"), "spec.parties[0].minReservedPods: Invalid value: 3: the party has only 2 pods"),
        BAD(KT("'parties':[{'domainID':'alice','appImageRef':'psi','template':{'replicas':-1}}]"), "spec.parties[0].template.replicas: Invalid value: -1: must be greater than or equal to 0"),
        GOOD(GLOBAL("TaskResourceGroup", "t", "'spec':{'minReservedMembers':1,'initiator':'alice','parties':[{'domainID':'alice','minReservedPods':1,'pods':[{'name':'t-0'}]}]}")),
        BAD(GLOBAL("TaskResourceGroup", "t", "'spec':{'minReservedMembers':2,'initiator':'alice','parties':[{'domainID':'alice','minReservedPods':2,'pods':[{'name':'t-0'}]}]}"),
            "[spec.minReservedMembers: Invalid value: 2: only 1 parties take part, spec.parties[0].minReservedPods: Invalid value: 2: the party has only 1 pods]"),
        GOOD(OBJ("TaskResource", "'spec':{'minReservedPods':1,'pods':[{'name':'t-0','resources':{'requests':{'cpu':'1'}}}]}")),
        BAD(OBJ("TaskResource", "'spec':{'minReservedPods':0}"), "spec.minReservedPods: Invalid value: 0: must be greater than or equal to 1"),
        GOOD(OBJ("KusciaDeployment", "'spec':{'initiator':'alice','inputConfig':'{}','parties':[{'domainID':'alice','appImageRef':'serving','template':{'replicas':1,'strategy':{'type':'RollingUpdate'}}}]}")),
        BAD(OBJ("KusciaDeployment", "'spec':{'initiator':'alice','inputConfig':'{}','parties':[]}"), "spec.parties: Required value: at least one domain takes part"),
        BAD(OBJ("KusciaDeployment", "'spec':{'initiator':'alice','inputConfig':'','parties':[{'domainID':'alice','appImageRef':'s','template':{'replicas':1001}}]}"),
            "spec.parties[0].template.replicas: Invalid value: 1001: a service has at most 1000 pods in one domain"),
    };
    TESTING_RUN(cases);
}

#define ROUTE(rest) GLOBAL("ClusterDomainRoute", "alice-bob", "'spec':{'source':'alice','authenticationType':'Token'," rest "}")
TEST(routes)
{
    static const struct testing_case cases[] = {
        GOOD(ROUTE("'destination':'bob','bandwidth':'100Mbps','endpoint':{'host':'1.2.3.4','ports':[{'name':'http','protocol':'HTTP','isTLS':false,'port':1080}]},'tokenConfig':{'tokenGenMethod':'RSA-GEN'}")),
        BAD(ROUTE("'destination':'alice'"), "spec.destination: Invalid value: 'alice': a way leads to another domain"),
        BAD(ROUTE("'destination':'bob','transit':{'transitMethod':'THIRD-DOMAIN'}"), "spec.transit.domain.domainID: Required value: the domain that the detour goes through"),
        BAD(ROUTE("'destination':'bob','endpoint':{'host':'h','ports':[{'name':'http','protocol':'HTTP','port':70000}]}"),
            "spec.endpoint.ports[0].port: Invalid value: 70000: must be less than or equal to 65535"),
    };
    TESTING_RUN(cases);
}

#define PARTY(rest) JOB("", "{'alias':'a','appImage':'psi','taskInputConfig':'{}','parties':[{'domainID':'alice'," rest "}]}")
#define AT "spec.tasks[0].parties[0]."
TEST(bandwidth)
{
    static const struct testing_case cases[] = {
        GOOD(PARTY("'bandwidthRequest':'200Mbps'")),
        GOOD(PARTY("'bandwidthRequest':'500Mi'")),
        GOOD(PARTY("'bandwidthRequest':'egress=1Gbps,ingress=10Gi'")),
        GOOD(PARTY("'resources':{'requests':{'bandwidth':'500Mi'},'limits':{'bandwidth':'10Gi'}}")),
        GOOD(PARTY("'resources':{'requests':{'cox.io/egress-bandwidth':'5M'}}")),
        BAD(PARTY("'bandwidthRequest':'10MBps'"), AT "bandwidthRequest: Invalid value: '10MBps': '10MBps' is no bandwidth: B are bytes, and bandwidth is counted in bits: eight times as many, written with bps or bit/s"),
        BAD(PARTY("'bandwidthRequest':'0'"), AT "bandwidthRequest: Invalid value: '0': '0' is no bandwidth: it is zero; leave it out where nothing is wanted"),
        BAD(PARTY("'bandwidthRequest':'-5M'"), AT "bandwidthRequest: Invalid value: '-5M': '-5M' is no bandwidth: it is negative"),
        BAD(PARTY("'bandwidthRequest':'2000T'"), AT "bandwidthRequest: Invalid value: '2000T': '2000T' is no bandwidth: it is more than 1 Pbit/s"),
        BAD(PARTY("'bandwidthRequest':'up=1G'"), AT "bandwidthRequest: Invalid value: 'up=1G': 'up=1G' is no bandwidth: the ends are called egress and ingress"),
        BAD(PARTY("'bandwidthRequest':'500'"), AT "bandwidthRequest: Invalid value: '500': is less than 1 kbit/s: say the unit, as in 500Mbps"),
        BAD(PARTY("'bandwidthRequest':'1G','resources':{'requests':{'kuscia.io/bandwidth':'10'}}"), AT "bandwidthRequest: Invalid value: '1G': the party's resources ask for bandwidth, too: leave one of them out"),
        BAD(PARTY("'resources':{'requests':{'bandwidth':'500'}}"), AT "resources.requests[bandwidth]: Invalid value: '500': is less than 1 kbit/s: say the unit, as in 500M"),
        BAD(PARTY("'resources':{'requests':{'bandwidth':'0'}}"), AT "resources.requests[bandwidth]: Invalid value: '0': is no bandwidth: leave it out where nothing is wanted"),
        BAD(PARTY("'resources':{'requests':{'bandwidth':'-1G'}}"), AT "resources.requests[bandwidth]: Invalid value: '-1G': must be greater than or equal to 0"),
        BAD(PARTY("'resources':{'requests':{'bandwidth':'2P'}}"), AT "resources.requests[bandwidth]: Invalid value: '2P': is more than 1 Pbit/s"),
        BAD(PARTY("'resources':{'requests':{'bandwidth':'1G','kuscia.io/bandwidth':'5'}}"),
            AT "resources.requests[bandwidth]: Invalid value: '1G': is the same as kuscia.io/bandwidth, which is given as well: leave one of them out"),
        BAD(PARTY("'resources':{'requests':{'kuscia.io/bandwidth':'500Mi'}}"),
            AT "resources.requests[kuscia.io/bandwidth]: Invalid value: '500Mi': counts Mbit/s: write 500 for 500 Mbit/s, or give cox.io/egress-bandwidth and cox.io/ingress-bandwidth in bit/s"),
        BAD(PARTY("'resources':{'requests':{'kuscia.io/bandwidth':'2G'}}"), AT "resources.requests[kuscia.io/bandwidth]: Invalid value: '2G': is more than 1 Pbit/s"),
        BAD(PARTY("'resources':{'requests':{'kuscia.io/bandwidth':'0'}}"), AT "resources.requests[kuscia.io/bandwidth]: Invalid value: '0': is no bandwidth: leave it out where nothing is wanted"),
        BAD(PARTY("'bandwidthLimits':[{'destinationID':'bob','limitKBps':1},{'destinationID':'bob','limitKBps':2}]"), AT "bandwidthLimits[1].destinationID: Duplicate value: 'bob'"),
        BAD(PARTY("'bandwidthLimits':[{'destinationID':'bob','limitKBps':9223372036854775807}]"),
            AT "bandwidthLimits[0].limitKBps: Invalid value: 9223372036854775807: is more than 1 Pbit/s; leave the entry out for no limit"),
    };
    TESTING_RUN(cases);
}

/* The list of a task, one amount for each party. */
TEST(bandwidth_of_all_parties)
{
#define ASKS(list, second) OBJ("KusciaTask", "'spec':{'initiator':'alice','taskInputConfig':'{}','bandwidthRequest':[" list "],'parties':[{'domainID':'alice','appImageRef':'psi'},{'domainID':'bob','appImageRef':'psi'" second "}]}")
    static const struct testing_case cases[] = {
        GOOD(ASKS("", "")),
        GOOD(ASKS("200000000", "")),
        GOOD(ASKS("10000000000,'500Mi'", "")),
        GOOD(ASKS("0,'20M'", "")),
        BAD(ASKS("0", ""), "spec.bandwidthRequest[0]: Invalid value: '0': is no bandwidth: leave it out where nothing is wanted"),
        BAD(ASKS("60,60", ""), "[spec.bandwidthRequest[0]: Invalid value: '60': is less than 1 kbit/s: say the unit, as in 500M, spec.bandwidthRequest[1]: Invalid value: '60': is less than 1 kbit/s: say the unit, as in 500M]"),
        BAD(ASKS("'-1M'", ""), "spec.bandwidthRequest[0]: Invalid value: '-1M': must be greater than or equal to 0"),
        BAD(ASKS("'2P'", ""), "spec.bandwidthRequest[0]: Invalid value: '2P': is more than 1 Pbit/s"),
        BAD(ASKS("18446744073709551615", ""), "spec.bandwidthRequest[0]: Invalid value: '18446744073709551615': is more than 1 Pbit/s"),
        BAD(ASKS("'1000500m'", ""), "spec.bandwidthRequest[0]: Invalid value: '1000500m': must be a whole number of bit/s"),
        BAD(ASKS("'1M','1M','1M'", ""), "spec.bandwidthRequest: Invalid value: 3: amounts for 2 parties: give one for each, in their order, or one for all"),
        BAD(ASKS("'1M'", ",'bandwidthRequest':'5M'"), "spec.bandwidthRequest: Forbidden: the party bob asks for bandwidth itself: leave one of them out"),
        BAD(ASKS("'1M'", ",'template':{'spec':{'containers':[{'name':'c','resources':{'requests':{'kuscia.io/bandwidth':'5'}}}]}}"),
            "spec.bandwidthRequest: Forbidden: the party bob asks for bandwidth itself: leave one of them out"),
    };
    TESTING_RUN(cases);
}

TEST_MAIN(domains, app_images, jobs, circles_agree_with_a_naive_removal, tasks_and_groups, routes, bandwidth, bandwidth_of_all_parties)
