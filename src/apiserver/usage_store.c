/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/usage_store.h"

#include <pthread.h>

#include "api/quantity.h"
#include "base/civil.h"
#include "base/map.h"

#define WINDOW_MAX 32

struct amounts {
    int64_t cpu_nano, memory_bytes; /* -1: not said */
};

struct container {
    str name;
    struct amounts used;
};

struct pod {
    str key; /* "ns/name/node": a node speaks of its own pods only, see usage_get_pod */
    struct report *report;
    nsec_t at;
    char window[WINDOW_MAX];
    struct container *containers;
    size_t ncontainers;
};

/* All of a node's report lies on one arena. */
struct report {
    struct arena arena;
    str node;
    nsec_t received, at;
    char window[WINDOW_MAX];
    struct amounts used;
    struct pod *pods;
    size_t npods;
};

struct series {
    char *path, *text; /* text: a JSON list */
    size_t bytes;
    nsec_t received;
};

struct usage_store {
    pthread_mutex_t lock; /* guards everything below */
    struct map nodes;     /* name -> report */
    struct map pods;      /* "ns/name/node" -> pod */
    struct map series;    /* path -> series */
    size_t series_bytes;
    nsec_t swept;
};

struct usage_store *usage_store_new(void)
{
    struct usage_store *u = xnew(struct usage_store);
    pthread_mutex_init(&u->lock, NULL);
    return u;
}

static void report_free(struct report *r)
{
    if (!r)
        return;
    struct arena own = r->arena;
    arena_fini(&own);
}

static void series_free(struct series *s)
{
    if (!s)
        return;
    free(s->path);
    free(s->text);
    free(s);
}

void usage_store_free(struct usage_store *u)
{
    if (!u)
        return;
    map_foreach(e, &u->nodes) report_free(e->value);
    map_foreach(e, &u->series) series_free(e->value);
    map_fini(&u->nodes);
    map_fini(&u->pods);
    map_fini(&u->series);
    pthread_mutex_destroy(&u->lock);
    free(u);
}

/* --- what is old goes ------------------------------------------------------------------------------------------------------------- */

static void forget_report(struct usage_store *u, struct report *r)
{
    for (size_t i = 0; i < r->npods; i++)
        if (map_get(&u->pods, r->pods[i].key) == &r->pods[i])
            map_del(&u->pods, r->pods[i].key);
    map_del(&u->nodes, r->node);
    report_free(r);
}

static void forget_series(struct usage_store *u, struct series *s)
{
    u->series_bytes -= s->bytes;
    map_del(&u->series, str_of(s->path));
    series_free(s);
}

static bool is_old(nsec_t received, nsec_t now)
{
    return received + USAGE_AGE_NS <= now;
}

/* Now and then, so that a put costs little; reads look at the age themselves. */
static void sweep(struct usage_store *u, nsec_t now, bool at_once)
{
    if (!at_once && u->swept + USAGE_AGE_NS / 4 > now)
        return;
    u->swept = now;
    struct map old = MAP_INIT;
    map_foreach(e, &u->nodes)
    {
        if (is_old(((struct report *)e->value)->received, now))
            map_put(&old, e->key, e->value);
    }
    map_foreach(e, &old) forget_report(u, e->value);
    map_clear(&old);
    map_foreach(e, &u->series)
    {
        if (is_old(((struct series *)e->value)->received, now))
            map_put(&old, e->key, e->value);
    }
    map_foreach(e, &old) forget_series(u, e->value);
    map_fini(&old);
}

/* --- reports ------------------------------------------------------------------------------------------------------------------------ */

/* value * 10^shift, away from zero, within 63 bits. */
static int64_t scaled(const struct quantity *q, int shift)
{
    __int128 v = q->mantissa;
    int e = q->exp10 + shift;
    for (; e > 0 && v && v < ((__int128)1 << 100); e--)
        v *= 10;
    for (; e < 0 && v > 1; e++)
        v = (v + 9) / 10;
    return v > INT64_MAX ? INT64_MAX : v < 0 ? 0 : (int64_t)v;
}

static struct amounts amounts_of(const struct json *usage)
{
    struct amounts out = {-1, -1};
    struct quantity q;
    if (quantity_parse(json_str(json_get(usage, S("cpu"))), &q))
        out.cpu_nano = scaled(&q, 9);
    if (quantity_parse(json_str(json_get(usage, S("memory"))), &q))
        out.memory_bytes = scaled(&q, 0);
    return out;
}

static void read_window(const struct json *from, const char *otherwise, char out[WINDOW_MAX])
{
    str text = json_get_str(from, S("window"));
    if (!text.len || text.len >= WINDOW_MAX || str_is(text, "0s"))
        text = str_of(otherwise);
    memcpy(out, text.p, text.len);
    out[text.len] = 0;
}

static int read_pod(struct report *r, const struct json *from, struct err *err)
{
    struct pod *p = &r->pods[r->npods];
    const struct json *meta = json_get(from, S("metadata")), *list = json_get(from, S("containers"));
    str ns = json_get_str(meta, S("namespace")), name = json_get_str(meta, S("name"));
    if (!ns.len || !name.len)
        return err_set(err, E_INVALID, "NodeMetrics.metrics.k8s.io \"" STR_FMT "\" is invalid: pods[%zu].metadata: Required value: a namespace and a name", STR_ARG(r->node), r->npods);
    p->key = arena_fmt(&r->arena, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name), STR_ARG(r->node));
    p->at = r->at;
    p->report = r;
    civil_parse(json_get_str(from, S("timestamp")), &p->at);
    read_window(from, r->window, p->window);
    p->ncontainers = json_is(list, JSON_ARRAY) ? list->len : 0;
    p->containers = arena_array(&r->arena, p->ncontainers + 1, struct container);
    for (size_t i = 0; i < p->ncontainers; i++)
        p->containers[i] = (struct container){arena_str(&r->arena, json_get_str(&list->items[i], S("name"))), amounts_of(json_get(&list->items[i], S("usage")))};
    r->npods++;
    return 0;
}

static int read_report(str node, const struct json *report, nsec_t now, struct report **ret, struct err *err)
{
    struct arena a = ARENA_SMALL(4096);
    struct report *r = arena_new(&a, struct report);
    const struct json *pods = json_get(report, S("pods"));
    size_t n = json_is(pods, JSON_ARRAY) ? pods->len : 0, containers = 0;
    r->node = arena_str(&a, node);
    r->received = r->at = now;
    r->used = amounts_of(json_get(report, S("usage")));
    civil_parse(json_get_str(report, S("timestamp")), &r->at);
    read_window(report, "15s", r->window);
    for (size_t i = 0; i < n; i++)
        containers += json_is(json_get(&pods->items[i], S("containers")), JSON_ARRAY) ? json_get(&pods->items[i], S("containers"))->len : 0;
    int res = 0;
    if (n > USAGE_PODS_MAX || containers > USAGE_CONTAINERS_MAX)
        res = err_set(err, E_INVALID, "NodeMetrics.metrics.k8s.io \"" STR_FMT "\" is invalid: pods: Too many: %zu: a report has at most %u pods and %u containers", STR_ARG(node), n,
                      USAGE_PODS_MAX, USAGE_CONTAINERS_MAX);
    else
        r->pods = arena_array(&a, n + 1, struct pod);
    r->arena = a;
    for (size_t i = 0; i < n && res == 0; i++)
        res = read_pod(r, &pods->items[i], err);
    if (res < 0) {
        report_free(r);
        return res;
    }
    *ret = r;
    return 0;
}

int usage_put_node(struct usage_store *u, str node, const struct json *report, nsec_t now, struct err *err)
{
    struct report *r;
    int res = read_report(node, report, now, &r, err);
    if (res < 0)
        return res;
    pthread_mutex_lock(&u->lock);
    struct report *old = map_get(&u->nodes, node);
    if (old)
        forget_report(u, old);
    map_put(&u->nodes, r->node, r);
    for (size_t i = 0; i < r->npods; i++) {
        map_del(&u->pods, r->pods[i].key); /* the key of an entry must be the one that lives as long as it */
        map_put(&u->pods, r->pods[i].key, &r->pods[i]);
    }
    sweep(u, now, false);
    pthread_mutex_unlock(&u->lock);
    return 0;
}

/* --- as objects ------------------------------------------------------------------------------------------------------------------------ */

static struct json usage_json(struct arena *a, const struct amounts *used)
{
    struct json out = json_object();
    if (used->cpu_nano >= 0)
        json_set(a, &out, S("cpu"), json_string(used->cpu_nano ? arena_fmt(a, "%lldn", (long long)used->cpu_nano) : S("0")));
    if (used->memory_bytes >= 0)
        json_set(a, &out, S("memory"), json_string(used->memory_bytes % 1024 ? arena_fmt(a, "%lld", (long long)used->memory_bytes)
                                                                              : arena_fmt(a, "%lldKi", (long long)used->memory_bytes / 1024)));
    return out;
}

static struct json with_time(struct arena *a, nsec_t at, const char *window)
{
    struct json out = json_object();
    char time[CIVIL_TIME_LEN + 1];
    civil_format(at, time);
    json_set(a, &out, S("timestamp"), json_string(arena_str(a, str_of(time))));
    json_set(a, &out, S("window"), json_string(arena_str(a, str_of(window))));
    return out;
}

bool usage_get_node(struct usage_store *u, struct arena *a, str node, nsec_t now, struct json *ret)
{
    pthread_mutex_lock(&u->lock);
    const struct report *r = map_get(&u->nodes, node);
    bool found = r && !is_old(r->received, now);
    if (found) {
        *ret = with_time(a, r->at, r->window);
        json_set(a, ret, S("usage"), usage_json(a, &r->used));
    }
    pthread_mutex_unlock(&u->lock);
    return found;
}

bool usage_get_pod(struct usage_store *u, struct arena *a, str ns, str name, str node, nsec_t now, struct json *ret)
{
    str key = arena_fmt(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name), STR_ARG(node));
    pthread_mutex_lock(&u->lock);
    const struct pod *p = map_get(&u->pods, key);
    bool found = p && !is_old(p->report->received, now);
    if (found) {
        struct json list = json_array();
        *ret = with_time(a, p->at, p->window);
        for (size_t i = 0; i < p->ncontainers; i++) {
            struct json c = json_object();
            json_set(a, &c, S("name"), json_string(arena_str(a, p->containers[i].name)));
            json_set(a, &c, S("usage"), usage_json(a, &p->containers[i].used));
            json_push(a, &list, c);
        }
        json_set(a, ret, S("containers"), list);
    }
    pthread_mutex_unlock(&u->lock);
    return found;
}

static int compare_names(const void *va, const void *vb)
{
    const struct usage_name *a = va, *b = vb;
    int d = str_cmp(a->ns, b->ns);
    return d ? d : str_cmp(a->name, b->name);
}

static struct usage_names sorted(struct usage_names n)
{
    if (n.len)
        qsort(n.p, n.len, sizeof *n.p, compare_names);
    return n;
}

struct usage_names usage_nodes(struct usage_store *u, struct arena *a, nsec_t now)
{
    pthread_mutex_lock(&u->lock);
    struct usage_names out = {.p = arena_array(a, u->nodes.len + 1, struct usage_name)};
    map_foreach(e, &u->nodes)
    {
        const struct report *r = e->value;
        if (!is_old(r->received, now))
            out.p[out.len++] = (struct usage_name){S(""), arena_str(a, r->node)};
    }
    pthread_mutex_unlock(&u->lock);
    return sorted(out);
}

struct usage_names usage_pods(struct usage_store *u, struct arena *a, str ns, nsec_t now)
{
    pthread_mutex_lock(&u->lock);
    size_t n = 0;
    map_foreach(e, &u->pods) n += !ns.len || (str_has_prefix(e->key, ns) && e->key.p[ns.len] == '/');
    struct usage_names out = {.p = arena_array(a, n + 1, struct usage_name)};
    map_foreach(e, &u->pods)
    {
        const struct pod *p = e->value;
        if ((ns.len && !(str_has_prefix(p->key, ns) && p->key.p[ns.len] == '/')) || is_old(p->report->received, now))
            continue;
        str name = arena_str(a, str_sub(p->key, 0, p->key.len - p->report->node.len - 1)), space;
        str_cut(&name, '/', &space);
        out.p[out.len++] = (struct usage_name){space, name};
    }
    pthread_mutex_unlock(&u->lock);
    out = sorted(out);
    size_t unique = 0; /* a pod that moved is in two reports for a while */
    for (size_t i = 0; i < out.len; i++)
        if (!unique || compare_names(&out.p[i], &out.p[unique - 1]) != 0)
            out.p[unique++] = out.p[i];
    out.len = unique;
    return out;
}

/* --- values -------------------------------------------------------------------------------------------------------------------------------- */

static int make_room(struct usage_store *u, size_t bytes, nsec_t now, struct err *err)
{
    for (int i = 0; i < 2; i++) {
        if (u->series.len < USAGE_SERIES_MAX && u->series_bytes + bytes <= USAGE_SERIES_BYTES)
            return 0;
        sweep(u, now, true);
    }
    return err_set(err, E_BUSY, "no room for more metrics: at most %u of them, %u MiB together, are kept for %d seconds", USAGE_SERIES_MAX, USAGE_SERIES_BYTES >> 20,
                   (int)(USAGE_AGE_NS / NSEC_PER_SEC));
}

int usage_put_values(struct usage_store *u, str path, const struct json *items, nsec_t now, struct err *err)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    json_write(&text, items);
    pthread_mutex_lock(&u->lock);
    struct series *old = map_get(&u->series, path);
    if (old)
        forget_series(u, old);
    int res = items->len ? make_room(u, text.len + path.len, now, err) : 0;
    if (res == 0 && items->len) {
        struct series *s = xnew(struct series);
        *s = (struct series){.path = str_dup(path), .text = str_dup(strbuf_str(&text)), .bytes = text.len + path.len, .received = now};
        map_put(&u->series, str_n(s->path, path.len), s);
        u->series_bytes += s->bytes;
    }
    sweep(u, now, false);
    pthread_mutex_unlock(&u->lock);
    return res;
}

static bool path_fits(str path, str prefix, str suffix)
{
    return suffix.len ? str_has_prefix(path, prefix) && str_has_suffix(path, suffix) && path.len > prefix.len + suffix.len : str_eq(path, prefix);
}

struct json usage_get_values(struct usage_store *u, struct arena *a, str prefix, str suffix, nsec_t now)
{
    struct json out = json_array();
    pthread_mutex_lock(&u->lock);
    map_foreach(e, &u->series)
    {
        const struct series *s = e->value;
        struct json list;
        if (is_old(s->received, now) || !path_fits(e->key, prefix, suffix) || json_parse(a, arena_str(a, str_of(s->text)), NULL, &list, NULL) < 0)
            continue;
        for (uint32_t i = 0; i < list.len; i++)
            json_push(a, &out, list.items[i]);
    }
    pthread_mutex_unlock(&u->lock);
    return out;
}

void usage_drop_values(struct usage_store *u, str prefix, str suffix)
{
    struct map gone = MAP_INIT;
    pthread_mutex_lock(&u->lock);
    map_foreach(e, &u->series)
    {
        if (path_fits(e->key, prefix, suffix))
            map_put(&gone, e->key, e->value);
    }
    map_foreach(e, &gone) forget_series(u, e->value);
    pthread_mutex_unlock(&u->lock);
    map_fini(&gone);
}
