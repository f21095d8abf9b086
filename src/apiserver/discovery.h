/* discovery.h - what is served, as documents: APIVersions, APIGroupList, APIResourceList, and the aggregated form.
 *
 * Threads: pure functions of a registry snapshot. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/registry.h"

void discovery_api_versions(struct strbuf *b, const char *server_address);
void discovery_group_list(struct strbuf *b, const struct registry_snapshot *s);
/* False: no such group or version. */
bool discovery_group(struct strbuf *b, const struct registry_snapshot *s, str group);
bool discovery_resource_list(struct strbuf *b, const struct registry_snapshot *s, str group, str version);
/* APIGroupDiscoveryList of the core group (for /api) or of all others (for /apis); version "v2" or "v2beta1". */
void discovery_aggregated(struct strbuf *b, const struct registry_snapshot *s, bool core, str version);
