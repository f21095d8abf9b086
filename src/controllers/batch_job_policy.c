/* batch_job_policy.c - index lists and failure policies of Jobs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/batch_job_plan.h"

void job_indexes_parse(str text, uint8_t *marks, int64_t n)
{
    str part, low;
    for (bool more = text.len > 0; more;) {
        int64_t from, to;
        more = str_cut(&text, ',', &part);
        bool range = str_cut(&part, '-', &low);
        if (!str_to_i64(low, &from) || from < 0 || (range && !str_to_i64(part, &to)))
            continue;
        for (int64_t i = from; i <= (range ? to : from) && i < n; i++)
            marks[i] = 1;
    }
}

str job_indexes_write(struct arena *a, const uint8_t *marks, int64_t n)
{
    struct strbuf b = strbuf_on(a);
    for (int64_t i = 0; i < n; i++) {
        int64_t end = i;
        if (!marks[i])
            continue;
        while (end + 1 < n && marks[end + 1])
            end++;
        strbuf_addf(&b, "%s%lld", b.len ? "," : "", (long long)i);
        if (end > i)
            strbuf_addf(&b, "%c%lld", end == i + 1 ? ',' : '-', (long long)end);
        i = end;
    }
    return strbuf_str(&b);
}

static bool code_in(const struct json *values, int64_t code)
{
    int64_t v;
    for (uint32_t i = 0; json_is(values, JSON_ARRAY) && i < values->len; i++)
        if (json_to_i64(&values->items[i], &v) && v == code)
            return true;
    return false;
}

/* The first container that ended with a code the rule is about. */
static const struct json *match_codes(const struct json *rule, const struct json *status, int64_t *ret_code)
{
    static const str lists[] = {STR_INIT("containerStatuses"), STR_INIT("initContainerStatuses")};
    str name = json_get_str(rule, S("containerName"));
    bool in = str_is(json_get_str(rule, S("operator")), "In");
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *list = json_get(status, lists[l]);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            const struct json *c = &list->items[i], *ended = json_path(c, "state", "terminated", NULL);
            int64_t code = json_get_int(ended, S("exitCode"), 0);
            if (code && (!name.len || str_eq(name, json_get_str(c, S("name")))) && code_in(json_get(rule, S("values")), code) == in) {
                *ret_code = code;
                return c;
            }
        }
    }
    return NULL;
}

static const struct json *match_conditions(const struct json *patterns, const struct json *status)
{
    const struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        for (uint32_t p = 0; json_is(patterns, JSON_ARRAY) && p < patterns->len; p++) {
            str wanted = json_get_str(&patterns->items[p], S("status"));
            if (str_eq(json_get_str(&patterns->items[p], S("type")), json_get_str(&list->items[i], S("type"))) &&
                str_eq(wanted.len ? wanted : S("True"), json_get_str(&list->items[i], S("status"))))
                return &list->items[i];
        }
    return NULL;
}

enum job_verdict job_failure_verdict(struct arena *a, const struct json *policy, const struct pod_record *p, str *ret_why)
{
    static const struct {
        const char *action;
        enum job_verdict verdict;
    } actions[] = {{"FailJob", JOB_FAIL}, {"FailIndex", JOB_FAIL_INDEX}, {"Ignore", JOB_IGNORE}, {"Count", JOB_COUNT}};
    const struct json *rules = json_get(policy, S("rules"));
    struct json status;
    if (!rules || p->phase != POD_FAILED || !p->failure.len || json_parse(a, arena_str(a, p->failure), NULL, &status, NULL) < 0)
        return JOB_COUNT;
    for (uint32_t i = 0; json_is(rules, JSON_ARRAY) && i < rules->len; i++) {
        const struct json *rule = &rules->items[i], *codes = json_get(rule, S("onExitCodes"));
        int64_t code = 0;
        const struct json *container = codes ? match_codes(codes, &status, &code) : NULL;
        const struct json *condition = codes ? NULL : match_conditions(json_get(rule, S("onPodConditions")), &status);
        if (!container && !condition)
            continue;
        str action = json_get_str(rule, S("action"));
        if (container)
            *ret_why = arena_fmt(a, "Container " STR_FMT " for pod " STR_FMT " failed with exit code %lld matching " STR_FMT " rule at index %u",
                                 STR_ARG(json_get_str(container, S("name"))), STR_ARG(p->key), (long long)code, STR_ARG(action), i);
        else
            *ret_why = arena_fmt(a, "Pod " STR_FMT " has condition " STR_FMT " matching " STR_FMT " rule at index %u", STR_ARG(p->key),
                                 STR_ARG(json_get_str(condition, S("type"))), STR_ARG(action), i);
        for (size_t k = 0; k < ARRAY_LEN(actions); k++)
            if (str_is(action, actions[k].action))
                return actions[k].verdict;
    }
    return JOB_COUNT;
}
