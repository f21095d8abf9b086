/* verbs.h - the verbs, each in a file of its own or with its siblings; registry.c lists them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/cli.h"

extern const struct cli_verb verb_server, verb_kubeconfig, verb_store, verb_sim, verb_scheduler, verb_why, verb_completion, verb_man;
extern const struct cli_verb verb_get, verb_describe, verb_create, verb_apply, verb_delete, verb_wait, verb_label, verb_annotate, verb_patch, verb_scale, verb_api_resources,
    verb_api_versions, verb_version, verb_cluster_info, verb_auth, verb_explain, verb_config, verb_run, verb_expose, verb_edit;

/* Data directory from --data-dir, COX_DATA_DIR or the usual place. */
const char *verb_data_dir(const struct cli_args *a);
