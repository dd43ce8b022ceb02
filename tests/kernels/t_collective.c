/* Ranks that add and tell each other, on one node or on several: what comes out is the sum of all, in each of them,
 * whatever they wait for; and nothing of them stays behind. */
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/collective/across.h"
#include "worker/collective/meeting.h"
#include "worker/program/gang_env.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 7 };

/* What a rank does; whether it found everything in order. */
typedef bool rank_function(struct collective *collective);

static pid_t start_rank(struct shared *shared, uint32_t rank, rank_function *function)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    struct collective collective = shared_join(shared, rank);
    _exit(function(&collective) ? 0 : 1);
}

static void run_ranks(uint32_t ranks, rank_function *function)
{
    struct err err;
    pid_t pids[MOST_RANKS];
    struct shared *shared = shared_create(ranks, &err);
    assert_non_null(shared);
    for (uint32_t rank = 0; rank < ranks; rank++)
        pids[rank] = start_rank(shared, rank, function);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int status;
        assert_int_equal(waitpid(pids[rank], &status, 0), pids[rank]);
        assert_int_equal(status, 0);
    }
    shared_destroy(shared);
}

/* --- several nodes --- */

static _Noreturn void miss_member(void *context, uint32_t member, const char *sentence)
{
    (void)context;
    fprintf(stderr, "# member %u is lost: %s\n", member, sentence);
    _exit(9);
}

/* The ring of a node, which meets the others on this machine. */
static struct tcp_ring *make_ring(uint32_t node, uint32_t nodes, uint16_t port)
{
    struct err err = {0};
    struct meeting meeting = {.member = node,
                              .members = nodes,
                              .address = "127.0.0.1",
                              .port = port,
                              .secret = "0123456789abcdef0123456789abcdef",
                              .trial = 1,
                              .attempt = 1,
                              .patience = 60};
    struct tcp_ring_setup setup = {.member = node, .members = nodes, .lost = miss_member};
    if (meeting_hold(&meeting, &setup.next, &setup.before, &err)) {
        fprintf(stderr, "# node %u: %s\n", node, err.text);
        _exit(8);
    }
    return tcp_ring_create(&setup);
}

/* One rank of a node; the exit status. */
static int run_across(struct shared *shared, uint32_t rank, struct tcp_ring *ring, const uint32_t layout[2],
                      rank_function *function)
{
    struct err err;
    shared_join(shared, rank);
    struct across *across = across_create(
        &(struct across_setup){.shared = shared, .node = layout[0], .nodes = layout[1], .ring = ring}, &err);
    if (!across)
        return 7;
    struct collective collective = across_face(across);
    bool right = function(&collective);
    across_destroy(across);
    return !right;
}

static int await_children(void)
{
    int all = 0, status;
    while (wait(&status) > 0)
        all = status ? status : all;
    return all;
}

/* A node, in a process of its own: it has so many ranks. */
static _Noreturn void run_node(uint32_t node, uint32_t nodes, uint32_t ranks, uint16_t port, rank_function *function)
{
    struct err err;
    uint32_t layout[] = {node, nodes};
    struct shared *shared = shared_create(ranks, &err);
    for (uint32_t rank = 1; shared && rank < ranks; rank++)
        if (!fork())
            _exit(run_across(shared, rank, NULL, layout, function));
    int status = shared ? run_across(shared, 0, make_ring(node, nodes, port), layout, function) : 6;
    int others = await_children();
    shared_destroy(shared);
    _exit(status ? status : others != 0);
}

static void run_nodes(uint32_t nodes, uint32_t ranks, rank_function *function)
{
    uint16_t port = gang_env_port();
    for (uint32_t node = nodes; node-- > 0;) /* node 0 is there last, and must be waited for */
        if (!fork())
            run_node(node, nodes, ranks, port, function);
    assert_int_equal(await_children(), 0);
}

/* --- sums --- */

/* Number i of a rank in a sum. */
static float number_of(uint32_t rank, uint64_t sum, size_t i)
{
    struct rng rng = rng_make(sum, "number", rank * 1000003 + i);
    return (float)(rng_unit(&rng) - 0.5);
}

static float weight_of(uint32_t rank, uint64_t sum)
{
    return (rank + sum) % 5 == 4 ? 0 : (float)(rank + 1) / 8;
}

static float expected(const struct collective *collective, uint64_t sum, size_t i)
{
    float all = 0;
    for (uint32_t rank = 0; rank < collective->ranks; rank++)
        if (weight_of(rank, sum) > 0)
            all += weight_of(rank, sum) * number_of(rank, sum, i);
    return all;
}

/* What was taken. */
struct taken {
    float *numbers;
    size_t count;
};

static void take(void *context, const float *numbers, size_t first, size_t count)
{
    struct taken *taken = context;
    memcpy(taken->numbers + first, numbers, count * sizeof *numbers);
    taken->count += count;
}

static void lag_behind(const struct collective *collective, uint64_t sum)
{
    struct timespec moment = {.tv_nsec = 300000};
    if ((collective->rank + sum) % 3 == 0)
        nanosleep(&moment, NULL);
}

/* Writes and posts a sum of `count` numbers in pieces of `piece`, and looks at what comes. */
static bool add_once(const struct collective *collective, uint64_t sum, size_t count, size_t piece)
{
    struct taken taken = {.numbers = malloc((count + 1) * sizeof(float))};
    bool right = true;
    float *at = collective->kind->begin(collective->self, count, weight_of(collective->rank, sum));
    for (size_t end = count, first; end > 0; end = first) {
        first = end > piece ? end - piece : 0;
        for (size_t i = first; i < end; i++)
            at[i] = weight_of(collective->rank, sum) > 0 ? number_of(collective->rank, sum, i) : NAN;
        lag_behind(collective, sum);
        collective->kind->post(collective->self, first);
    }
    collective->kind->finish(collective->self, take, &taken);
    for (size_t i = 0; i < count; i++)
        right &= fabsf(taken.numbers[i] - expected(collective, sum, i)) <= 4e-6f;
    right &= taken.count == count;
    free(taken.numbers);
    return right;
}

static bool add_often(struct collective *collective)
{
    static const size_t counts[] = {1, 16, 17, 4000, 70000, 600000};
    struct err err;
    bool right = collective->kind->reserve(collective->self, 5000, &err) == 0;
    for (uint64_t sum = 0; sum < 8; sum++) /* weights differ from sum to sum */
        right &= add_once(collective, sum, counts[sum % 4], 1000);
    right &= collective->kind->reserve(collective->self, 600000, &err) == 0;
    for (uint64_t sum = 0; sum < 6; sum++)
        right &= add_once(collective, sum, counts[sum], sum % 2 ? 48 * 16 : 150000);
    return right;
}

static void sums_are_those_of_all_ranks(void **state)
{
    (void)state;
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks += 2)
        run_ranks(ranks, add_often);
}

static void sums_over_nodes_are_those_of_all_ranks(void **state)
{
    (void)state;
    run_nodes(2, 1, add_often);
    run_nodes(2, 3, add_often);
    run_nodes(3, 1, add_often);
    run_nodes(4, 2, add_often);
}

/* The bytes of a sum, in each rank, are told to the others by a number. */
static bool compare_bits(struct collective *collective)
{
    enum { COUNT = 100000 };
    struct err err;
    struct taken taken = {.numbers = malloc(COUNT * sizeof(float))};
    float *first = malloc(COUNT * sizeof(float)), *at;
    bool same = collective->kind->reserve(collective->self, COUNT, &err) == 0;
    for (int again = 0; again < 3; again++) {
        at = collective->kind->begin(collective->self, COUNT, 0.3f);
        for (size_t i = 0; i < COUNT; i++)
            at[i] = number_of(collective->rank, 1, i);
        collective->kind->post(collective->self, again ? COUNT / 2 / 16 * 16 : 0);
        if (again)
            collective->kind->post(collective->self, 0);
        collective->kind->finish(collective->self, take, &taken);
        if (!again)
            memcpy(first, taken.numbers, COUNT * sizeof(float));
        collective->kind->broadcast(collective->self, 0, first, COUNT * sizeof(float));
        same &= memcmp(first, taken.numbers, COUNT * sizeof(float)) == 0;
    }
    free(first);
    free(taken.numbers);
    return same;
}

static void sums_are_the_same_bits_in_all_ranks_and_each_time(void **state)
{
    (void)state;
    run_ranks(5, compare_bits);
    run_nodes(3, 2, compare_bits);
}

/* --- few numbers, and bytes --- */

static bool tell(struct collective *collective)
{
    enum { BYTES = 300001, NUMBERS = 20000 };
    uint32_t root = collective->ranks - 1;
    char *bytes = calloc(BYTES, 1);
    double *numbers = malloc(NUMBERS * sizeof *numbers);
    bool right = true;
    for (size_t i = 0; i < BYTES && collective->rank == root; i++)
        bytes[i] = (char)(i * i % 251);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (double)(collective->rank + 1) * (double)i;
    collective->kind->broadcast(collective->self, root, bytes, BYTES);
    collective->kind->add(collective->self, numbers, NUMBERS);
    for (size_t i = 0; i < BYTES; i++)
        right &= bytes[i] == (char)(i * i % 251);
    for (size_t i = 0; i < NUMBERS; i++)
        right &= numbers[i] == (double)(collective->ranks * (collective->ranks + 1) / 2) * (double)i;
    free(bytes);
    free(numbers);
    return right;
}

static void bytes_are_told_and_numbers_added(void **state)
{
    (void)state;
    run_ranks(1, tell);
    run_ranks(4, tell);
    run_nodes(2, 1, tell);
    run_nodes(3, 2, tell);
}

static long times_given_up(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
}

/* Who waits for a rank that is asleep has given its core away. */
static bool wait_asleep(struct collective *collective)
{
    struct timespec nap = {.tv_nsec = 300000000};
    double number = 1;
    if (collective->rank == 0)
        nanosleep(&nap, NULL);
    long before = times_given_up();
    collective->kind->add(collective->self, &number, 1);
    return (collective->rank == 0 || times_given_up() > before) && number == collective->ranks;
}

static void who_waits_gives_its_core_away(void **state)
{
    (void)state;
    run_ranks(4, wait_asleep);
    run_nodes(2, 2, wait_asleep);
}

/* More ranks than cores take turns by sleeping. */
static bool take_turns(struct collective *collective)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof one, &one);
    for (size_t cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &one) && seen++)
            CPU_CLR(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    double sum = 0, number;
    for (int i = 0; i < 2000; i++) {
        number = 1;
        collective->kind->add(collective->self, &number, 1);
        sum += number;
    }
    return sum == 2000 * collective->ranks;
}

static void ranks_on_one_core_take_turns(void **state)
{
    (void)state;
    run_ranks(MOST_RANKS, take_turns);
}

/* --- what stays --- */

static size_t count_files(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void killed_ranks_leave_no_file(void **state)
{
    (void)state;
    struct err err;
    size_t descriptors = count_files("/proc/self/fd");
    struct shared *shared = shared_create(2, &err);
    assert_non_null(shared);
    pid_t pid = start_rank(shared, 1, tell); /* waits for ever: there is no rank 0 */
    kill(pid, SIGKILL);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    shared_destroy(shared);
    assert_int_equal(count_files("/proc/self/fd"), descriptors);
    DIR *memory = opendir("/dev/shm");
    for (struct dirent *entry; memory && (entry = readdir(memory));)
        assert_null(strstr(entry->d_name, "gannet-ranks"));
    if (memory)
        closedir(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_all_ranks),
        cmocka_unit_test(sums_over_nodes_are_those_of_all_ranks),
        cmocka_unit_test(sums_are_the_same_bits_in_all_ranks_and_each_time),
        cmocka_unit_test(bytes_are_told_and_numbers_added),
        cmocka_unit_test(who_waits_gives_its_core_away),
        cmocka_unit_test(ranks_on_one_core_take_turns),
        cmocka_unit_test(killed_ranks_leave_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
