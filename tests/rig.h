/* A worker and a made-up coordinator under one loop, so that a test can tell the conversation from both sides. Claims
 * wait for messages, never for time. */
#ifndef GANNET_TESTS_RIG_H
#define GANNET_TESTS_RIG_H

#include "common/endings.h"
#include "common/link.h"
#include "common/loop.h"
#include "common/msg.h"
#include "tests/claims.h"
#include "worker/worker.h"

/* What the task is made of; the defaults are a kernel run by the fake trainer, in one slot. */
struct rig_task {
    const char *command; /* JSON list, or NULL: the kernel */
    const char *options; /* JSON object of the kernel, or NULL */
    const char *env;     /* JSON object, or NULL */
    double trial_time, grace;
    uint64_t memory;
    bool checkpoint;    /* trials can be continued */
    const char *signal; /* of a program; NULL: none */
    int cpus;           /* of the machine's four a trial: 4 makes one slot, 2 two; 0: 4 */
};

struct rig {
    char *scratch; /* also the run directory */
    struct loop *loop;
    struct link_context *links;
    const char *door_name; /* of the socket; NULL: "workers" */
    struct link *door;
    struct loop_watch *door_in;
    uint64_t peer; /* the worker, once it said something */
    struct worker_setup setup;
    const char *trainer[3];
    struct worker *worker;
    struct rig_task task;
    double heartbeat, silence;
    double deadline;    /* that leases speak of */
    bool introduced;    /* the worker has said HELLO at this door; to whoever has not, WHO is answered */
    bool mute;          /* HELLO is not answered */
    bool keep_acks;     /* results are not acknowledged */
    bool ended;         /* the worker has ended, */
    int status;         /* with this */
    struct msg **inbox; /* what came, in order */
    size_t inbox_count, inbox_room, inbox_read;
    const struct msg_results *results; /* the last message of results that was looked at, */
    uint32_t results_read;             /* and how many of them */
    struct loop_watch *glance;
};

/* For main(): acts as the fake trainer when the process was started as one. Then runs the tests. */
int rig_main(int count, char **words, int (*tests)(void));

/* Setup and teardown of a test; *state is the struct rig. */
int enter_rig(void **state);
int leave_rig(void **state);

/* Opens the door and starts the worker, which finds it by coordinator.json; waits until it has offered its slots. */
void rig_start(struct rig *rig);

/* The parts of that. */
void rig_open_door(struct rig *rig);
void rig_close_door(struct rig *rig);
/* Writes coordinator.json for a door that the test has opened itself, and listens there. */
void rig_announce(struct rig *rig, const char *endpoint, const char *public_key);
void rig_start_worker(struct rig *rig);

void rig_send(struct rig *rig, const struct msg *msg);
void rig_welcome(struct rig *rig);
void rig_lease(struct rig *rig, uint64_t trial, uint32_t attempt, const char *params); /* slot 0 */
void rig_lease_slot(struct rig *rig, uint64_t trial, uint32_t slot, const char *params);
void rig_stop_run(struct rig *rig, uint64_t trial, enum ending ending);
void rig_ack(struct rig *rig, uint64_t trial, uint32_t attempt, uint32_t samples, bool ended);
void rig_drain(struct rig *rig, bool now);

/* The next message of this kind, those of other kinds before it are passed over. The test fails when it does not come.
 */
const struct msg *rig_wait(struct rig *rig, enum msg_kind kind);

/* The next result of this trial, those of others before it are passed over; acknowledged unless keep_acks. */
const struct msg_result *rig_result(struct rig *rig, uint64_t trial);

/* Lets the loop run while something could happen that must not: for two heartbeats. */
void rig_settle(struct rig *rig);

/* Waits for the worker's end; its status. */
int rig_wait_end(struct rig *rig);

/* A sample's value of a result by its metric; the test fails when there is none. */
double rig_value(const struct msg_result *result, const char *metric);

/* Whether a process lives (and is no zombie). */
bool rig_lives(pid_t pid);

/* Waits until a process is gone; until a file of the run directory is there, or is not. */
void rig_wait_gone(struct rig *rig, pid_t pid);
void rig_wait_file(struct rig *rig, const char *name);
void rig_wait_no_file(struct rig *rig, const char *name);

/* What a file of the run directory holds; "" when there is none. */
const char *rig_file(const struct rig *rig, const char *name, struct buf *out);

#endif
