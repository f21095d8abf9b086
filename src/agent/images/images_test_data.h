/* images_test_data.h - tars made in memory, for the tests of images. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <zlib.h>

#include "agent/images/images_internal.h"
#include "agent/images/tar.h"
#include "wire/gzip.h"

struct tar_spec {
    char type; /* '0' file, '1' hard link, '2' symlink, '3' character device, '5' folder, '6' fifo */
    const char *name, *link, *data;
    unsigned mode; /* 0: 0644 or 0755 */
    unsigned uid, gid, major, minor;
    const char *pax; /* extended header before it, whole records */
};

static inline void tar_octal(char *p, size_t len, uint64_t v)
{
    char text[32];
    snprintf(text, sizeof text, "%0*llo", (int)len - 1, (unsigned long long)v);
    memcpy(p, text, len);
}

static inline void tar_add_header(struct strbuf *b, char type, const char *name, const char *link, uint64_t size, const struct tar_spec *s)
{
    char h[TAR_BLOCK] = {0};
    unsigned sum = 0;
    snprintf(h, 100, "%s", name);
    tar_octal(h + 100, 8, s && s->mode ? s->mode : type == '5' ? 0755 : 0644);
    tar_octal(h + 108, 8, s ? s->uid : 0);
    tar_octal(h + 116, 8, s ? s->gid : 0);
    tar_octal(h + 124, 12, size);
    tar_octal(h + 136, 12, 1600000000);
    h[156] = type;
    snprintf(h + 157, 100, "%s", link ? link : "");
    memcpy(h + 257, "ustar\00000", 8);
    tar_octal(h + 329, 8, s ? s->major : 0);
    tar_octal(h + 337, 8, s ? s->minor : 0);
    memset(h + 148, ' ', 8);
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += (unsigned char)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    strbuf_add(b, h, TAR_BLOCK);
}

static inline void tar_add_data(struct strbuf *b, str data)
{
    static const char zeros[TAR_BLOCK];
    strbuf_add_str(b, data);
    strbuf_add(b, zeros, -data.len & (TAR_BLOCK - 1));
}

static inline void tar_add(struct strbuf *b, const struct tar_spec *s)
{
    str data = str_of(s->data ? s->data : "");
    if (s->pax) {
        tar_add_header(b, 'x', "pax", NULL, strlen(s->pax), NULL);
        tar_add_data(b, str_of(s->pax));
    }
    tar_add_header(b, s->type, s->name, s->link, s->type == '0' ? data.len : 0, s);
    if (s->type == '0')
        tar_add_data(b, data);
}

static inline void tar_end(struct strbuf *b)
{
    static const char zeros[2 * TAR_BLOCK];
    strbuf_add(b, zeros, sizeof zeros);
}

static inline struct strbuf tar_of(const struct tar_spec *specs, size_t n)
{
    struct strbuf b = STRBUF_HEAP;
    for (size_t i = 0; i < n; i++)
        tar_add(&b, &specs[i]);
    tar_end(&b);
    return b;
}
