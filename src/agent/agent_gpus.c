/* agent_gpus.c - which of the node's GPUs a container gets, and what it is told of them.
 *
 * The scheduler wrote its choice into the pod with the bind, for the whole pod, in rising order; containers take their parts of it as the scheduler added
 * them up: sidecars and containers one after another, an init container what comes behind the sidecars before it.
 *
 *   cox.io/gpu-ids: "0,2,5"    sidecar s (1 GPU): 0     init i (2): 2,5     container a (1): 2     container b (1): 5
 *
 * A part of a GPU (gpu-fraction, gpu-memory) is one container's.  Whole devices without the annotation (a static pod, another scheduler) are any free ones.
 * Devices are numbered as the driver's library lists them; without the library, as --node-capacity nvidia.com/gpu=N counts them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "api/quantity.h"
#include "rt/file.h"

#define VISIBLE "NVIDIA_VISIBLE_DEVICES="
#define CAPABILITIES "NVIDIA_DRIVER_CAPABILITIES="
#define MILLI 1000

struct gpu_ask {
    int64_t first, count; /* of the pod's devices */
    int64_t milli;        /* of each; 0: whole, or not known */
    bool shared;
};

/* --- the node ------------------------------------------------------------------------------------------------------------------------- */
/* A number that an option of the node gives to a name: "name=8"; 0: none. */
static int64_t option_number(const char *const *list, const char *name)
{
    int64_t n = 0;
    for (const char *const *p = list; p && *p; p++) {
        str text = str_of(*p), key;
        if (str_cut(&text, '=', &key) && str_is(key, name) && !str_to_i64(text, &n))
            n = 0;
    }
    return MAX(n, 0);
}

static size_t device_count(const struct agent *g)
{
    return g->info.ngpus ? g->info.ngpus : (size_t)MIN(option_number(g->opts.capacity, "nvidia.com/gpu"), NODE_GPUS_MAX);
}

static int64_t device_mib(const struct agent *g, size_t i)
{
    return i < g->info.ngpus ? (int64_t)(g->info.gpus[i].memory_bytes >> 20) : option_number(g->opts.labels, "nvidia.com/gpu.memory");
}

static str device_name(const struct agent *g, struct arena *a, size_t i)
{
    return i < g->info.ngpus && g->info.gpus[i].uuid.len ? g->info.gpus[i].uuid : arena_fmt(a, "%zu", i);
}

/* --- what a container asks for ---------------------------------------------------------------------------------------------------------- */
static int64_t whole_of(const struct json *container)
{
    struct quantity q;
    const struct json *v = json_get(json_path(container, "resources", "limits", NULL), S("nvidia.com/gpu"));
    int64_t milli = v && quantity_parse(json_str(v), &q) ? quantity_to_milli(&q) : 0;
    return MAX(milli, 0) / MILLI;
}

static bool is_named(const struct json *container, str name)
{
    return str_eq(json_get_str(container, S("name")), name);
}

static const struct json *container_json(const struct json *spec, str name)
{
    static const char *const lists[] = {"containers", "initContainers"};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = json_get(spec, str_of(lists[k]));
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            if (is_named(&list->items[i], name))
                return &list->items[i];
    }
    return NULL;
}

static struct gpu_ask ask_whole(const struct json *spec, str name)
{
    const struct json *inits = json_get(spec, S("initContainers")), *mains = json_get(spec, S("containers"));
    struct gpu_ask ask = {0};
    for (uint32_t i = 0; json_is(inits, JSON_ARRAY) && i < inits->len; i++) {
        ask.count = whole_of(&inits->items[i]);
        if (is_named(&inits->items[i], name))
            return ask;
        if (str_is(json_get_str(&inits->items[i], S("restartPolicy")), "Always"))
            ask.first += ask.count;
    }
    for (uint32_t i = 0; json_is(mains, JSON_ARRAY) && i < mains->len; i++) {
        ask.count = whole_of(&mains->items[i]);
        if (is_named(&mains->items[i], name))
            return ask;
        ask.first += ask.count;
    }
    return (struct gpu_ask){0};
}

/* The API server and the scheduler have checked the numbers; what they did not see (a static pod) fails for lack of devices. */
static struct gpu_ask ask_part(const struct agent *g, const struct json *notes, const struct json *spec, str name)
{
    const struct json *mains = json_get(spec, S("containers"));
    str whose = json_get_str(notes, S("gpu-fraction-container-name")), count = json_get_str(notes, S("gpu-fraction-num-devices"));
    struct gpu_ask ask = {.count = 1, .shared = true};
    double part = 0;
    int64_t mib = 0, of = device_mib(g, 0);
    if (!whose.len && json_is(mains, JSON_ARRAY) && mains->len)
        whose = json_get_str(&mains->items[0], S("name"));
    if (!str_eq(whose, name) || (count.len && !str_to_i64(count, &ask.count)))
        return (struct gpu_ask){0};
    if (str_to_double(json_get_str(notes, S("gpu-fraction")), &part) && part > 0 && part < 1)
        ask.milli = MAX(1, (int64_t)(part * MILLI + 0.5));
    else if (str_to_i64(json_get_str(notes, S("gpu-memory")), &mib) && mib > 0 && mib <= of)
        ask.milli = (mib * MILLI + of - 1) / of;
    return ask;
}

static struct gpu_ask ask_of(const struct agent_container *c)
{
    const struct json *pod = &c->pod->tree, *spec = json_get(pod, S("spec")), *notes = json_path(pod, "metadata", "annotations", NULL);
    if (json_get(notes, S("gpu-fraction")) || json_get(notes, S("gpu-memory")))
        return ask_part(c->pod->agent, notes, spec, c->name);
    return ask_whole(spec, c->name);
}

/* --- choosing -------------------------------------------------------------------------------------------------------------------------------- */
static bool is_free(const struct agent *g, size_t i, bool shared)
{
    return !(g->gpus_whole >> i & 1) && (shared || !g->gpu_parts[i]);
}

/* The devices of the annotation that are this container's. */
static int choose_told(const struct agent *g, const struct gpu_ask *ask, str ids, uint64_t *ret, struct err *err)
{
    str rest = ids, part;
    uint64_t mask = 0, id;
    int64_t n = 0;
    for (bool more = true; more; n++) {
        more = str_cut(&rest, ',', &part);
        if (!str_to_u64(str_trim(part), &id) || id >= device_count(g))
            return err_set(err, E_INVALID_ARG, "cox.io/gpu-ids \"" STR_FMT "\" is not a list of this node's %zu GPUs", STR_ARG(ids), device_count(g));
        if (n < ask->first || n >= ask->first + ask->count)
            continue;
        if (!is_free(g, id, ask->shared))
            return err_set(err, E_UNAVAILABLE, "GPU %llu of this node is still in use", (unsigned long long)id);
        mask |= 1ull << id;
    }
    if (__builtin_popcountll(mask) != ask->count)
        return err_set(err, E_INVALID_ARG, "cox.io/gpu-ids \"" STR_FMT "\" does not name the %lld GPUs that the container asks for", STR_ARG(ids), (long long)ask->count);
    *ret = mask;
    return 0;
}

static int choose_any(const struct agent *g, const struct gpu_ask *ask, uint64_t *ret, struct err *err)
{
    uint64_t mask = 0;
    if (ask->shared)
        return err_set(err, E_INVALID_ARG, "a part of a GPU needs a scheduler that says which device: the annotation cox.io/gpu-ids is missing");
    for (size_t i = 0; i < device_count(g) && __builtin_popcountll(mask) < ask->count; i++)
        mask |= (uint64_t)is_free(g, i, false) << i;
    if (__builtin_popcountll(mask) != ask->count)
        return err_set(err, E_UNAVAILABLE, "not enough free GPUs on this node");
    *ret = mask;
    return 0;
}

/* --- the grant ------------------------------------------------------------------------------------------------------------------------------- */
static void hold(struct agent_container *c, uint64_t mask, bool shared)
{
    struct agent *g = c->pod->agent;
    c->gpus = mask;
    c->gpus_shared = shared;
    if (!shared)
        g->gpus_whole |= mask;
    for (size_t i = 0; shared && i < NODE_GPUS_MAX; i++)
        g->gpu_parts[i] += mask >> i & 1;
}

static void grant_devices(const struct agent *g, struct arena *a, uint64_t mask, uint64_t partitions, struct gpu_grant *ret)
{
    static const char *const common[] = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"};
    struct device_spec *devices = arena_array(a, (size_t)__builtin_popcountll(mask) + ARRAY_LEN(common), struct device_spec);
    struct strbuf ids = strbuf_on(a);
    for (size_t i = 0; i < device_count(g); i++) {
        if (!(mask >> i & 1))
            continue;
        const char *path = arena_fmt(a, "/dev/nvidia%u", i < g->info.ngpus ? g->info.gpus[i].minor : (unsigned)i).p;
        if (file_exists(path))
            devices[ret->ndevices++] = (struct device_spec){path, path, "rw"};
        str name = device_name(g, a, i);
        strbuf_addf(&ids, "%s" STR_FMT, ids.len ? "," : "", STR_ARG(name));
    }
    for (size_t i = 0; i < ARRAY_LEN(common); i++)
        if (file_exists(common[i]))
            devices[ret->ndevices++] = (struct device_spec){common[i], common[i], "rw"};
    agent_partitions_names(g, partitions, &ids);
    ret->devices = devices;
    ret->ids = strbuf_str(&ids);
}

static void grant_env(struct arena *a, int64_t milli, struct gpu_grant *ret)
{
    const char **env = arena_array(a, 5, const char *);
    size_t n = 0;
    env[n++] = arena_fmt(a, VISIBLE STR_FMT, STR_ARG(ret->ids)).p;
    env[n++] = CAPABILITIES "compute,utility";
    if (milli) { /* "0.50", "0.125"; the second name is KAI's older one for the same */
        int digits = milli % 10 ? 3 : 2;
        int64_t below = milli % 10 ? milli % MILLI : milli % MILLI / 10;
        env[n++] = arena_fmt(a, "GPU_PORTION=%lld.%0*lld", (long long)(milli / MILLI), digits, (long long)below).p;
        env[n++] = arena_fmt(a, "RUNAI_NUM_OF_GPUS=%lld.%0*lld", (long long)(milli / MILLI), digits, (long long)below).p;
    }
    env[n] = NULL;
    ret->env = env;
}

int agent_gpus_take(struct agent_container *c, struct arena *a, struct gpu_grant *ret, struct err *err)
{
    const struct agent *g = c->pod->agent;
    const struct json *ids = json_get(json_path(&c->pod->tree, "metadata", "annotations", NULL), S("cox.io/gpu-ids"));
    struct gpu_ask ask = ask_of(c);
    uint64_t mask = 0, partitions = 0;
    int r = agent_partitions_choose(g, container_json(json_get(&c->pod->tree, S("spec")), c->name), &partitions, err);
    if (r < 0 || (ask.count <= 0 && !partitions))
        return r;
    if (ask.count > 0)
        r = ids ? choose_told(g, &ask, json_str(ids), &mask, err) : choose_any(g, &ask, &mask, err);
    if (r < 0)
        return r;
    hold(c, mask, ask.shared);
    c->partitions = partitions;
    c->pod->agent->partitions_held |= partitions;
    *ret = (struct gpu_grant){.shared = ask.shared};
    grant_devices(g, a, mask, partitions, ret);
    grant_env(a, ask.milli, ret);
    return 0;
}

void agent_gpus_env(const struct gpu_grant *grant, struct arena *a, struct container_spec *spec)
{
    size_t n = 0, more = 0;
    if (!grant->env)
        return;
    while (spec->env && spec->env[n])
        n++;
    while (grant->env[more])
        more++;
    const char **env = arena_array(a, n + more + 1, const char *);
    if (n)
        memcpy(env, spec->env, n * sizeof *env);
    for (size_t i = 0; i < more; i++) {
        size_t name = (size_t)(strchr(grant->env[i], '=') + 1 - grant->env[i]), k = 0;
        while (k < n && strncmp(env[k], grant->env[i], name) != 0)
            k++;
        if (k == n)
            env[n++] = grant->env[i];
        else if (!str_has_prefix(str_of(env[k]), S(CAPABILITIES))) /* many images say "all" GPUs, but they know best what they need of one */
            env[k] = grant->env[i];
    }
    env[n] = NULL;
    spec->env = env;
}

/* --- later -------------------------------------------------------------------------------------------------------------------------------------- */
void agent_gpus_adopt(struct agent_container *c, str ids, bool shared)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct agent *g = c->pod->agent;
    uint64_t mask = 0;
    str id;
    while (ids.len) {
        str_cut(&ids, ',', &id);
        for (size_t i = 0; i < device_count(g); i++)
            if (str_eq(device_name(g, &a, i), id) && is_free(g, i, shared))
                mask |= 1ull << i;
        c->partitions |= agent_partitions_find(g, id) & ~g->partitions_held;
    }
    hold(c, mask, shared);
    c->pod->agent->partitions_held |= c->partitions;
}

void agent_gpus_release(struct agent_container *c)
{
    struct agent *g = c->pod->agent;
    if (!c->gpus_shared)
        g->gpus_whole &= ~c->gpus;
    for (size_t i = 0; c->gpus_shared && i < NODE_GPUS_MAX; i++)
        g->gpu_parts[i] -= c->gpus >> i & 1;
    c->gpus = 0;
    g->partitions_held &= ~c->partitions;
    c->partitions = 0;
}
