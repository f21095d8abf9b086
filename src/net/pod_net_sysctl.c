/* Kernel settings that the pod network needs, and what they were before.  /proc/sys/net belongs to the network namespace of who opens it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "net/pod_net_internal.h"
#include "rt/file.h"
#include "wire/json.h"

#define SYSCTL_FILE_MAX (16u << 10)

/* Names have slashes, because a device's name may have a dot: "net/ipv4/ip_forward". */
static void path_of(const char *name, struct strbuf *b)
{
    strbuf_addf(b, "/proc/sys/%s", name);
}

static int write_value(const char *name, const char *value, struct err *err)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(name, &path);
    FD_AUTO fd = open(path.p, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, value, strlen(value)) < 0)
        return err_sys(err, errno, "cannot set %s to %s", path.p, value);
    return 0;
}

static bool read_value(const char *name, char *ret, size_t room)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    path_of(name, &path);
    FD_AUTO fd = open(path.p, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, room - 1);
    ret[n > 0 ? n : 0] = 0;
    ret[strcspn(ret, "\n")] = 0;
    return n > 0;
}

static struct json read_memory(const struct pod_net *n, struct arena *a)
{
    char *text;
    size_t len;
    str path = arena_fmt(a, "%s/sysctl.json", n->state_dir);
    struct json v = json_object();
    if (file_read(path.p, SYSCTL_FILE_MAX, &text, &len, NULL) < 0)
        return v;
    str copy = arena_str(a, str_n(text, len));
    free(text);
    if (json_parse(a, copy, NULL, &v, NULL) < 0 || v.type != JSON_OBJECT)
        return json_object();
    return v;
}

int pod_net_sysctl_set(const struct pod_net *n, const char *name, const char *value, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    char now[64];
    if (read_value(name, now, sizeof now) && strcmp(now, value) == 0)
        return 0;
    struct json memory = read_memory(n, &a);
    if (!json_get(&memory, str_of(name))) {
        /* written before the change, so that a crash between the two loses nothing */
        json_set(&a, &memory, str_of(name), json_string(str_of(now)));
        str path = arena_fmt(&a, "%s/sysctl.json", n->state_dir);
        int r = file_write_atomic(path.p, json_text(&a, &memory), 0600, err);
        if (r < 0)
            return r;
    }
    return write_value(name, value, err);
}

void pod_net_sysctl_restore(const struct pod_net *n)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json memory = read_memory(n, &a);
    for (size_t i = 0; i < memory.len; i++) {
        str name = memory.members[i].key, was = json_str(&memory.members[i].value);
        if (str_has_prefix(name, S("net/")) && str_find(name, S("..")) < 0 && was.len)
            err_ignore(write_value(arena_cstr(&a, name), arena_cstr(&a, was), NULL), "a setting that is gone needs no restoring");
    }
}
