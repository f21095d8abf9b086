/* storage_test.c - claims, volumes and what placed pods take of them: choices, rollback, attachments, events in any order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"

#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/statement.h"
#include "sched/engine/storage_types.h"

#define GI (1ll << 30)

static struct sched *make(int nodes)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 0);
    for (int i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S("topology.kubernetes.io/zone"), i % 2 ? S("b") : S("a")}};
        struct res_amount res[] = {{RES_CPU, 4000}, {RES_MEMORY, 32 * GI}, {RES_PODS, 110}};
        struct node_spec n = {.name = str_of(name), .labels = {labels, 2}, .allocatable = {res, 3}};
        struct err err = ERR_NONE;
        T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    }
    return s;
}

static void check(struct sched *s)
{
    struct err err = ERR_NONE;
    T_NO_ERR(storage_check(s, &err), &err);
    sched_free(s);
}

static node_id node(const struct sched *s, const char *name)
{
    return sched_node_find(s, str_of(name));
}

static void put_class(struct sched *s, const char *name, const char *driver, bool wait)
{
    struct storage_class_spec c = {.name = str_of(name), .driver = str_of(driver), .wait_for_first_consumer = wait};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_storage_class_put(s, &c, &err), &err);
}

/* A volume that can be used from the nodes whose label `key` is `value`; key "": from all. */
static void put_pv(struct sched *s, const char *name, const char *class_, int64_t gib, const char *key, const char *value, const char *driver)
{
    str v = str_of(value);
    struct spec_requirement r = {str_of(key), OP_IN, &v, 1};
    struct spec_node_term t = {.labels = {.p = &r, .n = 1}};
    struct pv_spec p = {.name = str_of(name), .storage_class = str_of(class_), .bytes = gib * GI, .node_affinity = &t, .nnode_affinity = 1, .has_node_affinity = *key != 0,
                        .driver = str_of(driver), .access_modes = 1};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pv_put(s, &p, &err), &err);
}

static void put_pvc(struct sched *s, const char *name, const char *class_, int64_t gib, const char *volume)
{
    struct pvc_spec p = {.ns = S("ns"), .name = str_of(name), .storage_class = str_of(class_), .bytes = gib * GI, .volume = str_of(volume), .access_modes = 1};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pvc_put(s, &p, &err), &err);
}

static pod_id put_pod(struct sched *s, const char *name, const char *claim, const char *claim2)
{
    struct spec_volume v[] = {{.claim = str_of(claim)}, {.claim = str_of(claim2)}};
    struct pod_spec p = {.ns = S("ns"), .name = str_of(name), .volumes = v, .nvolumes = *claim2 ? 2 : 1};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static const struct claim *claim(const struct sched *s, const char *name)
{
    return storage_claim_find(s->storage, symbol_find(&s->sym, S("ns")), symbol_find(&s->sym, str_of(name)));
}

static str chosen(const struct sched *s, const char *name)
{
    const struct claim *c = claim(s, name);
    return c && c->chosen ? symbol_text(&s->sym, c->chosen->name) : S("");
}

static bool fits(struct sched *s, pod_id p, const char *n)
{
    const struct pod_class *c = class_of(s, p);
    sym_t what[2];
    bool one = storage_ready(s, c, what) == STORAGE_OK && storage_affinity_fits(s, c, node(s, n)) && storage_match_fits(s, c, node(s, n));
    uint64_t *bits = xarray(s->view.words, uint64_t);
    memcpy(bits, s->alive, s->view.words * sizeof *bits);
    storage_bind_filter(s, c, bits);
    T_EQ_INT(bit_get(bits, node(s, n)), one);
    free(bits);
    return one;
}

TEST(smallest_volume_that_fits)
{
    struct sched *s = make(4);
    put_class(s, "local", "kubernetes.io/no-provisioner", true);
    put_pv(s, "big", "local", 100, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "mid", "local", 20, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "small", "local", 5, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "other", "local", 10, "kubernetes.io/hostname", "n1", "");
    put_pvc(s, "c", "local", 10, "");
    pod_id p = put_pod(s, "p", "c", "");
    T_OK(fits(s, p, "n0") && fits(s, p, "n1") && !fits(s, p, "n2"));
    model_assign(s, p, node(s, "n0"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "c"), "mid");
    /* a second claim gets what is left */
    put_pvc(s, "d", "local", 10, "");
    pod_id q = put_pod(s, "q", "d", "");
    model_assign(s, q, node(s, "n0"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "d"), "big");
    put_pvc(s, "e", "local", 10, "");
    pod_id r = put_pod(s, "r", "e", "");
    T_OK(!fits(s, r, "n0") && fits(s, r, "n1"));
    model_unassign(s, p);
    T_EQ_STR(chosen(s, "c"), "");
    T_OK(fits(s, r, "n0"));
    check(s);
}

TEST(claims_of_one_pod_do_not_share)
{
    struct sched *s = make(3);
    put_class(s, "local", "kubernetes.io/no-provisioner", true);
    put_pv(s, "v0", "local", 10, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "v1", "local", 10, "kubernetes.io/hostname", "n1", "");
    put_pv(s, "v2", "local", 20, "kubernetes.io/hostname", "n1", "");
    put_pvc(s, "large", "local", 15, "");
    put_pvc(s, "small", "local", 5, "");
    pod_id p = put_pod(s, "p", "large", "small");
    T_OK(!fits(s, p, "n0") && fits(s, p, "n1"));
    model_assign(s, p, node(s, "n1"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "small"), "v1");
    T_EQ_STR(chosen(s, "large"), "v2");
    check(s);
}

TEST(a_volume_is_made_where_the_class_allows)
{
    struct sched *s = make(4);
    str zone = S("b");
    struct spec_requirement r = {S("topology.kubernetes.io/zone"), OP_IN, &zone, 1};
    struct spec_node_term t = {.labels = {.p = &r, .n = 1}};
    struct storage_class_spec c = {.name = S("made"), .driver = S("d"), .wait_for_first_consumer = true, .allowed_topologies = &t, .nallowed_topologies = 1};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_storage_class_put(s, &c, &err), &err);
    put_pvc(s, "c", "made", 10, "");
    pod_id p = put_pod(s, "p", "c", ""), q = put_pod(s, "q", "c", "");
    T_OK(!fits(s, p, "n0") && fits(s, p, "n1") && fits(s, p, "n3"));
    model_assign(s, p, node(s, "n1"), PS_ASSUMED, 0);
    /* a second pod of the claim must go where the volume is made */
    T_OK(fits(s, q, "n1") && !fits(s, q, "n3"));
    model_assign(s, q, node(s, "n1"), PS_ASSUMED, 0);
    model_unassign(s, p);
    T_OK(!fits(s, p, "n3"));
    model_unassign(s, q);
    T_OK(fits(s, p, "n3"));
    /* the API's word for the same */
    struct pvc_spec pvc = {.ns = S("ns"), .name = S("c"), .storage_class = S("made"), .selected_node = S("n3")};
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(fits(s, p, "n3") && !fits(s, p, "n1"));
    check(s);
}

TEST(states_that_reject_everywhere)
{
    struct sched *s = make(2);
    struct err err = ERR_NONE;
    sym_t what[2];
    pod_id p = put_pod(s, "p", "c", "");
    const struct pod_class *c = class_of(s, p);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_NO_CLAIM);
    T_OK(!fits(s, p, "n0"));
    put_pvc(s, "c", "", 1, "");
    T_EQ_INT(storage_ready(s, c, what), STORAGE_IMMEDIATE);
    put_pvc(s, "c", "fast", 1, "");
    T_EQ_INT(storage_ready(s, c, what), STORAGE_IMMEDIATE); /* the class is not there */
    put_class(s, "fast", "d", false);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_IMMEDIATE);
    put_class(s, "fast", "d", true);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_OK);
    put_pvc(s, "c", "fast", 1, "v");
    T_EQ_INT(storage_ready(s, c, what), STORAGE_NO_VOLUME);
    put_pv(s, "v", "fast", 1, "", "", "d");
    T_EQ_INT(storage_ready(s, c, what), STORAGE_OK);
    T_OK(fits(s, p, "n0"));
    struct pvc_spec pvc = {.ns = S("ns"), .name = S("c"), .storage_class = S("fast"), .volume = S("v"), .prebound = true};
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_IMMEDIATE);
    pvc.prebound = false;
    pvc.deleting = true;
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_DELETING);
    pvc.lost = true;
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_EQ_INT(storage_ready(s, c, what), STORAGE_LOST);
    T_EQ_STR(symbol_text(&s->sym, what[0]), "c");
    T_EQ_STR(symbol_text(&s->sym, what[1]), "v");
    sched_pvc_delete(s, S("ns"), S("c"));
    T_EQ_INT(storage_ready(s, c, what), STORAGE_NO_CLAIM);
    sched_pv_delete(s, S("v"));
    sched_storage_class_delete(s, S("fast"));
    check(s);
}

TEST(a_rollback_gives_the_same_volume_back)
{
    struct sched *s = make(4);
    put_class(s, "local", "kubernetes.io/no-provisioner", true);
    put_pv(s, "v1", "local", 1, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "v2", "local", 2, "kubernetes.io/hostname", "n0", "");
    put_pv(s, "w", "local", 2, "kubernetes.io/hostname", "n1", "");
    put_pvc(s, "a", "local", 1, "");
    put_pvc(s, "b", "local", 1, "");
    pod_id a = put_pod(s, "a", "a", ""), b = put_pod(s, "b", "b", "");
    model_assign(s, a, node(s, "n0"), PS_ASSUMED, 0);
    model_assign(s, b, node(s, "n0"), PS_ASSUMED, 0);
    model_unassign(s, a); /* b keeps v2 although v1 would do now */
    T_EQ_STR(chosen(s, "b"), "v2");
    uint32_t mark = statement_begin(s);
    model_unassign(s, b);
    model_assign(s, b, node(s, "n1"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "b"), "w");
    model_unassign(s, b);
    model_assign(s, a, node(s, "n0"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "a"), "v1");
    statement_rollback(s, mark);
    T_EQ_STR(chosen(s, "b"), "v2");
    T_EQ_STR(chosen(s, "a"), "");
    check(s);
}

TEST(events_confirm_or_overrule_a_choice)
{
    struct sched *s = make(2);
    put_class(s, "net", "kubernetes.io/no-provisioner", true);
    put_pv(s, "v1", "net", 1, "", "", "");
    put_pv(s, "v2", "net", 2, "", "", "");
    put_pvc(s, "c", "net", 1, "");
    pod_id p = put_pod(s, "p", "c", "");
    model_assign(s, p, node(s, "n0"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "c"), "v1");
    /* the claim is bound to another one: v1 is free again */
    put_pvc(s, "c", "net", 1, "v2");
    T_EQ_STR(chosen(s, "c"), "");
    put_pvc(s, "d", "net", 1, "");
    pod_id q = put_pod(s, "q", "d", "");
    model_assign(s, q, node(s, "n1"), PS_ASSUMED, 0);
    T_EQ_STR(chosen(s, "d"), "v1");
    /* somebody else takes it */
    struct err err = ERR_NONE;
    struct pv_spec pv = {.name = S("v1"), .storage_class = S("net"), .bytes = GI, .claim_ns = S("ns"), .claim_name = S("e"), .access_modes = 1};
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_EQ_STR(chosen(s, "d"), "");
    /* the one it is reserved for gets it and no other */
    put_pvc(s, "e", "net", 1, "");
    pod_id r = put_pod(s, "r", "e", "");
    T_OK(fits(s, r, "n0"));
    put_pvc(s, "f", "net", 1, "");
    T_OK(!fits(s, put_pod(s, "t", "f", ""), "n0"));
    pv.deleting = true;
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_OK(!fits(s, r, "n0"));
    check(s);
}

TEST(modes_selectors_and_phases)
{
    struct sched *s = make(1);
    struct err err = ERR_NONE;
    put_class(s, "net", "kubernetes.io/no-provisioner", true);
    struct spec_label labels[] = {{S("kind"), S("ssd")}};
    struct pv_spec pv = {.name = S("v"), .storage_class = S("net"), .bytes = GI, .access_modes = 1, .labels = {labels, 1}};
    str want = S("ssd");
    struct spec_requirement r = {S("kind"), OP_IN, &want, 1};
    struct pvc_spec pvc = {.ns = S("ns"), .name = S("c"), .storage_class = S("net"), .bytes = GI, .access_modes = 1, .selector = {.p = &r, .n = 1}, .has_selector = true};
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    pod_id p = put_pod(s, "p", "c", "");
    T_OK(fits(s, p, "n0"));
    pvc.access_modes = 4;
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(!fits(s, p, "n0"));
    pvc.access_modes = 1;
    pvc.block = true;
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(!fits(s, p, "n0"));
    pvc.block = false;
    want = S("hdd");
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(!fits(s, p, "n0"));
    want = S("ssd");
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(fits(s, p, "n0"));
    pv.unavailable = true;
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_OK(!fits(s, p, "n0"));
    check(s);
}

static bool limit_fits(struct sched *s, pod_id p, const char *n)
{
    return storage_limit_fits(s, class_of(s, p), node(s, n), NULL, NULL, NULL);
}

TEST(limits_count_each_volume_once)
{
    struct sched *s = make(2);
    struct err err = ERR_NONE;
    put_class(s, "csi", "d", true);
    for (int i = 0; i < 4; i++) {
        char pv[8], pvc[8];
        snprintf(pv, sizeof pv, "v%d", i);
        snprintf(pvc, sizeof pvc, "c%d", i);
        put_pv(s, pv, "csi", 1, "", "", "d");
        put_pvc(s, pvc, "csi", 1, pv);
    }
    pod_id a = put_pod(s, "a", "c0", ""), b = put_pod(s, "b", "c0", "c1"), c = put_pod(s, "c", "c2", ""), d = put_pod(s, "d", "c2", "c3");
    /* attachments made before anybody limits them are counted, too */
    model_assign(s, a, node(s, "n0"), PS_ASSUMED, 0);
    T_OK(limit_fits(s, d, "n0"));
    struct spec_volume_limit limit = {S("d"), 2};
    T_NO_ERR(storage_limits_put(s, S("n0"), &limit, 1, &err), &err);
    T_NO_ERR(storage_limits_put(s, S("later"), &limit, 1, &err), &err);
    T_OK(limit_fits(s, b, "n0") && limit_fits(s, c, "n0") && !limit_fits(s, d, "n0") && limit_fits(s, d, "n1"));
    model_assign(s, b, node(s, "n0"), PS_ASSUMED, 0);
    T_OK(!limit_fits(s, c, "n0"));
    T_OK(limit_fits(s, put_pod(s, "again", "c1", "c0"), "n0")); /* brings nothing new */
    sym_t driver;
    int64_t need, have;
    T_OK(!storage_limit_fits(s, class_of(s, d), node(s, "n0"), &driver, &need, &have));
    T_EQ_STR(symbol_text(&s->sym, driver), "d");
    T_EQ_INT(need, 2);
    T_EQ_INT(have, 0);
    model_unassign(s, b);
    T_OK(limit_fits(s, c, "n0"));
    /* a claim without a volume counts under its class, and as the volume once it has one */
    put_pvc(s, "x", "csi", 1, "");
    pod_id x = put_pod(s, "x", "x", "");
    model_assign(s, x, node(s, "n0"), PS_ASSUMED, 0);
    T_OK(!limit_fits(s, c, "n0"));
    put_pvc(s, "x", "csi", 1, "v0"); /* the one a has */
    T_OK(limit_fits(s, c, "n0"));
    T_NO_ERR(storage_limits_put(s, S("n0"), NULL, 0, &err), &err);
    T_OK(limit_fits(s, d, "n0"));
    check(s);
}

TEST(nodes_come_and_go)
{
    struct sched *s = make(1);
    struct err err = ERR_NONE;
    str zones[] = {S("a"), S("b")};
    struct spec_requirement r = {S("topology.kubernetes.io/zone"), OP_IN, zones, 2};
    struct spec_node_term t = {.labels = {.p = &r, .n = 1}};
    struct pv_spec pv = {.name = S("v"), .node_affinity = &t, .nnode_affinity = 1, .has_node_affinity = true};
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    put_pvc(s, "c", "", 1, "v");
    put_pv(s, "h", "", 1, "kubernetes.io/hostname", "m100", "");
    put_pvc(s, "ch", "", 1, "h");
    pod_id p = put_pod(s, "p", "c", ""), q = put_pod(s, "q", "ch", "");
    struct spec_volume_limit limit = {S("d"), 7};
    for (int i = 0; i < 300; i++) { /* the columns grow on the way */
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S("topology.kubernetes.io/zone"), i % 3 == 0 ? S("a") : i % 3 == 1 ? S("b") : S("c")}};
        struct node_spec n = {.name = str_of(name), .labels = {labels, 2}, .volume_limits = &limit, .nvolume_limits = 1};
        T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    }
    T_OK(fits(s, p, "m0") && fits(s, p, "m1") && !fits(s, p, "m2"));
    T_OK(fits(s, q, "m100") && !fits(s, q, "m101"));
    struct spec_label moved[] = {{S("kubernetes.io/hostname"), S("m2")}, {S("topology.kubernetes.io/zone"), S("a")}};
    struct node_spec n = {.name = S("m2"), .labels = {moved, 2}};
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    T_OK(fits(s, p, "m2"));
    sched_node_delete(s, S("m100"));
    uint64_t *bits = xarray(s->view.words, uint64_t);
    memcpy(bits, s->alive, s->view.words * sizeof *bits);
    storage_bind_filter(s, class_of(s, q), bits);
    T_EQ_INT(bits_count(bits, s->view.words), 0);
    free(bits);
    check(s);
}

TEST(bad_specs_change_nothing)
{
    struct sched *s = make(1);
    struct err err = ERR_NONE;
    struct pv_spec pv = {0};
    T_ERR(sched_pv_put(s, &pv, &err), E_INVALID_ARG);
    struct pvc_spec pvc = {.ns = S("ns")};
    T_ERR(sched_pvc_put(s, &pvc, &err), E_INVALID_ARG);
    struct storage_class_spec c = {0};
    T_ERR(sched_storage_class_put(s, &c, &err), E_INVALID_ARG);
    struct spec_node_term *terms = xarray(5000, struct spec_node_term);
    pv = (struct pv_spec){.name = S("v"), .node_affinity = terms, .nnode_affinity = 5000, .has_node_affinity = true};
    T_ERR(sched_pv_put(s, &pv, &err), E_TOO_LARGE);
    free(terms);
    T_EQ_INT(s->storage->volumes.len, 0);
    sched_pv_delete(s, S("v"));
    sched_pvc_delete(s, S("ns"), S("c"));
    sched_storage_class_delete(s, S("x"));
    check(s);
}

TEST_MAIN(smallest_volume_that_fits, claims_of_one_pod_do_not_share, a_volume_is_made_where_the_class_allows, states_that_reject_everywhere, a_rollback_gives_the_same_volume_back,
          events_confirm_or_overrule_a_choice, modes_selectors_and_phases, limits_count_each_volume_once, nodes_come_and_go, bad_specs_change_nothing)
