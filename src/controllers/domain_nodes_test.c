/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/domain_nodes.h"

#include "base/test.h"
#include "wire/json_make.h"

static struct json row(struct arena *a, const char *name, const char *status, int second)
{
    return json_make(a, "{\"name\":%s,\"version\":\"v1\",\"status\":%s,\"lastHeartbeatTime\":%S}", name, status, arena_fmt(a, "2026-01-01T00:%02d:%02dZ", second / 60, second % 60));
}

/* "alice+bob" for the two that have news. */
static str note(struct domain_nodes *n, struct arena *a, const char *name, const char *domain, const char *status, int second)
{
    str news[2];
    struct json r = row(a, name, status, second);
    domain_nodes_note(n, str_of(name), str_of(domain), &r, news);
    return arena_fmt(a, STR_FMT "%s" STR_FMT, STR_ARG(news[0]), news[1].len ? "+" : "", STR_ARG(news[1]));
}

static str names(struct domain_nodes *n, struct arena *a, const char *domain)
{
    struct json list = domain_nodes_list(n, a, str_of(domain));
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; i < list.len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? " " : "", STR_ARG(json_get_str(&list.items[i], S("name"))));
    return strbuf_str(&b);
}

static void note_gone(void *arg, str domain)
{
    strbuf_add_str(arg, domain);
}

TEST(news)
{
    ARENA_AUTO a = ARENA_INIT;
    struct domain_nodes n;
    domain_nodes_init(&n);
    T_EQ_STR(note(&n, &a, "n2", "alice", "Ready", 0), "alice");
    T_EQ_STR(note(&n, &a, "n1", "alice", "Ready", 0), "alice");
    T_EQ_STR(note(&n, &a, "n3", "", "Ready", 0), "");
    T_EQ_STR(names(&n, &a, "alice"), "n1 n2");
    T_EQ_STR(note(&n, &a, "n1", "alice", "Ready", 30), ""); /* a heartbeat */
    T_EQ_STR(note(&n, &a, "n1", "alice", "Ready", 59), "");
    T_EQ_STR(note(&n, &a, "n1", "alice", "Ready", 60), "alice");
    T_EQ_STR(note(&n, &a, "n2", "alice", "Ready", 59), "");
    struct json list = domain_nodes_list(&n, &a, S("alice")); /* shows all of them */
    T_EQ_STR(json_get_str(&list.items[1], S("lastHeartbeatTime")), "2026-01-01T00:00:59Z");
    T_EQ_STR(note(&n, &a, "n2", "alice", "Ready", 61), "");
    T_EQ_STR(note(&n, &a, "n2", "alice", "NotReady", 61), "alice");
    T_EQ_STR(note(&n, &a, "n2", "bob", "NotReady", 61), "bob+alice");
    T_EQ_STR(names(&n, &a, "bob"), "n2");
    T_EQ_STR(note(&n, &a, "n2", "", "", 0), "+bob");
    T_EQ_STR(note(&n, &a, "n2", "", "", 0), "");
    T_EQ_STR(names(&n, &a, "bob"), "");
    T_EQ_STR(names(&n, &a, "carol"), "");
    domain_nodes_fini(&n);
}

TEST(a_list_that_comes_again)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf gone = strbuf_on(&a);
    struct domain_nodes n;
    domain_nodes_init(&n);
    domain_nodes_begin(&n);
    note(&n, &a, "n1", "alice", "Ready", 0);
    note(&n, &a, "n2", "bob", "Ready", 0);
    T_OK(!n.is_complete);
    domain_nodes_end(&n, note_gone, &gone);
    T_OK(n.is_complete && !gone.len);
    domain_nodes_begin(&n);
    note(&n, &a, "n1", "alice", "Ready", 0);
    domain_nodes_end(&n, note_gone, &gone);
    T_EQ_STR(strbuf_str(&gone), "bob");
    T_EQ_STR(names(&n, &a, "bob"), "");
    T_EQ_STR(names(&n, &a, "alice"), "n1");
    domain_nodes_fini(&n);
}

/* Whatever comes in whatever order: each domain has what was last said, by name. */
TEST(as_a_plain_table)
{
    enum { NODES = 20, DOMAINS = 4 };
    static const char *const domains[DOMAINS] = {"", "a", "b", "c"};
    ARENA_AUTO a = ARENA_INIT;
    struct rng rng;
    struct domain_nodes n;
    int of[NODES] = {0};
    rng_seed(&rng, 7);
    domain_nodes_init(&n);
    for (int step = 0; step < 2000; step++) {
        int i = (int)rng_below(&rng, NODES);
        of[i] = (int)rng_below(&rng, DOMAINS);
        note(&n, &a, arena_cstr(&a, arena_fmt(&a, "n%02d", i)), domains[of[i]], "Ready", 0);
        int d = 1 + (int)rng_below(&rng, DOMAINS - 1);
        struct strbuf want = strbuf_on(&a);
        for (int k = 0; k < NODES; k++)
            if (of[k] == d)
                strbuf_addf(&want, "%sn%02d", want.len ? " " : "", k);
        T_OK(str_eq(names(&n, &a, domains[d]), strbuf_str(&want)));
    }
    domain_nodes_fini(&n);
}

TEST_MAIN(news, a_list_that_comes_again, as_a_plain_table)
