/* openapi.h - OpenAPI documents from the schema tables.
 *
 * v3: one document per group version.  v2: one for all, as JSON or in the protobuf form (gnostic's OpenAPI v2 messages) that old kubectl asks for.  Custom resources carry the schema of their CRD.
 * Threads: pure functions.  Limits: a v2 document of all built-in kinds is about 2 MB; callers cache. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "base/arena.h"

struct openapi_group {
    str group, version;
    const struct api_resource *const *resources;
    size_t nresources;
};

/* The document of one group version, JSON. */
void openapi_v3_write(struct strbuf *b, const struct openapi_group *g);
/* All groups in one Swagger 2.0 document. */
void openapi_v2_write_json(struct strbuf *b, const struct openapi_group *groups, size_t ngroups);
void openapi_v2_write_protobuf(struct strbuf *b, const struct openapi_group *groups, size_t ngroups);
