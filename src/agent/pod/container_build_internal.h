/* container_build_internal.h - the parts of container_build.h among themselves.
 *
 * Threads: any.  Ownership: results on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/container_build.h"
#include "base/vec.h"

/* False: only the runtime knows it (CRI), so nothing can be said of its user, environment and command. */
static inline bool image_is_known(const struct image *image)
{
    return image->layers || image->root == ROOT_HOST;
}

/* --- pod_fields.c: the downward API ------------------------------------------------------------------------ */
/* fieldRef.fieldPath: "metadata.name", "metadata.labels['k']", "status.podIP" ... */
int pod_field(struct arena *a, const struct json *pod, const struct build_node *node, str path, str *ret, struct err *err) MUST_CHECK;
/* resourceFieldRef of the named container, or of `container` when it names none. */
int pod_resource_field(struct arena *a, const struct json *pod, const struct json *container, const struct build_node *node, const struct json *ref, str *ret, struct err *err) MUST_CHECK;
/* A key of a ConfigMap (data, binaryData) or Secret.  False: not there, or not base64. */
bool ref_value(struct arena *a, enum ref_kind kind, const struct json *object, str key, str *ret);
/* "configmap" or "secret", for sentences. */
const char *ref_kind_name(enum ref_kind kind);

/* --- pod_env.c ---------------------------------------------------------------------------------------------- */
struct env_var {
    str name, value;
};
struct env {
    struct env_var *vars;
    size_t n, cap;
};
/* What the pod says of it, services among it. */
int pod_env(struct arena *a, const struct json *pod, const struct json *container, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct env *ret, struct err *err) MUST_CHECK;
/* "NAME=value" of all, the image's own first. */
const char *const *env_strings(struct arena *a, const struct image *image, str hostname, bool tty, const struct env *own);
/* $(NAME) by its value, $$ by $; what is not known stays as it is, and its name is put in *ret_missing, which may be NULL. */
str env_expand(struct arena *a, const struct env *e, str text, str *ret_missing);

/* --- pod_dns.c: texts of the files that every container gets -------------------------------------------------- */
int pod_hostname(struct arena *a, const struct json *pod, const struct build_node *node, str *ret, struct err *err) MUST_CHECK; /* inside: the full name when the pod asks for it */
str pod_hosts_text(struct arena *a, const struct json *pod, const struct build_node *node, str host_file);
str pod_resolv_text(struct arena *a, const struct json *pod, const struct build_node *node);

/* --- pod_resources.c ------------------------------------------------------------------------------------------ */
void container_limits(const struct json *container, struct cgroup_limits *ret);
void pod_limits(const struct json *pod, const struct build_node *node, struct cgroup_limits *ret);
int container_oom_score(const struct json *pod, const struct json *container, const struct build_node *node);

/* --- container_security.c -------------------------------------------------------------------------------------- */
int container_security(struct arena *a, const struct json *pod, const struct json *container, const struct image *image, const struct build_node *node, struct container_spec *ret, struct err *err) MUST_CHECK;
/* The uid that all containers have in common, for files that only they may read.  False: they have none. */
bool pod_common_uid(const struct json *pod, uint32_t *ret);

const char *capability_name(unsigned bit); /* "NET_ADMIN"; NULL: no such */

/* --- volumes*.c ------------------------------------------------------------------------------------------------- */
struct volume_place {
    const char *path;  /* on this machine */
    bool read_only;
    bool is_block;     /* a device */
    bool is_ours;      /* made by us under pods/UID/volumes */
};
/* Where a volume of the pod is. */
int volume_find(struct arena *a, const struct json *pod, const struct json *volume, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct volume_place *ret, struct err *err) MUST_CHECK;
const struct json *pod_volume(const struct json *pod, str name);
/* Is it absolute, or does it go up?  For paths below a folder of ours. */
bool path_leads_out(str path);

/* A file of a configMap, secret, downwardAPI or projected volume. */
struct volume_file {
    str path; /* relative, "a/b" */
    str text;
    unsigned mode;
    bool has_owner;
    uint32_t owner;
};
typedef VEC(struct volume_file) volume_files;
/* What such a volume holds.  False in *ret_is_files: it is another kind. */
int volume_payload(struct arena *a, const struct json *pod, const struct json *volume, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, volume_files *files, bool *ret_is_files,
                   struct err *err) MUST_CHECK;
/* Makes the folder show exactly these files, all at once; nothing is touched when it does already. */
int volume_write_files(const char *dir, const volume_files *files, bool has_group, uint32_t group, struct err *err) MUST_CHECK;
/* Gives a tree to a group: readable (and writable) for it, new files of the group. */
int volume_set_group(const char *dir, uint32_t group, bool read_only, bool only_on_mismatch, struct err *err) MUST_CHECK;

bool volume_is_mounted(const char *path);
int volume_unmount_below(const char *dir, struct err *err) MUST_CHECK;
/* A bind mount of `subpath` in root at a place of our own; links that lead out of root are an error. */
int volume_bind_subpath(const char *root, str subpath, const char *at, struct err *err) MUST_CHECK;
