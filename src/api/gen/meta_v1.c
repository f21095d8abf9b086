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
    {.name = STR_INIT("selfLink"), .type = &schema_string, .pb = 1, .doc = STR_INIT("No longer filled in; kept for old clients.")},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 2, .doc = STR_INIT("State that the list shows; start a watch from here.")},
    {.name = STR_INIT("continue"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Token for the next page; empty on the last page.")},
    {.name = STR_INIT("remainingItemCount"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Objects that follow on later pages; absent when not known.")}};
const struct schema_type schema_meta_v1_ListMeta = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ListMeta"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"), .doc = STR_INIT("Metadata of a list: its version and how to fetch the next page."), .fields = fields_ListMeta, .nfields = 4};

static const struct schema_field fields_ObjectMeta[15] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the object; unique per kind and namespace, fixed once created.")},
    {.name = STR_INIT("generateName"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Prefix for a name the server makes up when name is empty.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Namespace the object lives in; empty for cluster-wide kinds.")},
    {.name = STR_INIT("selfLink"), .type = &schema_string, .pb = 4, .doc = STR_INIT("No longer filled in; kept for old clients.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Identity given by the server; never reused, even for the same name.")},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Changes on every write; send it back to detect lost updates.")},
    {.name = STR_INIT("generation"), .type = &schema_int64, .pb = 7, .doc = STR_INIT("Counts changes of the desired state; set by the server.")},
    {.name = STR_INIT("creationTimestamp"), .type = &schema_time, .pb = 8, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("CreationTimestamp is a timestamp of when the server stored the object; clients cannot set it.")},
    {.name = STR_INIT("deletionTimestamp"), .type = &schema_time, .pb = 9, .doc = STR_INIT("When the object is due to go; present once deletion was requested.")},
    {.name = STR_INIT("deletionGracePeriodSeconds"), .type = &schema_int64, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds granted to stop cleanly; set along with deletionTimestamp.")},
    {.name = STR_INIT("labels"), .type = &map_string, .pb = 11, .doc = STR_INIT("Short keys and values that selectors can match.")},
    {.name = STR_INIT("annotations"), .type = &map_string, .pb = 12, .doc = STR_INIT("Free keys and values for tools; not usable in selectors.")},
    {.name = STR_INIT("ownerReferences"), .type = &list_OwnerReference_map_uid, .pb = 13, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("uid"), .doc = STR_INIT("Objects this one depends on; it is removed after the last owner.")},
    {.name = STR_INIT("finalizers"), .type = &list_string_set, .pb = 14, .patch = SCHEMA_PATCH_MERGE, .doc = STR_INIT("Cleanup steps that must finish before the object really goes away.")},
    {.name = STR_INIT("managedFields"), .type = &list_ManagedFieldsEntry, .pb = 17, .flags = SCHEMA_POINTER, .doc = STR_INIT("Who set which fields; kept by the server for server-side apply.")}};
static const uint8_t index_ObjectMeta[32] = {3, 12, 0, 0, 8, 0, 1, 6, 0, 0, 11, 4, 14, 5, 9, 13, 0, 10, 0, 15, 0, 0, 0, 7, 0, 2, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_meta_v1_ObjectMeta = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectMeta"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"), .doc = STR_INIT("Metadata that every stored object has."), .fields = fields_ObjectMeta, .nfields = 15, .index8 = index_ObjectMeta, .index_mask = 31};

static const struct schema_field fields_OwnerReference[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Group and version of the owner.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the owner, such as ReplicaSet.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the owner.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Uid of the owner; a new object of the same name does not count.")},
    {.name = STR_INIT("controller"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("True for the one owner that manages this object.")},
    {.name = STR_INIT("blockOwnerDeletion"), .type = &schema_bool, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("If true, a foreground deletion of the owner waits for this object.")}};
static const uint8_t index_OwnerReference[16] = {0, 5, 0, 2, 0, 0, 3, 6, 0, 1, 0, 0, 0, 4, 0, 0};
const struct schema_type schema_meta_v1_OwnerReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("OwnerReference"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference"), .doc = STR_INIT("Points at an object that owns this one; without owners it is collected."), .atomic = true, .fields = fields_OwnerReference, .nfields = 6, .index8 = index_OwnerReference, .index_mask = 15};

static const struct schema_field fields_DeleteOptions[8] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("gracePeriodSeconds"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds to stop cleanly; 0 deletes at once, absent takes the object's own.")},
    {.name = STR_INIT("preconditions"), .type = &schema_meta_v1_Preconditions, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Conditions to meet; the deletion is refused otherwise.")},
    {.name = STR_INIT("orphanDependents"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Deprecated: use propagationPolicy. True leaves dependents alone.")},
    {.name = STR_INIT("propagationPolicy"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("What happens to dependents: Background, Foreground (they go first) or Orphan (they stay)."), .rules = &rules_enums_Background_Foreground_Orphan},
    {.name = STR_INIT("dryRun"), .type = &list_string, .pb = 5, .doc = STR_INIT("All checks the deletion without carrying it out.")},
    {.name = STR_INIT("ignoreStoreReadErrorWithClusterBreakingPotential"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Deletes an object that cannot be read back; skips finalizers and checks. Dangerous.")}};
static const uint8_t index_DeleteOptions[16] = {4, 0, 0, 2, 5, 8, 0, 3, 7, 1, 0, 6, 0, 0, 0, 0};
const struct schema_type schema_meta_v1_DeleteOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeleteOptions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"), .doc = STR_INIT("How a delete request is to be carried out."), .fields = fields_DeleteOptions, .nfields = 8, .index8 = index_DeleteOptions, .index_mask = 15};

static const struct schema_field fields_Preconditions[2] = {
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Uid that the object must have.")},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Version that the object must still be at.")}};
const struct schema_type schema_meta_v1_Preconditions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Preconditions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions"), .doc = STR_INIT("What must hold before an object is deleted."), .fields = fields_Preconditions, .nfields = 2};

static const struct schema_field fields_Status[8] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Paging data of lists; empty here.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Success or Failure of the request.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 3, .doc = STR_INIT("What happened, for people.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Why it failed, as one word for programs, such as NotFound.")},
    {.name = STR_INIT("details"), .type = &schema_meta_v1_StatusDetails, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("More on the outcome: the object, the causes, when to retry.")},
    {.name = STR_INIT("code"), .type = &schema_int32, .pb = 6, .doc = STR_INIT("HTTP status code of the response.")}};
static const uint8_t index_Status[16] = {3, 0, 0, 2, 5, 7, 8, 0, 0, 1, 6, 0, 0, 0, 0, 4};
const struct schema_type schema_meta_v1_Status = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Status"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Status"), .doc = STR_INIT("The outcome of a request that does not return an object."), .fields = fields_Status, .nfields = 8, .index8 = index_Status, .index_mask = 15};

static const struct schema_field fields_StatusDetails[6] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the object in question.")},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 2, .doc = STR_INIT("API group of the object in question.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Kind or resource of the object in question.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Uid of the object, if there is one.")},
    {.name = STR_INIT("causes"), .type = &list_StatusCause, .pb = 4, .doc = STR_INIT("The single failures behind the outcome, such as invalid fields.")},
    {.name = STR_INIT("retryAfterSeconds"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Seconds to wait before trying again; 0 gives no advice.")}};
static const uint8_t index_StatusDetails[16] = {0, 0, 6, 3, 0, 0, 1, 0, 0, 5, 0, 0, 2, 4, 0, 0};
const struct schema_type schema_meta_v1_StatusDetails = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatusDetails"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails"), .doc = STR_INIT("Further facts about the outcome of a request."), .fields = fields_StatusDetails, .nfields = 6, .index8 = index_StatusDetails, .index_mask = 15};

static const struct schema_field fields_StatusCause[3] = {
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Kind of failure, as one word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2, .doc = STR_INIT("What is wrong, for people.")},
    {.name = STR_INIT("field"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Path of the field at fault, such as spec.containers[0].name.")}};
const struct schema_type schema_meta_v1_StatusCause = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatusCause"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause"), .doc = STR_INIT("One reason of a failed request, if known with the field at fault."), .fields = fields_StatusCause, .nfields = 3};

static const struct schema_field fields_APIVersions[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("versions"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Versions served under /api, such as v1.")},
    {.name = STR_INIT("serverAddressByClientCIDRs"), .type = &list_ServerAddressByClientCIDR, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Server addresses to use, by the client's network.")}};
const struct schema_type schema_meta_v1_APIVersions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIVersions"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions"), .doc = STR_INIT("Versions of the legacy API root."), .fields = fields_APIVersions, .nfields = 4};

static const struct schema_field fields_APIGroupList[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("groups"), .type = &list_APIGroup, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The groups, each with its versions.")}};
const struct schema_type schema_meta_v1_APIGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIGroupList"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList"), .doc = STR_INIT("All groups that the server offers."), .fields = fields_APIGroupList, .nfields = 3};

static const struct schema_field fields_APIGroup[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the group, such as apps.")},
    {.name = STR_INIT("versions"), .type = &list_GroupVersionForDiscovery, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Versions of the group that are served.")},
    {.name = STR_INIT("preferredVersion"), .type = &schema_meta_v1_GroupVersionForDiscovery, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version that clients should pick when they have no wish.")},
    {.name = STR_INIT("serverAddressByClientCIDRs"), .type = &list_ServerAddressByClientCIDR, .pb = 4, .doc = STR_INIT("Server addresses to use, by the client's network.")}};
static const uint8_t index_APIGroup[16] = {0, 0, 5, 2, 0, 0, 3, 0, 0, 1, 0, 0, 4, 0, 0, 6};
const struct schema_type schema_meta_v1_APIGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIGroup"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup"), .doc = STR_INIT("A group with its versions."), .fields = fields_APIGroup, .nfields = 6, .index8 = index_APIGroup, .index_mask = 15};

static const struct schema_field fields_ServerAddressByClientCIDR[2] = {
    {.name = STR_INIT("clientCIDR"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Network of the client, in CIDR form.")},
    {.name = STR_INIT("serverAddress"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Host, or host and port, that such clients should call.")}};
const struct schema_type schema_meta_v1_ServerAddressByClientCIDR = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServerAddressByClientCIDR"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR"), .doc = STR_INIT("Address clients of a network range should use for the server."), .fields = fields_ServerAddressByClientCIDR, .nfields = 2};

static const struct schema_field fields_GroupVersionForDiscovery[2] = {
    {.name = STR_INIT("groupVersion"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Group and version with a slash, such as apps/v1.")},
    {.name = STR_INIT("version"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The version alone, such as v1.")}};
const struct schema_type schema_meta_v1_GroupVersionForDiscovery = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GroupVersionForDiscovery"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery"), .doc = STR_INIT("A version of a group, in both spellings."), .fields = fields_GroupVersionForDiscovery, .nfields = 2};

static const struct schema_field fields_APIResource[10] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Plural name, as in URLs; a subresource has a slash.")},
    {.name = STR_INIT("singularName"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of one such object, as kubectl prints it.")},
    {.name = STR_INIT("namespaced"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True if objects live in namespaces, false if cluster-wide.")},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Group of the kind; empty means that of the surrounding list.")},
    {.name = STR_INIT("version"), .type = &schema_string, .pb = 9, .doc = STR_INIT("Version of the kind; empty means that of the surrounding list.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the objects, such as Deployment.")},
    {.name = STR_INIT("verbs"), .type = &list_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operations offered, such as get, list and create.")},
    {.name = STR_INIT("shortNames"), .type = &list_string, .pb = 5, .doc = STR_INIT("Abbreviations for the command line, such as po.")},
    {.name = STR_INIT("categories"), .type = &list_string, .pb = 7, .doc = STR_INIT("Collective names it belongs to, such as all.")},
    {.name = STR_INIT("storageVersionHash"), .type = &schema_string, .pb = 10, .doc = STR_INIT("Opaque hash of the version in which objects are stored.")}};
static const uint8_t index_APIResource[32] = {0, 0, 0, 2, 6, 0, 1, 0, 0, 7, 0, 0, 3, 4, 9, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 10, 8};
const struct schema_type schema_meta_v1_APIResource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIResource"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIResource"), .doc = STR_INIT("A resource that the server offers: names, scope, verbs."), .fields = fields_APIResource, .nfields = 10, .index8 = index_APIResource, .index_mask = 31};

static const struct schema_field fields_APIResourceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("groupVersion"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Group and version that the resources belong to.")},
    {.name = STR_INIT("resources"), .type = &list_APIResource, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The resources, subresources included.")}};
const struct schema_type schema_meta_v1_APIResourceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("APIResourceList"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList"), .doc = STR_INIT("Resources of one group and version."), .fields = fields_APIResourceList, .nfields = 4};

const struct schema_type schema_meta_v1_Patch = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Patch"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Patch"), .doc = STR_INIT("Body of a patch request; its form follows from the content type.")};

static const struct schema_field fields_LabelSelector[2] = {
    {.name = STR_INIT("matchLabels"), .type = &map_string, .pb = 1, .doc = STR_INIT("Labels that must be present with exactly these values.")},
    {.name = STR_INIT("matchExpressions"), .type = &list_LabelSelectorRequirement, .pb = 2, .doc = STR_INIT("Further conditions on labels, by operator.")}};
const struct schema_type schema_meta_v1_LabelSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LabelSelector"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"), .doc = STR_INIT("Selects objects by their labels; all conditions must hold. Empty selects everything."), .atomic = true, .fields = fields_LabelSelector, .nfields = 2};

static const struct schema_field fields_LabelSelectorRequirement[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Label the condition looks at.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("In, NotIn, Exists or DoesNotExist.")},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3, .doc = STR_INIT("Values for In and NotIn; empty for the other operators.")}};
const struct schema_type schema_meta_v1_LabelSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LabelSelectorRequirement"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement"), .doc = STR_INIT("One condition on a label: key, operator, values."), .fields = fields_LabelSelectorRequirement, .nfields = 3};

static const struct schema_field fields_FieldSelectorRequirement[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the field the condition looks at.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("In, NotIn, Exists or DoesNotExist.")},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3, .doc = STR_INIT("Values for In and NotIn; empty for the other operators.")}};
const struct schema_type schema_meta_v1_FieldSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FieldSelectorRequirement"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement"), .doc = STR_INIT("One condition on a field: key, operator, values."), .fields = fields_FieldSelectorRequirement, .nfields = 3};

static const struct schema_field fields_ManagedFieldsEntry[7] = {
    {.name = STR_INIT("manager"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the program or user that set the fields.")},
    {.name = STR_INIT("operation"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Apply for server-side apply, Update for any other write.")},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 3, .doc = STR_INIT("API version in which the field paths are spelled.")},
    {.name = STR_INIT("time"), .type = &schema_time, .pb = 4, .doc = STR_INIT("When this manager last changed its set of fields.")},
    {.name = STR_INIT("fieldsType"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Format of the field set; always FieldsV1.")},
    {.name = STR_INIT("fieldsV1"), .type = &schema_meta_v1_FieldsV1, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("The fields, as a tree.")},
    {.name = STR_INIT("subresource"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Subresource the write went through; empty for the object itself.")}};
static const uint8_t index_ManagedFieldsEntry[16] = {0, 0, 0, 0, 4, 5, 2, 7, 0, 3, 0, 0, 1, 6, 0, 0};
const struct schema_type schema_meta_v1_ManagedFieldsEntry = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ManagedFieldsEntry"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry"), .doc = STR_INIT("The fields that one manager set, in one API version."), .fields = fields_ManagedFieldsEntry, .nfields = 7, .index8 = index_ManagedFieldsEntry, .index_mask = 15};

const struct schema_type schema_meta_v1_FieldsV1 = {.kind = SCHEMA_RAW_OBJECT, .name = STR_INIT("FieldsV1"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"), .doc = STR_INIT("A set of fields as a tree of f:, k:, v: and i: keys.")};

static const struct schema_field fields_PartialObjectMetadata[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The metadata; spec and status are left out.")}};
const struct schema_type schema_meta_v1_PartialObjectMetadata = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartialObjectMetadata"), .openapi = STR_INIT(""), .doc = STR_INIT("An object reduced to its metadata."), .fields = fields_PartialObjectMetadata, .nfields = 3};

static const struct schema_field fields_Condition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the aspect, in CamelCase; one entry per type.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 3, .doc = STR_INIT("Generation of the object that the condition was computed from.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_Condition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 3, 0, 1, 0, 2};
const struct schema_type schema_meta_v1_Condition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Condition"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.Condition"), .doc = STR_INIT("One aspect of an object's state, with status, reason and time of the last change."), .fields = fields_Condition, .nfields = 6, .index8 = index_Condition, .index_mask = 15};

static const struct schema_field fields_WatchEvent[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.")},
    {.name = STR_INIT("object"), .type = &schema_raw_object, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The object after the change; before it for DELETED; a Status for ERROR.")}};
const struct schema_type schema_meta_v1_WatchEvent = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WatchEvent"), .openapi = STR_INIT("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"), .doc = STR_INIT("One change in a watch stream."), .fields = fields_WatchEvent, .nfields = 2};

