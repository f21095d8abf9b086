/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/waiting.h"

struct wait_run {
    waiting_check *check;
    void *arg;
    int answer;
    struct failure *f;
};

static bool on_event(void *arg, str type, struct json *object, struct arena *a)
{
    struct wait_run *w = arg;
    (void)a;
    if (!str_is(type, "BOOKMARK"))
        w->answer = w->check(w->arg, str_is(type, "DELETED") ? NULL : object, w->f);
    return w->answer == 0;
}

static str name_query(struct session *s, const struct target *t)
{
    struct strbuf b = strbuf_on(&s->arena);
    client_query_add(&b, "fieldSelector", arena_fmt(&s->arena, "metadata.name=" STR_FMT, STR_ARG(t->name)));
    return strbuf_str(&b);
}

/* The watch ends by itself at the deadline, or a little later. */
static int watch_until(struct session *s, const struct target *t, str version, nsec_t left, struct wait_run *w, struct failure *f)
{
    str name = name_query(s, t);
    str query = arena_fmt(&s->arena, STR_FMT "&watch=true&resourceVersion=" STR_FMT "&timeoutSeconds=%lld", STR_ARG(name),
                          STR_ARG(version), (long long)((left + NSEC_PER_SEC - 1) / NSEC_PER_SEC));
    struct client_request q = {
        .method = S("GET"), .path = discovery_path(&s->arena, t->res, t->ns, S(""), S("")), .query = query, .timeout_ns = left};
    int r = client_watch_run(s->client, &q, on_event, w, &f->err);
    if (w->answer != 0)
        return w->answer;
    return r == -E_TIMEOUT || r == -E_EXPIRED ? 0 : r; /* the caller looks again */
}

int waiting_run(struct session *s, const struct target *t, nsec_t timeout_ns, waiting_check *check, void *arg, struct failure *f)
{
    nsec_t end = clock_mono(&clock_real) + timeout_ns;
    for (;;) {
        struct json list;
        int r = session_get(s, discovery_path(&s->arena, t->res, t->ns, S(""), S("")), name_query(s, t), &list, f);
        if (r < 0)
            return r;
        const struct json *items = json_get(&list, S("items"));
        struct wait_run w = {.check = check, .arg = arg, .f = f};
        w.answer = check(arg, json_is(items, JSON_ARRAY) && items->len ? &items->items[0] : NULL, f);
        nsec_t left = end - clock_mono(&clock_real);
        if (w.answer == 0 && left > 0)
            w.answer = watch_until(s, t, json_str(json_path(&list, "metadata", "resourceVersion", NULL)), left, &w, f);
        if (w.answer != 0)
            return w.answer < 0 ? w.answer : 0;
        if (end <= clock_mono(&clock_real))
            break;
    }
    if (timeout_ns <= 0)
        return failure_set(f, E_TIMEOUT, "condition not met for " STR_FMT "/" STR_FMT, STR_ARG(t->res->plural), STR_ARG(t->name));
    return failure_set(f, E_TIMEOUT, "timed out waiting for the condition on " STR_FMT "/" STR_FMT, STR_ARG(t->res->plural),
                       STR_ARG(t->name));
}
