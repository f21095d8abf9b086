/* domain_nodes.h - the nodes of each domain as a Domain's status shows them, kept from the watch of nodes: no list is asked for when one of them says something.
 *
 *   node as the watch shows it ─► domain_nodes_note ─► whose status has news: of one domain, or of two when the node changed over
 *   status to be written ─► domain_nodes_list: the rows, by name
 * News is whatever changes in a row; a heartbeat alone is news only DOMAIN_HEARTBEAT_NS after the last one that was listed.
 * A list that comes again: domain_nodes_begin, a note for each, domain_nodes_end; what was not noted is gone.
 * Threads: one.  Ownership: everything is copied.
 * Limits: none of its own; a row is some 200 bytes, and nodes of no domain have none. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/map.h"
#include "wire/json.h"

#define DOMAIN_HEARTBEAT_NS (60 * NSEC_PER_SEC)

struct domain_nodes {
    bool is_complete; /* all nodes were listed once */
    unsigned round_;
    struct map rows_;    /* by name of the node */
    struct map domains_; /* name to those of one domain */
};
void domain_nodes_init(struct domain_nodes *n);
void domain_nodes_fini(struct domain_nodes *n);
/* domain "": it is of none, or is gone.  row: {"name","version","status","lastHeartbeatTime","lastTransitionTime"}.  Domains that have news, "" none; they live until the next note. */
void domain_nodes_note(struct domain_nodes *n, str node, str domain, const struct json *row, str ret_news[2]);
void domain_nodes_begin(struct domain_nodes *n);
void domain_nodes_end(struct domain_nodes *n, void (*gone)(void *arg, str domain), void *arg);
/* Array of rows, on the arena. */
struct json domain_nodes_list(struct domain_nodes *n, struct arena *a, str domain);
