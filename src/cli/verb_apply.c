/* verb_apply.c - cox apply: make the server's objects what the files say. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "cli/deletion.h"
#include "cli/threeway.h"
#include "cli/verbs.h"
#include "api/selector.h"

#define CONFLICT_RETRIES 5 /* somebody else changed the object between our read and our patch */

struct apply {
    struct change c;
    bool server_side, force_conflicts, force;
    struct json results; /* of -o: printed together at the end */
};

/* --- one object ---------------------------------------------------------------------------------------------------------- */

static int report(struct apply *ap, const struct target *t, const struct json *obj, const char *done, struct failure *f)
{
    struct session *s = ap->c.s;
    if (json_path(obj, "metadata", "deletionTimestamp", NULL)) {
        str what = discovery_group_resource(&s->arena, t->res);
        fprintf(stderr, "Warning: Detected changes to resource " STR_FMT " which is currently being deleted.\n",
                STR_ARG(t->name.len ? t->name : what));
    }
    if (ap->c.printer->format == PRINT_DEFAULT || ap->c.printer->format == PRINT_NAME)
        return change_report(&ap->c, t->res, obj, done, f);
    json_push(&s->arena, &ap->results, *obj);
    return 0;
}

/* Nulls mean "not here" in a patch; in a new object they are left out. */
static void drop_nulls(struct json *v)
{
    for (size_t i = 0; v->type == JSON_OBJECT && i < v->len;) {
        if (v->members[i].value.type == JSON_NULL) {
            json_del(v, v->members[i].key);
        } else {
            drop_nulls(&v->members[i].value);
            i++;
        }
    }
    for (size_t i = 0; v->type == JSON_ARRAY && i < v->len; i++)
        drop_nulls(&v->items[i]);
}

static int apply_new(struct apply *ap, struct target *t, struct failure *f)
{
    struct json made;
    drop_nulls(&t->object);
    int r = change_create(&ap->c, t, &t->object, &made, f);
    if (r < 0)
        return failure_wrap(f, &ap->c.s->arena, "error when creating \"" STR_FMT "\": ", STR_ARG(t->source));
    return report(ap, t, &made, "created", f);
}

static struct json last_applied(struct apply *ap, const struct target *t, const struct json *live)
{
    struct json last = json_null();
    str text = json_get_str(json_path(live, "metadata", "annotations", NULL), LAST_APPLIED);
    if (text.len && json_parse(&ap->c.s->arena, text, NULL, &last, NULL) == 0)
        return last;
    fprintf(
        stderr,
        "Warning: resource " STR_FMT "/" STR_FMT " is missing the " STR_FMT
        " annotation which is required by cox apply. cox apply should only be used on resources created declaratively by either cox create "
        "--save-config or cox apply. The missing annotation will be patched automatically.\n",
        STR_ARG(t->res->plural), STR_ARG(t->name), STR_ARG(LAST_APPLIED));
    return json_null();
}

static int patch_failed(struct apply *ap, const struct target *t, const struct json *patch, struct failure *f)
{
    struct arena *a = &ap->c.s->arena;
    str text = json_text(a, patch), gv = discovery_group_version(a, t->res);
    return failure_wrap(f, a,
                        "error when applying patch:\n" STR_FMT "\nto:\nResource: \"" STR_FMT ", Resource=" STR_FMT
                        "\", GroupVersionKind: \"" STR_FMT ", Kind=" STR_FMT "\"\nName: \"" STR_FMT "\", Namespace: \"" STR_FMT
                        "\"\nfor: \"" STR_FMT "\": error when patching \"" STR_FMT "\": ",
                        STR_ARG(text), STR_ARG(gv), STR_ARG(t->res->plural), STR_ARG(gv), STR_ARG(t->res->kind), STR_ARG(t->name),
                        STR_ARG(t->ns), STR_ARG(t->source), STR_ARG(t->source));
}

/* --force: what cannot be patched is deleted and made anew. */
static int replace_by_force(struct apply *ap, struct target *t, struct failure *f)
{
    int r = deletion_run(
        ap->c.s, t, &(struct deletion){.grace_s = 0, .propagation = "Background", .waits = true, .timeout_ns = 60 * NSEC_PER_SEC},
        f);
    return r < 0 ? r : apply_new(ap, t, f);
}

static int apply_existing(struct apply *ap, struct target *t, struct json live, struct failure *f)
{
    struct arena *a = &ap->c.s->arena;
    const struct schema_type *type;
    struct json done, last = last_applied(ap, t, &live);
    enum change_patch kind = change_patch_kind(&t->object, &type);
    for (int i = 0;; i++) {
        struct json patch = threeway_patch(a, type, &last, &t->object, &live);
        if (!patch.len)
            return report(ap, t, &live, "unchanged", f);
        struct target current = *t;
        current.object = live;
        int r = change_patch(&ap->c, &current, S(""), kind, &patch, &done, f);
        if (r == 0)
            return report(ap, t, &done, "configured", f);
        if (r == -E_CONFLICT && i < CONFLICT_RETRIES &&
            session_get(ap->c.s, target_path(ap->c.s, t, S("")), S(""), &live, f) == 0)
            continue;
        if (ap->force && (r == -E_CONFLICT || r == -E_INVALID))
            return replace_by_force(ap, t, f);
        return patch_failed(ap, t, &patch, f);
    }
}

static int apply_client_side(struct apply *ap, struct target *t, struct failure *f)
{
    struct session *s = ap->c.s;
    struct json live;
    change_set_last_applied(&s->arena, &t->object);
    int r = session_get(s, target_path(s, t, S("")), S(""), &live, f);
    if (r == 0)
        return apply_existing(ap, t, live, f);
    if (r == -E_NOT_FOUND && f->from_server)
        return apply_new(ap, t, f);
    str gv = discovery_group_version(&s->arena, t->res);
    return failure_wrap(f, &s->arena,
                        "error when retrieving current configuration of:\nResource: \"" STR_FMT ", Resource=" STR_FMT
                        "\", GroupVersionKind: \"" STR_FMT ", Kind=" STR_FMT "\"\nName: \"" STR_FMT "\", Namespace: \"" STR_FMT
                        "\"\nfrom server for: \"" STR_FMT "\": ",
                        STR_ARG(gv), STR_ARG(t->res->plural), STR_ARG(gv), STR_ARG(t->res->kind), STR_ARG(t->name),
                        STR_ARG(t->ns), STR_ARG(t->source));
}

static int apply_server_side(struct apply *ap, struct target *t, struct failure *f)
{
    struct json done;
    struct change c = ap->c;
    c.query = arena_fmt(&c.s->arena, STR_FMT "&force=%s", STR_ARG(c.query), ap->force_conflicts ? "true" : "false");
    int r = change_patch(&c, t, str_of(cli_str(c.s->args, "subresource")), CHANGE_PATCH_APPLY, &t->object, &done, f);
    if (r == -E_CONFLICT && f->from_server) {
        str message = f->message;
        return failure_set(
            f, E_CONFLICT,
            STR_FMT
            "\nOther managers own these fields. Take them over with --force-conflicts, leave them out of the manifest, or set them to "
            "the value they have and share them.",
            STR_ARG(message));
    }
    return r < 0 ? r : report(ap, t, &done, "serverside-applied", f);
}

static int apply_one(struct apply *ap, struct target *t, struct failure *f)
{
    str generate = json_str(json_path(&t->object, "metadata", "generateName", NULL));
    if (!t->name.len && generate.len)
        return failure_set(f, E_INVALID_ARG, "from " STR_FMT ": cannot use generate name with apply", STR_ARG(generate));
    if (!t->name.len)
        return failure_set(f, E_INVALID_ARG, "resource name may not be empty");
    return ap->server_side ? apply_server_side(ap, t, f) : apply_client_side(ap, t, f);
}

/* --- all of them ------------------------------------------------------------------------------------------------------------ */

static int print_results(struct apply *ap, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct arena *a = &ap->c.s->arena;
    struct json list = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{}}");
    if (!ap->results.len)
        return 0;
    json_set(a, &list, S("items"), ap->results);
    int r = printer_object(ap->c.printer, &out, ap->results.len == 1 ? &ap->results.items[0] : &list, f);
    print_flush(&out);
    return r;
}

static int check_options(struct session *s, struct apply *ap, struct failure *f)
{
    if (!cli_list(s->args, "filename", 0))
        return failure_set(f, E_INVALID_ARG, "must specify one of -f and -k");
    if (s->args->npositional)
        return failure_set(f, E_INVALID_ARG, "Unexpected args: [%s]\nSee 'cox apply -h' for help and examples",
                           s->args->positional[0]);
    if (cli_flag(s->args, "prune"))
        return failure_set(f, E_INVALID_ARG, "cox does not prune: objects that left the manifests are removed with cox delete");
    if (ap->force_conflicts && !ap->server_side)
        return failure_set(f, E_INVALID_ARG, "--force-conflicts only works with --server-side");
    if (ap->c.dry_run == DRY_RUN_CLIENT && ap->server_side)
        return failure_set(f, E_INVALID_ARG,
                           "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
    if (ap->force && ap->server_side)
        return failure_set(f, E_INVALID_ARG, "--force cannot be used with --server-side");
    return 0;
}

static bool is_selected(const struct target *t, const struct selector *sel)
{
    return selector_match_labels(sel, json_path(&t->object, "metadata", "labels", NULL));
}

static int apply(struct session *s, struct failure *f)
{
    struct apply ap = {.results = json_array(),
                       .server_side = cli_flag(s->args, "server-side"),
                       .force_conflicts = cli_flag(s->args, "force-conflicts"),
                       .force = cli_flag(s->args, "force")};
    struct manifests m = {0};
    struct selector sel = {0};
    int r = change_init(&ap.c, s, ap.server_side ? "kubectl" : "kubectl-client-side-apply", f);
    if (r == 0)
        r = check_options(s, &ap, f);
    if (r == 0)
        r = selector_parse_labels(&s->arena, str_of(cli_str(s->args, "selector")), &sel, &f->err);
    if (r == 0 && manifests_read(&s->arena, s->args, &m, f) < 0)
        session_note(s, f); /* what was read before is applied, as always */
    size_t n = 0;
    for (size_t i = 0; r == 0 && i < m.len; i++) {
        struct target t;
        if (target_of_object(s, &m.p[i].object, m.p[i].source, &t, f) < 0) {
            session_note(s, f);
            continue;
        }
        if (!is_selected(&t, &sel))
            continue;
        n++;
        if (apply_one(&ap, &t, f) < 0)
            session_note(s, f);
    }
    if (r == 0 && !n && !s->failures.len)
        return failure_set(f, E_INVALID_ARG, "no objects passed to apply");
    return r < 0 ? r : print_results(&ap, f);
}

static int run_apply(struct cli_args *a)
{
    return session_run(a, apply);
}

/* --- view-last-applied --------------------------------------------------------------------------------------------------------- */

static int view_last_applied(struct session *s, struct failure *f)
{
    struct resource_query q = resource_query_of(s->args, 0);
    struct targets found;
    struct printer *p;
    STRBUF_AUTO out = STRBUF_HEAP;
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    if (p->format == PRINT_DEFAULT)
        p->format = PRINT_YAML;
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        struct json last;
        str text = json_get_str(json_path(&found.p[i].object, "metadata", "annotations", NULL), LAST_APPLIED);
        if (!text.len)
            return failure_set(f, E_NOT_FOUND, "no last-applied-configuration annotation found on resource: " STR_FMT,
                               STR_ARG(found.p[i].name));
        r = json_parse(&s->arena, text, NULL, &last, &f->err);
        if (r == 0)
            r = printer_object(p, &out, &last, f);
    }
    print_flush(&out);
    return r;
}

static int run_view_last_applied(struct cli_args *a)
{
    return session_run(a, view_last_applied);
}

static const struct cli_option view_options[] = {
    PRINT_OPTIONS_RESULT,
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    {"all", 0, CLI_FLAG, NULL, "", "All objects of the type.", NULL},
    MANIFEST_OPTIONS,
    {0},
};
static const struct cli_verb view_verb = {
    .name = "view-last-applied",
    .summary = "Show the configuration that was applied last.",
    .usage = "(TYPE NAME | TYPE/NAME | -f FILE)",
    .options = view_options,
    .run = run_view_last_applied,
    .is_client = true,
};
static const struct cli_verb *const subs[] = {&view_verb, NULL};

static const struct cli_option options[] = {
    MANIFEST_OPTIONS,
    {"server-side", 0, CLI_FLAG, NULL, "", "Let the server merge and track who owns which field.", NULL},
    {"force-conflicts", 0, CLI_FLAG, NULL, "", "With --server-side: take fields that others own.", NULL},
    {"force", 0, CLI_FLAG, NULL, "", "Delete and create again what cannot be changed in place.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects of the files with these labels.", NULL},
    {"subresource", 0, CLI_STRING, "NAME", "", "With --server-side: the subresource to apply to.", NULL},
    {"prune", 0, CLI_FLAG, NULL, "", "Not done by cox.", NULL},
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-client-side-apply"),
    CHANGE_OPTION_VALIDATE,
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_apply = {
    .name = "apply",
    .summary = "Create or change objects so that they are what files say.",
    .usage = "-f FILE [OPTIONS]",
    .help =
        "What an earlier apply set and the file no longer has is removed; what others set is left alone.  The object remembers the file's content in\n"
        "its kubectl.kubernetes.io/last-applied-configuration annotation, so kubectl and cox can take turns.",
    .examples = "  cox apply -f web.yaml\n  cox apply -f manifests/ -R\n  cat web.json | cox apply -f - --server-side",
    .options = options,
    .subs = subs,
    .run = run_apply,
    .is_client = true,
};
