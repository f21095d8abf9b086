/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/grouping_config.h"

#include <stdarg.h>

#include "api/jsonpath.h"
#include "api/validate.h"
#include "wire/yaml.h"

#define DEFAULT_SCHEDULER "kai-scheduler"
#define COMPLAINTS_MAX 64

struct reader {
    struct arena *a;
    struct grouping_config *ret;
    str where; /* "rules.yaml[2] (example.com/v1 Trainer)" */
};

/* Always false, so that checks can return it. */
static bool complain(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool complain(struct reader *r, const char *fmt, ...)
{
    struct strbuf b = strbuf_on(r->a);
    va_list ap;
    if (r->ret->ncomplaints == COMPLAINTS_MAX)
        return false;
    strbuf_add_str(&b, r->where);
    va_start(ap, fmt);
    strbuf_vaddf(&b, fmt, ap);
    va_end(ap);
    r->ret->complaints[r->ret->ncomplaints++] = strbuf_str(&b);
    return false;
}

/* --- fields -------------------------------------------------------------------------------------------------------------------------------- */

static bool known_fields(struct reader *r, const struct json *obj, const char *const *names)
{
    for (uint32_t i = 0; i < obj->len; i++) {
        size_t k = 0;
        while (names[k] && !str_is(obj->members[i].key, names[k]))
            k++;
        if (!names[k])
            return complain(r, ": there is no field \"" STR_FMT "\"", STR_ARG(obj->members[i].key));
    }
    return true;
}

static bool read_text(struct reader *r, const struct json *obj, const char *key, bool needed, str *ret)
{
    const struct json *v = json_get(obj, str_of(key));
    if (v && !json_is(v, JSON_STRING))
        return complain(r, ": %s must be a text", key);
    *ret = json_str(v);
    return ret->len || !needed ? true : complain(r, ": %s is missing", key);
}

static bool read_flag(struct reader *r, const struct json *obj, const char *key, bool *ret)
{
    const struct json *v = json_get(obj, str_of(key));
    if (v && !json_is(v, JSON_BOOL))
        return complain(r, ": %s must be true or false", key);
    *ret = v && v->b;
    return true;
}

static bool read_path(struct reader *r, const struct json *v, str *ret)
{
    struct jsonpath *compiled;
    struct err err = ERR_NONE;
    if (!json_is(v, JSON_STRING) || !v->len)
        return complain(r, ": minMember must be a number, a path, or a list of paths");
    if (jsonpath_compile(r->a, json_str(v), true, &compiled, &err) < 0)
        return complain(r, ": minMember \"" STR_FMT "\" is not a path: %s", STR_ARG(json_str(v)), err.msg);
    *ret = json_str(v);
    return true;
}

static bool read_amount(struct reader *r, const struct json *obj, struct grouping_amount *ret)
{
    const struct json *v = json_get(obj, S("minMember"));
    if (!v || v->type == JSON_NULL)
        return true;
    if (json_is(v, JSON_NUMBER)) {
        if (!json_to_i64(v, &ret->fixed) || ret->fixed < 1 || ret->fixed > GROUPING_MEMBERS_MAX)
            return complain(r, ": minMember must be from 1 to %d", GROUPING_MEMBERS_MAX);
        return true;
    }
    if (!json_is(v, JSON_ARRAY))
        return read_path(r, v, &ret->paths[0]);
    if (v->len > GROUPING_PATHS)
        return complain(r, ": minMember has %u paths, at most %d are looked at", v->len, GROUPING_PATHS);
    for (uint32_t i = 0; i < v->len; i++)
        if (!read_path(r, &v->items[i], &ret->paths[i]))
            return false;
    return true;
}

/* --- entries -------------------------------------------------------------------------------------------------------------------------------- */

static bool read_part(struct reader *r, const struct json *v, struct grouping_part *ret)
{
    static const char *const names[] = {"name", "minMember", "podLabel", NULL}, *const label_names[] = {"key", "value", NULL};
    const struct json *label = json_get(v, S("podLabel"));
    if (!json_is(v, JSON_OBJECT))
        return complain(r, ": a sub-group must be an object");
    if (!known_fields(r, v, names) || !read_text(r, v, "name", true, &ret->name) || !read_amount(r, v, &ret->min))
        return false;
    if (validate_dns1123_label(ret->name))
        return complain(r, ": sub-group \"" STR_FMT "\": %s", STR_ARG(ret->name), validate_dns1123_label(ret->name));
    if (!label)
        return true;
    if (!json_is(label, JSON_OBJECT))
        return complain(r, ": podLabel of sub-group \"" STR_FMT "\" must have a key and a value", STR_ARG(ret->name));
    return known_fields(r, label, label_names) && read_text(r, label, "key", true, &ret->label) && read_text(r, label, "value", false, &ret->value);
}

static bool read_parts(struct reader *r, const struct json *obj, struct grouping_rule *ret)
{
    const struct json *list = json_get(obj, S("subGroups"));
    if (!list)
        return true;
    if (!json_is(list, JSON_ARRAY) || list->len > GROUPING_RULE_PARTS)
        return complain(r, ": subGroups must be a list of at most %d", GROUPING_RULE_PARTS);
    struct grouping_part *parts = arena_array(r->a, list->len, struct grouping_part);
    for (uint32_t i = 0; i < list->len; i++) {
        if (!read_part(r, &list->items[i], &parts[i]))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (str_eq(parts[k].name, parts[i].name))
                return complain(r, ": two sub-groups are called \"" STR_FMT "\"", STR_ARG(parts[i].name));
    }
    ret->parts = parts;
    ret->nparts = list->len;
    return true;
}

/* With a star as the version it is the group itself; "v1" is the version of the core group. */
static bool read_kind(struct reader *r, const struct json *obj, struct grouping_rule *ret)
{
    if (!read_text(r, obj, "apiVersion", true, &ret->api) || !read_text(r, obj, "kind", true, &ret->kind))
        return false;
    if (str_has_suffix(ret->api, S("/*")))
        ret->api = str_sub(ret->api, 0, ret->api.len - 2);
    else if (str_find_char(ret->api, '/') < 0 && !str_is(ret->api, "v1"))
        return complain(r, ": apiVersion \"" STR_FMT "\" needs a version, as in example.com/v1 or example.com/*", STR_ARG(ret->api));
    return true;
}

static bool read_rule(struct reader *r, const struct json *v, struct grouping_rule *ret)
{
    static const char *const names[] = {"apiVersion", "kind", "minMember", "perPod", "perLabel", "subGroups", "priorityClass", "skip", NULL};
    bool per_pod = false;
    if (!json_is(v, JSON_OBJECT))
        return complain(r, ": must be an object");
    if (!known_fields(r, v, names) || !read_kind(r, v, ret) || !read_flag(r, v, "skip", &ret->skip) || !read_flag(r, v, "perPod", &per_pod) ||
        !read_text(r, v, "perLabel", false, &ret->label) || !read_text(r, v, "priorityClass", false, &ret->priority) || !read_amount(r, v, &ret->min) || !read_parts(r, v, ret))
        return false;
    if (ret->skip && v->len > 3)
        return complain(r, ": an owner that is skipped has no group, so nothing else can be said about it");
    if (per_pod && (ret->label.len || ret->nparts || ret->min.fixed > 1 || ret->min.paths[0].len))
        return complain(r, ": with a group for each pod there is nothing to count, divide or label");
    if (ret->priority.len && validate_dns1123_subdomain(ret->priority))
        return complain(r, ": priorityClass: %s", validate_dns1123_subdomain(ret->priority));
    ret->by = per_pod ? GROUPING_BY_POD : ret->label.len ? GROUPING_BY_LABEL : GROUPING_BY_OWNER;
    return true;
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------------------ */

static void read_rules(struct reader *r, str text)
{
    struct json list;
    struct err err = ERR_NONE;
    r->where = S("rules.yaml");
    if (yaml_parse(r->a, text, NULL, &list, &err) < 0) {
        complain(r, ": %s", err.msg);
        return;
    }
    if (list.type == JSON_NULL)
        return;
    if (!json_is(&list, JSON_ARRAY)) {
        complain(r, " must be a list of rules");
        return;
    }
    if (list.len > GROUPING_RULES_MAX)
        complain(r, " has %u rules, only the first %u count", list.len, GROUPING_RULES_MAX);
    uint32_t n = MIN(list.len, GROUPING_RULES_MAX);
    struct grouping_rule *rules = arena_array(r->a, n, struct grouping_rule);
    for (uint32_t i = 0; i < n; i++) {
        struct grouping_rule rule = {0};
        str kind = json_get_str(&list.items[i], S("kind"));
        r->where = arena_fmt(r->a, "rules.yaml[%u]%s" STR_FMT "%s", i, kind.len ? " (" : "", STR_ARG(kind), kind.len ? ")" : "");
        if (read_rule(r, &list.items[i], &rule))
            rules[r->ret->rules.len++] = rule;
    }
    r->ret->rules.own = rules;
}

static void read_schedulers(struct reader *r, str text)
{
    r->where = S("schedulerNames");
    while (text.len) {
        str name;
        str_cut(&text, ',', &name);
        name = str_trim(name);
        if (!name.len)
            continue;
        if (validate_dns1123_subdomain(name))
            complain(r, ": \"" STR_FMT "\": %s", STR_ARG(name), validate_dns1123_subdomain(name));
        else if (r->ret->nschedulers == GROUPING_SCHEDULERS_MAX)
            complain(r, ": \"" STR_FMT "\" is one more than the %d that count", STR_ARG(name), GROUPING_SCHEDULERS_MAX);
        else
            r->ret->schedulers[r->ret->nschedulers++] = arena_str(r->a, name);
    }
}

void grouping_config_read(struct arena *a, const struct json *configmap, struct grouping_config *ret)
{
    const struct json *data = json_get(configmap, S("data"));
    struct reader r = {.a = a, .ret = ret};
    *ret = (struct grouping_config){.schedulers = arena_array(a, GROUPING_SCHEDULERS_MAX, str), .complaints = arena_array(a, COMPLAINTS_MAX, str)};
    read_rules(&r, json_get_str(data, S("rules.yaml")));
    read_schedulers(&r, json_get_str(data, S("schedulerNames")));
    str enabled = json_get_str(data, S("enabled"));
    bool on = true;
    r.where = S("enabled");
    if (enabled.len && !str_to_bool(enabled, &on))
        complain(&r, ": \"" STR_FMT "\" is neither true nor false", STR_ARG(enabled));
    ret->off = !on;
    if (!ret->nschedulers)
        ret->schedulers[ret->nschedulers++] = S(DEFAULT_SCHEDULER);
}
