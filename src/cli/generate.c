/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/generate.h"

const struct generator *const generate_groups[] = {generate_core, generate_workloads, generate_rbac, generate_network, NULL};

struct json generate_meta(struct session *s, const char *name)
{
    struct json meta = json_make(&s->arena, "{\"creationTimestamp\":null,\"name\":%s}", name);
    if (s->namespace_given)
        json_set(&s->arena, &meta, S("namespace"), json_string(s->namespace_));
    return meta;
}

size_t generate_list(struct session *s, const char *option, bool split, str **ret)
{
    VEC(str) list = {0};
    const char *given;
    for (size_t i = 0; (given = cli_list(s->args, option, i)); i++) {
        str rest = str_of(given), one;
        while (rest.len) {
            str_cut(&rest, split ? ',' : 0, &one);
            vec_push(&list, one);
        }
    }
    size_t n = list.len;
    *ret = arena_array(&s->arena, n + 1, str);
    for (size_t i = 0; i < n; i++)
        (*ret)[i] = list.p[i];
    vec_fini(&list);
    return n;
}

struct json generate_strings(struct session *s, const str *list, size_t n)
{
    struct json out = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(&s->arena, &out, json_string(list[i]));
    return out;
}

struct json generate_int_or_string(struct arena *a, str text)
{
    int64_t n;
    return str_to_i64(text, &n) ? json_int(a, n) : json_string(text);
}

void generate_command(struct session *s, struct json *container, const char *field)
{
    struct json words = json_array();
    for (size_t i = 1; i < s->args->npositional; i++)
        json_push(&s->arena, &words, json_string(str_of(s->args->positional[i])));
    if (words.len)
        json_set(&s->arena, container, str_of(field), words);
}

static const struct generator *find(const struct cli_verb *verb)
{
    for (size_t g = 0; generate_groups[g]; g++) {
        for (const struct generator *x = generate_groups[g]; x->verb; x++) {
            if (x->verb == verb)
                return x;
        }
    }
    BUG_ON(true);
    return NULL;
}

static int create(struct session *s, const struct generator *g, struct json *obj, struct failure *f)
{
    struct change c;
    struct target t;
    struct json made;
    int r = change_init(&c, s, "kubectl-create", f);
    if (r < 0)
        return r;
    bool had_namespace = json_path(obj, "metadata", "namespace", NULL) != NULL;
    r = target_of_object(s, obj, S(""), &t, f);
    if (r < 0)
        return r;
    if (!had_namespace) /* the path says where; a dry run shows what was said */
        json_del(json_get(obj, S("metadata")), S("namespace"));
    if (cli_flag(s->args, "save-config"))
        change_set_last_applied(&s->arena, obj);
    r = change_create(&c, &t, obj, &made, f);
    if (r < 0 && g->failed && f->from_server) {
        str message = f->message;
        return failure_set(f, -r, "%s" STR_FMT, g->failed, STR_ARG(message));
    }
    return r < 0 ? r : change_report(&c, t.res, &made, "created", f);
}

static int generate(struct session *s, struct failure *f)
{
    const struct generator *g = find(s->args->verb);
    struct json obj;
    if (!s->args->npositional)
        return failure_set(f, E_INVALID_ARG, "exactly one NAME is required, got 0\nSee 'cox create %s -h' for help and examples",
                           s->args->verb->name);
    int r = g->make(s, s->args->positional[0], &obj, f);
    return r < 0 ? r : create(s, g, &obj, f);
}

int generate_run(struct cli_args *a)
{
    return session_run(a, generate);
}
