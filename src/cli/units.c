/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/units.h"

#include "base/map.h"
#include "cli/print.h"
#include "cli/resources.h"

#define API "/apis/scheduling.run.ai/v2alpha2"
#define QUEUES "/apis/scheduling.run.ai/v2/queues"
#define GROUP_NOTE "pod-group-name"
#define PAGE 500

/* --- pure -------------------------------------------------------------------------------------------------------------------------------- */
static bool is_parent(const struct json *list, str name)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("parent")), name))
            return true;
    return false;
}

int64_t unit_min(const struct json *spec)
{
    const struct json *list = json_get(spec, S("subGroups"));
    int64_t sum = 0;
    if (!json_is(list, JSON_ARRAY) || !list->len)
        return json_get_int(spec, S("minMember"), 1);
    for (uint32_t i = 0; i < list->len; i++)
        if (!is_parent(list, json_get_str(&list->items[i], S("name"))))
            sum += json_get_int(&list->items[i], S("minMember"), 1);
    return sum;
}

void unit_count_pod(struct unit_counts_view *n, const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    bool has_node = json_get_str(json_get(pod, S("spec")), S("nodeName")).len > 0;
    n->total++;
    if (str_is(phase, "Succeeded")) {
        n->succeeded++;
    } else if (str_is(phase, "Failed")) {
        n->failed++;
    } else if (json_path(pod, "metadata", "deletionTimestamp", NULL)) {
        n->leaving++;
    } else if (has_node) {
        n->placed++;
        n->running += str_is(phase, "Running");
    } else {
        n->waiting++;
    }
}

const char *unit_state(const struct unit_counts_view *n, int64_t min)
{
    if (n->placed)
        return n->running ? "Running" : "Starting";
    if (n->waiting)
        return n->waiting + n->succeeded < min ? "Incomplete" : "Pending";
    return n->leaving ? "Leaving" : n->failed ? "Failed" : n->succeeded ? "Succeeded" : "Empty";
}

/* --- out of the API ------------------------------------------------------------------------------------------------------------------------- */
static str meta_str(const struct json *obj, str key)
{
    return json_get_str(json_get(obj, S("metadata")), key);
}

static str group_of_pod(const struct json *pod)
{
    return json_get_str(json_path(pod, "metadata", "annotations", NULL), S(GROUP_NOTE));
}

static const struct json *items_of(const struct json *list)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *items = json_get(list, S("items"));
    return json_is(items, JSON_ARRAY) ? items : &none;
}

static str list_path(struct session *s, const char *api, str ns, const char *plural)
{
    struct strbuf b = strbuf_on(&s->arena);
    strbuf_add_str(&b, str_of(api));
    if (ns.len) {
        strbuf_add_str(&b, S("/namespaces"));
        client_path_add(&b, ns);
    }
    strbuf_addf(&b, "/%s", plural);
    return strbuf_str(&b);
}

static int by_group(const void *x, const void *y)
{
    const struct json *a = *(const struct json *const *)x, *b = *(const struct json *const *)y;
    int c = str_cmp(meta_str(a, S("namespace")), meta_str(b, S("namespace")));
    if (!c)
        c = str_cmp(group_of_pod(a), group_of_pod(b));
    return c ? c : str_cmp(meta_str(a, S("name")), meta_str(b, S("name")));
}

static int compare_group(const struct json *pod, const struct unit_view *u)
{
    int c = str_cmp(meta_str(pod, S("namespace")), u->ns);
    return c ? c : str_cmp(group_of_pod(pod), u->name);
}

/* Pods are in the order of by_group: those of one group stand together. */
static void add_pods(struct unit_view *u, const struct json **pods, size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (compare_group(pods[mid], u) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    u->pods = pods + low;
    while (low + u->npods < n && compare_group(u->pods[u->npods], u) == 0)
        unit_count_pod(&u->n, u->pods[u->npods++]);
}

static void read_owner(struct unit_view *u)
{
    const struct json *refs = json_path(u->group, "metadata", "ownerReferences", NULL);
    const struct json *owner = NULL;
    for (uint32_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++)
        if (!owner || json_get_bool(&refs->items[i], S("controller"), false))
            owner = &refs->items[i];
    u->kind = owner ? json_get_str(owner, S("kind")) : S("PodGroup");
    u->owner = owner ? json_get_str(owner, S("name")) : u->name;
}

static str pod_says(const struct json *pod)
{
    const struct json *list = json_path(pod, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "PodScheduled") && str_is(json_get_str(&list->items[i], S("status")), "False"))
            return json_get_str(&list->items[i], S("message"));
    return S("");
}

/* The group's condition; else what one of the pods is told. */
static void read_why(struct unit_view *u)
{
    const struct json *list = json_path(u->group, "status", "schedulingConditions", NULL);
    if (!u->n.waiting)
        return;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("status")), "True")) {
            u->reason = json_get_str(&list->items[i], S("reason"));
            u->why = json_get_str(&list->items[i], S("message"));
            return;
        }
    for (size_t i = 0; i < u->npods && !u->why.len; i++)
        u->why = pod_says(u->pods[i]);
}

static void read_positions(struct session *s, struct units_view *v)
{
    struct failure ignored = FAILURE_NONE;
    struct json queues;
    struct map by_key = MAP_INIT;
    if (resources_list(s, S(QUEUES), S(""), S(""), PAGE, &queues, &ignored) < 0)
        return; /* not everybody may look at queues */
    for (size_t i = 0; i < v->len; i++)
        map_put(&by_key, arena_fmt(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(v->p[i].ns), STR_ARG(v->p[i].name)), &v->p[i]);
    const struct json *items = items_of(&queues);
    for (uint32_t i = 0; i < items->len; i++) {
        const struct json *units = json_path(&items->items[i], "status", "units", NULL);
        for (uint32_t k = 0; json_is(units, JSON_ARRAY) && k < units->len; k++) {
            const struct json *x = &units->items[k];
            struct unit_view *u = map_get(&by_key, arena_fmt(&s->arena, STR_FMT "/" STR_FMT, STR_ARG(json_get_str(x, S("namespace"))), STR_ARG(json_get_str(x, S("name")))));
            if (u && u->n.waiting)
                u->position = json_get_int(x, S("position"), 0);
        }
    }
    map_fini(&by_key);
}

int units_load(struct session *s, str ns, struct units_view *ret, struct failure *f)
{
    struct units_view v = {0};
    struct json pod_list;
    int r = resources_list(s, list_path(s, API, ns, "podgroups"), S(""), S(""), PAGE, &v.list, f);
    if (r >= 0)
        r = resources_list(s, list_path(s, "/api/v1", ns, "pods"), S(""), S(""), PAGE, &pod_list, f);
    if (r < 0)
        return r;
    struct json *groups = json_get(&v.list, S("items"));
    for (uint32_t i = 0; json_is(groups, JSON_ARRAY) && i < groups->len; i++) { /* items of a list need not say what they are */
        json_set(&s->arena, &groups->items[i], S("apiVersion"), json_string(S("scheduling.run.ai/v2alpha2")));
        json_set(&s->arena, &groups->items[i], S("kind"), json_string(S("PodGroup")));
    }
    const struct json *items = items_of(&v.list), *all = items_of(&pod_list);
    const struct json **pods = arena_array(&s->arena, all->len, const struct json *);
    for (uint32_t i = 0; i < all->len; i++)
        pods[i] = &all->items[i];
    if (all->len)
        qsort(pods, all->len, sizeof *pods, by_group);
    v.p = arena_array(&s->arena, items->len, struct unit_view);
    v.len = items->len;
    for (size_t i = 0; i < v.len; i++) {
        struct unit_view *u = &v.p[i];
        const struct json *spec = json_get(&items->items[i], S("spec"));
        *u = (struct unit_view){.group = &items->items[i], .ns = meta_str(&items->items[i], S("namespace")), .name = meta_str(&items->items[i], S("name")),
                                .queue = json_get_str(spec, S("queue")), .min = unit_min(spec)};
        read_owner(u);
        add_pods(u, pods, all->len);
        u->state = unit_state(&u->n, u->min);
        read_why(u);
    }
    read_positions(s, &v);
    *ret = v;
    return 0;
}

bool units_belongs_to(const struct unit_view *u, str kind, str name)
{
    if (str_eq(u->owner, name) && (!kind.len || str_ieq(u->kind, kind)))
        return true;
    for (size_t i = 0; i < u->npods; i++) {
        const struct json *refs = json_path(u->pods[i], "metadata", "ownerReferences", NULL);
        for (uint32_t k = 0; json_is(refs, JSON_ARRAY) && k < refs->len; k++)
            if (str_eq(json_get_str(&refs->items[k], S("name")), name) && (!kind.len || str_ieq(json_get_str(&refs->items[k], S("kind")), kind)))
                return true;
    }
    return false;
}

/* --- as text ---------------------------------------------------------------------------------------------------------------------------------- */
static const char *pod_state(const struct json *pod)
{
    struct unit_counts_view n = {0};
    unit_count_pod(&n, pod);
    return n.waiting ? "Pending" : unit_state(&n, 1);
}

void units_write_pods(struct session *s, const struct unit_view *u, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    if (!u->npods)
        return;
    strbuf_add_str(&t.text, S("\nPOD\tNODE\tSTATE\tAGE\n"));
    for (size_t i = 0; i < u->npods; i++) {
        str node = json_get_str(json_get(u->pods[i], S("spec")), S("nodeName"));
        strbuf_addf(&t.text, STR_FMT "\t" STR_FMT "\t%s\t" STR_FMT "\n", STR_ARG(meta_str(u->pods[i], S("name"))), STR_ARG(node.len ? node : S("-")), pod_state(u->pods[i]),
                    STR_ARG(print_age(&s->arena, json_path(u->pods[i], "metadata", "creationTimestamp", NULL))));
    }
    tabs_flush(&t, out);
}

str units_members_text(struct arena *a, const struct unit_view *u)
{
    struct strbuf b = strbuf_on(a);
    const struct {
        uint32_t n;
        const char *text;
    } parts[] = {{u->n.waiting, "wait"}, {u->n.leaving, "leaving"}, {u->n.succeeded, "succeeded"}, {u->n.failed, "failed"}};
    strbuf_addf(&b, "%u of %u placed", u->n.placed, u->n.total);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (parts[i].n)
            strbuf_addf(&b, ", %u %s", parts[i].n, parts[i].text);
    strbuf_addf(&b, "; at least %lld together", (long long)u->min);
    return strbuf_str(&b);
}

const struct json *units_waits_since(const struct unit_view *u)
{
    const struct json *first = NULL;
    for (size_t i = 0; i < u->npods; i++) {
        struct unit_counts_view n = {0};
        const struct json *at = json_path(u->pods[i], "metadata", "creationTimestamp", NULL);
        unit_count_pod(&n, u->pods[i]);
        if (n.waiting && at && (!first || str_cmp(json_str(at), json_str(first)) < 0))
            first = at;
    }
    return first;
}
