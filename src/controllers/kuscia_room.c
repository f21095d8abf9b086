/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_room.h"

#include "api/quantity.h"
#include "base/bandwidth.h"
#include "base/vec.h"
#include "controllers/kuscia.h"

#define AMOUNTS_MAX 48u /* resources of a node or pod that are looked at, as the scheduler does */

struct amount {
    char name[128];
    int64_t n; /* cpu in milli */
};
struct amounts {
    struct amount list[AMOUNTS_MAX];
    size_t len;
    bool is_cut; /* there are more, of which nothing is known */
};
struct node {
    char *name;
    struct domain *domain;
    bool ready;
    struct amounts have;
};
struct domain {
    char *name;
    VEC(struct node *) nodes;
};
struct quota {
    char *key, *ns;
    struct amounts hard, used;
};
struct route {
    char *key, *source, *destination;
    int64_t bits;
};

/* --- amounts -------------------------------------------------------------------------------------------------------------------------------------- */

static struct amount *find(const struct amounts *a, str name)
{
    for (size_t i = 0; i < a->len; i++)
        if (str_is(name, a->list[i].name))
            return (struct amount *)&a->list[i];
    return NULL;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

/* A resource beyond the limit is not looked at: the scheduler does. */
static void put(struct amounts *a, str name, int64_t n)
{
    struct amount *x = find(a, name);
    a->is_cut |= !x && a->len == AMOUNTS_MAX;
    if (!x && (a->len == AMOUNTS_MAX || name.len >= sizeof x->name))
        return;
    if (!x) {
        x = &a->list[a->len++];
        *x = (struct amount){0};
        memcpy(x->name, name.p, name.len);
    }
    x->n = plus(x->n, n);
}

/* Of what is not known there may be any amount. */
static int64_t amount_of(const struct amounts *a, str name)
{
    const struct amount *x = find(a, name);
    return x ? x->n : a->is_cut ? INT64_MAX : 0;
}

static int64_t times(int64_t n, size_t count)
{
    int64_t r;
    return __builtin_mul_overflow(n, (int64_t)count, &r) ? INT64_MAX : r;
}

static int64_t read(str name, const struct json *v)
{
    struct quantity q;
    if (!v || !quantity_parse(json_str(v), &q))
        return 0;
    return str_is(name, "cpu") || str_is(name, "requests.cpu") ? quantity_to_milli(&q) : quantity_to_i64(&q);
}

/* Bandwidth of both ends is one of each, less those that the list names by themselves. */
static void add_list(struct amounts *to, const struct json *list, const struct json *instead)
{
    for (uint32_t i = 0; json_is(list, JSON_OBJECT) && i < list->len; i++) {
        str name = list->members[i].key;
        if (json_get(instead, name))
            continue;
        if (!str_is(name, BANDWIDTH_KUSCIA)) {
            put(to, name, read(name, &list->members[i].value));
            continue;
        }
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            if (!json_get(list, str_of(bandwidth_resource[e])))
                put(to, str_of(bandwidth_resource[e]), times(read(name, &list->members[i].value), BANDWIDTH_MBIT));
    }
}

/* other: the amount that stands beside it. */
static str text_of(struct arena *a, str name, int64_t n, int64_t other)
{
    char bits[BANDWIDTH_TEXT];
    if (str_is(name, "cpu")) {
        struct quantity q = quantity_from_milli(n);
        return arena_fmt(a, STR_FMT " cpu", STR_ARG(quantity_format(a, &q)));
    }
    if (bandwidth_is_resource(name))
        return arena_fmt(a, "%s %s", bandwidth_print_beside(n, other, bits), str_is(name, bandwidth_resource[BANDWIDTH_OUT]) ? "egress bandwidth" : "ingress bandwidth");
    struct quantity q = {.mantissa = n, .format = str_is(name, "memory") || str_is(name, "ephemeral-storage") ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI};
    return arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(quantity_format(a, &q)), STR_ARG(name));
}

/* --- what is seen ------------------------------------------------------------------------------------------------------------------------------------ */

static void node_free(struct node *n)
{
    free(n->name);
    free(n);
}

static void domain_free(struct domain *d)
{
    vec_fini(&d->nodes);
    free(d->name);
    free(d);
}

static struct domain *domain_get(struct kuscia_room *r, str name)
{
    struct domain *d = map_get(&r->domains_, name);
    if (d)
        return d;
    d = xnew(struct domain);
    d->name = str_dup(name);
    map_put(&r->domains_, str_of(d->name), d);
    return d;
}

/* The domain goes with its last node. */
static void node_leave(struct kuscia_room *r, struct node *n)
{
    struct domain *d = n->domain;
    for (size_t i = 0; i < d->nodes.len; i++)
        if (d->nodes.p[i] == n)
            vec_remove_swap(&d->nodes, i--);
    if (!d->nodes.len) {
        map_del(&r->domains_, str_of(d->name));
        domain_free(d);
    }
    node_free(n);
}

static void quota_free(struct quota *q)
{
    free(q->key);
    free(q->ns);
    free(q);
}

static void route_free(struct route *r)
{
    free(r->key);
    free(r->source);
    free(r->destination);
    free(r);
}

void kuscia_room_forget_nodes(struct kuscia_room *r)
{
    map_foreach(e, &r->nodes_)
        node_free(e->value);
    map_foreach(e, &r->domains_)
        domain_free(e->value);
    map_clear(&r->nodes_);
    map_clear(&r->domains_);
}

void kuscia_room_forget_quotas(struct kuscia_room *r)
{
    map_foreach(e, &r->quotas_)
        quota_free(e->value);
    map_clear(&r->quotas_);
}

void kuscia_room_forget_routes(struct kuscia_room *r, bool of_cluster)
{
    struct route *gone[64];
    size_t n;
    do {
        n = 0;
        map_foreach(e, &r->routes_)
            if ((e->key.p[0] == '/') == of_cluster && n < ARRAY_LEN(gone))
                gone[n++] = e->value;
        for (size_t i = 0; i < n; i++) {
            map_del(&r->routes_, str_of(gone[i]->key));
            route_free(gone[i]);
        }
    } while (n);
}

static void forget_routes(struct kuscia_room *r)
{
    map_foreach(e, &r->routes_)
        route_free(e->value);
    map_clear(&r->routes_);
}

void kuscia_room_forget_domains(struct kuscia_room *r)
{
    map_foreach(e, &r->partners_)
        free(e->value);
    map_clear(&r->partners_);
}

void kuscia_room_init(struct kuscia_room *r)
{
    *r = (struct kuscia_room){0};
}

void kuscia_room_fini(struct kuscia_room *r)
{
    kuscia_room_forget_nodes(r);
    kuscia_room_forget_quotas(r);
    kuscia_room_forget_domains(r);
    forget_routes(r);
    map_fini(&r->nodes_);
    map_fini(&r->domains_);
    map_fini(&r->quotas_);
    map_fini(&r->routes_);
    map_fini(&r->partners_);
}

static bool is_ready(const struct json *node)
{
    const struct json *list = json_path(node, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* The larger of what is said and what is reported, times what may be promised besides.  Where bandwidth is lent, what can be promised is less for as long as the
 * machine itself sends: there the capacity counts. */
static void add_notes(struct amounts *have, const struct json *notes, const struct json *capacity)
{
    int64_t said[BANDWIDTH_ENDS] = {0};
    double factor;
    str note = json_get_str(notes, S(BANDWIDTH_CAPACITY));
    if (note.len)
        err_ignore(bandwidth_parse_ends(note, said, NULL), "then it says nothing");
    if (!str_to_double(json_get_str(notes, S("cox.io/bandwidth-overcommit")), &factor) || !(factor > 0 && factor <= 1000))
        factor = 1;
    for (int e = 0; e < BANDWIDTH_ENDS; e++) {
        if (str_is(json_get_str(notes, S(BANDWIDTH_LENDING)), "true"))
            said[e] = MAX(said[e], read(str_of(bandwidth_resource[e]), json_get(capacity, str_of(bandwidth_resource[e]))));
        put(have, str_of(bandwidth_resource[e]), 0);
        struct amount *x = find(have, str_of(bandwidth_resource[e]));
        if (x)
            x->n = (int64_t)((double)MIN(MAX(x->n, said[e]), (int64_t)BANDWIDTH_MAX) * factor);
    }
}

void kuscia_room_node(struct kuscia_room *r, str name, const struct json *obj)
{
    const struct json *allocatable = json_path(obj, "status", "allocatable", NULL), *capacity = json_path(obj, "status", "capacity", NULL);
    str domain = json_get_str(json_path(obj, "metadata", "labels", NULL), S(KUSCIA_NODE_LABEL));
    struct node *n = map_del(&r->nodes_, name);
    if (n)
        node_leave(r, n);
    if (!obj || !domain.len)
        return;
    n = xnew(struct node);
    *n = (struct node){.name = str_dup(name), .domain = domain_get(r, domain), .ready = is_ready(obj)};
    vec_push(&n->domain->nodes, n);
    add_list(&n->have, json_is(allocatable, JSON_OBJECT) ? allocatable : capacity, NULL);
    n->have.is_cut |= !n->have.len; /* its agent has not said yet what it has: it may be anything */
    if (n->have.len)
        add_notes(&n->have, json_path(obj, "metadata", "annotations", NULL), capacity);
    map_put(&r->nodes_, str_of(n->name), n);
}

void kuscia_room_domain(struct kuscia_room *r, str name, const struct json *obj)
{
    free(map_del(&r->partners_, name));
    if (!str_is(json_get_str(json_get(obj, S("spec")), S("role")), "partner"))
        return;
    char *partner = str_dup(name);
    map_put(&r->partners_, str_of(partner), partner);
}

static void add_quota(struct amounts *to, const struct json *list)
{
    for (uint32_t i = 0; json_is(list, JSON_OBJECT) && i < list->len; i++) {
        str of = list->members[i].key;
        int64_t n = read(of, &list->members[i].value);
        of = str_has_prefix(of, S("requests.")) ? str_from(of, 9) : str_is(of, "count/pods") ? S("pods") : of;
        if (!str_is(of, BANDWIDTH_KUSCIA) && !find(to, of)) /* it counts that name alone; the API server does */
            put(to, of, n);
    }
}

void kuscia_room_quota(struct kuscia_room *r, str ns, str name, const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    const struct json *spec = json_get(obj, S("spec")), *scopes = json_get(spec, S("scopes"));
    struct quota *q = map_del(&r->quotas_, key);
    if (q)
        quota_free(q);
    if (!obj || (json_is(scopes, JSON_ARRAY) && scopes->len) || json_get(spec, S("scopeSelector")))
        return; /* one that is for some pods only may not be for these */
    q = xnew(struct quota);
    *q = (struct quota){.key = str_dup(key), .ns = str_dup(ns)};
    add_quota(&q->hard, json_get(spec, S("hard")));
    add_quota(&q->used, json_path(obj, "status", "used", NULL));
    map_put(&r->quotas_, str_of(q->key), q);
}

void kuscia_room_route(struct kuscia_room *r, str key, const struct json *obj)
{
    const struct json *spec = json_get(obj, S("spec"));
    int64_t bits;
    struct route *x = map_del(&r->routes_, key);
    if (x)
        route_free(x);
    if (!obj || bandwidth_parse(json_get_str(spec, S("bandwidth")), &bits, NULL) < 0 || str_eq(json_get_str(spec, S("source")), json_get_str(spec, S("destination"))))
        return;
    x = xnew(struct route);
    *x = (struct route){str_dup(key), str_dup(json_get_str(spec, S("source"))), str_dup(json_get_str(spec, S("destination"))), bits};
    map_put(&r->routes_, str_of(x->key), x);
}

/* --- what a task needs ---------------------------------------------------------------------------------------------------------------------------------- */

/* All pods of a party are alike but for names. */
static void needs_of(struct arena *a, const struct layout *l, const struct layout_party *p, struct amounts *ret)
{
    struct json nobody = json_object(), pod = kuscia_task_pod(a, l, p, &p->pods[0], &nobody);
    const struct json *containers = json_path(&pod, "spec", "containers", NULL);
    *ret = (struct amounts){0};
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        const struct json *requests = json_path(&containers->items[i], "resources", "requests", NULL);
        add_list(ret, requests, NULL);
        add_list(ret, json_path(&containers->items[i], "resources", "limits", NULL), requests);
    }
    put(ret, S("pods"), 1);
    /* what is lent changes with what is used: never say never */
    bool accepts = str_is(json_get_str(json_path(&pod, "metadata", "annotations", NULL), S(BANDWIDTH_LEND_NOTE)), BANDWIDTH_LEND_ACCEPT);
    for (size_t i = 0; i < ret->len; i++) {
        str name = str_of(ret->list[i].name);
        if (bandwidth_is_lent(name) || (accepts && bandwidth_is_resource(name)))
            ret->list[i].n = 0;
    }
}

static uint64_t fits_on(const struct node *n, const struct amounts *need)
{
    uint64_t most = UINT64_MAX;
    for (size_t i = 0; i < need->len; i++) {
        if (need->list[i].n > 0)
            most = MIN(most, (uint64_t)(amount_of(&n->have, str_of(need->list[i].name)) / need->list[i].n));
    }
    return most;
}

static const struct node *largest(const struct kuscia_room *r, str domain, str name, int64_t *ret_n)
{
    const struct node *best = NULL;
    const struct domain *d = map_get(&r->domains_, domain);
    for (size_t i = 0; d && i < d->nodes.len; i++) {
        const struct node *n = d->nodes.p[i];
        int64_t have = amount_of(&n->have, name);
        if (best && (have < *ret_n || (have == *ret_n && strcmp(n->name, best->name) > 0)))
            continue;
        best = n;
        *ret_n = have;
    }
    return best;
}

static str why_no_node(const struct kuscia_room *r, struct arena *a, const struct layout_party *p, const struct amounts *need, uint64_t fit)
{
    struct strbuf all = strbuf_on(a);
    for (size_t i = 0; i < need->len; i++) {
        str name = str_of(need->list[i].name);
        int64_t have = 0;
        const struct node *n = largest(r, p->domain, name, &have);
        if (need->list[i].n > have)
            return arena_fmt(a, "a pod needs " STR_FMT ", and the largest node of the domain, %s, has " STR_FMT, STR_ARG(text_of(a, name, need->list[i].n, have)), n->name,
                             STR_ARG(text_of(a, name, have, need->list[i].n)));
        if (!str_is(name, "pods"))
            strbuf_addf(&all, "%s" STR_FMT, all.len ? ", " : "", STR_ARG(text_of(a, name, need->list[i].n, 0)));
    }
    if (!fit)
        return arena_fmt(a, "a pod needs " STR_FMT ", and no node of the domain has all of it", STR_ARG(strbuf_str(&all)));
    return arena_fmt(a, "%zu pods with " STR_FMT " each must run at the same time, and its nodes have room for %llu when they are empty", p->min_pods, STR_ARG(strbuf_str(&all)), (unsigned long long)fit);
}

static str why_quota(const struct kuscia_room *r, struct arena *a, const struct layout_party *p, const struct amounts *need)
{
    map_foreach(e, &r->quotas_) {
        const struct quota *q = e->value;
        for (size_t i = 0; str_is(p->domain, q->ns) && i < q->hard.len; i++) {
            str name = str_of(q->hard.list[i].name);
            const struct amount *x = find(need, name);
            if (x && times(x->n, p->npods) > q->hard.list[i].n)
                return arena_fmt(a, "its pods need " STR_FMT ", and its quota %s allows " STR_FMT, STR_ARG(text_of(a, name, times(x->n, p->npods), q->hard.list[i].n)), q->key,
                                 STR_ARG(text_of(a, name, q->hard.list[i].n, times(x->n, p->npods))));
        }
    }
    return S("");
}

static str why_party(const struct kuscia_room *r, struct arena *a, const struct layout_party *p, const struct amounts *need)
{
    uint64_t fit = 0;
    const struct domain *d = map_get(&r->domains_, p->domain);
    if (map_get(&r->partners_, p->domain))
        return S("the domain is a partner of another control plane, and tasks across control planes are not run yet");
    for (size_t i = 0; d && i < d->nodes.len && fit < p->min_pods; i++) {
        uint64_t more = fits_on(d->nodes.p[i], need);
        fit = more > UINT64_MAX - fit ? UINT64_MAX : fit + more;
    }
    return d && fit < p->min_pods ? why_no_node(r, a, p, need, fit) : why_quota(r, a, p, need);
}

static int64_t end_of(const struct layout *l, const struct amounts *needs, const char *domain, int end)
{
    int64_t sum = 0;
    for (size_t i = 0; i < l->nparties; i++) {
        const struct amount *x = find(&needs[i], str_of(bandwidth_resource[end]));
        if (str_is(l->parties[i].domain, domain) && x)
            sum += MIN(times(x->n, l->parties[i].min_pods), (int64_t)BANDWIDTH_MAX);
    }
    return sum;
}

static bool takes_part(const struct layout *l, const char *domain)
{
    for (size_t i = 0; i < l->nparties; i++)
        if (str_is(l->parties[i].domain, domain))
            return true;
    return false;
}

/* What must cross between two that both must be there. */
static str why_link(const struct kuscia_room *r, struct arena *a, const struct layout *l, const struct amounts *needs)
{
    char need_text[BANDWIDTH_TEXT], have_text[BANDWIDTH_TEXT];
    map_foreach(e, &r->routes_) {
        const struct route *x = e->value;
        if (l->min_parties < l->nparties || !takes_part(l, x->source) || !takes_part(l, x->destination))
            continue;
        int64_t out = end_of(l, needs, x->source, BANDWIDTH_OUT), in = end_of(l, needs, x->destination, BANDWIDTH_IN), need = MAX(out, in);
        if (need > x->bits)
            return arena_fmt(a, "the link %s->%s carries %s, and the task needs %s", x->source, x->destination, bandwidth_print_beside(x->bits, need, have_text), bandwidth_print_beside(need, x->bits, need_text));
    }
    return S("");
}

/* Two parties of one domain share its nodes: not even all of them have so much? */
static str why_shared_nodes(const struct kuscia_room *r, struct arena *a, const struct layout *l, const struct amounts *needs)
{
    for (size_t i = 0; i < l->nparties && l->min_parties >= l->nparties; i++) {
        const struct domain *d = map_get(&r->domains_, l->parties[i].domain);
        for (size_t k = 0; d && k < needs[i].len; k++) {
            str name = str_of(needs[i].list[k].name);
            int64_t need = 0, have = 0;
            for (size_t p = 0; p < l->nparties; p++) {
                const struct amount *x = str_eq(l->parties[p].domain, l->parties[i].domain) ? find(&needs[p], name) : NULL;
                need = plus(need, x ? times(x->n, l->parties[p].min_pods) : 0);
            }
            for (size_t n = 0; n < d->nodes.len; n++)
                have = plus(have, amount_of(&d->nodes.p[n]->have, name));
            if (need > have)
                return arena_fmt(a, "domain %s: all pods there need " STR_FMT ", and its nodes have " STR_FMT " together", d->name, STR_ARG(text_of(a, name, need, have)), STR_ARG(text_of(a, name, have, need)));
        }
    }
    return S("");
}

/* All that the task needs in the namespace at the same time. */
static bool needs_there(struct arena *a, const struct layout *l, const char *ns, struct amounts *ret)
{
    bool any = false;
    *ret = (struct amounts){0};
    for (size_t i = 0; i < l->nparties; i++) {
        struct amounts need;
        if (!str_is(l->parties[i].domain, ns))
            continue;
        any = true;
        needs_of(a, l, &l->parties[i], &need);
        for (size_t k = 0; k < need.len; k++)
            put(ret, str_of(need.list[k].name), times(need.list[k].n, l->parties[i].npods));
    }
    return any;
}

/* Two parties of one domain share its quota, and all pods are made: also those of a party that need not succeed. */
static str why_shared_quota(const struct kuscia_room *r, struct arena *a, const struct layout *l)
{
    map_foreach(e, &r->quotas_) {
        const struct quota *q = e->value;
        struct amounts need;
        for (size_t i = 0; needs_there(a, l, q->ns, &need) && i < q->hard.len; i++) {
            str name = str_of(q->hard.list[i].name);
            const struct amount *x = find(&need, name);
            if (x && x->n > q->hard.list[i].n)
                return arena_fmt(a, "domain %s: all pods there need " STR_FMT ", and its quota %s allows " STR_FMT, q->ns, STR_ARG(text_of(a, name, x->n, q->hard.list[i].n)), q->key,
                                 STR_ARG(text_of(a, name, q->hard.list[i].n, x->n)));
        }
    }
    return S("");
}

str kuscia_room_never(const struct kuscia_room *r, struct arena *a, const struct layout *l)
{
    struct amounts *needs = arena_array(a, l->nparties + 1, struct amounts);
    struct strbuf b = strbuf_on(a);
    size_t possible = 0;
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[i];
        needs_of(a, l, p, &needs[i]);
        str why = why_party(r, a, p, &needs[i]);
        possible += !why.len;
        if (why.len)
            strbuf_addf(&b, "%sparty " STR_FMT "%s" STR_FMT ": " STR_FMT, b.len ? "; " : "", STR_ARG(p->domain), p->role.len ? "-" : "", STR_ARG(p->role), STR_ARG(why));
    }
    if (possible < l->min_parties)
        return strbuf_str(&b);
    str shared = why_shared_quota(r, a, l);
    if (!shared.len)
        shared = why_shared_nodes(r, a, l, needs);
    return shared.len ? shared : why_link(r, a, l, needs);
}

str kuscia_room_lacks(const struct kuscia_room *r, struct arena *a, str domain)
{
    const struct domain *d = map_get(&r->domains_, domain);
    size_t all = d ? d->nodes.len : 0, ready = 0;
    for (size_t i = 0; i < all && !ready; i++)
        ready += d->nodes.p[i]->ready;
    if (!all)
        return arena_fmt(a, "domain " STR_FMT " has no nodes; a machine joins with cox join --domain " STR_FMT, STR_ARG(domain), STR_ARG(domain));
    if (!ready)
        return all == 1 ? arena_fmt(a, "the node of domain " STR_FMT " is not ready", STR_ARG(domain)) : arena_fmt(a, "none of the %zu nodes of domain " STR_FMT " is ready", all, STR_ARG(domain));
    return S("");
}

bool kuscia_room_has_quota(const struct kuscia_room *r, str domain)
{
    map_foreach(e, &r->quotas_) {
        const struct quota *q = e->value;
        if (str_is(domain, q->ns) && q->hard.len)
            return true;
    }
    return false;
}

bool kuscia_room_is_lost(const struct kuscia_room *r, str node)
{
    const struct node *n = map_get(&r->nodes_, node);
    return n && !n->ready;
}

str kuscia_room_full(const struct kuscia_room *r, struct arena *a, const struct layout *l)
{
    map_foreach(e, &r->quotas_) {
        const struct quota *q = e->value;
        struct amounts need;
        if (!needs_there(a, l, q->ns, &need))
            continue;
        for (size_t i = 0; i < q->hard.len; i++) {
            str name = str_of(q->hard.list[i].name);
            const struct amount *more = find(&need, name), *used = find(&q->used, name);
            if (more && used && more->n > 0 && q->hard.list[i].n - used->n < more->n)
                return arena_fmt(a, "exceeded quota: %s of domain %s: the task needs " STR_FMT ", and " STR_FMT " of " STR_FMT " are in use", q->key + strlen(q->ns) + 1, q->ns, STR_ARG(text_of(a, name, more->n, 0)),
                                 STR_ARG(text_of(a, name, used->n, q->hard.list[i].n)), STR_ARG(text_of(a, name, q->hard.list[i].n, used->n)));
        }
    }
    return S("");
}
