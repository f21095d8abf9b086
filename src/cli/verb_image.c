/* verb_image.c - cox image: the images of this machine's node.
 *
 * It works on the node's folder itself, whether an agent runs there or not: the store is shared by file locks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images.h"
#include "base/civil.h"
#include "cli/cli.h"
#include "cli/tabs.h"
#include "cli/verbs.h"
#include "rt/file.h"

#define DATA_DIR {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "Data directory of the agent or server.", NULL}

static const struct cli_option options[] = {DATA_DIR, {0}};

static int open_images(const struct cli_args *a, const char *const *insecure, const char *const *mirrors, struct images **ret, struct err *err)
{
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/agent/images", verb_data_dir(a));
    return images_open(&(struct images_opts){.dir = dir, .clock = &clock_real, .insecure = insecure, .mirrors = mirrors}, ret, err);
}

static int finish(struct images *i, int r, const struct err *err)
{
    images_close(i);
    return r < 0 ? cli_fail_err(err) : 0;
}

/* --- load -------------------------------------------------------------------------------------------------- */

static int run_load(struct cli_args *a)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct err err = ERR_NONE;
    struct images *i;
    int r = 0;
    if (!a->npositional || (a->npositional > 1 && cli_str(a, "name")))
        return cli_usage(a, a->npositional ? "a name can be given to one archive only" : "name the archive to load");
    if (open_images(a, NULL, NULL, &i, &err) < 0)
        return cli_fail_err(&err);
    for (size_t k = 0; r == 0 && k < a->npositional; k++) {
        const char *const *refs;
        r = images_load(i, a->positional[k], str_of(cli_str(a, "name")), &arena, &refs, &err);
        for (size_t j = 0; r == 0 && refs[j]; j++)
            printf("Loaded %s.\n", refs[j]);
    }
    return finish(i, r, &err);
}

/* --- pull -------------------------------------------------------------------------------------------------- */

static const char *const *list_option(const struct cli_args *a, struct arena *arena, const char *name)
{
    size_t n = 0;
    while (cli_list(a, name, n))
        n++;
    const char **list = arena_array(arena, n + 1, const char *);
    for (size_t k = 0; k < n; k++)
        list[k] = cli_list(a, name, k);
    return list;
}

static int read_auths(const struct cli_args *a, struct arena *arena, const char *ref, struct image_auth **ret, size_t *ret_n, struct err *err)
{
    CLEANUP(free) char *text = NULL;
    const char *path = cli_str(a, "auth-file");
    size_t len;
    *ret = NULL;
    *ret_n = 0;
    if (!path)
        return 0;
    int r = file_read(path, IMAGES_JSON_BYTES, &text, &len, err);
    return r < 0 ? r : image_auth_from_config(arena, arena_str(arena, str_n(text, len)), str_of(ref), ret, ret_n, err);
}

static int run_pull(struct cli_args *a)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct err err = ERR_NONE;
    struct images *i;
    struct image image;
    struct image_auth *auths;
    size_t nauths;
    if (a->npositional != 1)
        return cli_usage(a, "name one image");
    if (read_auths(a, &arena, a->positional[0], &auths, &nauths, &err) < 0)
        return cli_fail_err(&err);
    if (open_images(a, list_option(a, &arena, "insecure-registry"), list_option(a, &arena, "mirror"), &i, &err) < 0)
        return cli_fail_err(&err);
    int r = images_pull(i, str_of(a->positional[0]), auths, nauths, &arena, &image, &err);
    if (r == 0)
        printf("Pulled " STR_FMT ", " STR_FMT ".\n", STR_ARG(image.ref), STR_ARG(image.id));
    return finish(i, r, &err);
}

/* --- list, remove -------------------------------------------------------------------------------------------- */

static void print_bytes(struct strbuf *b, uint64_t bytes)
{
    if (bytes < 10u << 20)
        strbuf_addf(b, "%lluKi", (unsigned long long)(bytes + 1023) >> 10);
    else
        strbuf_addf(b, "%lluMi", (unsigned long long)bytes >> 20);
}

static int run_list(struct cli_args *a)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct err err = ERR_NONE;
    struct images *i;
    struct image_info *infos;
    size_t n = 0;
    if (a->npositional)
        return cli_usage(a, "list takes no arguments");
    if (open_images(a, NULL, NULL, &i, &err) < 0)
        return cli_fail_err(&err);
    int r = images_list(i, &arena, &infos, &n, &err);
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    strbuf_add_str(&tabs.text, S("IMAGE\tID\tSIZE\tUSED\tIN USE\n"));
    for (size_t k = 0; k < n; k++) {
        char age[24];
        civil_human_duration(clock_wall(&clock_real) - infos[k].last_used, age);
        for (size_t j = 0; j < MAX(infos[k].nnames, (size_t)1); j++) {
            str name = infos[k].nnames ? infos[k].names[j] : S("<none>");
            if (j && str_find_char(name, '@') >= 0 && !cli_flag(a, "digests"))
                continue;
            strbuf_addf(&tabs.text, STR_FMT "\t" STR_FMT "\t", STR_ARG(name), STR_ARG(str_sub(infos[k].id, 7, 19)));
            print_bytes(&tabs.text, infos[k].bytes);
            strbuf_addf(&tabs.text, "\t%s\t%s\n", age, infos[k].in_use ? "yes" : "no");
        }
    }
    if (r == 0)
        tabs_flush(&tabs, &out);
    fputs(strbuf_cstr(&out), stdout);
    return finish(i, r, &err);
}

static int run_remove(struct cli_args *a)
{
    struct err err = ERR_NONE;
    struct images *i;
    int r = 0;
    if (!a->npositional)
        return cli_usage(a, "name the images to remove");
    if (open_images(a, NULL, NULL, &i, &err) < 0)
        return cli_fail_err(&err);
    for (size_t k = 0; r == 0 && k < a->npositional; k++) {
        r = images_remove(i, str_of(a->positional[k]), &err);
        if (r == 0)
            printf("Removed %s.\n", a->positional[k]);
    }
    return finish(i, r, &err);
}

/* --- the verb ---------------------------------------------------------------------------------------------------- */

static const struct cli_option load_options[] = {
    DATA_DIR,
    {"name", 0, CLI_STRING, "IMAGE", "", "Name of the image; without it the names that the archive has.", NULL},
    {0},
};
static const struct cli_option pull_options[] = {
    DATA_DIR,
    {"insecure-registry", 0, CLI_LIST, "HOST[:PORT]", "", "A registry that speaks plain HTTP or has a certificate that nobody knows.", NULL},
    {"mirror", 0, CLI_LIST, "HOST=URL", "", "Ask there first for images of that registry.", NULL},
    {"auth-file", 0, CLI_STRING, "FILE", "", "Credentials, a docker configuration (config.json).", NULL},
    {0},
};
static const struct cli_option list_options[] = {
    DATA_DIR,
    {"digests", 0, CLI_FLAG, "", "", "Also the names by digest.", NULL},
    {0},
};
static const struct cli_verb load = {.name = "load", .summary = "Load images from archives.", .usage = "FILE... [--name IMAGE]", .options = load_options, .run = run_load,
                                     .help = "OCI image layouts in a tar and what `docker save` writes, plain, gzip or zstd.", .examples = "  cox image load web.tar --name web:1\n"};
static const struct cli_verb pull = {.name = "pull", .summary = "Pull an image from its registry.", .usage = "IMAGE [--auth-file FILE]", .options = pull_options, .run = run_pull};
static const struct cli_verb list = {.name = "list", .aliases = "ls", .summary = "List the images of this node.", .usage = "", .options = list_options, .run = run_list};
static const struct cli_verb remove_ = {.name = "remove", .aliases = "rm", .summary = "Remove images that no container uses.", .usage = "IMAGE...", .options = options, .run = run_remove};
static const struct cli_verb *const subs[] = {&load, &pull, &list, &remove_, NULL};

const struct cli_verb verb_image = {
    .name = "image",
    .summary = "Load, pull, list and remove the images of this machine's node.",
    .usage = "(load FILE | pull IMAGE | list | remove IMAGE)",
    .help = "Works on the data directory of the agent, which may be running.  Archives can also be put into DIR/agent/images/import: they are loaded when a pod asks for an image that is not known.",
    .options = options,
    .subs = subs,
};
