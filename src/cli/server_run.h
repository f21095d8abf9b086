/* server_run.h - `cox server`: the whole control plane in one process, from first start to a clean stop.
 *
 * Threads: main (signals, shutdown), io-N (requests), store (writer), controllers, scheduler. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "cli/agent_run.h"

struct server_opts {
    const char *data_dir;         /* "/var/lib/cox" as root, else ~/.local/share/cox */
    const char *listen;           /* "127.0.0.1:6443"; port 0 picks one */
    const char *advertise;        /* address clients use, NULL: from listen */
    const char *const *tls_sans;  /* further names of the server certificate, NULL-terminated, may be NULL */
    const char *write_kubeconfig; /* NULL: the usual place; "" : none */
    const char *kubeconfig_name;  /* cluster and context name, "cox" */
    const char *service_cidr;
    const char *cluster_cidr;     /* addresses of pods, a /24 for each node; NULL: 10.42.0.0/16, "": none */
    nsec_t node_grace_ns;         /* of silence; 0: 40 s */
    const char *cluster_domain;
    const char *token_file;
    const char *audit_log;
    const char *unix_socket;      /* NULL: DIR/cox.sock; "": none */
    const char *pid_file;         /* NULL: none */
    nsec_t event_ttl_ns;
    nsec_t kuscia_job_ttl_ns;
    nsec_t pod_gc_quarantine_ns;
    size_t finished_pods;
    nsec_t hpa_period_ns;
    int io_threads;               /* 0: one a core, at most 8 */
    const char *scheduler_profile; /* NULL: default */
    bool bind_requests;            /* see live_opts */
    bool no_controllers;
    bool no_scheduler;
    bool no_anonymous;
    const struct agent_run_opts *agent; /* of this machine; NULL: none */
    bool quiet;                   /* no line on stdout when ready */
};

/* Runs until SIGTERM or SIGINT. */
int server_run(const struct server_opts *opts, struct err *err) MUST_CHECK;
