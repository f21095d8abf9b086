/* drain.c - the pods of a node: sorted into those that stay, that go and that are in the way; evicted; waited for.
 *
 * Evictions are asked for in rounds: a disruption budget may refuse one now (429) and allow it when another pod has found a new place, so refused
 * ones are asked again after five seconds while the others go.  A request names the pod's uid: a new pod of the same name is not the one meant. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain.h"

#include <time.h>

#include "base/civil.h"
#include "base/map.h"
#include "wire/json_make.h"

#define RETRY_NS (5 * NSEC_PER_SEC)
#define LOOK_NS (200 * NSEC_PER_MSEC)

enum verdict { STAYS, GOES, GOES_WITH_WARNING, IN_THE_WAY };
enum stage { WAITS, ASKED, GONE };

struct leaving {
    str ns, name, uid;
    enum stage stage;
    nsec_t again; /* when to ask, of those that were refused */
};

struct messages {
    str *text;
    struct strbuf *pods;
    size_t len;
};

/* --- who goes ------------------------------------------------------------------------------------------------------------------- */

static const struct json *controller_of(const struct json *pod)
{
    const struct json *refs = json_path(pod, "metadata", "ownerReferences", NULL);
    for (size_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++) {
        if (json_get_bool(&refs->items[i], S("controller"), false))
            return &refs->items[i];
    }
    return NULL;
}

static bool is_finished(const struct json *pod)
{
    str phase = json_str(json_path(pod, "status", "phase", NULL));
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static bool has_scratch_volume(const struct json *pod)
{
    const struct json *volumes = json_path(pod, "spec", "volumes", NULL);
    for (size_t i = 0; json_is(volumes, JSON_ARRAY) && i < volumes->len; i++) {
        if (json_get(&volumes->items[i], S("emptyDir")))
            return true;
    }
    return false;
}

static bool is_going_for_long(const struct drain *d, const struct json *pod)
{
    nsec_t since;
    const struct json *time = json_path(pod, "metadata", "deletionTimestamp", NULL);
    return d->skip_deleted_s > 0 && time && civil_parse(json_str(time), &since) &&
           clock_wall(&clock_real) - since > d->skip_deleted_s * NSEC_PER_SEC;
}

/* Pods of daemon sets would be made again at once; when the set itself is gone they are nobody's. */
static enum verdict judge_daemon(struct drain *d, const struct json *pod, const struct json *owner, str *why)
{
    const struct discovery_resource *res;
    struct failure f = FAILURE_NONE;
    struct json set;
    int r = resource_type_find(d->s, S("daemonsets.apps"), &res, &f);
    if (r == 0)
        r = session_get(d->s, discovery_path(&d->s->arena, res, json_str(json_path(pod, "metadata", "namespace", NULL)), json_get_str(owner, S("name")), S("")), S(""),
                        &set, &f);
    if (r < 0) {
        *why = f.err.code == E_NOT_FOUND && d->force ? S("deleting Pods that declare no controller")
                                                      : arena_str(&d->s->arena, f.from_server ? f.message : str_of(f.err.msg));
        return f.err.code == E_NOT_FOUND && d->force ? GOES_WITH_WARNING : IN_THE_WAY;
    }
    *why = d->ignore_daemonsets ? S("ignoring DaemonSet-managed Pods") : S("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)");
    return d->ignore_daemonsets ? STAYS : IN_THE_WAY;
}

static enum verdict judge(struct drain *d, const struct json *pod, str *why)
{
    const struct json *owner = controller_of(pod);
    *why = S("");
    if (is_going_for_long(d, pod))
        return STAYS;
    if (owner && str_is(json_get_str(owner, S("kind")), "DaemonSet") && !is_finished(pod))
        return judge_daemon(d, pod, owner, why);
    if (json_get(json_path(pod, "metadata", "annotations", NULL), S("kubernetes.io/config.mirror")))
        return STAYS; /* a file on the node makes it, not the API */
    if (is_finished(pod))
        return GOES;
    if (has_scratch_volume(pod) && !d->delete_emptydir) {
        *why = S("Pods with local storage (use --delete-emptydir-data to override)");
        return IN_THE_WAY;
    }
    if (owner) {
        *why = has_scratch_volume(pod) ? S("deleting Pods with local storage") : S("");
        return why->len ? GOES_WITH_WARNING : GOES;
    }
    *why = d->force ? S("deleting Pods that declare no controller") : S("cannot delete Pods that declare no controller (use --force to override)");
    return d->force ? GOES_WITH_WARNING : IN_THE_WAY;
}

/* One line for each reason, with all its pods. */
static void add_message(struct arena *a, struct messages *m, str why, str ns, str name)
{
    size_t i = 0;
    while (i < m->len && !str_eq(m->text[i], why))
        i++;
    if (i == m->len) {
        m->text = arena_grow(a, m->text, m->len * sizeof *m->text, (m->len + 1) * sizeof *m->text);
        m->pods = arena_grow(a, m->pods, m->len * sizeof *m->pods, (m->len + 1) * sizeof *m->pods);
        m->text[m->len] = why;
        m->pods[m->len++] = strbuf_on(a);
    }
    strbuf_addf(&m->pods[i], "%s" STR_FMT "/" STR_FMT, m->pods[i].len ? ", " : "", STR_ARG(ns), STR_ARG(name));
}

static int list_pods(struct drain *d, str node, struct json *ret, struct failure *f)
{
    struct strbuf q = strbuf_on(&d->s->arena);
    client_query_add(&q, "fieldSelector", arena_fmt(&d->s->arena, "spec.nodeName=" STR_FMT, STR_ARG(node)));
    if (d->pod_selector && d->pod_selector[0])
        client_query_add(&q, "labelSelector", str_of(d->pod_selector));
    return resources_list(d->s, S("/api/v1/pods"), strbuf_str(&q), S(""), cli_int(d->s->args, "chunk-size", 500), ret, f);
}

static void print_warnings(const struct messages *m)
{
    for (size_t i = 0; i < m->len; i++)
        fprintf(stderr, "%s" STR_FMT ": %s", i ? "; " : "Warning: ", STR_ARG(m->text[i]), strbuf_cstr(&m->pods[i]));
    if (m->len)
        fputc('\n', stderr);
}

static size_t sort_out(struct drain *d, const struct json *pods, struct leaving *go, struct drain_why *why)
{
    struct arena *a = &d->s->arena;
    struct messages warnings = {0}, errors = {0};
    size_t n = 0;
    for (size_t i = 0; json_is(pods, JSON_ARRAY) && i < pods->len; i++) {
        const struct json *meta = json_get(&pods->items[i], S("metadata"));
        struct leaving one = {.ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name")), .uid = json_get_str(meta, S("uid"))};
        str text;
        enum verdict v = judge(d, &pods->items[i], &text);
        if (text.len)
            add_message(a, v == IN_THE_WAY ? &errors : &warnings, text, one.ns, one.name);
        if (v == GOES || v == GOES_WITH_WARNING)
            go[n++] = one;
    }
    why->list = arena_array(a, errors.len + 1, str);
    for (why->len = 0; why->len < errors.len; why->len++)
        why->list[why->len] = arena_fmt(a, "cannot delete " STR_FMT ": %s", STR_ARG(errors.text[why->len]), strbuf_cstr(&errors.pods[why->len]));
    if (!errors.len)
        print_warnings(&warnings);
    return n;
}

/* --- going ------------------------------------------------------------------------------------------------------------------------ */

static int ask(struct drain *d, const struct leaving *p, struct failure *f)
{
    struct session *s = d->s;
    struct json options = json_make(&s->arena, "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{\"uid\":%S}}", p->uid), answer;
    str path = arena_fmt(&s->arena, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name));
    str query = d->dry_run == DRY_RUN_SERVER ? S("dryRun=All") : S("");
    if (d->grace_s >= 0)
        json_set(&s->arena, &options, S("gracePeriodSeconds"), json_int(&s->arena, d->grace_s));
    if (d->dry_run == DRY_RUN_SERVER)
        json_set(&s->arena, &options, S("dryRun"), json_literal(&s->arena, "[\"All\"]"));
    if (d->disable_eviction)
        return session_send(s, S("DELETE"), path, query, &options, &answer, f);
    struct json body = json_make(&s->arena, "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":%S,\"namespace\":%S},\"deleteOptions\":%j}", p->name,
                                 p->ns, &options);
    return session_send(s, S("POST"), arena_cat(&s->arena, path, S("/eviction")), query, &body, &answer, f);
}

static const char *behind(const struct drain *d)
{
    static const char *const texts[] = {"", " (dry run)", " (server dry run)"};
    return texts[d->dry_run];
}

/* One try; refusals by a budget are no failure. */
static int try_one(struct drain *d, struct leaving *p, struct failure *f)
{
    if (!d->disable_eviction)
        printf("evicting pod " STR_FMT "/" STR_FMT "%s\n", STR_ARG(p->ns), STR_ARG(p->name), behind(d));
    if (d->dry_run == DRY_RUN_CLIENT) {
        p->stage = GONE;
        return 0;
    }
    int r = ask(d, p, f);
    if (r == -E_NOT_FOUND || r == -E_CONFLICT) { /* gone, or another one of its name */
        p->stage = GONE;
        return 0;
    }
    if (r == -E_BUSY) {
        fprintf(stderr, "error when evicting pods/\"" STR_FMT "\" -n \"" STR_FMT "\" (will retry after 5s): " STR_FMT "\n", STR_ARG(p->name), STR_ARG(p->ns),
                STR_ARG(f->from_server ? f->message : str_of(f->err.msg)));
        p->again = clock_mono(&clock_real) + RETRY_NS;
        return 0;
    }
    if (r < 0)
        return r;
    p->stage = d->dry_run == DRY_RUN_SERVER ? GONE : ASKED;
    return 0;
}

/* Those that the node no longer has are told and done with. */
static int look(struct drain *d, str node, struct leaving *go, size_t n, struct failure *f)
{
    struct json list;
    struct map there = MAP_INIT;
    int r = list_pods(d, node, &list, f);
    if (r < 0)
        return r;
    const struct json *items = json_get(&list, S("items"));
    for (size_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++)
        map_put(&there, json_str(json_path(&items->items[i], "metadata", "uid", NULL)), &items->items[i]);
    for (size_t i = 0; i < n; i++) {
        if (go[i].stage == GONE || map_has(&there, go[i].uid))
            continue;
        if (go[i].stage == ASKED)
            printf("pod/" STR_FMT " %s\n", STR_ARG(go[i].name), d->disable_eviction ? "deleted" : "evicted");
        go[i].stage = GONE;
    }
    map_fini(&there);
    fflush(stdout);
    return 0;
}

/* A failure's words without what they point into. */
static int in_own_words(struct drain *d, int r, struct failure *f)
{
    str why = arena_str(&d->s->arena, f->from_server ? f->message : str_of(f->err.msg));
    return failure_set(f, -r, STR_FMT, STR_ARG(why));
}

static int round_of(struct drain *d, str node, struct leaving *go, size_t n, size_t *ret_left, struct failure *f)
{
    nsec_t now = clock_mono(&clock_real);
    for (size_t i = 0; i < n; i++) {
        if (go[i].stage != WAITS || go[i].again > now)
            continue;
        int r = try_one(d, &go[i], f);
        if (r < 0) {
            str why = arena_str(&d->s->arena, f->from_server ? f->message : str_of(f->err.msg));
            return failure_set(f, -r, "error when %s pods/\"" STR_FMT "\" -n \"" STR_FMT "\": " STR_FMT, d->disable_eviction ? "deleting" : "evicting", STR_ARG(go[i].name),
                               STR_ARG(go[i].ns), STR_ARG(why));
        }
    }
    fflush(stdout);
    int r = d->dry_run == DRY_RUN_NONE ? look(d, node, go, n, f) : 0;
    if (r < 0)
        return in_own_words(d, r, f);
    *ret_left = 0;
    for (size_t i = 0; i < n; i++)
        *ret_left += go[i].stage != GONE;
    return 0;
}

/* A drain may take hours: what a round reads is freed with the round. */
static int round_alone(struct drain *d, str node, struct leaving *go, size_t n, size_t *ret_left, struct failure *f)
{
    struct arena outer = d->s->arena;
    d->s->arena = ARENA_INIT;
    int r = round_of(d, node, go, n, ret_left, f);
    arena_fini(&d->s->arena);
    d->s->arena = outer;
    return r;
}

int drain_node(struct drain *d, str node, struct drain_why *ret_why, struct failure *f)
{
    struct json list;
    *ret_why = (struct drain_why){0};
    int r = list_pods(d, node, &list, f);
    if (r < 0)
        return r;
    const struct json *pods = json_get(&list, S("items"));
    struct leaving *go = arena_array(&d->s->arena, (json_is(pods, JSON_ARRAY) ? pods->len : 0) + 1, struct leaving);
    size_t n = sort_out(d, pods, go, ret_why), left = n;
    if (ret_why->len)
        return -E_CONFLICT;
    while (r == 0 && left) {
        r = round_alone(d, node, go, n, &left, f);
        if (r == 0 && left && d->end && clock_mono(&clock_real) >= d->end)
            r = failure_set(f, E_TIMEOUT, "drain did not complete within %s", d->timeout_text);
        if (r == 0 && left)
            nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    if (r < 0) {
        ret_why->list = arena_array(&d->s->arena, 1, str);
        ret_why->list[ret_why->len++] = arena_str(&d->s->arena, f->from_server ? f->message : str_of(f->err.msg));
    }
    return r;
}
