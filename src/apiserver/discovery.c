/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/discovery.h"

#include "wire/base64.h"
#include "wire/json.h"

static const struct {
    uint16_t bit;
    const char *name;
} verb_names[] = {
    {API_VERB_CREATE, "create"}, {API_VERB_DELETE, "delete"}, {API_VERB_DELETECOLLECTION, "deletecollection"}, {API_VERB_GET, "get"},
    {API_VERB_LIST, "list"},     {API_VERB_PATCH, "patch"},   {API_VERB_UPDATE, "update"},                     {API_VERB_WATCH, "watch"},
};

static void add_verbs(struct strbuf *b, uint16_t verbs)
{
    strbuf_add_str(b, S("\"verbs\":["));
    bool first = true;
    for (size_t i = 0; i < ARRAY_LEN(verb_names); i++) {
        if (!(verbs & verb_names[i].bit))
            continue;
        strbuf_addf(b, "%s\"%s\"", first ? "" : ",", verb_names[i].name);
        first = false;
    }
    strbuf_add_char(b, ']');
}

static void add_text(struct strbuf *b, const char *key, str value)
{
    strbuf_addf(b, "\"%s\":", key);
    json_write_string(b, value);
}

static void add_list(struct strbuf *b, const char *key, const str *items, size_t n)
{
    if (!n)
        return;
    strbuf_addf(b, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (i)
            strbuf_add_char(b, ',');
        json_write_string(b, items[i]);
    }
    strbuf_add_char(b, ']');
}

static void add_group_version(struct strbuf *b, str group, str version)
{
    if (group.len)
        strbuf_addf(b, "\"" STR_FMT "/" STR_FMT "\"", STR_ARG(group), STR_ARG(version));
    else
        strbuf_addf(b, "\"" STR_FMT "\"", STR_ARG(version));
}

void discovery_api_versions(struct strbuf *b, const char *server_address)
{
    strbuf_addf(b,
                "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\",\"serverAddress\":\"%s\"}]}",
                server_address);
}

/* The group's versions start at index i; writes {"name":..,"versions":[..],"preferredVersion":..} without the closing brace and returns the index behind them. */
static size_t add_group(struct strbuf *b, const struct registry_snapshot *s, size_t i)
{
    str group = s->gvs[i].group;
    size_t end = i;
    add_text(b, "name", group);
    strbuf_add_str(b, S(",\"versions\":["));
    for (; end < s->ngvs && str_eq(s->gvs[end].group, group); end++) {
        strbuf_addf(b, "%s{\"groupVersion\":", end > i ? "," : "");
        add_group_version(b, group, s->gvs[end].version);
        strbuf_add_char(b, ',');
        add_text(b, "version", s->gvs[end].version);
        strbuf_add_char(b, '}');
    }
    strbuf_add_str(b, S("],\"preferredVersion\":{\"groupVersion\":"));
    add_group_version(b, group, s->gvs[i].version);
    strbuf_add_char(b, ',');
    add_text(b, "version", s->gvs[i].version);
    strbuf_add_char(b, '}');
    return end;
}

void discovery_group_list(struct strbuf *b, const struct registry_snapshot *s)
{
    strbuf_add_str(b, S("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":["));
    bool first = true;
    for (size_t i = 0; i < s->ngvs;) {
        if (!s->gvs[i].group.len) {
            i++;
            continue;
        }
        strbuf_add_str(b, first ? S("{") : S(",{"));
        first = false;
        i = add_group(b, s, i);
        strbuf_add_char(b, '}');
    }
    strbuf_add_str(b, S("]}"));
}

bool discovery_group(struct strbuf *b, const struct registry_snapshot *s, str group)
{
    for (size_t i = 0; group.len && i < s->ngvs; i++) {
        if (!str_eq(s->gvs[i].group, group))
            continue;
        strbuf_add_str(b, S("{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\","));
        add_group(b, s, i);
        strbuf_add_char(b, '}');
        return true;
    }
    return false;
}

/* Clients use it to see that two group versions share their storage. */
static void add_storage_hash(struct strbuf *b, const struct api_resource *r)
{
    uint64_t h = str_hash(r->storage_group) * 31 + str_hash(r->storage_version) * 7 + str_hash(r->plural);
    strbuf_add_str(b, S(",\"storageVersionHash\":\""));
    base64_write(b, BASE64_STD, str_n((const char *)&h, sizeof h));
    strbuf_add_char(b, '"');
}

static void add_resource(struct strbuf *b, const struct api_resource *r)
{
    strbuf_add_char(b, '{');
    add_text(b, "name", r->plural);
    strbuf_add_char(b, ',');
    add_text(b, "singularName", r->singular);
    strbuf_addf(b, ",\"namespaced\":%s,", api_is_namespaced(r) ? "true" : "false");
    add_text(b, "kind", r->kind);
    strbuf_add_char(b, ',');
    add_verbs(b, r->verbs);
    add_list(b, "shortNames", r->short_names, r->nshort_names);
    add_list(b, "categories", r->categories, r->ncategories);
    if (!(r->flags & API_CREATE_ONLY))
        add_storage_hash(b, r);
    strbuf_add_char(b, '}');
}

static void add_subresource(struct strbuf *b, const struct api_resource *r, const struct api_subresource *sub)
{
    strbuf_addf(b, ",{\"name\":\"" STR_FMT "/" STR_FMT "\",\"singularName\":\"\",\"namespaced\":%s,", STR_ARG(r->plural), STR_ARG(sub->name),
                api_is_namespaced(r) ? "true" : "false");
    if (sub->version.len) {
        add_text(b, "group", sub->group);
        strbuf_add_char(b, ',');
        add_text(b, "version", sub->version);
        strbuf_add_char(b, ',');
    }
    add_text(b, "kind", sub->kind);
    strbuf_add_char(b, ',');
    add_verbs(b, sub->verbs);
    strbuf_add_char(b, '}');
}

static const struct registry_group_version *find_gv(const struct registry_snapshot *s, str group, str version)
{
    for (size_t i = 0; i < s->ngvs; i++)
        if (str_eq(s->gvs[i].group, group) && str_eq(s->gvs[i].version, version))
            return &s->gvs[i];
    return NULL;
}

bool discovery_resource_list(struct strbuf *b, const struct registry_snapshot *s, str group, str version)
{
    const struct registry_group_version *gv = find_gv(s, group, version);
    if (!gv)
        return false;
    strbuf_addf(b, "{\"kind\":\"APIResourceList\",%s\"groupVersion\":", group.len ? "\"apiVersion\":\"v1\"," : "");
    add_group_version(b, group, version);
    strbuf_add_str(b, S(",\"resources\":["));
    for (size_t i = 0; i < gv->nresources; i++) {
        const struct api_resource *r = gv->resources[i];
        if (i)
            strbuf_add_char(b, ',');
        add_resource(b, r);
        for (size_t k = 0; k < r->nsubs; k++)
            add_subresource(b, r, &r->subs[k]);
    }
    strbuf_add_str(b, S("]}"));
    return true;
}

/* --- aggregated ---------------------------------------------------------------------------------------------------------------- */

static void add_kind(struct strbuf *b, str group, str version, str kind)
{
    strbuf_add_str(b, S("\"responseKind\":{"));
    add_text(b, "group", group);
    strbuf_add_char(b, ',');
    add_text(b, "version", version);
    strbuf_add_char(b, ',');
    add_text(b, "kind", kind);
    strbuf_add_str(b, S("},"));
}

static void add_aggregated_resource(struct strbuf *b, const struct api_resource *r)
{
    strbuf_add_char(b, '{');
    add_text(b, "resource", r->plural);
    strbuf_add_char(b, ',');
    add_kind(b, r->group, r->version, r->kind);
    strbuf_addf(b, "\"scope\":\"%s\",", api_is_namespaced(r) ? "Namespaced" : "Cluster");
    add_text(b, "singularResource", r->singular);
    strbuf_add_char(b, ',');
    add_verbs(b, r->verbs);
    add_list(b, "shortNames", r->short_names, r->nshort_names);
    add_list(b, "categories", r->categories, r->ncategories);
    if (r->nsubs) {
        strbuf_add_str(b, S(",\"subresources\":["));
        for (size_t i = 0; i < r->nsubs; i++) {
            const struct api_subresource *sub = &r->subs[i];
            bool own = !sub->version.len;
            strbuf_add_str(b, i ? S(",{") : S("{"));
            add_text(b, "subresource", sub->name);
            strbuf_add_char(b, ',');
            add_kind(b, own ? r->group : sub->group, own ? r->version : sub->version, sub->kind);
            add_verbs(b, sub->verbs);
            strbuf_add_char(b, '}');
        }
        strbuf_add_char(b, ']');
    }
    strbuf_add_char(b, '}');
}

static size_t add_aggregated_group(struct strbuf *b, const struct registry_snapshot *s, size_t i)
{
    str group = s->gvs[i].group;
    strbuf_add_str(b, S("{\"metadata\":{"));
    if (group.len) {
        add_text(b, "name", group);
        strbuf_add_char(b, ',');
    }
    strbuf_add_str(b, S("\"creationTimestamp\":null},\"versions\":["));
    size_t first = i;
    for (; i < s->ngvs && str_eq(s->gvs[i].group, group); i++) {
        const struct registry_group_version *gv = &s->gvs[i];
        strbuf_add_str(b, i > first ? S(",{") : S("{"));
        add_text(b, "version", gv->version);
        strbuf_add_str(b, S(",\"resources\":["));
        for (size_t k = 0; k < gv->nresources; k++) {
            if (k)
                strbuf_add_char(b, ',');
            add_aggregated_resource(b, gv->resources[k]);
        }
        strbuf_add_str(b, S("],\"freshness\":\"Current\"}"));
    }
    strbuf_add_str(b, S("]}"));
    return i;
}

void discovery_aggregated(struct strbuf *b, const struct registry_snapshot *s, bool core, str version)
{
    strbuf_addf(b, "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/" STR_FMT "\",\"metadata\":{},\"items\":[", STR_ARG(version));
    bool first = true;
    for (size_t i = 0; i < s->ngvs;) {
        if ((s->gvs[i].group.len == 0) != core) {
            i++;
            continue;
        }
        if (!first)
            strbuf_add_char(b, ',');
        first = false;
        i = add_aggregated_group(b, s, i);
    }
    strbuf_add_str(b, S("]}"));
}
