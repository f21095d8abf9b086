/* cri_config.h - pods and containers in the words of CRI: what RunPodSandbox and CreateContainer are given.
 *
 * Threads: pure functions.  Ownership: appended to the caller's buffer.
 * Not said, since CRI has no word for it: tmpfs mounts (containerd makes /dev/shm itself), termination by another signal than the image's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/container_spec.h"

#define CRI_LABEL_AGENT "io.coxswain.agent" /* whose it is: several agents may share a runtime */
#define CRI_LABEL_POD "io.kubernetes.pod.uid"
#define CRI_LABEL_CONTAINER "io.kubernetes.container.name"
#define CRI_LABEL_ATTEMPT "io.coxswain.attempt"
#define CRI_NOTE_CGROUP "io.coxswain.cgroup" /* annotation of a sandbox: what is left to remove after it */

struct cri_place {
    str agent;            /* value of CRI_LABEL_AGENT */
    const char *cgroup_root;
    uint32_t attempt;     /* of the sandbox */
};
/* A PodSandboxConfig as field `field`. */
void cri_add_sandbox(struct strbuf *b, uint32_t field, const struct sandbox_spec *s, const struct cri_place *p);
/* A ContainerConfig as field `field`. */
void cri_add_container(struct strbuf *b, uint32_t field, const struct container_spec *c, const struct cri_place *p);
