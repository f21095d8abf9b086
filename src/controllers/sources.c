/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/sources.h"

#include "base/vec.h"

struct listener {
    struct controller *c;
    const struct controller_watch *watch;
};

struct source {
    struct list link;
    struct sources *all;
    struct arena arena; /* strings of res */
    struct resource res;
    struct informer *informer;
    VEC(struct listener) listeners;
    bool wanted; /* by the set that is looked at */
};

struct sources {
    const struct controllers_opts *opts;
    struct controller *controllers;
    size_t ncontrollers;
    struct list live, ending;
    bool stopping;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

/* --- events to listeners ----------------------------------------------------------------------------------------------------- */

static void on_begin(struct informer *inf)
{
    struct source *s = informer_owner(inf);
    for (size_t i = 0; i < s->listeners.len; i++)
        if (s->listeners.p[i].watch->begin)
            s->listeners.p[i].watch->begin(s->listeners.p[i].c, &s->res);
}

static void on_event(struct informer *inf, struct informer_event *ev)
{
    struct source *s = informer_owner(inf);
    for (size_t i = 0; i < s->listeners.len; i++)
        s->listeners.p[i].watch->event(s->listeners.p[i].c, &s->res, ev);
}

static void on_synced(struct informer *inf)
{
    struct source *s = informer_owner(inf);
    for (size_t i = 0; i < s->listeners.len; i++)
        if (s->listeners.p[i].watch->synced)
            s->listeners.p[i].watch->synced(s->listeners.p[i].c, &s->res);
}

static void tell_gone(struct source *s)
{
    for (size_t i = 0; i < s->listeners.len; i++)
        if (s->listeners.p[i].watch->gone)
            s->listeners.p[i].watch->gone(s->listeners.p[i].c, &s->res);
}

/* --- one source --------------------------------------------------------------------------------------------------------------- */

static bool watch_matches(const struct controller_watch *w, const struct resource *r)
{
    if (strcmp(w->plural, "*") == 0)
        return resource_has(r, RESOURCE_DELETE) && !str_is(r->plural, "events");
    return str_is(r->plural, w->plural) && str_is(r->group, w->group);
}

static void find_listeners(struct sources *all, struct source *s)
{
    for (size_t i = 0; i < all->ncontrollers; i++) {
        struct controller *c = &all->controllers[i];
        for (size_t w = 0; w < CONTROLLER_MAX_WATCHES && c->type->watches[w].plural; w++)
            if (watch_matches(&c->type->watches[w], &s->res))
                vec_push(&s->listeners, (struct listener){c, &c->type->watches[w]});
    }
}

static void source_free(struct source *s)
{
    list_del(&s->link);
    informer_free(s->informer);
    vec_fini(&s->listeners);
    arena_fini(&s->arena);
    free(s);
}

static void source_start(struct sources *all, const struct resource *r)
{
    struct source *s = xnew(struct source);
    s->all = all;
    s->wanted = true;
    s->res = *r;
    s->res.group = arena_str(&s->arena, r->group);
    s->res.version = arena_str(&s->arena, r->version);
    s->res.kind = arena_str(&s->arena, r->kind);
    s->res.plural = arena_str(&s->arena, r->plural);
    list_add_tail(&all->live, &s->link);
    find_listeners(all, s);
    if (!s->listeners.len) {
        source_free(s);
        return;
    }
    s->informer = informer_new(&(struct informer_opts){.transport = all->opts->transport, .loop = all->opts->loop, .path = resource_path(&s->arena, r, S(""), S("")),
                                                       .query = S(""), .begin = on_begin, .event = on_event, .synced = on_synced, .owner = s});
}

static void source_ended(struct informer *inf)
{
    struct source *s = informer_owner(inf);
    struct sources *all = s->all;
    source_free(s);
    if (all->stopping && list_empty(&all->ending) && list_empty(&all->live))
        all->stopped(all->stopped_arg);
}

static void source_end(struct source *s)
{
    list_del(&s->link);
    list_add_tail(&s->all->ending, &s->link);
    informer_stop(s->informer, source_ended);
}

/* --- all of them ------------------------------------------------------------------------------------------------------------- */

static struct source *find(struct sources *all, const struct resource *r)
{
    list_foreach(s, &all->live, struct source, link)
        if (str_eq(s->res.plural, r->plural) && str_eq(s->res.group, r->group) && str_eq(s->res.version, r->version) && s->res.namespaced == r->namespaced)
            return s;
    return NULL;
}

void sources_update(struct sources *all, struct resource_set *set)
{
    list_foreach(s, &all->live, struct source, link) s->wanted = false;
    for (size_t i = 0; i < set->len && !all->stopping; i++) {
        const struct resource *r = &set->items[i];
        if (!r->preferred || !resource_has(r, RESOURCE_LIST | RESOURCE_WATCH))
            continue;
        struct source *s = find(all, r);
        if (s)
            s->wanted = true;
        else
            source_start(all, r);
    }
    if (set->failed.len)
        return; /* what is missing may be in a group that did not answer */
    list_foreach_safe(s, &all->live, struct source, link)
    {
        if (s->wanted)
            continue;
        if (!resource_find(set, s->res.group, s->res.plural)) /* else it is a change of version */
            tell_gone(s);
        source_end(s);
    }
}

bool sources_synced(const struct sources *all)
{
    list_foreach(s, &all->live, struct source, link)
        if (!informer_is_synced(s->informer))
            return false;
    return !list_empty(&all->live);
}

struct sources *sources_new(const struct controllers_opts *opts, struct controller *controllers, size_t ncontrollers)
{
    struct sources *all = xnew(struct sources);
    all->opts = opts;
    all->controllers = controllers;
    all->ncontrollers = ncontrollers;
    list_init(&all->live);
    list_init(&all->ending);
    return all;
}

void sources_stop(struct sources *all, void (*stopped)(void *arg), void *arg)
{
    all->stopped = stopped;
    all->stopped_arg = arg;
    all->stopping = true;
    if (list_empty(&all->live) && list_empty(&all->ending)) {
        stopped(arg);
        return;
    }
    list_foreach_safe(s, &all->live, struct source, link) source_end(s); /* whoever is the last reports it: `live` is empty only then */
}

void sources_free(struct sources *all)
{
    if (!all)
        return;
    list_foreach_safe(s, &all->live, struct source, link) source_free(s);
    list_foreach_safe(s, &all->ending, struct source, link) source_free(s);
    free(all);
}
