/* SPDX-License-Identifier: Apache-2.0 */
#include "base/groups.h"

#include "base/test.h"

struct item {
    struct list link;
};

TEST(a_list_exists_as_long_as_something_is_in_it)
{
    struct map groups = MAP_INIT;
    struct item a, b, c;
    T_OK(!groups_find(&groups, S("x")));
    list_add_tail(groups_get(&groups, S("x")), &a.link);
    list_add_tail(groups_get(&groups, S("x")), &b.link);
    list_add_tail(groups_get(&groups, S("")), &c.link); /* a key like others */
    T_EQ_INT(groups.len, 2);
    struct list *x = groups_find(&groups, S("x"));
    T_OK(x && x->next == &a.link && x->next->next == &b.link && x->prev == &b.link);
    groups_prune(&groups, S("x"));
    T_OK(groups_find(&groups, S("x")) == x); /* it is not empty */
    list_del(&a.link);
    list_del(&b.link);
    groups_prune(&groups, S("x"));
    groups_prune(&groups, S("y")); /* never was */
    T_OK(!groups_find(&groups, S("x")) && groups_find(&groups, S("")));
    groups_fini(&groups);
}

TEST(a_key_is_copied)
{
    struct map groups = MAP_INIT;
    struct item items[100];
    for (int i = 0; i < 100; i++) {
        char key[16];
        list_add_tail(groups_get(&groups, str_n(key, (size_t)snprintf(key, sizeof key, "k%d", i % 10))), &items[i].link);
    }
    T_EQ_INT(groups.len, 10);
    size_t n = 0;
    for (struct list *head = groups_find(&groups, S("k7")), *at = head->next; at != head; at = at->next)
        n++;
    T_EQ_INT(n, 10);
    groups_fini(&groups);
}

TEST_MAIN(a_list_exists_as_long_as_something_is_in_it, a_key_is_copied)
