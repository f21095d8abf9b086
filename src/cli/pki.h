/* pki.h - the cluster's own keys and certificates, made on first start and renewed when they run out.
 *
 *   DIR/pki/ca.crt ca.key         the cluster's authority, ten years
 *          server.crt server.key  of the API server, one year; made again when a name is missing or less than a month is left
 *          admin.crt admin.key    user kubernetes-admin in group system:masters, one year
 *          kubelet-client.crt .key  of the API server when it calls nodes, one year
 *          sa.key                 signs service-account tokens; sa-*.key are older ones that are still accepted
 * Files are 0600, the folder 0700.  Threads: start-up only.  Ownership: texts on the heap until pki_free. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"

#define PKI_MAX_OLD_KEYS 8

struct pki {
    char *ca_cert, *ca_key, *server_cert, *server_key, *admin_cert, *admin_key, *sa_key, *kubelet_client_cert, *kubelet_client_key;
    char *old_sa_keys[PKI_MAX_OLD_KEYS + 1]; /* NULL-terminated */
};

/* names: NULL-terminated DNS names and IP addresses the server is reached by, besides the usual ones. */
int pki_load(const char *data_dir, const struct clock *clock, const char *const *names, struct pki *ret, struct err *err) MUST_CHECK;
void pki_free(struct pki *p);
