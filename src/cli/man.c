/* man.c - the manual page (roff), from the verb tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"
#include "cli/cli.h"

/* In roff a line must not begin with a dot, and backslashes and hyphens are special. */
static void roff(const char *text)
{
    bool at_start = true;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        at_start = *text == '\n';
    }
}

static void man_options(const struct cli_option *o)
{
    for (; o && o->name; o++) {
        printf(".TP\n.B ");
        if (o->letter)
            printf("\\-%c, ", o->letter);
        fputs("\\-\\-", stdout);
        roff(o->name);
        printf("%s%s\n", o->value ? " " : "", o->value ? o->value : "");
        roff(o->help);
        putchar('\n');
    }
}

static void man_verb(const struct cli_verb *v)
{
    printf(".SS cox %s ", cli_verb_path(v));
    roff(v->usage ? v->usage : "");
    putchar('\n');
    roff(v->summary);
    putchar('\n');
    if (v->help) {
        printf(".PP\n");
        roff(v->help);
        putchar('\n');
    }
    man_options(v->options);
    if (v->examples) {
        printf(".PP\n.nf\n");
        roff(v->examples);
        printf("\n.fi\n");
    }
    for (const struct cli_verb *const *s = v->subs; s && *s; s++)
        man_verb(*s);
}

void cli_write_man(void)
{
    printf(
        ".TH COX 1 \"\" \"cox %s\"\n.SH NAME\ncox \\- a whole Kubernetes-compatible cluster in one program\n.SH SYNOPSIS\n.B cox\nCOMMAND [ARGS] [OPTIONS]\n.SH COMMANDS\n",
        cox_version());
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            man_verb(*v);
    printf(".SH OPTIONS TO REACH A SERVER\n");
    man_options(cli_client_options);
    printf(
        ".SH ENVIRONMENT\nEvery option can be given as COX_NAME, with underscores for hyphens; KUBECONFIG is a list of files with colons between them.\n"
        ".SH EXIT STATUS\n0 when all went well, 1 otherwise.\n");
}
