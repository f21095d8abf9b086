/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_cache.h"

#include "base/civil.h"
#include "base/groups.h"

#define JOB_FINALIZER "batch.kubernetes.io/job-tracking"
#define INDEX_NOTE "batch.kubernetes.io/job-completion-index"
#define FAILURES_NOTE "batch.kubernetes.io/job-index-failure-count"
#define COST_NOTE "controller.kubernetes.io/pod-deletion-cost"

/* --- records --------------------------------------------------------------------------------------------------------------- */

static nsec_t time_of(const struct json *obj, str key)
{
    nsec_t at;
    str text = json_get_str(obj, key);
    return text.len && civil_parse(text, &at) ? at : 0;
}

static enum pod_phase phase_of(str text)
{
    static const char *const names[] = {[POD_PENDING] = "Pending", [POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded", [POD_FAILED] = "Failed"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(text, names[i]))
            return (enum pod_phase)i;
    return text.len ? POD_UNKNOWN : POD_PENDING;
}

static const struct json *controller_of(const struct json *meta)
{
    const struct json *list = json_get(meta, S("ownerReferences"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (json_get_bool(&list->items[i], S("controller"), false))
            return &list->items[i];
    return NULL;
}

/* When its last container ended, else when it stopped being ready. */
static nsec_t finish_time(const struct json *status)
{
    const struct json *list = json_get(status, S("containerStatuses")), *conditions = json_get(status, S("conditions"));
    nsec_t latest = 0;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        latest = MAX(latest, time_of(json_path(&list->items[i], "state", "terminated", NULL), S("finishedAt")));
    for (uint32_t i = 0; !latest && json_is(conditions, JSON_ARRAY) && i < conditions->len; i++)
        if (str_is(json_get_str(&conditions->items[i], S("type")), "Ready"))
            latest = time_of(&conditions->items[i], S("lastTransitionTime"));
    return latest;
}

static void read_status(struct pod_record *p, const struct json *status)
{
    const struct json *conditions = json_get(status, S("conditions")), *containers = json_get(status, S("containerStatuses"));
    p->phase = phase_of(json_get_str(status, S("phase")));
    p->started = time_of(status, S("startTime"));
    for (uint32_t i = 0; json_is(conditions, JSON_ARRAY) && i < conditions->len; i++) {
        const struct json *c = &conditions->items[i];
        if (!str_is(json_get_str(c, S("type")), "Ready"))
            continue;
        p->ready = str_is(json_get_str(c, S("status")), "True");
        p->ready_since = p->ready ? time_of(c, S("lastTransitionTime")) : 0;
    }
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++)
        p->restarts = MAX(p->restarts, json_get_int(&containers->items[i], S("restartCount"), 0));
    if (pod_is_finished(p))
        p->finished_at = finish_time(status);
}

static void read_finalizers(struct pod_record *p, const struct json *meta)
{
    const struct json *list = json_get(meta, S("finalizers"));
    p->has_finalizers = json_is(list, JSON_ARRAY) && list->len;
    for (uint32_t i = 0; p->has_finalizers && i < list->len; i++)
        p->tracked |= str_is(json_str(&list->items[i]), JOB_FINALIZER);
}

/* The node of a DaemonSet's pod that is not bound yet: the first name in its required affinity. */
static str pinned_node(const struct json *spec, const struct json *owner)
{
    const struct json *terms = json_path(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", NULL), *fields, *values;
    if (!str_is(json_get_str(owner, S("kind")), "DaemonSet") || !json_is(terms, JSON_ARRAY) || !terms->len)
        return S("");
    fields = json_get(&terms->items[0], S("matchFields"));
    values = json_is(fields, JSON_ARRAY) && fields->len ? json_get(&fields->items[0], S("values")) : NULL;
    return json_is(values, JSON_ARRAY) && values->len ? json_str(&values->items[0]) : S("");
}

static str addresses_of(struct arena *a, const struct json *status)
{
    const struct json *list = json_get(status, S("podIPs"));
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str ip = json_get_str(&list->items[i], S("ip"));
        if (ip.len)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? "," : "", STR_ARG(ip));
    }
    return b.len ? strbuf_str(&b) : json_get_str(status, S("podIP"));
}

/* Services may name a port of a pod; sidecars among the init containers have ports, too. */
static str named_ports(struct arena *a, const struct json *spec)
{
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    struct strbuf b = strbuf_on(a);
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *containers = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            const struct json *c = &containers->items[i], *ports = json_get(c, S("ports"));
            bool runs_on = l == 0 || str_is(json_get_str(c, S("restartPolicy")), "Always");
            for (uint32_t k = 0; runs_on && json_is(ports, JSON_ARRAY) && k < ports->len; k++) {
                str name = json_get_str(&ports->items[k], S("name")), protocol = json_get_str(&ports->items[k], S("protocol"));
                if (name.len)
                    strbuf_addf(&b, STR_FMT "/" STR_FMT "=%lld,", STR_ARG(name), STR_ARG(protocol.len ? protocol : S("TCP")), (long long)json_get_int(&ports->items[k], S("containerPort"), 0));
            }
        }
    }
    return strbuf_str(&b);
}

static str host_of(struct arena *a, const struct json *spec)
{
    str host = json_get_str(spec, S("hostname")), domain = json_get_str(spec, S("subdomain"));
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
    p->ns = str_sub(p->key, 0, p->ns.len);
    p->name = str_from(p->key, p->key.len - p->name.len);
    return p;
}

struct pod_record *pod_record_new(const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json *meta = json_get(obj, S("metadata")), *spec = json_get(obj, S("spec")), *status = json_get(obj, S("status"));
    const struct json *owner = controller_of(meta), *labels = json_get(meta, S("labels")), *notes = json_get(meta, S("annotations"));
    struct pod_record t = {.ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name"))};
    struct strings s = {.len = 0};
    if (!t.name.len)
        return NULL;
    t.created = time_of(meta, S("creationTimestamp"));
    t.deleted_at = time_of(meta, S("deletionTimestamp"));
    t.deleting = json_get_str(meta, S("deletionTimestamp")).len > 0;
    t.scheduling_gated = json_is(json_get(spec, S("schedulingGates")), JSON_ARRAY) && json_get(spec, S("schedulingGates"))->len;
    str_to_u64(json_get_str(meta, S("resourceVersion")), &t.revision);
    str_to_i64(json_get_str(notes, S(COST_NOTE)), &t.deletion_cost);
    str_to_i64(json_get_str(notes, S(FAILURES_NOTE)), &t.index_failures);
    read_finalizers(&t, meta);
    read_status(&t, status);
    bool keep_status = t.phase == POD_FAILED && str_is(json_get_str(owner, S("kind")), "Job");
    strings_add(&s, &t.key, arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(t.ns), STR_ARG(t.name)));
    strings_add(&s, &t.uid, json_get_str(meta, S("uid")));
    strings_add(&s, &t.owner_uid, json_get_str(owner, S("uid")));
    strings_add(&s, &t.owner_kind, json_get_str(owner, S("kind")));
    strings_add(&s, &t.owner_name, json_get_str(owner, S("name")));
    t.node = json_get_str(spec, S("nodeName"));
    strings_add(&s, &t.node, t.node);
    strings_add(&s, &t.pinned, t.node.len ? S("") : pinned_node(spec, owner));
    strings_add(&s, &t.labels, labels && labels->len ? json_text(&a, labels) : S(""));
    strings_add(&s, &t.index, json_get_str(notes, S(INDEX_NOTE)));
    strings_add(&s, &t.failure, keep_status ? json_text(&a, status) : S(""));
    strings_add(&s, &t.addresses, addresses_of(&a, status));
    strings_add(&s, &t.ports, named_ports(&a, spec));
    strings_add(&s, &t.host, host_of(&a, spec));
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

void pod_cache_saw(struct pod_cache *c, const struct json *obj, bool deleted)
{
    struct pod_record *p = pod_record_new(obj);
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

void pod_cache_wrote(struct pod_cache *c, const struct json *obj)
{
    struct pod_record *p = pod_record_new(obj);
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

struct list *pod_cache_node(const struct pod_cache *c, str node)
{
    return groups_find(&c->nodes_, node);
}
