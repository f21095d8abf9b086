/* images_builtin.c - the images that need no bytes: this machine's own programs, and this program as a web server.
 *
 * Any tag is good: "cox/web:v2" is the same server that calls itself v2, so that rolling out a new version can be tried with nothing but this program. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images_internal.h"

#define PROGRAM_TARGET "/cox-web" /* in the root itself, which is the container's own: /usr is the machine's and read-only */

static const char *const host_env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};
static const char *const host_command[] = {"/bin/sh", NULL};
static const char *const web_command[] = {PROGRAM_TARGET, "web", NULL};
static const char *const no_layers[] = {NULL};

bool images_builtin(const struct images *i, const struct image_name *name, struct arena *a, struct image *ret)
{
    bool is_web = str_is(name->repo, "cox/web");
    char id[IMAGE_DIGEST_LEN + 1];
    if (!str_is(name->host, IMAGE_DEFAULT_HOST) || (!is_web && !str_is(name->repo, "cox/host")) || name->digest.len)
        return false;
    image_digest_of(is_web ? S("cox/web") : S("cox/host"), id);
    *ret = (struct image){.id = arena_str(a, str_of(id)), .ref = name->text, .digest = S(""), .root = ROOT_HOST, .layers = no_layers, .command = is_web ? web_command : host_command, .env = host_env};
    if (is_web && i->program) {
        const char **env = arena_array(a, 3, const char *);
        env[0] = host_env[0];
        env[1] = arena_fmt(a, "COX_WEB_VERSION=" STR_FMT, STR_ARG(name->tag)).p;
        ret->env = env;
        ret->program_target = PROGRAM_TARGET;
    }
    return true;
}
