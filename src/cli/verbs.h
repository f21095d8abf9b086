/* verbs.h - the verbs, each in a file of its own or with its siblings; registry.c lists them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/cli.h"

extern const struct cli_verb verb_agent, verb_uninstall;
extern const struct cli_verb verb_server, verb_kubeconfig, verb_store, verb_sim, verb_scheduler, verb_controllers, verb_why, verb_queue, verb_queue_simulate, verb_job, verb_completion, verb_man;
extern const struct cli_verb verb_get, verb_describe, verb_create, verb_apply, verb_delete, verb_wait, verb_label, verb_annotate, verb_patch, verb_scale, verb_api_resources,
    verb_api_versions, verb_version, verb_cluster_info, verb_auth, verb_explain, verb_config, verb_run, verb_expose, verb_edit;
extern const struct cli_verb verb_token, verb_join;
extern const struct cli_verb verb_rollout, verb_set_template, verb_cordon, verb_uncordon, verb_drain, verb_taint, verb_top, verb_autoscale, verb_node;
extern const struct cli_verb verb_image;
extern const struct cli_verb *const verb_job_kuscia[]; /* subverbs of job */

extern const struct cli_verb verb_logs, verb_exec, verb_attach, verb_cp, verb_port_forward;

/* Data directory from --data-dir, COX_DATA_DIR or the usual place. */
const char *verb_data_dir(const struct cli_args *a);
/* The agent of this machine, with the options of AGENT_RUN_OPTIONS. */
int verb_agent_run(struct cli_args *a);
/* verb_exec.c: joins ours with the streams of a command (sub "exec") or of a container's own process ("attach", command NULL).  The exit status, or -code. */
struct session;
struct json;
struct failure;
/* E_INVALID_ARG when the pod has ended; what: "exec into". */
int verb_exec_check_runs(const struct json *pod, const char *what, struct failure *f) MUST_CHECK;
int verb_exec_streams(struct session *s, const struct json *pod, const char *sub, str container, const char *const *command, bool in, bool tty, uint64_t *ret_bytes, struct failure *f) MUST_CHECK;
