/* object_cache.h - objects of one resource as the watch shows them: by key, by namespace and by controller.
 *
 * For kinds of which there are few compared to pods.  Each object is its text; a tree is made when somebody asks.
 * Threads: the loop's.
 * Ownership: objects belong to the cache and may go with every turn of the loop: object_read copies for what lives longer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "base/map.h"
#include "base/vec.h"
#include "wire/json.h"

struct object {
    str key, ns, name, uid, owner_uid;
    str text;
    bool seek; /* its controller should look for pods without a controller: it is new, or one came that it selects */
    struct arena arena_; /* all strings, the tree */
    struct json tree_;
    bool has_tree_;
    struct list ns_link_, owner_link_;
    unsigned round_;
};

/* was NULL: new; now NULL: gone. */
typedef void object_changed_fn(void *arg, const struct object *was, const struct object *now);

struct object_cache {
    struct map objects_, uids_, namespaces_, owners_;
    VEC(struct object_subscriber {
        object_changed_fn *changed;
        void *arg;
    }) subscribers_;
    unsigned round_;
    bool synced; /* listed at least once */
    /* What of an object is kept, NULL: all of it.  "" drops the object. */
    str (*keep)(struct arena *a, str text);
};

void object_cache_init(struct object_cache *c);
void object_cache_fini(struct object_cache *c);
void object_cache_subscribe(struct object_cache *c, object_changed_fn *changed, void *arg);
void object_cache_list_begin(struct object_cache *c);
void object_cache_list_end(struct object_cache *c);
void object_cache_saw(struct object_cache *c, str text, const struct json *meta, bool deleted);

struct object *object_cache_find(const struct object_cache *c, str key);
struct object *object_cache_find_uid(const struct object_cache *c, str uid);
const struct json *object_tree(struct object *o); /* until the loop's next turn */
struct json object_read(struct arena *a, const struct object *o);
/* list may be NULL */
struct list *object_cache_owned(const struct object_cache *c, str owner_uid);
struct list *object_cache_namespace(const struct object_cache *c, str ns); /* "" : cluster scope */
#define object_foreach_owned(o, head) object_foreach_(o, head, owner_link_)
#define object_foreach_namespace(o, head) object_foreach_(o, head, ns_link_)
#define object_foreach_(o, head, link)                                                                                                                          \
    for (struct list *o##_head_ = (head), *o##_at_ = o##_head_ ? o##_head_->next : NULL; o##_at_ && o##_at_ != o##_head_; o##_at_ = o##_at_->next)             \
        for (struct object *o = container_of(o##_at_, struct object, link), *o##_once_ = o; o##_once_; o##_once_ = NULL)
