/* SPDX-License-Identifier: Apache-2.0 */
#include "api/apply.h"

#include "api/apply_typed.h"
#include "api/codec.h"
#include "base/test.h"

/* One object and its server: conforms what was merged and completes what is stored, as the API server does. */
struct world {
    struct arena a;
    struct apply_context ctx;
    struct json live;
    bool exists, custom;
    bool changed; /* by the last apply */
    struct apply_conflicts conflicts;
    struct err err;
};

static const struct schema_type *kind_type(const char *kind)
{
    for (size_t i = 0; i < api_builtin_count; i++)
        if (str_is(api_builtin_resources[i]->kind, kind))
            return api_builtin_resources[i]->type;
    BUG_ON(true);
}

static void world_fini(struct world *w)
{
    arena_fini(&w->a);
}
#define WORLD(name, kind, version)                                                                                       \
    __attribute__((cleanup(world_fini))) struct world name = {                                                           \
        .ctx = {.type = kind_type(kind), .api_version = S(version), .now = 1700000000 * NSEC_PER_SEC}}

static void store(struct world *w, struct json obj)
{
    struct err err = ERR_NONE;
    if (!w->custom) {
        T_NO_ERR(api_conform(&w->a, w->ctx.type, &obj, NULL, &err), &err);
        api_complete(&w->a, w->ctx.type, &obj);
    }
    json_set(&w->a, json_ensure_object(&w->a, &obj, S("metadata")), S("uid"), json_string(S("u-1")));
    w->live = json_copy(&w->a, &obj);
    w->exists = true;
    w->ctx.now += NSEC_PER_SEC;
}

static int apply_as(struct world *w, const char *manager, bool force, const char *config)
{
    struct json body = json_literal(&w->a, config), out;
    w->ctx.manager = str_of(manager);
    w->ctx.force = force;
    w->err = ERR_NONE;
    str before = w->exists ? json_text(&w->a, &w->live) : S("");
    int r = apply_merge(&w->a, &w->ctx, w->exists ? &w->live : NULL, &body, &out, &w->changed, &w->conflicts, &w->err);
    if (w->exists && !str_eq(before, json_text(&w->a, &w->live)))
        T_FAIL_("the live object was changed");
    if (r == 0)
        store(w, out);
    return r;
}

static void update_as(struct world *w, const char *manager, const char *text)
{
    struct json obj = json_literal(&w->a, text);
    const struct json *sent = json_path(&obj, "metadata", "managedFields", NULL);
    struct json list = sent ? *sent : json_null();
    struct err err = ERR_NONE;
    w->ctx.manager = str_of(manager);
    if (!w->custom)
        T_NO_ERR(api_conform(&w->a, w->ctx.type, &obj, NULL, &err), &err);
    if (list.type == JSON_ARRAY) /* also when empty, which says more than nothing */
        json_set(&w->a, json_get(&obj, S("metadata")), S("managedFields"), list);
    apply_track_update(&w->a, &w->ctx, w->exists ? &w->live : NULL, &obj);
    store(w, obj);
}

/* The same object with one member of spec set, as a patch would do. */
static void set_spec(struct world *w, const char *manager, const char *field, const char *value)
{
    struct json obj = json_copy(&w->a, &w->live);
    json_set(&w->a, json_get(&obj, S("spec")), str_of(field), json_literal(&w->a, value));
    w->ctx.manager = str_of(manager);
    apply_track_update(&w->a, &w->ctx, &w->live, &obj);
    store(w, obj);
}

static const struct json *managed(const struct world *w)
{
    return json_path(&w->live, "metadata", "managedFields", NULL);
}

static const struct json *entry(const struct world *w, const char *manager, const char *operation)
{
    const struct json *list = managed(w);
    for (uint32_t i = 0; list && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("manager")), manager) && str_is(json_get_str(&list->items[i], S("operation")), operation))
            return &list->items[i];
    return NULL;
}

static str owned(struct world *w, const char *manager, const char *operation)
{
    const struct json *e = entry(w, manager, operation);
    return e ? json_text(&w->a, json_get(e, S("fieldsV1"))) : S("none");
}

static str text_at(struct world *w, const char *x, const char *y)
{
    const struct json *v = json_path(&w->live, x, y, NULL);
    return v ? json_text(&w->a, v) : S("none");
}

#define DEPLOYMENT(meta, spec) \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\",\"namespace\":\"ns\"" meta "},\"spec\":{" spec "}}"
#define POD(meta, spec) "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"" meta "},\"spec\":{" spec "}}"
#define SERVICE(spec) "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\"},\"spec\":{" spec "}}"
#define TEMPLATE(x) "\"template\":{\"spec\":{\"containers\":[" x "]}}"

/* --- updates -------------------------------------------------------------------------------------------- */

TEST(create_owns_what_it_wrote)
{
    WORLD(w, "Pod", "v1");
    update_as(&w, "kubectl-run",
              "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{\"run\":\"p\"},\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},"
              "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"ports\":[{\"containerPort\":443},{\"containerPort\":80,\"protocol\":\"TCP\"}],"
              "\"args\":[\"x\"],\"resources\":{\"limits\":{\"cpu\":\"1\"}}}],\"nodeSelector\":{\"a\":\"b\"},\"restartPolicy\":\"Always\","
              "\"securityContext\":{}},\"status\":{\"phase\":\"Pending\"}}");
    /* no "." where Go always has a struct or a list; keys by number; status and system metadata belong to nobody */
    T_EQ_STR(owned(&w, "kubectl-run", "Update"),
             "{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:run\":{}}},\"f:spec\":{\"f:containers\":{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},"
             "\"f:args\":{},\"f:image\":{},\"f:name\":{},\"f:ports\":{\".\":{},\"k:{\\\"containerPort\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},"
             "\"f:containerPort\":{},\"f:protocol\":{}},\"k:{\\\"containerPort\\\":443,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:containerPort\":{}}},"
             "\"f:resources\":{\".\":{},\"f:limits\":{\".\":{},\"f:cpu\":{}}}}},\"f:nodeSelector\":{},\"f:restartPolicy\":{},\"f:securityContext\":{}}}");
    const struct json *e = entry(&w, "kubectl-run", "Update");
    struct json bare = *e;
    bare.len = 5; /* up to fieldsType */
    T_EQ_STR(json_text(&w.a, &bare), "{\"manager\":\"kubectl-run\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"2023-11-14T22:13:20Z\","
                                     "\"fieldsType\":\"FieldsV1\"}");
}

TEST(always_written_fields_are_no_change)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":1,\"strategy\":{\"type\":\"Recreate\"}," TEMPLATE("{\"name\":\"c\"}")));
    T_EQ_STR(owned(&w, "a", "Update"), "{\"f:spec\":{\"f:replicas\":{},\"f:strategy\":{\"f:type\":{}},\"f:template\":{\"f:spec\":{\"f:containers\":"
                                       "{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},\"f:name\":{},\"f:resources\":{}}}}}}}");
    str before = json_text(&w.a, managed(&w));
    /* not completed, against the completed live object */
    update_as(&w, "b", DEPLOYMENT("", "\"replicas\":1,\"strategy\":{\"type\":\"Recreate\"}," TEMPLATE("{\"name\":\"c\"}")));
    T_OK(str_eq(json_text(&w.a, managed(&w)), before));
}

TEST(update_moves_changed_fields)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":1,\"paused\":true,\"selector\":{\"matchLabels\":{\"x\":\"y\"}}"));
    T_EQ_STR(owned(&w, "a", "Update"), "{\"f:spec\":{\"f:paused\":{},\"f:replicas\":{},\"f:selector\":{}}}");
    update_as(&w, "b", DEPLOYMENT("", "\"replicas\":2,\"selector\":{\"matchLabels\":{\"x\":\"y\"}}"));
    T_EQ_STR(owned(&w, "a", "Update"), "{\"f:spec\":{\"f:selector\":{}}}");
    T_EQ_STR(owned(&w, "b", "Update"), "{\"f:spec\":{\"f:replicas\":{}}}");
    /* back again; b has nothing left */
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":3,\"selector\":{\"matchLabels\":{\"x\":\"y\"}}"));
    T_EQ_STR(owned(&w, "a", "Update"), "{\"f:spec\":{\"f:replicas\":{},\"f:selector\":{}}}");
    T_EQ_STR(owned(&w, "b", "Update"), "none");
}

TEST(time_moves_only_with_a_change)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":1"));
    set_spec(&w, "b", "paused", "true");
    str time = json_get_str(entry(&w, "a", "Update"), S("time"));
    T_EQ_STR(time, "2023-11-14T22:13:20Z");
    T_EQ_STR(json_get_str(entry(&w, "b", "Update"), S("time")), "2023-11-14T22:13:21Z");
    set_spec(&w, "b", "paused", "true");
    T_EQ_STR(json_get_str(entry(&w, "b", "Update"), S("time")), "2023-11-14T22:13:21Z");
    set_spec(&w, "a", "replicas", "5");
    T_EQ_STR(json_get_str(entry(&w, "a", "Update"), S("time")), "2023-11-14T22:13:23Z");
    T_EQ_STR(json_get_str(&managed(&w)->items[1], S("manager")), "a"); /* sorted by time */
}

TEST(status_has_its_own_entries)
{
    WORLD(w, "Pod", "v1");
    update_as(&w, "creator", POD("", "\"nodeName\":\"n\""));
    w.ctx.subresource = S("status");
    update_as(&w, "kubelet", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"managedFields\":[]},\"spec\":{\"nodeName\":\"n\"},"
                             "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    T_EQ_STR(owned(&w, "creator", "Update"), "{\"f:spec\":{\"f:nodeName\":{}}}"); /* managedFields are not taken through subresources */
    T_EQ_STR(owned(&w, "kubelet", "Update"),
             "{\"f:status\":{\"f:conditions\":{\".\":{},\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},\"f:lastProbeTime\":{},\"f:lastTransitionTime\":{},"
             "\"f:status\":{},\"f:type\":{}}},\"f:phase\":{}}}");
    T_EQ_STR(json_get_str(entry(&w, "kubelet", "Update"), S("subresource")), "status");
    w.ctx.subresource = S("");
    set_spec(&w, "kubelet", "nodeName", "\"m\""); /* the same manager elsewhere: an entry of its own */
    T_EQ_INT(managed(&w)->len, 2);
}

TEST(clients_may_clear_and_edit_the_list)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":1"));
    update_as(&w, "b", DEPLOYMENT(",\"managedFields\":[]", "\"replicas\":2"));
    T_OK(!managed(&w));
    set_spec(&w, "b", "replicas", "3"); /* stays without until somebody applies */
    T_OK(!managed(&w));

    WORLD(v, "Deployment", "apps/v1");
    update_as(&v, "a", DEPLOYMENT("", "\"replicas\":1"));
    update_as(&v, "b", DEPLOYMENT(",\"managedFields\":[{}]", "\"replicas\":1"));
    T_OK(!managed(&v));

    WORLD(u, "Deployment", "apps/v1");
    update_as(&u, "a", DEPLOYMENT("", "\"replicas\":1"));
    update_as(&u, "b", DEPLOYMENT(",\"managedFields\":[{\"manager\":\"edited\",\"operation\":\"Apply\",\"apiVersion\":\"apps/v1\","
                                  "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}}}]",
                                  "\"replicas\":1,\"paused\":true"));
    T_EQ_STR(owned(&u, "edited", "Apply"), "{\"f:spec\":{\"f:replicas\":{}}}");
    T_EQ_STR(owned(&u, "b", "Update"), "{\"f:spec\":{\"f:paused\":{}}}");
    T_EQ_STR(owned(&u, "a", "Update"), "none");
    /* what cannot be read is ignored */
    update_as(&u, "b", DEPLOYMENT(",\"managedFields\":[{\"manager\":\"x\",\"operation\":\"Nope\"}]", "\"replicas\":1,\"paused\":true"));
    T_EQ_STR(owned(&u, "edited", "Apply"), "{\"f:spec\":{\"f:replicas\":{}}}");
}

TEST(live_stays_as_it_is_when_the_new_object_shares_its_parts)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "a", DEPLOYMENT("", "\"replicas\":1"));
    str before = json_text(&w.a, &w.live);
    struct json obj = w.live; /* the same metadata, another spec: what a strategic patch gives */
    obj.members = arena_array(&w.a, obj.len, struct json_member);
    memcpy(obj.members, w.live.members, obj.len * sizeof *obj.members);
    json_set(&w.a, &obj, S("spec"), json_literal(&w.a, "{\"replicas\":2}"));
    w.ctx.manager = S("b");
    apply_track_update(&w.a, &w.ctx, &w.live, &obj);
    T_OK(str_eq(json_text(&w.a, &w.live), before));
    T_EQ_STR(json_get_str(&json_path(&obj, "metadata", "managedFields", NULL)->items[0], S("manager")), "b");
}

TEST(old_updaters_become_ancient)
{
    WORLD(w, "ConfigMap", "v1");
    struct strbuf data = strbuf_on(&w.a);
    for (int i = 0; i < 13; i++) {
        strbuf_addf(&data, "%s\"k%02d\":\"v\"", i ? "," : "", i);
        update_as(&w, arena_fmt(&w.a, "m%02d", i).p, arena_fmt(&w.a, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{%s}}", data.p).p);
    }
    T_EQ_INT(managed(&w)->len, 10);
    T_EQ_STR(owned(&w, "ancient-changes", "Update"), "{\"f:data\":{\".\":{},\"f:k00\":{},\"f:k01\":{},\"f:k02\":{},\"f:k03\":{}}}");
    T_EQ_STR(json_get_str(entry(&w, "ancient-changes", "Update"), S("time")), "2023-11-14T22:13:23Z");
    T_EQ_STR(owned(&w, "m04", "Update"), "{\"f:data\":{\"f:k04\":{}}}");
}

/* --- apply ---------------------------------------------------------------------------------------------- */

TEST(apply_creates)
{
    WORLD(w, "Deployment", "apps/v1");
    T_EQ_INT(apply_as(&w, "flux", false, DEPLOYMENT(",\"labels\":{\"a\":\"b\"}", "\"replicas\":2," TEMPLATE("{\"name\":\"c\",\"image\":\"i\"}"))), 0);
    T_OK(w.changed);
    T_EQ_STR(owned(&w, "flux", "Apply"), "{\"f:metadata\":{\"f:labels\":{\"f:a\":{}}},\"f:spec\":{\"f:replicas\":{},\"f:template\":{\"f:spec\":{\"f:containers\":"
                                         "{\"k:{\\\"name\\\":\\\"c\\\"}\":{\".\":{},\"f:image\":{},\"f:name\":{}}}}}}}");
    T_EQ_STR(json_get_str(entry(&w, "flux", "Apply"), S("time")), "2023-11-14T22:13:20Z");
    T_EQ_INT(apply_as(&w, "flux", false, DEPLOYMENT(",\"labels\":{\"a\":\"b\"}", "\"replicas\":2," TEMPLATE("{\"name\":\"c\",\"image\":\"i\"}"))), 0);
    T_OK(!w.changed);
    T_EQ_STR(json_get_str(entry(&w, "flux", "Apply"), S("time")), "2023-11-14T22:13:20Z");
}

TEST(two_appliers_share_equal_values)
{
    WORLD(w, "Deployment", "apps/v1");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":2,\"paused\":true")), 0);
    T_EQ_INT(apply_as(&w, "b", false, DEPLOYMENT("", "\"replicas\":2")), 0);
    T_OK(w.changed); /* the list of owners is */
    T_EQ_STR(owned(&w, "a", "Apply"), "{\"f:spec\":{\"f:paused\":{},\"f:replicas\":{}}}");
    T_EQ_STR(owned(&w, "b", "Apply"), "{\"f:spec\":{\"f:replicas\":{}}}");
    T_OK(!json_get(entry(&w, "b", "Apply"), S("time"))); /* as in Kubernetes: the object did not change */
    /* one gives it up: it stays for the other */
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"paused\":true")), 0);
    T_EQ_STR(text_at(&w, "spec", "replicas"), "2");
    /* the other too: it goes */
    T_EQ_INT(apply_as(&w, "b", false, DEPLOYMENT("", "")), 0);
    T_EQ_STR(text_at(&w, "spec", "replicas"), "none");
    T_EQ_STR(owned(&w, "b", "Apply"), "{\"f:spec\":{}}"); /* an empty object is a field */
}

TEST(conflicts_are_worded_as_kubernetes_does)
{
    WORLD(w, "Deployment", "apps/v1");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":2,\"minReadySeconds\":1")), 0);
    set_spec(&w, "kubectl-edit", "replicas", "3");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":2,\"minReadySeconds\":1")), -E_CONFLICT);
    T_EQ_STR(str_of(w.err.msg), "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using apps/v1: .spec.replicas");
    T_EQ_INT(w.conflicts.len, 1);
    T_EQ_STR(w.conflicts.items[0].manager, "\"kubectl-edit\" using apps/v1");
    T_EQ_STR(w.conflicts.items[0].path, ".spec.replicas");
    T_EQ_INT(apply_as(&w, "b", false, DEPLOYMENT("", "\"replicas\":9,\"minReadySeconds\":9")), -E_CONFLICT);
    T_EQ_STR(str_of(w.err.msg), "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.minReadySeconds\n"
                                "conflicts with \"kubectl-edit\" using apps/v1:\n- .spec.replicas");
    w.ctx.subresource = S("scale");
    set_spec(&w, "hpa", "replicas", "4");
    w.ctx.subresource = S("");
    T_EQ_INT(apply_as(&w, "b", false, DEPLOYMENT("", "\"replicas\":9")), -E_CONFLICT);
    T_EQ_STR(str_of(w.err.msg), "Apply failed with 1 conflict: conflict with \"hpa\" with subresource \"scale\" using apps/v1: .spec.replicas");
    T_EQ_STR(text_at(&w, "spec", "replicas"), "4");
    /* the same value is no conflict */
    T_EQ_INT(apply_as(&w, "b", false, DEPLOYMENT("", "\"replicas\":4")), 0);
}

TEST(long_conflict_messages_are_whole_in_the_list)
{
    WORLD(w, "ConfigMap", "v1");
    struct strbuf x = strbuf_on(&w.a), y = strbuf_on(&w.a);
    for (int i = 0; i < 100; i++) {
        strbuf_addf(&x, "%s\"key-%02d\":\"v\"", i ? "," : "", i);
        strbuf_addf(&y, "%s\"key-%02d\":\"w\"", i ? "," : "", i);
    }
    const char *form = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{%s}}";
    T_EQ_INT(apply_as(&w, "a", false, arena_fmt(&w.a, form, x.p).p), 0);
    T_EQ_INT(apply_as(&w, "b", false, arena_fmt(&w.a, form, y.p).p), -E_CONFLICT);
    T_EQ_INT(w.conflicts.len, 100);
    str all = apply_conflicts_message(&w.a, &w.conflicts);
    T_OK(str_has_prefix(all, S("Apply failed with 100 conflicts: conflicts with \"a\":\n- .data.key-00\n")));
    T_OK(str_has_suffix(all, S("\n- .data.key-99")));
}

TEST(force_takes_ownership)
{
    WORLD(w, "Deployment", "apps/v1");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":2,\"paused\":true")), 0);
    T_EQ_INT(apply_as(&w, "b", true, DEPLOYMENT("", "\"replicas\":3")), 0);
    T_EQ_STR(owned(&w, "a", "Apply"), "{\"f:spec\":{\"f:paused\":{}}}");
    T_EQ_STR(owned(&w, "b", "Apply"), "{\"f:spec\":{\"f:replicas\":{}}}");
    T_EQ_STR(text_at(&w, "spec", "replicas"), "3");
}

TEST(list_items_come_and_go_by_key)
{
    WORLD(w, "Pod", "v1");
    T_EQ_INT(apply_as(&w, "a", false, POD("", "\"containers\":[{\"name\":\"x\",\"image\":\"1\"},{\"name\":\"y\",\"image\":\"1\"}]")), 0);
    T_EQ_INT(apply_as(&w, "b", false, POD("", "\"containers\":[{\"name\":\"y\",\"env\":[{\"name\":\"E\",\"value\":\"v\"}]},{\"name\":\"z\",\"image\":\"2\"}]")), 0);
    T_EQ_STR(text_at(&w, "spec", "containers"),
             "[{\"name\":\"x\",\"image\":\"1\",\"resources\":{}},{\"name\":\"y\",\"image\":\"1\",\"resources\":{},\"env\":[{\"name\":\"E\",\"value\":\"v\"}]},"
             "{\"name\":\"z\",\"image\":\"2\",\"resources\":{}}]");
    /* a drops both: x goes, y loses what only a had */
    T_EQ_INT(apply_as(&w, "a", false, POD(",\"labels\":{\"l\":\"1\"}", "")), 0);
    T_EQ_STR(text_at(&w, "spec", "containers"), "[{\"name\":\"y\",\"resources\":{},\"env\":[{\"name\":\"E\",\"value\":\"v\"}]},"
                                                "{\"name\":\"z\",\"image\":\"2\",\"resources\":{}}]");
    /* b drops the environment: the rest of y stays b's */
    T_EQ_INT(apply_as(&w, "b", false, POD("", "\"containers\":[{\"name\":\"z\",\"image\":\"2\"},{\"name\":\"y\"}]")), 0);
    T_EQ_STR(text_at(&w, "spec", "containers"), "[{\"name\":\"z\",\"image\":\"2\",\"resources\":{}},{\"name\":\"y\",\"resources\":{}}]");
}

TEST(ports_are_keyed_with_the_default_protocol)
{
    WORLD(w, "Service", "v1");
    T_EQ_INT(apply_as(&w, "a", false, SERVICE("\"ports\":[{\"port\":80,\"name\":\"h\"}]")), 0);
    T_EQ_STR(owned(&w, "a", "Apply"),
             "{\"f:spec\":{\"f:ports\":{\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:name\":{},\"f:port\":{}}}}}");
    T_EQ_INT(apply_as(&w, "b", false, SERVICE("\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":80,\"protocol\":\"UDP\"}]")), 0);
    const struct json *ports = json_path(&w.live, "spec", "ports", NULL);
    T_EQ_INT(ports->len, 2);
    T_EQ_STR(json_get_str(&ports->items[0], S("name")), "h");
    T_EQ_INT(apply_as(&w, "b", false, SERVICE("\"ports\":[{\"port\":80,\"name\":\"other\"}]")), -E_CONFLICT);
    T_EQ_STR(w.conflicts.items[0].path, ".spec.ports[port=80,protocol=\"TCP\"].name");
}

TEST(sets_and_atomic_values)
{
    WORLD(w, "Pod", "v1");
    T_EQ_INT(apply_as(&w, "a", false, POD(",\"finalizers\":[\"x/1\",\"x/2\"]", "\"nodeSelector\":{\"k\":\"1\"},\"tolerations\":[{\"key\":\"a\"}]")), 0);
    T_EQ_STR(owned(&w, "a", "Apply"), "{\"f:metadata\":{\"f:finalizers\":{\"v:\\\"x/1\\\"\":{},\"v:\\\"x/2\\\"\":{}}},"
                                      "\"f:spec\":{\"f:nodeSelector\":{},\"f:tolerations\":{}}}");
    T_EQ_INT(apply_as(&w, "b", false, POD(",\"finalizers\":[\"x/3\",\"x/1\"]", "")), 0);
    T_EQ_STR(text_at(&w, "metadata", "finalizers"), "[\"x/3\",\"x/1\",\"x/2\"]");
    T_EQ_INT(apply_as(&w, "a", false, POD("", "\"nodeSelector\":{\"k\":\"1\"}")), 0);
    T_EQ_STR(text_at(&w, "metadata", "finalizers"), "[\"x/3\",\"x/1\"]");
    T_EQ_STR(text_at(&w, "spec", "tolerations"), "none");
    T_EQ_INT(apply_as(&w, "b", false, POD("", "\"nodeSelector\":{\"k\":\"1\",\"l\":\"2\"}")), -E_CONFLICT);
    T_EQ_STR(w.conflicts.items[0].path, ".spec.nodeSelector");
}

TEST(objects_without_owners_belong_to_before_first_apply)
{
    WORLD(w, "Deployment", "apps/v1");
    update_as(&w, "old", DEPLOYMENT("", "\"replicas\":1,\"paused\":true"));
    update_as(&w, "old", DEPLOYMENT(",\"managedFields\":[]", "\"replicas\":1,\"paused\":true"));
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":2")), -E_CONFLICT);
    T_EQ_STR(str_of(w.err.msg), "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: .spec.replicas");
    T_EQ_INT(apply_as(&w, "a", true, DEPLOYMENT("", "\"replicas\":2")), 0);
    T_EQ_STR(owned(&w, "before-first-apply", "Update"), "{\"f:spec\":{\"f:paused\":{}}}");
}

/* kubectl apply, then kubectl apply --server-side: its four writes. */
TEST(kubectl_moves_from_client_side_to_server_side)
{
    WORLD(w, "Deployment", "apps/v1");
#define LAST "{\\\"apiVersion\\\":\\\"apps/v1\\\",\\\"kind\\\":\\\"Deployment\\\",\\\"spec\\\":{\\\"replicas\\\":1,\\\"paused\\\":true}}"
    update_as(&w, "kubectl-client-side-apply",
              DEPLOYMENT(",\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"" LAST "\"}", "\"replicas\":1,\"paused\":true"));
    set_spec(&w, "kubectl-edit", "minReadySeconds", "7");
    /* its own old fields are no conflict, somebody else's are */
    T_EQ_INT(apply_as(&w, "kubectl", false, DEPLOYMENT("", "\"replicas\":2,\"minReadySeconds\":8")), -E_CONFLICT);
    T_EQ_STR(str_of(w.err.msg), "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using apps/v1: .spec.minReadySeconds");
    T_EQ_INT(apply_as(&w, "other", false, DEPLOYMENT("", "\"replicas\":2")), -E_CONFLICT);
    T_EQ_INT(apply_as(&w, "kubectl", false, DEPLOYMENT("", "\"replicas\":2")), 0);
    T_EQ_STR(owned(&w, "kubectl", "Apply"), "{\"f:spec\":{\"f:replicas\":{}}}");
    str last = json_get_str(json_path(&w.live, "metadata", "annotations", NULL), S("kubectl.kubernetes.io/last-applied-configuration"));
    T_EQ_STR(last, "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\",\"namespace\":\"ns\"},\"spec\":{\"replicas\":2}}\n");
    /* the annotation gets an owner of its own */
    struct json cfg = json_literal(&w.a, DEPLOYMENT(",\"annotations\":{}", ""));
    json_set(&w.a, json_path(&cfg, "metadata", "annotations", NULL), S("kubectl.kubernetes.io/last-applied-configuration"), json_string(last));
    json_del(&cfg, S("spec"));
    T_EQ_INT(apply_as(&w, "kubectl-last-applied", true, json_text(&w.a, &cfg).p), 0);
    T_EQ_STR(owned(&w, "kubectl-last-applied", "Apply"), "{\"f:metadata\":{\"f:annotations\":{\"f:kubectl.kubernetes.io/last-applied-configuration\":{}}}}");
    /* the JSON patch: kubectl's entries joined into the applier's, the old one gone */
    struct json obj = json_copy(&w.a, &w.live);
    json_set(&w.a, json_get(&obj, S("metadata")), S("managedFields"),
             json_literal(&w.a, "[{\"manager\":\"kubectl\",\"operation\":\"Apply\",\"apiVersion\":\"apps/v1\",\"time\":\"2023-11-14T22:13:20Z\",\"fieldsType\":"
                                "\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\"f:paused\":{},\"f:replicas\":{}}}}]"));
    w.ctx.manager = S("kubectl");
    apply_track_update(&w.a, &w.ctx, &w.live, &obj);
    store(&w, obj);
    T_EQ_INT(managed(&w)->len, 1);
    /* so that what left the manifest since is removed at last */
    T_EQ_INT(apply_as(&w, "kubectl", false, DEPLOYMENT("", "\"replicas\":2")), 0);
    T_EQ_STR(text_at(&w, "spec", "paused"), "none");
}

TEST(appliers_keep_their_entry_across_versions)
{
    WORLD(w, "Deployment", "apps/v1");
    w.ctx.api_version = S("apps/v1beta1");
    T_EQ_INT(apply_as(&w, "a", false, "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":1,\"paused\":true}}"), 0);
    set_spec(&w, "u", "minReadySeconds", "1");
    w.ctx.api_version = S("apps/v1");
    set_spec(&w, "u", "minReadySeconds", "2");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "\"replicas\":1")), 0);
    T_EQ_INT(managed(&w)->len, 2);
    T_EQ_STR(json_get_str(entry(&w, "a", "Apply"), S("apiVersion")), "apps/v1");
    T_EQ_STR(text_at(&w, "spec", "paused"), "none");
    T_EQ_STR(owned(&w, "u", "Update"), "{\"f:spec\":{\"f:minReadySeconds\":{}}}");
}

TEST(bad_configurations_are_refused)
{
    WORLD(w, "Pod", "v1");
    T_EQ_INT(apply_as(&w, "a", false, POD(",\"managedFields\":[]", "")), -E_INVALID_ARG);
    T_EQ_STR(str_of(w.err.msg), "metadata.managedFields must be nil");
    T_EQ_INT(apply_as(&w, "a", false, DEPLOYMENT("", "")), -E_INVALID_ARG);
    T_EQ_STR(str_of(w.err.msg), "Incorrect version specified in apply patch. Specified patch version: apps/v1, expected: v1");
    T_EQ_INT(apply_as(&w, "a", false, POD("", "\"containers\":[{\"name\":\"x\"},{\"name\":\"y\"},{\"name\":\"x\"}]")), -E_INVALID_ARG);
    T_EQ_STR(str_of(w.err.msg), "failed to create typed patch object (/p; v1, Kind=Pod): .spec.containers: duplicate entries for key [name=\"x\"]");
    T_EQ_INT(apply_as(&w, "a", false, POD("", "\"containers\":[{\"name\":\"x\",\"env\":[{\"value\":\"1\"}]}]")), -E_INVALID_ARG);
    T_EQ_STR(str_of(w.err.msg),
             "failed to create typed patch object (/p; v1, Kind=Pod): .spec.containers[name=\"x\"].env: element 0: associative list with keys has an element "
             "that omits key field \"name\" (and doesn't have default value)");
    T_OK(!w.exists);
}

/* --- custom resources ----------------------------------------------------------------------------------- */

static const str rule_keys[] = {STR_INIT("port"), STR_INIT("host")};
static const struct schema_field rule_fields[] = {
    {.name = STR_INIT("host"), .type = &schema_string, .dflt = STR_INIT("\"*\"")},
    {.name = STR_INIT("port"), .type = &schema_int64},
    {.name = STR_INIT("note"), .type = &schema_string},
};
static const struct schema_type rule_type = {.kind = SCHEMA_OBJECT, .fields = rule_fields, .nfields = 3};
static const struct schema_type rules_type = {.kind = SCHEMA_LIST, .list_type = SCHEMA_LIST_MAP, .keys = rule_keys, .nkeys = 2, .elem = &rule_type};
static const struct schema_type free_type = {.kind = SCHEMA_OBJECT, .preserve_unknown = true};
static const struct schema_field spec_fields[] = {
    {.name = STR_INIT("rules"), .type = &rules_type},
    {.name = STR_INIT("free"), .type = &free_type},
};
static const struct schema_type spec_type = {.kind = SCHEMA_OBJECT, .fields = spec_fields, .nfields = 2};
static const struct schema_type any_status = {.kind = SCHEMA_OBJECT, .preserve_unknown = true};
static const struct schema_field root_fields[] = {
    {.name = STR_INIT("spec"), .type = &spec_type},
    {.name = STR_INIT("status"), .type = &any_status},
};
static const struct schema_type custom_type = {.kind = SCHEMA_OBJECT, .fields = root_fields, .nfields = 2, .raw = STR_INIT("{}")};

#define CUSTOM(rest) "{\"apiVersion\":\"x/v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"c\",\"labels\":{\"l\":\"1\"}}," rest "}"

TEST(custom_resources_follow_their_schema)
{
    WORLD(w, "Pod", "x/v1");
    w.ctx.type = &custom_type;
    w.custom = true;
    T_EQ_INT(apply_as(&w, "a", false, CUSTOM("\"spec\":{\"rules\":[{\"port\":1,\"note\":\"n\"}],\"free\":{\"o\":{\"p\":[1],\"q\":{}}}},\"status\":{\"s\":1}")), 0);
    T_EQ_STR(owned(&w, "a", "Apply"),
             "{\"f:metadata\":{\"f:labels\":{\"f:l\":{}}},\"f:spec\":{\"f:free\":{\"f:o\":{\".\":{},\"f:p\":{},\"f:q\":{}}},"
             "\"f:rules\":{\"k:{\\\"host\\\":\\\"*\\\",\\\"port\\\":1}\":{\".\":{},\"f:note\":{},\"f:port\":{}}}}}");
    T_EQ_INT(apply_as(&w, "b", false, CUSTOM("\"spec\":{\"rules\":[{\"host\":\"*\",\"port\":1},{\"host\":\"h\",\"port\":1}],\"free\":{\"o\":{\"r\":true}}}")), 0);
    T_EQ_INT(json_path(&w.live, "spec", "rules", NULL)->len, 2);
    T_EQ_INT(apply_as(&w, "b", false, CUSTOM("\"spec\":{\"free\":{\"o\":{\"p\":[2]}}}")), -E_CONFLICT);
    T_EQ_STR(w.conflicts.items[0].path, ".spec.free.o.p");
    T_EQ_INT(apply_as(&w, "a", false, CUSTOM("\"spec\":{}")), 0);
    T_EQ_STR(text_at(&w, "spec", "free"), "{\"o\":{\"r\":true}}");

    WORLD(v, "Pod", "x/v1");
    v.ctx.type = &custom_type;
    v.ctx.owns_status = v.custom = true;
    update_as(&v, "a", CUSTOM("\"spec\":{\"free\":{\"x\":1}},\"status\":{\"s\":{\"t\":1}}"));
    /* nothing is always there in a custom resource, so the containers appear with their contents */
    T_EQ_STR(owned(&v, "a", "Update"), "{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:l\":{}}},\"f:spec\":{\".\":{},\"f:free\":{\".\":{},\"f:x\":{}}},"
                                       "\"f:status\":{\".\":{},\"f:s\":{\".\":{},\"f:t\":{}}}}");
}

TEST(untyped_values_may_change_their_shape)
{
    WORLD(w, "Pod", "x/v1");
    w.ctx.type = &custom_type;
    w.custom = true;
    update_as(&w, "a", CUSTOM("\"spec\":{\"free\":{\"x\":{\"y\":1},\"z\":[1]}}"));
    update_as(&w, "b", CUSTOM("\"spec\":{\"free\":{\"x\":\"flat\",\"z\":{\"now\":\"map\"}}}"));
    T_EQ_STR(owned(&w, "b", "Update"), "{\"f:spec\":{\"f:free\":{\"f:x\":{},\"f:z\":{\".\":{},\"f:now\":{}}}}}");
    T_EQ_STR(owned(&w, "a", "Update"), "{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:l\":{}}},\"f:spec\":{\".\":{},\"f:free\":{}}}");
    update_as(&w, "c", CUSTOM("\"spec\":{\"rules\":[{\"note\":\"no key\"}],\"free\":{\"x\":null}}"));
    T_EQ_STR(owned(&w, "c", "Update"), "{\"f:spec\":{\"f:free\":{\"f:x\":{}},\"f:rules\":{}}}");
}

TEST(schema_that_became_atomic_takes_the_fields_together)
{
    static const struct schema_type atomic_spec = {.kind = SCHEMA_OBJECT, .fields = spec_fields, .nfields = 2, .atomic = true};
    static const struct schema_field fields[] = {{.name = STR_INIT("spec"), .type = &atomic_spec}};
    static const struct schema_type later = {.kind = SCHEMA_OBJECT, .fields = fields, .nfields = 1, .raw = STR_INIT("{}")};
    WORLD(w, "Pod", "x/v1");
    w.ctx.type = &custom_type;
    w.custom = true;
    T_EQ_INT(apply_as(&w, "a", false, CUSTOM("\"spec\":{\"free\":{\"x\":1}}")), 0);
    w.ctx.type = &later;
    T_EQ_INT(apply_as(&w, "b", false, CUSTOM("\"spec\":{\"free\":{\"x\":2}}")), -E_CONFLICT);
    T_EQ_STR(w.conflicts.items[0].path, ".spec");
}

/* --- parts ---------------------------------------------------------------------------------------------- */

TEST(merged_lists_keep_an_order)
{
    static const char *const cases[][3] = {
        {"[\"a\",\"b\"]", "[\"b\",\"x\"]", "[\"a\",\"b\",\"x\"]"},
        {"[\"a\",\"b\",\"c\"]", "[\"x\",\"c\",\"a\"]", "[\"b\",\"x\",\"c\",\"a\"]"},
        {"[\"a\",\"b\",\"c\"]", "[\"c\",\"b\",\"a\"]", "[\"c\",\"b\",\"a\"]"},
        {"[\"a\",\"b\"]", "[]", "[\"a\",\"b\"]"},
        {"[]", "[\"a\",\"b\"]", "[\"a\",\"b\"]"},
        {"[\"a\",\"b\",\"c\"]", "[\"b\"]", "[\"a\",\"b\",\"c\"]"},
        {"[\"a\",\"a\",\"b\"]", "[\"b\"]", "[\"a\",\"a\",\"b\"]"},
        {"[\"a\",\"a\",\"b\"]", "[\"a\"]", "[\"a\",\"b\"]"},
    };
    static const struct schema_type set = {.kind = SCHEMA_LIST, .list_type = SCHEMA_LIST_SET, .elem = &schema_string};
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json l = json_literal(&a, cases[i][0]), r = json_literal(&a, cases[i][1]), m = typed_merge(&a, &set, &l, &r);
        T_EQ_STR(json_text(&a, &m), cases[i][2]);
    }
}

TEST(empty_containers_and_nulls)
{
    ARENA_AUTO a = ARENA_INIT;
    const struct schema_type *t = kind_type("Pod");
    struct json cfg = json_literal(&a, "{\"metadata\":{\"labels\":{},\"annotations\":null},\"spec\":{\"containers\":[],\"tolerations\":[],\"affinity\":{},"
                                       "\"nodeName\":null}}");
    struct fieldset s = typed_fields(&a, t, &cfg);
    struct json text = fieldset_to_json(&a, &s);
    T_EQ_STR(json_text(&a, &text), "{\"f:metadata\":{\"f:annotations\":{},\"f:labels\":{}},\"f:spec\":{\"f:affinity\":{},\"f:nodeName\":{},\"f:tolerations\":{}}}");
    struct json none = json_literal(&a, "{\"metadata\":{},\"spec\":{}}"), full = json_literal(&a, "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{}}");
    struct typed_diff d = typed_compare(&a, t, &full, &none);
    text = fieldset_to_json(&a, &d.removed);
    T_EQ_STR(json_text(&a, &text), "{\"f:metadata\":{\"f:labels\":{\".\":{},\"f:a\":{}}}}");
    T_OK(fieldset_is_empty(&d.changed));
}

TEST(validation_of_the_list)
{
    static const char *const cases[][2] = {
        {"[{\"manager\":\"a\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:a\":{}}}]", NULL},
        {"[]", NULL},
        {"[{}]", NULL},
        {"null", NULL},
        {"[{\"operation\":\"Patch\"}]", "metadata.managedFields[0].operation: Invalid value: \"Patch\": must be `Apply` or `Update`"},
        {"[{\"operation\":\"Apply\",\"fieldsType\":\"FieldsV2\"}]", "metadata.managedFields[0].fieldsType: Invalid value: \"FieldsV2\": must be `FieldsV1`"},
        {"[{\"operation\":\"Apply\",\"fieldsV1\":{\"oops\":{}}}]", "metadata.managedFields[0].fieldsV1: missing colon: oops"},
        {"{}", "metadata.managedFields: must be a list"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_literal(&a, cases[i][0]);
        struct err err = ERR_NONE;
        T_EQ_INT(apply_validate_managed_fields(&v, &err), cases[i][1] ? -E_INVALID : 0);
        T_EQ_STR(str_of(err.msg), cases[i][1] ? cases[i][1] : "");
    }
    T_EQ_INT(apply_validate_managed_fields(NULL, NULL), 0);
}

TEST_MAIN(create_owns_what_it_wrote, always_written_fields_are_no_change, update_moves_changed_fields, time_moves_only_with_a_change,
          status_has_its_own_entries, clients_may_clear_and_edit_the_list,
          live_stays_as_it_is_when_the_new_object_shares_its_parts, old_updaters_become_ancient, apply_creates,
          two_appliers_share_equal_values, conflicts_are_worded_as_kubernetes_does, long_conflict_messages_are_whole_in_the_list,
          force_takes_ownership, list_items_come_and_go_by_key, ports_are_keyed_with_the_default_protocol, sets_and_atomic_values,
          objects_without_owners_belong_to_before_first_apply, kubectl_moves_from_client_side_to_server_side,
          appliers_keep_their_entry_across_versions, bad_configurations_are_refused, custom_resources_follow_their_schema,
          untyped_values_may_change_their_shape, schema_that_became_atomic_takes_the_fields_together, merged_lists_keep_an_order,
          empty_containers_and_nulls, validation_of_the_list)
