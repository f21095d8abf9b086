/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_info.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rt/file.h"

#define FILE_BYTES (1u << 20)

static str read_text(struct arena *a, const char *path)
{
    char *text;
    size_t len;
    if (file_read(path, FILE_BYTES, &text, &len, NULL) < 0)
        return S("");
    str s = arena_str(a, str_trim(str_n(text, len)));
    free(text);
    return s;
}

static int64_t read_number(const char *path)
{
    ARENA_AUTO a = ARENA_INIT;
    int64_t v;
    return str_to_i64(read_text(&a, path), &v) ? v : 0;
}

/* "MemTotal:   16 kB" in bytes. */
int64_t node_parse_meminfo(str text, str key)
{
    str line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        if (!str_has_prefix(line, key))
            continue;
        str rest = str_trim(str_from(line, key.len)), number;
        int64_t v;
        str_cut(&rest, ' ', &number);
        return str_to_i64(number, &v) && v >= 0 && v <= INT64_MAX / 1024 ? v * 1024 : 0;
    }
    return 0;
}

/* "0.00 0.01 0.05 1/171 2345": the number behind the stroke. */
int64_t node_parse_pids(str loadavg)
{
    str word = S(""), running;
    int64_t n;
    for (int k = 0; k < 4; k++)
        str_cut(&loadavg, ' ', &word);
    return str_cut(&word, '/', &running) && str_to_i64(word, &n) && n > 0 ? n : 0;
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice": all but idle and iowait; guests are counted in user. */
uint64_t node_parse_cpu_ticks(str stat)
{
    str line, word;
    uint64_t ticks = 0, v;
    str_cut(&stat, '\n', &line);
    if (!str_has_prefix(line, S("cpu ")))
        return 0;
    line = str_trim(str_from(line, 4));
    for (int column = 0; column < 8 && line.len; column++) {
        str_cut(&line, ' ', &word);
        if (column != 3 && column != 4 && str_to_u64(word, &v))
            ticks += v;
    }
    return ticks;
}

/* --- the network ---------------------------------------------------------------------------------------------------------- */
/* Interface, destination, gateway, flags, references, uses, metric, mask ... in hexadecimal: nothing is asked of the address. */
str node_parse_default_device(str routes)
{
    str line, name, to, word = S("");
    str_cut(&routes, '\n', &line); /* heads */
    while (routes.len) {
        str_cut(&routes, '\n', &line);
        str_cut(&line, '\t', &name);
        str_cut(&line, '\t', &to);
        for (int i = 0; i < 6; i++)
            str_cut(&line, '\t', &word);
        if (str_is(to, "00000000") && str_is(str_trim(word), "00000000") && name.len && name.len < IF_NAMESIZE)
            return name;
    }
    return S("");
}

static str device_address(struct arena *a, const char *device)
{
    struct ifaddrs *all, *i;
    char text[INET_ADDRSTRLEN];
    str found = S("");
    if (getifaddrs(&all) < 0)
        return found;
    for (i = all; i && !found.len; i = i->ifa_next) {
        bool usable = i->ifa_addr && i->ifa_addr->sa_family == AF_INET && !(i->ifa_flags & IFF_LOOPBACK) && (i->ifa_flags & IFF_UP);
        if (!usable || (device && strcmp(i->ifa_name, device) != 0))
            continue;
        if (inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr, text, sizeof text))
            found = arena_str(a, str_of(text));
    }
    freeifaddrs(all);
    return found;
}

static const char *default_device(struct arena *a)
{
    return arena_cstr(a, node_parse_default_device(read_text(a, "/proc/net/route")));
}

/* -1 when the driver does not know, as while the cable is out: what it said last stays. */
static void read_speed(const char *device, struct node_info *i)
{
    char path[128];
    snprintf(path, sizeof path, "/sys/class/net/%s/speed", device);
    int64_t speed = *device ? read_number(path) : 0;
    if (speed > 0 || i->bandwidth_mbps <= 0)
        i->bandwidth_mbps = speed; /* what to make of it: node_bandwidth.h */
}

static void read_network(struct arena *a, struct node_info *i)
{
    const char *device = default_device(a);
    if (*device) {
        i->address = device_address(a, device);
        read_speed(device, i);
    }
    if (!i->address.len)
        i->address = device_address(a, NULL);
    if (!i->address.len)
        i->address = S("127.0.0.1");
}

str node_address(struct arena *a)
{
    struct node_info i = {0};
    read_network(a, &i);
    return i.address;
}

/* --- GPUs ------------------------------------------------------------------------------------------------------------------ */
struct nvml_memory {
    unsigned long long total, free, used;
};

/* The library's calls that are used; its ABI is stable. */
struct nvml {
    void *lib;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*handle)(unsigned index, void **ret);
    int (*name)(void *device, char *text, unsigned len);
    int (*uuid)(void *device, char *text, unsigned len);
    int (*memory)(void *device, struct nvml_memory *ret);
    int (*minor)(void *device, unsigned *ret);
    int (*driver)(char *text, unsigned len);
};

static bool nvml_open(struct nvml *n)
{
    n->lib = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!n->lib)
        return false;
    const struct {
        const char *symbol;
        void *place;
    } symbols[] = {{"nvmlInit_v2", &n->init},           {"nvmlShutdown", &n->shutdown},   {"nvmlDeviceGetCount_v2", &n->count},       {"nvmlDeviceGetHandleByIndex_v2", &n->handle},
                   {"nvmlDeviceGetName", &n->name},     {"nvmlDeviceGetUUID", &n->uuid},  {"nvmlDeviceGetMemoryInfo", &n->memory},    {"nvmlDeviceGetMinorNumber", &n->minor},
                   {"nvmlSystemGetDriverVersion", &n->driver}};
    for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
        void *f = dlsym(n->lib, symbols[i].symbol);
        if (!f)
            return false;
        memcpy(symbols[i].place, &f, sizeof f);
    }
    return n->init() == 0;
}

static void read_gpus(struct arena *a, struct node_info *i)
{
    struct nvml n = {0};
    unsigned count = 0;
    char text[128] = "";
    if (!nvml_open(&n) || n.count(&count) != 0) {
        if (n.lib)
            dlclose(n.lib);
        return;
    }
    if (n.driver(text, sizeof text) == 0)
        i->driver_version = arena_str(a, str_of(text));
    for (unsigned k = 0; k < count && i->ngpus < NODE_GPUS_MAX; k++) {
        void *device;
        struct node_gpu *g = &i->gpus[i->ngpus];
        struct nvml_memory memory = {0};
        if (n.handle(k, &device) != 0 || n.minor(device, &g->minor) != 0)
            continue;
        g->product = n.name(device, text, sizeof text) == 0 ? arena_str(a, str_of(text)) : S("");
        g->uuid = n.uuid(device, text, sizeof text) == 0 ? arena_str(a, str_of(text)) : S("");
        g->memory_bytes = n.memory(device, &memory) == 0 ? memory.total : 0;
        i->ngpus++;
    }
    n.shutdown();
    dlclose(n.lib);
}

/* --- the machine -------------------------------------------------------------------------------------------------------------- */
str node_parse_os_release(str text)
{
    str line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        if (!str_has_prefix(line, S("PRETTY_NAME=")))
            continue;
        str v = str_trim(str_from(line, 12));
        bool is_quoted = v.len >= 2 && (v.p[0] == '"' || v.p[0] == '\'') && v.p[v.len - 1] == v.p[0];
        v = is_quoted ? str_sub(v, 1, v.len - 1) : v;
        if (v.len)
            return v;
    }
    return S("Linux");
}

str node_parse_architecture(str machine)
{
    static const struct {
        const char *kernel;
        str go;
    } names[] = {{"x86_64", STR_INIT("amd64")}, {"aarch64", STR_INIT("arm64")}, {"armv7l", STR_INIT("arm")}, {"riscv64", STR_INIT("riscv64")}, {"ppc64le", STR_INIT("ppc64le")}, {"s390x", STR_INIT("s390x")}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_is(machine, names[i].kernel))
            return names[i].go;
    }
    return machine;
}

static unsigned count_numa(void)
{
    unsigned n = 0;
    DIR *d = opendir("/sys/devices/system/node");
    for (struct dirent *e; d && (e = readdir(d));) {
        int64_t id;
        n += str_has_prefix(str_of(e->d_name), S("node")) && str_to_i64(str_from(str_of(e->d_name), 4), &id);
    }
    if (d)
        closedir(d);
    return n ? n : 1;
}

void node_info_refresh(const char *disk, struct node_info *i)
{
    ARENA_AUTO a = ARENA_INIT;
    str memory = read_text(&a, "/proc/meminfo");
    i->memory_bytes = node_parse_meminfo(memory, S("MemTotal:"));
    i->memory_available_bytes = node_parse_meminfo(memory, S("MemAvailable:"));
    struct statvfs fs;
    if (statvfs(disk, &fs) == 0) {
        i->disk_bytes = (int64_t)fs.f_blocks * (int64_t)fs.f_frsize;
        i->disk_free_bytes = (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
        i->inodes = (int64_t)fs.f_files;
        i->inodes_free = (int64_t)fs.f_favail;
    }
    i->pids_now = node_parse_pids(read_text(&a, "/proc/loadavg"));
}

void node_info_refresh_speed(struct node_info *i)
{
    ARENA_AUTO a = ARENA_INIT;
    read_speed(default_device(&a), i);
}

void node_info_read(struct arena *a, const char *disk, struct node_info *ret)
{
    struct utsname u;
    *ret = (struct node_info){0};
    if (uname(&u) == 0) {
        ret->hostname = arena_str(a, str_of(u.nodename));
        ret->kernel = arena_str(a, str_of(u.release));
        ret->architecture = arena_str(a, node_parse_architecture(str_of(u.machine)));
    }
    ret->machine_id = read_text(a, "/etc/machine-id");
    ret->system_uuid = read_text(a, "/sys/class/dmi/id/product_uuid");
    if (!ret->system_uuid.len)
        ret->system_uuid = ret->machine_id;
    ret->boot_id = read_text(a, "/proc/sys/kernel/random/boot_id");
    ret->os_image = node_parse_os_release(read_text(a, "/etc/os-release"));
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    ret->cpu_milli = MAX(cpus, 1l) * 1000;
    ret->hugepages_2mi = read_number("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages") * (2ll << 20);
    ret->hugepages_1gi = read_number("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages") * (1ll << 30);
    ret->pids_max = read_number("/proc/sys/kernel/pid_max");
    ret->numa_nodes = count_numa();
    node_info_refresh(disk, ret);
    read_network(a, ret);
    read_gpus(a, ret);
}
