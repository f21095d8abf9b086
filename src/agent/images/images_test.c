/* images_test.c - names, manifests, credentials, and the store: load, get, hold, remove, collect, import, two openers at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/images/images_registry.h"
#include "agent/images/images_test_data.h"
#include "agent/images/unpack_tree.h"
#include "base/test.h"
#include "rt/failpoint.h"
#include "rt/file.h"
#include "rt/thread.h"
#include "wire/base64.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* --- names ----------------------------------------------------------------------------------------------- */

TEST(names_are_normalised)
{
    static const struct { const char *in, *out; } cases[] = {
        {"web", "docker.io/library/web:latest"},
        {"web:1.25", "docker.io/library/web:1.25"},
        {"team/web", "docker.io/team/web:latest"},
        {"docker.io/web", "docker.io/library/web:latest"},
        {"index.docker.io/library/web", "docker.io/library/web:latest"},
        {"localhost/web", "localhost/web:latest"},
        {"localhost:5000/web:1", "localhost:5000/web:1"},
        {"r.example/a/b/c:V1.2_x-y", "r.example/a/b/c:V1.2_x-y"},
        {"[::1]:5000/a", "[::1]:5000/a:latest"},
        {"a--b/c__d.e", "docker.io/a--b/c__d.e:latest"},
        {"web@sha256:" HEX64, "docker.io/library/web@sha256:" HEX64},
        {"web:1@sha256:" HEX64, "docker.io/library/web@sha256:" HEX64},
        {"", NULL}, {"Web", NULL}, {"web:", NULL}, {"web:-1", NULL}, {"web:a b", NULL}, {"a//b", NULL}, {"/a", NULL}, {"a/", NULL}, {"-a", NULL}, {"a-", NULL}, {"a..b", NULL},
        {"a___b", NULL}, {"a._b", NULL}, {"a@sha256:12", NULL}, {"a@md5:" HEX64, NULL}, {"http://a/b", NULL}, {"r.example:99999/a", NULL}, {"r.example:x/a", NULL}, {"r.exa mple/a", NULL},
        {"a\nb", NULL}, {"web@sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", NULL},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_NONE;
        str out = S("");
        int r = image_ref_normalise(&a, str_of(cases[i].in), &out, &err);
        if (!cases[i].out)
            T_ERR(r, E_INVALID_ARG);
        else
            T_EQ_STR(out, cases[i].out);
        if (cases[i].out && r == 0) { /* twice is once */
            str again;
            T_NO_ERR(image_ref_normalise(&a, out, &again, &err), &err);
            T_EQ_STR(again, cases[i].out);
        }
    }
}

TEST(credentials_are_chosen)
{
    static const char config[] = "{\"auths\":{\"r.example:5000\":{\"auth\":\"dXNlcjpwYTpzcw==\"},\"*.example\":{\"username\":\"u2\",\"password\":\"p2\"},\"https://index.docker.io/v1/\":{\"auth\":\"aHViOng\"},"
                                 "\"r.example:5000/team\":{\"username\":\"team\",\"password\":\"t\"},\"r.example:5000/tea\":{\"username\":\"wrong\"},\"other\":{\"registrytoken\":\"tok\"}}}";
    static const struct { const char *ref, *users; } cases[] = {
        {"r.example:5000/team/web", "team user "}, {"r.example:5000/web", "user "}, {"a.example/web", "u2 "}, {"b.a.example/web", ""}, {"web", "hub "}, {"docker.io/x/y", "hub "},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct image_auth *auths = NULL;
        size_t n = 0;
        struct err err = ERR_NONE;
        struct strbuf users = strbuf_on(&a);
        T_NO_ERR(image_auth_from_config(&a, str_of(config), str_of(cases[i].ref), &auths, &n, &err), &err);
        for (size_t k = 0; k < n; k++)
            strbuf_addf(&users, STR_FMT " ", STR_ARG(auths[k].username));
        T_EQ_STR(strbuf_str(&users), cases[i].users);
    }
    struct image_auth *auths = NULL;
    size_t n = 0;
    struct err err = ERR_NONE;
    T_NO_ERR(image_auth_from_config(&a, str_of(config), S("r.example:5000/web"), &auths, &n, &err), &err);
    T_EQ_STR(auths[0].password, "pa:ss");
    /* .dockercfg has no "auths" around it; what is there is kept. */
    T_NO_ERR(image_auth_from_config(&a, S("{\"https://r.example:5000/v2/\":{\"username\":\"old\",\"password\":\"p\"}}"), S("r.example:5000/web"), &auths, &n, &err), &err);
    T_EQ_INT(n, 2);
    T_EQ_STR(auths[1].username, "old");
    T_ERR(image_auth_from_config(&a, S("{\"auths\":{\"docker.io\":{\"auth\":\"%%%\"}}}"), S("web"), &auths, &n, &err), E_INVALID_ARG);
    T_ERR(image_auth_from_config(&a, S("{\"auths\":{\"docker.io\":{\"auth\":\"dXNlcg==\"}}}"), S("web"), &auths, &n, &err), E_INVALID_ARG);
    T_OK(image_auth_from_config(&a, S("[1]"), S("web"), &auths, &n, &err) < 0);
    T_OK(image_auth_from_config(&a, S("no json"), S("web"), &auths, &n, &err) < 0);
    T_EQ_INT(n, 2);
}

TEST(challenges_are_read)
{
    static const struct { const char *header, *realm, *service, *scope; bool bearer, basic; } cases[] = {
        {"Bearer realm=\"https://a/t\",service=\"s\",scope=\"repository:x:pull,push\"", "https://a/t", "s", "repository:x:pull,push", true, false},
        {"bearer realm=https://a/t", "https", "", "", true, false}, /* a value without quotes ends at the colon */
        {"Basic realm=\"x\"", "", "", "", false, true},
        {"Basic realm=\"x\", Bearer realm=\"y\" , service = \"q\\\"uoted\"", "y", "q\"uoted", "", true, true},
        {"Negotiate, Basic", "", "", "", false, true},
        {"", "", "", "", false, false}, {"\"", "", "", "", false, false}, {"Bearer realm=\"open", "open", "", "", true, false}, {"Bearer realm", "", "", "", true, false},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct image_registry_challenge c = {.realm = S(""), .service = S(""), .scope = S("")};
        image_registry_challenge_parse(&a, str_of(cases[i].header), &c);
        T_EQ_STR(c.realm, cases[i].realm);
        T_EQ_STR(c.service, cases[i].service);
        T_EQ_STR(c.scope, cases[i].scope);
        T_EQ_INT(c.is_bearer, cases[i].bearer);
        T_EQ_INT(c.is_basic, cases[i].basic);
    }
    str base, path;
    T_OK(image_registry_url_split(&a, S("https://h:1/p/q?x=1#y"), &base, &path));
    T_EQ_STR(base, "https://h:1");
    T_EQ_STR(path, "/p/q?x=1");
    T_OK(image_registry_url_split(&a, S("http://h?x"), &base, &path));
    T_EQ_STR(path, "/?x");
    T_OK(!image_registry_url_split(&a, S("ftp://h/"), &base, &path));
    T_OK(!image_registry_url_split(&a, S("https:///p"), &base, &path));
    T_OK(!image_registry_url_split(&a, S("https://u@h/"), &base, &path));
    T_OK(!image_registry_url_split(&a, S("https://h/a b"), &base, &path));
}

TEST(manifests_are_read)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image_manifest m;
    str text = S("{\"schemaVersion\":2,\"config\":{\"digest\":\"sha256:" HEX64 "\",\"size\":5},\"layers\":[{\"digest\":\"sha256:" HEX64 "\",\"size\":7,\"mediaType\":\"x+gzip\"}]}");
    T_NO_ERR(image_manifest_parse(&a, text, &m, &err), &err);
    T_EQ_INT(m.nlayers, 1);
    T_EQ_INT(m.layers[0].size, 7);
    text = arena_fmt(&a, "{\"manifests\":[{\"digest\":\"sha256:%064d\",\"size\":1,\"platform\":{\"os\":\"linux\",\"architecture\":\"other\"}},"
                         "{\"digest\":\"sha256:%064d\",\"size\":1,\"platform\":{\"os\":\"unknown\",\"architecture\":\"unknown\"}},"
                         "{\"digest\":\"sha256:" HEX64 "\",\"size\":1,\"platform\":{\"os\":\"linux\",\"architecture\":\"%s\"}}]}", 1, 2, image_machine());
    T_NO_ERR(image_manifest_parse(&a, text, &m, &err), &err);
    T_OK(m.is_index);
    T_EQ_STR(m.chosen.digest, "sha256:" HEX64);
    text = S("{\"manifests\":[{\"digest\":\"sha256:" HEX64 "\",\"size\":1,\"platform\":{\"os\":\"linux\",\"architecture\":\"vax\"}}]}");
    T_ERR(image_manifest_parse(&a, text, &m, &err), E_NOT_FOUND);
    T_OK(strstr(err.msg, "linux/vax") != NULL);
    static const char *const bad[] = {"", "{}", "[]", "{\"schemaVersion\":1,\"fsLayers\":[]}", "{\"layers\":[],\"config\":{}}", "{\"layers\":[{}],\"config\":{\"digest\":\"sha256:" HEX64 "\",\"size\":5}}",
                                      "{\"layers\":[],\"config\":{\"digest\":\"md5:12\",\"size\":5}}", "{\"layers\":[],\"config\":{\"digest\":\"sha256:" HEX64 "\",\"size\":-5}}", "{\"manifests\":[]}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_OK(image_manifest_parse(&a, str_of(bad[i]), &m, &err) < 0);
    T_EQ_INT(image_signal_parse(S("SIGQUIT")), 3);
    T_EQ_INT(image_signal_parse(S("TERM")), 15);
    T_EQ_INT(image_signal_parse(S("9")), 9);
    T_EQ_INT(image_signal_parse(S("SIGRTMIN+3")), 37);
    T_EQ_INT(image_signal_parse(S("SIGNONE")), 0);
    T_EQ_INT(image_signal_parse(S("")), 0);
    T_EQ_INT(image_signal_parse(S("99")), 0);
}

/* --- the store ---------------------------------------------------------------------------------------------- */

struct place {
    char dir[128], images[160];
    struct clock_fake clock;
    struct images *i;
};

static void place_open(struct place *p)
{
    struct err err = ERR_NONE;
    T_NO_ERR(images_open(&(struct images_opts){.dir = p->images, .program = "/proc/self/exe", .clock = &p->clock.clock}, &p->i, &err), &err);
}

static struct place *place_new(void)
{
    struct place *p = xnew(struct place);
    snprintf(p->dir, sizeof p->dir, "%s", T_TMPDIR());
    snprintf(p->images, sizeof p->images, "%s/images", p->dir);
    clock_fake_init(&p->clock, 1700000000 * NSEC_PER_SEC);
    place_open(p);
    return p;
}

static void place_end(struct place *p)
{
    struct err err = ERR_NONE;
    images_close(p->i);
    T_NO_ERR(tree_remove(AT_FDCWD, p->dir, &err), &err);
    free(p);
}

static size_t count_layers(const struct place *p)
{
    char path[256];
    struct dirent **names;
    snprintf(path, sizeof path, "%s/layers", p->images);
    int n = scandir(path, &names, NULL, alphasort);
    for (int k = 0; k < n; k++)
        free(names[k]);
    if (n >= 0)
        free(names);
    return (size_t)n - 2;
}

/* A docker archive: layers are tars with one file each, called as the text and holding it.  Returns the path. */
static const char *make_archive(struct place *p, struct arena *a, const char *file, const char *tag, const char *const *texts, size_t n, const char *config_json, bool gzip)
{
    struct strbuf out = strbuf_on(a), ids = strbuf_on(a), members = strbuf_on(a);
    for (size_t k = 0; k < n; k++) {
        char digest[IMAGE_DIGEST_LEN + 1];
        STRBUF_AUTO layer = tar_of(&(struct tar_spec){.type = '0', .name = texts[k], .data = texts[k]}, 1);
        image_digest_of(strbuf_str(&layer), digest);
        strbuf_addf(&ids, "%s\"%s\"", k ? "," : "", digest);
        strbuf_addf(&members, "%s\"%zu.tar\"", k ? "," : "", k);
        struct strbuf stored = strbuf_on(a);
        str plain = strbuf_str(&layer);
        if (gzip)
            gzip_compress(&plain, 1, &stored);
        else
            strbuf_add_str(&stored, plain);
        tar_add_header(&out, '0', arena_fmt(a, "%zu.tar", k).p, NULL, stored.len, NULL);
        tar_add_data(&out, strbuf_str(&stored));
    }
    str config = arena_fmt(a, "{\"os\":\"linux\",\"config\":%s,\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[%s]}}", config_json, strbuf_cstr(&ids));
    str manifest = arena_fmt(a, "[{\"Config\":\"config.json\",\"RepoTags\":[\"%s\"],\"Layers\":[%s]}]", tag, strbuf_cstr(&members));
    tar_add_header(&out, '0', "config.json", NULL, config.len, NULL);
    tar_add_data(&out, config);
    tar_add_header(&out, '0', "manifest.json", NULL, manifest.len, NULL);
    tar_add_data(&out, manifest);
    tar_end(&out);
    struct err err = ERR_NONE;
    str path = arena_fmt(a, "%s/%s", p->dir, file);
    T_NO_ERR(file_write_atomic(path.p, strbuf_str(&out), 0600, &err), &err);
    return path.p;
}

static const char *simple(struct place *p, struct arena *a, const char *tag, const char *text)
{
    return make_archive(p, a, "simple.tar", tag, &text, 1, "{}", false);
}

static void load(struct place *p, struct arena *a, const char *path)
{
    struct err err = ERR_NONE;
    const char *const *refs;
    T_NO_ERR(images_load(p->i, path, S(""), a, &refs, &err), &err);
}

TEST(loads_and_gets)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    const char *const *refs;
    static const char *const texts[] = {"one", "two", "one"};
    const char *path = make_archive(p, &a, "a.tar", "team/web:1", texts, 3, "{\"Entrypoint\":[\"/e\"],\"Cmd\":[\"c\",\"d\"],\"Env\":[\"A=1\"],\"User\":\"web\",\"WorkingDir\":\"/w\",\"StopSignal\":\"SIGINT\"}", true);
    T_ERR(images_get(p->i, S("team/web:1"), S("x"), &a, &m, &err), E_NOT_FOUND);
    T_NO_ERR(images_load(p->i, path, S(""), &a, &refs, &err), &err);
    T_OK(refs[0] && strcmp(refs[0], "docker.io/team/web:1") == 0 && !refs[1]);
    T_NO_ERR(images_get(p->i, S("team/web:1"), S("container-1"), &a, &m, &err), &err);
    T_EQ_STR(m.ref, "docker.io/team/web:1");
    T_EQ_INT(m.root, ROOT_LAYERS);
    T_OK(str_has_prefix(m.id, S("sha256:")) && m.id.len == 71);
    T_OK(strcmp(m.entrypoint[0], "/e") == 0 && !m.entrypoint[1] && strcmp(m.command[1], "d") == 0 && !m.command[2] && strcmp(m.env[0], "A=1") == 0);
    T_OK(strcmp(m.user, "web") == 0 && strcmp(m.cwd, "/w") == 0);
    T_EQ_INT(m.stop_signal, 2);
    /* The layer that comes twice is there once, on top. */
    T_OK(m.layers[0] && m.layers[1] && !m.layers[2]);
    T_OK(file_exists(arena_fmt(&a, "%s/two", m.layers[0]).p));
    T_OK(file_exists(arena_fmt(&a, "%s/one", m.layers[1]).p));
    T_EQ_INT(m.bytes, 6);
    T_EQ_INT(count_layers(p), 2);
    T_ERR(images_get(p->i, S("Team"), S("x"), &a, &m, &err), E_INVALID_ARG);
    place_end(p);
}

TEST(loads_under_another_name)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    const char *const *refs;
    const char *path = simple(p, &a, "web:1", "x");
    T_NO_ERR(images_load(p->i, path, S("other"), &a, &refs, &err), &err);
    T_ERR(images_get(p->i, S("web:1"), S("x"), &a, &m, &err), E_NOT_FOUND);
    T_NO_ERR(images_get(p->i, S("other:latest"), S("x"), &a, &m, &err), &err);
    T_ERR(images_load(p->i, path, S("Bad"), &a, &refs, &err), E_INVALID_ARG);
    T_ERR(images_load(p->i, path, S("a@sha256:" HEX64), &a, &refs, &err), E_INVALID_ARG);
    place_end(p);
}

TEST(refuses_bad_archives)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    const char *const *refs;
    struct image m;
    STRBUF_AUTO empty = tar_of(NULL, 0);
    CLEANUP(free) char *text = NULL;
    size_t len;
    str path = arena_fmt(&a, "%s/bad.tar", p->dir);
    T_ERR(images_load(p->i, "/nonexistent", S(""), &a, &refs, &err), E_NOT_FOUND);
    T_NO_ERR(file_write_atomic(path.p, strbuf_str(&empty), 0600, &err), &err);
    T_ERR(images_load(p->i, path.p, S(""), &a, &refs, &err), E_INVALID_ARG);
    T_NO_ERR(file_write_atomic(path.p, S("no archive"), 0600, &err), &err);
    T_OK(images_load(p->i, path.p, S(""), &a, &refs, &err) < 0);
    /* A byte of the layer's file is another one: its digest is not the one of the configuration. */
    const char *good = simple(p, &a, "web:1", "payload");
    T_NO_ERR(file_read(good, 1 << 20, &text, &len, &err), &err);
    ptrdiff_t at = str_find(str_n(text, len), str_n("payload\0\0\0", 10));
    at = str_find(str_from(str_n(text, len), (size_t)at + 200), S("payload")) + at + 200;
    text[at] = 'P';
    T_NO_ERR(file_write_atomic(path.p, str_n(text, len), 0600, &err), &err);
    T_ERR(images_load(p->i, path.p, S(""), &a, &refs, &err), E_CORRUPT);
    /* Cut in the middle. */
    T_NO_ERR(file_write_atomic(path.p, str_n(text, len / 2), 0600, &err), &err);
    T_ERR(images_load(p->i, path.p, S(""), &a, &refs, &err), E_PARSE);
    T_ERR(images_get(p->i, S("web:1"), S("x"), &a, &m, &err), E_NOT_FOUND);
    T_EQ_INT(count_layers(p), 0); /* nothing half is left */
    place_end(p);
}

TEST(holders_keep_images)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    load(p, &a, simple(p, &a, "web:1", "x"));
    T_NO_ERR(images_get(p->i, S("web:1"), S("c1"), &a, &m, &err), &err);
    T_NO_ERR(images_get(p->i, S("web:1"), S("c2"), &a, &m, &err), &err);
    T_ERR(images_remove(p->i, S("web:1"), &err), E_CONFLICT);
    T_EQ_INT(images_collect(p->i, UINT64_MAX, 0), 0);
    images_close(p->i); /* a new agent: what runs still runs */
    place_open(p);
    images_release(p->i, S("c1"));
    T_ERR(images_remove(p->i, S("web:1"), &err), E_CONFLICT);
    T_OK(strstr(err.msg, "c2") != NULL);
    str alive[] = {STR_INIT("c9")};
    images_keep_holders(p->i, alive, 1);
    T_NO_ERR(images_remove(p->i, S("web:1"), &err), &err);
    T_ERR(images_remove(p->i, S("web:1"), &err), E_NOT_FOUND);
    T_EQ_INT(count_layers(p), 0);
    images_release(p->i, S("never"));
    place_end(p);
}

TEST(removal_keeps_what_others_have)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    static const char *const one[] = {"base", "one"}, *const two[] = {"base", "two"};
    load(p, &a, make_archive(p, &a, "1.tar", "one", one, 2, "{}", false));
    load(p, &a, make_archive(p, &a, "2.tar", "two", two, 2, "{}", false));
    load(p, &a, make_archive(p, &a, "2b.tar", "two:b", two, 2, "{}", false)); /* a second name of the same image */
    T_EQ_INT(count_layers(p), 3);
    T_NO_ERR(images_remove(p->i, S("one"), &err), &err);
    T_EQ_INT(count_layers(p), 2);
    T_NO_ERR(images_remove(p->i, S("two"), &err), &err);
    T_EQ_INT(count_layers(p), 2);
    T_NO_ERR(images_get(p->i, S("two:b"), S("c"), &a, &m, &err), &err);
    images_release(p->i, S("c"));
    T_NO_ERR(images_remove(p->i, m.id, &err), &err); /* by id */
    T_EQ_INT(count_layers(p), 0);
    place_end(p);
}

TEST(collects_least_recently_used)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    struct image_info *infos;
    size_t n;
    load(p, &a, simple(p, &a, "a", "aaaaaaaaaa"));
    clock_fake_advance(&p->clock, 10 * NSEC_PER_SEC);
    load(p, &a, simple(p, &a, "b", "bbbbbbbbbb"));
    clock_fake_advance(&p->clock, 10 * NSEC_PER_SEC);
    load(p, &a, simple(p, &a, "c", "cccccccccc"));
    T_NO_ERR(images_get(p->i, S("a"), S("h"), &a, &m, &err), &err); /* a is now the newest, and held */
    images_release(p->i, S("h"));
    T_NO_ERR(images_list(p->i, &a, &infos, &n, &err), &err);
    T_EQ_INT(n, 3);
    T_EQ_STR(infos[0].names[0], "docker.io/library/b:latest");
    T_EQ_INT(infos[0].bytes, 10);
    T_EQ_INT(infos[0].last_used, (1700000000 + 10) * NSEC_PER_SEC);
    T_EQ_INT(images_collect(p->i, 100, 11 * NSEC_PER_SEC), 0); /* all too young */
    T_EQ_INT(images_collect(p->i, 1, 0), 10);                  /* one is enough */
    T_ERR(images_get(p->i, S("b"), S("h"), &a, &m, &err), E_NOT_FOUND);
    T_NO_ERR(images_get(p->i, S("a"), S("h"), &a, &m, &err), &err);
    T_EQ_INT(images_collect(p->i, UINT64_MAX, 0), 10); /* c; a is held */
    T_NO_ERR(images_list(p->i, &a, &infos, &n, &err), &err);
    T_EQ_INT(n, 1);
    T_OK(infos[0].in_use);
    place_end(p);
}

/* A name that means another image now: the old one stays as long as it is held, and is collected then. */
TEST(a_moved_name_leaves_the_old_image)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image old, new;
    load(p, &a, simple(p, &a, "web", "old"));
    T_NO_ERR(images_get(p->i, S("web"), S("h"), &a, &old, &err), &err);
    load(p, &a, simple(p, &a, "web", "new!"));
    T_NO_ERR(images_get(p->i, S("web"), S("h2"), &a, &new, &err), &err);
    T_OK(!str_eq(old.id, new.id));
    T_EQ_INT(images_collect(p->i, UINT64_MAX, 0), 0);
    T_OK(file_exists(arena_fmt(&a, "%s/old", old.layers[0]).p));
    images_release(p->i, S("h"));
    T_EQ_INT(images_collect(p->i, UINT64_MAX, 0), 3);
    T_OK(!file_exists(old.layers[0]));
    T_OK(file_exists(arena_fmt(&a, "%s/new!", new.layers[0]).p));
    place_end(p);
}

TEST(imports_what_is_put_there)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image m;
    str import = arena_fmt(&a, "%s/import", p->images);
    T_OK(rename(simple(p, &a, "web", "x"), arena_fmt(&a, STR_FMT "/web.tar", STR_ARG(import)).p) == 0);
    T_NO_ERR(images_get(p->i, S("web"), S("h"), &a, &m, &err), &err);
    images_release(p->i, S("h"));
    T_EQ_INT(images_collect(p->i, UINT64_MAX, 0), 1);
    T_NO_ERR(images_get(p->i, S("web"), S("h"), &a, &m, &err), &err); /* again */
    T_NO_ERR(file_write_atomic(arena_fmt(&a, STR_FMT "/bad.tar", STR_ARG(import)).p, S("no archive at all"), 0600, &err), &err);
    T_ERR(images_get(p->i, S("other"), S("h"), &a, &m, &err), E_NOT_FOUND);
    T_OK(strstr(err.msg, "bad.tar") != NULL);
    T_OK(rename(simple(p, &a, "other", "y"), arena_fmt(&a, STR_FMT "/bad.tar", STR_ARG(import)).p) == 0); /* now a good one */
    T_NO_ERR(images_get(p->i, S("other"), S("h"), &a, &m, &err), &err);
    place_end(p);
}

TEST(builtin_images_need_nothing)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct image host, web;
    T_NO_ERR(images_get(p->i, S("cox/host"), S("h"), &a, &host, &err), &err);
    T_EQ_INT(host.root, ROOT_HOST);
    T_OK(!host.layers[0] && !host.program_target && host.command[0]);
    T_NO_ERR(images_pull(p->i, S("cox/web:v2"), NULL, 0, &a, &web, &err), &err);
    T_OK(web.program_target && strcmp(web.command[0], web.program_target) == 0 && strcmp(web.command[1], "web") == 0);
    T_OK(strcmp(web.env[1], "COX_WEB_VERSION=v2") == 0);
    T_OK(!str_eq(host.id, web.id));
    place_end(p);
}

/* A cut-off unpacking is swept by the next opener; one that runs is not. */
TEST(sweeps_what_was_cut_off)
{
    struct place *p = place_new();
    struct err err = ERR_NONE;
    ARENA_AUTO a = ARENA_INIT;
    T_NO_ERR(file_mkdir_all(arena_fmt(&a, "%s/layers/.tmp-dead/fs/a/b", p->images).p, 0700, &err), &err);
    struct layer_in *in;
    T_NO_ERR(layer_in_new(p->i, &in, &err), &err);
    T_EQ_INT(count_layers(p), 2);
    struct images *other;
    T_NO_ERR(images_open(&(struct images_opts){.dir = p->images, .clock = &clock_real}, &other, &err), &err);
    T_EQ_INT(count_layers(p), 1);
    T_ERR(layer_in_feed(in, S("\xfd" "7zXZ"), &err), E_INVALID_ARG);
    layer_in_free(in);
    T_EQ_INT(count_layers(p), 0);
    images_close(other);
    place_end(p);
}

/* Killed at the worst moments: the next one finds the image whole or not at all, and can load it. */
TEST(a_kill_leaves_nothing_half)
{
    static const char *const places[] = {"images.layer.before_rename=panic", "images.layer.before_rename=1+1*panic", "images.commit.before_ref=panic"};
    static const char *const texts[] = {"one", "two"};
    for (size_t k = 0; k < ARRAY_LEN(places); k++) {
        struct place *p = place_new();
        ARENA_AUTO a = ARENA_INIT;
        struct err err = ERR_NONE;
        struct image m;
        int status = 0;
        const char *path = make_archive(p, &a, "a.tar", "web", texts, 2, "{}", true);
        pid_t pid = fork();
        if (pid == 0) {
            const char *const *refs;
            err_ignore(failpoint_set(str_of(places[k]), &err), "it is right");
            err_ignore(images_load(p->i, path, S(""), &a, &refs, &err), "it does not return");
            _exit(0);
        }
        T_OK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
        images_close(p->i);
        place_open(p);
        T_EQ_INT(count_layers(p), k); /* whole ones only */
        T_ERR(images_get(p->i, S("web"), S("h"), &a, &m, &err), E_NOT_FOUND);
        load(p, &a, path);
        T_NO_ERR(images_get(p->i, S("web"), S("h"), &a, &m, &err), &err);
        T_EQ_INT(count_layers(p), 2);
        place_end(p);
    }
}

/* --- several at once ------------------------------------------------------------------------------------------ */

struct worker {
    struct thread thread;
    struct place *place;
    const char *path;
    int number, failed;
};

/* Loads, gets, releases and collects the same image over and over. */
static void work(void *arg)
{
    struct worker *w = arg;
    struct images *own;
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    /* Every other one as another process would: with a store of its own. */
    bool is_other = w->number % 2;
    int r = is_other ? images_open(&(struct images_opts){.dir = w->place->images, .clock = &clock_real}, &own, &err) : 0;
    struct images *i = is_other ? own : w->place->i;
    str holder = arena_fmt(&a, "c%d", w->number);
    for (int round = 0; r == 0 && round < 15; round++) {
        const char *const *refs;
        struct image m;
        r = images_load(i, w->path, S(""), &a, &refs, &err);
        if (r == -E_EXPIRED) { /* the others collected it faster than it could be named, again and again: said so, and nothing broke */
            r = 0;
            continue;
        }
        if (r == 0 && images_get(i, S("web"), holder, &a, &m, &err) == 0) {
            for (size_t k = 0; m.layers[k]; k++)
                r = r < 0 || !file_exists(m.layers[k]) ? -E_CORRUPT : r; /* held: it must stay */
            images_release(i, holder);
        }
        images_collect(i, UINT64_MAX, 0);
    }
    if (r < 0)
        printf("# worker %d: %s\n", w->number, err.msg);
    w->failed = r < 0;
    if (is_other && i)
        images_close(i);
}

TEST(many_at_once)
{
    struct place *p = place_new();
    ARENA_AUTO a = ARENA_INIT;
    static const char *const texts[] = {"one", "two", "three"};
    const char *path = make_archive(p, &a, "a.tar", "web", texts, 3, "{}", true);
    static struct worker workers[4];
    struct err err = ERR_NONE;
    for (int k = 0; k < 4; k++) {
        workers[k] = (struct worker){.place = p, .path = path, .number = k};
        T_NO_ERR(thread_start(&workers[k].thread, "worker", work, &workers[k], &err), &err);
    }
    for (int k = 0; k < 4; k++) {
        thread_join(&workers[k].thread);
        T_EQ_INT(workers[k].failed, 0);
    }
    images_collect(p->i, UINT64_MAX, 0);
    T_EQ_INT(count_layers(p), 0);
    place_end(p);
}

TEST_MAIN(names_are_normalised, credentials_are_chosen, challenges_are_read, manifests_are_read, loads_and_gets, loads_under_another_name, refuses_bad_archives, holders_keep_images,
          removal_keeps_what_others_have, collects_least_recently_used, a_moved_name_leaves_the_old_image, imports_what_is_put_there, builtin_images_need_nothing, sweeps_what_was_cut_off, a_kill_leaves_nothing_half, many_at_once)
