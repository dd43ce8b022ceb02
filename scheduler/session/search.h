/* The search of an experiment: a searcher made from its spec, and brought to where the store says it was. */
#ifndef GANNET_SCHEDULER_SESSION_SEARCH_H
#define GANNET_SCHEDULER_SESSION_SEARCH_H

#include "common/err.h"
#include "scheduler/session/ask.h"
#include "scheduler/session/early_stopping.h"
#include "scheduler/spec/spec.h"
#include "scheduler/store/reader.h"
#include "search/searcher.h"

/* The searcher that a spec describes, which must live on; it has learnt `past`, trials of earlier experiments. NULL
 * with a sentence. */
struct searcher *search_make(const struct spec *spec, const struct searcher_past *past, size_t past_count,
                             struct err *err);

/* The same; it has learnt those that its store keeps. */
struct searcher *search_create(const struct spec *spec, struct reader *reader, struct err *err);

/* Lets it live through everything recorded, in the recorded order; *past is what it has lived through. -1 with a
 * sentence. */
int search_recall(struct searcher *searcher, const struct spec *spec, struct reader *reader, struct ask_past *past,
                  struct err *err);

/* The early stopping that a spec describes, NULL in *out when there is none; the spec must live on. `can_pause`:
 * whether trials that pause are taken up again. -1 with a sentence. */
int search_early_stopping(const struct spec *spec, bool can_pause, struct early_stopping **out, struct err *err);

/* Tells it what the store recorded of a trial: its end, or an observation at a rung. One that is ignored was cancelled,
 * as far as the strategy hears, and never observed. -1 with a sentence when one was added whose parameters don't fit
 * the space. */
int search_retell(struct searcher *searcher, const struct metrics *metrics, const struct replay_tell *tell,
                  struct err *err);
void search_observe(struct searcher *searcher, const struct metrics *metrics, const struct replay_observation *seen);

#endif
