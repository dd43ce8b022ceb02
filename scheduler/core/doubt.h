/* Failures that may be their node's and not their trial's; doubt.c has the rules. */
#ifndef GANNET_SCHEDULER_CORE_DOUBT_H
#define GANNET_SCHEDULER_CORE_DOUBT_H

#include "common/buf.h"
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
    uint64_t words;          /* what it is known by; see struct doubt_words */
    int64_t step;            /* the highest one that it had come to by then; -1: none */
    uint32_t times;          /* so often */
    struct list_link link;   /* in that node's list */
};

/* The words of a failure, and where they were heard. */
struct doubt_words {
    uint64_t key, node; /* key 0: none; node 0: on several */
    bool general;       /* a trial failed with them on one node and then on another: no node is at fault */
};
enum { DOUBT_WORDS = 64 };

/* The core's part. */
struct doubts {
    struct map nodes;           /* of a node's name -> struct doubt_node: all that workers are on or were set aside */
    uint32_t getting, well;     /* of these: those that get trials; those that do well, or seem to */
    struct list_link held;      /* those that get no trial for now */
    struct list_link unheard;   /* those where no run has ended */
    bool changed;               /* these are to be looked at, since others came or went */
    struct list_link condemned; /* those that are about to be set aside */
    struct doubt_words words[DOUBT_WORDS];
    uint32_t words_count;   /* that were heard, a ring */
    uint32_t mistaken;      /* doubts in a row that another node did not bear out, */
    double mistaken_at;     /* the last of them then */
    uint64_t failed, ended; /* runs on all nodes, as in struct doubt_node */
    double longest;         /* seconds of the longest run that failed in a way that may be a node's */
};

void doubt_init(struct core *core);
void doubt_fini(struct core *core);

/* --- nodes --- */

void doubt_enter(struct core *core, struct worker *worker); /* its node is known (anew) */
void doubt_leave(struct core *core, struct worker *worker); /* it is about to be freed */
void doubt_fit(struct core *core, struct worker *worker);   /* whether it is fit has changed */

/* Whether the slots of this worker get no trial for now. */
bool doubt_holds(const struct worker *worker);

/* Why workers of this node are not taken, for now; NULL: they are. */
const char *doubt_refuses(const struct core *core, const char *node);

/* Adds the names of these nodes, of those whose workers are of jobs, with commas between them. */
void doubt_list_refused(const struct core *core, struct buf *out);

/* Whether its node has been taken again since this worker was last heard of. */
bool doubt_is_over(const struct worker *worker);

/* As time passes: of one worker, and of all. */
void doubt_watch(struct core *core, struct worker *worker);
void doubt_tick(struct core *core);

/* --- failures --- */

/* An attempt failed, on outcome->node: whether it costs no retry and another node is to try it, with the sentence for
 * that in `why`. Also where the second node has failed it: then the doubt was mistaken. */
bool doubt_failure(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome, char *why,
                   size_t size);

/* This attempt ended well, on all of its nodes but, perhaps, outcome->spoiler; or the running one has come further. It
 * bears a doubt out, if the node in doubt had no part in it. */
void doubt_success(struct core *core, struct trial *trial, uint32_t attempt, const struct outcome *outcome);
void doubt_further(struct core *core, struct trial *trial);

void doubt_forget(struct core *core, struct trial *trial); /* it ends */

/* After every input: nodes are set aside, and let go when there are no others. */
void doubt_check(struct core *core);

#endif
