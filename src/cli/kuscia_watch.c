/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_watch.h"

#include <time.h>

#include "cli/print.h"

#define JOBS "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciajobs/"
#define TASKS "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciatasks"
#define DEPTH_MAX 128
#define INDENT_MAX 16
#define NAMES_MAX 3u /* of a list in a column; the rest is counted */

static const struct json *templates_of(const struct json *job)
{
    return json_path(job, "spec", "tasks", NULL);
}

static uint32_t count_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->len : 0;
}

static const struct json *task_of(const struct json *tasks, str alias)
{
    for (uint32_t i = 0; i < count_of(tasks); i++)
        if (str_eq(json_get_str(json_path(&tasks->items[i], "metadata", "annotations", NULL), S("kuscia.secretflow/task-alias")), alias))
            return &tasks->items[i];
    return NULL;
}

/* The longest way to each from one that depends on nothing.  Circles cannot be (the server refuses them); the bound is for what is not the server's. */
static void find_depths(const struct json *list, uint32_t n, int *depth)
{
    for (int round = 0; round < DEPTH_MAX; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < n; i++) {
            const struct json *deps = json_get(&list->items[i], S("dependencies"));
            for (uint32_t k = 0; k < count_of(deps); k++)
                for (uint32_t m = 0; m < n; m++)
                    if (str_eq(json_get_str(&list->items[m], S("alias")), json_str(&deps->items[k])) && depth[i] <= depth[m] && depth[m] < DEPTH_MAX) {
                        depth[i] = depth[m] + 1;
                        changed = true;
                    }
        }
        if (!changed)
            return;
    }
}

static bool is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed") || str_is(phase, "Cancelled") || str_is(phase, "ApprovalReject");
}

static str phase_of(const struct json *obj)
{
    return json_get_str(json_get(obj, S("status")), S("phase"));
}

/* Of a party; ended: the task has. */
static const char *word_of(str phase, bool ended)
{
    static const struct {
        const char *phase, *word;
    } words[] = {{"Succeeded", "ok"}, {"Failed", "failed"}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(phase, words[i].phase))
            return words[i].word;
    return ended ? "stopped" : str_is(phase, "Running") ? "runs" : "waits";
}

static void add_parties(struct strbuf *b, const struct json *template_, const struct json *task)
{
    const struct json *parties = json_get(template_, S("parties")), *status = json_path(task, "status", "partyTaskStatus", NULL);
    for (uint32_t i = 0; i < count_of(parties); i++) {
        str domain = json_get_str(&parties->items[i], S("domainID")), role = json_get_str(&parties->items[i], S("role"));
        strbuf_addf(b, "%s" STR_FMT "%s" STR_FMT, i ? ", " : "", STR_ARG(domain), role.len ? "-" : "", STR_ARG(role));
        for (uint32_t k = 0; k < count_of(status); k++)
            if (str_eq(json_get_str(&status->items[k], S("domainID")), domain) && str_eq(json_get_str(&status->items[k], S("role")), role))
                strbuf_addf(b, " %s", word_of(json_get_str(&status->items[k], S("phase")), is_end(phase_of(task))));
    }
}

/* "a, b, c and 6 more": of the task's dependencies those in that phase; NULL: all, "": those that have not succeeded. */
static str named(struct arena *a, const struct json *template_, const struct json *tasks, const char *phase)
{
    const struct json *deps = json_get(template_, S("dependencies"));
    struct strbuf b = strbuf_on(a);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count_of(deps); i++) {
        str is = phase ? phase_of(task_of(tasks, json_str(&deps->items[i]))) : S("");
        if (phase && (*phase ? !str_is(is, phase) : str_is(is, "Succeeded")))
            continue;
        if (n++ < NAMES_MAX)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(json_str(&deps->items[i])));
    }
    if (n > NAMES_MAX)
        strbuf_addf(&b, " and %u more", n - NAMES_MAX);
    return strbuf_str(&b);
}

/* Why a task is not there: what it depends on and has not succeeded, or that others have all the places. */
static str not_started(struct arena *a, const struct json *job, const struct json *template_, const struct json *tasks)
{
    str failed = named(a, template_, tasks, "Failed"), open = named(a, template_, tasks, "");
    bool ended = is_end(phase_of(job));
    if (failed.len)
        return arena_fmt(a, "%s: " STR_FMT " failed", ended ? "never started" : "cannot start", STR_ARG(failed));
    if (ended)
        return S("never started");
    if (open.len)
        return arena_fmt(a, "waits for " STR_FMT, STR_ARG(open));
    if (str_is(phase_of(job), "Running"))
        return arena_fmt(a, "waits for a place: maxParallelism is %lld", (long long)json_get_int(json_get(job, S("spec")), S("maxParallelism"), 1));
    return S("");
}

static void add_row(struct arena *a, struct tabs *t, const struct json *job, const struct json *template_, const struct json *tasks, int depth)
{
    const struct json *task = task_of(tasks, json_get_str(template_, S("alias")));
    str after = named(a, template_, tasks, NULL), phase = phase_of(task), why = task ? json_get_str(json_get(task, S("status")), S("message")) : not_started(a, job, template_, tasks);
    strbuf_addf(&t->text, "  %*s", 2 * MIN(depth, INDENT_MAX), ""); /* aliases may be anything, the rest is names */
    print_escaped(&t->text, json_get_str(template_, S("alias")));
    strbuf_add_char(&t->text, '\t');
    print_escaped(&t->text, after.len ? after : S("-"));
    strbuf_addf(&t->text, "\t" STR_FMT "\t", STR_ARG(phase.len ? phase : task ? S("Pending") : S("-")));
    add_parties(&t->text, template_, task);
    strbuf_add_char(&t->text, '\t');
    print_escaped(&t->text, why.len ? why : S("-"));
    strbuf_add_char(&t->text, '\n');
}

void kuscia_view_fini(struct kuscia_view *v)
{
    tabs_fini(&v->tabs);
}

/* True: the text is not what stood in this place before. */
static bool is_new(uint64_t *place, str text)
{
    uint64_t was = *place;
    *place = str_hash(text);
    return was != *place;
}

static str head_of(struct arena *a, const struct json *job, const struct json *tasks)
{
    const struct json *list = templates_of(job);
    str phase = phase_of(job), message = json_get_str(json_get(job, S("status")), S("message"));
    uint32_t done = 0;
    for (uint32_t i = 0; i < count_of(list); i++)
        done += str_is(phase_of(task_of(tasks, json_get_str(&list->items[i], S("alias")))), "Succeeded");
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "KusciaJob " STR_FMT " of " STR_FMT ": " STR_FMT ", %u of %u tasks done%s", STR_ARG(json_get_str(json_get(job, S("metadata")), S("name"))),
                STR_ARG(json_get_str(json_get(job, S("spec")), S("initiator"))), STR_ARG(phase.len ? phase : S("new")), done, count_of(list), message.len ? "; " : "");
    print_escaped(&b, message);
    strbuf_add_char(&b, '\n');
    return strbuf_str(&b);
}

void kuscia_picture(struct kuscia_view *v, struct arena *a, const struct json *job, const struct json *tasks, bool all, struct strbuf *out)
{
    const struct json *list = templates_of(job);
    uint32_t n = MIN(count_of(list), (uint32_t)KUSCIA_VIEW_ROWS);
    int *depth = arena_array(a, n + 1, int);
    str head = head_of(a, job, tasks);
    memset(depth, 0, (n + 1) * sizeof *depth);
    find_depths(list, n, depth);
    if (is_new(&v->head_, head) || all)
        strbuf_add_str(out, head);
    if (all)
        strbuf_add_str(&v->tabs.text, S("  TASK\tAFTER\tPHASE\tPARTIES\tWHY\n"));
    for (int d = 0; d <= DEPTH_MAX; d++)
        for (uint32_t i = 0; i < n; i++) {
            size_t from = v->tabs.text.len;
            if (depth[i] != d)
                continue;
            add_row(a, &v->tabs, job, &list->items[i], tasks, d);
            if (!is_new(&v->rows_[i], str_from(strbuf_str(&v->tabs.text), from)) && !all)
                v->tabs.text.len = from;
        }
    tabs_flush(&v->tabs, out);
}

/* One look. */
static int look(struct session *s, struct kuscia_view *v, const char *name, bool all, struct strbuf *out, bool *ret_ended, bool *ret_good, struct failure *f)
{
    struct json job, tasks;
    struct arena *a = &s->arena;
    int r = session_get(s, arena_fmt(a, JOBS "%s", name), S(""), &job, f);
    if (r >= 0)
        r = session_get(s, S(TASKS), arena_fmt(a, "labelSelector=kuscia.secretflow%%2Fjob-uid%%3D" STR_FMT, STR_ARG(json_get_str(json_get(&job, S("metadata")), S("uid")))), &tasks, f);
    if (r < 0)
        return r;
    *ret_ended = is_end(phase_of(&job));
    *ret_good = str_is(phase_of(&job), "Succeeded");
    kuscia_picture(v, a, &job, json_get(&tasks, S("items")), all || *ret_ended, out);
    return 0;
}

int kuscia_watch(struct session *s, const char *name, bool once, struct failure *f)
{
    KUSCIA_VIEW_AUTO view = KUSCIA_VIEW;
    for (bool first = true;; first = false) {
        STRBUF_AUTO out = STRBUF_HEAP;
        bool ended = false, good = false;
        struct arena kept = s->arena; /* answers of one look are not needed for the next */
        s->arena = ARENA_INIT;
        int r = look(s, &view, name, first, &out, &ended, &good, f);
        struct arena answers = s->arena;
        s->arena = kept;
        if (r < 0 && f->from_server) {
            f->status = json_copy(&s->arena, &f->status);
            f->message = arena_str(&s->arena, f->message);
        }
        arena_fini(&answers);
        if (r < 0)
            return r;
        print_flush(&out);
        if (ended && !good)
            return failure_set(f, E_CONFLICT, "the job did not succeed");
        if (ended || once)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 500 * NSEC_PER_MSEC}, NULL);
    }
}
