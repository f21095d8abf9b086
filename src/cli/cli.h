/* cli.h - the command line as tables: verbs, options, help, completion and man page come from the same rows.
 *
 *     cox VERB [SUBVERB] [ARGS] [--option value | --option=value | -o value | --flag]
 * Every option can also come from the environment as COX_<NAME> (--data-dir: COX_DATA_DIR), and those of a verb with a CLI_CONFIG from a file: the words win over the
 * environment, and that over the file, each option as a whole.  Options may stand anywhere; `--` ends them.
 * Threads: main only.  Ownership: argument texts are those of argv. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum cli_type {
    CLI_FLAG,     /* --quiet, --quiet=false */
    CLI_STRING,
    CLI_INT,
    CLI_DURATION, /* 30s, 5m, 1h30m; a bare number means seconds */
    CLI_LIST,     /* may be given several times */
    CLI_CONFIG,   /* a file with further options (config_file.h) */
};

struct cli_option {
    const char *name;
    char letter; /* 0: none */
    enum cli_type type;
    const char *value; /* how help shows it: "DIR" */
    const char *fallback; /* shown in help; "" none */
    const char *help;
    const char *optional; /* CLI_STRING: value of a bare --name (as kubectl's --dry-run), NULL: a value must follow */
};

struct cli_args;

struct cli_verb {
    const char *name;
    const char *aliases; /* "po,pod" style, may be NULL */
    const char *summary;
    const char *usage;   /* behind "cox NAME ", e.g. "(TYPE [NAME] | TYPE/NAME) ..." */
    const char *help;    /* paragraphs, may be NULL */
    const char *examples; /* lines, may be NULL */
    const struct cli_option *options; /* ends with a name of NULL; may be NULL */
    const struct cli_verb *const *subs; /* NULL-terminated; may be NULL */
    int (*run)(struct cli_args *args); /* exit status */
    bool is_client; /* has the options that reach a server: --kubeconfig, -n ... */
    bool is_hidden;
};

struct cli_args {
    const struct cli_verb *verb;
    const char *const *positional;
    size_t npositional;
    size_t nbefore; /* of them, those before a "--"; all when there is none */
    bool has_dashes;
    struct cli_value *values_;
    size_t nvalues_;
};

/* NULL when absent (and no environment variable). */
const char *cli_str(const struct cli_args *a, const char *name);
const char *cli_str_or(const struct cli_args *a, const char *name, const char *otherwise);
bool cli_flag(const struct cli_args *a, const char *name);
bool cli_given(const struct cli_args *a, const char *name);
int64_t cli_int(const struct cli_args *a, const char *name, int64_t otherwise);
int64_t cli_duration_ns(const struct cli_args *a, const char *name, int64_t otherwise_ns);
/* The idx-th value of a CLI_LIST, NULL behind the last. */
const char *cli_list(const struct cli_args *a, const char *name, size_t idx);

/* "error: ..." on stderr; returns 1 for `return cli_fail(...)`. */
int cli_fail(const char *fmt, ...) PRINTF_LIKE(1, 2);
int cli_fail_err(const struct err *err);
/* Wrong use: the sentence and how to get help; returns 1. */
int cli_usage(const struct cli_args *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

int cli_main(int argc, char **argv);

extern const struct cli_verb *const cli_verbs[]; /* registry.c; NULL-terminated */
extern const struct cli_option cli_client_options[]; /* of verbs with is_client */
void cli_print_help(const struct cli_verb *verb); /* NULL: of the program */
/* "create deployment": the words that lead to a verb, in a buffer of its own until the next call. */
const char *cli_verb_path(const struct cli_verb *verb);
/* completion.c, man.c */
void cli_write_completion(const char *shell);
void cli_write_man(void);
