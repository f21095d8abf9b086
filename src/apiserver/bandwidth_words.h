/* bandwidth_words.h - amounts and names of bandwidth that are understood and surely not meant: a Warning header says so when they are written.
 *
 *   kuscia.io/bandwidth of WORDS_BANDWIDTH Mbit/s or more: the unit is in the name, and "100M" is a million times as much as "100"
 *   annotations that begin as ours about bandwidth, and are none, or none of that kind
 *   names of resources that begin as ours and are none, as kuscia.io/bandwith
 *   cox.io/egress-bandwidth and its like below WORDS_POD_BITS, that of a node or a route below WORDS_NODE_BITS: a number without its unit counts bits
 * Only what a write brings is spoken of, not what was there before.
 * Threads: on the request's loop.  Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"

#define WORDS_BANDWIDTH 1000000 /* 1 Tbit/s for one pod */
#define WORDS_POD_BITS 1000
#define WORDS_NODE_BITS 1000000

/* For the table of admission. */
int bandwidth_words_validate(struct admission_attrs *at, struct err *err);
