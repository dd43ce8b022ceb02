/* The time of the job, for the other files of this folder: what may still be started, what does not fit, and how the
 * session ends when the time is up. */
#ifndef GANNET_SCHEDULER_CORE_WALLTIME_H
#define GANNET_SCHEDULER_CORE_WALLTIME_H

#include "common/endings.h"
#include "scheduler/core/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct snapshot;
struct trial;
struct worker;

/* Whether predictions decide about anything: trials can't go on from checkpoints, and some end is known. */
bool walltime_matters(const struct core *core);
/* Seconds of a whole run of this trial that it will hardly need more of; negative: not known. */
double walltime_predict(struct core *core, struct trial *trial);
/* What is known for predictions; changes with every change of that. */
uint64_t walltime_version(const struct core *core);
double walltime_room(const struct core *core); /* seconds in which a trial has to end; infinite: no deadline */
uint64_t walltime_exceeds_walltime(
    const struct core *core);                  /* how many in the queue would not end before the deadline */
double walltime_span(const struct core *core); /* the same for a worker whose job's end is only guessed */
double walltime_room_for(const struct core *core, const struct worker *worker);
/* The size of a vacant slot (see struct vacant) up to which its worker has time for a trial that needs so much. */
double walltime_size_for(const struct core *core, double need);
/* Whether a trial that nothing special is known of would end before the deadline. */
bool walltime_has_room(const struct core *core);
/* There are workers, nothing runs, and nothing that waits fits into the time that is left. */
bool walltime_is_idle(const struct core *core);
enum ending walltime_ending(const struct core *core); /* of runs that the end of the session stops */
bool walltime_is_near(const struct core *core);       /* running trials are to be stopped */
/* The same for a worker whose job has an end of its own: whether it is so near that the worker gets nothing more. */
bool walltime_is_near_for(const struct core *core, const struct worker *worker);
/* How many of the trials that wait would not end in the job of any worker that is here or may come. */
uint64_t walltime_outlasting(const struct core *core);
/* Whether these are all that is left to be done; adds a sentence about the first. */
bool walltime_is_hopeless(struct core *core, char *why, size_t size);
void walltime_relieve(struct core *core,
                      struct worker *worker); /* then what it runs is stopped, and goes on elsewhere */
void walltime_leave(struct core *core, enum reason reason, const char *detail);
void walltime_check(struct core *core);           /* while leaving, after every input: nothing runs on any more */
void walltime_tick(struct core *core);            /* and now and then: what ran on is stopped, too */
double walltime_give_up(const struct core *core); /* when runs that don't end are given up; infinite: no deadline */
double walltime_stop_seconds(const struct core *core); /* how long a run that is stopped has; 0: as trial.grace says */
void walltime_stand(const struct core *core, double now, struct snapshot *out);
/* An attempt went on from this step; whether that is later than any before it. */
bool walltime_went_on(struct core *core, struct trial *trial, uint64_t resumed);
/* An attempt ended that ran the trial from its beginning to its end; or one that a job's end cut short. */
void walltime_learn(struct core *core, const struct trial *trial, double seconds);
void walltime_cut(struct trial *trial, double seconds);

#endif
