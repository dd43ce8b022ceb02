/* Taking a trial through a kernel; see run.h. */
#include "worker/trainer/run.h"

#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy of a metric's name that lives as long as the run. */
static const char *keep_name(struct run *run, const char *name)
{
    for (size_t i = 0; i < run->name_count; i++)
        if (strcmp(run->names[i], name) == 0)
            return run->names[i];
    MEM_GROW(run->names, run->name_room, run->name_count + 1);
    return run->names[run->name_count++] = mem_text(name);
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
    MEM_GROW(run->samples, run->sample_room, run->sample_count + 1);
    run->samples[run->sample_count++] = (struct msg_sample){
        .metric = keep_name(run, name),
        .step = run->report.step,
        .value = value,
        .time = clock_monotonic() - run->started,
    };
}

static void begin(struct run *run, const struct opened *opened)
{
    run->started = clock_monotonic();
    run->launch = 0;
    run->report = (struct kernel_report){.context = run, .metric = take_metric};
    run->sample_count = 0;
    run->ending = ENDING_COMPLETED;
    run->detail.text[0] = '\0';
    run->opened = opened;
    run->valued = run->diverged = false;
}

static bool has_phases(const struct run *run)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        if (run->report.phases[i].count)
            return true;
    return false;
}

/* Runs the steps; the ending. */
static enum ending take_steps(struct run *run, int64_t steps)
{
    const struct opened *opened = run->opened;
    bool breaks_down = false; /* whether the kernel says where its time goes */
    for (int64_t step = 1; step <= steps; step++) {
        double then = clock_monotonic();
        run->report.step = step;
        enum ending ending = opened->kernel->step(opened->self, step, &run->report, &run->detail);
        breaks_down = step == 1 ? has_phases(run) : breaks_down;
        if (!breaks_down)
            phase_add(&run->report.phases[PHASE_WORK], clock_monotonic() - then);
        if (ending != ENDING_COMPLETED)
            return ending;
        if (run->diverged)
            return ENDING_DIVERGED;
        if (step < steps && run->halt && run->halt(run->context, run))
            return ENDING_STOPPED_EARLY;
    }
    return ENDING_COMPLETED;
}

/* A run that completed must have a value. */
static void check_value(struct run *run)
{
    if (run->ending != ENDING_COMPLETED || run->valued)
        return;
    run->ending = ENDING_NO_VALUE;
    err_write(&run->detail, "kernel %s reported no '%s', the metric of the experiment; it reports: %s",
              run->opened->kernel->name, run->opened->metric, run->opened->kernel->metrics);
}

void run_trial(struct run *run, const struct opened *opened, const struct kernel_trial *trial)
{
    int64_t steps;
    begin(run, opened);
    if (opened->kernel->start(opened->self, trial, &steps, &run->detail)) {
        run->ending = ENDING_BAD_CONFIG;
        return;
    }
    run->launch = clock_monotonic() - run->started;
    run->ending = take_steps(run, steps);
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
    *run = (struct run){0};
}
