/* Volumes on a real file system: each test has a mount namespace of its own, so that nothing is left behind whatever happens.  Not as root: skipped. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/pod/container_build_internal.h"
#include "base/test.h"
#include "rt/file.h"

#define TMPFS_MAGIC_ 0x01021994

static struct json tree(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return json_literal(a, copy);
}

/* --- a place ------------------------------------------------------------------------------------------- */
struct place {
    struct arena a;
    const char *dir, *pod_dir, *host;
    struct build_node node;
};

/* False: this machine does not let us. */
static bool place_open(struct place *p)
{
    *p = (struct place){.a = ARENA_INIT};
    if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        printf("# skipped: needs root and a mount namespace\n");
        return false;
    }
    struct err err = ERR_NONE;
    umask(022);
    p->dir = T_TMPDIR();
    p->pod_dir = arena_fmt(&p->a, "%s/pods/u", p->dir).p;
    p->host = arena_fmt(&p->a, "%s/host", p->dir).p;
    T_NO_ERR(file_mkdir_all(p->pod_dir, 0755, &err), &err);
    T_NO_ERR(file_mkdir_all(p->host, 0755, &err), &err);
    p->node = (struct build_node){.name = S("n"), .ip = S("10.0.0.9"), .pod_ip = S("10.1.0.5"), .pod_dir = p->pod_dir, .log_dir = "/nowhere", .resolv_conf = "nameserver 9.9.9.9\n", .memory_bytes = 1 << 30,
                                  .cpu_milli = 1000};
    return true;
}

static void place_close(struct place *p)
{
    struct err err = ERR_NONE;
    T_NO_ERR(volumes_remove(p->pod_dir, &err), &err);
    T_NO_ERR(volumes_remove(p->pod_dir, &err), &err); /* fine when there are none */
    T_NO_ERR(file_remove_all(p->dir, &err), &err);
    arena_fini(&p->a);
}

static struct json make_pod(struct place *p, const char *spec)
{
    return tree(&p->a, arena_fmt(&p->a, "{'metadata':{'name':'p','namespace':'ns','uid':'u','labels':{'l':'v'}},'spec':%s}", spec).p);
}

/* objects: "kind/name": object, kinds cm, secret, pvc, pv, token. */
static size_t make_refs(struct place *p, const struct json *pod, const char *objects, struct pod_ref **ret)
{
    static const char *const kinds[] = {[REF_CONFIGMAP] = "cm", [REF_SECRET] = "secret", [REF_PVC] = "pvc", [REF_PV] = "pv", [REF_TOKEN] = "token", [REF_SERVICES] = "services", [REF_RUNTIMECLASS] = "rc"};
    struct json *all = arena_new(&p->a, struct json);
    *all = tree(&p->a, objects ? objects : "{}");
    *ret = NULL;
    size_t n = 0;
    for (int round = 0; round < 2; round++) {
        n = pod_refs(&p->a, pod, *ret, n, ret);
        for (size_t i = 0; i < n; i++)
            (*ret)[i].object = json_get(all, arena_fmt(&p->a, "%s/" STR_FMT, kinds[(*ret)[i].kind], STR_ARG((*ret)[i].name)));
    }
    return n;
}

static int setup(struct place *p, const char *spec, const char *objects, struct err *err)
{
    struct json pod = make_pod(p, spec);
    struct pod_ref *refs;
    size_t n = make_refs(p, &pod, objects, &refs);
    return volumes_setup(&pod, refs, n, &p->node, err);
}

static str content(struct place *p, const char *path)
{
    char *text CLEANUP(free) = NULL;
    size_t len;
    struct err err = ERR_NONE;
    const char *full = path[0] == '/' ? path : arena_fmt(&p->a, "%s/volumes/%s", p->pod_dir, path).p;
    if (file_read(full, 1 << 20, &text, &len, &err) < 0)
        return S("(none)");
    return arena_str(&p->a, str_n(text, len));
}

static struct stat look(struct place *p, const char *path)
{
    struct stat st = {0};
    const char *full = path[0] == '/' ? path : arena_fmt(&p->a, "%s/volumes/%s", p->pod_dir, path).p;
    T_EQ_INT(stat(full, &st), 0);
    return st;
}

static bool is_tmpfs(struct place *p, const char *volume)
{
    struct statfs fs;
    return statfs(arena_fmt(&p->a, "%s/volumes/%s", p->pod_dir, volume).p, &fs) == 0 && fs.f_type == TMPFS_MAGIC_;
}

static void put(struct place *p, const char *path, const char *text)
{
    struct err err = ERR_NONE;
    T_NO_ERR(file_write_atomic(arena_fmt(&p->a, "%s", path).p, str_of(text), 0644, &err), &err);
}

static const char *in(struct place *p, const char *base, const char *rest)
{
    return arena_fmt(&p->a, "%s/%s", base, rest).p;
}

/* --- tests --------------------------------------------------------------------------------------------- */
TEST(empty_dirs)
{
    struct place p;
    struct err err = ERR_NONE;
    if (!place_open(&p))
        return;
    static const char spec[] = "{'volumes':[{'name':'disk','emptyDir':{'sizeLimit':'1Mi'}},{'name':'mem','emptyDir':{'medium':'Memory','sizeLimit':'2Mi'}}]}";
    T_NO_ERR(setup(&p, spec, NULL, &err), &err);
    T_EQ_INT(look(&p, "disk").st_mode & 07777, 0777);
    T_OK(is_tmpfs(&p, "mem") && !is_tmpfs(&p, "disk"));
    struct statfs fs;
    T_EQ_INT(statfs(in(&p, p.pod_dir, "volumes/mem"), &fs), 0);
    T_EQ_INT(fs.f_blocks * (uint64_t)fs.f_bsize, 2 << 20);
    put(&p, in(&p, p.pod_dir, "volumes/disk/f"), "kept");
    put(&p, in(&p, p.pod_dir, "volumes/mem/f"), "kept");
    T_NO_ERR(setup(&p, spec, NULL, &err), &err);
    T_EQ_STR(content(&p, "disk/f"), "kept");
    T_EQ_STR(content(&p, "mem/f"), "kept");

    struct json pod = make_pod(&p, spec);
    str over;
    T_OK(volumes_usage(&pod, p.pod_dir, &p.a, &over) >= 4);
    T_EQ_STR(over, "");
    char *big = xcalloc(1, (2 << 20) + 1);
    memset(big, 'x', 2 << 20);
    put(&p, in(&p, p.pod_dir, "volumes/disk/big"), big);
    free(big);
    T_OK(volumes_usage(&pod, p.pod_dir, &p.a, &over) >= 2 << 20);
    T_EQ_STR(over, "disk");
    place_close(&p);
}

TEST(files_are_swapped_at_once)
{
    struct place p;
    struct err err = ERR_NONE;
    if (!place_open(&p))
        return;
    static const char spec[] = "{'volumes':[{'name':'c','configMap':{'name':'c'}}]}";
    T_NO_ERR(setup(&p, spec, "{'cm/c':{'data':{'a':'1','b':'2'},'binaryData':{'bin':'AAEC'}}}", &err), &err);
    T_EQ_STR(content(&p, "c/a"), "1");
    T_EQ_INT(content(&p, "c/bin").len, 3);
    T_EQ_INT(look(&p, "c/a").st_mode & 0777, 0644);
    char before[64] = {0}, after[64] = {0};
    T_OK(readlink(in(&p, p.pod_dir, "volumes/c/..data"), before, sizeof before - 1) > 0);
    /* the same again: nothing is touched */
    T_NO_ERR(setup(&p, spec, "{'cm/c':{'data':{'a':'1','b':'2'},'binaryData':{'bin':'AAEC'}}}", &err), &err);
    T_OK(readlink(in(&p, p.pod_dir, "volumes/c/..data"), after, sizeof after - 1) > 0);
    T_EQ_STR(str_of(after), before);
    /* an open folder still shows the old set */
    FD_AUTO old = open(in(&p, p.pod_dir, "volumes/c/..data/"), O_RDONLY | O_DIRECTORY);
    T_NO_ERR(setup(&p, spec, "{'cm/c':{'data':{'a':'one','d':'4'}}}", &err), &err);
    T_EQ_STR(content(&p, "c/a"), "one");
    T_EQ_STR(content(&p, "c/d"), "4");
    T_EQ_STR(content(&p, "c/b"), "(none)");
    struct stat st;
    T_OK(old >= 0 && lstat(in(&p, p.pod_dir, "volumes/c/b"), &st) < 0);
    /* what a crash left behind goes */
    T_EQ_INT(mkdir(in(&p, p.pod_dir, "volumes/c/..vleft"), 0700), 0);
    T_NO_ERR(setup(&p, spec, "{'cm/c':{'data':{'a':'one','d':'4'}}}", &err), &err);
    T_OK(lstat(in(&p, p.pod_dir, "volumes/c/..vleft"), &st) < 0);
    place_close(&p);
}

TEST(items_modes_and_kinds)
{
    struct place p;
    struct err err = ERR_NONE;
    if (!place_open(&p))
        return;
    static const char spec[] =
        "{'serviceAccountName':'sa','containers':[{'name':'m','resources':{'limits':{'cpu':'1500m'}}}],'volumes':["
        "{'name':'s','secret':{'secretName':'s','defaultMode':256,'items':[{'key':'k','path':'deep/er/k'},{'key':'x','path':'x','mode':511}]}},"
        "{'name':'d','downwardAPI':{'items':[{'path':'labels','fieldRef':{'fieldPath':'metadata.labels'}},{'path':'cpu','resourceFieldRef':{'containerName':'m','resource':'limits.cpu','divisor':'1m'}}]}},"
        "{'name':'pr','projected':{'sources':[{'serviceAccountToken':{'path':'token'}},{'configMap':{'name':'c','items':[{'key':'ca','path':'ca.crt'}]}},"
        "{'downwardAPI':{'items':[{'path':'namespace','fieldRef':{'fieldPath':'metadata.namespace'}}]}},{'secret':{'name':'s','optional':true}},{'configMap':{'name':'gone','optional':true}}]}},"
        "{'name':'o','configMap':{'name':'gone','optional':true}}]}";
    T_NO_ERR(setup(&p, spec, "{'secret/s':{'data':{'k':'a2V5','x':'eA=='}},'cm/c':{'data':{'ca':'CERT'}},'token/sa':{'status':{'token':'T0K'}}}", &err), &err);
    T_EQ_STR(content(&p, "s/deep/er/k"), "key");
    T_EQ_INT(look(&p, "s/deep/er/k").st_mode & 0777, 0400);
    T_EQ_INT(look(&p, "s/x").st_mode & 0777, 0777);
    T_OK(is_tmpfs(&p, "s") && is_tmpfs(&p, "pr"));
    T_EQ_STR(content(&p, "d/labels"), "l=\"v\"");
    T_EQ_STR(content(&p, "d/cpu"), "1500");
    T_EQ_STR(content(&p, "pr/token"), "T0K");
    T_EQ_STR(content(&p, "pr/ca.crt"), "CERT");
    T_EQ_STR(content(&p, "pr/namespace"), "ns");
    T_EQ_STR(content(&p, "pr/k"), "key");
    T_EQ_INT(look(&p, "pr/token").st_mode & 0777, 0644);
    T_EQ_STR(content(&p, in(&p, p.pod_dir, "hostname")), "p\n");
    T_EQ_STR(content(&p, in(&p, p.pod_dir, "resolv.conf")), "nameserver 9.9.9.9\n");
    T_OK(str_find(content(&p, in(&p, p.pod_dir, "hosts")), S("10.1.0.5\tp\n")) >= 0);
    place_close(&p);
}

TEST(groups)
{
    struct place p;
    struct err err = ERR_NONE;
    if (!place_open(&p))
        return;
    static const char spec[] = "{'securityContext':{'fsGroup':4321,'runAsUser':77},'containers':[{'name':'m'}],'volumes':[{'name':'e','emptyDir':{}},{'name':'s','secret':{'secretName':'s','defaultMode':256}},"
                               "{'name':'t','projected':{'sources':[{'serviceAccountToken':{'path':'token'}}]}},{'name':'l','persistentVolumeClaim':{'claimName':'c'}}]}";
    put(&p, in(&p, p.host, "old"), "x");
    const char *objects = arena_fmt(&p.a, "{'secret/s':{'data':{'k':'a2V5'}},'token/default':{'status':{'token':'T'}},'pvc/c':{'spec':{'volumeName':'v'},'status':{'phase':'Bound'}},'pv/v':{'spec':{'local':{'path':'%s'}}}}",
                                    p.host).p;
    T_NO_ERR(setup(&p, spec, objects, &err), &err);
    T_EQ_INT(look(&p, "e").st_gid, 4321);
    T_EQ_INT(look(&p, "e").st_mode & 07777, 02777);
    T_EQ_INT(look(&p, "s/k").st_gid, 4321);
    T_EQ_INT(look(&p, "s/k").st_mode & 0777, 0440);
    T_EQ_INT(look(&p, "t/token").st_uid, 77);
    T_EQ_INT(look(&p, "t/token").st_mode & 0777, 0640);
    T_EQ_INT(look(&p, in(&p, p.host, "old")).st_gid, 4321);
    T_EQ_INT(look(&p, in(&p, p.host, "old")).st_mode & 0777, 0664);
    /* only the first time: a large volume is not walked at each refresh */
    T_EQ_INT(chown(in(&p, p.host, "old"), 0, 0), 0);
    T_NO_ERR(setup(&p, spec, objects, &err), &err);
    T_EQ_INT(look(&p, in(&p, p.host, "old")).st_gid, 0);
    T_NO_ERR(volume_set_group(p.host, 4321, false, true, &err), &err); /* the root fits */
    T_EQ_INT(look(&p, in(&p, p.host, "old")).st_gid, 0);
    T_NO_ERR(volume_set_group(p.host, 4322, false, true, &err), &err);
    T_EQ_INT(look(&p, in(&p, p.host, "old")).st_gid, 4322);
    place_close(&p);
}

TEST(host_paths)
{
    struct place p;
    if (!place_open(&p))
        return;
    static const struct {
        const char *path, *type, *error;
        mode_t made;
    } rows[] = {
        {"new", "DirectoryOrCreate", NULL, S_IFDIR},  {"newfile", "FileOrCreate", NULL, S_IFREG}, {"plain", "", NULL, S_IFDIR},
        {"file", "File", NULL, S_IFREG},              {"file", "Directory", "hostPath type check failed: %s is not a directory", 0}, {"nope", "File", "hostPath type check failed: %s is not a file", 0},
        {"file", "Socket", "hostPath type check failed: %s is not a socket file", 0}, {"file", "CharDevice", "hostPath type check failed: %s is not a character device", 0},
        {"file", "BlockDevice", "hostPath type check failed: %s is not a block device", 0},
    };
    put(&p, in(&p, p.host, "file"), "x");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_NONE;
        const char *path = in(&p, p.host, rows[i].path);
        int r = setup(&p, arena_fmt(&p.a, "{'volumes':[{'name':'h','hostPath':{'path':'%s','type':'%s'}}]}", path, rows[i].type).p, NULL, &err);
        if (!rows[i].error) {
            T_NO_ERR(r, &err);
            T_EQ_INT(look(&p, path).st_mode & S_IFMT, rows[i].made);
            continue;
        }
        struct strbuf want = strbuf_on(&p.a);
        str format = str_of(rows[i].error), head;
        str_cut(&format, '%', &head);
        strbuf_addf(&want, "MountVolume.SetUp failed for volume \"h\" : " STR_FMT "%s" STR_FMT, STR_ARG(head), path, STR_ARG(str_from(format, 1)));
        T_OK(r < 0);
        T_EQ_STR(str_of(err.msg), strbuf_cstr(&want));
    }
    place_close(&p);
}

TEST(errors)
{
    struct place p;
    if (!place_open(&p))
        return;
    static const struct {
        const char *volume, *objects, *message;
    } rows[] = {
        {"'configMap':{'name':'x'}", NULL, "configmap \"x\" not found"},
        {"'secret':{'secretName':'x'}", NULL, "secret \"x\" not found"},
        {"'configMap':{'name':'x','items':[{'key':'k','path':'k'}]}", "{'cm/x':{}}", "references non-existent config key: k"},
        {"'secret':{'secretName':'x','items':[{'key':'k','path':'k'}]}", "{'secret/x':{}}", "references non-existent secret key: k"},
        {"'configMap':{'name':'x','items':[{'key':'k','path':'../k'}]}", "{'cm/x':{'data':{'k':'v'}}}", "the path \"../k\" is not inside the volume"},
        {"'projected':{'sources':[{'serviceAccountToken':{'path':'t'}}]}", NULL, "failed to fetch token: serviceaccounts \"default\" not found"},
        {"'persistentVolumeClaim':{'claimName':'c'}", NULL, "persistentvolumeclaim \"c\" not found"},
        {"'persistentVolumeClaim':{'claimName':'c'}", "{'pvc/c':{'status':{'phase':'Pending'}}}", "persistentvolumeclaim \"c\" is not bound"},
        {"'persistentVolumeClaim':{'claimName':'c'}", "{'pvc/c':{'spec':{'volumeName':'v'},'status':{'phase':'Bound'}},'pv/v':{'spec':{'capacity':{},'nfs':{'server':'s'},'claimRef':{}}}}",
         "persistentvolume \"v\" is of kind nfs, which this node cannot mount; it can use hostPath and local"},
        {"'nfs':{'server':'s','path':'/x'}", NULL, "volume \"v\" is of kind nfs, which this node cannot mount; use a persistentVolumeClaim of kind hostPath or local"},
        {"'ephemeral':{}", "{'pvc/p-v':{'spec':{'volumeName':'v'},'status':{'phase':'Bound'}}}", "PVC p-v was not created for pod p (pod is not owner)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_NONE;
        int r = setup(&p, arena_fmt(&p.a, "{'volumes':[{'name':'v',%s}]}", rows[i].volume).p, rows[i].objects, &err);
        T_OK(r < 0);
        T_EQ_STR(str_of(err.msg), arena_fmt(&p.a, "MountVolume.SetUp failed for volume \"v\" : %s", rows[i].message).p);
    }
    /* one that fails does not keep the others from being refreshed */
    struct err err = ERR_NONE;
    T_ERR(setup(&p, "{'volumes':[{'name':'x','configMap':{'name':'gone'}},{'name':'y','configMap':{'name':'c'}}]}", "{'cm/c':{'data':{'k':'v'}}}", &err), E_NOT_FOUND);
    T_EQ_STR(content(&p, "y/k"), "v");
    place_close(&p);
}

static int build(struct place *p, const char *spec, const char *objects, struct container_spec *ret, struct err *err)
{
    static const char *const words[] = {"/x", NULL}, *const layers[] = {"/l", NULL};
    static const struct image image = {.entrypoint = words, .layers = layers};
    struct json pod = make_pod(p, spec);
    struct pod_ref *refs;
    size_t n = make_refs(p, &pod, objects, &refs);
    struct sandbox_spec *sandbox = arena_new(&p->a, struct sandbox_spec);
    int r = volumes_setup(&pod, refs, n, &p->node, err);
    if (r == 0)
        r = sandbox_build(&p->a, &pod, &p->node, sandbox, err);
    return r < 0 ? r : container_build(&p->a, &pod, &json_path(&pod, "spec", "containers", NULL)->items[0], 0, sandbox, &image, refs, n, &p->node, ret, err);
}

TEST(mounts_and_subpaths)
{
    struct place p;
    struct err err = ERR_NONE;
    struct container_spec c = {0};
    if (!place_open(&p))
        return;
    const char *spec = arena_fmt(&p.a,
                                 "{'containers':[{'name':'m','env':[{'name':'WHO','value':'me'}],'volumeMounts':[{'name':'h','mountPath':'/h','readOnly':true,'mountPropagation':'Bidirectional'},"
                                 "{'name':'c','mountPath':'/etc/one','subPath':'k'},{'name':'e','mountPath':'/data','subPathExpr':'logs/$(WHO)'},{'name':'c','mountPath':'/etc/hosts','subPath':'k'}]}],"
                                 "'volumes':[{'name':'h','hostPath':{'path':'%s'}},{'name':'c','configMap':{'name':'c'}},{'name':'e','emptyDir':{}}]}",
                                 p.host)
                           .p;
    T_NO_ERR(build(&p, spec, "{'cm/c':{'data':{'k':'v1'}}}", &c, &err), &err);
    T_EQ_INT(c.nmounts, 6); /* resolv.conf, hostname, four of its own: /etc/hosts is the pod's */
    T_EQ_STR(str_of(c.mounts[2].source), p.host);
    T_OK(c.mounts[2].read_only && c.mounts[2].propagation == MOUNT_BOTH_WAYS);
    T_OK(c.mounts[3].read_only && !c.mounts[4].read_only); /* files that the agent writes are never the container's to change */
    T_EQ_STR(content(&p, c.mounts[3].source), "v1");
    T_EQ_INT(look(&p, "e/logs/me").st_mode & 0777, 0777);
    put(&p, in(&p, c.mounts[4].source, "f"), "through");
    T_EQ_STR(content(&p, "e/logs/me/f"), "through");
    /* a restart shows what there is now, and its own run not before */
    T_NO_ERR(build(&p, spec, "{'cm/c':{'data':{'k':'v2'}}}", &c, &err), &err);
    T_EQ_STR(content(&p, c.mounts[3].source), "v2");
    T_EQ_STR(content(&p, "e/logs/me/f"), "through");
    T_ERR(build(&p, "{'containers':[{'name':'m','volumeMounts':[{'name':'e','mountPath':'/d','subPathExpr':'$(NOPE)'}]}],'volumes':[{'name':'e','emptyDir':{}}]}", NULL, &c, &err), E_INVALID_ARG);
    T_ERR(build(&p, "{'containers':[{'name':'m','volumeMounts':[{'name':'e','mountPath':'/d','subPath':'a/../../x'}]}],'volumes':[{'name':'e','emptyDir':{}}]}", NULL, &c, &err), E_INVALID_ARG);
    T_EQ_STR(str_of(err.msg), "error SubPath `a/../../x` must not be an absolute path or contain `..`");
    place_close(&p);
}

TEST(links_do_not_lead_out)
{
    struct place p;
    struct err err = ERR_NONE;
    struct container_spec c;
    if (!place_open(&p))
        return;
    T_NO_ERR(setup(&p, "{'volumes':[{'name':'e','emptyDir':{}}]}", NULL, &err), &err);
    put(&p, in(&p, p.host, "secret"), "secret");
    T_EQ_INT(symlink(p.host, in(&p, p.pod_dir, "volumes/e/abs")), 0);
    T_EQ_INT(symlink("../../../../host", in(&p, p.pod_dir, "volumes/e/rel")), 0);
    T_EQ_INT(symlink("inner", in(&p, p.pod_dir, "volumes/e/good")), 0);
    T_EQ_INT(mkdir(in(&p, p.pod_dir, "volumes/e/inner"), 0755), 0);
    static const struct {
        const char *subpath;
        bool works;
    } rows[] = {{"abs", false}, {"abs/secret", false}, {"abs/new", false}, {"rel", false}, {"rel/secret", false}, {"good", true}, {"good/more", true}, {"inner", true}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *spec = arena_fmt(&p.a, "{'containers':[{'name':'m','volumeMounts':[{'name':'e','mountPath':'/d','subPath':'%s'}]}],'volumes':[{'name':'e','emptyDir':{}}]}", rows[i].subpath).p;
        int r = build(&p, spec, NULL, &c, &err);
        if ((r == 0) != rows[i].works)
            T_FAIL_("subPath %s: %d %s", rows[i].subpath, r, r < 0 ? err.msg : "");
    }
    struct stat st;
    T_OK(stat(in(&p, p.host, "new"), &st) < 0); /* nothing was made out there */
    T_OK(stat(in(&p, p.pod_dir, "volumes/e/inner/more"), &st) == 0);
    place_close(&p);
}

/* A subPath of a host folder is a bind mount below the pod's folder: removing the pod must not empty the host's. */
TEST(removing_spares_what_is_mounted)
{
    struct place p;
    struct err err = ERR_NONE;
    struct container_spec c;
    if (!place_open(&p))
        return;
    T_EQ_INT(mkdir(in(&p, p.host, "part"), 0755), 0);
    put(&p, in(&p, p.host, "part/precious"), "data");
    const char *spec = arena_fmt(&p.a, "{'containers':[{'name':'m','volumeMounts':[{'name':'h','mountPath':'/d','subPath':'part'},{'name':'h','mountPath':'/e','subPath':'part/precious'}]}],"
                                       "'volumes':[{'name':'h','hostPath':{'path':'%s'}},{'name':'e','emptyDir':{}}]}",
                                 p.host).p;
    T_NO_ERR(build(&p, spec, NULL, &c, &err), &err);
    const char *inner = in(&p, p.pod_dir, "volumes/e/bound here"); /* what a container with mountPropagation leaves */
    T_EQ_INT(mkdir(inner, 0755), 0);
    T_EQ_INT(mount(p.host, inner, NULL, MS_BIND, NULL), 0);
    T_ERR(file_remove_all(p.pod_dir, &err), E_CONFLICT); /* also for whoever forgets to unmount */
    T_EQ_STR(content(&p, in(&p, p.host, "part/precious")), "data");
    T_NO_ERR(volumes_remove(p.pod_dir, &err), &err);
    T_EQ_STR(content(&p, in(&p, p.host, "part/precious")), "data");
    struct stat st;
    T_OK(stat(in(&p, p.pod_dir, "volumes"), &st) < 0 && stat(in(&p, p.pod_dir, "subpaths"), &st) < 0);
    place_close(&p);
}

/* On most machines mounts are shared: what is unmounted in a bind of a folder is unmounted in the folder, too, unless the bind was cut off. */
TEST(removing_spares_mounts_of_the_machine)
{
    struct place p;
    struct err err = ERR_NONE;
    struct container_spec c;
    if (!place_open(&p))
        return;
    T_EQ_INT(mount("none", p.host, "tmpfs", 0, NULL), 0);
    T_EQ_INT(mount(NULL, p.host, NULL, MS_SHARED, NULL), 0);
    const char *below = in(&p, p.host, "part/below");
    T_NO_ERR(file_mkdir_all(below, 0755, &err), &err);
    T_EQ_INT(mount("none", below, "tmpfs", 0, NULL), 0);
    put(&p, in(&p, below, "precious"), "data");
    const char *spec = arena_fmt(&p.a, "{'containers':[{'name':'m','volumeMounts':[{'name':'h','mountPath':'/d','subPath':'part'}]}],'volumes':[{'name':'h','hostPath':{'path':'%s'}}]}", p.host).p;
    for (int i = 0; i < 2; i++) { /* a restart makes the bind again */
        T_NO_ERR(build(&p, spec, NULL, &c, &err), &err);
        T_EQ_STR(content(&p, in(&p, c.mounts[c.nmounts - 1].source, "below/precious")), "data");
        T_EQ_STR(content(&p, in(&p, below, "precious")), "data");
    }
    /* what the machine mounts later still shows */
    T_EQ_INT(mkdir(in(&p, p.host, "part/later"), 0755), 0);
    T_EQ_INT(mount("none", in(&p, p.host, "part/later"), "tmpfs", 0, NULL), 0);
    put(&p, in(&p, p.host, "part/later/file"), "seen");
    T_EQ_STR(content(&p, in(&p, c.mounts[c.nmounts - 1].source, "later/file")), "seen");
    T_NO_ERR(volumes_remove(p.pod_dir, &err), &err);
    T_EQ_STR(content(&p, in(&p, below, "precious")), "data");
    T_EQ_STR(content(&p, in(&p, p.host, "part/later/file")), "seen");
    T_EQ_INT(umount2(p.host, MNT_DETACH), 0);
    place_close(&p);
}

TEST_MAIN(empty_dirs, files_are_swapped_at_once, items_modes_and_kinds, groups, host_paths, errors, mounts_and_subpaths, links_do_not_lead_out, removing_spares_what_is_mounted,
          removing_spares_mounts_of_the_machine)
