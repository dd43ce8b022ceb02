/* An eventcount: a number in memory that processes share, which only rises: one of them raises it, others wait until it
 * has come far enough. Who waits looks again and again for some microseconds, since most waits between cores are that
 * short, and then sleeps (futex(2)): ranks that have a core for two of them must not keep each other from it. */
#ifndef GANNET_WORKER_COLLECTIVE_EVENTCOUNT_H
#define GANNET_WORKER_COLLECTIVE_EVENTCOUNT_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { EVENTCOUNT_LINE = 64 /* bytes of a cache line: counters of two ranks do not share one */ };

/* Zeros are a counter at 0. */
struct eventcount {
    alignas(EVENTCOUNT_LINE) _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
};

/* What was written before is there for who finds the counter raised. */
void eventcount_raise(struct eventcount *count);

/* Whether it has come to `value`. Counters may run over: values compared are never far apart. */
bool eventcount_has(struct eventcount *count, uint32_t value);
void eventcount_await(struct eventcount *count, uint32_t value);

#endif
