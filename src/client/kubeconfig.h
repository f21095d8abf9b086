/* kubeconfig.h - kubeconfig files: find, merge, resolve, edit, write back, as kubectl does.
 *
 * Several files (KUBECONFIG=a:b) look like one: the first file that has an entry wins whole, and a change goes to the file that has
 * the entry, or to the first existing file when nobody has it.  Fields that we do not know are kept.
 *     kubeconfig_load(&(struct kubeconfig_paths){.env = getenv("KUBECONFIG"), .home = getenv("HOME")}, &k, err);
 *     kubeconfig_resolve(k, &(struct kubeconfig_overrides){.context = "dev"}, &r, err);   -> r.server, r.ca_pem, r.token ...
 * Threads: one at a time.
 * Ownership: everything handed out lives until kubeconfig_free; json trees may be changed only through the edit calls.
 * Limits: KUBECONFIG_FILE_MAX a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define KUBECONFIG_FILE_MAX (16u << 20)

struct kubeconfig;

enum kubeconfig_section { KUBECONFIG_CLUSTERS, KUBECONFIG_USERS, KUBECONFIG_CONTEXTS };

struct kubeconfig_paths {
    const char *file; /* --kubeconfig: this one and no other; NULL: env, then home */
    bool may_be_new;  /* file need not exist yet (config set-cluster ...) */
    const char *env;  /* $KUBECONFIG: paths with ':' between them, missing ones are skipped */
    const char *home; /* $HOME: home/.kube/config */
};
int kubeconfig_load(const struct kubeconfig_paths *paths, struct kubeconfig **ret, struct err *err) MUST_CHECK;
void kubeconfig_free(struct kubeconfig *k);
DEFINE_CLEANUP(struct kubeconfig *, kubeconfig_free)

/* --- reading ----------------------------------------------------------------------------------------- */
str kubeconfig_current_context(const struct kubeconfig *k); /* "" when none is set */
/* The object under "cluster", "user" or "context"; NULL when there is no such entry. */
const struct json *kubeconfig_find(const struct kubeconfig *k, enum kubeconfig_section s, str name);
/* Sorted, each once, in k's memory. */
size_t kubeconfig_names(struct kubeconfig *k, enum kubeconfig_section s, const str **ret);
/* Where new entries are written. */
const char *kubeconfig_default_file(const struct kubeconfig *k);

/* Command-line flags; NULL or "" leaves what the files say. */
struct kubeconfig_overrides {
    const char *context, *cluster, *user, *namespace_;
    const char *server, *tls_server_name, *ca_file, *cert_file, *key_file, *token, *username, *password, *as;
    bool insecure;
};
/* What a client needs; "" where nothing is set, never NULL. */
struct kubeconfig_resolved {
    const char *context, *cluster, *user;
    const char *namespace_; /* "default" when nobody says */
    const char *server, *tls_server_name;
    const char *ca_pem, *cert_pem, *key_pem;
    const char *token, *username, *password;
    const char *as; /* Impersonate-User */
    bool insecure;
};
/* E_NOT_FOUND: no context is chosen or an entry is missing; E_INVALID_ARG: exec plugins and proxies, which cox does not run. */
int kubeconfig_resolve(struct kubeconfig *k, const struct kubeconfig_overrides *o, struct kubeconfig_resolved *ret, struct err *err) MUST_CHECK;

/* The merged files as one tree, in the caller's arena. */
struct kubeconfig_view {
    bool raw;     /* show secrets and certificates; else DATA+OMITTED and REDACTED */
    bool flatten; /* file references become inline data */
    bool minify;  /* only what `context` (or the current one) uses */
    const char *context;
};
int kubeconfig_view(struct kubeconfig *k, struct arena *a, const struct kubeconfig_view *v, struct json *ret, struct err *err) MUST_CHECK;

/* --- editing: in memory until kubeconfig_save ------------------------------------------------------------ */
/* Sets a field ("server", "token", "insecure-skip-tls-verify") of an entry, which is created when absent.  value NULL removes the field. */
int kubeconfig_set_field(struct kubeconfig *k, enum kubeconfig_section s, str name, str field, const char *value, struct err *err) MUST_CHECK;
/* "current-context", "clusters.NAME.server", "users.NAME.token", ...; a value of NULL unsets, and may then name a whole entry ("users.NAME"). */
int kubeconfig_set_path(struct kubeconfig *k, str path, const char *value, struct err *err) MUST_CHECK;
int kubeconfig_use_context(struct kubeconfig *k, str name, struct err *err) MUST_CHECK;
int kubeconfig_delete(struct kubeconfig *k, enum kubeconfig_section s, str name, struct err *err) MUST_CHECK;
int kubeconfig_rename_context(struct kubeconfig *k, str from, str to, struct err *err) MUST_CHECK;

/* One cluster with its user and context, as `cox kubeconfig` and `make up` add it.  An entry of the same name that belongs to another
 * cluster (another CA) is never touched: NAME-2, NAME-3 ... is taken then.  *ret_name: the name in use, k's memory. */
struct kubeconfig_cluster {
    const char *name;
    const char *server, *ca_pem;
    const char *cert_pem, *key_pem, *token; /* NULL: none */
    const char *namespace_;                 /* NULL: none */
    bool make_current;                      /* else only when no current context is set */
};
int kubeconfig_merge(struct kubeconfig *k, const struct kubeconfig_cluster *c, const char **ret_name, struct err *err) MUST_CHECK;
/* The name under which this cluster is in the files; "" when it is not. */
str kubeconfig_cluster_name(struct kubeconfig *k, const struct kubeconfig_cluster *c);
/* The way back: the cluster, the user of its name and every context that leads to it go.  When one of them was current, `previous` is again if it
 * is still there, else none. */
void kubeconfig_forget(struct kubeconfig *k, const struct kubeconfig_cluster *c, str previous);

/* Writes each changed file, atomically, mode 0600; makes the folder. */
int kubeconfig_save(struct kubeconfig *k, struct err *err) MUST_CHECK;
