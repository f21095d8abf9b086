/* describe_volume.c - volumes of pods, persistent volumes, claims, storage classes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "cli/describe.h"

/* --- sources: one row a kind of volume ------------------------------------------------------------------------------------------------ */

struct source_field {
    const char *label, *path;
    const char *otherwise; /* shown when there is none */
};
struct source {
    const char *key;  /* of the volume: "hostPath" */
    const char *type; /* what stands behind Type: */
    struct source_field fields[6];
    void (*fn)(struct describe *d, const struct json *source);
};

static void add_size_limit(struct describe *d, const struct json *source)
{
    struct quantity q;
    str limit = json_get_str(source, S("sizeLimit"));
    describe_line(d, 2, "SizeLimit:\t" STR_FMT "\n",
                  STR_ARG(quantity_parse(limit, &q) && quantity_sign(&q) > 0 ? limit : S("<unset>")));
}

static void add_projected(struct describe *d, const struct json *source)
{
    const struct json *list = describe_list(source, "sources");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *secret = json_get(&list->items[i], S("secret")), *map = json_get(&list->items[i], S("configMap")),
                          *ref = secret ? secret : map, *token = json_get(&list->items[i], S("serviceAccountToken"));
        if (ref) {
            describe_line(d, 2, "%s:\t" STR_FMT "\n", secret ? "SecretName" : "ConfigMapName",
                          STR_ARG(json_get_str(ref, S("name"))));
            describe_line(d, 2, "Optional:\t%s\n", json_get_bool(ref, S("optional"), false) ? "true" : "false");
        } else if (json_get(&list->items[i], S("downwardAPI"))) {
            describe_line(d, 2, "DownwardAPI:\ttrue\n");
        } else if (token) {
            describe_line(d, 2, "TokenExpirationSeconds:\t" STR_FMT "\n",
                          STR_ARG(json_str(json_get(token, S("expirationSeconds")))));
        }
    }
}

static void add_downward(struct describe *d, const struct json *source)
{
    const struct json *list = describe_list(source, "items");
    describe_line(d, 2, "Items:\n");
    for (size_t i = 0; i < list->len; i++) {
        str field = table_text_at(&list->items[i], S("fieldRef.fieldPath")),
            resource = table_text_at(&list->items[i], S("resourceFieldRef.resource"));
        describe_line(d, 3, STR_FMT " -> " STR_FMT "\n", STR_ARG(field.len ? field : resource),
                      STR_ARG(json_get_str(&list->items[i], S("path"))));
    }
}

static void add_ephemeral(struct describe *d, const struct json *source)
{
    const struct json *template = json_get(source, S("volumeClaimTemplate"));
    if (template)
        describe_claim(d, template, 2);
}

static void add_attributes(struct describe *d, const struct json *source)
{
    describe_map(d, "    ", "VolumeAttributes", json_get(source, S("volumeAttributes")));
}

static const struct source sources[] = {
    {"hostPath", "HostPath (bare host directory volume)", {{"Path", "path", ""}, {"HostPathType", "type", "<none>"}}, NULL},
    {"emptyDir", "EmptyDir (a temporary directory that shares a pod's lifetime)", {{"Medium", "medium", ""}}, add_size_limit},
    {"secret",
     "Secret (a volume populated by a Secret)",
     {{"SecretName", "secretName", ""}, {"Optional", "optional", "false"}},
     NULL},
    {"configMap",
     "ConfigMap (a volume populated by a ConfigMap)",
     {{"Name", "name", ""}, {"Optional", "optional", "false"}},
     NULL},
    {"nfs",
     "NFS (an NFS mount that lasts the lifetime of a pod)",
     {{"Server", "server", ""}, {"Path", "path", ""}, {"ReadOnly", "readOnly", "false"}},
     NULL},
    {"persistentVolumeClaim",
     "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
     {{"ClaimName", "claimName", ""}, {"ReadOnly", "readOnly", "false"}},
     NULL},
    {"ephemeral",
     "EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)",
     {{0}},
     add_ephemeral},
    {"downwardAPI", "DownwardAPI (a volume populated by information about the pod)", {{0}}, add_downward},
    {"projected", "Projected (a volume that contains injected data from multiple sources)", {{0}}, add_projected},
    {"csi",
     "CSI (a Container Storage Interface (CSI) volume source)",
     {{"Driver", "driver", ""}, {"FSType", "fsType", ""}, {"ReadOnly", "readOnly", "false"}},
     add_attributes},
    {"image",
     "Image (a container image or OCI artifact)",
     {{"Reference", "reference", ""}, {"PullPolicy", "pullPolicy", ""}},
     NULL},
    {"local", "LocalVolume (a persistent volume backed by local storage on a node)", {{"Path", "path", ""}}, NULL},
    {"gitRepo",
     "GitRepo (a volume that is pulled from git when the pod is created)",
     {{"Repository", "repository", ""}, {"Revision", "revision", ""}},
     NULL},
    {"gcePersistentDisk",
     "GCEPersistentDisk (a Persistent Disk resource in Google Compute Engine)",
     {{"PDName", "pdName", ""}, {"FSType", "fsType", ""}, {"Partition", "partition", "0"}, {"ReadOnly", "readOnly", "false"}},
     NULL},
    {"awsElasticBlockStore",
     "AWSElasticBlockStore (a Persistent Disk resource in AWS)",
     {{"VolumeID", "volumeID", ""}, {"FSType", "fsType", ""}, {"Partition", "partition", "0"}, {"ReadOnly", "readOnly", "false"}},
     NULL},
};

/* A persistent volume of CSI has one line more. */
static const struct source csi_persistent = {
    "csi",
    "CSI (a Container Storage Interface (CSI) volume source)",
    {{"Driver", "driver", ""}, {"FSType", "fsType", ""}, {"VolumeHandle", "volumeHandle", ""}, {"ReadOnly", "readOnly", "false"}},
    add_attributes};

static void add_source(struct describe *d, const struct source *s, const struct json *value)
{
    describe_line(d, 2, "Type:\t%s\n", s->type);
    for (const struct source_field *f = s->fields; f < s->fields + ARRAY_LEN(s->fields) && f->label; f++) {
        const struct json *v = json_get(value, str_of(f->path));
        str text = v && v->type == JSON_BOOL ? (v->b ? S("true") : S("false")) : json_str(v);
        describe_line(d, 2, "%s:\t" STR_FMT "\n", f->label, STR_ARG(v ? text : str_of(f->otherwise)));
    }
    if (s->fn)
        s->fn(d, value);
}

void describe_volume_source(struct describe *d, const struct json *volume)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        const struct json *value = json_get(volume, str_of(sources[i].key));
        if (value) {
            add_source(d, json_get(value, S("volumeHandle")) ? &csi_persistent : &sources[i], value);
            return;
        }
    }
    describe_line(d, 1, "<unknown>\n");
}

void describe_volumes(struct describe *d, const struct json *volumes, const char *space)
{
    describe_line(d, 0, "%sVolumes:%s\n", space, volumes->len ? "" : "\t<none>");
    for (size_t i = 0; i < volumes->len; i++) {
        describe_line(d, 1, "%s" STR_FMT ":\n", space[0] ? " " : "", STR_ARG(json_get_str(&volumes->items[i], S("name"))));
        describe_volume_source(d, &volumes->items[i]);
    }
}

/* --- claims ------------------------------------------------------------------------------------------------------------------------------- */

static str access_modes(struct describe *d, const struct json *modes)
{
    static const struct {
        const char *mode, *shown;
    } names[] = {{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
    struct strbuf b = strbuf_on(d->arena);
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        bool has = false;
        for (size_t i = 0; i < modes->len; i++)
            has = has || str_is(json_str(&modes->items[i]), names[n].mode);
        if (has)
            strbuf_addf(&b, "%s%s", b.len ? "," : "", names[n].shown);
    }
    return strbuf_str(&b);
}

static str claim_class(const struct json *claim)
{
    str beta = json_get_str(describe_value(claim, "metadata.annotations"), S("volume.beta.kubernetes.io/storage-class"));
    return beta.len ? beta : table_text_at(claim, S("spec.storageClassName"));
}

void describe_claim(struct describe *d, const struct json *claim, int level)
{
    static const struct describe_row marks[] = {{.label = "Annotations", .path = "metadata.annotations", .kind = ROW_ANNOTATIONS},
                                                {0}};
    str volume = table_text_at(claim, S("spec.volumeName")), mode = table_text_at(claim, S("spec.volumeMode"));
    char indent[16];
    snprintf(indent, sizeof indent, "%*s", level * 2, "");
    bool is_full = level == 0;
    if (is_full) {
        const struct json *deleted = describe_value(claim, "metadata.deletionTimestamp");
        describe_line(d, 0, "StorageClass:\t" STR_FMT "\n", STR_ARG(claim_class(claim)));
        if (deleted)
            describe_line(d, 0, "Status:\tTerminating (lasts " STR_FMT ")\n", STR_ARG(print_age(d->arena, deleted)));
        else
            describe_line(d, 0, "Status:\t" STR_FMT "\n", STR_ARG(table_text_at(claim, S("status.phase"))));
    } else {
        describe_line(d, level, "StorageClass:\t" STR_FMT "\n", STR_ARG(claim_class(claim)));
    }
    describe_line(d, level, "Volume:\t" STR_FMT "\n", STR_ARG(volume));
    describe_map(d, indent, "Labels", describe_value(claim, "metadata.labels"));
    struct json saved = d->object;
    d->object = *claim;
    strbuf_add_str(&d->tabs.text, str_of(indent));
    describe_rows(d, marks);
    d->object = saved;
    if (is_full) {
        struct strbuf b = strbuf_on(d->arena);
        describe_go_list(&b, describe_list(claim, "metadata.finalizers"));
        describe_line(d, 0, "Finalizers:\t%s\n", strbuf_cstr(&b));
    }
    describe_line(d, level, "Capacity:\t" STR_FMT "\n",
                  STR_ARG(volume.len ? table_text_at(claim, S("status.capacity.storage")) : S("")));
    describe_line(d, level, "Access Modes:\t" STR_FMT "\n",
                  STR_ARG(volume.len ? access_modes(d, describe_list(claim, "status.accessModes")) : S("")));
    if (mode.len)
        describe_line(d, level, "VolumeMode:\t" STR_FMT "\n", STR_ARG(mode));
}

static void claim_body(struct describe *d)
{
    struct json claim = d->object;
    const struct json *source = describe_value(&claim, "spec.dataSource");
    describe_claim(d, &claim, 0);
    if (!source)
        return;
    describe_line(d, 0, "DataSource:\n");
    if (json_get(source, S("apiGroup")))
        describe_line(d, 1, "APIGroup:\t" STR_FMT "\n", STR_ARG(json_get_str(source, S("apiGroup"))));
    describe_line(d, 1, "Kind:\t" STR_FMT "\n", STR_ARG(json_get_str(source, S("kind"))));
    describe_line(d, 1, "Name:\t" STR_FMT "\n", STR_ARG(json_get_str(source, S("name"))));
}

/* Pods that mount the claim. */
static void claim_users(struct describe *d)
{
    str path = arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/pods", STR_ARG(d->ns));
    struct json pods = describe_sorted(d, describe_fetch(d, path.p, NULL, NULL), "metadata.name");
    size_t n = 0;
    describe_line(d, 0, "Used By:\t");
    for (size_t i = 0; i < pods.len; i++) {
        const struct json *volumes = describe_list(&pods.items[i], "spec.volumes");
        for (size_t k = 0; k < volumes->len; k++) {
            if (str_eq(table_text_at(&volumes->items[k], S("persistentVolumeClaim.claimName")), d->name))
                describe_line(d, 0, "%s" STR_FMT "\n", n++ ? "\t" : "",
                              STR_ARG(table_text_at(&pods.items[i], S("metadata.name"))));
        }
    }
    if (!n)
        describe_line(d, 0, "<none>\n");
}

static void claim_conditions(struct describe *d)
{
    static const struct describe_column columns[] = {{"Type", "type", false, " "},
                                                     {"Status", "status", false, " "},
                                                     {"LastProbeTime", "lastProbeTime", true, " "},
                                                     {"LastTransitionTime", "lastTransitionTime", true, " "},
                                                     {"Reason", "reason", false, " "},
                                                     {"Message", "message", false, ""}};
    const struct json *list = describe_list(&d->object, "status.conditions");
    if (!list->len)
        return;
    describe_line(d, 0, "Conditions:\n");
    describe_table(d, 1, list, columns, ARRAY_LEN(columns));
}

static const struct describe_row claim_rows[] = {
    ROWS_NAME, ROWS_NAMESPACE, {.fn = claim_body}, {.fn = claim_users}, {.fn = claim_conditions}, ROWS_EVENTS, {0}};

/* --- persistent volumes ------------------------------------------------------------------------------------------------------------------- */

static void add_term(struct describe *d, int level, const char *title, size_t index, const struct json *list)
{
    describe_line(d, level, "%s %zu:\t%s", title, index, list->len ? "" : "<none>\n");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *e = &list->items[i];
        str how = describe_or(table_lower(d->arena, json_get_str(e, S("operator"))), "in"),
            values = describe_join(d->arena, json_get(e, S("values")), ", ");
        if (i)
            describe_line(d, level, "\t");
        describe_line(d, 0, STR_FMT " " STR_FMT "%s" STR_FMT "%s\n", STR_ARG(json_get_str(e, S("key"))), STR_ARG(how),
                      values.len ? " [" : "", STR_ARG(values), values.len ? "]" : "");
    }
}

static void volume_affinity(struct describe *d)
{
    const struct json *required = describe_value(&d->object, "spec.nodeAffinity.required"),
                      *terms = describe_list(required, "nodeSelectorTerms");
    describe_line(d, 0, "Node Affinity:\t%s\n", required ? "" : "<none>");
    if (!required)
        return;
    describe_line(d, 1, "Required Terms:\t%s\n", terms->len ? "" : "<none>");
    for (size_t i = 0; i < terms->len; i++)
        add_term(d, 2, "Term", i, describe_list(&terms->items[i], "matchExpressions"));
}

static void volume_body(struct describe *d)
{
    const struct json *deleted = describe_value(&d->object, "metadata.deletionTimestamp"),
                      *claim = describe_value(&d->object, "spec.claimRef");
    str beta = json_get_str(describe_value(&d->object, "metadata.annotations"), S("volume.beta.kubernetes.io/storage-class"));
    describe_line(d, 0, "StorageClass:\t" STR_FMT "\n", STR_ARG(beta.len ? beta : describe_text(d, "spec.storageClassName")));
    if (deleted)
        describe_line(d, 0, "Status:\tTerminating (lasts " STR_FMT ")\n", STR_ARG(print_age(d->arena, deleted)));
    else
        describe_line(d, 0, "Status:\t" STR_FMT "\n", STR_ARG(describe_text(d, "status.phase")));
    describe_line(d, 0, "Claim:\t" STR_FMT "%s" STR_FMT "\n", STR_ARG(json_get_str(claim, S("namespace"))), claim ? "/" : "",
                  STR_ARG(json_get_str(claim, S("name"))));
    describe_line(d, 0, "Reclaim Policy:\t" STR_FMT "\n", STR_ARG(describe_text(d, "spec.persistentVolumeReclaimPolicy")));
    describe_line(d, 0, "Access Modes:\t" STR_FMT "\n", STR_ARG(access_modes(d, describe_list(&d->object, "spec.accessModes"))));
}

static void volume_origin(struct describe *d)
{
    describe_line(d, 0, "Source:\n");
    describe_volume_source(d, json_get(&d->object, S("spec")));
}

static const struct describe_row volume_rows[] = {
    ROWS_NAME,
    ROWS_MARKS,
    {.label = "Finalizers", .path = "metadata.finalizers", .kind = ROW_LIST_GO},
    {.fn = volume_body},
    {.label = "VolumeMode", .path = "spec.volumeMode", .kind = ROW_OPTIONAL},
    {.label = "Capacity", .path = "spec.capacity.storage", .kind = ROW_NUMBER},
    {.fn = volume_affinity},
    {.label = "Message", .path = "status.message"},
    {.fn = volume_origin},
    ROWS_EVENTS,
    {0},
};

/* --- storage classes ------------------------------------------------------------------------------------------------------------------------ */

static void class_default(struct describe *d)
{
    const struct json *a = describe_value(&d->object, "metadata.annotations");
    bool is_default = str_is(json_get_str(a, S("storageclass.kubernetes.io/is-default-class")), "true") ||
                      str_is(json_get_str(a, S("storageclass.beta.kubernetes.io/is-default-class")), "true");
    describe_line(d, 0, "IsDefaultClass:\t%s\n", is_default ? "Yes" : "No");
}

static void class_mounts(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "mountOptions");
    describe_line(d, 0, "MountOptions:%s\n", list->len ? "" : "\t<none>");
    for (size_t i = 0; i < list->len; i++)
        describe_line(d, 1, STR_FMT "\n", STR_ARG(json_str(&list->items[i])));
}

static void class_topologies(struct describe *d)
{
    const struct json *list = describe_value(&d->object, "allowedTopologies");
    if (!json_is(list, JSON_ARRAY))
        return;
    describe_line(d, 0, "AllowedTopologies:\t%s\n", list->len ? "" : "<none>");
    for (size_t i = 0; i < list->len; i++)
        add_term(d, 1, "Term", i, describe_list(&list->items[i], "matchLabelExpressions"));
}

static const struct describe_row class_rows[] = {
    ROWS_NAME,
    {.fn = class_default},
    {.label = "Annotations", .path = "metadata.annotations", .kind = ROW_MAP_LINE},
    {.label = "Provisioner", .path = "provisioner"},
    {.label = "Parameters", .path = "parameters", .kind = ROW_MAP_LINE},
    {.label = "AllowVolumeExpansion", .path = "allowVolumeExpansion", .kind = ROW_FLAG_TITLE},
    {.fn = class_mounts},
    {.label = "ReclaimPolicy", .path = "reclaimPolicy", .kind = ROW_OPTIONAL},
    {.label = "VolumeBindingMode", .path = "volumeBindingMode", .kind = ROW_OPTIONAL},
    {.fn = class_topologies},
    ROWS_EVENTS,
    {0},
};

const struct describe_kind describe_storage_kinds[] = {{"", "PersistentVolume", volume_rows},
                                                       {"", "PersistentVolumeClaim", claim_rows},
                                                       {"storage.k8s.io", "StorageClass", class_rows},
                                                       {0}};
