/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia.h"
#include "controllers/workloads.h"

static str path_of(struct arena *a, str root, const char *plural, str ns, str name, const char *sub)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, root);
    if (ns.len) {
        strbuf_add_str(&b, S("/namespaces/"));
        resource_path_segment(&b, ns);
    }
    strbuf_addf(&b, "/%s", plural);
    if (name.len) {
        strbuf_add_char(&b, '/');
        resource_path_segment(&b, name);
    }
    strbuf_add_str(&b, str_of(sub));
    return strbuf_str(&b);
}

str kuscia_cluster_path(struct arena *a, const char *plural, str name)
{
    return path_of(a, S(KUSCIA_PATH), plural, S(""), name, "");
}

str kuscia_path(struct arena *a, const char *plural, str ns, str name, const char *sub)
{
    return path_of(a, S(KUSCIA_PATH), plural, ns, name, sub);
}

str core_path(struct arena *a, const char *plural, str ns, str name)
{
    return path_of(a, S("/api/v1"), plural, ns, name, "");
}

str kuscia_resource_name(struct arena *a, const struct json *group, str domain, str role)
{
    const struct json *meta = json_get(group, S("metadata")), *parties = json_path(group, "spec", "parties", NULL);
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        const struct json *p = &parties->items[i];
        str name = json_get_str(p, S("taskResourceName"));
        if (name.len && str_eq(json_get_str(p, S("domainID")), domain) && str_eq(json_get_str(p, S("role")), role))
            return name;
    }
    uint64_t h = str_hash(arena_fmt(a, STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(json_get_str(meta, S("uid"))), STR_ARG(domain), STR_ARG(role)));
    return arena_fmt(a, STR_FMT "-%012llx", STR_ARG(json_get_str(meta, S("name"))), (unsigned long long)(h & 0xffffffffffffull));
}

/* --- objects that are to be there ---------------------------------------------------------------------------------------------------------- */

struct ensure_run {
    const struct ensure *list;
    size_t n, at;
    void (*next)(struct job *j);
};

static void next_object(struct job *j);

static str object_path(struct job *j, const struct ensure *e)
{
    struct strbuf b = strbuf_on(&j->arena);
    strbuf_add_str(&b, e->collection);
    strbuf_add_char(&b, '/');
    resource_path_segment(&b, e->name);
    return strbuf_str(&b);
}

static void written(struct job *j)
{
    struct ensure_run *r = j->steps;
    if (!job_ok(j)) {
        r->next(j);
        return;
    }
    r->at++;
    next_object(j);
}

static bool repair_labels(struct arena *a, const struct ensure *e, struct json *obj)
{
    const struct json *want = json_path(&e->obj, "metadata", "labels", NULL);
    struct json *have = json_ensure_object(a, json_get(obj, S("metadata")), S("labels"));
    bool differs = false;
    for (uint32_t i = 0; json_is(want, JSON_OBJECT) && i < want->len; i++)
        if (!str_eq(json_get_str(have, want->members[i].key), json_str(&want->members[i].value))) {
            json_set(a, have, want->members[i].key, want->members[i].value);
            differs = true;
        }
    return differs;
}

/* True: a member that is ours differs, and obj has it as it should be.  Of metadata only labels count, and those of others stay. */
static bool repair(struct arena *a, const struct ensure *e, struct json *obj)
{
    str rest = str_of(e->owned), key;
    bool differs = false;
    while (rest.len) {
        str_cut(&rest, '|', &key);
        if (str_is(key, "labels")) {
            differs |= repair_labels(a, e, obj);
        } else if (str_has_prefix(key, S("-"))) {
            struct json *labels = json_path(obj, "metadata", "labels", NULL);
            differs |= labels && json_del(labels, str_from(key, 1));
        } else if (json_get(&e->obj, key) && !(json_get(obj, key) && json_equal(json_get(obj, key), json_get(&e->obj, key)))) {
            json_set(a, obj, key, *json_get(&e->obj, key));
            differs = true;
        }
    }
    return differs;
}

static void looked(struct job *j)
{
    struct ensure_run *r = j->steps;
    const struct ensure *e = &r->list[r->at];
    if (job_not_found(j)) {
        job_call(j, S("POST"), e->collection, &e->obj, written);
        return;
    }
    struct json fixed = j->answer;
    if (job_ok(j) && repair(&j->arena, e, &fixed))
        job_call(j, S("PUT"), object_path(j, e), &fixed, written);
    else
        written(j);
}

static str owner_of(const struct json *obj)
{
    const struct json *owners = json_path(obj, "metadata", "ownerReferences", NULL);
    return json_is(owners, JSON_ARRAY) && owners->len ? json_get_str(&owners->items[0], S("uid")) : S("");
}

/* The answer is the object, and stays.  One that is going, of an earlier owner or of a try that gave it back, is not. */
static bool is_there(const struct job *j, const struct ensure *e)
{
    return job_ok(j) && str_eq(owner_of(&j->answer), owner_of(&e->obj)) && !object_deleting(&j->answer);
}

/* What has the name is not what is wanted: a conflict until it has gone. */
static void whose(struct job *j)
{
    const struct ensure_run *r = j->steps;
    if (job_ok(j) || job_not_found(j))
        j->status = is_there(j, &r->list[r->at]) ? 200 : 409;
    written(j);
}

static void made(struct job *j)
{
    const struct ensure_run *r = j->steps;
    const struct ensure *e = &r->list[r->at];
    if (j->status == 409 && owner_of(&e->obj).len) {
        job_call(j, S("GET"), object_path(j, e), NULL, whose);
        return;
    }
    if (j->status == 409) /* it is there already, and as it is it stays */
        j->status = 200;
    written(j);
}

static void next_object(struct job *j)
{
    struct ensure_run *r = j->steps;
    if (r->at == r->n) {
        j->status = 200;
        r->next(j);
        return;
    }
    const struct ensure *e = &r->list[r->at];
    if (e->owned)
        job_call(j, S("GET"), object_path(j, e), NULL, looked);
    else
        job_call(j, S("POST"), e->collection, &e->obj, made);
}

void ensure_all(struct job *j, const struct ensure *list, size_t n, void (*next)(struct job *j))
{
    struct ensure_run *r = arena_new(&j->arena, struct ensure_run);
    *r = (struct ensure_run){.list = list, .n = n, .next = next};
    j->steps = r;
    next_object(j);
}

/* --- and all at once -------------------------------------------------------------------------------------------------------------------- */

struct together_run {
    const struct ensure *list;
    struct ops posts, looks;
    const struct ensure **looked; /* of looks, same order */
    void (*next)(struct job *j);
};

/* The job's last answer is that of the op. */
static void answer_of(struct job *j, const struct op *op)
{
    j->status = op->status;
    j->answer = op->answer;
}

static void looked_at_owners(struct job *j)
{
    struct together_run *r = j->steps;
    for (size_t i = 0; i < r->looks.len; i++) {
        answer_of(j, &r->looks.p[i]);
        if (job_ok(j) || job_not_found(j))
            j->status = is_there(j, r->looked[i]) ? 200 : 409;
        if (!job_ok(j)) {
            r->next(j);
            return;
        }
    }
    j->status = 200;
    r->next(j);
}

static void posted(struct job *j)
{
    struct together_run *r = j->steps;
    r->looked = arena_array(&j->arena, r->posts.len + 1, const struct ensure *);
    for (size_t i = 0; i < r->posts.len; i++) {
        const struct ensure *e = &r->list[i];
        answer_of(j, &r->posts.p[i]);
        if (j->status == 409 && owner_of(&e->obj).len) {
            r->looked[r->looks.len] = e;
            ops_add(&j->arena, &r->looks, (struct op){.type = OP_OTHER, .method = S("GET"), .path = object_path(j, e)});
        } else if (!job_ok(j) && j->status != 409) {
            r->next(j);
            return;
        }
    }
    ops_run(j, &r->looks, looked_at_owners);
}

void ensure_together(struct job *j, const struct ensure *list, size_t n, void (*next)(struct job *j))
{
    struct together_run *r = arena_new(&j->arena, struct together_run);
    *r = (struct together_run){.list = list, .next = next};
    for (size_t i = 0; i < n; i++)
        ops_add(&j->arena, &r->posts, (struct op){.type = OP_OTHER, .method = S("POST"), .path = list[i].collection, .body = list[i].obj, .unread = true});
    j->steps = r;
    ops_run(j, &r->posts, posted);
}

/* --- objects to look at, calls to make ------------------------------------------------------------------------------------------------------- */

struct gather_run {
    struct gather *list;
    size_t n;
    size_t *of; /* by place in the list: its call.  Parties often run the same program, which is read once */
    struct ops ops;
    void (*next)(struct job *j);
};

static void gathered(struct job *j)
{
    struct gather_run *r = j->steps;
    for (size_t i = 0; i < r->n; i++) {
        answer_of(j, &r->ops.p[r->of[i]]);
        if (!job_ok(j) && !job_not_found(j)) {
            r->next(j);
            return;
        }
        r->list[i].found = job_ok(j);
        r->list[i].obj = j->answer;
    }
    j->status = 200;
    r->next(j);
}

void gather_all(struct job *j, struct gather *list, size_t n, void (*next)(struct job *j))
{
    struct gather_run *r = arena_new(&j->arena, struct gather_run);
    *r = (struct gather_run){.list = list, .n = n, .of = arena_array(&j->arena, n + 1, size_t), .next = next};
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        while (at < r->ops.len && !str_eq(r->ops.p[at].path, list[i].path))
            at++;
        if (at == r->ops.len)
            ops_add(&j->arena, &r->ops, (struct op){.type = OP_OTHER, .method = S("GET"), .path = list[i].path});
        r->of[i] = at;
    }
    j->steps = r;
    ops_run(j, &r->ops, gathered);
}

struct steps_run {
    const struct step *list;
    size_t n, at;
    void (*next)(struct job *j);
};

static void step_next(struct job *j);

/* The last answer: the step is done, by us or by others. */
static bool step_is_done(const struct job *j, str method)
{
    return job_ok(j) || (str_is(method, "POST") ? j->status == 409 : job_not_found(j));
}

static void stepped(struct job *j)
{
    struct steps_run *r = j->steps;
    if (!step_is_done(j, r->list[r->at].method)) {
        r->next(j);
        return;
    }
    r->at++;
    step_next(j);
}

static void step_next(struct job *j)
{
    struct steps_run *r = j->steps;
    if (r->at == r->n) {
        j->status = 200;
        r->next(j);
        return;
    }
    const struct step *s = &r->list[r->at];
    job_call(j, s->method, s->path, s->body.type == JSON_NULL ? NULL : &s->body, stepped);
}

void steps_all(struct job *j, const struct step *list, size_t n, void (*next)(struct job *j))
{
    struct steps_run *r = arena_new(&j->arena, struct steps_run);
    *r = (struct steps_run){.list = list, .n = n, .next = next};
    j->steps = r;
    step_next(j);
}

struct steps_ops {
    struct ops ops;
    void (*next)(struct job *j);
};

static void stepped_together(struct job *j)
{
    struct steps_ops *r = j->steps;
    for (size_t i = 0; i < r->ops.len; i++) {
        answer_of(j, &r->ops.p[i]);
        if (!step_is_done(j, r->ops.p[i].method)) {
            r->next(j);
            return;
        }
    }
    j->status = 200;
    r->next(j);
}

void steps_together(struct job *j, const struct step *list, size_t n, void (*next)(struct job *j))
{
    struct steps_ops *r = arena_new(&j->arena, struct steps_ops);
    r->next = next;
    for (size_t i = 0; i < n; i++)
        ops_add(&j->arena, &r->ops, (struct op){.type = OP_OTHER, .method = list[i].method, .path = list[i].path, .body = list[i].body, .unread = true});
    j->steps = r;
    ops_run(j, &r->ops, stepped_together);
}
