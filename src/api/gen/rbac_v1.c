/* rbac_v1.c: written by tools/gen_api.py from api/rbac_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_PolicyRule = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_PolicyRule};
static const struct schema_type list_Subject = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_Subject};
static const struct schema_type list_meta_v1_LabelSelector = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_LabelSelector};
static const struct schema_type list_ClusterRoleBinding = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_ClusterRoleBinding};
static const struct schema_type list_ClusterRole = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_ClusterRole};
static const struct schema_type list_RoleBinding = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_RoleBinding};
static const struct schema_type list_Role = {.kind = SCHEMA_LIST, .elem = &schema_rbac_v1_Role};
static const struct schema_field fields_PolicyRule[5] = {
    {.name = STR_INIT("verbs"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operations allowed, such as get or list; * means all.")},
    {.name = STR_INIT("apiGroups"), .type = &list_string, .pb = 2, .doc = STR_INIT("API groups of the resources; \"\" is the core group, * all.")},
    {.name = STR_INIT("resources"), .type = &list_string, .pb = 3, .doc = STR_INIT("Resources, such as pods or pods/log; * means all.")},
    {.name = STR_INIT("resourceNames"), .type = &list_string, .pb = 4, .doc = STR_INIT("Only objects with these names; absent means any name.")},
    {.name = STR_INIT("nonResourceURLs"), .type = &list_string, .pb = 5, .doc = STR_INIT("URL paths such as /healthz; * may end one. Cluster roles only.")}};
static const uint8_t index_PolicyRule[16] = {0, 0, 3, 0, 0, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 4};
const struct schema_type schema_rbac_v1_PolicyRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PolicyRule"), .openapi = STR_INIT("io.k8s.api.rbac.v1.PolicyRule"), .doc = STR_INIT("Verbs that are allowed on resources or paths."), .fields = fields_PolicyRule, .nfields = 5, .index8 = index_PolicyRule, .index_mask = 15};

static const struct schema_field fields_Subject[4] = {
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("User, Group or ServiceAccount.")},
    {.name = STR_INIT("apiGroup"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Empty for service accounts; rbac.authorization.k8s.io for users and groups.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the user, group or service account.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Namespace of the service account; empty for users and groups.")}};
const struct schema_type schema_rbac_v1_Subject = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Subject"), .openapi = STR_INIT("io.k8s.api.rbac.v1.Subject"), .doc = STR_INIT("A user, group or service account."), .atomic = true, .fields = fields_Subject, .nfields = 4};

static const struct schema_field fields_RoleRef[3] = {
    {.name = STR_INIT("apiGroup"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .dflt = STR_INIT("\"rbac.authorization.k8s.io\""), .doc = STR_INIT("API group of roles: always rbac.authorization.k8s.io.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Role or ClusterRole; cluster bindings take only ClusterRole.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the role.")}};
const struct schema_type schema_rbac_v1_RoleRef = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RoleRef"), .openapi = STR_INIT("io.k8s.api.rbac.v1.RoleRef"), .doc = STR_INIT("The role that is granted."), .atomic = true, .fields = fields_RoleRef, .nfields = 3};

static const struct schema_field fields_Role[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("rules"), .type = &list_PolicyRule, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the role allows.")}};
const struct schema_type schema_rbac_v1_Role = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Role"), .openapi = STR_INIT("io.k8s.api.rbac.v1.Role"), .doc = STR_INIT("Permissions in one namespace."), .fields = fields_Role, .nfields = 4};

static const struct schema_field fields_RoleBinding[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("subjects"), .type = &list_Subject, .pb = 2, .doc = STR_INIT("Who is granted the role.")},
    {.name = STR_INIT("roleRef"), .type = &schema_rbac_v1_RoleRef, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Role that is granted; cannot change later.")}};
static const uint8_t index_RoleBinding[16] = {3, 0, 0, 2, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0};
const struct schema_type schema_rbac_v1_RoleBinding = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RoleBinding"), .openapi = STR_INIT("io.k8s.api.rbac.v1.RoleBinding"), .doc = STR_INIT("Grants a role in one namespace."), .fields = fields_RoleBinding, .nfields = 5, .index8 = index_RoleBinding, .index_mask = 15};

static const struct schema_field fields_ClusterRole[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("rules"), .type = &list_PolicyRule, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the role allows.")},
    {.name = STR_INIT("aggregationRule"), .type = &schema_rbac_v1_AggregationRule, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Fills rules from other cluster roles; your own rules are overwritten.")}};
static const uint8_t index_ClusterRole[16] = {3, 4, 0, 2, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_rbac_v1_ClusterRole = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterRole"), .openapi = STR_INIT("io.k8s.api.rbac.v1.ClusterRole"), .doc = STR_INIT("Permissions that hold in the whole cluster."), .fields = fields_ClusterRole, .nfields = 5, .index8 = index_ClusterRole, .index_mask = 15};

static const struct schema_field fields_AggregationRule[1] = {
    {.name = STR_INIT("clusterRoleSelectors"), .type = &list_meta_v1_LabelSelector, .pb = 1, .doc = STR_INIT("Labels of the cluster roles to join; matching one selector is enough.")}};
const struct schema_type schema_rbac_v1_AggregationRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AggregationRule"), .openapi = STR_INIT("io.k8s.api.rbac.v1.AggregationRule"), .doc = STR_INIT("Cluster roles whose rules are joined into this one."), .fields = fields_AggregationRule, .nfields = 1};

static const struct schema_field fields_ClusterRoleBinding[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("subjects"), .type = &list_Subject, .pb = 2, .doc = STR_INIT("Who is granted the role.")},
    {.name = STR_INIT("roleRef"), .type = &schema_rbac_v1_RoleRef, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Role that is granted; cannot change later.")}};
static const uint8_t index_ClusterRoleBinding[16] = {3, 0, 0, 2, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5, 0};
const struct schema_type schema_rbac_v1_ClusterRoleBinding = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterRoleBinding"), .openapi = STR_INIT("io.k8s.api.rbac.v1.ClusterRoleBinding"), .doc = STR_INIT("Grants a cluster role everywhere."), .fields = fields_ClusterRoleBinding, .nfields = 5, .index8 = index_ClusterRoleBinding, .index_mask = 15};

static const struct schema_field fields_ClusterRoleBindingList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ClusterRoleBinding, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_rbac_v1_ClusterRoleBindingList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterRoleBindingList"), .openapi = STR_INIT("io.k8s.api.rbac.v1.ClusterRoleBindingList"), .doc = STR_INIT("A list of clusterrolebindings."), .fields = fields_ClusterRoleBindingList, .nfields = 4};

static const struct schema_field fields_ClusterRoleList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ClusterRole, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_rbac_v1_ClusterRoleList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterRoleList"), .openapi = STR_INIT("io.k8s.api.rbac.v1.ClusterRoleList"), .doc = STR_INIT("A list of clusterroles."), .fields = fields_ClusterRoleList, .nfields = 4};

static const struct schema_field fields_RoleBindingList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_RoleBinding, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_rbac_v1_RoleBindingList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RoleBindingList"), .openapi = STR_INIT("io.k8s.api.rbac.v1.RoleBindingList"), .doc = STR_INIT("A list of rolebindings."), .fields = fields_RoleBindingList, .nfields = 4};

static const struct schema_field fields_RoleList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Role, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_rbac_v1_RoleList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RoleList"), .openapi = STR_INIT("io.k8s.api.rbac.v1.RoleList"), .doc = STR_INIT("A list of roles."), .fields = fields_RoleList, .nfields = 4};

static const struct api_column columns_ClusterRoleBinding[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Role"), .type = STR_INIT("string"), .doc = STR_INIT("Kind and name of the granted role."), .cell = STR_INIT("cluster_role_binding_role")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Users"), .type = STR_INIT("string"), .doc = STR_INIT("Users who hold the role."), .cell = STR_INIT("cluster_role_binding_users"), .priority = 1},
    {.name = STR_INIT("Groups"), .type = STR_INIT("string"), .doc = STR_INIT("Groups that hold the role."), .cell = STR_INIT("cluster_role_binding_groups"), .priority = 1},
    {.name = STR_INIT("ServiceAccounts"), .type = STR_INIT("string"), .doc = STR_INIT("Service accounts that hold the role."), .cell = STR_INIT("cluster_role_binding_service_accounts"), .priority = 1}};
const struct api_resource api_rbac_v1_clusterrolebindings = {
    .group = STR_INIT("rbac.authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("ClusterRoleBinding"),
    .list_kind = STR_INIT("ClusterRoleBindingList"), .plural = STR_INIT("clusterrolebindings"), .singular = STR_INIT("clusterrolebinding"),
    .name_rule = API_NAME_PATH_SEGMENT, .flags = API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_rbac_v1_ClusterRoleBinding,
    .columns = columns_ClusterRoleBinding, .ncolumns = 6,
    .storage_group = STR_INIT("rbac.authorization.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_ClusterRole[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Created At"), .type = STR_INIT("date"), .doc = STR_INIT("When the object was created."), .json_path = STR_INIT(".metadata.creationTimestamp")}};
const struct api_resource api_rbac_v1_clusterroles = {
    .group = STR_INIT("rbac.authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("ClusterRole"),
    .list_kind = STR_INIT("ClusterRoleList"), .plural = STR_INIT("clusterroles"), .singular = STR_INIT("clusterrole"),
    .name_rule = API_NAME_PATH_SEGMENT, .flags = API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_rbac_v1_ClusterRole,
    .columns = columns_ClusterRole, .ncolumns = 2,
    .storage_group = STR_INIT("rbac.authorization.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_RoleBinding[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Role"), .type = STR_INIT("string"), .doc = STR_INIT("Kind and name of the granted role."), .cell = STR_INIT("role_binding_role")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Users"), .type = STR_INIT("string"), .doc = STR_INIT("Users who hold the role."), .cell = STR_INIT("role_binding_users"), .priority = 1},
    {.name = STR_INIT("Groups"), .type = STR_INIT("string"), .doc = STR_INIT("Groups that hold the role."), .cell = STR_INIT("role_binding_groups"), .priority = 1},
    {.name = STR_INIT("ServiceAccounts"), .type = STR_INIT("string"), .doc = STR_INIT("Service accounts that hold the role."), .cell = STR_INIT("role_binding_service_accounts"), .priority = 1}};
const struct api_resource api_rbac_v1_rolebindings = {
    .group = STR_INIT("rbac.authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("RoleBinding"),
    .list_kind = STR_INIT("RoleBindingList"), .plural = STR_INIT("rolebindings"), .singular = STR_INIT("rolebinding"),
    .name_rule = API_NAME_PATH_SEGMENT, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_rbac_v1_RoleBinding,
    .columns = columns_RoleBinding, .ncolumns = 6,
    .storage_group = STR_INIT("rbac.authorization.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_Role[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Created At"), .type = STR_INIT("date"), .doc = STR_INIT("When the object was created."), .json_path = STR_INIT(".metadata.creationTimestamp")}};
const struct api_resource api_rbac_v1_roles = {
    .group = STR_INIT("rbac.authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("Role"),
    .list_kind = STR_INIT("RoleList"), .plural = STR_INIT("roles"), .singular = STR_INIT("role"),
    .name_rule = API_NAME_PATH_SEGMENT, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_rbac_v1_Role,
    .columns = columns_Role, .ncolumns = 2,
    .storage_group = STR_INIT("rbac.authorization.k8s.io"), .storage_version = STR_INIT("v1")};

