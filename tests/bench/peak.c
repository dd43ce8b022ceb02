/* The most floating-point operations that some cores do in a second: fused multiply-adds on registers alone, in chains
 * enough to hide their latency. For each line that it reads it measures for a few milliseconds and prints GFLOP/s by
 * wall time, and those of one core by processor time.
 *
 *     peak THREADS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* 16 chains: two units with a latency of 4 or 5 cycles need 10. */
enum { CHAINS = 16, ROUNDS = 1000000, MOST_THREADS = 256 };

#ifdef __x86_64__
#include <immintrin.h>

#define FMA_LOOP(name, features, vector, set, fma, width)                                                              \
    __attribute__((target(features))) static double name(void)                                                         \
    {                                                                                                                  \
        vector sums[CHAINS], factor = set(0.999f), term = set(0.001f);                                                 \
        float out[width];                                                                                              \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            sums[i] = set((float)i);                                                                                   \
        for (int round = 0; round < ROUNDS; round++)                                                                   \
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) sums[i] = fma(sums[i], factor, term);            \
        for (int i = 1; i < CHAINS; i++)                                                                               \
            sums[0] = fma(sums[0], factor, sums[i]);                                                                   \
        __builtin_memcpy(out, &sums[0], sizeof out);                                                                   \
        return (double)out[0];                                                                                         \
    }

FMA_LOOP(run_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
FMA_LOOP(run_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)

static int lanes(void)
{
    return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("fma") ? 8 : 0;
}

static double run_chains(void)
{
    return lanes() == 16 ? run_avx512() : run_avx2();
}
#else
static int lanes(void)
{
    return 0;
}

static double run_chains(void)
{
    return 0;
}
#endif

static void *run_thread(void *sum)
{
    *(double *)sum = run_chains();
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
    double sums[MOST_THREADS], begun = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    double gflop = 2.0 * lanes() * CHAINS * ROUNDS * threads / 1e9;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, run_thread, &sums[i]))
            exit(EXIT_FAILURE);
    run_thread(&sums[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
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
