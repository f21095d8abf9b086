/* shard_options.c - see shard_options.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/shard_options.h"

#include "api/codec_scalar.h"
#include "base/limits.h"
#include "base/civil.h"

#define WEEK_NS (7ll * 24 * 3600 * NSEC_PER_SEC)
#define DURATION_MOST (LIMIT_SCHED_DURATION_S * NSEC_PER_SEC)
#define K_MOST 1e6
#define MOVES_MOST 1000
#define RESERVATIONS_MOST 32
#define DEFRAG_MOST 16u
#define DEFRAG_HOURLY_MOST 100000u
#define AGE_MOST 1000000

const struct shard_options shard_options_default = {
    .past = 1, .saturation = 1, .stale_grace_ns = 60 * NSEC_PER_SEC, .max_moves = 16, .places = true, .max_reservations = 4, .reserve_after_ns = 300 * NSEC_PER_SEC, .age_step = 1, .age_steps = 100,
    .defrag_units = 4, .defrag_pods = 8, .defrag_hourly = 32, .defrag_min_runtime_ns = 600 * NSEC_PER_SEC,
};

struct reading {
    struct arena *a;
    struct shard_options *o;
    struct shard_notes *notes;
};

static void note(struct reading *r, bool is_error, str path, str value, const char *text)
{
    struct shard_notes *n = r->notes;
    if (n->n == SHARD_NOTES) {
        if (!is_error || n->list[n->n - 1].is_error)
            return;
        n->n--; /* an error is worth more than the last of many warnings */
    }
    n->list[n->n++] = (struct shard_note){.path = path, .text = str_of(text), .value = value, .is_error = is_error};
}

static str text_of(struct reading *r, const struct json *v)
{
    return json_is(v, JSON_STRING) ? json_str(v) : json_text(r->a, v);
}

static str key_path(struct reading *r, const char *map, str key)
{
    return arena_fmt(r->a, "%s[" STR_FMT "]", map, STR_ARG(key));
}

/* --- values: true when there is one, and it is good ---------------------------------------------------------------------------------------- */
bool shard_duration_read(struct arena *a, str text, nsec_t *ret)
{
    struct err why = ERR_NONE;
    double n;
    char last = text.len ? text.p[text.len - 1] : 0;
    if ((last == 'd' || last == 'w') && str_to_double(str_sub(text, 0, text.len - 1), &n) && n >= 0 && n < 1e5) {
        *ret = (nsec_t)(n * (double)(last == 'd' ? WEEK_NS / 7 : WEEK_NS));
        return *ret <= DURATION_MOST;
    }
    int64_t ns;
    if (codec_duration_parse(a, text, &ns, &why) < 0 || ns > DURATION_MOST)
        return false;
    *ret = ns;
    return true;
}

static bool read_duration(struct reading *r, str path, str text, bool may_be_negative, nsec_t *ret)
{
    nsec_t ns;
    bool ok = shard_duration_read(r->a, text, &ns) && (ns >= 0 || may_be_negative);
    if (ok)
        *ret = ns;
    else
        note(r, true, path, text, may_be_negative ? "must be a duration such as 30s, 10m or 1h30m; a negative one means never" : "must be a duration such as 30s, 10m, 24h, 7d or 1w");
    return ok;
}

static void read_number(struct reading *r, str path, str text, double least, double most, const char *words, double *ret)
{
    double n;
    if (str_to_double(text, &n) && n >= least && n <= most)
        *ret = n;
    else
        note(r, true, path, text, words);
}

static bool read_bool(struct reading *r, str path, str text, bool *ret)
{
    bool yes = str_is(text, "true"), no = str_is(text, "false");
    if (yes || no)
        *ret = yes;
    else
        note(r, true, path, text, "must be true or false");
    return yes || no;
}

static void read_placement(struct reading *r, str path, str text, bool *ret_spread)
{
    if (!text.len)
        return;
    r->o->says_placement = true;
    if (str_is(text, "binpack") || str_is(text, "spread"))
        *ret_spread = str_is(text, "spread");
    else
        note(r, true, path, text, "must be binpack or spread");
}

/* --- args: KAI's flags ----------------------------------------------------------------------------------------------------------------------- */
static void arg_stale(struct reading *r, str path, str text)
{
    nsec_t ns;
    if (read_duration(r, path, text, true, &ns))
        r->o->stale_grace_ns = ns < 0 ? -1 : ns;
}

static void read_count(struct reading *r, str path, str text, uint32_t most, uint32_t *ret)
{
    uint64_t n;
    if (str_to_u64(text, &n) && n <= most)
        *ret = (uint32_t)n;
    else
        note(r, true, path, text, arena_cstr(r->a, arena_fmt(r->a, "must be a whole number from 0 to %u", most)));
}

static void arg_moves(struct reading *r, str path, str text)
{
    read_count(r, path, text, MOVES_MOST, &r->o->max_moves);
}

static void arg_reservations(struct reading *r, str path, str text)
{
    read_count(r, path, text, RESERVATIONS_MOST, &r->o->max_reservations);
}

static void arg_reserve_after(struct reading *r, str path, str text)
{
    nsec_t ns;
    if (read_duration(r, path, text, true, &ns))
        r->o->reserve_after_ns = ns < 0 ? -1 : ns;
}

static void arg_age_every(struct reading *r, str path, str text)
{
    read_duration(r, path, text, false, &r->o->age_every_ns);
}

static void arg_age_step(struct reading *r, str path, str text)
{
    read_count(r, path, text, AGE_MOST, &r->o->age_step);
}

static void arg_age_steps(struct reading *r, str path, str text)
{
    read_count(r, path, text, AGE_MOST, &r->o->age_steps);
}

static void arg_defrag_every(struct reading *r, str path, str text)
{
    read_duration(r, path, text, false, &r->o->defrag_every_ns);
}

static void arg_defrag_units(struct reading *r, str path, str text)
{
    read_count(r, path, text, DEFRAG_MOST, &r->o->defrag_units);
}

static void arg_defrag_pods(struct reading *r, str path, str text)
{
    read_count(r, path, text, DEFRAG_MOST, &r->o->defrag_pods);
}

static void arg_defrag_hourly(struct reading *r, str path, str text)
{
    read_count(r, path, text, DEFRAG_HOURLY_MOST, &r->o->defrag_hourly);
}

static void arg_defrag_runtime(struct reading *r, str path, str text)
{
    read_duration(r, path, text, false, &r->o->defrag_min_runtime_ns);
}

static void arg_reclaim(struct reading *r, str path, str text)
{
    bool on;
    if (read_bool(r, path, text, &on))
        r->o->still_reclaim = !on;
}

static void arg_hierarchy(struct reading *r, str path, str text)
{
    bool on;
    if (read_bool(r, path, text, &on))
        r->o->flat = !on;
}

static void arg_saturation(struct reading *r, str path, str text)
{
    read_number(r, path, text, 1, K_MOST, "must be a number of at least 1", &r->o->saturation);
}

static void arg_past(struct reading *r, str path, str text)
{
    read_number(r, path, text, 0, K_MOST, "must be a number that is not negative", &r->o->past);
}

static void arg_preempt_min(struct reading *r, str path, str text)
{
    read_duration(r, path, text, false, &r->o->preempt_min_runtime_ns);
}

static void arg_reclaim_min(struct reading *r, str path, str text)
{
    read_duration(r, path, text, false, &r->o->reclaim_min_runtime_ns);
}

static void arg_method(struct reading *r, str path, str text)
{
    if (str_is(text, "lca") || str_is(text, "queue"))
        r->o->reclaim_by_leaf = str_is(text, "queue");
    else
        note(r, true, path, text, "must be lca or queue");
}

static void arg_gpu(struct reading *r, str path, str text)
{
    read_placement(r, path, text, &r->o->gpu_spread);
}

static void arg_cpu(struct reading *r, str path, str text)
{
    read_placement(r, path, text, &r->o->cpu_spread);
}

static const struct meaning {
    const char *of; /* plugin; NULL: a flag of args */
    const char *key;
    void (*read)(struct reading *r, str path, str text);
} meanings[] = {
    {NULL, "default-staleness-grace-period", arg_stale},
    {NULL, "max-consolidation-preemptees", arg_moves},
    {NULL, "allow-consolidating-reclaim", arg_reclaim},
    {NULL, "full-hierarchy-fairness", arg_hierarchy},
    /* our own */
    {NULL, "max-reservations", arg_reservations},
    {NULL, "reserve-after", arg_reserve_after},
    {NULL, "age-every", arg_age_every},
    {NULL, "age-step", arg_age_step},
    {NULL, "age-steps", arg_age_steps},
    {NULL, "defragment-every", arg_defrag_every},
    {NULL, "defragment-max-units", arg_defrag_units},
    {NULL, "defragment-max-pods", arg_defrag_pods},
    {NULL, "defragment-max-pods-per-hour", arg_defrag_hourly},
    {NULL, "defragment-min-runtime", arg_defrag_runtime},
    {"proportion", "kValue", arg_past},
    /* KAI's manual has the second name, its code the first; the third is what both mean */
    {"proportion", "relcaimerSaturationMultiplier", arg_saturation},
    {"proportion", "reclaimerUtilizationMultiplier", arg_saturation},
    {"proportion", "reclaimerSaturationMultiplier", arg_saturation},
    {"minruntime", "defaultPreemptMinRuntime", arg_preempt_min},
    {"minruntime", "defaultReclaimMinRuntime", arg_reclaim_min},
    {"minruntime", "reclaimResolveMethod", arg_method},
    {"nodeplacement", "gpu", arg_gpu},
    {"nodeplacement", "cpu", arg_cpu},
};

static void read_arguments(struct reading *r, const char *plugin, const char *path, const struct json *map)
{
    for (uint32_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++) {
        str key = map->members[i].key, here = key_path(r, path, key), text = text_of(r, &map->members[i].value);
        size_t m = 0;
        while (m < ARRAY_LEN(meanings) && !(str_is(key, meanings[m].key) && (plugin && meanings[m].of ? strcmp(plugin, meanings[m].of) == 0 : plugin == meanings[m].of)))
            m++;
        if (m < ARRAY_LEN(meanings))
            meanings[m].read(r, here, text);
        else
            note(r, false, here, text, "has no effect here");
    }
}

static void read_plugins(struct reading *r, const struct json *plugins)
{
    static const char *const known[] = {"proportion", "minruntime", "nodeplacement"};
    for (uint32_t i = 0; json_is(plugins, JSON_OBJECT) && i < plugins->len; i++) {
        str name = plugins->members[i].key, here = key_path(r, "plugins", name);
        const struct json *v = &plugins->members[i].value, *enabled = json_get(v, S("enabled"));
        bool off = json_is(enabled, JSON_BOOL) && !enabled->b;
        size_t k = 0;
        while (k < ARRAY_LEN(known) && !str_is(name, known[k]))
            k++;
        if (k == ARRAY_LEN(known)) {
            note(r, false, here, name, "has no effect here: of plugins proportion, minruntime and nodeplacement are looked at");
            continue;
        }
        if (!off)
            read_arguments(r, known[k], arena_cstr(r->a, arena_fmt(r->a, "plugins[%s].arguments", known[k])), json_get(v, S("arguments")));
        else if (k == 0)
            note(r, false, here, name, "cannot be switched off: what is left to divide is always divided by weight");
        else if (k == 1)
            r->o->preempt_min_runtime_ns = r->o->reclaim_min_runtime_ns = 0;
        else
            r->o->places = !(r->o->says_placement = true);
    }
}

/* --- actions ---------------------------------------------------------------------------------------------------------------------------------- */
static const char *const action_names[SHARD_ACTIONS] = {"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"};

static int action_of(str name)
{
    for (int i = 0; i < SHARD_ACTIONS; i++)
        if (str_is(name, action_names[i]))
            return i;
    return -1;
}

static void read_actions(struct reading *r, const struct json *actions)
{
    for (uint32_t i = 0; json_is(actions, JSON_OBJECT) && i < actions->len; i++) {
        str name = actions->members[i].key, here = key_path(r, "actions", name);
        const struct json *v = &actions->members[i].value, *enabled = json_get(v, S("enabled"));
        int at = action_of(name);
        if (at < 0)
            note(r, false, here, name, "is no action here: there are allocate, consolidation, reclaim, preempt and stalegangeviction");
        else if (json_is(enabled, JSON_BOOL) && !enabled->b)
            r->o->off |= 1u << at;
        if (at >= 0 && json_get(v, S("priority")))
            note(r, false, arena_cat(r->a, here, S(".priority")), text_of(r, json_get(v, S("priority"))), "has no effect here: the order of actions is fixed");
    }
}

static void read_depths(struct reading *r, const struct json *depths)
{
    for (uint32_t i = 0; json_is(depths, JSON_OBJECT) && i < depths->len; i++) {
        str name = depths->members[i].key, here = key_path(r, "queueDepthPerAction", name);
        int at = action_of(name);
        int64_t n;
        if (at < 0 || at == SHARD_STALE)
            note(r, false, here, name, "has no effect here: allocate, consolidation, reclaim and preempt go through queues");
        else if (!json_to_i64(&depths->members[i].value, &n) || n < 0 || n > INT32_MAX)
            note(r, true, here, text_of(r, &depths->members[i].value), "must be a whole number that is not negative; 0 means all");
        else
            r->o->depth[at] = (uint32_t)n;
    }
}

/* --- history ------------------------------------------------------------------------------------------------------------------------------------ */
static void read_usage(struct reading *r, const struct json *usage)
{
    const char *const at = "usageDBConfig.usageParams.";
    const struct json *p = json_get(usage, S("usageParams"));
    str half = json_get_str(p, S("halfLifePeriod")), window = json_get_str(p, S("windowSize")), type = json_get_str(p, S("windowType")), from = json_get_str(p, S("tumblingWindowStartTime"));
    if (!json_is(usage, JSON_OBJECT))
        return;
    r->o->has_history = true;
    r->o->window_ns = WEEK_NS;
    if (half.len)
        read_duration(r, arena_fmt(r->a, "%shalfLifePeriod", at), half, false, &r->o->half_life_ns);
    str window_at = arena_fmt(r->a, "%swindowSize", at);
    if (window.len && read_duration(r, window_at, window, false, &r->o->window_ns) && r->o->window_ns < NSEC_PER_SEC) {
        note(r, true, window_at, window, "must be at least a second");
        r->o->window_ns = WEEK_NS;
    }
    str type_at = arena_fmt(r->a, "%swindowType", at);
    if (str_is(type, "tumbling"))
        r->o->tumbles = true;
    else if (str_is(type, "cron"))
        note(r, false, type_at, type, "has no effect here: the window slides; use tumbling with tumblingWindowStartTime for one that begins at fixed times");
    else if (type.len && !str_is(type, "sliding"))
        note(r, true, type_at, type, "must be sliding, tumbling or cron");
    if (from.len && !civil_parse(from, &r->o->window_from_ns))
        note(r, true, arena_fmt(r->a, "%stumblingWindowStartTime", at), from, "must be a time such as 2026-01-05T00:00:00Z");
    str where = json_get_str(usage, S("connectionString"));
    if (where.len)
        note(r, false, S("usageDBConfig.connectionString"), where, "has no effect here: the scheduler keeps what queues used by itself");
}

/* Unknown fields are kept, as KAI's operator has more of them than we need; a misspelt one is told all the same. */
static void read_fields(struct reading *r, const struct json *spec)
{
    static const char *const known[] = {"partitionLabelValue", "placementStrategy", "kValue", "usageDBConfig", "minRuntime", "queueDepthPerAction", "actions", "args", "plugins"};
    for (uint32_t i = 0; json_is(spec, JSON_OBJECT) && i < spec->len; i++) {
        bool is_known = false;
        for (size_t k = 0; k < ARRAY_LEN(known) && !is_known; k++)
            is_known = str_is(spec->members[i].key, known[k]);
        if (!is_known)
            note(r, false, spec->members[i].key, text_of(r, &spec->members[i].value), "has no effect here");
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------------------------ */
void shard_options_read(struct arena *a, const struct json *spec, struct shard_options *ret, struct shard_notes *notes)
{
    struct reading r = {a, ret, notes};
    const struct json *k = json_get(spec, S("kValue")), *min = json_get(spec, S("minRuntime")), *place = json_get(spec, S("placementStrategy"));
    str preempt = json_get_str(min, S("preemptMinRuntime")), reclaim = json_get_str(min, S("reclaimMinRuntime"));
    *ret = shard_options_default;
    notes->n = 0;
    ret->pool = json_get_str(spec, S("partitionLabelValue"));
    /* plugins last: KAI's operator makes their arguments of the fields, and what is written there replaces those */
    read_arguments(&r, NULL, "args", json_get(spec, S("args")));
    if (k && !json_is(k, JSON_NULL))
        arg_past(&r, S("kValue"), text_of(&r, k));
    if (preempt.len)
        arg_preempt_min(&r, S("minRuntime.preemptMinRuntime"), preempt);
    if (reclaim.len)
        arg_reclaim_min(&r, S("minRuntime.reclaimMinRuntime"), reclaim);
    read_placement(&r, S("placementStrategy.gpu"), json_get_str(place, S("gpu")), &ret->gpu_spread);
    read_placement(&r, S("placementStrategy.cpu"), json_get_str(place, S("cpu")), &ret->cpu_spread);
    read_depths(&r, json_get(spec, S("queueDepthPerAction")));
    read_actions(&r, json_get(spec, S("actions")));
    read_usage(&r, json_get(spec, S("usageDBConfig")));
    read_plugins(&r, json_get(spec, S("plugins")));
    read_fields(&r, spec);
    if (ret->places && (ret->gpu_spread || ret->cpu_spread))
        ret->off |= 1u << SHARD_CONSOLIDATION; /* what is spread on purpose is not moved together */
}
