/* kai_v1.c: written by tools/gen_api.py from api/kai_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_type map_int32 = {.kind = SCHEMA_MAP, .elem = &schema_int32};
static const struct schema_type map_PluginConfig = {.kind = SCHEMA_MAP, .elem = &schema_kai_v1_PluginConfig};
static const struct schema_type map_ActionConfig = {.kind = SCHEMA_MAP, .elem = &schema_kai_v1_ActionConfig};
static const str enum_binpack_spread[] = {STR_INIT("binpack"), STR_INIT("spread")};
static const struct schema_rules rules_enums_binpack_spread = {.enums = enum_binpack_spread, .nenums = 2};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_meta_v1_Condition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_Condition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_SchedulingShard = {.kind = SCHEMA_LIST, .elem = &schema_kai_v1_SchedulingShard};
static const struct schema_type list_Config = {.kind = SCHEMA_LIST, .elem = &schema_kai_v1_Config};
static const struct schema_field fields_SchedulingShard[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kai_v1_SchedulingShardSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kai_v1_SchedulingShardStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_SchedulingShard[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kai_v1_SchedulingShard = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingShard"), .openapi = STR_INIT("scheduler.kai.v1.SchedulingShard"), .doc = STR_INIT("A part of the cluster, by node label, with rules of its own."), .fields = fields_SchedulingShard, .nfields = 5, .index8 = index_SchedulingShard, .index_mask = 15};

static const struct schema_field fields_SchedulingShardSpec[9] = {
    {.name = STR_INIT("partitionLabelValue"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Value of the node-pool label on its nodes, queues and pod groups; absent: those without the label.")},
    {.name = STR_INIT("placementStrategy"), .type = &schema_kai_v1_PlacementStrategy, .flags = SCHEMA_POINTER, .doc = STR_INIT("Whether work is packed or spread.")},
    {.name = STR_INIT("args"), .type = &map_string, .doc = STR_INIT("Flags of KAI's scheduler; those that have no effect here are a warning.")},
    {.name = STR_INIT("queueDepthPerAction"), .type = &map_int32, .doc = STR_INIT("Units of a queue that each action looks at; all when absent.")},
    {.name = STR_INIT("minRuntime"), .type = &schema_kai_v1_MinRuntime, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long work runs before it may be taken away, for queues that do not say.")},
    {.name = STR_INIT("kValue"), .type = &schema_double, .flags = SCHEMA_POINTER, .doc = STR_INIT("How much past use counts when shares are divided; 1 when absent.")},
    {.name = STR_INIT("usageDBConfig"), .type = &schema_kai_v1_UsageDBConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("That past use counts, and how; the scheduler keeps it by itself.")},
    {.name = STR_INIT("plugins"), .type = &map_PluginConfig, .doc = STR_INIT("Rules, by name: on or off, and in which order.")},
    {.name = STR_INIT("actions"), .type = &map_ActionConfig, .doc = STR_INIT("Steps, by name: on or off, and in which order.")}};
static const uint8_t index_SchedulingShardSpec[32] = {0, 0, 0, 0, 9, 2, 0, 0, 0, 5, 0, 8, 0, 0, 1, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 3, 7, 4, 0};
const struct schema_type schema_kai_v1_SchedulingShardSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingShardSpec"), .openapi = STR_INIT("scheduler.kai.v1.SchedulingShardSpec"), .doc = STR_INIT("Which nodes belong to the shard, and how they are filled."), .preserve_unknown = true, .fields = fields_SchedulingShardSpec, .nfields = 9, .index8 = index_SchedulingShardSpec, .index_mask = 31};

static const struct schema_field fields_PlacementStrategy[2] = {
    {.name = STR_INIT("gpu"), .type = &schema_string, .doc = STR_INIT("For work with GPUs; binpack when absent."), .rules = &rules_enums_binpack_spread},
    {.name = STR_INIT("cpu"), .type = &schema_string, .doc = STR_INIT("For work without; binpack when absent."), .rules = &rules_enums_binpack_spread}};
const struct schema_type schema_kai_v1_PlacementStrategy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PlacementStrategy"), .openapi = STR_INIT("scheduler.kai.v1.PlacementStrategy"), .doc = STR_INIT("Whether work is packed onto few nodes or spread over many."), .fields = fields_PlacementStrategy, .nfields = 2};

static const struct schema_field fields_MinRuntime[2] = {
    {.name = STR_INIT("preemptMinRuntime"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("By others of the same queue.")},
    {.name = STR_INIT("reclaimMinRuntime"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("By other queues.")}};
const struct schema_type schema_kai_v1_MinRuntime = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MinRuntime"), .openapi = STR_INIT("scheduler.kai.v1.MinRuntime"), .doc = STR_INIT("How long work runs before it may be taken away."), .fields = fields_MinRuntime, .nfields = 2};

static const struct schema_field fields_UsageDBConfig[4] = {
    {.name = STR_INIT("clientType"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Kind of the database, such as prometheus.")},
    {.name = STR_INIT("connectionString"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where it is.")},
    {.name = STR_INIT("connectionStringEnvVar"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Environment variable with that.")},
    {.name = STR_INIT("usageParams"), .type = &schema_kai_v1_UsageParams, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which past counts, and how much.")}};
const struct schema_type schema_kai_v1_UsageDBConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("UsageDBConfig"), .openapi = STR_INIT("scheduler.kai.v1.UsageDBConfig"), .doc = STR_INIT("Where past use comes from."), .preserve_unknown = true, .fields = fields_UsageDBConfig, .nfields = 4};

static const struct schema_field fields_UsageParams[9] = {
    {.name = STR_INIT("halfLifePeriod"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Time after which use counts half; absent: always in full.")},
    {.name = STR_INIT("windowSize"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How far back use counts; a week when absent.")},
    {.name = STR_INIT("windowType"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("sliding, tumbling or cron.")},
    {.name = STR_INIT("tumblingWindowStartTime"), .type = &schema_time, .doc = STR_INIT("When the first of the tumbling windows began.")},
    {.name = STR_INIT("cronString"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("When a window of type cron begins.")},
    {.name = STR_INIT("fetchInterval"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How often use is looked up.")},
    {.name = STR_INIT("stalenessPeriod"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Age from which figures do not count.")},
    {.name = STR_INIT("waitTimeout"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long the first figures are waited for.")},
    {.name = STR_INIT("extraParams"), .type = &map_string, .doc = STR_INIT("Further settings of the database.")}};
static const uint8_t index_UsageParams[32] = {0, 0, 0, 0, 5, 7, 0, 1, 0, 0, 6, 0, 0, 0, 0, 9, 0, 0, 0, 8, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_kai_v1_UsageParams = {.kind = SCHEMA_OBJECT, .name = STR_INIT("UsageParams"), .openapi = STR_INIT("scheduler.kai.v1.UsageParams"), .doc = STR_INIT("Which past counts, and how much."), .preserve_unknown = true, .fields = fields_UsageParams, .nfields = 9, .index8 = index_UsageParams, .index_mask = 31};

static const struct schema_field fields_PluginConfig[3] = {
    {.name = STR_INIT("enabled"), .type = &schema_bool, .flags = SCHEMA_POINTER, .doc = STR_INIT("False turns it off.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Higher comes first.")},
    {.name = STR_INIT("arguments"), .type = &map_string, .doc = STR_INIT("Its settings.")}};
const struct schema_type schema_kai_v1_PluginConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PluginConfig"), .openapi = STR_INIT("scheduler.kai.v1.PluginConfig"), .doc = STR_INIT("One rule of the scheduler."), .preserve_unknown = true, .fields = fields_PluginConfig, .nfields = 3};

static const struct schema_field fields_ActionConfig[2] = {
    {.name = STR_INIT("enabled"), .type = &schema_bool, .flags = SCHEMA_POINTER, .doc = STR_INIT("False turns it off.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Higher comes first.")}};
const struct schema_type schema_kai_v1_ActionConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ActionConfig"), .openapi = STR_INIT("scheduler.kai.v1.ActionConfig"), .doc = STR_INIT("One step of the scheduler."), .preserve_unknown = true, .fields = fields_ActionConfig, .nfields = 2};

static const struct schema_field fields_SchedulingShardStatus[1] = {
    {.name = STR_INIT("conditions"), .type = &list_meta_v1_Condition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
const struct schema_type schema_kai_v1_SchedulingShardStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingShardStatus"), .openapi = STR_INIT("scheduler.kai.v1.SchedulingShardStatus"), .doc = STR_INIT("Whether the shard works."), .preserve_unknown = true, .fields = fields_SchedulingShardStatus, .nfields = 1};

static const struct schema_field fields_Config[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kai_v1_ConfigSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kai_v1_ConfigStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Config[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kai_v1_Config = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Config"), .openapi = STR_INIT("scheduler.kai.v1.Config"), .doc = STR_INIT("How KAI is set up; there is one, kai-config."), .fields = fields_Config, .nfields = 5, .index8 = index_Config, .index_mask = 15};

static const struct schema_field fields_ConfigSpec[2] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespace of KAI's processes.")},
    {.name = STR_INIT("global"), .type = &schema_kai_v1_GlobalConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("What all parts share.")}};
const struct schema_type schema_kai_v1_ConfigSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigSpec"), .openapi = STR_INIT("scheduler.kai.v1.ConfigSpec"), .doc = STR_INIT("Settings; those of KAI's own processes are kept and of no effect here."), .preserve_unknown = true, .fields = fields_ConfigSpec, .nfields = 2};

static const struct schema_field fields_GlobalConfig[3] = {
    {.name = STR_INIT("schedulerName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name that pods give in schedulerName; kai-scheduler when absent.")},
    {.name = STR_INIT("queueLabelKey"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Label that names the queue; kai.scheduler/queue when absent.")},
    {.name = STR_INIT("nodePoolLabelKey"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Label that names the node pool; kai.scheduler/node-pool when absent.")}};
const struct schema_type schema_kai_v1_GlobalConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GlobalConfig"), .openapi = STR_INIT("scheduler.kai.v1.GlobalConfig"), .doc = STR_INIT("Names that pods, queues and nodes are known by."), .preserve_unknown = true, .fields = fields_GlobalConfig, .nfields = 3};

static const struct schema_field fields_ConfigStatus[1] = {
    {.name = STR_INIT("conditions"), .type = &list_meta_v1_Condition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
const struct schema_type schema_kai_v1_ConfigStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigStatus"), .openapi = STR_INIT("scheduler.kai.v1.ConfigStatus"), .doc = STR_INIT("Whether KAI works."), .preserve_unknown = true, .fields = fields_ConfigStatus, .nfields = 1};

static const struct schema_field fields_SchedulingShardList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_SchedulingShard, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kai_v1_SchedulingShardList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SchedulingShardList"), .openapi = STR_INIT("scheduler.kai.v1.SchedulingShardList"), .doc = STR_INIT("A list of schedulingshards."), .fields = fields_SchedulingShardList, .nfields = 4};

static const struct schema_field fields_ConfigList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Config, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kai_v1_ConfigList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigList"), .openapi = STR_INIT("scheduler.kai.v1.ConfigList"), .doc = STR_INIT("A list of configs."), .fields = fields_ConfigList, .nfields = 4};

static const struct api_subresource subs_SchedulingShard[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("SchedulingShard"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kai_v1_SchedulingShard}};
static const struct api_column columns_SchedulingShard[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Partition"), .type = STR_INIT("string"), .doc = STR_INIT("Node pool that it schedules."), .json_path = STR_INIT(".spec.partitionLabelValue")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kai_v1_schedulingshards = {
    .group = STR_INIT("kai.scheduler"), .version = STR_INIT("v1"), .kind = STR_INIT("SchedulingShard"),
    .list_kind = STR_INIT("SchedulingShardList"), .plural = STR_INIT("schedulingshards"), .singular = STR_INIT("schedulingshard"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kai_v1_SchedulingShard,
    .subs = subs_SchedulingShard, .nsubs = 1,
    .columns = columns_SchedulingShard, .ncolumns = 3,
    .storage_group = STR_INIT("kai.scheduler"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Config[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Config"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kai_v1_Config}};
static const struct api_column columns_Config[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kai_v1_configs = {
    .group = STR_INIT("kai.scheduler"), .version = STR_INIT("v1"), .kind = STR_INIT("Config"),
    .list_kind = STR_INIT("ConfigList"), .plural = STR_INIT("configs"), .singular = STR_INIT("config"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kai_v1_Config,
    .subs = subs_Config, .nsubs = 1,
    .columns = columns_Config, .ncolumns = 2,
    .storage_group = STR_INIT("kai.scheduler"), .storage_version = STR_INIT("v1")};

