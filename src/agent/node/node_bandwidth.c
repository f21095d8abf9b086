/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_bandwidth.h"

const char *const bandwidth_lent_resource[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = BANDWIDTH_LENT_EGRESS, [BANDWIDTH_IN] = BANDWIDTH_LENT_INGRESS};

static const struct name {
    const char *text;
    bool ends[BANDWIDTH_ENDS];
    bool in_mbit;
} names[] = {
    {"bandwidth", {true, true}, false},
    {BANDWIDTH_KUSCIA, {true, true}, true},
    {"egress", {[BANDWIDTH_OUT] = true}, false},
    {"cox.io/egress-bandwidth", {[BANDWIDTH_OUT] = true}, false},
    {"ingress", {[BANDWIDTH_IN] = true}, false},
    {"cox.io/ingress-bandwidth", {[BANDWIDTH_IN] = true}, false},
};

static const struct name *find_name(str text)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(text, names[i].text))
            return &names[i];
    return NULL;
}

bool node_bandwidth_is_name(str name)
{
    return find_name(name) != NULL;
}

static int read_amount(const struct name *n, str text, int64_t *ret, struct err *err)
{
    int64_t mbit;
    if (!n->in_mbit)
        return bandwidth_parse(text, ret, err);
    if (!str_to_i64(str_trim(text), &mbit) || mbit <= 0 || mbit > BANDWIDTH_MAX / BANDWIDTH_MBIT) {
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no number of Mbit/s above 0; with a unit write it as bandwidth=10Gi", STR_ARG(text));
    }
    *ret = mbit * BANDWIDTH_MBIT;
    return 0;
}

/* ret[end] stays where nothing names it.  A name for one end wins over one for both, wherever it stands. */
static int read_list(const char *const *list, const char *option, int64_t ret[BANDWIDTH_ENDS], struct err *err)
{
    bool exact[BANDWIDTH_ENDS] = {false};
    for (const char *const *p = list; p && *p; p++) {
        str text = str_of(*p), key;
        int64_t bits;
        const struct name *n = str_cut(&text, '=', &key) ? find_name(key) : NULL;
        if (!n)
            continue;
        if (read_amount(n, text, &bits, err) < 0)
            return err_wrap(err, "--%s " STR_FMT ": ", option, STR_ARG(key));
        bool both = n->ends[BANDWIDTH_OUT] && n->ends[BANDWIDTH_IN];
        for (int e = 0; e < BANDWIDTH_ENDS; e++) {
            if (!n->ends[e] || (both && exact[e]))
                continue;
            ret[e] = bits;
            exact[e] |= !both;
        }
    }
    return 0;
}

int node_bandwidth(const char *const *capacity, const char *const *reserved, int64_t card_mbit, struct node_bandwidth *ret, struct err *err)
{
    return node_bandwidth_noted(capacity, reserved, card_mbit, S(""), ret, err);
}

int node_bandwidth_noted(const char *const *capacity, const char *const *reserved, int64_t card_mbit, str note, struct node_bandwidth *ret, struct err *err)
{
    struct node_bandwidth b = {0};
    int64_t kept[BANDWIDTH_ENDS] = {0}, noted[BANDWIDTH_ENDS] = {0};
    bool is_card = card_mbit > 0 && card_mbit <= NODE_SPEED_MAX_MBIT;
    int r = read_list(capacity, "node-capacity", b.total, err);
    if (r == 0)
        r = read_list(reserved, "node-reserved", kept, err);
    if (r == 0 && note.len && (r = bandwidth_parse_ends(note, noted, err)) < 0)
        err_wrap(err, "annotation " BANDWIDTH_CAPACITY ": ");
    if (r < 0)
        return r;
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        b.total[e] = noted[e] ? noted[e] : b.total[e];
        b.source[e] = b.total[e] ? NODE_BANDWIDTH_CONFIGURED : is_card ? NODE_BANDWIDTH_CARD : NODE_BANDWIDTH_FALLBACK;
        b.total[e] = b.total[e] ? b.total[e] : is_card ? card_mbit * BANDWIDTH_MBIT : NODE_BANDWIDTH_ASSUMED;
        b.reserved[e] = kept[e] ? kept[e] : MIN(NODE_BANDWIDTH_RESERVED, b.total[e] / 10);
        if (b.reserved[e] >= b.total[e]) {
            char have[BANDWIDTH_TEXT], keep[BANDWIDTH_TEXT];
            return err_set(err, E_INVALID_ARG, "the node has %s of %s bandwidth and %s of it are reserved: nothing is left for pods (--node-capacity, --node-reserved, annotation " BANDWIDTH_CAPACITY ")",
                           bandwidth_print(b.total[e], have), e == BANDWIDTH_OUT ? "egress" : "ingress", bandwidth_print(b.reserved[e], keep));
        }
    }
    *ret = b;
    return 0;
}

bool node_counter_delta(uint64_t before, uint64_t now, uint64_t most, uint64_t *ret)
{
    bool may_wrap = before <= UINT32_MAX && now < before && now + (1ull << 32) - before <= most;
    if (now < before && !may_wrap)
        return false;
    *ret = now >= before ? now - before : now + (1ull << 32) - before;
    return true;
}
