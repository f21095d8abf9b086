/* kuscia_data_plan.h - data of domains, and leave to use it: what is copied, and whether it holds (pure).
 *
 *   alice: DomainData d, DomainDataGrant g (author alice, grantDomain bob)  ─►  bob: DomainData d (vendor grant), DomainDataGrant g, both with the label owner-references
 * A grant is worth what the one in its author's namespace is worth: signed by the author when there is a signature, not over, not used up.
 * The signature is RSA PKCS#1 v1.5 with SHA-256 over the spec without it, as Kuscia writes JSON: members in the order of its types, empty ones left out.
 * Threads: pure.  Ownership: the arena's, with parts of the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define KUSCIA_OWNER "kuscia.secretflow/owner-references" /* label of copies: name of what it is a copy of */

struct grant_view {
    const struct json *grant;  /* the author's */
    const struct json *copy;   /* the other domain's; NULL: there is none */
    const struct json *author; /* its Domain; NULL: there is none */
    nsec_t now;                /* wall time */
};
struct grant_verdict {
    bool holds;
    str message;    /* why it does not */
    nsec_t left_ns; /* until it is over; 0: it does not end, or has ended */
};
void kuscia_grant_judge(struct arena *a, const struct grant_view *v, struct grant_verdict *ret);
str kuscia_grant_signed_text(struct arena *a, const struct json *spec);

/* For the namespace of the other domain. */
struct json kuscia_grant_copy(struct arena *a, const struct json *grant);
struct json kuscia_data_copy(struct arena *a, const struct json *data);
/* The domain that a copy came from; "": it is none. */
str kuscia_copied_from(const struct json *obj);
