/* docs.h - the documents that describe the API: discovery (plain and aggregated) and OpenAPI (v2 JSON and protobuf, v3).
 *
 * Made from the registry snapshot when first asked for, kept while the snapshot is current, and dropped after DOCS_IDLE_NS without a request: an idle server does not carry megabytes of OpenAPI.
 * Threads: docs_serve from any io loop; the cache is behind a lock held only to look up and swap.
 * Ownership: documents are shared buffers (http_buf). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct docs_cache;
struct docs_cache *docs_new(void) MUST_CHECK;
void docs_free(struct docs_cache *d);
/* /api, /api/v1, /apis, /apis/G, /apis/G/V, /openapi/v2, /openapi/v3 and below.  False: none of these paths. */
bool docs_serve(struct api_req *q);
