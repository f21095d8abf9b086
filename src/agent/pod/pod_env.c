/* pod_env.c - the environment of a container.
 *
 *   pod_env: envFrom in order ─► env in order, each may use $(EARLIER) and services ─► services that nothing before named
 *   env_strings: the image's own ─► HOSTNAME ─► those
 *
 * Later ones win over earlier ones of the same name, but for services, which never do.  $(NAME) does not see the image's: so it is in Kubernetes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#include "base/map.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct making {
    struct arena *a;
    const struct json *pod, *container;
    const struct pod_ref *refs;
    size_t nrefs;
    const struct build_node *node;
    struct env *env;
    struct map index; /* name -> place + 1 */
    struct env services;
};

static void env_push(struct arena *a, struct env *e, str name, str value)
{
    if (e->n == e->cap) {
        size_t cap = e->cap ? e->cap * 2 : 16;
        struct env_var *more = arena_array(a, cap, struct env_var);
        if (e->n)
            memcpy(more, e->vars, e->n * sizeof *more);
        e->vars = more;
        e->cap = cap;
    }
    e->vars[e->n++] = (struct env_var){name, value};
}

static void set(struct making *m, str name, str value)
{
    size_t at = (size_t)(uintptr_t)map_get(&m->index, name);
    if (at) {
        m->env->vars[at - 1].value = value;
        return;
    }
    env_push(m->a, m->env, name, value);
    map_put(&m->index, name, (void *)(uintptr_t)m->env->n);
}

static const struct env_var *find(const struct env *e, str name)
{
    for (size_t i = e->n; i-- > 0;)
        if (str_eq(e->vars[i].name, name))
            return &e->vars[i];
    return NULL;
}

/* --- $(NAME) -------------------------------------------------------------------------------------------- */
str env_expand(struct arena *a, const struct env *e, str text, str *ret_missing)
{
    if (str_find_char(text, '$') < 0)
        return text;
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] != '$' || i + 1 == text.len) {
            strbuf_add_char(&b, text.p[i]);
            continue;
        }
        str rest = str_from(text, i + 2);
        ptrdiff_t end = text.p[i + 1] == '(' ? str_find_char(rest, ')') : -1;
        if (text.p[i + 1] == '$') {
            strbuf_add_char(&b, '$');
            i++;
        } else if (end < 0) {
            strbuf_add_char(&b, '$');
        } else {
            str name = str_sub(rest, 0, (size_t)end);
            const struct env_var *v = find(e, name);
            if (v)
                strbuf_add_str(&b, v->value);
            else
                strbuf_addf(&b, "$(" STR_FMT ")", STR_ARG(name));
            if (!v && ret_missing)
                *ret_missing = name;
            i += (size_t)end + 2;
        }
    }
    return strbuf_str(&b);
}

/* --- services ------------------------------------------------------------------------------------------- */
static str variable_name(struct arena *a, str s)
{
    char *p = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        p[i] = s.p[i] == '-' ? '_' : s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 32) : s.p[i];
    p[s.len] = 0;
    return str_n(p, s.len);
}

static void service_var(struct making *m, str value, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void service_var(struct making *m, str value, const char *fmt, ...)
{
    struct strbuf b = strbuf_on(m->a);
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&b, fmt, ap);
    va_end(ap);
    env_push(m->a, &m->services, strbuf_str(&b), value);
}

static void service_port(struct making *m, str n, str ip, str port, str proto, bool is_first)
{
    struct arena *a = m->a;
    char *lower = (char *)arena_cstr(a, proto);
    for (char *p = lower; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
    bool is_v6 = str_find_char(ip, ':') >= 0;
    str url = arena_fmt(a, "%s://%s" STR_FMT "%s:" STR_FMT, lower, is_v6 ? "[" : "", STR_ARG(ip), is_v6 ? "]" : "", STR_ARG(port));
    if (is_first)
        service_var(m, url, STR_FMT "_PORT", STR_ARG(n));
    str prefix = arena_fmt(a, STR_FMT "_PORT_" STR_FMT "_" STR_FMT, STR_ARG(n), STR_ARG(port), STR_ARG(proto));
    service_var(m, url, STR_FMT, STR_ARG(prefix));
    service_var(m, str_of(lower), STR_FMT "_PROTO", STR_ARG(prefix));
    service_var(m, port, STR_FMT "_PORT", STR_ARG(prefix));
    service_var(m, ip, STR_FMT "_ADDR", STR_ARG(prefix));
}

static void add_service(struct making *m, const struct json *service)
{
    struct arena *a = m->a;
    const struct json *spec = json_get(service, S("spec")), *ports = json_get(spec, S("ports"));
    str ip = json_get_str(spec, S("clusterIP")), n = variable_name(a, json_get_str(json_get(service, S("metadata")), S("name")));
    if (!ip.len || str_is(ip, "None") || !json_is(ports, JSON_ARRAY) || !ports->len)
        return;
    service_var(m, ip, STR_FMT "_SERVICE_HOST", STR_ARG(n));
    service_var(m, json_str(json_get(&ports->items[0], S("port"))), STR_FMT "_SERVICE_PORT", STR_ARG(n));
    for (uint32_t i = 0; i < ports->len; i++) {
        str name = json_get_str(&ports->items[i], S("name")), port_name = variable_name(a, name);
        if (name.len)
            service_var(m, json_str(json_get(&ports->items[i], S("port"))), STR_FMT "_SERVICE_PORT_" STR_FMT, STR_ARG(n), STR_ARG(port_name));
    }
    for (uint32_t i = 0; i < ports->len; i++) {
        str proto = json_get_str(&ports->items[i], S("protocol"));
        service_port(m, n, ip, json_str(json_get(&ports->items[i], S("port"))), proto.len ? proto : S("TCP"), i == 0);
    }
}

static void add_services(struct making *m)
{
    const struct pod_ref *ref = pod_ref_find(m->refs, m->nrefs, REF_SERVICES, S(""));
    const struct json *items = ref ? json_get(ref->object, S("items")) : NULL;
    bool links = json_get_bool(json_get(m->pod, S("spec")), S("enableServiceLinks"), true);
    bool in_default = str_is(json_get_str(json_get(m->pod, S("metadata")), S("namespace")), "default");
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        bool is_api = in_default && str_is(json_get_str(json_get(&items->items[i], S("metadata")), S("name")), "kubernetes");
        if (is_api ? !m->node->api_host.len : links)
            add_service(m, &items->items[i]);
    }
    if (!m->node->api_host.len)
        return;
    str port = m->node->api_port.len ? m->node->api_port : S("443");
    service_var(m, m->node->api_host, "KUBERNETES_SERVICE_HOST");
    service_var(m, port, "KUBERNETES_SERVICE_PORT");
    service_var(m, port, "KUBERNETES_SERVICE_PORT_HTTPS");
    service_port(m, S("KUBERNETES"), m->node->api_host, port, S("TCP"), true);
}

/* --- envFrom and env ------------------------------------------------------------------------------------ */
static bool is_env_name(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e || s.p[i] == '=')
            return false;
    return s.len > 0;
}

static int missing(enum ref_kind kind, str name, struct err *err)
{
    return err_set(err, E_NOT_FOUND, "%s \"" STR_FMT "\" not found", ref_kind_name(kind), STR_ARG(name));
}

static int env_from(struct making *m, const struct json *from, struct err *err)
{
    enum ref_kind kind = json_get(from, S("configMapRef")) ? REF_CONFIGMAP : REF_SECRET;
    const struct json *source = json_get(from, kind == REF_CONFIGMAP ? S("configMapRef") : S("secretRef"));
    str name = json_get_str(source, S("name")), prefix = json_get_str(from, S("prefix"));
    const struct pod_ref *ref = pod_ref_find(m->refs, m->nrefs, kind, name);
    if (!source)
        return 0;
    if (!ref || !ref->object)
        return json_get_bool(source, S("optional"), false) ? 0 : missing(kind, name, err);
    const struct json *data = json_get(ref->object, S("data"));
    for (uint32_t i = 0; json_is(data, JSON_OBJECT) && i < data->len; i++) {
        str key = prefix.len ? arena_cat(m->a, prefix, data->members[i].key) : data->members[i].key, value;
        if (is_env_name(key) && ref_value(m->a, kind, ref->object, data->members[i].key, &value) && !memchr(value.len ? value.p : "x", 0, value.len))
            set(m, key, value);
    }
    return 0;
}

/* False in *ret_has: an optional one that is not there. */
static int key_ref(struct making *m, enum ref_kind kind, const struct json *source, str *ret, bool *ret_has, struct err *err)
{
    str name = json_get_str(source, S("name")), key = json_get_str(source, S("key")), ns = json_get_str(json_get(m->pod, S("metadata")), S("namespace"));
    const struct pod_ref *ref = pod_ref_find(m->refs, m->nrefs, kind, name);
    *ret_has = ref && ref->object && ref_value(m->a, kind, ref->object, key, ret);
    if (*ret_has && ret->len && memchr(ret->p, 0, ret->len))
        return err_set(err, E_INVALID_ARG, "key " STR_FMT " of %s \"" STR_FMT "\" holds a NUL byte, which an environment variable cannot", STR_ARG(key), ref_kind_name(kind), STR_ARG(name));
    if (*ret_has || json_get_bool(source, S("optional"), false))
        return 0;
    if (!ref || !ref->object)
        return missing(kind, name, err);
    return err_set(err, E_NOT_FOUND, "couldn't find key " STR_FMT " in %s " STR_FMT "/" STR_FMT, STR_ARG(key), kind == REF_CONFIGMAP ? "ConfigMap" : "Secret", STR_ARG(ns), STR_ARG(name));
}

/* $(NAME) may name what came before, or a service. */
static str expand_value(struct making *m, str text)
{
    if (str_find_char(text, '$') < 0)
        return text;
    struct env both = {0};
    for (size_t i = 0; i < m->services.n; i++)
        env_push(m->a, &both, m->services.vars[i].name, m->services.vars[i].value);
    for (size_t i = 0; i < m->env->n; i++)
        env_push(m->a, &both, m->env->vars[i].name, m->env->vars[i].value);
    return env_expand(m->a, &both, text, NULL);
}

static int env_one(struct making *m, const struct json *var, struct err *err)
{
    const struct json *from = json_get(var, S("valueFrom")), *source;
    str name = json_get_str(var, S("name")), value = S("");
    bool has = true;
    int r = 0;
    if (!from)
        value = expand_value(m, json_get_str(var, S("value")));
    else if ((source = json_get(from, S("fieldRef"))))
        r = pod_field(m->a, m->pod, m->node, json_get_str(source, S("fieldPath")), &value, err);
    else if ((source = json_get(from, S("resourceFieldRef"))))
        r = pod_resource_field(m->a, m->pod, m->container, m->node, source, &value, err);
    else if ((source = json_get(from, S("configMapKeyRef"))))
        r = key_ref(m, REF_CONFIGMAP, source, &value, &has, err);
    else if ((source = json_get(from, S("secretKeyRef"))))
        r = key_ref(m, REF_SECRET, source, &value, &has, err);
    if (r == 0 && has && name.len)
        set(m, name, value);
    return r;
}

int pod_env(struct arena *a, const struct json *pod, const struct json *container, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct env *ret, struct err *err)
{
    struct making m = {.a = a, .pod = pod, .container = container, .refs = refs, .nrefs = nrefs, .node = node, .env = ret, .index = MAP_INIT};
    const struct json *from = json_get(container, S("envFrom")), *env = json_get(container, S("env"));
    *ret = (struct env){0};
    int r = 0;
    add_services(&m);
    for (uint32_t i = 0; r == 0 && json_is(from, JSON_ARRAY) && i < from->len; i++)
        r = env_from(&m, &from->items[i], err);
    for (uint32_t i = 0; r == 0 && json_is(env, JSON_ARRAY) && i < env->len; i++)
        r = env_one(&m, &env->items[i], err);
    for (size_t i = 0; i < m.services.n; i++)
        if (!map_has(&m.index, m.services.vars[i].name))
            set(&m, m.services.vars[i].name, m.services.vars[i].value);
    map_fini(&m.index);
    return r;
}

const char *const *env_strings(struct arena *a, const struct image *image, str hostname, bool tty, const struct env *own)
{
    struct env all = {0};
    struct making m = {.a = a, .env = &all, .index = MAP_INIT};
    if (image_is_known(image))
        set(&m, S("PATH"), S(DEFAULT_PATH));
    for (size_t i = 0; image->env && image->env[i]; i++) {
        str value = str_of(image->env[i]), name;
        if (str_cut(&value, '=', &name) && name.len)
            set(&m, name, value);
    }
    set(&m, S("HOSTNAME"), hostname);
    if (tty)
        set(&m, S("TERM"), S("xterm"));
    for (size_t i = 0; i < own->n; i++)
        set(&m, own->vars[i].name, own->vars[i].value);
    map_fini(&m.index);
    const char **ret = arena_array(a, all.n + 1, const char *);
    for (size_t i = 0; i < all.n; i++)
        ret[i] = arena_fmt(a, STR_FMT "=" STR_FMT, STR_ARG(all.vars[i].name), STR_ARG(all.vars[i].value)).p;
    return ret;
}
