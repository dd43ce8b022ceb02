/* Thousands of workers that are played: processes of 5,000 each, every worker with a link of its own (TCP with CURVE),
 * which takes two descriptors, and one slot. They hold the leases that they get until they are told to be busy. */
#ifndef GANNET_TESTS_PLAYED_WORKERS_H
#define GANNET_TESTS_PLAYED_WORKERS_H

#include "common/discovery.h"
#include "common/keys.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PLAYED_IN_A_PROCESS = 5000, PLAYED_PROCESSES = 8 };

/* What came of the workers of one process, which alone writes it. */
struct part {
    pid_t pid;
    _Atomic size_t holding, left;  /* workers that hold a lease; that have left */
    _Atomic uint64_t ended, beats; /* trials acknowledged; HEARTBEATs sent */
};

/* Shared by all processes. */
struct board {
    _Atomic size_t connected; /* so many workers are to be there, of all processes; the measuring process writes it */
    _Atomic bool busy;        /* leases end when they come; it writes that, too */
    size_t processes;
    struct part parts[PLAYED_PROCESSES];
};

/* Ends the program with this sentence. */
void played_workers_check(bool failed, const struct err *err);

/* Starts the processes, for at most so many workers of this coordinator; none is there before board->connected says so.
 * To be called before the process has threads. */
struct board *played_workers_start(size_t workers, uint32_t credit, const struct discovery *discovery,
                                   const struct key_pair *key);
void played_workers_stop(struct board *board);

/* Ends the program when one of the processes has ended. */
void played_workers_watch(const struct board *board);

#endif
