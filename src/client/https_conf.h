/* https_conf.h - where the HTTPS transport connects to and as whom: a resolved kubeconfig made ready for connections.
 *
 * Certificates and keys go into a TLS context, a token or a user and password into one header.  Immutable once made: new
 * credentials are a new one, and connections keep the one they began with.
 * Threads: one at a time.  Ownership: counted.  Limits: header values hold no line breaks. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/client_conn.h"
#include "client/kubeconfig.h"

struct https_conf {
    unsigned refs_;
    struct client_target target;
    char *user_agent;
    char *authorization, *as; /* NULL: none */
    bool http1_only;
};

/* Members of kube may be NULL where they would be "".  user_agent NULL: "cox". */
int https_conf_new(const struct kubeconfig_resolved *kube, const char *user_agent, bool http1_only, struct https_conf **ret,
                   struct err *err) MUST_CHECK;
struct https_conf *https_conf_ref(struct https_conf *f);
void https_conf_unref(struct https_conf *f);
str https_conf_authority(const struct https_conf *f); /* "127.0.0.1:6443", "localhost" over a Unix socket */
/* Can this be sent?  A token for a method; a path without blanks and control bytes that begins with '/'. */
bool https_request_is_valid(str method, str path);
