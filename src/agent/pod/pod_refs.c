/* pod_refs.c - which objects a pod names.
 *
 * One walk over volumes, environments and names of the spec.  The first call gives all but PersistentVolumes; when the claims were fetched, the second adds
 * theirs behind the others, so that what was fetched keeps its place. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#define TOKEN_DEFAULT_S 3600

struct collect {
    struct arena *a;
    str ns;
    struct pod_ref *refs;
    size_t n, cap;
};

static bool is_same(const struct pod_ref *x, const struct pod_ref *y)
{
    return x->kind == y->kind && str_eq(x->name, y->name) && (x->kind != REF_TOKEN || (str_eq(x->audience, y->audience) && x->expires_s == y->expires_s));
}

static void add(struct collect *c, struct pod_ref ref)
{
    if (!ref.name.len && ref.kind != REF_SERVICES)
        return;
    for (size_t i = 0; i < c->n; i++)
        if (is_same(&c->refs[i], &ref)) {
            c->refs[i].optional &= ref.optional; /* one who must have it is enough */
            return;
        }
    if (c->n == c->cap) {
        size_t cap = c->cap ? c->cap * 2 : 8;
        struct pod_ref *more = arena_array(c->a, cap, struct pod_ref);
        if (c->n)
            memcpy(more, c->refs, c->n * sizeof *more);
        c->refs = more;
        c->cap = cap;
    }
    c->refs[c->n++] = ref;
}

static void add_named(struct collect *c, enum ref_kind kind, const struct json *ref, str key)
{
    if (ref)
        add(c, (struct pod_ref){.kind = kind, .ns = c->ns, .name = json_get_str(ref, key), .optional = json_get_bool(ref, S("optional"), false)});
}

static void add_projected(struct collect *c, const struct json *sources, str account)
{
    for (uint32_t i = 0; json_is(sources, JSON_ARRAY) && i < sources->len; i++) {
        const struct json *s = &sources->items[i], *token = json_get(s, S("serviceAccountToken"));
        add_named(c, REF_CONFIGMAP, json_get(s, S("configMap")), S("name"));
        add_named(c, REF_SECRET, json_get(s, S("secret")), S("name"));
        if (token)
            add(c, (struct pod_ref){.kind = REF_TOKEN, .ns = c->ns, .name = account, .audience = json_get_str(token, S("audience")), .expires_s = json_get_int(token, S("expirationSeconds"), TOKEN_DEFAULT_S)});
    }
}

static void add_volumes(struct collect *c, const struct json *pod, const struct json *spec)
{
    const struct json *all = json_get(spec, S("volumes"));
    str account = json_get_str(spec, S("serviceAccountName"));
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
        const struct json *v = &all->items[i];
        add_named(c, REF_CONFIGMAP, json_get(v, S("configMap")), S("name"));
        add_named(c, REF_SECRET, json_get(v, S("secret")), S("secretName"));
        add_named(c, REF_PVC, json_get(v, S("persistentVolumeClaim")), S("claimName"));
        add_projected(c, json_get(json_get(v, S("projected")), S("sources")), account.len ? account : S("default"));
        if (json_get(v, S("ephemeral"))) {
            str name = json_get_str(json_get(pod, S("metadata")), S("name")), volume = json_get_str(v, S("name"));
            add(c, (struct pod_ref){.kind = REF_PVC, .ns = c->ns, .name = arena_fmt(c->a, STR_FMT "-" STR_FMT, STR_ARG(name), STR_ARG(volume))});
        }
    }
}

static void add_environment(struct collect *c, const struct json *container)
{
    const struct json *env = json_get(container, S("env")), *from = json_get(container, S("envFrom"));
    for (uint32_t i = 0; json_is(env, JSON_ARRAY) && i < env->len; i++) {
        const struct json *source = json_get(&env->items[i], S("valueFrom"));
        add_named(c, REF_CONFIGMAP, json_get(source, S("configMapKeyRef")), S("name"));
        add_named(c, REF_SECRET, json_get(source, S("secretKeyRef")), S("name"));
    }
    for (uint32_t i = 0; json_is(from, JSON_ARRAY) && i < from->len; i++) {
        add_named(c, REF_CONFIGMAP, json_get(&from->items[i], S("configMapRef")), S("name"));
        add_named(c, REF_SECRET, json_get(&from->items[i], S("secretRef")), S("name"));
    }
}

size_t pod_refs(struct arena *a, const struct json *pod, const struct pod_ref *known, size_t nknown, struct pod_ref **ret)
{
    static const str lists[] = {STR_INIT("initContainers"), STR_INIT("containers"), STR_INIT("ephemeralContainers")};
    const struct json *spec = json_get(pod, S("spec"));
    struct collect c = {.a = a, .ns = json_get_str(json_get(pod, S("metadata")), S("namespace"))};
    for (size_t i = 0; i < nknown; i++)
        add(&c, known[i]);
    add_volumes(&c, pod, spec);
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
            add_environment(&c, &all->items[i]);
    }
    const struct json *pulls = json_get(spec, S("imagePullSecrets"));
    for (uint32_t i = 0; json_is(pulls, JSON_ARRAY) && i < pulls->len; i++)
        add(&c, (struct pod_ref){.kind = REF_SECRET, .ns = c.ns, .name = json_get_str(&pulls->items[i], S("name")), .optional = true});
    add(&c, (struct pod_ref){.kind = REF_RUNTIMECLASS, .name = json_get_str(spec, S("runtimeClassName"))});
    if (json_get_bool(spec, S("enableServiceLinks"), true))
        add(&c, (struct pod_ref){.kind = REF_SERVICES, .ns = c.ns});
    for (size_t i = 0; i < nknown; i++)
        if (known[i].kind == REF_PVC)
            add(&c, (struct pod_ref){.kind = REF_PV, .name = json_get_str(json_get(known[i].object, S("spec")), S("volumeName"))});
    *ret = c.refs;
    return c.n;
}

const struct pod_ref *pod_ref_find(const struct pod_ref *refs, size_t n, enum ref_kind kind, str name)
{
    for (size_t i = 0; i < n; i++)
        if (refs[i].kind == kind && (kind == REF_SERVICES || str_eq(refs[i].name, name)))
            return &refs[i];
    return NULL;
}
