/* report.h - figures: printed beside their peer and their limit, as a table or as JSON lines; and quantiles of latencies. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"
#include "base/clock.h"

enum report_better { REPORT_MORE, REPORT_LESS };

/* peer 0: none to compare with; limit 0: no figure to reach. */
void report(const char *workload, const char *what, double value, const char *unit, double peer, double limit, enum report_better better);

struct report_workload {
    const char *name, *summary;
    void (*run)(void);
};
/* --help, --list, --workload NAME[,NAME...] (default all), --json. */
int report_main(int argc, char **argv, const struct report_workload *workloads);

struct latencies {
    nsec_t *p;
    size_t len, cap;
};
void latency_add(struct latencies *l, nsec_t v);
void latency_clear(struct latencies *l);
double latency_quantile(struct latencies *l, double q); /* ns; 0 without values */
void latency_fini(struct latencies *l);
