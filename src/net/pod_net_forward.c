/* Other people's firewalls.  A chain of theirs that drops whatever is forwarded (Docker sets FORWARD so, and many rule sets end so) also drops what pods send, to each other
 * through the tunnel or, where bridges pass their packets to netfilter, on one bridge.  What our own table accepts does not help: the last word is a drop.  So two rules go to the head
 * of each such chain:
 *
 *     iifname "cox0" accept comment "cox-pods"         oifname "cox0" accept comment "cox-pods"
 *
 * and, where the older kind of iptables has a policy of DROP, the same two with its program.  They are found again by their comment or by their text, made once, and removed with the network. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/arena.h"
#include "net/pod_net_internal.h"
#include "rt/file.h"
#include "wire/json.h"

#define CHAINS_MAX 64u /* that hook into forwarding */
#define NAMES_BYTES (64u << 10)

struct chain {
    const char *family, *table, *name;
    bool drops;
};

/* What nft takes as one word. */
static const char *word(struct arena *a, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!plain)
            return NULL;
    }
    return s.len ? arena_cstr(a, s) : NULL;
}

/* Runs nft -j; false: it cannot, and then there is nothing of nft's in the way. */
static bool ask_nft(struct arena *a, const char *const *argv, struct json *ret)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    if (pod_net_command(argv, S(""), &out, NULL) != 0)
        return false;
    return json_parse(a, arena_str(a, strbuf_str(&out)), NULL, ret, NULL) == 0 && json_is(json_get(ret, S("nftables")), JSON_ARRAY);
}

static size_t find_chains(const struct pod_net *n, struct arena *a, struct chain ret[CHAINS_MAX])
{
    struct json o;
    size_t len = 0;
    if (!ask_nft(a, (const char *const[]){"nft", "-j", "list", "chains", NULL}, &o))
        return 0;
    const struct json *all = json_get(&o, S("nftables"));
    for (uint32_t i = 0; i < all->len && len < CHAINS_MAX; i++) {
        const struct json *c = json_get(&all->items[i], S("chain"));
        str family = json_get_str(c, S("family"));
        if (!str_is(json_get_str(c, S("hook")), "forward") || !(str_is(family, "ip") || str_is(family, "inet")))
            continue;
        struct chain x = {.family = str_is(family, "ip") ? "ip" : "inet",
                          .table = word(a, json_get_str(c, S("table"))),
                          .name = word(a, json_get_str(c, S("name"))),
                          .drops = str_is(json_get_str(c, S("policy")), "drop")};
        if (x.table && x.name && strcmp(x.table, n->table) != 0)
            ret[len++] = x;
    }
    return len;
}

/* Handles of our rules in it; how many there are, at most 8 are told. */
static size_t find_rules(const struct pod_net *n, struct arena *a, const struct chain *c, int64_t handles[8])
{
    struct json o;
    size_t len = 0;
    if (!ask_nft(a, (const char *const[]){"nft", "-j", "-a", "list", "chain", c->family, c->table, c->name, NULL}, &o))
        return 0;
    const struct json *all = json_get(&o, S("nftables"));
    for (uint32_t i = 0; i < all->len && len < 8; i++) {
        const struct json *r = json_get(&all->items[i], S("rule"));
        if (r && str_is(json_get_str(r, S("comment")), n->table))
            handles[len++] = json_get_int(r, S("handle"), 0);
    }
    return len;
}

static int change(const struct strbuf *text, struct err *err)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    int r = pod_net_command((const char *const[]){"nft", "-f", "-", NULL}, strbuf_str(text), &out, err);
    return r > 0 ? err_set(err, E_IO, "nft refused it: " STR_FMT, STR_ARG(str_sub(strbuf_str(&out), 0, 120))) : r;
}

static void delete_rules(struct strbuf *b, const struct chain *c, const int64_t *handles, size_t len)
{
    for (size_t i = 0; i < len; i++)
        strbuf_addf(b, "delete rule %s %s %s handle %lld\n", c->family, c->table, c->name, (long long)handles[i]);
}

static int allow_chain(struct pod_net *n, struct arena *a, const struct chain *c, struct err *err)
{
    int64_t handles[8];
    size_t have = find_rules(n, a, c, handles);
    if (have == 2)
        return 0;
    STRBUF_AUTO b = STRBUF_HEAP;
    delete_rules(&b, c, handles, have);
    strbuf_addf(&b, "insert rule %s %s %s iifname \"%s\" accept comment \"%s\"\n", c->family, c->table, c->name, n->bridge, n->table);
    strbuf_addf(&b, "insert rule %s %s %s oifname \"%s\" accept comment \"%s\"\n", c->family, c->table, c->name, n->bridge, n->table);
    int r = change(&b, err);
    return r < 0 ? err_wrap(err, "the chain %s of the nft table %s drops what pods send, and cannot be changed: ", c->name, c->table) : 0;
}

/* --- the older kind of iptables -------------------------------------------------------------------------------------------------- */
static bool legacy_is_used(void)
{
    char *names CLEANUP(free) = NULL;
    if (file_read("/proc/net/ip_tables_names", NAMES_BYTES, &names, NULL, NULL) < 0)
        return false;
    for (str rest = str_of(names), line; rest.len;) {
        str_cut(&rest, '\n', &line);
        if (str_is(line, "filter"))
            return true;
    }
    return false;
}

/* "-C": is it there, "-I": make it, "-D": remove it.  The exit status, or -E. */
static int legacy_rule(const struct pod_net *n, const char *what, const char *direction, struct err *err)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    return pod_net_command((const char *const[]){"iptables-legacy", "-w", "10", what, "FORWARD", direction, n->bridge, "-j", "ACCEPT", NULL}, S(""), &out, err);
}

static int allow_legacy(struct pod_net *n, struct err *err)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    if (!legacy_is_used())
        return 0;
    int r = pod_net_command((const char *const[]){"iptables-legacy", "-w", "10", "-S", "FORWARD", NULL}, S(""), &out, err);
    if (r != 0)
        return err_set(err, E_UNAVAILABLE, "this machine has rules of the older iptables and no program iptables-legacy to look at them: if they drop what is forwarded, pods do not reach each other across nodes");
    if (str_find(strbuf_str(&out), S("-P FORWARD DROP")) < 0)
        return 0;
    static const char *const directions[] = {"-i", "-o"};
    for (size_t i = 0; i < ARRAY_LEN(directions); i++) {
        if (legacy_rule(n, "-C", directions[i], err) != 0 && legacy_rule(n, "-I", directions[i], err) != 0)
            return err_set(err, E_IO, "iptables' chain FORWARD drops what pods send, and cannot be changed");
    }
    return 0;
}

/* --- all of them ------------------------------------------------------------------------------------------------------------------ */
int pod_net_forward_allow(struct pod_net *n, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct chain chains[CHAINS_MAX];
    size_t len = find_chains(n, &a, chains);
    int first = 0;
    for (size_t i = 0; i < len; i++) {
        struct err one = ERR_NONE;
        int r = chains[i].drops ? allow_chain(n, &a, &chains[i], &one) : 0;
        if (r < 0 && first == 0) {
            first = r;
            *err = one;
        }
    }
    int r = allow_legacy(n, first ? NULL : err);
    return first ? first : r;
}

void pod_net_forward_forget(const struct pod_net *n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct chain chains[CHAINS_MAX];
    size_t len = find_chains(n, &a, chains);
    for (size_t i = 0; i < len; i++) {
        int64_t handles[8];
        STRBUF_AUTO b = STRBUF_HEAP;
        delete_rules(&b, &chains[i], handles, find_rules(n, &a, &chains[i], handles));
        if (b.len)
            err_ignore(change(&b, NULL), "whoever owns the chain may have removed it in this moment");
    }
    for (int i = 0; legacy_is_used() && i < 8 && (legacy_rule(n, "-D", "-i", NULL) == 0 || legacy_rule(n, "-D", "-o", NULL) == 0); i++)
        ;
}
