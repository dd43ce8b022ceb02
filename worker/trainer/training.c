/* Taking a trial through a kernel; see training.h. */
#include "worker/trainer/training.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/backend/backend.h"
#include "worker/trainer/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run that lasts saves a checkpoint so often, so that no more than this is lost when its process or node dies. One
 * that took long to write waits so many times as long: saving is at most a twentieth of a run. */
static const double save_seconds = 60, save_rest = 19;

/* A copy of a metric's name that lives as long as the run. */
static const char *keep_name(struct training *training, const char *name)
{
    for (size_t i = 0; i < training->name_count; i++)
        if (strcmp(training->names[i], name) == 0)
            return training->names[i];
    MEM_GROW(training->names, training->name_capacity, training->name_count + 1);
    return training->names[training->name_count++] = mem_text(name);
}

static bool keeps_checkpoints(const struct training *training)
{
    return training->plan.checkpoint && *training->plan.checkpoint && training->opened->kernel->save;
}

/* Checkpoints carry what was reported: a process that dies may have saved one and not delivered its samples. */
static void remember_sample(struct training *training, const struct msg_sample *sample)
{
    MEM_GROW(training->past, training->past_capacity, training->past_count + 1);
    training->past[training->past_count++] = *sample;
}

/* Keeps a value. One of the objective that is no finite number ends the run: nothing can be compared with it. */
static void take_metric(void *context, const char *name, double value)
{
    struct training *training = context;
    bool objective = strcmp(name, training->opened->metric) == 0;
    if (objective && !isfinite(value)) {
        training->diverged = true;
        err_write(&training->detail, "%s became %s at step %lld", name, isnan(value) ? "NaN" : "infinite",
                  (long long)training->report.step);
        return;
    }
    training->valued |= objective;
    training->valued_now |= objective;
    training->report.objective = objective ? value : training->report.objective;
    MEM_GROW(training->samples, training->sample_capacity, training->sample_count + 1);
    training->samples[training->sample_count++] = (struct msg_sample){
        .metric = keep_name(training, name),
        .step = training->report.step,
        .value = value,
        .time = clock_monotonic() - training->started,
    };
    if (keeps_checkpoints(training))
        remember_sample(training, &training->samples[training->sample_count - 1]);
}

/* Those of the run before are cleared that it used. */
static void begin_sketches(struct training *training)
{
    if (!training->sketches)
        training->sketches = MEM_ARRAY(struct phase_sketch, PHASES_COUNT);
    for (int i = 0; i < PHASES_COUNT; i++) {
        if (training->sketches[i].count)
            training->sketches[i] = (struct phase_sketch){0};
        training->report.phases[i].sketch = &training->sketches[i];
    }
}

/* The quantiles of what was measured. */
static void close_phases(struct training *training)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        phase_close(&training->report.phases[i]);
}

static void begin_training(struct training *training, const struct opened_kernel *opened)
{
    training->started = training->saved = clock_monotonic();
    training->launch = 0;
    training->resumed = 0;
    training->base = 0;
    training->worked = training->save_took = 0;
    training->report = (struct kernel_report){.context = training, .metric = take_metric};
    begin_sketches(training);
    training->sample_count = training->past_count = 0;
    training->ending = ENDING_COMPLETED;
    training->detail.text[0] = '\0';
    training->opened = opened;
    training->valued = training->diverged = training->goes_on = false;
}

/* --- checkpoints --- */

/* Saves a checkpoint after this step; a failure leaves a sentence and costs no more than the checkpoint. */
static void save_checkpoint(struct training *training, int64_t step)
{
    const struct kernel *kernel = training->opened->kernel;
    struct checkpoint checkpoint = {.step = step,
                                    .base = training->base,
                                    .shown = training->report.step,
                                    .worked = training->worked,
                                    .samples = training->past,
                                    .sample_count = training->past_count};
    struct err err;
    if (!keeps_checkpoints(training))
        return;
    double then = clock_monotonic();
    if (checkpoint_write(training->plan.checkpoint, &checkpoint, kernel, training->opened->self, &err))
        err_write(&training->detail, "its checkpoint could not be saved: %s", err.text);
    training->saved = clock_monotonic();
    training->save_took = training->saved - then;
    phase_add(&training->report.phases[PHASE_CHECKPOINT], training->save_took);
}

/* Opens the checkpoint to go on from: the trial's own, else that of the trial it starts from. 1, 0 (none) or -1 with a
 * sentence. */
static int find_checkpoint(struct training *training, struct checkpoint_file *out, struct err *err)
{
    const struct training_plan *plan = &training->plan;
    const struct kernel *kernel = training->opened->kernel;
    if (!keeps_checkpoints(training))
        return 0;
    int found = plan->fresh ? 0 : checkpoint_open(plan->checkpoint, kernel, out, err);
    if (found || !plan->origin || !*plan->origin)
        return found || !plan->reached ? found : err_set(err, "it is not there");
    found = checkpoint_open(plan->origin, kernel, out, err);
    out->checkpoint.base = out->checkpoint.step;
    return found ? found : err_set(err, "the one to start from is not there");
}

/* Reports what the checkpoint's trial reported and is not on record. Of another trial's nothing is: its samples are not
 * this trial's. */
static void tell_again(struct training *training, const struct checkpoint *checkpoint)
{
    uint64_t shown = checkpoint->shown > 0 ? (uint64_t)checkpoint->shown : 0;
    bool own = checkpoint->base < checkpoint->step;
    training->resumed = !own || training->plan.known > shown ? shown : training->plan.known;
    for (size_t i = 0; own && i < checkpoint->sample_count; i++) {
        struct msg_sample sample = checkpoint->samples[i];
        sample.metric = keep_name(training, sample.metric);
        remember_sample(training, &sample);
        if (sample.step <= (int64_t)training->resumed)
            continue;
        training->valued |= strcmp(sample.metric, training->opened->metric) == 0;
        MEM_GROW(training->samples, training->sample_capacity, training->sample_count + 1);
        training->samples[training->sample_count++] = sample;
    }
}

/* Gives the kernel what it saved. A file that proves torn says so whatever the kernel thought of its bytes. */
static int take_bytes(const struct opened_kernel *opened, struct checkpoint_file *file, struct err *err)
{
    struct err torn;
    int result = opened->kernel->resume(opened->self, file->checkpoint.step, &file->bytes, err);
    if (checkpoint_check(file, &torn) == 0)
        return result;
    *err = torn;
    return -1;
}

/* Opens a checkpoint and gives it to the kernel: 1, 0 (none) or -1 with a sentence; the kernel is started anew then,
 * and *result is 0 unless that failed. On NFS a file that another node replaces while it is read is gone (ESTALE): then
 * the new one is taken. */
static int load_checkpoint(struct training *training, const struct kernel_trial *trial, int64_t *steps,
                           struct checkpoint_file *file, int *result, struct err *err)
{
    enum { TIMES = 3 };
    const struct opened_kernel *opened = training->opened;
    for (int time = 1;; time++) {
        int found = find_checkpoint(training, file, err);
        if (found <= 0 || take_bytes(opened, file, err) == 0)
            return found;
        opened->kernel->finish(opened->self);
        *result = opened->kernel->start(opened->self, trial, steps, &training->detail);
        if (*result || file->bytes.error != ESTALE || time == TIMES)
            return -1;
        checkpoint_close(file);
    }
}

/* Goes on from a checkpoint; *step is the last step that was taken. A kernel that could not take it up is started anew,
 * and the sentence says so. -1 when even that fails. */
static int take_up(struct training *training, const struct kernel_trial *trial, int64_t *steps, int64_t *step)
{
    struct checkpoint_file file = {0};
    struct err err;
    double then = clock_monotonic();
    if (keeps_checkpoints(training) && !training->plan.fresh)
        checkpoint_sweep(training->plan.checkpoint);
    int result = 0, found = load_checkpoint(training, trial, steps, &file, &result, &err);
    if (found > 0) {
        *step = file.checkpoint.step;
        training->base = file.checkpoint.base;
        training->worked = file.checkpoint.worked;
        training->report.step = file.checkpoint.shown;
        tell_again(training, &file.checkpoint);
        phase_add(&training->report.phases[PHASE_CHECKPOINT], clock_monotonic() - then);
    } else if (found < 0 && result == 0) {
        err_write(&training->detail, "it began anew: its checkpoint can't be used: %s", err.text);
    }
    checkpoint_close(&file);
    return result;
}

/* --- steps --- */

/* Whether the kernel told of any. */
static bool has_phases(const struct training *training)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        if (training->report.phases[i].count && i != PHASE_CHECKPOINT)
            return true;
    return false;
}

/* What is done between two steps: whether the run ends here, and how. */
static bool ends_between(struct training *training, int64_t step, enum ending *ending)
{
    const struct training_plan *plan = &training->plan;
    uint64_t shown = training->report.step > 0 ? (uint64_t)training->report.step : 0;
    *ending = ENDING_COMPLETED;
    if (plan->most && shown >= plan->most)
        return true;
    if (plan->until && shown >= plan->until && training->valued_now && training->opened->kernel->save) {
        save_checkpoint(training, step);
        *ending = ENDING_PAUSED;
        return true;
    }
    if (training->halt && training->halt(training->context, training)) {
        if (training->goes_on)
            save_checkpoint(training, step);
        *ending = ENDING_STOPPED_EARLY;
        return true;
    }
    if (clock_monotonic() - training->saved > fmax(save_seconds, save_rest * training->save_took))
        save_checkpoint(training, step);
    return false;
}

/* The run ends with that. */
static bool end_steps(struct training *training, enum ending ending)
{
    training->ending = ending;
    return false;
}

void training_enter(struct training *training)
{
    training->entered = clock_monotonic();
    training->report.step = ++training->step;
    training->report.timed = operation_choice_at(&training->choice, training->step);
    training->valued_now = false;
    training->trained = training->report.samples;
    training->validated = training->report.phases[PHASE_EVALUATION].seconds;
}

/* How fast the step trained, when that is what the search is about: else clocks would make runs differ that are alike.
 */
static void report_speed(struct training *training, double seconds)
{
    double trained = seconds - (training->report.phases[PHASE_EVALUATION].seconds - training->validated);
    uint64_t samples = training->report.samples - training->trained;
    if (samples && trained > 0 && strcmp(training->opened->metric, KERNEL_SPEED) == 0)
        take_metric(training, KERNEL_SPEED, (double)samples / trained);
}

bool training_leave(struct training *training, enum ending ending)
{
    bool is_last = training->step >= training->steps || training->report.done;
    if (training->first_step == training->step)
        training->breaks_down = has_phases(training);
    double seconds = clock_monotonic() - training->entered;
    training->worked += seconds;
    if (ending == ENDING_COMPLETED)
        report_speed(training, seconds);
    if (training->report.timed) {
        training->report.operations[OPERATION_step].calls++;
        operation_time(&training->report.operations[OPERATION_step], seconds);
    }
    if (!training->breaks_down)
        phase_add(&training->report.phases[PHASE_WORK], seconds);
    if (ending != ENDING_COMPLETED)
        return end_steps(training, ending);
    if (training->diverged)
        return end_steps(training, ENDING_DIVERGED);
    if (!is_last && ends_between(training, training->step, &ending))
        return end_steps(training, ending);
    if (is_last && training->plan.keep)
        save_checkpoint(training, training->step);
    return !is_last;
}

bool training_step(struct training *training)
{
    const struct opened_kernel *opened = training->opened;
    training_enter(training);
    return training_leave(training,
                          opened->kernel->step(opened->self, training->step, &training->report, &training->detail));
}

/* A run that completed must have a value, or have gone on from a step that had one. */
static void check_value(struct training *training)
{
    if (training->ending != ENDING_COMPLETED || training->valued || training->resumed)
        return;
    training->ending = ENDING_NO_VALUE;
    err_write(&training->detail, "kernel %s reported no '%s', the metric of the experiment; it reports: %s",
              training->opened->kernel->name, training->opened->metric, training->opened->kernel->metrics);
}

/* The process that saved the checkpoint was to pause there, and died before it could say so. */
static bool was_to_pause(const struct training *training)
{
    int64_t shown = training->report.step;
    return training->plan.until && training->valued && shown > 0 && (uint64_t)shown >= training->plan.until;
}

/* How a trial ends that can't be started: its configuration is no good, or for a larger GPU. */
static enum ending judge_start(const struct err *err)
{
    return strstr(err->text, BACKEND_GPU_FULL) ? ENDING_GPU_OUT_OF_MEMORY : ENDING_BAD_CONFIG;
}

bool training_begin(struct training *training, const struct opened_kernel *opened, const struct kernel_trial *trial)
{
    int64_t steps;
    begin_training(training, opened);
    training->step = 0;
    if (opened->kernel->start(opened->self, trial, &steps, &training->detail) ||
        take_up(training, trial, &steps, &training->step)) {
        training->ending = judge_start(&training->detail);
        training->opened = NULL;
        return false;
    }
    training->steps = training->base + steps;
    training->first_step = training->step + 1;
    training->breaks_down = false;
    training->launch = clock_monotonic() - training->started - training->report.phases[PHASE_CHECKPOINT].seconds;
    if (training->step < training->steps && !training->report.done && was_to_pause(training))
        return end_steps(training, ENDING_PAUSED);
    return training->step < training->steps && !training->report.done;
}

void training_end(struct training *training)
{
    close_phases(training);
    if (!training->opened)
        return;
    training->opened->kernel->finish(training->opened->self);
    check_value(training);
}

void training_run(struct training *training, const struct opened_kernel *opened, const struct kernel_trial *trial)
{
    bool goes = training_begin(training, opened, trial);
    while (goes)
        goes = training_step(training);
    training_end(training);
}

void training_refuse(struct training *training, enum ending ending, const char *detail)
{
    begin_training(training, NULL);
    training->ending = ending;
    err_write(&training->detail, "%s", detail);
}

void training_fini(struct training *training)
{
    for (size_t i = 0; i < training->name_count; i++)
        free(training->names[i]);
    free(training->names);
    free(training->samples);
    free(training->past);
    free(training->sketches);
    *training = (struct training){0};
}
