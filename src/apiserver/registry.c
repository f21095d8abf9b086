/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/registry.h"

#include "base/vec.h"

struct version_rank {
    int stage; /* 3 vN, 2 vNbetaM, 1 vNalphaM, 0 other */
    int64_t major, minor;
};

static struct version_rank rank_of(str v)
{
    struct version_rank r = {0};
    if (v.len < 2 || v.p[0] != 'v')
        return r;
    size_t i = 1;
    while (i < v.len && v.p[i] >= '0' && v.p[i] <= '9')
        i++;
    if (!str_to_i64(str_sub(v, 1, i), &r.major))
        return (struct version_rank){0};
    str rest = str_from(v, i);
    if (!rest.len) {
        r.stage = 3;
        return r;
    }
    static const struct {
        str word;
        int stage;
    } stages[] = {{STR_INIT("beta"), 2}, {STR_INIT("alpha"), 1}};
    for (size_t s = 0; s < ARRAY_LEN(stages); s++) {
        if (str_has_prefix(rest, stages[s].word) && str_to_i64(str_from(rest, stages[s].word.len), &r.minor)) {
            r.stage = stages[s].stage;
            return r;
        }
    }
    return (struct version_rank){0};
}

int registry_version_cmp(str a, str b)
{
    struct version_rank x = rank_of(a), y = rank_of(b);
    if (x.stage != y.stage)
        return y.stage - x.stage;
    if (x.stage == 0)
        return str_cmp(a, b);
    if (x.major != y.major)
        return x.major > y.major ? -1 : 1;
    return x.minor > y.minor ? -1 : x.minor < y.minor;
}

/* Clients take the first group that has what a user names: core, then the built-in groups as api/ *.api orders them, then those that only definitions have, by name.  A definition may also add to a group
 * that is built in. */
struct ranked {
    const struct api_resource *res;
    size_t group; /* place of its group */
};

static size_t group_rank(str group)
{
    size_t i = 0;
    while (i < api_builtin_count && !str_eq(api_builtin_resources[i]->group, group))
        i++;
    return i;
}

static int resource_order(const void *pa, const void *pb)
{
    const struct ranked *x = pa, *y = pb;
    const struct api_resource *a = x->res, *b = y->res;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    int c = str_cmp(a->group, b->group);
    if (c || (c = registry_version_cmp(a->version, b->version)))
        return c;
    return str_cmp(a->plural, b->plural);
}

static void sort_resources(const struct api_resource **list, size_t n)
{
    struct ranked *r = xarray(n, struct ranked);
    for (size_t i = 0; i < n; i++) {
        bool same = i && str_eq(list[i]->group, list[i - 1]->group);
        r[i] = (struct ranked){list[i], same ? r[i - 1].group : group_rank(list[i]->group)};
    }
    qsort(r, n, sizeof *r, resource_order);
    for (size_t i = 0; i < n; i++)
        list[i] = r[i].res;
    free(r);
}

static str joined(struct arena *a, str x, str y, str z)
{
    return arena_fmt(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(x), STR_ARG(y), STR_ARG(z));
}

static void index_resources(struct registry_snapshot *s)
{
    struct arena *a = &s->arena;
    s->gvs = arena_array(a, s->nresources, struct registry_group_version);
    struct registry_group_version *gv = NULL;
    for (size_t i = 0; i < s->nresources; i++) {
        const struct api_resource *r = s->resources[i];
        if (!gv || !str_eq(gv->group, r->group) || !str_eq(gv->version, r->version)) {
            gv = &s->gvs[s->ngvs++];
            *gv = (struct registry_group_version){r->group, r->version, &s->resources[i], 0};
        }
        gv->nresources++;
        map_put(&s->by_path, joined(a, r->group, r->version, r->plural), (void *)r);
        map_put(&s->by_kind, joined(a, r->group, r->version, r->kind), (void *)r);
        if (str_eq(r->group, r->storage_group) && str_eq(r->version, r->storage_version))
            map_put(&s->by_store, arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(r->group), STR_ARG(r->plural)), (void *)r);
    }
}

static struct registry_snapshot *snapshot_new(struct arena arena, const struct api_resource *const *custom, size_t ncustom,
                                              uint64_t generation)
{
    struct registry_snapshot *s = xnew(struct registry_snapshot);
    s->refs = 1;
    s->generation = generation;
    s->arena = arena;
    s->nresources = api_builtin_count + ncustom;
    s->resources = arena_array(&s->arena, s->nresources, const struct api_resource *);
    memcpy(s->resources, api_builtin_resources, api_builtin_count * sizeof *s->resources);
    if (ncustom)
        memcpy(s->resources + api_builtin_count, custom, ncustom * sizeof *s->resources);
    sort_resources(s->resources, s->nresources);
    index_resources(s);
    return s;
}

void registry_init(struct registry *r)
{
    pthread_mutex_init(&r->lock_, NULL);
    r->current_ = snapshot_new(ARENA_INIT, NULL, 0, 1);
}

void registry_fini(struct registry *r)
{
    registry_unref(r->current_);
    pthread_mutex_destroy(&r->lock_);
}

struct registry_snapshot *registry_ref(struct registry_snapshot *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

struct registry_snapshot *registry_current(struct registry *r)
{
    pthread_mutex_lock(&r->lock_);
    struct registry_snapshot *s = registry_ref(r->current_);
    pthread_mutex_unlock(&r->lock_);
    return s;
}

void registry_unref(struct registry_snapshot *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    map_fini(&s->by_path);
    map_fini(&s->by_kind);
    map_fini(&s->by_store);
    struct arena arena = s->arena;
    free(s);
    arena_fini(&arena);
}

void registry_publish(struct registry *r, struct arena arena, const struct api_resource *const *custom, size_t ncustom)
{
    struct registry_snapshot *next = snapshot_new(arena, custom, ncustom, r->current_->generation + 1);
    pthread_mutex_lock(&r->lock_);
    struct registry_snapshot *old = r->current_;
    r->current_ = next;
    pthread_mutex_unlock(&r->lock_);
    registry_unref(old);
}

static const struct api_resource *find3(const struct map *m, str x, str y, str z)
{
    char key[512];
    str path = str_path(key, sizeof key, (str[]){x, y, z}, 3);
    return path.p ? map_get(m, path) : NULL;
}

const struct api_resource *registry_find(const struct registry_snapshot *s, str group, str version, str plural)
{
    return find3(&s->by_path, group, version, plural);
}

const struct api_resource *registry_find_kind(const struct registry_snapshot *s, str group, str version, str kind)
{
    return find3(&s->by_kind, group, version, kind);
}

const struct api_resource *registry_storage(const struct registry_snapshot *s, const struct api_resource *r)
{
    if (str_eq(r->group, r->storage_group) && str_eq(r->version, r->storage_version))
        return r;
    return find3(&s->by_path, r->storage_group, r->storage_version, r->plural);
}

bool registry_has_group_version(const struct registry_snapshot *s, str group, str version)
{
    for (size_t i = 0; i < s->ngvs; i++)
        if (str_eq(s->gvs[i].group, group) && str_eq(s->gvs[i].version, version))
            return true;
    return false;
}

bool registry_has_group(const struct registry_snapshot *s, str group)
{
    for (size_t i = 0; i < s->ngvs; i++)
        if (str_eq(s->gvs[i].group, group))
            return true;
    return false;
}
