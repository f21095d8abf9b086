/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/whatif.h"

#include "sched/engine/explain.h"
#include "sched/engine/statement.h"
#include "sim/report.h"

#define TOP_PRIORITY 2000000000 /* of Kubernetes' own critical pods */
#define HOST_KEY "kubernetes.io/hostname"
#define NEED_MAX 65536u /* nodes that are tried at most */

struct asker {
    struct sim *sim;
    struct sched *s;
    struct arena *a;
    const struct scenario_job *job;
    struct pod_spec like;
    str group;
    unit_id unit;
};

/* --- the gang, for the length of a question ---------------------------------------------------------------------------------------------------------------- */

static str pod_name(struct asker *x, uint32_t i)
{
    return x->job->replicas > 1 ? arena_fmt(x->a, STR_FMT "-%u", STR_ARG(x->group), i) : x->group;
}

static void take_away(struct asker *x, uint32_t pods)
{
    for (uint32_t i = 0; i < pods; i++)
        sched_pod_delete(x->s, x->like.ns, pod_name(x, i));
    sched_group_delete(x->s, x->like.ns, x->group);
    x->unit = UNIT_NONE;
}

static int put_there(struct asker *x, int32_t priority, struct err *err)
{
    const struct scenario_job *j = x->job;
    struct group_spec g = {.ns = x->like.ns, .name = x->group, .priority = priority, .has_priority = true, .created_ns = sim_engine_now(x->sim)};
    g.min_member = j->min_member > 0 ? j->min_member : (int32_t)j->replicas;
    g.required_keys = &j->required_key;
    g.nrequired_keys = j->required_key.len > 0;
    g.preferred_keys = &j->preferred_key;
    g.npreferred_keys = j->preferred_key.len > 0;
    g.queue = x->like.queue;
    g.preemptibility = x->like.preemptibility;
    int r = sched_group_put(x->s, &g, &x->unit, err);
    for (uint32_t i = 0; r >= 0 && i < j->replicas; i++) {
        struct pod_spec p = x->like;
        p.name = p.uid = pod_name(x, i);
        p.priority = priority;
        p.group = x->group;
        p.created_ns = sim_engine_now(x->sim);
        r = sched_pod_put(x->s, &p, NULL, err);
        if (r < 0)
            take_away(x, i);
    }
    return r;
}

/* --- questions ------------------------------------------------------------------------------------------------------------------------------------------------ */

static struct whatif_place *places_of(struct asker *x, const struct placement *of, size_t n)
{
    struct whatif_place *p = arena_array(x->a, n + 1, struct whatif_place);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct whatif_place){arena_str(x->a, sched_pod_name(x->s, of[i].pod)), arena_str(x->a, sched_node_name(x->s, of[i].node))};
    return p;
}

static struct whatif_place *victims_of(struct asker *x, const pod_id *of, size_t n)
{
    struct whatif_place *p = arena_array(x->a, n + 1, struct whatif_place);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct whatif_place){arena_str(x->a, sched_pod_name(x->s, of[i])), arena_str(x->a, sched_node_name(x->s, x->s->pods[of[i]].node))};
    return p;
}

/* Is it the batch policy's to decide? */
static bool is_batch(const struct asker *x)
{
    return sim_policy(x->sim) && x->like.queue.len;
}

/* The same of a unit of a queue, by the rules of queues. */
static void ask_policy(struct asker *x, struct whatif_answer *ret)
{
    struct policy_trial t = POLICY_TRIAL_INIT;
    policy_try(sim_policy(x->sim), x->unit, sim_engine_now(x->sim), &t);
    ret->queue = x->like.queue;
    ret->position = t.why.position;
    ret->fits_now = t.start == POLICY_STARTS_NOW;
    ret->can_evict = t.start == POLICY_STARTS_AFTER_EVICTION;
    if (ret->fits_now) {
        ret->nplaces = t.placements.len;
        ret->places = places_of(x, t.placements.p, t.placements.len);
    }
    ret->nvictims = t.victims.len;
    ret->victims = victims_of(x, t.victims.p, t.victims.len);
    if (ret->can_evict)
        ret->why = arena_fmt(x->a, "%zu %s would have to give way first", t.victims.len, t.victims.len == 1 ? "pod" : "pods");
    else if (!ret->fits_now)
        ret->why = policy_sentence(sim_policy(x->sim), x->a, x->unit, &t.why);
    policy_trial_fini(&t);
}

/* As it stands: does it fit, and if not, who would have to go? */
static void ask_now(struct asker *x, bool at_top, struct whatif_answer *ret)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    uint32_t mark = statement_begin(x->s);
    sched_place(x->s, x->unit, sim_now(x->sim), &d);
    if (d.result == UNIT_PLACED && !at_top) {
        ret->fits_now = true;
        ret->places = places_of(x, d.placements.p, d.placements.len);
        ret->nplaces = d.placements.len;
    } else if (d.result == UNIT_PREEMPTING) {
        ret->can_evict = !at_top;
        ret->can_evict_at_top = at_top;
        ret->victims = victims_of(x, d.victims.p, d.victims.len);
        ret->nvictims = d.victims.len;
    }
    statement_rollback(x->s, mark);
    if (!ret->fits_now && !at_top)
        ret->why = arena_str(x->a, explain_waiting(x->s, x->a, x->unit, 0, &d)->sentence);
    unit_decision_fini(&d);
}

/* A new node like these, with a name and host label of its own. */
static int add_one(struct asker *x, const struct input_shape *shape, uint32_t i, struct err *err)
{
    struct node_spec spec = shape->spec;
    struct spec_label *labels = arena_array(x->a, spec.labels.n + 1, struct spec_label);
    spec.name = arena_fmt(x->a, STR_FMT "-more-%u", STR_ARG(shape->name), i);
    for (size_t k = 0; k < spec.labels.n; k++) {
        labels[k] = spec.labels.p[k];
        if (str_is(labels[k].key, HOST_KEY))
            labels[k].value = spec.name;
    }
    spec.labels.p = labels;
    return statement_add_nodes(x->s, &spec, 1, err);
}

static int fits_with(struct asker *x, const struct input_shape *shape, uint32_t count, bool *ret_fits, struct err *err)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    uint32_t mark = statement_begin(x->s);
    int r = 0;
    for (uint32_t i = 0; r >= 0 && i < count; i++)
        r = add_one(x, shape, i, err);
    /* limits of its queue stay as they are with more nodes, and are told elsewhere: of nodes alone is asked */
    if (r >= 0 && is_batch(x))
        sched_place_next(x->s, x->unit, sim_now(x->sim), false, &d);
    else if (r >= 0)
        sched_place(x->s, x->unit, sim_now(x->sim), &d);
    statement_rollback(x->s, mark);
    *ret_fits = r >= 0 && d.result == UNIT_PLACED;
    unit_decision_fini(&d);
    return r;
}

/* The smallest number that does: doubled until it does, then halved.  One node a pod is the most that can help. */
static int ask_need(struct asker *x, const struct input_shape *shape, uint32_t *ret, struct err *err)
{
    uint32_t most = MIN(x->job->replicas, NEED_MAX), high = 1, low = 0;
    bool fits = false;
    int r = fits_with(x, shape, high, &fits, err);
    while (r >= 0 && !fits && high < most) {
        low = high;
        high = MIN(high * 2, most);
        r = fits_with(x, shape, high, &fits, err);
    }
    *ret = 0;
    if (r < 0 || !fits)
        return r;
    while (r >= 0 && high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        r = fits_with(x, shape, mid, &fits, err);
        *(fits ? &high : &low) = mid;
    }
    *ret = high;
    return r;
}

static int ask_needs(struct asker *x, const struct input_shapes *shapes, struct whatif_answer *ret, struct err *err)
{
    int r = 0;
    ret->needs = arena_array(x->a, shapes->n + 1, struct whatif_need);
    for (size_t i = 0; r >= 0 && i < shapes->n; i++) {
        struct whatif_need *n = &ret->needs[ret->nneeds++];
        n->template = shapes->p[i].name;
        r = ask_need(x, &shapes->p[i], &n->count, err);
    }
    return r;
}

static int ask_start(struct asker *x, struct scenario_job *job, struct whatif_answer *ret, struct err *err)
{
    uint32_t kind;
    int r = sim_add_kind(x->sim, job, &kind, err);
    if (r < 0)
        return r;
    uint32_t instance = sim_add_job(x->sim, kind, x->group, sim_now(x->sim), -1, 0);
    r = sim_run_until_started(x->sim, instance, &ret->starts, err);
    ret->start_known = true;
    if (ret->starts)
        ret->start = sim_result(x->sim)->jobs[instance].start;
    return r;
}

int whatif_ask(struct sim *sim, struct arena *a, const struct scenario_job *job, const struct input_shapes *shapes, bool has_ends, struct whatif_answer *ret, struct err *err)
{
    struct asker x = {.sim = sim, .s = sim_sched(sim), .a = a, .job = job, .group = job->name};
    struct scenario_job *all = arena_new(a, struct scenario_job);
    *all = *job;
    if (all->min_member == 0)
        all->min_member = (int32_t)all->replicas; /* all of them are asked about */
    *ret = (struct whatif_answer){.job = job->name, .pods = job->replicas, .at = sim_now(sim)};
    ret->min_member = all->min_member > 0 ? all->min_member : (int32_t)all->replicas;
    int r = scenario_pod(job, x.s, a, &x.like, err);
    while (r >= 0 && (sched_pod_find(x.s, x.like.ns, pod_name(&x, 0)) != POD_NONE || sched_group_find(x.s, x.like.ns, x.group) != UNIT_NONE))
        x.group = arena_fmt(a, STR_FMT "-again", STR_ARG(x.group));
    if (r >= 0)
        r = put_there(&x, x.like.priority, err);
    if (r < 0)
        return r;
    if (is_batch(&x))
        ask_policy(&x, ret);
    else
        ask_now(&x, false, ret);
    if (!ret->fits_now)
        r = ask_needs(&x, shapes, ret, err);
    take_away(&x, job->replicas);
    if (r >= 0 && !ret->fits_now && !ret->can_evict && !is_batch(&x) && x.like.priority < TOP_PRIORITY) {
        r = put_there(&x, TOP_PRIORITY, err);
        if (r >= 0) {
            ask_now(&x, true, ret);
            take_away(&x, job->replicas);
        }
    }
    sched_take_events(x.s); /* of nodes and pods that never were */
    if (r >= 0 && (has_ends || ret->fits_now || ret->can_evict))
        r = ask_start(&x, all, ret, err);
    return r;
}

int whatif_shapes(struct sim *sim, struct arena *a, const struct scenario *sc, struct input_shapes *ret, struct err *err)
{
    ret->p = arena_array(a, sc->ntemplates + 1, struct input_shape);
    ret->n = sc->ntemplates;
    for (size_t i = 0; i < sc->ntemplates; i++) {
        const struct scenario_template *t = &sc->templates[i];
        ret->p[i] = (struct input_shape){.name = t->name, .count = t->count};
        int r = scenario_node(t, t->count, sim_sched(sim), a, &ret->p[i].spec, err);
        if (r < 0)
            return r;
        ret->p[i].spec.unschedulable = false;
    }
    return 0;
}

/* --- the answer ------------------------------------------------------------------------------------------------------------------------------------------------- */

#define PLACES_SHOWN 8

static void add_places(struct strbuf *b, const struct whatif_place *p, size_t n)
{
    for (size_t i = 0; i < n && i < PLACES_SHOWN; i++)
        strbuf_addf(b, "%s" STR_FMT " on " STR_FMT, i ? ", " : "", STR_ARG(p[i].pod), STR_ARG(p[i].node));
    if (n > PLACES_SHOWN)
        strbuf_addf(b, " and %zu more", n - PLACES_SHOWN);
}

static void add_needs(struct strbuf *b, const struct whatif_answer *x)
{
    bool any = false;
    for (size_t i = 0; i < x->nneeds; i++)
        if (x->needs[i].count) {
            strbuf_addf(b, "%s%u more like " STR_FMT, any ? ", or " : "", x->needs[i].count, STR_ARG(x->needs[i].template));
            any = true;
        }
    if (!any)
        strbuf_add_str(b, S("no number of these nodes would do"));
}

void whatif_text(struct strbuf *b, const struct whatif_answer *x)
{
    ARENA_AUTO a = ARENA_INIT;
    strbuf_addf(b, "what if " STR_FMT " came at " STR_FMT ": %u %s", STR_ARG(x->job), STR_ARG(report_duration(&a, (double)x->at / 1e9)), x->pods, x->pods == 1 ? "pod" : "pods");
    if (x->min_member < (int32_t)x->pods)
        strbuf_addf(b, ", at least %d together", x->min_member);
    if (x->queue.len)
        strbuf_addf(b, ", in queue " STR_FMT ", place %u", STR_ARG(x->queue), x->position);
    strbuf_add_str(b, x->fits_now ? S("\n\nfits now       yes: ") : S("\n\nfits now       no: "));
    if (x->fits_now)
        add_places(b, x->places, x->nplaces);
    else
        strbuf_add_str(b, x->why);
    strbuf_add_str(b, S("\nstarts         "));
    if (!x->start_known)
        strbuf_add_str(b, S("unknown: nobody knows when what runs there will end"));
    else if (!x->starts)
        strbuf_add_str(b, S("never, as things are"));
    else if (x->start == x->at)
        strbuf_add_str(b, S("at once"));
    else
        strbuf_addf(b, "at " STR_FMT ", after waiting " STR_FMT, STR_ARG(report_duration(&a, (double)x->start / 1e9)), STR_ARG(report_duration(&a, (double)(x->start - x->at) / 1e9)));
    strbuf_add_str(b, S("\nhas to go      "));
    if (x->fits_now)
        strbuf_add_str(b, S("nothing"));
    else if (!x->can_evict && !x->can_evict_at_top)
        strbuf_add_str(b, S("no eviction would help"));
    else if (x->can_evict_at_top)
        strbuf_add_str(b, S("nothing that its priority may evict; with the highest priority: "));
    if (x->nvictims)
        add_places(b, x->victims, x->nvictims);
    strbuf_add_str(b, S("\nnodes needed   "));
    if (x->fits_now)
        strbuf_add_str(b, S("none"));
    else
        add_needs(b, x);
    strbuf_add_char(b, '\n');
}

static struct json places_json(struct arena *a, const struct whatif_place *p, size_t n)
{
    struct json list = json_array();
    for (size_t i = 0; i < n; i++) {
        struct json *one = json_push(a, &list, json_object());
        json_set(a, one, S("pod"), json_string(p[i].pod));
        json_set(a, one, S("node"), json_string(p[i].node));
    }
    return list;
}

void whatif_json(struct strbuf *b, const struct whatif_answer *x)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_object(), needs = json_array();
    json_set(&a, &v, S("job"), json_string(x->job));
    json_set(&a, &v, S("pods"), json_int(&a, x->pods));
    json_set(&a, &v, S("minMember"), json_int(&a, x->min_member));
    if (x->queue.len) {
        json_set(&a, &v, S("queue"), json_string(x->queue));
        json_set(&a, &v, S("position"), json_int(&a, x->position));
    }
    json_set(&a, &v, S("at"), json_double(&a, (double)x->at / 1e9));
    json_set(&a, &v, S("fitsNow"), json_bool(x->fits_now));
    json_set(&a, &v, S("places"), places_json(&a, x->places, x->nplaces));
    json_set(&a, &v, S("why"), x->why.len ? json_string(x->why) : json_null());
    json_set(&a, &v, S("startKnown"), json_bool(x->start_known));
    json_set(&a, &v, S("start"), x->starts ? json_double(&a, (double)x->start / 1e9) : json_null());
    json_set(&a, &v, S("evictions"), json_string(x->can_evict ? S("possible") : x->can_evict_at_top ? S("with the highest priority") : x->fits_now ? S("none needed") : S("no help")));
    json_set(&a, &v, S("victims"), places_json(&a, x->victims, x->nvictims));
    for (size_t i = 0; i < x->nneeds; i++) {
        struct json *one = json_push(&a, &needs, json_object());
        json_set(&a, one, S("template"), json_string(x->needs[i].template));
        json_set(&a, one, S("count"), x->needs[i].count ? json_int(&a, x->needs[i].count) : json_null());
    }
    json_set(&a, &v, S("nodesNeeded"), needs);
    struct json outer = json_object();
    json_set(&a, &outer, S("whatIf"), v);
    json_write(b, &outer);
    strbuf_add_char(b, '\n');
}
