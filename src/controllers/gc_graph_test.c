/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/gc_graph.h"

#include "base/test.h"

/* A story is a list of steps; "expect" steps compare the verdict of an object or the names that were touched since the last look.
 *   object: "Pod/a" is the Pod a with uid u-a in namespace ns; "Node/a" is of a cluster-scoped kind */
enum step_type { STEP_END, SEE, GONE, VERDICT, TOUCHED, LEN, KIND_GONE, BEGIN, FINISH, SERVE, DROPS };
enum { DELETING = 1, FOREGROUND = 2, ORPHAN = 4 };

struct step {
    enum step_type type;
    const char *object;
    const char *refs; /* "RS/x RS/y!" with ! for blockOwnerDeletion; TOUCHED: names; DROPS: uid */
    int flags;        /* SEE: DELETING...; VERDICT: enum gc_verdict; LEN: nodes; SERVE: namespaced; DROPS: answer */
};

struct story {
    struct gc_graph *g;
    struct strbuf touched;
};

static void on_touch(void *arg, struct gc_node *n)
{
    struct story *s = arg;
    strbuf_addf(&s->touched, "%s" STR_FMT, s->touched.len ? " " : "", STR_ARG(n->name));
}

static struct gc_kind *split(struct gc_graph *g, str text, str *ret_ns, str *ret_name)
{
    str kind;
    str_cut(&text, '/', &kind);
    struct gc_kind *k = gc_graph_kind(g, S("g"), kind);
    *ret_ns = str_is(kind, "Node") ? S("") : S("ns");
    *ret_name = text;
    return k;
}

static str uid_of(char buf[64], str name)
{
    return str_n(buf, (size_t)snprintf(buf, 64, "u-" STR_FMT, STR_ARG(name)));
}

static void see(struct story *s, const struct step *st)
{
    struct gc_ref refs[8];
    char uids[8][64], uid[64];
    struct gc_object o = {.deleting = st->flags & DELETING, .foreground = st->flags & FOREGROUND, .orphan = st->flags & ORPHAN, .refs = refs};
    str list = str_of(st->refs ? st->refs : ""), one, ns;
    while (list.len) {
        str_cut(&list, ' ', &one);
        struct gc_ref *r = &refs[o.nrefs];
        r->blocks = str_has_suffix(one, S("!"));
        r->kind = split(s->g, str_sub(one, 0, one.len - r->blocks), &ns, &r->name);
        r->uid = uid_of(uids[o.nrefs++], r->name);
    }
    o.kind = split(s->g, str_of(st->object), &o.ns, &o.name);
    o.uid = uid_of(uid, o.name);
    gc_graph_observe(s->g, &o);
}

static void check(struct story *s, const struct step *st)
{
    str ns = S(""), name = S("");
    char uid[64];
    struct gc_kind *k = st->object ? split(s->g, str_of(st->object), &ns, &name) : NULL;
    struct gc_node *n = k && name.len ? gc_graph_find(s->g, k, ns, name, uid_of(uid, name)) : NULL;
    switch (st->type) {
    case GONE:
        gc_graph_gone(s->g, k, ns, name, uid_of(uid, name));
        break;
    case VERDICT:
        T_EQ_INT(n ? (int)gc_graph_judge(s->g, n) : -1, st->flags);
        break;
    case DROPS:
        T_EQ_INT(n ? gc_graph_drops(n, str_of(st->refs)) : -1, st->flags);
        break;
    case TOUCHED:
        T_EQ_STR(strbuf_str(&s->touched), st->refs);
        strbuf_clear(&s->touched);
        break;
    case LEN:
        T_EQ_INT(gc_graph_len(s->g), st->flags);
        break;
    case KIND_GONE:
        gc_graph_kind_gone(s->g, k);
        break;
    case BEGIN:
        gc_graph_list_begin(s->g, k);
        break;
    case FINISH:
        gc_graph_list_end(s->g, k);
        break;
    case SERVE:
        gc_graph_kind_set(s->g, k, true, st->flags);
        break;
    default:
        break;
    }
}

static void play(const struct step *steps)
{
    struct story s = {0};
    s.g = gc_graph_new(on_touch, &s);
    static const char *const kinds[] = {"Pod", "RS", "Deploy"};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        gc_graph_kind_set(s.g, gc_graph_kind(s.g, S("g"), str_of(kinds[i])), true, true);
    gc_graph_kind_set(s.g, gc_graph_kind(s.g, S("g"), S("Node")), true, false);
    for (const struct step *st = steps; st->type != STEP_END; st++) {
        int before = test_failures_;
        if (st->type == SEE)
            see(&s, st);
        else
            check(&s, st);
        if (test_failures_ != before)
            printf("#   in step %d\n", (int)(st - steps));
    }
    gc_graph_free(s.g);
    strbuf_fini(&s.touched);
}

TEST(objects_without_owners_are_not_kept)
{
    play((struct step[]){{SEE, "Pod/a", NULL, 0}, {SEE, "Pod/b", NULL, DELETING}, {LEN, .flags = 0}, {TOUCHED, .refs = ""}, {GONE, .object = "Pod/a"}, {LEN, .flags = 0}, {.type = STEP_END}});
}

TEST(background_deletes_dependents_of_the_gone)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/r", 0},
        {TOUCHED, .refs = "r"},
        {VERDICT, "RS/r", .flags = GC_VERIFY},
        {VERDICT, "Pod/p", .flags = GC_NOTHING},
        {SEE, "RS/r", NULL, 0},
        {TOUCHED, .refs = "p"}, /* it waited */
        {VERDICT, "Pod/p", .flags = GC_NOTHING},
        {GONE, .object = "RS/r"},
        {TOUCHED, .refs = "p"},
        {VERDICT, "Pod/p", .flags = GC_DELETE},
        {GONE, .object = "Pod/p"},
        {LEN, .flags = 0},
        {.type = STEP_END},
    });
}

TEST(an_owner_that_never_was_is_absent)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/r", 0}, {GONE, .object = "RS/r"}, {TOUCHED, .refs = "r p"}, {VERDICT, "Pod/p", .flags = GC_DELETE},
        {SEE, "Pod/q", "RS/r", 0}, {TOUCHED, .refs = "q"}, {VERDICT, "Pod/q", .flags = GC_DELETE}, /* known to be absent: no second look */
        {GONE, .object = "Pod/p"},           {GONE, .object = "Pod/q"}, {LEN, .flags = 0}, {.type = STEP_END},
    });
}

TEST(a_solid_owner_keeps_and_dangling_references_go)
{
    play((struct step[]){
        {SEE, "RS/a", NULL, 0},
        {SEE, "Pod/p", "RS/a RS/b", 0},
        {SEE, "RS/a", NULL, 0},
        {GONE, .object = "RS/b"},
        {VERDICT, "Pod/p", .flags = GC_DROP_REFS},
        {DROPS, "Pod/p", "u-b", true},
        {DROPS, "Pod/p", "u-a", false},
        {SEE, "Pod/p", "RS/a", 0},
        {VERDICT, "Pod/p", .flags = GC_NOTHING},
        {LEN, .flags = 2},
        {GONE, .object = "RS/a"},
        {VERDICT, "Pod/p", .flags = GC_DELETE},
        {.type = STEP_END},
    });
}

TEST(unknown_owners_are_waited_for)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/a RS/b", 0},
        {GONE, .object = "RS/b"},
        {VERDICT, "Pod/p", .flags = GC_NOTHING}, /* a may be there */
        {TOUCHED, .refs = "a b p"},
        {SEE, "RS/a", NULL, 0},
        {TOUCHED, .refs = "p"},
        {VERDICT, "Pod/p", .flags = GC_DROP_REFS},
        {.type = STEP_END},
    });
}

TEST(foreground_waits_for_blocking_dependents)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/r!", 0},
        {SEE, "Pod/q", "RS/r", 0},
        {SEE, "RS/r", NULL, 0},
        {TOUCHED, .refs = "r r"}, /* a queue makes one of them */
        {SEE, "RS/r", NULL, DELETING | FOREGROUND},
        {TOUCHED, .refs = "r"},
        {VERDICT, "RS/r", .flags = GC_WAIT_DEPENDENTS},
        {TOUCHED, .refs = "p"}, /* q does not block */
        {VERDICT, "Pod/p", .flags = GC_DELETE},
        {SEE, "Pod/p", "RS/r!", DELETING},
        {VERDICT, "Pod/p", .flags = GC_NOTHING},
        {TOUCHED, .refs = "p"},
        {GONE, .object = "Pod/p"},
        {TOUCHED, .refs = "r"},
        {VERDICT, "RS/r", .flags = GC_FINISH_FOREGROUND},
        {GONE, .object = "RS/r"},
        {TOUCHED, .refs = "q"},
        {VERDICT, "Pod/q", .flags = GC_DELETE},
        {.type = STEP_END},
    });
}

TEST(foreground_goes_down_the_tree)
{
    play((struct step[]){
        {SEE, "Deploy/d", NULL, DELETING | FOREGROUND},
        {TOUCHED, .refs = "d"},
        {SEE, "RS/r", "Deploy/d!", 0},
        {SEE, "Pod/p", "RS/r!", 0},
        {TOUCHED, .refs = "r"},
        {VERDICT, "RS/r", .flags = GC_DELETE_FOREGROUND},
        {SEE, "RS/r", "Deploy/d!", DELETING | FOREGROUND},
        {VERDICT, "RS/r", .flags = GC_WAIT_DEPENDENTS},
        {VERDICT, "Pod/p", .flags = GC_DELETE},
        {.type = STEP_END},
    });
}

TEST(a_cycle_of_foreground_is_broken)
{
    play((struct step[]){
        {SEE, "RS/a", "RS/b!", DELETING | FOREGROUND},
        {SEE, "RS/b", "RS/a!", 0},
        {VERDICT, "RS/b", .flags = GC_UNBLOCK},
        {SEE, "RS/b", "RS/a", 0},
        {VERDICT, "RS/b", .flags = GC_DELETE_FOREGROUND},
        {VERDICT, "RS/a", .flags = GC_FINISH_FOREGROUND},
        {GONE, .object = "RS/a"},
        {GONE, .object = "RS/b"},
        {LEN, .flags = 0},
        {.type = STEP_END},
    });
}

TEST(a_waiting_owner_beside_a_solid_one_loses_its_reference)
{
    play((struct step[]){
        {SEE, "RS/a", NULL, DELETING | FOREGROUND},
        {SEE, "Pod/p", "RS/a! RS/b", 0},
        {SEE, "RS/b", NULL, 0},
        {VERDICT, "Pod/p", .flags = GC_DROP_REFS},
        {DROPS, "Pod/p", "u-a", true},
        {DROPS, "Pod/p", "u-b", false},
        {TOUCHED, .refs = "a b p"},
        {SEE, "Pod/p", "RS/b", 0},
        {TOUCHED, .refs = "a"},
        {VERDICT, "RS/a", .flags = GC_FINISH_FOREGROUND},
        {.type = STEP_END},
    });
}

TEST(orphans_lose_their_references_and_stay)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/r", 0},
        {SEE, "Pod/q", "RS/r! RS/s", DELETING},
        {SEE, "RS/r", NULL, DELETING | ORPHAN},
        {VERDICT, "RS/r", .flags = GC_WAIT_DEPENDENTS},
        {VERDICT, "Pod/p", .flags = GC_DROP_REFS},
        {VERDICT, "Pod/q", .flags = GC_DROP_REFS}, /* even though it goes itself */
        {DROPS, "Pod/p", "u-r", true},
        {DROPS, "Pod/q", "u-s", false},
        {TOUCHED, .refs = "r r s r p q"},
        {SEE, "Pod/p", NULL, 0},
        {TOUCHED, .refs = ""},
        {SEE, "Pod/q", "RS/s", DELETING},
        {TOUCHED, .refs = "s r"}, /* nobody has looked at s yet */
        {VERDICT, "RS/r", .flags = GC_FINISH_ORPHAN},
        {VERDICT, "Pod/p", .flags = -1}, /* without owners it is nobody's business */
        {GONE, .object = "RS/r"},
        {.type = STEP_END},
    });
}

TEST(cluster_scoped_owners)
{
    play((struct step[]){
        {SEE, "Pod/p", "Node/n", 0}, {SEE, "Node/n", NULL, 0}, {VERDICT, "Pod/p", .flags = GC_NOTHING}, {LEN, .flags = 2}, {GONE, .object = "Node/n"}, {VERDICT, "Pod/p", .flags = GC_DELETE},
        {GONE, .object = "Pod/p"}, {SEE, "Node/m", "Pod/x", 0}, {VERDICT, "Node/m", .flags = GC_NOTHING}, /* a namespaced owner of a cluster-scoped object cannot be looked at */
        {TOUCHED, .refs = "n p x"}, {.type = STEP_END},
    });
}

TEST(kinds_that_are_not_served_keep_their_dependents)
{
    play((struct step[]){
        {SEE, "Pod/p", "Custom/c", 0},
        {VERDICT, "Custom/c", .flags = GC_NOTHING},
        {VERDICT, "Pod/p", .flags = GC_NOTHING},
        {TOUCHED, .refs = "c"},
        {SERVE, "Custom/", .flags = true},
        {TOUCHED, .refs = "c p"},
        {VERDICT, "Custom/c", .flags = GC_VERIFY},
        {SEE, "Custom/c", NULL, 0},
        {KIND_GONE, .object = "Custom/"},
        {VERDICT, "Pod/p", .flags = GC_DELETE},
        {GONE, .object = "Pod/p"},
        {LEN, .flags = 0},
        {.type = STEP_END},
    });
}

TEST(a_list_after_a_gap_is_checked)
{
    play((struct step[]){
        {SEE, "Pod/p", "RS/r", 0},
        {SEE, "RS/r", NULL, 0},
        {SEE, "RS/s", "Deploy/d", 0},
        {TOUCHED, .refs = "r d"},
        {BEGIN, .object = "RS/"},
        {SEE, "RS/r", NULL, 0},
        {FINISH, .object = "RS/"},
        {TOUCHED, .refs = "s"},
        {VERDICT, "RS/s", .flags = GC_VERIFY},
        {VERDICT, "RS/r", .flags = GC_NOTHING},
        {BEGIN, .object = "RS/"},
        {FINISH, .object = "RS/"},
        {VERDICT, "RS/r", .flags = GC_VERIFY},
        {.type = STEP_END},
    });
}

TEST(odd_references)
{
    play((struct step[]){
        {SEE, "RS/self", "RS/self!", 0}, /* owns itself */
        {VERDICT, "RS/self", .flags = GC_NOTHING},
        {SEE, "RS/self", "RS/self!", DELETING | FOREGROUND},
        {VERDICT, "RS/self", .flags = GC_WAIT_DEPENDENTS},
        {GONE, .object = "RS/self"},
        {LEN, .flags = 0},
        {SEE, "Pod/p", "RS/r RS/r! RS/r", 0}, /* the same owner again and again */
        {SEE, "Pod/p", "RS/r RS/r! RS/r", 0},
        {LEN, .flags = 2},
        {SEE, "RS/r", NULL, DELETING | FOREGROUND},
        {VERDICT, "RS/r", .flags = GC_WAIT_DEPENDENTS},
        {SEE, "RS/other", "RS/other", 0},
        {SEE, "RS/other", NULL, 0},
        {SEE, "Pod/p", NULL, 0},
        {VERDICT, "RS/r", .flags = GC_FINISH_FOREGROUND},
        {LEN, .flags = 1},
        {.type = STEP_END},
    });
}

/* A reference may name anything. */
TEST(kinds_of_any_bytes)
{
    struct story s = {0};
    s.g = gc_graph_new(on_touch, &s);
    str group = str_n("g\0\0g", 4), name = str_n("k\0and what would be read behind it", 34);
    struct gc_kind *k = gc_graph_kind(s.g, group, name);
    T_OK(str_eq(k->group, group) && str_eq(k->kind, name));
    T_OK(gc_graph_kind(s.g, group, name) == k);
    T_OK(gc_graph_kind(s.g, S("g"), S("k")) != k && gc_graph_kind(s.g, S("g"), name) != k);
    struct gc_ref ref = {.kind = k, .name = str_n("\0n", 2), .uid = str_n("\0u", 2)};
    struct gc_object o = {.kind = gc_graph_kind(s.g, S(""), S("Pod")), .ns = S("ns"), .name = S("p"), .uid = S("u"), .refs = &ref, .nrefs = 1};
    gc_graph_observe(s.g, &o);
    gc_graph_observe(s.g, &o);
    T_EQ_INT(gc_graph_len(s.g), 2);
    strbuf_fini(&s.touched);
    gc_graph_free(s.g);
}

TEST_MAIN(objects_without_owners_are_not_kept, background_deletes_dependents_of_the_gone, an_owner_that_never_was_is_absent, a_solid_owner_keeps_and_dangling_references_go,
          unknown_owners_are_waited_for, foreground_waits_for_blocking_dependents, foreground_goes_down_the_tree, a_cycle_of_foreground_is_broken,
          a_waiting_owner_beside_a_solid_one_loses_its_reference, orphans_lose_their_references_and_stay, cluster_scoped_owners,
          kinds_that_are_not_served_keep_their_dependents, a_list_after_a_gap_is_checked, odd_references, kinds_of_any_bytes)
