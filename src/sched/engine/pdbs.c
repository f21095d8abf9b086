/* pdbs.c - see pdbs.h.  Budgets stand in lists by namespace, since only those of a pod's own are ever asked. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pdbs.h"

#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/select.h"

struct pdb {
    sym_t name;
    struct sel selector;
    int32_t allowed;
    str *disrupted; /* sorted */
    uint32_t ndisrupted;
    int64_t left;   /* of the split with number `split` */
    uint64_t split;
    struct arena arena;
};
struct pdb_list {
    sym_t ns;
    VEC(struct pdb *) v;
};
struct pdbs {
    struct map lists; /* bytes of the namespace's symbol -> struct pdb_list */
    uint32_t count;
    uint64_t version, splits;
};

struct pdbs *pdbs_new(void)
{
    return xnew(struct pdbs);
}

static void pdb_free(struct pdb *b)
{
    arena_fini(&b->arena);
    free(b);
}

void pdbs_free(struct pdbs *x)
{
    if (!x)
        return;
    map_foreach(e, &x->lists) {
        struct pdb_list *l = e->value;
        for (size_t i = 0; i < l->v.len; i++)
            pdb_free(l->v.p[i]);
        vec_fini(&l->v);
        free(l);
    }
    map_fini(&x->lists);
    free(x);
}

static struct pdb_list *list_find(const struct pdbs *x, sym_t ns)
{
    return map_get(&x->lists, str_n((const char *)&ns, sizeof ns));
}

static int check(const struct pdb_spec *spec, struct err *err)
{
    size_t parts = spec->selector.n;
    if (str_empty(spec->name))
        return err_set(err, E_INVALID_ARG, "a PodDisruptionBudget needs a name");
    for (size_t i = 0; i < spec->selector.n; i++)
        parts += spec->selector.p[i].nvalues;
    if (MAX(parts, spec->ndisrupted) > LIMIT_SCHED_SPEC_ITEMS)
        return err_set(err, E_TOO_LARGE, "PodDisruptionBudget " STR_FMT "/" STR_FMT " has %zu parts of a selector and %zu disrupted pods, more than %u", STR_ARG(spec->ns),
                       STR_ARG(spec->name), parts, spec->ndisrupted, LIMIT_SCHED_SPEC_ITEMS);
    return 0;
}

static struct pdb *make(struct sched *s, const struct pdb_spec *spec)
{
    struct pdb *b = xnew(struct pdb);
    b->arena = ARENA_SMALL(256);
    b->name = symbol(&s->sym, spec->name);
    b->allowed = spec->disruptions_allowed;
    sel_compile(s, &b->arena, &spec->selector, &b->selector);
    b->disrupted = arena_array(&b->arena, spec->ndisrupted, str);
    b->ndisrupted = (uint32_t)spec->ndisrupted;
    for (size_t i = 0; i < spec->ndisrupted; i++)
        b->disrupted[i] = arena_str(&b->arena, spec->disrupted[i]);
    if (spec->ndisrupted > 1)
        qsort(b->disrupted, spec->ndisrupted, sizeof *b->disrupted, str_cmp_void);
    return b;
}

int pdbs_put(struct sched *s, const struct pdb_spec *spec, struct err *err)
{
    struct pdbs *x = s->pdbs;
    int r = check(spec, err);
    if (r < 0)
        return r;
    sym_t ns = symbol(&s->sym, spec->ns);
    struct pdb_list *l = list_find(x, ns);
    if (!l) {
        l = xnew(struct pdb_list);
        l->ns = ns;
        map_put(&x->lists, str_n((const char *)&l->ns, sizeof l->ns), l);
    }
    struct pdb *b = make(s, spec);
    x->version++;
    for (size_t i = 0; i < l->v.len; i++)
        if (l->v.p[i]->name == b->name) {
            pdb_free(l->v.p[i]);
            l->v.p[i] = b;
            return 0;
        }
    vec_push(&l->v, b);
    x->count++;
    return 0;
}

void pdbs_delete(struct sched *s, str ns, str name)
{
    struct pdbs *x = s->pdbs;
    sym_t sym = symbol_find(&s->sym, name);
    struct pdb_list *l = list_find(x, symbol_find(&s->sym, ns));
    for (size_t i = 0; l && i < l->v.len; i++)
        if (l->v.p[i]->name == sym) {
            pdb_free(l->v.p[i]);
            vec_remove(&l->v, i);
            x->count--;
            x->version++;
            if (l->v.len == 0) {
                map_del(&x->lists, str_n((const char *)&l->ns, sizeof l->ns));
                vec_fini(&l->v);
                free(l);
            }
            return;
        }
}

bool pdbs_any(const struct sched *s)
{
    return s->pdbs->count > 0;
}

uint64_t pdbs_version(const struct sched *s)
{
    return s->pdbs->version;
}

static bool covers(const struct sched *s, const struct pdb *b, const struct pod_class *c, const char *pod_name)
{
    if (b->selector.n == 0 || !sel_matches(s, &b->selector, c->labels))
        return false;
    str name = str_of(pod_name);
    return b->ndisrupted == 0 || !bsearch(&name, b->disrupted, b->ndisrupted, sizeof name, str_cmp_void);
}

/* Takes the pod out of every budget that covers it; true when one of them is used up. */
static bool violates(const struct sched *s, pod_id p)
{
    const struct pod_class *c = class_of(s, p);
    const struct pdb_list *l = c->labels.n ? list_find(s->pdbs, c->ns) : NULL;
    bool violated = false;
    for (size_t i = 0; l && i < l->v.len; i++) {
        struct pdb *b = l->v.p[i];
        if (!covers(s, b, c, s->pods[p].name))
            continue;
        if (b->split != s->pdbs->splits) {
            b->split = s->pdbs->splits;
            b->left = b->allowed;
        }
        violated |= --b->left < 0;
    }
    return violated;
}

size_t pdbs_split(const struct sched *s, pod_id *pods, size_t n)
{
    if (n == 0 || !pdbs_any(s))
        return 0;
    s->pdbs->splits++;
    pod_id few[64], *rest = n > ARRAY_LEN(few) ? xarray(n, pod_id) : few;
    size_t bad = 0, good = 0;
    for (size_t i = 0; i < n; i++) {
        if (violates(s, pods[i]))
            pods[bad++] = pods[i];
        else
            rest[good++] = pods[i];
    }
    memcpy(pods + bad, rest, good * sizeof *pods);
    if (rest != few)
        free(rest);
    return bad;
}
