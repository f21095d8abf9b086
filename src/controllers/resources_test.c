/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/resources.h"

#include "base/test.h"
#include "base/vec.h"

/* Answers discovery from a table, when the test says so and in the order of its choice. */
struct fake {
    struct client_transport t;
    VEC(struct client_call *) calls;
    bool group_fails;
};

static void fake_call(struct client_transport *t, struct client_call *c)
{
    struct fake *f = container_of(t, struct fake, t);
    vec_push(&f->calls, c);
}

static const struct {
    const char *path, *body;
} documents[] = {
    {"/apis", "{\"groups\":[{\"name\":\"scale\",\"versions\":[{\"version\":\"v2\"},{\"version\":\"v1\"}]},{\"name\":\"x.io\",\"versions\":[{\"version\":\"v1\"}]}]}"},
    {"/api/v1", "{\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\",\"namespaced\":true,\"verbs\":[\"get\",\"list\",\"watch\",\"delete\"]},"
                "{\"name\":\"pods/log\",\"kind\":\"Pod\",\"namespaced\":true,\"verbs\":[\"get\"]},{\"name\":\"nodes\",\"kind\":\"Node\",\"namespaced\":false,\"verbs\":[\"list\"]}]}"},
    {"/apis/scale/v2", "{\"resources\":[{\"name\":\"hpas\",\"kind\":\"HPA\",\"namespaced\":true,\"verbs\":[\"list\"]}]}"},
    {"/apis/scale/v1", "{\"resources\":[{\"name\":\"hpas\",\"kind\":\"HPA\",\"namespaced\":true,\"verbs\":[\"list\"]},"
                       "{\"name\":\"olds\",\"kind\":\"Old\",\"namespaced\":true,\"verbs\":[\"list\"]}]}"},
    {"/apis/x.io/v1", "{\"resources\":[]}"},
};

static void answer(struct fake *f)
{
    while (f->calls.len) {
        struct client_call *c = vec_pop(&f->calls); /* the last first: versions come in the wrong order */
        c->status = 404;
        for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
            if (!str_is(c->path, documents[i].path))
                continue;
            c->status = f->group_fails && i == ARRAY_LEN(documents) - 1 ? 503 : 200;
            c->response = str_of(documents[i].body);
        }
        c->done(c);
    }
}

struct waiter {
    struct resources_wait wait;
    int called;
    struct resource_set *set;
};

static void on_done(struct resources_wait *w, struct resource_set *set)
{
    struct waiter *x = container_of(w, struct waiter, wait);
    x->called++;
    x->set = set ? resource_set_ref(set) : NULL;
}

TEST(finds_resources_and_their_preferred_version)
{
    struct fake f = {.t = {.call = fake_call}};
    struct resources *r = resources_new(&f.t, NULL);
    struct waiter w = {.wait.done = on_done};
    resources_refresh(r, &w.wait);
    T_OK(!resources_current(r));
    answer(&f);
    T_EQ_INT(w.called, 1);
    T_OK(w.set && w.set == resources_current(r) && !w.set->failed.len);
    T_EQ_INT(w.set->len, 5);
    const struct resource *pods = resource_find(w.set, S(""), S("pods")), *hpas = resource_find(w.set, S("scale"), S("hpas")), *olds = resource_find_kind(w.set, S("scale"), S("Old"));
    T_OK(pods && pods->namespaced && resource_has(pods, RESOURCE_LIST | RESOURCE_WATCH) && !resource_has(pods, RESOURCE_DELETECOLLECTION));
    T_EQ_STR(hpas->version, "v2");
    T_EQ_STR(olds->version, "v1");
    T_OK(!resource_find(w.set, S(""), S("hpas")) && !resource_find(w.set, S(""), S("pods/log")));
    resource_set_unref(w.set);
    resources_free(r);
    vec_fini(&f.calls);
}

TEST(what_does_not_answer_is_named)
{
    struct fake f = {.t = {.call = fake_call}, .group_fails = true};
    struct resources *r = resources_new(&f.t, NULL);
    struct waiter w = {.wait.done = on_done};
    resources_refresh(r, &w.wait);
    answer(&f);
    T_EQ_STR(w.set->failed, "x.io/v1");
    resource_set_unref(w.set);
    resources_free(r);
    vec_fini(&f.calls);
}

TEST(a_refresh_is_no_older_than_its_request)
{
    struct fake f = {.t = {.call = fake_call}};
    struct resources *r = resources_new(&f.t, NULL);
    struct waiter a = {.wait.done = on_done}, b = a, c = a;
    resources_refresh(r, &a.wait);
    resources_refresh(r, &b.wait); /* the run has begun: b and c share the next */
    resources_refresh(r, &c.wait);
    answer(&f);
    T_EQ_INT(a.called + b.called + c.called, 3);
    T_OK(b.set == c.set && a.set != b.set);
    T_OK(resources_current(r) == b.set);
    resource_set_unref(a.set);
    resource_set_unref(b.set);
    resource_set_unref(c.set);
    resources_free(r);
    vec_fini(&f.calls);
}

TEST(no_answer_at_all)
{
    struct fake f = {.t = {.call = fake_call}};
    struct resources *r = resources_new(&f.t, NULL);
    struct waiter w = {.wait.done = on_done};
    resources_refresh(r, &w.wait);
    struct client_call *c = vec_pop(&f.calls);
    c->status = 0;
    c->done(c);
    T_EQ_INT(w.called, 1);
    T_OK(!w.set && !resources_current(r));
    resources_free(r);
    vec_fini(&f.calls);
}

TEST(paths)
{
    ARENA_AUTO a = ARENA_INIT;
    struct resource pods = {.group = S(""), .version = S("v1"), .plural = S("pods"), .namespaced = true}, roles = {.group = S("r.io"), .version = S("v2"), .plural = S("roles")};
    T_EQ_STR(resource_path(&a, &pods, S(""), S("")), "/api/v1/pods");
    T_EQ_STR(resource_path(&a, &pods, S("ns"), S("x")), "/api/v1/namespaces/ns/pods/x");
    T_EQ_STR(resource_path(&a, &roles, S("ignored"), S("system:a b/c?%")), "/apis/r.io/v2/roles/system:a%20b%2Fc%3F%25");
}

TEST_MAIN(finds_resources_and_their_preferred_version, what_does_not_answer_is_named, a_refresh_is_no_older_than_its_request, no_answer_at_all, paths)
