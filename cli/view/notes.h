/* Sentences that several views add: nodes that were set aside, joules that are not known, values that came too late,
 * numbers of a sample. */
#ifndef GANNET_CLI_VIEW_NOTES_H
#define GANNET_CLI_VIEW_NOTES_H

#include "common/buf.h"
#include "scheduler/core/snapshot.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds a sentence for a node that was set aside, for what fails there alone or for what its workers say, and still is:
 * one of those that reader_experiment lists, with the reason and what to do. */
void notes_add_aside(const json_t *aside, struct buf *out);

/* Adds a line for each, the first ones, but for those whose workers the snapshot has with the same; NULL: none. */
void notes_draw_aside(const json_t *experiment, const struct snapshot *shown, struct buf *out);

/* Whether a search that weighs trials by their joules (strategy.options.cost: energy) can do so: adds a sentence, from
 * what reader_experiment says; false: there is nothing to say. */
bool notes_add_cost(const json_t *experiment, struct buf *out);

/* Whether a program kept its values back until it ended, so that early stopping had nothing to go by on the way: adds
 * the sentence with the mend when that was so of a trial (as reader_show gives it; NULL or null: none). */
bool notes_add_held_back(const json_t *trial, struct buf *out);

/* Adds "a sample: 20004 of 1000000 trials" of {trials, of}; of null nothing. Whether there was one. */
bool notes_add_sample(const json_t *sample, struct buf *out);

#endif
