/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_watch.h"

#include <time.h>

#include "cli/kuscia_picture.h"
#include "controllers/kuscia_job_plan.h"
#include "wire/json_make.h"

#define NAMESPACE "cross-domain"
#define LOOK_NS (500 * NSEC_PER_MSEC)   /* between two looks */
#define AGAIN_MAX_NS (8 * NSEC_PER_SEC) /* while the server does not answer, at most: twice as long each time */

struct watching {
    struct session *s;
    struct printer *p;
    str ns, name;
    bool once;
    struct kuscia_view view;
    char uid[64];       /* of the job, once it was seen */
    nsec_t pause;
    bool is_cut_off;
};

/* What one look found. */
struct look {
    bool has_ended, has_succeeded;
};

static str path_of(struct arena *a, str ns, str plural, str name)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("/apis/kuscia.secretflow/v1alpha1/namespaces"));
    client_path_add(&b, ns);
    strbuf_addf(&b, "/" STR_FMT, STR_ARG(plural));
    if (name.len)
        client_path_add(&b, name);
    return strbuf_str(&b);
}

/* What the job says of its tasks, to who may not read them: as domain's people, for whom other parties' nodes are in what a task says. */
static struct json tasks_by_the_job(struct arena *a, const struct json *job)
{
    struct json items = json_array();
    const struct json *list = json_path(job, "spec", "tasks", NULL), *phases = json_path(job, "status", "taskStatus", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str phase = json_get_str(phases, kuscia_task_id(a, job, &list->items[i]));
        struct json task = json_make(a, "{\"metadata\":{\"annotations\":{\"kuscia.secretflow/task-alias\":%S}},\"status\":{\"phase\":%S}}", json_get_str(&list->items[i], S("alias")), phase);
        if (phase.len)
            json_push(a, &items, task);
    }
    return json_make(a, "{\"items\":%j,\"of\":\"job\"}", &items);
}

static bool is_by_the_job(const struct json *tasks)
{
    return json_get(tasks, S("of")) != NULL;
}

static void note_what_is_missing(const struct json *tasks)
{
    if (is_by_the_job(tasks))
        fprintf(stderr, "Note: you may not read its tasks; these are the phases that the job shows.  Why a pod of your domain waits: cox why pod/NAME -n DOMAIN\n");
}

/* Names of tasks do not say whose they are: the job's uid does. */
static int read_job(struct session *s, str ns, str name, struct json *ret_job, struct json *ret_tasks, struct failure *f)
{
    struct arena *a = &s->arena;
    int r = session_get(s, path_of(a, ns, S("kusciajobs"), name), S(""), ret_job, f);
    if (r < 0)
        return r;
    struct strbuf query = strbuf_on(a);
    client_query_add(&query, "labelSelector", arena_fmt(a, "kuscia.secretflow/job-uid=" STR_FMT, STR_ARG(json_str(json_path(ret_job, "metadata", "uid", NULL)))));
    r = session_get(s, path_of(a, ns, S("kusciatasks"), S("")), strbuf_str(&query), ret_tasks, f);
    if (r == 0 || !str_is(failure_reason(f), "Forbidden"))
        return r;
    *f = FAILURE_NONE;
    *ret_tasks = tasks_by_the_job(a, ret_job);
    return 0;
}

/* The job and its tasks as one List. */
static int write_list(struct arena *a, struct printer *p, struct json *job, struct json *tasks, struct strbuf *out, struct failure *f)
{
    struct json items = json_array(), *own = is_by_the_job(tasks) ? NULL : json_get(tasks, S("items"));
    json_push(a, &items, *job);
    for (uint32_t i = 0; json_is(own, JSON_ARRAY) && i < own->len; i++) {
        json_set(a, &own->items[i], S("apiVersion"), json_string(S("kuscia.secretflow/v1alpha1"))); /* items of a list need not say what they are */
        json_set(a, &own->items[i], S("kind"), json_string(S("KusciaTask")));
        json_push(a, &items, own->items[i]);
    }
    struct json list = json_make(a, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"},\"items\":%j}", &items);
    return printer_object(p, out, &list, f);
}

static void warn_of_namespace(str ns)
{
    if (!str_is(ns, NAMESPACE))
        fprintf(stderr, "Warning: only KusciaJobs in namespace " NAMESPACE " run; this one is kept, and nothing happens with it.\n");
}

void kuscia_hint_of_namespace(str ns, const struct failure *f)
{
    if (!str_is(ns, NAMESPACE) && str_is(failure_reason(f), "NotFound"))
        fprintf(stderr, "Hint: jobs and tasks are in the namespace " NAMESPACE ", of whatever domain; it is meant when -n is left out.\n");
}

/* --- the watch ------------------------------------------------------------------------------------------------------------------------------ */
static int look(struct watching *w, bool first, struct strbuf *out, struct look *ret, struct failure *f)
{
    struct json job, tasks;
    int r = read_job(w->s, w->ns, w->name, &job, &tasks, f);
    if (r < 0)
        return r;
    str uid = json_str(json_path(&job, "metadata", "uid", NULL)), phase = json_str(json_path(&job, "status", "phase", NULL));
    if (w->uid[0] && !str_is(uid, w->uid))
        return failure_set(f, E_CONFLICT, "the job was deleted; another one has its name now");
    snprintf(w->uid, sizeof w->uid, STR_FMT, STR_ARG(uid));
    if (first)
        note_what_is_missing(&tasks);
    *ret = (struct look){.has_ended = kuscia_job_has_ended(&job), .has_succeeded = str_is(phase, "Succeeded")};
    if (w->p->format == PRINT_DEFAULT)
        kuscia_picture(&w->view, &w->s->arena, &job, json_get(&tasks, S("items")), first || ret->has_ended, out);
    else if (ret->has_ended || w->once)
        r = write_list(&w->s->arena, w->p, &job, &tasks, out, f);
    return r;
}

/* What goes by itself: no way to the server, or it has trouble of its own. */
static bool is_passing(const struct failure *f)
{
    int64_t code = json_get_int(&f->status, S("code"), 0);
    return f->from_server ? code >= 500 || code == 429 : f->err.code != E_CONFLICT && f->err.code != E_INVALID_ARG;
}

/* Said once, not with every try. */
static void tell_cut_off(struct watching *w, const struct failure *f)
{
    STRBUF_AUTO why = STRBUF_HEAP;
    if (w->is_cut_off)
        return;
    w->is_cut_off = true;
    failure_write(&why, f);
    fprintf(stderr, "The server does not answer (%s); trying again until it does.\n", strbuf_cstr(&why));
}

static int failed(struct watching *w, struct failure *f, bool first)
{
    if (first || !is_passing(f)) {
        if (!first && str_is(failure_reason(f), "NotFound"))
            return failure_set(f, E_CONFLICT, "the job was deleted before it ended");
        if (f->from_server) { /* the look's memory goes */
            f->status = json_copy(&w->s->arena, &f->status);
            f->message = arena_str(&w->s->arena, f->message);
        }
        return -f->err.code;
    }
    tell_cut_off(w, f);
    w->pause = MIN(2 * w->pause, AGAIN_MAX_NS);
    return 0;
}

static int succeeded(struct watching *w, const struct look *seen, struct strbuf *out, struct failure *f)
{
    if (w->is_cut_off)
        fprintf(stderr, "The server answers again.\n");
    w->is_cut_off = false;
    w->pause = LOOK_NS;
    print_flush(out);
    if (seen->has_ended && !seen->has_succeeded && !w->once)
        return failure_set(f, E_CONFLICT, "the job did not succeed");
    return seen->has_ended || w->once;
}

/* 1: it is over. */
static int turn(struct watching *w, bool first, struct failure *f)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    struct look seen = {0};
    struct arena kept = w->s->arena; /* answers of one look are not needed for the next */
    w->s->arena = ARENA_INIT;
    w->view.width = print_terminal_width();
    int r = look(w, first, &out, &seen, f);
    struct arena answers = w->s->arena;
    w->s->arena = kept;
    r = r < 0 ? failed(w, f, first) : succeeded(w, &seen, &out, f);
    arena_fini(&answers);
    return r;
}

int kuscia_watch(struct session *s, struct printer *p, const char *name, bool once, struct failure *f)
{
    struct watching w = {.s = s, .p = p, .ns = s->namespace_given ? s->namespace_ : S(NAMESPACE), .name = str_of(name), .once = once, .view = KUSCIA_VIEW, .pause = LOOK_NS};
    w.view.has_colours = print_has_colours();
    int r = turn(&w, true, f);
    if (r >= 0)
        warn_of_namespace(w.ns);
    else
        kuscia_hint_of_namespace(w.ns, f);
    while (r == 0) {
        struct failure now = FAILURE_NONE;
        nanosleep(&(struct timespec){.tv_sec = w.pause / NSEC_PER_SEC, .tv_nsec = w.pause % NSEC_PER_SEC}, NULL);
        r = ferror(stdout) ? 1 : turn(&w, false, &now);
        if (r < 0)
            *f = now;
    }
    kuscia_view_fini(&w.view);
    return MIN(r, 0);
}

int kuscia_show(struct session *s, struct printer *p, str ns, str name, struct failure *f)
{
    KUSCIA_VIEW_AUTO view = KUSCIA_VIEW;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct json job, tasks;
    int r = read_job(s, ns, name, &job, &tasks, f);
    view.width = print_terminal_width();
    view.has_colours = print_has_colours();
    if (r >= 0 && p->format == PRINT_DEFAULT)
        kuscia_picture(&view, &s->arena, &job, json_get(&tasks, S("items")), true, &out);
    else if (r >= 0)
        r = write_list(&s->arena, p, &job, &tasks, &out, f);
    print_flush(&out);
    if (r >= 0) {
        note_what_is_missing(&tasks);
        warn_of_namespace(ns);
    }
    return r;
}
