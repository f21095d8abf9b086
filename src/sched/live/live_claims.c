/* live_claims.c - claims that wait for their first consumer get what the engine promised them, before the pod is bound.
 *
 *   for each claim:  GET it ─► bound already: next
 *                      │ a volume was chosen                    │ one is to be made on the node
 *                      ▼                                        ▼
 *                    GET the volume, PATCH its claimRef       PATCH the claim's annotation selected-node
 *   then wait until the volume controller has bound all of them; the watch of claims tells
 * A provisioner that cannot makes the annotation go away again: the pod is placed anew. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"
#include "sched/engine/storage_types.h"
#include "sched/live/live_internal.h"

#define CLAIMS_WAIT_NS (600 * NSEC_PER_SEC)
#define CONFLICTS_MAX 5
#define SELECTED_NODE "volume.kubernetes.io/selected-node"

struct entry {
    str ns, name; /* of the claim */
    str volume;   /* chosen; "": one is made on the node */
    str uid;      /* of the claim, when it was read */
    bool was_selected; /* the watch showed our annotation */
};
struct live_claims {
    struct live *l;
    struct arena arena;
    struct entry *list;
    size_t n, at;
    str node;
    enum { GET_CLAIM, PATCH_CLAIM, GET_VOLUME, PATCH_VOLUME, WAITING } step;
    unsigned conflicts;
    struct outbox_item item;
    struct loop_timer timer;
    void (*done)(void *arg, bool ok);
    void *arg;
};

static void go_on(struct live_claims *x);

void live_claims_free(struct live_claims *x)
{
    if (!x)
        return;
    loop_timer_stop(x->l->opts.loop, &x->timer);
    arena_fini(&x->arena);
    free(x);
}

/* The last thing that is done with it. */
static void end(struct live_claims *x, bool ok)
{
    loop_timer_stop(x->l->opts.loop, &x->timer);
    x->done(x->arg, ok);
}

static struct claim *claim_of(const struct live_claims *x, const struct entry *e)
{
    const struct sched *s = x->l->s;
    sym_t ns = symbol_find(&s->sym, e->ns), name = symbol_find(&s->sym, e->name);
    return name ? storage_claim_find(s->storage, ns, name) : NULL;
}

/* --- requests ------------------------------------------------------------------------------------------------------------------------------------ */
static str claim_path(struct live_claims *x, const struct entry *e)
{
    struct strbuf b = strbuf_on(&x->arena);
    strbuf_add_str(&b, S("/api/v1/namespaces"));
    client_path_add(&b, e->ns);
    strbuf_add_str(&b, S("/persistentvolumeclaims"));
    client_path_add(&b, e->name);
    return strbuf_str(&b);
}

static str volume_path(struct live_claims *x, const struct entry *e)
{
    struct strbuf b = strbuf_on(&x->arena);
    strbuf_add_str(&b, S("/api/v1/persistentvolumes"));
    client_path_add(&b, e->volume);
    return strbuf_str(&b);
}

static void ask(struct live_claims *x, const char *method, str path, const struct json *body)
{
    x->item.call.method = str_of(method);
    x->item.call.path = path;
    x->item.call.content_type = body ? S("application/merge-patch+json") : S("");
    x->item.call.body = body ? json_text(&x->arena, body) : S("");
    outbox_add(x->l->binds, &x->item);
}

/* {"metadata": {"resourceVersion": RV, "annotations": {key: value}}} */
static struct json patch_of(struct live_claims *x, const struct json *obj, str key, str value)
{
    struct arena *a = &x->arena;
    struct json patch = json_object();
    struct json *meta = json_ensure_object(a, &patch, S("metadata"));
    json_set(a, meta, S("resourceVersion"), json_string(arena_str(a, json_get_str(json_get(obj, S("metadata")), S("resourceVersion")))));
    json_set(a, json_ensure_object(a, meta, S("annotations")), key, json_string(value));
    return patch;
}

static void patch_claim(struct live_claims *x, const struct json *claim)
{
    struct json patch = patch_of(x, claim, S(SELECTED_NODE), x->node);
    x->step = PATCH_CLAIM;
    ask(x, "PATCH", claim_path(x, &x->list[x->at]), &patch);
}

static void patch_volume(struct live_claims *x, const struct json *volume)
{
    struct arena *a = &x->arena;
    const struct entry *e = &x->list[x->at];
    const struct json *ref = json_path(volume, "spec", "claimRef", NULL);
    if (json_is(ref, JSON_OBJECT) && !(str_eq(json_get_str(ref, S("namespace")), e->ns) && str_eq(json_get_str(ref, S("name")), e->name))) {
        end(x, false); /* another claim has it */
        return;
    }
    struct json patch = patch_of(x, volume, S("pv.kubernetes.io/bound-by-controller"), S("yes")), claim = json_object();
    json_set(a, &claim, S("apiVersion"), json_string(S("v1")));
    json_set(a, &claim, S("kind"), json_string(S("PersistentVolumeClaim")));
    json_set(a, &claim, S("namespace"), json_string(e->ns));
    json_set(a, &claim, S("name"), json_string(e->name));
    json_set(a, &claim, S("uid"), json_string(e->uid));
    json_set(a, json_ensure_object(a, &patch, S("spec")), S("claimRef"), claim);
    x->step = PATCH_VOLUME;
    ask(x, "PATCH", volume_path(x, e), &patch);
}

/* --- answers ---------------------------------------------------------------------------------------------------------------------------------------- */
static void next_claim(struct live_claims *x)
{
    x->at++;
    x->conflicts = 0;
    go_on(x);
}

static void got_claim(struct live_claims *x, const struct json *claim)
{
    struct entry *e = &x->list[x->at];
    if (json_get_str(json_get(claim, S("spec")), S("volumeName")).len) {
        next_claim(x);
        return;
    }
    e->uid = arena_str(&x->arena, json_get_str(json_get(claim, S("metadata")), S("uid")));
    if (e->volume.len) {
        x->step = GET_VOLUME;
        ask(x, "GET", volume_path(x, e), NULL);
    } else {
        patch_claim(x, claim);
    }
}

static void on_done(struct outbox_item *it)
{
    struct live_claims *x = container_of(it, struct live_claims, item);
    struct json obj = json_null();
    struct err err;
    int status = it->call.status;
    ARENA_AUTO a = ARENA_INIT;
    if (status == 409 && ++x->conflicts < CONFLICTS_MAX) {
        go_on(x);
        return;
    }
    if (status / 100 != 2 || json_parse(&a, it->call.response, NULL, &obj, &err) < 0) {
        end(x, false);
        return;
    }
    if (x->step == GET_CLAIM)
        got_claim(x, &obj);
    else if (x->step == GET_VOLUME)
        patch_volume(x, &obj);
    else
        next_claim(x);
}

static void timed_out(struct loop_timer *t)
{
    end(container_of(t, struct live_claims, timer), false);
}

/* The next claim from its first step; after the last one the wait. */
static void go_on(struct live_claims *x)
{
    if (x->at < x->n) {
        x->step = GET_CLAIM;
        ask(x, "GET", claim_path(x, &x->list[x->at]), NULL);
        return;
    }
    x->step = WAITING;
    loop_timer_set(x->l->opts.loop, &x->timer, loop_now(x->l->opts.loop) + CLAIMS_WAIT_NS);
    live_claims_look(x);
}

void live_claims_look(struct live_claims *x)
{
    size_t bound = 0;
    for (size_t i = 0; i < x->n; i++) {
        struct entry *e = &x->list[i];
        const struct claim *c = claim_of(x, e);
        bool is_there = c && c->known && !c->lost && !c->deleting;
        bool selected = is_there && str_eq(symbol_text(&x->l->s->sym, c->selected_node), x->node);
        bool given_back = is_there && !c->volume && !selected && e->was_selected;
        e->was_selected |= selected;
        if (x->step != WAITING)
            continue;
        if (!is_there || given_back) {
            end(x, false);
            return;
        }
        bound += claim_is_bound(c);
    }
    if (x->step == WAITING && bound == x->n)
        end(x, true);
}

str live_claims_text(const struct live_claims *x, struct arena *a)
{
    struct strbuf b = strbuf_on(a);
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        const struct claim *c = claim_of(x, &x->list[i]);
        if (c && claim_is_bound(c))
            continue;
        strbuf_addf(&b, "%s" STR_FMT, n++ ? ", " : "", STR_ARG(x->list[i].name));
    }
    return arena_fmt(a, "its place on " STR_FMT " is kept; waiting for PersistentVolumeClaim%s " STR_FMT " to be bound", STR_ARG(x->node), n == 1 ? "" : "s", STR_ARG(strbuf_str(&b)));
}

bool live_claims_has(const struct live_claims *x, str ns, str name)
{
    for (size_t i = 0; i < x->n; i++)
        if (str_eq(x->list[i].name, name) && str_eq(x->list[i].ns, ns))
            return true;
    return false;
}

/* --- making ------------------------------------------------------------------------------------------------------------------------------------------ */
struct live_claims *live_claims_new(struct live *l, pod_id p)
{
    struct sched *s = l->s;
    const struct pod_class *c = class_of(s, p);
    struct live_claims *x = NULL;
    for (uint32_t i = 0; i < c->nvolumes; i++) {
        const struct claim *claim = c->volumes[i].claim ? storage_claim_find(s->storage, c->ns, c->volumes[i].claim) : NULL;
        if (!claim || !claim_waits(claim))
            continue;
        if (!x) {
            x = xnew(struct live_claims);
            x->l = l;
            x->list = arena_array(&x->arena, c->nvolumes, struct entry);
            x->node = arena_str(&x->arena, sched_node_name(s, s->pods[p].node));
            x->item.done = on_done;
            x->timer.fire = timed_out;
        }
        struct entry *e = &x->list[x->n++];
        e->ns = arena_str(&x->arena, symbol_text(&s->sym, claim->key.ns));
        e->name = arena_str(&x->arena, symbol_text(&s->sym, claim->key.name));
        e->volume = claim->chosen ? arena_str(&x->arena, symbol_text(&s->sym, claim->chosen->name)) : S("");
    }
    return x;
}

void live_claims_start(struct live_claims *x, void (*done)(void *arg, bool ok), void *arg)
{
    x->done = done;
    x->arg = arg;
    go_on(x);
}
