/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_cache.h"

#include "base/civil.h"
#include "controllers/workload_testing.h"

static struct json pod_object(struct arena *a, const char *name, const char *uid, int revision, const char *owner)
{
    return tree(a, arena_cstr(a, arena_fmt(a, "{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'%d','labels':{'app':'w'}%s%s%s},'spec':{},'status':{'phase':'Running'}}", name, uid,
                                           revision, owner ? ",'ownerReferences':[{'kind':'ReplicaSet','name':'r','uid':'" : "", owner ? owner : "", owner ? "','controller':true}]" : "")));
}

static size_t count(struct list *l)
{
    size_t n = 0;
    pod_cache_foreach(p, l) n += p != NULL;
    return n;
}

static void saw(struct pod_cache *c, const char *name, const char *uid, int revision, const char *owner, bool deleted)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = pod_object(&a, name, uid, revision, owner);
    pod_cache_saw(c, json_text(&a, &obj), deleted);
}

static void wrote(struct pod_cache *c, const char *name, const char *uid, int revision, const char *owner)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json obj = pod_object(&a, name, uid, revision, owner);
    pod_cache_wrote(c, json_text(&a, &obj));
}

TEST(groups_by_owner)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 1, "o", false);
    saw(&c, "b", "2", 2, "o", false);
    saw(&c, "c", "3", 3, NULL, false);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 2);
    T_EQ_INT(count(pod_cache_orphans(&c, S("default"))), 1);
    saw(&c, "c", "3", 4, "o", false); /* adopted */
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 3);
    T_EQ_INT(count(pod_cache_orphans(&c, S("default"))), 0);
    saw(&c, "a", "1", 5, "o", true);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 2);
    T_EQ_STR(pod_cache_find(&c, S("default/b"))->name, "b");
    pod_cache_fini(&c);
}

/* Only who has an address and has not ended stands among those that can be reached, whatever came before. */
TEST(who_can_be_reached)
{
    static const char *const lives[] = {"'phase':'Pending'", "'phase':'Running','podIP':'10.0.0.1','podIPs':[{'ip':'10.0.0.1'}]", "'phase':'Running','podIPs':[{'ip':'10.0.0.2'}]",
                                        "'phase':'Succeeded','podIPs':[{'ip':'10.0.0.2'}]"};
    static const size_t open[] = {0, 1, 1, 0};
    struct pod_cache c;
    pod_cache_init(&c);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
            ARENA_AUTO a = ARENA_INIT;
            struct json obj = tree(&a, arena_cstr(&a, arena_fmt(&a, "{'metadata':{'name':'p','namespace':'default','uid':'1','resourceVersion':'%zu'},'status':{%s}}", 10 * (size_t)round + i + 1, lives[i])));
            size_t n = 0;
            pod_cache_saw(&c, json_text(&a, &obj), false);
            pod_cache_foreach_open(p, pod_cache_open(&c, S("default")))
                n += p->name.len > 0;
            T_EQ_INT(n, open[i]);
        }
    pod_cache_fini(&c);
}

TEST(own_writes_are_seen_at_once)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "x", "0", 10, NULL, false);
    wrote(&c, "a", "1", 12, "o");
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    T_OK(pod_cache_find(&c, S("default/a"))->unconfirmed);
    saw(&c, "a", "1", 12, "o", false);
    T_OK(!pod_cache_find(&c, S("default/a"))->unconfirmed);
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    pod_cache_fini(&c);
}

/* The watch was faster than the answer: made and deleted before the answer came. */
TEST(late_answers_make_no_ghosts)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 12, "o", false);
    saw(&c, "a", "1", 13, "o", true);
    wrote(&c, "a", "1", 12, "o");
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 0);
    pod_cache_fini(&c);
}

TEST(old_events_change_nothing)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 5, NULL, false);
    wrote(&c, "a", "1", 9, "o");
    saw(&c, "a", "1", 7, NULL, false); /* from before our patch */
    T_EQ_INT(count(pod_cache_owned(&c, S("o"))), 1);
    pod_cache_doom(&c, S("default/a"), S("other"));
    T_OK(pod_is_active(pod_cache_find(&c, S("default/a"))));
    pod_cache_doom(&c, S("default/a"), S("1"));
    saw(&c, "a", "1", 10, "o", false); /* from before our delete */
    T_OK(!pod_is_active(pod_cache_find(&c, S("default/a"))));
    saw(&c, "a", "1", 11, "o", true);
    saw(&c, "a", "2", 12, "o", false); /* another of that name */
    T_OK(pod_is_active(pod_cache_find(&c, S("default/a"))));
    pod_cache_fini(&c);
}

TEST(a_list_drops_what_it_lacks)
{
    struct pod_cache c;
    pod_cache_init(&c);
    saw(&c, "a", "1", 1, "o", false);
    saw(&c, "b", "2", 2, "o", false);
    pod_cache_list_begin(&c);
    saw(&c, "b", "2", 2, "o", false);
    wrote(&c, "c", "3", 50, "o"); /* answered while the list was under way */
    pod_cache_list_end(&c);
    T_OK(!pod_cache_find(&c, S("default/a")));
    T_OK(pod_cache_find(&c, S("default/b")));
    T_OK(pod_cache_find(&c, S("default/c"))->unconfirmed);
    pod_cache_absent(&c, S("default/c"), S("3"));
    T_OK(!pod_cache_find(&c, S("default/c")));
    pod_cache_fini(&c);
}

/* --- the text reader against one that reads a tree ------------------------------------------------------------------------------ */

/* The model: what a record is, read from the whole tree in the plainest way. */
#define JOB_FINALIZER "batch.kubernetes.io/job-tracking"

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

static struct pod_record *model_record(struct arena *a, const struct json *obj)
{
    const struct json *meta = json_get(obj, S("metadata")), *spec = json_get(obj, S("spec")), *status = json_get(obj, S("status"));
    const struct json *owner = controller_of(meta), *labels = json_get(meta, S("labels")), *notes = json_get(meta, S("annotations"));
    struct pod_record *t = arena_new(a, struct pod_record);
    t->ns = json_get_str(meta, S("namespace"));
    t->name = json_get_str(meta, S("name"));
    if (!t->name.len)
        return NULL;
    t->key = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(t->ns), STR_ARG(t->name));
    t->created = time_of(meta, S("creationTimestamp"));
    t->deleted_at = time_of(meta, S("deletionTimestamp"));
    t->deleting = json_get_str(meta, S("deletionTimestamp")).len > 0;
    t->scheduling_gated = json_is(json_get(spec, S("schedulingGates")), JSON_ARRAY) && json_get(spec, S("schedulingGates"))->len;
    str_to_u64(json_get_str(meta, S("resourceVersion")), &t->revision);
    str_to_i64(json_get_str(notes, S("controller.kubernetes.io/pod-deletion-cost")), &t->deletion_cost);
    str_to_i64(json_get_str(notes, S("batch.kubernetes.io/job-index-failure-count")), &t->index_failures);
    read_finalizers(t, meta);
    read_status(t, status);
    t->uid = json_get_str(meta, S("uid"));
    t->owner_uid = json_get_str(owner, S("uid"));
    t->owner_kind = json_get_str(owner, S("kind"));
    t->owner_name = json_get_str(owner, S("name"));
    t->node = json_get_str(spec, S("nodeName"));
    t->pinned = t->node.len ? S("") : pinned_node(spec, owner);
    t->labels = json_is(labels, JSON_OBJECT) && labels->len ? json_text(a, labels) : S("");
    t->index = json_get_str(notes, S("batch.kubernetes.io/job-completion-index"));
    t->failure = t->phase == POD_FAILED && str_is(t->owner_kind, "Job") ? json_text(a, status) : S("");
    t->addresses = addresses_of(a, status);
    t->ports = named_ports(a, spec);
    t->host = host_of(a, spec);
    return t;
}

static bool same_json(struct arena *a, str x, str y)
{
    struct json v, w;
    return str_eq(x, y) || (json_parse(a, x, NULL, &v, NULL) == 0 && json_parse(a, y, NULL, &w, NULL) == 0 && json_equal(&v, &w));
}

/* Labels and failure are JSON text; `exact`: and the same bytes. */
static void compare(struct arena *a, str text, bool exact)
{
    struct json obj;
    T_OK(json_parse(a, text, NULL, &obj, NULL) == 0);
    struct pod_record *want = model_record(a, &obj), *got = pod_record_new(text);
    T_EQ_INT(got != NULL, want != NULL);
    if (!got || !want) {
        pod_record_free(got);
        return;
    }
    const str texts[][2] = {{got->key, want->key}, {got->ns, want->ns}, {got->name, want->name}, {got->uid, want->uid}, {got->owner_uid, want->owner_uid},
                            {got->owner_kind, want->owner_kind}, {got->owner_name, want->owner_name}, {got->node, want->node}, {got->pinned, want->pinned}, {got->index, want->index},
                            {got->addresses, want->addresses}, {got->ports, want->ports}, {got->host, want->host}};
    bool same = exact ? str_eq(got->labels, want->labels) && str_eq(got->failure, want->failure) : same_json(a, got->labels, want->labels) && same_json(a, got->failure, want->failure);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        same &= str_eq(texts[i][0], texts[i][1]);
    const int64_t numbers[][2] = {{(int64_t)got->revision, (int64_t)want->revision}, {got->phase, want->phase}, {got->ready, want->ready}, {got->deleting, want->deleting},
                                  {got->scheduling_gated, want->scheduling_gated}, {got->tracked, want->tracked}, {got->has_finalizers, want->has_finalizers},
                                  {got->created, want->created}, {got->started, want->started}, {got->ready_since, want->ready_since}, {got->deleted_at, want->deleted_at},
                                  {got->finished_at, want->finished_at}, {got->restarts, want->restarts}, {got->deletion_cost, want->deletion_cost},
                                  {got->index_failures, want->index_failures}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        same &= numbers[i][0] == numbers[i][1];
    if (!same)
        T_EQ_STR(text, "the same record by text and by tree");
    pod_record_free(got);
}

/* For each member what it may be: usual, odd, or of another type.  "" leaves it out. */
struct choice {
    const char *part, *key, *values[8];
};
static const struct choice choices[] = {
    {"metadata", "name", {"'a'", "'web-7d9f-x2'", "'esc\\u0041ped'", "''", "7", ""}},
    {"metadata", "namespace", {"'default'", "'q\\'\\\\x'", "", "null"}},
    {"metadata", "uid", {"'0f3a'", "", "null"}},
    {"metadata", "resourceVersion", {"'12'", "'18446744073709551615'", "'x'", "12", ""}},
    {"metadata", "creationTimestamp", {"'2026-11-18T05:00:00Z'", "'2026-11-18T05:00\\u003a07Z'", "'soon'", "null", ""}},
    {"metadata", "deletionTimestamp", {"", "'2026-11-18T06:00:00Z'", "'never'", "null", "5"}},
    {"metadata", "labels", {"{'app':'w'}", "{}", "", "null", "{'a':'\\u003cb\\u003e','c':'\\\\'}", "{'app':'w','nodeName':'x','metadata':'y'}"}},
    {"metadata", "annotations",
     {"", "{'batch.kubernetes.io/job-completion-index':'3','batch.kubernetes.io/job-index-failure-count':'2'}", "{'controller.kubernetes.io/pod-deletion-cost':'-5'}",
      "{'note':'{\\'spec\\':{\\'nodeName\\':\\'wrong\\'}}','controller.kubernetes.io/pod-deletion-cost':'\\u0037'}", "null", "{'batch.kubernetes.io/job-completion-index':3}"}},
    {"metadata", "ownerReferences",
     {"", "[]", "[{'kind':'ReplicaSet','name':'r','uid':'u','controller':true}]", "[{'kind':'X','uid':'no'},{'kind':'Job','name':'j','uid':'u2','controller':true},{'kind':'Y','uid':'late','controller':true}]",
      "[{'controller':false,'kind':'Job','uid':'n'}]", "[{'controller':'true','uid':'n'}]", "[{'controller':true,'kind':'DaemonSet','uid':'d','name':'esc\\taped'}]", "{'controller':true}"}},
    {"metadata", "finalizers", {"", "[]", "['a/b']", "['a/b','batch.kubernetes.io/job-tracking']", "['batch.kubernetes.io\\/job-tracking']", "null", "'batch.kubernetes.io/job-tracking'"}},
    {"metadata", "managedFields", {"", "[{'manager':'m','fieldsV1':{'f:metadata':{'f:labels':{'.':{}}},'k:{\\'type\\':\\'Ready\\'}':{'.':{}}}}]"}},
    {"spec", "nodeName", {"", "'n1'", "null", "''", "'n\\u0031'"}},
    {"spec", "affinity",
     {"", "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values':['n7','n8']}]}]}}}",
      "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[]}}}", "{'nodeAffinity':null}",
      "{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[]}]}}}"}},
    {"spec", "containers",
     {"[{'name':'c'}]", "[{'name':'c','ports':[{'name':'http','containerPort':80},{'containerPort':81},{'name':'dns','containerPort':53,'protocol':'UDP'}]},{'name':'d','ports':[{'name':'m','containerPort':1e3}]}]",
      "", "null", "[{'name':'c','env':[{'name':'ports','value':'\\'ports\\':[{]}'}],'ports':null},7,'x']"}},
    {"spec", "initContainers", {"", "[{'name':'i','ports':[{'name':'no','containerPort':1}]},{'name':'s','restartPolicy':'Always','ports':[{'name':'yes','containerPort':2}]}]", "{}"}},
    {"spec", "hostname", {"", "'h'", "''"}},
    {"spec", "subdomain", {"", "'s'", "9"}},
    {"spec", "schedulingGates", {"", "[]", "[{'name':'g'}]", "null"}},
    {"status", "phase", {"'Pending'", "'Running'", "'Succeeded'", "'Failed'", "'Failed'", "'Odd'", "", "null"}},
    {"status", "startTime", {"", "'2026-11-18T05:00:02Z'", "null"}},
    {"status", "conditions",
     {"", "[{'type':'Ready','lastTransitionTime':'2026-11-18T05:06:00Z'},{'type':'Ready','status':'True','lastTransitionTime':'2026-11-18T05:07:00Z'}]", "[{'type':'PodScheduled','status':'True'}]", "[{'type':'Ready','status':'True','lastTransitionTime':'2026-11-18T05:01:00Z'},{'type':'Initialized','status':'True'}]",
      "[{'lastTransitionTime':'2026-11-18T05:02:00Z','message':'{\\'type\\':\\'Ready\\'}','status':'False','type':'Ready'}]",
      "[{'type':'Ready','status':'True'},{'type':'Ready','status':'False','lastTransitionTime':'2026-11-18T05:03:00Z'}]", "null", "[null,{'type':'Re\\u0061dy','status':'True','lastTransitionTime':'2026-11-18T05:04:00Z'}]"}},
    {"status", "containerStatuses",
     {"", "[{'name':'c','restartCount':3},{'name':'d','restartCount':1}]", "[{'state':{'terminated':{'finishedAt':'2026-11-18T05:05:00Z'}}},{'state':{'terminated':{'finishedAt':'2026-11-18T05:04:00Z'}},'restartCount':'4'}]",
      "[{'state':{'running':{'finishedAt':'2026-11-18T05:05:00Z'}},'restartCount':2.5}]", "null"}},
    {"status", "podIPs", {"", "[{'ip':'10.0.0.1'},{'ip':'fd00::1'}]", "[{'ip':''},{}]", "[]"}},
    {"status", "podIP", {"", "'10.0.0.9'", "null"}},
};

static uint64_t dice(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void add_choice(struct strbuf *b, const struct choice *c, uint64_t at)
{
    size_t n = 0;
    while (n < ARRAY_LEN(c->values) && c->values[n])
        n++;
    const char *value = c->values[at % n];
    if (value[0])
        strbuf_addf(b, "%s'%s':%s", b->p[b->len - 1] == '{' ? "" : ",", c->key, value);
}

/* Each member is what it usually is, but for those that are odd this time; parts and members in any order. */
static str random_pod(struct arena *a, uint64_t *rng)
{
    static const char *const parts[] = {"metadata", "spec", "status"};
    struct strbuf b = strbuf_on(a);
    size_t first = dice(rng) % ARRAY_LEN(parts), odds = 1 + dice(rng) % 6;
    strbuf_add_str(&b, S("{'kind':'Pod'"));
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const char *part = parts[(first + i) % ARRAY_LEN(parts)]; /* in any order */
        size_t turn = dice(rng) % ARRAY_LEN(choices);
        strbuf_addf(&b, ",'%s':{", part);
        for (size_t k = 0; k < ARRAY_LEN(choices); k++) {
            const struct choice *c = &choices[(k + turn) % ARRAY_LEN(choices)];
            if (strcmp(c->part, part) == 0)
                add_choice(&b, c, dice(rng) % odds == 0 ? dice(rng) : 0);
        }
        strbuf_add_char(&b, '}');
    }
    strbuf_add_char(&b, '}');
    for (size_t i = 0; i < b.len; i++)
        if (b.p[i] == '\'')
            b.p[i] = '"';
    return strbuf_str(&b);
}

TEST(text_is_read_as_a_tree_would_be)
{
    uint64_t rng = 11;
    size_t names = 0;
    for (int round = 0; round < 30000; round++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json obj;
        str text = random_pod(&a, &rng);
        if (json_parse(&a, text, NULL, &obj, NULL) < 0)
            T_EQ_STR(text, "JSON");
        compare(&a, json_text(&a, &obj), true); /* as servers write it */
        compare(&a, text, false);               /* with escapes that need not be */
        if (round % 10 == 0) {
            struct strbuf b = strbuf_on(&a);
            json_write_pretty(&b, &obj);
            compare(&a, strbuf_str(&b), false);
        }
        names += json_get_str(json_get(&obj, S("metadata")), S("name")).len > 0;
    }
    T_OK(names > 10000);
}

TEST(what_is_no_pod_is_no_record)
{
    static const char *const texts[] = {"", "null", "[]", "{}", "{\"metadata\":null}", "{\"metadata\":{\"name\":\"\"}}", "{\"metadata\":[{\"name\":\"a\"}]}", "{\"metadata\":{\"name\":\"a", "{\"spec\":{\"name\":\"a\"}}", "{\"metadata\"", "\"metadata\""};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        T_OK(!pod_record_new(str_of(texts[i])));
}

/* Cut off anywhere it gives some record or none, and reads nothing beyond its end. */
TEST(texts_that_are_cut_off)
{
    uint64_t rng = 5;
    for (int round = 0; round < 300; round++) {
        ARENA_AUTO a = ARENA_INIT;
        str text = random_pod(&a, &rng);
        for (size_t n = 0; n < text.len; n += 1 + n % 7) {
            char *copy = malloc(n ? n : 1); /* its own block, so that a sanitizer sees the end */
            memcpy(copy, text.p, n);
            pod_record_free(pod_record_new(str_n(copy, n)));
            free(copy);
        }
    }
}

TEST(big_pods)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    strbuf_add_str(&b, S("{\"metadata\":{\"name\":\"big\",\"annotations\":{\"note\":\""));
    for (int i = 0; i < 50000; i++)
        strbuf_add_str(&b, S("\\\"{["));
    strbuf_add_str(&b, S("\",\"controller.kubernetes.io/pod-deletion-cost\":\"9\"}},\"spec\":{\"containers\":["));
    for (int i = 0; i < 500; i++)
        strbuf_addf(&b, "%s{\"name\":\"c%d\",\"env\":[{\"name\":\"A\",\"value\":\"}]\"}],\"ports\":[{\"name\":\"p%d\",\"containerPort\":%d}]}", i ? "," : "", i, i, i + 1);
    strbuf_add_str(&b, S("],\"nodeName\":\"n\"},\"status\":{\"phase\":\"Running\"}}"));
    compare(&a, strbuf_str(&b), true);
}

TEST_MAIN(groups_by_owner, who_can_be_reached, own_writes_are_seen_at_once, late_answers_make_no_ghosts, old_events_change_nothing, a_list_drops_what_it_lacks, text_is_read_as_a_tree_would_be,
          what_is_no_pod_is_no_record, texts_that_are_cut_off, big_pods)
