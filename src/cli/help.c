/* help.c - help, completion and man page, all from the verb tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"
#include "cli/cli.h"

const struct cli_option cli_client_options[] = {
    {"kubeconfig", 0, CLI_STRING, "FILE", "", "Credentials and clusters; otherwise $KUBECONFIG or ~/.kube/config.", NULL},
    {"context", 0, CLI_STRING, "NAME", "", "Context of the kubeconfig to use.", NULL},
    {"cluster", 0, CLI_STRING, "NAME", "", "Cluster of the kubeconfig to use.", NULL},
    {"user", 0, CLI_STRING, "NAME", "", "User of the kubeconfig to use.", NULL},
    {"server", 's', CLI_STRING, "URL", "", "Address of the API server.", NULL},
    {"token", 0, CLI_STRING, "TOKEN", "", "Bearer token.", NULL},
    {"namespace", 'n', CLI_STRING, "NAME", "", "Namespace to work in.", NULL},
    {"as", 0, CLI_STRING, "USER", "", "Act as this user.", NULL},
    {"certificate-authority", 0, CLI_STRING, "FILE", "", "Certificate authority of the server, PEM.", NULL},
    {"client-certificate", 0, CLI_STRING, "FILE", "", "Client certificate, PEM.", NULL},
    {"client-key", 0, CLI_STRING, "FILE", "", "Its key, PEM.", NULL},
    {"tls-server-name", 0, CLI_STRING, "NAME", "", "Name that the server's certificate must hold.", NULL},
    {"username", 0, CLI_STRING, "NAME", "", "User name for basic authentication.", NULL},
    {"password", 0, CLI_STRING, "PASSWORD", "", "Password for basic authentication.", NULL},
    {"insecure-skip-tls-verify", 0, CLI_FLAG, NULL, "", "Do not check the server's certificate.", NULL},
    {"request-timeout", 0, CLI_DURATION, "TIME", "", "Give up on a request after this time.", NULL},
    {0},
};

static void print_options(const struct cli_option *o)
{
    for (; o && o->name; o++) {
        char left[96];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", o->letter ? "-" : "  ", o->letter ? o->letter : ' ', o->letter ? "," : "", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        printf("  %-34s %s%s%s%s\n", left, o->help, o->fallback && o->fallback[0] ? " (default " : "", o->fallback ? o->fallback : "",
               o->fallback && o->fallback[0] ? ")" : "");
    }
}

static void print_program(void)
{
    printf("Coxswain: a whole Kubernetes-compatible cluster in one program.\n\nUsage: cox COMMAND [ARGS] [OPTIONS]\n\nCommands:\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            printf("  %-14s %s\n", (*v)->name, (*v)->summary);
    printf("\n'cox COMMAND --help' says more about each. Start with: cox server\n");
}

void cli_print_help(const struct cli_verb *v)
{
    if (!v) {
        print_program();
        return;
    }
    printf("%s\n\nUsage: cox %s %s\n", v->summary, v->name, v->usage ? v->usage : "[OPTIONS]");
    if (v->help)
        printf("\n%s\n", v->help);
    if (v->subs) {
        printf("\nCommands:\n");
        for (const struct cli_verb *const *s = v->subs; *s; s++)
            printf("  %-18s %s\n", (*s)->name, (*s)->summary);
    }
    if (v->examples)
        printf("\nExamples:\n%s\n", v->examples);
    if (v->options) {
        printf("\nOptions:\n");
        print_options(v->options);
    }
    if (v->is_client) {
        printf("\nOptions to reach a server:\n");
        print_options(cli_client_options);
    }
}

/* --- completion ---------------------------------------------------------------------------------------------------------------- */

static void print_words(const struct cli_verb *v, const char *before, const char *after)
{
    for (const struct cli_verb *const *s = v->subs; s && *s; s++)
        printf("%s%s%s", before, (*s)->name, after);
    const struct cli_option *lists[] = {v->options, v->is_client ? cli_client_options : NULL};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        for (const struct cli_option *o = lists[i]; o && o->name; o++)
            printf("%s--%s%s", before, o->name, after);
}

static void completion_bash(void)
{
    printf("_cox() {\n    local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]}\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            printf("%s ", (*v)->name);
    printf("' -- \"$cur\"))\n        return\n    fi\n    case $verb in\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        printf("    %s) COMPREPLY=($(compgen -W '", (*v)->name);
        print_words(*v, "", " ");
        printf("' -- \"$cur\")) ;;\n");
    }
    printf("    esac\n    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -F _cox cox\n");
}

static void completion_zsh(void)
{
    printf("#compdef cox\n_cox() {\n    local -a verbs words\n    verbs=(\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            printf("        '%s'\n", (*v)->name);
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command verbs\n        return\n    fi\n    case $words[2] in\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        printf("    %s) compadd -- ", (*v)->name);
        print_words(*v, "", " ");
        printf(";;\n");
    }
    printf("    esac\n    _files\n}\ncompdef _cox cox\n");
}

static void completion_fish(void)
{
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->is_hidden)
            continue;
        printf("complete -c cox -n __fish_use_subcommand -a %s -d \"%s\"\n", (*v)->name, (*v)->summary);
        for (const struct cli_verb *const *s = (*v)->subs; s && *s; s++)
            printf("complete -c cox -n \"__fish_seen_subcommand_from %s\" -a %s -d \"%s\"\n", (*v)->name, (*s)->name, (*s)->summary);
        for (const struct cli_option *o = (*v)->options; o && o->name; o++) {
            printf("complete -c cox -n \"__fish_seen_subcommand_from %s\" -l %s", (*v)->name, o->name);
            if (o->letter)
                printf(" -s %c", o->letter);
            printf("%s -d \"%s\"\n", o->type == CLI_FLAG ? "" : " -r", o->help);
        }
    }
}

void cli_write_completion(const char *shell)
{
    if (strcmp(shell, "zsh") == 0)
        completion_zsh();
    else if (strcmp(shell, "fish") == 0)
        completion_fish();
    else
        completion_bash();
}

/* --- man page --------------------------------------------------------------------------------------------------------------------- */

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

static void man_verb(const struct cli_verb *v, const char *parent)
{
    printf(".SS cox %s%s%s ", parent, parent[0] ? " " : "", v->name);
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
        man_verb(*s, v->name);
}

void cli_write_man(void)
{
    printf(".TH COX 1 \"\" \"cox %s\"\n.SH NAME\ncox \\- a whole Kubernetes-compatible cluster in one program\n.SH SYNOPSIS\n.B cox\nCOMMAND [ARGS] [OPTIONS]\n.SH COMMANDS\n", cox_version());
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            man_verb(*v, "");
    printf(".SH OPTIONS TO REACH A SERVER\n");
    man_options(cli_client_options);
    printf(".SH ENVIRONMENT\nEvery option can be given as COX_NAME, with underscores for hyphens; KUBECONFIG is a list of files with colons between them.\n"
           ".SH EXIT STATUS\n0 when all went well, 1 otherwise.\n");
}
