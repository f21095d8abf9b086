/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/gc_graph.h"

#include "base/map.h"

/* Separates the parts of a key; names of existing objects cannot contain it. */
#define SEP '\x1f'

struct gc_link {
    struct list link; /* in the owner's dependents_ */
    struct gc_node *owner, *dependent;
    bool blocks;
};

struct gc_graph {
    struct map nodes; /* by key */
    struct map kinds; /* by "group SEP kind" */
    struct strbuf scratch;
    void (*touch)(void *arg, struct gc_node *n);
    void *arg;
};

struct gc_graph *gc_graph_new(void (*touch)(void *arg, struct gc_node *n), void *arg)
{
    struct gc_graph *g = xnew(struct gc_graph);
    g->touch = touch;
    g->arg = arg;
    return g;
}

void gc_graph_free(struct gc_graph *g)
{
    if (!g)
        return;
    map_foreach(e, &g->nodes)
    {
        struct gc_node *n = e->value;
        free(n->owners_);
        free(n);
    }
    map_foreach(e, &g->kinds) free(e->value);
    map_fini(&g->nodes);
    map_fini(&g->kinds);
    strbuf_fini(&g->scratch);
    free(g);
}

size_t gc_graph_len(const struct gc_graph *g)
{
    return g->nodes.len;
}

struct gc_kind *gc_graph_kind(struct gc_graph *g, str group, str kind)
{
    strbuf_clear(&g->scratch);
    strbuf_add_str(&g->scratch, group); /* bytes: a reference is what anybody writes, and formats end at a NUL */
    strbuf_add_char(&g->scratch, SEP);
    strbuf_add_str(&g->scratch, kind);
    str key = strbuf_str(&g->scratch);
    struct gc_kind *k = map_get(&g->kinds, key);
    if (k)
        return k;
    k = xcalloc(1, sizeof *k + key.len);
    char *text = memcpy(k + 1, key.p, key.len);
    k->group = str_n(text, group.len);
    k->kind = str_n(text + group.len + 1, kind.len);
    list_init(&k->nodes);
    map_put(&g->kinds, str_n(text, key.len), k);
    return k;
}

/* --- nodes ---------------------------------------------------------------------------------------------------------------------- */

static str node_key(struct gc_graph *g, const struct gc_kind *k, str ns, str name, str uid)
{
    strbuf_clear(&g->scratch);
    const str parts[] = {k->group, k->kind, ns, name, uid};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (i)
            strbuf_add_char(&g->scratch, SEP);
        strbuf_add_str(&g->scratch, parts[i]);
    }
    return strbuf_str(&g->scratch);
}

struct gc_node *gc_graph_find_key(struct gc_graph *g, str key)
{
    return map_get(&g->nodes, key);
}

struct gc_node *gc_graph_find(struct gc_graph *g, struct gc_kind *k, str ns, str name, str uid)
{
    return map_get(&g->nodes, node_key(g, k, ns, name, uid));
}

static struct gc_node *node_ensure(struct gc_graph *g, struct gc_kind *k, str ns, str name, str uid)
{
    str key = node_key(g, k, ns, name, uid);
    struct gc_node *n = map_get(&g->nodes, key);
    if (n)
        return n;
    n = xcalloc(1, sizeof *n + key.len);
    char *text = memcpy(n + 1, key.p, key.len);
    n->kind = k;
    n->key = str_n(text, key.len);
    n->uid = str_n(text + key.len - uid.len, uid.len);
    n->name = str_n(n->uid.p - 1 - name.len, name.len);
    n->ns = str_n(n->name.p - 1 - ns.len, ns.len);
    list_init(&n->dependents_);
    map_put(&g->nodes, n->key, n);
    list_add_tail(&k->nodes, &n->link_);
    k->nnodes++;
    return n;
}

bool gc_node_has_dependents(const struct gc_node *n)
{
    return !list_empty(&n->dependents_);
}

static void node_drop_if_idle(struct gc_graph *g, struct gc_node *n)
{
    bool waits_for_dependents = n->state == GC_PRESENT && (n->foreground || n->orphan);
    if (n->pinned_ || n->nowners_ || gc_node_has_dependents(n) || waits_for_dependents)
        return;
    map_del(&g->nodes, n->key);
    list_del(&n->link_);
    n->kind->nnodes--;
    free(n->owners_);
    free(n);
}

static void touch(struct gc_graph *g, struct gc_node *n)
{
    g->touch(g->arg, n);
}

/* --- links ----------------------------------------------------------------------------------------------------------------------- */

static void unlink_owner(struct gc_graph *g, struct gc_link *l)
{
    struct gc_node *owner = l->owner;
    list_del(&l->link);
    owner->nblocking_ -= l->blocks;
    bool finishes = (owner->foreground && l->blocks && !owner->nblocking_) || (owner->orphan && list_empty(&owner->dependents_));
    if (owner->state == GC_PRESENT && finishes)
        touch(g, owner);
    l->owner = NULL;
    node_drop_if_idle(g, owner);
}

static struct gc_link *find_link(const struct gc_node *n, const struct gc_node *owner)
{
    for (size_t i = 0; i < n->nowners_; i++)
        if (n->owners_[i].owner == owner)
            return &n->owners_[i];
    return NULL;
}

/* The namespace that a reference means. */
static str ref_ns(const struct gc_ref *r, str dependent_ns)
{
    return r->kind->served && !r->kind->namespaced ? S("") : dependent_ns;
}

static bool same_refs(struct gc_graph *g, const struct gc_node *n, const struct gc_object *o)
{
    if (n->nowners_ != o->nrefs)
        return false;
    for (size_t i = 0; i < o->nrefs; i++) {
        struct gc_node *owner = gc_graph_find(g, o->refs[i].kind, ref_ns(&o->refs[i], o->ns), o->refs[i].name, o->refs[i].uid);
        if (!owner || n->owners_[i].owner != owner || n->owners_[i].blocks != o->refs[i].blocks)
            return false;
    }
    return true;
}

/* The new links are made before the old ones go, so that owners that stay are not dropped and looked up again. */
static void relink(struct gc_graph *g, struct gc_node *n, const struct gc_object *o)
{
    struct gc_link *old = n->owners_;
    size_t nold = n->nowners_;
    n->owners_ = o->nrefs ? xarray(o->nrefs, struct gc_link) : NULL;
    n->nowners_ = 0;
    for (size_t i = 0; i < o->nrefs; i++) {
        const struct gc_ref *r = &o->refs[i];
        struct gc_node *owner = node_ensure(g, r->kind, ref_ns(r, o->ns), r->name, r->uid);
        struct gc_link *l = find_link(n, owner);
        bool is_new = !l;
        if (is_new) {
            l = &n->owners_[n->nowners_++];
            *l = (struct gc_link){.owner = owner, .dependent = n};
            list_add_tail(&owner->dependents_, &l->link);
        }
        if (r->blocks && !l->blocks) {
            l->blocks = true;
            owner->nblocking_++;
        }
        owner->settled = false;
        if (is_new && owner->state == GC_UNKNOWN)
            touch(g, owner);
    }
    for (size_t i = 0; i < nold; i++)
        unlink_owner(g, &old[i]);
    free(old);
}

/* --- what is known ----------------------------------------------------------------------------------------------------------------- */

/* An owner of a kind that is not served, or of a namespaced kind for an object without namespace, cannot be looked at: it counts as there. */
static bool is_unreachable(const struct gc_node *owner)
{
    return !owner->kind->served || (owner->kind->namespaced && !owner->ns.len);
}

static bool owner_asks(const struct gc_node *owner)
{
    return owner->state == GC_ABSENT || (owner->state == GC_PRESENT && (owner->foreground || owner->orphan));
}

static void touch_all_dependents(struct gc_graph *g, struct gc_node *n)
{
    list_foreach(l, &n->dependents_, struct gc_link, link) touch(g, l->dependent);
}

/* Those that waited to hear about the owner are judged again when it turns out to be there. */
static void touch_waiting_dependents(struct gc_graph *g, struct gc_node *n)
{
    list_foreach(l, &n->dependents_, struct gc_link, link)
    {
        if (l->dependent->waits_)
            touch(g, l->dependent);
    }
}

void gc_graph_touch_dependents(struct gc_graph *g, struct gc_node *n)
{
    list_foreach(l, &n->dependents_, struct gc_link, link)
    {
        if (l->blocks || n->orphan)
            touch(g, l->dependent);
    }
}

void gc_graph_observe(struct gc_graph *g, const struct gc_object *o)
{
    bool waits_for_dependents = o->deleting && (o->foreground || o->orphan);
    struct gc_node *n = gc_graph_find(g, o->kind, o->ns, o->name, o->uid);
    if (!n && !o->nrefs && !waits_for_dependents)
        return;
    n = n ? n : node_ensure(g, o->kind, o->ns, o->name, o->uid);
    if (n->state == GC_ABSENT)
        return; /* an old event: what was gone does not come back */
    bool was_unknown = n->state == GC_UNKNOWN;
    bool begins = (o->deleting && o->foreground && !n->foreground) || (o->deleting && o->orphan && !n->orphan);
    n->state = GC_PRESENT;
    n->deleting = o->deleting;
    n->foreground = o->deleting && o->foreground;
    n->orphan = o->deleting && o->orphan;
    n->round_ = n->kind->round;
    n->pinned_ = true;
    if (!same_refs(g, n, o))
        relink(g, n, o);
    bool asked = begins;
    for (size_t i = 0; i < n->nowners_ && !asked; i++)
        asked = owner_asks(n->owners_[i].owner);
    if (asked)
        touch(g, n);
    if (was_unknown)
        touch_waiting_dependents(g, n);
    n->pinned_ = false;
    node_drop_if_idle(g, n);
}

static void node_gone(struct gc_graph *g, struct gc_node *n)
{
    if (n->state == GC_ABSENT)
        return;
    n->state = GC_ABSENT;
    n->deleting = n->foreground = n->orphan = false;
    struct gc_link *owners = TAKE(n->owners_);
    size_t nowners = n->nowners_;
    n->nowners_ = 0;
    n->pinned_ = true; /* it may own itself */
    for (size_t i = 0; i < nowners; i++)
        unlink_owner(g, &owners[i]);
    free(owners);
    touch_all_dependents(g, n);
    n->pinned_ = false;
    node_drop_if_idle(g, n);
}

void gc_graph_gone(struct gc_graph *g, struct gc_kind *k, str ns, str name, str uid)
{
    struct gc_node *n = gc_graph_find(g, k, ns, name, uid);
    if (n)
        node_gone(g, n);
}

void gc_graph_kind_gone(struct gc_graph *g, struct gc_kind *k)
{
    /* one that goes may take others of its kind along, so none but the first is looked at */
    struct list seen;
    list_init(&seen);
    while (!list_empty(&k->nodes)) {
        struct gc_node *n = list_first(&k->nodes, struct gc_node, link_);
        list_del(&n->link_);
        list_add_tail(&seen, &n->link_);
        if (n->state == GC_PRESENT)
            node_gone(g, n);
    }
    if (list_empty(&seen))
        return;
    list_add_head(&seen, &k->nodes);
    list_del(&seen);
}

void gc_graph_kind_set(struct gc_graph *g, struct gc_kind *k, bool served, bool namespaced)
{
    bool changed = served != k->served || (served && namespaced != k->namespaced);
    k->served = served;
    k->namespaced = namespaced;
    if (!changed || !served)
        return;
    list_foreach(n, &k->nodes, struct gc_node, link_)
    {
        touch(g, n);
        touch_all_dependents(g, n);
    }
}

void gc_graph_list_begin(struct gc_graph *g UNUSED, struct gc_kind *k)
{
    k->round++;
}

void gc_graph_list_end(struct gc_graph *g, struct gc_kind *k)
{
    list_foreach(n, &k->nodes, struct gc_node, link_)
    {
        if (n->state != GC_PRESENT || n->round_ == k->round)
            continue;
        n->state = GC_UNKNOWN;
        touch(g, n);
    }
}

/* --- judging -------------------------------------------------------------------------------------------------------------------------- */

struct owners_count {
    size_t solid, absent, waiting, orphaning, unknown;
};

static struct owners_count count_owners(const struct gc_node *n)
{
    struct owners_count c = {0};
    for (size_t i = 0; i < n->nowners_; i++) {
        const struct gc_node *o = n->owners_[i].owner;
        if (o->state == GC_ABSENT)
            c.absent++;
        else if (is_unreachable(o))
            c.solid++;
        else if (o->state == GC_UNKNOWN)
            c.unknown++;
        else if (o->orphan)
            c.orphaning++;
        else if (o->foreground)
            c.waiting++;
        else
            c.solid++;
    }
    return c;
}

static bool has_waiting_dependent(const struct gc_node *n)
{
    list_foreach(l, &n->dependents_, struct gc_link, link)
    {
        if (l->dependent->foreground)
            return true;
    }
    return false;
}

static bool blocks_anything(const struct gc_node *n)
{
    for (size_t i = 0; i < n->nowners_; i++)
        if (n->owners_[i].blocks)
            return true;
    return false;
}

static enum gc_verdict judge_dependent(struct gc_node *n)
{
    struct owners_count c = count_owners(n);
    n->waits_ = false;
    if (!n->nowners_)
        return GC_NOTHING;
    if (c.orphaning)
        return GC_DROP_REFS;
    if (c.solid)
        return c.absent || c.waiting ? GC_DROP_REFS : GC_NOTHING;
    if (c.unknown) {
        n->waits_ = true;
        return GC_NOTHING;
    }
    if (!c.waiting)
        return GC_DELETE;
    if (!gc_node_has_dependents(n))
        return GC_DELETE;
    return has_waiting_dependent(n) && blocks_anything(n) ? GC_UNBLOCK : GC_DELETE_FOREGROUND;
}

enum gc_verdict gc_graph_judge(struct gc_graph *g, struct gc_node *n)
{
    if (n->state == GC_ABSENT)
        return GC_NOTHING;
    if (n->state == GC_UNKNOWN)
        return is_unreachable(n) ? GC_NOTHING : GC_VERIFY;
    if (n->orphan) {
        if (!gc_node_has_dependents(n))
            return GC_FINISH_ORPHAN;
        gc_graph_touch_dependents(g, n);
        return GC_WAIT_DEPENDENTS;
    }
    if (n->foreground) {
        if (!n->nblocking_)
            return GC_FINISH_FOREGROUND;
        gc_graph_touch_dependents(g, n);
        return GC_WAIT_DEPENDENTS;
    }
    if (!n->deleting)
        return judge_dependent(n);
    /* an object that goes anyway still lets owners go that want to leave it behind */
    return count_owners(n).orphaning ? GC_DROP_REFS : GC_NOTHING;
}

bool gc_graph_drops(const struct gc_node *n, str uid)
{
    struct owners_count c = count_owners(n);
    for (size_t i = 0; i < n->nowners_; i++) {
        const struct gc_node *o = n->owners_[i].owner;
        if (!str_eq(o->uid, uid))
            continue;
        if (o->state == GC_PRESENT && o->orphan)
            return true;
        /* the rest goes only when something else holds the object */
        return c.solid && (o->state == GC_ABSENT || (o->state == GC_PRESENT && o->foreground && !is_unreachable(o)));
    }
    return false;
}
