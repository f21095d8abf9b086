/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/node_proxy.h"

#include "base/limits.h"
#include "base/test.h"

TEST(names_with_scheme_and_port)
{
    static const struct {
        const char *text, *scheme, *name, *port; /* name NULL: refused */
    } cases[] = {
        {"web", "", "web", ""},         {"web:80", "", "web", "80"},        {"web:http", "", "web", "http"}, {"https:web:443", "https", "web", "443"},
        {"http:web:", "http", "web", ""}, {":80", NULL, NULL, NULL},        {"", NULL, NULL, NULL},          {"ftp:web:21", NULL, NULL, NULL},
        {"a:b:c:d", NULL, NULL, NULL},  {"https::443", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str scheme, name, port;
        bool ok = node_proxy_name_parse(str_of(cases[i].text), &scheme, &name, &port);
        T_EQ_INT(ok, cases[i].name != NULL);
        if (!ok)
            continue;
        T_EQ_STR(scheme, cases[i].scheme);
        T_EQ_STR(name, cases[i].name);
        T_EQ_STR(port, cases[i].port);
    }
}

TEST(one_user_leaves_room_for_others)
{
    str masters[] = {S("system:masters")};
    const struct api_user greedy = {.name = S("greedy")}, other = {.name = S("other")}, admin = {.name = S("greedy"), .groups = masters, .ngroups = 1};
    struct node_proxy *p;
    struct err err;
    uint8_t slot, theirs;
    T_OK((uint8_t)str_hash(greedy.name) != (uint8_t)str_hash(other.name));
    T_NO_ERR(node_proxy_new(&(struct apiserver_opts){0}, &p, &err), &err);
    for (int i = 0; i < LIMIT_NODE_STREAMS_PER_USER; i++)
        T_OK(node_proxy_enter(p, &greedy, &slot));
    T_OK(!node_proxy_enter(p, &greedy, &slot));
    T_OK(node_proxy_enter(p, &other, &theirs));
    node_proxy_leave(p, slot);
    T_OK(node_proxy_enter(p, &greedy, &slot)); /* the refusal has left nothing behind */
    for (int i = LIMIT_NODE_STREAMS_PER_USER + 1; i < LIMIT_NODE_STREAMS; i++)
        T_OK(node_proxy_enter(p, &admin, &slot));
    T_OK(!node_proxy_enter(p, &admin, &slot) && !node_proxy_enter(p, &other, &theirs));
    node_proxy_free(p);
}

TEST_MAIN(names_with_scheme_and_port, one_user_leaves_room_for_others)
