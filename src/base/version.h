/* version.h - what this program is: its version, and the Kubernetes version whose API it serves. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define COX_KUBE_MAJOR 1
#define COX_KUBE_MINOR 33

#if defined(__clang__)
#define COX_COMPILER "clang"
#else
#define COX_COMPILER "gcc"
#endif

#if defined(__x86_64__)
#define COX_ARCH "amd64"
#elif defined(__aarch64__)
#define COX_ARCH "arm64"
#else
#define COX_ARCH "unknown"
#endif

const char *cox_version(void);    /* "v0.1.0-12-gabcdef" */
const char *cox_build_time(void); /* time of the commit, RFC 3339 */
