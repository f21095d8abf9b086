/* validate_names.c - names, keys and other short texts, with the sentences Kubernetes gives for bad ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_internal.h"

#define LABEL_RE "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_RE LABEL_RE "(\\." LABEL_RE ")*"
#define QUALIFIED_RE "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define RE(what, examples, re) what " (e.g. " examples ", regex used for validation is '" re "')"

#define LABEL_SENTENCE                                                                                                                     \
    RE("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "             \
       "alphanumeric character",                                                                                                           \
       "'my-name',  or '123-abc'", LABEL_RE)
#define SUBDOMAIN_SENTENCE                                                                                                                 \
    RE("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "            \
       "with an alphanumeric character",                                                                                                   \
       "'example.com'", SUBDOMAIN_RE)
#define QUALIFIED_SENTENCE                                                                                                                 \
    RE("must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",                  \
       "'MyName',  or 'my.name',  or '123-abc'", QUALIFIED_RE)
#define MAX_63 "must be no more than 63 characters"
#define MAX_253 "must be no more than 253 characters"

enum char_class { LOWER = 1, UPPER = 2, DIGIT = 4, DASH = 8, DOT = 16, UNDERSCORE = 32 };
#define LOWER_ALNUM (LOWER | DIGIT)
#define ALNUM (LOWER | UPPER | DIGIT)

static unsigned class_of(char ch)
{
    if (ch >= 'a' && ch <= 'z')
        return LOWER;
    if (ch >= '0' && ch <= '9')
        return DIGIT;
    if (ch >= 'A' && ch <= 'Z')
        return UPPER;
    return ch == '-' ? DASH : ch == '.' ? DOT : ch == '_' ? UNDERSCORE : 0;
}

static bool all_of(str s, unsigned classes)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!(class_of(s.p[i]) & classes))
            return false;
    }
    return true;
}

/* first [inner]* last, at least one character. */
static bool is_shaped(str s, unsigned first, unsigned inner, unsigned last)
{
    return s.len > 0 && class_of(s.p[0]) & first && class_of(s.p[s.len - 1]) & last && all_of(s, inner);
}

/* Parts between the separators all hold. */
static bool each_part(str s, char sep, bool (*holds)(str part))
{
    str part;
    for (bool more = true; more;) {
        more = str_cut(&s, sep, &part);
        if (!holds(part))
            return false;
    }
    return true;
}

static bool is_label(str s)
{
    return is_shaped(s, LOWER_ALNUM, LOWER_ALNUM | DASH, LOWER_ALNUM);
}

static bool is_label_underscore(str s)
{
    if (s.len && s.p[0] == '_')
        s = str_from(s, 1);
    return is_shaped(s, LOWER_ALNUM, LOWER_ALNUM | DASH | UNDERSCORE, LOWER_ALNUM);
}

static bool is_subdomain(str s)
{
    return each_part(s, '.', is_label);
}

static bool is_qualified(str s)
{
    return is_shaped(s, ALNUM, ALNUM | DASH | DOT | UNDERSCORE, ALNUM);
}

const char *validate_dns1123_label(str s)
{
    if (s.len > 63)
        return MAX_63;
    if (is_label(s))
        return NULL;
    return is_subdomain(s) ? "must not contain dots" : LABEL_SENTENCE;
}

const char *validate_dns1123_subdomain(str s)
{
    if (s.len > 253)
        return MAX_253;
    return is_subdomain(s) ? NULL : SUBDOMAIN_SENTENCE;
}

const char *validate_subdomain_underscore(str s)
{
    if (s.len > 253)
        return MAX_253;
    if (each_part(s, '.', is_label_underscore))
        return NULL;
    return RE("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start "
              "and end with an alphanumeric character",
              "'example.com'", SUBDOMAIN_RE);
}

const char *validate_dns1035_label(str s)
{
    if (s.len > 63)
        return MAX_63;
    if (is_shaped(s, LOWER, LOWER_ALNUM | DASH, LOWER_ALNUM))
        return NULL;
    return RE("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and "
              "end with an alphanumeric character",
              "'my-name',  or 'abc-123'", "[a-z]([-a-z0-9]*[a-z0-9])?");
}

const char *validate_wildcard_subdomain(str s)
{
    if (s.len > 253)
        return MAX_253;
    if (str_has_prefix(s, S("*.")) && is_subdomain(str_from(s, 2)))
        return NULL;
    return RE("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower "
              "case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
              "'*.example.com'", "\\*\\." SUBDOMAIN_RE);
}

const char *validate_path_segment(str s)
{
    if (str_is(s, "."))
        return "may not be '.'";
    if (str_is(s, ".."))
        return "may not be '..'";
    if (str_find_char(s, '/') >= 0)
        return "may not contain '/'";
    return str_find_char(s, '%') >= 0 ? "may not contain '%'" : NULL;
}

static const char *name_part(str s)
{
    if (s.len == 0)
        return "name part must be non-empty";
    if (s.len > 63)
        return "name part " MAX_63;
    return is_qualified(s) ? NULL : "name part " QUALIFIED_SENTENCE;
}

const char *validate_qualified_name(str s)
{
    str prefix, name = s;
    if (!str_cut(&name, '/', &prefix))
        return name_part(prefix);
    if (str_find_char(name, '/') >= 0)
        return "a qualified name " QUALIFIED_SENTENCE " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    if (prefix.len == 0)
        return "prefix part must be non-empty";
    if (prefix.len > 253)
        return "prefix part " MAX_253;
    return is_subdomain(prefix) ? name_part(name) : "prefix part " SUBDOMAIN_SENTENCE;
}

/* As a qualified name, but the prefix may have capitals. */
const char *validate_annotation_key(str s)
{
    char lower[512];
    ptrdiff_t slash = str_find_char(s, '/');
    if (slash < 0 || s.len > sizeof lower)
        return validate_qualified_name(s);
    for (size_t i = 0; i < s.len; i++)
        lower[i] = class_of(s.p[i]) == UPPER ? (char)(s.p[i] + 32) : s.p[i];
    return validate_qualified_name(str_n(lower, s.len));
}

const char *validate_label_value(str s)
{
    if (s.len > 63)
        return MAX_63;
    if (s.len == 0 || is_qualified(s))
        return NULL;
    return RE("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end "
              "with an alphanumeric character",
              "'MyValue',  or 'my_value',  or '12345'", "(" QUALIFIED_RE ")?");
}

const char *validate_port_name(str s)
{
    if (s.len > 15)
        return "must be no more than 15 characters";
    if (s.len == 0 || !all_of(s, LOWER_ALNUM | DASH))
        return "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
    bool has_letter = false;
    for (size_t i = 0; i < s.len; i++)
        has_letter |= class_of(s.p[i]) == LOWER;
    if (!has_letter)
        return "must contain at least one letter (a-z)";
    if (str_find(s, S("--")) >= 0)
        return "must not contain consecutive hyphens";
    if (s.p[0] == '-' || s.p[s.len - 1] == '-')
        return "must not begin or end with a hyphen";
    return NULL;
}

const char *validate_env_name(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < 0x20 || s.p[i] > 0x7e || s.p[i] == '=')
            return "a valid environment variable name must consist only of printable ASCII characters other than '='";
    }
    return s.len ? NULL : "environment variable name must be non-empty";
}

const char *validate_config_key(str s)
{
    if (s.len > 253)
        return MAX_253;
    if (s.len == 0 || !all_of(s, ALNUM | DASH | UNDERSCORE | DOT))
        return RE("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                  "'key.name',  or 'KEY_NAME',  or 'key-name'", "[-._a-zA-Z0-9]+");
    if (str_is(s, "."))
        return "must not be '.'";
    if (str_is(s, ".."))
        return "must not be '..'";
    return str_has_prefix(s, S("..")) ? "must not start with '..'" : NULL;
}

const char *validate_percent(str s)
{
    if (s.len > 1 && s.p[s.len - 1] == '%' && all_of(str_sub(s, 0, s.len - 1), DIGIT))
        return NULL;
    return RE("a valid percent string must be a numeric string followed by an ending '%'", "'1%',  or '93%'", "[0-9]+%");
}

const char *validate_http_header_name(str s)
{
    if (s.len && all_of(s, ALNUM | DASH))
        return NULL;
    return RE("a valid HTTP header must consist of alphanumeric characters or '-'", "'X-Header-Name'", "[-A-Za-z0-9]+");
}

const char *validate_csi_driver_name(str s)
{
    char lower[64];
    if (s.len > 63)
        return MAX_63;
    for (size_t i = 0; i < s.len; i++)
        lower[i] = class_of(s.p[i]) == UPPER ? (char)(s.p[i] + 32) : s.p[i];
    return validate_dns1123_subdomain(str_n(lower, s.len));
}

static bool is_sysctl_segment(str s)
{
    return is_shaped(s, LOWER_ALNUM, LOWER_ALNUM | DASH | UNDERSCORE, LOWER_ALNUM);
}

static bool are_sysctl_segments(str s)
{
    return each_part(s, '.', is_sysctl_segment);
}

bool v_is_sysctl_name(str s)
{
    return s.len <= 253 && each_part(s, '/', are_sysctl_segments);
}
