/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_job_plan.h"

#include "base/clock.h"
#include "base/test.h"
#include "controllers/kuscia.h"

#define NOW "2026-01-02T03:04:05Z"

/* A job under test: tasks by place, phases by place ("" none). */
struct world {
    struct arena a;
    struct json job;
    struct json tasks[KUSCIA_TASKS_MAX];
    const struct json *found[KUSCIA_TASKS_MAX];
    struct kuscia_job_plan plan;
};

static void world_init(struct world *w, const char *spec)
{
    *w = (struct world){.a = ARENA_INIT};
    struct json s = json_literal(&w->a, spec);
    w->job = json_make(&w->a, "{\"metadata\":{\"name\":\"job\",\"namespace\":\"cross-domain\",\"uid\":\"u\"},\"spec\":%j}", &s);
}

static void set_task(struct world *w, size_t i, const char *phase)
{
    w->tasks[i] = json_make(&w->a, "{\"metadata\":{\"name\":\"t\"},\"status\":{\"phase\":%s}}", phase);
    w->found[i] = &w->tasks[i];
}

static void set_label(struct world *w, const char *stage)
{
    struct json *labels = json_ensure_object(&w->a, json_get(&w->job, S("metadata")), S("labels"));
    json_set(&w->a, labels, S(KUSCIA("job-stage")), json_string(str_of(stage)));
    json_set(&w->a, labels, S(KUSCIA("job-stage-trigger")), json_string(S("bob")));
}

/* One look; what it says becomes the job's status, and what it does is done. */
static str look(struct world *w)
{
    struct kuscia_job_in in = {.job = &w->job, .tasks = w->found, .now = S(NOW), .missing = S("")};
    kuscia_job_plan(&w->a, &in, &w->plan);
    json_set(&w->a, &w->job, S("status"), w->plan.status);
    for (size_t i = 0; i < w->plan.nstart; i++)
        set_task(w, w->plan.start[i], "Pending");
    for (size_t i = 0; i < w->plan.nstop; i++)
        set_task(w, w->plan.stop[i], "Failed");
    for (size_t i = 0; i < w->plan.nremove; i++)
        w->found[w->plan.remove[i]] = NULL;
    if (w->plan.restarted)
        set_label(w, "Start");
    return json_get_str(json_get(&w->job, S("status")), S("phase"));
}

static str settle(struct world *w)
{
    str phase = S("");
    for (int i = 0; i < 5; i++)
        phase = look(w);
    return phase;
}

static str status(const struct world *w, const char *key)
{
    return json_get_str(json_get(&w->job, S("status")), str_of(key));
}

#define TASK(alias, rest) "{\"alias\":\"" alias "\",\"taskID\":\"t-" alias "\",\"appImage\":\"i\",\"taskInputConfig\":\"\",\"parties\":[{\"domainID\":\"alice\"},{\"domainID\":\"bob\"}]" rest "}"
#define AFTER(list) ",\"dependencies\":[" list "]"
#define JOB(rest, tasks) "{\"initiator\":\"alice\"" rest ",\"tasks\":[" tasks "]}"

TEST(a_job_runs_through)
{
    struct world w;
    world_init(&w, JOB("", TASK("a", "") "," TASK("b", AFTER("\"a\""))));
    T_EQ_STR(look(&w), "Pending");
    T_EQ_STR(json_get_str(json_path(&w.job, "status", "approveStatus", NULL), S("bob")), "JobAccepted");
    T_EQ_STR(json_get_str(json_path(&w.job, "status", "stageStatus", NULL), S("bob")), "JobCreateStageSucceeded");
    T_EQ_STR(status(&w, "startTime"), NOW);
    T_EQ_STR(look(&w), "Running");
    T_EQ_INT(w.plan.nstart, 0);
    look(&w);
    T_EQ_INT(w.plan.nstart, 1);
    T_EQ_INT(w.plan.start[0], 0);
    look(&w);
    T_EQ_INT(w.plan.nstart, 0);
    set_task(&w, 0, "Succeeded");
    look(&w);
    T_EQ_INT(w.plan.start[0], 1);
    set_task(&w, 1, "Succeeded");
    T_EQ_STR(look(&w), "Succeeded");
    T_EQ_STR(status(&w, "completionTime"), NOW);
    T_EQ_STR(json_get_str(json_path(&w.job, "status", "taskStatus", NULL), S("t-b")), "Succeeded");
    set_label(&w, "Cancel");
    T_EQ_STR(look(&w), "Succeeded"); /* over */
    arena_fini(&w.a);
}

TEST(what_is_missing_is_waited_for)
{
    struct world w;
    world_init(&w, JOB("", TASK("a", "")));
    struct kuscia_job_in in = {.job = &w.job, .now = S(NOW), .missing = S("there is no AppImage \"i\"")};
    kuscia_job_plan(&w.a, &in, &w.plan);
    T_EQ_STR(json_get_str(&w.plan.status, S("phase")), "initialized");
    T_EQ_STR(json_get_str(&w.plan.status, S("message")), "there is no AppImage \"i\"");
    in.give_up = true;
    kuscia_job_plan(&w.a, &in, &w.plan);
    T_EQ_STR(json_get_str(&w.plan.status, S("phase")), "Failed");
    T_EQ_STR(json_get_str(&w.plan.status, S("reason")), "ValidateFailed");
    json_set(&w.a, &w.job, S("status"), w.plan.status);
    set_label(&w, "Restart");
    T_EQ_STR(look(&w), "Failed"); /* what could not begin cannot begin again */
    arena_fini(&w.a);
}

/* Somebody wrote it: the job would stand still for ever. */
TEST(a_phase_that_is_none)
{
    struct world w;
    world_init(&w, JOB("", TASK("a", "")));
    T_OK(kuscia_job_is_new(&w.job));
    settle(&w);
    T_OK(!kuscia_job_is_new(&w.job));
    json_set(&w.a, json_get(&w.job, S("status")), S("phase"), json_string(S("Sometime")));
    T_OK(kuscia_job_is_new(&w.job));
    struct json asked = json_literal(&w.a, "[\"bob\"]");
    struct kuscia_job_in in = {.job = &w.job, .tasks = w.found, .now = S(NOW), .missing = S(""), .asked = &asked};
    json_set(&w.a, json_get(&w.job, S("status")), S("approveStatus"), json_object());
    kuscia_job_plan(&w.a, &in, &w.plan);
    T_EQ_STR(json_get_str(&w.plan.status, S("phase")), "AwaitingApproval"); /* and nobody is agreed for */
    T_EQ_STR(settle(&w), "Running");
    T_EQ_INT(w.plan.nstart, 0); /* what was made is there */
    arena_fini(&w.a);
}

TEST(domains_that_want_to_be_asked)
{
    struct world w;
    world_init(&w, JOB("", TASK("a", "")));
    struct json asked = json_literal(&w.a, "[\"alice\",\"bob\"]"); /* the initiator has asked itself */
    struct kuscia_job_in in = {.job = &w.job, .now = S(NOW), .missing = S(""), .asked = &asked};
    kuscia_job_plan(&w.a, &in, &w.plan);
    T_EQ_STR(json_get_str(&w.plan.status, S("phase")), "AwaitingApproval");
    T_EQ_STR(json_get_str(&w.plan.status, S("message")), "waits for the answer of bob");
    json_set(&w.a, &w.job, S("status"), w.plan.status);
    T_EQ_STR(look(&w), "AwaitingApproval");
    json_set(&w.a, json_path(&w.job, "status", "approveStatus", NULL), S("bob"), json_string(S("JobRejected")));
    T_EQ_STR(look(&w), "ApprovalReject");
    json_set(&w.a, json_get(&w.job, S("status")), S("phase"), json_string(S("AwaitingApproval")));
    json_set(&w.a, json_path(&w.job, "status", "approveStatus", NULL), S("bob"), json_string(S("JobAccepted")));
    T_EQ_STR(look(&w), "Pending");
    arena_fini(&w.a);
}

TEST(priorities_and_how_many_at_once)
{
    struct world w;
    world_init(&w, JOB(",\"maxParallelism\":2", TASK("a", ",\"priority\":1") "," TASK("b", "") "," TASK("c", ",\"priority\":9") "," TASK("d", ",\"priority\":1")));
    settle(&w);
    T_OK(w.found[2] && w.found[0] && !w.found[1] && !w.found[3]);
    set_task(&w, 2, "Succeeded");
    settle(&w);
    T_OK(w.found[3] && !w.found[1]);
    arena_fini(&w.a);
}

TEST(strict_and_best_effort)
{
    struct world w;
    world_init(&w, JOB(",\"maxParallelism\":3", TASK("a", "") "," TASK("b", "") "," TASK("c", AFTER("\"a\""))));
    settle(&w);
    set_task(&w, 0, "Failed");
    T_EQ_STR(look(&w), "Failed");
    T_EQ_INT(w.plan.nstop, 1); /* b */
    T_EQ_STR(status(&w, "message"), "failed: a (KusciaTask t-a)");
    json_set(&w.a, json_get(&w.job, S("status")), S("phase"), json_string(S("Running")));
    set_task(&w, 1, "Running");
    json_set(&w.a, json_get(&w.tasks[0], S("status")), S("reason"), json_string(S("PartyFailed")));
    json_set(&w.a, json_get(&w.tasks[0], S("status")), S("message"), json_string(S("what only its parties are to read")));
    json_set(&w.a, json_get(&w.tasks[0], S("status")), S("partyTaskStatus"), json_literal(&w.a, "[{\"domainID\":\"alice\",\"phase\":\"Running\"},{\"domainID\":\"bob\",\"phase\":\"Failed\",\"message\":\"x\"},"
                                                                                                     "{\"domainID\":\"carol\",\"phase\":\"Failed\",\"message\":\"" KUSCIA_ENDED "\"}]"));
    look(&w);
    T_EQ_STR(status(&w, "message"), "failed: a (KusciaTask t-a: PartyFailed, party bob)");
    arena_fini(&w.a);

    world_init(&w, JOB(",\"scheduleMode\":\"BestEffort\",\"maxParallelism\":1", TASK("a", "") "," TASK("b", "") "," TASK("c", AFTER("\"a\""))));
    settle(&w);
    set_task(&w, 0, "Failed");
    T_EQ_STR(settle(&w), "Running"); /* b does not depend on it */
    set_task(&w, 1, "Succeeded");
    T_EQ_STR(look(&w), "Failed");
    T_OK(!w.found[2]);
    arena_fini(&w.a);

    world_init(&w, JOB("", TASK("a", ",\"tolerable\":true") "," TASK("b", "")));
    settle(&w);
    set_task(&w, 0, "Failed");
    settle(&w);
    set_task(&w, 1, "Succeeded");
    T_EQ_STR(look(&w), "Succeeded");
    arena_fini(&w.a);

    world_init(&w, JOB("", TASK("a", ",\"tolerable\":true") "," TASK("b", AFTER("\"a\""))));
    settle(&w);
    set_task(&w, 0, "Failed");
    T_EQ_STR(look(&w), "Failed"); /* not for ever Running */
    T_EQ_STR(status(&w, "message"), "could not start, because what they depend on failed: b");
    arena_fini(&w.a);
}

/* Stop ended tasks, and Restart was written over it before the job could say so. */
TEST(one_command_over_another)
{
    struct world w;
    world_init(&w, JOB(",\"maxParallelism\":2", TASK("a", "") "," TASK("b", "") "," TASK("c", AFTER("\"a\""))));
    settle(&w);
    set_task(&w, 0, "Succeeded");
    set_task(&w, 1, "Failed");
    json_set(&w.a, json_get(&w.tasks[1], S("status")), S("reason"), json_string(S(KUSCIA_STOPPED)));
    set_label(&w, "Restart");
    T_EQ_STR(look(&w), "Running");
    T_EQ_INT(w.plan.nremove, 1);
    T_OK(w.found[0] && !w.found[1]);
    T_EQ_STR(settle(&w), "Running");
    T_OK(w.found[1] && w.found[2]);
    set_task(&w, 1, "Failed"); /* by itself: that is an end */
    set_label(&w, "Restart");
    T_EQ_STR(settle(&w), "Failed");
    arena_fini(&w.a);
}

TEST(commands)
{
    static const struct {
        const char *stage, *phase, *of_party;
    } cases[] = {{"Stop", "Failed", "JobStopStageSucceeded"}, {"Cancel", "Cancelled", "JobCancelStageSucceeded"}, {"Suspend", "Suspended", "JobSuspendStageSucceeded"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct world w;
        world_init(&w, JOB(",\"maxParallelism\":2", TASK("a", "") "," TASK("b", "") "," TASK("c", AFTER("\"a\""))));
        settle(&w);
        set_task(&w, 0, "Succeeded");
        set_label(&w, cases[i].stage);
        T_EQ_STR(look(&w), cases[i].phase);
        T_EQ_INT(w.plan.nstop, 1);
        T_EQ_STR(json_get_str(json_path(&w.job, "status", "stageStatus", NULL), S("alice")), cases[i].of_party);
        T_EQ_STR(settle(&w), cases[i].phase); /* once */
        set_label(&w, "Restart");
        bool over = str_is(str_of(cases[i].phase), "Cancelled");
        T_EQ_STR(look(&w), over ? "Cancelled" : "Running");
        T_EQ_INT(w.plan.nremove, over ? 0 : 1); /* what succeeded stays */
        T_OK(w.found[0]);
        settle(&w);
        T_OK(over || (w.found[1] && w.found[2]));
        arena_fini(&w.a);
    }
}

/* Whatever the graph and whatever fails: never more at once than allowed, none before what it depends on, it ends, and as a naive look at the ends says. */
TEST(random_graphs)
{
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 300; round++) {
        enum { N = 9 };
        bool dep[N][N] = {0}, tolerable[N];
        struct world w;
        bool strict = rng_below(&rng, 2);
        int64_t most = 1 + (int64_t)rng_below(&rng, 4);
        world_init(&w, "{}");
        struct json tasks = json_array();
        for (int i = 0; i < N; i++) {
            struct json deps = json_array();
            for (int k = 0; k < i; k++)
                if ((dep[i][k] = rng_below(&rng, 4) == 0))
                    json_push(&w.a, &deps, json_string(arena_fmt(&w.a, "t%d", k)));
            tolerable[i] = rng_below(&rng, 3) == 0;
            struct json t = json_make(&w.a, "{\"alias\":%S,\"dependencies\":%j,\"priority\":%d}", arena_fmt(&w.a, "t%d", i), &deps, (int64_t)rng_below(&rng, 3));
            json_set(&w.a, &t, S("tolerable"), json_bool(tolerable[i]));
            json_push(&w.a, &tasks, t);
        }
        json_set(&w.a, &w.job, S("spec"), json_make(&w.a, "{\"initiator\":\"a\",\"scheduleMode\":%s,\"maxParallelism\":%d,\"tasks\":%j}", strict ? "Strict" : "BestEffort", most, &tasks));
        str phase = S("");
        bool bad[N] = {0}, good[N] = {0};
        for (int turn = 0; turn < 200 && !str_is(phase, "Failed") && !str_is(phase, "Succeeded"); turn++) {
            phase = look(&w);
            int64_t open = 0;
            for (int i = 0; i < N; i++)
                open += w.found[i] && !good[i] && !bad[i];
            T_OK(open <= most);
            for (size_t s = 0; s < w.plan.nstart; s++)
                for (int k = 0; k < N; k++)
                    T_OK(!dep[w.plan.start[s]][k] || good[k]);
            int i = (int)rng_below(&rng, N);
            if (w.found[i] && !good[i] && !bad[i] && str_is(phase, "Running")) {
                *(rng_below(&rng, 5) ? &good[i] : &bad[i]) = true;
                set_task(&w, (size_t)i, good[i] ? "Succeeded" : "Failed");
            }
        }
        bool wrong = false;
        for (int i = 0; i < N; i++)
            wrong |= !tolerable[i] && !good[i];
        T_EQ_STR(phase, wrong ? "Failed" : "Succeeded");
        arena_fini(&w.a);
    }
}

TEST(tasks_of_a_job)
{
    struct world w;
    world_init(&w, JOB("", "{\"alias\":\"A b\",\"appImage\":\"i\",\"taskInputConfig\":\"x\",\"scheduleConfig\":{\"lifecycleSeconds\":9},\"parties\":[{\"domainID\":\"alice\",\"role\":\"host\","
                           "\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\",\"kuscia.io/bandwidth\":\"10\"}}}]}"));
    struct json image = json_literal(&w.a, "{\"spec\":{\"deployTemplates\":[{\"name\":\"x\",\"role\":\"guest, host\",\"replicas\":2,\"spec\":{\"containers\":[{\"name\":\"c\"},{\"name\":\"d\"}]}}]}}");
    const struct json *t = &json_path(&w.job, "spec", "tasks", NULL)->items[0];
    struct json task = kuscia_job_task(&w.a, &w.job, t, &image);
    str name = json_get_str(json_get(&task, S("metadata")), S("name"));
    T_OK(str_has_prefix(name, S("job-")) && name.len == 4 + 12);
    T_OK(str_eq(kuscia_task_id(&w.a, &w.job, t), name));
    json_set(&w.a, json_get(&w.job, S("metadata")), S("name"), json_string(S("my.job.of.more.than.forty.characters.-.and.more")));
    T_OK(str_has_prefix(kuscia_task_id(&w.a, &w.job, t), S("my-job-of-more-than-forty-characters-"))); /* also of services, which have no dots */
    T_EQ_INT(str_find_char(kuscia_task_id(&w.a, &w.job, t), '.'), -1);
    const struct json *party = &json_path(&task, "spec", "parties", NULL)->items[0];
    const struct json *container = &json_path(party, "template", "spec", "containers", NULL)->items[1];
    T_EQ_STR(json_get_str(container, S("name")), "d");
    T_EQ_STR(json_text(&w.a, json_path(container, "resources", "requests", NULL)), "{\"cpu\":\"250m\",\"memory\":\"268435456\",\"kuscia.io/bandwidth\":\"3\"}");
    T_EQ_INT(json_get_int(json_path(&task, "spec", "scheduleConfig", NULL), S("lifecycleSeconds"), 0), 9);
    /* a job that accepts what is lent: its tasks do, and their pods */
    T_OK(!json_get(json_path(&task, "metadata", "annotations", NULL), S("cox.io/bandwidth-lend")));
    json_set(&w.a, json_ensure_object(&w.a, json_get(&w.job, S("metadata")), S("annotations")), S("cox.io/bandwidth-lend"), json_string(S("accept")));
    task = kuscia_job_task(&w.a, &w.job, t, &image);
    T_EQ_STR(json_get_str(json_path(&task, "metadata", "annotations", NULL), S("cox.io/bandwidth-lend")), "accept");
    T_OK(!kuscia_template(&image, S("third")));
    T_OK(kuscia_template(&image, S("")) != NULL);
    arena_fini(&w.a);
}

/* As look, with bob wanting to be asked. */
static str look_asked(struct world *w)
{
    struct json asked = json_literal(&w->a, "[\"bob\"]");
    struct kuscia_job_in in = {.job = &w->job, .tasks = w->found, .now = S(NOW), .missing = S(""), .asked = &asked};
    kuscia_job_plan(&w->a, &in, &w->plan);
    json_set(&w->a, &w->job, S("status"), w->plan.status);
    return status(w, "phase");
}

TEST(no_command_answers_for_a_domain)
{
    struct world w;
    world_init(&w, "{\"initiator\":\"alice\",\"tasks\":[" TASK("a", "") "]}");
    T_EQ_STR(look_asked(&w), "AwaitingApproval");
    set_label(&w, "Stop");
    T_EQ_STR(look_asked(&w), "Failed");
    set_label(&w, "Restart");
    T_EQ_STR(look_asked(&w), "AwaitingApproval");
    T_EQ_STR(status(&w, "message"), "waits for the answer of bob");
    T_OK(w.plan.restarted && !status(&w, "completionTime").len);
    arena_fini(&w.a);
    /* one that was stopped before anybody looked at it is looked at */
    world_init(&w, "{\"initiator\":\"alice\",\"tasks\":[" TASK("a", "") "]}");
    set_label(&w, "Stop");
    T_EQ_STR(look_asked(&w), "Failed");
    set_label(&w, "Restart");
    T_EQ_STR(look_asked(&w), "initialized");
    set_label(&w, "Start");
    T_EQ_STR(look_asked(&w), "AwaitingApproval");
    arena_fini(&w.a);
}

TEST(a_restart_whose_label_was_not_written_is_one_restart)
{
    struct world w;
    world_init(&w, "{\"initiator\":\"alice\",\"tasks\":[" TASK("a", "") "]}");
    settle(&w);
    set_task(&w, 0, "Failed");
    T_EQ_STR(settle(&w), "Failed");
    set_label(&w, "Restart");
    T_EQ_STR(look(&w), "Running");
    set_label(&w, "Restart"); /* the controller ended before it wrote Start */
    look(&w);
    T_OK(w.plan.restarted);
    set_task(&w, 0, "Failed");
    T_EQ_STR(settle(&w), "Failed");
    arena_fini(&w.a);
}

TEST(domains_whose_names_begin_alike_are_all_waited_for)
{
    struct world w;
    struct json asked;
    world_init(&w, "{\"initiator\":\"alice\",\"tasks\":[{\"alias\":\"a\",\"parties\":[{\"domainID\":\"bobby\"},{\"domainID\":\"bob\"},{\"domainID\":\"bob\",\"role\":\"r\"}]}]}");
    asked = json_literal(&w.a, "[\"bob\",\"bobby\"]");
    struct kuscia_job_in in = {.job = &w.job, .tasks = w.found, .now = S(NOW), .missing = S(""), .asked = &asked};
    kuscia_job_plan(&w.a, &in, &w.plan);
    T_EQ_STR(json_get_str(&w.plan.status, S("message")), "waits for the answer of bobby, bob");
    arena_fini(&w.a);
}

TEST_MAIN(a_job_runs_through, what_is_missing_is_waited_for, a_phase_that_is_none, domains_that_want_to_be_asked, priorities_and_how_many_at_once, strict_and_best_effort, one_command_over_another, commands, random_graphs, tasks_of_a_job, no_command_answers_for_a_domain,
          a_restart_whose_label_was_not_written_is_one_restart, domains_whose_names_begin_alike_are_all_waited_for)
