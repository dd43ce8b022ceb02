/* Runs; see run.h. */
#include "worker/program/run.h"
#include "common/mem.h"
#include "common/msg_profile.h"
#include "common/metric.h"
#include "common/rng.h"
#include "common/units.h"
#include "worker/program/errout.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run *run_create(const struct msg_lease *lease)
{
    struct run *run = MEM_NEW(struct run);
    run->trial = lease->trial;
    run->attempt = lease->attempt;
    run->slot = lease->slot;
    run->seed = lease->seed;
    run->until = lease->until;
    run->memory_limit = lease->memory;
    run->time_limit = lease->time > 0 ? lease->time : 0;
    run->reached = lease->reached;
    run->known = lease->known;
    run->from = lease->from;
    run->params = arena_text(&run->memory, lease->params);
    run->gang = (struct gang){.node = lease->node,
                              .nodes = lease->nodes ? lease->nodes : 1,
                              .ranks = 1,
                              .port = (uint16_t)lease->port,
                              .meeting = arena_text(&run->memory, lease->meeting ? lease->meeting : ""),
                              .hosts = lease->nodes > 1 ? arena_text(&run->memory, lease->hosts) : NULL};
    run->stop_ending = RUN_NO_ENDING;
    run_counters_clear(&run->counters);
    run->detail = run->tail = run->stop_detail = run->gpu_unknown = "";
    return run;
}

void run_destroy(struct run *run)
{
    if (!run)
        return;
    list_remove(&run->link);
    free(run->samples);
    free(run->measures);
    free(run->last_steps);
    thin_fini(&run->thin);
    arena_fini(&run->memory);
    free(run);
}

uint64_t run_key(uint64_t trial, uint32_t attempt)
{
    return rng_mix(trial, attempt);
}

void run_begin(struct run *run, double now, double wall)
{
    assert(run->state == RUN_QUEUED);
    run->state = RUN_STARTING;
    run->begun = now;
    run->started = wall;
}

void run_requeue(struct run *run)
{
    assert(run->state == RUN_RUNNING && !run->kept && !run->first);
    run->state = RUN_QUEUED;
    run->begun = run->started = run->launch = 0;
    run->phases[PHASE_STAGE] = (struct phase_time){0};
}

void run_stage(struct run *run, double seconds)
{
    double stage = fmin(seconds, run->launch);
    if (stage > 0)
        phase_add(&run->phases[PHASE_STAGE], stage);
    run->launch -= stage;
}

/* --- samples --- */

/* The place of the metric's measure in the list, which it gets with its first sample. */
static uint32_t measure_of(struct run *run, uint32_t metric)
{
    for (uint32_t i = 0; i < run->measure_count; i++)
        if (run->measures[i].metric == metric)
            return i;
    MEM_GROW(run->measures, run->measure_capacity, run->measure_count + 1u);
    MEM_GROW(run->last_steps, run->step_capacity, run->measure_count + 1u);
    run->measures[run->measure_count] = (struct msg_measure){.metric = metric, .min = NAN, .max = NAN};
    run->last_steps[run->measure_count] = INT64_MIN;
    return run->measure_count++;
}

/* What the trial will be judged by: the coordinator may never see all samples of a run again. */
static void take_value(struct run *run, uint32_t metric, const struct msg_sample *sample)
{
    uint32_t place = measure_of(run, metric);
    struct msg_measure *measure = &run->measures[place];
    if (sample->step >= run->last_steps[place]) {
        measure->last = sample->value;
        run->last_steps[place] = sample->step;
    }
    double finite = isfinite(sample->value) ? sample->value : NAN; /* fmin and fmax pass NaN over */
    measure->min = fmin(measure->min, finite);
    measure->max = fmax(measure->max, finite);
}

bool run_reached(const struct run *run, int64_t step)
{
    for (uint32_t i = 0; i < run->measure_count; i++)
        if (run->measures[i].metric == 0)
            return run->last_steps[i] >= step;
    return false;
}

bool run_has_value(const struct run *run)
{
    return run_reached(run, INT64_MIN);
}

static void keep_sample(void *context, const struct msg_sample *sample)
{
    struct run *run = context;
    MEM_GROW(run->samples, run->samples_capacity, run->kept + 1u);
    run->samples[run->kept++] = *sample;
}

void run_sample(struct run *run, const char **metrics, const struct msg_sample *sample)
{
    uint32_t count = 0;
    for (; metrics[count]; count++)
        if (strcmp(sample->metric, metrics[count]) == 0)
            take_value(run, count, sample);
    thin_take(&run->thin, &run->memory, sample, metrics_most_samples(count), keep_sample, run);
}

bool run_acknowledge(struct run *run, const struct msg_ack *ack)
{
    if (ack->samples > run->first) {
        uint32_t dropped = ack->samples - run->first;
        if (dropped > run->kept)
            dropped = run->kept;
        run->kept -= dropped;
        if (run->kept)
            memmove(run->samples, run->samples + dropped, run->kept * sizeof *run->samples);
        run->first += dropped;
        if (run->sent < run->first)
            run->sent = run->first;
    }
    return ack->ended && run->state == RUN_ENDED;
}

void run_repeat(struct run *run)
{
    run->sent = run->first;
    run->told_at = 0;
}

/* --- its end --- */

void run_stop(struct run *run, enum ending ending, const char *detail)
{
    bool weak = run->stop_ending == ENDING_STOPPED_EARLY || run->stop_ending == ENDING_PAUSED;
    bool stronger = weak && (int)ending != run->stop_ending;
    if (run->state == RUN_ENDED || (run->stop_ending != RUN_NO_ENDING && !stronger))
        return;
    run->state = RUN_STOPPING;
    run->stop_ending = (int)ending;
    run->stop_detail = arena_text(&run->memory, detail);
}

void run_stop_instead(struct run *run, enum ending ending, const char *detail)
{
    assert(run->state == RUN_STOPPING);
    run->stop_ending = (int)ending;
    run->stop_detail = arena_text(&run->memory, detail);
}

static bool completed_all_the_same(const struct run *run, enum ending ending)
{
    return ending == ENDING_COMPLETED &&
           (run->stop_ending == ENDING_STOPPED_EARLY || run->stop_ending == ENDING_TIMED_OUT ||
            ending_retry((enum ending)run->stop_ending) == RETRY_LATER);
}

/* The run's own copy of a sentence that a trainer may have written, and of what is to be said beside it. */
static const char *keep_detail(struct run *run, const char *detail)
{
    enum { LONGEST = 1000 };
    struct buf clean = {0}, thinned = {0};
    char time[32];
    errout_clean(detail, strnlen(detail, LONGEST), &clean);
    thin_print(&run->thin, &thinned);
    if (thinned.length)
        buf_format(&clean, "%s%s", clean.length ? "; " : "", buf_str(&thinned));
    if (run->overtold > 0)
        buf_format(&clean, "%sit told of phases of %s in all, which can't be: they are left out",
                   clean.length ? "; " : "", units_show_duration(run->overtold, time, sizeof time));
    const char *kept = clean.length ? arena_text(&run->memory, buf_str(&clean)) : "";
    buf_fini(&clean);
    buf_fini(&thinned);
    return kept;
}

void run_timed(struct run *run, double least, double now, double begun, double seconds)
{
    if (!(begun >= least && seconds >= 0 && begun + seconds <= now)) /* NaN neither */
        return;
    if (begun < run->begun) {
        run->started -= run->begun - begun;
        run->begun = begun;
    }
    run->ended = begun + seconds;
}

/* The quantiles of what its program told of. */
static void close_sketches(struct run *run)
{
    for (int i = 0; i < PHASES_COUNT; i++)
        if (run->phases[i].sketch)
            phase_close(&run->phases[i]);
    for (uint32_t i = 0; i < run->named_count; i++) {
        struct phase_time time = msg_named_time(&run->named[i]);
        time.sketch = run->named_sketches[i];
        phase_close(&time);
        run->named[i] = msg_named_make(run->named[i].name, &time);
    }
}

void run_end(struct run *run, double now, enum ending ending, const char *detail, const char *tail)
{
    assert(run->state != RUN_ENDED && run->state != RUN_QUEUED);
    bool asked = run->stop_ending != RUN_NO_ENDING && !completed_all_the_same(run, ending);
    bool started = run->state != RUN_STARTING;
    thin_end(&run->thin, keep_sample, run);
    run->state = RUN_ENDED;
    run->ending = asked ? (enum ending)run->stop_ending : ending;
    run->detail = asked && !*run->stop_detail ? "" : keep_detail(run, asked ? run->stop_detail : detail);
    run->tail = tail && *tail ? arena_text(&run->memory, tail) : "";
    close_sketches(run);
    double end = run->ended > 0 ? run->ended : now;
    run->seconds = end > run->begun ? end - run->begun : 0;
    double accounted = 0;
    if (!started)
        run->launch = run->seconds; /* all of it was the attempt to start it */
    phase_add(&run->phases[PHASE_LAUNCH], run->launch);
    for (int i = 0; i < PHASES_COUNT; i++)
        accounted += run->phases[i].seconds;
    for (uint32_t i = 0; i < run->named_count; i++)
        accounted += run->named[i].seconds;
    if (run->seconds > accounted)
        phase_add(&run->phases[PHASE_IDLE], run->seconds - accounted);
}

/* A phase that the program named, of this run or new; NULL: there are too many. */
static struct msg_named *find_named(struct run *run, const char *name)
{
    for (uint32_t i = 0; i < run->named_count; i++)
        if (strcmp(run->named[i].name, name) == 0)
            return &run->named[i];
    if (run->named_count == PHASES_NAMED_MOST)
        return NULL;
    struct msg_named *named = &run->named[run->named_count++];
    named->name = arena_text(&run->memory, name);
    return named;
}

/* Where a run waited, and how it began, is known here. */
static bool is_programs(int phase)
{
    return phase >= 0 && phase != PHASE_QUEUE && phase != PHASE_LAUNCH;
}

/* A program may say of its time what it likes. What would come to more than a message holds does not count: the worker
 * would be set aside for it. */
static void add_told(struct phase_time *sum, const struct phase_time *told)
{
    const double seconds_most = 1e10;
    const uint64_t count_most = (uint64_t)MSG_MOST_NUMBER;
    bool fits = told->count <= count_most && sum->count <= count_most - told->count;
    if (!fits || !(sum->seconds + told->seconds <= seconds_most))
        return;
    if (sum->sketch)
        phase_sketch_add(sum->sketch, told->min, told->count);
    phase_merge(sum, told);
}

/* The sketch of a phase that a program tells of: from its first time on. */
static struct phase_sketch *find_sketch(struct run *run, struct phase_sketch **sketch)
{
    if (!*sketch)
        *sketch = arena_zero(&run->memory, 1, sizeof **sketch);
    return *sketch;
}

void run_phase(struct run *run, const char *name, double seconds, uint64_t count)
{
    double mean = seconds / (double)count;
    struct phase_time told = {.seconds = seconds, .count = count, .min = mean, .max = mean};
    int phase = phase_named(name);
    if (is_programs(phase)) {
        find_sketch(run, &run->phases[phase].sketch);
        add_told(&run->phases[phase], &told);
        return;
    }
    struct msg_named *named = phase < 0 ? find_named(run, name) : NULL;
    if (!named)
        return;
    struct phase_time sum = msg_named_time(named);
    sum.sketch = find_sketch(run, &run->named_sketches[named - run->named]);
    add_told(&sum, &told);
    *named = msg_named_make(named->name, &sum);
}

static double time_told(const struct run *run)
{
    double seconds = 0;
    for (int i = 0; i < PHASES_COUNT; i++)
        seconds += is_programs(i) ? run->phases[i].seconds : 0;
    for (uint32_t i = 0; i < run->named_count; i++)
        seconds += run->named[i].seconds;
    return seconds;
}

/* Processes of one program may each tell of their time, but a thousand of them don't: what comes to more says nothing.
 */
static void check_told(struct run *run, double seconds)
{
    static const double processes_most = 1000, least = 1;
    double told = time_told(run);
    if (told <= processes_most * fmax(seconds, least))
        return;
    run->overtold = told;
    run->named_count = 0;
    for (int i = 0; i < PHASES_COUNT; i++)
        if (is_programs(i))
            run->phases[i] = (struct phase_time){0};
}

void run_work(struct run *run, double seconds)
{
    check_told(run, seconds);
    double rest = seconds - time_told(run);
    if (rest > 0)
        phase_add(&run->phases[PHASE_WORK], rest);
}

void run_profile(struct run *run, double cpu_seconds, uint64_t peak_memory, const struct msg_phase *phases,
                 uint32_t count)
{
    run->cpu_seconds += cpu_seconds;
    run->peak_memory = peak_memory;
    for (uint32_t i = 0; i < count; i++)
        if (phases[i].phase < PHASES_COUNT && phases[i].seconds >= 0 && phases[i].seconds < 1e12) {
            struct phase_time time = msg_phase_time(&phases[i]);
            add_told(&run->phases[phases[i].phase], &time);
        }
}

void run_operations(struct run *run, const struct msg_operation *operations, uint32_t count)
{
    run->operations = arena_copy(&run->memory, operations, count * sizeof *operations);
    run->operation_count = count;
}

void run_gpu(struct run *run, const struct msg_gpu_sum *sums, uint32_t count, const char *why)
{
    run->gpu = count ? arena_copy(&run->memory, sums, count * sizeof *sums) : NULL;
    run->gpu_count = count;
    for (uint32_t i = 0; i < count; i++)
        run->gpu[i].name = arena_text(&run->memory, sums[i].name);
    run->gpu_unknown = why ? arena_text(&run->memory, why) : "";
}
