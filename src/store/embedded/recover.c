/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/embedded/snapshot.h"

typedef unsigned long long ull;

/* --- the folder ------------------------------------------------------------------------------------------------- */

static int number_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void numbers_sort(recover_numbers *n)
{
    if (n->len)
        qsort(n->p, n->len, sizeof n->p[0], number_cmp);
}

int recover_list(int dirfd, struct recover_files *ret, struct err *err)
{
    *ret = (struct recover_files){0};
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return err_sys(err, errno, "cannot list the store's folder");
    for (struct dirent *e; (e = readdir(dir));) {
        str name = str_of(e->d_name);
        uint64_t number;
        if (format_name_parse(name, S("snap-"), S(".snap"), &number))
            vec_push(&ret->snaps, number);
        else if (format_name_parse(name, S("wal-"), S(".log"), &number))
            vec_push(&ret->segments, number);
        else if (str_is(name, FORMAT_ID_NAME))
            ret->has_id = true;
    }
    closedir(dir);
    numbers_sort(&ret->snaps);
    numbers_sort(&ret->segments);
    return 0;
}

void recover_files_fini(struct recover_files *f)
{
    vec_fini(&f->snaps);
    vec_fini(&f->segments);
}

int recover_slurp(int dirfd, const char *name, str *ret, struct err *err)
{
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return err_sys(err, e, "cannot open %s", name);
    }
    char *p = xmalloc((size_t)st.st_size + 1);
    size_t len = 0;
    int r = format_read_all(fd, p, (size_t)st.st_size, 0, &len);
    close(fd);
    if (r) {
        free(p);
        return err_sys(err, r, "cannot read %s", name);
    }
    *ret = str_n(p, len);
    return 0;
}

void recovered_fini(struct recovered *r)
{
    vec_fini(&r->segments);
}

/* --- snapshot --------------------------------------------------------------------------------------------------- */

int recover_snapshot(int dirfd, rev_t rev, struct tree_node **ret_root, struct recovered *ret, struct err *err)
{
    char name[FORMAT_NAME_BYTES];
    format_snap_name(rev, name);
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", name);
    struct snapshot s;
    int r = snapshot_read(fd, name, RECOVER_TAG, &s, err);
    close(fd);
    if (r < 0)
        return r;
    if (s.rev != rev) {
        tree_free(s.root);
        return err_set(err, E_CORRUPT, "%s holds revision %llu and not the one in its name; " FORMAT_HINT, name, (ull)s.rev);
    }
    memcpy(ret->id, s.id, FORMAT_ID_BYTES);
    ret->rev = ret->snap_rev = rev;
    ret->bytes = s.bytes;
    *ret_root = s.root;
    return 0;
}

/* --- log -------------------------------------------------------------------------------------------------------- */

struct replay {
    struct recovered *to;
    struct history *history;
    const char *name; /* of the segment */
    rev_t at;         /* last revision in the log so far */
    struct tree_edit edit;
};

static void replay_event(struct replay *p, const struct store_event *e)
{
    if (!p->history) {
        store_events_release(&(struct store_event){.kv = e->kv, .prev = e->prev}, 1);
        return;
    }
    history_add(p->history, e, 1);
    history_batch_done(p->history, NULL);
}

static void replay_put(struct replay *p, const struct wal_op *op)
{
    struct store_kv *kv = store_kv_new(op->key, op->value, 0, 0);
    kv->rev_at = op->rev_at;
    kv->mod_rev = kv->create_rev = op->rev;
    struct store_kv *old = tree_get(p->to->root, op->key);
    if (old) {
        kv->create_rev = old->create_rev;
        p->to->bytes -= store_kv_bytes(old);
    }
    p->to->bytes += store_kv_bytes(kv);
    old = tree_put(&p->edit, &p->to->root, kv);
    replay_event(p, &(struct store_event){.rev = op->rev, .type = STORE_PUT, .kv = store_kv_ref(kv), .prev = old});
}

static int replay_op(void *arg, const struct wal_op *op, struct err *err)
{
    struct replay *p = arg;
    if (op->rev <= p->to->snap_rev)
        return 0;
    if (op->type == STORE_PUT) {
        replay_put(p, op);
        return 0;
    }
    struct store_kv *old = tree_del(&p->edit, &p->to->root, op->key);
    if (!old)
        return err_set(err, E_CORRUPT, "revision %llu deletes a key that is not there; " FORMAT_HINT, (ull)op->rev);
    p->to->bytes -= store_kv_bytes(old);
    replay_event(p, &(struct store_event){.rev = op->rev, .type = STORE_DELETE, .kv = old, .prev = store_kv_ref(old)});
    return 0;
}

static int replay_record(void *arg, const struct wal_record *rec, struct err *err)
{
    struct replay *p = arg;
    if (rec->first_rev != p->at + 1)
        return err_set(err, E_CORRUPT, "at byte %llu revision %llu follows %llu; " FORMAT_HINT, (ull)rec->offset, (ull)rec->first_rev,
                       (ull)p->at);
    int r = wal_record_each(rec, replay_op, p, err);
    if (r < 0)
        return r;
    p->at += rec->ntxns;
    if (p->at > p->to->rev)
        p->to->rev = p->at;
    p->to->wal_bytes += rec->payload.len;
    return 0;
}

static int check_tail(const struct replay *p, const struct wal_scan *s, bool newest, struct err *err)
{
    if (s->tail == WAL_TAIL_DAMAGED)
        return err_set(err, E_CORRUPT,
                       "%s is damaged at byte %llu, after revision %llu, and good records go on at byte %llu: acknowledged changes would "
                       "be lost; " FORMAT_HINT,
                       p->name, (ull)s->end, (ull)p->at, (ull)s->next_good);
    if (s->tail == WAL_TAIL_TORN && !newest)
        return err_set(err, E_CORRUPT,
                       "%s is damaged at byte %llu, after revision %llu, and later log files follow: acknowledged changes would be "
                       "lost; " FORMAT_HINT,
                       p->name, (ull)s->end, (ull)p->at);
    return 0;
}

static int replay_segment(struct replay *p, int dirfd, const struct wal_segment *seg, bool newest, struct err *err)
{
    char name[FORMAT_NAME_BYTES];
    format_wal_name(seg->number, name);
    p->name = name;
    if (p->at != seg->base_rev)
        return err_set(err, E_CORRUPT, "%s begins after revision %llu, but the log before it ends at %llu; " FORMAT_HINT, name,
                       (ull)seg->base_rev, (ull)p->at);
    str bytes;
    int r = recover_slurp(dirfd, name, &bytes, err);
    if (r < 0)
        return r;
    struct format_header h;
    struct wal_scan s;
    r = format_header_decode(bytes, FORMAT_WAL_MAGIC, name, &h, err);
    if (r == 0) {
        r = wal_scan(bytes, &h, replay_record, p, &s, err);
        if (r < 0)
            err_wrap(err, "%s: ", name);
    }
    if (r == 0)
        r = check_tail(p, &s, newest, err);
    if (r == 0) {
        p->to->last_end = s.end;
        p->to->torn_bytes = s.tail == WAL_TAIL_TORN ? bytes.len - s.end : 0;
    }
    free((void *)(uintptr_t)bytes.p);
    return r;
}

/* The segment's place in the log, from its header. */
static int segment_open(int dirfd, uint64_t number, bool has_snapshot, struct recovered *to, struct err *err)
{
    char name[FORMAT_NAME_BYTES], bytes[FORMAT_HEADER_BYTES];
    format_wal_name(number, name);
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", name);
    size_t len = 0;
    int e = format_read_all(fd, bytes, sizeof bytes, 0, &len);
    close(fd);
    if (e)
        return err_sys(err, e, "cannot read %s", name);
    struct format_header h;
    int r = format_header_decode(str_n(bytes, len), FORMAT_WAL_MAGIC, name, &h, err);
    if (r < 0)
        return r;
    if (to->segments.len == 0 && !has_snapshot)
        memcpy(to->id, h.id, FORMAT_ID_BYTES);
    if (memcmp(to->id, h.id, FORMAT_ID_BYTES) != 0)
        return err_set(err, E_CORRUPT, "%s belongs to another store; move it out of the folder", name);
    if (h.number != number)
        return err_set(err, E_CORRUPT, "%s was renamed: it is segment %llu; " FORMAT_HINT, name, (ull)h.number);
    vec_push(&to->segments, (struct wal_segment){number, h.rev});
    return 0;
}

static int replay_log(int dirfd, const struct recover_files *files, struct history *history, struct recovered *to, struct err *err)
{
    for (size_t i = 0; i < files->segments.len; i++) {
        int r = segment_open(dirfd, files->segments.p[i], files->snaps.len > 0, to, err);
        if (r < 0)
            return r;
    }
    size_t first = 0;
    while (first + 1 < to->segments.len && to->segments.p[first + 1].base_rev <= to->snap_rev)
        first++;
    if (to->segments.len == 0)
        return 0;
    struct replay p = {.to = to, .history = history, .at = to->segments.p[first].base_rev, .edit = {.tag = RECOVER_TAG}};
    if (p.at > to->rev)
        return err_set(err, E_CORRUPT, "the log begins after revision %llu, what comes before (%llu to %llu) is missing; " FORMAT_HINT,
                       (ull)p.at, (ull)to->rev + 1, (ull)p.at);
    for (size_t i = first; i < to->segments.len; i++) {
        int r = replay_segment(&p, dirfd, &to->segments.p[i], i + 1 == to->segments.len, err);
        if (r < 0)
            return r;
    }
    to->last_rev = p.at;
    return 0;
}

int recover_read(int dirfd, struct history *history, struct recovered *ret, struct err *err)
{
    struct recover_files files;
    int r = recover_list(dirfd, &files, err);
    if (r < 0)
        return r;
    struct recovered to = {.rev = 1};
    to.fresh = files.snaps.len == 0 && files.segments.len == 0;
    if (to.fresh && files.has_id)
        r = err_set(err, E_CORRUPT, "there was a store here, but its log and snapshot files are gone; put them back, or empty the folder "
                    "to begin anew");
    if (r == 0 && files.snaps.len)
        r = recover_snapshot(dirfd, files.snaps.p[files.snaps.len - 1], &to.root, &to, err);
    if (history)
        history_compact(history, to.rev);
    if (r == 0 && !to.fresh)
        r = replay_log(dirfd, &files, history, &to, err);
    recover_files_fini(&files);
    if (r < 0) {
        tree_free(to.root);
        recovered_fini(&to);
        return r;
    }
    *ret = to;
    return 0;
}
