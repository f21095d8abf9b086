/* negotiate.c - what the client wants back (Accept, pretty, gzip) and how it wants its write treated (dryRun, fieldValidation, fieldManager). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/table.h"
#include "apiserver/internal.h"

#define FIELD_MANAGER_MAX 128

struct accept_item {
    str type;
    str as, version, group;
};

static struct accept_item accept_parse(str item)
{
    struct accept_item out = {0};
    str part;
    str_cut(&item, ';', &part);
    out.type = str_trim(part);
    while (item.len) {
        str_cut(&item, ';', &part);
        str value = str_trim(part), key;
        str_cut(&value, '=', &key);
        if (str_is(key, "as"))
            out.as = value;
        else if (str_is(key, "v"))
            out.version = value;
        else if (str_is(key, "g"))
            out.group = value;
    }
    return out;
}

/* Takes the item when we can serve it. */
static bool accept_take(struct api_req *q, const struct accept_item *it)
{
    bool any = str_is(it->type, "*/*") || str_is(it->type, "application/*");
    bool yaml = str_is(it->type, "application/yaml");
    if (!any && !yaml && !str_is(it->type, "application/json"))
        return false;
    if (it->as.len) {
        bool known_version = str_is(it->version, "v1") || str_is(it->version, "v1beta1");
        bool stored = q->res && (!(q->res->flags & API_CREATE_ONLY) || q->res->ncolumns); /* reviews have no metadata to show in a table */
        if (!str_is(it->group, "meta.k8s.io") || !known_version || !stored)
            return false;
        if (str_is(it->as, "Table"))
            q->output = API_OUT_TABLE;
        else if (str_is(it->as, "PartialObjectMetadata") || str_is(it->as, "PartialObjectMetadataList"))
            q->output = API_OUT_PARTIAL;
        else
            return false;
        q->table_version = it->version;
    }
    q->yaml = yaml;
    return true;
}

static bool negotiate_accept(struct api_req *q)
{
    str list = str_trim(q->accept);
    if (!list.len)
        return true;
    while (list.len) {
        str item;
        str_cut(&list, ',', &item);
        struct accept_item it = accept_parse(item);
        if (accept_take(q, &it))
            return true;
    }
    return false;
}

static bool starts_like_a_browser(str agent)
{
    static const str agents[] = {STR_INIT("curl"), STR_INIT("Wget"), STR_INIT("Mozilla")};
    for (size_t i = 0; i < ARRAY_LEN(agents); i++)
        if (str_has_prefix(agent, agents[i]))
            return true;
    return false;
}

static bool refuse_option(struct api_req *q, const char *field, str value, const char *supported)
{
    str detail = arena_fmt(q->arena, "Unsupported value: \"" STR_FMT "\": supported values: %s", STR_ARG(value), supported);
    struct api_cause cause = {S("FieldValueNotSupported"), detail, str_of(field)};
    struct api_status_details d = {.group = S("meta.k8s.io"), .kind = str_of(str_is(q->method, "PATCH")  ? "PatchOptions"
                                                                             : str_is(q->method, "PUT") ? "UpdateOptions"
                                                                                                         : "CreateOptions"),
                                   .causes = &cause, .ncauses = 1};
    api_answer_status(q, 422, S("Invalid"), arena_fmt(q->arena, STR_FMT ".meta.k8s.io \"\" is invalid: %s: " STR_FMT, STR_ARG(d.kind), field, STR_ARG(detail)), &d);
    return false;
}

static bool negotiate_write_options(struct api_req *q)
{
    str v;
    if (api_query(q, S("dryRun"), &v) && v.len) {
        if (!str_is(v, "All"))
            return refuse_option(q, "dryRun", v, "\"All\"");
        q->dry_run = true;
    }
    if (api_query(q, S("fieldValidation"), &v) && v.len) {
        if (str_is(v, "Strict"))
            q->validation = API_VALIDATE_STRICT;
        else if (str_is(v, "Ignore"))
            q->validation = API_VALIDATE_IGNORE;
        else if (!str_is(v, "Warn"))
            return refuse_option(q, "fieldValidation", v, "\"Ignore\", \"Strict\", \"Warn\"");
    }
    if (!api_query(q, S("fieldManager"), &v) || !v.len) {
        str agent = q->user_agent;
        str_cut(&agent, '/', &v);
        v = v.len ? v : S("unknown");
    }
    q->field_manager = str_sub(v, 0, FIELD_MANAGER_MAX);
    q->force = api_query_bool(q, S("force"));
    return true;
}

bool negotiate_timeout(struct api_req *q)
{
    str v, canonical;
    if (!api_query(q, S("timeout"), &v) || !v.len || codec_duration_canonical(q->arena, v, &canonical, NULL) == 0)
        return true;
    api_answer_status(q, 400, S("BadRequest"), arena_fmt(q->arena, "invalid timeout specified in the request URL - time: invalid duration \"" STR_FMT "\"", STR_ARG(v)),
                      &(struct api_status_details){0});
    return false;
}

bool negotiate(struct api_req *q)
{
    q->table_version = S("v1");
    str v;
    bool pretty;
    if (api_query(q, S("pretty"), &v))
        q->pretty = !v.len || (str_to_bool(v, &pretty) && pretty);
    else
        q->pretty = starts_like_a_browser(q->user_agent);
    if (!negotiate_accept(q)) {
        api_answer_status(q, 406, S("NotAcceptable"),
                          S("only the following media types are accepted: application/json, application/yaml"), &(struct api_status_details){0});
        return false;
    }
    if (api_query(q, S("includeObject"), &v))
        q->include_object = str_is(v, "None") ? TABLE_INCLUDE_NONE : str_is(v, "Object") ? TABLE_INCLUDE_OBJECT : TABLE_INCLUDE_METADATA;
    return negotiate_write_options(q);
}

int negotiate_body(struct api_req *q, enum api_media *ret, struct err *err)
{
    str type = q->content_type, head;
    str_cut(&type, ';', &head);
    head = str_trim(head);
    static const struct {
        const char *type;
        enum api_media media;
    } types[] = {
        {"", API_MEDIA_JSON}, {"application/json", API_MEDIA_JSON}, {"application/yaml", API_MEDIA_YAML},
        {"application/vnd.kubernetes.protobuf", API_MEDIA_PROTOBUF}, {"*/*", API_MEDIA_JSON},
    };
    bool is_malformed = !head.len && q->content_type.len; /* ";charset=x" names no type, and is not the same as none given */
    for (size_t i = 0; i < ARRAY_LEN(types) && !is_malformed; i++) {
        if (str_is(head, types[i].type)) {
            *ret = types[i].media;
            return 0;
        }
    }
    return err_set(err, E_MEDIA_TYPE,
                   "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, "
                   "application/vnd.kubernetes.protobuf");
}
