/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images_registry.h"

#include "agent/images/images_ref.h"
#include "wire/base64.h"
#include "wire/json.h"

#define ERROR_BODY_BYTES (64u << 10)
#define TOKEN_BODY_BYTES (1u << 20)
#define CONNECT_NS (20 * NSEC_PER_SEC)
#define DEFAULT_HOST_API "registry-1.docker.io" /* docker.io itself serves a web site */
#define USER_AGENT "cox"

struct image_registry {
    char *host, *prefix, *ca_pem;
    bool insecure, plain_http;
    bool scheme_known; /* an answer came */
    const struct clock *clock;
    struct http_client *client;
    struct image_auth auth; /* on the arena */
    struct arena auth_arena;
    char *authorization; /* of this repository; NULL: none yet */
};

/* One GET, with all that is needed to tell how it went. */
struct fetch {
    struct image_registry *r;
    const struct image_registry_get *get;
    struct arena *arena;
    nsec_t began;
    uint64_t bytes;
    int result; /* of feed() or of the pace */
    struct err err;
};

/* --- open ------------------------------------------------------------------------------------------------ */

static int make_client(const struct image_registry *r, const char *url, struct http_client **ret, struct err *err)
{
    return http_client_new(&(struct http_client_opts){.url = url, .ca_pem = r->ca_pem, .insecure = r->insecure, .user_agent = USER_AGENT, .connect_timeout_ns = CONNECT_NS}, ret, err);
}

static int make_own_client(struct image_registry *r, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *host = strcmp(r->host, IMAGE_DEFAULT_HOST) == 0 ? DEFAULT_HOST_API : r->host;
    http_client_free(r->client);
    r->client = NULL;
    return make_client(r, arena_fmt(&a, "%s://%s", r->plain_http ? "http" : "https", host).p, &r->client, err);
}

int image_registry_open(const struct image_registry_opts *o, struct image_registry **ret, struct err *err)
{
    struct image_registry *r = xnew(struct image_registry);
    r->host = xstrdup(o->host);
    r->prefix = xstrdup(o->prefix ? o->prefix : "");
    r->ca_pem = o->ca_pem ? xstrdup(o->ca_pem) : NULL;
    r->insecure = o->insecure;
    r->plain_http = o->plain_http;
    r->clock = o->clock;
    int result = make_own_client(r, err);
    if (result < 0)
        image_registry_close(r);
    else
        *ret = r;
    return result;
}

void image_registry_close(struct image_registry *r)
{
    if (!r)
        return;
    http_client_free(r->client);
    arena_fini(&r->auth_arena);
    free(r->authorization);
    free(r->host);
    free(r->prefix);
    free(r->ca_pem);
    free(r);
}

void image_registry_set_auth(struct image_registry *r, const struct image_auth *auth)
{
    arena_reset(&r->auth_arena);
    r->auth = (struct image_auth){0};
    free(r->authorization);
    r->authorization = NULL;
    if (!auth)
        return;
    r->auth = (struct image_auth){arena_str(&r->auth_arena, auth->username), arena_str(&r->auth_arena, auth->password), arena_str(&r->auth_arena, auth->token)};
    if (auth->token.len)
        r->authorization = str_dup(arena_cat(&r->auth_arena, S("Bearer "), r->auth.token));
}

/* --- texts ------------------------------------------------------------------------------------------------- */

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || memchr("!#$%&'*+-.^_`|~", c, 15) != NULL;
}

static str take_token(str *s)
{
    size_t n = 0;
    while (n < s->len && is_token_char(s->p[n]))
        n++;
    str token = str_sub(*s, 0, n);
    *s = str_from(*s, n);
    return token;
}

static void skip(str *s, const char *set)
{
    while (s->len && s->p[0] && strchr(set, s->p[0]))
        *s = str_from(*s, 1);
}

/* A token, or "text" with \ before quotes. */
static str take_value(struct arena *a, str *s)
{
    struct strbuf b = strbuf_on(a);
    if (!s->len || s->p[0] != '"')
        return take_token(s);
    *s = str_from(*s, 1);
    while (s->len && s->p[0] != '"') {
        if (s->p[0] == '\\' && s->len > 1)
            *s = str_from(*s, 1);
        strbuf_add_char(&b, s->p[0]);
        *s = str_from(*s, 1);
    }
    *s = str_from(*s, 1);
    return strbuf_str(&b);
}

static void set_param(struct image_registry_challenge *c, str name, str value)
{
    if (str_ieq(name, S("realm")))
        c->realm = value;
    else if (str_ieq(name, S("service")))
        c->service = value;
    else if (str_ieq(name, S("scope")))
        c->scope = value;
}

void image_registry_challenge_parse(struct arena *a, str s, struct image_registry_challenge *io)
{
    bool in_bearer = false;
    for (;;) {
        skip(&s, " \t,");
        str token = take_token(&s);
        if (!token.len)
            return; /* the end, or something that is no challenge */
        skip(&s, " \t");
        if (s.len && s.p[0] == '=') { /* a parameter of the challenge before */
            s = str_from(s, 1);
            skip(&s, " \t");
            str value = take_value(a, &s);
            if (in_bearer)
                set_param(io, token, value);
            continue;
        }
        in_bearer = str_ieq(token, S("bearer")) && !io->is_bearer;
        io->is_bearer = io->is_bearer || in_bearer;
        io->is_basic = io->is_basic || str_ieq(token, S("basic"));
    }
}

bool image_registry_url_split(struct arena *a, str url, str *ret_base, str *ret_path)
{
    size_t scheme = str_has_prefix(url, S("https://")) ? 8 : str_has_prefix(url, S("http://")) ? 7 : 0;
    if (!scheme)
        return false;
    size_t end = scheme;
    while (end < url.len && url.p[end] != '/' && url.p[end] != '?' && url.p[end] != '#')
        end++;
    for (size_t i = 0; i < url.len; i++) {
        if ((unsigned char)url.p[i] <= ' ' || url.p[i] == 0x7f)
            return false;
    }
    str path = str_from(url, end);
    ptrdiff_t hash = str_find_char(path, '#');
    path = hash >= 0 ? str_sub(path, 0, (size_t)hash) : path;
    *ret_base = arena_str(a, str_sub(url, 0, end));
    *ret_path = str_has_prefix(path, S("/")) ? path : arena_cat(a, S("/"), path);
    return end > scheme && str_find_char(*ret_base, '@') < 0;
}

static void add_query(struct strbuf *b, const char *name, str value)
{
    if (!value.len)
        return;
    strbuf_addf(b, "%c%s=", memchr(strbuf_cstr(b), '?', b->len) ? '&' : '?', name);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.p[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~')
            strbuf_add_char(b, (char)c);
        else
            strbuf_addf(b, "%%%02X", c);
    }
}

/* --- requests ---------------------------------------------------------------------------------------------- */

/* False ends the request: the receiver has failed, or the bytes come too slowly to ever end. */
static bool on_data(void *arg, str bytes)
{
    struct fetch *f = arg;
    f->bytes += bytes.len;
    nsec_t took = clock_mono(f->r->clock) - f->began;
    if (took > REGISTRY_SILENCE_NS && f->bytes / (uint64_t)(took / NSEC_PER_SEC) < REGISTRY_SLOW_BYTES)
        f->result = err_set(&f->err, E_TIMEOUT, "%s sends less than %d bytes a second", f->r->host, REGISTRY_SLOW_BYTES);
    else
        f->result = f->get->feed(f->get->arg, bytes, &f->err);
    return f->result == 0;
}

static int send_get(struct fetch *f, struct http_client *client, str path, bool with_auth, struct http_client_response *res, struct err *err)
{
    struct http_header headers[2];
    size_t n = 0;
    if (f->get->accept)
        headers[n++] = (struct http_header){S("accept"), str_of(f->get->accept)};
    if (with_auth && f->r->authorization)
        headers[n++] = (struct http_header){S("authorization"), str_of(f->r->authorization)};
    struct http_client_request q = {.method = S("GET"), .path = path, .headers = headers, .nheaders = n, .timeout_ns = REGISTRY_SILENCE_NS, .max_body = ERROR_BODY_BYTES, .on_data = on_data, .arg = f};
    f->began = clock_mono(f->r->clock);
    f->bytes = 0;
    int r = http_client_do(client, &q, f->arena, res, err);
    if (r == 0 && f->result < 0) {
        if (err)
            *err = f->err;
        r = f->result;
    }
    return r;
}

/* A registry that was called insecure may speak either; what answers once is kept. */
static int send_first(struct fetch *f, str path, struct http_client_response *res, struct err *err)
{
    struct image_registry *r = f->r;
    int result = send_get(f, r->client, path, true, res, err);
    if (result == -E_UNAVAILABLE && r->insecure && !r->plain_http && !r->scheme_known && !f->bytes) {
        r->plain_http = true;
        result = make_own_client(r, err);
        if (result == 0)
            result = send_get(f, r->client, path, true, res, err);
        if (result < 0)
            r->plain_http = false; /* the next try begins again with HTTPS */
    }
    r->scheme_known = r->scheme_known || result == 0;
    return result;
}

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* The credentials are for the registry alone: another host gets the bare request. */
static int follow(struct fetch *f, str own, struct http_client_response *res, struct err *err)
{
    str from = own;
    for (int hops = 0; is_redirect(res->status); hops++) {
        str to = http_client_header(res, S("location")), base, path;
        struct http_client *client CLEANUP(http_client_free) = NULL;
        if (hops == REGISTRY_HOPS)
            return err_set(err, E_UNAVAILABLE, "%s redirects more than %d times", f->r->host, REGISTRY_HOPS);
        if (str_has_prefix(to, S("/")) && !str_has_prefix(to, S("//")))
            to = arena_cat(f->arena, from, to);
        if (!image_registry_url_split(f->arena, to, &base, &path))
            return err_set(err, E_UNAVAILABLE, "%s redirects to a place that is no URL", f->r->host);
        if (!f->r->insecure && !f->r->plain_http && !str_has_prefix(base, S("https://")))
            return err_set(err, E_UNAVAILABLE, "%s redirects to " STR_FMT ", which is not secured by TLS", f->r->host, STR_ARG(str_sub(base, 0, 200)));
        int r = make_client(f->r, base.p, &client, err);
        if (r == 0)
            r = send_get(f, client, path, str_eq(base, own), res, err);
        if (r < 0)
            return r;
        from = base;
    }
    return 0;
}

/* --- credentials -------------------------------------------------------------------------------------------- */

static str basic(struct arena *a, const struct image_auth *auth)
{
    str both = arena_fmt(a, STR_FMT ":" STR_FMT, STR_ARG(auth->username), STR_ARG(auth->password));
    return arena_cat(a, S("Basic "), base64_encode(a, BASE64_STD, both));
}

static int read_token(struct image_registry *r, struct arena *a, str body, struct err *err)
{
    struct json v;
    if (json_parse(a, body, NULL, &v, NULL) < 0)
        return err_set(err, E_UNAVAILABLE, "the token server of %s did not answer with JSON", r->host);
    str token = json_get_str(&v, S("token"));
    token = token.len ? token : json_get_str(&v, S("access_token"));
    if (!token.len)
        return err_set(err, E_UNAVAILABLE, "the token server of %s gave no token", r->host);
    free(r->authorization);
    r->authorization = str_dup(arena_cat(a, S("Bearer "), token));
    return 0;
}

static int fetch_token(struct image_registry *r, struct arena *a, const struct image_registry_challenge *c, str repo, struct err *err)
{
    struct http_client *client CLEANUP(http_client_free) = NULL;
    struct http_client_response res;
    str base, path;
    if (!image_registry_url_split(a, c->realm, &base, &path))
        return err_set(err, E_UNAVAILABLE, "%s asks for a token from a place that is no URL", r->host);
    if (!r->insecure && !r->plain_http && !str_has_prefix(base, S("https://")))
        return err_set(err, E_UNAVAILABLE, "%s asks to send credentials to " STR_FMT ", which is not secured by TLS", r->host, STR_ARG(str_sub(base, 0, 200)));
    struct strbuf url = strbuf_on(a);
    strbuf_add_str(&url, path);
    add_query(&url, "service", c->service);
    add_query(&url, "scope", c->scope.len ? c->scope : arena_fmt(a, "repository:" STR_FMT ":pull", STR_ARG(repo)));
    int result = make_client(r, base.p, &client, err);
    if (result < 0)
        return result;
    struct http_header header = {S("authorization"), r->auth.username.len ? basic(a, &r->auth) : S("")};
    result = http_client_do(client, &(struct http_client_request){.method = S("GET"), .path = strbuf_str(&url), .headers = &header, .nheaders = header.value.len > 0, .max_body = TOKEN_BODY_BYTES}, a, &res, err);
    if (result < 0)
        return err_wrap(err, "no token for %s: ", r->host);
    if (res.status == 401 || res.status == 403)
        return err_set(err, E_UNAUTHORIZED, "the token server of %s refuses %s", r->host, r->auth.username.len ? "the user name or the password" : "to give a token without credentials");
    if (res.status != 200)
        return err_set(err, E_UNAVAILABLE, "the token server of %s answers with status %d", r->host, res.status);
    return read_token(r, a, res.body, err);
}

/* After a 401: 0 means that another try with other credentials is worth it. */
static int answer_challenge(struct image_registry *r, struct arena *a, const struct http_client_response *res, str repo, struct err *err)
{
    struct image_registry_challenge c = {0};
    for (size_t i = 0; i < res->nheaders; i++) {
        if (str_eq(res->headers[i].name, S("www-authenticate")))
            image_registry_challenge_parse(a, res->headers[i].value, &c);
    }
    if (c.is_bearer)
        return fetch_token(r, a, &c, repo, err);
    if (c.is_basic && r->auth.username.len) {
        free(r->authorization);
        r->authorization = str_dup(basic(a, &r->auth));
        return 0;
    }
    return err_set(err, E_UNAUTHORIZED, "%s wants credentials", r->host);
}

/* --- answers -------------------------------------------------------------------------------------------------- */

/* The first sentence of {"errors":[{"code":..,"message":..}]}. */
static str error_text(struct arena *a, str body)
{
    struct json v;
    if (json_parse(a, body, NULL, &v, NULL) < 0)
        return S("");
    const struct json *errors = json_get(&v, S("errors"));
    return json_is(errors, JSON_ARRAY) && errors->len ? str_sub(json_get_str(&errors->items[0], S("message")), 0, 200) : S("");
}

static int refuse(const struct fetch *f, const struct http_client_response *res, struct err *err)
{
    static const char *const advice = "check its name, and put valid credentials into a docker-registry secret that the pod names in imagePullSecrets";
    str why = error_text(f->arena, res->body), image = f->get->image;
    const char *host = f->r->host, *open = why.len ? " (" : "", *close = why.len ? ")" : "";
    if (res->status == 404)
        return err_set(err, E_NOT_FOUND, "%s has no image \"" STR_FMT "\"%s" STR_FMT "%s; check its name and tag, or load it with cox image load", host, STR_ARG(image), open, STR_ARG(why), close);
    if (res->status == 401 || res->status == 403)
        return err_set(err, res->status == 401 ? E_UNAUTHORIZED : E_FORBIDDEN, "%s does not give \"" STR_FMT "\" to %s%s" STR_FMT "%s; %s", host, STR_ARG(image),
                       f->r->auth.username.len || f->r->auth.token.len ? "this user" : "everybody", open, STR_ARG(why), close, advice);
    if (res->status == 429)
        return err_set(err, E_BUSY, "%s asks to come back later, too many pulls%s" STR_FMT "%s; pull with credentials or use a mirror", host, open, STR_ARG(why), close);
    return err_set(err, E_UNAVAILABLE, "%s answers with status %d for \"" STR_FMT "\"%s" STR_FMT "%s", host, res->status, STR_ARG(image), open, STR_ARG(why), close);
}

int image_registry_get(struct image_registry *r, const struct image_registry_get *get, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fetch f = {.r = r, .get = get, .arena = &a};
    struct http_client_response res;
    str path = arena_fmt(&a, "%s/v2/" STR_FMT "/" STR_FMT, r->prefix, STR_ARG(get->repo), STR_ARG(get->path));
    int result = send_first(&f, path, &res, err);
    if (result == 0 && res.status == 401) {
        result = answer_challenge(r, &a, &res, get->repo, err);
        if (result == -E_UNAUTHORIZED)
            return refuse(&f, &res, err);
        if (result == 0)
            result = send_get(&f, r->client, path, true, &res, err);
    }
    if (result < 0)
        return result;
    const char *scheme = r->plain_http ? "http" : "https";
    result = follow(&f, arena_fmt(&a, "%s://%s", scheme, http_client_server(r->client)), &res, err);
    if (result < 0)
        return result;
    return res.status == 200 ? 0 : refuse(&f, &res, err);
}
