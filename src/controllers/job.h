/* job.h - how controllers.c starts jobs and waits for them; reconcile functions use controller.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"

/* Runs the controller's reconcile for the work; the job takes its place in `jobs`. */
void job_start(struct controller *c, struct work *w, struct list *jobs);
/* Frees them without ending their work: their calls are never answered. */
void job_abandon_all(struct list *jobs);
