/* Addresses of a pod CIDR; see ipam.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/ipam.h"

#define IPAM_USED_ INT64_MAX
#define PREFIX_MIN 16
#define PREFIX_MAX 30

bool ipam_ip_parse(str text, uint32_t *ret)
{
    uint32_t ip = 0;
    for (int i = 0; i < 4; i++) {
        str part;
        uint64_t v;
        bool more = str_cut(&text, '.', &part);
        if (more != (i < 3) || part.len == 0 || part.len > 3 || (part.len > 1 && part.p[0] == '0') || !str_to_u64(part, &v) || v > 255)
            return false;
        ip = ip << 8 | (uint32_t)v;
    }
    *ret = ip;
    return true;
}

void ipam_ip_text(uint32_t ip, char ret[IPAM_TEXT])
{
    snprintf(ret, IPAM_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
}

bool ipam_cidr_parse(str text, struct ipam_cidr *ret)
{
    str ip;
    uint64_t prefix;
    struct ipam_cidr c;
    if (!str_cut(&text, '/', &ip) || !ipam_ip_parse(ip, &c.base) || text.len > 2 || !str_to_u64(text, &prefix) || prefix > 32)
        return false;
    c.prefix = (uint8_t)prefix;
    if (c.base & ~ipam_mask(c.prefix))
        return false;
    *ret = c;
    return true;
}

static uint32_t size_of(const struct ipam *m)
{
    return 1u << (32 - m->cidr.prefix);
}

/* Offsets 2 .. size-2 are pods'. */
static bool pod_offset(const struct ipam *m, uint32_t ip, uint32_t *ret)
{
    if (!ipam_cidr_has(m->cidr, ip))
        return false;
    *ret = ip - m->cidr.base;
    return *ret >= 2 && *ret <= size_of(m) - 2;
}

int ipam_init(struct ipam *m, struct ipam_cidr cidr, nsec_t reuse_delay_ns, struct err *err)
{
    if (cidr.prefix < PREFIX_MIN || cidr.prefix > PREFIX_MAX)
        return err_set(err, E_INVALID_ARG, "a pod CIDR of /%u is not served: it must be /%d to /%d", cidr.prefix, PREFIX_MIN, PREFIX_MAX);
    *m = (struct ipam){.cidr = cidr, .reuse_delay_ns = reuse_delay_ns, .last_ = 1};
    m->state_ = xarray(size_of(m), nsec_t);
    return 0;
}

void ipam_fini(struct ipam *m)
{
    free(m->state_);
    m->state_ = NULL;
}

uint32_t ipam_gateway(const struct ipam *m)
{
    return m->cidr.base + 1;
}

uint32_t ipam_capacity(const struct ipam *m)
{
    return size_of(m) - 3;
}

int ipam_take(struct ipam *m, nsec_t now, uint32_t *ret_ip, struct err *err)
{
    uint32_t n = ipam_capacity(m), best = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 2 + (m->last_ - 1 + i) % n; /* from the one behind last_ round to last_ itself */
        nsec_t state = m->state_[at];
        if (state == IPAM_USED_)
            continue;
        if (state == 0 || now - state >= m->reuse_delay_ns) {
            best = at;
            break;
        }
        if (best == 0 || state < m->state_[best])
            best = at;
    }
    if (best == 0)
        return err_set(err, E_NO_SPACE, "all %u addresses of the node's pod CIDR are in use", n);
    m->state_[best] = IPAM_USED_;
    m->last_ = best;
    m->used++;
    *ret_ip = m->cidr.base + best;
    return 0;
}

bool ipam_claim(struct ipam *m, uint32_t ip)
{
    uint32_t at;
    if (!pod_offset(m, ip, &at) || m->state_[at] == IPAM_USED_)
        return false;
    m->state_[at] = IPAM_USED_;
    m->used++;
    return true;
}

void ipam_release(struct ipam *m, uint32_t ip, nsec_t now)
{
    uint32_t at;
    if (!pod_offset(m, ip, &at) || m->state_[at] != IPAM_USED_)
        return;
    m->state_[at] = MAX(now, (nsec_t)1);
    m->used--;
}

void ipam_rest(struct ipam *m, uint32_t ip, nsec_t since)
{
    uint32_t at;
    if (pod_offset(m, ip, &at) && m->state_[at] != IPAM_USED_)
        m->state_[at] = MAX(since, (nsec_t)1);
}

bool ipam_is_used(const struct ipam *m, uint32_t ip)
{
    uint32_t at;
    return pod_offset(m, ip, &at) && m->state_[at] == IPAM_USED_;
}
