/* SPDX-License-Identifier: Apache-2.0 */
#include "client/cache.h"

#include "base/clock.h"
#include "base/test.h"
#include "base/vec.h"

static struct {
    struct strbuf log; /* "+default/a " added, "~k " modified, "-k " deleted, "] " synced */
    bool stopped;
} me;

static void on_event(struct cache *c, enum cache_change change, const struct cache_object *before, const struct cache_object *now)
{
    static const char marks[] = "+~-";
    const struct cache_object *o = now ? now : before;
    T_OK((change == CACHE_ADDED) == !before && (change == CACHE_DELETED) == !now);
    T_OK(cache_find(c, o->ns, o->name) == now);
    strbuf_addf(&me.log, "%c" STR_FMT "%s" STR_FMT "@" STR_FMT " ", marks[change], STR_ARG(o->ns), o->ns.len ? "/" : "", STR_ARG(o->name), STR_ARG(o->revision));
}
static void on_synced(struct cache *c)
{
    T_OK(cache_is_synced(c));
    strbuf_add_str(&me.log, S("] "));
}
static void on_stopped(struct cache *c UNUSED)
{
    me.stopped = true;
}

static void feed(struct cache *c, enum informer_change change, const char *text)
{
    cache_apply(c, &(struct informer_event){.change = change, .object = str_of(text)});
}
static void check_log(const char *want)
{
    T_EQ_STR(strbuf_str(&me.log), want);
    strbuf_clear(&me.log);
}

#define OBJ(ns, name, uid, rv, more) "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"" ns "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" rv "\"" more "},\"spec\":{\"x\":1}}"

TEST(lists_that_come_again_report_what_differs)
{
    struct cache *c = cache_new(&(struct cache_opts){.event = on_event, .synced = on_synced, .by_namespace = true});
    cache_begin(c);
    feed(c, INFORMER_LISTED, OBJ("n", "a", "ua", "1", ""));
    feed(c, INFORMER_LISTED, OBJ("n", "b", "ub", "2", ""));
    feed(c, INFORMER_LISTED, OBJ("n", "c", "uc", "3", ""));
    feed(c, INFORMER_LISTED, "{\"metadata\":{\"name\":\"node\",\"uid\":\"un\",\"resourceVersion\":\"4\"}}");
    feed(c, INFORMER_LISTED, "{\"metadata\":{}}");
    feed(c, INFORMER_LISTED, "nonsense");
    T_OK(!cache_is_synced(c));
    cache_synced(c);
    check_log("+n/a@1 +n/b@2 +n/c@3 +node@4 ] ");
    T_EQ_INT(cache_len(c), 4);
    /* watch events, also unexpected ones */
    feed(c, INFORMER_ADDED, OBJ("n", "a", "ua", "5", ""));
    feed(c, INFORMER_MODIFIED, OBJ("n", "d", "ud", "6", ""));
    feed(c, INFORMER_DELETED, OBJ("n", "zz", "uz", "7", ""));
    feed(c, INFORMER_MODIFIED, OBJ("n", "a", "ua", "5", ""));
    check_log("~n/a@5 +n/d@6 ");
    /* a gap: b changed, c was made again, d and the node are gone, e is new, a is as it was */
    cache_begin(c);
    feed(c, INFORMER_LISTED, OBJ("n", "a", "ua", "5", ""));
    cache_begin(c); /* the list broke off and began again */
    feed(c, INFORMER_LISTED, OBJ("n", "a", "ua", "5", ""));
    feed(c, INFORMER_LISTED, OBJ("n", "b", "ub", "8", ""));
    feed(c, INFORMER_LISTED, OBJ("n", "c", "uc2", "9", ""));
    feed(c, INFORMER_LISTED, OBJ("n", "e", "ue", "10", ""));
    check_log("~n/b@8 -n/c@3 +n/c@9 +n/e@10 ");
    cache_synced(c);
    str log = strbuf_str(&me.log); /* in no order */
    T_OK(str_find(log, S("-n/d@6 ")) >= 0 && str_find(log, S("-node@4 ")) >= 0 && str_has_suffix(log, S("] ")) && log.len == strlen("-n/d@6 -node@4 ] "));
    strbuf_clear(&me.log);
    T_EQ_INT(cache_len(c), 4);
    feed(c, INFORMER_DELETED, OBJ("n", "a", "ua", "11", ""));
    check_log("-n/a@5 ");
    T_OK(!cache_find(c, S("n"), S("a")) && cache_find_key(c, S("n/b")));
    cache_begin(c);
    cache_synced(c); /* everything is gone */
    T_EQ_INT(cache_len(c), 0);
    T_EQ_INT(cache_bytes(c), 0);
    cache_stop(c, on_stopped);
    T_OK(me.stopped);
    cache_free(c);
    strbuf_fini(&me.log);
}

TEST(objects_live_as_long_as_they_are_held)
{
    struct cache *c = cache_new(&(struct cache_opts){.parse = true});
    feed(c, INFORMER_ADDED, OBJ("n", "a", "ua", "1", ",\"labels\":{\"app\":\"web\"},\"ownerReferences\":[{\"uid\":\"u1\"},{\"uid\":\"u2\",\"controller\":true}]"));
    const struct cache_object *o = cache_object_ref(cache_find(c, S("n"), S("a")));
    T_EQ_STR(o->uid, "ua");
    T_EQ_STR(o->controller, "u2");
    str label;
    T_OK(cache_object_label(o, S("app"), &label));
    T_EQ_STR(label, "web");
    T_OK(!cache_object_label(o, S("none"), &label));
    T_EQ_INT(json_get_int(json_get(o->tree, S("spec")), S("x"), 0), 1);
    feed(c, INFORMER_MODIFIED, OBJ("n", "a", "ua", "2", ""));
    T_OK(cache_find(c, S("n"), S("a")) != o);
    T_EQ_STR(cache_find(c, S("n"), S("a"))->controller, "");
    feed(c, INFORMER_MODIFIED, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"3\"},"); /* not JSON: left as it was */
    T_EQ_STR(cache_find(c, S("n"), S("a"))->revision, "2");
    cache_free(c);
    T_EQ_STR(o->revision, "1");
    T_OK(str_find(o->text, S("\"spec\":{\"x\":1}")) > 0);
    cache_object_unref(o);
    cache_object_unref(NULL);
}

TEST(managed_fields_are_left_out)
{
    static const char *const texts[][2] = {
        {"{\"metadata\":{\"name\":\"a\",\"managedFields\":[{\"x\":[1,{\"managedFields\":2}]}],\"uid\":\"u\"},\"managedFields\":3}",
         "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"managedFields\":3}"},
        {"{\"metadata\":{\"name\":\"a\" , \"managedFields\" : [] },\"k\":1}", "{\"metadata\":{\"name\":\"a\" },\"k\":1}"},
        {"{\"metadata\":{\"managedFields\":[],\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"a\"}}"},
        {"{\"metadata\":{\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"a\"}}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        for (int keep = 0; keep < 2; keep++) {
            struct cache *c = cache_new(&(struct cache_opts){.keep_managed_fields = keep});
            feed(c, INFORMER_ADDED, texts[i][0]);
            const struct cache_object *o = cache_find(c, S(""), S("a"));
            T_OK(o != NULL);
            if (o)
                T_EQ_STR(o->text, texts[i][!keep]);
            T_EQ_INT(cache_bytes(c), strlen(texts[i][!keep]));
            cache_free(c);
        }
    }
}

/* --- a model: arrays and scans -------------------------------------------------------------------------- */

#define NAMES 40
struct model {
    bool there;
    int uid, rv, ns, owners[2], app, tier; /* -1: none */
};

static void model_text(struct strbuf *b, const struct model *m, int name)
{
    strbuf_clear(b);
    strbuf_addf(b, "{\"metadata\":{\"name\":\"p%d\",\"namespace\":\"ns%d\",\"uid\":\"uid%d\",\"resourceVersion\":\"%d\",\"managedFields\":[{}]", name, name % 3, m->uid, m->rv);
    if (m->app >= 0 || m->tier >= 0) {
        strbuf_add_str(b, S(",\"labels\":{\"z\":\"z\""));
        if (m->app >= 0)
            strbuf_addf(b, ",\"app\":\"a%d\"", m->app);
        if (m->tier >= 0)
            strbuf_addf(b, ",\"tier\":\"a%d\"", m->tier);
        strbuf_add_str(b, S("}"));
    }
    strbuf_add_str(b, S(",\"ownerReferences\":["));
    for (int i = 0, n = 0; i < 2; i++) {
        if (m->owners[i] >= 0)
            strbuf_addf(b, "%s{\"kind\":\"X\",\"uid\":\"o%d\"}", n++ ? "," : "", m->owners[i]);
    }
    strbuf_add_str(b, S("]}}"));
}

static size_t count(struct cache_iter *it)
{
    size_t n = 0;
    while (cache_iter_next(it))
        n++;
    return n;
}

static void compare(struct cache *c, const struct model *ms)
{
    size_t all = 0, by_ns[3] = {0}, by_owner[6] = {0}, by_app[4] = {0}, by_tier[4] = {0};
    for (int i = 0; i < NAMES; i++) {
        const struct model *m = &ms[i];
        char ns[16], name[16], rv[16];
        snprintf(ns, sizeof ns, "ns%d", i % 3);
        snprintf(name, sizeof name, "p%d", i);
        snprintf(rv, sizeof rv, "%d", m->rv);
        const struct cache_object *o = cache_find(c, str_of(ns), str_of(name));
        T_OK((o != NULL) == m->there);
        if (!m->there)
            continue;
        T_EQ_STR(o->revision, rv);
        all++;
        by_ns[i % 3]++;
        for (int k = 0; k < 2; k++)
            if (m->owners[k] >= 0)
                by_owner[m->owners[k]]++;
        if (m->app >= 0)
            by_app[m->app]++;
        if (m->tier >= 0)
            by_tier[m->tier]++;
    }
    struct cache_iter it;
    T_EQ_INT(cache_len(c), all);
    cache_iter_all(c, &it);
    T_EQ_INT(count(&it), all);
    T_OK(!cache_iter_next(&it));
    char v[16];
    for (int i = 0; i < 6; i++) {
        snprintf(v, sizeof v, "o%d", i);
        cache_iter_owner(c, str_of(v), &it);
        T_EQ_INT(count(&it), by_owner[i]);
        snprintf(v, sizeof v, "ns%d", i);
        cache_iter_ns(c, str_of(v), &it);
        T_EQ_INT(count(&it), i < 3 ? by_ns[i] : 0);
        snprintf(v, sizeof v, "a%d", i);
        cache_iter_label(c, S("app"), str_of(v), &it);
        T_EQ_INT(count(&it), i < 4 ? by_app[i] : 0);
        cache_iter_label(c, S("tier"), str_of(v), &it);
        T_EQ_INT(count(&it), i < 4 ? by_tier[i] : 0);
    }
}

static void change_one(struct model *m, struct rng *rng, int *clock)
{
    m->rv = ++*clock;
    if (!m->there || rng_below(rng, 8) == 0)
        m->uid = ++*clock;
    m->there = true;
    for (int k = 0; k < 2; k++)
        m->owners[k] = (int)rng_below(rng, 7) - 1;
    if (m->owners[1] == m->owners[0])
        m->owners[1] = -1;
    m->app = (int)rng_below(rng, 5) - 1;
    m->tier = (int)rng_below(rng, 5) - 1;
}

TEST(agrees_with_a_model)
{
    struct rng rng;
    struct strbuf text = STRBUF_HEAP;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        rng_seed(&rng, seed);
        struct model ms[NAMES] = {0};
        int clock = 0;
        struct cache *c = cache_new(&(struct cache_opts){.by_namespace = true, .by_owner = true, .by_label = {S("app"), S("tier")}, .parse = seed % 2});
        for (int step = 0; step < 400; step++) {
            struct model *m = &ms[rng_below(&rng, NAMES)];
            int name = (int)(m - ms);
            if (rng_below(&rng, 50) == 0) { /* a gap, then a list */
                for (int i = 0; i < 10; i++) {
                    struct model *x = &ms[rng_below(&rng, NAMES)];
                    if (rng_below(&rng, 2))
                        x->there = false;
                    else
                        change_one(x, &rng, &clock);
                }
                cache_begin(c);
                for (int i = 0; i < NAMES; i++) {
                    if (!ms[i].there)
                        continue;
                    model_text(&text, &ms[i], i);
                    feed(c, INFORMER_LISTED, strbuf_cstr(&text));
                }
                cache_synced(c);
            } else if (m->there && rng_below(&rng, 3) == 0) {
                model_text(&text, m, name);
                feed(c, INFORMER_DELETED, strbuf_cstr(&text));
                m->there = false;
            } else {
                change_one(m, &rng, &clock);
                model_text(&text, m, name);
                feed(c, rng_below(&rng, 2) ? INFORMER_ADDED : INFORMER_MODIFIED, strbuf_cstr(&text));
            }
            compare(c, ms);
        }
        cache_free(c);
    }
    strbuf_fini(&text);
}

/* --- with an informer of its own ------------------------------------------------------------------------ */

static struct {
    struct client_transport t;
    struct client_call *call;
    struct client_watch *watch;
} fake;

static void fake_call(struct client_transport *t UNUSED, struct client_call *c)
{
    fake.call = c;
}
static void fake_watch(struct client_transport *t UNUSED, struct client_watch *w)
{
    fake.watch = w;
}
static void fake_stop(struct client_transport *t UNUSED, struct client_watch *w UNUSED)
{
}
static void answer(const char *body)
{
    struct client_call *c = TAKE(fake.call);
    c->status = 200;
    c->response = str_of(body);
    c->done(c);
}

TEST(follows_a_resource)
{
    struct err err = ERR_NONE;
    struct clock_fake clock;
    clock_fake_init(&clock, 0);
    struct loop *loop = loop_new("test", &clock.clock, &err);
    fake.t = (struct client_transport){fake_call, fake_watch, fake_stop};
    struct cache *c = cache_new(&(struct cache_opts){.transport = &fake.t, .loop = loop, .path = S("/api/v1/pods"), .query = S(""), .event = on_event, .synced = on_synced, .owner = &me});
    T_OK(cache_owner(c) == &me);
    answer("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" OBJ("n", "a", "ua", "1", "") "," OBJ("n", "b", "ub", "2", "") "]}");
    fake.watch->event(fake.watch, S("{\"type\":\"MODIFIED\",\"object\":" OBJ("n", "a", "ua", "8", "") "}"));
    fake.watch->event(fake.watch, S("{\"type\":\"DELETED\",\"object\":" OBJ("n", "b", "ub", "9", "") "}"));
    check_log("+n/a@1 +n/b@2 ] ~n/a@8 -n/b@2 ");
    T_OK(cache_is_synced(c));
    cache_stop(c, on_stopped);
    fake.watch->event(fake.watch, S("{\"type\":\"DELETED\",\"object\":" OBJ("n", "a", "ua", "10", "") "}"));
    T_OK(!me.stopped);
    fake.watch->ended(fake.watch, 200);
    T_OK(me.stopped);
    check_log("");
    T_EQ_INT(cache_len(c), 1);
    cache_free(c);
    loop_free(loop);
    strbuf_fini(&me.log);
}

TEST_MAIN(lists_that_come_again_report_what_differs, objects_live_as_long_as_they_are_held, managed_fields_are_left_out, agrees_with_a_model, follows_a_resource)
