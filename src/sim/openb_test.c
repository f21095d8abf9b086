/* openb_test.c - the lists are read or refused with a sentence; the recipe on clusters small enough to know the outcome. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/openb.h"

#include <math.h>

#include "base/clock.h"
#include "base/test.h"
#include "wire/json.h"

#define NODES "sn,cpu_milli,memory_mib,gpu,model\n"
#define PODS "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n"

TEST(lists_are_read)
{
    ARENA_AUTO a = ARENA_INIT;
    struct openb_nodes nodes;
    struct openb_pods pods;
    struct err err = ERR_NONE;
    T_NO_ERR(openb_parse_nodes(&a, S(NODES "n-0,96000,393216,8,G2\r\n\nn-1,32000,262144,0,\n"), S("n.csv"), &nodes, &err), &err);
    T_EQ_INT(nodes.n, 2);
    T_EQ_STR(nodes.p[0].name, "n-0");
    T_EQ_STR(nodes.p[0].model, "G2");
    T_EQ_INT(nodes.p[0].gpus, 8);
    T_EQ_INT(nodes.p[1].gpus, 0);
    T_EQ_STR(nodes.p[1].model, "");
    T_NO_ERR(openb_parse_pods(&a, S(PODS "p-0,12000,16384,1,460,T4|V100,LS\np-1,1000,1,0,0,,BE"), S("p.csv"), &pods, &err), &err);
    T_EQ_INT(pods.n, 2);
    T_EQ_INT(pods.p[0].gpu_milli, 460);
    T_EQ_STR(pods.p[0].spec, "T4|V100");
    T_EQ_INT(pods.p[1].gpus, 0);
    /* five columns, in another order */
    T_NO_ERR(openb_parse_pods(&a, S("gpu_milli,num_gpu,name,memory_mib,cpu_milli\n1000,8,p,4,5\n"), S("p.csv"), &pods, &err), &err);
    T_EQ_INT(pods.n, 1);
    T_EQ_INT(pods.p[0].gpus, 8);
    T_EQ_INT(pods.p[0].cpu_milli, 5);
    T_EQ_STR(pods.p[0].spec, "");
    T_NO_ERR(openb_parse_pods(&a, S("gpu_milli,num_gpu,name,memory_mib,cpu_milli"), S("p.csv"), &pods, &err), &err);
    T_EQ_INT(pods.n, 0);
}

TEST(bad_lists_get_a_sentence)
{
    static const struct { const char *text, *error; bool nodes; } cases[] = {
        {"", "f.csv:1: there is no column sn in the first line", true},
        {"sn,cpu_milli,memory_mib\n", "f.csv:1: there is no column gpu in the first line", true},
        {NODES "n,1,2,x,\n", "f.csv:2: column gpu: \"x\" is not a whole number from 0 to 16", true},
        {NODES "n,1,2,17,\n", "f.csv:2: column gpu: \"17\" is not a whole number from 0 to 16", true},
        {NODES "n,-1,2,1,\n", "f.csv:2: column cpu_milli: \"-1\" is not a whole number", true},
        {NODES "n,1,2,1,a\n\nm,1\n", "f.csv:4: column memory_mib: the line ends before it", true},
        {NODES ",1,2,1,a\n", "f.csv:2: column sn: \"\" is empty", true},
        {"name,cpu_milli,memory_mib,num_gpu\n", "f.csv:1: there is no column gpu_milli in the first line", false},
        {PODS "p,1,1,1,1001,\n", "f.csv:2: column gpu_milli: \"1001\" is not a whole number from 0 to 1000", false},
        {PODS "p,1,1,1,0,\n", "f.csv:2: column gpu_milli: \"0\" is nothing of a GPU", false},
        {PODS "p,1,99999999999999999999,1,1,\n", "f.csv:2: column memory_mib: \"99999999999999999999\" is not", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct openb_nodes nodes;
        struct openb_pods pods;
        struct err err = ERR_NONE;
        int r = cases[i].nodes ? openb_parse_nodes(&a, str_of(cases[i].text), S("f.csv"), &nodes, &err) : openb_parse_pods(&a, str_of(cases[i].text), S("f.csv"), &pods, &err);
        if (r != -E_INVALID || !str_has_prefix(str_of(err.msg), str_of(cases[i].error)))
            T_FAIL_("%s: %d %s", cases[i].text, r, err.msg);
    }
}

TEST(any_bytes_are_read_or_refused)
{
    struct rng r;
    rng_seed(&r, 1);
    static const char alphabet[] = "0123456789,,,,\n\n\r|.-xnp\"\0";
    for (int i = 0; i < 3000; i++) {
        ARENA_AUTO a = ARENA_INIT;
        char text[256];
        struct openb_pods pods = {0};
        struct openb_nodes nodes = {0};
        size_t head = rng_below(&r, 2) ? sizeof PODS - 1 : sizeof NODES - 1, len = head + (size_t)rng_below(&r, sizeof text - head);
        memcpy(text, head == sizeof PODS - 1 ? PODS : NODES, head);
        for (size_t k = head; k < len; k++)
            text[k] = alphabet[rng_below(&r, sizeof alphabet - 1)];
        if (rng_below(&r, 4) == 0)
            text[rng_below(&r, len)] = (char)rng_below(&r, 256);
        struct err err = ERR_NONE;
        if (openb_parse_pods(&a, str_n(text, len), S("f"), &pods, &err) >= 0)
            for (size_t k = 0; k < pods.n; k++)
                T_OK(pods.p[k].gpus <= GPU_MAX && pods.p[k].gpu_milli <= GPU_MILLI && pods.p[k].name.len);
        if (openb_parse_nodes(&a, str_n(text, len), S("f"), &nodes, &err) >= 0)
            for (size_t k = 0; k < nodes.n; k++)
                T_OK(nodes.p[k].gpus <= GPU_MAX && nodes.p[k].cpu_milli >= 0);
    }
}

/* --- the recipe ----------------------------------------------------------------------------------------------------------------------------------- */
static struct openb_result run(const char *nodes, const char *pods, uint64_t from, uint64_t to, bool learn)
{
    struct openb_opts o = {.nodes = str_of(nodes), .nodes_file = S("n.csv"), .pods = str_of(pods), .pods_file = S("p.csv"), .seed_from = from, .seed_to = to, .learn = learn};
    struct openb_result r = {0};
    struct err err = ERR_NONE;
    T_NO_ERR(openb_run(&o, &r, &err), &err);
    return r;
}
static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

TEST(what_fits_is_allocated)
{
    /* 100 devices, whole ones asked for one by one: all that has arrived, then all there is.  At 80 the rows are those from 79.5 to 80.5: one, of 80. */
    STRBUF_AUTO nodes = STRBUF_HEAP;
    strbuf_addf(&nodes, NODES);
    for (int i = 0; i < 25; i++)
        strbuf_addf(&nodes, "n%d,64000,1000,4,A\n", i);
    struct openb_result r = run(strbuf_cstr(&nodes), PODS "p,1000,1,1,1000,,\n", 1, 2, false);
    T_EQ_INT(r.nrows, 2);
    T_EQ_INT(r.gpus, 100);
    T_EQ_INT(r.rows[1].seed, 2);
    T_OK(near(r.mean.gpu_alloc_pct[0], 80) && near(r.mean.gpu_alloc_pct[1], 90) && near(r.mean.gpu_alloc_pct[3], 100) && near(r.mean.gpu_alloc_pct[5], 100));
    T_OK(near(r.rows[0].pods, 130) && near(r.rows[0].placed, 100));
    T_OK(near(r.mean.frag_pct, 0));
    openb_result_fini(&r);
}

TEST(fragments_are_counted)
{
    /* 600 of each of 10 devices, the other 400 is of no use */
    struct openb_result r = run(NODES "n,64000,1000,10,A\n", PODS "p,1000,1,1,600,,\n", 5, 5, false);
    T_OK(near(r.mean.gpu_alloc_pct[3], 0) || near(r.mean.gpu_alloc_pct[3], 60)); /* no arrival may round to 100 */
    T_OK(near(r.rows[0].placed, 10));
    openb_result_fini(&r);
    r = run(NODES "n,64000,1000,10,A\n", PODS "p,1000,1,1,600,,\nq,1000,1,1,200,,\n", 5, 5, false);
    T_OK(r.rows[0].placed > 10);
    openb_result_fini(&r);
}

TEST(models_bind)
{
    struct openb_result r = run(NODES "a,64000,1000,8,A\nb,64000,1000,8,B\n", PODS "p,1000,1,1,1000,A|C,\n", 1, 1, false);
    T_OK(near(r.rows[0].placed, 8));
    T_OK(near(r.mean.gpu_alloc_pct[3], 50));
    openb_result_fini(&r);
}

/* A cluster and a list like the real ones, small. */
static void small_trace(struct strbuf *nodes, struct strbuf *pods)
{
    struct rng r;
    rng_seed(&r, 99);
    strbuf_addf(nodes, NODES);
    for (int i = 0; i < 60; i++)
        strbuf_addf(nodes, "n-%02d,%d,400000,%d,%s\n", i, i % 3 ? 96000 : 104000, i % 3 ? 8 : 2, i % 3 ? "G2" : "T4");
    strbuf_addf(pods, PODS);
    static const struct { int cpu, gpus, milli, share; } kinds[] = {{11400, 1, 1000, 40}, {3152, 1, 810, 15}, {8000, 1, 470, 12}, {4000, 1, 320, 6}, {18000, 1, 1000, 5}, {12500, 0, 0, 14}, {4000, 1, 160, 3}, {64000, 8, 1000, 2}};
    for (int i = 0; i < 400; i++) {
        int at = (int)rng_below(&r, 97);
        size_t k = 0;
        while (at >= kinds[k].share)
            at -= kinds[k++].share;
        strbuf_addf(pods, "p-%04d,%d,1000,%d,%d,%s,LS\n", i, kinds[k].cpu, kinds[k].gpus, kinds[k].milli, kinds[k].gpus == 1 && rng_below(&r, 12) == 0 ? "T4" : "");
    }
}

static struct sched_profile *best_fit(void *arg)
{
    (void)arg;
    return profile_builtin(S("binpack"));
}

TEST(packing_is_better_than_binpack_and_the_same_again)
{
    STRBUF_AUTO nodes = STRBUF_HEAP;
    STRBUF_AUTO pods = STRBUF_HEAP;
    STRBUF_AUTO one = STRBUF_HEAP;
    STRBUF_AUTO two = STRBUF_HEAP;
    small_trace(&nodes, &pods);
    struct openb_result a = run(strbuf_cstr(&nodes), strbuf_cstr(&pods), 1, 4, false), b = run(strbuf_cstr(&nodes), strbuf_cstr(&pods), 1, 4, false),
                        learned = run(strbuf_cstr(&nodes), strbuf_cstr(&pods), 1, 4, true), plain = {0};
    openb_write_json(&one, &a);
    openb_write_json(&two, &b);
    T_OK(str_eq(strbuf_str(&one), strbuf_str(&two)));
    struct openb_opts o = {.nodes = strbuf_str(&nodes), .nodes_file = S("n"), .pods = strbuf_str(&pods), .pods_file = S("p"), .seed_from = 1, .seed_to = 4, .make_profile = best_fit};
    struct err err = ERR_NONE;
    T_NO_ERR(openb_run(&o, &plain, &err), &err);
    double ours = a.mean.gpu_alloc_pct[3], theirs = plain.mean.gpu_alloc_pct[3], taught = learned.mean.gpu_alloc_pct[3];
    if (!(ours > theirs + 0.5 && taught > theirs && ours > 85))
        T_FAIL_("gpu-packing %.2f, learned %.2f, binpack %.2f", ours, taught, theirs);
    T_OK(a.rows[0].gpu_alloc_pct[3] != a.rows[1].gpu_alloc_pct[3]);
    openb_result_fini(&a);
    openb_result_fini(&b);
    openb_result_fini(&learned);
    openb_result_fini(&plain);
}

TEST(output)
{
    ARENA_AUTO a = ARENA_INIT;
    STRBUF_AUTO text = STRBUF_HEAP;
    struct openb_result r = run(NODES "a,64000,1000,8,A\n", PODS "p,1000,1,1,1000,,\n", 7, 8, false);
    struct json v;
    struct err err = ERR_NONE;
    openb_write_json(&text, &r);
    T_NO_ERR(json_parse(&a, strbuf_str(&text), NULL, &v, &err), &err);
    const struct json *seeds = json_get(&v, S("seeds"));
    T_EQ_INT(seeds->len, 2);
    T_EQ_INT(json_get_int(&seeds->items[1], S("seed"), 0), 8);
    T_EQ_STR(json_str(json_path(&v, "mean", "gpu_alloc_pct", "100", NULL)), "100.000");
    strbuf_clear(&text);
    openb_write_text(&text, &r);
    T_OK(str_find(strbuf_str(&text), S("1 nodes, 8 GPUs, 1 pods")) >= 0 && str_find(strbuf_str(&text), S("  mean")) > 0);
    openb_result_fini(&r);
}

TEST(impossible_experiments_are_refused)
{
    static const struct { const char *nodes, *pods, *error; uint64_t from, to; } cases[] = {
        {NODES "n,1,1,0,\n", PODS "p,1,1,1,1000,,\n", "n.csv: no node has a GPU", 1, 1},
        {NODES "n,1,1,1,\n", PODS "p,1,1,0,0,,\n", "p.csv: no pod asks for a GPU", 1, 1},
        {NODES "n,1,1,1,\n", PODS "p,1,1,1,1000,,\n", "seeds must be a range", 2, 1},
        {NODES "n,1,1\n", PODS "p,1,1,1,1000,,\n", "n.csv:2: column gpu", 1, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct openb_opts o = {.nodes = str_of(cases[i].nodes), .nodes_file = S("n.csv"), .pods = str_of(cases[i].pods), .pods_file = S("p.csv"), .seed_from = cases[i].from, .seed_to = cases[i].to};
        struct openb_result r = {0};
        struct err err = ERR_NONE;
        T_OK(openb_run(&o, &r, &err) < 0);
        if (!str_has_prefix(str_of(err.msg), str_of(cases[i].error)))
            T_FAIL_("%s", err.msg);
    }
}

TEST_MAIN(lists_are_read, bad_lists_get_a_sentence, any_bytes_are_read_or_refused, what_fits_is_allocated, fragments_are_counted, models_bind,
          packing_is_better_than_binpack_and_the_same_again, output, impossible_experiments_are_refused)
