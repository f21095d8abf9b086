/* test_batch.h - batch worlds in a line each, for the tests of the policy.
 *
 *   nodes   "n1 8; n2 4 cpu=4000 rack=r1 zone=z1 gmem=16000 model=A100 mig=7 ext=7"          name, GPUs; cpu in milli (100000), gmem: MiB of a device; mig: partitions 1g.5gb, ext: of example.com/slice
 *   queues  "d; a parent=d q=2 l=4 w=1 p=100 cq=500 cl=1000 pmin=10 rmin=10 max=60 A100=2:4"    of a model: quota and limit; else quota, limit, weight of GPUs in devices (fractions allowed); cq, cl: of cpu; xq, xl: of slices; run times in seconds
 *   units   "j1@a 2x1 min=2 pri=50 on=n1,n2 start=90 fixed soft semi created=5 cpu=100 need=rack like=rack sub=w:1 mib=4000 dev=2 at=rack:r1 model=A100 mig=1 ext=2 cost=60 saved=950 delay=30 rank=1,2"
 *           2 pods of 1 GPU each (0.5: a part, 0: none), the first ones on those nodes; start: seconds; a group when there is more than one or min= is given
 *           run=60: says that it runs for so many seconds; life=60: and does (batch_ends); safe=60: not evicted before; tries=1: schedulingBackoff; grace=10: stalenessGracePeriod of the group (-1: never); wait=30: its preemptionDelay
 * One turn of the world: a round, binds are confirmed, victims are gone and their pods come again as pending ones.
 * expect  "j1 2; j2 0; j3 1 n2": pods that run after two turns, and on which node the first; then five turns must change nothing; "5! ...": after five. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <ctype.h>

#include "base/test.h"
#include "sched/policy/policy.h"
#include "sched/policy/policy_state.h"

#define BATCH_PODS 64
struct batch_pod {
    char name[48], group[32], queue[32], node[32], subgroup[16], label_key[40], label_value[16], model[16];
    double gpus;
    uint32_t mig;
    int64_t cpu, mib, ext;
    uint32_t devices;
    int32_t priority;
    enum preemptibility preemptibility;
    nsec_t created, started;
    struct spec_loss loss;
    int32_t ranks[8]; /* of a unit's members, in turn */
    uint32_t nranks;
    nsec_t run, life, safe, leaves; /* the last one: it is being deleted, and should be gone then */
    bool gated, ended;
};
struct batch_world {
    struct sched *s;
    struct policy *p;
    struct policy_decisions d;
    struct batch_pod pods[1024];
    uint32_t npods;
    nsec_t now;
    uint32_t evictions, binds, nominations;
    bool never_again; /* victims do not come again */
    uint32_t slow;    /* turns that victims take to go, 0: none */
    VEC(struct batch_going { char name[48]; uint32_t turns; }) going;
};

static inline str batch_word(str *rest)
{
    while (rest->len && isspace((unsigned char)rest->p[0])) {
        rest->p++;
        rest->len--;
    }
    size_t n = 0;
    while (n < rest->len && !isspace((unsigned char)rest->p[n]))
        n++;
    str w = {rest->p, n};
    rest->p += n;
    rest->len -= n;
    return w;
}

static inline double batch_number(str s)
{
    double v = 0, scale = 1;
    bool point = false, minus = s.len && s.p[0] == '-';
    for (size_t i = minus; i < s.len; i++) {
        if (s.p[i] == '.') {
            point = true;
            continue;
        }
        v = v * 10 + (s.p[i] - '0');
        scale *= point ? 10 : 1;
    }
    return (minus ? -v : v) / scale;
}

static inline void batch_copy(char *to, size_t size, str from)
{
    snprintf(to, size, STR_FMT, STR_ARG(from));
}

static inline uint16_t batch_resource(struct batch_world *w, const char *name)
{
    struct err err = ERR_NONE;
    uint16_t id = 0;
    T_NO_ERR(sched_resource_id(w->s, str_of(name), &id, &err), &err);
    return id;
}

static inline void batch_node(struct batch_world *w, str line)
{
    str name = batch_word(&line), word;
    uint32_t gpus = (uint32_t)batch_number(batch_word(&line));
    int64_t cpu = 100000, gmem = 0, mig = 0, ext = 0;
    str model = S("");
    struct spec_label labels[4] = {{S("kubernetes.io/hostname"), name}};
    size_t nlabels = 1;
    while ((word = batch_word(&line)).len) {
        str key;
        str_cut(&word, '=', &key);
        if (str_is(key, "cpu"))
            cpu = (int64_t)batch_number(word);
        else if (str_is(key, "gmem"))
            gmem = (int64_t)batch_number(word);
        else if (str_is(key, "mig"))
            mig = (int64_t)batch_number(word);
        else if (str_is(key, "ext"))
            ext = (int64_t)batch_number(word);
        else if (str_is(key, "model"))
            model = word;
        else
            labels[nlabels++] = (struct spec_label){key, word};
    }
    struct err err = ERR_NONE;
    struct res_amount res[6] = {{RES_CPU, cpu}, {RES_MEMORY, 1ll << 40}, {RES_PODS, 200}};
    size_t nres = 3;
    if (gpus)
        res[nres++] = (struct res_amount){RES_GPU, gpus};
    if (mig)
        res[nres++] = (struct res_amount){batch_resource(w, "nvidia.com/mig-1g.5gb"), mig};
    if (ext)
        res[nres++] = (struct res_amount){batch_resource(w, "example.com/slice"), ext};
    struct node_spec n = {.name = name, .labels = {labels, nlabels}, .allocatable = {res, nres}, .ngpus = gpus, .gpu_memory_mib = gmem, .gpu_model = model};
    T_NO_ERR(sched_node_put(w->s, &n, NULL, &err), &err);
}

static inline void batch_queue(struct batch_world *w, str line)
{
    struct queue_resource gpu = {.id = RES_GPU, .weight = 1, .limit = POLICY_UNLIMITED}, cpu = {.id = RES_CPU, .weight = 1, .limit = POLICY_UNLIMITED, .quota = POLICY_UNLIMITED};
    struct queue_resource memory = {.id = RES_MEMORY, .weight = 1, .limit = POLICY_UNLIMITED, .quota = POLICY_UNLIMITED};
    struct queue_resource slice = {.id = batch_resource(w, "example.com/slice"), .weight = 1, .limit = POLICY_UNLIMITED};
    bool has_slice = false;
    struct queue_spec q = {.priority = 100, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
    q.name = q.uid = batch_word(&line);
    static nsec_t created;
    q.created_ns = ++created;
    str word;
    char names[2][48];
    struct queue_resource res[6];
    size_t nmodels = 0;
    while ((word = batch_word(&line)).len) {
        str key;
        str_cut(&word, '=', &key);
        bool is_model = isupper((unsigned char)key.p[0]);
        double v = str_is(key, "parent") || is_model ? 0 : batch_number(word);
        if (is_model) {
            str quota;
            bool limited = str_cut(&word, ':', &quota);
            snprintf(names[nmodels], sizeof names[0], QUEUE_MODEL_PREFIX STR_FMT, STR_ARG(key));
            res[3 + nmodels] = (struct queue_resource){.id = batch_resource(w, names[nmodels]), .weight = 1, .quota = (int64_t)(batch_number(quota) * GPU_MILLI),
                                                       .limit = limited ? (int64_t)(batch_number(word) * GPU_MILLI) : POLICY_UNLIMITED, .name = str_of(names[nmodels])};
            nmodels++;
        } else if (str_is(key, "parent"))
            q.parent = word;
        else if (str_is(key, "q"))
            gpu.quota = v < 0 ? POLICY_UNLIMITED : (int64_t)(v * GPU_MILLI);
        else if (str_is(key, "l"))
            gpu.limit = (int64_t)(v * GPU_MILLI);
        else if (str_is(key, "w"))
            gpu.weight = v;
        else if (str_is(key, "p"))
            q.priority = (int32_t)v;
        else if (str_is(key, "cq"))
            cpu.quota = (int64_t)v;
        else if (str_is(key, "cl"))
            cpu.limit = (int64_t)v;
        else if (str_is(key, "cw"))
            cpu.weight = v;
        else if (str_is(key, "xq") || str_is(key, "xl")) {
            *(key.p[1] == 'q' ? &slice.quota : &slice.limit) = (int64_t)v;
            has_slice = true;
        } else if (str_is(key, "pmin"))
            q.preempt_min_runtime_ns = (nsec_t)v * NSEC_PER_SEC;
        else if (str_is(key, "rmin"))
            q.reclaim_min_runtime_ns = (nsec_t)v * NSEC_PER_SEC;
        else if (str_is(key, "max"))
            q.max_runtime_ns = (nsec_t)v * NSEC_PER_SEC;
        else
            T_FAIL_("queue: what is '" STR_FMT "'?", STR_ARG(key));
    }
    res[0] = cpu;
    res[1] = memory;
    res[2] = gpu;
    res[3 + nmodels] = slice;
    q.res = res;
    q.nres = 3 + nmodels + has_slice;
    struct err err = ERR_NONE;
    T_NO_ERR(policy_queue_put(w->p, &q, &err), &err);
}

static inline pod_id batch_put(struct batch_world *w, struct batch_pod *b)
{
    bool whole = b->gpus >= 1;
    struct res_amount req[5] = {{RES_CPU, b->cpu}, {RES_MEMORY, 1 << 20}};
    size_t nreq = 2;
    if (whole)
        req[nreq++] = (struct res_amount){RES_GPU, (int64_t)b->gpus};
    if (b->mig)
        req[nreq++] = (struct res_amount){batch_resource(w, "nvidia.com/mig-1g.5gb"), b->mig};
    str model = str_of(b->model);
    if (b->ext)
        req[nreq++] = (struct res_amount){batch_resource(w, "example.com/slice"), b->ext};
    str value = str_of(b->label_value);
    struct spec_requirement r = {str_of(b->label_key), OP_IN, &value, 1};
    struct spec_node_term term = {.labels = {&r, 1, false}};
    struct pod_spec p = {
        .ns = S("x"), .name = str_of(b->name), .uid = str_of(b->name), .node = str_of(b->node), .group = str_of(b->group), .subgroup = str_of(b->subgroup), .queue = str_of(b->queue),
        .preemptibility = b->preemptibility, .phase = *b->node ? POD_BOUND : POD_PENDING, .created_ns = b->created, .started_ns = *b->node ? b->started : 0, .priority = b->priority,
        .requests = {req, nreq}, .nonzero_cpu = b->cpu, .nonzero_memory = 1 << 20, .gates = b->gated,
        .runtime_ns = b->run, .protect_ns = b->safe, .loss = b->loss, .rank = b->nranks ? b->ranks[0] : 0, .required_terms = &term, .nrequired_terms = *b->label_key != 0, .has_required = *b->label_key != 0,
    };
    if (b->leaves) {
        p.phase = POD_TERMINATING;
        p.loss.leave_by_ns = b->leaves;
    }
    if (b->mib)
        p.gpu = (struct gpu_request){.kind = GPU_MEMORY, .count = b->devices, .memory_mib = b->mib};
    else if (whole)
        p.gpu = (struct gpu_request){.kind = GPU_WHOLE, .count = (uint32_t)b->gpus};
    else if (b->gpus > 0)
        p.gpu = (struct gpu_request){.kind = GPU_FRACTION, .count = b->devices, .milli = (int32_t)(b->gpus * 1000 + 0.5)};
    p.gpu.models = &model;
    p.gpu.nmodels = model.len > 0;
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &err), &err);
    return id;
}

struct batch_group_in {
    int min;
    str need, like;
    int min_subgroup;
    struct spec_subgroup subs[8];
    uint32_t members[8];
    size_t nsubs;
    int32_t tries;
    nsec_t grace, wait;
};

static inline void batch_unit(struct batch_world *w, str line, uint32_t number)
{
    str name, queue = batch_word(&line), size = batch_word(&line), count, word, on = S("");
    str_cut(&queue, '@', &name);
    str_cut(&size, 'x', &count);
    struct batch_pod like = {.gpus = batch_number(size), .cpu = 100, .devices = 1, .priority = 50, .created = number, .started = 900 * NSEC_PER_SEC};
    uint32_t n = (uint32_t)batch_number(count);
    struct batch_group_in g = {.min = -1};
    int undeclared = 0;
    batch_copy(like.queue, sizeof like.queue, queue);
    while ((word = batch_word(&line)).len) {
        str key;
        str_cut(&word, '=', &key);
        if (str_is(key, "min"))
            g.min = (int)batch_number(word);
        else if (str_is(key, "pri"))
            like.priority = (int32_t)batch_number(word);
        else if (str_is(key, "on"))
            on = word;
        else if (str_is(key, "start"))
            like.started = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "run"))
            like.run = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "life"))
            like.life = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "safe"))
            like.safe = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "tries"))
            g.tries = (int32_t)batch_number(word);
        else if (str_is(key, "grace"))
            g.grace = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "wait"))
            g.wait = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "created"))
            like.created = (nsec_t)batch_number(word);
        else if (str_is(key, "cpu"))
            like.cpu = (int64_t)batch_number(word);
        else if (str_is(key, "ext"))
            like.ext = (int64_t)batch_number(word);
        else if (str_is(key, "mib"))
            like.mib = (int64_t)batch_number(word);
        else if (str_is(key, "dev"))
            like.devices = (uint32_t)batch_number(word);
        else if (str_is(key, "cost"))
            like.loss.restart_cost_s = (int32_t)batch_number(word);
        else if (str_is(key, "saved"))
            like.loss.checkpoint_ns = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "delay"))
            like.loss.delay_ns = (nsec_t)batch_number(word) * NSEC_PER_SEC;
        else if (str_is(key, "rank")) { /* rank=1,3,2: of its members */
            for (str one; word.len && like.nranks < 8;) {
                str_cut(&word, ',', &one);
                like.ranks[like.nranks++] = (int32_t)batch_number(one);
            }
        } else if (str_is(key, "mig"))
            like.mig = (uint32_t)batch_number(word);
        else if (str_is(key, "model"))
            batch_copy(like.model, sizeof like.model, word);
        else if (str_is(key, "fixed"))
            like.preemptibility = PREEMPTIBLE_NO;
        else if (str_is(key, "semi"))
            like.preemptibility = PREEMPTIBLE_SEMI;
        else if (str_is(key, "soft"))
            like.preemptibility = PREEMPTIBLE_YES;
        else if (str_is(key, "gated"))
            like.gated = true;
        else if (str_is(key, "undeclared"))
            undeclared = 1;
        else if (str_is(key, "need"))
            g.need = word;
        else if (str_is(key, "like"))
            g.like = word;
        else if (str_is(key, "at")) {
            str k;
            str_cut(&word, ':', &k);
            batch_copy(like.label_key, sizeof like.label_key, k);
            batch_copy(like.label_value, sizeof like.label_value, word);
        } else if (str_is(key, "subs")) { /* so many of the sub-groups must be */
            g.min_subgroup = (int)batch_number(word); /* -1: none must */
        } else if (str_is(key, "sub")) { /* sub=w:2 : two members from the front are of w, all needed; w:2/3: of three; w:2:rack: in one rack; w:2:~rack: it likes to be; w:2::v below v */
            str k;
            str_cut(&word, ':', &k);
            str least, of, where;
            str_cut(&word, ':', &of);
            str_cut(&word, ':', &where);
            str_cut(&of, '/', &least);
            bool like_one = str_has_prefix(where, S("~"));
            where = like_one ? (str){where.p + 1, where.len - 1} : where;
            g.members[g.nsubs] = (uint32_t)batch_number(of.len ? of : least);
            g.subs[g.nsubs++] = (struct spec_subgroup){.name = k, .min_member = (int32_t)batch_number(least), .required_key = like_one ? (str){0} : where, .preferred_key = like_one ? where : (str){0}, .parent = word};
        } else
            T_FAIL_("unit: what is '" STR_FMT "'?", STR_ARG(key));
    }
    bool group = n > 1 || g.min >= 0;
    if (group)
        batch_copy(like.group, sizeof like.group, name);
    if (group && !undeclared) {
        struct group_spec spec = {.ns = S("x"), .name = name, .min_member = g.min >= 0 ? g.min : (int32_t)n, .created_ns = like.created, .queue = queue, .preemptibility = like.preemptibility,
                                  .min_subgroup = g.min_subgroup, .required_keys = &g.need, .nrequired_keys = g.need.len != 0, .preferred_keys = &g.like, .npreferred_keys = g.like.len != 0, .subgroups = g.subs, .nsubgroups = g.nsubs, .max_tries = g.tries, .stale_grace_ns = g.grace, .delay_ns = g.wait};
        struct err err = ERR_NONE;
        T_NO_ERR(sched_group_put(w->s, &spec, NULL, &err), &err);
    }
    uint32_t sub = 0, in_sub = 0;
    while (sub < g.nsubs && g.members[sub] == 0)
        sub++;
    for (uint32_t i = 0; i < n; i++) {
        struct batch_pod *b = &w->pods[w->npods++];
        *b = like;
        b->ranks[0] = like.nranks ? like.ranks[i % like.nranks] : 0;
        if (group)
            snprintf(b->name, sizeof b->name, STR_FMT "-%u", STR_ARG(name), i);
        else
            batch_copy(b->name, sizeof b->name, name);
        if (sub < g.nsubs) {
            batch_copy(b->subgroup, sizeof b->subgroup, g.subs[sub].name);
            if (++in_sub == g.members[sub]) {
                do
                    sub++;
                while (sub < g.nsubs && g.members[sub] == 0);
                in_sub = 0;
            }
        }
        str node;
        if (on.len) {
            str_cut(&on, ',', &node);
            batch_copy(b->node, sizeof b->node, node);
        }
        batch_put(w, b);
    }
}

static inline void batch_lines(struct batch_world *w, const char *text, int what)
{
    str rest = str_of(text), line;
    uint32_t number = 1;
    while (rest.len) {
        str_cut(&rest, ';', &line);
        str probe = line;
        if (batch_word(&probe).len == 0)
            continue;
        if (what == 0)
            batch_node(w, line);
        else if (what == 1)
            batch_queue(w, line);
        else
            batch_unit(w, line, number++);
    }
}

static inline void batch_new(struct batch_world *w, const char *nodes, const char *queues, const char *units, const struct policy_opts *opts)
{
    memset(w, 0, sizeof *w);
    w->s = sched_new(profile_builtin(S("binpack")), 0);
    w->p = policy_new(w->s, opts);
    w->d = POLICY_DECISIONS_INIT;
    w->now = 1000 * NSEC_PER_SEC;
    batch_lines(w, nodes, 0);
    batch_lines(w, queues, 1);
    batch_lines(w, units, 2);
}

static inline void batch_free(struct batch_world *w)
{
    policy_decisions_fini(&w->d);
    vec_fini(&w->going);
    policy_free(w->p);
    sched_free(w->s);
}

static inline struct batch_pod *batch_find(struct batch_world *w, str name)
{
    for (uint32_t i = 0; i < w->npods; i++)
        if (str_is(name, w->pods[i].name))
            return &w->pods[i];
    BUG_ON(true);
}

static inline bool batch_check(struct batch_world *w)
{
    struct err err = ERR_NONE;
    int r = model_check(w->s, &err);
    if (r == 0)
        r = policy_check(w->p, &err);
    if (r < 0)
        T_FAIL_("check: %s", err.msg);
    return r == 0;
}

/* One turn; returns how many decisions there were. */
static inline size_t batch_turn(struct batch_world *w)
{
    policy_events(w->p, sched_take_events(w->s));
    policy_round(w->p, w->now, &w->d);
    batch_check(w);
    size_t n = w->d.list.len;
    for (size_t i = 0; getenv("BATCH_TRACE") && i < n; i++) {
        const struct policy_decision *d = &w->d.list.p[i];
        printf("# t=%lld action %d result %d unit %u:", (long long)(w->now / NSEC_PER_SEC), d->action, d->d.result, d->unit);
        for (size_t k = 0; k < d->d.placements.len; k++)
            printf(" +" STR_FMT "@" STR_FMT "/%x", STR_ARG(sched_pod_name(w->s, d->d.placements.p[k].pod)), STR_ARG(sched_node_name(w->s, d->d.placements.p[k].node)), d->d.placements.p[k].gpu_mask);
        for (size_t k = 0; k < d->d.victims.len; k++)
            printf(" -" STR_FMT, STR_ARG(sched_pod_name(w->s, d->d.victims.p[k])));
        printf("\n");
    }
    for (size_t i = 0; i < n; i++) {
        const struct policy_decision *d = &w->d.list.p[i];
        for (size_t k = 0; k < d->d.placements.len; k++) {
            struct batch_pod *b = batch_find(w, sched_pod_name(w->s, d->d.placements.p[k].pod));
            w->binds += d->d.result == UNIT_PLACED;
            w->nominations += d->d.result != UNIT_PLACED;
            if (d->d.result != UNIT_PLACED)
                continue;
            batch_copy(b->node, sizeof b->node, sched_node_name(w->s, d->d.placements.p[k].node));
            b->started = w->now;
        }
        for (size_t k = 0; k < d->d.victims.len; k++) {
            struct batch_going g = {.turns = w->slow};
            batch_copy(g.name, sizeof g.name, sched_pod_name(w->s, d->d.victims.p[k]));
            vec_push(&w->going, g);
        }
    }
    for (uint32_t i = 0; i < w->npods; i++) {
        pod_id id = sched_pod_find(w->s, S("x"), str_of(w->pods[i].name));
        if (id && w->s->pods[id].state == PS_ASSUMED)
            batch_put(w, &w->pods[i]);
    }
    for (size_t i = 0; i < w->going.len;) {
        if (w->going.p[i].turns-- > 0) {
            i++;
            continue;
        }
        struct batch_pod *b = batch_find(w, str_of(w->going.p[i].name));
        w->evictions++;
        sched_pod_delete(w->s, S("x"), str_of(b->name));
        b->node[0] = 0;
        vec_remove(&w->going, i);
        if (!w->never_again)
            batch_put(w, b);
    }
    w->now += NSEC_PER_SEC;
    return n;
}

/* Those whose life is over go; a gang as a whole.  Returns how many pods went. */
static inline uint32_t batch_ends(struct batch_world *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->npods; i++) {
        struct batch_pod *b = &w->pods[i];
        pod_id id = b->ended ? POD_NONE : sched_pod_find(w->s, S("x"), str_of(b->name));
        if (!id || !b->life || w->s->pods[id].state != PS_BOUND || w->now < b->started + b->life)
            continue;
        sched_pod_delete(w->s, S("x"), str_of(b->name));
        b->ended = true;
        n++;
    }
    return n;
}

/* Pods of a unit that run, and where the first of them is. */
static inline uint32_t batch_running(struct batch_world *w, str unit, str *ret_node)
{
    uint32_t n = 0;
    *ret_node = S("");
    for (uint32_t i = 0; i < w->npods; i++) {
        struct batch_pod *b = &w->pods[i];
        if (!str_eq(str_of(*b->group ? b->group : b->name), unit))
            continue;
        pod_id id = sched_pod_find(w->s, S("x"), str_of(b->name));
        if (!id || w->s->pods[id].state != PS_BOUND)
            continue;
        if (n++ == 0)
            *ret_node = sched_node_name(w->s, w->s->pods[id].node);
    }
    return n;
}

static inline bool batch_expect(struct batch_world *w, const char *text, const char *when)
{
    str rest = str_of(text), line;
    bool good = true;
    while (rest.len) {
        str_cut(&rest, ';', &line);
        str unit = batch_word(&line), n = batch_word(&line), node = batch_word(&line), where;
        if (unit.len == 0)
            continue;
        uint32_t have = batch_running(w, unit, &where);
        if (have != (uint32_t)batch_number(n)) {
            T_FAIL_("%s: " STR_FMT " runs %u pods, expected " STR_FMT, when, STR_ARG(unit), have, STR_ARG(n));
            good = false;
        }
        if (node.len && !str_eq(node, where)) {
            T_FAIL_("%s: " STR_FMT " is on '" STR_FMT "', expected " STR_FMT, when, STR_ARG(unit), STR_ARG(where), STR_ARG(node));
            good = false;
        }
    }
    return good;
}

static inline uint64_t batch_digest(const struct batch_world *w)
{
    uint64_t h = 14695981039346656037ull;
    for (uint32_t i = 0; i < w->npods; i++) {
        pod_id id = sched_pod_find(w->s, S("x"), str_of(w->pods[i].name));
        h = (h ^ (id ? (uint64_t)w->s->pods[id].state << 32 | w->s->pods[id].node : 0)) * 1099511628211ull;
    }
    return h;
}

struct batch_case {
    const char *name, *nodes, *queues, *units, *expect;
    int evictions; /* -1: any number */
};

/* lost: a pod that ends after the first turns and does not come again; then so many seconds pass. */
static inline bool batch_run_case_after(const struct batch_case *c, const char *lost, int wait)
{
    static struct batch_world w; /* large */
    batch_new(&w, c->nodes, c->queues, c->units, NULL);
    bool told = c->expect[1] == '!';
    for (int i = 0; i < (told ? c->expect[0] - '0' : 2); i++)
        batch_turn(&w);
    if (lost) {
        sched_pod_delete(w.s, S("x"), str_of(lost));
        w.never_again = true;
        batch_turn(&w);
        w.now += wait * NSEC_PER_SEC;
        batch_turn(&w);
        batch_turn(&w);
    }
    bool good = batch_expect(&w, c->expect + (told ? 2 : 0), c->name);
    if (c->evictions >= 0 && w.evictions != (uint32_t)c->evictions) {
        T_FAIL_("%s: %u evictions, expected %d", c->name, w.evictions, c->evictions);
        good = false;
    }
    uint64_t before = batch_digest(&w);
    for (int i = 0; i < 5; i++) {
        batch_turn(&w);
        if (batch_digest(&w) != before) {
            T_FAIL_("%s: turn %d changed something", c->name, i + 1);
            good = false;
            break;
        }
    }
    batch_free(&w);
    return good;
}

static inline void batch_run_table(const struct batch_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!batch_run_case_after(&cases[i], NULL, 0))
            printf("#   case %zu: %s\n", i, cases[i].name);
}
