/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/vec.h"
#include "cli/config_file.h"

struct cli_value {
    const struct cli_option *option;
    const char *text;
    bool in_file;
};

/* --- looking up ------------------------------------------------------------------------------------------------------------- */

static const char *last_value(const struct cli_args *a, const char *name, bool in_file)
{
    const char *found = NULL;
    for (size_t i = 0; i < a->nvalues_; i++)
        if (a->values_[i].in_file == in_file && strcmp(a->values_[i].option->name, name) == 0)
            found = a->values_[i].text;
    return found;
}

static const char *from_environment(const char *name)
{
    char key[80] = "COX_";
    size_t n = 4;
    for (; *name && n < sizeof key - 1; name++)
        key[n++] = *name == '-' ? '_' : *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name;
    key[n] = 0;
    const char *v = getenv(key);
    return v && v[0] ? v : NULL;
}

const char *cli_str(const struct cli_args *a, const char *name)
{
    const char *v = last_value(a, name, false);
    v = v ? v : from_environment(name);
    return v ? v : last_value(a, name, true);
}

const char *cli_str_or(const struct cli_args *a, const char *name, const char *otherwise)
{
    const char *v = cli_str(a, name);
    return v ? v : otherwise;
}

bool cli_given(const struct cli_args *a, const char *name)
{
    return cli_str(a, name) != NULL;
}

bool cli_flag(const struct cli_args *a, const char *name)
{
    const char *v = cli_str(a, name);
    bool b = false;
    return v && str_to_bool(str_of(v), &b) && b;
}

int64_t cli_int(const struct cli_args *a, const char *name, int64_t otherwise)
{
    const char *v = cli_str(a, name);
    int64_t n;
    return v && str_to_i64(str_of(v), &n) ? n : otherwise;
}

static bool parse_duration(str s, int64_t *ret_ns)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"ms", NSEC_PER_MSEC},
                 {"s", NSEC_PER_SEC},
                 {"m", 60 * NSEC_PER_SEC},
                 {"h", 3600 * NSEC_PER_SEC},
                 {"d", 86400 * NSEC_PER_SEC}};
    int64_t total = 0, number;
    if (str_to_i64(s, &number)) {
        *ret_ns = number * NSEC_PER_SEC;
        return true;
    }
    bool negative = s.len && s.p[0] == '-';
    if (negative)
        s = str_from(s, 1);
    while (s.len) {
        size_t digits = 0, unit = 0;
        while (digits < s.len && s.p[digits] >= '0' && s.p[digits] <= '9')
            digits++;
        while (digits + unit < s.len && (s.p[digits + unit] < '0' || s.p[digits + unit] > '9'))
            unit++;
        int64_t ns = 0;
        for (size_t i = 0; i < ARRAY_LEN(units); i++)
            if (str_is(str_sub(s, digits, digits + unit), units[i].unit))
                ns = units[i].ns;
        if (!ns || !str_to_i64(str_sub(s, 0, digits), &number))
            return false;
        total += number * ns;
        s = str_from(s, digits + unit);
    }
    *ret_ns = negative ? -total : total;
    return true;
}

int64_t cli_duration_ns(const struct cli_args *a, const char *name, int64_t otherwise_ns)
{
    const char *v = cli_str(a, name);
    int64_t ns;
    return v && parse_duration(str_of(v), &ns) ? ns : otherwise_ns;
}

const char *cli_list(const struct cli_args *a, const char *name, size_t idx)
{
    bool in_file = !last_value(a, name, false); /* one of the words is instead of all of the file */
    for (size_t i = 0; i < a->nvalues_; i++)
        if (a->values_[i].in_file == in_file && strcmp(a->values_[i].option->name, name) == 0 && idx-- == 0)
            return a->values_[i].text;
    return NULL;
}

/* --- failing ----------------------------------------------------------------------------------------------------------------- */

int cli_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("error: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return 1;
}

int cli_fail_err(const struct err *err)
{
    return cli_fail("%s", err->msg);
}

/* An option that cannot be read.  verb NULL: none was named. */
static int wrong_option(const struct cli_verb *verb, const char *text)
{
    fprintf(stderr, "error: %s\nSee 'cox %s%s--help' for usage.\n", text, verb ? cli_verb_path(verb) : "", verb ? " " : "");
    return 1;
}

int cli_usage(const struct cli_args *a, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "error: %s\nSee 'cox %s -h' for help and examples\n", text, cli_verb_path(a->verb));
    return 1;
}

/* --- parsing ----------------------------------------------------------------------------------------------------------------- */

struct parse {
    const struct cli_verb *verb;
    VEC(struct cli_value) values;
    VEC(const char *) positional;
    size_t nbefore;
    bool has_dashes;
    char problem[512];
    bool wants_help;
    bool in_file;
};

static const struct cli_option *find_in(const struct cli_option *list, str name, char letter)
{
    for (; list && list->name; list++)
        if ((name.len && str_is(name, list->name)) || (letter && list->letter == letter))
            return list;
    return NULL;
}

static const struct cli_option *find_option(const struct cli_verb *verb, str name, char letter)
{
    const struct cli_option *o = find_in(verb->options, name, letter);
    return o || !verb->is_client ? o : find_in(cli_client_options, name, letter);
}

static bool check_value(struct parse *p, const struct cli_option *o, const char *text)
{
    int64_t n;
    bool b, ok = o->type == CLI_INT        ? str_to_i64(str_of(text), &n)
                 : o->type == CLI_DURATION ? parse_duration(str_of(text), &n)
                 : o->type == CLI_FLAG     ? str_to_bool(str_of(text), &b)
                                           : true;
    char letter[8] = "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    if (!ok)
        snprintf(p->problem, sizeof p->problem, "invalid argument \"%s\" for \"%s--%s\" flag: it wants %s", text, letter, o->name,
                 o->type == CLI_INT    ? "a number"
                 : o->type == CLI_FLAG ? "true or false"
                                       : "a duration such as 30s or 5m");
    return ok;
}

static void add_value(struct parse *p, const struct cli_option *o, const char *text)
{
    if (check_value(p, o, text))
        vec_push(&p->values, (struct cli_value){o, text, p->in_file});
}

/* Takes an option's value from behind the '=' or the letter, or from the next word; returns how many words of that it used.  letter 0: its name stands there. */
static int take_value(struct parse *p, const struct cli_option *o, char letter, const char *value, int argc, char **argv, int i)
{
    if (!value && o->type == CLI_FLAG)
        value = "true";
    if (!value && o->optional)
        value = o->optional;
    if (value) {
        add_value(p, o, value);
        return 0;
    }
    if (i + 1 >= argc) {
        if (letter)
            snprintf(p->problem, sizeof p->problem, "flag needs an argument: '%c' in %s", letter, argv[i]);
        else
            snprintf(p->problem, sizeof p->problem, "flag needs an argument: --%s", o->name);
        return 0;
    }
    add_value(p, o, argv[i + 1]);
    return 1;
}

/* -A, -n web, -nweb, -o=yaml, and flags one behind the other: -Aw. */
static int take_letters(struct parse *p, int argc, char **argv, int i)
{
    for (const char *at = argv[i] + 1; *at && !p->problem[0]; at++) {
        const struct cli_option *o = find_option(p->verb, STR_NONE, *at);
        if (!o && *at == 'h') {
            p->wants_help = true;
            return 0;
        }
        if (!o) {
            snprintf(p->problem, sizeof p->problem, "unknown shorthand flag: '%c' in %s", *at, argv[i]);
            return 0;
        }
        if (o->type == CLI_FLAG && at[1] != '=') {
            add_value(p, o, "true");
            continue;
        }
        return take_value(p, o, *at, at[1] ? at + 1 + (at[1] == '=') : NULL, argc, argv, i);
    }
    return 0;
}

/* Takes the option in argv[i]; returns how many further words it used. */
static int take_option(struct parse *p, int argc, char **argv, int i)
{
    if (argv[i][1] != '-')
        return take_letters(p, argc, argv, i);
    str rest = str_of(argv[i] + 2), name;
    const char *value = str_cut(&rest, '=', &name) ? rest.p : NULL;
    const struct cli_option *o = find_option(p->verb, name, 0);
    if (!o && str_is(name, "help"))
        p->wants_help = true;
    else if (!o)
        snprintf(p->problem, sizeof p->problem, "unknown flag: --" STR_FMT, STR_ARG(name));
    return o ? take_value(p, o, 0, value, argc, argv, i) : 0;
}

static void parse_words(struct parse *p, int argc, char **argv)
{
    for (int i = 0; i < argc && !p->problem[0]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            p->has_dashes = true;
            for (i++; i < argc; i++)
                vec_push(&p->positional, argv[i]);
            return;
        }
        if (argv[i][0] == '-' && argv[i][1]) {
            i += take_option(p, argc, argv, i);
            continue;
        }
        vec_push(&p->positional, argv[i]);
        p->nbefore++;
    }
}

/* --- further options in a file ------------------------------------------------------------------------------------------------ */
static bool is_end_of_bandwidth(const char *option)
{
    return strcmp(option, "bandwidth") == 0 || strcmp(option, "egress") == 0 || strcmp(option, "ingress") == 0;
}

static void add_from_file(struct parse *p, const char *path, const struct config_value *v)
{
    const struct cli_option *o = find_option(p->verb, str_of(v->option), 0);
    /* other commands, which have no such file, look for this one */
    const char *wrong = !o && is_end_of_bandwidth(v->option) ? "is a part of capacity: write capacity: {bandwidth: 10Gi}"
                        : !o || o->type == CLI_CONFIG        ? "is no option of this command"
                        : strcmp(o->name, "data-dir") == 0   ? "has to be given on the command line or as COX_DATA_DIR"
                        : v->is_list && o->type != CLI_LIST  ? "has one value, not several"
                        : !v->is_list && o->type == CLI_LIST ? "wants a list, or names with their values"
                                                             : NULL;
    if (wrong)
        snprintf(p->problem, sizeof p->problem, "%s:%zu: \"%s\" %s", path, v->line, v->option, wrong);
    else
        add_value(p, o, v->text);
}

static void read_config(struct parse *p, struct arena *a)
{
    const struct cli_option *o = p->verb->options;
    while (o && o->name && o->type != CLI_CONFIG)
        o++;
    struct cli_args words = {.values_ = p->values.p, .nvalues_ = p->values.len};
    const char *path = o && o->name && !p->problem[0] && !p->wants_help ? cli_str(&words, o->name) : NULL;
    struct config_value *values;
    size_t n;
    struct err err = ERR_NONE;
    if (!path)
        return;
    if (config_file_read(a, path, &values, &n, &err) < 0) {
        snprintf(p->problem, sizeof p->problem, "%s", err.msg);
        return;
    }
    p->in_file = true;
    for (size_t i = 0; i < n && !p->problem[0]; i++)
        add_from_file(p, path, &values[i]);
}

static const struct cli_verb *find_verb(const struct cli_verb *const *list, const char *name)
{
    for (; list && *list; list++) {
        if (strcmp((*list)->name, name) == 0)
            return *list;
        str aliases = str_of((*list)->aliases), one;
        while (aliases.len) {
            str_cut(&aliases, ',', &one);
            if (str_is(one, name))
                return *list;
        }
    }
    return NULL;
}

/* Number of letters to change to get from one word to the other; small words only. */
static int distance(const char *a, const char *b)
{
    int row[33], n = (int)strlen(b);
    if (n > 32)
        return 99;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int up = row[j], change = before + (a[i - 1] != b[j - 1]);
            int least = MIN(up, row[j - 1]) + 1;
            row[j] = MIN(least, change);
            before = up;
        }
    }
    return row[n];
}

static int unknown_verb(const char *name)
{
    const char *best = NULL;
    int least = 3;
    for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
        int d = distance(name, (*v)->name);
        if (d < least && !(*v)->is_hidden) {
            least = d;
            best = (*v)->name;
        }
    }
    fprintf(stderr, "error: cox has no command \"%s\"", name);
    fprintf(stderr, best ? "; did you mean \"%s\"?\n" : "; 'cox --help' lists those it has.\n", best);
    return 1;
}

/* The first word that is no option, or n: options of the verb (may be NULL) and those that reach a server may take the word behind them. */
static int first_word(const struct cli_verb *verb, char **words, int n)
{
    int i = 0;
    while (i < n && words[i][0] == '-' && words[i][1] && strcmp(words[i], "--") != 0) {
        bool is_long = words[i][1] == '-';
        str rest = str_of(words[i] + (is_long ? 2 : 1)), name;
        bool has_value = is_long ? str_cut(&rest, '=', &name) : rest.len > 1;
        char letter = is_long ? 0 : words[i][1];
        const struct cli_option *o = find_in(verb ? verb->options : NULL, is_long ? name : STR_NONE, letter);
        if (!o)
            o = find_in(cli_client_options, is_long ? name : STR_NONE, letter);
        i += o && o->type != CLI_FLAG && !o->optional && !has_value ? 2 : 1;
    }
    return MIN(i, n);
}

/* Takes the verb and its subverbs out of the words: `cox -n web create secret generic x`.  NULL with *ret_unknown set: there is no such verb. */
static const struct cli_verb *take_verb(char **words, int *n, const char **ret_unknown)
{
    const struct cli_verb *verb = NULL;
    const struct cli_verb *const *list = cli_verbs;
    while (list) {
        int at = first_word(verb, words, *n);
        const struct cli_verb *found = at < *n ? find_verb(list, words[at]) : NULL;
        if (!found && !verb)
            *ret_unknown = at < *n ? words[at] : NULL;
        if (!found)
            return verb;
        memmove(words + at, words + at + 1, (size_t)(*n - at - 1) * sizeof *words);
        (*n)--;
        verb = found;
        list = verb->subs;
    }
    return verb;
}

static int run_words(char **words, int n, bool asks_help)
{
    const char *unknown = NULL;
    const struct cli_verb *verb = take_verb(words, &n, &unknown);
    if (!verb && unknown)
        return unknown_verb(unknown);
    static const struct cli_verb none = {.name = "", .is_client = true};
    struct parse p = {.verb = verb ? verb : &none, .wants_help = asks_help};
    parse_words(&p, n, words);
    ARENA_AUTO file = ARENA_INIT;
    read_config(&p, &file);
    if (!verb && !p.problem[0]) {
        vec_fini(&p.values);
        return cli_fail("a command is needed; 'cox --help' lists them");
    }
    int code;
    if (p.wants_help) {
        cli_print_help(verb);
        code = 0;
    } else if (p.problem[0]) {
        code = wrong_option(verb, p.problem);
    } else if (!verb->run) {
        struct cli_args args = {.verb = verb};
        code = p.positional.len ? cli_usage(&args, "unknown command \"%s\"", p.positional.p[0]) : 1;
        if (!p.positional.len)
            cli_print_help(verb); /* as kubectl: the help is what was wanted, and yet nothing was done */
    } else {
        struct cli_args args = {verb, p.positional.p, p.positional.len, p.nbefore, p.has_dashes, p.values.p, p.values.len};
        code = verb->run(&args);
    }
    vec_fini(&p.values);
    vec_fini(&p.positional);
    return code;
}

int cli_main(int argc, char **argv)
{
    static char version[] = "version";
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (strcmp(argv[1], "help") == 0 && argc == 2)) {
        cli_print_help(NULL);
        return argc < 2;
    }
    bool asks_help = strcmp(argv[1], "help") == 0;
    int n = argc - 1 - asks_help;
    CLEANUP(free) char **words = xarray((size_t)n + 1, char *);
    memcpy(words, argv + 1 + asks_help, (size_t)n * sizeof *words);
    if (strcmp(words[0], "--version") == 0)
        words[0] = version;
    return run_words(words, n, asks_help);
}
