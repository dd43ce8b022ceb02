/* An experiment that runs, shown until it has ended: on this machine or as a submission; and what came of it. */
#ifndef GANNET_CLI_SESSION_WATCH_EXPERIMENT_H
#define GANNET_CLI_SESSION_WATCH_EXPERIMENT_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "cli/view/progress.h"
#include "scheduler/rundir/rundir.h"
#include "scheduler/supervisor/supervise.h"

struct watch_setup {
    const struct supervise_setup *supervise;
    const char *name;   /* of the experiment */
    const char *metric; /* of the objective */
    bool quiet;         /* shows nothing on the way */
};

/* What watch_experiment returns when the coordinator refused what is in the run directory: nothing was started. */
enum { WATCH_REFUSED = -2 };

/* Returns when the coordinator has ended and all processes are gone: 0; 1 when the person had everything killed; -1
 * with a sentence when it was given up or could not be started, WATCH_REFUSED likewise. */
int watch_experiment(struct console *console, const struct watch_setup *setup, struct err *err);

/* Shows why the job does not start, how the search goes, and at the end what came of it. `name`: what the person calls
 * the experiment. The exit status that the end means; STATUS_INTERRUPTED after Ctrl-C, which leaves the job alone. */
int follow_submitted(struct console *console, const struct rundir *dir, const char *name);

/* The same for any experiment that runs, whoever started it: Ctrl-C leaves it alone. */
int follow_running(struct console *console, const struct rundir *dir, const char *name);

/* Shows the summary of a run directory, as JSON or for people. The exit status that its end means; with `silent`
 * nothing but that. */
int report_end(struct console *console, const struct rundir *dir, bool json, bool silent);

/* Writes "trial 12  val_accuracy 0.97222  lr=0.001 width=64" when the best trial is not *shown, and takes that down. */
void watch_show_best(struct console *console, struct live_line *live, struct source *source,
                     const struct run_progress *progress, uint64_t *shown);

#endif
