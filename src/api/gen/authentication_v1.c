/* authentication_v1.c: written by tools/gen_api.py from api/authentication_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type map_list_string = {.kind = SCHEMA_MAP, .elem = &list_string};
static const struct schema_field fields_TokenReview[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authentication_v1_TokenReviewSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authentication_v1_TokenReviewStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_TokenReview[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authentication_v1_TokenReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenReview"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenReview"), .doc = STR_INIT("Asks whether a token is valid and whose it is."), .fields = fields_TokenReview, .nfields = 5, .index8 = index_TokenReview, .index_mask = 15};

static const struct schema_field fields_TokenReviewSpec[2] = {
    {.name = STR_INIT("token"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Token to check, as clients send it.")},
    {.name = STR_INIT("audiences"), .type = &list_string, .pb = 2, .doc = STR_INIT("Audiences to check for; absent means the API server.")}};
const struct schema_type schema_authentication_v1_TokenReviewSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenReviewSpec"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenReviewSpec"), .doc = STR_INIT("The token to check."), .fields = fields_TokenReviewSpec, .nfields = 2};

static const struct schema_field fields_TokenReviewStatus[4] = {
    {.name = STR_INIT("authenticated"), .type = &schema_bool, .pb = 1, .doc = STR_INIT("True if the token is valid.")},
    {.name = STR_INIT("user"), .type = &schema_authentication_v1_UserInfo, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Whose token it is.")},
    {.name = STR_INIT("audiences"), .type = &list_string, .pb = 4, .doc = STR_INIT("Audiences asked for that the token is good for.")},
    {.name = STR_INIT("error"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Why the check could not be made.")}};
const struct schema_type schema_authentication_v1_TokenReviewStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenReviewStatus"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenReviewStatus"), .doc = STR_INIT("Whether the token is good, and whose it is."), .fields = fields_TokenReviewStatus, .nfields = 4};

static const struct schema_field fields_UserInfo[4] = {
    {.name = STR_INIT("username"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the user; unique among active users.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Id of the user; differs when a name is given away again.")},
    {.name = STR_INIT("groups"), .type = &list_string, .pb = 3, .doc = STR_INIT("Groups that the user is in.")},
    {.name = STR_INIT("extra"), .type = &map_list_string, .pb = 4, .doc = STR_INIT("Further facts from the authenticator.")}};
const struct schema_type schema_authentication_v1_UserInfo = {.kind = SCHEMA_OBJECT, .name = STR_INIT("UserInfo"), .openapi = STR_INIT("io.k8s.api.authentication.v1.UserInfo"), .doc = STR_INIT("A user as the server knows it."), .fields = fields_UserInfo, .nfields = 4};

static const struct schema_field fields_TokenRequest[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_authentication_v1_TokenRequestSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The question; this is the part you send.")},
    {.name = STR_INIT("status"), .type = &schema_authentication_v1_TokenRequestStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
static const uint8_t index_TokenRequest[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_authentication_v1_TokenRequest = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenRequest"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenRequest"), .doc = STR_INIT("Asks for a token of a service account."), .fields = fields_TokenRequest, .nfields = 5, .index8 = index_TokenRequest, .index_mask = 15};

static const struct schema_field fields_TokenRequestSpec[3] = {
    {.name = STR_INIT("audiences"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Who must accept the token; empty means the API server.")},
    {.name = STR_INIT("expirationSeconds"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .dflt = STR_INIT("3600"), .doc = STR_INIT("Lifetime wanted, in seconds; the server may change it. 3600 when absent.")},
    {.name = STR_INIT("boundObjectRef"), .type = &schema_authentication_v1_BoundObjectReference, .pb = 3, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Object the token dies with; absent: only the service account.")}};
const struct schema_type schema_authentication_v1_TokenRequestSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenRequestSpec"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenRequestSpec"), .doc = STR_INIT("For whom and how long the token is to be good."), .fields = fields_TokenRequestSpec, .nfields = 3};

static const struct schema_field fields_TokenRequestStatus[2] = {
    {.name = STR_INIT("token"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The token; send it as bearer token.")},
    {.name = STR_INIT("expirationTimestamp"), .type = &schema_time, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When the token ends.")}};
const struct schema_type schema_authentication_v1_TokenRequestStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TokenRequestStatus"), .openapi = STR_INIT("io.k8s.api.authentication.v1.TokenRequestStatus"), .doc = STR_INIT("The token and when it ends."), .fields = fields_TokenRequestStatus, .nfields = 2};

static const struct schema_field fields_BoundObjectReference[4] = {
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Pod, Secret or Node.")},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Group and version of the object.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Name of the object.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Uid of the object; the current one when absent.")}};
const struct schema_type schema_authentication_v1_BoundObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BoundObjectReference"), .openapi = STR_INIT("io.k8s.api.authentication.v1.BoundObjectReference"), .doc = STR_INIT("The object that the token lives and dies with."), .fields = fields_BoundObjectReference, .nfields = 4};

static const struct schema_field fields_SelfSubjectReview[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("status"), .type = &schema_authentication_v1_SelfSubjectReviewStatus, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The answer; filled in by the server.")}};
const struct schema_type schema_authentication_v1_SelfSubjectReview = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectReview"), .openapi = STR_INIT("io.k8s.api.authentication.v1.SelfSubjectReview"), .doc = STR_INIT("Tells callers who the server thinks they are."), .fields = fields_SelfSubjectReview, .nfields = 4};

static const struct schema_field fields_SelfSubjectReviewStatus[1] = {
    {.name = STR_INIT("userInfo"), .type = &schema_authentication_v1_UserInfo, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, groups and further facts about the caller.")}};
const struct schema_type schema_authentication_v1_SelfSubjectReviewStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelfSubjectReviewStatus"), .openapi = STR_INIT("io.k8s.api.authentication.v1.SelfSubjectReviewStatus"), .doc = STR_INIT("Who the caller is."), .fields = fields_SelfSubjectReviewStatus, .nfields = 1};

const struct api_resource api_authentication_v1_selfsubjectreviews = {
    .group = STR_INIT("authentication.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("SelfSubjectReview"),
    .list_kind = STR_INIT("SelfSubjectReviewList"), .plural = STR_INIT("selfsubjectreviews"), .singular = STR_INIT("selfsubjectreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authentication_v1_SelfSubjectReview,
    .storage_group = STR_INIT("authentication.k8s.io"), .storage_version = STR_INIT("v1")};

const struct api_resource api_authentication_v1_tokenreviews = {
    .group = STR_INIT("authentication.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("TokenReview"),
    .list_kind = STR_INIT("TokenReviewList"), .plural = STR_INIT("tokenreviews"), .singular = STR_INIT("tokenreview"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_authentication_v1_TokenReview,
    .storage_group = STR_INIT("authentication.k8s.io"), .storage_version = STR_INIT("v1")};

