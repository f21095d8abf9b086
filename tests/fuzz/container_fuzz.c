/* What a container's start reads from images, profiles and the kernel.  Byte 0 picks: users of an image, a seccomp profile, mounts of control groups, a shim's spec.
 * A profile that is accepted must answer every call; a spec that is accepted must come back the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/cgroup.h"
#include "agent/isolation/rootfs.h"
#include "agent/isolation/seccomp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* user NUL passwd NUL group */
static void users(str text)
{
    str user, passwd;
    struct rootfs_user u;
    struct err err = ERR_NONE;
    str_cut(&text, 0, &user);
    str_cut(&text, 0, &passwd);
    if (rootfs_user_find(passwd, text, user, &u, &err) == 0)
        BUG_ON(u.ngroups > ROOTFS_GROUPS || strlen(u.home) >= sizeof u.home);
}

static void profile(struct arena *a, str text)
{
    struct json j;
    struct seccomp_program p;
    struct err err = ERR_NONE;
    if (json_parse(a, text, NULL, &j, &err) < 0 || seccomp_profile(a, &j, &p, &err) < 0)
        return;
    const uint64_t args[6] = {1, 0x100000000ull, 0, ~0ull, 7, 0x7fffffff};
    for (int nr = 0; nr < 460; nr += 7)
        seccomp_eval(&p, seccomp_native_arch, nr, args);
    seccomp_eval(&p, 1, 0, args);
}

static void layout(str text)
{
    str mounts;
    struct cgroup_layout l;
    uint64_t v;
    str_cut(&text, 0, &mounts);
    cgroup_layout_parse(mounts, text, &l);
    BUG_ON(l.n > CGROUP_HIERS);
    cgroup_controllers_parse(text);
    cgroup_keyed_value(mounts, S("oom_kill"), &v);
}

static void spec(struct arena *a, str text)
{
    struct shim_spec s, again;
    struct err err = ERR_NONE;
    if (shim_spec_parse(a, text, &s, &err) < 0)
        return;
    str once = shim_spec_write(a, &s);
    BUG_ON(shim_spec_parse(a, once, &again, &err) < 0);
    BUG_ON(!str_eq(once, shim_spec_write(a, &again)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct arena a = ARENA_INIT;
    str text = str_n((const char *)data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: users(text); break;
    case 1: profile(&a, text); break;
    case 2: layout(text); break;
    default: spec(&a, text); break;
    }
    arena_fini(&a);
    return 0;
}
