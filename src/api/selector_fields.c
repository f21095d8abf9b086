/* Field selectors: "metadata.name=a,status.phase!=Running".  Which labels a resource offers is data
 * (api_resource.field_labels); where their values stand is the dotted path itself, but for the few rules below. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/selector_build.h"
#include "base/limits.h"

/* Labels whose value is not simply what stands at the path of the same name: other places, tried in turn, and the
 * text when none has a value.  An event may be looked at in its core or its events.k8s.io form. */
static const struct field_rule {
    str kind, label;
    str paths[4];
    str otherwise;
} field_rules[] = {
    {STR_INIT("Pod"), STR_INIT("spec.hostNetwork"), {STR_INIT("spec.hostNetwork")}, STR_INIT("false")},
    {STR_INIT("Pod"), STR_INIT("status.podIPs"), {STR_INIT("")}, STR_INIT("")}, /* accepted, yet always empty */
    {STR_INIT("Node"), STR_INIT("spec.unschedulable"), {STR_INIT("spec.unschedulable")}, STR_INIT("false")},
    {STR_INIT("ReplicationController"), STR_INIT("status.replicas"), {STR_INIT("status.replicas")}, STR_INIT("0")},
    {STR_INIT("Job"), STR_INIT("status.successful"), {STR_INIT("status.succeeded")}, STR_INIT("0")},
    {STR_INIT("Event"), STR_INIT("source"),
     {STR_INIT("source.component"), STR_INIT("deprecatedSource.component"), STR_INIT("reportingComponent"),
      STR_INIT("reportingController")}, STR_INIT("")},
    {STR_INIT("Event"), STR_INIT("reportingComponent"),
     {STR_INIT("reportingComponent"), STR_INIT("reportingController")}, STR_INIT("")},
    {STR_INIT("Event"), STR_INIT("reportingController"),
     {STR_INIT("reportingController"), STR_INIT("reportingComponent")}, STR_INIT("")},
};

static bool offers(const struct api_resource *r, str label)
{
    for (size_t i = 0; i < r->nfield_labels; i++)
        if (str_eq(r->field_labels[i], label))
            return true;
    if (str_is(label, "metadata.name"))
        return true;
    /* Kinds without labels of their own accept the namespace even where it is always empty. */
    bool own_labels = r->nfield_labels || (r->flags & API_CUSTOM);
    return str_is(label, "metadata.namespace") && (api_is_namespaced(r) || !own_labels);
}

static int refuse(struct arena *a, const struct api_resource *r, str label, struct err *err)
{
    str quoted = codec_quote(a, label);
    if (str_is(r->kind, "Job") && str_is(r->group, "batch"))
        return err_set(err, E_INVALID_ARG, "field label " STR_FMT " not supported for Job", STR_ARG(quoted));
    if (str_is(r->kind, "ResourceSlice") && str_is(r->group, "resource.k8s.io"))
        return err_set(err, E_INVALID_ARG, "field label not supported for " STR_FMT "/" STR_FMT ", Kind=ResourceSlice: " STR_FMT,
                       STR_ARG(r->group), STR_ARG(r->version), STR_ARG(label));
    if (r->nfield_labels || (r->flags & API_CUSTOM))
        return err_set(err, E_INVALID_ARG, "field label not supported: " STR_FMT, STR_ARG(label));
    return err_set(err, E_INVALID_ARG,
                   STR_FMT " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", STR_ARG(quoted));
}

/* The end of the term that starts s: the first comma that no backslash precedes. */
static size_t term_length(str s)
{
    size_t i = 0;
    for (; i < s.len && s.p[i] != ','; i++)
        if (s.p[i] == '\\')
            i++;
    return MIN(i, s.len);
}

static int unescape(struct arena *a, str s, str *ret, struct err *err)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == ',' || c == '=')
            return err_set(err, E_INVALID_ARG, "invalid field selector: unescaped character in value: %d", c);
        if (c == '\\') {
            c = ++i < s.len ? s.p[i] : 0;
            if (c != '\\' && c != ',' && c != '=')
                return err_set(err, E_INVALID_ARG, "invalid field selector: invalid escape sequence: " STR_FMT,
                               STR_ARG(str_sub(s, i - 1, i + 1)));
        }
        strbuf_add_char(&b, c);
    }
    *ret = strbuf_str(&b);
    return 0;
}

/* "path op value": the first operator of the term divides it. */
static bool split_term(str term, struct selector_term *t, str *ret_value)
{
    for (size_t i = 0; i < term.len; i++) {
        str rest = str_from(term, i);
        bool differs = str_has_prefix(rest, S("!="));
        if (!differs && rest.p[0] != '=')
            continue;
        size_t op_len = differs || str_has_prefix(rest, S("==")) ? 2 : 1;
        t->key = str_sub(term, 0, i);
        t->op = differs ? SELECTOR_NE : SELECTOR_EQ;
        *ret_value = str_from(rest, op_len);
        return true;
    }
    return false;
}

static int add_field_term(struct selector_builder *b, const struct api_resource *r, str text, str term, struct err *err)
{
    struct selector_term t = {.nvalues = 1};
    str escaped, *value = arena_new(b->arena, str);
    if (!split_term(term, &t, &escaped))
        return err_set(err, E_INVALID_ARG, "invalid selector: '" STR_FMT "'; can't understand '" STR_FMT "'", STR_ARG(text),
                       STR_ARG(term));
    int e = unescape(b->arena, escaped, value, err);
    if (e < 0)
        return e;
    bool is_pod = str_is(r->kind, "Pod") && !r->group.len;
    if (is_pod && str_is(t.key, "spec.host")) /* how the first clients of v1 named it */
        t.key = S("spec.nodeName");
    if (!offers(r, t.key))
        return refuse(b->arena, r, t.key, err);
    t.key = arena_str(b->arena, t.key);
    t.values = value;
    return selector_builder_add(b, t, err);
}

int selector_parse_fields(struct arena *a, const struct api_resource *r, str text, struct selector *ret, struct err *err)
{
    struct selector_builder b = {.arena = a};
    if (!str_is_utf8(text))
        return err_set(err, E_INVALID_ARG, "selector is not valid UTF-8");
    for (str rest = text; rest.len;) {
        size_t n = term_length(rest);
        str term = str_sub(rest, 0, n);
        rest = str_from(rest, n + 1);
        int e = term.len ? add_field_term(&b, r, text, term, err) : 0;
        if (e < 0)
            return e;
    }
    *ret = selector_builder_finish(&b);
    return 0;
}

static const struct json *walk(const struct json *v, str path)
{
    str step;
    while (v && path.len) {
        str_cut(&path, '.', &step);
        v = json_get(v, step);
    }
    return v;
}

static str value_text(const struct json *v)
{
    if (json_is(v, JSON_BOOL))
        return v->b ? S("true") : S("false");
    return json_str(v);
}

/* The part of an event's label behind "involvedObject." or "regarding.", else "". */
static str event_target_part(str label)
{
    static const str prefixes[] = {STR_INIT("involvedObject."), STR_INIT("regarding.")};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_has_prefix(label, prefixes[i]))
            return str_from(label, prefixes[i].len);
    return S("");
}

static str field_value(const struct api_resource *r, const struct json *obj, str label)
{
    if (r->flags & API_CUSTOM)
        return value_text(walk(obj, label));
    for (size_t i = 0; i < ARRAY_LEN(field_rules); i++) {
        const struct field_rule *rule = &field_rules[i];
        if (!str_eq(rule->label, label) || !str_eq(rule->kind, r->kind))
            continue;
        for (size_t k = 0; k < ARRAY_LEN(rule->paths) && rule->paths[k].len; k++) {
            str text = value_text(walk(obj, rule->paths[k]));
            if (text.len)
                return text;
        }
        return rule->otherwise;
    }
    if (str_is(r->kind, "Event")) {
        str part = event_target_part(label);
        const struct json *target = json_get(obj, S("involvedObject"));
        if (part.len)
            return value_text(json_get(target ? target : json_get(obj, S("regarding")), part));
    }
    return value_text(walk(obj, label));
}

bool selector_field_is_plain(const struct api_resource *r, str label)
{
    for (size_t i = 0; i < ARRAY_LEN(field_rules); i++)
        if (str_eq(field_rules[i].label, label) && str_eq(field_rules[i].kind, r->kind))
            return false;
    return !(r->flags & API_CUSTOM) && !str_is(r->kind, "Event");
}

bool selector_match_value(const struct selector_term *t, str value)
{
    return selector_term_match(t, true, value);
}

bool selector_match_fields(const struct selector *s, const struct api_resource *r, const struct json *obj)
{
    if (s->nothing)
        return false;
    for (size_t i = 0; i < s->nterms; i++)
        if (!selector_term_match(&s->terms[i], true, field_value(r, obj, s->terms[i].key)))
            return false;
    return true;
}

bool selector_pins(const struct selector *s, str field, str *ret_value)
{
    for (size_t i = 0; i < s->nterms; i++) {
        const struct selector_term *t = &s->terms[i];
        bool exact = t->op == SELECTOR_EQ || t->op == SELECTOR_IN;
        if (exact && t->nvalues == 1 && str_eq(t->key, field)) {
            *ret_value = t->values[0];
            return true;
        }
    }
    return false;
}
