/* authn_tokens.c - tokens that are looked up: the token file, and bootstrap tokens in Secrets of kube-system. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/authn_internal.h"
#include "apiserver/objects.h"
#include "base/civil.h"
#include "rt/file.h"
#include "wire/base64.h"

/* Takes as long for a wrong first byte as for a wrong last one.  The length of a secret is no secret. */
static bool same_secret(str a, str b)
{
    if (a.len != b.len)
        return false;
    volatile unsigned char diff = 0;
    for (size_t i = 0; i < a.len; i++)
        diff |= (unsigned char)(a.p[i] ^ b.p[i]);
    return diff == 0;
}

/* --- the token file ------------------------------------------------------------------------------ */

#define TOKEN_FILE_BYTES (4u << 20)
#define TOKEN_FIELDS 4

struct static_token {
    str token, user, uid;
    str *groups;
    size_t ngroups;
};
struct authn_static {
    struct arena arena;
    struct static_token *tokens;
    size_t len, cap;
};

/* One csv field: plain up to the comma, or in quotes with "" for a quote.  Moves *line behind the comma; false on bad quoting. */
static bool csv_field(struct arena *a, str *line, str *ret)
{
    if (!line->len || line->p[0] != '"') {
        str_cut(line, ',', ret);
        return str_find_char(*ret, '"') < 0;
    }
    struct strbuf b = strbuf_on(a);
    size_t i = 1;
    for (; i < line->len; i++) {
        if (line->p[i] == '"' && !(i + 1 < line->len && line->p[i + 1] == '"'))
            break;
        i += line->p[i] == '"';
        strbuf_add_char(&b, line->p[i]);
    }
    if (i == line->len || (i + 1 < line->len && line->p[i + 1] != ','))
        return false;
    *line = str_from(*line, i + 2);
    *ret = strbuf_str(&b);
    return true;
}

static void split_groups(struct arena *a, str text, struct static_token *t)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == ',';
    t->groups = arena_array(a, n, str);
    while (text.len)
        str_cut(&text, ',', &t->groups[t->ngroups++]);
}

static int parse_line(struct authn_static *set, str line, size_t number, const char *path, struct err *err)
{
    str fields[TOKEN_FIELDS] = {S(""), S(""), S(""), S("")};
    size_t n = 0;
    while (line.len && n < TOKEN_FIELDS)
        if (!csv_field(&set->arena, &line, &fields[n++]))
            return err_set(err, E_PARSE, "token file '%s', line %zu: bad quotes", path, number);
    if (n < 3)
        return err_set(err, E_PARSE,
                       "token file '%s' must have at least 3 columns (token, user name, user uid), found %zu in line %zu", path,
                       n, number);
    if (!fields[0].len)
        return err_set(err, E_PARSE, "token file '%s', line %zu: the token is empty", path, number);
    if (set->len == set->cap) {
        size_t cap = set->cap * 2 + 8;
        set->tokens = arena_grow(&set->arena, set->tokens, set->cap * sizeof *set->tokens, cap * sizeof *set->tokens);
        set->cap = cap;
    }
    struct static_token *t = &set->tokens[set->len++];
    *t = (struct static_token){.token = fields[0], .user = fields[1], .uid = fields[2]};
    split_groups(&set->arena, fields[3], t);
    return 0;
}

int authn_static_parse(str text, const char *path, struct authn_static **ret, struct err *err)
{
    struct authn_static *set = xnew(struct authn_static);
    text = arena_str(&set->arena, text);
    for (size_t number = 1; text.len; number++) {
        str line;
        str_cut(&text, '\n', &line);
        if (str_has_suffix(line, S("\r")))
            line.len--;
        int r = line.len ? parse_line(set, line, number, path, err) : 0;
        if (r < 0) {
            authn_static_free(set);
            return r;
        }
    }
    *ret = set;
    return 0;
}

int authn_static_new(const char *path, struct authn_static **ret, struct err *err)
{
    char *text = NULL;
    size_t len;
    int r = file_read(path, TOKEN_FILE_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    r = authn_static_parse(str_n(text, len), path, ret, err);
    free(text);
    return r;
}

void authn_static_free(struct authn_static *t)
{
    if (!t)
        return;
    arena_fini(&t->arena);
    free(t);
}

int authn_static_token(const struct authn_static *set, struct arena *a, str token, struct api_user *ret)
{
    const struct static_token *found = NULL;
    /* all are compared, always: the time must not tell where the right one stands; of equal ones the last counts */
    for (size_t i = 0; i < set->len; i++)
        if (same_secret(set->tokens[i].token, token))
            found = &set->tokens[i];
    if (!found)
        return AUTHN_NOT_MINE;
    *ret = (struct api_user){.name = found->user, .uid = found->uid};
    authn_set_groups(a, ret, found->groups, found->ngroups);
    return 0;
}

/* --- bootstrap tokens ---------------------------------------------------------------------------- */

#define BOOTSTRAP_ID_LEN 6
#define BOOTSTRAP_SECRET_LEN 16
#define BOOTSTRAP_GROUP "system:bootstrappers"
#define BOOTSTRAP_MAX_GROUPS 32

static bool is_lower_alnum(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9')))
            return false;
    return true;
}

static str secret_data(struct arena *a, const struct json *secret, str key)
{
    str plain;
    str text = json_get_str(json_get(secret, S("data")), key);
    return base64_decode(a, BASE64_STD, text, &plain, NULL) == 0 ? plain : S("");
}

/* "system:bootstrappers:" and up to 256 of [a-z0-9:-], the last one no ':' or '-'. */
static bool is_bootstrap_group(str g)
{
    if (!str_has_prefix(g, S(BOOTSTRAP_GROUP ":")))
        return false;
    str rest = str_from(g, sizeof BOOTSTRAP_GROUP);
    if (!rest.len || rest.len > 256 || !is_lower_alnum(str_from(rest, rest.len - 1)))
        return false;
    for (size_t i = 0; i < rest.len; i++)
        if (!is_lower_alnum(str_sub(rest, i, i + 1)) && rest.p[i] != ':' && rest.p[i] != '-')
            return false;
    return true;
}

/* The default group and those of auth-extra-groups, sorted, each once; false when one of them has a bad name. */
static bool bootstrap_groups(struct arena *a, str extra, str *groups, size_t *ret_n)
{
    size_t n = 0, unique = 1;
    groups[n++] = S(BOOTSTRAP_GROUP);
    while (extra.len) {
        str g;
        str_cut(&extra, ',', &g);
        if (n == BOOTSTRAP_MAX_GROUPS || !is_bootstrap_group(g))
            return false;
        groups[n++] = arena_str(a, g);
    }
    qsort(groups, n, sizeof *groups, str_cmp_void);
    for (size_t i = 1; i < n; i++)
        if (!str_eq(groups[i], groups[unique - 1]))
            groups[unique++] = groups[i];
    *ret_n = unique;
    return true;
}

static bool has_expired(str expiration, nsec_t now)
{
    nsec_t at;
    return expiration.len && (!civil_parse(expiration, &at) || at <= now);
}

int authn_bootstrap_token(struct authn *n, struct arena *a, str token, struct api_user *ret)
{
    str rest = token, id;
    if (token.len != BOOTSTRAP_ID_LEN + 1 + BOOTSTRAP_SECRET_LEN || !str_cut(&rest, '.', &id) || id.len != BOOTSTRAP_ID_LEN ||
        !is_lower_alnum(id) || !is_lower_alnum(rest))
        return AUTHN_NOT_MINE;
    struct json secret;
    if (!object_get_builtin(n->store, a, S(""), S("secrets"), S("kube-system"), arena_cat(a, S("bootstrap-token-"), id), &secret,
                            NULL))
        return AUTHN_NOT_MINE;
    str groups[BOOTSTRAP_MAX_GROUPS];
    size_t ngroups;
    bool ok = same_secret(secret_data(a, &secret, S("token-secret")), rest) && !object_is_deleting(&secret) &&
              str_is(json_get_str(&secret, S("type")), "bootstrap.kubernetes.io/token") &&
              str_eq(secret_data(a, &secret, S("token-id")), id) &&
              !has_expired(secret_data(a, &secret, S("expiration")), clock_wall(n->clock)) &&
              str_is(secret_data(a, &secret, S("usage-bootstrap-authentication")), "true") &&
              bootstrap_groups(a, secret_data(a, &secret, S("auth-extra-groups")), groups, &ngroups);
    if (!ok)
        return AUTHN_NOT_MINE;
    *ret = (struct api_user){.name = arena_cat(a, S("system:bootstrap:"), id)};
    authn_set_groups(a, ret, groups, ngroups);
    return 0;
}
