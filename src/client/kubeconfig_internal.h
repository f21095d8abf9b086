/* kubeconfig_internal.h - the files behind a struct kubeconfig, for kubeconfig*.c only.
 *
 * Every file's tree is brought into shape when it is read: an object whose clusters, users and contexts are lists of {name, <inner>: object}. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "client/kubeconfig.h"

struct kubeconfig_file {
    const char *path;
    struct json tree;
    bool exists, dirty;
};
struct kubeconfig {
    struct arena arena;
    VEC(struct kubeconfig_file) files;
    size_t default_file;
};

struct kubeconfig_section_info {
    str list;  /* "clusters" */
    str inner; /* "cluster" */
};
extern const struct kubeconfig_section_info kubeconfig_sections[3];

/* An entry's place. */
struct kubeconfig_place {
    struct kubeconfig_file *file;
    struct json *list;
    size_t index;
    struct json *inner;
};
bool kubeconfig_place_find(const struct kubeconfig *k, enum kubeconfig_section s, str name, struct kubeconfig_place *ret);
/* PEM from "FIELD-data" (base64) or from the file that "FIELD" names, relative to its kubeconfig; "" when neither is there. */
int kubeconfig_read_data(struct kubeconfig *k, const struct kubeconfig_place *p, str field, const char **ret, struct err *err) MUST_CHECK;
/* A path as written in a kubeconfig file, seen from here. */
const char *kubeconfig_path_of(struct kubeconfig *k, const struct kubeconfig_file *f, str path);
