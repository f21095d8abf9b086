/* SPDX-License-Identifier: Apache-2.0 */
/* Two maps:
 *
 *   objects:  "default/web-1" ─► object                 the key's bytes are the object's own
 *   buckets:  "o:7c1e..." ─► bucket ◄─► member ◄─► member ...          "n:default", "l0:web": an index's letter, then the value
 *
 * A member is an object's place in one bucket; its object has them in one array.  A bucket lives as long as it has members.  The
 * generation is counted up with each list that begins: what still has an older one when the list is complete is gone. */
#include "client/cache.h"

#include <stdatomic.h>

#include "base/map.h"
#include "base/vec.h"
#include "client/raw.h"

#define OWNERS_MAX 64 /* of one object that are indexed */

struct bucket {
    struct list members;
    size_t len;
    str key;
    char bytes[];
};

struct cache_member_ {
    struct list link;
    struct cache_object *object;
    struct bucket *bucket;
};

struct cache {
    struct cache_opts o;
    struct informer *informer; /* NULL: fed */
    size_t nlabels;
    struct map objects, buckets;
    uint32_t generation;
    bool synced, stopping;
    size_t bytes;
    struct strbuf key; /* scratch */
    struct strbuf text;
    void (*stopped)(struct cache *c);
};

/* --- objects -------------------------------------------------------------------------------------------- */

const struct cache_object *cache_object_ref(const struct cache_object *o)
{
    atomic_fetch_add_explicit(&((struct cache_object *)(uintptr_t)o)->refs_, 1, memory_order_relaxed);
    return o;
}

void cache_object_unref(const struct cache_object *o)
{
    struct cache_object *mine = (struct cache_object *)(uintptr_t)o;
    if (!mine || atomic_fetch_sub_explicit(&mine->refs_, 1, memory_order_acq_rel) != 1)
        return;
    arena_fini(&mine->arena_);
    free(mine->members_);
    free(mine);
}

static str labels_of(str text)
{
    str meta, labels;
    return raw_member_from(text, S("metadata"), &meta) && raw_member(meta, S("labels"), &labels) ? labels : S("");
}

bool cache_object_label(const struct cache_object *o, str key, str *ret)
{
    return raw_member_text(labels_of(o->text), key, ret);
}

static str meta_text(str meta, str key)
{
    str v;
    return raw_member_text(meta, key, &v) ? v : S("");
}

static str controller_of(str meta)
{
    str refs, ref, is;
    struct raw_items it;
    if (!raw_member(meta, S("ownerReferences"), &refs) || !raw_items_begin(refs, &it))
        return S("");
    while (raw_items_next(&it, &ref)) {
        if (raw_member(ref, S("controller"), &is) && str_is(is, "true"))
            return meta_text(ref, S("uid"));
    }
    return S("");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The text without metadata.managedFields, which nobody looks at here and which is often half of it. */
static str without_managed_fields(struct cache *c, str text)
{
    str meta, value;
    if (c->o.keep_managed_fields || !raw_member_from(text, S("metadata"), &meta) || !raw_member(meta, S("managedFields"), &value))
        return text;
    size_t from = (size_t)(value.p - text.p), to = from + value.len;
    while (text.p[from] != '"' || !str_has_prefix(str_from(text, from), S("\"managedFields\"")))
        from--; /* raw_member came by it */
    while (to < text.len && is_blank(text.p[to]))
        to++;
    if (to < text.len && text.p[to] == ',') {
        to++;
    } else { /* the last member: the comma before it goes */
        size_t back = from;
        while (back && is_blank(text.p[back - 1]))
            back--;
        from = back && text.p[back - 1] == ',' ? back - 1 : from;
    }
    strbuf_clear(&c->text);
    strbuf_add_str(&c->text, str_sub(text, 0, from));
    strbuf_add_str(&c->text, str_from(text, to));
    return strbuf_str(&c->text);
}

static void key_write(struct strbuf *b, str ns, str name)
{
    strbuf_clear(b);
    if (ns.len) {
        strbuf_add_str(b, ns);
        strbuf_add_char(b, '/');
    }
    strbuf_add_str(b, name);
}

/* NULL: no name, or not JSON when it is to be parsed. */
static struct cache_object *object_new(struct cache *c, str text)
{
    str meta;
    text = without_managed_fields(c, text);
    if (!raw_member(text, S("metadata"), &meta) || !meta_text(meta, S("name")).len)
        return NULL;
    key_write(&c->key, meta_text(meta, S("namespace")), meta_text(meta, S("name")));
    struct cache_object *o = xmalloc(sizeof *o + text.len + c->key.len);
    char *bytes = (char *)(o + 1);
    memcpy(bytes, text.p, text.len);
    memcpy(bytes + text.len, c->key.p, c->key.len);
    *o = (struct cache_object){
        .text = str_n(bytes, text.len), .key_ = str_n(bytes + text.len, c->key.len), .refs_ = 1, .generation_ = c->generation};
    raw_member(o->text, S("metadata"), &meta); /* the same in our copy */
    o->ns = meta_text(meta, S("namespace"));
    o->name = meta_text(meta, S("name"));
    o->uid = meta_text(meta, S("uid"));
    o->revision = meta_text(meta, S("resourceVersion"));
    o->controller = controller_of(meta);
    if (c->o.parse) {
        o->arena_ = ARENA_SMALL(512);
        struct json *tree = arena_new(&o->arena_, struct json);
        if (json_parse(&o->arena_, o->text, NULL, tree, NULL) < 0) {
            cache_object_unref(o);
            return NULL;
        }
        o->tree = tree;
    }
    return o;
}

/* --- indexes -------------------------------------------------------------------------------------------- */

static str bucket_key(struct strbuf *b, const char *index, str value)
{
    strbuf_clear(b);
    strbuf_addf(b, "%s:", index);
    strbuf_add_str(b, value);
    return strbuf_str(b);
}

static struct bucket *bucket_make(struct cache *c, const char *index, str value)
{
    str key = bucket_key(&c->key, index, value);
    struct bucket *b = map_get(&c->buckets, key);
    if (b)
        return b;
    b = xmalloc(sizeof *b + key.len);
    memcpy(b->bytes, key.p, key.len);
    b->key = str_n(b->bytes, key.len);
    b->len = 0;
    list_init(&b->members);
    map_put(&c->buckets, b->key, b);
    return b;
}

static void label_index(char out[8], size_t i)
{
    snprintf(out, 8, "l%u", (unsigned)i & 0xff);
}

typedef VEC(struct bucket *) bucket_vec;

static void owners_collect(struct cache *c, const struct cache_object *o, bucket_vec *to)
{
    str meta, refs, ref;
    struct raw_items it;
    if (!raw_member_from(o->text, S("metadata"), &meta) || !raw_member(meta, S("ownerReferences"), &refs) ||
        !raw_items_begin(refs, &it))
        return;
    for (int i = 0; i < OWNERS_MAX && raw_items_next(&it, &ref); i++) {
        str uid = meta_text(ref, S("uid"));
        if (uid.len)
            vec_push(to, bucket_make(c, "o", uid));
    }
}

static void index_add(struct cache *c, struct cache_object *o)
{
    bucket_vec in = {0};
    if (c->o.by_namespace)
        vec_push(&in, bucket_make(c, "n", o->ns));
    if (c->o.by_owner)
        owners_collect(c, o, &in);
    str labels = c->nlabels ? labels_of(o->text) : S(""), value;
    for (size_t i = 0; i < c->nlabels; i++) {
        char index[8];
        label_index(index, i);
        if (raw_member_text(labels, c->o.by_label[i], &value))
            vec_push(&in, bucket_make(c, index, value));
    }
    if (in.len)
        o->members_ = xarray(in.len, struct cache_member_);
    o->nmembers_ = (uint32_t)in.len;
    for (size_t i = 0; i < in.len; i++) {
        o->members_[i] = (struct cache_member_){.object = o, .bucket = in.p[i]};
        list_add_tail(&in.p[i]->members, &o->members_[i].link);
        in.p[i]->len++;
    }
    vec_fini(&in);
}

static void index_del(struct cache *c, struct cache_object *o)
{
    for (uint32_t i = 0; i < o->nmembers_; i++) {
        struct bucket *b = o->members_[i].bucket;
        list_del(&o->members_[i].link);
        if (--b->len)
            continue;
        map_del(&c->buckets, b->key);
        free(b);
    }
    o->nmembers_ = 0;
}

/* --- changes -------------------------------------------------------------------------------------------- */

static void tell(struct cache *c, enum cache_change change, const struct cache_object *before, const struct cache_object *now)
{
    if (c->o.event && !c->stopping)
        c->o.event(c, change, before, now);
}

static void drop(struct cache *c, struct cache_object *o)
{
    map_del(&c->objects, o->key_);
    index_del(c, o);
    c->bytes -= o->text.len;
    tell(c, CACHE_DELETED, o, NULL);
    cache_object_unref(o);
}

static void add(struct cache *c, struct cache_object *o)
{
    map_put(&c->objects, o->key_, o);
    index_add(c, o);
    c->bytes += o->text.len;
    tell(c, CACHE_ADDED, NULL, o);
}

static void replace(struct cache *c, struct map_entry *e, struct cache_object *o)
{
    struct cache_object *before = e->value;
    e->key = o->key_; /* the old key's bytes go with the old object */
    e->value = o;
    index_add(c, o); /* first, so that a bucket both are in stays */
    index_del(c, before);
    c->bytes += o->text.len;
    c->bytes -= before->text.len;
    tell(c, CACHE_MODIFIED, before, o);
    cache_object_unref(before);
}

/* The entry of the object that the text is about; its metadata in *ret_meta. */
static struct map_entry *entry_of(struct cache *c, str text, str *ret_meta)
{
    if (!raw_member(text, S("metadata"), ret_meta))
        return NULL;
    key_write(&c->key, meta_text(*ret_meta, S("namespace")), meta_text(*ret_meta, S("name")));
    return map_find(&c->objects, strbuf_str(&c->key));
}

static void put(struct cache *c, str text)
{
    str meta;
    struct map_entry *e = entry_of(c, text, &meta);
    struct cache_object *before = e ? e->value : NULL;
    bool is_same = before && str_eq(before->uid, meta_text(meta, S("uid")));
    if (is_same && before->revision.len && str_eq(before->revision, meta_text(meta, S("resourceVersion")))) {
        before->generation_ = c->generation; /* most of a list that comes again */
        return;
    }
    struct cache_object *o = object_new(c, text);
    if (!o)
        return;
    if (is_same) {
        replace(c, e, o);
        return;
    }
    if (before)
        drop(c, before);
    add(c, o);
}

static void remove_text(struct cache *c, str text)
{
    str meta;
    struct map_entry *e = entry_of(c, text, &meta);
    if (e)
        drop(c, e->value);
}

void cache_begin(struct cache *c)
{
    c->generation++;
}

void cache_apply(struct cache *c, const struct informer_event *ev)
{
    if (ev->change == INFORMER_DELETED)
        remove_text(c, ev->object);
    else
        put(c, ev->object);
}

void cache_synced(struct cache *c)
{
    VEC(struct cache_object *) gone = {0};
    map_foreach (e, &c->objects) {
        struct cache_object *o = e->value;
        if (o->generation_ != c->generation)
            vec_push(&gone, o);
    }
    for (size_t i = 0; i < gone.len; i++)
        drop(c, gone.p[i]);
    vec_fini(&gone);
    c->synced = true;
    if (c->o.synced && !c->stopping)
        c->o.synced(c);
}

/* --- looking up ----------------------------------------------------------------------------------------- */

const struct cache_object *cache_find_key(const struct cache *c, str key)
{
    return map_get(&c->objects, key);
}

const struct cache_object *cache_find(const struct cache *c, str ns, str name)
{
    STRBUF_AUTO key = STRBUF_HEAP;
    key_write(&key, ns, name);
    return map_get(&c->objects, strbuf_str(&key));
}

size_t cache_len(const struct cache *c)
{
    return c->objects.len;
}
size_t cache_bytes(const struct cache *c)
{
    return c->bytes;
}

void cache_iter_all(const struct cache *c, struct cache_iter *ret)
{
    *ret = (struct cache_iter){.cache_ = c};
}

static void iter_bucket(const struct cache *c, const char *index, str value, struct cache_iter *ret)
{
    static const struct list empty = {(struct list *)(uintptr_t)&empty, (struct list *)(uintptr_t)&empty};
    STRBUF_AUTO key = STRBUF_HEAP;
    const struct bucket *b = map_get(&c->buckets, bucket_key(&key, index, value));
    *ret = (struct cache_iter){.cache_ = c, .head_ = b ? &b->members : &empty};
    ret->at_ = ret->head_->next;
}

void cache_iter_ns(const struct cache *c, str ns, struct cache_iter *ret)
{
    BUG_ON(!c->o.by_namespace);
    iter_bucket(c, "n", ns, ret);
}

void cache_iter_owner(const struct cache *c, str uid, struct cache_iter *ret)
{
    BUG_ON(!c->o.by_owner);
    iter_bucket(c, "o", uid, ret);
}

void cache_iter_label(const struct cache *c, str key, str value, struct cache_iter *ret)
{
    size_t i = 0;
    while (i < c->nlabels && !str_eq(c->o.by_label[i], key))
        i++;
    BUG_ON(i == c->nlabels);
    char index[8];
    label_index(index, i);
    iter_bucket(c, index, value, ret);
}

const struct cache_object *cache_iter_next(struct cache_iter *it)
{
    if (!it->head_) {
        it->entry_ = it->begun_ && !it->entry_ ? NULL : map_next_(&it->cache_->objects, it->entry_);
        it->begun_ = true;
        return it->entry_ ? it->entry_->value : NULL;
    }
    if (it->at_ == it->head_)
        return NULL;
    const struct cache_member_ *m = container_of(it->at_, struct cache_member_, link);
    it->at_ = it->at_->next;
    return m->object;
}

/* --- life ----------------------------------------------------------------------------------------------- */

static void on_begin(struct informer *inf)
{
    cache_begin(informer_owner(inf));
}
static void on_event(struct informer *inf, struct informer_event *ev)
{
    cache_apply(informer_owner(inf), ev);
}
static void on_synced(struct informer *inf)
{
    cache_synced(informer_owner(inf));
}
static void on_stopped(struct informer *inf)
{
    struct cache *c = informer_owner(inf);
    c->stopped(c);
}

struct cache *cache_new(const struct cache_opts *opts)
{
    struct cache *c = xnew(struct cache);
    c->o = *opts;
    while (c->nlabels < CACHE_LABELS && c->o.by_label[c->nlabels].len)
        c->nlabels++;
    if (opts->transport)
        c->informer = informer_new(&(struct informer_opts){.transport = opts->transport,
                                                           .loop = opts->loop,
                                                           .path = opts->path,
                                                           .query = opts->query,
                                                           .begin = on_begin,
                                                           .event = on_event,
                                                           .synced = on_synced,
                                                           .owner = c});
    return c;
}

void *cache_owner(const struct cache *c)
{
    return c->o.owner;
}

bool cache_is_synced(const struct cache *c)
{
    return c->synced;
}

void cache_stop(struct cache *c, void (*stopped)(struct cache *c))
{
    c->stopping = true;
    c->stopped = stopped;
    if (c->informer)
        informer_stop(c->informer, on_stopped);
    else
        stopped(c);
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    c->stopping = true;
    informer_free(c->informer);
    map_foreach (e, &c->objects) {
        struct cache_object *o = e->value;
        index_del(c, o);
        cache_object_unref(o);
    }
    map_fini(&c->objects);
    map_fini(&c->buckets);
    strbuf_fini(&c->key);
    strbuf_fini(&c->text);
    free(c);
}
