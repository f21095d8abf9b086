/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/failpoint.h"

#include <errno.h>
#include <signal.h>

#include "base/test.h"

static int place_one(void)
{
    return FAILPOINT_ERRNO("test.one");
}

static int place_two(void)
{
    FAILPOINT("test.two");
    return FAILPOINT_ERRNO("test.two.err");
}

TEST(off_by_default)
{
    T_EQ_INT(place_one(), 0);
    T_EQ_INT(place_two(), 0);
}

TEST(error_is_handed_back)
{
    struct err err = ERR_NONE;
    T_NO_ERR(failpoint_set(S("test.one=error(ENOSPC);test.two.err=error(5)"), &err), &err);
    T_EQ_INT(place_one(), ENOSPC);
    T_EQ_INT(place_two(), 5);
    T_NO_ERR(failpoint_set(S(""), &err), &err);
    T_EQ_INT(place_one(), 0);
}

TEST(skip_and_times_count_hits)
{
    struct err err = ERR_NONE;
    T_NO_ERR(failpoint_set(S("test.one=2+1*error(EIO)"), &err), &err);
    T_EQ_INT(place_one(), 0);
    T_EQ_INT(place_one(), 0);
    T_EQ_INT(place_one(), EIO);
    T_EQ_INT(place_one(), 0);
}

TEST(percent_is_a_share)
{
    struct err err = ERR_NONE;
    T_NO_ERR(failpoint_set(S("test.one=25%error(EIO)"), &err), &err);
    int hits = 0;
    for (int i = 0; i < 1000; i++)
        hits += place_one() != 0;
    T_OK(hits > 150 && hits < 350);
}

TEST(panic_kills)
{
    struct err err = ERR_NONE;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("COX_FAILPOINTS", "test.two=panic", 1);
        if (failpoint_setup(&err) == 0)
            place_two();
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    T_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(bad_specifications_are_refused)
{
    static const char *const bad[] = {"x", "=panic", "x=", "x=explode", "x=sleep(a)", "x=error(EWHAT)", "x=3panic", "x=3*", "x=error(5"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_ERR(failpoint_set(str_of(bad[i]), NULL), E_INVALID_ARG);
}

static void collect(void *arg, const char *name)
{
    strbuf_addf(arg, "%s ", name);
}

TEST(list_names_every_place_once)
{
    STRBUF_AUTO names = STRBUF_HEAP;
    failpoint_list(collect, &names);
    T_OK(str_find(strbuf_str(&names), S("test.one ")) >= 0);
    T_OK(str_find(strbuf_str(&names), S("test.two ")) >= 0);
    T_OK(str_find(strbuf_str(&names), S("test.two.err ")) >= 0);
}

TEST_MAIN(off_by_default, error_is_handed_back, skip_and_times_count_hits, percent_is_a_share, panic_kills,
          bad_specifications_are_refused, list_names_every_place_once)
