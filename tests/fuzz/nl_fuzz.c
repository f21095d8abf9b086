/* SPDX-License-Identifier: Apache-2.0 */
/* A datagram of netlink messages: walked, and each payload read as everything that it might be. */
#include "net/conntrack.h"
#include "net/nl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const unsigned char *p, size_t len)
{
    struct nl_link l;
    struct nl_addr a;
    struct nl_route r;
    struct nl_neigh e;
    struct conntrack_flow f;
    if (nl_read_link(p, len, &l))
        BUG_ON(strlen(l.name) >= sizeof l.name || strlen(l.alias) >= sizeof l.alias || strlen(l.kind) >= sizeof l.kind);
    if (nl_read_addr(p, len, &a))
        BUG_ON(a.prefix > 32);
    if (nl_read_route(p, len, &r))
        BUG_ON(r.prefix > 32);
    (void)nl_read_neigh(p, len, &e);
    (void)conntrack_read(p, len, &f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nl_view v;
    size_t at = 0, before;
    do {
        before = at;
        if (nl_next(data, size, &at, &v) != NL_NEXT_MSG)
            break;
        BUG_ON(at <= before || v.payload + v.len > data + size || nl_error_of(&v) < 0);
        read_all(v.payload, v.len);
    } while (at < size);
    read_all(data, size);
    return 0;
}
