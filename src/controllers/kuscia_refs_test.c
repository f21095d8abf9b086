/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_refs.h"

#include "base/test.h"

static int by_text(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

/* "a b c" of those that hang on the key. */
static str all_of(const struct kuscia_refs *r, struct arena *a, const char *key)
{
    str *list;
    size_t n = kuscia_refs_of(r, a, str_of(key), &list);
    struct strbuf b = strbuf_on(a);
    qsort(list, n, sizeof *list, by_text);
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? " " : "", STR_ARG(list[i]));
    return strbuf_str(&b);
}

TEST(who_hangs_on_what)
{
    ARENA_AUTO a = ARENA_INIT;
    struct kuscia_refs r;
    const str one[] = {STR_INIT("k1")}, two[] = {STR_INIT("k1"), STR_INIT("k2")};
    const str twice[] = {STR_INIT("k1"), STR_INIT("k1")};
    kuscia_refs_init(&r);
    kuscia_refs_set(&r, S("x"), twice, 2);
    T_EQ_STR(all_of(&r, &a, "k1"), "x");
    kuscia_refs_set(&r, S("x"), NULL, 0);
    T_EQ_STR(all_of(&r, &a, "k1"), "");
    kuscia_refs_set(&r, S("x"), two, 2);
    kuscia_refs_set(&r, S("y"), one, 1);
    T_EQ_STR(all_of(&r, &a, "k1"), "x y");
    T_EQ_STR(all_of(&r, &a, "k2"), "x");
    kuscia_refs_set(&r, S("x"), one, 1); /* it changed */
    T_EQ_STR(all_of(&r, &a, "k1"), "x y");
    T_EQ_STR(all_of(&r, &a, "k2"), "");
    kuscia_refs_set(&r, S("x"), one, 1); /* and nothing changed */
    T_EQ_STR(all_of(&r, &a, "k1"), "x y");
    kuscia_refs_set(&r, S("y"), NULL, 0);
    kuscia_refs_set(&r, S("never"), NULL, 0);
    T_EQ_STR(all_of(&r, &a, "k1"), "x");
    kuscia_refs_set(&r, S("x"), NULL, 0);
    T_EQ_STR(all_of(&r, &a, "k1"), "");
    T_EQ_INT(r.keys_.len, 0);
    T_EQ_INT(r.objects_.len, 0);
    kuscia_refs_set(&r, S("x"), two, 2); /* what is there at the end is freed */
    kuscia_refs_fini(&r);
}

TEST_MAIN(who_hangs_on_what)
