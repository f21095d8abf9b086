/* apiextensions_v1.c: written by tools/gen_api.py from api/apiextensions_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_Cluster_Namespaced[] = {STR_INIT("Cluster"), STR_INIT("Namespaced")};
static const struct schema_rules rules_enums_Cluster_Namespaced = {.enums = enum_Cluster_Namespaced, .nenums = 2};
static const struct schema_type list_CustomResourceDefinitionVersion = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_CustomResourceDefinitionVersion};
static const str enum_None_Webhook[] = {STR_INIT("None"), STR_INIT("Webhook")};
static const struct schema_rules rules_enums_None_Webhook = {.enums = enum_None_Webhook, .nenums = 2};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_CustomResourceColumnDefinition = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_CustomResourceColumnDefinition};
static const struct schema_type list_SelectableField = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_SelectableField};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_CustomResourceDefinitionCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_CustomResourceDefinitionCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_JSON = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_JSON};
static const struct schema_type list_JSONSchemaProps = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_JSONSchemaProps};
static const struct schema_type map_JSONSchemaProps = {.kind = SCHEMA_MAP, .elem = &schema_apiextensions_v1_JSONSchemaProps};
static const struct schema_type map_JSONSchemaPropsOrStringArray = {.kind = SCHEMA_MAP, .elem = &schema_apiextensions_v1_JSONSchemaPropsOrStringArray};
static const str keys_rule[] = {STR_INIT("rule")};
static const struct schema_type list_ValidationRule_map_rule = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_ValidationRule, .list_type = SCHEMA_LIST_MAP, .keys = keys_rule, .nkeys = 1};
static const struct schema_type list_CustomResourceDefinition = {.kind = SCHEMA_LIST, .elem = &schema_apiextensions_v1_CustomResourceDefinition};
static const str short_names_crd_crds[] = {STR_INIT("crd"), STR_INIT("crds")};
static const str categories_api_extensions[] = {STR_INIT("api-extensions")};
static const struct schema_field fields_CustomResourceDefinitionSpec[6] = {
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("API group of the resource; the definition is named PLURAL.GROUP.")},
    {.name = STR_INIT("names"), .type = &schema_apiextensions_v1_CustomResourceDefinitionNames, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Plural, kind and further names of the resource.")},
    {.name = STR_INIT("scope"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Namespaced, or Cluster for objects outside namespaces."), .rules = &rules_enums_Cluster_Namespaced},
    {.name = STR_INIT("versions"), .type = &list_CustomResourceDefinitionVersion, .pb = 7, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Versions with their schemas; exactly one is stored.")},
    {.name = STR_INIT("conversion"), .type = &schema_apiextensions_v1_CustomResourceConversion, .pb = 9, .flags = SCHEMA_POINTER, .dflt = STR_INIT("{\"strategy\":\"None\"}"), .doc = STR_INIT("How objects are converted between versions; None changes only apiVersion.")},
    {.name = STR_INIT("preserveUnknownFields"), .type = &schema_bool, .pb = 10, .doc = STR_INIT("Must be false; kept for old clients. Use the schema's extension instead.")}};
static const uint8_t index_CustomResourceDefinitionSpec[16] = {0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 3, 1, 4, 6, 2};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionSpec"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec"), .doc = STR_INIT("What the custom resource is called and which versions it has."), .fields = fields_CustomResourceDefinitionSpec, .nfields = 6, .index8 = index_CustomResourceDefinitionSpec, .index_mask = 15};

static const struct schema_field fields_CustomResourceConversion[2] = {
    {.name = STR_INIT("strategy"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("None rewrites apiVersion only; Webhook asks an outside program."), .rules = &rules_enums_None_Webhook},
    {.name = STR_INIT("webhook"), .type = &schema_apiextensions_v1_WebhookConversion, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("How to call the webhook; with strategy Webhook only.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceConversion = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceConversion"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion"), .doc = STR_INIT("How objects are converted between versions."), .fields = fields_CustomResourceConversion, .nfields = 2};

static const struct schema_field fields_WebhookConversion[2] = {
    {.name = STR_INIT("clientConfig"), .type = &schema_apiextensions_v1_WebhookClientConfig, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where the webhook is reached.")},
    {.name = STR_INIT("conversionReviewVersions"), .type = &list_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("ConversionReview versions the webhook understands, best first.")}};
const struct schema_type schema_apiextensions_v1_WebhookConversion = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WebhookConversion"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion"), .doc = STR_INIT("Conversion by calling a webhook."), .fields = fields_WebhookConversion, .nfields = 2};

static const struct schema_field fields_WebhookClientConfig[3] = {
    {.name = STR_INIT("url"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("HTTPS address of the webhook; excludes service.")},
    {.name = STR_INIT("service"), .type = &schema_apiextensions_v1_ServiceReference, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Service in the cluster that answers; excludes url.")},
    {.name = STR_INIT("caBundle"), .type = &schema_bytes, .pb = 2, .doc = STR_INIT("CA certificates in PEM to check the webhook; absent: the system's.")}};
const struct schema_type schema_apiextensions_v1_WebhookClientConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WebhookClientConfig"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig"), .doc = STR_INIT("How to reach a webhook: a URL or a service, and its CA."), .fields = fields_WebhookClientConfig, .nfields = 3};

static const struct schema_field fields_ServiceReference[4] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Namespace of the service.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the service.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("URL path to call; absent means the root.")},
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_POINTER, .dflt = STR_INIT("443"), .doc = STR_INIT("Port of the service; 443 when absent.")}};
const struct schema_type schema_apiextensions_v1_ServiceReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceReference"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference"), .doc = STR_INIT("A service that answers webhook calls."), .fields = fields_ServiceReference, .nfields = 4};

static const struct schema_field fields_CustomResourceDefinitionVersion[9] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the version, such as v1 or v1beta1.")},
    {.name = STR_INIT("served"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True offers the version in the API.")},
    {.name = STR_INIT("storage"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True for the one version in which objects are stored.")},
    {.name = STR_INIT("deprecated"), .type = &schema_bool, .pb = 7, .doc = STR_INIT("True warns clients that use this version.")},
    {.name = STR_INIT("deprecationWarning"), .type = &schema_string, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Text of that warning; a standard one when absent.")},
    {.name = STR_INIT("schema"), .type = &schema_apiextensions_v1_CustomResourceValidation, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Schema that objects of this version must follow.")},
    {.name = STR_INIT("subresources"), .type = &schema_apiextensions_v1_CustomResourceSubresources, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Subresources of this version: status, scale.")},
    {.name = STR_INIT("additionalPrinterColumns"), .type = &list_CustomResourceColumnDefinition, .pb = 6, .doc = STR_INIT("Columns that kubectl get prints; the age when absent.")},
    {.name = STR_INIT("selectableFields"), .type = &list_SelectableField, .pb = 9, .doc = STR_INIT("Fields that field selectors may use; at most 8.")}};
static const uint8_t index_CustomResourceDefinitionVersion[32] = {0, 0, 7, 8, 4, 9, 1, 3, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionVersion = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionVersion"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion"), .doc = STR_INIT("One version of a custom resource."), .fields = fields_CustomResourceDefinitionVersion, .nfields = 9, .index8 = index_CustomResourceDefinitionVersion, .index_mask = 31};

static const struct schema_field fields_SelectableField[1] = {
    {.name = STR_INIT("jsonPath"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the field, such as .spec.color.")}};
const struct schema_type schema_apiextensions_v1_SelectableField = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SelectableField"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField"), .doc = STR_INIT("A field that field selectors may use."), .fields = fields_SelectableField, .nfields = 1};

static const struct schema_field fields_CustomResourceColumnDefinition[6] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Heading of the column.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Type of the value: string, integer, number, boolean or date.")},
    {.name = STR_INIT("format"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Further hint on the type, such as int32.")},
    {.name = STR_INIT("description"), .type = &schema_string, .pb = 4, .doc = STR_INIT("What the column shows, for people.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("0 is always printed; higher only in the wide output.")},
    {.name = STR_INIT("jsonPath"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the value, such as .spec.replicas.")}};
static const uint8_t index_CustomResourceColumnDefinition[16] = {0, 0, 3, 0, 6, 0, 1, 0, 0, 4, 5, 0, 0, 2, 0, 0};
const struct schema_type schema_apiextensions_v1_CustomResourceColumnDefinition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceColumnDefinition"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition"), .doc = STR_INIT("A column that is printed for the resource."), .fields = fields_CustomResourceColumnDefinition, .nfields = 6, .index8 = index_CustomResourceColumnDefinition, .index_mask = 15};

static const struct schema_field fields_CustomResourceDefinitionNames[6] = {
    {.name = STR_INIT("plural"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Plural name in lower case, as in URLs.")},
    {.name = STR_INIT("singular"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Singular name in lower case; the kind when absent.")},
    {.name = STR_INIT("shortNames"), .type = &list_string, .pb = 3, .doc = STR_INIT("Abbreviations for the command line.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the objects, in CamelCase.")},
    {.name = STR_INIT("listKind"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Kind of their lists; kind plus List when absent.")},
    {.name = STR_INIT("categories"), .type = &list_string, .pb = 6, .doc = STR_INIT("Collective names it belongs to, such as all.")}};
static const uint8_t index_CustomResourceDefinitionNames[16] = {2, 3, 5, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionNames = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionNames"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames"), .doc = STR_INIT("Names of the custom resource in its various forms."), .fields = fields_CustomResourceDefinitionNames, .nfields = 6, .index8 = index_CustomResourceDefinitionNames, .index_mask = 15};

static const struct schema_field fields_CustomResourceDefinitionCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as NamesAccepted, Established or Terminating.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_CustomResourceDefinitionCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionCondition"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition"), .doc = STR_INIT("One aspect of the definition's state."), .fields = fields_CustomResourceDefinitionCondition, .nfields = 5, .index8 = index_CustomResourceDefinitionCondition, .index_mask = 15};

static const struct schema_field fields_CustomResourceDefinitionStatus[3] = {
    {.name = STR_INIT("conditions"), .type = &list_CustomResourceDefinitionCondition_map_type, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("acceptedNames"), .type = &schema_apiextensions_v1_CustomResourceDefinitionNames, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Names in force; they differ from the spec after a clash.")},
    {.name = STR_INIT("storedVersions"), .type = &list_string, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Versions that stored objects may still be in.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionStatus"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus"), .doc = STR_INIT("Whether the definition is accepted and served."), .fields = fields_CustomResourceDefinitionStatus, .nfields = 3};

static const struct schema_field fields_CustomResourceDefinition[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_apiextensions_v1_CustomResourceDefinitionSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_apiextensions_v1_CustomResourceDefinitionStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_CustomResourceDefinition[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinition"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"), .doc = STR_INIT("Adds a resource of your own to the API."), .fields = fields_CustomResourceDefinition, .nfields = 5, .index8 = index_CustomResourceDefinition, .index_mask = 15};

static const struct schema_field fields_CustomResourceValidation[1] = {
    {.name = STR_INIT("openAPIV3Schema"), .type = &schema_apiextensions_v1_JSONSchemaProps, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("The schema, in OpenAPI v3 form.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceValidation = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceValidation"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation"), .doc = STR_INIT("The schema that objects must follow."), .fields = fields_CustomResourceValidation, .nfields = 1};

static const struct schema_field fields_CustomResourceSubresources[2] = {
    {.name = STR_INIT("status"), .type = &schema_apiextensions_v1_CustomResourceSubresourceStatus, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Given, turns on /status: spec and status are then written apart.")},
    {.name = STR_INIT("scale"), .type = &schema_apiextensions_v1_CustomResourceSubresourceScale, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Given, turns on /scale, as kubectl scale and autoscalers use.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceSubresources = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceSubresources"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources"), .doc = STR_INIT("Subresources that the resource offers."), .fields = fields_CustomResourceSubresources, .nfields = 2};

const struct schema_type schema_apiextensions_v1_CustomResourceSubresourceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceSubresourceStatus"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus"), .doc = STR_INIT("Turns the status subresource on.")};

static const struct schema_field fields_CustomResourceSubresourceScale[3] = {
    {.name = STR_INIT("specReplicasPath"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the wanted count, such as .spec.replicas.")},
    {.name = STR_INIT("statusReplicasPath"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the count that exists, such as .status.replicas.")},
    {.name = STR_INIT("labelSelectorPath"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Path of the selector as text, such as .status.selector; autoscalers need it.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceSubresourceScale = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceSubresourceScale"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale"), .doc = STR_INIT("Turns the scale subresource on and says where replicas stand."), .fields = fields_CustomResourceSubresourceScale, .nfields = 3};

static const struct schema_field fields_JSONSchemaProps[44] = {
    {.name = STR_INIT("id"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Not allowed in structural schemas.")},
    {.name = STR_INIT("$schema"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Dialect of the schema; of no effect.")},
    {.name = STR_INIT("$ref"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Not allowed; write the schema out in place.")},
    {.name = STR_INIT("description"), .type = &schema_string, .pb = 4, .doc = STR_INIT("What the value means; shown by kubectl explain.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Type: object, array, string, integer, number or boolean.")},
    {.name = STR_INIT("format"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Form of the text or number, such as date-time or int64.")},
    {.name = STR_INIT("title"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Short heading of the schema.")},
    {.name = STR_INIT("default"), .type = &schema_apiextensions_v1_JSON, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Value that is filled in when the field is absent.")},
    {.name = STR_INIT("maximum"), .type = &schema_double, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Largest number allowed.")},
    {.name = STR_INIT("exclusiveMaximum"), .type = &schema_bool, .pb = 10, .doc = STR_INIT("True forbids the maximum itself.")},
    {.name = STR_INIT("minimum"), .type = &schema_double, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Smallest number allowed.")},
    {.name = STR_INIT("exclusiveMinimum"), .type = &schema_bool, .pb = 12, .doc = STR_INIT("True forbids the minimum itself.")},
    {.name = STR_INIT("maxLength"), .type = &schema_int64, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most characters a text may have.")},
    {.name = STR_INIT("minLength"), .type = &schema_int64, .pb = 14, .flags = SCHEMA_POINTER, .doc = STR_INIT("Fewest characters a text may have.")},
    {.name = STR_INIT("pattern"), .type = &schema_string, .pb = 15, .doc = STR_INIT("Regular expression that the text must match somewhere.")},
    {.name = STR_INIT("maxItems"), .type = &schema_int64, .pb = 16, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most elements a list may have.")},
    {.name = STR_INIT("minItems"), .type = &schema_int64, .pb = 17, .flags = SCHEMA_POINTER, .doc = STR_INIT("Fewest elements a list may have.")},
    {.name = STR_INIT("uniqueItems"), .type = &schema_bool, .pb = 18, .doc = STR_INIT("Only false is allowed; use x-kubernetes-list-type set.")},
    {.name = STR_INIT("multipleOf"), .type = &schema_double, .pb = 19, .flags = SCHEMA_POINTER, .doc = STR_INIT("Number that the value must be a multiple of.")},
    {.name = STR_INIT("enum"), .type = &list_JSON, .pb = 20, .doc = STR_INIT("Values that are allowed; no others are.")},
    {.name = STR_INIT("maxProperties"), .type = &schema_int64, .pb = 21, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most properties an object may have.")},
    {.name = STR_INIT("minProperties"), .type = &schema_int64, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Fewest properties an object may have.")},
    {.name = STR_INIT("required"), .type = &list_string, .pb = 23, .doc = STR_INIT("Properties that must be present.")},
    {.name = STR_INIT("items"), .type = &schema_apiextensions_v1_JSONSchemaPropsOrArray, .pb = 24, .flags = SCHEMA_POINTER, .doc = STR_INIT("Schema of the elements of a list.")},
    {.name = STR_INIT("allOf"), .type = &list_JSONSchemaProps, .pb = 25, .doc = STR_INIT("Schemas that must all match; they only add checks.")},
    {.name = STR_INIT("oneOf"), .type = &list_JSONSchemaProps, .pb = 26, .doc = STR_INIT("Schemas of which exactly one must match.")},
    {.name = STR_INIT("anyOf"), .type = &list_JSONSchemaProps, .pb = 27, .doc = STR_INIT("Schemas of which at least one must match.")},
    {.name = STR_INIT("not"), .type = &schema_apiextensions_v1_JSONSchemaProps, .pb = 28, .flags = SCHEMA_POINTER, .doc = STR_INIT("Schema that must not match.")},
    {.name = STR_INIT("properties"), .type = &map_JSONSchemaProps, .pb = 29, .doc = STR_INIT("Properties of the object, with their schemas.")},
    {.name = STR_INIT("additionalProperties"), .type = &schema_apiextensions_v1_JSONSchemaPropsOrBool, .pb = 30, .flags = SCHEMA_POINTER, .doc = STR_INIT("Schema of all values in a map; excludes properties.")},
    {.name = STR_INIT("patternProperties"), .type = &map_JSONSchemaProps, .pb = 31, .doc = STR_INIT("Not allowed in structural schemas.")},
    {.name = STR_INIT("dependencies"), .type = &map_JSONSchemaPropsOrStringArray, .pb = 32, .doc = STR_INIT("Not allowed in structural schemas.")},
    {.name = STR_INIT("additionalItems"), .type = &schema_apiextensions_v1_JSONSchemaPropsOrBool, .pb = 33, .flags = SCHEMA_POINTER, .doc = STR_INIT("Not allowed in structural schemas.")},
    {.name = STR_INIT("definitions"), .type = &map_JSONSchemaProps, .pb = 34, .doc = STR_INIT("Not allowed in structural schemas.")},
    {.name = STR_INIT("externalDocs"), .type = &schema_apiextensions_v1_ExternalDocumentation, .pb = 35, .flags = SCHEMA_POINTER, .doc = STR_INIT("Link to further documentation.")},
    {.name = STR_INIT("example"), .type = &schema_apiextensions_v1_JSON, .pb = 36, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sample value, for people.")},
    {.name = STR_INIT("nullable"), .type = &schema_bool, .pb = 37, .doc = STR_INIT("True allows null as value; false when absent.")},
    {.name = STR_INIT("x-kubernetes-preserve-unknown-fields"), .type = &schema_bool, .pb = 38, .flags = SCHEMA_POINTER, .doc = STR_INIT("True keeps fields that the schema does not know.")},
    {.name = STR_INIT("x-kubernetes-embedded-resource"), .type = &schema_bool, .pb = 39, .doc = STR_INIT("True if the value is an object with apiVersion, kind and metadata.")},
    {.name = STR_INIT("x-kubernetes-int-or-string"), .type = &schema_bool, .pb = 40, .doc = STR_INIT("True allows an integer or a text; type stays empty.")},
    {.name = STR_INIT("x-kubernetes-list-map-keys"), .type = &list_string, .pb = 41, .doc = STR_INIT("Fields that identify an element of a list of type map.")},
    {.name = STR_INIT("x-kubernetes-list-type"), .type = &schema_string, .pb = 42, .flags = SCHEMA_POINTER, .doc = STR_INIT("Merging of lists: atomic, set or map; atomic when absent.")},
    {.name = STR_INIT("x-kubernetes-map-type"), .type = &schema_string, .pb = 43, .flags = SCHEMA_POINTER, .doc = STR_INIT("Merging of objects: granular or atomic; granular when absent.")},
    {.name = STR_INIT("x-kubernetes-validations"), .type = &list_ValidationRule_map_rule, .pb = 44, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("rule"), .doc = STR_INIT("Rules in CEL that the value must meet.")}};
static const uint8_t index_JSONSchemaProps[128] = {20, 9, 33, 0, 19, 0, 0, 0, 0, 7, 28, 10, 0, 0, 22, 24, 0, 0, 0, 0, 0, 25, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0, 23, 36, 0, 0, 0, 0, 0, 0, 0, 15, 34, 0, 38, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 41, 0, 0, 37, 0, 0, 0, 27, 13, 43, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5, 12, 40, 42, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29, 0, 8, 0, 1, 21, 18, 30, 32, 35, 0, 0, 0, 4, 0, 0, 3, 0, 0, 0, 31, 0, 26, 0, 0, 0, 0, 11, 14, 17, 39, 0, 0, 0, 0, 0};
const struct schema_type schema_apiextensions_v1_JSONSchemaProps = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JSONSchemaProps"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"), .doc = STR_INIT("A JSON schema with the extensions of structural schemas."), .fields = fields_JSONSchemaProps, .nfields = 44, .index8 = index_JSONSchemaProps, .index_mask = 127};

static const struct schema_field fields_ValidationRule[6] = {
    {.name = STR_INIT("rule"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("CEL expression that must be true; self is the value.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2, .doc = STR_INIT("What to tell users on failure; made from the rule when absent.")},
    {.name = STR_INIT("messageExpression"), .type = &schema_string, .pb = 3, .doc = STR_INIT("CEL expression that makes the message; wins over message.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Failure reason for clients, such as FieldValueForbidden; FieldValueInvalid when absent.")},
    {.name = STR_INIT("fieldPath"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Path of the field to blame, relative; absent means the value itself.")},
    {.name = STR_INIT("optionalOldSelf"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("True runs the rule on creation too; oldSelf is then optional.")}};
static const uint8_t index_ValidationRule[16] = {5, 0, 0, 1, 2, 0, 3, 0, 0, 4, 0, 0, 6, 0, 0, 0};
const struct schema_type schema_apiextensions_v1_ValidationRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ValidationRule"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule"), .doc = STR_INIT("An expression that must hold, and what to say when it does not."), .fields = fields_ValidationRule, .nfields = 6, .index8 = index_ValidationRule, .index_mask = 15};

const struct schema_type schema_apiextensions_v1_JSON = {.kind = SCHEMA_ANY, .name = STR_INIT("JSON"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"), .doc = STR_INIT("Any JSON value.")};

const struct schema_type schema_apiextensions_v1_JSONSchemaPropsOrArray = {.kind = SCHEMA_ANY, .name = STR_INIT("JSONSchemaPropsOrArray"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray"), .doc = STR_INIT("A schema, or a list of schemas.")};

const struct schema_type schema_apiextensions_v1_JSONSchemaPropsOrBool = {.kind = SCHEMA_ANY, .name = STR_INIT("JSONSchemaPropsOrBool"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"), .doc = STR_INIT("A schema, or whether anything is allowed.")};

const struct schema_type schema_apiextensions_v1_JSONSchemaPropsOrStringArray = {.kind = SCHEMA_ANY, .name = STR_INIT("JSONSchemaPropsOrStringArray"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray"), .doc = STR_INIT("A schema, or a list of property names.")};

static const struct schema_field fields_ExternalDocumentation[2] = {
    {.name = STR_INIT("description"), .type = &schema_string, .pb = 1, .doc = STR_INIT("What the link leads to.")},
    {.name = STR_INIT("url"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Address of the documentation.")}};
const struct schema_type schema_apiextensions_v1_ExternalDocumentation = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExternalDocumentation"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation"), .doc = STR_INIT("A link to further documentation."), .fields = fields_ExternalDocumentation, .nfields = 2};

static const struct schema_field fields_CustomResourceDefinitionList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_CustomResourceDefinition, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_apiextensions_v1_CustomResourceDefinitionList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CustomResourceDefinitionList"), .openapi = STR_INIT("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionList"), .doc = STR_INIT("A list of customresourcedefinitions."), .fields = fields_CustomResourceDefinitionList, .nfields = 4};

static const struct api_subresource subs_CustomResourceDefinition[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("CustomResourceDefinition"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_apiextensions_v1_CustomResourceDefinition}};
static const struct api_column columns_CustomResourceDefinition[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Created At"), .type = STR_INIT("date"), .doc = STR_INIT("When the object was created."), .json_path = STR_INIT(".metadata.creationTimestamp")}};
const struct api_resource api_apiextensions_v1_customresourcedefinitions = {
    .group = STR_INIT("apiextensions.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("CustomResourceDefinition"),
    .list_kind = STR_INIT("CustomResourceDefinitionList"), .plural = STR_INIT("customresourcedefinitions"), .singular = STR_INIT("customresourcedefinition"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_apiextensions_v1_CustomResourceDefinition,
    .short_names = short_names_crd_crds, .nshort_names = 2,
    .categories = categories_api_extensions, .ncategories = 1,
    .subs = subs_CustomResourceDefinition, .nsubs = 1,
    .columns = columns_CustomResourceDefinition, .ncolumns = 2,
    .storage_group = STR_INIT("apiextensions.k8s.io"), .storage_version = STR_INIT("v1")};

