/* Records by themselves, for strategies that keep what they were told in their own way. */
#ifndef GANNET_SEARCH_HISTORY_RECORD_H
#define GANNET_SEARCH_HISTORY_RECORD_H

#include "search/history/history.h"

#include <stddef.h>

/* How many numbers the pointers of a record point to: D coordinates, then the losses and the violations if it has them.
 */
size_t record_numbers(const struct gannet_problem *problem);

/* Makes a record whose pointers point into numbers[record_numbers]: failed as far as is known. */
void record_init(struct record *record, const struct gannet_problem *problem, double *numbers, uint64_t trial,
                 const double *unit);

/* Writes what came of the trial, or what it has come to so far; the point stays. */
void record_fill(struct record *record, const struct gannet_problem *problem,
                 const struct gannet_outcome_of_trial *outcome, bool ended);

/* A new record of a told or observed trial; free() it. */
struct record *record_create(const struct gannet_problem *problem, const struct gannet_outcome_of_trial *outcome);

#endif
