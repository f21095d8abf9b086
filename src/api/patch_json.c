/* JSON patch (RFC 6902), with the liberties that Kubernetes' library takes and its users rely on: "replace" of an
 * absent member adds it, a negative index counts from the end, and "test" with null holds for an absent member.
 *
 * Works on a deep copy of the document.  Two things are bounded besides the number of operations, because short
 * patches can make large documents: what "copy" adds in all, and the depth of the result. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch.h"
#include "base/limits.h"

/* The sentence Kubernetes answers; it keeps the reason to itself, we add it. */
#define REFUSED "the server rejected our request due to an error in our request: "

struct doc {
    struct arena *a;
    struct json *root;
    size_t copied; /* bytes that "copy" added, roughly */
    struct err *err;
};

struct op {
    str path, from;
    const struct json *value; /* NULL: absent */
};

/* Where a pointer leads: the container and the last reference token, unescaped. */
struct place {
    struct json *in;
    str key;
    size_t depth;
};

static str unescape(struct arena *a, str token)
{
    if (str_find_char(token, '~') < 0)
        return token;
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < token.len; i++) {
        bool tilde = token.p[i] == '~' && i + 1 < token.len && (token.p[i + 1] == '0' || token.p[i + 1] == '1');
        strbuf_add_char(&b, tilde ? (token.p[++i] == '0' ? '~' : '/') : token.p[i]);
    }
    return strbuf_str(&b);
}

/* An existing element for key, negative ones from the end; -1 and a reason otherwise. */
static int64_t index_of(struct doc *d, const struct json *arr, str key, uint32_t len)
{
    int64_t i;
    if (!str_to_i64(key, &i)) {
        err_set(d->err, E_INVALID, "strconv.Atoi: parsing \"" STR_FMT "\": invalid syntax", STR_ARG(key));
        return -1;
    }
    int64_t at = i < 0 ? i + (int64_t)len : i;
    if (at < 0 || at >= (int64_t)len) {
        err_set(d->err, E_INVALID, "Unable to access invalid index: %lld: invalid index referenced", (long long)i);
        return -1;
    }
    DEBUG_ON(arr->type != JSON_ARRAY);
    return at;
}

/* The value at key, NULL when absent.  Objects: err stays untouched. */
static struct json *child(struct doc *d, const struct json *in, str key)
{
    if (in->type != JSON_ARRAY)
        return json_get(in, key);
    int64_t i = index_of(d, in, key, in->len);
    return i < 0 ? NULL : &in->items[i];
}

static bool find(struct doc *d, str path, struct place *ret)
{
    if (!path.len || path.p[0] != '/')
        return false;
    struct place at = {.in = d->root};
    str rest = str_from(path, 1), token;
    while (str_cut(&rest, '/', &token)) {
        at.in = child(d, at.in, unescape(d->a, token));
        at.depth++;
        if (!at.in || (at.in->type != JSON_ARRAY && at.in->type != JSON_OBJECT))
            return false;
    }
    at.key = unescape(d->a, token);
    *ret = at;
    return at.in->type == JSON_ARRAY || at.in->type == JSON_OBJECT;
}

static int check_depth(struct doc *d, const struct place *at, const struct json *v)
{
    if (at->depth + 1 < LIMIT_JSON_DEPTH && json_depth_fits(v, LIMIT_JSON_DEPTH - (unsigned)at->depth - 1))
        return 0;
    return err_set(d->err, E_INVALID, "exceeded max depth");
}

static int insert(struct doc *d, const struct place *at, const struct json *v)
{
    int r = check_depth(d, at, v);
    if (r < 0)
        return r;
    struct json copy = json_copy(d->a, v);
    if (at->in->type == JSON_OBJECT) {
        json_set(d->a, at->in, at->key, copy);
        return 0;
    }
    int64_t i = at->in->len, number;
    if (!str_is(at->key, "-")) {
        if (!str_to_i64(at->key, &number))
            return err_set(d->err, E_INVALID,
                           "value was not a proper array index: '" STR_FMT "': strconv.Atoi: parsing \"" STR_FMT
                           "\": invalid syntax",
                           STR_ARG(at->key), STR_ARG(at->key));
        i = index_of(d, at->in, at->key, at->in->len + 1);
        if (i < 0)
            return -E_INVALID;
    }
    json_insert(d->a, at->in, (size_t)i, copy);
    return 0;
}

static int take_out(struct doc *d, const struct place *at)
{
    if (at->in->type == JSON_OBJECT) {
        if (json_del(at->in, at->key))
            return 0;
        return err_set(d->err, E_INVALID, "Unable to remove nonexistent key: " STR_FMT ": missing value",
                       STR_ARG(at->key));
    }
    int64_t i = index_of(d, at->in, at->key, at->in->len);
    if (i < 0)
        return -E_INVALID;
    json_remove(at->in, (size_t)i);
    return 0;
}

static int op_replace_root(struct doc *d, const struct op *op)
{
    struct place root = {0};
    if (op->value->type != JSON_OBJECT && op->value->type != JSON_ARRAY)
        return err_set(d->err, E_INVALID, "replace operation value must be object or array");
    int r = check_depth(d, &root, op->value);
    if (r == 0)
        *d->root = json_copy(d->a, op->value);
    return r;
}

static int op_add(struct doc *d, const struct op *op)
{
    struct place at;
    if (!op->path.len)
        return op_replace_root(d, op);
    if (!find(d, op->path, &at))
        return err_set(d->err, E_INVALID,
                       "add operation does not apply: doc is missing path: \"" STR_FMT "\": missing value",
                       STR_ARG(op->path));
    return insert(d, &at, op->value) < 0 ? err_wrap(d->err, "error in add for path: '" STR_FMT "': ", STR_ARG(op->path))
                                         : 0;
}

static int op_remove(struct doc *d, const struct op *op)
{
    struct place at;
    if (!find(d, op->path, &at))
        return err_set(d->err, E_INVALID,
                       "remove operation does not apply: doc is missing path: \"" STR_FMT "\": missing value",
                       STR_ARG(op->path));
    return take_out(d, &at) < 0 ? err_wrap(d->err, "error in remove for path: '" STR_FMT "': ", STR_ARG(op->path)) : 0;
}

static int op_replace(struct doc *d, const struct op *op)
{
    struct place at;
    if (!op->path.len)
        return op_replace_root(d, op);
    if (!find(d, op->path, &at))
        return err_set(d->err, E_INVALID,
                       "replace operation does not apply: doc is missing path: " STR_FMT ": missing value",
                       STR_ARG(op->path));
    struct json *old = child(d, at.in, at.key);
    if (!old && at.in->type == JSON_ARRAY)
        return err_set(d->err, E_INVALID,
                       "replace operation does not apply: doc is missing key: " STR_FMT ": missing value",
                       STR_ARG(op->path));
    if (!old)
        return insert(d, &at, op->value);
    int r = check_depth(d, &at, op->value);
    if (r == 0)
        *old = json_copy(d->a, op->value);
    return r;
}

static int op_move(struct doc *d, const struct op *op)
{
    struct place from, to;
    if (!find(d, op->from, &from))
        return err_set(d->err, E_INVALID,
                       "move operation does not apply: doc is missing from path: " STR_FMT ": missing value",
                       STR_ARG(op->from));
    struct json *found = child(d, from.in, from.key), value = found ? *found : json_null();
    if (take_out(d, &from) < 0)
        return err_wrap(d->err, "error in move for path: '" STR_FMT "': ", STR_ARG(from.key));
    /* after the removal, so that a value cannot be moved into itself */
    if (!find(d, op->path, &to))
        return err_set(d->err, E_INVALID,
                       "move operation does not apply: doc is missing destination path: " STR_FMT ": missing value",
                       STR_ARG(op->path));
    return insert(d, &to, &value) < 0 ? err_wrap(d->err, "error in move for path: '" STR_FMT "': ", STR_ARG(op->path))
                                      : 0;
}

/* Rough size of a value, as far as it matters for the limit. */
static size_t weight(const struct json *v)
{
    size_t n = sizeof *v;
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        n += v->len;
    for (uint32_t i = 0; i < v->len && v->type == JSON_ARRAY; i++)
        n += weight(&v->items[i]);
    for (uint32_t i = 0; i < v->len && v->type == JSON_OBJECT; i++)
        n += v->members[i].key.len + weight(&v->members[i].value);
    return n;
}

static int op_copy(struct doc *d, const struct op *op)
{
    struct place from, to;
    const struct json *value = find(d, op->from, &from) ? child(d, from.in, from.key) : NULL;
    if (!value)
        return err_set(d->err, E_INVALID,
                       "copy operation does not apply: doc is missing from path: " STR_FMT ": missing value",
                       STR_ARG(op->from));
    if (!find(d, op->path, &to))
        return err_set(d->err, E_INVALID,
                       "copy operation does not apply: doc is missing destination path: " STR_FMT ": missing value",
                       STR_ARG(op->path));
    d->copied += weight(value);
    if (d->copied > LIMIT_BODY_BYTES)
        return err_set(d->err, E_INVALID,
                       "Unable to complete the copy, the accumulated size increase of copy is %zu, exceeding the limit %u",
                       d->copied, LIMIT_BODY_BYTES);
    return insert(d, &to, value) < 0 ? err_wrap(d->err, "error while adding value during copy: ") : 0;
}

static int op_test(struct doc *d, const struct op *op)
{
    struct place at;
    const struct json *value = d->root, null = json_null();
    if (op->path.len) {
        if (!find(d, op->path, &at))
            return err_set(d->err, E_INVALID,
                           "test operation does not apply: is missing path: " STR_FMT ": missing value",
                           STR_ARG(op->path));
        value = child(d, at.in, at.key);
        if (!value && at.in->type == JSON_ARRAY)
            return err_wrap(d->err, "error in test for path: '" STR_FMT "': ", STR_ARG(op->path));
    }
    if (json_equal(value ? value : &null, op->value))
        return 0;
    return err_set(d->err, E_INVALID, "testing value " STR_FMT " failed: test failed", STR_ARG(op->path));
}

static const struct op_kind {
    const char *name;
    int (*run)(struct doc *d, const struct op *op);
    bool needs_value, needs_from;
} kinds[] = {
    {"add", op_add, true, false},       {"remove", op_remove, false, false}, {"replace", op_replace, true, false},
    {"move", op_move, false, true},     {"copy", op_copy, false, true},      {"test", op_test, true, false},
};

static const struct op_kind *kind_find(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static int run(struct doc *d, const struct json *o)
{
    static const struct json null;
    str name = json_get_str(o, S("op"));
    const struct op_kind *kind = kind_find(name);
    if (!kind)
        return err_set(d->err, E_INVALID, "Unexpected kind: " STR_FMT, STR_ARG(name.len ? name : S("unknown")));
    struct op op = {.path = json_get_str(o, S("path")), .from = json_get_str(o, S("from")),
                    .value = json_get(o, S("value"))};
    if (!json_is(json_get(o, S("path")), JSON_STRING))
        return err_set(d->err, E_INVALID, "%s operation failed to decode path: missing value", kind->name);
    if (kind->needs_from && !json_is(json_get(o, S("from")), JSON_STRING))
        return err_set(d->err, E_INVALID, "%s operation failed to decode from: operation, missing from field: missing value",
                       kind->name);
    if (kind->needs_value && !op.value)
        op.value = &null;
    return kind->run(d, &op);
}

static int check_ops(const struct json *ops, struct err *err)
{
    if (ops->type != JSON_ARRAY)
        return err_set(err, E_PARSE,
                       "error decoding patch: json: cannot unmarshal %s into Go value of type []handlers.jsonPatchOp",
                       ops->type == JSON_OBJECT ? "object" : "value");
    if (ops->len > LIMIT_JSON_PATCH_OPS)
        return err_set(err, E_TOO_LARGE, "The allowed maximum operations in a JSON patch is %d, got %u", LIMIT_JSON_PATCH_OPS,
                       ops->len);
    for (uint32_t i = 0; i < ops->len; i++)
        if (ops->items[i].type != JSON_OBJECT)
            return err_set(err, E_PARSE, "error decoding patch: operation %u is not an object", i);
    return 0;
}

int patch_json(struct arena *a, const struct json *target, const struct json *ops, struct json *ret, struct err *err)
{
    int r = check_ops(ops, err);
    if (r < 0)
        return r;
    struct err unused;
    struct json root = json_copy(a, target);
    struct doc d = {.a = a, .root = &root, .err = err ? err : &unused};
    for (uint32_t i = 0; i < ops->len; i++) {
        r = run(&d, &ops->items[i]);
        if (r < 0)
            return err_wrap(d.err, REFUSED);
    }
    *ret = root;
    return 0;
}
