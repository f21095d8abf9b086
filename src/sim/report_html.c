/* report_html.c - the page: figures, plots, jobs, reasons; one file that opens anywhere, offline. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sim/report.h"
#include "sim/svg.h"

#define WAIT_POINTS 200 /* of the distribution */
#define HEAT_COLUMNS 120

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>";
static const char style[] =
    "</title>\n<style>\n"
    ":root{--page:#fbfbfa;--ink:#1c1d1f;--soft:#62666d;--line:#dfe1e4;--card:#ffffff;"
    "--s0:#2563b8;--s1:#c2410c;--s2:#15803d;--s3:#7e22ce;--s4:#a16207;--s5:#0e7490;--s6:#be123c;--s7:#4d5562;"
    "--h0:#f1f4f9;--h2:#cfdff2;--h4:#9dbfe6;--h6:#6598d3;--h8:#3570b5;--h10:#174a86}\n"
    "@media (prefers-color-scheme:dark){:root{--page:#16181b;--ink:#e8e9ea;--soft:#9aa0a8;--line:#33373d;--card:#1e2125;"
    "--s0:#6ea8f0;--s1:#f0915c;--s2:#5cc489;--s3:#c08cf0;--s4:#d8b04a;--s5:#58bcd0;--s6:#f07a92;--s7:#a9b1bc;"
    "--h0:#22262c;--h2:#233a56;--h4:#27527f;--h6:#2f6fae;--h8:#4f94d8;--h10:#92c4f7}}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:60rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:2rem 0 .5rem}p{margin:.25rem 0}.soft{color:var(--soft)}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}"
    "th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft)}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;overflow-x:auto}\n"
    "svg{width:100%;height:auto;display:block}.grid{stroke:var(--line);stroke-width:1}.tick{fill:var(--soft);font-size:11px}"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.hover{fill:transparent}.hover:hover{fill:var(--soft);fill-opacity:.15}\n"
    ".legend{font-size:.85rem;color:var(--soft)}.legend span{margin-right:1rem;white-space:nowrap}.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin-right:.35rem;vertical-align:-.08rem}\n"
    "li{margin:.3rem 0}\n";
static const char *const colors[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};

static void write_head(struct strbuf *b, str title)
{
    strbuf_add_str(b, str_of(head));
    svg_text(b, title);
    strbuf_add_str(b, str_of(style));
    for (unsigned i = 0; i < SVG_SERIES; i++)
        strbuf_addf(b, ".line.s%u{stroke:var(--%s)}.dot.s%u,i.s%u{fill:var(--%s);background:var(--%s)}\n", i, colors[i % 8], i, i, colors[i % 8], colors[i % 8]);
    for (unsigned i = 0; i <= 10; i++)
        strbuf_addf(b, "rect.h%u,i.h%u{fill:var(--h%u);background:var(--h%u)}\n", i, i, i & ~1u, i & ~1u);
    strbuf_add_str(b, S("</style>\n</head>\n<body>\n"));
}

static void cell(struct strbuf *b, const char *tag, str text)
{
    strbuf_addf(b, "<%s>", tag);
    svg_text(b, text);
    strbuf_addf(b, "</%s>", tag);
}

static void write_figures(struct strbuf *b, struct arena *a, const struct report_run *runs, size_t n)
{
    struct report_figure *f;
    size_t k = report_figures(a, runs, n, &f);
    strbuf_add_str(b, S("<div class=\"card\"><table>\n"));
    if (n > 1) {
        strbuf_add_str(b, S("<tr><th></th>"));
        for (size_t x = 0; x < n; x++)
            cell(b, "th", runs[x].profile);
        strbuf_add_str(b, S("</tr>\n"));
    }
    for (size_t i = 0; i < k; i++) {
        strbuf_add_str(b, S("<tr>"));
        cell(b, "td", f[i].label);
        for (size_t x = 0; x < n; x++)
            cell(b, "td", f[i].value[x]);
        strbuf_add_str(b, S("</tr>\n"));
    }
    strbuf_add_str(b, S("</table></div>\n"));
}

/* --- plots ---------------------------------------------------------------------------------------------------------------------------------------------- */

static str time_text(struct arena *a, double v)
{
    return report_duration(a, v);
}
static str share_text(struct arena *a, double v)
{
    return arena_fmt(a, v > 0 && v < 0.1 ? "%.1f%%" : "%.0f%%", 100 * v);
}
static str count_text(struct arena *a, double v)
{
    return report_count(a, (uint64_t)llround(fmax(v, 0)));
}

static void begin_plot(struct strbuf *b, const char *title, const char *note)
{
    strbuf_addf(b, "<h2>%s</h2>\n<div class=\"card\">%s%s%s", title, note ? "<p class=\"soft\">" : "", note ? note : "", note ? "</p>" : "");
}
static void end_plot(struct strbuf *b)
{
    strbuf_add_str(b, S("</div>\n"));
}

static double *times_of(struct arena *a, const struct sim_result *r)
{
    double *x = arena_array(a, r->nsamples + 1, double);
    for (size_t i = 0; i < r->nsamples; i++)
        x[i] = (double)r->samples[i].at / 1e9;
    return x;
}

enum what { WHAT_USED, WHAT_FRAGMENTATION, WHAT_WAITING };
static double *values_of(struct arena *a, const struct sim_result *r, enum what what, uint16_t res)
{
    double *y = arena_array(a, r->nsamples + 1, double);
    for (size_t i = 0; i < r->nsamples; i++)
        y[i] = what == WHAT_USED ? (double)r->samples[i].used[res] : what == WHAT_FRAGMENTATION ? r->samples[i].fragmentation : r->samples[i].waiting;
    return y;
}

static void plot(struct strbuf *b, struct arena *a, const char *title, struct svg_series *series, size_t n, double y_max, str (*y_text)(struct arena *a, double v))
{
    struct svg_plot p = {.title = title, .y_max = y_max, .y_whole = y_text == count_text, .x_text = time_text, .y_text = y_text, .series = series, .nseries = n};
    svg_plot(b, a, &p);
}

/* One run: a line a resource; several: the main resource of each. */
static void plot_used(struct strbuf *b, struct arena *a, const struct report_run *runs, size_t n)
{
    struct svg_series series[SVG_SERIES];
    size_t k = 0;
    uint16_t main_res = runs[0].r->has_gpus ? RES_GPU : RES_CPU;
    for (size_t x = 0; x < n; x++)
        for (uint16_t res = 0; res < RES_MAX && k < SVG_SERIES; res++)
            if (n > 1 ? res == main_res : runs[x].r->shown[res])
                series[k++] = (struct svg_series){n > 1 ? runs[x].profile : report_resource(runs[x].s, res), times_of(a, runs[x].r), values_of(a, runs[x].r, WHAT_USED, res), runs[x].r->nsamples, true};
    begin_plot(b, "Utilisation", n > 1 ? (main_res == RES_GPU ? "GPUs in use" : "CPU in use") : NULL);
    plot(b, a, "utilisation over time", series, k, 1, share_text);
    end_plot(b);
}

static void plot_each(struct strbuf *b, struct arena *a, const struct report_run *runs, size_t n, enum what what, const char *title, double y_max, str (*y_text)(struct arena *a, double v))
{
    struct svg_series series[SVG_SERIES];
    size_t k = 0;
    for (size_t x = 0; x < n && k < SVG_SERIES; x++)
        series[k++] = (struct svg_series){n > 1 ? runs[x].profile : str_of(title), times_of(a, runs[x].r), values_of(a, runs[x].r, what, 0), runs[x].r->nsamples, true};
    plot(b, a, title, series, k, y_max, y_text);
}

/* Share of pods that had started after this long. */
static void plot_waits(struct strbuf *b, struct arena *a, const struct report_run *runs, size_t n)
{
    struct svg_series series[SVG_SERIES];
    size_t k = 0;
    for (size_t x = 0; x < n && k < SVG_SERIES; x++) {
        const struct sim_waits *w = &runs[x].r->waits;
        size_t points = MIN(w->n, (size_t)WAIT_POINTS), at = 0;
        double *xs = arena_array(a, points + 2, double), *ys = arena_array(a, points + 2, double);
        for (size_t i = 1; i <= points; i++) {
            size_t rank = i * w->n / points;
            xs[at] = runs[x].r->waits_s[rank - 1];
            ys[at++] = (double)rank / (double)runs[x].r->npods;
        }
        series[k++] = (struct svg_series){n > 1 ? runs[x].profile : S("started"), xs, ys, at, true};
    }
    begin_plot(b, "Waiting time", "Share of all pods that had started after waiting this long");
    plot(b, a, "distribution of waiting times", series, k, 1, share_text);
    end_plot(b);
}

/* --- heat ------------------------------------------------------------------------------------------------------------------------------------------------- */

struct heat {
    const struct sim_result *r;
    size_t columns;
};
static size_t sample_of(const struct heat *h, size_t column)
{
    return h->columns > 1 ? column * (h->r->nsamples - 1) / (h->columns - 1) : h->r->nsamples - 1;
}
static uint8_t heat_at(const void *arg, size_t row, size_t column)
{
    const struct heat *h = arg;
    return h->r->samples[sample_of(h, column)].heat[row];
}
static str heat_row(struct arena *a, const void *arg, size_t row)
{
    const struct heat *h = arg;
    size_t first = row * h->r->nodes_a_row, last = MIN(first + h->r->nodes_a_row, h->r->nnodes) - 1;
    if (row == SIM_HEAT_ROWS - 1)
        last = h->r->nnodes - 1;
    if (first == last)
        return h->r->nodes[first].name;
    return arena_fmt(a, STR_FMT " and %zu more", STR_ARG(h->r->nodes[first].name), last - first);
}
static str heat_column(struct arena *a, const void *arg, size_t column)
{
    const struct heat *h = arg;
    return report_duration(a, (double)h->r->samples[sample_of(h, column)].at / 1e9);
}

static void plot_heat(struct strbuf *b, struct arena *a, const struct report_run *x, bool named)
{
    const struct sim_result *r = x->r;
    struct heat h = {r, MIN(r->nsamples, (size_t)HEAT_COLUMNS)};
    size_t rows = r->nodes_a_row ? (r->nnodes + r->nodes_a_row - 1) / r->nodes_a_row : 0;
    begin_plot(b, "Nodes", r->has_gpus ? "GPUs in use on each node over time" : "CPU in use on each node over time");
    if (named) {
        strbuf_add_str(b, S("<p>"));
        svg_text(b, x->profile);
        strbuf_add_str(b, S("</p>"));
    }
    svg_heat(b, a, &(struct svg_heat){"use of each node over time", MIN(rows, (size_t)SIM_HEAT_ROWS), h.columns, heat_at, heat_row, heat_column, &h});
    end_plot(b);
}

/* --- tables ------------------------------------------------------------------------------------------------------------------------------------------------- */

static void write_jobs(struct strbuf *b, struct arena *a, const struct sim_result *r)
{
    strbuf_add_str(b, S("<h2>Jobs</h2>\n<div class=\"card\"><table>\n<tr><th>Job</th><th>Count</th><th>Pods</th><th>Placed</th><th>Pending</th><th>Done</th></tr>\n"));
    for (size_t i = 0; i < r->nkinds; i++) {
        const uint32_t figures[] = {r->kinds[i].jobs, r->kinds[i].pods, r->kinds[i].placed, r->kinds[i].waiting, r->kinds[i].done};
        strbuf_add_str(b, S("<tr>"));
        cell(b, "td", r->kinds[i].name);
        for (size_t c = 0; c < ARRAY_LEN(figures); c++)
            cell(b, "td", report_count(a, figures[c]));
        strbuf_add_str(b, S("</tr>\n"));
    }
    strbuf_add_str(b, S("</table></div>\n"));
}

static void write_pending(struct strbuf *b, const struct report_run *x, bool named)
{
    if (!x->npending)
        return;
    strbuf_add_str(b, S("<h2>Why they wait"));
    if (named) {
        strbuf_add_str(b, S(": "));
        svg_text(b, x->profile);
    }
    strbuf_add_str(b, S("</h2>\n<div class=\"card\"><ul>\n"));
    for (size_t i = 0; i < x->npending; i++) {
        strbuf_add_str(b, S("<li><b>"));
        svg_text(b, x->pending[i].name);
        strbuf_add_str(b, S("</b> "));
        svg_text(b, x->pending[i].why->sentence);
        strbuf_add_str(b, S("</li>\n"));
    }
    strbuf_add_str(b, S("</ul>"));
    if (x->pending_left_off)
        strbuf_addf(b, "<p class=\"soft\">and %zu more</p>", x->pending_left_off);
    strbuf_add_str(b, S("</div>\n"));
}

void report_html(struct strbuf *b, const struct report_run *runs, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    write_head(b, runs[0].title);
    cell(b, "h1", runs[0].title);
    strbuf_add_str(b, S("\n<p class=\"soft\">"));
    svg_text(b, n > 1 ? arena_fmt(&a, "%zu profiles compared, seed %llu", n, (unsigned long long)runs[0].seed)
                      : arena_fmt(&a, "profile " STR_FMT ", seed %llu", STR_ARG(runs[0].profile), (unsigned long long)runs[0].seed));
    strbuf_add_str(b, S("</p>\n"));
    write_figures(b, &a, runs, n);
    plot_used(b, &a, runs, n);
    begin_plot(b, "Fragmentation", "Share of what is free that the workload&#8217;s usual pods cannot use");
    plot_each(b, &a, runs, n, WHAT_FRAGMENTATION, "fragmentation", 1, share_text);
    end_plot(b);
    begin_plot(b, "Queue", "Pods that wait");
    plot_each(b, &a, runs, n, WHAT_WAITING, "waiting pods", 0, count_text);
    end_plot(b);
    plot_waits(b, &a, runs, n);
    for (size_t i = 0; i < n; i++)
        plot_heat(b, &a, &runs[i], n > 1);
    if (n == 1)
        write_jobs(b, &a, runs[0].r);
    for (size_t i = 0; i < n; i++)
        write_pending(b, &runs[i], n > 1);
    strbuf_add_str(b, S("</body>\n</html>\n"));
}
