/* tar_fuzz.c - a tar read in one piece and byte by byte says the same, stays within its bounds, and ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/tar.h"

struct seen {
    uint64_t hash, data, members;
    bool open;
};

static void mix(struct seen *s, str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        s->hash = (s->hash ^ (unsigned char)bytes.p[i]) * 1099511628211u;
    s->hash = (s->hash ^ bytes.len) * 1099511628211u;
}

static int on_entry(void *arg, const struct tar_entry *e, struct err *err UNUSED)
{
    struct seen *s = arg;
    BUG_ON(s->open || !e->name.len || e->name.p[e->name.len] || e->link.p[e->link.len] || e->mode > 07777 || e->nxattrs > TAR_XATTRS || e->mtime_ns >= 1000000000);
    BUG_ON(strlen(e->name.p) != e->name.len || strlen(e->link.p) != e->link.len);
    s->open = true;
    s->members++;
    mix(s, e->name);
    mix(s, e->link);
    for (size_t i = 0; i < e->nxattrs; i++) {
        mix(s, e->xattrs[i].name);
        mix(s, e->xattrs[i].value);
    }
    return 0;
}

static int on_data(void *arg, str bytes, struct err *err UNUSED)
{
    struct seen *s = arg;
    BUG_ON(!s->open || !bytes.len);
    for (size_t i = 0; i < bytes.len; i++) /* pieces do not matter */
        s->hash = (s->hash ^ (unsigned char)bytes.p[i]) * 1099511628211u;
    s->data += bytes.len;
    return 0;
}

static int on_end(void *arg, struct err *err UNUSED)
{
    struct seen *s = arg;
    BUG_ON(!s->open);
    s->open = false;
    return 0;
}

static int read_all(const uint8_t *data, size_t size, size_t step, struct seen *s)
{
    static const struct tar_ops ops = {on_entry, on_data, on_end};
    CLEANUP(tar_free) struct tar *t = tar_new(&ops, s);
    int r = 0;
    for (size_t at = 0; r == 0 && at < size; at += step)
        r = tar_feed(t, str_n((const char *)data + at, MIN(step, size - at)), NULL);
    return r < 0 ? r : tar_finish(t, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = {0}, pieces = {0};
    int r = read_all(data, size, size ? size : 1, &whole), q = read_all(data, size, 97, &pieces);
    BUG_ON(r != q || whole.hash != pieces.hash || whole.data != pieces.data || whole.members != pieces.members);
    BUG_ON(whole.data > size || whole.members > size / TAR_BLOCK);
    return 0;
}
