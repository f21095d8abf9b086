/* verb_auth.c - cox auth: may I, and who am I. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/access.h"
#include "wire/json_make.h"
#include "cli/print.h"
#include "cli/resources.h"
#include "cli/verbs.h"

/* --- can-i --------------------------------------------------------------------------------------------------------------------------- */

static bool is_known_verb(const char *verb, bool is_url)
{
    static const char *const of_urls = " * get put post head options delete patch ";
    static const char *const of_resources =
        " get list watch create update patch delete deletecollection use bind impersonate * approve sign escalate attest ";
    char word[64];
    snprintf(word, sizeof word, " %s ", verb);
    return strstr(is_url ? of_urls : of_resources, word) != NULL;
}

static const struct discovery_resource *find_type(struct session *s, str type, struct failure *f)
{
    const struct discovery *d;
    if (str_is(type, "*") || session_discovery(s, &d, f) < 0)
        return NULL;
    const struct discovery_resource *r = discovery_find(d, type);
    str group = type, name;
    bool has_group = str_cut(&group, '.', &name);
    static const char *const unlisted[] = {"users", "groups", "userextras.authentication.k8s.io", "uids"};
    for (size_t i = 0; !r && i < ARRAY_LEN(unlisted); i++) {
        if (str_is(type, unlisted[i]))
            return NULL;
    }
    if (!r && has_group)
        fprintf(stderr, "Warning: the server doesn't have a resource type '" STR_FMT "' in group '" STR_FMT "'\n\n",
                STR_ARG(name), STR_ARG(group));
    else if (!r)
        fprintf(stderr, "Warning: the server doesn't have a resource type '" STR_FMT "'\n\n", STR_ARG(type));
    return r;
}

static struct json resource_review(struct session *s, const char *verb, str word, struct failure *f)
{
    struct arena *a = &s->arena;
    str name = word, type;
    if (!str_cut(&name, '/', &type))
        name = S("");
    const struct discovery_resource *r = find_type(s, type, f);
    bool everywhere = cli_flag(s->args, "all-namespaces");
    if (r && !r->is_namespaced && !everywhere)
        fprintf(stderr,
                r->group.len ? "Warning: resource '" STR_FMT "' is not namespace scoped in group '" STR_FMT "'\n\n"
                             : "Warning: resource '" STR_FMT "' is not namespace scoped\n\n",
                STR_ARG(r->plural), STR_ARG(r->group));
    if (!is_known_verb(verb, false))
        fprintf(stderr, "Warning: verb '%s' is not a known verb\n\n", verb);
    return json_make(
        a, "{\"resourceAttributes\":{\"namespace\":%S,\"verb\":%s,\"group\":%S,\"resource\":%S,\"subresource\":%s,\"name\":%S}}",
        everywhere ? S("") : s->namespace_, verb, r ? r->group : S(""), r ? r->plural : type,
        cli_str_or(s->args, "subresource", ""), name);
}

static int check_access(struct session *s, struct failure *f)
{
    struct arena *a = &s->arena;
    if (s->args->npositional != 2)
        return failure_set(
            f, E_INVALID_ARG,
            "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'cox auth can-i -h' for help and examples.");
    const char *verb = s->args->positional[0], *what = s->args->positional[1];
    if (what[0] == '/' && !is_known_verb(verb, true))
        fprintf(stderr, "Warning: verb '%s' is not a known verb\n\n", verb);
    struct json answer, spec = what[0] == '/' ? json_make(a, "{\"nonResourceAttributes\":{\"verb\":%s,\"path\":%s}}", verb, what)
                                              : resource_review(s, verb, str_of(what), f);
    struct json review =
        json_make(a, "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":%j}", &spec);
    int r = session_send(s, S("POST"), S("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), S(""), &review, &answer, f);
    if (r < 0)
        return r;
    const struct json *status = json_get(&answer, S("status"));
    bool allowed = json_get_bool(status, S("allowed"), false);
    str reason = json_get_str(status, S("reason")), error = json_get_str(status, S("evaluationError"));
    if (!cli_flag(s->args, "quiet") && allowed)
        printf("yes\n");
    else if (!cli_flag(s->args, "quiet"))
        printf("no%s" STR_FMT "%s" STR_FMT "\n", reason.len ? " - " : "", STR_ARG(reason), error.len ? " - " : "",
               STR_ARG(error));
    return !allowed;
}

/* --- can-i --list ------------------------------------------------------------------------------------------------------------------------ */

static int list_access(struct session *s, struct failure *f)
{
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    struct access_list l = {.arena = &s->arena};
    struct json answer,
        review = json_make(
            &s->arena,
            "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectRulesReview\",\"spec\":{\"namespace\":%S}}",
            s->namespace_);
    int r = session_send(s, S("POST"), S("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"), S(""), &review, &answer, f);
    if (r < 0)
        return r;
    const struct json *status = json_get(&answer, S("status"));
    if (json_get_bool(status, S("incomplete"), false))
        fprintf(stderr, "Warning: the list may be incomplete: " STR_FMT "\n",
                STR_ARG(json_get_str(status, S("evaluationError"))));
    access_add_rules(&l, json_get(status, S("resourceRules")));
    access_add_rules(&l, json_get(status, S("nonResourceRules")));
    if (!cli_flag(s->args, "no-headers"))
        strbuf_add_str(&tabs.text, S("Resources\tNon-Resource URLs\tResource Names\tVerbs\n"));
    access_write(&l, &tabs.text, "");
    access_fini(&l);
    tabs_flush(&tabs, &out);
    print_flush(&out);
    return 0;
}

static int can_i(struct session *s, struct failure *f)
{
    if (!cli_flag(s->args, "list"))
        return check_access(s, f);
    if (s->args->npositional)
        return failure_set(f, E_INVALID_ARG, "list option must be specified with no arguments");
    return list_access(s, f);
}

static int run_can_i(struct cli_args *a)
{
    return session_run(a, can_i);
}

/* --- whoami ---------------------------------------------------------------------------------------------------------------------------------- */

static void print_who(struct session *s, const struct json *info)
{
    TABS_AUTO tabs = TABS_TABLE;
    STRBUF_AUTO out = STRBUF_HEAP;
    const struct json *groups = json_get(info, S("groups")), *extra = json_get(info, S("extra"));
    strbuf_add_str(&tabs.text, S("ATTRIBUTE\tVALUE\n"));
    strbuf_addf(&tabs.text, "Username\t" STR_FMT "\n", STR_ARG(json_get_str(info, S("username"))));
    if (json_get_str(info, S("uid")).len)
        strbuf_addf(&tabs.text, "UID\t" STR_FMT "\n", STR_ARG(json_get_str(info, S("uid"))));
    if (json_is(groups, JSON_ARRAY) && groups->len) {
        strbuf_add_str(&tabs.text, S("Groups\t"));
        access_write_words(&tabs.text, groups);
        strbuf_add_char(&tabs.text, '\n');
    }
    const struct json_member **sorted = json_is(extra, JSON_OBJECT) ? jsonpath_sorted_members(&s->arena, extra) : NULL;
    for (size_t i = 0; sorted && i < extra->len; i++) {
        strbuf_addf(&tabs.text, "Extra: " STR_FMT "\t", STR_ARG(sorted[i]->key));
        access_write_words(&tabs.text, &sorted[i]->value);
        strbuf_add_char(&tabs.text, '\n');
    }
    tabs_flush(&tabs, &out);
    print_flush(&out);
}

static int whoami(struct session *s, struct failure *f)
{
    struct printer *p;
    struct json answer,
        review = json_make(&s->arena, "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}");
    int r = printer_new(&s->arena, s->args, PRINT_ALLOW_RESULT, &p, f);
    if (r == 0)
        r = session_send(s, S("POST"), S("/apis/authentication.k8s.io/v1/selfsubjectreviews"), S(""), &review, &answer, f);
    if (r < 0)
        return r;
    if (p->format == PRINT_DEFAULT) {
        print_who(s, json_path(&answer, "status", "userInfo", NULL));
        return 0;
    }
    STRBUF_AUTO out = STRBUF_HEAP;
    r = printer_object(p, &out, &answer, f);
    print_flush(&out);
    return r;
}

static int run_whoami(struct cli_args *a)
{
    return session_run(a, whoami);
}

static const struct cli_option can_i_options[] = {
    {"all-namespaces", 'A', CLI_FLAG, NULL, "", "In every namespace.", NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "", "Only the exit status answers.", NULL},
    {"subresource", 0, CLI_STRING, "NAME", "", "The subresource: log, scale ...", NULL},
    {"list", 0, CLI_FLAG, NULL, "", "Everything that is allowed in the namespace.", NULL},
    {"no-headers", 0, CLI_FLAG, NULL, "", "Without the line of headers.", NULL},
    {0},
};
static const struct cli_option whoami_options[] = {PRINT_OPTIONS_RESULT, {0}};
static const struct cli_verb verb_can_i = {
    .name = "can-i",
    .summary = "Ask whether an action is allowed.",
    .usage = "VERB (TYPE | TYPE/NAME | /PATH) | --list",
    .examples = "  cox auth can-i create pods -n web\n  cox auth can-i --list --as system:serviceaccount:web:default",
    .options = can_i_options,
    .run = run_can_i,
    .is_client = true,
};
static const struct cli_verb verb_whoami = {.name = "whoami",
                                            .summary = "Show who the server takes you for.",
                                            .usage = "[-o FORMAT]",
                                            .options = whoami_options,
                                            .run = run_whoami,
                                            .is_client = true};
static const struct cli_verb *const subs[] = {&verb_can_i, &verb_whoami, NULL};

const struct cli_verb verb_auth = {
    .name = "auth", .summary = "Ask what is allowed, and who you are.", .usage = "(can-i | whoami)", .subs = subs};
