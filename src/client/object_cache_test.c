/* SPDX-License-Identifier: Apache-2.0 */
#include "client/object_cache.h"

#include "base/test.h"

static struct strbuf told;

/* "+key" new, "~key" changed, "-key" gone. */
static void note(void *arg, const struct object *was, const struct object *now)
{
    strbuf_addf(arg, "%c" STR_FMT " ", !was ? '+' : !now ? '-' : '~', STR_ARG(now ? now->key : was->key));
}

static void see(struct object_cache *c, const char *text, bool deleted)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json tree;
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(&a, str_of(text), NULL, &tree, &err), &err);
    object_cache_saw(c, str_of(text), json_get(&tree, S("metadata")), deleted);
}

#define T_TOLD(want)                           \
    do {                                       \
        T_EQ_STR(strbuf_str(&told), want);     \
        strbuf_clear(&told);                   \
    } while (0)

#define A1 "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u1\",\"ownerReferences\":[{\"uid\":\"other\"},{\"uid\":\"boss\",\"controller\":true}]},\"spec\":{\"x\":1}}"
#define A2 "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u1\"},\"spec\":{\"x\":2}}"
#define A3 "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u3\"},\"spec\":{\"x\":2}}"
#define B1 "{\"metadata\":{\"namespace\":\"n\",\"name\":\"b\",\"uid\":\"u2\"}}"
#define C1 "{\"metadata\":{\"name\":\"c\",\"uid\":\"u4\"}}"

static size_t count_ns(const struct object_cache *c, const char *ns)
{
    size_t n = 0;
    object_foreach_namespace(o, object_cache_namespace(c, str_of(ns)))
    {
        T_EQ_STR(o->ns, ns);
        n++;
    }
    return n;
}

static size_t count_owned(const struct object_cache *c, const char *uid)
{
    size_t n = 0;
    object_foreach_owned(o, object_cache_owned(c, str_of(uid)))
    {
        T_EQ_STR(o->owner_uid, uid);
        n++;
    }
    return n;
}

TEST(each_change_is_told_once)
{
    struct object_cache c;
    object_cache_init(&c);
    object_cache_subscribe(&c, note, &told);
    see(&c, A1, false);
    see(&c, C1, false);
    T_TOLD("+n/a +c ");
    see(&c, A1, false); /* nothing is new */
    T_TOLD("");
    struct object *a = object_cache_find(&c, S("n/a"));
    T_OK(a && a->seek && object_cache_find_uid(&c, S("u1")) == a && object_cache_find(&c, S("c")));
    T_EQ_STR(a->name, "a");
    T_EQ_INT(json_get_int(json_get(object_tree(a), S("spec")), S("x"), 0), 1);
    T_EQ_INT(count_owned(&c, "boss"), 1);
    T_EQ_INT(count_owned(&c, "other"), 0); /* no controller */
    T_EQ_INT(count_ns(&c, ""), 1);
    a->seek = false;
    see(&c, A2, false);
    T_TOLD("~n/a ");
    a = object_cache_find(&c, S("n/a"));
    T_OK(!a->seek); /* the same object still */
    T_EQ_INT(count_owned(&c, "boss"), 0);
    see(&c, A3, false); /* deleted and made anew in a gap */
    T_TOLD("~n/a ");
    T_OK(object_cache_find(&c, S("n/a"))->seek && !object_cache_find_uid(&c, S("u1")) && object_cache_find_uid(&c, S("u3")));
    see(&c, A3, true);
    see(&c, B1, true); /* never was here */
    T_TOLD("-n/a ");
    T_OK(!object_cache_find(&c, S("n/a")));
    T_EQ_INT(count_ns(&c, "n"), 0);
    object_cache_fini(&c);
}

TEST(what_a_list_does_not_show_is_gone)
{
    struct object_cache c;
    object_cache_init(&c);
    object_cache_subscribe(&c, note, &told);
    T_OK(!c.synced);
    object_cache_list_begin(&c);
    see(&c, A1, false);
    see(&c, B1, false);
    object_cache_list_end(&c);
    T_OK(c.synced);
    T_TOLD("+n/a +n/b ");
    object_cache_list_begin(&c);
    see(&c, A1, false);
    see(&c, C1, false);
    T_TOLD("+c ");
    object_cache_list_end(&c);
    T_TOLD("-n/b ");
    T_EQ_INT(count_ns(&c, "n"), 1);
    object_cache_fini(&c);
}

static str keep_spec(struct arena *a, str text)
{
    ptrdiff_t at = str_find(text, S("\"spec\""));
    return at < 0 ? S("") : arena_str(a, str_from(text, (size_t)at));
}

TEST(only_what_is_kept_counts)
{
    struct object_cache c;
    object_cache_init(&c);
    c.keep = keep_spec;
    object_cache_subscribe(&c, note, &told);
    see(&c, A2, false);
    see(&c, B1, false); /* nothing to keep of it */
    T_TOLD("+n/a ");
    T_EQ_STR(object_cache_find(&c, S("n/a"))->text, "\"spec\":{\"x\":2}}");
    see(&c, "{\"metadata\":{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u1\",\"resourceVersion\":\"7\"},\"spec\":{\"x\":2}}", false);
    T_TOLD("");
    object_cache_fini(&c);
}

TEST_MAIN(each_change_is_told_once, what_a_list_does_not_show_is_gone, only_what_is_kept_counts)
