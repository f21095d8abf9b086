/* scenario.c - the file as a whole: what stands at the top, the events, and checks across the parts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/scenario.h"

#include <math.h>

#include "base/limits.h"
#include "wire/yaml.h"

#define DEFAULT_SEED 42
#define DEFAULT_GRACE (30 * NSEC_PER_SEC) /* Kubernetes' */

/* A list of items of one size, each read by `one`. */
static int read_list(struct fields *f, const struct json *v, str path, size_t size, int (*one)(struct fields *f, const struct json *v, str path, void *into), void **ret, size_t *ret_n)
{
    if (v->type != JSON_ARRAY)
        return fields_fail(f, path, "must be a list");
    if (v->len > LIMIT_SIM_TEMPLATES)
        return fields_fail(f, path, "more than %u entries", LIMIT_SIM_TEMPLATES);
    char *items = arena_zalloc(f->arena, (v->len + 1) * size);
    for (uint32_t i = 0; i < v->len; i++) {
        int r = one(f, &v->items[i], fields_nth(f, path, i), items + i * size);
        if (r < 0)
            return r;
    }
    *ret = items;
    *ret_n = v->len;
    return 0;
}

static int one_template(struct fields *f, const struct json *v, str path, void *into)
{
    return scenario_read_template(f, v, path, into);
}
static int one_job(struct fields *f, const struct json *v, str path, void *into)
{
    return scenario_read_job(f, v, path, into);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------ */

struct event_fields {
    struct scenario_event e;
    struct field_strs names[HAPPEN_DELETE + 1];
    struct json add;
    str at_path;
    bool has_at;
};

static int keep_json(struct fields *f UNUSED, const struct json *v, str path UNUSED, void *into)
{
    *(struct json *)into = *v;
    return 0;
}

static int read_add(struct fields *f, const struct json *v, str path, struct scenario_event *e)
{
    static const struct field table[] = {FIELD("template", STR, offsetof(struct scenario_event, template), .min = 1),
                                         FIELD("count", COUNT, offsetof(struct scenario_event, count), .min = 1, .max = LIMIT_SCHED_NODES),
                                         {0}};
    e->count = 1;
    int r = fields_read(f, v, path, table, e);
    if (r >= 0 && !e->template.len)
        r = fields_fail(f, path, "needs a template");
    return r;
}

static int one_event(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("at", DURATION, offsetof(struct event_fields, e.at)),
                                         FIELD("cordon", STRS, offsetof(struct event_fields, names[HAPPEN_CORDON])),
                                         FIELD("uncordon", STRS, offsetof(struct event_fields, names[HAPPEN_UNCORDON])),
                                         FIELD("remove", STRS, offsetof(struct event_fields, names[HAPPEN_REMOVE])),
                                         FIELD("add", OWN, offsetof(struct event_fields, add), .own = keep_json),
                                         FIELD("delete", STRS, offsetof(struct event_fields, names[HAPPEN_DELETE])),
                                         {0}};
    struct event_fields x = {.e.at = -1};
    int r = fields_read(f, v, path, table, &x), kinds = 0;
    for (int k = HAPPEN_CORDON; r >= 0 && k <= HAPPEN_DELETE; k++)
        if (x.names[k].n || (k == HAPPEN_ADD && x.add.type != JSON_NULL)) {
            x.e.kind = (enum scenario_event_kind)k;
            x.e.names = x.names[k];
            kinds++;
        }
    if (r >= 0 && x.e.at < 0)
        r = fields_fail(f, path, "needs a time: at");
    if (r >= 0 && kinds != 1)
        r = fields_fail(f, path, "needs one of cordon, uncordon, remove, add and delete");
    if (r >= 0 && x.e.kind == HAPPEN_ADD)
        r = read_add(f, &x.add, fields_at(f, path, "add"), &x.e);
    if (r >= 0)
        *(struct scenario_event *)into = x.e;
    return r;
}

/* --- the whole ----------------------------------------------------------------------------------------------------------------------------------- */

static int read_templates(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->templates, one_template, (void **)&sc->templates, &sc->ntemplates);
}
static int read_jobs(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->jobs, one_job, (void **)&sc->jobs, &sc->njobs);
}
static int read_events(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->events, one_event, (void **)&sc->events, &sc->nevents);
}

/* A manifest, or its spec with a name: {name: a, parentQueue: all, resources: {gpu: {quota: 8}}} */
static int one_queue(struct fields *f, const struct json *v, str path, void *into)
{
    static const char *const members[] = {"name", "displayName", "parentQueue", "priority", "resources", "preemptMinRuntime", "reclaimMinRuntime", "maxRuntime"};
    struct json *q = into, spec = json_object(), meta = json_object();
    if (v->type != JSON_OBJECT)
        return fields_fail(f, path, "must be a queue such as {name: team, resources: {gpu: {quota: 8}}}");
    *q = *v;
    if (json_get(v, S("kind")))
        return str_is(json_get_str(v, S("kind")), "Queue") ? 0 : fields_fail(f, fields_at(f, path, "kind"), "must be Queue");
    if (!json_get_str(v, S("name")).len)
        return fields_fail(f, path, "needs a name");
    for (uint32_t i = 0; i < v->len; i++) {
        size_t k = 0;
        while (k < ARRAY_LEN(members) && !str_is(v->members[i].key, members[k]))
            k++;
        if (k == ARRAY_LEN(members))
            return fields_fail(f, fields_at(f, path, arena_cstr(f->arena, v->members[i].key)), "is not a field of a queue");
        json_set(f->arena, k ? &spec : &meta, v->members[i].key, v->members[i].value);
    }
    *q = json_object();
    json_set(f->arena, q, S("metadata"), meta);
    json_set(f->arena, q, S("spec"), spec);
    return 0;
}
static int one_object(struct fields *f, const struct json *v, str path, void *into)
{
    *(struct json *)into = *v;
    return json_get_str(v, S("kind")).len ? 0 : fields_fail(f, path, "must be a manifest, with a kind");
}
static int read_queues(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->queues, one_queue, (void **)&sc->queues, &sc->nqueues);
}
static int read_objects(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->objects, one_object, (void **)&sc->objects, &sc->nobjects);
}

static int one_link(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("from", STR, offsetof(struct scenario_link, from), .min = 1),
                                         FIELD("to", STR, offsetof(struct scenario_link, to), .min = 1),
                                         FIELD("bandwidth", WHOLE, offsetof(struct scenario_link, bits), .min = 1),
                                         {0}};
    const struct scenario_link *l = into;
    int r = fields_read(f, v, path, table, into);
    if (r >= 0 && (!l->from.len || !l->to.len || !l->bits || str_eq(l->from, l->to)))
        r = fields_fail(f, path, "must be a link such as {from: alice, to: bob, bandwidth: 2G}, between two domains");
    return r;
}
static int read_links(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario *sc = into;
    return read_list(f, v, path, sizeof *sc->links, one_link, (void **)&sc->links, &sc->nlinks);
}
static int read_band(struct fields *f, const struct json *v, str path, void *into)
{
    bool ignored = v->type == JSON_STRING && str_is(json_str(v), "ignored");
    if (!ignored && !(v->type == JSON_STRING && str_is(json_str(v), "scheduled")))
        return fields_fail(f, path, "must be scheduled or ignored");
    *(bool *)into = ignored;
    return 0;
}

static const struct field scenario_fields[] = {
    FIELD("name", STR, offsetof(struct scenario, name)),
    FIELD("seed", SEED, offsetof(struct scenario, seed)),
    FIELD("profile", STR, offsetof(struct scenario, profile)),
    FIELD("until", DURATION, offsetof(struct scenario, until)),
    FIELD("grace", DURATION, offsetof(struct scenario, grace)),
    FIELD("sample", DURATION, offsetof(struct scenario, sample), .min = NSEC_PER_MSEC),
    FIELD("policy", STR, offsetof(struct scenario, policy)),
    FIELD("checkpoint", DURATION, offsetof(struct scenario, checkpoint)),
    FIELD("owedAfter", DURATION, offsetof(struct scenario, owed_after), .min = NSEC_PER_SEC),
    FIELD("bandwidth", OWN, offsetof(struct scenario, ignores_bandwidth), .own = read_band),
    FIELD("links", OWN, 0, .own = read_links),
    FIELD("queues", OWN, 0, .own = read_queues),
    FIELD("objects", OWN, 0, .own = read_objects),
    FIELD("nodes", OWN, 0, .own = read_templates),
    FIELD("jobs", OWN, 0, .own = read_jobs),
    FIELD("events", OWN, 0, .own = read_events),
    {0},
};

static int check_names(struct fields *f, const struct scenario *sc)
{
    struct map seen = MAP_INIT;
    int r = 0;
    for (size_t i = 0; r >= 0 && i < sc->ntemplates; i++)
        if (map_put(&seen, sc->templates[i].name, f))
            r = fields_fail(f, fields_at(f, fields_nth(f, S("nodes"), i), "name"), "\"" STR_FMT "\" is the name of another template", STR_ARG(sc->templates[i].name));
    map_clear(&seen);
    for (size_t i = 0; r >= 0 && i < sc->njobs; i++)
        if (map_put(&seen, sc->jobs[i].name, f))
            r = fields_fail(f, fields_at(f, fields_nth(f, S("jobs"), i), "name"), "\"" STR_FMT "\" is the name of another job", STR_ARG(sc->jobs[i].name));
    map_fini(&seen);
    return r;
}

static int check_link(struct fields *f, const struct map *known, size_t i, const char *end, str domain)
{
    return map_get(known, domain) ? 0 : fields_fail(f, fields_at(f, fields_nth(f, S("links"), i), end), "no template has the domain \"" STR_FMT "\"", STR_ARG(domain));
}

/* Nobody could ever run there, or go that way. */
static int check_domains(struct fields *f, const struct scenario *sc)
{
    struct map known = MAP_INIT;
    int r = 0;
    for (size_t i = 0; i < sc->ntemplates; i++)
        map_put(&known, sc->templates[i].domain, f);
    for (size_t i = 0; r >= 0 && i < sc->njobs && !sc->nobjects; i++)
        for (size_t k = 0; r >= 0 && k < sc->jobs[i].parties.n; k++)
            if (!map_get(&known, sc->jobs[i].parties.p[k]))
                r = fields_fail(f, fields_at(f, fields_nth(f, S("jobs"), i), "parties"), "no template has the domain \"" STR_FMT "\"", STR_ARG(sc->jobs[i].parties.p[k]));
    for (size_t i = 0; r >= 0 && i < sc->nlinks && !sc->nobjects; i++) {
        r = check_link(f, &known, i, "from", sc->links[i].from);
        if (r >= 0)
            r = check_link(f, &known, i, "to", sc->links[i].to);
    }
    map_fini(&known);
    return r;
}

static int check_sizes(struct fields *f, const struct scenario *sc)
{
    uint64_t nodes = 0, pods = 0;
    for (size_t i = 0; i < sc->ntemplates; i++)
        nodes += sc->templates[i].count;
    for (size_t i = 0; i < sc->nevents; i++)
        nodes += sc->events[i].kind == HAPPEN_ADD ? sc->events[i].count : 0;
    for (size_t i = 0; i < sc->njobs; i++)
        pods += (uint64_t)sc->jobs[i].count * scenario_pods(&sc->jobs[i]);
    for (size_t i = 0; i < sc->nobjects; i++)
        nodes += str_is(json_get_str(&sc->objects[i], S("kind")), "Node");
    if (!nodes)
        return fields_fail(f, S("nodes"), "a cluster needs at least one node");
    if (nodes > LIMIT_SCHED_NODES)
        return fields_fail(f, S("nodes"), "%llu nodes are more than the engine takes (%u)", (unsigned long long)nodes, LIMIT_SCHED_NODES);
    if (pods > LIMIT_SCHED_PODS)
        return fields_fail(f, S("jobs"), "%llu pods are more than the engine takes (%u)", (unsigned long long)pods, LIMIT_SCHED_PODS);
    return 0;
}

/* Does some job's name, or the name of one of its instances, begin like this? */
static bool names_job(const struct scenario *sc, str name)
{
    for (size_t i = 0; i < sc->njobs; i++)
        if (str_has_prefix(name, sc->jobs[i].name) && (name.len == sc->jobs[i].name.len || name.p[sc->jobs[i].name.len] == '-'))
            return true;
    return false;
}

str scenario_where(const struct scenario *sc, struct arena *a, str path)
{
    return arena_fmt(a, STR_FMT ":%zu: " STR_FMT ": ", STR_ARG(sc->file), yaml_line_of(sc->text, path), STR_ARG(path));
}

static int check_events(struct fields *f, struct scenario *sc)
{
    for (size_t i = 0; i < sc->nevents; i++) {
        struct scenario_event *e = &sc->events[i];
        str path = fields_nth(f, S("events"), i);
        e->of = sc;
        e->number = (uint32_t)i;
        if (e->kind == HAPPEN_ADD && !(e->add = scenario_template_find(sc, e->template)))
            return fields_fail(f, fields_at(f, fields_at(f, path, "add"), "template"), "there is no template \"" STR_FMT "\"", STR_ARG(e->template));
        for (size_t n = 0; e->kind == HAPPEN_DELETE && n < e->names.n; n++)
            if (!names_job(sc, e->names.p[n]))
                return fields_fail(f, fields_at(f, path, "delete"), "there is no job \"" STR_FMT "\"", STR_ARG(e->names.p[n]));
    }
    return 0;
}

const struct scenario_template *scenario_template_find(const struct scenario *sc, str name)
{
    for (size_t i = 0; i < sc->ntemplates; i++)
        if (str_eq(sc->templates[i].name, name))
            return &sc->templates[i];
    return NULL;
}

int scenario_parse(str text, str file, struct scenario **ret, struct err *err)
{
    struct scenario *sc = xnew(struct scenario);
    *sc = (struct scenario){.seed = DEFAULT_SEED, .grace = DEFAULT_GRACE};
    sc->text = arena_str(&sc->arena, text);
    sc->file = arena_str(&sc->arena, file);
    struct fields f = {&sc->arena, sc->file, sc->text, err};
    struct json v;
    int r = fields_parse(&f, &v);
    if (r >= 0)
        r = fields_read(&f, &v, S(""), scenario_fields, sc);
    if (r >= 0)
        r = check_sizes(&f, sc);
    if (r >= 0)
        r = check_names(&f, sc);
    if (r >= 0)
        r = check_domains(&f, sc);
    if (r >= 0)
        r = check_events(&f, sc);
    if (r < 0) {
        scenario_free(sc);
        return r;
    }
    if (!sc->name.len)
        sc->name = sc->file;
    for (size_t i = 0; i < sc->njobs; i++)
        if (sc->jobs[i].checkpoint < 0)
            sc->jobs[i].checkpoint = sc->checkpoint;
    *ret = sc;
    return 0;
}

void scenario_free(struct scenario *sc)
{
    if (!sc)
        return;
    struct arena a = sc->arena;
    arena_fini(&a);
    free(sc);
}

/* --- chance ----------------------------------------------------------------------------------------------------------------------------------------- */

/* In (0, 1]. */
static double unit(struct rng *rng)
{
    return ((double)(rng_u64(rng) >> 11) + 1) / 9007199254740992.0;
}

static nsec_t clamp_ns(double ns)
{
    return ns < 9e18 ? (nsec_t)ns : (nsec_t)9e18;
}

nsec_t scenario_arrival_next(const struct scenario_arrival *a, uint32_t k, nsec_t before, struct rng *rng)
{
    switch (a->kind) {
    case ARRIVE_AT:
        return a->from;
    case ARRIVE_EVERY:
        return clamp_ns((double)a->from + (double)k * (double)a->every);
    case ARRIVE_BURST:
        return clamp_ns((double)a->from + (double)(k / a->size) * (double)a->every);
    case ARRIVE_POISSON:
        return clamp_ns((k ? (double)before : (double)a->from) - log(unit(rng)) / a->per_s * 1e9);
    }
    return a->from;
}

nsec_t scenario_duration_draw(const struct scenario_duration *d, struct rng *rng)
{
    switch (d->kind) {
    case LAST_FOREVER:
        return -1;
    case LAST_FIXED:
        return d->a;
    case LAST_UNIFORM:
        return d->a + (nsec_t)rng_below(rng, (uint64_t)(d->b - d->a) + 1);
    case LAST_EXPONENTIAL:
        return clamp_ns(-log(unit(rng)) * (double)d->a);
    }
    return -1;
}
