/* cgroup_files.c - limits in, counters out: which file says what in version 1 and 2. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/isolation/cgroup_internal.h"
#include "base/log.h"
#include "rt/file.h"

#define CPU_PERIOD_US 100000
#define UNLIMITED_BYTES (1ull << 60) /* v1 shows "no limit" as a number near 2^63 */

bool cgroup_file_read(const char *dir, const char *name, char *ret, size_t cap)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, cap - 1);
    if (n < 0)
        return false;
    ret[n] = 0;
    return true;
}

int cgroup_file_write(const char *dir, const char *name, const char *text)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

bool cgroup_keyed_value(str text, str key, uint64_t *ret)
{
    for (str line; text.len;) {
        str_cut(&text, '\n', &line);
        str name;
        if (str_cut(&line, ' ', &name) && str_eq(name, key))
            return str_to_u64(str_trim(line), ret);
    }
    return false;
}

uint64_t cgroup_weight_of_shares(uint64_t shares)
{
    shares = MIN(MAX(shares, (uint64_t)2), (uint64_t)262144);
    return 1 + (shares - 2) * 9999 / 262142;
}

/* --- limits ------------------------------------------------------------------------------------------------ */

struct limit_row {
    enum cgroup_controller controller;
    const char *v1, *v2; /* files */
    char text_v1[64], text_v2[64];
};

static void fill_rows(const struct cgroup_limits *l, struct limit_row rows[], size_t *n)
{
    *n = 0;
#define ROW(k, file1, file2, fmt1, arg1, fmt2, arg2)                                                         \
    do {                                                                                                     \
        struct limit_row *row_ = &rows[(*n)++];                                                              \
        *row_ = (struct limit_row){.controller = (k), .v1 = (file1), .v2 = (file2)};                         \
        snprintf(row_->text_v1, sizeof row_->text_v1, fmt1, arg1);                                           \
        snprintf(row_->text_v2, sizeof row_->text_v2, fmt2, arg2);                                           \
    } while (0)
#define LU(v) (unsigned long long)(v)
    if (l->cpu_shares)
        ROW(CGROUP_CPU, "cpu.shares", "cpu.weight", "%llu", LU(l->cpu_shares), "%llu", LU(cgroup_weight_of_shares(l->cpu_shares)));
    if (l->cpu_quota_us)
        ROW(CGROUP_CPU, "cpu.cfs_quota_us", "cpu.max", "%llu", LU(l->cpu_quota_us), "%llu 100000", LU(l->cpu_quota_us));
    if (l->memory_bytes)
        ROW(CGROUP_MEMORY, "memory.limit_in_bytes", "memory.max", "%llu", LU(l->memory_bytes), "%llu", LU(l->memory_bytes));
    if (l->pids)
        ROW(CGROUP_PIDS, "pids.max", "pids.max", "%llu", LU(l->pids), "%llu", LU(l->pids));
    if (l->hugepages_2mi)
        ROW(CGROUP_HUGETLB, "hugetlb.2MB.limit_in_bytes", "hugetlb.2MB.max", "%llu", LU(l->hugepages_2mi), "%llu", LU(l->hugepages_2mi));
    if (l->hugepages_1gi)
        ROW(CGROUP_HUGETLB, "hugetlb.1GB.limit_in_bytes", "hugetlb.1GB.max", "%llu", LU(l->hugepages_1gi), "%llu", LU(l->hugepages_1gi));
    if (l->cpus && *l->cpus)
        ROW(CGROUP_CPUSET, "cpuset.cpus", "cpuset.cpus", "%.63s", l->cpus, "%.63s", l->cpus);
#undef ROW
#undef LU
}

static void tell_missing(struct cgroups *c, enum cgroup_controller k)
{
    if (!(atomic_fetch_or(&c->told_, 1u << k) & (1u << k)))
        log_warn("this machine has no such control group: containers run without this limit", KV("controller", "%s", cgroup_controller_name(k)));
}

static int set_limit(struct cgroups *c, const char *path, const struct limit_row *row, struct err *err)
{
    int i = cgroup_hier_of(c, row->controller);
    if (i < 0) {
        tell_missing(c, row->controller);
        return 0;
    }
    bool v2 = c->layout.hiers[i].is_v2;
    const char *file = v2 ? row->v2 : row->v1, *text = v2 ? row->text_v2 : row->text_v1;
    char dir[CGROUP_PATH];
    BUG_ON(!cgroup_dir(c, (size_t)i, path, dir));
    int r = cgroup_file_write(dir, file, text);
    if (r == -ENOENT) { /* v2: the controller could not be enabled for this subtree */
        tell_missing(c, row->controller);
        return 0;
    }
    if (r == 0 && row->controller == CGROUP_MEMORY) {
        /* A limit is for memory and swap together, as Kubernetes has it; kernels without swap accounting have no such file. */
        cgroup_file_write(dir, v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", v2 ? "0" : text);
    }
    return r < 0 ? err_sys(err, -r, "cannot set %s to %s in %s", file, text, dir) : 0;
}

/* A container joins a v1 hierarchy only when that serves something: each costs time at its start and end. */
static bool wants_hier(const struct cgroup_hier *h, const struct cgroup_limits *l)
{
    uint32_t always = 1u << CGROUP_CPU | 1u << CGROUP_CPUACCT | 1u << CGROUP_MEMORY | 1u << CGROUP_PIDS | 1u << CGROUP_DEVICES | 1u << CGROUP_FREEZER;
    if (h->is_v2 || (h->controllers & always))
        return true;
    return ((h->controllers & 1u << CGROUP_CPUSET) && l->cpus && *l->cpus) || ((h->controllers & 1u << CGROUP_HUGETLB) && (l->hugepages_2mi || l->hugepages_1gi));
}

int cgroup_create(struct cgroups *c, const char *path, const struct cgroup_limits *limits, struct err *err)
{
    if (c->layout.n == 0)
        tell_missing(c, CGROUP_CPU);
    bool usable = false;
    for (size_t i = 0; i < c->layout.n; i++) {
        if (!wants_hier(&c->layout.hiers[i], limits))
            continue;
        int r = cgroup_hier_make(c, i, path, err);
        if (r < 0 && !usable && i == 0)
            tell_missing(c, CGROUP_CPU); /* a tree that is not ours to write */
        usable |= r == 0;
    }
    if (!usable)
        return 0; /* not delegated: it runs without limits, and the log says so */
    struct limit_row rows[8];
    size_t n;
    fill_rows(limits, rows, &n);
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++)
        r = set_limit(c, path, &rows[i], err);
    int memory = cgroup_hier_of(c, CGROUP_MEMORY);
    char dir[CGROUP_PATH];
    if (r == 0 && limits->oom_group && memory >= 0 && c->layout.hiers[memory].is_v2 && cgroup_dir(c, (size_t)memory, path, dir))
        cgroup_file_write(dir, "memory.oom.group", "1");
    return r;
}

bool cgroup_devices_allow(const struct cgroups *c, const char *path, const char *const *rules)
{
    int i = cgroup_hier_of(c, CGROUP_DEVICES);
    char dir[CGROUP_PATH];
    if (i < 0 || c->layout.hiers[i].is_v2 || !cgroup_dir(c, (size_t)i, path, dir) || cgroup_file_write(dir, "devices.deny", "a") < 0)
        return false;
    bool worked = true;
    for (; *rules; rules++)
        worked &= cgroup_file_write(dir, "devices.allow", *rules) == 0;
    return worked;
}

/* --- counters ----------------------------------------------------------------------------------------------- */

static bool read_in(const struct cgroups *c, enum cgroup_controller k, const char *path, const char *v1, const char *v2, char *ret, size_t cap)
{
    int i = cgroup_hier_of(c, k);
    char dir[CGROUP_PATH];
    if (i < 0 || !cgroup_dir(c, (size_t)i, path, dir))
        return false;
    const char *file = c->layout.hiers[i].is_v2 ? v2 : v1;
    return file && cgroup_file_read(dir, file, ret, cap);
}

static uint64_t number_in(const struct cgroups *c, enum cgroup_controller k, const char *path, const char *v1, const char *v2)
{
    char text[64];
    uint64_t n = 0;
    if (!read_in(c, k, path, v1, v2, text, sizeof text) || !str_to_u64(str_trim(str_of(text)), &n))
        return 0; /* "max" too */
    return n;
}

static uint64_t cpu_ns(const struct cgroups *c, const char *path)
{
    char text[2048];
    uint64_t v = 0;
    int i = cgroup_hier_of(c, CGROUP_CPUACCT);
    if (i >= 0)
        return number_in(c, CGROUP_CPUACCT, path, "cpuacct.usage", NULL);
    if (read_in(c, CGROUP_CPU, path, NULL, "cpu.stat", text, sizeof text) && cgroup_keyed_value(str_of(text), S("usage_usec"), &v))
        return v * 1000;
    return 0;
}

bool cgroup_usage_get(const struct cgroups *c, const char *path, struct cgroup_usage *ret)
{
    if (cgroup_count(c, path) < 0)
        return false;
    char text[8192];
    uint64_t inactive = 0, used = number_in(c, CGROUP_MEMORY, path, "memory.usage_in_bytes", "memory.current");
    int i = cgroup_hier_of(c, CGROUP_MEMORY);
    bool v2 = i >= 0 && c->layout.hiers[i].is_v2;
    if (read_in(c, CGROUP_MEMORY, path, "memory.stat", "memory.stat", text, sizeof text))
        cgroup_keyed_value(str_of(text), v2 ? S("inactive_file") : S("total_inactive_file"), &inactive);
    uint64_t limit = number_in(c, CGROUP_MEMORY, path, "memory.limit_in_bytes", "memory.max");
    *ret = (struct cgroup_usage){.cpu_ns = cpu_ns(c, path),
                                 .memory_bytes = used > inactive ? used - inactive : 0,
                                 .memory_limit_bytes = limit < UNLIMITED_BYTES ? limit : 0,
                                 .pids = number_in(c, CGROUP_PIDS, path, "pids.current", "pids.current")};
    return true;
}

uint64_t cgroup_oom_kills(const struct cgroups *c, const char *path)
{
    char text[1024];
    uint64_t n = 0;
    if (read_in(c, CGROUP_MEMORY, path, "memory.oom_control", "memory.events", text, sizeof text))
        cgroup_keyed_value(str_of(text), S("oom_kill"), &n);
    return n;
}
