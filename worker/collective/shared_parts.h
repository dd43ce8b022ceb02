/* What shared.c, shared_sum.c and across.c know of each other. */
#ifndef GANNET_WORKER_COLLECTIVE_SHARED_PARTS_H
#define GANNET_WORKER_COLLECTIVE_SHARED_PARTS_H

#include "common/rank_board.h"
#include "worker/collective/eventcount.h"
#include "worker/collective/shared.h"

enum {
    MAIL_BYTES = 1 << 16,     /* of a broadcast at a time */
    BUCKET_NUMBERS = 1 << 16, /* 256 KiB, a part of the second cache: smaller posts wait for the next one */
    RELAY_NUMBERS = 1 << 18,  /* 1 MiB, between nodes: some 100 us on a wire of 10 GB/s, much more than its latency */
    SMALL_SUM = 1 << 15,      /* 128 KiB: that much is added sooner than another rank has been waited for again */
    NUMBERS_A_LINE = EVENTCOUNT_LINE / sizeof(float),
};

/* What a rank shows the others. */
struct shown {
    struct eventcount posted;                 /* buckets, of all sums */
    struct eventcount added;                  /* buckets of which its part is added */
    struct eventcount left;                   /* sums that it has taken all of */
    struct eventcount relayed;                /* rank 0: buckets that hold the sums over all nodes */
    struct eventcount arrived;                /* meetings that it has come to */
    alignas(EVENTCOUNT_LINE) float weight[2]; /* of its numbers in sums with even and odd numbers */
    alignas(EVENTCOUNT_LINE) char mail[MAIL_BYTES];
};

struct shared {
    int fd; /* the file in memory: what the ranks show their worker and each other, then their arrays */
    uint32_t rank, ranks;
    struct rank_board *board;
    struct shown *shown; /* [ranks] */
    uint32_t calls;      /* of the collective that this rank is in, one within the other */
    float *arrays;       /* [ranks][room]; NULL: none yet */
    size_t room;         /* numbers that fit into an array: whole lines, and two small sums at least */
    uint32_t meetings;   /* that this rank has come to */
    bool is_relayed;     /* a bucket that is added here is still to be summed over nodes (across.h) */
    /* The present sum. */
    size_t count;
    bool small;  /* it is one */
    size_t from; /* where its numbers begin in the arrays: small ones take turns, so that none waits for the last one */
    size_t *ends; /* of the buckets, from the last number down: bucket b is ends[b + 1] .. ends[b] */
    size_t ends_capacity;
    uint32_t buckets; /* posted, */
    uint32_t added;   /* and added by this rank, of this sum */
    uint32_t before;  /* buckets of all sums before, and */
    uint32_t sums;    /* those sums, this one among them */
};

/* The numbers of a bucket of `size`, from `low` on, that a rank adds: whole cache lines, so that no two write to one.
 */
void shared_find_part(const struct shared *shared, size_t low, size_t size, uint32_t rank, size_t *first,
                      size_t *count);

float *shared_begin(void *self, size_t count, float weight);
void shared_post(void *self, size_t first);
void shared_finish(void *self, collective_take *take, void *context);

#endif
