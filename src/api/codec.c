/* Bodies to trees. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_internal.h"
#include "api/pb_decode.h"
#include "wire/yaml.h"

int api_parse_body(struct arena *a, enum api_media media, str body, const struct schema_type *type, struct json *ret,
                   struct api_field_report *report, struct err *err)
{
    if (media == API_MEDIA_PROTOBUF) {
        if (codec_is_custom(type))
            return err_set(err, E_MEDIA_TYPE, "custom resources have no protobuf form; send application/json or application/yaml");
        return pb_decode_envelope(a, body, type, ret, err);
    }
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    int r = media == API_MEDIA_YAML ? yaml_parse(a, body, &opts, ret, err) : json_parse(a, body, &opts, ret, err);
    if (r < 0) /* a real apiserver looks for kind and version first, and says so */
        return r == -E_PARSE && media == API_MEDIA_JSON && err ? err_wrap(err, "couldn't get version/kind; json parse error: ") : r;
    for (size_t i = 0; i < opts.ndups; i++)
        codec_report_add(a, report, "duplicate field", dups[i]);
    return 0;
}
