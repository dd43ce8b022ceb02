/* Failures that may be their node's and not their trial's; doubt.c has the rules. */
#ifndef GANNET_SCHEDULER_CORE_DOUBT_H
#define GANNET_SCHEDULER_CORE_DOUBT_H

#include "common/endings.h"
#include "common/list.h"
#include "common/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct doubt_node;
struct outcome;
struct trial;
struct worker;

/* A trial's part: it failed on a node, and another one is to try it. */
struct doubt {
    struct doubt_node *node; /* where it failed; NULL: there is no doubt */
    int64_t step;            /* the highest one that it had come to by then; -1: none */
    uint32_t times;          /* so often */
    struct list_link link;   /* in that node's list */
};

/* The words of a failure, and where they were heard; when they were on two nodes, they are no node's own. */
struct doubt_words {
    uint64_t key, node; /* key 0: none; node 0: on several */
};
enum { DOUBT_WORDS = 64 };

/* The core's part. */
struct doubts {
    struct map nodes;           /* of a node's name -> struct doubt_node: all that workers are on or were set aside */
    struct list_link held;      /* of these, those that get no trial for now */
    uint32_t held_count;        /* so many */
    struct list_link condemned; /* of these, those that are about to be set aside */
    struct doubt_words words[DOUBT_WORDS];
    uint32_t words_count; /* that were heard, a ring */
    uint32_t mistaken;    /* doubts in a row that another node did not bear out */
};

void doubt_init(struct core *core);
void doubt_fini(struct core *core);

void doubt_enter(struct core *core, struct worker *worker); /* its node is known (anew) */
void doubt_leave(struct core *core, struct worker *worker); /* it is about to be freed */

/* Whether the slots of this worker get no trial for now. */
bool doubt_holds(const struct worker *worker);

/* Why workers of this node are not taken any more; NULL: they are. */
const char *doubt_refuses(const struct core *core, const char *node);

/* An attempt failed, on outcome->node: whether it costs no retry and another node is to try it, with the sentence for
 * that in `why`. Also where the second node has failed it: then the doubt was mistaken. */
bool doubt_failure(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome, char *why,
                   size_t size);

/* An attempt ended well, or has come further: this bears a doubt out, if the node in doubt had no part in it. */
void doubt_success(struct core *core, struct trial *trial);
void doubt_further(struct core *core, struct trial *trial);

void doubt_forget(struct trial *trial); /* it ends */

/* After every input: nodes are let go that nobody doubts any more, or set aside. */
void doubt_check(struct core *core);

#endif
