/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/deployment_plan.h"

#include "base/civil.h"
#include "controllers/workloads.h"

static int64_t note_int(const struct json *obj, const char *key, int64_t otherwise)
{
    int64_t v;
    return str_to_i64(json_get_str(json_path(obj, "metadata", "annotations", NULL), str_of(key)), &v) ? v : otherwise;
}

void deployment_read_set(struct dep_set *s, const struct json *obj)
{
    const struct json *meta = json_get(obj, S("metadata")), *status = json_get(obj, S("status"));
    *s = (struct dep_set){.obj = obj, .name = json_get_str(meta, S("name")), .uid = json_get_str(meta, S("uid"))};
    s->replicas = s->was = json_get_int(json_get(obj, S("spec")), S("replicas"), 1);
    s->pods = json_get_int(status, S("replicas"), 0);
    s->ready = json_get_int(status, S("readyReplicas"), 0);
    s->available = json_get_int(status, S("availableReplicas"), 0);
    s->revision = note_int(obj, REVISION_NOTE, 0);
    s->desired = note_int(obj, DESIRED_NOTE, -1);
    s->most = note_int(obj, MAX_NOTE, -1);
    civil_parse(json_get_str(meta, S("creationTimestamp")), &s->created);
}

static int older(const void *va, const void *vb)
{
    const struct dep_set *a = va, *b = vb;
    return a->created != b->created ? (a->created < b->created ? -1 : 1) : str_cmp(a->name, b->name);
}

/* The label that tells sets apart is in the set's template, not in the Deployment's. */
static bool same_template(struct arena *a, const struct json *mine, const struct json *theirs)
{
    struct json copy = theirs ? json_copy(a, theirs) : json_null();
    struct json *labels = json_path(&copy, "metadata", "labels", NULL);
    if (labels)
        json_del(labels, S(HASH_LABEL));
    return mine && json_equal(mine, &copy);
}

void deployment_read(struct arena *a, struct dep *d, const struct json *obj, struct dep_set *sets, size_t n, nsec_t now)
{
    const struct json *spec = json_get(obj, S("spec")), *strategy = json_get(spec, S("strategy")), *rolling = json_get(strategy, S("rollingUpdate"));
    *d = (struct dep){.obj = obj, .spec = spec, .sets = sets, .n = n, .new = -1, .now = now};
    d->replicas = json_get_int(spec, S("replicas"), 1);
    d->paused = json_get_bool(spec, S("paused"), false);
    d->recreate = str_is(json_get_str(strategy, S("type")), "Recreate");
    if (!d->recreate) {
        d->surge = int_or_percent(json_get(rolling, S("maxSurge")), d->replicas, true, 1);
        d->unavailable = MIN(int_or_percent(json_get(rolling, S("maxUnavailable")), d->replicas, false, 0), d->replicas);
        if (!d->surge && !d->unavailable)
            d->unavailable = 1; /* both rounded to nothing: it must go on somehow */
    }
    qsort(sets, n, sizeof *sets, older);
    for (size_t i = 0; i < n && d->new < 0; i++)
        if (same_template(a, json_get(spec, S("template")), json_path(sets[i].obj, "spec", "template", NULL)))
            d->new = (ptrdiff_t)i;
}

static int64_t total(const struct dep *d, bool with_new)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += with_new || (ptrdiff_t)i != d->new ? d->sets[i].replicas : 0;
    return sum;
}

static int64_t total_available(const struct dep *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d->n; i++)
        sum += d->sets[i].available;
    return sum;
}

int64_t deployment_next_revision(const struct dep *d)
{
    int64_t max = 0;
    for (size_t i = 0; i < d->n; i++)
        if ((ptrdiff_t)i != d->new)
            max = MAX(max, d->sets[i].revision);
    return max + 1;
}

/* --- scaling as a whole -------------------------------------------------------------------------------------------------------- */

static bool is_scaling(const struct dep *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->sets[i].replicas > 0 && d->sets[i].desired >= 0 && d->sets[i].desired != d->replicas)
            return true;
    return false;
}

/* The only set with replicas, or the newest when none has any; -1: several have. */
static ptrdiff_t active_or_latest(const struct dep *d)
{
    ptrdiff_t found = -1;
    for (size_t i = 0; i < d->n; i++) {
        if (!d->sets[i].replicas)
            continue;
        if (found >= 0)
            return -1;
        found = (ptrdiff_t)i;
    }
    return found >= 0 ? found : d->new >= 0 ? d->new : (ptrdiff_t)d->n - 1;
}

/* What a set gains or loses when the whole changes from what it was last told to what is wanted now. */
static int64_t share(const struct dep *d, const struct dep_set *s, int64_t to_add, int64_t added)
{
    if (!d->replicas)
        return -s->replicas;
    int64_t was = s->most > 0 ? s->most : json_get_int(json_get(d->obj, S("status")), S("replicas"), 0);
    if (was <= 0)
        was = MAX(total(d, true), (int64_t)1);
    int64_t size = (2 * s->replicas * (d->replicas + d->surge) + was) / (2 * was); /* rounded */
    int64_t change = size - s->replicas, left = to_add - added;
    return to_add > 0 ? MIN(change, left) : MAX(change, left);
}

struct by_size {
    struct dep_set *s;
    bool newer_first;
};

static int larger(const void *va, const void *vb)
{
    const struct by_size *a = va, *b = vb;
    if (a->s->replicas != b->s->replicas)
        return a->s->replicas > b->s->replicas ? -1 : 1;
    return a->newer_first ? older(b->s, a->s) : older(a->s, b->s);
}

static void scale_proportionally(struct dep *d)
{
    struct by_size *order = xarray(d->n + 1, struct by_size);
    size_t n = 0;
    int64_t all = total(d, true), allowed = d->replicas ? d->replicas + d->surge : 0, to_add = allowed - all, added = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->sets[i].replicas > 0)
            order[n++] = (struct by_size){&d->sets[i], to_add > 0};
    qsort(order, n, sizeof *order, larger);
    for (size_t i = 0; to_add && i < n; i++) {
        int64_t change = share(d, order[i].s, to_add, added);
        order[i].s->replicas += change;
        added += change;
    }
    if (n)
        order[0].s->replicas = MAX(order[0].s->replicas + to_add - added, (int64_t)0);
    free(order);
}

static void plan_scale(struct dep *d)
{
    ptrdiff_t one = active_or_latest(d);
    if (one >= 0) {
        d->sets[one].replicas = d->replicas;
        return;
    }
    const struct dep_set *s = d->new >= 0 ? &d->sets[d->new] : NULL;
    if (s && s->replicas == d->replicas && s->desired == d->replicas && s->available == d->replicas) {
        for (size_t i = 0; i < d->n; i++)
            if ((ptrdiff_t)i != d->new)
                d->sets[i].replicas = 0;
    } else if (!d->recreate && d->n) {
        scale_proportionally(d);
    }
}

/* --- a roll-out ------------------------------------------------------------------------------------------------------------------- */

int64_t deployment_new_replicas(const struct dep *d)
{
    const struct dep_set *s = d->new >= 0 ? &d->sets[d->new] : NULL;
    int64_t have = s ? s->replicas : 0;
    if (d->recreate || have > d->replicas)
        return d->replicas;
    int64_t room = d->replicas + d->surge - total(d, true);
    return room <= 0 ? have : have + MIN(room, d->replicas - have);
}

static bool old_pods_are_gone(const struct dep *d)
{
    for (size_t i = 0; i < d->n; i++)
        if ((ptrdiff_t)i != d->new && (d->sets[i].replicas || d->sets[i].pods || d->sets[i].running))
            return false;
    return true;
}

bool deployment_wants_new(const struct dep *d)
{
    return d->new < 0 && !d->paused && !is_scaling(d) && (!d->recreate || old_pods_are_gone(d));
}

/* Old pods that are not available go first: they serve nobody. */
static int64_t drop_unhealthy(struct dep *d, int64_t most)
{
    int64_t dropped = 0;
    for (size_t i = 0; i < d->n && dropped < most; i++) {
        struct dep_set *s = &d->sets[i];
        if ((ptrdiff_t)i == d->new || s->replicas <= s->available)
            continue;
        int64_t n = MIN(most - dropped, s->replicas - s->available);
        s->replicas -= n;
        dropped += n;
    }
    return dropped;
}

static void drop_old(struct dep *d)
{
    const struct dep_set *s = d->new >= 0 ? &d->sets[d->new] : NULL;
    int64_t least = d->replicas - d->unavailable, new_unavailable = s ? s->replicas - s->available : 0;
    int64_t most = total(d, true) - least - new_unavailable;
    if (!total(d, false) || most <= 0)
        return;
    drop_unhealthy(d, most);
    int64_t left = total_available(d) - least;
    for (size_t i = 0; i < d->n && left > 0; i++) {
        if ((ptrdiff_t)i == d->new || !d->sets[i].replicas)
            continue;
        int64_t n = MIN(d->sets[i].replicas, left);
        d->sets[i].replicas -= n;
        left -= n;
    }
}

static void plan_rolling(struct dep *d)
{
    if (d->new >= 0) {
        struct dep_set *s = &d->sets[d->new];
        int64_t wanted = deployment_new_replicas(d);
        if (wanted != s->replicas) {
            s->replicas = wanted;
            return;
        }
    }
    drop_old(d);
}

static void plan_recreate(struct dep *d)
{
    for (size_t i = 0; i < d->n; i++)
        if ((ptrdiff_t)i != d->new)
            d->sets[i].replicas = 0;
    if (d->new >= 0 && old_pods_are_gone(d))
        d->sets[d->new].replicas = d->replicas;
}

void deployment_plan(struct dep *d)
{
    if (d->paused || is_scaling(d))
        plan_scale(d);
    else if (d->recreate)
        plan_recreate(d);
    else
        plan_rolling(d);
}

/* --- history ------------------------------------------------------------------------------------------------------------------------ */

size_t deployment_history(const struct dep *d, size_t *out)
{
    int64_t limit = json_get_int(d->spec, S("revisionHistoryLimit"), 10), old = 0;
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        old += (ptrdiff_t)i != d->new;
    if (d->new < 0)
        return 0;
    for (int64_t excess = old - limit; excess > 0; excess--) {
        ptrdiff_t lowest = -1;
        for (size_t i = 0; i < d->n; i++) {
            bool taken = (ptrdiff_t)i == d->new;
            for (size_t k = 0; k < n; k++)
                taken |= out[k] == i;
            if (!taken && (lowest < 0 || d->sets[i].revision < d->sets[lowest].revision))
                lowest = (ptrdiff_t)i;
        }
        const struct dep_set *s = &d->sets[lowest];
        const struct json *meta = json_get(s->obj, S("metadata"));
        bool idle = !s->replicas && !s->was && !s->pods && json_get_int(json_get(s->obj, S("status")), S("observedGeneration"), 0) >= json_get_int(meta, S("generation"), 0);
        if (!idle || json_get(meta, S("deletionTimestamp")))
            break;
        out[n++] = (size_t)lowest;
    }
    return n;
}
