/* Patches and server-side apply on hostile input.
 *
 * Input: one letter and two lines of JSON.  j, m, s: target and JSON, merge or strategic patch.  a: live object and
 * configuration.  u: live object and the object that is written.  p, d, v instead of the line's first byte choose the kind:
 *     sd\n{"spec":{}}\n{"spec":{"replicas":1}}
 * Holds: inputs stay as they are, results are JSON again, applying the same configuration twice changes nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply.h"
#include "api/patch.h"
#include "api/resource.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct schema_type free_type = {.kind = SCHEMA_OBJECT, .preserve_unknown = true, .raw = STR_INIT("{}")};

static const struct schema_type *type_of(char letter)
{
    const char *kind = letter == 'p' ? "Pod" : letter == 'd' ? "Deployment" : letter == 'v' ? "Service" : NULL;
    for (size_t i = 0; kind && i < api_builtin_count; i++)
        if (str_is(api_builtin_resources[i]->kind, kind))
            return api_builtin_resources[i]->type;
    return &free_type;
}

static void check_json(struct arena *a, const struct json *v)
{
    struct json back;
    BUG_ON(json_parse(a, json_text(a, v), NULL, &back, NULL) < 0);
    BUG_ON(!json_equal(v, &back));
}

static void run_apply(struct arena *a, struct apply_context *ctx, const struct json *live, const struct json *config)
{
    struct json once, twice;
    struct apply_conflicts conflicts;
    bool changed;
    struct err err;
    if (apply_merge(a, ctx, live, config, &once, &changed, &conflicts, &err) < 0)
        return;
    check_json(a, &once);
    if (apply_merge(a, ctx, &once, config, &twice, &changed, &conflicts, &err) == 0)
        BUG_ON(changed);
}

static void run(struct arena *a, char op, const struct schema_type *t, const struct json *x, const struct json *y)
{
    struct apply_context ctx = {.type = t, .api_version = S("v1"), .manager = S("kubectl"), .force = true, .now = 1};
    struct json out = json_null();
    struct err err;
    int r = -1;
    if (op == 'j') {
        r = patch_json(a, x, y, &out, &err);
    } else if (op == 'm') {
        r = patch_merge(a, x, y, &out, &err);
    } else if (op == 's') {
        r = patch_strategic(a, t, x, y, &out, &err);
    } else if (op == 'a' && x->type == JSON_OBJECT && y->type == JSON_OBJECT) {
        run_apply(a, &ctx, x, y);
    } else if (op == 'u' && x->type == JSON_OBJECT && y->type == JSON_OBJECT) {
        out = json_copy(a, y);
        apply_track_update(a, &ctx, x, &out);
        r = 0;
    }
    if (r == 0)
        check_json(a, &out);
    if (r < 0 && op != 'a')
        err_ignore(apply_validate_managed_fields(x, NULL), "only that it comes back matters");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    str head, first, rest = str_n((const char *)data, size);
    struct json x, y;
    if (size > 64 << 10 || !str_cut(&rest, '\n', &head) || !head.len || !str_cut(&rest, '\n', &first))
        return 0;
    if (json_parse(&a, first, NULL, &x, NULL) < 0 || json_parse(&a, rest, NULL, &y, NULL) < 0)
        return 0;
    str before_x = json_text(&a, &x), before_y = json_text(&a, &y);
    run(&a, head.p[0], type_of(head.len > 1 ? head.p[1] : 0), &x, &y);
    BUG_ON(!str_eq(before_x, json_text(&a, &x)) || !str_eq(before_y, json_text(&a, &y)));
    return 0;
}
