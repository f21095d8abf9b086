/* server.c - putting the API server together and taking it apart. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/audit.h"
#include "apiserver/crds.h"
#include "apiserver/docs.h"
#include "apiserver/internal.h"
#include "apiserver/local.h"
#include "apiserver/node_proxy.h"
#include "apiserver/usage_store.h"

struct watch_hub *apiserver_hub(struct apiserver *s, struct loop *loop)
{
    for (size_t i = 0; i < s->opts.nloops; i++)
        if (s->opts.loops[i] == loop)
            return s->hubs[i];
    BUG_ON(true);
}

static int make_parts(struct apiserver *s, struct err *err)
{
    int r = authn_new(&s->opts, &s->authn, err);
    if (r < 0 || (r = node_proxy_new(&s->opts, &s->nodes, err)) < 0)
        return r;
    s->authz = authz_new(s->store);
    s->metrics = metrics_new();
    s->docs = docs_new();
    s->usage = usage_store_new();
    s->local = local_new(s);
    s->crds = crds_new(s);
    if (s->opts.audit_path && (r = audit_open(s->opts.audit_path, &s->audit, err)) < 0)
        return r;
    s->hubs = xarray(s->opts.nloops, struct watch_hub *);
    for (size_t i = 0; i < s->opts.nloops; i++)
        if ((r = watch_hub_new(s, s->opts.loops[i], &s->hubs[i], err)) < 0)
            return r;
    crds_reload(s->crds);
    return 0;
}

int apiserver_new(const struct apiserver_opts *opts, struct apiserver **ret, struct err *err)
{
    struct apiserver *s = xnew(struct apiserver);
    s->opts = *opts;
    s->store = opts->store;
    s->clock = opts->clock;
    s->started_wall = clock_wall(opts->clock);
    registry_init(&s->registry);
    int r = make_parts(s, err);
    if (r < 0) {
        apiserver_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

void apiserver_free(struct apiserver *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->hubs && i < s->opts.nloops; i++)
        watch_hub_free(s->hubs[i]);
    free(s->hubs);
    crds_free(s->crds);
    local_free(s->local);
    node_proxy_free(s->nodes);
    docs_free(s->docs);
    usage_store_free(s->usage);
    metrics_free(s->metrics);
    authz_free(s->authz);
    authn_free(s->authn);
    audit_close(s->audit);
    registry_fini(&s->registry);
    free(s);
}

struct client_transport *apiserver_transport(struct apiserver *s)
{
    return local_client(s->local);
}

void apiserver_set_ready(struct apiserver *s, bool ready)
{
    atomic_store(&s->ready, ready);
}

struct drain_msg {
    struct loop_msg msg;
    struct watch_hub *hub;
};

static void drain_run(struct loop_msg *m)
{
    struct drain_msg *d = container_of(m, struct drain_msg, msg);
    watch_hub_drain(d->hub);
    free(d);
}

void apiserver_drain(struct apiserver *s)
{
    atomic_store(&s->draining, true);
    for (size_t i = 0; i < s->opts.nloops; i++) {
        struct drain_msg *d = xnew(struct drain_msg);
        d->msg.fn = drain_run;
        d->hub = s->hubs[i];
        loop_post(s->opts.loops[i], &d->msg);
    }
}
