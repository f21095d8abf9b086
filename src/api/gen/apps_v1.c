/* apps_v1.c: written by tools/gen_api.py from api/apps_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_OnDelete_RollingUpdate[] = {STR_INIT("OnDelete"), STR_INIT("RollingUpdate")};
static const struct schema_rules rules_enums_OnDelete_RollingUpdate = {.enums = enum_OnDelete_RollingUpdate, .nenums = 2};
static const str enum_Retain_Delete[] = {STR_INIT("Retain"), STR_INIT("Delete")};
static const struct schema_rules rules_enums_Retain_Delete = {.enums = enum_Retain_Delete, .nenums = 2};
static const struct schema_type list_core_v1_PersistentVolumeClaim = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PersistentVolumeClaim};
static const str enum_OrderedReady_Parallel[] = {STR_INIT("OrderedReady"), STR_INIT("Parallel")};
static const struct schema_rules rules_enums_OrderedReady_Parallel = {.enums = enum_OrderedReady_Parallel, .nenums = 2};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_StatefulSetCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_StatefulSetCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const str enum_Recreate_RollingUpdate[] = {STR_INIT("Recreate"), STR_INIT("RollingUpdate")};
static const struct schema_rules rules_enums_Recreate_RollingUpdate = {.enums = enum_Recreate_RollingUpdate, .nenums = 2};
static const struct schema_type list_DeploymentCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_DeploymentCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const str enum_RollingUpdate_OnDelete[] = {STR_INIT("RollingUpdate"), STR_INIT("OnDelete")};
static const struct schema_rules rules_enums_RollingUpdate_OnDelete = {.enums = enum_RollingUpdate_OnDelete, .nenums = 2};
static const struct schema_type list_DaemonSetCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_DaemonSetCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_ReplicaSetCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_ReplicaSetCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_ControllerRevision = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_ControllerRevision};
static const struct schema_type list_DaemonSet = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_DaemonSet};
static const struct schema_type list_Deployment = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_Deployment};
static const struct schema_type list_ReplicaSet = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_ReplicaSet};
static const struct schema_type list_StatefulSet = {.kind = SCHEMA_LIST, .elem = &schema_apps_v1_StatefulSet};
static const str short_names_ds[] = {STR_INIT("ds")};
static const str categories_all[] = {STR_INIT("all")};
static const str short_names_deploy[] = {STR_INIT("deploy")};
static const str short_names_rs[] = {STR_INIT("rs")};
static const str short_names_sts[] = {STR_INIT("sts")};
static const struct schema_field fields_StatefulSet[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_apps_v1_StatefulSetSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_apps_v1_StatefulSetStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_StatefulSet[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_apps_v1_StatefulSet = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSet"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSet"), .doc = STR_INIT("Runs numbered pods that keep their name and storage."), .fields = fields_StatefulSet, .nfields = 5, .index8 = index_StatefulSet, .index_mask = 15};

static const struct schema_field fields_StatefulSetUpdateStrategy[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"RollingUpdate\""), .doc = STR_INIT("RollingUpdate replaces pods by itself; OnDelete waits until you delete them."), .rules = &rules_enums_OnDelete_RollingUpdate},
    {.name = STR_INIT("rollingUpdate"), .type = &schema_apps_v1_RollingUpdateStatefulSetStrategy, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings of type RollingUpdate; refused with other types.")}};
const struct schema_type schema_apps_v1_StatefulSetUpdateStrategy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetUpdateStrategy"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetUpdateStrategy"), .doc = STR_INIT("How pods are replaced when the template changes."), .fields = fields_StatefulSetUpdateStrategy, .nfields = 2};

static const struct schema_field fields_RollingUpdateStatefulSetStrategy[2] = {
    {.name = STR_INIT("partition"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("0"), .doc = STR_INIT("Only pods with this number or higher are updated; 0 when absent.")},
    {.name = STR_INIT("maxUnavailable"), .type = &schema_int_or_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that may be down at once, as number or percentage; 1 when absent.")}};
const struct schema_type schema_apps_v1_RollingUpdateStatefulSetStrategy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RollingUpdateStatefulSetStrategy"), .openapi = STR_INIT("io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy"), .doc = STR_INIT("Settings of a rolling update of a stateful set."), .fields = fields_RollingUpdateStatefulSetStrategy, .nfields = 2};

static const struct schema_field fields_StatefulSetPersistentVolumeClaimRetentionPolicy[2] = {
    {.name = STR_INIT("whenDeleted"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"Retain\""), .doc = STR_INIT("Retain or Delete the claims when the stateful set is deleted."), .rules = &rules_enums_Retain_Delete},
    {.name = STR_INIT("whenScaled"), .type = &schema_string, .pb = 2, .dflt = STR_INIT("\"Retain\""), .doc = STR_INIT("Retain or Delete the claims of pods removed by scaling down."), .rules = &rules_enums_Retain_Delete}};
const struct schema_type schema_apps_v1_StatefulSetPersistentVolumeClaimRetentionPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetPersistentVolumeClaimRetentionPolicy"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy"), .doc = STR_INIT("What happens to claims when pods go away."), .fields = fields_StatefulSetPersistentVolumeClaimRetentionPolicy, .nfields = 2};

static const struct schema_field fields_StatefulSetOrdinals[1] = {
    {.name = STR_INIT("start"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Number of the first pod; 0 when absent.")}};
const struct schema_type schema_apps_v1_StatefulSetOrdinals = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetOrdinals"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetOrdinals"), .doc = STR_INIT("How the pods are numbered."), .fields = fields_StatefulSetOrdinals, .nfields = 1};

static const struct schema_field fields_StatefulSetSpec[11] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Number of pods wanted; 1 when absent.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Pods it manages; must match the template's labels, cannot change.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the pods that are made.")},
    {.name = STR_INIT("volumeClaimTemplates"), .type = &list_core_v1_PersistentVolumeClaim, .pb = 4, .doc = STR_INIT("Blueprints of claims; every pod gets one of each, for good.")},
    {.name = STR_INIT("serviceName"), .type = &schema_string, .pb = 5, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Headless service that gives the pods their DNS names.")},
    {.name = STR_INIT("podManagementPolicy"), .type = &schema_string, .pb = 6, .dflt = STR_INIT("\"OrderedReady\""), .doc = STR_INIT("OrderedReady starts and stops pods one by one; Parallel all at once."), .rules = &rules_enums_OrderedReady_Parallel},
    {.name = STR_INIT("updateStrategy"), .type = &schema_apps_v1_StatefulSetUpdateStrategy, .pb = 7, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("How pods are replaced when the template changes.")},
    {.name = STR_INIT("revisionHistoryLimit"), .type = &schema_int32, .pb = 8, .flags = SCHEMA_POINTER, .dflt = STR_INIT("10"), .doc = STR_INIT("Old revisions to keep for rollback; 10 when absent.")},
    {.name = STR_INIT("minReadySeconds"), .type = &schema_int32, .pb = 9, .doc = STR_INIT("Seconds a pod must be ready to count as available; 0 when absent.")},
    {.name = STR_INIT("persistentVolumeClaimRetentionPolicy"), .type = &schema_apps_v1_StatefulSetPersistentVolumeClaimRetentionPolicy, .pb = 10, .flags = SCHEMA_POINTER, .dflt = STR_INIT("{}"), .doc = STR_INIT("Whether claims go when the set is deleted or scaled down; kept when absent.")},
    {.name = STR_INIT("ordinals"), .type = &schema_apps_v1_StatefulSetOrdinals, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("How the pods are numbered; from 0 when absent.")}};
static const uint8_t index_StatefulSetSpec[32] = {0, 0, 0, 8, 11, 0, 0, 0, 0, 6, 7, 3, 0, 0, 10, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 5};
const struct schema_type schema_apps_v1_StatefulSetSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetSpec"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetSpec"), .doc = STR_INIT("Which pods to keep, how many, and with which storage."), .fields = fields_StatefulSetSpec, .nfields = 11, .index8 = index_StatefulSetSpec, .index_mask = 31};

static const struct schema_field fields_StatefulSetStatus[10] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 1, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number of pods that exist.")},
    {.name = STR_INIT("readyReplicas"), .type = &schema_int32, .pb = 3, .doc = STR_INIT("Pods that are ready.")},
    {.name = STR_INIT("currentReplicas"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Pods made from currentRevision.")},
    {.name = STR_INIT("updatedReplicas"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Pods made from updateRevision.")},
    {.name = STR_INIT("currentRevision"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Revision that the pods not yet updated come from.")},
    {.name = STR_INIT("updateRevision"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Revision that updated pods come from.")},
    {.name = STR_INIT("collisionCount"), .type = &schema_int32, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name clashes met while naming revisions; used for hashing.")},
    {.name = STR_INIT("conditions"), .type = &list_StatefulSetCondition_map_type, .pb = 10, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("availableReplicas"), .type = &schema_int32, .pb = 11, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Pods that have been ready for minReadySeconds or longer.")}};
static const uint8_t index_StatefulSetStatus[32] = {0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 0, 0, 0, 6, 0, 10, 8, 9, 0, 7, 0, 4, 2, 0, 0, 0};
const struct schema_type schema_apps_v1_StatefulSetStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetStatus"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetStatus"), .doc = STR_INIT("How many pods there are, by revision."), .fields = fields_StatefulSetStatus, .nfields = 10, .index8 = index_StatefulSetStatus, .index_mask = 31};

static const struct schema_field fields_StatefulSetCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the aspect, in CamelCase.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_StatefulSetCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_apps_v1_StatefulSetCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetCondition"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetCondition"), .doc = STR_INIT("One aspect of a stateful set's state."), .fields = fields_StatefulSetCondition, .nfields = 5, .index8 = index_StatefulSetCondition, .index_mask = 15};

static const struct schema_field fields_Deployment[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_apps_v1_DeploymentSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_apps_v1_DeploymentStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Deployment[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_apps_v1_Deployment = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Deployment"), .openapi = STR_INIT("io.k8s.api.apps.v1.Deployment"), .doc = STR_INIT("Runs equal pods and rolls out changes to them."), .fields = fields_Deployment, .nfields = 5, .index8 = index_Deployment, .index_mask = 15};

static const struct schema_field fields_DeploymentSpec[8] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Number of pods wanted; 1 when absent.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Pods it manages; must match the template's labels, cannot change.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the pods that are made.")},
    {.name = STR_INIT("strategy"), .type = &schema_apps_v1_DeploymentStrategy, .pb = 4, .flags = SCHEMA_ALWAYS, .patch = SCHEMA_PATCH_RETAIN_KEYS, .doc = STR_INIT("How pods are replaced when the template changes.")},
    {.name = STR_INIT("minReadySeconds"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Seconds a pod must be ready to count as available; 0 when absent.")},
    {.name = STR_INIT("revisionHistoryLimit"), .type = &schema_int32, .pb = 6, .flags = SCHEMA_POINTER, .dflt = STR_INIT("10"), .doc = STR_INIT("Old revisions to keep for rollback; 10 when absent.")},
    {.name = STR_INIT("paused"), .type = &schema_bool, .pb = 7, .doc = STR_INIT("True stops rollouts until it is unset; scaling still works.")},
    {.name = STR_INIT("progressDeadlineSeconds"), .type = &schema_int32, .pb = 9, .flags = SCHEMA_POINTER, .dflt = STR_INIT("600"), .doc = STR_INIT("Seconds without progress before a rollout is reported stuck; 600 when absent.")}};
static const uint8_t index_DeploymentSpec[16] = {0, 0, 0, 5, 4, 6, 8, 0, 0, 0, 0, 3, 1, 2, 7, 0};
const struct schema_type schema_apps_v1_DeploymentSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentSpec"), .openapi = STR_INIT("io.k8s.api.apps.v1.DeploymentSpec"), .doc = STR_INIT("What a deployment runs and how it rolls out changes."), .fields = fields_DeploymentSpec, .nfields = 8, .index8 = index_DeploymentSpec, .index_mask = 15};

static const struct schema_field fields_DeploymentStrategy[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"RollingUpdate\""), .doc = STR_INIT("RollingUpdate replaces step by step; Recreate stops all old pods first."), .rules = &rules_enums_Recreate_RollingUpdate},
    {.name = STR_INIT("rollingUpdate"), .type = &schema_apps_v1_RollingUpdateDeployment, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings of type RollingUpdate; refused with other types.")}};
const struct schema_type schema_apps_v1_DeploymentStrategy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentStrategy"), .openapi = STR_INIT("io.k8s.api.apps.v1.DeploymentStrategy"), .doc = STR_INIT("How pods are replaced when the template changes."), .fields = fields_DeploymentStrategy, .nfields = 2};

static const struct schema_field fields_RollingUpdateDeployment[2] = {
    {.name = STR_INIT("maxUnavailable"), .type = &schema_int_or_string, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"25%\""), .doc = STR_INIT("Pods that may be missing, as number or percentage; 25% when absent.")},
    {.name = STR_INIT("maxSurge"), .type = &schema_int_or_string, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"25%\""), .doc = STR_INIT("Extra pods allowed, as number or percentage; 25% when absent.")}};
const struct schema_type schema_apps_v1_RollingUpdateDeployment = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RollingUpdateDeployment"), .openapi = STR_INIT("io.k8s.api.apps.v1.RollingUpdateDeployment"), .doc = STR_INIT("Settings of a rolling update of a deployment."), .fields = fields_RollingUpdateDeployment, .nfields = 2};

static const struct schema_field fields_DeploymentStatus[9] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 1, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Pods that exist, of all revisions; terminating ones are left out.")},
    {.name = STR_INIT("updatedReplicas"), .type = &schema_int32, .pb = 3, .doc = STR_INIT("Pods made from the current template.")},
    {.name = STR_INIT("readyReplicas"), .type = &schema_int32, .pb = 7, .doc = STR_INIT("Pods that are ready.")},
    {.name = STR_INIT("availableReplicas"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Pods that have been ready for minReadySeconds or longer.")},
    {.name = STR_INIT("unavailableReplicas"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Pods still missing until all that are wanted are available.")},
    {.name = STR_INIT("terminatingReplicas"), .type = &schema_int32, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods being stopped that are not gone yet; absent if not counted.")},
    {.name = STR_INIT("conditions"), .type = &list_DeploymentCondition_map_type, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("collisionCount"), .type = &schema_int32, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name clashes met while naming revisions; used for hashing.")}};
static const uint8_t index_DeploymentStatus[32] = {0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 6, 0, 7, 0, 0, 5, 9, 8, 0, 0, 0, 0, 2, 0, 0, 0};
const struct schema_type schema_apps_v1_DeploymentStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentStatus"), .openapi = STR_INIT("io.k8s.api.apps.v1.DeploymentStatus"), .doc = STR_INIT("How many pods there are, and how the rollout is doing."), .fields = fields_DeploymentStatus, .nfields = 9, .index8 = index_DeploymentStatus, .index_mask = 31};

static const struct schema_field fields_DeploymentCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Available, Progressing or ReplicaFailure.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastUpdateTime"), .type = &schema_time, .pb = 6, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the condition was last refreshed.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 7, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_DeploymentCondition[16] = {0, 3, 0, 0, 6, 0, 0, 4, 0, 5, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_apps_v1_DeploymentCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentCondition"), .openapi = STR_INIT("io.k8s.api.apps.v1.DeploymentCondition"), .doc = STR_INIT("One aspect of a deployment's state."), .fields = fields_DeploymentCondition, .nfields = 6, .index8 = index_DeploymentCondition, .index_mask = 15};

static const struct schema_field fields_DaemonSetUpdateStrategy[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"RollingUpdate\""), .doc = STR_INIT("RollingUpdate replaces pods by itself; OnDelete waits until you delete them."), .rules = &rules_enums_RollingUpdate_OnDelete},
    {.name = STR_INIT("rollingUpdate"), .type = &schema_apps_v1_RollingUpdateDaemonSet, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings of type RollingUpdate; ignored otherwise.")}};
const struct schema_type schema_apps_v1_DaemonSetUpdateStrategy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSetUpdateStrategy"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSetUpdateStrategy"), .doc = STR_INIT("How pods are replaced when the template changes."), .fields = fields_DaemonSetUpdateStrategy, .nfields = 2};

static const struct schema_field fields_RollingUpdateDaemonSet[2] = {
    {.name = STR_INIT("maxUnavailable"), .type = &schema_int_or_string, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Nodes that may lack a pod, as number or percentage; 1 when absent.")},
    {.name = STR_INIT("maxSurge"), .type = &schema_int_or_string, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("0"), .doc = STR_INIT("Nodes that may run old and new pod together; 0 when absent.")}};
const struct schema_type schema_apps_v1_RollingUpdateDaemonSet = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RollingUpdateDaemonSet"), .openapi = STR_INIT("io.k8s.api.apps.v1.RollingUpdateDaemonSet"), .doc = STR_INIT("Settings of a rolling update of a daemon set."), .fields = fields_RollingUpdateDaemonSet, .nfields = 2};

static const struct schema_field fields_DaemonSetSpec[5] = {
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Pods it manages; must match the template's labels, cannot change.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the pods that are made.")},
    {.name = STR_INIT("updateStrategy"), .type = &schema_apps_v1_DaemonSetUpdateStrategy, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("How pods are replaced when the template changes.")},
    {.name = STR_INIT("minReadySeconds"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Seconds a pod must be ready to count as available; 0 when absent.")},
    {.name = STR_INIT("revisionHistoryLimit"), .type = &schema_int32, .pb = 6, .flags = SCHEMA_POINTER, .dflt = STR_INIT("10"), .doc = STR_INIT("Old revisions to keep for rollback; 10 when absent.")}};
static const uint8_t index_DaemonSetSpec[16] = {0, 0, 0, 4, 5, 0, 0, 0, 0, 3, 0, 2, 1, 0, 0, 0};
const struct schema_type schema_apps_v1_DaemonSetSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSetSpec"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSetSpec"), .doc = STR_INIT("Which pod to run on the nodes."), .fields = fields_DaemonSetSpec, .nfields = 5, .index8 = index_DaemonSetSpec, .index_mask = 15};

static const struct schema_field fields_DaemonSetStatus[10] = {
    {.name = STR_INIT("currentNumberScheduled"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Nodes that should run the pod and do.")},
    {.name = STR_INIT("numberMisscheduled"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Nodes that run the pod but should not.")},
    {.name = STR_INIT("desiredNumberScheduled"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Nodes that should run the pod.")},
    {.name = STR_INIT("numberReady"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Nodes that should run the pod and have a ready one.")},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 5, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("updatedNumberScheduled"), .type = &schema_int32, .pb = 6, .doc = STR_INIT("Nodes whose pod comes from the current template.")},
    {.name = STR_INIT("numberAvailable"), .type = &schema_int32, .pb = 7, .doc = STR_INIT("Nodes whose pod is ready for at least minReadySeconds.")},
    {.name = STR_INIT("numberUnavailable"), .type = &schema_int32, .pb = 8, .doc = STR_INIT("Nodes that should have an available pod but do not.")},
    {.name = STR_INIT("collisionCount"), .type = &schema_int32, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name clashes met while naming revisions; used for hashing.")},
    {.name = STR_INIT("conditions"), .type = &list_DaemonSetCondition_map_type, .pb = 10, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
static const uint8_t index_DaemonSetStatus[32] = {0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 8, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 4, 10, 0, 0, 3, 6, 0, 0, 0};
const struct schema_type schema_apps_v1_DaemonSetStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSetStatus"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSetStatus"), .doc = STR_INIT("On how many nodes the pod runs."), .fields = fields_DaemonSetStatus, .nfields = 10, .index8 = index_DaemonSetStatus, .index_mask = 31};

static const struct schema_field fields_DaemonSetCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the aspect, in CamelCase.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_DaemonSetCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_apps_v1_DaemonSetCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSetCondition"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSetCondition"), .doc = STR_INIT("One aspect of a daemon set's state."), .fields = fields_DaemonSetCondition, .nfields = 5, .index8 = index_DaemonSetCondition, .index_mask = 15};

static const struct schema_field fields_DaemonSet[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_apps_v1_DaemonSetSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_apps_v1_DaemonSetStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_DaemonSet[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_apps_v1_DaemonSet = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSet"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSet"), .doc = STR_INIT("Runs one pod on each matching node."), .fields = fields_DaemonSet, .nfields = 5, .index8 = index_DaemonSet, .index_mask = 15};

static const struct schema_field fields_ReplicaSet[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_apps_v1_ReplicaSetSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_apps_v1_ReplicaSetStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_ReplicaSet[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_apps_v1_ReplicaSet = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicaSet"), .openapi = STR_INIT("io.k8s.api.apps.v1.ReplicaSet"), .doc = STR_INIT("Keeps a number of equal pods running."), .fields = fields_ReplicaSet, .nfields = 5, .index8 = index_ReplicaSet, .index_mask = 15};

static const struct schema_field fields_ReplicaSetSpec[4] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Number of pods wanted; 1 when absent.")},
    {.name = STR_INIT("minReadySeconds"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Seconds a pod must be ready to count as available; 0 when absent.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Pods it manages; must match the template's labels, cannot change.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Blueprint of the pods that are made.")}};
const struct schema_type schema_apps_v1_ReplicaSetSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicaSetSpec"), .openapi = STR_INIT("io.k8s.api.apps.v1.ReplicaSetSpec"), .doc = STR_INIT("Which pods to keep, and how many."), .fields = fields_ReplicaSetSpec, .nfields = 4};

static const struct schema_field fields_ReplicaSetStatus[7] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number of pods seen; terminating ones are left out.")},
    {.name = STR_INIT("fullyLabeledReplicas"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Pods that have all labels of the template.")},
    {.name = STR_INIT("readyReplicas"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Pods that are ready.")},
    {.name = STR_INIT("availableReplicas"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Pods that have been ready for minReadySeconds or longer.")},
    {.name = STR_INIT("terminatingReplicas"), .type = &schema_int32, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods being stopped that are not gone yet; absent if not counted.")},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 3, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("conditions"), .type = &list_ReplicaSetCondition_map_type, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
static const uint8_t index_ReplicaSetStatus[16] = {0, 3, 5, 0, 0, 4, 0, 2, 7, 0, 0, 6, 1, 0, 0, 0};
const struct schema_type schema_apps_v1_ReplicaSetStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicaSetStatus"), .openapi = STR_INIT("io.k8s.api.apps.v1.ReplicaSetStatus"), .doc = STR_INIT("How many pods there are."), .fields = fields_ReplicaSetStatus, .nfields = 7, .index8 = index_ReplicaSetStatus, .index_mask = 15};

static const struct schema_field fields_ReplicaSetCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as ReplicaFailure.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_ReplicaSetCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_apps_v1_ReplicaSetCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicaSetCondition"), .openapi = STR_INIT("io.k8s.api.apps.v1.ReplicaSetCondition"), .doc = STR_INIT("One aspect of a replica set's state."), .fields = fields_ReplicaSetCondition, .nfields = 5, .index8 = index_ReplicaSetCondition, .index_mask = 15};

static const struct schema_field fields_ControllerRevision[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("data"), .type = &schema_raw_object, .pb = 2, .flags = SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("The snapshot; its form is up to the owner.")},
    {.name = STR_INIT("revision"), .type = &schema_int64, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number of the revision; higher is newer.")}};
static const uint8_t index_ControllerRevision[16] = {3, 0, 0, 2, 0, 4, 0, 0, 5, 1, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_apps_v1_ControllerRevision = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ControllerRevision"), .openapi = STR_INIT("io.k8s.api.apps.v1.ControllerRevision"), .doc = STR_INIT("An immutable snapshot of a workload template, kept for rollback."), .fields = fields_ControllerRevision, .nfields = 5, .index8 = index_ControllerRevision, .index_mask = 15};

static const struct schema_field fields_ControllerRevisionList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ControllerRevision, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apps_v1_ControllerRevisionList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ControllerRevisionList"), .openapi = STR_INIT("io.k8s.api.apps.v1.ControllerRevisionList"), .doc = STR_INIT("A list of controllerrevisions."), .fields = fields_ControllerRevisionList, .nfields = 4};

static const struct schema_field fields_DaemonSetList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DaemonSet, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apps_v1_DaemonSetList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonSetList"), .openapi = STR_INIT("io.k8s.api.apps.v1.DaemonSetList"), .doc = STR_INIT("A list of daemonsets."), .fields = fields_DaemonSetList, .nfields = 4};

static const struct schema_field fields_DeploymentList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Deployment, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apps_v1_DeploymentList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentList"), .openapi = STR_INIT("io.k8s.api.apps.v1.DeploymentList"), .doc = STR_INIT("A list of deployments."), .fields = fields_DeploymentList, .nfields = 4};

static const struct schema_field fields_ReplicaSetList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ReplicaSet, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apps_v1_ReplicaSetList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicaSetList"), .openapi = STR_INIT("io.k8s.api.apps.v1.ReplicaSetList"), .doc = STR_INIT("A list of replicasets."), .fields = fields_ReplicaSetList, .nfields = 4};

static const struct schema_field fields_StatefulSetList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_StatefulSet, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apps_v1_StatefulSetList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StatefulSetList"), .openapi = STR_INIT("io.k8s.api.apps.v1.StatefulSetList"), .doc = STR_INIT("A list of statefulsets."), .fields = fields_StatefulSetList, .nfields = 4};

static const struct api_column columns_ControllerRevision[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Controller"), .type = STR_INIT("string"), .doc = STR_INIT("Workload it belongs to."), .cell = STR_INIT("controller_revision_controller")},
    {.name = STR_INIT("Revision"), .type = STR_INIT("string"), .doc = STR_INIT("Number of the revision."), .json_path = STR_INIT(".revision")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_apps_v1_controllerrevisions = {
    .group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("ControllerRevision"),
    .list_kind = STR_INIT("ControllerRevisionList"), .plural = STR_INIT("controllerrevisions"), .singular = STR_INIT("controllerrevision"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_apps_v1_ControllerRevision,
    .columns = columns_ControllerRevision, .ncolumns = 4,
    .storage_group = STR_INIT("apps"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_DaemonSet[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("DaemonSet"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_apps_v1_DaemonSet}};
static const struct api_column columns_DaemonSet[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Desired"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes that should run the pod."), .json_path = STR_INIT(".status.desiredNumberScheduled")},
    {.name = STR_INIT("Current"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes that run the pod."), .json_path = STR_INIT(".status.currentNumberScheduled")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes with a ready pod."), .json_path = STR_INIT(".status.numberReady")},
    {.name = STR_INIT("Up-to-date"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes with a pod of the newest template."), .json_path = STR_INIT(".status.updatedNumberScheduled")},
    {.name = STR_INIT("Available"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes with an available pod."), .json_path = STR_INIT(".status.numberAvailable")},
    {.name = STR_INIT("Node Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels a node must have."), .cell = STR_INIT("daemon_set_node_selector")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("selector"), .priority = 1}};
const struct api_resource api_apps_v1_daemonsets = {
    .group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("DaemonSet"),
    .list_kind = STR_INIT("DaemonSetList"), .plural = STR_INIT("daemonsets"), .singular = STR_INIT("daemonset"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_apps_v1_DaemonSet,
    .short_names = short_names_ds, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_DaemonSet, .nsubs = 1,
    .columns = columns_DaemonSet, .ncolumns = 11,
    .storage_group = STR_INIT("apps"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Deployment[] = {
    {.name = STR_INIT("scale"), .kind = STR_INIT("Scale"), .group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v1_Scale},
    {.name = STR_INIT("status"), .kind = STR_INIT("Deployment"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_apps_v1_Deployment}};
static const struct api_column columns_Deployment[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("string"), .doc = STR_INIT("Ready pods of those wanted."), .cell = STR_INIT("deployment_ready")},
    {.name = STR_INIT("Up-to-date"), .type = STR_INIT("string"), .doc = STR_INIT("Pods of the newest template."), .cell = STR_INIT("deployment_up_to_date")},
    {.name = STR_INIT("Available"), .type = STR_INIT("string"), .doc = STR_INIT("Pods ready for long enough."), .cell = STR_INIT("deployment_available")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("selector"), .priority = 1}};
const struct api_resource api_apps_v1_deployments = {
    .group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("Deployment"),
    .list_kind = STR_INIT("DeploymentList"), .plural = STR_INIT("deployments"), .singular = STR_INIT("deployment"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_apps_v1_Deployment,
    .short_names = short_names_deploy, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_Deployment, .nsubs = 2,
    .columns = columns_Deployment, .ncolumns = 8,
    .storage_group = STR_INIT("apps"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_ReplicaSet[] = {
    {.name = STR_INIT("scale"), .kind = STR_INIT("Scale"), .group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v1_Scale},
    {.name = STR_INIT("status"), .kind = STR_INIT("ReplicaSet"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_apps_v1_ReplicaSet}};
static const struct api_column columns_ReplicaSet[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Desired"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods wanted."), .json_path = STR_INIT(".spec.replicas")},
    {.name = STR_INIT("Current"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that exist."), .json_path = STR_INIT(".status.replicas")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that are ready."), .json_path = STR_INIT(".status.readyReplicas")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("selector"), .priority = 1}};
const struct api_resource api_apps_v1_replicasets = {
    .group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("ReplicaSet"),
    .list_kind = STR_INIT("ReplicaSetList"), .plural = STR_INIT("replicasets"), .singular = STR_INIT("replicaset"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_apps_v1_ReplicaSet,
    .short_names = short_names_rs, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_ReplicaSet, .nsubs = 2,
    .columns = columns_ReplicaSet, .ncolumns = 8,
    .storage_group = STR_INIT("apps"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_StatefulSet[] = {
    {.name = STR_INIT("scale"), .kind = STR_INIT("Scale"), .group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v1_Scale},
    {.name = STR_INIT("status"), .kind = STR_INIT("StatefulSet"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_apps_v1_StatefulSet}};
static const struct api_column columns_StatefulSet[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("string"), .doc = STR_INIT("Ready pods of those wanted."), .cell = STR_INIT("stateful_set_ready")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1}};
const struct api_resource api_apps_v1_statefulsets = {
    .group = STR_INIT("apps"), .version = STR_INIT("v1"), .kind = STR_INIT("StatefulSet"),
    .list_kind = STR_INIT("StatefulSetList"), .plural = STR_INIT("statefulsets"), .singular = STR_INIT("statefulset"),
    .name_rule = API_NAME_DNS_LABEL, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_apps_v1_StatefulSet,
    .short_names = short_names_sts, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_StatefulSet, .nsubs = 2,
    .columns = columns_StatefulSet, .ncolumns = 5,
    .storage_group = STR_INIT("apps"), .storage_version = STR_INIT("v1")};

