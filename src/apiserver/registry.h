/* registry.h - the resources that are served right now.
 *
 * A snapshot is immutable: built-in resources plus those of established CustomResourceDefinitions.  A CRD change builds a new snapshot and swaps it;
 * requests hold a reference on the one they began with.
 * Threads: registry_current from any thread; registry_publish from the thread that owns CRDs.
 * Ownership: snapshots are reference-counted; everything in one lives as long as it does. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "api/resource.h"
#include "base/arena.h"
#include "base/map.h"

struct registry_group_version {
    str group, version;
    const struct api_resource **resources; /* sorted by plural */
    size_t nresources;
};

struct registry_snapshot {
    _Atomic uint32_t refs;
    uint64_t generation; /* grows with each publish: discovery and OpenAPI caches key on it */
    struct arena arena;  /* of custom resources' tables */
    const struct api_resource **resources;
    size_t nresources;
    struct registry_group_version *gvs; /* core first, then built-in groups as api/ *.api orders them, then others by name; versions by Kubernetes' priority within a group */
    size_t ngvs;
    struct map by_path;  /* "group/version/plural" -> const struct api_resource * */
    struct map by_kind;  /* "group/version/kind" -> const struct api_resource * */
    struct map by_store; /* "group/plural" -> the storage version's const struct api_resource * */
};

struct registry {
    pthread_mutex_t lock_; /* guards current_ */
    struct registry_snapshot *current_;
};

void registry_init(struct registry *r); /* with the built-in resources */
void registry_fini(struct registry *r);
struct registry_snapshot *registry_current(struct registry *r); /* a reference */
struct registry_snapshot *registry_ref(struct registry_snapshot *s);
void registry_unref(struct registry_snapshot *s); /* NULL is fine */
DEFINE_CLEANUP(struct registry_snapshot *, registry_unref)
/* A new snapshot from the built-in resources and `custom`, which were allocated on `arena` (taken over). */
void registry_publish(struct registry *r, struct arena arena, const struct api_resource *const *custom, size_t ncustom);

const struct api_resource *registry_find(const struct registry_snapshot *s, str group, str version, str plural);
const struct api_resource *registry_find_kind(const struct registry_snapshot *s, str group, str version, str kind);
/* The version of the storage of r's objects. */
const struct api_resource *registry_storage(const struct registry_snapshot *s, const struct api_resource *r);
bool registry_has_group_version(const struct registry_snapshot *s, str group, str version);
bool registry_has_group(const struct registry_snapshot *s, str group);
/* Kubernetes' order of versions: v2 > v1 > v1beta2 > v1alpha1 > others by name. */
int registry_version_cmp(str a, str b);
