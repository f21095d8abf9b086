/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_ipam_plan.h"

#include <arpa/inet.h>

static bool parse(str cidr, uint32_t *ret_base, unsigned *ret_bits)
{
    str rest = cidr, host;
    char text[INET_ADDRSTRLEN];
    struct in_addr addr;
    uint64_t bits;
    if (!str_cut(&rest, '/', &host) || host.len >= sizeof text || !str_to_u64(rest, &bits) || bits > 32)
        return false;
    snprintf(text, sizeof text, STR_FMT, STR_ARG(host));
    if (inet_pton(AF_INET, text, &addr) != 1)
        return false;
    *ret_bits = (unsigned)bits;
    *ret_base = ntohl(addr.s_addr) & (bits ? UINT32_MAX << (32 - bits) : 0);
    return true;
}

int node_cidrs_init(struct node_cidrs *m, str cidr, int bits, struct err *err)
{
    unsigned range;
    uint32_t base;
    if (!parse(cidr, &base, &range))
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is not an IPv4 range such as 10.42.0.0/16", STR_ARG(cidr));
    if (bits < (int)range || bits > 30 || range == 0)
        return err_set(err, E_INVALID_ARG, "a node's part of " STR_FMT " cannot be a /%d", STR_ARG(cidr), bits);
    if ((unsigned)bits - range > 20)
        return err_set(err, E_INVALID_ARG, "parts of /%d are too many in " STR_FMT, bits, STR_ARG(cidr));
    *m = (struct node_cidrs){.base = base, .bits = (unsigned)bits, .parts = 1u << ((unsigned)bits - range)};
    m->taken = xcalloc((m->parts + 63) / 64, sizeof *m->taken);
    return 0;
}

void node_cidrs_fini(struct node_cidrs *m)
{
    free(TAKE(m->taken));
}

bool node_cidrs_find(const struct node_cidrs *m, str cidr, uint32_t *ret_part)
{
    uint32_t base;
    unsigned bits;
    if (!m->taken || !parse(cidr, &base, &bits) || bits != m->bits || base < m->base)
        return false;
    uint32_t part = (base - m->base) >> (32 - m->bits);
    if (part >= m->parts)
        return false;
    *ret_part = part;
    return true;
}

static bool is_taken(const struct node_cidrs *m, uint32_t part)
{
    return m->taken[part / 64] >> (part % 64) & 1;
}

bool node_cidrs_take(struct node_cidrs *m, uint32_t part)
{
    if (is_taken(m, part))
        return false;
    m->taken[part / 64] |= 1ull << (part % 64);
    m->used++;
    return true;
}

bool node_cidrs_next(struct node_cidrs *m, uint32_t *ret_part)
{
    for (uint32_t i = 0; m->used < m->parts && i < m->parts; i++) {
        uint32_t part = (m->next + i) % m->parts;
        if (!node_cidrs_take(m, part))
            continue;
        m->next = (part + 1) % m->parts;
        *ret_part = part;
        return true;
    }
    return false;
}

void node_cidrs_give_back(struct node_cidrs *m, uint32_t part)
{
    if (!is_taken(m, part))
        return;
    m->taken[part / 64] &= ~(1ull << (part % 64));
    m->used--;
}

void node_cidrs_text(const struct node_cidrs *m, uint32_t part, char out[20])
{
    struct in_addr addr = {htonl(m->base + (part << (32 - m->bits)))};
    char ip[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &addr, ip, sizeof ip);
    snprintf(out, 20, "%s/%u", ip, m->bits);
}
