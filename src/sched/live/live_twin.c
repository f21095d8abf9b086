/* live_twin.c - pods that need not be read, recognised by their text.
 *
 * Most events about pods say one of two things: here is one more replica, in everything but its name like the one before; or: your bind has happened.  Both are seen by comparing text, at a
 * tenth of the cost of making a tree, reading it and looking for the pod's class:
 *
 *   what of the text counts: {"metadata":{"labels","annotations","ownerReferences", namespace},"spec" without nodeName}      = "content"
 *   a new pod:  content and status are those of a template, byte for byte, and a pod of the template is still here          ─► sched_pod_twin
 *   an echo:    the pod is assumed on spec.nodeName, has its uid and the content it had, and neither ends nor has begun      ─► sched_pod_confirm
 * Everything else is read in the usual way, and then teaches a template.  The volume that admission adds for the token ends in five random letters; they are not compared.
 * Ephemeral volumes are named after their pod: such pods have no twins. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "client/raw.h"
#include "sched/live/live_internal.h"

#define TEMPLATES 64
#define TEMPLATE_BYTES (16u << 10) /* larger ones are read each time */

struct template {
    char *key; /* NULL: free */
    size_t len;
    uint64_t hash;
    pod_id like;
    uint32_t stamp;
    uint16_t name; /* of live.names */
};

/* What of a pod's text is looked at. */
struct pod_text {
    str spec, status;
    str ns, name, uid, rv, created, labels, annotations, owners;
    str deleting;      /* "" no */
    str node;
    str before, after; /* the spec's parts around the member nodeName */
};

struct live_twins {
    struct template list[TEMPLATES];
    struct pod_text last; /* read by live_twin_take, while its event is handled */
    bool has_last;
    struct strbuf key; /* scratch */
};

/* --- reading ----------------------------------------------------------------------------------------------------------------------------------------- */
static str unquoted(str v)
{
    return v.len >= 2 && v.p[0] == '"' && str_find_char(v, '\\') < 0 ? str_sub(v, 1, v.len - 1) : S("");
}

struct text_member {
    str key;
    size_t at; /* of a str in struct pod_text */
};
#define MEMBER(text, field) {STR_INIT(text), offsetof(struct pod_text, field)}
static const struct text_member meta_members[] = {MEMBER("namespace", ns), MEMBER("name", name), MEMBER("uid", uid), MEMBER("resourceVersion", rv), MEMBER("creationTimestamp", created),
                                                  MEMBER("labels", labels), MEMBER("annotations", annotations), MEMBER("ownerReferences", owners),
                                                  MEMBER("deletionTimestamp", deleting)};

static void read_meta(struct raw_members *it, struct pod_text *t)
{
    str key, value;
    while (raw_members_next(it, &key, &value))
        for (size_t i = 0; i < ARRAY_LEN(meta_members); i++)
            if (str_eq(key, meta_members[i].key)) {
                *(str *)(void *)((char *)t + meta_members[i].at) = value;
                break;
            }
}

/* Where the member nodeName stands, if there is one. */
static void read_spec(struct raw_members *it, struct pod_text *t, const char **ret_from, const char **ret_to)
{
    str key, value;
    while (raw_members_next(it, &key, &value))
        if (str_is(key, "nodeName")) {
            t->node = value;
            *ret_from = key.p - 1;
            *ret_to = value.p + value.len;
        }
}

/* The spec without its member nodeName is `before` and `after`. */
static void cut_node(struct pod_text *t, const char *from, const char *to)
{
    t->before = from ? str_sub(t->spec, 0, (size_t)(from - t->spec.p)) : t->spec;
    t->after = from ? str_from(t->spec, (size_t)(to - t->spec.p)) : S("");
    if (t->after.len && t->after.p[0] == ',')
        t->after = str_from(t->after, 1);
    else if (from && t->before.len && t->before.p[t->before.len - 1] == ',') /* it was the last member */
        t->before.len--;
}

static bool read_text(str text, struct pod_text *t)
{
    struct raw_members it, child;
    const char *from = NULL, *to = NULL;
    str key;
    *t = (struct pod_text){0};
    if (!raw_members_begin(text, &it))
        return false;
    while (raw_members_key(&it, &key)) {
        bool is_meta = str_is(key, "metadata"), is_spec = str_is(key, "spec");
        if ((is_meta || is_spec) && raw_members_enter(&it, &child)) {
            if (is_meta)
                read_meta(&child, t);
            else
                read_spec(&child, t, &from, &to);
            str whole = raw_members_leave(&it, &child);
            if (is_spec)
                t->spec = whole;
        } else {
            str value = raw_members_value(&it);
            if (str_is(key, "status"))
                t->status = value;
        }
    }
    cut_node(t, from, to);
    str *const texts[] = {&t->ns, &t->name, &t->uid, &t->rv, &t->created, &t->node};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *texts[i] = unquoted(*texts[i]);
    return t->name.len && t->uid.len && t->rv.len && t->spec.len;
}

static uint64_t mix(uint64_t h, str part)
{
    h ^= str_hash(part) + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdull;
}

/* The spec's parts are hashed by their bytes and not as parts: the same text may be cut in two or not. */
static uint64_t content_of(struct live_twins *x, const struct pod_text *t)
{
    strbuf_clear(&x->key);
    strbuf_add_str(&x->key, t->before);
    strbuf_add_str(&x->key, t->after);
    uint64_t h = mix(mix(mix(1, t->labels), t->annotations), t->owners);
    h = mix(h, strbuf_str(&x->key));
    return h ? h : 1;
}

/* --- templates --------------------------------------------------------------------------------------------------------------------------------------- */
static void forget_letters(struct strbuf *b, size_t from)
{
    static const str mark = STR_INIT("\"kube-api-access-");
    enum { LETTERS = 5 };
    for (;;) {
        str rest = str_from(strbuf_str(b), from);
        ptrdiff_t at = str_find(rest, mark);
        if (at < 0)
            return;
        from += (size_t)at + mark.len;
        if (from + LETTERS < b->len && b->p[from + LETTERS] == '"')
            memset(b->p + from, '?', LETTERS);
    }
}

/* False: it may have no twins. */
static bool write_key(struct live_twins *x, const struct pod_text *t)
{
    const str parts[] = {t->ns, t->labels, t->annotations, t->owners, t->status, t->spec};
    size_t total = 0;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        total += parts[i].len + 1;
    if (total > TEMPLATE_BYTES || t->node.len || t->deleting.len || str_find(t->spec, S("\"ephemeral\"")) >= 0 || str_find(t->status, S("\"conditions\"")) >= 0 ||
        str_find(t->status, S("\"nominatedNodeName\"")) >= 0)
        return false;
    strbuf_clear(&x->key);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        strbuf_add_str(&x->key, parts[i]);
        strbuf_add_char(&x->key, 0);
    }
    forget_letters(&x->key, total - t->spec.len - 1);
    return true;
}

static bool is_usable(struct live *l, const struct template *t)
{
    if (!t->key || !live_is_same(l, t->like, t->stamp))
        return false;
    /* its pod may have changed since: then its class is another */
    return l->notes[t->like].template_ == t->hash && !l->s->units[sched_unit_of(l->s, t->like)].is_group;
}

/* The place of that key; its entry may be another's. */
static struct template *place_of(struct live_twins *x, uint64_t hash)
{
    return &x->list[(hash >> 7) % TEMPLATES];
}

void live_twins_clear(struct live *l)
{
    for (size_t i = 0; l->twins && i < TEMPLATES; i++) {
        free(l->twins->list[i].key);
        l->twins->list[i] = (struct template){0};
    }
}

void live_twins_free(struct live *l)
{
    live_twins_clear(l);
    if (l->twins)
        strbuf_fini(&l->twins->key);
    free(l->twins);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------------ */
static bool take_new(struct live *l, struct live_twins *x)
{
    const struct pod_text *p = &x->last;
    nsec_t created;
    uint64_t rv;
    if (!write_key(x, p) || !civil_parse(p->created, &created) || !str_to_u64(p->rv, &rv))
        return false;
    uint64_t hash = str_hash(strbuf_str(&x->key));
    const struct template *t = place_of(x, hash);
    if (!is_usable(l, t) || t->hash != hash || t->len != x->key.len || memcmp(t->key, x->key.p, t->len) != 0)
        return false;
    pod_id id = sched_pod_twin(l->s, t->like, p->name, p->uid, created);
    if (!id)
        return false;
    live_feed_twin(l, id, t->name, rv);
    l->notes[id].content = content_of(x, p);
    l->notes[id].template_ = hash;
    l->m.twins++;
    return true;
}

static bool take_echo(struct live *l, struct live_twins *x, pod_id id)
{
    const struct pod_text *p = &x->last;
    struct sched *s = l->s;
    const struct live_note *n = live_note(l, id);
    uint64_t rv;
    str phase;
    if (s->pods[id].state != PS_ASSUMED || !p->node.len || p->deleting.len || n->evicting || !n->content || !str_to_u64(p->rv, &rv) || rv < n->rv)
        return false;
    if (!str_eq(p->node, sched_node_name(s, s->pods[id].node)) || !str_eq(p->uid, sched_pod_uid(s, id)))
        return false;
    bool is_alive = raw_member_text(p->status, S("phase"), &phase) && (str_is(phase, "Pending") || str_is(phase, "Running"));
    if (!is_alive || str_find(p->status, S("\"startTime\"")) >= 0 || n->content != content_of(x, p))
        return false;
    live_feed_confirm(l, id, rv);
    l->m.echoes++;
    return true;
}

bool live_twin_take(struct live *l, str text)
{
    if (!l->twins)
        l->twins = xnew(struct live_twins);
    struct live_twins *x = l->twins;
    x->has_last = read_text(text, &x->last);
    if (!x->has_last)
        return false;
    pod_id id = sched_pod_find(l->s, x->last.ns, x->last.name);
    return id ? take_echo(l, x, id) : take_new(l, x);
}

void live_twin_learn(struct live *l)
{
    struct live_twins *x = l->twins;
    const struct pod_text *p = &x->last;
    pod_id id = x->has_last ? sched_pod_find(l->s, p->ns, p->name) : POD_NONE;
    uint64_t rv;
    x->has_last = false;
    if (!id || !str_to_u64(p->rv, &rv) || live_note(l, id)->rv != rv || !str_eq(sched_pod_uid(l->s, id), p->uid))
        return; /* this text was not put: it is too old, or could not be read */
    struct live_note *n = live_note(l, id);
    n->content = content_of(x, p);
    if (!n->wait || n->wait->is_held || l->s->pods[id].state != PS_PENDING || !write_key(x, p))
        return;
    uint64_t hash = str_hash(strbuf_str(&x->key));
    struct template *t = place_of(x, hash);
    n->template_ = hash;
    if (is_usable(l, t) && t->hash == hash)
        return;
    free(t->key);
    *t = (struct template){str_dup(strbuf_str(&x->key)), x->key.len, hash, id, n->stamp, n->wait->name};
}
