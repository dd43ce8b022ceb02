/* Ranges and distributions as other tools write them in one text: "loguniform(1e-5, 1e-2)", "0.1..0.5",
 * "tune.choice([1, 2])". Here such a text would be a constant, and each trial would get it as it stands. */
#ifndef GANNET_SCHEDULER_SPEC_RANGE_TEXT_H
#define GANNET_SCHEDULER_SPEC_RANGE_TEXT_H

#include "scheduler/spec/tree.h"

/* Whether the value of a parameter in its short form, a text or a list, is meant as a range; then how it is written
 * here is added to `here`: "{min: 1e-5, max: 1e-2, log: true}". */
bool range_text_is(const struct node *node, struct buf *here);

/* Whether a short list may be meant as the two ends of a range: two reals, the second at least ten times
 * the first. */
bool range_text_may_be(const struct node *list);

#endif
