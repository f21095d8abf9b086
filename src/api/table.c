/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"

#include "api/jsonpath.h"
#include "api/table_cells.h"

static const struct api_column name_column = {
    .name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."),
    .json_path = STR_INIT(".metadata.name")};
static const struct api_column created_column = {
    .name = STR_INIT("Created At"), .type = STR_INIT("date"), .doc = STR_INIT("When the object was created."),
    .json_path = STR_INIT(".metadata.creationTimestamp")};
static const struct api_column age_column = {
    .name = STR_INIT("Age"), .type = STR_INIT("date"), .doc = STR_INIT("Time since the object was created."),
    .json_path = STR_INIT(".metadata.creationTimestamp")};

/* Column i as it is shown: those that every resource has are not in the tables. */
static const struct api_column *column_at(const struct api_resource *r, size_t i)
{
    bool custom = r->flags & API_CUSTOM;
    if (!r->ncolumns)
        return i == 0 ? &name_column : i > 1 ? NULL : custom ? &age_column : &created_column;
    if (custom && !str_is(r->columns[0].format, "name")) {
        if (i == 0)
            return &name_column;
        i--;
    }
    return i < r->ncolumns ? &r->columns[i] : NULL;
}

void table_write_columns(struct strbuf *b, const struct api_resource *r)
{
    const struct api_column *c;
    strbuf_add_str(b, S("\"columnDefinitions\":["));
    for (size_t i = 0; (c = column_at(r, i)) != NULL; i++) {
        strbuf_add_str(b, i ? S(",{\"name\":") : S("{\"name\":"));
        json_write_string(b, c->name);
        strbuf_add_str(b, S(",\"type\":"));
        json_write_string(b, c->type);
        strbuf_add_str(b, S(",\"format\":"));
        json_write_string(b, c->format);
        strbuf_add_str(b, S(",\"description\":"));
        json_write_string(b, c->doc);
        strbuf_addf(b, ",\"priority\":%d}", c->priority);
    }
    strbuf_add_char(b, ']');
}

/* --- paths ------------------------------------------------------------------------------------------- */

static bool is_plain(str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (memchr("[]{}*\\'\"$@ ", path.p[i], 11) || (path.p[i] == '.' && i && path.p[i - 1] == '.'))
            return false;
    return path.len > 1 && path.p[0] == '.';
}

int table_compile_columns(struct arena *a, struct api_column *columns, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct jsonpath *p;
        if (!columns[i].json_path.len || is_plain(columns[i].json_path))
            continue;
        int r = jsonpath_compile(a, columns[i].json_path, true, &p, err);
        if (r < 0)
            return r;
        columns[i].compiled = p;
    }
    return 0;
}

/* The first value of the path, NULL when there is none. */
static const struct json *value_of(struct arena *a, const struct api_column *col, const struct json *obj)
{
    if (is_plain(col->json_path))
        return table_walk_or_null(obj, str_from(col->json_path, 1));
    const struct jsonpath *p = col->compiled;
    struct jsonpath *made;
    const struct json **found;
    size_t n;
    if (!p) {
        if (jsonpath_compile(a, col->json_path, true, &made, NULL) < 0)
            return NULL;
        p = made;
    }
    return jsonpath_find(a, p, obj, &found, &n, NULL) == 0 && n ? found[0] : NULL;
}

/* A built-in's field: what is absent is the zero of its type, as in a decoded object. */
static void put_builtin(struct table_cell *c, const struct api_column *col, const struct json *v)
{
    if (v && v->type != JSON_NULL)
        json_write(c->out, v);
    else if (str_is(col->type, "integer") || str_is(col->type, "number"))
        table_put_int(c, 0);
    else if (str_is(col->type, "boolean"))
        table_put_bool(c, false);
    else
        table_put_text(c, S(""));
}

static void put_integer(struct table_cell *c, const struct json *v)
{
    int64_t i;
    double d;
    if (json_to_i64(v, &i))
        table_put_int(c, i);
    else if (json_to_double(v, &d) && d > -9.2e18 && d < 9.2e18)
        table_put_int(c, (int64_t)d);
    else
        strbuf_add_str(c->out, S("null"));
}

static void put_date(struct table_cell *c, const struct json *v)
{
    nsec_t t = table_time(v);
    table_put_text(c, t ? table_since(c, t, S("")) : S("<invalid>"));
}

/* A custom resource's field: what does not have the column's type is null. */
static void put_custom(struct table_cell *c, const struct api_column *col, const struct json *v)
{
    if (v && str_is(col->type, "string")) {
        struct strbuf text = strbuf_on(c->arena);
        jsonpath_write_value(c->arena, &text, v);
        table_put_text(c, v->type == JSON_NULL ? S("<no value>") : strbuf_str(&text));
    } else if (json_is(v, JSON_NUMBER) && str_is(col->type, "integer")) {
        put_integer(c, v);
    } else if (json_is(v, JSON_NUMBER) && str_is(col->type, "number")) {
        jsonpath_write_value(c->arena, c->out, v);
    } else if (json_is(v, JSON_BOOL) && str_is(col->type, "boolean")) {
        table_put_bool(c, v->b);
    } else if (json_is(v, JSON_STRING) && str_is(col->type, "date")) {
        put_date(c, v);
    } else {
        strbuf_add_str(c->out, S("null"));
    }
}

static void put_cell(struct table_cell *c, const struct api_resource *r, const struct api_column *col)
{
    if (col->cell.len) {
        c->def = table_cell_find(col->cell);
        if (c->def)
            c->def->fn(c);
        else
            table_put_text(c, S("")); /* a table test sees to it that built-in columns never come here */
        return;
    }
    const struct json *v = value_of(c->arena, col, c->obj);
    if (r->flags & API_CUSTOM)
        put_custom(c, col, v);
    else
        put_builtin(c, col, v);
}

/* --- rows ---------------------------------------------------------------------------------------------- */

/* kubectl hides or greys rows of pods that are done. */
static void put_conditions(struct strbuf *b, const struct api_resource *r, const struct json *obj)
{
    static const struct {
        str phase, text;
    } done[] = {
        {STR_INIT("Succeeded"), STR_INIT("The pod has completed successfully.")},
        {STR_INIT("Failed"), STR_INIT("The pod failed.")},
    };
    if (!str_is(r->kind, "Pod") || r->group.len)
        return;
    str phase = table_text_at(obj, S("status.phase"));
    for (size_t i = 0; i < ARRAY_LEN(done); i++)
        if (str_eq(done[i].phase, phase))
            strbuf_addf(b, ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\",\"reason\":\"" STR_FMT
                           "\",\"message\":\"" STR_FMT "\"}]", STR_ARG(phase), STR_ARG(done[i].text));
}

static void put_object(struct strbuf *b, const struct json *obj, str object_bytes, enum table_include include)
{
    strbuf_add_str(b, S(",\"object\":"));
    if (include == TABLE_INCLUDE_NONE) {
        strbuf_add_str(b, S("null"));
    } else if (include == TABLE_INCLUDE_METADATA) {
        strbuf_add_str(b, S("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"));
        const struct json *metadata = json_get(obj, S("metadata"));
        if (metadata)
            json_write(b, metadata);
        else
            strbuf_add_str(b, S("{\"creationTimestamp\":null}"));
        strbuf_add_char(b, '}');
    } else if (object_bytes.len) {
        strbuf_add_str(b, object_bytes);
    } else {
        json_write(b, obj);
    }
}

void table_write_row(struct arena *a, struct strbuf *b, const struct api_resource *r, const struct json *obj, str object_bytes,
                     enum table_include include, nsec_t now)
{
    struct table_cell c = {.arena = a, .out = b, .obj = obj, .now = now};
    const struct api_column *col;
    strbuf_add_str(b, S("{\"cells\":["));
    for (size_t i = 0; (col = column_at(r, i)) != NULL; i++) {
        if (i)
            strbuf_add_char(b, ',');
        put_cell(&c, r, col);
    }
    strbuf_add_char(b, ']');
    put_conditions(b, r, obj);
    put_object(b, obj, object_bytes, include);
    strbuf_add_char(b, '}');
}

bool table_has_cell(str name)
{
    return table_cell_find(name) != NULL;
}
