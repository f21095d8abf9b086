/* kuscia_words.h - what is understood and surely not meant, in Kuscia's kinds and in amounts of bandwidth: a Warning header says so when it is written.
 *
 *   jobs, tasks, services outside of the namespace cross-domain, where nobody looks at them
 *   words of labels and annotations that have no effect: a stage, an answer (which is refused: a job would wait for it for ever), a wish to be asked, an affinity
 *   a stage that does nothing in the phase the job is in
 *   a networkPolicy of an AppImage for a port that its containers do not have
 *   kuscia.io/bandwidth of WORDS_BANDWIDTH Mbit/s or more: the unit is in the name, and "100M" is a million times as much as "100"
 *   a limit to a domain that takes no part in the task
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
int kuscia_words_validate(struct admission_attrs *at, struct err *err);
