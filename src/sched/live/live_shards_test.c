/* live_shards_test.c - shards and what they keep, with a clock of the test's own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/live/test_api.h"

#define KAI                                                                                                                                              \
    ",{\"name\":\"scheduling.run.ai\",\"versions\":[{\"version\":\"v2\"},{\"version\":\"v2alpha2\"}],\"preferredVersion\":{\"version\":\"v2\"}}"         \
    ",{\"name\":\"kai.scheduler\",\"versions\":[{\"version\":\"v1\"},{\"version\":\"v1alpha1\"}],\"preferredVersion\":{\"version\":\"v1\"}}"
#define QUEUES "apis/scheduling.run.ai/v2/queues"
#define SHARDS "apis/kai.scheduler/v1/schedulingshards"
#define USAGE "\"spec\":{\"usageDBConfig\":{\"usageParams\":{\"halfLifePeriod\":\"1h\"}}}"
#define ALL "{\"quota\":0,\"overQuotaWeight\":1,\"limit\":-1}"

static void queue(struct api *f, const char *name)
{
    api_put(f, QUEUES, "", name, "\"spec\":{\"resources\":{\"cpu\":" ALL ",\"memory\":" ALL ",\"gpu\":" ALL "}}");
}

/* Held for ten seconds, as nobody makes groups here. */
static void pod(struct api *f, const char *name, const char *labels, int cpu)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct api_object *o = api_put(f, "pods", "default", name, "");
    snprintf(o->meta, sizeof o->meta, ",\"labels\":{%s}", labels);
    o->spec = xstrdup(api_spec(&b, cpu, ",\"schedulerName\":\"default-scheduler\""));
    api_tell(f, o, "ADDED");
}

static void begin(struct api *f)
{
    api_init(f);
    f->groups = KAI;
    api_node(f, "n1", 8);
    queue(f, "q");
}

/* A new scheduler on the same API. */
static void begin_again(struct api *f)
{
    live_stop(f->l, api_on_stopped, f);
    api_run(f);
    T_OK(f->stopped);
    live_free(f->l);
    f->stopped = false;
    strbuf_clear(&f->log);
}

static str saved(struct api *f, const char *name, struct strbuf *b)
{
    struct api_object *o = api_find(f, "configmaps", S("kube-system"), str_of(name));
    strbuf_clear(b);
    strbuf_addf(b, "%s", o ? o->rest : "");
    return strbuf_str(b);
}

static double usage_of(struct api *f, const char *name)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    double v = -1;
    live_metrics_write(f->l, &b);
    STRBUF_AUTO want = STRBUF_HEAP;
    strbuf_addf(&want, "\nkai_queue_cpu_usage{queue_name=\"%s\"} ", name);
    ptrdiff_t at = str_find(strbuf_str(&b), strbuf_str(&want));
    str rest = at < 0 ? S("") : str_from(strbuf_str(&b), (size_t)at + want.len), number;
    str_cut(&rest, '\n', &number);
    str_to_double(number, &v);
    return v;
}

TEST(history_is_kept_once_a_minute_and_at_the_end)
{
    struct api f;
    STRBUF_AUTO b = STRBUF_HEAP;
    begin(&f);
    pod(&f, "p", "\"kai.scheduler/queue\":\"q\"", 4);
    api_live(&f, NULL);
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    T_EQ_INT(api_count(&f, "map "), 0); /* nobody asked for it */
    T_OK(usage_of(&f, "q") == 0);
    api_put(&f, SHARDS, "", "default", USAGE);
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map cox-queue-usage\n"), 1);
    T_OK(str_find(saved(&f, "cox-queue-usage", &b), S("queue q cpu ")) > 0);
    api_pass(&f, 300 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map cox-queue-usage\n"), 6);
    double was = usage_of(&f, "q");
    T_OK(was > 0.49 && was < 0.51);
    api_remove(&f, "pods", "default", "p");
    api_pass(&f, 30 * NSEC_PER_SEC);
    begin_again(&f); /* the last half minute, too */
    T_OK(str_find(saved(&f, "cox-queue-usage", &b), S("queue q cpu ")) > 0);
    api_live(&f, NULL);
    pod(&f, "p2", "\"kai.scheduler/queue\":\"q\"", 4);
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map "), 1);
    T_OK(usage_of(&f, "q") > 0.4 && usage_of(&f, "q") < was);
    api_put(&f, SHARDS, "", "default", "\"spec\":{}");
    api_pass(&f, 2 * NSEC_PER_SEC);
    T_OK(usage_of(&f, "q") == 0);
    size_t n = api_count(&f, "map ");
    api_pass(&f, 120 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map "), n);
    api_fini(&f);
}

static int no_maps(struct api *f UNUSED, const struct client_call *c)
{
    return str_find(c->path, S("configmaps")) >= 0 ? 500 : 0;
}

TEST(a_server_that_keeps_nothing_does_not_stop_it)
{
    struct api f;
    begin(&f);
    f.refuse = no_maps;
    pod(&f, "p", "\"kai.scheduler/queue\":\"q\"", 4);
    api_put(&f, SHARDS, "", "default", USAGE);
    api_live(&f, NULL);
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "p"), "n1");
    T_EQ_INT(api_count(&f, "map "), 0);
    f.refuse = NULL;
    api_pass(&f, 20 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map cox-queue-usage\n"), 1);
    api_fini(&f);
}

#define MANY 3000
#define LONG_NAME "a-department-with-quite-a-long-name-%04d-xxxxxxxxxxxx"
TEST(many_queues_take_several_maps)
{
    struct api f;
    STRBUF_AUTO text = STRBUF_HEAP, b = STRBUF_HEAP;
    char name[64];
    begin(&f);
    pod(&f, "p", "\"kai.scheduler/queue\":\"q\"", 1);
    strbuf_addf(&text, "\"data\":{\"parts\":\"1\",\"usage\":\"usage 1 %lld\\ncapacity cpu 1000000\\n", 1767225600ll * NSEC_PER_SEC);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, LONG_NAME, i);
        queue(&f, name);
        strbuf_addf(&text, "queue %s cpu %d.0123456789012\\nqueue %s memory 123456789012345%d\\nqueue %s gpu 1%d.5432109876543\\n", name, i + 1, name, i, name, i);
    }
    strbuf_addf(&text, "\"}");
    api_put(&f, "configmaps", "kube-system", "cox-queue-usage", strbuf_cstr(&text));
    api_put(&f, SHARDS, "", "default", USAGE);
    api_live(&f, &(struct live_opts){.no_queue_status = true});
    T_EQ_INT(api_count(&f, "patch " QUEUES), 0);
    api_pass(&f, 8 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "map cox-queue-usage\n"), 1);
    T_EQ_INT(api_count(&f, "map cox-queue-usage.1\n"), 1);
    T_OK(str_find(saved(&f, "cox-queue-usage", &b), S("\"parts\":\"2\"")) > 0);
    T_OK(b.len < 1000000);
    saved(&f, "cox-queue-usage.1", &b);
    T_OK(str_find(strbuf_str(&b), S("\"usage\":\"usage 1 ")) > 0 && b.len > 100);
    snprintf(name, sizeof name, LONG_NAME, MANY - 1);
    double was = usage_of(&f, name);
    T_OK(was > 0.002);
    begin_again(&f);
    api_live(&f, &(struct live_opts){.no_queue_status = true});
    api_pass(&f, 2 * NSEC_PER_SEC);
    T_OK(usage_of(&f, name) > was * 0.9 && usage_of(&f, name) < was * 1.1);
    T_EQ_INT(api_count(&f, "patch " QUEUES), 0);
    api_fini(&f);
}

/* --- pools -------------------------------------------------------------------------------------------------------------------------------------------- */
TEST(pods_are_read_again_when_pools_come_and_go)
{
    struct api f;
    begin(&f);
    api_node(&f, "n2", 8);
    struct api_object *n2 = api_find(&f, "nodes", S(""), S("n2"));
    snprintf(n2->meta, sizeof n2->meta, ",\"labels\":{\"kai.scheduler/node-pool\":\"east\"}");
    pod(&f, "one", "\"kai.scheduler/queue\":\"q\"", 6);
    pod(&f, "two", "\"kai.scheduler/queue\":\"q\"", 6);
    api_put(&f, SHARDS, "", "east", "\"spec\":{\"partitionLabelValue\":\"east\"}");
    api_live(&f, NULL);
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "one"), "n1");
    T_EQ_STR(api_node_of(&f, "two"), "");
    T_OK(api_count(&f, "condition east Ready InForce: in force") == 1);
    pod(&f, "far", "\"kai.scheduler/queue\":\"q\",\"kai.scheduler/node-pool\":\"west\"", 1);
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "no SchedulingShard is for node pool \"west\""), 1);
    api_remove(&f, SHARDS, "", "east");
    api_pass(&f, 15 * NSEC_PER_SEC);
    T_EQ_STR(api_node_of(&f, "two"), "n2");
    T_OK(api_node_of(&f, "far").len > 0);
    api_fini(&f);
}

TEST(two_of_one_pool_and_one_that_is_wrong)
{
    struct api f;
    begin(&f);
    api_put(&f, SHARDS, "", "b", "\"spec\":{\"kValue\":-1}");
    api_live(&f, NULL);
    api_pass(&f, NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition b Ready InvalidOption: spec.kValue: \"-1\": must be a number that is not negative"), 1);
    api_put(&f, SHARDS, "", "a", "\"spec\":{}");
    api_pass(&f, NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition b Ready SamePool"), 1);
    T_EQ_INT(api_count(&f, "condition a Ready InForce"), 1);
    api_remove(&f, SHARDS, "", "a");
    api_pass(&f, NSEC_PER_SEC);
    T_EQ_INT(api_count(&f, "condition b Ready InvalidOption"), 2);
    api_fini(&f);
}

TEST_MAIN(history_is_kept_once_a_minute_and_at_the_end, a_server_that_keeps_nothing_does_not_stop_it, many_queues_take_several_maps, pods_are_read_again_when_pools_come_and_go,
          two_of_one_pool_and_one_that_is_wrong)
