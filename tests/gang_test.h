/* The program gannet-trainer as its worker leads it: started, told tasks and runs, and listened to. */
#ifndef GANNET_TESTS_GANG_TEST_H
#define GANNET_TESTS_GANG_TEST_H

#include "common/msg.h"
#include "common/endings.h"

#include <sys/types.h>

enum { PATIENCE = 300000 /* ms for anything awaited */, MOST_SAMPLES = 400 };

#define DIGITS "'data': 'examples/data/digits.csv', 'epochs': 4"

/* A trainer, our ends of its socket and error output, and what it said of its last run. */
struct gang_test {
    int nodes; /* of its task; 0: one */
    pid_t pid; /* 0: reaped */
    int fd, errors;
    struct buf in, out;
    struct msg msg;
    double values[MOST_SAMPLES];
    size_t count;
};

/* For cmocka's tests with a set-up: *state is a struct gang_test. */
int gang_test_start(void **state);
int gang_test_end(void **state);

int gang_test_reap(struct gang_test *test); /* waits for its end; the wait status */

void gang_test_tell(struct gang_test *test, const struct msg *msg);
enum msg_kind gang_test_next(struct gang_test *test); /* MSG_NONE: it closed the stream */

/* Sets up a kernel in so many ranks; its trouble. */
const char *gang_test_set_up(struct gang_test *test, const char *kernel, int ranks, const char *options);

/* Trial 1 with these parameters. */
struct msg_run gang_test_trial(const char *params);

/* Tells of a run, and hears of its end: how it ended. What it reported is in `values`. */
void gang_test_begin(struct gang_test *test, const struct msg_run *wanted);
enum ending gang_test_await(struct gang_test *test);
enum ending gang_test_run(struct gang_test *test, const struct msg_run *wanted);

#endif
