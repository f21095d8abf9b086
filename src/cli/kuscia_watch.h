/* kuscia_watch.h - cox job watch NAME: a KusciaJob as a picture (kuscia_picture.h), then what changes, at its end the whole once more.
 *
 * A job that is not there is an error, as with `kubectl wait` and `kubectl rollout status`; one that is deleted meanwhile, too.  A server that does not answer at first is
 * one, too; later it is waited for, until the job ends or somebody interrupts: it may be starting again.
 * Threads: the program's.  Ownership: nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/print.h"
#include "cli/session.h"

/* The exit status follows the job: 0 when it succeeded.  once: one look, and 0.  With a format of its own (-o json) nothing but the job and its tasks as a List, at the end. */
int kuscia_watch(struct session *s, struct printer *p, const char *name, bool once, struct failure *f);
/* To who looked for a job or a task in a domain's namespace, and found none. */
void kuscia_hint_of_namespace(str ns, const struct failure *f);
/* One picture of a job, for who asks why it goes on so slowly.  -o: the same List. */
int kuscia_show(struct session *s, struct printer *p, str ns, str name, struct failure *f);
