/* registry.c - every verb of cox, in the order help shows them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs.h"

const struct cli_verb *const cli_verbs[] = {
    &verb_server,
    &verb_get,
    &verb_describe,
    &verb_create,
    &verb_apply,
    &verb_delete,
    &verb_wait,
    &verb_label,
    &verb_annotate,
    &verb_patch,
    &verb_scale,
    &verb_run,
    &verb_expose,
    &verb_edit,
    &verb_explain,
    &verb_api_resources,
    &verb_api_versions,
    &verb_auth,
    &verb_config,
    &verb_cluster_info,
    &verb_version,
    &verb_kubeconfig,
    &verb_store,
    &verb_sim,
    &verb_completion,
    &verb_man,
    NULL,
};
