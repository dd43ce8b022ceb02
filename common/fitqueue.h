/* A queue whose items have sizes: the first one of at most a given size is found without looking at the others.
 *
 * Items of size -INFINITY fit anywhere; they are in a plain list, so a queue of nothing else costs what a list costs.
 * The others are the nodes of a treap (Seidel, Aragon: "Randomized search trees", 1996), ordered by size and, among
 * equals, by place; each node knows which item of its subtree has the lowest place. n items: O(log n) for every
 * function. */
#ifndef GANNET_COMMON_FITQUEUE_H
#define GANNET_COMMON_FITQUEUE_H

#include "common/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fitqueue;

/* Lies in the thing that waits (LIST_ITEM finds that); zeroed at first. */
struct fitqueue_item {
    struct fitqueue *queue;             /* NULL: it is in none */
    double size;                        /* what it needs */
    int64_t place;                      /* lower ones come first; no two items of a queue have the same */
    struct list_link link;              /* in the list, if its size is -INFINITY */
    struct fitqueue_item *left, *right; /* in the tree */
    struct fitqueue_item *first;        /* the one of its subtree with the lowest place */
    uint32_t count;                     /* items of its subtree */
};

struct fitqueue {
    struct list_link list;      /* items that fit anywhere, by place */
    struct fitqueue_item *tree; /* all others */
    size_t count;               /* items of both */
    uint64_t *visits;           /* counts the nodes that are looked at */
};

/* `visits` is counted up, and kept by the caller as long as the queue. */
void fitqueue_init(struct fitqueue *queue, uint64_t *visits);

/* Adds an item that is in no queue. */
void fitqueue_add(struct fitqueue *queue, struct fitqueue_item *item, double size, int64_t place);

/* Takes it out of the queue it is in; one that is in none is fine. */
void fitqueue_remove(struct fitqueue_item *item);

/* Gives an item of a queue another size; it keeps its place. */
void fitqueue_resize(struct fitqueue_item *item, double size);

/* The one with the lowest place among those of at most this size; NULL: there is none. */
struct fitqueue_item *fitqueue_first(const struct fitqueue *queue, double capacity);

/* How many are larger than this. */
size_t fitqueue_count_above(const struct fitqueue *queue, double capacity);

/* The one of the least and of the greatest size; NULL: the queue is empty. */
struct fitqueue_item *fitqueue_smallest(const struct fitqueue *queue);
struct fitqueue_item *fitqueue_largest(const struct fitqueue *queue);

#endif
