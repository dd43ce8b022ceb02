/* One trial by hand; see by_hand.h. */
#include "worker/trainer/by_hand.h"

#include "common/clock.h"
#include "common/gang.h"
#include "common/mem.h"
#include "worker/trainer/rank_gang.h"
#include "worker/trainer/peak.h"
#include "worker/trainer/step_log.h"
#include "worker/trainer/training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int by_hand_object(const char *what, const char *text, json_t **out, struct err *err)
{
    json_error_t where;
    *out = json_loads(text ? text : "{}", 0, &where);
    if (!*out)
        return err_set(err, "%s is no JSON (column %d): %s", what, where.column, where.text);
    return json_is_object(*out) ? 0 : err_set(err, "%s must be a JSON object, as in '{\"lr\": 0.1}'", what);
}

/* Prints a step, and asks for no halt. */
static bool print_step(void *context, struct training *training)
{
    struct buf text = {0};
    step_log_step(context, training, &text);
    fputs(buf_str(&text), stdout);
    fflush(stdout);
    buf_fini(&text);
    return false;
}

static void print_end(struct step_log *log, const struct training *training, double seconds, uint64_t memory)
{
    struct buf text = {0};
    step_log_end(log, training, seconds, memory, &text);
    fputs(buf_str(&text), stdout);
    buf_fini(&text);
}

/* The most that all processes of the trial had. */
static uint64_t read_memory(const struct opened_kernel *opened, struct peak *peak)
{
    double cpu;
    struct run_counters counters;
    uint64_t others = 0;
    if (opened->gang)
        rank_gang_take_use(opened->gang, &cpu, &others, &counters);
    return peak_read(peak) + others;
}

/* The operations of a list of names; -1 with a sentence. */
static int read_profile(const char *names, struct operation_choice *out, struct err *err)
{
    int result = 0;
    char *list = mem_text(names ? names : ""), *rest = NULL;
    for (char *name = strtok_r(list, ",", &rest); name && result == 0; name = strtok_r(NULL, ",", &rest)) {
        uint64_t found = operations_like(name);
        out->timed |= found;
        result = found ? 0 : err_set(err, "no operation is called '%s'; --profile '*' shows them", name);
    }
    free(list);
    return result;
}

static int run_and_print(const struct opened_kernel *opened, const struct kernel_trial *trial,
                         const struct operation_choice *choice, bool json)
{
    struct step_log log = {.json = json};
    struct training training = {.halt = print_step, .context = &log, .choice = *choice};
    struct peak peak;
    peak_open(&peak);
    training_run(&training, opened, trial);
    double seconds = clock_monotonic() - training.started;
    print_step(&log, &training);
    print_end(&log, &training, seconds, read_memory(opened, &peak));
    int result = training.ending == ENDING_COMPLETED ? 0 : 1;
    peak_close(&peak);
    step_log_fini(&log);
    training_fini(&training);
    return result;
}

/* In this process, or in several; they have the cores that this one has. */
static int open_kernel(const struct by_hand *wanted, struct opened_kernel *opened, const struct kernel_task *task,
                       struct err *err)
{
    struct gang_setup setup = {.kernel = opened->kernel, .ranks = (uint32_t)wanted->ranks, .places = "", .socket = -1};
    if (wanted->ranks > GANG_RANKS_MOST)
        return err_set(err, "%llu ranks are more than %d", (unsigned long long)wanted->ranks, GANG_RANKS_MOST);
    return setup.ranks > 1 ? rank_gang_open(opened, &setup, task, err) : opened->kernel->open(task, &opened->self, err);
}

/* A metric that the kernel never reports would be missed after the last step. Metrics are "val_loss, val_accuracy". */
static int check_metric(const struct opened_kernel *opened, struct err *err)
{
    const char *name = opened->metric;
    if (strcmp(name, "*") == 0)
        return err_set(err, "kernel %s needs --metric: the name of the objective", opened->kernel->name);
    for (const char *at = opened->kernel->metrics; *at;) {
        size_t length = strcspn(at, ", ");
        if (*at == '*' || (length == strlen(name) && strncmp(at, name, length) == 0))
            return 0;
        at += length + strspn(at + length, ", ");
    }
    return err_set(err, "kernel %s does not report '%s'; it reports: %s", opened->kernel->name, name,
                   opened->kernel->metrics);
}

/* Opens the kernel and runs the trial. */
static int run_kernel(const struct by_hand *wanted, const json_t *options, const json_t *params, struct err *err)
{
    struct opened_kernel opened = {.kernel = kernel_find(wanted->kernel)};
    if (!opened.kernel)
        return err_set(err, "there is no kernel '%s'; gannet-trainer --kernels lists them", wanted->kernel);
    char *first = mem_text_n(opened.kernel->metrics, strcspn(opened.kernel->metrics, ","));
    opened.metric = wanted->metric ? wanted->metric : first;
    struct kernel_task task = {
        .options = options, .base = wanted->base, .metric = opened.metric, .threads = wanted->threads};
    struct kernel_trial trial = {.number = wanted->trial, .attempt = 1, .seed = wanted->seed, .params = params};
    struct operation_choice choice = {0};
    int result = -1;
    if (check_metric(&opened, err) == 0 && read_profile(wanted->profile, &choice, err) == 0 &&
        open_kernel(wanted, &opened, &task, err) == 0) {
        result = run_and_print(&opened, &trial, &choice, wanted->json);
        opened.kernel->close(opened.self);
    }
    free(first);
    return result;
}

int by_hand_run(const struct by_hand *wanted, struct err *err)
{
    json_t *options = NULL, *params = NULL;
    int result = -1;
    if (by_hand_object("--options", wanted->options, &options, err) == 0 &&
        by_hand_object("--params", wanted->params, &params, err) == 0)
        result = run_kernel(wanted, options, params, err);
    json_decref(options);
    json_decref(params);
    return result;
}
