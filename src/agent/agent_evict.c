/* agent_evict.c - node pressure: when memory, disk or process ids run out, pods go, those first that took most beyond what they asked for.
 *
 *   every 10 s: what is free ─► below a threshold? ─► unused images and ended containers first (disk) ─► one pod a round: over its request, lowest priority, most usage
 * A pressure condition holds for five minutes after the last time it was true. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "agent/agent_node_status.h"
#include "api/quantity.h"
#include "base/log.h"

#define CHECK_NS (10 * NSEC_PER_SEC)
#define HOLD_NS (300 * NSEC_PER_SEC)
#define IMAGE_AGE_NS (120 * NSEC_PER_SEC)

enum signal { SIGNAL_MEMORY, SIGNAL_DISK, SIGNAL_INODES, SIGNAL_PIDS, SIGNALS };
static const char *const signal_names[SIGNALS] = {"memory.available", "nodefs.available", "nodefs.inodesFree", "pid.available"};
static const char *const signal_resources[SIGNALS] = {"memory", "ephemeral-storage", "inodes", "pids"};

struct threshold {
    bool set, percent;
    double value; /* bytes, pieces, or percent */
};

struct agent_evict {
    struct threshold hard[SIGNALS];
    nsec_t last_true[SIGNALS]; /* monotonic, 0: never */
    size_t measuring;          /* pods whose usage is being asked for */
    bool collecting;           /* images are being removed */
    enum signal why;
    char worst_uid[64];        /* not the pod: it may go meanwhile */
    int64_t worst_over, worst_usage;
    int64_t worst_priority;
};

static bool parse_amount(str text, struct threshold *t)
{
    struct quantity q;
    *t = (struct threshold){.set = true, .percent = str_has_suffix(text, S("%"))};
    if (t->percent)
        return str_to_double(str_sub(text, 0, text.len - 1), &t->value) && t->value >= 0 && t->value <= 100;
    if (!text.len || !quantity_parse(text, &q))
        return false;
    t->value = (double)quantity_to_i64(&q);
    return t->value >= 0;
}

/* "SIGNAL<AMOUNT,..."; what is not named has no threshold. */
static int parse_hard(struct threshold hard[SIGNALS], const char *text, struct err *err)
{
    str rest = str_of(text), item;
    for (bool more = rest.len > 0; more;) {
        more = str_cut(&rest, ',', &item);
        str name, value = str_trim(item);
        size_t s = 0;
        if (!str_cut(&value, '<', &name))
            return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no threshold: one is like memory.available<100Mi or nodefs.available<10%%", STR_ARG(item));
        while (s < SIGNALS && !str_is(str_trim(name), signal_names[s]))
            s++;
        if (s == SIGNALS)
            return err_set(err, E_INVALID_ARG, "there is no signal \"" STR_FMT "\": memory.available, nodefs.available, nodefs.inodesFree and pid.available are known", STR_ARG(str_trim(name)));
        if (!parse_amount(str_trim(value), &hard[s]))
            return err_set(err, E_INVALID_ARG, "the threshold \"" STR_FMT "\" of %s is neither an amount nor a percentage", STR_ARG(str_trim(value)), signal_names[s]);
    }
    return 0;
}

int agent_evict_check(const char *hard, struct err *err)
{
    struct threshold all[SIGNALS] = {0};
    return parse_hard(all, hard, err);
}

static bool is_below(const struct agent *g, enum signal s, double free_now, double total)
{
    const struct agent_evict *e = g->evict;
    if (!e->hard[s].set || total <= 0)
        return false;
    double bound = e->hard[s].percent ? total * e->hard[s].value / 100 : e->hard[s].value;
    return free_now < bound;
}

/* By what was measured last. */
static bool is_short_now(const struct agent *g, enum signal s)
{
    const struct node_info *i = &g->info;
    const double free_now[SIGNALS] = {(double)i->memory_available_bytes, (double)i->disk_free_bytes, (double)i->inodes_free, (double)(i->pids_max - i->pids_now)};
    const double total[SIGNALS] = {(double)i->memory_bytes, (double)i->disk_bytes, (double)i->inodes, (double)i->pids_max};
    return s < SIGNALS && is_below(g, s, free_now[s], total[s]);
}

static bool is_short(struct agent *g, enum signal s)
{
    node_info_refresh(g->opts.dir, &g->info);
    return is_short_now(g, s);
}

static void look(struct agent *g)
{
    struct agent_evict *e = g->evict;
    nsec_t now = loop_now(g->loop);
    node_info_refresh(g->opts.dir, &g->info);
    bool before[3], after[3];
    agent_evict_conditions(g, &before[0], &before[1], &before[2]);
    for (size_t s = 0; s < SIGNALS; s++) {
        if (is_short_now(g, (enum signal)s))
            e->last_true[s] = now;
    }
    agent_evict_conditions(g, &after[0], &after[1], &after[2]);
    if (memcmp(before, after, sizeof before) != 0)
        agent_node_status_soon(g);
}

static bool holds(const struct agent *g, enum signal s)
{
    nsec_t t = g->evict->last_true[s];
    return t && loop_now(g->loop) - t < HOLD_NS;
}

void agent_evict_conditions(const struct agent *g, bool *ret_memory, bool *ret_disk, bool *ret_pids)
{
    *ret_memory = *ret_disk = *ret_pids = false;
    if (!g->evict)
        return;
    *ret_memory = holds(g, SIGNAL_MEMORY);
    *ret_disk = holds(g, SIGNAL_DISK) || holds(g, SIGNAL_INODES);
    *ret_pids = holds(g, SIGNAL_PIDS);
}

/* --- who goes ------------------------------------------------------------------------------------------------------------------ */
struct measure {
    struct work_item item;
    struct agent *agent;
    struct runtime *runtime;
    struct arena arena;
    str uid;
    struct json pod;
    uint64_t memory, disk;
    str over; /* why it must go although the node has enough: a sentence, "" nothing */
};

static bool storage_limit(const struct json *container, int64_t *ret_bytes, str *ret_text)
{
    struct quantity q;
    *ret_text = json_get_str(json_path(container, "resources", "limits", NULL), S("ephemeral-storage"));
    if (!ret_text->len || !quantity_parse(*ret_text, &q))
        return false;
    *ret_bytes = quantity_to_i64(&q);
    return true;
}

str agent_storage_over(struct arena *a, const struct json *pod, const struct container_usage *all, size_t n, uint64_t pod_bytes)
{
    const struct json *mains = json_path(pod, "spec", "containers", NULL);
    int64_t total = 0, limit;
    bool any = false;
    str text;
    for (size_t i = 0; i < n; i++) {
        if (storage_limit(pod_container_spec(pod, all[i].name), &limit, &text) && all[i].disk_bytes > (uint64_t)MAX(limit, (int64_t)0))
            return arena_fmt(a, "Container " STR_FMT " exceeded its local ephemeral storage limit \"" STR_FMT "\". ", STR_ARG(all[i].name), STR_ARG(text));
    }
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++) {
        if (storage_limit(&mains->items[i], &limit, &text)) {
            any = true;
            total += limit;
        }
    }
    if (!any || pod_bytes <= (uint64_t)MAX(total, (int64_t)0))
        return S("");
    return arena_fmt(a, "Pod ephemeral local storage usage exceeds the total limit of containers %lld. ", (long long)total);
}

static void run_measure(struct work_item *w)
{
    struct measure *m = container_of(w, struct measure, item);
    struct agent *g = m->agent;
    struct container_usage *all = NULL;
    size_t n = 0;
    str volume = S("");
    if (m->runtime->ops->stats(m->runtime, m->uid, &m->arena, &all, &n, NULL) == 0) {
        for (size_t i = 0; i < n; i++) {
            m->memory += all[i].memory_bytes;
            m->disk += all[i].disk_bytes;
        }
    }
    m->disk += volumes_usage(&m->pod, agent_pod_dir(g, &m->arena, m->uid), &m->arena, &volume);
    m->over = volume.len ? arena_fmt(&m->arena, "Usage of EmptyDir volume \"" STR_FMT "\" exceeds the limit.", STR_ARG(volume)) : agent_storage_over(&m->arena, &m->pod, all, n, m->disk);
}

static void finish_round(struct agent *g)
{
    struct agent_evict *e = g->evict;
    ARENA_AUTO a = ARENA_INIT;
    struct agent_pod *p = e->worst_uid[0] ? agent_find(g, str_of(e->worst_uid)) : NULL;
    if (!p || p->seen.fail_reason.len)
        return;
    str message = arena_fmt(&a, "The node was low on resource: %s.", signal_resources[e->why]);
    if (e->why == SIGNAL_MEMORY || e->why == SIGNAL_DISK) /* what is known of a pod's part in it */
        message = arena_fmt(&a, STR_FMT " Pod was using %lldKi, request is %lldKi.", STR_ARG(message), (long long)e->worst_usage / 1024, (long long)(e->worst_usage - e->worst_over) / 1024);
    log_warn("evicting a pod", KV("pod", STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), KV("why", "%s", signal_names[e->why]));
    agent_pod_fail(p, "Evicted", message, true);
}

static void end_measure(struct work_item *w)
{
    struct measure *m = container_of(w, struct measure, item);
    struct agent *g = m->agent;
    struct agent_evict *e = g->evict;
    struct agent_pod *p = agent_find(g, m->uid);
    g->ops--;
    if (p && !g->stopping) {
        p->disk_bytes = m->disk;
        if (m->over.len) {
            agent_pod_fail(p, "Evicted", m->over, true);
        } else if (e->why < SIGNALS) {
            bool by_memory = e->why == SIGNAL_MEMORY;
            int64_t usage = (int64_t)(by_memory ? m->memory : m->disk), asked = agent_pod_request(&p->tree, by_memory ? S("memory") : S("ephemeral-storage")) / 1000;
            int64_t priority = json_get_int(json_get(&p->tree, S("spec")), S("priority"), 0), over = usage - asked;
            bool worse = !e->worst_uid[0] || (over > 0) > (e->worst_over > 0) ||
                         ((over > 0) == (e->worst_over > 0) && (priority < e->worst_priority || (priority == e->worst_priority && over > e->worst_over)));
            if (worse && priority < 2000000000) {
                snprintf(e->worst_uid, sizeof e->worst_uid, STR_FMT, STR_ARG(p->uid));
                e->worst_over = over;
                e->worst_usage = usage;
                e->worst_priority = priority;
            }
        }
    }
    if (--e->measuring == 0 && !g->stopping && e->why < SIGNALS)
        finish_round(g);
    arena_fini(&m->arena);
    free(m);
    agent_waits_end(g);
}

static bool has_bound(const struct json *pod)
{
    const struct json *mains = json_path(pod, "spec", "containers", NULL);
    int64_t limit;
    str text;
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++) {
        if (storage_limit(&mains->items[i], &limit, &text))
            return true;
    }
    const struct json *list = json_path(pod, "spec", "volumes", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (json_path(&list->items[i], "emptyDir", "sizeLimit", NULL))
            return true;
    }
    return false;
}

/* Everybody when the node is short of something; otherwise only those with a bound of their own. */
static void measure_pods(struct agent *g)
{
    struct agent_evict *e = g->evict;
    list_foreach(p, &g->pods, struct agent_pod, link) {
        if (!p->seen.has_sandbox || p->seen.fail_reason.len || p->is_static || (e->why >= SIGNALS && !has_bound(&p->tree)))
            continue;
        struct measure *m = xcalloc(1, sizeof *m);
        *m = (struct measure){.item = {.loop = g->loop, .run = run_measure, .done = end_measure}, .agent = g, .runtime = p->runtime, .arena = ARENA_INIT};
        m->uid = arena_str(&m->arena, p->uid);
        m->pod = json_copy(&m->arena, &p->tree);
        e->measuring++;
        g->ops++;
        work_submit(g->pool, &m->item);
    }
}

struct collect {
    struct work_item item;
    struct agent *agent;
    uint64_t want, freed;
};

static void run_collect(struct work_item *w)
{
    struct collect *c = container_of(w, struct collect, item);
    c->freed = images_collect(c->agent->images, c->want, IMAGE_AGE_NS);
}

static void end_collect(struct work_item *w)
{
    struct collect *c = container_of(w, struct collect, item);
    struct agent *g = c->agent;
    g->ops--;
    g->evict->collecting = false;
    if (c->freed)
        log_info("unused images were removed", KV("bytes", "%llu", (unsigned long long)c->freed));
    if (!g->stopping && is_short(g, g->evict->why))
        measure_pods(g); /* that was not enough: pods go */
    free(c);
    agent_waits_end(g);
}

static void collect_images(struct agent *g)
{
    struct collect *c = xcalloc(1, sizeof *c);
    *c = (struct collect){.item = {.loop = g->loop, .run = run_collect, .done = end_collect}, .agent = g, .want = (uint64_t)g->info.disk_bytes / 5};
    g->evict->collecting = true;
    g->ops++;
    work_submit(g->pool, &c->item);
}

static void on_timer(struct loop_timer *t)
{
    struct agent *g = container_of(t, struct agent, evict_timer);
    struct agent_evict *e = g->evict;
    nsec_t now = loop_now(g->loop);
    loop_timer_set(g->loop, t, now + CHECK_NS);
    if (e->measuring || e->collecting)
        return;
    look(g);
    e->why = SIGNALS;
    e->worst_uid[0] = 0;
    for (size_t s = 0; s < SIGNALS && e->why == SIGNALS; s++) {
        if (e->last_true[s] == now)
            e->why = (enum signal)s;
    }
    if (e->why == SIGNAL_DISK || e->why == SIGNAL_INODES)
        collect_images(g);
    else
        measure_pods(g);
}

void agent_evict_start(struct agent *g)
{
    if (g->opts.no_eviction)
        return;
    g->evict = xcalloc(1, sizeof *g->evict);
    struct err err = ERR_NONE;
    if (parse_hard(g->evict->hard, g->opts.eviction_hard ? g->opts.eviction_hard : AGENT_EVICTION_HARD, &err) < 0) /* who starts an agent checks: agent_opts_check */
        log_warn("not all thresholds can be read", KV("error", "%s", err.msg));
    g->evict_timer.fire = on_timer;
    loop_timer_set(g->loop, &g->evict_timer, loop_now(g->loop) + CHECK_NS);
}

void agent_evict_free(struct agent *g)
{
    free(TAKE(g->evict));
}
