/* bench_sched.c - the scheduling engine: decisions a second on kube-scheduler's own workload shapes and on ours.
 *
 *     build/bench-sched --list
 *     build/bench-sched [--workload NAME[,NAME...]] [--nodes N] [--pods N] [--workers W] [--fast] [--instructions] [--json]
 * A figure is decisions, not API calls: pods are in the engine and in the queue when the clock starts; a decision is pop, every node filtered and scored,
 * commit.  One core unless --workers says more.  Placements are verified afterwards by a checker that shares no code with the engine.
 * Instructions a decision are counted by the processor where the kernel allows it; with --instructions by valgrind, on a smaller number of pods. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "bench/lib/instructions.h"
#include "bench/lib/report.h"
#include "bench/lib/spec_copy.h"
#include "rt/file.h"
#include "sched/engine/place.h"
#include "sched/engine/preempt.h"
#include "sched/engine/statement.h"
#include "sched/pipeline.h"
#include "sched/reference/checker.h"
#include "sim/generators.h"
#include "sim/openb.h"

static struct {
    uint32_t nodes, pods; /* 0: the workload's own */
    uint32_t workers;
    bool fast, instructions, under_valgrind;
    const char *traces;
    const char *self;
} opt = {.workers = 1, .traces = "../shared/traces/openb"};

static double now_s(void)
{
    return (double)clock_mono(&clock_real) / 1e9;
}

static void die(const char *what, const struct err *err)
{
    fprintf(stderr, "bench-sched: %s%s%s\n", what, err ? ": " : "", err ? err->msg : "");
    exit(1);
}

static uint32_t or_else(uint32_t given, uint32_t otherwise)
{
    return given ? given : otherwise;
}

/* --- what was put, kept for the checker ------------------------------------------------------------------------------------------ */
struct kept {
    struct arena arena;
    struct checker *checker;
    VEC(struct node_spec) nodes;
    VEC(struct pod_spec) pods;             /* by pod id; a name without bytes: none */
    VEC(const struct pod_spec *) of_class; /* the first of each class: others share what it points to */
};

static struct kept *kept_new(void)
{
    struct kept *k = xnew(struct kept);
    k->checker = checker_new();
    return k;
}

static void kept_free(struct kept *k)
{
    if (!k)
        return;
    checker_free(k->checker);
    vec_fini(&k->nodes);
    vec_fini(&k->pods);
    for (size_t i = 0; i < k->of_class.len; i++)
        free((void *)k->of_class.p[i]);
    vec_fini(&k->of_class);
    arena_fini(&k->arena);
    free(k);
}

static void keep_node(struct kept *k, const struct node_spec *spec)
{
    for (size_t i = 0; k && i < k->nodes.len; i++)
        if (str_eq(k->nodes.p[i].name, spec->name)) {
            k->nodes.p[i] = spec_copy_node(&k->arena, spec);
            return;
        }
    if (k)
        vec_push(&k->nodes, spec_copy_node(&k->arena, spec));
}

static void keep_node_gone(struct kept *k, str name)
{
    for (size_t i = 0; k && i < k->nodes.len; i++)
        if (str_eq(k->nodes.p[i].name, name)) {
            vec_remove_swap(&k->nodes, i);
            return;
        }
}

static void keep_pod(struct kept *k, const struct sched *s, pod_id id, const struct pod_spec *spec)
{
    if (!k)
        return;
    while (k->pods.len <= id)
        vec_push(&k->pods, (struct pod_spec){0});
    class_id c = s->pods[id].class_;
    while (k->of_class.len <= c)
        vec_push(&k->of_class, NULL);
    /* ids of classes are used again: the copy must be of the class that has it now, which a pod of it vouches for */
    if (!k->of_class.p[c] || class_of(s, id)->refs == 1) {
        struct pod_spec *copy = xnew(struct pod_spec);
        *copy = spec_copy_pod(&k->arena, spec);
        free((void *)k->of_class.p[c]);
        k->of_class.p[c] = copy;
    }
    k->pods.p[id] = *k->of_class.p[c];
    k->pods.p[id].name = arena_str(&k->arena, spec->name);
    k->pods.p[id].ns = arena_str(&k->arena, spec->ns);
}

/* --- one run: an engine with its pipeline, and what was measured --------------------------------------------------------------- */
struct run {
    struct sched *s;
    struct pipeline *p;
    struct kept *kept; /* what was put, for the checker; NULL: not checked */
    bool measuring;
    uint64_t placed, evicted; /* while measuring */
    uint64_t asked;
    double seconds;
    uint64_t instructions;
    struct latencies latencies;
    pod_id last;
    VEC(pod_id) victims; /* to be deleted: evicted pods go at once */
    nsec_t now;
};

static void on_bind(void *arg, pod_id p, node_id n)
{
    struct run *r = arg;
    (void)p, (void)n;
    if (r->measuring)
        r->placed++;
}

static void on_evict(void *arg, pod_id victim, unit_id by)
{
    struct run *r = arg;
    (void)by;
    r->evicted += r->measuring;
    vec_push(&r->victims, victim);
}

static void run_init(struct run *r, const char *profile, bool checked)
{
    *r = (struct run){0};
    struct sched_profile *p = profile_builtin(str_of(profile));
    if (!p)
        die("no such profile", NULL);
    r->s = sched_new(p, 42);
    r->kept = checked && !opt.under_valgrind ? kept_new() : NULL;
    struct pipeline_opts opts = {.workers = opt.workers, .fast = opt.fast, .dispatch = DISPATCHER_OPTS_DEFAULT};
    struct binder_calls calls = {.arg = r, .bind = on_bind, .evict = on_evict};
    struct err err = ERR_NONE;
    r->p = pipeline_new(r->s, &opts, &calls, &err);
    if (!r->p)
        die("pipeline", &err);
}

static void run_fini(struct run *r)
{
    pipeline_free(r->p);
    kept_free(r->kept);
    sched_free(r->s);
    latency_fini(&r->latencies);
    vec_fini(&r->victims);
}

static void victims_go(struct run *r)
{
    for (size_t i = 0; i < r->victims.len; i++) {
        pod_id v = r->victims.p[i];
        ARENA_AUTO a = ARENA_INIT;
        str ns = arena_str(&a, sched_pod_ns(r->s, v)), name = arena_str(&a, sched_pod_name(r->s, v));
        binder_pod_gone(pipeline_binder(r->p), v);
        dispatcher_remove(pipeline_dispatcher(r->p), sched_unit_of(r->s, v));
        sched_pod_delete(r->s, ns, name);
    }
    vec_clear(&r->victims);
}

/* The function that valgrind counts: keep its name in run_under_valgrind. */
static void __attribute__((noinline)) bench_decide(struct run *r)
{
    pipeline_run(r->p, r->now, 0);
}

/* Decides all that waits; timed when measuring. */
static int settle(void *arg, struct err *err)
{
    (void)err;
    struct run *r = arg;
    for (int turn = 0; turn < 100; turn++) {
        r->now += NSEC_PER_SEC;
        if (r->measuring) {
            instructions_start();
            double from = now_s();
            bench_decide(r);
            r->seconds += now_s() - from;
            r->instructions += instructions_stop();
        } else {
            pipeline_run(r->p, r->now, 0);
        }
        if (r->victims.len == 0)
            break;
        victims_go(r);
        dispatcher_events(pipeline_dispatcher(r->p), sched_take_events(r->s), r->now);
        binder_tick(pipeline_binder(r->p), r->now);
    }
    return 0;
}

/* --- the generator's sink --------------------------------------------------------------------------------------------------------- */
static int on_resource(void *arg, str name, uint16_t *ret_id, struct err *err)
{
    struct run *r = arg;
    return sched_resource_id(r->s, name, ret_id, err);
}
static int on_node(void *arg, const struct node_spec *spec, struct err *err)
{
    struct run *r = arg;
    keep_node(r->kept, spec);
    return sched_node_put(r->s, spec, NULL, err);
}
static int on_pod(void *arg, const struct pod_spec *spec, unsigned flags, struct err *err)
{
    struct run *r = arg;
    pod_id id;
    if ((flags & GEN_MEASURED) && !r->measuring) {
        r->measuring = true;
        sched_take_events(r->s);
    }
    r->asked += (flags & GEN_MEASURED) != 0;
    int ret = sched_pod_put(r->s, spec, &id, err);
    if (ret < 0)
        return ret;
    keep_pod(r->kept, r->s, id, spec);
    r->last = id;
    if (spec->node.len)
        return 0;
    return dispatcher_add(pipeline_dispatcher(r->p), sched_unit_of(r->s, id), r->now, err);
}
static int on_group(void *arg, const struct group_spec *spec, struct err *err)
{
    return sched_group_put(((struct run *)arg)->s, spec, NULL, err);
}
static int on_ns(void *arg, str name, struct spec_labels labels, struct err *err)
{
    (void)err;
    struct run *r = arg;
    if (r->kept)
        checker_namespace(r->kept->checker, arena_str(&r->kept->arena, name), spec_copy_labels(&r->kept->arena, labels));
    sched_namespace_put(r->s, name, labels);
    return 0;
}
static int on_class(void *arg, const struct storage_class_spec *spec, struct err *err)
{
    return sched_storage_class_put(((struct run *)arg)->s, spec, err);
}
static int on_pv(void *arg, const struct pv_spec *spec, struct err *err)
{
    struct run *r = arg;
    if (r->kept) {
        struct pv_spec copy = spec_copy_pv(&r->kept->arena, spec);
        checker_pv(r->kept->checker, &copy);
    }
    return sched_pv_put(r->s, spec, err);
}
static int on_pvc(void *arg, const struct pvc_spec *spec, struct err *err)
{
    struct run *r = arg;
    if (r->kept) {
        struct pvc_spec copy = spec_copy_pvc(&r->kept->arena, spec);
        checker_pvc(r->kept->checker, &copy);
    }
    return sched_pvc_put(r->s, spec, err);
}
static int on_node_delete(void *arg, str name, struct err *err)
{
    (void)err;
    struct run *r = arg;
    keep_node_gone(r->kept, name);
    sched_node_delete(r->s, name);
    return 0;
}
static int on_pod_delete(void *arg, str ns, str name, struct err *err)
{
    (void)err;
    struct run *r = arg;
    pod_id p = sched_pod_find(r->s, ns, name);
    if (p == POD_NONE)
        return 0;
    binder_pod_gone(pipeline_binder(r->p), p);
    dispatcher_remove(pipeline_dispatcher(r->p), sched_unit_of(r->s, p));
    sched_pod_delete(r->s, ns, name);
    return 0;
}
static int on_pod_terminate(void *arg, str ns, str name, struct err *err)
{
    (void)err;
    struct run *r = arg;
    pod_id p = sched_pod_find(r->s, ns, name);
    if (p != POD_NONE && pod_on_node(&r->s->pods[p]))
        model_set_state(r->s, p, PS_TERMINATING);
    return 0;
}

static struct gen_sink sink_of(struct run *r)
{
    return (struct gen_sink){.arg = r, .resource = on_resource, .node = on_node, .pod = on_pod, .group = on_group, .ns = on_ns, .storage_class = on_class, .pv = on_pv, .pvc = on_pvc,
                             .node_delete = on_node_delete, .pod_delete = on_pod_delete, .pod_terminate = on_pod_terminate, .settle = settle};
}

/* Every placement against the specs, by code that knows nothing of the engine. */
static void verify(struct run *r, const char *workload)
{
    if (!r->kept)
        return;
    for (size_t i = 0; i < r->kept->nodes.len; i++)
        checker_node(r->kept->checker, &r->kept->nodes.p[i]);
    for (pod_id p = 1; p < r->s->npods_slots; p++)
        if (r->s->pods[p].state >= PS_ASSUMED)
            checker_pod(r->kept->checker, &r->kept->pods.p[p], sched_node_name(r->s, r->s->pods[p].node), r->s->pods[p].gpu_mask);
    struct err err = ERR_NONE;
    if (checker_verify(r->kept->checker, &err) < 0) {
        fprintf(stderr, "bench-sched: %s: a constraint is violated: %s\n", workload, err.msg);
        exit(1);
    }
    if (model_check(r->s, &err) < 0)
        die("the engine's books are wrong", &err);
}

static double instructions_by_valgrind(const char *workload, uint32_t pods)
{
    char command[1024], line[256];
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect='bench_decide*' %s --workload %s --nodes %u --pods %u --under-valgrind --json 2>&1",
             opt.self, workload, opt.nodes, pods);
    FILE *f = popen(command, "r");
    double collected = 0, decided = 0;
    while (f && fgets(line, sizeof line, f)) {
        str s = str_of(line);
        ptrdiff_t at = str_find(s, S("Collected : "));
        uint64_t n;
        if (at >= 0 && str_to_u64(str_trim(str_from(s, (size_t)at + 12)), &n))
            collected = (double)n;
        at = str_find(s, S("\"decided\":"));
        if (at >= 0)
            str_to_double(str_trim(str_sub(s, (size_t)at + 10, s.len - 2)), &decided);
    }
    if (f)
        pclose(f);
    return decided > 0 ? collected / decided : 0;
}

static void report_rate(struct run *r, const char *workload, const char *what, uint64_t decisions, double peer, double limit)
{
    if (opt.under_valgrind) {
        printf("{\"decided\":%llu}\n", (unsigned long long)decisions);
        return;
    }
    report(workload, what, (double)decisions / r->seconds, "/s", peer, limit, REPORT_MORE);
    double each = (double)r->instructions / (double)MAX(decisions, (uint64_t)1);
    if (each == 0 && opt.instructions)
        each = instructions_by_valgrind(workload, or_else(opt.pods, 5000));
    if (each > 0)
        report(workload, "instructions a decision", each, "", 0, 0, REPORT_LESS);
    struct pipeline_counts c = pipeline_count(r->p);
    if (opt.workers > 1) {
        report(workload, "workers", opt.workers, "", 0, 0, REPORT_MORE);
        report(workload, "conflicts and rescans in 1,000 decisions", 1000.0 * (double)(c.conflicts + c.rescans) / (double)MAX(c.decided, (uint64_t)1), "", 0, 0, REPORT_LESS);
    }
}

/* --- kube-scheduler's shapes ---------------------------------------------------------------------------------------------------- */
static void run_generated(const struct gen_workload *w)
{
    struct run r;
    run_init(&r, "default", true);
    struct gen_scale scale = gen_scale_of(w);
    scale.nodes = or_else(opt.nodes, scale.nodes);
    scale.measured = or_else(opt.pods, scale.measured);
    struct gen_sink sink = sink_of(&r);
    struct err err = ERR_NONE;
    if (gen_run(w, &scale, &sink, &err) < 0)
        die(w->name, &err);
    settle(&r, &err);
    if (!opt.nodes && !opt.pods && w->outcome == GEN_ALL_PLACED && r.placed < r.asked) {
        fprintf(stderr, "bench-sched: %s: only %llu of %llu pods were placed\n", w->name, (unsigned long long)r.placed, (unsigned long long)r.asked);
        exit(1);
    }
    char what[128];
    snprintf(what, sizeof what, "%u nodes, %u pods before, %u measured", scale.nodes, scale.init, scale.measured);
    report_rate(&r, w->name, what, w->outcome == GEN_ALL_PLACED ? r.placed : r.asked, w->kube_per_s, 100.0 * w->kube_per_s);
    verify(&r, w->name);
    run_fini(&r);
}

static void perf_all(void)
{
    for (const struct gen_workload *w = gen_workloads; w->name; w++)
        if (w->kube_per_s)
            run_generated(w);
}

/* --- equal pods ----------------------------------------------------------------------------------------------------------------- */
#define GI (1ll << 30)
#define MI (1ll << 20)

static void add_nodes(struct run *r, uint32_t n, int64_t cpu, int64_t memory, int64_t pods)
{
    struct err err = ERR_NONE;
    for (uint32_t i = 0; i < n; i++) {
        char name[32], zone[16];
        snprintf(name, sizeof name, "node-%05u", i);
        snprintf(zone, sizeof zone, "zone-%u", i % 3);
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S("topology.kubernetes.io/zone"), str_of(zone)}};
        struct res_amount res[] = {{RES_CPU, cpu}, {RES_MEMORY, memory}, {RES_PODS, pods}};
        struct node_spec spec = {.name = str_of(name), .labels = {labels, 2}, .allocatable = {res, 3}};
        if (on_node(r, &spec, &err) < 0)
            die("node", &err);
    }
}

static pod_id put_pod(struct run *r, const struct pod_spec *spec)
{
    struct err err = ERR_NONE;
    pod_id id;
    if (sched_pod_put(r->s, spec, &id, &err) < 0)
        die("pod", &err);
    keep_pod(r->kept, r->s, id, spec);
    return id;
}

static void queue_all(struct run *r)
{
    struct err err = ERR_NONE;
    for (pod_id p = 1; p < r->s->npods_slots; p++)
        if (r->s->pods[p].state == PS_PENDING && dispatcher_where(pipeline_dispatcher(r->p), sched_unit_of(r->s, p)) == DISPATCH_ABSENT &&
            dispatcher_add(pipeline_dispatcher(r->p), sched_unit_of(r->s, p), r->now, &err) < 0)
            die("queue", &err);
}

static void equal(const char *name, uint32_t nodes)
{
    struct run r;
    run_init(&r, "default", false);
    nodes = or_else(opt.nodes, nodes);
    uint32_t pods = or_else(opt.pods, 1000000);
    add_nodes(&r, nodes, 64000, 256 * GI, 1000);
    struct res_amount req[] = {{RES_CPU, 100}, {RES_MEMORY, 500 * MI}};
    struct spec_label labels[] = {{S("app"), S("equal")}};
    struct pod_spec spec = {.ns = S("default"), .name = S("pod-0"), .requests = {req, 2}, .nonzero_cpu = 100, .nonzero_memory = 500 * MI, .labels = {labels, 1}};
    pod_id like = put_pod(&r, &spec);
    for (uint32_t i = 1; i < pods; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "pod-%u", i);
        sched_pod_clone(r.s, like, str_of(pod), i);
    }
    queue_all(&r);
    r.measuring = true;
    settle(&r, NULL);
    char what[128];
    snprintf(what, sizeof what, "%u equal pods on %u nodes", pods, nodes);
    report_rate(&r, name, what, r.placed, 0, 1000000);
    run_fini(&r);
}
static void equal_5000(void)
{
    equal("equal-5000", 5000);
}
static void equal_20000(void)
{
    equal("equal-20000", 20000);
}

/* --- all different ----------------------------------------------------------------------------------------------------------------- */
/* A node of one of 8 pools and 4 zones, one in ten tainted; capacities of four sizes. */
static void add_mixed_nodes(struct run *r, uint32_t n)
{
    struct err err = ERR_NONE;
    for (uint32_t i = 0; i < n; i++) {
        char name[32], zone[16], pool[16];
        snprintf(name, sizeof name, "node-%05u", i);
        snprintf(zone, sizeof zone, "zone-%u", i % 4);
        snprintf(pool, sizeof pool, "pool-%u", i / 4 % 8);
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S("topology.kubernetes.io/zone"), str_of(zone)}, {S("pool"), str_of(pool)}};
        struct res_amount res[] = {{RES_CPU, 64000 + 16000 * (i % 4)}, {RES_MEMORY, (256 + 64 * (i / 7 % 4)) * GI}, {RES_PODS, 250}};
        struct spec_taint taint = {S("dedicated"), S("batch"), TAINT_NO_SCHEDULE};
        struct node_spec spec = {.name = str_of(name), .labels = {labels, 3}, .allocatable = {res, 3}, .taints = &taint, .ntaints = i % 10 == 0};
        if (on_node(r, &spec, &err) < 0)
            die("node", &err);
    }
}

/* Pods of `classes` kinds, drawn at random: each kind with requests of its own, half with a zone, a quarter tolerating the taint. */
static void add_mixed_pods(struct run *r, uint32_t pods, uint32_t classes)
{
    struct rng rng;
    rng_seed(&rng, 7);
    pod_id *like = xarray(classes, pod_id);
    for (uint32_t i = 0; i < pods; i++) {
        char name[32], app[32], zone[16];
        uint32_t k = (uint32_t)rng_below(&rng, classes);
        snprintf(name, sizeof name, "pod-%u", i);
        if (like[k] && !r->kept) {
            sched_pod_clone(r->s, like[k], str_of(name), i);
            continue;
        }
        snprintf(app, sizeof app, "app-%u", k);
        snprintf(zone, sizeof zone, "zone-%u", k % 4);
        int64_t cpu = 50 + 7 * (k % 211), memory = (64 + 3 * (k % 307)) * MI;
        struct res_amount req[] = {{RES_CPU, cpu}, {RES_MEMORY, memory}};
        struct spec_label labels[] = {{S("app"), str_of(app)}}, selector[] = {{S("topology.kubernetes.io/zone"), str_of(zone)}};
        struct spec_toleration toleration = {.key = S("dedicated"), .op = TOLERATE_EXISTS, .effect = -1};
        struct pod_spec spec = {.ns = S("default"), .name = str_of(name), .requests = {req, 2}, .nonzero_cpu = cpu, .nonzero_memory = memory, .labels = {labels, 1},
                                .node_selector = {selector, k % 2}, .tolerations = &toleration, .ntolerations = k % 4 == 0, .created_ns = i};
        like[k] = put_pod(r, &spec);
    }
    free(like);
    queue_all(r);
}

static double different_rate(uint32_t nodes, uint32_t pods, const char *name, double limit, bool print)
{
    struct run r;
    run_init(&r, "default", false);
    add_mixed_nodes(&r, nodes);
    add_mixed_pods(&r, pods, 2000);
    r.measuring = true;
    settle(&r, NULL);
    double rate = (double)r.placed / r.seconds;
    if (print) {
        char what[128];
        snprintf(what, sizeof what, "%u pods of 2,000 classes on %u nodes, all scored", pods, nodes);
        report_rate(&r, name, what, r.placed, 0, limit);
    }
    struct pipeline_counts c = pipeline_count(r.p);
    if (!print && opt.workers > 1)
        report(name, "conflicts and rescans in 1,000 decisions", 1000.0 * (double)(c.conflicts + c.rescans) / (double)MAX(c.decided, (uint64_t)1), "", 0, 0, REPORT_LESS);
    run_fini(&r);
    return rate;
}
static void different_5000(void)
{
    different_rate(or_else(opt.nodes, 5000), or_else(opt.pods, 200000), "different-5000", 150000, true);
}
static void different_20000(void)
{
    different_rate(or_else(opt.nodes, 20000), or_else(opt.pods, 200000), "different-20000", 50000, true);
}

/* 1, 2, 4 ... workers on the same pods; the limit is for 16 on a machine that has them. */
static void workers(void)
{
    uint32_t most = opt.workers > 1 ? opt.workers : (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), was = opt.workers;
    uint32_t nodes = or_else(opt.nodes, 20000), pods = or_else(opt.pods, 200000);
    double one = 0;
    for (uint32_t w = 1; w <= most; w *= 2) {
        opt.workers = w;
        double rate = different_rate(nodes, pods, "workers", 0, false);
        char what[64];
        snprintf(what, sizeof what, "%u nodes, %u workers, %s", nodes, w, opt.fast ? "fast" : "deterministic");
        report("workers", what, rate, "/s", one, w == 16 ? 8 * one : 0, REPORT_MORE);
        if (w == 1)
            one = rate;
    }
    opt.workers = was;
}

/* The pipeline with one worker beside calling the engine alone, on the cheapest decisions there are. */
static void pipeline_cost(void)
{
    double best[2] = {0, 0};
    for (int turn = 0; turn < 6; turn++) {
        struct run r;
        run_init(&r, "default", false);
        add_mixed_nodes(&r, 5000);
        bool direct = turn % 2;
        uint32_t pods = or_else(opt.pods, 60000);
        add_mixed_pods(&r, pods, 2000);
        double from = now_s();
        if (direct) {
            struct unit_decision d = UNIT_DECISION_INIT;
            for (pod_id p = 1; p < r.s->npods_slots; p++)
                sched_place(r.s, sched_unit_of(r.s, p), 0, &d);
            unit_decision_fini(&d);
        } else {
            pipeline_run(r.p, NSEC_PER_SEC, 0);
        }
        best[direct] = MAX(best[direct], pods / (now_s() - from));
        run_fini(&r);
    }
    report("pipeline", "the engine called directly", best[1], "/s", 0, 0, REPORT_MORE);
    report("pipeline", "through the pipeline, 1 worker", best[0], "/s", best[1], 0, REPORT_MORE);
    report("pipeline", "what the pipeline costs", 100 * (best[1] / best[0] - 1), "%", 0, 5, REPORT_LESS);
}

/* --- preemption -------------------------------------------------------------------------------------------------------------------- */
static struct pod_spec plain(str name, int32_t priority, const struct res_amount *req)
{
    return (struct pod_spec){.ns = S("default"), .name = name, .priority = priority, .requests = {req, 2}, .nonzero_cpu = req[0].amount, .nonzero_memory = req[1].amount};
}

static void fill_nodes(struct run *r, uint32_t nodes, uint32_t each, int32_t priority)
{
    struct res_amount req[] = {{RES_CPU, 4000 / each}, {RES_MEMORY, 1 * GI}};
    for (uint32_t i = 0; i < nodes * each; i++) {
        char name[32], node[32];
        snprintf(name, sizeof name, "low-%u", i);
        snprintf(node, sizeof node, "node-%05u", i / each);
        struct pod_spec spec = plain(str_of(name), priority, req);
        spec.node = str_of(node);
        spec.phase = POD_BOUND;
        spec.started_ns = (nsec_t)i * NSEC_PER_SEC;
        put_pod(r, &spec);
    }
}

static void preemption(void)
{
    struct run r;
    run_init(&r, "default", true);
    uint32_t nodes = or_else(opt.nodes, 5000), pods = or_else(opt.pods, nodes);
    add_nodes(&r, nodes, 4000, 32 * GI, 110);
    fill_nodes(&r, nodes, 4, 0);
    struct res_amount req[] = {{RES_CPU, 3000}, {RES_MEMORY, 500 * MI}};
    for (uint32_t i = 0; i < pods; i++) {
        char name[32];
        snprintf(name, sizeof name, "high-%u", i);
        struct pod_spec spec = plain(str_of(name), 100, req);
        put_pod(&r, &spec);
    }
    queue_all(&r);
    r.measuring = true;
    settle(&r, NULL);
    if (r.placed < pods) {
        fprintf(stderr, "bench-sched: preemption: only %llu of %u pods were placed\n", (unsigned long long)r.placed, pods);
        exit(1);
    }
    char what[128];
    snprintf(what, sizeof what, "%u pods evict %llu on %u full nodes", pods, (unsigned long long)r.evicted, nodes);
    report_rate(&r, "preemption", what, pods, 0, 20000);
    verify(&r, "preemption");
    run_fini(&r);
}

static void hopeless(void)
{
    struct run r;
    run_init(&r, "default", false);
    uint32_t nodes = or_else(opt.nodes, 20000);
    add_nodes(&r, nodes, 4000, 32 * GI, 110);
    fill_nodes(&r, nodes, 4, 1000);
    struct res_amount low_req[] = {{RES_CPU, 0}, {RES_MEMORY, 1 * GI}}, req[] = {{RES_CPU, 3000}, {RES_MEMORY, 500 * MI}};
    for (uint32_t i = 0; i < nodes; i += 2) { /* there are victims, but not enough */
        char name[32], node[32];
        snprintf(name, sizeof name, "small-%u", i);
        snprintf(node, sizeof node, "node-%05u", i);
        struct pod_spec spec = plain(str_of(name), 0, low_req);
        spec.node = str_of(node);
        spec.phase = POD_BOUND;
        put_pod(&r, &spec);
    }
    struct unit_decision d = UNIT_DECISION_INIT;
    for (int i = 0; i < 21; i++) {
        /* each is another class, so that no earlier answer can be given again; the first also makes what is kept by priority */
        char name[32];
        snprintf(name, sizeof name, "high-%d", i);
        req[0].amount = 3000 + i;
        struct pod_spec spec = plain(str_of(name), 100, req);
        pod_id high = put_pod(&r, &spec);
        double from = now_s();
        sched_place(r.s, sched_unit_of(r.s, high), i, &d);
        if (i > 0)
            latency_add(&r.latencies, (nsec_t)((now_s() - from) * 1e9));
        if (d.result != UNIT_REJECTED)
            die("hopeless: a place was found", NULL);
    }
    unit_decision_fini(&d);
    report("hopeless", "proof that nothing can be preempted, median", latency_quantile(&r.latencies, 0.5) / 1e6, "ms", 0, 1, REPORT_LESS);
    report("hopeless", "the same, slowest of 20", latency_quantile(&r.latencies, 1) / 1e6, "ms", 0, 0, REPORT_LESS);
    run_fini(&r);
}

/* --- gangs ---------------------------------------------------------------------------------------------------------------------------- */
static void add_gang(struct run *r, const char *name, uint32_t size, const struct res_amount *req, nsec_t created)
{
    struct err err = ERR_NONE;
    struct group_spec g = {.ns = S("default"), .name = str_of(name), .min_member = (int32_t)size, .created_ns = created};
    if (sched_group_put(r->s, &g, NULL, &err) < 0)
        die("group", &err);
    for (uint32_t i = 0; i < size; i++) {
        char pod[64];
        snprintf(pod, sizeof pod, "%s-%u", name, i);
        struct pod_spec spec = plain(str_of(pod), 0, req);
        spec.group = str_of(name);
        spec.created_ns = created;
        put_pod(r, &spec);
    }
}

static void gangs(void)
{
    struct run r;
    run_init(&r, "default", true);
    uint32_t nodes = or_else(opt.nodes, 500), jobs = 4000;
    add_nodes(&r, nodes, 64000, 256 * GI, 250);
    struct res_amount req[] = {{RES_CPU, 1000}, {RES_MEMORY, 4 * GI}};
    uint32_t pods = 0;
    for (uint32_t i = 0; i < jobs; i++) {
        char name[32];
        uint32_t size = 1u << i % 4; /* 1 2 4 8: 15,000 pods in all */
        snprintf(name, sizeof name, "job-%u", i);
        add_gang(&r, name, size, req, i);
        pods += size;
    }
    queue_all(&r);
    r.measuring = true;
    settle(&r, NULL);
    if (r.placed < pods)
        die("gangs: not all were placed", NULL);
    report("gangs", "4,000 gangs of 1 to 8 on 500 nodes, all placed", r.seconds, "s", 397, 1, REPORT_LESS);
    verify(&r, "gangs");
    run_fini(&r);
}

static void big_gang(void)
{
    struct run r;
    run_init(&r, "default", false);
    uint32_t nodes = or_else(opt.nodes, 20000), size = or_else(opt.pods, 10000);
    add_nodes(&r, nodes, 4000, 32 * GI, 110);
    struct res_amount req[] = {{RES_CPU, 3000}, {RES_MEMORY, 1 * GI}};
    add_gang(&r, "fits", size, req, 0);
    add_gang(&r, "does-not", nodes - size + 1, req, 1); /* one more than there is room for */
    struct unit_decision d = UNIT_DECISION_INIT;
    double from = now_s();
    sched_place(r.s, sched_group_find(r.s, S("default"), S("fits")), 0, &d);
    double fits = now_s() - from;
    if (d.result != UNIT_PLACED || d.placements.len != size)
        die("big-gang: it was not placed", NULL);
    from = now_s();
    sched_place(r.s, sched_group_find(r.s, S("default"), S("does-not")), 0, &d);
    double does_not = now_s() - from;
    struct err err = ERR_NONE;
    if (d.result != UNIT_REJECTED || model_check(r.s, &err) < 0)
        die("big-gang: the second was not taken back", &err);
    unit_decision_fini(&d);
    report("big-gang", "a gang of 10,000 on 20,000 nodes", fits * 1e3, "ms", 0, 100, REPORT_LESS);
    report("big-gang", "one of 10,001 where 10,000 fit: tried and taken back", does_not * 1e3, "ms", 0, 100, REPORT_LESS);
    run_fini(&r);
}

/* --- a full cluster --------------------------------------------------------------------------------------------------------------------- */
static size_t resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void load(void)
{
    struct run r;
    size_t before = resident_bytes();
    run_init(&r, "default", false);
    uint32_t nodes = or_else(opt.nodes, 20000), pods = or_else(opt.pods, 1000000);
    double from = now_s();
    add_nodes(&r, nodes, 64000, 256 * GI, 250);
    for (uint32_t i = 0; i < pods; i++) {
        char name[64], node[32], app[32], uid[40];
        snprintf(name, sizeof name, "deployment-%u-7c5ddbdf54-%05x", i / 100, i);
        snprintf(uid, sizeof uid, "00000000-0000-4000-8000-%012x", i);
        snprintf(node, sizeof node, "node-%05u", i % nodes);
        snprintf(app, sizeof app, "deployment-%u", i / 100);
        struct res_amount req[] = {{RES_CPU, 100 + i / 100 % 50}, {RES_MEMORY, 500 * MI}};
        struct spec_label labels[] = {{S("app"), str_of(app)}, {S("pod-template-hash"), S("7c5ddbdf54")}};
        struct pod_spec spec = {.ns = S("default"), .name = str_of(name), .uid = str_of(uid), .requests = {req, 2}, .nonzero_cpu = req[0].amount, .nonzero_memory = req[1].amount,
                                .labels = {labels, 2}, .node = str_of(node), .phase = POD_BOUND, .started_ns = i};
        put_pod(&r, &spec);
    }
    double seconds = now_s() - from;
    malloc_trim(0);
    report("load", "20,000 nodes and 1,000,000 bound pods from events", seconds, "s", 0, 5, REPORT_LESS);
    report("load", "memory a pod, nodes and classes included", (double)(resident_bytes() - before) / pods, "bytes", 0, 700, REPORT_LESS);
    run_fini(&r);
}

/* --- the openb trace ---------------------------------------------------------------------------------------------------------------------- */
static const struct {
    const char *variant;
    double fgd; /* alloc at 100 % load, godel_perf.md 4.4: published by FGD's authors */
    double limit;
} openb_variants[] = {
    {"default", 95.23, 95.6}, {"cpu050", 95.00, 95.00}, {"cpu100", 95.21, 95.21}, {"cpu200", 94.82, 94.82}, {"cpu250", 93.20, 93.20}, {"gpushare40", 93.96, 93.96},
    {"gpushare60", 91.25, 91.25}, {"gpushare80", 89.08, 89.08}, {"gpushare100", 86.64, 86.64}, {"gpuspec10", 94.66, 94.66}, {"gpuspec20", 94.66, 94.66},
    {"gpuspec25", 93.91, 93.91}, {"gpuspec33", 87.84, 87.84}, {"multigpu20", 95.53, 95.53}, {"multigpu30", 96.36, 96.36}, {"multigpu40", 96.91, 96.91}, {"multigpu50", 97.09, 97.09},
};

static str file_text(struct arena *a, const char *path)
{
    struct err err = ERR_NONE;
    char *text;
    size_t len;
    if (file_read(path, 64 << 20, &text, &len, &err) < 0)
        die(path, &err);
    str copy = arena_str(a, str_n(text, len));
    free(text);
    return copy;
}

static void openb(void)
{
    char nodes[512], pods[512];
    snprintf(nodes, sizeof nodes, "%s/openb_node_list_gpu_node.csv", opt.traces);
    if (access(nodes, R_OK) != 0) {
        fprintf(stderr, "bench-sched: openb: no trace under %s (--traces FOLDER says where); left out\n", opt.traces);
        return;
    }
    ARENA_AUTO a = ARENA_INIT;
    str node_text = file_text(&a, nodes);
    for (size_t i = 0; i < ARRAY_LEN(openb_variants); i++) {
        snprintf(pods, sizeof pods, "%s/openb_pod_list_%s.csv", opt.traces, openb_variants[i].variant);
        if (access(pods, R_OK) != 0)
            continue;
        struct openb_opts o = {.nodes = node_text, .nodes_file = str_of(nodes), .pods = file_text(&a, pods), .pods_file = str_of(pods), .seed_from = 42, .seed_to = 51, .clock = &clock_real};
        struct openb_result result = {.rows = NULL};
        struct err err = ERR_NONE;
        if (openb_run(&o, &result, &err) < 0)
            die("openb", &err);
        char what[64];
        snprintf(what, sizeof what, "%s: GPUs allocated at 100 %% load, mean of 10", openb_variants[i].variant);
        report("openb", what, result.mean.gpu_alloc_pct[3], "%", openb_variants[i].fgd, openb_variants[i].limit, REPORT_MORE);
        report("openb", "the mean decision", result.mean.decision_us, "us", 0, 20, REPORT_LESS);
        openb_result_fini(&result);
    }
}

/* --- options ------------------------------------------------------------------------------------------------------------------------------- */
static const struct report_workload own[] = {
    {"equal-5000", "a million equal pods on 5,000 nodes", equal_5000},
    {"equal-20000", "a million equal pods on 20,000 nodes", equal_20000},
    {"different-5000", "pods of 2,000 classes on 5,000 nodes, every node scored", different_5000},
    {"different-20000", "the same on 20,000 nodes", different_20000},
    {"perf", "every shape of scheduler_perf that has a threshold (each by its own name, too: see below)", perf_all},
    {"preemption", "5,000 pods preempt on 5,000 full nodes", preemption},
    {"hopeless", "proof that preemption cannot help on 20,000 nodes", hopeless},
    {"gangs", "4,000 gangs on 500 nodes", gangs},
    {"big-gang", "a gang of 10,000 pods on 20,000 nodes, and one that does not fit", big_gang},
    {"load", "20,000 nodes and a million bound pods: time and memory", load},
    {"pipeline", "what dispatcher and binder cost with one worker", pipeline_cost},
    {"workers", "1, 2, 4 ... workers (--workers says up to how many)", workers},
    {"openb", "GPU allocation on Alibaba's openb trace beside FGD (--traces FOLDER)", openb},
    {NULL, NULL, NULL},
};

static const struct gen_workload *chosen;
static void run_chosen(void)
{
    run_generated(chosen);
}

static uint32_t number(const char *text, const char *option)
{
    uint64_t n;
    if (!text || !str_to_u64(str_of(text), &n) || n > 100000000) {
        fprintf(stderr, "bench-sched: %s wants a number\n", option);
        exit(2);
    }
    return (uint32_t)n;
}

int main(int argc, char **argv)
{
    opt.self = argv[0];
    const char *workload = NULL;
    bool list = false;
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--nodes") == 0)
            opt.nodes = number(next, argv[i++]);
        else if (strcmp(argv[i], "--pods") == 0)
            opt.pods = number(next, argv[i++]);
        else if (strcmp(argv[i], "--workers") == 0)
            opt.workers = MAX(1u, number(next, argv[i++]));
        else if (strcmp(argv[i], "--traces") == 0 && next)
            opt.traces = argv[++i];
        else if (strcmp(argv[i], "--workload") == 0 && next)
            workload = argv[++i];
        else if (strcmp(argv[i], "--fast") == 0)
            opt.fast = true;
        else if (strcmp(argv[i], "--instructions") == 0)
            opt.instructions = true;
        else if (strcmp(argv[i], "--under-valgrind") == 0)
            opt.under_valgrind = true;
        else if (strcmp(argv[i], "--list") == 0)
            list = true;
        else if (strcmp(argv[i], "--json") != 0) {
            fprintf(stderr, "bench-sched: unknown option %s\nusage: bench-sched --list | [--workload NAME[,NAME...]] [--nodes N] [--pods N] [--workers W] [--fast] [--instructions] [--traces FOLDER] [--json]\n",
                    argv[i]);
            return 2;
        }
    }
    if (workload && !list && (chosen = gen_find(str_of(workload)))) {
        const struct report_workload one[] = {{workload, chosen->summary, run_chosen}, {NULL, NULL, NULL}};
        return report_main(argc, argv, one);
    }
    int r = report_main(argc, argv, own);
    if (list)
        for (const struct gen_workload *w = gen_workloads; w->name; w++)
            printf("%-16s %s\n", w->name, w->summary);
    return r;
}
