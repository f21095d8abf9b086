/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pod_target.h"

#include <time.h>

#include "cli/resources.h"

#define POD_LOOK_NS (100 * NSEC_PER_MSEC) /* between two looks */

static str meta_str(const struct json *obj, const char *key)
{
    return json_get_str(json_get(obj, S("metadata")), str_of(key));
}

str pod_target_path(struct session *s, const struct json *pod, const char *sub)
{
    struct strbuf b = strbuf_on(&s->arena);
    strbuf_add_str(&b, S("/api/v1/namespaces"));
    client_path_add(&b, meta_str(pod, "namespace"));
    strbuf_add_str(&b, S("/pods"));
    client_path_add(&b, meta_str(pod, "name"));
    client_path_add(&b, str_of(sub));
    return strbuf_str(&b);
}

/* --- pods ---------------------------------------------------------------------------------------------------------------- */

static bool is_ready(const struct json *pod)
{
    const struct json *list = json_path(pod, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

static int rank(const struct json *pod)
{
    str phase = json_get_str(json_get(pod, S("status")), S("phase"));
    bool bound = json_get_str(json_get(pod, S("spec")), S("nodeName")).len > 0;
    bool leaves = meta_str(pod, "deletionTimestamp").len > 0; /* still running, but not for long */
    return (bound ? 8 : 0) + (str_is(phase, "Running") ? 4 : 0) + (leaves ? 0 : 2) + (is_ready(pod) ? 1 : 0);
}

static int by_rank(const void *a, const void *b)
{
    int d = rank(b) - rank(a);
    return d ? d : str_cmp(meta_str(a, "creationTimestamp"), meta_str(b, "creationTimestamp"));
}

static int list_pods(struct session *s, str ns, str selector, struct json *ret, struct failure *f)
{
    struct strbuf path = strbuf_on(&s->arena), query = strbuf_on(&s->arena);
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, ns);
    strbuf_add_str(&path, S("/pods"));
    client_query_add(&query, "labelSelector", selector);
    struct json list;
    int r = resources_list(s, strbuf_str(&path), strbuf_str(&query), S("application/json"), 500, &list, f);
    if (r < 0)
        return r;
    struct json *items = json_get(&list, S("items"));
    *ret = items ? *items : json_array();
    if (ret->len > 1)
        qsort(ret->items, ret->len, sizeof ret->items[0], by_rank);
    return 0;
}

int pod_target_list(struct session *s, const char *selector, struct json *ret_list, struct failure *f)
{
    return list_pods(s, s->namespace_, str_of(selector), ret_list, f);
}

/* The labels an object selects pods by, as a query. */
static int selector_of(struct session *s, const struct json *obj, str *ret, struct failure *f)
{
    const struct json *sel = json_path(obj, "spec", "selector", NULL), *labels = json_get(sel, S("matchLabels")), *terms = json_get(sel, S("matchExpressions"));
    struct strbuf b = strbuf_on(&s->arena);
    if (!labels && !terms)
        labels = sel; /* services and replication controllers */
    for (uint32_t i = 0; json_is(labels, JSON_OBJECT) && i < labels->len; i++)
        strbuf_addf(&b, "%s" STR_FMT "=" STR_FMT, b.len ? "," : "", STR_ARG(labels->members[i].key), STR_ARG(json_str(&labels->members[i].value)));
    for (uint32_t i = 0; json_is(terms, JSON_ARRAY) && i < terms->len; i++) {
        str key = json_get_str(&terms->items[i], S("key")), op = json_get_str(&terms->items[i], S("operator"));
        const struct json *values = json_get(&terms->items[i], S("values"));
        strbuf_addf(&b, "%s%s" STR_FMT, b.len ? "," : "", str_is(op, "DoesNotExist") ? "!" : "", STR_ARG(key));
        if (!str_is(op, "In") && !str_is(op, "NotIn"))
            continue;
        strbuf_addf(&b, " %s (", str_is(op, "In") ? "in" : "notin");
        for (uint32_t k = 0; json_is(values, JSON_ARRAY) && k < values->len; k++)
            strbuf_addf(&b, "%s" STR_FMT, k ? "," : "", STR_ARG(json_str(&values->items[k])));
        strbuf_add_char(&b, ')');
    }
    if (!b.len)
        return failure_set(f, E_INVALID_ARG, "cannot find the pods of " STR_FMT "/" STR_FMT ": it has no selector", STR_ARG(json_get_str(obj, S("kind"))), STR_ARG(meta_str(obj, "name")));
    *ret = strbuf_str(&b);
    return 0;
}

/* An object that was made a moment ago has no pods yet. */
static int wait_for_pods(struct session *s, const char *word, str ns, str selector, struct json *ret_list, struct failure *f)
{
    int64_t wait_ns = cli_duration_ns(s->args, "pod-running-timeout", 20 * NSEC_PER_SEC);
    nsec_t end = clock_mono(&clock_real) + wait_ns;
    for (;;) {
        int r = list_pods(s, ns, selector, ret_list, f);
        if (r < 0 || ret_list->len)
            return r;
        if (clock_mono(&clock_real) >= end)
            return failure_set(f, E_NOT_FOUND, "%s has no pods, after %lld seconds", word, (long long)(wait_ns / NSEC_PER_SEC));
        nanosleep(&(struct timespec){.tv_nsec = POD_LOOK_NS}, NULL);
    }
}

int pod_target_all(struct session *s, const char *word, struct json *ret_list, struct failure *f)
{
    const char *words[2] = {"pod", word};
    bool is_typed = strchr(word, '/') != NULL;
    struct resource_query q = {.words = is_typed ? words + 1 : words, .nwords = is_typed ? 1 : 2};
    struct targets found;
    int r = resources_find(s, &q, &found, f);
    if (r < 0)
        return r;
    if (!found.len)
        return s->failures.len ? 1 : failure_set(f, E_NOT_FOUND, "no object named %s", word);
    const struct json *obj = &found.p[0].object;
    if (str_is(json_get_str(obj, S("kind")), "Pod")) {
        *ret_list = json_array();
        json_push(&s->arena, ret_list, *obj);
        return 0;
    }
    str selector;
    r = selector_of(s, obj, &selector, f);
    return r < 0 ? r : wait_for_pods(s, word, meta_str(obj, "namespace"), selector, ret_list, f);
}

int pod_target_find(struct session *s, const char *word, struct json *ret, struct failure *f)
{
    struct json list;
    int r = pod_target_all(s, word, &list, f);
    if (r == 0)
        *ret = list.items[0];
    return r;
}

/* --- containers -------------------------------------------------------------------------------------------------------------- */

static const char *const lists[] = {"containers", "initContainers", "ephemeralContainers"};

static void add_names(struct strbuf *b, const struct json *pod)
{
    static const char *const notes[] = {"", " (init)", " (ephem)"};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_get(json_get(pod, S("spec")), str_of(lists[k]));
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            strbuf_addf(b, "%s" STR_FMT "%s", b->len ? ", " : "", STR_ARG(json_get_str(&list->items[i], S("name"))), notes[k]);
    }
}

static bool has(const struct json *pod, str name)
{
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_get(json_get(pod, S("spec")), str_of(lists[k]));
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            if (str_eq(json_get_str(&list->items[i], S("name")), name))
                return true;
    }
    return false;
}

int pod_target_container(struct session *s, const struct json *pod, const char *wanted, bool quiet, str *ret, struct failure *f)
{
    struct strbuf names = strbuf_on(&s->arena);
    add_names(&names, pod);
    if (wanted) {
        *ret = str_of(wanted);
        return has(pod, *ret) ? 0
                              : failure_set(f, E_INVALID_ARG, "container %s is not valid for pod " STR_FMT "; it has: " STR_FMT, wanted, STR_ARG(meta_str(pod, "name")),
                                            STR_ARG(strbuf_str(&names)));
    }
    str noted = json_get_str(json_path(pod, "metadata", "annotations", NULL), S("kubectl.kubernetes.io/default-container"));
    const struct json *main = json_path(pod, "spec", "containers", NULL);
    if (!json_is(main, JSON_ARRAY) || !main->len)
        return failure_set(f, E_INVALID_ARG, "pod " STR_FMT " has no containers", STR_ARG(meta_str(pod, "name")));
    if (noted.len && has(pod, noted)) {
        *ret = noted;
        return 0;
    }
    *ret = json_get_str(&main->items[0], S("name"));
    if (str_find(strbuf_str(&names), S(", ")) >= 0 && !quiet)
        fprintf(stderr, "Defaulted container \"" STR_FMT "\" out of: " STR_FMT "\n", STR_ARG(*ret), STR_ARG(strbuf_str(&names)));
    return 0;
}
