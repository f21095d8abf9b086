/* SPDX-License-Identifier: Apache-2.0 */
/* A member is a header block, its data and padding to whole blocks:
 *
 *   [x: "30 path=very/long...\n"] [0: header, name cut] [data ......... pad] [header] ... [zeros] [zeros]
 *    '- extended header, belongs to the next member -'
 *
 * States: HEADER (a block is collected) ─► META (an extended header's text is collected) or DATA, with its padding ─► HEADER; AFTER: behind the two zero blocks everything is let pass. */
#include "agent/images/tar.h"

enum state { HEADER, META, DATA, AFTER };

struct tar {
    struct tar_ops ops;
    void *arg;
    enum state state;
    char block[TAR_BLOCK];
    size_t have;        /* bytes of block */
    uint64_t offset;    /* of the next byte, from the beginning */
    uint64_t left;      /* of META's or DATA's bytes */
    uint32_t pad;       /* behind them */
    unsigned zeros;     /* blocks in a row */
    bool ignoring;
    struct strbuf *meta; /* where META collects: pax, long_name, long_link; NULL: thrown away */
    struct strbuf pax, long_name, long_link;
    struct tar_entry entry;
    struct tar_xattr xattrs[TAR_XATTRS];
    char name[TAR_NAME_BYTES + 1], link[TAR_NAME_BYTES + 1];
};

/* Offsets and lengths of the header's fields. */
enum {
    F_NAME = 0, F_MODE = 100, F_UID = 108, F_GID = 116, F_SIZE = 124, F_MTIME = 136, F_SUM = 148, F_TYPE = 156, F_LINK = 157, F_MAGIC = 257, F_MAJOR = 329, F_MINOR = 337, F_PREFIX = 345,
    L_NAME = 100, L_NUMBER = 8, L_LONG = 12, L_PREFIX = 155,
};

struct tar *tar_new(const struct tar_ops *ops, void *arg)
{
    struct tar *t = xnew(struct tar);
    t->ops = *ops;
    t->arg = arg;
    return t;
}

void tar_free(struct tar *t)
{
    if (!t)
        return;
    strbuf_fini(&t->pax);
    strbuf_fini(&t->long_name);
    strbuf_fini(&t->long_link);
    free(t);
}

static int broken(struct err *err, const char *why)
{
    return err_set(err, E_PARSE, "the archive is damaged: %s", why);
}

/* --- fields ------------------------------------------------------------------------------------------ */

static str text_field(const char *p, size_t len)
{
    return str_n(p, strnlen(p, len));
}

/* Octal digits, or with the top bit set a big-endian number (GNU, star). */
static bool number_field(const char *p, size_t len, int64_t *ret)
{
    const unsigned char *u = (const unsigned char *)p;
    uint64_t v = 0;
    if (u[0] & 0x80) {
        bool negative = u[0] & 0x40;
        v = negative ? UINT64_MAX : 0;
        for (size_t i = 0; i < len; i++) {
            uint64_t byte = i == 0 ? (negative ? u[0] : u[0] & 0x7fu) : u[i];
            if (len - i > 8 && byte != (negative ? 0xffu : 0u))
                return false;
            v = v << 8 | byte;
        }
        *ret = (int64_t)v;
        return negative == (*ret < 0);
    }
    size_t i = 0;
    while (i < len && p[i] == ' ')
        i++;
    for (; i < len && p[i] >= '0' && p[i] <= '7'; i++) {
        if (v >> 60)
            return false;
        v = v << 3 | (uint64_t)(p[i] - '0');
    }
    for (; i < len; i++) {
        if (p[i] && p[i] != ' ')
            return false;
    }
    *ret = (int64_t)v;
    return true;
}

static bool sum_is_right(const char *block)
{
    int64_t want, unsigned_sum = 0, signed_sum = 0;
    if (!number_field(block + F_SUM, L_NUMBER, &want))
        return false;
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool in_sum = i >= F_SUM && i < F_SUM + L_NUMBER; /* counts as blanks */
        unsigned_sum += in_sum ? ' ' : (unsigned char)block[i];
        signed_sum += in_sum ? ' ' : (signed char)block[i]; /* what old programs wrote */
    }
    return want == unsigned_sum || want == signed_sum;
}

static bool is_zero_block(const char *block)
{
    return !block[0] && memcmp(block, block + 1, TAR_BLOCK - 1) == 0;
}

static bool to_u32(int64_t v, uint32_t *ret)
{
    *ret = (uint32_t)v;
    return v >= 0 && v < UINT32_MAX;
}

static int set_name(str *ret, char *room, str value, struct err *err)
{
    if (value.len > TAR_NAME_BYTES)
        return broken(err, "a name is longer than paths can be");
    if (memchr(value.p, 0, value.len))
        return broken(err, "a name has a NUL byte");
    memcpy(room, value.p, value.len);
    room[value.len] = 0;
    *ret = str_n(room, value.len);
    return 0;
}

/* --- pax: "LEN KEY=VALUE\n" ------------------------------------------------------------------------------ */

/* "-1.25" -> -2 s and 750,000,000 ns */
static bool parse_time(str v, int64_t *ret_s, uint32_t *ret_ns)
{
    str whole;
    bool negative = v.len && v.p[0] == '-';
    str_cut(&v, '.', &whole);
    uint32_t ns = 0, scale = 100000000;
    for (size_t i = 0; i < v.len; i++, scale /= 10) {
        if (v.p[i] < '0' || v.p[i] > '9')
            return false;
        ns += (uint32_t)(v.p[i] - '0') * scale;
    }
    if (!str_to_i64(whole, ret_s) || *ret_s == INT64_MIN)
        return false;
    if (negative && ns) {
        *ret_s -= 1;
        ns = 1000000000u - ns;
    }
    *ret_ns = ns;
    return true;
}

static int pax_number(struct tar *t, str key, str value, struct err *err)
{
    uint64_t v;
    if (!str_to_u64(value, &v))
        return broken(err, "a number in an extended header is none");
    if (str_is(key, "size"))
        t->entry.size = v;
    else if (!to_u32((int64_t)MIN(v, (uint64_t)INT64_MAX), str_is(key, "uid") ? &t->entry.uid : &t->entry.gid))
        return broken(err, "a user or group number is too large");
    return 0;
}

static int pax_record(struct tar *t, str key, str value, struct err *err)
{
    static const str xattr = STR_INIT("SCHILY.xattr.");
    if (str_is(key, "path"))
        return set_name(&t->entry.name, t->name, value, err);
    if (str_is(key, "linkpath"))
        return set_name(&t->entry.link, t->link, value, err);
    if (str_is(key, "size") || str_is(key, "uid") || str_is(key, "gid"))
        return pax_number(t, key, value, err);
    if (str_is(key, "mtime") && !parse_time(value, &t->entry.mtime_s, &t->entry.mtime_ns))
        return broken(err, "a time in an extended header is none");
    if (str_has_prefix(key, S("GNU.sparse.")))
        return err_set(err, E_INVALID_ARG, "the archive has a sparse file, which is not supported here; write it without --sparse");
    if (str_has_prefix(key, xattr)) {
        if (t->entry.nxattrs == TAR_XATTRS)
            return err_set(err, E_TOO_LARGE, "a file of the archive has more than %d extended attributes", TAR_XATTRS);
        t->xattrs[t->entry.nxattrs++] = (struct tar_xattr){str_from(key, xattr.len), value};
    }
    return 0;
}

static int apply_pax(struct tar *t, struct err *err)
{
    str rest = strbuf_str(&t->pax);
    while (rest.len) {
        ptrdiff_t blank = str_find_char(rest, ' ');
        uint64_t len;
        if (blank < 1 || blank > 10 || !str_to_u64(str_sub(rest, 0, (size_t)blank), &len) || len > rest.len || len < (size_t)blank + 3 || rest.p[len - 1] != '\n')
            return broken(err, "an extended header is malformed");
        str value = str_sub(rest, (size_t)blank + 1, len - 1), key;
        if (!str_cut(&value, '=', &key))
            return broken(err, "an extended header is malformed");
        int r = pax_record(t, key, value, err);
        if (r < 0)
            return r;
        rest = str_from(rest, len);
    }
    return 0;
}

/* --- headers ------------------------------------------------------------------------------------------------ */

static int header_name(struct tar *t, struct err *err)
{
    const char *b = t->block;
    char joined[L_PREFIX + 1 + L_NAME];
    str name = text_field(b + F_NAME, L_NAME), prefix = text_field(b + F_PREFIX, L_PREFIX);
    /* POSIX has a prefix; GNU ("ustar  ") keeps other things in its place. */
    if (prefix.len && memcmp(b + F_MAGIC, "ustar\0", 6) == 0) {
        memcpy(joined, prefix.p, prefix.len);
        joined[prefix.len] = '/';
        memcpy(joined + prefix.len + 1, name.p, name.len);
        name = str_n(joined, prefix.len + 1 + name.len);
    }
    if (t->long_name.len)
        name = text_field(t->long_name.p, t->long_name.len);
    str link = t->long_link.len ? text_field(t->long_link.p, t->long_link.len) : text_field(b + F_LINK, L_NAME);
    int r = set_name(&t->entry.name, t->name, name, err);
    return r < 0 ? r : set_name(&t->entry.link, t->link, link, err);
}

static int header_type(struct tar *t, struct err *err)
{
    static const struct { char c; enum tar_type type; } types[] = {
        {'0', TAR_FILE}, {0, TAR_FILE}, {'7', TAR_FILE}, {'1', TAR_HARD_LINK}, {'2', TAR_SYMLINK}, {'3', TAR_CHAR}, {'4', TAR_BLOCK_DEVICE}, {'5', TAR_DIR}, {'6', TAR_FIFO},
    };
    char c = t->block[F_TYPE];
    if (c == 'S')
        return err_set(err, E_INVALID_ARG, "the archive has a sparse file, which is not supported here; write it without --sparse");
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i].c == c) {
            t->entry.type = types[i].type;
            return 0;
        }
    }
    return broken(err, "it has a member of an unknown type");
}

static int header_numbers(struct tar *t, int64_t *ret_size, struct err *err)
{
    const char *b = t->block;
    int64_t mode, uid, gid, major = 0, minor = 0;
    bool has_devices = memcmp(b + F_MAGIC, "ustar", 5) == 0;
    if (!number_field(b + F_MODE, L_NUMBER, &mode) || !number_field(b + F_UID, L_NUMBER, &uid) || !number_field(b + F_GID, L_NUMBER, &gid) ||
        !number_field(b + F_SIZE, L_LONG, ret_size) || !number_field(b + F_MTIME, L_LONG, &t->entry.mtime_s) ||
        (has_devices && (!number_field(b + F_MAJOR, L_NUMBER, &major) || !number_field(b + F_MINOR, L_NUMBER, &minor))))
        return broken(err, "a number in a header is none");
    t->entry.mode = (uint32_t)mode & 07777;
    if (*ret_size < 0 || !to_u32(uid, &t->entry.uid) || !to_u32(gid, &t->entry.gid) || !to_u32(major, &t->entry.major) || !to_u32(minor, &t->entry.minor))
        return broken(err, "a number in a header is out of range");
    return 0;
}

/* Where an extended header's text goes; false: it is a member of its own. */
static bool meta_of(struct tar *t, char type)
{
    t->meta = type == 'x' || type == 'X' ? &t->pax : type == 'L' ? &t->long_name : type == 'K' ? &t->long_link : NULL;
    return t->meta || type == 'g'; /* global headers hold comments and defaults that images do not use */
}

static void set_data(struct tar *t, enum state state, uint64_t size)
{
    t->state = state;
    t->left = size;
    t->pad = (uint32_t)(-size & (TAR_BLOCK - 1));
}

static int start_meta(struct tar *t, uint64_t size, struct err *err)
{
    if (size > TAR_META_BYTES)
        return err_set(err, E_TOO_LARGE, "an extended header of the archive is larger than %u KiB", TAR_META_BYTES >> 10);
    if (t->meta)
        strbuf_clear(t->meta);
    set_data(t, META, size);
    return 0;
}

static int start_member(struct tar *t, uint64_t size, struct err *err)
{
    struct tar_entry *e = &t->entry;
    e->size = size;
    int r = header_name(t, err);
    if (r == 0)
        r = header_type(t, err);
    if (r == 0)
        r = apply_pax(t, err);
    if (r < 0)
        return r;
    if (e->size > INT64_MAX)
        return broken(err, "a size is out of range");
    if (e->type == TAR_FILE && str_has_suffix(e->name, S("/")))
        e->type = TAR_DIR; /* V7 had no other way to say it */
    if (e->type == TAR_HARD_LINK)
        e->size = 0; /* some write the target's size and no data, as POSIX lets them */
    if (e->type != TAR_FILE && e->type != TAR_DIR && e->size)
        return broken(err, "a member that is no file has data");
    if (!e->name.len)
        return broken(err, "a member has no name");
    e->xattrs = t->xattrs;
    set_data(t, DATA, e->size);
    if (e->type == TAR_DIR)
        e->size = 0; /* what stands behind its header, if anything, is nobody's */
    t->ignoring = e->type == TAR_DIR;
    return t->ops.entry(t->arg, e, err);
}

static int end_member(struct tar *t, struct err *err)
{
    strbuf_clear(&t->pax);
    strbuf_clear(&t->long_name);
    strbuf_clear(&t->long_link);
    return t->ops.end(t->arg, err);
}

static int take_header(struct tar *t, struct err *err)
{
    int64_t size;
    if (is_zero_block(t->block)) {
        t->state = ++t->zeros == 2 ? AFTER : HEADER;
        return 0;
    }
    t->zeros = 0;
    if (!sum_is_right(t->block))
        return broken(err, "a header's checksum is wrong");
    t->entry = (struct tar_entry){0};
    int r = header_numbers(t, &size, err);
    if (r < 0)
        return r;
    return meta_of(t, t->block[F_TYPE]) ? start_meta(t, (uint64_t)size, err) : start_member(t, (uint64_t)size, err);
}

/* --- bytes ------------------------------------------------------------------------------------------------- */

static int take_data(struct tar *t, str bytes, struct err *err)
{
    if (t->state == META) {
        if (t->meta)
            strbuf_add_str(t->meta, bytes);
        return 0;
    }
    return t->ignoring || !bytes.len ? 0 : t->ops.data(t->arg, bytes, err);
}

/* The padding is over: META's text waits for its member, a member has ended. */
static int after_pad(struct tar *t, bool was_meta, struct err *err)
{
    t->state = HEADER;
    return was_meta ? 0 : end_member(t, err);
}

static int step(struct tar *t, str bytes, size_t *ret_used, struct err *err)
{
    if (t->state == AFTER) {
        *ret_used = bytes.len;
        t->offset += bytes.len;
        return 0;
    }
    if (t->state == HEADER) {
        size_t n = MIN(bytes.len, TAR_BLOCK - t->have);
        memcpy(t->block + t->have, bytes.p, n);
        t->have += n;
        t->offset += n;
        *ret_used = n;
        if (t->have < TAR_BLOCK)
            return 0;
        t->have = 0;
        return take_header(t, err);
    }
    size_t n = (size_t)MIN((uint64_t)bytes.len, t->left);
    int r = take_data(t, str_sub(bytes, 0, n), err);
    if (r < 0)
        return r;
    t->left -= n;
    size_t pad = t->left ? 0 : MIN(bytes.len - n, (size_t)t->pad);
    t->pad -= (uint32_t)pad;
    *ret_used = n + pad;
    t->offset += n + pad;
    return t->left || t->pad ? 0 : after_pad(t, t->state == META, err);
}

int tar_feed(struct tar *t, str bytes, struct err *err)
{
    /* A member without data ends before the next byte comes: step is also called without any. */
    while (bytes.len || ((t->state == DATA || t->state == META) && !t->left && !t->pad)) {
        size_t used = 0;
        int r = step(t, bytes, &used, err);
        if (r < 0)
            return r;
        bytes = str_from(bytes, used);
    }
    return 0;
}

int tar_finish(struct tar *t, struct err *err)
{
    /* Some programs write no zero blocks at the end, and some cut the last padding. */
    bool at_border = t->state == AFTER || (t->state == HEADER && !t->have);
    if (at_border && !t->pax.len && !t->long_name.len && !t->long_link.len)
        return 0;
    return broken(err, "it ends too early");
}

void tar_ignore_data(struct tar *t)
{
    t->ignoring = true;
}

uint64_t tar_skippable(const struct tar *t)
{
    return t->state == DATA && t->ignoring && t->left ? t->left - 1 : 0; /* the last byte is fed, so that end() has one place */
}

void tar_skip(struct tar *t, uint64_t n)
{
    BUG_ON(n > tar_skippable(t));
    t->left -= n;
    t->offset += n;
}

uint64_t tar_offset(const struct tar *t)
{
    return t->offset;
}
