/* verb_set.c - cox set image, cox set resources, and what they share with set env; see set.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>

#include "api/quantity.h"
#include "cli/set.h"
#include "cli/threeway.h"
#include "cli/verbs.h"

/* --- pod specs ----------------------------------------------------------------------------------------------------------------- */

struct json *set_pod_spec(const struct target *t, struct json *object)
{
    static const struct {
        const char *group, *kinds;
    } with_template[] = {{"apps", " Deployment ReplicaSet StatefulSet DaemonSet "}, {"", " ReplicationController "}, {"batch", " Job "}};
    char kind[80];
    snprintf(kind, sizeof kind, " " STR_FMT " ", STR_ARG(t->res->kind));
    if (str_is(t->res->group, "") && str_is(t->res->kind, "Pod"))
        return json_get(object, S("spec"));
    if (str_is(t->res->group, "batch") && str_is(t->res->kind, "CronJob"))
        return json_path(object, "spec", "jobTemplate", "spec", "template", "spec", NULL);
    for (size_t i = 0; i < ARRAY_LEN(with_template); i++) {
        if (str_is(t->res->group, with_template[i].group) && strstr(with_template[i].kinds, kind))
            return json_path(object, "spec", "template", "spec", NULL);
    }
    return NULL;
}

struct json *set_container(struct json *pod_spec, const char *pattern, size_t idx)
{
    static const char *const lists[] = {"containers", "initContainers"};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        struct json *list = json_get(pod_spec, str_of(lists[k]));
        for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            char name[256];
            str have = json_get_str(&list->items[i], S("name"));
            snprintf(name, sizeof name, STR_FMT, STR_ARG(have));
            if (fnmatch(pattern, name, 0) == 0 && idx-- == 0)
                return &list->items[i];
        }
    }
    return NULL;
}

/* --- one change for many objects --------------------------------------------------------------------------------------------------- */

int set_split_words(const struct cli_args *a, bool minus_too, const char *what, size_t *ret_nresources, struct failure *f)
{
    size_t n = 0;
    for (size_t i = 0; i < a->npositional; i++) {
        str word = str_of(a->positional[i]);
        bool changes = str_find_char(word, '=') >= 0 || (minus_too && str_has_suffix(word, S("-")));
        if (changes)
            continue;
        if (i > n)
            return failure_set(f, E_INVALID_ARG, "all resources must be specified before %s changes: %s", what, a->positional[i]);
        n++;
    }
    *ret_nresources = n;
    return 0;
}

static int set_one(struct change *c, const struct set *set, const struct target *t, struct failure *f)
{
    struct session *s = c->s;
    struct json after = json_copy(&s->arena, &t->object), done;
    struct json *pod_spec = set_pod_spec(t, &after);
    const struct schema_type *type;
    if (!pod_spec)
        return failure_set(f, E_INVALID_ARG, STR_FMT "/" STR_FMT " the object is not a pod or does not have a pod template: *" STR_FMT "." STR_FMT,
                           STR_ARG(t->res->plural), STR_ARG(t->name), STR_ARG(t->res->version), STR_ARG(t->res->kind));
    int r = set->edit(set->arg, s, t, pod_spec, f);
    if (r < 0 || json_equal(&after, &t->object))
        return r;
    enum change_patch kind = change_patch_kind(&t->object, &type);
    struct json patch = twoway_patch(&s->arena, type, &t->object, &after);
    r = change_patch(c, t, S(""), kind, &patch, &done, f);
    if (r < 0) {
        str why = f->from_server ? f->message : arena_str(&s->arena, str_of(f->err.msg));
        return failure_set(f, -r, "failed to patch %s update to pod template%s " STR_FMT, set->what, set->colon, STR_ARG(why));
    }
    return change_report(c, t->res, &done, set->done, f);
}

int set_run(struct session *s, const struct set *set, const struct resource_query *q, struct failure *f)
{
    struct change c;
    struct targets found;
    int r = change_init(&c, s, "kubectl-set", f);
    if (r == 0)
        r = resources_find(s, q, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        if (set_one(&c, set, &found.p[i], f) < 0)
            session_note(s, f);
    }
    return r;
}

static int check_words(const struct cli_args *a, const struct resource_query *q, struct failure *f)
{
    if (!q->nwords && !cli_list(a, "filename", 0))
        return failure_set(f, E_INVALID_ARG, "one or more resources must be specified as <resource> <name> or <resource>/<name>");
    return 0;
}

/* --- set image ----------------------------------------------------------------------------------------------------------------------- */

static int edit_images(void *arg, struct session *s, const struct target *t, struct json *pod_spec, struct failure *f)
{
    const struct resource_query *q = arg;
    (void)t;
    for (size_t i = q->nwords; i < s->args->npositional; i++) {
        str image = str_of(s->args->positional[i]), name;
        str_cut(&image, '=', &name);
        bool all = str_is(name, "*"), found = false;
        struct json *c;
        for (size_t n = 0; (c = set_container(pod_spec, "*", n)); n++) {
            if (!all && !str_eq(json_get_str(c, S("name")), name))
                continue;
            json_set(&s->arena, c, S("image"), json_string(image));
            found = true;
        }
        if (!found)
            return failure_set(f, E_NOT_FOUND, "unable to find container named \"" STR_FMT "\"", STR_ARG(name));
    }
    return 0;
}

static int image(struct session *s, struct failure *f)
{
    struct resource_query q = resource_query_of(s->args, 0);
    struct targets named;
    int r = set_split_words(s->args, false, "image", &q.nwords, f);
    if (r == 0)
        r = resources_select(s, &q, &named, f); /* a word that names nothing is told first */
    if (r == 0 && q.nwords == s->args->npositional)
        r = failure_set(f, E_INVALID_ARG, "at least one image update is required");
    struct set set = {.what = "image", .done = "image updated", .colon = ":", .edit = edit_images, .arg = &q};
    return r < 0 ? r : set_run(s, &set, &q, f);
}

static int run_image(struct cli_args *a)
{
    return session_run(a, image);
}

static const struct cli_option image_options[] = {SET_OPTIONS, {0}};
static const struct cli_verb set_image = {.name = "image",
                                          .summary = "Change the images of a pod template.",
                                          .usage = "(TYPE NAME | TYPE/NAME | -f FILE) CONTAINER=IMAGE ... [OPTIONS]",
                                          .examples = "  cox set image deploy/web nginx=nginx:1.27\n  cox set image deploy,ds --all '*=registry.local/app:2'",
                                          .options = image_options,
                                          .run = run_image,
                                          .is_client = true};

/* --- set resources ------------------------------------------------------------------------------------------------------------------------- */

/* "cpu=200m,memory=512Mi" as a map of canonical quantities. */
static int read_amounts(struct session *s, const char *option, struct json *ret, struct failure *f)
{
    str rest = str_of(cli_str_or(s->args, option, ""));
    *ret = json_object();
    while (rest.len) {
        str pair, name, value;
        struct quantity q;
        str_cut(&rest, ',', &pair);
        value = pair;
        if (!str_cut(&value, '=', &name) || !name.len || str_find_char(value, '=') >= 0)
            return failure_set(f, E_INVALID_ARG, "Invalid argument syntax " STR_FMT ", expected <resource>=<value>", STR_ARG(pair));
        if (!quantity_parse(value, &q))
            return failure_set(f, E_INVALID_ARG, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        json_set(&s->arena, ret, name, json_string(quantity_format(&s->arena, &q)));
    }
    return 0;
}

struct amounts_wanted {
    struct json limits, requests;
};

static int edit_resources(void *arg, struct session *s, const struct target *t, struct json *pod_spec, struct failure *f)
{
    const struct amounts_wanted *w = arg;
    const char *pattern = cli_str_or(s->args, "containers", "*");
    size_t n = 0;
    (void)t;
    for (struct json *c; (c = set_container(pod_spec, pattern, n)); n++) {
        struct json *resources = json_ensure_object(&s->arena, c, S("resources"));
        for (int k = 0; k < 2; k++) {
            const struct json *from = k ? &w->requests : &w->limits;
            if (!from->len)
                continue;
            struct json *into = json_ensure_object(&s->arena, resources, k ? S("requests") : S("limits"));
            for (size_t i = 0; i < from->len; i++)
                json_set(&s->arena, into, from->members[i].key, from->members[i].value);
        }
    }
    return n ? 0 : failure_set(f, E_NOT_FOUND, "unable to find container named %s", pattern);
}

static int resources(struct session *s, struct failure *f)
{
    struct resource_query q = resource_query_of(s->args, 0);
    struct amounts_wanted w;
    int r = check_words(s->args, &q, f);
    if (r == 0 && !cli_str_or(s->args, "limits", "")[0] && !cli_str_or(s->args, "requests", "")[0])
        r = failure_set(f, E_INVALID_ARG, "you must specify an update to requests or limits (in the form of --requests/--limits)");
    if (r == 0)
        r = read_amounts(s, "limits", &w.limits, f);
    if (r == 0)
        r = read_amounts(s, "requests", &w.requests, f);
    struct set set = {.what = "resources", .done = "resource requirements updated", .colon = "", .edit = edit_resources, .arg = &w};
    return r < 0 ? r : set_run(s, &set, &q, f);
}

static int run_resources(struct cli_args *a)
{
    return session_run(a, resources);
}

static const struct cli_option resources_options[] = {
    {"limits", 0, CLI_STRING, "AMOUNTS", "", "cpu=200m,memory=512Mi: what a container may use.", NULL},
    {"requests", 0, CLI_STRING, "AMOUNTS", "", "cpu=100m,memory=256Mi: what it is given for sure.", NULL},
    {"containers", 'c', CLI_STRING, "PATTERN", "*", "Which containers.", NULL},
    SET_OPTIONS,
    {0},
};
static const struct cli_verb set_resources = {.name = "resources",
                                              .summary = "Change the requests and limits of a pod template.",
                                              .usage = "(TYPE NAME | TYPE/NAME | -f FILE) [--limits=AMOUNTS] [--requests=AMOUNTS] [OPTIONS]",
                                              .examples = "  cox set resources deploy/web -c nginx --limits=cpu=200m,memory=512Mi",
                                              .options = resources_options,
                                              .run = run_resources,
                                              .is_client = true};

static const struct cli_verb *const subs[] = {&set_image, &set_env, &set_resources, NULL};
const struct cli_verb verb_set_template = {
    .name = "set",
    .summary = "Change images, environment or resources of a pod template.",
    .usage = "SUBCOMMAND (TYPE NAME | TYPE/NAME) ... [OPTIONS]",
    .examples = "  cox set image deploy/web nginx=nginx:1.27\n  cox set env deploy/web LEVEL=debug",
    .subs = subs,
};
