/* SPDX-License-Identifier: Apache-2.0 */
#include "client/join.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "rt/file.h"
#include "rt/tls.h"
#include "wire/base64.h"
#include "wire/yaml.h"

#define AGENT "cox-join"
#define TIMEOUT_NS (600 * NSEC_PER_SEC)
#define POLL_MIN_NS (20 * NSEC_PER_MSEC)
#define POLL_MAX_NS (500 * NSEC_PER_MSEC)
#define SAY_NS (3 * NSEC_PER_SEC)  /* the server's own approval takes less */
#define ASK_NS (10 * NSEC_PER_SEC) /* a server that is being started, or too busy to answer */
#define TRY_NS (4 * NSEC_PER_SEC)  /* of it, one connection that does not get on */
#define PEM_MAX (64u << 10)
#define CSRS "/apis/certificates.k8s.io/v1/certificatesigningrequests"

void join_path(const char *dir, const char *name, char out[4096])
{
    snprintf(out, 4096, "%s/agent/%s", dir, name);
}

static bool is_stopped(const struct join_opts *o)
{
    return o->stop && atomic_load(o->stop);
}

static void pause_ns(nsec_t ns)
{
    struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
    nanosleep(&t, NULL);
}

/* --- the cluster's CA ----------------------------------------------------------------------------------------------- */

static int read_cluster_info(struct arena *a, str body, const char **ret_ca, struct err *err)
{
    struct json map, config;
    str pem;
    int r = json_parse(a, body, NULL, &map, err);
    if (r == 0)
        r = yaml_parse(a, json_get_str(json_get(&map, S("data")), S("kubeconfig")), NULL, &config, err);
    if (r < 0)
        return err_wrap(err, "the server's cluster-info cannot be read: ");
    const struct json *clusters = json_get(&config, S("clusters"));
    const struct json *cluster = json_is(clusters, JSON_ARRAY) && clusters->len ? json_get(&clusters->items[0], S("cluster")) : NULL;
    r = base64_decode(a, BASE64_STD, json_get_str(cluster, S("certificate-authority-data")), &pem, err);
    if (r < 0 || !pem.len)
        return err_set(err, E_PARSE, "the server's cluster-info has no certificate authority");
    *ret_ca = arena_cstr(a, pem);
    return 0;
}

/* Nobody is trusted here, and nothing is told: the answer is a public text, and good only if its hash is the one we know. */
static int fetch_ca(const struct join_opts *o, struct arena *a, const char **ret_ca, struct err *err)
{
    CLEANUP(http_client_free) struct http_client *c = NULL;
    struct http_client_response res;
    char pin[TLS_PIN_LEN + 1];
    int r = http_client_new(&(struct http_client_opts){.url = o->url, .insecure = true, .user_agent = AGENT, .connect_timeout_ns = TRY_NS}, &c, err);
    if (r == 0)
        r = http_client_do(c, &(struct http_client_request){.method = S("GET"), .path = S("/api/v1/namespaces/kube-public/configmaps/cluster-info"), .timeout_ns = TRY_NS}, a, &res, err);
    if (r < 0)
        return err_wrap(err, "cannot ask %s for its certificate authority: ", o->url);
    if (res.status != 200)
        return err_set(err, E_FORBIDDEN, "%s does not show its certificate authority (HTTP status %d); copy DIR/pki/ca.crt from the server and give it with --ca-file", o->url, res.status);
    CLEANUP(free) char *ca = NULL;
    const char *told = NULL;
    r = read_cluster_info(a, res.body, &told, err);
    if (r < 0 || (r = tls_cert_pin(told, pin, err)) < 0)
        return r;
    if (tls_cert_pinned(told, o->ca_hash, &ca, NULL) < 0)
        return err_set(err, E_UNAUTHORIZED, "the certificate authority of %s has the hash %s, not %s: this is another cluster, or somebody in between", o->url, pin, o->ca_hash);
    *ret_ca = arena_cstr(a, str_of(ca)); /* not the whole text: the hash vouches for one certificate of it */
    return 0;
}

static int find_ca(const struct join_opts *o, struct arena *a, const char **ret_ca, struct err *err)
{
    *ret_ca = o->ca_pem;
    if (o->ca_pem)
        return 0;
    if (!o->ca_hash || !o->ca_hash[0])
        return err_set(err, E_INVALID_ARG, "the hash of the cluster's certificate authority is needed: it is in the command that `cox token create --print-join-command` prints");
    if (!str_has_prefix(str_of(o->ca_hash), S("sha256:")) || strlen(o->ca_hash) != TLS_PIN_LEN)
        return err_set(err, E_INVALID_ARG, "\"%s\" is no hash of a certificate authority: it is sha256: and 64 hexadecimal digits", o->ca_hash);
    nsec_t end = clock_mono(o->clock) + ASK_NS, wait = POLL_MIN_NS;
    for (;;) {
        int r = fetch_ca(o, a, ret_ca, err);
        if ((r != -E_UNAVAILABLE && r != -E_TIMEOUT) || clock_mono(o->clock) > end || is_stopped(o))
            return r;
        pause_ns(wait);
        wait = MIN(wait * 2, POLL_MAX_NS);
    }
}

/* --- a request under way ---------------------------------------------------------------------------------------------- */

struct pending {
    char path[4096];
    const char *name; /* of the CertificateSigningRequest */
    const char *key;
};

/* What a request is for, in its name: one that is under way for another name or address is not gone on with. */
static uint64_t purpose_of(const struct join_opts *o, const char *which)
{
    const char *const *lists[] = {o->dns_names, o->addresses};
    uint64_t h = str_hash(str_of(o->node_name));
    for (size_t l = 0; strcmp(which, "serving") == 0 && l < ARRAY_LEN(lists); l++)
        for (const char *const *n = lists[l]; n && *n; n++)
            h = h * 31 + str_hash(str_of(*n));
    return h;
}

/* "name\n" and the key in PEM. */
static int pending_begin(const struct join_opts *o, struct arena *a, const char *which, struct pending *ret, struct err *err)
{
    CLEANUP(free) char *text = NULL, *key = NULL;
    char file[64], prefix[96];
    snprintf(file, sizeof file, "%s.pending", which);
    snprintf(prefix, sizeof prefix, "node-csr-%s-%08x-", which, (unsigned)purpose_of(o, which));
    join_path(o->dir, file, ret->path);
    if (file_exists(ret->path) && file_read(ret->path, PEM_MAX, &text, NULL, err) == 0) {
        str rest = arena_str(a, str_of(text)), name;
        if (str_cut(&rest, '\n', &name) && str_has_prefix(name, str_of(prefix)) && rest.len) {
            ret->name = arena_cstr(a, name);
            ret->key = rest.p;
            return 0;
        }
    }
    unsigned char random[8];
    struct strbuf name = strbuf_on(a), body = strbuf_on(a);
    int r = tls_key_make(&key, err);
    if (r < 0)
        return r;
    tls_random(random, sizeof random);
    strbuf_add_str(&name, str_of(prefix));
    for (size_t i = 0; i < sizeof random; i++)
        strbuf_addf(&name, "%02x", random[i]);
    strbuf_addf(&body, "%s\n%s", strbuf_cstr(&name), key);
    ret->name = strbuf_cstr(&name);
    ret->key = arena_cstr(a, str_of(key));
    return file_write_atomic(ret->path, strbuf_str(&body), 0600, err);
}

static struct json request_body(struct arena *a, const char *name, const char *signer, const char *usage, const char *csr)
{
    struct json obj = json_literal(a, "{\"kind\":\"CertificateSigningRequest\",\"apiVersion\":\"certificates.k8s.io/v1\",\"metadata\":{},\"spec\":{\"usages\":[\"digital signature\"]}}");
    struct json *spec = json_get(&obj, S("spec"));
    json_set(a, json_get(&obj, S("metadata")), S("name"), json_string(str_of(name)));
    json_push(a, json_get(spec, S("usages")), json_string(str_of(usage)));
    json_set(a, spec, S("signerName"), json_string(str_of(signer)));
    json_set(a, spec, S("request"), json_string(base64_encode(a, BASE64_STD, str_of(csr))));
    return obj;
}

static bool has_condition(const struct json *obj, const char *type, str *ret_message)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), type)) {
            *ret_message = json_get_str(&list->items[i], S("message"));
            return true;
        }
    }
    return false;
}

/* 0: *ret_cert is there or NULL for not yet. */
static int look(struct arena *a, const struct json *obj, const char *name, const char **ret_cert, struct err *err)
{
    str text, pem = json_get_str(json_get(obj, S("status")), S("certificate"));
    *ret_cert = NULL;
    if (has_condition(obj, "Denied", &text))
        return err_set(err, E_FORBIDDEN, "the request for a certificate, %s, was denied: " STR_FMT, name, STR_ARG(text));
    if (has_condition(obj, "Failed", &text))
        return err_set(err, E_FORBIDDEN, "the request for a certificate, %s, cannot be signed: " STR_FMT, name, STR_ARG(text));
    if (!pem.len)
        return 0;
    str plain;
    int r = base64_decode(a, BASE64_STD, pem, &plain, err);
    if (r == 0)
        *ret_cert = arena_cstr(a, plain);
    return r;
}

/* Posts the request, unless it is there, and waits. */
static int obtain(const struct join_opts *o, struct client *c, struct arena *keep, const struct pending *p, const struct json *body, const char **ret_cert, struct err *err)
{
    nsec_t start = clock_mono(o->clock), end = start + (o->timeout_ns ? o->timeout_ns : TIMEOUT_NS), wait = POLL_MIN_NS;
    bool is_said = !o->waits;
    str path = arena_fmt(keep, CSRS "/%s", p->name), text = json_text(keep, body);
    for (;;) {
        ARENA_AUTO a = ARENA_INIT;
        struct client_response res = {0};
        int r = client_do(c, &(struct client_request){.method = S("GET"), .path = path}, &a, &res, err);
        if (r == -E_NOT_FOUND)
            r = client_do(c, &(struct client_request){.method = S("POST"), .path = S(CSRS), .body = text}, &a, &res, err);
        if (r == 0) {
            r = look(keep, &res.json, p->name, ret_cert, err);
            if (r < 0)
                unlink(p->path); /* the next try is another request */
            if (r < 0 || *ret_cert)
                return r;
        } else if (res.status && res.status < 500 && res.status != 429 && res.status != 409) {
            return r; /* nothing that waiting helps */
        }
        if (r == 0 && !is_said && clock_mono(o->clock) > start + SAY_NS) {
            o->waits(p->name);
            is_said = true;
        }
        if (is_stopped(o))
            return err_set(err, E_UNAVAILABLE, "stopped while waiting for a certificate");
        if (clock_mono(o->clock) > end && r < 0)
            return r;
        if (clock_mono(o->clock) > end)
            return err_set(err, E_TIMEOUT, "nobody has approved the certificate request %s; see `kubectl get csr`, `kubectl certificate approve %s`, then try again", p->name, p->name);
        pause_ns(wait);
        wait = MIN(wait * 2, POLL_MAX_NS);
    }
}

/* --- the client certificate ------------------------------------------------------------------------------------------------- */

static int write_kubeconfig(const struct join_opts *o, const char *url, const char *ca, const char *cert, const char *key, struct err *err)
{
    /* a file of its own, put into place whole: the old one is good until then */
    char path[4096], fresh[4096];
    const char *name;
    join_path(o->dir, "kubeconfig", path);
    join_path(o->dir, "kubeconfig.new", fresh);
    unlink(fresh);
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    struct kubeconfig_cluster c = {.name = "cox", .server = url, .ca_pem = ca, .cert_pem = cert, .key_pem = key, .make_current = true};
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = fresh, .may_be_new = true}, &k, err);
    if (r < 0 || (r = kubeconfig_merge(k, &c, &name, err)) < 0 || (r = kubeconfig_save(k, err)) < 0)
        return r;
    return rename(fresh, path) < 0 ? err_sys(err, errno, "cannot put %s into place", path) : 0;
}

static int load_kubeconfig(const struct join_opts *o, struct kubeconfig **ret_k, struct kubeconfig_resolved *ret, struct err *err)
{
    char path[4096];
    join_path(o->dir, "kubeconfig", path);
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = path}, ret_k, err);
    return r < 0 ? r : kubeconfig_resolve(*ret_k, &(struct kubeconfig_overrides){0}, ret, err);
}

bool join_is_done(const struct join_opts *o)
{
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    struct kubeconfig_resolved r;
    char path[4096];
    nsec_t until;
    join_path(o->dir, "kubeconfig", path);
    return file_exists(path) && load_kubeconfig(o, &k, &r, NULL) == 0 && tls_cert_fits(r.cert_pem, r.key_pem, r.ca_pem) && tls_cert_not_after(r.cert_pem, &until, NULL) == 0 &&
           until > clock_wall(o->clock);
}

static int check_domain(const struct join_opts *o, const char *cert, const char *what, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    str is = tls_cert_organization(&a, cert, S("kuscia:domain:"));
    if (!o->domain || !*o->domain || str_is(is, o->domain))
        return 0;
    if (is.len)
        return err_set(err, E_FORBIDDEN, "%s of domain \"" STR_FMT "\", not of \"%s\"", what, STR_ARG(is), o->domain);
    return err_set(err, E_FORBIDDEN, "%s of no domain, not of \"%s\": the status of that Domain has the token to join with", what, o->domain);
}

static int check_node(const struct join_opts *o, const char *cert, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    str is = tls_cert_common_name(&a, cert), prefix = S("system:node:");
    is = str_has_prefix(is, prefix) ? str_from(is, prefix.len) : is;
    if (str_is(is, o->node_name))
        return 0;
    return err_set(err, E_FORBIDDEN, "this machine has credentials of node \"" STR_FMT "\", not of \"%s\": say --node-name " STR_FMT ", or remove them with `cox uninstall` first", STR_ARG(is), o->node_name, STR_ARG(is));
}

/* A certificate for the node, asked for with the credentials of `as`. */
static int client_certificate(const struct join_opts *o, const struct kubeconfig_resolved *as, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    static const char *const nodes[] = {"system:nodes", NULL};
    CLEANUP(free) char *csr = NULL;
    CLEANUP(client_free) struct client *c = NULL;
    struct pending p;
    const char *cert;
    str user = arena_fmt(&a, "system:node:%s", o->node_name);
    int r = pending_begin(o, &a, "client", &p, err);
    if (r < 0 || (r = tls_csr_make(&(struct tls_cert_request){.common_name = user.p, .organizations = nodes}, p.key, &csr, err)) < 0 || (r = client_new(as, AGENT, &c, err)) < 0)
        return r;
    struct json body = request_body(&a, p.name, "kubernetes.io/kube-apiserver-client-kubelet", "client auth", csr);
    r = obtain(o, c, &a, &p, &body, &cert, err);
    if (r < 0)
        return r;
    if (!tls_cert_fits(cert, p.key, as->ca_pem))
        return err_set(err, E_INTERNAL, "the server signed a certificate that does not belong to our key or to its authority");
    bool is_theirs = (r = check_domain(o, cert, "the token is", err)) < 0;
    if (!is_theirs)
        r = write_kubeconfig(o, as->server, as->ca_pem, cert, p.key, err);
    if (r == 0 || is_theirs) /* another token is another request */
        unlink(p.path);
    return r;
}

static int prepare(const struct join_opts *o, struct err *err)
{
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/agent", o->dir);
    return file_mkdir_all(dir, 0700, err);
}

int join_node(const struct join_opts *o, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *ca;
    if (join_is_done(o)) {
        CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
        struct kubeconfig_resolved own;
        int bad = load_kubeconfig(o, &k, &own, err);
        if (bad == 0)
            bad = check_node(o, own.cert_pem, err);
        return bad < 0 ? bad : check_domain(o, own.cert_pem, "this machine has credentials", err);
    }
    int r = prepare(o, err);
    if (r < 0 || (r = find_ca(o, &a, &ca, err)) < 0)
        return r;
    struct kubeconfig_resolved as = {.context = "", .cluster = "", .user = "", .namespace_ = "default", .server = o->url, .tls_server_name = "", .ca_pem = ca, .cert_pem = "",
                                     .key_pem = "", .token = o->token, .username = "", .password = "", .as = ""};
    r = client_certificate(o, &as, err);
    return r == -E_UNAUTHORIZED ? err_set(err, E_UNAUTHORIZED, "the token is not valid: it is mistyped, over or deleted; make one with `cox token create` on the server, or take the unused one of the Domain's status") : r;
}

/* --- the serving certificate --------------------------------------------------------------------------------------------------- */

static int serving_certificate(const struct join_opts *o, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    static const char *const nodes[] = {"system:nodes", NULL};
    CLEANUP(free) char *csr = NULL;
    CLEANUP(client_free) struct client *c = NULL;
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    struct kubeconfig_resolved as;
    struct pending p;
    const char *cert;
    char path[4096];
    str user = arena_fmt(&a, "system:node:%s", o->node_name);
    struct tls_cert_request req = {.common_name = user.p, .organizations = nodes, .dns_names = o->dns_names, .ip_addresses = o->addresses};
    int r = load_kubeconfig(o, &k, &as, err);
    if (r < 0 || (r = pending_begin(o, &a, "serving", &p, err)) < 0 || (r = tls_csr_make(&req, p.key, &csr, err)) < 0 || (r = client_new(&as, AGENT, &c, err)) < 0)
        return r;
    struct json body = request_body(&a, p.name, "kubernetes.io/kubelet-serving", "server auth", csr);
    r = obtain(o, c, &a, &p, &body, &cert, err);
    if (r < 0)
        return r;
    if (!tls_cert_fits(cert, p.key, as.ca_pem))
        return err_set(err, E_INTERNAL, "the server signed a certificate that does not belong to our key or to its authority");
    join_path(o->dir, "serving.pem", path);
    r = file_write_atomic(path, arena_fmt(&a, "%s%s", cert, p.key), 0600, err);
    if (r == 0)
        unlink(p.path);
    return r;
}

bool join_is_due(const char *node_name, nsec_t not_before, nsec_t not_after, nsec_t now)
{
    nsec_t life = not_after - not_before;
    if (life <= 0)
        return true;
    double share = 0.7 + 0.1 * (double)(str_hash(str_of(node_name)) % 1024) / 1024;
    return now - not_before >= (nsec_t)((double)life * share);
}

static bool has_names(const char *cert, const struct join_opts *o)
{
    const char *const *lists[] = {o->dns_names, o->addresses};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++)
        for (const char *const *n = lists[l]; n && *n; n++)
            if (!tls_cert_has_name(cert, *n))
                return false;
    return true;
}

/* Its text on the heap, NULL when there is none or it is not good. */
static char *serving_load(const struct join_opts *o)
{
    char path[4096], *text = NULL;
    join_path(o->dir, "serving.pem", path);
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    struct kubeconfig_resolved as;
    if (!file_exists(path) || file_read(path, PEM_MAX, &text, NULL, NULL) < 0)
        return NULL;
    if (load_kubeconfig(o, &k, &as, NULL) < 0 || !tls_cert_fits(text, text, as.ca_pem))
        free(TAKE(text));
    return text;
}

int join_serving(const struct join_opts *o, struct err *err)
{
    CLEANUP(free) char *text = serving_load(o);
    nsec_t from, until, now = clock_wall(o->clock);
    if (text && tls_cert_lifetime(text, &from, &until, NULL) == 0 && until > now && has_names(text, o)) /* a node's address may have changed */
        return 0;
    int r = prepare(o, err);
    return r < 0 ? r : serving_certificate(o, err);
}

int join_renew(const struct join_opts *o, bool *ret_client, bool *ret_serving, struct err *err)
{
    CLEANUP(kubeconfig_free) struct kubeconfig *k = NULL;
    CLEANUP(free) char *text = serving_load(o);
    struct kubeconfig_resolved as;
    nsec_t from, until, now = clock_wall(o->clock);
    *ret_client = *ret_serving = false;
    int r = load_kubeconfig(o, &k, &as, err);
    if (r == 0)
        r = tls_cert_lifetime(as.cert_pem, &from, &until, err);
    if (r == 0 && (o->renew_now || join_is_due(o->node_name, from, until, now))) {
        r = client_certificate(o, &as, err);
        *ret_client = r == 0;
    }
    if (r == 0 && text && tls_cert_lifetime(text, &from, &until, NULL) == 0 && (o->renew_now || join_is_due(o->node_name, from, until, now))) {
        r = serving_certificate(o, err);
        *ret_serving = r == 0;
    }
    return r;
}
