/* authz_testing.h - a store in a folder of the test's own, and objects in it; for the tests of authn, authz, reviews and
 * bootstrap. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/internal.h"
#include "base/test.h"
#include "store/embedded/embedded.h"

struct testing {
    struct apiserver srv;
    struct arena arena;
    struct clock_fake clock;
    const char *dir;
};

static inline void testing_init(struct testing *t)
{
    struct err err;
    *t = (struct testing){.dir = T_TMPDIR()};
    clock_fake_init(&t->clock, 1800000000ll * NSEC_PER_SEC);
    struct store_embedded_opts opts = {.no_fsync = true};
    T_NO_ERR(store_embedded_open(t->dir, &opts, &t->srv.store, &err), &err);
    BUG_ON(!t->srv.store);
    t->srv.clock = &t->clock.clock;
    t->srv.opts = (struct apiserver_opts){.store = t->srv.store,
                                          .clock = t->srv.clock,
                                          .advertise_host = "10.0.0.1",
                                          .advertise_port = 6443,
                                          .service_cidr = "10.96.0.0/16",
                                          .sa_issuer = "https://issuer.test",
                                          .ca_pem = "CA",
                                          .anonymous = true};
    t->srv.authz = authz_new(t->srv.store);
}

static inline void testing_fini(struct testing *t)
{
    authn_free(t->srv.authn);
    authz_free(t->srv.authz);
    store_close(t->srv.store);
    arena_fini(&t->arena);
    char cmd[128];
    snprintf(cmd, sizeof cmd, "rm -rf %s", t->dir);
    if (system(cmd) != 0)
        printf("# could not remove %s\n", t->dir);
}

static inline void testing_commit(struct testing *t, struct store_op op)
{
    struct store_txn txn = {.ops = &op, .nops = 1};
    T_EQ_INT(store_commit(t->srv.store, &txn), 0);
    store_kv_unref(op.kv);
}

/* Writes an object that is given as JSON with ' for ". */
static inline void testing_put(struct testing *t, str group, str plural, const char *text)
{
    char *json = (char *)arena_cstr(&t->arena, str_of(text));
    for (char *c = json; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    struct json obj = json_literal(&t->arena, json);
    const struct api_resource *res = object_builtin(group, plural);
    struct store_op op = {
        .type = STORE_PUT, .key = object_key(&t->arena, res, object_ns(&obj), object_name(&obj)), .expect = STORE_ANY_REV};
    op.value = object_encode(&t->arena, res, &obj, &op.rev_at);
    testing_commit(t, op);
}

static inline void testing_delete(struct testing *t, str group, str plural, str ns, str name)
{
    testing_commit(t, (struct store_op){.type = STORE_DELETE,
                                        .key = object_key(&t->arena, object_builtin(group, plural), ns, name),
                                        .expect = STORE_ANY_REV});
}

#define RBAC S("rbac.authorization.k8s.io")
