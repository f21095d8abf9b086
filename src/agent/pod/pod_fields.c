/* pod_fields.c - what a container may ask about its pod: fields, resources, values of ConfigMaps and Secrets.
 *
 * Maps are written as lines of key="value" in order of their keys; resources are divided and rounded up. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#include "agent/pod/pod_plan.h"
#include "api/quantity.h"
#include "wire/base64.h"

const char *ref_kind_name(enum ref_kind kind)
{
    return kind == REF_CONFIGMAP ? "configmap" : "secret";
}

bool ref_value(struct arena *a, enum ref_kind kind, const struct json *object, str key, str *ret)
{
    const struct json *plain = json_get(json_get(object, S("data")), key), *encoded = plain;
    if (kind == REF_CONFIGMAP) {
        if (json_is(plain, JSON_STRING)) {
            *ret = json_str(plain);
            return true;
        }
        encoded = json_get(json_get(object, S("binaryData")), key);
    }
    return json_is(encoded, JSON_STRING) && base64_decode(a, BASE64_STD, json_str(encoded), ret, NULL) == 0;
}

/* --- fields --------------------------------------------------------------------------------------------- */
static void add_quoted(struct strbuf *b, str s)
{
    static const char letters[] = "abtnvfr"; /* of 7 ... 13 */
    strbuf_add_char(b, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            strbuf_addf(b, "\\%c", c);
        else if (c >= 7 && c <= 13)
            strbuf_addf(b, "\\%c", letters[c - 7]);
        else if (c < 0x20 || c == 0x7f)
            strbuf_addf(b, "\\x%02x", c);
        else
            strbuf_add_char(b, (char)c);
    }
    strbuf_add_char(b, '"');
}

static int by_key(const void *x, const void *y)
{
    return str_cmp(((const struct json_member *)x)->key, ((const struct json_member *)y)->key);
}

static str map_text(struct arena *a, const struct json *map)
{
    if (!json_is(map, JSON_OBJECT) || !map->len)
        return S("");
    struct json_member *m = arena_array(a, map->len, struct json_member);
    memcpy(m, map->members, map->len * sizeof *m);
    qsort(m, map->len, sizeof *m, by_key);
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; i < map->len; i++) {
        strbuf_addf(&b, "%s" STR_FMT "=", i ? "\n" : "", STR_ARG(m[i].key));
        add_quoted(&b, json_str(&m[i].value));
    }
    return strbuf_str(&b);
}

/* "metadata.labels['k']" -> the map's name and k. */
static bool split_subscript(str path, str *ret_map, str *ret_key)
{
    ptrdiff_t at = str_find(path, S("['"));
    if (at < 0 || !str_has_suffix(path, S("']")))
        return false;
    *ret_map = str_sub(path, 0, (size_t)at);
    *ret_key = str_sub(path, (size_t)at + 2, path.len - 2);
    return true;
}

int pod_field(struct arena *a, const struct json *pod, const struct build_node *node, str path, str *ret, struct err *err)
{
    const struct json *meta = json_get(pod, S("metadata")), *spec = json_get(pod, S("spec"));
    str map, key;
    if (split_subscript(path, &map, &key)) {
        str name = str_has_prefix(map, S("metadata.")) ? str_from(map, 9) : S("");
        if (!str_is(name, "labels") && !str_is(name, "annotations"))
            return err_set(err, E_INVALID_ARG, "invalid subscript operation for field path \"" STR_FMT "\"", STR_ARG(path));
        *ret = json_get_str(json_get(meta, name), key);
        return 0;
    }
    str host = node->ip, ip = node->pod_ip.len ? node->pod_ip : json_get_bool(spec, S("hostNetwork"), false) ? host : S("");
    str account = json_get_str(spec, S("serviceAccountName")), node_name = json_get_str(spec, S("nodeName"));
    const struct {
        const char *path;
        str value;
    } rows[] = {
        {"metadata.name", json_get_str(meta, S("name"))},
        {"metadata.namespace", json_get_str(meta, S("namespace"))},
        {"metadata.uid", json_get_str(meta, S("uid"))},
        {"spec.nodeName", node_name.len ? node_name : node->name},
        {"spec.serviceAccountName", account},
        {"status.hostIP", host},
        {"status.hostIPs", host},
        {"status.podIP", ip},
        {"status.podIPs", ip},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(path, rows[i].path)) {
            *ret = rows[i].value;
            return 0;
        }
    if (str_is(path, "metadata.labels") || str_is(path, "metadata.annotations")) {
        *ret = map_text(a, json_get(meta, str_from(path, 9)));
        return 0;
    }
    return err_set(err, E_INVALID_ARG, "unsupported fieldPath: " STR_FMT, STR_ARG(path));
}

/* --- resources ------------------------------------------------------------------------------------------ */
static int64_t divide_up(__int128 value, __int128 by)
{
    if (value <= 0 || by <= 0)
        return 0;
    __int128 q = (value + by - 1) / by;
    return q > INT64_MAX ? INT64_MAX : (int64_t)q;
}

int pod_resource_field(struct arena *a, const struct json *pod, const struct json *container, const struct build_node *node, const struct json *ref, str *ret, struct err *err)
{
    str name = json_get_str(ref, S("containerName")), resource = json_get_str(ref, S("resource")), list;
    if (name.len)
        container = pod_container_spec(pod, name);
    if (!container)
        return err_set(err, E_NOT_FOUND, "container " STR_FMT " not found", STR_ARG(name));
    str what = resource;
    if (!str_cut(&what, '.', &list) || (!str_is(list, "limits") && !str_is(list, "requests")))
        return err_set(err, E_INVALID_ARG, "unsupported container resource : " STR_FMT, STR_ARG(resource));
    struct quantity q, divisor;
    bool is_cpu = str_is(what, "cpu"), has = quantity_parse(json_get_str(json_path(container, "resources", list.p[0] == 'l' ? "limits" : "requests", NULL), what), &q);
    if (!has && str_is(list, "limits")) /* without a limit the node is the limit */
        q = is_cpu ? quantity_from_milli(node->cpu_milli) : quantity_from_i64(str_is(what, "memory") ? node->memory_bytes : str_is(what, "ephemeral-storage") ? node->disk_bytes : 0);
    else if (!has)
        q = quantity_from_i64(0);
    if (!quantity_parse(json_str(json_get(ref, S("divisor"))), &divisor) || quantity_is_zero(&divisor))
        divisor = quantity_from_i64(1);
    int64_t v = is_cpu ? divide_up(quantity_to_milli(&q), quantity_to_milli(&divisor)) : divide_up(quantity_to_i64(&q), quantity_to_i64(&divisor));
    *ret = arena_fmt(a, "%lld", (long long)v);
    return 0;
}
