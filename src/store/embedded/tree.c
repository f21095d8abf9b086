/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/tree.h"

/* 64 slots with one spare, so that a node is split after the insertion and not before.  64 pointers make a leaf of half a KiB: cheap
 * to copy, and four levels hold ten million keys. */
#define SLOTS 64
#define FULL (SLOTS - 1)
#define BUILD_FILL 48 /* a loaded tree leaves room for insertions */
#define SPARSE 16     /* fewer entries: try to join a neighbour */

struct tree_sep {
    uint64_t birth;
    uint32_t len;
    char bytes[];
};

struct tree_node {
    uint64_t birth;
    uint16_t n;
    uint16_t level; /* 0: leaf */
    uint32_t total; /* keys below, inner nodes only */
};

struct leaf {
    struct tree_node h;
    struct store_kv *kv[SLOTS];
};

struct inner {
    struct tree_node h;
    struct tree_node *child[SLOTS];
    struct tree_sep *sep[SLOTS]; /* sep[i]: no key below child[i] is smaller; sep[0] is not used */
    uint32_t count[SLOTS];
};

static inline struct leaf *leaf_of(const struct tree_node *n)
{
    return (struct leaf *)(uintptr_t)n;
}

static inline struct inner *inner_of(const struct tree_node *n)
{
    return (struct inner *)(uintptr_t)n;
}

static inline int cmp(const char *a, size_t alen, const char *b, size_t blen)
{
    size_t n = MIN(alen, blen);
    int c = n ? memcmp(a, b, n) : 0; /* an empty str may have no pointer */
    return c ? c : (alen > blen) - (alen < blen);
}

static inline int cmp_kv(const struct store_kv *kv, str key)
{
    return cmp(kv->data, kv->key_len, key.p, key.len);
}

/* --- items ------------------------------------------------------------------------------------------ */

enum item_kind { ITEM_NODE, ITEM_SEP, ITEM_KV };

tree_item tree_item_kv(struct store_kv *kv)
{
    return (uintptr_t)kv | ITEM_KV;
}

uint64_t tree_item_birth(tree_item item)
{
    uintptr_t p = item & ~(uintptr_t)3;
    switch (item & 3) {
    case ITEM_NODE:
        return ((struct tree_node *)p)->birth;
    case ITEM_SEP:
        return ((struct tree_sep *)p)->birth;
    default:
        return ((struct store_kv *)p)->mod_rev;
    }
}

void tree_item_free(tree_item item)
{
    void *p = (void *)(item & ~(uintptr_t)3);
    if ((item & 3) == ITEM_KV)
        store_kv_unref(p);
    else
        free(p);
}

static void retire(struct tree_edit *e, tree_item item)
{
    if (tree_item_birth(item) == e->tag)
        tree_item_free(item); /* nobody else has seen it */
    else if (e->retired)
        vec_push(e->retired, item);
}

static void retire_node(struct tree_edit *e, struct tree_node *n)
{
    retire(e, (uintptr_t)n | ITEM_NODE);
}

static void retire_sep(struct tree_edit *e, struct tree_sep *s)
{
    retire(e, (uintptr_t)s | ITEM_SEP);
}

/* --- reading ---------------------------------------------------------------------------------------- */

/* First place in the leaf whose key is not smaller. */
static size_t leaf_find(const struct leaf *l, str key, bool *ret_same)
{
    size_t lo = 0, hi = l->h.n;
    *ret_same = false;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int c = cmp_kv(l->kv[mid], key);
        if (c == 0) {
            *ret_same = true;
            return mid;
        }
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The child whose range holds the key. */
static size_t inner_find(const struct inner *in, str key)
{
    size_t lo = 1, hi = in->h.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        const struct tree_sep *s = in->sep[mid];
        if (cmp(s->bytes, s->len, key.p, key.len) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - 1;
}

struct store_kv *tree_get(const struct tree_node *node, str key)
{
    if (!node)
        return NULL;
    while (node->level > 0)
        node = inner_of(node)->child[inner_find(inner_of(node), key)];
    bool same;
    size_t at = leaf_find(leaf_of(node), key, &same);
    return same ? leaf_of(node)->kv[at] : NULL;
}

size_t tree_len(const struct tree_node *root)
{
    if (!root)
        return 0;
    return root->level ? root->total : root->n;
}

size_t tree_rank(const struct tree_node *node, str key)
{
    size_t before = 0;
    if (!node)
        return 0;
    while (node->level > 0) {
        const struct inner *in = inner_of(node);
        size_t at = inner_find(in, key);
        for (size_t i = 0; i < at; i++)
            before += in->count[i];
        node = in->child[at];
    }
    bool same;
    return before + leaf_find(leaf_of(node), key, &same);
}

struct range {
    str end;
    bool (*each)(void *arg, const struct store_kv *kv);
    void *arg;
    size_t calls;
};

/* Without `from`, the first key of the node is the first one. */
static bool range_visit(const struct tree_node *node, const str *from, struct range *r)
{
    if (node->level > 0) {
        const struct inner *in = inner_of(node);
        size_t at = from ? inner_find(in, *from) : 0;
        for (size_t i = at; i < node->n; i++) {
            if (!range_visit(in->child[i], i == at ? from : NULL, r))
                return false;
        }
        return true;
    }
    const struct leaf *l = leaf_of(node);
    bool same, inside = r->end.len == 0 || cmp_kv(l->kv[node->n - 1], r->end) < 0;
    for (size_t i = from ? leaf_find(l, *from, &same) : 0; i < node->n; i++) {
        if (!inside && cmp_kv(l->kv[i], r->end) >= 0)
            return false;
        r->calls++;
        if (!r->each(r->arg, l->kv[i]))
            return false;
    }
    return true;
}

size_t tree_range(const struct tree_node *root, str from, str end, bool (*each)(void *arg, const struct store_kv *kv), void *arg)
{
    struct range r = {.end = end, .each = each, .arg = arg};
    if (root)
        range_visit(root, &from, &r);
    return r.calls;
}

/* --- making nodes ------------------------------------------------------------------------------------- */

static struct tree_node *node_new(uint64_t tag, uint16_t level)
{
    struct tree_node *n = xmalloc(level ? sizeof(struct inner) : sizeof(struct leaf));
    *n = (struct tree_node){.birth = tag, .level = level};
    return n;
}

static struct tree_sep *sep_new(uint64_t tag, str bytes)
{
    struct tree_sep *s = xmalloc(sizeof *s + bytes.len);
    s->birth = tag;
    s->len = (uint32_t)bytes.len;
    memcpy(s->bytes, bytes.p, bytes.len);
    return s;
}

/* The shortest beginning of `right` that is larger than `left`. */
static struct tree_sep *sep_between(uint64_t tag, str left, str right)
{
    size_t same = 0;
    while (same < left.len && same < right.len && left.p[same] == right.p[same])
        same++;
    return sep_new(tag, str_sub(right, 0, same + 1));
}

/* The node itself when the edit made it, else a copy of it. */
static struct tree_node *node_own(struct tree_edit *e, struct tree_node *n)
{
    if (n->birth == e->tag)
        return n;
    struct tree_node *copy = node_new(e->tag, n->level);
    copy->n = n->n;
    copy->total = n->total;
    if (n->level == 0) {
        memcpy(leaf_of(copy)->kv, leaf_of(n)->kv, n->n * sizeof leaf_of(n)->kv[0]);
    } else {
        const struct inner *from = inner_of(n);
        struct inner *to = inner_of(copy);
        memcpy(to->child, from->child, n->n * sizeof from->child[0]);
        memcpy(to->sep, from->sep, n->n * sizeof from->sep[0]);
        memcpy(to->count, from->count, n->n * sizeof from->count[0]);
    }
    retire_node(e, n);
    return copy;
}

#define ROOM(array, n, at) memmove(&(array)[(at) + 1], &(array)[at], ((n) - (at)) * sizeof (array)[0])
#define DROP(array, n, at) memmove(&(array)[at], &(array)[(at) + 1], ((n) - (at) - 1) * sizeof (array)[0])

static void inner_insert(struct inner *in, size_t at, struct tree_node *child, struct tree_sep *sep)
{
    ROOM(in->child, in->h.n, at);
    ROOM(in->sep, in->h.n, at);
    ROOM(in->count, in->h.n, at);
    in->child[at] = child;
    in->sep[at] = sep;
    in->count[at] = (uint32_t)tree_len(child);
    in->h.n++;
}

static void inner_remove(struct inner *in, size_t at)
{
    DROP(in->child, in->h.n, at);
    DROP(in->sep, in->h.n, at);
    DROP(in->count, in->h.n, at);
    in->h.n--;
}

/* --- put -------------------------------------------------------------------------------------------- */

struct split {
    struct tree_node *right; /* NULL: the node was not split */
    struct tree_sep *sep;
};

/* Where to cut a node that has one entry too many.  Keys that come in order fill nodes up instead of leaving them half empty. */
static size_t split_at(const struct tree_node *n, size_t inserted)
{
    return inserted == (size_t)n->n - 1 ? inserted : n->n / 2u;
}

static void leaf_split(struct tree_edit *e, struct leaf *l, size_t inserted, struct split *ret)
{
    size_t at = split_at(&l->h, inserted);
    struct leaf *right = leaf_of(node_new(e->tag, 0));
    right->h.n = (uint16_t)(l->h.n - at);
    memcpy(right->kv, l->kv + at, right->h.n * sizeof right->kv[0]);
    l->h.n = (uint16_t)at;
    *ret = (struct split){&right->h, sep_between(e->tag, store_kv_key(l->kv[at - 1]), store_kv_key(right->kv[0]))};
}

static void inner_split(struct tree_edit *e, struct inner *in, size_t inserted, struct split *ret)
{
    size_t at = split_at(&in->h, inserted), n = in->h.n - at;
    struct inner *right = inner_of(node_new(e->tag, in->h.level));
    memcpy(right->child, in->child + at, n * sizeof in->child[0]);
    memcpy(right->sep, in->sep + at, n * sizeof in->sep[0]);
    memcpy(right->count, in->count + at, n * sizeof in->count[0]);
    right->h.n = (uint16_t)n;
    for (size_t i = 0; i < n; i++)
        right->h.total += right->count[i];
    in->h.n = (uint16_t)at;
    in->h.total -= right->h.total;
    *ret = (struct split){&right->h, right->sep[0]};
    right->sep[0] = NULL;
}

static struct tree_node *put(struct tree_edit *e, struct tree_node *node, struct store_kv *kv, struct store_kv **ret_old,
                             struct split *ret_split)
{
    str key = store_kv_key(kv);
    node = node_own(e, node);
    if (node->level == 0) {
        struct leaf *l = leaf_of(node);
        bool same;
        size_t at = leaf_find(l, key, &same);
        if (same) {
            *ret_old = l->kv[at];
            l->kv[at] = kv;
            return node;
        }
        ROOM(l->kv, node->n, at);
        l->kv[at] = kv;
        if (++node->n > FULL)
            leaf_split(e, l, at, ret_split);
        return node;
    }
    struct inner *in = inner_of(node);
    size_t at = inner_find(in, key);
    struct split below = {0};
    in->child[at] = put(e, in->child[at], kv, ret_old, &below);
    in->count[at] = (uint32_t)tree_len(in->child[at]);
    node->total += *ret_old == NULL;
    if (below.right) {
        inner_insert(in, at + 1, below.right, below.sep);
        if (node->n > FULL)
            inner_split(e, in, at + 1, ret_split);
    }
    return node;
}

/* A new root over a split one. */
static struct tree_node *root_over(struct tree_edit *e, struct tree_node *left, const struct split *s)
{
    struct inner *in = inner_of(node_new(e->tag, (uint16_t)(left->level + 1)));
    inner_insert(in, 0, left, NULL);
    inner_insert(in, 1, s->right, s->sep);
    in->h.total = in->count[0] + in->count[1];
    return &in->h;
}

struct store_kv *tree_put(struct tree_edit *e, struct tree_node **root, struct store_kv *kv)
{
    struct store_kv *old = NULL;
    struct split split = {0};
    if (!*root)
        *root = node_new(e->tag, 0);
    *root = put(e, *root, kv, &old, &split);
    if (split.right)
        *root = root_over(e, *root, &split);
    return old;
}

/* --- del -------------------------------------------------------------------------------------------- */

/* Moves all of child[at + 1] into child[at]. */
static void join(struct tree_edit *e, struct inner *in, size_t at)
{
    struct tree_node *left = node_own(e, in->child[at]);
    struct tree_node *right = in->child[at + 1];
    size_t n = left->n;
    if (left->level == 0) {
        memcpy(leaf_of(left)->kv + n, leaf_of(right)->kv, right->n * sizeof leaf_of(left)->kv[0]);
        retire_sep(e, in->sep[at + 1]);
    } else {
        struct inner *l = inner_of(left), *r = inner_of(right);
        memcpy(l->child + n, r->child, right->n * sizeof l->child[0]);
        memcpy(l->sep + n, r->sep, right->n * sizeof l->sep[0]);
        memcpy(l->count + n, r->count, right->n * sizeof l->count[0]);
        l->sep[n] = in->sep[at + 1];
        left->total += right->total;
    }
    left->n = (uint16_t)(n + right->n);
    in->child[at] = left;
    in->count[at] += in->count[at + 1];
    retire_node(e, right);
    inner_remove(in, at + 1);
}

/* Joins a sparse child with a neighbour when both fit well into one.  Otherwise it stays sparse: balance is by level, not by fill. */
static void join_sparse(struct tree_edit *e, struct inner *in, size_t at)
{
    if (in->child[at]->n >= SPARSE)
        return;
    if (at > 0 && in->child[at - 1]->n + in->child[at]->n <= BUILD_FILL)
        join(e, in, at - 1);
    else if (at + 1 < in->h.n && in->child[at]->n + in->child[at + 1]->n <= BUILD_FILL)
        join(e, in, at);
}

static void drop_empty_child(struct tree_edit *e, struct inner *in, size_t at)
{
    if (at > 0)
        retire_sep(e, in->sep[at]);
    else if (in->h.n > 1)
        retire_sep(e, in->sep[1]); /* the next child becomes the first, which needs none */
    inner_remove(in, at);
}

/* The key is there.  NULL when the node became empty. */
static struct tree_node *del(struct tree_edit *e, struct tree_node *node, str key, struct store_kv **ret_old)
{
    node = node_own(e, node);
    if (node->level == 0) {
        struct leaf *l = leaf_of(node);
        bool same;
        size_t at = leaf_find(l, key, &same);
        *ret_old = l->kv[at];
        DROP(l->kv, node->n, at);
        node->n--;
    } else {
        struct inner *in = inner_of(node);
        size_t at = inner_find(in, key);
        struct tree_node *child = del(e, in->child[at], key, ret_old);
        node->total--;
        if (child) {
            in->child[at] = child;
            in->count[at]--;
            join_sparse(e, in, at);
        } else {
            drop_empty_child(e, in, at);
        }
    }
    if (node->n > 0)
        return node;
    retire_node(e, node);
    return NULL;
}

struct store_kv *tree_del(struct tree_edit *e, struct tree_node **root, str key)
{
    if (!tree_get(*root, key))
        return NULL;
    struct store_kv *old = NULL;
    *root = del(e, *root, key, &old);
    while (*root && (*root)->level > 0 && (*root)->n == 1) {
        struct tree_node *only = inner_of(*root)->child[0];
        retire_node(e, *root);
        *root = only;
    }
    return old;
}

/* --- whole trees -------------------------------------------------------------------------------------- */

static const struct store_kv *edge_kv(const struct tree_node *n, bool last)
{
    while (n->level > 0)
        n = inner_of(n)->child[last ? n->n - 1 : 0];
    return leaf_of(n)->kv[last ? n->n - 1 : 0];
}

/* One level over the nodes given; in place, returns how many there are now. */
static size_t build_level(uint64_t tag, struct tree_node **nodes, size_t n)
{
    size_t made = 0;
    for (size_t i = 0; i < n;) {
        struct inner *in = inner_of(node_new(tag, (uint16_t)(nodes[i]->level + 1)));
        for (size_t stop = MIN(n, i + BUILD_FILL); i < stop; i++) {
            struct tree_sep *sep = NULL;
            if (in->h.n > 0)
                sep = sep_between(tag, store_kv_key(edge_kv(nodes[i - 1], true)), store_kv_key(edge_kv(nodes[i], false)));
            inner_insert(in, in->h.n, nodes[i], sep);
            in->h.total += in->count[in->h.n - 1];
        }
        nodes[made++] = &in->h;
    }
    return made;
}

struct tree_node *tree_build(uint64_t tag, struct store_kv **kvs, size_t n)
{
    if (n == 0)
        return NULL;
    size_t count = (n + BUILD_FILL - 1) / BUILD_FILL;
    struct tree_node **nodes = xmalloc(count * sizeof(struct tree_node *));
    for (size_t i = 0; i < count; i++) {
        struct leaf *l = leaf_of(node_new(tag, 0));
        l->h.n = (uint16_t)MIN(n - i * BUILD_FILL, (size_t)BUILD_FILL);
        memcpy(l->kv, kvs + i * BUILD_FILL, l->h.n * sizeof l->kv[0]);
        nodes[i] = &l->h;
    }
    while (count > 1)
        count = build_level(tag, nodes, count);
    struct tree_node *root = nodes[0];
    free(nodes);
    return root;
}

void tree_discard(struct tree_node *root, uint64_t tag)
{
    if (!root || root->birth != tag)
        return;
    if (root->level > 0) {
        struct inner *in = inner_of(root);
        for (size_t i = 0; i < root->n; i++) {
            tree_discard(in->child[i], tag);
            if (i > 0 && in->sep[i]->birth == tag)
                free(in->sep[i]);
        }
    }
    free(root);
}

void tree_free(struct tree_node *root)
{
    if (!root)
        return;
    for (size_t i = 0; i < root->n; i++) {
        if (root->level == 0) {
            store_kv_unref(leaf_of(root)->kv[i]);
        } else {
            tree_free(inner_of(root)->child[i]);
            if (i > 0)
                free(inner_of(root)->sep[i]);
        }
    }
    free(root);
}

/* --- checking ----------------------------------------------------------------------------------------- */

static const char *validate_inner(const struct inner *in)
{
    size_t total = 0;
    for (size_t i = 0; i < in->h.n; i++) {
        if (in->child[i]->level + 1 != in->h.level)
            return "a child is not one level below";
        const char *wrong = tree_validate(in->child[i]);
        if (wrong)
            return wrong;
        if (in->count[i] != tree_len(in->child[i]))
            return "a count is wrong";
        total += in->count[i];
        if (i == 0)
            continue;
        const struct tree_sep *s = in->sep[i];
        if (cmp_kv(edge_kv(in->child[i - 1], true), str_n(s->bytes, s->len)) >= 0)
            return "a separator is not larger than what is left of it";
        if (cmp_kv(edge_kv(in->child[i], false), str_n(s->bytes, s->len)) < 0)
            return "a separator is larger than what is right of it";
    }
    return total == in->h.total ? NULL : "a total is wrong";
}

const char *tree_validate(const struct tree_node *root)
{
    if (!root)
        return NULL;
    if (root->n == 0 || root->n > FULL)
        return "a node is empty or too full";
    if (root->level > 0)
        return validate_inner(inner_of(root));
    for (size_t i = 1; i < root->n; i++) {
        if (cmp_kv(leaf_of(root)->kv[i - 1], store_kv_key(leaf_of(root)->kv[i])) >= 0)
            return "keys are not in order";
    }
    return NULL;
}
