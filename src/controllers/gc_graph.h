/* gc_graph.h - who owns whom, and what the garbage collector has to do about it; no I/O.
 *
 * Nodes are objects that have owners, are owners, or wait for their dependents; all others are not in it, so a million pods without owners cost nothing.  A node is identified
 * by everything that an owner reference says (group, kind, namespace, name, uid): a reference into another namespace, or with a wrong name, is a node of its own that a look
 * at the server finds absent.
 *
 *   unknown ──seen, or found by a GET──► present ──deleted, or another uid──► absent (kept while it has dependents)
 *      ▲                                    │
 *      └── missing in a list after a gap ◄──┘
 *
 * touch() names each node about which gc_graph_judge may now have something to say; it must not change the graph.
 * Threads: the owner's.  Ownership: nodes belong to the graph and are freed when nothing needs them: look them up by key after every call that changes it.
 * Limits: memory for nodes only; observe and gone O(references of the object + dependents when its state changes). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "base/str.h"

struct gc_graph;

/* A group and kind; made when first named. */
struct gc_kind {
    str group, kind;
    bool served;     /* discovery knows it */
    bool namespaced; /* when served */
    size_t nnodes;
    struct list nodes;
    uint32_t round; /* of the list that shows it */
};

enum gc_state { GC_UNKNOWN, GC_PRESENT, GC_ABSENT };

struct gc_node {
    struct gc_kind *kind;
    str key; /* for gc_graph_find_key */
    str ns, name, uid;
    enum gc_state state;
    bool deleting;
    bool foreground; /* deleting, and has the finalizer foregroundDeletion */
    bool orphan;     /* deleting, and has the finalizer orphan */
    bool settled;    /* the collector's own: it found no dependents a moment ago */
    /* private */
    bool waits_;     /* for an owner that is unknown */
    bool pinned_;    /* in use: not freed */
    uint32_t round_;
    size_t nowners_, nblocking_;
    struct gc_link *owners_;
    struct list dependents_;
    struct list link_; /* in its kind */
};

struct gc_ref {
    struct gc_kind *kind;
    str name, uid;
    bool blocks; /* blockOwnerDeletion */
};

struct gc_object {
    struct gc_kind *kind;
    str ns, name, uid;
    bool deleting, foreground, orphan;
    const struct gc_ref *refs;
    size_t nrefs;
};

struct gc_graph *gc_graph_new(void (*touch)(void *arg, struct gc_node *n), void *arg) MUST_CHECK;
void gc_graph_free(struct gc_graph *g);
size_t gc_graph_len(const struct gc_graph *g);

struct gc_kind *gc_graph_kind(struct gc_graph *g, str group, str kind);
/* What discovery says now; a kind that becomes served touches the dependents of its nodes. */
void gc_graph_kind_set(struct gc_graph *g, struct gc_kind *k, bool served, bool namespaced);
/* A full list of the kind begins; at its end nodes that it did not show must be looked at again. */
void gc_graph_list_begin(struct gc_graph *g, struct gc_kind *k);
void gc_graph_list_end(struct gc_graph *g, struct gc_kind *k);

/* The object exists and looks like this. */
void gc_graph_observe(struct gc_graph *g, const struct gc_object *o);
/* An object with that identity does not exist (any more). */
void gc_graph_gone(struct gc_graph *g, struct gc_kind *k, str ns, str name, str uid);
/* The kind is not served any more: its objects went with it. */
void gc_graph_kind_gone(struct gc_graph *g, struct gc_kind *k);

struct gc_node *gc_graph_find_key(struct gc_graph *g, str key);
struct gc_node *gc_graph_find(struct gc_graph *g, struct gc_kind *k, str ns, str name, str uid);
bool gc_node_has_dependents(const struct gc_node *n);
/* Touches the dependents whose turn it is because of this node. */
void gc_graph_touch_dependents(struct gc_graph *g, struct gc_node *n);

enum gc_verdict {
    GC_NOTHING,
    GC_VERIFY,           /* unknown: look whether it exists */
    GC_DELETE,           /* all owners are gone */
    GC_DELETE_FOREGROUND,/* an owner waits for it, and it has dependents of its own */
    GC_UNBLOCK,          /* as before, but one of its dependents waits for it in turn: blockOwnerDeletion must go from its references first */
    GC_DROP_REFS,        /* references to remove: gc_graph_drops tells which; others hold it */
    GC_WAIT_DEPENDENTS,  /* waits for dependents: they were touched */
    GC_FINISH_FOREGROUND,/* no dependent blocks any more: the finalizer can go */
    GC_FINISH_ORPHAN,    /* no dependent is left: the finalizer can go */
};
/* Verdicts but NOTHING and VERIFY should be checked once more after a fresh look at the object. */
enum gc_verdict gc_graph_judge(struct gc_graph *g, struct gc_node *n);
/* For GC_DROP_REFS: must a reference of n to this uid go? */
bool gc_graph_drops(const struct gc_node *n, str uid);
