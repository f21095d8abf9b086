/* config_file.h - options of a command from a file: YAML (or JSON) with the names of its options.
 *
 *     node-name: n1                        --node-name n1; nodeName is the same
 *     capacity: {bandwidth: 10Gi}          --node-capacity bandwidth=10Gi; also egress, ingress, and other resources
 *     capacity.bandwidth: "10Gi"           the same
 *     reserved: {bandwidth: 50M}           --node-reserved
 *     node-label: {disk: ssd}              --node-label disk=ssd; or a list of such texts
 *
 * Pure but for the reading.  Ownership: all texts are on the arena.
 * Limits: CONFIG_FILE_BYTES, CONFIG_FILE_VALUES values. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define CONFIG_FILE_BYTES (64u << 10)
#define CONFIG_FILE_VALUES 512u

struct config_value {
    const char *option; /* its name, "node-capacity" */
    const char *text;
    bool is_list;       /* one of a list, or of a map: only options that may be given several times have those */
    size_t line;
};
int config_file_read(struct arena *a, const char *path, struct config_value **ret, size_t *ret_len, struct err *err) MUST_CHECK;
