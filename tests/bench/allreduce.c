/* Sums over the ranks of a node, and over as many nodes with one rank each, which are all on this machine: seconds and
 * bandwidth by the size of what is added, beside memcpy in as many processes.
 *
 *     build/bench/allreduce [RANKS [REPEATS]]
 *
 * Bandwidth is bytes of one rank's gradients by the seconds of a sum, which copies them in, adds and copies them out;
 * that of memcpy is bytes copied by its seconds, while all ranks copy at the same time. Medians over the repeats. */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/collective/across.h"
#include "worker/collective/meeting.h"
#include "worker/program/gang_env.h"

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

static void measure_all(const struct collective *collective, size_t repeats)
{
    if (!collective->rank)
        printf("%s, %u ranks\n%14s %15s %13s %23s %8s\n", collective->kind->name, collective->ranks, "gradients",
               "a sum", "a sum", "memcpy", "share");
    for (size_t count = 1 << 10; count <= 1 << 24; count <<= 2)
        measure(collective, count, repeats);
}

static void fail(const char *sentence)
{
    fprintf(stderr, "allreduce: %s\n", sentence);
    exit(EXIT_FAILURE);
}

static _Noreturn void lose_member(void *context, uint32_t member, const char *sentence)
{
    (void)context;
    fprintf(stderr, "allreduce: node %u: %s\n", member, sentence);
    exit(EXIT_FAILURE);
}

/* Over TCP, as one of several nodes. */
static void run_node(uint32_t node, uint32_t nodes, uint16_t port, size_t repeats)
{
    struct err err;
    struct meeting meeting = {.member = node,
                              .members = nodes,
                              .address = "127.0.0.1",
                              .port = port,
                              .secret = "a secret that is nobody's business",
                              .patience = 60};
    struct tcp_ring_setup ring = {.member = node, .members = nodes, .lost = lose_member};
    struct shared *shared = shared_create(1, &err);
    if (!shared || meeting_hold(&meeting, &ring.next, &ring.before, &err))
        fail(err.text);
    struct across_setup setup = {.shared = shared, .node = node, .nodes = nodes, .ring = tcp_ring_create(&ring)};
    struct across *across = across_create(&setup, &err);
    if (!across)
        fail(err.text);
    struct collective collective = across_face(across);
    measure_all(&collective, repeats);
    across_destroy(across);
    shared_destroy(shared);
}

static void run_rank(struct shared *shared, uint32_t rank, uint16_t port, size_t repeats)
{
    struct collective collective = shared_join(shared, rank);
    measure_all(&collective, repeats);
    fflush(stdout);
    if (collective.ranks > 1)
        run_node(rank, collective.ranks, port, repeats);
}

int main(int argc, char **argv)
{
    struct err err;
    uint32_t ranks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 2;
    size_t repeats = argc > 2 ? strtoul(argv[2], NULL, 10) : 21;
    struct shared *shared = ranks && repeats ? shared_create(ranks, &err) : NULL;
    uint16_t port = gang_env_port();
    if (!shared) {
        fprintf(stderr, "Usage: allreduce [RANKS [REPEATS]]\n");
        return EXIT_FAILURE;
    }
    for (uint32_t rank = 1; rank < ranks; rank++)
        if (!fork()) {
            run_rank(shared, rank, port, repeats);
            _exit(EXIT_SUCCESS);
        }
    run_rank(shared, 0, port, repeats);
    while (wait(NULL) > 0)
        ;
    shared_destroy(shared);
    return EXIT_SUCCESS;
}
