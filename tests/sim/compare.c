/* The store against the model and against what anybody was told, after every start of a coordinator; see sim.h. */
#include "tests/sim/sim.h"
#include "scheduler/store/reader.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* --- what another program reads --- */

static void take_soundness(struct sim *sim, sqlite3_stmt *row)
{
    const char *found = (const char *)sqlite3_column_text(row, 0);
    if (!found || strcmp(found, "ok") != 0)
        sim_break(sim, "SQLite's check of the store says: %s", found ? found : "nothing");
}

static void take_run(struct sim *sim, sqlite3_stmt *row)
{
    uint64_t trial = (uint64_t)sqlite3_column_int64(row, 0);
    if (!trial || trial > sim->most_trial) {
        sim_break(sim, "the store has a run of trial %llu", (unsigned long long)trial);
        return;
    }
    struct sim_attempt *run = sim_attempt(&sim->records[trial], (uint32_t)sqlite3_column_int64(row, 1));
    run->found_over = sqlite3_column_int(row, 2);
    run->found = (uint32_t)sqlite3_column_int64(row, 3);
    run->found_resumed = (uint64_t)sqlite3_column_int64(row, 4);
}

static void take_twice(struct sim *sim, sqlite3_stmt *row)
{
    sim_break(sim, "trial %lld is completed by %lld runs", (long long)sqlite3_column_int64(row, 0),
              (long long)sqlite3_column_int64(row, 1));
}

/* Whether the group that was being written when the coordinator died, which is there, gives the attempt back. */
static bool is_given_back(const struct sim *sim, uint64_t trial, size_t attempt)
{
    for (size_t i = 0; i < sim->group; i++) {
        const struct event *event = &sim->unsettled[i];
        if (event->kind == EVENT_RETURNED && event->trial == trial && event->attempt == attempt)
            return true;
    }
    return false;
}

static void check_promises(struct sim *sim, uint64_t trial)
{
    struct sim_record *record = &sim->records[trial];
    for (size_t i = 0; i < record->run_capacity; i++) {
        const struct sim_attempt *run = &record->runs[i];
        if (!run->leased || is_given_back(sim, trial, i))
            continue;
        if (run->told_over && !run->found_over)
            sim_break(sim, "the end of trial %llu attempt %zu was acknowledged, and is gone", (unsigned long long)trial,
                      i);
        if (run->told > run->found)
            sim_break(sim, "trial %llu attempt %zu: %u samples were acknowledged, %u are there",
                      (unsigned long long)trial, i, run->told, run->found);
    }
}

void sim_compare_found(struct sim *sim, struct sim_looker *looker)
{
    sim_ask(sim, looker, SIM_ASK_SOUND, take_soundness);
    sim_ask(sim, looker, SIM_ASK_RUNS, take_run);
    sim_ask(sim, looker, SIM_ASK_TWICE, take_twice);
    for (uint64_t trial = 1; trial <= sim->highest_trial; trial++)
        check_promises(sim, trial);
}

/* --- what a coordinator starts with --- */

/* A member of both that is not the same breaks the world. */
#define SAME(sim, trial, a, b, member)                                                                                 \
    do {                                                                                                               \
        if ((a)->member != (b)->member)                                                                                \
            sim_break(sim, "trial %llu: %s is recalled as %.17g, not %.17g", (unsigned long long)(trial), #member,     \
                      (double)(a)->member, (double)(b)->member);                                                       \
    } while (0)

static const struct memory_run *find_run(const struct memory_trial *trial, uint32_t attempt, uint32_t node)
{
    for (uint32_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].attempt == attempt && trial->runs[i].node == node)
            return &trial->runs[i];
    return NULL;
}

static void compare_runs(struct sim *sim, const struct memory_trial *found, const struct memory_trial *model)
{
    for (uint32_t i = 0; i < model->run_count; i++) {
        const struct memory_run *run = find_run(found, model->runs[i].attempt, model->runs[i].node);
        if (!run || run->worker != model->runs[i].worker)
            sim_break(sim, "trial %llu: attempt %u is not recalled", (unsigned long long)model->trial,
                      model->runs[i].attempt);
    }
}

/* Of a running attempt. */
static void compare_parts(struct sim *sim, const struct memory_trial *found, const struct memory_trial *model)
{
    SAME(sim, model->trial, found, model, part_count);
    for (uint32_t i = 0; i < found->part_count && i < model->part_count; i++) {
        const struct memory_part *part = &found->parts[i], *of_model = &model->parts[i];
        SAME(sim, model->trial, part, of_model, node);
        SAME(sim, model->trial, part, of_model, worker);
        SAME(sim, model->trial, part, of_model, slot);
        SAME(sim, model->trial, part, of_model, ended);
        if (part->ended)
            SAME(sim, model->trial, part, of_model, ending);
    }
}

static void compare_seen(struct sim *sim, const struct memory_trial *found, const struct memory_trial *model)
{
    static const struct memory_seen nothing[2];
    for (int i = 0; i < 2; i++) { /* of the one metric, and of before an attempt began anew */
        const struct memory_seen *a = found->seen ? &found->seen[i] : nothing;
        const struct memory_seen *b = model->seen ? &model->seen[i] : nothing;
        SAME(sim, model->trial, a, b, any);
        SAME(sim, model->trial, a, b, step);
        SAME(sim, model->trial, a, b, last);
        SAME(sim, model->trial, a, b, min);
        SAME(sim, model->trial, a, b, max);
    }
}

static void compare_trial(struct sim *sim, const struct memory_trial *found, const struct memory_trial *model)
{
    uint64_t trial = model->trial;
    SAME(sim, trial, found, model, trial);
    SAME(sim, trial, found, model, attempts);
    SAME(sim, trial, found, model, failures);
    SAME(sim, trial, found, model, losses);
    SAME(sim, trial, found, model, memory);
    SAME(sim, trial, found, model, running);
    SAME(sim, trial, found, model, paused);
    SAME(sim, trial, found, model, reached);
    SAME(sim, trial, found, model, ended_attempt);
    SAME(sim, trial, found, model, decided);
    SAME(sim, trial, found, model, held);
    if (found->running) {
        SAME(sim, trial, found, model, attempt);
        SAME(sim, trial, found, model, worker);
        SAME(sim, trial, found, model, slot);
        compare_parts(sim, found, model);
    }
    if (!found->stop != !model->stop)
        sim_break(sim, "trial %llu is recalled as %sstopped", (unsigned long long)trial, found->stop ? "" : "not ");
    if (strcmp(found->params, model->params) != 0)
        sim_break(sim, "trial %llu is recalled with %s", (unsigned long long)trial, found->params);
    compare_runs(sim, found, model);
    /* Else an attempt was given back after all, or an older one was taken up again behind it. */
    struct sim_record *record = &sim->records[trial];
    if (!record->seen_older && (!record->seen_attempt || sim_attempt(record, record->seen_attempt)->leased))
        compare_seen(sim, found, model);
}

static void compare_tallies(struct sim *sim, const struct tally *found, const struct tally *model)
{
    for (int state = 0; state < TRIAL_STATES; state++)
        SAME(sim, 0, found, model, ended[state]);
    SAME(sim, 0, found, model, has_best);
    SAME(sim, 0, found, model, best);
    SAME(sim, 0, found, model, best_trial);
    SAME(sim, 0, found, model, ignored);
    SAME(sim, 0, found, model, added);
    SAME(sim, 0, found, model, skipped);
}

void sim_compare_memory(struct sim *sim, const struct memory *recalled)
{
    struct memory model;
    sim_disk_recall(sim, &model);
    SAME(sim, 0, recalled, &model, next_trial);
    SAME(sim, 0, recalled, &model, tells);
    SAME(sim, 0, recalled, &model, trial_count);
    compare_tallies(sim, &recalled->tally, &model.tally);
    for (uint32_t i = 0; i < recalled->trial_count && i < model.trial_count; i++)
        compare_trial(sim, &recalled->trials[i], &model.trials[i]);
    memory_fini(&model);
}

/* --- what the strategy is told again --- */

/* How far the replay is. */
struct sim_replay {
    struct sim *sim;
    uint64_t told, hash;
};

static void take_told(struct sim_replay *replay, uint64_t trial, uint64_t step, double value)
{
    struct sim *sim = replay->sim;
    replay->hash = sim_tell_hash(replay->hash, trial, step, value);
    if (++replay->told > sim->tells_committed || replay->hash != sim->tell_hashes[replay->told])
        sim_break(sim, "what was told as number %llu is told again otherwise: trial %llu, step %llu, %g",
                  (unsigned long long)replay->told, (unsigned long long)trial, (unsigned long long)step, value);
}

static int see_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    take_told(context, tell->trial, 0, tell->has_value ? tell->value : NAN);
    return 0;
}

static int see_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    take_told(context, seen->trial, seen->step, seen->values[0]);
    return 0;
}

static int see_ignored(void *context, uint64_t trial, bool ignored, struct err *err)
{
    (void)err;
    take_told(context, trial, (uint64_t)SIM_CHANGED + ignored, NAN);
    return 0;
}

static int see_reopened(void *context, uint64_t trial, uint64_t told, struct err *err)
{
    (void)told, (void)err;
    take_told(context, trial, SIM_CHANGED + 2, NAN);
    return 0;
}

/* A strategy that hears this again proposes the same. */
static int see_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                        struct err *err)
{
    struct sim_replay *replay = context;
    char expected[32];
    (void)from_start, (void)err;
    sim_propose(replay->sim, trial, told_before <= replay->told ? told_before : 0, expected);
    if (told_before > replay->told || strcmp(params, expected) != 0)
        sim_break(replay->sim, "trial %llu was proposed after %llu tells as %s, not %s", (unsigned long long)trial,
                  (unsigned long long)told_before, params, expected);
    return 0;
}

void sim_compare_replay(struct sim *sim)
{
    struct err err = {0};
    struct sim_replay replay = {.sim = sim};
    const struct replay_visitor visitor = {&replay, see_proposal, see_tell, see_observation, see_ignored, see_reopened};
    if (reader_replay(store_reader(sim->store), &visitor, &err))
        sim_break(sim, "the search can't be replayed: %s", err.text);
    else if (replay.told != sim->tells_committed)
        sim_break(sim, "%llu things were told, %llu are told again", (unsigned long long)sim->tells_committed,
                  (unsigned long long)replay.told);
}
