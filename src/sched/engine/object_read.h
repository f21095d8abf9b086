/* object_read.h - reading fields of API objects with their paths: the inside of object.h.
 *
 * A reader keeps its first error; after it every read gives a default, so that callers read on and look at `code` once at the end.  A spot is a path
 * as a list on the stack, made into text only when something is wrong:
 *     struct reader r = READER(s, a, err);
 *     str name = read_str(&r, obj, NULL, "kind");
 *     ... read_bad(&r, SPOT(SPOT(NULL, "spec"), "nodeName"), "must be a name");     // "spec.nodeName: must be a name"
 * Absent and null are the same.  Numbers and texts are not taken for each other.
 * Threads: one at a time.  Ownership: what is read points into the object or lives on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/quantity.h"
#include "base/err.h"
#include "sched/engine/engine.h"
#include "wire/json.h"

struct reader {
    struct sched *s; /* NULL where no resource is named */
    struct arena *a;
    struct err *err;
    int code; /* 0 or -E_CODE, the first */
};
#define READER(sched, arena, error) ((struct reader){(sched), (arena), (error), 0})

struct spot {
    const struct spot *up;
    str key;
    size_t index;
    bool is_index;
};
#define SPOT(up_, key_) (&(const struct spot){.up = (up_), .key = str_of(key_)})
#define SPOT_STR(up_, key_) (&(const struct spot){.up = (up_), .key = (key_)})
#define SPOT_AT(up_, index_) (&(const struct spot){.up = (up_), .index = (index_), .is_index = true})

/* The sub-group of a party in the group of a task: "alice" or "alice.host". */
str object_party_name(struct arena *a, str domain, str role);
void read_bad(struct reader *r, const struct spot *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* `at` is where `of` stands; the member is `key`. */
const struct json *read_object(struct reader *r, const struct json *of, const struct spot *at, const char *key); /* NULL: absent */
const struct json *read_array(struct reader *r, const struct json *of, const struct spot *at, const char *key);  /* NULL: absent */
str read_str(struct reader *r, const struct json *of, const struct spot *at, const char *key);                   /* "": absent */
bool read_bool(struct reader *r, const struct json *of, const struct spot *at, const char *key, bool otherwise);
int64_t read_int(struct reader *r, const struct json *of, const struct spot *at, const char *key, int64_t min, int64_t max, int64_t otherwise);
nsec_t read_time(struct reader *r, const struct json *of, const struct spot *at, const char *key); /* 0: absent */
/* An element of an array that must be an object or a text. */
const struct json *read_item(struct reader *r, const struct json *array, const struct spot *at, size_t i);
str read_item_str(struct reader *r, const struct json *array, const struct spot *at, size_t i);
const str *read_strs(struct reader *r, const struct json *of, const struct spot *at, const char *key, size_t *ret_n);
/* One of the words; the index, `otherwise` when absent. */
int read_word(struct reader *r, const struct json *of, const struct spot *at, const char *key, const char *const *words, size_t n, int otherwise);
/* A quantity that is not negative, as a text or a number. */
bool read_quantity(struct reader *r, const struct json *v, const struct spot *at, struct quantity *ret);
/* A map of texts, in the object's order. */
struct spec_labels read_labels(struct reader *r, const struct json *of, const struct spot *at, const char *key);
str labels_get(struct spec_labels l, str key, bool *ret_has);
/* A LabelSelector; absent: matches nothing. */
void read_selector(struct reader *r, const struct json *of, const struct spot *at, const char *key, struct spec_selector *ret);
/* matchExpressions and their like; `before`: room left for as many others before them. */
struct spec_requirement *read_requirements(struct reader *r, const struct json *of, const struct spot *at, const char *key, size_t before, size_t *ret_n);
/* A NodeSelector's terms, a preferred term's preference. */
struct spec_node_term *read_node_terms(struct reader *r, const struct json *of, const struct spot *at, size_t *ret_n);
void read_node_term(struct reader *r, const struct json *of, const struct spot *at, struct spec_node_term *ret);

/* Amounts by resource id. */
struct amounts {
    int64_t v[RES_MAX];
    bool has[RES_MAX];
};
/* More of a resource than any machine has; larger amounts are taken for this, so that thousands of them on a node still add up. */
#define AMOUNT_MOST (1ll << 50)
int64_t amount_add(int64_t a, int64_t b); /* neither negative; at most AMOUNT_MOST */
/* Adds a ResourceList (requests, allocatable) to a; bandwidth as both directions, less those that it names by themselves.  Returns false when absent. */
bool read_amounts(struct reader *r, const struct json *of, const struct spot *at, const char *key, struct amounts *a);
struct res_list amounts_list(struct reader *r, const struct amounts *a); /* without zeros and pods */
bool annotation_amount(struct reader *r, struct spec_labels annotations, const char *key, int64_t *ret); /* a quantity, whole units */

/* How long the work is expected to run: annotation of pods and groups. */
#define NUMA_ZONES "scheduling.cox/numa-zones" /* of a node */
#define NUMA_WISH "scheduling.cox/numa"        /* of a pod */
#define EXPECTED_RUNTIME S("scheduling.cox/expected-runtime")
/* A Go duration, or a number of seconds; 0: there is none.  What cannot be read is none, too: a hint must not keep a pod from being placed. */
nsec_t annotation_duration(struct reader *r, struct spec_labels annotations, str key);

struct object_meta {
    str ns, name, uid;
    struct spec_labels labels, annotations;
    nsec_t created_ns, delete_ns;
    bool deleting;
};
void read_meta(struct reader *r, const struct json *obj, struct object_meta *ret);

/* Items of a list that read_array gave; NULL: none. */
static inline size_t list_len(const struct json *list)
{
    return list ? list->len : 0;
}
