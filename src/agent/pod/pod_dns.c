/* pod_dns.c - names: the hostname inside a pod, its /etc/hosts and /etc/resolv.conf.
 *
 * A pod "web" with subdomain "x" in namespace "shop" is web.x.shop.svc.DOMAIN; resolv.conf follows dnsPolicy and then dnsConfig, within the bounds of
 * common resolvers: 3 servers, 32 search domains of 2,048 bytes together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#define HOSTNAME_MAX 63
#define FQDN_MAX 64
#define SERVERS_MAX 3
#define SEARCHES_MAX 32
#define SEARCH_BYTES_MAX 2048
#define OPTIONS_MAX 32

static bool is_host_network(const struct json *pod)
{
    return json_get_bool(json_get(pod, S("spec")), S("hostNetwork"), false);
}

static str short_name(const struct json *pod)
{
    str name = json_get_str(json_get(pod, S("spec")), S("hostname"));
    if (!name.len)
        name = json_get_str(json_get(pod, S("metadata")), S("name"));
    name = str_sub(name, 0, HOSTNAME_MAX);
    while (name.len && (name.p[name.len - 1] == '-' || name.p[name.len - 1] == '.'))
        name.len--;
    return name;
}

/* "" without a subdomain. */
static str full_name(struct arena *a, const struct json *pod, const struct build_node *node)
{
    str sub = json_get_str(json_get(pod, S("spec")), S("subdomain")), ns = json_get_str(json_get(pod, S("metadata")), S("namespace")), name = short_name(pod);
    if (!sub.len)
        return S("");
    return arena_fmt(a, STR_FMT "." STR_FMT "." STR_FMT ".svc%s" STR_FMT, STR_ARG(name), STR_ARG(sub), STR_ARG(ns), node->cluster_domain.len ? "." : "", STR_ARG(node->cluster_domain));
}

int pod_hostname(struct arena *a, const struct json *pod, const struct build_node *node, str *ret, struct err *err)
{
    *ret = is_host_network(pod) ? arena_str(a, node->name) : arena_str(a, short_name(pod));
    str full = full_name(a, pod, node);
    if (is_host_network(pod) || !full.len || !json_get_bool(json_get(pod, S("spec")), S("setHostnameAsFQDN"), false))
        return 0;
    if (full.len > FQDN_MAX)
        return err_set(err, E_INVALID_ARG, "failed to construct FQDN from Pod hostname and cluster domain, FQDN " STR_FMT " is too long (%d characters is the max, %zu characters requested)", STR_ARG(full),
                       FQDN_MAX, full.len);
    *ret = full;
    return 0;
}

/* --- /etc/hosts ----------------------------------------------------------------------------------------- */
static void add_aliases(struct strbuf *b, const struct json *pod)
{
    const struct json *all = json_get(json_get(pod, S("spec")), S("hostAliases"));
    if (!json_is(all, JSON_ARRAY) || !all->len)
        return;
    strbuf_addf(b, "\n# hostAliases of the pod\n");
    for (uint32_t i = 0; i < all->len; i++) {
        const struct json *names = json_get(&all->items[i], S("hostnames"));
        strbuf_add_str(b, json_get_str(&all->items[i], S("ip")));
        for (uint32_t k = 0; json_is(names, JSON_ARRAY) && k < names->len; k++)
            strbuf_addf(b, "\t" STR_FMT, STR_ARG(json_str(&names->items[k])));
        strbuf_add_char(b, '\n');
    }
}

str pod_hosts_text(struct arena *a, const struct json *pod, const struct build_node *node, str host_file)
{
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "# written by the node's agent for this pod\n");
    if (is_host_network(pod)) {
        strbuf_add_str(&b, host_file);
        add_aliases(&b, pod);
        return strbuf_str(&b);
    }
    strbuf_addf(&b, "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nff00::0\tip6-mcastprefix\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n");
    str name = short_name(pod), full = full_name(a, pod, node);
    if (node->pod_ip.len && full.len)
        strbuf_addf(&b, STR_FMT "\t" STR_FMT "\t" STR_FMT "\n", STR_ARG(node->pod_ip), STR_ARG(full), STR_ARG(name));
    else if (node->pod_ip.len)
        strbuf_addf(&b, STR_FMT "\t" STR_FMT "\n", STR_ARG(node->pod_ip), STR_ARG(name));
    add_aliases(&b, pod);
    return strbuf_str(&b);
}

/* --- /etc/resolv.conf ----------------------------------------------------------------------------------- */
struct resolv {
    str servers[SERVERS_MAX], searches[SEARCHES_MAX], options[OPTIONS_MAX];
    size_t nservers, nsearches, noptions;
};

static void add_unique(str *list, size_t *n, size_t max, str value)
{
    for (size_t i = 0; i < *n; i++)
        if (str_eq(list[i], value))
            return;
    if (value.len && *n < max)
        list[(*n)++] = value;
}

/* A later option of the same name wins: "ndots:2" over "ndots:5". */
static void add_option(struct resolv *r, str option)
{
    str name = option, rest = option;
    str_cut(&rest, ':', &name);
    for (size_t i = 0; i < r->noptions; i++) {
        str other = r->options[i], other_name;
        str_cut(&other, ':', &other_name);
        if (str_eq(other_name, name)) {
            r->options[i] = option;
            return;
        }
    }
    if (option.len && r->noptions < OPTIONS_MAX)
        r->options[r->noptions++] = option;
}

static str next_word(str *line)
{
    size_t i = 0;
    while (i < line->len && (line->p[i] == ' ' || line->p[i] == '\t'))
        i++;
    size_t from = i;
    while (i < line->len && line->p[i] != ' ' && line->p[i] != '\t')
        i++;
    str word = str_sub(*line, from, i);
    *line = str_from(*line, i);
    return word;
}

static void read_host(struct resolv *r, const char *text, bool servers_and_options)
{
    str rest = str_of(text ? text : ""), line;
    for (bool more = true; more;) {
        more = str_cut(&rest, '\n', &line);
        line = str_trim(line);
        str key = next_word(&line), word;
        bool is_search = str_is(key, "search") || str_is(key, "domain");
        if (is_search)
            r->nsearches = 0; /* the last line counts */
        while ((word = next_word(&line)).len) {
            if (is_search)
                add_unique(r->searches, &r->nsearches, SEARCHES_MAX, word);
            else if (servers_and_options && str_is(key, "nameserver"))
                add_unique(r->servers, &r->nservers, SERVERS_MAX, word);
            else if (servers_and_options && str_is(key, "options"))
                add_option(r, word);
        }
    }
}

static void cluster_first(struct arena *a, struct resolv *r, const struct json *pod, const struct build_node *node)
{
    str ns = json_get_str(json_get(pod, S("metadata")), S("namespace")), d = node->cluster_domain, dns = node->cluster_dns, one;
    struct resolv host = {0};
    for (bool more = true; more;) {
        more = str_cut(&dns, ',', &one);
        add_unique(r->servers, &r->nservers, SERVERS_MAX, str_trim(one));
    }
    if (d.len) {
        add_unique(r->searches, &r->nsearches, SEARCHES_MAX, arena_fmt(a, STR_FMT ".svc." STR_FMT, STR_ARG(ns), STR_ARG(d)));
        add_unique(r->searches, &r->nsearches, SEARCHES_MAX, arena_fmt(a, "svc." STR_FMT, STR_ARG(d)));
        add_unique(r->searches, &r->nsearches, SEARCHES_MAX, d);
    }
    read_host(&host, node->resolv_conf, false);
    for (size_t i = 0; i < host.nsearches; i++)
        add_unique(r->searches, &r->nsearches, SEARCHES_MAX, host.searches[i]);
    add_option(r, S("ndots:5"));
}

static void dns_config(struct arena *a, struct resolv *r, const struct json *config)
{
    const struct json *servers = json_get(config, S("nameservers")), *searches = json_get(config, S("searches")), *options = json_get(config, S("options"));
    for (uint32_t i = 0; json_is(servers, JSON_ARRAY) && i < servers->len; i++)
        add_unique(r->servers, &r->nservers, SERVERS_MAX, json_str(&servers->items[i]));
    for (uint32_t i = 0; json_is(searches, JSON_ARRAY) && i < searches->len; i++)
        add_unique(r->searches, &r->nsearches, SEARCHES_MAX, json_str(&searches->items[i]));
    for (uint32_t i = 0; json_is(options, JSON_ARRAY) && i < options->len; i++) {
        str name = json_get_str(&options->items[i], S("name")), value = json_get_str(&options->items[i], S("value"));
        add_option(r, value.len ? arena_fmt(a, STR_FMT ":" STR_FMT, STR_ARG(name), STR_ARG(value)) : name);
    }
}

static void write_words(struct strbuf *b, const char *key, const str *words, size_t n, size_t max_bytes)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n && bytes + words[i].len < max_bytes; i++) {
        strbuf_addf(b, "%s " STR_FMT, i ? "" : key, STR_ARG(words[i]));
        bytes += words[i].len + 1;
    }
    if (bytes)
        strbuf_add_char(b, '\n');
}

str pod_resolv_text(struct arena *a, const struct json *pod, const struct build_node *node)
{
    const struct json *spec = json_get(pod, S("spec"));
    str policy = json_get_str(spec, S("dnsPolicy"));
    struct resolv r = {0};
    bool cluster = str_is(policy, "ClusterFirstWithHostNet") || ((str_is(policy, "ClusterFirst") || !policy.len) && !is_host_network(pod));
    if (cluster && node->cluster_dns.len)
        cluster_first(a, &r, pod, node);
    else if (!str_is(policy, "None"))
        read_host(&r, node->resolv_conf, true);
    dns_config(a, &r, json_get(spec, S("dnsConfig")));
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < r.nservers; i++)
        strbuf_addf(&b, "nameserver " STR_FMT "\n", STR_ARG(r.servers[i]));
    write_words(&b, "search", r.searches, r.nsearches, SEARCH_BYTES_MAX);
    write_words(&b, "options", r.options, r.noptions, SEARCH_BYTES_MAX);
    return strbuf_str(&b);
}
