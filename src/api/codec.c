/* Bodies to trees. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_internal.h"
#include "api/pb_decode.h"
#include "wire/yaml.h"

/* Several are one item, with the line breaks of go-yaml's error. */
static void report_yaml_dups(struct arena *a, struct api_field_report *report, const struct json_parse_opts *opts)
{
    if (!report || !opts->ndups || report->len == API_REPORT_MAX)
        return;
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("yaml: unmarshal errors:"));
    for (size_t i = 0; i < opts->ndups; i++)
        strbuf_addf(&b, "\n  " STR_FMT, STR_ARG(opts->dups[i]));
    report->items[report->len++] = strbuf_str(&b);
}

int api_parse_body(struct arena *a, enum api_media media, str body, const struct schema_type *type, struct json *ret,
                   struct api_field_report *report, struct err *err)
{
    if (media == API_MEDIA_PROTOBUF) {
        if (codec_is_custom(type))
            return err_set(err, E_MEDIA_TYPE, "custom resources have no protobuf form, send JSON or YAML");
        return pb_decode_envelope(a, body, type, ret, err);
    }
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups, .dup_lines = true};
    int r = media == API_MEDIA_YAML ? yaml_parse(a, body, &opts, ret, err) : json_parse(a, body, &opts, ret, err);
    if (r == -E_PARSE && media == API_MEDIA_JSON && err) /* a real apiserver looks for kind and version first, and says so */
        return err_wrap(err, "couldn't get version/kind; json parse error: ");
    if (r < 0)
        return r;
    if (media == API_MEDIA_YAML)
        report_yaml_dups(a, report, &opts);
    else
        for (size_t i = 0; i < opts.ndups; i++)
            codec_report_add(a, report, "duplicate field", dups[i]);
    return 0;
}
