/* A doubly linked list whose links lie in the items. An item has a struct list_link for each list it may be in;
 * LIST_ITEM finds the item of a link. */
#ifndef GANNET_COMMON_LIST_H
#define GANNET_COMMON_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_link {
    struct list_link *before, *after; /* NULL: in no list */
};

/* The item of `type` whose member `member` is this link. */
#define LIST_ITEM(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* A list is a link that is both ends at once. */
static inline void list_init(struct list_link *list)
{
    list->before = list->after = list;
}

static inline bool list_is_empty(const struct list_link *list)
{
    return list->after == list;
}

/* Whether the item is in a list; its link must have been zeroed at first. */
static inline bool list_has(const struct list_link *link)
{
    return link->after;
}

static inline void list_insert(struct list_link *link, struct list_link *before, struct list_link *after)
{
    link->before = before;
    link->after = after;
    before->after = link;
    after->before = link;
}

static inline void list_append(struct list_link *list, struct list_link *link)
{
    list_insert(link, list->before, list);
}

static inline void list_prepend(struct list_link *list, struct list_link *link)
{
    list_insert(link, list, list->after);
}

/* Takes the item out of the list it is in; one that is in none is fine. */
static inline void list_remove(struct list_link *link)
{
    if (!list_has(link))
        return;
    link->before->after = link->after;
    link->after->before = link->before;
    link->before = link->after = NULL;
}

/* The first item, or NULL. */
static inline struct list_link *list_first(const struct list_link *list)
{
    return list_is_empty(list) ? NULL : list->after;
}

#endif
