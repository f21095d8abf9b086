/* Netlink messages and sockets.  A request is one datagram with one message, the answer comes at once on the same socket: the kernel works
 * inside sendto(), so a call is a send and a receive without waiting. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/nl.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

void nl_put_raw(struct nl_msg *m, const void *data, size_t len)
{
    size_t padded = NLMSG_ALIGN(len);
    if (m->too_long || padded > sizeof m->bytes - m->len) {
        m->too_long = true;
        return;
    }
    if (len)
        memcpy(m->bytes + m->len, data, len);
    memset(m->bytes + m->len + len, 0, padded - len);
    m->len += padded;
}

void nl_begin(struct nl_msg *m, uint16_t type, uint16_t flags, const void *header, size_t header_len)
{
    m->len = 0;
    m->too_long = false;
    struct nlmsghdr h = {.nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)};
    nl_put_raw(m, &h, sizeof h);
    nl_put_raw(m, header, header_len);
}

void nl_put(struct nl_msg *m, uint16_t type, const void *data, size_t len)
{
    struct nlattr a = {.nla_len = (uint16_t)(sizeof a + len), .nla_type = type};
    if (len > NL_MSG_BYTES) {
        m->too_long = true;
        return;
    }
    nl_put_raw(m, &a, sizeof a);
    nl_put_raw(m, data, len);
}

void nl_put_str(struct nl_msg *m, uint16_t type, const char *s)
{
    nl_put(m, type, s, strlen(s) + 1);
}

void nl_put_u8(struct nl_msg *m, uint16_t type, uint8_t v)
{
    nl_put(m, type, &v, sizeof v);
}

void nl_put_u16_be(struct nl_msg *m, uint16_t type, uint16_t v)
{
    uint8_t be[2] = {(uint8_t)(v >> 8), (uint8_t)v};
    nl_put(m, type, be, sizeof be);
}

void nl_put_u32(struct nl_msg *m, uint16_t type, uint32_t v)
{
    nl_put(m, type, &v, sizeof v);
}

size_t nl_nest(struct nl_msg *m, uint16_t type)
{
    size_t at = m->len;
    nl_put(m, type | NLA_F_NESTED, NULL, 0);
    return at;
}

void nl_nest_end(struct nl_msg *m, size_t nest)
{
    if (m->too_long)
        return;
    uint16_t len = (uint16_t)(m->len - nest);
    memcpy(m->bytes + nest + offsetof(struct nlattr, nla_len), &len, sizeof len);
}

/* --- sockets ------------------------------------------------------------------------------------------------------------------- */
int nl_open(struct nl_sock *s, int protocol)
{
    s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (s->fd < 0)
        return -errno;
    s->seq = 0;
    /* a dump over many links must not end in ENOBUFS; strict checking lets the kernel filter for us */
    int bytes = 1 << 20, on = 1;
    (void)setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    (void)setsockopt(s->fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof on);
    struct sockaddr_nl self = {.nl_family = AF_NETLINK};
    if (bind(s->fd, (struct sockaddr *)&self, sizeof self) == 0)
        return 0;
    int r = -errno;
    nl_close(s);
    return r;
}

void nl_close(struct nl_sock *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static int send_msg(struct nl_sock *s, struct nl_msg *m, uint16_t more_flags)
{
    if (m->too_long)
        return -EMSGSIZE;
    struct nlmsghdr *h = (struct nlmsghdr *)(void *)m->bytes;
    h->nlmsg_len = (uint32_t)m->len;
    h->nlmsg_flags |= more_flags;
    h->nlmsg_seq = ++s->seq;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t n;
    do
        n = sendto(s->fd, m->bytes, m->len, 0, (struct sockaddr *)&kernel, sizeof kernel);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : 0;
}

/* One datagram of the kernel; others cannot write to us, but a process may try: those are passed over. */
static ssize_t receive_with(struct nl_sock *s, void *buf, size_t room, int flags)
{
    for (;;) {
        struct sockaddr_nl from = {0};
        struct iovec iov = {.iov_base = buf, .iov_len = room};
        struct msghdr h = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &iov, .msg_iovlen = 1};
        ssize_t n = recvmsg(s->fd, &h, flags);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (from.nl_pid != 0)
            continue;
        return h.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
    }
}

static ssize_t receive(struct nl_sock *s, void *buf, size_t room)
{
    return receive_with(s, buf, room, 0);
}

int nl_ask(struct nl_sock *s, struct nl_msg *m, void (*fn)(void *arg, const void *payload, size_t len), void *arg)
{
    int r = send_msg(s, m, NLM_F_ACK);
    if (r < 0)
        return r;
    _Alignas(NLMSG_ALIGNTO) unsigned char buf[8192]; /* a link without its statistics is 1 to 2 KiB */
    for (;;) {
        ssize_t n = receive(s, buf, sizeof buf);
        if (n < 0)
            return (int)n;
        struct nl_view v;
        size_t at = 0;
        while (nl_next(buf, (size_t)n, &at, &v) == NL_NEXT_MSG) {
            if (v.seq == s->seq && v.type == NLMSG_ERROR)
                return -nl_error_of(&v);
            if (v.seq == s->seq && fn && v.type >= NLMSG_MIN_TYPE)
                fn(arg, v.payload, v.len);
        }
    }
}

int nl_call(struct nl_sock *s, struct nl_msg *m)
{
    return nl_ask(s, m, NULL, NULL);
}

int nl_join(struct nl_sock *s, unsigned group)
{
    return setsockopt(s->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0 ? -errno : 0;
}

uint32_t nl_port(const struct nl_sock *s)
{
    struct sockaddr_nl self = {0};
    socklen_t len = sizeof self;
    return s->fd >= 0 && getsockname(s->fd, (struct sockaddr *)&self, &len) == 0 ? self.nl_pid : 0;
}

int nl_heard(struct nl_sock *s, void (*fn)(void *arg, const struct nl_view *v), void *arg)
{
    unsigned char *buf CLEANUP(free) = xmalloc(NL_READ_BYTES);
    bool lost = false;
    for (;;) {
        ssize_t n = receive_with(s, buf, NL_READ_BYTES, MSG_DONTWAIT);
        struct nl_view v;
        size_t at = 0;
        if (n == -EAGAIN)
            return lost ? -ENOBUFS : 0;
        if (n < 0 && n != -ENOBUFS && n != -EMSGSIZE)
            return (int)n;
        lost |= n < 0;
        while (n > 0 && nl_next(buf, (size_t)n, &at, &v) == NL_NEXT_MSG)
            fn(arg, &v);
    }
}

struct dump_run {
    const struct nl_dump *d;
    int answer;
    bool done, interrupted;
};

static int dump_datagram(struct dump_run *run, uint32_t seq, const void *buf, size_t len)
{
    struct nl_view v;
    size_t at = 0;
    enum nl_next_result next;
    while ((next = nl_next(buf, len, &at, &v)) == NL_NEXT_MSG) {
        if (v.seq != seq)
            continue;
        run->interrupted |= (v.flags & NLM_F_DUMP_INTR) != 0;
        if (v.type == NLMSG_DONE || v.type == NLMSG_ERROR) {
            run->done = true;
            return -nl_error_of(&v);
        }
        if (run->answer == 0)
            run->answer = run->d->fn(run->d->arg, v.type, v.payload, v.len);
    }
    return next == NL_NEXT_BAD ? -EBADMSG : 0;
}

int nl_dump(struct nl_sock *s, struct nl_msg *m, const struct nl_dump *d)
{
    unsigned char *buf CLEANUP(free) = xmalloc(NL_READ_BYTES);
    for (int attempt = 0; attempt < NL_DUMP_TRIES; attempt++) {
        if (attempt && d->restart)
            d->restart(d->arg);
        struct dump_run run = {.d = d};
        int r = send_msg(s, m, NLM_F_DUMP);
        while (r == 0 && !run.done) {
            ssize_t n = receive(s, buf, NL_READ_BYTES);
            r = n < 0 ? (int)n : dump_datagram(&run, s->seq, buf, (size_t)n);
        }
        if (r < 0)
            return r;
        if (!run.interrupted || run.answer)
            return run.answer;
    }
    return -EAGAIN;
}
