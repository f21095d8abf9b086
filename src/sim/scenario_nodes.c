/* scenario_nodes.c - templates of nodes: their fields, and the nodes made from them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sim/scenario.h"

#define ZONE_KEY S("topology.kubernetes.io/zone")
#define HOST_KEY S("kubernetes.io/hostname")

str scenario_topology_key(str word)
{
    static const struct {
        const char *word;
        str key;
    } known[] = {{"zone", STR_INIT("topology.kubernetes.io/zone")}, {"region", STR_INIT("topology.kubernetes.io/region")}, {"host", STR_INIT("kubernetes.io/hostname")}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_is(word, known[i].word))
            return known[i].key;
    return word;
}

bool scenario_effect(str word, int *ret)
{
    static const char *const effects[] = {[TAINT_NO_SCHEDULE] = "NoSchedule", [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule", [TAINT_NO_EXECUTE] = "NoExecute"};
    for (size_t i = 0; i < ARRAY_LEN(effects); i++)
        if (str_is(word, effects[i])) {
            *ret = (int)i;
            return true;
        }
    return false;
}

int scenario_read_bandwidth(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("ingress", WHOLE, offsetof(struct scenario_bandwidth, ingress)),
                                         FIELD("egress", WHOLE, offsetof(struct scenario_bandwidth, egress)),
                                         {0}};
    static const struct field both = FIELD("", WHOLE, 0, .min = 0);
    struct scenario_bandwidth *b = into;
    if (v->type == JSON_OBJECT)
        return fields_read(f, v, path, table, b);
    int r = fields_value(f, v, path, &both, &b->ingress);
    b->egress = b->ingress;
    return r;
}

int scenario_read_amounts(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field amount = FIELD("", WHOLE, 0, .min = 0);
    if (v->type != JSON_OBJECT)
        return fields_fail(f, path, "must be a map such as {example.com/fpga: 2}");
    if (v->len > RES_MAX - RES_FIRST_EXTENDED)
        return fields_fail(f, path, "more than %d resources", RES_MAX - RES_FIRST_EXTENDED);
    struct scenario_amount *p = arena_array(f->arena, v->len + 1, struct scenario_amount);
    for (uint32_t i = 0; i < v->len; i++) {
        str name = v->members[i].key, at = fields_at(f, path, arena_cstr(f->arena, name));
        if (!name.len)
            return fields_fail(f, at, "a resource needs a name");
        int r = fields_value(f, &v->members[i].value, at, &amount, &p[i].amount);
        if (r < 0)
            return r;
        p[i].name = name;
    }
    *(struct scenario_amounts *)into = (struct scenario_amounts){p, v->len};
    return 0;
}

/* --- fields ------------------------------------------------------------------------------------------------------------------------------------ */

static int read_taint(struct fields *f, const struct json *v, str path, struct spec_taint *t)
{
    str rest = json_str(v), left;
    int effect;
    if (v->type != JSON_STRING)
        return fields_fail(f, path, "must be a text such as gpu=only:NoSchedule");
    ptrdiff_t colon = str_rfind_char(rest, ':');
    if (colon < 0 || !scenario_effect(str_from(rest, (size_t)colon + 1), &effect))
        return fields_fail(f, path, "must end with :NoSchedule, :PreferNoSchedule or :NoExecute");
    t->effect = (enum taint_effect)effect;
    rest = str_sub(rest, 0, (size_t)colon);
    str_cut(&rest, '=', &left);
    if (!left.len)
        return fields_fail(f, path, "needs a key: key=value:NoSchedule");
    t->key = left;
    t->value = rest;
    return 0;
}

static int read_taints(struct fields *f, const struct json *v, str path, void *into)
{
    struct scenario_template *t = into;
    if (v->type != JSON_ARRAY || v->len > LIMIT_SCHED_SPEC_ITEMS)
        return fields_fail(f, path, "must be a list of taints such as gpu=only:NoSchedule");
    t->taints = arena_array(f->arena, v->len + 1, struct spec_taint);
    t->ntaints = v->len;
    for (uint32_t i = 0; i < v->len; i++) {
        int r = read_taint(f, &v->items[i], fields_nth(f, path, i), &t->taints[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_spread(struct fields *f, const struct json *v, str path, str word, str prefix, struct scenario_template *t)
{
    static const struct field count = FIELD("", COUNT, 0, .min = 1, .max = LIMIT_SCHED_NODES);
    if (t->nspread == SCENARIO_SPREAD_MAX)
        return fields_fail(f, path, "more than %d labels", SCENARIO_SPREAD_MAX);
    struct scenario_spread *s = &t->spread[t->nspread];
    int r = fields_value(f, v, path, &count, &s->values);
    if (r < 0)
        return r;
    s->key = scenario_topology_key(word);
    s->prefix = prefix;
    t->nspread++;
    return 0;
}

static int read_zones(struct fields *f, const struct json *v, str path, void *into)
{
    return add_spread(f, v, path, ZONE_KEY, S("zone"), into);
}

/* {rack: 4, zone: 3}: the values are rack-0 ... rack-3. */
static int read_spread(struct fields *f, const struct json *v, str path, void *into)
{
    if (v->type != JSON_OBJECT)
        return fields_fail(f, path, "must be a map of labels and how many values each has, such as {rack: 4}");
    for (uint32_t i = 0; i < v->len; i++) {
        str key = v->members[i].key;
        ptrdiff_t slash = str_rfind_char(key, '/');
        if (!key.len)
            return fields_fail(f, path, "a label needs a name");
        int r = add_spread(f, &v->members[i].value, fields_at(f, path, arena_cstr(f->arena, key)), key, str_from(key, (size_t)(slash + 1)), into);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_numa(struct fields *f, const struct json *v, str path, void *into)
{
    static const struct field table[] = {FIELD("zones", COUNT, offsetof(struct scenario_template, numa), .min = 1, .max = NUMA_MAX),
                                         FIELD("single", BOOL, offsetof(struct scenario_template, numa_single)),
                                         {0}};
    struct scenario_template *t = into;
    return v->type == JSON_OBJECT ? fields_read(f, v, path, table, t) : fields_value(f, v, path, &table[0], &t->numa);
}

#define AT(member) offsetof(struct scenario_template, member)
static const struct field template_fields[] = {
    FIELD("name", STR, AT(name), .min = 1),
    FIELD("count", COUNT, AT(count), .max = LIMIT_SCHED_NODES),
    FIELD("cpu", MILLI, AT(cpu_milli)),
    FIELD("memory", WHOLE, AT(memory)),
    FIELD("storage", WHOLE, AT(storage)),
    FIELD("pods", WHOLE, AT(pods)),
    FIELD("gpus", COUNT, AT(gpus), .max = GPU_MAX),
    FIELD("gpuModel", STR, AT(gpu_model)),
    FIELD("gpuMemory", WHOLE, AT(gpu_memory)),
    FIELD("domain", STR, AT(domain), .min = 1),
    FIELD("bandwidth", OWN, AT(bandwidth), .own = scenario_read_bandwidth),
    FIELD("bandwidthOvercommit", FLOAT, AT(overcommit)),
    FIELD("resources", OWN, AT(resources), .own = scenario_read_amounts),
    FIELD("labels", LABELS, AT(labels)),
    FIELD("taints", OWN, 0, .own = read_taints),
    FIELD("unschedulable", BOOL, AT(unschedulable)),
    FIELD("zones", OWN, 0, .own = read_zones),
    FIELD("spread", OWN, 0, .own = read_spread),
    FIELD("numa", OWN, 0, .own = read_numa),
    {0},
};
#undef AT

int scenario_read_template(struct fields *f, const struct json *v, str path, struct scenario_template *t)
{
    *t = (struct scenario_template){.count = 1, .cpu_milli = 4000, .memory = 32ll << 30, .pods = 110};
    int r = fields_read(f, v, path, template_fields, t);
    if (r >= 0 && !t->name.len)
        r = fields_fail(f, path, "needs a name");
    if (r >= 0 && (t->gpu_model.len || t->gpu_memory) && !t->gpus)
        r = fields_fail(f, path, "has a kind of GPU but no gpus");
    return r;
}

/* --- nodes --------------------------------------------------------------------------------------------------------------------------------------- */

static int add_amounts(const struct scenario_template *t, struct sched *s, struct res_amount *p, size_t *n, struct err *err)
{
    const struct res_amount fixed[] = {{RES_CPU, t->cpu_milli},  {RES_MEMORY, t->memory},          {RES_STORAGE, t->storage},        {RES_PODS, t->pods},
                                       {RES_GPU, t->gpus},       {RES_INGRESS, t->bandwidth.ingress}, {RES_EGRESS, t->bandwidth.egress}};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (fixed[i].amount)
            p[(*n)++] = fixed[i];
    for (size_t i = 0; i < t->resources.n; i++) {
        int r = sched_resource_id(s, t->resources.p[i].name, &p[*n].id, err);
        if (r < 0)
            return err_wrap(err, "node template " STR_FMT ": ", STR_ARG(t->name));
        p[(*n)++].amount = t->resources.p[i].amount;
    }
    return 0;
}

static void add_numa(const struct scenario_template *t, struct arena *a, struct node_spec *ret)
{
    struct spec_numa *z = arena_array(a, t->numa, struct spec_numa);
    for (uint32_t i = 0; i < t->numa; i++)
        z[i] = (struct spec_numa){t->cpu_milli / t->numa, t->memory / t->numa, 0};
    for (uint32_t g = 0; g < t->gpus; g++)
        z[(uint64_t)g * t->numa / t->gpus].gpus |= 1u << g;
    ret->numa = z;
    ret->nnuma = t->numa;
    ret->numa_single = t->numa_single;
}

int scenario_node(const struct scenario_template *t, uint32_t i, struct sched *s, struct arena *a, struct node_spec *ret, struct err *err)
{
    struct res_amount *amounts = arena_array(a, 7 + t->resources.n, struct res_amount);
    struct spec_label *labels = arena_array(a, t->labels.n + t->nspread + 2, struct spec_label);
    size_t n = 0, nlabels = 0;
    int r = add_amounts(t, s, amounts, &n, err);
    if (r < 0)
        return r;
    *ret = (struct node_spec){.name = arena_fmt(a, STR_FMT "-%u", STR_ARG(t->name), i),
                              .allocatable = {amounts, n},
                              .taints = t->taints,
                              .ntaints = t->ntaints,
                              .unschedulable = t->unschedulable,
                              .ngpus = t->gpus,
                              .gpu_model = t->gpu_model,
                              .gpu_memory_mib = t->gpu_memory >> 20,
                              .bandwidth_overcommit = t->overcommit};
    bool has_host = false;
    for (size_t k = 0; k < t->labels.n; k++) {
        labels[nlabels++] = t->labels.p[k];
        has_host |= str_eq(t->labels.p[k].key, HOST_KEY);
    }
    if (!has_host)
        labels[nlabels++] = (struct spec_label){HOST_KEY, ret->name};
    if (t->domain.len)
        labels[nlabels++] = (struct spec_label){S(SCENARIO_DOMAIN), t->domain};
    for (size_t k = 0; k < t->nspread; k++)
        labels[nlabels++] = (struct spec_label){t->spread[k].key, arena_fmt(a, STR_FMT "-%u", STR_ARG(t->spread[k].prefix), i % t->spread[k].values)};
    ret->labels = (struct spec_labels){labels, nlabels};
    if (t->numa)
        add_numa(t, a, ret);
    return 0;
}
