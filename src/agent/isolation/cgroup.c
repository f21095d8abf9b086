/* cgroup.c - which hierarchies there are, folders in them, who is inside.  Limits and counters: cgroup_files.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/isolation/cgroup_internal.h"
#include "base/log.h"
#include "rt/file.h"

#define MOUNTINFO_BYTES (16u << 20)

static const char *const controller_names[CGROUP_CONTROLLERS] = {
    [CGROUP_CPU] = "cpu",       [CGROUP_CPUACCT] = "cpuacct", [CGROUP_CPUSET] = "cpuset",   [CGROUP_MEMORY] = "memory",
    [CGROUP_PIDS] = "pids",     [CGROUP_HUGETLB] = "hugetlb", [CGROUP_DEVICES] = "devices", [CGROUP_FREEZER] = "freezer",
};

const char *cgroup_controller_name(enum cgroup_controller k)
{
    return controller_names[k];
}

static uint32_t controllers_in(str text, char sep)
{
    uint32_t mask = 0;
    for (str word; text.len;) {
        str_cut(&text, sep, &word);
        word = str_trim(word);
        for (size_t k = 0; k < CGROUP_CONTROLLERS; k++)
            mask |= str_is(word, controller_names[k]) ? 1u << k : 0;
    }
    return mask;
}

uint32_t cgroup_controllers_parse(str text)
{
    return controllers_in(text, ' ');
}

/* --- layout -------------------------------------------------------------------------------------------- */

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* Blanks and backslashes of a path stand as \040 in mountinfo. */
static bool unescape(str in, char *out, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < in.len; i++) {
        char c = in.p[i];
        if (c == '\\' && i + 3 < in.len && is_octal(in.p[i + 1]) && is_octal(in.p[i + 2]) && is_octal(in.p[i + 3])) {
            c = (char)((in.p[i + 1] - '0') << 6 | (in.p[i + 2] - '0') << 3 | (in.p[i + 3] - '0'));
            i += 3;
        }
        if (n + 1 >= cap)
            return false;
        out[n++] = c;
    }
    out[n] = 0;
    return true;
}

/* Does this kernel have us in a v1 hierarchy with these controllers?  "4:memory:/path" */
static bool self_has(str self_cgroup, uint32_t controllers)
{
    for (str line; self_cgroup.len;) {
        str_cut(&self_cgroup, '\n', &line);
        str id, names;
        if (str_cut(&line, ':', &id) && str_cut(&line, ':', &names) && (controllers_in(names, ',') & controllers))
            return true;
    }
    return false;
}

static void add_mount(str line, str self_cgroup, struct cgroup_layout *l)
{
    str left = line, field[6] = {{0}};
    for (size_t i = 0; i < 6; i++)
        str_cut(&left, ' ', &field[i]);
    ptrdiff_t dash = str_find(left, S("- "));
    if (dash < 0)
        return;
    left = str_from(left, (size_t)dash + 2);
    str type, source, options;
    str_cut(&left, ' ', &type);
    str_cut(&left, ' ', &source);
    str_cut(&left, ' ', &options);
    bool v2 = str_is(type, "cgroup2");
    if (!v2 && !str_is(type, "cgroup"))
        return;
    struct cgroup_hier h = {.is_v2 = v2, .controllers = v2 ? 0 : controllers_in(options, ',')};
    if (!unescape(field[4], h.mount, sizeof h.mount) || (h.controllers && !self_has(self_cgroup, h.controllers)))
        return;
    /* The same hierarchy may be mounted in several places; that below /sys is the machine's own. */
    for (size_t i = 0; i < l->n; i++) {
        struct cgroup_hier *old = &l->hiers[i];
        if (old->is_v2 == v2 && (v2 || (old->controllers & h.controllers) || strcmp(old->mount, h.mount) == 0)) {
            if (!str_has_prefix(str_of(old->mount), S("/sys/")) && str_has_prefix(str_of(h.mount), S("/sys/")))
                *old = h;
            return;
        }
    }
    if (l->n < CGROUP_HIERS)
        l->hiers[l->n++] = h;
}

void cgroup_layout_parse(str mountinfo, str self_cgroup, struct cgroup_layout *ret)
{
    memset(ret, 0, sizeof *ret);
    for (str line; mountinfo.len;) {
        str_cut(&mountinfo, '\n', &line);
        add_mount(line, self_cgroup, ret);
    }
}

void cgroups_open(struct cgroups *c, const char *root)
{
    memset(c, 0, sizeof *c);
    snprintf(c->root, sizeof c->root, "%s", root);
    char *mounts CLEANUP(free) = NULL, *self CLEANUP(free) = NULL;
    struct err err = ERR_NONE;
    if (file_read("/proc/self/mountinfo", MOUNTINFO_BYTES, &mounts, NULL, &err) < 0 || file_read("/proc/self/cgroup", 1u << 20, &self, NULL, &err) < 0) {
        log_warn("control groups cannot be read: containers run without limits", KV("error", "%s", err.msg));
        return;
    }
    cgroup_layout_parse(str_of(mounts), str_of(self), &c->layout);
    for (size_t i = 0; i < c->layout.n; i++) {
        struct cgroup_hier *h = &c->layout.hiers[i];
        char text[1024];
        if (h->is_v2 && cgroup_file_read(h->mount, "cgroup.controllers", text, sizeof text))
            h->controllers = cgroup_controllers_parse(str_of(text));
    }
}

bool cgroups_has(const struct cgroups *c, enum cgroup_controller k)
{
    return cgroup_hier_of(c, k) >= 0;
}

int cgroup_hier_of(const struct cgroups *c, enum cgroup_controller k)
{
    for (size_t i = 0; i < c->layout.n; i++) {
        if (c->layout.hiers[i].controllers & (1u << k))
            return (int)i;
    }
    return -1;
}

/* --- folders ------------------------------------------------------------------------------------------- */

bool cgroup_dir(const struct cgroups *c, size_t hier, const char *path, char ret[CGROUP_PATH])
{
    int n = snprintf(ret, CGROUP_PATH, "%s/%s%s%s", c->layout.hiers[hier].mount, c->root, *path ? "/" : "", path);
    return n > 0 && n < CGROUP_PATH;
}

/* A cpuset of version 1 starts empty, and an empty one takes no process. */
static void inherit_cpuset(const char *parent, const char *dir)
{
    static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char text[1024];
        if (cgroup_file_read(dir, files[i], text, sizeof text) && !str_trim(str_of(text)).len && cgroup_file_read(parent, files[i], text, sizeof text))
            cgroup_file_write(dir, files[i], text);
    }
}

static void enable_controllers(const struct cgroup_hier *h, const char *parent)
{
    for (size_t k = 0; k < CGROUP_CONTROLLERS; k++) {
        char text[32];
        snprintf(text, sizeof text, "+%s", controller_names[k]);
        /* One by one: a refused controller does not keep the others out.  What is missing shows when a limit is set. */
        if (h->controllers & (1u << k))
            cgroup_file_write(parent, "cgroup.subtree_control", text);
    }
}

int cgroup_hier_make(const struct cgroups *c, size_t hier, const char *path, struct err *err)
{
    const struct cgroup_hier *h = &c->layout.hiers[hier];
    char dir[CGROUP_PATH], parent[CGROUP_PATH];
    if (!cgroup_dir(c, hier, path, dir))
        return err_set(err, E_INVALID_ARG, "the name of the control group %s/%s is too long", c->root, path);
    struct stat st;
    if (stat(dir, &st) == 0)
        return 0;
    for (size_t at = strlen(h->mount) + 1; at <= strlen(dir); at++) {
        if (dir[at] != '/' && dir[at] != 0)
            continue;
        char end = dir[at];
        dir[at] = 0;
        snprintf(parent, sizeof parent, "%s", dir);
        *strrchr(parent, '/') = 0;
        if (h->is_v2)
            enable_controllers(h, parent);
        if (mkdir(dir, 0755) < 0 && errno != EEXIST)
            return err_sys(err, errno, "cannot make the control group %s", dir);
        if (h->controllers & (1u << CGROUP_CPUSET) && !h->is_v2)
            inherit_cpuset(parent, dir);
        dir[at] = end;
    }
    return 0;
}

int cgroup_enter(const struct cgroups *c, const char *path, struct err *err)
{
    for (size_t i = 0; i < c->layout.n; i++) {
        char dir[CGROUP_PATH];
        const struct cgroup_hier *h = &c->layout.hiers[i];
        if (!cgroup_dir(c, i, path, dir))
            return err_set(err, E_INVALID_ARG, "the name of the control group %s is too long", path);
        /* "0" in v1's tasks: this one thread, for which the kernel takes no lock over all processes. */
        int r = cgroup_file_write(dir, h->is_v2 ? "cgroup.procs" : "tasks", "0");
        if (r < 0 && r != -ENOENT && !h->is_v2)
            return err_sys(err, -r, "cannot enter the control group %s", dir);
    }
    return 0;
}

int cgroup_v2_open(const struct cgroups *c, const char *path)
{
    for (size_t i = 0; i < c->layout.n; i++) {
        char dir[CGROUP_PATH];
        if (c->layout.hiers[i].is_v2 && cgroup_dir(c, i, path, dir))
            return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return -1;
}

/* --- who is inside ---------------------------------------------------------------------------------------- */

/* Calls each() for every pid in dir and below; the number of them, -1 when there is no such folder. */
static int walk_procs(const char *dir, int signo)
{
    char path[CGROUP_PATH + 32];
    snprintf(path, sizeof path, "%s/cgroup.procs", dir);
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    int n = 0;
    for (int pid; fscanf(f, "%d", &pid) == 1; n++) {
        if (signo && pid > 0)
            kill(pid, signo);
    }
    fclose(f);
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_type != DT_DIR || e->d_name[0] == '.')
            continue;
        int len = snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        int below = len < CGROUP_PATH ? walk_procs(path, signo) : 0;
        n += MAX(below, 0);
    }
    if (d)
        closedir(d);
    return n;
}

/* Everybody is in the hierarchy of this index; the one with a controller that every container joins. */
static int walk_any(const struct cgroups *c, const char *path, int signo)
{
    int best = -1;
    for (size_t i = 0; i < c->layout.n; i++) {
        char dir[CGROUP_PATH];
        int n = cgroup_dir(c, i, path, dir) ? walk_procs(dir, signo) : -1;
        best = MAX(best, n);
    }
    return best;
}

int cgroup_count(const struct cgroups *c, const char *path)
{
    return walk_any(c, path, 0);
}

int cgroup_signal(const struct cgroups *c, const char *path, int signo)
{
    return walk_any(c, path, signo);
}

static bool set_frozen(const struct cgroups *c, const char *path, bool frozen)
{
    int i = cgroup_hier_of(c, CGROUP_FREEZER);
    char dir[CGROUP_PATH];
    if (i < 0 || c->layout.hiers[i].is_v2 || !cgroup_dir(c, (size_t)i, path, dir))
        return false;
    return cgroup_file_write(dir, "freezer.state", frozen ? "FROZEN" : "THAWED") == 0;
}

static bool kill_v2(const struct cgroups *c, const char *path)
{
    for (size_t i = 0; i < c->layout.n; i++) {
        char dir[CGROUP_PATH];
        if (c->layout.hiers[i].is_v2 && cgroup_dir(c, i, path, dir) && cgroup_file_write(dir, "cgroup.kill", "1") == 0)
            return true;
    }
    return false;
}

bool cgroup_kill(const struct cgroups *c, const char *path, nsec_t patience_ns)
{
    nsec_t end = clock_mono(&clock_real) + patience_ns;
    for (nsec_t nap = NSEC_PER_MSEC / 4;; nap = MIN(nap * 2, 20 * NSEC_PER_MSEC)) {
        int n = cgroup_count(c, path);
        if (n < 0)
            return c->layout.n > 0; /* gone is dead */
        if (n == 0)
            return true;
        kill_v2(c, path);
        /* Frozen, a fork bomb cannot outrun the loop over its processes.  The signal acts when they thaw. */
        bool frozen = set_frozen(c, path, true);
        cgroup_signal(c, path, SIGKILL);
        if (frozen)
            set_frozen(c, path, false);
        if (clock_mono(&clock_real) >= end)
            return cgroup_count(c, path) <= 0;
        struct timespec ts = {.tv_nsec = nap};
        nanosleep(&ts, NULL);
    }
}

static int remove_dir(const char *dir, nsec_t end)
{
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOENT ? 0 : -errno;
    int r = 0;
    for (struct dirent *e; r == 0 && (e = readdir(d));) {
        char path[CGROUP_PATH + 256];
        if (e->d_type != DT_DIR || e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        r = remove_dir(path, end);
    }
    closedir(d);
    while (r == 0 && rmdir(dir) < 0 && errno != ENOENT) {
        if (errno != EBUSY || clock_mono(&clock_real) >= end)
            return -errno;
        struct timespec ts = {.tv_nsec = NSEC_PER_MSEC};
        nanosleep(&ts, NULL);
    }
    return r;
}

int cgroup_remove(const struct cgroups *c, const char *path, nsec_t patience_ns, struct err *err)
{
    nsec_t end = clock_mono(&clock_real) + patience_ns;
    for (size_t i = 0; i < c->layout.n; i++) {
        char dir[CGROUP_PATH];
        if (!cgroup_dir(c, i, path, dir))
            continue;
        int r = remove_dir(dir, end);
        if (r < 0)
            return err_sys(err, -r, "cannot remove the control group %s", dir);
    }
    return 0;
}
