/* live_phase.c - status of Gödel's PodGroups: how far a group has come, and how many of its pods wait and run.
 *
 *   Pending        fewer pods than minMember exist          PreScheduling   they do, and not enough have a node
 *   Scheduled      minMember of them have one               Timeout         not within scheduleTimeoutSeconds
 *   Finished       pods of it have succeeded, and none is left
 * Written when it changes, at most once a second each; the time of a phase is that of its first writing, also after a restart.
 * Threads: the loop's. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/client.h"
#include "sched/engine/unit.h"
#include "sched/live/live_internal.h"

#define API "scheduling.godel.kubewharf.io/v1alpha1"
#define EVERY_NS NSEC_PER_SEC
#define WORDS_QUEUE 1024u

struct phase_note {
    str key; /* "ns/name", owned */
    char *uid;
    char phase[16], since[CIVIL_TIME_LEN + 1], started[CIVIL_TIME_LEN + 1];
    nsec_t began_ns; /* complete since; 0: it is not */
    uint64_t said;
};
struct live_phases {
    struct map by_key;
    bool stale;
    nsec_t looked_ns;
};

struct live_phases *live_phases_new(void)
{
    struct live_phases *x = xnew(struct live_phases);
    x->by_key = MAP_INIT;
    return x;
}

static void note_free(struct phase_note *g)
{
    free((char *)g->key.p);
    free(g->uid);
    free(g);
}

void live_phases_free(struct live_phases *x)
{
    if (!x)
        return;
    map_foreach(e, &x->by_key)
        note_free(e->value);
    map_fini(&x->by_key);
    free(x);
}

static void copy_text(char *to, size_t size, str from)
{
    snprintf(to, size, STR_FMT, STR_ARG(from));
}

void live_phase_put(struct live *l, const struct json *obj)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct json *meta = json_get(obj, S("metadata")), *status = json_get(obj, S("status"));
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(json_get_str(meta, S("namespace"))), STR_ARG(json_get_str(meta, S("name"))));
    if (!str_is(json_get_str(obj, S("apiVersion")), API))
        return;
    struct phase_note *g = map_get(&l->phases->by_key, key);
    if (g && str_is(json_get_str(meta, S("uid")), g->uid))
        return;
    if (g)
        live_phase_delete(l, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")));
    g = xnew(struct phase_note);
    g->key = str_n(str_dup(key), key.len);
    g->uid = str_dup(json_get_str(meta, S("uid")));
    copy_text(g->phase, sizeof g->phase, json_get_str(status, S("phase")));
    copy_text(g->started, sizeof g->started, json_get_str(status, S("scheduleStartTime")));
    const struct json *list = json_get(status, S("conditions"));
    if (json_is(list, JSON_ARRAY) && list->len)
        copy_text(g->since, sizeof g->since, json_get_str(&list->items[list->len - 1], S("lastTransitionTime")));
    if (*g->started && !civil_parse(str_of(g->started), &g->began_ns))
        g->began_ns = 0;
    map_put(&l->phases->by_key, g->key, g);
    l->phases->stale = true;
}

void live_phase_delete(struct live *l, str ns, str name)
{
    ARENA_AUTO a = ARENA_INIT;
    str key = arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    struct phase_note *g = map_get(&l->phases->by_key, key);
    if (!g)
        return;
    map_del(&l->phases->by_key, key);
    note_free(g);
}

static const char *phase_of(const struct phase_note *g, const struct unit *u, const struct unit_counts *c, nsec_t now)
{
    uint32_t min = (uint32_t)MAX(u->min_member, 1);
    if (u->has_ended && c->created == 0)
        return "Finished";
    if (c->placed >= min)
        return "Scheduled";
    if (u->has_ended || c->created < min)
        return u->has_ended ? "Scheduled" : "Pending";
    return u->timeout_ns && g->began_ns && now - g->began_ns >= u->timeout_ns ? "Timeout" : "PreScheduling";
}

static void look_at(struct live *l, struct phase_note *g, nsec_t now)
{
    ARENA_AUTO a = ARENA_INIT;
    unit_id u = (unit_id)(uintptr_t)map_get(&l->s->group_by_key, g->key);
    if (!u)
        return;
    const struct unit *unit = &l->s->units[u];
    struct unit_counts c = unit_count(l->s, u);
    char text[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(l->opts.clock), text);
    if (!g->began_ns && c.created >= (uint32_t)MAX(unit->min_member, 1)) {
        g->began_ns = now;
        memcpy(g->started, text, sizeof text);
    }
    const char *phase = phase_of(g, unit, &c, now);
    if (strcmp(phase, g->phase) != 0 || !*g->since) {
        snprintf(g->phase, sizeof g->phase, "%s", phase);
        memcpy(g->since, text, sizeof text);
    }
    struct strbuf path = strbuf_on(&a), b = strbuf_on(&a);
    strbuf_addf(&b, "{\"status\":{\"phase\":\"%s\",\"pending\":%u,\"running\":%u,\"conditions\":[{\"phase\":\"%s\",\"status\":\"True\",\"lastTransitionTime\":\"%s\",\"reason\":\"%s\"}]", phase, c.waiting + c.gated,
                c.placed, phase, g->since, phase);
    if (*g->started)
        strbuf_addf(&b, ",\"scheduleStartTime\":\"%s\"", g->started);
    strbuf_add_str(&b, S("}}"));
    uint64_t hash = str_hash(strbuf_str(&b)) | 1;
    if (g->said == hash)
        return;
    g->said = hash;
    str name = g->key, ns;
    str_cut(&name, '/', &ns);
    strbuf_add_str(&path, S("/apis/" API "/namespaces"));
    client_path_add(&path, ns);
    strbuf_add_str(&path, S("/podgroups"));
    client_path_add(&path, name);
    strbuf_add_str(&path, S("/status"));
    live_words_send(l, "PATCH", strbuf_str(&path), "application/merge-patch+json", strbuf_str(&b));
}

nsec_t live_phases_tick(struct live *l, nsec_t now, uint64_t events)
{
    struct live_phases *x = l->phases;
    nsec_t next = INT64_MAX;
    if (x->by_key.len == 0)
        return next;
    x->stale |= events != 0;
    if (now < x->looked_ns + EVERY_NS)
        return x->stale ? x->looked_ns + EVERY_NS : next;
    map_foreach(e, &x->by_key) {
        struct phase_note *g = e->value;
        unit_id u = (unit_id)(uintptr_t)map_get(&l->s->group_by_key, g->key);
        nsec_t timeout = u ? l->s->units[u].timeout_ns : 0;
        if (outbox_len(l->words) >= WORDS_QUEUE)
            return now + EVERY_NS;
        if (x->stale || (timeout && g->began_ns && now >= g->began_ns + timeout))
            look_at(l, g, now);
        if (timeout && g->began_ns && g->began_ns + timeout > now)
            next = MIN(next, g->began_ns + timeout);
    }
    x->stale = false;
    x->looked_ns = now;
    return next;
}
