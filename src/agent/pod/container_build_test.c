/* What a pod's spec becomes: environment, arguments, users, capabilities, limits, names.  Rows where there are many. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/capability.h>

#include "agent/pod/container_build_internal.h"
#include "base/test.h"

static struct json tree(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p == '`' ? '\'' : *p;
    return json_literal(a, copy);
}

static const struct build_node node = {.name = STR_INIT("n1"),
                                       .ip = STR_INIT("10.0.0.9"),
                                       .pod_ip = STR_INIT("10.1.0.5"),
                                       .pod_dir = "/pods/u",
                                       .log_dir = "/logs/ns_p_u",
                                       .resolv_conf = "nameserver 9.9.9.9\nsearch example.org corp\noptions timeout:1\n",
                                       .cluster_domain = STR_INIT("cluster.local"),
                                       .cluster_dns = STR_INIT("10.96.0.10"),
                                       .memory_bytes = 1000 << 20,
                                       .cpu_milli = 2500,
                                       .disk_bytes = 5ll << 30,
                                       .pids_limit = 77,
                                       .seccomp_dir = "/seccomp"};
static const char *const image_entry[] = {"/entry", NULL}, *const image_command[] = {"cmd", "x", NULL}, *const image_env[] = {"PATH=/img", "A=image", NULL}, *const image_layers[] = {"/l0", NULL};
static const struct image test_image = {.id = STR_INIT("sha256:1"), .layers = image_layers, .entrypoint = image_entry, .command = image_command, .env = image_env, .cwd = "/srv", .user = "app", .stop_signal = 3};

static struct json make_pod(struct arena *a, const char *spec)
{
    return tree(a, arena_fmt(a, "{'metadata':{'name':'p','namespace':'ns','uid':'u','labels':{'b':'2','a':'say \\\"hi\\\"'},'annotations':{'k':'v'}},'spec':%s}", spec).p);
}

struct built {
    struct json pod;
    struct pod_ref *refs;
    size_t nrefs;
    struct sandbox_spec sandbox;
    struct container_spec spec;
    struct err err;
    int result;
};

/* objects: an object of "kind/name": object, kinds cm, secret, services. */
static void build(struct arena *a, struct built *b, const char *spec, const char *objects, const struct image *image)
{
    *b = (struct built){.pod = make_pod(a, spec)};
    struct json *all = arena_new(a, struct json);
    *all = tree(a, objects ? objects : "{}");
    b->nrefs = pod_refs(a, &b->pod, NULL, 0, &b->refs);
    for (size_t i = 0; i < b->nrefs; i++) {
        const char *kind = b->refs[i].kind == REF_CONFIGMAP ? "cm" : b->refs[i].kind == REF_SECRET ? "secret" : "services";
        b->refs[i].object = json_get(all, arena_fmt(a, "%s/" STR_FMT, kind, STR_ARG(b->refs[i].name)));
    }
    const struct json *containers = json_path(&b->pod, "spec", "containers", NULL);
    b->result = sandbox_build(a, &b->pod, &node, &b->sandbox, &b->err);
    if (b->result == 0)
        b->result = container_build(a, &b->pod, &containers->items[0], 2, &b->sandbox, image, b->refs, b->nrefs, &node, &b->spec, &b->err);
}

static str joined(struct arena *a, const char *const *list)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; list && list[i]; i++)
        strbuf_addf(&b, "%s%s", i ? " " : "", list[i]);
    return strbuf_str(&b);
}

static str env_of(const struct built *b, const char *name)
{
    str found = S("(none)");
    for (size_t i = 0; b->spec.env && b->spec.env[i]; i++) {
        str value = str_of(b->spec.env[i]), key;
        str_cut(&value, '=', &key);
        if (str_is(key, name))
            found = value;
    }
    return found;
}

TEST(arguments)
{
    static const struct {
        const char *container, *argv;
    } rows[] = {
        {"{'name':'a'}", "/entry cmd x"},
        {"{'name':'a','args':['y']}", "/entry y"},
        {"{'name':'a','command':['/c']}", "/c"},
        {"{'name':'a','command':['/c'],'args':['y','z']}", "/c y z"},
        {"{'name':'a','command':['$(B)','$$(B)','$(NOPE)','a$','$(','$x','$(B'],'env':[{'name':'B','value':'bee'}]}", "bee $(B) $(NOPE) a$ $( $x $(B"},
        {"{'name':'a','command':['$(PATH)']}", "$(PATH)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct built b;
        build(&a, &b, arena_fmt(&a, "{'containers':[%s]}", rows[i].container).p, NULL, &test_image);
        T_NO_ERR(b.result, &b.err);
        T_EQ_STR(joined(&a, b.spec.argv), rows[i].argv);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b, "{'containers':[{'name':'a'}]}", NULL, &(struct image){.layers = image_layers});
    T_ERR(b.result, E_INVALID_ARG);
    build(&a, &b, "{'containers':[{'name':'a','args':['q']}]}", NULL, &(struct image){.id = S("cri")}); /* an image of the runtime's own */
    T_NO_ERR(b.result, &b.err);
    T_EQ_STR(joined(&a, b.spec.args), "q");
    T_OK(!b.spec.command);
    T_EQ_STR(env_of(&b, "PATH"), "(none)");
}

TEST(basics)
{
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b, "{'containers':[{'name':'a','image':'web:1','tty':true,'stdin':true,'workingDir':'/w','terminationMessagePath':'/dev/t'}]}", NULL, &test_image);
    T_NO_ERR(b.result, &b.err);
    T_EQ_STR(str_of(b.spec.dir), "/pods/u/containers/a/2");
    T_EQ_STR(str_of(b.spec.log_path), "/logs/ns_p_u/a/2.log");
    T_EQ_STR(str_of(b.spec.cgroup), "kubepods/besteffort/podu/a-2");
    T_EQ_STR(str_of(b.spec.termination_log), "/pods/u/containers/a/2/termination-log");
    T_EQ_STR(str_of(b.spec.termination_path), "/dev/t");
    T_EQ_STR(str_of(b.spec.cwd), "/w");
    T_EQ_STR(b.spec.image_ref, "web:1");
    T_EQ_INT(b.spec.stop_signal, 3);
    T_OK(b.spec.tty && b.spec.stdin_open && !b.spec.stdin_once);
    T_EQ_STR(env_of(&b, "TERM"), "xterm");
    T_EQ_STR(env_of(&b, "HOSTNAME"), "p");
    T_EQ_STR(env_of(&b, "PATH"), "/img");
    T_EQ_INT(b.spec.nmounts, 3);
    T_EQ_STR(str_of(b.spec.mounts[1].source), "/pods/u/resolv.conf");
    T_EQ_STR(str_of(b.spec.mounts[1].target), "/etc/resolv.conf");
    T_EQ_STR(str_of(b.sandbox.cgroup), "kubepods/besteffort/podu");
    T_EQ_INT(b.sandbox.limits.cpu_shares, 2);
    T_EQ_INT(b.sandbox.limits.pids, 77);
    static const struct {
        int64_t node;
        uint64_t pod;
    } pids[] = {{0, 4096}, {-1, 0}, {5, 5}};
    for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
        struct cgroup_limits l;
        struct json pod = make_pod(&a, "{'containers':[{'name':'a'}]}");
        pod_limits(&pod, &(struct build_node){.pids_limit = pids[i].node}, &l);
        T_EQ_INT(l.pids, pids[i].pod);
    }
}

TEST(environment)
{
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b,
          "{'serviceAccountName':'sa','containers':[{'name':'a','resources':{'limits':{'memory':'64Mi'},'requests':{'cpu':'250m'}},"
          "'envFrom':[{'configMapRef':{'name':'c'}},{'prefix':'S_','secretRef':{'name':'s'}},{'configMapRef':{'name':'gone','optional':true}}],"
          "'env':[{'name':'ONE','value':'1'},{'name':'TWO','value':'$(ONE)$(K)$(DB_SERVICE_HOST)'},{'name':'A','value':'mine'},"
          "{'name':'NAME','valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}},{'name':'LABEL','valueFrom':{'fieldRef':{'fieldPath':'metadata.labels[`b`]'}}},"
          "{'name':'IP','valueFrom':{'fieldRef':{'fieldPath':'status.podIP'}}},{'name':'HOST','valueFrom':{'fieldRef':{'fieldPath':'status.hostIP'}}},"
          "{'name':'NODE','valueFrom':{'fieldRef':{'fieldPath':'spec.nodeName'}}},{'name':'SA','valueFrom':{'fieldRef':{'fieldPath':'spec.serviceAccountName'}}},"
          "{'name':'MEM','valueFrom':{'resourceFieldRef':{'resource':'limits.memory','divisor':'1Mi'}}},{'name':'CPU','valueFrom':{'resourceFieldRef':{'resource':'requests.cpu'}}},"
          "{'name':'DISK','valueFrom':{'resourceFieldRef':{'resource':'limits.ephemeral-storage','divisor':'1Gi'}}},{'name':'CPUM','valueFrom':{'resourceFieldRef':{'resource':'requests.cpu','divisor':'1m'}}},{'name':'LIM','valueFrom':{'resourceFieldRef':{'resource':'limits.cpu','divisor':'0'}}},"
          "{'name':'KEY','valueFrom':{'secretKeyRef':{'name':'s','key':'pw'}}},{'name':'OPT','valueFrom':{'configMapKeyRef':{'name':'c','key':'nope','optional':true}}},"
          "{'name':'WEB_SERVICE_HOST','value':'own'}]}]}",
          "{'cm/c':{'data':{'K':'v','bad=name':'x','ONE':'map'}},'secret/s':{'data':{'pw':'c2VjcmV0'}},"
          "'services/':{'items':[{'metadata':{'name':'my-db'},'spec':{'clusterIP':'10.96.1.1','ports':[{'name':'sql','port':5432,'protocol':'TCP'},{'name':'web-ui','port':80,'protocol':'UDP'}]}},"
          "{'metadata':{'name':'db'},'spec':{'clusterIP':'10.96.1.2','ports':[{'port':1}]}},{'metadata':{'name':'web'},'spec':{'clusterIP':'10.96.1.3','ports':[{'port':1}]}},"
          "{'metadata':{'name':'headless'},'spec':{'clusterIP':'None','ports':[{'port':1}]}}]}}",
          &test_image);
    T_NO_ERR(b.result, &b.err);
    static const struct {
        const char *name, *value;
    } rows[] = {
        {"ONE", "1"}, {"TWO", "1v10.96.1.2"}, {"A", "mine"}, {"K", "v"}, {"S_pw", "secret"}, {"bad=name", "(none)"}, {"NAME", "p"}, {"LABEL", "2"}, {"IP", "10.1.0.5"}, {"HOST", "10.0.0.9"},
        {"NODE", "n1"}, {"SA", "sa"}, {"MEM", "64"}, {"CPU", "1"}, {"CPUM", "250"}, {"DISK", "5"}, {"LIM", "3"}, {"KEY", "secret"}, {"OPT", "(none)"}, {"WEB_SERVICE_HOST", "own"}, {"HEADLESS_SERVICE_HOST", "(none)"},
        {"MY_DB_SERVICE_HOST", "10.96.1.1"}, {"MY_DB_SERVICE_PORT", "5432"}, {"MY_DB_SERVICE_PORT_WEB_UI", "80"}, {"MY_DB_PORT", "tcp://10.96.1.1:5432"},
        {"MY_DB_PORT_80_UDP", "udp://10.96.1.1:80"}, {"MY_DB_PORT_80_UDP_PROTO", "udp"}, {"MY_DB_PORT_80_UDP_PORT", "80"}, {"MY_DB_PORT_80_UDP_ADDR", "10.96.1.1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!str_is(env_of(&b, rows[i].name), rows[i].value))
            T_FAIL_("%s is '" STR_FMT "', expected '%s'", rows[i].name, STR_ARG(env_of(&b, rows[i].name)), rows[i].value);

    build(&a, &b, "{'enableServiceLinks':false,'containers':[{'name':'a'}]}", "{'services/':{'items':[{'metadata':{'name':'db'},'spec':{'clusterIP':'1.1.1.1','ports':[{'port':1}]}}]}}", &test_image);
    T_EQ_STR(env_of(&b, "DB_SERVICE_HOST"), "(none)");
    struct build_node with_api = node;
    with_api.api_host = S("fd00::1");
    with_api.api_port = S("6443");
    struct env env;
    T_NO_ERR(pod_env(&a, &b.pod, &json_path(&b.pod, "spec", "containers", NULL)->items[0], NULL, 0, &with_api, &env, &b.err), &b.err);
    T_EQ_STR(env_expand(&a, &env, S("$(KUBERNETES_SERVICE_HOST) $(KUBERNETES_PORT_6443_TCP)"), NULL), "fd00::1 tcp://[fd00::1]:6443");
}

TEST(what_is_missing)
{
    static const struct {
        const char *container, *message;
    } rows[] = {
        {"'env':[{'name':'X','valueFrom':{'configMapKeyRef':{'name':'none','key':'k'}}}]", "configmap \"none\" not found"},
        {"'env':[{'name':'X','valueFrom':{'secretKeyRef':{'name':'none','key':'k'}}}]", "secret \"none\" not found"},
        {"'env':[{'name':'X','valueFrom':{'configMapKeyRef':{'name':'c','key':'k'}}}]", "couldn't find key k in ConfigMap ns/c"},
        {"'env':[{'name':'X','valueFrom':{'secretKeyRef':{'name':'s','key':'k'}}}]", "couldn't find key k in Secret ns/s"},
        {"'envFrom':[{'secretRef':{'name':'none'}}]", "secret \"none\" not found"},
        {"'env':[{'name':'X','valueFrom':{'fieldRef':{'fieldPath':'spec.nope'}}}]", "unsupported fieldPath: spec.nope"},
        {"'volumeMounts':[{'name':'v','mountPath':'/v'}]", "volume \"v\" of the container \"a\" is not in the pod"},
        {"'securityContext':{'capabilities':{'add':['FLY']}}", "unknown capability \"FLY\""},
        {"'securityContext':{'runAsNonRoot':true,'runAsUser':0}", "container's runAsUser breaks non-root policy (pod: \"p_ns(u)\", container: a)"},
        {"'securityContext':{'runAsNonRoot':true}", "container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: \"p_ns(u)\", container: a)"},
        {"'securityContext':{'seccompProfile':{'type':'Localhost','localhostProfile':'../x'}}", "failed to generate seccomp spec opts: invalid seccomp profile \"../x\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct built b;
        build(&a, &b, arena_fmt(&a, "{'containers':[{'name':'a',%s}]}", rows[i].container).p, "{'cm/c':{'data':{}},'secret/s':{}}", &test_image);
        T_OK(b.result < 0);
        T_EQ_STR(str_of(b.err.msg), rows[i].message);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    struct image root = test_image;
    root.user = NULL;
    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'runAsNonRoot':true}}]}", NULL, &root);
    T_EQ_STR(str_of(b.err.msg), "container has runAsNonRoot and image will run as root (pod: \"p_ns(u)\", container: a)");
    root.user = "1000:0";
    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'runAsNonRoot':true}}]}", NULL, &root);
    T_NO_ERR(b.result, &b.err);
    T_OK(b.spec.must_be_non_root);
}

#define BIT(c) (1ull << (c))

TEST(security)
{
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b,
          "{'securityContext':{'runAsUser':7,'runAsGroup':8,'fsGroup':9,'supplementalGroups':[5,6],'seccompProfile':{'type':'RuntimeDefault'}},"
          "'containers':[{'name':'a','securityContext':{'runAsUser':70,'readOnlyRootFilesystem':true,'allowPrivilegeEscalation':false,'procMount':'Unmasked',"
          "'capabilities':{'drop':['ALL'],'add':['NET_ADMIN','cap_kill']}}}]}",
          NULL, &test_image);
    T_NO_ERR(b.result, &b.err);
    T_OK(b.spec.has_uid && b.spec.uid == 70 && b.spec.has_gid && b.spec.gid == 8 && !b.spec.user);
    T_EQ_INT(b.spec.ngroups, 3);
    T_EQ_INT(b.spec.groups[2], 9);
    T_OK(b.spec.read_only_root && b.spec.no_new_privs && b.spec.unmasked_proc && b.spec.mounts[0].read_only);
    T_EQ_INT(b.spec.caps, BIT(CAP_NET_ADMIN) | BIT(CAP_KILL));
    T_EQ_INT(b.spec.seccomp, SECCOMP_RUNTIME_DEFAULT);

    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'runAsUser':7}}]}", NULL, &test_image);
    T_EQ_STR(str_of(b.spec.user), "7");
    T_OK(!b.spec.no_new_privs && !b.spec.privileged);
    T_EQ_INT(__builtin_popcountll(b.spec.caps), 14);
    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'privileged':true,'seccompProfile':{'type':'RuntimeDefault'},'capabilities':{'drop':['ALL']}}}]}", NULL, &test_image);
    T_EQ_INT(__builtin_popcountll(b.spec.caps), 41);
    T_EQ_INT(b.spec.seccomp, SECCOMP_UNCONFINED);
    T_EQ_STR(str_of(b.spec.user), "app");
    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'capabilities':{'add':['ALL'],'drop':['MKNOD']}}}]}", NULL, &test_image);
    T_EQ_INT(__builtin_popcountll(b.spec.caps), 40);
    build(&a, &b, "{'containers':[{'name':'a','securityContext':{'seccompProfile':{'type':'Localhost','localhostProfile':'d/x.json'}}}]}", NULL, &test_image);
    T_EQ_STR(str_of(b.spec.seccomp_profile), "/seccomp/d/x.json");
}

TEST(sysctls)
{
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b, "{'securityContext':{'sysctls':[{'name':'net.ipv4.tcp_syncookies','value':'1'},{'name':'kernel/shm_rmid_forced','value':'0'}]},'containers':[{'name':'a'}]}", NULL, &test_image);
    T_EQ_STR(joined(&a, b.sandbox.sysctls), "net.ipv4.tcp_syncookies=1 kernel.shm_rmid_forced=0");
    build(&a, &b, "{'securityContext':{'sysctls':[{'name':'net/ipv4/tcp_syncookies','value':'1'}]},'containers':[{'name':'a'}]}", NULL, &test_image);
    T_EQ_STR(joined(&a, b.sandbox.sysctls), "net.ipv4.tcp_syncookies=1");
    build(&a, &b, "{'securityContext':{'sysctls':[{'name':'kernel.msgmax','value':'1'}]},'containers':[{'name':'a'}]}", NULL, &test_image);
    T_EQ_STR(str_of(b.err.msg), "forbidden sysctl: \"kernel.msgmax\" not allowlisted");
    build(&a, &b, "{'hostNetwork':true,'securityContext':{'sysctls':[{'name':'net.ipv4.tcp_syncookies','value':'1'}]},'containers':[{'name':'a'}]}", NULL, &test_image);
    T_EQ_STR(str_of(b.err.msg), "forbidden sysctl: \"net.ipv4.tcp_syncookies\" not allowed with host net enabled");
}

TEST(resources)
{
    static const struct {
        const char *spec, *qos;
        unsigned shares, quota, mib, pod_shares, pod_quota, pod_mib;
        int oom;
    } rows[] = {
        {"{'containers':[{'name':'a'}]}", "BestEffort", 2, 0, 0, 2, 0, 0, 1000},
        {"{'containers':[{'name':'a','resources':{'limits':{'cpu':'500m','memory':'100Mi'}}}]}", "Guaranteed", 512, 50000, 100, 512, 50000, 100, -997},
        {"{'containers':[{'name':'a','resources':{'requests':{'cpu':'1','memory':'500Mi'}}}]}", "Burstable", 1024, 0, 0, 1024, 0, 0, 500},
        {"{'containers':[{'name':'a','resources':{'requests':{'cpu':'1m'},'limits':{'cpu':'5m'}}}]}", "Burstable", 2, 1000, 0, 2, 1000, 0, 999},
        {"{'containers':[{'name':'a','resources':{'requests':{'memory':'999Mi'}}}]}", "Burstable", 2, 0, 0, 2, 0, 0, 3},
        /* the second container has no limit: the pod has none */
        {"{'containers':[{'name':'a','resources':{'limits':{'cpu':'1','memory':'100Mi'}}},{'name':'b'}]}", "Burstable", 1024, 100000, 100, 1024, 0, 0, 900},
        /* the largest init container with the sidecar before it; overhead */
        {"{'overhead':{'cpu':'100m','memory':'10Mi'},'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'limits':{'cpu':'1','memory':'10Mi'}}},"
         "{'name':'i','resources':{'limits':{'cpu':'3','memory':'20Mi'}}}],'containers':[{'name':'a','resources':{'limits':{'cpu':'2','memory':'50Mi'}}}]}",
         "Guaranteed", 2048, 200000, 50, 4198, 410000, 70, -997},
        {"{'priority':2000001000,'containers':[{'name':'a'}]}", "BestEffort", 2, 0, 0, 2, 0, 0, -997},
        {"{'resources':{'limits':{'cpu':'1','memory':'64Mi'}},'containers':[{'name':'a'}]}", "BestEffort", 2, 0, 0, 1024, 100000, 64, 1000},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct built b;
        build(&a, &b, rows[i].spec, NULL, &test_image);
        T_NO_ERR(b.result, &b.err);
        T_EQ_STR(str_of(pod_qos(&b.pod)), rows[i].qos);
        T_EQ_INT(b.spec.limits.cpu_shares, rows[i].shares);
        T_EQ_INT(b.spec.limits.cpu_quota_us, rows[i].quota);
        T_EQ_INT(b.spec.limits.memory_bytes >> 20, rows[i].mib);
        T_EQ_INT(b.sandbox.limits.cpu_shares, rows[i].pod_shares);
        T_EQ_INT(b.sandbox.limits.cpu_quota_us, rows[i].pod_quota);
        T_EQ_INT(b.sandbox.limits.memory_bytes >> 20, rows[i].pod_mib);
        T_EQ_INT(b.spec.oom_score_adj, rows[i].oom);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct built b;
    build(&a, &b, "{'containers':[{'name':'a','resources':{'limits':{'hugepages-2Mi':'4Mi','memory':'1Mi','cpu':'1'}}}]}", NULL, &test_image);
    T_EQ_INT(b.spec.limits.hugepages_2mi, 4 << 20);
    T_EQ_INT(b.sandbox.limits.hugepages_2mi, 4 << 20);
    T_EQ_STR(str_of(b.sandbox.cgroup), "kubepods/podu");
}

TEST(names)
{
    static const struct {
        const char *spec, *hostname, *resolv;
    } rows[] = {
        {"{}", "p", "nameserver 10.96.0.10\nsearch ns.svc.cluster.local svc.cluster.local cluster.local example.org corp\noptions ndots:5\n"},
        {"{'dnsPolicy':'Default','hostname':'h'}", "h", "nameserver 9.9.9.9\nsearch example.org corp\noptions timeout:1\n"},
        {"{'dnsPolicy':'None','dnsConfig':{'nameservers':['1.1.1.1'],'searches':['s'],'options':[{'name':'ndots','value':'2'},{'name':'edns0'}]}}", "p",
         "nameserver 1.1.1.1\nsearch s\noptions ndots:2 edns0\n"},
        {"{'dnsConfig':{'nameservers':['1.1.1.1','10.96.0.10'],'searches':['corp','s'],'options':[{'name':'ndots','value':'2'}]}}", "p",
         "nameserver 10.96.0.10\nnameserver 1.1.1.1\nsearch ns.svc.cluster.local svc.cluster.local cluster.local example.org corp s\noptions ndots:2\n"},
        {"{'hostNetwork':true,'dnsPolicy':'ClusterFirst'}", "n1", "nameserver 9.9.9.9\nsearch example.org corp\noptions timeout:1\n"},
        {"{'hostNetwork':true,'dnsPolicy':'ClusterFirstWithHostNet'}", "n1", "nameserver 10.96.0.10\nsearch ns.svc.cluster.local svc.cluster.local cluster.local example.org corp\noptions ndots:5\n"},
        {"{'hostname':'h','subdomain':'s','setHostnameAsFQDN':true,'dnsPolicy':'None'}", "h.s.ns.svc.cluster.local", ""},
        {"{'hostname':'h','subdomain':'s','dnsPolicy':'None'}", "h", ""},
        {"{'hostname':'a23456789-b23456789-c23456789-d23456789-e23456789-f23456789-12-4','dnsPolicy':'None'}", "a23456789-b23456789-c23456789-d23456789-e23456789-f23456789-12", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json pod = make_pod(&a, rows[i].spec);
        struct err err = ERR_NONE;
        str hostname = S("");
        T_NO_ERR(pod_hostname(&a, &pod, &node, &hostname, &err), &err);
        T_EQ_STR(hostname, rows[i].hostname);
        T_EQ_STR(pod_resolv_text(&a, &pod, &node), rows[i].resolv);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = make_pod(&a, "{'hostname':'h','subdomain':'s','hostAliases':[{'ip':'1.2.3.4','hostnames':['x','y']}]}");
    str text = pod_hosts_text(&a, &pod, &node, S(""));
    T_OK(str_find(text, S("10.1.0.5\th.s.ns.svc.cluster.local\th\n")) >= 0);
    T_OK(str_find(text, S("1.2.3.4\tx\ty\n")) >= 0);
    T_OK(str_find(text, S("127.0.0.1\tlocalhost\n")) >= 0);
    struct err err = ERR_NONE;
    str ignored;
    pod = make_pod(&a, "{'hostname':'a2345678901234567890123456789','subdomain':'b2345678901234567890','setHostnameAsFQDN':true}");
    T_ERR(pod_hostname(&a, &pod, &node, &ignored, &err), E_INVALID_ARG);
}

TEST(fields_of_maps)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = make_pod(&a, "{}");
    struct err err = ERR_NONE;
    str text = S("");
    T_NO_ERR(pod_field(&a, &pod, &node, S("metadata.labels"), &text, &err), &err);
    T_EQ_STR(text, "a=\"say \\\"hi\\\"\"\nb=\"2\"");
    T_NO_ERR(pod_field(&a, &pod, &node, S("metadata.annotations['k']"), &text, &err), &err);
    T_EQ_STR(text, "v");
    T_ERR(pod_field(&a, &pod, &node, S("spec.x['k']"), &text, &err), E_INVALID_ARG);
}

TEST(pull_policies)
{
    static const struct {
        const char *container, *policy;
    } rows[] = {
        {"{'image':'web'}", "Always"},         {"{'image':'web:latest'}", "Always"},        {"{'image':'web:1'}", "IfNotPresent"},
        {"{'image':'host:5000/web'}", "Always"}, {"{'image':'host:5000/web:2'}", "IfNotPresent"}, {"{'image':'web@sha256:ab'}", "IfNotPresent"},
        {"{'image':'web','imagePullPolicy':'Never'}", "Never"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json c = tree(&a, rows[i].container);
        T_EQ_STR(str_of(container_pull_policy(&c)), rows[i].policy);
    }
}

TEST(refs)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = make_pod(&a, "{'runtimeClassName':'rc','imagePullSecrets':[{'name':'pull'}],'volumes':[{'name':'a','configMap':{'name':'c','optional':true}},{'name':'b','secret':{'secretName':'s'}},"
                                   "{'name':'d','persistentVolumeClaim':{'claimName':'pvc'}},{'name':'e','ephemeral':{}},{'name':'f','projected':{'sources':[{'serviceAccountToken':{'path':'t'}},"
                                   "{'serviceAccountToken':{'path':'u','audience':'x','expirationSeconds':700}},{'configMap':{'name':'root'}}]}}],"
                                   "'containers':[{'name':'m','env':[{'name':'X','valueFrom':{'configMapKeyRef':{'name':'c','key':'k'}}}],'envFrom':[{'secretRef':{'name':'s','optional':true}}]}]}");
    struct pod_ref *refs, *more;
    size_t n = pod_refs(&a, &pod, NULL, 0, &refs);
    T_EQ_INT(n, 10);
    T_OK(!pod_ref_find(refs, n, REF_CONFIGMAP, S("c"))->optional); /* the environment must have it */
    T_OK(!pod_ref_find(refs, n, REF_SECRET, S("s"))->optional);
    T_OK(pod_ref_find(refs, n, REF_SECRET, S("pull"))->optional);
    T_OK(pod_ref_find(refs, n, REF_PVC, S("p-e")) != NULL);
    T_OK(pod_ref_find(refs, n, REF_SERVICES, S("")) && pod_ref_find(refs, n, REF_RUNTIMECLASS, S("rc")));
    T_EQ_STR(pod_ref_find(refs, n, REF_TOKEN, S("default"))->audience, "");
    T_EQ_INT(pod_refs(&a, &pod, refs, n, &more), n);
    struct json claim = tree(&a, "{'spec':{'volumeName':'pv1'}}");
    for (size_t i = 0; i < n; i++)
        if (refs[i].kind == REF_PVC && str_is(refs[i].name, "pvc"))
            refs[i].object = &claim;
    T_EQ_INT(pod_refs(&a, &pod, refs, n, &more), n + 1);
    T_EQ_STR(more[n].name, "pv1");
    T_OK(more[0].kind == refs[0].kind && str_eq(more[0].name, refs[0].name));
}

TEST_MAIN(arguments, basics, environment, what_is_missing, security, sysctls, resources, names, fields_of_maps, pull_policies, refs)
