/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_index.h"

#include <sys/auxv.h>

/* The kernel gives each process 16 random bytes; they never change, so no state is needed here. */
static uint64_t process_seed(void)
{
    const char *random = (const char *)getauxval(AT_RANDOM);
    uint64_t seed = 0x9e3779b97f4a7c15u;
    if (random)
        memcpy(&seed, random, sizeof seed);
    return seed;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 wide = (unsigned __int128)a * b;
    return (uint64_t)wide ^ (uint64_t)(wide >> 64);
}

static uint64_t key_hash(str key)
{
    uint64_t seed = process_seed(), h = seed ^ key.len;
    size_t i = 0;
    for (; i + 8 <= key.len; i += 8) {
        uint64_t word;
        memcpy(&word, key.p + i, 8);
        h = fold(h ^ word, seed | 1) + word;
    }
    uint64_t tail = 0;
    if (key.len > i)
        memcpy(&tail, key.p + i, key.len - i);
    return fold(h ^ tail, 0xa0761d6478bd642fu ^ (seed << 1));
}

void json_index_init(struct json_index *ix, size_t expected)
{
    uint32_t cap = 64;
    while (cap / 2 < expected)
        cap *= 2;
    *ix = (struct json_index){.slots_ = xarray(cap, uint32_t), .mask_ = cap - 1};
}

void json_index_fini(struct json_index *ix)
{
    free(ix->slots_);
    *ix = (struct json_index){0};
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *slot_find(const struct json_index *ix, const struct json_member *members, str key)
{
    uint32_t at = (uint32_t)key_hash(key) & ix->mask_;
    while (ix->slots_[at] && !str_eq(members[ix->slots_[at] - 1].key, key))
        at = (at + 1) & ix->mask_;
    return &ix->slots_[at];
}

uint32_t json_index_find(const struct json_index *ix, const struct json_member *members, str key)
{
    uint32_t slot = *slot_find(ix, members, key);
    return slot ? slot - 1 : JSON_INDEX_NONE;
}

static void grow(struct json_index *ix, const struct json_member *members)
{
    struct json_index larger;
    json_index_init(&larger, (size_t)ix->mask_ + 1);
    for (uint32_t i = 0; i <= ix->mask_; i++)
        if (ix->slots_[i])
            *slot_find(&larger, members, members[ix->slots_[i] - 1].key) = ix->slots_[i];
    larger.len_ = ix->len_;
    json_index_fini(ix);
    *ix = larger;
}

void json_index_add(struct json_index *ix, const struct json_member *members, uint32_t at)
{
    if (ix->len_ > ix->mask_ / 2)
        grow(ix, members);
    *slot_find(ix, members, members[at].key) = at + 1;
    ix->len_++;
}
