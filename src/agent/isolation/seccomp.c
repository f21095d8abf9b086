/* seccomp.c - the default filter, and OCI profiles, as classic BPF.
 *
 * A program: load arch, other than ours: ENOSYS; load the number; for each rule "not this number: skip the rule"; arguments are compared in halves of 32 bits, high
 * half first; the rule's action; at the end the default action.  Jumps stay inside a rule, so the 8 bits of a jump are enough. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
const uint32_t seccomp_native_arch = AUDIT_ARCH_X86_64;
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
const uint32_t seccomp_native_arch = AUDIT_ARCH_AARCH64;
#define X32_BIT 0
#else
#error "system calls of this processor are not known"
#endif

/* --- writing programs ------------------------------------------------------------------------------------- */

struct writer {
    struct sock_filter *code; /* SECCOMP_INSTRUCTIONS */
    size_t n;
    bool full;
};

static void put(struct writer *w, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
    if (w->n >= SECCOMP_INSTRUCTIONS)
        w->full = true;
    else
        w->code[w->n++] = (struct sock_filter){.code = code, .jt = jt, .jf = jf, .k = k};
}

static void load(struct writer *w, uint32_t offset)
{
    put(w, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void answer(struct writer *w, uint32_t action)
{
    put(w, BPF_RET | BPF_K, action, 0, 0);
}

static void begin(struct arena *a, struct writer *w)
{
    *w = (struct writer){.code = arena_array(a, SECCOMP_INSTRUCTIONS, struct sock_filter)};
    load(w, offsetof(struct seccomp_data, arch));
    put(w, BPF_JMP | BPF_JEQ | BPF_K, seccomp_native_arch, 1, 0);
    answer(w, SECCOMP_RET_ERRNO | ENOSYS);
    load(w, offsetof(struct seccomp_data, nr));
    if (X32_BIT) {
        put(w, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
        answer(w, SECCOMP_RET_ERRNO | ENOSYS);
    }
}

static void finish(struct writer *w, struct seccomp_program *ret)
{
    *ret = (struct seccomp_program){.code = w->code, .n = (unsigned short)w->n};
}

static void rule_plain(struct writer *w, int nr, uint32_t action)
{
    put(w, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
    answer(w, action);
}

enum arg_op { OP_NE, OP_LT, OP_LE, OP_EQ, OP_GE, OP_GT, OP_MASKED };
struct arg_test {
    unsigned index;
    enum arg_op op;
    uint64_t value, value_two;
};

static uint32_t arg_offset(unsigned index, bool high)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + index * 8 + (high ? 4 : 0)); /* little endian, as both processors are */
}

/* One comparison.  `fail` is where the instruction that jumps when it does not hold ends up: patched later by its distance.  Emits code that falls through when the test holds. */
static void arg_code(struct writer *w, const struct arg_test *t, size_t fails[], size_t *nfails)
{
    uint32_t high = (uint32_t)(t->value >> 32), low = (uint32_t)t->value;
    load(w, arg_offset(t->index, true));
    switch (t->op) {
    case OP_EQ:
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, high, 0, 0xff);
        load(w, arg_offset(t->index, false));
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, low, 0, 0xff);
        break;
    case OP_MASKED: /* (arg & value) == value_two */
        put(w, BPF_ALU | BPF_AND | BPF_K, high, 0, 0);
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(t->value_two >> 32), 0, 0xff);
        load(w, arg_offset(t->index, false));
        put(w, BPF_ALU | BPF_AND | BPF_K, low, 0, 0);
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)t->value_two, 0, 0xff);
        break;
    case OP_NE: /* high differs: holds, skip the low half */
        put(w, BPF_JMP | BPF_JEQ | BPF_K, high, 0, 2);
        load(w, arg_offset(t->index, false));
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, low, 0xff, 0);
        break;
    case OP_GT:
    case OP_GE: /* high greater: holds; not equal then: fails; low decides */
        put(w, BPF_JMP | BPF_JGT | BPF_K, high, 3, 0);
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JEQ | BPF_K, high, 0, 0xff);
        load(w, arg_offset(t->index, false));
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | (t->op == OP_GT ? BPF_JGT : BPF_JGE) | BPF_K, low, 0, 0xff);
        break;
    case OP_LT:
    case OP_LE: /* high greater: fails; less: holds; low decides, the other way round */
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | BPF_JGT | BPF_K, high, 0xff, 0);
        put(w, BPF_JMP | BPF_JEQ | BPF_K, high, 0, 2);
        load(w, arg_offset(t->index, false));
        fails[(*nfails)++] = w->n;
        put(w, BPF_JMP | (t->op == OP_LT ? BPF_JGE : BPF_JGT) | BPF_K, low, 0xff, 0);
        break;
    }
}

static void rule_args(struct writer *w, int nr, const struct arg_test *tests, size_t n, uint32_t action)
{
    size_t fails[16], nfails = 0, skip = w->n;
    put(w, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 0xff);
    for (size_t i = 0; i < n; i++)
        arg_code(w, &tests[i], fails, &nfails);
    answer(w, action);
    size_t end = w->n;
    load(w, offsetof(struct seccomp_data, nr)); /* a failed test has left an argument in the register */
    if (w->full)
        return;
    for (size_t i = 0; i < nfails; i++) {
        struct sock_filter *f = &w->code[fails[i]];
        uint8_t *jump = f->jt == 0xff ? &f->jt : &f->jf;
        *jump = (uint8_t)(end - fails[i] - 1);
    }
    w->code[skip].jf = (uint8_t)(end - skip - 1);
}

/* --- the default ------------------------------------------------------------------------------------------ */

/* Blocked with EPERM unless the container has the capability; -1: always. */
static const struct {
    const char *name;
    int unless;
} blocked[] = {
    {"acct", CAP_SYS_PACCT},           {"add_key", -1},                  {"bpf", CAP_BPF},                   {"clock_adjtime", CAP_SYS_TIME},
    {"clock_settime", CAP_SYS_TIME},   {"create_module", -1},            {"delete_module", CAP_SYS_MODULE},  {"fanotify_init", CAP_SYS_ADMIN},
    {"finit_module", CAP_SYS_MODULE},  {"fsconfig", CAP_SYS_ADMIN},      {"fsmount", CAP_SYS_ADMIN},         {"fsopen", CAP_SYS_ADMIN},
    {"fspick", CAP_SYS_ADMIN},         {"get_kernel_syms", -1},          {"init_module", CAP_SYS_MODULE},    {"io_uring_enter", -1},
    {"io_uring_register", -1},         {"io_uring_setup", -1},           {"ioperm", CAP_SYS_RAWIO},          {"iopl", CAP_SYS_RAWIO},
    {"kcmp", CAP_SYS_PTRACE},          {"kexec_file_load", CAP_SYS_BOOT}, {"kexec_load", CAP_SYS_BOOT},      {"keyctl", -1},
    {"lookup_dcookie", CAP_SYS_ADMIN}, {"mount", CAP_SYS_ADMIN},         {"mount_setattr", CAP_SYS_ADMIN},   {"move_mount", CAP_SYS_ADMIN},
    {"move_pages", CAP_SYS_NICE},      {"nfsservctl", -1},               {"open_by_handle_at", CAP_DAC_READ_SEARCH}, {"open_tree", CAP_SYS_ADMIN},
    {"perf_event_open", CAP_PERFMON},  {"pidfd_getfd", CAP_SYS_PTRACE},  {"pivot_root", CAP_SYS_ADMIN},      {"process_madvise", CAP_SYS_PTRACE},
    {"process_vm_readv", CAP_SYS_PTRACE}, {"process_vm_writev", CAP_SYS_PTRACE}, {"ptrace", CAP_SYS_PTRACE}, {"query_module", -1},
    {"quotactl", CAP_SYS_ADMIN},       {"quotactl_fd", CAP_SYS_ADMIN},   {"reboot", CAP_SYS_BOOT},           {"request_key", -1},
    {"setdomainname", CAP_SYS_ADMIN},  {"sethostname", CAP_SYS_ADMIN},   {"setns", CAP_SYS_ADMIN},           {"settimeofday", CAP_SYS_TIME},
    {"swapoff", CAP_SYS_ADMIN},        {"swapon", CAP_SYS_ADMIN},        {"sysfs", -1},                      {"syslog", CAP_SYSLOG},
    {"umount2", CAP_SYS_ADMIN},        {"unshare", CAP_SYS_ADMIN},       {"uselib", -1},                     {"userfaultfd", CAP_SYS_PTRACE},
    {"ustat", -1},                     {"vhangup", CAP_SYS_TTY_CONFIG},  {"vserver", -1},                    {"get_mempolicy", CAP_SYS_NICE},
    {"mbind", CAP_SYS_NICE},           {"set_mempolicy", CAP_SYS_NICE},  {"migrate_pages", CAP_SYS_NICE},    {"set_mempolicy_home_node", CAP_SYS_NICE},
};
/* Sockets of this family lead from a virtual machine to whoever runs it, past every network of the pod.  The kernel takes 32 bits of the argument, so what is above must not hide it. */
static const struct arg_test vsock = {.index = 0, .op = OP_MASKED, .value = 0xffffffff, .value_two = AF_VSOCK};
#define NEW_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static bool has_cap(uint64_t caps, int cap)
{
    return cap >= 0 && (caps & (1ull << cap));
}

static bool is_blocked(size_t i, uint64_t caps)
{
    /* newer capabilities were split off SYS_ADMIN, which still gives what they give */
    if (has_cap(caps, CAP_SYS_ADMIN) && (blocked[i].unless == CAP_BPF || blocked[i].unless == CAP_PERFMON || blocked[i].unless == CAP_SYSLOG))
        return false;
    return !has_cap(caps, blocked[i].unless);
}

void seccomp_default(struct arena *a, uint64_t caps, struct seccomp_program *ret)
{
    struct writer w;
    begin(a, &w);
    for (size_t i = 0; i < ARRAY_LEN(blocked); i++) {
        int nr = seccomp_number(str_of(blocked[i].name));
        if (nr >= 0 && is_blocked(i, caps))
            rule_plain(&w, nr, SECCOMP_RET_ERRNO | EPERM);
    }
    rule_args(&w, __NR_socket, &vsock, 1, SECCOMP_RET_ERRNO | EPERM);
    if (!has_cap(caps, CAP_SYS_ADMIN)) {
        /* clone3 hides its flags behind a pointer: "not there" makes the C library use clone, whose flags show. */
        rule_plain(&w, __NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
        for (uint64_t bit = 1; bit <= CLONE_NEWNET; bit <<= 1) {
            struct arg_test t = {.index = 0, .op = OP_MASKED, .value = bit, .value_two = bit};
            if (bit & NEW_NAMESPACES)
                rule_args(&w, __NR_clone, &t, 1, SECCOMP_RET_ERRNO | EPERM);
        }
    }
    answer(&w, SECCOMP_RET_ALLOW);
    BUG_ON(w.full);
    finish(&w, ret);
}

static void json_rule(struct arena *a, struct json *list, struct json names, int errno_ret, struct json *args)
{
    struct json rule = json_object();
    json_set(a, &rule, S("names"), names);
    json_set(a, &rule, S("action"), json_string(S("SCMP_ACT_ERRNO")));
    json_set(a, &rule, S("errnoRet"), json_int(a, errno_ret));
    if (args)
        json_set(a, &rule, S("args"), *args);
    json_push(a, list, rule);
}

/* The first argument with these bits alone is this. */
static struct json masked_json(struct arena *a, uint64_t mask, uint64_t value)
{
    struct json args = json_array(), arg = json_object();
    json_set(a, &arg, S("index"), json_int(a, 0));
    json_set(a, &arg, S("value"), json_int(a, (int64_t)mask));
    json_set(a, &arg, S("valueTwo"), json_int(a, (int64_t)value));
    json_set(a, &arg, S("op"), json_string(S("SCMP_CMP_MASKED_EQ")));
    json_push(a, &args, arg);
    return args;
}

struct json seccomp_default_json(struct arena *a, uint64_t caps)
{
    struct json o = json_object(), list = json_array(), names = json_array();
    json_set(a, &o, S("defaultAction"), json_string(S("SCMP_ACT_ALLOW")));
    for (size_t i = 0; i < ARRAY_LEN(blocked); i++) {
        if (is_blocked(i, caps) && seccomp_number(str_of(blocked[i].name)) >= 0)
            json_push(a, &names, json_string(str_of(blocked[i].name)));
    }
    json_rule(a, &list, names, EPERM, NULL);
    struct json family = masked_json(a, vsock.value, vsock.value_two);
    json_rule(a, &list, json_literal(a, "[\"socket\"]"), EPERM, &family);
    if (!has_cap(caps, CAP_SYS_ADMIN)) {
        json_rule(a, &list, json_literal(a, "[\"clone3\"]"), ENOSYS, NULL);
        for (uint64_t bit = 1; bit <= CLONE_NEWNET; bit <<= 1) {
            struct json args = masked_json(a, bit, bit);
            if (bit & NEW_NAMESPACES)
                json_rule(a, &list, json_literal(a, "[\"clone\"]"), EPERM, &args);
        }
    }
    json_set(a, &o, S("syscalls"), list);
    return o;
}

/* --- profiles ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t action;
    bool takes_errno;
} actions[] = {
    {"SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW, false},
    {"SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO, true},
    {"SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD, false},
    {"SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD, false},
    {"SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS, false},
    {"SCMP_ACT_TRAP", SECCOMP_RET_TRAP, false},
    {"SCMP_ACT_LOG", SECCOMP_RET_LOG, false},
    {"SCMP_ACT_TRACE", SECCOMP_RET_TRACE, true},
};

static int read_action(const struct json *o, str action_key, str errno_key, uint32_t *ret, struct err *err)
{
    str name = json_get_str(o, action_key);
    int64_t number = json_get_int(o, errno_key, EPERM);
    for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
        if (!str_is(name, actions[i].name))
            continue;
        if (number < 0 || number > 4095)
            return err_set(err, E_INVALID_ARG, "seccomp profile: %lld is no errno", (long long)number);
        *ret = actions[i].action | (actions[i].takes_errno ? (uint32_t)number : 0);
        return 0;
    }
    return err_set(err, E_INVALID_ARG, "seccomp profile: action \"" STR_FMT "\" is not known", STR_ARG(name));
}

static int read_arg(const struct json *o, struct arg_test *ret, struct err *err)
{
    static const struct {
        const char *name;
        enum arg_op op;
    } ops[] = {{"SCMP_CMP_NE", OP_NE}, {"SCMP_CMP_LT", OP_LT}, {"SCMP_CMP_LE", OP_LE},         {"SCMP_CMP_EQ", OP_EQ},
               {"SCMP_CMP_GE", OP_GE}, {"SCMP_CMP_GT", OP_GT}, {"SCMP_CMP_MASKED_EQ", OP_MASKED}};
    int64_t index = json_get_int(o, S("index"), -1);
    uint64_t value = 0, two = 0;
    if (index < 0 || index > 5 || !str_to_u64(json_str(json_get(o, S("value"))), &value))
        return err_set(err, E_INVALID_ARG, "seccomp profile: an argument needs an index from 0 to 5 and a value");
    str_to_u64(json_str(json_get(o, S("valueTwo"))), &two);
    str op = json_get_str(o, S("op"));
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        if (str_is(op, ops[i].name)) {
            *ret = (struct arg_test){.index = (unsigned)index, .op = ops[i].op, .value = value, .value_two = two};
            return 0;
        }
    }
    return err_set(err, E_INVALID_ARG, "seccomp profile: comparison \"" STR_FMT "\" is not known", STR_ARG(op));
}

/* Two tests of the same argument are alternatives, tests of different ones must all hold: as libseccomp's users have it. */
static bool repeats_index(const struct arg_test *tests, size_t n)
{
    unsigned seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (seen & (1u << tests[i].index))
            return true;
        seen |= 1u << tests[i].index;
    }
    return false;
}

static int add_rule(struct writer *w, const struct json *rule, struct err *err)
{
    uint32_t action;
    int r = read_action(rule, S("action"), S("errnoRet"), &action, err);
    struct arg_test tests[6];
    size_t n = 0;
    const struct json *args = json_get(rule, S("args")), *names = json_get(rule, S("names"));
    for (size_t i = 0; r == 0 && json_is(args, JSON_ARRAY) && i < args->len; i++) {
        if (n == ARRAY_LEN(tests))
            return err_set(err, E_INVALID_ARG, "seccomp profile: a rule has more than 6 arguments");
        r = read_arg(&args->items[i], &tests[n++], err);
    }
    if (r < 0)
        return r;
    bool alternatives = repeats_index(tests, n);
    for (size_t i = 0; json_is(names, JSON_ARRAY) && i < names->len; i++) {
        int nr = seccomp_number(json_str(&names->items[i]));
        if (nr < 0)
            continue;
        if (!n)
            rule_plain(w, nr, action);
        else if (!alternatives)
            rule_args(w, nr, tests, n, action);
        for (size_t t = 0; alternatives && t < n; t++)
            rule_args(w, nr, &tests[t], 1, action);
    }
    return 0;
}

int seccomp_profile(struct arena *a, const struct json *profile, struct seccomp_program *ret, struct err *err)
{
    uint32_t otherwise;
    int r = read_action(profile, S("defaultAction"), S("defaultErrnoRet"), &otherwise, err);
    struct writer w;
    begin(a, &w);
    const struct json *rules = json_get(profile, S("syscalls"));
    for (size_t i = 0; r == 0 && json_is(rules, JSON_ARRAY) && i < rules->len; i++)
        r = add_rule(&w, &rules->items[i], err);
    if (r < 0)
        return r;
    answer(&w, otherwise);
    if (w.full)
        return err_set(err, E_TOO_LARGE, "seccomp profile: it needs more than %d instructions", SECCOMP_INSTRUCTIONS);
    finish(&w, ret);
    return 0;
}

int seccomp_install(const struct seccomp_program *p)
{
    struct sock_fprog prog = {.len = p->n, .filter = p->code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0 ? -errno : 0;
}

uint32_t seccomp_eval(const struct seccomp_program *p, uint32_t arch, int nr, const uint64_t args[6])
{
    struct seccomp_data d = {.nr = nr, .arch = arch};
    for (size_t i = 0; i < 6; i++)
        d.args[i] = args ? args[i] : 0;
    uint32_t acc = 0;
    for (size_t pc = 0; pc < p->n; pc++) {
        const struct sock_filter *f = &p->code[pc];
        switch (f->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&acc, (const char *)&d + f->k, 4);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            acc &= f->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += acc == f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            pc += acc > f->k ? f->jt : f->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += acc >= f->k ? f->jt : f->jf;
            break;
        default:
            return f->k;
        }
    }
    BUG_ON(true);
}
