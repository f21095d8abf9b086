/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/node_index.h"

#include <pthread.h>

#include "apiserver/objects.h"
#include "client/raw.h"
#include "rt/tls.h"

#define PODS OBJECT_ROOT "core/pods/"
#define EVENTS 64
#define LOOK_STEP 1024 /* pods read between two looks at what has happened meanwhile: the store's window must not pass */

struct entry {
    uint64_t key;  /* 0: free */
    int32_t count; /* below zero while it is built: a pod's end was heard of before the pod was read */
};

struct node_index {
    struct store *store;
    atomic_bool stale;        /* the store has news */
    pthread_mutex_t lock;     /* guards all below */
    bool built;
    struct store_watch *watch;
    uint64_t seed[2];
    struct entry *slots;
    size_t cap, used; /* used: slots that are not free, counted ones and those at zero */
};

/* --- the references of a pod ----------------------------------------------------------------------------------------------- */

struct walk {
    struct arena *arena;
    void (*each)(void *arg, enum node_ref kind, str name);
    void *arg;
    str pod;
};

/* Members by which things are referred to, anywhere in a pod's spec; what is called so elsewhere has no such name in it. */
static const struct {
    const char *member, *name;
    enum node_ref kind;
} members[] = {
    {"secret", "secretName", NODE_REF_SECRET},         {"secret", "name", NODE_REF_SECRET},          {"secretRef", "name", NODE_REF_SECRET},
    {"secretKeyRef", "name", NODE_REF_SECRET},         {"nodePublishSecretRef", "name", NODE_REF_SECRET}, {"configMap", "name", NODE_REF_CONFIG},
    {"configMapRef", "name", NODE_REF_CONFIG},         {"configMapKeyRef", "name", NODE_REF_CONFIG}, {"persistentVolumeClaim", "claimName", NODE_REF_CLAIM},
    {"azureFile", "secretName", NODE_REF_SECRET},
};

static void walk_value(const struct walk *w, const struct json *v)
{
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->len; i++)
        walk_value(w, &v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->len; i++) {
        const struct json_member *m = &v->members[i];
        for (size_t k = 0; m->value.type == JSON_OBJECT && k < ARRAY_LEN(members); k++) {
            str name = str_is(m->key, members[k].member) ? json_get_str(&m->value, str_of(members[k].name)) : S("");
            if (name.len)
                w->each(w->arg, members[k].kind, name);
        }
        if (str_is(m->key, "ephemeral") && m->value.type == JSON_OBJECT) /* its claim is named after pod and volume */
            w->each(w->arg, NODE_REF_CLAIM, arena_fmt(w->arena, STR_FMT "-" STR_FMT, STR_ARG(w->pod), STR_ARG(json_get_str(v, S("name")))));
        walk_value(w, &m->value);
    }
}

void node_refs_each(struct arena *a, const struct json *pod, void (*each)(void *arg, enum node_ref kind, str name), void *arg)
{
    static const str lists[] = {STR_INIT("volumes"), STR_INIT("containers"), STR_INIT("initContainers"), STR_INIT("ephemeralContainers")};
    const struct json *spec = json_get(pod, S("spec")), *pulls = json_get(spec, S("imagePullSecrets"));
    struct walk w = {a, each, arg, object_name(pod)};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (json_get(spec, lists[i]))
            walk_value(&w, json_get(spec, lists[i]));
    for (uint32_t i = 0; json_is(pulls, JSON_ARRAY) && i < pulls->len; i++)
        each(arg, NODE_REF_SECRET, json_get_str(&pulls->items[i], S("name")));
    if (json_get_str(spec, S("serviceAccountName")).len)
        each(arg, NODE_REF_ACCOUNT, json_get_str(spec, S("serviceAccountName")));
}

/* --- counting ------------------------------------------------------------------------------------------------------------ */

/* SipHash-1-3: nobody who does not know the seed finds two references with one hash. */
#define ROTL(x, b) (((x) << (b)) | ((x) >> (64 - (b))))
static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[1] = ROTL(v[1], 13) ^ v[0], v[0] = ROTL(v[0], 32);
    v[2] += v[3], v[3] = ROTL(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = ROTL(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = ROTL(v[1], 17) ^ v[2], v[2] = ROTL(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t m)
{
    v[3] ^= m;
    sip_round(v);
    v[0] ^= m;
}

/* Each text with its length, so that "a","bc" and "ab","c" differ. */
static void sip_str(uint64_t v[4], str s)
{
    sip_word(v, s.len);
    for (size_t i = 0; i < s.len; i += 8) {
        uint64_t m = 0;
        memcpy(&m, s.p + i, MIN((size_t)8, s.len - i));
        sip_word(v, m);
    }
}

static uint64_t key_of(const struct node_index *x, str node, enum node_ref kind, str ns, str name)
{
    uint64_t v[4] = {x->seed[0] ^ 0x736f6d6570736575u, x->seed[1] ^ 0x646f72616e646f6du, x->seed[0] ^ 0x6c7967656e657261u, x->seed[1] ^ 0x7465646279746573u};
    sip_word(v, (uint64_t)kind);
    sip_str(v, node);
    sip_str(v, ns);
    sip_str(v, name);
    v[2] ^= 0xff;
    sip_round(v), sip_round(v), sip_round(v);
    uint64_t h = v[0] ^ v[1] ^ v[2] ^ v[3];
    return h ? h : 1;
}

static struct entry *slot_of(struct entry *slots, size_t cap, uint64_t key)
{
    size_t i = key & (cap - 1);
    while (slots[i].key && slots[i].key != key)
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

/* Those at zero are left behind. */
static void grow(struct node_index *x)
{
    size_t live = 0;
    for (size_t i = 0; i < x->cap; i++)
        live += x->slots[i].count != 0;
    size_t cap = 64;
    while (cap < live * 3)
        cap *= 2;
    struct entry *slots = xcalloc(cap, sizeof *slots);
    for (size_t i = 0; i < x->cap; i++)
        if (x->slots[i].count)
            *slot_of(slots, cap, x->slots[i].key) = x->slots[i];
    free(x->slots);
    x->slots = slots;
    x->cap = cap;
    x->used = live;
}

struct change {
    struct node_index *x;
    str node, ns;
    int by;
};

static void count(void *arg, enum node_ref kind, str name)
{
    struct change *c = arg;
    struct node_index *x = c->x;
    if (!name.len)
        return;
    if ((x->used + 1) * 4 > x->cap * 3)
        grow(x);
    struct entry *e = slot_of(x->slots, x->cap, key_of(x, c->node, kind, c->ns, name));
    if (!e->key) {
        e->key = key_of(x, c->node, kind, c->ns, name);
        x->used++;
    }
    e->count += c->by;
}

/* "" when it has no node. */
static str node_of(const struct store_kv *kv)
{
    str spec, node = S("");
    return kv && raw_member_from(store_kv_value(kv), S("spec"), &spec) && raw_member_text(spec, S("nodeName"), &node) ? node : S("");
}

static void take_pod(struct node_index *x, const struct store_kv *kv, int by)
{
    ARENA_AUTO a = ARENA_INIT;
    str node = node_of(kv);
    if (!node.len)
        return;
    struct json pod = object_parse(&a, store_kv_value(kv));
    struct change c = {x, node, object_ns(&pod), by};
    node_refs_each(&a, &pod, count, &c);
    count(&c, NODE_REF_NAMESPACE, NODE_REF_ANY);
}

/* --- keeping current ------------------------------------------------------------------------------------------------------------ */

static void on_change(void *arg)
{
    struct node_index *x = arg;
    atomic_store(&x->stale, true);
}

/* What a pod refers to is fixed once it is made, but for debug containers. */
static bool has_debug_containers(const struct store_kv *kv)
{
    str spec, list;
    return raw_member_from(store_kv_value(kv), S("spec"), &spec) && raw_member_from(spec, S("ephemeralContainers"), &list);
}

static void take_event(struct node_index *x, const struct store_event *e)
{
    if (e->type == STORE_DELETE) {
        take_pod(x, e->kv, -1);
        return;
    }
    bool was_bound = node_of(e->prev).len > 0;
    if (was_bound && !has_debug_containers(e->kv))
        return;
    if (was_bound)
        take_pod(x, e->prev, -1);
    take_pod(x, e->kv, 1);
}

/* Takes what has happened, and arms the wake-up for what will.  False: the store's window has passed. */
static bool drain(struct node_index *x)
{
    struct store_event events[EVENTS];
    rev_t rev;
    int n;
    while ((n = store_watch_next(x->watch, events, ARRAY_LEN(events), &rev)) > 0) {
        for (int i = 0; i < n; i++)
            take_event(x, &events[i]);
        store_events_release(events, (size_t)n);
    }
    return n == 0;
}

struct look {
    struct node_index *x;
    size_t seen;
    bool lost; /* the window passed on the way */
};

static bool first_look(void *arg, const struct store_kv *kv)
{
    struct look *l = arg;
    take_pod(l->x, kv, 1);
    if (++l->seen % LOOK_STEP == 0)
        l->lost = !drain(l->x);
    return !l->lost;
}

/* All pods of one revision, and what has happened since: counts add up in any order. */
static void build(struct node_index *x)
{
    ARENA_AUTO a = ARENA_INIT;
    CLEANUP(store_view_close) struct store_view *v = NULL;
    struct look l = {.x = x};
    store_watch_close(TAKE(x->watch));
    x->built = false;
    free(TAKE(x->slots));
    x->cap = x->used = 0;
    grow(x);
    if (store_view_open(x->store, 0, &v, NULL) < 0 || store_watch_open(x->store, S(PODS), store_view_revision(v), on_change, x, &x->watch, NULL) < 0)
        return;
    store_view_range(v, S(PODS), store_prefix_end(&a, S(PODS)), first_look, &l);
    x->built = !l.lost && drain(x);
}

static void catch_up(struct node_index *x)
{
    atomic_store(&x->stale, false); /* before reading: what comes meanwhile makes it stale again */
    if (x->built && drain(x))
        return;
    build(x);
    if (!x->built)
        atomic_store(&x->stale, true); /* nobody would wake us: the next question tries again */
}

struct node_index *node_index_new(struct store *store)
{
    struct node_index *x = xnew(struct node_index);
    x->store = store;
    atomic_store(&x->stale, true);
    pthread_mutex_init(&x->lock, NULL);
    tls_random(x->seed, sizeof x->seed);
    return x;
}

void node_index_free(struct node_index *x)
{
    if (!x)
        return;
    if (x->watch)
        store_watch_close(x->watch);
    pthread_mutex_destroy(&x->lock);
    free(x->slots);
    free(x);
}

static bool is_counted(const struct node_index *x, uint64_t key)
{
    return x->built && slot_of(x->slots, x->cap, key)->count > 0;
}

/* Nobody is refused by what was known before: the writer wakes watches one after the other, and the node may have been told of its pod, and be here, before we are. */
bool node_index_has(struct node_index *x, str node, enum node_ref kind, str ns, str name)
{
    pthread_mutex_lock(&x->lock);
    uint64_t key = key_of(x, node, kind, ns, name);
    bool has = !atomic_load(&x->stale) && is_counted(x, key);
    if (!has) {
        catch_up(x);
        has = is_counted(x, key);
    }
    pthread_mutex_unlock(&x->lock);
    return has;
}

size_t node_index_len(struct node_index *x)
{
    size_t n = 0;
    (void)node_index_has(x, S(""), NODE_REF_SECRET, S(""), S(""));
    for (size_t i = 0; i < x->cap; i++)
        n += x->slots[i].count > 0;
    return n;
}
