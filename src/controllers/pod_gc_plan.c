/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_gc_plan.h"

static int older(const void *va, const void *vb)
{
    const struct pod_record *a = *(struct pod_record *const *)va, *b = *(struct pod_record *const *)vb;
    return a->created != b->created ? (a->created < b->created ? -1 : 1) : str_cmp(a->key, b->key);
}

size_t pod_gc_excess(struct pod_record **pods, size_t n, size_t keep)
{
    if (n <= keep)
        return 0;
    qsort(pods, n, sizeof *pods, older);
    return n - keep;
}

bool pod_gc_is_stranded(const struct pod_record *p)
{
    return !p->node.len && p->deleting && !p->has_finalizers;
}

bool pod_gc_is_switched_off(const struct json *node)
{
    const struct json *taints = json_path(node, "spec", "taints", NULL);
    bool said = false, silent = false;
    for (uint32_t i = 0; json_is(taints, JSON_ARRAY) && i < taints->len; i++) {
        str key = json_get_str(&taints->items[i], S("key"));
        said |= str_is(key, "node.kubernetes.io/out-of-service");
        silent |= str_is(key, "node.kubernetes.io/unreachable") || str_is(key, "node.kubernetes.io/not-ready");
    }
    return said && silent;
}
