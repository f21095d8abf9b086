/* meta_v1.c: written by tools/gen_api.py from api/meta_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const str keys_uid[] = {STR_INIT("uid")};
static const struct schema_type list_OwnerReference_map_uid = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_OwnerReference, .list_type = SCHEMA_LIST_MAP, .keys = keys_uid, .nkeys = 1};
static const struct schema_type list_string_set = {.kind = SCHEMA_LIST, .elem = &schema_string, .list_type = SCHEMA_LIST_SET};
static const struct schema_type list_ManagedFieldsEntry = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_ManagedFieldsEntry};
static const str enum_Background_Foreground_Orphan[] = {STR_INIT("Background"), STR_INIT("Foreground"), STR_INIT("Orphan")};
static const struct schema_rules rules_enums_Background_Foreground_Orphan = {.enums = enum_Background_Foreground_Orphan, .nenums = 3};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_StatusCause = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_StatusCause};
static const struct schema_type list_ServerAddressByClientCIDR = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_ServerAddressByClientCIDR};
static const struct schema_type list_APIGroup = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_APIGroup};
static const struct schema_type list_GroupVersionForDiscovery = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_GroupVersionForDiscovery};
static const struct schema_type list_APIResource = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_APIResource};
static const struct schema_type list_LabelSelectorRequirement = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_LabelSelectorRequirement};
static const struct schema_field fields_ListMeta[4] = {
    {.name = STR_INIT("selfLink"), .type = &schema_string, .pb = 1},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("continue"), .type = &schema_string, .pb = 3},
    {.name = STR_INIT("remainingItemCount"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER}};
const struct schema_type schema_meta_v1_ListMeta = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ListMeta"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"), .doc = STR_INIT("Metadata of a list: its version and how to fetch the next page."), .fields = fields_ListMeta, .nfields = 4};

static const struct schema_field fields_ObjectMeta[15] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1},
    {.name = STR_INIT("generateName"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 3},
    {.name = STR_INIT("selfLink"), .type = &schema_string, .pb = 4},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 5},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 6},
    {.name = STR_INIT("generation"), .type = &schema_int64, .pb = 7},
    {.name = STR_INIT("creationTimestamp"), .type = &schema_time, .pb = 8, .flags = SCHEMA_ALWAYS},
    {.name = STR_INIT("deletionTimestamp"), .type = &schema_time, .pb = 9},
    {.name = STR_INIT("deletionGracePeriodSeconds"), .type = &schema_int64, .pb = 10, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("labels"), .type = &map_string, .pb = 11},
    {.name = STR_INIT("annotations"), .type = &map_string, .pb = 12},
    {.name = STR_INIT("ownerReferences"), .type = &list_OwnerReference_map_uid, .pb = 13, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("uid")},
    {.name = STR_INIT("finalizers"), .type = &list_string_set, .pb = 14, .patch = SCHEMA_PATCH_MERGE},
    {.name = STR_INIT("managedFields"), .type = &list_ManagedFieldsEntry, .pb = 17, .flags = SCHEMA_POINTER}};
static const uint8_t index_ObjectMeta[32] = {3, 12, 0, 0, 8, 0, 1, 6, 0, 0, 11, 4, 14, 5, 9, 13, 0, 10, 0, 15, 0, 0, 0, 7, 0, 2, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_meta_v1_ObjectMeta = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectMeta"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"), .doc = STR_INIT("Metadata that every stored object has."), .fields = fields_ObjectMeta, .nfields = 15, .index8 = index_ObjectMeta, .index_mask = 31};

static const struct schema_field fields_OwnerReference[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("controller"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("blockOwnerDeletion"), .type = &schema_bool, .pb = 7, .flags = SCHEMA_POINTER}};
static const uint8_t index_OwnerReference[16] = {0, 5, 0, 2, 0, 0, 3, 6, 0, 1, 0, 0, 0, 4, 0, 0};
const struct schema_type schema_meta_v1_OwnerReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("OwnerReference"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference"), .doc = STR_INIT("Points at an object that owns this one; without owners it is collected."), .atomic = true, .fields = fields_OwnerReference, .nfields = 6, .index8 = index_OwnerReference, .index_mask = 15};

static const struct schema_field fields_DeleteOptions[8] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("gracePeriodSeconds"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("preconditions"), .type = &schema_meta_v1_Preconditions, .pb = 2, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("orphanDependents"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("propagationPolicy"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .rules = &rules_enums_Background_Foreground_Orphan},
    {.name = STR_INIT("dryRun"), .type = &list_string, .pb = 5},
    {.name = STR_INIT("ignoreStoreReadErrorWithClusterBreakingPotential"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER}};
static const uint8_t index_DeleteOptions[16] = {4, 0, 0, 2, 5, 8, 0, 3, 7, 1, 0, 6, 0, 0, 0, 0};
const struct schema_type schema_meta_v1_DeleteOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeleteOptions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"), .doc = STR_INIT("How a delete request is to be carried out."), .fields = fields_DeleteOptions, .nfields = 8, .index8 = index_DeleteOptions, .index_mask = 15};

static const struct schema_field fields_Preconditions[2] = {
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER}};
const struct schema_type schema_meta_v1_Preconditions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Preconditions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions"), .doc = STR_INIT("What must hold before an object is deleted."), .fields = fields_Preconditions, .nfields = 2};

static const struct schema_field fields_Status[8] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 3},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4},
    {.name = STR_INIT("details"), .type = &schema_meta_v1_StatusDetails, .pb = 5, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("code"), .type = &schema_int32, .pb = 6}};
static const uint8_t index_Status[16] = {3, 0, 0, 2, 5, 7, 8, 0, 0, 1, 6, 0, 0, 0, 0, 4};
const struct schema_type schema_meta_v1_Status = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Status"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Status"), .doc = STR_INIT("The outcome of a request that does not return an object."), .fields = fields_Status, .nfields = 8, .index8 = index_Status, .index_mask = 15};

static const struct schema_field fields_StatusDetails[6] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 3},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 6},
    {.name = STR_INIT("causes"), .type = &list_StatusCause, .pb = 4},
    {.name = STR_INIT("retryAfterSeconds"), .type = &schema_int32, .pb = 5}};
static const uint8_t index_StatusDetails[16] = {0, 0, 6, 3, 0, 0, 1, 0, 0, 5, 0, 0, 2, 4, 0, 0};
const struct schema_type schema_meta_v1_StatusDetails = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatusDetails"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails"), .doc = STR_INIT("Further facts about the outcome of a request."), .fields = fields_StatusDetails, .nfields = 6, .index8 = index_StatusDetails, .index_mask = 15};

static const struct schema_field fields_StatusCause[3] = {
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 1},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("field"), .type = &schema_string, .pb = 3}};
const struct schema_type schema_meta_v1_StatusCause = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatusCause"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause"), .doc = STR_INIT("One reason of a failed request, if known with the field at fault."), .fields = fields_StatusCause, .nfields = 3};

static const struct schema_field fields_APIVersions[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("versions"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("serverAddressByClientCIDRs"), .type = &list_ServerAddressByClientCIDR, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_APIVersions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIVersions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions"), .doc = STR_INIT("Versions of the legacy API root."), .fields = fields_APIVersions, .nfields = 4};

static const struct schema_field fields_APIGroupList[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("groups"), .type = &list_APIGroup, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_APIGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIGroupList"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList"), .doc = STR_INIT("All groups that the server offers."), .fields = fields_APIGroupList, .nfields = 3};

static const struct schema_field fields_APIGroup[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("versions"), .type = &list_GroupVersionForDiscovery, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("preferredVersion"), .type = &schema_meta_v1_GroupVersionForDiscovery, .pb = 3, .flags = SCHEMA_ALWAYS},
    {.name = STR_INIT("serverAddressByClientCIDRs"), .type = &list_ServerAddressByClientCIDR, .pb = 4}};
static const uint8_t index_APIGroup[16] = {0, 0, 5, 2, 0, 0, 3, 0, 0, 1, 0, 0, 4, 0, 0, 6};
const struct schema_type schema_meta_v1_APIGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIGroup"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup"), .doc = STR_INIT("A group with its versions."), .fields = fields_APIGroup, .nfields = 6, .index8 = index_APIGroup, .index_mask = 15};

static const struct schema_field fields_ServerAddressByClientCIDR[2] = {
    {.name = STR_INIT("clientCIDR"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("serverAddress"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_ServerAddressByClientCIDR = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServerAddressByClientCIDR"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR"), .doc = STR_INIT("Address clients of a network range should use for the server."), .fields = fields_ServerAddressByClientCIDR, .nfields = 2};

static const struct schema_field fields_GroupVersionForDiscovery[2] = {
    {.name = STR_INIT("groupVersion"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("version"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_GroupVersionForDiscovery = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GroupVersionForDiscovery"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery"), .doc = STR_INIT("A version of a group, in both spellings."), .fields = fields_GroupVersionForDiscovery, .nfields = 2};

static const struct schema_field fields_APIResource[10] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("singularName"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("namespaced"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 8},
    {.name = STR_INIT("version"), .type = &schema_string, .pb = 9},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("verbs"), .type = &list_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("shortNames"), .type = &list_string, .pb = 5},
    {.name = STR_INIT("categories"), .type = &list_string, .pb = 7},
    {.name = STR_INIT("storageVersionHash"), .type = &schema_string, .pb = 10}};
static const uint8_t index_APIResource[32] = {0, 0, 0, 2, 6, 0, 1, 0, 0, 7, 0, 0, 3, 4, 9, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 10, 8};
const struct schema_type schema_meta_v1_APIResource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIResource"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIResource"), .doc = STR_INIT("A resource that the server offers: names, scope, verbs."), .fields = fields_APIResource, .nfields = 10, .index8 = index_APIResource, .index_mask = 31};

static const struct schema_field fields_APIResourceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("groupVersion"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("resources"), .type = &list_APIResource, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_APIResourceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIResourceList"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList"), .doc = STR_INIT("Resources of one group and version."), .fields = fields_APIResourceList, .nfields = 4};

const struct schema_type schema_meta_v1_Patch = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Patch"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Patch"), .doc = STR_INIT("Body of a patch request; its form follows from the content type.")};

static const struct schema_field fields_LabelSelector[2] = {
    {.name = STR_INIT("matchLabels"), .type = &map_string, .pb = 1},
    {.name = STR_INIT("matchExpressions"), .type = &list_LabelSelectorRequirement, .pb = 2}};
const struct schema_type schema_meta_v1_LabelSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LabelSelector"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"), .doc = STR_INIT("Selects objects by their labels; all conditions must hold. Empty selects everything."), .atomic = true, .fields = fields_LabelSelector, .nfields = 2};

static const struct schema_field fields_LabelSelectorRequirement[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3}};
const struct schema_type schema_meta_v1_LabelSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LabelSelectorRequirement"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement"), .doc = STR_INIT("One condition on a label: key, operator, values."), .fields = fields_LabelSelectorRequirement, .nfields = 3};

static const struct schema_field fields_FieldSelectorRequirement[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3}};
const struct schema_type schema_meta_v1_FieldSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FieldSelectorRequirement"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement"), .doc = STR_INIT("One condition on a field: key, operator, values."), .fields = fields_FieldSelectorRequirement, .nfields = 3};

static const struct schema_field fields_ManagedFieldsEntry[7] = {
    {.name = STR_INIT("manager"), .type = &schema_string, .pb = 1},
    {.name = STR_INIT("operation"), .type = &schema_string, .pb = 2},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 3},
    {.name = STR_INIT("time"), .type = &schema_time, .pb = 4},
    {.name = STR_INIT("fieldsType"), .type = &schema_string, .pb = 6},
    {.name = STR_INIT("fieldsV1"), .type = &schema_meta_v1_FieldsV1, .pb = 7, .flags = SCHEMA_POINTER},
    {.name = STR_INIT("subresource"), .type = &schema_string, .pb = 8}};
static const uint8_t index_ManagedFieldsEntry[16] = {0, 0, 0, 0, 4, 5, 2, 7, 0, 3, 0, 0, 1, 6, 0, 0};
const struct schema_type schema_meta_v1_ManagedFieldsEntry = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ManagedFieldsEntry"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry"), .doc = STR_INIT("The fields that one manager set, in one API version."), .fields = fields_ManagedFieldsEntry, .nfields = 7, .index8 = index_ManagedFieldsEntry, .index_mask = 15};

const struct schema_type schema_meta_v1_FieldsV1 = {.kind = SCHEMA_RAW_OBJECT, .name = STR_INIT("FieldsV1"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"), .doc = STR_INIT("A set of fields as a tree of f:, k:, v: and i: keys.")};

static const struct schema_field fields_PartialObjectMetadata[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_PartialObjectMetadata = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartialObjectMetadata"), .openapi = STR_INIT(""), .doc = STR_INIT("An object reduced to its metadata."), .fields = fields_PartialObjectMetadata, .nfields = 3};

static const struct schema_field fields_Condition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 3},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
static const uint8_t index_Condition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 3, 0, 1, 0, 2};
const struct schema_type schema_meta_v1_Condition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Condition"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Condition"), .doc = STR_INIT("One aspect of an object's state, with status, reason and time of the last change."), .fields = fields_Condition, .nfields = 6, .index8 = index_Condition, .index_mask = 15};

static const struct schema_field fields_WatchEvent[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS},
    {.name = STR_INIT("object"), .type = &schema_raw_object, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS}};
const struct schema_type schema_meta_v1_WatchEvent = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WatchEvent"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"), .doc = STR_INIT("One change in a watch stream."), .fields = fields_WatchEvent, .nfields = 2};

