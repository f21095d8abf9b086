/* runai_v2alpha2.c: written by tools/gen_api.py from api/runai_v2alpha2.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_preemptible_non_preemptible_semi_preemptible[] = {STR_INIT("preemptible"), STR_INIT("non-preemptible"), STR_INIT("semi-preemptible")};
static const struct schema_rules rules_enums_preemptible_non_preemptible_semi_preemptible = {.enums = enum_preemptible_non_preemptible_semi_preemptible, .nenums = 3};
static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_SubGroup_map_name = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2alpha2_SubGroup, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_PodGroupCondition = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2alpha2_PodGroupCondition};
static const struct schema_type list_SchedulingCondition = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2alpha2_SchedulingCondition};
static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_Explanation = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2alpha2_Explanation};
static const struct schema_type list_PodGroup = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2alpha2_PodGroup};
static const str short_names_pg[] = {STR_INIT("pg")};
static const str field_labels_spec_queue[] = {STR_INIT("spec.queue")};
static const struct schema_field fields_PodGroup[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_runai_v2alpha2_PodGroupSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_runai_v2alpha2_PodGroupStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PodGroup[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_runai_v2alpha2_PodGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroup"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.PodGroup"), .doc = STR_INIT("Pods that are placed together or not at all."), .fields = fields_PodGroup, .nfields = 5, .index8 = index_PodGroup, .index_mask = 15};

static const struct schema_field fields_PodGroupSpec[14] = {
    {.name = STR_INIT("minMember"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must be placed together; 1 when absent, 0: each by itself. Excludes minSubGroup; leaves say it themselves.")},
    {.name = STR_INIT("minSubGroup"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sub-groups at the top that must be placed together; all when absent, 0: none must. Excludes minMember.")},
    {.name = STR_INIT("queue"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Queue that the work is in; default-queue when absent.")},
    {.name = STR_INIT("priorityClassName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("PriorityClass of the group; orders it among the work of its queue.")},
    {.name = STR_INIT("preemptibility"), .type = &schema_string, .doc = STR_INIT("Whether its pods may be taken away; absent: when its priority is below 100."), .rules = &rules_enums_preemptible_non_preemptible_semi_preemptible},
    {.name = STR_INIT("parallelism"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Kept for old clients; of no effect.")},
    {.name = STR_INIT("completions"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Kept for old clients; of no effect.")},
    {.name = STR_INIT("backoffLimit"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Kept for old clients; of no effect.")},
    {.name = STR_INIT("markUnschedulable"), .type = &schema_bool, .flags = SCHEMA_POINTER, .doc = STR_INIT("False keeps pods that find no place from being marked so; true when absent.")},
    {.name = STR_INIT("schedulingBackoff"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("1 gives up on a node pool after one failed try; -1, also when absent, never gives up.")},
    {.name = STR_INIT("preemptionDelay"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long it waits before others are evicted for it, such as 5m; anew after an eviction.")},
    {.name = STR_INIT("stalenessGracePeriod"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long pods run on when fewer are left than must run together, such as 1m; below 0: for ever.")},
    {.name = STR_INIT("topologyConstraint"), .type = &schema_runai_v2alpha2_TopologyConstraint, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which part of the cluster the group must or should stay within.")},
    {.name = STR_INIT("subGroups"), .type = &list_SubGroup_map_name, .doc = STR_INIT("Groups inside the group, each with rules of its own; by their parents they form a tree.")}};
static const uint8_t index_PodGroupSpec[32] = {0, 6, 12, 13, 0, 0, 0, 9, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 1, 0, 0, 3, 4, 11, 0, 7, 10, 14, 0};
const struct schema_type schema_runai_v2alpha2_PodGroupSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupSpec"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.PodGroupSpec"), .doc = STR_INIT("How many pods must run together, where, and for whom."), .fields = fields_PodGroupSpec, .nfields = 14, .index8 = index_PodGroupSpec, .index_mask = 31};

static const struct schema_field fields_SubGroup[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name within the group; pods name it in the label kai.scheduler/subgroup-name.")},
    {.name = STR_INIT("minMember"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods of a leaf that must be placed together; 1 when absent, 0 when none must.")},
    {.name = STR_INIT("minSubGroup"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sub-groups of this one that must be placed together; all of them when absent, 0: none must.")},
    {.name = STR_INIT("parent"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sub-group that it is a part of; absent at the top.")},
    {.name = STR_INIT("topologyConstraint"), .type = &schema_runai_v2alpha2_TopologyConstraint, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which part of the cluster the sub-group must or should stay within.")}};
static const uint8_t index_SubGroup[16] = {0, 0, 3, 5, 0, 2, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0};
const struct schema_type schema_runai_v2alpha2_SubGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SubGroup"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.SubGroup"), .doc = STR_INIT("A group inside a group: a leaf holds pods, others hold groups."), .fields = fields_SubGroup, .nfields = 5, .index8 = index_SubGroup, .index_mask = 15};

static const struct schema_field fields_TopologyConstraint[3] = {
    {.name = STR_INIT("topology"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Topology that the levels are from.")},
    {.name = STR_INIT("requiredTopologyLevel"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Level, a node label or its alias in the topology: all pods run on nodes with the same value.")},
    {.name = STR_INIT("preferredTopologyLevel"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Level that is tried first, and given up when there is no room.")}};
const struct schema_type schema_runai_v2alpha2_TopologyConstraint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologyConstraint"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.TopologyConstraint"), .doc = STR_INIT("Which part of the cluster pods must or should stay within."), .fields = fields_TopologyConstraint, .nfields = 3};

static const struct schema_field fields_PodGroupStatus[9] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Running when pods of it do, Pending when all of them wait; absent while there are none.")},
    {.name = STR_INIT("conditions"), .type = &list_PodGroupCondition, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("running"), .type = &schema_int32, .doc = STR_INIT("Pods that run.")},
    {.name = STR_INIT("succeeded"), .type = &schema_int32, .doc = STR_INIT("Pods that ended well.")},
    {.name = STR_INIT("failed"), .type = &schema_int32, .doc = STR_INIT("Pods that failed.")},
    {.name = STR_INIT("pending"), .type = &schema_int32, .doc = STR_INIT("Pods that wait.")},
    {.name = STR_INIT("resourcesStatus"), .type = &schema_runai_v2alpha2_ResourcesStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("What its pods have and want.")},
    {.name = STR_INIT("schedulingConditions"), .type = &list_SchedulingCondition, .doc = STR_INIT("Why it could not be placed, by node pool.")},
    {.name = STR_INIT("schedulingState"), .type = &schema_runai_v2alpha2_SchedulingState, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the scheduler keeps of the group from one look to the next.")}};
static const uint8_t index_PodGroupStatus[32] = {0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9, 0, 4, 0, 5, 0, 0, 2, 1, 0, 0, 0, 6, 7, 0, 0};
const struct schema_type schema_runai_v2alpha2_PodGroupStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupStatus"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.PodGroupStatus"), .doc = STR_INIT("What became of the group."), .fields = fields_PodGroupStatus, .nfields = 9, .index8 = index_PodGroupStatus, .index_mask = 31};

static const struct schema_field fields_ResourcesStatus[3] = {
    {.name = STR_INIT("allocated"), .type = &map_quantity, .doc = STR_INIT("What they have been given.")},
    {.name = STR_INIT("allocatedNonPreemptible"), .type = &map_quantity, .doc = STR_INIT("The part of it that cannot be taken away.")},
    {.name = STR_INIT("requested"), .type = &map_quantity, .doc = STR_INIT("What they have or wait for.")}};
const struct schema_type schema_runai_v2alpha2_ResourcesStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourcesStatus"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.ResourcesStatus"), .doc = STR_INIT("What the pods of a group have and want."), .fields = fields_ResourcesStatus, .nfields = 3};

static const struct schema_field fields_SchedulingState[1] = {
    {.name = STR_INIT("corePods"), .type = &list_string, .doc = STR_INIT("Pods of a semi-preemptible group that are not taken away.")}};
const struct schema_type schema_runai_v2alpha2_SchedulingState = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingState"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.SchedulingState"), .doc = STR_INIT("What the scheduler keeps of a group."), .fields = fields_SchedulingState, .nfields = 1};

static const struct schema_field fields_PodGroupCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .doc = STR_INIT("Aspect.")},
    {.name = STR_INIT("status"), .type = &schema_string, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("transitionID"), .type = &schema_string, .doc = STR_INIT("Counts the changes.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_PodGroupCondition[16] = {3, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_runai_v2alpha2_PodGroupCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupCondition"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.PodGroupCondition"), .doc = STR_INIT("One aspect of the group's state."), .fields = fields_PodGroupCondition, .nfields = 6, .index8 = index_PodGroupCondition, .index_mask = 15};

static const struct schema_field fields_SchedulingCondition[8] = {
    {.name = STR_INIT("type"), .type = &schema_string, .doc = STR_INIT("UnschedulableOnNodePool.")},
    {.name = STR_INIT("nodePool"), .type = &schema_string, .doc = STR_INIT("The node pool.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("The first of the reasons, as one word.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("The first of the reasons, for people.")},
    {.name = STR_INIT("reasons"), .type = &list_Explanation, .doc = STR_INIT("All reasons.")},
    {.name = STR_INIT("transitionID"), .type = &schema_string, .doc = STR_INIT("Counts the changes.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("status"), .type = &schema_string, .doc = STR_INIT("True, False or Unknown.")}};
static const uint8_t index_SchedulingCondition[16] = {8, 0, 0, 0, 4, 0, 0, 7, 0, 3, 0, 2, 0, 1, 5, 6};
const struct schema_type schema_runai_v2alpha2_SchedulingCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingCondition"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.SchedulingCondition"), .doc = STR_INIT("Why the group could not be placed in one node pool."), .fields = fields_SchedulingCondition, .nfields = 8, .index8 = index_SchedulingCondition, .index_mask = 15};

static const struct schema_field fields_Explanation[3] = {
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("One word for programs, such as OverLimit, NonPreemptibleOverQuota, QueueDoesNotExist.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("A sentence for people.")},
    {.name = STR_INIT("details"), .type = &schema_runai_v2alpha2_ExplanationDetails, .flags = SCHEMA_POINTER, .doc = STR_INIT("The numbers behind it.")}};
const struct schema_type schema_runai_v2alpha2_Explanation = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Explanation"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.Explanation"), .doc = STR_INIT("One reason why the group could not be placed."), .fields = fields_Explanation, .nfields = 3};

static const struct schema_field fields_ExplanationDetails[1] = {
    {.name = STR_INIT("queueDetails"), .type = &schema_runai_v2alpha2_QuotaDetails, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the queue had when it was asked.")}};
const struct schema_type schema_runai_v2alpha2_ExplanationDetails = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExplanationDetails"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.ExplanationDetails"), .doc = STR_INIT("The numbers behind a reason."), .fields = fields_ExplanationDetails, .nfields = 1};

static const struct schema_field fields_QuotaDetails[8] = {
    {.name = STR_INIT("name"), .type = &schema_string, .doc = STR_INIT("The queue.")},
    {.name = STR_INIT("queueRequestedResources"), .type = &map_quantity, .doc = STR_INIT("What its work had or waited for.")},
    {.name = STR_INIT("queueDeservedResources"), .type = &map_quantity, .doc = STR_INIT("Its quotas.")},
    {.name = STR_INIT("queueAllocatedResources"), .type = &map_quantity, .doc = STR_INIT("What its work had.")},
    {.name = STR_INIT("queueAllocatedNonPreemptibleResources"), .type = &map_quantity, .doc = STR_INIT("The part of it that could not be taken away.")},
    {.name = STR_INIT("queueResourceLimits"), .type = &map_quantity, .doc = STR_INIT("Its limits.")},
    {.name = STR_INIT("podGroupRequestedResources"), .type = &map_quantity, .doc = STR_INIT("What the smallest gang of the group asks for.")},
    {.name = STR_INIT("podGroupRequestedNonPreemptibleResources"), .type = &map_quantity, .doc = STR_INIT("The part of it that could not be taken away.")}};
static const uint8_t index_QuotaDetails[16] = {0, 0, 0, 0, 6, 2, 1, 4, 7, 0, 0, 3, 5, 8, 0, 0};
const struct schema_type schema_runai_v2alpha2_QuotaDetails = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QuotaDetails"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.QuotaDetails"), .doc = STR_INIT("What a queue had, and what the group asked of it."), .fields = fields_QuotaDetails, .nfields = 8, .index8 = index_QuotaDetails, .index_mask = 15};

static const struct schema_field fields_PodGroupList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodGroup, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_runai_v2alpha2_PodGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupList"), .openapi = STR_INIT("ai.run.scheduling.v2alpha2.PodGroupList"), .doc = STR_INIT("A list of podgroups."), .fields = fields_PodGroupList, .nfields = 4};

static const struct api_subresource subs_PodGroup[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PodGroup"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_runai_v2alpha2_PodGroup}};
static const struct api_column columns_PodGroup[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Queue"), .type = STR_INIT("string"), .doc = STR_INIT("Queue that the work is in."), .json_path = STR_INIT(".spec.queue")},
    {.name = STR_INIT("MinMember"), .type = STR_INIT("string"), .doc = STR_INIT("Pods that must run together."), .cell = STR_INIT("pod_group_min_member")},
    {.name = STR_INIT("Running"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that run."), .json_path = STR_INIT(".status.running")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("PriorityClass"), .type = STR_INIT("string"), .doc = STR_INIT("Its place among the work of the queue."), .json_path = STR_INIT(".spec.priorityClassName"), .priority = 1},
    {.name = STR_INIT("Preemptibility"), .type = STR_INIT("string"), .doc = STR_INIT("Whether its pods may be taken away."), .json_path = STR_INIT(".spec.preemptibility"), .priority = 1}};
const struct api_resource api_runai_v2alpha2_podgroups = {
    .group = STR_INIT("scheduling.run.ai"), .version = STR_INIT("v2alpha2"), .kind = STR_INIT("PodGroup"),
    .list_kind = STR_INIT("PodGroupList"), .plural = STR_INIT("podgroups"), .singular = STR_INIT("podgroup"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_runai_v2alpha2_PodGroup,
    .short_names = short_names_pg, .nshort_names = 1,
    .field_labels = field_labels_spec_queue, .nfield_labels = 1,
    .subs = subs_PodGroup, .nsubs = 1,
    .columns = columns_PodGroup, .ncolumns = 7,
    .storage_group = STR_INIT("scheduling.run.ai"), .storage_version = STR_INIT("v2alpha2")};

