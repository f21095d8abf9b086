/* test.h - the unit-test harness: TAP output, a process per test, glob filter.
 *
 *     TEST(queue_pop_returns_oldest) { T_EQ_INT(queue_pop(&q), 1); T_EQ_STR(name, "a"); T_OK(flag); }
 *     TEST_MAIN(queue_pop_returns_oldest, queue_is_bounded)
 * Each test runs in a forked child, so a crash or a leak fails that test alone.  `prog 'glob*'` runs a
 * part, `prog --nofork` helps a debugger.  T_TMPDIR() gives a folder of the test's own. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <fnmatch.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

struct test_case {
    const char *name;
    void (*fn)(void);
};

#define TEST(name) static void test_##name(void)

static int test_failures_ UNUSED;

#define T_FAIL_(...)                                                                               \
    do {                                                                                           \
        printf("# %s:%d: ", __FILE__, __LINE__);                                                   \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        test_failures_++;                                                                          \
    } while (0)
#define T_OK(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond))                                                                               \
            T_FAIL_("not true: %s", #cond);                                                        \
    } while (0)
#define T_EQ_INT(a, b)                                                                             \
    do {                                                                                           \
        long long t_a_ = (long long)(a), t_b_ = (long long)(b);                                    \
        if (t_a_ != t_b_)                                                                          \
            T_FAIL_("%s is %lld, expected %lld", #a, t_a_, t_b_);                                  \
    } while (0)
/* a is a str, b a C string. */
#define T_EQ_STR(a, b)                                                                             \
    do {                                                                                           \
        str t_a_ = (a);                                                                            \
        const char *t_b_ = (b);                                                                    \
        if (!str_is(t_a_, t_b_))                                                                   \
            T_FAIL_("%s is\n#   '" STR_FMT "', expected\n#   '%s'", #a, STR_ARG(t_a_), t_b_);        \
    } while (0)
/* expr returns 0 or -E_CODE and fills err. */
#define T_NO_ERR(expr, err)                                                                        \
    do {                                                                                           \
        int t_r_ = (expr);                                                                         \
        if (t_r_ < 0)                                                                              \
            T_FAIL_("%s failed: %s: %s", #expr, err_code_name(-t_r_), (err)->msg);                 \
    } while (0)
#define T_ERR(expr, want)                                                                          \
    do {                                                                                           \
        int t_r_ = (expr);                                                                         \
        if (t_r_ != -(want))                                                                       \
            T_FAIL_("%s is %d, expected -%s", #expr, t_r_, err_code_name(want));                   \
    } while (0)

static inline int test_run_one_(const struct test_case *t, bool nofork)
{
    fflush(stdout);
    pid_t pid = nofork ? 0 : fork();
    if (pid == 0) {
        test_failures_ = 0;
        t->fn();
        fflush(stdout);
        if (nofork)
            return test_failures_ != 0;
        exit(test_failures_ ? 1 : 0);
    }
    int status;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        printf("# killed by signal %d\n", WTERMSIG(status));
    return status != 0;
}

static inline int test_main_(int argc, char **argv, const struct test_case *tests, size_t n)
{
    bool nofork = argc > 1 && strcmp(argv[1], "--nofork") == 0;
    const char *glob = argc > 1 + nofork ? argv[1 + nofork] : "*";
    size_t number = 0, failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (fnmatch(glob, tests[i].name, 0) != 0)
            continue;
        int bad = test_run_one_(&tests[i], nofork);
        printf("%s %zu - %s\n", bad ? "not ok" : "ok", ++number, tests[i].name);
        failed += bad != 0;
    }
    printf("1..%zu\n", number);
    return failed ? 1 : 0;
}

#define TEST_CASE_(name) {#name, test_##name},
#define TEST_MAIN_EACH_(m, ...) __VA_OPT__(TEST_EXPAND_(TEST_EACH_1_(m, __VA_ARGS__)))
#define TEST_EXPAND_(...) TEST_EXPAND2_(TEST_EXPAND2_(TEST_EXPAND2_(TEST_EXPAND2_(__VA_ARGS__))))
#define TEST_EXPAND2_(...) TEST_EXPAND3_(TEST_EXPAND3_(TEST_EXPAND3_(TEST_EXPAND3_(__VA_ARGS__))))
#define TEST_EXPAND3_(...) TEST_EXPAND4_(TEST_EXPAND4_(TEST_EXPAND4_(TEST_EXPAND4_(__VA_ARGS__))))
#define TEST_EXPAND4_(...) __VA_ARGS__
#define TEST_EACH_1_(m, a, ...) m(a) __VA_OPT__(TEST_EACH_AGAIN_ TEST_PARENS_ (m, __VA_ARGS__))
#define TEST_PARENS_ ()
#define TEST_EACH_AGAIN_() TEST_EACH_1_
#define TEST_MAIN(...)                                                                             \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const struct test_case tests[] = {TEST_MAIN_EACH_(TEST_CASE_, __VA_ARGS__)};        \
        return test_main_(argc, argv, tests, ARRAY_LEN(tests));                                    \
    }

static inline const char *test_tmpdir_(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/cox-test-XXXXXX");
    BUG_ON(!mkdtemp(path));
    return path;
}
/* Left behind only when the test fails; remove with test_rmdir. */
#define T_TMPDIR() test_tmpdir_()
