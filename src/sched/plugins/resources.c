/* resources.c - see resources.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/resources.h"

#include "sched/plugins/plugins.h"

int64_t class_request(const struct pod_class *c, uint16_t r)
{
    if (r < RES_FIRST_EXTENDED)
        return c->amount[r];
    for (uint32_t i = 0; i < c->nreq; i++)
        if (c->req[i].id == r)
            return c->req[i].amount;
    return 0;
}

static bool bandwidth_filters(const struct sched *s, const struct pod_class *c)
{
    int i = profile_table_index(s->table, c->profile, &plugin_node_bandwidth);
    return i >= 0 && s->table->plugins[i].filters;
}

bool fit_checks_resource(const struct sched *s, const struct pod_class *c, const struct fit_args *a, uint16_t r)
{
    if (resource_is_bandwidth(r) && bandwidth_filters(s, c))
        return false;
    for (uint32_t i = 0; a && i < a->nignored && resource_is_extended(r); i++) {
        str name = s->res_name[r], ignored = a->ignored[i];
        bool is_group = ignored.len && ignored.p[ignored.len - 1] == '/';
        if (is_group ? str_has_prefix(name, ignored) : str_eq(name, ignored))
            return false;
    }
    return true;
}

int args_refuse(struct err *err, const char *field, const char *fmt, ...)
{
    char msg[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    int r = err_set(err, E_INVALID_ARG, "%s: %s", field, msg);
    if (err)
        err_set_field(err, str_of(field));
    return r;
}

int args_check(const struct json *args, const char *const *known, struct err *err)
{
    if (!args || args->type == JSON_NULL)
        return 0;
    if (args->type != JSON_OBJECT)
        return err_set(err, E_INVALID_ARG, "arguments are a mapping");
    for (uint32_t i = 0; i < args->len; i++) {
        str key = args->members[i].key;
        bool ok = str_is(key, "apiVersion") || str_is(key, "kind"); /* kube-scheduler's files have them */
        for (const char *const *k = known; *k && !ok; k++)
            ok = str_is(key, *k);
        if (!ok) {
            char field[64];
            snprintf(field, sizeof field, STR_FMT, (int)MIN(key.len, (size_t)60), key.p);
            return args_refuse(err, field, "unknown field");
        }
    }
    return 0;
}

int resources_parse(struct arena *a, const struct json *list, const char *field, struct named_weight *ret, uint32_t *ret_n, uint32_t max, struct err *err)
{
    if (list->type != JSON_ARRAY || list->len == 0 || list->len > max)
        return args_refuse(err, field, "must be a list of 1 to %u resources", max);
    for (uint32_t i = 0; i < list->len; i++) {
        str name = json_get_str(&list->items[i], S("name"));
        int64_t weight = json_get_int(&list->items[i], S("weight"), 1);
        if (str_empty(name))
            return args_refuse(err, field, "item %u needs a name", i);
        if (weight < 1 || weight > 100)
            return args_refuse(err, field, "the weight of " STR_FMT " must be from 1 to 100", STR_ARG(name));
        for (uint32_t k = 0; k < i; k++)
            if (str_eq(ret[k].name, name))
                return args_refuse(err, field, STR_FMT " is there twice", STR_ARG(name));
        ret[i] = (struct named_weight){arena_str(a, name), (int32_t)weight};
    }
    *ret_n = list->len;
    return 0;
}
