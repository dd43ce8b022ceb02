/* Measuring by hand; see calibrate.h. */
#include "worker/trainer/calibrate.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "worker/collective/shared.h"
#include "worker/limits/disk.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static json_t *describe_limits(const struct limits *now, const struct limits *before, struct err *err)
{
    struct limits limits = *now;
    limits_raise(&limits, before);
    json_t *measured = limits_json(now), *count = limits_json(&limits), *old = limits_json(before);
    json_object_del(old, "load");
    json_t *same = json_deep_copy(count);
    json_object_del(same, "load");
    bool raised = !json_equal(same, old), kept = limits_keep(&limits, err) == 0;
    json_decref(old);
    json_decref(same);
    return json_pack("{s:o, s:o, s:b, s:b, s:o}", "now", measured, "limits", count, "raised", raised, "kept", kept,
                     "why", kept ? json_null() : json_of_text(err->text));
}

static int fail_calibration(const struct err *err)
{
    fprintf(stderr, "gannet-trainer: %s\n", err->text);
    return EXIT_FAILURE;
}

static int print_json(json_t *json)
{
    char *text = json_dumps(json, JSON_INDENT(1));
    puts(text);
    free(text);
    json_decref(json);
    return EXIT_SUCCESS;
}

/* Ranks are forked before there are threads. */
static int measure_limits(int threads, struct limits *out, struct err *err)
{
    struct limits sums = limits_unknown(threads);
    if (threads > 1 && threads <= LIMITS_THREADS_MOST && calibrate_sums((uint32_t)threads, &sums, err))
        return -1;
    if (limits_measure(threads, out, err))
        return -1;
    out->allreduce = sums.allreduce;
    out->allreduce_seconds = sums.allreduce_seconds;
    return 0;
}

int calibrate_and_print(uint64_t threads)
{
    struct limits now, before;
    struct err err;
    if (measure_limits(threads <= LIMITS_THREADS_MOST ? (int)threads : -1, &now, &err))
        return fail_calibration(&err);
    limits_load((int)threads, &before);
    return print_json(describe_limits(&now, &before, &err));
}

int calibrate_disk_and_print(const char *directory)
{
    struct disk_limits now, limits, before;
    struct err err;
    if (disk_measure(directory, &now, &err))
        return fail_calibration(&err);
    disk_load(directory, &before);
    limits = now;
    disk_raise(&limits, &before);
    bool kept = disk_keep(directory, &limits, &err) == 0;
    char *place = disk_place(directory);
    int status = print_json(json_pack("{s:o, s:o, s:o, s:b, s:o}", "place", place ? json_of_text(place) : json_null(),
                                      "now", disk_json(&now), "limits", disk_json(&limits), "kept", kept, "why",
                                      kept ? json_null() : json_of_text(err.text)));
    free(place);
    return status;
}

/* --- sums over ranks that do nothing else ---
 *
 * The ranks are processes, as those of trials are, and this one is the first of them. A sum is timed by its wall clock,
 * from the moment at which all have come: what a rank waits for the others is a part of it. Others on the machine
 * make that longer, so the best of several counts. */

enum {
    LARGE = 4 << 20,        /* numbers: 16 MiB, more than caches of cores hold */
    ALL = 32 << 20,         /* of all ranks together: 128 MiB */
    BUCKET = 1 << 16,       /* numbers that are posted at a time, as a network's gradients come */
    SMALL = 64,             /* numbers: what is left is the meeting */
    LARGE_SUMS = 12,        /* each some milliseconds */
    SMALL_BURSTS = 50,      /* of */
    SMALL_SUMS = 20,        /* each some microseconds */
    LONGEST_SECONDS = 5,    /* of bursts of one size, where others use the cores */
    PATIENCE_SECONDS = 120, /* a rank that is killed is waited for so long */
};

struct sum_bench {
    struct collective collective;
    float *taken; /* the sum, of this rank */
};

static void take_numbers(void *context, const float *numbers, size_t first, size_t count)
{
    struct sum_bench *bench = context;
    memcpy(bench->taken + first, numbers, count * sizeof *numbers);
}

static void add_once(struct sum_bench *bench, size_t count)
{
    const struct collective *collective = &bench->collective;
    collective->kind->begin(collective->self, count, 1);
    for (size_t left = count; left;) {
        left -= left < BUCKET ? left : BUCKET;
        collective->kind->post(collective->self, left);
    }
    collective->kind->finish(collective->self, take_numbers, bench);
}

/* Seconds of the fastest burst of `sums` sums, for each of them; of two bursts at least. They go on until a rank says
 * that it takes too long, which all of them hear where they meet before a burst. */
static double time_sums(struct sum_bench *bench, size_t count, int bursts, int sums)
{
    double best = INFINITY, end = clock_monotonic() + LONGEST_SECONDS;
    for (int i = 0; i < bursts; i++) {
        double too_long = clock_monotonic() > end;
        bench->collective.kind->add(bench->collective.self, &too_long, 1);
        if (i > 1 && too_long > 0)
            break;
        double began = clock_monotonic();
        for (int n = 0; n < sums; n++)
            add_once(bench, count);
        if (i) /* the first one warms up */
            best = fmin(best, (clock_monotonic() - began) / sums);
    }
    return best;
}

static size_t large_count(uint32_t ranks)
{
    return ALL / ranks < LARGE ? ALL / ranks : LARGE;
}

/* What every rank does. -1 in all of them where one has no memory. */
static int run_rank(struct shared *shared, uint32_t rank, uint32_t ranks, struct limits *out, struct err *err)
{
    size_t count = large_count(ranks);
    struct sum_bench bench = {.collective = shared_join(shared, rank), .taken = MEM_ARRAY(float, count)};
    int failed = bench.collective.kind->reserve(bench.collective.self, count, err);
    if (!failed) {
        memset(bench.collective.kind->begin(bench.collective.self, count, 1), 0, count * sizeof(float));
        bench.collective.kind->post(bench.collective.self, 0);
        bench.collective.kind->finish(bench.collective.self, take_numbers, &bench);
        out->allreduce = (double)(count * sizeof(float)) / time_sums(&bench, count, LARGE_SUMS, 1);
        out->allreduce_seconds = time_sums(&bench, SMALL, SMALL_BURSTS, SMALL_SUMS);
    }
    free(bench.taken);
    return failed;
}

static _Noreturn void become_rank(struct shared *shared, uint32_t rank, uint32_t ranks, pid_t parent)
{
    struct limits nobody;
    struct err err;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    _exit(run_rank(shared, rank, ranks, &nobody, &err) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* How many others there are. */
static uint32_t fork_ranks(struct shared *shared, uint32_t ranks, pid_t *pids)
{
    pid_t parent = getpid();
    uint32_t count = 0;
    while (count + 1 < ranks && (pids[count] = fork()) >= 0) {
        if (!pids[count])
            become_rank(shared, count + 1, ranks, parent);
        count++;
    }
    return count;
}

int calibrate_sums(uint32_t ranks, struct limits *out, struct err *err)
{
    struct shared *shared = shared_create(ranks, err);
    if (!shared)
        return -1;
    pid_t *pids = MEM_ARRAY(pid_t, ranks);
    alarm(PATIENCE_SECONDS); /* nothing else ends this process where one of the others is gone */
    uint32_t others = fork_ranks(shared, ranks, pids);
    bool all_there = others + 1 == ranks;
    int failed = all_there ? run_rank(shared, 0, ranks, out, err)
                           : err_set(err, "can't start rank %u of %u that add numbers", others + 1, ranks);
    for (uint32_t i = 0; i < others; i++) {
        if (!all_there)
            kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    alarm(0);
    free(pids);
    shared_destroy(shared);
    return failed;
}
