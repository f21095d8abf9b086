/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/seccomp.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/test.h"

#define DENY(e) (SECCOMP_RET_ERRNO | (e))

static uint32_t eval(const struct seccomp_program *p, int nr, uint64_t arg0)
{
    return seccomp_eval(p, seccomp_native_arch, nr, (const uint64_t[6]){arg0});
}

TEST(default_blocks)
{
    ARENA_AUTO a = ARENA_INIT;
    struct seccomp_program p;
    seccomp_default(&a, 0, &p);
    T_EQ_INT(eval(&p, __NR_read, 0), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_keyctl, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_mount, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_reboot, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_bpf, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_ptrace, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_clone3, 0), DENY(ENOSYS));
    T_EQ_INT(eval(&p, __NR_mbind, 0), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_socket, 2), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_socket, 1), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_socket, 40), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_socket, 0x700000028), DENY(EPERM)); /* the kernel reads 32 bits */
    T_EQ_INT(eval(&p, __NR_clone, CLONE_VM | CLONE_THREAD), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_clone, CLONE_NEWUSER | CLONE_VM), DENY(EPERM));
    T_EQ_INT(eval(&p, __NR_clone, CLONE_NEWNS), DENY(EPERM));
    T_EQ_INT(seccomp_eval(&p, 0x40000003, __NR_read, NULL), DENY(ENOSYS));
    seccomp_default(&a, 1ull << CAP_SYS_ADMIN | 1ull << CAP_SYS_PTRACE, &p);
    T_EQ_INT(eval(&p, __NR_mount, 0), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_bpf, 0), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_ptrace, 0), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_clone, CLONE_NEWNS), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_keyctl, 0), DENY(EPERM));
}

/* The JSON of the default, read as a profile, answers as the program does. */
TEST(default_json_is_the_same)
{
    static const uint64_t caps[] = {0, 1ull << CAP_SYS_ADMIN, 1ull << CAP_SYS_PTRACE | 1ull << CAP_SYS_TIME, ~0ull};
    for (size_t c = 0; c < ARRAY_LEN(caps); c++) {
        ARENA_AUTO a = ARENA_INIT;
        struct seccomp_program p, q;
        struct err err = ERR_NONE;
        struct json j = seccomp_default_json(&a, caps[c]);
        seccomp_default(&a, caps[c], &p);
        T_NO_ERR(seccomp_profile(&a, &j, &q, &err), &err);
        for (int nr = 0; nr < 470; nr++) {
            T_EQ_INT(eval(&p, nr, 0), eval(&q, nr, 0));
            T_EQ_INT(eval(&p, nr, CLONE_NEWNET), eval(&q, nr, CLONE_NEWNET));
            T_EQ_INT(eval(&p, nr, 40), eval(&q, nr, 40));
        }
    }
}

static bool model(unsigned op, uint64_t arg, uint64_t v, uint64_t two)
{
    switch (op) {
    case 0: return arg != v;
    case 1: return arg < v;
    case 2: return arg <= v;
    case 3: return arg == v;
    case 4: return arg >= v;
    case 5: return arg > v;
    default: return (arg & v) == two;
    }
}

TEST(arguments_against_a_model)
{
    static const char *const names[] = {"NE", "LT", "LE", "EQ", "GE", "GT", "MASKED_EQ"};
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 2000; round++) {
        ARENA_AUTO a = ARENA_INIT;
        uint64_t pick[] = {0, 1, 5, 0xffffffffull, 0x100000000ull, 0x100000005ull, 0x500000001ull, rng_u64(&rng)};
        uint64_t v[2], two[2], arg[6] = {0};
        unsigned op[2];
        for (int i = 0; i < 2; i++) {
            op[i] = (unsigned)rng_below(&rng, 7);
            v[i] = pick[rng_below(&rng, ARRAY_LEN(pick))];
            arg[i] = pick[rng_below(&rng, ARRAY_LEN(pick))];
            two[i] = rng_below(&rng, 2) ? v[i] : v[i] & arg[i];
        }
        str text = arena_fmt(&a, "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"write\",\"no_such_call\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":7,\"args\":["
                                 "{\"index\":0,\"value\":%llu,\"valueTwo\":%llu,\"op\":\"SCMP_CMP_%s\"},{\"index\":1,\"value\":%llu,\"valueTwo\":%llu,\"op\":\"SCMP_CMP_%s\"}]},"
                                 "{\"names\":[\"read\"],\"action\":\"SCMP_ACT_KILL_PROCESS\"}]}",
                             (unsigned long long)v[0], (unsigned long long)two[0], names[op[0]], (unsigned long long)v[1], (unsigned long long)two[1], names[op[1]]);
        struct json j;
        struct err err = ERR_NONE;
        struct seccomp_program p;
        T_NO_ERR(json_parse(&a, text, NULL, &j, &err), &err);
        T_NO_ERR(seccomp_profile(&a, &j, &p, &err), &err);
        bool want = model(op[0], arg[0], v[0], two[0]) && model(op[1], arg[1], v[1], two[1]);
        T_EQ_INT(seccomp_eval(&p, seccomp_native_arch, __NR_write, arg), want ? DENY(7) : SECCOMP_RET_ALLOW);
        T_EQ_INT(seccomp_eval(&p, seccomp_native_arch, __NR_read, arg), SECCOMP_RET_KILL_PROCESS);
    }
}

TEST(same_argument_twice_is_either)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json j = json_literal(&a, "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"personality\"],\"action\":\"SCMP_ACT_ALLOW\",\"args\":["
                                     "{\"index\":0,\"value\":0,\"op\":\"SCMP_CMP_EQ\"},{\"index\":0,\"value\":8,\"op\":\"SCMP_CMP_EQ\"}]}]}");
    struct seccomp_program p;
    struct err err = ERR_NONE;
    T_NO_ERR(seccomp_profile(&a, &j, &p, &err), &err);
    T_EQ_INT(eval(&p, __NR_personality, 0), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_personality, 8), SECCOMP_RET_ALLOW);
    T_EQ_INT(eval(&p, __NR_personality, 4), DENY(EPERM));
}

TEST(bad_profiles)
{
    static const char *const bad[] = {
        "{}", "{\"defaultAction\":\"X\"}", "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":99999}",
        "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"read\"]}]}",
        "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ERRNO\",\"args\":[{\"index\":6,\"value\":1,\"op\":\"SCMP_CMP_EQ\"}]}]}",
        "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ERRNO\",\"args\":[{\"index\":0,\"value\":1,\"op\":\"EQ\"}]}]}",
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json j = json_literal(&a, bad[i]);
        struct seccomp_program p;
        struct err err = ERR_NONE;
        T_ERR(seccomp_profile(&a, &j, &p, &err), E_INVALID_ARG);
    }
    ARENA_AUTO a = ARENA_INIT;
    struct json j = json_literal(&a, "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[]}");
    for (int i = 0; i < 3000; i++)
        json_push(&a, json_get(&j, S("syscalls")), json_literal(&a, "{\"names\":[\"read\"],\"action\":\"SCMP_ACT_ERRNO\"}"));
    struct seccomp_program p;
    struct err err = ERR_NONE;
    T_ERR(seccomp_profile(&a, &j, &p, &err), E_TOO_LARGE);
}

/* In a process of its own: sanitizers look at the test's memory with calls that the filter refuses. */
TEST(kernel_takes_it)
{
    ARENA_AUTO a = ARENA_INIT;
    struct seccomp_program p;
    seccomp_default(&a, 0, &p);
    pid_t pid = fork();
    if (pid == 0) {
        bool set = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && seccomp_install(&p) == 0;
        bool refused = syscall(SYS_keyctl, 0, 0, 0, 0, 0) == -1 && errno == EPERM;
        _exit(set && refused && getppid() > 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    T_EQ_INT(status, 0);
}

TEST_MAIN(default_blocks, default_json_is_the_same, arguments_against_a_model, same_argument_twice_is_either, bad_profiles, kernel_takes_it)
