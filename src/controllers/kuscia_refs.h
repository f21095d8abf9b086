/* kuscia_refs.h - who has to look again when something changes, as far as the watches have shown.
 *
 *   refs_set("g/bob/leave", {"c/alice/leave"})      the grant bob/leave is a copy of alice's
 *   refs_of("c/alice/leave")  ─►  "g/bob/leave"     so it looks again when that changes
 * Texts mean nothing here: an object is what goes into the queue, a key is whatever it hangs on.  Keys with a part that somebody wrote begin with parts that have no '/', and are asked for with such alone.
 * Threads: the controllers' loop.  Ownership: texts are copied.
 * Limits: those of the objects that are watched. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/map.h"

struct kuscia_refs {
    struct map keys_;    /* key to its objects */
    struct map objects_; /* object to its keys */
};
void kuscia_refs_init(struct kuscia_refs *r);
void kuscia_refs_fini(struct kuscia_refs *r);
/* What the object hangs on from now on; n 0: nothing, and it is forgotten. */
void kuscia_refs_set(struct kuscia_refs *r, str object, const str *keys, size_t n);
/* All that hang on the key, on the arena. */
size_t kuscia_refs_of(const struct kuscia_refs *r, struct arena *a, str key, str **ret);
