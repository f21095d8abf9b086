/* runtime_process.c - containers made by the shim itself: no container software is needed on the machine. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_shim.h"

static int process_open(const struct runtime_opts *o, struct runtime **ret, struct err *err)
{
    struct shim_runtime *r = NULL;
    int code = shim_runtime_open(&runtime_process, o, NULL, &r, err);
    if (code == 0)
        *ret = &r->base;
    return code;
}

const struct runtime_ops runtime_process = {.name = "process", .open = process_open, SHIM_RUNTIME_OPS};
