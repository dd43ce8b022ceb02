/* An experiment that this process can evaluate; see objective.h.
 *
 * The kernel is opened twice when it is noisy: as the file says, for what strategies see, and without its noise, for
 * what they are judged by. A lock makes trials of different searches take turns at a kernel: one takes microseconds. */
#include "cli/bench/objective.h"
#include "cli/bench/regret_scale.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "worker/kernels/kernel.h"
#include "worker/kernels/kernel_settings.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What is particular about a kernel that can be benchmarked. */
struct bench_model {
    const struct kernel *kernel;
    const char *noisy;    /* the option that makes it noisy */
    const char *quiet;    /* the option without noise, in JSON */
    const char *reported; /* the one metric it reports; NULL: any */
};

static const struct bench_model models[] = {
    {&kernel_synth, "noise", "0", "value"},
    {&kernel_table, "repeat", "\"mean\"", NULL},
};

/* Options of synth that end a process or leave it unusable, and those that only let a trial fail. */
static const char *const deadly[] = {"crash", "exit", "hang", "leak"};
static const char *const failing[] = {"refuse", "diverge"};

struct bench_objective {
    struct spec *spec;
    char *name;
    const struct bench_model *model;
    double seconds;                 /* simulated, of a step; 0: not given */
    json_t *options, *true_options; /* as given to the two kernels */
    void *kernel, *true_kernel;     /* true_kernel: without noise; `kernel` itself where there is none */
    pthread_mutex_t lock;           /* guards steps and last_step, and what the two kernels hold of the trial at hand */
    size_t steps;                   /* of the longest trial so far: of a whole one once the scale is known */
    int64_t last_step;              /* the last step of the longest trial so far */
    double optimum, median;
};

/* --- running a trial --- */

/* What a kernel's reports go to. */
struct value_taking {
    const struct bench_objective *objective;
    struct kernel_report report;
    struct objective_outcome *outcome;
};

static void take_metric_bench(void *context, const char *name, double value)
{
    struct value_taking *taking = context;
    struct objective_outcome *outcome = taking->outcome;
    if (strcmp(name, taking->objective->spec->metric.name) != 0) {
        if (strcmp(name, "seconds") == 0 && value > 0 && isfinite(value))
            outcome->seconds = value;
        return;
    }
    if (!isfinite(value)) {
        outcome->ending = ENDING_DIVERGED;
        err_write(&outcome->detail, "%s became %g at step %lld", name, value, (long long)taking->report.step);
        return;
    }
    MEM_GROW(outcome->samples, outcome->capacity, outcome->count + 1);
    outcome->samples[outcome->count++] = (struct objective_sample){.step = taking->report.step, .value = value};
}

static void take_steps(struct value_taking *taking, const struct kernel *kernel, void *self, int64_t steps)
{
    struct objective_outcome *outcome = taking->outcome;
    for (int64_t step = 1; step <= steps && outcome->ending == ENDING_COMPLETED; step++) {
        taking->report.step = step;
        enum ending ending = kernel->step(self, step, &taking->report, &outcome->detail);
        if (ending != ENDING_COMPLETED)
            outcome->ending = ending;
        outcome->seconds += taking->objective->seconds;
    }
}

/* The trial's value: its last sample, or its best one when the file says so. */
static double value_of(const struct bench_objective *objective, const struct objective_outcome *outcome)
{
    double value = outcome->samples[outcome->count - 1].value;
    for (size_t i = 0; objective->spec->metric.use_best && i < outcome->count; i++)
        if (objective_loss(objective, outcome->samples[i].value) < objective_loss(objective, value))
            value = outcome->samples[i].value;
    return value;
}

static void note_length(struct bench_objective *objective, const struct objective_outcome *outcome)
{
    if (outcome->count <= objective->steps)
        return;
    objective->steps = outcome->count;
    objective->last_step = outcome->samples[outcome->count - 1].step;
}

static void run_kernel_bench(struct bench_objective *objective, void *self, const struct kernel_trial *trial,
                             struct objective_outcome *out)
{
    const struct kernel *kernel = objective->model->kernel;
    int64_t steps;
    *out = (struct objective_outcome){
        .ending = ENDING_COMPLETED, .value = NAN, .truth = NAN, .samples = out->samples, .capacity = out->capacity};
    struct value_taking taking = {.objective = objective, .outcome = out};
    taking.report = (struct kernel_report){.context = &taking, .metric = take_metric_bench};
    pthread_mutex_lock(&objective->lock);
    if (kernel->start(self, trial, &steps, &out->detail)) {
        out->ending = ENDING_BAD_CONFIG;
    } else {
        take_steps(&taking, kernel, self, steps);
        kernel->finish(self);
        note_length(objective, out);
    }
    pthread_mutex_unlock(&objective->lock);
    if (out->ending == ENDING_COMPLETED && !out->count) {
        out->ending = ENDING_NO_VALUE;
        err_write(&out->detail, "the kernel %s reported no '%s'", kernel->name, objective->spec->metric.name);
    }
    if (out->ending == ENDING_COMPLETED)
        out->value = value_of(objective, out);
}

/* What a configuration comes to without noise; NaN: nothing. */
static double find_truth(void *context, const json_t *params)
{
    struct bench_objective *objective = context;
    struct objective_outcome outcome = {0};
    struct kernel_trial trial = {.number = 1, .attempt = 1, .params = params};
    run_kernel_bench(objective, objective->true_kernel, &trial, &outcome);
    double truth = outcome.value;
    objective_outcome_fini(&outcome);
    return truth;
}

/* --- opening --- */

static const struct bench_model *model_of(const char *kernel)
{
    for (size_t i = 0; kernel && i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].kernel->name, kernel) == 0)
            return &models[i];
    return NULL;
}

static int check_deadly(const struct bench_objective *objective, struct err *err)
{
    for (size_t i = 0; objective->model->kernel == &kernel_synth && i < sizeof deadly / sizeof *deadly; i++)
        if (json_object_get(objective->spec->trial.options, deadly[i]))
            return err_set(err,
                           "%s: a benchmark runs its trials within gannet, so the option '%s' can't be used; "
                           "'refuse' and 'diverge' make trials fail too",
                           objective->spec->file, deadly[i]);
    return 0;
}

static int check_experiment(struct bench_objective *objective, struct err *err)
{
    const struct spec *spec = objective->spec;
    objective->model = model_of(spec->trial.kernel);
    if (!objective->model)
        return err_set(err, "%s: only the kernels table and synth can be benchmarked; this file has %s%s", spec->file,
                       spec->trial.kernel ? "the kernel " : "a command", spec->trial.kernel ? spec->trial.kernel : "");
    const char *reported = objective->model->reported;
    if (reported && strcmp(reported, spec->metric.name) != 0)
        return err_set(err, "%s: the kernel %s reports '%s', but the metric is '%s'", spec->file, spec->trial.kernel,
                       reported, spec->metric.name);
    return check_deadly(objective, err);
}

static int open_kernel(const struct bench_objective *objective, const json_t *options, void **kernel, struct err *err)
{
    struct kernel_task task = {
        .options = options, .base = objective->spec->base, .metric = objective->spec->metric.name, .threads = 1};
    return objective->model->kernel->open(&task, kernel, err) ? err_prefix(err, "%s", objective->spec->file) : 0;
}

/* Whether chance has a part in what the kernel says: noise, or trials that fail now and then. */
static bool is_noisy(const struct bench_objective *objective)
{
    const json_t *given = json_object_get(objective->options, objective->model->noisy);
    for (size_t i = 0; objective->model->kernel == &kernel_synth && i < sizeof failing / sizeof *failing; i++)
        if (json_object_get(objective->options, failing[i]))
            return true;
    if (objective->model->kernel == &kernel_table)
        return json_is_string(given) && strcmp(json_string_value(given), "mean") != 0;
    return json_number_value(given) > 0;
}

/* Opens the twin that says what is true. */
static int open_twin(struct bench_objective *objective, struct err *err)
{
    json_t *options = json_deep_copy(objective->options);
    json_object_set_new(options, objective->model->noisy, json_loads(objective->model->quiet, JSON_DECODE_ANY, NULL));
    for (size_t i = 0; objective->model->kernel == &kernel_synth && i < sizeof failing / sizeof *failing; i++)
        json_object_del(options, failing[i]);
    objective->true_options = options;
    objective->true_kernel = NULL;
    return open_kernel(objective, options, &objective->true_kernel, err);
}

/* Opens the kernel and, when it is noisy, its twin. Seconds are taken out: they are counted here. */
static int open_kernels(struct bench_objective *objective, struct err *err)
{
    const json_t *given = objective->spec->trial.options;
    struct kernel_settings settings = {.kernel = objective->model->kernel, .options = given};
    if (kernel_settings_check_options(&settings, err))
        return err_prefix(err, "%s", objective->spec->file);
    objective->seconds = kernel_settings_number(&settings, "seconds");
    objective->options = given ? json_deep_copy(given) : json_object();
    json_object_del(objective->options, "seconds");
    if (open_kernel(objective, objective->options, &objective->kernel, err))
        return -1;
    objective->true_kernel = objective->kernel;
    return is_noisy(objective) ? open_twin(objective, err) : 0;
}

static char *name_of(const char *file)
{
    const char *base = path_base(file), *dot = strrchr(base, '.');
    return dot && dot > base ? mem_text_n(base, (size_t)(dot - base)) : mem_text(base);
}

struct bench_objective *objective_open(struct spec *spec, struct err *err)
{
    struct bench_objective *objective = MEM_NEW(struct bench_objective);
    objective->spec = spec;
    objective->name = name_of(spec->file);
    pthread_mutex_init(&objective->lock, NULL);
    if (check_experiment(objective, err) == 0 && open_kernels(objective, err) == 0 &&
        regret_scale_find(&(struct regret_scale_setup){spec, find_truth, objective}, &objective->optimum,
                          &objective->median, err) == 0)
        return objective;
    objective_close(objective);
    return NULL;
}

void objective_close(struct bench_objective *objective)
{
    if (!objective)
        return;
    if (objective->true_kernel && objective->true_kernel != objective->kernel)
        objective->model->kernel->close(objective->true_kernel);
    if (objective->kernel)
        objective->model->kernel->close(objective->kernel);
    json_decref(objective->true_options);
    json_decref(objective->options);
    pthread_mutex_destroy(&objective->lock);
    spec_destroy(objective->spec);
    free(objective->name);
    free(objective);
}

const struct spec *objective_spec(const struct bench_objective *objective)
{
    return objective->spec;
}

const char *objective_name(const struct bench_objective *objective)
{
    return objective->name;
}

/* --- values --- */

double objective_optimum(const struct bench_objective *objective)
{
    return objective->optimum;
}

double objective_median(const struct bench_objective *objective)
{
    return objective->median;
}

size_t objective_steps(const struct bench_objective *objective)
{
    return objective->steps;
}

int64_t objective_last_step(const struct bench_objective *objective)
{
    return objective->last_step;
}

double objective_regret(const struct bench_objective *objective, double value)
{
    return (value - objective->optimum) / (objective->median - objective->optimum) + 0.0; /* no -0 */
}

double objective_loss(const struct bench_objective *objective, double value)
{
    return objective->spec->metric.maximize ? -value : value;
}

void objective_run(struct bench_objective *objective, uint64_t seed, uint64_t number, const json_t *params,
                   struct objective_outcome *out)
{
    struct kernel_trial trial = {.number = number, .attempt = 1, .seed = rng_mix(seed, number), .params = params};
    run_kernel_bench(objective, objective->kernel, &trial, out);
    bool noisy = objective->true_kernel != objective->kernel;
    out->truth = noisy && out->ending == ENDING_COMPLETED ? find_truth(objective, params) : out->value;
}

void objective_outcome_fini(struct objective_outcome *outcome)
{
    free(outcome->samples);
    *outcome = (struct objective_outcome){0};
}
