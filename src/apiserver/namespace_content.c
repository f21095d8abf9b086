/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/namespace_content.h"

static struct json named(struct arena *a, str ns, const char *name)
{
    struct json obj = json_object(), *meta = json_set(a, &obj, S("metadata"), json_object());
    json_set(a, meta, S("name"), json_string(str_of(name)));
    json_set(a, meta, S("namespace"), json_string(ns));
    return obj;
}

struct json namespace_service_account(struct arena *a, str ns)
{
    return named(a, ns, "default");
}

struct json namespace_root_ca(struct arena *a, str ns, str ca_pem)
{
    struct json cm = named(a, ns, "kube-root-ca.crt");
    struct json *notes = json_ensure_object(a, json_get(&cm, S("metadata")), S("annotations"));
    json_set(a, notes, S("kubernetes.io/description"),
             json_string(S("Certificate authority of the API server; clients inside the cluster check its certificate with this.")));
    json_set(a, json_ensure_object(a, &cm, S("data")), S("ca.crt"), json_string(ca_pem));
    return cm;
}
