/* validate_certificates.c - requests for certificates.  Whether the PKCS#10 text itself can be read is the API server's to see. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"
#include "wire/base64.h"

#define USAGES                                                                                                                             \
    "any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email "          \
    "protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp "     \
    "signing|s/mime|server auth|signing|timestamping"

/* Is it base64 of a PEM text with such a block? */
static bool has_block(struct arena *a, str text, str begin)
{
    str plain;
    return base64_decode(a, BASE64_STD, text, &plain, NULL) == 0 && str_find(plain, begin) >= 0;
}

/* domain/path: a domain with at least one dot, a path of one or more segments. */
static bool is_signer_name(str s)
{
    str domain;
    if (s.len > 571 || !str_cut(&s, '/', &domain) || !s.len || validate_dns1123_subdomain(domain) || str_find_char(domain, '.') < 0)
        return false;
    while (s.len) {
        str label;
        bool more = str_cut(&s, '.', &label);
        if (validate_dns1123_label(label) || (more && !s.len))
            return false;
    }
    return true;
}

void v_csr_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    if (c->old) /* it cannot change */
        return;
    const struct json *usages = V_GET(spec, "usages");
    str signer = V_STR(spec, "signerName"), request = V_STR(spec, "request");
    if (!request.len)
        v_required(c, V_FIELD(p, "request"), V_NO_DETAIL);
    else if (!has_block(c->e->arena, request, S("-----BEGIN CERTIFICATE REQUEST-----")))
        v_invalid_str(c, V_FIELD(p, "request"), S("<request>"), "PEM block type must be CERTIFICATE REQUEST");
    if (!signer.len)
        v_required(c, V_FIELD(p, "signerName"), V_NO_DETAIL);
    else if (!is_signer_name(signer))
        v_invalid_str(c, V_FIELD(p, "signerName"), signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    else if (str_is(signer, "kubernetes.io/legacy-unknown"))
        v_invalid_str(c, V_FIELD(p, "signerName"), signer, "the legacy signerName is not allowed via this API version");
    if (!v_len(usages))
        v_required(c, V_FIELD(p, "usages"), "usages must be specified");
    v_foreach(u, i, usages)
    {
        if (!v_in(json_str(u), USAGES))
            v_unsupported(c, V_INDEX(V_FIELD(p, "usages"), i), json_str(u), USAGES);
        else if (v_seen_before(usages, i, S("")))
            v_duplicate(c, V_INDEX(V_FIELD(p, "usages"), i), json_str(u));
    }
    if (V_GET(spec, "expirationSeconds") && V_INT(spec, "expirationSeconds") < 600)
        v_invalid_int(c, V_FIELD(p, "expirationSeconds"), V_INT(spec, "expirationSeconds"), "may not specify a duration less than 600 seconds (10 minutes)");
}

void v_csr_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    const struct json *conditions = V_GET(status, "conditions");
    bool approved = false, denied = false;
    v_foreach(k, i, conditions)
    {
        const struct vpath *at = V_INDEX(V_FIELD(p, "conditions"), i);
        str type = V_STR(k, "type"), value = V_STR(k, "status");
        approved |= str_is(type, "Approved");
        denied |= str_is(type, "Denied");
        if (!type.len)
            v_required(c, V_FIELD(at, "type"), V_NO_DETAIL);
        if (v_in(type, "Approved|Denied|Failed") && !str_is(value, "True"))
            v_unsupported(c, V_FIELD(at, "status"), value, "True");
        else if (!v_in(value, "True|False|Unknown"))
            v_unsupported(c, V_FIELD(at, "status"), value, "False|True|Unknown");
        if (v_seen_before(conditions, i, S("type")))
            v_duplicate(c, V_FIELD(at, "type"), type);
    }
    if (approved && denied)
        v_invalid_str(c, V_FIELD(p, "conditions"), S("Denied"), "Approved and Denied conditions are mutually exclusive");
    str cert = V_STR(status, "certificate");
    if (cert.len && !has_block(c->e->arena, cert, S("-----BEGIN CERTIFICATE-----")))
        v_invalid_str(c, V_FIELD(p, "certificate"), S("<certificate>"), "must contain at least one CERTIFICATE PEM block");
}
