/* admission_pod.c - what every new pod gets: a service account with its token volume, a priority, tolerations, overhead. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"

#define TOKEN_MOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

/* --- ServiceAccount ------------------------------------------------------------------------------------------------------------------- */

static bool mounts_tokens(const struct json *containers)
{
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        const struct json *mounts = json_get(&containers->items[i], S("volumeMounts"));
        for (uint32_t k = 0; json_is(mounts, JSON_ARRAY) && k < mounts->len; k++)
            if (str_is(json_get_str(&mounts->items[k], S("mountPath")), TOKEN_MOUNT))
                return true;
    }
    return false;
}

/* Containers that mount something at the token's place already keep it. */
static bool add_mount(struct arena *a, struct json *containers, str volume)
{
    bool used = false;
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        struct json one = {.type = JSON_ARRAY, .len = 1, .cap = 1, .items = &containers->items[i]};
        if (mounts_tokens(&one))
            continue;
        struct json *mounts = json_get(&containers->items[i], S("volumeMounts"));
        if (!json_is(mounts, JSON_ARRAY))
            mounts = json_set(a, &containers->items[i], S("volumeMounts"), json_array());
        struct json m = json_object();
        json_set(a, &m, S("name"), json_string(volume));
        json_set(a, &m, S("readOnly"), json_bool(true));
        json_set(a, &m, S("mountPath"), json_string(S(TOKEN_MOUNT)));
        json_push(a, mounts, m);
        used = true;
    }
    return used;
}

static void add_token_volume(struct admission_attrs *at, struct json *spec)
{
    struct arena *a = at->arena;
    char tail[6];
    object_random_suffix(tail);
    str name = arena_fmt(a, "kube-api-access-%s", tail);
    bool used = add_mount(a, json_get(spec, S("initContainers")), name);
    used = add_mount(a, json_get(spec, S("containers")), name) || used;
    if (!used)
        return;
    struct json *volumes = json_get(spec, S("volumes"));
    if (!json_is(volumes, JSON_ARRAY))
        volumes = json_set(a, spec, S("volumes"), json_array());
    struct json v = json_literal(
        a, "{\"name\":\"\",\"projected\":{\"sources\":[{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
           "{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},"
           "{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],\"defaultMode\":420}}");
    json_set(a, &v, S("name"), json_string(name));
    json_push(a, volumes, v);
}

int admit_service_account(struct admission_attrs *at, struct err *err)
{
    struct json *spec = admission_new_pod_spec(at), sa;
    if (!spec)
        return 0;
    struct arena *a = at->arena;
    str name = json_get_str(spec, S("serviceAccountName"));
    if (json_get(json_get(object_meta(at->obj), S("annotations")), S("kubernetes.io/config.mirror")))
        return name.len ? admission_forbid(at, err, "a mirror pod may not reference service accounts") : 0;
    if (!name.len) {
        name = S("default");
        json_set(a, spec, S("serviceAccountName"), json_string(name));
    }
    json_set(a, spec, S("serviceAccount"), json_string(name)); /* the old name of the field */
    if (!object_get_having(at->store, a, S(""), S("serviceaccounts"), at->ns, name, "\"automountServiceAccountToken\"", "\"imagePullSecrets\"", &sa))
        return admission_forbid(at, err, "error looking up service account " STR_FMT "/" STR_FMT ": serviceaccount \"" STR_FMT "\" not found", STR_ARG(at->ns), STR_ARG(name),
                                STR_ARG(name));
    bool automount = json_get_bool(&sa, S("automountServiceAccountToken"), true);
    if (json_get_bool(spec, S("automountServiceAccountToken"), automount))
        add_token_volume(at, spec);
    const struct json *secrets = json_get(&sa, S("imagePullSecrets"));
    if (json_is(secrets, JSON_ARRAY) && secrets->len && !json_get(spec, S("imagePullSecrets")))
        json_set(a, spec, S("imagePullSecrets"), json_copy(a, secrets));
    return 0;
}

/* --- Priority ---------------------------------------------------------------------------------------------------------------------------- */

struct global_default {
    struct json class;
    bool found;
};

static bool find_global_default(void *arg, struct json *obj, const struct store_kv *kv UNUSED)
{
    struct global_default *g = arg;
    bool is_default = json_get_bool(obj, S("globalDefault"), false);
    /* with several, the smallest value counts */
    if (is_default && (!g->found || json_get_int(obj, S("value"), 0) < json_get_int(&g->class, S("value"), 0))) {
        g->class = *obj;
        g->found = true;
    }
    return true;
}

int admit_priority(struct admission_attrs *at, struct err *err)
{
    struct json *spec = admission_new_pod_spec(at);
    if (!spec)
        return 0;
    struct arena *a = at->arena;
    str name = json_get_str(spec, S("priorityClassName"));
    struct global_default g = {.found = false};
    if (name.len) {
        if (!object_get_builtin(at->store, a, S("scheduling.k8s.io"), S("priorityclasses"), S(""), name, &g.class, NULL))
            return admission_forbid(at, err, "no PriorityClass with name " STR_FMT " was found", STR_ARG(name));
        g.found = true;
    } else {
        object_each_having(at->store, a, object_builtin(S("scheduling.k8s.io"), S("priorityclasses")), S(""), "\"globalDefault\":true", find_global_default, &g);
        if (g.found)
            json_set(a, spec, S("priorityClassName"), json_string(object_name(&g.class)));
    }
    int64_t value = g.found ? json_get_int(&g.class, S("value"), 0) : 0;
    str policy = g.found ? json_get_str(&g.class, S("preemptionPolicy")) : S("");
    policy = policy.len ? policy : S("PreemptLowerPriority");
    const struct json *given = json_get(spec, S("priority"));
    int64_t given_value;
    if (given && json_to_i64(given, &given_value) && given_value != value)
        return admission_forbid(at, err, "the integer value of priority (%lld) must not be provided in pod spec; priority admission controller computed %lld from the given PriorityClass name",
                                (long long)given_value, (long long)value);
    str given_policy = json_get_str(spec, S("preemptionPolicy"));
    if (given_policy.len && !str_eq(given_policy, policy))
        return admission_forbid(at, err,
                                "the string value of PreemptionPolicy (" STR_FMT ") must not be provided in pod spec; priority admission controller computed " STR_FMT
                                " from the given PriorityClass name",
                                STR_ARG(given_policy), STR_ARG(policy));
    json_set(a, spec, S("priority"), json_int(a, value));
    json_set(a, spec, S("preemptionPolicy"), json_string(arena_str(a, policy)));
    return 0;
}

/* --- DefaultTolerationSeconds -------------------------------------------------------------------------------------------------------------- */

static bool tolerates(const struct json *list, str key)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str k = json_get_str(&list->items[i], S("key")), effect = json_get_str(&list->items[i], S("effect"));
        if ((!k.len || str_eq(k, key)) && (!effect.len || str_is(effect, "NoExecute")))
            return true;
    }
    return false;
}

int admit_default_tolerations(struct admission_attrs *at, struct err *err UNUSED)
{
    struct json *spec = admission_new_pod_spec(at);
    if (!spec)
        return 0;
    static const str keys[] = {STR_INIT("node.kubernetes.io/not-ready"), STR_INIT("node.kubernetes.io/unreachable")};
    bool has[ARRAY_LEN(keys)];
    struct json *list = json_get(spec, S("tolerations"));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        has[i] = tolerates(list, keys[i]);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (has[i])
            continue;
        if (!json_is(list, JSON_ARRAY))
            list = json_set(at->arena, spec, S("tolerations"), json_array());
        struct json t = json_object();
        json_set(at->arena, &t, S("key"), json_string(keys[i]));
        json_set(at->arena, &t, S("operator"), json_string(S("Exists")));
        json_set(at->arena, &t, S("effect"), json_string(S("NoExecute")));
        json_set(at->arena, &t, S("tolerationSeconds"), json_number_text(S("300")));
        json_push(at->arena, list, t);
    }
    return 0;
}

/* --- RuntimeClass -------------------------------------------------------------------------------------------------------------------------- */

int admit_runtime_class(struct admission_attrs *at, struct err *err)
{
    struct json *spec = admission_new_pod_spec(at), class;
    str name = spec ? json_get_str(spec, S("runtimeClassName")) : S("");
    if (!name.len)
        return 0;
    if (!object_get_builtin(at->store, at->arena, S("node.k8s.io"), S("runtimeclasses"), S(""), name, &class, NULL))
        return admission_forbid(at, err, "pod rejected: RuntimeClass \"" STR_FMT "\" not found", STR_ARG(name));
    const struct json *overhead = json_path(&class, "overhead", "podFixed", NULL);
    const struct json *given = json_get(spec, S("overhead"));
    if (given && (!overhead || !json_equal(given, overhead)))
        return admission_forbid(at, err, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    if (overhead)
        json_set(at->arena, spec, S("overhead"), json_copy(at->arena, overhead));
    const struct json *selector = json_path(&class, "scheduling", "nodeSelector", NULL);
    for (uint32_t i = 0; json_is(selector, JSON_OBJECT) && i < selector->len; i++) {
        struct json *mine = json_ensure_object(at->arena, spec, S("nodeSelector"));
        json_set(at->arena, mine, selector->members[i].key, selector->members[i].value);
    }
    return 0;
}
