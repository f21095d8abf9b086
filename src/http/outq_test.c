/* SPDX-License-Identifier: Apache-2.0 */
#include "http/outq.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/test.h"

/* Random adds and takes against a plain string. */
TEST(behaves_as_a_string)
{
    struct rng rng;
    struct outq q = {0};
    STRBUF_AUTO model = STRBUF_HEAP;
    size_t taken = 0;
    char out[300], bytes[400];
    rng_seed(&rng, 7);
    for (int i = 0; i < 20000; i++) {
        size_t n = rng_below(&rng, 200);
        if (rng_below(&rng, 2)) {
            struct http_buf *bufs[3];
            size_t count = rng_below(&rng, 4);
            for (size_t k = 0; k < count; k++) {
                memset(bytes, 'a' + (int)rng_below(&rng, 26), n);
                bufs[k] = http_buf_new(str_n(bytes, rng_below(&rng, 3) ? n : 0));
                strbuf_add(&model, bufs[k]->data, bufs[k]->len);
            }
            outq_add(&q, bufs, count);
            for (size_t k = 0; k < count; k++)
                http_buf_unref(bufs[k]);
        } else if (rng_below(&rng, 2)) {
            size_t got = outq_take(&q, out, n);
            T_OK(str_eq(str_n(out, got), str_sub(strbuf_str(&model), taken, taken + got)));
            taken += got;
        } else if (q.bytes) {
            str front = outq_front(&q);
            T_OK(front.len && memcmp(front.p, model.p + taken, front.len) == 0);
            size_t skip = rng_below(&rng, front.len + 1);
            outq_skip(&q, skip);
            taken += skip;
        }
        if (q.bytes != model.len - taken)
            T_FAIL_("%zu bytes in the queue, %zu expected", q.bytes, model.len - taken);
    }
    outq_clear(&q);
    T_EQ_INT(q.bytes, 0);
    T_EQ_INT(outq_front(&q).len, 0);
}

TEST(references_are_given_back)
{
    struct outq q = {0};
    struct http_buf *b = http_buf_new(S("hello"));
    struct http_buf *twice[] = {b, b};
    char out[10];
    outq_add(&q, twice, 2);
    T_EQ_INT(atomic_load(&b->refs), 3);
    T_EQ_INT(outq_take(&q, out, 7), 7);
    T_EQ_STR(str_n(out, 7), "hellohe");
    T_EQ_INT(atomic_load(&b->refs), 2);
    outq_clear(&q);
    T_EQ_INT(atomic_load(&b->refs), 1);
    http_buf_unref(b);
    http_buf_unref(NULL);
}

TEST_MAIN(behaves_as_a_string, references_are_given_back)
