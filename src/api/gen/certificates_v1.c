/* certificates_v1.c: written by tools/gen_api.py from api/certificates_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type map_list_string = {.kind = SCHEMA_MAP, .elem = &list_string};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_CertificateSigningRequestCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_certificates_v1_CertificateSigningRequestCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_CertificateSigningRequest = {.kind = SCHEMA_LIST, .elem = &schema_certificates_v1_CertificateSigningRequest};
static const str short_names_csr[] = {STR_INIT("csr")};
static const str field_labels_spec_signerName[] = {STR_INIT("spec.signerName")};
static const struct schema_field fields_CertificateSigningRequest[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_certificates_v1_CertificateSigningRequestSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What is asked for, and by whom.")},
    {.name = STR_INIT("status"), .type = &schema_certificates_v1_CertificateSigningRequestStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Whether it was approved, and the certificate.")}};
static const uint8_t index_CertificateSigningRequest[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_certificates_v1_CertificateSigningRequest = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CertificateSigningRequest"), .openapi = STR_INIT("io.k8s.api.certificates.v1.CertificateSigningRequest"), .doc = STR_INIT("A wish for a certificate that the cluster's authority signs once somebody approved it."), .fields = fields_CertificateSigningRequest, .nfields = 5, .index8 = index_CertificateSigningRequest, .index_mask = 15};

static const struct schema_field fields_CertificateSigningRequestSpec[8] = {
    {.name = STR_INIT("request"), .type = &schema_bytes, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The request in PEM, PKCS#10.")},
    {.name = STR_INIT("signerName"), .type = &schema_string, .pb = 7, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Who is to sign it, such as kubernetes.io/kubelet-serving.")},
    {.name = STR_INIT("expirationSeconds"), .type = &schema_int32, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long the certificate is wanted for; the signer may give less. At least 600.")},
    {.name = STR_INIT("usages"), .type = &list_string, .pb = 5, .doc = STR_INIT("What the key may be used for: digital signature, client auth, server auth ...")},
    {.name = STR_INIT("username"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Who asked; set by the server.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 3, .doc = STR_INIT("The user's uid; set by the server.")},
    {.name = STR_INIT("groups"), .type = &list_string, .pb = 4, .doc = STR_INIT("The user's groups; set by the server.")},
    {.name = STR_INIT("extra"), .type = &map_list_string, .pb = 6, .doc = STR_INIT("Further facts about the user; set by the server.")}};
static const uint8_t index_CertificateSigningRequestSpec[16] = {0, 4, 1, 0, 0, 3, 0, 0, 2, 5, 8, 0, 0, 6, 7, 0};
const struct schema_type schema_certificates_v1_CertificateSigningRequestSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CertificateSigningRequestSpec"), .openapi = STR_INIT("io.k8s.api.certificates.v1.CertificateSigningRequestSpec"), .doc = STR_INIT("What is asked for, and by whom; it cannot be changed."), .fields = fields_CertificateSigningRequestSpec, .nfields = 8, .index8 = index_CertificateSigningRequestSpec, .index_mask = 15};

static const struct schema_field fields_CertificateSigningRequestStatus[2] = {
    {.name = STR_INIT("conditions"), .type = &list_CertificateSigningRequestCondition_map_type, .pb = 1, .doc = STR_INIT("Approved, Denied or Failed, with reasons.")},
    {.name = STR_INIT("certificate"), .type = &schema_bytes, .pb = 2, .doc = STR_INIT("The signed certificate in PEM, from the leaf up.")}};
const struct schema_type schema_certificates_v1_CertificateSigningRequestStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CertificateSigningRequestStatus"), .openapi = STR_INIT("io.k8s.api.certificates.v1.CertificateSigningRequestStatus"), .doc = STR_INIT("Whether the request was approved, and the certificate."), .fields = fields_CertificateSigningRequestStatus, .nfields = 2};

static const struct schema_field fields_CertificateSigningRequestCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Approved, Denied or Failed.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True; a request is never un-approved.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 2, .doc = STR_INIT("One word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 3, .doc = STR_INIT("A sentence for people.")},
    {.name = STR_INIT("lastUpdateTime"), .type = &schema_time, .pb = 4, .doc = STR_INIT("When the condition was last written.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 5, .doc = STR_INIT("When the status last changed.")}};
static const uint8_t index_CertificateSigningRequestCondition[16] = {0, 5, 0, 0, 4, 0, 0, 6, 0, 3, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_certificates_v1_CertificateSigningRequestCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CertificateSigningRequestCondition"), .openapi = STR_INIT("io.k8s.api.certificates.v1.CertificateSigningRequestCondition"), .doc = STR_INIT("One statement about a request for a certificate."), .fields = fields_CertificateSigningRequestCondition, .nfields = 6, .index8 = index_CertificateSigningRequestCondition, .index_mask = 15};

static const struct schema_field fields_CertificateSigningRequestList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CertificateSigningRequest, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_certificates_v1_CertificateSigningRequestList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CertificateSigningRequestList"), .openapi = STR_INIT("io.k8s.api.certificates.v1.CertificateSigningRequestList"), .doc = STR_INIT("A list of certificatesigningrequests."), .fields = fields_CertificateSigningRequestList, .nfields = 4};

static const struct api_subresource subs_CertificateSigningRequest[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("CertificateSigningRequest"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_certificates_v1_CertificateSigningRequest},
    {.name = STR_INIT("approval"), .kind = STR_INIT("CertificateSigningRequest"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_certificates_v1_CertificateSigningRequest}};
static const struct api_column columns_CertificateSigningRequest[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("SignerName"), .type = STR_INIT("string"), .doc = STR_INIT("Who is to sign it."), .cell = STR_INIT("certificate_signing_request_signer_name")},
    {.name = STR_INIT("Requestor"), .type = STR_INIT("string"), .doc = STR_INIT("Who asked for it."), .json_path = STR_INIT(".spec.username")},
    {.name = STR_INIT("RequestedDuration"), .type = STR_INIT("string"), .doc = STR_INIT("How long the certificate is to be good."), .cell = STR_INIT("certificate_signing_request_requested_duration")},
    {.name = STR_INIT("Condition"), .type = STR_INIT("string"), .doc = STR_INIT("Whether it is approved, denied, issued."), .cell = STR_INIT("certificate_signing_request_condition")}};
const struct api_resource api_certificates_v1_certificatesigningrequests = {
    .group = STR_INIT("certificates.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CertificateSigningRequest"),
    .list_kind = STR_INIT("CertificateSigningRequestList"), .plural = STR_INIT("certificatesigningrequests"), .singular = STR_INIT("certificatesigningrequest"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_certificates_v1_CertificateSigningRequest,
    .short_names = short_names_csr, .nshort_names = 1,
    .field_labels = field_labels_spec_signerName, .nfield_labels = 1,
    .subs = subs_CertificateSigningRequest, .nsubs = 2,
    .columns = columns_CertificateSigningRequest, .ncolumns = 6,
    .storage_group = STR_INIT("certificates.k8s.io"), .storage_version = STR_INIT("v1")};

