/* completion.c - completion scripts of bash, zsh and fish, from the verb tables.
 *
 * Every script has one table: the words of a verb ("create deployment") to what may follow them.  Types of objects come from the server that
 * the kubeconfig leads to, when it answers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#define TYPES_COMMAND "cox api-resources --no-headers -o name --request-timeout=2s 2>/dev/null | cut -d. -f1"

/* Calls fn for every verb and subverb, parents first. */
static void each_verb(const struct cli_verb *const *list, void (*fn)(const struct cli_verb *v))
{
    for (; list && *list; list++) {
        if ((*list)->is_hidden)
            continue;
        fn(*list);
        each_verb((*list)->subs, fn);
    }
}

static void print_names(const struct cli_verb *const *list)
{
    for (; list && *list; list++) {
        if (!(*list)->is_hidden)
            printf("%s ", (*list)->name);
    }
}

static void print_options(const struct cli_option *o)
{
    for (; o && o->name; o++)
        printf("--%s ", o->name);
}

/* Verbs whose words are TYPE and NAME: those that reach a server and have no subverbs to choose from. */
static bool takes_types(const struct cli_verb *v)
{
    return v->is_client && !v->subs && v->usage && strstr(v->usage, "TYPE");
}

static void shell_case(const struct cli_verb *v)
{
    printf("    'cox %s') echo '", cli_verb_path(v));
    print_names(v->subs);
    print_options(v->options);
    print_options(v->is_client ? cli_client_options : NULL);
    printf("'%s ;;\n", takes_types(v) ? "; _cox_types" : "");
}

/* What bash and zsh share: _cox_words WORDS prints what may follow them. */
static void shell_table(void)
{
    printf("_cox_types() {\n    " TYPES_COMMAND "\n}\n_cox_words() {\n    case $1 in\n    cox) echo '");
    print_names(cli_verbs);
    printf("' ;;\n");
    each_verb(cli_verbs, shell_case);
    printf(
        "    esac\n}\n"
        "# The verb's words among all words so far: options and names of objects are left out.\n"
        "_cox_verb() {\n    local key=cox word\n    for word in \"$@\"; do\n        case \" $(_cox_words \"$key\" 2>/dev/null | head -n 1) \" in\n"
        "        *\" $word \"*) case $word in -*) ;; *) key=\"$key $word\" ;; esac ;;\n        esac\n    done\n    echo \"$key\"\n}\n");
}

static void completion_bash(void)
{
    printf("# bash completion of cox: source it, or put it into /etc/bash_completion.d\n");
    shell_table();
    printf("_cox() {\n    local cur=${COMP_WORDS[COMP_CWORD]} key\n    key=$(_cox_verb \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
           "    COMPREPLY=($(compgen -W \"$(_cox_words \"$key\")\" -- \"$cur\"))\n"
           "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -F _cox cox\n");
}

static void completion_zsh(void)
{
    printf("#compdef cox\n");
    shell_table();
    printf(
        "_cox() {\n    local key\n    key=$(_cox_verb \"${(@)words[2,CURRENT-1]}\")\n    compadd -- ${=\"$(_cox_words \"$key\")\"}\n    _files\n}\ncompdef _cox cox\n");
}

/* --- fish: a line for every word -------------------------------------------------------------------------------------------------- */

/* Between double quotes of fish, backslash, dollar and the quote are special. */
static void fish_text(const char *s)
{
    for (; *s; s++) {
        if (strchr("\\\"$", *s))
            putchar('\\');
        putchar(*s);
    }
}

/* "-n" of a verb's words: all of its words were typed. */
static void fish_condition(const struct cli_verb *v)
{
    str rest = str_of(cli_verb_path(v)), word;
    bool first = true;
    printf(" -n \"");
    while (rest.len) {
        str_cut(&rest, ' ', &word);
        printf("%s__fish_seen_subcommand_from " STR_FMT, first ? "" : "; and ", STR_ARG(word));
        first = false;
    }
    printf("\"");
}

static void fish_verb(const struct cli_verb *v)
{
    for (const struct cli_verb *const *s = v->subs; s && *s; s++) {
        printf("complete -c cox");
        fish_condition(v);
        printf(" -a %s -d \"", (*s)->name);
        fish_text((*s)->summary);
        printf("\"\n");
    }
    for (const struct cli_option *o = v->options; o && o->name; o++) {
        printf("complete -c cox");
        fish_condition(v);
        printf(" -l %s", o->name);
        if (o->letter)
            printf(" -s %c", o->letter);
        printf("%s -d \"", o->type == CLI_FLAG ? "" : " -r");
        fish_text(o->help);
        printf("\"\n");
    }
    if (takes_types(v)) {
        printf("complete -c cox");
        fish_condition(v);
        printf(" -a \"(" TYPES_COMMAND ")\"\n");
    }
}

static void completion_fish(void)
{
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        if ((*v)->is_hidden)
            continue;
        printf("complete -c cox -n __fish_use_subcommand -a %s -d \"", (*v)->name);
        fish_text((*v)->summary);
        printf("\"\n");
    }
    each_verb(cli_verbs, fish_verb);
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
