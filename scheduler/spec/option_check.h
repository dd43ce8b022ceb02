/* Whether an option that a file gives is in the table of options of what it is given to. */
#ifndef GANNET_SCHEDULER_SPEC_OPTION_CHECK_H
#define GANNET_SCHEDULER_SPEC_OPTION_CHECK_H

#include "scheduler/spec/key.h"
#include "search/strategy.h"

/* Reports an option that is not in the table (which may be NULL), or has a value that it can't take. `what` and `name`
 * say whose it is: "strategy", "grid". */
void option_check(struct reading *reading, const char *what, const char *name, const struct gannet_option *options,
                  const struct entry *entry);

#endif
