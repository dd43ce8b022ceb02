/* Curves of contenders in a terminal: a letter each, so that they can be told apart without colours; where some meet,
 * their letters take turns. */
#ifndef GANNET_CLI_VIEW_COMPARISON_CHART_H
#define GANNET_CLI_VIEW_COMPARISON_CHART_H

#include "cli/view/comparison.h"

/* Adds the medians of the best so far over an effort. Nothing where no contender has a value. */
void comparison_chart(const struct compared *compared, enum effort over, const struct look *look, struct buf *out);

#endif
