/* openb_csv.c - the two lists of the openb traces: a line of column names, then a line for each.
 *
 * Columns are found by name: some variants have fewer of them, and the order is not relied on.  Fields are plain: no quotes, no blanks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/limits.h"
#include "sim/openb.h"

#define COLUMNS_MAX 64
#define AMOUNT_MAX 1000000000000 /* of anything: far beyond machines, far from overflow */

struct column {
    const char *name;
    bool required;
    int64_t max; /* 0: text */
};
struct table {
    str file;
    const struct column *columns;
    size_t ncolumns;
    size_t at[COLUMNS_MAX]; /* field that holds column i, COLUMNS_MAX: none does */
    size_t line;
};

static int refuse(const struct table *t, const char *column, struct err *err, const char *what, str value)
{
    return err_set(err, E_INVALID, STR_FMT ":%zu: column %s: \"" STR_FMT "\" %s", STR_ARG(t->file), t->line, column, STR_ARG(str_sub(value, 0, 60)), what);
}

/* The next line without its end; false: no more. */
static bool next_line(struct table *t, str *text, str *ret)
{
    if (!text->len)
        return false;
    str_cut(text, '\n', ret);
    t->line++;
    if (ret->len && ret->p[ret->len - 1] == '\r')
        ret->len--;
    return true;
}

static int read_head(struct table *t, str *text, struct err *err)
{
    str line = S(""), name;
    next_line(t, text, &line);
    for (size_t i = 0; i < t->ncolumns; i++)
        t->at[i] = COLUMNS_MAX;
    size_t field = 0;
    for (bool more = true; more && field < COLUMNS_MAX; field++) {
        more = str_cut(&line, ',', &name);
        for (size_t i = 0; i < t->ncolumns; i++)
            if (str_is(str_trim(name), t->columns[i].name))
                t->at[i] = field;
    }
    for (size_t i = 0; i < t->ncolumns; i++)
        if (t->columns[i].required && t->at[i] == COLUMNS_MAX)
            return err_set(err, E_INVALID, STR_FMT ":1: there is no column %s in the first line", STR_ARG(t->file), t->columns[i].name);
    return 0;
}

/* One line: texts as they stand, numbers checked. */
static int read_line(const struct table *t, str line, str *texts, int64_t *numbers, struct err *err)
{
    str field[COLUMNS_MAX];
    size_t n = 0;
    for (bool more = true; more && n < COLUMNS_MAX; n++)
        more = str_cut(&line, ',', &field[n]);
    for (size_t i = 0; i < t->ncolumns; i++) {
        const struct column *c = &t->columns[i];
        if (t->at[i] >= n) {
            if (c->required)
                return err_set(err, E_INVALID, STR_FMT ":%zu: column %s: the line ends before it", STR_ARG(t->file), t->line, c->name);
            texts[i] = S("");
            continue;
        }
        texts[i] = str_trim(field[t->at[i]]);
        if (c->max && (!str_to_i64(texts[i], &numbers[i]) || numbers[i] < 0 || numbers[i] > c->max)) {
            char what[64];
            snprintf(what, sizeof what, "is not a whole number from 0 to %lld", (long long)c->max);
            return refuse(t, c->name, err, what, texts[i]);
        }
        if (!c->max && c->required && !texts[i].len)
            return refuse(t, c->name, err, "is empty", texts[i]);
    }
    return 0;
}

static size_t count_lines(str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == '\n';
    return n;
}

/* --- nodes ------------------------------------------------------------------------------------------------------------------------------------ */
int openb_parse_nodes(struct arena *a, str text, str file, struct openb_nodes *ret, struct err *err)
{
    enum { SN, CPU, MEMORY, GPU, MODEL, N };
    static const struct column columns[N] = {
        [SN] = {"sn", true, 0}, [CPU] = {"cpu_milli", true, AMOUNT_MAX}, [MEMORY] = {"memory_mib", true, AMOUNT_MAX}, [GPU] = {"gpu", true, GPU_MAX}, [MODEL] = {"model", false, 0}};
    struct table t = {.file = file, .columns = columns, .ncolumns = N};
    int r = read_head(&t, &text, err);
    if (r < 0)
        return r;
    size_t lines = count_lines(text);
    if (lines > LIMIT_SCHED_NODES)
        return err_set(err, E_TOO_LARGE, STR_FMT ": %zu lines are too many, at most %u nodes can be read", STR_ARG(file), lines, LIMIT_SCHED_NODES);
    struct openb_nodes out = {arena_array(a, lines, struct openb_node), 0};
    for (str line; next_line(&t, &text, &line);) {
        str texts[N];
        int64_t numbers[N] = {0};
        if (!str_trim(line).len)
            continue;
        if ((r = read_line(&t, line, texts, numbers, err)) < 0)
            return r;
        out.p[out.n++] = (struct openb_node){texts[SN], texts[MODEL], numbers[CPU], numbers[MEMORY], (uint32_t)numbers[GPU]};
    }
    *ret = out;
    return 0;
}

/* --- pods -------------------------------------------------------------------------------------------------------------------------------------- */
int openb_parse_pods(struct arena *a, str text, str file, struct openb_pods *ret, struct err *err)
{
    enum { NAME, CPU, MEMORY, GPUS, MILLI, SPEC, N };
    static const struct column columns[N] = {
        [NAME] = {"name", true, 0},         [CPU] = {"cpu_milli", true, AMOUNT_MAX},  [MEMORY] = {"memory_mib", true, AMOUNT_MAX},
        [GPUS] = {"num_gpu", true, GPU_MAX}, [MILLI] = {"gpu_milli", true, GPU_MILLI}, [SPEC] = {"gpu_spec", false, 0}};
    struct table t = {.file = file, .columns = columns, .ncolumns = N};
    int r = read_head(&t, &text, err);
    if (r < 0)
        return r;
    size_t lines = count_lines(text);
    if (lines > OPENB_PODS_MAX)
        return err_set(err, E_TOO_LARGE, STR_FMT ": %zu lines are too many, at most %u pods can be read", STR_ARG(file), lines, OPENB_PODS_MAX);
    struct openb_pods out = {arena_array(a, lines, struct openb_pod), 0};
    for (str line; next_line(&t, &text, &line);) {
        str texts[N];
        int64_t v[N] = {0};
        if (!str_trim(line).len)
            continue;
        if ((r = read_line(&t, line, texts, v, err)) < 0)
            return r;
        if (v[GPUS] && !v[MILLI])
            return refuse(&t, "gpu_milli", err, "is nothing of a GPU, but num_gpu is not 0", texts[MILLI]);
        out.p[out.n++] = (struct openb_pod){texts[NAME], texts[SPEC], v[CPU], v[MEMORY], (uint32_t)v[GPUS], v[GPUS] ? (int32_t)v[MILLI] : 0};
    }
    *ret = out;
    return 0;
}
