/* The steps of reading an experiment file. spec_read goes through them in this order:
 *
 *     text_check            UTF-8, no control characters
 *     load_tree             YAML to a tree, with the place of every word
 *     override_apply        --set key=value into the tree
 *     key_read_map          each key by its row in the table, defaults filled in
 *     trial_check ...       what the keys of a section mean together
 *     parameters_read ...   what parameters, conditions, constraints and start points mean together
 *     strategy_check        the strategy and its options
 *     stop_check            early stopping and its options
 *
 * Every step reports what is wrong and goes on as far as it makes sense. */
#ifndef GANNET_SCHEDULER_SPEC_READ_H
#define GANNET_SCHEDULER_SPEC_READ_H

#include "scheduler/spec/key.h"

/* Puts one "dotted.key=value" into the tree. The text must live as long as the tree: marks point into it. */
void override_apply(struct tree *tree, const char *text, struct problems *problems);

/* What keys mean together: those of `trial`, of `resources`, of `slurm` and `notify`, and of what a further attempt is
 * given more. A section that was refused already is passed over. */
void trial_check(struct reading *reading);
void resources_check(struct reading *reading);
void growths_check(struct reading *reading);
void slurm_check(struct reading *reading);
void notify_check(struct reading *reading);

/* Checks the name of the strategy and its options against the registry. */
void strategy_check(struct reading *reading);

/* Checks the name of early stopping and its options against the list of stoppers. */
void stop_check(struct reading *reading);

#endif
