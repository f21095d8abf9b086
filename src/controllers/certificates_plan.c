/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/certificates_plan.h"

#include <arpa/inet.h>

#include "base/civil.h"

#define NODE_USER "system:node:"
#define CLOCKS_DIFFER_NS (300 * NSEC_PER_SEC)

static const struct json *spec_of(const struct json *obj)
{
    return json_get(obj, S("spec"));
}

static const struct json *condition(const struct json *obj, const char *type)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

static bool list_has(const struct json *list, str text)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), text))
            return true;
    return false;
}

/* Every usage is one of "a|b", and the needed one is among them. */
static bool usages_fit(const struct json *obj, const char *needed)
{
    const struct json *list = json_get(spec_of(obj), S("usages"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str u = json_str(&list->items[i]);
        if (!str_is(u, "digital signature") && !str_is(u, "key encipherment") && !str_is(u, needed))
            return false;
    }
    return list_has(list, str_of(needed));
}

bool csr_signer_is_ours(str signer)
{
    return str_is(signer, CSR_CLIENT) || str_is(signer, CSR_KUBELET_CLIENT) || str_is(signer, CSR_KUBELET_SERVING);
}

static bool names_a_node(const struct tls_csr *asked)
{
    return asked->norganizations == 1 && str_is(asked->organizations[0], "system:nodes") && str_has_prefix(asked->common_name, S(NODE_USER)) &&
           asked->common_name.len > sizeof NODE_USER - 1 && !asked->has_other_subject;
}

bool csr_fits_signer(struct arena *a, const struct json *obj, const struct tls_csr *asked, str *ret_why)
{
    str signer = json_get_str(spec_of(obj), S("signerName"));
    size_t names = asked->ndns_names + asked->nip_addresses;
    *ret_why = S("");
    if (asked->has_other_names)
        *ret_why = S("names other than DNS names and addresses are not signed");
    else if (str_is(signer, CSR_CLIENT))
        *ret_why = usages_fit(obj, "client auth") ? S("") : S("the usages must be client auth, digital signature and key encipherment, and client auth among them");
    else if (!names_a_node(asked))
        *ret_why = S("the subject must be O=system:nodes, CN=system:node:NAME");
    else if (str_is(signer, CSR_KUBELET_CLIENT) && names)
        *ret_why = S("a node's client certificate has no alternative names");
    else if (str_is(signer, CSR_KUBELET_CLIENT) && !usages_fit(obj, "client auth"))
        *ret_why = S("the usages must be client auth, digital signature and key encipherment, and client auth among them");
    else if (str_is(signer, CSR_KUBELET_SERVING) && !names)
        *ret_why = S("a serving certificate needs a DNS name or an address");
    else if (str_is(signer, CSR_KUBELET_SERVING) && !usages_fit(obj, "server auth"))
        *ret_why = S("the usages must be server auth, digital signature and key encipherment, and server auth among them");
    else if (!csr_signer_is_ours(signer))
        *ret_why = arena_fmt(a, "\"" STR_FMT "\" is not a signer of this cluster", STR_ARG(signer));
    if (str_is(signer, CSR_KUBELET_SERVING) && !ret_why->len && !str_eq(json_get_str(spec_of(obj), S("username")), asked->common_name))
        *ret_why = S("a node asks for its own serving certificate only");
    return !ret_why->len;
}

struct csr_state csr_state_of(const struct json *obj, const struct tls_csr *asked)
{
    ARENA_AUTO a = ARENA_INIT;
    str why;
    struct csr_state st = {.approved = condition(obj, "Approved"), .denied = condition(obj, "Denied"), .failed = condition(obj, "Failed"),
                           .issued = json_get_str(json_get(obj, S("status")), S("certificate")).len > 0, .signer = json_get_str(spec_of(obj), S("signerName")),
                           .user = json_get_str(spec_of(obj), S("username")), .kind = CSR_FOREIGN, .node = S("")};
    if (!asked || str_is(st.signer, CSR_CLIENT) || !csr_fits_signer(&a, obj, asked, &why))
        return st;
    st.node = str_from(asked->common_name, sizeof NODE_USER - 1);
    if (str_is(st.signer, CSR_KUBELET_SERVING))
        st.kind = list_has(json_get(spec_of(obj), S("groups")), S("system:nodes")) ? CSR_NODE_SERVING : CSR_FOREIGN;
    else
        st.kind = str_eq(st.user, asked->common_name) ? CSR_SELF_NODE_CLIENT : CSR_NODE_CLIENT;
    return st;
}

/* Addresses by value: there are several ways to write one. */
static bool same_address(str x, str y)
{
    char tx[INET6_ADDRSTRLEN], ty[INET6_ADDRSTRLEN];
    unsigned char bx[16], by[16];
    if (x.len >= sizeof tx || y.len >= sizeof ty)
        return false;
    snprintf(tx, sizeof tx, STR_FMT, STR_ARG(x));
    snprintf(ty, sizeof ty, STR_FMT, STR_ARG(y));
    for (int f = 0; f < 2; f++) {
        int family = f ? AF_INET6 : AF_INET;
        if (inet_pton(family, tx, bx) == 1 && inet_pton(family, ty, by) == 1)
            return memcmp(bx, by, f ? 16 : 4) == 0;
    }
    return false;
}

static bool node_has(const struct json *node, str name, bool is_ip)
{
    const struct json *list = json_path(node, "status", "addresses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str type = json_get_str(&list->items[i], S("type")), address = json_get_str(&list->items[i], S("address"));
        bool names_host = str_is(type, "Hostname") || str_is(type, "InternalDNS") || str_is(type, "ExternalDNS");
        if (is_ip ? same_address(address, name) : (names_host && str_ieq(address, name)))
            return true;
    }
    return false;
}

bool csr_serving_fits(const struct tls_csr *asked, str node, const struct json *node_obj)
{
    for (size_t i = 0; i < asked->ndns_names; i++)
        if (!str_eq(asked->dns_names[i], node) && !node_has(node_obj, asked->dns_names[i], false))
            return false;
    for (size_t i = 0; i < asked->nip_addresses; i++)
        if (!node_has(node_obj, asked->ip_addresses[i], true))
            return false;
    return true;
}

str csr_name_lower(struct arena *a, str name)
{
    char *low = arena_alloc(a, name.len + 1);
    for (size_t i = 0; i < name.len; i++)
        low[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] + 32 : name.p[i]);
    return str_n(low, name.len);
}

/* Of services, or in a form that others may read as another name. */
static bool is_no_nodes_name(struct arena *a, str name)
{
    str text = csr_name_lower(a, name);
    return str_has_suffix(text, S(".svc")) || str_find(text, S(".svc.")) >= 0 || str_has_suffix(text, S(".")) || str_find_char(text, '*') >= 0;
}

str csr_serving_reserved(struct arena *a, const struct tls_csr *asked, const char *server_cert_pem)
{
    for (size_t i = 0; i < asked->ndns_names; i++) {
        str name = asked->dns_names[i];
        if (is_no_nodes_name(a, name) || (server_cert_pem && tls_cert_has_name(server_cert_pem, arena_cstr(a, name))))
            return name;
    }
    for (size_t i = 0; server_cert_pem && i < asked->nip_addresses; i++)
        if (tls_cert_has_name(server_cert_pem, arena_cstr(a, asked->ip_addresses[i])))
            return asked->ip_addresses[i];
    return S("");
}

nsec_t csr_patience(const struct json *obj, nsec_t now)
{
    nsec_t made, age = civil_parse(json_get_str(json_get(obj, S("metadata")), S("creationTimestamp")), &made) ? now - made : 0;
    return MIN(MAX(age / 4, CSR_PATIENCE_MIN_NS), CSR_PATIENCE_MAX_NS);
}

struct tls_cert_request csr_terms(const struct json *obj, nsec_t now, nsec_t ca_until)
{
    str signer = json_get_str(spec_of(obj), S("signerName"));
    nsec_t asked = json_get_int(spec_of(obj), S("expirationSeconds"), 0) * NSEC_PER_SEC, life = asked > 0 ? MIN(asked, CSR_LIFE_NS) : CSR_LIFE_NS;
    bool serves = str_is(signer, CSR_KUBELET_SERVING);
    return (struct tls_cert_request){.for_server = serves, .for_client = !serves, .not_before = now - CLOCKS_DIFFER_NS, .not_after = MIN(now + life, ca_until)};
}

str csr_domain(const struct json *obj)
{
    static const str prefixes[] = {STR_INIT("system:bootstrappers:domain:"), STR_INIT(CSR_DOMAIN_GROUP)};
    const struct json *groups = json_get(spec_of(obj), S("groups"));
    if (!str_is(json_get_str(spec_of(obj), S("signerName")), CSR_KUBELET_CLIENT))
        return S("");
    for (uint32_t i = 0; json_is(groups, JSON_ARRAY) && i < groups->len; i++)
        for (size_t k = 0; k < ARRAY_LEN(prefixes); k++)
            if (str_has_prefix(json_str(&groups->items[i]), prefixes[k]))
                return str_from(json_str(&groups->items[i]), prefixes[k].len);
    return S("");
}

static nsec_t time_of(const struct json *obj, str key)
{
    nsec_t t;
    return civil_parse(json_get_str(obj, key), &t) ? t : 0;
}

nsec_t csr_kept_until(const struct json *obj, nsec_t cert_until)
{
    static const char *const decisions[] = {"Approved", "Denied", "Failed"};
    for (size_t i = 0; i < ARRAY_LEN(decisions); i++) {
        const struct json *c = condition(obj, decisions[i]);
        nsec_t at = MAX(time_of(c, S("lastUpdateTime")), time_of(c, S("lastTransitionTime")));
        if (c && at)
            return cert_until ? MIN(at + CSR_APPROVED_KEPT_NS, cert_until) : at + CSR_APPROVED_KEPT_NS;
    }
    return time_of(json_get(obj, S("metadata")), S("creationTimestamp")) + CSR_PENDING_KEPT_NS;
}
