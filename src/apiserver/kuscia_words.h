/* kuscia_words.h - what is understood and surely not meant, in Kuscia's kinds: a Warning header says so when it is written.
 *
 *   jobs, tasks, services outside of the namespace cross-domain, where nobody looks at them
 *   words of labels and annotations that have no effect: a stage, an answer (which is refused: a job would wait for it for ever), a wish to be asked, an affinity
 *   a stage that does nothing in the phase the job is in
 *   a networkPolicy of an AppImage for a port that its containers do not have
 *   a limit to a domain that takes no part in the task
 * Only what a write brings is spoken of, not what was there before.
 * Threads: on the request's loop.  Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"

/* For the table of admission. */
int kuscia_words_validate(struct admission_attrs *at, struct err *err);
