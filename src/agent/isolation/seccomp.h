/* seccomp.h - filters of system calls: the runtime's default, and profiles in the JSON form of OCI.
 *
 *   seccomp_default / seccomp_profile ─► struct seccomp_program (classic BPF) ─► seccomp_install in the child
 *   seccomp_default_json ─► the same default for an OCI runtime
 *
 * Programs are made without libseccomp: a filter is a list of comparisons, the names are a table, and the shim stays small.  Only this machine's own instruction
 * set is let through; 32-bit calls on a 64-bit kernel get ENOSYS.
 * Threads: any.  Ownership: a program's instructions are on the arena.
 * Limits: SECCOMP_INSTRUCTIONS; larger profiles are an error. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <linux/filter.h>

#include "base/arena.h"
#include "base/err.h"
#include "wire/json.h"

#define SECCOMP_INSTRUCTIONS 4096 /* the kernel's */
#define SECCOMP_PROFILE_BYTES (1u << 20)

struct seccomp_program {
    struct sock_filter *code;
    unsigned short n;
};

/* What containers may not do unless they hold the capability for it (caps: bits CAP_x). */
void seccomp_default(struct arena *a, uint64_t caps, struct seccomp_program *ret);
/* The same as the "seccomp" object of an OCI configuration. */
struct json seccomp_default_json(struct arena *a, uint64_t caps);
/* A profile: {"defaultAction", "defaultErrnoRet", "syscalls": [{"names", "action", "errnoRet", "args"}]}.  Names that this kernel does not have are left out, as OCI says. */
int seccomp_profile(struct arena *a, const struct json *profile, struct seccomp_program *ret, struct err *err) MUST_CHECK;
/* For the calling process; needs no_new_privs or CAP_SYS_ADMIN.  0 or -errno. */
int seccomp_install(const struct seccomp_program *p);
/* -1: unknown. */
int seccomp_number(str name);
/* Runs a program on paper: what it answers for a call.  For tests. */
uint32_t seccomp_eval(const struct seccomp_program *p, uint32_t arch, int nr, const uint64_t args[6]);
extern const uint32_t seccomp_native_arch;
