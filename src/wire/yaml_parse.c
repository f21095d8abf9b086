/* YAML text to a tree: libyaml's events into the builder of json_build.h.
 *
 * The tree is made at once, without nodes between.  An anchor remembers the finished value; an alias is a copy of it,
 * so that the tree shares nothing.  Copies are what a hostile text multiplies, so they count against
 * LIMIT_YAML_EVENTS, strings in them too. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <yaml.h>

#include "base/vec.h"
#include "wire/json_build.h"
#include "wire/json_number.h"
#include "wire/yaml.h"
#include "wire/yaml_scalar.h"

#define ANCHOR_OPEN 0xff       /* json.type of an anchor whose value is not finished */
#define COPIED_BYTES_A_NODE 16 /* this much text in a copy counts as one node */

struct yaml_stream {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; YAML_NO_EVENT: none */
    bool started;
    bool done;
};

struct document {
    struct yaml_stream *stream;
    struct arena *arena;
    struct err *err;
    size_t nodes;                     /* read and copied so far */
    VEC(struct json_member) anchors;  /* by name */
    struct json_index anchor_index;
    bool anchor_unknown;              /* the error was an alias without its anchor */
    struct json_build build;
};

static int parse_node(struct document *d, struct json *ret);

/* --- events and errors ------------------------------------------------------------------------- */

#define DUP_KEY_MAX 256 /* bytes of a key that occurs twice which are worth showing */
#define PREFIX "error converting YAML to JSON: "

/* libyaml counts lines from 0; go-yaml adds one for errors of the scanner only, and clients see its numbers. */
static COLD int fail_syntax(const yaml_parser_t *p, struct err *err)
{
    size_t line = p->problem_mark.line;
    if (line && p->error == YAML_SCANNER_ERROR)
        line++;
    else if (!line)
        line = p->context_mark.line;
    const char *problem = p->problem ? p->problem : "unknown problem parsing YAML content";
    if (line)
        return err_set(err, E_PARSE, PREFIX "yaml: line %zu: %s", line, problem);
    return err_set(err, E_PARSE, PREFIX "yaml: %s", problem);
}

static void event_drop(struct yaml_stream *s)
{
    yaml_event_delete(&s->event); /* also sets its type to YAML_NO_EVENT */
}

static int event_next(struct yaml_stream *s, struct err *err)
{
    event_drop(s);
    if (!yaml_parser_parse(&s->parser, &s->event))
        return fail_syntax(&s->parser, err);
    return 0;
}

static int count_nodes(struct document *d, size_t n)
{
    d->nodes += n;
    if (d->nodes > LIMIT_YAML_EVENTS)
        return err_set(d->err, E_PARSE, PREFIX "yaml: document contains excessive aliasing");
    return 0;
}

static int fail_depth(struct document *d)
{
    return err_set(d->err, E_PARSE, PREFIX "yaml: exceeded max depth of %d", LIMIT_JSON_DEPTH);
}

/* --- anchors and aliases -------------------------------------------------------------------------- */

static void anchor_set(struct document *d, str name, struct json value)
{
    uint32_t at = d->anchors.len ? json_index_find(&d->anchor_index, d->anchors.p, name) : JSON_INDEX_NONE;
    if (at != JSON_INDEX_NONE) {
        d->anchors.p[at].value = value;
        return;
    }
    if (!d->anchors.len)
        json_index_init(&d->anchor_index, 0);
    vec_push(&d->anchors, (struct json_member){name, value});
    json_index_add(&d->anchor_index, d->anchors.p, (uint32_t)d->anchors.len - 1);
}

/* The name in the current event, copied, or STR_NONE. */
static str anchor_name(struct document *d, const yaml_char_t *name)
{
    return name ? arena_str(d->arena, str_of((const char *)name)) : STR_NONE;
}

/* A deep copy of all but the strings, which nobody changes in place. */
static int copy_value(struct document *d, const struct json *v, unsigned depth, struct json *ret)
{
    bool text = v->type == JSON_STRING || v->type == JSON_NUMBER;
    int r = count_nodes(d, 1 + (text ? v->len / COPIED_BYTES_A_NODE : 0));
    if (r < 0)
        return r;
    *ret = *v;
    if (text || !v->len)
        return 0;
    if (depth >= LIMIT_JSON_DEPTH)
        return fail_depth(d);
    bool object = v->type == JSON_OBJECT;
    ret->items = arena_alloc(d->arena, v->len * (object ? sizeof *v->members : sizeof *v->items));
    ret->cap = v->len;
    for (uint32_t i = 0; r >= 0 && i < v->len; i++) {
        if (!object) {
            r = copy_value(d, &v->items[i], depth + 1, &ret->items[i]);
            continue;
        }
        ret->members[i].key = v->members[i].key;
        r = count_nodes(d, v->members[i].key.len / COPIED_BYTES_A_NODE);
        if (r >= 0)
            r = copy_value(d, &v->members[i].value, depth + 1, &ret->members[i].value);
    }
    return r;
}

static int parse_alias(struct document *d, struct json *ret)
{
    str name = str_of((const char *)d->stream->event.data.alias.anchor);
    uint32_t at = d->anchors.len ? json_index_find(&d->anchor_index, d->anchors.p, name) : JSON_INDEX_NONE;
    d->anchor_unknown = at == JSON_INDEX_NONE;
    if (d->anchor_unknown)
        return err_set(d->err, E_PARSE, PREFIX "yaml: unknown anchor '" STR_FMT "' referenced", STR_ARG(str_sub(name, 0, 200)));
    if (d->anchors.p[at].value.type == ANCHOR_OPEN)
        return err_set(d->err, E_PARSE, PREFIX "yaml: anchor '" STR_FMT "' value contains itself", STR_ARG(str_sub(name, 0, 200)));
    return copy_value(d, &d->anchors.p[at].value, d->build.depth, ret);
}

/* --- values ------------------------------------------------------------------------------------- */

static int parse_scalar(struct document *d, struct json *ret)
{
    const yaml_event_t *e = &d->stream->event;
    str text = arena_str(d->arena, str_n((const char *)e->data.scalar.value, e->data.scalar.length));
    str tag = str_of((const char *)e->data.scalar.tag), name = anchor_name(d, e->data.scalar.anchor);
    if (yaml_scalar_value(d->arena, tag, e->data.scalar.plain_implicit, text, ret, d->err) < 0)
        return err_wrap(d->err, PREFIX);
    if (name.p)
        anchor_set(d, name, *ret);
    return 0;
}

static int parse_sequence(struct document *d, struct json *ret)
{
    str name = anchor_name(d, d->stream->event.data.sequence_start.anchor);
    if (name.p)
        anchor_set(d, name, (struct json){.type = ANCHOR_OPEN});
    struct json_frame *f = json_build_open(&d->build, false);
    if (!f)
        return fail_depth(d);
    for (;;) {
        struct json value;
        int r = event_next(d->stream, d->err);
        if (r < 0)
            return r;
        if (d->stream->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        r = parse_node(d, &value);
        if (r < 0)
            return r;
        json_build_add(&d->build, f, value);
    }
    json_build_close(&d->build, f, ret);
    if (name.p)
        anchor_set(d, name, *ret);
    return 0;
}

/* A value as Go's %#v prints it, which is how go-yaml names a key it cannot use ("{{ .Values.x }}" left in a file). */
static void write_go_syntax(struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_NULL) {
        strbuf_add_str(b, S("interface {}(nil)"));
    } else if (v->type != JSON_ARRAY && v->type != JSON_OBJECT) {
        json_write(b, v);
    } else {
        bool object = v->type == JSON_OBJECT;
        strbuf_add_str(b, object ? S("map[interface {}]interface {}{") : S("[]interface {}{"));
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, i ? S(", ") : S(""));
            if (object) {
                json_write_string(b, v->members[i].key);
                strbuf_add_char(b, ':');
            }
            write_go_syntax(b, object ? &v->members[i].value : &v->items[i]);
        }
        strbuf_add_char(b, '}');
    }
}

/* Keys are strings in JSON: numbers and booleans become their text, floats in single precision. */
static int key_text(struct document *d, const struct json *key, str *ret)
{
    struct strbuf b = strbuf_on(d->arena);
    double number;
    switch (key->type) {
    case JSON_STRING:
        *ret = json_str(key);
        return 0;
    case JSON_BOOL:
        *ret = key->b ? S("true") : S("false");
        return 0;
    case JSON_NUMBER:
        *ret = json_str(key);
        if ((str_find_char(*ret, '.') >= 0 || str_find_char(*ret, 'e') >= 0) && json_to_double(key, &number)) {
            json_digits_write_g(&b, json_digits_of(number, true));
            *ret = strbuf_str(&b);
        }
        return 0;
    case JSON_NULL:
        return err_set(d->err, E_PARSE, PREFIX "unsupported map key of type: null");
    default:
        write_go_syntax(&b, key);
        return err_set(d->err, E_PARSE, PREFIX "yaml: invalid map key: " STR_FMT, STR_ARG(str_sub(strbuf_str(&b), 0, 200)));
    }
}

static bool is_merge(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT && e->data.scalar.length == 2 && !memcmp(e->data.scalar.value, "<<", 2) &&
           (e->data.scalar.plain_implicit ||
            (e->data.scalar.tag && !strcmp((const char *)e->data.scalar.tag, "tag:yaml.org,2002:merge")));
}

static int merge_object(struct document *d, struct json_frame *f, const struct json *from)
{
    if (from->type != JSON_OBJECT)
        return err_set(d->err, E_PARSE, PREFIX "yaml: map merge requires map or sequence of maps as the value");
    for (uint32_t i = 0; i < from->len; i++) {
        json_build_key(&d->build, f, from->members[i].key);
        json_build_set(&d->build, f, from->members[i].value);
    }
    return 0;
}

/* The value of "<<" is the current event.  As in go-yaml v2 what it brings replaces what stands before it, and of a
 * list the earlier maps win. */
static int parse_merge(struct document *d, struct json_frame *f)
{
    struct json value;
    f->at = f->count;
    int r = parse_node(d, &value);
    if (r < 0)
        return r;
    if (value.type != JSON_ARRAY)
        return merge_object(d, f, &value);
    for (uint32_t i = value.len; r >= 0 && i-- > 0;)
        r = merge_object(d, f, &value.items[i]);
    return r;
}

/* The current event is the value of the second key: its line is the one that go-yaml names. */
static void report_dup(struct document *d, str key)
{
    struct json_parse_opts *o = d->build.opts;
    if (!o || !o->dup_lines) {
        json_build_report_dup(&d->build);
    } else if (o->dups && o->ndups < JSON_MAX_DUPS) {
        struct strbuf b = strbuf_on(d->arena);
        size_t shown = MIN(key.len, (size_t)DUP_KEY_MAX);
        while (shown < key.len && ((unsigned char)key.p[shown] & 0xc0) == 0x80) /* not within a character */
            shown--;
        strbuf_addf(&b, "line %zu: key ", d->stream->event.start_mark.line + 1);
        json_write_string(&b, str_sub(key, 0, shown));
        strbuf_add_str(&b, S(" already set in map"));
        o->dups[o->ndups++] = strbuf_str(&b);
    }
}

/* One key and its value; the key is the current event.  *io_merged: keys may come from "<<", so one that is there
 * already is no mistake. */
static int parse_member(struct document *d, struct json_frame *f, bool *io_merged)
{
    struct json key, value;
    str text = STR_NONE;
    bool merge = is_merge(&d->stream->event);
    int r = 0;
    if (!merge) {
        f->at = f->count;
        r = parse_node(d, &key);
        if (r >= 0)
            r = key_text(d, &key, &text);
    }
    if (r >= 0)
        r = event_next(d->stream, d->err);
    if (r < 0)
        return r;
    if (merge) {
        *io_merged = true;
        return parse_merge(d, f);
    }
    if (!json_build_key(&d->build, f, text) && !*io_merged)
        report_dup(d, text);
    r = parse_node(d, &value);
    if (r >= 0)
        json_build_set(&d->build, f, value);
    return r;
}

static int parse_mapping(struct document *d, struct json *ret)
{
    str name = anchor_name(d, d->stream->event.data.mapping_start.anchor);
    if (name.p)
        anchor_set(d, name, (struct json){.type = ANCHOR_OPEN});
    struct json_frame *f = json_build_open(&d->build, true);
    if (!f)
        return fail_depth(d);
    bool merged = false;
    for (;;) {
        int r = event_next(d->stream, d->err);
        if (r < 0)
            return r;
        if (d->stream->event.type == YAML_MAPPING_END_EVENT)
            break;
        r = parse_member(d, f, &merged);
        if (r < 0)
            return r;
    }
    json_build_close(&d->build, f, ret);
    if (name.p)
        anchor_set(d, name, *ret);
    return 0;
}

/* The node that begins with the current event; its last event is current afterwards. */
static int parse_node(struct document *d, struct json *ret)
{
    int r = count_nodes(d, 1);
    if (r < 0)
        return r;
    switch (d->stream->event.type) {
    case YAML_ALIAS_EVENT:
        return parse_alias(d, ret);
    case YAML_SCALAR_EVENT:
        return parse_scalar(d, ret);
    case YAML_SEQUENCE_START_EVENT:
        return parse_sequence(d, ret);
    case YAML_MAPPING_START_EVENT:
        return parse_mapping(d, ret);
    default:
        base_bug(__FILE__, __LINE__, __func__, "libyaml gave an event that begins no node");
    }
}

/* --- streams ------------------------------------------------------------------------------------- */

struct yaml_stream *yaml_stream_new(str text)
{
    struct yaml_stream *s = xnew(struct yaml_stream);
    BUG_ON(!yaml_parser_initialize(&s->parser));
    yaml_parser_set_input_string(&s->parser, (const unsigned char *)(text.p ? text.p : ""), text.len);
    return s;
}

void yaml_stream_free(struct yaml_stream *s)
{
    if (!s)
        return;
    event_drop(s);
    yaml_parser_delete(&s->parser);
    free(s);
}

/* go-yaml reads a whole document, aliases included, before it looks at values, so a syntax error further on is what
 * clients are told.  Not beyond the depth limit: libyaml's time for a token grows with the depth it is at. */
static int look_for_syntax_error(struct document *d, int r)
{
    struct yaml_stream *s = d->stream;
    unsigned depth = d->build.depth;
    while (s->parser.error == YAML_NO_ERROR && s->event.type != YAML_DOCUMENT_END_EVENT && depth < LIMIT_JSON_DEPTH) {
        int next = event_next(s, d->err);
        if (next < 0)
            return next;
        if (s->event.type == YAML_SEQUENCE_START_EVENT || s->event.type == YAML_MAPPING_START_EVENT)
            depth++;
        else if (s->event.type == YAML_SEQUENCE_END_EVENT || s->event.type == YAML_MAPPING_END_EVENT)
            depth--;
    }
    return r;
}

/* The current event starts a document. */
static int parse_document(struct document *d, struct json *ret)
{
    int r = event_next(d->stream, d->err);
    if (r >= 0)
        r = parse_node(d, ret);
    if (r >= 0)
        r = event_next(d->stream, d->err); /* the document's end */
    else if (!d->anchor_unknown)
        r = look_for_syntax_error(d, r);
    json_build_fini(&d->build);
    json_index_fini(&d->anchor_index);
    vec_fini(&d->anchors);
    return r;
}

static int stream_advance(struct yaml_stream *s, struct arena *a, struct json_parse_opts *opts, struct json *ret,
                          struct err *err)
{
    int r = 0;
    if (!s->started)
        r = event_next(s, err); /* the stream's start */
    s->started = true;
    if (r >= 0)
        r = event_next(s, err);
    if (r < 0 || s->event.type == YAML_STREAM_END_EVENT)
        return r;
    struct document d;
    d.stream = s;
    d.arena = a;
    d.err = err;
    d.nodes = 0;
    d.anchor_unknown = false;
    d.anchors.p = NULL;
    d.anchors.len = d.anchors.cap = 0;
    d.anchor_index = (struct json_index){0};
    json_build_init(&d.build, a, opts);
    struct json value;
    r = parse_document(&d, &value);
    if (r < 0)
        return r;
    *ret = value;
    return 1;
}

int yaml_stream_next(struct yaml_stream *s, struct arena *a, struct json_parse_opts *opts, struct json *ret,
                     struct err *err)
{
    if (opts)
        opts->ndups = 0;
    if (s->done)
        return 0;
    int r = stream_advance(s, a, opts, ret, err);
    s->done = r <= 0;
    return r;
}

int yaml_parse(struct arena *a, str text, struct json_parse_opts *opts, struct json *ret, struct err *err)
{
    struct yaml_stream *s = yaml_stream_new(text);
    int r = yaml_stream_next(s, a, opts, ret, err);
    yaml_stream_free(s);
    if (r == 0)
        *ret = json_null();
    return r < 0 ? r : 0;
}
