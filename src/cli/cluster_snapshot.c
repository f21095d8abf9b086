/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster_snapshot.h"

#include "cli/discovery.h"
#include "cli/resources.h"

#define CHUNK 500

static const struct {
    const char *group, *plural;
    bool is_needed;
} wanted[] = {
    {"", "nodes", true},
    {"scheduling.run.ai", "queues", true},
    {"scheduling.k8s.io", "priorityclasses", false},
    {"kai.scheduler", "topologies", false},
    {"", "namespaces", false},
    {"storage.k8s.io", "storageclasses", false},
    {"storage.k8s.io", "csinodes", false},
    {"", "persistentvolumes", false},
    {"", "persistentvolumeclaims", false},
    {"policy", "poddisruptionbudgets", false},
    {"scheduling.run.ai", "podgroups", false},
    {"scheduling.godel.kubewharf.io", "podgroups", false},
    {"scheduling.x-k8s.io", "podgroups", false},
    {"", "pods", true},
};

static int add_list(struct session *s, const struct discovery_resource *res, struct strbuf *out, struct failure *f)
{
    struct json list;
    str version = discovery_group_version(&s->arena, res);
    int r = resources_list(s, discovery_path(&s->arena, res, S(""), S(""), S("")), S(""), S(""), CHUNK, &list, f);
    struct json *items = r >= 0 ? json_get(&list, S("items")) : NULL;
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) { /* items of a list need not say what they are */
        json_set(&s->arena, &items->items[i], S("apiVersion"), json_string(version));
        json_set(&s->arena, &items->items[i], S("kind"), json_string(res->kind));
        strbuf_add_str(out, out->p[out->len - 1] == '[' ? S("") : S(","));
        json_write(out, &items->items[i]);
    }
    return r;
}

int cluster_snapshot(struct session *s, str *ret_text, struct failure *f)
{
    const struct discovery *d;
    struct strbuf out = strbuf_on(&s->arena);
    int r = session_discovery(s, &d, f);
    strbuf_add_str(&out, S("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":["));
    for (size_t k = 0; r >= 0 && k < ARRAY_LEN(wanted); k++)
        for (size_t i = 0; r >= 0 && i < d->len; i++) {
            const struct discovery_resource *res = &d->list[i];
            if (!res->is_preferred || !str_is(res->plural, wanted[k].plural) || !str_is(res->group, wanted[k].group))
                continue;
            r = add_list(s, res, &out, f);
            if (r >= 0 || wanted[k].is_needed)
                continue;
            fprintf(stderr, "Warning: cannot list %s, so they are not considered\n", wanted[k].plural);
            r = 0;
        }
    strbuf_add_str(&out, S("]}"));
    *ret_text = strbuf_str(&out);
    return r;
}
