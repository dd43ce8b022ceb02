/* How a run goes, as one line: fetched elsewhere (a snapshot), modelled here, drawn here; nothing is written. */
#ifndef GANNET_CLI_VIEW_PROGRESS_H
#define GANNET_CLI_VIEW_PROGRESS_H

#include "cli/console.h"
#include "scheduler/core/snapshot.h"

/* What a line shows. Texts belong to the caller. */
struct run_progress {
    const char *name;      /* of the experiment */
    const char *metric;    /* of the objective */
    const char *note;      /* what a person should know now ("finishing 2 running trials ..."); NULL: nothing */
    uint64_t ended, total; /* trials, without those that were added; total 0: not limited */
    uint64_t running, waiting, failed, paused, stopped;
    bool has_best;
    double best;
    uint64_t best_trial;
    double rate;    /* trials ended a second; 0: not known */
    double left;    /* seconds to go; negative: not known */
    double elapsed; /* seconds the experiment has run */
    uint32_t slots;
};

/* The model of a snapshot. */
struct run_progress progress_of(const char *name, const char *metric, const struct snapshot *snapshot);

/* Adds what early stopping saves: "34 % of full training, 1240 of 3618"; nothing when that is not known. */
void progress_steps(const struct snapshot *snapshot, struct buf *out);

/* Adds one line without its end, at most look->width - 1 columns wide: what matters less is left out first. */
void progress_line(const struct run_progress *progress, const struct look *look, struct buf *out);

/* Adds one line "2026-11-20T14:02:11Z done=96/400 running=16 ... best=0.0714 best_trial=131" for logs, with its end. */
void progress_plain(const struct run_progress *progress, double wall, struct buf *out);

/* When lines are written off a terminal: the first one, at each new best, and otherwise once a minute. */
struct pace {
    double last; /* when the last one was due; {0}: none yet */
    uint64_t best_trial;
};

/* Whether a line is due at `now` (seconds on any clock above 0); counts it as written. */
bool pace_due(struct pace *pace, const struct run_progress *progress, double now);

/* What is said of a coordinator that is started and waits for room. */
extern const char progress_no_room[];

#endif
