/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"

#include "sched/engine/devices.h"

#define TWO_MODELS "n1 4 model=NVIDIA-A100-SXM4-80GB; n2 4 model=NVIDIA-H100-PCIe"

static const struct batch_case cases[] = {
    /* limits */
    {"a unit that must have the model stays within its limit", TWO_MODELS, "a A100=0:2", "j1@a 1x1 model=A100; j2@a 1x1 model=A100; j3@a 1x1 model=A100", "j1 1 n1; j2 1 n1; j3 0", 0},
    {"one that takes any model goes where the limit lets it", TWO_MODELS, "a A100=0:2", "j1@a 1x2; j2@a 1x2; j3@a 1x2", "j1 1; j2 1; j3 1", 0},
    {"work on the model counts whoever asked", TWO_MODELS, "a A100=0:2", "j1@a 1x2 on=n1; j2@a 1x1 model=A100; j3@a 1x4", "j1 1 n1; j2 0; j3 1 n2", 0},
    {"a limit of the parent holds too", TWO_MODELS, "d A100=0:1; a parent=d; b parent=d", "j1@a 1x1 model=A100; j2@b 1x1 model=A100; j3@b 1x1", "j1 1 n1; j2 0; j3 1 n2", 0},
    {"a gang does not pass it in pieces", TWO_MODELS, "a A100=0:2", "j1@a 6x1", "j1 0", 0},
    {"a gang that must have it", TWO_MODELS, "a A100=0:3", "j1@a 4x1 model=A100; j2@a 3x1 model=a100", "j1 0; j2 3 n1", 0},
    {"parts of devices count as parts", TWO_MODELS, "a A100=0:1", "j1@a 1x0.5 model=A100; j2@a 1x0.5 model=A100; j3@a 1x0.5 model=A100", "j1 1; j2 1; j3 0", 0},
    {"a model that no node has", TWO_MODELS, "a B200=0:1", "j1@a 1x1 model=B200; j2@a 1x1", "j1 0; j2 1", 0},
    {"by the label of a node", "n1 4 model=A100 nvidia.com/gpu.product=A100; n2 4", "a A100=0:1", "j1@a 1x1 at=nvidia.com/gpu.product:A100; j2@a 1x1 at=nvidia.com/gpu.product:A100", "j1 1 n1; j2 0", 0},
    {"nobody moves where its queue may not be", TWO_MODELS, "a q=8 A100=2:2", "j1@a 1x1 on=n1 model=A100; j2@a 1x1 on=n1 model=A100; j3@a 1x4 on=n2; j4@a 1x2", "j1 1 n1; j2 1 n1; j3 1 n2; j4 0", 0},
    /* quota */
    {"what is owed of a model is reclaimed, though GPUs of others are free", TWO_MODELS, "a A100=2; b", "j1@b 1x4 on=n1; j2@a 1x2 model=A100", "j1 1 n2; j2 1 n1", 1},
    {"of a queue within its quota of the model nothing is", TWO_MODELS, "a A100=2; b A100=4", "j1@b 1x4 on=n1 model=A100; j2@a 1x2 model=A100", "j1 1 n1; j2 0", 0},
    {"the other model is nobody's to take", TWO_MODELS, "a A100=4 q=4; b q=4", "j1@b 1x4 on=n2; j2@a 1x4 model=A100", "j1 1 n2; j2 1 n1", 0},
    {"work that cannot be preempted needs a quota of the model", TWO_MODELS, "a q=8; b q=8 A100=4", "j1@a 1x4 fixed; j2@a 1x4 fixed; j3@b 1x4 fixed model=A100", "j1 1 n2; j2 0; j3 1 n1", 0},
    /* MIG */
    {"partitions count as GPUs", "n1 0 mig=7", "a l=3", "j1@a 1x0 mig=2; j2@a 1x0 mig=1; j3@a 1x0 mig=1", "j1 1; j2 1; j3 0", 0},
    {"they are part of what is divided", "n1 0 mig=4", "a q=2; b q=2", "j1@a 1x0 mig=1 on=n1; j2@a 1x0 mig=1 on=n1; j3@a 1x0 mig=1 on=n1; j4@a 1x0 mig=1 on=n1; j5@b 1x0 mig=1; j6@b 1x0 mig=1", "5! j5 1; j6 1", 2},
};

TEST(models_and_partitions)
{
    batch_run_table(cases, ARRAY_LEN(cases));
}

TEST(names_of_models)
{
    static const struct {
        const char *product, *model;
        bool is;
    } rows[] = {
        {"NVIDIA-A100-SXM4-80GB", "A100", true},   {"NVIDIA-A100-SXM4-80GB", "a100-sxm4", true}, {"NVIDIA-A100-SXM4-80GB", "A10", false}, {"NVIDIA-A10", "A10", true},
        {"NVIDIA-A100-SXM4-80GB", "100", false},   {"A100", "A100", true},                       {"", "A100", false},                     {"A100", "", false},
        {"NVIDIA-A100-PCIE-40GB", "80GB", false},  {"AMD_Instinct_MI300X", "mi300x", true},      {"NVIDIA-L40S", "L4", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_INT(devices_model_is(str_of(rows[i].product), str_of(rows[i].model)), rows[i].is);
}

TEST(partitions_by_name)
{
    T_EQ_INT(gpus_mig_of(S("nvidia.com/mig-1g.5gb")), 1);
    T_EQ_INT(gpus_mig_of(S("nvidia.com/mig-7g.80gb.me")), 7);
    T_EQ_INT(gpus_mig_of(S("nvidia.com/mig-g.5gb")), 0);
    T_EQ_INT(gpus_mig_of(S("nvidia.com/mig-99999999g.5gb")), 0);
    T_EQ_INT(gpus_mig_of(S("nvidia.com/gpu")), 0);
}

/* Who is kept off a model is told so, and nodes that change their model change the accounts. */
TEST(left_out_for_a_limit)
{
    static struct batch_world w;
    struct policy_why why;
    batch_new(&w, "n1 2 model=A100", "a A100=0:1", "j1@a 1x1; j2@a 1x1", NULL);
    batch_turn(&w);
    unit_id second = w.s->pods[sched_pod_find(w.s, S("x"), S("j2"))].unit;
    policy_why(w.p, second, &why);
    T_EQ_INT(why.verdict, POLICY_NO_FIT);
    T_OK(why.bar.queue != QUEUE_NONE && why.bar.may == 1000 && why.bar.have == 1000);
    T_EQ_STR(queues_slot_model(policy_queues(w.p), why.bar.slot), "A100");
    batch_node(&w, S("n1 2 model=T4"));
    batch_turn(&w);
    batch_turn(&w);
    T_OK(batch_expect(&w, "j1 1; j2 1", "after the change"));
    batch_free(&w);
}

TEST_MAIN(models_and_partitions, names_of_models, partitions_by_name, left_out_for_a_limit)
