/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_cache.h"

#include "base/civil.h"
#include "base/groups.h"
#include "client/raw.h"

#define JOB_FINALIZER "batch.kubernetes.io/job-tracking"
#define INDEX_NOTE "batch.kubernetes.io/job-completion-index"
#define FAILURES_NOTE "batch.kubernetes.io/job-index-failure-count"
#define COST_NOTE "controller.kubernetes.io/pod-deletion-cost"

/* --- records --------------------------------------------------------------------------------------------------------------- */

/* What of a pod's text is looked at, as it stands there; "" absent. */
struct pod_text {
    str ns, name, uid, revision, created, deleted, labels, notes, owners, finalizers;
    str node, affinity, containers, init_containers, hostname, subdomain, gates;
    str status, phase, started, conditions, container_statuses, ips, ip;
};

struct member {
    str key;
    size_t at; /* of a str in struct pod_text */
};
#define MEMBER(text, field) {STR_INIT(text), offsetof(struct pod_text, field)}
static const struct member meta_members[] = {MEMBER("namespace", ns), MEMBER("name", name), MEMBER("uid", uid), MEMBER("resourceVersion", revision), MEMBER("creationTimestamp", created),
                                             MEMBER("deletionTimestamp", deleted), MEMBER("labels", labels), MEMBER("annotations", notes), MEMBER("ownerReferences", owners),
                                             MEMBER("finalizers", finalizers), {.at = 0}};
static const struct member spec_members[] = {MEMBER("nodeName", node), MEMBER("affinity", affinity), MEMBER("containers", containers), MEMBER("initContainers", init_containers),
                                             MEMBER("hostname", hostname), MEMBER("subdomain", subdomain), MEMBER("schedulingGates", gates), {.at = 0}};
static const struct member status_members[] = {MEMBER("phase", phase), MEMBER("startTime", started), MEMBER("conditions", conditions), MEMBER("containerStatuses", container_statuses),
                                               MEMBER("podIPs", ips), MEMBER("podIP", ip), {.at = 0}};
static const struct {
    str key;
    const struct member *members;
} parts[] = {{STR_INIT("metadata"), meta_members}, {STR_INIT("spec"), spec_members}, {STR_INIT("status"), status_members}};

static void read_members(struct raw_members *it, const struct member *members, struct pod_text *t)
{
    str key, value;
    while (raw_members_next(it, &key, &value))
        for (const struct member *m = members; m->key.len; m++)
            if (str_eq(key, m->key)) {
                *(str *)(void *)((char *)t + m->at) = value;
                break;
            }
}

static struct pod_text read_text(str text)
{
    struct pod_text t = {.ns = S("")};
    struct raw_members it, child;
    str key;
    if (!raw_members_begin(text, &it))
        return t;
    while (raw_members_key(&it, &key)) {
        size_t i = 0;
        while (i < ARRAY_LEN(parts) && !str_eq(key, parts[i].key))
            i++;
        if (i == ARRAY_LEN(parts) || !raw_members_enter(&it, &child)) {
            raw_members_value(&it);
            continue;
        }
        read_members(&child, parts[i].members, &t);
        str whole = raw_members_leave(&it, &child);
        if (parts[i].members == status_members)
            t.status = whole;
    }
    return t;
}

/* The value when it is a string, else "". */
static str string_of(struct arena *a, str value)
{
    struct json v;
    if (value.len < 2 || value.p[0] != '"')
        return S("");
    if (str_find_char(value, '\\') < 0)
        return str_sub(value, 1, value.len - 1);
    return json_parse(a, value, NULL, &v, NULL) == 0 ? json_str(&v) : S("");
}

static str member_of(str obj, str key)
{
    str value;
    return raw_member(obj, key, &value) ? value : S("");
}

static str string_in(struct arena *a, str obj, str key)
{
    return string_of(a, member_of(obj, key));
}

static int64_t int_in(str obj, str key)
{
    int64_t n;
    return str_to_i64(member_of(obj, key), &n) ? n : 0;
}

static nsec_t time_of(struct arena *a, str value)
{
    nsec_t at;
    str text = string_of(a, value);
    return text.len && civil_parse(text, &at) ? at : 0;
}

/* each_item(item, &it, array): array may be something else, which has none. */
#define each_item(item, it, array) for (bool more_ = raw_items_begin(array, it) && raw_items_next(it, &(item)); more_; more_ = raw_items_next(it, &(item)))

static bool has_items(str array)
{
    struct raw_items it;
    str item;
    return raw_items_begin(array, &it) && raw_items_next(&it, &item);
}

static bool has_members(str obj)
{
    struct raw_members it;
    str key;
    return raw_members_begin(obj, &it) && raw_members_key(&it, &key);
}

static enum pod_phase phase_of(str text)
{
    static const char *const names[] = {[POD_PENDING] = "Pending", [POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded", [POD_FAILED] = "Failed"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(text, names[i]))
            return (enum pod_phase)i;
    return text.len ? POD_UNKNOWN : POD_PENDING;
}

/* The reference of the controller, "" none. */
static str controller_of(const struct pod_text *t)
{
    struct raw_items it;
    str ref;
    each_item(ref, &it, t->owners)
        if (str_is(member_of(ref, S("controller")), "true"))
            return ref;
    return S("");
}

/* When its last container ended, else when it stopped being ready. */
static nsec_t finish_time(struct arena *a, const struct pod_text *t)
{
    struct raw_items it;
    str item;
    nsec_t latest = 0;
    each_item(item, &it, t->container_statuses)
        latest = MAX(latest, time_of(a, member_of(member_of(member_of(item, S("state")), S("terminated")), S("finishedAt"))));
    if (latest)
        return latest;
    each_item(item, &it, t->conditions)
        if (!latest && str_is(string_in(a, item, S("type")), "Ready"))
            latest = time_of(a, member_of(item, S("lastTransitionTime")));
    return latest;
}

static void read_status(struct arena *a, struct pod_record *p, const struct pod_text *t)
{
    struct raw_items it;
    str item;
    p->phase = phase_of(string_of(a, t->phase));
    p->started = time_of(a, t->started);
    each_item(item, &it, t->conditions) {
        if (!str_is(string_in(a, item, S("type")), "Ready"))
            continue;
        p->ready = str_is(string_in(a, item, S("status")), "True");
        p->ready_since = p->ready ? time_of(a, member_of(item, S("lastTransitionTime"))) : 0;
    }
    each_item(item, &it, t->container_statuses)
        p->restarts = MAX(p->restarts, int_in(item, S("restartCount")));
    if (pod_is_finished(p))
        p->finished_at = finish_time(a, t);
}

static void read_finalizers(struct arena *a, struct pod_record *p, const struct pod_text *t)
{
    struct raw_items it;
    str item;
    p->has_finalizers = has_items(t->finalizers);
    each_item(item, &it, t->finalizers)
        p->tracked |= str_is(string_of(a, item), JOB_FINALIZER);
}

static str first_item(str array)
{
    struct raw_items it;
    str item;
    return raw_items_begin(array, &it) && raw_items_next(&it, &item) ? item : S("");
}

/* The node of a DaemonSet's pod that is not bound yet: the first name in its required affinity. */
static str pinned_node(struct arena *a, const struct pod_text *t)
{
    str required = member_of(member_of(t->affinity, S("nodeAffinity")), S("requiredDuringSchedulingIgnoredDuringExecution"));
    str term = first_item(member_of(required, S("nodeSelectorTerms"))), field = first_item(member_of(term, S("matchFields")));
    return string_of(a, first_item(member_of(field, S("values"))));
}

static str addresses_of(struct arena *a, const struct pod_text *t)
{
    struct strbuf b = strbuf_on(a);
    struct raw_items it;
    str item;
    each_item(item, &it, t->ips) {
        str ip = string_in(a, item, S("ip"));
        if (ip.len)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? "," : "", STR_ARG(ip));
    }
    return b.len ? strbuf_str(&b) : string_of(a, t->ip);
}

static void add_ports(struct arena *a, struct strbuf *b, str container)
{
    struct raw_items it;
    str port;
    each_item(port, &it, member_of(container, S("ports"))) {
        str name = string_in(a, port, S("name")), protocol = string_in(a, port, S("protocol"));
        if (name.len)
            strbuf_addf(b, STR_FMT "/" STR_FMT "=%lld,", STR_ARG(name), STR_ARG(protocol.len ? protocol : S("TCP")), (long long)int_in(port, S("containerPort")));
    }
}

/* Services may name a port of a pod; sidecars among the init containers have ports, too. */
static str named_ports(struct arena *a, const struct pod_text *t)
{
    struct strbuf b = strbuf_on(a);
    struct raw_items it;
    str container;
    if (str_find(t->containers, S("\"ports\"")) >= 0)
        each_item(container, &it, t->containers) add_ports(a, &b, container);
    each_item(container, &it, t->init_containers)
        if (str_is(string_in(a, container, S("restartPolicy")), "Always"))
            add_ports(a, &b, container);
    return strbuf_str(&b);
}

static str host_of(struct arena *a, const struct pod_text *t)
{
    str host = string_of(a, t->hostname), domain = string_of(a, t->subdomain);
    return host.len && domain.len ? arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(host), STR_ARG(domain)) : S("");
}

/* All strings of a record lie behind it in one piece of memory. */
struct strings {
    struct {
        str *place;
        str text;
    } parts[16];
    size_t len, bytes;
};

static void strings_add(struct strings *s, str *place, str text)
{
    s->parts[s->len].place = place;
    s->parts[s->len++].text = text;
    s->bytes += text.len;
}

static struct pod_record *strings_pack(struct strings *s, struct pod_record *from)
{
    struct pod_record *p = xmalloc(sizeof *p + s->bytes + 1);
    char *at = (char *)(p + 1);
    for (size_t i = 0; i < s->len; i++) {
        str text = s->parts[i].text;
        memcpy(at, text.len ? text.p : "", text.len);
        *s->parts[i].place = str_n(at, text.len);
        at += text.len;
    }
    *p = *from;
    p->key = str_n(p->ns.p, p->ns.len + 1 + p->name.len);
    return p;
}

struct pod_record *pod_record_new(str object)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_text x = read_text(object);
    struct pod_record t = {.ns = string_of(&a, x.ns), .name = string_of(&a, x.name)};
    struct strings s = {.len = 0};
    if (!t.name.len)
        return NULL;
    str owner = controller_of(&x), owner_kind = string_in(&a, owner, S("kind"));
    t.created = time_of(&a, x.created);
    t.deleted_at = time_of(&a, x.deleted);
    t.deleting = string_of(&a, x.deleted).len > 0;
    t.scheduling_gated = has_items(x.gates);
    str_to_u64(string_of(&a, x.revision), &t.revision);
    str_to_i64(string_in(&a, x.notes, S(COST_NOTE)), &t.deletion_cost);
    str_to_i64(string_in(&a, x.notes, S(FAILURES_NOTE)), &t.index_failures);
    read_finalizers(&a, &t, &x);
    read_status(&a, &t, &x);
    bool keep_status = t.phase == POD_FAILED && str_is(owner_kind, "Job");
    strings_add(&s, &t.ns, t.ns); /* the three, one behind the other, are the key */
    strings_add(&s, &t.key, S("/"));
    strings_add(&s, &t.name, t.name);
    strings_add(&s, &t.uid, string_of(&a, x.uid));
    strings_add(&s, &t.owner_uid, string_in(&a, owner, S("uid")));
    strings_add(&s, &t.owner_kind, owner_kind);
    strings_add(&s, &t.owner_name, string_in(&a, owner, S("name")));
    t.node = string_of(&a, x.node);
    strings_add(&s, &t.node, t.node);
    strings_add(&s, &t.pinned, !t.node.len && str_is(owner_kind, "DaemonSet") ? pinned_node(&a, &x) : S(""));
    strings_add(&s, &t.labels, has_members(x.labels) ? x.labels : S(""));
    strings_add(&s, &t.index, string_in(&a, x.notes, S(INDEX_NOTE)));
    strings_add(&s, &t.failure, keep_status ? x.status : S(""));
    strings_add(&s, &t.addresses, addresses_of(&a, &x));
    strings_add(&s, &t.ports, named_ports(&a, &x));
    strings_add(&s, &t.host, host_of(&a, &x));
    return strings_pack(&s, &t);
}

void pod_record_free(struct pod_record *p)
{
    free(p);
}

bool pod_is_available(const struct pod_record *p, nsec_t min_ready, nsec_t now, nsec_t *ret_left)
{
    *ret_left = 0;
    if (!p->ready)
        return false;
    if (!min_ready || p->ready_since + min_ready <= now)
        return true;
    *ret_left = p->ready_since + min_ready - now;
    return false;
}

struct json pod_labels(const struct pod_record *p, struct arena *a)
{
    struct json labels;
    return p->labels.len && json_parse(a, p->labels, NULL, &labels, NULL) == 0 ? labels : json_object();
}

/* Keys and values of labels have no quotes, so `"key":"value"` stands in the text exactly when it is a label. */
bool labels_include(str labels, const struct json *wanted)
{
    char part[1024];
    for (uint32_t i = 0; json_is(wanted, JSON_OBJECT) && i < wanted->len; i++) {
        str key = wanted->members[i].key, value = json_str(&wanted->members[i].value);
        int n = snprintf(part, sizeof part, "\"" STR_FMT "\":\"" STR_FMT "\"", STR_ARG(key), STR_ARG(value));
        if (n < 0 || (size_t)n >= sizeof part || str_find(labels, str_n(part, (size_t)n)) < 0)
            return false;
    }
    return true;
}

bool pod_has_labels(const struct pod_record *p, const struct json *wanted)
{
    return labels_include(p->labels, wanted);
}

/* --- groups ------------------------------------------------------------------------------------------------------------------- */

static struct map *groups_of(struct pod_cache *c, const struct pod_record *p)
{
    return p->owner_uid.len ? &c->owners_ : &c->orphans_;
}

static str group_key(const struct pod_record *p)
{
    return p->owner_uid.len ? p->owner_uid : p->ns;
}

static void link_in(struct pod_cache *c, struct pod_record *p)
{
    map_put(&c->pods_, p->key, p);
    list_add_tail(groups_get(groups_of(c, p), group_key(p)), &p->link_);
    list_add_tail(groups_get(&c->namespaces_, p->ns), &p->ns_link_);
    if (p->node.len)
        list_add_tail(groups_get(&c->nodes_, p->node), &p->node_link_);
    if (pod_is_open(p))
        list_add_tail(groups_get(&c->open_, p->ns), &p->open_link_);
}

static void link_out(struct pod_cache *c, struct pod_record *p)
{
    map_del(&c->pods_, p->key);
    list_del(&p->link_);
    groups_prune(groups_of(c, p), group_key(p));
    list_del(&p->ns_link_);
    groups_prune(&c->namespaces_, p->ns);
    if (p->node.len) {
        list_del(&p->node_link_);
        groups_prune(&c->nodes_, p->node);
    }
    if (pod_is_open(p)) {
        list_del(&p->open_link_);
        groups_prune(&c->open_, p->ns);
    }
}

/* --- changes -------------------------------------------------------------------------------------------------------------------- */

static void tell(struct pod_cache *c, const struct pod_record *was, const struct pod_record *now)
{
    for (size_t i = 0; i < c->subscribers_.len; i++)
        c->subscribers_.p[i].changed(c->subscribers_.p[i].arg, was, now);
}

static void put(struct pod_cache *c, struct pod_record *p)
{
    struct pod_record *was = map_get(&c->pods_, p->key);
    p->round_ = c->round_;
    if (was) {
        p->doomed = was->doomed && str_eq(was->uid, p->uid);
        link_out(c, was);
    }
    link_in(c, p);
    tell(c, was, p);
    pod_record_free(was);
}

static void drop(struct pod_cache *c, struct pod_record *p)
{
    link_out(c, p);
    tell(c, p, NULL);
    pod_record_free(p);
}

void pod_cache_saw(struct pod_cache *c, str object, bool deleted)
{
    struct pod_record *p = pod_record_new(object);
    if (!p)
        return;
    c->seen_ = MAX(c->seen_, p->revision);
    struct pod_record *was = map_get(&c->pods_, p->key);
    if (was && was->revision > p->revision && !deleted) { /* an answer was faster; its own event is still to come */
        was->round_ = c->round_;
        pod_record_free(p);
    } else if (!deleted) {
        put(c, p);
    } else {
        /* a pod of that name that was made after this one went is another one */
        if (was && str_eq(was->uid, p->uid))
            drop(c, was);
        pod_record_free(p);
    }
}

void pod_cache_wrote(struct pod_cache *c, str object)
{
    struct pod_record *p = pod_record_new(object);
    if (!p)
        return;
    struct pod_record *was = map_get(&c->pods_, p->key);
    if (p->revision <= c->seen_ || (was && was->revision >= p->revision)) {
        pod_record_free(p);
        return;
    }
    p->unconfirmed = true;
    put(c, p);
}

void pod_cache_doom(struct pod_cache *c, str key, str uid)
{
    struct pod_record *p = map_get(&c->pods_, key);
    if (p && str_eq(p->uid, uid))
        p->doomed = true;
}

void pod_cache_absent(struct pod_cache *c, str key, str uid)
{
    struct pod_record *p = map_get(&c->pods_, key);
    if (p && str_eq(p->uid, uid))
        drop(c, p);
}

void pod_cache_list_begin(struct pod_cache *c)
{
    c->round_++;
}

/* What the list did not show is gone, but for what we wrote meanwhile: that is for the caller to ask about. */
void pod_cache_list_end(struct pod_cache *c)
{
    VEC(struct pod_record *) gone = {0};
    map_foreach(e, &c->pods_)
    {
        struct pod_record *p = e->value;
        if (p->round_ != c->round_)
            vec_push(&gone, p);
    }
    for (size_t i = 0; i < gone.len; i++)
        drop(c, gone.p[i]);
    vec_fini(&gone);
}

/* --- life and reading ------------------------------------------------------------------------------------------------------------ */

void pod_cache_init(struct pod_cache *c)
{
    *c = (struct pod_cache){.round_ = 1};
}

void pod_cache_fini(struct pod_cache *c)
{
    map_foreach(e, &c->pods_) pod_record_free(e->value);
    map_fini(&c->pods_);
    groups_fini(&c->owners_);
    groups_fini(&c->orphans_);
    groups_fini(&c->namespaces_);
    groups_fini(&c->nodes_);
    groups_fini(&c->open_);
    vec_fini(&c->subscribers_);
}

void pod_cache_subscribe(struct pod_cache *c, pod_changed_fn *changed, void *arg)
{
    vec_push(&c->subscribers_, (struct pod_subscriber){changed, arg});
}

struct pod_record *pod_cache_find(const struct pod_cache *c, str key)
{
    return map_get(&c->pods_, key);
}

struct list *pod_cache_owned(const struct pod_cache *c, str owner_uid)
{
    return groups_find(&c->owners_, owner_uid);
}

struct list *pod_cache_orphans(const struct pod_cache *c, str ns)
{
    return groups_find(&c->orphans_, ns);
}

struct list *pod_cache_namespace(const struct pod_cache *c, str ns)
{
    return groups_find(&c->namespaces_, ns);
}

struct list *pod_cache_open(const struct pod_cache *c, str ns)
{
    return groups_find(&c->open_, ns);
}

struct list *pod_cache_node(const struct pod_cache *c, str node)
{
    return groups_find(&c->nodes_, node);
}
