/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/spec_copy.h"

/* An array copied flat; what its elements point to is the caller's to copy. */
#define FLAT(a, p, n) copy_bytes((a), (p), (n) * sizeof *(p))

static void *copy_bytes(struct arena *a, const void *p, size_t bytes)
{
    return bytes ? memcpy(arena_alloc(a, bytes), p, bytes) : NULL;
}

static const str *strs(struct arena *a, const str *p, size_t n)
{
    str *out = arena_array(a, n, str);
    for (size_t i = 0; i < n; i++)
        out[i] = arena_str(a, p[i]);
    return out;
}

struct spec_labels spec_copy_labels(struct arena *a, struct spec_labels l)
{
    struct spec_label *p = arena_array(a, l.n, struct spec_label);
    for (size_t i = 0; i < l.n; i++)
        p[i] = (struct spec_label){arena_str(a, l.p[i].key), arena_str(a, l.p[i].value)};
    return (struct spec_labels){p, l.n};
}

static const struct spec_requirement *requirements(struct arena *a, const struct spec_requirement *p, size_t n)
{
    struct spec_requirement *out = arena_array(a, n, struct spec_requirement);
    for (size_t i = 0; i < n; i++) {
        out[i] = p[i];
        out[i].key = arena_str(a, p[i].key);
        out[i].values = strs(a, p[i].values, p[i].nvalues);
    }
    return out;
}

static struct spec_selector selector(struct arena *a, struct spec_selector s)
{
    s.p = requirements(a, s.p, s.n);
    return s;
}

static const struct spec_node_term *node_terms(struct arena *a, const struct spec_node_term *p, size_t n)
{
    struct spec_node_term *out = arena_array(a, n, struct spec_node_term);
    for (size_t i = 0; i < n; i++) {
        out[i] = p[i];
        out[i].labels = selector(a, p[i].labels);
        out[i].fields = requirements(a, p[i].fields, p[i].nfields);
    }
    return out;
}

static const struct spec_pod_term *pod_terms(struct arena *a, const struct spec_pod_term *p, size_t n)
{
    struct spec_pod_term *out = arena_array(a, n, struct spec_pod_term);
    for (size_t i = 0; i < n; i++) {
        out[i] = p[i];
        out[i].selector = selector(a, p[i].selector);
        out[i].namespace_selector = selector(a, p[i].namespace_selector);
        out[i].namespaces = strs(a, p[i].namespaces, p[i].nnamespaces);
        out[i].topology_key = arena_str(a, p[i].topology_key);
    }
    return out;
}

struct node_spec spec_copy_node(struct arena *a, const struct node_spec *n)
{
    struct node_spec c = *n;
    c.name = arena_str(a, n->name);
    c.labels = spec_copy_labels(a, n->labels);
    struct spec_taint *taints = arena_array(a, n->ntaints, struct spec_taint);
    for (size_t i = 0; i < n->ntaints; i++)
        taints[i] = (struct spec_taint){arena_str(a, n->taints[i].key), arena_str(a, n->taints[i].value), n->taints[i].effect};
    c.taints = taints;
    c.allocatable.p = FLAT(a, n->allocatable.p, n->allocatable.n);
    struct spec_image *images = arena_array(a, n->nimages, struct spec_image);
    for (size_t i = 0; i < n->nimages; i++)
        images[i] = (struct spec_image){arena_str(a, n->images[i].name), n->images[i].bytes};
    c.images = images;
    c.gpu_model = arena_str(a, n->gpu_model);
    c.numa = FLAT(a, n->numa, n->nnuma);
    struct spec_volume_limit *limits = arena_array(a, n->nvolume_limits, struct spec_volume_limit);
    for (size_t i = 0; i < n->nvolume_limits; i++)
        limits[i] = (struct spec_volume_limit){arena_str(a, n->volume_limits[i].driver), n->volume_limits[i].count};
    c.volume_limits = limits;
    return c;
}

static void copy_demands(struct arena *a, struct pod_spec *c, const struct pod_spec *p)
{
    c->requests.p = FLAT(a, p->requests.p, p->requests.n);
    struct spec_port *ports = FLAT(a, p->ports, p->nports);
    for (size_t i = 0; i < p->nports; i++)
        ports[i].ip = arena_str(a, p->ports[i].ip);
    c->ports = ports;
    c->images = strs(a, p->images, p->nimages);
    struct spec_volume *volumes = FLAT(a, p->volumes, p->nvolumes);
    for (size_t i = 0; i < p->nvolumes; i++) {
        volumes[i].claim = arena_str(a, p->volumes[i].claim);
        volumes[i].disk = arena_str(a, p->volumes[i].disk);
        volumes[i].driver = arena_str(a, p->volumes[i].driver);
    }
    c->volumes = volumes;
    c->gpu.models = strs(a, p->gpu.models, p->gpu.nmodels);
}

struct pod_spec spec_copy_pod(struct arena *a, const struct pod_spec *p)
{
    struct pod_spec c = *p;
    str *names[] = {&c.ns, &c.name, &c.uid, &c.node, &c.nominated, &c.group, &c.subgroup};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        *names[i] = arena_str(a, *names[i]);
    c.gpu_ids = p->gpu_ids ? FLAT(a, p->gpu_ids, p->gpu.count) : NULL;
    c.labels = spec_copy_labels(a, p->labels);
    c.node_selector = spec_copy_labels(a, p->node_selector);
    c.required_terms = node_terms(a, p->required_terms, p->nrequired_terms);
    c.preferred_terms = node_terms(a, p->preferred_terms, p->npreferred_terms);
    struct spec_toleration *tolerations = FLAT(a, p->tolerations, p->ntolerations);
    for (size_t i = 0; i < p->ntolerations; i++) {
        tolerations[i].key = arena_str(a, p->tolerations[i].key);
        tolerations[i].value = arena_str(a, p->tolerations[i].value);
    }
    c.tolerations = tolerations;
    c.affinity = pod_terms(a, p->affinity, p->naffinity);
    c.anti_affinity = pod_terms(a, p->anti_affinity, p->nanti_affinity);
    c.preferred_affinity = pod_terms(a, p->preferred_affinity, p->npreferred_affinity);
    c.preferred_anti_affinity = pod_terms(a, p->preferred_anti_affinity, p->npreferred_anti_affinity);
    struct spec_spread *spread = FLAT(a, p->spread, p->nspread);
    for (size_t i = 0; i < p->nspread; i++) {
        spread[i].topology_key = arena_str(a, p->spread[i].topology_key);
        spread[i].selector = selector(a, p->spread[i].selector);
    }
    c.spread = spread;
    c.default_spread_selector = selector(a, p->default_spread_selector);
    copy_demands(a, &c, p);
    return c;
}

struct pv_spec spec_copy_pv(struct arena *a, const struct pv_spec *v)
{
    struct pv_spec c = *v;
    str *names[] = {&c.name, &c.storage_class, &c.claim_ns, &c.claim_name, &c.driver};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        *names[i] = arena_str(a, *names[i]);
    c.node_affinity = node_terms(a, v->node_affinity, v->nnode_affinity);
    c.labels = spec_copy_labels(a, v->labels);
    return c;
}

struct pvc_spec spec_copy_pvc(struct arena *a, const struct pvc_spec *v)
{
    struct pvc_spec c = *v;
    str *names[] = {&c.ns, &c.name, &c.storage_class, &c.volume};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        *names[i] = arena_str(a, *names[i]);
    c.selector = selector(a, v->selector);
    return c;
}
