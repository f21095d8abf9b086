/* alloc.h - cluster addresses and node ports of services.
 *
 * An address or port in use is a key of its own (/a/ip/<address>, /a/port/<number>) that is created in the same transaction as the service, with the condition that it does not exist: two services can
 * never hold one address, whatever crashes.  Removing the service removes the keys in the same transaction.
 * Threads: on the request's io loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/write.h"

void alloc_service_create(struct write_run *r, struct json *obj);
void alloc_service_update(struct write_run *r, const struct json *old, struct json *obj);
void alloc_service_remove(struct write_run *r, const struct json *obj);

/* The range "10.96.0.0/16": first usable address and number of addresses. */
bool alloc_parse_cidr(str cidr, uint32_t *ret_base, uint32_t *ret_count);
