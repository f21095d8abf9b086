/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_watch.h"

#include <time.h>

#include "cli/print.h"

#define JOBS "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciajobs/"
#define TASKS "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciatasks"
#define DEPTH_MAX 128
#define INDENT_MAX 16

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
static void find_depths(const struct json *list, int *depth)
{
    for (int round = 0; round < DEPTH_MAX; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < count_of(list); i++) {
            const struct json *deps = json_get(&list->items[i], S("dependencies"));
            for (uint32_t k = 0; k < count_of(deps); k++)
                for (uint32_t m = 0; m < count_of(list); m++)
                    if (str_eq(json_get_str(&list->items[m], S("alias")), json_str(&deps->items[k])) && depth[i] <= depth[m] && depth[m] < DEPTH_MAX) {
                        depth[i] = depth[m] + 1;
                        changed = true;
                    }
        }
        if (!changed)
            return;
    }
}

static const char *word_of(str phase)
{
    static const struct {
        const char *phase, *word;
    } words[] = {{"Succeeded", "ok"}, {"Failed", "failed"}, {"Running", "runs"}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(phase, words[i].phase))
            return words[i].word;
    return "waits";
}

static void add_parties(struct strbuf *b, const struct json *template_, const struct json *task)
{
    const struct json *parties = json_get(template_, S("parties")), *status = json_path(task, "status", "partyTaskStatus", NULL);
    for (uint32_t i = 0; i < count_of(parties); i++) {
        str domain = json_get_str(&parties->items[i], S("domainID")), role = json_get_str(&parties->items[i], S("role"));
        strbuf_addf(b, "%s" STR_FMT "%s" STR_FMT, i ? ", " : "", STR_ARG(domain), role.len ? "-" : "", STR_ARG(role));
        for (uint32_t k = 0; k < count_of(status); k++)
            if (str_eq(json_get_str(&status->items[k], S("domainID")), domain) && str_eq(json_get_str(&status->items[k], S("role")), role))
                strbuf_addf(b, " %s", word_of(json_get_str(&status->items[k], S("phase"))));
    }
}

static void add_row(struct tabs *t, const struct json *template_, const struct json *task, int depth)
{
    const struct json *deps = json_get(template_, S("dependencies"));
    str phase = json_get_str(json_get(task, S("status")), S("phase")), why = json_get_str(json_get(task, S("status")), S("message"));
    strbuf_addf(&t->text, "  %*s" STR_FMT "\t", 2 * MIN(depth, INDENT_MAX), "", STR_ARG(json_get_str(template_, S("alias"))));
    for (uint32_t i = 0; i < count_of(deps); i++)
        strbuf_addf(&t->text, "%s" STR_FMT, i ? "," : "", STR_ARG(json_str(&deps->items[i])));
    strbuf_addf(&t->text, "%s\t" STR_FMT "\t", count_of(deps) ? "" : "-", STR_ARG(phase.len ? phase : task ? S("Pending") : S("-")));
    add_parties(&t->text, template_, task);
    strbuf_add_char(&t->text, '\t');
    print_escaped(&t->text, why.len ? why : S("-"));
    strbuf_add_char(&t->text, '\n');
}

void kuscia_picture(struct arena *a, const struct json *job, const struct json *tasks, struct strbuf *out)
{
    TABS_AUTO t = TABS_TABLE;
    const struct json *list = templates_of(job), *status = json_get(job, S("status"));
    int *depth = arena_array(a, count_of(list) + 1, int);
    uint32_t done = 0;
    str phase = json_get_str(status, S("phase")), message = json_get_str(status, S("message"));
    memset(depth, 0, (count_of(list) + 1) * sizeof *depth);
    find_depths(list, depth);
    for (uint32_t i = 0; i < count_of(list); i++)
        done += str_is(json_get_str(json_get(task_of(tasks, json_get_str(&list->items[i], S("alias"))), S("status")), S("phase")), "Succeeded");
    strbuf_addf(out, "KusciaJob " STR_FMT " of " STR_FMT ": " STR_FMT ", %u of %u tasks done%s" STR_FMT "\n", STR_ARG(json_get_str(json_get(job, S("metadata")), S("name"))),
                STR_ARG(json_get_str(json_get(job, S("spec")), S("initiator"))), STR_ARG(phase.len ? phase : S("new")), done, count_of(list), message.len ? "; " : "", STR_ARG(message));
    strbuf_add_str(&t.text, S("  TASK\tAFTER\tPHASE\tPARTIES\tWHY\n"));
    for (int d = 0; d <= DEPTH_MAX; d++)
        for (uint32_t i = 0; i < count_of(list); i++)
            if (depth[i] == d)
                add_row(&t, &list->items[i], task_of(tasks, json_get_str(&list->items[i], S("alias"))), d);
    tabs_flush(&t, out);
}

static bool is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed") || str_is(phase, "Cancelled") || str_is(phase, "ApprovalReject");
}

/* One look. */
static int look(struct session *s, const char *name, struct strbuf *out, bool *ret_ended, bool *ret_good, struct failure *f)
{
    struct json job, tasks;
    struct arena *a = &s->arena;
    int r = session_get(s, arena_fmt(a, JOBS "%s", name), S(""), &job, f);
    if (r >= 0)
        r = session_get(s, S(TASKS), arena_fmt(a, "labelSelector=kuscia.secretflow%%2Fjob-uid%%3D" STR_FMT, STR_ARG(json_get_str(json_get(&job, S("metadata")), S("uid")))), &tasks, f);
    if (r < 0)
        return r;
    str phase = json_get_str(json_get(&job, S("status")), S("phase"));
    kuscia_picture(a, &job, json_get(&tasks, S("items")), out);
    *ret_ended = is_end(phase);
    *ret_good = str_is(phase, "Succeeded");
    return 0;
}

int kuscia_watch(struct session *s, const char *name, bool once, struct failure *f)
{
    uint64_t last = 0;
    for (;;) {
        STRBUF_AUTO out = STRBUF_HEAP;
        bool ended = false, good = false;
        struct arena kept = s->arena; /* answers of one look are not needed for the next */
        s->arena = ARENA_INIT;
        int r = look(s, name, &out, &ended, &good, f);
        struct arena answers = s->arena;
        s->arena = kept;
        if (r < 0 && f->from_server) {
            f->status = json_copy(&s->arena, &f->status);
            f->message = arena_str(&s->arena, f->message);
        }
        arena_fini(&answers);
        if (r < 0)
            return r;
        if (str_hash(strbuf_str(&out)) != last) {
            last = str_hash(strbuf_str(&out));
            print_flush(&out);
        }
        if (ended && !good)
            return failure_set(f, E_CONFLICT, "the job did not succeed");
        if (ended || once)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 500 * NSEC_PER_MSEC}, NULL);
    }
}
