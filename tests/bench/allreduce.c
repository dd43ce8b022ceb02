/* Sums over the ranks of a node: seconds and bandwidth by the size of what is added, beside memcpy in as many
 * processes.
 *
 *     build/bench/allreduce [RANKS [REPEATS]]
 *
 * Bandwidth is bytes of one rank's gradients by the seconds of a sum, which copies them in, adds and copies them out;
 * that of memcpy is bytes copied by its seconds, while all ranks copy at the same time. Medians over the repeats. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/collective/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, compare_seconds);
    return seconds[count / 2];
}

static void take(void *context, const float *numbers, size_t first, size_t count)
{
    memcpy((float *)context + first, numbers, count * sizeof *numbers);
}

static void meet(const struct collective *collective)
{
    double nothing = 0;
    collective->kind->add(collective->self, &nothing, 1);
}

static double time_sum(const struct collective *collective, float *numbers, size_t count)
{
    meet(collective);
    double then = clock_monotonic();
    float *at = collective->kind->begin(collective->self, count, 1 / (float)collective->ranks);
    for (size_t end = count, some = 1 << 16; end > 0;) {
        size_t first = end > some ? end - some : 0;
        memcpy(at + first, numbers + first, (end - first) * sizeof *numbers);
        collective->kind->post(collective->self, first);
        end = first;
    }
    collective->kind->finish(collective->self, take, numbers);
    return clock_monotonic() - then;
}

static double time_copy(const struct collective *collective, float *numbers, float *other, size_t count)
{
    meet(collective);
    double then = clock_monotonic();
    memcpy(other, numbers, count * sizeof *numbers);
    return clock_monotonic() - then;
}

static void measure(const struct collective *collective, size_t count, size_t repeats)
{
    struct err err;
    float *numbers = calloc(count, sizeof *numbers), *other = calloc(count, sizeof *other);
    double *sums = MEM_ARRAY(double, repeats), *copies = MEM_ARRAY(double, repeats);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(i % 1000);
    if (collective->kind->reserve(collective->self, count, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < repeats; i++) {
        sums[i] = time_sum(collective, numbers, count);
        copies[i] = time_copy(collective, numbers, other, count);
    }
    double bytes = (double)count * sizeof(float), sum = median(sums, repeats), copy = median(copies, repeats);
    if (!collective->rank)
        printf("%10.0f KiB %12.1f us %8.2f GB/s %8.2f GB/s of memcpy %8.2f\n", bytes / 1024, sum * 1e6,
               bytes / sum / 1e9, bytes / copy / 1e9, copy / sum);
    free(numbers);
    free(other);
    free(sums);
    free(copies);
}

static void run_rank(struct shared *shared, uint32_t rank, size_t repeats)
{
    struct collective collective = shared_join(shared, rank);
    if (!rank)
        printf("%14s %15s %13s %23s %8s\n", "gradients", "a sum", "a sum", "memcpy", "share");
    for (size_t count = 1 << 10; count <= 1 << 24; count <<= 2)
        measure(&collective, count, repeats);
}

int main(int argc, char **argv)
{
    struct err err;
    uint32_t ranks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2;
    size_t repeats = argc > 2 ? strtoul(argv[2], NULL, 10) : 21;
    struct shared *shared = ranks && repeats ? shared_create(ranks, &err) : NULL;
    if (!shared) {
        fprintf(stderr, "Usage: allreduce [RANKS [REPEATS]]\n");
        return EXIT_FAILURE;
    }
    for (uint32_t rank = 1; rank < ranks; rank++)
        if (!fork()) {
            run_rank(shared, rank, repeats);
            _exit(EXIT_SUCCESS);
        }
    run_rank(shared, 0, repeats);
    while (wait(NULL) > 0)
        ;
    shared_destroy(shared);
    return EXIT_SUCCESS;
}
