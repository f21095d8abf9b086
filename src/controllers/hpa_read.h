/* hpa_read.h - from what the API says to what hpa_plan.h wants, and back: pure.
 *
 * Threads: pure.  Ownership: on the arena; names point into the trees. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/hpa_plan.h"
#include "wire/json.h"

struct hpa_rules hpa_read_rules(const struct json *behavior, bool up);
/* items: a list of pods.  container "" : all of them. */
size_t hpa_read_pods(struct arena *a, const struct json *items, str resource, str container, struct hpa_pod **ret);
/* items: a list of PodMetrics. */
size_t hpa_read_usage(struct arena *a, const struct json *items, str resource, str container, struct hpa_sample **ret);
/* items: a list of MetricValues that describe pods. */
size_t hpa_read_values(struct arena *a, const struct json *items, struct hpa_sample **ret);
int64_t hpa_read_sum(const struct json *items); /* of the values, in thousandths */
/* "1m30s", "10.06s"; otherwise: when it is no such text. */
nsec_t hpa_read_window(str text, nsec_t otherwise);

/* The member of a MetricSpec that its type names; NULL: not there. */
const struct json *hpa_source(const struct json *metric);
/* "cpu resource utilization (percentage of request)": which metric, for people. */
str hpa_metric_name(struct arena *a, const struct json *metric);
/* The MetricStatus of a metric. */
struct json hpa_metric_status(struct arena *a, const struct json *metric, const struct hpa_proposal *p);
