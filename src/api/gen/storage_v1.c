/* storage_v1.c: written by tools/gen_api.py from api/storage_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const str enum_Delete_Recycle_Retain[] = {STR_INIT("Delete"), STR_INIT("Recycle"), STR_INIT("Retain")};
static const struct schema_rules rules_enums_Delete_Recycle_Retain = {.enums = enum_Delete_Recycle_Retain, .nenums = 3};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const str enum_Immediate_WaitForFirstConsumer[] = {STR_INIT("Immediate"), STR_INIT("WaitForFirstConsumer")};
static const struct schema_rules rules_enums_Immediate_WaitForFirstConsumer = {.enums = enum_Immediate_WaitForFirstConsumer, .nenums = 2};
static const struct schema_type list_core_v1_TopologySelectorTerm = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_TopologySelectorTerm};
static const str enum_Persistent_Ephemeral[] = {STR_INIT("Persistent"), STR_INIT("Ephemeral")};
static const struct schema_rules rules_enums_Persistent_Ephemeral = {.enums = enum_Persistent_Ephemeral, .nenums = 2};
static const struct schema_type string_rules_enums_Persistent_Ephemeral = {.kind = SCHEMA_STRING, .rules = &rules_enums_Persistent_Ephemeral};
static const struct schema_type list_string_rules_enums_Persistent_Ephemeral_set = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_Persistent_Ephemeral, .list_type = SCHEMA_LIST_SET};
static const str enum_File_None_ReadWriteOnceWithFSType[] = {STR_INIT("File"), STR_INIT("None"), STR_INIT("ReadWriteOnceWithFSType")};
static const struct schema_rules rules_enums_File_None_ReadWriteOnceWithFSType = {.enums = enum_File_None_ReadWriteOnceWithFSType, .nenums = 3};
static const struct schema_type list_TokenRequest = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_TokenRequest};
static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_CSINodeDriver_map_name = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_CSINodeDriver, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_CSIDriver = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_CSIDriver};
static const struct schema_type list_CSINode = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_CSINode};
static const struct schema_type list_CSIStorageCapacity = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_CSIStorageCapacity};
static const struct schema_type list_StorageClass = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_StorageClass};
static const struct schema_type list_VolumeAttachment = {.kind = SCHEMA_LIST, .elem = &schema_storage_v1_VolumeAttachment};
static const str short_names_sc[] = {STR_INIT("sc")};
static const struct schema_field fields_StorageClass[10] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("provisioner"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Driver that makes the volumes.")},
    {.name = STR_INIT("parameters"), .type = &map_string, .pb = 3, .flags = SCHEMA_IMMUTABLE, .doc = STR_INIT("Settings for the driver; their meaning is its own.")},
    {.name = STR_INIT("reclaimPolicy"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER | SCHEMA_IMMUTABLE, .dflt = STR_INIT("\"Delete\""), .doc = STR_INIT("What happens to volumes once released: Delete or Retain; Delete when absent."), .rules = &rules_enums_Delete_Recycle_Retain},
    {.name = STR_INIT("mountOptions"), .type = &list_string, .pb = 5, .doc = STR_INIT("Options for mounting the volumes, such as ro; not checked beforehand.")},
    {.name = STR_INIT("allowVolumeExpansion"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets claims grow; false when absent.")},
    {.name = STR_INIT("volumeBindingMode"), .type = &schema_string, .pb = 7, .flags = SCHEMA_POINTER | SCHEMA_IMMUTABLE, .dflt = STR_INIT("\"Immediate\""), .doc = STR_INIT("Immediate binds at once; WaitForFirstConsumer waits for a pod to be placed."), .rules = &rules_enums_Immediate_WaitForFirstConsumer},
    {.name = STR_INIT("allowedTopologies"), .type = &list_core_v1_TopologySelectorTerm, .pb = 8, .doc = STR_INIT("Where volumes may be made, by node label; absent means anywhere.")}};
static const uint8_t index_StorageClass[32] = {3, 0, 10, 2, 0, 0, 6, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 9, 7, 0, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_storage_v1_StorageClass = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StorageClass"), .openapi = STR_INIT("io.k8s.api.storage.v1.StorageClass"), .doc = STR_INIT("A kind of storage that claims can ask for."), .fields = fields_StorageClass, .nfields = 10, .index8 = index_StorageClass, .index_mask = 31};

static const struct schema_field fields_VolumeAttachment[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_storage_v1_VolumeAttachmentSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_storage_v1_VolumeAttachmentStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_VolumeAttachment[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_storage_v1_VolumeAttachment = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeAttachment"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeAttachment"), .doc = STR_INIT("The wish to attach a volume to a node, and how far that is."), .fields = fields_VolumeAttachment, .nfields = 5, .index8 = index_VolumeAttachment, .index_mask = 15};

static const struct schema_field fields_VolumeAttachmentSpec[3] = {
    {.name = STR_INIT("attacher"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Driver that does the attaching.")},
    {.name = STR_INIT("source"), .type = &schema_storage_v1_VolumeAttachmentSource, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Volume to attach.")},
    {.name = STR_INIT("nodeName"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Node to attach it to.")}};
const struct schema_type schema_storage_v1_VolumeAttachmentSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeAttachmentSpec"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeAttachmentSpec"), .doc = STR_INIT("Which volume, to which node, by which driver."), .fields = fields_VolumeAttachmentSpec, .nfields = 3};

static const struct schema_field fields_VolumeAttachmentSource[2] = {
    {.name = STR_INIT("persistentVolumeName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Persistent volume to attach; excludes inlineVolumeSpec.")},
    {.name = STR_INIT("inlineVolumeSpec"), .type = &schema_core_v1_PersistentVolumeSpec, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Volume spelled out, for migrated in-tree volumes; excludes persistentVolumeName.")}};
const struct schema_type schema_storage_v1_VolumeAttachmentSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeAttachmentSource"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeAttachmentSource"), .doc = STR_INIT("The volume to attach: by name, or spelled out."), .fields = fields_VolumeAttachmentSource, .nfields = 2};

static const struct schema_field fields_VolumeAttachmentStatus[4] = {
    {.name = STR_INIT("attached"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True once the volume is attached.")},
    {.name = STR_INIT("attachmentMetadata"), .type = &map_string, .pb = 2, .doc = STR_INIT("What the driver reported; passed on when mounting.")},
    {.name = STR_INIT("attachError"), .type = &schema_storage_v1_VolumeError, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Last failure to attach; absent if none.")},
    {.name = STR_INIT("detachError"), .type = &schema_storage_v1_VolumeError, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Last failure to detach; absent if none.")}};
const struct schema_type schema_storage_v1_VolumeAttachmentStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeAttachmentStatus"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeAttachmentStatus"), .doc = STR_INIT("Whether the volume is attached, or what went wrong."), .fields = fields_VolumeAttachmentStatus, .nfields = 4};

static const struct schema_field fields_VolumeError[3] = {
    {.name = STR_INIT("time"), .type = &schema_time, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the failure happened.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2, .doc = STR_INIT("What went wrong, for people; must hold no secrets.")},
    {.name = STR_INIT("errorCode"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Error code of the driver, as a gRPC code.")}};
const struct schema_type schema_storage_v1_VolumeError = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeError"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeError"), .doc = STR_INIT("What went wrong with a volume, and when."), .fields = fields_VolumeError, .nfields = 3};

static const struct schema_field fields_CSIDriver[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_storage_v1_CSIDriverSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_storage_v1_CSIDriver = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIDriver"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSIDriver"), .doc = STR_INIT("What a storage driver can do."), .fields = fields_CSIDriver, .nfields = 4};

static const struct schema_field fields_CSIDriverSpec[9] = {
    {.name = STR_INIT("attachRequired"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_POINTER | SCHEMA_IMMUTABLE, .dflt = STR_INIT("true"), .doc = STR_INIT("False skips the attach step; true when absent.")},
    {.name = STR_INIT("podInfoOnMount"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("True tells the driver about the pod when mounting; false when absent.")},
    {.name = STR_INIT("volumeLifecycleModes"), .type = &list_string_rules_enums_Persistent_Ephemeral_set, .pb = 3, .flags = SCHEMA_IMMUTABLE, .dflt = STR_INIT("[\"Persistent\"]"), .doc = STR_INIT("Persistent (through claims), Ephemeral (inline in pods) or both.")},
    {.name = STR_INIT("storageCapacity"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("True lets the scheduler mind reported free space; false when absent.")},
    {.name = STR_INIT("fsGroupPolicy"), .type = &schema_string, .pb = 5, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"ReadWriteOnceWithFSType\""), .doc = STR_INIT("Whether fsGroup changes ownership: None, File (always) or ReadWriteOnceWithFSType."), .rules = &rules_enums_File_None_ReadWriteOnceWithFSType},
    {.name = STR_INIT("tokenRequests"), .type = &list_TokenRequest, .pb = 6, .doc = STR_INIT("Tokens of the pod's service account to hand over when mounting.")},
    {.name = STR_INIT("requiresRepublish"), .type = &schema_bool, .pb = 7, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("True repeats the mount call from time to time; false when absent.")},
    {.name = STR_INIT("seLinuxMount"), .type = &schema_bool, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("True if the driver supports mounting with an SELinux label.")},
    {.name = STR_INIT("nodeAllocatableUpdatePeriodSeconds"), .type = &schema_int64, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds between updates of volume limits per node, at least 10; absent: never.")}};
static const uint8_t index_CSIDriverSpec[32] = {0, 0, 0, 0, 6, 0, 0, 3, 0, 0, 4, 5, 7, 1, 2, 9, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_storage_v1_CSIDriverSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIDriverSpec"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSIDriverSpec"), .doc = STR_INIT("How a storage driver wants to be used."), .fields = fields_CSIDriverSpec, .nfields = 9, .index8 = index_CSIDriverSpec, .index_mask = 31};

static const struct schema_field fields_TokenRequest[2] = {
    {.name = STR_INIT("audience"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Who must accept the token; empty means the API server.")},
    {.name = STR_INIT("expirationSeconds"), .type = &schema_int64, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Lifetime of the token in seconds; 3600 when absent.")}};
const struct schema_type schema_storage_v1_TokenRequest = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenRequest"), .openapi = STR_INIT("io.k8s.api.storage.v1.TokenRequest"), .doc = STR_INIT("A token that the driver gets for the pod's service account."), .fields = fields_TokenRequest, .nfields = 2};

static const struct schema_field fields_CSINode[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_storage_v1_CSINodeSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_storage_v1_CSINode = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSINode"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSINode"), .doc = STR_INIT("Storage drivers present on a node."), .fields = fields_CSINode, .nfields = 4};

static const struct schema_field fields_CSINodeSpec[1] = {
    {.name = STR_INIT("drivers"), .type = &list_CSINodeDriver_map_name, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Drivers registered on the node.")}};
const struct schema_type schema_storage_v1_CSINodeSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSINodeSpec"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSINodeSpec"), .doc = STR_INIT("Drivers on the node."), .fields = fields_CSINodeSpec, .nfields = 1};

static const struct schema_field fields_CSINodeDriver[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the driver, as it registers itself.")},
    {.name = STR_INIT("nodeID"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the node, as the driver knows it.")},
    {.name = STR_INIT("topologyKeys"), .type = &list_string, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Node labels that tell where the driver's volumes are reachable.")},
    {.name = STR_INIT("allocatable"), .type = &schema_storage_v1_VolumeNodeResources, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Volumes that the driver can serve on the node.")}};
const struct schema_type schema_storage_v1_CSINodeDriver = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSINodeDriver"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSINodeDriver"), .doc = STR_INIT("A driver on the node."), .fields = fields_CSINodeDriver, .nfields = 4};

static const struct schema_field fields_VolumeNodeResources[1] = {
    {.name = STR_INIT("count"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most volumes on the node at once; absent means no limit.")}};
const struct schema_type schema_storage_v1_VolumeNodeResources = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeNodeResources"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeNodeResources"), .doc = STR_INIT("How many volumes the driver can take on the node."), .fields = fields_VolumeNodeResources, .nfields = 1};

static const struct schema_field fields_CSIStorageCapacity[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("nodeTopology"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_IMMUTABLE | SCHEMA_POINTER, .doc = STR_INIT("Nodes the report is about; absent means none, empty all.")},
    {.name = STR_INIT("storageClassName"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Storage class the report is about.")},
    {.name = STR_INIT("capacity"), .type = &schema_quantity, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Free space, in bytes; absent if not known.")},
    {.name = STR_INIT("maximumVolumeSize"), .type = &schema_quantity, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Largest single volume that can be made; absent if not known.")}};
static const uint8_t index_CSIStorageCapacity[16] = {3, 0, 0, 2, 0, 5, 0, 0, 0, 1, 6, 7, 4, 0, 0, 0};
const struct schema_type schema_storage_v1_CSIStorageCapacity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIStorageCapacity"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSIStorageCapacity"), .doc = STR_INIT("Free space that a driver reports for a storage class and topology."), .fields = fields_CSIStorageCapacity, .nfields = 7, .index8 = index_CSIStorageCapacity, .index_mask = 15};

static const struct schema_field fields_CSIDriverList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CSIDriver, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_storage_v1_CSIDriverList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIDriverList"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSIDriverList"), .doc = STR_INIT("A list of csidrivers."), .fields = fields_CSIDriverList, .nfields = 4};

static const struct schema_field fields_CSINodeList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CSINode, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_storage_v1_CSINodeList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSINodeList"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSINodeList"), .doc = STR_INIT("A list of csinodes."), .fields = fields_CSINodeList, .nfields = 4};

static const struct schema_field fields_CSIStorageCapacityList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CSIStorageCapacity, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_storage_v1_CSIStorageCapacityList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIStorageCapacityList"), .openapi = STR_INIT("io.k8s.api.storage.v1.CSIStorageCapacityList"), .doc = STR_INIT("A list of csistoragecapacities."), .fields = fields_CSIStorageCapacityList, .nfields = 4};

static const struct schema_field fields_StorageClassList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_StorageClass, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_storage_v1_StorageClassList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StorageClassList"), .openapi = STR_INIT("io.k8s.api.storage.v1.StorageClassList"), .doc = STR_INIT("A list of storageclasses."), .fields = fields_StorageClassList, .nfields = 4};

static const struct schema_field fields_VolumeAttachmentList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_VolumeAttachment, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_storage_v1_VolumeAttachmentList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeAttachmentList"), .openapi = STR_INIT("io.k8s.api.storage.v1.VolumeAttachmentList"), .doc = STR_INIT("A list of volumeattachments."), .fields = fields_VolumeAttachmentList, .nfields = 4};

static const struct api_column columns_CSIDriver[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("AttachRequired"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether volumes are attached before use."), .cell = STR_INIT("csi_driver_attach_required")},
    {.name = STR_INIT("PodInfoOnMount"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether the driver is told about the pod."), .json_path = STR_INIT(".spec.podInfoOnMount")},
    {.name = STR_INIT("StorageCapacity"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether the driver reports free space."), .json_path = STR_INIT(".spec.storageCapacity")},
    {.name = STR_INIT("TokenRequests"), .type = STR_INIT("string"), .doc = STR_INIT("Audiences of the tokens it gets."), .cell = STR_INIT("csi_driver_token_requests")},
    {.name = STR_INIT("RequiresRepublish"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether it is called again and again."), .json_path = STR_INIT(".spec.requiresRepublish")},
    {.name = STR_INIT("Modes"), .type = STR_INIT("string"), .doc = STR_INIT("Volume lifecycle modes."), .cell = STR_INIT("csi_driver_modes")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_storage_v1_csidrivers = {
    .group = STR_INIT("storage.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CSIDriver"),
    .list_kind = STR_INIT("CSIDriverList"), .plural = STR_INIT("csidrivers"), .singular = STR_INIT("csidriver"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_storage_v1_CSIDriver,
    .columns = columns_CSIDriver, .ncolumns = 8,
    .storage_group = STR_INIT("storage.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_CSINode[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Drivers"), .type = STR_INIT("integer"), .doc = STR_INIT("Number of drivers."), .cell = STR_INIT("csi_node_drivers")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_storage_v1_csinodes = {
    .group = STR_INIT("storage.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CSINode"),
    .list_kind = STR_INIT("CSINodeList"), .plural = STR_INIT("csinodes"), .singular = STR_INIT("csinode"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_storage_v1_CSINode,
    .columns = columns_CSINode, .ncolumns = 3,
    .storage_group = STR_INIT("storage.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_CSIStorageCapacity[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("StorageClassName"), .type = STR_INIT("string"), .doc = STR_INIT("Storage class."), .json_path = STR_INIT(".storageClassName")},
    {.name = STR_INIT("Capacity"), .type = STR_INIT("string"), .doc = STR_INIT("Free space."), .cell = STR_INIT("csi_storage_capacity_capacity")}};
const struct api_resource api_storage_v1_csistoragecapacities = {
    .group = STR_INIT("storage.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CSIStorageCapacity"),
    .list_kind = STR_INIT("CSIStorageCapacityList"), .plural = STR_INIT("csistoragecapacities"), .singular = STR_INIT("csistoragecapacity"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_storage_v1_CSIStorageCapacity,
    .columns = columns_CSIStorageCapacity, .ncolumns = 3,
    .storage_group = STR_INIT("storage.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_StorageClass[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object, and whether it is the default."), .cell = STR_INIT("storage_class_name")},
    {.name = STR_INIT("Provisioner"), .type = STR_INIT("string"), .doc = STR_INIT("Who makes the volumes."), .json_path = STR_INIT(".provisioner")},
    {.name = STR_INIT("ReclaimPolicy"), .type = STR_INIT("string"), .doc = STR_INIT("What happens to released volumes."), .cell = STR_INIT("storage_class_reclaim_policy")},
    {.name = STR_INIT("VolumeBindingMode"), .type = STR_INIT("string"), .doc = STR_INIT("When volumes are bound."), .cell = STR_INIT("storage_class_volume_binding_mode")},
    {.name = STR_INIT("AllowVolumeExpansion"), .type = STR_INIT("string"), .doc = STR_INIT("Whether claims may grow."), .cell = STR_INIT("storage_class_allow_volume_expansion")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_storage_v1_storageclasses = {
    .group = STR_INIT("storage.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("StorageClass"),
    .list_kind = STR_INIT("StorageClassList"), .plural = STR_INIT("storageclasses"), .singular = STR_INIT("storageclass"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_storage_v1_StorageClass,
    .short_names = short_names_sc, .nshort_names = 1,
    .columns = columns_StorageClass, .ncolumns = 6,
    .storage_group = STR_INIT("storage.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_VolumeAttachment[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("VolumeAttachment"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_storage_v1_VolumeAttachment}};
static const struct api_column columns_VolumeAttachment[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Attacher"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Driver that attaches."), .json_path = STR_INIT(".spec.attacher")},
    {.name = STR_INIT("PV"), .type = STR_INIT("string"), .doc = STR_INIT("Volume."), .json_path = STR_INIT(".spec.source.persistentVolumeName")},
    {.name = STR_INIT("Node"), .type = STR_INIT("string"), .doc = STR_INIT("Node."), .json_path = STR_INIT(".spec.nodeName")},
    {.name = STR_INIT("Attached"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether it is done."), .json_path = STR_INIT(".status.attached")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_storage_v1_volumeattachments = {
    .group = STR_INIT("storage.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("VolumeAttachment"),
    .list_kind = STR_INIT("VolumeAttachmentList"), .plural = STR_INIT("volumeattachments"), .singular = STR_INIT("volumeattachment"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_storage_v1_VolumeAttachment,
    .subs = subs_VolumeAttachment, .nsubs = 1,
    .columns = columns_VolumeAttachment, .ncolumns = 6,
    .storage_group = STR_INIT("storage.k8s.io"), .storage_version = STR_INIT("v1")};

