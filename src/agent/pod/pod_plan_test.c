/* Every rule of the pod state machine as a row: what the pod is, what is seen, what is to be done and said.
 *
 * A row's seen: words.  "now=N" seconds; "sandbox", "busy", "torn", "deleting=N", "grace=N", "fail=REASON", "retry=N", "disrupt"; and containers as NAME:PART,PART...:
 * none start fail run stop exit=CODE; starts=N quick=N at=N last=CODE retry=N why=REASON sgrace=N; live-bad up-ok up-bad ready-ok ready-bad hook replaced stale.
 * Expected actions: "START a", "KILL a 30", "SETUP", "TEARDOWN", "DELETE", "@N" for wake_at; "-" for none.
 * Expected status: phase, then + - for Ready, Initialized (R I), then NAME=state, with ! when ready, ^ when started, REASON after a colon, *N for restartCount. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_plan.h"

#include "base/civil.h"
#include "base/test.h"

#define WALL (1700000000ll * NSEC_PER_SEC)

static struct json tree(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return json_literal(a, copy);
}

static struct json make_pod(struct arena *a, const char *spec, const char *status)
{
    return tree(a, arena_fmt(a, "{'metadata':{'name':'p','namespace':'ns','uid':'u'},'spec':%s,'status':%s}", spec, status ? status : "{'phase':'Pending'}").p);
}

static bool number(str word, const char *key, int64_t *ret)
{
    return str_has_prefix(word, str_of(key)) && str_to_i64(str_from(word, strlen(key)), ret);
}

static void set_container(struct arena *a, struct container_seen *c, str parts)
{
    str part;
    int64_t n;
    static const struct {
        const char *word;
        enum container_phase phase;
    } phases[] = {{"none", CONTAINER_PHASE_NONE}, {"start", CONTAINER_PHASE_STARTING}, {"fail", CONTAINER_PHASE_FAILED}, {"run", CONTAINER_PHASE_RUNNING}, {"stop", CONTAINER_PHASE_STOPPING}};
    for (bool more = true; more;) {
        more = str_cut(&parts, ',', &part);
        for (size_t i = 0; i < ARRAY_LEN(phases); i++)
            if (str_is(part, phases[i].word)) {
                c->phase = phases[i].phase;
                c->starts = c->phase >= CONTAINER_PHASE_RUNNING ? 1 : c->starts;
            }
        if (number(part, "exit=", &n)) {
            c->phase = CONTAINER_PHASE_EXITED;
            c->starts = 1;
            c->quick_exits = 1;
            c->end = (struct container_end){.exit_code = (int)n, .started_at = WALL, .finished_at = WALL + NSEC_PER_SEC};
        } else if (number(part, "last=", &n)) {
            c->has_last = true;
            c->last = (struct container_end){.exit_code = (int)n, .started_at = WALL, .finished_at = WALL};
        } else if (number(part, "starts=", &n)) {
            c->starts = (uint32_t)n;
        } else if (number(part, "quick=", &n)) {
            c->quick_exits = (uint32_t)n;
        } else if (number(part, "at=", &n)) {
            c->exited_at = n * NSEC_PER_SEC;
        } else if (number(part, "retry=", &n)) {
            c->retry_at = n * NSEC_PER_SEC;
        } else if (number(part, "sgrace=", &n)) {
            c->stop_grace_s = n;
        } else if (str_has_prefix(part, S("why="))) {
            c->waiting_reason = arena_str(a, str_from(part, 4));
        }
        c->liveness = str_is(part, "live-bad") ? PROBE_BAD : c->liveness;
        c->startup = str_is(part, "up-bad") ? PROBE_BAD : str_is(part, "up-ok") ? PROBE_OK : c->startup;
        c->readiness = str_is(part, "ready-bad") ? PROBE_BAD : str_is(part, "ready-ok") ? PROBE_OK : c->readiness;
        c->post_start_pending |= str_is(part, "hook");
        c->is_replaced |= str_is(part, "replaced");
        c->is_stale |= str_is(part, "stale");
    }
}

static void set_pod(struct arena *a, struct pod_seen *s, str word)
{
    int64_t n;
    s->has_sandbox |= str_is(word, "sandbox");
    s->busy |= str_is(word, "busy");
    s->torn_down |= str_is(word, "torn");
    s->disruption_target |= str_is(word, "disrupt");
    if (number(word, "now=", &n)) {
        s->now = n * NSEC_PER_SEC;
        s->wall = WALL + n * NSEC_PER_SEC;
    }
    s->deleting_since = number(word, "deleting=", &n) ? n * NSEC_PER_SEC : s->deleting_since;
    s->grace_s = number(word, "grace=", &n) ? n : s->grace_s;
    s->setup_retry_at = number(word, "retry=", &n) ? n * NSEC_PER_SEC : s->setup_retry_at;
    if (str_has_prefix(word, S("fail="))) {
        s->fail_reason = arena_str(a, str_from(word, 5));
        s->fail_message = S("because");
    }
}

static struct pod_seen make_seen(struct arena *a, const struct json *pod, const char *text)
{
    struct pod_seen s = {.now = 100 * NSEC_PER_SEC, .wall = WALL + 100 * NSEC_PER_SEC, .started_at = WALL, .host_ip = S("10.0.0.9")};
    s.ncontainers = pod_seen_containers(a, pod, &s.containers);
    str rest = str_of(text), word;
    for (bool more = true; more;) {
        more = str_cut(&rest, ' ', &word);
        ptrdiff_t colon = str_find_char(word, ':');
        if (colon < 0)
            set_pod(a, &s, word);
        for (size_t i = 0; colon > 0 && i < s.ncontainers; i++)
            if (str_eq(s.containers[i].name, str_sub(word, 0, (size_t)colon)))
                set_container(a, &s.containers[i], str_from(word, (size_t)colon + 1));
    }
    return s;
}

static str describe_actions(struct arena *a, const struct pod_plan *p, const struct pod_seen *s)
{
    static const char *const names[] = {"SETUP", "START", "KILL", "TEARDOWN", "DELETE"};
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < p->nactions; i++) {
        const struct pod_action *x = &p->actions[i];
        strbuf_addf(&b, "%s%s", b.len ? ", " : "", names[x->act]);
        if (x->act == POD_ACT_START || x->act == POD_ACT_KILL)
            strbuf_addf(&b, " " STR_FMT, STR_ARG(s->containers[x->container].name));
        if (x->act == POD_ACT_KILL)
            strbuf_addf(&b, " %lld", (long long)x->grace_s);
    }
    if (p->wake_at)
        strbuf_addf(&b, "%s@%lld", b.len ? " " : "", (long long)(p->wake_at / NSEC_PER_SEC));
    return b.len ? strbuf_str(&b) : S("-");
}

static char condition_sign(const struct json *status, const char *type)
{
    const struct json *all = json_get(status, S("conditions"));
    for (uint32_t i = 0; all && i < all->len; i++)
        if (str_is(json_get_str(&all->items[i], S("type")), type))
            return str_is(json_get_str(&all->items[i], S("status")), "True") ? '+' : '-';
    return '?';
}

static void describe_containers(struct strbuf *b, const struct json *all)
{
    for (uint32_t i = 0; all && i < all->len; i++) {
        const struct json *c = &all->items[i], *state = json_get(c, S("state"));
        str name = json_get_str(c, S("name")), kind = state && state->len == 1 ? state->members[0].key : S("?");
        str reason = state && state->len == 1 ? json_get_str(&state->members[0].value, S("reason")) : S("");
        strbuf_addf(b, " " STR_FMT "=" STR_FMT "%s%s", STR_ARG(name), STR_ARG(kind), json_get_bool(c, S("ready"), false) ? "!" : "", json_get_bool(c, S("started"), false) ? "^" : "");
        if (reason.len)
            strbuf_addf(b, ":" STR_FMT, STR_ARG(reason));
        int64_t n = json_get_int(c, S("restartCount"), -1);
        if (n)
            strbuf_addf(b, "*%lld", (long long)n);
    }
}

static str describe_status(struct arena *a, const struct json *status)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, json_get_str(status, S("phase")));
    str reason = json_get_str(status, S("reason"));
    if (reason.len)
        strbuf_addf(&b, ":" STR_FMT, STR_ARG(reason));
    strbuf_addf(&b, " R%cI%c", condition_sign(status, "Ready"), condition_sign(status, "Initialized"));
    describe_containers(&b, json_get(status, S("initContainerStatuses")));
    describe_containers(&b, json_get(status, S("containerStatuses")));
    describe_containers(&b, json_get(status, S("ephemeralContainerStatuses")));
    return strbuf_str(&b);
}

struct row {
    const char *spec, *seen, *actions, *status, *old;
};

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json pod = make_pod(&a, rows[i].spec, rows[i].old);
        struct pod_seen seen = make_seen(&a, &pod, rows[i].seen);
        struct pod_plan p, again;
        pod_plan(&a, &pod, &seen, &p);
        pod_plan(&a, &pod, &seen, &again);
        str actions = describe_actions(&a, &p, &seen), status = describe_status(&a, &p.status);
        if (!str_is(actions, rows[i].actions))
            T_FAIL_("row %zu (%s): actions are\n#   " STR_FMT ", expected\n#   %s", i, rows[i].seen, STR_ARG(actions), rows[i].actions);
        if (rows[i].status && !str_is(status, rows[i].status))
            T_FAIL_("row %zu (%s): status is\n#   " STR_FMT ", expected\n#   %s", i, rows[i].seen, STR_ARG(status), rows[i].status);
        T_OK(str_eq(describe_actions(&a, &again, &seen), actions));
        T_OK(str_eq(json_text(&a, &again.status), json_text(&a, &p.status)));
    }
}
#define CHECK(rows) check_rows(rows, ARRAY_LEN(rows))

#define ONE "{'containers':[{'name':'a','image':'i'}]}"
#define ONE_NEVER "{'restartPolicy':'Never','containers':[{'name':'a'}]}"
#define ONE_FAILURE "{'restartPolicy':'OnFailure','containers':[{'name':'a'}]}"
#define TWO "{'containers':[{'name':'a'},{'name':'b'}]}"

TEST(one_container)
{
    static const struct row rows[] = {
        {ONE, "", "SETUP", "Pending R-I+ a=waiting:ContainerCreating", NULL},
        {ONE, "busy", "-", "Pending R-I+ a=waiting:ContainerCreating", NULL},
        {ONE, "retry=110", "@110", NULL, NULL},
        {ONE, "retry=100", "SETUP", NULL, NULL},
        {ONE, "sandbox", "START a", "Pending R-I+ a=waiting:ContainerCreating", NULL},
        {ONE, "sandbox a:start,why=ContainerCreating", "-", "Pending R-I+ a=waiting:ContainerCreating", NULL},
        {ONE, "sandbox a:fail,why=ErrImagePull,retry=130", "@130", "Pending R-I+ a=waiting:ErrImagePull", NULL},
        {ONE, "sandbox a:fail,why=ErrImagePull,retry=99", "START a", "Pending R-I+ a=waiting:ErrImagePull", NULL},
        {ONE, "sandbox a:run", "-", "Running R+I+ a=running!^", NULL},
        {ONE, "sandbox a:run,hook", "-", "Running R-I+ a=running", NULL},
        {ONE, "sandbox a:run,starts=4,last=1", "-", "Running R+I+ a=running!^*3", NULL},
        {TWO, "sandbox", "START a, START b", NULL, NULL},
        {TWO, "sandbox a:run", "START b", "Pending R-I+ a=running!^ b=waiting:ContainerCreating", NULL},
        {TWO, "sandbox a:run b:start", "-", NULL, NULL},
        {TWO, "sandbox a:run b:run", "-", "Running R+I+ a=running!^ b=running!^", NULL},
    };
    CHECK(rows);
}

TEST(restart_policies)
{
    static const struct row rows[] = {
        {ONE, "sandbox a:exit=0", "START a", "Running R-I+ a=terminated:Completed", NULL},
        {ONE, "sandbox a:exit=1", "START a", "Running R-I+ a=terminated:Error", NULL},
        {ONE, "sandbox a:exit=1,quick=2,at=95,starts=2", "@105", "Running R-I+ a=waiting:CrashLoopBackOff*1", NULL},
        {ONE, "sandbox a:exit=0,quick=3,at=95,starts=3", "@115", "Running R-I+ a=waiting:CrashLoopBackOff*2", NULL},
        {ONE, "sandbox a:exit=1,quick=2,at=90,starts=2", "START a", "Running R-I+ a=waiting:CrashLoopBackOff*1", NULL},
        {ONE, "sandbox a:start,starts=2,last=1,why=CrashLoopBackOff", "-", "Running R-I+ a=waiting:CrashLoopBackOff*1", NULL},
        {ONE, "sandbox a:none,starts=1", "START a", "Running R-I+ a=terminated:ContainerStatusUnknown", NULL},
        {ONE_FAILURE, "sandbox a:exit=0", "TEARDOWN", "Succeeded R-I+ a=terminated:Completed", NULL},
        {ONE_FAILURE, "sandbox a:exit=3", "START a", "Running R-I+ a=terminated:Error", NULL},
        {ONE_FAILURE, "sandbox a:exit=3,quick=2,at=95", "@105", "Running R-I+ a=waiting:CrashLoopBackOff", NULL},
        {ONE_FAILURE, "sandbox a:exit=0,live-bad", "START a", "Running R-I+ a=terminated:Completed", NULL},
        {ONE_NEVER, "sandbox a:exit=0", "TEARDOWN", "Succeeded R-I+ a=terminated:Completed", NULL},
        {ONE_NEVER, "sandbox a:exit=3", "TEARDOWN", "Failed R-I+ a=terminated:Error", NULL},
        {ONE_NEVER, "sandbox busy a:exit=3", "-", "Failed R-I+ a=terminated:Error", NULL},
        {ONE_NEVER, "torn a:exit=3", "-", "Failed R-I+ a=terminated:Error", NULL},
        {ONE_NEVER, "sandbox a:none,starts=1", "TEARDOWN", "Failed R-I+ a=terminated:ContainerStatusUnknown", NULL},
        {"{'restartPolicy':'OnFailure','containers':[{'name':'a'},{'name':'b'}]}", "sandbox a:exit=0 b:run", "-", "Running R-I+ a=terminated:Completed b=running!^", NULL},
        {"{'restartPolicy':'Never','containers':[{'name':'a'},{'name':'b'}]}", "sandbox a:exit=1 b:run", "-", "Running R-I+ a=terminated:Error b=running!^", NULL},
        {"{'restartPolicy':'Never','containers':[{'name':'a'},{'name':'b'}]}", "sandbox a:exit=1 b:exit=0", "TEARDOWN", "Failed R-I+ a=terminated:Error b=terminated:Completed", NULL},
        {"{'restartPolicy':'Never','containers':[{'name':'a'},{'name':'b'}]}", "sandbox a:exit=0 b:exit=0", "TEARDOWN", "Succeeded R-I+ a=terminated:Completed b=terminated:Completed", NULL},
        {"{'restartPolicy':'Never','containers':[{'name':'a'},{'name':'b'}]}", "sandbox a:exit=0 b:fail,retry=120,why=ErrImagePull", "@120",
         "Pending R-I+ a=terminated:Completed b=waiting:ErrImagePull", NULL},
    };
    CHECK(rows);
}

#define INITS "{'initContainers':[{'name':'x'},{'name':'y'}],'containers':[{'name':'a'}]}"
#define INITS_NEVER "{'restartPolicy':'Never','initContainers':[{'name':'x'},{'name':'y'}],'containers':[{'name':'a'}]}"

TEST(init_containers)
{
    static const struct row rows[] = {
        {INITS, "", "SETUP", "Pending R-I- x=waiting:PodInitializing y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS, "sandbox", "START x", NULL, NULL},
        {INITS, "sandbox x:start", "-", NULL, NULL},
        {INITS, "sandbox x:run", "-", "Pending R-I- x=running^ y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS, "sandbox x:exit=0", "START y", "Pending R-I- x=terminated!:Completed y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS, "sandbox x:exit=1", "START x", "Pending R-I- x=terminated:Error y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS, "sandbox x:exit=1,quick=2,at=99", "@109", "Pending R-I- x=waiting:CrashLoopBackOff y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS, "sandbox x:exit=0 y:fail,why=ErrImagePull,retry=120", "@120", NULL, NULL},
        {INITS, "sandbox x:exit=0 y:exit=0", "START a", "Pending R-I+ x=terminated!:Completed y=terminated!:Completed a=waiting:PodInitializing", NULL},
        {INITS, "sandbox x:exit=0 y:exit=0 a:run", "-", "Running R+I+ x=terminated!:Completed y=terminated!:Completed a=running!^", NULL},
        {INITS, "sandbox x:exit=0 y:exit=0 a:exit=1", "START a", NULL, NULL},
        {INITS_NEVER, "sandbox x:exit=1", "TEARDOWN", "Failed R-I- x=terminated:Error y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {INITS_NEVER, "sandbox x:exit=0", "START y", NULL, NULL},
        {INITS_NEVER, "torn x:exit=0 y:exit=7", "-", "Failed R-I- x=terminated!:Completed y=terminated:Error a=waiting:PodInitializing", NULL},
    };
    CHECK(rows);
}

#define SIDE "{'initContainers':[{'name':'x'},{'name':'s','restartPolicy':'Always'},{'name':'y'}],'containers':[{'name':'a'}]}"
#define SIDES_NEVER                                                                                                                                                                                              \
    "{'restartPolicy':'Never','initContainers':[{'name':'s','restartPolicy':'Always'},{'name':'t','restartPolicy':'Always','startupProbe':{'terminationGracePeriodSeconds':3}}],'containers':[{'name':'a'}]}"

TEST(sidecars)
{
    static const struct row rows[] = {
        {SIDE, "sandbox x:exit=0", "START s", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:run,hook", "-", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:run", "START y", "Pending R-I- x=terminated!:Completed s=running!^ y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        {SIDE, "sandbox x:exit=0 s:exit=0 y:run", "START s", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:exit=0 y:exit=0", "START s, START a", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:exit=1,quick=2,at=99 y:exit=1", "START y @109", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:run y:exit=0 a:run", "-", "Running R+I+ x=terminated!:Completed s=running!^ y=terminated!:Completed a=running!^", NULL},
        {SIDE, "sandbox x:exit=0 s:exit=1 y:exit=0 a:run", "START s", "Running R-I+ x=terminated!:Completed s=terminated:Error y=terminated!:Completed a=running!^", NULL},
        {SIDE, "sandbox x:exit=0 s:run,live-bad y:exit=0 a:run", "KILL s 30", NULL, NULL},
        {SIDES_NEVER, "sandbox s:run t:run", "-", "Pending R-I- s=running!^ t=running a=waiting:PodInitializing", NULL},
        {SIDES_NEVER, "sandbox s:run t:run,up-bad", "KILL t 3", NULL, NULL},
        {SIDES_NEVER, "sandbox s:run t:run,up-ok", "START a", "Pending R-I+ s=running!^ t=running!^ a=waiting:PodInitializing", NULL},
        {SIDES_NEVER, "sandbox s:exit=1 t:run,up-ok a:run", "START s", NULL, NULL},
        /* the last first, when the main container is through */
        {SIDES_NEVER, "now=1 sandbox s:run t:run,up-ok a:exit=0", "KILL t 30 @31", "Running R-I+ s=running!^ t=running!^ a=terminated:Completed", NULL},
        {SIDES_NEVER, "now=1 sandbox s:run t:stop,up-ok a:exit=0", "@31", NULL, NULL},
        {SIDES_NEVER, "now=2 sandbox s:run t:exit=143 a:exit=0", "KILL s 29", NULL, NULL},
        {SIDES_NEVER, "now=100 sandbox s:run t:run a:exit=0", "KILL t 2, KILL s 2", NULL, NULL},
        {SIDES_NEVER, "sandbox s:exit=143 t:exit=143 a:exit=0", "TEARDOWN", "Succeeded R-I+ s=terminated:Error t=terminated:Error a=terminated:Completed", NULL},
        {SIDES_NEVER, "sandbox s:exit=143 t:exit=143 a:exit=1", "TEARDOWN", "Failed R-I+ s=terminated:Error t=terminated:Error a=terminated:Error", NULL},
        /* a failed init container ends the pod: Failed is not told before the sidecar is gone */
        {"{'restartPolicy':'Never','initContainers':[{'name':'s','restartPolicy':'Always'},{'name':'x'}],'containers':[{'name':'a'}]}", "sandbox s:run x:exit=1", "KILL s 30",
         "Pending R-I- s=running!^ x=terminated:Error a=waiting:PodInitializing", NULL},
        {"{'restartPolicy':'Never','initContainers':[{'name':'s','restartPolicy':'Always'},{'name':'x'}],'containers':[{'name':'a'}]}", "sandbox s:exit=143 x:exit=1", "TEARDOWN",
         "Failed R-I- s=terminated:Error x=terminated:Error a=waiting:PodInitializing", NULL},
    };
    CHECK(rows);
}

TEST(changed_images)
{
    static const struct row rows[] = {
        {ONE, "sandbox a:run,replaced", "KILL a 30", "Running R+I+ a=running!^", NULL},
        {ONE, "sandbox a:stop,replaced,sgrace=30", "-", NULL, NULL},
        {ONE, "sandbox a:exit=143,replaced", "START a", NULL, NULL},
        /* whatever the policy, and however it ended */
        {ONE_NEVER, "sandbox a:run,replaced", "KILL a 30", NULL, NULL},
        {ONE_NEVER, "sandbox a:exit=0,replaced", "START a", "Running R-I+ a=waiting:ContainerCreating", NULL},
        {ONE_FAILURE, "sandbox a:exit=0,replaced", "START a", NULL, NULL},
        /* a pod that goes has no new containers */
        {ONE, "deleting=90 grace=30 sandbox a:run,replaced", "KILL a 30", NULL, NULL},
        {ONE, "deleting=90 grace=30 sandbox a:exit=143,replaced", "TEARDOWN", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:run,replaced y:exit=0 a:run", "KILL s 30", NULL, NULL},
        {INITS, "sandbox x:run,replaced", "-", NULL, NULL},
    };
    CHECK(rows);
}

/* The machine was restarted, or its files were lost: a new sandbox, and init containers before the rest. */
TEST(lost_sandboxes)
{
    static const struct row rows[] = {
        {ONE, "a:exit=137,stale", "SETUP", NULL, NULL},
        {ONE, "sandbox a:exit=137,stale,starts=3", "START a", NULL, NULL},
        {ONE, "sandbox a:exit=137,stale,quick=2,at=95", "@105", NULL, NULL},
        {ONE_NEVER, "a:exit=137,stale", "TEARDOWN", "Failed R-I+ a=terminated:Error", NULL},
        {ONE_NEVER, "a:exit=0,stale", "TEARDOWN", "Succeeded R-I+ a=terminated:Completed", NULL},
        {INITS, "x:exit=0,stale y:exit=0,stale a:exit=137,stale", "SETUP", NULL, NULL},
        {INITS, "sandbox x:exit=0,stale y:exit=0,stale a:exit=137,stale", "START x", NULL, NULL},
        {INITS, "sandbox x:run,starts=2 y:exit=0,stale a:exit=137,stale", "-", NULL, NULL},
        {INITS, "sandbox x:exit=0 y:exit=0,stale a:exit=137,stale", "START y", NULL, NULL},
        {INITS, "sandbox x:exit=0 y:exit=0 a:exit=137,stale", "START a", NULL, NULL},
        {SIDE, "sandbox x:exit=0,stale s:exit=137,stale y:exit=0,stale a:exit=137,stale", "START x", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:exit=137,stale y:exit=0,stale a:exit=137,stale", "START s", NULL, NULL},
        {SIDE, "sandbox x:exit=0 s:run y:exit=0,stale a:exit=137,stale", "START y", NULL, NULL},
    };
    CHECK(rows);
}

TEST(probes)
{
    static const struct row rows[] = {
        {"{'containers':[{'name':'a','readinessProbe':{}}]}", "sandbox a:run", "-", "Running R-I+ a=running^", NULL},
        {"{'containers':[{'name':'a','readinessProbe':{}}]}", "sandbox a:run,ready-ok", "-", "Running R+I+ a=running!^", NULL},
        {"{'containers':[{'name':'a','readinessProbe':{}}]}", "sandbox a:run,ready-bad", "-", "Running R-I+ a=running^", NULL},
        {"{'containers':[{'name':'a'}]}", "sandbox a:run,hook", "-", "Running R-I+ a=running", NULL},
        {"{'containers':[{'name':'a'}]}", "sandbox a:stop,hook", "-", "Running R-I+ a=running", NULL}, /* the hook failed, the kill is under way */
        {"{'containers':[{'name':'a','startupProbe':{}}]}", "sandbox a:run", "-", "Running R-I+ a=running", NULL},
        {"{'containers':[{'name':'a','startupProbe':{}}]}", "sandbox a:run,up-ok", "-", "Running R+I+ a=running!^", NULL},
        {"{'containers':[{'name':'a','startupProbe':{}}]}", "sandbox a:run,up-bad", "KILL a 30", NULL, NULL},
        {"{'terminationGracePeriodSeconds':7,'containers':[{'name':'a','livenessProbe':{}}]}", "sandbox a:run,live-bad", "KILL a 7", NULL, NULL},
        {"{'terminationGracePeriodSeconds':7,'containers':[{'name':'a','livenessProbe':{'terminationGracePeriodSeconds':1}}]}", "sandbox a:run,live-bad", "KILL a 1", NULL, NULL},
        {"{'containers':[{'name':'a','livenessProbe':{}}]}", "sandbox a:stop,live-bad", "-", "Running R+I+ a=running!^", NULL},
        {"{'containers':[{'name':'a','livenessProbe':{}}]}", "sandbox a:exit=0,live-bad", "START a", NULL, NULL},
        {"{'restartPolicy':'Never','containers':[{'name':'a','livenessProbe':{}}]}", "sandbox a:exit=0,live-bad", "TEARDOWN", NULL, NULL},
    };
    CHECK(rows);
}

TEST(deletion)
{
    static const struct row rows[] = {
        {ONE, "deleting=99 grace=30", "TEARDOWN", "Failed R-I+ a=terminated:ContainerStatusUnknown", NULL},
        {ONE, "busy deleting=99 grace=30", "-", NULL, NULL},
        {ONE, "torn deleting=99 grace=30", "DELETE", NULL, NULL},
        {ONE, "torn busy deleting=99 grace=30", "-", NULL, NULL},
        {ONE, "sandbox a:run deleting=99 grace=30", "KILL a 30", "Running R+I+ a=running!^", NULL},
        {ONE, "sandbox a:start deleting=99 grace=30", "-", NULL, NULL},
        {ONE, "sandbox a:stop,sgrace=30 deleting=99 grace=30", "-", NULL, NULL},
        {ONE, "sandbox a:stop,sgrace=30 deleting=99 grace=0", "KILL a 0", NULL, NULL},
        {ONE, "sandbox a:stop,sgrace=0 deleting=99 grace=0", "-", NULL, NULL},
        {ONE, "sandbox a:exit=0 deleting=99 grace=30", "TEARDOWN", "Succeeded R-I+ a=terminated:Completed", NULL},
        {ONE, "sandbox a:exit=137,quick=5,at=99 deleting=99 grace=30", "TEARDOWN", "Failed R-I+ a=terminated:Error", NULL},
        {ONE, "sandbox a:fail,retry=1,last=2,starts=1 deleting=99 grace=30", "TEARDOWN", "Failed R-I+ a=terminated:Error", NULL},
        {ONE, "torn a:exit=137 deleting=99 grace=30", "DELETE", NULL, NULL},
        {ONE_NEVER, "torn a:exit=0 deleting=99 grace=30", "DELETE", "Succeeded R-I+ a=terminated:Completed", "{'phase':'Succeeded'}"},
        {INITS, "sandbox x:run deleting=99 grace=30", "KILL x 30", NULL, NULL},
        {INITS, "sandbox x:exit=143 deleting=99 grace=30", "TEARDOWN", "Failed R-I- x=terminated:Error y=waiting:PodInitializing a=waiting:PodInitializing", NULL},
        /* sidecars wait for the main container, until the grace period is over */
        {SIDE, "sandbox x:exit=0 y:exit=0 s:run a:run deleting=99 grace=30", "KILL a 30 @129", NULL, NULL},
        {SIDE, "sandbox x:exit=0 y:exit=0 s:run a:stop,sgrace=30 deleting=99 grace=30", "@129", NULL, NULL},
        {SIDE, "sandbox x:exit=0 y:exit=0 s:run a:stop,sgrace=30 deleting=70 grace=30", "KILL s 2", NULL, NULL},
        {SIDE, "sandbox x:exit=0 y:exit=0 s:run a:exit=143 deleting=90 grace=30", "KILL s 20", NULL, NULL},
        {SIDE, "sandbox x:exit=0 y:exit=0 s:run a:run deleting=99 grace=0", "KILL a 0, KILL s 0", NULL, NULL},
        {"{'containers':[{'name':'a'}],'ephemeralContainers':[{'name':'d'}]}", "sandbox a:exit=0 d:run deleting=99 grace=5", "KILL d 5", NULL, NULL},
    };
    CHECK(rows);
}

#define DEADLINE "{'activeDeadlineSeconds':60,'terminationGracePeriodSeconds':9,'containers':[{'name':'a'}]}"

TEST(verdicts_of_the_node)
{
    static const struct row rows[] = {
        {ONE, "fail=OutOfcpu", "TEARDOWN", "Failed:OutOfcpu R-I+", NULL},
        {ONE, "torn fail=OutOfcpu", "-", "Failed:OutOfcpu R-I+", NULL},
        {ONE, "sandbox a:run fail=Evicted grace=0 disrupt", "KILL a 0", "Running R+I+ a=running!^", "{'phase':'Running'}"},
        {ONE, "sandbox a:stop fail=Evicted grace=0 disrupt", "-", "Running R+I+ a=running!^", "{'phase':'Running'}"},
        {ONE, "sandbox a:exit=137 fail=Evicted grace=0 disrupt", "TEARDOWN", "Failed:Evicted R-I+ a=terminated:Error", "{'phase':'Running'}"},
        {ONE, "sandbox a:exit=0 fail=Evicted grace=0 disrupt", "TEARDOWN", "Failed:Evicted R-I+ a=terminated:Completed", "{'phase':'Running'}"},
        {ONE, "sandbox fail=Evicted", "TEARDOWN", "Failed:Evicted R-I+ a=terminated:ContainerStatusUnknown", NULL},
        {DEADLINE, "now=59 sandbox a:run", "@60", "Running R+I+ a=running!^", NULL},
        {DEADLINE, "now=60 sandbox a:run", "KILL a 9", NULL, NULL},
        {DEADLINE, "now=70 sandbox a:exit=143", "TEARDOWN", "Failed:DeadlineExceeded R-I+ a=terminated:Error", NULL},
        {DEADLINE, "now=70 sandbox a:run", "@120", NULL, "{'startTime':'2023-11-14T22:14:20Z'}"}, /* 60 s later than the others */
        /* reported before: nothing changes it, nothing runs again */
        {ONE, "", "TEARDOWN", "Failed:Evicted R-I+ a=terminated:ContainerStatusUnknown", "{'phase':'Failed','reason':'Evicted'}"},
        {ONE, "torn", "-", "Succeeded R-I+ a=terminated:Completed*2",
         "{'phase':'Succeeded','containerStatuses':[{'name':'a','restartCount':2,'state':{'terminated':{'exitCode':0,'reason':'Completed'}}}]}"},
        {ONE, "sandbox a:run", "KILL a 30", "Failed R-I+ a=running!^", "{'phase':'Failed'}"},
    };
    CHECK(rows);
}

TEST(ephemeral_containers)
{
    static const char spec[] = "{'initContainers':[{'name':'x'}],'containers':[{'name':'a'}],'ephemeralContainers':[{'name':'d'}]}";
    static const struct row rows[] = {
        {spec, "sandbox x:run", "START d", NULL, NULL},
        {spec, "sandbox x:exit=0 a:run d:run", "-", "Running R+I+ x=terminated!:Completed a=running!^ d=running!^", NULL},
        {spec, "sandbox x:exit=0 a:run d:exit=1", "-", "Running R+I+ x=terminated!:Completed a=running!^ d=terminated:Error", NULL},
        {spec, "sandbox x:exit=0 a:run d:fail,retry=105,why=ErrImagePull", "@105", NULL, NULL},
    };
    CHECK(rows);
}

TEST(backoff)
{
    static const int seconds[] = {0, 0, 10, 20, 40, 80, 160, 300, 300, 300};
    for (uint32_t i = 0; i < ARRAY_LEN(seconds); i++)
        T_EQ_INT(pod_backoff_ns(i) / NSEC_PER_SEC, seconds[i]);
    T_EQ_INT(pod_backoff_ns(UINT32_MAX) / NSEC_PER_SEC, 300);
    T_EQ_INT(pod_quick_exits(0, 0), 1);
    T_EQ_INT(pod_quick_exits(4, 599 * NSEC_PER_SEC), 5);
    T_EQ_INT(pod_quick_exits(4, 600 * NSEC_PER_SEC), 1);
}

TEST(sentences)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = make_pod(&a, ONE, NULL);
    struct pod_seen s = make_seen(&a, &pod, "sandbox a:exit=1,quick=5,at=99,starts=5");
    struct pod_plan p;
    pod_plan(&a, &pod, &s, &p);
    const struct json *c = &json_get(&p.status, S("containerStatuses"))->items[0];
    T_EQ_STR(json_get_str(json_path(c, "state", "waiting", NULL), S("message")), "back-off 1m20s restarting failed container=a pod=p_ns(u)");
    T_EQ_INT(json_get_int(json_path(c, "lastState", "terminated", NULL), S("exitCode"), -1), 1);
    T_EQ_STR(json_get_str(c, S("image")), "i");
    T_EQ_STR(json_get_str(&p.status, S("startTime")), "2023-11-14T22:13:20Z");
    T_EQ_STR(json_get_str(&p.status, S("hostIP")), "10.0.0.9");
    T_OK(!json_get(&p.status, S("podIP")));

    pod = make_pod(&a, "{'containers':[{'name':'a','livenessProbe':{}}]}", NULL);
    s = make_seen(&a, &pod, "sandbox a:run,live-bad");
    pod_plan(&a, &pod, &s, &p);
    T_EQ_STR(p.actions[0].message, "Container a failed liveness probe, will be restarted");
    T_EQ_STR(str_of(p.actions[0].reason), "Killing");
    T_OK(p.probe[0]);
    s.deleting_since = 1;
    pod_plan(&a, &pod, &s, &p);
    T_EQ_STR(p.actions[0].message, "Stopping container a");

    pod = make_pod(&a, "{'hostNetwork':true,'initContainers':[{'name':'x'}],'containers':[{'name':'a'},{'name':'b'}]}", NULL);
    s = make_seen(&a, &pod, "sandbox x:run");
    s.setup_message = S("no such thing");
    pod_plan(&a, &pod, &s, &p);
    T_EQ_STR(json_get_str(&p.status, S("podIP")), "10.0.0.9");
    const struct json *conds = json_get(&p.status, S("conditions"));
    T_EQ_STR(json_get_str(&conds->items[0], S("type")), "PodReadyToStartContainers");
    T_EQ_STR(json_get_str(&conds->items[1], S("message")), "containers with incomplete status: [x]");
    T_EQ_STR(json_get_str(&conds->items[1], S("reason")), "ContainersNotInitialized");
    T_EQ_STR(json_get_str(&conds->items[2], S("message")), "containers with unready status: [a b]");
    T_EQ_STR(json_get_str(&conds->items[3], S("reason")), "ContainersNotReady");
    T_EQ_STR(json_get_str(&conds->items[4], S("type")), "PodScheduled");
    s.has_sandbox = false;
    s.containers[0].phase = CONTAINER_PHASE_NONE;
    s.containers[0].starts = 0;
    pod_plan(&a, &pod, &s, &p);
    T_EQ_STR(json_get_str(json_path(&json_get(&p.status, S("containerStatuses"))->items[0], "state", "waiting", NULL), S("message")), "no such thing");
}

static const struct json *condition(const struct json *status, const char *type)
{
    const struct json *all = json_get(status, S("conditions"));
    for (uint32_t i = 0; all && i < all->len; i++)
        if (str_is(json_get_str(&all->items[i], S("type")), type))
            return &all->items[i];
    return NULL;
}

TEST(conditions_keep_their_times)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json pod = make_pod(&a, "{'readinessGates':[{'conditionType':'g/x'},{'conditionType':'g/y'}],'containers':[{'name':'a'}]}",
                               "{'phase':'Running','reason':'R','message':'M','qosClass':'Burstable','conditions':["
                               "{'type':'g/y','status':'False','lastTransitionTime':'2020-01-01T00:00:00Z'},"
                               "{'type':'Ready','status':'False','lastTransitionTime':'2020-01-02T00:00:00Z'},"
                               "{'type':'ContainersReady','status':'False','lastTransitionTime':'2020-01-03T00:00:00Z'},"
                               "{'type':'DisruptionTarget','status':'True','reason':'EvictionByEvictionAPI'},"
                               "{'type':'PodScheduled','status':'True','lastTransitionTime':'2020-01-04T00:00:00Z'}]}");
    struct pod_seen s = make_seen(&a, &pod, "sandbox a:run");
    struct pod_plan p;
    pod_plan(&a, &pod, &s, &p);
    T_EQ_STR(json_get_str(condition(&p.status, "Ready"), S("lastTransitionTime")), "2020-01-02T00:00:00Z");
    T_EQ_STR(json_get_str(condition(&p.status, "Ready"), S("reason")), "ReadinessGatesNotReady");
    T_EQ_STR(json_get_str(condition(&p.status, "Ready"), S("message")),
             "corresponding condition of pod readiness gate \"g/x\" does not exist., the status of pod readiness gate \"g/y\" is not \"True\", but False");
    T_EQ_STR(json_get_str(condition(&p.status, "ContainersReady"), S("lastTransitionTime")), "2023-11-14T22:15:00Z");
    T_EQ_STR(json_get_str(condition(&p.status, "PodScheduled"), S("lastTransitionTime")), "2020-01-04T00:00:00Z");
    T_EQ_STR(json_get_str(condition(&p.status, "DisruptionTarget"), S("reason")), "EvictionByEvictionAPI");
    T_EQ_STR(json_get_str(condition(&p.status, "g/y"), S("lastTransitionTime")), "2020-01-01T00:00:00Z");
    T_EQ_STR(json_get_str(&p.status, S("qosClass")), "Burstable");
    T_EQ_STR(json_get_str(&p.status, S("reason")), "R");

    s.disruption_target = true;
    s.fail_reason = S("Evicted");
    s.fail_message = S("The node was low on resource: memory.");
    s.containers[0].phase = CONTAINER_PHASE_EXITED;
    pod_plan(&a, &pod, &s, &p);
    T_OK(p.is_terminal);
    T_EQ_STR(json_get_str(condition(&p.status, "DisruptionTarget"), S("reason")), "TerminationByKubelet");
    T_EQ_STR(json_get_str(&p.status, S("message")), "The node was low on resource: memory.");
    T_EQ_STR(json_get_str(condition(&p.status, "Ready"), S("reason")), "PodFailed");
}

/* More containers than one plan has room for: nothing is lost, the rest comes at once. */
TEST(many_containers)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    for (int i = 0; i < 150; i++)
        strbuf_addf(&b, "%s{'name':'c%d'}", i ? "," : "", i);
    struct json pod = make_pod(&a, arena_fmt(&a, "{'containers':[" STR_FMT "]}", STR_ARG(strbuf_str(&b))).p, NULL);
    struct pod_seen s = make_seen(&a, &pod, "sandbox");
    struct pod_plan p;
    size_t started = 0;
    for (int turn = 0; turn < 3; turn++) {
        pod_plan(&a, &pod, &s, &p);
        T_EQ_INT(p.wake_at, turn < 2 ? s.now : 0);
        for (size_t i = 0; i < p.nactions; i++, started++) {
            s.containers[p.actions[i].container].phase = CONTAINER_PHASE_RUNNING;
            s.containers[p.actions[i].container].starts++;
        }
    }
    T_EQ_INT(started, 150);
    s.deleting_since = 1;
    pod_plan(&a, &pod, &s, &p);
    T_EQ_INT(p.nactions, POD_PLAN_ACTIONS);
}

TEST_MAIN(one_container, restart_policies, init_containers, sidecars, changed_images, lost_sandboxes, probes, deletion, verdicts_of_the_node, ephemeral_containers, backoff, sentences, conditions_keep_their_times, many_containers)
