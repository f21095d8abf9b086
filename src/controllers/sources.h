/* sources.h - one informer for each resource that some controller watches; events go to all that asked for them.
 *
 * Which resources exist follows from discovery, and discovery is asked again when CustomResourceDefinitions change.
 * Threads: the loop's.  Ownership: the controllers outlive the sources. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"

struct sources;

struct sources *sources_new(const struct controllers_opts *opts, struct controller *controllers, size_t ncontrollers) MUST_CHECK;
/* Informers are started and stopped as the set says. */
void sources_update(struct sources *s, struct resource_set *set);
bool sources_synced(const struct sources *s);
/* stopped() runs when the last informer has ended, at once or later. */
void sources_stop(struct sources *s, void (*stopped)(void *arg), void *arg);
void sources_free(struct sources *s); /* after stopped(), or when loop and transport have stopped */
