/* A child process under test: started, listened to and waited for on a loop. */
#ifndef GANNET_TESTS_CHILD_H
#define GANNET_TESTS_CHILD_H

#include "common/proc.h"
#include "tests/claims.h"

#include <stdbool.h>
#include <sys/types.h>

enum { CHILD_PATIENCE = 120 }; /* seconds after which a test that waits has failed */

/* One child and what became of it. */
struct child {
    struct loop *loop;
    struct proc *proc;
    int ends; /* how often its end was told */
    struct proc_exit how;
    int out; /* what it says: the reading end of its standard output; -1: none */
    struct err err;
};

/* No input, no output, our errors; a script needs argv besides. */
extern const struct proc_setup child_plain;

/* Starts a child whose standard output we read; false, with child->err, when it can't be. */
bool child_launch(struct child *child, struct loop *loop, struct proc_setup setup);
bool child_launch_shell(struct child *child, struct loop *loop, const char *script);

/* What proc_start is given: counts the end, keeps how, and stops the loop. */
void child_exited(void *context, const struct proc_exit *how);

/* Reads until `stop_at` was said, or the end. */
void child_hear(struct child *child, char stop_at, char *text, size_t size);

void child_wait(struct child *child); /* until its end was told */
void child_finish(struct child *child);

/* Runs a child to its end; what it said, valid until the next one. */
const char *child_run(struct child *child, struct loop *loop, struct proc_setup setup);
const char *child_run_shell(struct loop *loop, struct proc_setup setup, const char *script);

/* A process runs no more: now, or soon. */
bool child_is_dead(pid_t pid);
void child_expect_dead(pid_t pid);

/* Setup and teardown of a test whose *state is a loop. */
int child_enter_loop(void **state);
int child_leave_loop(void **state);

#define CLAIM_ON_LOOP(name) cmocka_unit_test_setup_teardown(name, child_enter_loop, child_leave_loop)

#endif
