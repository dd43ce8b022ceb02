/* A worker and a made-up coordinator under one loop, so that a test can tell the conversation from both sides. Claims
 * wait for messages, never for time. */
#ifndef GANNET_TESTS_WORKER_HARNESS_H
#define GANNET_TESTS_WORKER_HARNESS_H

#include "common/endings.h"
#include "common/link.h"
#include "common/loop.h"
#include "common/msg.h"
#include "common/task.h"
#include "tests/claims.h"
#include "worker/agent/agent.h"

/* What the task is made of; the defaults are a kernel run by the fake trainer, in one slot. */
struct harness_task {
    const char *command; /* JSON list, or NULL: the kernel */
    const char *options; /* JSON object of the kernel, or NULL */
    const char *env;     /* JSON object, or NULL */
    double trial_time, grace;
    uint64_t memory;
    bool checkpoint;          /* trials can be continued */
    const char *metrics_file; /* NULL: none */
    uint64_t max_steps;       /* 0: not limited */
    const char *signal;       /* of a program; NULL: none */
    int nodes;                /* that a trial takes; 0: 1 */
    struct task_ports ports;  /* where processes of several nodes may listen; {0}: anywhere */
    int cpus;                 /* of the machine's four a trial: 4 makes one slot, 2 two; 0: 4 */
};

struct harness {
    char *scratch; /* also the run directory */
    struct loop *loop;
    struct link_context *links;
    struct key_pair keys, worker_keys; /* the coordinator's, and the worker's, which are in the run directory, too */
    int lock;                          /* of the run directory, as a coordinator holds it */
    const char *listener_name;         /* of the socket, or a tcp endpoint; NULL: "workers" */
    struct link *listener;
    struct loop_watch *listener_in;
    uint64_t peer; /* the worker, once it said something */
    struct agent_setup setup;
    const char *trainer[3];
    struct agent *worker;
    struct harness_task task;
    double heartbeat, silence;
    double deadline;    /* that leases speak of */
    bool introduced;    /* the worker has said HELLO at this listener; to whoever has not, WHO is answered */
    bool mute;          /* HELLO is not answered */
    bool keep_acks;     /* results are not acknowledged */
    bool ended;         /* the worker has ended, */
    int status;         /* with this */
    struct msg **inbox; /* what came, in order */
    size_t inbox_count, inbox_capacity, inbox_read;
    const struct msg_results *results; /* the last message of results that was looked at, */
    uint32_t results_read;             /* and how many of them */
    struct loop_watch *glance;
    char unread[200];   /* why a message of the worker could not be read; "": none (a callback must not fail) */
    const char *unsent; /* the kind of message that could not be sent; NULL: none */
};

/* For main(): acts as the fake trainer when the process was started as one. Then runs the tests. */
int harness_main(int count, char **words, int (*tests)(void));

/* Setup and teardown of a test; *state is the struct harness. */
int enter_harness(void **state);
int leave_harness(void **state);
#define HARNESS_CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_harness, leave_harness)

/* Opens the listener and starts the worker, which finds it by coordinator.json; waits until it has offered its slots.
 */
void harness_start(struct harness *harness);

/* The parts of that. */
void harness_open_listener(struct harness *harness);
void harness_close_listener(struct harness *harness);
void harness_start_worker(struct harness *harness);

void harness_send(struct harness *harness, const struct msg *msg);
void harness_welcome(struct harness *harness);
void harness_lease(struct harness *harness, uint64_t trial, uint32_t attempt, const char *params); /* slot 0 */
void harness_lease_slot(struct harness *harness, uint64_t trial, uint32_t slot, const char *params);
void harness_stop_run(struct harness *harness, uint64_t trial, enum ending ending);
void harness_ack(struct harness *harness, uint64_t trial, uint32_t attempt, uint32_t samples, bool ended);
void harness_drain(struct harness *harness, bool now);

/* The next message of this kind, those of other kinds before it are passed over. The test fails when it does not come.
 */
const struct msg *harness_wait(struct harness *harness, enum msg_kind kind);

/* The next result of this trial, those of others before it are passed over; acknowledged unless keep_acks. */
const struct msg_result *harness_result(struct harness *harness, uint64_t trial);

/* Lets the loop run while something could happen that must not: for two heartbeats. */
void harness_settle(struct harness *harness);

/* Waits for the worker's end; its status. */
int harness_wait_end(struct harness *harness);

/* The test fails, with the result's sentence, when a run ended otherwise. */
void harness_assert_ending(const struct msg_result *result, enum ending ending);

/* A sample's value of a result by its metric; the test fails when there is none. */
double harness_value(const struct msg_result *result, const char *metric);

/* Whether a process lives (and is no zombie). */
bool harness_lives(pid_t pid);

/* Waits until a process is gone; until a file of the run directory is there. */
void harness_wait_gone(struct harness *harness, pid_t pid);
void harness_wait_file(struct harness *harness, const char *name);

/* What a file of the run directory holds; "" when there is none. */
const char *harness_file(const struct harness *harness, const char *name, struct buf *out);

#endif
