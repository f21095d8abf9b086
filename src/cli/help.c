/* help.c - what --help says, from the verb tables. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#define CLI_PATH_MAX 96 /* of the words of a verb and its subverbs */

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

/* --- where a verb stands --------------------------------------------------------------------------------------------------------- */

static bool find_path(const struct cli_verb *const *list, const struct cli_verb *verb, char *path, size_t at)
{
    for (; list && *list; list++) {
        size_t end = at + (size_t)snprintf(path + at, CLI_PATH_MAX - at, "%s%s", at ? " " : "", (*list)->name);
        if (*list == verb || (end < CLI_PATH_MAX && find_path((*list)->subs, verb, path, end)))
            return true;
    }
    return false;
}

const char *cli_verb_path(const struct cli_verb *verb)
{
    static char path[CLI_PATH_MAX];
    return find_path(cli_verbs, verb, path, 0) ? path : verb->name;
}

/* --- help -------------------------------------------------------------------------------------------------------------------------- */

static void print_options(const struct cli_option *o)
{
    for (; o && o->name; o++) {
        char left[96];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s", o->letter ? "-" : "  ", o->letter ? o->letter : ' ', o->letter ? "," : "",
                 o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-34s %s%s%s%s\n", left, o->help, o->fallback && o->fallback[0] ? " (default " : "",
               o->fallback ? o->fallback : "", o->fallback && o->fallback[0] ? ")" : "");
    }
}

static void print_program(void)
{
    printf(
        "Coxswain: a whole Kubernetes-compatible cluster in one program.\n\nUsage: cox COMMAND [ARGS] [OPTIONS]\n\nCommands:\n");
    for (const struct cli_verb *const *v = cli_verbs; *v; v++)
        if (!(*v)->is_hidden)
            printf("  %-15s %s\n", (*v)->name, (*v)->summary);
    printf("\n'cox COMMAND --help' says more about each. Start with: cox server\n");
}

void cli_print_help(const struct cli_verb *v)
{
    if (!v) {
        print_program();
        return;
    }
    printf("%s\n\nUsage: cox %s %s\n", v->summary, cli_verb_path(v), v->usage ? v->usage : "[OPTIONS]");
    if (v->help)
        printf("\n%s\n", v->help);
    if (v->subs) {
        printf("\nCommands:\n");
        for (const struct cli_verb *const *s = v->subs; *s; s++)
            printf("  %-20s %s\n", (*s)->name, (*s)->summary);
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
