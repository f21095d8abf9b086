/* philly.c - the Philly trace as a workload, with its virtual clusters as queues.  See inputs.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "sim/inputs.h"

#define PHILLY_CPU_A_GPU 4000ll
#define PHILLY_MEMORY_A_GPU (32ll << 30)
#define PHILLY_GPUS_MAX 4096

struct philly_job {
    nsec_t at, duration;
    uint32_t gpus, line;
    uint32_t cluster; /* of clusters.p */
};
struct philly_cluster {
    str name;
    double gpu_s;
    uint32_t quota;
    double rest; /* of the division */
};
struct philly {
    struct arena *a;
    const struct input_philly_opts *opts;
    str file;
    VEC(struct philly_job) jobs;
    VEC(struct philly_cluster) clusters;
    struct map by_name; /* cluster plus 1 */
};

static int fail_line(str file, size_t line, const char *what, str value, struct err *err)
{
    return err_set(err, E_INVALID, STR_FMT ":%zu: %s: \"" STR_FMT "\"", STR_ARG(file), line, what, STR_ARG(str_sub(value, 0, 60)));
}

static int cluster_of(struct philly *x, str name, size_t number, uint32_t *ret, struct err *err)
{
    size_t at = (size_t)(uintptr_t)map_get(&x->by_name, name);
    if (!name.len || name.len > 63)
        return fail_line(x->file, number, "cluster: not a name", name, err);
    if (!at) {
        if (x->clusters.len == INPUT_PHILLY_QUEUES)
            return fail_line(x->file, number, "cluster: one more than 256", name, err);
        vec_push(&x->clusters, (struct philly_cluster){.name = name});
        at = x->clusters.len;
        map_put(&x->by_name, name, (void *)(uintptr_t)at);
    }
    *ret = (uint32_t)at - 1;
    return 0;
}

static int read_philly_line(struct philly *x, str line, size_t number, struct philly_job *j, struct err *err)
{
    str part[5], file = x->file;
    double seconds, gpus;
    char when[32];
    for (size_t i = 0; i < ARRAY_LEN(part); i++)
        str_cut(&line, ',', &part[i]);
    if (part[0].len != 19 || part[0].p[10] != ' ')
        return fail_line(file, number, "timestamp: not a time such as 2017-10-09 07:01:55", part[0], err);
    snprintf(when, sizeof when, STR_FMT "Z", STR_ARG(part[0]));
    when[10] = 'T';
    if (!civil_parse(str_of(when), &j->at) || j->at < 0)
        return fail_line(file, number, "timestamp: not a time such as 2017-10-09 07:01:55", part[0], err);
    if (!str_to_double(part[1], &seconds) || !(seconds >= 0) || seconds > 1e9)
        return fail_line(file, number, "duration: not a number of seconds", part[1], err);
    if (!str_to_double(part[2], &gpus) || !(gpus >= 1) || gpus > PHILLY_GPUS_MAX || gpus != (double)(uint32_t)gpus)
        return fail_line(file, number, "num_gpus: not a whole number from 1 to 4096", part[2], err);
    j->duration = (nsec_t)(seconds * 1e9);
    j->gpus = (uint32_t)gpus;
    j->line = (uint32_t)number;
    return x->opts->queues ? cluster_of(x, part[4], number, &j->cluster, err) : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct philly_job *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->line < y->line ? -1 : 1;
}

/* Parts of the GPUs by parts of the GPU time: whole ones, the largest remainders first; whoever has a job at all has one. */
static void give_quotas(struct philly *x, size_t njobs)
{
    double all = 0;
    uint64_t total = (uint64_t)x->opts->nodes * x->opts->gpus_per_node, given = 0;
    for (size_t i = 0; i < njobs; i++) {
        const struct philly_job *j = &x->jobs.p[i];
        x->clusters.p[j->cluster].gpu_s += (double)j->duration / 1e9 * j->gpus;
    }
    for (size_t i = 0; i < x->clusters.len; i++)
        all += x->clusters.p[i].gpu_s;
    for (size_t i = 0; i < x->clusters.len; i++) {
        struct philly_cluster *c = &x->clusters.p[i];
        double part = all > 0 ? (double)total * c->gpu_s / all : 0;
        c->quota = MAX((uint32_t)part, 1u);
        c->rest = part - (double)c->quota;
        given += c->quota;
    }
    while (given < total) {
        struct philly_cluster *most = x->clusters.p;
        for (size_t i = 1; i < x->clusters.len; i++)
            most = x->clusters.p[i].rest > most->rest ? &x->clusters.p[i] : most;
        most->quota++;
        most->rest -= 1;
        given++;
    }
    /* those that got one without a claim to it took it from the largest */
    while (given > total) {
        struct philly_cluster *most = x->clusters.p;
        for (size_t i = 1; i < x->clusters.len; i++)
            most = x->clusters.p[i].quota > most->quota ? &x->clusters.p[i] : most;
        if (most->quota == 1)
            break;
        most->quota--;
        given--;
    }
}

static int add_queues(struct sim *sim, struct philly *x, struct err *err)
{
    int r = 0;
    for (size_t i = 0; r >= 0 && i < x->clusters.len; i++) {
        const struct philly_cluster *c = &x->clusters.p[i];
        const struct queue_resource res[] = {{.id = RES_GPU, .quota = (int64_t)c->quota * GPU_MILLI, .weight = c->quota, .limit = POLICY_UNLIMITED, .name = S("gpu")},
                                             {.id = RES_CPU, .quota = POLICY_UNLIMITED, .weight = 1, .limit = POLICY_UNLIMITED, .name = S("cpu")},
                                             {.id = RES_MEMORY, .quota = POLICY_UNLIMITED, .weight = 1, .limit = POLICY_UNLIMITED, .name = S("memory")}};
        const struct queue_spec q = {.name = c->name, .priority = 100, .res = res, .nres = ARRAY_LEN(res), .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
        r = sim_add_queue(sim, &q, err);
    }
    return r;
}

static struct scenario_job *philly_kind(const struct philly *x, const struct philly_job *of)
{
    uint32_t per_node = x->opts->gpus_per_node;
    struct scenario_job *j = arena_new(x->a, struct scenario_job);
    uint32_t pods = (of->gpus + per_node - 1) / per_node, each = (of->gpus + pods - 1) / pods;
    *j = (struct scenario_job){.ns = S("default"), .count = 1, .replicas = pods, .min_member = -1, .checkpoint = x->opts->checkpoint};
    j->queue = x->opts->queues ? x->clusters.p[of->cluster].name : S("");
    j->name = j->queue.len ? arena_fmt(x->a, STR_FMT "-gpus-%u", STR_ARG(j->queue), of->gpus) : arena_fmt(x->a, "gpus-%u", of->gpus);
    j->requests = (struct scenario_requests){.cpu_milli = each * PHILLY_CPU_A_GPU, .memory = each * PHILLY_MEMORY_A_GPU, .gpus = each};
    return j;
}

static int add_jobs(struct sim *sim, struct philly *x, size_t n, struct err *err)
{
    uint32_t *kinds = xarray((x->clusters.len + 1) * (PHILLY_GPUS_MAX + 1), uint32_t); /* plus 1 */
    int r = 0;
    for (size_t i = 0; r >= 0 && i < n; i++) {
        const struct philly_job *j = &x->jobs.p[i];
        uint32_t *kind = &kinds[(size_t)j->cluster * (PHILLY_GPUS_MAX + 1) + j->gpus];
        if (!*kind) {
            r = sim_add_kind(sim, philly_kind(x, j), kind, err);
            ++*kind;
        }
        if (r >= 0)
            sim_add_job(sim, *kind - 1, arena_fmt(x->a, "job-%zu", i), j->at - x->jobs.p[0].at, j->duration, 0);
    }
    free(kinds);
    return r;
}

static int read_lines(struct philly *x, str text, struct err *err)
{
    str line;
    int r = 0;
    str_cut(&text, '\n', &line);
    if (!str_has_prefix(line, S("timestamp,duration,num_gpus")))
        return err_set(err, E_INVALID, STR_FMT ":1: the columns must be timestamp,duration,num_gpus,...", STR_ARG(x->file));
    for (size_t number = 2; r >= 0 && text.len; number++) {
        struct philly_job j = {0};
        str_cut(&text, '\n', &line);
        line = str_trim(line);
        if (line.len)
            r = read_philly_line(x, line, number, &j, err);
        if (r >= 0 && line.len)
            vec_push(&x->jobs, j);
    }
    if (x->jobs.len)
        qsort(x->jobs.p, x->jobs.len, sizeof *x->jobs.p, by_time);
    return r;
}

int input_philly(struct sim *sim, struct arena *a, str text, str file, const struct input_philly_opts *opts, struct err *err)
{
    struct philly x = {.a = a, .opts = opts, .file = file};
    struct scenario_template *t = arena_new(a, struct scenario_template);
    *t = (struct scenario_template){.name = S("node"), .count = opts->nodes, .gpus = opts->gpus_per_node, .pods = 110};
    t->cpu_milli = (opts->gpus_per_node + 2) * PHILLY_CPU_A_GPU;
    t->memory = (opts->gpus_per_node + 2) * PHILLY_MEMORY_A_GPU;
    int r = read_lines(&x, text, err);
    size_t n = opts->jobs ? MIN(x.jobs.len, opts->jobs) : x.jobs.len;
    if (r >= 0 && opts->queues) {
        give_quotas(&x, n);
        r = add_queues(sim, &x, err);
    }
    if (r >= 0)
        r = sim_add_nodes(sim, t, opts->nodes, err);
    if (r >= 0)
        r = add_jobs(sim, &x, n, err);
    vec_fini(&x.jobs);
    vec_fini(&x.clusters);
    map_fini(&x.by_name);
    return r;
}
