/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/volumes_plan.h"

#include "base/test.h"

static struct json parse(struct arena *a, const char *text)
{
    char *copy = arena_alloc(a, strlen(text) + 1);
    for (size_t i = 0; i <= strlen(text); i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    return json_literal(a, copy);
}

#define CLAIM "{'metadata':{'namespace':'ns','name':'c','uid':'u'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'k','resources':{'requests':{'storage':'5Gi'}}}}"
#define VOLUME(name, size, spec) "{'metadata':{'name':'" name "','labels':{'disk':'ssd'}},'spec':{'capacity':{'storage':'" size "'},'accessModes':['ReadWriteOnce','ReadOnlyMany'],'storageClassName':'k'" spec "}}"

TEST(what_a_claim_may_have)
{
    static const struct {
        const char *claim, *volume, *why; /* NULL: fits */
    } cases[] = {
        {CLAIM, VOLUME("v", "5Gi", ""), NULL},
        {CLAIM, VOLUME("v", "100Gi", ""), NULL},
        {CLAIM, VOLUME("v", "4Gi", ""), "the volume is too small"},
        {CLAIM, VOLUME("v", "5368709120", ""), NULL},
        {CLAIM, VOLUME("v", "5Gi", ",'volumeMode':'Block'"), "the volume is of another mode"},
        {CLAIM, VOLUME("v", "5Gi", ",'volumeMode':'Filesystem'"), NULL},
        {CLAIM, VOLUME("v", "5Gi", ",'claimRef':{'namespace':'ns','name':'c'}"), NULL},
        {CLAIM, VOLUME("v", "5Gi", ",'claimRef':{'namespace':'ns','name':'c','uid':'u'}"), NULL},
        {CLAIM, VOLUME("v", "5Gi", ",'claimRef':{'namespace':'ns','name':'c','uid':'old'}"), "the volume is another claim's"},
        {CLAIM, VOLUME("v", "5Gi", ",'claimRef':{'namespace':'ns','name':'d'}"), "the volume is another claim's"},
        {CLAIM, VOLUME("v", "4Gi", ",'claimRef':{'namespace':'ns','name':'c'}"), "the volume is too small"},
        {CLAIM, "{'metadata':{'name':'v','deletionTimestamp':'x'},'spec':{'capacity':{'storage':'5Gi'},'storageClassName':'k'}}", "the volume is being deleted"},
        {CLAIM, "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'5Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'k'},'status':{'phase':'Failed'}}", "the volume is not available"},
        {CLAIM, "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'5Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'k'},'status':{'phase':'Available'}}", NULL},
        {CLAIM, "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'5Gi'},'accessModes':['ReadOnlyMany'],'storageClassName':'k'}}", "the volume lacks an access mode"},
        {CLAIM, "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'5Gi'},'accessModes':['ReadWriteOnce']}}", "the volume is of another class"},
        {"{'metadata':{},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'k','selector':{'matchLabels':{'disk':'ssd'}}}}", VOLUME("v", "5Gi", ""), NULL},
        {"{'metadata':{},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'k','selector':{'matchLabels':{'disk':'hdd'}}}}", VOLUME("v", "5Gi", ""), "the volume is not selected"},
        {"{'metadata':{'annotations':{'volume.beta.kubernetes.io/storage-class':'k'}},'spec':{'accessModes':['ReadWriteOnce']}}", VOLUME("v", "5Gi", ""), NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json claim = parse(&a, cases[i].claim), volume = parse(&a, cases[i].volume);
        const char *why;
        bool fits = volume_fits(&a, &volume, &claim, &why);
        if (fits != !cases[i].why || (why && cases[i].why && strcmp(why, cases[i].why) != 0))
            T_FAIL_("case %zu: %s", i, why ? why : "fits");
    }
}

TEST(which_is_better)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json claim = parse(&a, CLAIM), small = parse(&a, VOLUME("b", "5Gi", "")), large = parse(&a, VOLUME("a", "9Gi", "")), meant = parse(&a, VOLUME("c", "50Gi", ",'claimRef':{'namespace':'ns','name':'c'}")),
                twin = parse(&a, VOLUME("z", "5Gi", ""));
    T_OK(volume_is_better(&small, &large, &claim) && !volume_is_better(&large, &small, &claim));
    T_OK(volume_is_better(&meant, &small, &claim) && !volume_is_better(&small, &meant, &claim));
    T_OK(volume_is_better(&small, &twin, &claim) && !volume_is_better(&twin, &small, &claim));
    T_OK(volume_is_free(&small) && volume_is_free(&meant));
}

#define HELD(policy, notes) "{'metadata':{'name':'v','annotations':{" notes "}},'spec':{'persistentVolumeReclaimPolicy':'" policy "','claimRef':{'namespace':'ns','name':'c','uid':'u'}}}"

TEST(what_becomes_of_volumes)
{
    static const struct {
        const char *volume, *claim, *phase;
        enum volume_fate fate;
    } cases[] = {
        {"{'metadata':{'name':'v'},'spec':{}}", NULL, "Available", VOLUME_STAYS},
        {"{'metadata':{'name':'v'},'spec':{'claimRef':{'namespace':'ns','name':'c'}}}", NULL, "Available", VOLUME_STAYS},
        {HELD("Retain", ""), "{'metadata':{'namespace':'ns','name':'c','uid':'u'},'spec':{'volumeName':'v'}}", "Bound", VOLUME_STAYS},
        {HELD("Retain", ""), "{'metadata':{'namespace':'ns','name':'c','uid':'u'},'spec':{}}", "Bound", VOLUME_STAYS},
        {HELD("Retain", ""), NULL, "Released", VOLUME_STAYS},
        {HELD("Retain", ""), "{'metadata':{'namespace':'ns','name':'c','uid':'new'},'spec':{'volumeName':'v'}}", "Released", VOLUME_STAYS},
        {HELD("Retain", ""), "{'metadata':{'namespace':'ns','name':'c','uid':'u'},'spec':{'volumeName':'w'}}", "Released", VOLUME_STAYS},
        {HELD("Delete", "'pv.kubernetes.io/provisioned-by':'coxswain.dev/local-path'"), NULL, "Released", VOLUME_GOES},
        {HELD("Delete", "'pv.kubernetes.io/provisioned-by':'coxswain.dev/local-path'"), "{'metadata':{'namespace':'ns','name':'c','uid':'u'},'spec':{'volumeName':'v'}}", "Bound", VOLUME_STAYS},
        {HELD("Delete", "'pv.kubernetes.io/provisioned-by':'example.com/x'"), NULL, "Released", VOLUME_STAYS},
        {HELD("Delete", ""), NULL, "Failed", VOLUME_CANNOT},
        {HELD("Recycle", ""), NULL, "Failed", VOLUME_CANNOT},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json volume = parse(&a, cases[i].volume), claim = cases[i].claim ? parse(&a, cases[i].claim) : json_null();
        struct volume_plan p = volume_plan_make(&volume, cases[i].claim ? &claim : NULL);
        if (strcmp(p.phase, cases[i].phase) != 0 || p.fate != cases[i].fate)
            T_FAIL_("case %zu: %s, %d", i, p.phase, p.fate);
    }
}

TEST(a_volume_on_a_nodes_disk)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *why;
    struct json claim = parse(&a, CLAIM), class = parse(&a, "{'reclaimPolicy':'Retain'}"), node = parse(&a, "{'metadata':{'name':'n1','labels':{'kubernetes.io/hostname':'host'}}}"),
                own = parse(&a, "{'metadata':{'name':'n1','annotations':{'coxswain.dev/volumes-dir':'/data'}}}"), shared = parse(&a, "{'metadata':{},'spec':{'accessModes':['ReadWriteMany']}}"),
                block = parse(&a, "{'metadata':{},'spec':{'volumeMode':'Block'}}");
    T_OK(local_path_supports(&claim, &why) && !local_path_supports(&shared, &why) && !local_path_supports(&block, &why));
    struct json v = local_path_volume(&a, &claim, &class, &node);
    T_EQ_STR(json_get_str(json_path(&v, "spec", "hostPath", NULL), S("path")), "/var/lib/cox/volumes/local-path/pvc-u_ns_c");
    T_EQ_STR(json_get_str(json_get(&v, S("metadata")), S("name")), "pvc-u");
    T_EQ_STR(json_get_str(json_path(&v, "metadata", "labels", NULL), S("coxswain.dev/node")), "n1");
    T_EQ_STR(json_get_str(json_get(&v, S("spec")), S("persistentVolumeReclaimPolicy")), "Retain");
    T_EQ_STR(json_str(json_path(&v, "spec", "capacity", "storage", NULL)), "5Gi");
    T_OK(volume_is_for(&v, &claim) && !volume_is_free(&v));
    T_OK(str_find(json_text(&a, json_path(&v, "spec", "nodeAffinity", NULL)), S("[\"host\"]")) >= 0);
    v = local_path_volume(&a, &claim, &class, &own);
    T_EQ_STR(json_get_str(json_path(&v, "spec", "hostPath", NULL), S("path")), "/data/local-path/pvc-u_ns_c");
    T_OK(str_find(json_text(&a, json_path(&v, "spec", "nodeAffinity", NULL)), S("[\"n1\"]")) >= 0);
}

TEST_MAIN(what_a_claim_may_have, which_is_better, what_becomes_of_volumes, a_volume_on_a_nodes_disk)
