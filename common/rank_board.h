/* What the ranks of a kernel's run show whoever looks after them: which process each is, whether it waits for others,
 * and a number that rises as it gets on. It stands at the beginning of the memory that they share (worker/collective),
 * a nameless file that the worker of the trial finds among the open files of their first process (worker/program): so
 * ranks that are stopped, and say nothing any more, can be told from those that wait for them. */
#ifndef GANNET_COMMON_RANK_BOARD_H
#define GANNET_COMMON_RANK_BOARD_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The name of that file, as memfd_create(2) takes it. */
#define RANK_BOARD_NAME "gannet-ranks"

enum { RANK_BOARD_LINE = 64, RANK_BOARD_MOST = 1024 /* ranks of a node */ };

/* One rank; written by itself alone. */
struct rank_sign {
    alignas(RANK_BOARD_LINE) _Atomic int32_t pid; /* 0: it has not begun */
    _Atomic uint32_t moves;                       /* calls of a collective that it is done with, and what it posted */
    _Atomic uint32_t waits;                       /* it is in such a call */
};

struct rank_board {
    alignas(RANK_BOARD_LINE) uint32_t ranks;
    struct rank_sign signs[]; /* [ranks] */
};

/* Bytes of it. */
static inline size_t rank_board_size(uint32_t ranks)
{
    return sizeof(struct rank_board) + ranks * sizeof(struct rank_sign);
}

#endif
