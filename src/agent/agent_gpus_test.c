/* Which GPUs containers get, on an agent without a runtime, a server or a network. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_internal.h"

#include "base/test.h"

struct world {
    struct agent *g;
    struct arena arena;
};

/* Four devices; with the driver's library or without. */
static void begin(struct world *w, bool nvml)
{
    static const char *const capacity[] = {"nvidia.com/gpu=4", NULL}, *const labels[] = {"a=b", "nvidia.com/gpu.memory=40000", NULL};
    struct err err = ERR_NONE;
    *w = (struct world){.arena = ARENA_INIT};
    struct agent *g = w->g = xcalloc(1, sizeof *g);
    g->opts.node_name = "n";
    g->opts.dir = "/nowhere";
    g->opts.capacity = nvml ? NULL : capacity;
    g->opts.labels = nvml ? NULL : labels;
    g->clock = &clock_real;
    g->loop = loop_new("agent", &clock_real, &err);
    list_init(&g->pods);
    list_init(&g->call_list);
    for (unsigned i = 0; nvml && i < 4; i++)
        g->info.gpus[g->info.ngpus++] = (struct node_gpu){.minor = 900 + i, .uuid = arena_fmt(&w->arena, "GPU-%c", 'a' + i), .memory_bytes = 16000ull << 20};
}

static void end(struct world *w)
{
    list_foreach_safe(p, &w->g->pods, struct agent_pod, link)
        agent_pod_free(p);
    map_fini(&w->g->by_uid);
    map_fini(&w->g->by_container);
    loop_free(w->g->loop);
    free(w->g);
    arena_fini(&w->arena);
}

/* ' for ". */
static struct agent_pod *put(struct world *w, const char *name, const char *annotations, const char *spec)
{
    str text = arena_fmt(&w->arena, "{'metadata':{'name':'%s','namespace':'ns','uid':'uid-%s','annotations':%s},'spec':%s,'status':{}}", name, name, annotations, spec);
    char *p = (char *)arena_cstr(&w->arena, text);
    for (char *c = p; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    struct agent_pod *pod = agent_put(w->g, str_of(p), false);
    BUG_ON(!pod);
    return pod;
}

/* The variables with blanks between, "" for none, or the error. */
static str take(struct world *w, struct agent_pod *p, const char *container)
{
    struct gpu_grant grant = {0};
    struct err err = ERR_NONE;
    struct container_spec spec = {0};
    if (agent_gpus_take(agent_pod_container(p, str_of(container)), &w->arena, &grant, &err) < 0)
        return arena_fmt(&w->arena, "%s", err.msg);
    agent_gpus_env(&grant, &w->arena, &spec);
    struct strbuf b = strbuf_on(&w->arena);
    for (size_t i = 0; spec.env && spec.env[i]; i++)
        if (strncmp(spec.env[i], "NVIDIA_DRIVER", 13) != 0)
            strbuf_addf(&b, "%s%s", b.len ? " " : "", spec.env[i]);
    return strbuf_str(&b);
}

static void release(struct agent_pod *p, const char *container)
{
    agent_gpus_release(agent_pod_container(p, str_of(container)));
}

#define C(name, gpus) "{'name':'" name "','resources':{'limits':{'nvidia.com/gpu':'" gpus "'}}}"
#define PLAIN "{'containers':[{'name':'c'},{'name':'d'}]}"

TEST(whole_devices_as_told)
{
    struct world w;
    begin(&w, true);
    struct agent_pod *p = put(&w, "p", "{'cox.io/gpu-ids':'1, 3'}", "{'containers':[" C("c", "2") "]}");
    struct agent_pod *q = put(&w, "q", "{'cox.io/gpu-ids':'3'}", "{'containers':[" C("c", "1") "]}");
    struct agent_pod *free_ = put(&w, "free", "{}", "{'containers':[" C("c", "2") "]}"), *none = put(&w, "none", "{'cox.io/gpu-ids':'0'}", PLAIN);
    T_EQ_STR(take(&w, none, "c"), "");
    T_EQ_STR(take(&w, p, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-b,GPU-d");
    T_EQ_STR(take(&w, q, "c"), "GPU 3 of this node is still in use");
    T_EQ_STR(take(&w, free_, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-c");
    release(p, "c");
    T_EQ_STR(take(&w, q, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-d");
    T_EQ_STR(take(&w, put(&w, "more", "{}", "{'containers':[" C("c", "2") "]}"), "c"), "not enough free GPUs on this node");
    end(&w);
}

TEST(a_pods_devices_are_dealt_out)
{
    struct world w;
    begin(&w, true);
    struct agent_pod *p = put(&w, "p", "{'cox.io/gpu-ids':'0,2,3'}",
                              "{'initContainers':[" C("first", "3") ",{'name':'side','restartPolicy':'Always','resources':{'limits':{'nvidia.com/gpu':'1'}}}," C("i", "2") "],"
                              "'containers':[" C("a", "1") ",{'name':'plain'}," C("b", "1") "]}");
    T_EQ_STR(take(&w, p, "first"), "NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-c,GPU-d");
    release(p, "first");
    T_EQ_STR(take(&w, p, "side"), "NVIDIA_VISIBLE_DEVICES=GPU-a");
    T_EQ_STR(take(&w, p, "i"), "NVIDIA_VISIBLE_DEVICES=GPU-c,GPU-d");
    release(p, "i");
    T_EQ_STR(take(&w, p, "a"), "NVIDIA_VISIBLE_DEVICES=GPU-c");
    T_EQ_STR(take(&w, p, "plain"), "");
    T_EQ_STR(take(&w, p, "b"), "NVIDIA_VISIBLE_DEVICES=GPU-d");
    end(&w);
}

TEST(parts_are_one_containers)
{
    struct world w;
    begin(&w, true);
    struct agent_pod *p = put(&w, "p", "{'gpu-fraction':'0.5','cox.io/gpu-ids':'1'}", PLAIN);
    struct agent_pod *q = put(&w, "q", "{'gpu-fraction':'0.125','gpu-fraction-container-name':'d','cox.io/gpu-ids':'1'}", PLAIN);
    struct agent_pod *two = put(&w, "two", "{'gpu-memory':'4000','gpu-fraction-num-devices':'2','cox.io/gpu-ids':'0,1'}", PLAIN);
    struct agent_pod *whole = put(&w, "whole", "{'cox.io/gpu-ids':'1'}", "{'containers':[" C("c", "1") "]}");
    T_EQ_STR(take(&w, p, "d"), "");
    T_EQ_STR(take(&w, p, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-b GPU_PORTION=0.50 RUNAI_NUM_OF_GPUS=0.50");
    T_EQ_STR(take(&w, q, "c"), "");
    T_EQ_STR(take(&w, q, "d"), "NVIDIA_VISIBLE_DEVICES=GPU-b GPU_PORTION=0.125 RUNAI_NUM_OF_GPUS=0.125");
    T_EQ_STR(take(&w, two, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-a,GPU-b GPU_PORTION=0.25 RUNAI_NUM_OF_GPUS=0.25");
    release(p, "c");
    release(q, "d");
    T_EQ_STR(take(&w, whole, "c"), "GPU 1 of this node is still in use");
    release(two, "c");
    T_EQ_STR(take(&w, whole, "c"), "NVIDIA_VISIBLE_DEVICES=GPU-b");
    T_EQ_STR(take(&w, p, "c"), "GPU 1 of this node is still in use");
    end(&w);
}

TEST(without_the_drivers_library_by_number)
{
    struct world w;
    begin(&w, false);
    T_EQ_STR(take(&w, put(&w, "p", "{'cox.io/gpu-ids':'1,3'}", "{'containers':[" C("c", "2") "]}"), "c"), "NVIDIA_VISIBLE_DEVICES=1,3");
    T_EQ_STR(take(&w, put(&w, "any", "{}", "{'containers':[" C("c", "1") "]}"), "c"), "NVIDIA_VISIBLE_DEVICES=0");
    T_EQ_STR(take(&w, put(&w, "all", "{'gpu-memory':'40000','cox.io/gpu-ids':'2'}", PLAIN), "c"), "NVIDIA_VISIBLE_DEVICES=2 GPU_PORTION=1.00 RUNAI_NUM_OF_GPUS=1.00");
    w.g->opts.labels = NULL; /* how much that is of the device is not known */
    T_EQ_STR(take(&w, put(&w, "some", "{'gpu-memory':'100','cox.io/gpu-ids':'2'}", PLAIN), "c"), "NVIDIA_VISIBLE_DEVICES=2");
    end(&w);
}

TEST(wrong_annotations_are_told)
{
    static const struct {
        const char *notes, *spec, *why;
    } rows[] = {
        {"{'cox.io/gpu-ids':'4'}", "{'containers':[" C("c", "1") "]}", "cox.io/gpu-ids \"4\" is not a list of this node's 4 GPUs"},
        {"{'cox.io/gpu-ids':''}", "{'containers':[" C("c", "1") "]}", "cox.io/gpu-ids \"\" is not a list of this node's 4 GPUs"},
        {"{'cox.io/gpu-ids':'1,x'}", "{'containers':[" C("c", "1") "]}", "cox.io/gpu-ids \"1,x\" is not a list of this node's 4 GPUs"},
        {"{'cox.io/gpu-ids':'99999999999999999999'}", "{'containers':[" C("c", "1") "]}", "cox.io/gpu-ids \"99999999999999999999\" is not a list of this node's 4 GPUs"},
        {"{'cox.io/gpu-ids':'1'}", "{'containers':[" C("c", "2") "]}", "cox.io/gpu-ids \"1\" does not name the 2 GPUs that the container asks for"},
        {"{'cox.io/gpu-ids':'1,1'}", "{'containers':[" C("c", "2") "]}", "cox.io/gpu-ids \"1,1\" does not name the 2 GPUs that the container asks for"},
        {"{'gpu-fraction':'0.5'}", PLAIN, "a part of a GPU needs a scheduler that says which device: the annotation cox.io/gpu-ids is missing"},
    };
    struct world w;
    begin(&w, true);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_STR(take(&w, put(&w, arena_fmt(&w.arena, "p%zu", i).p, rows[i].notes, rows[i].spec), "c"), rows[i].why);
    T_OK(w.g->gpus_whole == 0);
    end(&w);
}

TEST(the_next_agent_knows)
{
    struct world w;
    begin(&w, true);
    struct agent_pod *p = put(&w, "p", "{'cox.io/gpu-ids':'0'}", "{'containers':[" C("c", "1") "]}"), *q = put(&w, "q", "{'gpu-fraction':'0.5','cox.io/gpu-ids':'1'}", PLAIN);
    struct agent_pod *r = put(&w, "r", "{'gpu-fraction':'0.5','cox.io/gpu-ids':'1'}", PLAIN);
    agent_gpus_adopt(agent_pod_container(p, S("c")), S("GPU-a,GPU-gone"), false);
    agent_gpus_adopt(agent_pod_container(q, S("c")), S("GPU-b"), true);
    agent_gpus_adopt(agent_pod_container(r, S("c")), S("GPU-b"), true);
    T_OK(w.g->gpus_whole == 1 && w.g->gpu_parts[1] == 2 && w.g->gpu_parts[0] == 0);
    T_EQ_STR(take(&w, put(&w, "next", "{}", "{'containers':[" C("c", "2") "]}"), "c"), "NVIDIA_VISIBLE_DEVICES=GPU-c,GPU-d");
    release(p, "c");
    release(q, "c");
    T_OK(w.g->gpus_whole == 12 && w.g->gpu_parts[1] == 1);
    agent_gpus_release(agent_pod_container(r, S("c")));
    agent_gpus_release(agent_pod_container(r, S("c"))); /* once is enough */
    T_EQ_INT(w.g->gpu_parts[1], 0);
    end(&w);
}

TEST(what_an_image_says_does_not_count)
{
    struct world w;
    begin(&w, true);
    struct agent_container *c = agent_pod_container(put(&w, "p", "{'cox.io/gpu-ids':'2'}", "{'containers':[" C("c", "1") "]}"), S("c"));
    struct gpu_grant grant = {0}, nothing = {0};
    struct err err = ERR_NONE;
    const char *const env[] = {"A=1", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=video", "Z=2", NULL};
    struct container_spec spec = {.env = env};
    T_NO_ERR(agent_gpus_take(c, &w.arena, &grant, &err), &err);
    agent_gpus_env(&nothing, &w.arena, &spec);
    T_OK(spec.env == env);
    agent_gpus_env(&grant, &w.arena, &spec);
    const char *const want[] = {"A=1", "NVIDIA_VISIBLE_DEVICES=GPU-c", "NVIDIA_DRIVER_CAPABILITIES=video", "Z=2"};
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        T_EQ_STR(str_of(spec.env[i]), want[i]);
    T_OK(!spec.env[ARRAY_LEN(want)]);
    end(&w);
}

TEST(partitions_by_their_names)
{
    static const char *const partitions[] = {"nvidia.com/mig-1g.5gb=MIG-a", "nvidia.com/mig-1g.5gb=MIG-b", "nvidia.com/mig-3g.20gb=MIG-c", NULL};
    struct world w;
    begin(&w, false);
    w.g->opts.partitions = partitions;
    struct json capacity = json_object();
    agent_partitions_capacity(w.g, &w.arena, &capacity);
    T_EQ_STR(json_text(&w.arena, &capacity), "{\"nvidia.com/mig-1g.5gb\":\"2\",\"nvidia.com/mig-3g.20gb\":\"1\"}");
#define M(name, limits) "{'name':'" name "','resources':{'limits':{" limits "}}}"
    struct agent_pod *p = put(&w, "p", "{}", "{'containers':[" M("c", "'nvidia.com/mig-1g.5gb':'1'") "," M("d", "'nvidia.com/mig-1g.5gb':1,'nvidia.com/mig-3g.20gb':'1'") "]}");
    struct agent_pod *q = put(&w, "q", "{}", "{'containers':[" M("c", "'nvidia.com/mig-1g.5gb':'1'") "," M("d", "'nvidia.com/mig-2g.10gb':'1'") "]}");
    T_EQ_STR(take(&w, p, "c"), "NVIDIA_VISIBLE_DEVICES=MIG-a");
    T_EQ_STR(take(&w, p, "d"), "NVIDIA_VISIBLE_DEVICES=MIG-b,MIG-c");
    T_EQ_STR(take(&w, q, "c"), "not enough free partitions nvidia.com/mig-1g.5gb on this node");
    T_EQ_STR(take(&w, q, "d"), ""); /* of a kind that nobody gave names */
    release(p, "c");
    T_EQ_STR(take(&w, q, "c"), "NVIDIA_VISIBLE_DEVICES=MIG-a");
    release(p, "d");
    agent_gpus_adopt(agent_pod_container(p, S("d")), S("MIG-c,MIG-b"), false);
    release(q, "c");
    T_EQ_STR(take(&w, q, "c"), "NVIDIA_VISIBLE_DEVICES=MIG-a");
    end(&w);
}

TEST(partitions_that_cannot_be)
{
    static const char *const bad[][3] = {{"nvidia.com/gpu=MIG-a", NULL}, {"nvidia.com/mig-1g.5gb=", NULL}, {"MIG-a", NULL}, {"nvidia.com/mig-1g.5gb=a,b", NULL},
                                         {"nvidia.com/mig-1g.5gb=a", "nvidia.com/mig-2g.10gb=a", NULL}};
    static const char *const good[] = {"nvidia.com/mig-1g.5gb=a", "nvidia.com/mig-1g.5gb=b", NULL};
    struct err err = ERR_NONE;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        T_ERR(agent_partitions_check(bad[i], &err), E_INVALID_ARG);
    T_NO_ERR(agent_partitions_check(good, &err), &err);
    T_NO_ERR(agent_partitions_check(NULL, &err), &err);
}

TEST_MAIN(partitions_by_their_names, partitions_that_cannot_be, whole_devices_as_told, a_pods_devices_are_dealt_out, parts_are_one_containers, without_the_drivers_library_by_number, wrong_annotations_are_told, the_next_agent_knows,
          what_an_image_says_does_not_count)
