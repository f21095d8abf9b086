/* verb_explain.c - cox explain: what fields a type has, from the server's OpenAPI v3 document. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"
#include "cli/resources.h"
#include "cli/verbs.h"

#define EXPLAIN_DEPTH 32 /* of nested fields with --recursive; schemas may refer to themselves */

struct explain {
    struct session *s;
    struct json document;
    struct strbuf out;
    bool recursive;
};
struct seen { /* references on the way to here, for cycles */
    const struct seen *before;
    str ref;
};

/* --- schemas ------------------------------------------------------------------------------------------------------------------ */

static const struct json *schema_by_ref(struct explain *e, str ref)
{
    ptrdiff_t slash = str_rfind_char(ref, '/');
    return slash < 0 ? NULL : json_get(json_path(&e->document, "components", "schemas", NULL), str_from(ref, (size_t)slash + 1));
}

static const struct json *resolve(struct explain *e, const struct json *schema)
{
    str ref = json_get_str(schema, S("$ref"));
    const struct json *found = ref.len ? schema_by_ref(e, ref) : NULL;
    return found ? found : schema;
}

static const struct json *map_value(const struct json *schema)
{
    const struct json *v = json_get(schema, S("additionalProperties"));
    return json_is(v, JSON_OBJECT) ? v : NULL;
}

static const struct json *list_of(const struct json *schema, const char *name)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *v = json_get(schema, str_of(name));
    return json_is(v, JSON_ARRAY) ? v : &none;
}

static bool was_seen(const struct seen *seen, str ref)
{
    for (; seen && ref.len; seen = seen->before) {
        if (str_eq(seen->ref, ref))
            return true;
    }
    return false;
}

static const struct json *find_kind(struct explain *e, const struct discovery_resource *r)
{
    const struct json *schemas = json_path(&e->document, "components", "schemas", NULL);
    for (size_t i = 0; json_is(schemas, JSON_OBJECT) && i < schemas->len; i++) {
        const struct json *kinds = list_of(&schemas->members[i].value, "x-kubernetes-group-version-kind");
        for (size_t k = 0; k < kinds->len; k++) {
            const struct json *one = &kinds->items[k];
            if (str_eq(json_get_str(one, S("kind")), r->kind) && str_eq(json_get_str(one, S("group")), r->group) &&
                str_eq(json_get_str(one, S("version")), r->version))
                return &schemas->members[i].value;
        }
    }
    return NULL;
}

/* --- text ------------------------------------------------------------------------------------------------------------------------ */

/* Breaks lines at blanks so that none is longer than `limit`, unless a word is. */
static void wrap(struct strbuf *out, str text, size_t limit)
{
    size_t column = 0;
    while (text.len) {
        size_t blanks = 0, word = 0;
        while (blanks < text.len && text.p[blanks] == ' ')
            blanks++;
        while (blanks + word < text.len && text.p[blanks + word] != ' ' && text.p[blanks + word] != '\n')
            word++;
        if (word && column + blanks + word > limit && word < limit) {
            strbuf_add_char(out, '\n');
            strbuf_add(out, text.p + blanks, word);
            column = word;
        } else {
            strbuf_add(out, text.p, blanks + word);
            column += blanks + word;
        }
        text = str_from(text, blanks + word);
        if (text.len && text.p[0] == '\n') {
            strbuf_add_char(out, '\n');
            column = 0;
            text = str_from(text, 1);
        }
    }
}

static void add_indented(struct explain *e, str text, size_t limit, size_t indent)
{
    struct strbuf wrapped = strbuf_on(&e->s->arena);
    wrap(&wrapped, text, limit);
    str rest = strbuf_str(&wrapped), line;
    bool more = true;
    while (more) {
        more = str_cut(&rest, '\n', &line);
        strbuf_addf(&e->out, "%*s" STR_FMT "%s", (int)indent, "", STR_ARG(line), more ? "\n" : "");
    }
}

static void add_type(struct explain *e, const struct json *schema)
{
    const struct json *items = json_get(schema, S("items")), *all = list_of(schema, "allOf");
    str ref = json_get_str(schema, S("$ref")), type = json_get_str(schema, S("type"));
    if (items) {
        strbuf_add_str(&e->out, S("[]"));
        add_type(e, items);
    } else if (map_value(schema)) {
        strbuf_add_str(&e->out, S("map[string]"));
        add_type(e, map_value(schema));
    } else if (all->len == 1 && !json_get(schema, S("properties"))) {
        add_type(e, &all->items[0]);
    } else if (ref.len) {
        str target = json_get_str(schema_by_ref(e, ref), S("type"));
        ptrdiff_t dot = str_rfind_char(ref, '.');
        strbuf_add_str(&e->out, target.len && !str_is(target, "object") ? target : str_from(ref, (size_t)(dot + 1)));
    } else {
        strbuf_add_str(&e->out, !type.len || str_is(type, "object") ? S("Object") : type);
    }
}

static void collect_description(struct explain *e, const struct json *schema, struct strbuf *b, int depth)
{
    schema = resolve(e, schema);
    str text = json_get_str(schema, S("description"));
    const struct json *all = list_of(schema, "allOf"), *items = json_get(schema, S("items"));
    if (text.len)
        strbuf_addf(b, STR_FMT "\n", STR_ARG(text));
    if (depth > EXPLAIN_DEPTH)
        return;
    for (size_t i = 0; i < all->len; i++)
        collect_description(e, &all->items[i], b, depth + 1);
    if (items)
        collect_description(e, items, b, depth + 1);
    if (map_value(schema))
        collect_description(e, map_value(schema), b, depth + 1);
}

static void add_enum(struct explain *e, const struct json *schema, bool is_long, size_t indent)
{
    const struct json *values = list_of(schema, "enum");
    if (!values->len)
        return;
    if (is_long)
        strbuf_add_str(&e->out, S("ENUM:"));
    else
        strbuf_addf(&e->out, "\n%*senum: ", (int)indent, "");
    for (size_t i = 0; i < values->len; i++) {
        if (!is_long && i >= 4) {
            strbuf_add_str(&e->out, S(", ...."));
            return;
        }
        str text = json_str(&values->items[i]);
        strbuf_addf(&e->out, "%s" STR_FMT, is_long ? "\n    " : i ? ", " : "", STR_ARG(text.len ? text : S("\"\"")));
    }
}

/* --- fields ------------------------------------------------------------------------------------------------------------------------ */

static bool is_required(const struct json *schema, str name)
{
    const struct json *required = list_of(schema, "required");
    for (size_t i = 0; i < required->len; i++) {
        if (str_eq(json_str(&required->items[i]), name))
            return true;
    }
    return false;
}

static void add_field(struct explain *e, const struct json *parent, const struct json_member *field, size_t level)
{
    size_t indent = level * 2;
    str text = json_get_str(&field->value, S("description"));
    strbuf_addf(&e->out, "%*s" STR_FMT "\t<", (int)indent, "", STR_ARG(field->key));
    add_type(e, &field->value);
    strbuf_addf(&e->out, ">%s", is_required(parent, field->key) ? " -required-" : "");
    add_enum(e, &field->value, false, indent);
    strbuf_add_char(&e->out, '\n');
    if (!e->recursive) {
        add_indented(e, text.len ? text : S("<no description>"), 78 - indent, indent + 2);
        strbuf_add_str(&e->out, S("\n\n"));
    }
}

static void add_fields(struct explain *e, const struct json *schema, size_t level, const struct seen *seen)
{
    str ref = json_get_str(schema, S("$ref"));
    if (was_seen(seen, ref) || level > EXPLAIN_DEPTH)
        return;
    struct seen here = {seen, ref};
    schema = resolve(e, schema);
    const struct json *properties = json_get(schema, S("properties")), *all = list_of(schema, "allOf"),
                      *items = json_get(schema, S("items"));
    if (json_is(properties, JSON_OBJECT)) {
        const struct json_member **sorted = jsonpath_sorted_members(&e->s->arena, properties);
        for (size_t i = 0; i < properties->len; i++) {
            add_field(e, schema, sorted[i], level);
            if (e->recursive)
                add_fields(e, &sorted[i]->value, level + 1, &here);
        }
    }
    for (size_t i = 0; i < all->len; i++)
        add_fields(e, &all->items[i], level, &here);
    if (items)
        add_fields(e, items, level, &here);
    if (map_value(schema))
        add_fields(e, map_value(schema), level, &here);
}

static void add_all(struct explain *e, const struct json *schema)
{
    struct strbuf text = strbuf_on(&e->s->arena);
    collect_description(e, schema, &text, 0);
    strbuf_add_str(&e->out, S("DESCRIPTION:\n"));
    add_indented(e, text.len ? strbuf_str(&text) : S("<empty>"), 76, 4);
    strbuf_add_char(&e->out, '\n');
    size_t at = e->out.len;
    strbuf_add_str(&e->out, S("FIELDS:\n"));
    size_t fields = e->out.len;
    add_fields(e, schema, 1, NULL);
    if (e->out.len == fields)
        e->out.len = at;
}

/* Follows the path; false when a field does not exist. */
static bool follow(struct explain *e, const struct json *schema, str path, int depth)
{
    str rest = path, name;
    if (!path.len) {
        add_all(e, schema);
        return true;
    }
    if (depth > EXPLAIN_DEPTH)
        return false;
    schema = resolve(e, schema);
    str_cut(&rest, '.', &name);
    const struct json *field = json_get(json_get(schema, S("properties")), name), *items = json_get(schema, S("items")),
                      *all = list_of(schema, "allOf");
    if (field) {
        if (!rest.len) {
            strbuf_addf(&e->out, "FIELD: " STR_FMT " <", STR_ARG(name));
            add_type(e, field);
            strbuf_add_str(&e->out, S(">\n"));
            add_enum(e, field, true, 0);
            strbuf_add_str(&e->out, S("\n\n"));
        }
        return follow(e, field, rest, 0);
    }
    if (items)
        return follow(e, items, path, depth + 1);
    if (map_value(schema))
        return follow(e, map_value(schema), path, depth + 1);
    for (size_t i = 0; i < all->len; i++) {
        if (follow(e, &all->items[i], path, depth + 1))
            return true;
    }
    return false;
}

/* --- the verb ---------------------------------------------------------------------------------------------------------------------------- */

/* "deployments.apps.spec.template": the type is the longest beginning that is one. */
static int find_type(struct session *s, str word, const struct discovery_resource **ret, str *ret_path, struct failure *f)
{
    const struct discovery *d;
    const char *version = cli_str(s->args, "api-version");
    str rest = word, head;
    int r = session_discovery(s, &d, f);
    if (r < 0)
        return r;
    str_cut(&rest, '.', &head);
    *ret_path = rest;
    *ret = NULL;
    for (size_t end = word.len; end > head.len && !version; end--) {
        str prefix = str_sub(word, 0, end);
        const struct discovery_resource *found = (end == word.len || word.p[end] == '.') ? discovery_find(d, prefix) : NULL;
        if (found && found->group.len && str_has_suffix(prefix, found->group)) {
            *ret = found;
            *ret_path = str_from(word, end + 1);
            return 0;
        }
    }
    r = resource_type_find(s, head, ret, f);
    if (r < 0 || !version)
        return r;
    *ret = discovery_find_kind(d, str_of(version), (*ret)->kind);
    return *ret ? 0
                : failure_set(f, E_NOT_FOUND, "couldn't find resource for \"%s, Resource=" STR_FMT "\"", version, STR_ARG(head));
}

static int read_document(struct explain *e, const struct discovery_resource *res, struct failure *f)
{
    struct arena *a = &e->s->arena;
    struct json index;
    str gv = discovery_group_version(a, res);
    int r = session_get(e->s, S("/openapi/v3"), S(""), &index, f);
    if (r < 0)
        return r;
    str key = arena_fmt(a, "%s" STR_FMT, res->group.len ? "apis/" : "api/", STR_ARG(gv));
    str query = json_get_str(json_get(json_get(&index, S("paths")), key), S("serverRelativeURL")), path;
    if (!query.len)
        return failure_set(f, E_NOT_FOUND,
                           "couldn't find resource for \"" STR_FMT ", Resource=" STR_FMT "\" in the server's OpenAPI documents",
                           STR_ARG(gv), STR_ARG(res->plural));
    str_cut(&query, '?', &path);
    return session_get(e->s, path, query, &e->document, f);
}

static int explain(struct session *s, struct failure *f)
{
    struct explain e = {.s = s, .recursive = cli_flag(s->args, "recursive"), .out = strbuf_on(&s->arena)};
    const struct discovery_resource *res;
    str path;
    if (!s->args->npositional)
        return failure_set(
            f, E_INVALID_ARG,
            "You must specify the type of resource to explain. Use \"cox api-resources\" for a complete list of supported resources.");
    if (s->args->npositional > 1)
        return failure_set(f, E_INVALID_ARG, "We accept only this format: explain RESOURCE");
    int r = find_type(s, str_of(s->args->positional[0]), &res, &path, f);
    if (r == 0)
        r = read_document(&e, res, f);
    if (r < 0)
        return r;
    const struct json *schema = find_kind(&e, res);
    if (!schema)
        return failure_set(f, E_NOT_FOUND, "GVR (" STR_FMT ") not found in OpenAPI schema", STR_ARG(res->plural));
    if (res->group.len)
        strbuf_addf(&e.out, "GROUP:      " STR_FMT "\n", STR_ARG(res->group));
    strbuf_addf(&e.out, "KIND:       " STR_FMT "\nVERSION:    " STR_FMT "\n\n", STR_ARG(res->kind), STR_ARG(res->version));
    if (!follow(&e, schema, path, 0))
        return failure_set(f, E_NOT_FOUND, "field \"" STR_FMT "\" does not exist",
                           STR_ARG(str_from(path, (size_t)(str_rfind_char(path, '.') + 1))));
    strbuf_add_char(&e.out, '\n');
    print_flush(&e.out);
    return 0;
}

static int run_explain(struct cli_args *a)
{
    return session_run(a, explain);
}

static const struct cli_option options[] = {
    {"recursive", 0, CLI_FLAG, NULL, "", "Fields of fields, without their descriptions.", NULL},
    {"api-version", 0, CLI_STRING, "GROUP/VERSION", "", "Of this version of the API.", NULL},
    {0},
};

const struct cli_verb verb_explain = {
    .name = "explain",
    .summary = "Describe the fields of a type.",
    .usage = "TYPE[.FIELD...] [--recursive]",
    .examples = "  cox explain pods\n  cox explain deploy.spec.strategy\n  cox explain pod.spec.containers --recursive",
    .options = options,
    .run = run_explain,
    .is_client = true,
};
