/* set.h - changes of pod templates: what `cox set image`, `set env` and `set resources` share.
 *
 * An editor changes the pod spec inside a copy of the object; the difference is sent as a patch, and nothing is sent when there is none.
 * Threads: main only.  Ownership: the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/change.h"

/* pod_spec may be changed freely.  <0 with *f set: this object is left alone. */
typedef int set_editor(void *arg, struct session *s, const struct target *t, struct json *pod_spec, struct failure *f);

struct set {
    const char *what;  /* "image": in messages */
    const char *done;  /* "image updated" */
    const char *colon; /* kubectl has one behind "pod template" for some */
    set_editor *edit;
    void *arg;
};
/* The words from the first that names a change on; what stands before it names objects.  E_INVALID_ARG when they are mixed. */
int set_split_words(const struct cli_args *a, bool minus_too, const char *what, size_t *ret_nresources, struct failure *f) MUST_CHECK;
int set_run(struct session *s, const struct set *set, const struct resource_query *q, struct failure *f) MUST_CHECK;
/* Where the pod spec is, or NULL: the object has none. */
struct json *set_pod_spec(const struct target *t, struct json *object);
/* The idx-th container whose name matches the pattern ("*", "web-*"), those that run first, then init containers; NULL behind the last. */
struct json *set_container(struct json *pod_spec, const char *pattern, size_t idx);
/* cox set env is a file of its own. */
extern const struct cli_verb set_env;
#define SET_OPTIONS                                                                                            \
    {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL},                      \
        {"all", 0, CLI_FLAG, NULL, "", "All objects of the types in the namespace.", NULL}, CHANGE_OPTION_DRY_RUN, \
        CHANGE_OPTION_MANAGER("kubectl-set"), PRINT_OPTIONS_RESULT, MANIFEST_OPTIONS
