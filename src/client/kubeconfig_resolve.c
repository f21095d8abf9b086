/* SPDX-License-Identifier: Apache-2.0 */
/* From context to what a connection needs, and the merged view. */
#include "client/kubeconfig.h"
#include "client/kubeconfig_internal.h"
#include "rt/file.h"
#include "wire/base64.h"

#define TOKEN_FILE_MAX (64u << 10)

static const char *text_of(struct kubeconfig *k, const struct json *inner, str field)
{
    return arena_cstr(&k->arena, json_get_str(inner, field));
}

static const char *either(const char *flag, const char *otherwise)
{
    return flag && flag[0] ? flag : otherwise;
}

static int flag_file(struct kubeconfig *k, const char *path, const char **ret, struct err *err)
{
    char *text CLEANUP(free) = NULL;
    if (!path || !path[0])
        return 0;
    int r = file_read(path, KUBECONFIG_FILE_MAX, &text, NULL, err);
    if (r == 0)
        *ret = arena_cstr(&k->arena, str_of(text));
    return r;
}

/* --- context ------------------------------------------------------------------------------------------ */

static int resolve_context(struct kubeconfig *k, const struct kubeconfig_overrides *o, struct kubeconfig_resolved *r, struct err *err)
{
    r->context = either(o->context, arena_cstr(&k->arena, kubeconfig_current_context(k)));
    const struct json *c = r->context[0] ? kubeconfig_find(k, KUBECONFIG_CONTEXTS, str_of(r->context)) : NULL;
    if (r->context[0] && !c)
        return err_set(err, E_NOT_FOUND, "context \"%s\" does not exist", r->context);
    r->cluster = either(o->cluster, text_of(k, c, S("cluster")));
    r->user = either(o->user, text_of(k, c, S("user")));
    r->namespace_ = either(o->namespace_, either(text_of(k, c, S("namespace")), "default"));
    bool knows_server = c || r->cluster[0] || either(o->server, "")[0];
    if (!knows_server && !file_exists(kubeconfig_default_file(k)))
        return err_set(err, E_NOT_FOUND, "which cluster? There is no %s: start one with `make up` or `cox server`, or name one with --kubeconfig or --server", kubeconfig_default_file(k));
    if (!knows_server)
        return err_set(err, E_NOT_FOUND, "no context is chosen: \"%s\" has no current-context; use --context, --server or \"config use-context\"",
                       kubeconfig_default_file(k));
    return 0;
}

/* --- cluster ------------------------------------------------------------------------------------------- */

static int resolve_cluster(struct kubeconfig *k, const struct kubeconfig_overrides *o, struct kubeconfig_resolved *r, struct err *err)
{
    struct kubeconfig_place p = {0};
    if (r->cluster[0] && !kubeconfig_place_find(k, KUBECONFIG_CLUSTERS, str_of(r->cluster), &p))
        return err_set(err, E_NOT_FOUND, "cluster \"%s\" does not exist", r->cluster);
    r->server = either(o->server, text_of(k, p.inner, S("server")));
    if (!r->server[0])
        return err_set(err, E_INVALID_ARG, "cluster \"%s\" has no server defined", r->cluster);
    if (json_get_str(p.inner, S("proxy-url")).len)
        return err_set(err, E_INVALID_ARG, "cluster \"%s\" is reached through a proxy (proxy-url), which cox does not support", r->cluster);
    r->tls_server_name = either(o->tls_server_name, text_of(k, p.inner, S("tls-server-name")));
    r->insecure = o->insecure || json_get_bool(p.inner, S("insecure-skip-tls-verify"), false);
    r->ca_pem = "";
    if (r->insecure)
        return 0;
    int res = p.inner ? kubeconfig_read_data(k, &p, S("certificate-authority"), &r->ca_pem, err) : 0;
    return res < 0 ? res : flag_file(k, o->ca_file, &r->ca_pem, err);
}

/* --- user ------------------------------------------------------------------------------------------------ */

static int refuse_plugins(const struct kubeconfig_resolved *r, const struct json *user, struct err *err)
{
    const struct json *exec = json_get(user, S("exec")), *provider = json_get(user, S("auth-provider"));
    if (json_is(exec, JSON_OBJECT))
        return err_set(err, E_INVALID_ARG,
                       "user \"%s\" gets its credentials from the program \"" STR_FMT
                       "\" (exec), which cox does not run; use a token or a client certificate",
                       r->user, STR_ARG(json_get_str(exec, S("command"))));
    if (json_is(provider, JSON_OBJECT))
        return err_set(err, E_INVALID_ARG, "user \"%s\" uses the auth provider \"" STR_FMT "\", which cox does not support", r->user,
                       STR_ARG(json_get_str(provider, S("name"))));
    return 0;
}

/* tokenFile wins over token when it can be read. */
static int resolve_token(struct kubeconfig *k, const struct kubeconfig_place *p, struct kubeconfig_resolved *r, struct err *err)
{
    str path = json_get_str(p->inner, S("tokenFile"));
    r->token = text_of(k, p->inner, S("token"));
    if (!path.len)
        return 0;
    char *text CLEANUP(free) = NULL;
    int res = file_read(kubeconfig_path_of(k, p->file, path), TOKEN_FILE_MAX, &text, NULL, err);
    if (res == 0)
        r->token = arena_cstr(&k->arena, str_trim(str_of(text)));
    return r->token[0] ? 0 : res;
}

static int read_user(struct kubeconfig *k, const struct kubeconfig_place *p, struct kubeconfig_resolved *r, struct err *err)
{
    int res = refuse_plugins(r, p->inner, err);
    if (res == 0)
        res = kubeconfig_read_data(k, p, S("client-certificate"), &r->cert_pem, err);
    if (res == 0)
        res = kubeconfig_read_data(k, p, S("client-key"), &r->key_pem, err);
    if (res == 0)
        res = resolve_token(k, p, r, err);
    if (res < 0)
        return res;
    r->username = text_of(k, p->inner, S("username"));
    r->password = text_of(k, p->inner, S("password"));
    r->as = text_of(k, p->inner, S("as"));
    return 0;
}

static int resolve_user(struct kubeconfig *k, const struct kubeconfig_overrides *o, struct kubeconfig_resolved *r, struct err *err)
{
    struct kubeconfig_place p;
    r->cert_pem = r->key_pem = r->token = r->username = r->password = r->as = "";
    if (r->user[0] && !kubeconfig_place_find(k, KUBECONFIG_USERS, str_of(r->user), &p))
        return err_set(err, E_NOT_FOUND, "user \"%s\" does not exist", r->user);
    int res = r->user[0] ? read_user(k, &p, r, err) : 0;
    if (res == 0)
        res = flag_file(k, o->cert_file, &r->cert_pem, err);
    if (res == 0)
        res = flag_file(k, o->key_file, &r->key_pem, err);
    if (res < 0)
        return res;
    r->token = either(o->token, r->token);
    r->username = either(o->username, r->username);
    r->password = either(o->password, r->password);
    r->as = either(o->as, r->as);
    if (r->cert_pem[0] && !r->key_pem[0])
        return err_set(err, E_INVALID_ARG, "user \"%s\" has a client certificate but no client key", r->user);
    return 0;
}

int kubeconfig_resolve(struct kubeconfig *k, const struct kubeconfig_overrides *o, struct kubeconfig_resolved *ret, struct err *err)
{
    struct kubeconfig_resolved r = {0};
    int res = resolve_context(k, o, &r, err);
    if (res == 0)
        res = resolve_cluster(k, o, &r, err);
    if (res == 0)
        res = resolve_user(k, o, &r, err);
    if (res == 0)
        *ret = r;
    return res;
}

/* --- view --------------------------------------------------------------------------------------------------- */

static const struct {
    str field;
    const char *shown;
} hidden[] = {
    {STR_INIT("certificate-authority-data"), "DATA+OMITTED"}, {STR_INIT("client-certificate-data"), "DATA+OMITTED"},
    {STR_INIT("client-key-data"), "DATA+OMITTED"},            {STR_INIT("token"), "REDACTED"},
    {STR_INIT("password"), "REDACTED"},
};

static const str file_fields[] = {STR_INIT("certificate-authority"), STR_INIT("client-certificate"), STR_INIT("client-key")};

static int flatten(struct kubeconfig *k, const struct kubeconfig_place *p, struct arena *a, struct json *inner, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(file_fields); i++) {
        const char *pem;
        if (!json_get_str(p->inner, file_fields[i]).len)
            continue;
        int r = kubeconfig_read_data(k, p, file_fields[i], &pem, err);
        if (r < 0)
            return r;
        json_del(inner, file_fields[i]);
        json_set(a, inner, arena_cat(a, file_fields[i], S("-data")), json_string(base64_encode(a, BASE64_STD, str_of(pem))));
    }
    return 0;
}

static void redact(struct arena *a, struct json *inner)
{
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
        if (json_get_str(inner, hidden[i].field).len)
            json_set(a, inner, hidden[i].field, json_string(str_of(hidden[i].shown)));
    }
}

static int view_section(struct kubeconfig *k, struct arena *a, const struct kubeconfig_view *v, enum kubeconfig_section s, const str *only,
                        struct json *list, struct err *err)
{
    const str *names;
    size_t n = kubeconfig_names(k, s, &names);
    for (size_t i = 0; i < n; i++) {
        if (only && !str_eq(*only, names[i]))
            continue;
        struct kubeconfig_place p;
        BUG_ON(!kubeconfig_place_find(k, s, names[i], &p));
        struct json inner = json_copy(a, p.inner), entry = json_object();
        int r = v->flatten ? flatten(k, &p, a, &inner, err) : 0;
        if (r < 0)
            return r;
        if (!v->raw)
            redact(a, &inner);
        json_set(a, &entry, kubeconfig_sections[s].inner, inner);
        json_set(a, &entry, S("name"), json_string(arena_str(a, names[i])));
        json_push(a, list, entry);
    }
    return 0;
}

int kubeconfig_view(struct kubeconfig *k, struct arena *a, const struct kubeconfig_view *v, struct json *ret, struct err *err)
{
    str current = v->context && v->context[0] ? str_of(v->context) : kubeconfig_current_context(k);
    const struct json *context = kubeconfig_find(k, KUBECONFIG_CONTEXTS, current);
    if (v->minify && !current.len)
        return err_set(err, E_NOT_FOUND, "current-context must exist in order to minify");
    if (v->minify && !context)
        return err_set(err, E_NOT_FOUND, "cannot locate context " STR_FMT, STR_ARG(current));
    str only[] = {json_get_str(context, S("cluster")), json_get_str(context, S("user")), current};
    struct json tree = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"preferences\":{}}");
    for (size_t s = 0; s < ARRAY_LEN(kubeconfig_sections); s++) {
        struct json list = json_array();
        int r = view_section(k, a, v, (enum kubeconfig_section)s, v->minify ? &only[s] : NULL, &list, err);
        if (r < 0)
            return r;
        json_set(a, &tree, kubeconfig_sections[s].list, list);
    }
    json_set(a, &tree, S("current-context"), json_string(arena_str(a, current)));
    *ret = tree;
    return 0;
}
