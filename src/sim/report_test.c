/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/report.h"

#include "base/test.h"
#include "sim/svg.h"
#include "wire/json.h"

struct reported {
    struct scenario *sc;
    struct sim *sim[2];
    struct arena arena;
    struct report_run runs[2];
};

static void setup(struct reported *x, const char *text)
{
    struct err err = ERR_NONE;
    static const char *const profiles[] = {"default", "binpack"};
    *x = (struct reported){0};
    T_NO_ERR(scenario_parse(str_of(text), S("t.yaml"), &x->sc, &err), &err);
    for (int i = 0; i < 2; i++) {
        struct sim_opts opts = {.seed = 3, .until = x->sc->until, .grace = x->sc->grace};
        x->sim[i] = sim_new(profile_builtin(str_of(profiles[i])), &opts, &err);
        T_NO_ERR(sim_load(x->sim[i], x->sc, &err), &err);
        T_NO_ERR(sim_run(x->sim[i], INT64_MAX, &err), &err);
        x->runs[i] = (struct report_run){.title = S("<t> & \"co\""), .profile = str_of(profiles[i]), .seed = 3, .s = sim_sched(x->sim[i])};
        report_explain(x->sim[i], &x->arena, 5, &x->runs[i]);
        x->runs[i].r = sim_result(x->sim[i]);
    }
}
static void teardown(struct reported *x)
{
    for (int i = 0; i < 2; i++)
        sim_free(x->sim[i]);
    scenario_free(x->sc);
    arena_fini(&x->arena);
}

#define TEXT                                                                                                                             \
    "nodes: [{name: a, count: 3, cpu: 4, memory: 8Gi}]\njobs:\n"                                                                         \
    "- {name: work, count: 9, arrival: {every: 10s}, duration: 100s, requests: {cpu: 2, memory: 1Gi}}\n- {name: huge, count: 8, requests: {cpu: 64}}\n"

TEST(numbers_for_people)
{
    ARENA_AUTO a = ARENA_INIT;
    static const struct {
        double s;
        const char *want;
    } durations[] = {{0, "0s"}, {0.0123, "13ms"}, {1, "1s"}, {12.34, "12.3s"}, {60, "1m"}, {61, "1m01s"}, {3600, "1h"}, {3900, "1h05m"}, {90000, "1d01h"}, {172800, "2d"}};
    for (size_t i = 0; i < ARRAY_LEN(durations); i++)
        T_EQ_STR(report_duration(&a, durations[i].s), durations[i].want);
    T_EQ_STR(report_count(&a, 0), "0");
    T_EQ_STR(report_count(&a, 999), "999");
    T_EQ_STR(report_count(&a, 1234567), "1,234,567");
    T_EQ_STR(report_amount(&a, NULL, RES_CPU, 2500), "2.5");
    T_EQ_STR(report_amount(&a, NULL, RES_MEMORY, 3221225472.0), "3Gi");
    T_EQ_STR(report_amount(&a, NULL, RES_EGRESS, 5e8), "500 Mbit/s");
}

TEST(the_table_has_every_figure)
{
    struct reported x;
    STRBUF_AUTO b = STRBUF_HEAP;
    setup(&x, TEXT);
    report_text(&b, x.runs, 1);
    static const char *const parts[] = {"profile default, seed 3\n", "pods             17\n", "placed           9\n", "pending          8\n", "done             9\n", "cpu used ", "memory used ",
                                        "fragmentation ", "work       9      9        9         0      9\n", "huge       8      8        0         8      0\n",
                                        "pending:\n  huge-0 and 4 more: 0/3 nodes fit: ", "  and 3 more that are not explained here\n"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (str_find(strbuf_str(&b), str_of(parts[i])) < 0)
            T_FAIL_("no \"%s\" in\n%s", parts[i], strbuf_cstr(&b));
    strbuf_clear(&b);
    report_text(&b, x.runs, 2);
    T_OK(str_find(strbuf_str(&b), S("default")) >= 0 && str_find(strbuf_str(&b), S("binpack\n")) >= 0);
    T_OK(str_find(strbuf_str(&b), S("a second")) < 0);
    x.runs[0].wall_ns = NSEC_PER_SEC;
    strbuf_clear(&b);
    report_text(&b, x.runs, 1);
    T_OK(str_find(strbuf_str(&b), S(" a second)\n")) >= 0);
    teardown(&x);
}

TEST(json_says_the_same)
{
    ARENA_AUTO a = ARENA_INIT;
    struct reported x;
    struct err err = ERR_NONE;
    struct json v;
    STRBUF_AUTO b = STRBUF_HEAP;
    setup(&x, TEXT);
    report_json(&b, x.runs, 1);
    T_NO_ERR(json_parse(&a, strbuf_str(&b), NULL, &v, &err), &err);
    T_EQ_STR(json_get_str(&v, S("scenario")), "<t> & \"co\"");
    const struct json *summary = json_get(&v, S("summary"));
    T_EQ_INT(json_get_int(summary, S("placed"), -1), 9);
    T_EQ_INT(json_get_int(summary, S("pending"), -1), 8);
    T_OK(!json_get(summary, S("wallSeconds")));
    T_EQ_INT(json_get(&v, S("placements"))->len, 9);
    T_EQ_INT(json_get(&v, S("pods"))->len, 17);
    T_EQ_INT(json_get(&v, S("pending"))->len, 5);
    T_EQ_INT(json_get_int(&v, S("pendingNotExplained"), -1), 3);
    const struct json *series = json_get(&v, S("series"));
    uint32_t n = json_get(series, S("time"))->len;
    T_EQ_INT(n, x.runs[0].r->nsamples);
    T_EQ_INT(json_get(series, S("waiting"))->len, n);
    T_EQ_INT(json_get(series, S("fragmentation"))->len, n);
    T_EQ_INT(json_path(series, "used", "cpu", NULL)->len, n);
    strbuf_clear(&b);
    report_json(&b, x.runs, 2);
    T_NO_ERR(json_parse(&a, strbuf_str(&b), NULL, &v, &err), &err);
    T_EQ_INT(json_get(&v, S("runs"))->len, 2);
    teardown(&x);
}

/* Every tag that opens closes, in order; no text breaks out of its place. */
static void check_tags(str html)
{
    const char *open[64];
    size_t lens[64], depth = 0;
    for (size_t i = 0; i < html.len; i++) {
        if (html.p[i] == '&')
            T_OK(str_find(str_sub(html, i, i + 8), S(";")) > 0);
        if (html.p[i] != '<' || html.p[i + 1] == '!')
            continue;
        ptrdiff_t end = str_find_char(str_from(html, i), '>');
        T_OK(end > 0);
        bool closes = html.p[i + 1] == '/', alone = html.p[i + (size_t)end - 1] == '/';
        size_t from = i + 1 + closes, n = 0;
        while ((html.p[from + n] >= 'a' && html.p[from + n] <= 'z') || (html.p[from + n] >= '0' && html.p[from + n] <= '9'))
            n++;
        if (closes) {
            T_OK(depth > 0 && lens[depth - 1] == n && memcmp(open[depth - 1], html.p + from, n) == 0);
            depth -= depth > 0;
        } else if (!alone && depth < 64) {
            open[depth] = html.p + from;
            lens[depth++] = n;
        }
        i += (size_t)end;
    }
    T_EQ_INT(depth, 0);
}

TEST(the_page_is_whole_and_alone)
{
    struct reported x;
    setup(&x, TEXT);
    for (size_t n = 1; n <= 2; n++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        report_html(&b, x.runs, n);
        str page = strbuf_str(&b);
        check_tags(page);
        static const char *const parts[] = {"<h1>&lt;t&gt; &amp; &quot;co&quot;</h1>", "<h2>Utilisation</h2>", "<h2>Fragmentation</h2>", "<h2>Queue</h2>", "<h2>Waiting time</h2>", "<h2>Nodes</h2>", "prefers-color-scheme:dark",
                                            "<svg viewBox=", "huge-0"};
        for (size_t i = 0; i < ARRAY_LEN(parts); i++)
            if (str_find(page, str_of(parts[i])) < 0)
                T_FAIL_("no %s", parts[i]);
        static const char *const never[] = {"http", "<script", "src=", "@import", "url(", "nan", "inf\""};
        for (size_t i = 0; i < ARRAY_LEN(never); i++)
            if (str_find(page, str_of(never[i])) >= 0)
                T_FAIL_("%s in the page", never[i]);
    }
    teardown(&x);
}

TEST(nothing_at_all_can_be_shown)
{
    struct reported x;
    STRBUF_AUTO b = STRBUF_HEAP;
    setup(&x, "nodes: [{name: a}]\n");
    report_text(&b, x.runs, 2);
    report_json(&b, x.runs, 2);
    strbuf_clear(&b);
    report_html(&b, x.runs, 1);
    check_tags(strbuf_str(&b));
    T_OK(str_find(strbuf_str(&b), S("nan")) < 0);
    teardown(&x);
}

static str plain(struct arena *a, double v)
{
    return arena_fmt(a, "%g", v);
}

TEST(plots_keep_peaks)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO b = STRBUF_HEAP;
    enum { N = 5000 };
    double *x = arena_array(&a, N, double), *y = arena_array(&a, N, double);
    for (int i = 0; i < N; i++)
        x[i] = i;
    y[2501] = 7;
    struct svg_series s = {S("s"), x, y, N, false};
    svg_plot(&b, &a, &(struct svg_plot){.title = "p", .y_max = 7, .x_text = plain, .y_text = plain, .series = &s, .nseries = 1});
    T_OK(b.len < 40000);
    T_OK(str_find(strbuf_str(&b), S(" 10.0L")) > 0); /* the top of the plot */
    check_tags(strbuf_str(&b));
}

static str whole_text(struct arena *a, double v)
{
    return arena_fmt(a, "%.0f", v);
}
static size_t occurrences(str in, str what)
{
    size_t n = 0;
    for (ptrdiff_t at; (at = str_find(in, what)) >= 0; n++)
        in = str_from(in, (size_t)at + what.len);
    return n;
}

/* A queue that never has more than one pod has the marks 0 and 1, once each. */
TEST(counts_have_whole_marks)
{
    ARENA_AUTO a = ARENA_INIT;
    static const double x[] = {0, 10}, y[] = {1, 0};
    struct svg_series s = {S("n"), x, y, 2, true};
    struct svg_plot p = {.title = "t", .y_whole = true, .x_text = whole_text, .y_text = whole_text, .series = &s, .nseries = 1};
    struct strbuf b = strbuf_on(&a);
    svg_plot(&b, &a, &p);
    str out = strbuf_str(&b);
    T_EQ_INT(occurrences(out, S("text-anchor=\"end\"")), 2);
}

static uint8_t half(const void *arg UNUSED, size_t row UNUSED, size_t column UNUSED)
{
    return 50;
}
static str numbered(struct arena *a, const void *arg UNUSED, size_t i)
{
    return arena_fmt(a, "%zu", i);
}

/* Labels of 11 px on rows of 5: every third row has one. */
TEST(labels_of_rows_do_not_touch)
{
    ARENA_AUTO a = ARENA_INIT;
    struct svg_heat h = {"t", 64, 1, half, numbered, numbered, NULL};
    struct strbuf b = strbuf_on(&a);
    svg_heat(&b, &a, &h);
    T_EQ_INT(occurrences(strbuf_str(&b), S("text-anchor=\"end\"")), 22);
}

TEST_MAIN(counts_have_whole_marks, labels_of_rows_do_not_touch, numbers_for_people, the_table_has_every_figure, json_says_the_same, the_page_is_whole_and_alone, nothing_at_all_can_be_shown, plots_keep_peaks)
