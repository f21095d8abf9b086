/* registry.c - every verb of cox, in the order help shows them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs.h"

const struct cli_verb *const cli_verbs[] = {
    &verb_server,
    &verb_get,
    &verb_apply,
    &verb_delete,
    &verb_wait,
    &verb_kubeconfig,
    &verb_store,
    &verb_completion,
    &verb_man,
    NULL,
};
