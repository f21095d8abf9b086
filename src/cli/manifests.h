/* manifests.h - objects from files: YAML and JSON, several documents, Lists, folders, standard input.
 *
 * Threads: main only.  Ownership: objects are in the given arena.
 * Limits: MANIFEST_MAX bytes a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/cli.h"
#include "cli/failure.h"

#define MANIFEST_MAX (64u << 20)

struct manifest {
    struct json object;
    str source; /* "web.yaml", "STDIN" */
};
struct manifests {
    struct manifest *p;
    size_t len, cap_;
};

/* Options that verbs with files share: put them into their tables. */
#define MANIFEST_OPTIONS                                                                                                                     \
    {"filename", 'f', CLI_LIST, "FILE", "", "File or folder with objects; \"-\" reads standard input.", NULL},                                \
        {"recursive", 'R', CLI_FLAG, NULL, "", "Look into folders within the folders of -f.", NULL}

/* All that --filename and --recursive name; none given: an empty list. */
int manifests_read(struct arena *a, const struct cli_args *args, struct manifests *ret, struct failure *f) MUST_CHECK;
/* The objects of one text; Lists are replaced by their items. */
int manifests_parse(struct arena *a, str text, str source, struct manifests *ret, struct failure *f) MUST_CHECK;
