/* SPDX-License-Identifier: Apache-2.0 */
#include "api/pod_group.h"

const struct pod_group_key pod_group_keys[POD_GROUP_KEYS] = {
    {false, STR_INIT("pod-group-name")},
    {false, STR_INIT("kai.scheduler/pod-group-name")},
    {true, STR_INIT("godel.bytedance.com/pod-group-name")},
    {false, STR_INIT("godel.bytedance.com/pod-group-name")},
    {true, STR_INIT("scheduling.x-k8s.io/pod-group")},
    {true, STR_INIT("pod-group.scheduling.sigs.k8s.io")},
    {true, STR_INIT("pod-group.scheduling.sigs.k8s.io/name")},
    {false, STR_INIT("scheduling.k8s.io/group-name")},
};

bool pod_group_is_workload(const struct json *pod)
{
    const struct json *ref = json_path(pod, "spec", "workloadRef", NULL);
    return json_get_str(ref, S("name")).len && json_get_str(ref, S("podGroup")).len;
}

str pod_group_name(const struct json *pod)
{
    const struct json *meta = json_get(pod, S("metadata")), *labels = json_get(meta, S("labels")), *notes = json_get(meta, S("annotations"));
    str name = json_get_str(json_path(pod, "spec", "schedulingGroup", NULL), S("podGroupName"));
    if (name.len || pod_group_is_workload(pod))
        return name;
    for (size_t i = 0; i < POD_GROUP_KEYS && !name.len; i++)
        name = json_get_str(pod_group_keys[i].is_label ? labels : notes, pod_group_keys[i].key);
    return name;
}
