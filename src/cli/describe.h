/* describe.h - `cox describe`: an object as people read it, from tables of rows.
 *
 * A kind's description is an array of rows, each a label and a path into the object with a way to show it, or a function for what needs code:
 *     {"Node", "spec.nodeName", ROW_TEXT_OR_NONE}, {"Labels", "metadata.labels", ROW_MAP}, {.fn = describe_containers}
 * Text goes through tabs.h, so labels and values of neighbouring lines stand in columns, as kubectl's do.  Times are UTC.
 * Threads: main only.  Ownership: the session's arena; the text belongs to the struct's tabs. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/table_cells.h"
#include "cli/print.h"
#include "cli/resources.h"

struct describe {
    struct session *s;
    struct arena *arena;
    struct json object;
    str ns, name;
    bool shows_events;
    struct tabs tabs;
    struct strbuf out;
};

enum row_kind {
    ROW_TEXT,          /* the value, or nothing behind the label */
    ROW_TEXT_OR_NONE,  /* <none> */
    ROW_TEXT_OR_UNSET, /* <unset> */
    ROW_OPTIONAL,      /* no line without a value */
    ROW_NUMBER,        /* 0 without a value */
    ROW_FLAG,          /* true, false */
    ROW_FLAG_TITLE,    /* True, False, <unset> */
    ROW_TIME,          /* Mon, 02 Jan 2006 15:04:05 +0000 */
    ROW_TIME_OPTIONAL,
    ROW_TIME_OR_UNSET,
    ROW_MAP,           /* key=value, a line each */
    ROW_MAP_LINE,      /* a=1,b=2 */
    ROW_ANNOTATIONS,
    ROW_SELECTOR,      /* of a LabelSelector; "" when it selects all */
    ROW_SELECTOR_OR_NONE,
    ROW_LIST,          /* a, b */
    ROW_LIST_OPTIONAL,
    ROW_LIST_GO,       /* [a b] */
    ROW_HEAD,          /* only the label */
};

struct describe_row {
    const char *label;
    const char *path;
    enum row_kind kind;
    int level;       /* of indentation */
    const char *arg; /* of lists the separator; of OPTIONAL and NUMBER what stands behind the value: "s" */
    void (*fn)(struct describe *d);
};
void describe_rows(struct describe *d, const struct describe_row *rows); /* ends with neither label nor function */

#define ROWS_NAME {.label = "Name", .path = "metadata.name"}
#define ROWS_NAMESPACE {.label = "Namespace", .path = "metadata.namespace"}
#define ROWS_CREATED {.label = "CreationTimestamp", .path = "metadata.creationTimestamp", .kind = ROW_TIME}
#define ROWS_MARKS {.label = "Labels", .path = "metadata.labels", .kind = ROW_MAP}, {.label = "Annotations", .path = "metadata.annotations", .kind = ROW_ANNOTATIONS}
#define ROWS_HEAD ROWS_NAME, ROWS_NAMESPACE, ROWS_MARKS
#define ROWS_EVENTS {.fn = describe_events}

/* Columns of a list of objects: the conditions of most kinds. */
struct describe_column {
    const char *title, *path;
    bool is_time;
    const char *padding; /* behind each value: kubectl puts a blank behind some */
};
void describe_table(struct describe *d, int level, const struct json *list, const struct describe_column *columns, size_t n);

/* --- lines --------------------------------------------------------------------------------------------------------------- */
void describe_line(struct describe *d, int level, const char *fmt, ...) PRINTF_LIKE(3, 4); /* with its newline */
/* "INDENTtitle:\tk=v", further lines below. */
void describe_map(struct describe *d, const char *indent, const char *title, const struct json *map);
str describe_time(struct arena *a, const struct json *time); /* "<unset>" when it is none */
str describe_selector(struct arena *a, const struct json *label_selector);
str describe_join(struct arena *a, const struct json *list, const char *separator);
str describe_text(struct describe *d, const char *path); /* "" when absent */
const struct json *describe_value(const struct json *v, const char *path);
const struct json *describe_list(const struct json *v, const char *path); /* an array, empty when absent */
str describe_or(str s, const char *otherwise);
/* Orders a copy of the array by a text of each element. */
struct json describe_sorted(struct describe *d, const struct json *list, const char *path);

/* --- sections that kinds share --------------------------------------------------------------------------------------------------- */
void describe_events(struct describe *d);
void describe_controlled_by(struct describe *d);
/* title: "Init Containers"; statuses NULL in a template; space: "  " in a template. */
void describe_containers(struct describe *d, const char *title, const struct json *containers, const struct json *statuses, const char *space);
void describe_volumes(struct describe *d, const struct json *volumes, const char *space);
void describe_volume_source(struct describe *d, const struct json *volume);
void describe_tolerations(struct describe *d, const char *title, const struct json *list);
void describe_spread(struct describe *d, const struct json *list, const char *space);
void describe_pod_template(struct describe *d, const struct json *template);
/* limits and requests of a container or pod */
void describe_resources(struct describe *d, int level, const struct json *resources);
/* StorageClass, volume, labels ... of a claim or a claim template. */
void describe_claim(struct describe *d, const struct json *claim, int level);
void describe_quotas(struct describe *d, const struct json *list);
void describe_limits(struct describe *d, const struct json *spec, const char *prefix);
/* Lists from the server for a description; an empty array when that fails. */
const struct json *describe_fetch(struct describe *d, const char *path, const char *name, const char *value);

/* --- kinds --------------------------------------------------------------------------------------------------------------------------- */
struct describe_kind {
    const char *group, *kind;
    const struct describe_row *rows;
};
extern const struct describe_kind describe_core_kinds[], describe_workload_kinds[], describe_network_kinds[], describe_storage_kinds[], describe_policy_kinds[];
const struct describe_row *describe_find(str group, str kind); /* NULL: the generic description */
void describe_generic(struct describe *d);
/* The whole text of one object into d->out. */
void describe_object(struct describe *d, const struct target *t);
/* "[a b]" */
void describe_go_list(struct strbuf *b, const struct json *list);
