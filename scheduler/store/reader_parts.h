/* The reading half's own structs and helpers, for the files of this folder alone. */
#ifndef GANNET_SCHEDULER_STORE_READER_PARTS_H
#define GANNET_SCHEDULER_STORE_READER_PARTS_H

#include "common/arena.h"
#include "common/map.h"
#include "common/metric.h"
#include "common/phases.h"
#include "scheduler/store/db.h"
#include "scheduler/store/reader.h"

struct reader {
    struct db *db;           /* between reader_begin and reader_end */
    char *path;              /* NULL: it works on its store's connection */
    struct db own;           /* else on this one, which is open between reader_begin and reader_end */
    struct map metrics;      /* numbers of metrics -> their names, as far as they were needed; proper UTF-8 */
    struct metrics criteria; /* what trials are judged by; none: not read yet */
    struct arena memory;     /* owns their names */
};

/* Every public function begins and ends with these: between them there is a connection, and one state of the store is
 * seen. In the meantime nothing is open, so that a reader that lives long is in nobody's way. */
int reader_begin(struct reader *reader, struct err *err);
void reader_end(struct reader *reader);

/* Frees what the reader remembers; its store's connection is not touched. */
void reader_fini(struct reader *reader);

/* The name of a metric by its number; valid as long as the reader. NULL with a sentence. */
const char *reader_metric(struct reader *reader, int64_t metric, struct err *err);

/* --- reader_criteria.c --- */
/* What trials are judged by; valid as long as the reader. */
int reader_criteria(struct reader *reader, struct metrics *out, struct err *err);
/* The values of a trial, one a criterion, NaN where there is none; `first` is that of the first one. After
 * reader_criteria. */
int reader_outcomes(struct reader *reader, uint64_t trial, double first, double *values, struct err *err);
/* The same as an object by name; and the criteria as an array. */
json_t *reader_values(struct reader *reader, uint64_t trial, double first, struct err *err);
json_t *reader_criteria_json(struct reader *reader, struct err *err);

/* --- reader_decision.c --- */
/* The next two columns, `value` and `others`, as the values of `count` metrics; NaN where there is none. */
void reader_get_values(struct query *query, uint32_t count, double *values);

/* The next column of a query as JSON; null when it is NULL. A list is "0-3,8" as an array of numbers. */
json_t *reader_get_int(struct query *query);
json_t *reader_get_real(struct query *query);
json_t *reader_get_time(struct query *query);
json_t *reader_get_text(struct query *query);
json_t *reader_get_list(struct query *query);
json_t *reader_get_object(struct query *query); /* a JSON object; what is none becomes {} */

/* What is known of a trial beside its object: the attempt that counts (0: none), and a sentence about its ending, null
 * when there is none. */
struct trial_extra {
    int64_t attempt;
    json_t *detail;
    double value; /* of the first metric; NaN: none */
};

/* --- reader_faults.c --- */
/* What attempts took, and what of that was not kept: run_seconds, wasted_seconds and wasted, the share. */
struct progress;
int reader_add_waste(struct reader *reader, const struct progress *progress, json_t *out, struct err *err);

/* One trial as an object of docs/json.md; JSON null when there is none of that number. NULL with a sentence. `extra`
 * may be NULL. */
json_t *reader_make_trial(struct reader *reader, uint64_t trial, struct trial_extra *extra, struct err *err);

/* Adds seconds, count, min and max of a phase. */
void reader_add_times(const struct phase_time *time, json_t *out);

/* {phase: {seconds, count, min, max}} of one run, added to `out`. */
int reader_add_profile(struct reader *reader, uint64_t trial, int64_t attempt, json_t *out, struct err *err);

/* Numbers of trials in the order that is asked for, whatever their state: a query of one column. -1 with a sentence. */
int reader_order(struct reader *reader, const struct trial_query *which, struct query *out, struct err *err);

#endif
