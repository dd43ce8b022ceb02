/* The time of the job: how long trials are expected to run, and how long they may. */
#ifndef GANNET_SCHEDULER_CORE_WALLTIME_H
#define GANNET_SCHEDULER_CORE_WALLTIME_H

#include "common/endings.h"

#include <stdbool.h>
#include <stdint.h>

struct core;
struct lease;
struct snapshot;
struct trial;
struct worker;

/* Whether predictions decide about anything: trials can't go on from checkpoints, and some end is known. */
bool walltime_matters(const struct core *core);
/* Seconds of a whole run of this trial that it will hardly need more of; negative: not known. */
double walltime_predict(struct core *core, struct trial *trial);
/* What is known for predictions; changes with every change of that. */
uint64_t walltime_version(const struct core *core);

/* Seconds in which a trial has to end; infinite: no deadline. */
double walltime_left(const struct core *core);
/* The same on a worker whose job's end is only guessed. */
double walltime_span(const struct core *core);
/* The same on this worker. */
double walltime_left_for(const struct core *core, const struct worker *worker);
/* Whether there is time on this worker for one of those that wait, or none waits. */
bool walltime_has_time(const struct core *core, const struct worker *worker);
/* The size of a vacant slot (struct vacant) up to which its worker has time for a trial that needs so much. */
double walltime_size_for(const struct core *core, double need);
/* Whether a trial that nothing special is known of would end before the deadline. */
bool walltime_suffices(const struct core *core);
/* How many in the queue would not end before the deadline. */
uint64_t walltime_exceeding(const struct core *core);
/* The same if the job had just begun: how many its successors have no time for either. */
uint64_t walltime_exceeding_whole(const struct core *core);
/* How many in the queue would not end in the job of any worker that is here or may come. */
uint64_t walltime_outlasting(const struct core *core);

/* Running trials are to be stopped. */
bool walltime_is_near(const struct core *core);
/* The end of this worker's own job is so near that it gets nothing more. */
bool walltime_is_near_for(const struct core *core, const struct worker *worker);
/* Whether a run that can't save a checkpoint may go on for now: it is expected to end before its worker's job does. */
bool walltime_may_end(struct core *core, const struct worker *worker, const struct lease *lease);
/* Of runs that the end of the session stops. */
enum ending walltime_ending(const struct core *core);
/* How a run ended by what is known here, when its worker takes this for the reason: that sees no more of a job that
 * ends under it than its signal. */
enum ending walltime_cause(const struct core *core, const struct worker *worker, enum ending ending);
/* When runs that don't end are given up; infinite: no deadline. */
double walltime_give_up(const struct core *core);
/* How long a run that is stopped has; 0: as trial.grace says. */
double walltime_stop_seconds(const struct core *core);

/* An attempt went on from this step; whether that is later than any before it. */
bool walltime_went_on(struct core *core, struct trial *trial, uint64_t resumed);
/* An attempt ended that ran the trial from its beginning to its end. */
void walltime_learn(struct core *core, const struct trial *trial, double seconds);
/* An attempt ended because a job did. */
void walltime_cut(struct trial *trial, double seconds);

void walltime_snapshot(const struct core *core, double now, struct snapshot *out);

#endif
