/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#define MAP_FIRST_CAP 16

void map_fini(struct map *m)
{
    free(m->slots_);
    *m = MAP_INIT;
}

void map_clear(struct map *m)
{
    if (m->cap_)
        memset(m->slots_, 0, m->cap_ * sizeof *m->slots_);
    m->len = 0;
}

/* The slot that holds key, or the free slot where it would go. */
static struct map_entry *slot_of(const struct map *m, str key)
{
    size_t mask = m->cap_ - 1, i = str_hash(key) & mask;
    while (m->slots_[i].key.p && !str_eq(m->slots_[i].key, key))
        i = (i + 1) & mask;
    return &m->slots_[i];
}

struct map_entry *map_find(const struct map *m, str key)
{
    if (!m->len)
        return NULL;
    struct map_entry *e = slot_of(m, key);
    return e->key.p ? e : NULL;
}

void *map_get(const struct map *m, str key)
{
    struct map_entry *e = map_find(m, key);
    return e ? e->value : NULL;
}

bool map_has(const struct map *m, str key)
{
    return map_find(m, key) != NULL;
}

static void grow(struct map *m)
{
    struct map old = *m;
    m->cap_ = old.cap_ ? old.cap_ * 2 : MAP_FIRST_CAP;
    m->slots_ = xarray(m->cap_, struct map_entry);
    for (size_t i = 0; i < old.cap_; i++)
        if (old.slots_[i].key.p)
            *slot_of(m, old.slots_[i].key) = old.slots_[i];
    free(old.slots_);
}

void *map_put(struct map *m, str key, void *value)
{
    if ((m->len + 1) * 4 > m->cap_ * 3)
        grow(m);
    if (!key.p)
        key.p = ""; /* NULL marks a free slot */
    struct map_entry *e = slot_of(m, key);
    if (e->key.p) {
        void *old = e->value;
        e->value = value;
        return old;
    }
    *e = (struct map_entry){key, value};
    m->len++;
    return NULL;
}

void *map_del(struct map *m, str key)
{
    struct map_entry *e = map_find(m, key);
    if (!e)
        return NULL;
    void *old = e->value;
    size_t mask = m->cap_ - 1, hole = (size_t)(e - m->slots_), i = hole;
    /* close the gap: move back every later entry of the run that may stand in the hole */
    for (;;) {
        i = (i + 1) & mask;
        if (!m->slots_[i].key.p)
            break;
        size_t home = str_hash(m->slots_[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots_[hole] = m->slots_[i];
            hole = i;
        }
    }
    m->slots_[hole] = (struct map_entry){0};
    m->len--;
    return old;
}

struct map_entry *map_next_(const struct map *m, struct map_entry *after)
{
    size_t i = after ? (size_t)(after - m->slots_) + 1 : 0;
    for (; i < m->cap_; i++)
        if (m->slots_[i].key.p)
            return &m->slots_[i];
    return NULL;
}
