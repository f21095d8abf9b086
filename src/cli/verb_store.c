/* verb_store.c - cox store: look after the data of a server that is not running, or save one that is. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/verbs.h"
#include "rt/file.h"
#include "store/embedded/embedded.h"

static const struct cli_option options[] = {
    {"data-dir", 'd', CLI_STRING, "DIR", "/var/lib/cox, or ~/.local/share/cox for other users than root", "Data directory of the server.", NULL},
    {0},
};

static void store_dir(const struct cli_args *a, char out[4096])
{
    snprintf(out, 4096, "%s/store", verb_data_dir(a));
}

static int run_check(struct cli_args *a)
{
    char dir[4096];
    struct err err = ERR_NONE;
    STRBUF_AUTO report = STRBUF_HEAP;
    store_dir(a, dir);
    int r = store_embedded_check(dir, &report, &err);
    fputs(strbuf_cstr(&report), stdout);
    if (r < 0)
        return cli_fail_err(&err);
    printf("The store is sound.\n");
    return 0;
}

static int run_compact(struct cli_args *a)
{
    char dir[4096];
    struct err err = ERR_NONE;
    store_dir(a, dir);
    if (store_embedded_compact(dir, &err) < 0)
        return cli_fail_err(&err);
    printf("The store in %s is now one snapshot and an empty log.\n", dir);
    return 0;
}

static int run_snapshot(struct cli_args *a)
{
    char dir[4096];
    struct err err = ERR_NONE;
    struct store *store;
    if (a->npositional != 1)
        return cli_usage(a, "name the file to write");
    store_dir(a, dir);
    if (store_embedded_open(dir, NULL, &store, &err) < 0)
        return cli_fail_err(&err);
    int r = store_snapshot(store, a->positional[0], &err);
    store_close(store);
    if (r < 0)
        return cli_fail_err(&err);
    printf("Saved to %s.\n", a->positional[0]);
    return 0;
}

static int run_restore(struct cli_args *a)
{
    char dir[4096];
    struct err err = ERR_NONE;
    if (a->npositional != 1)
        return cli_usage(a, "name the snapshot file to read");
    store_dir(a, dir);
    if (file_mkdir_all(verb_data_dir(a), 0700, &err) < 0 || store_embedded_restore(a->positional[0], dir, &err) < 0)
        return cli_fail_err(&err);
    printf("Restored %s into %s.\n", a->positional[0], dir);
    return 0;
}

static const struct cli_verb check = {.name = "check", .summary = "Read every file and say what is there and whether it is sound.", .usage = "[--data-dir DIR]",
                                      .options = options, .run = run_check};
static const struct cli_verb compact = {.name = "compact", .summary = "Rewrite the store as one snapshot and an empty log.", .usage = "[--data-dir DIR]",
                                        .options = options, .run = run_compact};
static const struct cli_verb snapshot = {.name = "snapshot", .summary = "Save the newest state to a file.", .usage = "FILE [--data-dir DIR]", .options = options,
                                         .run = run_snapshot};
static const struct cli_verb restore = {.name = "restore", .summary = "Make a store in an empty data directory from a snapshot file.", .usage = "FILE [--data-dir DIR]",
                                        .options = options, .run = run_restore};
static const struct cli_verb *const subs[] = {&check, &compact, &snapshot, &restore, NULL};

const struct cli_verb verb_store = {
    .name = "store",
    .summary = "Check, compact, save and restore the data of a server.",
    .usage = "(check | compact | snapshot FILE | restore FILE) [--data-dir DIR]",
    .help = "The server must not be running on that data directory.",
    .options = options,
    .subs = subs,
};
