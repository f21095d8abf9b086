/* terms_test.c - the counters stay what the pods say through random changes, go back with a rollback, and go with their classes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/engine/classes.h"
#include "sched/engine/terms_types.h"
#include "sched/engine/terms_world.h"

static void check(const struct tw *w)
{
    struct err err = ERR_NONE;
    T_NO_ERR(terms_check(w->s, &err), &err);
}

/* All counts of all tallies, and who matches whom, as one number. */
static uint64_t digest(const struct sched *s)
{
    uint64_t h = 14695981039346656037ull;
    slots_each(struct tally, t, &s->terms->tallies)
    {
        uint32_t size = t->by_node ? s->view.nnodes : s->topos[t->topo].ndomains;
        for (uint32_t d = 0; d < size; d++)
            h = (h ^ ((uint64_t)t->id << 40 | (uint64_t)tally_get(t, d))) * 1099511628211ull;
        h = (h ^ t->nonzero) * 1099511628211ull;
    }
    return h;
}

static void run(uint64_t seed, uint32_t nodes, uint32_t pods, uint32_t rounds)
{
    struct tw *w = tw_new("name: t\n", seed, nodes, pods, true, true);
    check(w);
    for (uint32_t i = 0; i < rounds && !test_failures_; i++) {
        for (uint32_t k = 0; k < 8; k++)
            tw_change(w);
        check(w);
    }
    tw_free(w);
}

TEST(counters_follow_changes)
{
    for (uint64_t seed = 1; seed <= 6 && !test_failures_; seed++)
        run(seed, 10, 30, 60);
}

TEST(counters_follow_changes_with_many_domains)
{
    run(7, 180, 100, 40);
}

/* Nodes come one by one, so that columns grow under tallies that are there already. */
TEST(columns_grow)
{
    struct tw *w = tw_new("name: t\n", 9, 3, 60, true, true);
    for (uint32_t n = 3; n < 200 && !test_failures_; n++) {
        w->nnodes = n + 1;
        w->racks = 90;
        tw_node_put(w, n);
        tw_place(w);
        if (n % 16 == 0 || n > 190)
            check(w);
    }
    tw_free(w);
}

TEST(rollback_restores_counters)
{
    struct tw *w = tw_new("name: t\n", 11, 90, 80, true, true);
    for (uint32_t round = 0; round < 40 && !test_failures_; round++) {
        for (uint32_t k = 0; k < 6; k++)
            tw_change(w);
        uint64_t before = digest(w->s);
        uint32_t mark = statement_begin(w->s);
        for (uint32_t k = 0; k < 12; k++)
            if (tw_chance(w, 60))
                tw_place(w);
            else
                tw_unplace(w);
        bool changed = digest(w->s) != before;
        statement_rollback(w->s, mark);
        T_OK(digest(w->s) == before);
        T_OK(changed || round > 0);
        check(w);
    }
    tw_free(w);
}

/* --- lifetime ------------------------------------------------------------------------------------------------------------------------ */
static size_t live(const struct slots *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->at.len; i++)
        n += x->at.p[i] != NULL;
    return n;
}

TEST(everything_goes_with_the_classes)
{
    struct tw *w = tw_new("name: t\n", 13, 20, 60, true, true);
    struct terms *t = w->s->terms;
    for (uint32_t k = 0; k < 400; k++)
        tw_change(w);
    T_OK(live(&t->tallies) > 50 && live(&t->scopes) > 5 && t->buckets.len > 5);
    for (uint32_t i = 0; i < w->npods; i++)
        sched_pod_delete(w->s, w->pods[i].spec.ns, w->pods[i].spec.name);
    check(w);
    classes_fini(w->s);
    T_EQ_INT(live(&t->tallies), 0);
    T_EQ_INT(live(&t->terms), 0);
    T_EQ_INT(live(&t->scopes), 0);
    T_EQ_INT(live(&t->matchers), 0);
    T_EQ_INT(live(&t->lsets), 0);
    T_EQ_INT(t->buckets.len + t->wild.len + t->by_ns.len + t->scope_by_key.len + t->matcher_by_key.len + t->lset_by_key.len, 0);
    T_EQ_INT(t->nlive, 0);
    classes_init(w->s);
    tw_free(w);
}

/* --- small stories ------------------------------------------------------------------------------------------------------------------- */
struct story {
    struct sched *s;
    uint32_t serial;
};

static void story_node(struct story *y, const char *name, const char *zone)
{
    struct spec_label l[] = {{S(TW_HOST), str_of(name)}, {S(TW_ZONE), str_of(zone)}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(y->s, &(struct node_spec){.name = str_of(name), .labels = {l, 2}}, NULL, &err), &err);
}

static struct spec_pod_term term_app(struct spec_requirement *r, str *value, const char *app, const char *key)
{
    *value = str_of(app);
    *r = (struct spec_requirement){S("app"), OP_IN, value, 1};
    return (struct spec_pod_term){.selector = {r, 1, false}, .topology_key = str_of(key), .weight = 10};
}

static pod_id story_pod(struct story *y, const char *app, struct pod_spec p)
{
    struct spec_label l = {S("app"), str_of(app)};
    char name[32];
    snprintf(name, sizeof name, "p%u", y->serial++);
    p.ns = S("default");
    p.name = str_of(name);
    p.labels = (struct spec_labels){&l, 1};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(y->s, &p, &id, &err), &err);
    return id;
}

static struct story story_new(void)
{
    return (struct story){.s = sched_new(profile_builtin(S("default")), 0)};
}

TEST(other_classes_concern)
{
    struct story y = story_new();
    struct sched *s = y.s;
    story_node(&y, "a", "z1");
    story_node(&y, "b", "z2");
    pod_id web = story_pod(&y, "web", (struct pod_spec){0}), db = story_pod(&y, "db", (struct pod_spec){0});
    T_OK(!terms_concern_class(s, class_of(s, web)));
    uint64_t epoch = terms_epoch(s);
    struct spec_requirement r;
    str v;
    struct spec_pod_term anti = term_app(&r, &v, "web", TW_HOST);
    pod_id shy = story_pod(&y, "shy", (struct pod_spec){.anti_affinity = &anti, .nanti_affinity = 1});
    T_OK(terms_epoch(s) > epoch);
    T_OK(terms_concern_filter(s, class_of(s, shy)));
    T_OK(terms_concern_filter(s, class_of(s, web)));
    T_OK(!terms_concern_score(s, class_of(s, web)));
    T_OK(!terms_concern_class(s, class_of(s, db)));
    epoch = terms_epoch(s);
    model_assign(s, shy, 0, PS_ASSUMED, 0);
    model_assign(s, web, 1, PS_ASSUMED, 0);
    T_EQ_INT(terms_epoch(s), epoch); /* placing does not change who is concerned */

    struct spec_pod_term near = term_app(&r, &v, "db", TW_ZONE);
    story_pod(&y, "fan", (struct pod_spec){.preferred_affinity = &near, .npreferred_affinity = 1});
    T_OK(terms_epoch(s) > epoch);
    T_OK(terms_concern_score(s, class_of(s, db)));
    T_OK(!terms_concern_filter(s, class_of(s, db)));
    sched_free(s);
}

TEST(concern_follows_namespace_labels)
{
    struct story y = story_new();
    struct sched *s = y.s;
    pod_id web = story_pod(&y, "web", (struct pod_spec){0});
    struct spec_requirement r, team;
    str v, red = S("red");
    struct spec_pod_term anti = term_app(&r, &v, "web", TW_HOST);
    team = (struct spec_requirement){S("team"), OP_IN, &red, 1};
    anti.has_namespace_selector = true;
    anti.namespace_selector = (struct spec_selector){&team, 1, false};
    story_pod(&y, "shy", (struct pod_spec){.anti_affinity = &anti, .nanti_affinity = 1});
    T_OK(!terms_concern_filter(s, class_of(s, web)));
    uint64_t epoch = terms_epoch(s);
    struct spec_label l = {S("team"), S("red")};
    sched_namespace_put(s, S("default"), (struct spec_labels){&l, 1});
    T_OK(terms_epoch(s) > epoch);
    T_OK(terms_concern_filter(s, class_of(s, web)));
    sched_namespace_delete(s, S("default"));
    T_OK(!terms_concern_filter(s, class_of(s, web)));
    sched_free(s);
}

/* Replicas of many workloads that spread by themselves: tables hold what is occupied, not all hosts. */
TEST(tables_of_few_pods_are_small)
{
    struct story y = story_new();
    struct sched *s = y.s;
    char name[32], app[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        story_node(&y, name, i % 2 ? "z1" : "z2");
    }
    size_t before = terms_bytes(s);
    struct spec_requirement r;
    str v;
    for (int i = 0; i < 200; i++) {
        snprintf(app, sizeof app, "app%d", i);
        struct spec_pod_term anti = term_app(&r, &v, app, TW_HOST);
        for (int k = 0; k < 5; k++) {
            pod_id p = story_pod(&y, app, (struct pod_spec){.anti_affinity = &anti, .nanti_affinity = 1, .default_spread_owned = true, .default_spread_selector = anti.selector});
            model_assign(s, p, (node_id)(i * 7 + k), PS_ASSUMED, 0);
        }
    }
    T_OK(terms_bytes(s) - before < 200 * 4096 + 400000);
    struct err err = ERR_NONE;
    T_NO_ERR(terms_check(s, &err), &err);
    sched_free(s);
}

/* A label set meets its matchers through the index whatever they ask for. */
TEST(index_finds_all_matchers)
{
    struct tw *w = tw_new("name: t\n", 17, 4, 200, true, false);
    check(w);
    T_OK(w->s->terms->wild.len > 0 && w->s->terms->by_ns.len > 0);
    for (uint32_t k = 0; k < 300; k++)
        tw_replace_pod(w);
    check(w);
    tw_free(w);
}

TEST(terms_are_bounded)
{
    struct story y = story_new();
    struct sched *s = y.s;
    s->terms->nlive = LIMIT_SCHED_TERMS - 1;
    struct spec_requirement r;
    str v;
    struct spec_pod_term anti[2] = {term_app(&r, &v, "web", TW_HOST), term_app(&r, &v, "web", TW_ZONE)};
    struct pod_spec p = {.ns = S("default"), .name = S("x"), .anti_affinity = anti, .nanti_affinity = 2};
    struct err err = ERR_NONE;
    pod_id id;
    T_ERR(sched_pod_put(s, &p, &id, &err), E_TOO_LARGE);
    T_EQ_INT(live(&s->terms->lsets), 0);
    p.nanti_affinity = 1;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    s->terms->nlive = 1;
    sched_free(s);
}

TEST_MAIN(counters_follow_changes, counters_follow_changes_with_many_domains, columns_grow, rollback_restores_counters, everything_goes_with_the_classes, other_classes_concern,
          concern_follows_namespace_labels, tables_of_few_pods_are_small, index_finds_all_matchers, terms_are_bounded)
