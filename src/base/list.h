/* list.h - intrusive doubly linked list.
 *
 * A head and its links are the same struct; an empty head points to itself.
 * Threads: one at a time.  Ownership: none, the links live in their objects. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

struct list {
    struct list *next, *prev;
};

static inline void list_init(struct list *l)
{
    l->next = l->prev = l;
}
static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}
static inline void list_add_tail(struct list *head, struct list *l)
{
    l->prev = head->prev;
    l->next = head;
    head->prev->next = l;
    head->prev = l;
}
static inline void list_add_head(struct list *head, struct list *l)
{
    list_add_tail(head->next, l);
}
/* Safe on a link that is in no list, if it was list_init'ed. */
static inline void list_del(struct list *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    list_init(l);
}
#define list_first(head, type, member) container_of((head)->next, type, member)
#define list_foreach(var, head, type, member)                                                      \
    for (type *var = container_of((head)->next, type, member); &var->member != (head);             \
         var = container_of(var->member.next, type, member))
/* The current element may be removed or freed in the body. */
#define list_foreach_safe(var, head, type, member)                                                 \
    for (type *var = container_of((head)->next, type, member),                                     \
              *var##_next_ = container_of(var->member.next, type, member);                         \
         &var->member != (head);                                                                   \
         var = var##_next_, var##_next_ = container_of(var->member.next, type, member))
