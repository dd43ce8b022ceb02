/* Random messages of every kind, made along msg_list.h, and their comparison field by field. For the tests of the codec
 * and as a start for the fuzzer. */
#ifndef GANNET_TESTS_RANDOM_MSG_H
#define GANNET_TESTS_RANDOM_MSG_H

#include "common/msg.h"
#include "common/rng.h"

/* Fills *msg with a random message of this kind; msg_fini it. */
void random_msg(struct rng *rng, enum msg_kind kind, struct msg *msg);

/* Whether all fields are the same; NaN is like NaN with the same bits. */
bool same_msg(const struct msg *a, const struct msg *b);

#endif
