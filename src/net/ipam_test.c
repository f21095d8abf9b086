/* Addresses against a naive model, and their texts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "net/ipam.h"

#include "base/test.h"

TEST(texts)
{
    static const struct {
        const char *text;
        bool good;
        uint32_t base;
        uint8_t prefix;
    } cases[] = {
        {"10.42.3.0/24", true, 0x0a2a0300, 24}, {"0.0.0.0/0", true, 0, 0},          {"255.255.255.255/32", true, 0xffffffff, 32},
        {"10.42.3.1/24", false, 0, 0},          {"10.42.3.0/33", false, 0, 0},      {"10.42.3/24", false, 0, 0},
        {"10.42.3.0.0/24", false, 0, 0},        {"10.42.3.0", false, 0, 0},         {"10.42.3.0/", false, 0, 0},
        {"10.42.03.0/24", false, 0, 0},         {"256.0.0.0/8", false, 0, 0},       {"10.42.3.0/ 24", false, 0, 0},
        {"", false, 0, 0},                      {"/24", false, 0, 0},               {"::/0", false, 0, 0},
        {"10.42.3.0/+4", false, 0, 0},          {"10.-1.0.0/16", false, 0, 0},      {"10.42.3.0/24/24", false, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct ipam_cidr c;
        bool good = ipam_cidr_parse(str_of(cases[i].text), &c);
        if (good != cases[i].good)
            T_FAIL_("%s", cases[i].text);
        if (good && cases[i].good) {
            T_EQ_INT(c.base, cases[i].base);
            T_EQ_INT(c.prefix, cases[i].prefix);
        }
    }
    char text[IPAM_TEXT];
    ipam_ip_text(0xfffefd00, text);
    T_EQ_STR(str_of(text), "255.254.253.0");
    T_OK(ipam_cidr_has((struct ipam_cidr){0x0a2a0000, 16}, 0x0a2affff));
    T_OK(!ipam_cidr_has((struct ipam_cidr){0x0a2a0000, 16}, 0x0a2b0000));
    T_OK(ipam_cidr_has((struct ipam_cidr){0, 0}, 0xffffffff));
}

TEST(sizes_that_are_served)
{
    struct ipam m;
    struct err err;
    T_ERR(ipam_init(&m, (struct ipam_cidr){0x0a000000, 8}, 1, &err), E_INVALID_ARG);
    T_ERR(ipam_init(&m, (struct ipam_cidr){0x0a000000, 31}, 1, &err), E_INVALID_ARG);
    T_NO_ERR(ipam_init(&m, (struct ipam_cidr){0x0a000004, 30}, 100, &err), &err);
    T_EQ_INT(ipam_capacity(&m), 1);
    T_EQ_INT(ipam_gateway(&m), 0x0a000005);
    uint32_t ip;
    T_NO_ERR(ipam_take(&m, 1, &ip, &err), &err);
    T_EQ_INT(ip, 0x0a000006);
    T_ERR(ipam_take(&m, 1, &ip, &err), E_NO_SPACE);
    ipam_release(&m, ip, 5);
    T_NO_ERR(ipam_take(&m, 6, &ip, &err), &err); /* it rests, and is all there is */
    T_EQ_INT(ip, 0x0a000006);
    T_OK(!ipam_claim(&m, 0x0a000004));
    T_OK(!ipam_claim(&m, 0x0a000005));
    T_OK(!ipam_claim(&m, 0x0a000007));
    T_OK(!ipam_claim(&m, 0x0a000008));
    ipam_fini(&m);
}

TEST(given_back_addresses_rest)
{
    struct ipam m;
    struct err err;
    uint32_t first, ip;
    T_NO_ERR(ipam_init(&m, (struct ipam_cidr){0x0a000000, 28}, 100, &err), &err); /* 13 addresses */
    T_NO_ERR(ipam_take(&m, 1000, &first, &err), &err);
    ipam_release(&m, first, 1000);
    for (int i = 0; i < 12; i++) {
        T_NO_ERR(ipam_take(&m, 1050, &ip, &err), &err);
        T_OK(ip != first);
        if (i > 0)
            ipam_release(&m, ip, 1050 + i);
    }
    /* all but one rest: the longest rested is taken first */
    T_NO_ERR(ipam_take(&m, 1060, &ip, &err), &err);
    T_EQ_INT(ip, first);
    ipam_fini(&m);

    /* after a restart: what rested goes on resting, unless a pod turns out to have it */
    T_NO_ERR(ipam_init(&m, (struct ipam_cidr){0x0a000000, 28}, 100, &err), &err);
    T_OK(ipam_claim(&m, first));
    T_OK(!ipam_claim(&m, first));
    ipam_rest(&m, first, 1000);
    T_OK(ipam_is_used(&m, first));
    ipam_rest(&m, first + 1, 1000);
    T_NO_ERR(ipam_take(&m, 1050, &ip, &err), &err);
    T_EQ_INT(ip, first + 2);
    ipam_fini(&m);
}

/* The model: a plain array of what each address is, and the rule in its simplest words. */
#define MODEL_SIZE 64
struct model {
    bool used[MODEL_SIZE];
    nsec_t back[MODEL_SIZE];
};

static bool model_allows(const struct model *o, uint32_t at, nsec_t now, nsec_t delay)
{
    if (at < 2 || at > MODEL_SIZE - 2 || o->used[at])
        return false;
    if (o->back[at] == 0 || now - o->back[at] >= delay)
        return true;
    for (uint32_t i = 2; i <= MODEL_SIZE - 2; i++) {
        if (!o->used[i] && (o->back[i] == 0 || now - o->back[i] >= delay || o->back[i] < o->back[at]))
            return false;
    }
    return true;
}

TEST(model)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct rng rng;
        struct ipam m;
        struct model o = {0};
        struct err err;
        rng_seed(&rng, seed);
        struct ipam_cidr c = {0x0a2a0340, 26};
        T_NO_ERR(ipam_init(&m, c, 50, &err), &err);
        nsec_t now = 1;
        unsigned used = 0;
        for (int step = 0; step < 3000; step++) {
            now += (nsec_t)rng_below(&rng, 8);
            uint32_t at = (uint32_t)rng_below(&rng, MODEL_SIZE), ip = 0;
            switch (rng_below(&rng, 6)) {
            case 0:
            case 1:
            case 2: {
                int r = ipam_take(&m, now, &ip, &err);
                T_EQ_INT(r == 0, used < ipam_capacity(&m));
                if (r == 0) {
                    T_OK(model_allows(&o, ip - c.base, now, 50));
                    o.used[ip - c.base] = true;
                    used++;
                }
                break;
            }
            case 3:
            case 4:
                ipam_release(&m, c.base + at, now);
                if (o.used[at]) {
                    o.used[at] = false;
                    o.back[at] = now;
                    used--;
                }
                break;
            default: {
                bool can = at >= 2 && at <= MODEL_SIZE - 2 && !o.used[at];
                T_EQ_INT(ipam_claim(&m, c.base + at), can);
                used += can;
                o.used[at] |= can;
            }
            }
            T_EQ_INT(m.used, used);
            T_EQ_INT(ipam_is_used(&m, c.base + at), o.used[at]);
        }
        ipam_fini(&m);
    }
}

TEST_MAIN(texts, sizes_that_are_served, given_back_addresses_rest, model)
