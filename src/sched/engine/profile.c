/* profile.c - which plugins schedule, with what weights and arguments: built-in tables and YAML.
 *
 * Two forms of YAML.  Ours starts from a built-in profile and says what differs:
 *     name: packed
 *     base: default
 *     plugins: {NodeResourcesFit: {weight: 5, args: {scoringStrategy: {type: MostAllocated}}}, ImageLocality: off, NodePorts: on}
 *     ties: best-fit            # or seed
 *     gangVictims: whole        # or pods
 *     keepRoomAfterSeconds: 60  # 0: never
 * kube-scheduler's own (KubeSchedulerConfiguration, one profile or several) starts each from "default" and follows its rules of multiPoint and of the
 * single extension points.  There "*" switches off what kube-scheduler knows; plugins it does not know go only by name, since its
 * configurations cannot have meant them.
 * Errors are "FILE:LINE: path.of.the[0].field: what is wrong". */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"
#include "wire/yaml.h"

#define WEIGHT_MAX 1000000 /* sums of weight * 100 stay within int32_t */
#define WEIGHT_SUM_MAX 20000000
#define KEEP_AFTER_S 60
#define KEEP_AFTER_MAX_S (365 * 24 * 3600)

/* --- the tables ------------------------------------------------------------------------------------------------------------- */
enum { FILTERS = 1 };
struct row {
    const struct sched_plugin *plugin;
    int32_t weight;
    int flags;
    const char *args; /* JSON, NULL: defaults */
};

static const struct row rows_default[] = {
    {&plugin_scheduling_gates, 0, FILTERS, NULL},
    {&plugin_node_name, 0, FILTERS, NULL},
    {&plugin_node_unschedulable, 0, FILTERS, NULL},
    {&plugin_node_pool, 0, FILTERS, NULL},
    {&plugin_taint_toleration, 3, FILTERS, NULL},
    {&plugin_node_affinity, 2, FILTERS, NULL},
    {&plugin_node_ports, 0, FILTERS, NULL},
    {&plugin_node_resources_fit, 1, FILTERS, NULL},
    {&plugin_volume_restrictions, 0, FILTERS, NULL},
    {&plugin_node_volume_limits, 0, FILTERS, NULL},
    {&plugin_volume_binding, 0, FILTERS, NULL},
    {&plugin_volume_zone, 0, FILTERS, NULL},
    {&plugin_pod_topology_spread, 2, FILTERS, NULL},
    {&plugin_inter_pod_affinity, 2, FILTERS, NULL},
    {&plugin_node_bandwidth, 0, FILTERS, NULL},
    {&plugin_gpu_sharing, 0, FILTERS, NULL},
    {&plugin_numa_alignment, 1, FILTERS, NULL},
    {&plugin_balanced_allocation, 1, 0, NULL},
    {&plugin_image_locality, 1, 0, NULL},
    {&plugin_coscheduling, 0, 0, NULL},
    {&plugin_job_affinity, 0, 0, NULL},
    {&plugin_daemon_set, 0, 0, NULL},
    {&plugin_default_preemption, 0, 0, NULL},
    {NULL, 0, 0, NULL},
};
/* The others are the default with these rows put in its place; every score that is not named here is off.  KAI's tiers: preferred affinity first, then
 * nodes without GPUs for pods that ask for none, then GPUs for pods that ask for them (they outweigh cpu), cpu for the rest; memory never. */
static const struct row rows_binpack[] = {
    {&plugin_inter_pod_affinity, 10000, FILTERS, NULL},
    {&plugin_gpu_sharing, 1000, FILTERS, NULL},
    {&plugin_node_resources_fit, 1, FILTERS,
     "{\"scoringStrategy\":{\"type\":\"MostAllocated\",\"resources\":[{\"name\":\"nvidia.com/gpu\",\"weight\":100},{\"name\":\"cpu\",\"weight\":1}]}}"},
    {NULL, 0, 0, NULL},
};
static const struct row rows_spread[] = {
    {&plugin_inter_pod_affinity, 10000, FILTERS, NULL},
    {&plugin_gpu_sharing, 1000, FILTERS, NULL},
    {&plugin_node_resources_fit, 1, FILTERS,
     "{\"scoringStrategy\":{\"type\":\"LeastAllocated\",\"resources\":[{\"name\":\"nvidia.com/gpu\",\"weight\":100},{\"name\":\"cpu\",\"weight\":1}]}}"},
    {NULL, 0, 0, NULL},
};
/* Fragmentation decides; what a pod itself asks for still counts among equals.  No default spread: it would decide ties that best fit should. */
static const struct row rows_gpu_packing[] = {
    {&plugin_taint_toleration, 3, FILTERS, NULL},
    {&plugin_node_affinity, 2, FILTERS, NULL},
    {&plugin_pod_topology_spread, 2, FILTERS, "{\"defaultingType\":\"List\"}"},
    {&plugin_inter_pod_affinity, 2, FILTERS, NULL},
    {&plugin_gpu_packing, 1000, 0, NULL},
    {NULL, 0, 0, NULL},
};
/* What a pod says that it prefers goes first, then KAI's tiers; no default spread, which would undo the packing. */
#define ROWS_KAI(strategy)                                                                                                                                             \
    {&plugin_taint_toleration, 10000, FILTERS, NULL}, {&plugin_node_affinity, 10000, FILTERS, NULL},                                                                   \
        {&plugin_pod_topology_spread, 10000, FILTERS, "{\"defaultingType\":\"List\"}"}, {&plugin_inter_pod_affinity, 10000, FILTERS, NULL},                         \
        {&plugin_numa_alignment, 1, FILTERS, NULL}, {&plugin_node_placement, 100, 0, "{\"strategy\":\"" strategy "\"}"}, {NULL, 0, 0, NULL}
static const struct row rows_kai_binpack[] = {ROWS_KAI("binpack")}, rows_kai_spread[] = {ROWS_KAI("spread")};
static const struct {
    const char *name;
    const struct row *changes; /* NULL: none */
    enum tie_rule tie;
    bool unit_preempt_whole;
    bool spread_devices;
} builtins[] = {
    {"default", NULL, TIE_SEED, false, false},
    {"binpack", rows_binpack, TIE_SEED, true, false},
    {"spread", rows_spread, TIE_SEED, true, false},
    {"kai-binpack", rows_kai_binpack, TIE_BEST_FIT, true, false},
    {"kai-spread", rows_kai_spread, TIE_SEED, true, true},
    {"gpu-packing", rows_gpu_packing, TIE_BEST_FIT, true, false},
};

/* --- entries of a profile --------------------------------------------------------------------------------------------------- */
static int registry_index(const struct sched_plugin *plugin)
{
    for (int i = 0; sched_plugins[i]; i++)
        if (sched_plugins[i] == plugin)
            return i;
    return INT32_MAX;
}

static struct profile_plugin *entry_find(struct sched_profile *p, const struct sched_plugin *plugin)
{
    for (uint32_t i = 0; i < p->nplugins; i++)
        if (p->plugins[i].plugin == plugin)
            return &p->plugins[i];
    return NULL;
}

static bool can_filter(const struct sched_plugin *plugin)
{
    return plugin->filter || plugin->fits_one;
}

static bool can_score(const struct sched_plugin *plugin)
{
    return plugin->score || plugin->score_one || plugin->default_weight > 0;
}

/* At the end, or where the registry has it: the registry has cheap filters first. */
static struct profile_plugin *entry_add(struct sched_profile *p, const struct sched_plugin *plugin, bool at_end)
{
    BUG_ON(p->nplugins == PLUG_MAX);
    uint32_t at = p->nplugins;
    while (!at_end && at && registry_index(p->plugins[at - 1].plugin) > registry_index(plugin))
        at--;
    memmove(&p->plugins[at + 1], &p->plugins[at], (p->nplugins - at) * sizeof p->plugins[0]);
    p->nplugins++;
    p->plugins[at] = (struct profile_plugin){.plugin = plugin, .filters = can_filter(plugin), .weight = (int32_t)plugin->default_weight};
    return &p->plugins[at];
}

static void entry_remove(struct sched_profile *p, struct profile_plugin *e)
{
    size_t at = (size_t)(e - p->plugins);
    memmove(e, e + 1, (p->nplugins - at - 1) * sizeof *e);
    p->nplugins--;
}

/* Arguments are made when everything is read; entries without a configure take none. */
static int entry_configure(struct sched_profile *p, struct profile_plugin *e, const struct json *args, struct err *err)
{
    if (!e->plugin->configure)
        return args ? err_set(err, E_INVALID_ARG, "%s takes no arguments", e->plugin->name) : 0;
    e->args_text = args ? json_text(&p->arena, args) : S("");
    return e->plugin->configure(&p->arena, args, &e->args, err);
}

static void rows_put(struct sched_profile *p, const struct row *rows)
{
    for (const struct row *r = rows; r->plugin; r++) {
        struct profile_plugin *e = entry_find(p, r->plugin);
        if (!e)
            e = entry_add(p, r->plugin, false);
        e->weight = r->weight;
        e->filters = r->flags & FILTERS;
        if (!r->plugin->configure)
            continue;
        struct err err = ERR_NONE;
        struct json args = r->args ? json_literal(&p->arena, r->args) : json_null();
        if (entry_configure(p, e, r->args ? &args : NULL, &err) < 0)
            base_bug(__FILE__, __LINE__, __func__, err.msg);
    }
}

struct sched_profile *profile_builtin(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++) {
        if (!str_is(name, builtins[i].name))
            continue;
        struct sched_profile *p = xnew(struct sched_profile);
        p->name = str_of(builtins[i].name);
        p->tie = builtins[i].tie;
        p->unit_preempt_whole = builtins[i].unit_preempt_whole;
        p->spread_devices = builtins[i].spread_devices;
        p->keep_after_ns = KEEP_AFTER_S * NSEC_PER_SEC;
        rows_put(p, rows_default);
        if (builtins[i].changes) {
            for (uint32_t k = 0; k < p->nplugins; k++)
                p->plugins[k].weight = 0;
            rows_put(p, builtins[i].changes);
        }
        p->preempt = profile_index(p, "DefaultPreemption") >= 0;
        return p;
    }
    return NULL;
}

void profile_free(struct sched_profile *p)
{
    while (p) {
        struct sched_profile *next = p->next;
        arena_fini(&p->arena);
        free(p);
        p = next;
    }
}

int profile_index(const struct sched_profile *p, const char *plugin_name)
{
    for (uint32_t i = 0; i < p->nplugins; i++)
        if (strcmp(p->plugins[i].plugin->name, plugin_name) == 0)
            return (int)i;
    return -1;
}

/* --- reading: errors -------------------------------------------------------------------------------------------------------- */
struct reader {
    str text, file;
    struct sched_profile *first; /* of the file */
    struct sched_profile *p;     /* the last, being read */
    struct arena scratch;
    const struct json *args[PLUG_MAX * 2]; /* of this one, by plugin, see args_of */
    const struct sched_plugin *args_of[PLUG_MAX * 2];
    str args_path[PLUG_MAX * 2];
    size_t nargs;
    struct err *err;
};

static int refuse(struct reader *r, str path, const char *fmt, ...) PRINTF_LIKE(3, 4);
static int refuse(struct reader *r, str path, const char *fmt, ...)
{
    char msg[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    int rc;
    if (path.len) {
        size_t line = yaml_line_of(r->text, path);
        rc = err_set(r->err, E_INVALID_ARG, STR_FMT ":%zu: " STR_FMT ": %s", STR_ARG(r->file), line, STR_ARG(path), msg);
    } else {
        rc = err_set(r->err, E_INVALID_ARG, STR_FMT ": %s", STR_ARG(r->file), msg);
    }
    if (r->err)
        err_set_field(r->err, path);
    return rc;
}

static const char *type_name(const struct json *v)
{
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "a list", "a mapping"};
    return names[v->type];
}

static str path_join(struct reader *r, str path, str key)
{
    return path.len ? arena_fmt(&r->scratch, STR_FMT "." STR_FMT, STR_ARG(path), STR_ARG(key)) : key;
}

/* Is every key of the mapping one of `known` (NULL at the end)? */
static int check_keys(struct reader *r, str path, const struct json *v, const char *const *known)
{
    for (uint32_t i = 0; i < v->len; i++) {
        bool ok = false;
        struct strbuf list = strbuf_on(&r->scratch);
        for (const char *const *k = known; *k; k++) {
            ok |= str_is(v->members[i].key, *k);
            strbuf_addf(&list, "%s%s", list.len ? ", " : "", *k);
        }
        if (!ok)
            return refuse(r, path_join(r, path, v->members[i].key), "unknown field; there are: %s", strbuf_cstr(&list));
    }
    return 0;
}

static int want(struct reader *r, str path, const struct json *v, enum json_type type)
{
    static const char *const names[] = {"null", "a boolean", "a number", "a string", "a list", "a mapping"};
    return v->type == type ? 0 : refuse(r, path, "must be %s, is %s", names[type], type_name(v));
}

static int read_plugin(struct reader *r, str path, str name, const struct sched_plugin **ret)
{
    *ret = plugin_find(name);
    if (*ret)
        return 0;
    struct strbuf list = strbuf_on(&r->scratch);
    for (size_t i = 0; sched_plugins[i]; i++)
        strbuf_addf(&list, "%s%s", list.len ? ", " : "", sched_plugins[i]->name);
    return refuse(r, path, "no plugin is called \"%.64s\"; there are: %s", arena_cstr(&r->scratch, name), strbuf_cstr(&list));
}

static int read_weight(struct reader *r, str path, const struct json *v, const struct sched_plugin *plugin, int32_t *ret)
{
    int64_t w;
    if (!json_to_i64(v, &w) || w < 0 || w > WEIGHT_MAX)
        return refuse(r, path, "must be a whole number from 0 to %d", WEIGHT_MAX);
    if (w && !can_score(plugin))
        return refuse(r, path, "%s does not score, it can have no weight", plugin->name);
    *ret = (int32_t)w;
    return 0;
}

static void args_note(struct reader *r, const struct sched_plugin *plugin, const struct json *args, str path)
{
    for (size_t i = 0; i < r->nargs; i++) {
        if (r->args_of[i] == plugin) { /* the last one counts */
            r->args[i] = args;
            r->args_path[i] = path;
            return;
        }
    }
    BUG_ON(r->nargs == ARRAY_LEN(r->args));
    r->args_of[r->nargs] = plugin;
    r->args[r->nargs] = args;
    r->args_path[r->nargs++] = path;
}

/* The plugin's error with our path in front; it names its own field in err.field or at the start of its sentence. */
static int args_apply(struct reader *r)
{
    for (size_t i = 0; i < r->nargs; i++) {
        struct profile_plugin *e = entry_find(r->p, r->args_of[i]);
        struct err err = ERR_NONE;
        if (!e || entry_configure(r->p, e, r->args[i], &err) == 0)
            continue;
        str path = r->args_path[i], msg = str_of(err.msg), field = str_of(err.field);
        if (field.len) {
            path = path_join(r, path, field);
            if (str_has_prefix(msg, field))
                msg = str_trim(str_from(msg, field.len + (msg.len > field.len && msg.p[field.len] == ':')));
        }
        return refuse(r, path, STR_FMT, STR_ARG(msg));
    }
    return 0;
}

/* Entries that came without arguments get the plugin's defaults. */
static int fill_args(struct reader *r)
{
    for (uint32_t i = 0; i < r->p->nplugins; i++) {
        struct profile_plugin *e = &r->p->plugins[i];
        if (!e->args && e->plugin->configure) {
            struct err err = ERR_NONE;
            if (entry_configure(r->p, e, NULL, &err) < 0)
                return refuse(r, str_of(e->plugin->name), "%s", err.msg);
        }
    }
    return 0;
}

/* All of the profile at `path` has been read. */
static int finish(struct reader *r, str path)
{
    int rc = args_apply(r);
    if (rc == 0)
        rc = fill_args(r);
    if (rc < 0)
        return rc;
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->p->nplugins; i++)
        sum += r->p->plugins[i].weight;
    if (sum > WEIGHT_SUM_MAX)
        return refuse(r, path_join(r, path, S("plugins")), "the weights add up to %lld, at most %d can be", (long long)sum, WEIGHT_SUM_MAX);
    r->p->preempt = profile_index(r->p, "DefaultPreemption") >= 0;
    return 0;
}

/* --- our form --------------------------------------------------------------------------------------------------------------- */
static int short_plugin(struct reader *r, str path, str name, const struct json *v)
{
    static const char *const known[] = {"weight", "filter", "args", NULL};
    const struct sched_plugin *plugin;
    int rc = read_plugin(r, path, name, &plugin);
    if (rc < 0)
        return rc;
    struct profile_plugin *e = entry_find(r->p, plugin);
    if (v->type == JSON_BOOL && !v->b) {
        if (e)
            entry_remove(r->p, e);
        return 0;
    }
    if (!e)
        e = entry_add(r->p, plugin, false);
    if (v->type == JSON_BOOL || v->type == JSON_NULL)
        return 0;
    if (v->type == JSON_NUMBER)
        return read_weight(r, path, v, plugin, &e->weight);
    if (v->type != JSON_OBJECT)
        return refuse(r, path, "must be on, off, a weight or a mapping of weight, filter and args, is %s", type_name(v));
    if ((rc = check_keys(r, path, v, known)) < 0)
        return rc;
    const struct json *m = json_get(v, S("weight"));
    if (m && (rc = read_weight(r, path_join(r, path, S("weight")), m, plugin, &e->weight)) < 0)
        return rc;
    m = json_get(v, S("filter"));
    if (m && (rc = want(r, path_join(r, path, S("filter")), m, JSON_BOOL)) < 0)
        return rc;
    if (m && m->b && !can_filter(plugin))
        return refuse(r, path_join(r, path, S("filter")), "%s does not filter", plugin->name);
    if (m)
        e->filters = m->b;
    m = json_get(v, S("args"));
    if (m && (rc = want(r, path_join(r, path, S("args")), m, JSON_OBJECT)) < 0)
        return rc;
    if (m)
        args_note(r, plugin, m, path_join(r, path, S("args")));
    return 0;
}

static int read_choice(struct reader *r, const struct json *doc, str key, const char *no, const char *yes, bool *ret)
{
    const struct json *v = json_get(doc, key);
    if (!v)
        return 0;
    if (v->type != JSON_STRING || (!str_is(json_str(v), no) && !str_is(json_str(v), yes)))
        return refuse(r, key, "must be %s or %s", no, yes);
    *ret = str_is(json_str(v), yes);
    return 0;
}

static int read_short(struct reader *r, const struct json *doc)
{
    static const char *const known[] = {"name", "base", "plugins", "ties", "gangVictims", "keepRoomAfterSeconds", NULL};
    int rc = check_keys(r, S(""), doc, known);
    const struct json *name = json_get(doc, S("name")), *base = json_get(doc, S("base")), *plugins = json_get(doc, S("plugins"));
    if (rc == 0 && name)
        rc = want(r, S("name"), name, JSON_STRING);
    if (rc == 0 && base)
        rc = want(r, S("base"), base, JSON_STRING);
    if (rc == 0 && plugins)
        rc = want(r, S("plugins"), plugins, JSON_OBJECT);
    if (rc < 0)
        return rc;
    r->first = r->p = profile_builtin(base ? json_str(base) : S("default"));
    if (!r->p) {
        struct strbuf list = strbuf_on(&r->scratch);
        for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
            strbuf_addf(&list, "%s%s", list.len ? ", " : "", builtins[i].name);
        return refuse(r, S("base"), "no profile is called \"%.64s\"; there are: %s", arena_cstr(&r->scratch, json_str(base)), strbuf_cstr(&list));
    }
    if (name)
        r->p->name = arena_str(&r->p->arena, json_str(name));
    for (uint32_t i = 0; plugins && i < plugins->len; i++) {
        const struct json_member *m = &plugins->members[i];
        if ((rc = short_plugin(r, path_join(r, S("plugins"), m->key), m->key, &m->value)) < 0)
            return rc;
    }
    bool best_fit = r->p->tie == TIE_BEST_FIT;
    if ((rc = read_choice(r, doc, S("ties"), "seed", "best-fit", &best_fit)) < 0)
        return rc;
    r->p->tie = best_fit ? TIE_BEST_FIT : TIE_SEED;
    rc = read_choice(r, doc, S("gangVictims"), "pods", "whole", &r->p->unit_preempt_whole);
    const struct json *keep = json_get(doc, S("keepRoomAfterSeconds"));
    int64_t seconds;
    if (rc == 0 && keep && (!json_to_i64(keep, &seconds) || seconds < 0 || seconds > KEEP_AFTER_MAX_S))
        rc = refuse(r, S("keepRoomAfterSeconds"), "must be a whole number of seconds from 0 (never) to %d", KEEP_AFTER_MAX_S);
    else if (rc == 0 && keep)
        r->p->keep_after_ns = seconds * NSEC_PER_SEC;
    return rc < 0 ? rc : finish(r, S(""));
}

/* --- kube-scheduler's form -------------------------------------------------------------------------------------------------- */
/* Parts of kube-scheduler that are not plugins here, or that we do without. */
static const char *const kube_others[] = {"PrioritySort", "DefaultBinder", "DynamicResources", "NodeDeclaredFeatures", "GangScheduling",
                                          "TopologyPlacementGenerator", "PodGroupPodsCount", "DeferredPodScheduling", NULL};

static bool kube_is_other(str name)
{
    for (size_t i = 0; kube_others[i]; i++)
        if (str_is(name, kube_others[i]))
            return true;
    return false;
}

static bool kube_has(const struct sched_plugin *plugin)
{
    static const struct sched_plugin *const ours[] = {&plugin_node_bandwidth, &plugin_gpu_sharing, &plugin_numa_alignment, &plugin_gpu_packing,
                                                      &plugin_coscheduling, &plugin_job_affinity, &plugin_daemon_set};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (ours[i] == plugin)
            return false;
    return true;
}

enum point { POINT_MULTI, POINT_FILTER, POINT_SCORE, POINT_POST_FILTER, POINT_OTHER };
static const struct {
    const char *name;
    enum point point;
} points[] = {/* multiPoint first: the single points override it */
              {"multiPoint", POINT_MULTI},    {"filter", POINT_FILTER},    {"score", POINT_SCORE},      {"postFilter", POINT_POST_FILTER},
              {"preEnqueue", POINT_OTHER},    {"queueSort", POINT_OTHER},  {"preFilter", POINT_OTHER},  {"preScore", POINT_OTHER},
              {"reserve", POINT_OTHER},       {"permit", POINT_OTHER},     {"preBind", POINT_OTHER},    {"bind", POINT_OTHER},
              {"postBind", POINT_OTHER},      {"placementGenerate", POINT_OTHER}, {"placementScore", POINT_OTHER}};

static void kube_disable(struct reader *r, enum point point, struct profile_plugin *e)
{
    if (point == POINT_MULTI || (point == POINT_POST_FILTER && e->plugin == &plugin_default_preemption))
        entry_remove(r->p, e);
    else if (point == POINT_FILTER)
        e->filters = false;
    else if (point == POINT_SCORE)
        e->weight = 0;
}

static void kube_disable_all(struct reader *r, enum point point)
{
    for (uint32_t i = r->p->nplugins; i-- > 0;)
        if (kube_has(r->p->plugins[i].plugin))
            kube_disable(r, point, &r->p->plugins[i]);
}

/* A weight of 0 or none is 1 there. */
static void kube_enable(struct reader *r, enum point point, const struct sched_plugin *plugin, int32_t weight)
{
    struct profile_plugin *e = entry_find(r->p, plugin);
    if (!e && point != POINT_OTHER) {
        e = entry_add(r->p, plugin, true);
        e->filters = false;
        e->weight = 0;
    }
    if (point == POINT_MULTI || point == POINT_FILTER)
        e->filters = can_filter(plugin);
    if ((point == POINT_MULTI || point == POINT_SCORE) && can_score(plugin))
        e->weight = weight ? weight : 1;
}

static int kube_list(struct reader *r, str path, enum point point, const struct json *list, bool enable)
{
    static const char *const known[] = {"name", "weight", NULL};
    int rc = want(r, path, list, JSON_ARRAY);
    for (uint32_t i = 0; rc == 0 && i < list->len; i++) {
        const struct json *item = &list->items[i], *weight = json_get(item, S("weight"));
        str at = arena_fmt(&r->scratch, STR_FMT "[%u]", STR_ARG(path), i);
        if ((rc = want(r, at, item, JSON_OBJECT)) < 0 || (rc = check_keys(r, at, item, known)) < 0)
            return rc;
        str name = json_get_str(item, S("name"));
        if (!name.len)
            return refuse(r, at, "has no name");
        if (!enable && str_is(name, "*")) {
            kube_disable_all(r, point);
            continue;
        }
        if (kube_is_other(name))
            continue;
        const struct sched_plugin *plugin;
        int32_t w = 0;
        if ((rc = read_plugin(r, path_join(r, at, S("name")), name, &plugin)) < 0)
            return rc;
        if (weight && (rc = read_weight(r, path_join(r, at, S("weight")), weight, plugin, &w)) < 0)
            return rc;
        struct profile_plugin *e = entry_find(r->p, plugin);
        if (enable)
            kube_enable(r, point, plugin, w);
        else if (e)
            kube_disable(r, point, e);
    }
    return rc;
}

static int kube_plugins(struct reader *r, str path, const struct json *plugins)
{
    static const char *const known_lists[] = {"enabled", "disabled", NULL};
    const char *known_points[ARRAY_LEN(points) + 1] = {NULL};
    for (size_t i = 0; i < ARRAY_LEN(points); i++)
        known_points[i] = points[i].name;
    int rc = want(r, path, plugins, JSON_OBJECT);
    if (rc == 0)
        rc = check_keys(r, path, plugins, known_points);
    for (size_t i = 0; rc == 0 && i < ARRAY_LEN(points); i++) {
        const struct json *set = json_get(plugins, str_of(points[i].name));
        if (!set || set->type == JSON_NULL)
            continue;
        str at = path_join(r, path, str_of(points[i].name));
        if ((rc = want(r, at, set, JSON_OBJECT)) < 0 || (rc = check_keys(r, at, set, known_lists)) < 0)
            return rc;
        const struct json *disabled = json_get(set, S("disabled")), *enabled = json_get(set, S("enabled"));
        if (disabled && disabled->type != JSON_NULL)
            rc = kube_list(r, path_join(r, at, S("disabled")), points[i].point, disabled, false);
        if (rc == 0 && enabled && enabled->type != JSON_NULL)
            rc = kube_list(r, path_join(r, at, S("enabled")), points[i].point, enabled, true);
    }
    return rc;
}

static int kube_config(struct reader *r, str path, const struct json *list)
{
    static const char *const known[] = {"name", "args", NULL};
    int rc = want(r, path, list, JSON_ARRAY);
    for (uint32_t i = 0; rc == 0 && i < list->len; i++) {
        const struct json *item = &list->items[i], *args = json_get(item, S("args"));
        str at = arena_fmt(&r->scratch, STR_FMT "[%u]", STR_ARG(path), i);
        if ((rc = want(r, at, item, JSON_OBJECT)) < 0 || (rc = check_keys(r, at, item, known)) < 0)
            return rc;
        str name = json_get_str(item, S("name"));
        const struct sched_plugin *plugin;
        if (kube_is_other(name))
            continue;
        if ((rc = read_plugin(r, path_join(r, at, S("name")), name, &plugin)) < 0)
            return rc;
        if (plugin == &plugin_volume_binding) /* how long to wait for volumes is no matter of placing; configurations written out have it */
            continue;
        str args_path = path_join(r, at, S("args"));
        if (args && args->type != JSON_NULL && (rc = want(r, args_path, args, JSON_OBJECT)) == 0)
            args_note(r, plugin, args, args_path);
    }
    return rc;
}

/* The order of the queue is one for all pods, so all must ask for the same. */
static str kube_queue_sort(struct reader *r, const struct json *profile)
{
    static const char *const lists[] = {"enabled", "disabled"};
    struct strbuf b = strbuf_on(&r->scratch);
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_path(profile, "plugins", "queueSort", lists[k], NULL);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            strbuf_addf(&b, "%s " STR_FMT "\n", lists[k], STR_ARG(json_get_str(&list->items[i], S("name"))));
    }
    return strbuf_str(&b);
}

/* What concerns all profiles of the file. */
static int kube_name(struct reader *r, str path, const struct json *profiles, uint32_t i)
{
    const struct json *one = &profiles->items[i];
    str name = json_get_str(one, S("schedulerName"));
    if (!name.len && profiles->len > 1)
        return refuse(r, path, "needs a schedulerName, since there are %u profiles", profiles->len);
    for (uint32_t k = 0; k < i; k++)
        if (str_eq(name, json_get_str(&profiles->items[k], S("schedulerName"))))
            return refuse(r, path_join(r, path, S("schedulerName")), "\"%.64s\" is the name of profiles[%u], too", arena_cstr(&r->scratch, name), k);
    if (!str_eq(kube_queue_sort(r, one), kube_queue_sort(r, &profiles->items[0])))
        return refuse(r, path_join(r, path, S("plugins.queueSort")), "must be the same in all profiles");
    r->p->name = name.len ? arena_str(&r->p->arena, name) : S("default-scheduler");
    return 0;
}

static int kube_profile(struct reader *r, str path, const struct json *profiles, uint32_t i)
{
    static const char *const known[] = {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig", NULL};
    const struct json *one = &profiles->items[i];
    int rc = want(r, path, one, JSON_OBJECT);
    if (rc == 0)
        rc = check_keys(r, path, one, known);
    if (rc == 0)
        rc = kube_name(r, path, profiles, i);
    if (rc < 0)
        return rc;
    const struct json *plugins = json_get(one, S("plugins")), *config = json_get(one, S("pluginConfig"));
    r->nargs = 0;
    if (plugins && plugins->type != JSON_NULL && (rc = kube_plugins(r, path_join(r, path, S("plugins")), plugins)) < 0)
        return rc;
    if (config && config->type != JSON_NULL && (rc = kube_config(r, path_join(r, path, S("pluginConfig")), config)) < 0)
        return rc;
    return finish(r, path);
}

static int kube_profiles(struct reader *r, const struct json *profiles)
{
    int rc = want(r, S("profiles"), profiles, JSON_ARRAY);
    if (rc == 0 && profiles->len > PROFILES_MAX)
        rc = refuse(r, S("profiles"), "has %u profiles, at most %d can be", profiles->len, PROFILES_MAX);
    for (uint32_t i = 0; rc == 0 && i < profiles->len; i++) {
        if (i)
            r->p = r->p->next = profile_builtin(S("default"));
        rc = kube_profile(r, arena_fmt(&r->scratch, "profiles[%u]", i), profiles, i);
    }
    struct profile_table table;
    if (rc == 0 && !profile_table_make(&table, r->first))
        rc = refuse(r, S("profiles"), "differ in too much: plugins that are not alike in weight, filter and arguments count once for each, and %d can be in all", PLUG_MAX);
    return rc;
}

static int read_kube(struct reader *r, const struct json *doc)
{
    static const char *const known[] = {"apiVersion", "kind", "profiles", "extenders", "parallelism", "leaderElection", "clientConnection",
                                        "enableProfiling", "enableContentionProfiling", "percentageOfNodesToScore", "podInitialBackoffSeconds",
                                        "podMaxBackoffSeconds", "delayCacheUntilActive", NULL};
    int rc = check_keys(r, S(""), doc, known);
    if (rc < 0)
        return rc;
    const struct json *extenders = json_get(doc, S("extenders")), *profiles = json_get(doc, S("profiles"));
    if (extenders && extenders->type == JSON_ARRAY && extenders->len)
        return refuse(r, S("extenders"), "extenders are not supported");
    r->first = r->p = profile_builtin(S("default"));
    r->p->name = S("default-scheduler");
    return profiles && profiles->type != JSON_NULL ? kube_profiles(r, profiles) : 0;
}

/* --- both ------------------------------------------------------------------------------------------------------------------- */
static int read_document(struct reader *r)
{
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups, .dup_lines = true};
    struct json doc;
    struct err err = ERR_NONE;
    if (yaml_parse(&r->scratch, r->text, &opts, &doc, &err) < 0)
        return refuse(r, S(""), "%s", err.msg);
    if (opts.ndups)
        return refuse(r, S(""), STR_FMT, STR_ARG(dups[0]));
    if (doc.type != JSON_OBJECT)
        return refuse(r, S(""), "a profile is a mapping, this is %s", type_name(&doc));
    bool is_kube = json_get(&doc, S("apiVersion")) || json_get(&doc, S("kind")) || json_get(&doc, S("profiles"));
    str kind = json_get_str(&doc, S("kind"));
    if (is_kube && !str_is(kind, "KubeSchedulerConfiguration"))
        return refuse(r, S("kind"), "must be KubeSchedulerConfiguration");
    return is_kube ? read_kube(r, &doc) : read_short(r, &doc);
}

int profile_parse(str text, str file_name, struct sched_profile **ret, struct err *err)
{
    struct reader r = {.text = text, .file = file_name, .scratch = ARENA_INIT, .err = err};
    int rc = read_document(&r);
    arena_fini(&r.scratch);
    if (rc < 0)
        profile_free(r.first);
    else
        *ret = r.first;
    return rc;
}
