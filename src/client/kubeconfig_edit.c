/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to kubeconfig files, in memory. */
#include "client/kubeconfig.h"
#include "client/kubeconfig_internal.h"
#include "wire/base64.h"

#define MERGE_MAX_NAMES 99 /* NAME-2 ... NAME-99 */

static const char *section_noun(enum kubeconfig_section s)
{
    return kubeconfig_sections[s].inner.p;
}

static struct json own_string(struct kubeconfig *k, str s)
{
    return json_string(arena_str(&k->arena, s));
}

/* The entry, created in the default file when nobody has it. */
static struct kubeconfig_place ensure(struct kubeconfig *k, enum kubeconfig_section s, str name)
{
    struct kubeconfig_place p;
    if (!kubeconfig_place_find(k, s, name, &p)) {
        struct kubeconfig_file *f = &k->files.p[k->default_file];
        struct json entry = json_object();
        json_set(&k->arena, &entry, S("name"), own_string(k, name));
        json_set(&k->arena, &entry, kubeconfig_sections[s].inner, json_object());
        json_push(&k->arena, json_get(&f->tree, kubeconfig_sections[s].list), entry);
        BUG_ON(!kubeconfig_place_find(k, s, name, &p));
    }
    p.file->dirty = true;
    return p;
}

/* --- fields and paths ----------------------------------------------------------------------------------- */

enum field_type { FIELD_STRING, FIELD_BOOL };
static const struct field {
    enum kubeconfig_section section;
    str name;
    enum field_type type;
} fields[] = {
    {KUBECONFIG_CLUSTERS, STR_INIT("server"), FIELD_STRING},
    {KUBECONFIG_CLUSTERS, STR_INIT("tls-server-name"), FIELD_STRING},
    {KUBECONFIG_CLUSTERS, STR_INIT("insecure-skip-tls-verify"), FIELD_BOOL},
    {KUBECONFIG_CLUSTERS, STR_INIT("certificate-authority"), FIELD_STRING},
    {KUBECONFIG_CLUSTERS, STR_INIT("certificate-authority-data"), FIELD_STRING},
    {KUBECONFIG_CLUSTERS, STR_INIT("proxy-url"), FIELD_STRING},
    {KUBECONFIG_CLUSTERS, STR_INIT("disable-compression"), FIELD_BOOL},
    {KUBECONFIG_USERS, STR_INIT("client-certificate"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("client-certificate-data"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("client-key"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("client-key-data"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("token"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("tokenFile"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("username"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("password"), FIELD_STRING},
    {KUBECONFIG_USERS, STR_INIT("as"), FIELD_STRING},
    {KUBECONFIG_CONTEXTS, STR_INIT("cluster"), FIELD_STRING},
    {KUBECONFIG_CONTEXTS, STR_INIT("user"), FIELD_STRING},
    {KUBECONFIG_CONTEXTS, STR_INIT("namespace"), FIELD_STRING},
};

static const struct field *field_find(enum kubeconfig_section s, str name)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (fields[i].section == s && str_eq(fields[i].name, name))
            return &fields[i];
    }
    return NULL;
}

int kubeconfig_set_field(struct kubeconfig *k, enum kubeconfig_section s, str name, str field, const char *value, struct err *err)
{
    const struct field *f = field_find(s, field);
    bool b;
    if (!name.len)
        return err_set(err, E_INVALID_ARG, "you must specify a non-empty %s name", section_noun(s));
    if (!f)
        return err_set(err, E_INVALID_ARG, "a %s has no field \"" STR_FMT "\"", section_noun(s), STR_ARG(field));
    if (value && f->type == FIELD_BOOL && !str_to_bool(str_of(value), &b))
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" must be true or false, not \"%s\"", STR_ARG(field), value);
    struct kubeconfig_place p = ensure(k, s, name);
    if (!value)
        json_del(p.inner, field);
    else
        json_set(&k->arena, p.inner, f->name, f->type == FIELD_BOOL ? json_bool(b) : own_string(k, str_of(value)));
    return 0;
}

static void set_current(struct kubeconfig *k, str name)
{
    struct kubeconfig_file *f = &k->files.p[k->default_file];
    for (size_t i = k->files.len; i-- > 0;) {
        if (json_get_str(&k->files.p[i].tree, S("current-context")).len)
            f = &k->files.p[i];
    }
    json_set(&k->arena, &f->tree, S("current-context"), own_string(k, name));
    f->dirty = true;
}

/* Names may hold dots: the longest entry that `rest` begins with, else what stands before the last dot. */
static str split_name(struct kubeconfig *k, enum kubeconfig_section s, str rest, str *ret_field)
{
    const str *names;
    size_t n = kubeconfig_names(k, s, &names);
    str best = STR_NONE;
    for (size_t i = 0; i < n; i++) {
        bool fits = str_has_prefix(rest, names[i]) && (rest.len == names[i].len || rest.p[names[i].len] == '.');
        if (fits && names[i].len > best.len)
            best = names[i];
    }
    if (!best.len) {
        ptrdiff_t dot = str_rfind_char(rest, '.');
        best = dot < 0 ? rest : str_sub(rest, 0, (size_t)dot);
    }
    *ret_field = str_from(rest, best.len + 1);
    return str_sub(rest, 0, best.len);
}

int kubeconfig_set_path(struct kubeconfig *k, str path, const char *value, struct err *err)
{
    str rest = path, head;
    bool has_rest = str_cut(&rest, '.', &head);
    if (str_is(path, "current-context")) {
        set_current(k, str_of(value));
        return 0;
    }
    for (size_t s = 0; has_rest && s < ARRAY_LEN(kubeconfig_sections); s++) {
        if (!str_eq(kubeconfig_sections[s].list, head))
            continue;
        str field, name = split_name(k, (enum kubeconfig_section)s, rest, &field);
        if (field.len && (value || kubeconfig_find(k, (enum kubeconfig_section)s, name)))
            return kubeconfig_set_field(k, (enum kubeconfig_section)s, name, field, value, err);
        if (!value)
            return kubeconfig_delete(k, (enum kubeconfig_section)s, field.len ? rest : name, err);
    }
    return err_set(err, E_INVALID_ARG,
                   "\"" STR_FMT "\" is no property: want current-context, clusters.NAME.FIELD, users.NAME.FIELD or contexts.NAME.FIELD",
                   STR_ARG(path));
}

/* --- whole entries ---------------------------------------------------------------------------------------- */

int kubeconfig_use_context(struct kubeconfig *k, str name, struct err *err)
{
    if (!kubeconfig_find(k, KUBECONFIG_CONTEXTS, name))
        return err_set(err, E_NOT_FOUND, "no context exists with the name: \"" STR_FMT "\"", STR_ARG(name));
    set_current(k, name);
    return 0;
}

int kubeconfig_delete(struct kubeconfig *k, enum kubeconfig_section s, str name, struct err *err)
{
    struct kubeconfig_place p;
    if (!kubeconfig_place_find(k, s, name, &p))
        return err_set(err, E_NOT_FOUND, "cannot delete %s " STR_FMT ", not in %s", section_noun(s), STR_ARG(name), kubeconfig_default_file(k));
    json_remove(p.list, p.index);
    p.file->dirty = true;
    return 0;
}

int kubeconfig_rename_context(struct kubeconfig *k, str from, str to, struct err *err)
{
    struct kubeconfig_place p;
    if (!to.len)
        return err_set(err, E_INVALID_ARG, "you must specify a new non-empty context name");
    if (!kubeconfig_place_find(k, KUBECONFIG_CONTEXTS, from, &p))
        return err_set(err, E_NOT_FOUND, "cannot rename the context \"" STR_FMT "\", it's not in %s", STR_ARG(from), kubeconfig_default_file(k));
    if (kubeconfig_find(k, KUBECONFIG_CONTEXTS, to))
        return err_set(err, E_EXISTS, "cannot rename the context \"" STR_FMT "\", the context \"" STR_FMT "\" already exists in %s", STR_ARG(from),
                       STR_ARG(to), kubeconfig_default_file(k));
    bool was_current = str_eq(kubeconfig_current_context(k), from);
    json_set(&k->arena, &p.list->items[p.index], S("name"), own_string(k, to));
    p.file->dirty = true;
    if (was_current)
        set_current(k, to);
    return 0;
}

/* --- one cluster into it ------------------------------------------------------------------------------------ */

/* A cluster is its CA: it may have moved to another address.  Without a CA the address is all there is. */
static bool same_cluster(struct kubeconfig *k, const struct kubeconfig_place *p, const struct kubeconfig_cluster *c)
{
    const char *ca;
    struct err ignored = ERR_NONE;
    if (kubeconfig_read_data(k, p, S("certificate-authority"), &ca, &ignored) < 0)
        return false;
    str own = str_trim(str_of(c->ca_pem ? c->ca_pem : ""));
    return str_eq(str_trim(str_of(ca)), own) && (own.len || str_eq(json_get_str(p->inner, S("server")), str_of(c->server)));
}

/* A name is ours when its cluster entry is this cluster, or when nobody uses it for anything. */
static bool name_is_ours(struct kubeconfig *k, str name, const struct kubeconfig_cluster *c)
{
    struct kubeconfig_place p;
    if (kubeconfig_place_find(k, KUBECONFIG_CLUSTERS, name, &p)) {
        if (!same_cluster(k, &p, c))
            return false;
    } else if (kubeconfig_find(k, KUBECONFIG_USERS, name)) {
        return false;
    }
    const struct json *context = kubeconfig_find(k, KUBECONFIG_CONTEXTS, name);
    return !context || (str_eq(json_get_str(context, S("cluster")), name) && str_eq(json_get_str(context, S("user")), name));
}

/* A user entry is written whole: a token left beside a new certificate would be a second identity. */
static void write_user(struct kubeconfig *k, str name, const struct kubeconfig_cluster *c)
{
    struct kubeconfig_place p = ensure(k, KUBECONFIG_USERS, name);
    *p.inner = json_object();
    if (c->cert_pem)
        json_set(&k->arena, p.inner, S("client-certificate-data"), json_string(base64_encode(&k->arena, BASE64_STD, str_of(c->cert_pem))));
    if (c->key_pem)
        json_set(&k->arena, p.inner, S("client-key-data"), json_string(base64_encode(&k->arena, BASE64_STD, str_of(c->key_pem))));
    if (c->token)
        json_set(&k->arena, p.inner, S("token"), own_string(k, str_of(c->token)));
}

static void write_cluster(struct kubeconfig *k, str name, const struct kubeconfig_cluster *c)
{
    struct kubeconfig_place p = ensure(k, KUBECONFIG_CLUSTERS, name);
    json_set(&k->arena, p.inner, S("server"), own_string(k, str_of(c->server)));
    json_del(p.inner, S("certificate-authority"));
    if (c->ca_pem)
        json_set(&k->arena, p.inner, S("certificate-authority-data"), json_string(base64_encode(&k->arena, BASE64_STD, str_of(c->ca_pem))));
    write_user(k, name, c);
    p = ensure(k, KUBECONFIG_CONTEXTS, name);
    json_set(&k->arena, p.inner, S("cluster"), own_string(k, name));
    json_set(&k->arena, p.inner, S("user"), own_string(k, name));
    if (c->namespace_)
        json_set(&k->arena, p.inner, S("namespace"), own_string(k, str_of(c->namespace_)));
}

int kubeconfig_merge(struct kubeconfig *k, const struct kubeconfig_cluster *c, const char **ret_name, struct err *err)
{
    str name = arena_str(&k->arena, str_of(c->name));
    for (int i = 2; !name_is_ours(k, name, c); i++) {
        if (i > MERGE_MAX_NAMES)
            return err_set(err, E_EXISTS, "%s has entries \"%s\" to \"%s-%d\" for other clusters already; delete some with \"config delete-cluster\"",
                           kubeconfig_default_file(k), c->name, c->name, MERGE_MAX_NAMES);
        name = arena_fmt(&k->arena, "%s-%d", c->name, i);
    }
    write_cluster(k, name, c);
    str current = kubeconfig_current_context(k);
    if (!str_eq(current, name) && (c->make_current || !current.len))
        set_current(k, name);
    *ret_name = name.p;
    return 0;
}

/* --- and out of it -------------------------------------------------------------------------------------------- */

str kubeconfig_cluster_name(struct kubeconfig *k, const struct kubeconfig_cluster *c)
{
    const str *names;
    size_t n = kubeconfig_names(k, KUBECONFIG_CLUSTERS, &names);
    for (size_t i = 0; i < n; i++) {
        struct kubeconfig_place p;
        if (kubeconfig_place_find(k, KUBECONFIG_CLUSTERS, names[i], &p) && same_cluster(k, &p, c))
            return names[i];
    }
    return S("");
}

static void drop(struct kubeconfig *k, enum kubeconfig_section s, str name)
{
    struct kubeconfig_place p;
    if (kubeconfig_place_find(k, s, name, &p)) {
        json_remove(p.list, p.index);
        p.file->dirty = true;
    }
}

void kubeconfig_forget(struct kubeconfig *k, const struct kubeconfig_cluster *c, str previous)
{
    for (str name; (name = kubeconfig_cluster_name(k, c)).len;) {
        const str *contexts;
        size_t n = kubeconfig_names(k, KUBECONFIG_CONTEXTS, &contexts);
        name = arena_str(&k->arena, name);
        for (size_t i = 0; i < n; i++) {
            if (!str_eq(json_get_str(kubeconfig_find(k, KUBECONFIG_CONTEXTS, contexts[i]), S("cluster")), name))
                continue;
            bool was_current = str_eq(kubeconfig_current_context(k), contexts[i]);
            drop(k, KUBECONFIG_CONTEXTS, contexts[i]);
            if (was_current)
                set_current(k, kubeconfig_find(k, KUBECONFIG_CONTEXTS, previous) ? previous : S(""));
        }
        drop(k, KUBECONFIG_CLUSTERS, name);
        drop(k, KUBECONFIG_USERS, name);
    }
}
