/* SPDX-License-Identifier: Apache-2.0 */
#include "api/shard_options.h"

#include "base/test.h"

#define MIN_NS (60 * NSEC_PER_SEC)
#define DAY_NS (24 * 60 * MIN_NS)

static struct shard_options read_spec(struct arena *a, const char *text, struct shard_notes *notes)
{
    struct shard_options o;
    struct json spec = json_literal(a, text);
    shard_options_read(a, &spec, &o, notes);
    return o;
}

static const struct shard_note *note_at(const struct shard_notes *n, const char *path)
{
    for (size_t i = 0; i < n->n; i++)
        if (str_is(n->list[i].path, path))
            return &n->list[i];
    return NULL;
}

TEST(nothing_said_is_kais_default)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shard_notes n;
    struct shard_options o = read_spec(&a, "{}", &n);
    T_EQ_INT(n.n, 0);
    T_OK(o.past == 1 && o.saturation == 1 && o.places && !o.says_placement && !o.has_history && !o.flat && !o.still_reclaim);
    T_EQ_INT(o.stale_grace_ns, MIN_NS);
    T_EQ_INT(o.max_moves, 16);
    T_EQ_INT(o.off, 0);
}

TEST(everything_said)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shard_notes n;
    struct shard_options o = read_spec(&a,
        "{\"partitionLabelValue\":\"a100\",\"kValue\":0.5,\"placementStrategy\":{\"gpu\":\"spread\",\"cpu\":\"binpack\"},\"queueDepthPerAction\":{\"reclaim\":5,\"allocate\":0},"
        "\"minRuntime\":{\"preemptMinRuntime\":\"10m\",\"reclaimMinRuntime\":\"1h30m\"},\"actions\":{\"preempt\":{\"enabled\":false},\"reclaim\":{\"enabled\":true}},"
        "\"args\":{\"default-staleness-grace-period\":\"-1s\",\"max-consolidation-preemptees\":\"4\",\"allow-consolidating-reclaim\":\"false\",\"full-hierarchy-fairness\":\"false\"},"
        "\"plugins\":{\"proportion\":{\"arguments\":{\"relcaimerSaturationMultiplier\":\"1.5\"}},\"minruntime\":{\"arguments\":{\"reclaimResolveMethod\":\"queue\",\"defaultPreemptMinRuntime\":\"20m\"}}},"
        "\"usageDBConfig\":{\"clientType\":\"cox\",\"usageParams\":{\"halfLifePeriod\":\"10m\",\"windowSize\":\"1w\",\"windowType\":\"tumbling\",\"tumblingWindowStartTime\":\"1970-01-05T00:00:00Z\"}}}", &n);
    T_EQ_INT(n.n, 0);
    T_EQ_STR(o.pool, "a100");
    T_OK(o.past == 0.5 && o.saturation == 1.5 && o.gpu_spread && !o.cpu_spread && o.says_placement && o.still_reclaim && o.flat && o.reclaim_by_leaf);
    T_EQ_INT(o.stale_grace_ns, -1);
    T_EQ_INT(o.max_moves, 4);
    T_EQ_INT(o.depth[SHARD_RECLAIM], 5);
    T_EQ_INT(o.off, 1u << SHARD_PREEMPT | 1u << SHARD_CONSOLIDATION); /* what is spread is not moved together */
    T_EQ_INT(o.preempt_min_runtime_ns, 20 * MIN_NS); /* what is written for the plugin goes before the field */
    T_EQ_INT(o.reclaim_min_runtime_ns, 90 * MIN_NS);
    T_OK(o.has_history && o.tumbles);
    T_EQ_INT(o.half_life_ns, 10 * MIN_NS);
    T_EQ_INT(o.window_ns, 7 * DAY_NS);
    T_EQ_INT(o.window_from_ns, 4 * DAY_NS);
}

TEST(both_names_of_the_multiplier_and_off_switches)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shard_notes n;
    T_OK(read_spec(&a, "{\"plugins\":{\"proportion\":{\"arguments\":{\"reclaimerUtilizationMultiplier\":\"2\"}}}}", &n).saturation == 2);
    T_EQ_INT(n.n, 0);
    struct shard_options o = read_spec(&a, "{\"minRuntime\":{\"preemptMinRuntime\":\"1m\"},\"plugins\":{\"minruntime\":{\"enabled\":false},\"nodeplacement\":{\"enabled\":false},\"proportion\":{\"enabled\":false}}}", &n);
    T_EQ_INT(o.preempt_min_runtime_ns, 0);
    T_OK(!o.places && o.says_placement);
    T_OK(note_at(&n, "plugins[proportion]") && !note_at(&n, "plugins[proportion]")->is_error);
    T_OK(read_spec(&a, "{\"kvalue\":2}", &n).past == 1 && note_at(&n, "kvalue") && !note_at(&n, "kvalue")->is_error); /* a slip of the pen */
    o = read_spec(&a, "{\"usageDBConfig\":{}}", &n);
    T_OK(o.has_history && !o.tumbles && o.half_life_ns == 0);
    T_EQ_INT(o.window_ns, 7 * DAY_NS);
}

TEST(what_is_wrong_and_what_has_no_effect)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shard_notes n;
    struct shard_options o = read_spec(&a,
        "{\"kValue\":-1,\"args\":{\"schedule-period\":\"1s\",\"full-hierarchy-fairness\":\"maybe\"},\"actions\":{\"backfill\":{},\"allocate\":{\"priority\":7}},\"plugins\":{\"elastic\":{}},"
        "\"usageDBConfig\":{\"connectionString\":\"http://x\",\"usageParams\":{\"windowType\":\"cron\",\"halfLifePeriod\":\"-3s\"}},\"minRuntime\":{\"reclaimMinRuntime\":\"-1m\"}}", &n);
    static const char *const wrong[] = {"kValue", "args[full-hierarchy-fairness]", "usageDBConfig.usageParams.halfLifePeriod", "minRuntime.reclaimMinRuntime"};
    static const char *const idle[] = {"args[schedule-period]", "actions[backfill]", "actions[allocate].priority", "plugins[elastic]", "usageDBConfig.usageParams.windowType", "usageDBConfig.connectionString"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        T_OK(note_at(&n, wrong[i]) && note_at(&n, wrong[i])->is_error);
    for (size_t i = 0; i < ARRAY_LEN(idle); i++)
        T_OK(note_at(&n, idle[i]) && !note_at(&n, idle[i])->is_error);
    T_EQ_INT(n.n, ARRAY_LEN(wrong) + ARRAY_LEN(idle));
    T_OK(o.past == 1 && !o.flat && o.half_life_ns == 0 && o.reclaim_min_runtime_ns == 0); /* defaults stay */
}

TEST(an_error_is_kept_among_many_warnings)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shard_notes n;
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_add_str(&b, S("{\"kValue\":-1,\"args\":{"));
    for (int i = 0; i < 100; i++)
        strbuf_addf(&b, "%s\"flag-%d\":\"x\"", i ? "," : "", i);
    strbuf_add_str(&b, S("}}"));
    read_spec(&a, strbuf_cstr(&b), &n);
    T_EQ_INT(n.n, SHARD_NOTES);
    T_OK(note_at(&n, "kValue") != NULL);
}

TEST(durations)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct {
        const char *text;
        nsec_t want; /* -7: refused */
    } cases[] = {{"1w", 7 * DAY_NS}, {"1.5d", 36 * 60 * MIN_NS}, {"90s", 90 * NSEC_PER_SEC}, {"1h30m", 90 * MIN_NS}, {"0", 0}, {"-1s", -NSEC_PER_SEC}, {"", -7}, {"w", -7}, {"-1w", -7}, {"1e9w", -7},
                 {"nanw", -7}, {"1y", -7}, {"99999d", -7}, {"1w2d", -7}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        nsec_t got = 0;
        bool ok = shard_duration_read(&a, str_of(cases[i].text), &got);
        if ((cases[i].want == -7) == ok || (ok && got != cases[i].want))
            T_FAIL_("%s: %d %lld", cases[i].text, ok, (long long)got);
    }
}

TEST_MAIN(nothing_said_is_kais_default, everything_said, both_names_of_the_multiplier_and_off_switches, what_is_wrong_and_what_has_no_effect, an_error_is_kept_among_many_warnings, durations)
