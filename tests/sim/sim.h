/* The simulator: the coordinator's core with a virtual clock, network, disk, strategy and workers, all drawn from one
 * seed. Messages are delayed, lost (in one direction, too), doubled and reordered; workers die, hang, fall silent and
 * come back; the disk stalls; the coordinator dies, or is stopped for a while, and goes on from what was committed.
 * After each input the books of the core are checked, and at the end whether every promise was kept.
 *
 * In one half of the worlds what is committed is a model, in the other it is the real store on a disk in memory
 * (tests/ram_disk.h) that fails and loses power at any write: after each start what is found there is compared with
 * the model and with all that anybody was told.
 *
 *     world.c    the clock: what happens next, and to whom
 *     worker.c   a model of the worker's side of the conversation
 *     values.c   what trials report, the same for every attempt
 *     amend.c    an operator who changes the past
 *     job.c      jobs of workers, which end
 *     disk.c     what was committed, and folding it back into the core's memory
 *     store.c    the real store beneath it
 *     look.c     what another program finds there
 *     compare.c  the store against the model
 *     sums.c     the same of what is counted, and of samples and parts
 *     early.c    early stopping: pauses, promotions, stops
 *     stranger.c says whatever comes to its mind
 *     faults.c   what goes wrong, and when
 *     check.c    the promises, and what an input may cost
 *     shrink.c   a smaller world in which a promise is broken, too
 */
#ifndef GANNET_TESTS_SIM_SIM_H
#define GANNET_TESTS_SIM_SIM_H

#include "common/map.h"
#include "common/ring.h"
#include "common/rng.h"
#include "scheduler/core/core.h"
#include "scheduler/core/counters.h"
#include "scheduler/session/early_stopping.h"
#include "scheduler/store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

enum {
    SIM_WORKERS = 6,
    SIM_TRIALS = 200,
    SIM_SLOTS = 4,
    SIM_STORED_TRIALS = 25,
    SIM_AMENDED_TRIALS = 2000,
    SIM_MOST_NODES = 4
};

/* Whether trials run to their end, pause at rungs and go on from checkpoints, or are stopped. */
enum sim_early { SIM_WHOLE, SIM_PAUSES, SIM_STOPS, SIM_MEDIAN };

/* What can go wrong: the faults, of which one happens now and then, and then properties of a world. */
#define SIM_TROUBLES(X)                                                                                                \
    X(KILL, kill, "the coordinator is killed")                                                                         \
    X(DEATH, death, "a worker dies")                                                                                   \
    X(CUT, cut, "a connection breaks")                                                                                 \
    X(PAUSE, pause, "a worker is stopped for a while")                                                                 \
    X(STALL, stall, "the disk stands still")                                                                           \
    X(COMMAND, command, "somebody ends the session or the search")                                                     \
    X(STRANGER, stranger, "somebody talks nonsense")                                                                   \
    X(CANCEL, cancel, "a trial is cancelled")                                                                          \
    X(POWER, power, "the coordinator's node loses power at one of the next writes")                                    \
    X(ERROR, error, "the disk fails for a while")                                                                      \
    X(ONE_WAY, one_way, "a worker is heard and does not hear, or the other way round")                                 \
    X(STOP, stop, "the coordinator is stopped for a while")                                                            \
    X(CHECKPOINT, checkpoint, "a checkpoint is lost")                                                                  \
    X(LOSS, loss, "messages are lost")                                                                                 \
    X(DOUBLING, doubling, "messages come twice")                                                                       \
    X(JITTER, jitter, "messages overtake each other")                                                                  \
    X(JOBS, jobs, "jobs of workers end")                                                                               \
    X(SESSIONS, sessions, "the coordinator's job ends")                                                                \
    X(KILLERS, killers, "trials kill their workers")                                                                   \
    X(FAILURES, failures, "runs fail")                                                                                 \
    X(LIMITS, limits, "limits end the search")                                                                         \
    X(EARLY, early, "trials pause and are stopped")                                                                    \
    X(MEMORY, memory, "trials run out of memory and get more")                                                         \
    X(AMENDS, amends, "an operator ignores, reopens and adds trials")                                                  \
    X(NODES, nodes, "trials take a slot on each of several nodes")                                                     \
    X(BAD_NODE, bad_node, "every run on one of the nodes fails")

enum sim_trouble {
#define X(ID, name, help) SIM_##ID,
    SIM_TROUBLES(X)
#undef X
        SIM_TROUBLE_COUNT
};

/* What a world is to be like, beside what its seed says. {0}: as the seed says, with a model of the store. */
struct sim_options {
    bool store;                            /* the real one */
    bool trace;                            /* prints every message and commit */
    bool without[SIM_TROUBLE_COUNT];       /* what is not to happen */
    uint32_t trials, workers, most_faults; /* at most; 0: as the seed says */
};

/* How rough this seed's world is. */
struct sim_profile {
    bool crowd;      /* very many workers: the books are checked now and then only, the costs after every input */
    uint64_t trials; /* limits.max_trials */
    uint64_t strategy_limit; /* proposals that the strategy has; 0: more than enough */
    uint32_t workers, slots, credit;
    uint32_t
        nodes; /* that a trial takes a slot on each of; then every worker is on a node of its own, or on one of few */
    uint32_t bad_node;    /* every run on this worker's node fails, and every worker is on a node of its own; 0: none */
    uint32_t other_bad;   /* and on this one's; 0: there is no other */
    bool quiet;           /* and nothing else goes wrong */
    double run_seconds;   /* mean length of a run */
    double delay, jitter; /* of a message */
    double loss, doubling; /* probability, a message */
    double commit_seconds; /* mean time of a commit */
    double calm;           /* virtual time after which nothing goes wrong any more */
    double mischief;       /* mean seconds between faults */
    double failing;        /* probability that a run fails by itself */
    double killing;        /* probability that a trial kills its worker, each time; nothing else does then */
    uint64_t memory;       /* bytes of a slot; 0: not limited */
    uint32_t retries;
    bool use_best;
    enum sim_early early;
    double session; /* seconds that the coordinator's job lasts; 0: it is not known when it ends */
    double job;     /* mean seconds that a worker's job lasts; 0: workers are of no job */
    double time;    /* limits.time; 0: none */
    bool amends;    /* an operator changes the past */
    bool has_max_failures, has_target;
    uint64_t max_failures;
    uint32_t same_failures; /* so many in a row pause the search; 0: never */
    double target;
};

/* A run at a worker. */
struct sim_run {
    uint64_t trial;
    uint32_t attempt, slot;
    uint64_t memory; /* bytes that it may use; 0: not limited */
    uint32_t node;   /* of the run, from 0 */
    bool again;      /* its lease came once more after it had ended, or had been given back */
    enum { SIM_QUEUED, SIM_RUNNING, SIM_ENDED } state;
    enum ending ending;
    uint32_t start;           /* steps that its checkpoint had: it goes on behind them */
    uint64_t known;           /* the step up to which its samples are recorded */
    uint64_t until;           /* the step to pause after; 0: none */
    uint32_t made, acked;     /* samples reported so far, and those of them known to be on disk */
    double started, reported; /* when it began; when its result was last sent */
    uint64_t serial;          /* tells its timers from those of others */
};

struct sim_worker {
    uint64_t id, peer;
    bool alive, welcomed, draining;
    double heard, paused_until;
    double deaf_until, mute_until; /* what it is sent, or sends, is lost */
    uint64_t failures;             /* runs that failed there, of all workers in this place */
    uint64_t aside;                /* the session that set it aside last */
    uint32_t job;                  /* 0: it is of none, */
    double ends;                   /* else then it is killed */
    struct sim_run *runs;
    size_t run_capacity;
    uint32_t run_count;
};

/* What was committed of one trial. */
struct sim_record {
    uint32_t proposed, ended; /* how many such events */
    bool ignored, added;      /* what an operator said, */
    bool cancelled;           /* perhaps only to a coordinator that is gone */
    bool running;
    uint32_t attempts, attempt, failures, losses, slot;
    uint32_t reopened; /* it had ended when it had so many attempts, and was reopened; 0: it was not */
    uint64_t memory;   /* bytes that its next attempt is given; 0: as every other */
    uint32_t killed;   /* workers that it killed */
    uint64_t worker, told;
    struct sim_attempt {
        bool leased, over; /* over: RUN_ENDED or LATE */
        uint64_t worker;
        uint32_t samples; /* recorded: all before this number */
        struct sim_part {
            uint64_t worker;
            uint32_t slot;
            bool over, told_over; /* PART_ENDED; somebody was told that this is recorded */
            enum ending ending;
        } parts[SIM_MOST_NODES - 1]; /* of further nodes, */
        uint32_t part_count;         /* so many */
        bool told_over;              /* somebody was told that its end is recorded, */
        uint32_t told;               /* and so many samples; */
        bool found_over;             /* and what is found after a start */
        uint32_t found;
        uint64_t found_resumed;
        uint32_t taken; /* how often a worker began with it */
        /* sums.c: */
        bool row, measured, late; /* it has a row of `runs`; its worker said how it ended, after it was given up */
        uint64_t row_worker, resumed;
        enum ending late_ending;
        uint64_t numbers, sampled; /* samples: a bit for each, and the sum of their hashes */
    } * runs;                      /* by attempt, */
    size_t run_capacity;           /* as many as were ever spoken of; see sim_attempt */
    bool has_value;
    double value;
    enum ending ending;
    char params[32];
    /* early.c: */
    bool paused, held, stopped;
    bool seen_older; /* samples came of an attempt before one that had had some */
    uint32_t ended_attempt, seen_attempt;
    uint64_t reached, decided, observed, step;
    struct memory_seen seen, older; /* older: before an attempt began anew */
};

/* What the row of `progress` counts. */
struct sim_sums {
    uint64_t retried, cut, late, steps, stepped;
    double run_seconds;
    uint64_t session, worked; /* that was written in last, and that something came of last */
};

/* One thing that early stopping was told, and what it said. */
struct sim_told {
    enum event_kind kind;
    uint64_t trial, step;
    double value;
    enum early_stop_action decision;
    double cut_off;
    enum ending ending;
};

struct sim {
    uint64_t seed;
    struct sim_options options;
    struct sim_profile profile;
    uint32_t faults; /* so far */
    struct rng rng;
    double now;
    struct sim_plan *plan; /* a heap of what is to happen */
    size_t plan_count, plan_capacity;
    uint64_t serial; /* counts everything that is numbered */

    struct core *core; /* NULL: dead */
    struct core_config config;
    bool over; /* the experiment ended for good */
    enum reason reason;
    double stalled_until, failing_until; /* the disk */
    double stopped_until;                /* the coordinator; it hears nothing */
    double deadline;                     /* of this session; infinite: none */

    struct event *unsettled; /* emitted, not committed */
    size_t unsettled_count, unsettled_capacity;
    size_t group;          /* of these, so many are being written: a crash decides whether they are there, or none */
    bool group_is_written; /* the store says so, and the core died before it heard it */
    double last_time;      /* of an event: no two have the same, so that the store tells what its last one is */
    double written;        /* of the last one that is committed, */
    double found_written;  /* and of what another program found last */

    struct store *store; /* NULL: a model, or nobody has it open */
    uint64_t cuts;       /* of the power, so far */

    struct sim_record *records; /* by trial */
    uint64_t most_trial;        /* the last one there is room for */
    uint64_t session, tells_committed, highest_trial;
    enum reason committed_reason;
    enum ending alike_ending;   /* of the trial that ended last */
    uint64_t alike, alike_most; /* trials in a row with one ending, in this session: now, and the most */
    double held;
    struct sim_sums sums;

    struct early_stopping *early_stopping; /* early stopping, this session */
    struct sim_told *told;                 /* what it was told, as far as it is committed */
    size_t told_count, told_capacity;
    uint32_t *checkpoint; /* on the shared disk, by trial: its steps; 0: none */

    struct rng amend_rng;     /* of its own, so that worlds without amends stay as they were */
    uint64_t amend_event;     /* a change is under way until this event is committed; 0: none is, or it is looked at */
    bool amend_looks;         /* then the best trial is told */
    bool amending;            /* a change is under way */
    uint64_t amend_trials[3]; /* those that were reopened */
    uint32_t amend_count, amended; /* how many those are; changes so far */
    uint64_t amend_promised;       /* tells that were committed when the last change was answered */
    uint64_t *tell_hashes;         /* of the first, of the first two, ... tells that are committed */
    size_t tell_capacity;
    uint64_t tells_heard; /* by the strategy, this session */
    struct sim_worker *workers;
    struct map peers; /* peer -> 1 + the worker that speaks as it, or did */
    uint64_t inputs;  /* carried out */
    uint64_t hash;    /* of everything that happened: two runs of a seed are the same */
    char broken[512]; /* the promise that was broken; empty: none */
};

/* What a change of the past is told as: a step beyond all others. */
enum { SIM_CHANGED = 1 << 30 };

/* What came of a run. */
struct sim_outcome {
    char why[512];                             /* the promise that was broken; empty: none */
    uint64_t hash;                             /* the same in two runs that were the same */
    uint32_t faults, workers;                  /* faults that happened */
    uint64_t trials, starts, cuts, operations; /* trials, sessions, power cuts, operations of the disk */
};

/* Runs one seed; 0, or -1 when a promise was broken. */
int sim_run(uint64_t seed, const struct sim_options *options, struct sim_outcome *out);

/* Makes a world in which a promise is broken smaller, as long as one still is: by its options. `out` is the last one's.
 */
void sim_shrink(uint64_t seed, struct sim_options *options, struct sim_outcome *out);

/* "trials=5 without=loss,power": the words that options are read from; -1: it is none of them. */
void sim_options_print(const struct sim_options *options, struct buf *out);
int sim_options_read(struct sim_options *options, const char *word);

/* The same with so many workers, whose jobs end while more trials wait than fit into them. */
int sim_run_crowd(uint64_t seed, uint32_t workers, struct sim_outcome *out);

/* --- world.c --- */
enum sim_kind {
    SIM_TO_CORE,
    SIM_TO_WORKER,
    SIM_RUN_DONE,
    SIM_RUN_SAMPLE,
    SIM_HEARTBEAT,
    SIM_COMMIT,
    SIM_TICK,
    SIM_ANSWER,
    SIM_FAULT,
    SIM_START_CORE,
    SIM_START_WORKER,
    SIM_JOB_SEEN,
    SIM_JOB_END,
    SIM_GO_ON,
    SIM_AMEND,     /* an operator does something */
    SIM_AMEND_SEEN /* the store was looked at for that */
};
struct sim_plan {
    double at;
    uint64_t order;
    enum sim_kind kind;
    uint32_t worker;
    uint64_t number, peer;
    struct buf bytes;
};
/* Plans something in `seconds`; the plan may be filled in further. */
struct sim_plan *sim_in(struct sim *sim, double seconds, enum sim_kind kind, uint32_t worker, uint64_t number);
struct core *sim_listening(const struct sim *sim); /* the core; NULL: it is dead or stopped */
double sim_random(struct sim *sim, double mean);   /* exponential */
bool sim_chance(struct sim *sim, double probability);
void sim_to_core(struct sim *sim, uint32_t worker, const struct msg *msg);
void sim_outputs(struct sim *sim); /* does what the core wants done */
void sim_trace(const struct sim *sim, const char *who, uint64_t number, const struct msg *msg);
void sim_trace_event(const struct sim *sim, const struct event *event);
void sim_break(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The worker speaks as a new peer from now on. */
void sim_bind(struct sim *sim, uint32_t worker);

/* --- worker.c --- */
void sim_worker_start(struct sim *sim, uint32_t worker);
void sim_worker_kill(struct sim *sim, uint32_t worker, enum ending ending); /* its runs end so; another one follows */
/* Whether every run of this worker fails. */
bool sim_is_bad(const struct sim *sim, uint32_t worker);
bool sim_kills(const struct sim *sim, uint64_t trial);             /* whether this trial kills its worker */
uint64_t sim_memory_needed(const struct sim *sim, uint64_t trial); /* bytes; 0 in a world without limits */
int sim_node_number(const char *node);                             /* -1: it is none of the world's */
void sim_worker_message(struct sim *sim, uint32_t worker, const struct msg *msg);
void sim_worker_heartbeat(struct sim *sim, uint32_t worker, uint64_t id);
void sim_worker_run_done(struct sim *sim, uint32_t worker, uint64_t serial);
void sim_worker_sample(struct sim *sim, uint32_t worker, uint64_t serial);
uint32_t sim_sample_count(const struct sim *sim, uint64_t trial); /* samples that a whole run reports */
double sim_sample_value(const struct sim *sim, uint64_t trial, uint32_t index);
bool sim_sample_is_objective(const struct sim *sim, uint64_t trial, uint32_t index);

/* The value that a run of this trial has after so many steps, and after all. */
double sim_value_after(const struct sim *sim, uint64_t trial, uint64_t steps);
double sim_whole_value(const struct sim *sim, uint64_t trial);

/* --- job.c --- */
void sim_job_start(struct sim *sim, uint32_t worker);            /* gives a starting worker a job, perhaps */
void sim_job_see(struct sim *sim, uint32_t worker, uint64_t id); /* the core hears when the job ends */
void sim_job_end(struct sim *sim, uint32_t worker, uint64_t id); /* and then the worker is killed */

/* --- amend.c --- */
void sim_amend_begin(struct sim *sim);     /* in a world that has an operator */
void sim_amend(struct sim *sim);           /* the operator does something, and comes again later */
void sim_amend_committed(struct sim *sim); /* something is on disk */
void sim_amend_seen(struct sim *sim);      /* the store was looked at for the change under way */
void sim_amend_lose(struct sim *sim);      /* the coordinator is gone */

/* --- stranger.c --- */
void sim_stranger(struct sim *sim);

/* --- disk.c --- */
void sim_disk_take(struct sim *sim, struct event *event); /* emitted: takes it over */
void sim_disk_commit(struct sim *sim, uint64_t number);   /* all up to number are to be on disk, unless it fails */
void sim_disk_settle(struct sim *sim, size_t count);      /* so many events are there */
void sim_disk_lose(struct sim *sim);                      /* a crash: what is not being written is gone */
void sim_disk_recall(struct sim *sim, struct memory *out);
struct sim_attempt *sim_attempt(struct sim_record *record, uint32_t attempt);
/* The part of the attempt that this worker was given; NULL: none. */
struct sim_part *sim_part(struct sim_attempt *attempt, uint64_t worker);

/* --- store.c --- */
void sim_store_begin(struct sim *sim);                          /* a new store on an empty disk */
enum sim_written { SIM_WRITTEN, SIM_UNWRITTEN, SIM_POWERLESS }; /* UNWRITTEN: it may be tried again */
enum sim_written sim_store_write(struct sim *sim, size_t count);
bool sim_store_recall(struct sim *sim, struct memory *out); /* false: it fails, or the power went again */
void sim_store_crash(struct sim *sim, bool power);          /* the process is killed, or the node with it */
void sim_store_leave(struct sim *sim);                      /* the session has ended */
void sim_store_end(struct sim *sim);                        /* looks at it once more */

/* --- look.c --- */
enum sim_question { SIM_ASK_WRITTEN, SIM_ASK_SOUND, SIM_ASK_RUNS, SIM_ASK_TWICE, SIM_QUESTIONS };
/* Another program, which has the store open. */
struct sim_looker {
    struct sqlite3 *db;
    struct sqlite3_stmt *asked[SIM_QUESTIONS]; /* prepared when first asked */
};
void sim_look(struct sim *sim, const char *path); /* at this store, which nobody has open for writing */
/* Calls `take` for each row of the answer; a failure breaks the world. */
void sim_ask(struct sim *sim, struct sim_looker *looker, enum sim_question question,
             void (*take)(struct sim *sim, struct sqlite3_stmt *row));

/* --- compare.c --- */
void sim_compare_found(struct sim *sim, struct sim_looker *looker);      /* what another program reads there */
void sim_compare_memory(struct sim *sim, const struct memory *recalled); /* what a coordinator starts with */
void sim_compare_replay(struct sim *sim);                                /* what the strategy is told again */

/* --- sums.c --- */
void sim_sums_add(struct sim *sim, struct sim_record *record, const struct event *event); /* committed */
void sim_sums_check_core(struct sim *sim);   /* once something is committed */
void sim_sums_check_store(struct sim *sim);  /* the same of the store's sums, which it has open */
void sim_sums_write(struct sim *sim);        /* something is to be written to the store */
void sim_sums_compare(struct sim *sim);      /* the store's sums, after a start */
void sim_sums_compare_rows(struct sim *sim); /* at the end */

/* --- early.c --- */
void sim_early_start(struct sim *sim); /* before a core starts */
/* What is committed of a trial. */
void sim_early_decided(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_decided *decided);
void sim_early_paused(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_paused *paused);
void sim_early_resumed(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_resumed *resumed);
void sim_early_ended(struct sim *sim, struct sim_record *record, uint64_t trial, const struct event_end *end);
void sim_early_samples(struct sim_record *record, uint32_t attempt, const struct event_sampled *sampled);
void sim_early_recall(const struct sim_record *record, struct memory_trial *out, struct arena *arena);

/* --- faults.c --- */
struct sim_profile sim_profile_draw(struct rng *rng, uint64_t seed, const struct sim_options *options);
struct sim_profile sim_profile_crowd(uint32_t workers);
void sim_fault(struct sim *sim);
void sim_core_start(struct sim *sim);
void sim_core_die(struct sim *sim); /* at once; another one starts some time later */

/* --- check.c --- */
void sim_check_core(struct sim *sim);
/* What an input may cost, whatever the number of workers and trials: `before` is what had been counted before it. */
void sim_check_costs(struct sim *sim, const struct core_counters *before, enum sim_kind kind);
void sim_check_sent(struct sim *sim, uint64_t worker, const struct msg *msg); /* to this worker; 0: to a stranger */
void sim_check_ack(struct sim *sim, const struct sim_run *run);
void sim_check_tell(struct sim *sim, const struct output *told); /* or an observation */
void sim_check_forget(struct sim *sim, uint64_t told);
/* Another tell or observation is committed, number `told`; the hash of all up to one; what a strategy that has heard
 * so many proposes. */
void sim_tell(struct sim *sim, uint64_t told, uint64_t trial, uint64_t step, double value);
uint64_t sim_tell_hash(uint64_t before, uint64_t trial, uint64_t step, double value);
void sim_propose(const struct sim *sim, uint64_t trial, uint64_t heard, char params[32]);
void sim_check_stuck(struct sim *sim); /* breaks, saying where the core stands */
void sim_check_end(struct sim *sim);

#endif
