/* Where a value stands in a YAML text: the text is read again, event by event, until the path comes by.
 *
 * Trees carry no line numbers, because nothing but a message to a person needs them, and messages are rare. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <yaml.h>

#include "base/limits.h"
#include "wire/yaml.h"

struct walk {
    yaml_parser_t parser;
    yaml_event_t event;
    str want;
    struct strbuf path;  /* of the current node */
    size_t line, depth_of_line; /* of the longest part of `want` seen so far: its line, its bytes */
    size_t events;
};

static bool next(struct walk *w)
{
    yaml_event_delete(&w->event);
    return ++w->events <= LIMIT_YAML_EVENTS && yaml_parser_parse(&w->parser, &w->event) && w->event.type != YAML_STREAM_END_EVENT &&
           w->event.type != YAML_DOCUMENT_END_EVENT;
}

/* Is the current path the wanted one or a whole part of it from its beginning? */
static void note(struct walk *w, size_t line)
{
    str at = strbuf_str(&w->path);
    if (at.len < w->depth_of_line || !str_has_prefix(w->want, at))
        return;
    char after = at.len < w->want.len ? w->want.p[at.len] : '.';
    if (at.len && after != '.' && after != '[')
        return;
    w->line = line;
    w->depth_of_line = at.len;
}

static bool node(struct walk *w, unsigned depth);

/* The key is the current event; its text is appended to the path for the length of its value. */
static bool member(struct walk *w, unsigned depth)
{
    size_t before = w->path.len, line = w->event.start_mark.line + 1;
    if (w->event.type == YAML_SCALAR_EVENT) {
        strbuf_addf(&w->path, "%s%.*s", before ? "." : "", (int)MIN(w->event.data.scalar.length, (size_t)4096), (const char *)w->event.data.scalar.value);
        note(w, line);
    } else if (!node(w, depth)) {
        return false;
    }
    bool good = next(w) && node(w, depth);
    w->path.len = before;
    return good;
}

/* The current event begins a node; its last event is current afterwards. */
static bool node(struct walk *w, unsigned depth)
{
    size_t before = w->path.len;
    bool list = w->event.type == YAML_SEQUENCE_START_EVENT;
    if (depth >= LIMIT_JSON_DEPTH)
        return false;
    if (!list && w->event.type != YAML_MAPPING_START_EVENT)
        return true;
    for (size_t i = 0; next(w); i++) {
        if (w->event.type == YAML_SEQUENCE_END_EVENT || w->event.type == YAML_MAPPING_END_EVENT)
            return true;
        if (!list) {
            if (!member(w, depth + 1))
                return false;
            continue;
        }
        strbuf_addf(&w->path, "[%zu]", i);
        note(w, w->event.start_mark.line + 1);
        if (!node(w, depth + 1))
            return false;
        w->path.len = before;
    }
    return false;
}

size_t yaml_line_of(str text, str path)
{
    struct walk w = {.want = path, .line = 1};
    BUG_ON(!yaml_parser_initialize(&w.parser));
    yaml_parser_set_input_string(&w.parser, (const unsigned char *)(text.p ? text.p : ""), text.len);
    while (next(&w) && (w.event.type == YAML_STREAM_START_EVENT || w.event.type == YAML_DOCUMENT_START_EVENT))
        ;
    if (w.event.type != YAML_NO_EVENT && w.event.type != YAML_STREAM_END_EVENT) {
        w.line = w.event.start_mark.line + 1;
        node(&w, 0);
    }
    yaml_event_delete(&w.event);
    yaml_parser_delete(&w.parser);
    strbuf_fini(&w.path);
    return w.line;
}

size_t yaml_error_line(str text)
{
    yaml_parser_t parser;
    yaml_event_t event = {0};
    bool good = true, end = false;
    BUG_ON(!yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.p ? text.p : ""), text.len);
    for (size_t n = 0; good && !end && n < LIMIT_YAML_EVENTS; n++) {
        good = yaml_parser_parse(&parser, &event);
        end = good && event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    size_t line = good ? 0 : parser.problem_mark.line + 1;
    yaml_parser_delete(&parser);
    return line;
}
