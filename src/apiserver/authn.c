/* authn.c - from a request to a user: which way to authenticate applies, and the service's own settings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authn_internal.h"

/* --- life ---------------------------------------------------------------------------------------- */

static int load_keys(struct authn *n, const struct apiserver_opts *opts, struct err *err)
{
    size_t more = 0;
    while (opts->sa_verify_pems && opts->sa_verify_pems[more])
        more++;
    n->keys = xcalloc(1 + more, sizeof *n->keys);
    for (size_t i = 0; i < 1 + more; i++) {
        const char *pem = i ? opts->sa_verify_pems[i - 1] : opts->sa_key_pem;
        struct jwt_key *key;
        int r = jwt_key_new(str_of(pem), &key, err);
        if (r < 0)
            return err_wrap(err, "service-account key %zu: ", i + 1);
        n->keys[n->nkeys++] = key;
        if (!i && !jwt_key_can_sign(key))
            return err_set(err, E_INVALID_ARG, "service-account key: a private key is needed");
    }
    return 0;
}

int authn_new(const struct apiserver_opts *opts, struct authn **ret, struct err *err)
{
    struct authn *n = xnew(struct authn);
    struct strbuf url = STRBUF_HEAP;
    bool is_v6 = opts->advertise_host && strchr(opts->advertise_host, ':');
    strbuf_addf(&url, "https://%s%s%s:%u/openid/v1/jwks", is_v6 ? "[" : "", opts->advertise_host ? opts->advertise_host : "",
                is_v6 ? "]" : "", opts->advertise_port);
    n->store = opts->store;
    n->clock = opts->clock;
    n->issuer = str_of(xstrdup(opts->sa_issuer ? opts->sa_issuer : "https://kubernetes.default.svc.cluster.local"));
    n->jwks_url = strbuf_str(&url);
    n->anonymous = opts->anonymous;
    pthread_mutex_init(&n->verified_lock, NULL);
    int r = opts->sa_key_pem ? load_keys(n, opts, err) : 0;
    if (r == 0 && opts->token_file)
        r = authn_static_new(opts->token_file, &n->tokens, err);
    if (r < 0) {
        authn_free(n);
        return r;
    }
    *ret = n;
    return 0;
}

void authn_free(struct authn *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->nkeys; i++)
        jwt_key_free((struct jwt_key *)n->keys[i]);
    free(n->keys);
    authn_static_free(n->tokens);
    pthread_mutex_destroy(&n->verified_lock);
    free((char *)n->issuer.p);
    free((char *)n->jwks_url.p);
    free(n);
}

/* --- tokens -------------------------------------------------------------------------------------- */

int authn_token(struct authn *n, struct arena *a, str token, const str *audiences, size_t naudiences, struct api_user *ret,
                struct json *ret_audiences, struct err *err)
{
    if (!naudiences) {
        audiences = &n->issuer;
        naudiences = 1;
    }
    struct json good_for = json_array();
    int r = authn_sa_token(n, a, token, audiences, naudiences, ret, &good_for, err);
    if (r == AUTHN_NOT_MINE) {
        /* the other tokens say nothing of audiences: they are for the API server */
        for (size_t i = 0; i < naudiences; i++)
            if (str_eq(audiences[i], n->issuer))
                json_push(a, &good_for, json_string(n->issuer));
        if (good_for.len && n->tokens)
            r = authn_static_token(n->tokens, a, token, ret);
        if (r == AUTHN_NOT_MINE && good_for.len)
            r = authn_bootstrap_token(n, a, token, ret);
    }
    if (r == AUTHN_NOT_MINE)
        return err_set(err, E_UNAUTHORIZED, "invalid bearer token");
    if (r == 0 && ret_audiences)
        *ret_audiences = good_for;
    return r;
}

/* --- requests ------------------------------------------------------------------------------------ */

void authn_set_groups(struct arena *a, struct api_user *u, const str *groups, size_t n)
{
    str *list = arena_array(a, n + 1, str);
    if (n)
        memcpy(list, groups, n * sizeof *list);
    u->groups = list;
    u->ngroups = n;
    if (!api_user_in_group(u, S("system:authenticated")))
        list[u->ngroups++] = S("system:authenticated");
}

/* Copies: a certificate lives as long as its connection, the request may be finished after that. */
static void take_peer(struct arena *a, struct api_user *ret, const struct tls_peer *peer)
{
    str groups[TLS_MAX_GROUPS];
    for (size_t i = 0; i < peer->norganizations; i++)
        groups[i] = arena_str(a, peer->organizations[i]);
    *ret = (struct api_user){.name = arena_str(a, peer->common_name)};
    authn_set_groups(a, ret, groups, peer->norganizations);
}

/* "Bearer x", scheme in any case.  Other schemes, Basic among them, are refused: -E_UNAUTHORIZED. */
static int bearer(struct api_req *q, str *ret, struct err *err)
{
    str rest = str_trim(http_header_get(q->http, S("authorization"))), scheme;
    *ret = S("");
    if (!rest.len)
        return 0;
    str_cut(&rest, ' ', &scheme);
    if (!str_ieq(scheme, S("bearer")))
        return err_set(err, E_UNAUTHORIZED, "authorization scheme is not supported");
    str_cut(&rest, ' ', ret);
    return 0;
}

static int authenticate(struct authn *n, struct api_req *q, struct err *err)
{
    static const str masters = STR_INIT("system:masters"), nobody = STR_INIT("system:unauthenticated");
    if (q->http->peer && q->http->peer->common_name.len) {
        take_peer(q->arena, &q->user, q->http->peer);
        return 0;
    }
    str token;
    int r = bearer(q, &token, err);
    if (r < 0)
        return r;
    if (token.len)
        return authn_token(n, q->arena, token, NULL, 0, &q->user, NULL, err);
    if (q->http->is_unix) {
        q->user = (struct api_user){.name = S("kubernetes-admin")};
        authn_set_groups(q->arena, &q->user, &masters, 1);
        return 0;
    }
    if (!n->anonymous)
        return err_set(err, E_UNAUTHORIZED, "no credentials");
    q->user = (struct api_user){.name = S("system:anonymous"), .groups = &nobody, .ngroups = 1};
    return 0;
}

int authn_request(struct authn *n, struct api_req *q, struct err *err)
{
    int r = authenticate(n, q, err);
    return r < 0 ? r : authn_impersonate(q, err);
}

/* --- what others need to verify our tokens ------------------------------------------------------- */

str authn_issuer(const struct authn *n)
{
    return n->issuer;
}

str authn_jwks(struct authn *n, struct arena *a)
{
    struct json set = jwt_jwks(a, n->keys, n->nkeys);
    return json_text(a, &set);
}

str authn_openid_config(struct authn *n, struct arena *a)
{
    struct json doc = json_literal(a, "{\"response_types_supported\":[\"id_token\"],\"subject_types_supported\":[\"public\"]}"),
                algs = json_array();
    for (size_t i = 0; i < n->nkeys; i++) {
        bool known = false;
        for (uint32_t k = 0; k < algs.len; k++)
            known |= str_eq(json_str(&algs.items[k]), jwt_key_alg(n->keys[i]));
        if (!known)
            json_push(a, &algs, json_string(jwt_key_alg(n->keys[i])));
    }
    json_set(a, &doc, S("issuer"), json_string(n->issuer));
    json_set(a, &doc, S("jwks_uri"), json_string(n->jwks_url));
    json_set(a, &doc, S("id_token_signing_alg_values_supported"), algs);
    return json_text(a, &doc);
}
