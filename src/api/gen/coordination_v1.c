/* coordination_v1.c: written by tools/gen_api.py from api/coordination_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_Lease = {.kind = SCHEMA_LIST, .elem = &schema_coordination_v1_Lease};
static const struct schema_field fields_Lease[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_coordination_v1_LeaseSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_coordination_v1_Lease = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Lease"), .openapi = STR_INIT("io.k8s.api.coordination.v1.Lease"), .doc = STR_INIT("A claim on a role for a limited time, renewed by its holder."), .fields = fields_Lease, .nfields = 4};

static const struct schema_field fields_LeaseSpec[7] = {
    {.name = STR_INIT("holderIdentity"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Who holds the lease; empty if nobody.")},
    {.name = STR_INIT("leaseDurationSeconds"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds after renewTime before others may take over.")},
    {.name = STR_INIT("acquireTime"), .type = &schema_microtime, .pb = 3, .doc = STR_INIT("When the holder took the lease.")},
    {.name = STR_INIT("renewTime"), .type = &schema_microtime, .pb = 4, .doc = STR_INIT("When the holder last renewed it.")},
    {.name = STR_INIT("leaseTransitions"), .type = &schema_int32, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("How often the lease changed hands.")},
    {.name = STR_INIT("strategy"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("How the next holder is picked in a coordinated election.")},
    {.name = STR_INIT("preferredHolder"), .type = &schema_string, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Better candidate that the holder should give way to.")}};
static const uint8_t index_LeaseSpec[16] = {0, 1, 0, 0, 6, 7, 2, 4, 5, 0, 3, 0, 0, 0, 0, 0};
const struct schema_type schema_coordination_v1_LeaseSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LeaseSpec"), .openapi = STR_INIT("io.k8s.api.coordination.v1.LeaseSpec"), .doc = STR_INIT("Who holds the lease, since when and for how long."), .fields = fields_LeaseSpec, .nfields = 7, .index8 = index_LeaseSpec, .index_mask = 15};

static const struct schema_field fields_LeaseList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Lease, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_coordination_v1_LeaseList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LeaseList"), .openapi = STR_INIT("io.k8s.api.coordination.v1.LeaseList"), .doc = STR_INIT("A list of leases."), .fields = fields_LeaseList, .nfields = 4};

static const struct api_column columns_Lease[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Holder"), .type = STR_INIT("string"), .doc = STR_INIT("Who holds the lease."), .json_path = STR_INIT(".spec.holderIdentity")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_coordination_v1_leases = {
    .group = STR_INIT("coordination.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("Lease"),
    .list_kind = STR_INIT("LeaseList"), .plural = STR_INIT("leases"), .singular = STR_INIT("lease"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_RV_REQUIRED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_coordination_v1_Lease,
    .columns = columns_Lease, .ncolumns = 3,
    .storage_group = STR_INIT("coordination.k8s.io"), .storage_version = STR_INIT("v1")};

