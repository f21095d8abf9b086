/* kuscia_data.c - DomainData and DomainDataGrants: copies of what is granted, whether it holds, and whether data can be used (kuscia_data_plan.h).
 *
 *   g/ns/name  a grant: its author's ─► copies of it and its data in the other domain, status; a copy ─► goes when the author's has gone, status
 *   d/ns/name  data: a copy ─► goes when no grant is left for it, follows the author's, status; else its source ─► status
 *   D/name     a domain that came, went or was changed: grants from it and to it look again
 *
 * What is remembered is who has to look again (kuscia_refs.h), by
 *   c/ns/grant   copies of the grant          o/ns/data     grants of the data, as their author has them
 *   x/ns/data    copies of the data           s/ns/source   data in the source
 * Whether there is a reason for a copy is seen from the store: copies carry a label, and each looks for itself.  So what was missed while nobody looked is made good when the lists come again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_data_plan.h"
#include "controllers/kuscia_refs.h"

#define LABEL_MAX 63u

struct state {
    struct map generations; /* of domains: what they say of their nodes does not count */
    struct kuscia_refs refs;
};

struct run {
    struct json obj;
    const struct json *spec;
    str ns, name;
    struct gather seen[5];
    str *grants; /* of a copy of data: those that may give it */
    size_t ngrants, at;
    struct step steps[2];
    bool given; /* of a copy of data: there is a grant for it */
    bool holds;
    str reason, message;
    nsec_t left_ns;
};

enum { AUTHOR, GRANTEE, DATA, COPY_OF_DATA, OTHER }; /* what a grant looks at; OTHER: its copy, or what it is a copy of */

static void ended(struct job *j)
{
    job_end_status(j);
}

static str spec_str(const struct json *obj, const char *key)
{
    return json_get_str(json_get(obj, S("spec")), str_of(key));
}

static str meta_str(const struct json *obj, const char *key)
{
    return json_get_str(json_get(obj, S("metadata")), str_of(key));
}

static void look_again(struct controller *c, struct arena *a, char what, str ns, str name)
{
    if (ns.len && name.len)
        workqueue_add(c->queue, arena_fmt(a, "%c/" STR_FMT "/" STR_FMT, what, STR_ARG(ns), STR_ARG(name)));
}

static struct state *state_of(struct controller *c)
{
    return c->state;
}

/* All that hang on it look again. */
static void look_all(struct controller *c, struct arena *a, char what, str ns, str name)
{
    str *list;
    size_t n = kuscia_refs_of(&state_of(c)->refs, a, arena_fmt(a, "%c/" STR_FMT "/" STR_FMT, what, STR_ARG(ns), STR_ARG(name)), &list);
    for (size_t i = 0; i < n; i++)
        workqueue_add(c->queue, list[i]);
}

static void done(struct job *j)
{
    const struct run *r = j->state;
    if (r->left_ns)
        job_end_after(j, r->left_ns);
    else
        job_end(j, WORK_OK);
}

/* --- status ---------------------------------------------------------------------------------------------------------------------------------------------- */

static void said(struct job *j)
{
    if (job_ok(j))
        done(j);
    else
        job_end_status(j);
}

static void say(struct job *j, const char *plural, struct json status)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json patch = patch_of(a, &r->obj);
    json_set(a, &patch, S("status"), status);
    job_call(j, S("PATCH"), kuscia_path(a, plural, r->ns, r->name, "/status"), &patch, said);
}

static void say_grant(struct job *j)
{
    const struct run *r = j->state;
    const struct json *was = json_get(&r->obj, S("status"));
    str phase = r->holds ? S("Ready") : S("Unavailable");
    if (str_eq(json_get_str(was, S("phase")), phase) && str_eq(json_get_str(was, S("message")), r->message))
        done(j);
    else
        say(j, "domaindatagrants", json_make(&j->arena, "{\"phase\":%S,\"message\":%S}", phase, r->message));
}

static void say_data(struct job *j)
{
    const struct run *r = j->state;
    const struct json *was = json_get(&r->obj, S("status")), *conditions = json_get(was, S("conditions"));
    str phase = r->holds ? S("Available") : S("Unavailable");
    const struct json *first = json_is(conditions, JSON_ARRAY) && conditions->len ? &conditions->items[0] : NULL;
    if (str_eq(json_get_str(was, S("phase")), phase) && str_eq(json_get_str(first, S("message")), r->message))
        done(j);
    else
        say(j, "domaindatas",
            json_make(&j->arena, "{\"phase\":%S,\"conditions\":[{\"status\":%s,\"reason\":%S,\"message\":%S,\"lastUpdateTime\":%S}]}", phase, r->holds ? "True" : "False", r->reason, r->message,
                      now_text(&j->arena, j->c->opts->clock)));
}

/* --- grants ---------------------------------------------------------------------------------------------------------------------------------------------------- */

static void judge(struct job *j, const struct json *grant, const struct json *copy)
{
    struct run *r = j->state;
    struct grant_view v = {.grant = grant, .copy = copy, .author = r->seen[AUTHOR].found ? &r->seen[AUTHOR].obj : NULL, .now = clock_wall(j->c->opts->clock)};
    struct grant_verdict verdict;
    kuscia_grant_judge(&j->arena, &v, &verdict);
    r->holds = verdict.holds;
    r->message = verdict.message;
    r->left_ns = verdict.left_ns;
}

/* A copy that the author's grant does not give any more looks at itself. */
static void copied(struct job *j)
{
    const struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    look_all(j->c, &j->arena, 'c', r->ns, r->name);
    say_grant(j);
}

/* What stands against copies in the other domain; "" nothing. */
static str obstacle(struct job *j)
{
    const struct run *r = j->state;
    struct arena *a = &j->arena;
    str to = json_get_str(r->spec, S("grantDomain")), id = json_get_str(r->spec, S("domainDataID"));
    const struct gather *grantee = &r->seen[GRANTEE], *theirs = &r->seen[COPY_OF_DATA], *copy = &r->seen[OTHER];
    if (str_eq(to, r->ns))
        return S("a domain needs no leave for its own data");
    if (r->name.len > LABEL_MAX || id.len > LABEL_MAX)
        return arena_fmt(a, "names of grants, and of data that is granted, have at most %u characters", LABEL_MAX);
    if (!grantee->found)
        return arena_fmt(a, "there is no domain \"" STR_FMT "\"", STR_ARG(to));
    if (str_is(spec_str(&grantee->obj, "role"), "partner"))
        return arena_fmt(a, "domain \"" STR_FMT "\" is a partner of another control plane, and grants across control planes are not carried yet", STR_ARG(to));
    if (!r->seen[DATA].found)
        return arena_fmt(a, "there is no DomainData \"" STR_FMT "\" in domain " STR_FMT, STR_ARG(id), STR_ARG(r->ns));
    if (theirs->found && !str_eq(kuscia_copied_from(&theirs->obj), r->ns))
        return arena_fmt(a, "domain " STR_FMT " has other data of the name \"" STR_FMT "\"", STR_ARG(to), STR_ARG(id));
    if (copy->found && !str_eq(kuscia_copied_from(&copy->obj), r->ns))
        return arena_fmt(a, "domain " STR_FMT " has another grant of the name \"" STR_FMT "\"", STR_ARG(to), STR_ARG(r->name));
    return S("");
}

/* Makes the object, or changes one that is there and says something else. */
static bool copy_step(struct job *j, const char *plural, str ns, const struct gather *there, struct json want, struct step *ret)
{
    struct arena *a = &j->arena;
    if (there->found && json_equal(json_get(&there->obj, S("spec")), json_get(&want, S("spec"))))
        return false;
    *ret = (struct step){S("POST"), kuscia_path(a, plural, ns, S(""), ""), want};
    if (there->found) {
        struct json put = there->obj;
        json_set(a, &put, S("spec"), *json_get(&want, S("spec")));
        *ret = (struct step){S("PUT"), kuscia_path(a, plural, ns, meta_str(&want, "name"), ""), put};
    }
    return true;
}

static void saw_original(struct job *j)
{
    struct run *r = j->state;
    str to = json_get_str(r->spec, S("grantDomain"));
    size_t n = 0;
    judge(j, &r->obj, r->seen[OTHER].found ? &r->seen[OTHER].obj : NULL);
    str against = obstacle(j);
    if (against.len) {
        r->holds = false;
        r->message = against;
        r->left_ns = 0;
        j->status = 200;
        copied(j);
        return;
    }
    n += copy_step(j, "domaindatas", to, &r->seen[COPY_OF_DATA], kuscia_data_copy(&j->arena, &r->seen[DATA].obj), &r->steps[n]);
    n += copy_step(j, "domaindatagrants", to, &r->seen[OTHER], kuscia_grant_copy(&j->arena, &r->obj), &r->steps[n]);
    steps_all(j, r->steps, n, copied);
}

static void drop(struct job *j, const char *plural)
{
    const struct run *r = j->state;
    struct json options = delete_options(&j->arena, meta_str(&r->obj, "uid"), S(""));
    job_call(j, S("DELETE"), kuscia_path(&j->arena, plural, r->ns, r->name, ""), &options, ended);
}

static void saw_copy(struct job *j)
{
    struct run *r = j->state;
    const struct json *original = &r->seen[OTHER].obj;
    bool given = r->seen[OTHER].found && str_eq(spec_str(original, "author"), json_get_str(r->spec, S("author"))) && str_eq(spec_str(original, "grantDomain"), r->ns);
    if (!given && kuscia_copied_from(&r->obj).len) {
        drop(j, "domaindatagrants");
        return;
    }
    if (given)
        judge(j, original, &r->obj);
    if (r->holds && str_is(json_get_str(json_get(original, S("status")), S("phase")), "Unavailable")) { /* for what only the author's look sees */
        r->holds = false;
        r->message = json_get_str(json_get(original, S("status")), S("message"));
    }
    if (!given || !json_equal(json_get(original, S("spec")), r->spec)) {
        r->holds = false;
        r->message = arena_fmt(&j->arena, "domain " STR_FMT " has not given it: there is no such grant in its namespace", STR_ARG(json_get_str(r->spec, S("author"))));
    }
    say_grant(j);
}

static void saw_grant(struct job *j)
{
    const struct run *r = j->state;
    if (!job_ok(j))
        job_end(j, WORK_RETRY);
    else if (str_eq(json_get_str(r->spec, S("author")), r->ns))
        saw_original(j);
    else
        saw_copy(j);
}

static void got_grant(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j) || object_deleting(&j->answer)) {
        look_all(j->c, a, 'c', r->ns, r->name);
        job_end_status(j);
        return;
    }
    r->obj = j->answer;
    r->spec = json_get(&r->obj, S("spec"));
    r->message = S("it says not of whose data, which, and for whom: author, domainDataID and grantDomain");
    str author = json_get_str(r->spec, S("author")), to = json_get_str(r->spec, S("grantDomain")), id = json_get_str(r->spec, S("domainDataID")), other = str_eq(author, r->ns) ? to : author;
    if (!author.len || !to.len || !id.len) {
        say_grant(j);
        return;
    }
    r->seen[AUTHOR].path = kuscia_cluster_path(a, "domains", author);
    r->seen[GRANTEE].path = kuscia_cluster_path(a, "domains", to);
    r->seen[DATA].path = kuscia_path(a, "domaindatas", author, id, "");
    r->seen[COPY_OF_DATA].path = kuscia_path(a, "domaindatas", to, id, "");
    r->seen[OTHER].path = kuscia_path(a, "domaindatagrants", other, r->name, "");
    gather_all(j, r->seen, ARRAY_LEN(r->seen), saw_grant);
}

/* --- data ------------------------------------------------------------------------------------------------------------------------------------------------------ */

/* Is there still a reason for the copy?  Only what stands in the author's namespace is one: whoever has the copy writes what he likes beside it. */
static void found_grant_of_copy(struct job *j, const struct json *item)
{
    struct run *r = j->state;
    bool is_it = str_eq(spec_str(item, "author"), meta_str(item, "namespace")) && str_eq(spec_str(item, "grantDomain"), r->ns) && str_eq(spec_str(item, "domainDataID"), r->name);
    if (object_deleting(item) || !is_it)
        return;
    r->given = true;
    if (str_is(json_get_str(json_get(item, S("status")), S("phase")), "Ready"))
        r->holds = true;
    else if (!r->message.len)
        r->message = arena_str(&j->arena, json_get_str(json_get(item, S("status")), S("message")));
}

static void judged_copy(struct job *j)
{
    struct run *r = j->state;
    struct step step;
    if (!r->given || !r->seen[0].found) {
        drop(j, "domaindatas");
        return;
    }
    struct gather mine = {.obj = r->obj, .found = true};
    if (copy_step(j, "domaindatas", r->ns, &mine, kuscia_data_copy(&j->arena, &r->seen[0].obj), &step)) {
        job_call(j, step.method, step.path, &step.body, ended); /* and again with its event */
        return;
    }
    r->reason = r->holds ? S("Granted") : S("NotGranted");
    r->message = r->holds ? S("") : r->message;
    say_data(j);
}

static void judged_own(struct job *j)
{
    struct run *r = j->state;
    r->holds = r->seen[0].found;
    r->reason = r->holds ? S("DataSourceFound") : S("DataSourceMissing");
    r->message = r->holds ? S("") : arena_fmt(&j->arena, "there is no DomainDataSource \"" STR_FMT "\" in domain " STR_FMT, STR_ARG(json_get_str(r->spec, S("dataSource"))), STR_ARG(r->ns));
    say_data(j);
}

static void next_grant(struct job *j);

static void got_grant_of_copy(struct job *j)
{
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (job_ok(j))
        found_grant_of_copy(j, &j->answer);
    next_grant(j);
}

/* One that holds is enough. */
static void next_grant(struct job *j)
{
    struct run *r = j->state;
    str ns, name;
    if (r->at == r->ngrants || r->holds) {
        judged_copy(j);
        return;
    }
    controller_key_split(str_from(r->grants[r->at++], 2), &ns, &name);
    job_call(j, S("GET"), kuscia_path(&j->arena, "domaindatagrants", ns, name, ""), NULL, got_grant_of_copy);
}

static void saw_data(struct job *j)
{
    struct run *r = j->state;
    str from = kuscia_copied_from(&r->obj);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
    } else if (!from.len) {
        judged_own(j);
    } else if (!controllers_synced(j->c->all)) { /* which grants there are is not known yet */
        job_end_after(j, 100 * NSEC_PER_MSEC);
    } else {
        r->ngrants = kuscia_refs_of(&state_of(j->c)->refs, &j->arena, arena_fmt(&j->arena, "o/" STR_FMT "/" STR_FMT, STR_ARG(from), STR_ARG(r->name)), &r->grants);
        next_grant(j);
    }
}

static void got_data(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    r->obj = j->answer;
    r->spec = json_get(&r->obj, S("spec"));
    str from = kuscia_copied_from(&r->obj);
    /* without a source the path is that of all of them, which is there */
    r->seen[0].path = from.len ? kuscia_path(a, "domaindatas", from, r->name, "") : kuscia_path(a, "domaindatasources", r->ns, json_get_str(r->spec, S("dataSource")), "");
    gather_all(j, r->seen, 1, saw_data);
}

/* --- domains --------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void got_grants(struct job *j)
{
    const struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    for (uint32_t i = 0; job_ok(j) && json_is(items, JSON_ARRAY) && i < items->len; i++)
        if (str_eq(spec_str(&items->items[i], "author"), r->name) || str_eq(spec_str(&items->items[i], "grantDomain"), r->name))
            look_again(j->c, &j->arena, 'g', meta_str(&items->items[i], "namespace"), meta_str(&items->items[i], "name"));
    job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    str key = str_from(j->key, 2);
    controller_key_split(key, &r->ns, &r->name);
    switch (j->key.p[0]) {
    case 'g':
        job_call(j, S("GET"), kuscia_path(&j->arena, "domaindatagrants", r->ns, r->name, ""), NULL, got_grant);
        break;
    case 'd':
        job_call(j, S("GET"), kuscia_path(&j->arena, "domaindatas", r->ns, r->name, ""), NULL, got_data);
        break;
    default:
        job_call(j, S("GET"), kuscia_path(&j->arena, "domaindatagrants", S(""), S(""), ""), NULL, got_grants);
    }
}

/* --- events ---------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void on_grant(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *grant = informer_event_object(ev);
    str ns = informer_event_ns(ev), name = informer_event_name(ev), author = spec_str(grant, "author");
    str key = str_eq(author, ns) ? arena_fmt(ev->arena_, "o/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(spec_str(grant, "domainDataID"))) : arena_fmt(ev->arena_, "c/" STR_FMT "/" STR_FMT, STR_ARG(author), STR_ARG(name));
    kuscia_refs_set(&state_of(c)->refs, arena_fmt(ev->arena_, "g/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)), &key, ev->change != INFORMER_DELETED);
    look_again(c, ev->arena_, 'g', ns, name);
    look_again(c, ev->arena_, 'g', str_eq(author, ns) ? spec_str(grant, "grantDomain") : author, name);
    look_again(c, ev->arena_, 'd', ns, spec_str(grant, "domainDataID"));
    look_again(c, ev->arena_, 'd', spec_str(grant, "grantDomain"), spec_str(grant, "domainDataID"));
}

static void on_data(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *data = informer_event_object(ev);
    str ns = informer_event_ns(ev), name = informer_event_name(ev), from = kuscia_copied_from(data);
    str key = from.len ? arena_fmt(ev->arena_, "x/" STR_FMT "/" STR_FMT, STR_ARG(from), STR_ARG(name)) : arena_fmt(ev->arena_, "s/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(spec_str(data, "dataSource")));
    kuscia_refs_set(&state_of(c)->refs, arena_fmt(ev->arena_, "d/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)), &key, ev->change != INFORMER_DELETED);
    look_again(c, ev->arena_, 'd', ns, name);
    if (ev->change == INFORMER_LISTED) /* then everything looks for itself */
        return;
    look_all(c, ev->arena_, 'o', ns, name);
    look_all(c, ev->arena_, 'x', ns, name);
}

static void on_source(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change == INFORMER_ADDED || ev->change == INFORMER_DELETED)
        look_all(c, ev->arena_, 's', informer_event_ns(ev), informer_event_name(ev));
}

static void on_domain(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct state *s = state_of(c);
    str name = informer_event_name(ev);
    uintptr_t generation = (uintptr_t)json_get_int(informer_event_meta(ev), S("generation"), 1);
    struct map_entry *known = map_find(&s->generations, name);
    if (ev->change == INFORMER_MODIFIED && known && (uintptr_t)known->value == generation)
        return;
    if (known)
        known->value = (void *)generation;
    else
        map_put(&s->generations, str_of(str_dup(name)), (void *)generation);
    if (ev->change != INFORMER_LISTED)
        workqueue_add(c->queue, arena_fmt(ev->arena_, "D/" STR_FMT, STR_ARG(name)));
}

static void init(struct controller *c)
{
    struct state *s = xnew(struct state);
    kuscia_refs_init(&s->refs);
    c->state = s;
}

static void fini(struct controller *c)
{
    struct state *s = c->state;
    map_foreach(e, &s->generations)
        free((char *)e->key.p);
    map_fini(&s->generations);
    kuscia_refs_fini(&s->refs);
    free(s);
}

const struct controller_type controller_kuscia_data = {
    .name = "kuscia-data",
    .parallel = 8,
    .watches = {{.group = "kuscia.secretflow", .plural = "domaindatagrants", .event = on_grant},
                {.group = "kuscia.secretflow", .plural = "domaindatas", .event = on_data},
                {.group = "kuscia.secretflow", .plural = "domaindatasources", .event = on_source},
                {.group = "kuscia.secretflow", .plural = "domains", .event = on_domain}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
