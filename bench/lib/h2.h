/* h2.h - an HTTP/2 client for the benchmark of many idle watches: a few connections, thousands of streams. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/lib/target.h"

struct h2_load;
struct h2_load *h2_open(const struct target *t, size_t connections, size_t streams_each, const char *path);
/* Reads and writes until all streams have an answer's head, or the time is over; returns how many have. */
size_t h2_run(struct h2_load *l, nsec_t for_ns);
void h2_free(struct h2_load *l);
