/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/vec.h"

struct cli_value {
    const struct cli_option *option;
    const char *text;
};

/* --- looking up ------------------------------------------------------------------------------------------------------------- */

static const char *last_value(const struct cli_args *a, const char *name)
{
    const char *found = NULL;
    for (size_t i = 0; i < a->nvalues_; i++)
        if (strcmp(a->values_[i].option->name, name) == 0)
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
    const char *v = last_value(a, name);
    return v ? v : from_environment(name);
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
    } units[] = {{"ms", NSEC_PER_MSEC}, {"s", NSEC_PER_SEC}, {"m", 60 * NSEC_PER_SEC}, {"h", 3600 * NSEC_PER_SEC}, {"d", 86400 * NSEC_PER_SEC}};
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
    for (size_t i = 0; i < a->nvalues_; i++)
        if (strcmp(a->values_[i].option->name, name) == 0 && idx-- == 0)
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

static int usage_of(const struct cli_verb *verb, const char *text)
{
    fprintf(stderr, "error: %s\nSee 'cox %s--help' for what it takes.\n", text, verb ? verb->name : "");
    return 1;
}

int cli_usage(const struct cli_args *a, const char *fmt, ...)
{
    char text[512], hint[64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    snprintf(hint, sizeof hint, "%s ", a->verb->name);
    fprintf(stderr, "error: %s\nSee 'cox %s--help' for what it takes.\n", text, hint);
    return 1;
}

/* --- parsing ----------------------------------------------------------------------------------------------------------------- */

struct parse {
    const struct cli_verb *verb;
    VEC(struct cli_value) values;
    VEC(const char *) positional;
    char problem[256];
    bool wants_help;
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
    if (!ok)
        snprintf(p->problem, sizeof p->problem, "--%s does not take \"%s\": it wants %s", o->name, text,
                 o->type == CLI_INT ? "a number" : o->type == CLI_FLAG ? "true or false" : "a duration such as 30s or 5m");
    return ok;
}

static void add_value(struct parse *p, const struct cli_option *o, const char *text)
{
    if (check_value(p, o, text))
        vec_push(&p->values, (struct cli_value){o, text});
}

/* Takes the option in argv[i]; returns how many further words it used. */
static int take_option(struct parse *p, int argc, char **argv, int i)
{
    str word = str_of(argv[i]), name = STR_NONE;
    const char *value = NULL;
    char letter = 0;
    if (word.p[1] == '-') {
        str rest = str_from(word, 2);
        if (str_cut(&rest, '=', &name))
            value = rest.p;
    } else {
        letter = word.p[1];
        if (word.len > 2)
            value = word.p + (word.p[2] == '=' ? 3 : 2);
    }
    if (str_is(name, "help") || letter == 'h') {
        p->wants_help = true;
        return 0;
    }
    const struct cli_option *o = find_option(p->verb, name, letter);
    if (!o) {
        snprintf(p->problem, sizeof p->problem, "unknown option %s", argv[i]);
        return 0;
    }
    if (o->type == CLI_FLAG && value && letter) { /* -Aw: several letters */
        add_value(p, o, "true");
        static char rest[8][32];
        static int used;
        char *again[] = {rest[used++ % 8]};
        snprintf(again[0], sizeof rest[0], "-%s", value);
        return take_option(p, 1, again, 0);
    }
    if (!value && o->type == CLI_FLAG)
        value = "true";
    if (!value && o->optional)
        value = o->optional;
    if (value) {
        add_value(p, o, value);
        return 0;
    }
    if (i + 1 >= argc) {
        snprintf(p->problem, sizeof p->problem, "--%s needs a value (%s)", o->name, o->value ? o->value : "VALUE");
        return 0;
    }
    add_value(p, o, argv[i + 1]);
    return 1;
}

static void parse_words(struct parse *p, int argc, char **argv)
{
    for (int i = 0; i < argc && !p->problem[0]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            for (i++; i < argc; i++)
                vec_push(&p->positional, argv[i]);
            return;
        }
        if (argv[i][0] == '-' && argv[i][1])
            i += take_option(p, argc, argv, i);
        else
            vec_push(&p->positional, argv[i]);
    }
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

int cli_main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (strcmp(argv[1], "help") == 0 && argc == 2)) {
        cli_print_help(NULL);
        return argc < 2;
    }
    bool asks_help = strcmp(argv[1], "help") == 0;
    int at = asks_help ? 2 : 1;
    const char *name = strcmp(argv[at], "--version") == 0 ? "version" : argv[at];
    const struct cli_verb *verb = find_verb(cli_verbs, name);
    if (!verb)
        return unknown_verb(name);
    at++;
    while (verb->subs && at < argc && argv[at][0] != '-') {
        const struct cli_verb *sub = find_verb(verb->subs, argv[at]);
        if (!sub)
            break;
        verb = sub;
        at++;
    }
    struct parse p = {.verb = verb, .wants_help = asks_help};
    parse_words(&p, argc - at, argv + at);
    int code;
    if (p.wants_help) {
        cli_print_help(verb);
        code = 0;
    } else if (p.problem[0]) {
        char hint[72];
        snprintf(hint, sizeof hint, "%s", p.problem[0] ? verb->name : "");
        fprintf(stderr, "error: %s\nSee 'cox %s --help' for the options it has.\n", p.problem, hint);
        code = 1;
    } else if (!verb->run) {
        code = usage_of(NULL, p.positional.len ? "unknown subcommand" : "a subcommand is needed");
        cli_print_help(verb);
    } else {
        struct cli_args args = {verb, p.positional.p, p.positional.len, p.values.p, p.values.len};
        code = verb->run(&args);
    }
    vec_fini(&p.values);
    vec_fini(&p.positional);
    return code;
}
