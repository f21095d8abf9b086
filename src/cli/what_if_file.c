/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/what_if_file.h"

static const struct {
    const char *kind, *count;
} workloads[] = {{"Job", "parallelism"}, {"Deployment", "replicas"}, {"ReplicaSet", "replicas"}, {"StatefulSet", "replicas"}};

const struct json *what_if_template(const struct json *obj, int64_t *ret_replicas)
{
    str kind = json_get_str(obj, S("kind"));
    for (size_t i = 0; i < ARRAY_LEN(workloads); i++)
        if (str_is(kind, workloads[i].kind)) {
            *ret_replicas = json_get_int(json_get(obj, S("spec")), str_of(workloads[i].count), 1);
            return json_path(obj, "spec", "template", NULL);
        }
    return NULL;
}

int what_if_question(struct arena *a, const struct manifests *m, struct json *ret, struct failure *f)
{
    struct json pods = json_array(), templates = json_array();
    *ret = json_object();
    for (size_t i = 0; i < m->len; i++) {
        const struct json *obj = &m->p[i].object, *template;
        str kind = json_get_str(obj, S("kind")), ns = json_str(json_path(obj, "metadata", "namespace", NULL));
        int64_t n = 0;
        if (ns.len && !json_get(ret, S("namespace")))
            json_set(a, ret, S("namespace"), json_string(ns));
        if (str_is(kind, "PodGroup")) {
            if (json_get(ret, S("podGroup")))
                return failure_set(f, E_INVALID_ARG, STR_FMT ": one unit is asked about, but there is a second PodGroup", STR_ARG(m->p[i].source));
            json_set(a, ret, S("podGroup"), *obj);
        } else if (str_is(kind, "Pod")) {
            json_push(a, &pods, *obj);
        } else if ((template = what_if_template(obj, &n)) != NULL) {
            struct json *one = json_push(a, &templates, json_object());
            json_set(a, one, S("replicas"), json_int(a, n));
            json_set(a, one, S("template"), *template);
        } else {
            return failure_set(f, E_INVALID_ARG, STR_FMT ": \"" STR_FMT "\" is none of Pod, PodGroup, Job, Deployment, ReplicaSet and StatefulSet", STR_ARG(m->p[i].source), STR_ARG(kind));
        }
    }
    if (pods.len)
        json_set(a, ret, S("pods"), pods);
    if (templates.len)
        json_set(a, ret, S("templates"), templates);
    return pods.len || templates.len ? 0 : failure_set(f, E_INVALID_ARG, "name a file with the pods to ask about: -f FILE");
}
