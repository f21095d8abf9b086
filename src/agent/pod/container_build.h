/* container_build.h - from a pod's spec to what a runtime needs: names of objects it refers to, environment, arguments, security, limits.
 *
 *   pod ─► pod_refs: which ConfigMaps, Secrets, claims ... ─► (the agent fetches them) ─► volumes_setup ─► container_build ─► struct container_spec
 *
 * pod_refs and sandbox_build are pure; volumes_setup writes files and mounts; container_build is pure but for subPath mounts, which it makes anew under pods/UID/subpaths: what an init container wrote
 * must be there.  Both may block.
 * Threads: any.  Ownership: results on the arena; objects are borrowed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/container_spec.h"
#include "agent/images/images.h"
#include "wire/json.h"

/* --- objects ------------------------------------------------------------------------------------------- */
enum ref_kind { REF_CONFIGMAP, REF_SECRET, REF_PVC, REF_PV, REF_TOKEN, REF_SERVICES, REF_RUNTIMECLASS };

struct pod_ref {
    enum ref_kind kind;
    str ns, name;       /* PV and RuntimeClass: no namespace.  TOKEN: name of the service account.  SERVICES: all of the namespace, for the environment */
    bool optional;
    /* TOKEN */
    str audience;       /* "" : the API server's */
    int64_t expires_s;
    /* filled by the agent */
    const struct json *object; /* NULL: does not exist.  TOKEN: the TokenRequest's answer.  SERVICES: a list */
};
/* Everything the pod names, each once.  A claim's volume (REF_PV) is added by a second call after the claims are there: *n grows. */
size_t pod_refs(struct arena *a, const struct json *pod, const struct pod_ref *known, size_t nknown, struct pod_ref **ret);
const struct pod_ref *pod_ref_find(const struct pod_ref *refs, size_t n, enum ref_kind kind, str name);

/* --- the node ------------------------------------------------------------------------------------------ */
struct build_node {
    str name, ip, pod_ip;
    const char *pod_dir;          /* pods/UID */
    const char *log_dir;          /* logs/NS_NAME_UID */
    const char *resolv_conf;      /* text of the node's, as read at start */
    str cluster_domain, cluster_dns; /* "" : none, pods then get the node's resolv.conf */
    str api_host, api_port;       /* KUBERNETES_SERVICE_HOST and _PORT of containers, instead of the service's own; "" : the service's, if the pod's namespace has it */
    int64_t memory_bytes;         /* of the node: oom_score_adj */
    int64_t cpu_milli, disk_bytes; /* of the node: resourceFieldRef without a limit */
    int64_t pids_limit;           /* a pod; 0: PIDS_DEFAULT, so that no pod takes all numbers of the machine; below 0: none */
    const char *seccomp_dir;      /* profiles of SECCOMP_LOCALHOST */
    bool is_static_ok;
};

/* --- volumes: blocking ------------------------------------------------------------------------------------ */
/* Makes or refreshes every volume of the pod under pods/UID/volumes/NAME, and hosts, resolv.conf, hostname.  Called again when an object changed: files are swapped atomically (..data), nothing else is
 * touched.  E_NOT_FOUND: an object that is not optional does not exist (FailedMount). */
int volumes_setup(const struct json *pod, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct err *err) MUST_CHECK;
/* Unmounts and removes them; fine when there are none. */
int volumes_remove(const char *pod_dir, struct err *err) MUST_CHECK;
/* Bytes that emptyDirs without a medium use, and the name of the first over its sizeLimit ("" none). */
uint64_t volumes_usage(const struct json *pod, const char *pod_dir, struct arena *a, str *ret_over);

/* --- specs ------------------------------------------------------------------------------------------------ */
int sandbox_build(struct arena *a, const struct json *pod, const struct build_node *node, struct sandbox_spec *ret, struct err *err) MUST_CHECK;
/* The error is for CreateContainerConfigError: `configmap "x" not found`, `container has runAsNonRoot and image will run as root` ... */
int container_build(struct arena *a, const struct json *pod, const struct json *container, uint32_t attempt, const struct sandbox_spec *sandbox, const struct image *image, const struct pod_ref *refs, size_t nrefs,
                    const struct build_node *node, struct container_spec *ret, struct err *err) MUST_CHECK;
/* "name=value" of the pod's sysctls, NULL at the end; NULL without any.  E_FORBIDDEN: one that would reach beyond the pod. */
int pod_sysctls(struct arena *a, const struct json *pod, const char *const **ret, struct err *err) MUST_CHECK;
/* "Guaranteed", "Burstable", "BestEffort" */
const char *pod_qos(const struct json *pod);
/* "Always", "IfNotPresent", "Never" with Kubernetes' default by tag. */
const char *container_pull_policy(const struct json *container);
