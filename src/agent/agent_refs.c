/* agent_refs.c - objects that a pod names, fetched before it is set up and again while it runs.
 *
 *   pod_refs ─► a call for each (tokens: a TokenRequest, only when the one at hand is old) ─► claims are there: pod_refs again for their volumes ─► done */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "base/civil.h"
#include "client/client.h"
#include "wire/base64.h"

struct fetch {
    struct agent_pod *pod; /* stays: its operation, or its container's, waits for this */
    struct agent *agent;
    struct arena arena;  /* becomes the pod's */
    struct pod_ref *refs;
    size_t nrefs, waiting, from;
    struct err err;
    int result;
    nsec_t token_until;
    void (*done)(struct agent_pod *p, int result, const struct err *err, void *arg);
    void *arg;
};

struct one {
    struct fetch *f;
    size_t index;
};

bool pod_secret_value(struct arena *a, const struct json *secret, str key, str *ret)
{
    const struct json *v = json_get(json_get(secret, S("data")), key);
    return v && base64_decode(a, BASE64_STD, json_str(v), ret, NULL) == 0;
}

static void fetch_from(struct fetch *f);

static str ref_path(struct arena *a, const struct pod_ref *r)
{
    static const char *const plurals[] = {[REF_CONFIGMAP] = "configmaps", [REF_SECRET] = "secrets", [REF_PVC] = "persistentvolumeclaims", [REF_TOKEN] = "serviceaccounts", [REF_SERVICES] = "services"};
    struct strbuf b = strbuf_on(a);
    if (r->kind == REF_RUNTIMECLASS || r->kind == REF_PV) {
        strbuf_add_str(&b, r->kind == REF_PV ? S("/api/v1/persistentvolumes") : S("/apis/node.k8s.io/v1/runtimeclasses"));
        client_path_add(&b, r->name);
        return strbuf_str(&b);
    }
    strbuf_add_str(&b, S("/api/v1/namespaces"));
    client_path_add(&b, r->ns);
    strbuf_add_char(&b, '/');
    strbuf_add_str(&b, str_of(plurals[r->kind]));
    if (r->kind != REF_SERVICES)
        client_path_add(&b, r->name);
    if (r->kind == REF_TOKEN)
        strbuf_add_str(&b, S("/token"));
    return strbuf_str(&b);
}

static str token_request(struct arena *a, const struct fetch *f, const struct pod_ref *r)
{
    struct json o = json_literal(a, "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{\"boundObjectRef\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}}}");
    struct json *spec = json_get(&o, S("spec")), *bound = json_get(spec, S("boundObjectRef"));
    json_set(a, bound, S("name"), json_string(f->pod->name));
    json_set(a, bound, S("uid"), json_string(f->pod->uid));
    json_set(a, spec, S("expirationSeconds"), json_int(a, MAX(r->expires_s ? r->expires_s : 3607, (int64_t)600)));
    struct json audiences = json_array();
    if (r->audience.len)
        json_push(a, &audiences, json_string(r->audience));
    json_set(a, spec, S("audiences"), audiences);
    return json_text(a, &o);
}

/* Wanted again at 80 % of its life. */
static void note_token_life(struct fetch *f, const struct json *token)
{
    nsec_t until, now = clock_wall(f->agent->clock);
    if (!civil_parse(json_get_str(json_get(token, S("status")), S("expirationTimestamp")), &until) || until <= now)
        return;
    nsec_t renew = now + (until - now) / 10 * 8;
    if (!f->token_until || renew < f->token_until)
        f->token_until = renew;
}

static void finish(struct fetch *f)
{
    struct agent_pod *p = f->pod;
    if (f->result == 0) {
        arena_fini(&p->refs_arena);
        p->refs_arena = f->arena;
        p->refs = f->refs;
        p->nrefs = f->nrefs;
        p->refs_at = loop_now(f->agent->loop);
        p->token_until = f->token_until;
    } else {
        arena_fini(&f->arena);
    }
    f->done(p, f->result, &f->err, f->arg);
    free(f);
}

static void on_object(struct agent_call *c)
{
    struct one *one = c->owner;
    struct fetch *f = one->f;
    struct pod_ref *r = &f->refs[one->index];
    int status = c->call.status;
    if (status >= 200 && status < 300) {
        struct json *obj = arena_new(&f->arena, struct json);
        if (json_parse(&f->arena, arena_str(&f->arena, c->call.response), NULL, obj, NULL) == 0)
            r->object = obj;
        else if (f->result == 0)
            f->result = err_set(&f->err, E_UNAVAILABLE, "cannot read " STR_FMT " that the pod names: the API server's answer is not JSON", STR_ARG(c->call.path));
        if (r->kind == REF_TOKEN)
            note_token_life(f, r->object);
    } else if (status != 404 && f->result == 0 && !f->pod->is_static) { /* a static pod starts without a server, and without what the server has */
        f->result = err_set(&f->err, E_UNAVAILABLE, "cannot read " STR_FMT " that the pod names: the API server answered %d", STR_ARG(c->call.path), status);
    }
    if (--f->waiting == 0)
        fetch_from(f);
}

/* A token that is young enough is kept. */
static bool keep_token(struct fetch *f, struct pod_ref *r)
{
    struct agent_pod *p = f->pod;
    if (r->kind != REF_TOKEN || !p->token_until || p->token_until <= clock_wall(f->agent->clock))
        return false;
    for (size_t i = 0; i < p->nrefs; i++) {
        const struct pod_ref *old = &p->refs[i];
        if (old->kind != REF_TOKEN || !old->object || !str_eq(old->name, r->name) || !str_eq(old->audience, r->audience) || old->expires_s != r->expires_s)
            continue;
        struct json *copy = arena_new(&f->arena, struct json);
        *copy = json_copy(&f->arena, old->object);
        r->object = copy;
        f->token_until = p->token_until;
        return true;
    }
    return false;
}

/* Everything that has come to know of since the last round; the end when there is nothing new. */
static void fetch_from(struct fetch *f)
{
    if (f->agent->stopping) { /* the pod's operation ends with the agent */
        arena_fini(&f->arena);
        free(f);
        return;
    }
    struct pod_ref *all;
    size_t n = f->result < 0 ? f->nrefs : pod_refs(&f->arena, &f->pod->tree, f->refs, f->nrefs, &all);
    if (f->result < 0 || n == f->from) {
        finish(f);
        return;
    }
    size_t begin = f->from;
    for (size_t i = begin; i < n; i++) { /* names lie in the pod's text, which goes when a newer one comes */
        all[i].ns = arena_str(&f->arena, all[i].ns);
        all[i].name = arena_str(&f->arena, all[i].name);
        all[i].audience = arena_str(&f->arena, all[i].audience);
    }
    f->refs = all;
    f->nrefs = f->from = n;
    f->waiting = 1; /* answers may come at once */
    for (size_t i = begin; i < n; i++) {
        struct pod_ref *r = &f->refs[i];
        if (keep_token(f, r))
            continue;
        struct one *one = arena_new(&f->arena, struct one);
        *one = (struct one){f, i};
        f->waiting++;
        struct agent_call *c = r->kind == REF_TOKEN ? agent_call(f->agent, "POST", ref_path(&f->arena, r), "application/json", token_request(&f->arena, f, r), on_object, one)
                                                    : agent_call(f->agent, "GET", ref_path(&f->arena, r), "", S(""), on_object, one);
        c->always = true;
    }
    if (--f->waiting == 0)
        fetch_from(f);
}

void agent_refs_fetch(struct agent_pod *p, void (*done)(struct agent_pod *p, int result, const struct err *err, void *arg), void *arg)
{
    struct fetch *f = xcalloc(1, sizeof *f);
    *f = (struct fetch){.pod = p, .agent = p->agent, .arena = ARENA_INIT, .done = done, .arg = arg};
    fetch_from(f);
}
