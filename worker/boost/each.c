/* See each.h. */
#include "worker/boost/each.h"

void each_do(int threads, size_t count, void (*work)(void *context, size_t i), void *context)
{
    if (threads > 1) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t i = 0; i < count; i++)
            work(context, i);
        return;
    }
    for (size_t i = 0; i < count; i++)
        work(context, i);
}
