/* schema_test.c - the generated tables hold together, and lookups find what is in them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/resource.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/test.h"

static const struct schema_type *type_find(const char *openapi)
{
    for (size_t i = 0; i < api_builtin_type_count; i++) {
        if (str_is(api_builtin_types[i]->openapi, openapi))
            return api_builtin_types[i];
    }
    return NULL;
}

static const struct api_resource *resource_find(const char *group, const char *version, const char *plural)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        if (str_is(r->group, group) && str_is(r->version, version) && str_is(r->plural, plural))
            return r;
    }
    return NULL;
}

static const struct schema_field *field_of(const char *openapi, const char *name)
{
    const struct schema_type *t = type_find(openapi);
    if (!t) {
        T_FAIL_("no type %s", openapi);
        exit(1);
    }
    const struct schema_field *f = schema_field_find(t, str_of(name));
    if (!f) {
        T_FAIL_("no field %s.%s", openapi, name);
        exit(1);
    }
    return f;
}

TEST(every_resource_is_complete)
{
    T_OK(api_builtin_count >= 45);
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *r = api_builtin_resources[i];
        T_OK(r->kind.len && r->plural.len && r->singular.len && r->list_kind.len && r->version.len);
        T_OK(r->storage_version.len && r->verbs);
        T_OK(r->type && str_eq(r->type->name, r->kind));
        T_OK(schema_field_find(r->type, S("apiVersion")) && schema_field_find(r->type, S("kind")));
        T_OK(schema_field_find(r->type, S("metadata")));
        if (r->verbs & API_VERB_LIST)
            T_OK(r->ncolumns > 0);
        for (size_t s = 0; s < r->nsubs; s++)
            T_OK(r->subs[s].type && r->subs[s].verbs && str_eq(r->subs[s].type->name, r->subs[s].kind));
        for (size_t c = 0; c < r->ncolumns; c++)
            T_OK(str_empty(r->columns[c].json_path) != str_empty(r->columns[c].cell));
    }
}

TEST(resources_are_unique)
{
    for (size_t i = 0; i < api_builtin_count; i++) {
        const struct api_resource *a = api_builtin_resources[i];
        for (size_t j = i + 1; j < api_builtin_count; j++) {
            const struct api_resource *b = api_builtin_resources[j];
            T_OK(!(str_eq(a->group, b->group) && str_eq(a->version, b->version) && str_eq(a->plural, b->plural)));
        }
    }
}

static void check_fields(const struct schema_type *t)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        T_OK(f->type && f->name.len);
        if (f->flags & SCHEMA_INLINE)
            T_OK(f->type->kind == SCHEMA_OBJECT && schema_field_find(t, f->type->fields[0].name) == &f->type->fields[0]);
        else
            T_OK(schema_field_find(t, f->name) == f);
        if (f->pb)
            T_OK(schema_field_by_pb(t, f->pb) == f); /* so numbers are unique */
        if (f->type->kind == SCHEMA_LIST) {
            for (size_t k = 0; k < f->type->nkeys; k++)
                T_OK(schema_field_find(f->type->elem, f->type->keys[k]) != NULL);
        }
        if (f->merge_key.len)
            T_OK(schema_field_find(f->type->elem, f->merge_key) != NULL);
    }
    T_OK(schema_field_find(t, S("no such field")) == NULL);
    T_OK(schema_field_find(t, S("")) == NULL);
    T_OK(schema_field_by_pb(t, 0) == NULL);
}

static void visit(struct map *seen, const struct schema_type *t)
{
    char key[32];
    snprintf(key, sizeof key, "%p", (const void *)t);
    if (map_has(seen, str_of(key)))
        return;
    map_put(seen, str_of(str_dup(str_of(key))), (void *)t);
    check_fields(t);
    if (t->kind == SCHEMA_LIST || t->kind == SCHEMA_MAP) {
        T_OK(t->elem != NULL);
        visit(seen, t->elem);
    }
    for (size_t i = 0; i < t->nfields; i++)
        visit(seen, t->fields[i].type);
}

TEST(every_field_of_every_type_is_found)
{
    struct map seen = MAP_INIT;
    for (size_t i = 0; i < api_builtin_type_count; i++)
        visit(&seen, api_builtin_types[i]);
    T_OK(seen.len > 500);
    map_foreach(e, &seen)
        free((char *)e->key.p);
    map_fini(&seen);
}

TEST(openapi_names_are_unique)
{
    struct map names = MAP_INIT;
    for (size_t i = 0; i < api_builtin_type_count; i++) {
        const struct schema_type *t = api_builtin_types[i];
        T_OK(t->openapi.len && t->name.len && t->doc.len);
        T_OK(map_put(&names, t->openapi, (void *)t) == NULL);
    }
    map_fini(&names);
}

TEST(lists_know_their_keys)
{
    const struct schema_field *f = field_of("io.k8s.api.core.v1.PodSpec", "containers");
    T_EQ_INT(f->pb, 2);
    T_EQ_INT(f->patch, SCHEMA_PATCH_MERGE);
    T_EQ_STR(f->merge_key, "name");
    T_EQ_INT(f->type->list_type, SCHEMA_LIST_MAP);
    T_EQ_INT(f->type->nkeys, 1);
    T_EQ_STR(f->type->keys[0], "name");
    T_EQ_STR(f->type->elem->name, "Container");
    T_OK(f->flags & SCHEMA_REQUIRED);

    f = field_of("io.k8s.api.core.v1.ServiceSpec", "ports");
    T_EQ_STR(f->merge_key, "port");
    T_EQ_INT(f->type->nkeys, 2);
    T_EQ_STR(f->type->keys[0], "port");
    T_EQ_STR(f->type->keys[1], "protocol");

    f = field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "ownerReferences");
    T_EQ_STR(f->merge_key, "uid");
    f = field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers");
    T_EQ_INT(f->patch, SCHEMA_PATCH_MERGE);
    T_EQ_INT(f->type->list_type, SCHEMA_LIST_SET);
    f = field_of("io.k8s.api.apps.v1.DeploymentSpec", "strategy");
    T_EQ_INT(f->patch, SCHEMA_PATCH_RETAIN_KEYS);
    f = field_of("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", "selector");
    T_EQ_INT(f->patch, SCHEMA_PATCH_REPLACE);
}

TEST(flags_follow_the_wire_form)
{
    T_OK(schema_meta_v1_LabelSelector.atomic);
    T_OK(schema_meta_v1_OwnerReference.atomic);
    T_OK(field_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp")->flags & SCHEMA_ALWAYS);
    T_OK(field_of("io.k8s.api.core.v1.Container", "resources")->flags & SCHEMA_ALWAYS);
    T_OK(field_of("io.k8s.api.core.v1.Pod", "status")->flags & SCHEMA_ALWAYS);
    T_OK(field_of("io.k8s.api.apps.v1.DeploymentSpec", "replicas")->flags & SCHEMA_POINTER);
    T_OK(field_of("io.k8s.api.core.v1.Volume", "emptyDir")->flags & SCHEMA_POINTER);
    T_OK(!(field_of("io.k8s.api.core.v1.PodSpec", "hostNetwork")->flags & SCHEMA_POINTER));
    T_OK(field_of("io.k8s.api.core.v1.PodSpec", "nodeSelector")->type->atomic);
    T_OK(!field_of("io.k8s.api.core.v1.PersistentVolumeSpec", "claimRef")->type->atomic);
    T_EQ_STR(field_of("io.k8s.api.core.v1.ContainerPort", "protocol")->dflt, "\"TCP\"");
    T_EQ_INT(field_of("io.k8s.api.core.v1.PodSpec", "restartPolicy")->rules->nenums, 3);
    T_EQ_INT(field_of("io.k8s.api.core.v1.ServiceSpec", "ipFamilies")->type->elem->rules->nenums, 2);
    T_OK(field_of("io.k8s.api.core.v1.Secret", "data")->type->elem == &schema_bytes);
    T_OK(field_of("io.k8s.api.core.v1.ResourceRequirements", "limits")->type->elem == &schema_quantity);
}

TEST(versions_share_a_store)
{
    const struct api_resource *r = resource_find("events.k8s.io", "v1", "events");
    T_OK(r && str_empty(r->storage_group));
    r = resource_find("autoscaling", "v1", "horizontalpodautoscalers");
    T_OK(r && str_is(r->storage_version, "v2"));
    r = resource_find("", "v1", "pods");
    T_OK(r && api_is_namespaced(r) && (r->flags & API_GENERATION));
    const struct api_subresource *s = api_subresource_find(r, S("eviction"));
    T_OK(s && str_is(s->group, "policy") && str_is(s->kind, "Eviction") && s->verbs == API_VERB_CREATE);
    T_OK(api_subresource_find(r, S("scale")) == NULL);
    r = resource_find("apps", "v1", "deployments");
    s = api_subresource_find(r, S("scale"));
    T_OK(s && str_is(s->type->openapi, "io.k8s.api.autoscaling.v1.Scale"));
}

TEST(group_versions_are_written_as_clients_do)
{
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(api_group_version(&a, S(""), S("v1")), "v1");
    T_EQ_STR(api_group_version(&a, S("apps"), S("v1")), "apps/v1");
}

TEST_MAIN(every_resource_is_complete, resources_are_unique, every_field_of_every_type_is_found, openapi_names_are_unique,
          lists_know_their_keys, flags_follow_the_wire_form, versions_share_a_store, group_versions_are_written_as_clients_do)
