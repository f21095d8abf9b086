/* certificates.h - CertificateSigningRequests: what the server fills in, which part each way of writing may change, and who may approve and sign.
 *
 *   create             spec.username, uid, groups, extra: who asks
 *   update             metadata alone
 *   update approval    the conditions Approved and Denied, with the verb approve on the signer
 *   update status      the certificate and the other conditions, with the verb sign on the signer
 * Threads: on the request's loop.  Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"
#include "apiserver/write.h"

/* For the table of strategies. */
void certificates_update(struct write_run *r, const struct json *old, struct json *obj);
/* For the table of admission. */
int certificates_admit(struct admission_attrs *at, struct err *err);
int certificates_validate(struct admission_attrs *at, struct err *err);
