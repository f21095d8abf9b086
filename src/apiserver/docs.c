/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/docs.h"

#include "api/openapi.h"
#include "apiserver/discovery.h"
#include "apiserver/internal.h"
#include "wire/gzip.h"

#define DOCS_IDLE_NS (120 * NSEC_PER_SEC)
#define GNOSTIC_V2 "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

struct doc {
    struct http_buf *body;
    str content_type; /* heap */
    char etag[24]; /* quoted hash */
};

struct docs_cache {
    pthread_mutex_t lock; /* guards the rest */
    struct map docs;      /* key -> struct doc * */
    uint64_t generation;  /* of the registry snapshot they were made from */
    nsec_t last_used;
};

struct docs_cache *docs_new(void)
{
    struct docs_cache *d = xnew(struct docs_cache);
    pthread_mutex_init(&d->lock, NULL);
    return d;
}

static void clear(struct docs_cache *d)
{
    map_foreach(e, &d->docs)
    {
        struct doc *doc = e->value;
        http_buf_unref(doc->body);
        free((char *)doc->content_type.p);
        free((char *)e->key.p);
        free(doc);
    }
    map_fini(&d->docs);
}

void docs_free(struct docs_cache *d)
{
    if (!d)
        return;
    clear(d);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* --- making ------------------------------------------------------------------------------------------------------------------- */

static struct openapi_group group_of(const struct registry_group_version *gv)
{
    return (struct openapi_group){gv->group, gv->version, gv->resources, gv->nresources};
}

static struct openapi_group *groups_of(struct arena *a, const struct registry_snapshot *s)
{
    struct openapi_group *g = arena_array(a, s->ngvs, struct openapi_group);
    for (size_t i = 0; i < s->ngvs; i++)
        g[i] = group_of(&s->gvs[i]);
    return g;
}

struct page {
    struct api_req *q;
    str path;  /* without trailing slash */
    str parts[4];
    size_t nparts;
    str accepted; /* the aggregated version the client takes, or "" */
    bool protobuf;
};

static str gv_path(struct arena *a, str group, str version)
{
    return group.len ? arena_fmt(a, "apis/" STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(version)) : arena_fmt(a, "api/" STR_FMT, STR_ARG(version));
}

static void write_v3_index(struct page *p, struct strbuf *b)
{
    const struct registry_snapshot *s = p->q->reg;
    strbuf_add_str(b, S("{\"paths\":{"));
    for (size_t i = 0; i < s->ngvs; i++) {
        str path = gv_path(p->q->arena, s->gvs[i].group, s->gvs[i].version);
        /* the document depends on the snapshot and nothing else, so its generation is as good as a hash of 300 kB that nobody asked for yet; the version of
         * this program keeps caches of other builds away */
        strbuf_addf(b, "%s\"" STR_FMT "\":{\"serverRelativeURL\":\"/openapi/v3/" STR_FMT "?hash=%016llX\"}", i ? "," : "", STR_ARG(path), STR_ARG(path),
                    (unsigned long long)(s->generation * 0x9E3779B97F4A7C15u ^ (uint64_t)p->q->srv->started_wall ^ str_hash(path)));
    }
    strbuf_add_str(b, S("}}"));
}

static bool write_v3_document(struct page *p, struct strbuf *b)
{
    const struct registry_snapshot *s = p->q->reg;
    str want = str_from(p->path, sizeof "/openapi/v3/" - 1);
    for (size_t i = 0; i < s->ngvs; i++) {
        if (!str_eq(gv_path(p->q->arena, s->gvs[i].group, s->gvs[i].version), want))
            continue;
        struct openapi_group g = group_of(&s->gvs[i]);
        openapi_v3_write(b, &g);
        return true;
    }
    return false;
}

static bool write_openapi(struct page *p, struct strbuf *b, str *ret_type)
{
    const struct registry_snapshot *s = p->q->reg;
    if (str_is(p->path, "/openapi/v3"))
        return write_v3_index(p, b), true;
    if (str_has_prefix(p->path, S("/openapi/v3/")))
        return write_v3_document(p, b);
    if (!str_is(p->path, "/openapi/v2"))
        return false;
    if (p->protobuf) {
        /* Go cannot parse the type the client sent if it is echoed; Kubernetes answers with this one */
        *ret_type = S("application/octet-stream");
        openapi_v2_write_protobuf(b, groups_of(p->q->arena, s), s->ngvs);
    } else {
        openapi_v2_write_json(b, groups_of(p->q->arena, s), s->ngvs);
    }
    return true;
}

static bool write_discovery(struct page *p, struct strbuf *b, str *ret_type)
{
    const struct registry_snapshot *s = p->q->reg;
    bool core = str_is(p->parts[0], "api");
    if (p->nparts == 1 && p->accepted.len) {
        *ret_type = arena_fmt(p->q->arena, "application/json;g=apidiscovery.k8s.io;v=" STR_FMT ";as=APIGroupDiscoveryList", STR_ARG(p->accepted));
        discovery_aggregated(b, s, core, p->accepted);
        return true;
    }
    if (p->nparts == 1 && core) {
        char address[320];
        snprintf(address, sizeof address, "%s:%u", p->q->srv->opts.advertise_host, p->q->srv->opts.advertise_port);
        discovery_api_versions(b, address);
        return true;
    }
    if (p->nparts == 1)
        return discovery_group_list(b, s), true;
    if (core)
        return p->nparts == 2 && discovery_resource_list(b, s, S(""), p->parts[1]);
    return p->nparts == 2 ? discovery_group(b, s, p->parts[1]) : p->nparts == 3 && discovery_resource_list(b, s, p->parts[1], p->parts[2]);
}

static struct doc *make(struct page *p)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    str type = S("application/json");
    bool ok = str_is(p->parts[0], "openapi") ? write_openapi(p, &b, &type) : write_discovery(p, &b, &type);
    if (!ok)
        return NULL;
    struct doc *d = xnew(struct doc);
    d->body = http_buf_new(strbuf_str(&b));
    d->content_type = str_of(str_dup(type));
    snprintf(d->etag, sizeof d->etag, "\"%016llX\"", (unsigned long long)str_hash(strbuf_str(&b)));
    return d;
}

/* --- serving ------------------------------------------------------------------------------------------------------------------- */

static void accept_of(struct page *p)
{
    str list = p->q->accept, item;
    while (list.len && !p->accepted.len) {
        str_cut(&list, ',', &item);
        bool aggregated = str_find(item, S("as=APIGroupDiscoveryList")) >= 0 && str_find(item, S("g=apidiscovery.k8s.io")) >= 0;
        if (aggregated && str_find(item, S("application/json")) >= 0)
            p->accepted = str_find(item, S("v=v2beta1")) >= 0 ? S("v2beta1") : str_find(item, S("v=v2")) >= 0 ? S("v2") : S("");
        else if (str_has_prefix(str_trim(item), S("application/json")) || str_has_prefix(str_trim(item), S("*/*")))
            break; /* what comes first wins */
    }
    p->protobuf = str_find(p->q->accept, S(GNOSTIC_V2)) >= 0;
}

static bool parse_page(struct page *p)
{
    str rest = str_from(p->path, 1);
    while (rest.len && p->nparts < ARRAY_LEN(p->parts))
        str_cut(&rest, '/', &p->parts[p->nparts++]);
    bool ours = str_is(p->parts[0], "api") || str_is(p->parts[0], "apis") || str_is(p->parts[0], "openapi");
    return p->nparts && ours;
}

/* A reference on the document's body, and copies of its small parts; false: there is no such document. */
static bool look_up(struct page *p, struct doc *ret)
{
    struct docs_cache *d = p->q->srv->docs;
    str key = arena_fmt(p->q->arena, STR_FMT "|" STR_FMT "|%d", STR_ARG(p->path), STR_ARG(p->accepted), p->protobuf);
    nsec_t now = clock_mono(p->q->srv->clock);
    pthread_mutex_lock(&d->lock);
    if (d->generation != p->q->reg->generation || now - d->last_used > DOCS_IDLE_NS) {
        clear(d);
        d->generation = p->q->reg->generation;
    }
    d->last_used = now;
    struct doc *doc = map_get(&d->docs, key);
    if (!doc) {
        doc = make(p);
        if (doc)
            map_put(&d->docs, str_of(str_dup(key)), doc);
    }
    if (doc) {
        *ret = *doc;
        ret->content_type = arena_str(p->q->arena, doc->content_type);
        http_buf_ref(doc->body);
    }
    pthread_mutex_unlock(&d->lock);
    return doc != NULL;
}

bool docs_serve(struct api_req *q)
{
    struct page p = {.q = q, .path = q->path};
    if (!parse_page(&p))
        return false;
    accept_of(&p);
    struct doc doc;
    if (!look_up(&p, &doc))
        return false;
    str seen = q->http ? http_header_get(q->http, S("if-none-match")) : S("");
    bool same = seen.len && str_is(seen, doc.etag);
    struct http_header headers[] = {
        {S("etag"), arena_str(q->arena, str_of(doc.etag))}, {S("cache-control"), S("public, must-revalidate")}, {S("vary"), S("Accept")}, {S("content-encoding"), S("gzip")}};
    struct http_response res = {.status = same ? 304 : 200, .content_type = doc.content_type, .headers = headers, .nheaders = 3};
    struct strbuf zipped = strbuf_on(q->arena);
    str body = str_n(doc.body->data, doc.body->len);
    if (!same && q->gzip && body.len > GZIP_WORTH_BYTES) {
        gzip_compress(&body, 1, &zipped);
        body = strbuf_str(&zipped);
        res.nheaders = 4;
    }
    if (!same)
        res.body = body;
    res.no_body = same || str_is(q->method, "HEAD");
    q->answered_status = res.status;
    q->answered_bytes = res.body.len;
    struct http_buf *held = doc.body;
    q->sink->respond(q, &res);
    http_buf_unref(held);
    return true;
}
