/* The pod network on a real kernel.  Each test is a process in a network and a mount namespace of its own, with a /tmp of its own: whatever
 * happens, nothing is left.  "Outside" is a second namespace behind a veth: a client of this node, or another node.
 *
 *     outside 192.0.2.2 ---- up0 192.0.2.1  this node  cox0 10.42.3.1 ---- pods
 */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/pod_net.h"

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
#include "net/nl_ops.h"
#include "net/pod_net_internal.h"
#include "rt/failpoint.h"
#include "rt/file.h"
#include "rt/thread.h"

#define DIR_ "/tmp/net"
#define PATIENCE_MS 120000

static struct err err;

/* False: this machine does not allow it, and the reason is printed. */
static bool fresh_machine(void)
{
    if (geteuid() != 0 || unshare(CLONE_NEWNET | CLONE_NEWNS) < 0) {
        printf("# skipped: a network namespace needs root (%s)\n", strerror(errno));
        return false;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0 || mkdir(DIR_, 0700) < 0) {
        printf("# skipped: no private mounts here (%s)\n", strerror(errno));
        return false;
    }
    struct nl_sock s;
    struct nl_link lo;
    if (nl_open(&s, NETLINK_ROUTE) < 0 || nl_link_find(&s, "lo", &lo) < 0 || nl_link_set_up(&s, lo.index) < 0 ||
        nl_link_add_bridge(&s, "probe", (const uint8_t *)"\x02\0\0\0\0\1", 0) < 0) {
        printf("# skipped: this kernel has no bridges\n");
        return false;
    }
    nl_close(&s);
    return true;
}

static struct pod_net_opts opts(void)
{
    return (struct pod_net_opts){.pod_cidr = "10.42.3.0/24", .cluster_cidr = "10.42.0.0/16", .mode = "none", .state_dir = DIR_ "/state"};
}

static struct pod_net *must_open(const struct pod_net_opts *o)
{
    struct pod_net *n = NULL;
    T_NO_ERR(pod_net_open(o, &n, &err), &err);
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

static void new_ns(const char *name)
{
    T_NO_ERR(netns_create(ns_path(name), &err), &err);
}

static int attach(struct pod_net *n, const char *uid, const struct pod_net_port *ports, size_t nports, char ip[IPAM_TEXT])
{
    if (!netns_exists(ns_path(uid)))
        new_ns(uid);
    return pod_net_attach(n, &(struct pod_net_attach){.uid = str_of(uid), .netns_path = ns_path(uid), .hostname = str_of(uid), .ports = ports, .nports = nports}, ip, &err);
}

/* --- sockets in namespaces ---------------------------------------------------------------------------------------------------- */
struct sock_job {
    const char *ip;
    uint16_t port;
    bool listen;
    int type, fd;
};

static int make_socket(void *arg)
{
    struct sock_job *j = arg;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(j->port)};
    inet_pton(AF_INET, j->ip, &a.sin_addr);
    j->fd = socket(AF_INET, (j->type ? j->type : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (j->fd < 0)
        return -errno;
    int r = j->listen ? bind(j->fd, (struct sockaddr *)&a, sizeof a) : connect(j->fd, (struct sockaddr *)&a, sizeof a);
    if (r == 0 && j->listen && j->type != SOCK_DGRAM)
        r = listen(j->fd, 16);
    return r < 0 && errno != EINPROGRESS ? -errno : 0;
}

static int in_ns(const char *ns, struct sock_job *j)
{
    j->fd = -1;
    if (!ns)
        return make_socket(j);
    FD_AUTO fd = open(ns_path(ns), O_RDONLY | O_CLOEXEC);
    return netns_run(fd, make_socket, j);
}

static int listen_in(const char *ns, uint16_t port)
{
    struct sock_job j = {.ip = "0.0.0.0", .port = port, .listen = true};
    T_EQ_INT(in_ns(ns, &j), 0);
    return j.fd;
}

static bool ready(int fd, short events, int ms)
{
    struct pollfd p = {.fd = fd, .events = events};
    return poll(&p, 1, ms) == 1;
}

/* A connection from ns to ip:port; its descriptor, or -1 when it is refused or (within ms) does not come about. */
static int dial(const char *ns, const char *ip, uint16_t port, int ms)
{
    struct sock_job j = {.ip = ip, .port = port};
    int r = in_ns(ns, &j), error = 0;
    socklen_t len = sizeof error;
    if (r == 0 && ready(j.fd, POLLOUT, ms) && getsockopt(j.fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0)
        return j.fd;
    if (j.fd >= 0)
        close(j.fd);
    return -1;
}

/* Dials, accepts, and says whom the listener sees. */
static void expect_reach_at(int line, const char *from, const char *ip, uint16_t port, int listener, const char *seen_as)
{
    int c = dial(from, ip, port, PATIENCE_MS), s = -1;
    struct sockaddr_in peer = {0};
    socklen_t len = sizeof peer;
    if (c >= 0 && ready(listener, POLLIN, PATIENCE_MS))
        s = accept(listener, (struct sockaddr *)&peer, &len);
    char text[IPAM_TEXT] = "nobody", byte = 'x';
    if (s >= 0)
        inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text);
    if (s < 0 || write(c, &byte, 1) != 1 || !ready(s, POLLIN, PATIENCE_MS) || read(s, &byte, 1) != 1)
        T_FAIL_("line %d: %s cannot reach %s:%u", line, from ? from : "the node", ip, port);
    else if (seen_as && strcmp(seen_as, text) != 0)
        T_FAIL_("line %d: the peer is seen as %s, expected %s", line, text, seen_as);
    if (c >= 0)
        close(c);
    if (s >= 0)
        close(s);
}
#define EXPECT_REACH(...) expect_reach_at(__LINE__, __VA_ARGS__)

struct veth_end {
    const char *name;
    uint32_t ip;
};

static int address_up(void *arg)
{
    struct veth_end *e = arg;
    struct nl_sock s;
    struct nl_link l;
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_find(&s, e->name, &l);
    if (r == 0)
        r = nl_addr_put(&s, l.index, e->ip, 24);
    if (r == 0)
        r = nl_link_set_up(&s, l.index);
    nl_close(&s);
    return r;
}

/* up0 192.0.2.1 here, eth0 192.0.2.2 in the namespace "outside". */
static void make_outside(void)
{
    struct nl_sock s;
    new_ns("outside");
    FD_AUTO fd = open(ns_path("outside"), O_RDONLY | O_CLOEXEC);
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(nl_link_add_veth(&s, &(struct nl_veth){.name = "up0", .peer_name = "eth0", .peer_netns_fd = fd, .mtu = 1500, .peer_mac = {2, 0, 0, 0, 0, 2}}), 0);
    nl_close(&s);
    T_EQ_INT(address_up(&(struct veth_end){"up0", 0xc0000201}), 0);
    T_EQ_INT(netns_run(fd, address_up, &(struct veth_end){"eth0", 0xc0000202}), 0);
}

/* --- what a machine looks like ------------------------------------------------------------------------------------------------ */
static void snapshot(struct strbuf *b)
{
    struct nl_sock s;
    struct nl_links links = {0};
    struct nl_routes routes = {0};
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(nl_link_list(&s, &links), 0);
    T_EQ_INT(nl_route_list(&s, 0, &routes), 0);
    nl_close(&s);
    for (size_t i = 0; i < links.all.len; i++)
        strbuf_addf(b, "link %s\n", links.all.p[i].name);
    for (size_t i = 0; i < routes.all.len; i++)
        strbuf_addf(b, "route %08x/%u via %08x\n", routes.all.p[i].dst, routes.all.p[i].prefix, routes.all.p[i].gateway);
    vec_fini(&links.all);
    vec_fini(&routes.all);
    char *text;
    T_NO_ERR(file_read("/proc/sys/net/ipv4/ip_forward", 16, &text, NULL, &err), &err);
    strbuf_addf(b, "forward %s", text);
    free(text);
    FILE *p = popen("PATH=$PATH:/usr/sbin:/sbin nft list ruleset", "re");
    char part[4096];
    for (size_t n; p && (n = fread(part, 1, sizeof part, p)) > 0;)
        strbuf_add(b, part, n);
    if (p)
        pclose(p);
}

static bool mentions(const char *text)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    snapshot(&b);
    return str_find(strbuf_str(&b), str_of(text)) >= 0;
}

/* --- tests -------------------------------------------------------------------------------------------------------------------- */
TEST(namespaces_on_files)
{
    if (!fresh_machine())
        return;
    T_OK(!netns_exists(ns_path("a")));
    T_NO_ERR(netns_remove(ns_path("a"), &err), &err);
    new_ns("a");
    T_OK(netns_exists(ns_path("a")));
    T_ERR(netns_create(ns_path("a"), &err), E_EXISTS);
    /* we did not move: the link made above is still ours */
    T_OK(mentions("link probe"));
    T_NO_ERR(netns_remove(ns_path("a"), &err), &err);
    T_OK(!file_exists(ns_path("a")));
    T_ERR(netns_create("/tmp/no/such/folder", &err), E_NOT_FOUND);
}

TEST(pods_reach_each_other)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n CLEANUP(pod_net_close) = must_open(&o);
    char a[IPAM_TEXT] = "", b[IPAM_TEXT] = "", again[IPAM_TEXT] = "";
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    T_NO_ERR(attach(n, "pod-b", NULL, 0, b), &err);
    T_EQ_STR(str_of(a), "10.42.3.2");
    T_EQ_STR(str_of(b), "10.42.3.3");
    FD_AUTO web = listen_in("pod-b", 80);
    EXPECT_REACH("pod-a", b, 80, web, a);
    EXPECT_REACH("pod-b", "127.0.0.1", 80, web, "127.0.0.1"); /* lo is up */
    EXPECT_REACH(NULL, b, 80, web, "10.42.3.1");
    T_NO_ERR(attach(n, "pod-b", NULL, 0, again), &err); /* nothing is disturbed: the listener goes on */
    T_EQ_STR(str_of(again), b);
    EXPECT_REACH("pod-a", b, 80, web, a);
    T_OK(pod_net_find(n, S("pod-a"), again));
    T_EQ_STR(str_of(again), a);
    struct pod_net_pod *list CLEANUP(free) = NULL;
    size_t len;
    pod_net_list(n, &list, &len);
    T_EQ_INT(len, 2);
    T_EQ_STR(str_of(list[1].uid), "pod-b");
    /* the same pod in a new namespace (its sandbox was made again) keeps its address */
    T_NO_ERR(netns_remove(ns_path("pod-a"), &err), &err);
    T_NO_ERR(attach(n, "pod-a", NULL, 0, again), &err);
    T_EQ_STR(str_of(again), a);
    EXPECT_REACH("pod-a", b, 80, web, a);
}

TEST(bad_arguments)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = NULL;
    o.pod_cidr = "10.42.3.1/24";
    T_ERR(pod_net_open(&o, &n, &err), E_INVALID_ARG);
    o = opts();
    o.mode = "vxlan";
    T_ERR(pod_net_open(&o, &n, &err), E_INVALID_ARG);
    o.mode = "magic";
    T_ERR(pod_net_open(&o, &n, &err), E_INVALID_ARG);
    o = opts();
    o.bridge = "x; flush";
    T_ERR(pod_net_open(&o, &n, &err), E_INVALID_ARG);
    o.bridge = "lo";
    T_ERR(pod_net_open(&o, &n, &err), E_EXISTS);
    o = opts();
    n = must_open(&o);
    char ip[IPAM_TEXT];
    T_ERR(pod_net_attach(n, &(struct pod_net_attach){.uid = S("../x"), .netns_path = "/x"}, ip, &err), E_INVALID_ARG);
    T_ERR(pod_net_attach(n, &(struct pod_net_attach){.uid = S("x"), .netns_path = DIR_ "/none"}, ip, &err), E_NOT_FOUND);
    T_OK(!pod_net_find(n, S("x"), ip));
    /* a failed attach gave its address back */
    T_NO_ERR(attach(n, "pod-a", NULL, 0, ip), &err);
    T_OK(pod_net_find(n, S("pod-a"), ip));
    T_NO_ERR(pod_net_detach(n, S("never"), &err), &err);
    pod_net_close(n);
}

static void set_bridge_rules(int on)
{
    FILE *f = fopen("/proc/sys/net/bridge/bridge-nf-call-iptables", "we"); /* there when br_netfilter is loaded */
    if (f) {
        fprintf(f, "%d", on);
        fclose(f);
    }
}

TEST(host_ports)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    o.node_ip = "192.0.2.1";
    make_outside();
    struct pod_net *n = must_open(&o);
    if (pod_net_degraded(n)) {
        printf("# skipped: %s\n", pod_net_degraded(n));
        pod_net_close(n);
        return;
    }
    char a[IPAM_TEXT], b[IPAM_TEXT], ip[IPAM_TEXT];
    static const struct pod_net_port ports[] = {{.host_port = 8080, .container_port = 80}, {.host_ip = 0xc0000201, .host_port = 8081, .container_port = 80}};
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    T_NO_ERR(attach(n, "pod-b", ports, 2, b), &err);
    T_ERR(attach(n, "pod-c", ports, 1, ip), E_EXISTS);
    T_NO_ERR(attach(n, "pod-b", ports, 2, ip), &err); /* its own ports are no conflict */
    FD_AUTO web = listen_in("pod-b", 80);
    EXPECT_REACH("outside", "192.0.2.1", 8080, web, "192.0.2.2");
    EXPECT_REACH("outside", "192.0.2.1", 8081, web, "192.0.2.2");
    EXPECT_REACH(NULL, "192.0.2.1", 8080, web, NULL);
    EXPECT_REACH(NULL, "127.0.0.1", 8080, web, "10.42.3.1");
    /* bridged packets see the rules on some machines and not on others: both must work */
    for (int bridged = 0; bridged < 2; bridged++) {
        set_bridge_rules(bridged);
        EXPECT_REACH("pod-a", "192.0.2.1", 8080, web, NULL);
        EXPECT_REACH("pod-a", "10.42.3.1", 8080, web, NULL);
        EXPECT_REACH("pod-b", "192.0.2.1", 8080, web, NULL); /* to itself, round by the node */
    }
    T_EQ_INT(dial(NULL, "127.0.0.1", 8081, PATIENCE_MS), -1);
    /* a restart, and somebody who flushes all rules, change nothing for long */
    pod_net_close(n);
    T_EQ_INT(system("PATH=$PATH:/usr/sbin:/sbin nft flush ruleset"), 0);
    n = must_open(&o);
    EXPECT_REACH("outside", "192.0.2.1", 8080, web, "192.0.2.2");
    T_NO_ERR(pod_net_detach(n, S("pod-b"), &err), &err);
    T_EQ_INT(dial("outside", "192.0.2.1", 8080, PATIENCE_MS), -1);
    T_NO_ERR(attach(n, "pod-c", ports, 1, ip), &err);
    pod_net_close(n);
}

/* Sends a byte until the listener has it or patience is over: UDP has no handshake to wait for. */
static bool udp_reaches(int from, int to)
{
    char byte = 'u';
    for (int i = 0; i < PATIENCE_MS / 100; i++) {
        err_ignore(write(from, &byte, 1), "nobody may listen yet");
        if (ready(to, POLLIN, 100) && read(to, &byte, 1) == 1)
            return true;
    }
    return false;
}

TEST(udp_flows_follow_the_host_port)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    o.node_ip = "192.0.2.1";
    make_outside();
    struct pod_net *n = must_open(&o);
    if (pod_net_degraded(n)) {
        printf("# skipped: %s\n", pod_net_degraded(n));
        pod_net_close(n);
        return;
    }
    char ip[IPAM_TEXT], byte = 'u';
    static const struct pod_net_port port = {.host_port = 5353, .container_port = 53, .protocol = POD_NET_UDP};
    struct sock_job client = {.ip = "192.0.2.1", .port = 5353, .type = SOCK_DGRAM};
    T_EQ_INT(in_ns("outside", &client), 0);
    T_EQ_INT(write(client.fd, &byte, 1), 1); /* a flow from before there was a pod */
    for (int i = 0; i < 2; i++) {
        const char *uid = i ? "pod-b" : "pod-a";
        new_ns(uid);
        struct sock_job server = {.ip = "0.0.0.0", .port = 53, .type = SOCK_DGRAM, .listen = true};
        T_EQ_INT(in_ns(uid, &server), 0);
        T_NO_ERR(attach(n, uid, &port, 1, ip), &err);
        T_OK(udp_reaches(client.fd, server.fd));
        T_NO_ERR(pod_net_detach(n, str_of(uid), &err), &err);
        close(server.fd);
    }
    close(client.fd);
    pod_net_close(n);
}

TEST(leaving_the_cluster)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    o.node_ip = "192.0.2.1";
    make_outside();
    struct pod_net *n = must_open(&o);
    if (pod_net_degraded(n)) {
        printf("# skipped: %s\n", pod_net_degraded(n));
        pod_net_close(n);
        return;
    }
    char a[IPAM_TEXT];
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    FD_AUTO site = listen_in("outside", 80);
    EXPECT_REACH("pod-a", "192.0.2.2", 80, site, "192.0.2.1");
    T_OK(mentions("masquerade"));
    T_EQ_INT(pod_net_mtu(n), 1500);
    pod_net_close(n);
}

/* How often a text is in what a command prints; -1: it does not work here. */
static int count_in_output(const char *const *argv, const char *what)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    if (pod_net_command(argv, S(""), &out, &err) != 0)
        return -1;
    int found = 0;
    str rest = strbuf_str(&out);
    for (ptrdiff_t at; (at = str_find(rest, str_of(what))) >= 0; found++)
        rest = str_from(rest, (size_t)at + 1);
    return found;
}

static bool run(const char *const *argv, const char *input)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    bool worked = pod_net_command(argv, str_of(input), &out, &err) == 0;
    str rest = strbuf_str(&out), line = STR_NONE;
    str_cut(&rest, '\n', &line);
    if (!worked)
        printf("# %s: " STR_FMT "\n", argv[0], STR_ARG(line));
    return worked;
}

static const char *const nft_from_input[] = {"nft", "-f", "-", NULL};
static const char *const list_nft[] = {"nft", "list", "ruleset", NULL};
static const char *const list_legacy[] = {"iptables-legacy", "-S", "FORWARD", NULL};

/* As after the start of Docker, and of a rule set that ends with "drop". */
TEST(firewalls_that_drop_what_is_forwarded)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    o.node_ip = "192.0.2.1";
    make_outside();
    if (!run(nft_from_input, "table ip filter {\n chain FORWARD { type filter hook forward priority 0; policy drop;\n counter comment \"theirs\"\n }\n}\n"
                             "table inet site {\n chain forwarding { type filter hook forward priority 10; policy drop;\n }\n chain incoming { type filter hook input priority 0; policy accept;\n }\n}\n")) {
        printf("# skipped: nft does not work here\n");
        return;
    }
    struct pod_net *n = NULL;
    for (int i = 0; i < 2; i++) { /* the second time everything is there */
        if (n)
            pod_net_close(n);
        n = must_open(&o);
        T_OK(!pod_net_blocked(n));
        T_EQ_INT(count_in_output(list_nft, "comment \"cox-pods\""), 4);
    }
    char a[IPAM_TEXT];
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    FD_AUTO site = listen_in("outside", 80);
    EXPECT_REACH("pod-a", "192.0.2.2", 80, site, "192.0.2.1");
    pod_net_close(n);
    T_NO_ERR(pod_net_remove(&o, &err), &err);
    T_EQ_INT(count_in_output(list_nft, "cox"), 0);
    T_EQ_INT(count_in_output(list_nft, "theirs"), 1);
    T_EQ_INT(count_in_output(list_nft, "policy drop"), 2);
}

TEST(firewalls_of_the_older_kind)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    if (!run((const char *const[]){"iptables-legacy", "-w", "10", "-P", "FORWARD", "DROP", NULL}, "")) {
        printf("# skipped: iptables-legacy does not work here\n");
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct pod_net *n = must_open(&o);
        T_OK(!pod_net_blocked(n));
        T_EQ_INT(count_in_output(list_legacy, "cox0 -j ACCEPT"), 2);
        pod_net_close(n);
    }
    T_NO_ERR(pod_net_remove(&o, &err), &err);
    T_EQ_INT(count_in_output(list_legacy, "cox0"), 0);
    T_EQ_INT(count_in_output(list_legacy, "-P FORWARD DROP"), 1);
}

static void expect_setting(const char *path, const char *want)
{
    char text[16] = "";
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0) /* a kernel without IPv6 has none */
        T_EQ_STR(str_trim(str_of(text)), want);
}

/* A pod cannot become the machine's router by announcing itself as one. */
TEST(pods_are_no_routers)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    expect_setting("/proc/sys/net/ipv6/conf/cox0/accept_ra", "0");
    expect_setting("/proc/sys/net/ipv6/conf/cox0/accept_redirects", "0");
    expect_setting("/proc/sys/net/ipv4/conf/cox0/accept_redirects", "0");
    pod_net_close(n);
}

static int spoof(void *arg)
{
    /* what a hostile pod would do: no lo, and 127.0.0.1 via the node */
    struct nl_sock s;
    struct nl_link l;
    (void)arg;
    int r = nl_open(&s, NETLINK_ROUTE);
    if (r == 0)
        r = nl_link_find(&s, "lo", &l);
    if (r == 0)
        r = nl_addr_del(&s, l.index, 0x7f000001, 8);
    if (r == 0)
        r = nl_link_find(&s, "eth0", &l);
    if (r == 0)
        r = nl_route_put(&s, &(struct nl_route_spec){.dst = 0x7f000000, .prefix = 8, .gateway = 0x0a2a0301, .oif = l.index});
    nl_close(&s);
    FILE *f = fopen("/proc/sys/net/ipv4/conf/eth0/route_localnet", "we");
    if (f) {
        fputs("1", f);
        fclose(f);
    }
    return r;
}

TEST(localhost_of_the_node_is_not_the_pods)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    if (!pod_net_degraded(n)) {
        char ip[IPAM_TEXT];
        T_NO_ERR(attach(n, "pod-a", NULL, 0, ip), &err);
        struct sock_job j = {.ip = "127.0.0.1", .port = 7070, .listen = true};
        T_EQ_INT(in_ns(NULL, &j), 0);
        FD_AUTO ns = open(ns_path("pod-a"), O_RDONLY | O_CLOEXEC);
        T_EQ_INT(netns_run(ns, spoof, NULL), 0);
        T_EQ_INT(dial("pod-a", "127.0.0.1", 7070, 1000), -1);
        T_OK(!ready(j.fd, POLLIN, 0));
        close(j.fd);
    }
    pod_net_close(n);
}

TEST(a_restart_adopts)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    char a[IPAM_TEXT], b[IPAM_TEXT], c[IPAM_TEXT], byte = 'x';
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    T_NO_ERR(attach(n, "pod-b", NULL, 0, b), &err);
    FD_AUTO web = listen_in("pod-b", 80);
    FD_AUTO open_before = dial("pod-a", b, 80, PATIENCE_MS);
    T_OK(ready(web, POLLIN, PATIENCE_MS));
    FD_AUTO served = accept(web, NULL, NULL);
    for (int lost_files = 0; lost_files < 2; lost_files++) {
        pod_net_close(n);
        if (lost_files)
            T_EQ_INT(system("rm -r " DIR_ "/state"), 0);
        n = must_open(&o);
        T_OK(pod_net_find(n, S("pod-a"), c));
        T_EQ_STR(str_of(c), a);
        T_EQ_INT(write(open_before, &byte, 1), 1);
        T_OK(ready(served, POLLIN, PATIENCE_MS));
        T_EQ_INT(read(served, &byte, 1), 1);
        EXPECT_REACH("pod-a", b, 80, web, a);
    }
    T_NO_ERR(attach(n, "pod-c", NULL, 0, c), &err);
    T_EQ_STR(str_of(c), "10.42.3.4");
    /* what was given back rests, also over a restart */
    T_NO_ERR(pod_net_detach(n, S("pod-a"), &err), &err);
    T_NO_ERR(pod_net_detach(n, S("pod-a"), &err), &err);
    pod_net_close(n);
    n = must_open(&o);
    T_OK(!pod_net_find(n, S("pod-a"), c));
    T_NO_ERR(attach(n, "pod-d", NULL, 0, c), &err);
    T_EQ_STR(str_of(c), "10.42.3.5");
    pod_net_close(n);
}

/* Somebody restarts the machine's network, or tidies up: links that went are made again, and pods keep their addresses. */
TEST(links_that_others_took_away)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    char a[IPAM_TEXT], b[IPAM_TEXT], link[IFNAMSIZ];
    size_t mended = 7;
    T_EQ_INT(attach(n, "pod-a", NULL, 0, a), 0);
    T_EQ_INT(attach(n, "pod-b", NULL, 0, b), 0);
    FD_AUTO at_a = listen_in("pod-a", 80);
    FD_AUTO at_b = listen_in("pod-b", 80);
    pod_net_link_name(S("pod-a"), link);
    T_NO_ERR(pod_net_mend(n, &mended, &err), &err);
    T_EQ_INT(mended, 0);
    const struct {
        const char *argv[8];
        bool while_nobody_looks; /* the next start finds the bridge, and its ports out of it */
        size_t mended;
    } faults[] = {
        {{"ip", "link", "del", link}, false, 1},
        {{"ip", "link", "set", link, "nomaster"}, false, 1},
        {{"ip", "link", "set", "cox0", "down"}, false, 1},
        {{"ip", "link", "del", "cox0"}, false, 3}, /* and two ports of it */
        {{"ip", "link", "del", "cox0"}, true, 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
        STRBUF_AUTO out = STRBUF_HEAP;
        printf("# ip link %s %s\n", faults[i].argv[2], faults[i].argv[3]);
        T_EQ_INT(pod_net_command(faults[i].argv, S(""), &out, &err), 0);
        if (faults[i].while_nobody_looks) {
            pod_net_close(n);
            n = must_open(&o);
        }
        T_NO_ERR(pod_net_mend(n, &mended, &err), &err);
        T_EQ_INT(mended, faults[i].mended);
        EXPECT_REACH("pod-a", b, 80, at_b, a);
        EXPECT_REACH("pod-b", a, 80, at_a, b);
        EXPECT_REACH(NULL, a, 80, at_a, "10.42.3.1");
    }
    T_NO_ERR(pod_net_mend(n, &mended, &err), &err);
    T_EQ_INT(mended, 0);
    pod_net_close(n);
}

static void command(const char *const *argv)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    T_EQ_INT(pod_net_command(argv, S(""), &out, &err), 0);
}

/* An interface that happens to have the name of a pod's link is not led into the pods' bridge. */
TEST(a_link_that_is_not_ours)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    char a[IPAM_TEXT], link[IFNAMSIZ];
    size_t mended = 7;
    struct nl_sock s;
    struct nl_link l;
    T_EQ_INT(attach(n, "pod-a", NULL, 0, a), 0);
    pod_net_link_name(S("pod-a"), link);
    command((const char *const[]){"ip", "link", "del", link, NULL});
    command((const char *const[]){"ip", "link", "add", link, "type", "bridge", NULL});
    T_ERR(pod_net_mend(n, &mended, &err), E_EXISTS);
    T_EQ_STR(str_of(err.msg), "the link of the pod with uid pod-a was taken away and cannot be made again: another program has an interface of its name, cx4977d9352ce5c");
    T_EQ_INT(mended, 0);
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(nl_link_find(&s, link, &l), 0);
    nl_close(&s);
    T_OK(l.master == 0 && !(l.flags & IFF_UP));
    command((const char *const[]){"ip", "link", "del", link, NULL});
    T_NO_ERR(pod_net_mend(n, &mended, &err), &err);
    T_EQ_INT(mended, 1);
    FD_AUTO at_a = listen_in("pod-a", 80);
    EXPECT_REACH(NULL, a, 80, at_a, "10.42.3.1");
    pod_net_close(n);
}

static void mend(void *arg)
{
    struct err e = ERR_NONE;
    size_t mended = 0;
    T_NO_ERR(pod_net_mend(arg, &mended, &e), &e);
    T_EQ_INT(mended, 1);
}

/* A pod that changes while its link is made again is attached all the time, and who changes it waits. */
TEST(mending_is_no_conflict)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    char a[IPAM_TEXT], again[IPAM_TEXT], link[IFNAMSIZ];
    struct nl_sock s;
    struct nl_link l;
    T_EQ_INT(attach(n, "pod-a", NULL, 0, a), 0);
    pod_net_link_name(S("pod-a"), link);
    for (int goes = 0; goes < 2; goes++) {
        struct thread t;
        bool begun = false;
        command((const char *const[]){"ip", "link", "del", link, NULL});
        T_NO_ERR(failpoint_set(S("net.mend.plug=1*sleep(300)"), &err), &err);
        T_NO_ERR(thread_start(&t, "mends", mend, n, &err), &err);
        for (int i = 0; i < PATIENCE_MS && !begun; i++) {
            pthread_mutex_lock(&n->lock);
            begun = ((struct pod_net_record *)map_get(&n->records, S("pod-a")))->mending;
            pthread_mutex_unlock(&n->lock);
            poll(NULL, 0, 1);
        }
        T_OK(begun && pod_net_find(n, S("pod-a"), again));
        if (goes)
            T_NO_ERR(pod_net_detach(n, S("pod-a"), &err), &err);
        else
            T_NO_ERR(attach(n, "pod-a", NULL, 0, again), &err);
        thread_join(&t);
        T_EQ_STR(str_of(again), a);
    }
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(nl_link_find(&s, link, &l), -ENODEV);
    nl_close(&s);
    pod_net_close(n);
}

TEST(garbage_goes)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    char ip[IPAM_TEXT];
    T_NO_ERR(attach(n, "pod-a", NULL, 0, ip), &err);
    T_NO_ERR(attach(n, "pod-b", NULL, 0, ip), &err);
    /* an attach that was cut off before the alias */
    struct nl_sock s;
    struct nl_link bridge;
    FD_AUTO ns = open(ns_path("pod-a"), O_RDONLY | O_CLOEXEC);
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    T_EQ_INT(nl_link_find(&s, "cox0", &bridge), 0);
    T_EQ_INT(nl_link_add_veth(&s, &(struct nl_veth){.name = "cxhalf", .peer_name = "eth7", .master = bridge.index, .peer_netns_fd = ns, .peer_mac = {2, 0, 0, 0, 0, 7}}), 0);
    nl_close(&s);
    size_t removed = 0;
    T_NO_ERR(pod_net_gc(n, (str[]){S("pod-b"), S("other")}, 2, &removed, &err), &err);
    T_EQ_INT(removed, 2);
    T_OK(!mentions("cxhalf"));
    T_OK(!pod_net_find(n, S("pod-a"), ip));
    T_OK(pod_net_find(n, S("pod-b"), ip));
    /* a pod whose namespace is gone is no longer attached after a restart, and can be detached before */
    T_NO_ERR(netns_remove(ns_path("pod-b"), &err), &err);
    T_NO_ERR(pod_net_detach(n, S("pod-b"), &err), &err);
    pod_net_close(n);
}

/* --- two nodes ---------------------------------------------------------------------------------------------------------------- */
struct far_node {
    struct pod_net *n;
    struct pod_net_opts opts;
    char ip[IPAM_TEXT];
};

static int far_up(void *arg)
{
    struct far_node *f = arg;
    const struct pod_net_peer peers[] = {{S("near"), S("192.0.2.1"), S("10.42.3.0/24")}, {S("far"), S("192.0.2.2"), S("10.42.5.0/24")}};
    f->n = must_open(&f->opts);
    T_NO_ERR(pod_net_peers(f->n, peers, 2, &err), &err);
    T_NO_ERR(attach(f->n, "pod-far", NULL, 0, f->ip), &err);
    return 0;
}

static int far_down(void *arg)
{
    struct far_node *f = arg;
    T_NO_ERR(pod_net_detach(f->n, S("pod-far"), &err), &err);
    pod_net_close(f->n);
    T_NO_ERR(pod_net_remove(&f->opts, &err), &err);
    return 0;
}

static void two_nodes(const char *mode)
{
    make_outside();
    struct pod_net_opts o = opts();
    o.mode = mode;
    o.node_ip = "192.0.2.1";
    struct far_node far = {.opts = o};
    far.opts.pod_cidr = "10.42.5.0/24";
    far.opts.node_ip = "192.0.2.2";
    far.opts.state_dir = DIR_ "/state-far";
    FD_AUTO ns = open(ns_path("outside"), O_RDONLY | O_CLOEXEC);
    struct pod_net *n = must_open(&o);
    char a[IPAM_TEXT];
    T_NO_ERR(attach(n, "pod-a", NULL, 0, a), &err);
    T_EQ_INT(netns_run(ns, far_up, &far), 0);
    const struct pod_net_peer peers[] = {{S("bad"), S("192.0.2.9"), S("rubbish")}, {S("gone"), S("192.0.2.3"), S("10.42.7.0/24")}, {S("far"), S("192.0.2.2"), S("10.42.5.0/24")}};
    T_ERR(pod_net_peers(n, peers, 3, &err), E_INVALID_ARG); /* reported, and the others work all the same */
    T_EQ_INT(pod_net_mtu(n), strcmp(mode, "vxlan") == 0 ? 1450 : 1500);
    FD_AUTO web = listen_in("pod-far", 80);
    EXPECT_REACH("pod-a", far.ip, 80, web, a);
    EXPECT_REACH(NULL, far.ip, 80, web, NULL);
    T_OK(mentions("route 0a2a0700/24"));
    /* the same again changes nothing; a peer that is gone goes; a restart keeps the ways */
    T_NO_ERR(pod_net_peers(n, peers + 2, 1, &err), &err);
    T_OK(!mentions("route 0a2a0700/24"));
    EXPECT_REACH("pod-a", far.ip, 80, web, a);
    pod_net_close(n);
    n = must_open(&o);
    EXPECT_REACH("pod-a", far.ip, 80, web, a);
    T_NO_ERR(pod_net_peers(n, peers + 2, 1, &err), &err);
    EXPECT_REACH("pod-a", far.ip, 80, web, a);
    /* a node that came back under another address: the entries follow */
    struct pod_net_peer moved = {S("far"), S("192.0.2.77"), S("10.42.5.0/24")};
    T_NO_ERR(pod_net_peers(n, &moved, 1, &err), &err);
    T_NO_ERR(pod_net_peers(n, peers + 2, 1, &err), &err);
    EXPECT_REACH("pod-a", far.ip, 80, web, a);
    T_NO_ERR(pod_net_peers(n, NULL, 0, &err), &err);
    T_OK(!mentions("route 0a2a0500/24"));
    pod_net_close(n);
    T_EQ_INT(netns_run(ns, far_down, &far), 0);
}

TEST(two_nodes_with_a_tunnel)
{
    if (fresh_machine())
        two_nodes("vxlan");
}

TEST(two_nodes_with_routes)
{
    if (fresh_machine())
        two_nodes("routes");
}

TEST(remove_leaves_nothing)
{
    if (!fresh_machine())
        return;
    make_outside();
    STRBUF_AUTO before = STRBUF_HEAP;
    STRBUF_AUTO after = STRBUF_HEAP;
    snapshot(&before);
    struct pod_net_opts o = opts();
    o.mode = "vxlan";
    o.node_ip = "192.0.2.1";
    struct pod_net *n = must_open(&o);
    char ip[IPAM_TEXT];
    static const struct pod_net_port port = {.host_port = 8080, .container_port = 80};
    T_NO_ERR(attach(n, "pod-a", &port, pod_net_degraded(n) ? 0 : 1, ip), &err);
    T_NO_ERR(pod_net_peers(n, &(struct pod_net_peer){S("far"), S("192.0.2.2"), S("10.42.5.0/24")}, 1, &err), &err);
    T_OK(mentions("forward 1"));
    pod_net_close(n);
    T_NO_ERR(pod_net_remove(&o, &err), &err);
    snapshot(&after);
    T_EQ_STR(strbuf_str(&after), strbuf_cstr(&before));
    T_OK(!file_exists(DIR_ "/state"));
    T_NO_ERR(pod_net_remove(&o, &err), &err); /* twice is fine */
}

/* --- several at once ---------------------------------------------------------------------------------------------------------- */
struct crowd {
    struct pod_net *n;
    int number;
};

static void come_and_go(void *arg)
{
    struct crowd *c = arg;
    for (int i = 0; i < 6; i++) {
        char uid[16], path[64], ip[IPAM_TEXT];
        struct err e = ERR_NONE;
        snprintf(uid, sizeof uid, "p-%d-%d", c->number, i);
        snprintf(path, sizeof path, DIR_ "/ns-%s", uid);
        struct pod_net_port port = {.host_port = (uint16_t)(9000 + c->number * 10 + i), .container_port = 80};
        size_t nports = i == 0 && !pod_net_degraded(c->n);
        T_NO_ERR(netns_create(path, &e), &e);
        T_NO_ERR(pod_net_attach(c->n, &(struct pod_net_attach){.uid = str_of(uid), .netns_path = path, .ports = &port, .nports = nports}, ip, &e), &e);
        if (i % 2)
            T_NO_ERR(pod_net_detach(c->n, str_of(uid), &e), &e);
    }
}

static bool link_exists(const char *name)
{
    struct nl_sock s;
    struct nl_link l;
    T_EQ_INT(nl_open(&s, NETLINK_ROUTE), 0);
    int r = nl_link_find(&s, name, &l);
    nl_close(&s);
    return r == 0;
}

/* A second cluster on the machine finds the first one's bridge, and neither changes nor removes it. */
TEST(the_network_of_another_cluster_stays)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts first = opts(), second = opts();
    struct pod_net *n = must_open(&first), *other = NULL;
    char ip[IPAM_TEXT];
    T_NO_ERR(attach(n, "a", NULL, 0, ip), &err);
    second.state_dir = DIR_ "/other";
    T_EQ_INT(mkdir(second.state_dir, 0700), 0);
    T_ERR(pod_net_open(&second, &other, &err), E_EXISTS);
    T_OK(str_find(str_of(err.msg), S("is that of another cluster on this machine (" DIR_ "/state): choose another name with --pod-bridge")) >= 0);
    T_NO_ERR(pod_net_remove(&second, &err), &err);
    T_OK(link_exists("cox0"));
    second.bridge = "coxb";
    second.pod_cidr = second.cluster_cidr = "10.43.0.0/24";
    other = must_open(&second);
    T_NO_ERR(attach(other, "b", NULL, 0, ip), &err);
    pod_net_close(other);
    T_NO_ERR(pod_net_remove(&second, &err), &err);
    T_OK(link_exists("cox0") && !link_exists("coxb"));
    T_OK(pod_net_find(n, S("a"), ip));
    pod_net_close(n);
    /* a folder that is gone owns nothing */
    second = opts();
    second.state_dir = DIR_ "/moved";
    T_EQ_INT(rename(DIR_ "/state", second.state_dir), 0);
    pod_net_close(must_open(&second));
    T_NO_ERR(pod_net_remove(&second, &err), &err);
    T_OK(!link_exists("cox0"));
}

TEST(several_at_once)
{
    if (!fresh_machine())
        return;
    struct pod_net_opts o = opts();
    struct pod_net *n = must_open(&o);
    struct thread threads[4];
    struct crowd crowd[4];
    for (int i = 0; i < 4; i++) {
        crowd[i] = (struct crowd){n, i};
        T_NO_ERR(thread_start(&threads[i], "worker", come_and_go, &crowd[i], &err), &err);
    }
    for (int i = 0; i < 4; i++)
        thread_join(&threads[i]);
    struct pod_net_pod *list CLEANUP(free) = NULL;
    size_t len;
    pod_net_list(n, &list, &len);
    T_EQ_INT(len, 12);
    for (size_t i = 0; i < len; i++) {
        for (size_t k = 0; k < i; k++)
            T_OK(strcmp(list[i].ip, list[k].ip) != 0);
    }
    T_OK(pod_net_degraded(n) || (mentions("9000 :") && mentions("9030 :")));
    pod_net_close(n);
}

TEST_MAIN(namespaces_on_files, pods_reach_each_other, bad_arguments, host_ports, udp_flows_follow_the_host_port, leaving_the_cluster, firewalls_that_drop_what_is_forwarded, firewalls_of_the_older_kind,
          pods_are_no_routers, localhost_of_the_node_is_not_the_pods, a_restart_adopts, links_that_others_took_away, a_link_that_is_not_ours, mending_is_no_conflict,
          garbage_goes, two_nodes_with_a_tunnel, two_nodes_with_routes, remove_leaves_nothing, the_network_of_another_cluster_stays, several_at_once)
