/* A number in memory that processes share, which only rises: one of them raises it, others wait until it has come far
 * enough. Who waits looks again and again for some microseconds, since most waits between cores are that short, and
 * then sleeps (futex(2)): ranks that have a core for two of them must not keep each other from it. */
#ifndef GANNET_WORKER_COLLECTIVE_COUNTER_H
#define GANNET_WORKER_COLLECTIVE_COUNTER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { COUNTER_LINE = 64 /* bytes of a cache line: counters of two ranks do not share one */ };

/* Zeros are a counter at 0. */
struct counter {
    alignas(COUNTER_LINE) _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
};

/* What was written before is there for who finds the counter raised. */
void counter_raise(struct counter *counter);

/* Whether it has come to `value`. Counters may run over: values compared are never far apart. */
bool counter_has(struct counter *counter, uint32_t value);
void counter_await(struct counter *counter, uint32_t value);

#endif
