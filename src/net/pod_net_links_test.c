/* What passes between domains, counted on a real kernel with real packets.  Each test is a process in namespaces of its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"
#include "net/netns.h"
#include "net/pod_net_internal.h"
#include "rt/file.h"

#define DIR_ "/tmp/net"
#define POD_NS DIR_ "/ns-pod"
#define FAR_NS DIR_ "/ns-far"
#define PATIENCE_MS 120000

static struct err err;

static int run(const char *const *argv)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    return pod_net_command(argv, S(""), &out, &err);
}
#define RUN(...) T_EQ_INT(run((const char *const[]){__VA_ARGS__, NULL}), 0)

static bool fresh_machine(void)
{
    if (geteuid() != 0 || unshare(CLONE_NEWNET | CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0 ||
        mkdir(DIR_, 0700) < 0 || run((const char *const[]){"nft", "list", "ruleset", NULL}) != 0) {
        printf("# skipped: needs root, namespaces and nft (%s)\n", strerror(errno));
        return false;
    }
    return true;
}

static struct pod_net *must_open(void)
{
    struct pod_net *n = NULL;
    struct pod_net_opts o = {.pod_cidr = "10.42.3.0/24", .cluster_cidr = "10.42.0.0/16", .mode = "none", .state_dir = DIR_ "/state"};
    T_NO_ERR(pod_net_open(&o, &n, &err), &err);
    if (!n)
        exit(1);
    return n;
}

/* A machine behind a cable, with addresses of a pod of bob's, of carol's, and of nobody's. */
static void far_machine(void)
{
    T_NO_ERR(netns_create(FAR_NS, &err), &err);
    char pid[16];
    snprintf(pid, sizeof pid, "%d", getpid());
    RUN("nsenter", "--net=" FAR_NS, "ip", "link", "add", "eth0", "type", "veth", "peer", "name", "cable", "netns", pid);
    RUN("ip", "addr", "add", "192.0.2.1/24", "dev", "cable");
    RUN("ip", "link", "set", "cable", "up");
    RUN("nsenter", "--net=" FAR_NS, "ip", "addr", "add", "192.0.2.2/24", "dev", "eth0");
    RUN("nsenter", "--net=" FAR_NS, "ip", "link", "set", "eth0", "up");
    RUN("nsenter", "--net=" FAR_NS, "ip", "link", "set", "lo", "up");
    static const char *const far[] = {"10.42.9.5/32", "10.42.10.5/32", "10.42.11.5/32"};
    for (size_t i = 0; i < ARRAY_LEN(far); i++) {
        RUN("nsenter", "--net=" FAR_NS, "ip", "addr", "add", far[i], "dev", "lo");
        RUN("ip", "route", "add", far[i], "via", "192.0.2.2");
    }
    RUN("nsenter", "--net=" FAR_NS, "ip", "route", "add", "10.42.3.0/24", "via", "192.0.2.1");
}

struct end {
    const char *ip;
    int fd;
};

static int open_udp(void *arg)
{
    struct end *e = arg;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5001)};
    e->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (e->ip)
        inet_pton(AF_INET, e->ip, &at.sin_addr);
    return bind(e->fd, (struct sockaddr *)&at, sizeof at) < 0 ? -errno : 0;
}

/* A datagram of so many bytes; returns when it has come. */
static void pass(int from, int to, const char *to_ip, size_t bytes)
{
    static char buf[2048];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(5001)};
    inet_pton(AF_INET, to_ip, &at.sin_addr);
    T_EQ_INT(sendto(from, buf, bytes, 0, (struct sockaddr *)&at, sizeof at), bytes);
    struct pollfd p = {.fd = to, .events = POLLIN};
    T_EQ_INT(poll(&p, 1, PATIENCE_MS), 1);
    T_EQ_INT(read(to, buf, sizeof buf), bytes);
}

static struct pod_net_counter counter_of(struct pod_net *n, const char *domain)
{
    struct pod_net_counter *list CLEANUP(free) = NULL, none = {.device = -1};
    size_t len = 0;
    T_NO_ERR(pod_net_link_counters(n, &list, &len, &err), &err);
    for (size_t i = 0; i < len; i++)
        if (strcmp(list[i].uid, domain) == 0)
            return list[i];
    return none;
}

static struct ipam_cidr cidr(const char *text)
{
    struct ipam_cidr c = {0};
    T_OK(ipam_cidr_parse(str_of(text), &c));
    return c;
}

static bool has_table(void)
{
    return run((const char *const[]){"nft", "list", "table", "ip", "cox-links", NULL}) == 0;
}

#define HEADERS 28 /* IPv4 and UDP */

TEST(each_domain_is_counted_by_itself)
{
    if (!fresh_machine())
        return;
    struct pod_net *n = must_open();
    char ip[IPAM_TEXT];
    T_NO_ERR(netns_create(POD_NS, &err), &err);
    T_NO_ERR(pod_net_attach(n, &(struct pod_net_attach){.uid = S("pod"), .netns_path = POD_NS}, ip, &err), &err);
    far_machine();
    FD_AUTO pod_ns = open(POD_NS, O_RDONLY | O_CLOEXEC);
    FD_AUTO far_ns = open(FAR_NS, O_RDONLY | O_CLOEXEC);
    struct end pod = {0}, bob = {.ip = "10.42.9.5"}, carol = {.ip = "10.42.10.5"}, nobody = {.ip = "10.42.11.5"}, machine = {.ip = "192.0.2.2"};
    T_EQ_INT(netns_run(pod_ns, open_udp, &pod), 0);
    struct end *const far[] = {&bob, &carol, &nobody, &machine};
    for (size_t i = 0; i < ARRAY_LEN(far); i++)
        T_EQ_INT(netns_run(far_ns, open_udp, far[i]), 0);
    struct ipam_cidr bobs[] = {cidr("10.42.9.0/24"), cidr("192.0.2.2/32"), cidr("10.42.9.128/25")}, carols[] = {cidr("10.42.10.0/24")}, ours[] = {cidr("10.42.3.0/24")};
    struct pod_net_link links[] = {{S("bob"), bobs, 3}, {S("carol"), carols, 1}, {S("0-alice"), ours, 1}};

    T_OK(!has_table()); /* nothing is counted as long as nobody asks */
    T_NO_ERR(pod_net_links(n, NULL, 0, &err), &err);
    T_OK(!has_table());
    T_NO_ERR(pod_net_links(n, links, 3, &err), &err);
    pass(pod.fd, bob.fd, bob.ip, 1000);
    pass(pod.fd, machine.fd, machine.ip, 100);
    pass(bob.fd, pod.fd, ip, 500);
    pass(pod.fd, carol.fd, carol.ip, 700);
    pass(pod.fd, nobody.fd, nobody.ip, 300);
    struct pod_net_counter b = counter_of(n, "bob"), c = counter_of(n, "carol"), a = counter_of(n, "0-alice");
    T_EQ_INT(b.out_bytes, 1000 + 100 + 2 * HEADERS);
    T_EQ_INT(b.in_bytes, 500 + HEADERS);
    T_EQ_INT(c.out_bytes, 700 + HEADERS);
    T_EQ_INT(c.in_bytes, 0);
    T_EQ_INT(a.out_bytes + a.in_bytes, 0);

    /* another range of the same domain: what was counted stays, nothing begins anew */
    bobs[2] = cidr("10.42.11.0/24");
    T_NO_ERR(pod_net_links(n, links, 3, &err), &err);
    pass(pod.fd, nobody.fd, nobody.ip, 300);
    T_EQ_INT(counter_of(n, "bob").out_bytes, 1000 + 100 + 300 + 3 * HEADERS);
    T_EQ_INT(counter_of(n, "bob").device, b.device);
    /* a domain goes: counters begin anew, and say so */
    T_NO_ERR(pod_net_links(n, links, 1, &err), &err);
    T_EQ_INT(counter_of(n, "bob").out_bytes, 0);
    T_OK(counter_of(n, "bob").device != b.device);
    T_EQ_INT(counter_of(n, "carol").device, -1);
    /* somebody flushed the rules */
    RUN("nft", "flush", "ruleset");
    struct pod_net_counter *list = NULL;
    size_t len = 0;
    T_ERR(pod_net_link_counters(n, &list, &len, &err), E_NOT_FOUND);
    int before = b.device;
    T_NO_ERR(pod_net_links(n, links, 1, &err), &err);
    T_OK(counter_of(n, "bob").device > before);
    /* names and numbers that cannot be */
    T_ERR(pod_net_links(n, &(struct pod_net_link){S("bob\"; }"), bobs, 1}, 1, &err), E_INVALID_ARG);
    T_ERR(pod_net_links(n, &(struct pod_net_link){S("bob"), bobs, POD_NET_LINK_NETS + 1}, 1, &err), E_TOO_LARGE);
    T_EQ_INT(counter_of(n, "bob").out_bytes, 0);
    pod_net_close(n);

    /* the next process: it counts anew, or takes away what was left */
    n = must_open();
    T_OK(has_table());
    T_NO_ERR(pod_net_links(n, NULL, 0, &err), &err);
    T_OK(!has_table());
    T_NO_ERR(pod_net_links(n, links, 2, &err), &err);
    T_OK(has_table());
    for (size_t i = 0; i < ARRAY_LEN(far); i++)
        close(far[i]->fd);
    close(pod.fd);
    pod_net_close(n);
    T_NO_ERR(pod_net_remove(&(struct pod_net_opts){.state_dir = DIR_ "/state"}, &err), &err);
    T_OK(!has_table());
}

TEST_MAIN(each_domain_is_counted_by_itself)
