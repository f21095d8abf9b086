/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_cache.h"

#include "controllers/workload_testing.h"

static struct json pod_object(struct arena *a, const char *name, const char *uid, int revision, const char *owner)
{
    return tree(a, arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'%d','labels':{'app':'w'}%s%s%s},'spec':{},'status':{'phase':'Running'}}", name, uid,
                                           revision, owner ? ",'ownerReferences':[{'kind':'ReplicaSet','name':'r','uid':'" : "", owner ? owner : "", owner ? "','controller':true}]" : "")));
}

static size_t count(struct list *l)
{
    size_t n = 0;
    pod_cache_foreach(p, l) n += p != NULL;
    return n;
}

static void saw(struct pod_cache *c, const char *name, const char *uid, int revision, const char *owner, bool deleted)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = pod_object(&a, name, uid, revision, owner);
    pod_cache_saw(c, &obj, deleted);
}

static void wrote(struct pod_cache *c, const char *name, const char *uid, int revision, const char *owner)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = pod_object(&a, name, uid, revision, owner);
    pod_cache_wrote(c, &obj);
}

TEST(groups_by_owner)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 1, "o", false);
    saw(&c, "b", "2", 2, "o", false);
    saw(&c, "c", "3", 3, NULL, false);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 2);
    T_EQ_INT(count(pod_cache_orphans(&c, S("default"))), 1);
    saw(&c, "c", "3", 4, "o", false); /* adopted */
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 3);
    T_EQ_INT(count(pod_cache_orphans(&c, S("default"))), 0);
    saw(&c, "a", "1", 5, "o", true);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 2);
    T_EQ_STR(pod_cache_find(&c, S("default/b"))->name, "b");
    pod_cache_fini(&c);
}

TEST(own_writes_are_seen_at_once)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "x", "0", 10, NULL, false);
    wrote(&c, "a", "1", 12, "o");
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    T_OK(pod_cache_find(&c, S("default/a"))->unconfirmed);
    saw(&c, "a", "1", 12, "o", false);
    T_OK(!pod_cache_find(&c, S("default/a"))->unconfirmed);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    pod_cache_fini(&c);
}

/* The watch was faster than the answer: made and deleted before the answer came. */
TEST(late_answers_make_no_ghosts)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 12, "o", false);
    saw(&c, "a", "1", 13, "o", true);
    wrote(&c, "a", "1", 12, "o");
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 0);
    pod_cache_fini(&c);
}

TEST(old_events_change_nothing)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 5, NULL, false);
    wrote(&c, "a", "1", 9, "o");
    saw(&c, "a", "1", 7, NULL, false); /* from before our patch */
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    pod_cache_doom(&c, S("default/a"), S("other"));
    T_OK(pod_is_active(pod_cache_find(&c, S("default/a"))));
    pod_cache_doom(&c, S("default/a"), S("1"));
    saw(&c, "a", "1", 10, "o", false); /* from before our delete */
    T_OK(!pod_is_active(pod_cache_find(&c, S("default/a"))));
    saw(&c, "a", "1", 11, "o", true);
    saw(&c, "a", "2", 12, "o", false); /* another of that name */
    T_OK(pod_is_active(pod_cache_find(&c, S("default/a"))));
    pod_cache_fini(&c);
}

TEST(a_list_drops_what_it_lacks)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 1, "o", false);
    saw(&c, "b", "2", 2, "o", false);
    pod_cache_list_begin(&c);
    saw(&c, "b", "2", 2, "o", false);
    wrote(&c, "c", "3", 50, "o"); /* answered while the list was under way */
    pod_cache_list_end(&c);
    T_OK(!pod_cache_find(&c, S("default/a")));
    T_OK(pod_cache_find(&c, S("default/b")));
    T_OK(pod_cache_find(&c, S("default/c"))->unconfirmed);
    pod_cache_absent(&c, S("default/c"), S("3"));
    T_OK(!pod_cache_find(&c, S("default/c")));
    pod_cache_fini(&c);
}

TEST_MAIN(groups_by_owner, own_writes_are_seen_at_once, late_answers_make_no_ghosts, old_events_change_nothing, a_list_drops_what_it_lacks)
