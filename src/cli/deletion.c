/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/deletion.h"

#include "cli/waiting.h"

#define A_WEEK (7 * 24 * 3600 * NSEC_PER_SEC)

int deletion_send(struct session *s, const struct target *t, const struct deletion *d, str *ret_uid, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json body = json_object(), answer;
    json_set(a, &body, S("kind"), json_string(S("DeleteOptions")));
    json_set(a, &body, S("apiVersion"), json_string(S("v1")));
    if (d->grace_s >= 0)
        json_set(a, &body, S("gracePeriodSeconds"), json_int(a, d->grace_s));
    json_set(a, &body, S("propagationPolicy"), json_string(str_of(d->propagation)));
    int r = session_send(s, S("DELETE"), target_path(s, t, S("")), d->is_dry_run ? S("dryRun=All") : S(""), &body, &answer, f);
    if (r < 0)
        return r;
    const struct json *uid = json_path(&answer, "metadata", "uid", NULL);
    *ret_uid = json_str(uid ? uid : json_path(&answer, "details", "uid", NULL));
    return 0;
}

/* Another object of the same name is not the one we deleted. */
static int is_gone(void *arg, const struct json *obj, struct failure *f)
{
    const str *uid = arg;
    (void)f;
    return !obj || (uid->len && !str_eq(json_str(json_path(obj, "metadata", "uid", NULL)), *uid));
}

int deletion_wait(struct session *s, const struct target *t, const struct deletion *d, str uid, struct failure *f)
{
    int r = waiting_run(s, t, d->timeout_ns > 0 ? d->timeout_ns : A_WEEK, is_gone, &uid, f);
    return r == -E_FORBIDDEN || r == -E_METHOD ? 0 : r; /* one may be allowed to delete and not to look */
}

int deletion_run(struct session *s, const struct target *t, const struct deletion *d, struct failure *f)
{
    str uid;
    int r = deletion_send(s, t, d, &uid, f);
    return r < 0 || !d->waits ? r : deletion_wait(s, t, d, uid, f);
}
