/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_bandwidth.h"

#include "api/quantity.h"

static const str lists[] = {STR_INIT("limits"), STR_INIT("requests")};
static const char *const annotation[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = "kubernetes.io/egress-bandwidth", [BANDWIDTH_IN] = "kubernetes.io/ingress-bandwidth"};

static struct json bits_json(struct arena *a, int64_t bits)
{
    return json_string(arena_fmt(a, "%lld", (long long)bits));
}

void kuscia_bandwidth_names(struct arena *a, struct json *resources)
{
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct json *list = json_get(resources, lists[i]);
        struct quantity q;
        const struct json *both = json_get(list, S("bandwidth"));
        if (!both)
            continue;
        bool ok = quantity_parse(json_str(both), &q);
        json_del(list, S("bandwidth"));
        for (int e = 0; ok && e < BANDWIDTH_ENDS; e++)
            if (!json_get(list, str_of(bandwidth_resource[e])))
                json_set(a, list, str_of(bandwidth_resource[e]), bits_json(a, quantity_to_i64(&q)));
    }
}

/* Bits of one end; 0: none. */
static int64_t amount(const struct json *list, int end)
{
    struct quantity q;
    const struct json *one = json_get(list, str_of(bandwidth_resource[end])), *both = json_get(list, S(BANDWIDTH_KUSCIA));
    if (!(one || both) || !quantity_parse(json_str(one ? one : both), &q))
        return 0;
    int64_t n = quantity_to_i64(&q), most = BANDWIDTH_MAX / (one ? 1 : BANDWIDTH_MBIT);
    return MIN(n, most) * (one ? 1 : BANDWIDTH_MBIT);
}

static const char *name_at(size_t i)
{
    return i < BANDWIDTH_ENDS ? bandwidth_resource[i] : BANDWIDTH_KUSCIA;
}

/* Instead of all that the containers say. */
static void ask_for_pod(struct arena *a, struct json *containers, const int64_t bits[BANDWIDTH_ENDS])
{
    for (uint32_t i = 0; i < containers->len; i++)
        for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
            struct json *list = json_get(json_get(&containers->items[i], S("resources")), lists[k]);
            for (size_t n = 0; list && n <= BANDWIDTH_ENDS; n++)
                json_del(list, str_of(name_at(n)));
        }
    for (size_t k = 0; containers->len && k < ARRAY_LEN(lists); k++)
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            if (bits[e])
                json_set(a, json_ensure_object(a, json_ensure_object(a, &containers->items[0], S("resources")), lists[k]), str_of(bandwidth_resource[e]), bits_json(a, bits[e]));
}

/* What is given once stands for both; a limit that is higher becomes the request, and the pod has it as a whole. */
static void make_equal(struct arena *a, struct json *resources)
{
    for (size_t n = 0; n <= BANDWIDTH_ENDS; n++) {
        str name = str_of(name_at(n));
        const struct json *limit = json_get(json_get(resources, S("limits")), name), *request = json_get(json_get(resources, S("requests")), name);
        if (limit || request) {
            struct json value = request ? *request : *limit;
            for (size_t k = 0; k < ARRAY_LEN(lists); k++)
                json_set(a, json_ensure_object(a, resources, lists[k]), name, value);
        }
    }
}

void kuscia_bandwidth_pod(struct arena *a, struct json *containers, str request, struct json *notes)
{
    int64_t bits[BANDWIDTH_ENDS] = {0}, want[BANDWIDTH_ENDS] = {0}, most[BANDWIDTH_ENDS] = {0};
    if (request.len && bandwidth_parse_ends(request, bits, NULL) == 0) {
        ask_for_pod(a, containers, bits);
        return;
    }
    for (uint32_t i = 0; i < containers->len; i++) {
        struct json *r = json_get(&containers->items[i], S("resources"));
        for (int e = 0; r && e < BANDWIDTH_ENDS; e++) {
            int64_t asked = amount(json_get(r, S("requests")), e), limit = amount(json_get(r, S("limits")), e);
            want[e] += asked ? asked : limit;
            most[e] += limit ? limit : asked;
        }
        if (r)
            make_equal(a, r);
    }
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        if (most[e] > want[e])
            json_set(a, notes, str_of(annotation[e]), bits_json(a, MIN(most[e], (int64_t)BANDWIDTH_MAX)));
}

void kuscia_bandwidth_lend(struct arena *a, const struct json *of, struct json *notes)
{
    str text = json_get_str(json_path(of, "metadata", "annotations", NULL), S(BANDWIDTH_LEND_NOTE));
    if (str_is(text, BANDWIDTH_LEND_ACCEPT))
        json_set(a, notes, S(BANDWIDTH_LEND_NOTE), json_string(text));
}
