/* Reading a profile; see profile_page.h. */
#include "cli/data/profile_page.h"
#include "cli/data/sample.h"
#include "cli/data/verdict_words.h"
#include "cli/json.h"
#include "cli/status.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/operations.h"
#include "common/phases.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An operation, and what is reckoned of it. */
struct operation_row {
    json_t *json;
    bool on_gpu; /* a program's: how much a kernel computes is not known */
    double calls, timed, seconds;
    double flops, bytes; /* a second; 0: it was not timed, or has none */
};

static struct operation_row read_row(json_t *json)
{
    struct operation_row row = {.json = json, .on_gpu = strcmp(json_text(json, "place"), "gpu") == 0};
    double flops = 0, bytes = 0;
    json_number(json, "calls", &row.calls);
    json_number(json, "timed", &row.timed);
    if (!(row.timed > 0) || !json_number(json, "seconds", &row.seconds) || !(row.seconds > 0) || !(row.calls > 0))
        return row;
    json_number(json, "flops", &flops);
    json_number(json, "bytes", &bytes);
    row.flops = flops / row.calls * row.timed / row.seconds;
    row.bytes = bytes / row.calls * row.timed / row.seconds;
    return row;
}

static int compare_rows(const void *a, const void *b)
{
    double one = ((const struct operation_row *)a)->seconds, two = ((const struct operation_row *)b)->seconds;
    return one < two ? 1 : one > two ? -1 : 0;
}

/* Sets a number, or null where it is none. */
static void set_number(json_t *json, const char *name, double number, bool known)
{
    json_object_set_new(json, name, known ? json_of_real(number) : json_null());
}

static void add_rates(const struct operation_row *row, double seconds, double flops, double bytes)
{
    bool timed = row->seconds > 0;
    double near = fmax(flops > 0 ? row->flops / flops : 0, bytes > 0 ? row->bytes / bytes : 0);
    set_number(row->json, "share", row->seconds / seconds, timed);
    set_number(row->json, "average", row->seconds / row->timed, timed);
    set_number(row->json, "gflops_per_second", row->flops / 1e9, row->flops > 0);
    set_number(row->json, "gbytes_per_second", row->bytes / 1e9, row->bytes > 0);
    set_number(row->json, "room", 1 - near, near > 0 && !row->on_gpu);
}

static bool is_steps(const json_t *json)
{
    return strcmp(json_text(json, "operation"), operation_name(OPERATION_step)) == 0;
}

/* Takes the operations of a run or of all (docs/json.md) and adds to each what follows from its numbers: the average
 * call, GFLOP/s and GB/s, its share of the time of all that were timed, and its room: the share of its time that it
 * would save at the best rates that any operation of the list came to. The slowest stand first. The whole steps, which
 * are no operation, become the member `steps` of `page`, the others `operations`. */
static void profile_operations_add(const json_t *operations, json_t *page)
{
    size_t index, count = 0;
    json_t *json, *list = json_array();
    struct operation_row *rows = MEM_ARRAY(struct operation_row, json_array_size(operations));
    double seconds = 0, flops = 0, bytes = 0;
    json_array_foreach((json_t *)operations, index, json)
    {
        if (is_steps(json)) {
            json_object_set_new(page, "steps", json_deep_copy(json));
            continue;
        }
        struct operation_row *row = &rows[count++];
        *row = read_row(json_deep_copy(json));
        seconds += row->seconds;
        flops = fmax(flops, row->flops);
        bytes = fmax(bytes, row->bytes);
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++) {
        add_rates(&rows[i], seconds, flops, bytes);
        json_array_append_new(list, rows[i].json);
    }
    json_object_set_new(page, "operations", list);
    free(rows);
}

/* --- phases --- */

/* The store has a trial's phases by name, and an experiment's as a list: here they are a list. */
static json_t *list_phases(const json_t *phases)
{
    if (json_is_array(phases))
        return json_deep_copy(phases);
    json_t *list = json_array(), *times;
    const char *name;
    json_object_foreach((json_t *)phases, name, times)
    {
        json_t *phase = json_pack("{s:s}", "phase", name);
        json_object_update(phase, times);
        json_array_append_new(list, phase);
    }
    return list;
}

static bool is_queue(const json_t *phase)
{
    return strcmp(json_text(phase, "phase"), phase_name(PHASE_QUEUE)) == 0;
}

/* A phase's share of the time of its run, of which waiting for a slot is no part. */
static void add_shares(json_t *list)
{
    double total = 0, seconds;
    size_t index;
    json_t *phase;
    json_array_foreach(list, index, phase) total +=
        !is_queue(phase) && json_number(phase, "seconds", &seconds) ? seconds : 0;
    json_array_foreach(list, index, phase)
    {
        bool counts = !is_queue(phase) && total > 0 && json_number(phase, "seconds", &seconds);
        json_object_set_new(phase, "share", counts ? json_of_real(seconds / total) : json_null());
    }
}

/* --- the page --- */

/* Of a trial its verdict, of an experiment all verdicts. */
static json_t *make_page(const json_t *experiment, const json_t *trial, const json_t *phases, const json_t *operations,
                         const json_t *verdicts)
{
    json_t *list = list_phases(phases);
    add_shares(list);
    json_t *page = json_pack("{s:s, s:O?, s:O?}", "schema", "gannet.profile/1", "experiment",
                             json_object_get(experiment, "name"), "trial", json_object_get(trial, "trial"));
    static const char *const members[] = {"state", "node", "slot", "seconds", "params", "curve"};
    for (size_t i = 0; trial && i < sizeof members / sizeof *members; i++)
        json_object_set(page, members[i], json_object_get(trial, members[i]));
    if (trial)
        json_object_set(page, "metric", json_object_get(experiment, "metric"));
    json_object_set_new(page, "phases", list);
    profile_operations_add(trial ? json_object_get(trial, "operations") : operations, page);
    if (trial)
        json_object_set(page, "gpu_unknown", json_object_get(trial, "gpu_unknown"));
    json_object_set_new(page, trial ? "verdict" : "verdicts",
                        trial ? verdict_words(experiment, trial) : verdict_words_all(experiment, verdicts));
    return page;
}

static int read_trial(struct source *source, const json_t *experiment, uint64_t trial, json_t **out, struct err *err)
{
    json_t *shown = NULL;
    int status = source_show(source, trial, &shown, err);
    if (!status)
        *out = make_page(experiment, shown, json_object_get(shown, "profile"), NULL, NULL);
    json_decref(shown);
    return status;
}

static int read_all(struct source *source, const json_t *experiment, uint64_t most, json_t **out, struct err *err)
{
    json_t *phases = NULL, *operations = NULL, *verdicts = NULL, *speed = NULL;
    json_t *sample = sample_choose(source, most, err);
    bool read = (phases = sample_read(source, "phases", sample, err)) &&
                (operations = sample_read(source, "operations", sample, err)) &&
                (verdicts = sample_read(source, "verdicts", sample, err)) &&
                (speed = sample_read(source, "speed", sample, err));
    if (read) {
        *out = make_page(experiment, NULL, phases, operations, verdicts);
        json_object_update(*out, speed);
        json_object_set_new(*out, "sample", sample_json(sample));
    }
    json_decref(sample);
    json_decref(phases);
    json_decref(operations);
    json_decref(verdicts);
    json_decref(speed);
    return read ? STATUS_OK : STATUS_FAILED;
}

int profile_page_read(struct source *source, uint64_t trial, uint64_t most, json_t **out, struct err *err)
{
    json_t *experiment = source_read(source, "experiment", NULL, err);
    int status = !experiment ? STATUS_FAILED
                 : trial     ? read_trial(source, experiment, trial, out, err)
                             : read_all(source, experiment, most, out, err);
    json_decref(experiment);
    return status;
}
