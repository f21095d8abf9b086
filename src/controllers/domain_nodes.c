/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/domain_nodes.h"

#include "base/civil.h"
#include "base/list.h"

#define BEAT S("lastHeartbeatTime")

struct home {
    char *name;
    struct list rows; /* by name */
};

struct row {
    char *name, *text; /* text: all but the heartbeat */
    char beat[CIVIL_TIME_LEN + 1];
    nsec_t beat_ns, shown_ns; /* shown: the last one that was listed */
    unsigned round;
    struct home *home;
    struct list link;
};

void domain_nodes_init(struct domain_nodes *n)
{
    *n = (struct domain_nodes){0};
}

static void row_free(struct row *r)
{
    free(r->name);
    free(r->text);
    free(r);
}

void domain_nodes_fini(struct domain_nodes *n)
{
    map_foreach(e, &n->rows_)
        row_free(e->value);
    map_foreach(e, &n->domains_) {
        struct home *h = e->value;
        free(h->name);
        free(h);
    }
    map_fini(&n->rows_);
    map_fini(&n->domains_);
}

/* Domains are few, and stay. */
static struct home *home_of(struct domain_nodes *n, str name)
{
    struct home *h = map_get(&n->domains_, name);
    if (h)
        return h;
    h = xnew(struct home);
    h->name = str_dup(name);
    list_init(&h->rows);
    map_put(&n->domains_, str_of(h->name), h);
    return h;
}

static void move(struct row *r, struct home *to)
{
    struct list *before = to->rows.prev; /* lists and new machines come by name more often than not */
    if (r->home)
        list_del(&r->link);
    while (before != &to->rows && str_cmp(str_of(container_of(before, struct row, link)->name), str_of(r->name)) > 0)
        before = before->prev;
    list_add_head(before, &r->link);
    r->home = to;
}

static void drop(struct domain_nodes *n, struct row *r)
{
    map_del(&n->rows_, str_of(r->name));
    list_del(&r->link);
    row_free(r);
}

/* True: there is something in it that was not there before. */
static bool row_set(struct row *r, const struct json *row)
{
    struct arena a = ARENA_INIT;
    struct json rest = json_copy(&a, row);
    str beat = json_get_str(row, BEAT);
    json_del(&rest, BEAT);
    str text = json_text(&a, &rest);
    bool fresh = !r->text || !str_eq(str_of(r->text), text);
    if (fresh) {
        free(r->text);
        r->text = str_dup(text);
    }
    r->beat_ns = 0;
    snprintf(r->beat, sizeof r->beat, STR_FMT, STR_ARG(str_sub(beat, 0, sizeof r->beat - 1)));
    civil_parse(beat, &r->beat_ns);
    arena_fini(&a);
    return fresh || r->beat_ns - r->shown_ns >= DOMAIN_HEARTBEAT_NS;
}

void domain_nodes_note(struct domain_nodes *n, str node, str domain, const struct json *row, str ret_news[2])
{
    struct row *r = map_get(&n->rows_, node);
    ret_news[0] = ret_news[1] = S("");
    if (r && !str_eq(str_of(r->home->name), domain))
        ret_news[1] = str_of(r->home->name);
    if (!domain.len) {
        if (r)
            drop(n, r);
        return;
    }
    if (!r) {
        r = xnew(struct row);
        r->name = str_dup(node);
        map_put(&n->rows_, str_of(r->name), r);
    }
    if (!r->home || ret_news[1].len)
        move(r, home_of(n, domain));
    r->round = n->round_;
    if (row_set(r, row) || ret_news[1].len)
        ret_news[0] = str_of(r->home->name);
}

void domain_nodes_begin(struct domain_nodes *n)
{
    n->round_++;
}

void domain_nodes_end(struct domain_nodes *n, void (*gone)(void *arg, str domain), void *arg)
{
    map_foreach(e, &n->domains_) {
        struct home *h = e->value;
        bool any = false;
        list_foreach_safe(r, &h->rows, struct row, link) {
            if (r->round == n->round_)
                continue;
            drop(n, r);
            any = true;
        }
        if (any)
            gone(arg, str_of(h->name));
    }
    n->is_complete = true;
}

struct json domain_nodes_list(struct domain_nodes *n, struct arena *a, str domain)
{
    struct json out = json_array();
    const struct home *h = map_get(&n->domains_, domain);
    if (!h)
        return out;
    list_foreach(r, &h->rows, struct row, link) {
        struct json row;
        BUG_ON(json_parse(a, arena_str(a, str_of(r->text)), NULL, &row, NULL) < 0); /* we wrote it */
        if (r->beat[0])
            json_set(a, &row, BEAT, json_string(arena_str(a, str_of(r->beat))));
        json_push(a, &out, row);
        r->shown_ns = r->beat_ns;
    }
    return out;
}
