/* Work that is divided among threads: the only file that knows what these are (OpenMP's). */
#ifndef GANNET_WORKER_BOOST_EACH_H
#define GANNET_WORKER_BOOST_EACH_H

#include <stddef.h>

/* Calls work(context, i) for each i below count, by so many threads; with one, or when it is called from within itself
 * with one, in this thread and in order. Calls with more than one should name the same number: OpenMP's library ends
 * threads that a smaller team has no use for, and starts them anew for the next larger one. */
void each_do(int threads, size_t count, void (*work)(void *context, size_t i), void *context);

#endif
