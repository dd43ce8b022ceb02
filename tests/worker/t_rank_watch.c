/* What a worker sees of the ranks of a run, which show how far they are in memory that it can read. This process has
 * that memory, as a trainer has, and moves in it for ranks that are processes of its own. */
#include "common/rank_board.h"
#include "tests/claims.h"
#include "worker/program/rank_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 2 };

struct stage {
    int fd;
    struct rank_board *board;
    struct rank_watch *watch;
    double now;
};

static void sleep_for_ever(void)
{
    for (;;)
        pause();
}

static void compute(void)
{
    volatile unsigned rounds = 0;
    for (;;)
        rounds = rounds + 1;
}

static void *compute_in_thread(void *unused)
{
    compute();
    return unused;
}

static void compute_beside(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute_in_thread, NULL);
    sleep_for_ever();
}

/* This rank is a process that does so. */
static pid_t begin(struct stage *stage, int rank, void (*does)(void))
{
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        does();
    }
    assert_true(pid > 0);
    atomic_store(&stage->board->signs[rank].pid, pid);
    return pid;
}

static char state_of(pid_t pid)
{
    char path[32], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strrchr(text, ')')[2];
}

static void await_state(pid_t pid, char state)
{
    while (state_of(pid) != state)
        usleep(1000);
}

static int set_up(void **state)
{
    static struct stage stage;
    stage = (struct stage){.fd = memfd_create(RANK_BOARD_NAME, MFD_CLOEXEC), .now = 1000};
    *state = &stage;
    if (stage.fd < 0 || ftruncate(stage.fd, (off_t)rank_board_size(RANKS)))
        return -1;
    stage.board = mmap(NULL, rank_board_size(RANKS), PROT_READ | PROT_WRITE, MAP_SHARED, stage.fd, 0);
    if (stage.board == MAP_FAILED)
        return -1;
    stage.board->ranks = RANKS;
    stage.watch = rank_watch_create(getpid());
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    for (int rank = 0; rank < RANKS; rank++)
        if (atomic_load(&stage->board->signs[rank].pid)) {
            kill(atomic_load(&stage->board->signs[rank].pid), SIGKILL);
            waitpid(atomic_load(&stage->board->signs[rank].pid), NULL, 0);
        }
    rank_watch_destroy(stage->watch);
    munmap(stage->board, rank_board_size(RANKS));
    close(stage->fd);
    return 0;
}

static void move(struct stage *stage, int rank)
{
    atomic_fetch_add(&stage->board->signs[rank].moves, 1);
}

/* So many seconds pass, and it is looked each second; what is seen at last. */
static struct rank_stall pass(struct stage *stage, int seconds)
{
    struct rank_stall stall = {0};
    for (int i = 0; i < seconds; i++) {
        stage->now += 1.01;
        assert_true(rank_watch_look(stage->watch, stage->now, &stall));
    }
    return stall;
}

/* The second rank is in a collective, and waits for the first, a process that does so. */
static pid_t start(struct stage *stage, void (*does)(void))
{
    pid_t pid = begin(stage, 0, does);
    await_state(begin(stage, 1, sleep_for_ever), 'S');
    atomic_store(&stage->board->signs[1].waits, 1);
    pass(stage, 1);
    return pid;
}

static void one_that_is_stopped_is_seen_after_fifteen_seconds(void **state)
{
    struct stage *stage = *state;
    pid_t pid = start(stage, compute);
    kill(pid, SIGSTOP);
    await_state(pid, 'T');
    assert_int_equal(pass(stage, 14).still, 0);
    struct rank_stall stall = pass(stage, 2);
    assert_int_equal(stall.still, 1);
    assert_int_equal(stall.rank, 0);
    assert_int_equal(stall.state, 'T');
    assert_int_equal(stall.waiting, 1);
    move(stage, 0);
    assert_int_equal(pass(stage, 1).still, 0);
}

static void one_that_waits_for_a_file_server_is_seen_as_soon(void **state)
{
    struct stage *stage = *state;
    await_state(start(stage, sleep_for_ever), 'S');
    struct rank_stall stall = pass(stage, 16);
    assert_int_equal(stall.still, 1);
    assert_int_equal(stall.state, 'S');
}

static void one_that_computes_has_a_minute(void **state)
{
    struct stage *stage = *state;
    start(stage, compute);
    assert_int_equal(pass(stage, 55).still, 0);
    struct rank_stall stall = pass(stage, 10);
    assert_int_equal(stall.still, 1);
    assert_int_equal(stall.state, 'R');
}

static void so_has_one_that_computes_in_another_thread(void **state)
{
    struct stage *stage = *state;
    await_state(start(stage, compute_beside), 'S');
    assert_int_equal(pass(stage, 30).still, 0);
}

static void one_whose_batches_are_large_is_slow_and_not_still(void **state)
{
    struct stage *stage = *state;
    start(stage, compute);
    for (int i = 0; i < 5; i++) {
        pass(stage, 50);
        move(stage, 0);
        move(stage, 1);
    }
    assert_int_equal(pass(stage, 140).still, 0);
    assert_int_equal(pass(stage, 30).still, 1);
}

static void what_was_in_another_run_says_nothing(void **state)
{
    struct stage *stage = *state;
    start(stage, compute);
    pass(stage, 50);
    move(stage, 0);
    pass(stage, 1);
    rank_watch_begin(stage->watch, stage->now);
    assert_int_equal(pass(stage, 65).still, 1);
}

/* Slurm suspends whole jobs, and people stop process groups: what was stopped with its worker did not stand still. */
static void a_worker_that_was_stopped_saw_nothing(void **state)
{
    struct stage *stage = *state;
    struct rank_stall stall;
    await_state(start(stage, sleep_for_ever), 'S');
    pass(stage, 5);
    stage->now += 3600;
    assert_true(rank_watch_look(stage->watch, stage->now, &stall));
    assert_int_equal(stall.still + stall.waiting, 0);
    assert_int_equal(pass(stage, 7).still, 0);
    assert_int_equal(pass(stage, 5).still, 1); /* it was so before, and is so after */
}

/* Its pace is what it takes when it runs: a rank that was stopped for ten minutes, and later hangs, is named as any. */
static void time_in_which_it_was_stopped_is_no_measure_of_its_pace(void **state)
{
    struct stage *stage = *state;
    pid_t pid = start(stage, compute);
    kill(pid, SIGSTOP);
    await_state(pid, 'T');
    pass(stage, 600);
    kill(pid, SIGCONT);
    await_state(pid, 'R');
    assert_int_equal(pass(stage, 30).still, 0); /* it computes, and is not there yet */
    move(stage, 0);
    assert_int_equal(pass(stage, 110).still, 1); /* three times as long as it computed for */
}

/* Nor is the time in which it waited for the one that was stopped. */
static void nor_is_time_in_which_it_waited_for_others(void **state)
{
    struct stage *stage = *state;
    pid_t pid = start(stage, compute);
    kill(pid, SIGSTOP);
    await_state(pid, 'T');
    pass(stage, 600);
    atomic_store(&stage->board->signs[1].waits, 0);
    move(stage, 1);
    pass(stage, 1);
    struct rank_stall stall = pass(stage, 20);
    assert_int_equal(stall.still, 2);
    assert_int_equal(stall.rank, 0);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(one_that_is_stopped_is_seen_after_fifteen_seconds),
        STAGED(one_that_waits_for_a_file_server_is_seen_as_soon),
        STAGED(one_that_computes_has_a_minute),
        STAGED(so_has_one_that_computes_in_another_thread),
        STAGED(one_whose_batches_are_large_is_slow_and_not_still),
        STAGED(what_was_in_another_run_says_nothing),
        STAGED(a_worker_that_was_stopped_saw_nothing),
        STAGED(time_in_which_it_was_stopped_is_no_measure_of_its_pace),
        STAGED(nor_is_time_in_which_it_waited_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
