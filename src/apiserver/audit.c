/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "apiserver/internal.h"
#include "base/civil.h"

#define AUDIT_FILE_BYTES (100u << 20)
#define AUDIT_FILES 10

struct audit {
    pthread_mutex_t lock; /* guards fd and size against rotation */
    int fd;
    uint64_t size;
    char *path;
};

static int open_file(struct audit *a, struct err *err)
{
    a->fd = open(a->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (a->fd < 0)
        return err_sys(err, errno, "cannot open the audit log %s", a->path);
    off_t end = lseek(a->fd, 0, SEEK_END);
    a->size = end > 0 ? (uint64_t)end : 0;
    return 0;
}

int audit_open(const char *path, struct audit **ret, struct err *err)
{
    struct audit *a = xnew(struct audit);
    pthread_mutex_init(&a->lock, NULL);
    a->path = xstrdup(path);
    int r = open_file(a, err);
    if (r < 0) {
        free(a->path);
        free(a);
        return r;
    }
    *ret = a;
    return 0;
}

void audit_close(struct audit *a)
{
    if (!a)
        return;
    close(a->fd);
    pthread_mutex_destroy(&a->lock);
    free(a->path);
    free(a);
}

/* path.9 goes, path.8 becomes path.9, ... path becomes path.1 */
static void rotate(struct audit *a)
{
    char from[4096], to[4096];
    for (int i = AUDIT_FILES - 1; i >= 1; i--) {
        snprintf(from, sizeof from, i > 1 ? "%s.%d" : "%s", a->path, i - 1);
        snprintf(to, sizeof to, "%s.%d", a->path, i);
        err_ignore(rename(from, to), "older files may not exist yet");
    }
    close(a->fd);
    if (open_file(a, NULL) < 0)
        a->fd = -1;
}

static bool is_quiet(const struct api_req *q)
{
    static const str quiet[] = {STR_INIT("/healthz"), STR_INIT("/livez"), STR_INIT("/readyz"), STR_INIT("/version"), STR_INIT("/metrics")};
    for (size_t i = 0; i < ARRAY_LEN(quiet); i++)
        if (str_has_prefix(q->path, quiet[i]))
            return true;
    return false;
}

static void add_text(struct strbuf *b, const char *key, str value)
{
    strbuf_addf(b, ",\"%s\":", key);
    json_write_string(b, value);
}

static void add_user(struct strbuf *b, const char *key, const struct api_user *u)
{
    strbuf_addf(b, ",\"%s\":{\"username\":", key);
    json_write_string(b, u->name);
    strbuf_add_str(b, S(",\"groups\":["));
    for (size_t i = 0; i < u->ngroups; i++) {
        if (i)
            strbuf_add_char(b, ',');
        json_write_string(b, u->groups[i]);
    }
    strbuf_add_str(b, S("]}"));
}

static void add_object_ref(struct strbuf *b, const struct api_target *t)
{
    const struct {
        const char *key;
        str value;
    } parts[] = {{"resource", t->resource}, {"namespace", t->ns}, {"name", t->name}, {"apiGroup", t->group}, {"apiVersion", t->version}, {"subresource", t->subresource}};
    strbuf_add_str(b, S(",\"objectRef\":{"));
    bool first = true;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (!parts[i].value.len)
            continue;
        strbuf_addf(b, "%s\"%s\":", first ? "" : ",", parts[i].key);
        json_write_string(b, parts[i].value);
        first = false;
    }
    strbuf_add_char(b, '}');
}

void audit_request(struct audit *a, const struct api_req *q, nsec_t wall_now)
{
    if (is_quiet(q))
        return;
    char received[CIVIL_MICRO_LEN + 1], now[CIVIL_MICRO_LEN + 1];
    civil_format_micro(wall_now, now);
    civil_format_micro(wall_now - (clock_mono(q->srv->clock) - q->received_ns), received);
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_add_str(&b, S("{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",\"stage\":\"ResponseComplete\""));
    add_text(&b, "auditID", q->audit_id);
    add_text(&b, "requestURI", q->query.len ? arena_fmt(q->arena, STR_FMT "?" STR_FMT, STR_ARG(q->path), STR_ARG(q->query)) : q->path);
    add_text(&b, "verb", q->target.verb);
    add_user(&b, "user", q->impersonator.name.len ? &q->impersonator : &q->user);
    if (q->impersonator.name.len)
        add_user(&b, "impersonatedUser", &q->user);
    add_text(&b, "userAgent", q->user_agent);
    if (q->http)
        strbuf_addf(&b, ",\"sourceIPs\":[\"" STR_FMT "\"]", STR_ARG(str_sub(q->http->remote, 0, (size_t)MAX(str_rfind_char(q->http->remote, ':'), (ptrdiff_t)0))));
    if (q->target.is_resource)
        add_object_ref(&b, &q->target);
    strbuf_addf(&b, ",\"responseStatus\":{\"code\":%d},\"requestReceivedTimestamp\":\"%s\",\"stageTimestamp\":\"%s\"}\n", q->answered_status, received, now);
    pthread_mutex_lock(&a->lock);
    if (a->fd >= 0 && write(a->fd, b.p, b.len) > 0)
        a->size += b.len;
    if (a->size > AUDIT_FILE_BYTES)
        rotate(a);
    pthread_mutex_unlock(&a->lock);
}
