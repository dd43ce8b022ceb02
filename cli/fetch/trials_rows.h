/* The trials that the screen of trials has in view: whole, with what is known of them beside. */
#ifndef GANNET_CLI_FETCH_TRIALS_ROWS_H
#define GANNET_CLI_FETCH_TRIALS_ROWS_H

#include "cli/data/source.h"

/* Those of the list of numbers, with `trend`: their last values of the objective; of running ones value and seconds so
 * far, and `left`: seconds to go, or null. From how the experiment (source_read) and its snapshot are. NULL with a
 * sentence. */
json_t *trials_rows(struct source *source, const json_t *experiment, const json_t *numbers, const json_t *snapshot,
                    struct err *err);

#endif
