/* godel_v1alpha1.c: written by tools/gen_api.py from api/godel_v1alpha1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_PodGroupAffinityTerm = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_PodGroupAffinityTerm};
static const struct schema_type list_SortRule = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_SortRule};
static const str enum_GPU_CPU_Memory[] = {STR_INIT("GPU"), STR_INIT("CPU"), STR_INIT("Memory")};
static const struct schema_rules rules_enums_GPU_CPU_Memory = {.enums = enum_GPU_CPU_Memory, .nenums = 3};
static const str enum_Capacity_Available[] = {STR_INIT("Capacity"), STR_INIT("Available")};
static const struct schema_rules rules_enums_Capacity_Available = {.enums = enum_Capacity_Available, .nenums = 2};
static const str enum_Ascending_Descending[] = {STR_INIT("Ascending"), STR_INIT("Descending")};
static const struct schema_rules rules_enums_Ascending_Descending = {.enums = enum_Ascending_Descending, .nenums = 2};
static const struct schema_type list_PhaseCondition = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_PhaseCondition};
static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_type list_core_v1_Toleration = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Toleration};
static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_core_v1_Container_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Container, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_TaskInfo = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_TaskInfo};
static const struct schema_type list_MovementOwner = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_MovementOwner};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_RecommendedNode = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_RecommendedNode};
static const struct schema_type list_PodGroup = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_PodGroup};
static const struct schema_type list_Reservation = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_Reservation};
static const struct schema_type list_Movement = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_Movement};
static const struct schema_type list_Scheduler = {.kind = SCHEMA_LIST, .elem = &schema_godel_v1alpha1_Scheduler};
static const struct schema_field fields_PodGroup[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_godel_v1alpha1_PodGroupSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_godel_v1alpha1_PodGroupStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PodGroup[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_godel_v1alpha1_PodGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroup"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroup"), .doc = STR_INIT("Pods that are placed together or not at all."), .fields = fields_PodGroup, .nfields = 5, .index8 = index_PodGroup, .index_mask = 15};

static const struct schema_field fields_PodGroupSpec[5] = {
    {.name = STR_INIT("minMember"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must be placed together.")},
    {.name = STR_INIT("priorityClassName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("PriorityClass of the group.")},
    {.name = STR_INIT("scheduleTimeoutSeconds"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long the group may wait to be placed.")},
    {.name = STR_INIT("application"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the group belongs to, for people.")},
    {.name = STR_INIT("affinity"), .type = &schema_godel_v1alpha1_Affinity, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where its pods stand to each other.")}};
static const uint8_t index_PodGroupSpec[16] = {0, 0, 0, 0, 3, 1, 4, 0, 2, 5, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_godel_v1alpha1_PodGroupSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupSpec"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupSpec"), .doc = STR_INIT("How many pods must run together, and where."), .fields = fields_PodGroupSpec, .nfields = 5, .index8 = index_PodGroupSpec, .index_mask = 15};

static const struct schema_field fields_Affinity[2] = {
    {.name = STR_INIT("podGroupAffinity"), .type = &schema_godel_v1alpha1_PodGroupAffinity, .flags = SCHEMA_POINTER, .doc = STR_INIT("What they share.")},
    {.name = STR_INIT("podGroupAntiAffinity"), .type = &schema_godel_v1alpha1_PodGroupAntiAffinity, .flags = SCHEMA_POINTER, .doc = STR_INIT("What they do not share.")}};
const struct schema_type schema_godel_v1alpha1_Affinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Affinity"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.Affinity"), .doc = STR_INIT("Where the pods of a group stand to each other."), .fields = fields_Affinity, .nfields = 2};

static const struct schema_field fields_PodGroupAffinity[4] = {
    {.name = STR_INIT("required"), .type = &list_PodGroupAffinityTerm, .doc = STR_INIT("Topologies in which all are within one part.")},
    {.name = STR_INIT("preferred"), .type = &list_PodGroupAffinityTerm, .doc = STR_INIT("Topologies in which few parts are better.")},
    {.name = STR_INIT("sortRules"), .type = &list_SortRule, .doc = STR_INIT("Which parts are tried first.")},
    {.name = STR_INIT("nodeSelector"), .type = &schema_core_v1_NodeSelector, .flags = SCHEMA_POINTER, .doc = STR_INIT("Nodes that are tried at all.")}};
const struct schema_type schema_godel_v1alpha1_PodGroupAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupAffinity"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupAffinity"), .doc = STR_INIT("What the pods of a group share."), .fields = fields_PodGroupAffinity, .nfields = 4};

static const struct schema_field fields_PodGroupAntiAffinity[2] = {
    {.name = STR_INIT("required"), .type = &list_PodGroupAffinityTerm, .doc = STR_INIT("Topologies in which each is in a part of its own.")},
    {.name = STR_INIT("preferred"), .type = &list_PodGroupAffinityTerm, .doc = STR_INIT("Topologies in which many parts are better.")}};
const struct schema_type schema_godel_v1alpha1_PodGroupAntiAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupAntiAffinity"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupAntiAffinity"), .doc = STR_INIT("What the pods of a group do not share."), .fields = fields_PodGroupAntiAffinity, .nfields = 2};

static const struct schema_field fields_PodGroupAffinityTerm[1] = {
    {.name = STR_INIT("topologyKey"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Node label whose values are its parts.")}};
const struct schema_type schema_godel_v1alpha1_PodGroupAffinityTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupAffinityTerm"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupAffinityTerm"), .doc = STR_INIT("One topology."), .fields = fields_PodGroupAffinityTerm, .nfields = 1};

static const struct schema_field fields_SortRule[3] = {
    {.name = STR_INIT("resource"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Resource that is compared."), .rules = &rules_enums_GPU_CPU_Memory},
    {.name = STR_INIT("dimension"), .type = &schema_string, .doc = STR_INIT("What there is in all, or what is free."), .rules = &rules_enums_Capacity_Available},
    {.name = STR_INIT("order"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Least first or most first."), .rules = &rules_enums_Ascending_Descending}};
const struct schema_type schema_godel_v1alpha1_SortRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SortRule"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.SortRule"), .doc = STR_INIT("What makes a part of the cluster come first."), .fields = fields_SortRule, .nfields = 3};

static const struct schema_field fields_PodGroupStatus[8] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, PreScheduling, Scheduled, Running, Timeout, Finished, Failed or Unknown.")},
    {.name = STR_INIT("conditions"), .type = &list_PhaseCondition, .doc = STR_INIT("The phases it went through.")},
    {.name = STR_INIT("occupiedBy"), .type = &schema_string, .doc = STR_INIT("Owner of the pods that are in the group.")},
    {.name = STR_INIT("pending"), .type = &schema_int32, .doc = STR_INIT("Pods that wait.")},
    {.name = STR_INIT("running"), .type = &schema_int32, .doc = STR_INIT("Pods that run.")},
    {.name = STR_INIT("succeeded"), .type = &schema_int32, .doc = STR_INIT("Pods that ended well.")},
    {.name = STR_INIT("failed"), .type = &schema_int32, .doc = STR_INIT("Pods that failed.")},
    {.name = STR_INIT("scheduleStartTime"), .type = &schema_time, .doc = STR_INIT("When the group was first tried.")}};
static const uint8_t index_PodGroupStatus[16] = {0, 0, 6, 0, 7, 0, 0, 2, 1, 3, 8, 0, 4, 5, 0, 0};
const struct schema_type schema_godel_v1alpha1_PodGroupStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupStatus"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupStatus"), .doc = STR_INIT("How far the group has come."), .fields = fields_PodGroupStatus, .nfields = 8, .index8 = index_PodGroupStatus, .index_mask = 15};

static const struct schema_field fields_PhaseCondition[5] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("The phase.")},
    {.name = STR_INIT("status"), .type = &schema_string, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When it was reached.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("One word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("A sentence for people.")}};
static const uint8_t index_PhaseCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 1, 4, 0, 0, 0, 0, 0, 2};
const struct schema_type schema_godel_v1alpha1_PhaseCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PhaseCondition"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PhaseCondition"), .doc = STR_INIT("One phase."), .fields = fields_PhaseCondition, .nfields = 5, .index8 = index_PhaseCondition, .index_mask = 15};

static const struct schema_field fields_Reservation[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_godel_v1alpha1_ReservationSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_godel_v1alpha1_ReservationStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Reservation[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_godel_v1alpha1_Reservation = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Reservation"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.Reservation"), .doc = STR_INIT("Room on a node that is kept for a pod to come back."), .fields = fields_Reservation, .nfields = 5, .index8 = index_Reservation, .index_mask = 15};

static const struct schema_field fields_ReservationSpec[3] = {
    {.name = STR_INIT("template"), .type = &schema_godel_v1alpha1_ReservationTemplate, .flags = SCHEMA_POINTER, .doc = STR_INIT("A pod that takes as much.")},
    {.name = STR_INIT("nodename"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Node that has the room.")},
    {.name = STR_INIT("ttl"), .type = &schema_int64, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds after which it is given up.")}};
const struct schema_type schema_godel_v1alpha1_ReservationSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationSpec"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationSpec"), .doc = STR_INIT("How much room, where, and for how long."), .fields = fields_ReservationSpec, .nfields = 3};

static const struct schema_field fields_ReservationTemplate[1] = {
    {.name = STR_INIT("spec"), .type = &schema_godel_v1alpha1_ReservationPodSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("The parts of a pod that say where it may run and what it takes.")}};
const struct schema_type schema_godel_v1alpha1_ReservationTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationTemplate"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationTemplate"), .doc = STR_INIT("A pod that takes as much room."), .fields = fields_ReservationTemplate, .nfields = 1};

static const struct schema_field fields_ReservationPodSpec[9] = {
    {.name = STR_INIT("schedulerName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Scheduler that keeps the room.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Priority of the pod.")},
    {.name = STR_INIT("priorityClassName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("PriorityClass of the pod.")},
    {.name = STR_INIT("nodeSelector"), .type = &map_string, .doc = STR_INIT("Labels that the node must have.")},
    {.name = STR_INIT("hostNetwork"), .type = &schema_bool, .flags = SCHEMA_POINTER, .doc = STR_INIT("Whether the pod uses the node's network.")},
    {.name = STR_INIT("affinity"), .type = &schema_core_v1_Affinity, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where it wants to run.")},
    {.name = STR_INIT("tolerations"), .type = &list_core_v1_Toleration, .doc = STR_INIT("Taints that it tolerates.")},
    {.name = STR_INIT("initContainers"), .type = &list_core_v1_Container_map_name, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Containers that run first.")},
    {.name = STR_INIT("containers"), .type = &list_core_v1_Container_map_name, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Containers of the pod.")}};
static const uint8_t index_ReservationPodSpec[32] = {0, 1, 0, 0, 4, 7, 0, 5, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 8, 3, 6, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_godel_v1alpha1_ReservationPodSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationPodSpec"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationPodSpec"), .doc = STR_INIT("The parts of a pod that say where it may run and what it takes."), .fields = fields_ReservationPodSpec, .nfields = 9, .index8 = index_ReservationPodSpec, .index_mask = 31};

static const struct schema_field fields_ReservationStatus[3] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, Reserved, Matched or TimeOut.")},
    {.name = STR_INIT("conditions"), .type = &list_PhaseCondition, .doc = STR_INIT("The phases it went through.")},
    {.name = STR_INIT("currentOwners"), .type = &schema_godel_v1alpha1_ReservationOwner, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pod that took the room.")}};
const struct schema_type schema_godel_v1alpha1_ReservationStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationStatus"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationStatus"), .doc = STR_INIT("How far a reservation has come."), .fields = fields_ReservationStatus, .nfields = 3};

static const struct schema_field fields_ReservationOwner[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .doc = STR_INIT("Its name.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .doc = STR_INIT("Its namespace.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .doc = STR_INIT("Its uid.")}};
const struct schema_type schema_godel_v1alpha1_ReservationOwner = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationOwner"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationOwner"), .doc = STR_INIT("Pod that took the room."), .fields = fields_ReservationOwner, .nfields = 3};

static const struct schema_field fields_Movement[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_godel_v1alpha1_MovementSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_godel_v1alpha1_MovementStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Movement[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_godel_v1alpha1_Movement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Movement"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.Movement"), .doc = STR_INIT("Pods that are to move, and where to."), .fields = fields_Movement, .nfields = 5, .index8 = index_Movement, .index_mask = 15};

static const struct schema_field fields_MovementSpec[3] = {
    {.name = STR_INIT("deletedTasks"), .type = &list_TaskInfo, .doc = STR_INIT("Pods that were or will be deleted for it.")},
    {.name = STR_INIT("creator"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Who wants it.")},
    {.name = STR_INIT("generation"), .type = &schema_int64, .flags = SCHEMA_POINTER, .doc = STR_INIT("Counts the movements of one creator.")}};
const struct schema_type schema_godel_v1alpha1_MovementSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MovementSpec"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.MovementSpec"), .doc = STR_INIT("Which pods are to move."), .fields = fields_MovementSpec, .nfields = 3};

static const struct schema_field fields_MovementStatus[2] = {
    {.name = STR_INIT("owners"), .type = &list_MovementOwner, .doc = STR_INIT("By the owner of the pods.")},
    {.name = STR_INIT("notifiedSchedulers"), .type = &list_string, .doc = STR_INIT("Schedulers that know of it.")}};
const struct schema_type schema_godel_v1alpha1_MovementStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MovementStatus"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.MovementStatus"), .doc = STR_INIT("Where the pods are to go, and who was told."), .fields = fields_MovementStatus, .nfields = 2};

static const struct schema_field fields_MovementOwner[3] = {
    {.name = STR_INIT("owner"), .type = &schema_godel_v1alpha1_OwnerInfo, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER, .doc = STR_INIT("The owner.")},
    {.name = STR_INIT("recommendedNodes"), .type = &list_RecommendedNode, .doc = STR_INIT("Nodes that they are to go to.")},
    {.name = STR_INIT("mismatchedTasks"), .type = &list_TaskInfo, .doc = STR_INIT("Pods that went elsewhere.")}};
const struct schema_type schema_godel_v1alpha1_MovementOwner = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MovementOwner"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.MovementOwner"), .doc = STR_INIT("Where the pods of one owner are to go."), .fields = fields_MovementOwner, .nfields = 3};

static const struct schema_field fields_RecommendedNode[3] = {
    {.name = STR_INIT("node"), .type = &schema_string, .doc = STR_INIT("The node.")},
    {.name = STR_INIT("desiredPodCount"), .type = &schema_int64, .doc = STR_INIT("How many are to go there.")},
    {.name = STR_INIT("actualPods"), .type = &list_TaskInfo, .doc = STR_INIT("Those that did.")}};
const struct schema_type schema_godel_v1alpha1_RecommendedNode = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RecommendedNode"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.RecommendedNode"), .doc = STR_INIT("A node that pods are to go to."), .fields = fields_RecommendedNode, .nfields = 3};

static const struct schema_field fields_TaskInfo[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its name.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its namespace.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its uid.")},
    {.name = STR_INIT("node"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Node that it is or was on.")}};
const struct schema_type schema_godel_v1alpha1_TaskInfo = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskInfo"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.TaskInfo"), .doc = STR_INIT("A pod."), .fields = fields_TaskInfo, .nfields = 4};

static const struct schema_field fields_OwnerInfo[4] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its kind.")},
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its name.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its namespace.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its uid.")}};
const struct schema_type schema_godel_v1alpha1_OwnerInfo = {.kind = SCHEMA_OBJECT, .name = STR_INIT("OwnerInfo"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.OwnerInfo"), .doc = STR_INIT("The owner of pods."), .fields = fields_OwnerInfo, .nfields = 4};

static const struct schema_field fields_Scheduler[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_godel_v1alpha1_SchedulerSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; there is nothing to write.")},
    {.name = STR_INIT("status"), .type = &schema_godel_v1alpha1_SchedulerStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the scheduler.")}};
static const uint8_t index_Scheduler[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_godel_v1alpha1_Scheduler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Scheduler"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.Scheduler"), .doc = STR_INIT("A scheduler that takes part."), .fields = fields_Scheduler, .nfields = 5, .index8 = index_Scheduler, .index_mask = 15};

const struct schema_type schema_godel_v1alpha1_SchedulerSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulerSpec"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.SchedulerSpec"), .doc = STR_INIT("Nothing.")};

static const struct schema_field fields_SchedulerStatus[5] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Active or InActive.")},
    {.name = STR_INIT("lastUpdateTime"), .type = &schema_time, .doc = STR_INIT("When it last said so.")},
    {.name = STR_INIT("currentHost"), .type = &schema_string, .doc = STR_INIT("Where it runs.")},
    {.name = STR_INIT("metricsStatus"), .type = &schema_godel_v1alpha1_SchedulerMetrics, .flags = SCHEMA_POINTER, .doc = STR_INIT("What it has to do.")},
    {.name = STR_INIT("schedulerNodePartitionName"), .type = &schema_string, .doc = STR_INIT("Part of the cluster that is its own.")}};
static const uint8_t index_SchedulerStatus[16] = {0, 2, 0, 0, 3, 0, 0, 5, 1, 4, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_godel_v1alpha1_SchedulerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulerStatus"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.SchedulerStatus"), .doc = STR_INIT("What a scheduler says of itself."), .fields = fields_SchedulerStatus, .nfields = 5, .index8 = index_SchedulerStatus, .index_mask = 15};

static const struct schema_field fields_SchedulerMetrics[1] = {
    {.name = STR_INIT("pendingPods"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that wait for it.")}};
const struct schema_type schema_godel_v1alpha1_SchedulerMetrics = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulerMetrics"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.SchedulerMetrics"), .doc = STR_INIT("What a scheduler has to do."), .fields = fields_SchedulerMetrics, .nfields = 1};

static const struct schema_field fields_PodGroupList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodGroup, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_godel_v1alpha1_PodGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupList"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.PodGroupList"), .doc = STR_INIT("A list of podgroups."), .fields = fields_PodGroupList, .nfields = 4};

static const struct schema_field fields_ReservationList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Reservation, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_godel_v1alpha1_ReservationList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReservationList"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.ReservationList"), .doc = STR_INIT("A list of reservations."), .fields = fields_ReservationList, .nfields = 4};

static const struct schema_field fields_MovementList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Movement, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_godel_v1alpha1_MovementList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MovementList"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.MovementList"), .doc = STR_INIT("A list of movements."), .fields = fields_MovementList, .nfields = 4};

static const struct schema_field fields_SchedulerList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Scheduler, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_godel_v1alpha1_SchedulerList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulerList"), .openapi = STR_INIT("io.kubewharf.godel.scheduling.v1alpha1.SchedulerList"), .doc = STR_INIT("A list of schedulers."), .fields = fields_SchedulerList, .nfields = 4};

static const struct api_subresource subs_PodGroup[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PodGroup"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_godel_v1alpha1_PodGroup}};
static const struct api_column columns_PodGroup[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("How far the group has come."), .json_path = STR_INIT(".status.phase"), .priority = 1},
    {.name = STR_INIT("MinMember"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that must run together."), .json_path = STR_INIT(".spec.minMember"), .priority = 1},
    {.name = STR_INIT("TimeoutSeconds"), .type = STR_INIT("integer"), .doc = STR_INIT("How long the group may wait."), .json_path = STR_INIT(".spec.scheduleTimeoutSeconds"), .priority = 1},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_godel_v1alpha1_podgroups = {
    .group = STR_INIT("scheduling.godel.kubewharf.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("PodGroup"),
    .list_kind = STR_INIT("PodGroupList"), .plural = STR_INIT("podgroups"), .singular = STR_INIT("podgroup"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_godel_v1alpha1_PodGroup,
    .subs = subs_PodGroup, .nsubs = 1,
    .columns = columns_PodGroup, .ncolumns = 5,
    .storage_group = STR_INIT("scheduling.godel.kubewharf.io"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_Reservation[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Reservation"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_godel_v1alpha1_Reservation}};
static const struct api_column columns_Reservation[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("NodeName"), .type = STR_INIT("string"), .doc = STR_INIT("Node that has the room."), .json_path = STR_INIT(".spec.nodename")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("How far it has come."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_godel_v1alpha1_reservations = {
    .group = STR_INIT("scheduling.godel.kubewharf.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Reservation"),
    .list_kind = STR_INIT("ReservationList"), .plural = STR_INIT("reservations"), .singular = STR_INIT("reservation"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_godel_v1alpha1_Reservation,
    .subs = subs_Reservation, .nsubs = 1,
    .columns = columns_Reservation, .ncolumns = 4,
    .storage_group = STR_INIT("scheduling.godel.kubewharf.io"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_Movement[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Movement"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_godel_v1alpha1_Movement}};
static const struct api_column columns_Movement[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Creator"), .type = STR_INIT("string"), .doc = STR_INIT("Who wants it."), .json_path = STR_INIT(".spec.creator")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_godel_v1alpha1_movements = {
    .group = STR_INIT("scheduling.godel.kubewharf.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Movement"),
    .list_kind = STR_INIT("MovementList"), .plural = STR_INIT("movements"), .singular = STR_INIT("movement"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_godel_v1alpha1_Movement,
    .subs = subs_Movement, .nsubs = 1,
    .columns = columns_Movement, .ncolumns = 3,
    .storage_group = STR_INIT("scheduling.godel.kubewharf.io"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_Scheduler[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Scheduler"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_godel_v1alpha1_Scheduler}};
static const struct api_column columns_Scheduler[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("Active or InActive."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_godel_v1alpha1_schedulers = {
    .group = STR_INIT("scheduling.godel.kubewharf.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Scheduler"),
    .list_kind = STR_INIT("SchedulerList"), .plural = STR_INIT("schedulers"), .singular = STR_INIT("scheduler"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_godel_v1alpha1_Scheduler,
    .subs = subs_Scheduler, .nsubs = 1,
    .columns = columns_Scheduler, .ncolumns = 3,
    .storage_group = STR_INIT("scheduling.godel.kubewharf.io"), .storage_version = STR_INIT("v1alpha1")};

