/* What the files of ask and tell share: ask_tell.c and ask_tell_report.c, nobody else. */
#ifndef GANNET_SCHEDULER_SESSION_ASK_TELL_PARTS_H
#define GANNET_SCHEDULER_SESSION_ASK_TELL_PARTS_H

#include "common/map.h"
#include "scheduler/core/core.h"
#include "scheduler/session/ask_tell.h"
#include "scheduler/session/early_stopping.h"
#include "scheduler/store/store.h"

/* A trial that was asked for and not told. */
struct open_trial {
    double since;             /* wall clock */
    uint32_t attempt;         /* the one that runs; 0: it waits */
    uint32_t last;            /* the highest attempt number used */
    bool is_counted;          /* how many samples the attempt has is known: */
    uint32_t samples;         /* so many */
    struct memory_seen *seen; /* what each metric came to on the way; NULL: nothing was reported */
    uint64_t decided;         /* the highest step that early stopping looked at */
    bool held;                /* a coordinator's said pause there, which a loop can't: the trial is to end */
    char *stop;               /* why it said stop; NULL: it did not */
    char *params;             /* it was asked for by a process that served and is gone; NULL: it was not */
};

/* The slot of the worker that stands for the person: who asked by a process that serves is gone when that is. */
enum { SLOT_TAKES_TURNS, SLOT_SERVED };

struct ask_tell {
    int lock;
    struct spec *spec;
    struct core_config config; /* the metrics and limits of the spec, as a coordinator has them */
    struct store *store;
    struct searcher *searcher;
    struct early_stopping *early_stopping; /* NULL: there is none */
    struct map open;                       /* number -> struct open_trial */
    uint64_t next_trial, tells;
    struct tally tally;   /* of the trials that ended */
    struct streak streak; /* of those that this process was told */
    double held, opened;  /* seconds of earlier sessions; the monotonic clock when this one began */
    bool over;            /* the search has come to its end, and the reason is recorded: it stays */
    bool begun;           /* that the experiment goes on is written */
    bool serves;          /* for as long as who asks is there */
    uint64_t left_behind; /* open trials with `params` */
    uint64_t worker;      /* the number of the worker that stands for the person */
    struct event *events; /* not committed yet */
    size_t count, capacity;
};

/* Writes an event down, to be committed; once before all others, that the experiment goes on. */
void ask_tell_emit(struct ask_tell *ask_tell, struct event what);
void ask_tell_begin(struct ask_tell *ask_tell);

/* An attempt begins here. */
void ask_tell_lease(struct ask_tell *ask_tell, uint64_t trial, uint32_t attempt);

/* -1 with the sentence that there is no such trial, or none that could still be told. */
int ask_tell_refuse(const struct ask_tell *ask_tell, uint64_t trial, struct err *err);

/* Finds out how many samples the trial's attempt has. -1 with a sentence. */
int ask_tell_count(struct ask_tell *ask_tell, uint64_t trial, struct open_trial *open, struct err *err);

/* What was seen of a trial on its way, before this process. */
void ask_tell_recall_seen(const struct ask_tell *ask_tell, const struct memory_trial *from, struct open_trial *to);
void open_trial_destroy(struct open_trial *open); /* NULL is fine */

#endif
