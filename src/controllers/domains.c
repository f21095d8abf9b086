/* domains.c - a Domain is an institution: its namespace with quota and rights, the token its nodes join with, and how its nodes are.
 *
 *   Domain alice ─► namespace alice (labels), ConfigMap domain-config, ResourceQuota resource-limitation, Role and RoleBinding `domain`
 *               ─► bootstrap token of the group system:bootstrappers:domain:alice; a machine that joins with it gets a certificate of the group kuscia:domain:alice (certificates.c),
 *                  and the API server labels and taints its Node for alice (apiserver/node_restriction.c)
 *   nodes with the label kuscia.secretflow/namespace=alice ─► status.nodeStatuses
 *
 * There is always one unused token in the status.  One that a certificate was asked for with is `used`: it goes a while later, when the machine has its certificate, and the next one is made.
 * A domain that is deleted leaves its namespace, labelled: what an institution has is not thrown away by one command. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/domain_nodes.h"
#include "controllers/kuscia.h"
#include "rt/tls.h"
#include "wire/base64.h"

#define GROUP "kuscia:domain:"
#define JOINS "system:bootstrappers:domain:"
#define BOOTSTRAP_USER "system:bootstrap:"
#define CSRS "/apis/certificates.k8s.io/v1/certificatesigningrequests"
#define RBAC "/apis/rbac.authorization.k8s.io/v1"
#define USED_TOKEN_NS (600 * NSEC_PER_SEC)
#define QUIET_NS (200 * NSEC_PER_MSEC)
enum { ID_LEN = 6, SECRET_LEN = 16 };

struct run {
    struct json domain;
    const struct json *spec;
    bool is_partner;
    struct json tokens, nodes; /* of the status to be */
    str fresh;                 /* a token whose Secret is to be made; "" none */
    str unused, since;         /* the token that the status shows, and since when; "" none */
    str used, used_since;
    str spent;                 /* id of one that was used just now; "" none */
    const struct json *requests;
    bool early;                /* not all nodes are known yet */
};

static void ended(struct job *j)
{
    job_end_status(j);
}

/* --- status ------------------------------------------------------------------------------------------------------------------------------- */

static void wrote_status(struct job *j)
{
    const struct run *r = j->state;
    if (job_ok(j) && r->early)
        job_end_after(j, QUIET_NS);
    else
        job_end_status(j);
}

static bool same_but_heartbeats(struct arena *a, const struct json *have, const struct json *want, nsec_t *ret_behind)
{
    struct json x = have ? json_copy(a, have) : json_array(), y = json_copy(a, want);
    *ret_behind = 0;
    for (uint32_t i = 0; json_is(&x, JSON_ARRAY) && i < x.len && i < y.len; i++) {
        nsec_t was = 0, is = 0;
        civil_parse(json_get_str(&x.items[i], S("lastHeartbeatTime")), &was);
        civil_parse(json_get_str(&y.items[i], S("lastHeartbeatTime")), &is);
        *ret_behind = MAX(*ret_behind, is - was);
    }
    for (uint32_t i = 0; json_is(&x, JSON_ARRAY) && i < x.len; i++)
        json_del(&x.items[i], S("lastHeartbeatTime"));
    for (uint32_t i = 0; i < y.len; i++)
        json_del(&y.items[i], S("lastHeartbeatTime"));
    return json_equal(&x, &y);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *status = json_get(&r->domain, S("status")), *tokens = json_get(status, S("deployTokenStatuses"));
    struct json none = json_array();
    nsec_t behind;
    bool same = json_equal(tokens ? tokens : &none, &r->tokens) && same_but_heartbeats(a, json_get(status, S("nodeStatuses")), &r->nodes, &behind) && behind < DOMAIN_HEARTBEAT_NS;
    if (same) {
        j->status = 200;
        wrote_status(j);
        return;
    }
    struct json patch = patch_of(a, &r->domain), *st = json_ensure_object(a, &patch, S("status"));
    json_set(a, st, S("deployTokenStatuses"), r->tokens);
    json_set(a, st, S("nodeStatuses"), r->nodes);
    job_call(j, S("PATCH"), kuscia_path(a, "domains", S(""), j->key, "/status"), &patch, wrote_status);
}

static struct json node_status(struct arena *a, const struct json *node)
{
    const struct json *list = json_path(node, "status", "conditions", NULL), *ready = NULL;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            ready = &list->items[i];
    struct json st = json_make(a, "{\"name\":%S,\"version\":%S,\"status\":%s}", json_get_str(json_get(node, S("metadata")), S("name")),
                               json_get_str(json_path(node, "status", "nodeInfo", NULL), S("kubeletVersion")), str_is(json_get_str(ready, S("status")), "True") ? "Ready" : "NotReady");
    static const str times[] = {STR_INIT("lastHeartbeatTime"), STR_INIT("lastTransitionTime")};
    for (size_t i = 0; i < ARRAY_LEN(times); i++)
        if (json_get_str(ready, times[i]).len)
            json_set(a, &st, times[i], json_string(json_get_str(ready, times[i])));
    return st;
}

static void show_nodes(struct job *j)
{
    struct run *r = j->state;
    struct domain_nodes *nodes = j->c->state;
    const struct json *shown = json_path(&r->domain, "status", "nodeStatuses", NULL);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->early = !nodes->is_complete;
    if (!r->early)
        r->nodes = domain_nodes_list(nodes, &j->arena, j->key);
    else if (json_is(shown, JSON_ARRAY)) /* a server that has just started does not take back what it said */
        r->nodes = *shown;
    write_status(j);
}

/* --- tokens --------------------------------------------------------------------------------------------------------------------------------- */

static void random_text(char *out, size_t n)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz012345"; /* 32 of them: each byte chooses fairly */
    unsigned char bytes[SECRET_LEN];
    tls_random(bytes, n);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[bytes[i] % 32];
    out[n] = 0;
}

/* What a status says may be anybody's words. */
static bool is_token(str token)
{
    bool fits = token.len == ID_LEN + 1 + SECRET_LEN;
    for (size_t i = 0; fits && i < token.len; i++)
        fits = i == ID_LEN ? token.p[i] == '.' : (token.p[i] >= 'a' && token.p[i] <= 'z') || (token.p[i] >= '0' && token.p[i] <= '9');
    return fits;
}

static str token_id(str token)
{
    return str_sub(token, 0, ID_LEN);
}

static str secret_name(struct job *j, str token)
{
    return arena_fmt(&j->arena, "bootstrap-token-" STR_FMT, STR_ARG(token_id(token)));
}

/* The Secret comes first: what the status shows works. */
static void make_secret(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (!r->fresh.len) {
        j->status = 200;
        show_nodes(j);
        return;
    }
    struct json secret = json_make(&j->arena,
                                   "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":%S,\"namespace\":\"kube-system\",\"labels\":{\"" KUSCIA("domain-name") "\":%S},"
                                   "\"ownerReferences\":[{\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"kind\":\"Domain\",\"name\":%S,\"uid\":%S}]},"
                                   "\"type\":\"bootstrap.kubernetes.io/token\",\"stringData\":{\"token-id\":%S,\"token-secret\":%S,\"usage-bootstrap-authentication\":\"true\","
                                   "\"auth-extra-groups\":%S,\"description\":%S}}",
                                   secret_name(j, r->fresh), j->key, j->key, json_get_str(json_get(&r->domain, S("metadata")), S("uid")), token_id(r->fresh), str_from(r->fresh, ID_LEN + 1), arena_fmt(&j->arena, JOINS STR_FMT, STR_ARG(j->key)),
                                   arena_fmt(&j->arena, "Nodes of domain " STR_FMT " join with it.", STR_ARG(j->key)));
    job_call(j, S("POST"), S("/api/v1/namespaces/kube-system/secrets"), &secret, show_nodes);
}

/* The machine still asks for its certificate with it. */
static void spend_secret(struct job *j)
{
    struct run *r = j->state;
    char until[CIVIL_TIME_LEN + 1];
    if (!r->spent.len) {
        j->status = 200;
        make_secret(j);
        return;
    }
    civil_format(clock_wall(j->c->opts->clock) + USED_TOKEN_NS, until);
    struct json patch = json_make(&j->arena, "{\"stringData\":{\"expiration\":%s}}", until);
    job_call(j, S("PATCH"), core_path(&j->arena, "secrets", S("kube-system"), secret_name(j, r->spent)), &patch, make_secret);
}

static bool was_used(struct arena *a, const struct json *requests, str token)
{
    str user = arena_fmt(a, BOOTSTRAP_USER STR_FMT, STR_ARG(token_id(token)));
    for (uint32_t i = 0; json_is(requests, JSON_ARRAY) && i < requests->len; i++)
        if (str_eq(json_get_str(json_get(&requests->items[i], S("spec")), S("username")), user))
            return true;
    return false;
}

static struct json token_status(struct job *j, str token, const char *state, str since)
{
    return json_make(&j->arena, "{\"token\":%S,\"state\":%s,\"lastTransitionTime\":%S}", token, state, since.len ? since : now_text(&j->arena, j->c->opts->clock));
}

static void have_token(struct job *j, str unused, str since)
{
    struct run *r = j->state;
    json_push(&j->arena, &r->tokens, token_status(j, unused, "unused", since));
    if (r->used.len)
        json_push(&j->arena, &r->tokens, token_status(j, r->used, "used", r->used_since));
    j->status = 200;
    spend_secret(j);
}

/* "" where the Secret's time is counted, it is of a Domain that had this name before, or it is no token. */
static str token_of(struct arena *a, const struct run *r, const struct json *secret)
{
    const struct json *data = json_get(secret, S("data")), *owners = json_path(secret, "metadata", "ownerReferences", NULL);
    str id, key, uid = json_get_str(json_get(&r->domain, S("metadata")), S("uid"));
    if (!json_is(owners, JSON_ARRAY) || !owners->len || !str_eq(json_get_str(&owners->items[0], S("uid")), uid) || json_get(data, S("expiration")) || base64_decode(a, BASE64_STD, json_get_str(data, S("token-id")), &id, NULL) < 0 ||
        base64_decode(a, BASE64_STD, json_get_str(data, S("token-secret")), &key, NULL) < 0)
        return S("");
    return arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(id), STR_ARG(key));
}

/* One that was made and came into no status, as whoever made it was killed between the two, is the next one: nobody else would ever take it away. */
static void got_secrets(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *items = json_get(&j->answer, S("items"));
    char text[ID_LEN + 1 + SECRET_LEN + 1];
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        str known = token_of(a, r, &items->items[i]);
        if (is_token(known) && !str_eq(known, r->used) && !was_used(a, r->requests, known)) {
            have_token(j, known, S(""));
            return;
        }
    }
    random_text(text, ID_LEN);
    random_text(text + ID_LEN + 1, SECRET_LEN);
    text[ID_LEN] = '.';
    r->fresh = arena_str(a, str_of(text));
    have_token(j, r->fresh, S(""));
}

static str secrets_of(struct job *j)
{
    return arena_fmt(&j->arena, "/api/v1/namespaces/kube-system/secrets?labelSelector=kuscia.secretflow%%2Fdomain-name%%3D" STR_FMT, STR_ARG(j->key));
}

static void look_for_token(struct job *j)
{
    job_call(j, S("GET"), secrets_of(j), NULL, got_secrets);
}

/* Somebody removed it, or wrote a token into the status that is none of this domain: nobody could join with what is shown. */
static void got_secret(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && !job_not_found(j))
        job_end(j, WORK_RETRY);
    else if (!job_ok(j) || !str_eq(json_get_str(json_path(&j->answer, "metadata", "labels", NULL), S(KUSCIA("domain-name"))), j->key))
        look_for_token(j);
    else
        have_token(j, r->unused, r->since);
}

/* One that is unused, and the last one that was used. */
static void got_requests(struct job *j)
{
    struct run *r = j->state;
    const struct json *list = json_path(&r->domain, "status", "deployTokenStatuses", NULL);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->requests = json_get(&j->answer, S("items"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        bool is_used = str_is(json_get_str(&list->items[i], S("state")), "used");
        *(is_used ? &r->used : &r->unused) = json_get_str(&list->items[i], S("token"));
        *(is_used ? &r->used_since : &r->since) = json_get_str(&list->items[i], S("lastTransitionTime"));
    }
    if (!is_token(r->unused))
        r->unused = S("");
    if (r->unused.len && was_used(&j->arena, r->requests, r->unused)) {
        r->spent = r->used = r->unused;
        r->used_since = r->unused = S("");
    }
    if (r->unused.len)
        job_call(j, S("GET"), core_path(&j->arena, "secrets", S("kube-system"), secret_name(j, r->unused)), NULL, got_secret);
    else
        look_for_token(j);
}

static void list_requests(struct job *j)
{
    struct run *r = j->state;
    const struct json *tokens = json_path(&r->domain, "status", "deployTokenStatuses", NULL);
    if (!job_ok(j))
        job_end(j, WORK_RETRY);
    else if (!r->is_partner)
        job_call(j, S("GET"), S(CSRS), NULL, got_requests);
    else /* it may not have been one before: nobody joins it any more */
        job_call(j, S("DELETE"), secrets_of(j), NULL, json_is(tokens, JSON_ARRAY) && tokens->len ? show_nodes : job_end_status);
}

/* --- what a domain has ------------------------------------------------------------------------------------------------------------------------ */

/* What people and programs of the institution see: the whole of its own namespace as far as it concerns its tasks and data, nothing of other domains'. */
static const char role_rules[] =
    "[{\"apiGroups\":[\"\"],\"resources\":[\"pods\",\"pods/log\",\"pods/explain\",\"services\",\"endpoints\",\"configmaps\",\"events\",\"resourcequotas\"],\"verbs\":[\"get\",\"list\",\"watch\"]},"
    "{\"apiGroups\":[\"kuscia.secretflow\"],\"resources\":[\"taskresources\",\"domainroutes\",\"gateways\",\"domaindatas\",\"domaindatasources\",\"domaindatagrants\"],"
    "\"verbs\":[\"get\",\"list\",\"watch\"]},"
    "{\"apiGroups\":[\"metrics.k8s.io\"],\"resources\":[\"pods\"],\"verbs\":[\"get\",\"list\"]},"
    "{\"apiGroups\":[\"kuscia.secretflow\"],\"resources\":[\"kusciajobs\"],\"verbs\":[\"approve\",\"command\"]}," /* in its name: apiserver/domain_rights.h */
    "{\"apiGroups\":[\"apps\"],\"resources\":[\"deployments\",\"replicasets\"],\"verbs\":[\"get\",\"list\",\"watch\"]},"
    "{\"apiGroups\":[\"kuscia.secretflow\"],\"resources\":[\"domaindatas\",\"domaindatasources\",\"domaindatagrants\"],\"verbs\":[\"create\",\"delete\",\"patch\",\"update\"]}]";

static const char jobs_namespace[] = "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" KUSCIA_NS "\"}}";

/* Two of its labels are there only while the Domain says so. */
static struct ensure namespace_of(struct job *j, const struct run *r)
{
    struct arena *a = &j->arena;
    const struct json *protocols = json_get(r->spec, S("interConnProtocols"));
    bool has_protocol = json_is(protocols, JSON_ARRAY) && protocols->len;
    struct json ns = json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":%S,\"labels\":{\"" KUSCIA("domain-name") "\":%S,\"" KUSCIA("deleted") "\":\"false\"}}}", j->key, j->key);
    struct json *labels = json_path(&ns, "metadata", "labels", NULL);
    if (r->is_partner)
        json_set(a, labels, S(KUSCIA("role")), json_string(S("partner")));
    if (has_protocol)
        json_set(a, labels, S(KUSCIA("interconn-protocols")), protocols->items[0]);
    static const char *const owned[2][2] = {{"labels|-" KUSCIA("role") "|-" KUSCIA("interconn-protocols"), "labels|-" KUSCIA("role")}, {"labels|-" KUSCIA("interconn-protocols"), "labels"}};
    return (struct ensure){S("/api/v1/namespaces"), j->key, ns, owned[r->is_partner][has_protocol]};
}

static size_t wanted(struct job *j, const struct run *r, struct ensure *list)
{
    struct arena *a = &j->arena;
    str rbac = arena_fmt(a, RBAC "/namespaces/" STR_FMT, STR_ARG(j->key));
    const struct json *most = json_path(r->spec, "resourceQuota", "podMaxCount", NULL);
    struct json rules = json_literal(a, role_rules);
    size_t n = 0;
    list[n++] = (struct ensure){S("/api/v1/namespaces"), S(KUSCIA_NS), json_literal(a, jobs_namespace), NULL};
    list[n++] = namespace_of(j, r);
    list[n++] = (struct ensure){arena_fmt(a, STR_FMT "/roles", STR_ARG(rbac)), S("domain"),
                                json_make(a, "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"Role\",\"metadata\":{\"name\":\"domain\"},\"rules\":%j}", &rules), "rules"};
    list[n++] = (struct ensure){arena_fmt(a, STR_FMT "/rolebindings", STR_ARG(rbac)), S("domain"),
                                json_make(a, "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":{\"name\":\"domain\"},"
                                             "\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"domain\"},"
                                             "\"subjects\":[{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"Group\",\"name\":%S}]}", arena_fmt(a, GROUP STR_FMT, STR_ARG(j->key))), "subjects"};
    if (r->is_partner)
        return n;
    list[n++] = (struct ensure){core_path(a, "configmaps", j->key, S("")), S("domain-config"),
                                json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"domain-config\",\"labels\":{\"" KUSCIA("domain-name") "\":%S}}}", j->key), NULL};
    list[n++] = (struct ensure){kuscia_path(a, "domaindatasources", j->key, S(""), ""), S("default-data-source"),
                                json_literal(a, "{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"DomainDataSource\",\"metadata\":{\"name\":\"default-data-source\"},"
                                                "\"spec\":{\"name\":\"default-data-source\",\"type\":\"localfs\",\"uri\":\"var/storage/data\"}}"), NULL};
    if (json_is(most, JSON_NUMBER))
        list[n++] = (struct ensure){core_path(a, "resourcequotas", j->key, S("")), S("resource-limitation"),
                                    json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuota\",\"metadata\":{\"name\":\"resource-limitation\",\"labels\":{\"" KUSCIA("domain-name") "\":%S}},"
                                                 "\"spec\":{\"hard\":{\"pods\":%S}}}", j->key, arena_fmt(a, "%lld", (long long)json_get_int(json_get(r->spec, S("resourceQuota")), S("podMaxCount"), 0))),
                                    "spec"};
    return n;
}

static void quota_gone(struct job *j)
{
    if (job_not_found(j))
        j->status = 200;
    list_requests(j);
}

static void content_made(struct job *j)
{
    const struct run *r = j->state;
    bool limited = json_is(json_path(r->spec, "resourceQuota", "podMaxCount", NULL), JSON_NUMBER);
    if (!job_ok(j) || r->is_partner || limited)
        list_requests(j);
    else /* the limit was taken away, or there never was one */
        job_call(j, S("DELETE"), core_path(&j->arena, "resourcequotas", j->key, S("resource-limitation")), NULL, quota_gone);
}

/* --- life --------------------------------------------------------------------------------------------------------------------------------------- */

static void got_namespace_of_gone(struct job *j)
{
    const struct json *labels = json_path(&j->answer, "metadata", "labels", NULL);
    if (!job_ok(j) || !str_eq(json_get_str(labels, S(KUSCIA("domain-name"))), j->key) || str_is(json_get_str(labels, S(KUSCIA("deleted"))), "true")) {
        job_end_status(j);
        return;
    }
    struct json patch = patch_of(&j->arena, &j->answer);
    json_set(&j->arena, json_ensure_object(&j->arena, json_get(&patch, S("metadata")), S("labels")), S(KUSCIA("deleted")), json_string(S("true")));
    job_call(j, S("PATCH"), core_path(&j->arena, "namespaces", S(""), j->key), &patch, ended);
}

static void got_domain(struct job *j)
{
    if (job_not_found(j)) {
        job_call(j, S("GET"), core_path(&j->arena, "namespaces", S(""), j->key), NULL, got_namespace_of_gone);
        return;
    }
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    *r = (struct run){.domain = j->answer, .tokens = json_array(), .nodes = json_array(), .fresh = S(""), .spent = S(""), .unused = S(""), .since = S(""), .used = S(""), .used_since = S("")};
    r->spec = json_get(&r->domain, S("spec"));
    r->is_partner = str_is(json_get_str(r->spec, S("role")), "partner");
    struct ensure *list = arena_array(&j->arena, 8, struct ensure);
    ensure_all(j, list, wanted(j, r, list), content_made);
}

/* --- the namespace of jobs, which all domains share ------------------------------------------------------------------------------------------------ */

static void got_any_domain(struct job *j)
{
    const struct json *items = json_get(&j->answer, S("items"));
    struct json ns = json_literal(&j->arena, jobs_namespace);
    if (!job_ok(j) || !json_is(items, JSON_ARRAY) || !items->len)
        job_end_status(j);
    else
        job_call(j, S("POST"), S("/api/v1/namespaces"), &ns, ended);
}

static void reconcile(struct job *j)
{
    if (str_is(j->key, KUSCIA_NS)) { /* no domain has this name */
        job_call(j, S("GET"), S(KUSCIA_PATH "/domains?limit=1"), NULL, got_any_domain);
        return;
    }
    job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "domains", j->key), NULL, got_domain);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------- */

static void on_domain(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    controller_enqueue(c, ev);
}

/* Somebody changed or removed what a domain has. */
static void on_right(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_LISTED && str_is(informer_event_name(ev), "domain"))
        workqueue_add_after(c->queue, informer_event_ns(ev), QUIET_NS);
}

static void on_content(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str domain = json_get_str(json_get(informer_event_meta(ev), S("labels")), S(KUSCIA("domain-name")));
    if (domain.len && ev->change != INFORMER_LISTED)
        workqueue_add_after(c->queue, domain, QUIET_NS);
    if (ev->change == INFORMER_DELETED && !informer_event_ns(ev).len && str_is(informer_event_name(ev), KUSCIA_NS))
        workqueue_add_after(c->queue, S(KUSCIA_NS), QUIET_NS);
}

static void look_at(void *controller, str domain)
{
    struct controller *c = controller;
    if (domain.len)
        workqueue_add_after(c->queue, domain, QUIET_NS);
}

static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str domain = ev->change == INFORMER_DELETED ? S("") : json_get_str(json_get(informer_event_meta(ev), S("labels")), S(KUSCIA_NODE_LABEL)), news[2];
    struct json row = domain.len ? node_status(ev->arena_, informer_event_object(ev)) : json_null();
    domain_nodes_note(c->state, informer_event_name(ev), domain, &row, news);
    for (size_t i = 0; i < ARRAY_LEN(news); i++)
        look_at(c, news[i]);
}

static void begin_nodes(struct controller *c, const struct resource *r UNUSED)
{
    domain_nodes_begin(c->state);
}

static void end_nodes(struct controller *c, const struct resource *r UNUSED)
{
    domain_nodes_end(c->state, look_at, c);
}

static void on_request(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *groups = json_path(informer_event_object(ev), "spec", "groups", NULL);
    for (uint32_t i = 0; ev->change != INFORMER_DELETED && json_is(groups, JSON_ARRAY) && i < groups->len; i++)
        if (str_has_prefix(json_str(&groups->items[i]), S(JOINS)))
            workqueue_add_after(c->queue, str_from(json_str(&groups->items[i]), sizeof JOINS - 1), QUIET_NS);
}

static void init(struct controller *c)
{
    c->state = xnew(struct domain_nodes);
    domain_nodes_init(c->state);
}

static void fini(struct controller *c)
{
    domain_nodes_fini(c->state);
    free(c->state);
}

const struct controller_type controller_domains = {
    .name = "domains",
    .parallel = 4,
    .watches = {{.group = "kuscia.secretflow", .plural = "domains", .event = on_domain},
                {.group = "", .plural = "namespaces", .event = on_content},
                {.group = "", .plural = "resourcequotas", .event = on_content},
                {.group = "rbac.authorization.k8s.io", .plural = "roles", .event = on_right},
                {.group = "rbac.authorization.k8s.io", .plural = "rolebindings", .event = on_right},
                {.group = "", .plural = "nodes", .event = on_node, .begin = begin_nodes, .synced = end_nodes},
                {.group = "certificates.k8s.io", .plural = "certificatesigningrequests", .event = on_request}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
