/* Failures that may be their node's and not their trial's; node_fault.c has the rules. */
#ifndef GANNET_SCHEDULER_CORE_NODE_FAULT_H
#define GANNET_SCHEDULER_CORE_NODE_FAULT_H

#include "common/endings.h"
#include "common/list.h"
#include "common/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct node_health;
struct outcome;
struct trial;
struct worker;

/* A trial's part: it failed on a node, and another one is to try it. */
struct node_fault {
    struct node_health *node; /* where it failed; NULL: there is no suspicion */
    uint64_t words;           /* what it is known by; see struct node_fault_words */
    int64_t step;             /* the highest one that it had come to by then; -1: none */
    uint32_t times;           /* so often */
    struct list_link link;    /* in that node's list */
};

/* The words of a failure, and where they were heard. */
struct node_fault_words {
    uint64_t key, node; /* key 0: none; node 0: on several */
    bool general;       /* a trial failed with them on one node and then on another: no node is at fault */
};
enum { NODE_FAULT_WORDS = 64 };

/* The core's part. */
struct node_faults {
    struct map nodes;           /* of a node's name -> struct node_health: all that workers are on or were set aside */
    uint32_t getting, well;     /* of these: those that get trials; those that do well, or seem to */
    struct list_link held;      /* those that get no trial for now */
    struct list_link unheard;   /* those where no run has ended */
    bool changed;               /* these are to be looked at, since others came or went */
    struct list_link condemned; /* those that are about to be set aside */
    struct node_fault_words words[NODE_FAULT_WORDS];
    uint32_t words_count;   /* that were heard, a ring */
    uint32_t mistaken;      /* suspicions in a row that another node did not bear out, */
    double mistaken_at;     /* the last of them then */
    uint64_t failed, ended; /* runs on all nodes, as in struct node_health */
    double longest;         /* seconds of the longest run that failed in a way that may be a node's */
};

/* An attempt failed, on outcome->node: whether it costs no retry and another node is to try it, with the sentence for
 * that in `why`. Also where the second node has failed it: then the suspicion was mistaken. */
bool node_fault_failure(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome,
                        char *why, size_t size);

/* This attempt ended well, on all of its nodes but, perhaps, outcome->spoiler; or the running one has come further. It
 * bears a suspicion out, if the node under suspicion had no part in it. */
void node_fault_success(struct core *core, struct trial *trial, uint32_t attempt, const struct outcome *outcome);
void node_fault_further(struct core *core, struct trial *trial);

void node_fault_forget(struct core *core, struct trial *trial); /* it ends */

/* After every input: nodes are set aside, and let go when there are no others. */
void node_fault_check(struct core *core);

#endif
