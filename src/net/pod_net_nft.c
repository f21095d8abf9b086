/* The nft table of the pod network, written by `nft -f -` in one transaction each time.
 *
 *     prerouting, output    packets to an address of this machine and a host port become packets to the pod
 *     postrouting           localhost's, hairpin and leaving packets get an address that answers find their way back to
 *     raw                   pods cannot talk to the machine's 127.0.0.1, which route_localnet alone would allow
 *
 * Host ports are elements of two maps, which are flushed and filled in one transaction: the same text whether one pod came or all did. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/pod_net_internal.h"
#include "rt/file.h"

#define NFT_MISSING "the program nft is not installed (package nftables), so there is no address translation for pods"

#define COMMAND_BYTES (4u << 20)

extern char **environ;

/* --- running nft -------------------------------------------------------------------------------------------------------------- */
static int spawn(const char *const *argv, int in, int out, pid_t *ret_pid)
{
    static const char *const folders[] = {"", "/usr/sbin/", "/sbin/"}; /* a plain user's PATH has no sbin */
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, out, 2);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none); /* our worker threads block all signals, and children inherit that */
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    int r = ENOENT;
    for (size_t i = 0; i < ARRAY_LEN(folders) && (r == ENOENT || r == EACCES); i++) {
        char path[64];
        snprintf(path, sizeof path, "%s%s", folders[i], argv[0]);
        r = posix_spawnp(ret_pid, path, &files, &attr, (char *const *)(uintptr_t)argv, environ);
    }
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return r;
}

/* Up to COMMAND_BYTES of what it printed. */
static void said(int out, struct strbuf *ret)
{
    char buf[16384];
    for (ssize_t n; ret->len < COMMAND_BYTES && (n = pread(out, buf, sizeof buf, (off_t)ret->len)) > 0;)
        strbuf_add(ret, buf, (size_t)n);
}

int pod_net_command(const char *const *argv, str input, struct strbuf *ret_output, struct err *err)
{
    FD_AUTO in = memfd_create("command-in", MFD_CLOEXEC);
    FD_AUTO out = memfd_create("command-out", MFD_CLOEXEC);
    if (in < 0 || out < 0)
        return err_sys(err, errno, "cannot run %s", argv[0]);
    while (input.len) {
        ssize_t n = write(in, input.p, input.len);
        if (n < 0)
            return err_sys(err, errno, "cannot run %s", argv[0]);
        input = str_from(input, (size_t)n);
    }
    lseek(in, 0, SEEK_SET);
    pid_t pid, got;
    int r = spawn(argv, in, out, &pid), status = 0;
    if (r == ENOENT)
        return err_set(err, E_NOT_FOUND, "the program %s is not installed", argv[0]);
    if (r != 0)
        return err_sys(err, r, "cannot run %s", argv[0]);
    do
        got = waitpid(pid, &status, 0);
    while (got < 0 && errno == EINTR);
    said(out, ret_output);
    /* somebody else may have collected the child; then what it said tells */
    return got == pid ? (WIFEXITED(status) ? WEXITSTATUS(status) : 128) : ret_output->len > 0;
}

int pod_net_nft_run(const struct strbuf *text, struct err *err)
{
    STRBUF_AUTO said_ = STRBUF_HEAP;
    int r = pod_net_command((const char *const[]){"nft", "-f", "-", NULL}, strbuf_str(text), &said_, err);
    if (r == -E_NOT_FOUND)
        return err_set(err, E_NOT_FOUND, "%s", NFT_MISSING);
    if (r <= 0)
        return r;
    str rest = strbuf_str(&said_), line = STR_NONE; /* the first line, without the position */
    str_cut(&rest, '\n', &line);
    return err_set(err, E_IO, "nft refused a change of table " STR_FMT, STR_ARG(line.len ? str_sub(line, 0, 200) : S("without saying why")));
}

/* --- text --------------------------------------------------------------------------------------------------------------------- */
static void add_cidr(struct strbuf *b, struct ipam_cidr c)
{
    char ip[IPAM_TEXT];
    ipam_ip_text(c.base, ip);
    strbuf_addf(b, "%s/%u", ip, c.prefix);
}

void pod_net_nft_table(const struct pod_net *n, struct strbuf *b)
{
    /* adding first makes deleting safe when it is not there; all of it is one transaction */
    strbuf_addf(b, "add table ip %s\ndelete table ip %s\ntable ip %s {\n", n->table, n->table, n->table);
    strbuf_addf(b, "  map host-ports { type inet_proto . inet_service : ipv4_addr . inet_service\n  }\n"
                   "  map host-ports-at { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service\n  }\n"
                   "  chain host-ports {\n"
                   "    meta l4proto { tcp, udp, sctp } dnat ip to ip daddr . meta l4proto . th dport map @host-ports-at\n"
                   "    meta l4proto { tcp, udp, sctp } dnat ip to meta l4proto . th dport map @host-ports\n  }\n"
                   "  chain prerouting { type nat hook prerouting priority -100\n    fib daddr type local jump host-ports\n  }\n"
                   "  chain output { type nat hook output priority -100\n    fib daddr type local jump host-ports\n  }\n");
    strbuf_addf(b, "  chain raw { type filter hook prerouting priority -300\n    iifname \"%s\" ip daddr 127.0.0.0/8 drop\n"
                   "    iifname \"%s\" ip saddr 127.0.0.0/8 drop\n  }\n",
                n->bridge, n->bridge);
    strbuf_addf(b, "  chain postrouting { type nat hook postrouting priority 100\n    oifname \"%s\" ip saddr 127.0.0.0/8 masquerade\n    ip saddr ", n->bridge);
    add_cidr(b, n->pod_cidr);
    strbuf_addf(b, " ip daddr ");
    add_cidr(b, n->pod_cidr);
    strbuf_addf(b, " ct status dnat masquerade\n    ip saddr ");
    add_cidr(b, n->pod_cidr);
    strbuf_addf(b, " ip daddr != ");
    add_cidr(b, n->cluster_cidr);
    strbuf_addf(b, " ip daddr != 224.0.0.0/4 oifname != \"%s\" masquerade\n  }\n}\n", n->bridge);
}

static void add_element(const struct pod_net *n, const struct pod_net_record *r, const struct pod_net_port *p, struct strbuf *b)
{
    static const char *const names[] = {[POD_NET_TCP] = "tcp", [POD_NET_UDP] = "udp", [POD_NET_SCTP] = "sctp"};
    char ip[IPAM_TEXT];
    if (p->host_ip) {
        ipam_ip_text(p->host_ip, ip);
        strbuf_addf(b, "add element ip %s host-ports-at { %s . %s . %u : ", n->table, ip, names[p->protocol], p->host_port);
    } else {
        strbuf_addf(b, "add element ip %s host-ports { %s . %u : ", n->table, names[p->protocol], p->host_port);
    }
    ipam_ip_text(r->ip, ip);
    strbuf_addf(b, "%s . %u }\n", ip, p->container_port);
}

static void add_ports(struct pod_net *n, struct strbuf *b)
{
    pthread_mutex_lock(&n->lock);
    map_foreach(e, &n->records)
    {
        const struct pod_net_record *r = e->value;
        for (size_t i = 0; i < r->nports; i++)
            add_element(n, r, &r->ports[i], b);
    }
    pthread_mutex_unlock(&n->lock);
}

static int write_all(struct pod_net *n, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    pod_net_nft_table(n, &b);
    add_ports(n, &b);
    return pod_net_nft_run(&b, err);
}

int pod_net_nft_setup(struct pod_net *n, struct err *err)
{
    pthread_mutex_lock(&n->nft_lock);
    int r = write_all(n, err);
    pthread_mutex_unlock(&n->nft_lock);
    return r;
}

int pod_net_nft_ports(struct pod_net *n, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    pthread_mutex_lock(&n->nft_lock);
    strbuf_addf(&b, "flush map ip %s host-ports\nflush map ip %s host-ports-at\n", n->table, n->table);
    add_ports(n, &b);
    int r = pod_net_nft_run(&b, NULL);
    if (r < 0) /* somebody flushed the rule set: make it again */
        r = write_all(n, err);
    pthread_mutex_unlock(&n->nft_lock);
    return r;
}

int pod_net_nft_remove(const struct pod_net *n, struct err *err)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b, "add table ip %s\ndelete table ip %s\n", n->table, n->table);
    int r = pod_net_nft_run(&b, err);
    return r == -E_NOT_FOUND ? 0 : r; /* without nft there is no table of ours either */
}
