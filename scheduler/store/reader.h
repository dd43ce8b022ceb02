/* The reading half of the store: what the command line shows, as JSON. Works on a live experiment beside the writer and
 * on a dead one. The coordinator's service uses the same functions when readers can't open the file themselves. */
#ifndef GANNET_SCHEDULER_STORE_READER_H
#define GANNET_SCHEDULER_STORE_READER_H

#include "common/err.h"
#include "common/processor.h"
#include "scheduler/core/snapshot.h"
#include "search/searcher.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdint.h>

struct reader;

/* Opens a store for reading only. -1 (NULL) with a sentence: not there, not a store of gannet, of a newer schema,
 * locked. Each of the functions below sees one state of the store, and keeps neither a lock nor a file when it has
 * returned; a visitor must not call another one of the same reader. */
struct reader *reader_open(const char *path, struct err *err);

/* The identity of a store of any version; NULL: it has none. free() it. */
int reader_identity(const char *path, char **identity, struct err *err);
void reader_close(struct reader *reader); /* NULL is fine */

/* Between these two the file stays open from one function to the next, so that several cost little more than one. Each
 * still sees a state of its own. For moments: who writes the store can't put it in order meanwhile. */
void reader_hold(struct reader *reader);
void reader_release(struct reader *reader);

/* From when on *stop is true, what is being read ends soon, with a sentence, and what is read later at once. Another
 * thread may set it. */
void reader_stop_at(struct reader *reader, const atomic_bool *stop);

/* How many trials of a store have ended, of whatever schema version it is up to the present one. `added`: those that a
 * person added count, too. */
int reader_count_ended(const char *path, bool added, uint64_t *ended, struct err *err);

/* Which trials, in which order. {0}: all, by number. */
struct trial_query {
    int state;      /* enum trial_state + 1; 0: any */
    uint64_t trial; /* this one only; 0: any */
    bool by_value;  /* best first, trials without a value last */
    /* By this column, lowest first: a member ("seconds"), "param.NAME", "metric.NAME" or "time.PHASE". Numbers go
     * before texts, trials without a value last, equal ones by number. NULL: not so. */
    const char *order;
    bool reverse;          /* with `order`: highest first; those without a value are last all the same */
    uint64_t limit;        /* at most so many; 0: all */
    uint64_t after;        /* only those with a larger number: for reading page by page; in no other order */
    const json_t *numbers; /* an array: these trials, in this order; NULL: any */
    bool brief;            /* without what was sampled and measured of them: metrics, step, profile, counters */
    bool curve;            /* each with `detail` and `curve`, as reader_show has them */
};

/* The trials as an array of objects with: trial, state, reason, attempts, params, metrics, value, started, ended,
 * seconds, node, slot, cpus, gpus, profile, values, feasible, job, ignored. (docs/json.md) NULL with a sentence on
 * failure. */
json_t *reader_trials(struct reader *reader, const struct trial_query *query, struct err *err);

/* The same one by one, for stores of any size: `visit` gets each trial for the time of the call. -1 when a visit
 * returns non-zero (its sentence) or reading fails. */
typedef int reader_visit(void *context, json_t *trial, struct err *err);
int reader_trials_each(struct reader *reader, const struct trial_query *query, reader_visit *visit, void *context,
                       struct err *err);

/* The numbers of the trials in the order of by_value or `order`, at most `limit`, as an array: for reading them page by
 * page. The other members don't count. */
json_t *reader_numbers(struct reader *reader, const struct trial_query *query, struct err *err);

/* What the strategy was told behind place `after` (0: from the beginning), at most `limit` (0: all), in its order: an
 * array of [told, trial, state, ended, started, seconds, cores, value, feasible, ignored]. Times are seconds since
 * 1970; what is not known is null. A trial comes once more when its end no longer holds, or a person said whether it
 * counts: the row that came last is the one that is true. For reading on, pass the last row's place. */
json_t *reader_ended(struct reader *reader, uint64_t after, uint64_t limit, struct err *err);

/* The trials that live, with numbers above `after`, at most `limit` (0: all), by number: an array of [trial, state,
 * attempt, since, node, worker, slot, step, value], the last two of the objective's last sample in this attempt,
 * `since` of a waiting one when it was proposed. */
json_t *reader_living(struct reader *reader, uint64_t after, uint64_t limit, struct err *err);

/* How far the ends of trials were read for the best value so far. */
struct improvements {
    uint64_t told;       /* their last place; 0: none was read */
    uint64_t ended;      /* how many they are, without ignored ones */
    uint64_t taken_back; /* the last place at which something was said of an earlier end; 0: none */
    double best;         /* NaN: there is none yet */
};

/* Ends behind there, at most `limit` (0: all): {improvements: [[ended, time, value, trial], ...], anew, more, told,
 * ended, taken_back, best}. `ended` counts those that had ended by then. The last four are what to pass next, `more`:
 * there may be more at once, `anew`: what was read before no longer holds, and these begin from the first. */
json_t *reader_improvements(struct reader *reader, const struct improvements *so_far, uint64_t limit, struct err *err);

/* The best trials, of those that count, as somebody knows them. */
struct best_known {
    uint64_t told;       /* the place up to which ends were looked at; 0: none were */
    uint64_t taken_back; /* as in `improvements` */
    double worst;        /* the value that others have to be better than; NaN: any is good enough */
};

/* Of what ended since the trials that are better than that, the best first, at most `limit`: {trials: [[trial, value],
 * ...], anew, told, taken_back}. `anew`: what was known does not hold any more, and these are all. */
json_t *reader_top(struct reader *reader, const struct best_known *known, uint64_t limit, struct err *err);

/* The last values of the objective of each of these trials, at most `most`, the oldest first: for an array of numbers
 * an array of arrays. */
json_t *reader_trends(struct reader *reader, const json_t *numbers, uint64_t most, struct err *err);

/* The parameters of these trials: for an array of numbers an array of objects; null of one that there is not. */
json_t *reader_params(struct reader *reader, const json_t *numbers, struct err *err);

/* Of very many trials what is wanted to know, and nothing else: of those in the list of numbers, or else of those with
 * a number above `after`, at most `limit`, an array of objects with `trial`, `state`, and of the members of a trial
 * (reader_trials) those whose names are listed. `profile` has the seconds alone, `step` and `metrics` come together. */
struct facts_query {
    const json_t *numbers, *members; /* arrays; `numbers` may be NULL */
    uint64_t after, limit;
};
json_t *reader_facts(struct reader *reader, const struct facts_query *query, struct err *err);

/* The names of all metrics that were ever reported, as an array. */
json_t *reader_metrics(struct reader *reader, struct err *err);

/* Every worker that ever took part, those that are gone last, by node: an array of [worker, number, node, joined, gone,
 * slots, numa]; `worker` is what the functions below name it by, `number` (its bits) what it names itself by, `numa`
 * how many parts of its node's memory its slots lie at. */
json_t *reader_places(struct reader *reader, struct err *err);

/* Some of them (an array of `worker`): an array of {worker, node, pid, version, machine, cores, gpus, memory, joined,
 * gone, why, job, slots: [{slot, cpus, numa, gpus, memory}], runs: [{trial, attempt, slot, since, step, value}]}; runs
 * are what runs there now, with the last sample of the objective. Times are seconds since 1970. */
json_t *reader_workers(struct reader *reader, const json_t *workers, struct err *err);

/* Attempts that failed, of which `after` is behind (an event's id), at most `limit` (0: all): an array of [id, worker,
 * kind ("retried" or "failed"), trial, time, sentence]. */
json_t *reader_troubles(struct reader *reader, uint64_t after, uint64_t limit, struct err *err);

/* Attempts of at most `limit` trials (0: all): of those that were told behind `place`, or before it, or of those that
 * live and have a higher number. {attempts: [[told, trial, attempt, part, worker, slot, started, seconds, reason,
 * state, cpu_seconds, peak_memory, gpu_use, queue, launch, stage], ...], reopened}: what is not known is null, of a
 * trial that never ran all behind its number; queue, launch and stage are seconds. `reopened` changes when a person had
 * ended trials tried again: what was read of them before no longer holds. ATTEMPTS_BEFORE gives the last told first. */
enum attempts_end { ATTEMPTS_AFTER, ATTEMPTS_BEFORE, ATTEMPTS_ALIVE };
json_t *reader_attempts(struct reader *reader, enum attempts_end from, uint64_t place, uint64_t limit, struct err *err);

/* What ended trials that count came to, told behind place `after`, one of `every` (by place), at most `limit` (0: all):
 * an array of [told, trial, state, ended, seconds, params, values, feasible]; `values` are those of all metrics that
 * trials are judged by, empty when it has none. */
json_t *reader_learned(struct reader *reader, uint64_t after, uint64_t every, uint64_t limit, struct err *err);

/* What early stopping was told and said, behind row `after`, at most `limit` (0: all): an array of [id, trial, decision
 * (enum decision), step, value, why, cut_off, bracket]. */
json_t *reader_decided(struct reader *reader, uint64_t after, uint64_t limit, struct err *err);

/* The newest proposals, at most `limit`: an array of [trial, told_before, from_start, proposed]. */
json_t *reader_proposed(struct reader *reader, uint64_t limit, struct err *err);

/* The best trial, the same kind of object; JSON null when no trial has a value. */
json_t *reader_best(struct reader *reader, struct err *err);

/* What is best of several objectives: {front, hypervolume, reference} - the feasible trials that nothing dominates, by
 * the order in which they ended, how much of the space of values they dominate, and up to which values that is measured
 * (search/pareto). */
json_t *reader_front(struct reader *reader, struct err *err);

/* The number of the next sample of a trial's attempt: of so many there is a record. -1 with a sentence. */
int reader_next_sample(struct reader *reader, uint64_t trial, uint32_t attempt, uint32_t *out, struct err *err);

/* One trial with everything: the object above and `runs` (each attempt with its ending, detail, tail, times, profile),
 * `curve` (samples: metric, step, value, time). JSON null when there is no such trial. */
json_t *reader_show(struct reader *reader, uint64_t trial, struct err *err);

/* The experiment: name, description, seed, metric, goal, strategy, state, reason, sessions, started, ended, held, spec.
 */
json_t *reader_experiment(struct reader *reader, struct err *err);

/* The same for who asks again and again, without `wasted` and `wasted_seconds`: for these all attempts are looked at.
 */
json_t *reader_experiment_brief(struct reader *reader, struct err *err);

/* Events for people, newest last: time, kind, trial, attempt, node, text. `after`: only those with a larger id. */
json_t *reader_events(struct reader *reader, int64_t after, struct err *err);

/* When and where attempts ran, of the trials behind `after` until `last`, or (0) of the next 2000: an array of {trial,
 * attempt, part, reason, node, worker, slot, started, seconds, launch, stage, cpu_seconds, peak_memory, first}. `part`:
 * which of the run's nodes this is; but for 0 only the place is known. `first`, where `after` is 0: when the first run
 * of all began. Times are seconds since 1970. Empty: there are no more. */
json_t *reader_spans(struct reader *reader, uint64_t after, uint64_t last, struct err *err);

/* Of very many trials a sample tells enough: one of `every` is read, and its runs. 1: all are. What to pass so that at
 * least `most` are read and less than twice as many, and how many that is: {every, trials, of}. */
json_t *reader_sample(struct reader *reader, uint64_t most, struct err *err);

/* Operations over all runs: an array of {operation, calls, flops, bytes, timed, seconds, min, max}. */
json_t *reader_operations(struct reader *reader, uint64_t every, struct err *err);

/* Time by phase over all runs: an array of {phase, seconds, count, min, max, p50, p95, share}. */
json_t *reader_phases(struct reader *reader, uint64_t every, struct err *err);

/* What bounded the runs: an array of {verdict, runs, seconds, lost, joules, joules_lost, joules_runs}, the one of
 * most seconds first; joules are of those runs of which they are known, joules_runs of them; null: of none. */
json_t *reader_verdicts(struct reader *reader, uint64_t every, struct err *err);

/* {split, fastest}: the value of a parameter that tells most about what bounded trials - {parameter, is (below or
 * equal), value, verdict, here, bounded_here, there, bounded_there} -, and the fastest trial within 1 % of the best
 * value - {trial, value, seconds, best_seconds}; null stands for what there is not. */
json_t *reader_speed(struct reader *reader, uint64_t every, struct err *err);

/* What went wrong: {jobs, workers, endings: [{reason, attempts, seconds}], run_seconds, wasted_seconds, wasted}. */
json_t *reader_faults(struct reader *reader, struct err *err);

/* The same for who asks again and again: `endings` are those of the attempts that failed behind an event (its id; 0:
 * of all), `workers` has the last that is gone before the end of the experiment, `gone` says how many are. And
 * `failed`: trials that failed behind there, the last first, at most a few; `last`: what to pass next. */
json_t *reader_faults_since(struct reader *reader, uint64_t event, struct err *err);

/* How far it was when it was last written to, for experiments without a living coordinator. */
int reader_snapshot(struct reader *reader, struct snapshot *out, struct err *err);

/* Trials of earlier experiments that the search started from, in the order of learning; a list for the caller to free
 * with reader_free_earlier. -1 with a sentence. */
int reader_earlier(struct reader *reader, struct searcher_past **out, size_t *count, struct err *err);
void reader_free_earlier(struct searcher_past *past, size_t count);

/* Calls `visit` for every proposal by number, with what replay needs: whether it was a start point, its params, how
 * many tells preceded it. And for every tell in its order. -1 when a visit returns non-zero (its err) or reading fails.
 */
struct replay_tell {
    uint64_t trial;
    bool ignored;       /* it has been said since that the trial does not count, and that holds */
    const char *params; /* it was added, with these params: no proposal of it is visited; NULL: it was not */
    uint64_t reopened;  /* the number among what the strategy was told from which on this end is void; 0: it is not */
    enum ending ending;
    bool has_value;
    double value;         /* of the first metric; 0: none */
    const double *values; /* has_value: of all metrics that trials are judged by, NaN where there is none */
    uint32_t value_count;
    double seconds;
    double energy; /* joules; 0: not known */
    uint64_t step; /* the last one that the values were seen at; 0: not known */
};

/* How far a trial was when the strategy observed it at a rung. */
struct replay_observation {
    uint64_t trial, step;
    bool ignored; /* as of a tell */
    double seconds;
    const double *values; /* of all metrics that trials are judged by */
    uint32_t value_count;
};

struct replay_visitor {
    void *context;
    int (*proposal)(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                    struct err *err);
    int (*tell)(void *context, const struct replay_tell *tell, struct err *err);
    int (*observation)(void *context, const struct replay_observation *seen, struct err *err);
    /* A person said whether an ended trial counts. */
    int (*ignored)(void *context, uint64_t trial, bool ignored, struct err *err);
    /* A person had a failed trial tried again; this has number `told`. */
    int (*reopened)(void *context, uint64_t trial, uint64_t told, struct err *err);
};

/* Visits what early stopping was told, in its order, so that it can be told again: samples at a step (the values of all
 * metrics that trials are judged by), trials that went on after a pause, ended trials. */
enum decision { DECISION_GOES_ON, DECISION_STOPS, DECISION_PAUSES, DECISION_WENT_ON, DECISION_ENDED };
struct decision_visitor {
    void *context;
    void (*sample)(void *context, uint64_t trial, uint64_t step, const double *values);
    void (*went_on)(void *context, uint64_t trial);
    void (*ended)(void *context, uint64_t trial, enum ending ending);
};
int reader_decisions(struct reader *reader, const struct decision_visitor *visitor, struct err *err);

/* On which kinds of processors proposals were made, in their order; free the list. -1 with a sentence. */
struct reader_processor {
    uint64_t trial; /* the first that may have been proposed there */
    struct processor processor;
};
int reader_processors(struct reader *reader, struct reader_processor **out, size_t *count, struct err *err);

/* Visits in the order in which they happened: before each proposal the tells and observations that preceded it; at
 * last the remaining ones. */
int reader_replay(struct reader *reader, const struct replay_visitor *visitor, struct err *err);

#endif
