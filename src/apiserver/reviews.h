/* reviews.h - kinds that are asked and answered, never stored: who am I, may I, is this token good; and tokens of service
 * accounts.
 *
 * Threads: on the request's io loop.  Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

/* Answers a create of tokenreviews, selfsubjectreviews, the four access reviews or serviceaccounts/token.  False: the target is
 * none of them. */
bool reviews_serve(struct api_req *q);
