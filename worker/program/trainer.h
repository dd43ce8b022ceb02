/* A trainer: the process that runs a kernel, kept warm from run to run (its data stays loaded). One for each busy slot.
 *
 *     worker                                  trainer
 *     (starts it, bound to its slot)
 *     SETUP (task, threads)        ------->   opens the kernel, loads the data
 *                                  <-------   READY (or the trouble it has)
 *     RUN (others may follow)      ------->
 *                                  <-------   STEP ...
 *     HALT                         ------->   (ends after the present step)
 *                                  <-------   ENDED
 *     (SIGTERM, or the worker is gone)  -->   exits
 *
 * Whatever else comes from it - nonsense, a message at the wrong time, the end of its process - is the end of the
 * trainer, and of the run it has, if any. A trainer that grows from run to run is ended between two. */
#ifndef GANNET_WORKER_PROGRAM_TRAINER_H
#define GANNET_WORKER_PROGRAM_TRAINER_H

#include "common/loop.h"
#include "common/msg.h"
#include "common/proc.h"
#include "common/task.h"
#include "worker/hardware/pin.h"
#include "worker/program/crew.h"
#include "worker/program/run.h"

struct trainer;

/* What a trainer tells; all are called from the loop, none from within a function of trainer.h but trainer_listen. */
struct trainer_calls {
    void (*ready)(void *context); /* it waits for a run */
    void (*step)(void *context, const struct msg_step *step);
    void (*ended)(void *context, const struct msg_ended *ended); /* the first run */
    /* Its process is gone; its processor seconds are those that it had not told. `nonsense` is why it was killed when
     * it broke the rules, else NULL. */
    void (*gone)(void *context, const struct proc_exit *how, const char *nonsense);
};

struct trainer_setup {
    const char *const *argv;
    const char *task; /* JSON */
    const char *const *env;
    const struct pin *pin;
    uint32_t threads;   /* of each of its processes */
    const char *places; /* of each, as the message SETUP has them; "": there is one process */
    struct crew *crew;  /* whose process it shares; NULL: it has one of its own */
};

/* Starts one and sends SETUP. NULL with a sentence. */
struct trainer *trainer_start(struct loop *loop, const struct trainer_setup *setup, const struct trainer_calls *calls,
                              void *context, struct err *err);
void trainer_destroy(struct trainer *trainer); /* kills it; no call follows. NULL is fine */

/* How many runs it has: given, and neither ended nor recalled. They are taken one after the other. */
uint32_t trainer_runs(const struct trainer *trainer);

/* How many more it should be given now: one when it waits for a run; more ahead when its runs are short. */
uint32_t trainer_wants(const struct trainer *trainer);

/* Its process is about to end. */
bool trainer_is_ending(const struct trainer *trainer);

/* Why it can't run any trial, or "". Known once it was ready. */
const char *trainer_trouble(const struct trainer *trainer);

/* How long it took to open its data: once, then 0. */
double trainer_take_opening(struct trainer *trainer);

/* Gives it a run of this task, not more than it wants; trainer_send then sends all that were given. `directory` is the
 * trial's, `origin` the checkpoint of another trial that it starts from, or NULL. */
void trainer_give(struct trainer *trainer, const struct run *run, const struct task *task, const char *directory,
                  const char *origin);
void trainer_send(struct trainer *trainer);

/* The first of the runs that it has is this one: error output is its from now on. */
void trainer_begin(struct trainer *trainer, const struct run *run, const char *directory);

/* Takes back the runs that it has not begun, the last ones - all of them when it is slow: trainer_runs says how many
 * are left. */
void trainer_recall(struct trainer *trainer);

/* Takes what it has said up to now, without waiting: calls as from the loop. */
void trainer_listen(struct trainer *trainer);

/* Asks for the end of the run it has; `keep`: with a checkpoint, since it may go on later. */
void trainer_halt(struct trainer *trainer, const struct run *run, bool keep);

/* Lets it exit (idle), or kills it (else); `gone` follows. */
void trainer_end(struct trainer *trainer);

/* Whether it should be replaced now that it is idle: it keeps much more memory than after its first run. `limit` is
 * what a trial may use, 0 when that is not limited. */
bool trainer_has_grown(struct trainer *trainer, uint64_t limit);

/* Whether its process is shared, and was ended for the sake of another's run. */
bool trainer_is_shared(const struct trainer *trainer);
bool trainer_is_bystander(const struct trainer *trainer);

pid_t trainer_pid(const struct trainer *trainer);

/* The last lines of its error output in this run, up to now. */
const char *trainer_tail(struct trainer *trainer);

#endif
