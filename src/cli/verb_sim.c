/* verb_sim.c - cox sim: a cluster and a workload on the scheduling engine, in virtual time.  The simulator itself is src/sim; here are files, options,
 * the progress line and the terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/cluster_snapshot.h"
#include "cli/verbs.h"
#include "rt/file.h"
#include "sim/inputs.h"
#include "sim/openb.h"
#include "sim/report.h"
#include "sim/whatif.h"
#include "sim/world.h"

#define SCENARIO_BYTES (64u << 20)
#define DUMP_BYTES (1u << 30)
#define PENDING_EXPLAINED 100
#define PROGRESS_EVERY (100 * NSEC_PER_MSEC)

/* Where cluster and workload come from, and what is asked about them. */
struct job {
    const struct cli_args *args;
    struct arena arena;
    str title;
    struct scenario *scenario; /* or */
    const struct gen_workload *workload;
    struct gen_scale scale; /* or */
    struct input_philly_opts philly;
    str trace, trace_file; /* or */
    str dump, dump_file;
    struct input_shapes shapes;
    uint64_t seed;
    struct sim_opts opts;
    nsec_t shown_ns;
    bool shows_progress;
};

static bool wants_json(const struct job *j)
{
    return cli_flag(j->args, "json") || str_is(str_of(cli_str_or(j->args, "output", "")), "json");
}

/* --- files ---------------------------------------------------------------------------------------------------------------------------------------------- */

static int read_text(struct job *j, const char *path, size_t max, str *ret, struct err *err)
{
    char *text;
    size_t len;
    int r = file_read(path, max, &text, &len, err);
    if (r < 0)
        return r;
    *ret = arena_str(&j->arena, str_n(text, len));
    free(text);
    return 0;
}

/* A builtin's name, or a file: as it stands, or beside the scenario. */
static int read_profile(struct job *j, str name, const char *beside, struct sched_profile **ret, struct err *err)
{
    str text;
    *ret = profile_builtin(name);
    if (*ret)
        return 0;
    const char *path = arena_cstr(&j->arena, name);
    if (beside && name.p[0] != '/') {
        char *folder = file_dirname(beside);
        path = arena_cstr(&j->arena, arena_fmt(&j->arena, "%s/" STR_FMT, folder, STR_ARG(name)));
        free(folder);
    }
    if (!file_exists(path))
        return err_set(err, E_NOT_FOUND, STR_FMT "there is no profile \"" STR_FMT "\": it is neither default, binpack, spread or gpu-packing nor a file", STR_ARG(beside ? scenario_where(j->scenario, &j->arena, S("profile")) : S("")),
                       STR_ARG(name));
    int r = read_text(j, path, SCENARIO_BYTES, &text, err);
    return r < 0 ? r : profile_parse(text, str_of(path), ret, err);
}

/* --- progress ------------------------------------------------------------------------------------------------------------------------------------------- */

static void show_progress(void *arg, const struct sim *sim)
{
    struct job *j = arg;
    nsec_t now = clock_mono(&clock_real);
    if (now - j->shown_ns < PROGRESS_EVERY)
        return;
    ARENA_AUTO a = ARENA_INIT;
    j->shown_ns = now;
    fprintf(stderr, "\r\033[K" STR_FMT ": " STR_FMT ", %u running, %u waiting", STR_ARG(j->title), STR_ARG(report_duration(&a, (double)sim_now(sim) / 1e9)), sim_running(sim), sim_waiting(sim));
    fflush(stderr);
}

static void clear_progress(const struct job *j)
{
    if (j->shown_ns)
        fputs("\r\033[K", stderr);
}

/* --- running ---------------------------------------------------------------------------------------------------------------------------------------------- */

static int load(struct job *j, struct sim *sim, struct err *err)
{
    if (j->scenario)
        return sim_load(sim, j->scenario, err);
    if (j->workload)
        return input_generator(sim, j->workload, &j->scale, err);
    if (j->trace_file.len)
        return input_philly(sim, &j->arena, j->trace, j->trace_file, &j->philly, err);
    return input_dump(sim, &j->arena, j->dump, j->dump_file, &j->shapes, err);
}

static struct sim *make(struct job *j, struct sched_profile *profile, struct err *err)
{
    struct sim_opts opts = j->opts;
    opts.seed = j->seed;
    if (j->shows_progress) {
        opts.progress = show_progress;
        opts.progress_arg = j;
    }
    struct sim *sim = sim_new(profile, &opts, err);
    if (sim && load(j, sim, err) < 0) {
        sim_free(sim);
        sim = NULL;
    }
    return sim;
}

/* One profile from start to end. */
static struct sim *run_one(struct job *j, struct sched_profile *profile, str profile_name, struct report_run *ret, struct err *err)
{
    nsec_t start = clock_mono(&clock_real);
    struct sim *sim = make(j, profile, err);
    if (sim && sim_run(sim, INT64_MAX, err) < 0) {
        sim_free(sim);
        sim = NULL;
    }
    clear_progress(j);
    if (!sim)
        return NULL;
    bool timed = !wants_json(j) || cli_flag(j->args, "timing");
    *ret = (struct report_run){.title = j->title, .profile = profile_name, .seed = j->seed, .s = sim_sched(sim)};
    ret->wall_ns = timed ? MAX(clock_mono(&clock_real) - start, (nsec_t)1) : 0;
    report_explain(sim, &j->arena, PENDING_EXPLAINED, ret);
    ret->r = sim_result(sim);
    return sim;
}

static int write_out(struct job *j, const struct report_run *runs, size_t n, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    const char *html = cli_str(j->args, "html");
    if (wants_json(j))
        report_json(&b, runs, n);
    else
        report_text(&b, runs, n);
    fwrite(b.p, 1, b.len, stdout);
    if (!html)
        return 0;
    struct report_run *untimed = arena_array(&j->arena, n, struct report_run);
    memcpy(untimed, runs, n * sizeof *runs);
    for (size_t i = 0; i < n; i++)
        untimed[i].wall_ns = cli_flag(j->args, "timing") ? runs[i].wall_ns : 0;
    strbuf_clear(&b);
    report_html(&b, untimed, n);
    return file_write_atomic(html, strbuf_str(&b), 0644, err);
}

/* "A,B": the words of a list. */
static size_t words_of(const char *list, str names[REPORT_RUNS_MAX])
{
    str rest = str_of(list);
    size_t n = 0;
    while (rest.len && n < REPORT_RUNS_MAX) {
        str_cut(&rest, ',', &names[n]);
        n += names[n].len > 0;
    }
    return n;
}

/* The settings of the batch policy to run under: those of --policy, all of them, or the scenario's. */
static int read_settings(struct job *j, const struct sim_setting *ret[REPORT_RUNS_MAX], size_t *ret_n, struct err *err)
{
    const char *given = cli_str(j->args, "policy");
    str names[REPORT_RUNS_MAX];
    size_t n = words_of(given ? given : j->scenario && j->scenario->policy.len ? arena_cstr(&j->arena, j->scenario->policy) : sim_setting_default->name, names);
    if (n == 1 && str_is(names[0], "all"))
        for (n = 0; n < REPORT_RUNS_MAX && sim_settings[n].name; n++)
            names[n] = str_of(sim_settings[n].name);
    for (size_t i = 0; i < n; i++)
        if (!(ret[i] = sim_setting_find(names[i]))) {
            struct strbuf b = strbuf_on(&j->arena);
            for (const struct sim_setting *x = sim_settings; x->name; x++)
                strbuf_addf(&b, "%s%s", x == sim_settings ? "" : ", ", x->name);
            return err_set(err, E_NOT_FOUND, "there is no policy \"" STR_FMT "\"; there are " STR_FMT ", and all for every one of them", STR_ARG(names[i]), STR_ARG(strbuf_str(&b)));
        }
    *ret_n = n;
    return 0;
}

/* The profiles to run: those of --compare, or the one. */
static size_t profile_names(struct job *j, str names[REPORT_RUNS_MAX])
{
    size_t n = words_of(cli_str(j->args, "compare"), names);
    if (!n) {
        const char *given = cli_str(j->args, "profile");
        names[n++] = given ? str_of(given) : j->scenario && j->scenario->profile.len ? j->scenario->profile : S("default");
    }
    return n;
}

/* A file that the scenario names lies beside the scenario. */
static const char *beside(const struct job *j, str name)
{
    bool of_scenario = j->scenario && str_eq(name, j->scenario->profile) && !cli_str(j->args, "profile") && !cli_str(j->args, "compare");
    return of_scenario ? j->scenario->file.p : NULL;
}

/* Is bandwidth scheduled (false) or ignored: the words of --bandwidth, or the scenario's. */
static int read_bands(struct job *j, bool ret[REPORT_RUNS_MAX], size_t *ret_n, struct err *err)
{
    const char *given = cli_str(j->args, "bandwidth");
    str names[REPORT_RUNS_MAX];
    size_t n = words_of(given ? given : j->scenario && j->scenario->ignores_bandwidth ? "ignored" : "scheduled", names);
    for (size_t i = 0; i < n; i++) {
        ret[i] = str_is(names[i], "ignored");
        if (!ret[i] && !str_is(names[i], "scheduled"))
            return err_set(err, E_INVALID_ARG, "--bandwidth " STR_FMT ": it is scheduled or ignored, or both", STR_ARG(names[i]));
    }
    *ret_n = n;
    return n ? 0 : err_set(err, E_INVALID_ARG, "--bandwidth is scheduled, ignored or both");
}

static int simulate(struct job *j, struct err *err)
{
    str names[REPORT_RUNS_MAX];
    struct report_run runs[REPORT_RUNS_MAX];
    struct sim *sims[REPORT_RUNS_MAX] = {NULL};
    const struct sim_setting *settings[REPORT_RUNS_MAX];
    bool bands[REPORT_RUNS_MAX];
    size_t n = profile_names(j, names), nsettings = 0, nbands = 0, done = 0;
    int r = read_settings(j, settings, &nsettings, err);
    if (r >= 0)
        r = read_bands(j, bands, &nbands, err);
    if (r >= 0 && n * nsettings * nbands > REPORT_RUNS_MAX)
        r = err_set(err, E_INVALID_ARG, "%zu profiles, %zu policies and %zu ways with bandwidth are more than %d runs", n, nsettings, nbands, REPORT_RUNS_MAX);
    for (size_t i = 0; r >= 0 && i < n * nsettings * nbands; i++, done++) {
        struct sched_profile *profile = NULL;
        str name = names[i / nbands / nsettings];
        j->opts.setting = settings[i / nbands % nsettings];
        j->opts.ignores_bandwidth = bands[i % nbands];
        r = read_profile(j, name, beside(j, name), &profile, err);
        if (r >= 0 && !(sims[i] = run_one(j, profile, nsettings > 1 ? str_of(j->opts.setting->name) : name, &runs[i], err)))
            r = -(err->code ? err->code : E_INTERNAL);
        if (r >= 0 && nsettings > 1 && n > 1)
            runs[i].profile = arena_fmt(&j->arena, STR_FMT " %s", STR_ARG(name), j->opts.setting->name);
        if (r >= 0 && nbands > 1)
            runs[i].profile = arena_fmt(&j->arena, STR_FMT "%s%s", STR_ARG(n * nsettings > 1 ? runs[i].profile : S("")), n * nsettings > 1 ? " " : "", bands[i % nbands] ? "ignored" : "scheduled");
    }
    if (r >= 0)
        r = write_out(j, runs, done, err);
    for (size_t i = 0; i < REPORT_RUNS_MAX; i++)
        sim_free(sims[i]);
    return r;
}

/* --- what if ------------------------------------------------------------------------------------------------------------------------------------------------- */

/* The objects of the question, when it is a file with manifests and the cluster is made of such. */
static int read_changes(struct job *j, struct input_items *ret, struct err *err)
{
    const char *given = cli_str(j->args, "what-if");
    str text;
    *ret = (struct input_items){0};
    if (!j->dump_file.len || !file_exists(given))
        return 0;
    int r = read_text(j, given, SCENARIO_BYTES, &text, err);
    struct err ignored;
    if (r >= 0 && input_items(&j->arena, text, str_of(given), ret, &ignored) < 0)
        *ret = (struct input_items){0}; /* a job in a scenario's words, or nothing good: who reads that will say */
    return r;
}

struct wanted_profile {
    struct job *j;
    str name;
};

static struct sched_profile *make_profile(void *arg)
{
    struct wanted_profile *x = arg;
    struct sched_profile *p = NULL;
    struct err err = ERR_NONE;
    BUG_ON(read_profile(x->j, x->name, NULL, &p, &err) < 0); /* it was read before */
    return p;
}

/* Objects that are changed, or several that come: two simulations are compared. */
static int ask_world(struct job *j, const struct input_items *changes, str profile, struct err *err)
{
    struct input_items cluster;
    struct world_answer answer;
    struct wanted_profile of = {j, profile};
    struct world_opts opts = {.make_profile = make_profile, .arg = &of, .sim = j->opts};
    STRBUF_AUTO b = STRBUF_HEAP;
    opts.sim.seed = j->seed;
    int r = input_items(&j->arena, j->dump, j->dump_file, &cluster, err);
    if (r >= 0)
        r = world_ask(&j->arena, &cluster, changes, &opts, &answer, err);
    if (r < 0)
        return r;
    if (wants_json(j))
        world_json(&b, &answer);
    else
        world_text(&b, &answer);
    fwrite(b.p, 1, b.len, stdout);
    return 0;
}

static int read_question(struct job *j, struct scenario_job *ret, struct err *err)
{
    const char *given = cli_str(j->args, "what-if");
    str text = str_of(given), file = S("--what-if");
    if (file_exists(given)) {
        int r = read_text(j, given, SCENARIO_BYTES, &text, err);
        if (r < 0)
            return r;
        file = str_of(given);
    } else if (str_find_char(text, ':') < 0) {
        return err_set(err, E_NOT_FOUND, "--what-if wants a job such as 'gang: {replicas: 4, requests: {cpu: 8}}' or a file; there is no file %s", given);
    }
    return scenario_job_parse(&j->arena, text, file, ret, err);
}

static int ask(struct job *j, struct err *err)
{
    struct sched_profile *profile = NULL;
    struct scenario_job gang;
    struct whatif_answer answer;
    str names[REPORT_RUNS_MAX];
    const struct sim_setting *settings[REPORT_RUNS_MAX];
    struct input_items changes;
    size_t nsettings;
    profile_names(j, names);
    int r = read_settings(j, settings, &nsettings, err);
    if (r >= 0 && settings[0]->one_line)
        r = err_set(err, E_INVALID_ARG, "--what-if asks about queues, and the policy %s has none", settings[0]->name);
    if (r >= 0)
        r = read_changes(j, &changes, err);
    bool world = r >= 0 && world_is_question(&changes);
    if (r >= 0 && !world)
        r = read_question(j, &gang, err);
    if (r >= 0)
        r = read_profile(j, names[0], beside(j, names[0]), &profile, err);
    if (r < 0)
        return r;
    j->opts.setting = settings[0];
    if (world) {
        profile_free(profile);
        return ask_world(j, &changes, names[0], err);
    }
    j->opts.until = 0; /* the answer may lie behind it */
    struct sim *sim = make(j, profile, err);
    if (!sim)
        return -(err->code ? err->code : E_INTERNAL);
    bool has_ends = j->scenario || j->trace_file.len || j->shapes.has_ends;
    nsec_t at = cli_duration_ns(j->args, "at", has_ends ? sim_last_arrival(sim) : 0);
    r = sim_run(sim, at, err);
    if (r >= 0 && j->scenario)
        r = whatif_shapes(sim, &j->arena, j->scenario, &j->shapes, err);
    if (r >= 0)
        r = whatif_ask(sim, &j->arena, &gang, &j->shapes, has_ends, &answer, err);
    clear_progress(j);
    if (r >= 0) {
        STRBUF_AUTO b = STRBUF_HEAP;
        if (wants_json(j))
            whatif_json(&b, &answer);
        else
            whatif_text(&b, &answer);
        fwrite(b.p, 1, b.len, stdout);
    }
    sim_free(sim);
    return r;
}

/* --- verbs ---------------------------------------------------------------------------------------------------------------------------------------------------- */

static void begin(struct job *j, const struct cli_args *a, uint64_t seed)
{
    *j = (struct job){.args = a, .seed = (uint64_t)cli_int(a, "seed", (int64_t)seed)};
    j->shows_progress = isatty(STDERR_FILENO);
}

static int finish(struct job *j, struct err *err)
{
    const char *output = cli_str_or(j->args, "output", "json");
    int r = strcmp(output, "json") ? err_set(err, E_INVALID_ARG, "-o %s: only json is known", output) : cli_str(j->args, "what-if") ? ask(j, err) : simulate(j, err);
    scenario_free(j->scenario);
    arena_fini(&j->arena);
    return r < 0 ? cli_fail_err(err) : 0;
}

/* Something before the run went wrong. */
static int give_up(struct job *j, const struct err *err)
{
    arena_fini(&j->arena);
    return cli_fail_err(err);
}

/* A running cluster instead of a scenario: its objects as they are now. */
static int ask_cluster(struct session *s, struct failure *f)
{
    struct job j;
    begin(&j, s->args, 0);
    int r = cluster_snapshot(s, &j.dump, f);
    if (r < 0)
        return r;
    j.title = j.dump_file = S("the cluster");
    j.opts.grace = 30 * NSEC_PER_SEC;
    r = ask(&j, &f->err);
    arena_fini(&j.arena);
    f->from_server = false;
    return r;
}

static int run_scenario(struct cli_args *a)
{
    struct job j;
    struct err err = ERR_NONE;
    str text;
    if (a->npositional == 0 && cli_str(a, "what-if"))
        return session_run(a, ask_cluster);
    if (a->npositional != 1)
        return cli_usage(a, "name one scenario file, or one of perf, openb, philly and dump; or ask a running cluster with --what-if");
    begin(&j, a, 42);
    if (read_text(&j, a->positional[0], SCENARIO_BYTES, &text, &err) < 0 || scenario_parse(text, str_of(a->positional[0]), &j.scenario, &err) < 0)
        return give_up(&j, &err);
    if (!cli_given(a, "seed"))
        j.seed = j.scenario->seed;
    j.title = j.scenario->name;
    j.opts = (struct sim_opts){.until = cli_duration_ns(a, "until", j.scenario->until), .grace = j.scenario->grace, .sample = j.scenario->sample};
    j.opts.owed_after = cli_duration_ns(a, "owed-after", j.scenario->owed_after);
    return finish(&j, &err);
}

static int run_perf(struct cli_args *a)
{
    struct job j;
    struct err err = ERR_NONE;
    if (cli_flag(a, "list")) {
        for (const struct gen_workload *w = gen_workloads; w->name; w++)
            printf("%-40s %7u nodes %8u + %7u pods  %s\n", w->name, w->nodes, w->init, w->measured, w->summary);
        return 0;
    }
    if (a->npositional != 1)
        return cli_usage(a, "name one workload; --list shows them");
    begin(&j, a, 42);
    j.workload = gen_find(str_of(a->positional[0]));
    if (!j.workload)
        return cli_usage(a, "there is no workload \"%s\"; --list shows those there are", a->positional[0]);
    j.scale = gen_scale_of(j.workload);
    int64_t nodes = cli_int(a, "nodes", j.scale.nodes), pods = cli_int(a, "pods", j.scale.measured);
    if (nodes < 1 || nodes > 1000000 || pods < 1 || pods > 20000000)
        return cli_usage(a, "--nodes must be from 1 to 1000000, --pods from 1 to 20000000");
    /* what is there before keeps its proportion to the nodes */
    j.scale.init = (uint32_t)((uint64_t)j.scale.init * (uint64_t)nodes / j.scale.nodes);
    j.scale.nodes = (uint32_t)nodes;
    j.scale.measured = (uint32_t)pods;
    j.scale.seed = j.seed;
    j.title = str_of(j.workload->name);
    return finish(&j, &err);
}

static int run_philly(struct cli_args *a)
{
    struct job j;
    struct err err = ERR_NONE;
    if (a->npositional != 1)
        return cli_usage(a, "name the trace file");
    begin(&j, a, 42);
    int64_t nodes = cli_int(a, "nodes", 312), gpus = cli_int(a, "gpus-per-node", 8), jobs = cli_int(a, "jobs", 0);
    if (nodes < 1 || nodes > 1000000 || gpus < 1 || gpus > GPU_MAX || jobs < 0)
        return cli_usage(a, "--nodes must be from 1 to 1000000, --gpus-per-node from 1 to %d", GPU_MAX);
    j.philly = (struct input_philly_opts){.nodes = (uint32_t)nodes, .gpus_per_node = (uint32_t)gpus, .jobs = (size_t)jobs};
    j.philly.queues = cli_flag(a, "queues");
    j.philly.checkpoint = cli_duration_ns(a, "checkpoint", 0);
    j.title = S("philly");
    j.trace_file = str_of(a->positional[0]);
    j.opts.until = cli_duration_ns(a, "until", 0);
    j.opts.owed_after = cli_duration_ns(a, "owed-after", 0);
    j.opts.grace = cli_duration_ns(a, "grace", 30 * NSEC_PER_SEC);
    if (read_text(&j, a->positional[0], DUMP_BYTES, &j.trace, &err) < 0)
        return give_up(&j, &err);
    return finish(&j, &err);
}

static int run_dump(struct cli_args *a)
{
    struct job j;
    struct err err = ERR_NONE;
    if (a->npositional != 1)
        return cli_usage(a, "name the file with the objects");
    begin(&j, a, 0);
    j.title = j.dump_file = str_of(a->positional[0]);
    j.opts.grace = 30 * NSEC_PER_SEC;
    if (read_text(&j, a->positional[0], DUMP_BYTES, &j.dump, &err) < 0)
        return give_up(&j, &err);
    return finish(&j, &err);
}

/* --- openb --------------------------------------------------------------------------------------------------------------------------------------------------- */

/* Every seed wants a profile of its own; that the text is good was seen before. */
struct profile_text {
    str name, text;
    const char *path; /* NULL: builtin */
};

static struct sched_profile *profile_again(void *arg)
{
    struct profile_text *x = arg;
    struct sched_profile *p = NULL;
    struct err err = ERR_NONE;
    if (!x->path)
        return profile_builtin(x->name);
    BUG_ON(profile_parse(x->text, str_of(x->path), &p, &err) < 0);
    return p;
}

static int read_profile_text(struct job *j, struct profile_text *x, struct err *err)
{
    struct sched_profile *p = NULL;
    x->name = str_of(cli_str_or(j->args, "profile", "gpu-packing"));
    int r = read_profile(j, x->name, NULL, &p, err);
    if (r < 0)
        return r;
    profile_free(p);
    p = profile_builtin(x->name);
    x->path = p ? NULL : x->name.p;
    profile_free(p);
    return x->path ? read_text(j, x->path, SCENARIO_BYTES, &x->text, err) : 0;
}

/* "42-51" or "42". */
static bool read_seeds(const char *text, struct openb_opts *o)
{
    str to = str_of(text), from;
    bool range = str_cut(&to, '-', &from);
    return str_to_u64(from, &o->seed_from) && str_to_u64(range ? to : from, &o->seed_to) && o->seed_from <= o->seed_to;
}

static void show_seed(void *arg, uint64_t seed, uint32_t done, uint32_t all)
{
    struct job *j = arg;
    nsec_t now = clock_mono(&clock_real);
    if (now - j->shown_ns < PROGRESS_EVERY)
        return;
    j->shown_ns = now;
    fprintf(stderr, "\r\033[Kseed %llu: %u of %u pods", (unsigned long long)seed, done, all);
    fflush(stderr);
}

static int run_openb_job(struct job *j, struct openb_opts *o, struct err *err)
{
    struct profile_text profile = {0};
    struct openb_result result;
    STRBUF_AUTO b = STRBUF_HEAP;
    bool json = cli_flag(j->args, "json");
    int r = read_text(j, cli_str(j->args, "nodes"), DUMP_BYTES, &o->nodes, err);
    if (r >= 0)
        r = read_text(j, cli_str(j->args, "pods"), DUMP_BYTES, &o->pods, err);
    if (r >= 0)
        r = read_profile_text(j, &profile, err);
    if (r < 0)
        return r;
    o->make_profile = profile_again;
    o->profile_arg = &profile;
    o->clock = !json || cli_flag(j->args, "timing") ? &clock_real : NULL;
    o->progress = j->shows_progress ? show_seed : NULL;
    o->progress_arg = j;
    r = openb_run(o, &result, err);
    clear_progress(j);
    if (r < 0)
        return r;
    if (json)
        openb_write_json(&b, &result);
    else
        openb_write_text(&b, &result);
    fwrite(b.p, 1, b.len, stdout);
    openb_result_fini(&result);
    return 0;
}

static int run_openb(struct cli_args *a)
{
    struct job j;
    struct err err = ERR_NONE;
    struct openb_opts o = {.learn = cli_flag(a, "learn")};
    if (a->npositional || !cli_str(a, "nodes") || !cli_str(a, "pods"))
        return cli_usage(a, "name the files with --nodes and --pods");
    if (!read_seeds(cli_str_or(a, "seeds", "42-51"), &o))
        return cli_usage(a, "--seeds must be a range such as 42-51, or one seed");
    o.nodes_file = str_of(cli_str(a, "nodes"));
    o.pods_file = str_of(cli_str(a, "pods"));
    begin(&j, a, 42);
    int r = run_openb_job(&j, &o, &err);
    arena_fini(&j.arena);
    return r < 0 ? cli_fail_err(&err) : 0;
}

/* --- the tables ------------------------------------------------------------------------------------------------------------------------------------------------ */

#define OUTPUT_OPTIONS                                                                                                                                     \
    {"profile", 0, CLI_STRING, "NAME|FILE", "default", "Profile to schedule by: default, binpack, spread, gpu-packing or a file.", NULL},                  \
        {"compare", 0, CLI_STRING, "A,B,...", "", "Run the same under several profiles and show them side by side.", NULL},                                 \
        {"policy", 0, CLI_STRING, "A,B,...", "cox", "How units of queues are decided about: fifo, fifo-backfill, fifo-reserve, queues, reclaim, kai, cox; several are shown side by side, all is every one.", NULL}, \
        {"bandwidth", 0, CLI_STRING, "A,B", "the scenario's, or scheduled", "scheduled: pods get what they ask for; ignored: they are placed by everything else; both are shown side by side.", NULL}, \
        {"owed-after", 0, CLI_DURATION, "TIME", "10m", "A guarantee is broken when a queue that asks within its quota waits for longer while others are above theirs.", NULL}, \
        {"seed", 0, CLI_INT, "N", "the scenario's, or 42", "Everything that is drawn by chance comes from it.", NULL},                                       \
        {"json", 0, CLI_FLAG, NULL, "", "Everything as JSON: figures, time series, placements, reasons.", NULL},                                            \
        {"output", 'o', CLI_STRING, "json", "", "The same: -o json.", NULL},                                                                               \
        {"html", 0, CLI_STRING, "FILE", "", "Also write a page with plots, which opens offline.", NULL},                                                    \
        {"timing", 0, CLI_FLAG, NULL, "", "Also put what the clock said into JSON and page; the same seed gives other bytes then.", NULL}
#define WHAT_IF_OPTION {"what-if", 0, CLI_STRING, "JOB|FILE", "", "Ask about a job that is not there: would it fit, when would it start, what would have to go.", NULL}
#define AT_OPTION {"at", 0, CLI_DURATION, "TIME", "the last arrival", "When --what-if asks.", NULL}
#define UNTIL_OPTION {"until", 0, CLI_DURATION, "TIME", "until nothing happens any more", "Stop then.", NULL}

static const struct cli_option scenario_options[] = {OUTPUT_OPTIONS, WHAT_IF_OPTION, AT_OPTION, UNTIL_OPTION, {0}};
static const struct cli_option perf_options[] = {OUTPUT_OPTIONS,
                                                 {"nodes", 0, CLI_INT, "N", "the workload's", "Number of nodes.", NULL},
                                                 {"pods", 0, CLI_INT, "N", "the workload's", "Number of measured pods.", NULL},
                                                 {"list", 0, CLI_FLAG, NULL, "", "List the workloads.", NULL},
                                                 {0}};
static const struct cli_option philly_options[] = {OUTPUT_OPTIONS,
                                                   WHAT_IF_OPTION,
                                                   AT_OPTION,
                                                   UNTIL_OPTION,
                                                   {"nodes", 0, CLI_INT, "N", "312", "Number of nodes.", NULL},
                                                   {"gpus-per-node", 0, CLI_INT, "G", "8", "GPUs of each.", NULL},
                                                   {"jobs", 0, CLI_INT, "N", "all", "Only the first so many jobs.", NULL},
                                                   {"queues", 0, CLI_FLAG, NULL, "", "Virtual clusters are queues, with quotas by how much they use.", NULL},
                                                   {"checkpoint", 0, CLI_DURATION, "TIME", "never", "How often jobs save their work.", NULL},
                                                   {"grace", 0, CLI_DURATION, "TIME", "30s", "How long an evicted pod takes to go.", NULL},
                                                   {0}};
static const struct cli_option openb_options[] = {{"nodes", 0, CLI_STRING, "FILE", "", "CSV: sn,cpu_milli,memory_mib,gpu,model.", NULL},
                                                  {"pods", 0, CLI_STRING, "FILE", "", "CSV: name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,...", NULL},
                                                  {"seeds", 0, CLI_STRING, "FROM-TO", "42-51", "One run for each.", NULL},
                                                  {"profile", 0, CLI_STRING, "NAME|FILE", "gpu-packing", "Profile to schedule by.", NULL},
                                                  {"learn", 0, CLI_FLAG, NULL, "", "Let the packing plugin learn which pods come, instead of telling it.", NULL},
                                                  {"json", 0, CLI_FLAG, NULL, "", "As JSON: each seed, and the mean.", NULL},
                                                  {"timing", 0, CLI_FLAG, NULL, "", "Measure decisions also for JSON.", NULL},
                                                  {0}};
static const struct cli_option dump_options[] = {OUTPUT_OPTIONS, WHAT_IF_OPTION, {0}};

static const struct cli_verb perf = {.name = "perf", .summary = "A synthetic workload by name, as kube-scheduler's benchmark has them.", .usage = "NAME [--nodes N] [--pods N] | --list",
                                     .options = perf_options, .run = run_perf};
static const struct cli_verb philly = {.name = "philly", .summary = "The Philly trace: timestamp,duration,num_gpus,... a line.", .usage = "FILE [--nodes N] [--gpus-per-node G] [--jobs N]",
                                       .options = philly_options, .run = run_philly};
static const struct cli_verb openb = {.name = "openb", .summary = "The GPU packing experiment on the openb trace: how much is allocated as load arrives.",
                                      .usage = "--nodes FILE --pods FILE [--seeds 42-51] [--profile FILE] [--json]", .options = openb_options, .run = run_openb};
static const struct cli_verb dump = {.name = "dump", .summary = "A live cluster's objects: the output of 'cox get nodes,pods -A -o json'.", .usage = "FILE [--what-if JOB]",
                                     .options = dump_options, .run = run_dump};
static const struct cli_verb *const subs[] = {&perf, &openb, &philly, &dump, NULL};

const struct cli_verb verb_sim = {
    .name = "sim",
    .summary = "Simulate a cluster and a workload on the scheduling engine.",
    .usage = "SCENARIO.yaml [--html FILE] [--json] [--what-if JOB] [--compare A,B] [--policy A,B] | --what-if FILE",
    .help = "Jobs come, are placed by the real scheduling engine, run and end, in virtual time. The same seed gives the same result.\n"
            "docs/simulator.md describes scenario files; examples/sim has some.",
    .examples = "  cox sim examples/sim/two-teams.yaml --html report.html\n"
                "  cox sim examples/sim/two-teams.yaml --compare default,binpack\n"
                "  cox sim examples/sim/two-teams.yaml --what-if 'gang: {replicas: 4, requests: {cpu: 8, gpu: 4}}'\n"
                "  cox sim perf SchedulingBasic --nodes 1000 --pods 5000\n"
                "  cox sim --what-if train.yaml",
    .options = scenario_options,
    .subs = subs,
    .run = run_scenario,
    .is_client = true,
};
