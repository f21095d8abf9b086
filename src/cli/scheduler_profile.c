/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scheduler_profile.h"

#include "rt/file.h"

#define PROFILE_BYTES (1u << 20)

int scheduler_profile_read(const char *name, struct sched_profile **ret, struct err *err)
{
    char *text;
    size_t len;
    name = name ? name : "default";
    *ret = profile_builtin(str_of(name));
    if (*ret)
        return 0;
    if (!file_exists(name))
        return err_set(err, E_NOT_FOUND, "there is no profile \"%s\": it is neither default, binpack, spread or gpu-packing nor a file", name);
    int r = file_read(name, PROFILE_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    r = profile_parse(str_n(text, len), str_of(name), ret, err);
    free(text);
    return r;
}

const char *const *scheduler_profile_names(struct arena *a, const struct sched_profile *profile, bool stands_in)
{
    static const char *const others[] = {"kai-scheduler", "godel-scheduler", "kuscia-scheduler"};
    const char **names = arena_array(a, MAX((size_t)PROFILES_MAX + 1, 3 + ARRAY_LEN(others)), const char *);
    size_t n = 0;
    if (profile->next) {
        for (const struct sched_profile *p = profile; p; p = p->next)
            names[n++] = arena_cstr(a, p->name);
        return names;
    }
    names[n++] = "default-scheduler";
    struct sched_profile *built_in = profile_builtin(profile->name);
    if (!built_in && profile->name.len && !str_is(profile->name, names[0]))
        names[n++] = arena_cstr(a, profile->name);
    profile_free(built_in);
    for (size_t i = 0; stands_in && i < ARRAY_LEN(others); i++)
        if (!str_is(profile->name, others[i]))
            names[n++] = others[i];
    return names;
}
