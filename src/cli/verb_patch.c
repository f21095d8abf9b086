/* verb_patch.c - cox patch, cox scale. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "wire/json_make.h"
#include "cli/verbs.h"
#include "cli/waiting.h"
#include "rt/file.h"
#include "wire/yaml.h"

/* --- patch ----------------------------------------------------------------------------------------------------------------------- */

#define PATCH_FILE_MAX (4u << 20)

static int read_type(const char *word, enum change_patch *ret, struct failure *f)
{
    static const struct {
        const char *word;
        enum change_patch kind;
    } types[] = {{"json", CHANGE_PATCH_JSON}, {"merge", CHANGE_PATCH_MERGE}, {"strategic", CHANGE_PATCH_STRATEGIC}};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (strcasecmp(word, types[i].word) == 0) {
            *ret = types[i].kind;
            return 0;
        }
    }
    return failure_set(f, E_INVALID_ARG, "--type must be one of [json merge strategic], not \"%s\"", word);
}

static int read_patch(struct session *s, struct json *ret, struct failure *f)
{
    const char *text = cli_str(s->args, "patch"), *file = cli_str(s->args, "patch-file");
    CLEANUP(free) char *content = NULL;
    if (text && file)
        return failure_set(f, E_INVALID_ARG, "cannot specify --patch and --patch-file together");
    if (!text && !file)
        return failure_set(f, E_INVALID_ARG, "must specify --patch or --patch-file containing the contents of the patch");
    if (file) {
        if (file_read(file, PATCH_FILE_MAX, &content, NULL, &f->err) < 0)
            return err_wrap(&f->err, "unable to read patch file: ");
        text = content;
    }
    int r = yaml_parse(&s->arena, arena_str(&s->arena, str_of(text)), NULL, ret, &f->err);
    return r < 0 ? err_wrap(&f->err, "unable to parse \"%s\": ", cli_str_or(s->args, "patch", "")) : 0;
}

static int patch_one(struct change *c, struct target *t, str sub, enum change_patch kind, const struct json *patch,
                     struct failure *f)
{
    struct json done;
    int r = change_patch(c, t, sub, kind, patch, &done, f);
    if (r < 0)
        return r;
    return change_report(c, t->res, &done, json_equal(&done, &t->object) ? "patched (no change)" : "patched", f);
}

static int patch(struct session *s, struct failure *f)
{
    struct change c;
    enum change_patch kind = CHANGE_PATCH_STRATEGIC;
    struct json body;
    struct targets found;
    struct resource_query q = resource_query_of(s->args, 0);
    int r = change_init(&c, s, "kubectl-patch", f);
    if (r == 0)
        r = read_patch(s, &body, f);
    if (r == 0)
        r = read_type(cli_str_or(s->args, "type", "strategic"), &kind, f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (patch_one(&c, &found.p[i], str_of(cli_str(s->args, "subresource")), kind, &body, f) < 0)
            session_note(s, f);
    }
    if (r == 0 && !found.len && !s->failures.len)
        return failure_set(f, E_INVALID_ARG, "no objects passed to patch");
    return r;
}

static int run_patch(struct cli_args *a)
{
    return session_run(a, patch);
}

static const struct cli_option patch_options[] = {
    {"patch", 'p', CLI_STRING, "TEXT", "", "The patch, JSON or YAML.", NULL},
    {"patch-file", 0, CLI_STRING, "FILE", "", "A file with the patch.", NULL},
    {"type", 0, CLI_STRING, "json|merge|strategic", "strategic", "What kind of patch it is.", NULL},
    {"subresource", 0, CLI_STRING, "NAME", "", "Patch this subresource: status or scale.", NULL},
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-patch"),
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_patch = {
    .name = "patch",
    .summary = "Change fields of objects.",
    .usage = "(TYPE NAME | TYPE/NAME | -f FILE) (-p PATCH | --patch-file FILE) [OPTIONS]",
    .examples =
        "  cox patch deploy web -p '{\"spec\":{\"replicas\":3}}'\n  cox patch pod web --type=json -p '[{\"op\":\"remove\",\"path\":\"/metadata/labels/tier\"}]'",
    .options = patch_options,
    .run = run_patch,
    .is_client = true,
};

/* --- scale -------------------------------------------------------------------------------------------------------------------------- */

static int check_size(const struct json *scale, int64_t want, struct failure *f)
{
    int64_t now = json_get_int(json_get(scale, S("spec")), S("replicas"), 0);
    if (want >= 0 && now != want)
        return failure_set(f, E_CONFLICT, "Expected replicas to be %lld, was %lld", (long long)want, (long long)now);
    return 0;
}

static int has_replicas(void *arg, const struct json *obj, struct failure *f)
{
    (void)f;
    return obj && json_get_int(json_get(obj, S("status")), S("replicas"), 0) == *(int64_t *)arg;
}

static int scale_one(struct change *c, const struct target *t, int64_t replicas, struct failure *f)
{
    struct session *s = c->s;
    struct json scale, body = json_make(&s->arena, "{\"spec\":{\"replicas\":%d}}", replicas);
    const char *version = cli_str(s->args, "resource-version");
    int r = 0;
    if (cli_given(s->args, "current-replicas")) {
        r = session_get(s, target_path(s, t, S("scale")), S(""), &scale, f);
        if (r == 0)
            r = check_size(&scale, cli_int(s->args, "current-replicas", -1), f);
    }
    if (version)
        json_set(&s->arena, json_ensure_object(&s->arena, &body, S("metadata")), S("resourceVersion"),
                 json_string(str_of(version)));
    if (r == 0 && c->dry_run != DRY_RUN_CLIENT)
        r = change_patch(c, t, S("scale"), CHANGE_PATCH_MERGE, &body, &scale, f);
    nsec_t timeout = cli_duration_ns(s->args, "timeout", 0);
    if (r == 0 && timeout && c->dry_run == DRY_RUN_NONE)
        r = waiting_run(s, t, timeout, has_replicas, &replicas, f);
    return r < 0 ? r : change_report(c, t->res, &t->object, "scaled", f);
}

/* As kubectl words it, with what is missing in the same sentence. */
static int no_objects(struct session *s, struct failure *f)
{
    if (s->failures.len != 1 || !str_is(failure_reason(&s->failures.p[0]), "NotFound"))
        return s->failures.len ? 0 : failure_set(f, E_NOT_FOUND, "no objects passed to scale");
    str what = arena_str(&s->arena, s->failures.p[0].message);
    s->failures.len = 0;
    return failure_set(f, E_NOT_FOUND, "no objects passed to scale " STR_FMT, STR_ARG(what));
}

static int scale(struct session *s, struct failure *f)
{
    struct change c;
    struct targets found;
    struct resource_query q = resource_query_of(s->args, 0);
    int64_t replicas = cli_int(s->args, "replicas", -1);
    if (!cli_given(s->args, "replicas"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"replicas\" not set");
    if (replicas < 0)
        return failure_set(f, E_INVALID_ARG,
                           "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
    int r = change_init(&c, s, "kubectl", f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    if (r == 0 && !found.len)
        return no_objects(s, f);
    for (size_t i = 0; r == 0 && i < found.len; i++)
        r = scale_one(&c, &found.p[i], replicas, f);
    return r;
}

static int run_scale(struct cli_args *a)
{
    return session_run(a, scale);
}

static const struct cli_option scale_options[] = {
    {"replicas", 0, CLI_INT, "N", "", "The new size.", NULL},
    {"current-replicas", 0, CLI_INT, "N", "", "Only when the size is this now.", NULL},
    {"resource-version", 0, CLI_STRING, "VERSION", "", "Only when the object still has this version.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "0", "Wait this long for the new size to be there.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    {"all", 0, CLI_FLAG, NULL, "", "All objects of the types in the namespace.", NULL},
    CHANGE_OPTION_DRY_RUN,
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_scale = {
    .name = "scale",
    .summary = "Set the size of a deployment, replica set or stateful set.",
    .usage = "(TYPE NAME | TYPE/NAME | -f FILE) --replicas=N [OPTIONS]",
    .examples = "  cox scale deploy/web --replicas=3\n  cox scale --current-replicas=2 --replicas=3 deploy/web",
    .options = scale_options,
    .run = run_scale,
    .is_client = true,
};
