/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/svg.h"

#include <math.h>

#define WIDTH 860.0
#define HEIGHT 240.0
#define LEFT 64.0
#define RIGHT 12.0
#define TOP 10.0
#define BOTTOM 28.0
#define BANDS 100 /* places where a value is shown on hover */

void svg_text(struct strbuf *b, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '<')
            strbuf_add_str(b, S("&lt;"));
        else if (c == '>')
            strbuf_add_str(b, S("&gt;"));
        else if (c == '&')
            strbuf_add_str(b, S("&amp;"));
        else if (c == '"')
            strbuf_add_str(b, S("&quot;"));
        else
            strbuf_add_char(b, c < 0x20 && c != '\n' && c != '\t' ? ' ' : (char)c);
    }
}

/* --- axes ----------------------------------------------------------------------------------------------------------------------------------------------- */

/* A round step that cuts the range into about n. */
static double round_step(double range, int n)
{
    double raw = range / n, power = pow(10, floor(log10(raw))), lead = raw / power;
    bool quarters = range <= 1 || power >= 10; /* of shares and of large counts; there is no half a pod */
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 2.5 && quarters ? 2.5 : lead <= 5 ? 5 : 10);
}

/* For seconds the steps that clocks have. */
static double time_step(double range)
{
    static const double steps[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000};
    if (range < 8)
        return round_step(range, 8);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (range / steps[i] <= 9)
            return steps[i];
    return round_step(range, 8);
}

struct scale {
    double x_max, y_max;
};
static double px(const struct scale *s, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (s->x_max > 0 ? x / s->x_max : 0);
}
static double py(const struct scale *s, double y)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (s->y_max > 0 ? y / s->y_max : 0));
}

static double y_step(const struct svg_plot *p, double y_max)
{
    double step = round_step(y_max, 4);
    return p->y_whole ? fmax(step, 1) : step;
}

static void axes(struct strbuf *b, struct arena *a, const struct svg_plot *p, const struct scale *s)
{
    double step = y_step(p, s->y_max);
    for (double y = 0; y <= s->y_max * 1.0001; y += step) {
        strbuf_addf(b, "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - RIGHT, py(s, y), py(s, y));
        strbuf_addf(b, "<text class=\"tick\" text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">", LEFT - 6, py(s, y) + 4);
        svg_text(b, p->y_text(a, y));
        strbuf_add_str(b, S("</text>"));
    }
    step = s->x_max > 0 ? time_step(s->x_max) : 1;
    for (double x = 0; x <= s->x_max * 1.0001; x += step) {
        strbuf_addf(b, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>", px(s, x), px(s, x), HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4);
        strbuf_addf(b, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.0f\">", px(s, x), HEIGHT - 8);
        svg_text(b, p->x_text(a, x));
        strbuf_add_str(b, S("</text>"));
    }
}

/* --- lines ---------------------------------------------------------------------------------------------------------------------------------------------- */

static void line(struct strbuf *b, const struct svg_series *s, size_t number, const struct scale *sc)
{
    size_t stride = s->n / SVG_POINTS + 1;
    double last = 0;
    strbuf_addf(b, "<path class=\"line s%zu\" d=\"", number % SVG_SERIES);
    for (size_t i = 0; i < s->n; i += stride) {
        double most = s->y[i];
        for (size_t k = i; k < i + stride && k < s->n; k++)
            most = fmax(most, s->y[k]);
        double y = py(sc, fmin(most, sc->y_max));
        if (i && s->steps)
            strbuf_addf(b, "L%.1f %.1f", px(sc, s->x[i]), last);
        strbuf_addf(b, "%c%.1f %.1f", i ? 'L' : 'M', px(sc, s->x[i]), y);
        last = y;
    }
    strbuf_add_str(b, S("\"/>"));
    if (s->n == 1)
        strbuf_addf(b, "<circle class=\"dot s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", number % SVG_SERIES, px(sc, s->x[0]), last);
}

/* The last value at or before x. */
static double value_at(const struct svg_series *s, double x)
{
    size_t low = 0, high = s->n;
    while (low + 1 < high) {
        size_t mid = (low + high) / 2;
        if (s->x[mid] <= x)
            low = mid;
        else
            high = mid;
    }
    return s->n ? s->y[low] : 0;
}

static void hover(struct strbuf *b, struct arena *a, const struct svg_plot *p, const struct scale *s)
{
    if (s->x_max <= 0)
        return;
    double width = (WIDTH - LEFT - RIGHT) / BANDS;
    for (int i = 0; i < BANDS; i++) {
        double x = s->x_max * (i + 0.5) / BANDS;
        strbuf_addf(b, "<rect class=\"hover\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"><title>", LEFT + i * width, TOP, width, HEIGHT - TOP - BOTTOM);
        svg_text(b, p->x_text(a, x));
        for (size_t k = 0; k < p->nseries; k++) {
            strbuf_add_char(b, '\n');
            svg_text(b, p->series[k].name);
            strbuf_add_str(b, S(": "));
            svg_text(b, p->y_text(a, value_at(&p->series[k], x)));
        }
        strbuf_add_str(b, S("</title></rect>"));
    }
}

void svg_plot(struct strbuf *b, struct arena *a, const struct svg_plot *p)
{
    struct scale s = {p->x_max, p->y_max};
    for (size_t k = 0; k < p->nseries; k++)
        for (size_t i = 0; i < p->series[k].n; i++) {
            s.x_max = p->x_max > 0 ? s.x_max : fmax(s.x_max, p->series[k].x[i]);
            s.y_max = p->y_max > 0 ? s.y_max : fmax(s.y_max, p->series[k].y[i]);
        }
    if (s.y_max <= 0)
        s.y_max = 1;
    if (p->y_max <= 0)
        s.y_max = ceil(s.y_max / y_step(p, s.y_max)) * y_step(p, s.y_max);
    strbuf_addf(b, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    svg_text(b, str_of(p->title));
    strbuf_add_str(b, S("\">"));
    axes(b, a, p, &s);
    for (size_t k = 0; k < p->nseries; k++)
        if (p->series[k].n)
            line(b, &p->series[k], k, &s);
    hover(b, a, p, &s);
    strbuf_add_str(b, S("</svg>"));
    if (p->nseries < 2)
        return;
    strbuf_add_str(b, S("<p class=\"legend\">"));
    for (size_t k = 0; k < p->nseries; k++) {
        strbuf_addf(b, "<span><i class=\"s%zu\"></i>", k % SVG_SERIES);
        svg_text(b, p->series[k].name);
        strbuf_add_str(b, S("</span> "));
    }
    strbuf_add_str(b, S("</p>"));
}

/* --- heat ------------------------------------------------------------------------------------------------------------------------------------------------ */

#define CELL_LEFT 150.0
#define LABEL_HIGH 13.0 /* room that a label needs so that the next does not touch it */

static void heat_row(struct strbuf *b, struct arena *a, const struct svg_heat *h, size_t row, double y, double high, double wide)
{
    str name = h->row_name(a, h->arg, row);
    if (row % (size_t)ceil(LABEL_HIGH / high) == 0) {
        strbuf_addf(b, "<text class=\"tick\" text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">", CELL_LEFT - 6, y + high / 2 + 3);
        svg_text(b, name);
        strbuf_add_str(b, S("</text>"));
    }
    for (size_t c = 0; c < h->columns;) {
        uint8_t v = h->at(h->arg, row, c);
        size_t end = c + 1;
        while (end < h->columns && h->at(h->arg, row, end) == v)
            end++;
        if (v != 255) {
            strbuf_addf(b, "<rect class=\"h%u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>", (v + 5u) / 10, CELL_LEFT + (double)c * wide, y, (double)(end - c) * wide, high);
            svg_text(b, name);
            strbuf_addf(b, " at ");
            svg_text(b, h->column_name(a, h->arg, c));
            strbuf_addf(b, ": %u%%</title></rect>", v);
        }
        c = end;
    }
}

void svg_heat(struct strbuf *b, struct arena *a, const struct svg_heat *h)
{
    double high = fmin(18, fmax(5, 320.0 / (double)MAX(h->rows, (size_t)1))), wide = (WIDTH - CELL_LEFT - RIGHT) / (double)MAX(h->columns, (size_t)1);
    double above = fmax(0, (LABEL_HIGH - high) / 2), bottom = above + high * (double)h->rows;
    strbuf_addf(b, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" shape-rendering=\"crispEdges\" aria-label=\"", WIDTH, bottom + 22);
    svg_text(b, str_of(h->title));
    strbuf_add_str(b, S("\">"));
    for (size_t r = 0; r < h->rows; r++)
        heat_row(b, a, h, r, above + (double)r * high, high - (high > 8 ? 1 : 0), wide);
    for (size_t k = 0; h->columns && k <= 6; k++) {
        size_t c = k * (h->columns - 1) / 6;
        if (k && h->columns < 7)
            break;
        strbuf_addf(b, "<text class=\"tick\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", k == 0 ? "start" : k == 6 ? "end" : "middle",
                    CELL_LEFT + ((double)c + (k == 0 ? 0 : k == 6 ? 1 : 0.5)) * wide, bottom + 16);
        svg_text(b, h->column_name(a, h->arg, c));
        strbuf_add_str(b, S("</text>"));
    }
    strbuf_add_str(b, S("</svg><p class=\"legend\">"));
    for (unsigned i = 0; i <= 10; i += 2)
        strbuf_addf(b, "<span><i class=\"h%u\"></i>%u%%</span> ", i, i * 10);
    strbuf_add_str(b, S("</p>"));
}
