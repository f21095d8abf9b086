/* policy_world_test.c - random closed worlds: whatever the queues and units are, some things always hold, and in the end there is rest. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"

struct dice {
    uint64_t x;
};

static uint32_t roll(struct dice *d, uint32_t n)
{
    d->x ^= d->x << 13;
    d->x ^= d->x >> 7;
    d->x ^= d->x << 17;
    return (uint32_t)((d->x >> 20) % n);
}

/* How many worlds; BATCH_SEEDS=50 looks at fifty times as many. */
static uint64_t seeds(uint64_t n)
{
    const char *more = getenv("BATCH_SEEDS");
    return n * (more ? (uint64_t)batch_number(str_of(more)) : 1);
}

/* --- worlds as text ------------------------------------------------------------------------------------------------------------------------ */
static struct batch_world w;
static struct strbuf nodes, queues, units;
static bool with_models; /* GPUs of two models, and queues that speak of one */

static void make_nodes(struct dice *d)
{
    uint32_t n = 2 + roll(d, 5);
    for (uint32_t i = 0; i < n; i++)
        strbuf_addf(&nodes, "n%u %u cpu=%u rack=r%u gmem=16000%s;", i, 1u << roll(d, 4), 4000 + 4000 * roll(d, 3), i / 2, !with_models ? "" : roll(d, 2) ? " model=A100-PCIE" : " model=T4");
}

static uint32_t make_queues(struct dice *d, bool simple)
{
    uint32_t departments = simple ? 0 : roll(d, 3), n = 2 + roll(d, 4);
    for (uint32_t i = 0; i < departments; i++)
        strbuf_addf(&queues, "d%u q=%u w=%u;", i, roll(d, 8), roll(d, 3));
    for (uint32_t i = 0; i < n; i++) {
        strbuf_addf(&queues, "q%u q=%u", i, roll(d, 5));
        if (departments && roll(d, 4))
            strbuf_addf(&queues, " parent=d%u", roll(d, departments));
        if (!simple && roll(d, 4) == 0)
            strbuf_addf(&queues, " l=%u", 1 + roll(d, 8));
        if (!simple && roll(d, 4) == 0)
            strbuf_addf(&queues, " p=%u", 90 + 10 * roll(d, 3));
        if (!simple && roll(d, 3) == 0)
            strbuf_addf(&queues, " w=%u", roll(d, 4));
        if (!simple && roll(d, 6) == 0)
            strbuf_addf(&queues, " pmin=3 rmin=3");
        if (with_models && roll(d, 2))
            strbuf_addf(&queues, roll(d, 2) ? " A100=%u" : " A100=%u:%u", roll(d, 3), 2 + roll(d, 4));
        strbuf_addf(&queues, ";");
    }
    return n;
}

static void make_units(struct dice *d, uint32_t nqueues, bool simple)
{
    static const char *const sizes[] = {"1", "1", "1", "2", "4", "0.5", "0.25", "0"};
    uint32_t n = 5 + roll(d, 25);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t members = simple || roll(d, 3) ? 1 : 1 + roll(d, 5);
        strbuf_addf(&units, "u%u@q%u %ux%s", i, roll(d, nqueues), members, simple ? "1" : sizes[roll(d, ARRAY_LEN(sizes))]);
        if (members > 1)
            strbuf_addf(&units, " min=%u", 1 + roll(d, members));
        if (!simple)
            strbuf_addf(&units, " pri=%u cpu=%u", 10 * (1 + roll(d, 12)), 100 + 300 * roll(d, 4));
        if (members > 1 && roll(d, 3) == 0)
            strbuf_addf(&units, roll(d, 2) ? " need=rack" : " like=rack");
        if (!simple && members > 1 && roll(d, 4) == 0)
            strbuf_addf(&units, " semi");
        if (!simple && members == 1 && roll(d, 8) == 0)
            strbuf_addf(&units, " at=rack:r%u", roll(d, 3));
        if (with_models && roll(d, 3) == 0)
            strbuf_addf(&units, " model=%s", roll(d, 3) ? "A100" : "T4");
        strbuf_addf(&units, ";");
    }
}

static void make_world(struct dice *d, bool simple)
{
    nodes = STRBUF_HEAP;
    queues = STRBUF_HEAP;
    units = STRBUF_HEAP;
    make_nodes(d);
    uint32_t n = make_queues(d, simple);
    make_units(d, n, simple);
    char *a = str_dup(strbuf_str(&nodes)), *b = str_dup(strbuf_str(&queues)), *c = str_dup(strbuf_str(&units));
    batch_new(&w, a, b, c, NULL);
    free(a);
    free(b);
    free(c);
}

static void end_world(void)
{
    batch_free(&w);
    strbuf_fini(&nodes);
    strbuf_fini(&queues);
    strbuf_fini(&units);
}

static bool fail(uint64_t seed, const char *what)
{
    T_FAIL_("seed %llu: %s\n# nodes " STR_FMT "\n# queues " STR_FMT "\n# units " STR_FMT, (unsigned long long)seed, what, STR_ARG(strbuf_str(&nodes)), STR_ARG(strbuf_str(&queues)),
            STR_ARG(strbuf_str(&units)));
    return false;
}

/* --- what always holds --------------------------------------------------------------------------------------------------------------------- */
static bool limits_hold(void)
{
    const struct queues *q = policy_queues(w.p);
    queue_id ids[64];
    size_t n = queues_list(q, ids, ARRAY_LEN(ids));
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < queues_nslots(q); k++)
            if (queues_get(q, ids[i])->allocated.v[k] > queues_get(q, ids[i])->limit.v[k])
                return false;
    return true;
}

static bool fixed_within_quota(void)
{
    const struct queues *q = policy_queues(w.p);
    queue_id ids[64];
    size_t n = queues_list(q, ids, ARRAY_LEN(ids));
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < queues_nslots(q); k++)
            if (queues_get(q, ids[i])->allocated_fixed.v[k] > queues_get(q, ids[i])->quota.v[k])
                return false;
    return true;
}

static bool gangs_are_whole(void)
{
    for (unit_id u = 1; u < w.s->nunits_slots; u++) {
        const struct unit *unit = &w.s->units[u];
        if (!unit->used || !unit->is_group)
            continue;
        uint32_t n = 0;
        for (size_t i = 0; i < unit->pods.len; i++)
            n += w.s->pods[unit->pods.p[i]].state == PS_BOUND;
        if (n && n < (uint32_t)unit->min_member)
            return false;
    }
    return true;
}

/* Everybody whom room was kept for in the last turn starts in this one. */
struct kept {
    char name[64][48];
    size_t n;
};

static void kept_note(struct kept *k)
{
    k->n = 0;
    for (size_t i = 0; i < w.d.list.len; i++)
        for (size_t j = 0; w.d.list.p[i].d.result == UNIT_PREEMPTING && j < w.d.list.p[i].d.placements.len && k->n < 64; j++)
            batch_copy(k->name[k->n++], sizeof k->name[0], sched_pod_name(w.s, w.d.list.p[i].d.placements.p[j].pod));
}

static bool kept_start(const struct kept *k)
{
    for (size_t i = 0; i < k->n; i++) {
        bool found = false;
        for (size_t j = 0; j < w.d.list.len; j++)
            for (size_t m = 0; w.d.list.p[j].d.result == UNIT_PLACED && m < w.d.list.p[j].d.placements.len; m++)
                found |= str_is(sched_pod_name(w.s, w.d.list.p[j].d.placements.p[m].pod), k->name[i]);
        if (!found) {
            printf("# %s\n", k->name[i]);
            return false;
        }
    }
    return true;
}

#define TURNS 200
static bool live_through(uint64_t seed, int *ret_turns)
{
    struct kept kept = {.n = 0};
    int quiet = 0, turn = 0;
    for (; turn < TURNS && quiet < 6; turn++) { /* min run times are 3 s */
        size_t n = batch_turn(&w);
        if (test_failures_)
            return fail(seed, "the state is not what the pods say");
        if (!w.slow && !kept_start(&kept))
            return fail(seed, "room was made for somebody who did not get it");
        kept_note(&kept);
        if (!limits_hold())
            return fail(seed, "a queue is above its limit");
        if (!fixed_within_quota())
            return fail(seed, "non-preemptible units beyond the quota");
        if (!gangs_are_whole())
            return fail(seed, "a gang runs in part");
        quiet = n || w.going.len ? 0 : quiet + 1;
    }
    *ret_turns = turn;
    if (w.evictions > 20 * w.npods)
        return fail(seed, "evictions without end");
    return turn < TURNS || fail(seed, "no rest");
}

static void many_worlds(void)
{
    int most = 0;
    uint32_t evictions = 0;
    for (uint64_t seed = 1; seed <= seeds(400); seed++) {
        struct dice d = {seed * 0x9e3779b97f4a7c15ull};
        int turns = 0;
        make_world(&d, false);
        bool good = live_through(seed, &turns);
        most = MAX(most, turns);
        evictions += w.evictions;
        end_world();
        if (!good)
            return;
    }
    printf("# at most %d turns to rest, %u evictions\n", most, evictions);
    T_OK(evictions > 50);
}

TEST(always)
{
    many_worlds();
}

TEST(always_with_models)
{
    with_models = true;
    many_worlds();
    with_models = false;
}

/* Victims take their time, and nobody grows impatient: those who wait for their room keep it. */
TEST(slow_victims)
{
    for (uint64_t seed = 1; seed <= seeds(200); seed++) {
        struct dice d = {seed * 0x9e3779b97f4a7c15ull};
        int turns = 0;
        make_world(&d, false);
        w.slow = 1 + roll(&d, 4);
        bool good = live_through(seed, &turns);
        end_world();
        if (!good)
            return;
    }
}

/* Would u fit on n, allowed by all rules, if these went and nobody found another place? */
static bool subset_helps(unit_id u, node_id n, const pod_id *pods, uint32_t npods, uint32_t subset)
{
    struct policy *p = w.p;
    queue_id leaf = p->units[u].leaf;
    struct policy_amounts ask, one;
    policy_ask(p, u, &ask);
    struct policy_amounts *taken = xarray(p->ntree, struct policy_amounts);
    bool good = true;
    uint32_t at = statement_begin(w.s);
    for (uint32_t i = 0; i < npods; i++)
        if (subset >> i & 1)
            model_unassign(w.s, pods[i]);
    good = queues_may_start(p->q, leaf, &ask, p->units[u].fixed, NULL) == QUEUE_OK && place_fits(w.s, w.s->pods[w.s->units[u].pods.p[0]].class_, n);
    statement_rollback(w.s, at);
    for (uint32_t i = 0; i < npods && good; i++)
        if (subset >> i & 1) {
            queue_id from = p->units[w.s->pods[pods[i]].unit].leaf;
            good = queues_may_take(p->q, leaf, &ask, from, taken);
            policy_class_amounts(p, class_of(w.s, pods[i]), n, &one);
            queues_take_add(p->q, from, &one, 1, taken);
        }
    good = good && queues_take_is_fair(p->q, leaf, &ask, p->units[u].fixed, taken, 1);
    free(taken);
    return good;
}

/* A pod that waits: is there a node and up to six pods by themselves on it whose going would help, and that reclaim may take? */
static bool could_reclaim(unit_id u)
{
    struct policy *p = w.p;
    struct policy_amounts ask;
    policy_ask(p, u, &ask);
    if (!queues_may_reclaim(p->q, p->units[u].leaf, &ask, p->units[u].fixed))
        return false;
    for (node_id n = 0; n < w.s->view.nnodes; n++) {
        pod_id pods[6];
        uint32_t npods = 0;
        for (pod_id v = w.s->nodes[n].first_pod; v && npods < 6; v = w.s->pods[v].next_on_node) {
            const struct batch_unit *b = &p->units[w.s->pods[v].unit];
            if (b->run_pos && b->leaf != p->units[u].leaf && !w.s->units[w.s->pods[v].unit].is_group)
                pods[npods++] = v;
        }
        for (uint32_t subset = 1; subset < 1u << npods; subset++)
            if (subset_helps(u, n, pods, npods, subset))
                return true;
    }
    return false;
}

/* When there is rest, nobody waits who could take his room by the rules: compared with a search through all sets of victims of a node. */
TEST(room_is_found)
{
    uint32_t waiting = 0;
    for (uint64_t seed = 1; seed <= seeds(400); seed++) {
        struct dice d = {seed * 0x9e3779b97f4a7c15ull};
        int turns = 0;
        make_world(&d, false);
        bool good = live_through(seed, &turns);
        for (unit_id u = 1; good && u < w.s->nunits_slots; u++) {
            struct policy_why y;
            if (!w.s->units[u].used || w.s->units[u].is_group || w.s->pods[w.s->units[u].pods.p[0]].state != PS_PENDING || !w.p->units[u].leaf)
                continue;
            policy_why(w.p, u, &y);
            waiting++;
            if (y.tried[POLICY_RECLAIM] != TRIED_TOO_SOON && could_reclaim(u)) {
                printf("# " STR_FMT " waits\n", STR_ARG(sched_pod_name(w.s, w.s->units[u].pods.p[0])));
                good = fail(seed, "somebody waits who could take room by the rules");
            }
        }
        end_world();
        if (!good)
            return;
    }
    T_OK(waiting > 50);
}

/* One-GPU units, one level: whoever asks and is below its quota has taken what others hold above theirs. */
TEST(quotas_are_had)
{
    for (uint64_t seed = 1; seed <= seeds(300); seed++) {
        struct dice d = {seed * 0x2545f4914f6cdd1dull};
        int turns = 0;
        make_world(&d, true);
        bool good = live_through(seed, &turns);
        const struct queues *q = policy_queues(w.p);
        queue_id ids[64];
        size_t n = queues_list(q, ids, ARRAY_LEN(ids));
        uint32_t slot = (uint32_t)queues_slot(q, RES_GPU);
        bool poor = false, rich = false;
        for (size_t i = 0; i < n; i++) {
            const struct queue_state *x = queues_get(q, ids[i]);
            poor |= x->allocated.v[slot] < x->quota.v[slot] && x->requested.v[slot] > x->allocated.v[slot];
            rich |= x->allocated.v[slot] > x->quota.v[slot];
        }
        if (good && poor && rich)
            good = fail(seed, "a queue waits below its quota while another is above its own");
        end_world();
        if (!good)
            return;
    }
}

/* Nodes and units come and go in between. */
TEST(with_changes)
{
    for (uint64_t seed = 1; seed <= seeds(150); seed++) {
        struct dice d = {seed * 0xd1342543de82ef95ull};
        make_world(&d, false);
        for (int i = 0; i < 40; i++) {
            struct batch_pod *b = &w.pods[roll(&d, w.npods)];
            switch (roll(&d, 6)) {
            case 0:
                sched_pod_delete(w.s, S("x"), str_of(b->name));
                break;
            case 1:
                if (!sched_pod_find(w.s, S("x"), str_of(b->name))) {
                    b->node[0] = 0;
                    batch_put(&w, b);
                }
                break;
            case 2:
                policy_queue_delete(w.p, roll(&d, 2) ? S("q1") : S("d0"));
                break;
            case 3:
                batch_queue(&w, roll(&d, 2) ? S("q1 q=2 l=3") : S("q1 q=1 parent=d0"));
                break;
            default:
                break;
            }
            batch_turn(&w);
            if (test_failures_) {
                fail(seed, "the state is not what the pods say");
                return;
            }
        }
        end_world();
    }
}

TEST_MAIN(always, always_with_models, slow_victims, room_is_found, quotas_are_had, with_changes)
