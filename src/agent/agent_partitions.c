/* agent_partitions.c - partitions of GPUs (MIG) that the node was told of, and which container has which.
 *
 *   --gpu-partition nvidia.com/mig-1g.5gb=MIG-7f0a...     one of that resource; how many there are is the node's capacity of it
 *   a container with limits nvidia.com/mig-1g.5gb: 2      NVIDIA_VISIBLE_DEVICES=MIG-7f0a...,MIG-91cc...
 * The scheduler counts partitions of a kind and does not tell them apart: all of a kind are alike, so the node chooses.  Nobody cuts devices here.
 * A resource of that name which only --node-capacity gives has no names: its containers are told nothing, the runtime must know. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"
#include "api/quantity.h"

#define MIG_PREFIX "nvidia.com/mig-"

/* The i-th one; false: there are no more. */
static bool partition_at(const struct agent *g, size_t i, str *ret_resource, str *ret_name)
{
    const char *const *list = g->opts.partitions;
    if (!list || i >= AGENT_PARTITIONS_MAX || !list[i])
        return false;
    *ret_name = str_of(list[i]);
    return str_cut(ret_name, '=', ret_resource);
}

int agent_partitions_check(const char *const *list, struct err *err)
{
    size_t n = 0;
    for (; list && list[n]; n++) {
        str name = str_of(list[n]), resource;
        if (!str_cut(&name, '=', &resource) || !name.len || !str_has_prefix(resource, S(MIG_PREFIX)) || str_find_char(name, ',') >= 0)
            return err_set(err, E_INVALID_ARG, "--gpu-partition is NAME=ID such as " MIG_PREFIX "1g.5gb=MIG-..., not \"%s\"", list[n]);
        for (size_t k = 0; k < n; k++) {
            str other = str_of(list[k]), skipped;
            str_cut(&other, '=', &skipped);
            if (str_eq(other, name))
                return err_set(err, E_INVALID_ARG, "--gpu-partition: \"" STR_FMT "\" is given twice", STR_ARG(name));
        }
    }
    return n <= AGENT_PARTITIONS_MAX ? 0 : err_set(err, E_TOO_LARGE, "--gpu-partition is given %zu times, a node has at most %d", n, AGENT_PARTITIONS_MAX);
}

void agent_partitions_capacity(const struct agent *g, struct arena *a, struct json *capacity)
{
    str resource, name;
    for (size_t i = 0; partition_at(g, i, &resource, &name); i++) {
        uint64_t n = 0;
        str_to_u64(json_get_str(capacity, resource), &n);
        json_set(a, capacity, resource, json_string(arena_fmt(a, "%llu", (unsigned long long)n + 1)));
    }
}

static int64_t wanted(const struct json *value)
{
    struct quantity q;
    return quantity_parse(json_str(value), &q) ? MAX(quantity_to_milli(&q), 0) / 1000 : 0;
}

/* `want` of the resource that nobody has, also not by `taken`; false: there are fewer. */
static bool choose(const struct agent *g, str of, int64_t want, uint64_t *taken)
{
    str resource, name;
    for (size_t i = 0; want > 0 && partition_at(g, i, &resource, &name); i++)
        if (str_eq(resource, of) && !((g->partitions_held | *taken) >> i & 1)) {
            *taken |= 1ull << i;
            want--;
        }
    return want == 0;
}

static bool is_declared(const struct agent *g, str of)
{
    str resource, name;
    for (size_t i = 0; partition_at(g, i, &resource, &name); i++)
        if (str_eq(resource, of))
            return true;
    return false;
}

int agent_partitions_choose(const struct agent *g, const struct json *container, uint64_t *ret, struct err *err)
{
    const struct json *limits = json_path(container, "resources", "limits", NULL);
    uint64_t taken = 0;
    for (uint32_t i = 0; json_is(limits, JSON_OBJECT) && i < limits->len; i++) {
        str of = limits->members[i].key;
        if (!str_has_prefix(of, S(MIG_PREFIX)) || !is_declared(g, of))
            continue;
        if (!choose(g, of, wanted(&limits->members[i].value), &taken))
            return err_set(err, E_UNAVAILABLE, "not enough free partitions " STR_FMT " on this node", STR_ARG(of));
    }
    *ret = taken;
    return 0;
}

void agent_partitions_names(const struct agent *g, uint64_t mask, struct strbuf *out)
{
    str resource, name;
    for (size_t i = 0; partition_at(g, i, &resource, &name); i++)
        if (mask >> i & 1)
            strbuf_addf(out, "%s" STR_FMT, out->len ? "," : "", STR_ARG(name));
}

uint64_t agent_partitions_find(const struct agent *g, str id)
{
    str resource, name;
    for (size_t i = 0; partition_at(g, i, &resource, &name); i++)
        if (str_eq(name, id))
            return 1ull << i;
    return 0;
}
