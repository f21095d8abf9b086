/* audit.h - the audit log: one audit.k8s.io/v1 Event a request, JSON lines, level Metadata, stage ResponseComplete.
 *
 * Threads: audit_request from any io loop; a line is one append.  Limits: the file is rotated at 100 MiB, ten are kept.
 * Reads of health and version paths are not logged; bodies never are (they may hold secrets). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct audit;
int audit_open(const char *path, struct audit **ret, struct err *err) MUST_CHECK;
void audit_close(struct audit *a);
void audit_request(struct audit *a, const struct api_req *q, nsec_t wall_now);
