/* On a terminal each new best trial of a running search stays above the line that is painted. */
#ifndef GANNET_CLI_SESSION_NEW_BEST_H
#define GANNET_CLI_SESSION_NEW_BEST_H

#include "cli/console.h"
#include "cli/data/source.h"
#include "cli/view/progress.h"

/* Writes "trial 12  val_accuracy 0.97222  lr=0.001 width=64" when the best trial is not *shown, and takes that down. */
void new_best_show(struct console *console, struct live_line *live, struct source *source,
                   const struct run_progress *progress, uint64_t *shown);

#endif
