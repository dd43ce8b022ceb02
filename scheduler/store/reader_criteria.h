/* What trials are judged by, and what they came to, for the files of the reading half alone. */
#ifndef GANNET_SCHEDULER_STORE_READER_CRITERIA_H
#define GANNET_SCHEDULER_STORE_READER_CRITERIA_H

#include "scheduler/store/reader_state.h"

/* What trials are judged by; valid as long as the reader. */
int reader_criteria(struct reader *reader, struct metrics *out, struct err *err);

/* The values of a trial, one a criterion, NaN where there is none; `first` is that of the first one. After
 * reader_criteria. */
int reader_outcomes(struct reader *reader, uint64_t trial, double first, double *values, struct err *err);

/* The same as an object by name; and the criteria as an array. */
json_t *reader_values(struct reader *reader, uint64_t trial, double first, struct err *err);
json_t *reader_criteria_json(struct reader *reader, struct err *err);

#endif
