/* Any text as each of the traces that cox sim reads (openb's nodes and pods, Philly's jobs): an error has file and line, what is read is within bounds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sim/inputs.h"
#include "sim/openb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const struct err *err)
{
    str msg = str_of(err->msg), file;
    BUG_ON(!str_has_prefix(msg, S("f.csv:")));
    str_cut(&msg, ':', &file);
    BUG_ON(!msg.len || msg.p[0] < '1' || msg.p[0] > '9');
}

static void as_openb(str text)
{
    ARENA_AUTO a = ARENA_INIT;
    struct openb_nodes nodes = {0};
    struct openb_pods pods = {0};
    struct err err = ERR_NONE;
    if (openb_parse_nodes(&a, text, S("f.csv"), &nodes, &err) < 0)
        check_message(&err);
    for (size_t i = 0; i < nodes.n; i++)
        BUG_ON(!nodes.p[i].name.len || nodes.p[i].gpus > GPU_MAX || nodes.p[i].cpu_milli < 0 || nodes.p[i].memory_mib < 0);
    err = ERR_NONE;
    if (openb_parse_pods(&a, text, S("f.csv"), &pods, &err) < 0)
        check_message(&err);
    for (size_t i = 0; i < pods.n; i++)
        BUG_ON(!pods.p[i].name.len || pods.p[i].gpus > GPU_MAX || (pods.p[i].gpus && pods.p[i].gpu_milli <= 0));
}

static void as_philly(str text, bool queues)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct sim_opts opts = {.seed = 1};
    struct sim *sim = sim_new(profile_builtin(S("default")), &opts, &err);
    struct input_philly_opts how = {.nodes = 2, .gpus_per_node = 8, .jobs = 50, .queues = queues};
    BUG_ON(!sim);
    if (input_philly(sim, &a, text, S("f.csv"), &how, &err) < 0)
        check_message(&err);
    else
        BUG_ON(sim_last_arrival(sim) < 0);
    sim_free(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = str_n((const char *)data, size);
    as_openb(text);
    as_philly(text, false);
    as_philly(text, true);
    return 0;
}
