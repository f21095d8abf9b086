/* Records of attached pods.
 *
 *     STATE_DIR/pods/UID         {"ip":"10.42.3.7","netns":"/run/...","hostname":"web-0","hostPorts":[{"hostIP":"","hostPort":8080,...}]}
 *     STATE_DIR/resting/IP       empty; its modification time is when the address was given back
 *     STATE_DIR/sysctl.json      {"net/ipv4/ip_forward":"0"}: before we changed it
 *
 * A file is written before its link is made and goes after the link has gone, so a crash leaves a file without a link, never the reverse.
 * If files are lost all the same, the link's alias still says whose it is and which address it has. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "net/pod_net_internal.h"
#include "rt/file.h"
#include "wire/json.h"

#define RECORD_BYTES_MAX (64u << 10)

static const char *const protocol_names[] = {[POD_NET_TCP] = "TCP", [POD_NET_UDP] = "UDP", [POD_NET_SCTP] = "SCTP"};

bool pod_net_protocol_parse(str name, enum pod_net_protocol *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(protocol_names); i++) {
        if (str_is(name, protocol_names[i]) || (i == 0 && name.len == 0)) {
            *ret = (enum pod_net_protocol)i;
            return true;
        }
    }
    return false;
}

bool pod_net_uid_ok(str uid)
{
    if (uid.len == 0 || uid.len > POD_NET_UID_MAX || uid.p[0] == '.')
        return false;
    for (size_t i = 0; i < uid.len; i++) {
        char c = uid.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
            return false;
    }
    return true;
}

void pod_net_link_name(str uid, char ret[IFNAMSIZ])
{
    uint64_t h = 14695981039346656037u; /* FNV-1a: must be the same in every version of the program */
    for (size_t i = 0; i < uid.len; i++)
        h = (h ^ (uint8_t)uid.p[i]) * 1099511628211u;
    snprintf(ret, IFNAMSIZ, "cx%013llx", (unsigned long long)(h >> 12));
}

void pod_net_alias_make(const struct pod_net *n, str uid, uint32_t ip, char ret[NL_ALIAS_MAX])
{
    char text[IPAM_TEXT];
    ipam_ip_text(ip, text);
    snprintf(ret, NL_ALIAS_MAX, "cox/%s/" STR_FMT "/%s", n->bridge, STR_ARG(uid), text);
}

bool pod_net_alias_parse(const struct pod_net *n, const char *alias, str *ret_uid, uint32_t *ret_ip)
{
    str rest = str_of(alias), word;
    if (!str_cut(&rest, '/', &word) || !str_is(word, "cox") || !str_cut(&rest, '/', &word) || !str_is(word, n->bridge))
        return false;
    return str_cut(&rest, '/', ret_uid) && pod_net_uid_ok(*ret_uid) && ipam_ip_parse(rest, ret_ip);
}

struct pod_net_record *pod_net_record_new(str uid, uint32_t ip)
{
    struct pod_net_record *r = xnew(struct pod_net_record);
    memcpy(r->uid, uid.p, uid.len);
    r->ip = ip;
    return r;
}

void pod_net_record_free(struct pod_net_record *r)
{
    free(r->ports);
    free(r->netns);
    free(r->hostname);
    free(r->share);
    free(r);
}

/* --- files -------------------------------------------------------------------------------------------------------------------- */
static void path_of(const struct pod_net *n, const char *folder, const char *name, struct strbuf *b)
{
    strbuf_clear(b);
    strbuf_addf(b, "%s/%s%s%s", n->state_dir, folder, name ? "/" : "", name ? name : "");
}

static void resting_path(const struct pod_net *n, uint32_t ip, struct strbuf *b)
{
    char text[IPAM_TEXT];
    ipam_ip_text(ip, text);
    path_of(n, "resting", text, b);
}

static void record_json(const struct pod_net_record *r, struct strbuf *b)
{
    char ip[IPAM_TEXT];
    ipam_ip_text(r->ip, ip);
    strbuf_addf(b, "{\"ip\":\"%s\",\"netns\":", ip);
    json_write_string(b, str_of(r->netns ? r->netns : ""));
    strbuf_addf(b, ",\"hostname\":");
    json_write_string(b, str_of(r->hostname ? r->hostname : ""));
    strbuf_addf(b, ",\"hostPorts\":[");
    for (size_t i = 0; i < r->nports; i++) {
        const struct pod_net_port *p = &r->ports[i];
        ipam_ip_text(p->host_ip, ip);
        strbuf_addf(b, "%s{\"hostIP\":\"%s\",\"hostPort\":%u,\"containerPort\":%u,\"protocol\":\"%s\"}", i ? "," : "", ip, p->host_port, p->container_port,
                    protocol_names[p->protocol]);
    }
    strbuf_addf(b, "]}\n");
}

/* Atomic for a process that is killed, not for a power cut: see pod_net.h. */
static int write_quick(const char *path, str text, struct err *err)
{
    STRBUF_AUTO tmp = STRBUF_HEAP;
    strbuf_addf(&tmp, "%s.tmp", path);
    FD_AUTO fd = open(tmp.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot write %s", tmp.p);
    ssize_t n = write(fd, text.p, text.len);
    if (n != (ssize_t)text.len || rename(tmp.p, path) < 0) {
        int e = n >= 0 && n != (ssize_t)text.len ? ENOSPC : errno;
        unlink(tmp.p);
        return err_sys(err, e, "cannot write %s", path);
    }
    return 0;
}

int pod_net_record_save(const struct pod_net *n, const struct pod_net_record *r, struct err *err)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    STRBUF_AUTO text = STRBUF_HEAP;
    path_of(n, "pods", r->uid, &path);
    record_json(r, &text);
    return write_quick(path.p, strbuf_str(&text), err);
}

void pod_net_rest_end(const struct pod_net *n, uint32_t ip)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    resting_path(n, ip, &path);
    unlink(path.p);
}

void pod_net_record_drop(const struct pod_net *n, const struct pod_net_record *r, bool rest)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    STRBUF_AUTO resting = STRBUF_HEAP;
    if (rest) {
        resting_path(n, r->ip, &resting);
        int fd = open(resting.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd >= 0) {
            futimens(fd, NULL);
            close(fd);
        }
    }
    path_of(n, "pods", r->uid, &path);
    unlink(path.p);
}

static void read_ports(const struct json *list, struct pod_net_record *r)
{
    if (!json_is(list, JSON_ARRAY) || list->len > POD_NET_PORTS)
        return;
    r->ports = xarray(list->len + 1, struct pod_net_port);
    for (size_t i = 0; i < list->len; i++) {
        const struct json *v = &list->items[i];
        struct pod_net_port p = {0};
        int64_t host = json_get_int(v, S("hostPort"), 0), inner = json_get_int(v, S("containerPort"), 0);
        if (host < 1 || host > 65535 || inner < 1 || inner > 65535 || !ipam_ip_parse(json_get_str(v, S("hostIP")), &p.host_ip) ||
            !pod_net_protocol_parse(json_get_str(v, S("protocol")), &p.protocol))
            continue;
        p.host_port = (uint16_t)host;
        p.container_port = (uint16_t)inner;
        r->ports[r->nports++] = p;
    }
}

/* What the file adds to a record; a file that cannot be read adds nothing. */
static bool read_record(const struct pod_net *n, const char *uid, uint32_t *ret_ip, struct pod_net_record *into)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    ARENA_AUTO a = ARENA_INIT;
    char *text CLEANUP(free) = NULL;
    size_t len;
    struct json v;
    path_of(n, "pods", uid, &path);
    if (file_read(path.p, RECORD_BYTES_MAX, &text, &len, NULL) < 0 || json_parse(&a, str_n(text, len), NULL, &v, NULL) < 0 ||
        !ipam_ip_parse(json_get_str(&v, S("ip")), ret_ip))
        return false;
    if (into) {
        read_ports(json_get(&v, S("hostPorts")), into);
        into->netns = str_dup(json_get_str(&v, S("netns")));
        into->hostname = str_dup(json_get_str(&v, S("hostname")));
    }
    return true;
}

/* --- loading ------------------------------------------------------------------------------------------------------------------ */
static int make_folders(const struct pod_net *n, struct err *err)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(n, "pods", NULL, &path);
    int r = file_mkdir_all(path.p, 0700, err);
    path_of(n, "resting", NULL, &path);
    return r < 0 ? r : file_mkdir_all(path.p, 0700, err);
}

static void load_resting(struct pod_net *n)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(n, "resting", NULL, &path);
    DIR *d = opendir(path.p);
    nsec_t now = clock_wall(n->clock);
    for (struct dirent *e; d && (e = readdir(d));) {
        uint32_t ip;
        struct stat st;
        if (!ipam_ip_parse(str_of(e->d_name), &ip))
            continue;
        if (fstatat(dirfd(d), e->d_name, &st, 0) < 0)
            continue;
        nsec_t since = (nsec_t)st.st_mtim.tv_sec * NSEC_PER_SEC + st.st_mtim.tv_nsec;
        /* the file of a CIDR that is no longer ours, or of a rest that is over, says nothing any more */
        if (!ipam_cidr_has(n->pod_cidr, ip) || now - since >= n->ipam.reuse_delay_ns)
            unlinkat(dirfd(d), e->d_name, 0);
        else
            ipam_rest(&n->ipam, ip, MIN(since, now));
    }
    if (d)
        closedir(d);
}

/* Files without a link: the pod was cut off before its link was made, or the machine has booted since. */
static void drop_stale_files(struct pod_net *n)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(n, "pods", NULL, &path);
    DIR *d = opendir(path.p);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || map_has(&n->records, str_of(e->d_name)))
            continue;
        uint32_t ip;
        if (pod_net_uid_ok(str_of(e->d_name)) && read_record(n, e->d_name, &ip, NULL))
            ipam_rest(&n->ipam, ip, clock_wall(n->clock));
        unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
}

int pod_net_load(struct pod_net *n, struct nl_sock *s, struct err *err)
{
    int r = make_folders(n, err);
    if (r < 0)
        return r;
    struct nl_links links = {0};
    r = nl_link_list(s, &links);
    for (size_t i = 0; r == 0 && i < links.all.len && n->records.len < POD_NET_PODS; i++) {
        str uid;
        uint32_t ip, file_ip;
        if (!pod_net_alias_parse(n, links.all.p[i].alias, &uid, &ip) || map_has(&n->records, uid))
            continue;
        struct pod_net_record *rec = pod_net_record_new(uid, ip);
        (void)read_record(n, rec->uid, &file_ip, rec);
        rec->claimed = ipam_claim(&n->ipam, ip);
        map_put(&n->records, str_of(rec->uid), rec);
    }
    vec_fini(&links.all);
    if (r < 0)
        return err_sys(err, -r, "cannot list the network links");
    load_resting(n);
    drop_stale_files(n);
    return 0;
}

static void empty_folder(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

void pod_net_files_remove(const struct pod_net *n)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(n, "pods", NULL, &path);
    empty_folder(path.p);
    path_of(n, "resting", NULL, &path);
    empty_folder(path.p);
    path_of(n, "sysctl.json", NULL, &path);
    unlink(path.p);
    rmdir(n->state_dir); /* only when nobody else keeps something there */
}
