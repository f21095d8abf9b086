/* resource_quota.c - keeps status.used of ResourceQuotas true.
 *
 * The API server charges and gives back in the transaction of each write, so that two requests never share the last unit; this is the net under it.  It asks the server to count again (a status without
 * `used` is counted while it is written, and the write fails when somebody was charged meanwhile): now and then, a while after pods went, and when status does not speak of spec.hard. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "controllers/workloads.h"

#define PERIOD_NS (300 * NSEC_PER_SEC)
#define AFTER_DELETES_NS (30 * NSEC_PER_SEC) /* deletions come in crowds */
#define MANY_PODS 5000 /* counting as many takes a while: only every period */

struct space {
    char *ns;
    VEC(char *) names;
};

struct quotas {
    struct map spaces; /* namespace -> struct space; pods go by the thousand, and each asks for the quotas of its namespace */
};

static void counted(struct job *j)
{
    if (job_ok(j))
        job_end_after(j, PERIOD_NS);
    else
        job_end_status(j);
}

static void reconcile(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    struct json patch = json_literal(&j->arena, "{\"status\":{\"used\":null}}");
    job_call(j, S("PATCH"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/resourcequotas/" STR_FMT "/status", STR_ARG(ns), STR_ARG(name)), &patch, counted);
}

/* --- events -------------------------------------------------------------------------------------------------------------------- */

static bool is_true_to_spec(const struct json *quota)
{
    const struct json *hard = json_path(quota, "spec", "hard", NULL), *status = json_get(quota, S("status")), *used = json_get(status, S("used"));
    for (uint32_t i = 0; json_is(hard, JSON_OBJECT) && i < hard->len; i++)
        if (!json_get(used, hard->members[i].key))
            return false;
    return !hard || json_equal(hard, json_get(status, S("hard")));
}

static void space_free(struct space *s)
{
    for (size_t i = 0; i < s->names.len; i++)
        free(s->names.p[i]);
    vec_fini(&s->names);
    free(s->ns);
    free(s);
}

/* Index of the name, or -1. */
static ptrdiff_t name_find(const struct space *s, str name)
{
    for (size_t i = 0; s && i < s->names.len; i++)
        if (str_is(name, s->names.p[i]))
            return (ptrdiff_t)i;
    return -1;
}

static void forget(struct quotas *q, str ns, str name)
{
    struct space *s = map_get(&q->spaces, ns);
    ptrdiff_t at = name_find(s, name);
    if (at < 0)
        return;
    free(s->names.p[at]);
    vec_remove(&s->names, (size_t)at);
    if (s->names.len)
        return;
    map_del(&q->spaces, ns);
    space_free(s);
}

/* False: it was known. */
static bool remember(struct quotas *q, str ns, str name)
{
    struct space *s = map_get(&q->spaces, ns);
    if (name_find(s, name) >= 0)
        return false;
    if (!s) {
        s = xnew(struct space);
        s->ns = str_dup(ns);
        map_put(&q->spaces, str_of(s->ns), s);
    }
    vec_push(&s->names, str_dup(name));
    return true;
}

static void on_quota(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct quotas *q = c->state;
    ARENA_AUTO a = ARENA_INIT;
    str ns = informer_event_ns(ev), name = informer_event_name(ev), key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    if (ev->change == INFORMER_DELETED) {
        forget(q, ns, name);
        return;
    }
    bool is_new = remember(q, ns, name);
    if (!is_true_to_spec(informer_event_object(ev)))
        workqueue_add(c->queue, key);
    else if (is_new)
        workqueue_add_after(c->queue, key, PERIOD_NS);
}

static bool is_crowded(const struct workloads *all, str ns)
{
    size_t n = 0;
    pod_cache_foreach_namespace(p, pod_cache_namespace(&all->pods, ns))
    {
        n += p != NULL;
        if (n > MANY_PODS)
            return true;
    }
    return false;
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    struct quotas *q = c->state;
    const struct space *s = now ? NULL : map_get(&q->spaces, was->ns);
    if (!s || is_crowded(workloads_of(c), was->ns))
        return;
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < s->names.len; i++)
        workqueue_add_after(c->queue, arena_fmt(&a, STR_FMT "/%s", STR_ARG(was->ns), s->names.p[i]), AFTER_DELETES_NS);
}

static void init(struct controller *c)
{
    c->state = xnew(struct quotas);
    pod_cache_subscribe(&workloads_of(c)->pods, on_pod, c);
}

static void fini(struct controller *c)
{
    struct quotas *q = c->state;
    map_foreach(e, &q->spaces) space_free(e->value);
    map_fini(&q->spaces);
    free(q);
}

const struct controller_type controller_resource_quota = {
    .name = "resource-quota",
    .parallel = 4,
    .watches = {{.group = "", .plural = "resourcequotas", .event = on_quota}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
