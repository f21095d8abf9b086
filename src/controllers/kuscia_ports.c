/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_ports.h"

#include "base/arena.h"
#include "base/vec.h"

#define WORDS ((PORTS_COUNT + 63) / 64)

struct domain {
    char *name;
    uint64_t bits[WORDS];
    uint32_t taken;
};

struct held {
    char *key;
    VEC(struct held_port {
        struct domain *domain;
        uint32_t port;
    }) ports;
};

void kuscia_ports_init(struct kuscia_ports *p)
{
    *p = (struct kuscia_ports){0};
}

static void held_free(struct held *h)
{
    vec_fini(&h->ports);
    free(h->key);
    free(h);
}

void kuscia_ports_fini(struct kuscia_ports *p)
{
    map_foreach(e, &p->tasks_)
        held_free(e->value);
    map_foreach(e, &p->domains_) {
        struct domain *d = e->value;
        free(d->name);
        free(d);
    }
    map_fini(&p->tasks_);
    map_fini(&p->domains_);
}

static struct domain *domain_of(struct kuscia_ports *p, str name)
{
    struct domain *d = map_get(&p->domains_, name);
    if (d)
        return d;
    d = xnew(struct domain);
    d->name = str_dup(name);
    map_put(&p->domains_, str_n(d->name, name.len), d); /* a status may say any bytes */
    return d;
}

static bool has_bit(const struct domain *d, uint32_t i)
{
    return d->bits[i / 64] >> (i % 64) & 1;
}

/* A number that two tasks have (somebody wrote it into a status) is free when the second of them ends: it is counted as one bit, and the one who still has it notes it again with its next event. */
static void release(struct held *h)
{
    for (size_t i = 0; i < h->ports.len; i++) {
        struct domain *d = h->ports.p[i].domain;
        uint32_t k = h->ports.p[i].port - PORTS_FIRST;
        d->taken -= has_bit(d, k);
        d->bits[k / 64] &= ~(1ull << (k % 64));
    }
    h->ports.len = 0;
}

static void hold(struct kuscia_ports *p, struct held *h, const struct json *of_party)
{
    const struct json *named = json_get(of_party, S("namedPort"));
    struct domain *d = domain_of(p, json_get_str(of_party, S("domainID")));
    for (uint32_t i = 0; json_is(named, JSON_OBJECT) && i < named->len; i++) {
        int64_t port;
        if (!json_to_i64(&named->members[i].value, &port) || port < (int64_t)PORTS_FIRST || port >= (int64_t)(PORTS_FIRST + PORTS_COUNT))
            continue;
        uint32_t k = (uint32_t)port - PORTS_FIRST;
        d->taken += !has_bit(d, k);
        d->bits[k / 64] |= 1ull << (k % 64);
        vec_push(&h->ports, ((struct held_port){d, (uint32_t)port}));
    }
}

void kuscia_ports_note(struct kuscia_ports *p, str key, const struct json *allocated)
{
    struct held *h = map_get(&p->tasks_, key);
    bool any = json_is(allocated, JSON_ARRAY) && allocated->len;
    if (h)
        release(h);
    if (h && !any) {
        map_del(&p->tasks_, key);
        held_free(h);
        return;
    }
    if (!any)
        return;
    if (!h) {
        h = xnew(struct held);
        h->key = str_dup(key);
        map_put(&p->tasks_, str_n(h->key, key.len), h);
    }
    for (uint32_t i = 0; i < allocated->len; i++)
        hold(p, h, &allocated->items[i]);
}

void kuscia_ports_see(struct kuscia_ports *p, str key, const struct json *status, const struct json *noted)
{
    const struct json *allocated = json_get(status, S("allocatedPorts")) ? json_get(status, S("allocatedPorts")) : json_is(noted, JSON_ARRAY) ? noted : NULL;
    if (json_get_str(status, S("completionTime")).len)
        kuscia_ports_note(p, key, NULL);
    else if (allocated)
        kuscia_ports_note(p, key, allocated);
}

uint32_t kuscia_ports_find(const struct kuscia_ports *p, str domain, uint64_t seed, const uint32_t *not_these, size_t n)
{
    const struct domain *d = map_get(&p->domains_, domain);
    for (uint32_t i = 0; i < PORTS_COUNT; i++) {
        uint32_t k = (uint32_t)((seed % PORTS_COUNT + i) % PORTS_COUNT);
        bool taken = d && has_bit(d, k);
        for (size_t x = 0; x < n && !taken; x++)
            taken = not_these[x] == PORTS_FIRST + k;
        if (!taken)
            return PORTS_FIRST + k;
    }
    return 0;
}
