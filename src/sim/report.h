/* report.h - what a simulation showed: a table for the terminal, JSON for programs, a page with plots for people.
 *
 * All three show one run or several side by side.  The page is one file without anything from elsewhere: plots are inline SVG, colours follow the
 * reader's light or dark setting, values appear on hover; there is no script in it.
 * Threads: pure.  Ownership: everything is borrowed; output is appended to the buffer.
 * The output depends on the run alone: no clock, except wall_ns when it is given. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/explain.h"
#include "sim/sim.h"

struct report_pending {
    str name;
    nsec_t since;
    uint32_t pods;
    const struct explanation *why;
};
struct report_run {
    str title, profile;
    uint64_t seed;
    const struct sim_result *r;
    struct sched *s;
    const struct report_pending *pending;
    size_t npending;
    size_t pending_left_off; /* units that wait and are not explained */
    nsec_t wall_ns;          /* how long it took; 0: not to be shown */
};

void report_text(struct strbuf *b, const struct report_run *runs, size_t n);
/* One run: an object; several: {"runs": [...]}. */
void report_json(struct strbuf *b, const struct report_run *runs, size_t n);
void report_html(struct strbuf *b, const struct report_run *runs, size_t n);
/* Why units wait, at most max of them, oldest first; on the arena. */
void report_explain(struct sim *sim, struct arena *a, size_t max, struct report_run *into);

/* --- between the files of this module -------------------------------------------------------------------------------------------------------- */
struct report_figure { /* a line of the summary */
    str label;
    str value[16]; /* one a run */
};
#define REPORT_RUNS_MAX 16
/* The lines of the summary; on the arena. */
size_t report_figures(struct arena *a, const struct report_run *runs, size_t n, struct report_figure **ret);
str report_duration(struct arena *a, double s);       /* "1h05m", "12.5s" */
str report_count(struct arena *a, uint64_t n);        /* "1,234" */
str report_amount(struct arena *a, const struct sched *s, uint16_t res, double amount); /* as people read it */
str report_resource(const struct sched *s, uint16_t res); /* "cpu", "gpu", "egress" ... */
