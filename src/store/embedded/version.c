/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/version.h"

#include <sched.h>

static struct version *version_new(struct tree_node *root, rev_t rev, struct version *older)
{
    struct version *v = xnew(struct version);
    v->root = root;
    v->rev = rev;
    v->older = older;
    return v;
}

void versions_init(struct versions *vs, struct tree_node *root, rev_t rev)
{
    memset(vs, 0, sizeof *vs);
    vs->oldest = version_new(root, rev, NULL);
    atomic_store(&vs->current, vs->oldest);
}

/* --- readers ------------------------------------------------------------------------------------------ */

/* Threads start their search at different slots and stay with the one they got. */
static size_t *slot_hint(void)
{
    static _Atomic size_t threads;
    static _Thread_local size_t hint = SIZE_MAX;
    if (hint == SIZE_MAX)
        hint = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % VERSION_SLOTS;
    return &hint;
}

struct version *version_enter(struct versions *vs, size_t *ret_slot)
{
    size_t *hint = slot_hint();
    struct version *v = atomic_load(&vs->current);
    for (size_t tries = 1;; tries++) {
        struct version *none = NULL;
        if (atomic_compare_exchange_strong(&vs->slots[*hint].v, &none, v))
            break;
        *hint = (*hint + 1) % VERSION_SLOTS;
        if (tries % VERSION_SLOTS == 0)
            sched_yield();
    }
    /* The writer looks at the slots after it has changed `current`: a version that is current after our announcement is seen. */
    for (struct version *now; (now = atomic_load(&vs->current)) != v; v = now)
        atomic_store(&vs->slots[*hint].v, now);
    *ret_slot = *hint;
    return v;
}

void version_leave(struct versions *vs, size_t slot)
{
    atomic_store(&vs->slots[slot].v, NULL);
}

struct version *version_ref(struct version *v)
{
    atomic_fetch_add(&v->refs, 1);
    return v;
}

void version_unref(struct version *v)
{
    atomic_fetch_sub(&v->refs, 1);
}

/* --- writer ------------------------------------------------------------------------------------------- */

struct version *versions_publish(struct versions *vs, struct tree_node *root, rev_t rev, tree_items *retired)
{
    struct version *old = atomic_load(&vs->current);
    struct version *v = version_new(root, rev, old);
    old->newer = v;
    for (size_t i = 0; i < retired->len; i++) {
        if (tree_item_birth(retired->p[i]) <= old->rev)
            vec_push(&old->dead, retired->p[i]);
        else
            tree_item_free(retired->p[i]); /* came and went within this batch */
    }
    vec_clear(retired);
    atomic_store(&vs->current, v);
    return v;
}

/* No slot, and then no reference: a reader takes its reference before it leaves its slot. */
static bool is_read(struct versions *vs, struct version *v)
{
    if (atomic_load(&v->refs) > 0)
        return true;
    for (size_t i = 0; i < VERSION_SLOTS; i++) {
        if (atomic_load(&vs->slots[i].v) == v)
            return true;
    }
    return atomic_load(&v->refs) > 0;
}

static void version_free(struct versions *vs, struct version *v)
{
    struct version *older = v->older;
    for (size_t i = 0; i < v->dead.len; i++) {
        if (older && tree_item_birth(v->dead.p[i]) <= older->rev)
            vec_push(&older->dead, v->dead.p[i]);
        else
            tree_item_free(v->dead.p[i]);
    }
    vec_fini(&v->dead);
    v->newer->older = older;
    if (older)
        older->newer = v->newer;
    else
        vs->oldest = v->newer;
    free(v);
}

bool versions_reclaim(struct versions *vs)
{
    struct version *current = atomic_load(&vs->current);
    bool left = false;
    for (struct version *v = vs->oldest, *newer; v != current; v = newer) {
        newer = v->newer;
        if (!is_read(vs, v))
            version_free(vs, v);
        else if (!v->pinned)
            left = true;
    }
    return left;
}

bool versions_fini(struct versions *vs)
{
    struct version *current = atomic_load(&vs->current);
    versions_reclaim(vs);
    if (vs->oldest != current || is_read(vs, current))
        return false;
    tree_free(current->root);
    vec_fini(&current->dead);
    free(current);
    return true;
}
