/* Bursts by all threads at once; see limits.h. The rate of each is by its own processor time, what others take does not
 * count; what they take of a shared cache, of memory or of the other half of a core does, so the best burst is kept. */
#include "worker/limits/bursts.h"
#include "worker/limits/limits.h"

#include "common/mem.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BURSTS = 12 };

/* Of all threads together for arrays beyond the caches. */
static const size_t least_memory = 64u << 20, most_memory = 256u << 20;
static const size_t least_read = 8u << 20; /* bytes that a burst reads of one cache: some tenths of a millisecond */

enum limit_work { WORK_FLOPS, WORK_BF16, WORK_READ };

/* One limit, as it is measured. */
struct measurement {
    enum limit_work work;
    size_t bytes;            /* of the array that each thread reads */
    pthread_mutex_t gate;    /* held until it is known whether all threads are there */
    bool goes;               /* they are */
    pthread_barrier_t start; /* of each burst */
};

struct hand {
    struct measurement *job;
    float *numbers; /* its array */
    double rates[BURSTS];
    pthread_t thread;
};

static double processor_seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static double read_array(const struct hand *hand)
{
    size_t bytes = hand->job->bytes, times = bytes < least_read ? least_read / bytes : 1;
    for (size_t i = 0; i < times; i++)
        burst_read(hand->numbers, bytes / sizeof(float));
    return (double)(bytes * times);
}

static double do_burst(const struct hand *hand)
{
    return hand->job->work == WORK_READ   ? read_array(hand)
           : hand->job->work == WORK_BF16 ? burst_flops_bf16()
                                          : burst_flops();
}

static void *run_hand(void *context)
{
    struct hand *hand = context;
    for (int i = 0; hand->job->goes && i < BURSTS; i++) {
        pthread_barrier_wait(&hand->job->start);
        double before = processor_seconds(), done = do_burst(hand), took = processor_seconds() - before;
        hand->rates[i] = took > 0 ? done / took : 0;
    }
    return NULL;
}

/* The best burst's rate of all threads; NAN: there is nothing to measure. */
static double best_of(const struct hand *hands, int threads)
{
    double best = 0;
    for (int i = 1; i < BURSTS; i++) { /* the first one warms up */
        double sum = 0;
        for (int t = 0; t < threads; t++)
            sum += hands[t].rates[i];
        best = fmax(best, sum);
    }
    return best > 0 ? best : NAN;
}

static void *await_gate(void *context)
{
    struct hand *hand = context;
    pthread_mutex_lock(&hand->job->gate);
    pthread_mutex_unlock(&hand->job->gate);
    return run_hand(hand);
}

/* This thread is the first hand. */
static int run_job(struct measurement *job, struct hand *hands, int threads, double *out, struct err *err)
{
    int started = 1, code = pthread_barrier_init(&job->start, NULL, (unsigned)threads);
    pthread_mutex_init(&job->gate, NULL);
    pthread_mutex_lock(&job->gate);
    while (!code && started < threads)
        if (!(code = pthread_create(&hands[started].thread, NULL, await_gate, &hands[started])))
            started++;
    job->goes = !code;
    pthread_mutex_unlock(&job->gate);
    run_hand(&hands[0]);
    for (int i = 1; i < started; i++)
        pthread_join(hands[i].thread, NULL);
    pthread_mutex_destroy(&job->gate);
    pthread_barrier_destroy(&job->start);
    *out = code ? NAN : best_of(hands, threads);
    return code ? err_set(err, "%d threads can't be started: %s", threads, strerror(code)) : 0;
}

static size_t cache_bytes(int name, size_t usual)
{
    long bytes = sysconf(name);
    return bytes > 0 ? (size_t)bytes : usual;
}

/* Bytes of a level for all threads: of the first two caches each core has its own. */
static double room_of(int level, int threads)
{
    return level == LIMITS_L1   ? (double)cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32u << 10) * threads
           : level == LIMITS_L2 ? (double)cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512u << 10) * threads
           : level == LIMITS_L3 ? (double)cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32u << 20)
                                : INFINITY;
}

double limits_bandwidth_for(const struct limits *limits, double bytes)
{
    int level = 0;
    while (bytes > room_of(level, limits->threads))
        level++;
    return limits->bandwidth[level];
}

/* What each of the threads reads: of its own caches half, of those that are shared its part of half. */
static size_t bytes_of(enum limits_level level, int threads)
{
    static const size_t whole = 4096; /* bytes: arrays are pages */
    size_t last = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 32u << 20), all = 4 * last;
    size_t each = level == LIMITS_L1   ? cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32u << 10) / 2
                  : level == LIMITS_L2 ? cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512u << 10) / 2
                  : level == LIMITS_L3 ? last / 2 / (size_t)threads
                                       : (all < least_memory  ? least_memory
                                          : all > most_memory ? most_memory
                                                              : all) /
                                             (size_t)threads;
    return each < whole ? whole : each / whole * whole;
}

/* Of the longest array. */
static size_t most_bytes(int threads)
{
    size_t most = 0;
    for (int level = 0; level < LIMITS_LEVEL_COUNT; level++) {
        size_t bytes = bytes_of((enum limits_level)level, threads);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static int measure_levels(struct hand *hands, struct limits *out, struct err *err)
{
    for (int level = 0; level < LIMITS_LEVEL_COUNT; level++) {
        struct measurement job = {.work = WORK_READ, .bytes = bytes_of((enum limits_level)level, out->threads)};
        for (int i = 0; i < out->threads; i++)
            hands[i].job = &job;
        if (run_job(&job, hands, out->threads, &out->bandwidth[level], err))
            return -1;
    }
    return 0;
}

static int measure_flops(struct hand *hands, enum limit_work work, int threads, double *out, struct err *err)
{
    struct measurement job = {.work = work};
    for (int i = 0; i < threads; i++)
        hands[i].job = &job;
    return run_job(&job, hands, threads, out, err);
}

static double load_by_core(void)
{
    double loads[1];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return getloadavg(loads, 1) == 1 && cores > 0 ? loads[0] / (double)cores : NAN;
}

struct limits limits_unknown(int threads)
{
    struct limits unknown = {
        .threads = threads, .flops = NAN, .flops_bf16 = NAN, .allreduce = NAN, .allreduce_seconds = NAN, .load = NAN};
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        unknown.bandwidth[i] = NAN;
    return unknown;
}

int limits_measure(int threads, struct limits *out, struct err *err)
{
    *out = limits_unknown(threads);
    if (threads < 1 || threads > LIMITS_THREADS_MOST)
        return err_set(err, "limits are measured of 1 to %d threads, not of %d", LIMITS_THREADS_MOST, threads);
    out->load = load_by_core();
    size_t each = most_bytes(threads), all = each * (size_t)threads;
    char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return err_set(err, "%zu MiB to read from can't be had: %s", all >> 20, strerror(errno));
    struct hand *hands = mem_zero((size_t)threads, sizeof *hands);
    memset(memory, 1, all); /* else all of it is one page of zeros */
    for (int i = 0; i < threads; i++)
        hands[i].numbers = (float *)(void *)(memory + each * (size_t)i);
    int failed = measure_flops(hands, WORK_FLOPS, threads, &out->flops, err) ||
                 measure_flops(hands, WORK_BF16, threads, &out->flops_bf16, err) || measure_levels(hands, out, err);
    munmap(memory, all);
    free(hands);
    return failed ? -1 : 0;
}

double limits_allreduce_least(const struct limits *limits, double sums, double bytes)
{
    return sums * limits->allreduce_seconds + bytes / limits->allreduce;
}

/* Of two numbers the larger, of one that is known that one: fmax does so. */
void limits_raise(struct limits *limits, const struct limits *more)
{
    limits->flops = fmax(limits->flops, more->flops);
    limits->flops_bf16 = fmax(limits->flops_bf16, more->flops_bf16);
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        limits->bandwidth[i] = fmax(limits->bandwidth[i], more->bandwidth[i]);
    limits->allreduce = fmax(limits->allreduce, more->allreduce);
    limits->allreduce_seconds = fmin(limits->allreduce_seconds, more->allreduce_seconds);
    limits->load = fmin(limits->load, more->load);
}
