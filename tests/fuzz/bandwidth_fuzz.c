/* Whatever is read is in its range, is read again from its plain number, and means the same as the quantity of Kubernetes where that reads it too. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "api/quantity.h"
#include "base/bandwidth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = str_n((const char *)data, size);
    int64_t bits = 0, again = 0;
    struct err err = ERR_NONE;
    char plain[32], shown[BANDWIDTH_TEXT];
    int64_t ends[BANDWIDTH_ENDS] = {0};
    BUG_ON(bandwidth_parse_ends(text, ends, &err) < 0 ? !err.msg[0] : ends[BANDWIDTH_OUT] < 0 || ends[BANDWIDTH_IN] < 0 || ends[BANDWIDTH_OUT] + ends[BANDWIDTH_IN] <= 0 || ends[BANDWIDTH_OUT] > BANDWIDTH_MAX || ends[BANDWIDTH_IN] > BANDWIDTH_MAX);
    err = ERR_NONE;
    if (bandwidth_parse(text, &bits, &err) < 0) {
        BUG_ON(!err.msg[0]);
        return 0;
    }
    BUG_ON(bits <= 0 || bits > BANDWIDTH_MAX);
    int len = snprintf(plain, sizeof plain, "%lld", (long long)bits);
    BUG_ON(bandwidth_parse(str_n(plain, (size_t)len), &again, &err) < 0 || again != bits);
    BUG_ON(bandwidth_parse(str_of(bandwidth_print(bits, shown)), &again, &err) < 0);
    struct quantity q;
    BUG_ON(quantity_parse(text, &q) && quantity_to_i64(&q) != bits);
    return 0;
}
