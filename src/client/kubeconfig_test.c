/* SPDX-License-Identifier: Apache-2.0 */
#include "client/kubeconfig.h"

#include <sys/stat.h>

#include "base/test.h"
#include "rt/file.h"
#include "wire/yaml.h"

static struct err err;
static char dir[64];

static const char *in_dir(const char *name)
{
    static char paths[8][128];
    static size_t next;
    char *p = paths[next++ % ARRAY_LEN(paths)];
    snprintf(p, sizeof paths[0], "%s/%s", dir, name);
    return p;
}
static const char *put(const char *name, const char *text)
{
    const char *path = in_dir(name);
    T_NO_ERR(file_write_atomic(path, str_of(text), 0600, &err), &err);
    return path;
}
static void expect_file(const char *name, const char *want)
{
    char *text = NULL;
    T_NO_ERR(file_read(in_dir(name), 1 << 20, &text, NULL, &err), &err);
    T_EQ_STR(str_of(text), want);
    free(text);
}
static void enter(void)
{
    snprintf(dir, sizeof dir, "%s", T_TMPDIR());
}
static void leave(void)
{
    static const char *const names[] = {"a", "b", "config", "ca.pem", "cert.pem", "key.pem", "token", "link", "sub/.kube/config", "sub/.kube", "sub"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        remove(in_dir(names[i]));
    T_EQ_INT(rmdir(dir), 0);
}

static struct kubeconfig *load(const char *path)
{
    struct kubeconfig *k = NULL;
    T_NO_ERR(kubeconfig_load(&(struct kubeconfig_paths){.file = path, .may_be_new = true}, &k, &err), &err);
    BUG_ON(!k);
    return k;
}

static const char file_a[] = "apiVersion: v1\n"
                             "kind: Config\n"
                             "current-context: dev\n"
                             "clusters:\n"
                             "- name: dev\n"
                             "  cluster:\n"
                             "    server: https://10.0.0.1:6443\n"
                             "    certificate-authority: ca.pem\n"
                             "    extensions:\n"
                             "    - name: kept\n"
                             "      extension: {a: 1}\n"
                             "contexts:\n"
                             "- name: dev\n"
                             "  context: {cluster: dev, user: alice, namespace: team}\n"
                             "users:\n"
                             "- name: alice\n"
                             "  user: {token: from-a}\n";

static const char file_b[] = "clusters:\n"
                             "- name: dev\n"
                             "  cluster: {server: 'https://other', insecure-skip-tls-verify: true}\n"
                             "- name: prod\n"
                             "  cluster: {server: 'https://prod/path', certificate-authority-data: Q0EgUEVN, tls-server-name: api.prod}\n"
                             "contexts:\n"
                             "- name: prod\n"
                             "  context: {cluster: prod, user: bob}\n"
                             "- name: broken\n"
                             "  context: {cluster: nowhere, user: bob}\n"
                             "- name: cloud\n"
                             "  context: {cluster: prod, user: plugin}\n"
                             "- name: half\n"
                             "  context: {cluster: prod, user: half}\n"
                             "users:\n"
                             "- name: alice\n"
                             "  user: {token: from-b}\n"
                             "- name: bob\n"
                             "  user: {client-certificate: cert.pem, client-key-data: S0VZ, tokenFile: token, token: stale,\n"
                             "    username: u, password: p, as: root}\n"
                             "- name: plugin\n"
                             "  user: {exec: {command: gcloud-auth, apiVersion: v1}}\n"
                             "- name: half\n"
                             "  user: {client-certificate-data: Q0VSVA==}\n"
                             "current-context: prod\n";

static struct kubeconfig *load_two(void)
{
    char env[300];
    put("a", file_a), put("b", file_b);
    put("ca.pem", "CA OF A"), put("cert.pem", "CERT"), put("token", " fresh\n");
    snprintf(env, sizeof env, "%s::%s:%s", in_dir("missing"), in_dir("a"), in_dir("b"));
    struct kubeconfig *k = NULL;
    T_NO_ERR(kubeconfig_load(&(struct kubeconfig_paths){.env = env, .home = "/nowhere"}, &k, &err), &err);
    BUG_ON(!k);
    return k;
}

TEST(files_merge_and_the_first_wins)
{
    enter();
    struct kubeconfig *k = load_two();
    struct kubeconfig_resolved r;
    T_EQ_STR(kubeconfig_current_context(k), "dev");
    T_NO_ERR(kubeconfig_resolve(k, &(struct kubeconfig_overrides){0}, &r, &err), &err);
    T_EQ_STR(str_of(r.context), "dev");
    T_EQ_STR(str_of(r.server), "https://10.0.0.1:6443");
    T_EQ_STR(str_of(r.ca_pem), "CA OF A"); /* relative to the file that names it */
    T_EQ_STR(str_of(r.token), "from-a");
    T_EQ_STR(str_of(r.namespace_), "team");
    T_EQ_INT(r.insecure, false);
    T_EQ_STR(str_of(kubeconfig_default_file(k)), in_dir("a")); /* the first that exists */

    T_NO_ERR(kubeconfig_resolve(k, &(struct kubeconfig_overrides){.context = "prod"}, &r, &err), &err);
    T_EQ_STR(str_of(r.server), "https://prod/path");
    T_EQ_STR(str_of(r.ca_pem), "CA PEM");
    T_EQ_STR(str_of(r.tls_server_name), "api.prod");
    T_EQ_STR(str_of(r.cert_pem), "CERT");
    T_EQ_STR(str_of(r.key_pem), "KEY");
    T_EQ_STR(str_of(r.token), "fresh"); /* tokenFile before token */
    T_EQ_STR(str_of(r.username), "u");
    T_EQ_STR(str_of(r.password), "p");
    T_EQ_STR(str_of(r.as), "root");
    T_EQ_STR(str_of(r.namespace_), "default");

    const str *names;
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_CLUSTERS, &names), 2);
    T_EQ_STR(names[0], "dev");
    T_EQ_STR(names[1], "prod");
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_CONTEXTS, &names), 5);
    T_EQ_STR(names[0], "broken");
    kubeconfig_free(k);
    leave();
}

TEST(flags_override)
{
    enter();
    struct kubeconfig *k = load_two();
    struct kubeconfig_resolved r;
    put("key.pem", "OTHER KEY");
    struct kubeconfig_overrides o = {.cluster = "prod",
                                     .user = "bob",
                                     .namespace_ = "ns",
                                     .server = "https://here",
                                     .token = "flag",
                                     .ca_file = in_dir("ca.pem"),
                                     .cert_file = in_dir("cert.pem"),
                                     .key_file = in_dir("key.pem"),
                                     .tls_server_name = "name",
                                     .as = "other"};
    T_NO_ERR(kubeconfig_resolve(k, &o, &r, &err), &err);
    T_EQ_STR(str_of(r.context), "dev");
    T_EQ_STR(str_of(r.cluster), "prod");
    T_EQ_STR(str_of(r.server), "https://here");
    T_EQ_STR(str_of(r.ca_pem), "CA OF A");
    T_EQ_STR(str_of(r.key_pem), "OTHER KEY");
    T_EQ_STR(str_of(r.token), "flag");
    T_EQ_STR(str_of(r.tls_server_name), "name");
    T_EQ_STR(str_of(r.as), "other");
    T_EQ_STR(str_of(r.namespace_), "ns");
    o.insecure = true;
    T_NO_ERR(kubeconfig_resolve(k, &o, &r, &err), &err);
    T_OK(r.insecure && !r.ca_pem[0]);
    kubeconfig_free(k);
    leave();
}

TEST(what_cannot_be_resolved_says_why)
{
    enter();
    struct kubeconfig *k = load_two();
    struct kubeconfig_resolved r;
    static const struct {
        struct kubeconfig_overrides o;
        int code;
        const char *says;
    } cases[] = {
        {{.context = "nope"}, E_NOT_FOUND, "context \"nope\" does not exist"},
        {{.context = "broken"}, E_NOT_FOUND, "cluster \"nowhere\" does not exist"},
        {{.user = "nobody"}, E_NOT_FOUND, "user \"nobody\" does not exist"},
        {{.context = "cloud"},
         E_INVALID_ARG,
         "user \"plugin\" gets its credentials from the program \"gcloud-auth\" (exec), which cox does not run; use a token or a client certificate"},
        {{.context = "half"}, E_INVALID_ARG, "user \"half\" has a client certificate but no client key"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        T_ERR(kubeconfig_resolve(k, &cases[i].o, &r, &err), cases[i].code);
        T_EQ_STR(str_of(err.msg), cases[i].says);
    }
    kubeconfig_free(k);
    T_ERR(kubeconfig_load(&(struct kubeconfig_paths){.file = in_dir("config")}, &k, &err), E_NOT_FOUND);
    static const char *const bad[] = {"clusters: 3\n", "- a\n", "users: [{user: {}}]\n", "clusters: [{name: x, cluster: 7}]\n", "a: [\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        put("config", bad[i]);
        T_ERR(kubeconfig_load(&(struct kubeconfig_paths){.file = in_dir("config")}, &k, &err), E_PARSE);
        T_OK(str_has_prefix(str_of(err.msg), S("error loading config file \"")));
    }
    put("config", "");
    k = load(in_dir("config"));
    T_ERR(kubeconfig_resolve(k, &(struct kubeconfig_overrides){0}, &r, &err), E_NOT_FOUND);
    T_OK(str_has_prefix(str_of(err.msg), S("no context is chosen: ")));
    T_NO_ERR(kubeconfig_resolve(k, &(struct kubeconfig_overrides){.server = "http://localhost:1"}, &r, &err), &err);
    kubeconfig_free(k);
    leave();
}

TEST(edits_go_to_the_file_that_has_the_entry)
{
    enter();
    struct kubeconfig *k = load_two();
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CLUSTERS, S("prod"), S("server"), "https://new", &err), &err);
    T_NO_ERR(kubeconfig_delete(k, KUBECONFIG_CONTEXTS, S("broken"), &err), &err);
    T_NO_ERR(kubeconfig_save(k, &err), &err);
    kubeconfig_free(k);
    expect_file("a", file_a); /* untouched */
    k = load(in_dir("b"));
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("prod")), S("server")), "https://new");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("prod")), S("tls-server-name")), "api.prod");
    T_OK(!kubeconfig_find(k, KUBECONFIG_CONTEXTS, S("broken")));
    kubeconfig_free(k);
    leave();
}

TEST(a_new_file_is_built_by_commands)
{
    enter();
    const char *path = in_dir("sub/.kube/config");
    struct kubeconfig *k = NULL;
    T_NO_ERR(kubeconfig_load(&(struct kubeconfig_paths){.env = "", .home = in_dir("sub")}, &k, &err), &err);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CLUSTERS, S("c"), S("server"), "https://x", &err), &err);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CLUSTERS, S("c"), S("insecure-skip-tls-verify"), "true", &err), &err);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_USERS, S("u"), S("token"), "t", &err), &err);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CONTEXTS, S("x"), S("cluster"), "c", &err), &err);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CONTEXTS, S("x"), S("user"), "u", &err), &err);
    T_NO_ERR(kubeconfig_use_context(k, S("x"), &err), &err);
    T_ERR(kubeconfig_use_context(k, S("y"), &err), E_NOT_FOUND);
    T_EQ_STR(str_of(err.msg), "no context exists with the name: \"y\"");
    T_NO_ERR(kubeconfig_rename_context(k, S("x"), S("z"), &err), &err);
    T_ERR(kubeconfig_rename_context(k, S("x"), S("w"), &err), E_NOT_FOUND);
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CONTEXTS, S("w"), S("cluster"), "c", &err), &err);
    T_ERR(kubeconfig_rename_context(k, S("w"), S("z"), &err), E_EXISTS);
    T_NO_ERR(kubeconfig_delete(k, KUBECONFIG_CONTEXTS, S("w"), &err), &err);
    T_ERR(kubeconfig_delete(k, KUBECONFIG_USERS, S("w"), &err), E_NOT_FOUND);
    T_ERR(kubeconfig_set_field(k, KUBECONFIG_USERS, S("u"), S("serverr"), "x", &err), E_INVALID_ARG);
    T_ERR(kubeconfig_set_field(k, KUBECONFIG_CLUSTERS, S("c"), S("insecure-skip-tls-verify"), "maybe", &err), E_INVALID_ARG);
    T_ERR(kubeconfig_set_field(k, KUBECONFIG_USERS, S(""), S("token"), "x", &err), E_INVALID_ARG);
    T_NO_ERR(kubeconfig_save(k, &err), &err);
    kubeconfig_free(k);
    struct stat st;
    T_EQ_INT(stat(path, &st), 0);
    T_EQ_INT(st.st_mode & 0777, 0600);
    expect_file("sub/.kube/config", "apiVersion: v1\n"
                                    "clusters:\n"
                                    "- cluster:\n"
                                    "    insecure-skip-tls-verify: true\n"
                                    "    server: https://x\n"
                                    "  name: c\n"
                                    "contexts:\n"
                                    "- context:\n"
                                    "    cluster: c\n"
                                    "    user: u\n"
                                    "  name: z\n"
                                    "current-context: z\n"
                                    "kind: Config\n"
                                    "preferences: {}\n"
                                    "users:\n"
                                    "- name: u\n"
                                    "  user:\n"
                                    "    token: t\n");
    leave();
}

TEST(set_and_unset_by_path)
{
    enter();
    struct kubeconfig *k = load(put("config", "clusters: [{name: a.b, cluster: {server: x}}, {name: a, cluster: {}}]\n"));
    T_NO_ERR(kubeconfig_set_path(k, S("clusters.a.b.server"), "https://ab", &err), &err);
    T_NO_ERR(kubeconfig_set_path(k, S("clusters.a.server"), "https://a", &err), &err);
    T_NO_ERR(kubeconfig_set_path(k, S("users.new.user.token"), "t", &err), &err);
    T_NO_ERR(kubeconfig_set_path(k, S("current-context"), "c", &err), &err);
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("a.b")), S("server")), "https://ab");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("a")), S("server")), "https://a");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_USERS, S("new.user")), S("token")), "t");
    T_EQ_STR(kubeconfig_current_context(k), "c");
    T_NO_ERR(kubeconfig_set_path(k, S("clusters.a.b.server"), NULL, &err), &err);
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("a.b")), S("server")), "");
    T_NO_ERR(kubeconfig_set_path(k, S("clusters.a.b"), NULL, &err), &err);
    T_OK(!kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("a.b")));
    T_OK(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("a")));
    T_NO_ERR(kubeconfig_set_path(k, S("current-context"), NULL, &err), &err);
    T_EQ_STR(kubeconfig_current_context(k), "");
    T_ERR(kubeconfig_set_path(k, S("users.nobody"), NULL, &err), E_NOT_FOUND);
    T_ERR(kubeconfig_set_path(k, S("nonsense.a.b"), "x", &err), E_INVALID_ARG);
    T_ERR(kubeconfig_set_path(k, S("clusters"), "x", &err), E_INVALID_ARG);
    T_ERR(kubeconfig_set_path(k, S("clusters.a"), "x", &err), E_INVALID_ARG);
    kubeconfig_free(k);
    leave();
}

TEST(merge_never_overwrites_another_cluster)
{
    enter();
    const char *path = put("config", "clusters:\n"
                                     "- name: cox\n"
                                     "  cluster: {server: 'https://elsewhere:6443', certificate-authority-data: T1RIRVI=}\n"
                                     "contexts:\n"
                                     "- name: cox\n"
                                     "  context: {cluster: cox, user: cox}\n"
                                     "users:\n"
                                     "- name: cox\n"
                                     "  user: {token: theirs}\n"
                                     "- name: cox-2\n"
                                     "  user: {token: theirs too}\n"
                                     "current-context: cox\n");
    struct kubeconfig *k = load(path);
    struct kubeconfig_cluster c = {.name = "cox", .server = "https://127.0.0.1:6443", .ca_pem = "OURS", .cert_pem = "CERT", .key_pem = "KEY"};
    const char *name;
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err);
    T_EQ_STR(str_of(name), "cox-3");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("cox")), S("server")), "https://elsewhere:6443");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_USERS, S("cox")), S("token")), "theirs");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_USERS, S("cox-2")), S("token")), "theirs too");
    T_EQ_STR(kubeconfig_current_context(k), "cox"); /* nor switches */
    T_NO_ERR(kubeconfig_save(k, &err), &err);
    kubeconfig_free(k);

    k = load(path);
    c.cert_pem = c.key_pem = NULL;
    c.token = "new";
    c.make_current = true;
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err); /* the same cluster again: its own entry, with new credentials */
    T_EQ_STR(str_of(name), "cox-3");
    T_EQ_STR(kubeconfig_current_context(k), "cox-3");
    const struct json *user = kubeconfig_find(k, KUBECONFIG_USERS, S("cox-3"));
    T_EQ_INT(user->len, 1);
    T_EQ_STR(json_get_str(user, S("token")), "new");
    struct kubeconfig_resolved r;
    T_NO_ERR(kubeconfig_resolve(k, &(struct kubeconfig_overrides){0}, &r, &err), &err);
    T_EQ_STR(str_of(r.ca_pem), "OURS");
    c.server = "https://127.0.0.1:7443";
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err); /* it moved */
    T_EQ_STR(str_of(name), "cox-3");
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CLUSTERS, S("cox-3")), S("server")), "https://127.0.0.1:7443");
    kubeconfig_free(k);
    leave();
}

TEST(forget_takes_out_what_merge_put_in)
{
    enter();
    const char *path = put("config", "clusters:\n"
                                     "- name: cox\n"
                                     "  cluster: {server: 'https://elsewhere:6443', certificate-authority-data: T1RIRVI=}\n"
                                     "contexts:\n"
                                     "- name: work\n"
                                     "  context: {cluster: cox, user: cox}\n"
                                     "users:\n"
                                     "- name: cox\n"
                                     "  user: {token: theirs}\n"
                                     "current-context: work\n");
    struct kubeconfig *k = load(path);
    struct kubeconfig_cluster c = {.name = "cox", .server = "https://127.0.0.1:6443", .ca_pem = "OURS", .token = "t", .make_current = true};
    const char *name;
    T_EQ_STR(kubeconfig_cluster_name(k, &c), "");
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err);
    T_EQ_STR(kubeconfig_cluster_name(k, &c), "cox-2");
    T_NO_ERR(kubeconfig_set_field(k, KUBECONFIG_CONTEXTS, S("mine"), S("cluster"), "cox-2", &err), &err); /* another way to it */
    kubeconfig_forget(k, &c, S("work"));
    T_EQ_STR(kubeconfig_current_context(k), "work");
    const str *names;
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_CLUSTERS, &names), 1);
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_CONTEXTS, &names), 1);
    T_EQ_STR(names[0], "work");
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_USERS, &names), 1);
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_USERS, S("cox")), S("token")), "theirs");
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err);
    kubeconfig_forget(k, &c, S("gone"));
    T_EQ_STR(kubeconfig_current_context(k), "");
    kubeconfig_forget(k, &c, S("gone")); /* there is nothing any more */
    T_EQ_INT(kubeconfig_names(k, KUBECONFIG_CLUSTERS, &names), 1);
    kubeconfig_free(k);
    leave();
}

TEST(merge_into_nothing_makes_the_context_current)
{
    enter();
    struct kubeconfig *k = load(in_dir("config"));
    const char *name;
    struct kubeconfig_cluster c = {.name = "cox", .server = "https://h", .ca_pem = "CA", .token = "t", .namespace_ = "n"};
    T_NO_ERR(kubeconfig_merge(k, &c, &name, &err), &err);
    T_NO_ERR(kubeconfig_save(k, &err), &err);
    kubeconfig_free(k);
    T_EQ_INT(symlink("config", in_dir("link")), 0);
    k = load(in_dir("link"));
    T_EQ_STR(kubeconfig_current_context(k), "cox");
    T_NO_ERR(kubeconfig_set_path(k, S("contexts.cox.namespace"), "m", &err), &err);
    T_NO_ERR(kubeconfig_save(k, &err), &err);
    kubeconfig_free(k);
    struct stat st;
    T_EQ_INT(lstat(in_dir("link"), &st), 0);
    T_OK(S_ISLNK(st.st_mode)); /* written through the link */
    k = load(in_dir("config"));
    T_EQ_STR(json_get_str(kubeconfig_find(k, KUBECONFIG_CONTEXTS, S("cox")), S("namespace")), "m");
    kubeconfig_free(k);
    leave();
}

static void expect_view(struct kubeconfig *k, struct kubeconfig_view v, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json tree;
    T_NO_ERR(kubeconfig_view(k, &a, &v, &tree, &err), &err);
    STRBUF_AUTO b = STRBUF_HEAP;
    yaml_write(&b, &tree);
    T_EQ_STR(strbuf_str(&b), want);
}

TEST(view_hides_secrets_and_can_flatten)
{
    enter();
    struct kubeconfig *k = load_two();
    expect_view(k, (struct kubeconfig_view){.minify = true, .context = "prod"},
                "apiVersion: v1\n"
                "clusters:\n"
                "- cluster:\n"
                "    certificate-authority-data: DATA+OMITTED\n"
                "    server: https://prod/path\n"
                "    tls-server-name: api.prod\n"
                "  name: prod\n"
                "contexts:\n"
                "- context:\n"
                "    cluster: prod\n"
                "    user: bob\n"
                "  name: prod\n"
                "current-context: prod\n"
                "kind: Config\n"
                "preferences: {}\n"
                "users:\n"
                "- name: bob\n"
                "  user:\n"
                "    as: root\n"
                "    client-certificate: cert.pem\n"
                "    client-key-data: DATA+OMITTED\n"
                "    password: REDACTED\n"
                "    token: REDACTED\n"
                "    tokenFile: token\n"
                "    username: u\n");
    expect_view(k, (struct kubeconfig_view){.minify = true, .flatten = true, .raw = true},
                "apiVersion: v1\n"
                "clusters:\n"
                "- cluster:\n"
                "    certificate-authority-data: Q0EgT0YgQQ==\n"
                "    extensions:\n"
                "    - extension:\n"
                "        a: 1\n"
                "      name: kept\n"
                "    server: https://10.0.0.1:6443\n"
                "  name: dev\n"
                "contexts:\n"
                "- context:\n"
                "    cluster: dev\n"
                "    namespace: team\n"
                "    user: alice\n"
                "  name: dev\n"
                "current-context: dev\n"
                "kind: Config\n"
                "preferences: {}\n"
                "users:\n"
                "- name: alice\n"
                "  user:\n"
                "    token: from-a\n");
    ARENA_AUTO a = ARENA_INIT;
    struct json tree;
    T_ERR(kubeconfig_view(k, &a, &(struct kubeconfig_view){.minify = true, .context = "no"}, &tree, &err), E_NOT_FOUND);
    T_NO_ERR(kubeconfig_view(k, &a, &(struct kubeconfig_view){0}, &tree, &err), &err);
    T_EQ_INT(json_get(&tree, S("contexts"))->len, 5);
    kubeconfig_free(k);
    leave();
}

TEST_MAIN(files_merge_and_the_first_wins, flags_override, what_cannot_be_resolved_says_why, edits_go_to_the_file_that_has_the_entry,
          a_new_file_is_built_by_commands, set_and_unset_by_path, merge_never_overwrites_another_cluster, forget_takes_out_what_merge_put_in,
          merge_into_nothing_makes_the_context_current, view_hides_secrets_and_can_flatten)
