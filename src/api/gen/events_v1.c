/* events_v1.c: written by tools/gen_api.py from api/events_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_Event = {.kind = SCHEMA_LIST, .elem = &schema_events_v1_Event};
static const str short_names_ev[] = {STR_INIT("ev")};
static const str field_labels_regarding_kind_regarding_namespace_regarding_name_regarding_uid_regarding_apiVersion_regarding_resourceVersion_regarding_fieldPath_reason_reportingController_type[] = {STR_INIT("regarding.kind"), STR_INIT("regarding.namespace"), STR_INIT("regarding.name"), STR_INIT("regarding.uid"), STR_INIT("regarding.apiVersion"), STR_INIT("regarding.resourceVersion"), STR_INIT("regarding.fieldPath"), STR_INIT("reason"), STR_INIT("reportingController"), STR_INIT("type")};
static const struct schema_field fields_Event[17] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("eventTime"), .type = &schema_microtime, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When it first happened, to the microsecond.")},
    {.name = STR_INIT("series"), .type = &schema_events_v1_EventSeries, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Repetitions of the event; absent if it happened once.")},
    {.name = STR_INIT("reportingController"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Controller that reported it, such as kubernetes.io/kubelet.")},
    {.name = STR_INIT("reportingInstance"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Instance of the controller, such as its pod or node name.")},
    {.name = STR_INIT("action"), .type = &schema_string, .pb = 6, .doc = STR_INIT("What was done or tried about the object, as one word.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Why it was done, as one word, such as FailedScheduling.")},
    {.name = STR_INIT("regarding"), .type = &schema_core_v1_ObjectReference, .pb = 8, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the event concerns.")},
    {.name = STR_INIT("related"), .type = &schema_core_v1_ObjectReference, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Second object involved, if there is one.")},
    {.name = STR_INIT("note"), .type = &schema_string, .pb = 10, .doc = STR_INIT("What happened, for people; at most 1 kB.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 11, .doc = STR_INIT("Normal or Warning; others may follow.")},
    {.name = STR_INIT("deprecatedSource"), .type = &schema_core_v1_EventSource, .pb = 12, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Program and node that reported it, in the older style.")},
    {.name = STR_INIT("deprecatedFirstTimestamp"), .type = &schema_time, .pb = 13, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was first seen, in the older style.")},
    {.name = STR_INIT("deprecatedLastTimestamp"), .type = &schema_time, .pb = 14, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was last seen, in the older style.")},
    {.name = STR_INIT("deprecatedCount"), .type = &schema_int32, .pb = 15, .doc = STR_INIT("How often it was seen, in the older style.")}};
static const uint8_t index_Event[64] = {3, 14, 0, 2, 16, 0, 0, 0, 0, 0, 7, 0, 0, 13, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 9, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5, 0, 15, 0, 0, 0, 10, 0, 11, 0, 0, 0, 0, 12, 0, 8};
const struct schema_type schema_events_v1_Event = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Event"), .openapi = STR_INIT("io.k8s.api.events.v1.Event"), .doc = STR_INIT("A report that something happened to an object."), .fields = fields_Event, .nfields = 17, .index8 = index_Event, .index_mask = 63};

static const struct schema_field fields_EventSeries[2] = {
    {.name = STR_INIT("count"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How often it happened so far.")},
    {.name = STR_INIT("lastObservedTime"), .type = &schema_microtime, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When it happened last.")}};
const struct schema_type schema_events_v1_EventSeries = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EventSeries"), .openapi = STR_INIT("io.k8s.api.events.v1.EventSeries"), .doc = STR_INIT("How often an event repeated, and when last."), .fields = fields_EventSeries, .nfields = 2};

static const struct schema_field fields_EventList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Event, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_events_v1_EventList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EventList"), .openapi = STR_INIT("io.k8s.api.events.v1.EventList"), .doc = STR_INIT("A list of events."), .fields = fields_EventList, .nfields = 4};

static const struct api_column columns_Event[] = {
    {.name = STR_INIT("Last Seen"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the event was last observed."), .cell = STR_INIT("event_last_seen")},
    {.name = STR_INIT("Type"), .type = STR_INIT("string"), .doc = STR_INIT("Normal or Warning."), .json_path = STR_INIT(".type")},
    {.name = STR_INIT("Reason"), .type = STR_INIT("string"), .doc = STR_INIT("Why it happened, as one word."), .json_path = STR_INIT(".reason")},
    {.name = STR_INIT("Object"), .type = STR_INIT("string"), .doc = STR_INIT("What the event is about."), .cell = STR_INIT("event_object")},
    {.name = STR_INIT("Subobject"), .type = STR_INIT("string"), .doc = STR_INIT("Part of the object that the event is about."), .json_path = STR_INIT(".regarding.fieldPath"), .priority = 1},
    {.name = STR_INIT("Source"), .type = STR_INIT("string"), .doc = STR_INIT("Who reported it."), .cell = STR_INIT("event_source"), .priority = 1},
    {.name = STR_INIT("Message"), .type = STR_INIT("string"), .doc = STR_INIT("What happened, in words."), .cell = STR_INIT("event_message")},
    {.name = STR_INIT("First Seen"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the event was first observed."), .cell = STR_INIT("event_first_seen"), .priority = 1},
    {.name = STR_INIT("Count"), .type = STR_INIT("string"), .doc = STR_INIT("How often it was seen."), .cell = STR_INIT("event_count"), .priority = 1},
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name"), .priority = 1}};
const struct api_resource api_events_v1_events = {
    .group = STR_INIT("events.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("Event"),
    .list_kind = STR_INIT("EventList"), .plural = STR_INIT("events"), .singular = STR_INIT("event"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_events_v1_Event,
    .short_names = short_names_ev, .nshort_names = 1,
    .field_labels = field_labels_regarding_kind_regarding_namespace_regarding_name_regarding_uid_regarding_apiVersion_regarding_resourceVersion_regarding_fieldPath_reason_reportingController_type, .nfield_labels = 10,
    .columns = columns_Event, .ncolumns = 10,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

