/* authn_impersonate.c - Impersonate-User, -Group, -Uid and -Extra-* headers: being seen as somebody else, if RBAC lets one.
 *
 * Each thing that is asked for is a question to RBAC: verb impersonate on users, groups, serviceaccounts,
 * uids.authentication.k8s.io or userextras.authentication.k8s.io/<key>, with the value as the resource name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate.h"
#include "apiserver/authn_internal.h"
#include "apiserver/authz.h"
#include "apiserver/internal.h"

#define EXTRA_PREFIX "impersonate-extra-"
#define AUTHENTICATION_GROUP "authentication.k8s.io"

static int ask(struct api_req *q, struct authz_attrs attrs, struct err *err)
{
    attrs.user = &q->user;
    attrs.is_resource = true;
    attrs.verb = S("impersonate");
    str reason;
    if (authz_check(q->srv->authz, q->arena, &attrs, &reason))
        return 0;
    str text = authz_forbidden_message(q->arena, &attrs, reason);
    return err_set(err, E_FORBIDDEN, STR_FMT, STR_ARG(text));
}

/* system:serviceaccount:NS:NAME with names that can exist. */
static bool split_account(str user, str *ret_ns, str *ret_name)
{
    str prefix = S("system:serviceaccount:");
    if (!str_has_prefix(user, prefix))
        return false;
    str rest = str_from(user, prefix.len);
    return str_cut(&rest, ':', ret_ns) && !validate_dns1123_label(*ret_ns) && !validate_dns1123_subdomain(rest) &&
           (*ret_name = rest, true);
}

struct impersonation {
    struct api_req *q;
    struct api_user user;
    str *groups;
    size_t ngroups;
    struct json *extra;
};

static int take_group(struct impersonation *im, str value, struct err *err)
{
    im->groups[im->ngroups++] = value;
    return ask(im->q, (struct authz_attrs){.version = S("v1"), .resource = S("groups"), .name = value}, err);
}

static int take_extra(struct impersonation *im, str key, str value, struct err *err)
{
    struct arena *a = im->q->arena;
    str plain;
    key = http_unescape(a, key, false, &plain) ? plain : key;
    struct json *list = json_get(im->extra, key);
    if (!list)
        list = json_set(a, im->extra, key, json_array());
    json_push(a, list, json_string(value));
    return ask(
        im->q,
        (struct authz_attrs){
            .group = S(AUTHENTICATION_GROUP), .version = S("v1"), .resource = S("userextras"), .subresource = key, .name = value},
        err);
}

static int take_user(struct impersonation *im, str value, struct err *err)
{
    str ns, name;
    im->user.name = value;
    if (!split_account(value, &ns, &name))
        return ask(im->q, (struct authz_attrs){.version = S("v1"), .resource = S("users"), .name = value}, err);
    return ask(im->q, (struct authz_attrs){.version = S("v1"), .resource = S("serviceaccounts"), .ns = ns, .name = name}, err);
}

static int take_uid(struct impersonation *im, str value, struct err *err)
{
    im->user.uid = value;
    return ask(im->q,
               (struct authz_attrs){.group = S(AUTHENTICATION_GROUP), .version = S("v1"), .resource = S("uids"), .name = value},
               err);
}

/* Groups and extras stand in any number of headers. */
static int take_lists(struct impersonation *im, struct err *err)
{
    const struct http_request *http = im->q->http;
    for (size_t i = 0; i < http->nheaders; i++) {
        const struct http_header *h = &http->headers[i];
        int r = 0;
        if (str_is(h->name, "impersonate-group"))
            r = take_group(im, h->value, err);
        else if (str_has_prefix(h->name, S(EXTRA_PREFIX)))
            r = take_extra(im, str_from(h->name, sizeof EXTRA_PREFIX - 1), h->value, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static bool has_group(const struct impersonation *im, const char *group)
{
    for (size_t i = 0; i < im->ngroups; i++)
        if (str_is(im->groups[i], group))
            return true;
    return false;
}

/* Groups that were not asked for but belong to such a user. */
static void add_implied_groups(struct impersonation *im)
{
    str ns, name;
    if (!im->ngroups && split_account(im->user.name, &ns, &name)) {
        im->groups[im->ngroups++] = S("system:serviceaccounts");
        im->groups[im->ngroups++] = arena_cat(im->q->arena, S("system:serviceaccounts:"), ns);
    }
    bool is_nobody = str_is(im->user.name, "system:anonymous");
    if (!has_group(im, "system:unauthenticated") && (is_nobody || !has_group(im, "system:authenticated")))
        im->groups[im->ngroups++] = is_nobody ? S("system:unauthenticated") : S("system:authenticated");
}

/* Does the request ask for anything of it?  Nearly none does. */
static bool is_asked(const struct http_request *http)
{
    for (size_t i = 0; i < http->nheaders; i++) {
        str name = http->headers[i].name;
        if (!str_has_prefix(name, S("impersonate-")))
            continue;
        if (str_is(name, "impersonate-group") || str_has_prefix(name, S(EXTRA_PREFIX)))
            return true;
        if ((str_is(name, "impersonate-user") || str_is(name, "impersonate-uid")) && http->headers[i].value.len)
            return true;
    }
    return false;
}

int authn_impersonate(struct api_req *q, struct err *err)
{
    if (!is_asked(q->http))
        return 0;
    str user = http_header_get(q->http, S("impersonate-user")), uid = http_header_get(q->http, S("impersonate-uid"));
    struct impersonation im = {
        .q = q, .groups = arena_array(q->arena, q->http->nheaders + 3, str), .extra = arena_new(q->arena, struct json)};
    *im.extra = json_object();
    if (!user.len)
        return err_set(err, E_INTERNAL, "requested a group, uid or extra without impersonating a user");
    int r = take_user(&im, user, err);
    if (r == 0)
        r = take_lists(&im, err);
    if (r == 0 && uid.len)
        r = take_uid(&im, uid, err);
    if (r < 0)
        return r;
    add_implied_groups(&im);
    im.user.groups = im.groups;
    im.user.ngroups = im.ngroups;
    im.user.extra = im.extra->len ? im.extra : NULL;
    q->impersonator = q->user;
    q->user = im.user;
    return 0;
}
