/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "cli/discovery.h"

static const char core[] =
    "{\"items\":[{\"metadata\":{\"name\":\"\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
    "{\"resource\":\"pods\",\"responseKind\":{\"kind\":\"Pod\"},\"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"po\"],"
    "\"categories\":[\"all\"],\"subresources\":[{\"subresource\":\"status\"}]},"
    "{\"resource\":\"nodes\",\"responseKind\":{\"kind\":\"Node\"},\"scope\":\"Cluster\",\"singularResource\":\"node\",\"verbs\":[\"get\"],\"shortNames\":[\"no\"]},"
    "{\"resource\":\"events\",\"responseKind\":{\"kind\":\"Event\"},\"scope\":\"Namespaced\",\"singularResource\":\"event\",\"verbs\":[\"get\"]}]}]}]}";
static const char groups[] =
    "{\"items\":[{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
    "{\"resource\":\"deployments\",\"responseKind\":{\"kind\":\"Deployment\"},\"scope\":\"Namespaced\",\"singularResource\":\"deployment\",\"verbs\":[\"get\"],\"shortNames\":[\"deploy\"]}]}]},"
    "{\"metadata\":{\"name\":\"autoscaling\"},\"versions\":[{\"version\":\"v2\",\"resources\":["
    "{\"resource\":\"horizontalpodautoscalers\",\"responseKind\":{\"kind\":\"HorizontalPodAutoscaler\"},\"scope\":\"Namespaced\",\"verbs\":[\"get\"],\"shortNames\":[\"hpa\"]}]},"
    "{\"version\":\"v1\",\"resources\":["
    "{\"resource\":\"horizontalpodautoscalers\",\"responseKind\":{\"kind\":\"HorizontalPodAutoscaler\"},\"scope\":\"Namespaced\",\"verbs\":[\"get\"],\"shortNames\":[\"hpa\"]}]}]},"
    "{\"metadata\":{\"name\":\"events.k8s.io\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
    "{\"resource\":\"events\",\"responseKind\":{\"kind\":\"Event\"},\"scope\":\"Namespaced\",\"singularResource\":\"event\",\"verbs\":[\"get\"]}]}]}]}";

static struct discovery make(struct arena *a)
{
    struct discovery d = {0};
    struct json one = json_literal(a, core), two = json_literal(a, groups);
    discovery_add(&d, a, &one);
    discovery_add(&d, a, &two);
    return d;
}

TEST(discovery_words_for_types)
{
    ARENA_AUTO a = ARENA_INIT;
    struct discovery d = make(&a);
    static const struct {
        const char *word, *group_version, *plural;
    } cases[] = {
        {"pods", "v1", "pods"},
        {"po", "v1", "pods"},
        {"Pod", "v1", "pods"},
        {"PODS", "v1", "pods"},
        {"pods.v1", "v1", "pods"},
        {"no", "v1", "nodes"},
        {"events", "v1", "events"},
        {"events.events.k8s.io", "events.k8s.io/v1", "events"},
        {"events.v1.events.k8s.io", "events.k8s.io/v1", "events"},
        {"deploy", "apps/v1", "deployments"},
        {"deployments.apps", "apps/v1", "deployments"},
        {"deploy.v1.apps", "apps/v1", "deployments"},
        {"deployments.app", "apps/v1", "deployments"},
        {"hpa", "autoscaling/v2", "horizontalpodautoscalers"},
        {"hpa.v1.autoscaling", "autoscaling/v1", "horizontalpodautoscalers"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct discovery_resource *r = discovery_find(&d, str_of(cases[i].word));
        T_OK(r != NULL);
        if (r) {
            T_EQ_STR(discovery_group_version(&a, r), cases[i].group_version);
            T_EQ_STR(r->plural, cases[i].plural);
        }
    }
    T_OK(!discovery_find(&d, S("foo")));
    T_OK(!discovery_find(&d, S("pods.apps")));
    T_OK(!discovery_find(&d, S("deployments.v2.apps")));
    T_OK(!discovery_find(&d, S("")));
}

TEST(discovery_kinds)
{
    ARENA_AUTO a = ARENA_INIT;
    struct discovery d = make(&a);
    T_EQ_STR(discovery_find_kind(&d, S("apps/v1"), S("Deployment"))->plural, "deployments");
    T_EQ_STR(discovery_find_kind(&d, S("v1"), S("Event"))->group, "");
    T_OK(!discovery_find_kind(&d, S("v1"), S("Deployment")));
}

TEST(discovery_names_and_paths)
{
    ARENA_AUTO a = ARENA_INIT;
    struct discovery d = make(&a);
    const struct discovery_resource *pods = discovery_find(&d, S("pods")), *deploy = discovery_find(&d, S("deploy")),
                                    *nodes = discovery_find(&d, S("nodes"));
    T_EQ_STR(discovery_type_name(&a, deploy), "deployment.apps");
    T_EQ_STR(discovery_type_name(&a, pods), "pod");
    T_EQ_STR(discovery_group_resource(&a, deploy), "deployments.apps");
    T_EQ_STR(discovery_path(&a, pods, S("default"), S("web"), S("status")), "/api/v1/namespaces/default/pods/web/status");
    T_EQ_STR(discovery_path(&a, deploy, S(""), S(""), S("")), "/apis/apps/v1/deployments");
    T_EQ_STR(discovery_path(&a, nodes, S("default"), S("a/b?c"), S("")), "/api/v1/nodes/a%2Fb%3Fc");
    T_OK(discovery_has_category(pods, S("all")) && !discovery_has_category(nodes, S("all")));
}

TEST_MAIN(discovery_words_for_types, discovery_kinds, discovery_names_and_paths)
