/* certificates.c - CertificateSigningRequests: nodes' own are approved, approved ones are signed, old ones go.
 *
 *   request ─► read again ─► not decided: what is it? ─► a node's client: may its user? (SubjectAccessReview) ─┐
 *                 │                                   └► a node's server: has the Node these names? ────────────┴─► approval
 *                 ├─► approved, ours, no certificate: sign ─► status
 *                 └─► else wait for its time to go
 * A token of a domain is for one machine: the first request that is approved for it writes its node at the token's Secret.
 * A serving request often comes a moment before its Node has addresses: it is looked at again for as long as it is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "base/log.h"
#include "controllers/certificates_plan.h"
#include "controllers/controller.h"
#include "controllers/workloads.h"
#include "wire/base64.h"
#include "wire/json_make.h"

#define PATH "/apis/certificates.k8s.io/v1/certificatesigningrequests"

struct run {
    struct json obj;
    struct tls_csr asked;
    bool is_readable;
    struct csr_state st;
    const char *pem;
};

static str path_of(struct job *j, const char *sub)
{
    struct strbuf b = strbuf_on(&j->arena);
    strbuf_add_str(&b, S(PATH "/"));
    resource_path_segment(&b, j->key);
    strbuf_addf(&b, "%s", sub);
    return strbuf_str(&b);
}

static void ended(struct job *j)
{
    job_end_status(j);
}

/* --- keeping ------------------------------------------------------------------------------------------- */

static void wait_or_remove(struct job *j)
{
    struct run *r = j->state;
    str cert, text = json_get_str(json_get(&r->obj, S("status")), S("certificate"));
    nsec_t until = 0, now = clock_wall(j->c->opts->clock);
    if (text.len && base64_decode(&j->arena, BASE64_STD, text, &cert, NULL) == 0 && tls_cert_not_after(arena_cstr(&j->arena, cert), &until, NULL) < 0)
        until = 0;
    nsec_t left = csr_kept_until(&r->obj, until) - now;
    if (left > 0) {
        job_end_after(j, left);
        return;
    }
    const struct json *meta = json_get(&r->obj, S("metadata"));
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    json_set(&j->arena, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
    job_call(j, S("DELETE"), path_of(j, ""), &options, ended);
}

/* --- writing ------------------------------------------------------------------------------------------- */

static void add_condition(struct job *j, struct json *obj, const char *type, str reason, str message)
{
    condition_set(&j->arena, j->c->opts->clock, obj, type, true, reason, message);
    struct json *list = json_path(obj, "status", "conditions", NULL);
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            json_set(&j->arena, &list->items[i], S("lastUpdateTime"), json_string(now_text(&j->arena, j->c->opts->clock)));
}

static void approve(struct job *j, const char *message)
{
    struct run *r = j->state;
    add_condition(j, &r->obj, "Approved", S("AutoApproved"), str_of(message));
    job_call(j, S("PUT"), path_of(j, "/approval"), &r->obj, ended);
}

static void sign(struct job *j)
{
    struct run *r = j->state;
    const struct controllers_opts *o = j->c->opts;
    struct err err = ERR_NONE;
    char *cert = NULL;
    nsec_t ca_until = 0;
    str why = S("the request cannot be read");
    bool fits = r->is_readable && csr_fits_signer(&j->arena, &r->obj, &r->asked, &why);
    if (fits && tls_cert_not_after(o->root_ca_pem, &ca_until, &err) == 0) {
        struct tls_cert_request terms = csr_terms(&r->obj, clock_wall(o->clock), ca_until);
        str domain = csr_domain(&r->obj);
        const char *const groups[] = {arena_cstr(&j->arena, arena_fmt(&j->arena, CSR_DOMAIN_GROUP STR_FMT, STR_ARG(domain))), NULL};
        terms.organizations = domain.len ? groups : NULL;
        fits = tls_csr_sign(r->pem, &terms, o->root_ca_pem, o->root_ca_key_pem, &cert, &err) == 0;
        why = fits ? S("") : arena_str(&j->arena, str_of(err.msg));
    }
    if (cert)
        json_set(&j->arena, json_ensure_object(&j->arena, &r->obj, S("status")), S("certificate"), json_string(base64_encode(&j->arena, BASE64_STD, str_of(cert))));
    else
        add_condition(j, &r->obj, "Failed", S("SignerValidationFailure"), why);
    free(cert);
    job_call(j, S("PUT"), path_of(j, "/status"), &r->obj, ended);
}

/* --- deciding ------------------------------------------------------------------------------------------- */

static void allow(struct job *j)
{
    struct run *r = j->state;
    approve(j, r->st.kind == CSR_SELF_NODE_CLIENT ? "A node renews its own client certificate." : "A node joins with credentials that allow it.");
}

/* --- a domain's token is for one machine ------------------------------------------------------------------ */

#define SHOWN_NS (5 * NSEC_PER_SEC)   /* how long it is waited for the controller of Domains, which may not run */
#define LOOK_NS (50 * NSEC_PER_MSEC)
#define USED_BY "kuscia.secretflow/used-by" /* at the token's Secret: the node that got the first certificate for it */

static str token_id(const struct run *r) /* "": it asks with a certificate */
{
    return str_has_prefix(r->st.user, S("system:bootstrap:")) ? str_from(r->st.user, strlen("system:bootstrap:")) : S("");
}

static str token_secret_path(struct job *j)
{
    str id = token_id(j->state);
    return id.len ? arena_fmt(&j->arena, "/api/v1/namespaces/kube-system/secrets/bootstrap-token-" STR_FMT, STR_ARG(id)) : id;
}

static void deny(struct job *j, str message)
{
    struct run *r = j->state;
    add_condition(j, &r->obj, "Denied", S("TokenUsed"), message);
    job_call(j, S("PUT"), path_of(j, "/approval"), &r->obj, ended);
}

static bool shows_as_unused(const struct json *domain, str token_id)
{
    const struct json *list = json_path(domain, "status", "deployTokenStatuses", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("state")), "unused") && str_has_prefix(json_get_str(&list->items[i], S("token")), token_id))
            return true;
    return false;
}

/* Whoever reads the status after a machine has joined is to find a token there that is good. */
static void got_domain(struct job *j)
{
    struct run *r = j->state;
    nsec_t made, age = civil_parse(json_get_str(json_get(&r->obj, S("metadata")), S("creationTimestamp")), &made) ? clock_wall(j->c->opts->clock) - made : 0;
    if (job_ok(j) && age < SHOWN_NS && shows_as_unused(&j->answer, token_id(r)))
        job_end_after(j, LOOK_NS);
    else
        allow(j);
}

static void ask_domain(struct job *j)
{
    struct run *r = j->state;
    job_call(j, S("GET"), resource_path(&j->arena, &(struct resource){.group = S("kuscia.secretflow"), .version = S("v1alpha1"), .plural = S("domains")}, S(""), csr_domain(&r->obj)), NULL, got_domain);
}

static void claimed(struct job *j)
{
    if (job_ok(j))
        ask_domain(j);
    else
        job_end(j, WORK_RETRY); /* another request came first: read again */
}

/* The same machine may ask again, as long as the token lives: it may have been killed before it had its certificate. */
static void got_token(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    str by = json_get_str(json_get(meta, S("annotations")), S(USED_BY));
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
    } else if (job_not_found(j)) { /* it has ended, was taken back, or the Domain went or became a partner since */
        deny(j, arena_fmt(a, "the token that the request was made with is over: the status of the Domain \"" STR_FMT "\" has the one that is good", STR_ARG(csr_domain(&r->obj))));
    } else if (str_eq(by, r->st.node)) {
        ask_domain(j);
    } else if (by.len) {
        deny(j, arena_fmt(a, "node \"" STR_FMT "\" has used the token, and each is for one machine: the status of the Domain \"" STR_FMT "\" has the next one", STR_ARG(by), STR_ARG(csr_domain(&r->obj))));
    } else {
        struct json patch = json_make(a, "{\"metadata\":{\"resourceVersion\":%S,\"annotations\":{\"" USED_BY "\":%S}}}", json_get_str(meta, S("resourceVersion")), r->st.node);
        job_call(j, S("PATCH"), token_secret_path(j), &patch, claimed);
    }
}

static void claim_token(struct job *j)
{
    str path = token_secret_path(j);
    if (path.len)
        job_call(j, S("GET"), path, NULL, got_token);
    else
        allow(j); /* a node that renews */
}

/* Whoever joins a domain does so under a name that nobody has, or that is the domain's already. */
static void got_namesake(struct job *j)
{
    struct run *r = j->state;
    str of = json_get_str(json_path(&j->answer, "metadata", "labels", NULL), S("kuscia.secretflow/namespace"));
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
    } else if (job_ok(j) && !str_eq(of, csr_domain(&r->obj))) {
        log_warn("a machine of a domain asks for a certificate of a node that is not the domain's: a person has to approve it", KV("request", STR_FMT, STR_ARG(j->key)), KV("node", STR_FMT, STR_ARG(r->st.node)));
        wait_or_remove(j);
    } else {
        claim_token(j);
    }
}

static void ask_node(struct job *j, void (*then)(struct job *j))
{
    const struct run *r = j->state;
    job_call(j, S("GET"), resource_path(&j->arena, &(struct resource){.group = S(""), .version = S("v1"), .plural = S("nodes")}, S(""), r->st.node), NULL, then);
}

static void got_review(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j))
        job_end(j, WORK_RETRY);
    else if (json_get_bool(json_get(&j->answer, S("status")), S("allowed"), false) && csr_domain(&r->obj).len)
        ask_node(j, got_namesake);
    else if (json_get_bool(json_get(&j->answer, S("status")), S("allowed"), false))
        allow(j);
    else
        wait_or_remove(j); /* a person may still approve it */
}

static void ask_review(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *spec = json_get(&r->obj, S("spec"));
    struct json review = json_literal(a, "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"spec\":{\"resourceAttributes\":{\"group\":\"certificates.k8s.io\","
                                         "\"version\":\"*\",\"resource\":\"certificatesigningrequests\",\"verb\":\"create\"}}}");
    struct json *rs = json_get(&review, S("spec"));
    json_set(a, json_get(rs, S("resourceAttributes")), S("subresource"), json_string(r->st.kind == CSR_SELF_NODE_CLIENT ? S("selfnodeclient") : S("nodeclient")));
    json_set(a, rs, S("user"), json_string(r->st.user));
    if (json_get(spec, S("groups")))
        json_set(a, rs, S("groups"), *json_get(spec, S("groups")));
    job_call(j, S("POST"), S("/apis/authorization.k8s.io/v1/subjectaccessreviews"), &review, got_review);
}

/* A name that is another node's, though this one says it is its own; "" none.  Names of nodes are in lower case, those in certificates mean the same in any. */
static str name_of_another(struct job *j)
{
    const struct run *r = j->state;
    for (size_t i = 0; i < r->asked.ndns_names; i++) {
        str name = csr_name_lower(&j->arena, r->asked.dns_names[i]);
        if (!str_eq(name, r->st.node) && object_cache_find(&workloads_of(j->c)->objects[WORKLOAD_NODE], name))
            return r->asked.dns_names[i];
    }
    return S("");
}

static void got_node(struct job *j)
{
    struct run *r = j->state;
    nsec_t now = clock_wall(j->c->opts->clock);
    str reserved = csr_serving_reserved(&j->arena, &r->asked, j->c->opts->server_cert_pem);
    reserved = reserved.len ? reserved : name_of_another(j);
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
    } else if (reserved.len) { /* whoever has such a certificate can pass for another than a node */
        log_warn("a node asks for a certificate of a name that is not a node's: a person has to approve it", KV("request", STR_FMT, STR_ARG(j->key)), KV("name", STR_FMT, STR_ARG(reserved)));
        wait_or_remove(j);
    } else if (job_ok(j) && csr_serving_fits(&r->asked, r->st.node, &j->answer)) {
        approve(j, "The names are those of the node that asks.");
    } else if (csr_kept_until(&r->obj, 0) > now) {
        job_end_after(j, csr_patience(&r->obj, now));
    } else {
        wait_or_remove(j);
    }
}

static void got_request(struct job *j)
{
    struct run *r = j->state;
    str pem;
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    r->obj = j->answer;
    if (base64_decode(&j->arena, BASE64_STD, json_get_str(json_get(&r->obj, S("spec")), S("request")), &pem, NULL) == 0) {
        r->pem = arena_cstr(&j->arena, pem);
        r->is_readable = tls_csr_parse(&j->arena, r->pem, &r->asked, NULL) == 0;
    }
    r->st = csr_state_of(&r->obj, r->is_readable ? &r->asked : NULL);
    if (r->st.denied || r->st.failed || r->st.issued)
        wait_or_remove(j);
    else if (r->st.approved && csr_signer_is_ours(r->st.signer) && j->c->opts->root_ca_key_pem)
        sign(j);
    else if (r->st.approved || r->st.kind == CSR_FOREIGN)
        wait_or_remove(j);
    else if (r->st.kind == CSR_NODE_SERVING)
        ask_node(j, got_node);
    else
        ask_review(j);
}

static void reconcile(struct job *j)
{
    j->state = arena_new(&j->arena, struct run);
    job_call(j, S("GET"), path_of(j, ""), NULL, got_request);
}

static void on_request(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED)
        controller_enqueue(c, ev);
}

const struct controller_type controller_certificates = {
    .name = "certificates",
    .parallel = 8,
    .watches = {{.group = "certificates.k8s.io", .plural = "certificatesigningrequests", .event = on_request}},
    .reconcile = reconcile,
};
