/* The kernel synth: test functions with known minimum in place of training. Its steps can take simulated seconds, its
 * value can be noisy and approach the function step by step as a loss does, and it can fail on purpose (fault.h). */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "common/rng.h"
#include "common/test_functions.h"
#include "worker/kernels/fault.h"
#include "worker/kernels/kernel_settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct synth {
    struct kernel_settings settings;
    struct faults faults;
    const struct function *function;
    int64_t steps;
    double seconds, noise, curve; /* as in the table of options */
    /* The trial. */
    uint64_t seed;
    enum fault fault; /* what is to happen to it */
    bool diverged;
    double value; /* of the function at its configuration */
    double *x;    /* the configuration; x_capacity numbers fit */
    size_t x_capacity;
};

/* The number of "x1", "x2", ...; 0: not such a name. */
static size_t coordinate_index(const char *name)
{
    char *end;
    unsigned long number = strtoul(name + 1, &end, 10);
    return name[0] == 'x' && name[1] >= '1' && name[1] <= '9' && !*end ? number : 0;
}

/* How many coordinates the function has here: all of its own when some may be missing. 0 with a sentence. */
static size_t count_coordinates(const struct function *function, const json_t *params, struct err *err)
{
    size_t d = json_object_size(params);
    if (function->gaps && d <= function->most)
        return function->most;
    if (d >= function->least && d <= function->most)
        return d;
    err_write(err, "%s takes %zu%s coordinates, x1, x2, ...; the configuration has %zu", function->name,
              function->least, function->least < function->most ? " or more" : "", d);
    return 0;
}

/* x[d] of the parameters, which must be x1 .. xd; d, or 0 with a sentence. */
static size_t read_point(struct synth *synth, const json_t *params, struct err *err)
{
    size_t d = count_coordinates(synth->function, params, err);
    MEM_GROW(synth->x, synth->x_capacity, d);
    for (size_t i = 0; i < d; i++)
        synth->x[i] = NAN;
    const char *name;
    json_t *value;
    if (!d)
        return 0;
    json_object_foreach((json_t *)params, name, value)
    {
        size_t i = coordinate_index(name);
        if (!i || i > d) {
            err_write(err, "'%s' is none of the %zu coordinates x1 to x%zu", name, d, d);
            return 0;
        }
        synth->x[i - 1] = json_number_value(value);
    }
    return d;
}

static void synth_close(void *self)
{
    struct synth *synth = self;
    free(synth->x);
    free(synth);
}

static int synth_open(const struct kernel_task *task, void **self, struct err *err)
{
    struct synth *synth = MEM_NEW(struct synth);
    synth->settings = (struct kernel_settings){.kernel = &kernel_synth, .options = task->options};
    if (kernel_settings_check_options(&synth->settings, err) || faults_read(&synth->faults, &synth->settings, err)) {
        synth_close(synth);
        return -1;
    }
    synth->function = function_find(kernel_settings_text(&synth->settings, "function"));
    synth->steps = kernel_settings_integer(&synth->settings, "steps");
    synth->seconds = kernel_settings_number(&synth->settings, "seconds");
    synth->noise = kernel_settings_number(&synth->settings, "noise");
    synth->curve = kernel_settings_number(&synth->settings, "curve");
    *self = synth;
    return 0;
}

static int synth_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct synth *synth = self;
    synth->settings.params = trial->params;
    if (kernel_settings_check_params(&synth->settings, err))
        return -1;
    size_t d = read_point(synth, trial->params, err);
    if (!d)
        return -1;
    synth->fault = faults_draw(&synth->faults, trial);
    if (synth->fault == FAULT_REFUSE)
        return err_set(err, "refused, as the option 'refuse' wants it");
    synth->diverged = false;
    synth->seed = trial->seed;
    synth->value = synth->function->value(synth->x, d);
    *steps = synth->steps;
    if (synth->function->gaps && isnan(synth->value))
        return err_set(err, "a coordinate that %s needs here is missing", synth->function->name);
    return 0;
}

static enum ending synth_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    (void)err;
    struct synth *synth = self;
    fault_pace(synth->seconds);
    if (synth->fault != FAULT_NONE && step == synth->faults.step) {
        fault_happen(&synth->faults, synth->fault);
        synth->diverged = synth->fault == FAULT_DIVERGE;
    }
    struct rng rng = rng_make(synth->seed, "noise", (uint64_t)step);
    double value = synth->value + synth->curve * (1.0 / (double)step - 1.0 / (double)synth->steps);
    if (synth->noise > 0)
        value += synth->noise * rng_normal(&rng);
    report->metric(report->context, "value", synth->diverged ? NAN : value);
    return ENDING_COMPLETED;
}

/* Its values follow from the step; only that it has diverged is to be remembered. */
static void synth_save(void *self, struct pack_writer *out)
{
    const struct synth *synth = self;
    pack_add(out, &synth->diverged, 1, sizeof synth->diverged);
}

static int synth_resume(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    (void)step;
    struct synth *synth = self;
    unsigned char diverged = 0;
    pack_take(in, &diverged, 1, sizeof diverged);
    synth->diverged = diverged != 0;
    return pack_end(in, err);
}

static void synth_finish(void *self)
{
    (void)self;
}

static const struct kernel_option options[] = {
    {"function",
     "branin|six_hump_camel|goldstein_price|beale|eggholder|hartmann3|hartmann6|sphere|ackley|rosenbrock|rastrigin|levy"
     "|styblinski_tang|griewank|michalewicz|schwefel|zakharov|slope|choices2|choices3|tree|algorithms",
     "branin", "the function; gannet-trainer --functions lists them with domain and minimum", 0, 0},
    {"steps", "integer", "1", "steps of a trial", 1, 1e9},
    {"seconds", "number", "0", "simulated seconds of a step", 0, 1e6},
    {"noise", "number", "0", "standard deviation of the normal noise on each value", 0, 1e300},
    {"curve", "number", "0", "how far the first step is above the last: curve * (1 / step - 1 / steps)", -1e300, 1e300},
    {"refuse", "number|list", "0", "probability, or list of trials, of being refused before the first step", 0, 0},
    {"crash", "number|list", "0", "the same, of being killed by the signal of crash_signal", 0, 0},
    {"exit", "number|list", "0", "the same, of exiting with exit_status", 0, 0},
    {"hang", "number|list", "0", "the same, of never ending", 0, 0},
    {"leak", "number|list", "0", "the same, of leaving leak_bytes of memory behind in the process", 0, 0},
    {"diverge", "number|list", "0", "the same, of a value that becomes NaN", 0, 0},
    {"mishap_step", "integer", "1", "the step at which these happen", 1, 1e9},
    {"mishap_attempts", "integer", "0", "only the first so many attempts of a trial suffer; 0: all", 0, 1e9},
    {"crash_signal", "SIGSEGV|SIGABRT|SIGBUS|SIGFPE|SIGILL|SIGKILL|SIGTERM", "SIGSEGV", "what 'crash' raises", 0, 0},
    {"exit_status", "integer", "3", "what 'exit' exits with", 0, 255},
    {"leak_bytes", "integer", "67108864", "what 'leak' leaves behind", 1, 1e12},
    {0},
};

static const struct kernel_option params[] = {
    {"x*", "number", "", "x1, x2, ...: the coordinates, in the function's own domain", 0, 0},
    {0},
};

const struct kernel kernel_synth = {
    .name = "synth",
    .summary = "test functions with known minimum, simulated time and faults",
    .options = options,
    .params = params,
    .metrics = "value",
    .memory = "a few MB, those of the trainer",
    .example =
        {.options = "function=branin",
         .metric = "value minimize",
         .parameters = "x1=-5.0..10.0 x2=0.0..15.0",
         .data = "A test function in place of training: nothing is read. `gannet-trainer --functions` lists others."},
    .open = synth_open,
    .start = synth_start,
    .step = synth_step,
    .save = synth_save,
    .resume = synth_resume,
    .finish = synth_finish,
    .close = synth_close,
};
