/* volumes.c - the volumes of a pod made, refreshed, measured and removed.
 *
 *   pods/UID/volumes/NAME    emptyDir (a folder, or a tmpfs), configMap and downwardAPI (files), secret and projected (files on a tmpfs: never on a disk)
 *   pods/UID/hosts, resolv.conf, hostname
 *
 * Every step may be done again and finds what is there. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/pod/container_build_internal.h"
#include "api/quantity.h"
#include "rt/file.h"

#define FILES_TMPFS_BYTES (64u << 20) /* secrets are 1 MiB at most, a projected volume has a few, twice while they are swapped */
#define HOSTS_BYTES (1u << 20)
#define TREE_DEPTH 256

struct setup {
    struct arena *a;
    const struct json *pod;
    const struct pod_ref *refs;
    size_t nrefs;
    const struct build_node *node;
    bool has_group, on_mismatch;
    uint32_t group;
};

/* --- emptyDir -------------------------------------------------------------------------------------------- */
static int mount_tmpfs(const char *dir, uint64_t bytes, struct err *err)
{
    char options[64];
    if (bytes)
        snprintf(options, sizeof options, "mode=0777,size=%llu", (unsigned long long)bytes);
    else
        snprintf(options, sizeof options, "mode=0777");
    if (mount("tmpfs", dir, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
        return err_sys(err, errno, "cannot mount a tmpfs at %s", dir);
    return 0;
}

static int mount_hugepages(const struct json *pod, const char *dir, str medium, struct err *err)
{
    struct cgroup_limits limits;
    pod_limits(pod, &(struct build_node){0}, &limits);
    bool huge = str_is(medium, "HugePages-1Gi") || (str_is(medium, "HugePages") && limits.hugepages_1gi);
    if (mount("nodev", dir, "hugetlbfs", MS_NOSUID | MS_NODEV, huge ? "pagesize=1G,mode=0777" : "pagesize=2M,mode=0777") < 0)
        return err_sys(err, errno, "cannot mount huge pages at %s", dir);
    return 0;
}

/* What a tmpfs may hold: its sizeLimit, and no more than the pod may use at all. */
static uint64_t tmpfs_bytes(const struct setup *s, const struct json *source)
{
    struct cgroup_limits limits;
    struct quantity q;
    pod_limits(s->pod, s->node, &limits);
    uint64_t most = limits.memory_bytes ? limits.memory_bytes : (uint64_t)MAX(s->node->memory_bytes, (int64_t)0);
    if (quantity_parse(json_str(json_get(source, S("sizeLimit"))), &q) && quantity_sign(&q) > 0) {
        uint64_t wanted = (uint64_t)quantity_to_i64(&q);
        return most ? MIN(most, wanted) : wanted;
    }
    return most;
}

/* The folder, 0777 whatever the umask.  *ret_new: it was not there. */
static int make_folder(const char *path, bool *ret_new, struct err *err)
{
    struct stat st;
    *ret_new = mkdir(path, 0777) == 0;
    if (!*ret_new && (errno != EEXIST || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)))
        return err_sys(err, errno == EEXIST ? ENOTDIR : errno, "cannot make the folder %s", path);
    if (*ret_new && chmod(path, 0777) < 0)
        return err_sys(err, errno, "cannot set the mode of %s", path);
    return 0;
}

static int setup_empty(const struct setup *s, const struct json *source, const char *path, struct err *err)
{
    str medium = json_get_str(source, S("medium"));
    bool is_new;
    int r = make_folder(path, &is_new, err);
    if (r == 0 && medium.len && !volume_is_mounted(path)) {
        is_new = true;
        r = str_is(medium, "Memory") ? mount_tmpfs(path, tmpfs_bytes(s, source), err) : mount_hugepages(s->pod, path, medium, err);
    }
    if (r == 0 && is_new && s->has_group)
        r = volume_set_group(path, s->group, false, false, err);
    return r;
}

/* --- files ----------------------------------------------------------------------------------------------- */
static int setup_files(const struct setup *s, const struct json *volume, const char *path, const volume_files *files, struct err *err)
{
    bool is_new, in_memory = json_get(volume, S("secret")) || json_get(volume, S("projected"));
    int r = make_folder(path, &is_new, err);
    if (r == 0 && in_memory && !volume_is_mounted(path))
        r = mount_tmpfs(path, FILES_TMPFS_BYTES, err);
    return r < 0 ? r : volume_write_files(path, files, s->has_group, s->group, err);
}

/* --- paths of the machine ----------------------------------------------------------------------------------- */
struct path_type {
    const char *name, *what;
    mode_t type;
};
static const struct path_type path_types[] = {
    {"DirectoryOrCreate", "a directory", S_IFDIR}, {"Directory", "a directory", S_IFDIR},         {"FileOrCreate", "a file", S_IFREG},         {"File", "a file", S_IFREG},
    {"Socket", "a socket file", S_IFSOCK},         {"CharDevice", "a character device", S_IFCHR}, {"BlockDevice", "a block device", S_IFBLK},
};

static int make_path(const char *path, bool is_file, unsigned mode, struct err *err)
{
    if (!is_file) {
        int r = file_mkdir_all(path, 0755, err);
        if (r == 0 && chmod(path, mode) < 0)
            r = err_sys(err, errno, "cannot set the mode of %s", path);
        return r;
    }
    FD_AUTO fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    return fd < 0 ? err_sys(err, errno, "cannot make %s", path) : 0;
}

/* dir_mode: of a folder that is made.  Without a type a missing path becomes a folder, as the usual runtimes do. */
static int setup_path(const char *path, str type, unsigned dir_mode, struct err *err)
{
    struct stat st;
    if (path[0] != '/')
        return err_set(err, E_INVALID_ARG, "hostPath \"%s\" is not absolute", path);
    bool exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT)
        return err_sys(err, errno, "cannot look at %s", path);
    if (!type.len)
        return exists ? 0 : make_path(path, false, dir_mode, err);
    for (size_t i = 0; i < ARRAY_LEN(path_types); i++) {
        const struct path_type *t = &path_types[i];
        if (!str_is(type, t->name))
            continue;
        if (!exists && str_has_suffix(type, S("OrCreate")))
            return make_path(path, t->type == S_IFREG, dir_mode, err);
        if (!exists || (st.st_mode & S_IFMT) != t->type)
            return err_set(err, E_NOT_FOUND, "hostPath type check failed: %s is not %s", path, t->what);
        return 0;
    }
    return err_set(err, E_INVALID_ARG, "hostPath type \"" STR_FMT "\" is not known", STR_ARG(type));
}

static const struct json *claim_volume(const struct setup *s, const struct json *volume)
{
    str claim = json_get_str(json_get(volume, S("persistentVolumeClaim")), S("claimName")), name = json_get_str(json_get(s->pod, S("metadata")), S("name"));
    if (!claim.len)
        claim = arena_fmt(s->a, STR_FMT "-" STR_FMT, STR_ARG(name), STR_ARG(json_get_str(volume, S("name"))));
    const struct pod_ref *ref = pod_ref_find(s->refs, s->nrefs, REF_PVC, claim);
    const struct pod_ref *pv = ref ? pod_ref_find(s->refs, s->nrefs, REF_PV, json_get_str(json_get(ref->object, S("spec")), S("volumeName"))) : NULL;
    return pv ? json_get(pv->object, S("spec")) : NULL;
}

static int setup_claim(const struct setup *s, const struct json *volume, const struct volume_place *place, struct err *err)
{
    const struct json *spec = claim_volume(s, volume), *host = json_get(spec, S("hostPath"));
    struct stat st;
    if (host) /* a provisioned folder is for whoever runs in the pod */
        return setup_path(place->path, json_get_str(host, S("type")), 0777, err);
    if (stat(place->path, &st) < 0)
        return err_sys(err, errno, "local volume path %s", place->path);
    if (place->is_block && !S_ISBLK(st.st_mode))
        return err_set(err, E_INVALID_ARG, "%s is not a block device", place->path);
    if (s->has_group && S_ISDIR(st.st_mode) && !place->read_only)
        return volume_set_group(place->path, s->group, false, s->on_mismatch, err);
    return 0;
}

/* --- one volume ------------------------------------------------------------------------------------------------ */
static int setup_volume(const struct setup *s, const struct json *volume, bool is_first, struct err *err)
{
    struct volume_place place;
    volume_files files = {0};
    bool is_files = false;
    int r = volume_find(s->a, s->pod, volume, s->refs, s->nrefs, s->node, &place, err);
    if (r < 0)
        return r;
    if (!place.is_ours) {
        const struct json *host = json_get(volume, S("hostPath"));
        if (host)
            return setup_path(place.path, json_get_str(host, S("type")), 0755, err);
        return is_first ? setup_claim(s, volume, &place, err) : 0;
    }
    r = volume_payload(s->a, s->pod, volume, s->refs, s->nrefs, s->node, &files, &is_files, err);
    if (r == 0)
        r = is_files ? setup_files(s, volume, place.path, &files, err) : setup_empty(s, json_get(volume, S("emptyDir")), place.path, err);
    vec_fini(&files);
    return r;
}

/* --- hosts, resolv.conf, hostname --------------------------------------------------------------------------------- */
/* In place: containers have the file itself bound. */
static int write_file(const char *path, str text, struct err *err)
{
    char *old CLEANUP(free) = NULL;
    size_t len = 0;
    if (file_read(path, HOSTS_BYTES * 2, &old, &len, NULL) == 0 && str_eq(str_n(old, len), text))
        return 0;
    FD_AUTO fd = open(path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || pwrite(fd, text.p, text.len, 0) != (ssize_t)text.len || ftruncate(fd, (off_t)text.len) < 0 || fchmod(fd, 0644) < 0)
        return err_sys(err, errno, "cannot write %s", path);
    return 0;
}

static int setup_names(const struct setup *s, struct err *err)
{
    char *host CLEANUP(free) = NULL;
    size_t len = 0;
    str hostname;
    if (json_get_bool(json_get(s->pod, S("spec")), S("hostNetwork"), false))
        err_ignore(file_read("/etc/hosts", HOSTS_BYTES, &host, &len, NULL), "a machine without the file has nothing to add");
    int r = pod_hostname(s->a, s->pod, s->node, &hostname, err);
    if (r < 0)
        return r;
    const struct {
        const char *name;
        str text;
    } rows[] = {{"hosts", pod_hosts_text(s->a, s->pod, s->node, host ? str_n(host, len) : S(""))}, {"resolv.conf", pod_resolv_text(s->a, s->pod, s->node)}, {"hostname", arena_cat(s->a, hostname, S("\n"))}};
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(rows); i++)
        r = write_file(arena_fmt(s->a, "%s/%s", s->node->pod_dir, rows[i].name).p, rows[i].text, err);
    return r;
}

int volumes_setup(const struct json *pod, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json *context = json_path(pod, "spec", "securityContext", NULL), *all = json_get(json_get(pod, S("spec")), S("volumes"));
    int64_t group = json_get_int(context, S("fsGroup"), -1);
    struct setup s = {.a = &a, .pod = pod, .refs = refs, .nrefs = nrefs, .node = node, .has_group = group >= 0, .group = (uint32_t)group};
    s.on_mismatch = str_is(json_get_str(context, S("fsGroupChangePolicy")), "OnRootMismatch");
    const char *dir = arena_fmt(&a, "%s/volumes", node->pod_dir).p, *done = arena_fmt(&a, "%s/volumes.done", node->pod_dir).p;
    bool is_first = !file_exists(done);
    int r = file_mkdir_all(dir, 0755, err), first = 0;
    if (r < 0 || (r = setup_names(&s, err)) < 0)
        return r;
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) { /* one that fails does not keep others from being refreshed */
        struct err local = ERR_NONE;
        r = setup_volume(&s, &all->items[i], is_first, &local);
        if (r == 0 || first < 0)
            continue;
        first = r;
        if (err)
            *err = local;
        err_wrap(err, "MountVolume.SetUp failed for volume \"" STR_FMT "\" : ", STR_ARG(json_get_str(&all->items[i], S("name"))));
    }
    return first < 0 || !is_first ? first : write_file(done, S(""), err);
}

int volumes_remove(const char *pod_dir, struct err *err)
{
    static const char *const folders[] = {"subpaths", "volumes"}, *const files[] = {"hosts", "resolv.conf", "hostname", "volumes.done"};
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        const char *dir = arena_fmt(&a, "%s/%s", pod_dir, folders[i]).p;
        int r = volume_unmount_below(dir, err);
        if (r < 0 || (r = file_remove_all(dir, err)) < 0)
            return r;
    }
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (unlink(arena_fmt(&a, "%s/%s", pod_dir, files[i]).p) < 0 && errno != ENOENT && errno != ENOTDIR)
            return err_sys(err, errno, "cannot remove %s of the pod", files[i]);
    return 0;
}

/* --- usage ---------------------------------------------------------------------------------------------------------- */
static uint64_t tree_bytes(int dir, const char *name, dev_t dev, unsigned depth)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 || fstat(fd, &st) < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    uint64_t sum = 0;
    for (struct dirent *e; (st.st_dev == dev || depth == 0) && (e = readdir(d));) {
        struct stat in;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || fstatat(fd, e->d_name, &in, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        sum += (uint64_t)in.st_blocks * 512;
        if (S_ISDIR(in.st_mode) && depth < TREE_DEPTH)
            sum += tree_bytes(fd, e->d_name, depth == 0 ? st.st_dev : dev, depth + 1);
    }
    closedir(d);
    return sum;
}

uint64_t volumes_usage(const struct json *pod, const char *pod_dir, struct arena *a, str *ret_over)
{
    const struct json *all = json_get(json_get(pod, S("spec")), S("volumes"));
    uint64_t sum = 0;
    *ret_over = S("");
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
        const struct json *empty = json_get(&all->items[i], S("emptyDir"));
        str name = json_get_str(&all->items[i], S("name"));
        struct quantity limit;
        if (!empty || json_get_str(empty, S("medium")).len)
            continue;
        uint64_t bytes = tree_bytes(AT_FDCWD, arena_fmt(a, "%s/volumes/" STR_FMT, pod_dir, STR_ARG(name)).p, 0, 0);
        sum += bytes;
        if (!ret_over->len && quantity_parse(json_str(json_get(empty, S("sizeLimit"))), &limit) && quantity_sign(&limit) > 0 && bytes > (uint64_t)quantity_to_i64(&limit))
            *ret_over = name;
    }
    return sum;
}
