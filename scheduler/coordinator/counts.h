/* What the coordinator counts: its tree of counters (common/counters.h), and the numbers that no part of it has of its
 * own: of messages, events and turns. docs/json.md lists them all. */
#ifndef GANNET_SCHEDULER_COORDINATOR_COUNTS_H
#define GANNET_SCHEDULER_COORDINATOR_COUNTS_H

#include "common/counters.h"
#include "common/link.h"
#include "common/loop.h"
#include "common/msg.h"
#include "scheduler/session/ask.h"
#include "scheduler/coordinator/commit.h"
#include "scheduler/core/core.h"

/* Messages between the coordinator and its workers. */
#define LINK_COUNTS(X)                                                                                                 \
    X(U64, received, "messages", "from workers")                                                                       \
    X(U64, received_bytes, "bytes", "in those")                                                                        \
    X(U64, refused, "messages", "that could not be understood")                                                        \
    X(U64, sent, "messages", "to workers")                                                                             \
    X(U64, sent_bytes, "bytes", "in those")                                                                            \
    X(U64, dropped, "messages", "not sent, because a worker does not read its messages")                               \
    X(U64, gone, "messages", "not sent, because a worker is not connected any more")                                   \
    X(U64, pauses, "times", "no connections were taken, because few file descriptors were left")                       \
    X(U64, peers, "workers", "that the coordinator knows now")

struct link_counts {
    LINK_COUNTS(COUNTER_FIELD)
};

#define LOOP_COUNTS(X)                                                                                                 \
    X(U64, turns, "turns", "of the coordinator's loop")                                                                \
    X(F64, longest_turn, "seconds", "the longest of them, waiting not counted")

struct loop_counts {
    LOOP_COUNTS(COUNTER_FIELD)
};

#define READY_COUNTS(X) X(U64, ready, "trials", "that were proposed and wait for a slot now")

struct ready_counts {
    READY_COUNTS(COUNTER_FIELD)
};

struct counts {
    struct counters tree;
    struct link_counts link;
    uint64_t received[MSG_KINDS], sent[MSG_KINDS]; /* messages by kind */
    uint64_t events[EVENT_KINDS];                  /* written, by kind */
    struct loop_counts loop;
    struct ready_counts ready;
    struct counter received_rows[MSG_KINDS], sent_rows[MSG_KINDS]; /* of the kinds that come, and that go */
    struct counter event_rows[EVENT_KINDS];
    /* Where the numbers of the present moment come from. */
    const struct core *core;
    const struct loop *watched;
    const struct commit_counts *written;
};

/* Makes the tree of zeroed counts. All that it is given lives as long. */
void counts_open(struct counts *counts, const struct core *core, const struct loop *loop,
                 const struct commit_counts *commit, const struct ask_counts *ask);
void counts_close(struct counts *counts);

void counts_add_received(struct counts *counts, enum msg_kind kind, size_t bytes); /* MSG_NONE: not understood */
void counts_add_sent(struct counts *counts, const struct buf *bytes, enum link_result result);

/* The account of a session that began at `started` (on the monotonic clock), when `before` trials had ended: what it
 * did and what that cost, in two lines that tests/bench/dispatch reads, and the tree. */
void counts_log(const struct counts *counts, uint64_t before, double started);

#endif
