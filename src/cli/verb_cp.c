/* verb_cp.c - cox cp: files to and from containers, by a tar at each end.
 *
 *   to a pod:     our tar stream ─► exec -i tar -xmf - -C FOLDER            from a pod:     exec tar cf - PATH ─► unpacked here
 *
 * What comes from a container is not trusted: nothing is written outside of the destination, links are not made and not followed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/tar.h"
#include "cli/pod_target.h"
#include "cli/remote_exec.h"
#include "cli/tar_write.h"
#include "cli/verbs.h"

struct place {
    str ns, pod, path; /* pod "": this machine */
};

struct copy {
    struct session *s;
    struct json pod;
    str container;
};

/* --- words --------------------------------------------------------------------------------------------------------------------- */

/* "file", "pod:path", "namespace/pod:path". */
static int place_of(const char *word, struct place *ret, struct failure *f)
{
    str rest = str_of(word), head;
    *ret = (struct place){0};
    if (word[0] == '/' || word[0] == '.' || !str_cut(&rest, ':', &head)) {
        ret->path = str_of(word);
        return 0;
    }
    ret->path = rest;
    str pod = head, ns;
    if (str_cut(&pod, '/', &ns)) {
        ret->ns = ns;
        ret->pod = pod;
    } else {
        ret->pod = ns;
    }
    if (!ret->pod.len || str_find_char(ret->pod, '/') >= 0)
        return failure_set(f, E_INVALID_ARG, "filespec must match the canonical format: [[namespace/]pod:]file/path, not \"%s\"", word);
    return ret->path.len ? 0 : failure_set(f, E_INVALID_ARG, "filepath can not be empty");
}

static str trimmed(str path)
{
    while (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    return path;
}

static str base_of(str path)
{
    path = trimmed(path);
    return str_from(path, (size_t)(str_rfind_char(path, '/') + 1));
}

static str dir_of(str path)
{
    path = trimmed(path);
    ptrdiff_t slash = str_rfind_char(path, '/');
    return slash < 0 ? S(".") : slash == 0 ? S("/") : str_sub(path, 0, (size_t)slash);
}

/* --- exec ------------------------------------------------------------------------------------------------------------------------- */

static int run(struct copy *c, const char *const *command, struct remote_exec *x, int *ret_code, struct failure *f)
{
    bool has_in = x->read != NULL;
    str query = remote_exec_query(c->s, c->container, command, has_in, true, true, false), path = pod_target_path(c->s, &c->pod, "exec");
    x->path = arena_fmt(&c->s->arena, STR_FMT "?" STR_FMT, STR_ARG(path), STR_ARG(query));
    x->in_fd = -1;
    return remote_exec_run(c->s, x, ret_code, f);
}

static int drop_output(void *arg UNUSED, int stream UNUSED, str bytes UNUSED, struct err *err UNUSED)
{
    return 0;
}

/* It has said why by itself; its exit status is ours. */
static int tar_failed(int code)
{
    fprintf(stderr, "command terminated with exit code %d\n", code);
    return code;
}

/* --- to a pod ---------------------------------------------------------------------------------------------------------------------- */

struct upload {
    struct tar_writer *tar;
    struct err err;
};

static ssize_t upload_read(void *arg, char *buf, size_t len)
{
    struct upload *u = arg;
    return tar_write_read(u->tar, buf, len, &u->err);
}

static int copy_to(struct copy *c, str from, str to, struct failure *f)
{
    struct arena *a = &c->s->arena;
    int code = 0;
    const char *test[] = {"test", "-d", arena_cstr(a, to), NULL};
    struct remote_exec probe = {.write = drop_output};
    int r = run(c, test, &probe, &code, f);
    if (r < 0)
        return r;
    str dir = code == 0 ? to : dir_of(to), name = code == 0 ? base_of(from) : base_of(to);
    struct upload u = {0};
    r = tar_write_open(arena_cstr(a, from), arena_cstr(a, name), &u.tar, &f->err);
    if (r < 0)
        return r;
    const char *plain[] = {"tar", "-xmf", "-", "-C", arena_cstr(a, dir), NULL};
    const char *loose[] = {"tar", "--no-same-permissions", "--no-same-owner", "-xmf", "-", "-C", arena_cstr(a, dir), NULL};
    struct remote_exec x = {.read = upload_read, .write = remote_exec_write_std, .arg = &u};
    r = run(c, cli_flag(c->s->args, "no-preserve") ? loose : plain, &x, &code, f);
    tar_write_close(u.tar);
    if (u.err.code)
        f->err = u.err;
    return r == 0 && code ? tar_failed(code) : r;
}

/* --- from a pod ------------------------------------------------------------------------------------------------------------------------ */

struct download {
    struct tar *tar;
    int root;     /* the destination's folder */
    str prefix;   /* what the members' names begin with */
    str base;     /* what stands there instead */
    int file;     /* being written, -1: none */
    uint32_t mode;
    uint64_t members;
    bool failed;
};

/* The folder that holds the last part of `path`, made on the way; links are not followed.  *ret_name points into path. */
static int open_parent(struct download *d, char *path, const char **ret_name, struct err *err)
{
    int at = dup(d->root);
    char *rest = path;
    for (char *slash; at >= 0 && (slash = strchr(rest, '/'));) {
        *slash = 0;
        if (rest[0] && strcmp(rest, ".") != 0) {
            if (strcmp(rest, "..") == 0) {
                close(at);
                return err_set(err, E_INVALID_ARG, "the container's tar names a file outside of what was asked for");
            }
            mkdirat(at, rest, 0755);
            int next = openat(at, rest, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            int error = errno;
            close(at);
            if (next < 0)
                return err_sys(err, error, "cannot open the folder %s", rest);
            at = next;
        }
        rest = slash + 1;
    }
    if (at < 0)
        return err_sys(err, errno, "cannot open the destination");
    *ret_name = rest;
    return at;
}

/* Where a member goes, NULL: nowhere. */
static char *local_name(struct download *d, str name)
{
    while (str_has_prefix(name, S("./")) || str_has_prefix(name, S("/")))
        name = str_from(name, name.p[0] == '/' ? 1 : 2);
    name = trimmed(name);
    if (!str_has_prefix(name, d->prefix) || (name.len > d->prefix.len && name.p[d->prefix.len] != '/' && d->prefix.len))
        return NULL;
    str rest = str_from(name, d->prefix.len);
    struct strbuf b = STRBUF_HEAP;
    strbuf_add_str(&b, d->base);
    if (rest.len && rest.p[0] != '/')
        strbuf_add_char(&b, '/');
    strbuf_add_str(&b, rest);
    return b.p;
}

static int member(void *arg, const struct tar_entry *e, struct err *err)
{
    struct download *d = arg;
    const char *name = "";
    d->file = -1;
    if (e->type != TAR_FILE && e->type != TAR_DIR) {
        fprintf(stderr, "warning: skipping " STR_FMT ": links and devices are not copied\n", STR_ARG(e->name));
        return 0;
    }
    char *path = local_name(d, e->name);
    if (!path)
        return 0;
    d->members++;
    int dir = open_parent(d, path, &name, err), r = 0;
    if (dir < 0) {
        free(path);
        return dir;
    }
    d->mode = e->mode & 0777;
    if (strcmp(name, "..") == 0) {
        r = err_set(err, E_INVALID_ARG, "the container's tar names a file outside of what was asked for");
    } else if (e->type == TAR_DIR) {
        if (name[0] && strcmp(name, ".") != 0 && mkdirat(dir, name, (d->mode | 0700) & 0777) < 0 && errno != EEXIST)
            r = err_sys(err, errno, "cannot make the folder %s", name);
    } else {
        if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
            r = err_sys(err, errno, "cannot replace %s", name);
        d->file = r == 0 ? openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, d->mode | 0200) : -1;
        if (r == 0 && d->file < 0)
            r = err_sys(err, errno, "cannot write %s", name);
    }
    close(dir);
    free(path);
    return r;
}

static int member_data(void *arg, str bytes, struct err *err)
{
    struct download *d = arg;
    while (d->file >= 0 && bytes.len) {
        ssize_t n = write(d->file, bytes.p, bytes.len);
        if (n < 0)
            return err_sys(err, errno, "cannot write");
        bytes = str_from(bytes, (size_t)n);
    }
    return 0;
}

static int member_end(void *arg, struct err *err)
{
    struct download *d = arg;
    int file = d->file;
    d->file = -1;
    return file >= 0 && close(file) < 0 ? err_sys(err, errno, "cannot write") : 0;
}

static int download_write(void *arg, int stream, str bytes, struct err *err)
{
    struct download *d = arg;
    if (stream == 2)
        return remote_exec_write_std(NULL, 2, bytes, err);
    int r = d->failed ? 0 : tar_feed(d->tar, bytes, err);
    d->failed |= r < 0;
    return r;
}

static int copy_from(struct copy *c, str from, str to, struct failure *f)
{
    static const struct tar_ops ops = {member, member_data, member_end};
    struct arena *a = &c->s->arena;
    struct stat st;
    bool into = stat(arena_cstr(a, to), &st) == 0 && S_ISDIR(st.st_mode);
    struct download d = {.file = -1, .prefix = trimmed(from), .base = into ? base_of(from) : base_of(to)};
    while (str_has_prefix(d.prefix, S("/")) || str_has_prefix(d.prefix, S("./")))
        d.prefix = str_from(d.prefix, d.prefix.p[0] == '/' ? 1 : 2);
    if (str_is(d.prefix, ".")) { /* its members are ./a, ./b */
        d.prefix = S("");
        d.base = into ? S(".") : d.base;
    }
    d.root = open(arena_cstr(a, into ? to : dir_of(to)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d.root < 0) {
        err_sys(&f->err, errno, "cannot open " STR_FMT, STR_ARG(into ? to : dir_of(to)));
        return -f->err.code;
    }
    int code = 0;
    const char *pack[] = {"tar", "cf", "-", arena_cstr(a, from), NULL};
    struct remote_exec x = {.write = download_write, .arg = &d};
    d.tar = tar_new(&ops, &d);
    int r = run(c, pack, &x, &code, f);
    if (r == 0 && code)
        r = tar_failed(code);
    if (r == 0)
        r = tar_finish(d.tar, &f->err);
    if (r == 0 && !d.members)
        r = failure_set(f, E_NOT_FOUND, STR_FMT " holds nothing that could be copied", STR_ARG(from));
    if (d.file >= 0)
        close(d.file);
    tar_free(d.tar);
    close(d.root);
    return r;
}

/* --- the verb -------------------------------------------------------------------------------------------------------------------------------- */

static int cp(struct session *s, struct failure *f)
{
    const struct cli_args *a = s->args;
    struct place from, to;
    struct copy c = {.s = s};
    if (a->npositional != 2)
        return failure_set(f, E_INVALID_ARG, "source and destination are required");
    int r = place_of(a->positional[0], &from, f);
    if (r == 0)
        r = place_of(a->positional[1], &to, f);
    if (r < 0)
        return r;
    if (from.pod.len && to.pod.len)
        return failure_set(f, E_INVALID_ARG, "one of src or dest must be a local file specification");
    if (!from.pod.len && !to.pod.len)
        return failure_set(f, E_INVALID_ARG, "one of src or dest must be a remote file specification");
    const struct place *there = from.pod.len ? &from : &to;
    if (there->ns.len)
        s->namespace_ = there->ns;
    if (!from.pod.len && access(arena_cstr(&s->arena, from.path), F_OK) < 0)
        return failure_set(f, E_NOT_FOUND, STR_FMT " doesn't exist in local filesystem", STR_ARG(from.path));
    r = pod_target_find(s, arena_cstr(&s->arena, there->pod), &c.pod, f);
    if (r == 0)
        r = verb_exec_check_runs(&c.pod, "exec into", f);
    if (r == 0)
        r = pod_target_container(s, &c.pod, cli_str(a, "container"), false, &c.container, f);
    if (r)
        return r;
    if (!from.pod.len)
        return copy_to(&c, from.path, to.path, f);
    int64_t retries = cli_int(a, "retries", 0);
    do {
        *f = FAILURE_NONE;
        r = copy_from(&c, from.path, to.path, f);
    } while (r == -E_UNAVAILABLE && retries-- != 0); /* below 0: without end */
    return r;
}

static int run_cp(struct cli_args *a)
{
    return session_run(a, cp);
}

static const struct cli_option options[] = {
    {"container", 'c', CLI_STRING, "NAME", "", "Container of the pod; otherwise its default one.", NULL},
    {"retries", 0, CLI_INT, "N", "0", "How often a copy from a container begins again when the connection breaks; below 0: without end.", NULL},
    {"no-preserve", 0, CLI_FLAG, NULL, "", "Do not keep owner and permissions in the container.", NULL},
    {0},
};

const struct cli_verb verb_cp = {
    .name = "cp",
    .summary = "Copy files to and from containers.",
    .usage = "(FILE [NAMESPACE/]POD:PATH | [NAMESPACE/]POD:PATH FILE) [-c CONTAINER]",
    .help = "The container must have tar. Links that come from a container are not made here.",
    .examples = "  cox cp ./site web-1:/srv\n  cox cp web-1:/var/log/app.log .",
    .options = options,
    .run = run_cp,
    .is_client = true,
};
