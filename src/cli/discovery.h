/* discovery.h - which resources a server has, and which one a user's word means.
 *
 * Filled from two aggregated discovery documents (/api, /apis), in their order: core first, a group's preferred version first.
 * Threads: main only.  Ownership: everything is in the arena that was given; strings point into the documents. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

struct discovery_resource {
    str group, version; /* "apps", "v1" */
    str kind;           /* "Deployment" */
    str plural, singular;
    const str *short_names, *categories, *verbs;
    size_t nshort_names, ncategories, nverbs;
    bool is_namespaced;
    bool is_preferred; /* of its group's versions the first that has the resource */
};
struct discovery {
    struct discovery_resource *list;
    size_t len, cap_;
};

void discovery_add(struct discovery *d, struct arena *a, const struct json *document);
/* "pods", "po", "Pod", "deployments.apps", "deployments.v1.apps": NULL when the server has no such type. */
const struct discovery_resource *discovery_find(const struct discovery *d, str word);
/* The resource of an object: "apps/v1", "Deployment". */
const struct discovery_resource *discovery_find_kind(const struct discovery *d, str api_version, str kind);
bool discovery_has_category(const struct discovery_resource *r, str category);

/* "apps/v1", "v1" */
str discovery_group_version(struct arena *a, const struct discovery_resource *r);
/* "deployment.apps", "pod": how messages name a type. */
str discovery_type_name(struct arena *a, const struct discovery_resource *r);
/* "deployments.apps", "pods" */
str discovery_group_resource(struct arena *a, const struct discovery_resource *r);
/* "/apis/apps/v1/namespaces/NS/deployments/NAME/SUB"; ns "": all namespaces or cluster scope; name, sub "": without. */
str discovery_path(struct arena *a, const struct discovery_resource *r, str ns, str name, str sub);
