/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"

#include "api/patch.h"
#include "cli/threeway.h"

static int read_dry_run(const struct cli_args *a, enum dry_run *ret, struct failure *f)
{
    static const struct {
        const char *word;
        enum dry_run value;
    } words[] = {{"none", DRY_RUN_NONE},
                 {"false", DRY_RUN_NONE},
                 {"client", DRY_RUN_CLIENT},
                 {"true", DRY_RUN_CLIENT},
                 {"server", DRY_RUN_SERVER}};
    const char *given = cli_str_or(a, "dry-run", "none");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcmp(given, words[i].word) == 0) {
            *ret = words[i].value;
            return 0;
        }
    }
    return failure_set(f, E_INVALID_ARG, "Invalid dry-run value (%s). Must be \"none\", \"server\", or \"client\".", given);
}

static int read_validation(const struct cli_args *a, const char **ret, struct failure *f)
{
    static const struct {
        const char *word, *value;
    } words[] = {{"strict", "Strict"}, {"true", "Strict"}, {"warn", "Warn"}, {"ignore", "Ignore"}, {"false", "Ignore"}};
    const char *given = cli_str_or(a, "validate", "strict");
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strcasecmp(given, words[i].word) == 0) {
            *ret = words[i].value;
            return 0;
        }
    }
    return failure_set(f, E_INVALID_ARG,
                       "invalid - validate option %s; must be one of: strict (or true), warn, ignore (or false)", given);
}

int change_init(struct change *c, struct session *s, const char *manager, struct failure *f)
{
    *c = (struct change){.s = s};
    const char *validation = NULL;
    struct strbuf b = strbuf_on(&s->arena);
    int r = read_dry_run(s->args, &c->dry_run, f);
    if (r == 0)
        r = read_validation(s->args, &validation, f);
    if (r == 0)
        r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &c->printer, f);
    if (r < 0)
        return r;
    if (c->dry_run == DRY_RUN_SERVER)
        client_query_add(&b, "dryRun", S("All"));
    client_query_add(&b, "fieldManager", str_of(cli_str_or(s->args, "field-manager", manager)));
    client_query_add(&b, "fieldValidation", str_of(validation));
    c->query = strbuf_str(&b);
    return 0;
}

int change_report(struct change *c, const struct discovery_resource *res, const struct json *obj, const char *done,
                  struct failure *f)
{
    static const char *const behind[] = {"", " (dry run)", " (server dry run)"};
    return printer_result(c->printer, res, obj, arena_fmt(&c->s->arena, "%s%s", done, behind[c->dry_run]).p, f);
}

enum change_patch change_patch_kind(const struct json *obj, const struct schema_type **ret_type)
{
    *ret_type = threeway_type(json_get_str(obj, S("apiVersion")), json_get_str(obj, S("kind")));
    return *ret_type ? CHANGE_PATCH_STRATEGIC : CHANGE_PATCH_MERGE;
}

/* What the server would make of it, as far as a client knows. */
static int patch_locally(struct change *c, const struct target *t, enum change_patch kind, const struct json *patch,
                         struct json *ret, struct failure *f)
{
    struct arena *a = &c->s->arena;
    const struct schema_type *type;
    change_patch_kind(&t->object, &type);
    if (kind == CHANGE_PATCH_JSON)
        return patch_json(a, &t->object, patch, ret, &f->err);
    if (kind == CHANGE_PATCH_STRATEGIC && type)
        return patch_strategic(a, type, &t->object, patch, ret, &f->err);
    return patch_merge(a, &t->object, patch, ret, &f->err);
}

int change_patch(struct change *c, const struct target *t, str sub, enum change_patch kind, const struct json *patch,
                 struct json *ret, struct failure *f)
{
    static const char *const types[] = {"application/strategic-merge-patch+json", "application/merge-patch+json",
                                        "application/json-patch+json", "application/apply-patch+yaml"};
    struct client_response res;
    if (c->dry_run == DRY_RUN_CLIENT)
        return patch_locally(c, t, kind, patch, ret, f);
    struct client_request q = {.method = S("PATCH"),
                               .path = target_path(c->s, t, sub),
                               .query = c->query,
                               .content_type = str_of(types[kind]),
                               .body = json_text(&c->s->arena, patch)};
    int r = session_do(c->s, &q, &res, f);
    if (r == 0)
        *ret = res.json;
    return r;
}

int change_create(struct change *c, const struct target *t, const struct json *obj, struct json *ret, struct failure *f)
{
    if (c->dry_run == DRY_RUN_CLIENT) {
        *ret = *obj;
        return 0;
    }
    return session_send(c->s, S("POST"), discovery_path(&c->s->arena, t->res, t->ns, S(""), S("")), c->query, obj, ret, f);
}

void change_set_last_applied(struct arena *a, struct json *obj)
{
    struct json *meta = json_ensure_object(a, obj, S("metadata"));
    json_del(json_ensure_object(a, meta, S("annotations")), LAST_APPLIED);
    struct strbuf b = strbuf_on(a);
    jsonpath_write_value(a, &b, obj); /* compact, keys sorted */
    strbuf_add_char(&b, '\n');
    json_set(a, json_get(meta, S("annotations")), LAST_APPLIED, json_string(strbuf_str(&b)));
}
