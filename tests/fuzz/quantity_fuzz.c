/* Whatever parses must print to a text that parses to the same value and prints the same; order and sums agree. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool survives(struct arena *a, const struct quantity *q)
{
    struct quantity again, canonical = *q;
    canonical.written = STR_NONE;
    str text = quantity_format(a, &canonical);
    return quantity_parse(text, &again) && quantity_cmp(q, &again) == 0 && str_eq(quantity_format(a, &again), text);
}

/* The input is one quantity, or two separated by a blank. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str rest = str_n((const char *)data, size), first;
    struct quantity x, y;
    ARENA_AUTO a = ARENA_INIT;
    str_cut(&rest, ' ', &first);
    if (!quantity_parse(first, &x))
        return 0;
    BUG_ON(!survives(&a, &x));
    if (!quantity_parse(rest, &y))
        return 0;
    int order = quantity_cmp(&x, &y);
    BUG_ON(order != -quantity_cmp(&y, &x));
    struct quantity difference = x;
    quantity_sub(&difference, &y);
    BUG_ON(quantity_sign(&difference) != order);
    quantity_add(&x, &y);
    (void)quantity_to_milli(&x);
    BUG_ON(quantity_format(&a, &x).len == 0);
    return 0;
}
