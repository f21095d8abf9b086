/* runai_v2.c: written by tools/gen_api.py from api/runai_v2.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_QueueResource = {.kind = SCHEMA_MAP, .elem = &schema_runai_v2_QueueResource};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_QueueCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2_QueueCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const struct schema_type map_double = {.kind = SCHEMA_MAP, .elem = &schema_double};
static const struct schema_type list_QueueUnit = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2_QueueUnit};
static const struct schema_type list_Queue = {.kind = SCHEMA_LIST, .elem = &schema_runai_v2_Queue};
static const str field_labels_spec_parentQueue[] = {STR_INIT("spec.parentQueue")};
static const struct schema_field fields_Queue[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_runai_v2_QueueSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_runai_v2_QueueStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Queue[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_runai_v2_Queue = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Queue"), .openapi = STR_INIT("ai.run.scheduling.v2.Queue"), .doc = STR_INIT("A share of the cluster for a team, a project or a kind of work; queues form a tree, and its leaves take work."), .fields = fields_Queue, .nfields = 5, .index8 = index_Queue, .index_mask = 15};

static const struct schema_field fields_QueueSpec[7] = {
    {.name = STR_INIT("displayName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("What messages call the queue; its name when absent.")},
    {.name = STR_INIT("parentQueue"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Queue it is a part of; absent at the top of the tree.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Queues with a higher one are served first and lose last; 100 when absent.")},
    {.name = STR_INIT("preemptMinRuntime"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long work runs before others of this queue may take its place, such as 10m; the parent's when absent.")},
    {.name = STR_INIT("reclaimMinRuntime"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long work runs before other queues may take back what they are owed; the parent's when absent.")},
    {.name = STR_INIT("maxRuntime"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long a unit may run at all, such as 24h; the parent's when absent, else without end.")},
    {.name = STR_INIT("resources"), .type = &map_QueueResource, .flags = SCHEMA_POINTER, .doc = STR_INIT("Shares by resource: gpu, cpu (in thousandths), memory (in MB of 10^6 bytes), or any other resource's name.")}};
static const uint8_t index_QueueSpec[16] = {2, 4, 7, 0, 5, 0, 1, 0, 0, 3, 0, 0, 0, 0, 0, 6};
const struct schema_type schema_runai_v2_QueueSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueSpec"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueSpec"), .doc = STR_INIT("What a queue is owed, may borrow and may have at most."), .fields = fields_QueueSpec, .nfields = 7, .index8 = index_QueueSpec, .index_mask = 15};

static const struct schema_field fields_QueueResource[3] = {
    {.name = STR_INIT("quota"), .type = &schema_double, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the queue is owed before others get more than theirs; -1 for all that it asks for, 0 when absent.")},
    {.name = STR_INIT("overQuotaWeight"), .type = &schema_double, .flags = SCHEMA_POINTER, .doc = STR_INIT("Its part when what is left over is divided; 0 gets none of that, 1 when absent.")},
    {.name = STR_INIT("limit"), .type = &schema_double, .flags = SCHEMA_POINTER, .doc = STR_INIT("The most it may have; -1, also when absent, for no limit, 0 for nothing.")}};
const struct schema_type schema_runai_v2_QueueResource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueResource"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueResource"), .doc = STR_INIT("The share of one resource."), .fields = fields_QueueResource, .nfields = 3};

static const struct schema_field fields_QueueStatus[12] = {
    {.name = STR_INIT("conditions"), .type = &list_QueueCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("childQueues"), .type = &list_string, .doc = STR_INIT("Queues that are parts of this one.")},
    {.name = STR_INIT("allocated"), .type = &map_quantity, .doc = STR_INIT("What its work has been given, in the queue and below it.")},
    {.name = STR_INIT("allocatedNonPreemptible"), .type = &map_quantity, .doc = STR_INIT("The part of it that cannot be taken away.")},
    {.name = STR_INIT("requested"), .type = &map_quantity, .doc = STR_INIT("What its work has or waits for.")},
    {.name = STR_INIT("deserved"), .type = &map_quantity, .doc = STR_INIT("The quotas in force.")},
    {.name = STR_INIT("fairShare"), .type = &map_quantity, .doc = STR_INIT("What the queue comes to now: its quota and its part of what others leave.")},
    {.name = STR_INIT("usage"), .type = &map_double, .doc = STR_INIT("Past use that counts against it, older use less, as a share of the cluster.")},
    {.name = STR_INIT("overQuotaWeight"), .type = &map_double, .doc = STR_INIT("The weights in force.")},
    {.name = STR_INIT("runningUnits"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Units that run, in the queue and below it.")},
    {.name = STR_INIT("pendingUnits"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Units that wait, in the queue and below it.")},
    {.name = STR_INIT("units"), .type = &list_QueueUnit, .doc = STR_INIT("The first units of the queue itself, running ones before waiting ones; at most 100.")}};
static const uint8_t index_QueueStatus[32] = {0, 0, 0, 5, 11, 0, 0, 0, 4, 2, 7, 8, 0, 0, 0, 0, 0, 0, 3, 6, 10, 0, 0, 1, 0, 9, 0, 0, 12, 0, 0, 0};
const struct schema_type schema_runai_v2_QueueStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueStatus"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueStatus"), .doc = STR_INIT("What a queue has and wants."), .fields = fields_QueueStatus, .nfields = 12, .index8 = index_QueueStatus, .index_mask = 31};

static const struct schema_field fields_QueueUnit[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the pod group or pod.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its namespace.")},
    {.name = STR_INIT("position"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Place in the line, from 1; absent when it does not wait.")},
    {.name = STR_INIT("state"), .type = &schema_string, .doc = STR_INIT("Running, Pending, and the like.")}};
const struct schema_type schema_runai_v2_QueueUnit = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueUnit"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueUnit"), .doc = STR_INIT("A unit of work: a pod group, or a pod alone."), .fields = fields_QueueUnit, .nfields = 4};

static const struct schema_field fields_QueueCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as Orphan or OverQuota.")},
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastProbeTime"), .type = &schema_time, .doc = STR_INIT("When it was last looked at.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_QueueCondition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 0, 3, 1, 0, 2};
const struct schema_type schema_runai_v2_QueueCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueCondition"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueCondition"), .doc = STR_INIT("One aspect of the queue's state."), .fields = fields_QueueCondition, .nfields = 6, .index8 = index_QueueCondition, .index_mask = 15};

static const struct schema_field fields_QueueList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Queue, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_runai_v2_QueueList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QueueList"), .openapi = STR_INIT("ai.run.scheduling.v2.QueueList"), .doc = STR_INIT("A list of queues."), .fields = fields_QueueList, .nfields = 4};

static const struct api_subresource subs_Queue[] = {
    {.name = STR_INIT("simulate"), .kind = STR_INIT("Queue"), .verbs = API_VERB_CREATE, .type = &schema_runai_v2_Queue},
    {.name = STR_INIT("status"), .kind = STR_INIT("Queue"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_runai_v2_Queue}};
static const struct api_column columns_Queue[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Priority"), .type = STR_INIT("string"), .doc = STR_INIT("Higher goes first and is taken from last."), .cell = STR_INIT("queue_priority")},
    {.name = STR_INIT("Parent"), .type = STR_INIT("string"), .doc = STR_INIT("Queue it is a part of."), .json_path = STR_INIT(".spec.parentQueue")},
    {.name = STR_INIT("Children"), .type = STR_INIT("string"), .doc = STR_INIT("Queues that are parts of it."), .cell = STR_INIT("queue_children")},
    {.name = STR_INIT("DisplayName"), .type = STR_INIT("string"), .doc = STR_INIT("What messages call it."), .json_path = STR_INIT(".spec.displayName")},
    {.name = STR_INIT("Running"), .type = STR_INIT("integer"), .doc = STR_INIT("Units that run."), .json_path = STR_INIT(".status.runningUnits"), .priority = 1},
    {.name = STR_INIT("Pending"), .type = STR_INIT("integer"), .doc = STR_INIT("Units that wait."), .json_path = STR_INIT(".status.pendingUnits"), .priority = 1},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age"), .priority = 1}};
const struct api_resource api_runai_v2_queues = {
    .group = STR_INIT("scheduling.run.ai"), .version = STR_INIT("v2"), .kind = STR_INIT("Queue"),
    .list_kind = STR_INIT("QueueList"), .plural = STR_INIT("queues"), .singular = STR_INIT("queue"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_runai_v2_Queue,
    .field_labels = field_labels_spec_parentQueue, .nfield_labels = 1,
    .subs = subs_Queue, .nsubs = 2,
    .columns = columns_Queue, .ncolumns = 8,
    .storage_group = STR_INIT("scheduling.run.ai"), .storage_version = STR_INIT("v2")};

