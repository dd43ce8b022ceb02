/* How a strategy with a model opens, until enough trials have ended for the model: with the best points of earlier
 * experiments once more (revisit.h), then with Sobol's. */
#ifndef GANNET_SEARCH_SIMPLE_INITIAL_DESIGN_H
#define GANNET_SEARCH_SIMPLE_INITIAL_DESIGN_H

#include "search/strategy.h"

#include <stdbool.h>

struct initial_design;

/* `trials`: about how many it will be asked for; half of them may be points of earlier experiments. NULL with a
 * sentence. Problem and host must live on. */
struct initial_design *initial_design_create(const struct gannet_problem *problem, const struct gannet_host *host,
                                             double trials, char *why, size_t why_size);
void initial_design_destroy(struct initial_design *initial_design); /* NULL is fine */

/* A trial of an earlier experiment; all of them before the first of the others. */
void initial_design_learn(struct initial_design *initial_design, const struct gannet_past *past);

/* Proposes a point; a strategy's ask. */
enum gannet_answer initial_design_ask(struct initial_design *initial_design, const struct gannet_ask *ask, double *unit,
                                      char *why, size_t why_size);

/* A trial runs at this canonical point. `over`: the model proposes by now, and the sequence need not remember points
 * that are none of its own. */
void initial_design_note(struct initial_design *initial_design, uint64_t trial, const double *unit, bool over);

#endif
