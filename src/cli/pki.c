/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pki.h"

#include <arpa/inet.h>
#include <glob.h>
#include <unistd.h>

#include "base/vec.h"
#include "rt/file.h"
#include "rt/tls.h"

#define DAY (24 * 3600 * NSEC_PER_SEC)
#define PEM_MAX (64u << 10)

struct maker {
    const char *dir;
    nsec_t now;
    struct pki *pki;
};

static void path_of(const struct maker *m, const char *name, char out[4096])
{
    snprintf(out, 4096, "%s/%s", m->dir, name);
}

static int load(const struct maker *m, const char *name, char **ret, struct err *err)
{
    char path[4096];
    path_of(m, name, path);
    return file_read(path, PEM_MAX, ret, NULL, err);
}

static int save(const struct maker *m, const char *name, const char *text, struct err *err)
{
    char path[4096];
    path_of(m, name, path);
    return file_write_atomic(path, str_of(text), 0600, err);
}

static bool is_there(const struct maker *m, const char *name)
{
    char path[4096];
    path_of(m, name, path);
    return file_exists(path);
}

/* A certificate and its key from their files, made and saved when absent, unreadable as a pair, or soon over. */
static int pair(const struct maker *m, const char *name, struct tls_cert_request *req, nsec_t life, nsec_t renew_before, bool always_new, char **ret_cert,
                char **ret_key, struct err *err)
{
    char cert_name[64], key_name[64];
    snprintf(cert_name, sizeof cert_name, "%s.crt", name);
    snprintf(key_name, sizeof key_name, "%s.key", name);
    if (!always_new && is_there(m, cert_name) && is_there(m, key_name)) {
        nsec_t until;
        int r = load(m, cert_name, ret_cert, err);
        if (r < 0 || (r = load(m, key_name, ret_key, err)) < 0 || (r = tls_cert_not_after(*ret_cert, &until, err)) < 0)
            return r;
        if (until - m->now > renew_before)
            return 0;
        free(TAKE(*ret_cert));
        free(TAKE(*ret_key));
    }
    req->not_before = m->now - DAY; /* clocks of clients may be behind */
    req->not_after = m->now + life;
    int r = tls_cert_make(req, req->is_ca ? NULL : m->pki->ca_cert, req->is_ca ? NULL : m->pki->ca_key, ret_cert, ret_key, err);
    if (r < 0 || (r = save(m, key_name, *ret_key, err)) < 0)
        return r;
    return save(m, cert_name, *ret_cert, err);
}

static int make_server(const struct maker *m, const char *const *names, struct err *err)
{
    static const char *const usual[] = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
                                        "127.0.0.1", "::1", NULL};
    VEC(const char *) dns = {0}, ips = {0};
    STRBUF_AUTO wanted = STRBUF_HEAP;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *own[] = {host[0] ? host : NULL, NULL};
    const char *const *lists[] = {usual, own, names};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        for (const char *const *n = lists[l]; n && *n; n++) {
            unsigned char bytes[16];
            strbuf_addf(&wanted, "%s\n", *n);
            if (inet_pton(AF_INET, *n, bytes) == 1 || inet_pton(AF_INET6, *n, bytes) == 1)
                vec_push(&ips, *n);
            else
                vec_push(&dns, *n);
        }
    }
    vec_push(&dns, NULL);
    vec_push(&ips, NULL);
    /* the names of the certificate, to see when it must be made for others */
    char *had = NULL;
    bool same = is_there(m, "server.names") && load(m, "server.names", &had, NULL) == 0 && str_is(strbuf_str(&wanted), had);
    free(had);
    struct tls_cert_request req = {.common_name = "kube-apiserver", .dns_names = dns.p, .ip_addresses = ips.p, .for_server = true, .for_client = true};
    int r = pair(m, "server", &req, 365 * DAY, 30 * DAY, !same, &m->pki->server_cert, &m->pki->server_key, err);
    if (r == 0 && !same)
        r = save(m, "server.names", strbuf_cstr(&wanted), err);
    vec_fini(&dns);
    vec_fini(&ips);
    return r;
}

static int make_sa_key(const struct maker *m, struct err *err)
{
    int r = is_there(m, "sa.key") ? load(m, "sa.key", &m->pki->sa_key, err) : tls_key_make(&m->pki->sa_key, err);
    if (r == 0 && !is_there(m, "sa.key"))
        r = save(m, "sa.key", m->pki->sa_key, err);
    char pattern[4096];
    path_of(m, "sa-*.key", pattern);
    glob_t found;
    if (r == 0 && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && i < PKI_MAX_OLD_KEYS && r == 0; i++)
            r = file_read(found.gl_pathv[i], PEM_MAX, &m->pki->old_sa_keys[i], NULL, err);
        globfree(&found);
    }
    return r;
}

int pki_load(const char *data_dir, const struct clock *clock, const char *const *names, struct pki *ret, struct err *err)
{
    char dir[4096];
    snprintf(dir, sizeof dir, "%s/pki", data_dir);
    *ret = (struct pki){0};
    struct maker m = {dir, clock_wall(clock), ret};
    static const char *const masters[] = {"system:masters", NULL};
    struct tls_cert_request ca = {.common_name = "coxswain-ca", .is_ca = true};
    struct tls_cert_request admin = {.common_name = "kubernetes-admin", .organizations = masters, .for_client = true};
    /* no administrator: a node says itself where it is reached, and may say that it is where the API server listens */
    struct tls_cert_request to_nodes = {.common_name = "kube-apiserver-kubelet-client", .for_client = true};
    int r = file_mkdir_all(dir, 0700, err);
    if (r == 0)
        r = pair(&m, "ca", &ca, 3650 * DAY, 0, false, &ret->ca_cert, &ret->ca_key, err);
    if (r == 0)
        r = make_server(&m, names, err);
    if (r == 0)
        r = pair(&m, "admin", &admin, 365 * DAY, 30 * DAY, false, &ret->admin_cert, &ret->admin_key, err);
    if (r == 0)
        r = pair(&m, "kubelet-client", &to_nodes, 365 * DAY, 30 * DAY, false, &ret->kubelet_client_cert, &ret->kubelet_client_key, err);
    if (r == 0)
        r = make_sa_key(&m, err);
    if (r < 0) {
        pki_free(ret);
        return err_wrap(err, "cannot prepare the cluster's certificates: ");
    }
    return 0;
}

void pki_free(struct pki *p)
{
    char **all[] = {&p->ca_cert, &p->ca_key, &p->server_cert, &p->server_key, &p->admin_cert, &p->admin_key, &p->sa_key, &p->kubelet_client_cert, &p->kubelet_client_key};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        free(TAKE(*all[i]));
    for (size_t i = 0; i < PKI_MAX_OLD_KEYS; i++)
        free(TAKE(p->old_sa_keys[i]));
}
