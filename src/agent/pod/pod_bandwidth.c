/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/pod_bandwidth.h"

#include "api/quantity.h"

static const char *const annotation[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = BANDWIDTH_EGRESS_LIMIT, [BANDWIDTH_IN] = BANDWIDTH_INGRESS_LIMIT};

/* --- amounts of containers ---------------------------------------------------------------------------------------------------- */
static int64_t cap(__int128 bits)
{
    return bits <= 0 ? 0 : bits > BANDWIDTH_MAX ? BANDWIDTH_MAX : (int64_t)bits;
}

static int64_t lent_amount(const struct json *list, int end)
{
    struct quantity q;
    const struct json *one = json_get(list, str_of(bandwidth_lent_resource[end]));
    return one && quantity_parse(json_str(one), &q) ? cap(quantity_to_i64(&q)) : 0;
}

static int64_t amount(const struct json *list, int end)
{
    struct quantity q;
    const struct json *one = json_get(list, str_of(bandwidth_resource[end]));
    if (one)
        return quantity_parse(json_str(one), &q) ? cap(quantity_to_i64(&q)) : 0;
    const struct json *both = json_get(list, S(BANDWIDTH_KUSCIA));
    return both && quantity_parse(json_str(both), &q) ? cap((__int128)quantity_to_i64(&q) * BANDWIDTH_MBIT) : 0;
}

static bool names_it(const struct json *list, int end)
{
    return json_get(list, str_of(bandwidth_resource[end])) || json_get(list, S(BANDWIDTH_KUSCIA));
}

enum part { PART_REQUEST, PART_LIMIT, PART_LENT };

static int64_t of_container(const struct json *c, int end, enum part part)
{
    const struct json *limits = json_path(c, "resources", "limits", NULL), *requests = json_path(c, "resources", "requests", NULL);
    if (part == PART_LENT)
        return lent_amount(json_get(requests, str_of(bandwidth_lent_resource[end])) ? requests : limits, end);
    return amount(part == PART_LIMIT || !names_it(requests, end) ? limits : requests, end);
}

/* The largest step, as the scheduler counts: containers together with sidecars, or an init container beside the sidecars before it. */
static int64_t of_pod(const struct json *pod, int end, enum part part)
{
    const struct json *mains = json_path(pod, "spec", "containers", NULL), *inits = json_path(pod, "spec", "initContainers", NULL);
    int64_t sum = 0, sidecars = 0, peak = 0;
    for (uint32_t i = 0; json_is(inits, JSON_ARRAY) && i < inits->len; i++) {
        int64_t one = of_container(&inits->items[i], end, part);
        if (str_is(json_get_str(&inits->items[i], S("restartPolicy")), "Always"))
            sidecars = cap((__int128)sidecars + one);
        else
            peak = MAX(peak, cap((__int128)sidecars + one));
    }
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++)
        sum = cap((__int128)sum + of_container(&mains->items[i], end, part));
    sum = MAX(cap((__int128)sum + sidecars), peak);
    return part != PART_REQUEST ? sum : cap((__int128)sum + amount(json_path(pod, "spec", "overhead", NULL), end));
}

/* --- destinations ------------------------------------------------------------------------------------------------------------- */
static int add_dest(struct pod_bandwidth *b, str to, int64_t limit, struct err *err)
{
    if (b->ndests == POD_BANDWIDTH_DESTS)
        return err_set(err, E_INVALID_ARG, "a pod has bandwidth limits to at most %d destinations", POD_BANDWIDTH_DESTS);
    b->dests[b->ndests++] = (struct pod_bandwidth_dest){to, limit};
    return 0;
}

static int read_domain(struct pod_bandwidth *b, str key, str value, struct err *err)
{
    int64_t kb;
    str domain = str_from(key, sizeof BANDWIDTH_LIMIT_TO - 1);
    if (!domain.len || !str_to_i64(str_trim(value), &kb) || !bandwidth_of_kbps(kb))
        return err_set(err, E_INVALID_ARG, "annotation " STR_FMT ": \"" STR_FMT "\" is no number of KiB/s above 0", STR_ARG(key), STR_ARG(value));
    return add_dest(b, domain, bandwidth_of_kbps(kb), err);
}

static int read_list(struct pod_bandwidth *b, str value, struct err *err)
{
    while (value.len) {
        str to;
        int64_t bits;
        if (bandwidth_next_limit(&value, &to, &bits, err) < 0)
            return err_wrap(err, "annotation " BANDWIDTH_LIMITS ": ");
        int r = add_dest(b, to, bits, err);
        if (r < 0)
            return r;
    }
    return 0;
}

int pod_bandwidth_read(const struct json *pod, struct pod_bandwidth *ret, struct err *err)
{
    struct pod_bandwidth b = {0};
    const struct json *notes = json_path(pod, "metadata", "annotations", NULL);
    const struct json *lend = json_get(notes, S(BANDWIDTH_LEND_NOTE));
    bool accepts = lend && str_is(json_str(lend), BANDWIDTH_LEND_ACCEPT);
    int r = lend && !accepts ? err_set(err, E_INVALID_ARG, "annotation " BANDWIDTH_LEND_NOTE ": \"" STR_FMT "\" means nothing, only " BANDWIDTH_LEND_ACCEPT " does", STR_ARG(json_str(lend))) : 0;
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        const struct json *limit = json_get(notes, str_of(annotation[e]));
        b.request[e] = of_pod(pod, e, PART_REQUEST);
        b.lent[e] = of_pod(pod, e, PART_LENT);
        b.limit[e] = limit ? 0 : cap((__int128)of_pod(pod, e, PART_LIMIT) + b.lent[e]);
        if (accepts) {
            b.lent[e] = cap((__int128)b.lent[e] + b.request[e]);
            b.request[e] = 0;
        }
        if (limit && bandwidth_parse(json_str(limit), &b.limit[e], err) < 0)
            return err_wrap(err, "annotation %s: ", annotation[e]);
    }
    for (uint32_t i = 0; json_is(notes, JSON_OBJECT) && i < notes->len && r == 0; i++) {
        str key = notes->members[i].key, value = json_str(&notes->members[i].value);
        if (str_has_prefix(key, S(BANDWIDTH_LIMIT_TO)))
            r = read_domain(&b, key, value, err);
        else if (str_is(key, BANDWIDTH_LIMITS))
            r = read_list(&b, value, err);
    }
    if (r == 0)
        *ret = b;
    return r;
}
