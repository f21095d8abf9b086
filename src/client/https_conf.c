/* SPDX-License-Identifier: Apache-2.0 */
#include "client/https_conf.h"

#include "wire/base64.h"
#include "wire/http_types.h"

static const char *or_null(const char *s)
{
    return s && s[0] ? s : NULL;
}

static char *dup_or_null(const char *s)
{
    return or_null(s) ? xstrdup(s) : NULL;
}

static char *authorization_of(const struct kubeconfig_resolved *k)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    if (or_null(k->token)) {
        strbuf_addf(&b, "Bearer %s", k->token);
    } else if (or_null(k->username)) {
        STRBUF_AUTO pair = STRBUF_HEAP;
        strbuf_addf(&pair, "%s:%s", k->username, k->password ? k->password : "");
        strbuf_add_str(&b, S("Basic "));
        base64_write(&b, BASE64_STD, strbuf_str(&pair));
    }
    return b.len ? str_dup(strbuf_str(&b)) : NULL;
}

static bool is_header_value(const char *s)
{
    for (; s && *s; s++) {
        if ((unsigned char)*s < ' ' || *s == 0x7f)
            return false;
    }
    return true;
}

static int conf_check(const struct https_conf *f, struct err *err)
{
    if (!is_header_value(f->authorization))
        return err_set(err, E_INVALID_ARG, "the token or password holds a line break or another control byte");
    if (!is_header_value(f->as) || !is_header_value(f->user_agent))
        return err_set(err, E_INVALID_ARG, "the name of the user to act as holds a control byte");
    return 0;
}

int https_conf_new(const struct kubeconfig_resolved *k, const char *user_agent, bool http1_only, struct https_conf **ret,
                   struct err *err)
{
    struct https_conf *f = xnew(struct https_conf);
    f->refs_ = 1;
    f->user_agent = xstrdup(or_null(user_agent) ? user_agent : "cox");
    f->authorization = authorization_of(k);
    f->as = dup_or_null(k->as);
    f->http1_only = http1_only;
    int r = conf_check(f, err);
    if (r == 0)
        r = client_target_parse(&f->target, k->server, err);
    if (r == 0 && f->target.is_tls)
        r = tls_client_new(or_null(k->ca_pem), or_null(k->cert_pem), or_null(k->key_pem), k->insecure, &f->target.tls, err);
    if (r < 0) {
        https_conf_unref(f);
        return r;
    }
    if (or_null(k->tls_server_name)) {
        free(f->target.server_name);
        f->target.server_name = xstrdup(k->tls_server_name);
    }
    *ret = f;
    return 0;
}

struct https_conf *https_conf_ref(struct https_conf *f)
{
    f->refs_++;
    return f;
}

void https_conf_unref(struct https_conf *f)
{
    if (!f || --f->refs_)
        return;
    client_target_fini(&f->target);
    free(f->user_agent);
    free(f->authorization);
    free(f->as);
    free(f);
}

str https_conf_authority(const struct https_conf *f)
{
    return f->target.is_unix ? S("localhost") : str_of(f->target.text);
}

bool https_request_is_valid(str method, str path)
{
    if (!http_is_token(method) || !path.len || path.p[0] != '/')
        return false;
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (c <= ' ' || c == 0x7f || c == '#')
            return false;
    }
    return true;
}
