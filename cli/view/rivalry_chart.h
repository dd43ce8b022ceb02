/* Curves of contenders in a terminal: a letter each, so that they can be told apart without colours; where some meet,
 * their letters take turns. */
#ifndef GANNET_CLI_VIEW_RIVALRY_CHART_H
#define GANNET_CLI_VIEW_RIVALRY_CHART_H

#include "cli/view/rivalry.h"

/* Adds the medians of the best so far over an effort. Nothing where no contender has a value. */
void rivalry_chart(const struct rivals *rivals, enum effort over, const struct look *look, struct buf *out);

#endif
