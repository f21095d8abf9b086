/* verb_taint.c - cox taint: KEY=VALUE:EFFECT puts a taint on nodes, KEY:EFFECT- and KEY- take it away. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/change.h"
#include "wire/json_make.h"
#include "cli/verbs.h"

struct taint {
    str key, value, effect; /* effect "": any, of one that shall go */
    str text;               /* as given, without the minus */
};
struct taints {
    struct taint *list;
    size_t len;
};
struct work {
    struct change c;
    struct taints add, remove;
    bool overwrite;
};

/* --- words ------------------------------------------------------------------------------------------------------------------------ */

static bool is_name(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (i == 0 || i + 1 == s.len || !(c == '-' || c == '_' || c == '.')))
            return false;
    }
    return s.len > 0 && s.len <= 63;
}

static bool is_key(str s)
{
    str name = s, prefix;
    return str_cut(&name, '/', &prefix) ? prefix.len && prefix.len <= 253 && is_name(name) : is_name(s);
}

static bool is_effect(str s)
{
    return str_is(s, "NoSchedule") || str_is(s, "PreferNoSchedule") || str_is(s, "NoExecute");
}

static int bad_spec(const char *what, str word, const char *why, struct failure *f)
{
    return failure_set(f, E_INVALID_ARG, "invalid taint %s: " STR_FMT ", %s\nSee 'cox taint -h' for help and examples", what, STR_ARG(word), why);
}

#define NAME_RULE                                                                                                                                              \
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " \
    "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static int read_taint(str word, struct taint *ret, struct failure *f)
{
    bool removes = str_has_suffix(word, S("-"));
    str text = removes ? str_sub(word, 0, word.len - 1) : word, head = text, key;
    ptrdiff_t colon = str_rfind_char(text, ':');
    *ret = (struct taint){.text = text};
    if (colon >= 0) {
        ret->effect = str_from(text, (size_t)colon + 1);
        head = str_sub(text, 0, (size_t)colon);
    }
    ret->value = head;
    if (str_cut(&ret->value, '=', &key))
        ret->key = key;
    else
        ret->key = head, ret->value = S("");
    if (colon < 0 && !removes) /* without an effect the whole word is taken for a key, as kubectl does */
        return bad_spec("spec", word, NAME_RULE, f);
    if (!is_key(ret->key) || (ret->value.len && !is_name(ret->value)))
        return bad_spec("spec", word, NAME_RULE, f);
    if (colon >= 0 && !is_effect(ret->effect))
        return bad_spec("effect", ret->effect, "unsupported taint effect", f);
    return 0;
}

static int add_word(struct work *w, str word, struct failure *f)
{
    struct taint one;
    struct taints *into = str_has_suffix(word, S("-")) ? &w->remove : &w->add;
    int r = read_taint(word, &one, f);
    for (size_t i = 0; r == 0 && into == &w->add && i < into->len; i++) {
        if (str_eq(into->list[i].key, one.key) && str_eq(into->list[i].effect, one.effect))
            return failure_set(f, E_INVALID_ARG, "duplicated taints with the same key and effect: {" STR_FMT " " STR_FMT " " STR_FMT " <nil>}\nSee 'cox taint -h' for help and examples",
                               STR_ARG(one.key), STR_ARG(one.value), STR_ARG(one.effect));
    }
    if (r == 0)
        into->list[into->len++] = one;
    return r;
}

/* How many words name nodes, the type among them. */
static int read_words(struct work *w, struct failure *f)
{
    const struct cli_args *a = w->c.s->args;
    size_t n = 0;
    w->add.list = arena_array(&w->c.s->arena, a->npositional + 1, struct taint);
    w->remove.list = arena_array(&w->c.s->arena, a->npositional + 1, struct taint);
    for (size_t i = 0; i < a->npositional; i++) {
        str word = str_of(a->positional[i]);
        bool is_taint = str_find_char(word, '=') >= 0 || str_find_char(word, ':') >= 0 || str_has_suffix(word, S("-"));
        if (!is_taint && i > n)
            return failure_set(f, E_INVALID_ARG, "all resources must be specified before taint changes: %s", a->positional[i]);
        int r = is_taint ? add_word(w, word, f) : 0;
        if (r < 0)
            return r;
        n += !is_taint;
    }
    return (int)n;
}

static int check(struct work *w, size_t nwords, struct failure *f)
{
    const struct cli_args *a = w->c.s->args;
    const struct discovery_resource *res;
    if (!nwords)
        return failure_set(f, E_INVALID_ARG, "one or more resources must be specified as <resource> <name>");
    str type = str_of(a->positional[0]);
    if (!str_is(type, "node") && !str_is(type, "nodes") && !str_is(type, "no"))
        return failure_set(f, E_INVALID_ARG, "invalid resource type " STR_FMT ", only node types are supported", STR_ARG(type));
    if (!w->add.len && !w->remove.len)
        return failure_set(f, E_INVALID_ARG, "at least one taint update is required");
    for (size_t i = 0; i < w->add.len; i++) {
        for (size_t k = 0; k < w->remove.len; k++) {
            const struct taint *r = &w->remove.list[k];
            if (str_eq(r->key, w->add.list[i].key) && (!r->effect.len || str_eq(r->effect, w->add.list[i].effect)))
                return failure_set(f, E_INVALID_ARG, "can not both modify and remove the following taint(s) in the same command: " STR_FMT "=" STR_FMT, STR_ARG(r->key),
                                   STR_ARG(r->effect));
        }
    }
    return resource_type_find(w->c.s, type, &res, f);
}

/* --- one node ---------------------------------------------------------------------------------------------------------------------- */

static bool is_same(const struct json *have, str key, str effect)
{
    return str_eq(json_get_str(have, S("key")), key) && (!effect.len || str_eq(json_get_str(have, S("effect")), effect));
}

static const struct json *find_taint(const struct json *list, str key, str effect)
{
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (is_same(&list->items[i], key, effect))
            return &list->items[i];
    }
    return NULL;
}

static int check_overwrites(struct work *w, const struct target *t, const struct json *now, struct failure *f)
{
    struct strbuf keys = strbuf_on(&w->c.s->arena);
    for (size_t i = 0; !w->overwrite && i < w->add.len; i++) {
        if (find_taint(now, w->add.list[i].key, w->add.list[i].effect))
            strbuf_addf(&keys, "%s" STR_FMT, keys.len ? "," : "", STR_ARG(w->add.list[i].key));
    }
    if (!keys.len)
        return 0;
    return failure_set(f, E_CONFLICT, "node " STR_FMT " already has %s taint(s) with same effect(s) and --overwrite is false", STR_ARG(t->name), strbuf_cstr(&keys));
}

/* New ones first, then what stays of the old ones. */
static int taints_after(struct work *w, const struct json *now, struct json *ret, const char **done, struct failure *f)
{
    struct arena *a = &w->c.s->arena;
    size_t before = json_is(now, JSON_ARRAY) ? now->len : 0, deleted = 0;
    struct json all = json_array();
    for (size_t i = 0; i < w->add.len; i++) {
        const struct taint *t = &w->add.list[i];
        struct json one = json_make(a, "{\"key\":%S,\"effect\":%S}", t->key, t->effect);
        if (t->value.len)
            json_set(a, &one, S("value"), json_string(t->value));
        json_push(a, &all, one);
    }
    for (size_t i = 0; i < before; i++) {
        if (!find_taint(&all, json_get_str(&now->items[i], S("key")), json_get_str(&now->items[i], S("effect"))))
            json_push(a, &all, now->items[i]);
    }
    bool added = all.len != before;
    for (size_t k = 0; k < w->remove.len; k++) {
        size_t length = all.len;
        for (size_t i = all.len; i-- > 0;) {
            if (is_same(&all.items[i], w->remove.list[k].key, w->remove.list[k].effect))
                json_remove(&all, i);
        }
        if (all.len == length)
            return failure_set(f, E_NOT_FOUND, "taint \"" STR_FMT "\" not found", STR_ARG(w->remove.list[k].text));
        deleted++;
    }
    *done = (added && deleted) || w->overwrite ? "modified" : added ? "tainted" : "untainted";
    *ret = all;
    return 0;
}

static int taint_once(struct work *w, const struct target *t, struct failure *f)
{
    struct session *s = w->c.s;
    const struct json *now = json_path(&t->object, "spec", "taints", NULL);
    const char *done = "";
    struct json all, after, none = json_null();
    int r = check_overwrites(w, t, now, f);
    if (r == 0)
        r = taints_after(w, now, &all, &done, f);
    if (r < 0)
        return r;
    /* the list is replaced as a whole, so only the version that was looked at may be changed */
    struct json patch = json_make(&s->arena, "{\"metadata\":{\"resourceVersion\":%S},\"spec\":{\"taints\":%j}}",
                                  json_str(json_path(&t->object, "metadata", "resourceVersion", NULL)), all.len ? &all : &none);
    r = change_patch(&w->c, t, S(""), CHANGE_PATCH_STRATEGIC, &patch, &after, f);
    return r < 0 ? r : change_report(&w->c, t->res, &after, done, f);
}

static int taint_one(struct work *w, const struct target *t, struct failure *f)
{
    int r = taint_once(w, t, f);
    for (int again = 0; again < 5 && r == -E_CONFLICT && f->from_server; again++) { /* the node reports all the time */
        struct target fresh = *t;
        r = session_get(w->c.s, target_path(w->c.s, t, S("")), S(""), &fresh.object, f);
        if (r == 0)
            r = taint_once(w, &fresh, f);
    }
    return r;
}

static int taint(struct session *s, struct failure *f)
{
    struct work w = {.overwrite = cli_flag(s->args, "overwrite")};
    struct resource_query q = resource_query_of(s->args, 0);
    struct targets found;
    int r = change_init(&w.c, s, "kubectl-taint", f);
    if (r == 0)
        r = read_words(&w, f);
    if (r < 0)
        return r;
    q.nwords = (size_t)r;
    r = check(&w, q.nwords, f);
    if (r == 0)
        r = resources_find(s, &q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (taint_one(&w, &found.p[i], f) < 0)
            session_note(s, f);
    }
    return r;
}

static int run_taint(struct cli_args *a)
{
    return session_run(a, taint);
}

static const struct cli_option options[] = {
    {"overwrite", 0, CLI_FLAG, NULL, "", "Values that are there may be replaced.", NULL},
    {"all", 0, CLI_FLAG, NULL, "", "All nodes.", NULL},
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only nodes with these labels.", NULL},
    CHANGE_OPTION_DRY_RUN,
    CHANGE_OPTION_MANAGER("kubectl-taint"),
    PRINT_OPTIONS_RESULT,
    {0},
};

const struct cli_verb verb_taint = {
    .name = "taint",
    .summary = "Put taints on nodes or take them away.",
    .usage = "node NODE ... KEY[=VALUE]:EFFECT ... KEY[:EFFECT]- ... [OPTIONS]",
    .examples = "  cox taint node node-1 dedicated=db:NoSchedule\n  cox taint node node-1 dedicated-\n  cox taint nodes -l disk=slow slow:PreferNoSchedule",
    .options = options,
    .run = run_taint,
    .is_client = true,
};
