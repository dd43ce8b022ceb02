/* gannet run inside a job of Slurm. From the batch script, or the shell of an interactive job, it runs a worker on each
 * node of the job; as a step of several tasks (srun gannet run), the first task runs the experiment and the others are
 * its workers. Outside a job nothing of this does anything. */
#ifndef GANNET_CLI_SESSION_INSIDE_H
#define GANNET_CLI_SESSION_INSIDE_H

#include "cli/console.h"
#include "scheduler/slurm/step.h"

struct inside {
    struct allocation allocation;
    struct steps steps;   /* workers on the job's nodes */
    struct texts own;     /* words of this task's own worker */
    struct texts options; /* of the coordinator */
    struct supervise_worker worker;
};

/* Finds out. -1 with a sentence. */
int inside_enter(struct inside *inside, struct err *err);
void inside_leave(struct inside *inside);

/* Whether this process is one of the workers of another task. */
bool inside_is_worker(const struct inside *inside);

/* Becomes that worker; returns only when that fails: the exit status, everything said. */
int inside_work(struct console *console, const struct inside *inside, const struct rundir *dir);

/* Fills in how workers are started, and when the job ends. What a person gave (--listen, --workers) stays. */
void inside_prepare(struct inside *inside, struct console *console, const struct spec *spec,
                    struct supervise_setup *setup);

#endif
