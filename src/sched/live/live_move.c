/* live_move.c - Gödel's Movements: nodes that the pods of an owner are to go to when they come again.
 *
 *   Movement.status.owners[{owner, recommendedNodes[{node, desiredPodCount, actualPods}], mismatchedTasks}]        written by a rescheduler, which also deletes the pods
 *   a pod of that owner comes ─► nominated to the first node with fewer pods than it is to have: tried there first, and elsewhere when there is no room
 *   it is bound ─► into actualPods of its node, or into mismatchedTasks; notifiedSchedulers has our name
 * What was written last is what counts: a status that somebody else changes is read anew.  Pods on their way are counted, too.
 * Threads: the loop's.  Limits: MOVES objects, and OURS more of our own; those beyond are left as they are. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/client.h"
#include "sched/live/live_internal.h"

#define API "scheduling.godel.kubewharf.io/v1alpha1"
#define MOVES 256u
#define OURS 4096u /* beyond those, of our own rescheduler: an hour of one plan a second, whose budget they are the memory of */

struct way { /* a pod that was sent to a node, and is not bound yet */
    char *uid, *node;
};
struct move {
    char *name;
    bool is_ours; /* of live_defrag.c */
    nsec_t created_ns;
    uint32_t ntasks;
    struct json status; /* on the arena */
    struct arena arena;
    uint64_t looks;
    VEC(struct way) ways;
};
struct live_moves {
    VEC(struct move *) list;
};

struct live_moves *live_moves_new(void)
{
    return xnew(struct live_moves);
}

static void ways_clear(struct move *m)
{
    for (size_t i = 0; i < m->ways.len; i++) {
        free(m->ways.p[i].uid);
        free(m->ways.p[i].node);
    }
    vec_fini(&m->ways);
}

static void move_free(struct move *m)
{
    ways_clear(m);
    arena_fini(&m->arena);
    free(m->name);
    free(m);
}

void live_moves_free(struct live_moves *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->list.len; i++)
        move_free(x->list.p[i]);
    vec_fini(&x->list);
    free(x);
}

bool live_moves_any(const struct live *l)
{
    return l->moves->list.len > 0;
}

static size_t find(const struct live_moves *x, str name)
{
    size_t i = 0;
    while (i < x->list.len && !str_is(name, x->list.p[i]->name))
        i++;
    return i;
}

static size_t len_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->len : 0;
}

/* --- what is written --------------------------------------------------------------------------------------------------------------------------- */
static void send(struct live *l, struct move *m)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    strbuf_add_str(&path, S("/apis/" API "/movements"));
    client_path_add(&path, str_of(m->name));
    strbuf_add_str(&path, S("/status"));
    strbuf_add_str(&b, S("{\"status\":"));
    json_write(&b, &m->status);
    strbuf_add_char(&b, '}');
    m->looks = str_hash(json_text(&a, &m->status));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

static void notify(struct live *l, struct move *m)
{
    struct json *list = json_get(&m->status, S("notifiedSchedulers"));
    str me = str_of(l->names[0]);
    for (size_t i = 0; i < len_of(list); i++)
        if (str_eq(json_str(&list->items[i]), me))
            return;
    if (!len_of(list))
        list = json_set(&m->arena, &m->status, S("notifiedSchedulers"), json_array());
    json_push(&m->arena, list, json_string(me));
    send(l, m);
}

void live_move_put(struct live *l, const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    struct live_moves *x = l->moves;
    str name = json_get_str(json_get(obj, S("metadata")), S("name"));
    const struct json *status = json_get(obj, S("status"));
    uint64_t looks = json_is(status, JSON_OBJECT) ? str_hash(json_text(&a, status)) : 0;
    size_t at = find(x, name);
    struct move *m = at < x->list.len ? x->list.p[at] : NULL;
    bool is_ours = str_is(json_get_str(json_get(obj, S("spec")), S("creator")), LIVE_DEFRAG_CREATOR);
    if ((m && m->looks == looks) || (!m && x->list.len >= (is_ours ? MOVES + OURS : MOVES)))
        return;
    if (!m) {
        m = xnew(struct move);
        m->arena = ARENA_INIT;
        m->name = str_dup(name);
        m->is_ours = is_ours;
        m->ntasks = (uint32_t)len_of(json_path(obj, "spec", "deletedTasks", NULL));
        if (!civil_parse(json_get_str(json_get(obj, S("metadata")), S("creationTimestamp")), &m->created_ns))
            m->created_ns = live_now(l);
        vec_push(&x->list, m);
    }
    arena_reset(&m->arena);
    m->looks = looks;
    m->status = json_is(status, JSON_OBJECT) ? json_copy(&m->arena, status) : json_object();
    if (len_of(json_get(&m->status, S("owners"))))
        notify(l, m);
}

void live_move_delete(struct live *l, str name)
{
    size_t at = find(l->moves, name);
    if (at == l->moves->list.len)
        return;
    move_free(l->moves->list.p[at]);
    vec_remove(&l->moves->list, at);
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------------------ */
static str owner_uid(const struct json *pod)
{
    const struct json *refs = json_path(pod, "metadata", "ownerReferences", NULL);
    for (size_t i = 0; i < len_of(refs); i++)
        if (json_get_bool(&refs->items[i], S("controller"), false))
            return json_get_str(&refs->items[i], S("uid"));
    return S("");
}

/* What a movement says about the owner; NULL: nothing. */
static struct json *entry_of(const struct move *m, str uid)
{
    struct json *owners = json_get(&m->status, S("owners"));
    for (size_t i = 0; uid.len && i < len_of(owners); i++)
        if (str_eq(json_get_str(json_get(&owners->items[i], S("owner")), S("uid")), uid))
            return &owners->items[i];
    return NULL;
}

static int64_t on_their_way(const struct move *m, str node)
{
    int64_t n = 0;
    for (size_t i = 0; i < m->ways.len; i++)
        n += str_is(node, m->ways.p[i].node);
    return n;
}

str live_move_for(struct live *l, const struct json *pod, bool is_new)
{
    if (!l->moves->list.len)
        return S("");
    str uid = owner_uid(pod), own = json_get_str(json_get(pod, S("metadata")), S("uid"));
    for (size_t i = 0; i < l->moves->list.len; i++)
        for (size_t k = 0; k < l->moves->list.p[i]->ways.len; k++)
            if (str_is(own, l->moves->list.p[i]->ways.p[k].uid))
                return str_of(l->moves->list.p[i]->ways.p[k].node);
    if (!is_new)
        return S("");
    for (size_t i = 0; i < l->moves->list.len; i++) {
        struct move *m = l->moves->list.p[i];
        struct json *nodes = json_get(entry_of(m, uid), S("recommendedNodes"));
        for (size_t k = 0; k < len_of(nodes); k++) {
            str node = json_get_str(&nodes->items[k], S("node"));
            int64_t want = json_get_int(&nodes->items[k], S("desiredPodCount"), 0), have = (int64_t)len_of(json_get(&nodes->items[k], S("actualPods")));
            if (have + on_their_way(m, node) >= want || sched_node_find(l->s, node) == NODE_NONE)
                continue;
            vec_push(&m->ways, (struct way){str_dup(own), str_dup(node)});
            return node;
        }
    }
    return S("");
}

static bool forget_way(struct move *m, str uid)
{
    for (size_t i = 0; i < m->ways.len; i++)
        if (str_is(uid, m->ways.p[i].uid)) {
            free(m->ways.p[i].uid);
            free(m->ways.p[i].node);
            vec_remove_swap(&m->ways, i);
            return true;
        }
    return false;
}

void live_move_bound(struct live *l, const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata"));
    str uid = json_get_str(meta, S("uid")), owner = owner_uid(pod), node = json_get_str(json_get(pod, S("spec")), S("nodeName"));
    for (size_t i = 0; i < l->moves->list.len; i++) {
        struct move *m = l->moves->list.p[i];
        struct json *entry = entry_of(m, owner), *nodes = json_get(entry, S("recommendedNodes")), *to = NULL;
        if (!forget_way(m, uid) || !entry)
            continue; /* it was there before, or has been counted */
        for (size_t k = 0; k < len_of(nodes); k++)
            if (str_eq(json_get_str(&nodes->items[k], S("node")), node))
                to = &nodes->items[k];
        str key = to ? S("actualPods") : S("mismatchedTasks");
        to = to ? to : entry;
        struct json *list = json_get(to, key);
        list = json_is(list, JSON_ARRAY) ? list : json_set(&m->arena, to, key, json_array());
        struct json task = json_object();
        json_set(&m->arena, &task, S("name"), json_string(arena_str(&m->arena, json_get_str(meta, S("name")))));
        json_set(&m->arena, &task, S("namespace"), json_string(arena_str(&m->arena, json_get_str(meta, S("namespace")))));
        json_set(&m->arena, &task, S("uid"), json_string(arena_str(&m->arena, uid)));
        json_set(&m->arena, &task, S("node"), json_string(arena_str(&m->arena, node)));
        json_push(&m->arena, list, task);
        send(l, m);
    }
}

void live_move_gone(struct live *l, str uid)
{
    for (size_t i = 0; i < l->moves->list.len; i++)
        forget_way(l->moves->list.p[i], uid);
}

/* --- our own rescheduler's ------------------------------------------------------------------------------------------------------------------------------ */
static bool is_settled(const struct move *m)
{
    const struct json *owners = json_get(&m->status, S("owners"));
    for (size_t i = 0; i < len_of(owners); i++) {
        const struct json *nodes = json_get(&owners->items[i], S("recommendedNodes"));
        int64_t left = -(int64_t)len_of(json_get(&owners->items[i], S("mismatchedTasks")));
        for (size_t k = 0; k < len_of(nodes); k++)
            left += json_get_int(&nodes->items[k], S("desiredPodCount"), 0) - (int64_t)len_of(json_get(&nodes->items[k], S("actualPods")));
        if (left > 0)
            return false;
    }
    return len_of(owners) > 0;
}

void live_moves_spent(struct live *l, nsec_t now, nsec_t patience_ns, const char *last, struct live_moves_spent *ret)
{
    *ret = (struct live_moves_spent){0};
    for (size_t i = 0; i < l->moves->list.len; i++) {
        const struct move *m = l->moves->list.p[i];
        if (!m->is_ours)
            continue;
        if (now - m->created_ns > 3600 * NSEC_PER_SEC) {
            ARENA_AUTO a = ARENA_INIT;
            struct strbuf path = strbuf_on(&a);
            strbuf_add_str(&path, S("/apis/" API "/movements"));
            client_path_add(&path, str_of(m->name));
            live_words_send(l, "DELETE", strbuf_str(&path), "", S(""));
            continue;
        }
        ret->pods += m->ntasks;
        ret->seen_last |= !strcmp(m->name, last);
        ret->unsettled |= now - m->created_ns < patience_ns && !is_settled(m);
    }
}

bool live_moves_missed(const struct live *l, str owner_uid)
{
    for (size_t i = 0; i < l->moves->list.len; i++)
        if (l->moves->list.p[i]->is_ours && len_of(json_get(entry_of(l->moves->list.p[i], owner_uid), S("mismatchedTasks"))))
            return true;
    return false;
}
