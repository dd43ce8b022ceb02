/* What earlier experiments found good is tried again before anything else: a way to learn from them that can't mislead,
 * since a strategy then knows these points by what came of them here, and costs a few trials at most.
 *
 * For strategies that would otherwise begin with points drawn at random. Which points: of each earlier experiment the
 * best and, far from it and from each other, some of its best tenth; those that the experiment's constraints forbid are
 * left out. Which of them is next follows from the notes alone. */
#ifndef GANNET_SEARCH_HISTORY_REVISIT_H
#define GANNET_SEARCH_HISTORY_REVISIT_H

#include "search/strategy.h"

struct revisit;

/* `most`: how many points are tried again, 20 at most. Problem and host must live on. */
struct revisit *revisit_create(const struct gannet_problem *problem, const struct gannet_host *host, uint32_t most);
void revisit_destroy(struct revisit *revisit); /* NULL is fine */

/* A trial of an earlier experiment; all of them before the first of the others. */
void revisit_learn(struct revisit *revisit, const struct gannet_past *past);

/* Writes the first of the points that no trial has had; false: there is none. */
bool revisit_next(struct revisit *revisit, double *unit);

/* A trial runs at this canonical point. */
void revisit_note(struct revisit *revisit, const double *unit);

#endif
