/* Taking a trial through a kernel; see run.h. */
#include "worker/trainer/run.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/trainer/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run that lasts saves a checkpoint so often, so that no more than this is lost when its process or node dies. */
static const double save_seconds = 60;

/* A copy of a metric's name that lives as long as the run. */
static const char *keep_name(struct run *run, const char *name)
{
    for (size_t i = 0; i < run->name_count; i++)
        if (strcmp(run->names[i], name) == 0)
            return run->names[i];
    MEM_GROW(run->names, run->name_capacity, run->name_count + 1);
    return run->names[run->name_count++] = mem_text(name);
}

static bool keeps_checkpoints(const struct run *run)
{
    return run->plan.checkpoint && *run->plan.checkpoint && run->opened->kernel->save;
}

/* Checkpoints carry what was reported: a process that dies may have saved one and not delivered its samples. */
static void remember(struct run *run, const struct msg_sample *sample)
{
    MEM_GROW(run->past, run->past_room, run->past_count + 1);
    run->past[run->past_count++] = *sample;
}

/* Keeps a value. One of the objective that is no finite number ends the run: nothing can be compared with it. */
static void take_metric(void *context, const char *name, double value)
{
    struct run *run = context;
    bool objective = strcmp(name, run->opened->metric) == 0;
    if (objective && !isfinite(value)) {
        run->diverged = true;
        err_write(&run->detail, "%s became %s at step %lld", name, isnan(value) ? "NaN" : "infinite",
                  (long long)run->report.step);
        return;
    }
    run->valued |= objective;
    run->valued_now |= objective;
    MEM_GROW(run->samples, run->sample_capacity, run->sample_count + 1);
    run->samples[run->sample_count++] = (struct msg_sample){
        .metric = keep_name(run, name),
        .step = run->report.step,
        .value = value,
        .time = clock_monotonic() - run->started,
    };
    if (keeps_checkpoints(run))
        remember(run, &run->samples[run->sample_count - 1]);
}

static void begin(struct run *run, const struct opened *opened)
{
    run->started = run->saved = clock_monotonic();
    run->launch = 0;
    run->resumed = 0;
    run->base = 0;
    run->report = (struct kernel_report){.context = run, .metric = take_metric};
    run->sample_count = run->past_count = 0;
    run->ending = ENDING_COMPLETED;
    run->detail.text[0] = '\0';
    run->opened = opened;
    run->valued = run->diverged = run->goes_on = false;
}

/* --- checkpoints --- */

/* Saves a checkpoint after this step; a failure leaves a sentence and costs no more than the checkpoint. */
static void save(struct run *run, int64_t step)
{
    const struct kernel *kernel = run->opened->kernel;
    struct checkpoint checkpoint = {.step = step,
                                    .base = run->base,
                                    .shown = run->report.step,
                                    .samples = run->past,
                                    .sample_count = run->past_count};
    struct err err;
    if (!keeps_checkpoints(run))
        return;
    double then = clock_monotonic();
    kernel->save(run->opened->self, &checkpoint.bytes);
    if (checkpoint_write(run->plan.checkpoint, kernel->name, &checkpoint, &err))
        err_write(&run->detail, "its checkpoint could not be saved: %s", err.text);
    buf_fini(&checkpoint.bytes);
    run->saved = clock_monotonic();
    phase_add(&run->report.phases[PHASE_CHECKPOINT], run->saved - then);
}

/* Reads the checkpoint to go on from: the trial's own, else that of the trial it starts from. 1, 0 (none) or -1 with a
 * sentence. */
static int find_checkpoint(struct run *run, struct checkpoint *out, struct err *err)
{
    const struct run_plan *plan = &run->plan;
    const char *kernel = run->opened->kernel->name;
    if (!keeps_checkpoints(run))
        return 0;
    int found = checkpoint_read(plan->checkpoint, kernel, out, err);
    if (found || !plan->origin || !*plan->origin)
        return found || !plan->reached ? found : err_set(err, "it is not there");
    found = checkpoint_read(plan->origin, kernel, out, err);
    out->base = out->step;
    return found ? found : err_set(err, "the one to start from is not there");
}

/* Reports what the checkpoint's trial reported and is not on record. Of another trial's nothing is: its samples are not
 * this trial's. */
static void tell_again(struct run *run, const struct checkpoint *checkpoint)
{
    uint64_t shown = checkpoint->shown > 0 ? (uint64_t)checkpoint->shown : 0;
    bool own = checkpoint->base < checkpoint->step;
    run->resumed = !own || run->plan.known > shown ? shown : run->plan.known;
    for (size_t i = 0; own && i < checkpoint->sample_count; i++) {
        struct msg_sample sample = checkpoint->samples[i];
        sample.metric = keep_name(run, sample.metric);
        remember(run, &sample);
        if (sample.step <= (int64_t)run->resumed)
            continue;
        run->valued |= strcmp(sample.metric, run->opened->metric) == 0;
        MEM_GROW(run->samples, run->sample_capacity, run->sample_count + 1);
        run->samples[run->sample_count++] = sample;
    }
}

/* Goes on from a checkpoint; *step is the last step that was taken. A kernel that could not take it up is started anew,
 * and the sentence says so. -1 when even that fails. */
static int take_up(struct run *run, const struct kernel_trial *trial, int64_t *steps, int64_t *step)
{
    const struct opened *opened = run->opened;
    struct checkpoint checkpoint = {0};
    struct err err;
    int result = 0, found = find_checkpoint(run, &checkpoint, &err);
    if (found > 0 &&
        opened->kernel->resume(opened->self, checkpoint.step, checkpoint.bytes.data, checkpoint.bytes.length, &err)) {
        found = -1;
        opened->kernel->finish(opened->self);
        result = opened->kernel->start(opened->self, trial, steps, &run->detail);
    }
    if (found > 0) {
        *step = checkpoint.step;
        run->base = checkpoint.base;
        run->report.step = checkpoint.shown;
        tell_again(run, &checkpoint);
    } else if (found < 0 && result == 0) {
        err_write(&run->detail, "it began anew: its checkpoint can't be used: %s", err.text);
    }
    checkpoint_fini(&checkpoint);
    return result;
}

/* --- steps --- */

static bool has_phases(const struct run *run)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        if (run->report.phases[i].count)
            return true;
    return false;
}

/* What is done between two steps: whether the run ends here, and how. */
static bool ends_between(struct run *run, int64_t step, enum ending *ending)
{
    const struct run_plan *plan = &run->plan;
    uint64_t shown = run->report.step > 0 ? (uint64_t)run->report.step : 0;
    *ending = ENDING_COMPLETED;
    if (plan->most && shown >= plan->most)
        return true;
    if (plan->until && shown >= plan->until && run->valued_now && run->opened->kernel->save) {
        save(run, step);
        *ending = ENDING_PAUSED;
        return true;
    }
    if (run->halt && run->halt(run->context, run)) {
        if (run->goes_on)
            save(run, step);
        *ending = ENDING_STOPPED_EARLY;
        return true;
    }
    if (clock_monotonic() - run->saved > save_seconds)
        save(run, step);
    return false;
}

/* Runs the steps behind `done`; the ending. */
static enum ending take_steps(struct run *run, int64_t done, int64_t steps)
{
    const struct opened *opened = run->opened;
    bool breaks_down = false; /* whether the kernel says where its time goes */
    for (int64_t step = done + 1; step <= steps; step++) {
        double then = clock_monotonic();
        run->report.step = step;
        run->valued_now = false;
        enum ending ending = opened->kernel->step(opened->self, step, &run->report, &run->detail);
        breaks_down = step == done + 1 ? has_phases(run) : breaks_down;
        if (!breaks_down)
            phase_add(&run->report.phases[PHASE_WORK], clock_monotonic() - then);
        if (ending != ENDING_COMPLETED)
            return ending;
        if (run->diverged)
            return ENDING_DIVERGED;
        if (step < steps && ends_between(run, step, &ending))
            return ending;
    }
    if (run->plan.keep && steps > done)
        save(run, steps);
    return ENDING_COMPLETED;
}

/* A run that completed must have a value, or have gone on from a step that had one. */
static void check_value(struct run *run)
{
    if (run->ending != ENDING_COMPLETED || run->valued || run->resumed)
        return;
    run->ending = ENDING_NO_VALUE;
    err_write(&run->detail, "kernel %s reported no '%s', the metric of the experiment; it reports: %s",
              run->opened->kernel->name, run->opened->metric, run->opened->kernel->metrics);
}

void run_trial(struct run *run, const struct opened *opened, const struct kernel_trial *trial)
{
    int64_t steps, done = 0;
    begin(run, opened);
    if (opened->kernel->start(opened->self, trial, &steps, &run->detail) || take_up(run, trial, &steps, &done)) {
        run->ending = ENDING_BAD_CONFIG;
        return;
    }
    run->launch = clock_monotonic() - run->started;
    run->ending = take_steps(run, done, run->base + steps);
    opened->kernel->finish(opened->self);
    check_value(run);
}

void run_refuse(struct run *run, enum ending ending, const char *detail)
{
    begin(run, NULL);
    run->ending = ending;
    err_write(&run->detail, "%s", detail);
}

void run_fini(struct run *run)
{
    for (size_t i = 0; i < run->name_count; i++)
        free(run->names[i]);
    free(run->names);
    free(run->samples);
    free(run->past);
    *run = (struct run){0};
}
