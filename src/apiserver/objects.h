/* objects.h - stored objects by resource, namespace and name: keys, encoding, reading.
 *
 * Store keys:   /r/<group>/<plural>/<namespace>/<name>     namespaced; the core group is "core"
 *               /r/<group>/<plural>/<name>                 cluster scope
 *               /a/ip/<address>, /a/port/<number>          service addresses and node ports in use
 * Stored bytes: {"kind":K,"apiVersion":V,"metadata":{"resourceVersion":"<revision>",...},...}   in the storage version.  This is what GET sends; lists are
 * concatenations of it without kind and apiVersion; the store inserts the revision.
 * Threads: any; pure functions and reads of store views. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "apiserver/registry.h"
#include "store/store.h"
#include "wire/json.h"

#define OBJECT_ROOT "/r/"

/* ns "" with a namespaced resource, or name "": a prefix that ends in '/'. */
str object_key(struct arena *a, const struct api_resource *r, str ns, str name);
/* Splits a key; false for other keys. */
bool object_key_parse(str key, str *ret_group, str *ret_plural, str *ret_ns_name);

/* The stored form of obj (apiVersion and kind are set from r, which must be the storage version).  *ret_rev_at is where the store inserts the revision. */
str object_encode(struct arena *a, const struct api_resource *r, const struct json *obj, uint32_t *ret_rev_at);
/* Length of the `"kind":K,"apiVersion":V,` part behind the opening brace, that list items leave out. */
size_t object_type_prefix_len(const struct api_resource *r);
/* The bytes with another revision at their mark (DELETED events carry the revision of the deletion). */
str object_with_revision(struct arena *a, str bytes, uint32_t rev_at, rev_t rev);
/* Stored bytes with nothing at their mark, as object_encode makes them. */
str object_without_revision(struct arena *a, str bytes, uint32_t rev_at);

/* Parses a stored object; BUG when the store holds something that is no JSON. */
struct json object_parse(struct arena *a, str bytes);

/* Newest version, parsed; false when there is none.  ret_rev may be NULL. */
bool object_get(struct store *s, struct arena *a, const struct api_resource *r, str ns, str name, struct json *ret, rev_t *ret_rev);
/* Same for a built-in resource by group and plural. */
bool object_get_builtin(struct store *s, struct arena *a, str group, str plural, str ns, str name, struct json *ret, rev_t *ret_rev);
/* Same for those who ask for what few objects have, with every pod: the tree is made only when the stored text has one of the words (NULL: none), else *ret is an empty object.  Words stand in the text as
 * json_write writes them. */
bool object_get_having(struct store *s, struct arena *a, str group, str plural, str ns, str name, const char *word, const char *other, struct json *ret);
const struct api_resource *object_builtin(str group, str plural); /* storage version; BUG when there is none */
/* Calls each() for all objects of the resource in ns ("" all), parsed on the arena; stops when it returns false. */
void object_each(struct store *s, struct arena *a, const struct api_resource *r, str ns, bool (*each)(void *arg, struct json *obj, const struct store_kv *kv),
                 void *arg);
/* Only for those whose stored text has the word. */
void object_each_having(struct store *s, struct arena *a, const struct api_resource *r, str ns, const char *word, bool (*each)(void *arg, struct json *obj, const struct store_kv *kv),
                        void *arg);

/* metadata shortcuts: "" or NULL when absent */
static inline struct json *object_meta(const struct json *obj)
{
    return json_get(obj, S("metadata"));
}
static inline str object_name(const struct json *obj)
{
    return json_get_str(object_meta(obj), S("name"));
}
static inline str object_ns(const struct json *obj)
{
    return json_get_str(object_meta(obj), S("namespace"));
}
static inline str object_uid(const struct json *obj)
{
    return json_get_str(object_meta(obj), S("uid"));
}
static inline bool object_is_deleting(const struct json *obj)
{
    return json_get_str(object_meta(obj), S("deletionTimestamp")).len > 0;
}
/* Is `value` an item of the string list at key? */
bool object_list_has(const struct json *obj, str key, str value);

void object_new_uid(char out[37]); /* RFC 4122 version 4, random */
uint64_t object_random(void);
/* Five letters that spell no words, as generateName and generated volumes end in. */
void object_random_suffix(char out[6]);
