/* binding.h - a pod gets its node: POST pods/NAME/binding and POST bindings.
 *
 * Threads: the request's loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/write.h"

void binding_serve(struct api_req *q);
/* 201 with a Status, as for all that is created and is no object. */
void binding_answer_created(struct write_run *r, enum write_outcome outcome, str stored);
/* The stored bytes of a pod with that node and the condition PodScheduled, made from the bytes it had; they are what a parsed pod would give, and cost a tenth.  False: there is
 * something about the pod that needs a look at its tree (it has a node, gates, conditions, is being deleted, another uid).  now: of the condition. */
bool binding_splice(struct arena *a, const struct store_kv *live, str uid, str node, str now, str *ret, uint32_t *ret_rev_at);
/* Adds a Binding's annotations to the pod's; those of the same name are replaced.  What no update of the pod would take is refused, and the pod is then not to be stored.  Texts of
 * `notes` are borrowed. */
int binding_annotate(struct arena *a, struct json *pod, const struct json *notes, struct err *err) MUST_CHECK;
