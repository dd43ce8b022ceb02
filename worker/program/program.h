/* A person's own program as one trial runs it: its command with the trial's values, bound to the slot, its output in
 * the trial's directory, metrics read from there while it runs. It has processes of its own, one or several (ranks.h),
 * or is run by that of a persistent program (server.h). */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_H
#define GANNET_WORKER_PROGRAM_PROGRAM_H

#include "common/loop.h"
#include "common/msg.h"
#include "common/phases.h"
#include "common/proc.h"
#include "common/run_counters.h"
#include "common/task.h"
#include "worker/hardware/pin.h"
#include "worker/profile/perf.h"
#include "worker/program/run.h"
#include "worker/program/server.h"
#include "worker/program/stream.h"

struct program;

/* What a program tells; called from the loop, none from within a function of program.h. */
struct program_calls {
    void (*sample)(void *context, const struct msg_sample *sample);
    /* Some of its time, a checkpoint that it has saved, and its question whether to stop; see stream.h. */
    void (*phase)(void *context, const char *name, double seconds, uint64_t count);
    void (*saved)(void *context, int64_t step);
    void (*asked)(void *context, int64_t step, struct stream_stop *out);
    void (*began)(void *context); /* a persistent program has been given the trial */
    /* Its processes are gone, or a persistent program has ended the trial, and all of its output read. `tail` are the
     * last lines of its error output; `others` says what it printed beside the values that were asked for ("it printed
     * acc"). The program is to be destroyed. */
    void (*gone)(void *context, const struct proc_exit *how, const char *tail, const char *others);
};

struct program_setup {
    const struct task *task;
    const struct run *run;
    const char *directory; /* the trial's; made when it does not exist */
    const char *origin;    /* another trial's checkpoint, to start from while there is none of its own; or NULL */
    const struct pin *pin; /* of the slot as a whole */
    const struct topology *topology;
    const struct slot_place *place; /* the slot's, of which each of several processes has a part */
    const char *const *marks;       /* the environment that marks all of a worker's children; NULL at the end */
    struct server *server;          /* that runs it; NULL: processes of its own do */
    perf_events events;             /* of the processor that are counted */
    struct stream_port *port;       /* where it may say how it goes; NULL: nowhere */
    const char *python;             /* the directory of gannet.py; NULL: it is not there */
    uint32_t gpus;
    const char *lines; /* the library that makes output come line by line, or NULL */
    const char *cupti; /* the library that counts its work on GPUs, or NULL */
    double deadline;   /* when the time of the job is up, seconds since 1970; 0: not known */
    double *found;     /* when all that the command needs was last found to be there; 0: it is to be looked for */
};

/* Starts one. NULL with a sentence, and *ending says whether the configuration is at fault (BAD_CONFIG) or the machine
 * (NOT_STARTED). */
struct program *program_start(struct loop *loop, const struct program_setup *setup, const struct program_calls *calls,
                              void *context, enum ending *ending, struct err *err);
void program_destroy(struct program *program); /* kills it; no call follows. NULL is fine */

/* Whether it was given a checkpoint to go on from. */
bool program_went_on(const struct program *program);

/* Reads what it has printed since; a part of it when that is very much. */
void program_look(struct program *program);

/* Looks whether it has ended, by its processes or by what it says: what is called for that may be so within this. */
void program_hear(struct program *program);

/* Whether it has ended, all of it: `gone` follows when its output was read, and what is left of it is gone. */
bool program_is_over(const struct program *program);

/* SIGTERM to all of it, SIGKILL after `grace` seconds; `gone` follows. */
void program_end(struct program *program, double grace);

/* The same after its own signal: it has most of `grace` to save a checkpoint and end by itself. */
void program_ask(struct program *program, int signal, double grace);

/* Whether it asks if it is to stop: then its answer says so, and SIGTERM can wait. Ends such a program in that way:
 * SIGTERM after `wait` seconds, SIGKILL after `grace`. */
bool program_asks(const struct program *program);
void program_tell(struct program *program, double wait, double grace);

/* Whether it has left another checkpoint than it found. */
bool program_saved(const struct program *program);

/* What a persistent program that lives on said of the trial's end, "" for nothing; NULL: a process has ended. */
const char *program_words(const struct program *program);

/* What all of its processes used; known once it is gone. */
const struct run_counters *program_counters(const struct program *program);

/* Whether its work on GPUs was to be counted; why it can't be, or NULL. */
bool program_counts_gpu(const struct program *program, const char **why);

/* Whether one of its own processes is this one. */
bool program_has(const struct program *program, pid_t pid);

/* Bytes of memory that all of it uses (process_tree.h). */
uint64_t program_memory(const struct program *program, bool exactly);

/* Which of its processes, and of what they have started, is stopped (process_tree.h). */
pid_t program_stopped(const struct program *program);

/* Whether one of several processes has failed, and the others are being ended for it. */
bool program_is_failing(const struct program *program);

/* Once it is gone: whether it ended because one of several processes failed, which one; and those that had to be ended
 * because they did not end by themselves after the first had. */
bool program_failed_in(const struct program *program, uint32_t *rank);
const struct numbers *program_stayed(const struct program *program);

#endif
