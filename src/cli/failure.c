/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/failure.h"

int failure_wrap(struct failure *f, struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    STRBUF_AUTO prefix = STRBUF_HEAP;
    strbuf_vaddf(&prefix, fmt, ap);
    va_end(ap);
    if (!f->from_server)
        return err_wrap(&f->err, "%s", strbuf_cstr(&prefix));
    f->message = arena_cat(a, strbuf_str(&prefix), f->message);
    return -f->err.code;
}

str failure_reason(const struct failure *f)
{
    return f->from_server ? json_get_str(&f->status, S("reason")) : S("");
}

static bool is_refused(const struct failure *f)
{
    return f->err.code == E_UNAVAILABLE && strstr(f->err.msg, "Connection refused");
}

/* "cannot connect to 127.0.0.1:6443: Connection refused": the part in the middle. */
static str refused_server(const struct failure *f)
{
    str s = str_of(f->err.msg);
    ptrdiff_t at = str_find(s, S("cannot connect to ")), end = str_find(s, S(": Connection refused"));
    return at < 0 || end < at ? s : str_sub(s, (size_t)at + 18, (size_t)end);
}

void failure_write(struct strbuf *b, const struct failure *f)
{
    str reason = failure_reason(f);
    if (str_is(reason, "Unauthorized"))
        strbuf_addf(b, "error: You must be logged in to the server (" STR_FMT ")", STR_ARG(f->message));
    else if (reason.len)
        strbuf_addf(b, "Error from server (" STR_FMT "): " STR_FMT, STR_ARG(reason), STR_ARG(f->message));
    else if (f->from_server)
        strbuf_addf(b, "Error from server: " STR_FMT, STR_ARG(f->message));
    else if (is_refused(f))
        strbuf_addf(b, "The connection to the server " STR_FMT " was refused - did you specify the right host or port?",
                    STR_ARG(refused_server(f)));
    else
        strbuf_add_str(b, str_of(f->err.msg));
}

void failure_report_line(const struct failure *f)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    failure_write(&b, f);
    fprintf(stderr, "%s\n", strbuf_cstr(&b));
}

static bool is_repeat(const struct json *causes, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (json_equal(&causes->items[i], &causes->items[at]))
            return true;
    }
    return false;
}

static void write_cause(struct strbuf *b, const struct json *cause)
{
    str field = json_get_str(cause, S("field")), message = json_get_str(cause, S("message"));
    strbuf_addf(b, STR_FMT ": " STR_FMT "\n", STR_ARG(field), STR_ARG(message));
}

/* One cause stands on the line of the object, several on lines of their own. */
static void write_causes(struct strbuf *b, const struct json *causes)
{
    size_t n = 0, last = 0;
    for (size_t i = 0; i < causes->len; i++) {
        if (!is_repeat(causes, i)) {
            n++;
            last = i;
        }
    }
    strbuf_add_str(b, S(": "));
    if (n == 1) {
        write_cause(b, &causes->items[last]);
        return;
    }
    strbuf_add_char(b, '\n');
    for (size_t i = 0; i < causes->len; i++) {
        if (is_repeat(causes, i))
            continue;
        strbuf_add_str(b, S("* "));
        write_cause(b, &causes->items[i]);
    }
}

static void write_invalid(struct strbuf *b, const struct failure *f)
{
    const struct json *details = json_get(&f->status, S("details")), *causes = json_get(details, S("causes"));
    str kind = json_get_str(details, S("kind")), name = json_get_str(details, S("name"));
    bool has_causes = json_is(causes, JSON_ARRAY) && causes->len;
    if (kind.len || name.len)
        strbuf_addf(b, "The " STR_FMT " \"" STR_FMT "\" is invalid", STR_ARG(kind), STR_ARG(name));
    else if (f->message.len && !has_causes)
        strbuf_addf(b, "The request is invalid: " STR_FMT, STR_ARG(f->message));
    else
        strbuf_add_str(b, S("The request is invalid"));
    if (has_causes)
        write_causes(b, causes);
    else
        strbuf_add_char(b, '\n');
}

int failure_report(const struct failure *f)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    if (str_is(failure_reason(f), "Invalid")) {
        write_invalid(&b, f);
    } else {
        if (!f->from_server && !is_refused(f) && !str_has_prefix(str_of(f->err.msg), S("error: ")))
            strbuf_add_str(&b, S("error: "));
        failure_write(&b, f);
        strbuf_add_char(&b, '\n');
    }
    fputs(strbuf_cstr(&b), stderr);
    return 1;
}
