/* discovery_v1.c: written by tools/gen_api.py from api/discovery_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_FQDN_IPv4_IPv6[] = {STR_INIT("FQDN"), STR_INIT("IPv4"), STR_INIT("IPv6")};
static const struct schema_rules rules_enums_FQDN_IPv4_IPv6 = {.enums = enum_FQDN_IPv4_IPv6, .nenums = 3};
static const struct schema_type list_Endpoint = {.kind = SCHEMA_LIST, .elem = &schema_discovery_v1_Endpoint};
static const struct schema_type list_EndpointPort = {.kind = SCHEMA_LIST, .elem = &schema_discovery_v1_EndpointPort};
static const struct schema_type list_string_set = {.kind = SCHEMA_LIST, .elem = &schema_string, .list_type = SCHEMA_LIST_SET};
static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_type list_ForZone = {.kind = SCHEMA_LIST, .elem = &schema_discovery_v1_ForZone};
static const struct schema_type list_ForNode = {.kind = SCHEMA_LIST, .elem = &schema_discovery_v1_ForNode};
static const str enum_SCTP_TCP_UDP[] = {STR_INIT("SCTP"), STR_INIT("TCP"), STR_INIT("UDP")};
static const struct schema_rules rules_enums_SCTP_TCP_UDP = {.enums = enum_SCTP_TCP_UDP, .nenums = 3};
static const struct schema_type list_EndpointSlice = {.kind = SCHEMA_LIST, .elem = &schema_discovery_v1_EndpointSlice};
static const struct schema_field fields_EndpointSlice[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("addressType"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Form of all addresses: IPv4, IPv6 or FQDN (deprecated)."), .rules = &rules_enums_FQDN_IPv4_IPv6},
    {.name = STR_INIT("endpoints"), .type = &list_Endpoint, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The backends; at most 1000.")},
    {.name = STR_INIT("ports"), .type = &list_EndpointPort, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Ports that all backends offer; at most 100.")}};
static const uint8_t index_EndpointSlice[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 4, 0, 5, 0, 6};
const struct schema_type schema_discovery_v1_EndpointSlice = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointSlice"), .openapi = STR_INIT("io.k8s.api.discovery.v1.EndpointSlice"), .doc = STR_INIT("A part of the addresses behind a service."), .fields = fields_EndpointSlice, .nfields = 6, .index8 = index_EndpointSlice, .index_mask = 15};

static const struct schema_field fields_Endpoint[8] = {
    {.name = STR_INIT("addresses"), .type = &list_string_set, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Addresses of the backend; usually just one.")},
    {.name = STR_INIT("conditions"), .type = &schema_discovery_v1_EndpointConditions, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Whether the backend can take traffic.")},
    {.name = STR_INIT("hostname"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Host name of the backend, for DNS.")},
    {.name = STR_INIT("targetRef"), .type = &schema_core_v1_ObjectReference, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Object behind it, usually a pod.")},
    {.name = STR_INIT("deprecatedTopology"), .type = &map_string, .pb = 5, .doc = STR_INIT("Topology labels from the older API; read-only.")},
    {.name = STR_INIT("nodeName"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Node the backend runs on.")},
    {.name = STR_INIT("zone"), .type = &schema_string, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Zone the backend runs in.")},
    {.name = STR_INIT("hints"), .type = &schema_discovery_v1_EndpointHints, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Clients that should prefer this backend.")}};
static const uint8_t index_Endpoint[16] = {0, 8, 0, 1, 0, 4, 0, 2, 7, 5, 0, 0, 3, 0, 6, 0};
const struct schema_type schema_discovery_v1_Endpoint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Endpoint"), .openapi = STR_INIT("io.k8s.api.discovery.v1.Endpoint"), .doc = STR_INIT("Addresses of one backend, and its state."), .fields = fields_Endpoint, .nfields = 8, .index8 = index_Endpoint, .index_mask = 15};

static const struct schema_field fields_EndpointConditions[3] = {
    {.name = STR_INIT("ready"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("True if it takes new traffic; absent counts as true.")},
    {.name = STR_INIT("serving"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Like ready, but also true while it terminates gracefully; absent: same as ready.")},
    {.name = STR_INIT("terminating"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("True while the backend shuts down; absent means false.")}};
const struct schema_type schema_discovery_v1_EndpointConditions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointConditions"), .openapi = STR_INIT("io.k8s.api.discovery.v1.EndpointConditions"), .doc = STR_INIT("Whether a backend is ready, serving, terminating."), .fields = fields_EndpointConditions, .nfields = 3};

static const struct schema_field fields_EndpointHints[2] = {
    {.name = STR_INIT("forZones"), .type = &list_ForZone, .pb = 1, .doc = STR_INIT("Zones whose clients should use it; at most 8.")},
    {.name = STR_INIT("forNodes"), .type = &list_ForNode, .pb = 2, .doc = STR_INIT("Nodes whose clients should use it; at most 8.")}};
const struct schema_type schema_discovery_v1_EndpointHints = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointHints"), .openapi = STR_INIT("io.k8s.api.discovery.v1.EndpointHints"), .doc = STR_INIT("For whom an endpoint is meant."), .fields = fields_EndpointHints, .nfields = 2};

static const struct schema_field fields_ForZone[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the zone.")}};
const struct schema_type schema_discovery_v1_ForZone = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ForZone"), .openapi = STR_INIT("io.k8s.api.discovery.v1.ForZone"), .doc = STR_INIT("A zone that should use the endpoint."), .fields = fields_ForZone, .nfields = 1};

static const struct schema_field fields_ForNode[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the node.")}};
const struct schema_type schema_discovery_v1_ForNode = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ForNode"), .openapi = STR_INIT("io.k8s.api.discovery.v1.ForNode"), .doc = STR_INIT("A node that should use the endpoint."), .fields = fields_ForNode, .nfields = 1};

static const struct schema_field fields_EndpointPort[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"\""), .doc = STR_INIT("Name of the port, as in the service.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"TCP\""), .doc = STR_INIT("TCP, UDP or SCTP; TCP when absent."), .rules = &rules_enums_SCTP_TCP_UDP},
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Port number of the backends; absent means not limited to one.")},
    {.name = STR_INIT("appProtocol"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Protocol spoken on top, such as kubernetes.io/h2c.")}};
const struct schema_type schema_discovery_v1_EndpointPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointPort"), .openapi = STR_INIT("io.k8s.api.discovery.v1.EndpointPort"), .doc = STR_INIT("A port of the endpoints in a slice."), .atomic = true, .fields = fields_EndpointPort, .nfields = 4};

static const struct schema_field fields_EndpointSliceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_EndpointSlice, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_discovery_v1_EndpointSliceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointSliceList"), .openapi = STR_INIT("io.k8s.api.discovery.v1.EndpointSliceList"), .doc = STR_INIT("A list of endpointslices."), .fields = fields_EndpointSliceList, .nfields = 4};

static const struct api_column columns_EndpointSlice[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("AddressType"), .type = STR_INIT("string"), .doc = STR_INIT("IPv4, IPv6 or FQDN."), .json_path = STR_INIT(".addressType")},
    {.name = STR_INIT("Ports"), .type = STR_INIT("string"), .doc = STR_INIT("Ports of every endpoint."), .cell = STR_INIT("endpoint_slice_ports")},
    {.name = STR_INIT("Endpoints"), .type = STR_INIT("string"), .doc = STR_INIT("Addresses."), .cell = STR_INIT("endpoint_slice_endpoints")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_discovery_v1_endpointslices = {
    .group = STR_INIT("discovery.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("EndpointSlice"),
    .list_kind = STR_INIT("EndpointSliceList"), .plural = STR_INIT("endpointslices"), .singular = STR_INIT("endpointslice"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_discovery_v1_EndpointSlice,
    .columns = columns_EndpointSlice, .ncolumns = 5,
    .storage_group = STR_INIT("discovery.k8s.io"), .storage_version = STR_INIT("v1")};

