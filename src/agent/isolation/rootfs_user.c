/* rootfs_user.c - names of users and groups in a container's own /etc/passwd and /etc/group. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/isolation/rootfs.h"
#include "rt/file.h"

#define DB_BYTES (1u << 20)

static bool to_id(str s, uint32_t *ret)
{
    uint64_t v;
    if (!str_to_u64(s, &v) || v > INT32_MAX)
        return false;
    *ret = (uint32_t)v;
    return true;
}

/* The colon-separated fields of a line; how many there are. */
static size_t split(str line, str fields[], size_t max)
{
    size_t n = 0;
    bool more = true;
    while (n < max && more)
        more = str_cut(&line, ':', &fields[n++]);
    return n;
}

/* name:password:uid:gid:comment:home:shell */
static bool find_passwd(str passwd, str name, bool by_id, uint32_t id, struct rootfs_user *ret, str *ret_name)
{
    for (str line; passwd.len;) {
        str f[7] = {{0}};
        uint32_t uid, gid;
        str_cut(&passwd, '\n', &line);
        if (split(line, f, 7) < 4 || !to_id(f[2], &uid) || !to_id(f[3], &gid))
            continue;
        if (by_id ? uid != id : !str_eq(f[0], name))
            continue;
        ret->uid = uid;
        ret->gid = gid;
        snprintf(ret->home, sizeof ret->home, STR_FMT, STR_ARG(f[5]));
        *ret_name = f[0];
        return true;
    }
    return false;
}

/* name:password:gid:member,member */
static bool find_group(str group, str name, uint32_t *ret)
{
    for (str line; group.len;) {
        str f[4] = {{0}};
        str_cut(&group, '\n', &line);
        if (split(line, f, 4) >= 3 && str_eq(f[0], name) && to_id(f[2], ret))
            return true;
    }
    return false;
}

static void add_memberships(str group, str name, struct rootfs_user *u)
{
    for (str line; group.len;) {
        str f[4] = {{0}}, member;
        uint32_t gid;
        str_cut(&group, '\n', &line);
        if (split(line, f, 4) < 4 || !to_id(f[2], &gid))
            continue;
        for (str members = f[3]; members.len;) {
            str_cut(&members, ',', &member);
            if (str_eq(str_trim(member), name) && u->ngroups < ROOTFS_GROUPS)
                u->groups[u->ngroups++] = gid;
        }
    }
}

int rootfs_user_find(str passwd, str group, str user, struct rootfs_user *ret, struct err *err)
{
    *ret = (struct rootfs_user){.home = "/"};
    str who, gname = user, name = STR_NONE;
    bool has_group = str_cut(&gname, ':', &who);
    uint32_t id = 0;
    bool is_number = to_id(who, &id);
    if (!who.len)
        is_number = true; /* "" is root */
    bool found = find_passwd(passwd, who, false, 0, ret, &name) || (is_number && find_passwd(passwd, who, true, id, ret, &name));
    if (!found && !is_number)
        return err_set(err, E_INVALID_ARG, "unable to find user " STR_FMT ": no matching entries in passwd file", STR_ARG(who));
    if (!found)
        ret->uid = id;
    if (has_group && gname.len) {
        if (!to_id(gname, &ret->gid) && !find_group(group, gname, &ret->gid))
            return err_set(err, E_INVALID_ARG, "unable to find group " STR_FMT ": no matching entries in group file", STR_ARG(gname));
    } else if (found) {
        add_memberships(group, name, ret); /* a group that is named stands alone */
    }
    return 0;
}

static char *read_inside(int root_fd, const char *path)
{
    FD_AUTO fd = rootfs_open(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    char *text = xcalloc(1, DB_BYTES + 1);
    size_t len = 0;
    for (ssize_t n = 1; fd >= 0 && len < DB_BYTES && n > 0; len += (size_t)MAX(n, 0))
        n = read(fd, text + len, DB_BYTES - len);
    return text;
}

int rootfs_user_resolve(const struct container_spec *c, int root_fd, struct rootfs_user *ret, struct err *err)
{
    char *passwd CLEANUP(free) = read_inside(root_fd, "/etc/passwd"), *group CLEANUP(free) = read_inside(root_fd, "/etc/group");
    char number[32];
    snprintf(number, sizeof number, "%u", c->uid);
    str user = c->has_uid ? str_of(number) : str_of(c->user ? c->user : "");
    int r = rootfs_user_find(str_of(passwd), str_of(group), user, ret, err);
    if (r < 0)
        return r;
    if (c->has_gid)
        ret->gid = c->gid;
    for (size_t i = 0; i < c->ngroups && ret->ngroups < ROOTFS_GROUPS; i++)
        ret->groups[ret->ngroups++] = c->groups[i];
    /* Its own group is among them: else a set-group-id program would leave it, and with it what is denied to that group. */
    bool has_own = false;
    for (size_t i = 0; i < ret->ngroups; i++)
        has_own |= ret->groups[i] == ret->gid;
    if (!has_own && ret->ngroups < ROOTFS_GROUPS)
        ret->groups[ret->ngroups++] = ret->gid;
    if (c->must_be_non_root && ret->uid == 0)
        return err_set(err, E_INVALID_ARG, "container has runAsNonRoot and image will run as root");
    return 0;
}
