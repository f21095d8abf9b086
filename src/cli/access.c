/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/access.h"

void access_fini(struct access_list *l)
{
    vec_fini(&l->p);
}

static bool contains(const struct json *list, const struct json *v)
{
    for (size_t i = 0; i < list->len; i++) {
        if (json_equal(&list->items[i], v))
            return true;
    }
    return false;
}

/* Lines of the same resource and name become one; URLs stay apart. */
static void add(struct access_list *l, struct access one, const struct json *verb)
{
    for (size_t i = 0; !one.url.len && i < l->p.len; i++) {
        struct access *x = &l->p.p[i];
        if (!x->url.len && str_eq(x->resource, one.resource) && str_eq(x->group, one.group) && str_eq(x->name, one.name)) {
            if (!contains(&x->verbs, verb))
                json_push(l->arena, &x->verbs, *verb);
            return;
        }
    }
    one.verbs = json_array();
    json_push(l->arena, &one.verbs, *verb);
    vec_push(&l->p, one);
}

static const struct json *list_of(const struct json *rule, const char *field)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *v = json_get(rule, str_of(field));
    return json_is(v, JSON_ARRAY) ? v : &none;
}

static void add_resources(struct access_list *l, const struct json *rule, const struct json *verb)
{
    const struct json *groups = list_of(rule, "apiGroups"), *resources = list_of(rule, "resources"),
                      *names = list_of(rule, "resourceNames");
    for (size_t g = 0; g < groups->len; g++) {
        for (size_t r = 0; r < resources->len; r++) {
            struct access one = {.resource = json_str(&resources->items[r]), .group = json_str(&groups->items[g])};
            if (!names->len)
                add(l, one, verb);
            for (size_t n = 0; n < names->len; n++) {
                one.name = json_str(&names->items[n]);
                add(l, one, verb);
            }
        }
    }
}

void access_add_rules(struct access_list *l, const struct json *rules)
{
    for (size_t i = 0; json_is(rules, JSON_ARRAY) && i < rules->len; i++) {
        const struct json *verbs = list_of(&rules->items[i], "verbs"), *urls = list_of(&rules->items[i], "nonResourceURLs");
        for (size_t v = 0; v < verbs->len; v++) {
            add_resources(l, &rules->items[i], &verbs->items[v]);
            for (size_t u = 0; u < urls->len; u++)
                add(l, (struct access){.url = json_str(&urls->items[u])}, &verbs->items[v]);
        }
    }
}

void access_write_words(struct strbuf *b, const struct json *words)
{
    strbuf_add_char(b, '[');
    for (size_t i = 0; json_is(words, JSON_ARRAY) && i < words->len; i++)
        strbuf_addf(b, "%s" STR_FMT, i ? " " : "", STR_ARG(json_str(&words->items[i])));
    strbuf_add_char(b, ']');
}

static int by_sort_key(const void *x, const void *y)
{
    return str_cmp(((const struct access *)x)->sort_key, ((const struct access *)y)->sort_key);
}

/* By verbs, then group, resource, name and URL. */
static void sort(struct access_list *l)
{
    for (size_t i = 0; i < l->p.len; i++) {
        struct access *x = &l->p.p[i];
        struct strbuf b = strbuf_on(l->arena);
        access_write_words(&b, &x->verbs);
        strbuf_addf(&b,
                    ",APIGroups:[" STR_FMT "],Resources:[" STR_FMT "],ResourceNames:[" STR_FMT "],NonResourceURLs:[" STR_FMT "]",
                    STR_ARG(x->group), STR_ARG(x->resource), STR_ARG(x->name), STR_ARG(x->url));
        x->sort_key = strbuf_str(&b);
    }
    if (l->p.len)
        qsort(l->p.p, l->p.len, sizeof *l->p.p, by_sort_key);
}

/* "deployments.apps/scale" */
static void write_resource(struct strbuf *b, const struct access *x)
{
    str sub = x->resource, plural;
    bool has_sub = str_cut(&sub, '/', &plural);
    strbuf_addf(b, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(plural), x->group.len ? "." : "", STR_ARG(x->group),
                has_sub ? "/" : "", STR_ARG(sub));
}

void access_write(struct access_list *l, struct strbuf *b, const char *indent)
{
    sort(l);
    for (size_t i = 0; i < l->p.len; i++) {
        const struct access *x = &l->p.p[i];
        strbuf_add_str(b, str_of(indent));
        write_resource(b, x);
        strbuf_addf(b, "\t[" STR_FMT "]\t[" STR_FMT "]\t", STR_ARG(x->url), STR_ARG(x->name));
        access_write_words(b, &x->verbs);
        strbuf_add_char(b, '\n');
    }
}
