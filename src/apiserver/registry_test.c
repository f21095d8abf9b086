/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/registry.h"

#include <pthread.h>

#include "apiserver/discovery.h"
#include "base/test.h"
#include "wire/json.h"

TEST(built_in_resources_are_found)
{
    struct registry r;
    registry_init(&r);
    struct registry_snapshot *s = registry_current(&r);
    const struct api_resource *pods = registry_find(s, S(""), S("v1"), S("pods"));
    T_OK(pods && str_is(pods->kind, "Pod"));
    T_OK(registry_find_kind(s, S("apps"), S("v1"), S("Deployment")) == registry_find(s, S("apps"), S("v1"), S("deployments")));
    T_OK(!registry_find(s, S("apps"), S("v1"), S("pods")));
    const struct api_resource *old = registry_find(s, S("autoscaling"), S("v1"), S("horizontalpodautoscalers"));
    T_OK(old && str_is(registry_storage(s, old)->version, "v2"));
    T_OK(registry_has_group(s, S("batch")) && !registry_has_group(s, S("nope")));
    registry_unref(s);
    registry_fini(&r);
}

TEST(versions_sort_as_kubernetes_sorts_them)
{
    static const char *const order[] = {"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        for (size_t k = 0; k < ARRAY_LEN(order); k++) {
            int c = registry_version_cmp(str_of(order[i]), str_of(order[k]));
            T_OK((c < 0) == (i < k) && (c == 0) == (i == k));
        }
}

static struct api_resource *custom(struct arena *a, const char *group, const char *version)
{
    struct api_resource *r = arena_new(a, struct api_resource);
    r->group = r->storage_group = arena_str(a, str_of(group));
    r->version = r->storage_version = arena_str(a, str_of(version));
    r->kind = S("Widget");
    r->list_kind = S("WidgetList");
    r->plural = S("widgets");
    r->singular = S("widget");
    r->flags = API_CUSTOM | API_NAMESPACED;
    r->verbs = API_VERBS_ALL;
    return r;
}

TEST(a_published_snapshot_replaces_the_one_before)
{
    struct registry r;
    registry_init(&r);
    struct registry_snapshot *before = registry_current(&r);
    struct arena arena = ARENA_INIT;
    const struct api_resource *list[] = {custom(&arena, "example.com", "v1"), custom(&arena, "example.com", "v1beta1")};
    registry_publish(&r, arena, list, ARRAY_LEN(list));
    struct registry_snapshot *after = registry_current(&r);
    T_OK(!registry_find(before, S("example.com"), S("v1"), S("widgets")));
    T_OK(registry_find(after, S("example.com"), S("v1"), S("widgets")) != NULL);
    T_OK(after->generation > before->generation);
    T_OK(str_is(after->gvs[after->ngvs - 2].version, "v1")); /* custom groups last, newest version first */
    registry_unref(before);
    registry_unref(after);
    registry_fini(&r);
}

/* Clients take the first group that has what they look for. */
TEST(groups_stand_in_order)
{
    struct registry r;
    registry_init(&r);
    struct arena arena = ARENA_INIT;
    const struct api_resource *list[] = {custom(&arena, "a.example", "v1"), custom(&arena, "scheduling.x-k8s.io", "v1alpha1"), custom(&arena, "scheduling.run.ai", "v3")};
    registry_publish(&r, arena, list, ARRAY_LEN(list));
    struct registry_snapshot *s = registry_current(&r);
    static const char *const order[] = {"/v1", "apps/v1", "scheduling.run.ai/v3", "scheduling.run.ai/v2", "scheduling.run.ai/v2alpha2", "scheduling.run.ai/v1alpha2", "scheduling.x-k8s.io/v1alpha1",
                                        "scheduling.godel.kubewharf.io/v1alpha1", "a.example/v1"};
    size_t at = 0;
    for (size_t i = 0; i < s->ngvs; i++) {
        char gv[128];
        snprintf(gv, sizeof gv, STR_FMT "/" STR_FMT, STR_ARG(s->gvs[i].group), STR_ARG(s->gvs[i].version));
        at += at < ARRAY_LEN(order) && strcmp(gv, order[at]) == 0;
        for (size_t k = 0; k < i; k++)
            T_OK(!str_eq(s->gvs[i].group, s->gvs[k].group) || !str_eq(s->gvs[i].version, s->gvs[k].version)); /* each once, whoever brought it */
    }
    T_EQ_INT(at, ARRAY_LEN(order));
    T_OK(registry_find(s, S("scheduling.x-k8s.io"), S("v1alpha1"), S("podgroups")) && registry_find(s, S("scheduling.x-k8s.io"), S("v1alpha1"), S("widgets")));
    registry_unref(s);
    registry_fini(&r);
}

TEST(discovery_documents_are_json)
{
    ARENA_AUTO a = ARENA_INIT;
    struct registry r;
    registry_init(&r);
    struct registry_snapshot *s = registry_current(&r);
    struct strbuf docs[6] = {strbuf_on(&a), strbuf_on(&a), strbuf_on(&a), strbuf_on(&a), strbuf_on(&a), strbuf_on(&a)};
    discovery_api_versions(&docs[0], "127.0.0.1:6443");
    discovery_group_list(&docs[1], s);
    T_OK(discovery_group(&docs[2], s, S("apps")));
    T_OK(discovery_resource_list(&docs[3], s, S(""), S("v1")));
    discovery_aggregated(&docs[4], s, true, S("v2"));
    discovery_aggregated(&docs[5], s, false, S("v2beta1"));
    for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
        struct json v;
        struct err err = ERR_NONE;
        T_NO_ERR(json_parse(&a, strbuf_str(&docs[i]), NULL, &v, &err), &err);
        T_OK(json_get_str(&v, S("kind")).len > 0);
    }
    T_OK(!discovery_group(&docs[0], s, S("nope")));
    registry_unref(s);
    registry_fini(&r);
}

static void *read_many(void *arg)
{
    for (int i = 0; i < 2000; i++) {
        struct registry_snapshot *s = registry_current(arg);
        BUG_ON(!registry_find(s, S(""), S("v1"), S("pods")));
        registry_unref(s);
    }
    return NULL;
}

TEST(readers_and_a_publisher_do_not_disturb_each_other)
{
    struct registry r;
    registry_init(&r);
    pthread_t readers[3];
    for (size_t i = 0; i < ARRAY_LEN(readers); i++)
        pthread_create(&readers[i], NULL, read_many, &r);
    for (int i = 0; i < 200; i++) {
        struct arena arena = ARENA_INIT;
        const struct api_resource *list[] = {custom(&arena, "example.com", "v1")};
        registry_publish(&r, arena, list, 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(readers); i++)
        pthread_join(readers[i], NULL);
    struct registry_snapshot *s = registry_current(&r);
    T_EQ_INT(s->generation, 201);
    registry_unref(s);
    registry_fini(&r);
}

TEST_MAIN(built_in_resources_are_found, versions_sort_as_kubernetes_sorts_them, a_published_snapshot_replaces_the_one_before, groups_stand_in_order, discovery_documents_are_json,
          readers_and_a_publisher_do_not_disturb_each_other)
