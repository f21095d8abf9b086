/* policy_v1.c: written by tools/gen_api.py from api/policy_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_AlwaysAllow_IfHealthyBudget[] = {STR_INIT("AlwaysAllow"), STR_INIT("IfHealthyBudget")};
static const struct schema_rules rules_enums_AlwaysAllow_IfHealthyBudget = {.enums = enum_AlwaysAllow_IfHealthyBudget, .nenums = 2};
static const struct schema_type map_time = {.kind = SCHEMA_MAP, .elem = &schema_time};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_meta_v1_Condition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_Condition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_PodDisruptionBudget = {.kind = SCHEMA_LIST, .elem = &schema_policy_v1_PodDisruptionBudget};
static const str short_names_pdb[] = {STR_INIT("pdb")};
static const struct schema_field fields_PodDisruptionBudgetSpec[4] = {
    {.name = STR_INIT("minAvailable"), .type = &schema_int_or_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must stay up, as number or percentage; excludes maxUnavailable.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_POINTER, .patch = SCHEMA_PATCH_REPLACE, .doc = STR_INIT("Pods that are protected; absent selects none, empty all.")},
    {.name = STR_INIT("maxUnavailable"), .type = &schema_int_or_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that may be down, as number or percentage; excludes minAvailable.")},
    {.name = STR_INIT("unhealthyPodEvictionPolicy"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("When unready pods may be evicted: AlwaysAllow, or IfHealthyBudget (also when absent)."), .rules = &rules_enums_AlwaysAllow_IfHealthyBudget}};
const struct schema_type schema_policy_v1_PodDisruptionBudgetSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDisruptionBudgetSpec"), .openapi = STR_INIT("io.k8s.api.policy.v1.PodDisruptionBudgetSpec"), .doc = STR_INIT("Which pods are protected, and how many must stay up."), .fields = fields_PodDisruptionBudgetSpec, .nfields = 4};

static const struct schema_field fields_PodDisruptionBudgetStatus[7] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 1, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("disruptedPods"), .type = &map_time, .pb = 2, .doc = STR_INIT("Pods with an eviction under way, and when it was granted.")},
    {.name = STR_INIT("disruptionsAllowed"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How many more pods may be evicted now.")},
    {.name = STR_INIT("currentHealthy"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Protected pods that are ready.")},
    {.name = STR_INIT("desiredHealthy"), .type = &schema_int32, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Fewest ready pods that the budget demands.")},
    {.name = STR_INIT("expectedPods"), .type = &schema_int32, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Protected pods in total.")},
    {.name = STR_INIT("conditions"), .type = &list_meta_v1_Condition_map_type, .pb = 7, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
static const uint8_t index_PodDisruptionBudgetStatus[16] = {0, 6, 5, 3, 0, 0, 0, 7, 0, 0, 0, 1, 2, 4, 0, 0};
const struct schema_type schema_policy_v1_PodDisruptionBudgetStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDisruptionBudgetStatus"), .openapi = STR_INIT("io.k8s.api.policy.v1.PodDisruptionBudgetStatus"), .doc = STR_INIT("How many pods may be taken down now."), .fields = fields_PodDisruptionBudgetStatus, .nfields = 7, .index8 = index_PodDisruptionBudgetStatus, .index_mask = 15};

static const struct schema_field fields_PodDisruptionBudget[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_policy_v1_PodDisruptionBudgetSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_policy_v1_PodDisruptionBudgetStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PodDisruptionBudget[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_policy_v1_PodDisruptionBudget = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDisruptionBudget"), .openapi = STR_INIT("io.k8s.api.policy.v1.PodDisruptionBudget"), .doc = STR_INIT("Limits how many pods may be down at once by choice."), .fields = fields_PodDisruptionBudget, .nfields = 5, .index8 = index_PodDisruptionBudget, .index_mask = 15};

static const struct schema_field fields_Eviction[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name and namespace of the pod to evict.")},
    {.name = STR_INIT("deleteOptions"), .type = &schema_meta_v1_DeleteOptions, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Options for deleting the pod, such as a grace period.")}};
const struct schema_type schema_policy_v1_Eviction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Eviction"), .openapi = STR_INIT("io.k8s.api.policy.v1.Eviction"), .doc = STR_INIT("Asks for a pod to be deleted with respect to disruption budgets."), .fields = fields_Eviction, .nfields = 4};

static const struct schema_field fields_PodDisruptionBudgetList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodDisruptionBudget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_policy_v1_PodDisruptionBudgetList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDisruptionBudgetList"), .openapi = STR_INIT("io.k8s.api.policy.v1.PodDisruptionBudgetList"), .doc = STR_INIT("A list of poddisruptionbudgets."), .fields = fields_PodDisruptionBudgetList, .nfields = 4};

static const struct api_subresource subs_PodDisruptionBudget[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PodDisruptionBudget"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_policy_v1_PodDisruptionBudget}};
static const struct api_column columns_PodDisruptionBudget[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Min Available"), .type = STR_INIT("string"), .doc = STR_INIT("Pods that must stay up."), .cell = STR_INIT("pod_disruption_budget_min_available")},
    {.name = STR_INIT("Max Unavailable"), .type = STR_INIT("string"), .doc = STR_INIT("Pods that may be down."), .cell = STR_INIT("pod_disruption_budget_max_unavailable")},
    {.name = STR_INIT("Allowed Disruptions"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that may be taken down now."), .json_path = STR_INIT(".status.disruptionsAllowed")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_policy_v1_poddisruptionbudgets = {
    .group = STR_INIT("policy"), .version = STR_INIT("v1"), .kind = STR_INIT("PodDisruptionBudget"),
    .list_kind = STR_INIT("PodDisruptionBudgetList"), .plural = STR_INIT("poddisruptionbudgets"), .singular = STR_INIT("poddisruptionbudget"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_policy_v1_PodDisruptionBudget,
    .short_names = short_names_pdb, .nshort_names = 1,
    .subs = subs_PodDisruptionBudget, .nsubs = 1,
    .columns = columns_PodDisruptionBudget, .ncolumns = 5,
    .storage_group = STR_INIT("policy"), .storage_version = STR_INIT("v1")};

