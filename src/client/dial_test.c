/* SPDX-License-Identifier: Apache-2.0 */
#include "client/dial.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"

static struct {
    struct loop *loop;
    struct client_target target;
    int dones, fd;
    struct err err;
    struct loop_timer timer;
} me = {.fd = -1};
static struct err err;

static void on_done(void *owner, int fd, const struct err *e)
{
    T_OK(owner == &me);
    me.dones++;
    me.fd = fd;
    T_OK((fd < 0) == (e != NULL));
    if (e)
        me.err = *e;
    loop_stop(me.loop);
}

static void timer_fire(struct loop_timer *t UNUSED)
{
    loop_stop(me.loop);
}

static struct dial *start(const char *url, nsec_t timeout)
{
    client_target_fini(&me.target);
    T_NO_ERR(client_target_parse(&me.target, url, &err), &err);
    me.dones = 0;
    me.err = ERR_NONE;
    struct dial *d = dial_start(me.loop, &me.target, timeout, on_done, &me);
    T_EQ_INT(me.dones, 0);
    return d;
}

/* The descriptor, or -1 and me.err. */
static int dialled(const char *url, nsec_t timeout)
{
    struct dial *d UNUSED = start(url, timeout);
    loop_run(me.loop);
    T_EQ_INT(me.dones, 1);
    return me.fd;
}

static void setup(void)
{
    me.loop = loop_new("test", &clock_real, &err);
    me.timer.fire = timer_fire;
}
static void teardown(void)
{
    client_target_fini(&me.target);
    loop_free(me.loop);
}

#define LONG (120 * NSEC_PER_SEC)

TEST(addresses_and_names)
{
    setup();
    int listener;
    uint16_t port;
    char url[64];
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &listener, &port, &err), &err);
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        snprintf(url, sizeof url, "http://%s:%u", hosts[i], port);
        int fd = dialled(url, LONG);
        T_OK(fd >= 0);
        T_EQ_INT(send(fd, "x", 1, MSG_NOSIGNAL), 1);
        close(fd);
    }
    close(listener);
    T_EQ_INT(dialled(url, LONG), -1); /* localhost may be two addresses, and both refuse */
    T_EQ_INT(me.err.code, E_UNAVAILABLE);
    T_OK(str_has_prefix(str_of(me.err.msg), S("cannot connect to localhost:")) && str_has_suffix(str_of(me.err.msg), S("is the server running?")));
    teardown();
}

TEST(unix_sockets)
{
    setup();
    char path[96], url[128];
    const char *dir = T_TMPDIR();
    snprintf(path, sizeof path, "%s/s", dir);
    snprintf(url, sizeof url, "unix:%s", path);
    T_EQ_INT(dialled(url, LONG), -1);
    T_EQ_INT(me.err.code, E_UNAVAILABLE);
    int listener;
    T_NO_ERR(net_listen_unix(path, 0600, &listener, &err), &err);
    int fd = dialled(url, LONG);
    T_OK(fd >= 0);
    close(fd);
    close(listener);
    unlink(path);
    rmdir(dir);
    teardown();
}

TEST(names_that_nobody_has)
{
    setup();
    T_EQ_INT(dialled("https://no-such-host.invalid:1", 20 * NSEC_PER_SEC), -1);
    T_OK(me.err.code == E_NOT_FOUND || me.err.code == E_TIMEOUT); /* name servers may be slow to say no */
    T_OK(str_find(str_of(me.err.msg), S("no-such-host.invalid")) > 0);
    teardown();
}

/* A listener whose backlog is full does not answer: as near to a black hole as one machine comes. */
TEST(silence_is_bounded)
{
    setup();
    int listener, full[16];
    uint16_t port;
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &listener, &port, &err), &err);
    T_EQ_INT(listen(listener, 0), 0);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    size_t n = 0;
    for (int fd; n < ARRAY_LEN(full) && (fd = dialled(url, 300 * NSEC_PER_MSEC)) >= 0;)
        full[n++] = fd;
    T_OK(n < ARRAY_LEN(full));
    T_EQ_INT(me.err.code, E_TIMEOUT);
    while (n)
        close(full[--n]);
    close(listener);
    teardown();
}

TEST(cancelled_dials_stay_silent)
{
    setup();
    int listener;
    uint16_t port;
    char url[64];
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &listener, &port, &err), &err);
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    for (int turns = 0; turns < 3; turns++) {
        for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
            snprintf(url, sizeof url, "http://%s:%u", hosts[i], port);
            struct dial *d = start(url, LONG);
            for (int t = 0; t < turns && !me.dones; t++) { /* none: before it began; more: in the middle */
                loop_timer_set(me.loop, &me.timer, 0);
                loop_run(me.loop);
            }
            if (!me.dones) {
                dial_cancel(d);
                loop_timer_set(me.loop, &me.timer, clock_mono(&clock_real) + 20 * NSEC_PER_MSEC);
                loop_run(me.loop);
                T_EQ_INT(me.dones, 0);
            } else {
                close(me.fd);
            }
            loop_timer_stop(me.loop, &me.timer);
        }
    }
    close(listener);
    teardown();
}

TEST_MAIN(addresses_and_names, unix_sockets, names_that_nobody_has, silence_is_bounded, cancelled_dials_stay_silent)
