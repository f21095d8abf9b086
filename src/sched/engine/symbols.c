/* symbols.c - see symbols.h.  Open addressing by a 64-bit hash; the slot holds the symbol, whose text is compared. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/symbols.h"

void symbols_init(struct symbols *t)
{
    *t = (struct symbols){.arena_ = ARENA_INIT, .nslots_ = 256, .cap_ = 128};
    t->slots_ = xarray(t->nslots_, uint32_t);
    t->text_ = xarray(t->cap_, str);
    t->text_[0] = S("");
    t->len_ = 1;
}

void symbols_fini(struct symbols *t)
{
    free(t->slots_);
    free(t->text_);
    arena_fini(&t->arena_);
}

/* The slot that holds s, or the free one where it belongs. */
static uint32_t slot_of(const struct symbols *t, str s)
{
    uint32_t mask = t->nslots_ - 1;
    uint32_t i = (uint32_t)str_hash(s) & mask;
    while (t->slots_[i] && !str_eq(t->text_[t->slots_[i]], s))
        i = (i + 1) & mask;
    return i;
}

static void grow(struct symbols *t)
{
    uint32_t *old = t->slots_, n = t->nslots_;
    t->nslots_ *= 2;
    t->slots_ = xarray(t->nslots_, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (old[i])
            t->slots_[slot_of(t, t->text_[old[i]])] = old[i];
    free(old);
}

sym_t symbol(struct symbols *t, str s)
{
    if (str_empty(s))
        return 0;
    uint32_t i = slot_of(t, s);
    if (t->slots_[i])
        return t->slots_[i];
    if (t->len_ == t->cap_) {
        t->cap_ *= 2;
        t->text_ = xrealloc(t->text_, t->cap_ * sizeof *t->text_);
    }
    if (t->len_ * 2 >= t->nslots_) {
        grow(t);
        i = slot_of(t, s);
    }
    t->text_[t->len_] = arena_str(&t->arena_, s);
    return t->slots_[i] = t->len_++;
}

sym_t symbol_find(const struct symbols *t, str s)
{
    return str_empty(s) ? 0 : t->slots_[slot_of(t, s)];
}
