/* change.h - what verbs that change objects share: --dry-run, --field-manager, --validate, the query they make, and the words afterwards.
 *
 * Threads: main only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "cli/print.h"
#include "cli/resources.h"

enum dry_run { DRY_RUN_NONE, DRY_RUN_CLIENT, DRY_RUN_SERVER };

#define CHANGE_OPTION_DRY_RUN {"dry-run", 0, CLI_STRING, "none|client|server", "none", "client: only print; server: the server does all but keep it.", "client"}
#define CHANGE_OPTION_MANAGER(name) {"field-manager", 0, CLI_STRING, "NAME", name, "Who owns the changed fields.", NULL}
#define CHANGE_OPTION_VALIDATE {"validate", 0, CLI_STRING, "strict|warn|ignore", "strict", "What to do about unknown and doubled fields.", "strict"}

struct change {
    struct session *s;
    struct printer *printer;
    enum dry_run dry_run;
    str query; /* fieldManager, dryRun, fieldValidation */
};
/* manager: used when --field-manager is not given. */
int change_init(struct change *c, struct session *s, const char *manager, struct failure *f) MUST_CHECK;
/* Prints the object or "TYPE/NAME DONE (dry run)". */
int change_report(struct change *c, const struct discovery_resource *res, const struct json *obj, const char *done, struct failure *f) MUST_CHECK;

/* How a patch is sent. */
enum change_patch { CHANGE_PATCH_STRATEGIC, CHANGE_PATCH_MERGE, CHANGE_PATCH_JSON, CHANGE_PATCH_APPLY };
/* PATCH of the target; a client dry run only computes what comes out. */
int change_patch(struct change *c, const struct target *t, str sub, enum change_patch kind, const struct json *patch, struct json *ret, struct failure *f) MUST_CHECK;
/* Strategic for built-in kinds, merge for others; type gets the schema or NULL. */
enum change_patch change_patch_kind(const struct json *obj, const struct schema_type **ret_type);
/* POST into the target's collection. */
int change_create(struct change *c, const struct target *t, const struct json *obj, struct json *ret, struct failure *f) MUST_CHECK;

#define LAST_APPLIED S("kubectl.kubernetes.io/last-applied-configuration")
/* Puts the configuration itself into its last-applied annotation. */
void change_set_last_applied(struct arena *a, struct json *obj);
