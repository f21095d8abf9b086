/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/certificates_plan.h"

#include "base/civil.h"
#include "base/test.h"

static struct json parse(struct arena *a, const char *text)
{
    char *copy = arena_alloc(a, strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    return json_literal(a, copy);
}

#define SPEC(signer, user, groups, usages) "{'spec':{'signerName':'" signer "','username':'" user "','groups':[" groups "],'usages':[" usages "]}}"
#define CLIENT "'digital signature','key encipherment','client auth'"
#define SERVER "'digital signature','server auth'"

static const struct tls_csr node_client = {.common_name = STR_INIT("system:node:n1"), .organizations = {STR_INIT("system:nodes")}, .norganizations = 1};
static const struct tls_csr node_serving = {.common_name = STR_INIT("system:node:n1"), .organizations = {STR_INIT("system:nodes")}, .norganizations = 1,
                                            .dns_names = {STR_INIT("n1"), STR_INIT("host")}, .ndns_names = 2, .ip_addresses = {STR_INIT("10.0.0.1")}, .nip_addresses = 1};

TEST(kinds_of_requests)
{
    struct tls_csr two_groups = node_client, other_parts = node_client, named = node_client, nobody = node_client;
    two_groups.organizations[two_groups.norganizations++] = S("rowers");
    other_parts.has_other_subject = true;
    named.dns_names[named.ndns_names++] = S("kubernetes.default");
    nobody.common_name = S("system:node:");
    const struct {
        const char *obj;
        const struct tls_csr *asked;
        enum csr_kind kind;
    } cases[] = {
        {SPEC(CSR_KUBELET_CLIENT, "system:bootstrap:abcdef", "'system:bootstrappers'", CLIENT), &node_client, CSR_NODE_CLIENT},
        {SPEC(CSR_KUBELET_CLIENT, "system:node:n1", "'system:nodes'", CLIENT), &node_client, CSR_SELF_NODE_CLIENT},
        {SPEC(CSR_KUBELET_CLIENT, "system:node:n2", "'system:nodes'", CLIENT), &node_client, CSR_NODE_CLIENT}, /* the review says no */
        {SPEC(CSR_KUBELET_CLIENT, "x", "", SERVER), &node_client, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", "'digital signature'"), &node_client, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT ",'cert sign'"), &node_client, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT), &two_groups, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT), &other_parts, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT), &named, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT), &nobody, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_CLIENT, "x", "", CLIENT), NULL, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_SERVING, "system:node:n1", "'system:nodes'", SERVER), &node_serving, CSR_NODE_SERVING},
        {SPEC(CSR_KUBELET_SERVING, "system:node:n1", "'rowers'", SERVER), &node_serving, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_SERVING, "system:node:n2", "'system:nodes'", SERVER), &node_serving, CSR_FOREIGN},
        {SPEC(CSR_KUBELET_SERVING, "system:node:n1", "'system:nodes'", SERVER), &node_client, CSR_FOREIGN}, /* no names */
        {SPEC(CSR_KUBELET_SERVING, "system:node:n1", "'system:nodes'", CLIENT), &node_serving, CSR_FOREIGN},
        {SPEC(CSR_CLIENT, "anna", "", CLIENT), &node_client, CSR_FOREIGN}, /* a person decides */
        {SPEC("example.com/own", "anna", "", CLIENT), &node_client, CSR_FOREIGN},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json obj = parse(&a, cases[i].obj);
        struct csr_state st = csr_state_of(&obj, cases[i].asked);
        if (st.kind != cases[i].kind)
            T_FAIL_("case %zu: %d instead of %d", i, st.kind, cases[i].kind);
        if (st.kind != CSR_FOREIGN)
            T_EQ_STR(st.node, "n1");
    }
}

TEST(what_was_decided)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = parse(&a, "{'spec':{},'status':{'conditions':[{'type':'Approved','status':'True'},{'type':'Failed','status':'True'}],'certificate':'x'}}");
    struct csr_state st = csr_state_of(&obj, NULL);
    T_OK(st.approved && st.failed && st.issued && !st.denied);
}

TEST(serving_names_are_the_nodes_own)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json good = parse(&a, "{'status':{'addresses':[{'type':'InternalIP','address':'10.0.0.1'},{'type':'Hostname','address':'HOST'}]}}"),
                elsewhere = parse(&a, "{'status':{'addresses':[{'type':'InternalIP','address':'10.0.0.2'},{'type':'Hostname','address':'host'}]}}"),
                tricky = parse(&a, "{'status':{'addresses':[{'type':'InternalIP','address':'10.0.0.1'},{'type':'InternalIP','address':'host'}]}}"), none = parse(&a, "{}");
    T_OK(csr_serving_fits(&node_serving, S("n1"), &good));
    T_OK(!csr_serving_fits(&node_serving, S("n1"), &elsewhere));
    T_OK(!csr_serving_fits(&node_serving, S("n1"), &tricky));
    T_OK(!csr_serving_fits(&node_serving, S("n1"), &none));
    struct tls_csr v6 = {.ip_addresses = {STR_INIT("fd00::1")}, .nip_addresses = 1};
    struct json node = parse(&a, "{'status':{'addresses':[{'type':'InternalIP','address':'fd00:0:0::0001'}]}}");
    T_OK(csr_serving_fits(&v6, S("n1"), &node));
}

TEST(names_that_are_no_nodes)
{
    ARENA_AUTO a = ARENA_INIT;
    static const char *const dns[] = {"kubernetes", "api.example.org", NULL}, *const ips[] = {"10.0.0.9", "fd00::9", NULL};
    char *cert, *key;
    T_OK(tls_cert_make(&(struct tls_cert_request){.common_name = "s", .dns_names = dns, .ip_addresses = ips, .for_server = true, .not_after = 4000000000 * NSEC_PER_SEC}, NULL, NULL, &cert, &key, NULL) == 0);
    static const struct {
        const char *name;
        bool is_ip, reserved;
    } cases[] = {
        {"n1", false, false},           {"n1.example.org", false, false}, {"kubernetes", false, true},  {"KuberneteS", false, true},   {"API.example.org", false, true},
        {"a.default.svc", false, true}, {"a.b.SVC.local", false, true},   {"*.example.org", false, true}, {"n1.", false, true},         {"n1.svcs", false, false},
        {"10.0.0.9", true, true},       {"fd00:0::9", true, true},        {"10.0.0.8", true, false},    {"fd00::8", true, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tls_csr asked = {.dns_names = {STR_INIT("w1"), str_of(cases[i].name)}, .ndns_names = cases[i].is_ip ? 1 : 2, .ip_addresses = {str_of(cases[i].name)},
                                .nip_addresses = cases[i].is_ip};
        T_EQ_STR(csr_serving_reserved(&a, &asked, cert), cases[i].reserved ? cases[i].name : "");
    }
    struct tls_csr service = {.dns_names = {STR_INIT("kubernetes.default.svc")}, .ndns_names = 1};
    T_OK(csr_serving_reserved(&a, &service, NULL).len);
    free(cert);
    free(key);
}

TEST(older_requests_are_looked_at_less)
{
    ARENA_AUTO a = ARENA_INIT;
    nsec_t made;
    struct json obj = parse(&a, "{'metadata':{'creationTimestamp':'2026-01-02T00:00:00Z'}}"), bad = parse(&a, "{}");
    civil_parse(S("2026-01-02T00:00:00Z"), &made);
    T_EQ_INT(csr_patience(&obj, made), CSR_PATIENCE_MIN_NS);
    T_EQ_INT(csr_patience(&obj, made - 100 * NSEC_PER_SEC), CSR_PATIENCE_MIN_NS);
    T_EQ_INT(csr_patience(&obj, made + 40 * NSEC_PER_SEC), 10 * NSEC_PER_SEC);
    T_EQ_INT(csr_patience(&obj, made + 40000 * NSEC_PER_SEC), CSR_PATIENCE_MAX_NS);
    T_EQ_INT(csr_patience(&bad, made), CSR_PATIENCE_MIN_NS);
}

TEST(terms_are_the_signers)
{
    ARENA_AUTO a = ARENA_INIT;
    const nsec_t now = 1700000000 * NSEC_PER_SEC, hour = 3600 * NSEC_PER_SEC;
    struct json serving = parse(&a, "{'spec':{'signerName':'" CSR_KUBELET_SERVING "','expirationSeconds':3600}}"), client = parse(&a, "{'spec':{'signerName':'" CSR_CLIENT "','expirationSeconds':999999999}}");
    struct tls_cert_request t = csr_terms(&serving, now, now + 100000 * hour);
    T_OK(t.for_server && !t.for_client && !t.is_ca && t.not_before < now);
    T_EQ_INT(t.not_after, now + hour);
    t = csr_terms(&client, now, now + 100000 * hour);
    T_OK(t.for_client && !t.for_server);
    T_EQ_INT(t.not_after, now + CSR_LIFE_NS);
    T_EQ_INT(csr_terms(&client, now, now + hour).not_after, now + hour);
    T_EQ_STR(csr_domain(&client), "");
    struct json joins = json_literal(&a, "{\"spec\":{\"signerName\":\"" CSR_KUBELET_CLIENT "\",\"groups\":[\"system:bootstrappers\",\"system:bootstrappers:domain:alice\"]}}"),
                renews = json_literal(&a, "{\"spec\":{\"signerName\":\"" CSR_KUBELET_CLIENT "\",\"groups\":[\"kuscia:domain:bob\",\"system:nodes\"]}}"),
                person = json_literal(&a, "{\"spec\":{\"signerName\":\"" CSR_CLIENT "\",\"groups\":[\"kuscia:domain:bob\"]}}");
    T_EQ_STR(csr_domain(&joins), "alice");
    T_EQ_STR(csr_domain(&renews), "bob");
    T_EQ_STR(csr_domain(&person), "");
}

TEST(requests_go_when_they_are_of_no_use)
{
    ARENA_AUTO a = ARENA_INIT;
    nsec_t made, decided;
    struct json pending = parse(&a, "{'metadata':{'creationTimestamp':'2026-01-02T00:00:00Z'}}"),
                done = parse(&a, "{'metadata':{'creationTimestamp':'2026-01-02T00:00:00Z'},'status':{'conditions':[{'type':'Approved','lastUpdateTime':'2026-01-03T00:00:00Z'}]}}");
    civil_parse(S("2026-01-02T00:00:00Z"), &made);
    civil_parse(S("2026-01-03T00:00:00Z"), &decided);
    T_EQ_INT(csr_kept_until(&pending, 0), made + CSR_PENDING_KEPT_NS);
    T_EQ_INT(csr_kept_until(&done, 0), decided + CSR_APPROVED_KEPT_NS);
    T_EQ_INT(csr_kept_until(&done, decided + 7), decided + 7);
}

TEST_MAIN(kinds_of_requests, what_was_decided, serving_names_are_the_nodes_own, names_that_are_no_nodes, older_requests_are_looked_at_less, terms_are_the_signers, requests_go_when_they_are_of_no_use)
