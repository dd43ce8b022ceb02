/* The step log; see step_log.h.
 *
 *     step    seconds  data  samples/s    val_loss  val_accuracy
 *        1      0.412   3 %       3512     0.51234       0.86111
 */
#include "worker/trainer/step_log.h"

#include "common/clock.h"
#include "common/json.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 11 /* of a metric's column: "-1.23457e-05" needs one more, and is rare */ };

/* A step: seconds in all and of waiting for data (below 0: the kernel does not say), examples (0: it does not count).
 */
struct logged_step {
    int64_t number;
    double seconds, data;
    uint64_t samples;
};

void step_log_fini(struct step_log *log)
{
    buf_fini(&log->head);
}

/* What has happened since the last line. */
static struct logged_step measure_step(struct step_log *log, const struct training *training)
{
    const struct phase_time *data = &training->report.phases[PHASE_DATA];
    double now = clock_monotonic(), then = log->until > 0 ? log->until : training->started + training->launch;
    struct logged_step step = {.number = training->samples[0].step,
                               .seconds = now - then,
                               .data = data->count ? data->seconds - log->data : -1,
                               .samples = training->report.samples - log->samples};
    log->until = now;
    log->data = data->seconds;
    log->samples = training->report.samples;
    return step;
}

static double rate_of(const struct logged_step *step)
{
    return step->seconds > 0 ? (double)step->samples / step->seconds : 0;
}

/* Of its time, waiting for data. */
static double data_share_of(const struct logged_step *step)
{
    return step->seconds > 0 ? fmin(step->data / step->seconds, 1) : 0;
}

/* --- for people --- */

static int width_of(const char *name)
{
    return strlen(name) > NARROWEST ? (int)strlen(name) : NARROWEST;
}

/* The head, when it is another than the last one. */
static void add_head(struct step_log *log, const struct logged_step *step, const struct training *training,
                     struct buf *out)
{
    struct buf head = {0};
    buf_format(&head, "%6s  %9s", "step", "seconds");
    if (step->data >= 0)
        buf_text(&head, "   data");
    if (step->samples)
        buf_text(&head, "  samples/s");
    for (uint32_t i = 0; i < training->sample_count; i++)
        buf_format(&head, "  %*s", width_of(training->samples[i].metric), training->samples[i].metric);
    if (strcmp(buf_str(&head), buf_str(&log->head)) != 0)
        buf_format(out, "%s\n", buf_str(&head));
    buf_fini(&log->head);
    log->head = head;
}

static void add_step(struct step_log *log, const struct logged_step *step, const struct training *training,
                     struct buf *out)
{
    add_head(log, step, training, out);
    buf_format(out, "%6lld  %9.3f", (long long)step->number, step->seconds);
    if (step->data >= 0)
        buf_format(out, "  %3.0f %%", 100 * data_share_of(step));
    if (step->samples)
        buf_format(out, "  %9.0f", rate_of(step));
    for (uint32_t i = 0; i < training->sample_count; i++)
        buf_format(out, "  %*.6g", width_of(training->samples[i].metric), training->samples[i].value);
    buf_text(out, "\n");
}

/* A line for each operation that was timed: seconds, share of all of them, calls, average, rates. */
static void add_operations(const struct training *training, struct buf *out)
{
    const struct operation_count *counts = training->report.operations;
    double sum = 0;
    for (int i = 0; i < OPERATIONS_COUNT; i++)
        sum += i == OPERATION_step ? 0 : counts[i].seconds;
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        const struct operation_count *count = &counts[i];
        double part = count->calls ? (double)count->timed / (double)count->calls : 0;
        if (count->seconds > 0 && i != OPERATION_step)
            buf_format(out, "%-28s %9.4f s %5.1f %% %9llu calls %9.1f us %8.2f GFLOP/s %8.2f GB/s\n",
                       operation_name((enum operation)i), count->seconds, 100 * count->seconds / sum,
                       (unsigned long long)count->timed, count->seconds / (double)count->timed * 1e6,
                       count->flops * part / count->seconds / 1e9, count->bytes * part / count->seconds / 1e9);
    }
}

/* A line for each phase: seconds, share of the run, count. */
static void add_end(const struct training *training, double seconds, uint64_t memory, struct buf *out)
{
    char duration[32], size[32];
    buf_format(out, "%s: %s; %s, at most %s of memory\n", ending_name(training->ending),
               training->detail.text[0] ? training->detail.text : ending_sentence(training->ending),
               units_show_duration(seconds, duration, sizeof duration), units_show_size(memory, size, sizeof size));
    for (int i = 0; i < PHASES_COUNT; i++) {
        const struct phase_time *time = &training->report.phases[i];
        if (time->count)
            buf_format(out, "%-12s %10.4f s %5.1f %% %10llu times\n", phase_name((enum phase)i), time->seconds,
                       100 * time->seconds / seconds, (unsigned long long)time->count);
    }
    add_operations(training, out);
}

/* --- for programs --- */

static void add_json(json_t *object, struct buf *out)
{
    char *line = json_dumps(object, JSON_COMPACT);
    buf_format(out, "%s\n", line);
    free(line);
    json_decref(object);
}

static void add_json_step(const struct logged_step *step, const struct training *training, struct buf *out)
{
    json_t *metrics = json_object(), *line = json_object();
    for (uint32_t i = 0; i < training->sample_count; i++)
        json_object_set_new(metrics, training->samples[i].metric, json_of_real(training->samples[i].value));
    json_object_set_new(line, "step", json_integer(step->number));
    json_object_set_new(line, "seconds", json_of_real(step->seconds));
    if (step->data >= 0) {
        json_object_set_new(line, "data_seconds", json_of_real(step->data));
        json_object_set_new(line, "data_share", json_of_real(data_share_of(step)));
    }
    if (step->samples) {
        json_object_set_new(line, "samples", json_integer((json_int_t)step->samples));
        json_object_set_new(line, "samples_per_second", json_of_real(rate_of(step)));
    }
    json_object_set_new(line, "metrics", metrics);
    add_json(line, out);
}

static json_t *json_operations(const struct training *training)
{
    json_t *operations = json_object();
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        const struct operation_count *count = &training->report.operations[i];
        if (count->calls)
            json_object_set_new(operations, operation_name((enum operation)i),
                                json_pack("{s:I, s:f, s:f, s:I, s:f, s:f, s:f}", "calls", (json_int_t)count->calls,
                                          "flops", count->flops, "bytes", count->bytes, "timed",
                                          (json_int_t)count->timed, "seconds", count->seconds, "min", count->min, "max",
                                          count->max));
    }
    return operations;
}

static void add_json_end(const struct training *training, double seconds, uint64_t memory, struct buf *out)
{
    json_t *phases = json_object(), *line = json_object();
    for (int i = 0; i < PHASES_COUNT; i++) {
        const struct phase_time *time = &training->report.phases[i];
        if (time->count)
            json_object_set_new(phases, phase_name((enum phase)i),
                                json_pack("{s:f, s:I}", "seconds", time->seconds, "count", (json_int_t)time->count));
    }
    json_object_set_new(line, "ending", json_string(ending_name(training->ending)));
    json_object_set_new(line, "detail", json_of_text(training->detail.text));
    json_object_set_new(line, "seconds", json_of_real(seconds));
    json_object_set_new(line, "peak_memory", json_integer((json_int_t)memory));
    json_object_set_new(line, "phases", phases);
    if (training->choice.timed)
        json_object_set_new(line, "operations", json_operations(training));
    add_json(line, out);
}

/* --- both --- */

void step_log_step(struct step_log *log, struct training *training, struct buf *out)
{
    if (!training->sample_count)
        return;
    struct logged_step step = measure_step(log, training);
    if (log->json)
        add_json_step(&step, training, out);
    else
        add_step(log, &step, training, out);
    training->sample_count = 0;
}

void step_log_end(struct step_log *log, const struct training *training, double seconds, uint64_t memory,
                  struct buf *out)
{
    if (log->json)
        add_json_end(training, seconds, memory, out);
    else
        add_end(training, seconds, memory, out);
}
