/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/report.h"

#include "base/str.h"
#include "base/vec.h"

static bool as_json;

void report(const char *workload, const char *what, double value, const char *unit, double peer, double limit, enum report_better better)
{
    bool reached = limit == 0 || (better == REPORT_MORE ? value >= limit : value <= limit);
    if (as_json) {
        printf("{\"workload\":\"%s\",\"what\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"", workload, what, value, unit);
        if (peer > 0)
            printf(",\"peer\":%.6g,\"ratio\":%.4g", peer, better == REPORT_MORE ? value / peer : peer / value);
        if (limit > 0)
            printf(",\"limit\":%.6g,\"reached\":%s", limit, reached ? "true" : "false");
        printf("}\n");
    } else {
        printf("%-14s %-58s %12.5g %-5s", workload, what, value, unit);
        if (limit > 0)
            printf("  %s %g: %s", better == REPORT_MORE ? "at least" : "at most", limit, reached ? "reached" : "MISSED");
        if (peer > 0)
            printf("  peer %g (%.3gx)", peer, better == REPORT_MORE ? value / peer : peer / value);
        printf("\n");
    }
    fflush(stdout);
}

static bool is_wanted(const char *list, const char *name)
{
    str rest = str_of(list), one;
    while (rest.len) {
        str_cut(&rest, ',', &one);
        if (str_is(one, name))
            return true;
    }
    return false;
}

int report_main(int argc, char **argv, const struct report_workload *workloads)
{
    const char *wanted = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0 || strcmp(argv[i], "--help") == 0) {
            if (argv[i][2] == 'h')
                printf("usage: %s [--workload NAME,...] [--json] [--list], and options of its own (bench/README.md).  Workloads:\n", argv[0]);
            for (const struct report_workload *w = workloads; w->name; w++)
                printf("%-16s %s\n", w->name, w->summary);
            return 0;
        }
        if (strcmp(argv[i], "--json") == 0)
            as_json = true;
        if (strcmp(argv[i], "--workload") == 0 && i + 1 < argc)
            wanted = argv[++i];
    }
    bool any = false;
    for (const struct report_workload *w = workloads; w->name; w++) {
        if (wanted && !is_wanted(wanted, w->name))
            continue;
        any = true;
        w->run();
    }
    if (!any)
        fprintf(stderr, "error: no workload is called \"%s\"; --list shows those there are\n", wanted);
    return any ? 0 : 1;
}

void latency_add(struct latencies *l, nsec_t v)
{
    vec_push(l, v);
}

void latency_clear(struct latencies *l)
{
    l->len = 0;
}

static int compare(const void *a, const void *b)
{
    nsec_t x = *(const nsec_t *)a, y = *(const nsec_t *)b;
    return (x > y) - (x < y);
}

double latency_quantile(struct latencies *l, double q)
{
    if (!l->len)
        return 0;
    qsort(l->p, l->len, sizeof *l->p, compare);
    size_t i = (size_t)(q * (double)(l->len - 1));
    return (double)l->p[i];
}

void latency_fini(struct latencies *l)
{
    vec_fini(l);
}
