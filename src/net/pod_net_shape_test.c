/* Shares of the network on a real kernel, with real traffic between pods.  Each test is a process in namespaces of its own.
 * A slow machine makes traffic slower, never faster: tests say that a limit was not passed, and read the shares themselves from the kernel
 * (how near to the limit it comes is the business of bench/bench_bandwidth.py). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"
#include "net/netns.h"
#include "net/nl_tc.h"
#include "net/pod_net_internal.h"
#include "rt/failpoint.h"
#include "rt/file.h"

#define DIR_ "/tmp/net"
#define PATIENCE_MS 120000
#define MBIT 1000000ll

static struct err err;
static bool mended;

/* False: this machine does not allow it, and the reason is printed. */
static bool fresh_machine(void)
{
    if (geteuid() != 0 || unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0 ||
        mkdir(DIR_, 0700) < 0) {
        printf("# skipped: namespaces need root (%s)\n", strerror(errno));
        return false;
    }
    struct nl_sock s;
    struct nl_link lo;
    struct shape_tree t = {.pods = {0x0a2a0300, 24}};
    bool is_new;
    if (nl_open(&s, NETLINK_ROUTE) < 0 || nl_link_find(&s, "lo", &lo) < 0 || nl_link_set_up(&s, lo.index) < 0 || shape_open(&s, "probe", "probe", &t, &is_new) < 0) {
        printf("# skipped: this kernel cannot shape\n");
        return false;
    }
    T_EQ_INT(shape_remove(&s, "probe"), 0);
    nl_close(&s);
    return true;
}

static struct clock_fake fake;

static struct pod_net *must_open(void)
{
    struct pod_net *n = NULL;
    struct pod_net_opts o = {.clock = fake.clock.mono_ns ? &fake.clock : NULL, .pod_cidr = "10.42.3.0/24", .cluster_cidr = "10.42.0.0/16", .mode = "none", .state_dir = DIR_ "/state"};
    T_NO_ERR(pod_net_open(&o, &n, &err), &err);
    if (!n)
        exit(1);
    return n;
}

static const char *ns_path(const char *name)
{
    static char paths[8][64];
    static int at;
    char *p = paths[at++ % 8];
    snprintf(p, sizeof paths[0], DIR_ "/ns-%s", name);
    return p;
}

static void attach(struct pod_net *n, const char *uid, char ip[IPAM_TEXT])
{
    if (!netns_exists(ns_path(uid)))
        T_NO_ERR(netns_create(ns_path(uid), &err), &err);
    T_NO_ERR(pod_net_attach(n, &(struct pod_net_attach){.uid = str_of(uid), .netns_path = ns_path(uid)}, ip, &err), &err);
}

#define SHAPE(n, uid, ...) T_NO_ERR(pod_net_shape(n, S(uid), &(struct shape_share){__VA_ARGS__}, &err), &err)

/* --- what the kernel has ------------------------------------------------------------------------------------------------------- */
/* Two of the device, and three of each pod with a limit. */
static int classes(const char *device)
{
    struct nl_sock s;
    struct nl_link l;
    struct nl_tc_classes all = {0};
    int n = -1;
    if (nl_open(&s, NETLINK_ROUTE) == 0 && nl_link_find(&s, device, &l) == 0 && nl_tc_class_list(&s, l.index, &all) == 0)
        n = (int)all.len;
    free(all.p);
    nl_close(&s);
    return n;
}

/* The line of tc's answer with this word, "" when there is none. */
static const char *tc_line(const char *what, const char *device, const char *word)
{
    static char line[512];
    STRBUF_AUTO out = STRBUF_HEAP;
    const char *const argv[] = {"tc", what, "show", "dev", device, NULL};
    line[0] = 0;
    if (pod_net_command(argv, S(""), &out, &err) < 0)
        return line;
    str rest = strbuf_str(&out), one;
    while (rest.len) {
        str_cut(&rest, '\n', &one);
        char text[512];
        snprintf(text, sizeof text, STR_FMT, STR_ARG(one));
        if (strstr(text, word)) {
            snprintf(line, sizeof line, "%s", text);
            break;
        }
    }
    return line;
}

static bool is_led(const char *uid)
{
    char name[IFNAMSIZ];
    pod_net_link_name(str_of(uid), name);
    return tc_line("qdisc", name, "clsact")[0] != 0;
}

/* --- traffic ------------------------------------------------------------------------------------------------------------------- */
struct sock_job {
    const char *ip;
    bool listen;
    int fd;
    uint16_t tag;
};

static int make_socket(void *arg)
{
    struct sock_job *j = arg;
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(5001)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(5001), .sin6_scope_id = if_nametoindex("eth0")};
    bool is_v6 = inet_pton(AF_INET, j->ip, &v4.sin_addr) != 1 && inet_pton(AF_INET6, j->ip, &v6.sin6_addr) == 1;
    const struct sockaddr *a = is_v6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
    socklen_t len = is_v6 ? sizeof v6 : sizeof v4;
    j->fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    (void)setsockopt(j->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    (void)setsockopt(j->fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = PATIENCE_MS / 1000}, sizeof(struct timeval));
    int r = j->listen ? bind(j->fd, a, len) : connect(j->fd, a, len);
    for (int i = 0; r < 0 && is_v6 && (errno == EADDRNOTAVAIL || errno == EHOSTUNREACH || errno == ETIMEDOUT) && i < PATIENCE_MS / 100; i++) {
        poll(NULL, 0, 100); /* a new link makes sure for a second that its address is nobody else's */
        r = connect(j->fd, a, len);
    }
    return r < 0 || (j->listen && listen(j->fd, 1) < 0) ? -errno : 0;
}

static int socket_in(const char *ns, const char *ip, bool is_listener)
{
    struct sock_job j = {.ip = ip, .listen = is_listener};
    FD_AUTO fd = open(ns ? ns_path(ns) : "/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    T_EQ_INT(netns_run(fd, make_socket, &j), 0);
    return j.fd;
}

/* Milliseconds until all bytes have come over, from one pod to another; NULL: the node. */
static int64_t transfer_ms(const char *from, const char *to, const char *to_ip, size_t bytes)
{
    FD_AUTO l = socket_in(to, strchr(to_ip, ':') ? "::" : "0.0.0.0", true);
    FD_AUTO c = socket_in(from, to_ip, false);
    FD_AUTO s = accept(l, NULL, NULL);
    static char buf[64 << 10];
    nsec_t start = clock_mono(&clock_real);
    size_t sent = 0, got = 0;
    while (got < bytes) {
        struct pollfd p[] = {{.fd = s, .events = POLLIN}, {.fd = sent < bytes ? c : -1, .events = POLLOUT}};
        if (poll(p, 2, PATIENCE_MS) <= 0)
            return -1;
        if (p[1].revents) {
            ssize_t w = send(c, buf, MIN(bytes - sent, sizeof buf), MSG_DONTWAIT);
            sent += w > 0 ? (size_t)w : 0;
        }
        ssize_t r = p[0].revents ? read(s, buf, sizeof buf) : 0;
        if (r < 0)
            return -1;
        got += (size_t)r;
    }
    return (clock_mono(&clock_real) - start) / 1000000;
}

#define BYTES (2u << 20)
/* Less the burst that a class has when it begins. */
static int64_t least_ms(int64_t bits)
{
    return (int64_t)(BYTES - (128u << 10)) * 8 * 1000 / bits;
}

TEST(limits_hold_in_both_directions)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {16 * MBIT, 24 * MBIT});
    SHAPE(n, "pod-b", .limit = {0});
    T_OK(is_led("pod-a"));
    T_OK(!is_led("pod-b"));
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(16 * MBIT));
    T_OK(transfer_ms("pod-b", "pod-a", a, BYTES) >= least_ms(24 * MBIT));
    /* changed in place */
    SHAPE(n, "pod-a", .limit = {8 * MBIT, 0});
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(8 * MBIT));
    T_OK(strstr(tc_line("class", "cox0-in", "1:21"), "ceil 100Gbit") != NULL);
    SHAPE(n, "pod-a", .limit = {0});
    T_OK(!is_led("pod-a"));
    T_EQ_INT(classes("cox0-out"), -1); /* nobody needs the devices */
    pod_net_close(n);
}

/* The address that a pod's link gives itself. */
static void link_local(const char *ip, char ret[INET6_ADDRSTRLEN])
{
    unsigned char p[4];
    inet_pton(AF_INET, ip, p);
    snprintf(ret, INET6_ADDRSTRLEN, "fe80::870:%xff:fe%02x:%02x%02x", p[0], p[1], p[2], p[3]);
}

TEST(ipv6_has_the_same_limit)
{
    if (!fresh_machine())
        return;
    if (access("/proc/sys/net/ipv6", F_OK) < 0) {
        printf("# skipped: this kernel has no IPv6\n");
        return;
    }
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], a6[INET6_ADDRSTRLEN], b6[INET6_ADDRSTRLEN];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    link_local(a, a6);
    link_local(b, b6);
    SHAPE(n, "pod-a", .limit = {16 * MBIT, 24 * MBIT});
    SHAPE(n, "pod-b", .limit = {0});
    T_OK(transfer_ms("pod-a", "pod-b", b6, BYTES) >= least_ms(16 * MBIT));
    T_OK(transfer_ms("pod-b", "pod-a", a6, BYTES) >= least_ms(24 * MBIT));
    SHAPE(n, "pod-a", .limit = {8 * MBIT, 0});
    T_OK(transfer_ms("pod-a", "pod-b", b6, BYTES) >= least_ms(8 * MBIT));
    pod_net_close(n);
    /* another process finds what is there, and its classes can go */
    n = must_open();
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {12 * MBIT, 0});
    SHAPE(n, "pod-b", .limit = {16 * MBIT, 0});
    T_OK(transfer_ms("pod-a", "pod-b", b6, BYTES) >= least_ms(12 * MBIT));
    T_EQ_INT(classes("cox0-out"), 8);
    SHAPE(n, "pod-a", .limit = {0});
    T_EQ_INT(classes("cox0-out"), 5);
    pod_net_close(n);
}

/* Two datagrams: under an address that is not the pod's, then under its own. */
static int send_twice(void *arg)
{
    const struct sock_job *j = arg;
    struct nl_sock s;
    struct nl_link l;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(5001)}, other = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a2a034d)};
    inet_pton(AF_INET, j->ip, &to.sin_addr);
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_find(&s, "eth0", &l);
    if (r == 0)
        r = nl_addr_put(&s, l.index, 0x0a2a034d, 32);
    nl_close(&s);
    for (int own = 0; own < 2 && r == 0; own++) {
        FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (!own && bind(fd, (struct sockaddr *)&other, sizeof other) < 0)
            r = -errno;
        if (r == 0 && sendto(fd, own ? "own" : "not", 3, 0, (struct sockaddr *)&to, sizeof to) != 3)
            r = -errno;
    }
    return r;
}

/* A datagram in a frame of one's own making, as a container with NET_RAW can: tagged, priority 0 of no VLAN, which whoever gets it takes for an untagged one. */
static int send_tagged(void *arg)
{
    const struct sock_job *j = arg;
    struct {
        uint8_t to[6], from[6];
        uint16_t tag, vlan, type;
        struct iphdr ip;
        struct udphdr udp;
        char text[3];
    } __attribute__((packed)) f = {.from = {2, 0, 0, 0, 0, 1}, .tag = htons(j->tag), .type = htons(ETH_P_IP), .text = "tag"};
    struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("eth0"), .sll_halen = 6};
    FD_AUTO fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    struct in_addr ip;
    inet_pton(AF_INET, j->ip, &ip);
    f.to[0] = 0x0a; /* as pod_net_mac has it */
    f.to[1] = 0x70;
    memcpy(f.to + 2, &ip, 4);
    f.ip = (struct iphdr){.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP, .tot_len = htons(sizeof f.ip + sizeof f.udp + sizeof f.text), .saddr = htonl(0x0a2a034d), .daddr = ip.s_addr};
    f.udp = (struct udphdr){.source = htons(5001), .dest = htons(5001), .len = htons(sizeof f.udp + sizeof f.text)};
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof f.ip; i += 2) {
        uint16_t word;
        memcpy(&word, (const char *)&f.ip + i, 2);
        sum += word;
    }
    sum = (sum & 0xffff) + (sum >> 16);
    f.ip.check = (uint16_t)~(sum + (sum >> 16));
    return sendto(fd, &f, sizeof f, 0, (struct sockaddr *)&to, sizeof to) == sizeof f ? 0 : -errno;
}

static int bind_datagrams(void *arg)
{
    struct sock_job *j = arg;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5001)};
    j->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return bind(j->fd, (struct sockaddr *)&at, sizeof at) < 0 ? -errno : 0;
}

TEST(nobody_sends_under_another_address)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], text[4] = "";
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {8 * MBIT, 0});
    SHAPE(n, "pod-b", .limit = {0});
    struct sock_job from = {.ip = b}, to = {0};
    FD_AUTO ns_a = open(ns_path("pod-a"), O_RDONLY | O_CLOEXEC);
    FD_AUTO ns_b = open(ns_path("pod-b"), O_RDONLY | O_CLOEXEC);
    T_EQ_INT(netns_run(ns_b, bind_datagrams, &to), 0);
    struct pollfd p = {.fd = to.fd, .events = POLLIN};
    for (size_t i = 0; i < 3; i++) { /* what comes before one's own does so on the same way */
        T_EQ_INT(netns_run(ns_a, send_twice, &from), 0);
        T_EQ_INT(poll(&p, 1, PATIENCE_MS), 1);
        T_EQ_INT(read(to.fd, text, 3), 3);
        T_EQ_STR(str_of(text), "own");
        from.tag = i ? ETH_P_8021AD : ETH_P_8021Q;
        T_EQ_INT(netns_run(ns_a, send_tagged, &from), 0);
    }
    close(to.fd);
    pod_net_close(n);
}

TEST(a_destination_has_a_limit_of_its_own)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], c[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    attach(n, "pod-c", c);
    struct ipam_cidr net = {.prefix = 32};
    T_OK(ipam_ip_parse(str_of(b), &net.base));
    struct shape_dest to = {.limit = 8 * MBIT, .nets = &net, .nnets = 1};
    SHAPE(n, "pod-a", .dests = &to, .ndests = 1);
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(8 * MBIT));
    T_OK(transfer_ms("pod-b", "pod-a", a, BYTES) >= least_ms(8 * MBIT));
    T_OK(strstr(tc_line("class", "cox0-out", "1:22"), "ceil 8Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "1:21"), "ceil 100Gbit") != NULL);
    T_EQ_INT(transfer_ms("pod-a", "pod-c", c, BYTES) >= 0, true);
    SHAPE(n, "pod-a", .limit = {50 * MBIT, 50 * MBIT}); /* without the destination */
    T_EQ_STR(str_of(tc_line("class", "cox0-out", "1:22")), "");
    T_EQ_INT(classes("cox0-out"), 5);
    struct shape_dest many[SHAPE_DESTS + 1] = {0};
    T_ERR(pod_net_shape(n, S("pod-a"), &(struct shape_share){.dests = many, .ndests = ARRAY_LEN(many)}, &err), E_TOO_LARGE);
    pod_net_close(n);
}

/* The narrower of two ranges counts, and of the same range the lower limit, in whatever order they are given. */
TEST(of_ranges_in_ranges_the_narrower_counts)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], c[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    attach(n, "pod-c", c);
    struct ipam_cidr all = {0x0a000000, 8}, one = {.prefix = 32}, both[2];
    T_OK(ipam_ip_parse(str_of(b), &one.base));
    both[0] = all;
    both[1] = one;
    const struct shape_dest orders[][2] = {{{1000 * MBIT, &all, 1}, {8 * MBIT, &one, 1}}, {{8 * MBIT, &one, 1}, {1000 * MBIT, both, 2}}, {{1000 * MBIT, both, 2}, {8 * MBIT, &one, 1}}};
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        SHAPE(n, "pod-a", .dests = orders[i], .ndests = 2);
        T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(8 * MBIT));
        T_OK(transfer_ms("pod-b", "pod-a", a, BYTES) >= least_ms(8 * MBIT));
    }
    const char *first = tc_line("filter", "cox0-out", "10:2:1 "); /* and what is in the wide range alone is that of the wide one */
    T_OK(strstr(first, "flowid 1:23") != NULL);
    pod_net_close(n);
}

/* All of a pod's destinations together, and what is to nowhere special: its own limit, whatever number of them there is. */
TEST(destinations_together_stay_within_the_limit)
{
    if (!fresh_machine())
        return;
    enum { DESTS = 4, EACH = 32 << 10 };
    const int64_t limit = 128000;
    struct pod_net *n = must_open();
    char ip[DESTS + 1][IPAM_TEXT];
    const char *const uids[DESTS + 1] = {"to-0", "to-1", "to-2", "to-3", "from"};
    struct ipam_cidr nets[DESTS];
    struct shape_dest to[DESTS];
    int listeners[DESTS], out[DESTS], in[DESTS];
    size_t sent[DESTS] = {0}, got = 0;
    static char buf[EACH];
    for (size_t i = 0; i < ARRAY_LEN(uids); i++)
        attach(n, uids[i], ip[i]);
    for (size_t i = 0; i < DESTS; i++) {
        nets[i] = (struct ipam_cidr){.prefix = 32};
        T_OK(ipam_ip_parse(str_of(ip[i]), &nets[i].base));
        to[i] = (struct shape_dest){.limit = MBIT, .nets = &nets[i], .nnets = 1};
        listeners[i] = socket_in(uids[i], "0.0.0.0", true);
    }
    SHAPE(n, "from", .limit = {limit, limit}, .dests = to, .ndests = DESTS);
    for (size_t i = 0; i < DESTS; i++) {
        out[i] = socket_in("from", ip[i], false);
        in[i] = accept(listeners[i], NULL, NULL);
    }
    nsec_t start = clock_mono(&clock_real);
    while (got < DESTS * EACH) {
        struct pollfd p[DESTS];
        for (size_t i = 0; i < DESTS; i++) {
            ssize_t w = sent[i] < EACH ? send(out[i], buf, EACH - sent[i], MSG_DONTWAIT) : 0;
            sent[i] += w > 0 ? (size_t)w : 0;
            p[i] = (struct pollfd){.fd = in[i], .events = POLLIN};
        }
        if (poll(p, DESTS, 100) < 0 || clock_mono(&clock_real) - start > PATIENCE_MS * NSEC_PER_MSEC)
            break;
        for (size_t i = 0; i < DESTS; i++) {
            ssize_t r = p[i].revents ? recv(in[i], buf, sizeof buf, MSG_DONTWAIT) : 0;
            got += r > 0 ? (size_t)r : 0;
        }
    }
    T_EQ_INT(got, DESTS * EACH);
    /* less one burst of the pod's, of 32 KiB, and as much again for what TCP had sent before */
    T_OK((clock_mono(&clock_real) - start) / NSEC_PER_MSEC >= (DESTS * EACH - (64 << 10)) * 8 * 1000 / limit);
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:60 "), "rate 64Kbit ceil 128Kbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:61 "), "rate 8bit ceil 128Kbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:65 "), "rate 8bit ceil 128Kbit") != NULL);
    for (size_t i = 0; i < DESTS; i++) {
        close(listeners[i]);
        close(out[i]);
        close(in[i]);
    }
    pod_net_close(n);
}

/* Whoever is killed between two messages leaves a part; the next one makes it right, whatever is wanted then. */
TEST(what_was_cut_off_is_made_right)
{
    if (!fresh_machine())
        return;
    enum { NETS = 7, DESTS = 6, K = 2 };
    struct ipam_cidr nets[NETS];
    struct shape_dest to[DESTS];
    struct shape_tree t = {.total = {100 * MBIT, 100 * MBIT}, .pods = {0x0a2a0300, 24}};
    struct nl_sock s;
    bool is_new;
    for (uint32_t i = 0; i < NETS; i++)
        nets[i] = (struct ipam_cidr){0x0a630000 + (i << 8), 24};
    for (size_t i = 0; i < DESTS; i++)
        to[i] = (struct shape_dest){8 * MBIT, &nets[i], i == DESTS - 1 ? 2 : 1};
    struct shape_share many = {.limit = {16 * MBIT, 16 * MBIT}, .dests = to, .ndests = DESTS}, few = {.limit = {16 * MBIT, 16 * MBIT}, .dests = to, .ndests = 1};
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(shape_open(&s, "cut", "cut", &t, &is_new), 0);
    bool anew;
    for (uint32_t left = 0; left <= NETS; left++) { /* filters that are still there: the end of the row went first */
        T_EQ_INT(shape_put(&s, &t, t.pods.base + K, &many, &anew), 0);
        T_OK(anew == (left == 0));
        T_EQ_INT(classes("cut-out"), 2 + 2 + DESTS);
        for (uint32_t node = NETS; node > left; node--)
            T_EQ_INT(nl_tc_filter_del(&s, t.index[SHAPE_OUT], NL_TC_ON_HTB, NL_TC_IPV4, NL_TC_FILTER(0x10, K, node)), 0);
        if (left == 0)
            T_EQ_INT(nl_tc_class_del(&s, t.index[SHAPE_OUT], K << 4 | 4), 0); /* and a class in the middle */
        T_EQ_INT(shape_put(&s, &t, t.pods.base + K, &few, &anew), 0);
        T_OK(!anew);
        T_EQ_INT(classes("cut-out"), 2 + 2 + 1);
        T_EQ_INT(nl_tc_filter_find(&s, t.index[SHAPE_OUT], NL_TC_ON_HTB, NL_TC_IPV4, NL_TC_FILTER(0x10, K, 1)), 0);
        T_OK(nl_tc_filter_find(&s, t.index[SHAPE_OUT], NL_TC_ON_HTB, NL_TC_IPV4, NL_TC_FILTER(0x10, K, 2)) < 0);
    }
    /* the same for one who goes, and for a new process that finds it */
    T_EQ_INT(shape_put(&s, &t, t.pods.base + K, &many, &anew), 0);
    for (uint32_t node = NETS; node > 0; node--)
        T_EQ_INT(nl_tc_filter_del(&s, t.index[SHAPE_OUT], NL_TC_ON_HTB, NL_TC_IPV4, NL_TC_FILTER(0x10, K, node)), 0);
    T_EQ_INT(nl_tc_class_del(&s, t.index[SHAPE_OUT], K << 4 | 2), 0);
    T_EQ_INT(shape_keep(&s, &t, NULL, 0), 0);
    T_EQ_INT(classes("cut-out"), 2);
    T_EQ_INT(classes("cut-in"), 2);
    nl_close(&s);
}

/* The node's leaf goes when the fourteenth destination needs its place, or nothing is limited any more, and only then. */
TEST(the_last_leaf_changes_hands)
{
    if (!fresh_machine())
        return;
    enum { K = 2 };
    struct ipam_cidr nets[SHAPE_DESTS];
    struct shape_dest to[SHAPE_DESTS];
    struct shape_tree t = {.total = {100 * MBIT, 100 * MBIT}, .pods = {0x0a2a0300, 24}, .node = 0x0a2a0301};
    struct nl_sock s;
    struct nl_tc_counted last;
    bool anew;
    for (uint32_t i = 0; i < SHAPE_DESTS; i++) {
        nets[i] = (struct ipam_cidr){0x0a630000 + (i << 8), 24};
        to[i] = (struct shape_dest){8 * MBIT, &nets[i], 1};
    }
    const struct {
        int64_t limit, request;
        size_t ndests;
        int last; /* -1: none, 0: a destination's, 1: the node's */
        bool anew;
    } steps[] = {
        {16 * MBIT, 0, 0, 1, true},           {32 * MBIT, MBIT, 1, 1, false}, {16 * MBIT, 0, SHAPE_DESTS - 1, 1, false}, {16 * MBIT, 0, SHAPE_DESTS, 0, true},
        {32 * MBIT, 0, SHAPE_DESTS, 0, false}, {16 * MBIT, 0, 2, 1, false},    {0, MBIT, 0, -1, true},                    {16 * MBIT, 0, 0, 1, false},
    };
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(shape_open(&s, "last", "last", &t, &anew), 0);
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct shape_share share = {.request = {steps[i].request, steps[i].request}, .limit = {steps[i].limit, steps[i].limit}, .dests = to, .ndests = steps[i].ndests};
        printf("# step %zu\n", i);
        T_EQ_INT(shape_put(&s, &t, t.pods.base + K, &share, &anew), 0);
        T_OK(anew == steps[i].anew);
        for (int d = 0; d < SHAPE_DIRECTIONS; d++) {
            T_EQ_INT(nl_tc_class_find(&s, t.index[d], K << 4 | 15, &last), steps[i].last < 0 ? -ENOENT : 0);
            T_OK(steps[i].last < 0 || last.is_top == (steps[i].last == 1));
        }
    }
    nl_close(&s);
}

TEST(bridges_have_devices_of_their_own)
{
    char a[IFNAMSIZ], b[IFNAMSIZ];
    shape_device_name("cox0", SHAPE_IN, a);
    T_EQ_STR(str_of(a), "cox0-in");
    for (int d = 0; d < SHAPE_DIRECTIONS; d++) {
        shape_device_name("cluster-one-a", d, a);
        shape_device_name("cluster-one-b", d, b);
        T_OK(strcmp(a, b) != 0);
        T_EQ_INT(strlen(a), d == SHAPE_OUT ? 14 : 13);
    }
}

TEST(a_request_is_a_share_of_what_the_node_has)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], c[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    attach(n, "pod-c", c);
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 80 * MBIT, &mended, &err), &err);
    SHAPE(n, "pod-a", .request = {60 * MBIT, 30 * MBIT});
    SHAPE(n, "pod-b", .request = {0});
    T_OK(is_led("pod-b")); /* it competes */
    T_OK(strstr(tc_line("class", "cox0-out", "1:1 "), "rate 100Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "1:20 "), "rate 60Mbit ceil 100Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-in", "1:20 "), "rate 30Mbit ceil 80Mbit") != NULL);
    /* more than there is: all are cut alike */
    SHAPE(n, "pod-c", .request = {90 * MBIT, 10 * MBIT});
    T_OK(strstr(tc_line("class", "cox0-out", "1:20 "), "rate 40Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "1:40 "), "rate 60Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-in", "1:20 "), "rate 30Mbit") != NULL);
    /* a capacity that is lowered */
    T_NO_ERR(pod_net_capacity(n, 50 * MBIT, 80 * MBIT, &mended, &err), &err);
    T_OK(strstr(tc_line("class", "cox0-out", "1:20 "), "rate 20Mbit ceil 50Mbit") != NULL);
    /* who asked for nothing has so little that a hundred of them are a twentieth of the node */
    SHAPE(n, "pod-b", .limit = {30 * MBIT, 0});
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:30 "), "rate 25Kbit ceil 30Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:2 "), "rate 25Kbit ceil 50Mbit") != NULL);
    T_OK(strstr(tc_line("class", "cox0-in", "htb 1:30 "), "rate 40Kbit ceil 80Mbit") != NULL);
    SHAPE(n, "pod-b", .limit = {0});
    /* one leaves: the other has what it asked for again, as far as there is */
    T_NO_ERR(pod_net_detach(n, S("pod-c"), &err), &err);
    T_OK(strstr(tc_line("class", "cox0-out", "1:20 "), "rate 50Mbit") != NULL);
    T_EQ_STR(str_of(tc_line("class", "cox0-out", "1:40 ")), "");
    T_NO_ERR(pod_net_detach(n, S("pod-a"), &err), &err);
    T_OK(!is_led("pod-b"));
    T_EQ_INT(classes("cox0-in"), -1);
    pod_net_close(n);
}

struct flow {
    int from, to; /* sockets of the two ends */
    size_t sent, got;
};

/* Both send as much as they can until the first has brought over so many bytes more. */
static bool compete(struct flow *first, struct flow *second, size_t bytes)
{
    static char buf[64 << 10];
    struct flow *all[] = {first, second};
    size_t until = first->got + bytes;
    while (first->got < until) {
        struct pollfd p[4];
        for (size_t i = 0; i < 2; i++) {
            p[2 * i] = (struct pollfd){.fd = all[i] ? all[i]->to : -1, .events = POLLIN};
            p[2 * i + 1] = (struct pollfd){.fd = all[i] ? all[i]->from : -1, .events = POLLOUT};
        }
        if (poll(p, 4, PATIENCE_MS) <= 0)
            return false;
        for (size_t i = 0; i < 2; i++) {
            ssize_t r = p[2 * i].revents ? read(all[i]->to, buf, sizeof buf) : 0, w = p[2 * i + 1].revents ? send(all[i]->from, buf, sizeof buf, MSG_DONTWAIT) : 0;
            if (all[i]) {
                all[i]->got += r > 0 ? (size_t)r : 0;
                all[i]->sent += w > 0 ? (size_t)w : 0;
            }
        }
    }
    return true;
}

static void owner_and_borrower(bool to_destination)
{
    struct pod_net *n = must_open();
    struct ipam_cidr net = {.base = 0x0a2a0300, .prefix = 24};
    struct shape_dest to = {.limit = 16 * MBIT, .nets = &net, .nnets = 1};
    char a[IPAM_TEXT], b[IPAM_TEXT], c[IPAM_TEXT];
    attach(n, "owner", a);
    attach(n, "borrower", b);
    attach(n, "sink", c);
    T_NO_ERR(pod_net_capacity(n, 16 * MBIT, 16 * MBIT, &mended, &err), &err);
    SHAPE(n, "owner", .request = {12 * MBIT, 0}, .limit = {16 * MBIT, 0}, .dests = &to, .ndests = to_destination ? 1 : 0);
    SHAPE(n, "borrower", .limit = {16 * MBIT, 0});
    SHAPE(n, "sink", .limit = {0});
    FD_AUTO l = socket_in("sink", "0.0.0.0", true);
    struct flow borrower = {.from = socket_in("borrower", c, false)};
    borrower.to = accept(l, NULL, NULL);
    T_OK(compete(&borrower, NULL, BYTES / 2)); /* alone it has everything */
    struct flow owner = {.from = socket_in("owner", c, false)};
    owner.to = accept(l, NULL, NULL);
    size_t before = borrower.got;
    T_OK(compete(&owner, &borrower, BYTES + BYTES / 2));
    /* the owner has 12 of 16 and shares the rest: a seventh is the borrower's, and what was on its way; equal shares would be as much as the owner's */
    T_OK(borrower.got - before < (BYTES + BYTES / 2) / 2);
    int fds[] = {borrower.from, borrower.to, owner.from, owner.to};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        close(fds[i]);
    pod_net_close(n);
}

TEST(who_borrows_gives_way_at_once)
{
    if (fresh_machine())
        owner_and_borrower(false);
}

TEST(also_to_one_that_sends_to_a_destination)
{
    if (fresh_machine())
        owner_and_borrower(true);
}

/* Whoever asks from the node whether a pod is alive: the answer does not wait behind all that the pod is sending. */
TEST(the_node_is_answered_at_once)
{
    if (!fresh_machine())
        return;
    enum { MANY = 80, EACH = 1400 };
    struct pod_net *n = must_open();
    struct ipam_cidr all = {0x0a000000, 8};
    struct shape_dest to = {.limit = 64000, .nets = &all, .nnets = 1}, full[SHAPE_DESTS];
    char a[IPAM_TEXT], b[IPAM_TEXT];
    static char buf[EACH];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {64000, 64000}, .dests = &to, .ndests = 1);
    FD_AUTO ns_a = open(ns_path("pod-a"), O_RDONLY | O_CLOEXEC);
    FD_AUTO ns_b = open(ns_path("pod-b"), O_RDONLY | O_CLOEXEC);
    struct sock_job from = {0}, sink = {0}, node = {.ip = a};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5001)};
    FD_AUTO l = socket_in("pod-a", "0.0.0.0", true);
    T_EQ_INT(netns_run(ns_a, bind_datagrams, &from), 0);
    T_EQ_INT(netns_run(ns_b, bind_datagrams, &sink), 0);
    inet_pton(AF_INET, b, &at.sin_addr);
    for (size_t i = 0; i < MANY; i++)
        T_EQ_INT(sendto(from.fd, buf, sizeof buf, 0, (struct sockaddr *)&at, sizeof at), EACH);
    T_EQ_INT(make_socket(&node), 0);
    size_t got = 0;
    while (recv(sink.fd, buf, sizeof buf, MSG_DONTWAIT) > 0)
        got++;
    T_OK(got < MANY);
    T_OK(strstr(tc_line("class", "cox0-out", "1:2f "), "root leaf 2f: prio 0 rate 64Kbit ceil 64Kbit") != NULL);
    /* destinations that take all numbers, and give them back */
    for (size_t i = 0; i < SHAPE_DESTS; i++)
        full[i] = (struct shape_dest){.limit = 8000 * (int64_t)(i + 1), .nets = &all, .nnets = 1};
    for (size_t i = 0; i < 2; i++) {
        SHAPE(n, "pod-a", .limit = {64000, 64000}, .dests = full, .ndests = SHAPE_DESTS);
        T_OK(strstr(tc_line("class", "cox0-out", "1:2f "), "parent 1:20 leaf 2f: prio 0 rate 8bit ceil 64Kbit") != NULL);
        SHAPE(n, "pod-a", .limit = {96000, 64000});
        T_OK(strstr(tc_line("class", "cox0-out", "1:2f "), "root leaf 2f: prio 0 rate 96Kbit ceil 96Kbit") != NULL);
    }
    SHAPE(n, "pod-a", .request = {64000, 64000}); /* what does not cross the wire passes by */
    T_EQ_STR(str_of(tc_line("class", "cox0-out", "1:2f ")), "");
    close(from.fd);
    close(sink.fd);
    close(node.fd);
    pod_net_close(n);
}

TEST(found_again_after_a_restart)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {16 * MBIT, 16 * MBIT});
    SHAPE(n, "pod-b", .limit = {16 * MBIT, 16 * MBIT});
    T_EQ_INT(classes("cox0-out"), 8);
    pod_net_close(n);
    n = must_open();
    attach(n, "pod-a", a);
    T_EQ_INT(classes("cox0-out"), 8); /* nobody has said otherwise */
    SHAPE(n, "pod-a", .limit = {0});
    T_EQ_INT(classes("cox0-out"), 8);
    T_OK(is_led("pod-b"));
    SHAPE(n, "pod-a", .limit = {12 * MBIT, 16 * MBIT});
    T_OK(strstr(tc_line("class", "cox0-out", "1:21 "), "ceil 12Mbit") != NULL);
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(12 * MBIT));
    /* somebody removed the devices: the next word about a pod makes them again */
    struct nl_sock s;
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(shape_remove(&s, "cox0"), 0);
    nl_close(&s);
    pod_net_close(n);
    n = must_open();
    SHAPE(n, "pod-b", .limit = {8 * MBIT, 16 * MBIT});
    SHAPE(n, "pod-a", .limit = {12 * MBIT, 16 * MBIT});
    T_OK(transfer_ms("pod-b", "pod-a", a, BYTES) >= least_ms(8 * MBIT));
    T_NO_ERR(pod_net_detach(n, S("pod-a"), &err), &err);
    T_EQ_INT(classes("cox0-out"), 5);
    pod_net_close(n);
    T_NO_ERR(pod_net_remove(&(struct pod_net_opts){.state_dir = DIR_ "/state"}, &err), &err);
    T_EQ_INT(classes("cox0-out"), -1);
}

/* Pods that go before the new process was told anything of them leave nothing. */
TEST(nothing_is_left_of_pods_that_nobody_spoke_of)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT];
    struct shape_tree t = {.total = {100 * MBIT, 100 * MBIT}, .pods = {0x0a2a0300, 24}};
    struct nl_sock s;
    bool is_new;
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {16 * MBIT, 16 * MBIT});
    SHAPE(n, "pod-b", .limit = {16 * MBIT, 16 * MBIT});
    pod_net_close(n);
    n = must_open();
    SHAPE(n, "pod-a", .limit = {16 * MBIT, 16 * MBIT});
    T_EQ_INT(classes("cox0-out"), 8);
    T_NO_ERR(pod_net_detach(n, S("pod-b"), &err), &err);
    T_EQ_INT(classes("cox0-out"), 5);
    pod_net_close(n);
    n = must_open();
    T_NO_ERR(pod_net_gc(n, NULL, 0, NULL, &err), &err);
    T_EQ_INT(classes("cox0-out"), -1);
    pod_net_close(n);
    /* the one before was killed between the last pod's end and that of the devices */
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(shape_open(&s, "cox0", "cut", &t, &is_new), 0);
    nl_close(&s);
    n = must_open();
    T_NO_ERR(pod_net_gc(n, NULL, 0, NULL, &err), &err);
    T_EQ_INT(classes("cox0-out"), -1);
    T_EQ_INT(classes("cox0-in"), -1);
    T_EQ_INT(classes("cox0-no"), -1);
    pod_net_close(n);
}

/* One pod that cannot be shaped is no reason to leave others as they are, wherever it stands among them. */
TEST(one_that_cannot_be_shaped_is_alone)
{
    if (!fresh_machine())
        return;
    enum { PODS = 5 };
    static const char *const uids[PODS] = {"pod-a", "pod-b", "pod-c", "pod-d", "pod-e"};
    struct pod_net *n = must_open();
    char ip[IPAM_TEXT];
    for (size_t i = 0; i < PODS; i++)
        attach(n, uids[i], ip);
    for (size_t odd = 0; odd < PODS; odd++) {
        struct pod_net_record *rec = map_get(&n->records, str_of(uids[odd]));
        struct shape_share share = {.request = {MBIT, MBIT}, .limit = {(int64_t)(odd + 20) * MBIT, 16 * MBIT}};
        rec->ip += SHAPE_PODS;
        T_ERR(pod_net_shape(n, str_of(uids[odd]), &share, &err), E_TOO_LARGE);
        for (size_t i = 0; i < PODS; i++) {
            char class[16], ceil[24];
            snprintf(class, sizeof class, "htb 1:%zx ", (i + 2) << 4);
            snprintf(ceil, sizeof ceil, "ceil %zuMbit", odd + 20);
            if (i == odd)
                continue;
            T_NO_ERR(pod_net_shape(n, str_of(uids[i]), &share, &err), &err);
            T_OK(strstr(tc_line("class", "cox0-out", class), ceil) != NULL);
        }
        rec->ip -= SHAPE_PODS;
        T_NO_ERR(pod_net_shape(n, str_of(uids[odd]), &share, &err), &err);
    }
    pod_net_close(n);
}

/* Where the kernel cannot, each try may start a program that looks for a module: one for all pods in a second, not one for each. */
TEST(a_kernel_that_cannot_is_asked_once)
{
    if (!fresh_machine())
        return;
    clock_fake_init(&fake, NSEC_PER_SEC);
    struct pod_net *n = must_open();
    const struct shape_share share = {.limit = {16 * MBIT, 16 * MBIT}};
    char ip[IPAM_TEXT];
    attach(n, "pod-a", ip);
    attach(n, "pod-b", ip);
    T_NO_ERR(failpoint_set(S("net.shape.open=1*error(95)"), &err), &err);
    T_ERR(pod_net_shape(n, S("pod-a"), &share, &err), E_UNAVAILABLE);
    T_ERR(pod_net_shape(n, S("pod-b"), &share, &err), E_UNAVAILABLE);
    T_OK(str_has_prefix(str_of(err.msg), S("bandwidth is not enforced here: ")));
    T_EQ_INT(classes("cox0-out"), -1);
    clock_fake_advance(&fake, 2 * NSEC_PER_SEC);
    T_NO_ERR(pod_net_shape(n, S("pod-b"), &share, &err), &err);
    T_NO_ERR(pod_net_shape(n, S("pod-a"), &share, &err), &err);
    T_EQ_INT(classes("cox0-out"), 8);
    pod_net_close(n);
}

static void command(const char *text)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    char words[256];
    const char *argv[24] = {0};
    size_t n = 0;
    snprintf(words, sizeof words, "%s", text);
    for (char *w = words, *end; w && n < ARRAY_LEN(argv) - 1; w = end) {
        argv[n++] = w;
        end = strchr(w, ' ');
        if (end)
            *end++ = 0;
    }
    T_EQ_INT(pod_net_command(argv, S(""), &out, &err), 0);
}

/* Somebody with a root shell, or another program that thinks it is alone: the next word about capacity makes it right, and says so; the one after it has nothing to do. */
TEST(what_others_touch_is_made_right)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT], link[IFNAMSIZ];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    pod_net_link_name(S("pod-a"), link);
    SHAPE(n, "pod-a", .request = {4 * MBIT, 0}, .limit = {60 * MBIT, 80 * MBIT});
    SHAPE(n, "pod-b", .limit = {0});
    static const char *const deeds[] = {
        "ip link del cox0-out", "ip link del cox0-in", "ip link del cox0-no", "ip link set cox0-in down", "ip link set cox0-out down",
        "tc qdisc del dev cox0-out root", "tc qdisc replace dev cox0-in root pfifo", "tc qdisc del dev cox0-no root",
        "tc class change dev cox0-out parent 1:1 classid 1:20 htb rate 1gbit ceil 1gbit", "tc filter del dev cox0-out", "tc filter del dev cox0-in protocol ip prio 1",
        "tc qdisc del dev LINK clsact", "tc filter del dev LINK ingress", "tc filter del dev LINK egress", "tc filter del dev LINK ingress protocol ip prio 1",
        "tc qdisc del dev LINK clsact",
    };
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
    T_OK(!mended);
    for (size_t i = 0; i < ARRAY_LEN(deeds); i++) {
        char deed[128], *at;
        snprintf(deed, sizeof deed, "%s", deeds[i]);
        if ((at = strstr(deed, "LINK"))) /* every such row ends with the word or has one behind it */
            snprintf(at, sizeof deed - (size_t)(at - deed), "%s%s", link, strstr(deeds[i], "LINK") + 4);
        printf("# %s\n", deed);
        command(deed);
        if (i + 1 == ARRAY_LEN(deeds)) { /* and another one in its place */
            snprintf(deed, sizeof deed, "tc qdisc add dev %s ingress", link);
            command(deed);
        }
        T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
        T_OK(mended);
        T_EQ_INT(classes("cox0-out"), 5);
        T_EQ_INT(classes("cox0-in"), 5);
        T_OK(is_led("pod-a"));
        T_OK(is_led("pod-b"));
        T_OK(strstr(tc_line("class", "cox0-out", "htb 1:20 "), "rate 4Mbit ceil 60Mbit") != NULL);
        T_OK(strstr(tc_line("class", "cox0-out", "htb 1:21 "), "ceil 60Mbit") != NULL);
        T_OK(tc_line("qdisc", "cox0-no", "bfifo")[0] != 0);
        T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
        T_OK(!mended);
        T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(60 * MBIT));
        T_OK(transfer_ms("pod-b", "pod-a", a, BYTES) >= least_ms(80 * MBIT));
    }
    /* what does not touch ours */
    command("ip link add other type ifb");
    command("ip link set other up");
    command("tc qdisc add dev other root pfifo");
    command("tc qdisc add dev other clsact");
    command("ip link del other");
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
    T_OK(!mended);
    /* changes that nobody could hold */
    T_NO_ERR(failpoint_set(S("net.shape.heard=1*error(105)"), &err), &err);
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
    T_OK(mended);
    /* it cannot be made right at once, but later */
    command("ip link del cox0-out");
    T_NO_ERR(failpoint_set(S("net.shape.open=1*error(ENOMEM)"), &err), &err);
    T_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), E_IO);
    T_OK(!mended);
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
    T_OK(mended && classes("cox0-out") == 5 && is_led("pod-a"));
    pod_net_close(n);
    /* done while nobody watched, and found by the next one */
    command("tc qdisc replace dev cox0-out root pfifo");
    n = must_open();
    attach(n, "pod-a", a);
    SHAPE(n, "pod-a", .limit = {60 * MBIT, 0});
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= least_ms(60 * MBIT));
    pod_net_close(n);
}

TEST(bytes_are_counted)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    T_OK(transfer_ms("pod-a", "pod-b", b, BYTES) >= 0);
    struct pod_net_counter *list = NULL;
    size_t len = 0;
    T_NO_ERR(pod_net_counters(n, &list, &len, &err), &err);
    T_EQ_INT(len, 4);
    T_EQ_STR(str_of(list[0].uid), "");
    T_EQ_STR(str_of(list[1].uid), "*");
    T_OK(list[1].device > 0 && list[1].out_bytes + list[1].in_bytes < BYTES / 4); /* between pods of the node: not over the bridge's own end */
    for (size_t i = 2; i < len; i++) {
        bool sender = strcmp(list[i].uid, "pod-a") == 0;
        uint64_t much = sender ? list[i].out_bytes : list[i].in_bytes, little = sender ? list[i].in_bytes : list[i].out_bytes;
        T_OK(much >= BYTES && much < BYTES + BYTES / 8);
        T_OK(little > 0 && little < BYTES / 4);
    }
    free(list);
    T_ERR(pod_net_shape(n, S("nobody"), &(struct shape_share){0}, &err), E_NOT_FOUND);
    pod_net_close(n);
}

static struct pod_net_counter counter_of(struct pod_net *n, const char *uid)
{
    struct pod_net_counter *list CLEANUP(free) = NULL;
    size_t len = 0;
    T_NO_ERR(pod_net_counters(n, &list, &len, &err), &err);
    for (size_t i = 0; i < len; i++)
        if (strcmp(list[i].uid, uid) == 0)
            return list[i];
    return (struct pod_net_counter){0};
}

/* A pod that sends more than it may has used what it may. */
TEST(what_a_limit_holds_back_is_not_counted)
{
    if (!fresh_machine())
        return;
    enum { MANY = 80, EACH = 1400 };
    struct pod_net *n = must_open();
    char a[IPAM_TEXT], b[IPAM_TEXT];
    static char buf[EACH];
    attach(n, "pod-a", a);
    attach(n, "pod-b", b);
    SHAPE(n, "pod-a", .limit = {8000, 0});
    FD_AUTO ns_a = open(ns_path("pod-a"), O_RDONLY | O_CLOEXEC);
    struct sock_job from = {0};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5001)};
    T_EQ_INT(netns_run(ns_a, bind_datagrams, &from), 0);
    inet_pton(AF_INET, b, &at.sin_addr);
    for (size_t i = 0; i < MANY; i++)
        T_EQ_INT(sendto(from.fd, buf, sizeof buf, 0, (struct sockaddr *)&at, sizeof at), EACH);
    struct pod_net_counter held = counter_of(n, "pod-a");
    T_OK(held.device && held.out_bytes > 0 && held.out_bytes < MANY * EACH);
    inet_pton(AF_INET, "10.42.3.1", &at.sin_addr);
    T_EQ_INT(sendto(from.fd, buf, sizeof buf, 0, (struct sockaddr *)&at, sizeof at), EACH);
    for (size_t i = 0; i < PATIENCE_MS / 10 && counter_of(n, "pod-a").out_bytes < held.out_bytes + EACH; i++)
        poll(NULL, 0, 10);
    T_OK(counter_of(n, "pod-a").out_bytes >= held.out_bytes + EACH); /* what goes to the node is */
    uint64_t before = counter_of(n, "pod-a").out_bytes;
    SHAPE(n, "pod-a", .limit = {9000, 0});
    T_EQ_INT(counter_of(n, "pod-a").device, held.device); /* another limit counts on */
    T_OK(counter_of(n, "pod-a").out_bytes >= before);
    SHAPE(n, "pod-a", .limit = {0});
    struct pod_net_counter all = counter_of(n, "pod-a");
    T_OK(all.device && all.device != held.device); /* no rate is made of two kinds of bytes */
    T_OK(all.out_bytes >= MANY * EACH);
    close(from.fd);
    pod_net_close(n);
}

/* On a node that promised more than it has each arrival is a change of every pod's share, and one that cannot be put in force is tried again and again: both count on. */
TEST(what_changes_in_place_counts_on)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char ip[IPAM_TEXT], link[IFNAMSIZ], deed[64];
    size_t links = 0;
    attach(n, "pod-a", ip);
    attach(n, "pod-b", ip);
    T_NO_ERR(pod_net_capacity(n, 100 * MBIT, 100 * MBIT, &mended, &err), &err);
    SHAPE(n, "pod-a", .request = {80 * MBIT, 80 * MBIT}, .limit = {90 * MBIT, 90 * MBIT});
    T_OK(transfer_ms("pod-a", NULL, "10.42.3.1", BYTES) >= 0);
    struct pod_net_counter first = counter_of(n, "pod-a"), now;
    T_OK(first.device < 0 && first.out_bytes >= BYTES);
    SHAPE(n, "pod-b", .request = {80 * MBIT, 80 * MBIT});
    T_OK(strstr(tc_line("class", "cox0-out", "htb 1:20 "), "rate 50Mbit ceil 90Mbit") != NULL);
    now = counter_of(n, "pod-a");
    T_EQ_INT(now.device, first.device);
    T_OK(now.out_bytes >= first.out_bytes); /* those to the node are in a leaf of their own */
    /* refused each time */
    struct pod_net_record *rec = map_get(&n->records, S("pod-a"));
    rec->ip += SHAPE_PODS;
    for (int i = 0; i < 2; i++)
        T_ERR(pod_net_shape(n, S("pod-a"), &(struct shape_share){.limit = {70 * MBIT, 0}}, &err), E_TOO_LARGE);
    rec->ip -= SHAPE_PODS;
    T_EQ_INT(counter_of(n, "pod-a").device, first.device);
    SHAPE(n, "pod-a", .limit = {70 * MBIT, 0});
    T_EQ_INT(counter_of(n, "pod-a").device, first.device);
    /* what comes in is counted by the link, and that is another one */
    pod_net_link_name(S("pod-a"), link);
    snprintf(deed, sizeof deed, "ip link del %s", link);
    command(deed);
    T_NO_ERR(pod_net_mend(n, &links, &err), &err);
    T_EQ_INT(links, 1);
    SHAPE(n, "pod-a", .limit = {70 * MBIT, 0});
    now = counter_of(n, "pod-a");
    T_OK(now.device < 0 && now.device != first.device);
    pod_net_close(n);
}

TEST_MAIN(limits_hold_in_both_directions, the_node_is_answered_at_once, nobody_sends_under_another_address, ipv6_has_the_same_limit, a_destination_has_a_limit_of_its_own, of_ranges_in_ranges_the_narrower_counts, destinations_together_stay_within_the_limit, what_was_cut_off_is_made_right, the_last_leaf_changes_hands, bridges_have_devices_of_their_own,
          a_request_is_a_share_of_what_the_node_has, who_borrows_gives_way_at_once, also_to_one_that_sends_to_a_destination, found_again_after_a_restart, nothing_is_left_of_pods_that_nobody_spoke_of, one_that_cannot_be_shaped_is_alone, a_kernel_that_cannot_is_asked_once,
          what_others_touch_is_made_right, bytes_are_counted, what_a_limit_holds_back_is_not_counted, what_changes_in_place_counts_on)
