/* verb_edit.c - cox edit: objects in an editor, and back.
 *
 *     write YAML to a file -> editor -> read it -> patch each object that changed -> done
 *                               ^------ the server or the parser says no: the reasons stand as comments on top */
/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <unistd.h>

#include "cli/change.h"
#include "wire/json_make.h"
#include "cli/threeway.h"
#include "cli/verbs.h"
#include "rt/file.h"
#include "wire/yaml.h"

#define EDIT_MAX (64u << 20)

struct edit {
    struct change c;
    struct targets objects;
    bool as_json;
    char path[64];
    struct strbuf reasons; /* why the last attempt failed, as comment lines */
    str sub;
};

/* --- the file ------------------------------------------------------------------------------------------------------------------------- */

static void write_objects(struct edit *e, struct strbuf *b)
{
    struct arena *a = &e->c.s->arena;
    struct json list = json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{}}"), items = json_array();
    for (size_t i = 0; i < e->objects.len; i++)
        json_push(a, &items, print_without_managed_fields(a, &e->objects.p[i].object));
    json_set(a, &list, S("items"), items);
    const struct json *shown = items.len == 1 ? &items.items[0] : &list;
    if (e->as_json)
        print_json(a, b, shown, "    ");
    else
        yaml_write(b, shown);
}

static str without_comments(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    while (text.len) {
        str line;
        str_cut(&text, '\n', &line);
        if (!str_has_prefix(str_trim(line), S("#")))
            strbuf_addf(&b, STR_FMT "\n", STR_ARG(line));
    }
    return str_trim(strbuf_str(&b));
}

static int write_file(struct edit *e, str body, struct failure *f)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    if (!e->as_json)
        strbuf_add_str(&b, S("# Edit below.  Lines that begin with '#' are ignored, and an empty file changes nothing.\n"
                             "# When the server refuses what you saved, the file is opened again with its reasons.\n#\n"));
    if (e->reasons.len && !e->as_json)
        strbuf_addf(&b, "%s#\n", strbuf_cstr(&e->reasons));
    strbuf_add_str(&b, body);
    return file_write_atomic(e->path, strbuf_str(&b), 0600, &f->err);
}

static int launch(struct edit *e, struct failure *f)
{
    const char *editor = getenv("KUBE_EDITOR");
    if (!editor || !editor[0])
        editor = getenv("EDITOR");
    if (!editor || !editor[0])
        editor = "vi";
    str command = arena_fmt(&e->c.s->arena, "%s \"$1\"", editor);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command.p, "sh", e->path, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        return failure_set(f, E_IO, "there was a problem with the editor \"%s\"", editor);
    return 0;
}

/* --- what came back ---------------------------------------------------------------------------------------------------------------------- */

static void add_reason(struct edit *e, const struct target *t, const struct failure *f)
{
    STRBUF_AUTO text = STRBUF_HEAP;
    const struct json *causes = json_path(&f->status, "details", "causes", NULL);
    if (t)
        strbuf_addf(&e->reasons, "# " STR_FMT " \"" STR_FMT "\" was not valid:\n",
                    STR_ARG(discovery_group_resource(&e->c.s->arena, t->res)), STR_ARG(t->name));
    if (f->from_server && json_is(causes, JSON_ARRAY) && causes->len) {
        for (size_t i = 0; i < causes->len; i++)
            strbuf_addf(&text, "* " STR_FMT ": " STR_FMT "\n", STR_ARG(json_get_str(&causes->items[i], S("field"))),
                        STR_ARG(json_get_str(&causes->items[i], S("message"))));
    } else {
        failure_write(&text, f);
    }
    str rest = strbuf_str(&text), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        strbuf_addf(&e->reasons, "# " STR_FMT "\n", STR_ARG(line));
    }
}

static const struct target *original_of(struct edit *e, const struct json *obj)
{
    const struct json *meta = json_get(obj, S("metadata"));
    for (size_t i = 0; i < e->objects.len; i++) {
        const struct target *t = &e->objects.p[i];
        if (str_eq(t->name, json_get_str(meta, S("name"))) && str_eq(t->res->kind, json_get_str(obj, S("kind"))) &&
            (!t->res->is_namespaced || str_eq(t->ns, json_get_str(meta, S("namespace")))))
            return t;
    }
    return NULL;
}

/* 1: changed; 0: as before. */
static int send_one(struct edit *e, const struct json *edited, struct failure *f)
{
    struct arena *a = &e->c.s->arena;
    const struct target *t = original_of(e, edited);
    const struct schema_type *type;
    struct json done;
    if (!t)
        return failure_set(f, E_INVALID_ARG, "name, namespace and kind of an object may not be changed");
    struct json before = print_without_managed_fields(a, &t->object);
    enum change_patch kind = change_patch_kind(&before, &type);
    struct json patch = twoway_patch(a, type, &before, edited);
    if (!patch.len)
        return change_report(&e->c, t->res, &t->object, "skipped", f);
    int r = change_patch(&e->c, t, e->sub, kind, &patch, &done, f);
    return r < 0 ? r : change_report(&e->c, t->res, &done, "edited", f);
}

static bool is_curable(const struct failure *f)
{
    return f->err.code == E_INVALID || f->err.code == E_INVALID_ARG || f->err.code == E_PARSE;
}

/* 0: all done; 1: the editor must be opened again. */
static int send_all(struct edit *e, const struct manifests *m, struct failure *f)
{
    strbuf_clear(&e->reasons);
    for (size_t i = 0; i < m->len; i++) {
        int r = send_one(e, &m->p[i].object, f);
        if (r == 0)
            continue;
        if (!is_curable(f))
            return r;
        const struct target *t = original_of(e, &m->p[i].object);
        add_reason(e, t, f);
        STRBUF_AUTO text = STRBUF_HEAP;
        failure_write(&text, f);
        fprintf(stderr, "error: %s\n", strbuf_cstr(&text));
    }
    return e->reasons.len != 0;
}

/* --- rounds -------------------------------------------------------------------------------------------------------------------------------- */

static int keep_file(struct edit *e, int r)
{
    fprintf(stderr, "A copy of your changes has been stored to \"%s\"\n", e->path);
    return r;
}

static int rounds(struct edit *e, struct failure *f)
{
    struct arena *a = &e->c.s->arena;
    struct strbuf original = strbuf_on(a);
    write_objects(e, &original);
    str body = strbuf_str(&original), last = without_comments(a, body);
    bool failed_before = false;
    for (;;) {
        CLEANUP(free) char *text = NULL;
        size_t len;
        struct manifests m = {0};
        int r = write_file(e, body, f);
        if (r == 0)
            r = launch(e, f);
        if (r == 0)
            r = file_read(e->path, EDIT_MAX, &text, &len, &f->err);
        if (r < 0)
            return keep_file(e, r);
        str saved = arena_str(a, str_n(text, len)), bare = without_comments(a, saved);
        if (str_eq(bare, last)) {
            if (failed_before)
                return keep_file(e, failure_set(f, E_INVALID_ARG, "Edit cancelled, no valid changes were saved."));
            fprintf(stderr, "Edit cancelled, no changes made.\n");
            break;
        }
        if (!bare.len) {
            fprintf(stderr, "Edit cancelled, saved file was empty.\n");
            break;
        }
        strbuf_clear(&e->reasons);
        r = manifests_parse(a, saved, S("edited-file"), &m, f);
        if (r < 0) {
            strbuf_add_str(&e->reasons, S("# The edited file had a syntax error:\n"));
            add_reason(e, NULL, f);
            r = 1;
        } else {
            r = send_all(e, &m, f);
        }
        if (r < 0)
            return keep_file(e, r);
        if (r == 0)
            break;
        failed_before = true;
        body = arena_cat(a, bare, S("\n"));
        last = bare;
    }
    unlink(e->path);
    return 0;
}

static int edit(struct session *s, struct failure *f)
{
    struct edit e = {.reasons = strbuf_on(&s->arena),
                     .as_json = strcmp(cli_str_or(s->args, "output", "yaml"), "json") == 0,
                     .sub = str_of(cli_str(s->args, "subresource"))};
    struct resource_query q = resource_query_of(s->args, 0);
    int r = change_init(&e.c, s, "kubectl-edit", f);
    if (r == 0)
        r = resources_find(s, &q, &e.objects, f);
    if (r < 0 || !e.objects.len)
        return r < 0 || s->failures.len ? r : failure_set(f, E_NOT_FOUND, "edit cancelled, no objects found");
    e.c.printer->format = PRINT_DEFAULT; /* --output is the editor's */
    const char *tmp = getenv("TMPDIR");
    snprintf(e.path, sizeof e.path, "%.30s/cox-edit-XXXXXX.%s", tmp && tmp[0] ? tmp : "/tmp", e.as_json ? "json" : "yaml");
    int fd = mkstemps(e.path, 5);
    if (fd < 0)
        return failure_set(f, E_IO, "cannot make a temporary file %s", e.path);
    close(fd);
    return rounds(&e, f);
}

static int run_edit(struct cli_args *a)
{
    return session_run(a, edit);
}

static const struct cli_option options[] = {
    {"output", 'o', CLI_STRING, "yaml|json", "yaml", "What the editor shows.", NULL},
    {"subresource", 0, CLI_STRING, "NAME", "", "Edit this subresource: status.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},
    CHANGE_OPTION_MANAGER("kubectl-edit"),
    CHANGE_OPTION_VALIDATE,
    MANIFEST_OPTIONS,
    {0},
};

const struct cli_verb verb_edit = {
    .name = "edit",
    .summary = "Change objects in an editor.",
    .usage = "(TYPE NAME ... | TYPE/NAME ... | -f FILE) [OPTIONS]",
    .help = "The editor is $KUBE_EDITOR, $EDITOR or vi.  What the server refuses is opened again with its reasons as comments.",
    .examples = "  cox edit deploy/web\n  KUBE_EDITOR='sed -i s/nginx:1/nginx:2/' cox edit deploy/web",
    .options = options,
    .run = run_edit,
    .is_client = true,
};
