/* replica.c - see replica.h.  Devices, zones and ports are not copied: classes that look at them are not replica_ok.  Nor are versions: a
 * worker's own proposals that are not committed yet make them useless; the driver itself knows which nodes changed in a round. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/binder/replica.h"

#include "sched/engine/place_kernel.h"

void commit_log_add(struct commit_log *l, node_id n, class_id c, int sign, uint32_t worker)
{
    l->ring_[l->written_++ % COMMIT_LOG_SIZE] = (struct commit){n, c, (int16_t)sign, (uint16_t)worker};
}

void commit_log_publish(struct commit_log *l)
{
    atomic_store_explicit(&l->head_, l->written_, memory_order_release);
}

struct replica {
    struct view v;
    uint64_t pos; /* commits applied */
    uint32_t worker;
    bool made;
};

struct replica *replica_new(uint32_t worker)
{
    struct replica *r = xnew(struct replica);
    r->worker = worker;
    return r;
}

/* Columns, in one list so that copying, comparing and freeing cannot forget one. */
struct column {
    void **own;
    const void *engine;
    size_t size;
    const char *name;
    uint32_t lanes; /* nodes in one entry */
};
#define COLUMNS_MAX (RES_MAX + 8)

static size_t columns(struct replica *r, const struct sched *s, struct column out[COLUMNS_MAX])
{
    const struct view *v = &s->view;
    size_t n = 0;
    for (uint32_t i = 0; i < RES_MAX; i++)
        out[n++] = (struct column){(void **)&r->v.used[i], v->used[i], sizeof(int64_t), "used", 1};
    out[n++] = (struct column){(void **)&r->v.nonzero_cpu, v->nonzero_cpu, sizeof(int64_t), "nonzero_cpu", 1};
    out[n++] = (struct column){(void **)&r->v.nonzero_memory, v->nonzero_memory, sizeof(int64_t), "nonzero_memory", 1};
    for (int i = 0; i < 2; i++) {
        out[n++] = (struct column){(void **)&r->v.f_used[i], v->f_used[i], sizeof(double), "f_used", 1};
        out[n++] = (struct column){(void **)&r->v.f_nonzero[i], v->f_nonzero[i], sizeof(double), "f_nonzero", 1};
    }
    out[n++] = (struct column){(void **)&r->v.hot, v->hot, sizeof(struct hot_block), "hot", HOT_LANES};
    return n;
}

void replica_free(struct replica *r)
{
    if (!r)
        return;
    static const struct sched none;
    struct column c[COLUMNS_MAX];
    size_t n = columns(r, &none, c);
    for (size_t i = 0; i < n; i++)
        free(*c[i].own);
    free(r);
}

/* Has the engine columns or room for nodes that the replica lacks? */
static bool shape_differs(struct replica *r, const struct sched *s)
{
    if (!r->made || r->v.words != s->view.words)
        return true;
    for (uint32_t i = 0; i < RES_MAX; i++)
        if (!r->v.used[i] != !s->view.used[i])
            return true;
    return false;
}

static void copy_all(struct replica *r, const struct sched *s)
{
    struct column c[COLUMNS_MAX];
    size_t n = columns(r, s, c), entries = (size_t)s->view.words * 64;
    bool fresh = shape_differs(r, s);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = entries / c[i].lanes * c[i].size;
        if (fresh) {
            free(*c[i].own);
            *c[i].own = NULL;
            if (c[i].engine) {
                /* as the engine's: whole cache lines, for the kernels */
                *c[i].own = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
                BUG_ON(!*c[i].own);
            }
        }
        if (c[i].engine)
            memcpy(*c[i].own, c[i].engine, bytes);
    }
    r->v.s = s;
    r->v.words = s->view.words;
    r->made = true;
}

static void copy_node(struct replica *r, const struct sched *s, node_id n)
{
    const struct view *from = &s->view;
    struct view *to = &r->v;
    for (uint32_t i = 0; i < s->nres; i++)
        if (to->used[i])
            to->used[i][n] = from->used[i][n];
    to->nonzero_cpu[n] = from->nonzero_cpu[n];
    to->nonzero_memory[n] = from->nonzero_memory[n];
    for (int i = 0; i < 2; i++) {
        to->f_used[i][n] = from->f_used[i][n];
        to->f_nonzero[i][n] = from->f_nonzero[i][n];
    }
    if (to->hot)
        hot_node(to, n);
}

static void follow(struct replica *r, const struct commit_log *l, uint64_t head)
{
    for (; r->pos < head; r->pos++) {
        struct commit c = l->ring_[r->pos % COMMIT_LOG_SIZE];
        bool own = c.worker == r->worker;
        if (c.worker && own == (c.sign > 0))
            continue;
        view_use(&r->v, r->v.s->classes[c.class_], c.node, c.sign);
    }
}

void replica_refresh(struct replica *r, const struct sched *s, const struct commit_log *l, uint64_t logged_seq)
{
    uint64_t head = atomic_load_explicit(&l->head_, memory_order_acquire), now = s->view.seq;
    /* UINT64_MAX is beyond the journal, too */
    if (shape_differs(r, s) || head - r->pos > COMMIT_LOG_SIZE || logged_seq > now || now - logged_seq > JOURNAL_SIZE) {
        copy_all(r, s);
    } else {
        /* the classes of these commits may have gone meanwhile: nodes are copied as they are now */
        for (uint64_t q = r->pos; q < head; q++)
            copy_node(r, s, l->ring_[q % COMMIT_LOG_SIZE].node);
        for (uint64_t q = logged_seq; q < now; q++)
            copy_node(r, s, s->view.journal[q % JOURNAL_SIZE].node);
    }
    r->v.nnodes = s->view.nnodes;
    r->v.seq = now;
    r->pos = head;
}

const struct view *replica_view(struct replica *r, const struct commit_log *l)
{
    follow(r, l, atomic_load_explicit(&l->head_, memory_order_acquire));
    return &r->v;
}

const struct view *replica_own(const struct replica *r)
{
    return &r->v;
}

uint64_t replica_behind(const struct replica *r, const struct commit_log *l)
{
    return atomic_load_explicit(&l->head_, memory_order_acquire) - r->pos;
}

uint64_t replica_position(const struct replica *r)
{
    return r->pos;
}

void replica_propose(struct replica *r, node_id n, class_id c)
{
    view_use(&r->v, r->v.s->classes[c], n, 1);
}

int replica_check(const struct replica *r, const struct sched *s, struct err *err)
{
    struct column c[COLUMNS_MAX];
    size_t n = columns((struct replica *)r, s, c);
    for (size_t i = 0; i < n; i++) {
        if (!*c[i].own != !c[i].engine)
            return err_set(err, E_INTERNAL, "column %zu (%s) is on one side only", i, c[i].name);
        for (size_t k = 0; c[i].engine && k < s->view.nnodes / c[i].lanes; k++)
            if (memcmp((const char *)*c[i].own + k * c[i].size, (const char *)c[i].engine + k * c[i].size, c[i].size) != 0)
                return err_set(err, E_INTERNAL, "column %zu (%s) differs at node %zu", i, c[i].name, k * c[i].lanes);
    }
    return 0;
}
