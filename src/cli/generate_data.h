/* generate_data.h - what configmaps and secrets are filled with.
 *
 * Threads: main only.  Ownership: the arena's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/cli.h"
#include "cli/failure.h"

struct generate_data {
    struct arena *arena;
    const char *kind, *name; /* for messages: "ConfigMap" */
    bool encodes;            /* everything is base64 (secrets); else only what is no UTF-8, in binary */
    struct json data, binary;
};
#define GENERATE_DATA_OPTIONS                                                                                               \
    {"from-file", 0, CLI_LIST, "[KEY=]PATH", "", "A file, or every file of a folder; the key is the file's name.", NULL},    \
        {"from-literal", 0, CLI_LIST, "KEY=VALUE", "", "A key and its value.", NULL},                                        \
        {"from-env-file", 0, CLI_LIST, "FILE", "", "A file of KEY=VALUE lines.", NULL}

/* --from-file, --from-literal, --from-env-file. */
int generate_data_read(struct generate_data *d, const struct cli_args *args, struct failure *f) MUST_CHECK;
int generate_data_file(struct generate_data *d, str key, const char *path, struct failure *f) MUST_CHECK;
