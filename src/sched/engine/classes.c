/* classes.c - see classes.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/classes.h"

#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/place.h"
#include "sched/engine/select.h"
#include "sched/engine/terms.h"
#include "sched/plugins/plugins.h"

struct class_table {
    uint32_t *slots; /* class ids, open addressing */
    uint32_t nslots, len;
    struct strbuf key; /* scratch */
    VEC(class_id) free_ids;
    VEC(class_id) unused; /* oldest first; may hold ids that are in use again */
    uint32_t nunused;
    VEC(struct priority_use { int32_t priority; uint32_t classes; }) priorities; /* ascending */
};

void classes_init(struct sched *s)
{
    s->class_table = xnew(struct class_table);
    s->class_table->nslots = 256;
    s->class_table->slots = xarray(256, uint32_t);
    s->capclasses = 64;
    s->classes = xarray(s->capclasses, struct pod_class *);
    s->nclasses = 1;
}

/* --- the key ------------------------------------------------------------------------------------------------------------------- */
static void put_num(struct strbuf *b, int64_t v)
{
    strbuf_add(b, &v, sizeof v);
}
static void put_str(struct strbuf *b, str s)
{
    put_num(b, (int64_t)s.len);
    strbuf_add_str(b, s);
}
static void put_strs(struct strbuf *b, const str *p, size_t n)
{
    put_num(b, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        put_str(b, p[i]);
}
static void put_reqs(struct strbuf *b, const struct spec_requirement *p, size_t n)
{
    put_num(b, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        put_str(b, p[i].key);
        put_num(b, p[i].op);
        put_strs(b, p[i].values, p[i].nvalues);
    }
}
static void put_sel(struct strbuf *b, const struct spec_selector *sel)
{
    put_num(b, sel->none);
    put_reqs(b, sel->p, sel->n);
}
static void put_labels(struct strbuf *b, struct spec_labels l)
{
    put_num(b, (int64_t)l.n);
    for (size_t i = 0; i < l.n; i++) {
        put_str(b, l.p[i].key);
        put_str(b, l.p[i].value);
    }
}
static void put_node_terms(struct strbuf *b, const struct spec_node_term *p, size_t n)
{
    put_num(b, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        put_sel(b, &p[i].labels);
        put_reqs(b, p[i].fields, p[i].nfields);
        put_num(b, p[i].weight);
    }
}
static void put_pod_terms(struct strbuf *b, const struct spec_pod_term *p, size_t n)
{
    put_num(b, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        put_sel(b, &p[i].selector);
        put_strs(b, p[i].namespaces, p[i].nnamespaces);
        put_num(b, p[i].has_namespace_selector);
        put_sel(b, &p[i].namespace_selector);
        put_str(b, p[i].topology_key);
        put_num(b, p[i].weight);
    }
}

static void put_constraints(struct strbuf *b, const struct pod_spec *p)
{
    put_labels(b, p->node_selector);
    put_num(b, p->has_required);
    put_node_terms(b, p->required_terms, p->nrequired_terms);
    put_node_terms(b, p->preferred_terms, p->npreferred_terms);
    put_num(b, (int64_t)p->ntolerations);
    for (size_t i = 0; i < p->ntolerations; i++) {
        const struct spec_toleration *t = &p->tolerations[i];
        put_str(b, t->key);
        put_str(b, t->value);
        put_num(b, (int64_t)t->op * 16 + t->effect + 1);
    }
    put_pod_terms(b, p->affinity, p->naffinity);
    put_pod_terms(b, p->anti_affinity, p->nanti_affinity);
    put_pod_terms(b, p->preferred_affinity, p->npreferred_affinity);
    put_pod_terms(b, p->preferred_anti_affinity, p->npreferred_anti_affinity);
    put_num(b, (int64_t)p->nspread);
    for (size_t i = 0; i < p->nspread; i++) {
        const struct spec_spread *t = &p->spread[i];
        put_str(b, t->topology_key);
        put_num(b, t->max_skew);
        put_num(b, t->min_domains);
        put_num(b, t->hard | t->affinity_policy << 1 | t->taints_policy << 2);
        put_sel(b, &t->selector);
    }
    put_num(b, p->default_spread_owned);
    if (p->default_spread_owned)
        put_sel(b, &p->default_spread_selector);
}

static void put_demands(struct strbuf *b, const struct pod_spec *p)
{
    put_num(b, (int64_t)p->requests.n);
    for (size_t i = 0; i < p->requests.n; i++) {
        put_num(b, p->requests.p[i].id);
        put_num(b, p->requests.p[i].amount);
    }
    put_num(b, p->nonzero_cpu);
    put_num(b, p->nonzero_memory);
    put_num(b, (int64_t)p->nports);
    for (size_t i = 0; i < p->nports; i++) {
        put_str(b, p->ports[i].ip);
        put_num(b, p->ports[i].protocol << 16 | p->ports[i].port);
    }
    put_strs(b, p->images, p->nimages);
    put_num(b, (int64_t)p->nvolumes);
    for (size_t i = 0; i < p->nvolumes; i++) {
        put_str(b, p->volumes[i].claim);
        put_str(b, p->volumes[i].disk);
        put_str(b, p->volumes[i].driver);
        put_num(b, p->volumes[i].read_only);
    }
    put_num(b, p->gpu.kind);
    if (p->gpu.kind != GPU_NONE) {
        put_num(b, p->gpu.count);
        put_num(b, p->gpu.milli);
        put_num(b, p->gpu.memory_mib);
        put_strs(b, p->gpu.models, p->gpu.nmodels);
    }
    put_num(b, p->numa);
}

static void make_key(const struct sched *s, struct strbuf *b, const struct pod_spec *p)
{
    strbuf_clear(b);
    if (s->table->nprofiles > 1)
        put_num(b, profile_table_find(s->table, p->scheduler));
    put_str(b, p->ns);
    put_num(b, p->priority);
    put_num(b, p->gates | (uint64_t)p->in_pool << 32);
    if (p->in_pool)
        put_str(b, p->place_pool);
    put_num(b, p->preempt_never | p->best_effort << 1 | p->guaranteed << 2 | p->daemon << 3 | p->can_be_victim_never << 4);
    put_num(b, (uint32_t)p->rank);
    put_labels(b, p->labels);
    put_demands(b, p);
    put_constraints(b, p);
}

/* --- compiling --------------------------------------------------------------------------------------------------------------------- */
static void compile_requests(struct pod_class *c, const struct pod_spec *p)
{
    struct res_amount *req = arena_array(&c->arena, p->requests.n + 1, struct res_amount);
    uint32_t n = 0;
    for (uint16_t id = 0; id < RES_MAX; id++) {
        int64_t amount = id == RES_PODS;
        for (size_t i = 0; i < p->requests.n; i++)
            if (p->requests.p[i].id == id && id != RES_PODS)
                amount = amount_within(amount + amount_within(p->requests.p[i].amount, LIMIT_SCHED_AMOUNT), LIMIT_SCHED_AMOUNT);
        if (amount)
            req[n++] = (struct res_amount){id, amount};
        if (id < RES_FIRST_EXTENDED)
            c->amount[id] = amount;
    }
    c->req = req;
    c->nreq = n;
    c->nonzero_cpu = amount_within(p->nonzero_cpu, LIMIT_SCHED_AMOUNT);
    c->nonzero_memory = amount_within(p->nonzero_memory, LIMIT_SCHED_AMOUNT);
}

static void compile_constraints(struct sched *s, struct pod_class *c, const struct pod_spec *p)
{
    struct arena *a = &c->arena;
    struct labelset selector = labelset_make(s, a, p->node_selector);
    c->node_selector = (struct label *)selector.p;
    c->nnode_selector = selector.n;
    c->has_required = p->has_required;
    c->nrequired = (uint32_t)p->nrequired_terms;
    c->required = arena_array(a, p->nrequired_terms, struct node_term);
    for (size_t i = 0; i < p->nrequired_terms; i++)
        node_term_compile(s, a, &p->required_terms[i], &c->required[i]);
    c->npreferred = (uint32_t)p->npreferred_terms;
    c->preferred = arena_array(a, p->npreferred_terms, struct node_term);
    for (size_t i = 0; i < p->npreferred_terms; i++)
        node_term_compile(s, a, &p->preferred_terms[i], &c->preferred[i]);
    int node_affinity = profile_table_index(s->table, c->profile, &plugin_node_affinity);
    bool filters = node_affinity >= 0 && s->table->plugins[node_affinity].filters;
    if (filters && c->has_required && c->nrequired == 1 && c->required[0].nfields == 1 && c->required[0].fields[0].op == OP_IN && c->required[0].fields[0].nvalues == 1)
        c->pinned_node = c->required[0].fields[0].values[0];
    c->ntolerations = (uint32_t)p->ntolerations;
    c->tolerations = arena_array(a, p->ntolerations, struct spec_toleration_sym);
    for (size_t i = 0; i < p->ntolerations; i++) {
        const struct spec_toleration *t = &p->tolerations[i];
        c->tolerations[i] = (struct spec_toleration_sym){symbol(&s->sym, t->key), symbol(&s->sym, t->value), (uint8_t)t->op, (int8_t)t->effect};
    }
}

static void compile_demands(struct sched *s, struct pod_class *c, const struct pod_spec *p)
{
    struct arena *a = &c->arena;
    c->nports = (uint32_t)p->nports;
    c->ports = arena_array(a, p->nports, struct pod_port);
    for (size_t i = 0; i < p->nports; i++) {
        str ip = p->ports[i].ip;
        bool all = str_empty(ip) || str_is(ip, "0.0.0.0") || str_is(ip, "::");
        c->ports[i] = (struct pod_port){all ? 0 : symbol(&s->sym, ip), p->ports[i].protocol, p->ports[i].port};
    }
    c->nimages = (uint32_t)p->nimages;
    c->images = arena_array(a, p->nimages, sym_t);
    for (size_t i = 0; i < p->nimages; i++)
        c->images[i] = symbol(&s->sym, p->images[i]);
    c->nvolumes = (uint32_t)p->nvolumes;
    c->volumes = arena_array(a, p->nvolumes, struct pod_volume);
    for (size_t i = 0; i < p->nvolumes; i++) {
        const struct spec_volume *v = &p->volumes[i];
        c->volumes[i] = (struct pod_volume){symbol(&s->sym, v->claim), symbol(&s->sym, v->disk), symbol(&s->sym, v->driver), v->read_only};
    }
    c->gpu = p->gpu;
    c->gpu.memory_mib = amount_within(p->gpu.memory_mib, INT32_MAX);
    c->gpu.models = NULL;
    c->gpu_models = arena_array(a, p->gpu.nmodels, sym_t);
    for (size_t i = 0; i < p->gpu.nmodels; i++)
        c->gpu_models[i] = symbol(&s->sym, p->gpu.models[i]);
    c->numa = (uint8_t)p->numa;
}

static int compile(struct sched *s, struct pod_class *c, const struct pod_spec *p, struct err *err)
{
    c->profile = (uint8_t)profile_table_find(s->table, p->scheduler);
    c->ns = symbol(&s->sym, p->ns);
    c->labels = labelset_make(s, &c->arena, p->labels);
    c->priority = p->priority;
    c->rank = p->rank;
    c->preempt_never = p->preempt_never;
    c->best_effort = p->best_effort;
    c->guaranteed = p->guaranteed;
    c->daemon = p->daemon;
    c->never_victim = p->can_be_victim_never;
    c->gates = p->gates;
    c->in_pool = p->in_pool;
    c->pool = p->in_pool ? symbol(&s->sym, p->place_pool) : 0;
    compile_requests(c, p);
    compile_constraints(s, c, p);
    compile_demands(s, c, p);
    int r = terms_class_compile(s, c, p, err);
    if (r < 0)
        return r;
    place_class_compiled(s, c);
    return 0;
}

/* --- the table ------------------------------------------------------------------------------------------------------------------------ */
static uint32_t slot_of(const struct sched *s, uint64_t hash, const void *key, uint32_t len)
{
    const struct class_table *t = s->class_table;
    uint32_t mask = t->nslots - 1, i = (uint32_t)hash & mask;
    for (; t->slots[i]; i = (i + 1) & mask) {
        const struct pod_class *c = s->classes[t->slots[i]];
        if (c->hash == hash && c->key_len == len && memcmp(c->key, key, len) == 0)
            break;
    }
    return i;
}

static void table_grow(struct sched *s)
{
    struct class_table *t = s->class_table;
    uint32_t *old = t->slots, n = t->nslots;
    t->nslots *= 2;
    t->slots = xarray(t->nslots, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) {
            const struct pod_class *c = s->classes[old[i]];
            t->slots[slot_of(s, c->hash, c->key, c->key_len)] = old[i];
        }
    free(old);
}

static void table_remove(struct sched *s, const struct pod_class *c)
{
    struct class_table *t = s->class_table;
    uint32_t mask = t->nslots - 1, hole = slot_of(s, c->hash, c->key, c->key_len);
    t->slots[hole] = 0;
    t->len--;
    /* what stands behind the hole moves up when its own place is at or before it */
    for (uint32_t i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
        uint32_t want = (uint32_t)s->classes[t->slots[i]]->hash & mask;
        if (((i - want) & mask) >= ((i - hole) & mask)) {
            t->slots[hole] = t->slots[i];
            t->slots[i] = 0;
            hole = i;
        }
    }
}

/* --- priorities: each has columns over all nodes (preempt_levels.c), so there must not be ever more -------------------------------- */
/* The place of the priority, or where it belongs. */
static size_t priority_at(const struct class_table *t, int32_t priority)
{
    size_t lo = 0, hi = t->priorities.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->priorities.p[mid].priority < priority)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool priority_is_known(const struct class_table *t, int32_t priority)
{
    size_t at = priority_at(t, priority);
    return at < t->priorities.len && t->priorities.p[at].priority == priority;
}

static void priority_ref(struct class_table *t, int32_t priority)
{
    size_t at = priority_at(t, priority);
    if (!priority_is_known(t, priority)) {
        vec_push(&t->priorities, (struct priority_use){0});
        memmove(&t->priorities.p[at + 1], &t->priorities.p[at], (t->priorities.len - 1 - at) * sizeof *t->priorities.p);
        t->priorities.p[at] = (struct priority_use){.priority = priority};
    }
    t->priorities.p[at].classes++;
}

static void priority_unref(struct class_table *t, int32_t priority)
{
    size_t at = priority_at(t, priority);
    if (--t->priorities.p[at].classes == 0)
        vec_remove(&t->priorities, at);
}

/* --- classes come and go ---------------------------------------------------------------------------------------------------------- */
static void class_free(struct sched *s, class_id id)
{
    struct pod_class *c = s->classes[id];
    table_remove(s, c);
    priority_unref(s->class_table, c->priority);
    place_class_free(s, c);
    terms_class_release(s, c);
    arena_fini(&c->arena);
    free(c);
    s->classes[id] = NULL;
    vec_push(&s->class_table->free_ids, id);
}

/* Unused ones go, oldest first, until so many are left. */
static void forget_unused(struct sched *s, uint32_t left)
{
    struct class_table *t = s->class_table;
    size_t keep = 0, from = 0;
    for (; from < t->unused.len && t->nunused > left; from++) {
        class_id u = t->unused.p[from];
        s->classes[u]->listed = false;
        if (s->classes[u]->refs == 0) {
            class_free(s, u);
            t->nunused--;
        }
    }
    for (; from < t->unused.len; from++)
        t->unused.p[keep++] = t->unused.p[from];
    t->unused.len = keep;
}

static int check_priority(struct sched *s, const struct pod_spec *spec, struct err *err)
{
    struct class_table *t = s->class_table;
    if (priority_is_known(t, spec->priority) || t->priorities.len < LIMIT_SCHED_PRIORITIES)
        return 0;
    forget_unused(s, 0);
    if (t->priorities.len < LIMIT_SCHED_PRIORITIES)
        return 0;
    return err_set(err, E_TOO_LARGE, "pod " STR_FMT "/" STR_FMT " has priority %d: pods have %u other priorities already, more are not possible at a time", STR_ARG(spec->ns),
                   STR_ARG(spec->name), spec->priority, LIMIT_SCHED_PRIORITIES);
}

static class_id new_id(struct sched *s)
{
    struct class_table *t = s->class_table;
    if (t->free_ids.len)
        return vec_pop(&t->free_ids);
    if (s->nclasses == s->capclasses) {
        s->capclasses *= 2;
        s->classes = xrealloc(s->classes, s->capclasses * sizeof *s->classes);
    }
    return s->nclasses++;
}

int classes_ref(struct sched *s, const struct pod_spec *spec, class_id *ret, struct err *err)
{
    struct class_table *t = s->class_table;
    make_key(s, &t->key, spec);
    uint64_t hash = str_hash(strbuf_str(&t->key));
    uint32_t slot = slot_of(s, hash, t->key.p, (uint32_t)t->key.len);
    if (t->slots[slot]) {
        *ret = t->slots[slot];
        classes_ref_again(s, *ret);
        return 0;
    }
    int r = classes_check(s, spec, err);
    if (r == 0)
        r = check_priority(s, spec, err);
    if (r < 0)
        return r;
    struct pod_class *c = xnew(struct pod_class);
    c->arena = ARENA_SMALL(1024);
    c->hash = hash;
    class_id id = c->id = new_id(s);
    s->classes[id] = c;
    r = compile(s, c, spec, err);
    if (r < 0) {
        s->classes[id] = NULL;
        vec_push(&t->free_ids, id);
        arena_fini(&c->arena);
        free(c);
        return r;
    }
    c->key = arena_str(&c->arena, strbuf_str(&t->key)).p;
    c->key_len = (uint32_t)t->key.len;
    c->refs = 1;
    priority_ref(t, c->priority);
    t->slots[slot_of(s, hash, c->key, c->key_len)] = id; /* unused classes may have gone meanwhile */
    if (++t->len * 2 > t->nslots)
        table_grow(s);
    *ret = id;
    return 0;
}

void classes_ref_again(struct sched *s, class_id c)
{
    if (s->classes[c]->refs++ == 0)
        s->class_table->nunused--;
}

void classes_unref(struct sched *s, class_id id)
{
    struct class_table *t = s->class_table;
    struct pod_class *c = s->classes[id];
    BUG_ON(c->refs == 0);
    if (--c->refs)
        return;
    t->nunused++;
    if (!c->listed) {
        c->listed = true;
        vec_push(&t->unused, id);
    }
    if (t->nunused < CLASSES_UNUSED_MAX)
        return;
    forget_unused(s, CLASSES_UNUSED_MAX / 2); /* half of them at once, so that the walk is paid rarely */
}

void classes_fini(struct sched *s)
{
    struct class_table *t = s->class_table;
    for (class_id i = 1; i < s->nclasses; i++)
        if (s->classes[i])
            class_free(s, i);
    free(s->classes);
    free(t->slots);
    strbuf_fini(&t->key);
    vec_fini(&t->free_ids);
    vec_fini(&t->unused);
    vec_fini(&t->priorities);
    free(t);
}
