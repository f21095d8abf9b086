/* generate.h - objects from a command line: cox create deployment web --image=nginx.
 *
 * A generator is a verb of its own (options, help, completion come from its table) and a function that makes the object.  The objects look as
 * kubectl makes them, with the null creationTimestamp and the empty status that --dry-run=client -o yaml shows.
 * Threads: main only.  Ownership: the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/change.h"
#include "wire/json_make.h"

struct generator {
    const struct cli_verb *verb;
    int (*make)(struct session *s, const char *name, struct json *ret, struct failure *f);
    const char *failed; /* put before what the server says: "failed to create deployment: "; NULL: nothing */
};
extern const struct generator *const generate_groups[]; /* NULL-terminated; each ends with a verb of NULL */
extern const struct generator generate_core[], generate_workloads[], generate_rbac[], generate_network[];
int generate_run(struct cli_args *a);

#define GENERATE_OPTIONS                                                                                                       \
    CHANGE_OPTION_DRY_RUN, CHANGE_OPTION_MANAGER("kubectl-create"), CHANGE_OPTION_VALIDATE, PRINT_OPTIONS_RESULT,              \
        {"save-config", 0, CLI_FLAG, NULL, "", "Remember the configuration for a later apply.", NULL}

/* A generator's verb. */
#define GENERATOR(var, name_, aliases_, summary_, usage_, options_) \
    const struct cli_verb var = {.name = name_, .aliases = aliases_, .summary = summary_, .usage = usage_, .options = options_, .run = generate_run, .is_client = true}
extern const struct cli_verb create_namespace, create_service_account, create_config_map, create_secret, create_quota, create_priority, create_pdb,
    create_deployment, create_job, create_cron_job, create_role, create_cluster_role, create_role_binding, create_cluster_role_binding, create_service,
    create_ingress, create_token;

/* {"creationTimestamp":null,"name":NAME}, with the namespace when --namespace was given. */
struct json generate_meta(struct session *s, const char *name);
/* Every value of a CLI_LIST option; with `split` commas separate values too.  *ret is an arena array. */
size_t generate_list(struct session *s, const char *option, bool split, str **ret);
struct json generate_strings(struct session *s, const str *list, size_t n);
/* A number when it is one, else a string. */
struct json generate_int_or_string(struct arena *a, str text);
/* {"command":[...]} of the words behind the name, into a container. */
void generate_command(struct session *s, struct json *container, const char *field);
