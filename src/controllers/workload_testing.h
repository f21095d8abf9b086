/* workload_testing.h - pods and objects in a line of text, for the tests of plans.
 *
 *     pod("web-1 node=n1 Running ready=10 hash=abc")
 * Words: node=, a phase, ready=SECONDS (since when), created=, restarts=, cost=, hash= (label controller-revision-hash), index=, failures=, uid=, exit=CODE, deleting, tracked.
 * Text is JSON with ' for ". */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/test.h"
#include "controllers/pod_cache.h"

UNUSED static struct json tree(struct arena *a, const char *text)
{
    char *copy = (char *)arena_cstr(a, str_of(text));
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    return json_literal(a, copy);
}

UNUSED static bool word_int(str word, const char *key, int64_t *ret)
{
    size_t n = strlen(key);
    return str_has_prefix(word, str_of(key)) && str_to_i64(str_from(word, n), ret);
}

UNUSED static bool word_text(struct arena *a, str word, const char *key, str *ret)
{
    if (!str_has_prefix(word, str_of(key)))
        return false;
    *ret = arena_str(a, str_from(word, strlen(key)));
    return true;
}

UNUSED static struct pod_record *pod(struct arena *a, const char *text)
{
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    struct pod_record *p = arena_new(a, struct pod_record);
    str rest = str_of(text), word;
    int64_t n;
    for (bool more = true, first = true; more; first = false) {
        more = str_cut(&rest, ' ', &word);
        if (first) {
            p->name = p->uid = arena_str(a, word);
            p->ns = S("default");
            p->key = arena_fmt(a, "default/" STR_FMT, STR_ARG(word));
            continue;
        }
        for (size_t i = 0; i < ARRAY_LEN(phases); i++)
            if (str_is(word, phases[i]))
                p->phase = (enum pod_phase)i;
        str v;
        if (word_int(word, "ready=", &n)) {
            p->ready = true;
            p->ready_since = n * NSEC_PER_SEC;
        }
        p->created = word_int(word, "created=", &n) ? n * NSEC_PER_SEC : p->created;
        p->finished_at = word_int(word, "finished=", &n) ? n * NSEC_PER_SEC : p->finished_at;
        p->restarts = word_int(word, "restarts=", &n) ? n : p->restarts;
        p->deletion_cost = word_int(word, "cost=", &n) ? n : p->deletion_cost;
        p->index_failures = word_int(word, "failures=", &n) ? n : p->index_failures;
        if (word_int(word, "exit=", &n))
            p->failure = arena_fmt(a, "{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{\"exitCode\":%lld}}}]}", (long long)n);
        if (word_text(a, word, "hash=", &v))
            p->labels = arena_fmt(a, "{\"controller-revision-hash\":\"" STR_FMT "\"}", STR_ARG(v));
        word_text(a, word, "node=", &p->node);
        word_text(a, word, "index=", &p->index);
        word_text(a, word, "uid=", &p->uid);
        p->deleting |= str_is(word, "deleting");
        p->tracked |= str_is(word, "tracked");
    }
    return p;
}
