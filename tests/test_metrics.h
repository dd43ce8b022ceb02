/* What trials are judged by in tests, and what their results carry. */
#ifndef GANNET_TESTS_TEST_METRICS_H
#define GANNET_TESTS_TEST_METRICS_H

#include "common/metric.h"
#include "common/msg.h"

/* One metric, "loss": to be minimized, to be maximized, and its best sample counting. */
extern const struct metrics metrics_min, metrics_max, metrics_best;

/* "loss" to be minimized, "accuracy" to be maximized, and "memory", at most 8. */
extern const struct metrics metrics_three;

/* Gives a result one value of metric number `metric`, the last, least and greatest alike; nothing when it is NaN. What
 * the result then points at stays valid for the next 64 calls. */
void decided_add(struct msg_result *result, uint32_t metric, double value);

#endif
