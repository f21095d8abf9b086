/* explain_text.c - an explanation in words and as JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_text.h"

#include "base/bandwidth.h"

#define LEAST_MBIT 10000 /* bit/s: less is 0.00 Mbit/s */

/* --- numbers ---------------------------------------------------------------------------------------------------------------- */
const char *explain_count(struct arena *a, uint64_t n)
{
    char digits[24], *out = arena_alloc(a, 32);
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    char *p = out;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return out;
}

/* amount / unit with at most two decimals, none that are 0. */
static str decimal(struct arena *a, int64_t amount, int64_t unit)
{
    bool negative = amount < 0;
    uint64_t n = negative ? (uint64_t)-amount : (uint64_t)amount, hundredths = n / (uint64_t)unit * 100 + n % (uint64_t)unit * 100 / (uint64_t)unit;
    const char *sign = negative ? "-" : "", *whole = explain_count(a, hundredths / 100);
    uint32_t rest = (uint32_t)(hundredths % 100);
    if (rest == 0)
        return arena_fmt(a, "%s%s", sign, whole);
    return rest % 10 ? arena_fmt(a, "%s%s.%02u", sign, whole, rest) : arena_fmt(a, "%s%s.%u", sign, whole, rest / 10);
}

static str bytes(struct arena *a, int64_t amount)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int u = 0;
    int64_t unit = 1;
    while (u < 5 && (amount < 0 ? -amount : amount) / unit >= 1024) {
        unit *= 1024;
        u++;
    }
    return arena_fmt(a, STR_FMT " %s", STR_ARG(decimal(a, amount, unit)), units[u]);
}

bool explain_is_lent(const struct sched *s, uint16_t resource)
{
    return resource < s->nres && bandwidth_is_lent(s->res_name[resource]);
}

str explain_amount(struct arena *a, const struct sched *s, uint16_t resource, int64_t amount)
{
    switch (explain_is_lent(s, resource) ? RES_EGRESS : resource) {
    case RES_CPU: /* 1500m, as people write it; 998.4, which they would not write as 998400m */
        return amount % 1000 == 0 || (amount >= 10000 && amount % 10 == 0) ? decimal(a, amount, 1000) : arena_fmt(a, "%lldm", (long long)amount);
    case RES_MEMORY:
    case RES_STORAGE:
        return bytes(a, amount);
    case RES_INGRESS:
    case RES_EGRESS:
        if (amount > 0 && amount < LEAST_MBIT)
            return arena_fmt(a, "%s bit/s", explain_count(a, (uint64_t)amount));
        return arena_fmt(a, STR_FMT " Mbit/s", STR_ARG(decimal(a, amount, BANDWIDTH_MBIT)));
    case RES_PODS:
        return arena_fmt(a, "%s %s", explain_count(a, (uint64_t)MAX(amount, 0)), amount == 1 ? "pod" : "pods");
    default:
        return arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(decimal(a, amount, 1)), STR_ARG(resource < RES_MAX ? s->res_name[resource] : S("")));
    }
}

/* Beside another amount, from which it differs: where both would read alike, to the last bit or byte. */
static str amount_beside(struct arena *a, const struct sched *s, uint16_t resource, int64_t amount, int64_t other)
{
    str text = explain_amount(a, s, resource, amount);
    if (amount == other || !str_eq(text, explain_amount(a, s, resource, other)))
        return text;
    bool is_bits = resource == RES_INGRESS || resource == RES_EGRESS || explain_is_lent(s, resource), is_bytes = resource == RES_MEMORY || resource == RES_STORAGE;
    return arena_fmt(a, "%s%s", explain_count(a, (uint64_t)MAX(amount, (int64_t)0)), is_bits ? " bit/s" : is_bytes ? " B" : "");
}

/* What people call it. */
static str resource_word(const struct sched *s, uint16_t resource)
{
    if (resource == RES_INGRESS)
        return S("ingress bandwidth");
    if (resource == RES_EGRESS)
        return S("egress bandwidth");
    if (explain_is_lent(s, resource))
        return str_is(s->res_name[resource], BANDWIDTH_LENT_EGRESS) ? S("egress bandwidth to borrow") : S("ingress bandwidth to borrow");
    return resource == RES_PODS ? S("room for more pods") : s->res_name[resource];
}

str explain_more(const struct sched *s, struct arena *a, uint16_t resource, int64_t amount)
{
    str text = explain_amount(a, s, resource, amount);
    if (resource == RES_PODS)
        return arena_fmt(a, "room for " STR_FMT " more", STR_ARG(text));
    if (resource >= RES_GPU && !explain_is_lent(s, resource))
        return arena_fmt(a, STR_FMT " more " STR_FMT, STR_ARG(decimal(a, amount, 1)), STR_ARG(s->res_name[resource]));
    return arena_fmt(a, STR_FMT " more " STR_FMT, STR_ARG(text), STR_ARG(resource_word(s, resource)));
}

str explain_taint(const struct sched *s, struct arena *a, node_id n, const sym_t what[2])
{
    static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
    const struct node *node = &s->nodes[n];
    const char *effect = effects[TAINT_NO_SCHEDULE];
    for (uint32_t i = 0; i < node->ntaints; i++)
        if (node->taints[i].key == what[0] && node->taints[i].value == what[1] && node->taints[i].effect != TAINT_PREFER_NO_SCHEDULE) {
            effect = effects[node->taints[i].effect];
            break;
        }
    str key = symbol_text(&s->sym, what[0]), value = symbol_text(&s->sym, what[1]);
    return value.len ? arena_fmt(a, STR_FMT "=" STR_FMT ":%s", STR_ARG(key), STR_ARG(value), effect) : arena_fmt(a, STR_FMT ":%s",
            STR_ARG(key), effect);
}

/* --- what is lacking -------------------------------------------------------------------------------------------------------- */
/* "420" of "420 Mbit/s" when the other amount has the same unit behind a blank. */
static str without_unit(str amount, str like)
{
    ptrdiff_t x = str_find_char(amount, ' '), y = str_find_char(like, ' ');
    if (x < 0 || y < 0 || !str_eq(str_from(amount, (size_t)x), str_from(like, (size_t)y)))
        return amount;
    return str_sub(amount, 0, (size_t)x);
}

str explain_lack(const struct sched *s, struct arena *a, const struct explain_row *r, bool one_bandwidth)
{
    if (r->resource == RES_PODS)
        return r->nodes == 1 ? S("has no room for more pods") : S("have no room for more pods");
    str need = amount_beside(a, s, r->resource, r->need, r->best), best = amount_beside(a, s, r->resource, r->best, r->need), word = resource_word(s, r->resource);
    if (one_bandwidth && (r->resource == RES_INGRESS || r->resource == RES_EGRESS))
        word = S("bandwidth");
    return arena_fmt(a, "%s " STR_FMT " (needs " STR_FMT "; best free: " STR_FMT " on " STR_FMT ")", r->nodes == 1 ? "lacks" : "lack", STR_ARG(word), STR_ARG(need),
                     STR_ARG(without_unit(best, need)), STR_ARG(r->best_node));
}

str explain_needs(const struct sched *s, struct arena *a, const struct explain_row *r)
{
    if (r->resource == RES_PODS)
        return S("room for more pods");
    return arena_fmt(a, STR_FMT " (needs " STR_FMT ")", STR_ARG(resource_word(s, r->resource)), STR_ARG(explain_amount(a, s, r->resource, r->need)));
}

/* --- events ----------------------------------------------------------------------------------------------------------------- */
static const struct {
    uint32_t bit;
    const char *name, *words;
} event_words[] = {
    {EVENT_NODE_ADD, "NodeAdd", "a new node"},
    {EVENT_NODE_ALLOCATABLE, "NodeAllocatable", "a node that grows"},
    {EVENT_NODE_LABEL, "NodeLabel", "a change of node labels"},
    {EVENT_NODE_TAINT, "NodeTaint", "a taint or cordon that goes"},
    {EVENT_NODE_IMAGES, "NodeImages", "an image on a node"},
    {EVENT_NODE_DELETE, "NodeDelete", "a node that goes"},
    {EVENT_POD_FREED, "PodFreed", "a pod that leaves its node"},
    {EVENT_POD_ASSIGNED, "PodAssigned", "a pod that comes onto a node"},
    {EVENT_POD_LABEL, "PodLabel", "a change of pod labels"},
    {EVENT_POD_UPDATED, "PodUpdated", "a change of the pod itself"},
    {EVENT_GROUP, "Group", "a member or a change of its group"},
    {EVENT_VOLUME, "Volume", "a change of volumes or claims"},
    {EVENT_NAMESPACE, "Namespace", "a change of namespace labels"},
    {EVENT_PDB, "PodDisruptionBudget", "a change of disruption budgets"},
    {EVENT_PRIORITY, "Priority", "a change of priorities"},
    {EVENT_TIME, "Time", "time to pass"},
    {EVENT_POLICY, "Policy", "its queue's share"},
    {EVENT_LINK, "Link", "a wider link between domains"},
};

static void add_events(struct strbuf *b, uint32_t mask)
{
    uint32_t left = mask;
    bool first = true;
    for (size_t i = 0; i < ARRAY_LEN(event_words); i++) {
        if (!(mask & event_words[i].bit))
            continue;
        left &= ~event_words[i].bit;
        strbuf_addf(b, "%s%s", first ? "" : left ? ", " : " or ", event_words[i].words);
        first = false;
    }
}

/* Resources that eviction or a finished pod may free are named with the nodes on which they would do; else the events. */
static void add_waiting(struct strbuf *b, struct arena *a, const struct sched *s, const struct explanation *x)
{
    const struct explain_row *most = NULL;
    struct strbuf words = strbuf_on(a);
    bool ingress = false, egress = false, hope = x->nrows == 0;
    for (uint32_t i = 0; i < x->nrows; i++) {
        const struct explain_row *r = &x->rows[i];
        hope |= r->resource >= RES_MAX || r->hopeful;
        if (r->resource >= RES_MAX || !r->hopeful)
            continue;
        if (!most || r->hopeful > most->hopeful)
            most = r;
        if (r->resource == RES_INGRESS || r->resource == RES_EGRESS) {
            if (!ingress && !egress)
                strbuf_addf(&words, "%sbandwidth", words.len ? " and " : "");
            ingress |= r->resource == RES_INGRESS;
            egress |= r->resource == RES_EGRESS;
        } else {
            strbuf_addf(&words, "%s" STR_FMT, words.len ? " and " : "", STR_ARG(resource_word(s, r->resource)));
        }
    }
    strbuf_addf(b, "; waiting for ");
    if (most && most->hopeful == 1)
        strbuf_addf(b, STR_FMT " on one node", STR_ARG(strbuf_str(&words)));
    else if (most)
        strbuf_addf(b, STR_FMT " on any of %s nodes", STR_ARG(strbuf_str(&words)), explain_count(a, most->hopeful));
    else /* every node is too small even when it is empty: what leaves helps nobody */
        add_events(b, hope ? x->waits_for : x->waits_for & ~(uint32_t)EVENT_POD_FREED);
    if (most && most->hopeful == 1 && x->holders.len)
        strbuf_addf(b, " (on " STR_FMT " " STR_FMT ")", STR_ARG(x->holders_on), STR_ARG(x->holders));
}

/* --- the sentence ----------------------------------------------------------------------------------------------------------- */
static void add_choice(struct strbuf *b, const struct explanation *x)
{
    bool moved = x->on.len && !str_eq(x->on, x->node);
    if (moved && !x->node.len) {
        strbuf_addf(b, STR_FMT " is on " STR_FMT "; placed now it would find no node", STR_ARG(x->pod), STR_ARG(x->on));
        return;
    }
    if (moved)
        strbuf_addf(b, STR_FMT " is on " STR_FMT "; placed now it would go to " STR_FMT " with score %d", STR_ARG(x->pod), STR_ARG(x->on), STR_ARG(x->node), x->score);
    else
        strbuf_addf(b, STR_FMT " goes to " STR_FMT " with score %d", STR_ARG(x->pod), STR_ARG(x->node), x->score);
    if (str_empty(x->runner_up)) {
        strbuf_addf(b, ", the only node that fits");
        return;
    }
    strbuf_addf(b, ", before " STR_FMT " with %d", STR_ARG(x->runner_up), x->runner_up_score);
    const struct explain_score *most = NULL;
    for (uint32_t i = 0; i < x->nscores; i++) {
        int32_t gain = x->scores[i].chosen - x->scores[i].runner_up;
        if (gain > 0 && (!most || gain > most->chosen - most->runner_up))
            most = &x->scores[i];
    }
    if (x->score == x->runner_up_score)
        strbuf_addf(b, ": equal scores, decided by the tie rule");
    else if (most)
        strbuf_addf(b, ": %s says %d against %d", most->plugin, most->chosen, most->runner_up);
}

static void add_kept(struct strbuf *b, const struct explanation *x)
{
    if (x->kept_for.len)
        strbuf_addf(b, "; %s is " STR_FMT, x->link.len ? "a part of it" : "room that would do", STR_ARG(x->kept_for));
    if (x->kept_on.len)
        strbuf_addf(b, "; it has waited for so long that room is kept for it on " STR_FMT, STR_ARG(x->kept_on));
}

static void add_rejection(struct strbuf *b, struct arena *a, const struct sched *s, const struct explanation *x)
{
    if (x->need && x->room >= x->need) {
        strbuf_addf(b, "there is room for %s members, but not in the way that the group and its sub-groups ask for", explain_count(a, x->need));
        strbuf_add_str(b, S("; waiting for "));
        add_events(b, x->waits_for);
        return;
    }
    if (x->need)
        strbuf_addf(b, "%s of %s %smembers" STR_FMT " find room" STR_FMT "; " STR_FMT ": ", explain_count(a, x->room), explain_count(a, x->need),
                    x->placed ? "more " : "", STR_ARG(x->whose), STR_ARG(x->where), STR_ARG(x->pod));
    else if (x->min_member)
        strbuf_addf(b, "%s of %s members placed; " STR_FMT ": ", explain_count(a, x->placed), explain_count(a, x->min_member), STR_ARG(x->pod));
    if (x->link.len) {
        strbuf_addf(b, STR_FMT "; waiting for %s", STR_ARG(x->link), x->waits_for & EVENT_POD_FREED ? "bandwidth on the link" : "a wider link: it can never carry that");
        add_kept(b, x);
        return;
    }
    strbuf_addf(b, "%u/%u nodes fit", x->fitting, x->nodes);
    for (uint32_t i = 0; i < x->nrows; i++)
        strbuf_addf(b, "%s%s " STR_FMT, i ? ", " : ": ", explain_count(a, x->rows[i].nodes), STR_ARG(x->rows[i].say));
    if (x->preemption.len && !str_has_prefix(x->preemption, S("No ")))
        strbuf_addf(b, "; preemption " STR_FMT, STR_ARG(x->preemption));
    if (x->result == UNIT_PREEMPTING && x->preemption.len)
        strbuf_addf(b, "; waiting for its victims to go");
    else
        add_waiting(b, a, s, x);
    if (x->result == UNIT_PREEMPTING && !x->preemption.len)
        strbuf_add_str(b, S("; pods that are leaving make enough room"));
    add_kept(b, x);
}

/* Of a unit "ns/workload/group" or ".../group/key"; false: it is another's. */
static bool cut_workload(str unit, str *ret_workload, str *ret_group)
{
    str ns;
    return str_cut(&unit, '/', &ns) && str_cut(&unit, '/', ret_workload) && (str_cut(&unit, '/', ret_group) || ret_group->len);
}

str explain_sentence(struct arena *a, const struct sched *s, const struct explanation *x)
{
    struct strbuf b = strbuf_on(a);
    str workload, group;
    switch (x->result) {
    case UNIT_PLACED:
        if (x->node.len || x->on.len)
            add_choice(&b, x);
        else
            strbuf_addf(&b, "%u/%u nodes fit now", x->fitting, x->nodes);
        break;
    case UNIT_INCOMPLETE:
        if (x->created < x->min_member)
            strbuf_addf(&b, "%s of at least %s members created; waiting for %s more", explain_count(a, x->created), explain_count(a, x->min_member),
                        explain_count(a, x->min_member - x->created));
        else if (cut_workload(x->unit, &workload, &group))
            strbuf_addf(&b, "%s %s created; waiting for Workload " STR_FMT " to be there and to have the group \"" STR_FMT "\"", explain_count(a, x->created), x->created == 1 ? "member" : "members",
                        STR_ARG(workload), STR_ARG(group));
        else if (x->declared)
            strbuf_addf(&b, "%s %s created; waiting for more of its sub-groups to have all that they need", explain_count(a, x->created), x->created == 1 ? "member" : "members");
        else
            strbuf_addf(&b, "%s %s created; waiting for the group itself to be declared", explain_count(a, x->created),
                        x->created == 1 ? "member" : "members");
        break;
    case UNIT_GATED:
        strbuf_addf(&b, "held by scheduling gates; waiting for them to be removed");
        break;
    case UNIT_NOTHING:
        strbuf_addf(&b, "no pod of it is waiting");
        break;
    default:
        add_rejection(&b, a, s, x);
    }
    if (x->queue_position > 0)
        strbuf_addf(&b, "; number %s in the queue", explain_count(a, (uint64_t)x->queue_position));
    return strbuf_str(&b);
}

/* --- JSON ------------------------------------------------------------------------------------------------------------------- */
static struct json row_json(struct arena *a, const struct sched *s, const struct explain_row *r)
{
    struct json o = json_object();
    json_set(a, &o, S("plugin"), json_string(str_of(r->plugin)));
    json_set(a, &o, S("reason"), json_string(r->text));
    json_set(a, &o, S("nodes"), json_int(a, r->nodes));
    json_set(a, &o, S("unresolvable"), json_bool(r->unresolvable));
    if (r->resource < RES_MAX) {
        json_set(a, &o, S("resource"), json_string(s->res_name[r->resource]));
        json_set(a, &o, S("need"), json_int(a, r->need));
        json_set(a, &o, S("best"), json_int(a, r->best));
        json_set(a, &o, S("needText"), json_string(amount_beside(a, s, r->resource, r->need, r->best)));
        json_set(a, &o, S("bestText"), json_string(amount_beside(a, s, r->resource, r->best, r->need)));
        json_set(a, &o, S("bestNode"), json_string(r->best_node));
    }
    return o;
}

static void waiting_json(struct arena *a, const struct sched *s, const struct explanation *x, struct json *o)
{
    struct json rows = json_array(), events = json_array();
    for (uint32_t i = 0; i < x->nrows; i++)
        json_push(a, &rows, row_json(a, s, &x->rows[i]));
    for (size_t i = 0; i < ARRAY_LEN(event_words); i++)
        if (x->waits_for & event_words[i].bit)
            json_push(a, &events, json_string(str_of(event_words[i].name)));
    if (x->reason)
        json_set(a, o, S("reason"), json_string(str_of(x->reason)));
    if (x->link.len)
        json_set(a, o, S("link"), json_string(x->link));
    if (x->kept_for.len)
        json_set(a, o, S("keptFor"), json_string(x->kept_for));
    if (x->kept_on.len)
        json_set(a, o, S("keptOn"), json_string(x->kept_on));
    if (x->holders.len)
        json_set(a, o, S("holders"), json_string(arena_fmt(a, "on " STR_FMT " " STR_FMT, STR_ARG(x->holders_on), STR_ARG(x->holders))));
    json_set(a, o, S("reasons"), rows);
    if (x->has_nearest) {
        struct json n = json_object();
        json_set(a, &n, S("node"), json_string(x->nearest.node));
        json_set(a, &n, S("text"), json_string(x->nearest.text));
        if (x->nearest.resource < RES_MAX) {
            json_set(a, &n, S("resource"), json_string(s->res_name[x->nearest.resource]));
            json_set(a, &n, S("lacking"), json_int(a, x->nearest.lacking));
        }
        json_set(a, o, S("nearest"), n);
    }
    if (x->preemption.len)
        json_set(a, o, S("preemption"), json_string(x->preemption));
    json_set(a, o, S("waitsFor"), events);
}

struct json explain_json(struct arena *a, const struct sched *s, const struct explanation *x)
{
    static const char *const results[] = {"Placed", "Preempting", "Incomplete", "Gated", "Rejected", "Nothing"};
    struct json o = json_object();
    json_set(a, &o, S("result"), json_string(str_of(results[x->result])));
    json_set(a, &o, S("unit"), json_string(x->unit));
    json_set(a, &o, S("pod"), json_string(x->pod));
    json_set(a, &o, S("nodes"), json_int(a, x->nodes));
    json_set(a, &o, S("fitting"), json_int(a, x->fitting));
    if (x->queue_position > 0)
        json_set(a, &o, S("queuePosition"), json_int(a, x->queue_position));
    if (x->min_member || x->need) {
        struct json g = json_object();
        json_set(a, &g, S("created"), json_int(a, x->created));
        json_set(a, &g, S("placed"), json_int(a, x->placed));
        json_set(a, &g, S("minMember"), json_int(a, x->min_member));
        if (x->need) {
            json_set(a, &g, S("findRoom"), json_int(a, x->room));
            json_set(a, &g, S("needed"), json_int(a, x->need));
        }
        json_set(a, &o, S("gang"), g);
    }
    if (x->on.len)
        json_set(a, &o, S("on"), json_string(x->on));
    if (x->node.len) {
        struct json scores = json_array();
        json_set(a, &o, S("node"), json_string(x->node));
        json_set(a, &o, S("score"), json_int(a, x->score));
        if (x->runner_up.len) {
            json_set(a, &o, S("runnerUp"), json_string(x->runner_up));
            json_set(a, &o, S("runnerUpScore"), json_int(a, x->runner_up_score));
        }
        for (uint32_t i = 0; i < x->nscores; i++) {
            struct json one = json_object();
            json_set(a, &one, S("plugin"), json_string(str_of(x->scores[i].plugin)));
            json_set(a, &one, S("chosen"), json_int(a, x->scores[i].chosen));
            if (x->runner_up.len)
                json_set(a, &one, S("runnerUp"), json_int(a, x->scores[i].runner_up));
            json_push(a, &scores, one);
        }
        json_set(a, &o, S("scores"), scores);
    } else if (!x->on.len) {
        waiting_json(a, s, x, &o);
    }
    json_set(a, &o, S("message"), json_string(x->sentence));
    return o;
}
