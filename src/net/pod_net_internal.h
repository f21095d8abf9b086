/* pod_net_internal.h - what the files of the pod network share; private to src/net.
 *
 * Threads: `lock` guards records and addresses and is held for memory work only; `nft_lock` serialises changes of the table, so that the
 * last one written is the newest; `peers_lock` serialises pod_net_peers, `links_lock` what is counted between domains; `shape_lock`: see pod_net_shape.c.  Order: nft_lock before lock, shape_lock before lock.
 * Ownership: a record belongs to the map; one that is busy or mending is changed only by the call that made it so.
 * Limits: see pod_net.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <net/if.h>
#include <pthread.h>

#include "base/map.h"
#include "net/nl_ops.h"
#include "net/pod_net.h"
#include "net/shape.h"
#include "net/shape_watch.h"

#define POD_NET_VNI 1
#define POD_NET_VXLAN_PORT 8472
#define POD_NET_VXLAN_OVERHEAD 50

enum pod_net_mode { POD_NET_VXLAN, POD_NET_ROUTES, POD_NET_NONE };

struct pod_net_record {
    char uid[POD_NET_UID_MAX + 1];
    uint32_t ip;
    struct pod_net_port *ports; /* on the heap */
    size_t nports;
    char *netns, *hostname;
    bool busy;    /* an attach or detach works on it */
    bool mending; /* its link is made again (pod_net_mend.c): it is as attached as ever, and those who want to change it wait */
    bool claimed; /* the address is taken in the ipam (not when the CIDR has changed) */
    bool link_is_new; /* its link was made by this process and nothing is led anywhere; under shape_lock */
    struct pod_net_share *share; /* of the network; NULL: nobody has said yet; under shape_lock */
};

struct pod_net {
    char bridge[IFNAMSIZ], vxlan[IFNAMSIZ], table[64];
    char *state_dir;
    struct ipam_cidr pod_cidr, cluster_cidr;
    enum pod_net_mode mode;
    uint32_t node_ip, mtu;
    _Atomic int bridge_index, vxlan_index; /* others when somebody took them away (pod_net_mend.c) */
    const struct clock *clock;
    char degraded[256]; /* "": nft works */
    char blocked[256];  /* "": no firewall of this machine is in the way, as far as we can tell */

    pthread_mutex_t lock, nft_lock, peers_lock;
    pthread_cond_t mended;   /* with lock: a record is not mending any more */
    struct map records;  /* uid -> struct pod_net_record *; under lock */
    struct ipam ipam;    /* under lock */

    pthread_mutex_t shape_lock;
    struct shape_tree tree;  /* under shape_lock, as what follows */
    bool tree_open;          /* its devices are there */
    bool tree_gone;          /* nobody needs them, and they were removed */
    bool tree_broken;        /* somebody touched them: they are made anew */
    nsec_t tree_refused_until; /* this kernel cannot, and is not asked again before; by the monotonic clock */
    int shares_made;         /* how often counters of pods with classes began anew */
    bool touched;            /* somebody touched them or links since the last pass */
    struct nl_sock watch;    /* open as long as the devices are there */

    pthread_mutex_t links_lock;
    char links_table[64];
    char **links;            /* domains that are counted; under links_lock, as what follows */
    size_t nlinks;
    int links_made;          /* how often the table was made: counters began anew */
    bool links_gone;         /* nothing is counted, and the table is not there */
};

/* --- pod_net.c ---------------------------------------------------------------------------------------------------------------- */
int pod_net_resolve(struct pod_net *n, const struct pod_net_opts *opts, bool for_removal, struct err *err) MUST_CHECK;
void pod_net_fini(struct pod_net *n);
int pod_net_setup_links(struct pod_net *n, struct nl_sock *s, struct err *err) MUST_CHECK; /* bridge, tunnel and what is set of them */

void pod_net_owner(const struct pod_net *n, char ret[NL_ALIAS_MAX]); /* the alias of devices that are ours */

/* --- pod_net_attach.c --------------------------------------------------------------------------------------------------------- */
/* The pod's link, made or left as it is; by who made the record busy or mending. */
int pod_net_plug(struct pod_net *n, struct pod_net_record *rec, int netns_fd) MUST_CHECK;

/* --- pod_net_shape.c ---------------------------------------------------------------------------------------------------------- */
void pod_net_shape_drop(struct pod_net *n, struct pod_net_record *rec); /* before the record goes */
void pod_net_shape_settle(struct pod_net *n);                           /* after */

/* --- pod_net_records.c: files and links as records ---------------------------------------------------------------------------- */
bool pod_net_uid_ok(str uid);
void pod_net_link_name(str uid, char ret[IFNAMSIZ]); /* "cx" and 13 hex digits */
/* The alias of our links; false: not one of this bridge's. */
bool pod_net_alias_parse(const struct pod_net *n, const char *alias, str *ret_uid, uint32_t *ret_ip);
void pod_net_alias_make(const struct pod_net *n, str uid, uint32_t ip, char ret[NL_ALIAS_MAX]);
struct pod_net_record *pod_net_record_new(str uid, uint32_t ip);
void pod_net_record_free(struct pod_net_record *r);
int pod_net_record_save(const struct pod_net *n, const struct pod_net_record *r, struct err *err) MUST_CHECK;
/* The file goes, and the address rests from now on. */
void pod_net_record_drop(const struct pod_net *n, const struct pod_net_record *r, bool rest);
void pod_net_rest_end(const struct pod_net *n, uint32_t ip); /* the address is used again */
/* Fills records and ipam from the links and the files; removes files of pods that have no link. */
int pod_net_load(struct pod_net *n, struct nl_sock *s, struct err *err) MUST_CHECK;
void pod_net_files_remove(const struct pod_net *n);

/* --- pod_net_nft.c ------------------------------------------------------------------------------------------------------------ */
int pod_net_nft_setup(struct pod_net *n, struct err *err) MUST_CHECK; /* the whole table, at once */
int pod_net_nft_ports(struct pod_net *n, struct err *err) MUST_CHECK; /* only the host ports */
int pod_net_nft_run(const struct strbuf *text, struct err *err) MUST_CHECK; /* -E_NOT_FOUND: there is no nft */
int pod_net_nft_remove(const struct pod_net *n, struct err *err) MUST_CHECK;
void pod_net_nft_table(const struct pod_net *n, struct strbuf *b); /* the text without host ports: for tests too */
/* Runs a program of this machine to its end: its exit status, or -E_NOT_FOUND.  What it printed (both streams, 4 MiB at most) is added to ret_output. */
int pod_net_command(const char *const *argv, str input, struct strbuf *ret_output, struct err *err) MUST_CHECK;

/* --- pod_net_links.c ---------------------------------------------------------------------------------------------------------- */
int pod_net_links_remove(const struct pod_net *n, struct err *err) MUST_CHECK;
void pod_net_links_fini(struct pod_net *n);

/* --- pod_net_forward.c: other people's firewalls ------------------------------------------------------------------------------ */
/* Lets the pods' packets through chains that drop what is forwarded unless told otherwise. */
int pod_net_forward_allow(struct pod_net *n, struct err *err) MUST_CHECK;
void pod_net_forward_forget(const struct pod_net *n);

/* --- pod_net_sysctl.c --------------------------------------------------------------------------------------------------------- */
int pod_net_sysctl_set(const struct pod_net *n, const char *name, const char *value, struct err *err) MUST_CHECK; /* remembers what was there */
void pod_net_sysctl_restore(const struct pod_net *n);

/* --- pod_net_peers.c ---------------------------------------------------------------------------------------------------------- */
void pod_net_tunnel_mac(struct ipam_cidr cidr, uint8_t mac[6]); /* of the node that has this CIDR */
/* MACs that follow from the address: an address that is used again keeps the entry in others' ARP caches right. */
void pod_net_mac(uint8_t kind, uint32_t ip, uint8_t mac[6]);
int pod_net_routes_clear(struct nl_sock *s, struct err *err) MUST_CHECK;
