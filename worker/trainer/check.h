/* Whether a trial could have its data: gannet-trainer --check, which `gannet check` and `gannet run` ask before any
 * trial starts. */
#ifndef GANNET_WORKER_TRAINER_CHECK_H
#define GANNET_WORKER_TRAINER_CHECK_H

#include "worker/trainer/by_hand.h"

/* Opens the kernel as a trainer does, reading all data, and prints one JSON object in a line:
 *
 *     {"fine": true, "data": "1,797 examples of 64 inputs, 10 classes; 359 of them for validation", "examples",
 *      "validation", "shape": [64], "classes": 10, "held": whether a copy is held, as below}    without the members
 * behind "fine" when the kernel has no examples
 *     {"fine": false, "error": a sentence}
 *
 * When standard input is a pipe, its end ends this. Until then a copy of the data for all trainers of the node
 * (worker/data/copy.h) is held for the first trainer, for a minute at most. 0: fine; 2: it is not. */
int check_and_print(const struct by_hand *wanted);

#endif
