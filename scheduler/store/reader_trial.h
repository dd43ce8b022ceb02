/* One trial as JSON, for the files of the reading half alone. */
#ifndef GANNET_SCHEDULER_STORE_READER_TRIAL_H
#define GANNET_SCHEDULER_STORE_READER_TRIAL_H

#include "common/operations.h"
#include "common/phases.h"
#include "scheduler/store/reader_state.h"

/* One trial as an object of docs/json.md; JSON null when there is none of that number. NULL with a sentence. */
json_t *reader_make_trial(struct reader *reader, uint64_t trial, struct err *err);

/* The same without what was sampled and measured: trial_query.brief. */
json_t *reader_make_brief(struct reader *reader, uint64_t trial, struct err *err);

/* The same with its samples and the sentence about its end: `curve` and `detail` of reader_show. */
json_t *reader_make_curve(struct reader *reader, uint64_t trial, struct err *err);

/* Adds the last values as `metrics`, and the highest step of all, of an attempt and those that it goes on from. */
int reader_add_metrics(struct reader *reader, uint64_t trial, int64_t attempt, json_t *json, struct err *err);

/* To the metrics of a trial that was measured elsewhere, of which there are no samples, the values that it came with.
 */
int reader_add_added(struct reader *reader, json_t *trial, struct err *err);

/* Adds seconds, count, min and max of a phase. */
void reader_add_times(const struct phase_time *time, json_t *out);

/* The operations that were called, as `gannet show --json` has them (docs/json.md), then those on GPUs (gpu_sums.h). */
json_t *reader_list_operations(const struct operation_count *counts, json_t *gpu);

#endif
