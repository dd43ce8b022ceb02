/* A trainer for tests of the worker, which does what the trial's params tell it: the other side of
 * worker/program/trainer.h.
 *
 *     params             what it does
 *     {}                 completes at once; reports `value` (default 1) under the metric "value" and its process as
 *                        "pid"
 *     "do": "wait"       reports a step, then waits for HALT
 *     "do": "hang"       waits for ever, whatever comes
 *     "do": "steps"      reports `count` samples, `batch` a step, then completes
 *     "do": "signal"     writes "about to fall" to its error output and dies by signal `number`
 *     "do": "exit"       exits with status `number`
 *     "do": "end"        says ENDED with ending `number` and a detail
 *     "do": "garbage"    writes bytes that are no message
 *     "do": "wrong"      says READY in the middle of a run
 *     "do": "leak"       keeps `number` MiB more, then completes
 *     "do": "swell"      takes `number` MiB, then hangs
 *     "do": "place"      completes; the detail tells its environment and cores
 *     "do": "sleep"      completes after `number` milliseconds
 *     "do": "shy"        dies by SIGKILL before it begins, and with its permit unread, until the file `times` has so
 *                        many bytes as `number`: it adds one each time
 *
 * The option "setup" of the task: "trouble" (READY with a trouble), "exit" (exits before READY), "hang" (never READY),
 * "swell" (takes 300 MiB, then hangs). */
#ifndef GANNET_TESTS_FAKE_TRAINER_H
#define GANNET_TESTS_FAKE_TRAINER_H

/* Talks on descriptor 3 until it is closed; the exit status. */
int fake_trainer(void);

#endif
