/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"

#include "base/limits.h"
#include "base/test.h"

static const char *const labels_text = "{\"app\":\"web\",\"tier\":\"front\",\"n\":\"5\",\"in\":\"\",\"example.com/x\":\"y\"}";

TEST(label_selectors_parse_match_and_print)
{
    static const struct {
        const char *text, *canonical;
        bool match;
    } cases[] = {
        {"", "", true},
        {"  ", "", true},
        {"app", "app", true},
        {"!app", "!app", false},
        {"! none", "!none", true},
        {"app=web", "app=web", true},
        {"app==web", "app=web", true},
        {"app = web , tier=front", "app=web,tier=front", true},
        {"tier=front,app=web", "app=web,tier=front", true},
        {"app!=web", "app!=web", false},
        {"none!=web", "none!=web", true},
        {"app=", "app=", false},
        {"in=", "in=", true},
        {"in in (in,notin),app", "app,in in (in,notin)", false},
        {"app in (b,web,a,a)", "app in (a,b,web)", true},
        {"app in ()", "app in ()", false},
        {"in in (,)", "in in ()", true},
        {"in in (x,)", "in in (,x)", true},
        {"app notin (web)", "app notin (web)", false},
        {"none notin (web)", "none notin (web)", true},
        {"n>4", "n>4", true},
        {"n<5", "n<5", false},
        {"n > 5", "n>5", false},
        {"app>1", "app>1", false},
        {"none<1", "none<1", false},
        {"example.com/x=y", "example.com/x=y", true},
        {"app=web,app!=db,app", "app=web,app!=db,app", true},
    };
    ARENA_AUTO a = ARENA_INIT;
    struct json labels = json_literal(&a, labels_text);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct selector s;
        struct err err = ERR_NONE;
        struct strbuf b = strbuf_on(&a);
        T_NO_ERR(selector_parse_labels(&a, str_of(cases[i].text), &s, &err), &err);
        if (err.code)
            continue;
        selector_write(&b, &s);
        T_EQ_STR(strbuf_str(&b), cases[i].canonical);
        if (selector_match_labels(&s, &labels) != cases[i].match)
            T_FAIL_("'%s' should %smatch", cases[i].text, cases[i].match ? "" : "not ");
    }
}

TEST(label_selector_errors_are_kubernetes_ones)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"a,", "found '', expected: identifier after ','"},
        {",a", "found ',', expected: !, identifier, or 'end of string'"},
        {"=x", "found '=', expected: !, identifier, or 'end of string'"},
        {"!", "unable to parse requirement: found '', expected: identifier"},
        {"!a=b", "found '=', expected: ',' or 'end of string'"},
        {"a=b c", "found 'c', expected: ',' or 'end of string'"},
        {"a=(", "unable to parse requirement: found '(', expected: identifier"},
        {"a in b", "unable to parse requirement: found 'b' expected: '('"},
        {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
        {"a in (!)", "unable to parse requirement: found '!', expected: ',', ')' or identifier"},
        {"a in (b,!)", "unable to parse requirement: found '!', expected: ',', or identifier"},
        {"a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"},
        {"-a", "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, "
               "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
               "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
        {"a=b@", "unable to parse requirement: values[0][a]: Invalid value: \"b@\": a valid label must be an empty string or consist "
                 "of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                 "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                 "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct selector s;
        struct err err = ERR_NONE;
        T_ERR(selector_parse_labels(&a, str_of(cases[i].text), &s, &err), E_INVALID_ARG);
        T_EQ_STR(str_of(err.msg), cases[i].message);
    }
}

TEST(too_many_terms_are_refused)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    for (int i = 0; i <= LIMIT_SELECTOR_TERMS; i++)
        strbuf_addf(&b, "%sk%d", i ? "," : "", i);
    struct selector s;
    T_ERR(selector_parse_labels(&a, strbuf_str(&b), &s, NULL), E_INVALID_ARG);
    b.len = (size_t)str_rfind_char(strbuf_str(&b), ',');
    T_NO_ERR(selector_parse_labels(&a, strbuf_str(&b), &s, NULL), &ERR_NONE);
    T_EQ_INT(s.nterms, LIMIT_SELECTOR_TERMS);
}

TEST(label_selector_objects)
{
    static const struct {
        const char *json, *canonical;
        bool match;
    } cases[] = {
        {"{}", "", true},
        {"null", "", false},
        {"{\"matchLabels\":{\"tier\":\"front\",\"app\":\"web\"}}", "app=web,tier=front", true},
        {"{\"matchExpressions\":[{\"key\":\"tier\",\"operator\":\"In\",\"values\":[\"front\",\"back\"]}]}", "tier in (back,front)", true},
        {"{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"NotIn\",\"values\":[\"web\"]}]}", "app notin (web)", false},
        {"{\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Exists\"},{\"key\":\"x\",\"operator\":\"DoesNotExist\"}]}", "app,!x", true},
    };
    ARENA_AUTO a = ARENA_INIT;
    struct json labels = json_literal(&a, labels_text);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json ls = json_literal(&a, cases[i].json);
        struct selector s;
        struct err err = ERR_NONE;
        struct strbuf b = strbuf_on(&a);
        T_NO_ERR(selector_from_label_selector(&a, &ls, &s, &err), &err);
        selector_write(&b, &s);
        T_EQ_STR(strbuf_str(&b), cases[i].canonical);
        T_EQ_INT(selector_match_labels(&s, &labels), cases[i].match);
    }
    struct selector none;
    T_NO_ERR(selector_from_label_selector(&a, NULL, &none, NULL), &ERR_NONE);
    T_OK(!selector_match_labels(&none, &labels));
}

TEST(label_selector_object_errors)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Near\"}]}", "\"Near\" is not a valid label selector operator"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
         "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"b\"]}]}",
         "values: Invalid value: []string{\"b\"}: values set must be empty for exists and does not exist"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json ls = json_literal(&a, cases[i].json);
        struct selector s;
        struct err err = ERR_NONE;
        T_ERR(selector_from_label_selector(&a, &ls, &s, &err), E_INVALID_ARG);
        T_EQ_STR(str_of(err.msg), cases[i].message);
    }
}

/* --- fields --------------------------------------------------------------------------------------- */

static const str pod_labels[] = {STR_INIT("spec.nodeName"), STR_INIT("spec.hostNetwork"), STR_INIT("status.phase"),
                                 STR_INIT("status.podIP"), STR_INIT("status.podIPs")};
static const str node_labels[] = {STR_INIT("spec.unschedulable")};
static const str job_labels[] = {STR_INIT("status.successful")};
static const str event_labels[] = {STR_INIT("involvedObject.name"), STR_INIT("source"), STR_INIT("reportingComponent"), STR_INIT("type")};
static const str regarding_labels[] = {STR_INIT("regarding.name"), STR_INIT("reportingController")};
static const str custom_labels[] = {STR_INIT("spec.color"), STR_INIT("spec.size")};

static const struct api_resource pods = {.kind = STR_INIT("Pod"), .flags = API_NAMESPACED, .field_labels = pod_labels, .nfield_labels = 5},
    nodes = {.kind = STR_INIT("Node"), .field_labels = node_labels, .nfield_labels = 1},
    jobs = {.group = STR_INIT("batch"), .kind = STR_INIT("Job"), .flags = API_NAMESPACED, .field_labels = job_labels, .nfield_labels = 1},
    events = {.kind = STR_INIT("Event"), .flags = API_NAMESPACED, .field_labels = event_labels, .nfield_labels = 4},
    new_events = {.group = STR_INIT("events.k8s.io"), .kind = STR_INIT("Event"), .flags = API_NAMESPACED,
                  .field_labels = regarding_labels, .nfield_labels = 2},
    config_maps = {.kind = STR_INIT("ConfigMap"), .flags = API_NAMESPACED},
    volumes = {.kind = STR_INIT("PersistentVolume")},
    shirts = {.group = STR_INIT("example.com"), .kind = STR_INIT("Shirt"), .flags = API_NAMESPACED | API_CUSTOM,
              .field_labels = custom_labels, .nfield_labels = 2},
    plain_custom = {.group = STR_INIT("example.com"), .kind = STR_INIT("Sock"), .flags = API_CUSTOM};

TEST(field_selectors_match)
{
    static const char *const pod = "{\"metadata\":{\"name\":\"a,b=c\",\"namespace\":\"ns\"},\"spec\":{\"nodeName\":\"n1\"},"
                                   "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}";
    static const char *const event = "{\"involvedObject\":{\"name\":\"p\"},\"source\":{\"component\":\"kubelet\"},"
                                     "\"reportingComponent\":\"agent\",\"type\":\"Normal\"}";
    static const char *const shirt = "{\"spec\":{\"color\":\"blue\",\"size\":3}}";
    static const struct {
        const struct api_resource *r;
        const char *object, *text;
        bool match;
    } cases[] = {
        {&pods, pod, "", true},
        {&pods, pod, "metadata.name=a\\,b\\=c", true},
        {&pods, pod, "metadata.name!=x,,metadata.namespace==ns", true},
        {&pods, pod, "spec.nodeName=n1,status.phase=Running", true},
        {&pods, pod, "spec.host=n1", true},
        {&pods, pod, "spec.host=n2", false},
        {&pods, pod, "spec.nodeName=", false},
        {&pods, pod, "status.phase!=Running", false},
        {&pods, pod, "spec.hostNetwork=false", true},
        {&pods, pod, "status.podIP=10.0.0.1", true},
        {&pods, pod, "status.podIPs=", true},
        {&pods, "{\"spec\":{\"hostNetwork\":true}}", "spec.hostNetwork=true", true},
        {&nodes, "{}", "spec.unschedulable=false", true},
        {&nodes, "{\"spec\":{\"unschedulable\":true}}", "spec.unschedulable!=true", false},
        {&jobs, "{}", "status.successful=0", true},
        {&jobs, "{\"status\":{\"succeeded\":2}}", "status.successful=2", true},
        {&events, event, "involvedObject.name=p,type=Normal,source=kubelet,reportingComponent=agent", true},
        {&events, "{\"reportingComponent\":\"agent\"}", "source=agent", true},
        {&new_events, event, "regarding.name=p,reportingController=agent", true},
        {&new_events, "{\"regarding\":{\"name\":\"q\"}}", "regarding.name=q", true},
        {&config_maps, "{\"metadata\":{\"name\":\"c\"}}", "metadata.name=c", true},
        {&volumes, "{\"metadata\":{\"name\":\"v\"}}", "metadata.namespace=", true},
        {&shirts, shirt, "spec.color=blue,spec.size=3", true},
        {&shirts, shirt, "spec.color!=blue", false},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json obj = json_literal(&a, cases[i].object);
        struct selector s;
        struct err err = ERR_NONE;
        T_NO_ERR(selector_parse_fields(&a, cases[i].r, str_of(cases[i].text), &s, &err), &err);
        if (!err.code && selector_match_fields(&s, cases[i].r, &obj) != cases[i].match)
            T_FAIL_("'%s' should %smatch", cases[i].text, cases[i].match ? "" : "not ");
    }
}

TEST(field_selector_errors_are_kubernetes_ones)
{
    static const struct {
        const struct api_resource *r;
        const char *text, *message;
    } cases[] = {
        {&pods, "spec.foo=1", "field label not supported: spec.foo"},
        {&nodes, "metadata.namespace=x", "field label not supported: metadata.namespace"},
        {&jobs, "spec.foo=1", "field label \"spec.foo\" not supported for Job"},
        {&config_maps, "data.a=1", "\"data.a\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
        {&shirts, "spec.x=1", "field label not supported: spec.x"},
        {&plain_custom, "metadata.namespace=1", "field label not supported: metadata.namespace"},
        {&pods, "a,b=c", "invalid selector: 'a,b=c'; can't understand 'a'"},
        {&pods, "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
        {&pods, "metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"},
        {&pods, "metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct selector s;
        struct err err = ERR_NONE;
        T_ERR(selector_parse_fields(&a, cases[i].r, str_of(cases[i].text), &s, &err), E_INVALID_ARG);
        T_EQ_STR(str_of(err.msg), cases[i].message);
    }
}

TEST(pins_turn_lists_into_gets)
{
    ARENA_AUTO a = ARENA_INIT;
    struct selector s;
    str value = S("");
    T_NO_ERR(selector_parse_fields(&a, &pods, S("status.phase!=x,metadata.name=a"), &s, NULL), &ERR_NONE);
    T_OK(selector_pins(&s, S("metadata.name"), &value));
    T_EQ_STR(value, "a");
    T_OK(!selector_pins(&s, S("status.phase"), &value));
    T_OK(!selector_pins(&s, S("metadata.namespace"), &value));
}

TEST_MAIN(label_selectors_parse_match_and_print, label_selector_errors_are_kubernetes_ones, too_many_terms_are_refused,
          label_selector_objects, label_selector_object_errors, field_selectors_match,
          field_selector_errors_are_kubernetes_ones, pins_turn_lists_into_gets)
