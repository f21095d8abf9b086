/* svg.h - plots as inline SVG: lines over time, steps of a distribution, a heat map.
 *
 * Colours are CSS classes (s0, s1 ... h0 ... h10), so that the page decides them; what a point means appears on hover by <title>.
 * Threads: pure.  Ownership: output is appended to the buffer, all else borrowed.
 * Limits: SVG_SERIES series a plot; points beyond SVG_POINTS are thinned out, peaks are kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"

#define SVG_SERIES 12
#define SVG_POINTS 600

struct svg_series {
    str name;
    const double *x, *y;
    size_t n;
    bool steps; /* a value holds until the next */
};
struct svg_plot {
    const char *title; /* for readers of the page by ear */
    double x_max, y_max; /* 0: of the data */
    bool y_whole;        /* counts: no marks between whole numbers */
    str (*x_text)(struct arena *a, double v);
    str (*y_text)(struct arena *a, double v);
    const struct svg_series *series;
    size_t nseries;
};
void svg_plot(struct strbuf *b, struct arena *a, const struct svg_plot *p);

struct svg_heat {
    const char *title;
    size_t rows, columns;
    uint8_t (*at)(const void *arg, size_t row, size_t column); /* 0..100, 255: nothing there */
    str (*row_name)(struct arena *a, const void *arg, size_t row);
    str (*column_name)(struct arena *a, const void *arg, size_t column);
    const void *arg;
};
void svg_heat(struct strbuf *b, struct arena *a, const struct svg_heat *h);
void svg_text(struct strbuf *b, str s); /* escaped for HTML and SVG */
