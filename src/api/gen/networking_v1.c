/* networking_v1.c: written by tools/gen_api.py from api/networking_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_NetworkPolicyIngressRule = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_NetworkPolicyIngressRule};
static const struct schema_type list_NetworkPolicyEgressRule = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_NetworkPolicyEgressRule};
static const str enum_Ingress_Egress[] = {STR_INIT("Ingress"), STR_INIT("Egress")};
static const struct schema_rules rules_enums_Ingress_Egress = {.enums = enum_Ingress_Egress, .nenums = 2};
static const struct schema_type string_rules_enums_Ingress_Egress = {.kind = SCHEMA_STRING, .rules = &rules_enums_Ingress_Egress};
static const struct schema_type list_string_rules_enums_Ingress_Egress = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_Ingress_Egress};
static const struct schema_type list_NetworkPolicyPort = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_NetworkPolicyPort};
static const struct schema_type list_NetworkPolicyPeer = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_NetworkPolicyPeer};
static const str enum_TCP_UDP_SCTP[] = {STR_INIT("TCP"), STR_INIT("UDP"), STR_INIT("SCTP")};
static const struct schema_rules rules_enums_TCP_UDP_SCTP = {.enums = enum_TCP_UDP_SCTP, .nenums = 3};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_IngressTLS = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IngressTLS};
static const struct schema_type list_IngressRule = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IngressRule};
static const struct schema_type list_IngressLoadBalancerIngress = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IngressLoadBalancerIngress};
static const struct schema_type list_IngressPortStatus = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IngressPortStatus};
static const struct schema_type list_HTTPIngressPath = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_HTTPIngressPath};
static const str enum_Exact_ImplementationSpecific_Prefix[] = {STR_INIT("Exact"), STR_INIT("ImplementationSpecific"), STR_INIT("Prefix")};
static const struct schema_rules rules_enums_Exact_ImplementationSpecific_Prefix = {.enums = enum_Exact_ImplementationSpecific_Prefix, .nenums = 3};
static const str enum_Cluster_Namespace[] = {STR_INIT("Cluster"), STR_INIT("Namespace")};
static const struct schema_rules rules_enums_Cluster_Namespace = {.enums = enum_Cluster_Namespace, .nenums = 2};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_meta_v1_Condition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_Condition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_IngressClass = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IngressClass};
static const struct schema_type list_Ingress = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_Ingress};
static const struct schema_type list_IPAddress = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_IPAddress};
static const struct schema_type list_NetworkPolicy = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_NetworkPolicy};
static const struct schema_type list_ServiceCIDR = {.kind = SCHEMA_LIST, .elem = &schema_networking_v1_ServiceCIDR};
static const str short_names_ing[] = {STR_INIT("ing")};
static const str short_names_ip[] = {STR_INIT("ip")};
static const str short_names_netpol[] = {STR_INIT("netpol")};
static const struct schema_field fields_NetworkPolicy[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_networking_v1_NetworkPolicySpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_networking_v1_NetworkPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicy"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicy"), .doc = STR_INIT("Which traffic the chosen pods accept and may send."), .fields = fields_NetworkPolicy, .nfields = 4};

static const struct schema_field fields_NetworkPolicySpec[4] = {
    {.name = STR_INIT("podSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Pods the policy is for; empty selects all in the namespace.")},
    {.name = STR_INIT("ingress"), .type = &list_NetworkPolicyIngressRule, .pb = 2, .doc = STR_INIT("Traffic let in to the pods; none if empty while Ingress applies.")},
    {.name = STR_INIT("egress"), .type = &list_NetworkPolicyEgressRule, .pb = 3, .doc = STR_INIT("Traffic let out of the pods; none if empty while Egress applies.")},
    {.name = STR_INIT("policyTypes"), .type = &list_string_rules_enums_Ingress_Egress, .pb = 4, .doc = STR_INIT("Directions it limits; absent: Ingress, and Egress if there are such rules.")}};
const struct schema_type schema_networking_v1_NetworkPolicySpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicySpec"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicySpec"), .doc = STR_INIT("Which pods, and which traffic in and out."), .fields = fields_NetworkPolicySpec, .nfields = 4};

static const struct schema_field fields_NetworkPolicyIngressRule[2] = {
    {.name = STR_INIT("ports"), .type = &list_NetworkPolicyPort, .pb = 1, .doc = STR_INIT("Ports of the pods to open; absent means all.")},
    {.name = STR_INIT("from"), .type = &list_NetworkPolicyPeer, .pb = 2, .doc = STR_INIT("Allowed sources; absent means everywhere.")}};
const struct schema_type schema_networking_v1_NetworkPolicyIngressRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicyIngressRule"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicyIngressRule"), .doc = STR_INIT("Traffic that is let in: from where, to which ports."), .fields = fields_NetworkPolicyIngressRule, .nfields = 2};

static const struct schema_field fields_NetworkPolicyEgressRule[2] = {
    {.name = STR_INIT("ports"), .type = &list_NetworkPolicyPort, .pb = 1, .doc = STR_INIT("Ports of the destinations to open; absent means all.")},
    {.name = STR_INIT("to"), .type = &list_NetworkPolicyPeer, .pb = 2, .doc = STR_INIT("Allowed destinations; absent means everywhere.")}};
const struct schema_type schema_networking_v1_NetworkPolicyEgressRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicyEgressRule"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicyEgressRule"), .doc = STR_INIT("Traffic that is let out: to where, to which ports."), .fields = fields_NetworkPolicyEgressRule, .nfields = 2};

static const struct schema_field fields_NetworkPolicyPort[3] = {
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"TCP\""), .doc = STR_INIT("TCP, UDP or SCTP; TCP when absent."), .rules = &rules_enums_TCP_UDP_SCTP},
    {.name = STR_INIT("port"), .type = &schema_int_or_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Number or name of the port; absent means all ports.")},
    {.name = STR_INIT("endPort"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Last port of a range that begins at port.")}};
const struct schema_type schema_networking_v1_NetworkPolicyPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicyPort"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicyPort"), .doc = STR_INIT("A port or a range of ports."), .fields = fields_NetworkPolicyPort, .nfields = 3};

static const struct schema_field fields_IPBlock[2] = {
    {.name = STR_INIT("cidr"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Network range, such as 10.0.0.0/8 or 2001:db8::/32.")},
    {.name = STR_INIT("except"), .type = &list_string, .pb = 2, .doc = STR_INIT("Parts of the range to leave out.")}};
const struct schema_type schema_networking_v1_IPBlock = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IPBlock"), .openapi = STR_INIT("io.k8s.api.networking.v1.IPBlock"), .doc = STR_INIT("A network range, with exceptions."), .fields = fields_IPBlock, .nfields = 2};

static const struct schema_field fields_NetworkPolicyPeer[3] = {
    {.name = STR_INIT("podSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods by label, in the selected namespaces or else the policy's own.")},
    {.name = STR_INIT("namespaceSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespaces by label; empty selects all.")},
    {.name = STR_INIT("ipBlock"), .type = &schema_networking_v1_IPBlock, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Addresses by range; excludes the other members.")}};
const struct schema_type schema_networking_v1_NetworkPolicyPeer = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicyPeer"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicyPeer"), .doc = STR_INIT("Pods, namespaces or addresses on the other side."), .fields = fields_NetworkPolicyPeer, .nfields = 3};

static const struct schema_field fields_Ingress[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_networking_v1_IngressSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_networking_v1_IngressStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Ingress[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_networking_v1_Ingress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Ingress"), .openapi = STR_INIT("io.k8s.api.networking.v1.Ingress"), .doc = STR_INIT("Routes HTTP from outside to services."), .fields = fields_Ingress, .nfields = 5, .index8 = index_Ingress, .index_mask = 15};

static const struct schema_field fields_IngressSpec[4] = {
    {.name = STR_INIT("ingressClassName"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Ingress class that serves it; the default class when absent.")},
    {.name = STR_INIT("defaultBackend"), .type = &schema_networking_v1_IngressBackend, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where requests go that match no rule.")},
    {.name = STR_INIT("tls"), .type = &list_IngressTLS, .pb = 2, .doc = STR_INIT("Certificates, by host.")},
    {.name = STR_INIT("rules"), .type = &list_IngressRule, .pb = 3, .doc = STR_INIT("Routing rules, by host.")}};
const struct schema_type schema_networking_v1_IngressSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressSpec"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressSpec"), .doc = STR_INIT("Hosts, paths and the services behind them."), .fields = fields_IngressSpec, .nfields = 4};

static const struct schema_field fields_IngressTLS[2] = {
    {.name = STR_INIT("hosts"), .type = &list_string, .pb = 1, .doc = STR_INIT("Hosts that the certificate covers; absent means all.")},
    {.name = STR_INIT("secretName"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Secret with the certificate and key.")}};
const struct schema_type schema_networking_v1_IngressTLS = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressTLS"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressTLS"), .doc = STR_INIT("Certificate for some hosts."), .fields = fields_IngressTLS, .nfields = 2};

static const struct schema_field fields_IngressStatus[1] = {
    {.name = STR_INIT("loadBalancer"), .type = &schema_networking_v1_IngressLoadBalancerStatus, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Entry points of the load balancer, if there is one.")}};
const struct schema_type schema_networking_v1_IngressStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressStatus"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressStatus"), .doc = STR_INIT("Where the ingress is reached."), .fields = fields_IngressStatus, .nfields = 1};

static const struct schema_field fields_IngressLoadBalancerStatus[1] = {
    {.name = STR_INIT("ingress"), .type = &list_IngressLoadBalancerIngress, .pb = 1, .doc = STR_INIT("Entry points; send traffic for the ingress here.")}};
const struct schema_type schema_networking_v1_IngressLoadBalancerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressLoadBalancerStatus"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressLoadBalancerStatus"), .doc = STR_INIT("Points of entry of the ingress."), .fields = fields_IngressLoadBalancerStatus, .nfields = 1};

static const struct schema_field fields_IngressLoadBalancerIngress[3] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Address of the entry point; set if it is reached by address.")},
    {.name = STR_INIT("hostname"), .type = &schema_string, .pb = 2, .doc = STR_INIT("DNS name of the entry point; set if it is reached by name.")},
    {.name = STR_INIT("ports"), .type = &list_IngressPortStatus, .pb = 4, .doc = STR_INIT("State of each port of the entry point.")}};
const struct schema_type schema_networking_v1_IngressLoadBalancerIngress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressLoadBalancerIngress"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressLoadBalancerIngress"), .doc = STR_INIT("One point of entry of the ingress."), .fields = fields_IngressLoadBalancerIngress, .nfields = 3};

static const struct schema_field fields_IngressPortStatus[3] = {
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port number of the entry point.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("TCP, UDP or SCTP.")},
    {.name = STR_INIT("error"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Why the port does not work, as CamelCase word; absent when fine.")}};
const struct schema_type schema_networking_v1_IngressPortStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressPortStatus"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressPortStatus"), .doc = STR_INIT("State of a port of the ingress."), .fields = fields_IngressPortStatus, .nfields = 3};

static const struct schema_field fields_IngressRule[2] = {
    {.name = STR_INIT("host"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Host name to match, *. allowed in front; absent matches all.")},
    {.name = STR_INIT("ingressRuleValue"), .type = &schema_networking_v1_IngressRuleValue, .pb = 2, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: rules of the host by protocol.")}};
const struct schema_type schema_networking_v1_IngressRule = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressRule"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressRule"), .doc = STR_INIT("Rules for one host."), .fields = fields_IngressRule, .nfields = 2};

static const struct schema_field fields_IngressRuleValue[1] = {
    {.name = STR_INIT("http"), .type = &schema_networking_v1_HTTPIngressRuleValue, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Routing of HTTP requests by path.")}};
const struct schema_type schema_networking_v1_IngressRuleValue = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressRuleValue"), .openapi = STR_INIT(""), .doc = STR_INIT("The rules of a host, by protocol."), .fields = fields_IngressRuleValue, .nfields = 1};

static const struct schema_field fields_HTTPIngressRuleValue[1] = {
    {.name = STR_INIT("paths"), .type = &list_HTTPIngressPath, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Paths and their backends.")}};
const struct schema_type schema_networking_v1_HTTPIngressRuleValue = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HTTPIngressRuleValue"), .openapi = STR_INIT("io.k8s.api.networking.v1.HTTPIngressRuleValue"), .doc = STR_INIT("Paths of a host."), .fields = fields_HTTPIngressRuleValue, .nfields = 1};

static const struct schema_field fields_HTTPIngressPath[3] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Path to match; must start with / for Exact and Prefix.")},
    {.name = STR_INIT("pathType"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Exact, Prefix (by whole path elements) or ImplementationSpecific."), .rules = &rules_enums_Exact_ImplementationSpecific_Prefix},
    {.name = STR_INIT("backend"), .type = &schema_networking_v1_IngressBackend, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Where matching requests go.")}};
const struct schema_type schema_networking_v1_HTTPIngressPath = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HTTPIngressPath"), .openapi = STR_INIT("io.k8s.api.networking.v1.HTTPIngressPath"), .doc = STR_INIT("A path and the backend behind it."), .fields = fields_HTTPIngressPath, .nfields = 3};

static const struct schema_field fields_IngressBackend[2] = {
    {.name = STR_INIT("service"), .type = &schema_networking_v1_IngressServiceBackend, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Service that gets the requests; excludes resource.")},
    {.name = STR_INIT("resource"), .type = &schema_core_v1_TypedLocalObjectReference, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Other object in the namespace that gets them; excludes service.")}};
const struct schema_type schema_networking_v1_IngressBackend = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressBackend"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressBackend"), .doc = STR_INIT("Where requests go: a service or another object."), .fields = fields_IngressBackend, .nfields = 2};

static const struct schema_field fields_IngressServiceBackend[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Service, in the namespace of the ingress.")},
    {.name = STR_INIT("port"), .type = &schema_networking_v1_ServiceBackendPort, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Port of the service, by name or by number.")}};
const struct schema_type schema_networking_v1_IngressServiceBackend = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressServiceBackend"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressServiceBackend"), .doc = STR_INIT("A service and its port."), .fields = fields_IngressServiceBackend, .nfields = 2};

static const struct schema_field fields_ServiceBackendPort[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Port of the service by name; excludes number.")},
    {.name = STR_INIT("number"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Port of the service by number; excludes name.")}};
const struct schema_type schema_networking_v1_ServiceBackendPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceBackendPort"), .openapi = STR_INIT("io.k8s.api.networking.v1.ServiceBackendPort"), .doc = STR_INIT("A port of a service, by name or by number."), .atomic = true, .fields = fields_ServiceBackendPort, .nfields = 2};

static const struct schema_field fields_IngressClass[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_networking_v1_IngressClassSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_networking_v1_IngressClass = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressClass"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressClass"), .doc = STR_INIT("Names the controller that serves a class of ingresses."), .fields = fields_IngressClass, .nfields = 4};

static const struct schema_field fields_IngressClassSpec[2] = {
    {.name = STR_INIT("controller"), .type = &schema_string, .pb = 1, .flags = SCHEMA_IMMUTABLE, .doc = STR_INIT("Controller that serves the class, such as example.com/ingress; cannot change.")},
    {.name = STR_INIT("parameters"), .type = &schema_networking_v1_IngressClassParametersReference, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Object with further settings for the controller.")}};
const struct schema_type schema_networking_v1_IngressClassSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressClassSpec"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressClassSpec"), .doc = STR_INIT("Controller and settings of an ingress class."), .fields = fields_IngressClassSpec, .nfields = 2};

static const struct schema_field fields_IngressClassParametersReference[5] = {
    {.name = STR_INIT("apiGroup"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("API group of the object; absent for the core group.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the object.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the object.")},
    {.name = STR_INIT("scope"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .dflt = STR_INIT("\"Cluster\""), .doc = STR_INIT("Cluster, or Namespace for an object that lives in one."), .rules = &rules_enums_Cluster_Namespace},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespace of the object; with scope Namespace only.")}};
static const uint8_t index_IngressClassParametersReference[16] = {5, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 1, 0};
const struct schema_type schema_networking_v1_IngressClassParametersReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressClassParametersReference"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressClassParametersReference"), .doc = STR_INIT("The object with the settings of an ingress class."), .fields = fields_IngressClassParametersReference, .nfields = 5, .index8 = index_IngressClassParametersReference, .index_mask = 15};

static const struct schema_field fields_IPAddress[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_networking_v1_IPAddressSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_networking_v1_IPAddress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IPAddress"), .openapi = STR_INIT("io.k8s.api.networking.v1.IPAddress"), .doc = STR_INIT("A service address that is in use."), .fields = fields_IPAddress, .nfields = 4};

static const struct schema_field fields_IPAddressSpec[1] = {
    {.name = STR_INIT("parentRef"), .type = &schema_networking_v1_ParentReference, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_IMMUTABLE | SCHEMA_POINTER, .doc = STR_INIT("Object that uses the address, such as a service.")}};
const struct schema_type schema_networking_v1_IPAddressSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IPAddressSpec"), .openapi = STR_INIT("io.k8s.api.networking.v1.IPAddressSpec"), .doc = STR_INIT("Who uses the address."), .fields = fields_IPAddressSpec, .nfields = 1};

static const struct schema_field fields_ParentReference[4] = {
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 1, .doc = STR_INIT("API group of the object; empty for the core group.")},
    {.name = STR_INIT("resource"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED, .doc = STR_INIT("Resource of the object, such as services.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Namespace of the object; empty if cluster-wide.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED, .doc = STR_INIT("Name of the object.")}};
const struct schema_type schema_networking_v1_ParentReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ParentReference"), .openapi = STR_INIT("io.k8s.api.networking.v1.ParentReference"), .doc = STR_INIT("The object that uses the address."), .fields = fields_ParentReference, .nfields = 4};

static const struct schema_field fields_ServiceCIDR[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_networking_v1_ServiceCIDRSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_networking_v1_ServiceCIDRStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_ServiceCIDR[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_networking_v1_ServiceCIDR = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceCIDR"), .openapi = STR_INIT("io.k8s.api.networking.v1.ServiceCIDR"), .doc = STR_INIT("A range from which service addresses are taken."), .fields = fields_ServiceCIDR, .nfields = 5, .index8 = index_ServiceCIDR, .index_mask = 15};

static const struct schema_field fields_ServiceCIDRSpec[1] = {
    {.name = STR_INIT("cidrs"), .type = &list_string, .pb = 1, .doc = STR_INIT("Ranges in CIDR form: one, or one of each family.")}};
const struct schema_type schema_networking_v1_ServiceCIDRSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceCIDRSpec"), .openapi = STR_INIT("io.k8s.api.networking.v1.ServiceCIDRSpec"), .doc = STR_INIT("The address ranges."), .fields = fields_ServiceCIDRSpec, .nfields = 1};

static const struct schema_field fields_ServiceCIDRStatus[1] = {
    {.name = STR_INIT("conditions"), .type = &list_meta_v1_Condition_map_type, .pb = 1, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Whether the ranges can be used, and why not.")}};
const struct schema_type schema_networking_v1_ServiceCIDRStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceCIDRStatus"), .openapi = STR_INIT("io.k8s.api.networking.v1.ServiceCIDRStatus"), .doc = STR_INIT("State of the address range."), .fields = fields_ServiceCIDRStatus, .nfields = 1};

static const struct schema_field fields_IngressClassList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_IngressClass, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_networking_v1_IngressClassList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressClassList"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressClassList"), .doc = STR_INIT("A list of ingressclasses."), .fields = fields_IngressClassList, .nfields = 4};

static const struct schema_field fields_IngressList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Ingress, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_networking_v1_IngressList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressList"), .openapi = STR_INIT("io.k8s.api.networking.v1.IngressList"), .doc = STR_INIT("A list of ingresses."), .fields = fields_IngressList, .nfields = 4};

static const struct schema_field fields_IPAddressList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_IPAddress, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_networking_v1_IPAddressList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IPAddressList"), .openapi = STR_INIT("io.k8s.api.networking.v1.IPAddressList"), .doc = STR_INIT("A list of ipaddresses."), .fields = fields_IPAddressList, .nfields = 4};

static const struct schema_field fields_NetworkPolicyList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_NetworkPolicy, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_networking_v1_NetworkPolicyList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicyList"), .openapi = STR_INIT("io.k8s.api.networking.v1.NetworkPolicyList"), .doc = STR_INIT("A list of networkpolicies."), .fields = fields_NetworkPolicyList, .nfields = 4};

static const struct schema_field fields_ServiceCIDRList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ServiceCIDR, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_networking_v1_ServiceCIDRList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceCIDRList"), .openapi = STR_INIT("io.k8s.api.networking.v1.ServiceCIDRList"), .doc = STR_INIT("A list of servicecidrs."), .fields = fields_ServiceCIDRList, .nfields = 4};

static const struct api_column columns_IngressClass[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Controller"), .type = STR_INIT("string"), .doc = STR_INIT("Controller that serves the class."), .json_path = STR_INIT(".spec.controller")},
    {.name = STR_INIT("Parameters"), .type = STR_INIT("string"), .doc = STR_INIT("Object with further settings."), .cell = STR_INIT("ingress_class_parameters")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_networking_v1_ingressclasses = {
    .group = STR_INIT("networking.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("IngressClass"),
    .list_kind = STR_INIT("IngressClassList"), .plural = STR_INIT("ingressclasses"), .singular = STR_INIT("ingressclass"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_networking_v1_IngressClass,
    .columns = columns_IngressClass, .ncolumns = 4,
    .storage_group = STR_INIT("networking.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Ingress[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Ingress"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_networking_v1_Ingress}};
static const struct api_column columns_Ingress[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Class"), .type = STR_INIT("string"), .doc = STR_INIT("Ingress class that serves it."), .cell = STR_INIT("ingress_class")},
    {.name = STR_INIT("Hosts"), .type = STR_INIT("string"), .doc = STR_INIT("Host names that are routed."), .cell = STR_INIT("ingress_hosts")},
    {.name = STR_INIT("Address"), .type = STR_INIT("string"), .doc = STR_INIT("Where the ingress is reached."), .cell = STR_INIT("ingress_address")},
    {.name = STR_INIT("Ports"), .type = STR_INIT("string"), .doc = STR_INIT("80, and 443 with TLS."), .cell = STR_INIT("ingress_ports")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_networking_v1_ingresses = {
    .group = STR_INIT("networking.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("Ingress"),
    .list_kind = STR_INIT("IngressList"), .plural = STR_INIT("ingresses"), .singular = STR_INIT("ingress"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_networking_v1_Ingress,
    .short_names = short_names_ing, .nshort_names = 1,
    .subs = subs_Ingress, .nsubs = 1,
    .columns = columns_Ingress, .ncolumns = 6,
    .storage_group = STR_INIT("networking.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_IPAddress[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("ParentRef"), .type = STR_INIT("string"), .doc = STR_INIT("Object that uses the address."), .cell = STR_INIT("ip_address_parent_ref")}};
const struct api_resource api_networking_v1_ipaddresses = {
    .group = STR_INIT("networking.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("IPAddress"),
    .list_kind = STR_INIT("IPAddressList"), .plural = STR_INIT("ipaddresses"), .singular = STR_INIT("ipaddress"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_networking_v1_IPAddress,
    .short_names = short_names_ip, .nshort_names = 1,
    .columns = columns_IPAddress, .ncolumns = 2,
    .storage_group = STR_INIT("networking.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_column columns_NetworkPolicy[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Pod-Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Pods it applies to."), .cell = STR_INIT("network_policy_pod_selector")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_networking_v1_networkpolicies = {
    .group = STR_INIT("networking.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("NetworkPolicy"),
    .list_kind = STR_INIT("NetworkPolicyList"), .plural = STR_INIT("networkpolicies"), .singular = STR_INIT("networkpolicy"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_networking_v1_NetworkPolicy,
    .short_names = short_names_netpol, .nshort_names = 1,
    .columns = columns_NetworkPolicy, .ncolumns = 3,
    .storage_group = STR_INIT("networking.k8s.io"), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_ServiceCIDR[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("ServiceCIDR"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_networking_v1_ServiceCIDR}};
static const struct api_column columns_ServiceCIDR[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("CIDRs"), .type = STR_INIT("string"), .doc = STR_INIT("Address ranges."), .cell = STR_INIT("service_cidr_cidrs")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_networking_v1_servicecidrs = {
    .group = STR_INIT("networking.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("ServiceCIDR"),
    .list_kind = STR_INIT("ServiceCIDRList"), .plural = STR_INIT("servicecidrs"), .singular = STR_INIT("servicecidr"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_networking_v1_ServiceCIDR,
    .subs = subs_ServiceCIDR, .nsubs = 1,
    .columns = columns_ServiceCIDR, .ncolumns = 3,
    .storage_group = STR_INIT("networking.k8s.io"), .storage_version = STR_INIT("v1")};

