/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/failpoint.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define FAILPOINTS_MAX 32
#define NAME_MAX_BYTES 64

enum action { ACT_PANIC, ACT_SLEEP, ACT_ERROR };

struct rule {
    char name[NAME_MAX_BYTES];
    enum action action;
    uint64_t arg;     /* milliseconds or errno */
    uint64_t skip;    /* hits still to let pass */
    uint64_t times;   /* times still to act, UINT64_MAX: always */
    uint64_t percent; /* 100: always */
};

static const struct {
    str name;
    int number;
} errno_names[] = {
    {STR_INIT("ENOSPC"), ENOSPC}, {STR_INIT("EIO"), EIO},       {STR_INIT("EDQUOT"), EDQUOT}, {STR_INIT("EACCES"), EACCES},
    {STR_INIT("EROFS"), EROFS},   {STR_INIT("ENOMEM"), ENOMEM}, {STR_INIT("EINTR"), EINTR},   {STR_INIT("EMFILE"), EMFILE},
};

_Atomic bool failpoint_on_;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rules and chance; taken only while something is on */
static struct rule rules[FAILPOINTS_MAX];
static size_t nrules;
static struct rng chance;

static bool parse_arg(str s, str verb, str *ret_arg)
{
    if (!str_has_prefix(s, verb) || !str_has_suffix(s, S(")")))
        return false;
    *ret_arg = str_sub(s, verb.len, s.len - 1);
    return true;
}

static bool parse_errno(str s, uint64_t *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(errno_names); i++) {
        if (str_eq(errno_names[i].name, s)) {
            *ret = (uint64_t)errno_names[i].number;
            return true;
        }
    }
    return str_to_u64(s, ret) && *ret > 0 && *ret < 4096;
}

static bool parse_action(str s, struct rule *r)
{
    str arg;
    if (str_is(s, "panic")) {
        r->action = ACT_PANIC;
        return true;
    }
    if (parse_arg(s, S("sleep("), &arg)) {
        r->action = ACT_SLEEP;
        return str_to_u64(arg, &r->arg);
    }
    r->action = ACT_ERROR;
    return parse_arg(s, S("error("), &arg) && parse_errno(arg, &r->arg);
}

/* "3+1*50%panic": the numbers before the action, each with its sign, in any order. */
static bool parse_rule(str s, struct rule *r)
{
    *r = (struct rule){.times = UINT64_MAX, .percent = 100};
    str name;
    if (!str_cut(&s, '=', &name) || name.len == 0 || name.len >= NAME_MAX_BYTES)
        return false;
    memcpy(r->name, name.p, name.len);
    while (s.len && s.p[0] >= '0' && s.p[0] <= '9') {
        size_t digits = 0;
        while (digits < s.len && s.p[digits] >= '0' && s.p[digits] <= '9')
            digits++;
        uint64_t n;
        if (digits == s.len || !str_to_u64(str_sub(s, 0, digits), &n))
            return false;
        char sign = s.p[digits];
        if (sign == '+')
            r->skip = n;
        else if (sign == '*')
            r->times = n;
        else if (sign == '%')
            r->percent = n;
        else
            return false;
        s = str_from(s, digits + 1);
    }
    return parse_action(s, r);
}

int failpoint_set(str spec, struct err *err)
{
    struct rule parsed[FAILPOINTS_MAX];
    size_t n = 0;
    while (spec.len) {
        str one;
        str_cut(&spec, ';', &one);
        one = str_trim(one);
        if (one.len == 0)
            continue;
        if (n == FAILPOINTS_MAX)
            return err_set(err, E_INVALID_ARG, "more than %d failpoints", FAILPOINTS_MAX);
        if (!parse_rule(one, &parsed[n++]))
            return err_set(err, E_INVALID_ARG, "failpoint \"" STR_FMT "\" is not name=[N+][N*][N%%]panic|sleep(ms)|error(ERRNO)",
                           STR_ARG(one));
    }
    pthread_mutex_lock(&lock);
    memcpy(rules, parsed, n * sizeof rules[0]);
    nrules = n;
    rng_seed(&chance, 1);
    pthread_mutex_unlock(&lock);
    atomic_store(&failpoint_on_, n > 0);
    return 0;
}

int failpoint_setup(struct err *err)
{
    return failpoint_set(str_of(getenv("COX_FAILPOINTS")), err);
}

/* Copies the rule when it acts on this hit. */
static bool rule_take(const char *name, struct rule *ret)
{
    bool acts = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nrules && !acts; i++) {
        struct rule *r = &rules[i];
        if (strcmp(r->name, name) != 0)
            continue;
        if (r->skip > 0) {
            r->skip--;
        } else if (r->times > 0 && rng_below(&chance, 100) < r->percent) {
            if (r->times != UINT64_MAX)
                r->times--;
            *ret = *r;
            acts = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return acts;
}

int failpoint_hit_(const char *name)
{
    struct rule r;
    if (!rule_take(name, &r))
        return 0;
    switch (r.action) {
    case ACT_PANIC:
        kill(getpid(), SIGKILL);
        pause();
        return 0;
    case ACT_SLEEP:
        nanosleep(&(struct timespec){.tv_sec = (time_t)(r.arg / 1000), .tv_nsec = (long)(r.arg % 1000) * 1000000}, NULL);
        return 0;
    case ACT_ERROR:
        return (int)r.arg;
    }
    return 0;
}

/* Weak: a program without places has no such section. */
extern const char *const __start_failpoints[] __attribute__((weak));
extern const char *const __stop_failpoints[] __attribute__((weak));

void failpoint_list(void (*each)(void *arg, const char *name), void *arg)
{
    for (const char *const *p = __start_failpoints; p < __stop_failpoints; p++) {
        bool seen = false; /* one place can be compiled into several functions */
        for (const char *const *q = __start_failpoints; q < p && !seen; q++)
            seen = strcmp(*q, *p) == 0;
        if (!seen)
            each(arg, *p);
    }
}
