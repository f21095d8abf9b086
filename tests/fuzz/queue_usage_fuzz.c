/* Any text as the saved history of queues: usage stays an ordinary number, shares stay within the total, and what is saved reads back as it was. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/policy/queues.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW (1000 * NSEC_PER_SEC)
#define HOUR (3600 * NSEC_PER_SEC)
static const char *const names[] = {"a", "b", "team-1"};

static struct queues *make(void)
{
    struct queues *q = queues_new();
    struct queue_resource res[] = {{.id = RES_GPU, .quota = GPU_MILLI, .weight = 1, .limit = POLICY_UNLIMITED},
                                   {.id = RES_FIRST_EXTENDED, .weight = 2, .limit = POLICY_UNLIMITED, .name = S("example.com/fpga")}};
    struct policy_amounts total = {.v = {1000, 1000, 8 * GPU_MILLI, 8}}, some = {.v = {900, 900, 6 * GPU_MILLI, 6}};
    queues_set_total(q, &total);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct queue_spec spec = {.name = str_of(names[i]), .parent = i == 1 ? S("a") : S(""), .res = res, .nres = ARRAY_LEN(res)};
        struct err err = ERR_NONE;
        queue_id id;
        BUG_ON(queues_put(q, &spec, &id, &err) < 0);
        if (i)
            queues_add_waiting(q, id, &some, 1);
    }
    return q;
}

static void check(struct queues *q)
{
    queues_divide(q, 1);
    for (uint32_t s = 0; s < queues_nslots(q); s++) {
        int64_t roots = 0;
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            const struct queue_state *x = queues_get(q, queues_find(q, str_of(names[i])));
            BUG_ON(!isfinite(x->usage[s]) || x->usage[s] < 0 || x->fair.v[s] < 0);
            roots += x->parent ? 0 : x->fair.v[s];
        }
        BUG_ON(roots > (s == 2 ? 8 * GPU_MILLI : s == 3 ? 8 : 1000));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct queues *q = make(), *again = make();
    STRBUF_AUTO first = STRBUF_HEAP;
    STRBUF_AUTO second = STRBUF_HEAP;
    queues_usage_load(q, str_n((const char *)data, size));
    queues_usage_advance(q, NOW, HOUR, 100 * HOUR);
    check(q);
    queues_usage_save(q, &first);
    queues_usage_load(again, strbuf_str(&first));
    queues_usage_advance(again, NOW, HOUR, 100 * HOUR);
    queues_usage_save(again, &second);
    BUG_ON(!str_eq(strbuf_str(&first), strbuf_str(&second)));
    queues_usage_advance(q, NOW + 5 * HOUR, 0, HOUR);
    check(q);
    queues_free(q);
    queues_free(again);
    return 0;
}
