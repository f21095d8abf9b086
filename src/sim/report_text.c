/* report_text.c - the summary on a terminal: figures, jobs, and why things wait. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/report.h"

#define JOBS_SHOWN 30
#define REASONS_SHOWN 5

/* Cells that line up; the first column to the left, the others to the right. */
struct grid {
    size_t columns, rows;
    str cells[64][REPORT_RUNS_MAX + 1];
};

static void grid_write(struct strbuf *b, const struct grid *g)
{
    size_t width[REPORT_RUNS_MAX + 1] = {0};
    for (size_t r = 0; r < g->rows; r++)
        for (size_t c = 0; c < g->columns; c++)
            width[c] = MAX(width[c], g->cells[r][c].len);
    for (size_t r = 0; r < g->rows; r++) {
        strbuf_addf(b, STR_FMT "%*s", STR_ARG(g->cells[r][0]), (int)(width[0] - g->cells[r][0].len), "");
        for (size_t c = 1; c < g->columns; c++)
            strbuf_addf(b, "   %*s" STR_FMT, (int)(width[c] - g->cells[r][c].len), "", STR_ARG(g->cells[r][c]));
        strbuf_add_char(b, '\n');
    }
}

static void write_figures(struct strbuf *b, struct arena *a, const struct report_run *runs, size_t n)
{
    struct report_figure *f;
    size_t k = report_figures(a, runs, n, &f), width = 0, column[REPORT_RUNS_MAX] = {0};
    for (size_t i = 0; i < k; i++) {
        width = MAX(width, f[i].label.len);
        for (size_t x = 0; x < n; x++)
            column[x] = MAX(column[x], f[i].value[x].len);
    }
    if (n > 1) {
        strbuf_addf(b, "%*s", (int)width, "");
        for (size_t x = 0; x < n; x++) {
            column[x] = MAX(column[x], runs[x].profile.len);
            strbuf_addf(b, "   " STR_FMT "%*s", STR_ARG(runs[x].profile), x + 1 < n ? (int)(column[x] - runs[x].profile.len) : 0, "");
        }
        strbuf_add_char(b, '\n');
    }
    for (size_t i = 0; i < k; i++) {
        strbuf_addf(b, STR_FMT "%*s", STR_ARG(f[i].label), (int)(width - f[i].label.len), "");
        for (size_t x = 0; x < n; x++)
            strbuf_addf(b, "   " STR_FMT "%*s", STR_ARG(f[i].value[x]), x + 1 < n ? (int)(column[x] - f[i].value[x].len) : 0, "");
        strbuf_add_char(b, '\n');
    }
}

static void write_jobs(struct strbuf *b, struct arena *a, const struct sim_result *r)
{
    struct grid *g = arena_new(a, struct grid);
    static const char *const heads[] = {"JOB", "COUNT", "PODS", "PLACED", "PENDING", "DONE"};
    g->columns = ARRAY_LEN(heads);
    g->rows = 1;
    for (size_t c = 0; c < g->columns; c++)
        g->cells[0][c] = str_of(heads[c]);
    for (size_t i = 0; i < r->nkinds && i < JOBS_SHOWN; i++) {
        const struct sim_kind *k = &r->kinds[i];
        const uint32_t figures[] = {k->jobs, k->pods, k->placed, k->waiting, k->done};
        g->cells[g->rows][0] = k->name;
        for (size_t c = 0; c < ARRAY_LEN(figures); c++)
            g->cells[g->rows][c + 1] = report_count(a, figures[c]);
        g->rows++;
    }
    strbuf_add_char(b, '\n');
    grid_write(b, g);
    if (r->nkinds > JOBS_SHOWN)
        strbuf_addf(b, "and %zu more\n", r->nkinds - JOBS_SHOWN);
}

static void write_queues(struct strbuf *b, struct arena *a, const struct report_run *x)
{
    struct grid *g = arena_new(a, struct grid);
    const struct sim_result *r = x->r;
    uint16_t res = r->has_gpus ? RES_GPU : RES_CPU;
    double end_s = MAX((double)r->end / 1e9, 1e-9);
    static const char *const heads[] = {"QUEUE", "QUOTA", "USED", "SHARE", "MET", "PODS", "WAIT", "P50", "P99", "LONGEST", "EVICTED", "GPU-H LOST", "OWED", "BROKEN"};
    _Static_assert(ARRAY_LEN(heads) <= REPORT_RUNS_MAX + 1, "fits the grid");
    g->columns = ARRAY_LEN(heads);
    g->rows = 1;
    for (size_t c = 0; c < g->columns; c++)
        g->cells[0][c] = str_of(heads[c]);
    for (size_t i = 0; i < r->nqueues && i < JOBS_SHOWN; i++) {
        const struct sim_queue *q = &r->queues[i];
        const str cells[] = {q->name,
                             q->quota == POLICY_UNLIMITED ? S("-") : report_amount(a, x->s, res, (double)q->quota),
                             report_amount(a, x->s, res, q->used_s / end_s),
                             report_amount(a, x->s, res, q->fair_s / end_s),
                             arena_fmt(a, "%.1f%%", q->fair_s > 0 ? 100 * q->met_s / q->fair_s : 100),
                             report_count(a, q->pods),
                             report_duration(a, q->waits.mean),
                             report_duration(a, q->waits.p50),
                             report_duration(a, q->waits.p99),
                             report_duration(a, q->waited_max_s),
                             report_count(a, q->preemptions),
                             arena_fmt(a, "%.1f", q->lost_gpu_s / 3600),
                             report_duration(a, q->owed_s),
                             report_count(a, q->violations)};
        memcpy(g->cells[g->rows++], cells, sizeof cells);
    }
    strbuf_add_char(b, '\n');
    grid_write(b, g);
    if (r->nqueues > JOBS_SHOWN)
        strbuf_addf(b, "and %zu more\n", r->nqueues - JOBS_SHOWN);
}

/* Equal reasons are told once. */
static void write_pending(struct strbuf *b, const struct report_run *x)
{
    size_t told = 0;
    if (x->npending)
        strbuf_add_str(b, S("\npending:\n"));
    for (size_t i = 0; i < x->npending && told < REASONS_SHOWN; i++) {
        str why = x->pending[i].why->sentence;
        size_t alike = 0, before = 0;
        for (size_t k = 0; k < x->npending; k++)
            if (str_eq(x->pending[k].why->sentence, why)) {
                before += k < i;
                alike += k > i;
            }
        if (before)
            continue;
        strbuf_addf(b, "  " STR_FMT, STR_ARG(x->pending[i].name));
        if (alike)
            strbuf_addf(b, " and %zu more", alike);
        strbuf_addf(b, ": " STR_FMT "\n", STR_ARG(why));
        told++;
    }
    if (x->pending_left_off)
        strbuf_addf(b, "  and %zu more that are not explained here\n", x->pending_left_off);
}

void report_text(struct strbuf *b, const struct report_run *runs, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    strbuf_addf(b, STR_FMT, STR_ARG(runs[0].title));
    if (n == 1)
        strbuf_addf(b, ", profile " STR_FMT, STR_ARG(runs[0].profile));
    if (n == 1 && runs[0].r->setting)
        strbuf_addf(b, ", policy %s", runs[0].r->setting->name);
    strbuf_addf(b, ", seed %llu\n\n", (unsigned long long)runs[0].seed);
    write_figures(b, &a, runs, n);
    for (size_t i = 0; i < n && n == 1; i++) {
        if (runs[i].r->nqueues)
            write_queues(b, &a, &runs[i]);
        write_jobs(b, &a, runs[i].r);
        write_pending(b, &runs[i]);
    }
}
