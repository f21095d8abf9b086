/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_picture.h"

#include "cli/print.h"
#include "controllers/kuscia.h"

#define DEPTH_MAX 128
#define INDENT_MAX 16
#define NAMES_MAX 3u  /* of a list in a column; the rest is counted */
#define COLUMN_MAX 64 /* bytes of a reason that stands in its row; a longer one stands below */
#define TEXT_MIN 40   /* characters of a line that a reason is cut to, at least: a terminal may be narrow, and the graph deep */

static const struct json *templates_of(const struct json *job)
{
    return json_path(job, "spec", "tasks", NULL);
}

static uint32_t count_of(const struct json *list)
{
    return json_is(list, JSON_ARRAY) ? list->len : 0;
}

static const struct json *task_of(const struct json *tasks, str alias)
{
    for (uint32_t i = 0; i < count_of(tasks); i++)
        if (str_eq(json_get_str(json_path(&tasks->items[i], "metadata", "annotations", NULL), S("kuscia.secretflow/task-alias")), alias))
            return &tasks->items[i];
    return NULL;
}

/* The longest way to each from one that depends on nothing.  Circles cannot be (the server refuses them); the bound is for what is not the server's. */
static void find_depths(const struct json *list, uint32_t n, int *depth)
{
    for (int round = 0; round < DEPTH_MAX; round++) {
        bool changed = false;
        for (uint32_t i = 0; i < n; i++) {
            const struct json *deps = json_get(&list->items[i], S("dependencies"));
            for (uint32_t k = 0; k < count_of(deps); k++)
                for (uint32_t m = 0; m < n; m++)
                    if (str_eq(json_get_str(&list->items[m], S("alias")), json_str(&deps->items[k])) && depth[i] <= depth[m] && depth[m] < DEPTH_MAX) {
                        depth[i] = depth[m] + 1;
                        changed = true;
                    }
        }
        if (!changed)
            return;
    }
}

static bool is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed") || str_is(phase, "Cancelled") || str_is(phase, "ApprovalReject");
}

static str phase_of(const struct json *obj)
{
    return json_get_str(json_get(obj, S("status")), S("phase"));
}

static str message_of(const struct json *obj)
{
    return str_trim(json_get_str(obj, S("message")));
}

/* ended: the task has. */
static const char *word_of(const struct json *party, bool ended)
{
    static const struct {
        const char *phase, *word;
    } words[] = {{"Succeeded", "ok"}, {"Failed", "failed"}};
    str phase = json_get_str(party, S("phase"));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(phase, words[i].phase) && !str_has_prefix(message_of(party), S(KUSCIA_ENDED))) /* it had no end of its own */
            return words[i].word;
    return ended ? "stopped" : str_is(phase, "Running") ? "runs" : "waits";
}

static str parties_of(struct arena *a, const struct json *template_, const struct json *task)
{
    struct strbuf b = strbuf_on(a);
    const struct json *parties = json_get(template_, S("parties")), *status = json_path(task, "status", "partyTaskStatus", NULL);
    for (uint32_t i = 0; i < count_of(parties); i++) {
        str domain = json_get_str(&parties->items[i], S("domainID")), role = json_get_str(&parties->items[i], S("role"));
        strbuf_addf(&b, "%s" STR_FMT "%s" STR_FMT, i ? ", " : "", STR_ARG(domain), role.len ? "-" : "", STR_ARG(role));
        for (uint32_t k = 0; k < count_of(status); k++)
            if (str_eq(json_get_str(&status->items[k], S("domainID")), domain) && str_eq(json_get_str(&status->items[k], S("role")), role))
                strbuf_addf(&b, " %s", word_of(&status->items[k], is_end(phase_of(task))));
    }
    return strbuf_str(&b);
}

/* "a, b, c and 6 more": of the task's dependencies those in that phase; NULL: all, "": those that have not succeeded. */
static str named(struct arena *a, const struct json *template_, const struct json *tasks, const char *phase)
{
    const struct json *deps = json_get(template_, S("dependencies"));
    struct strbuf b = strbuf_on(a);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count_of(deps); i++) {
        str is = phase ? phase_of(task_of(tasks, json_str(&deps->items[i]))) : S("");
        if (phase && (*phase ? !str_is(is, phase) : str_is(is, "Succeeded")))
            continue;
        if (n++ < NAMES_MAX)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(json_str(&deps->items[i])));
    }
    if (n > NAMES_MAX)
        strbuf_addf(&b, " and %u more", n - NAMES_MAX);
    return strbuf_str(&b);
}

/* Why a task is not there: what it depends on and has not succeeded, or that others have all the places. */
static str not_started(struct arena *a, const struct json *job, const struct json *template_, const struct json *tasks)
{
    str failed = named(a, template_, tasks, "Failed"), open = named(a, template_, tasks, "");
    bool ended = is_end(phase_of(job));
    if (failed.len)
        return arena_fmt(a, "%s: " STR_FMT " failed", ended ? "never started" : "cannot start", STR_ARG(failed));
    if (ended)
        return S("never started");
    if (open.len)
        return arena_fmt(a, "waits for " STR_FMT, STR_ARG(open));
    if (str_is(phase_of(job), "Running"))
        return arena_fmt(a, "waits for a place: maxParallelism is %lld", (long long)json_get_int(json_get(job, S("spec")), S("maxParallelism"), 1));
    return S("");
}

/* --- reasons ------------------------------------------------------------------------------------------------------------------------------- */
/* Words from where the line stands; a line that would be longer than width goes on below, a little to the right.  width 0: no end. */
static void add_line(struct strbuf *b, size_t indent, str text, uint32_t width)
{
    size_t room = width > indent + TEXT_MIN ? width - indent : TEXT_MIN, used = 0;
    bool is_first = true;
    strbuf_addf(b, "%*s", (int)indent, "");
    while (text.len) {
        str word;
        str_cut(&text, ' ', &word);
        if (width && !is_first && used + 1 + word.len > room) {
            strbuf_addf(b, "\n%*s", (int)indent + 2, "");
            used = 2;
        } else if (!is_first) {
            strbuf_add_char(b, ' ');
            used++;
        }
        print_escaped(b, word);
        used += word.len;
        is_first = false;
    }
    strbuf_add_char(b, '\n');
}

/* A program's last words may be many lines: all but the first stand to the right of it. */
static void add_wrapped(struct strbuf *b, size_t indent, str text, uint32_t width)
{
    size_t at = indent;
    while (text.len) {
        str line;
        str_cut(&text, '\n', &line);
        add_line(b, at, line, width);
        at = indent + 2;
    }
}

/* The task's message is made of those of its parties. */
static bool is_of_parties(const struct json *status)
{
    const struct json *list = json_get(status, S("partyTaskStatus"));
    bool any = false;
    for (uint32_t i = 0; i < count_of(list); i++) {
        str m = message_of(&list->items[i]);
        if (m.len && str_find(message_of(status), m) < 0)
            return false;
        any |= m.len > 0;
    }
    return any;
}

/* "alice-host, carol-guest: why": parties that are told the same, in one line. */
static void add_party_reasons(struct arena *a, const struct json *list, size_t indent, uint32_t width, struct strbuf *b)
{
    for (uint32_t i = 0; i < count_of(list); i++) {
        str m = message_of(&list->items[i]);
        bool is_told = !m.len;
        for (uint32_t k = 0; k < i && !is_told; k++)
            is_told = str_eq(message_of(&list->items[k]), m);
        if (is_told)
            continue;
        struct strbuf line = strbuf_on(a);
        for (uint32_t k = i; k < count_of(list); k++) {
            str role = json_get_str(&list->items[k], S("role"));
            if (str_eq(message_of(&list->items[k]), m))
                strbuf_addf(&line, "%s" STR_FMT "%s" STR_FMT, line.len ? ", " : "", STR_ARG(json_get_str(&list->items[k], S("domainID"))), role.len ? "-" : "", STR_ARG(role));
        }
        strbuf_addf(&line, ": " STR_FMT, STR_ARG(m));
        add_wrapped(b, indent, strbuf_str(&line), width);
    }
}

/* What is too long for the row: lines below it, one for each reason. */
static str below(struct arena *a, const struct json *task, str why, int depth, uint32_t width)
{
    const struct json *status = json_get(task, S("status"));
    size_t indent = (size_t)(2 * MIN(depth, INDENT_MAX)) + 6;
    struct strbuf b = strbuf_on(a);
    if (why.len <= COLUMN_MAX && str_find_char(why, '\n') < 0)
        return S("");
    if (!is_end(phase_of(task)) && is_of_parties(status))
        add_party_reasons(a, json_get(status, S("partyTaskStatus")), indent, width, &b);
    else
        add_wrapped(&b, indent, why, width);
    return strbuf_str(&b);
}

/* --- rows ---------------------------------------------------------------------------------------------------------------------------------- */
struct row {
    str phase, below;
};

/* One line, whatever people put into aliases and statuses: write_rows knows rows by their lines. */
static struct row add_row(struct arena *a, struct kuscia_view *v, const struct json *job, const struct json *template_, const struct json *tasks, int depth)
{
    struct strbuf *b = &v->tabs.text;
    const struct json *task = task_of(tasks, json_get_str(template_, S("alias")));
    str after = named(a, template_, tasks, NULL), phase = phase_of(task), why = task ? message_of(json_get(task, S("status"))) : not_started(a, job, template_, tasks);
    struct row row = {.phase = phase, .below = below(a, task, why, depth, v->width)};
    if (row.below.len)
        why = json_get_str(json_get(task, S("status")), S("reason"));
    strbuf_addf(b, "  %*s", 2 * MIN(depth, INDENT_MAX), "");
    print_cell(b, json_get_str(template_, S("alias")));
    strbuf_add_char(b, '\t');
    print_cell(b, after.len ? after : S("-"));
    strbuf_add_char(b, '\t');
    print_cell(b, phase.len ? phase : task ? S("Pending") : S("-"));
    strbuf_add_char(b, '\t');
    print_cell(b, parties_of(a, template_, task));
    strbuf_add_char(b, '\t');
    print_cell(b, why.len ? why : row.below.len ? S("see below") : S("-"));
    strbuf_add_char(b, '\n');
    return row;
}

static const char *colour_of(str phase)
{
    static const struct {
        const char *phase, *colour;
    } colours[] = {{"Succeeded", "32"}, {"Failed", "31"}, {"Running", "36"}, {"Pending", "33"}};
    for (size_t i = 0; i < ARRAY_LEN(colours); i++)
        if (str_is(phase, colours[i].phase))
            return colours[i].colour;
    return NULL;
}

/* The rows in their columns, each with what stands below it. */
static void write_rows(struct kuscia_view *v, bool has_head, const struct row *rows, struct strbuf *out)
{
    STRBUF_AUTO table = STRBUF_HEAP;
    tabs_flush(&v->tabs, &table);
    str text = strbuf_str(&table), line;
    for (size_t i = 0; text.len; i++) {
        const struct row *row = has_head && i == 0 ? NULL : &rows[i - has_head];
        const char *colour = v->has_colours && row ? colour_of(row->phase) : NULL;
        str_cut(&text, '\n', &line);
        if (colour)
            strbuf_addf(out, "\x1b[%sm" STR_FMT "\x1b[0m\n", colour, STR_ARG(line));
        else
            strbuf_addf(out, STR_FMT "\n", STR_ARG(line));
        if (row)
            strbuf_add_str(out, row->below);
    }
}

void kuscia_view_fini(struct kuscia_view *v)
{
    tabs_fini(&v->tabs);
}

/* True: the text is not what stood in this place before. */
static bool is_new(uint64_t *place, str text)
{
    uint64_t was = *place;
    *place = str_hash(text);
    return was != *place;
}

static str head_of(struct arena *a, const struct json *job, const struct json *tasks)
{
    const struct json *list = templates_of(job);
    str phase = phase_of(job), message = json_get_str(json_get(job, S("status")), S("message"));
    uint32_t done = 0;
    for (uint32_t i = 0; i < count_of(list); i++)
        done += str_is(phase_of(task_of(tasks, json_get_str(&list->items[i], S("alias")))), "Succeeded");
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "KusciaJob " STR_FMT " of " STR_FMT ": " STR_FMT ", %u of %u tasks done%s", STR_ARG(json_get_str(json_get(job, S("metadata")), S("name"))),
                STR_ARG(json_get_str(json_get(job, S("spec")), S("initiator"))), STR_ARG(phase.len ? phase : S("new")), done, count_of(list), message.len ? "; " : "");
    print_cell(&b, message);
    strbuf_add_char(&b, '\n');
    return strbuf_str(&b);
}

void kuscia_picture(struct kuscia_view *v, struct arena *a, const struct json *job, const struct json *tasks, bool all, struct strbuf *out)
{
    const struct json *list = templates_of(job);
    uint32_t n = MIN(count_of(list), (uint32_t)KUSCIA_VIEW_ROWS), nrows = 0;
    int *depth = arena_array(a, n + 1, int);
    struct row *rows = arena_array(a, n + 1, struct row);
    str head = head_of(a, job, tasks);
    memset(depth, 0, (n + 1) * sizeof *depth);
    find_depths(list, n, depth);
    if (is_new(&v->head_, head) || all)
        strbuf_add_str(out, head);
    if (all)
        strbuf_add_str(&v->tabs.text, S("  TASK\tAFTER\tPHASE\tPARTIES\tWHY\n"));
    for (int d = 0; d <= DEPTH_MAX; d++)
        for (uint32_t i = 0; i < n; i++) {
            size_t from = v->tabs.text.len;
            if (depth[i] != d)
                continue;
            rows[nrows] = add_row(a, v, job, &list->items[i], tasks, d);
            if (is_new(&v->rows_[i], arena_cat(a, str_from(strbuf_str(&v->tabs.text), from), rows[nrows].below)) || all)
                nrows++;
            else
                v->tabs.text.len = from;
        }
    write_rows(v, all, rows, out);
}

bool kuscia_job_has_ended(const struct json *job)
{
    return is_end(phase_of(job));
}
