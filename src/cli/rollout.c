/* rollout.c - cox rollout history and undo; see rollout.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rollout.h"

#include "cli/describe.h"
#include "wire/json_make.h"

#define REVISION S("deployment.kubernetes.io/revision")
#define CAUSE S("kubernetes.io/change-cause")

enum rollout_kind rollout_kind_of(const struct target *t)
{
    static const struct {
        const char *kind;
        enum rollout_kind value;
    } kinds[] = {{"Deployment", ROLLOUT_DEPLOYMENT}, {"DaemonSet", ROLLOUT_DAEMON_SET}, {"StatefulSet", ROLLOUT_STATEFUL_SET}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_is(t->res->group, "apps") && str_is(t->res->kind, kinds[i].kind))
            return kinds[i].value;
    }
    return ROLLOUT_NONE;
}

int rollout_targets(struct session *s, struct targets *ret, struct failure *f)
{
    struct resource_query q = resource_query_of(s->args, 0);
    q.lists_alone = true;
    if (!q.nwords && !cli_list(s->args, "filename", 0))
        return failure_set(f, E_INVALID_ARG, "required resource not specified");
    int r = resources_find(s, &q, ret, f);
    if (r == 0 && !ret->len && !s->failures.len)
        fprintf(stderr, "No resources found in " STR_FMT " namespace.\n", STR_ARG(s->namespace_));
    return r;
}

/* --- reading the past --------------------------------------------------------------------------------------------------------- */
static bool is_controlled_by(const struct json *obj, str uid)
{
    const struct json *refs = json_path(obj, "metadata", "ownerReferences", NULL);
    for (size_t i = 0; json_is(refs, JSON_ARRAY) && i < refs->len; i++) {
        if (json_get_bool(&refs->items[i], S("controller"), false) && str_eq(json_get_str(&refs->items[i], S("uid")), uid))
            return true;
    }
    return false;
}

static bool read_revision(const struct json *obj, bool is_set, struct arena *a, struct rollout_revision *ret)
{
    const struct json *template = is_set ? json_path(obj, "spec", "template", NULL) : json_path(obj, "data", "spec", "template", NULL);
    *ret = (struct rollout_revision){.object = *obj, .cause = json_str(json_get(json_path(obj, "metadata", "annotations", NULL), CAUSE))};
    if (is_set) {
        if (!str_to_i64(json_str(json_get(json_path(obj, "metadata", "annotations", NULL), REVISION)), &ret->number))
            return false;
    } else {
        ret->number = json_get_int(obj, S("revision"), 0);
    }
    if (!template)
        return false;
    ret->template = json_copy(a, template);
    json_del(&ret->template, S("$patch"));
    return true;
}

static int by_number(const void *x, const void *y)
{
    int64_t a = ((const struct rollout_revision *)x)->number, b = ((const struct rollout_revision *)y)->number;
    return a < b ? -1 : a > b;
}

int rollout_history_read(struct session *s, const struct target *t, struct rollout_history *ret, struct failure *f)
{
    bool is_set = rollout_kind_of(t) == ROLLOUT_DEPLOYMENT;
    const struct discovery_resource *res;
    struct json list;
    int r = resource_type_find(s, is_set ? S("replicasets.apps") : S("controllerrevisions.apps"), &res, f);
    if (r < 0)
        return r;
    struct strbuf q = strbuf_on(&s->arena);
    str selector = describe_selector(&s->arena, json_path(&t->object, "spec", "selector", NULL));
    if (selector.len)
        client_query_add(&q, "labelSelector", selector);
    r = resources_list(s, discovery_path(&s->arena, res, t->ns, S(""), S("")), strbuf_str(&q), S(""), 500, &list, f);
    if (r < 0)
        return r;
    const struct json *items = json_get(&list, S("items"));
    size_t n = json_is(items, JSON_ARRAY) ? items->len : 0;
    str uid = json_str(json_path(&t->object, "metadata", "uid", NULL));
    *ret = (struct rollout_history){.list = arena_array(&s->arena, n + 1, struct rollout_revision)};
    for (size_t i = 0; i < n; i++) {
        if (is_controlled_by(&items->items[i], uid) && read_revision(&items->items[i], is_set, &s->arena, &ret->list[ret->len]))
            ret->len++;
    }
    qsort(ret->list, ret->len, sizeof *ret->list, by_number);
    return 0;
}

const struct rollout_revision *rollout_revision_find(const struct rollout_history *h, int64_t number)
{
    if (number == 0)
        return h->len >= 2 ? &h->list[h->len - 2] : NULL;
    for (size_t i = 0; i < h->len; i++) {
        if (h->list[i].number == number)
            return &h->list[i];
    }
    return NULL;
}

str rollout_template_text(struct session *s, const struct json *template)
{
    struct describe d = {.s = s, .arena = &s->arena, .object = *template};
    describe_pod_template(&d, template);
    str text = arena_str(&s->arena, strbuf_str(&d.tabs.text));
    tabs_fini(&d.tabs);
    return text;
}

/* --- history ------------------------------------------------------------------------------------------------------------------ */
/* With -o: the ReplicaSet or ControllerRevision that keeps it; items of a list do not say what they are. */
static int print_revision(struct session *s, const struct target *t, const struct rollout_revision *rev, struct printer *p, struct failure *f)
{
    const struct discovery_resource *res;
    int r = resource_type_find(s, rollout_kind_of(t) == ROLLOUT_DEPLOYMENT ? S("replicasets.apps") : S("controllerrevisions.apps"), &res, f);
    if (r < 0)
        return r;
    struct json object = json_copy(&s->arena, &rev->object);
    json_set(&s->arena, &object, S("apiVersion"), json_string(S("apps/v1")));
    json_set(&s->arena, &object, S("kind"), json_string(res->kind));
    return printer_result(p, res, &object, "", f);
}

static int show_one_revision(struct session *s, const struct target *t, const struct rollout_history *h, int64_t number, struct printer *p,
                             struct failure *f)
{
    const struct rollout_revision *rev = rollout_revision_find(h, number);
    if (!rev)
        return failure_set(f, E_NOT_FOUND, "unable to find the specified revision");
    if (p->format != PRINT_DEFAULT)
        return print_revision(s, t, rev, p, f);
    struct json template = json_copy(&s->arena, &rev->template);
    if (rev->cause.len)
        json_set(&s->arena, json_ensure_object(&s->arena, json_ensure_object(&s->arena, &template, S("metadata")), S("annotations")), CAUSE,
                 json_string(rev->cause));
    str type = discovery_type_name(&s->arena, t->res), text = rollout_template_text(s, &template);
    printf(STR_FMT "/" STR_FMT " with revision #%lld\n" STR_FMT "\n", STR_ARG(type), STR_ARG(t->name), (long long)number, STR_ARG(text));
    return 0;
}

static int show_revisions(struct session *s, const struct target *t, const struct rollout_history *h, struct printer *p, struct failure *f)
{
    for (size_t i = 0; p->format != PRINT_DEFAULT && i < h->len; i++) {
        int r = print_revision(s, t, &h->list[i], p, f);
        if (r < 0)
            return r;
    }
    if (p->format != PRINT_DEFAULT)
        return 0;
    TABS_AUTO tabs = TABS_TEXT;
    STRBUF_AUTO out = STRBUF_HEAP;
    str type = discovery_type_name(&s->arena, t->res);
    printf(STR_FMT "/" STR_FMT " \n", STR_ARG(type), STR_ARG(t->name));
    if (!h->len) {
        printf("No rollout history found.\n");
        return 0;
    }
    strbuf_addf(&tabs.text, "REVISION\tCHANGE-CAUSE\n");
    for (size_t i = 0; i < h->len; i++) {
        str cause = h->list[i].cause.len ? h->list[i].cause : S("<none>");
        strbuf_addf(&tabs.text, "%lld\t" STR_FMT "\n", (long long)h->list[i].number, STR_ARG(cause));
    }
    tabs_flush(&tabs, &out);
    strbuf_add_char(&out, '\n');
    print_flush(&out);
    return 0;
}

int rollout_history_show(struct session *s, struct failure *f)
{
    struct targets found;
    struct printer *p;
    int64_t number = cli_int(s->args, "revision", 0);
    if (number < 0)
        return failure_set(f, E_INVALID_ARG, "revision must be a positive integer: %lld", (long long)number);
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = rollout_targets(s, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        const struct target *t = &found.p[i];
        struct rollout_history h;
        if (rollout_kind_of(t) == ROLLOUT_NONE)
            return failure_set(f, E_INVALID_ARG, "error retrieving history for \"" STR_FMT "\", no visitor method exists for {" STR_FMT " " STR_FMT "}",
                               STR_ARG(t->res->kind), STR_ARG(t->res->group), STR_ARG(t->res->kind));
        r = rollout_history_read(s, t, &h, f);
        if (r == 0)
            r = number ? show_one_revision(s, t, &h, number, p, f) : show_revisions(s, t, &h, p, f);
    }
    return r;
}

/* --- undo --------------------------------------------------------------------------------------------------------------------- */
/* Annotations of a Deployment that do not belong to a revision. */
static bool stays(str key)
{
    static const char *const names[] = {"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision",
                                        "deployment.kubernetes.io/revision-history",        "deployment.kubernetes.io/desired-replicas",
                                        "deployment.kubernetes.io/max-replicas",            "deprecated.deployment.rollback.to"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_is(key, names[i]))
            return true;
    }
    return false;
}

static struct json annotations_for(struct session *s, const struct json *now, const struct json *then)
{
    struct json ret = json_object();
    for (size_t i = 0; json_is(now, JSON_OBJECT) && i < now->len; i++) {
        if (stays(now->members[i].key))
            json_set(&s->arena, &ret, now->members[i].key, now->members[i].value);
    }
    for (size_t i = 0; json_is(then, JSON_OBJECT) && i < then->len; i++) {
        if (!stays(then->members[i].key))
            json_set(&s->arena, &ret, then->members[i].key, then->members[i].value);
    }
    return ret;
}

static int missing_revision(const struct target *t, int64_t number, struct failure *f)
{
    if (number)
        return failure_set(f, E_NOT_FOUND, "unable to find specified revision %lld in history", (long long)number);
    if (rollout_kind_of(t) == ROLLOUT_DEPLOYMENT)
        return failure_set(f, E_NOT_FOUND, "no rollout history found for deployment \"" STR_FMT "\"", STR_ARG(t->name));
    return failure_set(f, E_NOT_FOUND, "no last revision to roll back to");
}

static struct json without_hash(struct session *s, const struct json *template)
{
    struct json copy = json_copy(&s->arena, template);
    struct json *labels = json_path(&copy, "metadata", "labels", NULL);
    if (labels)
        json_del(labels, S("pod-template-hash"));
    return copy;
}

static int send_undo(struct change *c, const struct target *t, const struct rollout_revision *rev, struct json *ret, struct failure *f)
{
    struct session *s = c->s;
    if (rollout_kind_of(t) != ROLLOUT_DEPLOYMENT)
        return change_patch(c, t, S(""), CHANGE_PATCH_STRATEGIC, json_get(&rev->object, S("data")), ret, f);
    struct json template = without_hash(s, &rev->template);
    struct json annotations =
        annotations_for(s, json_path(&t->object, "metadata", "annotations", NULL), json_path(&rev->object, "metadata", "annotations", NULL));
    /* the whole template is replaced: a merge would keep what the old one did not have */
    struct json patch = json_make(&s->arena,
                                  "[{\"op\":\"replace\",\"path\":\"/spec/template\",\"value\":%j},{\"op\":\"replace\",\"path\":\"/metadata/annotations\",\"value\":%j}]",
                                  &template, &annotations);
    return change_patch(c, t, S(""), CHANGE_PATCH_JSON, &patch, ret, f);
}

static int undo_one(struct change *c, const struct target *t, int64_t number, struct failure *f)
{
    struct session *s = c->s;
    struct rollout_history h;
    struct json done;
    bool is_deployment = rollout_kind_of(t) == ROLLOUT_DEPLOYMENT;
    if (rollout_kind_of(t) == ROLLOUT_NONE)
        return failure_set(f, E_INVALID_ARG, "error retrieving rollbacker for \"" STR_FMT "\", no visitor method exists for {" STR_FMT " " STR_FMT "}",
                           STR_ARG(t->res->kind), STR_ARG(t->res->group), STR_ARG(t->res->kind));
    if (json_get_bool(json_get(&t->object, S("spec")), S("paused"), false))
        return failure_set(f, E_CONFLICT, "you cannot rollback a paused deployment; resume it first with 'cox rollout resume' and try again");
    int r = rollout_history_read(s, t, &h, f);
    if (r < 0)
        return r;
    const struct rollout_revision *rev = rollout_revision_find(&h, number);
    if (!rev)
        return missing_revision(t, number, f);
    if (c->dry_run == DRY_RUN_CLIENT) {
        str text = rollout_template_text(s, &rev->template);
        return change_report(c, t->res, &t->object, arena_fmt(&s->arena, "%s" STR_FMT, is_deployment ? "" : "will roll back to ", STR_ARG(text)).p, f);
    }
    struct json template = without_hash(s, &rev->template);
    if (json_equal(&template, json_path(&t->object, "spec", "template", NULL)))
        return change_report(c, t->res, &t->object,
                             arena_fmt(&s->arena, "skipped rollback (current template already matches revision %lld)", (long long)rev->number).p, f);
    r = send_undo(c, t, rev, &done, f);
    return r < 0 ? r : change_report(c, t->res, &done, "rolled back", f);
}

int rollout_undo(struct session *s, struct failure *f)
{
    struct change c;
    struct targets found;
    int64_t number = cli_int(s->args, "to-revision", 0);
    int r = change_init(&c, s, "kubectl-rollout", f);
    if (r == 0)
        r = rollout_targets(s, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (undo_one(&c, &found.p[i], number, f) < 0)
            session_note(s, f);
    }
    return r;
}
