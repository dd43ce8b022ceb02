/* The most floating-point operations that some cores do in a second: fused multiply-adds on registers alone, in chains
 * enough to hide their latency. For each line that it reads it measures for a few milliseconds and prints GFLOP/s by
 * wall time, and those of one core by processor time.
 *
 *     peak THREADS */
#include "worker/limits/bursts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BURSTS = 5, MOST_THREADS = 256 };

static void *run_thread(void *sum)
{
    for (int i = 0; i < BURSTS; i++)
        *(double *)sum += burst_flops();
    return NULL;
}

static double now(clockid_t clock)
{
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static void measure_peak(int threads)
{
    pthread_t others[MOST_THREADS];
    double sums[MOST_THREADS] = {0}, begun = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, run_thread, &sums[i]))
            exit(EXIT_FAILURE);
    run_thread(&sums[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    double gflop = 0;
    for (int i = 0; i < threads; i++)
        gflop += sums[i] / 1e9;
    printf("{\"gflops\": %.2f, \"core\": %.2f}\n", gflop / (now(CLOCK_MONOTONIC) - begun),
           gflop / (now(CLOCK_PROCESS_CPUTIME_ID) - used));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int threads = argc == 2 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS)
        return EXIT_FAILURE;
    while (getchar() == '\n')
        measure_peak(threads);
    return 0;
}
