/* authorization_v1.c: written by tools/gen_api.py from api/authorization_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_meta_v1_LabelSelectorRequirement = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_LabelSelectorRequirement};
static const struct schema_type list_meta_v1_FieldSelectorRequirement = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_FieldSelectorRequirement};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type map_list_string = {.kind = SCHEMA_MAP, .elem = &list_string};
static const struct schema_type list_ResourceRule = {.kind = SCHEMA_LIST, .elem = &schema_authorization_v1_ResourceRule};
static const struct schema_type list_NonResourceRule = {.kind = SCHEMA_LIST, .elem = &schema_authorization_v1_NonResourceRule};
static const struct schema_field fields_SubjectAccessReview[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authorization_v1_SubjectAccessReviewSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authorization_v1_SubjectAccessReviewStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_SubjectAccessReview[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authorization_v1_SubjectAccessReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SubjectAccessReview"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SubjectAccessReview"), .doc = STR_INIT("Asks whether a user may do something."), .fields = fields_SubjectAccessReview, .nfields = 5, .index8 = index_SubjectAccessReview, .index_mask = 15};

static const struct schema_field fields_SelfSubjectAccessReview[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authorization_v1_SelfSubjectAccessReviewSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authorization_v1_SubjectAccessReviewStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_SelfSubjectAccessReview[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authorization_v1_SelfSubjectAccessReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectAccessReview"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SelfSubjectAccessReview"), .doc = STR_INIT("Asks whether the caller may do something."), .fields = fields_SelfSubjectAccessReview, .nfields = 5, .index8 = index_SelfSubjectAccessReview, .index_mask = 15};

static const struct schema_field fields_LocalSubjectAccessReview[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authorization_v1_SubjectAccessReviewSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authorization_v1_SubjectAccessReviewStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_LocalSubjectAccessReview[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authorization_v1_LocalSubjectAccessReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LocalSubjectAccessReview"), .openapi = STR_INIT("io.k8s.api.authorization.v1.LocalSubjectAccessReview"), .doc = STR_INIT("Asks whether a user may do something in one namespace."), .fields = fields_LocalSubjectAccessReview, .nfields = 5, .index8 = index_LocalSubjectAccessReview, .index_mask = 15};

static const struct schema_field fields_ResourceAttributes[9] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Namespace of the request; empty: cluster-wide resources, or all namespaces.")},
    {.name = STR_INIT("verb"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Operation, such as get or create; * means all.")},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 3, .doc = STR_INIT("API group; \"\" is the core group, * all.")},
    {.name = STR_INIT("version"), .type = &schema_string, .pb = 4, .doc = STR_INIT("API version; * means all.")},
    {.name = STR_INIT("resource"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Resource, such as pods; * means all.")},
    {.name = STR_INIT("subresource"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Subresource, such as log; empty for the object itself.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Name of the object; empty means all.")},
    {.name = STR_INIT("fieldSelector"), .type = &schema_authorization_v1_FieldSelectorAttributes, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Field selector that narrows a list or watch.")},
    {.name = STR_INIT("labelSelector"), .type = &schema_authorization_v1_LabelSelectorAttributes, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Label selector that narrows a list or watch.")}};
static const uint8_t index_ResourceAttributes[32] = {1, 2, 0, 0, 0, 6, 7, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 9, 5, 0, 4, 0, 0, 0, 0, 0, 0, 8, 0};
const struct schema_type schema_authorization_v1_ResourceAttributes = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceAttributes"), .openapi = STR_INIT("io.k8s.api.authorization.v1.ResourceAttributes"), .doc = STR_INIT("A request for a resource, to be judged."), .fields = fields_ResourceAttributes, .nfields = 9, .index8 = index_ResourceAttributes, .index_mask = 31};

static const struct schema_field fields_LabelSelectorAttributes[2] = {
    {.name = STR_INIT("rawSelector"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Selector as text, as in a URL; excludes requirements.")},
    {.name = STR_INIT("requirements"), .type = &list_meta_v1_LabelSelectorRequirement, .pb = 2, .doc = STR_INIT("Selector in parsed form; all conditions hold. Excludes rawSelector.")}};
const struct schema_type schema_authorization_v1_LabelSelectorAttributes = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LabelSelectorAttributes"), .openapi = STR_INIT("io.k8s.api.authorization.v1.LabelSelectorAttributes"), .doc = STR_INIT("Label selector of the request to be judged."), .fields = fields_LabelSelectorAttributes, .nfields = 2};

static const struct schema_field fields_FieldSelectorAttributes[2] = {
    {.name = STR_INIT("rawSelector"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Selector as text, as in a URL; excludes requirements.")},
    {.name = STR_INIT("requirements"), .type = &list_meta_v1_FieldSelectorRequirement, .pb = 2, .doc = STR_INIT("Selector in parsed form; all conditions hold. Excludes rawSelector.")}};
const struct schema_type schema_authorization_v1_FieldSelectorAttributes = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FieldSelectorAttributes"), .openapi = STR_INIT("io.k8s.api.authorization.v1.FieldSelectorAttributes"), .doc = STR_INIT("Field selector of the request to be judged."), .fields = fields_FieldSelectorAttributes, .nfields = 2};

static const struct schema_field fields_NonResourceAttributes[2] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .doc = STR_INIT("URL path, such as /healthz.")},
    {.name = STR_INIT("verb"), .type = &schema_string, .pb = 2, .doc = STR_INIT("HTTP method in lower case, such as get.")}};
const struct schema_type schema_authorization_v1_NonResourceAttributes = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NonResourceAttributes"), .openapi = STR_INIT("io.k8s.api.authorization.v1.NonResourceAttributes"), .doc = STR_INIT("A request for a path, to be judged."), .fields = fields_NonResourceAttributes, .nfields = 2};

static const struct schema_field fields_SubjectAccessReviewSpec[6] = {
    {.name = STR_INIT("resourceAttributes"), .type = &schema_authorization_v1_ResourceAttributes, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("The request, if it is for a resource.")},
    {.name = STR_INIT("nonResourceAttributes"), .type = &schema_authorization_v1_NonResourceAttributes, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("The request, if it is for another path.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 3, .doc = STR_INIT("User in question; user or groups must be given.")},
    {.name = STR_INIT("groups"), .type = &list_string, .pb = 4, .doc = STR_INIT("Groups of the user.")},
    {.name = STR_INIT("extra"), .type = &map_list_string, .pb = 5, .doc = STR_INIT("Further facts about the user, as the authenticator gives them.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Id of the user.")}};
static const uint8_t index_SubjectAccessReviewSpec[16] = {0, 0, 3, 0, 1, 0, 0, 0, 0, 2, 5, 0, 0, 4, 6, 0};
const struct schema_type schema_authorization_v1_SubjectAccessReviewSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SubjectAccessReviewSpec"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SubjectAccessReviewSpec"), .doc = STR_INIT("Who wants to do what."), .fields = fields_SubjectAccessReviewSpec, .nfields = 6, .index8 = index_SubjectAccessReviewSpec, .index_mask = 15};

static const struct schema_field fields_SelfSubjectAccessReviewSpec[2] = {
    {.name = STR_INIT("resourceAttributes"), .type = &schema_authorization_v1_ResourceAttributes, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("The request, if it is for a resource.")},
    {.name = STR_INIT("nonResourceAttributes"), .type = &schema_authorization_v1_NonResourceAttributes, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("The request, if it is for another path.")}};
const struct schema_type schema_authorization_v1_SelfSubjectAccessReviewSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectAccessReviewSpec"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec"), .doc = STR_INIT("What the caller wants to do."), .fields = fields_SelfSubjectAccessReviewSpec, .nfields = 2};

static const struct schema_field fields_SubjectAccessReviewStatus[4] = {
    {.name = STR_INIT("allowed"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True if the request would be allowed.")},
    {.name = STR_INIT("denied"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True if it is explicitly forbidden, not merely unmentioned.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Why it was decided so, for people.")},
    {.name = STR_INIT("evaluationError"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Failure while judging; the decision may still stand.")}};
const struct schema_type schema_authorization_v1_SubjectAccessReviewStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SubjectAccessReviewStatus"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SubjectAccessReviewStatus"), .doc = STR_INIT("Whether it is allowed, and why."), .fields = fields_SubjectAccessReviewStatus, .nfields = 4};

static const struct schema_field fields_SelfSubjectRulesReview[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authorization_v1_SelfSubjectRulesReviewSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authorization_v1_SubjectRulesReviewStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_SelfSubjectRulesReview[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authorization_v1_SelfSubjectRulesReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectRulesReview"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SelfSubjectRulesReview"), .doc = STR_INIT("Lists what the caller may do in a namespace."), .fields = fields_SelfSubjectRulesReview, .nfields = 5, .index8 = index_SelfSubjectRulesReview, .index_mask = 15};

static const struct schema_field fields_SelfSubjectRulesReviewSpec[1] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Namespace to list permissions for.")}};
const struct schema_type schema_authorization_v1_SelfSubjectRulesReviewSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectRulesReviewSpec"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec"), .doc = STR_INIT("The namespace in question."), .fields = fields_SelfSubjectRulesReviewSpec, .nfields = 1};

static const struct schema_field fields_SubjectRulesReviewStatus[4] = {
    {.name = STR_INIT("resourceRules"), .type = &list_ResourceRule, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operations allowed on resources.")},
    {.name = STR_INIT("nonResourceRules"), .type = &list_NonResourceRule, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operations allowed on other paths.")},
    {.name = STR_INIT("incomplete"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True if more may be allowed than is listed.")},
    {.name = STR_INIT("evaluationError"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Why the list is incomplete.")}};
const struct schema_type schema_authorization_v1_SubjectRulesReviewStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SubjectRulesReviewStatus"), .openapi = STR_INIT("io.k8s.api.authorization.v1.SubjectRulesReviewStatus"), .doc = STR_INIT("What is allowed, as far as it can be listed."), .fields = fields_SubjectRulesReviewStatus, .nfields = 4};

static const struct schema_field fields_ResourceRule[4] = {
    {.name = STR_INIT("verbs"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operations allowed, such as get or list; * means all.")},
    {.name = STR_INIT("apiGroups"), .type = &list_string, .pb = 2, .doc = STR_INIT("API groups of the resources; \"\" is the core group, * all.")},
    {.name = STR_INIT("resources"), .type = &list_string, .pb = 3, .doc = STR_INIT("Resources, such as pods or pods/log; * means all.")},
    {.name = STR_INIT("resourceNames"), .type = &list_string, .pb = 4, .doc = STR_INIT("Only objects with these names; absent means any name.")}};
const struct schema_type schema_authorization_v1_ResourceRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceRule"), .openapi = STR_INIT("io.k8s.api.authorization.v1.ResourceRule"), .doc = STR_INIT("Verbs allowed on resources."), .fields = fields_ResourceRule, .nfields = 4};

static const struct schema_field fields_NonResourceRule[2] = {
    {.name = STR_INIT("verbs"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("HTTP methods allowed, in lower case; * means all.")},
    {.name = STR_INIT("nonResourceURLs"), .type = &list_string, .pb = 2, .doc = STR_INIT("URL paths, such as /healthz; * may end one.")}};
const struct schema_type schema_authorization_v1_NonResourceRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NonResourceRule"), .openapi = STR_INIT("io.k8s.api.authorization.v1.NonResourceRule"), .doc = STR_INIT("Verbs allowed on paths."), .fields = fields_NonResourceRule, .nfields = 2};

const struct api_resource api_authorization_v1_localsubjectaccessreviews = {
    .group = STR_INIT("authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("LocalSubjectAccessReview"),
    .list_kind = STR_INIT("LocalSubjectAccessReviewList"), .plural = STR_INIT("localsubjectaccessreviews"), .singular = STR_INIT("localsubjectaccessreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authorization_v1_LocalSubjectAccessReview,
    .storage_group = STR_INIT("authorization.k8s.io"), .storage_version = STR_INIT("v1")};

const struct api_resource api_authorization_v1_selfsubjectaccessreviews = {
    .group = STR_INIT("authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("SelfSubjectAccessReview"),
    .list_kind = STR_INIT("SelfSubjectAccessReviewList"), .plural = STR_INIT("selfsubjectaccessreviews"), .singular = STR_INIT("selfsubjectaccessreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authorization_v1_SelfSubjectAccessReview,
    .storage_group = STR_INIT("authorization.k8s.io"), .storage_version = STR_INIT("v1")};

const struct api_resource api_authorization_v1_selfsubjectrulesreviews = {
    .group = STR_INIT("authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("SelfSubjectRulesReview"),
    .list_kind = STR_INIT("SelfSubjectRulesReviewList"), .plural = STR_INIT("selfsubjectrulesreviews"), .singular = STR_INIT("selfsubjectrulesreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authorization_v1_SelfSubjectRulesReview,
    .storage_group = STR_INIT("authorization.k8s.io"), .storage_version = STR_INIT("v1")};

const struct api_resource api_authorization_v1_subjectaccessreviews = {
    .group = STR_INIT("authorization.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("SubjectAccessReview"),
    .list_kind = STR_INIT("SubjectAccessReviewList"), .plural = STR_INIT("subjectaccessreviews"), .singular = STR_INIT("subjectaccessreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authorization_v1_SubjectAccessReview,
    .storage_group = STR_INIT("authorization.k8s.io"), .storage_version = STR_INIT("v1")};

