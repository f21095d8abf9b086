/* Cells of services, endpoints, ingresses and addresses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table_cells.h"

#define LIST_SHOWN 3 /* items of a list before "+ N more..." */

void table_service_cluster_ip(struct table_cell *c)
{
    const struct json *ips = table_list_at(c->obj, S("spec.clusterIPs"));
    str ip = ips->len ? json_str(&ips->items[0]) : table_text_at(c->obj, S("spec.clusterIP"));
    table_put_text(c, ip.len ? ip : S("<none>"));
}

/* Addresses or host names of a status.loadBalancer. */
static str load_balancer(struct table_cell *c)
{
    const struct json *list = table_list_at(c->obj, S("status.loadBalancer.ingress"));
    str *items = arena_array(c->arena, list->len, str);
    size_t n = 0;
    for (uint32_t i = 0; i < list->len; i++) {
        str ip = json_get_str(&list->items[i], S("ip")), host = json_get_str(&list->items[i], S("hostname"));
        if (ip.len || host.len)
            items[n++] = ip.len ? ip : host;
    }
    return table_join_sorted(c->arena, items, n);
}

void table_service_external_ip(struct table_cell *c)
{
    str type = table_text_at(c->obj, S("spec.type"));
    bool balanced = str_is(type, "LoadBalancer");
    if (str_is(type, "ExternalName")) {
        table_put_text(c, table_text_at(c->obj, S("spec.externalName")));
        return;
    }
    if (!balanced && !str_is(type, "ClusterIP") && !str_is(type, "NodePort")) {
        table_put_text(c, S("<unknown>"));
        return;
    }
    struct strbuf b = strbuf_on(c->arena);
    if (balanced)
        strbuf_add_str(&b, load_balancer(c));
    const struct json *ips = table_list_at(c->obj, S("spec.externalIPs"));
    for (uint32_t i = 0; i < ips->len; i++)
        table_add_item(&b, ",", json_str(&ips->items[i]));
    table_put_text(c, b.len ? strbuf_str(&b) : balanced ? S("<pending>") : S("<none>"));
}

void table_service_ports(struct table_cell *c)
{
    const struct json *ports = table_list_at(c->obj, S("spec.ports"));
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < ports->len; i++) {
        const struct json *p = &ports->items[i];
        int64_t node_port = json_get_int(p, S("nodePort"), 0);
        table_add_item(&b, ",", json_str(json_get(p, S("port"))));
        if (node_port > 0)
            strbuf_addf(&b, ":%lld", (long long)node_port);
        strbuf_add_char(&b, '/');
        strbuf_add_str(&b, json_get_str(p, S("protocol")));
    }
    table_put_text(c, b.len ? strbuf_str(&b) : S("<none>"));
}

/* --- endpoints ------------------------------------------------------------------------------------------ */

struct short_list {
    struct strbuf text;
    size_t count;
};

static void add_short(struct short_list *l, str item)
{
    if (l->count && l->count < LIST_SHOWN)
        strbuf_add_char(&l->text, ',');
    if (l->count++ < LIST_SHOWN)
        strbuf_add_str(&l->text, item);
}

static void put_short(struct table_cell *c, struct short_list *l, str otherwise)
{
    if (l->count > LIST_SHOWN)
        table_add_more(&l->text, l->count - LIST_SHOWN);
    table_put_text(c, l->text.len ? strbuf_str(&l->text) : otherwise);
}

static str host_port(struct arena *a, str ip, const struct json *port)
{
    str number = json_str(json_get(port, S("port")));
    bool v6 = str_find_char(ip, ':') >= 0;
    return arena_fmt(a, "%s" STR_FMT "%s:" STR_FMT, v6 ? "[" : "", STR_ARG(ip), v6 ? "]" : "", STR_ARG(number));
}

void table_endpoints(struct table_cell *c)
{
    const struct json *subsets = table_list_at(c->obj, S("subsets"));
    struct short_list l = {.text = strbuf_on(c->arena)};
    for (uint32_t i = 0; i < subsets->len; i++) {
        const struct json *addresses = table_list_at(&subsets->items[i], S("addresses"));
        const struct json *ports = table_list_at(&subsets->items[i], S("ports"));
        for (uint32_t p = 0; p < MAX(ports->len, 1u); p++) {
            for (uint32_t k = 0; k < addresses->len; k++) {
                str ip = json_get_str(&addresses->items[k], S("ip"));
                bool shown = l.count < LIST_SHOWN;
                add_short(&l, shown && ports->len ? host_port(c->arena, ip, &ports->items[p]) : ip);
            }
        }
    }
    put_short(c, &l, subsets->len ? S("") : S("<none>"));
}

void table_slice_ports(struct table_cell *c)
{
    const struct json *ports = table_list_at(c->obj, S("ports"));
    struct short_list l = {.text = strbuf_on(c->arena)};
    for (uint32_t i = 0; i < ports->len; i++) {
        str number = json_str(json_get(&ports->items[i], S("port")));
        const struct json *name = json_get(&ports->items[i], S("name"));
        add_short(&l, number.len ? number : name ? json_str(name) : S("*"));
    }
    put_short(c, &l, S("<unset>"));
}

void table_slice_endpoints(struct table_cell *c)
{
    const struct json *endpoints = table_list_at(c->obj, S("endpoints"));
    struct short_list l = {.text = strbuf_on(c->arena)};
    for (uint32_t i = 0; i < endpoints->len; i++) {
        const struct json *addresses = table_list_at(&endpoints->items[i], S("addresses"));
        for (uint32_t k = 0; k < addresses->len; k++)
            add_short(&l, json_str(&addresses->items[k]));
    }
    put_short(c, &l, S("<unset>"));
}

/* --- ingresses ------------------------------------------------------------------------------------------ */

void table_ingress_hosts(struct table_cell *c)
{
    const struct json *rules = table_list_at(c->obj, S("spec.rules"));
    struct strbuf b = strbuf_on(c->arena);
    uint32_t shown = 0;
    bool more = false;
    for (uint32_t i = 0; i < rules->len && !more; i++) {
        str host = json_get_str(&rules->items[i], S("host"));
        more = shown == LIST_SHOWN;
        if (!more && host.len) {
            table_add_item(&b, ",", host);
            shown++;
        }
    }
    if (more)
        table_add_more(&b, rules->len - LIST_SHOWN);
    table_put_text(c, shown ? strbuf_str(&b) : S("*"));
}

void table_ingress_address(struct table_cell *c)
{
    table_put_text(c, load_balancer(c));
}

void table_ingress_ports(struct table_cell *c)
{
    table_put_text(c, table_list_at(c->obj, S("spec.tls"))->len ? S("80, 443") : S("80"));
}

/* "Kind.group/name" */
void table_ingress_class_parameters(struct table_cell *c)
{
    const struct json *p = table_walk(c->obj, S("spec.parameters"));
    str kind = json_get_str(p, S("kind")), group = json_get_str(p, S("apiGroup")), name = json_get_str(p, S("name"));
    if (!p)
        table_put_text(c, S("<none>"));
    else
        table_put_text(c, arena_fmt(c->arena, STR_FMT "%s" STR_FMT "/" STR_FMT, STR_ARG(kind), group.len ? "." : "",
                                    STR_ARG(group), STR_ARG(name)));
}

/* "services/namespace/name", with the group behind the resource when there is one. */
void table_ip_address_parent_ref(struct table_cell *c)
{
    const struct json *p = table_walk(c->obj, S("spec.parentRef"));
    if (!p) {
        table_put_text(c, S("<none>"));
        return;
    }
    struct strbuf b = strbuf_on(c->arena);
    str group = json_get_str(p, S("group")), namespace = json_get_str(p, S("namespace"));
    strbuf_add_str(&b, table_lower(c->arena, json_get_str(p, S("resource"))));
    if (group.len)
        table_add_item(&b, ".", table_lower(c->arena, group));
    if (namespace.len)
        table_add_item(&b, "/", namespace);
    table_add_item(&b, "/", json_get_str(p, S("name")));
    table_put_text(c, strbuf_str(&b));
}
