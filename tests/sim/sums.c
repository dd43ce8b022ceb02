/* What is counted and listed in the store and decides nothing: sums of `progress`, rows of `samples`, `parts` and late
 * ends, against the events that were committed and what workers reported; see sim.h. */
#include "tests/sim/sim.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/store/write.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

/* --- the model --- */

static uint64_t hash_sample(uint32_t number, const char *metric, uint64_t step, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return rng_mix(rng_mix(number, step), rng_mix(strcmp(metric, "loss") == 0, bits));
}

/* Of a number that was there before the first word stays. */
static void add_samples(struct sim *sim, struct sim_attempt *run, const struct event_sampled *sampled)
{
    if (sampled->further)
        sim->sums.worked = sim->sums.session;
    for (uint32_t i = 0; i < sampled->samples_count; i++) {
        const struct msg_sample *sample = &sampled->samples[i];
        uint32_t number = sampled->first + i;
        uint64_t bit = 1ull << number % 64;
        if (run->numbers & bit)
            continue;
        run->numbers |= bit;
        run->sampled += hash_sample(number, sample->metric, (uint64_t)sample->step, sample->value);
    }
}

/* A row of `runs` that its worker has said the end of takes no late word. */
static void add_late(struct sim *sim, struct sim_attempt *run, const struct event *event)
{
    if (!run->row || run->row_worker != event->worker || run->measured)
        return;
    run->measured = run->late = true;
    run->late_ending = event->run.ending;
    sim->sums.late++;
    add_samples(sim, run, &event->run.sampled);
}

static void add_run_end(struct sim *sim, struct sim_attempt *run, const struct event *event)
{
    if (!run->row) /* it was given back, and ran all the same */
        run->row_worker = event->worker;
    if (!run->row || !event->run.given_up)
        run->resumed = event->run.sampled.resumed;
    run->row = true;
    run->measured = !event->run.given_up;
    sim->sums.run_seconds += event->run.seconds;
    add_samples(sim, run, &event->run.sampled);
}

static void add_retried(struct sim_sums *sums, enum ending ending)
{
    if (ending == ENDING_CANCELLED || ending_retry(ending) == RETRY_LATER)
        sums->cut++;
    else
        sums->retried++;
}

/* One that is taken up again began where it began. */
static void add_lease(struct sim_attempt *run, const struct event *event)
{
    if (!run->row)
        run->resumed = event->lease.resumed;
    run->row = true;
    run->row_worker = event->worker;
}

/* Of a trial that early stopping judged up to a step: how far it came since. */
static void add_steps(struct sim_sums *sums, const struct sim_record *record, uint64_t step)
{
    if (step <= record->decided)
        return;
    sums->steps += step - record->decided;
    sums->stepped += !record->decided;
}

void sim_sums_add(struct sim *sim, struct sim_record *record, const struct event *event)
{
    struct sim_sums *sums = &sim->sums;
    struct sim_attempt *run = event->attempt ? sim_attempt(record, event->attempt) : NULL;
    if (event->kind == EVENT_LEASED) {
        add_lease(run, event);
    } else if (event->kind == EVENT_RETURNED) {
        run->row = run->measured = run->late = false;
    } else if (event->kind == EVENT_SAMPLED) {
        add_samples(sim, run, &event->sampled);
        if (!event->sampled.first && run->row)
            run->resumed = event->sampled.resumed;
    } else if (event->kind == EVENT_RUN_ENDED) {
        add_run_end(sim, run, event);
    } else if (event->kind == EVENT_LATE && run) {
        add_late(sim, run, event);
    } else if (event->kind == EVENT_RETRIED) {
        add_retried(sums, event->retried.ending);
    } else if (event->kind == EVENT_DECIDED) {
        add_steps(sums, record, event->decided.step);
    } else if (event->kind == EVENT_TRIAL_ENDED) {
        sums->worked = sim->sums.session;
        if (sim->config.early_stop && event->end.watched)
            add_steps(sums, record, event->end.step);
    } else if (event->kind == EVENT_EXPERIMENT) {
        enum reason reason = event->experiment.reason;
        if (event->experiment.state == EXPERIMENT_ENDED && reason != REASON_WALLTIME && reason != REASON_PREEMPTED)
            sums->worked = sim->sums.session;
    }
}

/* --- against it --- */

#define SUM_IS(sim, who, found, expected)                                                                              \
    do {                                                                                                               \
        if ((found) != (expected))                                                                                     \
            sim_break(sim, "%s counts %.17g as %s, not %.17g", who, (double)(found), #found, (double)(expected));      \
    } while (0)

void sim_sums_check_core(struct sim *sim)
{
    if (sim->unsettled_count)
        return;
    SUM_IS(sim, "the core", sim->core->steps, sim->sums.steps);
    SUM_IS(sim, "the core", sim->core->stepped, sim->sums.stepped);
    SUM_IS(sim, "the core", sim->core->tells, sim->tells_committed);
}

void sim_sums_write(struct sim *sim)
{
    sim->sums.session = sim->store->progress.sessions;
}

/* Where its attempts began, as another program found it before this start. */
static void compare_starts(struct sim *sim, uint64_t trial)
{
    const struct sim_record *record = &sim->records[trial];
    for (size_t i = 0; i < record->run_capacity; i++)
        if (record->runs[i].row && record->runs[i].found_resumed != record->runs[i].resumed)
            sim_break(sim, "trial %llu attempt %zu began at step %llu, and the store has %llu",
                      (unsigned long long)trial, i, (unsigned long long)record->runs[i].resumed,
                      (unsigned long long)record->runs[i].found_resumed);
}

void sim_sums_check_store(struct sim *sim)
{
    const struct progress *progress = &sim->store->progress;
    const struct sim_sums *sums = &sim->sums;
    SUM_IS(sim, "the store", progress->retried, sums->retried);
    SUM_IS(sim, "the store", progress->cut, sums->cut);
    SUM_IS(sim, "the store", progress->late, sums->late);
    SUM_IS(sim, "the store", progress->steps, sums->steps);
    SUM_IS(sim, "the store", progress->stepped, sums->stepped);
    SUM_IS(sim, "the store", progress->idle, progress->sessions - sums->worked);
    SUM_IS(sim, "the store", progress->run_seconds, sums->run_seconds);
}

void sim_sums_compare(struct sim *sim)
{
    for (uint64_t trial = 1; trial <= sim->highest_trial; trial++)
        compare_starts(sim, trial);
    sim_sums_check_store(sim);
}

/* --- rows, at the end --- */

/* Calls `take` for each row. */
static void ask(struct sim *sim, const char *sql, void (*take)(struct sim *sim, sqlite3_stmt *row))
{
    sqlite3_stmt *row = NULL;
    int code = sqlite3_prepare_v2(sim->store->db.handle, sql, -1, &row, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW)
        if ((code = sqlite3_step(row)) == SQLITE_ROW)
            take(sim, row);
    if (code != SQLITE_DONE)
        sim_break(sim, "the store can't be read: %s", sqlite3_errmsg(sim->store->db.handle));
    sqlite3_finalize(row);
}

static struct sim_attempt *attempt_of(struct sim *sim, sqlite3_stmt *row)
{
    uint64_t trial = (uint64_t)sqlite3_column_int64(row, 0);
    static struct sim_attempt none;
    none = (struct sim_attempt){0};
    return trial && trial <= sim->most_trial ? sim_attempt(&sim->records[trial], (uint32_t)sqlite3_column_int(row, 1))
                                             : &none;
}

static void take_sample(struct sim *sim, sqlite3_stmt *row)
{
    struct sim_attempt *run = attempt_of(sim, row);
    uint64_t trial = (uint64_t)sqlite3_column_int64(row, 0), step = (uint64_t)sqlite3_column_int64(row, 3);
    double value = sqlite3_column_double(row, 4);
    const char *metric = (const char *)sqlite3_column_text(row, 5);
    run->sampled -= hash_sample((uint32_t)sqlite3_column_int(row, 2), metric ? metric : "", step, value);
    if (fabs(value - sim_sample_value(sim, trial, (uint32_t)step - 1)) > 0)
        sim_break(sim, "trial %llu reported %.17g at step %llu, and the store has %.17g", (unsigned long long)trial,
                  sim_sample_value(sim, trial, (uint32_t)step - 1), (unsigned long long)step, value);
}

static void take_part(struct sim *sim, sqlite3_stmt *row)
{
    struct sim_attempt *run = attempt_of(sim, row);
    uint32_t ended = 0, count = (uint32_t)sqlite3_column_int(row, 2);
    for (uint32_t i = 0; i < run->part_count; i++)
        ended += run->parts[i].over;
    if (count != run->part_count || (uint32_t)sqlite3_column_int(row, 3) != ended)
        sim_break(sim, "trial %lld attempt %lld has %u parts in the store, not %u, or not %u ended",
                  (long long)sqlite3_column_int64(row, 0), (long long)sqlite3_column_int64(row, 1), count,
                  run->part_count, ended);
}

static void take_run(struct sim *sim, sqlite3_stmt *row)
{
    const struct sim_attempt *run = attempt_of(sim, row);
    bool late = sqlite3_column_type(row, 2) != SQLITE_NULL;
    if ((uint64_t)sqlite3_column_int64(row, 3) != run->resumed)
        sim_break(sim, "trial %lld attempt %lld began at step %llu, and the store has %lld at the end",
                  (long long)sqlite3_column_int64(row, 0), (long long)sqlite3_column_int64(row, 1),
                  (unsigned long long)run->resumed, (long long)sqlite3_column_int64(row, 3));
    if (!run->row || run->late != late || (late && (int)run->late_ending != sqlite3_column_int(row, 2)))
        sim_break(sim, "trial %lld attempt %lld: the store has its run%s, and it is %s%s",
                  (long long)sqlite3_column_int64(row, 0), (long long)sqlite3_column_int64(row, 1),
                  late ? ", late" : "", run->row ? "there" : "gone", run->late ? ", late" : "");
}

static void take_trial(struct sim *sim, sqlite3_stmt *row)
{
    uint64_t trial = (uint64_t)sqlite3_column_int64(row, 0);
    const struct sim_record *record = &sim->records[trial <= sim->most_trial ? trial : 0];
    if ((uint32_t)sqlite3_column_int(row, 1) != record->failures ||
        (uint32_t)sqlite3_column_int(row, 2) != record->losses)
        sim_break(sim, "trial %llu has %d failures and %d losses in the store, not %u and %u",
                  (unsigned long long)trial, sqlite3_column_int(row, 1), sqlite3_column_int(row, 2), record->failures,
                  record->losses);
}

void sim_sums_compare_rows(struct sim *sim)
{
    ask(sim, "SELECT trial, attempt, number, step, value, m.name FROM samples s JOIN metrics m ON m.metric = s.metric",
        take_sample);
    ask(sim, "SELECT trial, attempt, count(*), count(ending) FROM parts GROUP BY trial, attempt", take_part);
    ask(sim, "SELECT trial, attempt, late, resumed FROM runs", take_run);
    ask(sim, "SELECT trial, failures, losses FROM trials", take_trial);
    for (uint64_t trial = 1; trial <= sim->highest_trial; trial++)
        for (size_t i = 0; i < sim->records[trial].run_capacity; i++)
            if (sim->records[trial].runs[i].sampled)
                sim_break(sim, "samples of trial %llu attempt %zu are not those that were committed",
                          (unsigned long long)trial, i);
}
