/* Successive halving, asynchronously: what asha and hyperband have in common.
 *
 * A bracket is a brackets of rungs, at the steps min_steps * eta^b, min_steps * eta^(b+1), ... below max_steps; b is
 * the number of the bracket, so later brackets give a trial more steps before it is first compared. Which bracket a
 * trial belongs to follows from its number alone. At a rung a trial is compared with all that came there before it, in
 * its bracket; about the best 1 / eta of them go on. */
#ifndef GANNET_SEARCH_STOP_BRACKETS_H
#define GANNET_SEARCH_STOP_BRACKETS_H

#include "search/stop/kind.h"

/* `brackets`: 0 is as many as max_steps allows, or 3 when it is not given. */
struct brackets_setup {
    double eta;
    uint64_t min_steps;
    uint32_t brackets;
    uint32_t most_paused; /* more paused trials than these are not kept: the worst are ended */
};

/* The functions of struct stop_kind; NULL with a sentence when max_steps leaves no rung. */
void *brackets_create(const struct stop_problem *problem, const struct brackets_setup *setup, struct err *err);
uint64_t brackets_until(void *self, uint64_t trial);
void brackets_sample(void *self, const struct stop_point *point, struct stopper_decision *out);
bool brackets_next(void *self, bool last, struct stopper_move *out);
void brackets_resumed(void *self, uint64_t trial);
void brackets_ended(void *self, uint64_t trial, bool failed, bool completed, const double *losses);
void brackets_destroy(void *self);

/* Rows that both have. */
#define BRACKETS_ETA                                                                                                   \
    {                                                                                                                  \
        "eta", GANNET_NUMBER, 2, 100, NULL, "3",                                                                       \
            "one in so many goes on from a rung, which gets it so many times the steps"                                \
    }
#define BRACKETS_MOST_PAUSED                                                                                           \
    {                                                                                                                  \
        "max_paused", GANNET_INTEGER, 1, 1e6, NULL, "1000",                                                            \
            "paused trials (and their checkpoints) that are kept; of more the worst are ended"                         \
    }

#endif
