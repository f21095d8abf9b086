/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/net.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/test.h"
#include "rt/file.h"

static struct err err;

TEST(addresses_are_parsed)
{
    static const struct {
        const char *text;
        uint16_t otherwise;
        const char *host; /* NULL: refused */
        int port;
    } cases[] = {
        {"127.0.0.1:6443", 0, "127.0.0.1", 6443},
        {":0", 0, "", 0},
        {"[::1]:80", 0, "::1", 80},
        {"[::1]", 443, "::1", 443},
        {"::1", 443, "::1", 443},
        {"localhost", 443, "localhost", 443},
        {"localhost:1", 443, "localhost", 1},
        {"localhost", 0, NULL, 0},
        {"localhost:", 0, NULL, 0},
        {"localhost:65536", 0, NULL, 0},
        {"localhost:+1", 0, NULL, 0},
        {"::1", 0, NULL, 0},
        {"[::1", 0, NULL, 0},
        {"[::1]x", 5, NULL, 0},
        {"", 0, NULL, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct net_addr a = {.port = 1};
        int r = net_addr_parse(str_of(cases[i].text), cases[i].otherwise, &a, &err);
        if (!cases[i].host) {
            T_EQ_INT(r, -E_INVALID_ARG);
            continue;
        }
        T_NO_ERR(r, &err);
        T_EQ_STR(str_of(a.host), cases[i].host);
        T_EQ_INT(a.port, cases[i].port);
    }
    char big[400];
    memset(big, 'a', sizeof big);
    struct net_addr a;
    T_ERR(net_addr_parse(str_n(big, sizeof big), 1, &a, &err), E_INVALID_ARG);
}

static void talk(const char *listen_on, const char *connect_to)
{
    FD_AUTO listener = -1, client = -1, server = -1;
    uint16_t port = 0;
    T_NO_ERR(net_listen_tcp(listen_on, &listener, &port, &err), &err);
    T_OK(port != 0);
    T_EQ_INT(net_accept(listener), -EAGAIN);
    struct net_addr a;
    T_NO_ERR(net_addr_parse(str_of(connect_to), port, &a, &err), &err);
    T_NO_ERR(net_connect_tcp(&a, NSEC_PER_SEC, &client, &err), &err);
    T_OK(net_wait(listener, POLLIN, NSEC_PER_SEC));
    server = net_accept(listener);
    T_OK(server >= 0);
    char ours[NET_ADDR_TEXT], theirs[NET_ADDR_TEXT];
    net_peer_text(server, theirs);
    net_local_text(client, ours);
    T_EQ_STR(str_of(theirs), ours);
    T_OK(!net_wait(server, POLLIN, 2 * NSEC_PER_MSEC));
}

TEST(tcp_listens_and_connects)
{
    talk("127.0.0.1:0", "127.0.0.1");
    talk("localhost:0", "localhost");
    talk(":0", "127.0.0.1"); /* a mapped address is written as IPv4 */
}

TEST(connect_failures_are_sentences)
{
    int fd;
    uint16_t port;
    struct net_addr a;
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &fd, &port, &err), &err);
    char addr[32], want[96];
    snprintf(addr, sizeof addr, "127.0.0.1:%u", port);
    int second;
    T_ERR(net_listen_tcp(addr, &second, NULL, &err), E_IO);
    snprintf(want, sizeof want, "cannot listen on %s: Address already in use", addr);
    T_EQ_STR(str_of(err.msg), want);
    close(fd);
    T_NO_ERR(net_addr_parse(str_of(addr), 0, &a, &err), &err);
    T_ERR(net_connect_tcp(&a, NSEC_PER_SEC, &fd, &err), E_UNAVAILABLE);
    snprintf(want, sizeof want, "cannot connect to %s: Connection refused", addr);
    T_EQ_STR(str_of(err.msg), want);
    T_EQ_INT(err.code, E_UNAVAILABLE);
    T_NO_ERR(net_addr_parse(S("no such host:1"), 0, &a, &err), &err);
    T_OK(net_connect_tcp(&a, NSEC_PER_SEC, &fd, &err) < 0);
    T_OK(str_has_prefix(str_of(err.msg), S("cannot find the address of \"no such host\": ")));
}

TEST(unix_sockets_have_their_mode_and_replace_stale_ones)
{
    char path[128], plain[128], longer[256];
    const char *dir = T_TMPDIR();
    snprintf(path, sizeof path, "%s/s", dir);
    snprintf(plain, sizeof plain, "%s/f", dir);
    umask(022);
    int fd, client, other;
    T_NO_ERR(net_listen_unix(path, 0660, &fd, &err), &err);
    struct stat st;
    T_EQ_INT(stat(path, &st), 0);
    T_EQ_INT(st.st_mode & 07777, 0660);
    T_NO_ERR(net_connect_unix(path, &client, &err), &err);
    char text[NET_ADDR_TEXT];
    net_peer_text(client, text);
    T_EQ_STR(str_of(text), "unix");
    T_ERR(net_listen_unix(path, 0600, &other, &err), E_EXISTS);
    close(client);
    close(fd);
    T_ERR(net_connect_unix(path, &client, &err), E_UNAVAILABLE);
    T_NO_ERR(net_listen_unix(path, 0600, &fd, &err), &err); /* stale now */
    T_EQ_INT(stat(path, &st), 0);
    T_EQ_INT(st.st_mode & 07777, 0600);
    close(fd);
    T_NO_ERR(file_write_atomic(plain, S("data"), 0600, &err), &err);
    T_ERR(net_listen_unix(plain, 0600, &fd, &err), E_EXISTS); /* never removes what is no socket */
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    T_ERR(net_listen_unix(longer, 0600, &fd, &err), E_INVALID_ARG);
    unlink(path), unlink(plain), rmdir(dir);
}

TEST(descriptor_limit_is_raised_as_far_as_allowed)
{
    size_t now = net_fd_limit_raise(1);
    T_OK(now >= 1);
    T_OK(net_fd_limit_raise(now + 1) >= now);
}

TEST_MAIN(addresses_are_parsed, tcp_listens_and_connects, connect_failures_are_sentences, unix_sockets_have_their_mode_and_replace_stale_ones,
          descriptor_limit_is_raised_as_far_as_allowed)
