/* object_read.c - see object_read.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object_read.h"

#include "api/codec_scalar.h"
#include "base/limits.h"
#include "base/civil.h"


/* --- errors ------------------------------------------------------------------------------------------------------------------------ */
static void spot_text(struct strbuf *b, const struct spot *at)
{
    if (!at)
        return;
    spot_text(b, at->up);
    if (at->is_index)
        strbuf_addf(b, "[%zu]", at->index);
    else if (at->up)
        strbuf_addf(b, "." STR_FMT, STR_ARG(at->key));
    else
        strbuf_add_str(b, at->key);
}

void read_bad(struct reader *r, const struct spot *at, const char *fmt, ...)
{
    if (r->code)
        return;
    STRBUF_AUTO path = STRBUF_HEAP, text = STRBUF_HEAP;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&text, fmt, ap);
    va_end(ap);
    spot_text(&path, at);
    r->code = err_set(r->err, E_INVALID_ARG, "%s: %s", strbuf_cstr(&path), strbuf_cstr(&text));
    if (r->err)
        err_set_field(r->err, strbuf_str(&path));
}

/* --- members --------------------------------------------------------------------------------------------------------------------------- */
static const struct json *member(const struct json *of, const char *key)
{
    const struct json *v = json_get(of, str_of(key));
    return v && v->type != JSON_NULL ? v : NULL;
}

const struct json *read_object(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    const struct json *v = member(of, key);
    if (v && v->type != JSON_OBJECT)
        read_bad(r, SPOT(at, key), "must be an object");
    return json_is(v, JSON_OBJECT) ? v : NULL;
}

const struct json *read_array(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    const struct json *v = member(of, key);
    if (v && v->type != JSON_ARRAY)
        read_bad(r, SPOT(at, key), "must be an array");
    return json_is(v, JSON_ARRAY) ? v : NULL;
}

str read_str(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    const struct json *v = member(of, key);
    if (v && v->type != JSON_STRING)
        read_bad(r, SPOT(at, key), "must be a string");
    return json_is(v, JSON_STRING) ? json_str(v) : S("");
}

bool read_bool(struct reader *r, const struct json *of, const struct spot *at, const char *key, bool otherwise)
{
    const struct json *v = member(of, key);
    if (v && v->type != JSON_BOOL)
        read_bad(r, SPOT(at, key), "must be true or false");
    return json_is(v, JSON_BOOL) ? v->b : otherwise;
}

int64_t read_int(struct reader *r, const struct json *of, const struct spot *at, const char *key, int64_t min, int64_t max, int64_t otherwise)
{
    const struct json *v = member(of, key);
    int64_t n;
    if (!v)
        return otherwise;
    if (!json_is(v, JSON_NUMBER) || !json_to_i64(v, &n) || n < min || n > max) {
        read_bad(r, SPOT(at, key), "must be a whole number from %lld to %lld", (long long)min, (long long)max);
        return otherwise;
    }
    return n;
}

nsec_t read_time(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    str text = read_str(r, of, at, key);
    nsec_t t = 0;
    if (text.len && !civil_parse(text, &t))
        read_bad(r, SPOT(at, key), "\"" STR_FMT "\" is not a time as in \"2026-01-02T03:04:05Z\"", STR_ARG(text));
    return t;
}

const struct json *read_item(struct reader *r, const struct json *array, const struct spot *at, size_t i)
{
    const struct json *v = &array->items[i];
    if (v->type != JSON_OBJECT)
        read_bad(r, SPOT_AT(at, i), "must be an object");
    return v->type == JSON_OBJECT ? v : NULL;
}

str read_item_str(struct reader *r, const struct json *array, const struct spot *at, size_t i)
{
    const struct json *v = &array->items[i];
    if (v->type != JSON_STRING)
        read_bad(r, SPOT_AT(at, i), "must be a string");
    return v->type == JSON_STRING ? json_str(v) : S("");
}

const str *read_strs(struct reader *r, const struct json *of, const struct spot *at, const char *key, size_t *ret_n)
{
    const struct json *v = read_array(r, of, at, key);
    *ret_n = v ? v->len : 0;
    str *p = arena_array(r->a, *ret_n, str);
    for (size_t i = 0; i < *ret_n; i++)
        p[i] = read_item_str(r, v, SPOT(at, key), i);
    return p;
}

int read_word(struct reader *r, const struct json *of, const struct spot *at, const char *key, const char *const *words, size_t n, int otherwise)
{
    str text = read_str(r, of, at, key);
    if (str_empty(text))
        return otherwise;
    STRBUF_AUTO known = STRBUF_HEAP;
    for (size_t i = 0; i < n; i++) {
        if (str_is(text, words[i]))
            return (int)i;
        strbuf_addf(&known, "%s%s", i ? ", " : "", words[i]);
    }
    read_bad(r, SPOT(at, key), "\"" STR_FMT "\" is none of %s", STR_ARG(text), strbuf_cstr(&known));
    return otherwise;
}

/* --- quantities and resource lists --------------------------------------------------------------------------------------------------------- */
static bool quantity_ok(struct reader *r, str text, const struct spot *at, struct quantity *ret)
{
    if (!quantity_parse(text, ret))
        read_bad(r, at, "\"" STR_FMT "\" is not a quantity", STR_ARG(text));
    else if (quantity_sign(ret) < 0)
        read_bad(r, at, "\"" STR_FMT "\" is negative", STR_ARG(text));
    else
        return true;
    return false;
}

bool read_quantity(struct reader *r, const struct json *v, const struct spot *at, struct quantity *ret)
{
    if (v->type != JSON_STRING && v->type != JSON_NUMBER) {
        read_bad(r, at, "must be a quantity");
        return false;
    }
    return quantity_ok(r, json_str(v), at, ret);
}

int64_t amount_add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) || sum > AMOUNT_MOST ? AMOUNT_MOST : sum;
}

static void add(struct amounts *a, uint16_t id, int64_t amount)
{
    a->v[id] = amount_add(a->v[id], amount);
    a->has[id] = true;
}

#define BITS_PER_MBIT 1000000

/* Kuscia's number is for both ends, less those that the same list names by themselves: a node shows both, and they are one amount. */
static void add_both_ends(struct reader *r, struct amounts *a, const struct json *list, const struct quantity *q)
{
    static const uint16_t ends[] = {RES_INGRESS, RES_EGRESS};
    int64_t bits;
    if (__builtin_mul_overflow(quantity_to_i64(q), (int64_t)BITS_PER_MBIT, &bits))
        bits = INT64_MAX;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (!json_get(list, r->s->res_name[ends[i]]))
            add(a, ends[i], bits);
}

static void add_resource(struct reader *r, struct amounts *a, const struct json *list, str name, const struct quantity *q, const struct spot *at)
{
    uint16_t id;
    struct err err = ERR_NONE;
    if (str_is(name, "kuscia.io/bandwidth")) {
        add_both_ends(r, a, list, q);
    } else if (sched_resource_id(r->s, name, &id, &err) < 0) {
        read_bad(r, at, "%s", err.msg);
    } else {
        add(a, id, id == RES_CPU ? quantity_to_milli(q) : quantity_to_i64(q));
    }
}

bool read_amounts(struct reader *r, const struct json *of, const struct spot *at, const char *key, struct amounts *a)
{
    const struct json *list = read_object(r, of, at, key);
    for (size_t i = 0; list && i < list->len; i++) {
        const struct json_member *m = &list->members[i];
        struct quantity q;
        if (m->value.type != JSON_NULL && read_quantity(r, &m->value, SPOT_STR(SPOT(at, key), m->key), &q))
            add_resource(r, a, list, m->key, &q, SPOT_STR(SPOT(at, key), m->key));
    }
    return list != NULL;
}

struct res_list amounts_list(struct reader *r, const struct amounts *a)
{
    size_t n = 0;
    struct res_amount *p = arena_array(r->a, RES_MAX, struct res_amount);
    for (uint16_t id = 0; id < RES_MAX; id++)
        if (a->v[id])
            p[n++] = (struct res_amount){id, a->v[id]};
    return (struct res_list){p, n};
}

bool annotation_amount(struct reader *r, struct spec_labels annotations, const char *key, int64_t *ret)
{
    bool has;
    struct quantity q;
    str text = labels_get(annotations, str_of(key), &has);
    if (!has || !quantity_ok(r, text, SPOT(SPOT(SPOT(NULL, "metadata"), "annotations"), key), &q))
        return false;
    *ret = amount_add(0, quantity_to_i64(&q));
    return true;
}

nsec_t annotation_duration(struct reader *r, struct spec_labels annotations, str key)
{
    bool has;
    int64_t ns = 0;
    uint64_t seconds;
    struct err why = ERR_NONE;
    str text = labels_get(annotations, key, &has);
    if (!has)
        return 0;
    if (str_to_u64(text, &seconds))
        return (nsec_t)MIN(seconds, (uint64_t)LIMIT_SCHED_DURATION_S) * NSEC_PER_SEC;
    if (codec_duration_parse(r->a, text, &ns, &why) < 0 || ns < 0)
        return 0;
    return MIN(ns, LIMIT_SCHED_DURATION_S * NSEC_PER_SEC);
}

/* --- labels and selectors ---------------------------------------------------------------------------------------------------------------------- */
struct spec_labels read_labels(struct reader *r, const struct json *of, const struct spot *at, const char *key)
{
    const struct json *map = read_object(r, of, at, key);
    size_t n = 0;
    struct spec_label *p = arena_array(r->a, map ? map->len : 0, struct spec_label);
    for (size_t i = 0; map && i < map->len; i++) {
        const struct json_member *m = &map->members[i];
        if (m->value.type == JSON_STRING)
            p[n++] = (struct spec_label){m->key, json_str(&m->value)};
        else if (m->value.type != JSON_NULL)
            read_bad(r, SPOT_STR(SPOT(at, key), m->key), "must be a string");
    }
    return (struct spec_labels){p, n};
}

str labels_get(struct spec_labels l, str key, bool *ret_has)
{
    for (size_t i = 0; i < l.n; i++)
        if (str_eq(l.p[i].key, key)) {
            *ret_has = true;
            return l.p[i].value;
        }
    *ret_has = false;
    return S("");
}

struct spec_requirement *read_requirements(struct reader *r, const struct json *of, const struct spot *at, const char *key, size_t before, size_t *ret_n)
{
    static const char *const ops[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
    const struct json *list = read_array(r, of, at, key);
    size_t n = list ? list->len : 0;
    struct spec_requirement *p = arena_array(r->a, before + n, struct spec_requirement);
    for (size_t i = 0; i < n; i++) {
        const struct spot *here = SPOT_AT(SPOT(at, key), i);
        const struct json *v = read_item(r, list, SPOT(at, key), i);
        struct spec_requirement *q = &p[before + i];
        q->key = read_str(r, v, here, "key");
        int op = read_word(r, v, here, "operator", ops, ARRAY_LEN(ops), -1);
        if (op < 0)
            read_bad(r, SPOT(here, "operator"), "is missing");
        q->op = (enum spec_op)MAX(op, 0);
        q->values = read_strs(r, v, here, "values", &q->nvalues);
    }
    *ret_n = n;
    return p;
}

void read_selector(struct reader *r, const struct json *of, const struct spot *at, const char *key, struct spec_selector *ret)
{
    const struct json *v = read_object(r, of, at, key);
    if (!v) {
        *ret = (struct spec_selector){.none = true};
        return;
    }
    struct spec_labels labels = read_labels(r, v, SPOT(at, key), "matchLabels");
    size_t n;
    struct spec_requirement *p = read_requirements(r, v, SPOT(at, key), "matchExpressions", labels.n, &n);
    for (size_t i = 0; i < labels.n; i++)
        p[i] = (struct spec_requirement){labels.p[i].key, OP_IN, &labels.p[i].value, 1};
    for (size_t i = labels.n; i < labels.n + n; i++)
        if (p[i].op > OP_NOT_EXISTS)
            read_bad(r, SPOT(SPOT_AT(SPOT(SPOT(at, key), "matchExpressions"), i - labels.n), "operator"),
                     "labels are compared with In, NotIn, Exists and DoesNotExist");
    *ret = (struct spec_selector){.p = p, .n = labels.n + n};
}

void read_node_term(struct reader *r, const struct json *of, const struct spot *at, struct spec_node_term *ret)
{
    size_t n;
    const struct spec_requirement *p = read_requirements(r, of, at, "matchExpressions", 0, &n);
    ret->labels = (struct spec_selector){.p = p, .n = n};
    ret->fields = read_requirements(r, of, at, "matchFields", 0, &ret->nfields);
    for (size_t i = 0; i < ret->nfields; i++) {
        const struct spec_requirement *f = &ret->fields[i];
        const struct spot *here = SPOT_AT(SPOT(at, "matchFields"), i);
        if (!str_is(f->key, "metadata.name"))
            read_bad(r, SPOT(here, "key"), "\"" STR_FMT "\" is not metadata.name, the only field of a node that is matched", STR_ARG(f->key));
        else if (f->op > OP_NOT_IN || f->nvalues != 1)
            read_bad(r, here, "needs In or NotIn and one value");
    }
}

struct spec_node_term *read_node_terms(struct reader *r, const struct json *of, const struct spot *at, size_t *ret_n)
{
    const struct json *list = read_array(r, of, at, "nodeSelectorTerms");
    *ret_n = list ? list->len : 0;
    struct spec_node_term *p = arena_array(r->a, *ret_n, struct spec_node_term);
    for (size_t i = 0; i < *ret_n; i++)
        read_node_term(r, read_item(r, list, SPOT(at, "nodeSelectorTerms"), i), SPOT_AT(SPOT(at, "nodeSelectorTerms"), i), &p[i]);
    return p;
}

void read_meta(struct reader *r, const struct json *obj, struct object_meta *ret)
{
    const struct spot *at = SPOT(NULL, "metadata");
    *ret = (struct object_meta){0};
    const struct json *meta = read_object(r, obj, NULL, "metadata");
    ret->name = read_str(r, meta, at, "name");
    ret->ns = read_str(r, meta, at, "namespace");
    if (str_empty(ret->ns))
        ret->ns = S("default"); /* a file's; kinds without namespaces do not look */
    ret->uid = read_str(r, meta, at, "uid");
    ret->labels = read_labels(r, meta, at, "labels");
    ret->annotations = read_labels(r, meta, at, "annotations");
    ret->created_ns = read_time(r, meta, at, "creationTimestamp");
    ret->deleting = read_str(r, meta, at, "deletionTimestamp").len > 0;
    ret->delete_ns = read_time(r, meta, at, "deletionTimestamp");
    if (str_empty(ret->name))
        read_bad(r, SPOT(at, "name"), "is missing");
}
