/* A trial that was not trained to its end: what its value is of, and which of the others is the best that was. */
#ifndef GANNET_CLI_VIEW_UNFINISHED_H
#define GANNET_CLI_VIEW_UNFINISHED_H

#include "cli/look.h"
#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether a trial (docs/json.md; NULL or null: none) has a value without having been trained to its end. */
bool unfinished_is(const json_t *trial);

/* Adds "stopped early, at step 3" of such a trial. */
void unfinished_add(const json_t *trial, struct buf *out);

/* Adds "Of those trained to their end the best is trial 11  loss 246", a sentence without its dot; `completed` is that
 * trial, or null. */
void unfinished_add_completed(const json_t *completed, struct buf *out);

/* `trial` as docs/json.md has it; of one that was stopped early it is said that the command goes beyond that. */
void unfinished_draw_again(const json_t *trial, const char *command, const struct look *look, struct buf *out);

#endif
