/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_amounts.h"

#include "agent/node/node_bandwidth.h"
#include "api/quantity.h"

static bool is_known(str name)
{
    static const char *const names[] = {"cpu", "memory", "ephemeral-storage", "pods"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(name, names[i]))
            return true;
    if (str_has_prefix(name, S("kuscia.io/")) || str_has_prefix(name, S("cox.io/"))) /* not kuscia.io/bandwith: no pod could ask for it */
        return bandwidth_is_lent(name);
    ptrdiff_t slash = str_find_char(name, '/');
    return str_has_prefix(name, S("hugepages-")) || (slash > 0 && (size_t)slash + 1 < name.len);
}

static int check(str text, const char *option, struct err *err)
{
    str name, whole = text;
    struct quantity q;
    if (!str_cut(&text, '=', &name) || !name.len)
        return err_set(err, E_INVALID_ARG, "--%s \"" STR_FMT "\": write it as NAME=AMOUNT, as bandwidth=10Gi", option, STR_ARG(whole));
    if (node_bandwidth_is_name(name))
        return 0;
    if (!is_known(name))
        return err_set(err, E_INVALID_ARG, "--%s " STR_FMT ": there is no such resource: bandwidth, egress, ingress, cpu, memory, ephemeral-storage, pods and hugepages-SIZE are known, "
                       "and others by whose they are, as example.com/widgets", option, STR_ARG(name));
    if (!quantity_parse(text, &q) || quantity_to_milli(&q) < 0)
        return err_set(err, E_INVALID_ARG, "--%s " STR_FMT ": \"" STR_FMT "\" is no amount: write it as 4, 500m or 16Gi", option, STR_ARG(name), STR_ARG(text));
    return 0;
}

int node_amounts_check(const char *const *list, const char *option, struct err *err)
{
    int r = 0;
    for (const char *const *p = list; r == 0 && p && *p; p++)
        r = check(str_of(*p), option, err);
    return r;
}
