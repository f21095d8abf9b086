/* print_sort.c - --sort-by. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "cli/print.h"

struct sort_item {
    const struct json *key; /* NULL: the object has no such field */
    struct json value;
    size_t at;
};

static int compare_keys(const struct json *a, const struct json *b)
{
    double x, y;
    struct quantity p, q;
    if (json_to_double(a, &x) && json_to_double(b, &y))
        return x < y ? -1 : x > y;
    if (a->type == JSON_STRING && b->type == JSON_STRING && quantity_parse(json_str(a), &p) && quantity_parse(json_str(b), &q))
        return quantity_cmp(&p, &q);
    return str_cmp(json_str(a), json_str(b));
}

static int compare(const void *x, const void *y)
{
    const struct sort_item *a = x, *b = y;
    int c = !a->key || !b->key ? (b->key == NULL) - (a->key == NULL) : compare_keys(a->key, b->key);
    return c ? c : a->at < b->at ? -1 : 1;
}

int print_sort(struct arena *a, struct json *list, str inner, const char *path, struct failure *f)
{
    struct jsonpath *p;
    int r = jsonpath_compile(a, str_of(path), true, &p, &f->err);
    if (r < 0)
        return r;
    struct sort_item *items = arena_array(a, list->len + 1, struct sort_item);
    size_t found = 0;
    for (size_t i = 0; i < list->len; i++) {
        const struct json **hits, *obj = inner.len ? json_get(&list->items[i], inner) : &list->items[i];
        size_t n = 0;
        r = jsonpath_find(a, p, obj ? obj : &list->items[i], &hits, &n, &f->err);
        if (r < 0)
            return r;
        items[i] = (struct sort_item){.key = n ? hits[0] : NULL, .value = list->items[i], .at = i};
        found += n != 0;
    }
    if (list->len && !found) {
        str shown = str_of(path);
        if (shown.len > 1 && shown.p[0] == '{')
            shown = str_sub(shown, 1, shown.len - 1);
        if (shown.len && shown.p[0] == '.')
            shown = str_from(shown, 1);
        return failure_set(f, E_NOT_FOUND, "couldn't find any field with path \"{." STR_FMT "}\" in the list of objects",
                           STR_ARG(shown));
    }
    qsort(items, list->len, sizeof *items, compare);
    for (size_t i = 0; i < list->len; i++)
        list->items[i] = items[i].value;
    return 0;
}
