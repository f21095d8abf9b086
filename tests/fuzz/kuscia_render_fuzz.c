/* Configuration files with Kuscia's variables: up to the first NUL the file, behind it a variable DATA that is whatever it is.
 * What comes out fits the bound, and text without holes comes out as it went in. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = str_n((const char *)data, len), file, out;
    struct json vars = json_object();
    struct err err = ERR_NONE;
    str_cut(&text, 0, &file);
    json_set(&a, &vars, S("DATA"), json_string(text));
    json_set(&a, &vars, S("I"), json_string(S("1")));
    if (kuscia_render(&a, file, &vars, &out, &err) < 0)
        return 0;
    BUG_ON(str_find(file, S("{{")) < 0 && !str_eq(out, file));
    BUG_ON(out.len > RENDER_BYTES);
    return 0;
}
