/* node_amounts.h - what a person says a node has, and keeps of it: "NAME=AMOUNT" of --node-capacity and --node-reserved, looked at before anything is started.
 *
 *   cpu=4, memory=16Gi, ephemeral-storage=, pods=, hugepages-2Mi=      quantities
 *   bandwidth=, egress=, ingress= and their long names                 node_bandwidth.h
 *   example.com/widgets=3                                              whose it is stands in front
 * A name that is none of these is refused: a slip of the pen would be a resource of that name, which the node then has for good.  Pure functions.  Ownership: nothing is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

/* list: NULL at the end, or NULL; option: its name, for the sentence. */
int node_amounts_check(const char *const *list, const char *option, struct err *err) MUST_CHECK;
