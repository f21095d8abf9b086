/* authn_sa.c - tokens of service accounts: made, verified, and checked against what they are bound to.
 *
 *   claims: {"aud":[...],"exp":..,"iat":..,"iss":..,"jti":..,
 *            "kubernetes.io":{"namespace":..,"serviceaccount":{"name":..,"uid":..},"pod":{"name":..,"uid":..},"node":{..},"secret":{..},"warnafter":..},
 *            "nbf":..,"sub":"system:serviceaccount:<namespace>:<name>"}
 * A signature is checked once and then remembered for a while; that the account and the bound object still exist is looked up
 * every time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <openssl/sha.h>

#include "apiserver/authn_internal.h"
#include "apiserver/objects.h"
#include "base/civil.h"
#include "wire/base64.h"

#define LEEWAY_NS (60 * NSEC_PER_SEC) /* clocks differ; as Kubernetes */
#define AUTO_MOUNT_SECONDS 3607       /* what kubelets ask for in the automatic mount; the odd 7 makes it known */
#define EXTENDED_SECONDS (365ll * 24 * 3600)
#define CLAIM_GROUP "kubernetes.io"

/* --- signatures that were good ------------------------------------------------------------------- */

static struct authn_verified *verified_slot(struct authn *n, const unsigned char digest[32])
{
    uint32_t at;
    memcpy(&at, digest, sizeof at);
    return &n->verified[at % AUTHN_VERIFIED_SLOTS];
}

static bool verified_has(struct authn *n, const unsigned char digest[32])
{
    pthread_mutex_lock(&n->verified_lock);
    const struct authn_verified *v = verified_slot(n, digest);
    bool has = v->until > clock_mono(n->clock) && memcmp(v->digest, digest, sizeof v->digest) == 0;
    pthread_mutex_unlock(&n->verified_lock);
    return has;
}

static void verified_add(struct authn *n, const unsigned char digest[32])
{
    pthread_mutex_lock(&n->verified_lock);
    struct authn_verified *v = verified_slot(n, digest);
    memcpy(v->digest, digest, sizeof v->digest);
    v->until = clock_mono(n->clock) + AUTHN_VERIFIED_NS;
    pthread_mutex_unlock(&n->verified_lock);
}

/* --- verifying ----------------------------------------------------------------------------------- */

/* The claims without any trust in them; false when it is no JWT of ours. */
static bool peek_claims(struct authn *n, struct arena *a, str token, struct json *ret)
{
    str rest = token, header, payload, text;
    if (token.len > JWT_TOKEN_MAX || !str_cut(&rest, '.', &header) || !str_cut(&rest, '.', &payload) ||
        str_find_char(rest, '.') >= 0)
        return false;
    return base64_decode(a, BASE64_URL_RAW, payload, &text, NULL) == 0 && json_parse(a, text, NULL, ret, NULL) == 0 &&
           str_eq(json_get_str(ret, S("iss")), n->issuer);
}

static int check_signature(struct authn *n, struct arena *a, str token, struct err *err)
{
    unsigned char digest[32];
    SHA256((const unsigned char *)token.p, token.len, digest);
    if (verified_has(n, digest))
        return 0;
    struct json claims;
    int r = jwt_verify(a, n->keys, n->nkeys, token, &claims, err);
    if (r == 0)
        verified_add(n, digest);
    return r;
}

static int check_time(struct authn *n, const struct json *claims, struct err *err)
{
    struct jwt_expect expect = {.leeway = LEEWAY_NS, .must_expire = true};
    nsec_t now = clock_wall(n->clock);
    if (jwt_check_claims(claims, &expect, now, NULL) == 0)
        return 0;
    double exp = 0;
    json_to_double(json_get(claims, S("exp")), &exp);
    bool is_over = exp <= (double)now / NSEC_PER_SEC;
    return err_set(err, E_UNAUTHORIZED, is_over ? "service account token has expired" : "service account token is not valid yet");
}

/* A token without audiences is for the API server. */
static int check_audiences(struct authn *n, struct arena *a, const struct json *claims, const str *audiences, size_t naudiences,
                           struct json *ret, struct err *err)
{
    const struct json *aud = json_get(claims, S("aud"));
    bool implicit = !aud || (aud->type == JSON_ARRAY && !aud->len);
    for (size_t i = 0; i < naudiences; i++)
        if (implicit ? str_eq(audiences[i], n->issuer) : jwt_has_audience(claims, audiences[i]))
            json_push(a, ret, json_string(audiences[i]));
    if (ret->len)
        return 0;
    struct json wanted = json_array();
    for (size_t i = 0; i < naudiences; i++)
        json_push(a, &wanted, json_string(audiences[i]));
    str got = aud ? json_text(a, aud) : S("[]"), want = json_text(a, &wanted);
    return err_set(err, E_UNAUTHORIZED, "token audiences " STR_FMT " is invalid for the target audiences " STR_FMT, STR_ARG(got),
                   STR_ARG(want));
}

/* A deletion that is due for longer than clocks may differ. */
static bool is_gone(struct authn *n, const struct json *obj)
{
    nsec_t at;
    str deleted = json_get_str(object_meta(obj), S("deletionTimestamp"));
    return deleted.len && civil_parse(deleted, &at) && at < clock_wall(n->clock) - LEEWAY_NS;
}

static int check_account(struct authn *n, struct arena *a, str ns, const struct json *ref, struct err *err)
{
    struct json sa;
    str name = json_get_str(ref, S("name")), uid = json_get_str(ref, S("uid"));
    if (!ns.len || !name.len || !object_get_builtin(n->store, a, S(""), S("serviceaccounts"), ns, name, &sa, NULL))
        return err_set(err, E_UNAUTHORIZED, "serviceaccounts \"" STR_FMT "\" not found", STR_ARG(name));
    if (!str_eq(object_uid(&sa), uid))
        return err_set(err, E_UNAUTHORIZED, "service account UID (" STR_FMT ") does not match claim (" STR_FMT ")",
                       STR_ARG(object_uid(&sa)), STR_ARG(uid));
    if (is_gone(n, &sa))
        return err_set(err, E_UNAUTHORIZED, "service account " STR_FMT "/" STR_FMT " has been deleted", STR_ARG(ns),
                       STR_ARG(name));
    return 0;
}

/* kind: claim's key and what messages call it. */
static int check_bound(struct authn *n, struct arena *a, str plural, const char *kind, str ns, const struct json *ref,
                       struct err *err)
{
    struct json obj;
    str uid = json_get_str(ref, S("uid")), name = json_get_str(ref, S("name"));
    if (!name.len || !object_get_builtin(n->store, a, S(""), plural, ns, name, &obj, NULL) || is_gone(n, &obj))
        return err_set(err, E_UNAUTHORIZED, "service account token has been invalidated");
    if (!str_eq(object_uid(&obj), uid))
        return err_set(err, E_UNAUTHORIZED, "%s UID (" STR_FMT ") does not match service account %s ref claim (" STR_FMT ")",
                       kind, STR_ARG(object_uid(&obj)), kind, STR_ARG(uid));
    return 0;
}

static int check_existence(struct authn *n, struct arena *a, const struct json *own, struct err *err)
{
    const struct json *secret = json_get(own, S("secret")), *pod = json_get(own, S("pod")), *node = json_get(own, S("node"));
    str ns = json_get_str(own, S("namespace"));
    int r = check_account(n, a, ns, json_get(own, S("serviceaccount")), err);
    if (r == 0 && secret)
        r = check_bound(n, a, S("secrets"), "secret", ns, secret, err);
    if (r == 0 && pod)
        r = check_bound(n, a, S("pods"), "pod", ns, pod, err);
    if (r == 0 && node && !pod) /* with a pod the node is only told, not bound to */
        r = check_bound(n, a, S("nodes"), "node", S(""), node, err);
    return r;
}

static void add_extra(struct arena *a, struct json *extra, const char *key, str value)
{
    if (!value.len)
        return;
    struct json list = json_array();
    json_push(a, &list, json_string(value));
    json_set(a, extra, arena_fmt(a, "authentication.kubernetes.io/%s", key), list);
}

static void fill_user(struct arena *a, const struct json *claims, const struct json *own, struct api_user *ret)
{
    const struct json *sa = json_get(own, S("serviceaccount")), *pod = json_get(own, S("pod")), *node = json_get(own, S("node"));
    str ns = json_get_str(own, S("namespace")), name = json_get_str(sa, S("name")), jti = json_get_str(claims, S("jti"));
    str groups[] = {S("system:serviceaccounts"), arena_cat(a, S("system:serviceaccounts:"), ns)};
    struct json *extra = arena_new(a, struct json);
    *extra = json_object();
    add_extra(a, extra, "credential-id", jti.len ? arena_cat(a, S("JTI="), jti) : S(""));
    add_extra(a, extra, "node-name", json_get_str(node, S("name")));
    add_extra(a, extra, "node-uid", json_get_str(node, S("uid")));
    add_extra(a, extra, "pod-name", json_get_str(pod, S("name")));
    add_extra(a, extra, "pod-uid", json_get_str(pod, S("uid")));
    *ret = (struct api_user){.name = arena_fmt(a, "system:serviceaccount:" STR_FMT ":" STR_FMT, STR_ARG(ns), STR_ARG(name)),
                             .uid = json_get_str(sa, S("uid")),
                             .extra = extra->len ? extra : NULL};
    authn_set_groups(a, ret, groups, ARRAY_LEN(groups));
}

int authn_sa_token(struct authn *n, struct arena *a, str token, const str *audiences, size_t naudiences, struct api_user *ret,
                   struct json *ret_audiences, struct err *err)
{
    struct json claims;
    if (!n->nkeys || !peek_claims(n, a, token, &claims))
        return AUTHN_NOT_MINE;
    const struct json *own = json_get(&claims, S(CLAIM_GROUP));
    int r = check_signature(n, a, token, err);
    if (r == 0)
        r = check_audiences(n, a, &claims, audiences, naudiences, ret_audiences, err);
    if (r == 0)
        r = check_time(n, &claims, err);
    if (r == 0)
        r = check_existence(n, a, own, err);
    if (r < 0)
        return r;
    fill_user(a, &claims, own, ret);
    return 0;
}

/* --- issuing ------------------------------------------------------------------------------------- */

static struct json ref_of(struct arena *a, str name, str uid)
{
    struct json ref = json_object();
    json_set(a, &ref, S("name"), json_string(name));
    if (uid.len)
        json_set(a, &ref, S("uid"), json_string(uid));
    return ref;
}

static struct json own_claims(struct arena *a, const struct json *sa, const struct json *bound, int64_t warn_after)
{
    struct json own = json_object();
    json_set(a, &own, S("namespace"), json_string(object_ns(sa)));
    str kind = json_get_str(bound, S("kind")), node = json_get_str(bound, S("nodeName"));
    str key = str_is(kind, "Pod") ? S("pod") : str_is(kind, "Secret") ? S("secret") : S("node");
    if (node.len)
        json_set(a, &own, S("node"), ref_of(a, node, json_get_str(bound, S("nodeUID"))));
    if (bound)
        json_set(a, &own, key, ref_of(a, json_get_str(bound, S("name")), json_get_str(bound, S("uid"))));
    json_set(a, &own, S("serviceaccount"), ref_of(a, object_name(sa), object_uid(sa)));
    if (warn_after)
        json_set(a, &own, S("warnafter"), json_int(a, warn_after));
    return own;
}

int authn_issue(struct authn *n, struct arena *a, const struct json *sa, const str *audiences, size_t naudiences,
                const struct json *bound, int64_t expiration_s, str *ret_token, nsec_t *ret_expires, struct err *err)
{
    if (!n->nkeys)
        return err_set(err, E_UNAVAILABLE, "this server has no key to sign tokens with");
    struct json aud = json_array(), claims = json_object();
    bool for_us = true;
    for (size_t i = 0; i < MAX(naudiences, (size_t)1); i++) {
        str audience = naudiences ? audiences[i] : n->issuer;
        for_us &= str_eq(audience, n->issuer);
        json_push(a, &aud, json_string(audience));
    }
    nsec_t now = clock_wall(n->clock);
    int64_t now_s = now / NSEC_PER_SEC, warn_after = 0, lifetime = expiration_s;
    if (expiration_s == AUTO_MOUNT_SECONDS && for_us && str_is(json_get_str(bound, S("kind")), "Pod")) {
        warn_after = now_s + expiration_s;
        lifetime = EXTENDED_SECONDS;
    }
    char jti[37];
    object_new_uid(jti);
    json_set(a, &claims, S("aud"), aud);
    json_set(a, &claims, S("exp"), json_int(a, now_s + lifetime));
    json_set(a, &claims, S("iat"), json_int(a, now_s));
    json_set(a, &claims, S("iss"), json_string(n->issuer));
    json_set(a, &claims, S("jti"), json_string(str_of(jti)));
    json_set(a, &claims, S(CLAIM_GROUP), own_claims(a, sa, bound, warn_after));
    json_set(a, &claims, S("nbf"), json_int(a, now_s));
    json_set(a, &claims, S("sub"),
             json_string(
                 arena_fmt(a, "system:serviceaccount:" STR_FMT ":" STR_FMT, STR_ARG(object_ns(sa)), STR_ARG(object_name(sa)))));
    int r = jwt_sign(a, n->keys[0], json_text(a, &claims), ret_token, err);
    if (r == 0)
        *ret_expires = (now_s + expiration_s) * NSEC_PER_SEC;
    return r;
}
