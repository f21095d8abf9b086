/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_data_plan.h"

#include "base/civil.h"
#include "controllers/kuscia.h"
#include "wire/base64.h"
#include "wire/jwt.h"

/* --- signatures ------------------------------------------------------------------------------------------------------------------------------------ */

static bool is_empty(const struct json *v)
{
    int64_t n;
    return !v || v->type == JSON_NULL || (v->type == JSON_NUMBER ? json_to_i64(v, &n) && n == 0 : v->type != JSON_BOOL && !v->len);
}

static void keep(struct arena *a, struct json *to, const struct json *from, const char *key)
{
    if (!is_empty(json_get(from, str_of(key))))
        json_set(a, to, str_of(key), *json_get(from, str_of(key)));
}

static struct json limit_of(struct arena *a, const struct json *limit)
{
    static const char *const members[] = {"expirationTime", "useCount", "grantMode", "flowID", "components", "initiator", "inputConfig"};
    struct json out = json_object();
    nsec_t at;
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        keep(a, &out, limit, members[i]);
    if (civil_parse(json_get_str(limit, S("expirationTime")), &at)) { /* in UTC, whole seconds */
        char text[CIVIL_TIME_LEN + 1];
        civil_format(at, text);
        json_set(a, &out, S("expirationTime"), json_string(arena_str(a, str_of(text))));
    }
    return out;
}

static int by_key(const void *x, const void *y)
{
    return str_cmp(((const struct json_member *)x)->key, ((const struct json_member *)y)->key);
}

str kuscia_grant_signed_text(struct arena *a, const struct json *spec)
{
    const struct json *limit = json_get(spec, S("limit")), *description = json_get(spec, S("description"));
    struct json out = json_make(a, "{\"author\":%S,\"domainDataID\":%S,\"grantDomain\":%S}", json_get_str(spec, S("author")), json_get_str(spec, S("domainDataID")), json_get_str(spec, S("grantDomain")));
    if (json_is(limit, JSON_OBJECT))
        json_set(a, &out, S("limit"), limit_of(a, limit));
    if (!is_empty(description)) {
        struct json sorted = json_copy(a, description);
        qsort(sorted.members, sorted.len, sizeof *sorted.members, by_key);
        json_set(a, &out, S("description"), sorted);
    }
    return json_text(a, &out);
}

/* "" it is good, or there is none. */
static str signature_fault(struct arena *a, const struct grant_view *v)
{
    const struct json *spec = json_get(v->grant, S("spec"));
    str signature = json_get_str(spec, S("signature")), author = json_get_str(spec, S("author")), cert = json_get_str(json_get(v->author, S("spec")), S("cert")), pem, raw;
    struct jwt_key *key CLEANUP(jwt_key_free) = NULL;
    struct err err = ERR_NONE;
    if (!signature.len)
        return S("");
    if (!cert.len)
        return arena_fmt(a, "it is signed, and Domain \"" STR_FMT "\" has no certificate (spec.cert) to check that with", STR_ARG(author));
    if (base64_decode(a, BASE64_STD, cert, &pem, &err) < 0 || jwt_key_new(pem, &key, &err) < 0)
        return arena_fmt(a, "it is signed, and the certificate of Domain \"" STR_FMT "\" cannot be read: %s", STR_ARG(author), err.msg);
    if (!str_is(jwt_key_alg(key), "RS256"))
        return arena_fmt(a, "it is signed, and the key of Domain \"" STR_FMT "\" is no RSA key", STR_ARG(author));
    if (base64_decode(a, BASE64_STD, signature, &raw, &err) < 0 || !jwt_key_verify(key, kuscia_grant_signed_text(a, spec), raw))
        return arena_fmt(a, "its signature is not that of domain " STR_FMT " for what it says", STR_ARG(author));
    return S("");
}

/* --- does it hold -------------------------------------------------------------------------------------------------------------------------------------- */

static int64_t uses(const struct json *grant)
{
    const struct json *records = json_path(grant, "status", "use_records", NULL);
    return json_is(records, JSON_ARRAY) ? records->len : 0;
}

void kuscia_grant_judge(struct arena *a, const struct grant_view *v, struct grant_verdict *ret)
{
    const struct json *limit = json_path(v->grant, "spec", "limit", NULL);
    int64_t most = json_get_int(limit, S("useCount"), 0), used = uses(v->grant) + uses(v->copy);
    str until = json_get_str(limit, S("expirationTime"));
    nsec_t end = 0;
    *ret = (struct grant_verdict){.message = signature_fault(a, v)};
    if (ret->message.len)
        return;
    if (civil_parse(until, &end) && end <= v->now)
        ret->message = arena_fmt(a, "it was good until " STR_FMT, STR_ARG(until));
    else if (most > 0 && used >= most)
        ret->message = arena_fmt(a, "it was good for %lld uses, and was used %lld times", (long long)most, (long long)used);
    else
        *ret = (struct grant_verdict){.holds = true, .message = S(""), .left_ns = end ? end - v->now : 0};
}

/* --- copies ---------------------------------------------------------------------------------------------------------------------------------------------- */

static struct json copy_of(struct arena *a, const struct json *obj, const char *kind)
{
    str name = json_get_str(json_get(obj, S("metadata")), S("name"));
    return json_make(a, "{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":%s,\"metadata\":{\"name\":%S,\"labels\":{\"" KUSCIA_OWNER "\":%S},\"annotations\":{\"" KUSCIA("initiator") "\":%S}},\"spec\":%j}", kind, name,
                     name, json_get_str(json_get(obj, S("metadata")), S("namespace")), json_get(obj, S("spec")));
}

struct json kuscia_grant_copy(struct arena *a, const struct json *grant)
{
    struct json out = copy_of(a, grant, "DomainDataGrant");
    json_set(a, json_path(&out, "metadata", "labels", NULL), S(KUSCIA("domaindataid")), json_string(json_get_str(json_get(grant, S("spec")), S("domainDataID"))));
    return out;
}

struct json kuscia_data_copy(struct arena *a, const struct json *data)
{
    struct json out = copy_of(a, data, "DomainData");
    json_set(a, json_path(&out, "metadata", "labels", NULL), S(KUSCIA("domaindata-vendor")), json_string(S("grant")));
    json_set(a, json_get(&out, S("spec")), S("vendor"), json_string(S("grant")));
    return out;
}

str kuscia_copied_from(const struct json *obj)
{
    bool is_copy = json_get_str(json_path(obj, "metadata", "labels", NULL), S(KUSCIA_OWNER)).len > 0;
    return is_copy ? json_get_str(json_path(obj, "metadata", "annotations", NULL), S(KUSCIA("initiator"))) : S("");
}
