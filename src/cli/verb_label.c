/* verb_label.c - cox label, cox annotate: the same work on two maps of an object's metadata. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "cli/verbs.h"

struct marking {
    const struct cli_verb *verb;
    const char *noun;  /* "label" */
    const char *field; /* of metadata */
    const char *manager;
};
static const struct marking markings[] = {{&verb_label, "label", "labels", "kubectl-label"},
                                          {&verb_annotate, "annotation", "annotations", "kubectl-annotate"}};

struct mark {
    struct change c;
    const struct marking *kind;
    struct json wanted; /* key: value, or null to remove */
    size_t npairs;
    bool overwrite, lists;
};

/* --- arguments: TYPE NAME ... KEY=VALUE KEY- ------------------------------------------------------------------------------------ */

static bool is_pair(str word)
{
    return (str_find_char(word, '=') > 0) || (str_has_suffix(word, S("-")) && word.len > 1);
}

static int read_pair(struct mark *m, str word, struct failure *f)
{
    struct arena *a = &m->c.s->arena;
    str value = word, key;
    bool sets = str_cut(&value, '=', &key);
    if (!sets)
        key = str_sub(word, 0, word.len - 1);
    if (sets && m->kind == &markings[0] && str_find_char(value, '=') >= 0)
        return failure_set(f, E_INVALID_ARG, "invalid label spec: " STR_FMT, STR_ARG(word));
    const struct json *other = json_get(&m->wanted, key);
    if (other && (other->type == JSON_NULL) == sets) {
        if (m->kind == &markings[0])
            return failure_set(f, E_INVALID_ARG, "can not both modify and remove a label in the same command");
        return failure_set(f, E_INVALID_ARG,
                           "can not both modify and remove the following annotation(s) in the same command: " STR_FMT,
                           STR_ARG(key));
    }
    json_set(a, &m->wanted, key, sets ? json_string(value) : json_null());
    m->npairs++;
    return 0;
}

/* Returns how many words name objects. */
static int read_words(struct mark *m, const struct cli_args *args, struct failure *f)
{
    size_t nresources = 0;
    for (size_t i = 0; i < args->npositional; i++) {
        str word = str_of(args->positional[i]);
        if (is_pair(word)) {
            int r = read_pair(m, word, f);
            if (r < 0)
                return r;
        } else if (i > nresources) {
            return failure_set(f, E_INVALID_ARG, "all resources must be specified before %s changes: " STR_FMT, m->kind->noun,
                               STR_ARG(word));
        } else {
            nresources++;
        }
    }
    return (int)nresources;
}

/* --- one object --------------------------------------------------------------------------------------------------------------------- */

static void list_them(struct mark *m, const struct target *t, bool is_single)
{
    struct arena *a = &m->c.s->arena;
    const struct json *map = json_get(json_get(&t->object, S("metadata")), str_of(m->kind->field));
    if (!is_single)
        printf("Listing %s for " STR_FMT "." STR_FMT "/" STR_FMT ":\n", m->kind->field, STR_ARG(t->res->kind),
               STR_ARG(t->res->group), STR_ARG(t->name));
    if (!json_is(map, JSON_OBJECT))
        return;
    const struct json_member **sorted = jsonpath_sorted_members(a, map);
    for (size_t i = 0; i < map->len; i++)
        printf("%s" STR_FMT "=" STR_FMT "\n", is_single ? "" : " ", STR_ARG(sorted[i]->key),
               STR_ARG(json_str(&sorted[i]->value)));
}

static int check_overwrites(struct mark *m, const struct json *map, struct failure *f)
{
    struct strbuf b = strbuf_on(&m->c.s->arena);
    bool is_label = m->kind == &markings[0];
    for (size_t i = 0; i < m->wanted.len; i++) {
        const struct json_member *w = &m->wanted.members[i];
        const struct json *now = json_get(map, w->key);
        if (now && w->value.type == JSON_STRING && !str_eq(json_str(now), json_str(&w->value)))
            strbuf_addf(&b, "%s'" STR_FMT "' already has a value (" STR_FMT ")%s", b.len ? is_label ? "\n" : "; " : "",
                        STR_ARG(w->key), STR_ARG(json_str(now)), is_label ? ", and --overwrite is false" : "");
    }
    if (!b.len)
        return 0;
    return is_label ? failure_set(f, E_CONFLICT, "%s", strbuf_cstr(&b))
                    : failure_set(f, E_CONFLICT, "--overwrite is false but found the following declared annotation(s): %s",
                                  strbuf_cstr(&b));
}

/* What the merge patch will do, and the word for it. */
static const char *changes_of(struct mark *m, const struct json *map, struct json *ret_changes)
{
    struct arena *a = &m->c.s->arena;
    bool removes = false, sets = false;
    *ret_changes = json_object();
    for (size_t i = 0; i < m->wanted.len; i++) {
        const struct json_member *w = &m->wanted.members[i];
        const struct json *now = json_get(map, w->key);
        if (w->value.type == JSON_NULL && !now && m->kind == &markings[0] && m->c.dry_run != DRY_RUN_CLIENT)
            printf("label \"" STR_FMT "\" not found.\n", STR_ARG(w->key));
        if (w->value.type == JSON_NULL ? !now : now && json_equal(now, &w->value))
            continue;
        removes = removes || w->value.type == JSON_NULL;
        sets = sets || w->value.type != JSON_NULL;
        json_set(a, ret_changes, w->key, w->value);
    }
    if (m->kind != &markings[0])
        return "annotated";
    return removes && !sets && !m->overwrite ? "unlabeled" : ret_changes->len ? "labeled" : "not labeled";
}

static int mark_one(struct mark *m, const struct target *t, struct failure *f)
{
    struct arena *a = &m->c.s->arena;
    const char *version = cli_str(m->c.s->args, "resource-version");
    const struct json *map = json_get(json_get(&t->object, S("metadata")), str_of(m->kind->field));
    struct json changes, patch = json_object(), done;
    int r = m->overwrite ? 0 : check_overwrites(m, map, f);
    if (r < 0)
        return r;
    const char *word = changes_of(m, map, &changes);
    struct json *meta = json_ensure_object(a, &patch, S("metadata"));
    if (changes.len)
        json_set(a, meta, str_of(m->kind->field), changes);
    if (version)
        json_set(a, meta, S("resourceVersion"), json_string(str_of(version)));
    r = change_patch(&m->c, t, S(""), CHANGE_PATCH_MERGE, meta->len ? &patch : &(struct json){.type = JSON_OBJECT}, &done, f);
    return r < 0 ? r : change_report(&m->c, t->res, &done, word, f);
}

/* --- the verbs ------------------------------------------------------------------------------------------------------------------------ */

static int check_options(struct mark *m, const struct resource_query *q, struct failure *f)
{
    if (m->lists && cli_str(m->c.s->args, "output"))
        return failure_set(f, E_INVALID_ARG, "--list and --output may not be specified together");
    if (q->select_all && (q->labels || q->fields))
        return failure_set(f, E_INVALID_ARG, "cannot set --all and --%s at the same time",
                           q->labels ? "selector" : "field-selector");
    if (!q->nwords && !cli_list(m->c.s->args, "filename", 0))
        return failure_set(f, E_INVALID_ARG, "one or more resources must be specified as <resource> <name> or <resource>/<name>");
    if (!m->npairs && !m->lists)
        return failure_set(f, E_INVALID_ARG, "at least one %s update is required", m->kind->noun);
    return 0;
}

static int mark(struct session *s, struct failure *f)
{
    struct mark m = {.kind = &markings[s->args->verb == &verb_annotate],
                     .wanted = json_object(),
                     .overwrite = cli_flag(s->args, "overwrite"),
                     .lists = cli_flag(s->args, "list")};
    struct resource_query q = resource_query_of(s->args, 0);
    struct targets found;
    int r = change_init(&m.c, s, m.kind->manager, f);
    if (r == 0)
        r = read_words(&m, s->args, f);
    if (r < 0)
        return r;
    q.nwords = (size_t)r;
    r = check_options(&m, &q, f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (m.lists)
            list_them(&m, &found.p[i], found.is_single);
        else if (mark_one(&m, &found.p[i], f) < 0)
            session_note(s, f);
    }
    return r;
}

static int run_mark(struct cli_args *a)
{
    return session_run(a, mark);
}

#define MARK_OPTIONS                                                                                              \
    {"overwrite", 0, CLI_FLAG, NULL, "", "Values that are there may be replaced.", NULL},                         \
        {"list", 0, CLI_FLAG, NULL, "", "Show what the objects have.", NULL},                                     \
        {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},                     \
        {"field-selector", 0, CLI_STRING, "FIELDS", "", "Only objects with these fields.", NULL},                 \
        {"all", 0, CLI_FLAG, NULL, "", "All objects of the types in the namespace.", NULL},                       \
        {"all-namespaces", 'A', CLI_FLAG, NULL, "", "In every namespace.", NULL},                                 \
        {"resource-version", 0, CLI_STRING, "VERSION", "", "Only when the object still has this version.", NULL}, \
        CHANGE_OPTION_DRY_RUN, PRINT_OPTIONS_RESULT, MANIFEST_OPTIONS

static const struct cli_option label_options[] = {MARK_OPTIONS, CHANGE_OPTION_MANAGER("kubectl-label"), {0}};
static const struct cli_option annotate_options[] = {MARK_OPTIONS, CHANGE_OPTION_MANAGER("kubectl-annotate"), {0}};

const struct cli_verb verb_label = {
    .name = "label",
    .summary = "Set or remove labels of objects.",
    .usage = "(TYPE NAME ... | TYPE/NAME ... | -f FILE) KEY=VALUE ... KEY- ... [OPTIONS]",
    .examples = "  cox label pod web tier=front\n  cox label nodes --all disk=ssd --overwrite\n  cox label pod web tier-",
    .options = label_options,
    .run = run_mark,
    .is_client = true,
};
const struct cli_verb verb_annotate = {
    .name = "annotate",
    .summary = "Set or remove annotations of objects.",
    .usage = "(TYPE NAME ... | TYPE/NAME ... | -f FILE) KEY=VALUE ... KEY- ... [OPTIONS]",
    .examples = "  cox annotate pod web owner=\"team a\"\n  cox annotate pod web owner-",
    .options = annotate_options,
    .run = run_mark,
    .is_client = true,
};
